"""Places the hunks of one edit together: one reading, or problems that name the readings. Pure, no search budget."""

from __future__ import annotations

from ..errors import Near, Problem
from ..model import Edit, Hunk, Note
from ..record import NamedTuple
from .fit import Fit, fit, fit_gap
from .ladder import Climb, climb, place
from .near import already_there, nearest
from .page import Page

_LISTED = 20


class Placed(NamedTuple):
    """The fits of an edit in file order, or its problems."""

    fits: list[Fit]
    problems: list[Problem]
    notes: list[Note]


class Choice(NamedTuple):
    """A hunk and every place it might stand at: first rows, ascending."""

    hunk: Hunk
    climbed: Climb


def place_edit(page: Page, edit: Edit) -> Placed:
    """Every hunk's splices against the page as it is, or everything that stands in the way."""
    problems: list[Problem] = []
    fits: list[Fit] = []
    choices: list[Choice] = []
    for hunk in edit.hunks:
        if not hunk.old:
            made = _by_claim(page, hunk)
            (problems if isinstance(made, Problem) else fits).append(made)  # type: ignore[arg-type]
            continue
        climbed = climb(page, hunk)
        if climbed is None:
            problems.append(_not_found(page, hunk))
        else:
            choices.append(Choice(hunk, climbed))
    chosen = _choose(page, choices, problems) if choices and not problems else []
    for choice, first in chosen:
        made_here = fit(page, choice.hunk, place(page, choice.climbed, first))
        if isinstance(made_here, Problem):
            problems.append(made_here._replace(patch_line=choice.hunk.patch_line))
        else:
            fits += made_here
    fits.sort(key=lambda one: (one.splice.start, one.splice.end))
    problems += _overlaps(fits, edit)
    notes = [note for one in fits for note in one.notes]
    return Placed([] if problems else fits, problems, notes)


def _by_claim(page: Page, hunk: Hunk) -> Fit | Problem:
    """A hunk without old lines stands where its claim says: an end of the file, or lines by number."""
    count = len(page.lines)
    where = hunk.where
    if where.at_start:
        return fit_gap(page, hunk, 0, 0)
    if where.at_end or not count:
        return fit_gap(page, hunk, count, count)
    if not where.line:
        detail = "the edit adds lines but doesn't say where"
        return Problem("ambiguous", detail, patch_line=hunk.patch_line, advice="Add a line that stands next to them.")
    if where.last > count or where.line > count + 1:
        detail = f"the file has {count} lines, numbered from 0 to {count - 1}"
        return Problem("not_found", detail, patch_line=hunk.patch_line, line=count)
    return fit_gap(page, hunk, where.line - 1, where.last)


def _choose(page: Page, choices: list[Choice], problems: list[Problem]) -> list[tuple[Choice, int]]:
    """One place for each hunk. Several hunks stand in file order where that leaves one reading only."""
    if all(len(choice.climbed.firsts) == 1 for choice in choices):
        return [(choice, choice.climbed.firsts[0]) for choice in choices]
    first, last = _leftmost(choices), _rightmost(choices)
    if first is None or last is None:
        first = last = None
    for k, choice in enumerate(choices):
        several = choice.climbed.firsts if first is None or last is None else _between(choice, first[k], last[k])
        if len(several) > 1 and not _one_result(page, choice, several):
            problems.append(_ambiguous(page, choice, several))
    if first is None:
        return [(choice, choice.climbed.firsts[0]) for choice in choices]
    return list(zip(choices, first, strict=True))


def _leftmost(choices: list[Choice]) -> list[int] | None:
    """Every hunk as far up as those before it allow; None where they don't fit in order."""
    chosen = []
    floor = 0
    for choice in choices:
        found = next((first for first in choice.climbed.firsts if first >= floor), None)
        if found is None:
            return None
        chosen.append(found)
        floor = found + len(choice.climbed.wanted.keys)
    return chosen


def _rightmost(choices: list[Choice]) -> list[int] | None:
    """Every hunk as far down as those behind it allow."""
    chosen = []
    ceiling = -1
    for choice in reversed(choices):
        size = len(choice.climbed.wanted.keys)
        fitting = (first for first in reversed(choice.climbed.firsts) if ceiling < 0 or first + size <= ceiling)
        found = next(fitting, None)
        if found is None:
            return None
        chosen.append(found)
        ceiling = found
    return chosen[::-1]


def _between(choice: Choice, first: int, last: int) -> list[int]:
    return [row for row in choice.climbed.firsts if first <= row <= last]


def _one_result(page: Page, choice: Choice, several: list[int]) -> bool:
    """Whether all places give the same text, for formats to which that is one reading."""
    if not choice.hunk.rules.one_result or len(several) > _LISTED:
        return False
    results = set()
    for first in several:
        made = fit(page, choice.hunk, place(page, choice.climbed, first))
        if isinstance(made, Problem):
            return False
        lines = list(page.lines)
        for one in reversed(made):
            lines[one.splice.start : one.splice.end] = one.splice.lines
        results.add("\n".join(lines))
    return len(results) == 1


def _overlaps(fits: list[Fit], edit: Edit) -> list[Problem]:
    """Two hunks of an edit may meet, but not change the same line."""
    found = []
    for one, two in zip(fits, fits[1:], strict=False):
        if two.splice.start < one.splice.end:
            detail = f"two hunks change line {two.splice.start + 1}"
            found.append(Problem("overlap", detail, line=two.splice.start + 1, patch_line=edit.patch_line))
    return found


def _not_found(page: Page, hunk: Hunk) -> Problem:
    """Nothing fits: the nearest region, and whether the new text is there already."""
    near = nearest(page, hunk.old)
    detail = "the lines to look for don't stand there"
    if hunk.where.before or hunk.where.after:
        bare = climb(page, hunk._replace(where=hunk.where._replace(before=(), after=())))
        if bare is not None:
            rows = [first + 1 for first in bare.firsts[:_LISTED]]
            detail = f"the marker stands at line {_listed(rows)}, but not with the neighbours given"
            near = tuple(_region(page, row - 1, "what stands around it") for row in rows[:3])
    there = already_there(page, hunk.new) if hunk.new != hunk.old else 0
    advice = f"The new text already stands at line {there}: has this patch been applied before?" if there else ""
    line = near[0].line if near else 0
    return Problem("not_found", detail, patch_line=hunk.patch_line, line=line, advice=advice, near=near)


def _ambiguous(page: Page, choice: Choice, several: list[int]) -> Problem:
    rows = [first + 1 for first in several]
    near = tuple(_region(page, row - 1) for row in rows[:3])
    detail = f"it fits at {len(rows)} places: line {_listed(rows)} (compared by {choice.climbed.rung})"
    return Problem("ambiguous", detail, patch_line=choice.hunk.patch_line, line=rows[0], near=near)


def _region(page: Page, row: int, note: str = "") -> Near:
    """A row with a neighbour on either side."""
    start = max(row - 1, 0)
    return Near(start + 1, tuple(page.lines[start : row + 2]), note)


def _listed(rows: list[int]) -> str:
    shown = ", ".join(map(str, rows[:_LISTED]))
    return shown + (", …" if len(rows) > _LISTED else "")
