"""What to show, or to accept as a slip, when nothing fits to the letter. Linear in the page; changes nothing."""

from __future__ import annotations

import re

from ..errors import Near
from ..text import BLANK
from .page import PAST, Page
from .rungs import RUNGS, inner_space, punctuation
from .search import Needle

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

_SHOWN = 12
_COMMON = 64
_FEW = 16
_FUZZY_LINES = 60_000


# ── slips ────────────────────────────────────────────────────────────────────────────────────────


def slips(page: Page, wanted: Needle, kept: list[bool]) -> list[int]:
    """First rows of places where every line stands but for a slip in lines that are kept.

    At least one line, long enough to mean something, must stand to the letter: places are looked for around it.
    """
    keys = wanted.keys
    if len(keys) < 2 or not any(kept):
        return []
    index = page.index(wanted.rung, wanted.language)
    chars = {key: index.needle([key]) or "" for key in set(keys) if len(key) > 3}
    counts = _counts(index.hay, set(chars.values()) - {""})
    # The index remembers lines that are gone.
    known = [k for k, key in enumerate(keys) if counts.get(chars.get(key, ""))]
    if not known:
        return []
    anchor = min(known, key=lambda k: counts[chars[keys[k]]])
    char = chars[keys[anchor]]
    if counts[char] > _COMMON:
        return []
    key_at = page.reader(wanted.rung, wanted.language)
    above = list(zip(keys[:anchor], kept[:anchor], strict=True))[::-1]
    below = list(zip(keys[anchor + 1 :], kept[anchor + 1 :], strict=True))
    firsts = []
    for row in index.find(char, False):
        first = _alike(key_at, above, row, -1, wanted.rung.skips)
        if first >= 0 and _alike(key_at, below, row, 1, wanted.rung.skips) >= 0:
            firsts.append(first)
    return firsts


def _alike(key_at: Callable[[int], str], said: list[tuple[str, bool]], row: int, step: int, skips: bool) -> int:
    """The row of the last line said, going from `row` in one direction; -1 where more than a slip differs."""
    for key, keep in said:
        row += step
        there = key_at(row)
        while skips and there == "":
            row += step
            there = key_at(row)
        if there == PAST or not (is_slip(key, there) if keep else key == there):
            return -1
    return row


def _counts(hay: str, chars: set[str]) -> dict[str, int]:
    """How often each character stands in the hay: one by one where they are few, else all in one pass."""
    if len(chars) <= _FEW:
        return {char: hay.count(char) for char in chars}
    found = dict.fromkeys(chars, 0)
    for char in hay:
        if char in found:
            found[char] += 1
    return found


def is_slip(said: str, there: str) -> bool:
    """Whether two lines are equal but for one character more, less, other or swapped, or for the width of their gaps.

    Digits are never slips.
    """
    if said == there or inner_space(said) == inner_space(there):
        return True
    if min(len(said), len(there)) < 5 or abs(len(said) - len(there)) > 1:
        return False
    head = 0
    while head < min(len(said), len(there)) and said[head] == there[head]:
        head += 1
    a, b = said[head:], there[head:]
    while a and b and a[-1] == b[-1]:
        a, b = a[:-1], b[:-1]
    if any(c.isdigit() for c in a + b):
        return False
    return max(len(a), len(b)) <= 1 or (len(a) == 2 and a == b[::-1])


# ── what to show ─────────────────────────────────────────────────────────────────────────────────


def nearest(page: Page, old: tuple[str, ...]) -> tuple[Near, ...]:
    """The region of the file that is most like the old lines, with the first difference named."""
    keys = [line.strip(BLANK) for line in old]
    keys = [key for key in keys if key]
    if not keys or not page.lines:
        return ()
    start = _by_votes(page, keys)
    if start < 0:
        start = _by_words(page, keys)
    if start < 0:
        start = _by_ends(page, keys)
    if start < 0:
        return ()
    return (_show(page, keys, start),)


