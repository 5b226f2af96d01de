"""Where do these lines stand? Every place under one rung, never only one. Linear in the page; decides nothing."""

from __future__ import annotations

from bisect import bisect_left

from ..record import NamedTuple
from .page import Page, needle_keys
from .rungs import Rung

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..syntax.languages import Language


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
    """The first rows (0-based) of all places, ascending: the rarest of the lines is looked up, the others around it."""
    keys = wanted.keys
    if not keys:
        return []
    known = (wanted.rung.name, wanted.language and wanted.language.name, *keys)
    if known in page.found:
        return page.found[known]
    index = page.index(wanted.rung, wanted.language)
    rarest, fewest = 0, index.where.get(keys[0], [])
    for offset, key in enumerate(keys):
        positions = index.where.get(key, [])
        if len(positions) < len(fewest):
            rarest, fewest = offset, positions
    size = len(keys)
    starts = [position - rarest for position in fewest]
    if size > 1:
        starts = [start for start in starts if start >= 0 and index.keys[start : start + size] == keys]
    page.found[known] = found = [index.rows[start] for start in starts]
    return found


def rows(page: Page, wanted: Needle, first: int) -> tuple[int, ...]:
    """The row of every key, for a place that `find` gave."""
    size = len(wanted.keys)
    if not wanted.rung.skips or size == 1:
        return tuple(range(first, first + size))
    known = page.index(wanted.rung, wanted.language).rows
    start = bisect_left(known, first)
    return tuple(known[start : start + size])


def neighbours(page: Page, wanted: Needle, row: int, step: int) -> int | None:
    """The row of the farthest key, if all stand next to `row` in direction `step` (-1: above it), gaps skipped."""
    key = page.reader(wanted.rung, wanted.language)
    for wanted_key in wanted.keys if step > 0 else wanted.keys[::-1]:
        row += step
        there = key(row)
        while wanted.rung.skips and there == "":
            row += step
            there = key(row)
        if there != wanted_key:
            return None
    return row
