"""Merges a file shown in part into the file: each part between its anchors, or a refusal. Pure; guesses nothing.

A part's first lines that stand in the file anchor its beginning, its last ones its end. What the file has between
gives way to the part. Lines under a mark always stay. Where an anchor stands in two places, where the parts are not in
the file's order, or where it isn't clear whether lines are to be replaced or kept, nothing is merged.
"""

from __future__ import annotations

from ..diff import opcodes
from ..errors import Problem
from ..model import Merge, Splice
from ..text import BLANK, Sheet, is_blank
from .anchors import Hay, depth, is_closer, is_kin, is_trivial, solid, text_end, text_start
from .indent import mapped
from .parts import Part, Span, Window, ambiguous, both_ends, no_mark, out_of_order, parts_of, unclear
from .rungs import same, trimmed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


def resolve(lines: list[str], merge: Merge) -> list[Splice] | Problem:
    """The splices that make the file what the parts show."""
    if not merge.open_start and not merge.open_end and len(merge.segments) == 1:
        return _differences(lines, Span(0, len(lines), list(merge.segments[0])), "exact")
    parts = parts_of(merge)
    hays = ((Hay(lines, same), "exact"), (Hay(lines, trimmed), "indentation"))
    ceilings = _ceilings(parts, hays[0][0])
    floor = 0
    splices: list[Splice] = []
    for part, ceiling in zip(parts, ceilings, strict=True):
        made = _placed(part, [Window(lines, hay, floor, ceiling, how) for hay, how in hays])
        if isinstance(made, Problem):
            return made._replace(patch_line=merge.patch_line)
        span, found = made
        floor = max(floor, span.end)
        splices += found
    return splices


def rewritten(data: bytes, text: str) -> bytes:
    """A file's bytes with other contents: BOM, line ends and the kind of ending stay, line by line where lines do."""
    sheet = Sheet(data)
    lines = text.removesuffix("\n").split("\n") if text else []
    for start, end, new_start, new_end in reversed(opcodes(sheet.lines, lines)):
        new = lines[new_start:new_end]
        own = [eol or sheet.eol for eol in sheet.ends[start:end][: len(new)]]
        sheet.splice(start, end, new, own + [sheet.eol] * (len(new) - len(own)))
    return sheet.data()


# ── parts and where they may stand ───────────────────────────────────────────────────────────────


def _ceilings(parts: list[Part], hay: Hay) -> list[int]:
    """For each part the row where the next one begins that has only one place to begin at."""
    found: list[int] = []
    ceiling = hay.count
    for part in reversed(parts):
        found.append(ceiling)
        rows = hay.rows(part.lines[: hay.head(part.lines)], 0, hay.count, 2)
        if len(rows) == 1:
            ceiling = min(ceiling, rows[0])
    return found[::-1]


def _placed(part: Part, windows: list[Window]) -> tuple[Span, list[Splice]] | Problem:
    """The first way of comparing that gives the part two anchors; else the first that gives it one."""
    first: Problem | None = None
    for find in (_between, _beside):
        for window in windows:
            made = find(part, window)
            if isinstance(made, Span) and window.how != "exact":
                made = _indented(part, window, made)
                if isinstance(made, Problem):
                    return made
            if isinstance(made, Span):
                return made, _differences(window.lines, made, window.how)
            if first is None or (first.kind == "elision" and made.kind == "ambiguous"):
                first = made
            if made.kind == "ambiguous" and window.how == "exact":
                return made
    assert first is not None
    return first


# ── two anchors ──────────────────────────────────────────────────────────────────────────────────


def _between(part: Part, window: Window) -> Span | Problem:
    """The part between an anchor at its beginning and one at its end; an edge of the file may be either."""
    start, head = _start(part, window)
    if isinstance(start, Problem):
        return start
    if head == len(part.lines) and part.after is not None:
        return Span(start, start + head, part.lines, head)
    floor = start + head if start >= 0 else window.floor
    end, tail = _end(part, window._replace(floor=floor), start, head)
    if isinstance(end, Problem):
        return end
    if start < 0 or end < 0:
        return unclear(part, "stands in the file with one of its ends only", both_ends())
    span = Span(start, end, part.lines, head, tail)
    return _unshown(part, window, span) or span


