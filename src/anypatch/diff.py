"""Differences between two texts, as ranges of lines and as a diff to look at. Pure.

Small differences are minimal (Myers, bounded). Larger ones are first cut at lines, then at runs of lines, that are
unique on both sides; the gaps that remain are walked in bounded windows, and a gap that is too costly even so is one
replacement. No step is quadratic and none recurses.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Hashable, Iterator, Sequence

from .text import BOM, Splice, Text, decode, majority, split

Range = tuple[int, int, int, int]

EXACT = 64  # up to this many changed lines the result is minimal
WINDOW = 200  # changed lines that one window of the later walk may have
REACH = 8  # lines that a range may be moved by to join another
RUN = 12  # lines of a run: long enough to be rare in files of few distinct lines
CONTEXT = 3  # kept lines around a change
_FEW = 4  # items that are compared one by one before whole slices are
NO_FINAL_EOL = "\\ No newline at end of file"


def opcodes(old: Sequence[Hashable], new: Sequence[Hashable]) -> list[Range]:
    """Return the changed ranges (old start, old end, new start, new end) in order, equal lines between any two."""
    whole = trimmed(old, new)
    if _is_settled(whole):
        return [whole] if whole[0] < whole[1] or whole[2] < whole[3] else []
    if set(old[whole[0] : whole[1]]).isdisjoint(new[whole[2] : whole[3]]):
        return [whole]  # no line is kept
    ranges, reached, _ = _walk(old, new, whole, EXACT)
    if reached == (whole[1], whole[3]):
        return ranges
    numbers = {line: number for number, line in enumerate(dict.fromkeys([*old, *new]))}
    first, second = [numbers[line] for line in old], [numbers[line] for line in new]
    gaps = [whole]
    for width in (1, RUN):
        gaps = [part for gap in gaps for part in _cut(first, second, gap, width)]
    return _walked(first, second, gaps)


def unchanged(old: Sequence[Hashable], new: Sequence[Hashable]) -> list[tuple[int, int]]:
    """Return the places of equal items, in order, in the one sequence and in the other."""
    pairs: list[tuple[int, int]] = []
    at = new_at = 0
    for start, end, _, new_end in [*opcodes(old, new), (len(old), len(old), 0, 0)]:
        pairs += zip(range(at, start), range(new_at, new_at + start - at), strict=True)
        at, new_at = end, new_end
    return pairs


def tagged(old: Sequence[str], new: Sequence[str]) -> tuple[tuple[str, str], ...]:
    """Return old and new lines with their signs: " " for a line that both have, "-" or "+"."""
    lines: list[tuple[str, str]] = []
    at = 0
    for start, end, new_start, new_end in opcodes(old, new):
        lines += [(" ", line) for line in old[at:start]]
        lines += [("-", line) for line in old[start:end]]
        lines += [("+", line) for line in new[new_start:new_end]]
        at = end
    return (*lines, *[(" ", line) for line in old[at:]])


def counts(before: bytes, after: bytes) -> tuple[int, int]:
    """Count the lines that were added and removed. Equal ends are cut off as bytes, so large files are not split."""
    start, end, _, _ = trimmed(before, after)
    start, tail = before.rfind(b"\n", 0, start) + 1, before.find(b"\n", end)
    kept = len(before) - tail - 1 if tail >= 0 else 0
    old, new = (
        _side(decode(data[start : len(data) - kept]), "\n" if b"\n" in data else "")[2] for data in (before, after)
    )
    ranges = opcodes(old, new)
    return sum(r[3] - r[2] for r in ranges), sum(r[1] - r[0] for r in ranges)


def changed_rows(text: Text, splices: Sequence[Splice]) -> Iterator[tuple[int, int, list[str]]]:
    """Yield the rows that splices change, range by range with the lines that replace them."""
    body = text.body
    regions: list[tuple[int, int, str]] = []
    for splice in sorted(splices, key=lambda splice: splice[:2]):
        start = body.rfind("\n", 0, splice.start) + 1
        stop = splice.stop
        if stop < len(body) and (body[stop - 1] != "\n" or (splice.new and splice.new[-1] != "\n")):
            stop = body.find("\n", stop) + 1
        new = body[start : splice.start] + splice.new + body[splice.stop : stop]
        if regions and start < regions[-1][1]:  # on the line of the splice before
            low, high, before = regions.pop()
            kept = before[: len(before) - (high - splice.start)]
            start, stop, new = low, max(stop, high), kept + splice.new + body[splice.stop : max(stop, high)]
        regions.append((start, stop, new))
    for start, stop, new in regions:
        row = text.row_at(start) if start < len(body) else len(text.lines)
        old, lines = body[start:stop].split("\n")[:-1], new.removesuffix("\n").split("\n") if new else []
        for low, high, first, last in opcodes(old, lines):
            yield row + low, row + high, lines[first:last]


def rewritten(data: bytes, lines: list[str]) -> bytes:
    """Return the bytes of a file with other lines. The BOM stays, and so does the ending of each line that is kept."""
    text = Text.read(data)
    ranges = opcodes(text.lines, lines)
    return text.apply([text.replaced_rows(start, end, lines[first:last]) for start, end, first, last in ranges]).data()


def unified(path_before: str, path_after: str, before: str | None, after: str | None) -> list[str]:
    """Return a unified diff to look at. None is a missing file; CRs are shown only where line endings differ."""
    if before == after and path_before == path_after:
        return []
    name_before = "/dev/null" if before is None else f"a/{path_before}"
    name_after = "/dev/null" if after is None else f"b/{path_after}"
    old, new = _side(before or ""), _side(after or "")
    shown = [f"--- {name_before}", f"+++ {name_after}"]
    for header, changes in hunks(old[2], new[2]):
        shown.append(header)
        for kept, change in changes:
            start, stop, new_start, new_stop = change
            marks = _marks(old, new, change)
            shown += _tagged(" ", old, kept, start, set())
            shown += _tagged("-", old, start, stop, marks) + _tagged("+", new, new_start, new_stop, marks)
    return shown


def hunks(old: Sequence[Hashable], new: Sequence[Hashable]) -> Iterator[tuple[str, list[tuple[int, Range]]]]:
    """Yield the hunks of a diff: the header, and each changed range with the row where the kept lines before it begin.

    The last range is an empty one after the last kept line.
    """
    groups: list[list[Range]] = []
    for change in opcodes(old, new):
        if groups and change[0] - groups[-1][-1][1] <= 2 * CONTEXT:
            groups[-1].append(change)
        else:
            groups.append([change])
    for group in groups:
        start, end = max(group[0][0] - CONTEXT, 0), min(group[-1][1] + CONTEXT, len(old))
        new_start, new_end = group[0][2] - (group[0][0] - start), group[-1][3] + (end - group[-1][1])
        header = f"@@ -{span(start, end)} +{span(new_start, new_end)} @@"
        group.append((end, end, 0, 0))
        yield header, [*zip([start, *(change[1] for change in group)], group, strict=False)]


def compact(ranges: list[Range], old: Sequence[Hashable], new: Sequence[Hashable]) -> list[Range]:
    """Return the same changes in fewer ranges: insertions and deletions move along equal lines to join a neighbour.

    So a reader sees one changed line, not a line added above and an equal one removed below.
    """
    result: list[Range] = []
    for change in ranges:
        gap = change[0] - result[-1][1] if result else 0
        if result and gap <= REACH and (_slides(change, -gap, old, new) or _slides(result[-1], gap, old, new)):
            start, _, new_start, _ = result.pop()
            up = gap if _slides(change, -gap, old, new) else 0
            down = gap - up
            result.append((start + down, change[1] - up, new_start + down, change[3] - up))
        else:
            result.append(change)
    return result


# ── ranges ───────────────────────────────────────────────────────────────────────────────────────


def _is_settled(gap: Range) -> bool:
    return gap[0] == gap[1] or gap[2] == gap[3]


def _slides(change: Range, by: int, old: Sequence[Hashable], new: Sequence[Hashable]) -> bool:
    """Return True if an insertion or deletion is the same one so many lines further down, or up if `by` < 0."""
    start, end, new_start, new_end = change
    if start < end and new_start < new_end:
        return False
    lines, low, high = (old, start, end) if start < end else (new, new_start, new_end)
    if by < 0:
        low, high = low + by, high + by
    return all(lines[low + step] == lines[high + step] for step in range(abs(by)))


def trimmed(old: Sequence[Hashable], new: Sequence[Hashable], gap: Range | None = None) -> Range:
    """Return the gap, by default all of both sides, without the equal items at its two ends."""
    start, end, new_start, new_end = gap or (0, len(old), 0, len(new))
    same = _same(old, new, start, new_start, min(end - start, new_end - new_start))
    start, new_start = start + same, new_start + same
    same = _same(old, new, end - 1, new_end - 1, min(end - start, new_end - new_start), -1)
    return start, end - same, new_start, new_end - same


def _same(old: Sequence[Hashable], new: Sequence[Hashable], at: int, new_at: int, room: int, step: int = 1) -> int:
    """Count the equal items from a place on, up or down. After the first few, slices are compared: much faster."""
    same = 0
    while same < min(room, _FEW) and old[at + same * step] == new[new_at + same * step]:
        same += 1
    size = same if same == _FEW else 0
    while size and same < room:
        size = min(size, room - same)
        low, new_low = (at + same, new_at + same) if step > 0 else (at - same - size + 1, new_at - same - size + 1)
        if old[low : low + size] == new[new_low : new_low + size]:
            same, size = same + size, size * 2
        else:
            size //= 2
    return same


def _cut(old: Sequence[Hashable], new: Sequence[Hashable], gap: Range, width: int) -> list[Range]:
    """Cut a gap at the lines, or runs of `width` lines, that are unique on each side and in the same order on both."""
    if _is_settled(gap):
        return [gap]
    start, end, new_start, new_end = gap
    places = _unique(old, start, end, width)
    new_places = _unique(new, new_start, new_end, width)
    pairs = [(at, new_places[key]) for key, at in places.items() if key in new_places]
    parts: list[Range] = []
    for at, new_at in [*_rising(pairs), (end, new_end)]:
        if start < at or new_start < new_at:
            part = trimmed(old, new, (start, at, new_start, new_at))
            if part[0] < part[1] or part[2] < part[3]:
                parts.append(part)
        start, new_start = at + 1, new_at + 1
    return parts


def _unique(lines: Sequence[Hashable], start: int, end: int, width: int) -> dict[Hashable, int]:
    """Return the row of each line, or run, that is unique, in rising order."""
    keys: Sequence[Hashable] = lines[start:end]
    if width > 1:
        keys = [tuple(lines[at : at + width]) for at in range(start, end - width + 1)]
    last = dict(zip(keys, range(start, start + len(keys)), strict=True))
    if len(last) == len(keys):
        return last
    first = dict(zip(reversed(keys), range(start + len(keys) - 1, start - 1, -1), strict=True))
    return {key: at for key, at in last.items() if first[key] == at}


def _rising(pairs: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return the longest subsequence that rises on both sides; `pairs` rise on the first (patience sorting)."""
    values = [value for _, value in pairs]
    if values == sorted(values):
        return pairs
    tops: list[int] = []
    holders: list[int] = []
    previous: list[int] = []
    for number, (_, value) in enumerate(pairs):
        place = len(tops) if not tops or tops[-1] < value else bisect_left(tops, value)
        previous.append(holders[place - 1] if place else -1)
        tops[place : place + 1] = [value]
        holders[place : place + 1] = [number]
    chain: list[tuple[int, int]] = []
    at = holders[-1] if holders else -1
    while at >= 0:
        chain.append(pairs[at])
        at = previous[at]
    return chain[::-1]


