"""Tell which line of a sketch is which line of a file: the cheapest way to lay the one over the other.

The search compares every line of the sketch with every row, so it is only done in small windows: a long sketch is first
cut at the ends of its parts that the file has once.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

from ..similarity import ALIKE_ENDS, ends_alike
from ..text import indent_of
from .edits import Unplaced, has_word
from .source import SourceFile

# The costs of the steps of an alignment.
_DROP = 0.4  # to drop a run of the file's lines inside a part,
_DROP_LINE = 0.1  # for each line of it,
_DROP_ANY = 3.0  # at most;
_INSERT_INSIDE = 0.1  # to insert a line, as a share of inserting one at an end of a part, which the file should have;
_INSERT_BLANK = 0.02  # or nothing at all;
_EDGE = 3  # that many lines are such an end;
_WRONG_INDENT = 0.05  # to match a line that is indented differently.

_LARGEST, _WORK = 300_000, 1_500_000  # lines times rows of one window, and of all: what is larger isn't compared
_REACH = 200  # rows that are looked at beyond the first and the last cut, if no mark is there
_NEVER = float("inf")

Rows = list[int | None]
Costs = list[list[tuple[int, float]]]


class _Task(NamedTuple):
    """A sketch to align with a file: rows that are known, what it costs to insert a line, and the ends of its parts."""

    body: Sequence[str]
    source: SourceFile
    marks: frozenset[int]
    pinned: Mapping[int, int | None]
    inserting: list[float]
    edges: set[int]


class _Window(NamedTuple):
    """Lines of the sketch and rows of the file to align. A side that is `fixed` borders on a cut."""

    body: range
    rows: range
    fixed_start: bool
    fixed_end: bool


def align(
    body: Sequence[str],
    source: SourceFile,
    scope: range,
    marks: frozenset[int],
    pinned: Mapping[int, int | None],
    certain: Mapping[int, int],
) -> Rows:
    """For each line of a sketch, find its row in the file, within `scope`; None if it is new (or a mark).

    A line may equal the file's or, at the ends of a part, resemble it; it costs something to insert a line, or to drop
    some of the file's. At a mark, and around the whole sketch, any number of rows is skipped for nothing. So one
    changed line between two known ones goes where they are, and a line that occurs many times goes where its
    neighbours do. `pinned` gives the row of some lines, as a function's header has that of the function's name, or
    None if they are known to be new; the rows of those in `certain` rise, and the sketch is cut there.
    """
    rows: Rows = [certain.get(at) for at in range(len(body))]
    windows = _windows(len(body), scope, sorted(certain.items()), marks)
    sizes = [len(window.body) * len(window.rows) for window in windows]
    if max(sizes, default=0) > _LARGEST or sum(sizes) > _WORK:
        raise Unplaced("too many of its lines are in the file more than once to tell their places apart")
    edges = _edges(body, marks)
    inserting = [_insert_cost(line) * (1.0 if at in edges else _INSERT_INSIDE) for at, line in enumerate(body)]
    task = _Task(body, source, marks, pinned, inserting, edges)
    for window in windows:
        rows[window.body.start : window.body.stop] = _align_window(task, window)
    return rows


# ── windows ────────────────────────────────────────────────────────────────────────────────────────


def only_row(source: SourceFile, key: str, scope: range) -> int | None:
    """Return the row of a line that the scope has once; None for brackets alone."""
    if not has_word(key):
        return None
    rows = source.rows.get(key, [])
    first = bisect_left(rows, scope.start)
    inside = rows[first : first + 2]
    inside = [row for row in inside if row in scope]
    return inside[0] if len(inside) == 1 else None


def _windows(size: int, scope: range, cuts: list[tuple[int, int]], marks: frozenset[int]) -> list[_Window]:
    """List what is left to align between the cuts; windows without a line aside from marks are left out."""
    windows = []
    ends = [(-1, scope.start - 1), *cuts, (size, scope.stop)]
    for number, ((at, row), (next_at, next_row)) in enumerate(pairwise(ends)):
        lines, rows = range(at + 1, next_at), range(row + 1, next_row)
        while number == 0 and lines and lines[0] in marks:
            lines = lines[1:]
        while number == len(cuts) and lines and lines[-1] in marks:
            lines = lines[:-1]
        has_marks = not marks.isdisjoint(lines)
        if has_marks and marks.issuperset(lines):
            continue
        if not has_marks and cuts:
            reach = 4 * len(lines) + _REACH
            if number == 0:
                rows = rows[-reach:]
            elif number == len(cuts):
                rows = rows[:reach]
        if lines:
            windows.append(_Window(lines, rows, number > 0, number < len(cuts)))
    return windows


def _edges(body: Sequence[str], marks: frozenset[int]) -> set[int]:
    """Return the first and last lines of each part between marks: those that tell where it belongs."""
    filled = [row for row, line in enumerate(body) if line.strip() or row in marks]
    edges: set[int] = set()
    for at, row in enumerate(filled):
        if at == 0 or row in marks:
            edges.update(filled[at : at + 1 + _EDGE])
        if at == len(filled) - 1 or row in marks:
            edges.update(filled[max(0, at - _EDGE) : at + 1])
    return edges


# ── one window ─────────────────────────────────────────────────────────────────────────────────────


def _align_window(task: _Task, window: _Window) -> Rows:
    """Align the lines of a window by dynamic programming.

    `cost[n]` is what the lines so far cost if the first n rows of the window are used up. `origins` has for each line
    and n the number of rows used up before it, or -1 minus that if the line has no row.
    """
    matches = _match_costs(task, window)
    width = len(window.rows) + 1
    cost = [0.0, *[_NEVER] * (width - 1)] if window.fixed_start else [0.0] * width
    origins: list[list[int]] = []
    after_mark = not window.fixed_start
    for at, options in zip(window.body, matches, strict=True):
        if at in task.marks:
            origin = [-1 - row for row in _cheapest_before(cost)]
            cost = [cost[-1 - before] for before in origin]
        else:
            dropped, dropped_from = (cost, list(range(width))) if after_mark else _drop(cost)
            new_cost = [value + task.inserting[at] for value in cost]
            origin = [-1 - row for row in range(width)]
            for row, price in options:
                if dropped[row] + price < new_cost[row + 1]:
                    new_cost[row + 1] = dropped[row] + price
                    origin[row + 1] = dropped_from[row]
            cost = new_cost
        after_mark = at in task.marks
        origins.append(origin)
    end = min(range(width), key=cost.__getitem__)
    if window.fixed_end:
        end = width - 1 if after_mark else _drop(cost)[1][-1]
    return _trace(end, origins, window, task.marks)


def _trace(end: int, origins: list[list[int]], window: _Window, marks: frozenset[int]) -> Rows:
    """Follow the cheapest way back from its end."""
    result: Rows = [None] * len(origins)
    for index in range(len(origins) - 1, -1, -1):
        before = origins[index][end]
        if before >= 0:
            result[index] = window.rows[end - 1]
            end = before
        elif window.body[index] in marks:
            end = -before - 1
    return result


def _cheapest_before(cost: list[float]) -> list[int]:
    """For each row, return the row up to it that costs least; the later one of equals."""
    best, result = 0, []
    for row, value in enumerate(cost):
        best = row if value <= cost[best] else best
        result.append(best)
    return result


def _drop(cost: list[float]) -> tuple[list[float], list[int]]:
    """For each row, return what it costs to be there if rows before it may be dropped, and from which row that is."""
    result, origin = list(cost), list(range(len(cost)))
    near, near_from = _NEVER, 0
    best = 0
    for row in range(1, len(cost)):
        if cost[row - 1] + _DROP < near:
            near, near_from = cost[row - 1] + _DROP, row - 1
        near += _DROP_LINE
        best = row - 1 if cost[row - 1] <= cost[best] else best
        if near < result[row]:
            result[row], origin[row] = near, near_from
        if cost[best] + _DROP_ANY < result[row]:
            result[row], origin[row] = cost[best] + _DROP_ANY, best
    return result, origin


def _insert_cost(line: str) -> float:
    """Return the cost of a new line at an end of a part."""
    return 1.0 if line.strip() else _INSERT_BLANK


# ── which rows a line may be ───────────────────────────────────────────────────────────────────────


def _match_costs(task: _Task, window: _Window) -> Costs:
    """For each line of a window, list the rows (counted from its start) that it may be, and what that costs."""
    source = task.source
    equal: dict[str, list[int]] = defaultdict(list)
    for number, row in enumerate(window.rows):
        equal[source.keys[row]].append(number)
    by_word: dict[str, list[int]] | None = None
    costs: Costs = []
    for at in window.body:
        key = task.body[at].strip()
        if at in task.pinned:
            known = task.pinned[at]
            costs.append([(known - window.rows.start, 0.0)] if known is not None and known in window.rows else [])
        elif key in equal:
            indent = indent_of(task.body[at])
            lines = ((number, source.lines[window.rows[number]]) for number in equal[key])
            costs.append([(number, 0.0 if indent_of(line) == indent else _WRONG_INDENT) for number, line in lines])
        elif at in task.edges:
            by_word = by_word if by_word is not None else _rows_by_word(source, window)
            costs.append(_similar_rows(key, source, window, by_word))
        else:
            costs.append([])
    return costs


def _rows_by_word(source: SourceFile, window: _Window) -> dict[str, list[int]]:
    by_word: dict[str, list[int]] = defaultdict(list)
    for number, row in enumerate(window.rows):
        for word in set(_words(source.keys[row])):
            by_word[word].append(number)
    return by_word


def _similar_rows(
    key: str, source: SourceFile, window: _Window, by_word: Mapping[str, list[int]]
) -> list[tuple[int, float]]:
    """List the rows that resemble a line which the file doesn't have."""
    shared: dict[int, int] = defaultdict(int)
    for word in set(_words(key)):
        for number in by_word.get(word, ()):
            shared[number] += 1
    names = _assigned_names(key)
    result = []
    for number in sorted(shared, key=lambda number: -shared[number])[:40]:
        other = source.keys[window.rows[number]]
        likeness = ends_alike(key, other)
        others = _assigned_names(other)
        if names and others:  # `var limit = 10;` is like `const limit = max;`, `this.b = a` is unlike `this.a = a`
            same = names <= others or others <= names
            likeness = max(likeness, 0.75) if same else likeness - 0.2
        if likeness >= ALIKE_ENDS:
            result.append((number, 0.2 + 0.8 * (1 - likeness)))
    return sorted(result)


def _assigned_names(line: str) -> set[str]:
    """Return the words in front of the sign that sets a variable, such as {"n"} or {"int", "n"}."""
    match = re.match(r"([\w\s.*&<>\[\],]+?)(?::\s*[\w<>\[\], |]+)?:?=(?!=)", line[:300])
    return set(_words(match[1])) - {"var", "let", "const", "final", "auto", "val", "static"} if match else set()


def _words(line: str) -> list[str]:
    return re.findall(r"\w+", line)
