"""Alternatives: sketches of one file that state the same lines in different ways."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import combinations

from .definitions import outermost, parse_sketch
from .edits import LineEdit, smallest
from .rules import Laid, Piece
from .source import SourceFile

Change = tuple[int, int, tuple[str, ...]]  # rows from, to, and the lines that they become


def changes_of(source: SourceFile, edits: Iterable[LineEdit]) -> list[Change]:
    """Return the lines that edits really change."""
    return [(edit.start, edit.stop, tuple(edit.lines)) for edit in smallest(source.lines, edits)]


def find_alternatives(source: SourceFile, pieces: Sequence[Piece], laid: dict[int, Laid]) -> dict[int, list[Piece]]:
    """For each sketch, by its place in the answer, list the others that state the same lines in another way.

    Two sketches are alternatives if they replace the same rows, or add a definition of the same name, and each makes a
    change that the other doesn't. Imports and definitions that are only inserted aren't in each other's way.
    """
    sure = {piece.order: piece for piece in pieces if piece.order in laid and not laid[piece.order].is_unsure(piece)}
    changes = {order: set(changes_of(source, laid[order].edits)) for order in sure}
    alternatives: dict[int, list[Piece]] = {}
    for first, second in sorted(_overlapping(source, laid, list(sure)) | _adding_alike(laid, list(sure))):
        if not (changes[first] <= changes[second] or changes[second] <= changes[first]):
            alternatives.setdefault(first, []).append(sure[second])
            alternatives.setdefault(second, []).append(sure[first])
    for piece in pieces:
        if piece.order not in laid and (others := _adding_what_it_defines(source, piece, list(sure.values()), laid)):
            alternatives[piece.order] = others
            for other in others:
                alternatives.setdefault(other.order, []).append(piece)
    return alternatives


def _overlapping(source: SourceFile, laid: dict[int, Laid], orders: list[int]) -> set[tuple[int, int]]:
    """Return the pairs that both replace a row, or of which one inserts between rows that the other replaces."""
    everything = (-1, len(source.lines) + 1)  # a whole file also states that nothing is above and below
    spans = []
    for order in orders:
        edits = laid[order].edits
        spans += [(*(everything if laid[order].rule == "file" else edit[:2]), order) for edit in edits]
    pairs: set[tuple[int, int]] = set()
    active: list[tuple[int, int, int]] = []
    for start, stop, order in sorted(spans):
        active = [other for other in active if other[1] > start]
        pairs.update((min(order, other), max(order, other)) for first, _, other in active if first < stop)
        active.append((start, stop, order))
    return {pair for pair in pairs if pair[0] != pair[1]}


def _adding_alike(laid: dict[int, Laid], orders: list[int]) -> set[tuple[int, int]]:
    """Return the pairs that add a definition of the same name."""
    adders: dict[tuple[str, ...], list[int]] = {}
    for order in orders:
        for parts in laid[order].added:
            adders.setdefault(parts, []).append(order)
    return {pair for same in adders.values() for pair in combinations(same, 2)}


def _adding_what_it_defines(source: SourceFile, piece: Piece, sure: list[Piece], laid: dict[int, Laid]) -> list[Piece]:
    """Return the sketches that add a definition which another one, without a place in the file, has as well."""
    adders = [other for other in sure if laid[other.order].added]
    if not adders or piece.quote is not None or source.marks(piece.body):
        return []
    names = {part.parts for part in outermost(parse_sketch(source.path, piece.body)) if not part.is_value}
    return [other for other in adders if not laid[other.order].added.isdisjoint(names)]
