"""Places a part between two anchors, its first lines and its last ones. Pure; picks no place out of several."""

from __future__ import annotations

from ..errors import Problem
from ..syntax.top import place_for
from ..text import is_blank
from .anchors import is_trivial, text_end, text_start
from .bounds import block_end, in_other_block, is_accounted, is_inside, loss, stands_in
from .parts import Part, Span, Window, ambiguous, both_ends, last_row, no_mark, out_of_order, unclear

_MANY = 8


def between(part: Part, window: Window) -> Span | Problem:
    """The part between an anchor at its beginning and one at its end; an edge of the file may be either."""
    start, head = beginning(part, window)
    if isinstance(start, Problem) or start < 0:
        row = _above_pivot(part, window, head)
        row = row if row >= 0 else _inside(part, window, head)
        if row < 0:
            nothing = unclear(part, "begins with nothing that means one place", both_ends())
            return start if isinstance(start, Problem) else nothing
        start = row
    if head == len(part.lines) and part.after is not None:
        return Span(start, start + head, part.lines, head)
    end, tail = _end(part, window._replace(floor=start + head), start, head)
    if isinstance(end, Problem):
        return end
    if end < 0:
        return unclear(part, "stands in the file with one of its ends only", both_ends())
    span = Span(start, end, part.lines, head, tail)
    return _unshown(part, window, span) or _nearest(part, window, span)


def beginning(part: Part, window: Window) -> tuple[int, int] | tuple[Problem, int]:
    """The row where the part begins (-1: it says too little), and how many of its lines anchor it there."""
    head = text_end(part.lines, window.hay.head(part.lines))
    if part.before is None:
        top = next((row for row, line in enumerate(window.lines) if not is_blank(line)), 0)
        same_head = _common(window, part.lines, top)
        if not same_head and (row := place_for(part.lines, window.lines, window.path)) > 0:
            # What must stay first needn't be shown: shebang, licence, `package`.
            top = text_start(window.lines, row)
            same_head = _common(window, part.lines, top)
        if same_head or not head:
            return top, same_head
        return no_mark(part, "before"), 0
    if all(is_trivial(line) for line in part.lines[:head]):
        return -1, head
    rows = window.hay.rows(part.lines[:head], window.floor, window.ceiling)
    if len(rows) > 1:
        return ambiguous(part, window, part.lines[0], rows), head
    if not rows:
        return out_of_order(part, window, part.lines[:head]), 0
    return rows[0], head


def ending(part: Part, window: Window, head: int) -> int:
    """How many lines at the end of the part, behind its head, stand together somewhere in the window."""
    rest = part.lines[head:]
    return len(rest) - text_start(rest, len(rest) - window.hay.tail(rest, window.floor, window.ceiling))


def common_tail(window: Window, lines: list[str], bottom: int) -> int:
    """How many of the lines, up to the last, stand directly above that row."""
    key = window.hay.key
    count = 0
    above = window.lines[max(window.floor, bottom - len(lines)) : bottom]
    for line, there in zip(reversed(lines), reversed(above), strict=False):
        if key(line) != key(there):
            break
        count += 1
    return len(lines) - text_start(lines, len(lines) - count)


def _common(window: Window, lines: list[str], row: int) -> int:
    """How many of the lines stand from that row on."""
    key = window.hay.key
    count = 0
    for line, there in zip(lines, window.lines[row : row + len(lines)], strict=False):
        if key(line) != key(there):
            break
        count += 1
    return text_end(lines, count)


def _end(part: Part, window: Window, start: int, head: int) -> tuple[int, int] | tuple[Problem, int]:
    """The row behind the part's end (-1: unknown), and how many of its lines anchor it there."""
    if part.after is None:
        return _bottom(part, window, start, head)
    closing = block_end(part, window, start, head) + 1
    below = window.lines[closing : min(closing + len(part.lines), window.ceiling)]
    if closing and not stands_in(part.lines[head:], below):
        return closing, common_tail(window, part.lines[head:], closing)
    tail = ending(part, window, head)
    run = part.lines[len(part.lines) - tail :]
    rows = window.hay.rows(run, window.floor, window.ceiling, _MANY)
    spans = [Span(start, row + tail, part.lines, head, tail) for row in rows]
    if len(spans) == 1 and not all(map(is_trivial, run)) and not in_other_block(part, window, spans[0]):
        return spans[0].end, tail
    pivot = _below_pivot(part, window, spans[0]) if spans else None
    whole = [span for span in spans if is_accounted(window, pivot._replace(end=span.end))] if pivot else []
    if len(whole) == 1:
        return whole[0].end, tail
    if not rows or all(is_trivial(line) for line in run):
        return -1, 0
    fits = [span for span in spans if not in_other_block(part, window, span)]
    if len(fits) > 1:
        inside = [span for span in fits if is_inside(part, window, span)]
        fits = inside if inside and inside == spans[:1] else fits
    if not fits:
        return unclear(part, "ends with a line that stands in another block of the file", both_ends()), 0
    if len(fits) > 1 or len(rows) == _MANY:
        return ambiguous(part, window, part.lines[-1], [row + tail - 1 for row in rows]), 0
    return fits[0].end, tail


