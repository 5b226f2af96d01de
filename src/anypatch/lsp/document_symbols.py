"""A server's symbols of a document, and how they are merged with those that the grammar knows. Asks nobody."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from ..syntax.declarations import Declaration, numbered
from ..syntax.symbols import Outline
from ..text import characters, indent_of, units

# The protocol's numbers of kinds.
_KINDS = {
    2: "module", 3: "namespace", 4: "package", 5: "class", 6: "method", 7: "property", 8: "field", 9: "constructor",
    10: "enum", 11: "interface", 12: "function", 13: "variable", 14: "constant", 22: "member", 23: "struct",
    24: "property", 25: "method",
}  # fmt: skip
_CODE = (6, 9, 12, 25)  # methods, constructors, functions, operators: variables in them aren't symbols
_TYPES = (5, 10, 11, 23)
_VALUES = (7, 8, 13, 14, 15, 16, 17, 18, 19, 20, 21, 26)
_DECORATION = re.compile(r"\s*(?:@[\w.]|#\[|\[\w|template\s*<)")
_COMMENT = re.compile(r"\s*(?://|/\*|\*|#(?!\[)|--|<!--)")
_DECLARATION_START = re.compile(r"[\w\s<>,*&:.()\[\]@#=\"'-]*")


class ServerSymbol(NamedTuple):
    """A symbol as a server sends it: rows, and columns in UTF-16 units; `at`: its identifier; `outer` symbols first."""

    name: str
    kind: int
    start: tuple[int, int]
    end: tuple[int, int]
    at: tuple[int, int]
    outer: tuple[ServerSymbol, ...]

    @property
    def last_row(self) -> int:
        """The last row that holds a part of it."""
        return self.end[0] - (self.end[1] == 0 and self.end[0] > self.start[0])


def merge_symbols(answer: object, text: str, known: Outline | None, engine: str) -> Outline:
    """Return the symbols that the grammar or the server knows, in the order of the text."""
    lines = text.split("\n")
    merged = list(known.rows) if known else []
    by_position = {(row.row, row.column): index for index, row in enumerate(merged)}
    from_server = list(read_symbols(answer, lines))
    uses = Counter(symbol.at for symbol in from_server)
    for symbol in from_server:
        row, column = symbol.at
        index = by_position.get((row, column), by_position.get((row, column + 1)))
        if index is not None:
            merged[index] = _confirm(merged[index], symbol, engine)
        # A macro makes several symbols of one word; none of them is in the text.
        elif uses[symbol.at] == 1 and not (known and _is_left_out_by_grammars(symbol, lines)):
            merged += _convert(symbol, lines, engine)
    merged.sort(key=lambda row: (row.first, row.start, -row.last, row.row, row.column))
    if not known or len(merged) > len(known.rows):
        merged = numbered([row._replace(number=0, is_numbered=False) for row in merged])
    return Outline(merged, bool(known and known.errors))


def _confirm(row: Declaration, symbol: ServerSymbol, engine: str) -> Declaration:
    if row.engine == "scanner":
        return row._replace(other_last=symbol.last_row)  # `confirm_lines` decides where it ends
    return row._replace(engine=engine, other_last=symbol.last_row if symbol.last_row != row.last else -1)


def _is_left_out_by_grammars(symbol: ServerSymbol, lines: Sequence[str]) -> bool:
    """Return True for what grammars leave out on purpose: imported names, parts of values, types without a body."""
    if symbol.kind in _TYPES:
        return not any("{" in line for line in lines[symbol.start[0] : symbol.last_row + 1])
    return symbol.kind in _VALUES


def read_symbols(answer: object, lines: Sequence[str]) -> Iterator[ServerSymbol]:
    """Yield the symbols of an answer, outer before inner, without those that have no place in the text."""
    waiting: list[tuple[Any, tuple[ServerSymbol, ...]]] = [(value, ()) for value in reversed(_list(answer))]
    while waiting:
        value, outer = waiting.pop()
        try:
            start, end = (_position(value["range"][key], lines) for key in ("start", "end"))
            at = _position(value["selectionRange"]["start"], lines)
            symbol = ServerSymbol(str(value["name"]), int(value["kind"]), start, end, at, outer)
        except (KeyError, TypeError, ValueError, IndexError):
            continue
        yield symbol
        waiting += [(child, (*outer, symbol)) for child in reversed(_list(value.get("children")))]


def _list(value: object) -> list[Any]:
    return value if isinstance(value, list) else []


def _position(value: Any, lines: Sequence[str]) -> tuple[int, int]:
    row, column = int(value["line"]), int(value["character"])
    if row == len(lines) and column == 0:
        return row, 0
    return row, min(column, units(lines[row]))


# ── symbols that only the server knows ───────────────────────────────────────────────────────────


def _convert(symbol: ServerSymbol, lines: Sequence[str], engine: str) -> list[Declaration]:
    """Return a symbol in our terms; none for locals, parameters, and names that aren't in the text."""
    is_local = symbol.kind in _VALUES and any(outer.kind in _CODE for outer in symbol.outer)
    if symbol.kind not in _KINDS or is_local or symbol.last_row >= len(lines):
        return []
    row, column = symbol.at
    name = _name_parts(symbol.name)[-1]
    rest = lines[row][characters(lines[row], column) :]
    if not rest.startswith((name, name.lstrip("~#"))):
        return []
    first, start = _begin(symbol, lines)
    last, stop = _end(symbol, lines)
    lead = first
    while lead and lines[lead - 1].strip() and _COMMENT.match(lines[lead - 1]):
        lead -= 1
    parts = [part for outer in (*symbol.outer, symbol) for part in _name_parts(outer.name)]
    return [
        Declaration(
            tuple(parts), _KINDS[symbol.kind], row, column, units(name), first, last, start, stop, lead,
            depth=len(symbol.outer), engine=engine,
        )
    ]  # fmt: skip


def _name_parts(name: str) -> tuple[str, ...]:
    """Return a server's name as parts of a name path: `over(int)`, `A<T>`, `Bar::~Bar`, `(*Foo).M`."""
    if name.startswith("operator") or "::operator" in name:
        return tuple(name.split("::"))
    bare = re.sub(r"^\(\*?([\w.]+)\)\.", r"\1.", name.strip())
    bare = re.split(r"[(<\[]", bare, maxsplit=1)[0].strip() or name.strip()
    return tuple(part for part in re.split(r"::|\.", bare) if part) or (name,)


def _begin(symbol: ServerSymbol, lines: Sequence[str]) -> tuple[int, int]:
    """Return where it begins: after comments that the server includes, with the decorators that it doesn't."""
    row, column = symbol.start
    while row < symbol.at[0] and (not lines[row].strip() or _COMMENT.match(lines[row])):
        row, column = row + 1, 0
    indent = len(indent_of(lines[row]))
    if column <= indent or _DECLARATION_START.fullmatch(lines[row][:column]):
        column = indent
        while row and _DECORATION.match(lines[row - 1]):
            row -= 1
            column = len(indent_of(lines[row]))
    return row, column


def _end(symbol: ServerSymbol, lines: Sequence[str]) -> tuple[int, int]:
    """Return where it ends, with a semicolon right after it."""
    row = symbol.last_row
    line = lines[row]
    stop = symbol.end[1] if row == symbol.end[0] else units(line)
    tail = line[characters(line, stop) :]
    spaces = len(tail) - len(tail.lstrip())
    return row, stop + spaces + 1 if tail.lstrip().startswith(";") else stop
