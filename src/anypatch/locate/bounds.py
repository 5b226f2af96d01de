"""Whether a part between two anchors is one reading: blocks and lines that come again. Pure; finds no place itself."""

from __future__ import annotations

from ..diff import opcodes
from ..errors import Problem
from ..model import Splice
from ..text import BLANK, indent_of, is_blank
from .anchors import depth, is_closer, is_kin, is_kin_head, is_trivial, opens_block, solid
from .parts import ambiguous, both_ends, unclear

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from .parts import Part, Span, Window

_FEW = 60


def is_accounted(window: Window, span: Span) -> bool:
    """Whether every line that would go comes again in another form, and no line comes that follows right below."""
    if span.end - span.start > 2 * len(span.lines) + _FEW:
        return False
    if len(solid(window.lines[span.start : span.end])) > len(solid(span.lines)):
        return False  # more lines go than come
    gone, new = _changed(window, span)
    if len(gone) > min(len(new), _FEW) or not all(any(is_kin(line, other) for line in new) for other in gone):
        return False
    return not stands_in(new, window.lines[span.end : min(span.end + len(span.lines), window.ceiling)])


def comes_again(part: Part, window: Window, span: Span) -> Problem | None:
    """A problem where the part's first or last line stands again in what would go: the part may begin or end there."""
    key = window.hay.key
    first, last = span.start + span.head, span.end - span.tail
    gone = [key(line) for line in window.lines[first:last]]
    inner = [key(line) for line in span.lines[span.head : len(span.lines) - span.tail]]
    for edge, row in ((part.lines[0], span.start), (part.lines[-1], span.end - 1)):
        there = key(edge)
        if there in gone and not is_trivial(edge) and gone.count(there) > inner.count(there):
            return ambiguous(part, window, edge, sorted((row, first + gone.index(there))))
    return None


def loss(window: Window, span: Span) -> int:
    """How many lines of the file a span takes away for good."""
    return len(solid(window.lines[span.start + span.head : span.end - span.tail]))


def differences(lines: Sequence[str], span: Span, how: str) -> list[Splice]:
    """What really changes; the rest keeps the file's bytes, and so do lines that only lost blanks at their ends."""
    old, new = lines[span.start : span.end], span.lines
    ranges = opcodes([line.rstrip(BLANK) for line in old], [line.rstrip(BLANK) for line in new])
    return [Splice(span.start + a, span.start + b, tuple(new[c:d]), how) for a, b, c, d in ranges]


def edge_doubt(part: Part, window: Window, span: Span, splices: list[Splice]) -> Problem | None:
    """A problem where blank lines between the part and its marks aren't in the file: lines may be meant to go there.

    One blank line often only sets off the mark.
    """
    if not part.lead and not part.blanks:
        return None
    new = [line for splice in splices for line in splice.lines]
    low = max(window.floor, span.start - max(part.lead, len(part.lines) + 2))
    high = min(window.ceiling, span.end + max(part.blanks, len(part.lines) + 2))
    for mark, blanks, edge, beyond in (
        (part.after, part.blanks, part.lines[-1], window.lines[span.end : high]),
        (part.before, part.lead, part.lines[0], window.lines[low : span.start][::-1]),
    ):
        there = next((at for at, line in enumerate(beyond[:blanks]) if not is_blank(line)), blanks)
        near = solid(beyond[: len(part.lines) + 2])
        if mark is None or there == blanks or not near:
            continue
        doubtful = not splices or _goes_on(mark, edge, near[0]) or stands_in(new, near)
        if blanks - there > 1 or (doubtful and not opens_block(edge)):
            what = "has blank lines at its edge that the file doesn't have; it isn't clear whether lines go there"
            return unclear(part, what, both_ends())
    return None


def _goes_on(mark: str, edge: str, beyond: str) -> bool:
    """Whether the file goes on behind a part as it ended, and the mark doesn't stand there like one line more."""
    return not is_trivial(beyond) and depth(beyond) == depth(edge) and not 0 < depth(mark) == depth(edge)


def moved_line(part: Part, window: Window, splices: list[Splice]) -> Problem | None:
    """A problem where lines are indented otherwise, and no block that is opened or closed around them says why."""
    row = next((splice.start for splice in splices if _is_stray(window, splice)), -1) if window.habit else -1
    unit = 0
    for splice in splices if row < 0 else ():
        shift = low = 0
        for moved, at in _moved_rows(window.lines, splice):
            unit = unit or depth(window.hay.unit + "x")
            new = depth(splice.lines[at])
            # Lines that go on as far in as the one above moved with it.
            if new - depth(window.lines[moved]) == shift != 0 and new >= low:
                continue
            if not _is_rewrapped(window.lines, splice, (moved, at), unit):
                row = moved if row < 0 else row
            shift, low = new - depth(window.lines[moved]), new
    if row < 0:
        return None
    detail = f"line {row + 1} is shown with another indentation; is it meant to move?"
    advice = "Show unchanged lines exactly as they are; to move them use another format."
    return Problem("elision", detail, line=row + 1, advice=advice)


def _is_stray(window: Window, splice: Splice) -> bool:
    """Whether new lines are indented by tabs in a file that has none, or by spaces in one that has but tabs."""
    wrong = {"spaces": "\t", "tabs": "  "}.get(window.habit)
    return wrong is not None and any(line.startswith(wrong) and not is_blank(line) for line in splice.lines)


