"""Why a hunk has no place, or more than one: the problem with everything worth showing. Decides nothing."""

from __future__ import annotations

from ..errors import Near, Problem
from ..model import Hunk
from ..text import indent_of
from .ladder import climb, comment_elsewhere, comments_stated
from .page import Page
from .scope import blocks

_LISTED = 20
_LOOKED = 2000  # lines above a place in which its header is looked for


def not_found(page: Page, hunk: Hunk, brief: bool = False) -> tuple[Problem, ...]:
    """Nothing fits: the nearest region, and whether the new text is there already.

    `brief`: enough hunks of this file were explained.
    """
    if hunk.doubts:
        return hunk.doubts
    if brief:
        detail = "many hunks before it have no place in this file; what is nearest is shown for the first ones only"
        return (Problem("not_found", detail, "", hunk.patch_line),)
    from .near import already_there, nearest

    near = nearest(page, hunk.old)
    detail = f"the nearest region begins at line {near[0].line}" if near else "nothing in it is like the old lines"
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
    denied = _by_comment(page, hunk) if not missing else None
    detail, near = denied or (detail, near)
    there = already_there(page, hunk.new) if hunk.new != hunk.old and not denied else 0
    advice = f"The new text already stands at line {there}: has this patch been applied before?" if there else ""
    advice = "Copy the lines of one place, with the comments that stand there." if denied else advice
    line = near[0].line if near else 0
    return (Problem("not_found", detail, patch_line=hunk.patch_line, line=line, advice=advice, near=near),)


def ambiguous(  # noqa: PLR0913 - which of the places, and how much is said of them
    page: Page, hunk: Hunk, rung: str, firsts: list[int], low: int = 0, end: int = 0, *, brief: bool = False
) -> Problem:
    """Several places: all of their lines, and what stands around the first few. `low`, `end`: only these of them."""
    end = end or len(firsts)
    rows = [first + 1 for first in firsts[low : min(end, low + _LISTED + 1)]]
    listed = [] if brief else rows[:_LISTED]
    near = tuple(candidate(page, row, at < 3) for at, row in enumerate(listed)) or (region(page, rows[0] - 1),)
    detail = f"it fits at {end - low} places: line {_listed(rows)} (compared by {rung})"
    return Problem("ambiguous", detail, patch_line=hunk.patch_line, line=rows[0], near=near)


def used_twice(hunk: Hunk, other: Hunk, row: int) -> Problem:
    """Two hunks want the same line."""
    detail = f"line {row + 1} is already changed by the hunk at line {other.patch_line} of the patch"
    return Problem("not_found", detail, patch_line=hunk.patch_line, line=row + 1, advice="Join the two hunks into one.")


def region(page: Page, row: int, note: str = "") -> Near:
    """A row with a neighbour on either side."""
    start = max(row - 1, 0)
    return Near(start + 1, tuple(page.lines[start : row + 2]), note, row + 1)


def candidate(page: Page, row: int, shown: bool) -> Near:
    """One of several places (1-based): its line, what it stands in, and for the first few the lines around it."""
    header = enclosing(page, row - 1)
    note = f"line {row}, in `{header[:80]}`" if header else f"line {row}"
    return region(page, row - 1, note) if shown else Near(row, (), note, row)


def enclosing(page: Page, row: int) -> str:
    """The line that opens what a row stands in: the nearest one above with less indentation that begins with a word."""
    depth = len(indent_of(page.lines[row]).expandtabs(4))
    for line in reversed(page.lines[max(row - _LOOKED, 0) : row]) if depth else ():
        text = line.strip()
        if text and len(indent_of(line).expandtabs(4)) < depth and (text[0].isalpha() or text[0] in "_<@~"):
            return text
    return ""


def _missing_header(page: Page, hunk: Hunk) -> str:
    for count in range(1, len(hunk.where.under) + 1):
        if not blocks(page, hunk.where.under[:count]):
            return f"the header `{hunk.where.under[count - 1]}` is no line of the file"
    return ""


def _by_comment(page: Page, hunk: Hunk) -> tuple[str, tuple[Near, ...]] | None:
    """Where the hunk would fit but for a comment of its that stands elsewhere: both places in words, and shown."""
    if not comments_stated(hunk, page.language(hunk.rules.language) if hunk.rules.language else None):
        return None
    found = climb(page, hunk, comments_decide=False)
    stated = found and comment_elsewhere(page, hunk, found.wanted, found.firsts[0])
    if not found or not stated:
        return None
    first, comment = found.firsts[0], stated.comment[:80]
    detail = f"the code stands at line {first + 1}, but `{comment}`, which the patch states, at line {stated.row + 1}"
    return detail, (region(page, first, "the code"), region(page, stated.row, "the comment"))


def _broken_claim(hunk: Hunk) -> str:
    if hunk.where.under:
        return f"not under `{hunk.where.under[-1]}`"
    if hunk.where.at_end:
        return "not at the end of the file"
    return "not with the neighbours given"


def _listed(rows: list[int]) -> str:
    shown = ", ".join(map(str, rows[:_LISTED]))
    return shown + (", …" if len(rows) > _LISTED else "")
