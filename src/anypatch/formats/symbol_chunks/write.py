"""Writes symbol chunks: each change in the innermost symbol that contains it, or in the file. Touches no file."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ...author.context import LineSearch, least_context
from ...author.describe import unsayable
from ...author.line_changes import LineChange, lines_after
from ...model import Chunk, Edit, Op, SymbolEdit
from ...text import Text, indent_of
from ..json_edits.write import rows as as_rows

if TYPE_CHECKING:
    from ...syntax.declarations import Declaration


_WHOLE = "/"


class Scope(NamedTuple):
    """Rows first..end of a file in which chunks are searched for: of a symbol, or all of them under the name "/"."""

    name: str
    first: int
    end: int


def operations(path: str, before: Text, changes: list[LineChange], wide: bool) -> tuple[Op, ...]:
    """The changed lines as chunks in their symbols; `wide`: in the whole file."""
    from ...syntax.symbols import declared

    symbols = [] if wide else declared(path, "\n".join(before.lines), damaged=True)
    by_scope: dict[Scope, list[LineChange]] = {}
    for change in changes:
        by_scope.setdefault(_innermost(symbols, change, len(before.lines)), []).append(change)
    return (Edit(path, tuple(_insides(before.lines, by_scope))),)


# ── symbols ──────────────────────────────────────────────────────────────────────────────────────


def _innermost(symbols: list[Declaration], change: LineChange, size: int) -> Scope:
    """The smallest symbol that contains a change; new lines at its edge are not inside."""
    start, end = (change.start - 1, change.end + 1) if change.start == change.end else (change.start, change.end)
    holding = [
        one for one in symbols
        if one.first <= start and end <= one.last + 1 and one.first < one.last and not (one.shared or one.damaged)
    ]  # fmt: skip
    if not holding:
        return Scope(_WHOLE, 0, size)
    from ...syntax.symbols import by_path

    symbol = min(holding, key=lambda one: one.last - one.first)
    path = symbol.name_path
    path = path if len(by_path(symbols, path)) == 1 else f"/{path}"  # other name paths end like it
    return Scope(path, symbol.first, symbol.last + 1)


# ── chunks ───────────────────────────────────────────────────────────────────────────────────────


def _insides(lines: list[str], by_scope: dict[Scope, list[LineChange]]) -> list[SymbolEdit]:
    """The changes of each symbol as chunks, or the symbol's new text if that is shorter than all chunks inside it."""
    insides = {scope: _chunks(lines, scope, changes) for scope, changes in by_scope.items()}
    for scope in sorted(by_scope, key=lambda one: one.first - one.end):
        inner = [one for one in insides if scope.first <= one.first and one.end <= scope.end]
        new = _new_symbol(lines, scope, by_scope, inner)
        if new and sum(_size(chunk) for one in inner for chunk in insides[one].chunks) > len(new) + 1:
            for one in inner:
                del insides[one]
            insides[scope] = SymbolEdit(scope.name, None, "replace", (), tuple(new))
    return list(insides.values())


def _new_symbol(
    lines: list[str], scope: Scope, by_scope: dict[Scope, list[LineChange]], inner: list[Scope]
) -> list[str]:
    """The new text of a symbol with the changes of inner ones; none if a change crosses its edge."""
    changes = sorted(change for one in inner for change in by_scope[one])
    every = (change for held in by_scope.values() for change in held)
    crosses = len(changes) < sum(scope.first < change.end and change.start < scope.end for change in every)
    new = [] if scope.name == _WHOLE or crosses else lines_after(lines, scope.first, scope.end, changes)
    return new if _is_symbol(new, indent_of(lines[scope.first])) else []


def _size(chunk: Chunk) -> int:
    """How many lines a chunk takes."""
    return 2 + sum(map(len, (chunk.before or (), chunk.old, chunk.new, chunk.after or ())))


def _is_symbol(new: list[str], pad: str) -> bool:
    """True if a text can replace a symbol: it begins at the same column, ends in text, and contains what it opens."""
    if not new or not new[0].strip() or not new[-1].strip() or indent_of(new[0]) != pad:
        return False
    below = next((line for line in new[1:] if line.strip()), "")
    return not new[0].rstrip().endswith(":") or len(indent_of(below)) > len(indent_of(new[0]))


def _chunks(lines: list[str], scope: Scope, changes: list[LineChange]) -> SymbolEdit:
    search = LineSearch(lines[scope.first : scope.end], str.rstrip)
    return SymbolEdit(scope.name, None, "chunks", tuple(_chunk(search, lines, scope, change) for change in changes))


def _chunk(search: LineSearch, lines: list[str], scope: Scope, change: LineChange) -> Chunk:
    """A change with the least context that makes it unique in its symbol, at least one line on either side.

    At an edge of the symbol there is none: that is a place by itself.
    """

    def is_unique(top: int, bottom: int) -> bool:
        is_edge = top == change.start or bottom == change.end
        return is_edge or search.is_unique(top - scope.first, bottom - scope.first)

    top, bottom = least_context(is_unique, (change.start, change.end), (scope.first, scope.end), (1, 1))
    old, new = tuple(lines[change.start : change.end]), tuple(change.new)
    return Chunk(tuple(lines[top : change.start]), old, new, tuple(lines[change.end : bottom]))


# ── JSON ─────────────────────────────────────────────────────────────────────────────────────────


def write(ops: tuple[Op, ...]) -> str:
    """Operations of the format as one list; Refused for any other."""
    return as_rows([_edit(op.path, inside) for op in ops for inside in _insides_of(op)])


def _insides_of(op: Op) -> list[SymbolEdit]:
    insides = [hunk for hunk in op.hunks if isinstance(hunk, SymbolEdit)] if isinstance(op, Edit) else []
    if not isinstance(op, Edit) or len(insides) < len(op.hunks) or op.mode:
        raise unsayable(op, "symbol-chunks")
    return insides


def _edit(path: str, inside: SymbolEdit) -> dict[str, object]:
    edit: dict[str, object] = {"relative_path": path}
    if inside.symbol:
        edit["name_path"] = inside.symbol
    if inside.at:
        edit["line"], edit["column"] = inside.at
    if inside.hash:
        edit["expected_hash"] = inside.hash
    if inside.action == "chunks":
        return edit | {"chunks": [_as_object(chunk) for chunk in inside.chunks]}
    edit["op"] = inside.action
    if inside.action == "rename":
        edit["new_name"] = inside.text[0]
    elif inside.action != "delete":
        edit["text"] = inside.text[0] if len(inside.text) == 1 else list(inside.text)
    return edit | ({"with_lead": True} if inside.lead else {})


def _as_object(chunk: Chunk) -> dict[str, object]:
    return {
        "context_before": _context(chunk.before),
        "old_lines": list(chunk.old),
        "new_lines": list(chunk.new),
        "context_after": _context(chunk.after),
    }


def _context(lines: tuple[str, ...] | None) -> str | list[str]:
    """One line as a string, several as a list; None, an edge or a blank line, as an empty string."""
    if lines is None:
        return ""
    return lines[0] if len(lines) == 1 and lines[0] else list(lines)
