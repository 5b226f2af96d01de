"""Writes operations back as a "*** Begin Patch", hunk for hunk as they were read. Touches no file."""

from __future__ import annotations

from ..model import Delete, Edit, Hunk, Move, Op, Write
from ._say import unsayable

_NAME = "begin-patch"
_NO_NEWLINE = "\\ No newline at end of file"


def document(ops: tuple[Op, ...]) -> str:
    """The operations as one patch."""
    return "\n".join(["*** Begin Patch", *(line for op in ops for line in _section(op)), "*** End Patch", ""])


def _section(op: Op) -> list[str]:
    if isinstance(op, Write):
        *lines, last = op.text.split("\n")
        tail = [f"+{last}", _NO_NEWLINE] if last else []
        return [f"*** Add File: {op.path}", *(f"+{line}" for line in lines), *tail]
    if isinstance(op, Delete):
        return [f"*** Delete File: {op.path}", *(f"-{line}" for line in op.old)]
    if isinstance(op, Move):
        return [f"*** Update File: {op.path}", f"*** Move to: {op.to}"]
    return [f"*** Update File: {op.path}", *(line for hunk in op.hunks for line in _hunk(hunk, op))]


def _hunk(hunk: object, op: Edit) -> list[str]:
    if not isinstance(hunk, Hunk):
        raise unsayable(op, _NAME)
    lines = [tag + text for tag, text in hunk.lines]
    where = hunk.where
    unended = {"made": "-", "lost": "+"}.get(where.final)
    if unended:
        last = max((at for at, (tag, _) in enumerate(hunk.lines, 1) if tag == unended), default=len(lines))
        lines.insert(last, _NO_NEWLINE)
    return [*_head(hunk), *lines, *["*** End of File"] * (where.at_end and not unended)]


def _head(hunk: Hunk) -> list[str]:
    """Its headers: numbers stand in the first one."""
    where, under = hunk.where, list(hunk.where.under)
    numbers = ""
    if where.line:
        numbers = f"-{where.line},{where.last - where.line + 1} +{where.line},{len(hunk.new)} @@ "
    first = f"@@ {numbers}{under.pop(0) if under else ''}".rstrip()
    return [first, *(f"@@ {text}" for text in under)]
