"""Lays a file shown in part over the file: finds the rows that each shown part stands for, or refuses. Pure.

    shown                           file                          read as
    class Shop {                    class Shop {                  aligned: stands once
      // ... existing code ...        price() { … }               under the mark, stays
      total(items) {                  total(items) {              aligned
        check(items);                   return sum(items);        gives way to what is shown
        return sum(items) * TAX;
      }                               }                           aligned: it closes `total`
      // ... existing code ...        show() { … }                stays
    }                               }                             aligned: it closes `class Shop`

Every part replaces one range of rows, from the row of its first line up to that of its last: those two rows are all
there is to find out. Lines that stand once in the part and once among the rows where it may stand are its anchors (the
longest chain of them that is in order); its first and last line are looked for from there outwards. A closing bracket
stands where its block ends, a header that changed where the block of its name begins. Lines beyond the anchors that
stand nowhere are new and go next to them. Where another choice of rows would do as well, nothing is laid over.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from itertools import islice, takewhile

from ..diff import opcodes
from ..model import Merge, Splice
from ..parsing.elision import is_dotted, is_prose
from ..problems import Near, Problem
from ..record import NamedTuple
from ..syntax.top import place_for
from ..text import BLANK, indent_of, is_blank, spliced
from .indentation import Habits, learnt, lexed_as, mapped, string_lines
from .line_kinds import (
    depth,
    is_closer,
    is_kin,
    is_kin_head,
    is_trivial,
    opens_block,
    solid,
    text_end,
    text_start,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    Pair = tuple[int, int]  # a line of a part, the row of the file that it is

_FEW = 60  # lines that are compared each with each
_NEAREST = 6  # places of an edge that are weighed against each other
_MANY = 24  # places of a line that are looked at
_FAR = 1 << 30  # what no place costs
_RUNS = (1, 2, 3, 5)  # lines that make an anchor together where none alone stands once


class Part(NamedTuple):
    """A segment without blank edges; how the marks around it are indented (None: no mark), its line in the patch.

    `lead`, `blanks`: how many blank lines it has at its beginning and end. `said`: the marks as they are written.
    """

    number: int
    lines: list[str]
    before: str | None
    after: str | None
    lead: int
    blanks: int
    line: int
    said: tuple[str, str] = ("", "")


class Range(NamedTuple):
    """Rows start..end of the file give way to `lines`."""

    start: int
    end: int
    lines: list[str]


class Window(NamedTuple):
    """The rows start..end in which a part may stand; `above`: the lines shown above it that are still open."""

    start: int
    end: int
    above: tuple[Open, ...] = ()


class Open(NamedTuple):
    """A line shown above, with the row that it is (-1: a new one); every line shown since is deeper."""

    depth: int
    row: int


class File:
    """The lines of the file, and where each of them stands."""

    def __init__(self, lines: Sequence[str], path: str) -> None:
        self.lines = lines
        self.path = path
        self.keys = [line.strip(BLANK) for line in lines]
        self.count = len(lines)
        self._places: dict[int, dict[tuple[str, ...], list[int]]] = {}
        self._ends: dict[int, int] = {}
        self._headers: dict[str, list[int]] | None = None
        self._strings: dict[int, int] | None = None
        self._outer: list[int] | None = None
        self.habits = Habits(lines)

    def rows(self, run: Sequence[str], start: int, end: int, last: bool = False) -> list[int]:
        """The first or last rows inside start..end at which lines stand one below the other, however indented."""
        width = len(run)
        if width not in self._places:
            places: dict[tuple[str, ...], list[int]] = {}
            for row, key in enumerate(zip(*(self.keys[at:] for at in range(width)), strict=False)):
                places.setdefault(key, []).append(row)
            self._places[width] = places
        found = self._places[width].get(tuple(line.strip(BLANK) for line in run), [])
        low, high = bisect_left(found, start), bisect_left(found, max(start, end - width + 1))
        return found[max(low, high - _MANY) : high] if last else found[low : min(high, low + _MANY)]

    def is_at(self, line: str, row: int) -> bool:
        """Whether a line is that row, with its indentation."""
        return 0 <= row < self.count and self.lines[row].rstrip(BLANK) == line.rstrip(BLANK)

    def block_end(self, row: int) -> int:
        """The row behind the block that a row opens, its closing bracket included, by indentation."""
        if row not in self._ends:
            self._ends[row] = self._block_end(row)
        return self._ends[row]

    def _block_end(self, row: int) -> int:
        level, braced = depth(self.lines[row]), self.keys[row].endswith(("{", "(", "["))
        for at in range(row + 1, self.count):
            key = self.keys[at]
            if not key or depth(self.lines[at]) > level or at in self.strings:
                continue
            if depth(self.lines[at]) == level:
                if key[0] in ")]}" and key[-1] in "{([:,":
                    continue  # `):`, `} else {`: the block goes on
                if key[0] in "#@" or (braced and key[0] not in ")]}"):
                    continue  # `#ifdef`, `public:`, a comment
            return at + is_closer(key)
        return self.count

    @property
    def strings(self) -> dict[int, int]:
        """The rows that begin within a string."""
        if self._strings is None:
            self._strings = string_lines(list(self.lines), lexed_as(self.path))
        return self._strings

    @property
    def stray(self) -> str:
        """What no line is indented by: tabs or spaces; "" where the file has both, or neither."""
        tabs, spaces = self.habits.tabs, self.habits.spaces
        return "" if tabs == spaces else "  " if tabs else "\t"

    def headers(self, name: str, start: int, end: int) -> list[int]:
        """The rows inside start..end that begin the block of a function or class of that name."""
        if self._headers is None:
            self._headers = {}
            for row, key in enumerate(self.keys):
                if declared := _declared(key):
                    self._headers.setdefault(declared, []).append(row)
        return [row for row in self._headers.get(name, []) if start <= row < end]

    def outer(self, row: int, level: int = 0) -> int:
        """The nearest row above that is less deep than a row, and than `level` if that is given; -1 for none."""
        if self._outer is None:
            self._outer = []
            above: list[tuple[int, int]] = []
            for at, line in enumerate(self.lines):
                deep = depth(line)
                while above and not is_blank(line) and above[-1][0] >= deep:
                    above.pop()
                self._outer.append(above[-1][1] if above else -1)
                if not is_blank(line):
                    above.append((deep, at))
        row = self._outer[row]
        while level and row >= 0 and depth(self.lines[row]) >= level:
            row = self._outer[row]
        return row


def lay_over(lines: Sequence[str], merge: Merge, path: str = "") -> list[Splice] | Problem:
    """The splices that make the file what is shown of it. `path`: tells its language."""
    if not merge.open_start and not merge.open_end and len(merge.segments) == 1:
        return _differences(lines, Range(0, len(lines), list(merge.segments[0])), "exact")
    parts, file = _parts_of(merge), File(lines, path)
    made = _in_order(parts, file)
    edges = _by_edges(parts, file) if not any(map(_is_weak, merge.marks)) else None
    if edges is not None and isinstance(made, Problem) and edges.sure and edges.cost:
        made = edges.splices
    if edges is not None and isinstance(made, list):
        other = edges.sure or edges.cost < _cost_of(file, made)
        if edges.tied or (other and not _is_same_result(file, made, edges.splices)):
            rows = sorted({one.start for one in (*made[:1], *edges.splices[:1])})
            return _ambiguous(parts[0], file, parts[0].lines[0], rows or [0])
    if isinstance(made, Problem) and len(parts) > 1 and not any(map(_is_weak, merge.marks)):
        alone = _each_alone(parts, file)
        made = made if alone is None else alone
    return made if isinstance(made, Problem) else _declared_twice(file, made) or made


def _declared_twice(file: File, splices: list[Splice]) -> Problem | None:
    """A problem where a function or class that stays would stand there a second time."""
    gone = {row for splice in splices for row in range(splice.start, splice.end)}
    for splice in splices:
        for line in splice.lines:
            if line[:1] in ("", " ", "\t") or not _declared(line.strip(BLANK)):
                continue
            there = [row for row in file.rows([line], 0, file.count) if file.is_at(line, row) and row not in gone]
            if there:
                detail = f"`{line.strip()[:80]}` would stand there twice: line {there[0] + 1} has it already"
                return Problem("elision", detail, line=there[0] + 1, advice=_both_ends())
    return None


def _parts_of(merge: Merge) -> list[Part]:
    """The segments of a merge that hold any text."""
    count = len(merge.segments) - 1 + merge.open_start + merge.open_end
    marks: list[str | None] = [indent_of(mark) for mark in merge.marks] or [""] * count
    said = [*merge.marks] or [""] * count
    if not merge.open_start:
        marks, said = [None, *marks], ["", *said]
    if not merge.open_end:
        marks, said = [*marks, None], [*said, ""]
    parts = []
    for number, segment in enumerate(merge.segments):
        lead, end = text_start(segment, 0), text_end(segment, len(segment))
        if lead < end:
            line = merge.rows[number] + lead if merge.rows else merge.patch_line
            core, blanks = list(segment[lead:end]), len(segment) - end
            around = said[number], said[number + 1]
            parts.append(Part(number + 1, core, marks[number], marks[number + 1], lead, blanks, line, around))
    return parts


def _mark_depth(part: Part) -> int:
    """How deep the mark behind a part stands; the end of the file is outside of everything."""
    return depth(f"{part.after}x") if part.after is not None else 0


def _is_weak(mark: str) -> bool:
    """Whether a mark is only a comment's words, without dots."""
    return mark.strip(BLANK) != "" and not is_dotted(mark)


