"""Alternatives: sketches of one file that state the same lines in different ways."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from .definitions import outermost, parse_sketch
from .edits import LineEdit, smallest
from .rules import Laid, Piece
from .source import SourceFile

_FEW_WHOLES = 10  # versions of a whole file in which parts of it are looked for
Change = tuple[int, int, tuple[str, ...]]  # rows from, to, and the lines that they become
Changes = dict[int, set[Change]]


def changes_of(source: SourceFile, edits: Iterable[LineEdit]) -> list[Change]:
    """Return the lines that edits really change."""
    return [(edit.start, edit.stop, tuple(edit.lines)) for edit in smallest(source.lines, edits)]


def find_alternatives(source: SourceFile, pieces: Sequence[Piece], laid: dict[int, Laid]) -> dict[int, list[Piece]]:
    """For each sketch, by its place in the answer, list the others that state the same lines in another way.

    A sketch has a span of rows for each edit. Two sketches are alternatives if their spans overlap and one changes a
    line there which the other doesn't change likewise, or if both add a definition of the same name. Imports and
    definitions that are only inserted at the same row aren't in each other's way.
    """
    sure = [piece for piece in pieces if piece.order in laid and not laid[piece.order].is_unsure(piece)]
    spans = [span for piece in sure for span in _spans(source, piece, laid[piece.order])]
    changes: Changes = {piece.order: set() for piece in sure}
    for span in spans:
        changes[span.piece.order].update(span.changes)
    wholes = {p.order: SourceFile(source.path, p.body) for p in sure if laid[p.order].rule == "file"}
    alternatives: dict[int, dict[int, Piece]] = {}
    for first, second in (*_overlapping(spans, changes), *_same_additions(source, pieces, laid, changes)):
        if not _is_repetition(first, second, changes, wholes):
            alternatives.setdefault(first.order, {})[second.order] = second
            alternatives.setdefault(second.order, {})[first.order] = first
    return {order: list(others.values()) for order, others in alternatives.items()}


class _Span(NamedTuple):
    """Rows that a sketch replaces, or an empty range where it inserts, and its changes there."""

    start: int
    stop: int
    changes: list[Change]
    piece: Piece

    def overlaps(self, other: _Span) -> bool:
        """Return True if both replace a row, or one inserts between rows that the other replaces."""
        if self.start == self.stop:
            return other.start < self.start < other.stop
        if other.start == other.stop:
            return self.start < other.start < self.stop
        return max(self.start, other.start) < min(self.stop, other.stop)

    def is_within(self, change: Change, other: _Span) -> bool:
        """Return True if a change of this span is in the other one, too; at its ends, if both have the same."""
        start, stop, _ = change
        if start < stop:
            return start < other.stop and stop > other.start
        at_start = start == other.start and self.start == other.start
        at_stop = start == other.stop and self.stop == other.stop
        return other.start < start < other.stop or at_start or at_stop


def _spans(source: SourceFile, piece: Piece, laid: Laid) -> list[_Span]:
    if laid.rule == "file":  # it also states that nothing is above and below
        return [_Span(-1, len(source.lines) + 1, changes_of(source, laid.edits), piece)]
    return [_Span(edit.start, edit.stop, changes_of(source, [edit]), piece) for edit in laid.edits]


def _overlapping(spans: list[_Span], changes: Changes) -> list[tuple[Piece, Piece]]:
    """Return the pairs of sketches whose spans overlap and differ there."""
    pairs: dict[tuple[int, int], tuple[Piece, Piece]] = {}
    active: list[_Span] = []
    for span in sorted(spans, key=lambda span: (span.start, span.stop)):
        active = [other for other in active if other.stop > span.start]
        for other in active:
            key = (other.piece.order, span.piece.order)
            if key not in pairs and key[::-1] not in pairs and _differ(span, other, changes):
                pairs[key] = (other.piece, span.piece)
        active.append(span)
    return list(pairs.values())


def _differ(first: _Span, second: _Span, changes: Changes) -> bool:
    """Return True if one of two sketches changes a line that the other one states otherwise."""
    if first.piece is second.piece or not first.overlaps(second):
        return False
    return any(
        change not in changes[other.piece.order] and span.is_within(change, other)
        for span, other in ((first, second), (second, first))
        for change in span.changes
    )


def _same_additions(
    source: SourceFile, pieces: Sequence[Piece], laid: dict[int, Laid], changes: Changes
) -> list[tuple[Piece, Piece]]:
    """Return the pairs of sketches that add the same definition; one without a place may define what others add."""
    adders: dict[tuple[str, ...], list[Piece]] = {}
    for piece in pieces:
        for parts in laid[piece.order].added if piece.order in laid else ():
            adders.setdefault(parts, []).append(piece)
    for piece in pieces if adders else ():
        if piece.order not in laid and piece.quote is None and not source.marks(piece.body):
            for part in outermost(parse_sketch(source.path, piece.body)):
                if part.parts in adders and not part.is_value:
                    adders[part.parts].append(piece)
    return [
        (first, second)
        for same in adders.values()
        for at, first in enumerate(same)
        for second in same[at + 1 :]
        if changes.get(first.order) != changes.get(second.order)
    ]


def _is_repetition(first: Piece, second: Piece, changes: Changes, wholes: dict[int, SourceFile]) -> bool:
    """Return True if one of two sketches changes nothing, or is part of the other, which is the whole file."""
    for piece, other in ((first, second), (second, first)):
        whole = wholes.get(piece.order) if len(wholes) <= _FEW_WHOLES else None
        if whole is not None and other.order not in wholes and whole.holds(other.body):
            return True
        if changes.get(piece.order) == set():
            return True
    return False
