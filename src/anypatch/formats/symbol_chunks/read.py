"""Symbol chunks: edits of symbols as JSON objects. Finds no symbol.

    edit   = {"relative_path": …, "name_path": … | "line": n, "column": n, "chunks": [chunk, …]}
           | {…, "op": "replace" | "insert_before" | "insert_after", "text": …}
           | {…, "op": "delete"} | {…, "op": "rename", "new_name": …}
    chunk  = {"context_before": lines, "old_lines": lines, "new_lines": lines, "context_after": lines}
    lines  = a text, or a list of texts

The shape is checked here, all of it, before anything is looked for.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ...answer.dialects import plain, verb_by_keys
from ...answer.json_calls import collected, find
from ...answer.json_values import Fields, source
from ...model import Chunk, Edit, Inside, Patch
from ...problems import Problem, bad
from ...text import patch_lines

if TYPE_CHECKING:
    from collections.abc import Callable, Set

    from ...answer.json_values import Value

    Refuse = Callable[..., None]


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
    is_edit = _is_edit(keys) and (
        "chunks" not in keys or not keys.isdisjoint(("contextbefore", "contextafter", "oldlines"))
    )
    whole = "op" in keys and any(f'"{op}"' in text or f"'{op}'" in text for op in OPS)
    return 95 if is_edit and ("chunks" in keys or whole) else 0


def parse(text: str) -> Patch:
    """What the edits in an answer say; those of one file become one operation."""
    answer = find(source("\n".join(patch_lines(text))))
    problems, notes = answer.problems, answer.notes
    edits = collected(answer.values, lambda fields: _is_edit(_plain(fields).keys()) or _is_other_call(fields))
    by_path: dict[str, list[Inside]] = {}
    for fields in edits:
        if not _is_edit(_plain(fields).keys()):
            detail = "there is an edit of another kind among the symbol edits"
            problems.append(bad(fields.line, detail, "Send it as a separate patch."))
        elif isinstance(understood := _understood(fields), list):
            problems += understood
        else:
            by_path.setdefault(understood[0], []).append(understood[1])
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
    """Whether plain keys are those of an edit of a symbol."""
    located = not keys.isdisjoint(_PATHS)
    named = not keys.isdisjoint(_NAMES) or keys >= {"line", "column"}
    return located and ("chunks" in keys or (named and "op" in keys))


def _understood(fields: Fields) -> tuple[str, Inside] | list[Problem]:
    """The path and what is to be done there, or all that is wrong with it."""
    values = _plain(fields)
    wrong: list[Problem] = []

    def refuse(detail: str, line: int = fields.line) -> None:
        wrong.append(bad(line, detail))

    path = next((values[key] for key in _PATHS if key in values), None)
    if not isinstance(path, str) or not path:
        refuse("relative_path must be the path of a file")
    name = next((values[key] for key in _NAMES if key in values), "")
    if not isinstance(name, str):
        refuse("name_path must be a string")
    at = _position(values, refuse)
    if not name and at is None:
        refuse("the edit doesn't say which symbol: give name_path, or line and column")
    expected = values.get("expectedhash") or ""
    if not isinstance(expected, str):
        refuse("expected_hash must be a string")
    op = _op_of(values, refuse)
    chunks = _chunks(values.get("chunks"), refuse) if op == "chunks" else ()
    keys = _NEW_NAMES if op == "rename" else _TEXTS
    text = _text(next((values[key] for key in keys if key in values), None), refuse, op)
    lead = bool(values.get("withlead"))
    return wrong or (str(path), Inside(str(name), at, op, chunks, text, lead, str(expected), fields.line))


def _position(values: dict[str, Value], refuse: Refuse) -> tuple[int, int] | None:
    line, column = values.get("line"), values.get("column")
    if line is None and column is None:
        return None
    for value in (line, column):
        if isinstance(value, bool) or not isinstance(value, int | float) or value != int(value) or value < 0:
            refuse("line and column must both be whole numbers, counted from 0")
            return None
    assert isinstance(line, int | float) and isinstance(column, int | float)
    return int(line), int(column)


def _op_of(values: dict[str, Value], refuse: Refuse) -> str:
    value = values.get("op")
    if "chunks" in values:
        if value not in (None, "chunks"):
            refuse("an edit has chunks or an op, not both")
        return "chunks"
    if value not in OPS:
        refuse(f"op must be one of {', '.join(OPS)}")
    return str(value)


def _text(value: Value, refuse: Refuse, op: str) -> tuple[str, ...]:
    """The lines of a whole symbol; a line end at the end of a text is that of its last line."""
    if op in ("chunks", "delete"):
        return ()
    if isinstance(value, str) and value.strip():
        return (value,)
    lines = None if op == "rename" or isinstance(value, str) else _lines(value)
    if not lines:
        needed = "name: new_name" if op == "rename" else "text: a string or a list of lines"
        refuse(f"`{op}` needs the new {needed}")
    return lines or ()


def _chunks(value: Value, refuse: Refuse) -> tuple[Chunk, ...]:
    if not isinstance(value, list) or not value:
        refuse("chunks must be a list with at least one chunk")
        return ()
    return tuple(filter(None, (_chunk(number, one, refuse) for number, one in enumerate(value, 1))))


def _chunk(number: int, value: Value, refuse: Refuse) -> Chunk | None:
    if not isinstance(value, Fields):
        refuse(f"chunk {number} must be an object")
        return None
    values = _plain(value)
    missing = [key for key in _PARTS if values.get(plain(key)) is None]
    if missing:
        refuse(f"chunk {number} lacks {', '.join(missing)}", value.line)
        return None
    parts = {key: _lines(values[plain(key)]) for key in _PARTS}
    for key, lines in parts.items():
        if lines is None:
            refuse(f"{key} of chunk {number} must be a string or a list of strings", value.line)
    old, new = parts["old_lines"] or (), parts["new_lines"] or ()
    if None not in parts.values() and not old and not new:
        refuse(f"chunk {number} has neither old_lines nor new_lines: it changes nothing", value.line)
    before, after = (None if values[plain(key)] == "" else parts[key] for key in ("context_before", "context_after"))
    return Chunk(before, old, new, after, value.line)


def _lines(value: Value) -> tuple[str, ...] | None:
    """A text is one line; None for anything else but a list of texts."""
    if isinstance(value, str):
        return (value,)
    if isinstance(value, list) and all(isinstance(line, str) for line in value):
        return tuple(line for line in value if isinstance(line, str))
    return None