def _walked(old: Sequence[Hashable], new: Sequence[Hashable], gaps: list[Range]) -> list[Range]:
    """Return the ranges inside gaps, window by window while the budget lasts; the rest of a gap is one replacement."""
    budget = 150_000 + 2 * (len(old) + len(new))
    ranges: list[Range] = []
    for start, end, new_start, new_end in gaps:
        at, new_at = start, new_start
        walkable = not set(old[at:end]).isdisjoint(new[new_at:new_end])
        while walkable and at < end and new_at < new_end and budget > 0:
            changes, (at, new_at), cost = _walk(old, new, (at, end, new_at, new_end), WINDOW)
            budget -= cost
            for change in changes:
                _add(ranges, change)
        if at < end or new_at < new_end:
            _add(ranges, (at, end, new_at, new_end))
    return ranges


def _add(ranges: list[Range], more: Range) -> None:
    """Append a range; join it with the last one if they touch."""
    if ranges and ranges[-1][1] == more[0] and ranges[-1][3] == more[2]:
        more = (ranges[-1][0], more[1], ranges[-1][2], more[3])
        ranges.pop()
    ranges.append(more)


def _walk(
    old: Sequence[Hashable], new: Sequence[Hashable], gap: Range, limit: int
) -> tuple[list[Range], tuple[int, int], int]:
    """Follow Myers' shortest edit path through the gap, or as far as `limit` changes lead.

    Return the changed ranges, the point reached, and the cost. `reach[k]` is the row of the old side that the diagonal
    `k` (old minus new) has reached; the values of each round are kept to walk the path back.
    """
    start, end, new_start, new_end = gap
    size, new_size = end - start, new_end - new_start
    reach = [0] * (2 * limit + 3)
    rounds: list[list[int]] = []
    for changes in range(limit + 1):
        rounds.append(reach[limit - changes : limit + changes + 3])
        lowest = -changes + 2 * max(0, changes - new_size)
        highest = changes - 2 * max(0, changes - size)
        for k in range(lowest, highest + 1, 2):
            slot = k + limit + 1
            if k == -changes or (k != changes and reach[slot - 1] < reach[slot + 1]):
                x = reach[slot + 1]
            else:
                x = reach[slot - 1] + 1
            y = x - k
            if x < size and y < new_size and old[start + x] == new[new_start + y]:
                x += _same(old, new, start + x, new_start + y, min(size - x, new_size - y))
            reach[slot] = x
            if x >= size and x - k >= new_size:
                return _path(rounds, gap, (x, x - k)), (end, new_end), changes * changes
    points = [(reach[k + limit + 1], reach[k + limit + 1] - k) for k in range(-limit, limit + 1, 2)]
    x, y = max((point for point in points if point[0] <= size and 0 <= point[1] <= new_size), key=sum)
    return _path(rounds, gap, (x, y)), (start + x, new_start + y), limit * limit


