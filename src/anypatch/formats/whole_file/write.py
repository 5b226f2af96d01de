"""Writes whole files in fences longer than any inside. Touches no file."""

from __future__ import annotations

from ...answer.labels import path_on
from ...author.describe import unsayable
from ...model import Op, Write


def write(ops: tuple[Op, ...], format: str = "whole-file") -> str:
    """The files in full."""
    return "\n".join(whole(op, format) for op in ops)


def whole(op: Op, format: str) -> str:
    """One file in full."""
    if not isinstance(op, Write) or op.text[-1:] not in ("", "\n"):
        raise unsayable(op, format)
    return f"{path_line(op, format)}\n{fenced(op.text.split(chr(10))[:-1])}"


def path_line(op: Op, format: str) -> str:
    """Return the line above the contents, from which the path can be read."""
    for dressed in (op.path, f"`{op.path}`", f"<path>{op.path}</path>"):
        if path_on(dressed) == op.path:
            return dressed
    raise unsayable(op, format)


def fenced(lines: list[str]) -> str:
    """The lines in a fence with more backticks than any line begins with."""
    bare = [line.lstrip(" \t") for line in lines if "`" in line]
    fence = "`" * max(3, 1 + max((len(line) - len(line.lstrip("`")) for line in bare), default=0))
    return "\n".join([fence, *lines, fence, ""])
