"""Writes symbol chunks: each change inside the innermost symbol that holds it, else in the file. Touches no file."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ...author.context import LineSearch, least_context
from ...author.describe import unsayable
from ...author.line_changes import LineChange, lines_after
from ...model import Chunk, Edit, Inside, Op
from ...text import Text, indent_of
from ..json_edits.write import rows as as_rows

if TYPE_CHECKING:
    from ...syntax.symbols import Symbol


_WHOLE = "/"


class Scope(NamedTuple):
    """Rows first..end of a file, where chunks are looked for: those of a symbol, or all of them under the name "/"."""

    name: str
    first: int
    end: int


def operations(path: str, before: Text, pieces: list[LineChange], wide: bool) -> tuple[Op, ...]:
    """The changed lines as chunks in their symbols; `wide`: in the whole file."""
    from ...syntax.symbols import declared

    symbols = [] if wide else declared(path, "\n".join(before.lines), damaged=True)
    by_scope: dict[Scope, list[LineChange]] = {}
    for piece in pieces:
        by_scope.setdefault(_innermost(symbols, piece, len(before.lines)), []).append(piece)
    return (Edit(path, tuple(_insides(before.lines, by_scope))),)


# ── symbols ──────────────────────────────────────────────────────────────────────────────────────


def _innermost(symbols: list[Symbol], piece: LineChange, size: int) -> Scope:
    """The smallest symbol that holds all of a piece; new lines at its very edge are not inside."""
    start, end = (piece.start - 1, piece.end + 1) if piece.start == piece.end else (piece.start, piece.end)
    holding = [
        one for one in symbols
        if one.first <= start and end <= one.last + 1 and one.first < one.last and not (one.shared or one.damaged)
    ]  # fmt: skip
    if not holding:
        return Scope(_WHOLE, 0, size)
    from ...syntax.symbols import by_path

    symbol = min(holding, key=lambda one: one.last - one.first)
    path = symbol.name_path
    path = path if len(by_path(symbols, path)) == 1 else f"/{path}"  # it is the end of others' too
    return Scope(path, symbol.first, symbol.last + 1)


# ── chunks ───────────────────────────────────────────────────────────────────────────────────────


def _insides(lines: list[str], by_scope: dict[Scope, list[LineChange]]) -> list[Inside]:
    """The changes of each symbol as chunks; a symbol's new text instead where that is shorter than all inside it."""
    made = {scope: _chunks(lines, scope, held) for scope, held in by_scope.items()}
    every = [piece for held in by_scope.values() for piece in held]
    for scope in sorted(by_scope, key=lambda one: one.first - one.end):
        inner = [one for one in made if scope.first <= one.first and one.end <= scope.end]
        held = sorted(piece for one in inner for piece in by_scope[one])
        new = lines_after(lines, scope.first, scope.end, held)
        told = sum(2 + len(chunk.old) + len(chunk.new) for one in inner for chunk in made[one].chunks)
        told += sum(len(chunk.before or ()) + len(chunk.after or ()) for one in inner for chunk in made[one].chunks)
        torn = len(held) < sum(scope.first < piece.end and piece.start < scope.end for piece in every)
        if scope.name != _WHOLE and not torn and told > len(new) + 1 and _is_symbol(new, indent_of(lines[scope.first])):
            for one in inner:
                del made[one]
            made[scope] = Inside(scope.name, None, "replace", (), tuple(new))
    return list(made.values())


def _is_symbol(new: list[str], pad: str) -> bool:
    """Whether a text can take a symbol's place: it begins where that does, ends in text, and holds what it opens."""
    if not new or not new[0].strip() or not new[-1].strip() or indent_of(new[0]) != pad:
        return False
    below = next((line for line in new[1:] if line.strip()), "")
    return not new[0].rstrip().endswith(":") or len(indent_of(below)) > len(indent_of(new[0]))


def _chunks(lines: list[str], scope: Scope, held: list[LineChange]) -> Inside:
    letters = LineSearch(lines[scope.first : scope.end], str.rstrip)
    return Inside(scope.name, None, "chunks", tuple(_chunk(letters, lines, scope, piece) for piece in held))


def _chunk(letters: LineSearch, lines: list[str], scope: Scope, piece: LineChange) -> Chunk:
    """A piece with as few lines around it as leave one place in its symbol, and at least one on either side.

    Only at an edge of the symbol there is none: that is a place by itself.
    """

    def alone(top: int, bottom: int) -> bool:
        edge = top == piece.start or bottom == piece.end
        return edge or letters.is_unique(top - scope.first, bottom - scope.first)

    top, bottom = least_context(alone, (piece.start, piece.end), (scope.first, scope.end), (1, 1))
    old, new = tuple(lines[piece.start : piece.end]), tuple(piece.new)
    return Chunk(tuple(lines[top : piece.start]), old, new, tuple(lines[piece.end : bottom]))


# ── JSON ─────────────────────────────────────────────────────────────────────────────────────────


def write(ops: tuple[Op, ...]) -> str:
    """Operations of the format as one list; Refused for any other."""
    return as_rows([_edit(op.path, said) for op in ops for said in _inside(op)])


def _inside(op: Op) -> list[Inside]:
    found = [said for said in op.hunks if isinstance(said, Inside)] if isinstance(op, Edit) else []
    if not isinstance(op, Edit) or len(found) < len(op.hunks) or op.mode:
        raise unsayable(op, "symbol-chunks")
    return found


def _edit(path: str, said: Inside) -> dict[str, object]:
    made: dict[str, object] = {"relative_path": path}
    if said.symbol:
        made["name_path"] = said.symbol
    if said.at:
        made["line"], made["column"] = said.at
    if said.hash:
        made["expected_hash"] = said.hash
    if said.deed == "chunks":
        return made | {"chunks": [_said(chunk) for chunk in said.chunks]}
    made["op"] = said.deed
    if said.deed == "rename":
        made["new_name"] = said.text[0]
    elif said.deed != "delete":
        made["text"] = said.text[0] if len(said.text) == 1 else list(said.text)
    return made | ({"with_lead": True} if said.lead else {})


def _said(chunk: Chunk) -> dict[str, object]:
    return {
        "context_before": _context(chunk.before),
        "old_lines": list(chunk.old),
        "new_lines": list(chunk.new),
        "context_after": _context(chunk.after),
    }


def _context(lines: tuple[str, ...] | None) -> str | list[str]:
    """One line as a text, several as a list; an empty text is an edge or a blank line, which only None means."""
    if lines is None:
        return ""
    return lines[0] if len(lines) == 1 and lines[0] else list(lines)
