"""Line edits and indentation."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from ..diff import opcodes
from ..text import indent_of


class LineEdit(NamedTuple):
    """Rows `start` up to `stop` of a file become `lines`."""

    start: int
    stop: int
    lines: list[str]


class Unplaced(Exception):
    """A sketch has no clear place in its file. The message says why, as a clause without a full stop."""


class Ambiguous(Unplaced):
    """A sketch has several places in its file."""


def apply_edits(lines: Sequence[str], edits: Iterable[LineEdit]) -> list[str]:
    """Return the file's lines with all edits made. They don't overlap; insertions at one row keep their order."""
    result: list[str] = []
    row = 0
    for edit in sorted(edits, key=lambda edit: (edit.start, edit.stop)):
        result += lines[row : edit.start]
        result += edit.lines
        row = edit.stop
    return result + list(lines[row:])


def smallest(lines: Sequence[str], edits: Iterable[LineEdit]) -> list[LineEdit]:
    """Reduce edits to the lines that really change: a function with one new line becomes an edit of that line."""
    changes = []
    for edit in edits:
        for start, stop, first, last in opcodes(lines[edit.start : edit.stop], edit.lines):
            changes.append(LineEdit(edit.start + start, edit.start + stop, edit.lines[first:last]))
    return sorted(changes, key=lambda edit: (edit.start, edit.stop))


def common_indent(lines: Iterable[str]) -> str:
    """Return the shortest indentation of the lines that aren't blank."""
    return min((indent_of(line) for line in lines if line.strip()), key=len, default="")


def shifted(lines: Sequence[str], before: str, after: str) -> list[str]:
    """Indent all lines alike, so that one indented by `before` is indented by `after`."""
    if after.startswith(before):
        more = after[len(before) :]
        return [more + line if line else line for line in lines]
    if before.startswith(after):
        return [line.removeprefix(before[len(after) :]) for line in lines]
    return [after + line.removeprefix(before) if line.startswith(before) else line for line in lines]


def without_blank_ends(lines: Sequence[str]) -> list[str]:
    """Return the lines without blank ones at the top and at the bottom."""
    filled = [row for row, line in enumerate(lines) if line.strip()]
    return list(lines[filled[0] : filled[-1] + 1]) if filled else []


def has_word(line: str) -> bool:
    """Return True if a line holds more than brackets and other signs."""
    return bool(re.search(r"\w", line))
