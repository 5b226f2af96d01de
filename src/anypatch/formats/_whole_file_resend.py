"""Writes whole files back, as they were read. Touches no file."""

from __future__ import annotations

from ..model import FileChange, Op, Write
from ._say import unsayable
from ._whole_file_write import fenced, said_path


def document(ops: tuple[Op, ...], format: str = "whole-file") -> str:
    """The files in full."""
    return "\n".join(whole(op, format) for op in ops)


def whole(op: Op, format: str) -> str:
    """One file in full."""
    if not isinstance(op, Write) or op.text[-1:] not in ("", "\n"):
        raise unsayable(op, format)
    return f"{path_line(op, format)}\n" + fenced(op.text.split("\n")[:-1])


def path_line(op: Op, format: str) -> str:
    """The path as it stands above the fence."""
    return said_path(FileChange(op.path, None, None), format)
