"""Writes CHUNK: the plainest operation for each change, each in one place, as YAML. Touches no file.

Blank lines don't count when a marker is searched for, so a marker begins and ends in a line of text. What makes it
unique is put in `before` and `after`: there it needn't be repeated in the payload.
"""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from ...author.context import LineSearch, least_context
from ...author.describe import unsayable
from ...author.line_changes import LineChange, apply_changes, endings_as_read, ends_alike, lines_after
from ...model import Claims, Delete, Edit, Hunk, MatchPolicy, Op, Write, signed_hunk
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


def operations(path: str, before: Text, changes: list[LineChange], wide: bool) -> tuple[Op, ...] | None:
    """The operations in the order of the file; None if a change has no place of its own.

    `wide`: only replace lines by lines, with all that makes them unique in the marker.
    """
    wide = wide or not ends_alike(before)
    draft = ChangingLines(before.lines, changes, wide)
    blocks = {} if wide else _blocks(path, before.lines, changes)
    choices: list[ChunkOperation] = []
    ends = [*(change.start for change in changes[1:]), len(before.lines)]
    for number, (change, high) in enumerate(zip(changes, ends, strict=True)):
        if change.start < draft.low:
            continue  # an operation above contains it
        draft.number = number
        op, block = blocks.get(change.start, ("", change))
        if op and block.start >= draft.low:
            choice = draft.choice(op, block, block.start, block.start + 1)
        else:
            choice = _text(draft, change, high)
        if choice is None:
            return None
        choices.append(choice)
        draft.apply(choice.change)
    changed = [choice.change for choice in choices]
    # The lines that a marker repeats keep their line endings if a reader finds them in the payload.
    if wide and endings_as_read(before, changed, "majority") != apply_changes(before, changes, "majority").ends:
        return None
    return tuple(_edit(path, choice, draft.signs) for choice in choices)


class ChunkOperation(NamedTuple):
    """An operation: its name, what it changes, the lines to find, the new ones, the context that makes it unique."""

    op: str
    change: LineChange
    marker: list[str]
    payload: list[str]
    before: list[str]
    after: list[str]

    @property
    def weight(self) -> tuple[int, bool]:
        """How many lines there are to read beside the new ones; a blank line at the end is easily overlooked."""
        return len(self.marker) + len(self.before) + len(self.after), not _is_text(self.payload[-1])


class ChangingLines:
    """The lines of a file while its changes are described, to tell which of them are unique.

    `index[row]`: how many lines of text are above a row of the file before. Rows above `low` have changed already;
    `number`: of the change that is being described.
    """

    __slots__ = ("changes", "index", "lines", "low", "number", "rows", "signs", "wide")

    def __init__(self, lines: list[str], changes: list[LineChange], wide: bool) -> None:
        self.lines, self.changes, self.wide = lines, changes, wide
        self.rows = LineSearch([line for line in lines if _is_text(line)])
        self.index = [0]
        for line in lines:
            self.index.append(self.index[-1] + _is_text(line))
        self.low = self.number = 0
        self.signs = "".join({line[0] for line in lines if line[:1] in ("\t", " ") and _is_text(line)})

    def choice(self, op: str, change: LineChange, start: int, end: int, repeats: bool = False) -> ChunkOperation | None:
        """An operation on rows start..end with the least context that makes it unique; None if none does.

        `repeats`: its new lines are next to lines like them; then the context is part of marker and payload.
        """
        core = LineChange(self.index[start], self.index[end], [line for line in change.new if _is_text(line)])

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
            change = self._with_others(first, last)
            return ChunkOperation(op, change, self.lines[first : change.end], change.new, [], [])
        sides = (self.lines[first:start], self.lines[end:last])
        return ChunkOperation(
            op, change, self.lines[start:end], change.new, *([*filter(_is_text, side)] for side in sides)
        )

    def _with_others(self, first: int, last: int) -> LineChange:
        """The rows with all changes in them, also those that only begin there."""
        number = self.number
        while number < len(self.changes) and (number == self.number or self.changes[number].start < last):
            last = max(last, self.changes[number].end)
            number += 1
        return LineChange(first, last, lines_after(self.lines, first, last, self.changes[self.number : number]))

    def apply(self, change: LineChange) -> None:
        """Replace rows by their new lines."""
        texts = [line for line in change.new if _is_text(line)]
        self.rows.change(self.index[change.start], self.index[change.end], texts)
        self.low = change.end


def _text(draft: ChangingLines, change: LineChange, high: int) -> ChunkOperation | None:
    """The plainest operation on text: at an end of the file, lines inserted or deleted, lines replaced by lines."""
    lines = draft.lines
    repeats = _repeats(lines, change)
    if not repeats:
        if change.start == change.end == len(lines):
            return ChunkOperation("append_text", change, [], change.new, [], [])
        if change.end == 0:
            return ChunkOperation("prepend_text", change, [], change.new, [], [])
        if not draft.wide and (choice := _insert_or_delete(draft, change, high)) is not None:
            return choice
    wider = _to_text(lines, change, draft.low, high)
    return None if wider is None else draft.choice("replace_text", wider, wider.start, wider.end, repeats)


