"""The calls that the values of an answer hold, however they are wrapped, and what each does. Finds no place.

What a call does is said by its command or type, else by the tool's name, else by its keys. What its fields mean is
told in `operations.py`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from ...answer.dialects import keys_of, may_withhold, plain, verb_by_keys, verb_of, withholds
from ...answer.json_calls import ARGUMENTS, Fields, read, slips, source
from ...model import Note
from ...problems import bad, no_file

if TYPE_CHECKING:
    from ...answer.json_calls import Value
    from ...limits import Tally
    from ...model import Op
    from ...problems import Problem

SIMPLE = 'Write {"file_path": …, "old_string": …, "new_string": …}.'
VERB_KEYS = ("command", "type", "action", "operation", "fileoperation", "mode")  # keys that say what a call does
# Keys of the tool's name.
_TOOL_KEYS = ("name", "toolname", "tool", "recipientname", "function", "functionname", "commandname", "cbtoolname")
_WRAPPERS = (
    "function", "functioncall", "toolcall", "tooluse", "message", "toolcalls", "tooluses", "calls", "content", "output",
    "choices", "candidates", "parts", "changes", "files", "action", "actions", "edits", "operations", "patches",
    "updates", "diffs",
)  # fmt: skip
# What says of a message that it isn't the model's, or what a tool answered.
_RESULTS = {"role": ("tool", "function", "user", "system"), "type": ("tool_result", "function_call_output")}
_SHELLS = ("bash", "sh", "zsh", "dash", "ash", "ksh", "powershell", "pwsh")
_NESTED = 4  # arguments inside a string inside arguments: nobody goes deeper
# A patch that says itself which files it is for.
_NAMES_FILES = re.compile(
    r"^(?:\[[^\[\]#\n]+#[0-9A-Fa-f]{4}\]|\*\*\* (?:Update|Add|Delete) File:|diff --git |--- \S[^\n]*\n\+\+\+ \S)",
    re.MULTILINE,
)
_FOLDERS = ("directory", "dir", "folder")  # keys of the folder that a path may be in
_WORDS = {"old": "old text", "new": "new text"}  # fields that people call otherwise
_ONCE = ("old", "new", "content")  # fields that are given under one key


class Call(NamedTuple):
    """One call: what it does ("" where nothing tells), the tool's name as written, its arguments under plain keys."""

    verb: str
    name: str
    fields: Fields


class Reading(NamedTuple):
    """The calls of an answer, what they come to, and where findings go. `file`: the path of those that name none."""

    calls: list[Call]
    ops: list[Op]
    problems: list[Problem]
    notes: list[Note]
    tally: Tally | None = None
    file: str = ""

    def refuse(self, fields: Fields, detail: str, advice: str, path: str = "") -> None:
        """Add what is wrong with an object."""
        self.problems.append(bad(fields.line, detail, advice, path))


def unwrap(value: Value, reading: Reading, nested: int = 0) -> None:
    """Add the calls of one value, however it is wrapped. `nested`: how many strings of arguments it stands in."""
    if isinstance(value, list):
        for item in value:
            unwrap(item, reading, nested)
        if value and isinstance(value[0], str) and value[0] in ("apply_patch", "applypatch"):
            reading.calls.append(_call("", Fields(1, {"command": value}, {})))
    if not isinstance(value, Fields):
        return
    fields = with_plain_keys(value, reading.problems)
    name = first_string(fields.values, _TOOL_KEYS)
    if not name and any(key in fields.values for key in ("actioninput", "actionargs")):
        name = str(fields.values.get("action") or "")  # {"action": "edit_file", "action_input": {…}}
    arguments = next((fields.values[key] for key in ARGUMENTS if key in fields.values), None)
    if _is_withheld(name, fields, reading):
        return
    if any(fields.values.get(key) in said for key, said in _RESULTS.items()):
        reading.notes.append(Note("a message that isn't a call was skipped", patch_line=fields.line))
        for one in _listed(fields.values.get("content")):
            if isinstance(one, Fields):
                _is_withheld(name, one, reading)  # "is_error": what was called before it has failed
        return
    if not name or arguments is None:
        _bare(fields, name, reading, nested)
        return
    if isinstance(arguments, str):
        arguments = _arguments(arguments, fields, reading, nested)
        nested += 1
    if isinstance(arguments, Fields):
        given = with_plain_keys(arguments, reading.problems)
        if _is_withheld(name, given, reading):
            return
        if verb_of(tool_of(name)) == "calls":
            unwrap([given.values.get(key) for key in keys_of("calls")], reading, nested)
        else:
            reading.calls.append(_call(name, given))
    elif isinstance(arguments, list):
        unwrap(arguments, reading, nested)


