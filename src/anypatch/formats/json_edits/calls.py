"""The calls that the values of an answer hold, however they are wrapped, and what each does. Finds no place.

The command or type of a call says what it does, else the tool's name, else its keys. `operations.py` reads what
its fields mean.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from ...answer.dialects import keys_of, plain, verb_by_keys, verb_of
from ...answer.json_calls import ARGUMENTS
from ...answer.json_values import Fields, read, source, whole_number
from ...model import Note
from ...problems import Problem, bad, no_file

if TYPE_CHECKING:
    from ...answer.json_values import Value
    from ...limits import Tally
    from ...model import Op

SIMPLE = 'Write {"file_path": …, "old_string": …, "new_string": …}.'
_VERB_KEYS = ("command", "type", "action", "operation", "mode")  # keys that say what a call does
_TOOL_KEYS = ("name", "toolname", "tool", "recipientname", "function", "functionname", "commandname", "cbtoolname")
_WRAPPERS = (
    "function", "functioncall", "toolcall", "tooluse", "message", "toolcalls", "tooluses", "calls", "content", "output",
    "choices", "candidates", "parts", "changes", "files", "action", "actions", "edits", "operations", "patches",
    "updates", "diffs",
)  # fmt: skip
# The keys and values with which an API reports that it cut an answer off.
_CUT_OFF = {"stopreason": "max_tokens", "finishreason": "length", "status": "incomplete"}
_NESTED = 4  # arguments inside a string inside arguments: nobody goes deeper
# A patch that names its files itself.
_NAMES_FILES = re.compile(
    r"^(?:\[[^\[\]#\n]+#[0-9A-Fa-f]{4}\]|\*\*\* (?:Update|Add|Delete) File:|diff --git |--- \S[^\n]*\n\+\+\+ \S)",
    re.MULTILINE,
)
_WORDS = {"old": "old text", "new": "new text"}  # what people call these fields
_ONCE = ("path", "old", "new", "content")  # fields that are given under one key


class Call(NamedTuple):
    """One call: what it does ("" if nothing tells), the tool's name as written, its arguments under plain keys."""

    verb: str
    name: str
    fields: Fields


class CallReading(NamedTuple):
    """The calls of an answer, their operations, problems and notes. `file`: the path of calls that name none."""

    calls: list[Call]
    ops: list[Op]
    problems: list[Problem]
    notes: list[Note]
    tally: Tally | None = None
    file: str = ""

    def refuse(self, fields: Fields, detail: str, advice: str, path: str = "") -> None:
        """Record what is wrong with an object."""
        self.problems.append(bad(fields.line, detail, advice, path))


def unwrap(value: Value, reading: CallReading, nested: int = 0) -> None:
    """Add the calls of one value, however it is wrapped. `nested`: how many strings of arguments it is inside of."""
    if isinstance(value, list):
        for item in value:
            unwrap(item, reading, nested)
        if value and value[0] in ("apply_patch", "applypatch"):
            reading.calls.append(_call("", Fields(1, {"command": value}, {})))
    elif isinstance(value, Fields):
        _unwrap_object(value, reading, nested)


def _unwrap_object(value: Fields, reading: CallReading, nested: int) -> None:
    fields = with_plain_keys(value, reading.problems)
    _check_cut_off(fields, reading)
    name = first_string(fields.values, _TOOL_KEYS)
    arguments = next((fields.values[key] for key in ARGUMENTS if key in fields.values), None)
    if not name or arguments is None:
        _bare(fields, name, reading, nested)
        return
    if isinstance(arguments, str):
        arguments = _arguments(arguments, fields, reading, nested)
        nested += 1
    if isinstance(arguments, Fields):
        given = with_plain_keys(arguments, reading.problems)
        if verb_of(tool_of(name)) == "calls":
            unwrap([given.values.get(key) for key in keys_of("calls")], reading, nested)
        else:
            reading.calls.append(_call(name, given))
    elif isinstance(arguments, list):
        unwrap(arguments, reading, nested)


def _check_cut_off(fields: Fields, reading: CallReading) -> None:
    """Refuse the response of an API that says it was cut off."""
    word = next((word for key, word in _CUT_OFF.items() if fields.values.get(key) == word), "")
    if word:
        detail = f"the API ended it with `{word}`"
        reading.problems.append(Problem("truncated", detail, patch_line=fields.line))


def _bare(fields: Fields, name: str, reading: CallReading, nested: int) -> None:
    """An object without tool name and arguments: the arguments of a call alone, or a wrapper of more."""
    operation = fields.values.get("operation")
    if isinstance(operation, Fields | list):
        unwrap(operation, reading, nested)
        return
    call = _call(name, fields)
    wrapped = [fields.values[key] for key in fields.values if key in _WRAPPERS]
    wrapped = [value for value in wrapped if isinstance(value, Fields | list)]
    if call.verb or not wrapped:
        reading.calls.append(call)
    else:
        for value in wrapped:
            unwrap(value, reading, nested)


def _arguments(text: str, fields: Fields, reading: CallReading, nested: int) -> Value:
    """Arguments that are a string: JSON, or the text that a tool with a free-form input takes."""
    if not text.lstrip().startswith(("{", "[")):
        return Fields(fields.line, {"input": text}, {})
    if nested == _NESTED:
        detail = "the arguments are nested inside strings too deeply"
        reading.refuse(fields, detail, "Write the edit as a plain object.")
        return None
    return value_in(text, fields.line, reading)


def value_in(text: str, line: int, reading: CallReading) -> Value:
    """The value that a string holds as JSON; None with the problem recorded if it can't be read."""
    value = read(source(text, line, flat=True))
    if value.fault is not None:
        reading.problems.append(value.fault)
        return None
    reading.notes.extend(value.notes)
    return value.value


