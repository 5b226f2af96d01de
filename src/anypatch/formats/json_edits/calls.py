"""The calls that the values of an answer hold, however they are wrapped, and what each does. Finds no place.

The command or type of a call says what it does, else the tool's name, else its keys. `operations.py` reads what
its fields mean.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from ...answer.dialects import keys_of, plain, verb_by_keys, verb_of
from ...answer.json_calls import ARGUMENTS
from ...answer.json_values import Fields, read, source, whole_number
from ...problems import Problem, bad, no_file
from ..findings import Findings

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


class Unreadable(Exception):
    """Ends the reading of one call, or of one of its edits."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem.detail)
        self.problem = problem


class Call(NamedTuple):
    """One call: what it does ("" if nothing tells), the tool's name as written, its arguments under plain keys.

    Its methods raise Unreadable for a value that can't be used.
    """

    verb: str
    name: str
    fields: Fields

    @property
    def line(self) -> int:
        """The line of the answer where it begins."""
        return self.fields.line

    def key(self, *fields: str) -> str:
        """Return the key that holds one of some fields, "" for none."""
        keys = tuple(self.fields.values)
        for field in fields:
            if among := keys_among(keys, field):
                return among[0]
        return ""

    def value(self, *fields: str) -> Value:
        """Return the value of one of some fields; None if there is none."""
        return self.fields.values.get(self.key(*fields))

    def text(self, *fields: str) -> str | None:
        """Return the text of one of some fields; None if there is none."""
        value, word = self.value(*fields), _WORDS.get(fields[0], fields[0])
        keys = keys_among(tuple(self.fields.values), fields[0]) if fields[0] in _ONCE else ()
        if len(keys) > 1:
            given = {text: key for key in keys if isinstance(text := self.fields.values[key], str) and text}
            if len(given) > 1:
                first, second, *_ = given.values()
                raise self.refusal(f"`{first}` and `{second}` both give the {word}")
        if value is None or isinstance(value, str):
            return value
        raise self.refusal(f"the {word} must be a string", "Write it as one string, with line breaks as `\\n`.")

    def path(self, inherited: str, *fields: str) -> str:
        """Return the path it names, else the one inherited."""
        path = (self.text(*fields, "path") or "").strip() or inherited
        if not path:
            raise Unreadable(no_file(self.line, "the edit names no file", 'Add "file_path" with the path of the file.'))
        return path

    def values(self, field: str) -> list[Value]:
        """Return all values of a field, by whatever keys."""
        return [self.fields.values[key] for key in keys_among(tuple(self.fields.values), field)]

    def says(self, field: str) -> bool:
        """Return True if a field is given and says yes."""
        return any(map(is_yes, self.values(field)))

    def refusal(self, detail: str, advice: str = SIMPLE, path: str = "") -> Unreadable:
        """Return the refusal of the call."""
        return Unreadable(bad(self.line, detail, advice, path))


class CallReading(Findings):
    """The calls of an answer and their operations. `file`: the path of calls that name none."""

    __slots__ = ("calls", "file", "ops", "tally")

    def __init__(self, tally: Tally | None = None, file: str = "") -> None:
        super().__init__()
        self.calls: list[Call] = []
        self.ops: list[Op] = []
        self.tally, self.file = tally, file


def unwrap(value: Value, reading: CallReading, nested: int = 0) -> None:
    """Add the calls of one value, however it is wrapped. `nested`: how many strings of arguments it is inside of."""
    if isinstance(value, list):
        for item in value:
            unwrap(item, reading, nested)
        if value and value[0] in ("apply_patch", "applypatch"):
            reading.calls.append(_call("", Fields(1, {"command": value}, {})))
    elif isinstance(value, Fields):
        try:
            _unwrap_object(value, reading, nested)
        except Unreadable as unreadable:
            reading.problems.append(unreadable.problem)


def _unwrap_object(value: Fields, reading: CallReading, nested: int) -> None:
    fields = with_plain_keys(value)
    word = next((word for key, word in _CUT_OFF.items() if fields.values.get(key) == word), "")
    if word:
        reading.problems.append(Problem("truncated", f"the API ended it with `{word}`", patch_line=fields.line))
    name = next((name for key in _TOOL_KEYS if isinstance(name := fields.values.get(key), str)), "")
    arguments = next((fields.values[key] for key in ARGUMENTS if key in fields.values), None)
    if not name or arguments is None:
        _unwrap_bare(fields, name, reading, nested)
        return
    if isinstance(arguments, str):
        arguments = _arguments(arguments, fields, nested)
        nested += 1
    if isinstance(arguments, list):
        unwrap(arguments, reading, nested)
    elif isinstance(arguments, Fields):
        given = with_plain_keys(arguments)
        if verb_of(tool_of(name)) == "calls":
            unwrap([given.values.get(key) for key in keys_of("calls")], reading, nested)
        else:
            reading.calls.append(_call(name, given))


