"""Writes CHUNK: the plainest operation for each change, each in one place, as YAML. Touches no file.

Blank lines don't count when a marker is looked for, so a marker begins and ends in a line of text. What makes it
unique stands in `before` and `after`: there it needn't be said again in the payload.
"""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from ...author.context import LineSearch, least_context
from ...author.describe import unsayable
from ...author.line_changes import LineChange, apply_changes, endings_as_read, ends_alike, lines_after
from ...model import Delete, Edit, Hunk, MatchPolicy, Op, Where, Write, signed_hunk
from ...problems import Problem
from ...syntax.languages import language_of
from ...text import BLANK, Text, indent_of, shared_indent
from .read import OPERATIONS

if TYPE_CHECKING:
    from ...syntax.blocks import BlockEnd
    from ...syntax.languages import Language


_BLOCKS = {"python": ("replace_py_block", "py"), "c": ("replace_c_style_block", "c_style")}
_ESCAPES = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\t": "\\t", "\r": "\\r"}
_FIELDS = 4  # lines that each operation costs beside its texts
_LEVELS = 3  # how many of the blocks around a change are looked at
_TRIES = 60  # how many in all: each reads the text


def operations(path: str, before: Text, pieces: list[LineChange], wide: bool) -> tuple[Op, ...] | None:
    """The operations in the order of the file; None where a change has no place of its own.

    `wide`: only lines for lines, the markers with what makes them unique, for files where a reader sees otherwise.
    """
    wide = wide or not ends_alike(before)
    draft = Draft(before.lines, pieces, wide)
    blocks = {} if wide else _blocks(path, before.lines, pieces)
    choices: list[Choice] = []
    ends = [*(piece.start for piece in pieces[1:]), len(before.lines)]
    for number, (piece, high) in enumerate(zip(pieces, ends, strict=True)):
        if piece.start < draft.low:
            continue  # an operation above holds it
        draft.number = number
        op, block = blocks.get(piece.start, ("", piece))
        if op and block.start >= draft.low:
            choice = draft.choice(op, block, block.start, block.start + 1)
        else:
            choice = _text(draft, piece, high)
        if choice is None:
            return None
        choices.append(choice)
        draft.change(choice.piece)
    changed = [choice.piece for choice in choices]
    # The lines that a marker repeats keep their line ends, if a reader finds the same ones in the payload.
    if wide and endings_as_read(before, changed, "majority") != apply_changes(before, pieces, "majority").ends:
        return None
    return tuple(_edit(path, choice, draft.signs) for choice in choices)


class Choice(NamedTuple):
    """An operation: its name, what it changes, the lines to find, the new ones, those around that make it unique."""

    op: str
    piece: LineChange
    marker: list[str]
    payload: list[str]
    before: list[str]
    after: list[str]

    @property
    def weight(self) -> tuple[int, bool]:
        """How much a reader has to read beside the new lines; at its end a blank line is easily overlooked."""
        return len(self.marker) + len(self.before) + len(self.after), not _is_text(self.payload[-1])


