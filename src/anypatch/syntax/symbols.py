"""List the symbols of a text, and find the one that a name path or a position refers to.

A name path has `/` between names, and `[i]` if several declarations share it: `Cart/total`, `Cart/add[1]`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from contextvars import ContextVar
from functools import lru_cache
from typing import NamedTuple

from ..problems import Near, Problem
from ..similarity import close_names
from ..text import encode
from .damaged import with_lost
from .declarations import Declaration, best_tree, declarations_in, numbered
from .languages import grammar_of


class Outline(NamedTuple):
    """The declarations of a text, in order, outer before inner; `errors`: the text doesn't follow its grammar."""

    rows: list[Declaration]
    errors: bool


Engine = Callable[[str, str, Outline | None], Outline | None]
# While it is set, this engine is asked, too: a language server. See `Declaration.other_last`.
second_engine: ContextVar[Engine | None] = ContextVar("second_engine", default=None)


@lru_cache(maxsize=8)
def outline_of(grammar: str, path: str, text: str) -> Outline | None:
    """List all declarations, in a damaged file also those that only their headers show; None without a grammar.

    Only LF ends a line here. `path` gives the language in which headers are read. The last few outlines are kept: to
    prove what a refusal shows, a file is planned on again and again.
    """
    data = encode(text)
    root, seen = best_tree(grammar, data)
    if root is None:
        return None
    declarations = declarations_in(grammar, root, data, seen)
    unseen = _unseen_rows(data, seen) if seen is not data and not root.has_error else set()
    if not root.has_error and not unseen:
        return Outline(numbered(declarations), False)
    return Outline(with_lost(path, text, declarations, unseen), root.has_error)


def outline_by_all(grammar: str, path: str, text: str) -> Outline | None:
    """List all declarations, with what a second engine says if there is one; None if none knows the language."""
    outline = outline_of(grammar, path, text) if grammar else None
    engine = second_engine.get()
    return engine(path, text, outline) if engine else outline


def declared(path: str, text: str, *, damaged: bool = False) -> list[Declaration]:
    """List what a file declares; nothing without a grammar or, unless `damaged`, if it has errors."""
    grammar = grammar_of(path)
    outline = outline_of(grammar, path, text) if grammar else None
    return outline.rows if outline is not None and (damaged or not outline.errors) else []


def _unseen_rows(data: bytes, seen: bytes) -> set[int]:
    """Return the rows that the grammar hasn't seen, if they may declare something: namesakes, in other branches."""
    lines = enumerate(zip(data.split(b"\n"), seen.split(b"\n"), strict=True))
    rows = {row: line for row, (line, read) in lines if line != read and not read.strip()}
    return set(rows) if any(b"{" in line for line in rows.values()) else set()


def whole_file(line_count: int) -> Declaration:
    """Return a file as if it were declared."""
    return Declaration(("",), "file", 0, 0, 0, 0, line_count - 1, 0, 1 << 30, 0)


# ── name paths ─────────────────────────────────────────────────────────────────────────────────────


_LISTED = 5
Step = tuple[str, int]  # one name of a path and its index, -1 without one


def resolve(
    declarations: Sequence[Declaration], name_path: str, at: tuple[int, int] | None, *, suggest: bool = True
) -> Declaration | Problem:
    """Return the declaration that a name path or a position refers to. With both, the position only breaks a tie.

    `suggest`: name similar declarations if there is none, which takes long.
    """
    hits = by_path(declarations, name_path) if name_path else _by_position(declarations, at or (0, 0))
    if len(hits) > 1 and name_path and at:
        at_position = set(_by_position(declarations, at))
        hits = [hit for hit in hits if hit in at_position] or hits
    if len(hits) == 1:
        return hits[0]
    asked = f"`{name_path}`" if name_path else f"line {at[0]}, column {at[1]} (counted from 0)" if at else "nothing"
    return _several(hits, asked) if hits else _none(declarations if suggest else (), name_path, at, asked)


