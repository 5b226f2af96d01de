"""Lay one sketch over one file, by the first rule that fits."""

from __future__ import annotations

from typing import NamedTuple

from ..hints import ProposalRule as Rule
from ..model import Sketch
from .edits import LineEdit, Unplaced
from .file import dropped_symbols, is_whole_file
from .labels import Label
from .lines import replace_quote
from .overlay import overlay_edits
from .source import SourceFile
from .symbol import lay_symbols


class Piece(NamedTuple):
    """A sketch of one file: its place in the answer, its code, and the quote above it that it replaces, if any."""

    order: int
    sketch: Sketch
    label: Label
    body: list[str]
    quote: Piece | None = None


class Laid(NamedTuple):
    """A sketch laid over a file. `added` holds the paths of definitions that it adds."""

    rule: Rule
    edits: list[LineEdit]
    names: tuple[str, ...] = ()
    unplaced: tuple[str, ...] = ()
    added: frozenset[tuple[str, ...]] = frozenset()


def lay(source: SourceFile, piece: Piece) -> Laid:
    """Lay a sketch over a file by the first rule that fits; raise `Unplaced` if none does."""
    body = piece.body
    if piece.quote is not None:
        return Laid("lines", [replace_quote(source, piece.quote.body, body)])
    marks = source.marks(body)
    if marks:
        return Laid("overlay", overlay_edits(source, body, marks))
    if is_whole_file(source, body):
        whole = LineEdit(0, len(source.lines), body)
        return Laid("file", [whole], tuple(dropped_symbols(source, body)))
    symbols = lay_symbols(source, body, piece.sketch.above)
    if symbols is not None:
        return Laid("symbol", symbols.edits, tuple(symbols.kept), tuple(symbols.unplaced), symbols.added)
    raise Unplaced("it has no function, class or mark to place it by, and isn't a version of the whole file")


def is_unsure(piece: Piece, laid: Laid) -> bool:
    """Return whether a whole file is labelled with the tail of a path: it may as well be a new file."""
    return laid.rule == "file" and piece.label.written != piece.label.path
