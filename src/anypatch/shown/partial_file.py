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
there is to find out. Of all pairs of rows where these lines stand those count that keep the most lines at both ends, up
to three, as a diff has them. All parts are then assigned together, in order, and a place is put aside only for one that
beats it: lines that stand in the file once tell, those that it keeps and those that the other would take away for good.
Where two assignments are left that differ in their text, nothing is laid over. A closing bracket stands where its block
ends, a header that changed where the block of its name begins; lines beyond those that stand nowhere go next to them.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from itertools import islice, takewhile

from ..diff import opcodes
from ..model import LineSplice, Merge
from ..parsing.elision import is_dotted, is_prose
from ..problems import Near, Problem
from ..record import NamedTuple
from ..similarity import ALIKE_ENDS, ends_alike
from ..syntax.top import place_for
from ..text import BLANK, depth_of, indent_of, is_blank, spliced, stripped
from .definitions import BOTH_ENDS, declared_by, stands_twice
from .habits import Habits, learnt, lexed_as, mapped, string_lines
from .line_kinds import (
    is_closer,
    is_kin,
    is_kin_head,
    is_shallower,
    is_trivial,
    opens_block,
    solid,
    text_end,
    text_start,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import TypeGuard

    Pair = tuple[int, int]  # a line of a part, the row of the file that it is

_FEW = 60  # lines that are compared each with each
_NEAREST = 3  # rows of an edge that are looked at from the other one
_MANY = 100  # rows at which an edge may stand
_FAR = 1 << 60  # beyond every row
_BLOCK = 5  # rows that are soon taken away together
_MANIFOLD = 8  # so many rows that would go outweigh a line that would come a second time
_CONTEXT = 3  # lines that stay at an end of a part, as a diff has them; more say no more


class Part(NamedTuple):
    """What stands between two marks, without blank edges; the marks (None where there is none), its line in the patch.

    `lead`, `blanks`: how many blank lines it has at its beginning and end.
    """

    number: int
    lines: list[str]
    before: str | None
    after: str | None
    lead: int
    blanks: int
    line: int


class Range(NamedTuple):
    """Rows start..end of the file give way to `lines`."""

    start: int
    end: int
    lines: list[str]


class Window(NamedTuple):
    """The rows start..end in which a part may stand; `above`: the depth of the block that they are, and its row."""

    start: int
    end: int
    above: tuple[Pair, ...] = ()


class File:
    """The lines of the file, and where each of them stands."""

    def __init__(self, lines: Sequence[str], path: str) -> None:
        self.lines = lines
        self.path = path
        self.keys = stripped(lines)
        self.count = len(lines)
        self.prose = is_prose(path)
        self._rows: dict[str, list[int]] = {}
        self._ends: dict[int, int] = {}
        self._headers: dict[str, list[int]] | None = None
        self._strings: dict[int, int] | None = None
        self._outer: list[int] | None = None
        self.habits = Habits(lines)

    def rows(self, line: str, start: int = 0, end: int = _FAR) -> list[int]:
        """The rows inside start..end at which a line stands, however indented."""
        if not self._rows:
            for row, key in enumerate(self.keys):
                self._rows.setdefault(key, []).append(row)
        found = self._rows.get(line.strip(BLANK), [])
        return found[bisect_left(found, start) : bisect_left(found, end)]

    def is_at(self, line: str, row: int) -> bool:
        """Whether a line is that row, with its indentation."""
        return 0 <= row < self.count and self.lines[row].rstrip(BLANK) == line.rstrip(BLANK)

    def block_end(self, row: int) -> int:
        """The row behind the block that a row opens, its closing bracket included, by indentation."""
        if row not in self._ends:
            self._ends[row] = self._block_end(row)
        return self._ends[row]

    def _block_end(self, row: int) -> int:
        level, braced = depth_of(self.lines[row]), self.keys[row].endswith(("{", "(", "["))
        for at in range(row + 1, self.count):
            key = self.keys[at]
            if not key or depth_of(self.lines[at]) > level or at in self.strings:
                continue
            if depth_of(self.lines[at]) == level:
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

    def declared(self, row: int) -> str:
        """The name of the function or class whose block a row begins; "" where it begins none, and in text."""
        return declared_by(self.keys[row]) if not self.prose else ""

    def headers(self, name: str, start: int = 0, end: int = _FAR) -> list[int]:
        """The rows inside start..end that begin the block of a function or class of that name."""
        if self._headers is None:
            self._headers = {}
            for row in range(self.count):
                if declared := self.declared(row):
                    self._headers.setdefault(declared, []).append(row)
        return [row for row in self._headers.get(name, []) if start <= row < end]

    def outer(self, row: int, level: int = 0) -> int:
        """The nearest row above that is less deep than a row, and than `level` if that is given; -1 for none."""
        if self._outer is None:
            self._outer = []
            above: list[tuple[int, int]] = []
            for at, line in enumerate(self.lines):
                deep = depth_of(line)
                while above and not is_blank(line) and above[-1][0] >= deep:
                    above.pop()
                self._outer.append(above[-1][1] if above else -1)
                if not is_blank(line):
                    above.append((deep, at))
        row = self._outer[row]
        while level and row >= 0 and depth_of(self.lines[row]) >= level:
            row = self._outer[row]
        return row


def lay_over(lines: Sequence[str], merge: Merge, path: str = "") -> list[LineSplice] | Problem:
    """The splices that make the file what is shown of it with marks. `path`: tells its language."""
    parts, file = _parts_of(merge), File(lines, path)
    made = _in_order(parts, file)
    if isinstance(made, Problem) and len(parts) > 1 and not any(_is_weak(merge.shown[row]) for row in merge.marks):
        alone = _each_alone(parts, file)
        made = made if alone is None else alone
    return made if isinstance(made, Problem) else stands_twice(file, made) or made


def lay_over_function(lines: Sequence[str], merge: Merge, path: str = "") -> list[LineSplice] | Problem | None:
    """The splices of one function that is shown with marks inside, and none around it; None for anything else.

    def total(self):                    its own lines are all that is spoken of
        # ... existing code ...
        return 2 * rate
    """
    file = File(lines, path)
    rows = [row for row, line in enumerate(merge.shown) if not is_blank(line)]
    head, last = merge.shown[rows[0]], merge.shown[rows[-1]]
    found = file.rows(head)
    if rows[0] in merge.marks or len(found) != 1 or not file.declared(found[0]) or re.search(_TYPE, head):
        return None
    flat = [merge.shown[row].strip(BLANK) for row in rows[1:-1] if depth_of(merge.shown[row]) <= depth_of(head)]
    if any(line != "{" and line[0] not in ")]" for line in flat):
        return None
    if depth_of(last) <= depth_of(head) and not is_closer(last):
        return None
    start = found[0]
    is_below = start + 1 < file.count and file.keys[start + 1] == "{"
    end = file.block_end(start + is_below)
    while end > start and (is_blank(lines[end - 1]) or file.keys[end - 1][0] in "#@"):
        end -= 1  # what belongs to the next one
    splices = lay_within(lines, merge, path, (start, end))
    return splices if isinstance(splices, Problem) else stands_twice(file, splices) or splices


def lay_within(lines: Sequence[str], merge: Merge, path: str, rows: Pair) -> list[LineSplice] | Problem:
    """The splices of a function of which some is shown with marks: its rows are the file, no others are spoken of."""
    start, end = rows
    made = lay_over(lines[start:end], merge, path)
    if isinstance(made, Problem):
        return made._replace(line=made.line + start if made.line else 0)
    splices = [one._replace(start=one.start + start, end=one.end + start) for one in made]
    lost = next((one for one in splices if _loses_lines(lines, one)), None)
    if lost is None:
        return splices
    detail = f"`{lines[lost.start].strip(BLANK)[:80]}` isn't shown, and no mark stands for it"
    advice = "Put `... existing code ...` where lines stay that aren't shown, or show them."
    return Problem("elision", detail, patch_line=merge.patch_line, line=lost.start + 1, advice=advice)


_TYPE = r"\b(?:class|struct|interface|enum|trait|impl|module|defmodule|object|namespace|extension|record)\b"


def _loses_lines(lines: Sequence[str], splice: LineSplice) -> bool:
    """Whether a splice takes out what may only not be shown: comments or a docstring, or much for little."""
    gone, come = (stripped(solid(some)) for some in (lines[splice.start : splice.end], splice.lines))
    said, new = (sum(line.startswith(("#", "//", "/*", "*", '"', "'")) for line in some) for some in (gone, come))
    return said > new or len(gone) > 2 * len(come) + 2


def _parts_of(merge: Merge) -> list[Part]:
    """The parts of what is shown. Of marks with nothing between them the last one counts."""
    shown, rows = merge.shown, merge.parts
    marks = [start - 1 for start, _ in rows] + [merge.marks[-1] if merge.marks[-1] >= rows[-1][1] else -1]
    said = [shown[mark] if mark >= 0 else None for mark in marks]
    parts = []
    for at, (start, end) in enumerate(rows):
        first, last = text_start(shown, start), text_end(shown, end)
        lines, blanks = list(shown[first:last]), (first - start, end - last)
        parts.append(Part(at + 1, lines, said[at], said[at + 1], *blanks, merge.line_of(first)))
    return parts


def _mark_depth(part: Part) -> int:
    """How deep the mark behind a part stands; the end of the file is outside of everything."""
    return depth_of(part.after or "")


def _is_weak(mark: str | None) -> TypeGuard[str]:
    """Whether a mark is only a comment's words, without dots."""
    return mark is not None and not is_blank(mark) and not is_dotted(mark)


# ── the parts together ───────────────────────────────────────────────────────────────────────────


class Place(NamedTuple):
    """Rows start..end that a part may stand for: its line `head` is the first of them, its line `tail` the last."""

    start: int
    end: int
    head: int
    tail: int
    context: int = 0  # lines that stay at its beginning and at its end, the fewer of the two, up to three
    kept: int = 0  # lines that stay
    once: int = 0  # lines that stand in the file once, and there
    new: int = 0  # lines that would come
    gone: int = 0  # rows that would go
    shrunk: int = 0  # by how many the rows that go are more than the lines that come for them
    lost: int = 0  # rows that go and come in no other form
    lone: int = 0  # those of them that stand in the file once
    words: int = 0  # words and signs that come or go
    above: int = 0  # rows above the first change that may go with it, by what it is
    below: int = 0  # rows below the last one
    whole: bool = True  # whether no function or class goes with them, or would stand there twice
    changes: bool = True  # whether it isn't as the file has it, be it by a blank line


def _in_order(parts: list[Part], file: File) -> list[LineSplice] | Problem:
    """The parts one below the other, if they can stand so in one way only."""
    found: list[list[Place]] = []
    floor = 0  # no part above can end above it
    for at, part in enumerate(parts):
        window = _window(parts, at, file)
        places = _places(part, file, window._replace(start=max(window.start, floor)))
        if isinstance(places, Problem):
            return places._replace(patch_line=part.line)
        found.append(places)
        floor = max(floor, min(place.end for place in places))
    chosen = _assigned(parts, file, found)
    if isinstance(chosen, Problem):
        return chosen
    splices: list[LineSplice] = []
    floor = 0
    for at, (part, place) in enumerate(zip(parts, chosen, strict=True)):
        ceiling = chosen[at + 1].start if at + 1 < len(parts) else file.count
        window = Window(floor, max(ceiling, place.end))
        if _is_weak(part.before) and not solid(file.lines[floor : place.start]):
            return _vain(part, part.before)
        spliced = _laid(part, file, window, place)
        if isinstance(spliced, Problem):
            return spliced._replace(patch_line=part.line)
        floor = max(floor, place.end)
        splices += spliced
    if _is_weak(parts[-1].after) and not solid(file.lines[floor:]):
        return _vain(parts[-1], parts[-1].after)
    return splices


def _assigned(parts: list[Part], file: File, found: list[list[Place]]) -> list[Place] | Problem:
    """One place for each part, in order; a problem where there is none, or another that gives another text.

    Of the places that some order allows those are left that no other one beats; that may leave fewer orders.
    """
    count = 0
    while count != (count := sum(map(len, found))):
        for part, places, fitting in zip(parts, found, in_order := _in_some_order(found), strict=True):
            if not fitting:
                what = f"isn't between the parts around it, but at line {places[0].start + 1}"
                return _unclear(part, what, "Show the parts in the file's order.")._replace(patch_line=part.line)
        found = [
            [one for one in places if not any(_beats(other, one) > _beats(one, other) for other in places)]
            for part, places in zip(parts, in_order, strict=True)
        ]
    for part, (own, *others) in zip(parts, found, strict=True):
        for other in others:
            if not _is_same_result(file, [_changed(part, file, one) for one in (own, other)]):
                same = own.start == other.start
                rows = sorted({own.end - 1, other.end - 1} if same else {own.start, other.start})
                edge = part.lines[own.tail if same else own.head]
                return _ambiguous(part, file, edge, rows)._replace(patch_line=part.line)
        if not own.whole:
            return _swallowing(part, file, own)._replace(patch_line=part.line)
    return [places[0] for places in found]


def _in_some_order(found: list[list[Place]]) -> list[list[Place]]:
    """The places of each part that have one for every other part above or below them."""
    fitting: list[list[Place]] = []
    floor = 0
    for places in found:
        fitting.append([one for one in places if one.start >= floor])
        floor = min((one.end for one in fitting[-1]), default=_FAR)
    ceiling = _FAR
    for at in range(len(fitting) - 1, -1, -1):
        fitting[at] = [one for one in fitting[at] if one.end <= ceiling]
        ceiling = max((one.start for one in fitting[at]), default=-1)
    return fitting


def _beats(one: Place, other: Place) -> bool:
    """Whether a place leaves no doubt that the other isn't meant.

    Two things tell. A line that stands in the file once stays where it stands (`once`), rather than come a second time.
    A row that stands in the file once doesn't go without a word (`lone`), as where an edge has a twin beyond it.
    What stands there as it is shown tells nothing: next to it may be what is to change.
    """
    if not (one.changes and other.changes):
        return not one.changes and not other.whole and other.new > 0
    told, spared = one.once - other.once, other.lone - one.lone
    is_inner = other.start <= one.start and one.end <= other.end
    # What is added may have lines of what stands beside it: most functions end with `return result`.
    if is_inner and not one.gone and one.once and one.whole > other.whole and -2 * told < one.new:
        return True
    if one.context < other.context:
        return False
    if is_inner:
        if told < 0:
            return not one.gone and spared > -_MANIFOLD * told
        return spared > _doubt(one, other)
    if one.start <= other.start and other.end <= one.end:
        if told <= 0:
            # a(2), b(), c(2) for a(1), b(), c(1): `b()` stays, though it stands elsewhere, too
            return told == spared == 0 < other.gone and not one.shrunk and one.kept > other.kept
        most = 3 * told >= other.new and (told > 1 or 2 * told >= other.new)
        if not other.gone:
            return spared >= 0 and (most or told >= _BLOCK)
        if other.lost + other.shrunk:
            return spared > -_BLOCK and (one.kept > other.kept + 1 or (told > 1 and one.kept > other.kept))
        # Where each line that goes comes in another form, the rest may be a copy of what stands beyond.
        return spared >= 0 and not one.shrunk and one.kept > other.kept + 1 and (told > 1 or most)
    alike = told >= 0 and one.kept >= other.kept and spared >= 0 and one.whole >= other.whole
    return alike and 3 * one.words + _FEW // 6 <= other.words


def _doubt(near: Place, far: Place) -> int:
    """How many rows that stand in the file once may go beyond those of a nearer place, and both still be meant.

    The change next to the edge that has a twin tells: what is added or replaced is all that changes there, but where
    rows go more of them may.
    """
    doubt = max(near.above if far.start < near.start else 0, near.below if near.end < far.end else 0)
    return max(doubt, _BLOCK) if far.kept > near.kept and (doubt or near.context < _CONTEXT) else doubt


def _side_doubt(gone: list[str], come: list[str]) -> int:
    """How many rows beyond a change may go with it: none where lines are added, any where some only go."""
    if not gone or not come:
        return _FAR if gone else 0
    old, new = (Counter(re.findall(r"\w+", "\n".join(lines))) for lines in (gone, come))
    alike = 2 * (old & new).total() >= old.total()
    if len(gone) == len(come):
        return 1 if alike else _BLOCK
    return _BLOCK if alike or len(gone) < len(come) else _FAR


def _words_changed(gone: list[str], come: list[str]) -> int:
    """How many words and signs come or go."""
    old, new = (Counter(re.findall(r"\w+|[^\w\s]", "\n".join(lines))) for lines in (gone, come))
    return (old - new).total() + (new - old).total()


def _is_same_result(file: File, changes: list[list[LineSplice]]) -> bool:
    """Whether two readings give the same text, blank lines aside."""
    one, two = (solid(spliced(list(file.lines), splices)) for splices in changes)
    return one == two


def _changed(part: Part, file: File, place: Place) -> list[LineSplice]:
    return _differences(file.lines, Range(place.start, place.end, part.lines), "exact")


def _each_alone(parts: list[Part], file: File) -> list[LineSplice] | None:
    """The parts wherever they stand, if each begins and ends with a line of the file, and none meets another."""
    placed: list[tuple[Place, list[LineSplice]]] = []
    taken = bytearray(file.count)
    for part in parts:
        found = _places(part, file, Window(0, file.count))
        chosen = found if isinstance(found, Problem) else _assigned([part], file, [found])
        if isinstance(chosen, Problem):
            return None
        place = chosen[0]
        edges = part.lines[0], part.lines[-1]
        if (place.head, place.tail) != (0, len(part.lines) - 1) or any(map(is_trivial, edges)):
            return None
        made = _laid(part, file, Window(0, file.count), place)
        if taken.find(1, place.start, place.end) >= 0 or isinstance(made, Problem):
            return None
        taken[place.start : place.end] = b"\1" * (place.end - place.start)
        placed.append((place, made))
    placed.sort(key=lambda one: one[0].start)
    return [splice for _, made in placed for splice in made]


def _window(parts: list[Part], number: int, file: File) -> Window:
    """The rows of the block that a part is shown in.

    class A {                       `run` stands in other classes too; shown inside of `class A {` it is that of A.
      // ... existing code ...
      run() {
    """
    shown = parts[number].lines
    inner = next(
        (at for at in range(len(shown), 0, -1) if not is_closer(shown[at - 1]) and not is_blank(shown[at - 1])), 0
    )
    level = min(depth_of(line) for line in solid(shown[:inner] or shown))
    for part in reversed(parts[:number]):
        level = min(level, _mark_depth(part))
        for at in range(len(part.lines) - 1, -1, -1):
            line = part.lines[at]
            if is_blank(line) or depth_of(line) >= level:
                continue
            level = depth_of(line)
            rows = _rows_of(part, file, at, Window(0, file.count))
            if opens_block(line) and len(rows) == 1 and depth_of(file.lines[rows[0]]) == level:
                return Window(rows[0] + 1, file.block_end(rows[0]), ((level, rows[0]),))
    return Window(0, file.count)


# ── the places of one part ───────────────────────────────────────────────────────────────────────


def _places(part: Part, file: File, window: Window) -> list[Place] | Problem:
    """The rows that a part may stand for: those with the most lines of context."""
    count = len(part.lines)
    ends = text_start(file.lines, 0), text_end(file.lines, file.count)
    if part.before is None and part.after is not None and _is_run(file, part.lines, ends[0]):
        return [_unchanged(part, ends[0])]  # `{`, the first line of a JSON file
    if part.after is None and part.before is not None and _is_run(file, part.lines, ends[1] - count):
        return [_unchanged(part, ends[1] - count)]
    standing = [at for at in range(count) if not is_trivial(part.lines[at]) and _rows_of(part, file, at, window)]
    heads = [0, *(at for at in standing[:_NEAREST] if at)]
    tails = [count - 1, *(at for at in standing[: -_NEAREST - 1 : -1] if at < count - 1)]
    edges = sorted(((head, tail) for head in heads for tail in tails if head <= tail), key=lambda one: one[0] - one[1])
    for pair in edges:
        for exact in (True, False):
            if places := _between(part, file, window, pair, exact):
                return places
    structural = _structural(part, file, window)
    return [structural] if structural else _without_anchor(part, file, window)


def _unchanged(part: Part, row: int) -> Place:
    count = len(part.lines)
    return Place(row, row + count, 0, count - 1, _CONTEXT, kept=count, changes=False)


def _rows_of(part: Part, file: File, at: int, window: Window) -> list[int]:
    """Where a line stands; for a header that stands nowhere, the block of its name, if there is only one."""
    rows = file.rows(part.lines[at], window.start, window.end)
    if rows or not (name := declared_by(part.lines[at].strip(BLANK))):
        return rows
    same = file.headers(name, window.start, window.end)
    return same if len(same) == 1 and depth_of(file.lines[same[0]]) == depth_of(part.lines[at]) else []


def _between(part: Part, file: File, window: Window, edges: Pair, exact: bool) -> list[Place]:
    """The places of a part whose lines `edges` are the first and last row."""
    tops, bottoms = _edges(part, file, window, edges[0], 1, exact), _edges(part, file, window, edges[1], -1, exact)
    if part.before is None and not edges[0]:
        tops = {text_start(file.lines, 0): (_CONTEXT, 0)}
    if part.after is None:
        bottoms = {text_end(file.lines, file.count) - 1: (_CONTEXT, 0)}
    at_end = part.before is None or part.after is None
    weighed: dict[Pair, Place] = {}
    places: list[Place] = []
    for context in range(_CONTEXT, -1, -1):
        starts, ends = ([row for row, run in rows.items() if sum(run) >= context] for rows in (tops, bottoms))
        for start, last in _nearest(starts, ends):
            if (start, last) not in weighed and (start == last or edges[0] < edges[1] or at_end):
                around = tops[start], bottoms[last]
                weighed[start, last] = _weighed(file, Range(start, last + 1, part.lines), edges, around, exact)
        # What would only be added shares rows with what it stands between, so that it has less context there.
        added = [one for one in weighed.values() if one.new and not one.gone and 0 < one.context < context]
        places = [one for one in weighed.values() if one.context >= context]
        places += added if places else []
        # Beside what stands there already one looks for what it may be to change.
        if any(one.whole and (one.changes or context < _CONTEXT) for one in places):
            break
    return places


def _edges(part: Part, file: File, window: Window, at: int, step: int, exact: bool) -> dict[int, Pair]:
    """The rows where a line stands, each with the blank lines there that part it from its mark, and how many lines
    of the part stand there from it on, down or up, up to three.
    """
    edges: dict[int, Pair] = {}
    outermost = at == (0 if step > 0 else len(part.lines) - 1)
    top, bottom = text_start(file.lines, 0), text_end(file.lines, file.count) - 1
    blanks = (part.lead if step > 0 else part.blanks) if outermost else 0
    for first in _rows_of(part, file, at, window):
        if exact and indent_of(part.lines[at]) != indent_of(file.lines[first]):
            continue
        ahead = range(first - step, first - step * (blanks + 1), -step)
        count, line, row = 0, at, first
        while count < _CONTEXT and 0 <= line < len(part.lines) and 0 <= row < file.count:
            if file.keys[row] != part.lines[line].strip(BLANK) or (exact and not file.is_at(part.lines[line], row)):
                break
            count, line, row = count + 1, line + step, row + step
            if not top <= row <= bottom:
                count += 1  # it goes on where the file ends, which is as good as a line
                count = _CONTEXT if first == (top if step > 0 else bottom) else count
        edges[first] = blanks if all(0 <= row < file.count and not file.keys[row] for row in ahead) else 0, count
    return edges


def _context(width: int, top: Pair, bottom: Pair) -> int:
    """How many lines stay at the beginning and at the end of so many rows, the fewer of the two, up to three.

    run()                           shown `run()`, `x()`, `run()`: that row can be the first or the last one
    """
    if top[0] == _CONTEXT or bottom[0] == _CONTEXT:
        return min(_CONTEXT, sum(top), sum(bottom))
    down, up = min(top[1], width), min(bottom[1], width)
    splits = range(width - up, down + 1) if down + up > width else (down,)
    return max(min(_CONTEXT, top[0] + row, bottom[0] + min(up, width - row)) for row in splits)


def _nearest(starts: list[int], ends: list[int]) -> set[Pair]:
    """Each start with the nearest ends below it, each end with the nearest starts above it; none if they are many."""
    if max(len(starts), len(ends)) > _MANY:
        return set()
    pairs: set[Pair] = set()
    for row in starts:
        at = bisect_left(ends, row)
        pairs |= {(row, end) for end in ends[at : at + _NEAREST]}
    for row in ends:
        at = bisect_right(starts, row)
        pairs |= {(start, row) for start in starts[max(0, at - _NEAREST) : at]}
    return pairs


def _weighed(file: File, placed: Range, edges: Pair, around: tuple[Pair, Pair], exact: bool) -> Place:
    """A range of rows as a place."""
    start, end, lines = placed
    context = _context(end - start, *around)
    old, shown = (
        [line.rstrip(BLANK) if exact else line.strip(BLANK) for line in texts]
        for texts in (file.lines[start:end], lines)
    )
    ranges = opcodes(old, shown)
    context = context if ranges else _CONTEXT
    gone, shrunk, lost, new = _cost(old, shown, ranges)
    sides = [(solid(old[low:high]), solid(shown[at:stop])) for low, high, at, stop in ranges]
    above, below = (_side_doubt(*side) for side in (sides[0], sides[-1])) if sides else (0, 0)
    words = sum(_words_changed(*side) for side in sides)
    lone = _lone(file, old, shown, ranges)
    rows = [file.rows(line) for line in lines if not is_trivial(line)]
    once = sum(len(one) == 1 and start <= one[0] < end for one in rows)
    whole = _keeps_headers(file, placed, ranges)
    kept = len(solid(lines)) - new
    weight = kept, once, new, gone, shrunk, lost, lone, words, above, below
    return Place(start, end, *edges, context, *weight, whole, bool(ranges))


def _keeps_headers(file: File, placed: Range, ranges: list[tuple[int, int, int, int]]) -> bool:
    """Whether every function and class of a range stays, if under another name, and none would stand there twice."""
    lines, words = placed.lines, set[str]()
    for low, high, new_low, new_high in ranges:
        for row in range(placed.start + low, placed.start + high):
            name = file.declared(row)
            words = words or {word for line in lines for word in re.findall(r"[\w$]+", line)}
            if not name or name in words or _is_inner(file, row):
                continue
            renamed = [at for at in range(new_low, new_high) if declared_by(lines[at].strip(BLANK))]
            if not any(_is_renamed(file, row, lines, at) for at in renamed):
                return False
    splices = [LineSplice(placed.start + a, placed.start + b, tuple(lines[c:d]), "") for a, b, c, d in ranges]
    return stands_twice(file, splices) is None


def _is_inner(file: File, row: int) -> bool:
    """Whether a function is declared inside of another one, and so a part of that."""
    outer = file.outer(row)
    while outer >= 0 and not file.declared(outer):
        outer = file.outer(outer)
    return outer >= 0 and not _HOLDER.search(file.keys[outer])


def _is_renamed(file: File, row: int, lines: list[str], at: int) -> bool:
    """Whether a header is another in a new version: it or its name reads much the same, or so does the line below."""
    below = [
        next(iter(solid(text)), "").strip(BLANK) for text in (file.keys[row + 1 : row + 3], lines[at + 1 : at + 3])
    ]
    names = declared_by(lines[at].strip(BLANK)), file.declared(row)
    return (
        (below[0] == below[1] and not is_trivial(below[0]))
        or is_kin(lines[at], file.keys[row])
        or ends_alike(*names) >= ALIKE_ENDS
    )


def _structural(part: Part, file: File, window: Window) -> Place | None:
    """The place of new lines above a bracket that closes the block they are shown in, or the file.

    class A {                       `}` closes `class A {`, wherever else one stands.
      // ... existing code ...
      added() {
      }
    }
    """
    last, count = part.lines[-1], len(part.lines)
    if not is_closer(last) or any(is_shallower(line, depth_of(last) + 1) for line in part.lines[:-1]):
        return None
    if part.after is None:
        row = text_end(file.lines, file.count) - 1
    elif window.above and window.above[0][0] == depth_of(last):
        row = window.end - 1
    else:
        return None
    new = len(solid(part.lines)) - 1
    return Place(row, row + 1, count - 1, count - 1, kept=1, new=new) if file.is_at(last, row) else None


# ── one part at its place ────────────────────────────────────────────────────────────────────────


def _laid(part: Part, file: File, window: Window, place: Place) -> list[LineSplice] | Problem:
    """The splices of a part at its place; a problem where what it shows may be meant otherwise there."""
    head, tail, start, end = place.head, place.tail, place.start, place.end
    before: list[str] = []
    behind: list[str] = []
    kept = {*file.keys[start:end]} & {line.strip(BLANK) for line in part.lines if not is_trivial(line)}
    # Brackets stand everywhere; but three of them at an end of the file are those.
    at_end = (part.before is None or part.after is None) and place.context == _CONTEXT and not place.lone + place.shrunk
    if not kept and start < end and place.changes and place.head < place.tail and not at_end:
        return _unclear(part, "has no line that stands in the file and says where", BOTH_ENDS)
    if not kept and place.lost and end - start > 1:
        # `total(tax) { … }`, of which nothing else is in the file, may be an overload of `total() { … }`.
        return _unclear(part, f"may replace line {start + 1} or be new", BOTH_ENDS)
    if start == end:
        opened: tuple[int, list[str]] | Problem = (start, [])
    elif part.before is None:
        opened = _top(part, file, place)
    elif head:
        opened = _ahead(part, file, window, (head, start))
    else:
        opened = start, []
    if isinstance(opened, Problem):
        return opened
    start, before = opened
    if part.after is None:
        closed: tuple[int, list[str]] | Problem = _bottom(part, file, place)
    elif tail < len(part.lines) - 1:
        closed = _behind(part, file, window, (tail, end - 1))
    else:
        closed = end, []
    if isinstance(closed, Problem):
        return closed
    end, behind = closed
    placed = Range(start, end, [*before, *part.lines, *behind])
    doubt = None
    if place.context < 2 and start < end:
        doubt = _ends_twice(part, file, window, placed) or (
            _comes_from_elsewhere(part, file, placed) if place.gone else None
        )
    return doubt or _spliced(part, file, window, placed, place.context > 1 and _shows_indentation(part, file, place))


def _shows_indentation(part: Part, file: File, place: Place) -> bool:
    """Whether a line that stays is indented, so that the others are as deep as they are meant to be."""
    there = {line.rstrip(BLANK) for line in file.lines[place.start : place.end]}
    return any(indent_of(line) and line.rstrip(BLANK) in there for line in solid(part.lines))


def _comes_from_elsewhere(part: Part, file: File, placed: Range) -> Problem | None:
    """A problem where a line that would come for others stands elsewhere in the file, once: it may mean that place."""
    there = {*file.keys[placed.start : placed.end]}
    for line in part.lines:
        rows = [] if is_trivial(line) or line.strip(BLANK) in there else file.rows(line)
        if len(rows) == 1:
            return _standing(part, line, rows[0])
    return None


def _top(part: Part, file: File, place: Place) -> tuple[int, list[str]] | Problem:
    """The start of a part with no mark before it: the top of the file, or the first row below its licence."""
    top = text_start(file.lines, 0)
    if part.lines[0].strip(BLANK) != file.keys[top] and (below := place_for(part.lines, file.lines, file.path)) > 0:
        # What must stay first needn't be shown: shebang, licence, `package`. What is shown of it doesn't stay above.
        shown_keys = set(stripped(part.lines))
        below = next((row for row in range(below) if file.keys[row] and file.keys[row] in shown_keys), below)
        top = text_start(file.lines, below)
    ranges = opcodes(file.keys[top : place.end], stripped(part.lines))
    if not ranges:
        return top, []
    first, low, shown, high = ranges[0]
    # `{` is the first line of much else; but nobody forgets a mark behind two lines that stay.
    if (first and not _is_short(part.lines[0])) or first > 1 or len(ranges) == 1 == first:
        return top, []
    if top >= place.end or not _come_again(part, file.keys[top + first : top + low], part.lines[shown:high]):
        return _no_mark(part, "before")
    return top, []


def _come_again(part: Part, gone: Sequence[str], new: Sequence[str]) -> bool:
    """Whether lines at an end of the file where no mark stands come again: else a mark may be forgotten.

    # Upcoming release              # 10.4.0: a line for a line that begins alike
    import path                     further down, below `import fs`
    - { name: db, encoding: utf8 }  `- name: db`, `encoding: utf8`
    """
    shown = {line.strip(BLANK) for line in part.lines}
    gone, new = solid(gone), stripped(solid(new))
    left = [line for line in gone if line not in shown]
    words = {word for line in new for word in re.findall(r"\w+", line)}
    left = [line for line in left if not words.issuperset(re.findall(r"\w+", line))]
    lost = max(sum(not any(is_kin(line, other) for line in new) for other in left), len(left) - len(new))
    pairs = zip(gone, new, strict=False)
    alike = all(one[0] == two[0] and (not one[0].isalnum() or one[:4] == two[:4]) for one, two in pairs)
    return 4 * lost <= len(gone) or (len(gone) == len(new) and alike)


def _bottom(part: Part, file: File, place: Place) -> tuple[int, list[str]] | Problem:
    """The end of a part with no mark behind it: the end of the file."""
    bottom, last = text_end(file.lines, file.count), part.lines[-1]
    keys = file.keys[place.start : bottom]
    ranges = opcodes(keys, stripped(part.lines))
    if ranges and ranges[-1][2] == ranges[-1][3]:
        # The part ends in an `end`, and so does the file: as well as the lines above its last, those below another go.
        start, end, *_ = ranges[-1]
        count = len(keys) - end
        if keys[start : start + count] == keys[end:] and not _come_again(part, keys[start + count :], ()):
            return _no_mark(part, "behind")
    if not ranges or ranges[-1][1] < len(keys) or ranges[-1][3] < len(part.lines):
        closes = is_closer(last) and file.block_end(place.start) == bottom
        sure = closes or not is_trivial(last) or place.context > 1 or not place.lost
        return (bottom, []) if sure else _no_mark(part, "behind")
    low, high = ranges[-1][0], ranges[-1][2]
    if not _come_again(part, file.keys[place.start + low : bottom], part.lines[high:]):
        return _no_mark(part, "behind")
    return bottom, []


def _ahead(part: Part, file: File, window: Window, first: Pair) -> tuple[int, list[str]] | Problem:
    """The start of a part that begins with new lines, which go right above its first anchor."""
    at, row = first
    while at and row > window.start and file.keys[row - 1] == part.lines[at - 1].strip(BLANK):
        if is_closer(part.lines[at - 1]) and _is_enclosed(solid(part.lines[:at])):
            break  # it closes what is new
        at, row = at - 1, row - 1
    while is_blank(part.lines[at]):
        at, row = at + 1, row + 1
    rest = part.lines[:at]
    if problem := _stand_elsewhere(part, file, rest, (window.start, row)):
        return problem
    new = solid(rest)
    if not new:
        return row, []
    if is_trivial(new[0]):
        return _unclear(part, "begins with a line that says too little to anchor it", BOTH_ENDS)
    if rows := [there for there in file.rows(new[0]) if file.is_at(new[0], there)]:
        return _standing(part, new[0], rows[0])
    preceding = _texts(file, range(row - 1, window.start - 1, -1), min(len(new) + 2, _FEW))
    if _are_kin(new, preceding):
        return _unclear(part, "may replace the lines above it or come after them", BOTH_ENDS)
    if part.lead > 1 and not any(file.keys[max(0, row - part.lead) : row]):
        return row, []  # two blank lines and more that are there
    whole = is_closer(part.lines[at]) and depth_of(part.lines[at]) < min(depth_of(line) for line in new)
    if part.lead and preceding and not whole and (not is_blank(file.lines[row - 1]) or is_blank(rest[-1])):
        return _unclear(part, "may replace the lines above it up to a blank line", BOTH_ENDS)
    if any(depth_of(line) < depth_of(part.lines[at]) for line in new):
        return _unclear(part, "would separate a block from its first line", BOTH_ENDS)
    # Behind the last method a new one is set off as it is shown.
    gap = whole and part.lead and row > 0 and not is_blank(file.lines[row - 1]) and not opens_block(file.lines[row - 1])
    return row, [""] * bool(gap)


def _behind(part: Part, file: File, window: Window, last: Pair) -> tuple[int, list[str]] | Problem:
    """The end of a part that ends with new lines, which go right below its last anchor."""
    at, row = last
    while at + 1 < len(part.lines) and row + 1 < window.end and file.keys[row + 1] == part.lines[at + 1].strip(BLANK):
        at, row = at + 1, row + 1
    while at >= 0 and is_blank(part.lines[at]):
        at, row = at - 1, row - 1
    if problem := _stand_elsewhere(
        part, file, part.lines[-1:] if at + 1 < len(part.lines) else [], (row + 1, window.end)
    ):
        return problem
    whole = _rest_of_block(part, file, window, (at, row)) if at >= 0 else -1
    if whole >= 0:
        return whole, []
    at, row = at + 1, row + 1
    new = solid(part.lines[at:])
    if problem := _stand_elsewhere(part, file, part.lines[at:], (row, window.end)):
        return problem
    if not new:
        return row, []
    if is_trivial(new[-1]) and not _is_enclosed(new):
        return _unclear(part, "ends with a line that says too little to anchor it", BOTH_ENDS)
    if not is_trivial(part.lines[-1]) and (rows := file.rows(part.lines[-1])):
        return _standing(part, part.lines[-1], rows[0])
    following = _texts(file, range(row, window.end), min(len(new) + 2, _FEW))
    if _are_kin(new, following):
        return _unclear(part, "may replace the lines below its first one or come before them", BOTH_ENDS)
    if part.blanks and following and not _is_gap(part, file, row, new):
        return _unclear(part, "may replace the lines below its first one up to a blank line", BOTH_ENDS)
    if at:
        level, inner = depth_of(part.lines[at - 1]), _mark_depth(part)
        if depth_of(new[0]) > level and inner <= level:
            return _unclear(part, "may replace the block below its first line or add to it", BOTH_ENDS)
        if depth_of(new[0]) <= level and following and depth_of(following[0]) > depth_of(file.lines[row - 1]):
            return _unclear(part, "would separate a block from its first line", BOTH_ENDS)
    level = min(depth_of(line) for line in new)
    is_whole = any(is_shallower(line, level) for line in part.lines[:at])  # shown from its header on
    if following and is_whole and _mark_depth(part) < level <= depth_of(following[0]):
        return _unclear(part, "may replace the rest of a block or add to it", BOTH_ENDS)
    gap = part.blanks if row < file.count and not is_blank(file.lines[row]) else 0
    return row, [""] * gap


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
    level = min((depth_of(line) for line in new), default=0)
    if not new or _mark_depth(part) >= level or depth_of(new[-1]) != level:
        return -1
    if depth_of(part.lines[at]) < level and not opens_block(part.lines[at]):
        return -1
    shift = depth_of(file.lines[row]) - depth_of(part.lines[at])
    far = min(window.end, row + 1 + 4 * (len(new) + _FEW))
    end = next((k for k in range(row + 1, far) if is_shallower(file.lines[k], level + shift)), far)
    if end == far < window.end:
        return -1
    end = max(row + 1, text_end(file.lines, end))
    gone = solid(file.lines[row + 1 : end])
    ends = [
        [one for one in lines if not is_closer(one) and depth_of(one) <= level + more]
        for lines, more in ((new, 0), (gone, shift))
    ]
    if not all(ends):
        return -1
    above = row if depth_of(file.lines[row]) < level + shift else file.outer(row, level + shift)
    header = file.lines[above] if above >= 0 else ""
    ends_it = ends[0][-1].split()[0] in ("return", "raise") and header.rstrip(BLANK).endswith(":")
    if ends_it and depth_of(header) - shift >= _mark_depth(part):
        return end
    if len(gone) > len(new) + _FEW or not _is_alike(ends[0][-1], ends[1][-1]):
        return -1
    old, shown = file.keys[row + 1 : end], stripped(part.lines[at + 1 :])
    return end if not _cost(old, shown, opcodes(old, shown))[2] else -1


def _is_alike(new: str, old: str) -> bool:
    """Whether a line is surely another in a new version: `run(x, 2)` for `run(x)`, not `print(a)` for `print(b)`."""
    first, second = ({*re.findall(r"\w+", line)} for line in (new, old))
    jumps = new.split(maxsplit=1)[0] == old.split(maxsplit=1)[0] in ("return", "raise", "throw")
    return is_kin(new, old) and (jumps or 2 * len(first & second) >= len(first | second))


def _ends_twice(part: Part, file: File, window: Window, placed: Range) -> Problem | None:
    """A problem where the last line stands in the part twice, and what comes before it may be what follows in the file.

    a(), b(), x(2), b()             shown for a(), b(), x(1): `x(1)` may stay or not
    """
    key, there = part.lines[-1].strip(BLANK), file.keys[placed.start : placed.end]
    shown = stripped(part.lines)
    if shown.count(key) <= there.count(key) or is_trivial(key):
        return None
    known = set(there)
    new = solid([line for line in part.lines if line.strip(BLANK) not in known])
    level = depth_of(file.lines[placed.end - 1])
    rows = takewhile(lambda row: not is_shallower(file.lines[row], level), range(placed.end, window.end))
    following = _texts(file, rows, min(len(new) + 2, _FEW))
    if new and _are_kin(new, following):
        return _unclear(part, "may replace the lines below its first one or come before them", BOTH_ENDS)
    return None


def _is_gap(part: Part, file: File, row: int, new: list[str]) -> bool:
    """Whether the blank line between the part and its mark is there, or only sets off a mark inside the block."""
    if is_blank(file.lines[row]):
        at = part.lines.index(new[0])
        return bool(part.lines[-len(new)].strip(BLANK)) and not (at > 0 and is_blank(part.lines[at - 1]))
    return part.blanks == 1 and _mark_depth(part) == depth_of(new[0]) > 0


def _is_enclosed(new: list[str]) -> bool:
    """Whether the last of the new lines belongs to a block that they open themselves."""
    level = depth_of(new[-1]) + is_closer(new[-1])
    opener = next((line for line in reversed(new[:-1]) if depth_of(line) < level), "")
    return not is_trivial(opener) and opens_block(opener)


# ── parts without an anchor ──────────────────────────────────────────────────────────────────────


def _without_anchor(part: Part, file: File, window: Window) -> list[Place] | Problem:
    """A part of which no line, and no run of lines, stands once: new lines at an end of the file, or unchanged ones."""
    lines = part.lines
    if part.before is None and part.after is not None:
        return _new_top(part, file)
    rows = [row for row in file.rows(lines[0], window.start, window.end) if _is_run(file, lines, row)]
    if rows and part.before is not None and part.after is not None and file.is_at(lines[0], rows[0]):
        return [_unchanged(part, row) for row in rows]
    for line in (lines[0], lines[-1]):
        rows = [] if is_trivial(line) else file.rows(line, window.start, window.end)
        if len(rows) > 1:
            return _ambiguous(part, file, line, rows[:4])
    if part.after is None and not any(file.rows(line) for line in solid(lines) if not is_trivial(line)):
        return _no_mark(part, "behind")
    elsewhere = [row for line in (lines[0], lines[-1]) if not is_trivial(line) for row in file.rows(line)]
    if elsewhere:
        what = f"isn't between the parts around it, but at line {elsewhere[0] + 1}"
        return _unclear(part, what, "Show the parts in the file's order.")
    return _unclear(part, "has no line at its beginning or end that is in the file exactly once", BOTH_ENDS)


def _new_top(part: Part, file: File) -> list[Place] | Problem:
    """New lines for the top of the file: below a shebang, a licence and the like, or in place of a first line."""
    row = place_for(part.lines, file.lines, file.path)
    if row < 0:
        return _no_place(part, file)
    row = text_start(file.lines, row) if row else text_start(file.lines, 0)
    first = _texts(file, range(row, file.count), 1)
    if len(part.lines) == 1 and first and not is_prose(file.path) and _is_same_statement(part.lines[0], first[0]):
        return [Place(row, row + 1, 0, 0, new=1, gone=1)]
    return [Place(row, row, 0, -1, new=len(solid(part.lines)))]


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


def _cost(old: list[str], shown: list[str], ranges: list[tuple[int, int, int, int]]) -> tuple[int, int, int, int]:
    """How many old lines go, how many more than come for them, how many for good, how many lines come.

    A row that comes again in another form doesn't go for good: `run(1)` for `run()`.
    """
    all_gone = shrunk = lost = come = 0
    for low, high, new_low, new_high in ranges:
        gone, new = solid(old[low:high]), solid(shown[new_low:new_high])
        many = len(gone) > _FEW or len(gone) * len(new) > _FEW * _FEW
        kin = 0 if many else sum(any(is_kin(line, other) for line in new) for other in gone)
        lost += max(len(gone) - kin, len(gone) - len(new))
        shrunk += max(0, len(gone) - len(new))
        all_gone += len(gone)
        come += len(new)
    return all_gone, shrunk, lost, come


def _lone(file: File, old: list[str], shown: list[str], ranges: list[tuple[int, int, int, int]]) -> int:
    """How many lines that stand in the file once go, and come neither elsewhere in the part nor in another form."""
    there, count = {line.strip(BLANK) for line in shown}, 0
    for low, high, new_low, new_high in ranges:
        gone = [line for line in old[low:high] if not is_trivial(line)]
        left = gone
        if len(gone) * (new_high - new_low) <= _FEW * _FEW:
            left = _without_versions(gone, [line for line in shown[new_low:new_high] if not file.rows(line)])
        count += sum(line.strip(BLANK) not in there and len(file.rows(line)) == 1 for line in left)
    return count


def _without_versions(gone: list[str], new: list[str]) -> list[str]:
    """The lines that come in no other form, where a new line is another form of one line only."""
    left = list(gone)
    for line in new:
        version = next((at for at, other in enumerate(left) if not is_trivial(line) and is_kin(line, other)), -1)
        if version >= 0:
            del left[version]
    return left


def _is_run(file: File, lines: Sequence[str], row: int) -> bool:
    """Whether lines stand from a row on."""
    return row >= 0 and file.keys[row : row + len(lines)] == stripped(lines)


def _are_kin(new: list[str], there: list[str]) -> bool:
    """Whether one of the new lines may be another version of one that would stay beside it.

    What stands in a block that is itself new is none: every second function ends with `return result`.
    """
    level = min(depth_of(line) for line in new)
    told = [line for line in new if not is_trivial(line) and (depth_of(line) == level or not opens_block(new[0]))]
    return any(is_kin(line, other) or is_kin_head(line, other) for line in told for other in there)


def _texts(file: File, rows: Iterable[int], count: int) -> list[str]:
    """The first lines of text at some rows."""
    return list(islice((file.lines[row] for row in rows if not is_blank(file.lines[row])), count))


def _stand_elsewhere(part: Part, file: File, rest: list[str], rows: tuple[int, int]) -> Problem | None:
    """A problem where a line that would be added stands there already: then it isn't known what was meant."""
    for line in rest:
        found = [] if is_trivial(line) else file.rows(line, *rows)
        if found:
            return _standing(part, line, found[0])
    return None


def _is_short(line: str) -> bool:
    """Whether a line at the top of a file may be the first one of something else as well; a ruler is none."""
    return is_trivial(line) and len(line.strip()) < 8


_HOLDER = re.compile(r"\b(?:class|interface|struct|enum|trait|impl|module|namespace|record|object|protocol)\b")


def _kept_rows(file: File, part: Part, placed: Range) -> dict[int, int]:
    """The row of each line of a part that stays, or is a header in a new version."""
    keys = file.keys[placed.start : placed.end]
    rows: dict[int, int] = {}
    shown = stripped(part.lines)
    low = new_low = 0
    for start, end, new_start, new_end in [*opcodes(keys, shown), (len(keys), len(keys), len(shown), len(shown))]:
        rows |= zip(range(new_low, new_start), range(placed.start + low, placed.start + start), strict=False)
        for at in range(new_start, new_end):
            name = declared_by(shown[at])
            same = [row for row in range(start, end) if name and declared_by(keys[row]) == name]
            if len(same) == 1:
                rows[at] = placed.start + same[0]
        low, new_low = end, new_end
    return rows


# ── from rows to splices ─────────────────────────────────────────────────────────────────────────


def _spliced(part: Part, file: File, window: Window, placed: Range, context: bool) -> list[LineSplice] | Problem:
    """What really changes, unless something in it is doubtful. `context`: lines stay around it, as deep as they are."""
    how, lines = "exact", placed.lines
    if _is_shifted(file, placed):
        how = "indentation"
        moved = _shifted(part, file, placed)
        if isinstance(moved, Problem):
            return moved
        lines = moved
    splices = _differences(file.lines, placed._replace(lines=lines), how)
    rows = [row for row in range(placed.start, placed.end) if file.keys[row]]
    if (
        how != "exact"
        and not splices
        and any(file.is_at(*pair) for pair in zip(solid(placed.lines), rows, strict=False))
    ):
        # - Macros:           - Macros:      Some lines are deeper than in the file: that is the change, or a slip.
        #     - `A=0`           - `A=0`
        advice = "Copy the file's indentation; to change it, send a diff."
        return _unclear(part, "differs from the file only in its indentation", advice)
    if how != "exact" and any(one.start == one.end and all(map(is_trivial, one.lines)) for one in splices):
        return _unclear(
            part, "is indented differently from the file and adds nothing but brackets", "Copy the lines exactly."
        )
    doubt = _edge_doubt(part, file, window, (placed, splices))
    if doubt is None and not (context and how == "exact" and _may_move(file, splices)):
        doubt = _moved_line(file, splices)
    return doubt or splices


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
    pads = [(indent_of(one), indent_of(two)) for one, two in zip(said, there, strict=True) if one.strip(BLANK)]
    other = [one + two for one, two in pads if one != two]
    if len(other) == 1 < len(rows) and "\t" not in other[0]:
        # export(                 export(TARGETS cart       One line that stays is deeper: it goes with what changed.
        #   TARGETS cart                 FILE cart.cmake)
        #   FILE cart.cmake)
        return _unclear(part, "is indented differently from the file in one line only", "Copy the lines exactly.")
    table = learnt(said, there)
    moved = mapped(placed.lines, said, there, file.habits)
    merges = len({*(table or {}).values()}) < len(table or {})  # two depths that would become one
    if moved is None or not (moved is placed.lines or (_is_sensible(placed.lines, table or {}) and not merges)):
        return _unclear(part, "is indented differently from the file, and not consistently", "Copy the lines exactly.")
    lines = list(moved)
    for at, opener in string_lines(placed.lines, lexed_as(file.path)).items():
        # The contents of new strings stay as they are shown.
        lines[at] = placed.lines[at] if not rows.keys() & {at, opener} else lines[at]
    return lines


def _is_sensible(lines: list[str], table: dict[str, str]) -> bool:
    """Whether every line whose indentation no line shows stands as it can: no closing bracket, none left deep."""
    above = ""
    for line in solid(lines):
        deep = depth_of(line) > depth_of(above) and (not opens_block(above) or above.rstrip(BLANK).endswith(","))
        flat = above.rstrip(BLANK).endswith(("{", ":")) and depth_of(line) <= depth_of(above)
        if indent_of(line) not in table and (deep or flat or is_closer(line)):
            return False
        above = line
    return True


def _differences(lines: Sequence[str], placed: Range, how: str) -> list[LineSplice]:
    """What really changes; the rest keeps the file's bytes, and so do lines that only lost blanks at their ends."""
    old, new = lines[placed.start : placed.end], placed.lines
    ranges = opcodes([line.rstrip(BLANK) for line in old], [line.rstrip(BLANK) for line in new])
    return [LineSplice(placed.start + a, placed.start + b, tuple(new[c:d]), how) for a, b, c, d in ranges]


def _edge_doubt(part: Part, file: File, window: Window, made: tuple[Range, list[LineSplice]]) -> Problem | None:
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
            what = (
                "has blank lines at its edge that aren't in the file, and may mean that lines are to be removed there"
            )
            return _unclear(part, what, BOTH_ENDS)
    return None


def _goes_on(mark: str, edge: str, beyond: str) -> bool:
    """Whether the file goes on behind a part as it ended, and the mark doesn't stand there like one line more."""
    return not is_trivial(beyond) and depth_of(beyond) == depth_of(edge) and not 0 < depth_of(mark) == depth_of(edge)


def _may_move(file: File, splices: list[LineSplice]) -> bool:
    """Whether lines that are indented differently may be meant so: none of them is out at the margin.

    if not report.ok:           if not report.ok:
    send_back(report)               send_back(report)       That has rather lost its indentation.
    """
    moved = [(row, one.lines[at]) for one in splices for row, at in _moved_rows(file.lines, one)]
    return all(indent_of(line) or line.strip(BLANK) != file.keys[row] for row, line in moved)


def _moved_line(file: File, splices: list[LineSplice]) -> Problem | None:
    """A problem where lines are indented differently, and no block that is opened or closed around them says why."""
    row = next((splice.start for splice in splices if _is_stray(file, splice)), -1)
    for splice in splices if row < 0 else ():
        shift = low = 0
        for moved, at in _moved_rows(file.lines, splice):
            new = depth_of(splice.lines[at])
            # Lines that go on as far in as the one above moved with it.
            if new - depth_of(file.lines[moved]) == shift != 0 and new >= low:
                continue
            if not _is_rewrapped(file, splice, (moved, at)):
                row = moved if row < 0 else row
            shift, low = new - depth_of(file.lines[moved]), new
    if row < 0:
        return None
    detail = f"line {row + 1} is shown with a different indentation, and may be meant to move"
    advice = "Show unchanged lines exactly as they are; to re-indent them, use another format."
    return Problem("elision", detail, line=row + 1, advice=advice)


def _is_stray(file: File, splice: LineSplice) -> bool:
    """Whether new lines are indented by tabs in a file that has none, or by spaces in one that has but tabs."""
    lines = [line for line in splice.lines if line[:1] in ("\t", " ") and not is_blank(line)]
    return bool(lines and file.stray) and any(line.startswith(file.stray) for line in lines)


def _moved_rows(lines: Sequence[str], splice: LineSplice) -> list[Pair]:
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


def _is_rewrapped(file: File, splice: LineSplice, moved: Pair) -> bool:
    """Whether a line moves by one level because a new line above it opens a block, or one that opened it goes."""
    row, at = moved
    lines, unit = file.lines, depth_of(file.habits.unit + "x")
    old, new = depth_of(lines[row]), depth_of(splice.lines[at])
    if new == old + unit:
        opener = next((line for line in reversed(splice.lines[:at]) if is_shallower(line, new)), "")
        return depth_of(opener) == old and opens_block(opener) and opener not in lines[splice.start : row]
    opener = next((lines[k] for k in range(row - 1, splice.start - 1, -1) if is_shallower(lines[k], old)), "")
    above = next((line for line in reversed(splice.lines[:at]) if not is_blank(line)), "")
    return new == old - unit and depth_of(opener) == new and opens_block(opener) and not (above and opens_block(above))


# ── refusals ─────────────────────────────────────────────────────────────────────────────────────


def _unclear(part: Part, what: str, advice: str) -> Problem:
    """A part that can be read in two ways, or in none."""
    return Problem("elision", f"part {part.number} (`{part.lines[0].strip()}`) {what}", advice=advice)


def _ambiguous(part: Part, file: File, line: str, rows: list[int]) -> Problem:
    """An anchor that stands in several places."""
    listed = ", ".join(str(row + 1) for row in rows[:3]) + (", …" if len(rows) > 3 else "")
    near = tuple(Near(row + 1, tuple(file.lines[row : row + 1])) for row in rows[:3])
    detail = f"part {part.number}: `{line.strip()}` is in more than one place: lines {listed}"
    return Problem(
        "ambiguous", detail, line=rows[0] + 1, advice="Add a neighbouring line that doesn't change.", near=near
    )


def _standing(part: Part, line: str, row: int) -> Problem:
    """A line that is in the file, but where it can't be meant."""
    detail = f"part {part.number}: `{line.strip()}` is at line {row + 1}, not where the part shows it"
    return Problem("ambiguous", detail, line=row + 1, advice=BOTH_ENDS)


def _swallowing(part: Part, file: File, place: Place) -> Problem:
    """A part that reaches over functions or classes that it doesn't show, or shows one that stands elsewhere."""
    if twice := stands_twice(file, _changed(part, file, place)):
        return twice
    if part.before is None or part.after is None:
        return _no_mark(part, "before" if part.before is None else "behind")
    first, last = (part.lines[at].strip()[:60] for at in (place.head, place.tail))
    detail = f"part {part.number}: from `{first}` (line {place.start + 1}) to `{last}` (line {place.end})"
    detail += " a function or class would go that it doesn't show"
    return Problem("ambiguous", detail, line=place.start + 1, advice=BOTH_ENDS)


def _no_mark(part: Part, side: str) -> Problem:
    """A part at an edge of the file that neither holds that edge nor has a mark towards it."""
    edge = "first" if side == "before" else "last"
    detail = f"part {part.number} lacks the file's {edge} line, and has no `... existing code ...` {side} it"
    return Problem(
        "elision", detail, advice=f"Put `... existing code ...` {side} the part, or include the file's {edge} lines."
    )


def _no_place(part: Part, file: File) -> Problem:
    """A part for the top of the file, where something stands that must stay the first."""
    first = next((line for line in file.lines if not is_blank(line)), "")
    what = f"would go above or into the beginning of the file (`{first.strip()[:60]}`)"
    return _unclear(part, what, "Show the lines it goes between.")


def _vain(part: Part, mark: str) -> Problem:
    """A mark without dots where the file has nothing to leave out: it may be a comment that is to be written."""
    what = f"has `{mark.strip()}` next to it, where the file has nothing that could be left out"
    return _unclear(part, what, "Leave it out; to write it as a comment, use another format.")
