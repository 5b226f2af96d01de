"""The lines of a page under one rung, one character each, in blocks: an edit costs a block, not a page. Pure."""

from __future__ import annotations

from _bisect import bisect_right
from itertools import accumulate, compress

from .rungs import Rung

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..syntax.languages import Language

GAP = "\0"
_CHARS = 0x10FFFF
# So many comparisons of single characters are done in Python before the whole page is searched by `str.find`.
_MANY_STEPS = 4096
# A character with so few places is rare.
_FEW = 16
# So many searches are worth the division into blocks, though nothing was edited.
_MANY_SEARCHES = 64


class Index:
    """Equal lines are equal characters, so that a run of lines is found at the speed of `str.find`.

    Blank lines are GAP. Past a million distinct lines characters are shared; a match is then only a candidate.
    After the first edit, or many searches, a run is looked for only in the blocks that may hold its rarest character.
    """

    __slots__ = (
        "_block",
        "_blocks",
        "_hay",
        "_holders",
        "_least",
        "_searches",
        "_starts",
        "_table",
        "language",
        "rung",
    )

    def __init__(
        self, rung: Rung, language: Language | None, keys: list[str], block: int = 512, least: int = 1 << 15
    ) -> None:
        """`block`: lines in a block; `least`: lines that are worth a division at all."""
        self._block = block
        self._least = least
        self.rung = rung
        self.language = language
        distinct = dict.fromkeys(keys)
        distinct.pop("", None)
        many = _CHARS - 1
        self._table = _Table(zip(distinct, map(chr, range(1, many)), strict=False))
        self._table[""] = GAP
        if len(distinct) >= many - 1:
            for key in distinct:
                self._table[key]
        self._hay: str | None = "".join(map(self._table.__getitem__, keys))
        self._blocks: list[str] = []
        self._starts: list[int] = []
        self._holders: dict[str, tuple[int, ...]] = {}
        self._searches = 0

    @property
    def hay(self) -> str:
        """All lines, one character each."""
        if self._hay is None:
            self._hay = "".join(self._blocks)
        return self._hay

    def update(self, start: int, end: int, keys: list[str]) -> None:
        """Lines start..end are these now."""
        new = "".join(map(self._table.__getitem__, keys))
        if not self._blocks:
            hay = self.hay
            self._hay = f"{hay[:start]}{new}{hay[end:]}"
            if len(hay) > self._least:
                self._divide()
            return
        self._hay = None
        blocks, holders = self._blocks, self._holders
        first = bisect_right(self._starts, start) - 1
        block, at, behind = blocks[first], start - self._starts[first], end - self._starts[first]
        blocks[first] = block[:at] + new + block[behind:]
        if behind > len(block):
            self._cut(first + 1, end)
        elif len(new) != end - start:
            self._starts = [0, *accumulate(map(len, blocks[:-1]))]
        if len(blocks[first]) > 8 * self._block:
            self._divide()
            return
        for char in new:
            held = holders.get(char, ())
            if first not in held:
                holders[char] = (*held, first)

    def _cut(self, number: int, end: int) -> None:
        """Lines before `end` go from block `number` on; what stays of a block stays there, where it is known."""
        last = bisect_right(self._starts, end) - 1
        for gone in range(number, last):
            self._blocks[gone] = ""
        self._blocks[last] = self._blocks[last][end - self._starts[last] :]
        self._starts = [0, *accumulate(map(len, self._blocks[:-1]))]

    def _divide(self) -> None:
        hay, size = self.hay, self._block
        self._blocks = [hay[at : at + size] for at in range(0, len(hay), size)] or [""]
        self._starts = list(range(0, len(hay), size)) or [0]
        holders: dict[str, tuple[int, ...]] = {}
        for number, block in enumerate(self._blocks):
            chars = set(block)
            for char in holders.keys() & chars:
                holders[char] += (number,)
                chars.remove(char)
            holders.update(dict.fromkeys(chars, (number,)))
        self._holders = holders

    @property
    def shares_characters(self) -> bool:
        """Whether two different lines may be the same character."""
        return len(self._table) >= _CHARS

    def needle(self, keys: list[str]) -> str | None:
        """The keys as characters; None where one of them is nowhere in the file."""
        get = self._table.get
        chars = [get(key, "") for key in keys]
        return None if "" in chars else "".join(chars)

    def holds(self, key: str) -> bool:
        """Whether some line has a key."""
        char = self._table.get(key)
        if char is None or not self._blocks:
            return char is not None and char in self.hay
        return any(char in self._blocks[number] for number in self._holders.get(char, ()))

    def find(self, chars: str, skips: bool) -> list[int]:
        """The first rows of all places of a run, ascending; `skips`: gaps between its lines don't count."""
        self._searches += 1
        if not self._blocks and self._searches > _MANY_SEARCHES and len(self.hay) > self._least:
            self._divide()
        if self._blocks:
            found = self._in_blocks(chars, skips)
            if found is not None:
                return found
        hay = self.hay
        if len(chars) == 1:
            return _hits(hay, chars)
        found = _around_rare(hay, chars, skips)
        if found is not None:
            return found
        return _over_gaps(hay, chars) if skips and GAP in hay else _hits(hay, chars)

    def _in_blocks(self, chars: str, skips: bool) -> list[int] | None:
        """The same by looking into few blocks; None where they are many, or the run may leave what is looked at."""
        holders = self._holders
        if len(chars) > 1:
            rarest = min(chars, key=lambda char: len(holders.get(char, ())))
            anchor = chars.index(rarest)
        else:
            rarest, anchor = chars, 0
        where = holders.get(rarest, ())
        if len(where) * len(chars) > _MANY_STEPS // 16:
            return None
        found: list[int] = []
        for number in sorted(where) if len(where) > 1 else where:
            block = self._blocks[number]
            at = block.find(rarest)
            if at < 0:
                continue
            above = self._blocks[number - 1] if number else ""
            below = self._blocks[number + 1] if number + 1 < len(self._blocks) else ""
            # Past its end a window looks like a line that is nowhere; only at an end of the file that is true.
            closed = (number <= 1, number + 2 >= len(self._blocks))
            window = above + block + below
            while at >= 0:
                row = _walk(window, chars, anchor, len(above) + at, skips)
                if row < -1 and not closed[row + 3]:
                    return None
                if row >= 0:
                    found.append(self._starts[number] - len(above) + row)
                at = block.find(rarest, at + 1)
        return found


