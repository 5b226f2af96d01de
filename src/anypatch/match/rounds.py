"""Rounds: which edits of a file settle in one text, each where it would if they were made one after another. Pure.

Edits are looked up in the file as it was read. A round takes those of one file, in the order of the patch, as long as
each would find the same place in the result of those before it. The first that might not ends the round, and is looked
up in its result. So a round gives what one edit after another gives, for the price of one text:

    a m b … a b     delete `m`, then replace `a b`: once in the text, but twice in the result, so that a round ends
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
    from .locate import PlacedHunk
    from .place import Placement

_SPACES = re.compile(r"\s+")
_WORD = re.compile(r"\w+")
_SEAMS = 50  # that are looked at one by one


class Round:
    """The edits that settled in one text so far."""

    def __init__(self, text: Text, path: str) -> None:
        self.text, self.path = text, path
        self.splices: list[Splice] = []
        self.final: bool | None = None
        self._ended = False
        self._written: dict[bool, Written] = {}
        self._noted: list[PlacedHunk] = []

    def admits(self, hunks: Sequence[Hunk], found: Placement) -> bool:
        """Whether an edit has, in the result of the round, the place that it has in its text; a no is no harm."""
        if not self.splices and self.final is None:
            return True
        if self._ended or len(hunks) != 1 or len(found.placed) != 1 or found.notes or found.final is not None:
            return False
        one = found.placed[0]
        claims = one.hunk.claims
        if claims is not NO_CLAIMS and claims._replace(before=(), after=(), block="") != NO_CLAIMS:
            return False
        if len(one.splices) > 1 and one.hunk.inline:
            return False
        written = self._what_it_wrote(_is_exact(one))
        return not written.may_hold(one.hunk) and not written.touches(one)

    def may_make_a_place(self, hunks: Sequence[Hunk]) -> bool:
        """Whether the old text of an edit may be on lines that the round wrote, or across a seam that it left."""
        return self._ended or any(map(self._what_it_wrote(exact=False).may_hold, hunks))

    def add(self, found: Placement) -> None:
        """Settle an edit that was admitted."""
        self.final = self.final if found.final is None else found.final
        for one in found.placed:
            self.splices += one.splices
        self._ended = self._ended or len(found.placed) != 1 or found.final is not None
        self._noted += found.placed

    def close(self) -> None:
        """Let nothing more settle."""
        self._ended = True

    def result(self) -> Text:
        """The text with everything that settled; the round's own if nothing did."""
        return self.text.apply(self.splices, self.final) if self.splices or self.final is not None else self.text

    def _what_it_wrote(self, exact: bool) -> Written:
        """What the round wrote. It is looked at when somebody asks: most files get one edit, and nobody does."""
        written = self._written.get(exact)
        if written is None:
            written = self._written[exact] = Written(self.text, self.path, exact=exact)
        for one in self._noted[written.seen :]:
            for splice in one.splices:
                written.note(splice)
            written.seen += 1
        return written


def _is_exact(one: PlacedHunk) -> bool:
    claims = one.hunk.claims
    return one.place.level == "exact" and not (claims.before or claims.after or claims.block)


