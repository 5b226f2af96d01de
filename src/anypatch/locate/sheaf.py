"""Many edits of one file that are certain at a glance, gathered and made all at once. Pure.

One by one each would search the file and move all lines behind it. What is gathered here is what the long way through
search and fit makes; where that isn't certain, or something near has changed since, nothing is, and the long way goes.
"""

from __future__ import annotations

from itertools import pairwise

from ..elision import may_hold_marks
from ..model import Edit, Hunk, Note, Splice, Swap, Where
from ..record import NamedTuple
from ..text import BLANK, indent_of, stripped
from .fit import Fit, one_for_one
from .guards import added_lines, inserted_already, swapped_already
from .index import SHARED, rows_once
from .lexed import Lexed, has_marks
from .page import Page
from .swap import column, spot_at, swapped
from .words import whole_lines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..syntax.languages import Language

_ANYWHERE = Where()
_COMMENTS = ("#", "//", "/*", "*", "<!")


class Cut(NamedTuple):
    """Lines that go and lines that come, in the rows of the text as it was."""

    start: int
    end: int
    lines: tuple[str, ...]
    how: str = "exact"


class Sure(NamedTuple):
    """One hunk at its only place: the rows that it shows, and its cuts."""

    first: int
    last: int
    cuts: list[Cut]


