"""Where are the old lines of a hunk? All places, never only one. Pure; linear in text and hunk.

The exact level is `str.find` over the whole text: nothing is split, stripped or indexed. Only if that finds nothing are
the looser levels asked: there the rarest line of the hunk is looked up in an index of the file's lines as the level
sees them, and the other lines are compared around it.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from ..model import split_lines
from ..syntax.lexer import Lexed
from ..text import BLANK
from .ladder import EXACT, LEVELS, TRAILING_SPACE, Level, plain_punctuation, trimmed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..syntax.languages import Language
    from ..text import Text

PAST = "\n"  # what is past either end of a text


class Place(NamedTuple):
    """Where the old lines of a hunk are: offsets in the body of the text, and on which level they were found.

    `rows` has the row of each old line, None for a line that the file doesn't have; empty for an exact place.
    """

    start: int
    stop: int
    level: str
    rows: Sequence[int | None] = ()

    def row_span(self, text: Text) -> tuple[int, int]:
        """The first row of the place, and the one after its last."""
        known = [row for row in self.rows if row is not None]
        if known:
            return known[0], known[-1] + 1
        first = text.row_at(self.start)
        return first, first + text.body.count("\n", self.start, self.stop)


class Index:
    """The lines of a text as one level sees them, without those it skips.

    `rows` has the row of each key.
    """

    __slots__ = ("_first", "_last", "_positions", "keys", "rows")

    def __init__(self, keys: list[str], rows: Sequence[int]) -> None:
        self.keys, self.rows = keys, rows
        # Most lines that are looked for are there once: two dictionaries tell that, made without a step for each line.
        self._last = dict(zip(keys, range(len(keys)), strict=True))
        self._first: dict[str, int] | None = None
        self._positions: dict[str, list[int]] | None = None

    def positions(self, key: str) -> Sequence[int]:
        """Where among the keys one is."""
        last = self._last.get(key)
        if last is None:
            return ()
        if len(self._last) == len(self.keys):
            return (last,)  # no line is there twice
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
        """The positions at which all wanted keys follow one another, told by the rarest of them."""
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


# ── a text as a level sees it ────────────────────────────────────────────────────────────────────


def lexed(text: Text, language: Language) -> Lexed:
    """The lexer's view of the lines, made once."""
    key = ("lexed", language.name)
    if key not in text.indexes:
        text.indexes[key] = Lexed(text.lines, language)
    found: Lexed = text.indexes[key]
    return found


def keys_of(text: Text, level: Level, language: Language | None) -> list[str]:
    """Every line as the level compares it, "" for those it skips; made once."""
    name = ("keys", level.name, language.name if language and level.sees != "text" else "")
    if name not in text.indexes:
        text.indexes[name] = _seen(text.lines, level, language, lexed(text, language) if language else None)
    found: list[str] = text.indexes[name]
    return found


def lines_of(text: Text) -> frozenset[str]:
    """The lines of a text without trailing space, to ask whether one is among them; made once."""
    if "lines" not in text.indexes:
        text.indexes["lines"] = frozenset(keys_of(text, TRAILING_SPACE, None))
    found: frozenset[str] = text.indexes["lines"]
    return found


def index_of(text: Text, level: Level, language: Language | None) -> Index:
    """The lines of a text by what they are on a level, made once."""
    name = ("index", level.name, language.name if language and level.sees != "text" else "")
    if name not in text.indexes:
        keys = keys_of(text, level, language)
        rows: Sequence[int] = range(len(keys))
        if level.skips and "" in keys:
            rows = [row for row, key in enumerate(keys) if key]
            keys = [keys[row] for row in rows]
        text.indexes[name] = Index(keys, rows)
    found: Index = text.indexes[name]
    return found


def _seen(lines: Sequence[str], level: Level, language: Language | None, view: Lexed | None) -> list[str]:
    if level.sees == "text" or language is None or view is None:
        return level.keys(lines)
    seen = view.statements() if level.sees == "statements" else view.code
    return seen if level.key is trimmed else level.keys(seen)


