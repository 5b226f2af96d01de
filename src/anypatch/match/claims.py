"""Choose among the places of a hunk by what the patch claims, and among those of all hunks of a file together. Pure.

- A header (`@@ class Cart`), a neighbour or `*** End of File` that contradicts a place rules it out, if the format says
  that its claims bind; otherwise they only choose between several places.
- A symbol that the answer names next to the hunk chooses between equal places.
- Hunks that are in order in the answer are in order in the file; k equal hunks for k equal places take one each.
- Line numbers come last: the place that is off by as much as the other hunks are.

A hunk that still has several places is ambiguous, unless all of them give the same text.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from .headers import header_blocks, is_inside
from .ladder import LEVELS
from .search import Place, are_beside, find_exact
from .splices import changed_span

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..model import Claims, Hunk, Note
    from ..syntax.languages import Language
    from ..text import Text

_NAMES = re.compile(r"`([\w.:#]+)(?:\(.*?\))?`|(?<![\w`])([\w.]+)\(\)")  # `total`, `Cart.total()`, total()


# ── claims that bind ─────────────────────────────────────────────────────────────────────────────


def has_binding_claim(hunk: Hunk) -> bool:
    """Return True if the hunk makes a claim that rules places out."""
    claims = hunk.claims
    return bool(claims.before or claims.after or claims.at_end or (claims.headers and hunk.policy.headers_bind))


def keep_claimed(text: Text, hunk: Hunk, places: list[Place], path: str, language: Language | None) -> list[Place]:
    """Drop the places that contradict a binding claim: neighbours, headers, the end of the file."""
    claims = hunk.claims
    if claims.before or claims.after:
        places = [place for place in places if _has_neighbours(text, claims, place, language)]
    if claims.at_end:
        places = [place for place in places if not text.body[place.stop :].strip()]
    if claims.headers and hunk.policy.headers_bind:
        places = _under_headers(text, hunk, places, path)
    return places


def _has_neighbours(text: Text, claims: Claims, place: Place, language: Language | None) -> bool:
    first, end = place.row_span(text)
    level = LEVELS[place.level]
    return are_beside(text, claims.before, first, -1, level, language) and are_beside(
        text, claims.after, end - 1, 1, level, language
    )


def _under_headers(text: Text, hunk: Hunk, places: list[Place], path: str) -> list[Place]:
    """Keep the places in the block of the last header; else the only place, if it is below the header.

    Not if the result is in that block: then the place is a lookalike in another function.
    """
    blocks = header_blocks(text, hunk.claims.headers, path, by_grammar=len(places) > 1)
    inside = [place for place in places if is_inside(text, place, changed_span(text, hunk, place)[0], blocks)]
    if inside or len(places) > 1:
        return inside
    results = find_exact(text, hunk.new) if hunk.new.strip() else []
    if any(is_inside(text, result, result.start, blocks) for result in results):
        return []
    rows = [block.row for block in blocks if not block.closed]
    return [place for place in places if any(row <= text.row_at(changed_span(text, hunk, place)[0]) for row in rows)]


# ── claims that choose ───────────────────────────────────────────────────────────────────────────


def by_header(text: Text, hunk: Hunk, places: list[Place], path: str) -> list[Place]:
    """Keep the places inside the block that a header which doesn't bind opens, if there are any."""
    blocks = header_blocks(text, hunk.claims.headers, path, by_grammar=True)
    inside = [place for place in places if is_inside(text, place, changed_span(text, hunk, place)[0], blocks)]
    return inside or places


def by_names(text: Text, places: list[Place], prose: Sequence[str], path: str) -> list[Place]:
    """Keep the places inside a symbol that the answer names next to the hunk, in backticks or as a call.

    In `Cart.total`, sum the prices:      `return 0` is in Cart.total and in Cart.count: the one in total is chosen

    `prose`: the answer's texts next to the hunk, nearest first; a farther one counts only if the nearer name nothing.
    """
    named = [names for words in prose if (names := _names_in(words))]
    around = [_symbols_around(text, place, path) for place in places] if named else []
    for names in named:
        # `Cart.total` names a place if both are around it; each name counts once.
        hits = [sum(symbols.issuperset(name) for name in names) for symbols in around]
        if max(hits):
            return [place for place, hit in zip(places, hits, strict=True) if hit == max(hits)]
    return places


def name_around(text: Text, place: Place, prose: Sequence[str], path: str) -> str:
    """Return the first name in the answer's words that is a symbol around a place; "" if there is none."""
    names = [name for words in prose for name in _names_in(words)]
    around = _symbols_around(text, place, path) if names else set()
    return next((".".join(name) for name in names if around.issuperset(name)), "")


def _symbols_around(text: Text, place: Place, path: str) -> set[str]:
    from ..syntax.symbols import declared

    row = text.row_at(place.start)
    return {symbol.name for symbol in declared(path, text.text) if symbol.lead <= row <= symbol.last}


def _names_in(words: str) -> dict[tuple[str, ...], None]:
    names = (tuple(re.findall(r"\w+", quoted or call)) for quoted, call in _NAMES.findall(words))
    return dict.fromkeys(name for name in names if name)


# ── all hunks of a file together ─────────────────────────────────────────────────────────────────


class Candidates(NamedTuple):
    """The places of a hunk, ascending. `note`: how the hunk had to be read to have them."""

    text: Text
    hunk: Hunk
    places: list[Place]
    note: Note | None = None

    def change_start(self, at: int) -> int:
        """Return where the hunk would begin to change the text at one of its places."""
        return changed_span(self.text, self.hunk, self.places[at])[0]

    def change_stop(self, at: int) -> int:
        """Return where it would end to."""
        return changed_span(self.text, self.hunk, self.places[at])[1]

    def same_as(self, other: Candidates) -> bool:
        """Return True if two hunks are equal. Each then needs a place of its own, even if they only add lines."""
        same = self.hunk.old == other.hunk.old and self.hunk.new == other.hunk.new
        return same and (self.places is other.places or self.places == other.places)

    def at_row(self, row: int) -> int:
        """Return the number of the place that begins at a row; -1 if none does."""
        if not 0 <= row < len(self.text.lines):
            return -1
        start = self.text.starts[row]
        at = bisect_left(self.places, start, key=lambda place: place.start)
        return at if at < len(self.places) and self.places[at].start == start else -1


Picks = list["Sequence[int]"]  # for each hunk the numbers of its places that remain possible


def choose(hunks: list[Candidates], moved: Callable[[int], int]) -> Picks:
    """Return the places that remain possible for each hunk: one if it is settled.

    The order of the hunks counts first, then line numbers, if the text is there literally. `moved`: maps a row of the
    file as it was read to where it is now.
    """
    picks: Picks = [range(len(hunk.places)) for hunk in hunks]
    if all(len(possible) == 1 for possible in picks):
        return picks
    picks = _in_order(hunks, picks)
    _by_line_number(hunks, picks, moved)
    return _in_order(hunks, picks)


def _by_line_number(hunks: list[Candidates], picks: Picks, moved: Callable[[int], int]) -> None:
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
        elif len(offsets) <= 1 and candidates.places[0].level == "exact":
            rows = {line - 1 + offset for offset in offsets} or {line - 1, moved(line - 1)}
            fitting = [(row, at) for row in rows - taken if (at := candidates.at_row(row)) >= 0]
            if len(fitting) == 1:
                row, at = fitting[0]
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
    """Place every hunk as far up as those before it allow; None if they don't fit in order."""
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
    """Place every hunk as far down as those after it allow; None if they don't fit in order."""
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
