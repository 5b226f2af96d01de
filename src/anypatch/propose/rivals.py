"""Alternatives: sketches of one file that state the same lines in different ways."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from .definitions import outermost, parse_sketch
from .edits import LineEdit, common_indent, shifted, smallest
from .laying import Laid, Piece, is_unsure
from .source import SourceFile

_FEW_WHOLES = 10  # versions of a whole file in which parts of it are looked for
Change = tuple[int, int, tuple[str, ...]]  # rows from, to, and the lines that they become


def changes_of(source: SourceFile, edits: Iterable[LineEdit]) -> list[Change]:
    """Return the lines that edits really change."""
    return [(edit.start, edit.stop, tuple(edit.lines)) for edit in smallest(source.lines, edits)]


def find_rivals(source: SourceFile, pieces: Sequence[Piece], laid: dict[int, Laid]) -> dict[int, list[Piece]]:
    """For each sketch, find the others that state the same lines otherwise, by its place in the answer.

    What a sketch replaces are its spans. Two sketches are rivals if their spans overlap and one changes a line there
    which the other doesn't change likewise, or if both add a definition of the same name. Imports and definitions that
    are only inserted at the same row aren't in each other's way.
    """
    return _Rivals(source, pieces, laid).find()


class _Span(NamedTuple):
    """Rows that a sketch replaces, or an empty range where it inserts, and its changes there."""

    start: int
    stop: int
    changes: list[Change]
    piece: Piece

    def overlaps(self, other: _Span) -> bool:
        """Return whether both replace a row, or one inserts between rows that the other replaces."""
        if self.start == self.stop:
            return other.start < self.start < other.stop
        if other.start == other.stop:
            return self.start < other.start < self.stop
        return max(self.start, other.start) < min(self.stop, other.stop)

    def is_within(self, change: Change, other: _Span) -> bool:
        """Return whether a change of this span is in the other one, too; at its ends, if both have the same."""
        start, stop, _ = change
        if start < stop:
            return start < other.stop and stop > other.start
        at_start = start == other.start and self.start == other.start
        at_stop = start == other.stop and self.stop == other.stop
        return other.start < start < other.stop or at_start or at_stop


class _Rivals:
    """The search for rivals among the sketches of one file."""

    def __init__(self, source: SourceFile, pieces: Sequence[Piece], laid: dict[int, Laid]) -> None:
        self.source = source
        self.pieces = pieces
        self.laid = laid
        self.rivals: dict[int, dict[int, Piece]] = {}
        self.changes: dict[int, set[Change]] = {}
        self.wholes: dict[int, SourceFile] = {}

    def find(self) -> dict[int, list[Piece]]:
        """Compare spans that overlap, by sorting them, and the names of new definitions."""
        active: list[_Span] = []
        for span in sorted(self._spans(), key=lambda span: (span.start, span.stop)):
            active = [other for other in active if other.stop > span.start]
            for other in active:
                if other.piece.order not in self.rivals.get(span.piece.order, ()) and self._differ(span, other):
                    self._note(span.piece, other.piece)
            active.append(span)
        for adders in self._adders().values():
            for at, first in enumerate(adders):
                for second in adders[at + 1 :]:
                    if self.changes.get(first.order) != self.changes.get(second.order):
                        self._note(first, second)
        return {order: list(others.values()) for order, others in self.rivals.items()}

    def _spans(self) -> list[_Span]:
        spans: list[_Span] = []
        for piece in self.pieces:
            laid = self.laid.get(piece.order)
            if laid is None or is_unsure(piece, laid):
                continue
            changes = self.changes.setdefault(piece.order, set())
            for edit in laid.edits:
                own = changes_of(self.source, [edit])
                changes.update(own)
                spans.append(_Span(edit.start, edit.stop, own, piece))
            if laid.rule == "file":  # it also states that nothing is above and below
                spans[-1] = _Span(-1, len(self.source.lines) + 1, spans[-1].changes, piece)
                self.wholes[piece.order] = SourceFile(self.source.path, piece.body)
        return spans

    def _adders(self) -> dict[tuple[str, ...], list[Piece]]:
        """Group the sketches by the definitions that they add; one that has no place may define what others add."""
        adders: dict[tuple[str, ...], list[Piece]] = {}
        for piece in self.pieces:
            for parts in self.laid[piece.order].added if piece.order in self.laid else ():
                adders.setdefault(parts, []).append(piece)
        if adders:
            for piece in self.pieces:
                if piece.order not in self.laid and piece.quote is None and not self.source.marks(piece.body):
                    code = shifted(piece.body, common_indent(piece.body), "")
                    for part in outermost(parse_sketch(self.source.path, code)):
                        if part.parts in adders and not part.is_value:
                            adders[part.parts].append(piece)
        return adders

    def _differ(self, first: _Span, second: _Span) -> bool:
        """Return whether one of two sketches changes a line that the other one states otherwise."""
        if first.piece is second.piece or not first.overlaps(second):
            return False
        return any(
            change not in self.changes[two.piece.order] and one.is_within(change, two)
            for one, two in ((first, second), (second, first))
            for change in one.changes
        )

    def _note(self, first: Piece, second: Piece) -> None:
        """Note two rivals, unless one changes nothing, or is part of the other, which is the whole file."""
        for one, two in ((first, second), (second, first)):
            whole = self.wholes.get(one.order) if len(self.wholes) <= _FEW_WHOLES else None
            is_part = whole is not None and two.order not in self.wholes and whole.holds(two.body)
            if is_part or self.changes.get(one.order) == set():
                return
        self.rivals.setdefault(first.order, {})[second.order] = second
        self.rivals.setdefault(second.order, {})[first.order] = first