class Draft:
    """The file on its way, as far as uniqueness needs it: its lines of text as letters.

    `index[row]`: how many lines of text stand above a row of the file before. Rows above `low` have changed already;
    the change that is looked at is the piece of that `number`.
    """

    __slots__ = ("index", "lines", "low", "number", "pieces", "rows", "signs", "wide")

    def __init__(self, lines: list[str], pieces: list[LineChange], wide: bool) -> None:
        self.lines, self.pieces, self.wide = lines, pieces, wide
        self.rows = LineSearch([line for line in lines if _is_text(line)])
        self.index = [0]
        for line in lines:
            self.index.append(self.index[-1] + _is_text(line))
        self.low = self.number = 0
        self.signs = "".join({line[0] for line in lines if line[:1] in ("\t", " ") and _is_text(line)})

    def choice(self, op: str, piece: LineChange, start: int, end: int, repeats: bool = False) -> Choice | None:
        """An operation on rows start..end with as few lines around as leave one place; None where none do.

        `repeats`: its new lines stand beside others like them; then those around are told again in the payload.
        """
        core = LineChange(self.index[start], self.index[end], [line for line in piece.new if _is_text(line)])

        def tells(top: int, bottom: int) -> bool:
            return self.rows.is_unique(top, bottom) and (not repeats or self.rows.is_new_after(top, bottom, core))

        top, bottom = least_context(tells, (core.start, core.end), (self.index[self.low], self.index[-1]))
        if not tells(top, bottom):
            return None
        first, last = start, end
        while self.index[first] > top:
            first -= 1
        while self.index[last] < bottom:
            last += 1
        if self.wide or repeats:
            piece = self._with_others(first, last)
            return Choice(op, piece, self.lines[first : piece.end], piece.new, [], [])
        sides = (self.lines[first:start], self.lines[end:last])
        return Choice(op, piece, self.lines[start:end], piece.new, *([*filter(_is_text, side)] for side in sides))

    def _with_others(self, first: int, last: int) -> LineChange:
        """The rows with all changes that lie there; those at their end are taken in whole."""
        number = self.number
        while number < len(self.pieces) and (number == self.number or self.pieces[number].start < last):
            last = max(last, self.pieces[number].end)
            number += 1
        return LineChange(first, last, lines_after(self.lines, first, last, self.pieces[self.number : number]))

    def change(self, piece: LineChange) -> None:
        """Rows start..end have become new lines."""
        texts = [line for line in piece.new if _is_text(line)]
        self.rows.change(self.index[piece.start], self.index[piece.end], texts)
        self.low = piece.end


def _text(draft: Draft, piece: LineChange, high: int) -> Choice | None:
    """The plainest operation on text: an end of the file, lines in or out, lines for lines."""
    lines = draft.lines
    repeats = _repeats(lines, piece)
    if not repeats:
        if piece.start == piece.end == len(lines):
            return Choice("append_text", piece, [], piece.new, [], [])
        if piece.end == 0:
            return Choice("prepend_text", piece, [], piece.new, [], [])
        slid = [] if draft.wide else _slides(lines, piece, draft.low, high)
        if piece.start == piece.end:
            inserts = [choice for one in slid for choice in _inserts(draft, one, high)]
            if inserts:
                return min(inserts, key=lambda choice: choice.weight)
        for one in slid if not piece.new else ():
            if _is_text(lines[one.start]) and _is_text(lines[one.end - 1]):
                choice = draft.choice("delete_text", one, one.start, one.end)
                if choice is not None:
                    return choice
    wider = _to_text(lines, piece, draft.low, high)
    return None if wider is None else draft.choice("replace_text", wider, wider.start, wider.end, repeats)


def _repeats(lines: list[str], piece: LineChange) -> bool:
    """Whether new lines stand right there already: to insert them would look as if that had been done before."""
    start, end, new = piece
    if start < end or not any(map(_is_text, lines)):
        return False
    bare = [line.strip(BLANK) for line in new]
    if any(bare):
        bare = [line for line in bare if line]  # as the marker is looked for, blank lines don't count
    above, below = range(start - 1, -1, -1), range(start, len(lines))
    for rows in (above, below):
        texts = (lines[row].strip(BLANK) for row in rows)
        beside = [*islice(filter(None, texts) if bare[0] else texts, len(bare))]
        if bare == (beside if rows is below else beside[::-1]):
            return True
    return False


def _slides(lines: list[str], piece: LineChange, low: int, high: int) -> list[LineChange]:
    """The same change at all places where it may as well be said to be: lines that come or go beside their equals."""
    start, end, new = piece
    if start < end and new:
        return [piece]
    ring = new or lines[start:end]
    found = [piece]
    at, turned = start, list(ring)
    while at > low and lines[at - 1] == turned[-1] and start - at < len(ring):
        at, turned = at - 1, [turned[-1], *turned[:-1]]
        found.append(LineChange(at, at + end - start, turned if new else []))
    at, turned = start, list(ring)
    while at + end - start < high and lines[at + end - start] == turned[0] and at - start < len(ring):
        at, turned = at + 1, [*turned[1:], turned[0]]
        found.append(LineChange(at, at + end - start, turned if new else []))
    return found


