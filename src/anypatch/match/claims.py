"""Choose among the places of a hunk by what the patch claims, and among those of all hunks of a file together. Pure.

- A neighbour or `*** End of File` rules out the places that contradict it. So does a header (`@@ class Cart`) of a
  Begin Patch; in other formats it only chooses between several places.
- A symbol that the answer names next to the hunk chooses between equal places.
- Hunks that are in order in the answer are in order in the file; k equal hunks for k equal places take one each.
- Line numbers come last: the place that is off by as much as the other hunks are.

A hunk that still has several places is ambiguous, unless all of them give the same text.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from functools import cached_property
from itertools import accumulate
from typing import TYPE_CHECKING, NamedTuple

from ..model import Edit, Hunk
from .headers import HeaderBlock, header_blocks, is_inside
from .ladder import LEVELS
from .search import Place, are_beside, find_exact, known_language
from .splices import changed_span

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..model import Claims, Note, Patch
    from ..syntax.languages import Language
    from ..text import Text

_NAMES = re.compile(r"`([\w.:#]+)(?:\(.*?\))?`|(?<![\w`])([\w.]+)\(\)")  # `total`, `Cart.total()`, total()


# ── claims that bind ─────────────────────────────────────────────────────────────────────────────


def bind(hunk: Hunk) -> bool:
    """Return True if a hunk has claims that rule places out."""
    claims = hunk.claims
    return bool(claims.before or claims.after or claims.at_end or (claims.headers and hunk.policy.headers_bind))


def keep_claimed(text: Text, hunk: Hunk, places: list[Place], path: str) -> list[Place]:
    """Drop the places that contradict a binding claim: neighbours, headers, the end of the file."""
    claims = hunk.claims
    if claims.before or claims.after:
        language = known_language(hunk.policy, path)
        places = [place for place in places if _has_neighbours(text, claims, place, language)]
    if claims.at_end:
        places = [place for place in places if not text.body[place.stop :].strip()]
    if claims.headers and hunk.policy.headers_bind:
        places = _under_headers(text, hunk, places)
    return places


def _has_neighbours(text: Text, claims: Claims, place: Place, language: Language | None) -> bool:
    first, end = place.row_span(text)
    level = LEVELS[place.level]
    is_below = are_beside(text, claims.before, first, -1, level, language)
    return is_below and are_beside(text, claims.after, end - 1, 1, level, language)


def _under_headers(text: Text, hunk: Hunk, places: list[Place]) -> list[Place]:
    """Keep the places in the block of the last header; else the only place, if it is below the header.

    Not if the result is in that block: then the place is a lookalike in another function.
    """
    blocks = header_blocks(text, hunk.claims.headers)
    inside = _inside(text, hunk, places, blocks)
    if inside or len(places) > 1:
        return inside
    results = find_exact(text, hunk.new) if hunk.new.strip() else []
    if any(is_inside(text, result, result.start, blocks) for result in results):
        return []
    rows = [block.row for block in blocks if not block.closed]
    return [place for place in places if any(row <= text.row_at(changed_span(text, hunk, place)[0]) for row in rows)]


def _inside(text: Text, hunk: Hunk, places: list[Place], blocks: list[HeaderBlock]) -> list[Place]:
    return [place for place in places if is_inside(text, place, changed_span(text, hunk, place)[0], blocks)]


# ── claims that choose ───────────────────────────────────────────────────────────────────────────


def by_header(text: Text, hunk: Hunk, places: list[Place]) -> list[Place]:
    """Keep the places inside the block that a header opens, if there are any."""
    return _inside(text, hunk, places, header_blocks(text, hunk.claims.headers)) or places


def by_names(text: Text, places: list[Place], prose: Sequence[str], path: str) -> list[Place]:
    """Keep the places inside a symbol that the answer names next to the hunk, in backticks or as a call.

    In `Cart.total`, sum the prices:      `return 0` is in Cart.total and in Cart.count: the one in total is chosen

    `prose`: the answer's texts next to the hunk, nearest first; a farther one counts only if the nearer name nothing.
    """
    named = [names for sentences in prose if (names := _names_in(sentences))]
    around = [_symbols_around(text, place, path) for place in places] if named else []
    for names in named:
        # `Cart.total` names a place if both are around it; each name counts once.
        hits = [sum(symbols.issuperset(name) for name in names) for symbols in around]
        if max(hits):
            return [place for place, hit in zip(places, hits, strict=True) if hit == max(hits)]
    return places


def name_around(text: Text, place: Place, prose: Sequence[str], path: str) -> str:
    """Return the first name in the answer's texts that is a symbol around a place; "" if there is none."""
    names = [name for sentences in prose for name in _names_in(sentences)]
    around = _symbols_around(text, place, path) if names else set()
    return next((".".join(name) for name in names if around.issuperset(name)), "")


