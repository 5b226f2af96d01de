"""The operations of calls: what the fields of each mean. Finds no place.

A call is read by what it does: edits and insertions, whole files, and patches of another format inside of it.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache

from ...answer import hashline
from ...answer.dialects import POSITION, keys_of, plain, verb_of
from ...answer.json_values import Fields, Value
from ...answer.marks import cut_at_marks, is_dots
from ...answer.shown_files import Shown
from ...model import TOLERANT, Claims, Delete, Edit, Hunk, Move, Note, Op, Patch, SymbolEdit, Write, join_lines
from .calls import (
    Call,
    CallReading,
    Unreadable,
    is_yes,
    lines_of,
    number_of,
    patch_in,
    tool_of,
    value_in,
    with_plain_keys,
)

_FENCE = "`" * 12
_ANCHORED = {"setline": "replace", "replacelines": "replace", "replace": "replace", "insertafter": "append",
             "append": "append", "insertbefore": "prepend", "prepend": "prepend"}  # fmt: skip
# Fields that carry text or another path, and those of them that each verb uses.
_CARRY = ("old", "new", "content", "code", "diff", "edits", "body", "source", "to")
_USE: dict[str, tuple[str, ...]] = {
    "edit": ("old", "new"), "edits": ("edits",), "insert": ("lines",), "write": ("content",),
    "create": ("content", "diff"), "append": ("content", "new"), "delete": (), "move": ("from", "to"),
    "diff": ("diff", "to"), "sketch": ("code", "edits", "content"), "notebook": ("source",),
    "replace_symbol": ("body",), "insert_before_symbol": ("body",), "insert_after_symbol": ("body",),
    "delete_symbol": (),
}  # fmt: skip


def operate(call: Call, path: str, reading: CallReading) -> str:
    """Add the operations of one call, or why it can't be read; return the path it was about.

    `path`: of the call before, for an edit that names none.
    """
    try:
        return _operate(call, path, reading)
    except Unreadable as unreadable:
        reading.problems.append(unreadable.problem)
        return path


def _operate(call: Call, path: str, reading: CallReading) -> str:
    if call.verb in ("", "view", "shell", "dry_run"):
        reading.notes.append(_skipped(call))
    elif call.verb == "undo":
        raise call.refusal("`undo_edit` can't be part of a patch", "Leave it out; undo is a separate call.")
    elif call.verb == "patch":  # it names its files itself
        _patch(call, reading)
    elif call.verb == "edit":  # each of its edits may name a file
        return _edits(call, path, reading)
    elif call.verb not in _BUILDERS:
        raise call.refusal("the call holds no other calls")
    else:
        inherited = path if call.verb == "write" and not call.name else ""
        path = call.path(inherited or reading.file, *(["from"] if call.verb == "move" else []))
        _check_used(call, call.verb, path)
        _BUILDERS[call.verb](call, path, reading)
    return path


def _skipped(call: Call) -> Note:
    """Return the note on a call that changes nothing, or isn't known."""
    name = call.name or str(call.fields.values.get("command", ""))
    text = f"the call `{name}` isn't known as an edit and was skipped"
    if call.verb == "dry_run":
        text = "a call with `dryRun` changes nothing and was skipped"
    elif call.verb == "shell":
        value = call.value("command")
        words = value if isinstance(value, list) else [value]
        command = " ".join(" ".join(map(str, words)).split())[:60]
        return Note(f"a command was not run: `{command}`", patch_line=call.line, kind="unused")
    elif not name:
        text = "an object that isn't an edit was skipped"
    elif call.verb == "view":
        text = f"the call `{name}` changes no file and was skipped"
    return Note(text, patch_line=call.line)


def _check_used(call: Call, verb: str, path: str) -> None:
    """Refuse a call that carries something which would be left out.

    {"action": "delete", "file": "a.py", "old_string": "x"} doesn't delete the file.
    """
    left_out = [key for key in _unused(tuple(call.fields.values), verb) if call.fields.values[key]]
    if left_out:
        raise call.refusal(f"the call gives `{left_out[0]}` as well, which would be left out", path=path)


@lru_cache(maxsize=1024)
def _unused(keys: tuple[str, ...], verb: str) -> tuple[str, ...]:
    """Return the keys of a call that carry what its verb doesn't use, also with a number: `old_str`, `old_str_2`."""
    used = {key for field in _USE[verb] for key in keys_of(field)}
    carried = {key for field in _CARRY for key in keys_of(field)}
    return tuple(key for key in keys if key not in used and key.rstrip("0123456789") in carried)