class Sheaf:
    """The edits gathered for a page, which stays as it was until they are made."""

    __slots__ = ("_fresh", "_keys", "_lexed_as", "_shifts", "_taken", "_told", "cuts", "page")

    def __init__(self, page: Page) -> None:
        self.page = page
        self.cuts: list[Cut] = []
        self._taken = bytearray(len(page.lines))
        # Lines that came, without the blanks around them; how many of the cuts are among the words.
        self._fresh: set[str] = set()
        self._told = 0
        self._keys: dict[str, dict[str, int]] = {}
        self._shifts: _Shifts | None = None
        # In which language comments and strings are still where they were: "" in any, None in none that is known.
        self._lexed_as: str | None = ""

    def gather(self, edit: Edit, elided: bool) -> tuple[tuple[Splice, ...], tuple[Note, ...]] | None:
        """The splices of an edit, in the rows of the text with all that was gathered before; None: not certain."""
        if edit.mode or not edit.hunks:
            return None
        found: list[Sure] = []
        alone = len(edit.hunks) == 1
        for said in edit.hunks:
            if isinstance(said, Hunk):
                sure = self._hunk(said, alone, elided)
            else:
                sure = self._swap(said) if isinstance(said, Swap) and alone else None
            if sure is None:
                return None
            found.append(sure)
        notes: tuple[Note, ...] = ()
        if not alone and any(two.first < one.last for one, two in pairwise(found)):
            found.sort(key=lambda sure: sure.first)
            # Out of order they may not even meet.
            if any(two.first < one.last or _meet(one, two) for one, two in pairwise(found)):
                return None
            notes = (Note("the hunks are not in the order of the file", self.page.path),)
        cuts = [cut for sure in found for cut in sure.cuts]
        splices = self._splices(cuts)
        for cut in cuts:
            self._keep(cut)
        return splices, notes

    def make(self) -> None:
        """Make what was gathered: the page is up to date then."""
        cuts, sheet = sorted(self.cuts, key=lambda cut: cut[:2]), self.page.sheet
        if sheet.pays(len(cuts)):
            sheet.splice_all([cut[:3] for cut in cuts])
            return
        for start, end, lines, _ in reversed(cuts):
            sheet.splice(start, end, lines, [sheet.eol] * len(lines))

    def _splices(self, cuts: list[Cut]) -> tuple[Splice, ...]:
        shifts = self._shifts
        if shifts is None:
            return tuple([Splice(*cut) for cut in cuts])
        moved = [(cut, shifts.before(cut.start)) for cut in cuts]
        return tuple([Splice(cut.start + by, cut.end + by, cut.lines, cut.how) for cut, by in moved])

    def _keep(self, cut: Cut) -> None:
        """Note what a cut changes: none that comes later may touch it."""
        start, end, lines, _ = cut
        self.cuts.append(cut)
        self._fresh.update(stripped(lines))
        if start == end:
            low, high = max(start - 1, 0), min(start + 1, len(self._taken))
            self._taken[low:high] = b"\1" * (high - low)
        else:
            self._taken[start:end] = b"\1" * (end - start)
        if len(lines) != end - start:
            if self._shifts is None:
                self._shifts = _Shifts(len(self._taken))
            self._shifts.add(start, len(lines) - (end - start))

    def _is_taken(self, start: int, end: int) -> bool:
        return self._taken.find(1, max(start, 0), end) >= 0

    # ── hunks ────────────────────────────────────────────────────────────────────────────────────

    def _hunk(self, hunk: Hunk, alone: bool, elided: bool) -> Sure | None:
        where, rules, old = hunk.where, hunk.rules, hunk.old
        rung = rules.rungs[0]
        if not old or hunk.rival or where[2:5] != _ANYWHERE[2:5] or where[7:10] != _ANYWHERE[7:10]:
            return None
        if rung != "exact" and (rung != "blank lines" or not alone):
            return None
        first = self._first(old, rung)
        last = first + len(old)
        if first < 0 or self._is_taken(first, last) or not self._has_neighbours(hunk, first, last):
            return None
        if where.line and where.line != first + 1 + (self._shifts.before(first) if self._shifts else 0):
            return None
        new = [text for tag, text in hunk.lines if tag == "+"]
        if elided and may_hold_marks("\n".join(new)):
            return None
        if rung != "exact" and any(line.lstrip().startswith(_COMMENTS) for line in (*new[:1], *new[-1:])):
            return None  # it may repeat one that stands there
        if tuple(self.page.lines[first:last]) == old:
            cuts = _cuts(hunk, first) if self._is_indented(hunk, old[0], new) else []
        else:
            made = one_for_one(self.page, hunk, first) if len(hunk.lines) == 2 and rules.indent == "marker" else None
            cuts = [Cut(*made.splice)] if made else []
        if not cuts or not self._is_code(hunk, first, cuts) or not self._is_new(hunk, cuts, first, last):
            return None
        return Sure(first, last, cuts)

    def _first(self, old: tuple[str, ...], rung: str) -> int:
        """The row of the first of some lines, if one of them stands in the file once, and nowhere in what came."""
        keys = self._keys.get(rung)
        if keys is None:
            self._keys[rung] = keys = self._rows_once(rung)
        bare = old if rung == "exact" else stripped(old)
        if rung != "exact" and "" in bare:
            return -1
        for at, key in enumerate(bare):
            row = keys.get(key, -2)
            if row >= 0 and key.strip(BLANK) not in self._fresh:
                return row - at
            if row < SHARED:
                break
        return -1

    def _rows_once(self, rung: str) -> dict[str, int]:
        """The row of each line of the patch that is in the file once; SHARED where it is there more often."""
        lines, wanted = self.page.lines, list[str]()
        for said in self.page.said:
            wanted += said.old if isinstance(said, Hunk) else whole_lines(said.old) if isinstance(said, Swap) else ()
        if rung != "exact":
            lines, wanted = stripped(lines), stripped(wanted)
        return rows_once(lines, set(wanted))

    def _has_neighbours(self, hunk: Hunk, first: int, last: int) -> bool:
        """Whether the neighbours that are claimed, if any, stand right above and below, in code, as they did."""
        before, after = hunk.where.before, hunk.where.after
        if not before and not after:
            return True
        low, high = first - len(before), last + len(after)
        said = [*stripped(before), *stripped(after)]
        if low < 0 or "" in said or self._is_taken(low, high):
            return False
        language = self.page.language(hunk.rules.language)
        if language is not None and any(self.page.lexed(language).inside[low : high + 1]):
            return False
        return stripped([*self.page.lines[low:first], *self.page.lines[last:high]]) == said

    def _is_indented(self, hunk: Hunk, top: str, new: list[str]) -> bool:
        """Whether new lines come as they are written, where the old ones stand to the letter."""
        if hunk.rules.indent != "marker":
            return True
        own = indent_of(top)
        if own and not all(line.startswith(own) for line in new if line.strip()):
            return False
        return "\t" not in "".join(new) and not self.page.habits().tabs

    def _is_code(self, hunk: Hunk, first: int, cuts: list[Cut]) -> bool:
        """Whether neither the place nor the edges of the cuts are inside a comment or a string."""
        language = self.page.language(hunk.rules.language)
        if language is None:
            self._lexed_as = None
            return True
        if self._lexed_as not in ("", language.name):
            return False
        inside = self.page.lexed(language).inside
        if inside[first] or any(inside[cut.start] or inside[cut.end] for cut in cuts):
            return False
        self._lexed_as = None if any(_goes_on(cut.lines, language) for cut in cuts) else language.name
        return True

    def _is_new(self, hunk: Hunk, cuts: list[Cut], first: int, last: int) -> bool:
        """Whether what is added doesn't stand there already."""
        if len(cuts) == 1 and (len(cuts[0].lines) <= cuts[0].end - cuts[0].start or not added_lines(hunk)):
            return True
        reach = len(hunk.lines)
        if self._is_taken(first - reach, last + reach):
            return False
        fits = [Fit(Splice(*cut), []) for cut in cuts]
        return inserted_already(self.page, hunk, fits) is None

    # ── text for text ────────────────────────────────────────────────────────────────────────────

    def _swap(self, swap: Swap) -> Sure | None:
        old, new = swap.old, swap.new
        if swap.times != 1 or "\r" in old or "\r" in new or may_hold_marks(new):
            return None
        first, reach = self._row_of(old), old.count("\n") + new.count("\n")
        if first < 0 or (old in new and self._is_taken(first - reach, first + reach + 1)):
            return None
        lines = self.page.lines
        top = max(first - reach, 0)
        text = "\n".join([*lines[top : first + reach + 1], ""])
        position = text.find(old, sum(map(len, lines[top:first])) + first - top)
        if position < 0 or text.count("\n", 0, position) != first - top or column(self.page, text, position, old, new):
            return None
        start, end, came = swapped(text, spot_at(text, position, old, new), top)
        # At the end of the file a line end may go; and lines that have changed since are no longer these.
        if end >= len(lines) or self._is_taken(start, end) or swapped_already(text, position, swap, old, new, top):
            return None
        self._lexed_as = None
        return Sure(start, end, [Cut(start, end, tuple(came))])

    def _row_of(self, old: str) -> int:
        """The row where a text begins, if a line or a word of it stands in the file once, and in nothing that came."""
        whole = whole_lines(old)
        if whole:
            return self._first(whole, "exact") - 1
        words = self.page.words()
        for cut in self.cuts[self._told :]:
            words.add(cut.lines)
        self._told = len(self.cuts)
        at, found = words.holders(old) or (0, [])
        return found[0][0] - at if len(found) == 1 else -1