def _start(part: Part, window: Window) -> tuple[int, int] | tuple[Problem, int]:
    """The row where the part begins (-1: unknown), and how many of its lines anchor it there."""
    head = text_end(part.lines, window.hay.head(part.lines))
    if part.before is None:
        top = next((row for row, line in enumerate(window.lines) if not is_blank(line)), 0)
        same_head = _common(window, part.lines, top)
        if same_head or not head:
            return top, same_head
        return no_mark(part, "before"), 0
    if all(is_trivial(line) for line in part.lines[:head]):
        return -1, 0
    rows = window.hay.rows(part.lines[:head], window.floor, window.ceiling)
    if len(rows) > 1:
        return ambiguous(part, window, part.lines[0], rows), 0
    if not rows:
        return out_of_order(part, window, part.lines[:head]), 0
    return rows[0], head


def _end(part: Part, window: Window, start: int, head: int) -> tuple[int, int] | tuple[Problem, int]:
    """The row behind the part's end (-1: unknown), and how many of its lines anchor it there."""
    rest = part.lines[head:]
    tail = len(rest) - text_start(rest, len(rest) - window.hay.tail(rest, window.floor, window.ceiling))
    if part.after is None:
        bottom = len(window.lines)
        while bottom and is_blank(window.lines[bottom - 1]):
            bottom -= 1
        if head == len(part.lines) and start + head == bottom:
            return bottom, 0
        tail = _common_tail(window, rest, bottom)
        if start >= 0 and _in_other_block(part, window, Span(start, bottom, part.lines, head, tail)):
            return no_mark(part, "behind"), 0
        return (bottom, tail) if tail or start + head == bottom else (no_mark(part, "behind"), 0)
    if start >= 0 and (closing := _block_end(part, window, start)) >= 0:
        return closing + 1, 1
    run = rest[len(rest) - tail :]
    if all(is_trivial(line) for line in run):
        return -1, 0
    rows = window.hay.rows(run, window.floor, window.ceiling)
    if len(rows) > 1:
        return ambiguous(part, window, part.lines[-1], [row + tail - 1 for row in rows]), 0
    if not rows:
        return -1, 0
    if start >= 0 and _in_other_block(part, window, Span(start, rows[0] + tail, part.lines, head, tail)):
        return unclear(part, "ends with a line that stands in another block of the file", both_ends()), 0
    return rows[0] + tail, tail


def _block_end(part: Part, window: Window, start: int) -> int:
    """The row that closes the block which the part's first line opens, if the part is that block; else -1."""
    first, last = part.lines[0], part.lines[-1]
    if len(part.lines) < 2 or not is_closer(last) or depth(last) != depth(first):
        return -1
    if any(depth(line) <= depth(first) for line in solid(part.lines[1:-1])):
        return -1
    level = depth(window.lines[start])
    for row in range(start + 1, window.ceiling):
        line = window.lines[row]
        if not is_blank(line) and depth(line) <= level:
            fits = line.strip(BLANK) == last.strip(BLANK) and depth(line) == level
            return row if fits else -1
    return -1


def _in_other_block(part: Part, window: Window, span: Span) -> bool:
    """Whether the end's anchor stands in a block of the file that the part would take away, not in the part's own."""
    tail = next((k for k in range(span.tail, 0, -1) if not is_trivial(part.lines[-k])), 0)
    if not tail:
        return False
    at, row = len(part.lines) - tail, span.end - tail
    inner, there = depth(part.lines[at]), depth(window.lines[row])
    opens = next((k for k in range(at - 1, -1, -1) if _is_outer(part.lines[k], inner)), -1)
    gone = next((k for k in range(row - 1, span.start + span.head - 1, -1) if _is_outer(window.lines[k], there)), -1)
    if gone >= span.end - span.tail:
        return False
    return gone >= 0 and (opens < span.head or not is_kin(part.lines[opens], window.lines[gone]))


def _is_outer(line: str, level: int) -> bool:
    return not is_blank(line) and depth(line) < level


def _common(window: Window, lines: list[str], row: int) -> int:
    """How many of the lines stand from that row on."""
    key = window.hay.key
    count = 0
    for line, there in zip(lines, window.lines[row:], strict=False):
        if key(line) != key(there):
            break
        count += 1
    return text_end(lines, count)


def _common_tail(window: Window, lines: list[str], bottom: int) -> int:
    """How many of the lines, up to the last, stand directly above that row."""
    key = window.hay.key
    count = 0
    for line, there in zip(reversed(lines), reversed(window.lines[window.floor : bottom]), strict=False):
        if key(line) != key(there):
            break
        count += 1
    return len(lines) - text_start(lines, len(lines) - count)