def keys_in_patch(lines: Sequence[str], level: Level, language: Language | None) -> list[str]:
    """A patch's lines as the level compares them; none if the patch leaves a comment or string open."""
    if level.sees == "text" or language is None:
        return level.keys(lines)
    view = Lexed(list(lines), language)
    # What the patch leaves open would swallow its own lines: then comments can't be told from code.
    return [] if view.inside[-1] else _seen(lines, level, language, view)


# ── places ───────────────────────────────────────────────────────────────────────────────────────


# So many times a text is read through before it gets an index: that costs as much as about 15 looks.
_LOOKS = 16
_WORD = re.compile(r"\w+")


def find_exact(text: Text, old: str, *, inline: bool = False) -> list[Place]:
    """All places of these very characters, whole lines unless `inline`. They may overlap."""
    looks = text.indexes["looks"] = text.indexes.get("looks", 0) + 1
    body, size = text.body, len(old)
    places = []
    if inline:
        starts = _starts_by_word(text, old) if looks > _LOOKS else None
        if starts is not None:
            return [Place(start, start + size, "exact") for start in starts]
        at = body.find(old, 1)
        while at >= 0:
            places.append(Place(at, at + size, "exact"))
            at = body.find(old, at + 1)
        return places
    if looks > _LOOKS:
        rows = index_of(text, EXACT, None).runs(split_lines(old))
        return [Place(text.starts[row], text.starts[row] + size, "exact") for row in rows]
    needle = "\n" + old
    at = body.find(needle)
    while at >= 0:
        places.append(Place(at + 1, at + 1 + size, "exact"))
        at = body.find(needle, at + 1)
    return places


def _starts_by_word(text: Text, old: str) -> list[int] | None:
    """Where a text is that isn't bound to whole lines, by the rarest of its whole words; None if it has none."""
    words = list(_WORD.finditer(old))
    inner = [word for word in words if word.start() > 0 and word.end() < len(old)]
    if not inner:
        return None
    if "words" not in text.indexes:
        found: dict[str, list[int]] = {}
        for word in _WORD.finditer(text.body):
            found.setdefault(word[0], []).append(word.start())
        text.indexes["words"] = found
    index: dict[str, list[int]] = text.indexes["words"]
    rarest = min(inner, key=lambda word: len(index.get(word[0], ())))
    starts = [start - rarest.start() for start in index.get(rarest[0], ())]
    return [start for start in starts if start > 0 and text.body.startswith(old, start)]


def find_loosely(
    text: Text, old: list[str], level: Level, language: Language | None = None, comment: str = ""
) -> list[Place]:
    """All places of lines on a looser level. `comment`: how a comment line begins in the file, if that is known."""
    if level.left_out:
        return _past_comments(text, old, level, comment) if comment else []
    if level.sees != "text" and (language is None or (level.sees == "statements" and language.family != "python")):
        return []
    wanted = keys_in_patch(old, level, language)
    at = [number for number, key in enumerate(wanted) if key or not level.skips]
    if not any(wanted):
        return _blank_places(text, old) if level is TRAILING_SPACE else []
    return _places(text, old, level, index_of(text, level, language), wanted, at)


def _past_comments(text: Text, old: list[str], level: Level, comment: str) -> list[Place]:
    """All places of lines if comments that the patch left out are skipped, too."""
    name = ("index", level.name, comment)
    if name not in text.indexes:
        keys = level.keys(text.lines)
        rows = [row for row, key in enumerate(keys) if key and not key.startswith(comment)]
        text.indexes[name] = Index([keys[row] for row in rows], rows)
    wanted = ["" if key.startswith(comment) else key for key in level.keys(old)]
    at = [number for number, key in enumerate(wanted) if key]
    return _places(text, old, level, text.indexes[name], wanted, at) if at else []


