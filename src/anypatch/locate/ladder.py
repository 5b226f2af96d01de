"""Climbs the ladder for one hunk: the first rung with places that keep every claim. Chooses none of them."""

from __future__ import annotations

from ..model import Hunk
from ..record import NamedTuple
from ..syntax.languages import COMMENT, STRING
from ..text import BLANK
from .page import Page, needle_keys
from .rungs import RUNGS, Rung
from .search import Needle, find, needle, neighbours, rows

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..syntax.languages import Language


# On these rungs the file's indentation is the patch's.
VERBATIM = ("exact", "trailing space")


class Place(NamedTuple):
    """Where a hunk's old lines stand: `rows[k]` (0-based) is the line of the file for old line `at[k]` of `old`."""

    rung: str
    rows: tuple[int, ...]
    at: tuple[int, ...]
    old: tuple[str, ...]


class Climb(NamedTuple):
    """What one rung gave: the rung's name and the first rows of all places that keep the claims."""

    rung: str
    firsts: list[int]
    wanted: Needle
    old: tuple[str, ...]


class Stated(NamedTuple):
    """A comment of the patch that isn't at a place, and the row where it stands instead."""

    comment: str
    row: int


def climb(page: Page, hunk: Hunk, *, comments_decide: bool = True) -> Climb | None:
    """The first rung, of those the format's rules allow, on which the hunk has a place. None: no rung has.

    `comments_decide`: a comment that the patch states and that stands elsewhere says that this isn't the place.
    """
    language = page.language(hunk.rules.language) if hunk.rules.language else None
    old = hunk.old
    for name in hunk.rules.rungs:
        rung = RUNGS[name]
        if rung.sees != "text" and (language is None or (rung.sees == "statements" and language.family != "python")):
            continue
        wanted = needle(rung, language, old)
        found = find(page, wanted)
        if found:
            found = _keeping_claims(page, hunk, wanted, found)
        if found and comments_decide:
            found = [first for first in found if comment_elsewhere(page, hunk, wanted, first) is None]
        if found:
            return Climb(name, _outside_strings(page, hunk, found) if len(found) > 1 else found, wanted, old)
    return None


def place(page: Page, hunk: Hunk, climbed: Climb, first: int) -> Place:
    """One of a climb's places, with all its rows: also of lines that the rung passes over, where they are known."""
    found = rows(page, climbed.wanted, first)
    if _needs_alignment(hunk, climbed.wanted.rung):
        from .alignment import aligned

        beside = aligned(page, hunk, tuple(climbed.wanted.at), found) or {}
        at = tuple(sorted(beside))
        return Place(climbed.rung, tuple(beside[i] for i in at), at, climbed.old)
    return Place(climbed.rung, found, tuple(climbed.wanted.at), climbed.old)


def _needs_alignment(hunk: Hunk, rung: Rung) -> bool:
    """CHUNK replaces whole ranges, whatever blank lines and comments are in them; hunks change line by line."""
    return rung.skips and hunk.rules.indent == "map"


def _keeping_claims(page: Page, hunk: Hunk, wanted: Needle, found: list[int]) -> list[int]:
    """The places where everything the patch says of the place is true, and its indentation has one translation."""
    where = hunk.where
    if wanted.language is not None or where.before or where.after:
        inside = page.lexed(wanted.language).inside if wanted.language is not None else b""
        plain = not where.before and not where.after
        found = [row for row in found if (plain and not inside[row]) or _claims_hold(page, hunk, wanted, row)]
    if found and (where.under or where.at_end):
        found = _in_scope(page, hunk, wanted, found)
    if found and hunk.rules.indent == "map" and wanted.rung.name not in VERBATIM:
        found = [first for first in found if _maps(page, hunk, wanted, first)]
    return found


def changed_rows(page: Page, changed: tuple[int, int], wanted: Needle, first: int) -> tuple[int, int]:
    """The rows that a hunk would change at a place, half open; `changed`: which of its old lines."""
    start, end = changed
    if not wanted.rung.skips:
        return first + start, first + end
    found = rows(page, wanted, first)
    low = next((row for row, i in zip(found, wanted.at, strict=True) if i >= start), found[-1] + 1)
    high = max((row + 1 for row, i in zip(found, wanted.at, strict=True) if i < end), default=low)
    return low, max(low, high)


def _in_scope(page: Page, hunk: Hunk, wanted: Needle, found: list[int]) -> list[int]:
    """The places under the headers claimed, and at the end of the file if that is claimed."""
    from .scope import Extent, within

    extents = {}
    changed = hunk.changed
    for first in found:
        last = rows(page, wanted, first)[-1]
        extents[first] = Extent(first, last + 1, changed_rows(page, changed, wanted, first)[0])
    return within(page, hunk.where, extents)


