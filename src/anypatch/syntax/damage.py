"""Symbols in files that don't follow their grammar: trusted where two ways of finding the end agree. Pure."""

from __future__ import annotations

from ..errors import Problem
from .blocks import block_end
from .languages import language_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .symbols import Symbol

_KINDS = {"c": "c_style", "python": "py", "xml": "xml"}


def settled(path: str, text: str, symbol: Symbol) -> Symbol | Problem:
    """The symbol, unless there are errors in it and the scanner of comments, strings and brackets ends it elsewhere."""
    if not symbol.damaged:
        return symbol
    language = language_of(path)
    kind = _KINDS.get(language.family) if language else None
    end = None
    if kind:
        last = _header_end(text, symbol) if kind == "c_style" else symbol.row
        end = block_end(kind, text, language, symbol.row, last, "")
    if end is None or isinstance(end, Problem):
        detail = f"the file has errors inside `{symbol.name_path}`, and where it ends can't be told"
        advice = "Mend the file first, or edit it by its text alone."
        return Problem("ambiguous", detail, line=symbol.first + 1, advice=advice)
    if end.line != symbol.last:
        detail = f"the file has errors inside `{symbol.name_path}`: it ends on line {symbol.last + 1} or {end.line + 1}"
        advice = "Mend the file first, or edit it by its text alone."
        return Problem("ambiguous", detail, line=symbol.first + 1, advice=advice)
    return symbol


def _header_end(text: str, symbol: Symbol) -> int:
    """The row of the brace that opens the symbol's body."""
    lines = text.split("\n")
    return next((row for row in range(symbol.row, symbol.last + 1) if "{" in lines[row]), symbol.row)
