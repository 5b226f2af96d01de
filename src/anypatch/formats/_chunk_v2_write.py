"""Writes Chunk v2: numbered commands for updates, whole-file commands for the rest. Touches no file."""

from __future__ import annotations

from ..model import FileChange
from ..text import decode
from ._say import Piece, check_sayable, pieces, refuse

_NAME = "chunk-v2"


def document(changes: tuple[FileChange, ...]) -> str:
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
    from .chunk_v2 import END, HEADER, is_command

    for line in content:
        if line.rstrip() == END or line.startswith(HEADER) or is_command(line):
            raise refuse(change, _NAME, f"a line that is a mark of the format itself: {line!r}")
        if line.endswith("\r"):
            raise refuse(change, _NAME, "line ends other than LF in new text")
    return "\n".join([f"=== file: {change.path} ===", f"--- {command}", *content, END, ""])
