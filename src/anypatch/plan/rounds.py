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

from ..match.levels import code_lines, punctuation
from ..match.search import PAST, Page, spliced_text
from ..model import Edit, Hunk, Swap, Where
from ..text import BLANK, Text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..match.assign import Placed
    from ..match.splices import Fit

_ANYWHERE = Where()
_AROUND = 4  # lines above and below those asked for that are looked up with them
_SPACES = re.compile(r"\s+")
_WORD = re.compile(r"\w+")
# A place found by one of these is found by the lines' code alone, however it is spaced.
_BY_CODE = frozenset(
    ("exact", "trailing space", "indentation", "punctuation", "inner space", "blank lines", "comments")
)


class Round:
    """The edits that settled in one text so far."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.fits: list[Fit] = []
        self.final: bool | None = None
        self._ended = False
        self._settled: list[tuple[Edit, list[Fit], tuple[int, int]]] = []
        self._written: dict[bool, Written] = {}
        self._sheet: Text | None = page.sheet

    def admits(self, edit: Edit, placed: Placed) -> bool:
        """Whether an edit has, in the result of the round, the place that it has in its text; a no is no harm."""
        if not self.fits:
            return True
        hunk = edit.hunks[0] if len(edit.hunks) == 1 else None
        settled = bool(placed.fits) and not placed.notes and not placed.problems and not placed.missing
        if self._ended or hunk is None or not settled or edit.mode or placed.reach is None:
            return False
        for fit in placed.fits:
            if fit.tear is not None or fit.final is not None or fit.splice.how not in _BY_CODE:
                return False
        where = hunk.where
        if where != _ANYWHERE and where._replace(before=(), after=(), block="") != _ANYWHERE:
            return False
        if hunk.policy.language and self.page.language(hunk.policy.language) is not self.page.language():
            return False
        # What stands to the letter is looked for no further: then only lines that are the same to the letter count.
        exact = placed.exact and not where.before and not where.after and not where.block
        written = self.written(exact)
        return not written.may_hold(edit) and written.lies_apart(written.resting(edit, placed.reach))

    def may_make_a_place(self, edit: Edit) -> bool:
        """Whether the old text of an edit may stand on lines that the round wrote, or across a seam that it left."""
        # An edit of two hunks, `-gamma +alpha` twice, ends the round, and what it wrote isn't noted line by line.
        return self._ended or self.written(exact=False).may_hold(edit)

    def add(self, edit: Edit, placed: Placed, final: bool | None) -> None:
        """Settle an edit that was admitted."""
        if final is not None:
            self.final, self._sheet = final, None
        if not placed.fits:
            return
        self._sheet = None
        if self.fits:
            for fit in placed.fits:
                insort(self.fits, fit, key=_position)
        else:
            self.fits = placed.fits[:]
        for fit in placed.fits:
            self._ended = self._ended or fit.tear is not None or fit.final is not None
        if placed.reach is None:
            self._ended = True
        else:
            self._settled.append((edit, placed.fits, placed.reach))

    def sheet(self) -> Text:
        """The text with everything that settled; the round's own where nothing did."""
        if self._sheet is None:
            self._sheet = spliced_text(self.page.sheet, self.fits, self.final)
        return self._sheet

    def written(self, exact: bool) -> Written:
        """What the round wrote. It is looked at when somebody asks: most files get one edit, and nobody does."""
        written = self._written.get(exact)
        if written is None:
            written = self._written[exact] = Written(self.page, exact=exact)
        for edit, fits, reach in self._settled[written.seen :]:
            written.note(fits, *written.resting(edit, reach))
            written.seen += 1
        return written


