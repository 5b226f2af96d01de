"""JSON edits: the calls of edit tools, in the dialect of any vendor. Reads only; finds no place.

    answer   = prose with values of JSON, or calls as tags, anywhere in it
    value    = call | [value, …] | an object that wraps values: tool_calls, message, content, edits, …
    call     = {"name": tool, "input" | "arguments" | …: fields, or a string of JSON} | {tool: fields} | fields
    fields   = an object whose keys a row of `parsing/dialects.py` knows; `command` or `type` may name the tool
    diff     = the hunks of one file without its name: those of a Begin Patch or a unified diff, or SEARCH blocks

`calls.py` finds the calls in an answer and what each does, `operations.py` reads what their fields mean.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

from ...answer.dialects import plain, shapes, with_path
from ...answer.hashline import is_document as is_hashline
from ...answer.json_calls import Fields, find, has_call, read, source
from ...model import Patch
from ...problems import Problem
from ...text import BOM, patch_lines
from .calls import Call, Reading, unwrap

if TYPE_CHECKING:
    from types import ModuleType

    from ...answer.json_calls import Value
    from ...limits import Tally

_GAP = r"(?:\s++|(?://|\#)[^\n]{0,200}+\n|/\*[^*]{0,200}+\*/)*+"
_KEY = rf"""[{{,]{_GAP}\\?["']?([A-Za-z_-]{{2,24}})\\?["']?\s*+:"""
# Lines that other formats are known by: with them, JSON is more likely what is edited than how.
_OTHERS = ("\n<<<<<<<", "\n*** Begin Patch", "\n--- a/", "\n+++ b/", "\n=== file:", "\n------- SEARCH", "\noperations:")
_NAMED = r'"(?:file_path|filePath|path|file)"[ \t]*+:[ \t]*+"([^"\\\n]*+)"'
_LONG = 50_000  # signs from which on it pays to look ahead


def sniff(text: str) -> int:
    """How much a text looks like edits in JSON. Not any JSON: the keys must be those of an edit."""
    if has_call(text):
        return 96
    if "]\n" in text and is_hashline(_body(text)):
        return 90
    if ("{" not in text and '["apply' not in text) or ('"op"' in text and '"operations"' in text):
        return 0
    seen: set[str] = set()
    for match in re.finditer(_KEY, text):
        key = plain(match[1])
        if key not in seen:
            seen |= with_path({key})
            if any(shape.keys <= seen and (not shape.names or _names_one(text, shape.names)) for shape in shapes()):
                return 60 if any(mark in text for mark in _OTHERS) else 90
    return 90 if _is_call(_body(text)) else 0


def _body(text: str) -> str:
    """A text without the fence that all of it stands in."""
    lines = text.strip().split("\n")
    return "\n".join(lines[1:-1] if lines[0].startswith(("```", "~~~")) else lines).strip()


def _is_call(body: str) -> bool:
    """Whether all of a text is one value that changes a file, be its keys as common as they may."""
    if body[:1] not in ("{", "[") or body[-1:] not in ("}", "]"):
        return False
    value = read(source(body))
    reading = Reading([], [], [], [])
    if value.fault is None and value.end == len(body):
        unwrap(value.value, reading)
    return any(call.verb not in ("", "view", "shell") for call in reading.calls)


def _names_one(text: str, names: tuple[str, ...]) -> bool:
    """Whether one of the names stands somewhere as a value."""
    return any(f"{name}{quote}" in text for name in names for quote in ('"', "'", "\\"))


def parse(text: str, tally: Tally | None = None, file: str = "") -> Patch:
    """What the calls in an answer say."""
    if tally is not None and len(text) > _LONG:
        _look_ahead(text, tally)
    answer = find(source("\n".join(patch_lines(text)) if "\r" in text or text[:1] == BOM else text))
    reading = Reading([], [], answer.problems, answer.notes, tally, file)
    for value in answer.values:
        unwrap(value, reading)
    if not reading.calls and is_hashline(_body(text)):
        first = next(row for row, line in enumerate(patch_lines(text), 1) if line.lstrip()[:1] in ("[", "*"))
        reading.calls.append(Call("patch", "", Fields(first, {"input": _body(text)}, {"input": first})))
    path = ""
    for call in reading.calls:
        path = _operations().operate(call, path, reading) or path
        if tally is not None:
            tally(reading.ops)
    _check_is_one_answer(reading)
    problems = reading.problems
    if not problems and not any(call.verb not in ("", "shell") for call in reading.calls):
        advice = 'Write objects like {"file_path": …, "old_string": …, "new_string": …}.'
        problems.append(Problem("bad_patch", "there is no edit in the JSON", patch_line=1, advice=advice))
    problems.sort(key=lambda problem: problem.patch_line)
    ops = reading.ops
    return Patch("json-edits", tuple(ops), "", tuple(problems), tuple(reading.notes))


@cache
def _operations() -> ModuleType:
    """What the calls mean; what only looks like calls to `sniff` needs none of it."""
    from . import operations

    return operations


def _check_is_one_answer(reading: Reading) -> None:
    """Refuse rows for several tasks, and calls of which one is to be made."""
    tasks = {str(value): call.fields for call in reading.calls if (value := call.fields.values.get("instanceid"))}
    if len(tasks) > 1:
        detail, advice = "the rows belong to different tasks", "Apply each to its own task's repository."
        reading.refuse(list(tasks.values())[1], detail, advice)
        reading.ops.clear()
    options = {str(value): call.fields for call in reading.calls if (value := _option(call.fields)) is not None}
    if len(options) > 1:
        detail, advice = "the calls are alternatives, of which one is meant", "Send only that one."
        reading.refuse(list(options.values())[1], detail, advice)


def _option(fields: Fields) -> Value:
    """Which of several alternatives a call is; None for others."""
    return next((fields.values[key] for key in ("option", "alternative", "variant") if key in fields.values), None)


def _look_ahead(text: str, tally: Tally) -> None:
    """Show the first edits of a long list that may hold too many, before all of it is read.

    They are cut off where an edit seems to begin: if none does, they can't be read, and say nothing.
    """
    named = list(re.finditer(_NAMED, text))
    last = tally.end([match[1] for match in named])
    if 0 <= last < len(named) - 2:
        head = text[: text.rfind("{", 0, named[last + 2].start())].rstrip(", \t\r\n")
        tally(list(parse(f"{head}]").ops[:-1]), now=True)
