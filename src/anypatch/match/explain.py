"""What to say when a hunk has no place, or several: told when somebody looks. Decides nothing; linear in the text."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..model import Hunk, split_lines
from ..problems import Near, Problem
from ..similarity import ends_alike, most_alike
from ..text import BLANK, Text, depth_of
from .claims import blocks
from .ladder import INDENTATION, LEVELS, plain_punctuation, single_spaces
from .search import Place, find_exact, find_loosely, index_of, keys_of

if TYPE_CHECKING:
    from ..hints import ProblemKind

LISTED = 20  # places that are named
EXCERPTS = 3  # places that are shown with the lines around them
_SHOWN, _BELOW = 12, 3  # lines of the nearest region, and of it below the first difference
_COMMON = 64  # a line that is in more places tells none of them
_SEARCHED = 60_000  # lines of a file that are looked through for one that is alike
_NEARLY, _RIVALS = 0.7, 64  # so many of the most votes, and as many places, are compared line by line
_LOOKED = 2000  # lines above a place in which its header is looked for


def no_place(text: Text, path: str, hunk: Hunk) -> Problem:
    """The refusal of a hunk that has no place; what is near is found when somebody asks."""
    if hunk.doubts:
        return hunk.doubts[0]
    return Problem(
        "not_found", patch_line=hunk.patch_line, explain=lambda problem: _no_place(problem, text, path, hunk)
    )


def _no_place(problem: Problem, text: Text, path: str, hunk: Hunk) -> Problem:
    old = split_lines(hunk.old)
    near = nearest(text, old)
    detail = "" if near else "the text is not in the file, nor anything like it"
    where = hunk.where
    if missing := _missing_header(text, path, hunk):
        detail = missing
    elif where.before or where.after or where.under or where.at_end:
        places = find_exact(text, hunk.old) or find_loosely(text, old, LEVELS["marker"])
        if places:
            rows = [text.row_at(place.start) + 1 for place in places]
            detail = f"the lines are at {_listed(rows)}, but {_broken_claim(hunk)}"
            near = tuple(region(text, row - 1, "the lines around it") for row in rows[:EXCERPTS])
    there = _already_there(text, hunk)
    advice = f"The new text is already at line {there}: has this patch been applied before?" if there else ""
    return problem._replace(detail=detail, line=near[0].line if near else 0, advice=problem.advice or advice, near=near)


def _missing_header(text: Text, path: str, hunk: Hunk) -> str:
    for count in range(1, len(hunk.where.under) + 1):
        if not blocks(text, hunk.where.under[:count], path):
            return f"the header `{hunk.where.under[count - 1]}` is not in the file"
    return ""


def _broken_claim(hunk: Hunk) -> str:
    if hunk.where.under:
        return f"not under `{hunk.where.under[-1]}`"
    if hunk.where.at_end:
        return "not at the end of the file"
    return "not next to the lines given as context"


def _already_there(text: Text, hunk: Hunk) -> int:
    """The line (1-based) at which the new text is, if it adds a line and is in exactly one place; else 0."""
    old, new = ([line for line in map(str.strip, side.split("\n")) if line] for side in (hunk.old, hunk.new))
    if not set(new).difference(old) or len("".join(new)) <= 3:
        return 0
    places = find_loosely(text, new, LEVELS["marker"])
    return text.row_at(places[0].start) + 1 if len(places) == 1 else 0


def several_places(text: Text, hunk: Hunk, places: Sequence[Place]) -> Problem:
    """The refusal of a hunk that has several places: all of their lines, and what is around the first few."""
    level = places[0].level

    def explain(problem: Problem) -> Problem:
        rows = [text.row_at(place.start) + 1 for place in places[: LISTED + 1]]
        near = tuple(candidate(text, row, at < EXCERPTS) for at, row in enumerate(rows[:LISTED]))
        aside = f" ({level} aside)" if level != "exact" else ""
        detail = f"the text fits in {len(places)} places: {_listed(rows)}{aside}"
        return problem._replace(detail=detail, line=rows[0], near=near)

    return Problem("ambiguous", patch_line=hunk.patch_line, explain=explain)


def wrong_count(text: Text, hunk: Hunk, places: Sequence[Place]) -> Problem:
    """The refusal of a text that isn't in as many places as the call expects."""
    rows = [text.row_at(place.start) + 1 for place in places]
    where = f"in {len(rows)} places ({_listed(rows)})" if len(rows) > 1 else f"only at {_listed(rows)}"
    detail = f"the old text is {where}, but {'one is' if hunk.times == 1 else f'{hunk.times} are'} expected"
    advice = "Correct the expected number, or edit each place by itself."
    if hunk.times == 1:
        advice = "Add neighbouring lines, or ask for all of them to be replaced."
    near = tuple(candidate(text, row, at < EXCERPTS) for at, row in enumerate(rows[:LISTED]))
    return Problem("ambiguous", detail, patch_line=hunk.patch_line, line=rows[0], advice=advice, near=near)


