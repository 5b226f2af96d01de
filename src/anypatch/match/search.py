"""Where do a hunk's lines stand? Every place that keeps its claims, on the first rung that has one. Linear; pure.

A `Page` is a text made searchable: its lines as each rung compares them are made once, when they are asked for.
"""

from __future__ import annotations

from bisect import bisect_left
from functools import cached_property
from itertools import pairwise

from ..model import Hunk
from ..record import NamedTuple
from ..syntax.languages import COMMENT, STRING, language_of
from ..text import BLANK, Text, depth_of, end_of_line, stripped
from .levels import RUNGS, VERBATIM, Lexed, Rung, punctuation, trailing, trimmed
from .line_kinds import is_trivial

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ..model import Said, Splice
    from ..problems import Problem
    from ..syntax.languages import Language
    from .indentation import Adapted, Habits
    from .splices import Fit
    from .symbol_edits import Table


# ── a text made searchable ───────────────────────────────────────────────────────────────────────


PAST = "\n"  # what stands past either end of a text
_TRIMMED = RUNGS["indentation"]


class Index:
    """The lines of a text as a level compares them, those that it passes over left out.

    `rows`: the row of each key.
    """

    __slots__ = ("_first", "_last", "_positions", "keys", "rows")

    def __init__(self, keys: list[str], rows: Sequence[int]) -> None:
        self.keys = keys
        self.rows = rows
        # Most lines that are looked for stand once: two dictionaries tell that, made without a step for each line.
        self._last = dict(zip(keys, range(len(keys)), strict=True))
        self._first: dict[str, int] | None = None
        self._positions: dict[str, list[int]] | None = None

    def __contains__(self, key: str) -> bool:
        return key in self._last

    def only(self, key: str) -> int:
        """Where among the keys one stands that is there once; -1 for any other."""
        if self._first is None:
            self._first = dict(zip(reversed(self.keys), range(len(self.keys) - 1, -1, -1), strict=True))
        last = self._last.get(key, -1)
        return last if last >= 0 and self._first[key] == last else -1

    def positions(self, key: str) -> list[int]:
        """Where among the keys one stands."""
        if self._positions is None:
            self._positions = {}
            for position, other in enumerate(self.keys):
                self._positions.setdefault(other, []).append(position)
        return self._positions.get(key, [])