# ── the parts together ───────────────────────────────────────────────────────────────────────────


def _in_order(parts: list[Part], file: File) -> list[Splice] | Problem:
    """The parts one below the other, each inside of what is shown open above it."""
    floor = 0
    above: list[Open] = []
    splices: list[Splice] = []
    for part, ceiling in zip(parts, _ceilings(parts, file), strict=True):
        window = Window(floor, ceiling, tuple(above))
        placed = _placed(part, file, _inside_block(part, file, window))
        if isinstance(placed, Problem):
            return placed._replace(patch_line=part.line)
        spliced = _spliced(part, file, window, placed)
        if isinstance(spliced, Problem):
            return spliced._replace(patch_line=part.line)
        if _is_weak(part.said[0]) and not solid(file.lines[floor : placed.start]):
            return _vain(part, part.said[0])
        floor = max(floor, placed.end)
        splices += spliced
        _open_lines(above, file, part, placed)
    if parts and _is_weak(parts[-1].said[1]) and not solid(file.lines[floor:]):
        return _vain(parts[-1], parts[-1].said[1])
    return splices


def _each_alone(parts: list[Part], file: File) -> list[Splice] | None:
    """The parts wherever they stand, if each begins and ends with a line of the file, and none meets another."""
    placed: list[tuple[Range, list[Splice]]] = []
    taken = bytearray(file.count)
    window = Window(0, file.count)
    for part in parts:
        found = _placed(part, file, window)
        if isinstance(found, Problem) or not (_stands_at(file, part, 0, found.start)):
            return None
        if not _stands_at(file, part, -1, found.end - 1) or taken.find(1, found.start, found.end) >= 0:
            return None
        spliced = _spliced(part, file, window, found)
        if isinstance(spliced, Problem):
            return None
        taken[found.start : found.end] = b"\1" * (found.end - found.start)
        placed.append((found, spliced))
    placed.sort(key=lambda one: one[0].start)
    return [splice for _, spliced in placed for splice in spliced]


def _stands_at(file: File, part: Part, at: int, row: int) -> bool:
    return 0 <= row < file.count and file.keys[row] == part.lines[at].strip(BLANK) and not is_trivial(part.lines[at])


def _ceilings(parts: list[Part], file: File) -> list[int]:
    """For each part the row where the next one begins whose first lines stand in the file once."""
    ceilings: list[int] = []
    ceiling = file.count
    for part in reversed(parts):
        ceilings.append(ceiling)
        for width in _RUNS:
            run = part.lines[:width]
            rows = file.rows(run, 0, file.count) if len(run) == width else []
            if len(rows) == 1 and not all(map(is_trivial, run)) and file.is_at(run[0], rows[0]):
                ceiling = min(ceiling, rows[0])
            if len(rows) < 2:
                break
    return ceilings[::-1]


def _inside_block(part: Part, file: File, window: Window) -> Window:
    """The window cut down to the block that the part is shown in.

    class A {                       `run` stands in other classes too; shown inside of `class A {` it is that of A.
      // ... existing code ...
      run() {
    """
    level = min(depth(line) for line in solid(part.lines))
    holder = next((one for one in reversed(window.above) if one.depth < level), None)
    if holder is None or holder.row < 0 or depth(file.lines[holder.row]) != holder.depth:
        return window
    return window._replace(end=min(window.end, max(window.start, file.block_end(holder.row))))


def _open_lines(above: list[Open], file: File, part: Part, placed: Range) -> None:
    """Note which lines of a part open a block that goes on under the mark behind it: one that is deeper."""
    rows = _kept_rows(file, part, placed)
    for at, line in enumerate(part.lines):
        if is_blank(line):
            continue
        while above and above[-1].depth >= depth(line):
            above.pop()
        above.append(Open(depth(line), rows.get(at, -1) if opens_block(line) else -1))
    while above and above[-1].depth >= _mark_depth(part):
        above.pop()


def _kept_rows(file: File, part: Part, placed: Range) -> dict[int, int]:
    """The row of each line of a part that stays, or is a header in a new version."""
    keys = file.keys[placed.start : placed.end]
    rows: dict[int, int] = {}
    shown = [line.strip(BLANK) for line in part.lines]
    low = new_low = 0
    for start, end, new_start, new_end in [*opcodes(keys, shown), (len(keys), len(keys), len(shown), len(shown))]:
        rows |= zip(range(new_low, new_start), range(placed.start + low, placed.start + start), strict=False)
        for at in range(new_start, new_end):
            name = _declared(shown[at])
            same = [row for row in range(start, end) if name and _declared(keys[row]) == name]
            if len(same) == 1:
                rows[at] = placed.start + same[0]
        low, new_low = end, new_end
    return rows


# ── the parts by their edges ─────────────────────────────────────────────────────────────────────


class Edged(NamedTuple):
    """A range that begins and ends with the lines that a part begins and ends with, and what would change in it."""

    start: int
    end: int
    cost: int
    gone: int
    context: bool  # lines stay at each end


class Aligned(NamedTuple):
    """The splices of all parts, what they cost; whether no others would do nearly as well, or others just as well."""

    splices: list[Splice]
    cost: int
    sure: bool
    tied: bool


def _by_edges(parts: list[Part], file: File) -> Aligned | None:
    """The parts where their first and last lines stand, as many as can be, in order, for the fewest changes.

    b()                             `b()` may stand anywhere, and so may `d()`; but with these lines around it, and
    c(2)                            with so little to change between them, it stands in one place only.
    d()

    None where a part has no such place.
    """
    found = [_edged(part, file) for part in parts]
    if not parts or not all(found):
        return None
    totals: list[
        list[tuple[int, int, int]]
    ] = []  # for each candidate: the least cost up to it, the next, the one before
    for at, candidates in enumerate(found):
        row = []
        for one in candidates:
            best, second, before = (0, _FAR, -1) if not at else (_FAR, _FAR, -1)
            for number, other in enumerate(found[at - 1] if at else ()):
                if other.end <= one.start:
                    least, next_least, _ = totals[at - 1][number]
                    costs = sorted((best, second, least, next_least))
                    before = number if least < best else before
                    best, second = costs[0], costs[1]
            row.append((best + one.cost, second + one.cost, before))
        totals.append(row)
    order = sorted(range(len(found[-1])), key=lambda number: totals[-1][number][0])
    best, second, _ = totals[-1][order[0]]
    second = min(second, totals[-1][order[1]][0] if len(order) > 1 else _FAR)
    if best >= _FAR:
        return None
    chosen: list[Edged] = []
    number = order[0]
    for at in range(len(parts) - 1, -1, -1):
        chosen.insert(0, found[at][number])
        number = totals[at][number][2]
    placed = [Range(one.start, one.end, part.lines) for one, part in zip(chosen, parts, strict=True)]
    splices = [splice for one in placed for splice in _differences(file.lines, one, "exact")]
    if _moved_line(file, splices):
        return None
    context = all(one.context for one in chosen)
    alone = all(_is_alone(found, chosen, at) for at in range(len(parts)))
    here = all(_head_elsewhere(part, file, one) < 0 for part, one in zip(parts, placed, strict=True))
    here = here and not any(_loses_header(file, one) for one in placed)
    return Aligned(splices, best, context and alone and here and second > best + 1, context and 0 < second == best)


