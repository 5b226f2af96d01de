"""JSON edits: the calls of edit tools, in the dialect of any vendor. Reads only; finds no place.

    answer   = prose with values of JSON, or calls as tags, anywhere in it
    value    = call | [value, …] | an object that wraps values: tool_calls, message, content, edits, …
    call     = {"name": tool, "input" | "arguments" | …: fields, or a string of JSON} | {tool: fields} | fields
    fields   = an object whose keys a row of `answer/dialects.py` knows; `command` or `type` may name the tool
    diff     = the hunks of one file without its name: those of a Begin Patch or a unified diff, or SEARCH blocks

`calls.py` finds the calls in an answer and what each does, `operations.py` reads what their fields mean.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ...answer.dialects import plain, shapes, with_path
from ...answer.hashline import is_document as is_hashline
from ...answer.json_calls import find, has_call
from ...answer.json_values import Fields, read, source
from ...model import Patch
from ...text import BOM, patch_lines
from .calls import Call, CallReading, unwrap
from .operations import operate

if TYPE_CHECKING:
    from ...limits import Tally

_GAP = r"(?:\s++|(?://|\#)[^\n]{0,200}+\n|/\*[^*]{0,200}+\*/)*+"
_KEY = rf"""[{{,]{_GAP}\\?["']?([A-Za-z_-]{{2,24}})\\?["']?\s*+:"""
# Lines that other formats are known by: with them, JSON is more likely what is edited than how.
_OTHERS = ("\n<<<<<<<", "\n*** Begin Patch", "\n--- a/", "\n+++ b/", "\n=== file:", "\n------- SEARCH", "\noperations:")
_NAMED = r'"(?:file_path|filePath|path|file)"[ \t]*+:[ \t]*+"([^"\\\n]*+)"'
_LONG = 50_000  # characters from which on it pays to look ahead


def sniff(text: str) -> int:
    """Rate from 0 to 100 how much a text looks like edits in JSON: the keys must be those of an edit."""
    if has_call(text):
        return 96
    if "]\n" in text and is_hashline(_body(text)):
        return 90
    if ("{" not in text and '["apply' not in text) or ('"op"' in text and '"operations"' in text):
        return 0
    if _has_shape(text):
        return 60 if any(mark in text for mark in _OTHERS) else 90
    return 90 if _is_call(_body(text)) else 0


def _has_shape(text: str) -> bool:
    """Return True if the keys in a text include those of a call, and the name of its tool where they don't suffice."""
    seen: set[str] = set()
    for match in re.finditer(_KEY, text):
        key = plain(match[1])
        if key not in seen:
            seen |= with_path({key})
            if any(shape.keys <= seen and (not shape.names or _names_one(text, shape.names)) for shape in shapes()):
                return True
    return False


def _names_one(text: str, names: tuple[str, ...]) -> bool:
    """Return True if one of the names is a value in the text."""
    return any(f"{name}{quote}" in text for name in names for quote in ('"', "'", "\\"))


def _body(text: str) -> str:
    """Return a text without the fence that all of it is in."""
    lines = text.strip().split("\n")
    return "\n".join(lines[1:-1] if lines[0].startswith(("```", "~~~")) else lines).strip()


def _is_call(body: str) -> bool:
    """Return True if all of a text is one value that changes a file, however common its keys are."""
    if body[:1] not in ("{", "[") or body[-1:] not in ("}", "]"):
        return False
    value, reading = read(source(body)), CallReading()
    if value.fault is None and value.end == len(body):
        unwrap(value.value, reading)
    return any(call.verb not in ("", "view", "shell") for call in reading.calls)


def parse(text: str, tally: Tally | None = None, file: str = "") -> Patch:
    """Read the edits of the calls in an answer; `file` is the path of those that name none."""
    if tally is not None and len(text) > _LONG:
        _look_ahead(text, tally)
    answer = find(source("\n".join(patch_lines(text)) if "\r" in text or text[:1] == BOM else text))
    reading = CallReading(tally, file)
    reading.problems = answer.problems
    for value in answer.values:
        unwrap(value, reading)
    if not reading.calls and is_hashline(body := _body(text)):
        first = next(row for row, line in enumerate(patch_lines(text), 1) if line.lstrip()[:1] in ("[", "*"))
        reading.calls.append(Call("patch", "", Fields(first, {"input": body}, {"input": first})))
    path = ""
    for call in reading.calls:
        path = operate(call, path, reading)
        if tally is not None:
            tally(reading.ops)
    if not reading.problems and not any(call.verb not in ("", "shell") for call in reading.calls):
        advice = 'Write objects like {"file_path": …, "old_string": …, "new_string": …}.'
        reading.refuse(1, "there is no edit in the JSON", advice)
    reading.problems.sort(key=lambda problem: problem.patch_line)
    return reading.patch("json-edits", reading.ops)


def _look_ahead(text: str, tally: Tally) -> None:
    """Show the tally the first edits of a long list that may hold too many, before all of it is read.

    They are cut off where an edit seems to begin: if none does, they can't be read, and nothing is refused yet.
    """
    named = list(re.finditer(_NAMED, text))
    last = tally.end([match[1] for match in named])
    if 0 <= last < len(named) - 2:
        head = text[: text.rfind("{", 0, named[last + 2].start())].rstrip(", \t\r\n")
        tally(list(parse(f"{head}]").ops[:-1]), now=True)
