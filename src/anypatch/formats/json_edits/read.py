"""A diff without file headers, as `apply_patch_call` and some edit tools hold it. Reads only; finds no place.

@@ header        opens a hunk; several in a row nest, outermost first; `@@ -3,4 +3,5 @@ header` holds numbers
 kept            a line of the file; an empty line is a blank line of the file
-removed
+added
*** End of File  the hunk ends where the file ends
"""

from __future__ import annotations

import re

from ...model import TOLERANT, Delete, Edit, Hunk, Merge, Move, Note, Op, Patch, Swap, Where, Write
from ...parsing.json import Fields, fault, find, plain, read, slips, source
from ...parsing.repeats import said_once
from ...problems import Problem
from ...record import NamedTuple
from ...text import patch_lines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from ...model import Patch, Tally
    from ...parsing.json import Value


_NUMBERS = r"-([0-9]{1,9})(?:,([0-9]{1,9}))?\s\+[0-9]{1,9}(?:,[0-9]{1,9})?\s?(?:@@)?"
_END = "*** End of File"


class Hunks(NamedTuple):
    """The hunks of a diff, and the lines (1-based in the diff) of what was odd."""

    hunks: list[Hunk]
    untagged: list[int]
    unchanged: list[int]


class _Claim(NamedTuple):
    """Where a hunk claims to be, and the line of the diff it begins at."""

    first: int
    line: int = 0
    gap: bool = False
    under: tuple[str, ...] = ()
    at_end: bool = False


def read_hunks(diff: str, line_of: Callable[[int], int]) -> Hunks:
    """The hunks; `line_of` turns a line of the diff into one of the answer."""
    found = Hunks([], [], [])
    claim = _Claim(1)
    tagged: list[tuple[str, str]] = []
    for number, text in enumerate([*_body(diff), "@@"], 1):
        if text.startswith("@@"):
            if tagged:
                _close(found, claim, tagged, line_of)
                claim, tagged = _Claim(number), []
            claim = _header(text, claim)
        elif text.rstrip() == _END:
            claim = claim._replace(at_end=True)
        elif not text.startswith("\\ No newline"):
            tagged.append(_tagged(text, number, found.untagged))
    return found


def whole(diff: str) -> str | None:
    """The text of a new file: every line added. None where lines that aren't added stand among them."""
    lines = [line for line in _body(diff) if not line.startswith(("@@", "\\ No newline"))]
    if any(line.startswith("+") for line in lines):
        if not all(line[:1] in ("+", "") for line in lines):
            return None
        lines = [line[1:] for line in lines]
    return "\n".join(lines) + "\n" if lines else ""


def _body(diff: str) -> list[str]:
    """The lines of the diff without file headers and the envelope."""
    lines = diff.replace("\r\n", "\n").removesuffix("\n").split("\n") if diff else []
    if len(lines) > 1 and lines[0].startswith("--- ") and lines[1].startswith("+++ "):
        lines[:2] = ["@@", "@@"]  # in their place, so that lines are still counted right
    return lines


def _header(text: str, claim: _Claim) -> _Claim:
    """The claim with what a line of `@@` says: a line number, a header, or nothing."""
    said = text[2:].strip()
    match = re.match(_NUMBERS, said)
    if match:
        claim = claim._replace(line=int(match[1]), gap=match[2] == "0")
        said = said[match.end() :]
    said = said.strip().removesuffix("@@").strip()
    return claim._replace(under=(*claim.under, said)) if said.strip(".…") else claim


def _tagged(text: str, number: int, untagged: list[int]) -> tuple[str, str]:
    if text[:1] in (" ", "-", "+"):
        return text[0], text[1:]
    if text:
        untagged.append(number)
    return " ", text


def _close(found: Hunks, claim: _Claim, tagged: list[tuple[str, str]], line_of: Callable[[int], int]) -> None:
    """Keep the hunk if it changes anything."""
    if all(tag == " " for tag, _ in tagged):
        if any(text.strip() for _, text in tagged):
            found.unchanged.append(claim.first)
        return
    if any(tag != "+" for tag, _ in tagged):
        where = Where(line=claim.line, last=claim.line)
    else:
        # Without old lines numbers would be the place itself, and lines there would give way: only a gap may be named.
        where = Where(line=claim.line + 1, last=claim.line) if claim.gap else Where()
    where = where._replace(under=claim.under, at_end=claim.at_end)
    found.hunks.append(Hunk(tuple(tagged), where, TOLERANT, line_of(claim.first)))


