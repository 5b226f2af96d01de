"""How many unchanged lines to show around a change: as few as leave it one place in the file. Knows no operation."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import accumulate
from typing import TYPE_CHECKING, NamedTuple

from ..text import BLANK, Text, is_blank
from .line_changes import LineChange, join_near

if TYPE_CHECKING:
    from ..formats import Format

_MAX_SEARCHED = 400_000_000  # characters, for texts that occur once; beyond that the whole file is cheaper
_ALPHABET = 0x110000  # if there are more distinct lines, some share a character: then more context is shown than needed


class Window(NamedTuple):
    """Lines start..end of a file that a hunk shows."""

    start: int
    end: int


def find_windows(before: Text, changes: list[LineChange], format: Format) -> list[Window] | None:
    """Return what each hunk shows: changes whose context overlaps are one hunk, and no hunk fits in two places.

    Neither in the file as it was nor after the hunks above: readers search one or the other. Return None if there is
    no line of text to find a hunk by, or the search would take too long.
    """
    lines, writing = before.lines, format.writing
    has_texts = writing.update == "texts"
    if has_texts and len(changes) * sum(map(len, lines)) > _MAX_SEARCHED:
        return None
    search = ContextSearch(lines, has_texts)
    windows: list[Window] = []
    for core in join_near(changes, lines, writing.near):
        if not windows or core.end > windows[-1].end:
            if writing.context:
                window = Window(max(core.start - writing.context, 0), min(core.end + writing.context, len(lines)))
            else:
                window = search.window(core)
            while windows and windows[-1].end > window.start:
                other = windows.pop()
                window = Window(min(other.start, window.start), max(other.end, window.end))
            if lines and not writing.like_git and all(map(is_blank, lines[window.start : window.end])):
                return None
            windows.append(window)
        search.change(core)
    return windows


class ContextSearch:
    """Finds the least context of one change after another, from top to bottom of a file."""

    def __init__(self, lines: list[str], has_texts: bool) -> None:
        self._size = len(lines)
        self._rows = LineSearch(lines)
        self._text = None
        if has_texts:
            starts = [0, *accumulate(len(line) + 1 for line in lines)]
            starts[-1] -= bool(lines)  # without the last newline
            self._text = ChangingText("\n".join([*lines, ""]), starts)

    def change(self, core: LineChange) -> None:
        """Replace lines, all of them below those that have changed already."""
        self._rows.change(*core)
        if self._text is not None:
            self._text.change(core.start, core.end, "".join(line + "\n" for line in core.new))

    def window(self, core: LineChange) -> Window:
        """Return a change with as few lines around it as leave one place."""
        text, rows = self._text, self._rows
        floor = (0, 0)
        if text is not None and not core.new:  # a text replaced by nothing leaves open which newline goes
            floor = (1, 0) if core.start else (0, 1)

        def is_unique(start: int, end: int) -> bool:
            return rows.is_unique(start, end) and (text is None or text.occurs_once(start, end))

        return Window(*least_context(is_unique, (core.start, core.end), (0, self._size), floor))


# ── runs of lines that occur once ────────────────────────────────────────────────────────────────


class ChangingText:
    """A text in which runs of rows are searched, as it was and as changes have made it, given from top to bottom.

    Rows are those of the text as it was; `starts[row]` is where one begins.
    """

    def __init__(self, text: str, starts: Sequence[int]) -> None:
        self.was = self.now = text
        self._starts = starts
        self._head, self._changed_rows = "", 0

    def occurs_once(self, start: int, end: int) -> bool:
        """Return True if a run occurs once, before and now. One that begins in what has changed isn't searched now."""
        run = self.was[self._starts[start] : self._starts[end]]
        texts = (self.was, self.now) if start >= self._changed_rows and self.now is not self.was else (self.was,)
        return all(text.find(run, text.find(run) + 1) < 0 for text in texts)

    def change(self, start: int, end: int, new: str) -> None:
        """Replace some rows, all of them below those that have changed already."""
        self._head += self.was[self._starts[self._changed_rows] : self._starts[start]] + new
        self._changed_rows = end
        self.now = self._head + self.was[self._starts[end] :]


def _without_outer_space(line: str) -> str:
    """Return a line as readers see it that ignore white space at its ends.

    Lines that differ only in their indentation are distinct when a patch is applied, but not when it is applied again:
    then one of them is gone, and the other would be mistaken for it.
    """
    return line.strip(BLANK)


class LineSearch:
    """The lines of a file as one character each, the same for lines that a reader takes as equal."""

    def __init__(self, lines: list[str], key: Callable[[str], str] = _without_outer_space) -> None:
        self._key = key
        self._characters: dict[str, str] = {}
        self._text = ChangingText(self._encode(lines), range(len(lines) + 1))

    def _encode(self, lines: list[str]) -> str:
        characters, key = self._characters, self._key
        return "".join([characters.setdefault(key(line), chr(len(characters) % _ALPHABET)) for line in lines])

    def change(self, start: int, end: int, new: list[str]) -> None:
        """Replace lines, all of them below those that have changed already."""
        self._text.change(start, end, self._encode(new))

    def is_unique(self, start: int, end: int) -> bool:
        """Return True if the run of lines occurs once and isn't blank."""
        not_blank = self._text.was[start:end].strip(self._characters.get("", ""))
        return not_blank != "" and self._text.occurs_once(start, end)


def least_context(
    is_unique: Callable[[int, int], bool],
    core: tuple[int, int],
    bounds: tuple[int, int],
    floor: tuple[int, int] = (0, 0),
) -> tuple[int, int]:
    """Return the core with the fewest lines around it that leave one place: without its first or last there are more.

    `bounds`: how far it may reach; all of that is unique by definition. `floor`: how many lines must be there. More
    lines never make a place less unique, so the numbers are found by bisection. A core without lines gets one on each
    side: applied again, they are found apart, and nothing is added twice.
    """
    (start, end), (low, high) = core, bounds
    if start == end:
        floor = (max(floor[0], 1), max(floor[1], 1))

    def fits(above: int, below: int) -> bool:
        top, bottom = max(start - above, low), min(end + below, high)
        return (top == low and bottom == high) or is_unique(top, bottom)

    above, below = floor
    if not fits(above, below):
        both = _smallest(lambda size: fits(max(size, floor[0]), max(size, floor[1])), 1)
        most = (max(both, floor[0]), max(both, floor[1]))
        less_above = _smallest(lambda size: fits(size, most[1]), floor[0])
        above_first = (less_above, _smallest(lambda size: fits(less_above, size), floor[1]))
        less_below = _smallest(lambda size: fits(most[0], size), floor[1])
        below_first = (_smallest(lambda size: fits(size, less_below), floor[0]), less_below)
        above, below = min(below_first, above_first, key=sum)
    return max(start - above, low), min(end + below, high)


def _smallest(fits: Callable[[int], bool], low: int) -> int:
    """Return the smallest number from `low` on that fits, by doubling and then bisection."""
    step, high = 1, low
    while not fits(high):
        low, high, step = high + 1, high + step, step * 2
    while low < high:
        middle = (low + high) // 2
        if fits(middle):
            high = middle
        else:
            low = middle + 1
    return high
