"""Runs of lines at a part's beginning and end that stand in a file. Pure; decides nothing between places."""

from __future__ import annotations

import re
from bisect import bisect_left
from itertools import accumulate, compress, islice

from ..text import BLANK, indent_of, is_blank
from .indent import own_unit
from .rungs import Rung

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_OPENINGS = ("if", "for", "while", "switch", "with", "elif", "else if", "} else if", "catch", "} catch", "else", "try")
_LONE = ("else", "end", "pass", "try", "do", "done", "fi", "esac", "return", "break", "continue", "default")
_LONGER = max(map(len, _LONE)) + 1
_CONTROLS = (
    "if", "for", "foreach", "while", "else", "elif", "elsif", "switch", "do", "then", "begin", "try", "case", "when",
    "unless", "until", "def", "fn", "func",
)  # fmt: skip
_HEADS = (
    "if",
    "for",
    "foreach",
    "while",
    "elif",
    "switch",
    "with",
    "unless",
    "until",
    "when",
    "case",
    "except",
    "catch",
)
_JUMPS = ("return", "raise", "throw", "yield", "break", "continue")


# With so many parts to place it pays to know where each line stands; below, the plain text is searched.
INDEX_PAYS = 16
# A run whose rarest line stands in more places is looked for in the text, too: that is the faster way then.
_MANY_PLACES = 256
# How far a run stands together is looked up place by place where its first line stands in no more than these.
_FEW_PLACES = 4


def rows_once(lines: Sequence[str], asked: set[str]) -> dict[str, int]:
    """The row of each line asked for that is there once; -1 where it is there more often."""
    rows: dict[str, int] = {}
    for row in compress(range(len(lines)), map(asked.__contains__, lines)):
        rows[lines[row]] = -1 if lines[row] in rows else row
    return rows