def _by_votes(page: Page, keys: list[str]) -> int:
    """Where most of the lines stand in their order: each line that is in the file votes for a first row."""
    places: dict[str, list[int]] = {key: [] for key in keys}
    for row, line in enumerate(page.lines):
        rowlist = places.get(line.strip(BLANK))
        if rowlist is not None:
            rowlist.append(row)
    votes: dict[int, float] = {}
    for k, key in enumerate(keys):
        if len(places[key]) <= _COMMON:
            for row in places[key]:
                votes[row - k] = votes.get(row - k, 0) + min(len(key), 20) / len(places[key])
    if not votes:
        return -1
    best = max(votes, key=lambda first: votes[first] + votes.get(first - 1, 0) / 2 + votes.get(first + 1, 0) / 2)
    return max(best, 0)


def _by_words(page: Page, keys: list[str]) -> int:
    """Where the words of the longest line are, if most of them are anywhere."""
    longest = max(range(len(keys)), key=lambda k: len(keys[k]))
    words = {word.lower() for word in re.findall(r"\w+", keys[longest])}
    if not words:
        return -1
    best, best_row = 0.0, -1
    # The first of equal lines is as good as any.
    first: dict[str, int] = {}
    for row, line in enumerate(page.lines[:_FUZZY_LINES]):
        first.setdefault(line, row)
    known = page.words
    for line, row in first.items():
        there = known.get(line)
        if there is None:
            there = known[line] = tuple({word.lower() for word in re.findall(r"\w+", line[:2000])})
        shared = len(words.intersection(there))
        if shared and shared / (len(words) + len(there) - shared) > best:
            best, best_row = shared / (len(words) + len(there) - shared), row
    return max(best_row - longest, 0) if best >= 0.4 else -1


def _by_ends(page: Page, keys: list[str]) -> int:
    """Where a line begins and ends most like the longest one: what short lines without words to tell have."""
    longest = max(range(len(keys)), key=lambda k: len(keys[k]))
    best, best_row = 0.0, -1
    first, last = keys[longest][0], keys[longest][-1]
    for row, line in enumerate(page.lines[:_FUZZY_LINES]):
        there = line.strip(BLANK)[:2000]
        if there and (there[0] == first or there[-1] == last):
            alike = ends_alike(keys[longest], there)
            if alike > best:
                best, best_row = alike, row
    return max(best_row - longest, 0) if best >= 0.5 else -1


def ends_alike(one: str, two: str) -> float:
    """How much of two lines is the same beginning and the same end, from 0 to 1."""
    head = tail = 0
    least = min(len(one), len(two))
    while head < least and one[head] == two[head]:
        head += 1
    while tail < least - head and one[-1 - tail] == two[-1 - tail]:
        tail += 1
    return 2 * (head + tail) / (len(one) + len(two)) if least else 0.0


def _show(page: Page, keys: list[str], start: int) -> Near:
    """The region from `start`, with a word on the first line that differs."""
    row = start
    note = ""
    for key in keys:
        while row < len(page.lines) and not page.lines[row].strip(BLANK):
            row += 1
        if row >= len(page.lines):
            note = f"the file ends before {_quoted(key)}"
            break
        if page.lines[row].strip(BLANK) != key:
            there = page.lines[row].strip(BLANK)
            note = f"line {row + 1} is {_quoted(there)}, not {_quoted(key)}{_why(key, there)}"
            break
        row += 1
    end = min(start + max(len(keys), 1) + 2, start + _SHOWN, len(page.lines))
    return Near(start + 1, tuple(page.lines[start:end]), note)


def _why(said: str, there: str) -> str:
    """How two lines differ, where it can be said in a word."""
    if said.lower() == there.lower():
        return " (only the case differs)"
    if punctuation(said) == punctuation(there):
        return " (only quotes, dashes or odd spaces differ)"
    if inner_space(said) == inner_space(there):
        return " (only the spaces inside differ)"
    if said and there.startswith(said) and there[len(said) :].lstrip()[:1] in ("#", "/", "<", "-"):
        return " (a comment follows there)"
    if said and said in there:
        return " (only part of the line was given; whole lines are compared)"
    return ""


def already_there(page: Page, new: tuple[str, ...]) -> int:
    """The line (1-based) where the new text stands, if it stands in exactly one place; else 0."""
    from .search import find, needle

    wanted = needle(RUNGS["blank lines"], None, new)
    found = find(page, wanted) if len(" ".join(wanted.keys)) > 3 else []
    return found[0] + 1 if len(found) == 1 else 0


def _quoted(text: str) -> str:
    shown = text if len(text) <= 80 else text[:79] + "…"
    return f"`{shown}`"