def _loses_header(file: File, placed: Range) -> bool:
    """Whether a function or class of a range wouldn't be there any more."""
    old, new = (
        {_declared(key.strip(BLANK)) for key in lines} for lines in (file.keys[placed.start : placed.end], placed.lines)
    )
    return bool(old - new)


def _is_alone(found: list[list[Edged]], chosen: list[Edged], at: int) -> bool:
    """Whether between its neighbours no other place of a part would do nearly as well."""
    low = chosen[at - 1].end if at else 0
    high = chosen[at + 1].start if at + 1 < len(chosen) else _FAR
    own = chosen[at]
    others = [one for one in found[at] if one != own and low <= one.start and one.end <= high]
    return all(
        one.cost > own.cost + 1 and (not one.context or not own.gone or 2 * one.cost >= 3 * own.cost + 2)
        for one in others
    )


def _cost_of(file: File, splices: list[Splice]) -> int:
    """What splices cost, as ranges between edges do."""
    ranges = [Range(start, end, list(lines)) for start, end, lines, _ in splices]
    changed = sum(len(solid(file.lines[one.start : one.end])) + len(solid(one.lines)) for one in ranges)
    return changed + sum(_moved_here(file, one) for one in ranges)


def _edged(part: Part, file: File) -> list[Edged]:
    """The ranges that a part may stand for, by its edges; where it changes nothing only if there are no others."""
    heads = [(text_start(file.lines, 0), 0)] if part.before is None else _edge_rows(part, file, True)
    tails = [(text_end(file.lines, file.count), 0)] if part.after is None else _edge_rows(part, file, False)
    found: list[Edged] = []
    for start, head in heads:
        ends = [(end, tail) for end, tail in tails if start + head <= end - tail or end - start == len(part.lines)]
        for end, _ in ends[:_NEAREST]:
            if end - start > 4 * len(part.lines) + _FEW:
                break
            placed = Range(start, end, part.lines)
            gone, new = _counts(file, placed)
            if (part.before is None or part.after is None) and gone > len(_RUNS):
                continue  # more may be left out there, without a mark
            cost = gone + new + _moved_here(file, placed)
            found.append(Edged(start, end, cost, gone, _has_context(part, file, placed)))
    return [one for one in found if one.cost] or found[:1]


def _moved_here(file: File, placed: Range) -> int:
    """How far lines that would come stand in the file already, elsewhere and seldom: they rather mean that place."""
    there = {*file.keys[placed.start : placed.end]}
    new = [line for line in placed.lines if line.strip(BLANK) not in there and not is_trivial(line)]
    times = [len(file.rows([line], 0, file.count)) for line in new]
    return sum(2 if count == 1 else 1 if 0 < count < len(_RUNS) else 0 for count in times)


def _has_context(part: Part, file: File, placed: Range) -> bool:
    """Whether two lines or more stay at each end that isn't the file's."""
    shown, there = [line.strip(BLANK) for line in part.lines], file.keys[placed.start : placed.end]
    for edge, texts in ((part.before, (shown, there)), (part.after, (shown[::-1], there[::-1]))):
        kept = [one for one, two in takewhile(lambda pair: pair[0] == pair[1], zip(*texts, strict=False)) if one]
        if edge is not None and len(kept) < 2:
            return False
    return True


def _edge_rows(part: Part, file: File, first: bool) -> list[tuple[int, int]]:
    """Where the part's first or last line stands, exactly; or more of them, where that is nearly everywhere."""
    for width in range(1, min(5, len(part.lines)) + 1):
        run = part.lines[:width] if first else part.lines[-width:]
        rows = [
            row
            for row in file.rows(run, 0, file.count)
            if all(file.is_at(line, row + at) for at, line in enumerate(run))
        ]
        if len(rows) < _MANY:
            return [(row if first else row + width, width) for row in rows]
    return []


def _is_same_result(file: File, one: list[Splice], two: list[Splice]) -> bool:
    """Whether two readings give the same text, blank lines aside."""
    return solid(spliced(list(file.lines), one)) == solid(spliced(list(file.lines), two))


# ── one part ─────────────────────────────────────────────────────────────────────────────────────


def _placed(part: Part, file: File, window: Window) -> Range | Problem:
    """The rows that a part stands for."""
    top, bottom = text_start(file.lines, 0), text_end(file.lines, file.count) - len(part.lines)
    if part.before is None and part.after is not None and _is_run(file, part.lines, top):
        return Range(top, top + len(part.lines), part.lines)  # `{`, the first line of a JSON file
    if part.after is None and part.before is not None and bottom >= window.start and _is_run(file, part.lines, bottom):
        return Range(bottom, bottom + len(part.lines), part.lines)
    chain = _chain(part, file, window)
    if isinstance(chain, Problem):
        return chain
    surely = bool(chain)
    chain = chain or _structural(part, file, window)
    if not chain:
        return _without_anchor(part, file, window)
    sound = _sound(part, file, chain)
    if 2 * len(sound) <= len(chain):
        at, row = chain[len(sound)]
        return _standing(part, part.lines[at], row)
    chain = sound
    start = _start(part, file, window, chain[0])
    if isinstance(start, Problem):
        return start
    end = _end(part, file, window, chain[-1])
    if isinstance(end, Problem):
        return end
    low, lines = start
    high, more = end
    placed = Range(low, high, [*lines, *part.lines, *more])
    if not surely and high - low > 1 and _cost(file, low, high, part.lines)[0]:
        # `total(tax) { … }`, of which nothing else is in the file, may be an overload of `total() { … }`.
        return _unclear(part, f"may take the place of line {low + 1} or be new", _both_ends())
    doubt = _ends_twice(part, file, window, placed) or _stands_anew(part, file, window, placed)
    tight = doubt or _tight(part, file, placed)
    if isinstance(tight, Range) and (other := _head_elsewhere(part, file, tight)) >= 0:
        return _ambiguous(part, file, part.lines[0], sorted((tight.start, other)))
    return tight


def _head_elsewhere(part: Part, file: File, placed: Range) -> int:
    """The row, elsewhere, where all of a part's first lines stand up to the first that would be new here; or -1.

    </table>                        shown; in the file it stands above "Using A", and further down above "Using B",
    Using A                         which needn't be changed into "Using A": what stands between them may be meant to go
    """
    shown, there = ([line for line in lines if line] for lines in (
        [line.strip(BLANK) for line in part.lines], file.keys[placed.start : placed.end]
    ))  # fmt: skip
    ranges = opcodes(there, shown)
    if not ranges or ranges[0][2] == ranges[0][3] or not ranges[0][2]:
        return -1
    head = shown[: ranges[0][2] + 1]
    told = sum(not is_trivial(line) for line in head[:-1])
    # Where nothing goes, lines that stand everywhere (`}`, `@Test`) tell nothing.
    if is_trivial(head[-1]) or (ranges[0][0] == ranges[0][1] and told < 2):
        return -1
    for row in file.rows([head[-1]], 0, file.count):
        above = solid(file.keys[max(row - 2 * len(head), 0) : row + 1])[-len(head) :]
        if above == head and not placed.start <= row < placed.end:
            return row
    return -1


def _stands_anew(part: Part, file: File, window: Window, placed: Range) -> Problem | None:
    """A problem where a part changes nothing, but would change a line or two of a place that is nearly the same.

    get(a + b), check(a)            shown, and once in the file; next to it stands get(f(a, b)), check(a)
    """
    shown = [line.strip(BLANK) for line in part.lines]
    if file.keys[placed.start : placed.end] != shown or len(solid(part.lines)) < len(_RUNS):
        return None
    for row in file.rows(part.lines[:1], window.start, window.end):
        there = file.keys[row : row + len(shown)]
        same = sum(one == two for one, two in zip(shown, there, strict=False))
        if row != placed.start and len(shown) - 2 <= same < len(shown):
            return _ambiguous(part, file, part.lines[0], [placed.start, row])
    return None