def _bottom(part: Part, window: Window, start: int, head: int) -> tuple[int, int] | tuple[Problem, int]:
    """The file's last row, for a part without a mark behind it."""
    bottom = last_row(window)
    if head == len(part.lines) and start + head == bottom:
        return bottom, 0
    tail = common_tail(window, part.lines[head:], bottom)
    span = Span(start, bottom, part.lines, head, tail)
    if is_accounted(window, _below_pivot(part, window, span)):
        return bottom, tail
    if not tail or in_other_block(part, window, span):
        return no_mark(part, "behind"), 0
    return bottom, tail


def _above_pivot(part: Part, window: Window, head: int) -> int:
    """The row of a head that is no anchor by itself, if it stands right above a line that is one; else -1.

    Right above: what lies between them in the file comes again in the part, so that nothing is lost by reading it so.
    """
    if not head or part.before is None:
        return -1
    at, row = _pivot(part, window, range(head, len(part.lines)))
    start = window.hay.last(part.lines[:head], window.floor, row) if row >= 0 else -1
    return start if start >= 0 and is_accounted(window, Span(start, row + 1, part.lines[: at + 1], head, 1)) else -1


def _inside(part: Part, window: Window, head: int) -> int:
    """The row of a head with several places, if all but one lie outside of the block that the part ends in; else -1."""
    tail = ending(part, window, head)
    run, top = part.lines[len(part.lines) - tail :], part.lines[:head]
    if part.before is None or part.after is None or all(map(is_trivial, run)) or all(map(is_trivial, top)):
        return -1
    ends = window.hay.rows(run, window.floor, window.ceiling, 2)
    rows = window.hay.rows(top, window.floor, ends[0], _MANY) if len(ends) == 1 else []
    fits = [row for row in rows if is_inside(part, window, Span(row, ends[0] + tail, part.lines, head, tail))]
    return fits[0] if fits and fits == rows[-1:] and len(rows) < _MANY else -1


def _below_pivot(part: Part, window: Window, span: Span) -> Span:
    """The last stretch of a span: from the line above its end that stands in the file once."""
    at, row = _pivot(part, window, range(len(part.lines) - span.tail - 1, span.head - 1, -1))
    return Span(row, span.end, part.lines[at:], 1, span.tail) if row >= 0 else span


def _pivot(part: Part, window: Window, rows: range) -> tuple[int, int]:
    """The first of some rows of the part whose line stands in the window once, and where; -1 and -1 if none does."""
    telling = [at for at in rows if not is_trivial(part.lines[at])]
    for at in telling[:_MANY]:
        found = window.hay.rows([part.lines[at]], window.floor, window.ceiling, 2)
        if len(found) == 1:
            return at, found[0]
    return -1, -1


def _unshown(part: Part, window: Window, span: Span) -> Problem | None:
    """An edge of the file without a mark takes away only lines that come again in another form."""
    if part.before is None and all(_is_short(line) for line in part.lines[: span.head]):
        at, row = _pivot(part, window, range(span.head, len(part.lines)))
        top = Span(span.start, row + 1, part.lines[: at + 1], span.head, 1) if row >= 0 else span
        if not is_accounted(window, top):
            return no_mark(part, "before")
    if part.after is not None or not all(is_trivial(line) for line in part.lines[len(part.lines) - span.tail :]):
        return None
    if block_end(part, window._replace(ceiling=len(window.lines)), span.start, span.head) + 1 == span.end:
        return None
    return None if is_accounted(window, _below_pivot(part, window, span)) else no_mark(part, "behind")


def _nearest(part: Part, window: Window, span: Span) -> Span | Problem:
    """The part where it was found, unless its ends stand nearer together: a new line may be an old one elsewhere."""
    near = span
    last = next((k for k in range(1, span.tail + 1) if not is_trivial(part.lines[-k])), 0)
    if part.before is not None and (last or part.after is None):
        first = next((at for at, line in enumerate(part.lines[: span.head]) if not is_trivial(line)), 0)
        near = _moved_up(part, window, span, window.hay.last(part.lines[: first + 1], span.start + 1, span.end - last))
    if part.after is not None and near is span:
        rows = window.hay.rows(part.lines[-last:] if last else [], span.start + span.head, span.end - 1, 1)
        if rows:
            tail = common_tail(window._replace(floor=span.start + span.head), part.lines[span.head :], rows[0] + last)
            near = near._replace(end=rows[0] + last, tail=tail)
    alike = near.tail >= span.tail - 1
    if near is span or near.head < span.head - 1 or near.tail < last or (near.start == span.start and not alike):
        return span
    if is_accounted(window, span):
        return span
    # What the near reading takes for new may not stand right above it.
    above = window.lines[max(near.start - len(part.lines), window.floor) : near.start]
    torn = near.head < span.head and stands_in(part.lines[near.head : span.head], above)
    if not torn and (not loss(window, near) or (alike and is_accounted(window, near))):
        return near
    if not alike or loss(window, near) >= loss(window, span):
        return span
    rows = [span.start, near.start] if near.start != span.start else [span.end - 1, near.end - 1]
    return ambiguous(part, window, window.lines[rows[0]], sorted(rows))


def _moved_up(part: Part, window: Window, span: Span, start: int) -> Span:
    """The span with a later beginning; as many lines at its end are anchors as then stand there."""
    if start < 0:
        return span
    head = _common(window, part.lines[: len(part.lines) - 1], start)
    tail = common_tail(window._replace(floor=start + head), part.lines[head:], span.end)
    return span._replace(start=start, head=head, tail=tail)


def _is_short(line: str) -> bool:
    """Whether a line at the top of a file may be the first one of something else as well; a ruler is none."""
    return is_trivial(line) and len(line.strip()) < 8
