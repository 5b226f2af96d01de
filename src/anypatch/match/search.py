"""Find every place where the old lines of a hunk are. Pure; linear in text and hunk.

The exact level is `str.find` over the whole text: nothing is split, stripped or indexed. The looser levels look up the
rarest line of the hunk in an index of the file's lines and compare the others around it.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from ..model import split_lines
from ..syntax.languages import language_of
from ..syntax.lexer import Lexed
from ..text import BLANK
from .ladder import EXACT, LEVELS, Level, plain_punctuation, without_indentation

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ..model import MatchPolicy
    from ..syntax.languages import Language
    from ..text import Text

Value = TypeVar("Value")

_SCANS = 16  # of a whole text before it gets an index, which costs about as much as 15 of them
_WORD = re.compile(r"\w+")


class Place(NamedTuple):
    """Where the old lines of a hunk are: offsets in the body of the text, and the level on which they match.

    `rows`: the row of each old line, None for a line that the file doesn't have; empty for an exact place.
    """

    start: int
    stop: int
    level: str
    rows: Sequence[int | None] = ()

    def row_span(self, text: Text) -> tuple[int, int]:
        """Return the first row of the place, and the one after its last."""
        known = [row for row in self.rows if row is not None]
        if known:
            return known[0], known[-1] + 1
        first = text.row_at(self.start)
        return first, first + text.body.count("\n", self.start, self.stop)


class Index:
    """The keys of a text's lines on a level, without lines that the level skips. `rows`: the row of each key."""

    __slots__ = ("_first", "_last", "_positions", "keys", "rows")

    def __init__(self, keys: list[str], rows: Sequence[int]) -> None:
        self.keys, self.rows = keys, rows
        # Most lines are there once. Two dictionaries, built without a loop in Python, are enough to know that.
        self._last = dict(zip(keys, range(len(keys)), strict=True))
        self._first: dict[str, int] | None = None
        self._positions: dict[str, list[int]] | None = None

    def __contains__(self, key: str) -> bool:
        return key in self._last

    def positions(self, key: str) -> Sequence[int]:
        """Return all positions of a key."""
        last = self._last.get(key)
        if last is None:
            return ()
        if len(self._last) == len(self.keys):
            return (last,)  # no key is there twice
        if self._first is None:
            self._first = dict(zip(reversed(self.keys), range(len(self.keys) - 1, -1, -1), strict=True))
        if self._first[key] == last:
            return (last,)
        if self._positions is None:
            self._positions = {}
            for position, other in enumerate(self.keys):
                self._positions.setdefault(other, []).append(position)
        return self._positions[key]

    def runs(self, wanted: list[str]) -> list[int]:
        """Return the positions where all wanted keys follow one another, found by looking at those of the rarest."""
        if not all(map(self._last.__contains__, wanted)):
            return []
        rarest: Sequence[int] = ()
        offset_of_rarest = -1
        for offset, key in enumerate(wanted):
            positions = self.positions(key)
            if offset_of_rarest < 0 or len(positions) < len(rarest):
                rarest, offset_of_rarest = positions, offset
                if len(rarest) == 1:
                    break
        size = len(wanted)
        starts = [position - offset_of_rarest for position in rarest if position >= offset_of_rarest]
        if size == 1:
            return starts
        return [start for start in starts if self.keys[start : start + size] == wanted]


# ── the lines of a text on a level ───────────────────────────────────────────────────────────────


def cached(text: Text, key: object, compute: Callable[[], Value]) -> Value:
    """Return a value that belongs to a text, computed at the first call."""
    if key not in text.indexes:
        text.indexes[key] = compute()
    value: Value = text.indexes[key]
    return value


def lexed(text: Text, language: Language) -> Lexed:
    """Return the lexer's view of a text."""
    return cached(text, ("lexed", language.name), lambda: Lexed(text.lines, language))


def keys_of(text: Text, level: Level, language: Language | None) -> list[str]:
    """Return the key of every line of a text; "" for lines that the level skips."""
    language = language if level.view != "text" else None
    view = lexed(text, language) if language else None
    return cached(text, ("keys", level.name, language and language.name), lambda: _keys(text.lines, level, view))