def _tight(part: Part, file: File, placed: Range) -> Range | Problem:
    """The range, or a shorter one in it that begins or ends with the same line and for which far less has to go.

    ### Changed                     a line further down, `### Fixed`, may stand in the part and in the next section, too
    """
    gone, new = _counts(file, placed)
    if not gone:
        return placed
    many = gone >= 2 * len(_RUNS)
    rows = [
        (row, placed.end)
        for row in file.rows(part.lines[:1], placed.start + 1, placed.end)
        if file.is_at(part.lines[0], row)
    ] + [
        (placed.start, row + 1)
        for row in file.rows(part.lines[-1:], placed.start + 1, placed.end - 1)
        if file.is_at(part.lines[-1], row)
    ]
    for start, end in rows:
        shorter = placed._replace(start=start, end=end)
        less, more = _counts(file, shorter)
        if many and less + more < gone + new and 10 * less <= gone:
            return shorter
        if (many and less + more < gone + new) or (not less and not _are_versions(file, placed)):
            return _ambiguous(part, file, part.lines[0], sorted({start, placed.start, end - 1}))
    return placed


def _are_versions(file: File, placed: Range) -> bool:
    """Whether every line of a range that goes surely comes again in a new version."""
    shown = [line.strip(BLANK) for line in placed.lines]
    ranges = opcodes(file.keys[placed.start : placed.end], shown)
    gone = solid([file.keys[placed.start + row] for low, high, _, _ in ranges for row in range(low, high)])
    new = solid([shown[at] for _, _, low, high in ranges for at in range(low, high)])
    return all(any(_is_alike(line, other) for line in new) for other in gone)


def _counts(file: File, placed: Range) -> tuple[int, int]:
    """How many lines of a range go, and how many come."""
    keys, shown = file.keys[placed.start : placed.end], [line.strip(BLANK) for line in placed.lines]
    ranges = opcodes(keys, shown)
    gone = sum(bool(key) for low, high, _, _ in ranges for key in keys[low:high])
    return gone, sum(bool(key) for _, _, low, high in ranges for key in shown[low:high])


def _ends_twice(part: Part, file: File, window: Window, placed: Range) -> Problem | None:
    """A problem where the last line stands in the part twice, and what comes before it may be what follows in the file.

    a(), b(), x(2), b()             shown for a(), b(), x(1): `x(1)` may stay or not
    """
    key, there = part.lines[-1].strip(BLANK), file.keys[placed.start : placed.end]
    shown = [line.strip(BLANK) for line in part.lines]
    if shown.count(key) <= there.count(key) or is_trivial(key):
        return None
    known = set(there)
    new = solid([line for line in part.lines if line.strip(BLANK) not in known])
    level = depth(file.lines[placed.end - 1])
    rows = takewhile(lambda row: not _is_outer(file.lines[row], level), range(placed.end, window.end))
    following = _texts(file, rows, min(len(new) + 2, _FEW))
    if new and _are_kin(new, following):
        return _unclear(part, "may replace the lines below its anchor or come before them", _both_ends())
    return None


def _chain(part: Part, file: File, window: Window) -> list[Pair] | Problem:
    """The longest chain of lines, in order, that stand in the part once and in the window once.

    Where no line does, runs of them do: `run()` above `c = 3`. What the part begins and ends with counts before
    what is between: models copy whole functions, but begin and end with lines that are there.
    """
    low, high = _edge_run(part, file, window, True), _edge_run(part, file, window, False)
    if low and high and low[-1][1] < high[0][1] and low[-1][0] < high[0][0]:
        return [*low, *high]
    floor = low[0][1] if low and not high else window.start
    ceiling = high[-1][1] + 1 if high and not low else window.end
    keys = [line.strip(BLANK) for line in part.lines]
    for width in _RUNS:
        runs = list(zip(*(keys[at:] for at in range(width)), strict=False))
        often = Counter(runs)
        pairs: set[Pair] = set()
        for at, run in enumerate(runs):
            if often[run] == 1 and not all(map(is_trivial, run)):
                rows = file.rows(run, window.start, window.end)
                pairs |= {(at + more, rows[0] + more) for more in range(width)} if len(rows) == 1 else set()
        inside = sorted(pair for pair in pairs if floor <= pair[1] < ceiling)
        chain = _rising(inside)
        if chain and (2 * len(chain) > len(pairs) or (len(low) > 1 and chain[: len(low)] == low)):
            return chain
        if pairs:
            every = sorted(pairs)
            return _ambiguous(part, file, part.lines[every[0][0]], sorted({every[0][1], every[-1][1]}))
    return []


def _edge_run(part: Part, file: File, window: Window, first: bool) -> list[Pair]:
    """The fewest lines that the part begins or ends with and that stand in the window once; none where none do."""
    for width in _RUNS:
        at = 0 if first else len(part.lines) - width
        run = part.lines[at : at + width] if at >= 0 and width <= len(part.lines) else []
        rows = file.rows(run, window.start, window.end) if run and not all(map(is_trivial, run)) else [0, 0]
        if len(rows) == 1:
            return [(at + more, rows[0] + more) for more in range(width)]
        if not rows:
            return []
    return []


def _rising(pairs: list[Pair]) -> list[Pair]:
    """The longest run of pairs that rises on both sides."""
    tops: list[int] = []
    ends: list[int] = []
    before: list[int] = []
    for number, (_, row) in enumerate(pairs):
        at = bisect_left(tops, row)
        before.append(ends[at - 1] if at else -1)
        tops[at : at + 1] = [row]
        ends[at : at + 1] = [number]
    chain = []
    at = ends[-1] if ends else -1
    while at >= 0:
        chain.append(pairs[at])
        at = before[at]
    return chain[::-1]


def _structural(part: Part, file: File, window: Window) -> list[Pair]:
    """The anchor of a part without any that stands once: a header in a new version, or a bracket that closes a block.

    class A {                       `}` closes `class A {`, wherever else one stands.
      // ... existing code ...
      added() {
      }
    }
    """
    header = _changed_header(part, file, window, len(part.lines), window.end)
    if header:
        return [header]
    last = part.lines[-1]
    if not is_closer(last) or any(_is_outer(line, depth(last) + 1) for line in part.lines[:-1]):
        return []
    if part.after is None:
        row = text_end(file.lines, file.count) - 1
    else:
        partner = next((one for one in reversed(window.above) if one.depth <= depth(last)), None)
        if partner is None or partner.row < 0 or not depth(file.lines[partner.row]) == partner.depth == depth(last):
            return []
        row = file.block_end(partner.row) - 1
    return [(len(part.lines) - 1, row)] if window.start <= row and file.is_at(last, row) else []


def _changed_header(part: Part, file: File, window: Window, count: int, end: int) -> Pair | None:
    """The first header among the part's first lines whose name begins one block only in the window, and that block."""
    for at in range(count):
        name = _declared(part.lines[at].strip(BLANK))
        if name:
            rows = file.headers(name, window.start, end)
            all_rows = file.headers(name, window.start, window.end)
            same = len(rows) == 1 == len(all_rows) and depth(file.lines[rows[0]]) == depth(part.lines[at])
            return (at, rows[0]) if same else None
    return None


def _sound(part: Part, file: File, chain: list[Pair]) -> list[Pair]:
    """The chain without anchors at its end that stand in another block of the file, whose header would be lost.

    def f():                        def f():
        y()                             return 1
        return x                    def g():
                                        x = 2
                                        return x
    """
    kept = len(chain)
    while kept > 1:
        # `}` is as good as the line above it.
        last = next((at for at in range(kept - 1, 0, -1) if not is_trivial(part.lines[chain[at][0]])), 0)
        if not last or not _is_in_lost_block(part, file, chain[0], chain[last]):
            break
        kept = last
    return chain[:kept]


