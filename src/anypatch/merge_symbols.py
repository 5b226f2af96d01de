"""Merge what lines can't part, symbol by symbol: import statements and declarations side by side. Pure.

    base   import os      ours   import os        theirs   import os       merged   import os
                                 import sys                import re                import re
                                                                                    import sys

Only whole symbols of one class or file are merged. What one side added, changed or deleted is taken; new symbols of
both sides come in the order theirs, ours. A symbol that both changed in different ways stays a conflict.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from itertools import dropwhile
from typing import NamedTuple

from .merge import Conflict, Merged, merge
from .propose.imports import read_import
from .syntax.languages import grammar_of
from .syntax.symbols import outline_of
from .text import is_blank

_Name = tuple[str, ...]
_IMPORTED = re.compile(r"from\s+\S+\s+import\b(.*)|.*\{(.*)\}|import\b(.*)\bfrom\b|\w+\b(.*)=")  # where the names are


class _Symbol(NamedTuple):
    """A declaration with its comments, or an import statement: its rows, `end` exclusive.

    `around`: the names of the declarations that it is in. `name`: its own, or "" and the text of the statement.
    `is_clear`: it has its lines and its name for itself.
    """

    first: int
    end: int
    around: _Name
    name: _Name
    is_clear: bool = True


class _Part(NamedTuple):
    """The lines of a symbol, and the blank lines above and below it."""

    above: list[str]
    lines: list[str]
    below: list[str]


def merge_by_symbols(path: str, base: Sequence[str], ours: Sequence[str], theirs: Sequence[str]) -> Merged[str] | None:
    """Merge lines; what they can't part by symbols. Return None if that leaves conflicts, or isn't proven.

    The result must follow the grammar, and may declare or import no name more often than one of the sides.
    """
    sides = [_Side(path, lines) for lines in (base, ours, theirs)]

    def resolve(conflict: Conflict) -> list[str] | None:
        parts = [side.between(*rows) for side, rows in zip(sides, conflict, strict=True)]
        around = {one.around for side, rows in zip(sides, conflict, strict=True) for one in side.outermost(*rows)}
        if len(around) != 1 or parts[0] is None or parts[1] is None or parts[2] is None:
            return None
        if not parts[0] and conflict.base[0] < conflict.base[1]:
            return None  # both sides changed blank lines
        return _merged(parts[0], parts[1], parts[2])

    def parts(row: int, above: list[str], below: list[str]) -> bool:
        return not all(map(is_blank, above)) and not all(map(is_blank, below)) and sides[0].ends_above(row)

    merged = merge(base, ours, theirs, resolve, parts)
    result = _Side(path, merged.lines)
    if merged.conflicts or result.symbols is None:
        return None
    mine, yours = sides[1].names, sides[2].names
    doubled = any(count > max(mine[name], yours[name]) for name, count in result.names.items())
    return None if doubled else merged


class _Side:
    """The lines of a text and its symbols, which are looked for when they are needed."""

    def __init__(self, path: str, lines: Sequence[str]) -> None:
        self._path, self._lines = path, lines

    @cached_property
    def symbols(self) -> list[_Symbol] | None:
        """All symbols from top to bottom, outer ones first; None if the grammar doesn't tell."""
        symbols = _symbols(self._path, self._lines)
        return symbols and sorted(symbols, key=lambda one: (one.first, -one.end))

    @cached_property
    def names(self) -> Counter[_Name]:
        """How often each name is declared in what is around it, or imported."""
        names: Counter[_Name] = Counter()
        for one in self.symbols or ():
            name, detail = one.name
            names.update([(*one.around, name)] if name else [("", imported) for imported in _imported(detail)])
        return names

    @cached_property
    def _ends(self) -> set[tuple[int, _Name]]:
        return {(one.end, one.around) for one in self.symbols or () if one.is_clear}

    def ends_above(self, row: int) -> bool:
        """Return True if a symbol ends above a row, and one beside it begins there; blank lines don't count."""
        end, first = row, row
        while end and is_blank(self._lines[end - 1]):
            end -= 1
        while first < len(self._lines) and is_blank(self._lines[first]):
            first += 1
        return any(one.is_clear and (end, one.around) in self._ends for one in self._from(first, first + 1))

    def _from(self, row: int, end: int) -> Iterator[_Symbol]:
        """Yield the symbols that begin in some rows."""
        symbols = self.symbols or []
        for at in range(bisect_left(symbols, row, key=lambda one: one.first), len(symbols)):
            if symbols[at].first >= end:
                return
            yield symbols[at]

    def outermost(self, first: int, end: int) -> list[_Symbol]:
        """Return the symbols that are completely in some rows, without those in them."""
        found: list[_Symbol] = []
        for one in self._from(first, end):
            if one.end <= end and not (found and one.first < found[-1].end):
                found.append(one)
        return found

    def between(self, first: int, end: int) -> dict[_Name, _Part] | None:
        """Return the symbols in some rows by their names; None if other lines are there, or a name twice."""
        if self.symbols is None:
            return None
        done = self._row_after_blank(first, end)
        above = list(self._lines[first:done])
        parts: dict[_Name, _Part] = {}
        for one in self.outermost(first, end):
            if one.first != done or one.name in parts or not one.is_clear:
                return None
            done = self._row_after_blank(one.end, end)
            parts[one.name] = _Part(above, list(self._lines[one.first : one.end]), list(self._lines[one.end : done]))
            above = []
        return parts if done == end else None

    def _row_after_blank(self, row: int, end: int) -> int:
        return next(dropwhile(lambda at: is_blank(self._lines[at]), range(row, end)), end)