def _check_whole(call: Call, detail: str, path: str = "") -> None:
    """Refuse a call that names lines by number."""
    for key, value in call.fields.values.items():
        if POSITION.fullmatch(key) and value not in (None, False, ""):
            raise call.refusal(detail.replace("KEY", key), path=path)


# ── replacing ────────────────────────────────────────────────────────────────────────────────────


def _edits(call: Call, inherited: str, reading: CallReading) -> str:
    """Add one replacement, or the list of them that one file gets."""
    key = call.key("edits")
    if not key:
        if inherited and not call.key("path"):
            note = "the edit names no file; it was taken as another edit of the previous file"
            reading.note(call.line, note, inherited)
        return _replacement(call, inherited, call, reading)
    items = _listed(call, key, reading)
    path = enclosing = (call.text("path") or "").strip()
    if path:  # {"role": "assistant", "content": "I change f.", "edits": […]} has no file's content.
        _check_used(call, "edits", path)
    if _anchors(items[0]):
        return _by_anchors(items, call, enclosing, reading)
    for item in items:
        try:
            path = _replacement(Call("edit", call.name, with_plain_keys(item)), enclosing or path, call, reading)
        except Unreadable as unreadable:
            reading.problems.append(unreadable.problem)
        if reading.tally is not None:
            reading.tally(reading.ops)
    return path or inherited


def _listed(call: Call, key: str, reading: CallReading) -> list[Fields]:
    """Return the edits that a call lists, also as JSON in a string."""
    listed = call.fields.values[key]
    if isinstance(listed, str):
        listed = value_in(listed, call.fields.lines.get(key, call.line))
    given = listed if isinstance(listed, list) else [listed]
    items = [item for item in given if isinstance(item, Fields)]
    if not items or len(items) < len(given):
        raise call.refusal(f"`{key}` must be a list of edits")
    return items


def _replacement(edit: Call, inherited: str, call: Call, reading: CallReading) -> str:
    """Add one replacement of a call, which may be all of it; return its path."""
    path = edit.path(inherited or reading.file)
    _check_used(edit, "edit", path)
    old, new = _texts(edit, call, path)
    if not old:  # a file is created
        reading.ops.append(Write(path, edit.text("new") or "", False, edit.line))
        return path
    times = _times(edit)
    first, last = (number_of(edit.fields.values.get(key)) for key in ("startline", "endline"))
    within = (first, last) if first and last and not times else None
    hunk = Hunk(old, new, TOLERANT, patch_line=edit.line, inline=True, times=times, within=within)
    gapped = _with_gaps(path, hunk) if times == 1 and "\n" in old else None
    reading.ops.append(gapped or Edit(path, (hunk,), edit.line, "replace"))
    return path


def _texts(edit: Call, call: Call, path: str) -> tuple[str, str]:
    """Return the old and the new text of a replacement, with LF; refuse what can't be used."""
    old, new = edit.text("old"), edit.text("new")
    if old is None:
        _check_whole(edit, "the edit gives line numbers (`KEY`) but no old text", path)
        if new is None:
            raise edit.refusal("the edit gives neither old nor new text", path=path)
    has_command = isinstance(call.fields.values.get("command"), str)
    _check_meaning(edit, call, has_command or new is not None, path)
    old, new = ((text or "").replace("\r\n", "\n") for text in (old, new))
    if old == new:
        advice = "Leave the edit out, or give a different new text."
        raise edit.refusal("the old and the new text are the same", advice, path)
    if not old and has_command:
        advice = "Use `insert` to add lines, or `create` for a new file."
        raise edit.refusal("`old_str` is empty", advice, path)
    return old, new


def _check_meaning(edit: Call, call: Call, is_edit: bool, path: str) -> None:
    """Refuse the call of a tool that may only search, or whose old text isn't the text itself.

    {"name": "find_in_file", "arguments": {"path": …, "old_string": …}} deletes nothing.
    """
    if not is_edit and call.name and not verb_of(tool_of(call.name)):
        raise edit.refusal(f"`{call.name}` isn't known as an edit, and gives no new text", path=path)
    modes = edit.values("mode") if edit is call else edit.values("mode") + call.values("mode")
    if any(is_yes(mode) or mode == "regex" for mode in modes):
        raise edit.refusal("the old text is a regular expression", "Give the exact text to replace.", path)