# ── json ops ────────────────────────────────────────────────────────────────────────────────────────


_PATH = ("path", "filepath", "file", "filename", "targetfile", "absolutepath", "relativepath")
_OLD = ("oldstring", "oldstr", "oldtext", "old", "oldcode", "oldcontent", "search", "find", "original")
_NEW = ("newstring", "newstr", "newtext", "new", "newcode", "newcontent", "replace", "replacement", "updated")
_CONTENT = ("content", "filetext", "contents", "filecontent", "text")
_SKETCH = ("codeedit", "code")
_EDITS = ("edits", "changes", "replacements")
_DIFF = ("diff", "patch", "input", "patchtext")
_ENVELOPES = (*_DIFF, "command", "cmd", "script", "args")
_SAID = {_PATH: "path", _OLD: "old text", _NEW: "new text", _CONTENT: "content", _DIFF: "diff", _SKETCH: "code"}
_ALL = ("replaceall", "allowmultiple", "replaceallmatches")
_TIMES = ("expectedreplacements", "expectedoccurrences")
_MOVE_TO = ("moveto", "newpath", "renameto", "destination")
_SOURCE = ("source", "sourcepath", "oldpath", "from", *_PATH)
_TARGET = ("destination", "destinationpath", "newpath", "moveto", "to")
_REFUSED = {
    "undo": ("`undo_edit` can't be a part of a patch", "Take back what was applied with `anypatch undo`."),
    "notebook": ("cells of notebooks are not edited", "Edit the notebook's file as text."),
}
_SIMPLE = 'Write {"file_path": …, "old_string": …, "new_string": …}.'


class _Pair(NamedTuple):
    """One replacement: old text, new text, where the object stands, its fields."""

    old: str
    new: str
    path: str
    fields: Fields


def operate(call: Call, path: str, reading: Reading) -> str:
    """Add the operations of one call; `path` is inherited where it names none. Gives the path it was about."""
    fields = call.fields
    verb = call.verb or _inferred(call)
    if verb == "edit" and "diff" in fields.values and not _first(fields.values, (*_OLD, *_NEW, *_EDITS)):
        verb = "diff"
    if verb in ("edit", "write") and "codeedit" in fields.values and not _first(fields.values, (*_OLD, *_NEW)):
        verb = "sketch"
    if verb in _REFUSED:
        reading.problems.append(_bad(fields, *_REFUSED[verb]))
        return path
    if verb == "view" or (not verb and not _envelope(call)):
        said = call.name or str(fields.values.get("command", ""))
        what = f"the call `{said}` changes no file and" if said else "an object that is no edit"
        reading.notes.append(Note(f"{what} was passed over", patch_line=fields.line))
        return path
    if envelope := _envelope(call):
        from ..begin_patch.read import parse as parse_patch

        _embed(parse_patch(envelope[0]), envelope[1], reading)
        return path
    return _BUILDERS[verb](call, path, reading) or path


def is_passed_over(call: Call) -> bool:
    """Whether a call says nothing about any file: neither a verb nor keys nor a patch in it."""
    return not call.verb and not _inferred(call) and not _envelope(call)


def _inferred(call: Call) -> str:
    """The verb that the keys tell. Path and content alone are a search with many tools: only without a name."""
    values = call.fields.values
    if _first(values, _EDITS) and isinstance(values[_first(values, _EDITS)], list | str):
        return "edit"
    if _first(values, _OLD) and is_edit(call.fields):
        return "edit"
    if "insertline" in values:
        return "insert"
    if "codeedit" in values and _first(values, _PATH):
        return "sketch"
    if "filetext" in values:
        return "create"
    if _first(values, _NEW) and is_edit(call.fields):
        return "edit"
    if isinstance(values.get("diff"), str) and _first(values, _PATH):
        return "diff"
    return "write" if not call.name and _first(values, _PATH) and isinstance(values.get("content"), str) else ""


# ── values ───────────────────────────────────────────────────────────────────────────────────────


def _first(values: dict[str, Value], names: tuple[str, ...]) -> str:
    """The first of the names that is there, "" for none."""
    for name in names:
        if name in values:
            return name
    return ""


def _text(fields: Fields, names: tuple[str, ...], reading: Reading) -> str | None:
    """The text under one of the names; None where there is none, with a problem where it isn't text."""
    values = fields.values
    for name in names:
        if name in values:
            break
    else:
        return None
    value = values[name]
    if value is None or isinstance(value, str):
        return value
    advice = "Write it as one text, its line breaks as `\\n`."
    reading.problems.append(_bad(fields, f"the {_SAID.get(names, 'text')} must be text", advice))
    return None