def _places(text: Text, old: list[str], level: Level, index: Index, wanted: list[str], at: list[int]) -> list[Place]:
    """The places of those lines that count; the others get their rows, too, if the file has them."""
    size = len(at)
    places = []
    for position in index.runs([wanted[number] for number in at]):
        rows: list[int | None] = [None] * len(old)
        for number, row in zip(at, index.rows[position : position + size], strict=True):
            rows[number] = row
        if level.skips and not _fill_skipped(text, old, rows, level):
            continue
        known = [row for row in rows if row is not None]
        places.append(Place(text.starts[known[0]], text.starts[known[-1] + 1], level.name, rows))
    return places


def _blank_places(text: Text, old: list[str]) -> list[Place]:
    """The places of nothing but blank lines."""
    keys = keys_of(text, TRAILING_SPACE, None)
    size = len(old)
    firsts = [row for row in range(len(keys) - size + 1) if not any(keys[row : row + size])]
    return [
        Place(text.starts[row], text.starts[row + size], TRAILING_SPACE.name, range(row, row + size)) for row in firsts
    ]


def _fill_skipped(text: Text, old: list[str], rows: list[int | None], level: Level) -> bool:
    """Give the lines that the level skipped their rows too, if the file has them; False if it has to and hasn't.

    A comment that the patch states must be there; one that it leaves out may be. CHUNK's levels skip both.
    """
    matched = [number for number, row in enumerate(rows) if row is not None]
    missing = [number for number in range(matched[0], matched[-1]) if rows[number] is None]
    last = 0
    for number in missing:
        last = max(last, next(row for row in reversed(rows[:number]) if row is not None))
        stop = next(row for row in rows[number:] if row is not None)
        line = plain_punctuation(old[number])
        last = next((row for row in range(last + 1, stop) if plain_punctuation(text.lines[row]) == line), -1)
        if last >= 0:
            rows[number] = last
        elif line and level.left_out:
            return False
    edges = ((range(matched[0] - 1, -1, -1), -1), (range(matched[-1] + 1, len(rows)), 1))
    return all(_fill_edge(text, old, rows, numbers, step, level) for numbers, step in edges)


def _fill_edge(text: Text, old: list[str], rows: list[int | None], numbers: range, step: int, level: Level) -> bool:
    """The same for lines before the first matched one, or after the last: what is right there belongs to the place."""
    if not numbers:
        return True
    row = rows[numbers[0] - step]
    assert row is not None
    for number in numbers:
        line, beside = plain_punctuation(old[number]), row + step
        while line and 0 <= beside < len(text.lines) and not text.lines[beside].strip(BLANK):
            beside += step
        if 0 <= beside < len(text.lines) and plain_punctuation(text.lines[beside]) == line:
            rows[number] = row = beside
        elif line:
            return not level.left_out
    return True


def neighbours(
    text: Text, lines: Sequence[str], row: int, step: int, level: Level, language: Language | None
) -> int | None:
    """The row of the farthest of some lines, if all are next to `row` in direction `step`; the row itself for none.

    Blank lines, and comments if the language is known, don't count.
    """
    if not lines:
        return row
    if level.skips and level.sees == "text" and language is not None:
        level = LEVELS["marker without comments"]
    wanted = [key for key in keys_in_patch(lines, level, language) if key or not level.skips]
    if not wanted:  # nothing but comments: then they are meant literally
        level, language = LEVELS["marker"], None
        wanted = [key for key in level.keys(lines) if key]
    keys = keys_of(text, level, language)
    for key in wanted if step > 0 else wanted[::-1]:
        row += step
        while level.skips and 0 <= row < len(keys) and not keys[row]:
            row += step
        if not 0 <= row < len(keys) or keys[row] != key:
            return None
    return row


def without_overlap(places: Sequence[Place]) -> list[Place]:
    """Of places that overlap ("aa" in "aaa") the first ones, as an editor would replace them all."""
    apart: list[Place] = []
    for place in places:
        if not apart or place.start >= apart[-1].stop:
            apart.append(place)
    return apart
