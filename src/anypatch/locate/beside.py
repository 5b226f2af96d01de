"""Places a part that has one anchor only: its new lines go directly beside it, if that is sure. Pure."""

from __future__ import annotations

from itertools import islice

from ..errors import Problem
from ..syntax.top import place_for
from ..text import BLANK, is_blank
from .anchors import depth, is_closer, is_kin, is_kin_head, is_trivial, solid
from .between import beginning, common_tail, ending
from .parts import Part, Span, Window, ambiguous, both_ends, last_row, no_mark, no_place, unclear

_FEW = 60


def beside(part: Part, window: Window) -> Span | Problem:
    """New lines directly behind or before the one anchor that the part has, towards a mark."""
    start, head = beginning(part, window)
    if isinstance(start, Problem):
        return start
    if part.before is None and not head and place_for(part.lines, window.lines, window.path) < 0:
        return no_place(part, window)
    if start >= 0 and part.after is not None:
        return _behind(part, window, start + head, head)
    if start >= 0:
        return no_mark(part, "behind")
    bottom = last_row(window) if part.after is None else 0
    tail = ending(part, window, 0) if part.after is not None else common_tail(window, part.lines, bottom)
    run = part.lines[len(part.lines) - tail :]
    rows = window.hay.rows(run, window.floor, window.ceiling) if not all(is_trivial(line) for line in run) else []
    if part.after is None:
        rows = rows and [bottom - tail]
    if len(rows) > 1:
        return ambiguous(part, window, part.lines[-1], [row + tail - 1 for row in rows])
    if rows:
        return _ahead(part, window, rows[0], tail)
    return unclear(part, "has no line at its beginning or end that stands in the file once", both_ends())


def _behind(part: Part, window: Window, row: int, head: int) -> Span | Problem:
    rest = part.lines[head:]
    if problem := _stands(part, window, rest, (row, window.ceiling)) or _ends_elsewhere(part, window):
        return problem
    new = solid(rest)
    if is_trivial(new[-1]) and not _is_enclosed(new):
        return unclear(part, "ends with a line that says too little to anchor it", both_ends())
    following = _texts(window, range(row, window.ceiling), min(len(new) + 2, _FEW))
    if _are_kin(new, following):
        return unclear(part, "may replace the lines below its anchor or come before them", both_ends())
    if part.blanks and following and not _is_gap(part, window, row, new):
        return unclear(part, "may replace the lines below its anchor up to a blank one", both_ends())
    if head:
        level, inner = depth(part.lines[head - 1]), depth(part.after or "")
        if depth(new[0]) > level and inner <= level:
            return unclear(part, "may replace the block below its anchor or add to it", both_ends())
        if depth(new[0]) <= level and following and depth(following[0]) > depth(window.lines[row - 1]):
            return unclear(part, "would cut a block off from its first line", both_ends())
    gap = part.blanks if row < len(window.lines) and not is_blank(window.lines[row]) else 0
    return Span(row - head, row, [*part.lines, *[""] * gap], head)


def _ahead(part: Part, window: Window, row: int, tail: int) -> Span | Problem:
    rest = part.lines[: len(part.lines) - tail]
    if problem := _stands(part, window, rest, (window.floor, row)):
        return problem
    new = solid(rest)
    if is_trivial(new[0]):
        return unclear(part, "begins with a line that says too little to anchor it", both_ends())
    preceding = _texts(window, range(row - 1, window.floor - 1, -1), min(len(new) + 2, _FEW))
    if _are_kin(new, preceding):
        return unclear(part, "may replace the lines above its anchor or come after them", both_ends())
    if part.lead and preceding and (not is_blank(window.lines[row - 1]) or is_blank(rest[-1])):
        return unclear(part, "may replace the lines above its anchor up to a blank one", both_ends())
    if any(depth(line) < depth(part.lines[-tail]) for line in new):
        return unclear(part, "would cut a block off from its first line", both_ends())
    return Span(row, row + tail, part.lines, 0, tail)


def _is_gap(part: Part, window: Window, row: int, new: list[str]) -> bool:
    """Whether the blank line between the part and its mark is there, or only sets off a mark inside the block."""
    if is_blank(window.lines[row]):
        return bool(part.lines[-len(new)].strip(BLANK)) and not _has_blank_before(part, new)
    return part.blanks == 1 and depth(part.after or "") == depth(new[0]) > 0


def _has_blank_before(part: Part, new: list[str]) -> bool:
    at = part.lines.index(new[0])
    return at > 0 and is_blank(part.lines[at - 1])


def _is_enclosed(new: list[str]) -> bool:
    """Whether the last of the new lines belongs to a block that they open themselves."""
    level = depth(new[-1]) + is_closer(new[-1])
    return any(depth(line) < level and not is_trivial(line) for line in new[:-1])


def _are_kin(new: list[str], there: list[str]) -> bool:
    """Whether one of the new lines may be another version of one that would stay beside it."""
    told = [line for line in new if not is_trivial(line)]
    return any(is_kin(line, other) or is_kin_head(line, other) for line in told for other in there)


def _ends_elsewhere(part: Part, window: Window) -> Problem | None:
    """A problem where the part's last line stands in the file: what was taken for its only anchor may be no anchor."""
    last = part.lines[-1]
    rows = [] if is_trivial(last) else window.hay.rows([last], 0, window.hay.count, 1)
    return _standing(part, last, rows[0]) if rows else None


def _texts(window: Window, rows: range, count: int) -> list[str]:
    """The first lines of text at some rows."""
    return list(islice((window.lines[row] for row in rows if not is_blank(window.lines[row])), count))


def _stands(part: Part, window: Window, rest: list[str], rows: tuple[int, int]) -> Problem | None:
    """A problem where a line that would be added stands there already: then it isn't known what was meant."""
    for line in rest:
        found = [] if is_trivial(line) else window.bare.rows([line], *rows, 1)
        if found:
            return _standing(part, line, found[0])
    return None


def _standing(part: Part, line: str, row: int) -> Problem:
    detail = f"part {part.number}: `{line.strip()}` stands at line {row + 1} already, but not where the part has it"
    return Problem("ambiguous", detail, line=row + 1, advice=both_ends())