def _inserts(draft: Draft, piece: LineChange, high: int) -> list[Choice]:
    """New lines behind the line above them, and before the one below: where it is text, and neither is their echo."""
    texts = [line.strip(BLANK) for line in piece.new if _is_text(line)]
    lines, start = draft.lines, piece.start
    above, below = lines[start - 1].strip(BLANK) if start else "", "".join(lines[start : start + 1]).strip(BLANK)
    if not texts or texts[0] == above or texts[-1] == below:
        return []
    rows = (("insert_after_text", piece.start - 1, above), ("insert_before_text", piece.start, below))
    choices = [draft.choice(op, piece, row, row + 1) for op, row, text in rows if text and draft.low <= row < high]
    return [choice for choice in choices if choice is not None]


def _to_text(lines: list[str], piece: LineChange, low: int, high: int) -> LineChange | None:
    """The piece grown until it begins and ends in lines of text that don't echo their neighbours; None: it can't."""
    start, end, new = piece
    while start == end or not _is_text(lines[start]) or (start > low and _is_echo(new[:1], lines[start - 1])):
        if start == low:
            if start < end or end == high:
                return None
            end, new = end + 1, [*new, lines[end]]
            continue
        start, new = start - 1, [lines[start - 1], *new]
    while not _is_text(lines[end - 1]) or (end < high and _is_echo(new[-1:], lines[end])):
        if end == high:
            return None
        end, new = end + 1, [*new, lines[end]]
    return LineChange(start, end, new)


def _is_echo(edge: list[str], beyond: str) -> bool:
    """Whether a new line at the edge says what stands beyond it: a reader would take a comment so repeated for one."""
    return [line.strip(BLANK) for line in edge] == [beyond.strip(BLANK)] and any(map(str.isalnum, beyond))


def _edit(path: str, choice: Choice, signs: str) -> Edit:
    """The operation, without the indentation of the marker's first line if all of its lines begin with that.

    Not where new lines are indented otherwise than the file is, `signs` (tabs, spaces): a reader would translate them.
    """
    op, _, marker, payload, before, after = choice
    depth = len(indent_of(marker[0])) if marker else 0
    texts = [line for line in (*marker, *payload) if _is_text(line)]
    aligned = not marker or all(line.startswith(marker[0][:depth]) for line in texts)
    if aligned and len(signs) == 1:
        aligned = all(indent_of(line[depth:]).strip(signs) == "" for line in texts)
    if aligned:
        marker, payload = ([line[depth:] if _is_text(line) else line for line in lines] for lines in (marker, payload))
    kind = OPERATIONS[op]
    tagged = [(tag, line) for tag in kind.tags for line in (payload if tag == "+" else marker)]
    where = Where(
        at_start=op == "prepend_text", at_end=op == "append_text", block=kind.block,
        before=_outdented(before), after=_outdented(after),
    )  # fmt: skip
    policy = MatchPolicy((), indents="marker" if aligned or not payload else "as-is")
    return Edit(path, (signed_hunk(tagged, policy, where),), label=op)


def _outdented(lines: list[str]) -> tuple[str, ...]:
    """Lines without the indentation they share; it doesn't count."""
    shared = shared_indent(lines)
    return tuple(line.removeprefix(shared) for line in lines)


def _is_text(line: str) -> bool:
    return bool(line.strip(BLANK))


# ── whole blocks ─────────────────────────────────────────────────────────────────────────────────


def _blocks(path: str, lines: list[str], pieces: list[LineChange]) -> dict[int, tuple[str, LineChange]]:
    """The blocks that say some of the pieces in fewer lines, by the first row of the first piece that each holds.

    Each with its operation: rows of the file before, the first of which is the header, become new lines.
    """
    from ...syntax.blocks import block_end

    language = language_of(path)
    if language is None or language.family not in _BLOCKS:
        return {}
    op, kind = _BLOCKS[language.family]
    text = "\n".join(lines)
    found: dict[int, tuple[str, LineChange]] = {}
    low = tries = 0
    for number, piece in enumerate(pieces):
        if piece.start < low or piece.end - piece.start < _FIELDS:
            continue  # only many lines of marker are worth a block
        above = max(low, pieces[number - 1].end if number else 0)
        for row in _headers(lines, piece.start, above, language) if tries < _TRIES else ():
            tries += 1
            end = block_end(kind, text, language, row, row, "")
            block = _whole_block(lines, row, end, pieces[number:])
            if block is not None:
                found[piece.start] = op, block
                low = block.end
                break
    return found