def _path(fields: Fields, inherited: str, reading: Reading, names: tuple[str, ...] = _PATH) -> str:
    """The path named, else the one inherited, else "" with a problem."""
    count = len(reading.problems)
    said = (_text(fields, names, reading) or "").strip()
    if not said and not inherited and len(reading.problems) == count:
        reading.problems.append(_bad(fields, "the edit names no file", 'Add "file_path" with the path of the file.'))
    return said or inherited


def _flag(value: Value) -> bool:
    return value.strip().lower() in ("true", "yes", "1") if isinstance(value, str) else value in (True, 1)


def _number(value: Value) -> int | None:
    if isinstance(value, str) and value.strip().isascii() and value.strip().isdigit() and len(value) < 12:
        return int(value)
    if isinstance(value, bool) or not isinstance(value, int | float) or not -1e9 < value < 1e9 or value != int(value):
        return None
    return int(value)


def _bad(fields: Fields, detail: str, advice: str, path: str = "") -> Problem:
    return Problem("bad_patch", detail, path, fields.line, advice=advice)


# ── replacing and inserting ──────────────────────────────────────────────────────────────────────


def _edit(call: Call, inherited: str, reading: Reading) -> str:
    """One replacement, or the list of them that one file gets."""
    fields = call.fields
    if _flag(fields.values.get("dryrun")):
        reading.notes.append(Note("a call with `dryRun` changes nothing and was passed over", patch_line=fields.line))
        return inherited
    key = _first(fields.values, _EDITS)
    if not key:
        if inherited and not _first(fields.values, _PATH):
            said = "the edit names no file; it was read as one more of the file before"
            reading.notes.append(Note(said, inherited, fields.line))
        return _one(fields, inherited, call, reading)
    listed = fields.values[key]
    if isinstance(listed, str):
        listed = of_json(listed, fields.lines.get(key, fields.line), reading)
        if listed is None:
            return inherited
    items = [item for item in listed if isinstance(item, Fields)] if isinstance(listed, list) else []
    if not items or not isinstance(listed, list) or len(items) < len(listed):
        reading.problems.append(_bad(fields, f"`{key}` must be a list of edits", _SIMPLE))
        return inherited
    enclosing = path = (_text(fields, _PATH, reading) or "").strip()
    for item in items:
        path = _one(with_plain_keys(item, reading.problems), enclosing or path, call, reading)
        if reading.tally is not None:
            reading.tally(reading.ops)
    return path or inherited


def _one(fields: Fields, inherited: str, call: Call, reading: Reading) -> str:
    """One replacement; gives its path."""
    count = len(reading.problems)
    path = _path(fields, inherited, reading)
    old, new = _text(fields, _OLD, reading), _text(fields, _NEW, reading)
    command = isinstance(call.fields.values.get("command"), str)
    if old is not None and new is None and (command or "newstr" in fields.values) and len(reading.problems) == count:
        new = ""  # `str_replace` without `new_str` deletes
    if len(reading.problems) == count:
        if old is None and new is None and isinstance(fields.values.get("content"), str):
            _write(Call("write", call.name, fields), path, reading)
            return path
        if old is None or new is None:
            said = "old text" if old is None else "new text"
            reading.problems.append(_bad(fields, f"the edit gives no {said}", _SIMPLE, path))
        elif old == new:
            advice = "Leave the edit out, or write what is to change."
            reading.problems.append(_bad(fields, "the old and the new text are the same", advice, path))
        else:
            reading.ops.extend(_swapped(_Pair(old, new, path, fields), command, reading))
    return path


def _swapped(pair: _Pair, command: bool, reading: Reading) -> list[Op]:
    line = pair.fields.line
    if not pair.old:
        if command:
            advice = "Use `insert` to add lines, or `create` for a new file."
            reading.problems.append(_bad(pair.fields, "`old_str` is empty", advice, pair.path))
            return []
        return [Write(pair.path, pair.new, False, line)]
    times = _times(pair.fields, reading)
    if times is None:
        return []
    for text in (pair.old, pair.new):
        if "\\n" in text and "\n" not in text:
            said = "the text holds `\\n` as two characters and no line break; a line break is one backslash in JSON"
            reading.notes.append(Note(said, pair.path, line))
            break
    return [Edit(pair.path, (Swap(pair.old, pair.new, TOLERANT, times, line),), line, "replace")]


