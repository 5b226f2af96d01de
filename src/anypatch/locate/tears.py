"""Comments and strings that an operation cut, followed until the patch is done: healed, or a problem. Pure."""

from __future__ import annotations

from ..errors import Problem
from ..model import Note, Splice
from .fit import Fit, Tear
from .page import Page


def follow(tears: list[Tear], fits: list[Fit]) -> list[Tear]:
    """The tears still open after these fits (all against one text, in file order), with rows moved along."""
    opened = tears
    for fit in reversed(fits):
        opened = [moved for tear in opened if (moved := _moved(tear, fit.splice)) is not None]
    return opened


def _moved(tear: Tear, splice: Splice) -> Tear | None:
    """The tear after a splice; None where its other end, or the line behind it, was changed too."""
    rows = []
    for row in (tear.row, *tear.others):
        if splice.start <= row < splice.end:
            return None
        rows.append(row + len(splice.lines) - (splice.end - splice.start) if row >= splice.end else row)
    return tear._replace(row=rows[0], others=tuple(rows[1:]))


def judged(tears: list[Tear], page: Page) -> tuple[list[Problem], list[Note]]:
    """What of them is wrong in the end: a problem where the patch passes comments over, else a warning."""
    problems, notes = [], []
    for tear in tears:
        if page.lexed(tear.language).inside[tear.row] == tear.state:
            continue
        if tear.refuses:
            problems.append(tear.problem)
        else:
            notes.append(
                Note(f"{tear.problem.detail}; the rest of it stays", tear.problem.path, tear.problem.patch_line)
            )
    return problems, notes