def _insert_or_delete(draft: ChangingLines, change: LineChange, high: int) -> ChunkOperation | None:
    """The shortest way to say that lines are inserted or deleted; None for lines that replace others."""
    slid = _slides(draft.lines, change, draft.low, high)
    if change.start == change.end:
        inserts = [choice for one in slid for choice in _inserts(draft, one, high)]
        return min(inserts, key=lambda choice: choice.weight, default=None)
    for one in slid if not change.new else ():
        if _is_text(draft.lines[one.start]) and _is_text(draft.lines[one.end - 1]):
            choice = draft.choice("delete_text", one, one.start, one.end)
            if choice is not None:
                return choice
    return None


def _repeats(lines: list[str], change: LineChange) -> bool:
    """True if the new lines are next to lines like them: inserting them would look as if it had been done before."""
    start, end, new = change
    if start < end or not any(map(_is_text, lines)):
        return False
    bare = [line.strip(BLANK) for line in new]
    if any(bare):
        bare = [line for line in bare if line]  # blank lines don't count, as in the search for a marker
    above, below = range(start - 1, -1, -1), range(start, len(lines))
    for rows in (above, below):
        texts = (lines[row].strip(BLANK) for row in rows)
        beside = [*islice(filter(None, texts) if bare[0] else texts, len(bare))]
        if bare == (beside if rows is below else beside[::-1]):
            return True
    return False


def _slides(lines: list[str], change: LineChange, low: int, high: int) -> list[LineChange]:
    """The change in every position with the same result: inserted or deleted lines next to lines like them."""
    start, end, new = change
    if start < end and new:
        return [change]
    moved = new or lines[start:end]
    slides = [change]
    at, turned = start, list(moved)
    while at > low and lines[at - 1] == turned[-1] and start - at < len(moved):
        at, turned = at - 1, [turned[-1], *turned[:-1]]
        slides.append(LineChange(at, at + end - start, turned if new else []))
    at, turned = start, list(moved)
    while at + end - start < high and lines[at + end - start] == turned[0] and at - start < len(moved):
        at, turned = at + 1, [*turned[1:], turned[0]]
        slides.append(LineChange(at, at + end - start, turned if new else []))
    return slides


def _inserts(draft: ChangingLines, change: LineChange, high: int) -> list[ChunkOperation]:
    """New lines after the line above them, and before the one below, if that is text and they don't repeat it."""
    texts = [line.strip(BLANK) for line in change.new if _is_text(line)]
    lines, start = draft.lines, change.start
    above, below = lines[start - 1].strip(BLANK) if start else "", "".join(lines[start : start + 1]).strip(BLANK)
    if not texts or texts[0] == above or texts[-1] == below:
        return []
    rows = (("insert_after_text", change.start - 1, above), ("insert_before_text", change.start, below))
    choices = [draft.choice(op, change, row, row + 1) for op, row, text in rows if text and draft.low <= row < high]
    return [choice for choice in choices if choice is not None]


def _to_text(lines: list[str], change: LineChange, low: int, high: int) -> LineChange | None:
    """The change, widened until it begins and ends in lines of text that don't repeat their neighbours, if it can."""
    start, end, new = change
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
    """True if a new line at the edge is like the line beyond it: a reader would drop a comment that is repeated so."""
    return [line.strip(BLANK) for line in edge] == [beyond.strip(BLANK)] and any(map(str.isalnum, beyond))


def _edit(path: str, choice: ChunkOperation, signs: str) -> Edit:
    """The operation, without the indentation of the marker's first line if all of its lines begin with that."""
    op, _, marker, payload, before, after = choice
    depth = len(indent_of(marker[0])) if marker else 0
    aligned = _is_aligned([line for line in (*marker, *payload) if _is_text(line)], marker, signs)
    if aligned:
        marker, payload = ([line[depth:] if _is_text(line) else line for line in lines] for lines in (marker, payload))
    kind = OPERATIONS[op]
    tagged = [(tag, line) for tag in kind.tags for line in (payload if tag == "+" else marker)]
    claims = Claims(
        at_start=op == "prepend_text", at_end=op == "append_text", block=kind.block,
        before=_outdented(before), after=_outdented(after),
    )  # fmt: skip
    policy = MatchPolicy((), indents="marker" if aligned or not payload else "as-is")
    return Edit(path, (signed_hunk(tagged, policy, claims),), label=op)


def _is_aligned(texts: list[str], marker: list[str], signs: str) -> bool:
    """True if the lines of marker and payload all begin with the indentation of the marker.

    Not if they are indented otherwise than the file is, by `signs` (tabs, spaces): a reader would translate them.
    """
    pad = indent_of(marker[0]) if marker else ""
    if not all(line.startswith(pad) for line in texts):
        return False
    return len(signs) != 1 or all(indent_of(line[len(pad) :]).strip(signs) == "" for line in texts)


