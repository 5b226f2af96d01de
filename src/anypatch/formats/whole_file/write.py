"""Writes whole files in fences longer than any inside. Touches no file."""

from __future__ import annotations

from collections.abc import Collection

from ...author.describe import check_sayable, refuse, unsayable
from ...diff import rewritten
from ...model import FileChange, Op, Write
from ...parsing.paths import path_on
from ...text import decode

_NAME = "whole-file"


def render(changes: tuple[FileChange, ...], wide: Collection[str] = ()) -> str:
    """The changed files in full."""
    return "\n".join(whole(change, _NAME) for change in changes)


def whole(change: FileChange, format: str) -> str:
    """One file in full; Refused where a reader would not get these very bytes."""
    check_sayable(change, format)
    if change.after is None:
        raise refuse(change, format, "it can't delete files")
    lines = _lines(change, format)
    made = f"{said_path(change, format)}\n" + fenced(lines)
    read = _read(made)
    if read is None or read.text != "".join(line + "\n" for line in lines) or read.path != change.path:
        raise refuse(change, format, "the contents can't be told from the text around them")
    return made


def fenced(lines: list[str]) -> str:
    """The lines in a fence with more backticks than any line begins with."""
    most = max((_ticks(line) for line in lines), default=0)
    fence = "`" * max(3, most + 1)
    return "\n".join([fence, *lines, fence, ""])


def said_path(change: FileChange, format: str) -> str:
    """The path as it stands on the line above."""
    for dressed in (change.path, f"`{change.path}`", f"File: `{change.path}`"):
        if path_on(dressed) == change.path:
            return dressed
    raise refuse(change, format, "the path can't be told from other text")


def _lines(change: FileChange, format: str) -> list[str]:
    """The new contents as lines, if those and what the file has already give the very bytes."""
    assert change.after is not None
    text = decode(change.after.data)
    if change.before is None:
        if text and not text.endswith("\n"):
            raise refuse(change, format, "a new text without a final line end")
        return text.split("\n")[:-1]
    from ...author.describe import lines_of

    lines = lines_of(change.after.data).lines
    if rewritten(change.before.data, lines) != change.after.data:
        raise refuse(change, format, "its line ends, its BOM or its final line end change")
    return lines


def _ticks(line: str) -> int:
    bare = line.lstrip(" \t")
    return len(bare) - len(bare.lstrip("`"))


def _read(made: str) -> Write | None:
    from .read import parse

    said = parse(made)
    op = said.ops[0] if len(said.ops) == 1 and not said.problems else None
    return op if isinstance(op, Write) else None


# ── whole file resend ───────────────────────────────────────────────────────────────────────────────


def write(ops: tuple[Op, ...], format: str = "whole-file") -> str:
    """The files in full."""
    return "\n".join(written_whole(op, format) for op in ops)


def written_whole(op: Op, format: str) -> str:
    """One file in full."""
    if not isinstance(op, Write) or op.text[-1:] not in ("", "\n"):
        raise unsayable(op, format)
    return f"{path_line(op, format)}\n" + fenced(op.text.split("\n")[:-1])


def path_line(op: Op, format: str) -> str:
    """The path as it stands above the fence."""
    return said_path(FileChange(op.path, None, None), format)