def _with_gaps(path: str, hunk: Hunk) -> Edit | None:
    """Return the edit of whole lines, some of which are dots for code left out on both sides."""
    if not any(sign in hunk.old for sign in ("...", "…", ". . .", "⋮")):
        return None
    old, new = (text.removesuffix("\n").split("\n") for text in (hunk.old, hunk.new))
    if not (any(map(is_dots, old)) and any(map(is_dots, new))):
        return None
    whole = Hunk(join_lines(old), join_lines(new), TOLERANT, patch_line=hunk.patch_line)
    edit = cut_at_marks(path, old, new, whole)
    return edit._replace(label="replace") if edit is not None else None


def _times(edit: Call) -> int:
    """Return in how many places the old text must be; 0 for any number."""
    value = edit.value("times")
    if value is None:
        return 0 if edit.says("all") else 1
    times = number_of(value)
    if times is None or times < 1:
        advice = "Give the number of places to replace, or leave it out for one."
        raise edit.refusal("the expected number of replacements is not a positive number", advice)
    return times


def _anchors(fields: Fields) -> tuple[str, tuple[str, str], list[str]] | None:
    """Read an edit that names lines by hash: its action, its anchors, its lines; None for other edits.

    {"op": "replace", "pos": "2:a3", "end": "4:0f", "lines": [...]}, {"set_line": {"anchor": "2:a3", "new_text": ...}}
    """
    verb, values = str(fields.values.get("op") or fields.values.get("type") or ""), fields.values
    if len(values) == 1 and isinstance(inner := next(iter(values.values())), Fields):
        verb, values = next(iter(values)), inner.values
    values = {plain(key): value for key, value in values.items()}
    verb = _ANCHORED.get(plain(verb), "")
    first = _first_string(values, "anchor", "startanchor", "pos", "line", "startline")
    last = _first_string(values, "endanchor", "end", "endline")
    if not verb or not re.match(r"\d+[:#]\w+$", first):
        return None
    text = next((values[key] for key in ("newtext", "lines", "text", "content") if key in values), "")
    if isinstance(text, list):
        return verb, (first, last), [line for line in text if isinstance(line, str)]
    return verb, (first, last), lines_of(text) if isinstance(text, str) and text else []


def _first_string(values: dict[str, Value], *keys: str) -> str:
    return next((value for key in keys if isinstance(value := values.get(key), str)), "")


def _by_anchors(items: list[Fields], call: Call, path: str, reading: CallReading) -> str:
    """Add edits of one file that name its lines by their hashes, all of the file as it was read."""
    hunks = []
    for item in items:
        named = _anchors(item)
        hunk = hashline.anchored(*named, item.line) if named else None
        if hunk is None:
            advice = "Name lines as `12:a3` or `12#VK`, by the number and hash they were shown with."
            raise call.refusal("an edit doesn't name its lines by a known hash", advice, path)
        hunks.append(hunk)
    path = path or call.path(reading.file)
    reading.ops.append(Edit(path, tuple(hunks), call.line))
    return path


# ── inserting, symbols, cells ────────────────────────────────────────────────────────────────────


def _insert(call: Call, path: str, reading: CallReading) -> None:
    """Add lines below a numbered one; 0 is the top."""
    number, text = number_of(call.value("line")), call.text("lines")
    if number is None or number < 0:
        # {"command": "insert", "line": 2} may mean above or below that line.
        detail = "`insert_line` is not a line number" if call.key("line") else "`insert` doesn't say below which line"
        raise call.refusal(detail, "Give the number of the line to insert after; 0 is the top of the file.", path)
    if text is None:
        raise call.refusal("`insert` has no text", 'Add "insert_text" with the new lines.', path)
    _add_lines(call, path, text, Claims(line=number + 1, last=number), reading)


def _append(call: Call, path: str, reading: CallReading) -> None:
    """Add lines below the last one."""
    text = call.text("content", "new")
    _check_whole(call, "`KEY` names a line, but the text is to be appended", path)
    if not text:
        raise call.refusal("there is no text to append", 'Add "text" with the new lines.', path)
    _add_lines(call, path, text, Claims(at_end=True), reading)


def _add_lines(call: Call, path: str, text: str, claims: Claims, reading: CallReading) -> None:
    hunk = Hunk("", join_lines(lines_of(text)), TOLERANT, claims, call.line)
    reading.ops.append(Edit(path, (hunk,), call.line, "insert"))


