"""Rounds: the edits of a file that can be placed in one text, each where it would be if they were made in turn. Pure.

Edits are looked up in the file as it was read. A round takes those of one file, in the order of the patch, as long as
each would find the same place in the result of those before it. The first that might not ends the round, and is looked
up in its result. So a round gives what one edit after another gives, for the price of one text:

    a m b … a b     delete `m`, then replace `a b`: once in the text, but twice in the result, so the round ends
"""

from __future__ import annotations

import re
from bisect import bisect_left, insort
from itertools import pairwise
from typing import TYPE_CHECKING

from ..model import NO_CLAIMS
from ..syntax.languages import language_of
from ..syntax.lexer import code_lines
from ..text import BLANK
from .ladder import plain_punctuation
from .search import lexed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..model import Hunk
    from ..text import Splice, Text
    from .drafts import Draft
    from .place import PlacedHunk, Placement

_SPACES = re.compile(r"\s+")
_WORD = re.compile(r"\w+")
_MANY_SEAMS = 50  # more aren't looked at one by one


def admits(draft: Draft, hunks: Sequence[Hunk], placement: Placement) -> bool:
    """Return True if an edit surely has, in the result of the round, the same place as in its text."""
    if draft.is_closed or len(hunks) != 1 or len(placement.placed) != 1 or placement.notes:
        return False
    placed = placement.placed[0]
    claims = placed.hunk.claims
    if placement.final is not None or (len(placed.splices) > 1 and placed.hunk.inline):
        return False
    if claims is not NO_CLAIMS and claims._replace(before=(), after=(), block="") != NO_CLAIMS:
        return False
    is_exact = placed.place.level == "exact" and not (claims.before or claims.after or claims.block)
    written = _written(draft, exact=is_exact)
    return not written.may_hold(placed.hunk) and not written.touches(placed)


def may_hold(draft: Draft, hunks: Sequence[Hunk]) -> bool:
    """Return True if the result may have a place for hunks that the text doesn't have."""
    return draft.is_closed or any(map(_written(draft, exact=False).may_hold, hunks))


def _written(draft: Draft, *, exact: bool) -> Written:
    """Return what the round has written so far; most files get one edit, and it is never asked for."""
    written = draft.written.get(exact)
    if written is None:
        written = draft.written[exact] = Written(draft.opened(), draft.path, exact=exact)
    for placed in draft.placed[written.noted :]:
        for splice in placed.splices:
            written.note(splice)
        written.noted += 1
    return written