def _symbols_around(text: Text, place: Place, path: str) -> set[str]:
    from ..syntax.symbols import declared

    row = text.row_at(place.start)
    return {symbol.name for symbol in declared(path, text.text) if symbol.lead <= row <= symbol.last}


def _names_in(sentences: str) -> dict[tuple[str, ...], None]:
    names = (tuple(re.findall(r"\w+", quoted or call)) for quoted, call in _NAMES.findall(sentences))
    return dict.fromkeys(name for name in names if name)


class Prose:
    """The sentences of an answer around its edits. They are looked at when an edit has several places."""

    def __init__(self, answer: str, patch: Patch) -> None:
        self.answer, self.patch = answer, patch

    @cached_property
    def _lines(self) -> list[str]:
        return self.answer.split("\n")

    @cached_property
    def _edits(self) -> tuple[list[int], list[int]]:
        """Return the line where each edit begins, ascending, and for each the row after it and all edits above it."""
        edits = [hunk for op in self.patch.ops if isinstance(op, Edit) for hunk in op.hunks if isinstance(hunk, Hunk)]
        edits.sort(key=lambda hunk: hunk.patch_line)
        ends = accumulate([_end_of_hunk(self._lines, hunk) for hunk in edits], max)
        return [hunk.patch_line for hunk in edits], list(ends)

    def beside(self, hunk: Hunk) -> Sequence[str]:
        """Return the texts next to a hunk, nearest first.

        They are the one above it, up to the edit before, and the one above all edits; for an only edit, the one below.
        """
        if not self.answer:
            return ()
        starts, ends = self._edits
        before = bisect_left(starts, hunk.patch_line)
        above = self._lines[ends[before - 1] if before else 0 : max(hunk.patch_line - 1, 0)]
        rest = self._lines[: max(starts[0] - 1, 0)] if len(starts) > 1 else self._lines[ends[0] :]
        return "\n".join(above), "\n".join(rest)


def _end_of_hunk(lines: list[str], hunk: Hunk) -> int:
    """Return the row after the last line of a hunk in the answer, as far as its own lines show it."""
    if hunk.signed:
        return min(hunk.patch_line + len(hunk.signed), len(lines))
    last = next((line for line in reversed(hunk.new.split("\n")) if line.strip()), "").strip()
    row = hunk.patch_line + hunk.old.count("\n")
    end = row + hunk.new.count("\n") + 3
    while row < min(end, len(lines)) and last and last not in lines[row]:
        row += 1
    return min(max(row + 1, hunk.patch_line), len(lines))


# ── all hunks of a file together ─────────────────────────────────────────────────────────────────


class Candidates(NamedTuple):
    """The places of a hunk, ascending. `note`: how the hunk had to be read to have them."""

    text: Text
    hunk: Hunk
    places: list[Place]
    note: Note | None = None

    @property
    def is_open(self) -> bool:
        """True if it has several places and needs one, which other hunks may tell. For text inside lines none does."""
        return len(self.places) > 1 and self.hunk.times == 1 and not self.hunk.inline

    def change_start(self, at: int) -> int:
        """Return the offset of the first character that the hunk would change at one of its places."""
        return changed_span(self.text, self.hunk, self.places[at])[0]

    def change_stop(self, at: int) -> int:
        """Return the offset after the last character that it would change."""
        return changed_span(self.text, self.hunk, self.places[at])[1]

    def same_as(self, other: Candidates) -> bool:
        """Return True if two hunks are equal. Each then needs a place of its own, even if they only add lines."""
        same = self.hunk.old == other.hunk.old and self.hunk.new == other.hunk.new
        return same and (self.places is other.places or self.places == other.places)

    def at_row(self, row: int) -> int:
        """Return the number of the place that begins at a row, or -1."""
        if not 0 <= row < len(self.text.lines):
            return -1
        start = self.text.starts[row]
        at = bisect_left(self.places, start, key=lambda place: place.start)
        return at if at < len(self.places) and self.places[at].start == start else -1


