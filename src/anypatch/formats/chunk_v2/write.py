"""Writes Chunk v2: numbered commands for updates, whole-file commands for the rest. Touches no file."""

from __future__ import annotations

from collections.abc import Collection

from ...author.describe import Piece, check_sayable, pieces, refuse, unsayable
from ...model import Delete, Edit, FileChange, Hunk, Op, Write
from ...text import decode
from .read import END, HEADER, is_command

_NAME = "chunk-v2"


def render(changes: tuple[FileChange, ...], wide: Collection[str] = ()) -> str:
    """The changes as sections."""
    return "\n".join(part for change in changes for part in _change(change))


def _change(change: FileChange) -> list[str]:
    check_sayable(change, _NAME)
    if "===" in change.path:
        raise refuse(change, _NAME, "the path holds `===`")
    if change.after is None:
        return [_section(change, "delete-file", [])]
    found = None if change.before is None else pieces(change)
    if found is not None:
        return [_section(change, *_command(piece)) for piece in found]
    return [_section(change, "create-file", _content(change))]


def _command(piece: Piece) -> tuple[str, list[str]]:
    if piece.start == piece.end:
        return f"insert-after {piece.start - 1}", piece.new
    word = "replace" if piece.new else "delete"
    return f"{word} {piece.start}:{piece.end - 1}", piece.new


def _content(change: FileChange) -> list[str]:
    assert change.after is not None
    text = decode(change.after.data)
    if text and not text.endswith("\n"):
        raise refuse(change, _NAME, "a new text without a final line end")
    return text.split("\n")[:-1]


def _section(change: FileChange, command: str, content: list[str]) -> str:
    for line in content:
        if line.rstrip() == END or line.startswith(HEADER) or is_command(line):
            raise refuse(change, _NAME, f"a line that is a mark of the format itself: {line!r}")
        if line.endswith("\r"):
            raise refuse(change, _NAME, "line ends other than LF in new text")
    return "\n".join([f"=== file: {change.path} ===", f"--- {command}", *content, END, ""])


# ── chunk v2 resend ─────────────────────────────────────────────────────────────────────────────────


def write(ops: tuple[Op, ...]) -> str:
    """The operations as sections."""
    return "\n".join(section for op in ops for section in _sections(op))


def _sections(op: Op) -> list[str]:
    if isinstance(op, Delete):
        return [_written_section(op, "delete-file", [])]
    if isinstance(op, Write):
        if op.text[-1:] not in ("", "\n"):
            raise unsayable(op, _NAME)
        return [_written_section(op, "create-file", op.text.split("\n")[:-1])]
    if not isinstance(op, Edit):
        raise unsayable(op, _NAME)
    return [_written_section(op, *_written_command(hunk, op)) for hunk in op.hunks]


def _written_command(hunk: object, op: Edit) -> tuple[str, list[str]]:
    if not isinstance(hunk, Hunk):
        raise unsayable(op, _NAME)
    where, added = hunk.where, [text for tag, text in hunk.lines if tag == "+"]
    if not hunk.old:
        if where.last < where.line:
            return f"insert-after {where.last - 1}", added
        return f"{'replace' if added else 'delete'} {where.line - 1}:{where.last - 1}", added
    parts = (("BEFORE:", where.before), ("MARKER:", hunk.old), ("AFTER:", where.after))
    labelled = [line for label, lines in parts for line in (label, *lines)]
    return op.label, [*(labelled if where.before or where.after else hunk.old), "---", *added]


def _written_section(op: Op, command: str, content: list[str]) -> str:
    return "\n".join([f"=== file: {op.path} ===", f"--- {command}", *content, "=END=", ""])
