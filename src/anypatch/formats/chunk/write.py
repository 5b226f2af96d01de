"""Chooses the CHUNK operations that say an update: the plainest for each change, each in one place. Touches no file.

Blank lines don't count when a marker is looked for, so a marker begins and ends in a line of text. What makes it
unique stands in `before` and `after`: there it needn't be said again in the payload.
"""

from __future__ import annotations

from ...author.describe import Piece, Rows, check_sayable, joined, least, lines_of, pieces, refuse, unsayable
from ...diff import opcodes
from ...model import Delete, Edit, FileChange, Hunk, Op, Write
from ...record import NamedTuple
from ...text import BLANK, decode, indent_of, majority
from .blocks import blocks

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection


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


# ── chunk write ─────────────────────────────────────────────────────────────────────────────────────


_NAME = "chunk"


def render(changes: tuple[FileChange, ...], wide: Collection[str] = ()) -> str:
    """The changes as one document."""
    parts = ["operations:"]
    for change in changes:
        check_sayable(change, _NAME)
        parts += _change(change, change.path in wide)
    return "\n".join(parts) + "\n" if changes else "operations: []\n"


def _change(change: FileChange, wide: bool) -> list[str]:
    if change.after is None:
        return _operation(change.path, Said("delete_file", [], [], [], []))
    if change.before is not None:
        found = pieces(change)
        # A CR at a line's end would be read as part of its line end.
        loose = found is None or any(line.endswith("\r") for piece in found for line in piece.new)
        made = None if found is None or loose else _edits(change, found, wide)
        if made is not None:
            return made
    return _whole(change)


def _whole(change: FileChange) -> list[str]:
    assert change.after is not None
    text = decode(change.after.data)
    if text and not text.endswith("\n"):
        raise refuse(change, _NAME, "a new text without a final line end")
    return _operation(change.path, Said("create_file", [], text.split("\n")[:-1], [], []))


def _edits(change: FileChange, found: list[Piece], wide: bool) -> list[str] | None:
    """The plainest operations; one for each piece that repeats its neighbours where those were not enough."""
    assert change.before is not None
    before = lines_of(change.before.data)
    if wide or len(set(before.ends) - {""}) > 1:
        return _wide(change, found)
    made = chosen(change.path, before.lines, found)
    return _wide(change, found) if made is None else [line for said in made for line in _operation(change.path, said)]


def _wide(change: FileChange, found: list[Piece]) -> list[str] | None:
    """One operation for each piece, last first, so that the lines above are still as they were.

    None where a piece has no marker of its own, or where the lines that a marker repeats would get other line ends.
    """
    assert change.before is not None and change.after is not None
    before, after = lines_of(change.before.data), lines_of(change.after.data)
    lines, ends, eol = before.lines, list(before.ends), majority(before.ends)
    made: list[str] = []
    for piece in reversed(found):
        grown = piece
        twice = piece.start == piece.end and doubles(lines, piece) and any(map(str.strip, lines))
        if piece.start == piece.end == len(lines) and not twice:
            made += _operation(change.path, Said("append_text", [], piece.new, [], []))
        elif piece.end == 0 and not twice:
            made += _operation(change.path, Said("prepend_text", [], piece.new, [], []))
        else:
            wider = _grown(piece, lines)
            if wider is None:
                return None
            grown = wider
            if any(line.endswith("\r") for line in grown.new):
                return None
            marker = lines[grown.start : grown.end]
            made += _operation(change.path, Said("replace_text", marker, grown.new, [], []))
        ends[grown.start : grown.end] = _new_ends(grown, lines, ends, eol)
        lines[grown.start : grown.end] = grown.new
    # Only the last line may lack its line end; the file keeps that.
    kept = [end or eol for end in ends[:-1]] == [end or eol for end in after.ends[:-1]]
    return made if kept else None


def _new_ends(piece: Piece, lines: list[str], ends: list[str], eol: str) -> list[str]:
    """The line ends of a piece's new lines: those that come again keep their own, others get the file's usual one."""
    found = [eol] * len(piece.new)
    old = new = 0
    size = piece.end - piece.start
    for start, end, _, new_end in [*opcodes(lines[piece.start : piece.end], piece.new), (size, size, 0, 0)]:
        for offset in range(start - old):
            found[new + offset] = ends[piece.start + old + offset] or eol
        old, new = end, new_end
    return found


def _grown(piece: Piece, lines: list[str]) -> Piece | None:
    """The piece with as many neighbours as make it begin and end in a line of text and stand in one place only."""
    start, end, new = piece
    step = 1
    while True:
        start, end, new = _as_text(start, end, list(new), lines)
        if start < 0:
            return None
        if _unique(lines, start, end):
            return Piece(start, end, new)
        if start == 0 and end == len(lines):
            return None
        above, below = max(start - step, 0), min(end + step, len(lines))
        start, end, new = above, below, [*lines[above:start], *new, *lines[end:below]]
        step *= 2


