"""What to show when a hunk has no place, or several. Linear in the page; changes nothing, decides nothing."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence

from ..model import Hunk
from ..problems import Near, Problem
from ..similarity import all_alike, ends_alike, most_alike
from ..text import BLANK, depth_of
from .constraints import blocks
from .levels import RUNGS, inner_space, punctuation
from .search import Page, comment_elsewhere, comments_stated, find, find_places, needle

LISTED = 20  # places that are named
EXCERPTS = 3  # places that are shown with the lines around them
_SHOWN, _BELOW = 12, 3  # lines of the nearest region, and of it below the first difference
_COMMON = 64  # a line that stands in more places tells none of them
_SEARCHED = 60_000  # lines of a file that are looked through for one that is alike
_NEARLY, _RIVALS = 0.7, 64  # so many of the most votes, and as many places, are compared line by line
_GONE = 20  # lines that go that are looked for
_LOOKED = 2000  # lines above a place in which its header is looked for


def not_found(page: Page, hunk: Hunk, brief: bool) -> tuple[Problem, ...]:
    """Nothing fits: the nearest region, and whether the new text is there already.

    `brief`: enough hunks of this file were explained.
    """
    if hunk.doubts:
        return hunk.doubts
    if brief:
        detail = "the text is not in the file; the nearest lines are shown only for the first hunks that don't fit"
        return (Problem("not_found", detail, "", hunk.patch_line),)

    near = nearest(page, hunk.old)
    detail = "" if near else "the text is not in the file, nor anything like it"
    where = hunk.where
    missing = _missing_header(page, hunk)
    if missing:
        detail = missing
    elif where.before or where.after or where.under or where.at_end:
        bare = find_places(page, hunk._replace(where=where._replace(before=(), after=(), under=(), at_end=False)))
        if bare is not None:
            rows = [first + 1 for first in bare.firsts[:LISTED]]
            detail = f"the lines are at {_listed(rows)}, but {_broken_claim(hunk)}"
            near = tuple(region(page, row - 1, "the lines around it") for row in rows[:EXCERPTS])
    denied = _by_comment(page, hunk) if not missing else None
    detail, near = denied or (detail, near)
    there = already_there(page, hunk.new) if not denied and _would_show(page, hunk) else 0
    advice = f"The new text is already at line {there}: has this patch been applied before?" if there else ""
    advice = "Copy the lines of one place, with the comments that are there." if denied else advice
    line = near[0].line if near else 0
    return (Problem("not_found", detail, patch_line=hunk.patch_line, line=line, advice=advice, near=near),)


def _missing_header(page: Page, hunk: Hunk) -> str:
    for count in range(1, len(hunk.where.under) + 1):
        if not blocks(page, hunk.where.under[:count]):
            return f"the header `{hunk.where.under[count - 1]}` is not in the file"
    return ""


def _by_comment(page: Page, hunk: Hunk) -> tuple[str, tuple[Near, ...]] | None:
    """Where the hunk would fit but for a comment of its that stands elsewhere: both places in words, and shown."""
    if not comments_stated(hunk, page.language(hunk.policy.language) if hunk.policy.ignores_comments else None):
        return None
    found = find_places(page, hunk, comments_decide=False)
    stated = found and comment_elsewhere(page, hunk, found.wanted, found.firsts[0])
    if not found or not stated:
        return None
    first, comment = found.firsts[0], stated.comment[:80]
    detail = f"the code is at line {first + 1}, but the comment `{comment}` is at line {stated.row + 1}"
    return detail, (region(page, first, "the code"), region(page, stated.row, "the comment"))


def _broken_claim(hunk: Hunk) -> str:
    if hunk.where.under:
        return f"not under `{hunk.where.under[-1]}`"
    if hunk.where.at_end:
        return "not at the end of the file"
    return "not next to the lines given as context"


def _would_show(page: Page, hunk: Hunk) -> bool:
    """Whether the new text in the file would tell that the change is made: it adds a line, or what goes is gone.

    Of `a`, `b`, `c` a hunk leaves `a`; or it only moves them to the left: then they stand there anyway.
    """
    old, new = (Counter(filter(None, map(str.strip, lines))) for lines in (hunk.old, hunk.new))
    if new - old:
        return True
    lines = page.index(RUNGS["indentation"], None).keys[:_SEARCHED]
    return bool(old - new) and not any(all_alike(line, lines) for line in [*(old - new)][:_GONE])


def already_there(page: Page, new: tuple[str, ...]) -> int:
    """The line (1-based) where the new text stands, if it stands in exactly one place; else 0."""
    wanted = needle(RUNGS["blank lines"], None, new)
    found = find(page, wanted) if len(" ".join(wanted.keys)) > 3 else []
    return found[0] + 1 if len(found) == 1 else 0


def ambiguous(  # noqa: PLR0913 - which of the places, and how much is said of them
    page: Page, hunk: Hunk, rung: str, firsts: list[int], low: int = 0, end: int = 0, *, brief: bool = False
) -> Problem:
    """Several places: all of their lines, and what stands around the first few. `low`, `end`: only these of them."""
    end = end or len(firsts)
    rows = [first + 1 for first in firsts[low : min(end, low + LISTED + 1)]]
    listed = [] if brief else rows[:LISTED]
    near = tuple(candidate(page, row, at < EXCERPTS) for at, row in enumerate(listed)) or (region(page, rows[0] - 1),)
    aside = f" ({rung} aside)" if rung in RUNGS and rung != "exact" else ""
    detail = f"the text fits in {end - low} places: {_listed(rows)}{aside}"
    return Problem("ambiguous", detail, patch_line=hunk.patch_line, line=rows[0], near=near)


def used_twice(hunk: Hunk, other: Hunk, row: int) -> Problem:
    """Two hunks want the same line."""
    detail = f"line {row + 1} is already changed by the hunk at line {other.patch_line} of the patch"
    return Problem("not_found", detail, patch_line=hunk.patch_line, line=row + 1, advice="Join the two hunks into one.")


def candidate(page: Page, row: int, shown: bool) -> Near:
    """One of several places (1-based): its line, what it stands in, and for the first few the lines around it."""
    header = enclosing(page, row - 1)
    note = f"line {row}, in `{header[:80]}`" if header else f"line {row}"
    return region(page, row - 1, note) if shown else Near(row, (), note, row)


def region(page: Page, row: int, note: str = "") -> Near:
    """A row with a neighbour on either side."""
    start = max(row - 1, 0)
    return Near(start + 1, tuple(page.lines[start : row + 2]), note, row + 1)


def enclosing(page: Page, row: int) -> str:
    """The line that opens what a row stands in: the nearest one above with less indentation that begins with a word."""
    depth = depth_of(page.lines[row])
    for line in reversed(page.lines[max(row - _LOOKED, 0) : row]) if depth else ():
        text = line.strip()
        if text and depth_of(line) < depth and (text[0].isalpha() or text[0] in "_<@~"):
            return text
    return ""


def _listed(rows: list[int]) -> str:
    shown = ", ".join(map(str, rows[:LISTED]))
    return ("line " if len(rows) == 1 else "lines ") + shown + (", …" if len(rows) > LISTED else "")


# ── the nearest region ───────────────────────────────────────────────────────────────────────────


def nearest(page: Page, old: tuple[str, ...]) -> tuple[Near, ...]:
    """The region of the file that is most like the old lines, with the first difference named."""
    keys = [key for line in old if (key := line.strip(BLANK))]
    if not keys or not page.lines:
        return ()
    solid = page.index(RUNGS["blank lines"], None)
    firsts = _by_votes(solid.keys, keys)
    longest = _by_longest(page, keys) if len(firsts) != 1 else -1
    if longest >= 0:
        firsts.append(bisect_left(solid.rows, longest))
    if not firsts:
        return ()
    best = max(firsts, key=lambda first: _likeness(solid.keys, keys, first))
    begins = [at for at in (best, best + 1, best - 1) if 0 <= at < len(solid.keys) and solid.keys[at] == keys[0]]
    return (_show(page, keys, solid.rows[(*begins, best)[0]]),)


def _by_votes(there: Sequence[str], keys: list[str]) -> list[int]:
    """Where most of the lines stand in their order: each line that is in the file votes for where the first would be.

    Those that have nearly as many votes, the first few of them: `}` alone stands in many places.
    """
    places: dict[str, list[int]] = {key: [] for key in keys}
    for place, key in enumerate(there):
        if key in places:
            places[key].append(place)
    votes: dict[int, float] = {}
    for k, key in enumerate(keys):
        if len(places[key]) <= _COMMON:
            for place in places[key]:
                votes[place - k] = votes.get(place - k, 0) + min(len(key), 20) / len(places[key])
    totals = {
        first: votes[first] + votes.get(first - 1, 0) / 2 + votes.get(first + 1, 0) / 2 for first in sorted(votes)
    }
    most = max(totals.values(), default=0)
    return [max(first, 0) for first, total in totals.items() if total >= _NEARLY * most][:_RIVALS]


def _likeness(there: Sequence[str], keys: list[str], first: int) -> float:
    """How alike the lines are to those of the file from a place on, where one may be missing or too many.

    A line that is the same counts as two, and a little more in its very place.
    """
    total = 0.0
    for at, key in enumerate(keys[:_SHOWN], first):
        around = there[max(at - 1, 0) : at + 2]
        likeness = 2 if key in around else max((ends_alike(key, other) for other in around), default=0)
        total += min(len(key), 20) * (likeness + 0.1 * (key in there[at : at + 1]))
    return total


def _by_longest(page: Page, keys: list[str]) -> int:
    """Where the longest of the lines has one that is like it; -1 where none is."""
    longest = max(range(len(keys)), key=lambda k: len(keys[k]))
    row = most_alike(keys[longest], page.index(RUNGS["indentation"], None).keys[:_SEARCHED])
    return max(row - longest, 0) if row >= 0 else -1


def _show(page: Page, keys: list[str], start: int) -> Near:
    """The region from `start`, with a word on the first line that differs."""
    row, shown = start, min(len(keys) + 2, _SHOWN)
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
            shown = max(shown, row + 1 - start + _BELOW)  # of 40 lines the 39th may be the one
            break
        row += 1
    return Near(start + 1, tuple(page.lines[start : start + shown]), note)


def _why(said: str, there: str) -> str:
    """How two lines differ, where it can be said in a word."""
    if said.lower() == there.lower():
        return " (only the case differs)"
    if punctuation(said) == punctuation(there):
        return " (only quotes, dashes or unusual spaces differ)"
    if inner_space(said) == inner_space(there):
        return " (only the spaces inside differ)"
    if said and there.startswith(said) and there[len(said) :].lstrip()[:1] in ("#", "/", "<", "-"):
        return " (a comment follows there)"
    if said and said in there:
        return " (only part of the line was given; whole lines are compared)"
    return ""


def _quoted(text: str) -> str:
    shown = text if len(text) <= 80 else text[:79] + "…"
    return f"`{shown}`"