class Hay:
    """A file's lines under one way of comparing them: runs of them are found at the speed of `str.find`, or of a dict.

    `parts`: how many parts want a place in it. `asked`: lines of which `only` is to tell. What is needed for searching
    is made at the first search, and shared with the view `like` this one where both see the same.
    """

    __slots__ = ("_asked", "_like", "_lines", "_made", "_once", "_unit", "count", "key", "keys", "parts")

    def __init__(
        self,
        lines: Sequence[str],
        key: Callable[[str], str],
        parts: int = 1,
        asked: Sequence[str] = (),
        like: Hay | None = None,
    ) -> None:
        self.key = key
        self.keys = Rung("", key).keys
        self.count = len(lines)
        self.parts = parts
        self._lines = lines
        self._asked = asked
        self._like = like
        self._made: _Made | None = None
        self._once: dict[str, int] | None = None
        self._unit = ""

    @property
    def unit(self) -> str:
        """One level of indentation in the file."""
        self._unit = self._unit or own_unit(self._lines)
        return self._unit

    def compared(self, start: int, end: int) -> list[str]:
        """The lines start..end as they are compared."""
        return self._store().keys[start:end]

    def only(self, line: str) -> int:
        """The row of one of the lines asked for, if it stands in the file once; else -1."""
        once = self._once
        if once is None:
            once = self._once = rows_once(self._store().keys, {*self.keys(self._asked)})
        return once.get(self.key(line), -1)

    def rows(self, run: Sequence[str], floor: int, ceiling: int, limit: int = 4) -> list[int]:
        """The first rows, up to `limit` of them, at which the run stands inside floor..ceiling."""
        keys = self.keys(run)
        found: list[int] = []
        row = self._find(keys, floor, ceiling) if keys else -1
        while row >= 0 and len(found) < limit:
            found.append(row)
            row = self._find(keys, row + 1, ceiling) if len(found) < limit else -1
        return found

    def last(self, run: Sequence[str], floor: int, ceiling: int) -> int:
        """The last row at which the run stands inside floor..ceiling; -1 where it doesn't."""
        keys = self.keys(run)
        if not keys or floor + len(keys) > ceiling:
            return -1
        places = self._candidates(keys, floor, ceiling)
        if places is not None:
            return next((row for row in reversed(places) if self._stands(keys, row)), -1)
        return self._row(self._joined().rfind(_between_ends(keys), self._offset(floor), self._offset(ceiling) + 1))

    def head(self, run: Sequence[str]) -> int:
        """How many lines of the run, from its first on, stand together somewhere."""
        return self._longest(self.keys(run), False, (0, self.count))

    def tail(self, run: Sequence[str], floor: int, ceiling: int) -> int:
        """How many lines of the run, up to its last, stand together somewhere inside floor..ceiling."""
        return self._longest(self.keys(run), True, (floor, ceiling))

    def _longest(self, keys: list[str], from_end: bool, rows: tuple[int, int]) -> int:
        low, high = 0, min(len(keys), rows[1] - rows[0])
        if self.parts >= INDEX_PAYS and high > 0:
            edges = self._places().get(keys[-1 if from_end else 0], _NOWHERE)
            if len(edges) <= _FEW_PLACES:
                return max((self._reach(keys, row, from_end, rows) for row in edges), default=0)
        while low < high:
            middle = (low + high + 1) // 2
            part = keys[len(keys) - middle :] if from_end else keys[:middle]
            if self._find(part, *rows) >= 0:
                low = middle
            else:
                high = middle - 1
        return low

    def _reach(self, keys: list[str], row: int, from_end: bool, rows: tuple[int, int]) -> int:
        """How many of the keys stand from that row on, or up to it, inside of some rows."""
        if not rows[0] <= row < rows[1]:
            return 0
        there = self._store().keys
        if from_end:
            low = max(rows[0], row + 1 - len(keys))
            pairs = zip(reversed(keys), reversed(there[low : row + 1]), strict=False)
        else:
            pairs = zip(keys, there[row : min(rows[1], row + len(keys))], strict=False)
        count = 0
        for one, two in pairs:
            if one != two:
                break
            count += 1
        return count

    def _find(self, keys: list[str], floor: int, ceiling: int) -> int:
        """The first row at which the keys stand inside floor..ceiling; -1 where they don't."""
        if floor + len(keys) > ceiling:
            return -1
        places = self._candidates(keys, floor, ceiling)
        if places is not None:
            return next((row for row in places if self._stands(keys, row)), -1)
        return self._row(self._joined().find(_between_ends(keys), self._offset(floor), self._offset(ceiling) + 1))

    # ── by the places of each line ──

    def _candidates(self, keys: list[str], floor: int, ceiling: int) -> list[int] | None:
        """The rows inside floor..ceiling at which the rarest key stands as it should; None where they are many."""
        if self.parts < INDEX_PAYS:
            return None
        places = self._places()
        rarest, at = places.get(keys[0], _NOWHERE), 0
        for number, key in enumerate(keys):
            there = places.get(key, _NOWHERE)
            if len(there) < len(rarest):
                rarest, at = there, number
        if not rarest:
            return rarest
        first = bisect_left(rarest, floor + at)
        behind = bisect_left(rarest, ceiling - len(keys) + at + 1, first)
        return None if behind - first > _MANY_PLACES else [row - at for row in rarest[first:behind]]

    def _stands(self, keys: list[str], row: int) -> bool:
        return self._store().keys[row : row + len(keys)] == keys

    def _places(self) -> dict[str, list[int]]:
        made = self._store()
        if made.places is None:
            made.places = {}
            for row, key in enumerate(made.keys):
                made.places.setdefault(key, []).append(row)
        return made.places

    def _store(self) -> _Made:
        if self._made is None:
            keys = self.keys(self._lines)
            like = self._like and self._like._store()
            self._made = like if like and like.keys == keys else _Made(keys)
        return self._made

    # ── by the text ──

    def _joined(self) -> str:
        """The keys, each between two line ends."""
        made = self._store()
        if not made.ends:
            made.text = _between_ends(made.keys)
            made.ends = list(accumulate(map(len, made.keys), initial=0))
        return made.text

    def _offset(self, row: int) -> int:
        """Where the line end above a row stands."""
        return self._store().ends[row] + row

    def _row(self, offset: int) -> int:
        return bisect_left(range(self.count + 1), offset, key=self._offset) if offset >= 0 else -1


