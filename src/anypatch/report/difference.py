"""Show the lines of the file near a problem, and how the old lines of a hunk differ from them. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from ..diff import opcodes
from ..text import BLANK
from .words import LONG, clipped, numbered, old_lines_of, quoted

if TYPE_CHECKING:
    from ..problems import Problem
    from ..result import Result

LEGEND = "· is a space, → a tab, ⍽ another kind of space"
_COMPARED, _ABOVE = 24, 3  # lines that are shown in all, and above the first difference
_PLAIN = 80  # characters up to which a line is quoted whole
_ZERO_WIDTH = "\u200b\u200c\u200d\u2060\ufeff\u00ad"  # invisible, though isspace() is False


class Difference(NamedTuple):
    """The first line of the file that differs from the patch (1-based), as the file has it and as the patch has it."""

    line: int
    in_file: str
    in_patch: str


def first_difference(problem: Problem, report: Result) -> Difference | None:
    """Return where the old lines of the hunk first differ from the nearest region; None if that isn't clear."""
    if problem.kind != "not_found" or len(problem.near) != 1:
        return None
    near, old = problem.near[0], old_lines_of(problem, report)
    if not old or not near.lines or _begins_with(near.lines[1:], old):
        return None
    rows = [(near.line + at, line) for at, line in enumerate(near.lines) if line.strip(BLANK)]
    pairs = [Difference(row, in_file, in_patch) for (row, in_file), in_patch in zip(rows, old, strict=False)]
    inside = next((pair for pair in pairs if pair.in_file.strip(BLANK) != pair.in_patch.strip(BLANK)), None)
    return inside or next((pair for pair in pairs if pair.in_file != pair.in_patch), None)


class Comparison(NamedTuple):
    """Lines of the patch ("-") and of the nearest region of the file ("+"), and the line of the file they begin at.

    `marked` means that white space is made visible in them.
    """

    line: int
    rows: list[tuple[str, str]]
    marked: bool


def compare(problem: Problem, report: Result) -> Comparison | None:
    """Compare the old lines of the hunk with the region nearest to them; None if there is nothing to compare."""
    if first_difference(problem, report) is None:
        return None
    old, new = old_lines_of(problem, report, blank=True), [*problem.near[0].lines]
    while not old[0].strip(BLANK):  # the region begins with a line that isn't blank
        old.pop(0)
    old, new, ranges = _same_extent(old, new)
    first = max(ranges[0][0] - _ABOVE, 0)
    rows: list[tuple[str, str]] = []
    at, marked = first, False
    for start, end, new_start, new_end in ranges:
        rows += [(" ", line) for line in old[at:start]]
        before, after = old[start:end], new[new_start:new_end]
        pairs = [visible(b, a) for a, b in zip(filter(str.strip, before), filter(str.strip, after), strict=False)]
        shown = _with_marks(before, [a for _, a in pairs]), _with_marks(after, [b for b, _ in pairs])
        marked = marked or shown != (before, after)
        rows += [("-", line) for line in shown[0]] + [("+", line) for line in shown[1]]
        at = end
    rows += [(" ", line) for line in old[at:]]
    return Comparison(problem.near[0].line + first, rows[:_COMPARED], marked)


def _with_marks(lines: list[str], marked: list[str]) -> list[str]:
    """Return the lines, with the marked ones in the place of those that aren't blank."""
    left = iter(marked)
    return [next(left, line) if line.strip() else line for line in lines]


def _same_extent(old: list[str], new: list[str]) -> tuple[list[str], list[str], list[tuple[int, int, int, int]]]:
    """Cut the old lines or the region to what both show, and return the ranges in which they differ."""
    old_rows, new_rows = ([row for row, line in enumerate(lines) if line.strip(BLANK)] for lines in (old, new))
    is_cut = len(new_rows) < len(old_rows)
    if is_cut:  # the region ends before the hunk does: what is below it isn't missing
        old = old[: old_rows[len(new_rows) - 1] + 1]
    else:  # the region shows lines below the hunk, too
        least = new_rows[len(old_rows) - 1]
        more = [row for row in new_rows if row > least and new[row].strip(BLANK) == old[-1].strip(BLANK)]
        new = new[: (more[0] if more else least) + 1]
    ranges = opcodes(old, new)
    if is_cut and len(ranges) > 1 and (ranges[-1][1] == len(old) or ranges[-1][3] == len(new)):
        old = old[: ranges.pop()[0]]
    return old, new, ranges