def _arguments(text: str, fields: Fields, nested: int) -> Value:
    """Return arguments that are a string: JSON, or the text that a tool with a free-form input takes."""
    if not text.lstrip().startswith(("{", "[")):
        return Fields(fields.line, {"input": text}, {})
    if nested == _NESTED:
        detail = "the arguments are nested inside strings too deeply"
        raise Unreadable(bad(fields.line, detail, "Write the edit as a plain object."))
    return value_in(text, fields.line)


def _unwrap_bare(fields: Fields, name: str, reading: CallReading, nested: int) -> None:
    """Add an object without tool name and arguments: the arguments of a call alone, or a wrapper of more."""
    operation = fields.values.get("operation")
    if isinstance(operation, Fields | list):
        unwrap(operation, reading, nested)
        return
    call = _call(name, fields)
    wrapped: list[Value] = [
        value for key, value in fields.values.items() if key in _WRAPPERS and isinstance(value, Fields | list)
    ]
    if call.verb or not wrapped:
        reading.calls.append(call)
    else:
        unwrap(wrapped, reading, nested)


def value_in(text: str, line: int) -> Value:
    """Return the value that a string holds as JSON."""
    value = read(source(text, line, flat=True))
    if value.fault is not None:
        raise Unreadable(value.fault)
    return value.value


def _call(name: str, fields: Fields) -> Call:
    """Return a call with what it does: by its command or type, by the tool's name, by its keys."""
    call = Call("", name, fields)
    if call.says("dry_run"):
        return Call("dry_run", name, fields)
    verb = _verb(call)
    if verb in ("", "shell"):
        verb = "shell" if call.key("command") else ""
    if verb not in ("view", "undo") and patch_in(fields)[0]:
        verb = "patch"
    return Call(verb, name, fields)


def _verb(call: Call) -> str:
    """Return what a call does, by its command, its tool's name and its keys; "" if they don't tell."""
    values = call.fields.values
    names = [value for key in _VERB_KEYS if isinstance(value := values.get(key), str)]
    verb = next(filter(None, map(verb_of, (*names, tool_of(call.name)))), "")
    wrappers = {key for key in keys_among(tuple(values), "edits") if isinstance(values[key], Fields)}
    by_keys = _by_keys(frozenset(values.keys() - wrappers))
    if call.name and by_keys == "write":
        by_keys = ""  # many tools that search take a path and content
    if not verb or (verb in ("edit", "write") and by_keys in ("diff", "sketch")):
        verb = by_keys
    has_edits = call.key("old") or isinstance(call.value("edits"), list)
    if verb in ("diff", "sketch") and has_edits and not call.key("diff", "code"):
        verb = "edit"  # {"name": "update_file", "arguments": {"file_path": …, "replace_blocks": […]}}
    return verb


@lru_cache(maxsize=1024)
def _by_keys(keys: frozenset[str]) -> str:
    return verb_by_keys(set(keys))


@lru_cache(maxsize=64)
def tool_of(name: str) -> str:
    """Return the name of a tool without that of its server: `edit` of `functions.edit` and `mcp__files__edit`."""
    return re.split(r"__|[./:]", name)[-1]


# ── the fields of a call ─────────────────────────────────────────────────────────────────────────


def with_plain_keys(fields: Fields) -> Fields:
    """Return the fields under plain keys; raise Unreadable if the same key has two values, in two spellings."""
    values: dict[str, Value] = {}
    for key, value in fields.values.items():
        name = plain(key)
        if name in values and values[name] != value:
            detail = f'the key "{key}" appears twice in one object, in two spellings'
            raise Unreadable(bad(fields.line, detail, "Leave one of them out."))
        values[name] = value
    return Fields(fields.line, values, {plain(key): line for key, line in fields.lines.items()})


@lru_cache(maxsize=1024)  # the calls of a tool all have the same keys
def keys_among(keys: tuple[str, ...], field: str) -> tuple[str, ...]:
    """Return those of a call's keys that may hold a field, in the order of the dialects' rows."""
    return tuple(key for key in keys_of(field) if key in keys)


def is_yes(value: Value) -> bool:
    """Return True if a value says yes, also as a string."""
    return value.strip().lower() in ("true", "yes", "1") if isinstance(value, str) else value in (True, 1)


def number_of(value: Value) -> int | None:
    """Return a whole number, also one that is written as a string; None for all else."""
    if isinstance(value, str) and value.strip().isascii() and value.strip().isdigit() and len(value) < 12:
        return int(value)
    return whole_number(value)


def lines_of(text: str) -> list[str]:
    """Return the lines of a text in JSON, without an empty one after the last line break."""
    return text.replace("\r\n", "\n").removesuffix("\n").split("\n")


def patch_in(fields: Fields) -> tuple[str, str]:
    """Return the text of a call that is a patch which names its files, and its key; two empty texts for none."""
    keys = tuple(fields.values)
    diffs = keys_among(keys, "diff")
    for key in (*diffs, *keys_among(keys, "command")):
        value = fields.values[key]
        for part in value if isinstance(value, list) else [value]:
            if isinstance(part, str) and ("*** Begin Patch" in part or (key in diffs and _NAMES_FILES.search(part))):
                return part, key
    return "", ""