def _is_in_lost_block(part: Part, file: File, one: Pair, two: Pair) -> bool:
    """Whether the second of two aligned lines stands in a block that begins between them, and isn't shown so."""
    header = file.outer(two[1])
    if header <= one[1]:
        return False
    shown = {line.strip(BLANK) for line in part.lines[one[0] + 1 : two[0]]}
    if file.keys[header] in shown:
        return False
    level = depth(part.lines[two[0]])
    opener = next((k for k in range(two[0] - 1, one[0], -1) if _is_outer(part.lines[k], level)), -1)
    while opener > one[0] + 1 and part.lines[opener].lstrip(BLANK)[:1] == ")":
        # `) -> None:` ends a header; where it begins is told by the line above that is as deep.
        level = depth(part.lines[opener]) + 1
        opener = next((k for k in range(opener - 1, one[0], -1) if _is_outer(part.lines[k], level)), -1)
    if opener >= 0:
        new, old = part.lines[opener], file.lines[header]
        below = [
            next(iter(solid(lines)), "") for lines in (part.lines[opener + 1 :], file.lines[header + 1 : two[1] + 1])
        ]
        renamed = below[0].strip(BLANK) == below[1].strip(BLANK) and not is_trivial(below[0])
        return not (renamed or is_kin(new, old) or is_kin_head(new, old))
    shown.add(part.lines[two[0]].strip(BLANK))
    alone = all(key in shown or not key for key in (*file.keys[one[1] + 1 : header], *file.keys[header + 1 : two[1]]))
    return not alone or not _is_left_deep(part, one[0], two[0])


def _is_left_deep(part: Part, above: int, at: int) -> bool:
    """Whether a line is deeper than those above allow: it was left when the condition above it went.

    a(x)
        b(x)                        nobody writes it so
    """
    level = depth(part.lines[at])
    first = next(k for k in range(above + 1, at + 1) if depth(part.lines[k]) >= level or k == at)
    opener = next((line for line in reversed(part.lines[:first]) if not is_blank(line)), "")
    return depth(opener) < level and not opens_block(opener)


# ── where a part begins ──────────────────────────────────────────────────────────────────────────


def _start(part: Part, file: File, window: Window, first: Pair) -> tuple[int, list[str]] | Problem:
    """The row where a part begins whose first anchor is known, and the blank lines to put before it."""
    at, row = first
    if part.before is None:
        return _top(part, file, first)
    if at == 0:
        return row, []
    if _is_run(file, part.lines[:at], row - at) and row - at >= window.start:
        return row - at, []
    rows = file.rows(part.lines[:1], window.start, row, last=True)[::-1]
    header = _changed_header(part, file, window, at, row)
    edge = None if header and rows and header[1] > rows[0] else _edge_row(part, file, 0, first, rows)
    if edge is not None:
        return edge if isinstance(edge, Problem) else (edge, [])
    if header and header[1] < row <= file.block_end(header[1]):
        return _start(part, file, window, header)
    while at and row > window.start and file.keys[row - 1] == part.lines[at - 1].strip(BLANK):
        if is_closer(part.lines[at - 1]) and _is_enclosed(solid(part.lines[:at])):
            break  # it closes what is new
        at, row = at - 1, row - 1
    while is_blank(part.lines[at]):
        at, row = at + 1, row + 1
    return _ahead(part, file, window, (at, row))


def _top(part: Part, file: File, first: Pair) -> tuple[int, list[str]] | Problem:
    """The start of a part with no mark before it: the top of the file, or the first row below its licence."""
    at, row = first
    top = text_start(file.lines, 0)
    if part.lines[0].strip(BLANK) != file.keys[top] and (below := place_for(part.lines, file.lines, file.path)) > 0:
        # What must stay first needn't be shown: shebang, licence, `package`.
        top = text_start(file.lines, below)
    same = top < file.count and part.lines[0].strip(BLANK) == file.keys[top] and not _is_short(part.lines[0])
    if row < top or (not same and _cost(file, top, row, part.lines[:at])[0]):
        return _no_mark(part, "before")
    return top, []


def _ahead(part: Part, file: File, window: Window, first: Pair) -> tuple[int, list[str]] | Problem:
    """The start of a part that begins with new lines, which go right above its first anchor."""
    at, row = first
    rest = part.lines[:at]
    if problem := _stand_elsewhere(part, file, rest, (window.start, row)):
        return problem
    new = solid(rest)
    if not new:
        return row, []
    if is_trivial(new[0]):
        return _unclear(part, "begins with a line that says too little to anchor it", _both_ends())
    preceding = _texts(file, range(row - 1, window.start - 1, -1), min(len(new) + 2, _FEW))
    if _are_kin(new, preceding):
        return _unclear(part, "may replace the lines above its anchor or come after them", _both_ends())
    whole = is_closer(part.lines[at]) and depth(part.lines[at]) < min(depth(line) for line in new)
    if part.lead and preceding and not whole and (not is_blank(file.lines[row - 1]) or is_blank(rest[-1])):
        return _unclear(part, "may replace the lines above its anchor up to a blank one", _both_ends())
    if any(depth(line) < depth(part.lines[at]) for line in new):
        return _unclear(part, "would cut a block off from its first line", _both_ends())
    # Behind the last method a new one is set off as it is shown.
    gap = whole and part.lead and row > 0 and not is_blank(file.lines[row - 1]) and not opens_block(file.lines[row - 1])
    return row, [""] * bool(gap)


# ── where it ends ────────────────────────────────────────────────────────────────────────────────


def _end(part: Part, file: File, window: Window, anchor: Pair) -> tuple[int, list[str]] | Problem:
    """The row behind the end of a part whose last anchor is known, and the blank lines to put behind it."""
    at, row = anchor
    last, behind = part.lines[-1], len(part.lines) - 1 - at
    if part.after is None:
        return _bottom(part, file, window, (at, row))
    if not behind:
        return row + 1, []
    if _is_run(file, part.lines[at + 1 :], row + 1) and row + 1 + behind <= window.end:
        return row + 1 + behind, []
    closing = _closing_row(part, file, (at, row))
    if row < closing < window.end:
        below = {*file.keys[closing + 1 : min(closing + 1 + len(part.lines), window.end)]}
        below.difference_update(file.keys[row + 1 : closing])
        again = [line for line in part.lines[at + 1 :] if line.strip(BLANK) in below and not is_trivial(line)]
        return _standing(part, again[0], closing + 1) if again else (closing + 1, [])
    rows = file.rows([last], row + 1, window.end) if not is_closer(last) else []
    edge = _edge_row(part, file, len(part.lines) - 1, anchor, rows)
    if isinstance(edge, int):
        return edge + 1, []
    while at + 1 < len(part.lines) and row + 1 < window.end and file.keys[row + 1] == part.lines[at + 1].strip(BLANK):
        at, row = at + 1, row + 1
    while is_blank(part.lines[at]):
        at, row = at - 1, row - 1
    whole = _rest_of_block(part, file, window, (at, row))
    if whole >= 0:
        return whole, []
    if edge is not None and not is_trivial(last):
        return edge
    return _behind(part, file, window, (at, row))


def _closing_row(part: Part, file: File, anchor: Pair) -> int:
    """The row of the bracket that a part ends with, where it closes a block that its last anchor is in or opens; or -1.

    function two(x) {               the part's `}` is the one that ends `two`, whatever stands between
      return x << 1;
    }
    """
    at, row = anchor
    last = part.lines[-1]
    if not is_closer(last):
        return -1
    level = depth(last)
    if any(_is_outer(line, level + 1) for line in part.lines[at + 1 : -1]) or depth(part.lines[at]) < level:
        return -1  # it closes a new block
    if depth(part.lines[at]) == level and not opens_block(part.lines[at]):
        return -1
    shift = depth(file.lines[row]) - depth(part.lines[at])
    for below in range(row + 1, file.count):
        if _is_outer(file.lines[below], level + shift + 1) and below not in file.strings:
            same = file.keys[below] == last.strip(BLANK) and depth(file.lines[below]) == level + shift
            return below if same else -1
    return -1