def _times(fields: Fields, reading: Reading) -> int | None:
    """In how many places the old text must stand; 0 for any number; None with a problem."""
    key = _first(fields.values, _TIMES) if not fields.values.keys().isdisjoint(_TIMES) else ""
    if not key or fields.values[key] is None:
        told = not fields.values.keys().isdisjoint(_ALL)
        return 0 if told and any(_flag(fields.values.get(name)) for name in _ALL) else 1
    times = _number(fields.values[key])
    if times is None or times < 1:
        advice = "Write how many places are to be replaced, or leave it out for one."
        reading.problems.append(_bad(fields, "the expected replacements are no number of places", advice))
        return None
    return times


def _insert(call: Call, inherited: str, reading: Reading) -> str:
    """Lines below a numbered one; 0 is the top."""
    fields = call.fields
    path = _path(fields, "", reading)
    number = _number(fields.values.get(_first(fields.values, ("insertline", "line", "afterline"))))
    text = _text(fields, ("inserttext", "newstr", "text", "content", *_NEW), reading)
    if number is None or number < 0:
        advice = "Give the number of the line to insert after; 0 is the top of the file."
        reading.problems.append(_bad(fields, "`insert_line` is no line number", advice, path))
    elif not text:
        reading.problems.append(_bad(fields, "`insert` has no text", 'Add "insert_text" with the new lines.', path))
    elif path:
        lines = text.replace("\r\n", "\n").removesuffix("\n").split("\n")
        where = Where(line=number + 1, last=number)
        hunk = Hunk(tuple(("+", line) for line in lines), where, TOLERANT, fields.line)
        reading.ops.append(Edit(path, (hunk,), fields.line, "insert"))
    return path or inherited


# ── whole files ──────────────────────────────────────────────────────────────────────────────────


def _write(call: Call, inherited: str, reading: Reading) -> str:
    """A whole file, in the place of one that is there."""
    return _file(call, inherited, reading, overwrite=True)


def _create(call: Call, inherited: str, reading: Reading) -> str:
    """A new file, by its text or by a diff of added lines."""
    diff = call.fields.values.get("diff")
    if isinstance(diff, str) and not _first(call.fields.values, _CONTENT):
        text = whole(diff)
        if text is None:
            advice = "Begin every line of the new file with `+`."
            reading.problems.append(_bad(call.fields, "the diff of a new file holds lines without `+`", advice))
            return inherited
        values: dict[str, Value] = {**call.fields.values, "content": text}
        call = call._replace(fields=call.fields._replace(values=values))
    return _file(call, inherited, reading, overwrite=False)


def _file(call: Call, inherited: str, reading: Reading, overwrite: bool) -> str:
    count = len(reading.problems)
    path = _path(call.fields, inherited if call.verb == "write" and not call.name else "", reading)
    text = _text(call.fields, _CONTENT, reading)
    if text is None and len(reading.problems) == count:
        key = "content" if overwrite else "file_text"
        reading.problems.append(_bad(call.fields, "the file's text is missing", f'Add "{key}" with all of it.', path))
    if text is not None and path:
        reading.ops.append(Write(path, text, overwrite, call.fields.line, "write" if overwrite else "create"))
    return path


def _sketch(call: Call, inherited: str, reading: Reading) -> str:
    """A file shown in part, `// ... existing code ...` for what stays; without such a mark it is the whole file."""
    from ...parsing.shown import Shown
    from ..elided.read import operations

    fields = call.fields
    path = _path(fields, "", reading)
    text = _text(fields, _SKETCH, reading)
    if not text:
        advice = 'Add "code_edit" with the lines that change.'
        reading.problems.append(_bad(fields, "the code is missing", advice, path))
    elif path:
        line_of = _line_of(fields, _first(fields.values, _SKETCH))
        body = text.replace("\r\n", "\n").removesuffix("\n").split("\n")
        for op in operations(Shown(path, fields.line, 1, body), reading.problems, reading.notes):
            made = op
            if isinstance(made, Edit):
                merge = made.hunks[0]
                assert isinstance(merge, Merge)
                made = made._replace(hunks=(merge._replace(rows=tuple(map(line_of, merge.rows))),))
            reading.ops.append(made)
    return path or inherited


def _delete(call: Call, inherited: str, reading: Reading) -> str:
    path = _path(call.fields, "", reading)
    if path:
        reading.ops.append(Delete(path, call.fields.line))
    return path


