"""Every place in a page where a run of lines stands, under one rung. Linear in the page; decides nothing."""

from __future__ import annotations

from ..record import NamedTuple
from ..text import BLANK
from .page import Page, needle_keys
from .rungs import Rung

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from ..syntax.languages import Language

# A line with so few hits in the plain text is rare; with so many the index is made after all.
_FEW_HITS, _MANY_HITS = 8, 256


class Needle(NamedTuple):
    """A patch's lines as one rung compares them; `at` tells which of the patch's lines each key is."""

    rung: Rung
    language: Language | None
    keys: list[str]
    at: list[int]


def needle(rung: Rung, language: Language | None, lines: tuple[str, ...]) -> Needle:
    """What is looked for. Rungs that skip blank lines leave them out here too."""
    keys = needle_keys(rung, language, lines)
    if not rung.skips or "" not in keys:
        return Needle(rung, language, keys, list(range(len(keys))))
    at = [i for i, key in enumerate(keys) if key]
    return Needle(rung, language, [keys[i] for i in at], at)


def find(page: Page, wanted: Needle) -> list[int]:
    """The first rows (0-based) of all places, ascending."""
    if not wanted.keys:
        return []
    if not page.has_index(wanted.rung, wanted.language):
        found = _by_text(page, wanted)
        if found is not None:
            return found
    return _by_index(page, wanted)


def rows(page: Page, wanted: Needle, first: int) -> tuple[int, ...]:
    """The row of every key, for a place that `find` gave."""
    if len(wanted.keys) == 1:
        return (first,)
    if not wanted.rung.skips:
        return tuple(range(first, first + len(wanted.keys)))
    key = page.reader(wanted.rung, wanted.language)
    found = [first]
    row = first
    for _ in wanted.keys[1:]:
        row += 1
        while not key(row):
            row += 1
        found.append(row)
    return tuple(found)


def neighbours(page: Page, wanted: Needle, row: int, step: int) -> int | None:
    """The row of the farthest key, if all stand next to `row` in direction `step` (-1: above it), gaps skipped."""
    keys = wanted.keys if step > 0 else wanted.keys[::-1]
    return _run(page.reader(wanted.rung, wanted.language), keys, row, step, wanted.rung.skips)


def _run(key: Callable[[int], str], keys: list[str], row: int, step: int, skips: bool) -> int | None:
    """The row of the last of the keys, going from `row` in one direction; None where one isn't the next line."""
    for wanted in keys:
        row += step
        there = key(row)
        while skips and there == "":
            row += step
            there = key(row)
        if there != wanted:
            return None
    return row


# ── in the plain text ────────────────────────────────────────────────────────────────────────────


def _by_text(page: Page, wanted: Needle) -> list[int] | None:
    """Probe for a long, rare line and look around each hit. None where all of them are too common to pay."""
    text = page.text
    anchor, hits = _probe(text, wanted.keys)
    if hits is None:
        return None
    key = page.reader(wanted.rung, wanted.language)
    found: list[int] = []
    last = -1
    for position in hits:
        row = page.row_of(position)
        # A second hit in the same line says nothing new.
        if row > last and key(row) == wanted.keys[anchor]:
            first = _around(key, wanted, anchor, row) if len(wanted.keys) > 1 else row
            if first is not None:
                found.append(first)
        last = row
    return found


def _probe(text: str, keys: list[str]) -> tuple[int, list[int] | None]:
    """The longest key that is rare, or else the rarest of the longest, with its places in the text."""
    if len(keys) == 1:
        return 0, _positions(text, keys[0].rstrip(BLANK), _MANY_HITS)
    longest = sorted(range(len(keys)), key=lambda i: -len(keys[i]))[:4]
    best: tuple[int, list[int] | None] = (0, None)
    limit = _MANY_HITS
    for anchor in longest:
        hits = _positions(text, keys[anchor].rstrip(BLANK), limit)
        if hits is not None:
            best, limit = (anchor, hits), len(hits) - 1
            if limit < _FEW_HITS:
                break
    return best


def _positions(text: str, probe: str, limit: int) -> list[int] | None:
    found: list[int] = []
    if not probe:
        return None
    position = text.find(probe)
    while position >= 0:
        if len(found) == limit:
            return None
        found.append(position)
        position = text.find(probe, position + len(probe))
    return found


def _around(key: Callable[[int], str], wanted: Needle, anchor: int, row: int) -> int | None:
    """The first row of the place whose `anchor`-th key stands at `row`; None where the other keys don't fit."""
    skips = wanted.rung.skips
    if _run(key, wanted.keys[anchor + 1 :], row, 1, skips) is None:
        return None
    return _run(key, wanted.keys[:anchor][::-1], row, -1, skips)


# ── in the index ─────────────────────────────────────────────────────────────────────────────────


def _by_index(page: Page, wanted: Needle) -> list[int]:
    index = page.index(wanted.rung, wanted.language)
    chars = index.needle(wanted.keys)
    if chars is None:
        return []
    found = index.find(chars, wanted.rung.skips)
    return [row for row in found if _really(page, wanted, row)] if index.shares_characters else found


def _really(page: Page, wanted: Needle, first: int) -> bool:
    """Whether the lines themselves are equal, where characters stand for more than one line."""
    key = page.reader(wanted.rung, wanted.language)
    return [key(row) for row in rows(page, wanted, first)] == wanted.keys
