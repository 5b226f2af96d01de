"""Find the block that a header like `@@ class Cart` opens, by the indentation of its lines. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from ..text import BLANK, depth_of
from .ladder import single_spaces

if TYPE_CHECKING:
    from ..text import Text
    from .search import Place

_CLOSERS = ("}", ")", "]", "end", "</")
# Lines of a block that aren't deeper than its header begin with one of these.
_INSIDE = (
    "{", "public:", "private:", "protected:", "else", "elif ", "except", "finally", "catch", "#", "//", "/*", "*",
)  # fmt: skip


class HeaderBlock(NamedTuple):
    """A header's row and the row after its block. `closed`: an edit for it can't be outside it, as in a `[section]`."""

    row: int
    end: int
    closed: bool = False


def is_inside(text: Text, place: Place, first_change: int, blocks: list[HeaderBlock]) -> bool:
    """Return True if a place ends inside one of the blocks. If it begins above the header, it includes the header."""
    end, row = place.row_span(text)[1], text.row_at(first_change)
    return any(block.row <= row and block.row < end <= block.end for block in blocks)


def header_blocks(text: Text, headers: tuple[str, ...]) -> list[HeaderBlock]:
    """Return the blocks of the last header, each inside a block of the one before it."""
    blocks = [HeaderBlock(-1, len(text.lines))]
    for header in headers:
        blocks = [inner for outer in blocks for inner in _blocks_in(text, header, outer)]
    return blocks


def _blocks_in(text: Text, header: str, outer: HeaderBlock) -> list[HeaderBlock]:
    for fits in _header_tests(header):
        rows = [row for row in range(outer.row + 1, outer.end) if fits(text.lines[row])]
        if rows:
            return [_block_at(text, row) for row in rows]
    return []


def _header_tests(header: str) -> Iterator[Callable[[str], bool]]:
    """Yield the tests for a line that may be the header, the strictest first."""
    bare, loose = header.strip(BLANK), single_spaces(header)
    yield lambda line: line.strip(BLANK) == bare
    yield lambda line: single_spaces(line) == loose
    if re.search(r"\w", bare):
        begins = re.compile(re.escape(bare) + (r"(?!\w)" if re.match(r"\w", bare[-1]) else ""))
        yield lambda line: begins.match(line.strip(BLANK)) is not None


def _block_at(text: Text, row: int) -> HeaderBlock:
    """Return the block of the header at a row: deeper lines up to a closing bracket; a section up to the next one."""
    lines, header = text.lines, text.lines[row].strip(BLANK)

    def until(ends: Callable[[str], bool]) -> int:
        return next((at for at in range(row + 1, len(lines)) if ends(lines[at])), len(lines))

    if header.startswith("[") and header.endswith("]"):
        return HeaderBlock(row, until(lambda line: line.lstrip(BLANK).startswith("[")), closed=True)
    if not any(line[:1] in (" ", "\t") and line.strip(BLANK) for line in lines):
        # No line is indented: the block ends at the next line that begins with the header's first word.
        word = header.split()[:1]
        return HeaderBlock(row, until(lambda line: line.split()[:1] == word))
    depth = depth_of(lines[row])
    end = until(lambda line: _is_outside(line, depth))
    closes = end < len(lines) and lines[end].strip(BLANK).startswith(_CLOSERS)
    return HeaderBlock(row, end + closes)


def _is_outside(line: str, depth: int) -> bool:
    """Return True if a line is as deep as a header or less, and doesn't continue its block, as `else` does."""
    bare = line.strip(BLANK)
    return bare != "" and depth_of(line) <= depth and not bare.startswith(_INSIDE)
