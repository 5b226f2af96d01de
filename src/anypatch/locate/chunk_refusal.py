"""Why a chunk has no place in its symbol, by the seven checks of the format, and what stands nearest. Pure."""

from __future__ import annotations

from ..errors import Near, Problem
from ..text import BLANK

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..model import Chunk
    from ..syntax.symbols import Symbol
    from .page import Page

_MEANING = {
    1: "context", 2: "old lines", 3: "insertion", 4: "deletion", 5: "bounds of the symbol", 6: "end of the symbol",
}  # fmt: skip
_SHOWN = 3


def ambiguous(page: Page, symbol: Symbol, places: list[int], number: int) -> Problem:
    """All places that fit."""
    rows = [symbol.first + place for place in places]
    shown = ", ".join(str(row + 1) for row in rows[:20])
    detail = f"chunk {number} fits at {len(rows)} places in `{symbol.name_path}`: line {shown}"
    near = tuple(_near(page, row, "it fits here") for row in rows[:3])
    advice = "Add lines to its context until only one place is meant."
    return Problem("ambiguous", detail, line=rows[0] + 1, advice=advice, near=near)


def not_found(page: Page, symbol: Symbol, bare: list[str], chunk: Chunk, number: int) -> Problem:
    """The check that failed at the place that fitted best."""
    check, row, why = max(
        (_failed(bare, chunk, start) for start in _starts(bare, chunk)), key=_progress, default=(0, 0, "")
    )
    if not check:
        check, row, why = _nowhere(bare, chunk)
    line = symbol.first + row
    detail = f"chunk {number} in `{symbol.name_path}`, check {check} ({_MEANING[check]}): {why}"
    return Problem(
        "not_found", detail, line=min(line, symbol.last) + 1, near=(_near(page, min(line, symbol.last), ""),)
    )


def _progress(failed: tuple[int, int, str]) -> tuple[int, int]:
    """How far a place came: deletions that differ in blanks first, then context below, then old lines."""
    check, row, _ = failed
    return {4: 3, 6: 2, 3: 2, 1: 2, 5: 1, 2: 0}[check], row


def _starts(bare: list[str], chunk: Chunk) -> list[int]:
    """The rows right behind every place where the lines before the chunk stand."""
    starts = []
    for before in ((), ("",)) if chunk.before is None else (chunk.before,):
        wanted = [line.rstrip(BLANK) for line in before]
        if not wanted:
            starts.append(0)
            continue
        last = wanted[-1]
        for row, line in enumerate(bare):
            if line == last and bare[max(row + 1 - len(wanted), 0) : row + 1] == wanted:
                starts.append(row + 1)
    return starts


def _failed(bare: list[str], chunk: Chunk, start: int) -> tuple[int, int, str]:
    """(check, row, why) of a chunk that would begin at a row and doesn't fit."""
    old = [line.rstrip(BLANK) for line in chunk.old]
    end = start + len(old)
    for row, line in enumerate(old, start):
        if row >= len(bare):
            return 5, row, f"old line {row - start + 1}, `{line.strip()}`, would be behind the end of the symbol"
        if bare[row] != line:
            return 2, row, f"old line {row - start + 1} is `{line}`, but `{bare[row]}` stands there"
    if chunk.after is None or not chunk.after:
        if end < len(bare):
            return 6, end, f"nothing may follow, but `{bare[end].strip()}` does"
        return 4, start, "lines that only go must match to the letter, also in blanks at their end"
    for row, line in enumerate((text.rstrip(BLANK) for text in chunk.after), end):
        if row >= len(bare):
            return 5, row, f"`{line.strip()}` should follow, but the symbol ends"
        if bare[row] != line:
            said = f"`{line}` should follow, but `{bare[row]}` does"
            return (1, row, said) if old else (3, row, f"the lines around new ones must be neighbours: {said}")
    return 4, start, "lines that only go must match to the letter, also in blanks at their end"


def _nowhere(bare: list[str], chunk: Chunk) -> tuple[int, int, str]:
    """The lines before stand nowhere: show what is most like the last of them."""
    from difflib import get_close_matches

    wanted = [line.rstrip(BLANK) for line in chunk.before or ()]
    near = get_close_matches(wanted[-1], bare, 1, 0.6) if wanted else []
    row = bare.index(near[0]) if near else 0
    told = wanted[-1].strip() if wanted else ""
    return 1, row, f"context_before ends in `{told}`, and these lines stand nowhere in the symbol"


def _near(page: Page, row: int, note: str) -> Near:
    first = max(row - _SHOWN, 0)
    return Near(first + 1, tuple(page.lines[first : row + _SHOWN + 1]), note)
