"""Edits inside one symbol: chunks with what stands right before and after them, and the symbol as a whole. Pure.

Contexts and replaced lines may differ in blanks at their end; lines that only go must be exact. Every chunk is
placed in the text as it was, and must have one place.
"""

from __future__ import annotations

from ..elision import is_mark
from ..errors import Near, Problem
from ..model import Chunk, Inside, Splice
from ..record import NamedTuple
from ..syntax.symbols import Symbol
from ..text import BLANK
from .fit import Fit
from .page import Page
from .symbol import beside, hash_of, symbol_on

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

HOW = "symbol"


class Within(NamedTuple):
    """The fits of an edit inside a symbol, or what stands in the way."""

    fits: list[Fit]
    problems: list[Problem]


def place_inside(page: Page, said: Inside) -> Within:
    """Check by check: line ends, the symbol, its hash, then every chunk."""
    if said.deed == "rename":
        advice = "Run it alone with --symbols lsp, or as `anypatch rename FILE NAME_PATH NEW`."
        return _refused(said, Problem("no_server", "a rename goes only through a language server", advice=advice))
    eol = page.sheet.eol
    chunks = [_cut(chunk, eol) for chunk in said.chunks]
    text = cut_lines(said.text, eol)
    if text is None or None in chunks:
        at = [number for number, chunk in enumerate(chunks, 1) if chunk is None]
        return _refused(said, _foreign(at, said, eol))
    symbol = symbol_on(page, said.symbol, said.at)
    if isinstance(symbol, Problem):
        return _refused(said, symbol)
    if said.hash and said.hash.removeprefix("sha256:").lower() != hash_of(page, symbol).removeprefix("sha256:"):
        detail = f"`{symbol.name_path}` hashes to {hash_of(page, symbol)}, not to {said.hash}"
        now = Near(symbol.first + 1, tuple(page.lines[symbol.first : symbol.last + 1]), "as it is now")
        return _refused(said, Problem("stale", detail, line=symbol.first + 1, near=(now,)))
    if said.deed != "chunks":
        from .whole import place_whole

        made = _elided(text, page.lines[symbol.first : symbol.last + 1]) or place_whole(page, said, symbol, text)
        return _refused(said, made) if isinstance(made, Problem) else Within([made], [])
    return _placed(page, said, symbol, [chunk for chunk in chunks if chunk is not None])


def _elided(new: Sequence[str], old: Sequence[str]) -> Problem | None:
    """New lines must be written out."""
    mark = next((line for line in new if is_mark(line) and line not in old), None)
    return Problem("elision", f"`{mark.strip()[:80]}` stands in the new lines") if mark is not None else None


def _refused(said: Inside, problem: Problem) -> Within:
    return Within([], [problem._replace(patch_line=problem.patch_line or said.patch_line)])


# ── line ends ────────────────────────────────────────────────────────────────────────────────────


def cut_lines(lines: tuple[str, ...], eol: str) -> tuple[str, ...] | None:
    """Lines without line ends, cut where one stands inside; None where one is not the file's."""
    cut: list[str] = []
    for line in lines:
        if "\n" not in line and "\r" not in line:
            cut.append(line)
            continue
        parts = line.removesuffix(eol).split(eol)
        if any("\n" in part or "\r" in part for part in parts):
            return None
        cut += parts
    return tuple(cut)


def _cut(chunk: Chunk, eol: str) -> Chunk | None:
    before, after = (cut_lines(side, eol) if side is not None else None for side in (chunk.before, chunk.after))
    old, new = cut_lines(chunk.old, eol), cut_lines(chunk.new, eol)
    lost = (before is None and chunk.before is not None) or (after is None and chunk.after is not None)
    if old is None or new is None or lost:
        return None
    return chunk._replace(before=before, old=old, new=new, after=after)


def _foreign(at: list[int], said: Inside, eol: str) -> Problem:
    name = {"\n": "LF", "\r\n": "CRLF", "\r": "CR"}[eol]
    which = f"chunk {at[0]}, check 7 (line ends)" if at else "the new text"
    line = said.chunks[at[0] - 1].patch_line if at else said.patch_line
    return Problem("line_ending", f"{which}: the lines of the file end in {name}", patch_line=line)


# ── chunks ───────────────────────────────────────────────────────────────────────────────────────


