"""One tool call as operations: all dialects' keys under one name each. Finds no place and touches no file."""

from __future__ import annotations

from ..errors import Problem
from ..model import TOLERANT, Delete, Edit, Hunk, Merge, Move, Note, Op, Swap, Where, Write
from ..record import NamedTuple
from ._json_calls import Call, Reading, is_edit, of_json, with_plain_keys
from ._json_diff import read_hunks, whole
from ._json_read import Fields

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from ..model import Patch
    from ._json_read import Value

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
        from .begin_patch import parse as parse_patch

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
    from ._fenced import Shown
    from .elided import operations

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
        from .search_replace import parse as parse_blocks

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
