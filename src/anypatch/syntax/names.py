"""From a name path or a position to one symbol, or a problem that names the others. Pure.

`Class/method` means any path that ends so, `/Class/method` the whole path; `[i]` chooses among those of one path.
`::` and `.` may stand for `/`. A position is an identifier's, else the first character of a symbol; nothing nearby.
"""

from __future__ import annotations

import re

from ..errors import Near, Problem
from ..record import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from .symbols import Symbol

_LISTED = 5


class Step(NamedTuple):
    """One name of a path; `number`: -1 where none is given."""

    name: str
    number: int = -1


def resolve(
    symbols: Sequence[Symbol], name_path: str, at: tuple[int, int] | None, *, suggest: bool = True
) -> Symbol | Problem:
    """The one symbol that is meant. With both, the path decides and the position only breaks a tie.

    `suggest`: others are looked for where there is none, which takes long.
    """
    hits = by_path(symbols, name_path) if name_path else by_position(symbols, at or (0, 0))
    if len(hits) > 1 and name_path and at:
        there = set(by_position(symbols, at))
        hits = [hit for hit in hits if hit in there] or hits
    if len(hits) == 1:
        return hits[0]
    asked = f"`{name_path}`" if name_path else f"line {at[0]}, column {at[1]} (counted from 0)" if at else "nothing"
    if hits:
        near = tuple(
            Near(hit.first + 1, (), f"`{hit.name_path}`, {hit.kind}, line {hit.first + 1}") for hit in hits[:_LISTED]
        )
        advice = f"Name one of them whole: {', '.join('/' + hit.name_path for hit in hits[:_LISTED])}."
        return Problem("ambiguous", f"{asked} is the name of {len(hits)} symbols", advice=advice, near=near)
    return _unknown(symbols if suggest else (), name_path, at, asked)


def by_path(symbols: Sequence[Symbol], name_path: str) -> list[Symbol]:
    """Those that a path names. Several names that are a whole path mean that one."""
    for steps in _readings(name_path.removeprefix("/")):
        hits = [symbol for symbol in symbols if _ends_with(symbol.parts, steps)]
        whole = [hit for hit in hits if len(hit.parts) == len(steps)]
        if name_path.startswith("/") or (whole and len(steps) > 1):
            hits = whole
        hits = _indexed(symbols, hits, steps)
        if hits:
            return hits
    return []


def last_names(name_path: str) -> list[str]:
    """The names that the symbol which a path means may have."""
    return list(dict.fromkeys(steps[-1].name for steps in _readings(name_path.removeprefix("/")) if steps))


def by_position(symbols: Sequence[Symbol], at: tuple[int, int]) -> list[Symbol]:
    """The symbol whose identifier holds a position; else the outermost one that begins there."""
    line, column = at
    hits = [s for s in symbols if s.row == line and s.column <= column <= s.column + max(s.width - 1, 0)]
    return hits or [s for s in symbols if (s.first, s.start) == (line, column)][:1]


def _readings(path: str) -> list[list[Step]]:
    """A path as steps: cut at slashes; then also at what other languages put between names."""
    cut = [_step(part) for part in path.split("/")]
    pieces = [piece for part in path.split("/") for piece in re.split(r"::|\.", part)]
    other = [_step(piece) for piece in pieces if piece]
    return [cut, other] if other != cut else [cut]


def _step(part: str) -> Step:
    found = re.fullmatch(r"(.+)\[(\d{1,6})\]", part, re.DOTALL)
    name, index = (found[1], int(found[2])) if found else (part, -1)
    return Step(name.replace("~1", "/").replace("~0", "~"), index)


def _ends_with(parts: tuple[str, ...], steps: list[Step]) -> bool:
    return len(parts) >= len(steps) and all(
        part == step.name for part, step in zip(parts[-len(steps) :], steps, strict=True)
    )


def _indexed(symbols: Sequence[Symbol], hits: list[Symbol], steps: list[Step]) -> list[Symbol]:
    """Those that also have the index given for their own name, or stand inside an outer symbol that has its."""
    if steps[-1].number >= 0:
        hits = [hit for hit in hits if hit.number == steps[-1].number]
    for back, step in enumerate(reversed(steps[:-1]), 1):
        if step.number >= 0:
            hits = [hit for hit in hits if any(_holds(outer, hit, back, step.number) for outer in symbols)]
    return hits


def _holds(outer: Symbol, inner: Symbol, back: int, index: int) -> bool:
    return (
        outer.parts == inner.parts[:-back]
        and outer.number == index
        and outer.first <= inner.first <= inner.last <= outer.last
    )


def _unknown(symbols: Sequence[Symbol], name_path: str, at: tuple[int, int] | None, asked: str) -> Problem:
    if name_path:
        from difflib import get_close_matches

        own = name_path.rsplit("/", 1)[-1].partition("[")[0]
        names = get_close_matches(own, list(dict.fromkeys(symbol.name for symbol in symbols)), 3, 0.6)
        near = [symbol for name in names for symbol in symbols if symbol.name == name][:_LISTED]
    else:
        line = at[0] if at else 0
        near = sorted(symbols, key=lambda symbol: abs(symbol.row - line))[:3]
    shown = ", ".join(f"`{s.name_path}` (line {s.row}, column {s.column})" for s in near)
    advice = f"Perhaps {shown} is meant; `anypatch outline FILE` lists all." if near else ""
    return Problem(
        "symbol_not_found", f"no symbol is named by {asked}", advice=advice, line=near[0].row + 1 if near else 0
    )
