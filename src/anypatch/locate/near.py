"""What to show, or to accept as a slip, when nothing fits to the letter. Linear in the page; changes nothing."""

from __future__ import annotations

import re

from ..errors import Near
from ..text import BLANK
from .page import Page
from .rungs import RUNGS, inner_space, punctuation
from .search import Needle

_SHOWN = 12
_COMMON = 64
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
    known = [k for k, key in enumerate(keys) if len(key) > 3 and index.needle([key]) is not None]
    if not known:
        return []
    counts = {key: index.hay.count(index.needle([key]) or "\0") for key in {keys[k] for k in known}}
    anchor = min(known, key=lambda k: counts[keys[k]])
    if not counts[keys[anchor]] or counts[keys[anchor]] > _COMMON:
        return []
    char = index.needle([keys[anchor]]) or ""
    solid = [i for i, c in enumerate(index.hay) if c != "\0"] if wanted.rung.skips else list(range(len(index.hay)))
    firsts = []
    key_at = page.reader(wanted.rung, wanted.language)
    for position, row in enumerate(solid):
        start = position - anchor
        if index.hay[row] == char and start >= 0 and start + len(keys) <= len(solid):
            lines = [key_at(r) for r in solid[start : start + len(keys)]]
            if all(is_slip(a, b) if keep else a == b for a, b, keep in zip(keys, lines, kept, strict=True)):
                firsts.append(solid[start])
    return firsts


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
    seen: set[str] = set()
    for row, line in enumerate(page.lines[:_FUZZY_LINES]):
        if line in seen:
            continue
        seen.add(line)
        there = {word.lower() for word in re.findall(r"\w+", line[:2000])}
        if there:
            score = len(words & there) / len(words | there)
            if score > best:
                best, best_row = score, row
    return max(best_row - longest, 0) if best >= 0.4 else -1


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