def _move(call: Call, inherited: str, reading: Reading) -> str:
    path = _path(call.fields, "", reading, _SOURCE)
    to = (_text(call.fields, _TARGET, reading) or "").strip()
    if path and not to:
        reading.problems.append(_bad(call.fields, "the move names no new path", 'Add "destination".', path))
    elif path:
        reading.ops.append(Move(path, to, False, call.fields.line))
    return path


# ── diffs ────────────────────────────────────────────────────────────────────────────────────────


def _diff(call: Call, inherited: str, reading: Reading) -> str:
    """A diff of one file, and its new name if it gets one."""
    fields = call.fields
    path = _path(fields, "", reading)
    key = _first(fields.values, _DIFF)
    text = _text(fields, _DIFF, reading) or ""
    to = (_text(fields, _MOVE_TO, reading) or "").strip()
    if not path:
        return inherited
    if "SEARCH" in text and "REPLACE" in text and "=====" in text:
        from ..search_replace.read import parse as parse_blocks

        _embed(parse_blocks(f"{path}\n{text}"), _line_of(fields, key, 1), reading)
    elif text.strip():
        _hunks(text, path, _line_of(fields, key), fields, reading)
    elif not to:
        reading.problems.append(_bad(fields, "the diff is empty", "Write the changed lines with `-` and `+`.", path))
    if to:
        reading.ops.append(Move(path, to, False, fields.line))
    return path


def _hunks(text: str, path: str, line_of: Callable[[int], int], fields: Fields, reading: Reading) -> None:
    found = read_hunks(text, line_of)
    if found.hunks:
        reading.ops.append(Edit(path, tuple(found.hunks), fields.line, "update"))
    else:
        advice = "Begin removed lines with `-`, added ones with `+` and kept ones with a blank."
        reading.problems.append(_bad(fields, "the diff changes nothing", advice, path))
    for line in found.untagged[:1]:
        said = "lines of the diff without a tag were read as lines of the file"
        reading.notes.append(Note(said, path, line_of(line)))
    reading.notes.extend(Note("a hunk that changes nothing was passed over", path, line_of(n)) for n in found.unchanged)


def _line_of(fields: Fields, key: str, above: int = 0) -> Callable[[int], int]:
    """Lines of a text inside the answer as lines of the answer: a JSON string stands on one of them."""
    first = fields.lines.get(key)
    return lambda line: fields.line if first is None else max(first + line - 1 - above, first)


def _envelope(call: Call) -> tuple[str, Callable[[int], int]] | None:
    """The text of a call that is a patch in an envelope of its own, and its lines."""
    values = call.fields.values
    for key, value in values.items() if not values.keys().isdisjoint(_ENVELOPES) else ():
        parts = value if isinstance(value, list) else [value]
        for part in parts if key in _ENVELOPES else ():
            if isinstance(part, str) and ("*** Begin Patch" in part or (key in _DIFF and "*** Update File:" in part)):
                return part, _line_of(call.fields, key)
    return None


def _embed(patch: Patch, line_of: Callable[[int], int], reading: Reading) -> None:
    """What another format read out of a text inside the answer, with the lines of the answer."""
    for op in patch.ops:
        moved: Op = op._replace(patch_line=line_of(op.patch_line))
        if isinstance(moved, Edit):
            hunks = tuple(hunk._replace(patch_line=line_of(hunk.patch_line)) for hunk in moved.hunks)
            moved = moved._replace(hunks=hunks)
        reading.ops.append(moved)
    reading.problems.extend(one._replace(patch_line=line_of(one.patch_line)) for one in patch.problems)
    reading.notes.extend(note._replace(patch_line=line_of(note.patch_line)) for note in patch.notes)


_BUILDERS: dict[str, Callable[[Call, str, Reading], str]] = {
    "edit": _edit, "insert": _insert, "write": _write, "create": _create, "delete": _delete, "move": _move,
    "diff": _diff, "sketch": _sketch,
}  # fmt: skip


# ── json calls ──────────────────────────────────────────────────────────────────────────────────────


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


# ── json edits ──────────────────────────────────────────────────────────────────────────────────────