def by_path(declarations: Sequence[Declaration], name_path: str) -> list[Declaration]:
    """List the declarations with a path. Those whose whole path it is win over those whose path only ends in it."""
    for steps in _readings(name_path.removeprefix("/")):
        names = tuple(name for name, _ in steps)
        hits = [declaration for declaration in declarations if declaration.parts[-len(names) :] == names]
        whole = [hit for hit in hits if len(hit.parts) == len(steps)]
        if name_path.startswith("/") or (whole and len(steps) > 1):
            hits = whole
        hits = _with_indexes(declarations, hits, steps)
        if hits:
            return hits
    return []


def last_names(name_path: str) -> list[str]:
    """List the names that the last declaration of a path may have, depending on how the path is split."""
    return list(dict.fromkeys(steps[-1][0] for steps in _readings(name_path.removeprefix("/")) if steps))


def _by_position(declarations: Sequence[Declaration], at: tuple[int, int]) -> list[Declaration]:
    """Return the one whose identifier is at a position; else the outermost one that begins there."""
    line, column = at
    hits = [row for row in declarations if row.row == line and 0 <= column - row.column <= max(row.width - 1, 0)]
    return hits or [row for row in declarations if (row.first, row.start) == at][:1]


def _readings(path: str) -> list[list[Step]]:
    """Split a path at slashes; if that differs, also at `::` and `.`, which languages put between names."""
    steps = [split_index(part) for part in path.split("/")]
    pieces = [piece for part in path.split("/") for piece in re.split(r"::|\.", part)]
    other = [split_index(piece) for piece in pieces if piece]
    return [steps, other] if other != steps else [steps]


def split_index(part: str) -> Step:
    """Split `add[1]` into a name, without its escapes, and an index; -1 without one."""
    match = re.fullmatch(r"(.+)\[(\d{1,6})\]", part, re.DOTALL)
    name, index = (match[1], int(match[2])) if match else (part, -1)
    return name.replace("~1", "/").replace("~0", "~"), index


def _with_indexes(declarations: Sequence[Declaration], hits: list[Declaration], steps: list[Step]) -> list[Declaration]:
    """Return the hits that have the index given for them, and are in outer declarations that have theirs."""
    for back, (_, number) in enumerate(reversed(steps)):
        if number >= 0 and not back:
            hits = [hit for hit in hits if hit.number == number]
        elif number >= 0:
            outers = [outer for outer in declarations if outer.number == number]
            hits = [hit for hit in hits if any(_holds(outer, hit, hit.parts[:-back]) for outer in outers)]
    return hits


def _holds(outer: Declaration, inner: Declaration, parts: tuple[str, ...]) -> bool:
    return outer.parts == parts and outer.first <= inner.first <= inner.last <= outer.last


def _several(hits: list[Declaration], asked: str) -> Problem:
    near = tuple(
        Near(hit.first + 1, (), f"`{hit.name_path}`, {hit.kind}, line {hit.first + 1}") for hit in hits[:_LISTED]
    )
    advice = f"Give the full name of one of them: {', '.join('/' + hit.name_path for hit in hits[:_LISTED])}."
    return Problem("ambiguous", f"{asked} matches {len(hits)} symbols", advice=advice, near=near)


def _none(declarations: Sequence[Declaration], name_path: str, at: tuple[int, int] | None, asked: str) -> Problem:
    if name_path:
        own = name_path.rsplit("/", 1)[-1].partition("[")[0]
        names = close_names(own, (declaration.name for declaration in declarations), 3)
        near = [declaration for name in names for declaration in declarations if declaration.name == name][:_LISTED]
        shown = ", ".join(f"`{hit.name_path}` (line {hit.row + 1})" for hit in near)
    else:
        line = at[0] if at else 0
        near = sorted(declarations, key=lambda declaration: abs(declaration.row - line))[:3]
        shown = ", ".join(f"`{hit.name_path}` ({hit.row}, {hit.column}, counted from 0)" for hit in near)
    return Problem(
        "symbol_not_found", f"no symbol matches {asked}", line=near[0].row + 1 if near else 0,
        advice=f"Did you mean {shown}?" if near else "",
        command="`anypatch outline FILE` lists all names." if near else "",
    )  # fmt: skip