class Page:
    """A text, the path of its file, and the views that searches share."""

    def __init__(self, text: Text, path: str, habits: Habits | None = None, edited: bool = False) -> None:
        self.sheet = text
        self.edited = edited  # some of it was written by the patch
        self.path = path
        # The splices of each operation so far that moved lines: what a line number of the patch means now.
        self.moved: list[tuple[Splice, ...]] = []
        self.is_symbol = False  # the lines are those of one symbol, which the patch names
        self.parsed = 0  # for `telling`: how many bytes were parsed
        views = text.views
        self.found: dict[tuple[object, ...], list[int]] = views["found"]  # by `search.find`
        self.symbols: Table | None = None  # once somebody asked for them
        self.codes: list[str] | None = None  # for the rounds of `plan`
        self.ends: dict[int, tuple[int, int]] | None = None  # for `enclosing`
        self._lone_cr: bool | None = None
        self._habits = habits
        self._first = text
        self.doubtful: dict[Said, list[Problem]] = {}  # hunks that have several places, with what was said of them
        self._indexes: dict[str, Index] = views["indexes"]
        self._keys: dict[str, list[str]] = views["keys"]
        self._lexed: dict[str, Lexed] = views["lexed"]
        self._adapted: dict[object, Adapted | Problem | None] = {}

    def spliced(self, fits: Sequence[Fit], sheet: Text | None = None) -> Page:
        """The page with all fits made at once; they are ascending and don't overlap. `sheet`: its text, if known."""
        page = Page(sheet or spliced_text(self.sheet, fits), self.path, self._habits, edited=True)
        page._first = self._first  # edits don't change the habits of a file
        page.moved, page.is_symbol, page.parsed = self.moved, self.is_symbol, self.parsed
        page.symbols = self.symbols.spliced(fits) if self.symbols is not None else None
        return page

    @cached_property
    def lines(self) -> list[str]:
        """The lines, without their line ends."""
        return self.sheet.lines

    @property
    def text(self) -> str:
        """The lines, each with LF behind it."""
        return self.sheet.text

    def has_line(self, line: str) -> bool:
        """Whether some line is this one, without blanks at its end."""
        return line in self.index(RUNGS["trailing space"], None)

    def moved_row(self, row: int) -> int:
        """Where a row of the file as it was read is by now."""
        for splices in self.moved:
            row += sum(len(one.lines) - (one.end - one.start) for one in splices if one.end <= row)
        return row

    def has_lone_cr(self) -> bool:
        """Whether a CR stands inside a line."""
        if self._lone_cr is None:  # asked for every hunk without a place
            self._lone_cr = "\r" in self.text
        return self._lone_cr

    def habits(self) -> Habits:
        """How the file is indented as it was at first."""
        if self._habits is None:
            from .indentation import Habits

            self._habits = Habits(self._first.lines)
        return self._habits

    def language(self, fallback: str = "") -> Language | None:
        """What the file is written in: its suffix decides, then the patch's word."""
        return language_of(self.path, fallback)

    def lexed(self, language: Language) -> Lexed:
        """The lexer's view of the lines."""
        if language.name not in self._lexed:
            self._lexed[language.name] = Lexed(self.lines, language)
        return self._lexed[language.name]

    def adapted(self, hunk: Hunk, found: dict[int, int]) -> Adapted | Problem | None:
        """A hunk as it is written at a place; asked to tell whether it is one, and to edit there."""
        key = (hunk.lines, hunk.policy, *found.items())
        if key not in self._adapted:
            from .indentation import adapted

            self._adapted[key] = adapted(self, hunk, found)
        return self._adapted[key]

    def index(self, rung: Rung, language: Language | None) -> Index:
        """The lines under a rung, by what they are."""
        name = _name(rung, language)
        if name not in self._indexes:
            keys = self.keys(rung, language)
            rows: Sequence[int] = range(len(keys))
            if rung.skips and "" in keys:
                rows = [row for row, key in enumerate(keys) if key]
                keys = [keys[row] for row in rows]
            self._indexes[name] = Index(keys, rows)
        return self._indexes[name]

    def keys(self, rung: Rung, language: Language | None) -> list[str]:
        """All lines as the rung compares them."""
        name = _name(rung, language)
        if name not in self._keys:
            if rung.key is trimmed and rung is not _TRIMMED and (language is None or rung.sees == "text"):
                self._keys[name] = self.keys(_TRIMMED, None)
            elif language is None or rung.sees == "text":
                self._keys[name] = rung.keys(self.lines)
            else:
                self._keys[name] = _code_keys(self.lexed(language), rung)
        return self._keys[name]

    def oddly_spelt(self) -> list[str]:
        """The lines, trimmed, that a rung may see otherwise than by the blanks at their ends: with tabs or runs of
        blanks inside, or other signs than ASCII."""
        if "odd" not in self._keys:
            text = "\n".join(self.keys(_TRIMMED, None))
            odd = {line for sign in ("  ", "\t") for line in _lines_with(text, sign)}
            odd |= {line for line in ([] if text.isascii() else text.split("\n")) if not line.isascii()}
            self._keys["odd"] = list(odd)
        return self._keys["odd"]

    def key(self, rung: Rung, language: Language | None, row: int) -> str:
        """The line at a row as the rung compares it; past either end PAST."""
        keys = self.keys(rung, language)
        return keys[row] if 0 <= row < len(keys) else PAST


def _lines_with(text: str, sign: str) -> Iterator[str]:
    """The lines of a text that a sign stands in."""
    at = text.find(sign)
    while at >= 0:
        end = end_of_line(text, at)
        yield text[text.rfind("\n", 0, at) + 1 : end]
        at = text.find(sign, end)


def spliced_text(text: Text, fits: Sequence[Fit], final: bool | None = None) -> Text:
    """A text with fits made."""
    return text.spliced([(*fit.splice[:3], fit.ends) for fit in fits], final)