def _path(rounds: list[list[int]], gap: Range, point: tuple[int, int]) -> list[Range]:
    """Return the changed ranges on the way to a point, by walking back through the rounds."""
    x, y = point
    steps: list[Range] = []
    for changes in range(len(rounds) - 1, 0, -1):
        reach, k = rounds[changes], x - y
        slot = k + changes + 1
        down = k == -changes or (k != changes and reach[slot - 1] < reach[slot + 1])
        x = reach[slot + 1] if down else reach[slot - 1]
        y = x - (k + 1 if down else k - 1)
        old_at, new_at = gap[0] + x, gap[2] + y
        steps.append((old_at, old_at + (not down), new_at, new_at + down))
    ranges: list[Range] = []
    for step in reversed(steps):
        _add(ranges, step)
    return ranges


# ── display ──────────────────────────────────────────────────────────────────────────────────────


def _side(text: str, separator: str = "") -> tuple[list[str], list[str], list[str]]:
    """Return the lines to show, their endings, and the lines to compare, with their ending and the BOM."""
    lines, ends = split(text.removeprefix(BOM), separator)
    keys = [line + end for line, end in zip(lines, ends, strict=True)]
    if text.startswith(BOM) and keys:
        keys[0] = BOM + keys[0]
    return lines, ends, keys