def side_by_side(difference: Difference) -> tuple[str, str] | None:
    """Return the line of the file and of the patch, if a plain quotation wouldn't show how they differ."""
    _, in_file, in_patch = difference
    marked = visible(in_file, in_patch)
    if marked == (in_file, in_patch) and max(len(in_file), len(in_patch)) <= _PLAIN:
        return None
    start = _window(in_file, in_patch)
    return _cut(marked[0], start), _cut(marked[1], start)


def visible(first: str, second: str) -> tuple[str, str]:
    """Return two lines with marks for the white space in which they differ."""
    runs, other_runs = _runs(first), _runs(second)
    if runs[1::2] != other_runs[1::2]:
        return _odd_spaces(first), _odd_spaces(second)
    for at in range(0, len(runs), 2):
        if runs[at] != other_runs[at]:
            runs[at], other_runs[at] = _marks(runs[at]), _marks(other_runs[at])
    return "".join(runs), "".join(other_runs)


def _window(first: str, second: str) -> int:
    """Return the column from which two long lines are shown, so that their first difference is visible."""
    if max(len(first), len(second)) <= LONG:
        return 0
    pairs = enumerate(zip(first, second, strict=False))
    column = next((at for at, (a, b) in pairs if a != b), min(len(first), len(second)))
    return max(column - LONG // 3, 0)


def _cut(line: str, start: int) -> str:
    end = start + LONG
    return ("…" if start else "") + line[start:end] + ("…" if end < len(line) else "")


def _begins_with(lines: Sequence[str], old: list[str]) -> bool:
    """Return True if a region begins with the old lines: then it shows what is around them, not what differs."""
    solid = [line.strip(BLANK) for line in lines if line.strip(BLANK)]
    return bool(solid) and all(line == other.strip(BLANK) for line, other in zip(solid, old, strict=False))


def _runs(text: str) -> list[str]:
    """Split a line into white space (at even indexes) and words (at odd ones)."""
    core = text.strip()
    lead = text[: len(text) - len(text.lstrip())]
    return [lead, *re.split(r"(\s+)", core), text[len(lead) + len(core) :]]


def _marks(blanks: str) -> str:
    return "".join([{" ": "·", "\t": "→"}.get(character, "⍽") for character in blanks])


def _odd_spaces(text: str) -> str:
    """Mark the white space that is neither a space nor a tab."""
    return "".join(["⍽" if c in _ZERO_WIDTH or (c.isspace() and c not in " \t") else c for c in text])


# ── the lines near a problem ─────────────────────────────────────────────────────────────────────


def lines_near(problem: Problem, report: Result, most: int) -> list[tuple[str, str]]:
    """Return the lines near a problem, or what was looked for, with their styles; `most` of each region."""
    if not problem.near:
        wanted = old_lines_of(problem, report)[:1] if problem.kind == "not_found" else []
        return [("", f"  looked for: {clipped(quoted(line.strip(BLANK)))}") for line in wanted]
    difference = first_difference(problem, report)
    lines: list[tuple[str, str]] = []
    for near in problem.near:
        title = "it fits here" if problem.kind == "ambiguous" else "closest match"
        title = clipped(quoted(near.note), 2 * LONG) or title
        if not near.lines and not near.note:
            title += f": line {near.line}"
        lines.append(("dim", f"  {title}:" if near.lines else f"  {title}"))
        lines += [("", text) for text in numbered(near.line, near.lines, most, difference.line if difference else 0)]
    both = side_by_side(difference) if difference else None
    if difference and both:
        lines.append(("dim", f"  line {difference.line} with its whitespace made visible ({LEGEND}):"))
        lines += [("", f"  file : {both[0]}"), ("", f"  patch: {both[1]}")]
    return lines