_WORDS = (
    "old_string", "new_string", "old_str", "oldText", "oldString", "old_text", "file_text", "apply_patch", "file_path",
    "filePath", "insert_line", "replace", "command", "edits", "content", "_file", "diff", "<parameter",
    "code_edit", "codeEdit",
)  # fmt: skip
_GAP = r"(?:\s++|(?://|\#)[^\n]{0,200}+\n|/\*[^*]{0,200}+\*/)*+"
_KEY = rf"""[{{,]{_GAP}\\?["']?([A-Za-z_-]{{2,24}})\\?["']?\s*+:"""
# Keys that make an edit together, and the values of which one must stand somewhere, if any.
_COMBINATIONS = (
    ("oldstring newstring", ""), ("oldstr newstr", ""), ("oldtext newtext", ""), ("oldstr command", ""),
    ("filepath oldstring", ""), ("filepath newstring", ""), ("path oldstr", ""), ("path oldtext", ""),
    ("path filetext", ""), ("path insertline", ""), ("filepath content", ""), ("filepath edits", ""),
    ("path edits", ""), ("path diff", ""), ("search replace path", ""), ("find replace path", ""),
    ("targetfile codeedit", ""), ("filepath codeedit", ""), ("path codeedit", ""), ("file codeedit", ""),
    ("filepath code", "insert_edit_into_file"),
    ("search replace file", ""), ("path content name", ""),
    ("path command", "str_replace insert create view undo_edit delete"),
    ("operation type", "apply_patch_call update_file create_file delete_file"),
    ("type path", "update_file create_file delete_file"), ("name input", "apply_patch"),
    ("name arguments", "apply_patch"), ("source destination", "move_file rename_file"), ("command", "apply_patch"),
    ("path name", "delete_file view"), ("filepath name", "Edit Write Read NotebookEdit replace write_file"),
)  # fmt: skip
_NAMED = r'"(?:file_path|filePath|path|file)"[ \t]*+:[ \t]*+"([^"\\\n]*+)"'
_LONG = 50_000  # signs from which on it pays to look ahead
# Lines that other formats are known by: with them, JSON is more likely what is edited than how.
_OTHERS = ("\n<<<<<<<", "\n*** Begin Patch", "\n--- a/", "\n+++ b/", "\n=== file:", "\n------- SEARCH", "\noperations:")


def parse(text: str, tally: Tally | None = None) -> Patch:
    """What the calls in an answer say."""
    if tally is not None and len(text) > _LONG:
        _look_ahead(text, tally)
    found = find(source("\n".join(patch_lines(text))))
    unwrapped = unwrap(found.values)
    ops: list[Op] = []
    problems = found.problems + unwrapped.problems
    notes: list[Note] = found.notes + unwrapped.notes
    reading = Reading(ops, problems, notes, tally)
    path = ""
    for call in unwrapped.calls:
        path = operate(call, path, reading)
        if tally is not None:
            tally(ops)
    if not problems and all(is_passed_over(call) for call in unwrapped.calls):
        advice = 'Write objects like {"file_path": …, "old_string": …, "new_string": …}.'
        problems.append(Problem("bad_patch", "there is no edit in it", patch_line=1, advice=advice))
    problems.sort(key=lambda problem: problem.patch_line)
    ops = said_once(ops, notes)
    return Patch("json-edits", tuple(ops), "", tuple(problems), tuple(notes))


def _look_ahead(text: str, tally: Tally) -> None:
    """Show the first edits of a long list that may hold too many, before all of it is read.

    They are cut off where an edit seems to begin: if none does, they can't be read, and say nothing.
    """
    named = list(re.finditer(_NAMED, text))
    last = tally.end([match[1] for match in named])
    if 0 <= last < len(named) - 2:
        head = text[: text.rfind("{", 0, named[last + 2].start())].rstrip(", \t\r\n")
        tally(list(parse(f"{head}]").ops[:-1]), now=True)


def sniff(text: str) -> int:
    """How much a text looks like edits in JSON. Not any JSON: the keys must be those of an edit."""
    if not any(word in text for word in _WORDS):
        return 0
    if "<parameter" in text and re.search(r"<(?:\w{1,20}:)?invoke\s+name|<function=", text):
        return 90
    if "{" not in text or ('"op"' in text and '"operations"' in text):
        return 0
    seen: set[str] = set()
    for match in re.finditer(_KEY, text):
        key = plain(match[1])
        if key not in seen:
            seen.add(key)
            if any(_holds(keys.split(), words.split(), seen, text) for keys, words in _COMBINATIONS if key in keys):
                return 60 if any(mark in text for mark in _OTHERS) else 90
    return 0


def _holds(keys: list[str], words: list[str], seen: set[str], text: str) -> bool:
    """Whether all keys were seen and one of the words stands somewhere as a value."""
    return seen.issuperset(keys) and (
        not words or any(f'{word}"' in text or f"{word}'" in text or f"{word}\\" in text for word in words)
    )