class Written:
    """What stands in the result of a round and did not stand in its text, and the rows that its edits rest on.

    `exact`: lines are compared to the letter; else by their code alone, however it is spaced.
    """

    def __init__(self, page: Page, *, exact: bool) -> None:
        self.page = page
        self.seen = 0  # how many edits of the round are noted
        self._exact = exact
        self._near: tuple[int, list[str]] = 0, []  # lines that were looked up last, and the row of the first
        self._taken: list[tuple[int, int]] = []  # rows that settled edits rest on or change, ascending
        self._lines: set[str] = set()
        self._pairs: set[tuple[str, str]] = set()  # lines that became neighbours
        self._beside: set[str] = set()
        self._text: list[str] = []
        self._words: set[str] = set()
        self._read = 0  # how many lines of the text the words are of

    def may_hold(self, edit: Edit) -> bool:
        """Whether the old text of an edit may stand on lines that were written, or across a seam."""
        for hunk in edit.hunks:
            if isinstance(hunk, Swap):
                if self._holds(hunk.old):
                    return True
            elif isinstance(hunk, Hunk):
                keys = self._keys((*hunk.where.before, *hunk.old, *hunk.where.after))
                if not keys or (len(keys) == 1 and keys[0] in self._lines):
                    return True
                if not self._pairs.isdisjoint(pairwise(keys)):
                    return True
            else:
                return True
        return False

    def resting(self, edit: Edit, reach: tuple[int, int]) -> tuple[int, int]:
        """The rows that an edit rests on: those that it reaches, the neighbours that it claims, and the blank lines
        and comments around, since to look past those is to rest on what lies behind them."""
        (start, end), where = reach, edit.hunks[0].where
        near = self._rows(max(start - 1, 0), end + 1)
        if not where.before and not where.after and all(near[:1]) and all(near[-1:]):
            return reach
        for claimed in (*self._keys(where.before), ""):
            while start and self._rows(start - 1, start) == [""]:
                start -= 1
            start -= claimed != "" and start > 0
        for claimed in (*self._keys(where.after), ""):
            while self._rows(end, end + 1) == [""]:
                end += 1
            end += claimed != "" and end < self.page.sheet.count
        return start, end

    def lies_apart(self, rows: tuple[int, int]) -> bool:
        """Whether a line of code lies between these rows and those of every edit that settled."""
        start, end = rows
        at = bisect_left(self._taken, (start, end))
        above = at == 0 or self._taken[at - 1][1] < start
        return above and (at == len(self._taken) or end < self._taken[at][0])

    def note(self, fits: list[Fit], start: int, end: int) -> None:
        """Note the lines that come, and every pair of lines of which one is new or that have become neighbours."""
        insort(self._taken, (start, end))
        last, row = "", max(start - 1, 0)
        for fit in fits:
            kept, new = self._rows(row, fit.splice.start), self._keys(fit.splice.lines)
            last = self._passed(last, kept, seam=fit is not fits[0])
            self._lines.update(new)
            self._text += fit.splice.lines
            row = fit.splice.end
            if new:
                self._pairs.update(pairwise((last, *new)))
                self._beside.update((last, *new))
                last = new[-1]
        self._passed(last, self._rows(row, end + 1), seam=True)

    def _passed(self, last: str, kept: list[str], *, seam: bool) -> str:
        """The last line of code among some that stay; with a `seam`, the first has become the neighbour of `last`."""
        filled = [key for key in kept if key]
        if filled and seam:
            self._pairs.add((last, filled[0]))
            self._beside |= {last, filled[0]}
        return filled[-1] if filled else last

    def _holds(self, old: str) -> bool:
        """Whether a text may stand on lines that the round wrote, or run into them."""
        inner = old.replace("\r\n", "\n").split("\n")
        if len(inner) == 1:
            # A word inside of it is a whole word wherever it stands.
            words = _WORD.findall(old)[1:-1]
            self._words.update(*map(_WORD.findall, self._text[self._read :]))
            self._read = len(self._text)
            return self._words.issuperset(words) and any(old in line for line in self._text)
        whole = self._keys(inner[1:-1])
        return not whole or not self._beside.isdisjoint(whole)

    def _rows(self, start: int, end: int) -> list[str]:
        """Lines of the text as they are compared; "" for those without code."""
        page = self.page
        if self._exact:
            first, lines = self._near
            if start < first or end > first + len(lines):
                first = max(start - _AROUND, 0)
                lines = [line if line.strip(BLANK) else "" for line in page.sheet.some(first, end + _AROUND)]
                lines += [PAST] * (end - first - len(lines))
                self._near = first, lines
            return lines[start - first : end - first]
        if page.codes is None:
            language = page.language()
            page.codes = [_spaceless(line) for line in (page.lexed(language).code if language else page.lines)]
        return page.codes[start:end]

    def _keys(self, lines: Sequence[str]) -> list[str]:
        """Lines of the patch as they are compared, those without code left out."""
        if self._exact or not lines:
            return [line for line in lines if line.strip(BLANK)]
        language = self.page.language()
        return [*filter(None, map(_spaceless, code_lines(lines, language) if language else lines))]


def _spaceless(line: str) -> str:
    return _SPACES.sub("", punctuation(line))


def _position(fit: Fit) -> tuple[int, int]:
    return fit.splice.start, fit.splice.end
