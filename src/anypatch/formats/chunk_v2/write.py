"""Writes Chunk v2: a section for each command, by line numbers or by text. Touches no file."""

from __future__ import annotations

from ...author.describe import unsayable
from ...model import Delete, Edit, Hunk, Op, Write

_NAME = "chunk-v2"


def write(ops: tuple[Op, ...]) -> str:
    """The operations as sections."""
    return "\n".join(section for op in ops for section in _sections(op))


def _sections(op: Op) -> list[str]:
    if isinstance(op, Delete):
        return [_section(op, "delete-file", [])]
    if isinstance(op, Write) and op.text[-1:] in ("", "\n"):
        return [_section(op, "create-file", op.text.split("\n")[:-1])]
    if not isinstance(op, Edit):
        raise unsayable(op, _NAME)
    return [_section(op, *_command(hunk, op)) for hunk in op.hunks]


def _command(hunk: object, op: Edit) -> tuple[str, list[str]]:
    """The command for a hunk, and its contents."""
    if not isinstance(hunk, Hunk):
        raise unsayable(op, _NAME)
    claims, added = hunk.claims, [text for tag, text in hunk.lines if tag == "+"]
    if not hunk.old:
        if claims.last < claims.line:
            return f"insert-after {claims.last - 1}", added
        return f"{'replace' if added else 'delete'} {claims.line - 1}:{claims.last - 1}", added
    parts = (("BEFORE:", claims.before), ("MARKER:", hunk.old_lines), ("AFTER:", claims.after))
    labelled = [line for label, lines in parts for line in (label, *lines)]
    return op.label, [*(labelled if claims.before or claims.after else hunk.old_lines), "---", *added]


def _section(op: Op, command: str, content: list[str]) -> str:
    return "\n".join([f"=== file: {op.path} ===", f"--- {command}", *content, "=END=", ""])
