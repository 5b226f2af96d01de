"""The closed list of rules by which a sketch becomes a proposal, and the two short ones: `file` and `lines`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from ..diff import opcodes
from ..hints import ProposalRule
from ..model import Sketch
from .definitions import outermost, parse, parse_sketch
from .edits import LineEdit, Unplaced, common_indent, has_word, shifted, without_blank_ends
from .overlay import overlay_edits
from .source import SourceFile, word_keys
from .symbol import lay_symbols
from .target import Target


class RuleRow(NamedTuple):
    """One rule: when a fence is that, what it becomes, and how often that was right for real and for retold changes."""

    name: ProposalRule
    when: str
    becomes: str
    real: str
    retold: str


# The figures are what `bench/proposals.py` counts: answers of which all proposals were accepted.
RULES = (
    RuleRow(
        "file",
        "It has a label of its own and the file doesn't exist; or it holds at least half of the file's lines.",
        "the file is created or rewritten; symbols that it drops are named",
        "44 of 46",
        "55 of 55",
    ),
    RuleRow(
        "lines",
        "Its lines are in the file once, and the next fence shares a line or a defined name with it.",
        "the first gives way to the second",
        "-",
        "17 of 17",
    ),
    RuleRow(
        "symbol",
        "It defines functions or classes of which at least one is in the file once.",
        "those definitions, at their own indentation; a class member by member: members, bases and decorators that "
        "aren't shown stay; new ones beside their neighbours; missing imports",
        "0 of 2",
        "94 of 94",
    ),
    RuleRow(
        "overlay",
        "It has marks for left-out code, and the first and last lines of each part are in the file once, in order.",
        "the parts; a header around marks stays",
        "-",
        "102 of 104",
    ),
)


class Piece(NamedTuple):
    """A sketch of one file: its place in the answer, its code, and the quote above it that it replaces, if any."""

    order: int
    sketch: Sketch
    target: Target
    body: list[str]
    quote: Piece | None = None


class Laid(NamedTuple):
    """A sketch laid over a file.

    `names` holds the symbols that the proposal has to name, `unplaced` the lines without a place, `added` the paths of
    new definitions.
    """

    rule: ProposalRule
    edits: list[LineEdit]
    names: tuple[str, ...] = ()
    unplaced: tuple[str, ...] = ()
    added: frozenset[tuple[str, ...]] = frozenset()

    def is_unsure(self, piece: Piece) -> bool:
        """Return True if a whole file is labelled with the tail of a path: it may as well be a new file."""
        return self.rule == "file" and piece.target.written != piece.target.path


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


# ── rule `file` ──────────────────────────────────────────────────────────────────────────────────


def is_whole_file(source: SourceFile, body: Sequence[str]) -> bool:
    """Return True if a sketch is a new version of the file: it holds half of its lines, from top to bottom.

    Lines are compared by their words, so a file with other quotes or without semicolons holds all of them. A function
    of a short file may hold half of its lines, too. But it has nothing for what is above and below it: where the sketch
    has fewer than half as many lines above the first common one, or below the last, it isn't the file.
    """
    old, new = source.worded, word_keys(body)
    if not old or not new:
        return not any(source.keys)
    if 2 * (Counter(old) & Counter(new)).total() < len(old):
        return False
    changes = opcodes(old, new)
    if 2 * sum(stop - start for start, stop, _, _ in changes) > len(old):
        return False
    ends = [change for change in changes if change[0] == 0 or change[1] == len(old)]
    return all(2 * (last - first) >= stop - start for start, stop, first, last in ends)


def dropped_symbols(source: SourceFile, body: Sequence[str]) -> list[str]:
    """Name the functions and classes of a file that a new version of it no longer defines."""
    kept = {definition.parts for definition in parse(source.path, body)}
    lost = (known for known in source.definitions if not known.is_value and known.parts not in kept)
    return list(dict.fromkeys(".".join(known.parts) for known in lost))


# ── rule `lines` ─────────────────────────────────────────────────────────────────────────────────


def replace_quote(source: SourceFile, quote: Sequence[str], body: Sequence[str]) -> LineEdit:
    """Return the edit that replaces the only place of a quote."""
    places = source.places(quote)
    if len(places) != 1:
        raise Unplaced("the lines to replace are in the file more than once")
    start, stop = places[0]
    new = shifted(without_blank_ends(body), common_indent(quote), common_indent(source.lines[start:stop]))
    return LineEdit(start, stop, new)


def is_new_version(source: SourceFile, quote: Sequence[str], body: Sequence[str]) -> bool:
    """Return True if a fence below a quote of the file is its new version: they share a line or a defined name.

    A quote followed by an example of use, or by output, shares neither. Another function of the file may share a line,
    such as `try:`, and the whole file shares all of them, but these have a place of their own.
    """
    old, new = outermost(parse_sketch(source.path, quote)), outermost(parse_sketch(source.path, body))
    names = {part.name for part in old}
    if any(part.name in source.named and part.name not in names and not part.is_value for part in new):
        return False
    if is_whole_file(source, body) and not is_whole_file(source, quote):
        return False
    lines = {line.strip() for line in quote if has_word(line)}
    return any(part.name in names for part in new) or any(line.strip() in lines for line in body)