def needle_keys(rung: Rung, language: Language | None, lines: tuple[str, ...]) -> list[str]:
    """A patch's lines as the rung compares them."""
    if rung.sees == "text" or language is None:
        return rung.keys(lines)
    lexed = Lexed(list(lines), language)
    # What the patch leaves open would swallow its own lines: then comments can't be told from code.
    return [] if lexed.inside[-1] else _code_keys(lexed, rung)


def _code_keys(lexed: Lexed, rung: Rung) -> list[str]:
    """Lines without what the rung passes over, as it compares them."""
    seen = lexed.statements() if rung.sees == "statements" else lexed.code
    return seen if rung.key is trimmed else [rung.key(line) for line in seen]


def _name(rung: Rung, language: Language | None) -> str:
    return rung.name if language is None or rung.sees == "text" else f"{rung.name} {language.name}"


# ── where lines stand ────────────────────────────────────────────────────────────────────────────


class Needle(NamedTuple):
    """A patch's lines as one rung compares them; `at` tells which of the lines each key is."""

    rung: Rung
    language: Language | None
    keys: list[str]
    at: Sequence[int]
    lines: tuple[str, ...]


class Place(NamedTuple):
    """Where a hunk's old lines stand: `rows[k]` (0-based) is the line of the file for old line `at[k]` of `old`."""

    rung: str
    rows: Sequence[int]
    at: Sequence[int]
    old: tuple[str, ...]


class Places(NamedTuple):
    """All places of a hunk on one rung: their first rows, ascending, and which rows it would change at each.

    `told`: the symbol that the answer names, where only that makes it one place.
    """

    hunk: Hunk
    rung: str
    firsts: list[int]
    changed: list[tuple[int, int]]
    wanted: Needle
    told: str = ""

    @property
    def span(self) -> range:
        """From the first row of the first place to the last row of the last."""
        return range(self.firsts[0], self.firsts[-1] + len(self.hunk.old))


class Stated(NamedTuple):
    """A comment of the patch that isn't at a place, and the row where it stands instead."""

    comment: str
    row: int


def find_places(page: Page, hunk: Hunk, *, comments_decide: bool = True) -> Places | None:
    """The hunk's places on the first rung, of those that its policy allows, that has any; None where no rung has.

    `comments_decide`: a comment that the patch states and that stands elsewhere says that this isn't the place.
    """
    policy, where, old = hunk.policy, hunk.where, hunk.old
    language = page.language(policy.language) if policy.ignores_comments else None
    beside = where.before or where.after
    claims = policy.language or beside or where.under or where.at_end or where.blank_below
    for name in policy.levels:
        rung = RUNGS[name]
        if rung.sees != "text" and (language is None or (rung.sees == "statements" and language.family != "python")):
            continue
        if name == "punctuation" and not beside and page.sheet.body.isascii() and "".join(old).isascii():
            continue  # it sees what "indentation" saw
        wanted = needle(rung, language, old)
        if name != "exact" and not _may_stand(page, wanted):
            continue
        found = find(page, wanted)
        if found and (claims or (policy.maps_indentation and name not in VERBATIM)):
            kept = _keeping_claims(page, hunk, wanted, found)
            if where.under and not kept and name == "exact" and all(map(is_trivial, old)):
                return None  # `end` is there to the letter, but not below the header: one that is deeper isn't meant
            found = kept
        if found and comments_decide and (rung.sees != "text" or beside):
            found = [first for first in found if comment_elsewhere(page, hunk, wanted, first) is None]
        if found:
            firsts, told = _told_apart(page, hunk, found) if len(found) > 1 else (found, "")
            return Places(hunk, name, firsts, changed_rows(page, hunk.changed, wanted, firsts), wanted, told)
    return None


