"""Explain why a hunk has no place, or several, when somebody looks at the problem. Linear in the text; pure."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..model import Hunk, split_lines
from ..problems import Near, Problem
from ..similarity import ends_alike, most_alike
from ..text import BLANK, Text, depth_of
from .headers import header_blocks
from .ladder import INDENTATION, LEVELS, plain_punctuation, single_spaces
from .search import Place, find_exact, find_loosely, index_of, keys_of

if TYPE_CHECKING:
    from ..hints import ProblemKind

LISTED = 20  # places whose lines are listed
EXCERPTS = 3  # places that are shown with the lines around them
_SHOWN, _BELOW = 12, 3  # lines of the nearest region, and of it below the first difference
_COMMON = 64  # a line that is in more places doesn't count
_SEARCHED = 60_000  # lines of a file that are searched for a similar one
_NEARLY, _RIVALS = 0.7, 64  # places with this share of the most votes, and how many of them, are compared in full
_LINES_ABOVE = 2000  # lines above a place that are searched for its header


def no_place(text: Text, hunk: Hunk) -> Problem:
    """Refuse a hunk that has no place; the nearest lines are found when somebody asks."""
    if hunk.doubts:
        return hunk.doubts[0]
    return Problem("not_found", patch_line=hunk.patch_line, explain=lambda problem: _no_place(problem, text, hunk))


def _no_place(problem: Problem, text: Text, hunk: Hunk) -> Problem:
    old = split_lines(hunk.old)
    near = nearest(text, old)
    detail = "" if near else "the text is not in the file, nor anything like it"
    claims = hunk.claims
    if missing := _missing_header(text, hunk):
        detail = missing
    elif claims.before or claims.after or claims.headers or claims.at_end:
        places = find_exact(text, hunk.old) or find_loosely(text, old, LEVELS["marker"])
        if places:
            rows = [text.row_at(place.start) + 1 for place in places]
            detail = f"the lines are at {_listed(rows)}, but {_broken_claim(hunk)}"
            near = tuple(region(text, row - 1, "the lines around it") for row in rows[:EXCERPTS])
    line = _line_of_result(text, hunk)
    if line and not problem.is_advised:
        advice = f"The new text is already at line {line}: has this patch been applied before?"
        problem = problem._replace(advice=advice)
    return problem._replace(detail=detail, line=near[0].line if near else 0, near=near)


def _missing_header(text: Text, hunk: Hunk) -> str:
    for count in range(1, len(hunk.claims.headers) + 1):
        if not header_blocks(text, hunk.claims.headers[:count]):
            return f"the header `{hunk.claims.headers[count - 1]}` is not in the file"
    return ""


def _broken_claim(hunk: Hunk) -> str:
    if hunk.claims.headers:
        return f"not under `{hunk.claims.headers[-1]}`"
    if hunk.claims.at_end:
        return "not at the end of the file"
    return "not next to the lines given as context"


def _line_of_result(text: Text, hunk: Hunk) -> int:
    """Return the line (from 1) of the new text, if it adds a line and is in exactly one place; else 0."""
    old, new = ([line for line in map(str.strip, side.split("\n")) if line] for side in (hunk.old, hunk.new))
    if not set(new).difference(old) or len("".join(new)) <= 3:
        return 0
    places = find_loosely(text, new, LEVELS["marker"])
    return text.row_at(places[0].start) + 1 if len(places) == 1 else 0


def several_places(text: Text, hunk: Hunk, places: Sequence[Place]) -> Problem:
    """Refuse a hunk that has several places: list their lines, and show what is around the first few."""
    level = places[0].level

    def explain(problem: Problem) -> Problem:
        rows = [text.row_at(place.start) + 1 for place in places[: LISTED + 1]]
        near = tuple(candidate(text, row, at < EXCERPTS) for at, row in enumerate(rows[:LISTED]))
        aside = f" ({level} aside)" if level != "exact" else ""
        detail = f"the text fits in {len(places)} places: {_listed(rows)}{aside}"
        return problem._replace(detail=detail, line=rows[0], near=near)

    return Problem("ambiguous", patch_line=hunk.patch_line, explain=explain)


def wrong_count(text: Text, hunk: Hunk, places: Sequence[Place]) -> Problem:
    """Refuse a text that isn't in as many places as the call expects."""
    rows = [text.row_at(place.start) + 1 for place in places]
    where = f"in {len(rows)} places ({_listed(rows)})" if len(rows) > 1 else f"only at {_listed(rows)}"
    detail = f"the old text is {where}, but {'one is' if hunk.times == 1 else f'{hunk.times} are'} expected"
    advice = "Correct the expected number, or edit each place by itself."
    if hunk.times == 1:
        advice = "Add neighbouring lines, or ask for all of them to be replaced."
    near = tuple(candidate(text, row, at < EXCERPTS) for at, row in enumerate(rows[:LISTED]))
    return Problem("ambiguous", detail, patch_line=hunk.patch_line, line=rows[0], advice=advice, near=near)