Picks = list["Sequence[int]"]  # for each hunk the numbers of its places that remain possible


def choose(hunks: list[Candidates], *, as_read: bool) -> Picks:
    """Return the places that remain possible for each hunk: one if it is settled.

    The order of the hunks counts first, then line numbers, if the text is in the file literally. `as_read`: the text is
    the file as it was read; in the result of earlier edits a line number alone may count either text's lines.
    """
    picks: Picks = [range(len(hunk.places)) for hunk in hunks]
    picks = _in_order(hunks, picks)
    _by_line_number(hunks, picks, as_read)
    return _in_order(hunks, picks)


def _by_line_number(hunks: list[Candidates], picks: Picks, as_read: bool) -> None:
    """Settle hunks whose line number is off by as much as those of all settled hunks before them (none: by none)."""
    offsets: set[int] = set()
    taken: set[int] = set()
    for number, candidates in enumerate(hunks):
        line = candidates.hunk.claims.line
        if not line:
            continue
        if len(picks[number]) == 1:
            settled = candidates.places[picks[number][0]]
            offsets.add(candidates.text.row_at(settled.start) + 1 - line)
        elif (len(offsets) == 1 or (as_read and not offsets)) and candidates.places[0].level == "exact":
            row = line - 1 + sum(offsets)
            at = candidates.at_row(row)
            if at >= 0 and row not in taken:
                picks[number] = [at]
                taken.add(row)  # models give several hunks one number
                offsets.add(row + 1 - line)


def _in_order(hunks: list[Candidates], picks: Picks) -> Picks:
    """Keep the places of each hunk between the first and the last that the others leave, if all are in file order.

    If the hunks don't fit in order at all, or their line numbers don't ascend, nothing is ruled out.
    """
    lines = [candidates.hunk.claims.line for candidates in hunks if candidates.hunk.claims.line]
    first, last = _leftmost(hunks, picks), _rightmost(hunks, picks)
    if first is None or last is None or lines != sorted(lines):
        return picks
    return [
        possible[bisect_left(possible, low) : bisect_left(possible, high + 1)]
        for possible, low, high in zip(picks, first, last, strict=True)
    ]


def _leftmost(hunks: list[Candidates], picks: Picks) -> list[int] | None:
    """Place every hunk as far up as the hunks before it allow; None if they don't fit in order."""
    chosen: list[int] = []
    floor = 0
    for number, (candidates, possible) in enumerate(zip(hunks, picks, strict=True)):
        least = chosen[-1] + 1 if number and hunks[number - 1].same_as(candidates) else 0
        at = bisect_left(possible, floor, bisect_left(possible, least), key=candidates.change_start)
        if at == len(possible):
            return None
        chosen.append(possible[at])
        floor = candidates.change_stop(possible[at])
    return chosen


def _rightmost(hunks: list[Candidates], picks: Picks) -> list[int] | None:
    """Place every hunk as far down as the hunks after it allow; None if they don't fit in order."""
    chosen: list[int] = []
    ceiling: int | None = None
    for number in range(len(hunks) - 1, -1, -1):
        candidates, possible = hunks[number], picks[number]
        is_repeated = number + 1 < len(hunks) and candidates.same_as(hunks[number + 1])
        end = bisect_left(possible, chosen[-1]) if is_repeated else len(possible)
        if ceiling is not None:
            end = bisect_left(possible, ceiling + 1, 0, end, key=candidates.change_stop)
        if not end:
            return None
        chosen.append(possible[end - 1])
        ceiling = candidates.change_start(possible[end - 1])
    return chosen[::-1]
