"""The text of a symbol, brought to the column where the symbol stands. Pure.

text   |def total(self):          file  |class Cart:
       |    return 2                    |    def total(self):
                                        |        return 1
"""

from __future__ import annotations

from itertools import pairwise

from ..errors import Problem
from ..model import Splice
from ..record import NamedTuple
from ..text import indent_of
from .adapt import lexed_as, string_lines
from .fit import Fit
from .indent import align
from .telling import is_free, read_both

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..syntax.symbols import Symbol
    from .page import Page


class Column(NamedTuple):
    """A symbol's text as it will stand; `begun`: it was written from behind the first line's indentation on."""

    lines: tuple[str, ...]
    begun: bool = False


def at_column(page: Page, symbol: Symbol, text: tuple[str, ...], start: int, end: int) -> Column | Problem:
    """The text in the indentation that its place in the file asks for; it takes the place of lines start..end."""
    shown = [row for row, line in enumerate(text) if line.strip()]
    if symbol.kind == "file" or not shown or symbol.first >= len(page.lines):
        return Column(text)
    fixed = string_lines(list(text), lexed_as(page.path))
    code = [row for row in shown if row not in fixed]
    own, base = indent_of(text[shown[0]]), indent_of(page.lines[symbol.first])
    begun = list(text)
    if own != base and base.endswith(own):
        begun[shown[0]] = base + text[shown[0]].lstrip(" \t")
    moved = _moved(page, text, code, page.lines[symbol.first])
    readings = [lines for lines in (begun, moved) if lines is not None and _stays(page, lines, fixed, base)]
    if own == base:
        readings = [lines for lines in readings if lines == begun]
    elif moved in readings and begun not in readings and _is_half(page, text, _depth(base)):
        readings = []
    if len(readings) == 2 and readings[0] != readings[1]:
        readings = _told(page, readings, (start, end), min(_depth(text[row]) for row in code[1:]), _depth(base))
    if not readings:
        detail = f"the indentation of the new text doesn't fit where `{symbol.name_path}` stands"
        advice = f"Write its first line with {len(base)} blanks in front, and the others as they stand below it."
        return Problem("ambiguous", detail, line=symbol.first + 1, advice=advice)
    return Column(tuple(readings[0]), own != base and readings[0] == begun != moved)


def _moved(page: Page, text: tuple[str, ...], code: list[int], there: str) -> list[str] | None:
    """All of the text moved as its first line is; strings stay. None where some line can't be."""
    own = indent_of(text[code[0]])
    if not all(text[row].startswith(own) for row in code):
        return None
    done = align([text[row] for row in code], [text[code[0]]], [there], page.habits())
    if done is None:
        return None
    moved = list(text)
    for row, line in zip(code, done.lines, strict=True):
        moved[row] = line
    return moved


def _is_half(page: Page, text: tuple[str, ...], base: int) -> bool:
    """Whether the first line alone lost its indentation, and another stands where nothing of the symbol can."""
    depths = [depth for depth, _ in _statements(list(text))] if not is_free(page.path) else []
    return len(depths) > 2 and depths[1] > base > min(depths[2:])


def _stays(page: Page, lines: list[str], fixed: dict[int, int], base: str) -> bool:
    """Whether the first statement stands at the column, none leaves the block, and each block has something in it."""
    if is_free(page.path):
        return all(_depth(line) >= _depth(base) for row, line in enumerate(lines) if line.strip() and row not in fixed)
    found = _statements(lines)
    if not found or (found[0][0] != _depth(base) or min(found)[0] != found[0][0]):
        return not found
    return not any(opens and below[0] <= depth for (depth, opens), below in pairwise(found))


def _statements(lines: list[str]) -> list[tuple[int, bool]]:
    """How deep each statement stands, and whether it opens a block: Python's, and near enough for its kin."""
    from ..syntax.languages import PYTHON
    from ..syntax.lexer import tokens
    from ..syntax.logical import flat, logical_lines

    text = "\n".join(lines)
    plain = flat(text, tokens(text, PYTHON))
    found = []
    row = position = 0
    for start, end in logical_lines(plain):
        row, position = row + text.count("\n", position, start), start
        found.append((_depth(lines[row]), plain[start:end].rstrip()[-1:] == ":"))
    return found


def _told(page: Page, readings: list[list[str]], rows: tuple[int, int], below: int, base: int) -> list[list[str]]:
    """Of the text as it was begun, and moved as a whole, the one that is meant; none where nothing tells."""
    start, end = rows
    if is_free(page.path):
        return readings[:1]
    one, two = ([Fit(Splice(start, end, tuple(lines), ""), [])] for lines in readings)
    read = read_both(page, one, two)
    if read is not None and read.one != read.two:
        return readings[:1] if read.one else readings[1:]
    if (read is None and below != base) or (read is not None and read.same):
        return readings[:1] if below > base else readings[1:]
    return []


def _depth(line: str) -> int:
    return len(indent_of(line + "x").expandtabs(8))
