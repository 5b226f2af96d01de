"""Find the block that a header like `@@ class Cart` opens, by the grammar or by the layout of the lines. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from ..text import BLANK, depth_of
from .ladder import single_spaces
from .search import cached

if TYPE_CHECKING:
    from ..text import Text
    from .search import Place

_CLOSERS = ("}", ")", "]", "end", "</")
# What may begin a line of a block that is no deeper than its header.
_INSIDE = (
    "{", "public:", "private:", "protected:", "else", "elif ", "except", "finally", "catch", "#", "//", "/*", "*",
)  # fmt: skip
_MARKDOWN = (".md", ".markdown", ".mdx")


class HeaderBlock(NamedTuple):
    """A header's row and the row after its block. `closed`: an edit for it can't be outside of it (a [section])."""

    row: int
    end: int
    closed: bool = False


def is_inside(text: Text, place: Place, first_change: int, blocks: list[HeaderBlock]) -> bool:
    """Return True if a place ends inside one of the blocks. If it begins above the header, it includes the header."""
    end, row = place.row_span(text)[1], text.row_at(first_change)
    return any(block.row <= row and block.row < end <= block.end for block in blocks)


def header_blocks(text: Text, headers: tuple[str, ...], path: str, *, by_grammar: bool = False) -> list[HeaderBlock]:
    """Return the blocks of the last header, each inside a block of the one before it.

    `by_grammar`: ask the grammar where a block ends before going by its indentation.
    """
    blocks = [HeaderBlock(-1, len(text.lines))]
    for header in headers:
        blocks = [inner for outer in blocks for inner in _blocks_in(text, header, outer, path, by_grammar)]
    return blocks


def _blocks_in(text: Text, header: str, outer: HeaderBlock, path: str, by_grammar: bool) -> list[HeaderBlock]:
    for fits in _header_tests(header):
        rows = [row for row in range(outer.row + 1, outer.end) if fits(text.lines[row])]
        if rows:
            found = [_block_by_grammar(text, path, row) if by_grammar else None for row in rows]
            return [block or _block_by_layout(text, path, row) for block, row in zip(found, rows, strict=True)]
    return []


def _header_tests(header: str) -> Iterator[Callable[[str], bool]]:
    """Yield the ways in which a line may be the header, the strictest first."""
    bare, loose = header.strip(BLANK), single_spaces(header)
    yield lambda line: line.strip(BLANK) == bare
    yield lambda line: single_spaces(line) == loose
    if re.search(r"\w", bare):
        begins = re.compile(re.escape(bare) + (r"(?!\w)" if re.match(r"\w", bare[-1]) else ""))
        yield lambda line: begins.match(line.strip(BLANK)) is not None


def _block_by_layout(text: Text, path: str, row: int) -> HeaderBlock:
    """Return the block of the header at a row: deeper lines up to a closing sign; a section up to the next one."""
    lines, header = text.lines, text.lines[row].strip(BLANK)

    def until(ends: Callable[[str], bool]) -> int:
        return next((at for at in range(row + 1, len(lines)) if ends(lines[at])), len(lines))

    if header.startswith("[") and header.endswith("]"):
        return HeaderBlock(row, until(lambda line: line.lstrip(BLANK).startswith("[")), closed=True)
    if header.startswith("#") and path.endswith(_MARKDOWN):
        level = _heading_level(header)
        return HeaderBlock(row, until(lambda line: 0 < _heading_level(line) <= level))
    if not any(line[:1] in (" ", "\t") and line.strip(BLANK) for line in lines):
        # No line is indented: up to the next that begins with the header's first word.
        word = header.split()[:1]
        return HeaderBlock(row, until(lambda line: line.split()[:1] == word))
    depth = depth_of(lines[row])
    end = until(lambda line: _is_outside(line, depth))
    closes = end < len(lines) and lines[end].strip(BLANK).startswith(_CLOSERS)
    return HeaderBlock(row, end + closes)


def _is_outside(line: str, depth: int) -> bool:
    """Return True if a line is no deeper than a header and isn't part of its block all the same, as `else` is."""
    bare = line.strip(BLANK)
    return bare != "" and depth_of(line) <= depth and not bare.startswith(_INSIDE)


def _heading_level(line: str) -> int:
    bare = line.lstrip(BLANK)
    level = len(bare) - len(bare.lstrip("#"))
    return level if bare[level : level + 1] in (" ", "\t") else 0


def _block_by_grammar(text: Text, path: str, row: int) -> HeaderBlock | None:
    """Return the block of the symbol that is named on a row, with the blank lines below it."""
    last = symbol_ends(text, path).get(row)
    if last is None:
        return None
    end = last[0] + 1
    while end < len(text.lines) and not text.lines[end].strip(BLANK):
        end += 1
    return HeaderBlock(row, end)


def symbol_ends(text: Text, path: str) -> dict[int, tuple[int, int]]:
    """Map the row of each name of a symbol of several rows to its last row and the UTF-16 column at which it ends."""
    from ..syntax.symbols import declared

    def compute() -> dict[int, tuple[int, int]]:
        symbols = [one for one in declared(path, text.text) if one.last > one.row and one.kind != "element"]
        # Of several on one row the outermost comes first, and counts.
        return {symbol.row: (symbol.last, symbol.stop) for symbol in reversed(symbols)}

    return cached(text, "symbol ends", compute)
