"""CHUNK's own way from a place to a splice: a marker's whole range gives way to the payload. Pure.

`../shared/formats/chunk.md` has the rules; the numbers below are those of its search algorithm.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..diff import unchanged
from ..model import Hunk, split_lines
from ..problems import Problem
from ..syntax.languages import COMMENT
from ..syntax.lexer import Lexed
from ..text import BLANK, Splice, indent_of
from .claims import symbol_ends
from .indentation import aligned
from .ladder import LEVELS, plain_punctuation
from .search import Place, lexed
from .splices import typed_as_the_file

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..syntax.blocks import BlockEnd
    from ..syntax.languages import Language
    from ..text import Text


def splice_at_marker(text: Text, hunk: Hunk, place: Place, path: str, language: Language | None) -> Splice | Problem:
    """The splice of an operation whose marker is at a place; a problem if its block has no end, or a comment is cut."""
    marker = split_lines(hunk.old)
    rows = _solid_rows(text, marker, place)
    payload = _without_edge_blanks(marker, [line[1:] for line in hunk.signed if line[0] == "+"], place)
    if LEVELS[place.level].key is plain_punctuation and payload:
        matched = [(marker[at], text.lines[row]) for at, row in rows.items()]
        payload = [line[1:] for line in typed_as_the_file(text, ["+" + line for line in payload], matched)]
    if hunk.policy.indents == "marker" and payload:
        payload = aligned(payload, [marker[at] for at in rows], [text.lines[row] for row in rows.values()])
    found = list(rows.values())
    start, end = found[0], found[-1] + 1
    if hunk.where.block:
        end_of_block = _block_end(text, hunk, start, end - 1, path, language)
        if isinstance(end_of_block, Problem):
            return end_of_block
        from ..syntax.blocks import join_rest

        rest = text.lines[end_of_block.line][end_of_block.column :]
        joined = join_rest(hunk.where.block, payload, rest, language)
        if isinstance(joined, Problem):
            return joined
        payload, end = joined, end_of_block.line + 1
    signs = {line[0] for line in hunk.signed}
    if " " in signs:  # an insertion, beside the marker
        start = end = end if hunk.signed[0][0] == " " else start
    elif payload:
        payload = _with_repeated(text, marker, rows, payload)
    if language is None or (not hunk.policy.language and LEVELS[place.level].sees == "text"):
        return text.replaced_rows(start, end, payload, hunk.policy.own_line_ends)
    view = lexed(text, language)
    if LEVELS[place.level].sees != "text" and start < end:
        start, end = _whole_comments(view, language, start, end, payload)
    if not _is_whole(view, language, start, end, payload):
        return _torn(view, start, end)
    return text.replaced_rows(start, end, payload, hunk.policy.own_line_ends)


def mixes_indentation(new: str) -> bool:
    """Whether new lines are indented with both tabs and spaces."""
    return "\t" in new and {"\t", " "} <= set("".join(map(indent_of, new.split("\n"))))


def _solid_rows(text: Text, marker: list[str], place: Place) -> dict[int, int]:
    """The row of each line of the marker that isn't blank, and of blank ones between them."""
    if place.rows:
        pairs = [(at, row) for at, row in enumerate(place.rows) if row is not None]
    else:
        first = text.row_at(place.start)
        pairs = [(at, first + at) for at in range(len(marker))]
    if LEVELS[place.level].skips:
        solid = [at for at, _ in pairs if marker[at].strip(BLANK)]
        pairs = [(at, row) for at, row in pairs if solid[0] <= at <= solid[-1]]
    return dict(pairs)


def _without_edge_blanks(marker: list[str], payload: list[str], place: Place) -> list[str]:
    """The payload without blank lines at its edges that repeat the marker's: those of the file stay (rule 6)."""
    if not LEVELS[place.level].skips:
        return payload
    above = min(_blanks(marker), _blanks(payload))
    below = min(_blanks(marker[::-1]), _blanks(payload[above:][::-1]))
    return payload[above : len(payload) - below]


def _blanks(lines: Sequence[str]) -> int:
    return next((at for at, line in enumerate(lines) if line.strip(BLANK)), len(lines))


def _with_repeated(text: Text, marker: list[str], rows: dict[int, int], payload: list[str]) -> list[str]:
    """The payload; lines that repeat one of the marker keep the file's bytes if they differ in what doesn't count."""
    lines = list(payload)
    for at, new in unchanged([line.strip(BLANK) for line in marker], [line.strip(BLANK) for line in payload]):
        there = text.lines[rows[at]] if at in rows else ""
        if not there.strip(BLANK):
            continue
        if indent_of(there) == indent_of(lines[new]) and plain_punctuation(there) == plain_punctuation(lines[new]):
            lines[new] = there
    return lines


# ── whole blocks ─────────────────────────────────────────────────────────────────────────────────


def _block_end(
    text: Text, hunk: Hunk, first: int, last: int, path: str, language: Language | None
) -> BlockEnd | Problem:
    """Where the block ends that the matched header opens: the scanner tells, else the grammar."""
    from ..syntax.blocks import Unclosed, block_end

    new = "\n".join(line[1:] for line in hunk.signed if line[0] == "+")
    found = block_end(hunk.where.block, text.text, language, first, last, new)
    return _by_grammar(text, path, first, last) or found if isinstance(found, Unclosed) else found


def _by_grammar(text: Text, path: str, first: int, last: int) -> BlockEnd | None:
    from ..syntax.blocks import BlockEnd

    ends = symbol_ends(text, path)
    found = next((ends[row] for row in range(first, last + 1) if row in ends), None)
    if found is None or not text.lines[found[0]].isascii():
        return None
    return BlockEnd(*found) if text.lines[found[0]][: found[1]].endswith(("}", "};")) else None


# ── comments of several lines ────────────────────────────────────────────────────────────────────


def _whole_comments(view: Lexed, language: Language, start: int, end: int, payload: list[str]) -> tuple[int, int]:
    """The rows, widened to the whole of a comment that the search skipped and the edit would cut."""
    if _is_whole(view, language, start, end, payload):
        return start, end
    low, high = start, end
    while high < len(view.code) and view.inside[high] == COMMENT and not view.code[high]:
        high += 1
    while low and view.inside[low] == COMMENT and not view.code[low - 1]:
        low -= 1
    return (low, high) if _is_whole(view, language, low, high, payload) else (start, end)


def _torn(view: Lexed, start: int, end: int) -> Problem:
    """The problem of an edit that leaves a part of a comment or string behind."""
    what = "comment" if COMMENT in (view.inside[start], view.inside[end]) else "string"
    last = max(end, start + 1)
    rows = f"line {last} is" if last == start + 1 else f"lines {start + 1}-{last} are"
    return Problem("torn", f"{rows} only part of a {what}", line=start + 1)


def _is_whole(view: Lexed, language: Language, start: int, end: int, lines: list[str]) -> bool:
    """Whether no comment or string is cut: what follows begins within the same as before."""
    if not view.inside[start] and not view.inside[end]:
        return True
    first = start
    while first and view.inside[first]:
        first -= 1
    return Lexed([*view.lines[first:start], *lines], language).inside[-1] == view.inside[end]