def _maps(page: Page, hunk: Hunk, wanted: Needle, first: int) -> bool:
    """Whether every changed line has its row, and the hunk's indentation one translation into the file's."""
    from .adapt import adapted
    from .alignment import aligned

    found = dict(zip(wanted.at, rows(page, wanted, first), strict=True))
    if wanted.rung.skips:
        beside = aligned(page, hunk, tuple(wanted.at), tuple(found.values()))
        if beside is None:
            return False
        found = beside
    return adapted(page, hunk, found) is not None


def _claims_hold(page: Page, hunk: Hunk, wanted: Needle, first: int) -> bool:
    """Whether a place is code (where comments are to be ignored) and its neighbours are those claimed."""
    told = wanted.language
    as_told = told is not None and wanted.rung.sees == "text" and hunk.rules.language != "auto"
    if as_told and told is not None and _in_comment(page, hunk, told, first):
        return False
    where = hunk.where
    if not where.before and not where.after:
        return True
    last = rows(page, wanted, first)[-1]
    return (
        _neighbour(page, wanted, where.before, first, -1) is not None
        and _neighbour(page, wanted, where.after, last, 1) is not None
    )


def _neighbour(page: Page, wanted: Needle, lines: tuple[str, ...], row: int, step: int) -> int | None:
    """The row of the farthest claimed neighbour: blank lines, and comments where they are ignored, don't count.

    None where they don't stand there; the row itself where none is claimed.
    """
    if not lines:
        return row
    rung = wanted.rung
    if rung.name == "blank lines" and wanted.language is not None:
        rung = RUNGS["comments"]
    context = needle(rung, wanted.language, lines)
    if not context.keys:
        # Nothing but comments: then they are meant to the letter.
        context = needle(RUNGS["blank lines"], None, lines)
    return neighbours(page, context, row, step)


def comment_elsewhere(page: Page, hunk: Hunk, wanted: Needle, first: int) -> Stated | None:
    """A comment that the patch states, and that stands elsewhere but not at this place, which was found without it.

    patch   # admin user            file   # admin user
            user = make(role=0)            user = make(role=1)
                                           # guest user
                                           user = make(role=0)
    """
    where, language = hunk.where, wanted.language
    if wanted.rung.sees == "text" and not where.before and not where.after:
        return None
    stated = comments_stated(hunk, language, wanted.rung.sees)
    if not stated or language is None:
        return None
    top = _neighbour(page, wanted, where.before, first, -1)
    bottom = _neighbour(page, wanted, where.after, rows(page, wanted, first)[-1], 1)
    assert top is not None and bottom is not None, "a claim that was kept"
    key = page.reader(RUNGS["docstrings" if wanted.rung.sees == "statements" else "comments"], language)
    while not key(top - 1):
        top -= 1
    while not key(bottom + 1):
        bottom += 1
    there = "\n".join(page.lines[top : bottom + 1])
    for comment in stated:
        at = -1 if comment in there else page.text.find(f"{comment}\n")
        if at >= 0:
            return Stated(comment, page.text.count("\n", 1, at + 1))
    return None


def comments_stated(hunk: Hunk, language: Language | None, sees: str = "statements") -> list[str]:
    """The comments, behind code or by themselves, that a hunk says are there; docstrings too, where those are ignored.

    Those without a word say nothing.
    """
    from .lexed import code_lines, statements

    lines = (*hunk.where.before, *hunk.old, *hunk.where.after)
    if language is None:
        return []
    code = statements(list(lines), language) if sees == "statements" else code_lines(list(lines), language)
    bare = [line.strip(BLANK) for line in lines]
    found = [line[len(kept) :].strip(BLANK) for line, kept in zip(bare, code, strict=True) if line.startswith(kept)]
    return [comment for comment in found if any(map(str.isalnum, comment))]


def _in_comment(page: Page, hunk: Hunk, language: Language, first: int) -> bool:
    """Whether a row begins inside a comment though the hunk is code. A hunk of comments only may stand there."""
    if language.family == "python" or page.lexed(language).inside[first] != COMMENT:
        return False
    return any(needle_keys(RUNGS["comments"], language, hunk.old))


def _outside_strings(page: Page, hunk: Hunk, found: list[int]) -> list[int]:
    """Of several places those that aren't text inside a multi-line string, if there are any: CHUNK's own rule.

    Not in a file that ends inside of one: there a quote is missing, and what is text can't be told.
    """
    if hunk.rules.indent == "map":
        return found
    language = page.language(hunk.rules.language)
    if language is None:
        return found
    inside = page.lexed(language).inside
    if inside[len(page.lines)]:
        return found
    return [first for first in found if inside[first] != STRING] or found