def _call(name: str, fields: Fields) -> Call:
    """A call with what it does: by its command or type, by the tool's name, by its keys."""
    if any(is_set(fields.values[key]) for key in keys_among(tuple(fields.values), "dry_run")):
        return Call("dry_run", name, fields)
    verb = _verb(name, fields)
    if verb in ("", "shell"):
        verb = "shell" if key_of(fields, "command") else ""
    if verb not in ("view", "undo") and patch_in(fields)[0]:
        verb = "patch"
    return Call(verb, name, fields)


def _verb(name: str, fields: Fields) -> str:
    """Return what a call does, by its command, its tool's name and its keys; "" if they don't tell."""
    names = [value for key in _VERB_KEYS if isinstance(value := fields.values.get(key), str)]
    verb = next(filter(None, map(verb_of, (*names, tool_of(name)))), "")
    wrappers = {key for key in keys_among(tuple(fields.values), "edits") if isinstance(fields.values[key], Fields)}
    by_keys = _by_keys(frozenset(fields.values.keys() - wrappers))
    if name and by_keys == "write":
        by_keys = ""  # many tools that search take a path and content
    if not verb or (verb in ("edit", "write") and by_keys in ("diff", "sketch")):
        verb = by_keys
    has_edits = bool(key_of(fields, "old")) or isinstance(fields.values.get(key_of(fields, "edits")), list)
    if verb in ("diff", "sketch") and has_edits and not key_of(fields, "diff", "code"):
        verb = "edit"  # {"name": "update_file", "arguments": {"file_path": …, "replace_blocks": […]}}
    return verb


@lru_cache(maxsize=1024)
def _by_keys(keys: frozenset[str]) -> str:
    return verb_by_keys(set(keys))


@lru_cache(maxsize=64)
def tool_of(name: str) -> str:
    """The name of a tool without that of its server: `edit` of `functions.edit` and `mcp__files__edit`."""
    return re.split(r"__|[./:]", name)[-1]


# ── the fields of a call ─────────────────────────────────────────────────────────────────────────


def with_plain_keys(fields: Fields, problems: list[Problem]) -> Fields:
    """The fields under plain keys; the same key in two spellings with two values is a problem."""
    values: dict[str, Value] = {}
    for key, value in fields.values.items():
        name = plain(key)
        if name in values and values[name] != value:
            detail = f'the key "{key}" appears twice in one object, in two spellings'
            problems.append(bad(fields.line, detail, "Leave one of them out."))
        values[name] = value
    return Fields(fields.line, values, {plain(key): line for key, line in fields.lines.items()})


def key_of(fields: Fields, *names: str) -> str:
    """The key of the call that holds one of some fields, "" for none."""
    keys = tuple(fields.values)
    for name in names:
        if among := keys_among(keys, name):
            return among[0]
    return ""


@lru_cache(maxsize=1024)  # the calls of a tool all have the same keys
def keys_among(keys: tuple[str, ...], field: str) -> tuple[str, ...]:
    """Those of a call's keys that may hold a field, in the order of the dialects' rows."""
    return tuple(key for key in keys_of(field) if key in keys)


def is_set(value: Value) -> bool:
    """True if a value says yes, also as a string."""
    return value.strip().lower() in ("true", "yes", "1") if isinstance(value, str) else value in (True, 1)


def first_string(values: dict[str, Value], keys: Iterable[str]) -> str:
    """The first of some values that is a string, "" for none."""
    return next((value for key in keys if isinstance(value := values.get(key), str)), "")


def text_of(fields: Fields, reading: CallReading, *names: str) -> str | None:
    """The text of one of some fields; None if there is none, with a problem if it isn't text."""
    value, word = fields.values.get(key_of(fields, *names)), _WORDS.get(names[0], names[0])
    keys = keys_among(tuple(fields.values), names[0])
    if len(keys) > 1 and names[0] in _ONCE:
        given = {text: key for key in keys if isinstance(text := fields.values[key], str) and text}
        if len(given) > 1:
            first, second, *_ = given.values()
            reading.refuse(fields, f"`{first}` and `{second}` both give the {word}", SIMPLE)
            return None
    if value is None or isinstance(value, str):
        return value
    reading.refuse(fields, f"the {word} must be a string", "Write it as one string, with line breaks as `\\n`.")
    return None


def path_of(fields: Fields, inherited: str, reading: CallReading, *names: str) -> str:
    """The path named, else the one inherited, else "" with a problem."""
    count = len(reading.problems)
    path = (text_of(fields, reading, *names, "path") or "").strip() or inherited or reading.file
    if not path and len(reading.problems) == count:
        advice = 'Add "file_path" with the path of the file.'
        reading.problems.append(no_file(fields.line, "the edit names no file", advice))
    return path


def number_of(value: Value) -> int | None:
    """A whole number, also one that is written as a string; None for all else."""
    if isinstance(value, str) and value.strip().isascii() and value.strip().isdigit() and len(value) < 12:
        return int(value)
    return whole_number(value)


def lines_of(text: str) -> list[str]:
    """The lines of a text in JSON, without an empty one after the last line break."""
    return text.replace("\r\n", "\n").removesuffix("\n").split("\n")


def patch_in(fields: Fields) -> tuple[str, str]:
    """The text of a call that is a patch which names its files, and its key; two empty texts if there is none."""
    keys = tuple(fields.values)
    diffs = keys_among(keys, "diff")
    for key in (*diffs, *keys_among(keys, "command")):
        value = fields.values[key]
        for part in value if isinstance(value, list) else [value]:
            if isinstance(part, str) and ("*** Begin Patch" in part or (key in diffs and _NAMES_FILES.search(part))):
                return part, key
    return "", ""