_Side = tuple[list[str], list[str], list[str]]


def _marks(old: _Side, new: _Side, change: Range) -> set[str]:
    """Return the signs to make visible in a change: line endings with CR where they differ, the BOM."""
    start, stop, new_start, new_stop = change
    ends = set(old[1][start:stop] + new[1][new_start:new_stop])
    if start == stop and old[1]:
        ends.add(majority(old[1]))
    marks = ends if len(ends - {""}) > 1 else set()
    return marks | {BOM} if new_start == start == 0 and _has_bom(old) != _has_bom(new) else marks


def _has_bom(side: _Side) -> bool:
    return side[2] != [] and side[2][0].startswith(BOM)


def span(start: int, end: int) -> str:
    """Return a range as in hunk headers: from 1, without a length of 1; of an empty range the line above."""
    count = end - start
    return str(start + 1) if count == 1 else f"{start + 1 if count else start},{count}"


def _tagged(tag: str, side: _Side, start: int, end: int, marks: set[str]) -> list[str]:
    """Return lines with their sign, and with the line endings and BOM in `marks` made visible."""
    lines, ends, keys = side
    shown: list[str] = []
    for at in range(start, end):
        mark = "␍" if "\r" in ends[at] and ends[at] in marks else ""
        byte_order = "<BOM>" if at == 0 and BOM in marks and keys[0].startswith(BOM) else ""
        shown.append(f"{tag}{byte_order}{lines[at]}{mark}")
        if not ends[at]:
            shown.append(NO_FINAL_EOL)
    return shown