class Body(NamedTuple):
    """The rows of a symbol made searchable: as they are, without blanks at their end, and those in one text."""

    first: int
    lines: list[str]
    bare: list[str]
    joined: str


def _placed(page: Page, said: Inside, symbol: Symbol, chunks: list[Chunk]) -> Within:
    lines = page.lines[symbol.first : symbol.last + 1]
    bare = [line.rstrip(BLANK) for line in lines]
    body = Body(symbol.first, lines, bare, "\n".join(["", *bare, ""]))
    fits: list[Fit] = []
    problems: list[Problem] = []
    for number, chunk in enumerate(chunks, 1):
        made = _fitted(page, symbol, body, chunk, number)
        if isinstance(made, Fit):
            fits.append(made)
        else:
            problems.append(made._replace(patch_line=chunk.patch_line or said.patch_line))
    return Within(fits, problems)


def _fitted(page: Page, symbol: Symbol, body: Body, chunk: Chunk, number: int) -> Fit | Problem:
    """The splice of a chunk that has one place, leaves nothing out, and lets code stand that isn't the symbol's."""
    from . import chunk_refusal

    places = _places(body, chunk)
    if not places:
        return chunk_refusal.not_found(page, symbol, body.bare, chunk, number)
    if len(places) > 1:
        return chunk_refusal.ambiguous(page, symbol, places, number)
    elided = _elided(chunk.new, chunk.old)
    if elided:
        return elided
    start = symbol.first + places[0]
    end = start + len(chunk.old)
    head, tail = beside(page, symbol)
    new = chunk.new or ("",)
    lost = head if start == symbol.first and start < end and not new[0].startswith(head) else ""
    if symbol.last < end and start < end and not new[-1].rstrip(BLANK).endswith(tail):
        lost = lost or tail
    if lost:
        detail = f"chunk {number} changes `{lost.strip()}`, which isn't part of `{symbol.name_path}`"
        return Problem("overlap", detail, line=start + 1, advice="Keep it, or edit the symbol that holds it.")
    return Fit(Splice(start, end, chunk.new, HOW), _ends(page, start, chunk))


def _ends(page: Page, start: int, chunk: Chunk) -> list[str]:
    """The line end of each new line: lines that come again keep their own."""
    ends = [page.sheet.eol] * len(chunk.new)
    own = page.sheet.ends[start : start + len(chunk.old)]
    if len({*own, *ends}) > 1:
        from ..diff import opcodes

        old = new = 0
        for first, last, _, new_last in [*opcodes(chunk.old, chunk.new), (len(own), len(own), 0, 0)]:
            for _ in range(first - old):
                ends[new] = own[old] or page.sheet.eol
                old, new = old + 1, new + 1
            old, new = last, new_last
    return ends


def _places(body: Body, chunk: Chunk) -> list[int]:
    """The rows, counted from the symbol's first, where the old lines (or the gap for new ones) may be."""
    found: list[int] = []
    for before in _readings(chunk.before):
        for after in _readings(chunk.after):
            wanted = [line.rstrip(BLANK) for line in (*before, *chunk.old, *after)]
            for row in _rows(body, wanted, at_start=not before, at_end=not after):
                start = row + len(before)
                if chunk.new or tuple(body.lines[start : start + len(chunk.old)]) == chunk.old:
                    found.append(start)
    return sorted(set(found))


def _readings(side: tuple[str, ...] | None) -> list[tuple[str, ...]]:
    """An edge, lines, or, where nothing was said but "", either an edge or a blank line."""
    return [(), ("",)] if side is None else [side]


def _rows(body: Body, wanted: list[str], *, at_start: bool, at_end: bool) -> list[int]:
    """Where some lines stand in a row; `at_start`, `at_end`: only at that edge of the symbol."""
    last = len(body.bare) - len(wanted)
    if last < 0:
        return []
    if at_start or at_end:
        row = 0 if at_start else last
        fits = body.bare[row : row + len(wanted)] == wanted and (not (at_start and at_end) or last == 0)
        return [row] if fits else []
    needle = "\n".join(["", *wanted, ""])
    rows, position, counted, row = [], body.joined.find(needle), 0, 0
    while position >= 0:
        row += body.joined.count("\n", counted, position)
        counted = position
        rows.append(row)
        position = body.joined.find(needle, position + 1)
    return rows