def _moved_rows(lines: Sequence[str], splice: Splice) -> list[tuple[int, int]]:
    """Rows of the file that the splice has too, or a new version of them, but indented otherwise; where it has them."""
    gone, come = splice.end - splice.start, len(splice.lines)
    if not gone or not come or (gone == 1 == come and indent_of(lines[splice.start]) == indent_of(splice.lines[0])):
        return []
    rows = [row for row in range(splice.start, splice.end) if not is_blank(lines[row])]
    ats = [at for at, line in enumerate(splice.lines) if not is_blank(line)]
    new = {splice.lines[at].strip(BLANK): at for at in ats}
    kept = {line.rstrip(BLANK) for line in splice.lines}
    pairs = [(row, new.get(lines[row].strip(BLANK), -1)) for row in rows if lines[row].rstrip(BLANK) not in kept]
    found = [(row, at) for row, at in pairs if at >= 0]
    if not found and len(rows) == len(ats):
        pairs = list(zip(rows, ats, strict=True))
        found = [(row, at) for row, at in pairs if is_kin(splice.lines[at], lines[row])]
    return [(row, at) for row, at in found if indent_of(lines[row]) != indent_of(splice.lines[at])]


def _is_rewrapped(lines: Sequence[str], splice: Splice, moved: tuple[int, int], unit: int) -> bool:
    """Whether a line moves by one level because a new line above it opens a block, or one that opened it goes."""
    row, at = moved
    old, new = depth(lines[row]), depth(splice.lines[at])
    if new == old + unit:
        opener = next((line for line in reversed(splice.lines[:at]) if _is_outer(line, new)), "")
        return depth(opener) == old and opens_block(opener) and opener not in lines[splice.start : row]
    opener = next((lines[k] for k in range(row - 1, splice.start - 1, -1) if _is_outer(lines[k], old)), "")
    above = next((line for line in reversed(splice.lines[:at]) if not is_blank(line)), "")
    return new == old - unit and depth(opener) == new and opens_block(opener) and not (above and opens_block(above))


def _changed(window: Window, span: Span) -> tuple[list[str], list[str]]:
    """The lines that go and those that come, blank ones aside."""
    old, key = window.lines[span.start : span.end], window.hay.key
    ranges = opcodes([key(line) for line in old], [key(line) for line in span.lines])
    gone = [line for start, end, _, _ in ranges for line in old[start:end]]
    return solid(gone), solid([line for _, _, start, end in ranges for line in span.lines[start:end]])


def stands_in(new: Sequence[str], there: Sequence[str]) -> bool:
    """Whether a line that says something is among others."""
    known = {line.strip(BLANK) for line in there if not is_trivial(line)}
    return any(line.strip(BLANK) in known for line in new)


def block_end(part: Part, window: Window, start: int, head: int) -> int:
    """The row that closes the block which the part's head opens or stands in, if the part ends with it; else -1."""
    last = part.lines[-1]
    if len(part.lines) < 2 or not is_closer(last):
        return -1
    level = depth(last)
    outer = next((at for at in range(len(part.lines) - 2, -1, -1) if _is_outer(part.lines[at], level + 1)), -1)
    if outer >= max(head, 1) or (outer >= 0 and depth(part.lines[outer]) < level) or (outer < 0 and not head):
        return -1
    row = start + outer if outer >= 0 else start + head - 1
    shift = depth(window.lines[row]) - depth(part.lines[outer if outer >= 0 else head - 1])
    within = depth(window.lines[row]) + (1 if outer >= 0 else 0)
    for at in range(row + 1, window.ceiling):
        line = window.lines[at]
        if _is_outer(line, within):
            return at if line.strip(BLANK) == last.strip(BLANK) and depth(line) == level + shift else -1
    return -1


def in_other_block(part: Part, window: Window, span: Span) -> bool:
    """Whether the end's anchor stands in a block of the file that the part would take away, not in the part's own.

    Then the part may as well hold new lines that only look like those: another function that ends the same way.
    """
    tail = next((k for k in range(span.tail, 0, -1) if not is_trivial(part.lines[-k])), 0)
    if not tail:
        return False
    at, row = len(part.lines) - tail, span.end - tail
    there = depth(window.lines[row])
    if not there:
        return False  # nothing is outer
    gone = next((k for k in range(row - 1, span.start + span.head - 1, -1) if _is_outer(window.lines[k], there)), -1)
    if gone < 0 or gone >= span.end - span.tail:
        return False
    level = depth(window.lines[gone])
    if any(not is_trivial(line) and depth(line) <= level for line in window.lines[row : span.end]):
        # The anchor reaches beyond the block: new lines that look like it would not have the same neighbour.
        return False
    if _is_left_deep(part, at, level):
        return False
    inner = depth(part.lines[at])
    opens = next((k for k in range(at - 1, -1, -1) if _is_outer(part.lines[k], inner)), -1)
    if opens < span.head or is_kin(part.lines[opens], window.lines[gone]):
        return opens < span.head
    body = [line for line in part.lines[at:] if not is_trivial(line)]
    beside = opens == at - 1 and gone == row - 1
    return len(body) < 2 or not beside or not is_kin_head(part.lines[opens], window.lines[gone])


def is_inside(part: Part, window: Window, span: Span) -> bool:
    """Whether everything that would go lies as deep as what the part shows: no function ends or begins in it."""
    level = min(depth(line) for line in solid(part.lines))
    gone = window.lines[span.start + span.head : span.end - span.tail]
    return not any(_is_outer(line, level) for line in gone)


def _is_left_deep(part: Part, at: int, level: int) -> bool:
    """Whether a line is deeper than the one above it allows: nobody writes it so, it was left when its block went."""
    above = next((line for line in reversed(part.lines[:at]) if not is_blank(line)), "")
    return depth(above) < depth(part.lines[at]) and (not opens_block(above) or depth(above) < level)


def _is_outer(line: str, level: int) -> bool:
    return not is_blank(line) and depth(line) < level