def _rest_of_block(part: Part, file: File, window: Window, anchor: Pair) -> int:
    """The row behind a block whose last lines are shown in a new version, under a mark that stands outside it; or -1.

    def f(x):                       def f(x):
        y = x                           y = x
        return 2 * y                    return y
    # ... existing code ...

    In Python nothing can follow a `return` in its block: what the file has there gives way, whatever it is.
    """
    at, row = anchor
    new = solid(part.lines[at + 1 :])
    level = min((depth(line) for line in new), default=0)
    if not new or _mark_depth(part) >= level or depth(new[-1]) != level:
        return -1
    if depth(part.lines[at]) < level and not opens_block(part.lines[at]):
        return -1
    shift = depth(file.lines[row]) - depth(part.lines[at])
    far = min(window.end, row + 1 + 4 * (len(new) + _FEW))
    end = next((k for k in range(row + 1, far) if _is_outer(file.lines[k], level + shift)), far)
    if end == far < window.end:
        return -1
    end = max(row + 1, text_end(file.lines, end))
    gone = solid(file.lines[row + 1 : end])
    ends = [
        [one for one in lines if not is_closer(one) and depth(one) <= level + more]
        for lines, more in ((new, 0), (gone, shift))
    ]
    if not all(ends):
        return -1
    above = row if depth(file.lines[row]) < level + shift else file.outer(row, level + shift)
    header = file.lines[above] if above >= 0 else ""
    ends_it = ends[0][-1].split()[0] in ("return", "raise") and header.rstrip(BLANK).endswith(":")
    if ends_it and depth(header) - shift >= _mark_depth(part):
        return end
    if len(gone) > len(new) + _FEW or not _is_alike(ends[0][-1], ends[1][-1]):
        return -1
    return end if not _cost(file, row + 1, end, part.lines[at + 1 :])[0] else -1


def _is_alike(new: str, old: str) -> bool:
    """Whether a line is surely another in a new version: `run(x, 2)` for `run(x)`, not `print(a)` for `print(b)`."""
    first, second = ({*re.findall(r"\w+", line)} for line in (new, old))
    jumps = new.split(maxsplit=1)[0] == old.split(maxsplit=1)[0] in ("return", "raise", "throw")
    return is_kin(new, old) and (jumps or 2 * len(first & second) >= len(first | second))


def _bottom(part: Part, file: File, window: Window, anchor: Pair) -> tuple[int, list[str]] | Problem:
    """The end of a part with no mark behind it: the end of the file."""
    at, row = anchor
    bottom, last = text_end(file.lines, file.count), part.lines[-1]
    if row >= bottom:
        return _no_mark(part, "behind")
    loss = _cost(file, row + 1, bottom, part.lines[at + 1 :])[0]
    if not loss:
        return bottom, []
    closes = is_closer(last) and _closing_row(part, file, anchor) == bottom - 1
    same = file.keys[bottom - 1] == last.strip(BLANK) and not is_trivial(last)
    if same and not _is_in_lost_block(part, file, anchor, (len(part.lines) - 1, bottom - 1)):
        return bottom, []
    if closes or _rest_of_block(part, file, window, anchor) == bottom:
        return bottom, []
    return _no_mark(part, "behind")


def _behind(part: Part, file: File, window: Window, last: Pair) -> tuple[int, list[str]] | Problem:
    """The end of a part that ends with new lines, which go right below its last anchor."""
    at, row = last[0] + 1, last[1] + 1
    new = solid(part.lines[at:])
    if problem := _stand_elsewhere(part, file, part.lines[at:], (row, window.end)):
        return problem
    if not new:
        return row, []
    if is_trivial(new[-1]) and not _is_enclosed(new):
        return _unclear(part, "ends with a line that says too little to anchor it", _both_ends())
    if not is_trivial(part.lines[-1]) and (rows := file.rows(part.lines[-1:], 0, file.count)):
        return _standing(part, part.lines[-1], rows[0])
    following = _texts(file, range(row, window.end), min(len(new) + 2, _FEW))
    if _are_kin(new, following):
        return _unclear(part, "may replace the lines below its anchor or come before them", _both_ends())
    if part.blanks and following and not _is_gap(part, file, row, new):
        return _unclear(part, "may replace the lines below its anchor up to a blank one", _both_ends())
    if at:
        level, inner = depth(part.lines[at - 1]), _mark_depth(part)
        if depth(new[0]) > level and inner <= level:
            return _unclear(part, "may replace the block below its anchor or add to it", _both_ends())
        if depth(new[0]) <= level and following and depth(following[0]) > depth(file.lines[row - 1]):
            return _unclear(part, "would cut a block off from its first line", _both_ends())
    level = min(depth(line) for line in new)
    is_whole = any(_is_outer(line, level) for line in part.lines[:at])  # shown from its header on
    if following and is_whole and _mark_depth(part) < level <= depth(following[0]):
        return _unclear(part, "may replace the rest of a block or add to it", _both_ends())
    gap = part.blanks if row < file.count and not is_blank(file.lines[row]) else 0
    return row, [""] * gap


def _is_gap(part: Part, file: File, row: int, new: list[str]) -> bool:
    """Whether the blank line between the part and its mark is there, or only sets off a mark inside the block."""
    if is_blank(file.lines[row]):
        at = part.lines.index(new[0])
        return bool(part.lines[-len(new)].strip(BLANK)) and not (at > 0 and is_blank(part.lines[at - 1]))
    return part.blanks == 1 and _mark_depth(part) == depth(new[0]) > 0


def _is_enclosed(new: list[str]) -> bool:
    """Whether the last of the new lines belongs to a block that they open themselves."""
    level = depth(new[-1]) + is_closer(new[-1])
    opener = next((line for line in reversed(new[:-1]) if depth(line) < level), "")
    return not is_trivial(opener) and opens_block(opener)


# ── parts without an anchor ──────────────────────────────────────────────────────────────────────


def _without_anchor(part: Part, file: File, window: Window) -> Range | Problem:
    """A part of which no line, and no run of lines, stands once: new lines at an end of the file, or unchanged ones."""
    lines = part.lines
    if part.before is None and part.after is not None:
        return _new_top(part, file, window)
    rows = [row for row in file.rows(lines[:1], window.start, window.end) if _is_run(file, lines, row)]
    if rows and part.before is not None and part.after is not None and file.is_at(lines[0], rows[0]):
        return Range(rows[0], rows[0] + len(lines), lines)  # wherever it stands, nothing changes
    for line in (lines[0], lines[-1]):
        rows = [] if is_trivial(line) else file.rows([line], window.start, window.end)
        if len(rows) > 1:
            return _ambiguous(part, file, line, rows[:4])
    if part.after is None and not any(
        file.rows([line], 0, file.count) for line in solid(lines) if not is_trivial(line)
    ):
        return _no_mark(part, "behind")
    elsewhere = [
        row for line in (lines[0], lines[-1]) if not is_trivial(line) for row in file.rows([line], 0, file.count)
    ]
    if elsewhere:
        what = f"doesn't stand (line {elsewhere[0] + 1}) between the parts around it"
        return _unclear(part, what, "Show the parts in the file's order.")
    return _unclear(part, "has no line at its beginning or end that stands in the file once", _both_ends())


def _new_top(part: Part, file: File, window: Window) -> Range | Problem:
    """New lines for the top of the file: below a shebang, a licence and the like, or in place of a first line."""
    row = place_for(part.lines, file.lines, file.path)
    if row < 0:
        return _no_place(part, file)
    row = text_start(file.lines, row) if row else text_start(file.lines, 0)
    first = _texts(file, range(row, file.count), 1)
    if len(part.lines) == 1 and first and not is_prose(file.path) and _is_same_statement(part.lines[0], first[0]):
        return Range(row, row + 1, part.lines)
    end = _behind(part, file, window, (-1, row - 1))
    return end if isinstance(end, Problem) else Range(row, row, [*part.lines, *end[1]])


_IMPORTS = re.compile(
    r"""(?:import\s*\{(?P<one>[^{}]*)\}\s*from\s*(?P<from>["'][^"']+["']);?|from\s+(?P<module>[\w.]+)\s+import\s+(?P<two>[\w\s,]+))$"""
)
_NAMED = re.compile(r"((?:(?:export|const|let|var|final|static|public|private)\s+)*([\w.]+))(?:\s*=(?![=>])|:\s)(.*)")


def _is_same_statement(new: str, old: str) -> bool:
    """Whether a line is another in a new version, and both can't stand: a constant's new value, one import more."""
    one, two = _NAMED.match(new), _NAMED.match(old)
    if one and two:
        # `PATH=/opt:$PATH` may be added to `PATH=/bin`.
        return one[1] == two[1] and one[2] not in re.findall(r"[\w.]+", one[3])
    one, two = _IMPORTS.match(new.strip(BLANK)), _IMPORTS.match(old.strip(BLANK))
    if not one or not two or (one["from"], one["module"]) != (two["from"], two["module"]):
        return False
    names = [{name.strip() for name in (match["one"] or match["two"]).split(",")} for match in (one, two)]
    return names[0] >= names[1]