def _symbols(path: str, lines: Sequence[str]) -> list[_Symbol] | None:
    """Return the declarations and import statements of a text; None if the grammar doesn't tell."""
    grammar = grammar_of(path)
    bare = [line.rstrip("\r\n") for line in lines]
    outline = outline_of(grammar, path, "\n".join(bare)) if grammar else None
    if outline is None or outline.errors:
        return None
    symbols = []
    declared: set[int] = set()
    for one in outline.rows:
        declared.update(range(one.first, one.last + 1))
        alone = is_blank(bare[one.first][: one.start]) and bare[one.last][one.stop :].strip() in ("", ";", ",")
        is_clear = alone and not one.shared and not one.is_numbered
        symbols.append(_Symbol(min(one.lead, one.first), one.last + 1, one.parts[:-1], (one.name, ""), is_clear))
    for row in range(len(bare)):
        statement = None if row in declared else read_import(bare, row)
        if statement:
            symbols.append(_Symbol(row, row + len(statement.lines), (), ("", " ".join(statement.lines))))
    return symbols


def _imported(statement: str) -> list[str]:
    """Return the names that an import statement binds; the statement if it only names a file."""
    match = _IMPORTED.match(statement)
    if match:
        return re.findall(r"\w+", next(filter(None, match.groups()), ""))
    return [statement] if re.search("[\"'<]", statement) else re.findall(r"\w+", statement)[-1:]


_Parts = Mapping[_Name, _Part]


def _merged(base: _Parts, ours: _Parts, theirs: _Parts) -> list[str] | None:
    """Return the lines of the symbols of three sides, merged; None if both sides changed the same one."""
    if _is_unclear(base, ours, theirs):
        return None
    merged = dict(theirs)
    for name in {**base, **ours}:
        old, mine, yours = (side[name].lines if name in side else None for side in (base, ours, theirs))
        if mine in (old, yours):
            continue
        if yours != old:
            return None
        if mine is None:
            del merged[name]
        else:
            merged[name] = ours[name]
    return [line for name in _in_order(ours, theirs) if name in merged for lines in merged[name] for line in lines]


def _is_unclear(base: _Parts, ours: _Parts, theirs: _Parts) -> bool:
    """Return True if ours moved symbols, which would be lost, or one side may have renamed what the other deleted."""
    is_moved = [name for name in base if name in ours] != [name for name in ours if name in base]
    are_deleted = any(name not in ours and name not in theirs for name in base)
    return is_moved or (are_deleted and bool({*ours, *theirs} - {*base}))


def _in_order(ours: _Parts, theirs: _Parts) -> list[_Name]:
    """Return all names as theirs are ordered; those of ours alone are above the one below them, or at the end."""
    new_above: defaultdict[_Name | None, list[_Name]] = defaultdict(list)
    below: _Name | None = None
    for name in reversed([*ours]):
        if name in theirs:
            below = name
        else:
            new_above[below].append(name)
    order = [name for below in theirs for name in (*reversed(new_above[below]), below)]
    return [*order, *reversed(new_above[None])]
