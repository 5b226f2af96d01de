"""Writes CHUNK: the plainest operation for each change, each in one place, as YAML. Touches no file.

Blank lines don't count when a marker is searched for, so a marker begins and ends in a line of text. The lines that
make it unique are put in `before` and `after`, so that the payload needn't repeat them.
"""

from __future__ import annotations

import re
from json import dumps
from typing import NamedTuple

from ...author.context import LineSearch, least_context
from ...author.describe import unsayable
from ...author.line_changes import LineChange
from ...model import Claims, Delete, Edit, Hunk, MatchPolicy, Op, Write, signed_hunk
from ...text import BLANK, Text, indent_of
from .read import OPERATIONS

_PLAIN = r"[A-Za-z0-9][A-Za-z0-9/_.-]*"  # paths that need no quotes
_FRAGILE = r"[\x7f-\x9f\u2028\u2029\ufeff]"  # characters that don't survive every way a patch is carried


class ChunkOperation(NamedTuple):
    """An operation: its name, what it changes, the lines to find, the new ones, the context that makes it unique."""

    name: str
    change: LineChange
    marker: list[str]
    payload: list[str]
    before: list[str]
    after: list[str]


def operations(path: str, before: Text, changes: list[LineChange]) -> list[tuple[Op, ...]]:
    """Return the operations in the order of the file; nothing if a change has no place of its own."""
    file = ChangingFile(before.lines, changes)
    chosen: list[ChunkOperation] = []
    for number, change in enumerate(changes):
        if change.start >= file.low:  # else an operation above contains it
            operation = _operation_for(file, number)
            if operation is None:
                return []
            chosen.append(operation)
            file.apply(operation.change)
    return [tuple(_edit(path, operation) for operation in chosen)]


class ChangingFile:
    """The lines of a file while its changes are described, to tell which of them are unique.

    `index[row]`: how many lines of text are above a row of the file before. Rows above `low` have changed already.
    """

    def __init__(self, lines: list[str], changes: list[LineChange]) -> None:
        self.lines, self.changes = lines, changes
        self.rows = LineSearch([line for line in lines if _is_text(line)])
        self.index = [0]
        for line in lines:
            self.index.append(self.index[-1] + _is_text(line))
        self.low = 0

    def high(self, number: int) -> int:
        """Return the row up to which the lines below a change stay as they are."""
        return self.changes[number + 1].start if number + 1 < len(self.changes) else len(self.lines)

    def operation(self, name: str, change: LineChange, rows: tuple[int, int]) -> ChunkOperation | None:
        """Return an operation on some rows with the least context that makes them unique; None if none does."""
        start, end = rows
        core = (self.index[start], self.index[end])
        top, bottom = least_context(self.rows.is_unique, core, (self.index[self.low], self.index[-1]))
        if not self.rows.is_unique(top, bottom):
            return None
        first, last = start, end
        while self.index[first] > top:
            first -= 1
        while self.index[last] < bottom:
            last += 1
        before, after = (list(filter(_is_text, side)) for side in (self.lines[first:start], self.lines[end:last]))
        return ChunkOperation(name, change, self.lines[start:end], change.new, before, after)

    def apply(self, change: LineChange) -> None:
        """Replace rows by their new lines."""
        texts = [line for line in change.new if _is_text(line)]
        self.rows.change(self.index[change.start], self.index[change.end], texts)
        self.low = change.end


def _operation_for(file: ChangingFile, number: int) -> ChunkOperation | None:
    """Return the plainest operation: at an end of the file, lines inserted or deleted, lines replaced by lines."""
    change = file.changes[number]
    if change.start == change.end == len(file.lines):
        return ChunkOperation("append_text", change, [], change.new, [], [])
    if change.end == 0:
        return ChunkOperation("prepend_text", change, [], change.new, [], [])
    if (operation := _insertion_or_deletion(file, number)) is not None:
        return operation
    wider = _with_text_at_edges(file.lines, change, file.low, file.high(number))
    if wider is None:
        return None
    return file.operation("replace_text", wider, (wider.start, wider.end))