def _symbol(call: Call, path: str, reading: CallReading) -> None:
    """Replace or delete a whole symbol, or put something beside it."""
    name, body = (call.text("symbol") or "").strip(), call.text("body") or ""
    action = call.verb.removesuffix("_symbol")
    if not name or (not body.strip() and action != "delete"):
        advice = 'Add "name_path" with its name, and "body" with all of its text.'
        raise call.refusal("the symbol's name or its new text is missing", advice, path)
    if action == "delete":
        reading.note(call.line, f"it was not checked whether {name} is used elsewhere", path)
    if "\n" in body.strip():  # a definition beside another has a blank line between, as Serena puts one there
        body = f"\n{body}" if action == "insert_after" and body[0] != "\n" else body
        body = f"{body.rstrip()}\n\n" if action == "insert_before" and not body.endswith("\n\n") else body
    _add_symbol_edit(call, path, name, action, body if body.strip() else "", reading)


def _notebook(call: Call, path: str, reading: CallReading) -> None:
    """Change the source of a cell, or put a cell below another."""
    values = call.fields.values
    number, source = number_of(values.get("cellnumber")), call.text("source")
    name = (call.text("cell") or ("" if number is None else f"cell-{number}")).strip()
    kind = values.get("celltype") or values.get("language")
    inserted = "insert_markdown" if kind == "markdown" else "insert_code"
    actions = {"replace": "replace", "edit": "replace", "insert": inserted, "delete": "delete"}
    action = actions.get(str(values.get(call.key("cell_mode"), "replace")), "")
    if not path.endswith(".ipynb"):
        raise call.refusal("the file is not a notebook", "Edit it as text.", path)
    if not action or (not name and action != inserted) or (source is None and action != "delete"):
        detail = "the edit of a cell doesn't say which cell, what to do or the new source"
        advice = 'Give "cell_id", "edit_mode" (replace, insert or delete) and "new_source".'
        raise call.refusal(detail, advice, path)
    _add_symbol_edit(call, path, name, action, source or "", reading)


def _add_symbol_edit(call: Call, path: str, name: str, action: str, text: str, reading: CallReading) -> None:
    edit = SymbolEdit(name, None, action, (), (text,) if text else (), patch_line=call.line)
    reading.ops.append(Edit(path, (edit,), call.line, "symbol"))


# ── whole files ──────────────────────────────────────────────────────────────────────────────────


def _write(call: Call, path: str, reading: CallReading) -> None:
    """Add a whole file; it replaces one that exists, unless the call says otherwise."""
    _file(call, path, reading, overwrite=not call.key("overwrite") or is_yes(call.value("overwrite")))


def _create(call: Call, path: str, reading: CallReading) -> None:
    """Add a new file, by its text or by a diff of added lines."""
    diff = call.fields.values.get("diff")
    if not isinstance(diff, str) or call.key("content"):
        _file(call, path, reading, overwrite=False)
        return
    from ..begin_patch.read import parse as parse_patch

    added = parse_patch(f"*** Begin Patch\n*** Add File: {path}\n{diff}\n*** End Patch\n")
    _embed(added, 2, call, "diff", reading, path)


def _file(call: Call, path: str, reading: CallReading, overwrite: bool) -> None:
    """Add all of a file, unless line numbers say that the text is a part of it."""
    text = call.text("content")
    _check_whole(call, "`KEY` means that the text is only part of the file", path)
    if text is None:
        key = "content" if overwrite else "file_text"
        raise call.refusal("the file's text is missing", f'Add "{key}" with all of it.', path)
    reading.ops.append(Write(path, text, overwrite, call.line, "write" if overwrite else "create"))


def _sketch(call: Call, path: str, reading: CallReading) -> None:
    """Add a file shown in part, `// ... existing code ...` for what stays; without such a mark it is the whole file."""
    from ..elided.read import operations

    fields = ("code", "edits", "content")
    text = call.text(*fields)
    if not text:
        raise call.refusal("the code is missing", 'Add "code_edit" with the lines that change.', path)
    shown = Shown(path, call.line, call.fields.lines.get(call.key(*fields), 0), lines_of(text))
    reading.ops += operations(shown, reading)