def _may_stand(page: Page, wanted: Needle) -> bool:
    """Whether each line may stand somewhere, as it is or in one of the lines that the rung sees otherwise.

    Told without an index of the rung, and without lexing: most hunks that fail have a line that stands nowhere.
    """
    rung, language, index = wanted.rung, wanted.language, page.index(_TRIMMED, None)
    missing = tuple([key for line in wanted.keys if (key := line.strip(BLANK)) not in index and key])
    if not missing:
        return True
    if rung.key in (trailing, trimmed) and rung.sees == "text":
        return False
    lines = page.keys(_TRIMMED, None)
    if rung.sees == "text":
        words = tuple([key.replace("\t", " ").split(" ", 1)[0] for key in missing])  # which each of them begins with
        odd = [line for line in page.oddly_spelt() if line.startswith(words) or not line.isascii()]
        return {rung.key(line) for line in odd}.issuperset(missing)
    if rung.name != "comments" or language is None or language.family != "python":
        return True
    commented = [line for line in lines if "#" in line and line.startswith(missing)]
    return all(any(line.startswith(key) for line in commented) for key in missing)


def place(page: Page, places: Places, first: int) -> Place:
    """One of the places, with all its rows: also of lines that the rung passes over, where they are known."""
    hunk, wanted = places.hunk, places.wanted
    found = rows(page, wanted, first)
    # CHUNK replaces whole ranges, whatever blank lines and comments are in them; hunks change line by line.
    if wanted.rung.skips and not hunk.policy.replaces_whole_range:
        beside = aligned(page, hunk, wanted.at, found) or {}
        at = sorted(beside)
        return Place(places.rung, [beside[i] for i in at], at, wanted.lines)
    return Place(places.rung, found, wanted.at, wanted.lines)


def needle(rung: Rung, language: Language | None, lines: tuple[str, ...]) -> Needle:
    """What is looked for. Rungs that skip blank lines leave them out here too."""
    keys = rung.keys(lines) if rung.sees == "text" else needle_keys(rung, language, lines)
    if not rung.skips or "" not in keys:
        return Needle(rung, language, keys, range(len(keys)), lines)
    at = [i for i, key in enumerate(keys) if key]
    return Needle(rung, language, [keys[i] for i in at], at, lines)


# So many times a text is read through for lines to the letter before it gets an index, which costs as much as 11 looks
# at a file of 300 lines, 19 at one of 1,800, and needs the file as lines; most files get one edit.
# second way: a real change without the syntax check, median: unified 1.46 to 0.57 ms (with the lexer left out)
_LOOKS = 16


def find(page: Page, wanted: Needle) -> list[int]:
    """The first rows (0-based) of all places, ascending: the rarest of the lines is looked up, the others around it."""
    keys = wanted.keys
    if not keys:
        return []
    known = (_name(wanted.rung, wanted.language), *keys)
    if known in page.found:
        return page.found[known]
    if wanted.rung.name == "exact" and len(page.found) < _LOOKS:
        page.found[known] = found = page.sheet.rows_of(keys)
        return found
    is_trailing = wanted.rung.key is trailing  # what is the same but for those ends is so without either: one index
    index = page.index(_TRIMMED if is_trailing else wanted.rung, wanted.language)
    bare = stripped(keys) if is_trailing else keys
    starts = _starts(index, bare)
    size = len(keys)
    if size > 1:
        starts = [start for start in starts if start >= 0 and index.keys[start : start + size] == bare]
    if is_trailing:
        starts = [start for start in starts if wanted.rung.keys(page.lines[start : start + size]) == keys]
    page.found[known] = found = [index.rows[start] for start in starts]
    return found


def _starts(index: Index, keys: list[str]) -> list[int]:
    """Where the keys would have to begin, by the rarest of them."""
    for offset, key in enumerate(keys):
        if key not in index:
            return []
        position = index.only(key)
        if position >= 0:
            return [position - offset]
    offset = min(range(len(keys)), key=lambda at: len(index.positions(keys[at])))
    return [position - offset for position in index.positions(keys[offset])]


def rows(page: Page, wanted: Needle, first: int) -> Sequence[int]:
    """The row of every key, for a place that `find` gave."""
    size = len(wanted.keys)
    if not wanted.rung.skips or size == 1:
        return range(first, first + size)
    known = page.index(wanted.rung, wanted.language).rows
    start = bisect_left(known, first)
    return known[start : start + size]


