"""Writes files with marks for what stays, if unique lines can anchor the parts. Touches no file."""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

from ...author.line_changes import LineChange, lines_after
from ...model import Edit, Merge, Op
from ...syntax.languages import language_of
from ...text import BLANK, Text, depth_of, is_blank
from ..whole_file.write import fenced, path_line, whole

_NAME = "elided"
_COMMENTS = {"c": ("// ", ""), "xml": ("<!-- ", " -->")}  # by the family of the language; others: "# "
# Words that, alone on a line, aren't an anchor to a reader.
_LONE = ("else", "pass", "done", "esac", "return", "break", "continue", "default")


class ShownRange(NamedTuple):
    """Rows start..end of the file before that are shown, with the changes in them."""

    start: int
    end: int
    changes: list[LineChange]


def operations(path: str, before: Text, changes: list[LineChange]) -> list[tuple[Op, ...]]:
    """Return the file with marks for what stays; nothing if its parts have no unique lines, or nothing is saved."""
    lines = before.lines
    if any(_loses_blanks(lines[start:end], new) for start, end, new in changes):
        return []
    shown, marks = [mark(path)], [0]
    for one in _anchored(lines, changes):
        shown += [*lines_after(lines, *one), mark(path)]
        marks.append(len(shown) - 1)
    size = len(lines) + sum(len(new) - (end - start) for start, end, new in changes)
    return [(Edit(path, (Merge(tuple(shown), tuple(marks)),)),)] if 1 < len(shown) < size else []


def _loses_blanks(old: list[str], new: list[str]) -> bool:
    """Return True if only white space at the end of a line changes: a reader ignores that."""
    bare = {line.rstrip(BLANK): line for line in old}
    return any(bare.get(line.rstrip(BLANK), line) != line for line in new)


def _anchored(lines: list[str], changes: list[LineChange]) -> list[ShownRange]:
    """The changes, each with a unique line above and one below; none if a change has no such lines."""
    counts = Counter(line.strip() for line in lines)
    ranges: list[ShownRange] = []
    for start, end, new in changes:
        above = next((row for row in range(start - 1, -1, -1) if _is_anchor(lines[row], counts)), -1)
        below = next((row for row in range(end, len(lines)) if _is_anchor(lines[row], counts)), -1)
        if above < 0 or below < 0:
            return []
        one = ShownRange(above, below + 1, [LineChange(start, end, new)])
        if ranges and above < ranges[-1].end:
            wider = ranges.pop()
            one = ShownRange(wider.start, below + 1, wider.changes + one.changes)
        ranges.append(one)
    return ranges if all(_stays_in_block(lines, one) for one in ranges) else []


def _is_anchor(line: str, counts: Counter[str]) -> bool:
    word = "".join(char for char in line if char.isalnum())
    return counts[line.strip()] == 1 and len(word) >= 4 and word not in _LONE


def _stays_in_block(before: list[str], one: ShownRange) -> bool:
    """True if no changed row is indented less than what follows it: otherwise a reader can't tell the blocks apart."""
    first, last = one.changes[0].start, one.changes[-1].end
    below = [depth_of(line) for line in before[last : one.end] if not is_blank(line)]
    return all(depth_of(line) >= max(below) for line in before[first:last] if not is_blank(line))


def mark(path: str) -> str:
    """The line that stands for what stays, as a comment of the file's language."""
    language = language_of(path)
    opener, closer = _COMMENTS.get(language.family if language else "", ("# ", ""))
    return f"{opener}... existing code ...{closer}"


def write(ops: tuple[Op, ...]) -> str:
    """The files with marks for what stays, or in full."""
    return "\n".join(_file(op) for op in ops)


def _file(op: Op) -> str:
    merge = op.hunks[0] if isinstance(op, Edit) and len(op.hunks) == 1 else None
    if not isinstance(merge, Merge):
        return whole(op, _NAME)
    return f"{path_line(op, _NAME)}\n{fenced(list(merge.shown))}"