class Written:
    """The lines in the result of a round that weren't in its text, and which lines became neighbours.

    `exact`: lines are compared as they are; otherwise by their code alone, however it is spaced.
    """

    def __init__(self, text: Text, path: str, *, exact: bool) -> None:
        self.text = text
        self.noted = 0  # how many edits of the round are in it
        self._exact = exact
        self._language = None if exact else language_of(path)
        self._spans: list[tuple[int, int]] = []  # of the splices, ascending
        self._last_lines: dict[int, str] = {}  # the last line of what a splice wrote, by the offset where it stops
        self._first_lines: dict[int, str] = {}  # the first one, by the offset where it starts
        self._lines: set[str] = set()
        self._pairs: set[tuple[str, str]] = set()  # lines that became neighbours
        self._texts: list[str] = []
        self._words: set[str] = set()
        self._seams: list[str] = []  # the lines above and below each deletion

    def may_hold(self, hunk: Hunk) -> bool:
        """Return True if the old text of a hunk may be on lines that were written, or across a deletion."""
        if hunk.inline and self._may_hold_inline(hunk.old):
            return True
        if hunk.inline and self._exact:
            return False
        keys = self._keys([*hunk.claims.before, *hunk.old.removesuffix("\n").split("\n"), *hunk.claims.after])
        if not keys or (len(keys) == 1 and keys[0] in self._lines):
            return True
        return not self._pairs.isdisjoint(pairwise(keys))

    def _may_hold_inline(self, old: str) -> bool:
        """Do the same for a text that may begin and end inside lines: one of its lines may be in what was written."""
        parts = old.split("\n")
        start = 0
        for part in parts:
            # A word that neither begins nor ends the text is a whole word wherever the text is.
            words = _WORD.finditer(old, start, start + len(part))
            inner = [word[0] for word in words if word.start() > 0 and word.end() < len(old)]
            if part and self._words.issuperset(inner) and any(part in text for text in self._texts):
                return True
            start += len(part) + 1
        if len(parts) == 1 or not self._seams:
            return False
        pairs = ["\n".join(pair) for pair in pairwise(parts)]
        return len(self._seams) > _MANY_SEAMS or any(pair in seam for seam in self._seams for pair in pairs)

    def touches(self, placed: PlacedHunk) -> bool:
        """Return True if a place shares a line with a splice, or an edge at which either of them inserts."""
        start, stop = self._extent(placed)
        at = bisect_left(self._spans, (start, start))
        near = self._spans[max(at - 1, 0) : at + 1]
        insertions = [splice.start for splice in placed.splices if splice.start == splice.stop]
        for low, high in near + [span for span in self._spans[at + 1 : at + 2] if span[0] <= stop]:
            if (start < high and low < stop) or (low == high and start <= low <= stop):
                return True
            if any(low <= offset <= high for offset in insertions):
                return True
        return False

    def _extent(self, placed: PlacedHunk) -> tuple[int, int]:
        """Return the offsets of what a place depends on: on a looser level also blank lines and comments around it."""
        start, stop = placed.start, placed.stop
        if self._exact:
            return start, stop
        text, claims = self.text, placed.hunk.claims
        first, last = text.row_at(start), text.row_at(max(stop - 1, start))
        for neighbour in (*self._keys(claims.before), ""):
            while first > 0 and not self._key(first - 1):
                first -= 1
            first -= neighbour != "" and first > 0
        for neighbour in (*self._keys(claims.after), ""):
            while last + 1 < len(text.lines) and not self._key(last + 1):
                last += 1
            last += neighbour != "" and last + 1 < len(text.lines)
        return min(start, text.line_start(first)), max(stop, text.line_start(last + 1))

    def note(self, splice: Splice) -> None:
        """Note the lines that a splice writes, and every pair of neighbours that it makes."""
        body = self.text.body
        insort(self._spans, (splice.start, splice.stop))
        low, high = body.rfind("\n", 0, splice.start) + 1, splice.stop
        ends_inside = body[high - 1] != "\n" or (splice.new and not splice.new.endswith("\n"))
        if high < len(body) and ends_inside:
            high = body.find("\n", high) + 1
        lines = body[low : splice.start] + splice.new + body[splice.stop : high]
        keys = self._keys(lines.removesuffix("\n").split("\n")) if lines else []
        above = self._last_lines.get(low) or self._line_above(low)
        below = self._first_lines.get(high) or self._line_below(high)
        self._lines.update(keys)
        self._pairs.update(pairwise([above, *keys, below]))
        self._texts.append(lines)
        self._words.update(_WORD.findall(lines))
        if not keys:
            self._seams.append(f"{above}\n{below}")
        self._last_lines[high], self._first_lines[low] = (keys[-1], keys[0]) if keys else (above, below)

    def _line_above(self, offset: int) -> str:
        """Return the line of code before an offset; "\\n" at the top of the file."""
        body = self.text.body
        while offset > 1:
            start = body.rfind("\n", 0, offset - 1) + 1
            key = body[start : offset - 1] if self._exact else self._key(self.text.row_at(start))
            if key or self._exact:
                return key
            offset = start
        return "\n"

    def _line_below(self, offset: int) -> str:
        """Return the line of code after an offset; "\\n" at the end of the file."""
        body = self.text.body
        while offset < len(body):
            end = body.find("\n", offset)
            key = body[offset:end] if self._exact else self._key(self.text.row_at(offset))
            if key or self._exact:
                return key
            offset = end + 1
        return "\n"

    def _key(self, row: int) -> str:
        """Return what of a line of the text is compared; "" for a line without code."""
        lines = lexed(self.text, self._language).code if self._language else self.text.lines
        return _without_spaces(lines[row])

    def _keys(self, lines: Sequence[str]) -> list[str]:
        """Return what is compared of lines of the patch. If they needn't be equal, lines without code are left out."""
        if self._exact:
            return list(lines)
        code = code_lines(lines, self._language) if self._language else lines
        return [key for key in map(_without_spaces, code) if key]


def _without_spaces(line: str) -> str:
    return _SPACES.sub("", plain_punctuation(line.strip(BLANK)))