def _headers(lines: list[str], start: int, low: int, language: Language) -> list[int]:
    """The rows that may open the blocks around a row, innermost first: those above it with less indentation."""
    sign = ":" if language.family == "python" else "{"
    found: list[int] = []
    depth = len(indent_of(lines[start])) + 1
    for row in range(start, low - 1, -1):
        line = lines[row].strip(BLANK)
        if line and len(indent_of(lines[row])) < depth:
            depth = len(indent_of(lines[row]))
            found += [row] if line.endswith(sign) else []
            if not depth or len(found) == _LEVELS:
                break
    return found


def _whole_block(lines: list[str], row: int, end: BlockEnd | Problem, pieces: list[LineChange]) -> LineChange | None:
    """The block from a header to its end with all changes in it, if it ends a line and is shorter than they are."""
    if isinstance(end, Problem) or lines[end.line][end.column :].strip(BLANK):
        return None
    held = [piece for piece in pieces if piece.start <= end.line]
    if not held or held[-1].end > end.line + 1:
        return None
    new = lines_after(lines, row, end.line + 1, held)
    told = sum(_FIELDS + piece.end - piece.start + len(piece.new) for piece in held)
    plain = bool(new) and bool(new[0].strip(BLANK)) and bool(new[-1].strip(BLANK))
    if not plain or indent_of(new[0]) != indent_of(lines[row]) or _FIELDS + 1 + len(new) >= told:
        return None
    return LineChange(row, end.line + 1, new)


# ── YAML ─────────────────────────────────────────────────────────────────────────────────────────


def write(ops: tuple[Op, ...]) -> str:
    """The operations as one document."""
    languages = [said for op in ops if (said := _language(op))]
    lines = [f"language: {languages[0]}"] if languages else []
    return "\n".join([*lines, "operations:", *(line for op in ops for line in _operation(op)), ""])


def _language(op: Op) -> str:
    """The language that the document names; blocks of XML have theirs by themselves."""
    hunk = op.hunks[0] if isinstance(op, Edit) and op.hunks else None
    if not isinstance(hunk, Hunk) or (hunk.where.block == "xml" and hunk.policy.language == "xml"):
        return ""
    return hunk.policy.language


def _operation(op: Op) -> list[str]:
    fields = [f"  - path: {_quoted(op.path) if _needs_quotes(op.path) else op.path}"]
    if isinstance(op, Delete):
        return [*fields, "    op: delete_file"]
    if isinstance(op, Write) and op.text[-1:] in ("", "\n"):
        return _with_payload([*fields, "    op: create_file"], op.text.split("\n")[:-1])
    hunk = op.hunks[0] if isinstance(op, Edit) and len(op.hunks) == 1 else None
    if not isinstance(hunk, Hunk) or not isinstance(op, Edit):
        raise unsayable(op, "chunk")
    fields.append(f"    op: {op.label}")
    for key, lines in (("before", hunk.where.before), ("marker", hunk.old_lines), ("after", hunk.where.after)):
        fields += _field(key, list(lines)) if lines else []
    if op.label != "delete_text":
        fields = _with_payload(fields, [text for tag, text in hunk.lines if tag == "+"])
    return [*fields, "    options:", "      indent: none"] if hunk.policy.indents != "marker" else fields


def _with_payload(fields: list[str], payload: list[str]) -> list[str]:
    """The fields with the payload behind them; blank lines at the end of a document are easily lost: they go ahead."""
    at = 1 if payload and not payload[-1] else len(fields)
    return [*fields[:at], *_field("payload", payload), *fields[at:]]


def _field(key: str, lines: list[str]) -> list[str]:
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
    """A double-quoted scalar. For bytes that are no UTF-8, which stand there as surrogates, there is no escape."""
    spelt = []
    for char in text:
        code = ord(char)
        if char in _ESCAPES:
            spelt.append(_ESCAPES[char])
        elif char.isprintable() or 0xD800 <= code <= 0xDFFF:
            spelt.append(char)
        else:
            spelt.append(f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}")
    return f'"{"".join(spelt)}"'
