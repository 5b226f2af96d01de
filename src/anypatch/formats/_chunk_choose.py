"""Chooses the CHUNK operations that say an update: the plainest for each change, each in one place. Touches no file.

Blank lines don't count when a marker is looked for, so a marker begins and ends in a line of text. What makes it
unique stands in `before` and `after`: there it needn't be said again in the payload.
"""

from __future__ import annotations

from ..record import NamedTuple
from ..text import BLANK, indent_of
from ._chunk_blocks import blocks
from ._context import Rows, joined, least
from ._say import Piece

_NEAR = 2  # changes with so few lines between them are one operation


class Said(NamedTuple):
    """One operation: its name, the lines to find, the lines around them that make it unique, the new lines.

    `aligned`: marker and payload are written without the indentation that they share.
    """

    op: str
    marker: list[str]
    payload: list[str]
    before: list[str]
    after: list[str]
    aligned: bool = False


class Draft:
    """The file on its way, as far as uniqueness needs it: its lines of text as letters, changes so far included.

    Rows count in the file before. `index[row]`: how many lines of text stand above it there; `shift`: how many more
    there are now. Rows above `low` have changed already.
    """

    __slots__ = ("index", "letters", "lines", "low", "shift", "signs")

    def __init__(self, lines: list[str]) -> None:
        self.lines = lines
        self.letters = Rows([line for line in lines if _is_text(line)])
        self.index = [0]
        for line in lines:
            self.index.append(self.index[-1] + _is_text(line))
        self.shift = self.low = 0
        self.signs = "".join({line[0] for line in lines if line[:1] in ("\t", " ") and _is_text(line)})

    def around(self, start: int, end: int) -> tuple[list[str], list[str]] | None:
        """The fewest lines of text above and below rows start..end that leave one place; None where none do."""
        at = (self.index[start] + self.shift, self.index[end] + self.shift)
        bounds = (self.index[self.low] + self.shift, self.index[-1] + self.shift)
        top, bottom = least(self.letters.alone, at, bounds)
        if not self.letters.alone(top, bottom):
            return None
        first, last = start, end
        while self.index[start] - self.index[first] < at[0] - top:
            first -= 1
        while self.index[last] - self.index[end] < bottom - at[1]:
            last += 1
        above, below = self.lines[first:start], self.lines[end:last]
        return [line for line in above if _is_text(line)], [line for line in below if _is_text(line)]

    def done(self, start: int, end: int, new: list[str]) -> None:
        """Rows start..end have become new lines."""
        low, high = self.index[start] + self.shift, self.index[end] + self.shift
        texts = [line for line in new if _is_text(line)]
        self.letters.splice(low, high, texts)
        self.shift += len(texts) - (high - low)
        self.low = end


def chosen(path: str, lines: list[str], found: list[Piece]) -> list[Said] | None:
    """The operations in the order of the file; None where a change has no place of its own."""
    draft = Draft(lines)
    made: list[Said] = []
    pieces = joined(found, lines, _NEAR) if len(found) > 1 else found
    held = blocks(path, lines, pieces)
    ends = [*(piece.start for piece in pieces[1:]), len(lines)][: len(pieces)]
    for piece, high in zip(pieces, ends, strict=True):
        if piece.start < draft.low:
            continue  # a whole block held it
        block = held.get(piece.start)
        if block is not None and block.piece.start >= draft.low:
            said, changed = _block(draft, block.op, block.piece), block.piece
        else:
            said, changed = _text(draft, piece, high)
        if said is None:
            return None
        made.append(said)
        draft.done(*changed)
    return made


def _block(draft: Draft, op: str, piece: Piece) -> Said | None:
    """A block by its header."""
    around = draft.around(piece.start, piece.start + 1)
    return None if around is None else _aligned(Said(op, [draft.lines[piece.start]], piece.new, *around), draft.signs)