def _bare(fields: Fields, name: str, reading: Reading, nested: int) -> None:
    """An object without tool name and arguments: a call's arguments alone, or a wrapper of more."""
    values = fields.values
    inner = [(key, value) for key, value in values.items() if isinstance(value, Fields | list)]
    call = _call(name, fields)
    if isinstance(values.get("operation"), Fields | list):
        unwrap(values["operation"], reading, nested)
    elif call.verb:
        reading.calls.append(call)
    elif len(values) == 1 and inner and isinstance(inner[0][1], Fields) and verb_of(inner[0][0]):
        reading.calls.append(_call(inner[0][0], with_plain_keys(inner[0][1], reading.problems)))
    else:
        wrapped = [value for key, value in inner if key in _WRAPPERS]
        several = [key for key in ("choices", "candidates") if len(_listed(values.get(key))) > 1]
        if several:  # answers of which one is to be taken
            reading.refuse(fields, f"`{several[0]}` holds several answers", "Give the one that is meant.")
            return
        for one in wrapped:
            unwrap(one, reading, nested)
        if not wrapped:
            reading.calls.append(call)


def _listed(value: Value) -> list[Value]:
    return value if isinstance(value, list) else []


def _is_withheld(name: str, fields: Fields, reading: Reading) -> bool:
    """Whether a call, or what wraps some, isn't to be made: a dry run is passed over, all else is a problem."""
    keys = tuple(fields.values)
    if any(is_set(fields.values[key]) for key in keys_among(keys, "dry_run")):
        reading.calls.append(Call("dry_run", name, fields))
        return True
    key = next((key for key in _withholding(keys) if withholds(key, fields.values[key])), "")
    if key:
        advice = "Leave the call out, or the field if the call is to be made."
        reading.refuse(fields, f"`{key}` means that the call isn't to be made, or isn't whole", advice)
    return bool(key)


def _arguments(text: str, fields: Fields, reading: Reading, nested: int) -> Value:
    """Arguments that are a string: JSON, or the one text that a tool with a free-form input takes."""
    if not text.lstrip().startswith(("{", "[")):
        return Fields(fields.line, {"input": text}, {})
    if nested == _NESTED:
        detail = "the arguments are nested inside strings too deeply"
        reading.refuse(fields, detail, "Write the edit as a plain object.")
        return None
    return value_in(text, fields.line, reading)


def value_in(text: str, line: int, reading: Reading) -> Value:
    """The value that a string holds as JSON; None with the problem recorded where it can't be read."""
    one = read(source(text, line, flat=True))
    if one.fault is not None:
        reading.problems.append(one.fault)
        return None
    reading.notes.extend(slips(one))
    return one.value


def _call(name: str, fields: Fields) -> Call:
    """A call with what it does: by its command or type, by the tool's name, by its keys."""
    names = verbs_in(fields)
    if is_set(fields.values.get("append")):
        names.insert(0, "append")
    names.append(tool_of(name))
    verb = next(filter(None, map(verb_of, names)), "")
    wrappers = {key for key in keys_among(tuple(fields.values), "edits") if isinstance(fields.values[key], Fields)}
    by_keys = _by_keys(frozenset(fields.values.keys() - wrappers))
    if name and by_keys == "write":
        by_keys = ""  # path and content are a search with many tools
    if not verb or (verb in ("edit", "write") and by_keys in ("diff", "sketch")):
        verb = by_keys
    has_edits = bool(key_of(fields, "old")) or isinstance(fields.values.get(key_of(fields, "edits")), list)
    if verb in ("diff", "sketch") and by_keys == "edit" and has_edits and not key_of(fields, "diff", "code"):
        verb = by_keys  # {"name": "update_file", "arguments": {"file_path": …, "replace_blocks": […]}}
    if verb in ("", "shell"):
        has_command = bool(key_of(fields, "command"))
        verb = "shell" if has_command else ""
    if verb not in ("view", "undo") and patch_in(fields)[0]:
        verb = "patch"
    return Call(verb, name, fields)


@lru_cache(maxsize=1024)
def _by_keys(keys: frozenset[str]) -> str:
    return verb_by_keys(set(keys))


@lru_cache(maxsize=64)
def tool_of(name: str) -> str:
    """The name of a tool without that of its server: `edit` of `functions.edit` and `mcp__files__edit`."""
    return re.split(r"__|[./:]", name)[-1]


# ── what the fields of a call hold ───────────────────────────────────────────────────────────────


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
        if found := keys_among(keys, name):
            return found[0]
    return ""


@lru_cache(maxsize=1024)  # the calls of a tool all have the same keys
def keys_among(keys: tuple[str, ...], field: str) -> tuple[str, ...]:
    """Those of a call's keys that may hold a field, in the order of the dialects' rows."""
    return tuple(key for key in keys_of(field) if key in keys)


