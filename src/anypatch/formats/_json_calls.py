"""Takes edits out of what wraps them: lists, tool calls, messages, arguments inside a string. Reads no edit itself.

{"type": "tool_use", "name": "Edit", "input": {…}}           {"name": "Edit", "arguments": "{…}"}
{"function": {"name": "Edit", "arguments": "{…}"}}           {"tool_calls": […]}
{"recipient_name": "functions.Edit", "parameters": {…}}      {"Edit": {…}}
{"type": "apply_patch_call", "operation": {…}}               {"role": "assistant", "content": [{…}]}
"""

from __future__ import annotations

from ..errors import Problem
from ..model import Note, Op
from ..record import NamedTuple
from ._json_find import fault, plain, slips
from ._json_read import Fields, read, source

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..model import Tally
    from ._json_read import Value

_NAMES = ("name", "toolname", "tool", "recipientname", "function", "functionname")
_ARGUMENTS = ("input", "arguments", "args", "parameters", "params", "toolinput")
_WRAPPERS = (
    "function", "functioncall", "toolcall", "tooluse", "message", "toolcalls", "tooluses", "calls", "content", "output",
    "choices", "candidates", "parts", "changes", "files", "actions", "edits", "operations", "patches", "updates",
)  # fmt: skip
_LOCATED = ("path", "filepath", "file", "filename", "targetfile")
_CONTENTS = (
    "content", "contents", "filetext", "text", "oldstring", "newstring", "oldstr", "newstr", "oldtext", "newtext",
    "codeedit",
)  # fmt: skip
_DEEDS = ("command", "type", "action", "operation")
_NESTED = 4  # arguments inside a string inside arguments: nobody goes deeper
_VERBS = {
    "edit": "edit multiedit strreplace replace searchreplace searchandreplace editfile replacestringinfile "
    "multireplacestringinfile edittool findandreplace",
    "write": "write writefile writetofile savefile overwritefile filewrite",
    "create": "create createfile newfile addfile",
    "insert": "insert insertline insertlines",
    "sketch": "inserteditintofile insertedit",
    "diff": "applypatch applydiff replaceinfile updatefile patch",
    "delete": "delete deletefile removefile remove",
    "move": "move movefile rename renamefile",
    "view": "view read readfile open openfile cat readmanyfiles readmultiplefiles",
    "undo": "undoedit undo",
    "notebook": "notebookedit editnotebook editnotebookfile",
}
_verbs: dict[str, str] = {}


class Call(NamedTuple):
    """One call: its verb ("" where only the keys tell), the tool's name as written, its arguments under plain keys."""

    verb: str
    name: str
    fields: Fields


class Unwrapped(NamedTuple):
    """The calls in order; what is wrong with their wrapping."""

    calls: list[Call]
    problems: list[Problem]
    notes: list[Note]


class Reading(NamedTuple):
    """Where the findings of reading the calls go."""

    ops: list[Op]
    problems: list[Problem]
    notes: list[Note]
    tally: Tally | None = None


def unwrap(values: list[Value]) -> Unwrapped:
    """All calls of some values."""
    unwrapped = Unwrapped([], [], [])
    for value in values:
        _walk(value, unwrapped, 0)
    return unwrapped


def verb_of(name: str) -> str:
    """What a tool or command does, by its name in any spelling; "" for a name that isn't known."""
    if not _verbs:
        _verbs.update({name: verb for verb, names in _VERBS.items() for name in names.split()})
    return _verbs.get(plain(name), "")


def of_json(text: str, line: int, unwrapped: Unwrapped | Reading) -> Value:
    """The value that a string holds as JSON; None with the problem recorded where it can't be read."""
    one = read(source(text, line, flat=True))
    if one.fault is not None:
        unwrapped.problems.append(fault(one))
        return None
    unwrapped.notes.extend(slips(one))
    return one.value


def with_plain_keys(fields: Fields, problems: list[Problem]) -> Fields:
    """The fields under plain keys; the same key in two spellings with two values is a problem."""
    values: dict[str, Value] = {plain(key): value for key, value in fields.values.items()}
    if len(values) == len(fields.values) and not fields.lines:
        return Fields(fields.line, values, {})
    values = {}
    for key, value in fields.values.items():
        name = plain(key)
        if name in values and values[name] != value:
            detail = f'the key "{key}" stands twice in one object, in two spellings'
            problems.append(Problem("bad_patch", detail, patch_line=fields.line, advice="Leave one of them out."))
        values[name] = value
    return Fields(fields.line, values, {plain(key): line for key, line in fields.lines.items()})