def _cuts(hunk: Hunk, first: int) -> list[Cut]:
    """Each run of changes of a hunk whose first line is at a row."""
    cuts: list[Cut] = []
    row = start = first
    new: list[str] = []
    changed = False
    for tag, text in hunk.lines:
        if tag == "+":
            new.append(text)
            changed = True
            continue
        if tag == "-":
            changed = True
        else:
            if changed:
                cuts.append(Cut(start, row, tuple(new)))
                new, changed = [], False
            start = row + 1
        row += 1
    return [*cuts, Cut(start, row, tuple(new))] if changed else cuts


def _meet(one: Sure, two: Sure) -> bool:
    """Whether nothing stays between what two hunks change."""
    return one.cuts[-1].end == two.cuts[0].start


def _goes_on(lines: tuple[str, ...], language: Language) -> bool:
    """Whether lines may end inside a comment or a string."""
    if not lines or lines[-1][-1:] == "\\":
        return bool(lines)
    return has_marks("\n".join(lines), language) and Lexed.ends_within(list(lines), language) != 0


class _Shifts:
    """How far rows are moved by what came and went above them."""

    __slots__ = ("_sums",)

    def __init__(self, count: int) -> None:
        self._sums = [0] * (count + 2)

    def add(self, row: int, by: int) -> None:
        """What is below a row moves."""
        row, sums = row + 1, self._sums
        while row < len(sums):
            sums[row] += by
            row += row & -row

    def before(self, row: int) -> int:
        """How far a row is moved."""
        by, sums = 0, self._sums
        while row:
            by += sums[row]
            row &= row - 1
        return by
