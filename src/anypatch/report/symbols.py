"""Symbols as an indented list. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from .words import plain, span

if TYPE_CHECKING:
    from ..symbols import Symbol
    from .words import Paint


def symbol_lines(symbols: Sequence[Symbol], paint: Paint = plain, depth: int = 1) -> list[str]:
    """Return symbols as an indented list."""
    lines: list[str] = []
    for symbol in symbols:
        damaged = paint("bad", "  (errors inside)") if symbol.damaged else ""
        name = paint("strong", symbol.name_path)
        lines.append(f"{'  ' * depth}{symbol.kind} {name}  {rows_of(symbol)}{damaged}")
        lines += symbol_lines(symbol.children, paint, depth + 1)
    return lines


def rows_of(symbol: Symbol) -> str:
    """Name the lines of a symbol, from 1."""
    return span(symbol.range.start.line + 1, symbol.range.end.line + 1)
