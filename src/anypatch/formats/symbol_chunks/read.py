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
from typing import TYPE_CHECKING

from ...answer.dialects import plain, verb_by_keys
from ...answer.json_calls import collected, find
from ...answer.json_values import Fields, source, whole_number
from ...model import Chunk, Edit, Patch, SymbolEdit
from ...problems import Refused, bad
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
_NEEDED = {"rename": "name: new_name"}
_OTHER = bad(0, "there is an edit of another kind among the symbol edits", "Send it as a separate patch.")._replace(
    hint="Apply it as a separate patch."
)
_KEY = r"""[{,]\s*+\\?["']?([A-Za-z_-]{2,24})\\?["']?\s*+:"""


def sniff(text: str) -> int:
    """Rate from 0 to 100 how much a text looks like edits of symbols: by the keys that no other format has together."""
    if "{" not in text:
        return 0
    keys = {plain(match[1]) for match in re.finditer(_KEY, text)}
    if not _is_edit(keys):
        return 0
    has_chunks = "chunks" in keys and not keys.isdisjoint(("contextbefore", "contextafter", "oldlines"))
    has_op = "chunks" not in keys and any(f'"{op}"' in text or f"'{op}'" in text for op in OPS)
    return 95 if has_chunks or has_op else 0


def parse(text: str) -> Patch:
    """Read the edits of symbols in an answer; those of one file become one operation."""
    answer = find(source("\n".join(patch_lines(text))))
    problems = answer.problems
    edits = collected(answer.values, lambda fields: _is_edit(_plain(fields).keys()) or _is_other_call(fields))
    by_path: dict[str, list[SymbolEdit]] = {}
    for fields in edits:
        values = _plain(fields)
        try:
            if not _is_edit(values.keys()):
                raise Refused(_OTHER._replace(patch_line=fields.line))
            path = _first(values, _PATHS)
            _check(isinstance(path, str) and path, fields, "relative_path must be the path of a file")
            edit = _symbol_edit(fields, values)
            by_path.setdefault(str(path), []).append(edit)
        except Refused as refused:
            problems += refused.problems
    if not edits and not problems:
        advice = 'Write objects like {"relative_path": …, "name_path": …, "chunks": […]}.'
        problems.append(bad(1, "there is no symbol edit in the JSON", advice))
    ops = tuple(Edit(path, tuple(edits), edits[0].patch_line, "symbol") for path, edits in by_path.items())
    return Patch("symbol-chunks", ops, "", tuple(sorted(problems, key=lambda problem: problem.patch_line)))


def _plain(fields: Fields) -> dict[str, Value]:
    """Return the values of an object by its keys as all dialects spell them."""
    return {plain(key): value for key, value in fields.values.items()}


def _is_other_call(fields: Fields) -> bool:
    return "edits" not in fields.values and bool(verb_by_keys({*_plain(fields)}))


def _is_edit(keys: Set[str]) -> bool:
    """Return True if plain keys are those of an edit of a symbol."""
    has_symbol = not keys.isdisjoint(_NAMES) or keys >= {"line", "column"}
    return not keys.isdisjoint(_PATHS) and ("chunks" in keys or (has_symbol and "op" in keys))


def _first(values: dict[str, Value], keys: tuple[str, ...], default: Value = None) -> Value:
    return next((values[key] for key in keys if key in values), default)


def _check(is_right: object, fields: Fields, detail: str) -> None:
    """Refuse an object unless it is right."""
    if not is_right:
        raise Refused(bad(fields.line, detail))


# ── one edit ─────────────────────────────────────────────────────────────────────────────────────


def _symbol_edit(fields: Fields, values: dict[str, Value]) -> SymbolEdit:
    name, expected = _first(values, _NAMES, ""), values.get("expectedhash") or ""
    _check(isinstance(name, str), fields, "name_path must be a string")
    _check(isinstance(expected, str), fields, "expected_hash must be a string")
    at = _position(fields, values)
    _check(name or at, fields, "the edit doesn't say which symbol: give name_path, or line and column")
    op, given = values.get("op"), values.get("chunks")
    chunks: tuple[Chunk, ...] = ()
    text: tuple[str, ...] = ()
    if "chunks" in values:
        _check(op in (None, "chunks"), fields, "an edit has chunks or an op, not both")
        op, listed = "chunks", given if isinstance(given, list) else []
        _check(listed, fields, "chunks must be a list with at least one chunk")
        chunks = tuple(_chunk(fields, number, value) for number, value in enumerate(listed, 1))
    else:
        _check(op in OPS, fields, f"op must be one of {', '.join(OPS)}")
        text = _text(fields, values, str(op))
    return SymbolEdit(str(name), at, str(op), chunks, text, bool(values.get("withlead")), str(expected), fields.line)


def _position(fields: Fields, values: dict[str, Value]) -> tuple[int, int] | None:
    """Return the line and the column, both counted from 0."""
    if values.get("line") is None and values.get("column") is None:
        return None
    line, column = whole_number(values.get("line")), whole_number(values.get("column"))
    if line is None or column is None or line < 0 or column < 0:
        raise Refused(bad(fields.line, "line and column must both be whole numbers, counted from 0"))
    return line, column


def _text(fields: Fields, values: dict[str, Value], op: str) -> tuple[str, ...]:
    """Return the lines of a whole symbol, or its new name."""
    if op == "delete":
        return ()
    value = _first(values, _NEW_NAMES if op == "rename" else _TEXTS)
    lines = None if op == "rename" and not isinstance(value, str) else _lines(value)
    is_given = lines and not (isinstance(value, str) and not value.strip())
    _check(is_given, fields, f"`{op}` needs the new {_NEEDED.get(op, 'text: a string or a list of lines')}")
    return lines or ()


def _chunk(fields: Fields, number: int, value: Value) -> Chunk:
    if not isinstance(value, Fields):
        raise Refused(bad(fields.line, f"chunk {number} must be an object"))
    values = _plain(value)
    missing = [key for key in _PARTS if values.get(plain(key)) is None]
    _check(not missing, value, f"chunk {number} lacks {', '.join(missing)}")
    parts = [_lines(values[plain(key)]) for key in _PARTS]
    for key, part in zip(_PARTS, parts, strict=True):
        _check(part is not None, value, f"{key} of chunk {number} must be a string or a list of strings")
    before, old, new, after = parts
    _check(old or new, value, f"chunk {number} has neither old_lines nor new_lines: it changes nothing")
    # An empty string is the edge of the symbol or a blank line.
    before = None if values["contextbefore"] == "" else before
    after = None if values["contextafter"] == "" else after
    return Chunk(before, old or (), new or (), after, value.line)


def _lines(value: Value) -> tuple[str, ...] | None:
    """Return the lines of a value: a string is one; None for anything else but a list of strings."""
    if isinstance(value, str):
        return (value,)
    if isinstance(value, list) and all(isinstance(line, str) for line in value):
        return tuple(line for line in value if isinstance(line, str))
    return None
