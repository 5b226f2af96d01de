"""Which lines of a text change, and what they are after that. Knows no context and no operation."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from ..diff import compact, opcodes
from ..text import Text

if TYPE_CHECKING:
    from ..formats import Format


class LineChange(NamedTuple):
    """Lines start..end of the file before become `new`."""

    start: int
    end: int
    new: list[str]


def line_changes(before: Text, after: Text, format: Format) -> list[LineChange]:
    """Return the lines that differ: in as few places as possible if all lines end alike, else equal lines may not."""
    # If a hunk can say so, a last line without a newline equals none that has one.
    says_final = format.writing.update == "hunks" and "final_newline" in format.can
    old, new = (_keys(text) if says_final else text.lines for text in (before, after))
    ranges = opcodes(old, new)
    if len({*before.ends, *after.ends} - {""}) <= 1:
        ranges = compact(ranges, old, new)
    return [LineChange(start, end, after.lines[new_start:new_end]) for start, end, new_start, new_end in ranges]


def _keys(text: Text) -> list[Hashable]:
    keys: list[Hashable] = [*text.lines]
    if not text.final:
        keys[-1] = (keys[-1],)
    return keys


def lines_after(lines: list[str], start: int, end: int, changes: Sequence[LineChange]) -> list[str]:
    """Return lines start..end of a file after changes, all of which are in there."""
    new: list[str] = []
    for change in changes:
        new += [*lines[start : change.start], *change.new]
        start = change.end
    return [*new, *lines[start:end]]


def join_near(changes: Sequence[LineChange], lines: list[str], gap: int) -> list[LineChange]:
    """Join changes with at most `gap` lines between them: to name two places costs more than those lines."""
    joined: list[LineChange] = []
    for start, end, new in changes:
        if joined and start - joined[-1].end <= gap:
            first, last, earlier = joined.pop()
            joined.append(LineChange(first, end, [*earlier, *lines[last:start], *new]))
        else:
            joined.append(LineChange(start, end, [*new]))
    return joined
