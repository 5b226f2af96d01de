"""How much context a change needs: as few lines around it as leave one place in the file, and no more. Pure."""

from __future__ import annotations

from ..record import NamedTuple
from ..text import BLANK
from ._say import Piece

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

_LETTERS = 0x110000  # of so many distinct lines some share a letter: then a little more context is shown than needed


def trimmed(line: str) -> str:
    """A line as every reader sees it who passes over blanks at its ends.

    Lines that differ in their indentation alone are told apart when a patch is applied, but not when it is applied
    again: then one of them is gone, and the other would be taken for it.
    """
    return line.strip(BLANK)


class Window(NamedTuple):
    """Lines start..end of a file."""

    start: int
    end: int


class Rows:
    """A file's lines as a letter each, alike where a reader takes them for alike; spliced along with the lines."""

    __slots__ = ("_key", "_letters", "text")

    def __init__(self, lines: list[str], key: Callable[[str], str] = trimmed) -> None:
        self._key = key
        self._letters: dict[str, str] = {}
        self.text = self._written(lines)

    def _written(self, lines: list[str]) -> str:
        letters, key = self._letters, self._key
        return "".join([letters.setdefault(key(line), chr(len(letters) % _LETTERS)) for line in lines])

    def splice(self, start: int, end: int, lines: list[str]) -> None:
        """Put lines in the place of others."""
        self.text = self.text[:start] + self._written(lines) + self.text[end:]

    def alone(self, start: int, end: int) -> bool:
        """Whether the run of lines stands once and is more than blank lines."""
        run = self.text[start:end]
        return bool(run.strip(self._letters.get("", ""))) and self.text.find(run, self.text.find(run) + 1) < 0

    def telling(self, piece: Piece) -> Callable[[int, int], bool]:
        """Whether a run of lines around a change stands once, and what comes of it nowhere yet.

        Else what adds lines beside others like them would look as if that had been done before.
        """
        new = self._written(piece.new)
        grows, blank = len(new) > piece.end - piece.start, self._letters.get("", "")

        def tells(start: int, end: int) -> bool:
            made = self.text[start : piece.start] + new + self.text[piece.end : end] if grows else ""
            return self.alone(start, end) and (not grows or made.strip(blank) not in self.text)

        return tells


def least(
    alone: Callable[[int, int], bool], core: tuple[int, int], bounds: tuple[int, int], floor: tuple[int, int] = (0, 0)
) -> Window:
    """The core with the fewest lines around it that leave one place: without its first or its last there are more.

    `bounds` is how far it may reach; at both of them it is alone by definition. `floor`: the lines that must be there.
    More lines never make a place less unique, so the numbers are found by halving. What only adds lines has one on both
    sides: applied again, they are found apart, and nothing is added twice.
    """
    (start, end), (low, high) = core, bounds
    floor = (max(floor[0], 1), max(floor[1], 1)) if start == end else floor

    def fits(above: int, below: int) -> bool:
        top, bottom = max(start - above, low), min(end + below, high)
        return (top == low and bottom == high) or alone(top, bottom)

    if fits(*floor):
        above, below = floor
    else:
        most = _smallest(lambda size: fits(max(size, floor[0]), max(size, floor[1])), 1)
        wide = (max(most, floor[0]), max(most, floor[1]))
        less_above = _smallest(lambda size: fits(size, wide[1]), floor[0])
        one = (less_above, _smallest(lambda size: fits(less_above, size), floor[1]))
        less_below = _smallest(lambda size: fits(wide[0], size), floor[1])
        other = (_smallest(lambda size: fits(size, less_below), floor[0]), less_below)
        above, below = min(other, one, key=sum)
    return Window(max(start - above, low), min(end + below, high))


def _smallest(fits: Callable[[int], bool], low: int) -> int:
    """The smallest number from `low` on that fits; it is not far away, or doubling finds it."""
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


def joined(pieces: list[Piece], lines: list[str], gap: int) -> list[Piece]:
    """The pieces, those with at most `gap` lines between them as one: naming two places costs more than those lines."""
    made: list[Piece] = []
    for piece in pieces:
        if made and piece.start - made[-1].end <= gap:
            start, end, new = made.pop()
            made.append(Piece(start, piece.end, [*new, *lines[end : piece.start], *piece.new]))
        else:
            made.append(piece)
    return made
