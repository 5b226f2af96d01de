"""Outlines as flat lists."""

from __future__ import annotations

import anypatch


def flat(symbols: list[anypatch.Symbol] | tuple[anypatch.Symbol, ...]) -> list[anypatch.Symbol]:
    return [inner for symbol in symbols for inner in (symbol, *flat(symbol.children))]
