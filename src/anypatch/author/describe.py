"""What renderers share: a change as lines, and the refusal of what a format has no words for. Knows no format."""

from __future__ import annotations

from ..diff import compact, opcodes
from ..model import FileChange
from ..problems import Problem, Refused
from ..record import NamedTuple
from ..text import BLANK, BOM, decode, join, looks_binary, majority, split

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from ..model import Op


class Lines(NamedTuple):
    """A file's text as lines with their line ends; the BOM apart."""

    lines: list[str]
    ends: list[str]
    bom: bool


class Piece(NamedTuple):
    """Lines start..end of the file before become `new`."""

    start: int
    end: int
    new: list[str]


def lines_of(data: bytes) -> Lines:
    """The bytes as lines."""
    text = decode(data)
    bom = text.startswith(BOM)
    lines, ends = split(text[1:] if bom else text)
    return Lines(lines, ends, bom)


def ranges(before: Lines, after: Lines) -> list[tuple[int, int, int, int]]:
    """What differs, in as few places as can be where all lines end alike: else equal lines may end otherwise."""
    found = opcodes(before.lines, after.lines)
    even = len({*before.ends, *after.ends} - {""}) <= 1
    return compact(found, before.lines, after.lines) if even else found


def pieces(change: FileChange) -> list[Piece] | None:
    """An update as edits of whole lines whose new text takes the file's usual line end.

    None where that would not give the file after: other line ends, another BOM, the final line end made or lost.
    """
    assert change.before is not None and change.after is not None
    before, after = lines_of(change.before.data), lines_of(change.after.data)
    if before.bom != after.bom or not before.lines:
        return None
    eol = majority(before.ends)
    made: list[Piece] = []
    lines, ends = list(before.lines), list(before.ends)
    for start, end, new_start, new_end in reversed(ranges(before, after)):
        made.append(Piece(start, end, after.lines[new_start:new_end]))
        lines[start:end] = after.lines[new_start:new_end]
        ends[start:end] = [eol] * (new_end - new_start)
    if ends:
        ends = [end or eol for end in ends]
        ends[-1] = "" if before.ends[-1] == "" else ends[-1]
    exact = join(lines, ends) == join(after.lines, after.ends) if lines else not after.lines
    return made[::-1] if exact else None


def pieces_own(change: FileChange, *, final: bool = False) -> list[Piece] | None:
    """An update as edits of whole lines where the i-th new line of a piece keeps the line end of the i-th old one.

    Further new lines take the file's usual line end, and a line that goes and comes again keeps its own.
    `final`: the format can say that the final line end is made or lost; then the last piece reaches the end.
    None where all that would not give the file after.
    """
    assert change.before is not None and change.after is not None
    before, after = lines_of(change.before.data), lines_of(change.after.data)
    if before.bom != after.bom:
        return None
    eol = majority(before.ends)
    made = [Piece(s, e, after.lines[n:m]) for s, e, n, m in ranges(before, after)]
    making = final_end(change) if final else ""
    if making:
        made = _to_the_end(made, before.lines)
    ends = list(before.ends)
    for piece in reversed(made):
        ends[piece.start : piece.end] = _own_ends(before, piece, eol)
    if ends and made:
        ends = [end or eol for end in ends]
        if making:
            ends[-1] = eol if making == "made" else ""
        elif before.ends[-1:] == [""]:
            ends[-1] = ""
    return made if ends == after.ends else None


def final_end(change: FileChange) -> str:
    """Whether an update makes the final line end ("made") or loses it ("lost"); "" where it stays as it is."""
    assert change.before is not None and change.after is not None
    before, after = lines_of(change.before.data), lines_of(change.after.data)
    has, had = after.ends[-1:] != [""], before.ends[-1:] != [""]
    return "" if has == had or not after.ends else "made" if has else "lost"


def _to_the_end(made: list[Piece], lines: list[str]) -> list[Piece]:
    """The pieces, the last of which takes and gives the last line."""
    start, end, new = made.pop() if made and made[-1].end == len(lines) else Piece(len(lines), len(lines), [])
    if start and (start == end or not new):
        start, new = start - 1, [lines[start - 1], *new]
    if made and made[-1].end == start:
        other = made.pop()
        start, new = other.start, [*other.new, *new]
    return [*made, Piece(start, end, new)]


def _own_ends(before: Lines, piece: Piece, eol: str) -> list[str]:
    """The line ends of a piece's new lines."""
    start, end, new = piece
    own = [kept or eol for kept in before.ends[start:end]]
    ends = own[: len(new)] + [eol] * (len(new) - len(own))
    old = before.lines[start:end]
    if not set(old).isdisjoint(new):
        at = new_at = 0
        for stop, following, new_stop, new_following in [*opcodes(old, new), (len(old), 0, len(new), 0)]:
            ends[new_at:new_stop] = own[at:stop]
            at, new_at = following, new_following
    return ends


def refuse(change: FileChange, format: str, why: str) -> Refused:
    """The refusal of a change that a format can't say."""
    return Refused(Problem("cannot_say", f"{format} can't say this change of {change.path}: {why}", change.path))


def unsayable(op: Op, format: str) -> Refused:
    """The refusal of an operation that a format has no words for."""
    return Refused(Problem("cannot_say", f"{format} can't say this operation on {op.path}", op.path))


def check_sayable(change: FileChange, format: str) -> None:
    """Refuse what no format of lines can say."""
    for file in (change.before, change.after):
        if file is not None and looks_binary(file.data):
            raise refuse(change, format, "it is binary data")
    if change.before and change.after and change.before.mode != change.after.mode:
        raise refuse(change, format, "its permissions change")
    if change.before is None and change.after and change.after.mode & 0o111:
        raise refuse(change, format, "it can be run")
    if "\n" in change.path or "\r" in change.path:
        raise refuse(change, format, "a line end in the path")


# ── context ─────────────────────────────────────────────────────────────────────────────────────────


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
