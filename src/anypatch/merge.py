"""Merge two changes of one text, line by line. Pure.

    base: a b c d e    ours: a B c d e    theirs: a b c d E    merged: a B c d E

Changes on both sides stay if at least one line that neither changed lies between them. The same change on both sides is
made once. Everything else is a conflict, which is returned as data: no text ever holds a conflict marker.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import Generic, NamedTuple, TypeVar

from .diff import Range, compact, opcodes

Line = TypeVar("Line", bound=Hashable)


class Conflict(NamedTuple):
    """Lines that both sides changed, in different ways. Rows count from 0, and ends are exclusive."""

    base: tuple[int, int]
    ours: tuple[int, int]
    theirs: tuple[int, int]


class Merged(NamedTuple, Generic[Line]):
    """The merged lines, and the conflicts; in their places the lines are theirs. `theirs`: what these changed."""

    lines: list[Line]
    conflicts: tuple[Conflict, ...]
    theirs: tuple[Range, ...]


Resolve = Callable[[Conflict], Sequence[Line] | None]  # returns the merged lines of a conflict, or None
Parts = Callable[[int, list[Line], list[Line]], bool]  # given the row of base between two changes


_Change = tuple[Range, int]  # of ours (0) or theirs (1)


def merge(
    base: Sequence[Line],
    ours: Sequence[Line],
    theirs: Sequence[Line],
    resolve: Resolve[Line] | None = None,
    parts: Parts[Line] | None = None,
) -> Merged[Line]:
    """Merge what `ours` and `theirs` changed in `base`. `resolve` is asked about each conflict.

    `parts` tells whether two changes that touch are apart nevertheless, each one given as its old and new lines.
    """
    our_changes, their_changes = _settled(base, ours), _settled(base, theirs)

    def apart(above: _Change, below: _Change) -> bool:
        """Return True if two changes that touch, of both sides, are apart; two insertions are in one place."""
        if not parts or above[0][:2] == below[0][:2]:
            return False
        first, second = ([*base[a:b], *(theirs if side else ours)[c:d]] for (a, b, c, d), side in (above, below))
        return parts(below[0][0], first, second)

    lines: list[Line] = []
    conflicts: list[Conflict] = []
    done = 0  # rows of base that are merged
    for mine, yours in _groups(our_changes, their_changes, apart):
        start, end = min(change[0] for change in mine + yours), max(change[1] for change in mine + yours)
        lines += base[done:start]
        done = end
        conflict = Conflict((start, end), _side(mine, start, end), _side(yours, start, end))
        new, other = ours[slice(*conflict.ours)], theirs[slice(*conflict.theirs)]
        if not mine or not yours or list(new) == list(other):
            lines += new if mine else other
            continue
        resolved = resolve(conflict) if resolve else None
        if resolved is None:
            conflicts.append(conflict)
        lines += other if resolved is None else resolved
    return Merged([*lines, *base[done:]], tuple(conflicts), tuple(their_changes))


def _groups(
    ours: list[Range], theirs: list[Range], apart: Callable[[_Change, _Change], bool]
) -> list[tuple[list[Range], list[Range]]]:
    """Return the changes of both sides in order; those without an unchanged line between them are together."""
    ordered = sorted([(change, 0) for change in ours] + [(change, 1) for change in theirs])
    groups: list[tuple[list[Range], list[Range]]] = []
    last: _Change = ((-1, -1, -1, -1), 0)  # the one that goes farthest
    for change, side in ordered:
        reached = last[0][1]
        if change[0] > reached or (change[0] == reached and apart(last, (change, side))):
            groups.append(([], []))
        groups[-1][side].append(change)
        if change[1] >= reached:
            last = (change, side)
    return groups


def _side(changes: list[Range], start: int, end: int) -> tuple[int, int]:
    """Return the rows that rows of base are on a side which has these changes among them; (0, 0) without any."""
    if not changes:
        return 0, 0
    first, last = changes[0], changes[-1]
    return first[2] - (first[0] - start), last[3] + (end - last[1])


def _settled(base: Sequence[Line], side: Sequence[Line]) -> list[Range]:
    """Return the changes of a side, in as few places as can be and each as far down as it can be.

    A function and a blank line may be added above or below another blank line. Whichever a diff shows, both sides must
    be compared in the same way: else changes seem to touch that don't, or a block that both sides added is doubled.
    """
    settled: list[Range] = []
    end = (len(base), len(base), len(side), len(side))
    for change in reversed(compact(opcodes(base, side), base, side)):
        settled.append(_lowered(change, settled[-1] if settled else end, base, side))
    return settled[::-1]


def _lowered(change: Range, below: Range, base: Sequence[Line], side: Sequence[Line]) -> Range:
    """Return an insertion or a deletion as far down as the change below leaves room."""
    start, end, first, last = change
    if start < end and first < last:
        return change
    lines, low, high, limit = (base, start, end, below[0]) if start < end else (side, first, last, below[2])
    steps = 0
    while high + steps < limit and lines[low + steps] == lines[high + steps]:
        steps += 1
    return start + steps, end + steps, first + steps, last + steps