def wrapped(fields: Fields) -> list[Value]:
    """What an object that is no edit itself may wrap: objects, lists, and arguments that are JSON in a string.

    The contents of a file are none of it, whatever stands in them.
    """
    keys = {plain(key) for key in fields.values}
    if not keys.isdisjoint(_LOCATED) and not keys.isdisjoint(_CONTENTS):
        return []
    found: list[Value] = []
    for key, value in fields.values.items():
        if isinstance(value, Fields | list):
            found.append(value)
        elif (
            isinstance(value, str)
            and plain(key) in (*_ARGUMENTS, "edit", "result")
            and value.lstrip()[:1] in ("{", "[")
        ):
            inner = read(source(value, 1, flat=True))
            found += [inner.value] if inner.fault is None else []
    return found


def _walk(value: Value, unwrapped: Unwrapped, nested: int) -> None:
    """Add the calls of one value, however it is wrapped. As deep as JSON may be nested, no deeper."""
    if isinstance(value, list):
        for item in value:
            _walk(item, unwrapped, nested)
    if not isinstance(value, Fields):
        return
    fields = with_plain_keys(value, unwrapped.problems)
    name, arguments = "", None
    if not fields.values.keys().isdisjoint(_NAMES):
        name = next((said for key in _NAMES if isinstance(said := fields.values.get(key), str)), "")
    if not fields.values.keys().isdisjoint(_ARGUMENTS):
        arguments = next(fields.values[key] for key in _ARGUMENTS if key in fields.values)
    if name and isinstance(arguments, str):
        arguments = _arguments(arguments, fields, unwrapped, nested)
        nested += 1
        if arguments is None:
            return
    if name and isinstance(arguments, Fields):
        _named(name, arguments, unwrapped)
    elif name and isinstance(arguments, list):
        for item in arguments:
            _walk(item, unwrapped, nested)
    elif not (name and arguments is not None):
        _bare(fields, name, unwrapped, nested)


def _arguments(text: str, fields: Fields, unwrapped: Unwrapped, nested: int) -> Value:
    """Arguments that are a string: JSON, or the one text that a tool with a free-form input takes."""
    if not text.lstrip().startswith(("{", "[")):
        return Fields(fields.line, {"input": text}, {})
    if nested == _NESTED:
        detail = "arguments stand inside a string inside arguments, again and again"
        unwrapped.problems.append(
            Problem("bad_patch", detail, patch_line=fields.line, advice="Write the edit as a plain object.")
        )
        return None
    return of_json(text, fields.line, unwrapped)


def _named(name: str, arguments: Fields, unwrapped: Unwrapped) -> None:
    fields = with_plain_keys(arguments, unwrapped.problems)
    unwrapped.calls.append(Call(_verb(fields, name), name, fields))


def _verb(fields: Fields, name: str) -> str:
    """The verb: a command or a type among the arguments says it before the tool's name does."""
    for key in _DEEDS if not fields.values.keys().isdisjoint(_DEEDS) else ():
        said = fields.values.get(key)
        if isinstance(said, str) and (verb := verb_of(said)):
            return verb
    return verb_of(name.replace("__", ".").replace("/", ".").replace(":", ".").rsplit(".", 1)[-1]) if name else ""


def _bare(fields: Fields, name: str, unwrapped: Unwrapped, nested: int) -> None:
    """An object without tool name and arguments: a call's arguments alone, or a wrapper of more."""
    values = fields.values
    if "operation" in values and isinstance(values["operation"], Fields | list):
        _walk(values["operation"], unwrapped, nested)
        return
    verb = _verb(fields, name)
    if verb or is_edit(fields):
        unwrapped.calls.append(Call(verb, name, fields))
        return
    inner = [(key, value) for key, value in values.items() if isinstance(value, Fields | list)]
    if len(values) == 1 and inner and isinstance(inner[0][1], Fields) and verb_of(inner[0][0]):
        _named(inner[0][0], inner[0][1], unwrapped)
        return
    wrapped = [value for key, value in inner if key in _WRAPPERS]
    for one in wrapped:
        _walk(one, unwrapped, nested)
    if not wrapped:
        unwrapped.calls.append(Call("", name, fields))


def is_edit(fields: Fields) -> bool:
    """Whether the keys alone make an object an edit."""
    keys = fields.values.keys()
    if not keys.isdisjoint(("oldstring", "newstring", "oldstr", "newstr", "oldtext", "newtext", "filetext")):
        return True
    replaces = not keys.isdisjoint(("search", "find", "old", "original", "oldcode")) and not keys.isdisjoint(
        ("replace", "replacement", "new", "updated", "newcode")
    )
    located = not keys.isdisjoint(("path", "filepath", "file", "filename", "targetfile"))
    listed = isinstance(fields.values.get("edits"), list)
    return (
        replaces or listed or (located and not keys.isdisjoint(("content", "contents", "diff", "changes", "codeedit")))
    )