def _insertion_or_deletion(file: ChangingFile, number: int) -> ChunkOperation | None:
    """Return the operation that inserts or deletes lines; None for lines that replace others, or if none has a place.

    New lines come after the line above them or before the one below, if that is text and they don't repeat it.
    """
    lines, change = file.lines, file.changes[number]
    start, end, new = change
    if start < end:
        is_deletion = not new and _is_text(lines[start]) and _is_text(lines[end - 1])
        return file.operation("delete_text", change, (start, end)) if is_deletion else None
    texts = [line.strip(BLANK) for line in new if _is_text(line)]
    for name, row, edge in (("insert_after_text", start - 1, 0), ("insert_before_text", start, -1)):
        is_anchor = file.low <= row < file.high(number) and _is_text(lines[row])
        if is_anchor and texts and texts[edge] != lines[row].strip(BLANK):
            operation = file.operation(name, change, (row, row + 1))
            if operation is not None:
                return operation
    return None


def _with_text_at_edges(lines: list[str], change: LineChange, low: int, high: int) -> LineChange | None:
    """Widen a change until the lines that it replaces begin and end in text; return None if it can't."""
    start, end, new = change
    while start > low and (start == end or not _is_text(lines[start])):
        start, new = start - 1, [lines[start - 1], *new]
    while end < high and (start == end or not _is_text(lines[end - 1])):
        end, new = end + 1, [*new, lines[end]]
    is_text = start < end and _is_text(lines[start]) and _is_text(lines[end - 1])
    return LineChange(start, end, new) if is_text else None


def _edit(path: str, operation: ChunkOperation) -> Edit:
    """Return an operation, without the indentation of the marker's first line if all of its lines begin with that."""
    name, _, marker, payload, before, after = operation
    pad = indent_of(marker[0]) if marker else ""
    # Blank lines of a payload aren't indented with it: those that have spaces are written as they are.
    is_aligned = all(line.startswith(pad) if _is_text(line) else not (line and pad) for line in (*marker, *payload))
    if is_aligned:
        marker, payload = ([line.removeprefix(pad) for line in lines] for lines in (marker, payload))
    kind = OPERATIONS[name]
    tagged = [(tag, line) for tag in kind.tags for line in (payload if tag == "+" else marker)]
    claims = Claims(
        at_start=name == "prepend_text", at_end=name == "append_text", before=tuple(before), after=tuple(after)
    )
    policy = MatchPolicy((), indents="marker" if is_aligned or not payload else "as-is")
    return Edit(path, (signed_hunk(tagged, policy, claims),), label=name)


def _is_text(line: str) -> bool:
    return bool(line.strip(BLANK))


# ── YAML ─────────────────────────────────────────────────────────────────────────────────────────


def write(ops: tuple[Op, ...]) -> str:
    """Return the operations as one document."""
    languages = list(filter(None, map(_language, ops)))
    lines = [f"language: {languages[0]}"] if languages else []
    return "\n".join([*lines, "operations:", *(line for op in ops for line in _operation(op)), ""])


def _language(op: Op) -> str:
    """Return the language that the document has to name for an operation; blocks of XML don't need it."""
    hunk = op.hunks[0] if isinstance(op, Edit) and op.hunks else None
    if not isinstance(hunk, Hunk) or (hunk.claims.block == "xml" and hunk.policy.language == "xml"):
        return ""
    return hunk.policy.language


def _operation(op: Op) -> list[str]:
    fields = [f"  - path: {op.path if re.fullmatch(_PLAIN, op.path) else _quoted(op.path)}"]
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
    """Add the payload at the end of the fields; at the beginning if it ends in blank lines, which are easily lost."""
    at = 1 if payload and not payload[-1] else len(fields)
    return [*fields[:at], *_field("payload", payload), *fields[at:]]


def _field(key: str, lines: list[str]) -> list[str]:
    """Return a field as a block text, or quoted if a block text would be read as something else."""
    if not lines:
        return [f'    {key}: ""']
    is_plain = all(line.replace("\t", "").isprintable() for line in lines)
    first = next((line for line in lines if line), "")
    if not is_plain or not first.strip() or (lines[-1] and not lines[-1].strip()):
        return [f"    {key}: {_quoted(chr(10).join([*lines, '']))}"]
    mark = "|" + "2" * (first[:1] in (" ", "\t")) + ("-" if lines[-1] else "+")
    return [f"    {key}: {mark}", *("      " + line if line else "" for line in lines)]


def _quoted(text: str) -> str:
    """Return a text in double quotes. Surrogates, bytes that aren't UTF-8, have no escape in YAML."""
    return re.sub(_FRAGILE, lambda sign: f"\\u{ord(sign[0]):04x}", dumps(text, ensure_ascii=False))
