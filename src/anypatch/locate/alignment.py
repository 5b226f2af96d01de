"""Every old line of a hunk beside a line of the file, also those that a rung passes over; or no place at all. Pure.

Blank lines and comments may be passed over only where nothing changes: what goes must stand there, and what comes
must have its neighbours on both sides.
"""

from __future__ import annotations

from itertools import pairwise

from ..model import Hunk
from ..record import NamedTuple
from ..text import BLANK
from .page import Page
from .rungs import punctuation


class Stretch(NamedTuple):
    """Old lines that were passed over, the rows where they would be, and the old lines before which new ones count."""

    inner: range
    start: int
    end: int
    places: range


def aligned(page: Page, hunk: Hunk, at: tuple[int, ...], rows: tuple[int, ...]) -> dict[int, int] | None:
    """Old line -> row, for all that have one; None where a change lies in a stretch that isn't the same in both."""
    old = hunk.old
    tags, loose = _shape(hunk)
    # One blank line is as good as any other: to take one away, everything around it must be sure.
    fragile = _slides(hunk) or any(tag == "-" and not text.strip(BLANK) for tag, text in hunk.lines)
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
        changed = any(tags[i] == "-" for i in stretch.inner) or any(i in loose for i in stretch.places)
        if between_removed or changed or fragile:
            return None
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


def _stretches(at: tuple[int, ...], rows: tuple[int, ...], count: int) -> list[Stretch]:
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


def _shape(hunk: Hunk) -> tuple[list[str], set[int]]:
    """The tag of each old line; and the old lines before which new ones come that hang on no removed line."""
    tags: list[str] = []
    added: set[int] = set()
    for tag, _ in hunk.lines:
        if tag == "+":
            added.add(len(tags))
        else:
            tags.append(tag)
    hung = {i for i in added if (i and tags[i - 1] == "-") or (i < len(tags) and tags[i] == "-")}
    return tags, added - hung
