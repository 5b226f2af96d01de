"""JSON edits: the calls of edit tools, in the dialect of any vendor. Reads only; finds no place.

    answer   = prose with values of JSON, or calls as tags, anywhere in it
    value    = call | [value, …] | an object that wraps values: tool_calls, message, content, edits, …
    call     = {"name": tool, "input" | "arguments" | …: fields, or a string of JSON} | {tool: fields} | fields
    fields   = an object whose keys a row of `parsing/dialects.py` knows; `command` or `type` may name the tool
    diff     = the hunks of one file without its name: those of a Begin Patch or a unified diff, or SEARCH blocks

What a call does is said by its command or type, else by the tool's name, else by its keys.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache

from ...diff import tagged
from ...model import TEXT_FOR_TEXT, TOLERANT, Delete, Edit, Hunk, Inside, Move, Note, Op, Patch, Swap, Where, Write
from ...parsing import bad, hashline, no_file, said_once
from ...parsing.dialects import (
    POSITION,
    keys_of,
    plain,
    puts_beside,
    shapes,
    verb_by_keys,
    verb_of,
    with_path,
    withholds,
)
from ...parsing.elision import cut_at_marks, is_dots
from ...parsing.fences import fences
from ...parsing.hashline import is_document as is_hashline
from ...parsing.json import ARGUMENTS, Fields, find, has_call, read, slips, source
from ...parsing.shell import SHELLS, is_script, may_write, operations
from ...parsing.shown import Shown
from ...problems import Problem
from ...record import NamedTuple
from ...text import patch_lines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...limits import Tally
    from ...parsing.json import Value

_GAP = r"(?:\s++|(?://|\#)[^\n]{0,200}+\n|/\*[^*]{0,200}+\*/)*+"
_KEY = rf"""[{{,]{_GAP}\\?["']?([A-Za-z_-]{{2,24}})\\?["']?\s*+:"""
# Lines that other formats are known by: with them, JSON is more likely what is edited than how.
_OTHERS = ("\n<<<<<<<", "\n*** Begin Patch", "\n--- a/", "\n+++ b/", "\n=== file:", "\n------- SEARCH", "\noperations:")
_NAMED = r'"(?:file_path|filePath|path|file)"[ \t]*+:[ \t]*+"([^"\\\n]*+)"'
_FENCE = "`" * 12
_NAMES_FILES = re.compile(
    r"^(?:\[[^\[\]#\n]+#[0-9A-Fa-f]{4}\]|\*\*\* (?:Update|Add|Delete) File:|diff --git |--- \S[^\n]*\n\+\+\+ \S)",
    re.MULTILINE,
)
_LONG = 50_000  # signs from which on it pays to look ahead
_SIMPLE = 'Write {"file_path": …, "old_string": …, "new_string": …}.'

_NAMES = ("name", "toolname", "tool", "recipientname", "function", "functionname")
_VERBS = ("command", "type", "action", "operation", "mode")  # keys that say what a call does
_WRAPPERS = (
    "function", "functioncall", "toolcall", "tooluse", "message", "toolcalls", "tooluses", "calls", "content", "output",
    "choices", "candidates", "parts", "changes", "files", "action", "actions", "edits", "operations", "patches",
    "updates",
)  # fmt: skip
# Keys that say otherwise which part is meant, and words for what is done that do.
_PART = re.compile(
    "(?:is)?partial|pattern|symbol|(?:function|class|method)(?:name)?|block|section|chunk|selection|target|location|anchor"
    "|(?:insert|append|prepend|after|before)[a-z]*"
)
# Words for what is done: {"action": "insert_at_end", "content": …} isn't the whole file, {"mode": "x"} is a new one.
_ADDS = re.compile(r"append|prepend|insert|^(?:a\+?|r\+|merge|partial)$")
_IS_NEW = ("add", "x", "xb")
_IN_PATH = re.compile(r":\d+(?:[-:]\d+)?$|#L\d+")  # lines, where a path should be: `a.py:5-6`
# Keys that bound how many places are replaced, and values that say that a text isn't what it says.
_BOUND = re.compile("(?:max|num)?(?:count|occurrences?|replacements|matches)|limit|nth|scope")
_PATTERNS = ("regex", "regexp")
_CODED = ("base64", "gzip", "hex")
# Names of tools that only look: `preview_edit`, `search`, not `find_and_replace`.
_LOOKS = re.compile(
    "(?:preview|check|validate|verify|compare|revert|undo|view|read|show|explain|simulate|dry_?run)(?![a-z])"
    "|(?:find|search|grep|query)(?![a-z])(?!.*(?:replace|edit))"
)
# What says of a message that it isn't the model's, or what a tool answered.
_RESULTS = {"role": ("tool", "function", "user", "system"), "type": ("tool_result", "function_call_output")}
_ANCHORED = {"setline": "replace", "replacelines": "replace", "replace": "replace", "insertafter": "append",
             "append": "append", "insertbefore": "prepend", "prepend": "prepend"}  # fmt: skip
_FOLDERS = ("directory", "dir", "folder")  # keys of the folder that a path may be in
_NESTED = 4  # arguments inside a string inside arguments: nobody goes deeper
_WORDS = {"old": "old text", "new": "new text"}  # fields that people call otherwise
_ONCE = ("old", "new", "content")  # fields that are given under one key
_REFUSED = {
    "undo": (
        "`undo_edit` can't be part of a patch",
        "Leave it out; undo is a separate call.",
    ),
}


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


def sniff(text: str) -> int:
    """How much a text looks like edits in JSON. Not any JSON: the keys must be those of an edit."""
    if has_call(text):
        return 96
    if any(command in text for command in ("cat ", "tee ", "sed ")) and _scripts(text):
        return 60
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


def _scripts(text: str) -> list[tuple[int, str]]:
    """The scripts in the fences of a text, else the text where it is one, each with its first line."""
    if not may_write(text):
        return []
    scripts = [(region.start + 1, "\n".join(region.body)) for region in fences(patch_lines(text))] or [(1, text)]
    return [(line, script) for line, script in scripts if is_script(script)]


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
        _unwrap(value.value, reading, 0)
    return any(call.verb not in ("", "view") for call in reading.calls)


def _names_one(text: str, names: tuple[str, ...]) -> bool:
    """Whether one of the names stands somewhere as a value."""
    return any(f"{name}{quote}" in text for name in names for quote in ('"', "'", "\\"))


def parse(text: str, tally: Tally | None = None, file: str = "") -> Patch:
    """What the calls in an answer say."""
    if tally is not None and len(text) > _LONG:
        _look_ahead(text, tally)
    answer = find(source("\n".join(patch_lines(text))))
    reading = Reading([], [], answer.problems, answer.notes, tally, file)
    for value in answer.values:
        _unwrap(value, reading, 0)
    if not reading.calls and is_hashline(_body(text)):
        first = next(row for row, line in enumerate(patch_lines(text), 1) if line.lstrip()[:1] in ("[", "*"))
        reading.calls.append(Call("patch", "", Fields(first, {"input": _body(text)}, {"input": first})))
    if not reading.calls:
        scripts = [Fields(line, {"command": script}, {}) for line, script in _scripts(text)]
        reading.calls.extend(Call("shell", "", fields) for fields in scripts)
    path = ""
    for call in reading.calls:
        path = _operate(call, path, reading) or path
        if tally is not None:
            tally(reading.ops)
    problems = reading.problems
    tasks = {str(value): call.fields for call in reading.calls if (value := call.fields.values.get("instanceid"))}
    if len(tasks) > 1:
        detail, advice = "the rows belong to different tasks", "Apply each to its own task's repository."
        problems.append(bad(list(tasks.values())[1].line, detail, advice))
        reading.ops.clear()
    options = {str(value): call.fields for call in reading.calls if (value := _option(call.fields)) is not None}
    if len(options) > 1:
        detail, advice = "the calls are alternatives, of which one is meant", "Send only that one."
        problems.append(bad(list(options.values())[1].line, detail, advice))
    if not problems and not any(call.verb for call in reading.calls):
        advice = 'Write objects like {"file_path": …, "old_string": …, "new_string": …}.'
        problems.append(Problem("bad_patch", "there is no edit in the JSON", patch_line=1, advice=advice))
    problems.sort(key=lambda problem: problem.patch_line)
    ops = said_once(reading.ops, reading.notes)
    return Patch("json-edits", tuple(ops), "", tuple(problems), tuple(reading.notes))


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


# ── from values to calls ─────────────────────────────────────────────────────────────────────────


def _unwrap(value: Value, reading: Reading, nested: int) -> None:
    """Add the calls of one value, however it is wrapped. As deep as JSON may be nested, no deeper."""
    if isinstance(value, list):
        for item in value:
            _unwrap(item, reading, nested)
        if value and isinstance(value[0], str) and value[0] in ("apply_patch", "applypatch"):
            reading.calls.append(_call("", Fields(1, {"command": value}, {})))
    if not isinstance(value, Fields):
        return
    fields = _with_plain_keys(value, reading.problems)
    name = next((value for key in _NAMES if isinstance(value := fields.values.get(key), str)), "")
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
        given = _with_plain_keys(arguments, reading.problems)
        if not _is_withheld(name, given, reading):
            reading.calls.append(_call(name, given))
    elif isinstance(arguments, list):
        _unwrap(arguments, reading, nested)


def _is_withheld(name: str, fields: Fields, reading: Reading) -> bool:
    """Whether a call, or what wraps some, isn't to be made: a dry run is passed over, all else is a problem."""
    if any(_flag(fields.values.get(key)) for key in keys_of("dry_run")):
        reading.calls.append(Call("dry_run", name, fields))
        return True
    key = next((key for key, value in fields.values.items() if withholds(key, value)), "")
    if key:
        advice = "Leave the call out, or the field if the call is to be made."
        reading.refuse(fields, f"`{key}` means that the call isn't to be made, or isn't whole", advice)
    return bool(key)


def _with_plain_keys(fields: Fields, problems: list[Problem]) -> Fields:
    """The fields under plain keys; the same key in two spellings with two values is a problem."""
    values: dict[str, Value] = {}
    for key, value in fields.values.items():
        name = plain(key)
        if name in values and values[name] != value:
            detail = f'the key "{key}" appears twice in one object, in two spellings'
            problems.append(bad(fields.line, detail, "Leave one of them out."))
        values[name] = value
    return Fields(fields.line, values, {plain(key): line for key, line in fields.lines.items()})


def _arguments(text: str, fields: Fields, reading: Reading, nested: int) -> Value:
    """Arguments that are a string: JSON, or the one text that a tool with a free-form input takes."""
    if not text.lstrip().startswith(("{", "[")):
        return Fields(fields.line, {"input": text}, {})
    if nested == _NESTED:
        detail = "the arguments are nested inside strings too deeply"
        reading.refuse(fields, detail, "Write the edit as a plain object.")
        return None
    return _of_json(text, fields.line, reading)


def _of_json(text: str, line: int, reading: Reading) -> Value:
    """The value that a string holds as JSON; None with the problem recorded where it can't be read."""
    one = read(source(text, line, flat=True))
    if one.fault is not None:
        reading.problems.append(one.fault)
        return None
    reading.notes.extend(slips(one))
    return one.value


def _bare(fields: Fields, name: str, reading: Reading, nested: int) -> None:
    """An object without tool name and arguments: a call's arguments alone, or a wrapper of more."""
    values = fields.values
    inner = [(key, value) for key, value in values.items() if isinstance(value, Fields | list)]
    call = _call(name, fields)
    if isinstance(values.get("operation"), Fields | list):
        _unwrap(values["operation"], reading, nested)
    elif call.verb:
        reading.calls.append(call)
    elif len(values) == 1 and inner and isinstance(inner[0][1], Fields) and verb_of(inner[0][0]):
        reading.calls.append(_call(inner[0][0], _with_plain_keys(inner[0][1], reading.problems)))
    else:
        wrapped = [value for key, value in inner if key in _WRAPPERS]
        several = [key for key in ("choices", "candidates") if len(_listed(values.get(key))) > 1]
        if several:  # answers of which one is to be taken
            reading.refuse(fields, f"`{several[0]}` holds several answers", "Give the one that is meant.")
            return
        for one in wrapped:
            _unwrap(one, reading, nested)
        if not wrapped:
            reading.calls.append(call)


def _listed(value: Value) -> list[Value]:
    return value if isinstance(value, list) else []


def _call(name: str, fields: Fields) -> Call:
    """A call with what it does: by its command or type, by the tool's name, by its keys."""
    names = [value for key in _VERBS if isinstance(value := fields.values.get(key), str)]
    if _flag(fields.values.get("append")):
        names.insert(0, "append")
    names.append(_tool(name))
    verb = next(filter(None, map(verb_of, names)), "")
    wrappers = {key for key in keys_of("edits") if isinstance(fields.values.get(key), Fields)}
    by_keys = verb_by_keys(fields.values.keys() - wrappers)
    if name and by_keys == "write":
        by_keys = ""  # path and content are a search with many tools
    if not verb or (verb in ("edit", "write") and by_keys in ("diff", "sketch")):
        verb = by_keys
    if verb in ("", "shell"):
        has_command = bool(_key(fields, "command"))
        verb = "shell" if has_command and may_write(_script(fields)) else "view" if verb and has_command else ""
    if verb != "view" and verb not in _REFUSED and _envelope(fields)[0]:
        verb = "patch"
    return Call(verb, name, fields)


def _tool(name: str) -> str:
    """The name of a tool without that of its server: `edit` of `functions.edit` and `mcp__files__edit`."""
    return re.split(r"__|[./:]", name)[-1]


def _envelope(fields: Fields) -> tuple[str, str]:
    """The text of a call that is a patch which names its files, and its key; two empty texts where none is."""
    for key, value in fields.values.items():
        is_diff = key in keys_of("diff")
        if is_diff or key in keys_of("command"):
            for part in value if isinstance(value, list) else [value]:
                if isinstance(part, str) and ("*** Begin Patch" in part or (is_diff and _NAMES_FILES.search(part))):
                    return part, key
    return "", ""


def _script(fields: Fields) -> str:
    """What a call has a shell do: a text, or the arguments of one."""
    value = fields.values[_key(fields, "command")]
    words = [word for word in value if isinstance(word, str)] if isinstance(value, list) else []
    if len(words) == 3 and words[0].rpartition("/")[2] in SHELLS and words[1].startswith("-"):
        return words[2]
    return value if isinstance(value, str) else " ".join(words)


# ── from calls to operations ─────────────────────────────────────────────────────────────────────


def _operate(call: Call, path: str, reading: Reading) -> str:
    """Add the operations of one call; `path` is inherited where it names none. Gives the path it was about."""
    fields = call.fields
    numbered = [key for key in fields.values if (bare := key.rstrip("0123456789")) != key and bare in _numbered()]
    if numbered and call.verb not in ("", "view"):  # "old_str", "new_str", "old_str_2", "new_str_2"
        reading.refuse(fields, f"`{numbered[0]}` is one edit of several in a call", _SIMPLE)
        return path
    if call.verb in _REFUSED:
        reading.refuse(fields, *_REFUSED[call.verb])
        return path
    if call.verb == "dry_run":
        reading.notes.append(Note("a call with `dryRun` changes nothing and was skipped", patch_line=fields.line))
        return path
    if call.verb in ("", "view"):
        name = call.name or str(fields.values.get("command", ""))
        what = f"the call `{name}` changes no file and" if name else "an object that isn't an edit"
        if _key(fields, "command") and verb_of(call.name) == "shell":
            what = f"`{_script(fields).strip()[:40]}` is not run and"
        reading.notes.append(Note(f"{what} was skipped", patch_line=fields.line))
        return path
    if call.verb == "edit":  # each of its edits may name a file
        return _edit(call, path, reading)
    if call.verb in _ENVELOPES:
        _ENVELOPES[call.verb](call, reading)
        return path
    inherited = path if call.verb == "write" and not call.name else ""
    own = _path(fields, inherited, reading, *(["from"] if call.verb == "move" else []))
    _BUILDERS[call.verb](call, own, reading)
    return own or path


@cache
def _numbered() -> frozenset[str]:
    """Keys that a call may give several times, with a number behind each."""
    return frozenset(key for name in ("old", "new", "line") for key in keys_of(name))


def _key(fields: Fields, *names: str) -> str:
    """The key under which one of some fields stands, "" for none."""
    return next((key for name in names for key in keys_of(name) if key in fields.values), "")


def _keys_like(pattern: re.Pattern[str], fields: Fields) -> list[str]:
    """The keys with a value that a pattern tells."""
    told = [key for key in fields.values if pattern.fullmatch(key)]
    return [key for key in told if (value := fields.values[key]) is not None and value is not False and value != ""]


def _text(fields: Fields, reading: Reading, *names: str) -> str | None:
    """The text of one of some fields; None where there is none, with a problem where it isn't text."""
    value = fields.values.get(_key(fields, *names))
    if names[0] in _ONCE:
        given = {text: key for key in keys_of(names[0]) if isinstance(text := fields.values.get(key), str) and text}
        if len(given) > 1:
            one, other = list(given.values())[:2]
            reading.refuse(fields, f"`{one}` and `{other}` both give the {_WORDS.get(names[0], names[0])}", _SIMPLE)
            return None
    if value is None or isinstance(value, str):
        return value
    advice = "Write it as one string, with line breaks as `\\n`."
    reading.refuse(fields, f"the {_WORDS.get(names[0], names[0])} must be a string", advice)
    return None


def _path(fields: Fields, inherited: str, reading: Reading, *names: str) -> str:
    """The path named, else the one inherited, else "" with a problem."""
    count = len(reading.problems)
    path = (_text(fields, reading, *names, "path") or "").strip() or inherited or reading.file
    folder = next((value for key in _FOLDERS if isinstance(value := fields.values.get(key), str)), "").strip()
    if path and folder and "/" not in path:
        path = f"{folder.rstrip('/')}/{path}"
    for key in keys_of("path") if path and not names else ():
        other = value.strip() if isinstance(value := fields.values.get(key), str) else ""
        if _is_end(other, path):
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


def _flag(value: Value) -> bool:
    return value.strip().lower() in ("true", "yes", "1") if isinstance(value, str) else value in (True, 1)


def _number(value: Value) -> int | None:
    if isinstance(value, str) and value.strip().isascii() and value.strip().isdigit() and len(value) < 12:
        return int(value)
    if isinstance(value, bool) or not isinstance(value, int | float) or not -1e9 < value < 1e9 or value != int(value):
        return None
    return int(value)


def _lines_of(text: str) -> list[str]:
    return text.replace("\r\n", "\n").removesuffix("\n").split("\n")


# ── replacing and inserting ──────────────────────────────────────────────────────────────────────


def _edit(call: Call, inherited: str, reading: Reading) -> str:
    """One replacement, or the list of them that one file gets."""
    fields = call.fields
    key = _key(fields, "edits")
    if _is_moved(fields, reading):
        return inherited
    if not key:
        if inherited and not _key(fields, "path"):
            note = "the edit names no file; it was taken as another edit of the previous file"
            reading.notes.append(Note(note, inherited, fields.line))
        return _replacement(fields, inherited, call, reading)
    listed = fields.values[key]
    if isinstance(listed, str):
        listed = _of_json(listed, fields.lines.get(key, fields.line), reading)
        if listed is None:
            return inherited
    listed = [listed] if isinstance(listed, Fields) else listed
    items = [item for item in listed if isinstance(item, Fields)] if isinstance(listed, list) else []
    if not items or not isinstance(listed, list) or len(items) < len(listed):
        reading.refuse(fields, f"`{key}` must be a list of edits", _SIMPLE)
        return inherited
    # {"role": "assistant", "content": "I change f.", "edits": […]} has no file's content.
    texts = ("old", "new", "diff", *(["content"] if _key(fields, "path") else []))
    if beside := [key for name in texts for key in keys_of(name) if fields.values.get(key)]:
        reading.refuse(fields, f"the call gives `{beside[0]}` beside a list of edits", _SIMPLE)
        return inherited
    enclosing = path = (_text(fields, reading, "path") or "").strip()
    if _anchors(items[0]):
        return _by_anchors(items, fields, enclosing, reading)
    for item in items:
        given = _with_plain_keys(item, reading.problems)
        if not any(withholds(key, value) for key, value in given.values.items()):
            path = _replacement(given, enclosing or path, call, reading)
        else:
            reading.refuse(given, "one of the edits isn't to be made", "Leave it out.", enclosing or path)
        if reading.tally is not None:
            reading.tally(reading.ops)
    return path or inherited


def _is_moved(fields: Fields, reading: Reading) -> bool:
    """Whether a call that changes a text gives the file a new name, too: a problem."""
    to = fields.values.get(_key(fields, "to"))
    is_moved = isinstance(to, str) and bool(to.strip()) and to != fields.values.get(_key(fields, "path"))
    if is_moved:
        reading.refuse(
            fields, "the call changes the file and gives it a new name", "Make a separate call for the move."
        )
    return is_moved


def _anchors(fields: Fields) -> tuple[str, tuple[str, str], list[str]] | None:
    """What an edit that names lines by hash does (replace, append, prepend), its anchors, its lines; None for others.

    {"op": "replace", "pos": "2:a3", "end": "4:0f", "lines": [...]}, {"set_line": {"anchor": "2:a3", "new_text": ...}}
    """
    values = {plain(key): value for key, value in fields.values.items()}
    verb = str(values.get("op") or values.get("type") or "")
    if len(values) == 1 and isinstance(inner := next(iter(values.values())), Fields):
        verb = next(iter(values))
        values = {plain(key): value for key, value in inner.values.items()}
    verb = _ANCHORED.get(plain(verb), "")
    ends = [
        next((value for key in keys if isinstance(value := values.get(key), str)), "")
        for keys in (("anchor", "startanchor", "pos", "line", "startline"), ("endanchor", "end", "endline"))
    ]
    if not verb or not re.match(r"\d+[:#]\w+$", ends[0]):
        return None
    value = next((values[key] for key in ("newtext", "lines", "text", "content") if key in values), "")
    lines = [line for line in value if isinstance(line, str)] if isinstance(value, list) else []
    if isinstance(value, str) and value:
        lines = _lines_of(value)
    return verb, (ends[0], ends[1]), lines


def _by_anchors(items: list[Fields], fields: Fields, path: str, reading: Reading) -> str:
    """Edits of one file that name its lines by their hashes, all of the file as it was read."""
    hunks = []
    for item in items:
        told = _anchors(item)
        hunk = hashline.anchored(*told, item.line) if told else None
        if hunk is None:
            advice = "Name lines as `12:a3` or `12#VK`, by the number and hash they were shown with."
            reading.refuse(item, "an edit doesn't name its lines by a known hash", advice, path)
            return path
        hunks.append(hunk)
    path = path or _path(fields, "", reading)
    if path:
        reading.ops.append(Edit(path, tuple(hunks), fields.line))
    return path


def _replacement(fields: Fields, inherited: str, call: Call, reading: Reading) -> str:
    """One replacement; gives its path."""
    count = len(reading.problems)
    path = _path(fields, inherited, reading)
    old, new = _text(fields, reading, "old"), _text(fields, reading, "new")
    if len(reading.problems) > count:
        return path
    is_command = isinstance(call.fields.values.get("command"), str)
    modes = [fields.values.get(key) for key in keys_of("mode")]
    if old is None and (numbered := _keys_like(POSITION, fields)):
        reading.refuse(fields, f"the edit gives line numbers (`{numbered[0]}`) but no old text", _SIMPLE, path)
        return path
    # Of {"path": …, "edits": [{"content": …}]} the content isn't the whole file.
    is_own = fields is call.fields or bool(_key(fields, "path"))
    if old is None and new is None and isinstance(fields.values.get("content"), str) and is_own:
        path = _path(fields, "" if call.name else path, reading)
        _write(Call("write", call.name, fields), path, reading)
        return path
    if (old is None or new is None) and fields.values.get(_key(fields, "content")):
        # {"find": "x", "content": "y"} may replace `x` or go beside it.
        reading.refuse(fields, "the edit gives `content`, but not both an old and a new text", _SIMPLE, path)
        return path
    if new is None and call.name and not verb_of(_tool(call.name)) and not is_command:
        # {"name": "find_in_file", "arguments": {"path": …, "old_string": …}} deletes nothing.
        reading.refuse(fields, f"`{call.name}` isn't known as an edit, and gives no new text", _SIMPLE, path)
        return path
    if old is None and new is None:
        reading.refuse(fields, "the edit gives neither old nor new text", _SIMPLE, path)
        return path
    if otherwise := _does_otherwise(fields, call):
        reading.refuse(fields, f"`{otherwise}` doesn't put the new text in the place of the old", _SIMPLE, path)
        return path
    if old is None and (part := _keys_like(_PART, fields)):
        # {"path": …, "anchor": "def g():", "new_str": …} goes to that place, not to the end.
        reading.refuse(fields, f"the edit gives `{part[0]}` but no old text", _SIMPLE, path)
        return path
    old, new = old or "", new or ""  # without old text a file is made, without new text the old one goes
    texts = [*keys_of("old"), *keys_of("new")]
    said = [value for key, value in fields.values.items() if key not in texts]
    if any(map(_flag, modes)) or any(word in said for word in _PATTERNS) or "regex" in call.name.lower():
        reading.refuse(fields, "the old text is a regular expression", "Give the exact text to replace.", path)
    elif old == new:
        advice = "Leave the edit out, or give a different new text."
        reading.refuse(fields, "the old and the new text are the same", advice, path)
    elif not old and is_command:
        reading.refuse(fields, "`old_str` is empty", "Use `insert` to add lines, or `create` for a new file.", path)
    elif not old:
        reading.ops.append(Write(path, new, False, fields.line, adds=True))
    elif (times := _times(fields, reading)) is not None:
        if any("\\n" in text and "\n" not in text for text in (old, new)):
            note = "the text has `\\n` as two characters and no line break; in JSON, a line break takes one backslash"
            reading.notes.append(Note(note, path, fields.line))
        first, last = (_number(fields.values.get(key)) for key in ("startline", "endline"))
        within = (first, last) if first and last and not times else None
        swap = Swap(old, new, TOLERANT, times, fields.line, within=within)
        gapped = _with_gaps(path, swap) if times == 1 and "\n" in old else None
        reading.ops.append(gapped or Edit(path, (swap,), fields.line, "replace"))
    return path


def _does_otherwise(fields: Fields, call: Call) -> str:
    """The word that says of an old and a new text that one doesn't replace the other; "" where none does.

    {"old_str": "x = 1", "new_str": "y = 2", "position": "after"}, {"name": "preview_edit", "input": {"old_str": …}}
    """
    values = [("command", _tool(call.name)), *call.fields.values.items(), *fields.values.items()]
    said = [(key, value) for key, value in values if isinstance(value, str) and not verb_of(value)]
    beside = [value for key, value in said if puts_beside(key, value)]
    names = [(value, re.sub(r"(?<=[a-z])(?=[A-Z])", "_", value).lower()) for key, value in said if key in _VERBS]
    return next(iter([*beside, *(name for name, words in names if _LOOKS.match(words))]), "")


def _with_gaps(path: str, swap: Swap) -> Edit | None:
    """The edit of whole lines, some of which are dots for code left out on both sides."""
    old, new = (text.removesuffix("\n").split("\n") for text in (swap.old, swap.new))
    if not (any(map(is_dots, old)) and any(map(is_dots, new))):
        return None
    whole = Hunk(tagged(old, new), Where(), TEXT_FOR_TEXT, swap.patch_line)
    edit = cut_at_marks(path, old, new, whole)
    return edit._replace(label="replace") if edit is not None else None


def _times(fields: Fields, reading: Reading) -> int | None:
    """In how many places the old text must stand; 0 for any number; None with a problem."""
    value = fields.values.get(_key(fields, "times"))
    if value is None and not any(_flag(fields.values.get(key)) for key in keys_of("all")):
        return 1
    bounds = [key for rule in (_BOUND, POSITION, _PART) for key in _keys_like(rule, fields)]
    bounds = [key for key in bounds if key not in ("startline", "endline")]  # of these the plan knows
    if value is None and bounds:
        detail = f"`{bounds[0]}` means that not all places are to be replaced"
        reading.refuse(fields, detail, "Edit each place by itself.")
        return None
    if value is None:
        return 0
    times = _number(value)
    if times is None or times < 1:
        advice = "Give the number of places to replace, or leave it out for one."
        reading.refuse(fields, "the expected number of replacements is not a positive number", advice)
        return None
    return times


def _insert(call: Call, path: str, reading: Reading) -> None:
    """Lines below a numbered one; 0 is the top."""
    fields = call.fields
    number = _number(fields.values.get(_key(fields, "line")))
    text = _text(fields, reading, "lines", "new")
    if number and _is_above(fields):
        number -= 1
    if fields.values.get(_key(fields, "old")):
        reading.refuse(fields, "`insert` gives an old text, too", "Use `str_replace` to replace it.", path)
    elif number is None or number < 0:
        advice = "Give the number of the line to insert after; 0 is the top of the file."
        # {"command": "insert", "line": 2} may mean above or below that line.
        is_given = bool(_key(fields, "line"))
        detail = "`insert_line` is not a line number" if is_given else "`insert` doesn't say below which line"
        reading.refuse(fields, detail, advice, path)
    elif text is None:
        reading.refuse(fields, "`insert` has no text", 'Add "insert_text" with the new lines.', path)
    elif path:
        where = Where(line=number + 1, last=number)
        hunk = Hunk(tuple(("+", line) for line in _lines_of(text)), where, TOLERANT, fields.line)
        reading.ops.append(Edit(path, (hunk,), fields.line, "insert"))


def _is_above(fields: Fields) -> bool:
    """Whether lines go above the line that is numbered, as with Cline's editor, which has no commands."""
    has_command = isinstance(fields.values.get("command"), str)
    return "beforeline" in fields.values or ("newtext" in fields.values and not has_command)


def _append(call: Call, path: str, reading: Reading) -> None:
    """Lines below the last one."""
    fields = call.fields
    text = _text(fields, reading, "content", "new")
    if not text:
        reading.refuse(fields, "there is no text to append", 'Add "text" with the new lines.', path)
    elif path:
        hunk = Hunk(tuple(("+", line) for line in _lines_of(text)), Where(at_end=True), TOLERANT, fields.line)
        reading.ops.append(Edit(path, (hunk,), fields.line, "insert"))


def _symbol(call: Call, path: str, reading: Reading) -> None:
    """A whole symbol: replaced, deleted, or something put beside it."""
    fields = call.fields
    name = (_text(fields, reading, "symbol") or "").strip()
    body = _text(fields, reading, "body") or ""
    if not name:
        reading.refuse(fields, "the edit names no symbol", 'Add "name_path".', path)
    elif not body.strip() and call.verb != "delete_symbol":
        reading.refuse(fields, "the symbol's new text is missing", 'Add "body" with all of it.', path)
    elif path:
        if call.verb == "delete_symbol":
            reading.notes.append(Note(f"it was not checked whether {name} is used elsewhere", path, fields.line))
        deed = call.verb.removesuffix("_symbol")
        if "\n" in body.strip():  # a definition beside another has a blank line between, as Serena puts one there
            body = f"\n{body}" if deed == "insert_after" and body[0] != "\n" else body
            body = f"{body.rstrip()}\n\n" if deed == "insert_before" and not body.endswith("\n\n") else body
        inside = Inside(name, None, deed, (), (body,) if body.strip() else (), patch_line=fields.line)
        reading.ops.append(Edit(path, (inside,), fields.line, "symbol"))


def _notebook(call: Call, path: str, reading: Reading) -> None:
    """The source of a cell, or a cell put below another."""
    fields = call.fields
    number = _number(fields.values.get("cellnumber"))
    name = (_text(fields, reading, "cell") or ("" if number is None else f"cell-{number}")).strip()
    source = _text(fields, reading, "source")
    mode = str(fields.values.get(_key(fields, "cell_mode"), "replace"))
    kind = fields.values.get("celltype") or fields.values.get("language")
    inserted = "insert_markdown" if kind == "markdown" else "insert_code"
    deed = {"replace": "replace", "edit": "replace", "insert": inserted, "delete": "delete"}.get(mode, "")
    if path and not path.endswith(".ipynb"):
        reading.refuse(fields, "the file is not a notebook", "Edit it as text.", path)
    elif not deed or (not name and deed != inserted) or (source is None and deed != "delete"):
        detail = "the edit of a cell doesn't say which cell, what to do or the new source"
        advice = 'Give "cell_id", "edit_mode" (replace, insert or delete) and "new_source".'
        reading.refuse(fields, detail, advice, path)
    elif path:
        inside = Inside(name, None, deed, (), (source,) if source else (), patch_line=fields.line)
        reading.ops.append(Edit(path, (inside,), fields.line, "symbol"))


def _shell(call: Call, reading: Reading) -> None:
    """Commands that write files, as far as they are plain."""
    ops, problems = operations(_script(call.fields), call.fields.line)
    reading.ops.extend(ops)
    reading.problems.extend(problems)


# ── whole files ──────────────────────────────────────────────────────────────────────────────────


def _write(call: Call, path: str, reading: Reading) -> None:
    """A whole file, in the place of one that is there."""
    key = _key(call.fields, "overwrite")
    _file(call.fields, path, reading, overwrite=not key or _flag(call.fields.values[key]))


def _create(call: Call, path: str, reading: Reading) -> None:
    """A new file, by its text or by a diff of added lines."""
    fields = call.fields
    diff = fields.values.get("diff")
    if not isinstance(diff, str) or _key(fields, "content"):
        _file(fields, path, reading, overwrite=False)
    elif path:
        from ..begin_patch.read import parse as parse_patch

        added = parse_patch(f"*** Begin Patch\n*** Add File: {path}\n{diff}\n*** End Patch\n")
        _embed(added, 2, _line_of(fields, "diff"), reading, path)


def _file(fields: Fields, path: str, reading: Reading, overwrite: bool) -> None:
    count = len(reading.problems)
    said = [value for key in _VERBS if isinstance(value := fields.values.get(key), str)]
    if parts := [*_keys_like(POSITION, fields), *filter(_ADDS.search, said)]:
        reading.refuse(fields, f"`{parts[0]}` means that the text is only part of the file", _SIMPLE, path)
        return
    coded = [str(value).lower() for key, value in fields.values.items() if key.endswith("encoding")]
    if any(word in _CODED for word in coded) or _flag(fields.values.get("isbase64")):
        reading.refuse(fields, "the file's text is in base64 or the like", 'Add "content" as plain text.', path)
        return
    if _is_moved(fields, reading):
        return
    if _IN_PATH.search(path):
        reading.refuse(fields, "the path names lines of a file", _SIMPLE, path)
        return
    if _flag(fields.values.get("delete")):
        reading.refuse(fields, "`delete` is set, but there is a file's text, too", _SIMPLE, path)
        return
    # {"action": "update", "function": "f", "content": …} may be all of a new file, but not of one that is there.
    is_new = any(word in _IS_NEW for word in said) or _flag(fields.values.get("isnew"))
    overwrite = overwrite and not _keys_like(_PART, fields) and not is_new
    text = _text(fields, reading, "content")
    if text and "\n" not in text and text.endswith("\\n"):
        detail = "the text ends in `\\n` as two characters; in JSON, a line break takes one backslash"
        reading.refuse(fields, detail, "Write line breaks as `\\n`, with one backslash.", path)
        return
    if text is not None and path:
        reading.ops.append(Write(path, text, overwrite, fields.line, "write" if overwrite else "create"))
    elif text is None and path and len(reading.problems) == count:
        key = "content" if overwrite else "file_text"
        reading.refuse(fields, "the file's text is missing", f'Add "{key}" with all of it.', path)


def _sketch(call: Call, path: str, reading: Reading) -> None:
    """A file shown in part, `// ... existing code ...` for what stays; without such a mark it is the whole file."""
    from ..elided.read import operations

    fields = call.fields
    text = _text(fields, reading, "code")
    if not text:
        reading.refuse(fields, "the code is missing", 'Add "code_edit" with the lines that change.', path)
    elif path:
        shown = Shown(path, fields.line, fields.lines.get(_key(fields, "code"), 0), _lines_of(text))
        reading.ops.extend(operations(shown, reading.problems, reading.notes))


def _is_whole(call: Call, path: str, reading: Reading, *names: str) -> bool:
    """Whether a call is about a file, not a part of it: lines, a symbol, or what some fields hold; else a problem.

    {"action": "delete", "file": "a.py", "start_line": 2, "end_line": 3} doesn't delete the file.
    """
    known = {key for name in ("symbol", "cell", *names) for key in keys_of(name)}
    named = [*_keys_like(POSITION, call.fields), *_keys_like(_PART, call.fields)]
    named += [key for key in call.fields.values if key in known and call.fields.values[key]]
    if named:
        reading.refuse(call.fields, f"`{named[0]}` means a part of the file, not all of it", _SIMPLE, path)
    return not named


def _delete(call: Call, path: str, reading: Reading) -> None:
    if path and _is_whole(call, path, reading, "old", "new", "content", "code", "diff", "edits", "body", "source"):
        reading.ops.append(Delete(path, call.fields.line))


def _move(call: Call, path: str, reading: Reading) -> None:
    to = (_text(call.fields, reading, "to") or "").strip()
    if path and not _is_whole(call, path, reading):
        return
    if path and not to:
        reading.refuse(call.fields, "the move names no new path", 'Add "destination".', path)
    elif path:
        reading.ops.append(Move(path, to, False, call.fields.line))


# ── diffs and patches ────────────────────────────────────────────────────────────────────────────


def _diff(call: Call, path: str, reading: Reading) -> None:
    """A diff of one file, and its new name if it gets one."""
    fields = call.fields
    text = _text(fields, reading, "diff") or ""
    to = (_text(fields, reading, "to") or "").strip()
    if not path:
        return
    if other := [key for key in keys_of("content") if fields.values.get(key)]:
        reading.refuse(fields, f"the call gives `{other[0]}` beside a diff", "Give one of them.", path)
        return
    if "=====" in text or re.search(r"^[ \t]*[-+]", text, re.MULTILINE):
        _embed(*_hunks_of(path, text), _line_of(fields, _key(fields, "diff")), reading, path)
    elif text.strip() or not to:
        detail, advice = "the diff changes nothing", "Begin removed lines with `-`, added ones with `+`."
        reading.refuse(fields, detail, advice, path)
    if to:
        reading.ops.append(Move(path, to, False, fields.line))


def _hunks_of(path: str, text: str) -> tuple[Patch, int]:
    """The hunks of a file, read below its name as their own format has it, and how many lines that name takes."""
    if "SEARCH" in text and "REPLACE" in text and "=====" in text:
        from ..search_replace.read import parse as parse_blocks

        return parse_blocks(f"{path}\n{text}"), 1
    if text.startswith("--- ") or re.search(r"^@@ -\d", text, re.MULTILINE):
        from ..unified.read import parse as parse_diff

        named = re.match(r"--- [^\n]*\n\+\+\+ [^\n]*\n", text)
        body = text[named.end() :] if named else text
        # In a fence that is closed, a hunk with fewer lines than its header counts isn't cut off.
        return parse_diff(f"{_FENCE}diff\n--- {path}\n+++ {path}\n{body}\n{_FENCE}\n"), 1 if named else 3
    from ..begin_patch.read import parse as parse_patch

    return parse_patch("\n".join(("*** Begin Patch", f"*** Update File: {path}", *_lines_of(text), "*** End Patch"))), 2


def _patch(call: Call, reading: Reading) -> None:
    """A patch that names its files itself."""
    text, key = _envelope(call.fields)
    if is_hashline(text):
        ops, problems = hashline.operations(text)
        _embed(Patch("", tuple(ops), "", tuple(problems)), 0, _line_of(call.fields, key), reading)
    elif "*** " in text:
        from ..begin_patch.read import parse as parse_patch

        _embed(parse_patch(text), 0, _line_of(call.fields, key), reading)
    elif text:
        from ..unified.read import parse as parse_diff

        _embed(parse_diff(f"{_FENCE}diff\n{text}\n{_FENCE}\n"), 1, _line_of(call.fields, key), reading)
    else:
        reading.refuse(call.fields, "the patch names no file", "Write it with the paths of its files.")


def _line_of(fields: Fields, key: str) -> Callable[[int], int]:
    """Lines of a text inside the answer as lines of the answer: a JSON string stands on one of them."""
    first = fields.lines.get(key)
    return lambda line: fields.line if first is None else max(first + line - 1, first)


def _embed(patch: Patch, above: int, line_of: Callable[[int], int], reading: Reading, path: str = "") -> None:
    """What another format read out of a text inside the answer, with the lines of the answer.

    `above`: how many lines were put above the text to read it. `path`: of the file that all of it is for.
    """

    def shifted(line: int) -> int:
        return line_of(max(line - above, 1))

    for op in patch.ops:
        moved: Op = op._replace(patch_line=shifted(op.patch_line), path=path or op.path)
        if isinstance(moved, Edit):
            hunks = tuple(hunk._replace(patch_line=shifted(hunk.patch_line)) for hunk in moved.hunks)
            moved = moved._replace(hunks=hunks)
        reading.ops.append(moved)
    reading.problems.extend(one._replace(patch_line=shifted(one.patch_line)) for one in patch.problems)
    reading.notes.extend(note._replace(patch_line=shifted(note.patch_line)) for note in patch.notes)


_BUILDERS: dict[str, Callable[[Call, str, Reading], None]] = {
    "insert": _insert, "write": _write, "create": _create, "delete": _delete, "move": _move, "diff": _diff,
    "sketch": _sketch, "append": _append, "notebook": _notebook,
    "replace_symbol": _symbol, "insert_before_symbol": _symbol, "insert_after_symbol": _symbol,
    "delete_symbol": _symbol,
}  # fmt: skip
_ENVELOPES: dict[str, Callable[[Call, Reading], None]] = {"patch": _patch, "shell": _shell}