# ── weighing ─────────────────────────────────────────────────────────────────────────────────────


def _cost(file: File, start: int, end: int, shown: Sequence[str]) -> tuple[int, int]:
    """How many rows start..end would go for good if lines took their place, and how many lines would be new.

    A row that comes again in another form doesn't go: `run(1)` for `run()`.
    """
    if end - start > 3 * len(shown) + _FEW:
        return end - start - len(shown), 0
    old = file.keys[start:end]
    ranges = opcodes(old, [line.strip(BLANK) for line in shown])
    gone = solid([file.lines[start + row] for low, high, _, _ in ranges for row in range(low, high)])
    new = solid([shown[at] for _, _, low, high in ranges for at in range(low, high)])
    if len(gone) > _FEW or len(new) > 4 * _FEW:
        return len(gone), len(new)
    lost = sum(not any(is_kin(line, other) for line in new) for other in gone)
    lost = max(lost, len(gone) - len(new))
    return lost, max(0, len(new) - (len(gone) - lost))


def _edge_row(part: Part, file: File, at: int, anchor: Pair, rows: list[int]) -> int | Problem | None:
    """The row of the part's first or last line, out of those where it stands, the nearest first; None for no rows.

    The nearest where nothing goes for good, unless a further one has less that is new. Where something goes, the line
    may stand in one place only. A line in another block than the anchor counts only if there is no other.
    """
    line = part.lines[at]
    rows = [row for row in rows if _as_deep(file, part, (at, row), anchor)]
    near = rows[:_NEAREST]
    if not rows:
        return None
    ends = [sorted(((at, row), anchor)) for row in near]
    sound = [row for row, (one, two) in zip(near, ends, strict=True) if not _is_in_lost_block(part, file, one, two)]
    if sound and len(rows) <= _NEAREST:
        near = rows = sound
    shown = part.lines[: anchor[0]] if at < anchor[0] else part.lines[anchor[0] + 1 :]
    costs = [_cost(file, *((row, anchor[1]) if at < anchor[0] else (anchor[1] + 1, row + 1)), shown) for row in near]
    loss, new = min(costs)
    best = near[costs.index((loss, new))]
    if loss and is_trivial(line):
        return _unclear(part, "begins or ends with nothing that means one place", _both_ends())
    rival = any(lost <= 3 * (new - more) + 2 for lost, more in costs if more < new)
    # Two lines or more that stand in both places tell nothing, unless much would go in the other.
    runs = [_telling_run(file, at, row, shown) for row in near]
    few = [run for run, (lost, _) in zip(runs, costs, strict=True) if lost <= len(part.lines) + 2]
    rival = rival or (new > 0 and max(runs) > 1 and few.count(max(runs)) > 1)
    if (loss and len(rows) > 1) or (not loss and rival):
        return _ambiguous(part, file, line, sorted(rows[:4]))
    return best if best in sound or not loss else _standing(part, line, best)


def _telling_run(file: File, at: int, row: int, shown: Sequence[str]) -> int:
    """How many lines that say something a part has from its first on, or up to its last, as the file has at a row."""
    step = 1 if at == 0 else -1
    count = 0
    for line, there in zip(shown[::step], range(row, file.count if step > 0 else -1, step), strict=False):
        if file.keys[there] != line.strip(BLANK):
            break
        count += not is_trivial(line)
    return count


def _is_run(file: File, lines: Sequence[str], row: int) -> bool:
    """Whether lines stand from a row on."""
    return row >= 0 and file.keys[row : row + len(lines)] == [line.strip(BLANK) for line in lines]


def _as_deep(file: File, part: Part, pair: Pair, anchor: Pair) -> bool:
    """Whether a line is indented against its row as an anchor is against its own."""
    shown, there = part.lines[anchor[0]], file.lines[anchor[1]]
    if indent_of(shown) == indent_of(there):
        return indent_of(part.lines[pair[0]]) == indent_of(file.lines[pair[1]])
    return depth(file.lines[pair[1]]) - depth(part.lines[pair[0]]) == depth(there) - depth(shown)


def _are_kin(new: list[str], there: list[str]) -> bool:
    """Whether one of the new lines may be another version of one that would stay beside it.

    What stands in a block that is itself new is none: every second function ends with `return result`.
    """
    level = min(depth(line) for line in new)
    told = [line for line in new if not is_trivial(line) and (depth(line) == level or not opens_block(new[0]))]
    return any(is_kin(line, other) or is_kin_head(line, other) for line in told for other in there)


def _texts(file: File, rows: Iterable[int], count: int) -> list[str]:
    """The first lines of text at some rows."""
    return list(islice((file.lines[row] for row in rows if not is_blank(file.lines[row])), count))


def _stand_elsewhere(part: Part, file: File, rest: list[str], rows: tuple[int, int]) -> Problem | None:
    """A problem where a line that would be added stands there already: then it isn't known what was meant."""
    for line in rest:
        found = [] if is_trivial(line) else file.rows([line], *rows)
        if found:
            return _standing(part, line, found[0])
    return None


def _is_outer(line: str, level: int) -> bool:
    return not is_blank(line) and depth(line) < level


def _is_short(line: str) -> bool:
    """Whether a line at the top of a file may be the first one of something else as well; a ruler is none."""
    return is_trivial(line) and len(line.strip()) < 8


_NOT_NAMES = frozenset(
    ("if", "for", "foreach", "while", "until", "unless", "switch", "match", "catch", "with", "return", "else", "do")
)
_KEYWORD = re.compile(
    r"(?:^|\s)(?:def|class|function\*?|func|fn|interface|struct|enum|trait|impl|module|namespace|record|object|protocol)"
    r"\s+(?:\([^()]*\)\s*)?([A-Za-z_$][\w$]*)"
)
_METHOD = re.compile(r"^(?:[\w$<>\[\],.:&*?~@]+\s+)*[*&]*([A-Za-z_$~][\w$]*)\s*(?:<[^<>]*>)?\(")
_ARROW = re.compile(r"^(?:export\s+)?(?:const|let|var)\s+([A-Za-z_$][\w$]*)\b.*=>?.*[({]$")


_COMMENT = re.compile(r"\s+(?:#|//)\s.*$")


def _declared(key: str) -> str:
    """The name of the function or class whose block a line begins; "" where it begins none."""
    key = _COMMENT.sub("", key)
    if not key or not (key[0].isalpha() or key[0] in "_$*~") or key[-1] not in ":{(,)>":
        return ""
    if (match := _KEYWORD.search(key)) and key[-1] not in ",)>":
        return match[1]
    if key[-1] == "{" and ((match := _METHOD.match(key)) or (match := _ARROW.match(key))):
        words = key[: match.end(1)].split()
        return "" if _NOT_NAMES.intersection(words) or match[1] in _NOT_NAMES else match[1]
    return ""


# ── from rows to splices ─────────────────────────────────────────────────────────────────────────


def _spliced(part: Part, file: File, window: Window, placed: Range) -> list[Splice] | Problem:
    """What really changes, unless something in it is doubtful."""
    how, lines = "exact", placed.lines
    if _is_shifted(file, placed):
        how = "indentation"
        moved = _shifted(part, file, placed)
        if isinstance(moved, Problem):
            return moved
        lines = moved
    splices = _differences(file.lines, placed._replace(lines=lines), how)
    if how != "exact" and any(one.start == one.end and all(map(is_trivial, one.lines)) for one in splices):
        return _unclear(
            part, "is indented otherwise than the file and adds nothing but brackets", "Copy the lines exactly."
        )
    return _edge_doubt(part, file, window, (placed, splices)) or _moved_line(file, splices) or splices


def _is_shifted(file: File, placed: Range) -> bool:
    """Whether the first or last line stands in the file with another indentation."""
    if placed.start == placed.end:
        return False
    edges = ((0, placed.start), (-1, placed.end - 1))
    same = [(at, row) for at, row in edges if placed.lines[at].strip(BLANK) == file.keys[row]]
    if not same:
        same = [(at, row) for row in range(placed.start, placed.end) for at in _only(placed.lines, file.keys[row])]
    return any(indent_of(placed.lines[at]) != indent_of(file.lines[row]) for at, row in same)


