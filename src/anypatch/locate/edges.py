"""Comments at the edges of a place that the search passed over: whether they belong to it. Pure."""

from __future__ import annotations

from ..model import Hunk
from ..text import BLANK
from .ladder import Place
from .page import Page
from .rungs import RUNGS


def with_comments(page: Page, hunk: Hunk, place: Place) -> Place:
    """Comments at the edges that the old text names, and that stand there, belong to the place."""
    old = place.old
    if RUNGS[place.rung].sees == "text":
        return place
    above = [(i, old[i]) for i in range(place.at[0]) if old[i].strip(BLANK)]
    below = [(i, old[i]) for i in range(place.at[-1] + 1, len(old)) if old[i].strip(BLANK)]
    found = dict(zip(place.at, place.rows, strict=True))
    found |= _matching(page, above[::-1], place.rows[0], -1)
    if not hunk.where.block:
        found |= _matching(page, below, place.rows[-1], 1)
    at = sorted(found)
    return place._replace(rows=tuple(found[i] for i in at), at=tuple(at))


def _matching(page: Page, said: list[tuple[int, str]], row: int, step: int) -> dict[int, int]:
    found: dict[int, int] = {}
    for index, text in said:
        row += step
        while 0 <= row < len(page.lines) and not page.lines[row].strip(BLANK):
            row += step
        if not 0 <= row < len(page.lines) or page.lines[row].strip(BLANK) != text.strip(BLANK):
            break
        found[index] = row
    return found
