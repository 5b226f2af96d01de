"""Which lines of a text change, and what the text is after that. Knows no context and no operation."""

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


def line_changes(before: Text, after: Text, format: Format) -> list[LineChange] | None:
    """Return what differs; in as few places as possible if all lines end alike, else equal lines may end differently.

    Return None if the new lines, with the line endings that a reader gives them, would not make the text after.
    """
    writing = format.writing
    if writing.eol == "majority" and (not before.lines or any("\r" in line for line in (*before.lines, *after.lines))):
        return None
    # If a hunk can say so, a last line without a newline equals none that has one.
    says_final = writing.update == "hunks" and "final_newline" in format.can
    old, new = (_keys(text) if says_final else text.lines for text in (before, after))
    ranges = opcodes(old, new)
    if len({*before.ends, *after.ends} - {""}) <= 1:
        ranges = compact(ranges, old, new)
    changes = [LineChange(start, end, after.lines[new_start:new_end]) for start, end, new_start, new_end in ranges]
    result = apply_changes(before, changes, writing.eol, after.final if says_final else None)
    return changes if (result.lines, result.ends, result.bom) == (after.lines, after.ends, after.bom) else None


def _keys(text: Text) -> list[Hashable]:
    keys: list[Hashable] = [*text.lines]
    if not text.final:
        keys[-1] = (keys[-1],)
    return keys


def apply_changes(before: Text, changes: Sequence[LineChange], eol: str, final: bool | None = None) -> Text:
    """Return the changed text; new lines get the endings of the lines that they replace, or the usual one."""
    return before.apply([before.replaced_rows(*change, own_ends=eol != "majority") for change in changes], final)


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


def ends_alike(text: Text) -> bool:
    """Return True if all lines have the same ending: then the ending of a new line is never in doubt."""
    return len(set(text.ends) - {""}) <= 1


def endings_as_read(before: Text, changes: Sequence[LineChange], eol: str, final: bool | None = None) -> list[str]:
    """Return the line endings after changes, for a reader that compares old and new lines: equal ones keep theirs."""
    smaller: list[LineChange] = []
    for start, end, new in changes:
        for low, high, new_low, new_high in opcodes(before.lines[start:end], new):
            smaller.append(LineChange(start + low, start + high, new[new_low:new_high]))
    return apply_changes(before, smaller, eol, final).ends
