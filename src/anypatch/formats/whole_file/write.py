"""Writes whole files in fences longer than any inside, and sentences for what only those say. Touches no file."""

from __future__ import annotations

from ...author.describe import unsayable
from ...model import Edit, Hunk, Op, Write
from ...parsing.paths import path_on


def write(ops: tuple[Op, ...], format: str = "whole-file") -> str:
    """The files in full."""
    return "\n".join(whole(op, format) for op in ops)


def whole(op: Op, format: str) -> str:
    """One file in full, or what a sentence says of it."""
    if isinstance(op, Edit) and len(op.hunks) == 1:
        hunk = op.hunks[0]
        if isinstance(hunk, Hunk) and hunk.whole_words:
            return f"In `{op.path}`, change `{hunk.old}` to `{hunk.new}`.\n"
        if isinstance(hunk, Hunk) and op.label == "insert" and len(hunk.old_lines) == 1:
            (line,), (_, *new) = hunk.old_lines, hunk.new_lines
            return f"In `{op.path}`, after `{line.strip()}`, add:\n\n{fenced(new)}"
    if isinstance(op, Write) and op.only == "end":
        return f"Add this to the end of `{op.path}`:\n\n{fenced(op.text.split(chr(10))[:-1])}"
    if isinstance(op, Write) and op.only == "part":
        return f"{_sentence(op)}\n\n{fenced(op.text.split(chr(10))[:-1])}"
    if not isinstance(op, Write) or op.text[-1:] not in ("", "\n"):
        raise unsayable(op, format)
    return f"{path_line(op, format)}\n{fenced(op.text.split(chr(10))[:-1])}"


def _sentence(op: Write) -> str:
    """The words above a part of a file that say what is to become of it."""
    told = op.told
    there = f" in the `{told.holder}` class" if told.holder else ""
    if told.to_file:
        return f"Add this to `{op.path}`:"
    if told.after or told.before:
        return f"In `{op.path}`, add this {'after' if told.after else 'before'} `{told.after or told.before}`{there}:"
    return f"In `{op.path}`, {'add' if told.is_new else 'change'} this{there}:"


def path_line(op: Op, format: str) -> str:
    """The path as it stands on the line above, so that it is told from other text."""
    for dressed in (op.path, f"`{op.path}`", f"File: `{op.path}`"):
        if path_on(dressed) == op.path:
            return dressed
    raise unsayable(op, format)


def fenced(lines: list[str]) -> str:
    """The lines in a fence with more backticks than any line begins with."""
    bare = [line.lstrip(" \t") for line in lines if "`" in line]
    fence = "`" * max(3, 1 + max((len(line) - len(line.lstrip("`")) for line in bare), default=0))
    return "\n".join([fence, *lines, fence, ""])