def used_twice(hunk: Hunk, other: Hunk, row: int) -> Problem:
    """Two hunks want the same line."""
    detail = f"line {row + 1} is already changed by the hunk at line {other.patch_line} of the patch"
    # By the rules of Begin Patch the second one has no place left.
    kind: ProblemKind = "not_found" if hunk.policy.headers_bind else "overlap"
    return Problem(kind, detail, patch_line=hunk.patch_line, line=row + 1, advice="Join the two hunks into one.")


def candidate(text: Text, line: int, shown: bool) -> Near:
    """One of several places: its line, what it is in, and for the first few the lines around it."""
    header = enclosing(text, line - 1)
    note = f"line {line}, in `{header[:80]}`" if header else f"line {line}"
    return region(text, line - 1, note) if shown else Near(line, (), note, line)


def region(text: Text, row: int, note: str = "") -> Near:
    """A row with a neighbour on either side."""
    start = max(row - 1, 0)
    return Near(start + 1, tuple(text.lines[start : row + 2]), note, row + 1)


def enclosing(text: Text, row: int) -> str:
    """The line that opens what a row is in: the nearest one above with less indentation that begins with a word."""
    depth = depth_of(text.lines[row]) if row < len(text.lines) else 0
    for line in reversed(text.lines[max(row - _LOOKED, 0) : row]) if depth else ():
        bare = line.strip()
        if bare and depth_of(line) < depth and (bare[0].isalpha() or bare[0] in "_<@~"):
            return bare
    return ""


def _listed(rows: Sequence[int]) -> str:
    shown = ", ".join(map(str, rows[:LISTED]))
    return ("line " if len(rows) == 1 else "lines ") + shown + (", …" if len(rows) > LISTED else "")


# ── the nearest region ───────────────────────────────────────────────────────────────────────────


def nearest(text: Text, old: Sequence[str]) -> tuple[Near, ...]:
    """The region of the file that is most like the old lines, with the first difference named."""
    keys = [key for line in old if (key := line.strip(BLANK))]
    if not keys or not text.lines:
        return ()
    solid = index_of(text, LEVELS["marker"], None)
    firsts = _by_votes(solid.keys, keys)
    longest = _by_longest(text, keys) if len(firsts) != 1 else -1
    if longest >= 0:
        firsts.append(bisect_left(solid.rows, longest))
    if not firsts:
        return ()
    best = max(firsts, key=lambda first: _likeness(solid.keys, keys, first))
    begins = [at for at in (best, best + 1, best - 1) if 0 <= at < len(solid.keys) and solid.keys[at] == keys[0]]
    return (_show(text, keys, solid.rows[min((*begins, best)[0], len(solid.rows) - 1)]),)


def _by_votes(there: Sequence[str], keys: list[str]) -> list[int]:
    """Where most of the lines are in their order: each line that is in the file votes for where the first would be.

    Those that have nearly as many votes, the first few of them: `}` alone is in many places.
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


def _by_longest(text: Text, keys: list[str]) -> int:
    """Where the longest of the lines has one that is like it; -1 if none is."""
    longest = max(range(len(keys)), key=lambda k: len(keys[k]))
    row = most_alike(keys[longest], keys_of(text, INDENTATION, None)[:_SEARCHED])
    return max(row - longest, 0) if row >= 0 else -1


def _show(text: Text, keys: list[str], start: int) -> Near:
    """The region from `start`, with a word on the first line that differs."""
    row, shown = start, min(len(keys) + 2, _SHOWN)
    note = ""
    for key in keys:
        while row < len(text.lines) and not text.lines[row].strip(BLANK):
            row += 1
        if row >= len(text.lines):
            note = f"the file ends before {_quoted(key)}"
            break
        if text.lines[row].strip(BLANK) != key:
            there = text.lines[row].strip(BLANK)
            note = f"line {row + 1} is {_quoted(there)}, not {_quoted(key)}{_why(key, there)}"
            shown = max(shown, row + 1 - start + _BELOW)  # of 40 lines the 39th may be the one
            break
        row += 1
    return Near(start + 1, tuple(text.lines[start : start + shown]), note)


def _why(said: str, there: str) -> str:
    """How two lines differ, if it can be said in a word."""
    if said.lower() == there.lower():
        return " (only the case differs)"
    if plain_punctuation(said) == plain_punctuation(there):
        return " (only quotes, dashes or unusual spaces differ)"
    if single_spaces(said) == single_spaces(there):
        return " (only the spaces inside differ)"
    if said and there.startswith(said) and there[len(said) :].lstrip()[:1] in ("#", "/", "<", "-"):
        return " (a comment follows there)"
    if said and said in there:
        return " (only part of the line was given; whole lines are compared)"
    return ""


def _quoted(text: str) -> str:
    shown = text if len(text) <= 80 else text[:79] + "…"
    return f"`{shown}`"
