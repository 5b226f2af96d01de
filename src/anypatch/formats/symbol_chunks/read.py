"""Symbol chunks: edits of symbols as JSON objects. Finds no symbol.

    edit   = {"relative_path": …, "name_path": … | "line": n, "column": n, "chunks": [chunk, …]}
           | {…, "op": "replace" | "insert_before" | "insert_after", "text": …}
           | {…, "op": "delete"} | {…, "op": "rename", "new_name": …}
    chunk  = {"context_before": lines, "old_lines": lines, "new_lines": lines, "context_after": lines}
    lines  = a string, or a list of strings

The shape is checked here, all of it, before anything is looked for.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from ...answer.dialects import plain, verb_by_keys
from ...answer.json_calls import collected, find
from ...answer.json_values import Fields, source, whole_number
from ...model import Chunk, Edit, Patch, SymbolEdit
from ...problems import Problem, bad
from ...text import patch_lines

if TYPE_CHECKING:
    from collections.abc import Set

    from ...answer.json_values import Value

OPS = ("replace", "insert_before", "insert_after", "delete", "rename")
_PATHS = ("relativepath", "path", "filepath", "file")
_NAMES = ("namepath", "symbol")
_TEXTS = ("text", "newlines", "body", "content")
_NEW_NAMES = ("newname", "to")
_PARTS = ("context_before", "old_lines", "new_lines", "context_after")
_KEY = r"""[{,]\s*+\\?["']?([A-Za-z_-]{2,24})\\?["']?\s*+:"""


def sniff(text: str) -> int:
    """How much a text looks like edits of symbols: by the keys that no other format has together."""
    if "{" not in text:
        return 0
    keys = {plain(match[1]) for match in re.finditer(_KEY, text)}
    if not _is_edit(keys):
        return 0
    has_chunks = "chunks" in keys and not keys.isdisjoint(("contextbefore", "contextafter", "oldlines"))
    has_op = "chunks" not in keys and any(f'"{op}"' in text or f"'{op}'" in text for op in OPS)
    return 95 if has_chunks or has_op else 0


def parse(text: str) -> Patch:
    """The edits of symbols in an answer; those of one file become one operation."""
    answer = find(source("\n".join(patch_lines(text))))
    problems, notes = answer.problems, answer.notes
    edits = collected(answer.values, lambda fields: _is_edit(_plain(fields).keys()) or _is_other_call(fields))
    by_path: dict[str, list[SymbolEdit]] = {}
    for fields in edits:
        values = _plain(fields)
        if not _is_edit(values.keys()):
            detail = "there is an edit of another kind among the symbol edits"
            hint = "Apply it as a separate patch."
            problems.append(bad(fields.line, detail, "Send it as a separate patch.")._replace(hint=hint))
            continue
        count = len(problems)
        reading = _EditReading(fields.line, problems)
        path, inside = reading.path(values), reading.inside(values)
        if len(problems) == count:
            by_path.setdefault(path, []).append(inside)
    if not edits and not problems:
        advice = 'Write objects like {"relative_path": …, "name_path": …, "chunks": […]}.'
        problems.append(bad(1, "there is no symbol edit in the JSON", advice))
    ops = tuple(Edit(path, tuple(insides), insides[0].patch_line, "symbol") for path, insides in by_path.items())
    return Patch("symbol-chunks", ops, "", tuple(sorted(problems, key=lambda p: p.patch_line)), tuple(notes))


def _plain(fields: Fields) -> dict[str, Value]:
    """The values of an object by its keys as all dialects spell them."""
    return {plain(key): value for key, value in fields.values.items()}


def _is_other_call(fields: Fields) -> bool:
    return "edits" not in fields.values and bool(verb_by_keys({*_plain(fields)}))


def _is_edit(keys: Set[str]) -> bool:
    """True if plain keys are those of an edit of a symbol."""
    has_symbol = not keys.isdisjoint(_NAMES) or keys >= {"line", "column"}
    return not keys.isdisjoint(_PATHS) and ("chunks" in keys or (has_symbol and "op" in keys))


def _first(values: dict[str, Value], keys: tuple[str, ...], default: Value = None) -> Value:
    return next((values[key] for key in keys if key in values), default)


class _EditReading(NamedTuple):
    """The reading of one edit, which begins on a line; all that is wrong with it is added to the problems."""

    line: int
    problems: list[Problem]

    def refuse(self, detail: str, line: int = 0) -> None:
        self.problems.append(bad(line or self.line, detail))

    def path(self, values: dict[str, Value]) -> str:
        path = _first(values, _PATHS)
        if not isinstance(path, str) or not path:
            self.refuse("relative_path must be the path of a file")
        return str(path)

    def inside(self, values: dict[str, Value]) -> SymbolEdit:
        name, expected = _first(values, _NAMES, ""), values.get("expectedhash") or ""
        if not isinstance(name, str):
            self.refuse("name_path must be a string")
        if not isinstance(expected, str):
            self.refuse("expected_hash must be a string")
        at = self.position(values)
        if not name and at is None:
            self.refuse("the edit doesn't say which symbol: give name_path, or line and column")
        op = self.op(values)
        chunks = self.chunks(values.get("chunks")) if op == "chunks" else ()
        text = self.text(_first(values, _NEW_NAMES if op == "rename" else _TEXTS), op)
        return SymbolEdit(str(name), at, op, chunks, text, bool(values.get("withlead")), str(expected), self.line)

    def position(self, values: dict[str, Value]) -> tuple[int, int] | None:
        """The line and the column, both counted from 0."""
        if values.get("line") is None and values.get("column") is None:
            return None
        line, column = whole_number(values.get("line")), whole_number(values.get("column"))
        if line is None or column is None or line < 0 or column < 0:
            self.refuse("line and column must both be whole numbers, counted from 0")
            return None
        return line, column

    def op(self, values: dict[str, Value]) -> str:
        op = values.get("op")
        if "chunks" in values:
            if op not in (None, "chunks"):
                self.refuse("an edit has chunks or an op, not both")
            return "chunks"
        if op not in OPS:
            self.refuse(f"op must be one of {', '.join(OPS)}")
        return str(op)

    def text(self, value: Value, op: str) -> tuple[str, ...]:
        """The lines of a whole symbol, or its new name."""
        if op in ("chunks", "delete"):
            return ()
        if isinstance(value, str) and value.strip():
            return (value,)
        lines = None if op == "rename" or isinstance(value, str) else _lines(value)
        if not lines:
            needed = "name: new_name" if op == "rename" else "text: a string or a list of lines"
            self.refuse(f"`{op}` needs the new {needed}")
        return lines or ()

    def chunks(self, value: Value) -> tuple[Chunk, ...]:
        if not isinstance(value, list) or not value:
            self.refuse("chunks must be a list with at least one chunk")
            return ()
        return tuple(filter(None, (self.chunk(number, one) for number, one in enumerate(value, 1))))

    def chunk(self, number: int, value: Value) -> Chunk | None:
        if not isinstance(value, Fields):
            self.refuse(f"chunk {number} must be an object")
            return None
        values = _plain(value)
        missing = [key for key in _PARTS if values.get(plain(key)) is None]
        if missing:
            self.refuse(f"chunk {number} lacks {', '.join(missing)}", value.line)
            return None
        before, old, new, after = (self.part(key, number, values[plain(key)], value.line) for key in _PARTS)
        if old == new == ():
            self.refuse(f"chunk {number} has neither old_lines nor new_lines: it changes nothing", value.line)
        # An empty string is the edge of the symbol or a blank line.
        before = None if values["contextbefore"] == "" else before
        after = None if values["contextafter"] == "" else after
        return Chunk(before, old or (), new or (), after, value.line)

    def part(self, key: str, number: int, value: Value, line: int) -> tuple[str, ...] | None:
        lines = _lines(value)
        if lines is None:
            self.refuse(f"{key} of chunk {number} must be a string or a list of strings", line)
        return lines


def _lines(value: Value) -> tuple[str, ...] | None:
    """A string is one line; None for anything else but a list of strings."""
    if isinstance(value, str):
        return (value,)
    if isinstance(value, list) and all(isinstance(line, str) for line in value):
        return tuple(line for line in value if isinstance(line, str))
    return None