def _as_text(start: int, end: int, new: list[str], lines: list[str]) -> tuple[int, int, list[str]]:
    """Grow until both edges are lines of text; start -1 where there is no such line."""
    while start == end or not lines[start].strip(BLANK):
        if start == 0:
            if start == end and end < len(lines):
                end, new = end + 1, [*new, lines[end]]
                continue
            return -1, end, new
        start, new = start - 1, [lines[start - 1], *new]
    while not lines[end - 1].strip(BLANK):
        if end == len(lines):
            return -1, end, new
        end, new = end + 1, [*new, lines[end]]
    return start, end, new


def _unique(lines: list[str], start: int, end: int) -> bool:
    """Whether the run stands once, indentation and blank lines not counted."""
    whole = "\n".join(["", *(bare for line in lines if (bare := line.strip(BLANK))), ""])
    run = "\n".join(["", *(bare for line in lines[start:end] if (bare := line.strip(BLANK))), ""])
    return whole.find(run, whole.find(run) + 1) < 0


# ── YAML ─────────────────────────────────────────────────────────────────────────────────────────


def _operation(path: str, said: Said) -> list[str]:
    made = [path_field(path), f"    op: {said.op}"]
    for key, lines in (("before", _dedented(said.before)), ("marker", said.marker), ("after", _dedented(said.after))):
        made += field(key, lines) if lines else []
    if said.op not in ("delete_text", "delete_file"):
        # Blank lines at the end of a document are easily lost: such a payload goes ahead.
        ahead = bool(said.payload) and not said.payload[-1]
        made[1 if ahead else len(made) :] = [*field("payload", said.payload), *(made[1:] if ahead else ())]
    if said.marker and said.payload and not said.aligned:
        made += ["    options:", "      indent: none"]
    return made


def _dedented(lines: list[str]) -> list[str]:
    """Lines without the indentation they share; it doesn't count."""
    depth = min((len(indent_of(line)) for line in lines), default=0)
    return [line[depth:] for line in lines]


def path_field(path: str) -> str:
    """The line that begins an operation."""
    return f"  - path: {_quoted(path) if _needs_quotes(path) else path}"


def field(key: str, lines: list[str]) -> list[str]:
    """A field as a block scalar, or quoted where a block scalar would not give the very text back."""
    if not lines:
        return [f'    {key}: ""']
    plain = all(line.isprintable() or ("\t" in line and line.replace("\t", "").isprintable()) for line in lines)
    first = next((line for line in lines if line), "")
    if not plain or not first.strip() or (lines[-1] and not lines[-1].strip()):
        return [f"    {key}: {_quoted(chr(10).join([*lines, '']))}"]
    mark = "|" + "2" * (first[:1] in (" ", "\t")) + ("-" if lines[-1] else "+")
    return [f"    {key}: {mark}", *("      " + line if line else "" for line in lines)]


def _needs_quotes(text: str) -> bool:
    safe = text.replace("/", "").replace("_", "").replace(".", "").replace("-", "")
    return not (safe.isascii() and safe.isalnum() and text[0].isalnum())


def _quoted(text: str) -> str:
    """A double-quoted scalar."""
    named = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\t": "\\t", "\r": "\\r"}
    return (
        '"'
        + "".join(named.get(char) or (char if char.isprintable() or _is_byte(char) else _escape(char)) for char in text)
        + '"'
    )


def _is_byte(char: str) -> bool:
    """Whether the character stands for a byte that is no UTF-8; there is no escape for those."""
    return "\ud800" <= char <= "\udfff"


def _escape(char: str) -> str:
    code = ord(char)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


# ── chunk resend ────────────────────────────────────────────────────────────────────────────────────


def write(ops: tuple[Op, ...]) -> str:
    """The operations as one document."""
    languages = [said for op in ops if (said := _language(op))]
    lines = [f"language: {languages[0]}"] if languages else []
    return "\n".join([*lines, "operations:", *(line for op in ops for line in _written_operation(op)), ""])


def _language(op: Op) -> str:
    """The language that the document names; blocks of XML have theirs by themselves."""
    hunk = op.hunks[0] if isinstance(op, Edit) and op.hunks else None
    if not isinstance(hunk, Hunk) or (hunk.where.block == "xml" and hunk.policy.language == "xml"):
        return ""
    return hunk.policy.language


def _written_operation(op: Op) -> list[str]:
    made = [path_field(op.path)]
    if isinstance(op, Delete):
        return [*made, "    op: delete_file"]
    if isinstance(op, Write):
        if op.text[-1:] not in ("", "\n"):
            raise unsayable(op, _NAME)
        return [*made, "    op: create_file", *field("payload", op.text.split("\n")[:-1])]
    hunk = op.hunks[0] if isinstance(op, Edit) and len(op.hunks) == 1 else None
    if not isinstance(hunk, Hunk):
        raise unsayable(op, _NAME)
    made += [f"    op: {op.label}"]
    marker, payload = list(hunk.old), [text for tag, text in hunk.lines if tag == "+"]
    for key, lines in (("marker", marker), ("before", hunk.where.before), ("after", hunk.where.after)):
        made += field(key, list(lines)) if lines else []
    made += field("payload", payload) if op.label != "delete_text" else []
    return [*made, "    options:", "      indent: none"] if not hunk.policy.aligns_to_marker else made
