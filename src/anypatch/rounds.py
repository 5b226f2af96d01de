"""Edits of one file that are told one after another, looked up in one text and made at once. Pure.

A round takes edits, in the order of the patch, as long as each would find the same place in the result of those before
it. The first that might not ends the round, and is looked up in its result. So a round gives what one edit after
another gives, for the price of one text:

    a m b … a b     delete `m`, then replace `a b`: once in the text, but twice in the result, so that a round ends
"""

from __future__ import annotations

import re
from bisect import bisect_left, insort
from itertools import pairwise

from .match.levels import punctuation
from .match.page import code_lines
from .model import Hunk, Swap, Where

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from .match.assign import Placed
    from .match.page import Page
    from .match.splices import Fit
    from .model import Edit
    from .syntax.languages import Language

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
        self._unseen: list[tuple[Edit, list[Fit], tuple[int, int]]] = []
        self._taken: list[tuple[int, int]] = []  # rows that settled edits rest on or change, ascending
        # What stands in the result and did not stand in the text: lines by their code, and pairs of neighbours.
        self._lines: set[str] = set()
        self._pairs: set[tuple[str, str]] = set()
        self._beside: set[str] = set()
        self._text: list[str] = []
        self._words: set[str] = set()

    def admits(self, edit: Edit, placed: Placed) -> bool:
        """Whether an edit has, in the result of the round, the place that it has in its text; a no is no harm."""
        if not self.fits:
            return True
        hunk = edit.hunks[0] if len(edit.hunks) == 1 else None
        settled = bool(placed.fits) and not placed.notes and not placed.problems and not placed.missing
        if self._ended or hunk is None or not settled or edit.mode or placed.reach is None:
            return False
        if any(fit.tear is not None or fit.final is not None or fit.splice.how not in _BY_CODE for fit in placed.fits):
            return False
        if isinstance(hunk, Hunk) and hunk.where._replace(before=(), after=(), block="") != _ANYWHERE:
            return False
        if isinstance(hunk, Hunk) and self.page.language(hunk.policy.language) is not self.page.language():
            return False
        return not self.may_make_a_place(edit) and self._lies_apart(self._resting(edit, placed.reach))

    def may_make_a_place(self, edit: Edit) -> bool:
        """Whether the old text of an edit may stand on lines that the round wrote, or across a seam that it left."""
        self._look()
        for hunk in edit.hunks:
            if isinstance(hunk, Swap):
                if self._holds(hunk.old):
                    return True
            elif isinstance(hunk, Hunk):
                where = hunk.where
                keys = [key for key in self._codes([*where.before, *hunk.old, *where.after]) if key]
                if not keys or (len(keys) == 1 and keys[0] in self._lines):
                    return True
                if not self._pairs.isdisjoint(pairwise(keys)):
                    return True
            else:
                return True
        return False

    def add(self, edit: Edit, placed: Placed, final: bool | None) -> None:
        """Settle an edit that was admitted."""
        self.final = self.final if final is None else final
        if not placed.fits:
            return
        for fit in placed.fits:
            insort(self.fits, fit, key=_position)
            self._ended = self._ended or fit.tear is not None or fit.final is not None
        if placed.reach is None:
            self._ended = True
        else:
            self._unseen.append((edit, placed.fits, placed.reach))

    def result(self) -> Page:
        """The text with everything that settled."""
        if not self.fits and self.final is None:
            return self.page
        return self.page.spliced(self.fits, self.final)

    def _look(self) -> None:
        """Look at what settled since the last time: most files get one edit, and nobody asks."""
        for edit, fits, reach in self._unseen:
            start, end = self._resting(edit, reach)
            insort(self._taken, (start, end))
            self._note(fits, start, end)
        self._unseen.clear()

    # ── what an edit rests on ────────────────────────────────────────────────────────────────────

    def _resting(self, edit: Edit, reach: tuple[int, int]) -> tuple[int, int]:
        """The rows that an edit rests on: those that it reaches, the neighbours that it claims, and the blank lines
        and comments around, since to look past those is to rest on what lies behind them."""
        codes, rows = self._all_codes(), len(self.page.lines)
        (start, end), hunk = reach, edit.hunks[0]
        above, below = hunk.where.before, hunk.where.after
        for lines in (*([line] for line in self._codes(above) if line), []):
            while start and not codes[start - 1]:
                start -= 1
            start = max(start - len(lines), 0)
        for lines in (*([line] for line in self._codes(below) if line), []):
            while end < rows and not codes[end]:
                end += 1
            end = min(end + len(lines), rows)
        return start, end

    def _lies_apart(self, rows: tuple[int, int]) -> bool:
        """Whether a line of code lies between these rows and those of every edit that settled."""
        start, end = rows
        at = bisect_left(self._taken, (start, end))
        above = at == 0 or self._taken[at - 1][1] < start
        return above and (at == len(self._taken) or end < self._taken[at][0])

    # ── what the round wrote ─────────────────────────────────────────────────────────────────────

    def _note(self, fits: list[Fit], start: int, end: int) -> None:
        """Note the lines that come, and every pair of lines of which one is new or that have become neighbours."""
        codes = self._all_codes()
        last = codes[start - 1] if start else ""
        fresh, row = False, start  # whether the line before is new, or a seam lies behind it
        stop = min(end + 1, len(codes))
        for fit in fits:
            for key in codes[row : fit.splice.start]:
                last, fresh = self._pair(last, key, fresh, False)
            fresh = True
            for key in self._codes(fit.splice.lines):
                if key:
                    self._lines.add(key)
                last, fresh = self._pair(last, key, True, True)
            self._text += fit.splice.lines
            self._words.update(*map(_WORD.findall, fit.splice.lines))
            row = fit.splice.end
        for key in codes[row:stop]:
            last, fresh = self._pair(last, key, fresh, False)

    def _pair(self, last: str, key: str, fresh: bool, new: bool) -> tuple[str, bool]:
        if not key:
            return last, fresh
        if fresh or new:
            self._pairs.add((last, key))
            self._beside |= {last, key}
        return key, new

    def _holds(self, old: str) -> bool:
        """Whether a text may stand on lines that the round wrote, or run into them."""
        inner = old.replace("\r\n", "\n").split("\n")
        if len(inner) == 1:
            # A word inside of it is a whole word wherever it stands.
            words = _WORD.findall(old)[1:-1]
            return self._words.issuperset(words) and any(old in line for line in self._text)
        whole = [key for key in self._codes(inner[1:-1]) if key]
        return not whole or not self._beside.isdisjoint(whole)

    def _all_codes(self) -> list[str]:
        page, language = self.page, self._language()
        if page.codes is None:
            lexed = page.lexed(language).code if language else page.lines
            page.codes = [_spaceless(line) for line in lexed]
        return page.codes

    def _codes(self, lines: Iterable[str]) -> list[str]:
        language = self._language()
        return [_spaceless(line) for line in (code_lines(lines, language) if language else lines)]

    def _language(self) -> Language | None:
        return self.page.language()


_ANYWHERE = Where()
_SPACES = re.compile(r"\s+")
_WORD = re.compile(r"\w+")


def _spaceless(line: str) -> str:
    return _SPACES.sub("", punctuation(line))


def _position(fit: Fit) -> tuple[int, int]:
    return fit.splice.start, fit.splice.end
