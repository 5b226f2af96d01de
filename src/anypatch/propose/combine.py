"""Combine all sketches of one file.

Each is laid over the file as it is in the tree, so that alternatives show, and then proposed on top of those before it.
A sketch that has no place in the file of the tree is laid over the result so far.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import combinations

from ..answer.marks import says_left_out
from ..model import Proposal, Unused
from .definitions import outermost, parse_sketch
from .edits import LineEdit, Unplaced, apply_edits, smallest
from .rules import Laid, Piece, is_new_version, lay
from .source import SourceFile

_MOST_RELAID = 40  # sketches of one file that are laid over the result of others; each indexes that result again

Change = tuple[int, int, tuple[str, ...]]  # rows from, to, and the lines that they become
Results = dict[int, Proposal | Unused]


def propose_file(path: str, pieces: Sequence[Piece], lines: Sequence[str] | None) -> Results:
    """Return the proposals of all sketches of one file, by their places in the answer."""
    return _Combination(path, lines).run(pieces)


class _Combination:
    """The sketches of one file, the proposals so far, and the file's lines after them."""

    def __init__(self, path: str, lines: Sequence[str] | None) -> None:
        self.path = path
        self.source = SourceFile(path, lines) if lines is not None else None
        self.current: tuple[str, ...] | None = tuple(lines) if lines is not None else None
        self.applied: dict[Change, None] = {}  # as rows of the file in the tree
        self.is_mapped = True  # `applied` has all changes so far
        self.relaid = 0
        self.results: Results = {}

    def run(self, pieces: Sequence[Piece]) -> Results:
        """Lay all sketches, and propose them in order."""
        if self.source is None:
            for piece in self._create(pieces):
                self._lay_over_result(piece, "there is no such file")
            return self.results
        pieces = self._without_quotes(self.source, pieces)
        laid: dict[int, Laid] = {}
        reasons: dict[int, str] = {}
        for piece in pieces:
            try:
                laid[piece.order] = lay(self.source, piece)
            except Unplaced as reason:
                reasons[piece.order] = str(reason)
        alternatives = find_alternatives(self.source, pieces, laid) if len(pieces) > 1 else {}
        for piece in pieces:
            others = alternatives.get(piece.order, [])
            if piece.order in laid:
                self._propose(self.source, piece, laid[piece.order], others)
            elif others:
                self._lay_over_alternative(self.source, piece, laid[others[0].order], others)
            else:
                self._lay_over_result(piece, reasons[piece.order])
        return self.results

    # ── quotes ─────────────────────────────────────────────────────────────────────────────────────

    def _without_quotes(self, source: SourceFile, pieces: Sequence[Piece]) -> list[Piece]:
        """Set quotes of the file aside, and join a quote with the fence after it if that is its new version.

        If it is the new version that the file has, the change was made before.
        """
        counts = [len(source.places(piece.body)) for piece in pieces]
        rest: list[Piece] = []
        old: Piece | None = None  # the fence before, if this one is its new version
        for at, piece in enumerate(pieces):
            after = pieces[at + 1] if at + 1 < len(pieces) else None
            is_old = (
                after is not None and {counts[at], counts[at + 1]} == {0, 1} and self._is_pair(source, piece, after)
            )
            if old is not None and not counts[at]:
                rest.append(piece._replace(quote=old))
            elif is_old and not counts[at]:
                self._unused(piece, f"The next fence is its new version, and {self.path} has that already.")
            elif is_old:
                self._unused(piece, f"It is in {self.path} as it is: the next fence replaces it.")
            elif counts[at] and source.holds(piece.body):
                self._unused(piece, f"It is in {self.path} as it is: a quote.")
            else:
                rest.append(piece)
            old = piece if is_old else None
        return rest

    @staticmethod
    def _is_pair(source: SourceFile, first: Piece, second: Piece) -> bool:
        """Return True if a fence right below another one is its new version."""
        return (
            second.order == first.order + 1
            and not second.sketch.previous
            and not source.marks(second.body)
            and is_new_version(source, first.body, second.body)
        )

    def _unused(self, piece: Piece, reason: str) -> None:
        self.results[piece.order] = Unused(piece.sketch.block, reason, self.path)

    # ── a new file ─────────────────────────────────────────────────────────────────────────────────

    def _create(self, pieces: Sequence[Piece]) -> list[Piece]:
        """Create the file by the first fence that is labelled with it; return the fences that aren't versions of it."""
        first = next((piece for piece in pieces if _can_create(piece)), None)
        if first is None:
            return list(pieces)
        versions, rest = [first], list[Piece]()
        for piece in pieces:
            if piece is not first and piece.body == first.body:
                self._unused(piece, "It is the same as a fence above.")
            elif piece is not first:
                (versions if piece.order > first.order and _can_create(piece) else rest).append(piece)
        for piece in versions:
            self._add(piece, Laid("file", []), piece.body, _blocks(other for other in versions if other is not piece))
        return rest

    # ── proposals ──────────────────────────────────────────────────────────────────────────────────

    def _propose(self, source: SourceFile, piece: Piece, laid: Laid, others: Sequence[Piece]) -> None:
        """Propose the changes of a sketch to the file in the tree, without those that sketches before it make."""
        changes = changes_of(source, laid.edits)
        more = [change for change in changes if change not in self.applied]
        if not more:
            reason = "fences above make its changes" if changes else "a quote"
            self._unused(piece, f"It changes nothing in {self.path}: {reason}.")
        elif laid.is_unsure(piece):
            self._add(piece, laid, apply_edits(source.lines, laid.edits), (piece.sketch.block,))
        elif not self.is_mapped:
            self._lay_over_result(piece, "a fence above changes the same lines")
        else:
            edits = [LineEdit(start, stop, list(new)) for start, stop, new in [*self.applied, *more]]
            self._add(piece, laid, apply_edits(source.lines, edits), _blocks(others))
            if not others:
                self.applied.update(dict.fromkeys(more))

    def _add(self, piece: Piece, laid: Laid, after: Sequence[str], blocks: tuple[int, ...]) -> None:
        """Add a proposal; without alternatives, later ones begin with its result."""
        quote = piece.quote.sketch.block if piece.quote else -1
        new, block = tuple(after), piece.sketch.block
        self.results[piece.order] = Proposal(
            laid.rule, self.path, self.current, new, block, quote, laid.names, laid.unplaced, blocks
        )
        if not blocks:
            self.current = new

    def _lay_over_result(self, piece: Piece, reason: str) -> None:
        """Lay a sketch that has no place in the file of the tree over the result of those before it."""
        if self.current is None or (self.source and self.current == tuple(self.source.lines)):
            self._refuse(piece, reason)
            return
        if self.relaid >= _MOST_RELAID:
            self._refuse(piece, "too many fences above it build on each other")
            return
        self.relaid += 1
        result = SourceFile(self.path, self.current)
        try:
            laid = Laid("file", []) if result.holds(piece.body) else lay(result, piece)
        except Unplaced as error:
            self._refuse(piece, reason if self.source else str(error))
            return
        after = apply_edits(result.lines, laid.edits)
        if after == result.lines:
            self._unused(piece, f"It changes nothing in {self.path}: fences above make its changes.")
            return
        self._add(piece, laid, after, ())
        self.is_mapped = False

    def _lay_over_alternative(self, source: SourceFile, piece: Piece, base: Laid, others: Sequence[Piece]) -> None:
        """Propose another version of a definition that an alternative adds."""
        result = SourceFile(self.path, apply_edits(source.lines, base.edits))
        try:
            laid = lay(result, piece)
        except Unplaced as reason:
            self._refuse(piece, str(reason))
            return
        self._add(piece, laid, apply_edits(result.lines, laid.edits), _blocks(others))

    def _refuse(self, piece: Piece, reason: str) -> None:
        """Say why a sketch isn't used. One that is labelled with the tail of a path may be a new file."""
        if piece.target.written != self.path and _can_create(piece):
            block, path = piece.sketch.block, piece.target.written
            self.results[piece.order] = Proposal("file", path, None, tuple(piece.body), block, alternatives=(block,))
        else:
            self._unused(piece, f"It has no place in {self.path}: {reason}.")


def _can_create(piece: Piece) -> bool:
    """Return True if a fence has a label of its own, and no mark for code that can't be there."""
    return piece.target.own and not any(says_left_out(line) for line in piece.body)


def _blocks(pieces: Iterable[Piece]) -> tuple[int, ...]:
    return tuple(sorted(piece.sketch.block for piece in pieces))


# ── alternatives: sketches that state the same lines in different ways ─────────────────────────────


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