def _delete(call: Call, path: str, reading: CallReading) -> None:
    _check_whole(call, "`KEY` means a part of the file, not all of it", path)
    reading.ops.append(Delete(path, call.line))


def _move(call: Call, path: str, reading: CallReading) -> None:
    to = (call.text("to") or "").strip()
    if not to:
        raise call.refusal("the move names no new path", 'Add "destination".', path)
    reading.ops.append(Move(path, to, False, call.line))


# ── diffs and patches ────────────────────────────────────────────────────────────────────────────


def _diff(call: Call, path: str, reading: CallReading) -> None:
    """Add the diff of one file, and its new name if it gets one."""
    text, to = call.text("diff") or "", (call.text("to") or "").strip()
    if "=====" in text or re.search(r"^[ \t]*[-+]", text, re.MULTILINE):
        _embed(*_hunks_of(path, text), call, call.key("diff"), reading, path)
    elif text.strip() or not to:
        advice = "Begin removed lines with `-`, added ones with `+`."
        raise call.refusal("the diff changes nothing", advice, path)
    if to:
        reading.ops.append(Move(path, to, False, call.line))


def _hunks_of(path: str, text: str) -> tuple[Patch, int]:
    """Read hunks of a file below its name, by the reader of their format; also return the lines that the name takes."""
    words = (("SEARCH", "REPLACE"), ("ORIGINAL", "UPDATED"))
    if "=====" in text and any(one in text and other in text for one, other in words):
        from ..search_replace.read import parse as parse_blocks

        return parse_blocks(f"{path}\n{text}"), 1
    if text.startswith("--- ") or re.search(r"^@@ -\d", text, re.MULTILINE):
        named = re.match(r"--- [^\n]*\n\+\+\+ [^\n]*\n", text)
        body = text[named.end() :] if named else text
        return _diff_in_fence(f"--- {path}\n+++ {path}\n{body}"), 1 if named else 3
    from ..begin_patch.read import parse as parse_patch

    return parse_patch("\n".join(("*** Begin Patch", f"*** Update File: {path}", *lines_of(text), "*** End Patch"))), 2


def _diff_in_fence(text: str) -> Patch:
    """Read a diff. In a fence that is closed, a hunk with fewer lines than its header counts isn't cut off."""
    from ..unified.read import parse as parse_diff

    return parse_diff(f"{_FENCE}diff\n{text}\n{_FENCE}\n")


def _patch(call: Call, reading: CallReading) -> None:
    """Add a patch that names its files itself."""
    text, key = patch_in(call.fields)
    if hashline.is_document(text):
        ops, problems = hashline.operations(text)
        _embed(Patch("", tuple(ops), "", tuple(problems)), 0, call, key, reading)
    elif "*** " in text:
        from ..begin_patch.read import parse as parse_patch

        _embed(parse_patch(text), 0, call, key, reading)
    elif text:
        _embed(_diff_in_fence(text), 1, call, key, reading)
    else:
        raise call.refusal("the patch names no file", "Write it with the paths of its files.")


def _embed(patch: Patch, above: int, call: Call, key: str, reading: CallReading, path: str = "") -> None:
    """Add what the reader of another format made of a text inside the answer, with the lines of the answer.

    `above`: how many lines were put above the text to read it. `path`: of the file that all of it is for.
    """
    first = call.fields.lines.get(key)

    def shifted(line: int) -> int:
        return call.line if first is None else first + max(line - above, 1) - 1  # a JSON string is on one line

    for op in patch.ops:
        moved: Op = op._replace(patch_line=shifted(op.patch_line), path=path or op.path)
        if isinstance(moved, Edit):
            hunks = tuple(hunk._replace(patch_line=shifted(hunk.patch_line)) for hunk in moved.hunks)
            moved = moved._replace(hunks=hunks)
        reading.ops.append(moved)
    reading.problems += [problem._replace(patch_line=shifted(problem.patch_line)) for problem in patch.problems]
    reading.notes += [note._replace(patch_line=shifted(note.patch_line)) for note in patch.notes]


_BUILDERS: dict[str, Callable[[Call, str, CallReading], None]] = {
    "insert": _insert, "write": _write, "create": _create, "delete": _delete, "move": _move, "diff": _diff,
    "sketch": _sketch, "append": _append, "notebook": _notebook,
    "replace_symbol": _symbol, "insert_before_symbol": _symbol, "insert_after_symbol": _symbol,
    "delete_symbol": _symbol,
}  # fmt: skip
