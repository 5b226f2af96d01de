"""Writes symbol chunks: each change in the innermost symbol that contains it, or in the file. Touches no file."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ...author.context import LineSearch, least_context
from ...author.describe import unsayable
from ...author.line_changes import LineChange
from ...model import Chunk, Edit, Op, SymbolEdit
from ...syntax.symbols import by_path, declared
from ...text import Text
from ..json_edits.write import rows

if TYPE_CHECKING:
    from ...syntax.declarations import Declaration

_WHOLE = "/"


class Scope(NamedTuple):
    """Rows first..end of a file in which chunks are searched for: of a symbol, or all of them under the name "/"."""

    name: str
    first: int
    end: int


def operations(path: str, before: Text, changes: list[LineChange]) -> list[tuple[Op, ...]]:
    """Return the changed lines as chunks in their symbols, and in the whole file."""
    lines = before.lines
    symbols = declared(path, "\n".join(lines), damaged=True)
    ways: list[tuple[Op, ...]] = []
    for known in (symbols, []):
        by_scope: dict[Scope, list[LineChange]] = {}
        for change in changes:
            by_scope.setdefault(_innermost(known, change, len(lines)), []).append(change)
        ways.append((Edit(path, tuple(_symbol_edit(lines, scope, inner) for scope, inner in by_scope.items())),))
    return ways


def _innermost(symbols: list[Declaration], change: LineChange, size: int) -> Scope:
    """Return the smallest symbol that contains a change; new lines at its edge are not inside."""
    start, end = (change.start - 1, change.end + 1) if change.start == change.end else (change.start, change.end)
    around = [
        symbol for symbol in symbols
        if symbol.first <= start and end <= symbol.last + 1 and symbol.first < symbol.last
        and not (symbol.shared or symbol.damaged)
    ]  # fmt: skip
    if not around:
        return Scope(_WHOLE, 0, size)
    symbol = min(around, key=lambda symbol: symbol.last - symbol.first)
    path = symbol.name_path
    path = path if len(by_path(symbols, path)) == 1 else f"/{path}"  # other name paths end like it
    return Scope(path, symbol.first, symbol.last + 1)


def _symbol_edit(lines: list[str], scope: Scope, changes: list[LineChange]) -> SymbolEdit:
    search = LineSearch(lines[scope.first : scope.end], str.rstrip)
    return SymbolEdit(scope.name, None, "chunks", tuple(_chunk(search, lines, scope, change) for change in changes))


def _chunk(search: LineSearch, lines: list[str], scope: Scope, change: LineChange) -> Chunk:
    """Return a change with the least context that makes it unique in its symbol, at least one line on either side.

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
    """Return operations of the format as one list; raise Refused for any other."""
    return rows([_as_object(op.path, edit) for op in ops for edit in _symbol_edits(op)])


def _symbol_edits(op: Op) -> list[SymbolEdit]:
    edits = [hunk for hunk in op.hunks if isinstance(hunk, SymbolEdit)] if isinstance(op, Edit) else []
    if not isinstance(op, Edit) or len(edits) < len(op.hunks) or op.mode:
        raise unsayable(op, "symbol-chunks")
    return edits


def _as_object(path: str, edit: SymbolEdit) -> dict[str, object]:
    fields: dict[str, object] = {"relative_path": path}
    if edit.symbol:
        fields["name_path"] = edit.symbol
    if edit.at:
        fields["line"], fields["column"] = edit.at
    if edit.hash:
        fields["expected_hash"] = edit.hash
    if edit.action == "chunks":
        return fields | {"chunks": [_chunk_as_object(chunk) for chunk in edit.chunks]}
    fields["op"] = edit.action
    if edit.action == "rename":
        fields["new_name"] = edit.text[0]
    elif edit.action != "delete":
        fields["text"] = edit.text[0] if len(edit.text) == 1 else list(edit.text)
    return fields | ({"with_lead": True} if edit.lead else {})


def _chunk_as_object(chunk: Chunk) -> dict[str, object]:
    return {
        "context_before": _context(chunk.before),
        "old_lines": list(chunk.old),
        "new_lines": list(chunk.new),
        "context_after": _context(chunk.after),
    }


def _context(lines: tuple[str, ...] | None) -> str | list[str]:
    """Return one line as a string, several as a list; an edge or a blank line as an empty string."""
    if lines is None:
        return ""
    return lines[0] if len(lines) == 1 and lines[0] else list(lines)