def _outdented(lines: list[str]) -> tuple[str, ...]:
    """Lines without the indentation they share, which doesn't count."""
    shared = shared_indent(lines)
    return tuple(line.removeprefix(shared) for line in lines)


def _is_text(line: str) -> bool:
    return bool(line.strip(BLANK))


# ── whole blocks ─────────────────────────────────────────────────────────────────────────────────


def _blocks(path: str, lines: list[str], changes: list[LineChange]) -> dict[int, tuple[str, LineChange]]:
    """The blocks that take fewer lines to replace than the changes in them, by the first row of the first change.

    Each with its operation; the first row of a block is its header.
    """
    from ...syntax.blocks import block_end

    language = language_of(path)
    if language is None or language.family not in _BLOCKS:
        return {}
    op, kind = _BLOCKS[language.family]
    text = "\n".join(lines)
    blocks: dict[int, tuple[str, LineChange]] = {}
    low = tries = 0
    for number, change in enumerate(changes):
        if change.start < low or change.end - change.start < _FIELDS:
            continue  # a block pays only for a long marker
        above = max(low, changes[number - 1].end if number else 0)
        for row in _headers(lines, change.start, above, language) if tries < _TRIES else ():
            tries += 1
            end = block_end(kind, text, language, row, row, "")
            block = _whole_block(lines, row, end, changes[number:])
            if block is not None:
                blocks[change.start] = op, block
                low = block.end
                break
    return blocks


def _headers(lines: list[str], start: int, low: int, language: Language) -> list[int]:
    """The rows that may open the blocks around a row, innermost first: rows above it with less indentation."""
    sign = ":" if language.family == "python" else "{"
    headers: list[int] = []
    depth = len(indent_of(lines[start])) + 1
    for row in range(start, low - 1, -1):
        line = lines[row].strip(BLANK)
        if line and len(indent_of(lines[row])) < depth:
            depth = len(indent_of(lines[row]))
            headers += [row] if line.endswith(sign) else []
            if not depth or len(headers) == _LEVELS:
                break
    return headers


def _whole_block(lines: list[str], row: int, end: BlockEnd | Problem, changes: list[LineChange]) -> LineChange | None:
    """The block from a header to its end with all changes in it, if it ends a line and pays."""
    if isinstance(end, Problem) or lines[end.line][end.column :].strip(BLANK):
        return None
    held = [change for change in changes if change.start <= end.line]
    if not held or held[-1].end > end.line + 1:
        return None
    new = lines_after(lines, row, end.line + 1, held)
    cost = sum(_FIELDS + change.end - change.start + len(change.new) for change in held)
    if not new or not _is_text(new[0]) or not _is_text(new[-1]):
        return None
    if indent_of(new[0]) != indent_of(lines[row]) or _FIELDS + 1 + len(new) >= cost:
        return None
    return LineChange(row, end.line + 1, new)


# ── YAML ─────────────────────────────────────────────────────────────────────────────────────────


def write(ops: tuple[Op, ...]) -> str:
    """The operations as one document."""
    languages = list(filter(None, map(_language, ops)))
    lines = [f"language: {languages[0]}"] if languages else []
    return "\n".join([*lines, "operations:", *(line for op in ops for line in _operation(op)), ""])


def _language(op: Op) -> str:
    """The language that the document has to name; blocks of XML don't need it."""
    hunk = op.hunks[0] if isinstance(op, Edit) and op.hunks else None
    if not isinstance(hunk, Hunk) or (hunk.claims.block == "xml" and hunk.policy.language == "xml"):
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
    for key, lines in (("before", hunk.claims.before), ("marker", hunk.old_lines), ("after", hunk.claims.after)):
        fields += _field(key, list(lines)) if lines else []
    if op.label != "delete_text":
        fields = _with_payload(fields, [text for tag, text in hunk.lines if tag == "+"])
    return [*fields, "    options:", "      indent: none"] if hunk.policy.indents != "marker" else fields


def _with_payload(fields: list[str], payload: list[str]) -> list[str]:
    """The fields with the payload after them, or first if it ends in blank lines: at the end those are easily lost."""
    at = 1 if payload and not payload[-1] else len(fields)
    return [*fields[:at], *_field("payload", payload), *fields[at:]]


def _field(key: str, lines: list[str]) -> list[str]:
    """A field as a block text, or quoted if a block text would not be read back as the same."""
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
    """A double-quoted text. Bytes that aren't UTF-8 are surrogates, for which there is no escape."""
    spelled = []
    for char in text:
        code = ord(char)
        if char in _ESCAPES:
            spelled.append(_ESCAPES[char])
        elif char.isprintable() or 0xD800 <= code <= 0xDFFF:
            spelled.append(char)
        else:
            spelled.append(
                f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
            )
    return f'"{"".join(spelled)}"'