def changed_rows(page: Page, changed: tuple[int, int], wanted: Needle, firsts: list[int]) -> list[tuple[int, int]]:
    """The rows that a hunk would change at each place, half open; `changed`: which of its old lines."""
    start, end = changed
    if not wanted.rung.skips:
        return [(first + start, first + end) for first in firsts]
    spans = []
    for first in firsts:
        found = rows(page, wanted, first)
        low = next((row for row, i in zip(found, wanted.at, strict=True) if i >= start), found[-1] + 1)
        high = max((row + 1 for row, i in zip(found, wanted.at, strict=True) if i < end), default=low)
        spans.append((low, max(low, high)))
    return spans


# ── claims ───────────────────────────────────────────────────────────────────────────────────────


def _keeping_claims(page: Page, hunk: Hunk, wanted: Needle, found: list[int]) -> list[int]:
    """The places where everything the patch says of the place is true, and its indentation has one translation."""
    where = hunk.where
    if hunk.policy.language or where.before or where.after:
        found = [row for row in found if _claims_hold(page, hunk, wanted, row)]
    if found and (where.under or where.at_end or where.blank_below):
        scoped = _in_scope(page, hunk, wanted, found)
        if hunk.doubts and where.line - 1 in found and where.line - 1 not in scoped:
            # `@@ -1,2 +1,3 @@`, `+a`, ` b` on b x b: it stands at its line, and a line of it was cut off, not the file.
            return []
        found = scoped
    if found and hunk.policy.maps_indentation and wanted.rung.name not in VERBATIM:
        found = [first for first in found if _maps(page, hunk, wanted, first)]
    return found


def _claims_hold(page: Page, hunk: Hunk, wanted: Needle, first: int) -> bool:
    """Whether a place is code (where comments are to be ignored) and its neighbours are those claimed."""
    told = wanted.language
    as_told = told is not None and wanted.rung.sees == "text" and hunk.policy.language != ""
    if as_told and told is not None and _in_comment(page, hunk, told, first):
        return False
    where = hunk.where
    if not where.before and not where.after:
        return True
    last = rows(page, wanted, first)[-1]
    return (
        _neighbour(page, wanted, where.before, first, -1) is not None
        and _neighbour(page, wanted, where.after, last, 1) is not None
    )


def _neighbour(page: Page, wanted: Needle, lines: tuple[str, ...], row: int, step: int) -> int | None:
    """The row of the farthest claimed neighbour: blank lines, and comments where they are ignored, don't count.

    None where they don't stand there; the row itself where none is claimed.
    """
    if not lines:
        return row
    rung = wanted.rung
    if rung.name == "blank lines" and wanted.language is not None:
        rung = RUNGS["comments"]
    context = needle(rung, wanted.language, lines)
    if not context.keys:
        # Nothing but comments: then they are meant to the letter.
        context = needle(RUNGS["blank lines"], None, lines)
    return neighbours(page, context, row, step)


def neighbours(page: Page, wanted: Needle, row: int, step: int) -> int | None:
    """The row of the farthest key, if all stand next to `row` in direction `step` (-1: above it), gaps skipped."""
    for wanted_key in wanted.keys if step > 0 else wanted.keys[::-1]:
        row += step
        there = page.key(wanted.rung, wanted.language, row)
        while wanted.rung.skips and there == "":
            row += step
            there = page.key(wanted.rung, wanted.language, row)
        if there != wanted_key:
            return None
    return row


def _in_scope(page: Page, hunk: Hunk, wanted: Needle, found: list[int]) -> list[int]:
    """The places under the headers claimed, and at the end of the file if that is claimed."""
    from .constraints import Extent, within

    changed = changed_rows(page, hunk.changed, wanted, found)
    spans = zip(found, changed, strict=True)
    extents = {first: Extent(first, rows(page, wanted, first)[-1] + 1, start) for first, (start, _) in spans}
    return within(page, hunk.where, extents)


