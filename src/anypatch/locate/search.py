"""Every place in a page where a run of lines stands, under one rung. Linear in the page; decides nothing."""

from __future__ import annotations

from ..record import NamedTuple
from ..text import BLANK
from .page import GAP, Page, needle_keys
from .rungs import Rung

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..syntax.languages import Language

# So many hits of the probing line in the plain text, and the index is made after all.
_MANY_HITS = 256
# So many comparisons of single characters are done in Python before the whole page is squeezed for `str.find`.
_MANY_STEPS = 4096
_PROBED = ("exact", "trailing space", "indentation", "blank lines")


class Needle(NamedTuple):
    """A patch's lines as one rung compares them; `at` tells which of the patch's lines each key is."""

    rung: Rung
    language: Language | None
    keys: list[str]
    at: list[int]


def needle(rung: Rung, language: Language | None, lines: tuple[str, ...]) -> Needle:
    """What is looked for. Rungs that skip blank lines leave them out here too."""
    keys = needle_keys(rung, language, lines)
    if not rung.skips:
        return Needle(rung, language, keys, list(range(len(keys))))
    at = [i for i, key in enumerate(keys) if key]
    return Needle(rung, language, [keys[i] for i in at], at)


def find(page: Page, wanted: Needle) -> list[int]:
    """The first rows (0-based) of all places, ascending."""
    if not wanted.keys:
        return []
    if wanted.rung.name in _PROBED and not page.has_index(wanted.rung):
        found = _by_text(page, wanted)
        if found is not None:
            return found
    return _by_index(page, wanted)


def rows(page: Page, wanted: Needle, first: int) -> tuple[int, ...]:
    """The row of every key, for a place that `find` gave."""
    if not wanted.rung.skips:
        return tuple(range(first, first + len(wanted.keys)))
    found = [first]
    row = first
    for _ in wanted.keys[1:]:
        row += 1
        while not page.key(wanted.rung, wanted.language, row):
            row += 1
        found.append(row)
    return tuple(found)


def neighbours(page: Page, wanted: Needle, row: int, step: int) -> bool:
    """Whether the keys stand next to `row` in direction `step` (-1: above it, ending there), gaps skipped."""
    for key in wanted.keys if step > 0 else reversed(wanted.keys):
        row = _next(page, wanted, row, step)
        if row < 0 or page.key(wanted.rung, wanted.language, row) != key:
            return False
    return True


def _next(page: Page, wanted: Needle, row: int, step: int) -> int:
    """The next row in a direction, past gaps where the rung skips them; -1 past either end."""
    count = len(page.lines)
    row += step
    while 0 <= row < count:
        if not wanted.rung.skips or page.key(wanted.rung, wanted.language, row):
            return row
        row += step
    return -1


# ── in the plain text ────────────────────────────────────────────────────────────────────────────


def _by_text(page: Page, wanted: Needle) -> list[int] | None:
    """Probe for the longest line and look around each hit. None where that line is too common to pay."""
    keys = wanted.keys
    anchor = max(range(len(keys)), key=lambda i: len(keys[i]))
    probe = keys[anchor].rstrip(BLANK)
    if not probe:
        return None
    text = page.text
    found: list[int] = []
    row = -1
    counted = 0
    hits = 0
    position = text.find(probe)
    while position >= 0:
        hits += 1
        if hits > _MANY_HITS:
            return None
        start = text.rfind("\n", 0, position)
        end = text.find("\n", position + len(probe))
        if wanted.rung.key(text[start + 1 : end]) == keys[anchor]:
            row += text.count("\n", counted, start + 1)
            counted = start + 1
            first = _around(page, wanted, anchor, row)
            if first >= 0:
                found.append(first)
        position = text.find(probe, end)
    return found


def _around(page: Page, wanted: Needle, anchor: int, row: int) -> int:
    """The first row of the place whose `anchor`-th key stands at `row`; -1 where the other keys don't fit."""
    if not wanted.rung.skips:
        first = row - anchor
        stop = first + len(wanted.keys)
        fits = first >= 0 and stop <= len(page.lines)
        return first if fits and page.keys(wanted.rung, wanted.language, first, stop) == wanted.keys else -1
    above = wanted._replace(keys=wanted.keys[:anchor])
    below = wanted._replace(keys=wanted.keys[anchor + 1 :])
    if not neighbours(page, below, row, 1) or not neighbours(page, above, row, -1):
        return -1
    for _ in above.keys:
        row = _next(page, wanted, row, -1)
    return row


# ── in the index ─────────────────────────────────────────────────────────────────────────────────


def _by_index(page: Page, wanted: Needle) -> list[int]:
    index = page.index(wanted.rung, wanted.language)
    chars = index.needle(wanted.keys)
    if chars is None:
        return []
    hay = index.hay
    found = _over_gaps(hay, chars) if wanted.rung.skips and GAP in hay else _hits(hay, chars)
    return [row for row in found if _really(page, wanted, row)] if index.shares_characters else found


def _hits(hay: str, chars: str) -> list[int]:
    found = []
    position = hay.find(chars)
    while position >= 0:
        found.append(position)
        position = hay.find(chars, position + 1)
    return found


def _over_gaps(hay: str, chars: str) -> list[int]:
    """Places of `chars` in `hay` when gaps don't count."""
    if len(chars) == 1:
        return _hits(hay, chars)
    # Later characters are lines first seen later in the file: rarely the common ones.
    rarest, times = min(((char, hay.count(char)) for char in sorted(set(chars))[-8:]), key=lambda pair: pair[1])
    if times * len(chars) > _MANY_STEPS:
        solid = [i for i, char in enumerate(hay) if char != GAP]
        return [solid[i] for i in _hits(hay.replace(GAP, ""), chars)]
    anchor = chars.index(rarest)
    places = (_walk(hay, chars, anchor, row) for row in _hits(hay, rarest))
    return [row for row in places if row >= 0]


def _walk(hay: str, chars: str, anchor: int, row: int) -> int:
    """The row of the first character if all of them stand around `row`, gaps skipped; else -1."""
    below = row
    for char in chars[anchor + 1 :]:
        below += 1
        while below < len(hay) and hay[below] == GAP:
            below += 1
        if below >= len(hay) or hay[below] != char:
            return -1
    for char in reversed(chars[:anchor]):
        row -= 1
        while row >= 0 and hay[row] == GAP:
            row -= 1
        if row < 0 or hay[row] != char:
            return -1
    return row


def _really(page: Page, wanted: Needle, first: int) -> bool:
    """Whether the lines themselves are equal, where characters stand for more than one line."""
    places = rows(page, wanted, first)
    return [page.key(wanted.rung, wanted.language, row) for row in places] == wanted.keys