def _unshown(part: Part, window: Window, span: Span) -> Problem | None:
    """An edge of the file without a mark takes away only lines that come again in another form."""
    head, tail = part.lines[: span.head], part.lines[len(part.lines) - span.tail :]
    side = "before" if part.before is None and all(map(is_trivial, head)) else "behind"
    if side == "behind" and (part.after is not None or not all(map(is_trivial, tail))):
        return None
    if _block_end(part, window._replace(ceiling=len(window.lines)), span.start) + 1 == span.end:
        return None
    new = solid(part.lines[span.head : len(part.lines) - span.tail])
    gone = solid(window.lines[span.start + span.head : span.end - span.tail])
    if len(gone) <= len(new) and all(any(is_kin(line, other) for line in new) for other in gone):
        return None
    return no_mark(part, side)


# ── one anchor ───────────────────────────────────────────────────────────────────────────────────


def _beside(part: Part, window: Window) -> Span | Problem:
    """New lines directly behind or before the one anchor that the part has, towards a mark."""
    start, head = _start(part, window)
    if isinstance(start, Problem):
        return start
    if start >= 0 and part.after is not None:
        return _behind(part, window, start + head, head)
    if start >= 0:
        return no_mark(part, "behind")
    end, tail = _end(part, window, -1, 0)
    if isinstance(end, Problem):
        return end
    if end >= 0 and part.before is not None:
        return _ahead(part, window, end - tail, tail)
    return unclear(part, "has no line at its beginning or end that stands in the file once", both_ends())


def _behind(part: Part, window: Window, row: int, head: int) -> Span | Problem:
    rest = part.lines[head:]
    below = [at for at in range(row, window.ceiling) if not is_blank(window.lines[at])]
    if problem := _stands(part, window, rest, below):
        return problem
    new = solid(rest)
    if is_trivial(new[-1]) and not _is_enclosed(new):
        return unclear(part, "ends with a line that says too little to anchor it", both_ends())
    following = [window.lines[at] for at in below[: len(new) + 2]]
    if _are_kin(new, following):
        return unclear(part, "may replace the lines below its anchor or come before them", both_ends())
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
    above = [at for at in range(window.floor, row) if not is_blank(window.lines[at])]
    if problem := _stands(part, window, rest, above):
        return problem
    new = solid(rest)
    if is_trivial(new[0]):
        return unclear(part, "begins with a line that says too little to anchor it", both_ends())
    preceding = [window.lines[at] for at in above[-len(new) - 2 :]]
    if _are_kin(new, preceding):
        return unclear(part, "may replace the lines above its anchor or come after them", both_ends())
    if any(depth(line) < depth(part.lines[-tail]) for line in new):
        return unclear(part, "would cut a block off from its first line", both_ends())
    return Span(row, row + tail, part.lines, 0, tail)


def _is_enclosed(new: list[str]) -> bool:
    """Whether the last of the new lines belongs to a block that they open themselves."""
    level = depth(new[-1]) + is_closer(new[-1])
    return any(depth(line) < level and not is_trivial(line) for line in new[:-1])


def _are_kin(new: list[str], there: list[str]) -> bool:
    """Whether one of the new lines may be another version of one that would stay beside it."""
    return any(is_kin(line, other) for line in new if not is_trivial(line) for other in there)


def _stands(part: Part, window: Window, rest: list[str], rows: list[int]) -> Problem | None:
    """A problem where a line that would be added stands there already: then it isn't known what was meant."""
    there = {window.lines[row].strip(BLANK): row for row in reversed(rows)}
    for line in rest:
        row = there.get(line.strip(BLANK), -1)
        if row >= 0 and not is_trivial(line):
            detail = (
                f"part {part.number}: `{line.strip()}` stands at line {row + 1} already, but not where the part has it"
            )
            return Problem("ambiguous", detail, line=row + 1, advice=both_ends())
    return None


# ── indentation and splices ──────────────────────────────────────────────────────────────────────


def _indented(part: Part, window: Window, span: Span) -> Span | Problem:
    """The part's lines indented as its anchors show, if those show one way only."""
    said = span.lines[: span.head] + (span.lines[-span.tail :] if span.tail else [])
    there = [*window.lines[span.start : span.start + span.head], *window.lines[span.end - span.tail : span.end]]
    moved = mapped(list(span.lines), said, there, list(window.lines))
    if moved is not None:
        return span._replace(lines=moved)
    return unclear(part, "is indented otherwise than the file, and not in one way only", "Copy the lines exactly.")


def _differences(lines: Sequence[str], span: Span, how: str) -> list[Splice]:
    """What really changes; everything else keeps the file's bytes."""
    old, new = list(lines[span.start : span.end]), span.lines
    if how != "exact":
        old, new = [line.rstrip(BLANK) for line in old], [line.rstrip(BLANK) for line in new]
    return [
        Splice(span.start + start, span.start + end, tuple(span.lines[new_start:new_end]), how)
        for start, end, new_start, new_end in opcodes(old, new)
    ]
