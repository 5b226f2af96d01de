"""Climbs the ladder for one hunk: the first rung with a place that keeps every claim. Decides nothing between places."""

from __future__ import annotations

from ..model import Hunk
from ..record import NamedTuple
from ..syntax.lexer import COMMENT, STRING
from .near import slips
from .page import Page, needle_keys
from .rungs import NEAR, RUNGS, Rung
from .search import Needle, find, needle, neighbours, rows

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..syntax.languages import Language


class Place(NamedTuple):
    """Where a hunk's old lines stand: `rows[k]` (0-based) is the line of the file for old line `at[k]`."""

    rung: str
    rows: tuple[int, ...]
    at: tuple[int, ...]


class Climb(NamedTuple):
    """What one rung gave: the rung's name and the first rows of all places that keep the claims."""

    rung: str
    firsts: list[int]
    wanted: Needle


def climb(page: Page, hunk: Hunk) -> Climb | None:
    """The first rung, of those the format's rules allow, on which the hunk has a place. None: no rung has."""
    language = page.language(hunk.rules.language) if hunk.rules.language else None
    for name in hunk.rules.rungs:
        if name == NEAR:
            return _near(page, hunk, language)
        rung = RUNGS[name]
        if rung.sees != "text" and (language is None or (rung.sees == "statements" and language.family != "python")):
            continue
        wanted = needle(rung, language, hunk.old)
        found = [first for first in find(page, wanted) if _claims_hold(page, hunk, wanted, first)]
        if found:
            return Climb(name, _outside_strings(page, hunk, found), wanted)
    return None


def place(page: Page, climbed: Climb, first: int) -> Place:
    """One of a climb's places, with all its rows."""
    return Place(climbed.rung, rows(page, climbed.wanted, first), tuple(climbed.wanted.at))


def _claims_hold(page: Page, hunk: Hunk, wanted: Needle, first: int) -> bool:
    """Whether a place is code (where comments are to be ignored) and its neighbours are those claimed."""
    if wanted.rung.sees == "text" and wanted.language is not None and _in_comment(page, hunk, wanted.language, first):
        return False
    where = hunk.where
    if not where.before and not where.after:
        return True
    last = rows(page, wanted, first)[-1]
    return _context(page, wanted, where.before, first, -1) and _context(page, wanted, where.after, last, 1)


def _context(page: Page, wanted: Needle, lines: tuple[str, ...], row: int, step: int) -> bool:
    """Whether the claimed neighbours stand there: blank lines, and comments where they are ignored, don't count."""
    if not lines:
        return True
    rung = wanted.rung
    if rung.name == "blank lines" and wanted.language is not None:
        rung = RUNGS["comments"]
    context = needle(rung, wanted.language, lines)
    if not context.keys:
        # Nothing but comments: then they are meant to the letter.
        context = needle(RUNGS["blank lines"], None, lines)
    return neighbours(page, context, row, step)


def _in_comment(page: Page, hunk: Hunk, language: Language, first: int) -> bool:
    """Whether a row begins inside a comment though the hunk's lines are code. A hunk of comments only may stand there."""
    if language.family == "python" or page.lexed(language).inside[first] != COMMENT:
        return False
    return any(needle_keys(RUNGS["comments"], language, hunk.old))


def _outside_strings(page: Page, hunk: Hunk, found: list[int]) -> list[int]:
    """Of several places those that aren't text inside a multi-line string, if there are any."""
    language = page.language(hunk.rules.language)
    if len(found) < 2 or language is None:
        return found
    inside = page.lexed(language).inside
    return [first for first in found if inside[first] != STRING] or found


def _near(page: Page, hunk: Hunk, language: Language | None) -> Climb | None:
    """Last resort: lines that stay may differ by a slip of the pen, all others stand to the letter."""
    rung: Rung = RUNGS["comments" if language else "blank lines"]
    wanted = needle(rung, language, hunk.old)
    kept = _kept(hunk)
    firsts = slips(page, wanted, [wanted.at[k] in kept for k in range(len(wanted.at))])
    firsts = [first for first in firsts if _claims_hold(page, hunk, wanted, first)]
    return Climb(NEAR, _outside_strings(page, hunk, firsts), wanted) if firsts else None


def _kept(hunk: Hunk) -> set[int]:
    """Which old lines are context: tagged so, or written again, unchanged, in the new text."""
    kept = {i for i, (tag, _) in enumerate(line for line in hunk.lines if line[0] != "+") if tag == " "}
    if len(kept) < len(hunk.old):
        from ..diff import opcodes

        changed: set[int] = set()
        for start, end, _, _ in opcodes(hunk.old, hunk.new):
            changed.update(range(start, end))
        kept |= set(range(len(hunk.old))) - changed
    return kept