@lru_cache(maxsize=1024)
def _withholding(keys: tuple[str, ...]) -> tuple[str, ...]:
    """Those of a call's keys that may say that it isn't to be made."""
    return tuple(filter(may_withhold, keys))


def is_set(value: Value) -> bool:
    """Whether a value says yes, as a string too."""
    return value.strip().lower() in ("true", "yes", "1") if isinstance(value, str) else value in (True, 1)


def first_string(values: dict[str, Value], keys: Iterable[str]) -> str:
    """The first of some values that is a string, "" for none."""
    return next((value for key in keys if isinstance(value := values.get(key), str)), "")


def verbs_in(fields: Fields) -> list[str]:
    """The words of a call for what it does."""
    return [value for key in VERB_KEYS if isinstance(value := fields.values.get(key), str)]


def keys_like(pattern: re.Pattern[str], fields: Fields) -> list[str]:
    """The keys with a value that a pattern tells."""
    told = [key for key in fields.values if pattern.fullmatch(key)]
    return [key for key in told if (value := fields.values[key]) is not None and value is not False and value != ""]


def text_of(fields: Fields, reading: Reading, *names: str) -> str | None:
    """The text of one of some fields; None where there is none, with a problem where it isn't text."""
    value, word = fields.values.get(key_of(fields, *names)), _WORDS.get(names[0], names[0])
    if names[0] in _ONCE:
        keys = keys_among(tuple(fields.values), names[0])
        given = {text: key for key in keys if isinstance(text := fields.values[key], str) and text}
        if len(given) > 1:
            one, other = list(given.values())[:2]
            reading.refuse(fields, f"`{one}` and `{other}` both give the {word}", SIMPLE)
            return None
    if value is None or isinstance(value, str):
        return value
    advice = "Write it as one string, with line breaks as `\\n`."
    reading.refuse(fields, f"the {word} must be a string", advice)
    return None


def path_of(fields: Fields, inherited: str, reading: Reading, *names: str) -> str:
    """The path named, else the one inherited, else "" with a problem."""
    count = len(reading.problems)
    path = (text_of(fields, reading, *names, "path") or "").strip() or inherited or reading.file
    folder = first_string(fields.values, _FOLDERS).strip()
    if path and folder and "/" not in path:
        path = f"{folder.rstrip('/')}/{path}"
    for key in keys_among(tuple(fields.values), "path") if path and not names else ():
        other = value.strip() if isinstance(value := fields.values[key], str) else ""
        if other == path or _is_end(other, path):
            continue
        if _is_end(path, other):  # {"path": "a.py", "file": "src/a.py"}
            path = path if other.startswith("/") else other
            continue
        advice = "Give the path of the file once, relative to the root."
        reading.refuse(fields, f"the edit names two files, {path} and {other[:60]}", advice, path)
        break
    if not path and len(reading.problems) == count:
        advice = 'Add "file_path" with the path of the file.'
        reading.problems.append(no_file(fields.line, "the edit names no file", advice))
    return path


def _is_end(one: str, path: str) -> bool:
    """Whether a path is another one, but for folders in front that it leaves out."""
    one, path = (said.replace("\\", "/").removeprefix("./") for said in (one, path))
    return not one or path == one or path.endswith(f"/{one}")


def number_of(value: Value) -> int | None:
    """A whole number, also one that is written as a string; None for all else."""
    if isinstance(value, str) and value.strip().isascii() and value.strip().isdigit() and len(value) < 12:
        return int(value)
    if isinstance(value, bool) or not isinstance(value, int | float) or not -1e9 < value < 1e9 or value != int(value):
        return None
    return int(value)


def lines_of(text: str) -> list[str]:
    """The lines of a text in JSON, without an empty one behind the last line end."""
    return text.replace("\r\n", "\n").removesuffix("\n").split("\n")


def patch_in(fields: Fields) -> tuple[str, str]:
    """The text of a call that is a patch which names its files, and its key; two empty texts where none is."""
    keys = tuple(fields.values)
    diffs = keys_among(keys, "diff")
    for key in (*diffs, *keys_among(keys, "command")):
        value = fields.values[key]
        for part in value if isinstance(value, list) else [value]:
            if isinstance(part, str) and ("*** Begin Patch" in part or (key in diffs and _NAMES_FILES.search(part))):
                return part, key
    return "", ""


def script_of(fields: Fields) -> str:
    """What a call has a shell do: a text, or the arguments of one."""
    value = fields.values[key_of(fields, "command")]
    words = [word for word in value if isinstance(word, str)] if isinstance(value, list) else []
    if len(words) == 3 and words[0].rpartition("/")[2] in _SHELLS and words[1].startswith("-"):
        return words[2]
    return value if isinstance(value, str) else " ".join(words)
