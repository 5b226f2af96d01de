"""Place the hunks of an edit together: one place for each, or everything that is in the way. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from ..model import Hunk, Note
from ..problems import Problem
from . import claims, explain, guards
from .claims import Candidates
from .locate import Context, PlacedHunk, at_place, locate
from .splices import splices_for

if TYPE_CHECKING:
    from ..text import Splice, Text
    from .search import Place


class Placement(NamedTuple):
    """What becomes of the hunks of an edit in one text.

    `missing`: the numbers of hunks that have no place in it, but may have one in the result of others. `final`: True if
    a line ending ends the file afterwards, None if that stays as it is.
    """

    placed: Sequence[PlacedHunk] = ()
    problems: Sequence[Problem] = ()
    notes: Sequence[Note] = ()
    missing: Sequence[int] = ()
    final: bool | None = None


def place(context: Context, hunks: Sequence[Hunk]) -> Placement:
    """Find a place for each hunk in the text, or everything that is in the way."""
    placed: dict[int, PlacedHunk] = {}
    ambiguous: dict[int, Candidates] = {}
    problems: list[Problem] = []
    notes: list[Note] = []
    missing: list[int] = []
    for number, hunk in enumerate(hunks):
        found = locate(context, hunk)
        if isinstance(found, PlacedHunk):
            placed[number] = found
        elif isinstance(found, Candidates):
            ambiguous[number] = found
        elif found is None:
            missing.append(number)
        elif isinstance(found, Note):
            notes.append(found)
        else:
            problems.append(found._replace(part=number))
    if ambiguous:
        for number, settled in _choose(context, placed, ambiguous):
            if isinstance(settled, Problem):
                problems.append(settled._replace(part=number))
            else:
                placed[number] = settled
    if problems:
        return Placement((), problems, notes, missing)
    return _combine(context, placed, notes, missing)


def _combine(context: Context, placed: dict[int, PlacedHunk], notes: list[Note], missing: list[int]) -> Placement:
    """Return the hunks in the order of the patch, each at its place, unless two of them overlap."""
    in_order = [placed[number] for number in sorted(placed)]
    if any(two.place.start < one.place.stop for one, two in pairwise(in_order)):
        problems = _narrow(context, placed)
        if problems:
            return Placement((), problems, notes, missing)
        in_order = [placed[number] for number in sorted(placed)]
        if any(two.start < one.start for one, two in pairwise(in_order)):
            notes.append(Note("the hunks are not in the file's order", context.path))
    final = None
    for one in in_order:
        if one.note is not None:
            notes.append(one.note)
        if one.hunk.claims.final_newline:
            final = one.hunk.claims.final_newline == "added"
    return Placement(in_order, (), notes, missing, final)


def _narrow(context: Context, placed: dict[int, PlacedHunk]) -> list[Problem]:
    """Let hunks that touch share the lines they keep; return the problems of those that change the same characters.

    Lines that two equal hunks add at one place are added once.
    """
    added: set[tuple[str, str, int]] = set()
    for number, one in list(placed.items()):
        hunk = one.hunk
        if hunk.signed and all(line[0] != "-" for line in hunk.signed):
            addition = (hunk.old, hunk.new, one.place.start)
            if addition in added:
                note = Note("the hunk appears twice; its lines are added once", context.path, hunk.patch_line)
                placed[number] = one._replace(splices=(), note=note)
                continue
            added.add(addition)
        if one.place.level == "exact" and not hunk.policy.replaces_range:
            splices = splices_for(context.text, hunk, one.place, narrow=True)
            placed[number] = one if splices is None else one._replace(splices=splices)
    problems = []
    for first, second in guards.overlapping({number: one.splices for number, one in placed.items()}):
        row = context.text.row_at(placed[second].splices[0].start)
        problem = explain.used_twice(placed[second].hunk, placed[first].hunk, row)
        problems.append(problem._replace(part=second))
    return problems


# ── hunks with several places ────────────────────────────────────────────────────────────────────


def _choose(
    context: Context, placed: Mapping[int, PlacedHunk], ambiguous: Mapping[int, Candidates]
) -> Iterator[tuple[int, PlacedHunk | Problem]]:
    """Yield each hunk that has several places at the one that the others leave, or why there isn't one."""
    text = context.text
    settled = {number: Candidates(text, one.hunk, [one.place]) for number, one in placed.items()}
    hunks = {**settled, **ambiguous}
    numbers = sorted(hunks)
    picks = claims.choose([hunks[number] for number in numbers], context.moved)
    for number, possible in zip(numbers, picks, strict=True):
        if number not in ambiguous:
            continue
        _, hunk, places, note = ambiguous[number]
        places = [places[pick] for pick in possible]
        if len(places) == 1 or (hunk.policy.equal_results and _give_same_text(text, hunk, places)):
            yield number, at_place(context, hunk, places[0], note)
        else:
            yield number, explain.several_places(text, hunk, places)


def _give_same_text(text: Text, hunk: Hunk, places: Sequence[Place]) -> bool:
    """Return True if a hunk gives the same text at all of these places: `-}` in `}}}`."""
    one = splices_for(text, hunk, places[0], narrow=True)
    for place in places[1:]:
        two = splices_for(text, hunk, place, narrow=True)
        if one is None or two is None or not _are_equal(text.body, one, two):
            return False
        one = two
    return True


def _are_equal(body: str, one: Sequence[Splice], two: Sequence[Splice]) -> bool:
    low = min((splice.start for splice in (*one, *two)), default=0)
    high = max((splice.stop for splice in (*one, *two)), default=0)
    return _spliced(body, one, low, high) == _spliced(body, two, low, high)


def _spliced(body: str, splices: Sequence[Splice], low: int, high: int) -> str:
    pieces: list[str] = []
    for splice in splices:
        pieces += (body[low : splice.start], splice.new)
        low = splice.stop
    return "".join([*pieces, body[low:high]])