def _only(lines: list[str], key: str) -> list[int]:
    found = [at for at, line in enumerate(lines) if key and line.strip(BLANK) == key]
    return found if len(found) == 1 else []


def _shifted(part: Part, file: File, placed: Range) -> list[str] | Problem:
    """The lines indented as those that stay show, if these show one way only."""
    rows = _kept_rows(file, part._replace(lines=placed.lines), placed)
    said, there = [placed.lines[at] for at in rows], [file.lines[row] for row in rows.values()]
    table = learnt(said, there)
    moved = mapped(placed.lines, said, there, file.habits)
    if moved is None or not (moved is placed.lines or _is_sensible(placed.lines, table or {})):
        return _unclear(part, "is indented otherwise than the file, and not in one way only", "Copy the lines exactly.")
    lines = list(moved)
    for at, opener in string_lines(placed.lines, lexed_as(file.path)).items():
        # The contents of new strings stay as they are shown.
        lines[at] = placed.lines[at] if not rows.keys() & {at, opener} else lines[at]
    return lines


def _is_sensible(lines: list[str], table: dict[str, str]) -> bool:
    """Whether every line whose indentation no line shows stands as it can: no closing bracket, none left deep."""
    above = ""
    for line in solid(lines):
        deep = depth(line) > depth(above) and (not opens_block(above) or above.rstrip(BLANK).endswith(","))
        flat = above.rstrip(BLANK).endswith(("{", ":")) and depth(line) <= depth(above)
        if indent_of(line) not in table and (deep or flat or is_closer(line)):
            return False
        above = line
    return True


def _differences(lines: Sequence[str], placed: Range, how: str) -> list[Splice]:
    """What really changes; the rest keeps the file's bytes, and so do lines that only lost blanks at their ends."""
    old, new = lines[placed.start : placed.end], placed.lines
    ranges = opcodes([line.rstrip(BLANK) for line in old], [line.rstrip(BLANK) for line in new])
    return [Splice(placed.start + a, placed.start + b, tuple(new[c:d]), how) for a, b, c, d in ranges]


def _edge_doubt(part: Part, file: File, window: Window, made: tuple[Range, list[Splice]]) -> Problem | None:
    """A problem where blank lines between the part and its marks aren't in the file: lines may be meant to go there.

    One blank line often only sets off the mark.
    """
    placed, splices = made
    if (not part.lead and not part.blanks) or len(placed.lines) > len(part.lines) or placed.start == placed.end:
        return None
    new = [line for splice in splices for line in splice.lines]
    low = max(window.start, placed.start - max(part.lead, len(part.lines) + 2))
    high = min(window.end, placed.end + max(part.blanks, len(part.lines) + 2))
    for mark, blanks, edge, beyond in (
        (part.after, part.blanks, part.lines[-1], file.lines[placed.end : high]),
        (part.before, part.lead, part.lines[0], file.lines[low : placed.start][::-1]),
    ):
        there = next((at for at, line in enumerate(beyond[:blanks]) if not is_blank(line)), blanks)
        near = solid(beyond[: len(part.lines) + 2])
        if mark is None or there == blanks or not near:
            continue
        known = {line.strip(BLANK) for line in near if not is_trivial(line)}
        doubtful = not splices or _goes_on(mark, edge, near[0]) or any(line.strip(BLANK) in known for line in new)
        if blanks - there > 1 or (doubtful and not opens_block(edge)):
            what = "has blank lines at its edge that the file doesn't have; it isn't clear whether lines go there"
            return _unclear(part, what, _both_ends())
    return None


def _goes_on(mark: str, edge: str, beyond: str) -> bool:
    """Whether the file goes on behind a part as it ended, and the mark doesn't stand there like one line more."""
    return not is_trivial(beyond) and depth(beyond) == depth(edge) and not 0 < depth(mark) == depth(edge)


def _moved_line(file: File, splices: list[Splice]) -> Problem | None:
    """A problem where lines are indented otherwise, and no block that is opened or closed around them says why."""
    row = next((splice.start for splice in splices if _is_stray(file, splice)), -1)
    for splice in splices if row < 0 else ():
        shift = low = 0
        for moved, at in _moved_rows(file.lines, splice):
            new = depth(splice.lines[at])
            # Lines that go on as far in as the one above moved with it.
            if new - depth(file.lines[moved]) == shift != 0 and new >= low:
                continue
            if not _is_rewrapped(file, splice, (moved, at)):
                row = moved if row < 0 else row
            shift, low = new - depth(file.lines[moved]), new
    if row < 0:
        return None
    detail = f"line {row + 1} is shown with another indentation; is it meant to move?"
    advice = "Show unchanged lines exactly as they are; to move them use another format."
    return Problem("elision", detail, line=row + 1, advice=advice)


def _is_stray(file: File, splice: Splice) -> bool:
    """Whether new lines are indented by tabs in a file that has none, or by spaces in one that has but tabs."""
    lines = [line for line in splice.lines if line[:1] in ("\t", " ") and not is_blank(line)]
    return bool(lines and file.stray) and any(line.startswith(file.stray) for line in lines)


def _moved_rows(lines: Sequence[str], splice: Splice) -> list[Pair]:
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


def _is_rewrapped(file: File, splice: Splice, moved: Pair) -> bool:
    """Whether a line moves by one level because a new line above it opens a block, or one that opened it goes."""
    row, at = moved
    lines, unit = file.lines, depth(file.habits.unit + "x")
    old, new = depth(lines[row]), depth(splice.lines[at])
    if new == old + unit:
        opener = next((line for line in reversed(splice.lines[:at]) if _is_outer(line, new)), "")
        return depth(opener) == old and opens_block(opener) and opener not in lines[splice.start : row]
    opener = next((lines[k] for k in range(row - 1, splice.start - 1, -1) if _is_outer(lines[k], old)), "")
    above = next((line for line in reversed(splice.lines[:at]) if not is_blank(line)), "")
    return new == old - unit and depth(opener) == new and opens_block(opener) and not (above and opens_block(above))


# ── refusals ─────────────────────────────────────────────────────────────────────────────────────


def _both_ends() -> str:
    """The advice that nearly always helps."""
    return "Begin and end the part with lines that stay, each standing in the file only once."


def _unclear(part: Part, what: str, advice: str) -> Problem:
    """A part that can be read in two ways, or in none."""
    return Problem("elision", f"part {part.number} (`{part.lines[0].strip()}`) {what}", advice=advice)


def _ambiguous(part: Part, file: File, line: str, rows: list[int]) -> Problem:
    """An anchor that stands in several places."""
    listed = ", ".join(str(row + 1) for row in rows[:3]) + (", …" if len(rows) > 3 else "")
    near = tuple(Near(row + 1, tuple(file.lines[row : row + 1])) for row in rows[:3])
    detail = f"part {part.number}: `{line.strip()}` stands at more than one place: line {listed}"
    return Problem("ambiguous", detail, line=rows[0] + 1, advice="Add a neighbouring line that stays.", near=near)


def _standing(part: Part, line: str, row: int) -> Problem:
    """A line that is in the file, but where it can't be meant."""
    detail = f"part {part.number}: `{line.strip()}` stands at line {row + 1} already, but not where the part has it"
    return Problem("ambiguous", detail, line=row + 1, advice=_both_ends())


def _no_mark(part: Part, side: str) -> Problem:
    """A part at an edge of the file that neither holds that edge nor has a mark towards it."""
    edge = "first" if side == "before" else "last"
    detail = f"part {part.number} doesn't hold the file's {edge} line, and no mark {side} it says that lines stay there"
    return Problem("elision", detail, advice=f"Put a mark {side} the part, or the file's {edge} lines into it.")


def _no_place(part: Part, file: File) -> Problem:
    """A part for the top of the file, where something stands that must stay the first."""
    first = next((line for line in file.lines if not is_blank(line)), "")
    what = f"would go above or into what the file begins with (`{first.strip()[:60]}`)"
    return _unclear(part, what, "Show the lines it goes between.")


def _vain(part: Part, mark: str) -> Problem:
    """A mark without dots where the file has nothing to leave out: it may be a comment that is to be written."""
    what = f"has `{mark.strip()}` beside it, where the file has nothing that could be left out"
    return _unclear(part, what, "Leave it out; to write it as a comment, use another format.")