SHARED = -1


def rows_once(lines: Sequence[str], asked: set[str]) -> dict[str, int]:
    """The row of each line asked for that is there once; SHARED where it is there more often."""
    rows: dict[str, int] = {}
    for row in compress(range(len(lines)), map(asked.__contains__, lines)):
        rows[lines[row]] = SHARED if lines[row] in rows else row
    return rows


class _Table(dict[str, str]):
    def __missing__(self, key: str) -> str:
        char = self[key] = chr(1 + len(self) % (_CHARS - 1))
        return char


_ABOVE, _BELOW = -3, -2


def _hits(hay: str, chars: str) -> list[int]:
    found = []
    size = len(chars)
    position = hay.find(chars)
    while position >= 0:
        found.append(position)
        position += 1
        # In runs of equal lines the next place is the next row: comparing is far cheaper than searching anew.
        if hay[position : position + size] != chars:
            position = hay.find(chars, position)
    return found


def _around_rare(hay: str, chars: str, skips: bool) -> list[int] | None:
    """Places of `chars` in `hay`, looked for by a rare one: a single character is found fastest. None: none is rare."""
    # Later characters are lines first seen later in the file: rarely the common ones.
    for rare in sorted(set(chars), reverse=True)[:4]:
        hits: list[int] = []
        at = hay.find(rare)
        while at >= 0 and len(hits) <= _FEW:
            hits.append(at)
            at = hay.find(rare, at + 1)
        if len(hits) <= _FEW:
            anchor = chars.index(rare)
            return [row for at in hits if (row := _walk(hay, chars, anchor, at, skips)) >= 0]
    return None


def _over_gaps(hay: str, chars: str) -> list[int]:
    """Places of `chars` in `hay` when gaps don't count."""
    rarest, times = min(((char, hay.count(char)) for char in sorted(set(chars))[-8:]), key=lambda pair: pair[1])
    if times * len(chars) > _MANY_STEPS:
        solid = [i for i, char in enumerate(hay) if char != GAP]
        return [solid[i] for i in _hits(hay.replace(GAP, ""), chars)]
    anchor = chars.index(rarest)
    places = (_walk(hay, chars, anchor, row, True) for row in _hits(hay, rarest))
    return [row for row in places if row >= 0]


def _walk(hay: str, chars: str, anchor: int, row: int, skips: bool) -> int:
    """The row of the first character if all of them stand around `row`, whose character is the `anchor`-th.

    -1 where another character stands in the way, _ABOVE or _BELOW where the hay ends before that is known.
    """
    below = row
    for char in chars[anchor + 1 :]:
        below += 1
        while skips and below < len(hay) and hay[below] == GAP:
            below += 1
        if below >= len(hay):
            return _BELOW
        if hay[below] != char:
            return -1
    for char in reversed(chars[:anchor]):
        row -= 1
        while skips and row >= 0 and hay[row] == GAP:
            row -= 1
        if row < 0:
            return _ABOVE
        if hay[row] != char:
            return -1
    return row