def _text(draft: Draft, piece: Piece, high: int) -> tuple[Said | None, Piece]:
    """The plainest operation on text, and what it changes: an end of the file, lines in or out, lines for lines."""
    lines = draft.lines
    if piece.start == piece.end and doubles(lines, piece):
        return None, piece
    if piece.start == piece.end == len(lines):
        return Said("append_text", [], piece.new, [], []), piece
    if piece.end == 0:
        return Said("prepend_text", [], piece.new, [], []), piece
    slid = _slides(lines, piece, draft.low, high)
    if piece.start == piece.end:
        tried = [(said, one) for one in slid for said in _inserts(draft, one, high)]
        if tried:
            return min(tried, key=lambda pair: _weight(pair[0]))
    if not piece.new:
        for one in slid:
            if _is_text(lines[one.start]) and _is_text(lines[one.end - 1]):
                around = draft.around(one.start, one.end)
                if around is not None:
                    return _aligned(Said("delete_text", lines[one.start : one.end], [], *around), draft.signs), one
    wider = _to_text(lines, piece, draft.low, high)
    around = draft.around(wider.start, wider.end) if wider is not None else None
    if wider is None or around is None:
        return None, piece
    said = Said("replace_text", lines[wider.start : wider.end], wider.new, *around)
    return _aligned(said, draft.signs), wider


def doubles(lines: list[str], piece: Piece) -> bool:
    """Whether new lines stand right there already: to insert them would look as if that had been done before."""
    start, _, new = piece
    bare = [line.strip(BLANK) for line in new]
    sides = (lines[max(start - len(new), 0) : start], lines[start : start + len(new)])
    return bare in ([line.strip(BLANK) for line in side] for side in sides)


def _weight(said: Said) -> tuple[int, bool]:
    """How much a reader has to read beside the new lines; at its end a blank line is easily overlooked."""
    return len(said.marker) + len(said.before) + len(said.after), not _is_text(said.payload[-1])


def _slides(lines: list[str], piece: Piece, low: int, high: int) -> list[Piece]:
    """The same change at all places where it may as well be said to be: lines that come or go beside their equals."""
    start, end, new = piece
    if start < end and new:
        return [piece]
    ring = new or lines[start:end]
    found = [piece]
    at, turned = start, list(ring)
    while at > low and lines[at - 1] == turned[-1] and start - at < len(ring):
        at, turned = at - 1, [turned[-1], *turned[:-1]]
        found.append(Piece(at, at + end - start, turned if new else []))
    at, turned = start, list(ring)
    while at + end - start < high and lines[at + end - start] == turned[0] and at - start < len(ring):
        at, turned = at + 1, [*turned[1:], turned[0]]
        found.append(Piece(at, at + end - start, turned if new else []))
    return found


def _inserts(draft: Draft, piece: Piece, high: int) -> list[Said]:
    """New lines behind the line above them, and before the one below: where it is text, and not their own echo."""
    made: list[Said] = []
    for op, row in (("insert_after_text", piece.start - 1), ("insert_before_text", piece.start)):
        if not draft.low <= row < high or not _is_text(draft.lines[row]):
            continue
        texts = [line.strip(BLANK) for line in piece.new if _is_text(line)]
        edge = texts[:1] if op == "insert_after_text" else texts[-1:]
        around = draft.around(row, row + 1) if edge != [draft.lines[row].strip(BLANK)] and texts else None
        if around is not None:
            made.append(_aligned(Said(op, [draft.lines[row]], piece.new, *around), draft.signs))
    return made


def _to_text(lines: list[str], piece: Piece, low: int, high: int) -> Piece | None:
    """The piece grown until it begins and ends in lines of text; None where there are none."""
    start, end, new = piece
    while start == end or not _is_text(lines[start]):
        if start == low:
            if start < end or end == high:
                return None
            end, new = end + 1, [*new, lines[end]]
            continue
        start, new = start - 1, [lines[start - 1], *new]
    while not _is_text(lines[end - 1]):
        if end == high:
            return None
        end, new = end + 1, [*new, lines[end]]
    return Piece(start, end, new)


def _aligned(said: Said, signs: str) -> Said:
    """The operation without the indentation of the marker's first line, if all of its lines begin with that.

    Not where new lines are indented otherwise than the file is, `signs` (tabs, spaces): a reader would translate them.
    """
    indent = indent_of(said.marker[0])
    if not all(line.startswith(indent) for line in (*said.marker, *said.payload) if _is_text(line)):
        return said
    marker, payload = (
        [line[len(indent) :] if _is_text(line) else line for line in lines] for lines in (said.marker, said.payload)
    )
    if len(signs) == 1 and not {sign for line in (*marker, *payload) for sign in indent_of(line)} <= {signs}:
        return said
    return said._replace(marker=marker, payload=payload, aligned=True)


def _is_text(line: str) -> bool:
    return bool(line.strip(BLANK))