class Written:
    """What is in the result of a round and wasn't in its text, and the splices made.

    `exact`: lines are compared as they are; otherwise by their code alone, however it is spaced.
    """

    def __init__(self, text: Text, path: str, *, exact: bool) -> None:
        self.text = text
        self.seen = 0  # how many edits of the round are noted
        self._exact = exact
        self._language = None if exact else language_of(path)
        self._spans: list[tuple[int, int]] = []  # of the splices, ascending
        self._edges: dict[int, str] = {}  # the last line that a splice wrote, by where it stops
        self._heads: dict[int, str] = {}  # the first one, by where it starts
        self._lines: set[str] = set()
        self._pairs: set[tuple[str, str]] = set()  # lines that became neighbours
        self._texts: list[str] = []
        self._seams: list[tuple[str, str]] = []  # lines that became neighbours as those between them went
        self._words: set[str] = set()
        self._read = 0  # how many of the texts the words are of

    def may_hold(self, hunk: Hunk) -> bool:
        """Whether the old text of a hunk may be on lines that were written, or across a seam."""
        if hunk.inline and self._holds(hunk.old):
            return True
        if hunk.inline and self._exact:
            return False
        keys = self._keys([*hunk.claims.before, *hunk.old.removesuffix("\n").split("\n"), *hunk.claims.after])
        if not keys or (len(keys) == 1 and keys[0] in self._lines):
            return True
        return not self._pairs.isdisjoint(pairwise(keys))

    def touches(self, one: PlacedHunk) -> bool:
        """Whether a place shares a line with a splice, or a border at which either of them inserts."""
        start, stop = self._resting(one)
        at = bisect_left(self._spans, (start, start))
        near = self._spans[max(at - 1, 0) : at + 1]
        own = [(splice.start, splice.stop) for splice in one.splices]
        for low, high in near + [span for span in self._spans[at + 1 : at + 2] if span[0] <= stop]:
            if start < high and low < stop:
                return True
            if low == high and start <= low <= stop:
                return True
            if any(first == last and low <= first <= high for first, last in own):
                return True
        return False

    def _resting(self, one: PlacedHunk) -> tuple[int, int]:
        """The offsets that a place rests on: on a looser level the blank lines and comments around it too."""
        start, stop = one.start, one.stop
        if self._exact:
            return start, stop
        text = self.text
        first, last = text.row_at(start), text.row_at(max(stop - 1, start))
        claims = one.hunk.claims
        for claimed in (*self._keys(claims.before), ""):
            while first > 0 and not self._key(first - 1):
                first -= 1
            first -= claimed != "" and first > 0
        for claimed in (*self._keys(claims.after), ""):
            while last + 1 < len(text.lines) and not self._key(last + 1):
                last += 1
            last += claimed != "" and last + 1 < len(text.lines)
        return min(start, text.line_start(first)), max(stop, text.line_start(last + 1))

    def note(self, splice: Splice) -> None:
        """Note the lines that come, and every pair of lines of which one is new or that have become neighbours."""
        body = self.text.body
        insort(self._spans, (splice.start, splice.stop))
        low = body.rfind("\n", 0, splice.start) + 1
        high = splice.stop
        if (high < len(body) and body[high - 1] != "\n") or (
            splice.new and not splice.new.endswith("\n") and high < len(body)
        ):
            high = body.find("\n", high) + 1
        whole = body[low : splice.start] + splice.new + body[splice.stop : high]
        new = self._keys(whole.removesuffix("\n").split("\n")) if whole else []
        self._lines.update(new)
        self._texts.append(whole)
        above = self._edges.get(low) or self._above(low)
        below = self._heads.get(high) or self._below(high)
        self._pairs.update(pairwise([above, *new, below]))
        if new:
            self._edges[high], self._heads[low] = new[-1], new[0]
        else:
            self._edges[high], self._heads[low] = above, below
            self._seams.append((above, below))

    def _above(self, offset: int) -> str:
        """The line of code before an offset; "\\n" at the top."""
        body = self.text.body
        while offset > 1:
            start = body.rfind("\n", 0, offset - 1) + 1
            key = body[start : offset - 1] if self._exact else self._key(self.text.row_at(start))
            if key or self._exact:
                return key
            offset = start
        return "\n"

    def _below(self, offset: int) -> str:
        body = self.text.body
        while offset < len(body):
            end = body.find("\n", offset)
            key = body[offset:end] if self._exact else self._key(self.text.row_at(offset))
            if key or self._exact:
                return key
            offset = end + 1
        return "\n"

    def _holds(self, old: str) -> bool:
        """Whether a text that isn't bound to whole lines may be on lines that the round wrote, or across a seam.

        Then one of its lines, the first and the last of which may be parts of lines, is in one that was written.
        """
        for text in self._texts[self._read :]:
            self._words.update(_WORD.findall(text))
        self._read = len(self._texts)
        parts = old.split("\n")
        for number, part in enumerate(parts):
            # A word that neither begins nor ends the text is a whole word wherever it is.
            whole = [
                word[0]
                for word in _WORD.finditer(part)
                if (word.start() or number) and (word.end() < len(part) or number < len(parts) - 1)
            ]
            if part and self._words.issuperset(whole) and any(part in text for text in self._texts):
                return True
        if len(parts) == 1 or not self._seams:
            return False
        return len(self._seams) > _SEAMS or any(
            above.endswith(one) and below.startswith(two)
            for above, below in self._seams
            for one, two in pairwise(parts)
        )

    def _key(self, row: int) -> str:
        """A line of the text as it is compared; "" for one without code."""
        lines = lexed(self.text, self._language).code if self._language else self.text.lines
        return _spaceless(lines[row])

    def _keys(self, lines: Sequence[str]) -> list[str]:
        """Lines of the patch as they are compared; those without code are left out unless they have to be equal."""
        if self._exact:
            return list(lines)
        bare = code_lines(lines, self._language) if self._language else lines
        return [key for key in map(_spaceless, bare) if key]


def _spaceless(line: str) -> str:
    return _SPACES.sub("", plain_punctuation(line.strip(BLANK)))