def keys_in_patch(lines: Sequence[str], level: Level, language: Language | None) -> list[str]:
    """Return the key of every line of a patch; no keys if the patch leaves a comment or string open."""
    if level.view == "text" or language is None:
        return level.keys(lines)
    view = Lexed(list(lines), language)
    # A comment or string that the patch leaves open would swallow the lines after it: comments would look like code.
    return [] if view.inside[-1] else _keys(lines, level, view)


def _keys(lines: Sequence[str], level: Level, view: Lexed | None) -> list[str]:
    if view is None:
        return level.keys(lines)
    code = view.statements if level.view == "statements" else view.code
    return code if level.key is without_indentation else level.keys(code)


def index_of(text: Text, level: Level, language: Language | None, comment: str = "") -> Index:
    """Return the index of a text for a level. `comment`: what begins the lines that the level skips besides."""

    def compute() -> Index:
        keys = keys_of(text, level, language)
        if not comment and not (level.skips_blank and "" in keys):
            return Index(keys, range(len(keys)))
        rows = [row for row, key in enumerate(keys) if key and not (comment and key.startswith(comment))]
        return Index([keys[row] for row in rows], rows)

    return cached(text, ("index", level.name, comment, language.name if language else ""), compute)


def known_language(policy: MatchPolicy, path: str) -> Language | None:
    """Return the language of a file whose comments the search may skip; None if a CHUNK operation names none."""
    return None if policy.replaces_range and not policy.language else language_of(path, policy.language)


# ── places ───────────────────────────────────────────────────────────────────────────────────────


def find_exact(text: Text, old: str, *, inline: bool = False) -> list[Place]:
    """Return all places of these very characters, whole lines unless `inline`. They may overlap."""
    scans = text.indexes["scans"] = text.indexes.get("scans", 0) + 1
    if scans > _SCANS:
        # Equal hunks share their places: thousands of `x` in a file of nothing else would be as many long lists.
        return cached(text, ("exact places", old, inline), lambda: _places_by_index(text, old, inline=inline))
    return _scan(text, old, inline=inline)


def _places_by_index(text: Text, old: str, *, inline: bool) -> list[Place]:
    starts = _indexed_starts(text, old, inline=inline)
    if starts is None:
        return _scan(text, old, inline=inline)
    return [Place(start, start + len(old), "exact") for start in starts]


def _scan(text: Text, old: str, *, inline: bool) -> list[Place]:
    body, size = text.body, len(old)
    places = []
    lead = 0 if inline else 1  # whole lines are found by the line ending before them
    wanted = old if inline else "\n" + old
    at = body.find(wanted, 1 - lead)
    while at >= 0:
        places.append(Place(at + lead, at + lead + size, "exact"))
        at = body.find(wanted, at + 1)
    return places


def _indexed_starts(text: Text, old: str, *, inline: bool) -> list[int] | None:
    """Find a text by an index of lines, or by its rarest whole word; None if it has none."""
    if not inline:
        return [text.starts[row] for row in index_of(text, EXACT, None).runs(split_lines(old))]
    inner = [word for word in _WORD.finditer(old) if word.start() > 0 and word.end() < len(old)]
    if not inner:
        return None
    index = cached(text, "words", lambda: _word_index(text.body))
    rarest = min(inner, key=lambda word: len(index.get(word[0], ())))
    starts = [start - rarest.start() for start in index.get(rarest[0], ())]
    return [start for start in starts if start > 0 and text.body.startswith(old, start)]


def _word_index(body: str) -> dict[str, list[int]]:
    index: dict[str, list[int]] = {}
    for word in _WORD.finditer(body):
        index.setdefault(word[0], []).append(word.start())
    return index


