"""The first line in which a hunk and the nearest region differ, with white space made visible. Pure; words nothing."""

from __future__ import annotations

from ..model import Edit
from ..record import NamedTuple
from ..text import BLANK
from .words import LONG, hunks_at, outcome_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..errors import Problem
    from ..model import Report

LEGEND = "· is a space, → a tab, ⍽ another sort of space"
_PLAIN = 80  # up to here a quotation in a note shows the whole line
_UNSEEN = "\u200b\u200c\u200d\u2060\ufeff\u00ad"  # characters of no width, which no isspace() tells


class Difference(NamedTuple):
    """The line of the file (1-based), what stands there, what the patch says: all as they are."""

    line: int
    there: str
    said: str


def first_difference(problem: Problem, report: Report) -> Difference | None:
    """Where the old lines of the hunk first differ from the nearest region; None where that cannot be told."""
    if problem.kind != "not_found" or len(problem.near) != 1:
        return None
    near, old = problem.near[0], _old_lines(problem, report)
    if not old or not near.lines or _stands(near.lines[1:], old):
        return None
    rows = [(near.line + at, line) for at, line in enumerate(near.lines) if line.strip(BLANK)]
    pairs = [Difference(row, there, said) for (row, there), said in zip(rows, old, strict=False)]
    inside = next((pair for pair in pairs if pair.there.strip(BLANK) != pair.said.strip(BLANK)), None)
    return inside or next((pair for pair in pairs if pair.there != pair.said), None)


def sought(problem: Problem, report: Report) -> str:
    """The first line that the hunk wants to find; "" where it is not known."""
    return next((line.strip(BLANK) for line in _old_lines(problem, report)), "")


def side_by_side(found: Difference) -> tuple[str, str] | None:
    """What stands there and what the patch says, where a plain quotation would not show how they differ."""
    there, said = found.there, found.said
    marked = visible(there, said)
    if marked == (there, said) and max(len(there), len(said)) <= _PLAIN:
        return None
    start = _window(there, said)
    return _cut(marked[0], start), _cut(marked[1], start)


def visible(there: str, said: str) -> tuple[str, str]:
    """Two lines with marks for the white space in which they differ; the rest stays as it is."""
    one, two = _runs(there), _runs(said)
    if one[1::2] != two[1::2]:
        return _odd(there), _odd(said)
    for at in range(0, len(one), 2):
        if one[at] != two[at]:
            one[at], two[at] = _marks(one[at]), _marks(two[at])
    return "".join(one), "".join(two)


def _window(there: str, said: str) -> int:
    """Where to begin to show two lines, so that their first difference is seen."""
    if max(len(there), len(said)) <= LONG:
        return 0
    low, high = 0, min(len(there), len(said))
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if there[:middle] == said[:middle] else (low, middle - 1)
    return max(low - LONG // 3, 0)


def _cut(line: str, start: int) -> str:
    end = start + LONG
    return ("…" if start else "") + line[start:end] + ("…" if end < len(line) else "")


def _old_lines(problem: Problem, report: Report) -> list[str]:
    """The lines that the hunk wants to find, without the blank ones."""
    outcome = outcome_of(problem, report)
    hunks = outcome.op.hunks if outcome and isinstance(outcome.op, Edit) else ()
    meant = [hunks[number - 1] for number in hunks_at(hunks, problem.patch_line)] or list(hunks)
    if len(meant) != 1:
        return []
    return [text for tag, text in meant[0].lines if tag != "+" and text.strip(BLANK)]


def _stands(lines: Sequence[str], old: list[str]) -> bool:
    """Whether the old lines begin there: then the region shows what is around them, not what differs."""
    solid = [line.strip(BLANK) for line in lines if line.strip(BLANK)]
    return bool(solid) and all(one == two.strip(BLANK) for one, two in zip(solid, old, strict=False))


def _runs(text: str) -> list[str]:
    """White space at even places, words between it at odd ones; what is at the ends may be empty."""
    import re

    core = text.strip()
    lead = text[: len(text) - len(text.lstrip())]
    return [lead, *re.split(r"(\s+)", core), text[len(lead) + len(core) :]]


def _marks(blanks: str) -> str:
    return "".join([{" ": "·", "\t": "→"}.get(character, "⍽") for character in blanks])


def _odd(text: str) -> str:
    """Marks only for what is neither a space nor a tab nor to be seen."""
    return "".join(["⍽" if c in _UNSEEN or (c.isspace() and c not in " \t") else c for c in text])