def _maps(page: Page, hunk: Hunk, wanted: Needle, first: int) -> bool:
    """Whether every changed line has its row, and the hunk's indentation one translation into the file's."""
    found = dict(zip(wanted.at, rows(page, wanted, first), strict=True))
    if wanted.rung.skips:
        beside = aligned(page, hunk, wanted.at, list(found.values()))
        if beside is None:
            return False
        found = beside
    return page.adapted(hunk, found) is not None


def _in_comment(page: Page, hunk: Hunk, language: Language, first: int) -> bool:
    """Whether a row begins inside a comment though the hunk is code. A hunk of comments only may stand there."""
    if language.family == "python" or page.lexed(language).inside[first] != COMMENT:
        return False
    return any(needle_keys(RUNGS["comments"], language, hunk.old))


def _told_apart(page: Page, hunk: Hunk, found: list[int]) -> tuple[list[int], str]:
    """Of several places the one in the symbol that the answer's words name, with its name; else all that count."""
    if hunk.where.named:
        from .constraints import named_place

        told = named_place(page, found, hunk.where.named)
        if told.symbol:
            return [told.first], told.symbol
    return _outside_strings(page, hunk, found), ""


def _outside_strings(page: Page, hunk: Hunk, found: list[int]) -> list[int]:
    """Of several places those that aren't text inside a multi-line string, if there are any: CHUNK's own rule.

    Not in a file that ends inside of one: there a quote is missing, and what is text can't be told.
    """
    if not hunk.policy.prefers_code:
        return found
    language = page.language(hunk.policy.language)
    if language is None:
        return found
    inside = page.lexed(language).inside
    if inside[len(page.lines)]:
        return found
    return [first for first in found if inside[first] != STRING] or found


def comment_elsewhere(page: Page, hunk: Hunk, wanted: Needle, first: int) -> Stated | None:
    """A comment that the patch states, and that stands elsewhere but not at this place, which was found without it.

    patch   # admin user            file   # admin user
            user = make(role=0)            user = make(role=1)
                                           # guest user
                                           user = make(role=0)
    """
    where, language = hunk.where, wanted.language
    stated = comments_stated(hunk, language, wanted.rung.sees)
    if not stated or language is None:
        return None
    top = _neighbour(page, wanted, where.before, first, -1)
    bottom = _neighbour(page, wanted, where.after, rows(page, wanted, first)[-1], 1)
    assert top is not None and bottom is not None, "a claim that was kept"
    rung = RUNGS["docstrings" if wanted.rung.sees == "statements" else "comments"]
    while not page.key(rung, language, top - 1):
        top -= 1
    while not page.key(rung, language, bottom + 1):
        bottom += 1
    there = "\n".join(page.lines[top : bottom + 1])
    for comment in stated:
        at = -1 if comment in there else page.text.find(f"{comment}\n")
        if at >= 0:
            return Stated(comment, page.text.count("\n", 0, at))
    return None


def comments_stated(hunk: Hunk, language: Language | None, sees: str = "statements") -> list[str]:
    """The comments, behind code or by themselves, that a hunk says are there; docstrings too, where those are ignored.

    Those without a word say nothing.
    """
    lines = (*hunk.where.before, *hunk.old, *hunk.where.after)
    if language is None:
        return []
    lexed = Lexed(list(lines), language)
    code = lexed.statements() if sees == "statements" else lexed.code
    bare = [line.strip(BLANK) for line in lines]
    found = [line[len(kept) :].strip(BLANK) for line, kept in zip(bare, code, strict=True) if line.startswith(kept)]
    return [comment for comment in found if any(map(str.isalnum, comment))]


# ── lines that were passed over ──────────────────────────────────────────────────────────────────


class Stretch(NamedTuple):
    """Old lines that were passed over, the rows where they would be, and the old lines before which new ones count."""

    inner: range
    start: int
    end: int
    places: range