def find_loosely(
    text: Text, old: list[str], level: Level, language: Language | None = None, comment: str = ""
) -> list[Place]:
    """Return all places of lines on a looser level. `comment`: what begins a comment line in the file, if known."""
    comment = comment if level.skips_omitted_comments else ""
    wanted = _wanted_keys(old, level, language, comment)
    if not any(wanted):
        return []
    numbers = [number for number, key in enumerate(wanted) if key or not level.skips_blank]
    index = index_of(text, level, language if level.view != "text" else None, comment)
    places = []
    for position in index.runs([wanted[number] for number in numbers]):
        rows: list[int | None] = [None] * len(old)
        for number, row in zip(numbers, index.rows[position : position + len(numbers)], strict=True):
            rows[number] = row
        if level.skips_blank and not _fill_skipped(text, old, rows, level):
            continue
        known = [row for row in rows if row is not None]
        places.append(Place(text.starts[known[0]], text.starts[known[-1] + 1], level.name, rows))
    return places


def _wanted_keys(old: list[str], level: Level, language: Language | None, comment: str) -> list[str]:
    """Return the key of each old line, "" for those that the level skips; no keys if it can't see such a file."""
    if level.skips_omitted_comments:
        return ["" if key.startswith(comment) else key for key in level.keys(old)] if comment else []
    if level.view == "code" and language is None:
        return []
    if level.view == "statements" and (language is None or language.family != "python"):
        return []
    return keys_in_patch(old, level, language)


def _fill_skipped(text: Text, old: list[str], rows: list[int | None], level: Level) -> bool:
    """Set the rows of old lines that the level skipped and the file has; return False if it must have one and doesn't.

    A comment that the patch states must be there. CHUNK's levels skip it all the same.
    """
    matched = [(number, row) for number, row in enumerate(rows) if row is not None]
    for (above, row), (below, end) in pairwise(matched):
        reached = row
        for number in range(above + 1, below):
            line = plain_punctuation(old[number])
            at = next((at for at in range(reached + 1, end) if plain_punctuation(text.lines[at]) == line), -1)
            if at >= 0:
                rows[number] = reached = at
            elif line and level.skips_omitted_comments:
                return False
    (first, first_row), (last, last_row) = matched[0], matched[-1]
    above_ok = _fill_edge(text, old, rows, range(first - 1, -1, -1), first_row)
    below_ok = _fill_edge(text, old, rows, range(last + 1, len(rows)), last_row)
    return (above_ok and below_ok) or not level.skips_omitted_comments


def _fill_edge(text: Text, old: list[str], rows: list[int | None], numbers: range, row: int) -> bool:
    """Do the same for the lines above the first matched row, or below the last: they must be right next to it."""
    for number in numbers:
        line, beside = plain_punctuation(old[number]), row + numbers.step
        while line and 0 <= beside < len(text.lines) and not text.lines[beside].strip(BLANK):
            beside += numbers.step
        if 0 <= beside < len(text.lines) and plain_punctuation(text.lines[beside]) == line:
            rows[number] = row = beside
        elif line:
            return False
    return True


def are_beside(text: Text, lines: Sequence[str], row: int, step: int, level: Level, language: Language | None) -> bool:
    """Return True if these lines are right below a row (`step` 1), or right above it (-1).

    Blank lines don't count, nor do comments if the language is known.
    """
    if not lines:
        return True
    if level.skips_blank and level.view == "text" and language is not None:
        level = LEVELS["marker without comments"]
    wanted = keys_in_patch(lines, level, language)
    if level.skips_blank and not any(wanted):  # nothing but comments, which must be there as they are
        level, language = LEVELS["marker"], None
        wanted = level.keys(lines)
    keys = keys_of(text, level, language)
    rows = range(row + step, len(keys) if step > 0 else -1, step)
    beside = (keys[at] for at in rows if keys[at] or not level.skips_blank)
    return all(next(beside, None) == key for key in wanted[::step] if key or not level.skips_blank)


def without_overlap(places: Sequence[Place]) -> list[Place]:
    """Drop places that overlap the one before ("aa" in "aaa"), as an editor that replaces all of them does."""
    apart: list[Place] = []
    for place in places:
        if not apart or place.start >= apart[-1].stop:
            apart.append(place)
    return apart
