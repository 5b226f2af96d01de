"""Why a hunk has no place, or more than one: the problem with everything worth showing. Decides nothing."""

from __future__ import annotations

from ..errors import Near, Problem
from ..model import Hunk
from .ladder import climb
from .page import Page
from .scope import blocks

_LISTED = 20


def not_found(page: Page, hunk: Hunk) -> tuple[Problem, ...]:
    """Nothing fits: the nearest region, and whether the new text is there already."""
    from .near import already_there, nearest

    if hunk.doubts:
        return hunk.doubts
    near = nearest(page, hunk.old)
    detail = "the lines to look for don't stand there"
    where = hunk.where
    missing = _missing_header(page, hunk)
    if missing:
        detail = missing
    elif where.before or where.after or where.under or where.at_end:
        bare = climb(page, hunk._replace(where=where._replace(before=(), after=(), under=(), at_end=False)))
        if bare is not None:
            rows = [first + 1 for first in bare.firsts[:_LISTED]]
            detail = f"the lines stand at line {_listed(rows)}, but {_broken_claim(hunk)}"
            near = tuple(region(page, row - 1, "what stands around it") for row in rows[:3])
    there = already_there(page, hunk.new) if hunk.new != hunk.old else 0
    advice = f"The new text already stands at line {there}: has this patch been applied before?" if there else ""
    line = near[0].line if near else 0
    return (Problem("not_found", detail, patch_line=hunk.patch_line, line=line, advice=advice, near=near),)


def ambiguous(page: Page, hunk: Hunk, rung: str, firsts: list[int]) -> Problem:
    """Several places: all of their lines, and what stands around the first few."""
    rows = [first + 1 for first in firsts]
    near = tuple(region(page, row - 1) for row in rows[:3])
    detail = f"it fits at {len(rows)} places: line {_listed(rows)} (compared by {rung})"
    return Problem("ambiguous", detail, patch_line=hunk.patch_line, line=rows[0], near=near)


def used_twice(hunk: Hunk, other: Hunk, row: int) -> Problem:
    """Two hunks want the same line."""
    detail = f"line {row + 1} is already changed by the hunk at line {other.patch_line} of the patch"
    return Problem("not_found", detail, patch_line=hunk.patch_line, line=row + 1, advice="Join the two hunks into one.")


def region(page: Page, row: int, note: str = "") -> Near:
    """A row with a neighbour on either side."""
    start = max(row - 1, 0)
    return Near(start + 1, tuple(page.lines[start : row + 2]), note)


def _missing_header(page: Page, hunk: Hunk) -> str:
    for count in range(1, len(hunk.where.under) + 1):
        if not blocks(page, hunk.where.under[:count]):
            return f"the header `{hunk.where.under[count - 1]}` is no line of the file"
    return ""


def _broken_claim(hunk: Hunk) -> str:
    if hunk.where.under:
        return f"not under `{hunk.where.under[-1]}`"
    if hunk.where.at_end:
        return "not at the end of the file"
    return "not with the neighbours given"


def _listed(rows: list[int]) -> str:
    shown = ", ".join(map(str, rows[:_LISTED]))
    return shown + (", …" if len(rows) > _LISTED else "")