def aligned(page: Page, hunk: Hunk, at: Sequence[int], rows: Sequence[int]) -> dict[int, int] | None:
    """Old line -> row, for all that have one; None where a change lies in a stretch that isn't the same in both."""
    old = hunk.old
    tags, loose = _shape(hunk)
    fragile = _slides(hunk)
    found = dict(zip(at, rows, strict=True))
    if any(tags[i] == "-" and punctuation(old[i]) != punctuation(page.lines[row]) for i, row in found.items()):
        return None
    for stretch in _stretches(at, rows, len(old)):
        there = page.lines[stretch.start : stretch.end] if stretch.start >= 0 else []
        said = [punctuation(old[i]) for i in stretch.inner]
        if not fragile and stretch.end > len(page.lines) and not any(said[len(there) :]):
            said = said[: len(there)]  # an editor shows a blank line behind the last one
        if said == [punctuation(line) for line in there]:
            found |= {stretch.inner[offset]: stretch.start + offset for offset in range(len(said))}
            continue
        before, behind = stretch.inner.start - 1, stretch.inner.stop
        between_removed = before >= 0 and behind < len(old) and tags[before] == "-" == tags[behind]
        added = [i for i in stretch.places if i in loose]
        gap = _same_gap(stretch, added, said, there) if added and said else {}
        changed = any(tags[i] == "-" for i in stretch.inner) or (
            added and (gap is None if said else not _parts(loose[added[0]], there, old[behind]))
        )
        if between_removed or changed or fragile:
            return None
        found |= gap or {}
    return found


def _slides(hunk: Hunk) -> bool:
    """Whether the change could as well stand a little higher or lower: then what lies around it must be sure."""
    lines = [(tag, text.strip(BLANK)) for tag, text in hunk.lines]
    for sign in "+-":
        run = [text for tag, text in lines if tag == sign]
        for (one, first), (two, second) in pairwise(lines):
            above, below = (one, two) == (" ", sign), (one, two) == (sign, " ")
            if (above and first == run[-1]) or (below and second == run[0]):
                return True
    return False


def _stretches(at: Sequence[int], rows: Sequence[int], count: int) -> list[Stretch]:
    """What lies before, between and behind the lines that were found."""
    found = []
    if at[0]:
        found.append(Stretch(range(at[0]), rows[0] - at[0], rows[0], range(at[0] + 1)))
    for (index, row), (later, later_row) in pairwise(zip(at, rows, strict=True)):
        if later - index > 1 or later_row - row > 1:
            found.append(Stretch(range(index + 1, later), row + 1, later_row, range(index + 1, later + 1)))
    rest = count - 1 - at[-1]
    if rest:
        last = rows[-1] + 1
        found.append(Stretch(range(at[-1] + 1, count), last, last + rest, range(at[-1] + 1, count + 1)))
    return found


def _same_gap(stretch: Stretch, added: list[int], said: list[str], there: list[str]) -> dict[int, int] | None:
    """The rows of blank lines that the hunk has more or fewer of, so that lines it adds at one edge stay there.

    patch   a = None       file  a = None      The new line goes right below `a`, whose gap is wider or narrower.
           +b = None
            (blank)              (blank)
            (blank)
            try:                 try:
    None where it adds lines inside the gap, or something else is there.
    """
    edges = {stretch.inner.start, stretch.inner.stop} if there else set(added)
    if any(said) or any(map(str.strip, there)) or len(added) > 1 or not edges.issuperset(added):
        return None
    shared = min(len(said), len(there))
    shift, row = (0, 0) if added[0] == stretch.inner.start else (len(said) - shared, len(there) - shared)
    return {stretch.inner[shift + at]: stretch.start + row + at for at in range(shared)}


def _parts(added: list[str], there: list[str], below: str) -> bool:
    """Whether it is told on which side of blank lines that the hunk leaves out the lines go that it adds there.

    patch    return a      file  return a      They part the new lines from one neighbour as those of the file
            +                                  part them from the other, wherever the new lines were seen.
            +b = 2               c = 3
             c = 3
    New lines that are deeper than the one below belong to what stands above.
    """
    if any(map(str.strip, there)):
        return False
    if added[-1].strip(BLANK) and min(depth_of(line) for line in added if line.strip(BLANK)) > depth_of(below):
        return True
    blank = [not line.strip(BLANK) for line in added]
    first, last = (blank.index(False), blank[::-1].index(False)) if not all(blank) else (0, 0)
    return min(first, last) == 0 and max(first, last) == len(there)