def used_twice(hunk: Hunk, other: Hunk, row: int) -> Problem:
    """Refuse a hunk for a line that another hunk changes."""
    detail = f"line {row + 1} is already changed by the hunk at line {other.patch_line} of the patch"
    # By the rules of Begin Patch the second one has no place left.
    kind: ProblemKind = "not_found" if hunk.policy.headers_bind else "overlap"
    return Problem(kind, detail, patch_line=hunk.patch_line, line=row + 1, advice="Join the two hunks into one.")


def candidate(text: Text, line: int, shown: bool) -> Near:
    """Describe one of several places: its line, what it is in, and if `shown` the lines around it."""
    header = enclosing(text, line - 1)
    note = f"line {line}, in `{header[:80]}`" if header else f"line {line}"
    return region(text, line - 1, note) if shown else Near(line, (), note, line)


def region(text: Text, row: int, note: str = "") -> Near:
    """Return a row with a line on either side."""
    start = max(row - 1, 0)
    return Near(start + 1, tuple(text.lines[start : row + 2]), note, row + 1)


def enclosing(text: Text, row: int) -> str:
    """Return the line that opens what a row is in: the nearest less indented one above that begins with a word."""
    depth = depth_of(text.lines[row]) if row < len(text.lines) else 0
    for line in reversed(text.lines[max(row - _LINES_ABOVE, 0) : row]) if depth else ():
        bare = line.strip()
        if bare and depth_of(line) < depth and (bare[0].isalpha() or bare[0] in "_<@~"):
            return bare
    return ""


def _listed(rows: Sequence[int]) -> str:
    shown = ", ".join(map(str, rows[:LISTED]))
    return ("line " if len(rows) == 1 else "lines ") + shown + (", …" if len(rows) > LISTED else "")


# ── the nearest region ───────────────────────────────────────────────────────────────────────────


def nearest(text: Text, old: Sequence[str]) -> tuple[Near, ...]:
    """Return the region of the file that is most similar to the old lines, with the first difference named."""
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


def _by_votes(file_keys: Sequence[str], keys: list[str]) -> list[int]:
    """Return where the first line would be if most lines are in order: each one that is in the file has a vote.

    Also the first few places with nearly as many votes: `}` alone is in many places.
    """
    places: dict[str, list[int]] = {key: [] for key in keys}
    for place, key in enumerate(file_keys):
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


def _likeness(file_keys: Sequence[str], keys: list[str], first: int) -> float:
    """Measure how similar the lines are to those of the file from a place on, with one missing or too many allowed.

    An equal line counts as two, and a little more in its very place.
    """
    total = 0.0
    for at, key in enumerate(keys[:_SHOWN], first):
        around = file_keys[max(at - 1, 0) : at + 2]
        likeness = 2 if key in around else max((ends_alike(key, other) for other in around), default=0)
        total += min(len(key), 20) * (likeness + 0.1 * (key in file_keys[at : at + 1]))
    return total


def _by_longest(text: Text, keys: list[str]) -> int:
    """Return where the first line would be by the line most similar to the longest one; -1 if none is similar."""
    longest = max(range(len(keys)), key=lambda k: len(keys[k]))
    row = most_alike(keys[longest], keys_of(text, INDENTATION, None)[:_SEARCHED])
    return max(row - longest, 0) if row >= 0 else -1


def _show(text: Text, keys: list[str], start: int) -> Near:
    """Return the region from `start`, with a note on the first line that differs."""
    row, shown = start, min(len(keys) + 2, _SHOWN)
    note = ""
    for key in keys:
        while row < len(text.lines) and not text.lines[row].strip(BLANK):
            row += 1
        if row >= len(text.lines):
            note = f"the file ends before {_quoted(key)}"
            break
        if text.lines[row].strip(BLANK) != key:
            file_line = text.lines[row].strip(BLANK)
            note = f"line {row + 1} is {_quoted(file_line)}, not {_quoted(key)}{_how_they_differ(key, file_line)}"
            shown = max(shown, row + 1 - start + _BELOW)  # the 39th of 40 lines may be the one that differs
            break
        row += 1
    return Near(start + 1, tuple(text.lines[start : start + shown]), note)


def _how_they_differ(old: str, file_line: str) -> str:
    """Say how two lines differ, if a few words can."""
    if old.lower() == file_line.lower():
        return " (only the case differs)"
    if plain_punctuation(old) == plain_punctuation(file_line):
        return " (only quotes, dashes or unusual spaces differ)"
    if single_spaces(old) == single_spaces(file_line):
        return " (only the spaces inside differ)"
    if old and file_line.startswith(old) and file_line[len(old) :].lstrip()[:1] in ("#", "/", "<", "-"):
        return " (a comment follows there)"
    if old and old in file_line:
        return " (only part of the line was given; whole lines are compared)"
    return ""


def _quoted(text: str) -> str:
    shown = text if len(text) <= 80 else text[:79] + "…"
    return f"`{shown}`"