class _Made:
    """What was made of a file's lines for searching them: as compared, the rows of each, the text, the ends in it."""

    __slots__ = ("ends", "keys", "places", "text")

    def __init__(self, keys: list[str]) -> None:
        self.keys = keys
        self.places: dict[str, list[int]] | None = None
        self.text = ""
        self.ends: list[int] = []


_NOWHERE: list[int] = []
_words = re.compile(r"\w+")


def _between_ends(keys: list[str]) -> str:
    return "\n".join(["", *keys, ""])


# ── what lines tell ──────────────────────────────────────────────────────────────────────────────


def is_trivial(line: str) -> bool:
    """Whether a line says too little to mean one place: brackets, a lone keyword."""
    word = "".join(islice(filter(str.isalnum, line), _LONGER))
    return not word or word in _LONE


def is_closer(line: str) -> bool:
    """Whether a line only closes what stands above it."""
    bare = line.strip(BLANK)
    if bare.rstrip(";") in ("end", "fi", "done", "esac"):
        return True
    return bare[:1] in ("}", ")", "]") and not any(char.isalnum() for char in bare)


def opens_block(line: str) -> bool:
    """Whether lines below this one may be deeper: it opens a block or a bracket, or goes on."""
    bare = line.strip(BLANK)
    if bare.endswith((";", "}", "]", '"', "'", "`", "*/")) or (bare.endswith(")") and not _is_control(bare)):
        return False
    return bool(bare) and (not bare[-1].isalnum() or _is_control(bare))


def _is_control(bare: str) -> bool:
    """Whether a line without its block may begin one: C's `if (x)`, shell's `then`."""
    words = _word_list(bare)
    return bool(words) and (words[0] in _CONTROLS or words[-1] in _CONTROLS)


def depth(line: str) -> int:
    """How far a line is indented; a tab counts as four."""
    return len(indent_of(line).replace("\t", "    "))


def solid(lines: Sequence[str]) -> list[str]:
    """The lines that aren't blank."""
    return [line for line in lines if line.strip(BLANK)]


def text_end(lines: Sequence[str], count: int) -> int:
    """The count without blank lines at the end."""
    while count and is_blank(lines[count - 1]):
        count -= 1
    return count


def text_start(lines: Sequence[str], row: int) -> int:
    """The first row, from that one on, that isn't blank."""
    while row < len(lines) and is_blank(lines[row]):
        row += 1
    return row


def is_kin(new: str, there: str) -> bool:
    """Whether a line may be a new version of another: the same name is set or called, or most words are the same."""
    head = _head(new)
    if head and head == _head(there) and head not in _OPENINGS:
        return True
    first, second = _word_list(new), _word_list(there)
    if not first or not second:
        return False
    if first[0] == second[0] and first[0] in _JUMPS:
        return True
    if _grew(new.strip(BLANK), there.strip(BLANK)) and not new.rstrip(BLANK).endswith(("{", ":")):
        return True
    return len(set(first) & set(second)) >= 0.6 * len(set(first) | set(second))


def is_kin_head(new: str, there: str) -> bool:
    """Whether a line that heads a block may be a new version of another: a loop or condition, or a longer name."""
    first, second = _word_list(new), _word_list(there)
    if not first or not second or first[0] != second[0] or first[0] not in _HEADS:
        return _grew(new.strip(BLANK), there.strip(BLANK))
    return len(set(first) & set(second)) >= 0.6 * min(len(set(first)), len(set(second)))


def _grew(one: str, two: str) -> bool:
    """Whether one line is the other with some more signs in it: a name that got longer, an argument more."""
    short, long = sorted((one, two), key=len)
    start = next((at for at, sign in enumerate(short) if long[at] != sign), len(short))
    return len(short) >= 0.4 * len(long) and long.endswith(short[start:])


def _head(line: str) -> str:
    bare = line.strip(BLANK)
    return bare[: min((at for sign in "=(:" if (at := bare.find(sign)) >= 0), default=len(bare))].rstrip()


def _word_list(line: str) -> list[str]:
    return _words.findall(line)