def _shape(hunk: Hunk) -> tuple[list[str], dict[int, list[str]]]:
    """The tag of each old line; and the new ones that come before an old line and hang on no removed one."""
    tags: list[str] = []
    added: dict[int, list[str]] = {}
    for tag, text in hunk.lines:
        if tag == "+":
            added.setdefault(len(tags), []).append(text)
        else:
            tags.append(tag)
    is_hung = [tags[max(i - 1, 0)] == "-" or tags[min(i, len(tags) - 1)] == "-" for i in added]
    return tags, {i: lines for (i, lines), hung in zip(added.items(), is_hung, strict=True) if not hung}


# ── lines that a hunk leaves out ─────────────────────────────────────────────────────────────────


_GAP = 2  # lines of the file in a row that context may leave out


def with_skipped_lines(page: Page, hunk: Hunk) -> Hunk | None:
    """The hunk with the file's lines put in that its context leaves out, if what it removes is in the file once.

    patch    def total(self):      file   def total(self):
            -    x = 1                        x = 1
            +    x = 5                        y = 2
                 return x + y                 return x + y
    """
    where, (tags, added) = hunk.where, _shape(hunk)
    is_claimed = where.before or where.after or where.under or where.at_end or where.blank_below
    if added or is_claimed or not hunk.policy.forgives_copying:
        return None  # what only comes hangs on its context, and that must be all of the file's
    rows = _rows_with_gaps(page, hunk.old, tags)
    gaps = [range(0), *(range(above + 1, row) for above, row in pairwise(rows)), range(0)]
    skipped = [row for gap in gaps for row in gap]
    if not 0 < len(skipped) <= sum(tag == " " and line.strip() != "" for tag, line in hunk.lines):
        return None
    changed = {text.strip(BLANK) for tag, text in hunk.lines if tag != " "}
    if len(hunk.new) > len(hunk.old) or any(page.lines[row].strip(BLANK) in changed for row in skipped):
        return None  # what comes besides may be what is there, and of two equal lines either may be the one that goes
    lines: list[tuple[str, str]] = []
    at = 0
    for tag, text in hunk.lines:
        # Lines that come stay beside those that go: what was left out goes next to the context on its other side.
        if tag == " " and tags[at - 1] == "-":
            lines += [(" ", page.lines[row]) for row in gaps[at]]
        lines.append((tag, text))
        at += tag != "+"
        if tag == " ":
            lines += [(" ", page.lines[row]) for row in gaps[at]]
    policy = hunk.policy._replace(levels=VERBATIM)
    return hunk._replace(lines=tuple(lines), policy=policy, skipped=tuple(skipped))


def _rows_with_gaps(page: Page, old: tuple[str, ...], tags: list[str]) -> list[int]:
    """The row of each old line, if those that go are in the file once and the others near them, in order; else none."""
    starts = [at for at, tag in enumerate(tags) if tag == "-" and (not at or tags[at - 1] == " ")]
    rows = [-1] * len(old)
    for start in starts:
        end = next((at for at in range(start, len(tags)) if tags[at] == " "), len(tags))
        found = find(page, needle(RUNGS["exact"], None, old[start:end]))
        if len(found) != 1 or not any(map(str.isalnum, "".join(old[start:end]))):
            return []
        rows[start:end] = range(found[0], found[0] + end - start)
    first = starts[0] if starts else 0
    # From the first run upwards, then downwards, each line of context stands next to the one before, or nearly.
    for at in (*range(first - 1, -1, -1), *range(first, len(old))) if starts else ():
        step = -1 if at < first else 1
        near = [rows[at - step] + step * far for far in range(1, _GAP + 2)] if tags[at] == " " else [rows[at]]
        rows[at] = next((row for row in near if 0 <= row < len(page.lines) and page.lines[row] == old[at]), -1)
    return rows if rows[:1] >= [0] and all(one < two for one, two in pairwise(rows)) else []
