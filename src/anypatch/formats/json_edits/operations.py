"""The operations of calls: what the fields of each mean. Finds no place.

A call is read by what it does: edits and insertions, whole files, and patches of another format inside of it.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache

from ...answer import hashline
from ...answer.dialects import POSITION, keys_of, plain, verb_of
from ...answer.json_values import Fields
from ...answer.marks import cut_at_marks, is_dots
from ...answer.shown_files import Shown
from ...model import TOLERANT, Claims, Delete, Edit, Hunk, Move, Note, Op, Patch, SymbolEdit, Write, join_lines
from .calls import (
    SIMPLE,
    Call,
    CallReading,
    first_string,
    is_set,
    key_of,
    keys_among,
    lines_of,
    number_of,
    patch_in,
    path_of,
    text_of,
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
    """Add the operations of one call; `path` is inherited if it names none. Return the path it was about."""
    fields = call.fields
    if call.verb in ("", "view", "shell", "dry_run"):
        reading.notes.append(_skipped(call))
        return path
    if call.verb == "undo":
        reading.refuse(fields, "`undo_edit` can't be part of a patch", "Leave it out; undo is a separate call.")
        return path
    if call.verb == "edit":  # each of its edits may name a file
        return _edit(call, path, reading)
    if call.verb == "patch":  # it names its files itself
        _patch(call, reading)
        return path
    build = _BUILDERS.get(call.verb)
    if build is None:
        reading.refuse(fields, "the call holds no other calls", SIMPLE)
        return path
    inherited = path if call.verb == "write" and not call.name else ""
    own = path_of(fields, inherited, reading, *(["from"] if call.verb == "move" else []))
    if own and _uses_all(fields, call.verb, own, reading):
        build(call, own, reading)
    return own or path


def _skipped(call: Call) -> Note:
    """The note on a call that changes nothing, or isn't known."""
    line = call.fields.line
    if call.verb == "dry_run":
        return Note("a call with `dryRun` changes nothing and was skipped", patch_line=line)
    if call.verb == "shell":
        value = call.fields.values[key_of(call.fields, "command")]
        words = value if isinstance(value, list) else [value]
        command = " ".join(" ".join(map(str, words)).split())[:60]
        return Note(f"a command was not run: `{command}`", patch_line=line, kind="unused")
    name = call.name or str(call.fields.values.get("command", ""))
    if not name:
        return Note("an object that isn't an edit was skipped", patch_line=line)
    does = "changes no file" if call.verb == "view" else "isn't known as an edit"
    return Note(f"the call `{name}` {does} and was skipped", patch_line=line)


def _uses_all(fields: Fields, verb: str, path: str, reading: CallReading) -> bool:
    """True if a call carries nothing that would be left out; refuse it otherwise.

    {"action": "delete", "file": "a.py", "old_string": "x"} doesn't delete the file.
    """
    left_out = [key for key in _unused(tuple(fields.values), verb) if fields.values[key]]
    if left_out:
        reading.refuse(fields, f"the call gives `{left_out[0]}` as well, which would be left out", SIMPLE, path)
    return not left_out


@lru_cache(maxsize=1024)
def _unused(keys: tuple[str, ...], verb: str) -> tuple[str, ...]:
    """The keys of a call that carry what its verb doesn't use, also with a number: `old_str`, `old_str_2`."""
    used = {key for field in _USE[verb] for key in keys_of(field)}
    carried = {key for field in _CARRY for key in keys_of(field)}
    return tuple(key for key in keys if key not in used and key.rstrip("0123456789") in carried)


def _line_keys(fields: Fields) -> list[str]:
    """The keys of a call that name lines by number."""
    return [key for key, value in fields.values.items() if POSITION.fullmatch(key) and value not in (None, False, "")]


# ── replacing ────────────────────────────────────────────────────────────────────────────────────


def _edit(call: Call, inherited: str, reading: CallReading) -> str:
    """One replacement, or the list of them that one file gets."""
    fields = call.fields
    key = key_of(fields, "edits")
    if not key:
        if inherited and not key_of(fields, "path"):
            note = "the edit names no file; it was taken as another edit of the previous file"
            reading.notes.append(Note(note, inherited, fields.line))
        return _replacement(fields, inherited, call, reading)
    items = _listed_edits(fields, key, reading)
    if not items:
        return inherited
    enclosing = path = (text_of(fields, reading, "path") or "").strip()
    # {"role": "assistant", "content": "I change f.", "edits": […]} has no file's content.
    if path and not _uses_all(fields, "edits", path, reading):
        return inherited
    if _anchors(items[0]):
        return _by_anchors(items, fields, enclosing, reading)
    for item in items:
        path = _replacement(with_plain_keys(item, reading.problems), enclosing or path, call, reading)
        if reading.tally is not None:
            reading.tally(reading.ops)
    return path or inherited


def _listed_edits(fields: Fields, key: str, reading: CallReading) -> list[Fields]:
    """The edits that a call lists, also as JSON in a string; none with a problem if it isn't such a list."""
    listed = fields.values[key]
    if isinstance(listed, str):
        listed = value_in(listed, fields.lines.get(key, fields.line), reading)
        if listed is None:
            return []
    listed = [listed] if isinstance(listed, Fields) else listed
    items = [item for item in listed if isinstance(item, Fields)] if isinstance(listed, list) else []
    if not items or not isinstance(listed, list) or len(items) < len(listed):
        reading.refuse(fields, f"`{key}` must be a list of edits", SIMPLE)
        return []
    return items


def _replacement(fields: Fields, inherited: str, call: Call, reading: CallReading) -> str:
    """One replacement; return its path."""
    count = len(reading.problems)
    path = path_of(fields, inherited, reading)
    old, new = text_of(fields, reading, "old"), text_of(fields, reading, "new")
    if len(reading.problems) > count or not _uses_all(fields, "edit", path, reading):
        return path
    if refusal := _missing_text(fields, call, old, new) or _bad_texts(fields, call, old or "", new or ""):
        reading.refuse(fields, *refusal, path)
    elif not old:  # a file is created
        reading.ops.append(Write(path, new or "", False, fields.line))
    else:
        _exchange(fields, path, old, new or "", reading)
    return path


def _missing_text(fields: Fields, call: Call, old: str | None, new: str | None) -> tuple[str, str] | None:
    """The refusal of an edit that lacks an old or a new text, with advice; None if it may do without."""
    if old is None and (numbered := _line_keys(fields)):
        return f"the edit gives line numbers (`{numbered[0]}`) but no old text", SIMPLE
    if old is None and new is None:
        return "the edit gives neither old nor new text", SIMPLE
    if new is None and call.name and not verb_of(tool_of(call.name)) and not _has_command(call):
        # {"name": "find_in_file", "arguments": {"path": …, "old_string": …}} deletes nothing.
        return f"`{call.name}` isn't known as an edit, and gives no new text", SIMPLE
    return None


def _bad_texts(fields: Fields, call: Call, old: str, new: str) -> tuple[str, str] | None:
    """The refusal of an edit by what its texts are, with advice; None if they can be used."""
    modes = [value for given in (fields, call.fields) for key in keys_of("mode") if (value := given.values.get(key))]
    if any(is_set(mode) or mode == "regex" for mode in modes):
        return "the old text is a regular expression", "Give the exact text to replace."
    if old.replace("\r\n", "\n") == new.replace("\r\n", "\n"):
        return "the old and the new text are the same", "Leave the edit out, or give a different new text."
    if not old and _has_command(call):
        return "`old_str` is empty", "Use `insert` to add lines, or `create` for a new file."
    return None


def _has_command(call: Call) -> bool:
    """True if a call gives a command, as those of an editor with several do: {"command": "str_replace", …}."""
    return isinstance(call.fields.values.get("command"), str)


def _exchange(fields: Fields, path: str, old: str, new: str, reading: CallReading) -> None:
    """Replace an old text by a new one, as often as the call says."""
    times = _times(fields, reading)
    if times is None:
        return
    old, new = old.replace("\r\n", "\n"), new.replace("\r\n", "\n")
    first, last = (number_of(fields.values.get(key)) for key in ("startline", "endline"))
    within = (first, last) if first and last and not times else None
    hunk = Hunk(old, new, TOLERANT, patch_line=fields.line, inline=True, times=times, within=within)
    gapped = _with_gaps(path, hunk) if times == 1 and "\n" in old else None
    reading.ops.append(gapped or Edit(path, (hunk,), fields.line, "replace"))


def _with_gaps(path: str, hunk: Hunk) -> Edit | None:
    """The edit of whole lines, some of which are dots for code left out on both sides."""
    if not any(sign in hunk.old for sign in ("...", "…", ". . .", "⋮")):
        return None
    old, new = (text.removesuffix("\n").split("\n") for text in (hunk.old, hunk.new))
    if not (any(map(is_dots, old)) and any(map(is_dots, new))):
        return None
    whole = Hunk(join_lines(old), join_lines(new), TOLERANT, patch_line=hunk.patch_line)
    edit = cut_at_marks(path, old, new, whole)
    return edit._replace(label="replace") if edit is not None else None


def _times(fields: Fields, reading: CallReading) -> int | None:
    """In how many places the old text must be; 0 for any number; None with a problem."""
    value = fields.values.get(key_of(fields, "times"))
    if value is None:
        return 0 if any(is_set(fields.values[key]) for key in keys_among(tuple(fields.values), "all")) else 1
    times = number_of(value)
    if times is None or times < 1:
        advice = "Give the number of places to replace, or leave it out for one."
        reading.refuse(fields, "the expected number of replacements is not a positive number", advice)
        return None
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
    first = first_string(values, ("anchor", "startanchor", "pos", "line", "startline"))
    last = first_string(values, ("endanchor", "end", "endline"))
    if not verb or not re.match(r"\d+[:#]\w+$", first):
        return None
    text = next((values[key] for key in ("newtext", "lines", "text", "content") if key in values), "")
    if isinstance(text, list):
        return verb, (first, last), [line for line in text if isinstance(line, str)]
    return verb, (first, last), lines_of(text) if isinstance(text, str) and text else []


def _by_anchors(items: list[Fields], fields: Fields, path: str, reading: CallReading) -> str:
    """Edits of one file that name its lines by their hashes, all of the file as it was read."""
    hunks = []
    for item in items:
        named = _anchors(item)
        hunk = hashline.anchored(*named, item.line) if named else None
        if hunk is None:
            advice = "Name lines as `12:a3` or `12#VK`, by the number and hash they were shown with."
            reading.refuse(item, "an edit doesn't name its lines by a known hash", advice, path)
            return path
        hunks.append(hunk)
    path = path or path_of(fields, "", reading)
    if path:
        reading.ops.append(Edit(path, tuple(hunks), fields.line))
    return path


# ── inserting, symbols, cells ────────────────────────────────────────────────────────────────────


def _insert(call: Call, path: str, reading: CallReading) -> None:
    """Lines below a numbered one; 0 is the top."""
    fields = call.fields
    number = number_of(fields.values.get(key_of(fields, "line")))
    text = text_of(fields, reading, "lines")
    if number is None or number < 0:
        advice = "Give the number of the line to insert after; 0 is the top of the file."
        # {"command": "insert", "line": 2} may mean above or below that line.
        is_given = bool(key_of(fields, "line"))
        detail = "`insert_line` is not a line number" if is_given else "`insert` doesn't say below which line"
        reading.refuse(fields, detail, advice, path)
    elif text is None:
        reading.refuse(fields, "`insert` has no text", 'Add "insert_text" with the new lines.', path)
    else:
        _add_lines(fields, path, text, Claims(line=number + 1, last=number), reading)


def _append(call: Call, path: str, reading: CallReading) -> None:
    """Lines below the last one."""
    text = text_of(call.fields, reading, "content", "new")
    if not text or _line_keys(call.fields):
        reading.refuse(call.fields, "there is no text to append", 'Add "text" with the new lines alone.', path)
    else:
        _add_lines(call.fields, path, text, Claims(at_end=True), reading)


def _add_lines(fields: Fields, path: str, text: str, claims: Claims, reading: CallReading) -> None:
    hunk = Hunk("", join_lines(lines_of(text)), TOLERANT, claims, fields.line)
    reading.ops.append(Edit(path, (hunk,), fields.line, "insert"))


def _symbol(call: Call, path: str, reading: CallReading) -> None:
    """A whole symbol: replaced, deleted, or something put beside it."""
    fields = call.fields
    name = (text_of(fields, reading, "symbol") or "").strip()
    body = text_of(fields, reading, "body") or ""
    deed = call.verb.removesuffix("_symbol")
    if not name or (not body.strip() and deed != "delete"):
        advice = 'Add "name_path" with its name, and "body" with all of its text.'
        reading.refuse(fields, "the symbol's name or its new text is missing", advice, path)
        return
    if deed == "delete":
        reading.notes.append(Note(f"it was not checked whether {name} is used elsewhere", path, fields.line))
    if "\n" in body.strip():  # a definition beside another has a blank line between, as Serena puts one there
        body = f"\n{body}" if deed == "insert_after" and body[0] != "\n" else body
        body = f"{body.rstrip()}\n\n" if deed == "insert_before" and not body.endswith("\n\n") else body
    inside = SymbolEdit(name, None, deed, (), (body,) if body.strip() else (), patch_line=fields.line)
    reading.ops.append(Edit(path, (inside,), fields.line, "symbol"))


def _notebook(call: Call, path: str, reading: CallReading) -> None:
    """The source of a cell, or a cell put below another."""
    fields = call.fields
    number = number_of(fields.values.get("cellnumber"))
    name = (text_of(fields, reading, "cell") or ("" if number is None else f"cell-{number}")).strip()
    source = text_of(fields, reading, "source")
    mode = str(fields.values.get(key_of(fields, "cell_mode"), "replace"))
    kind = fields.values.get("celltype") or fields.values.get("language")
    inserted = "insert_markdown" if kind == "markdown" else "insert_code"
    deed = {"replace": "replace", "edit": "replace", "insert": inserted, "delete": "delete"}.get(mode, "")
    if not path.endswith(".ipynb"):
        reading.refuse(fields, "the file is not a notebook", "Edit it as text.", path)
    elif not deed or (not name and deed != inserted) or (source is None and deed != "delete"):
        detail = "the edit of a cell doesn't say which cell, what to do or the new source"
        advice = 'Give "cell_id", "edit_mode" (replace, insert or delete) and "new_source".'
        reading.refuse(fields, detail, advice, path)
    else:
        inside = SymbolEdit(name, None, deed, (), (source,) if source else (), patch_line=fields.line)
        reading.ops.append(Edit(path, (inside,), fields.line, "symbol"))


# ── whole files ──────────────────────────────────────────────────────────────────────────────────


def _write(call: Call, path: str, reading: CallReading) -> None:
    """A whole file; it replaces one that exists, unless the call says otherwise."""
    key = key_of(call.fields, "overwrite")
    _file(call.fields, path, reading, overwrite=not key or is_set(call.fields.values[key]))


def _create(call: Call, path: str, reading: CallReading) -> None:
    """A new file, by its text or by a diff of added lines."""
    diff = call.fields.values.get("diff")
    if not isinstance(diff, str) or key_of(call.fields, "content"):
        _file(call.fields, path, reading, overwrite=False)
        return
    from ..begin_patch.read import parse as parse_patch

    added = parse_patch(f"*** Begin Patch\n*** Add File: {path}\n{diff}\n*** End Patch\n")
    _embed(added, 2, _line_of(call.fields, "diff"), reading, path)


def _file(fields: Fields, path: str, reading: CallReading, overwrite: bool) -> None:
    """All of a file, unless line numbers say that the text is a part of it."""
    count = len(reading.problems)
    text = text_of(fields, reading, "content")
    if numbered := _line_keys(fields):
        reading.refuse(fields, f"`{numbered[0]}` means that the text is only part of the file", SIMPLE, path)
    elif text is not None:
        reading.ops.append(Write(path, text, overwrite, fields.line, "write" if overwrite else "create"))
    elif len(reading.problems) == count:
        key = "content" if overwrite else "file_text"
        reading.refuse(fields, "the file's text is missing", f'Add "{key}" with all of it.', path)


def _sketch(call: Call, path: str, reading: CallReading) -> None:
    """A file shown in part, `// ... existing code ...` for what stays; without such a mark it is the whole file."""
    from ..elided.read import operations

    fields = call.fields
    text = text_of(fields, reading, "code", "edits", "content")
    if not text:
        reading.refuse(fields, "the code is missing", 'Add "code_edit" with the lines that change.', path)
        return
    first = fields.lines.get(key_of(fields, "code", "edits", "content"), 0)
    shown = Shown(path, fields.line, first, lines_of(text))
    reading.ops.extend(operations(shown, reading.problems, reading.notes))


def _delete(call: Call, path: str, reading: CallReading) -> None:
    if numbered := _line_keys(call.fields):
        reading.refuse(call.fields, f"`{numbered[0]}` means a part of the file, not all of it", SIMPLE, path)
    else:
        reading.ops.append(Delete(path, call.fields.line))


def _move(call: Call, path: str, reading: CallReading) -> None:
    to = (text_of(call.fields, reading, "to") or "").strip()
    if to:
        reading.ops.append(Move(path, to, False, call.fields.line))
    else:
        reading.refuse(call.fields, "the move names no new path", 'Add "destination".', path)


# ── diffs and patches ────────────────────────────────────────────────────────────────────────────


def _diff(call: Call, path: str, reading: CallReading) -> None:
    """A diff of one file, and its new name if it gets one."""
    fields = call.fields
    text = text_of(fields, reading, "diff") or ""
    to = (text_of(fields, reading, "to") or "").strip()
    if "=====" in text or re.search(r"^[ \t]*[-+]", text, re.MULTILINE):
        _embed(*_hunks_of(path, text), _line_of(fields, key_of(fields, "diff")), reading, path)
    elif text.strip() or not to:
        detail, advice = "the diff changes nothing", "Begin removed lines with `-`, added ones with `+`."
        reading.refuse(fields, detail, advice, path)
    if to:
        reading.ops.append(Move(path, to, False, fields.line))


def _hunks_of(path: str, text: str) -> tuple[Patch, int]:
    """The hunks of a file, read below its name by the reader of their format, and how many lines that name takes."""
    words = (("SEARCH", "REPLACE"), ("ORIGINAL", "UPDATED"))
    if "=====" in text and any(one in text and other in text for one, other in words):
        from ..search_replace.read import parse as parse_blocks

        return parse_blocks(f"{path}\n{text}"), 1
    if text.startswith("--- ") or re.search(r"^@@ -\d", text, re.MULTILINE):
        from ..unified.read import parse as parse_diff

        named = re.match(r"--- [^\n]*\n\+\+\+ [^\n]*\n", text)
        body = text[named.end() :] if named else text
        # In a fence that is closed, a hunk with fewer lines than its header counts isn't cut off.
        return parse_diff(f"{_FENCE}diff\n--- {path}\n+++ {path}\n{body}\n{_FENCE}\n"), 1 if named else 3
    from ..begin_patch.read import parse as parse_patch

    return parse_patch("\n".join(("*** Begin Patch", f"*** Update File: {path}", *lines_of(text), "*** End Patch"))), 2


def _patch(call: Call, reading: CallReading) -> None:
    """A patch that names its files itself."""
    text, key = patch_in(call.fields)
    if hashline.is_document(text):
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
    """The function from lines of a text inside the answer to lines of the answer: a JSON string is on one of them."""
    first = fields.lines.get(key)
    return lambda line: fields.line if first is None else max(first + line - 1, first)


def _embed(patch: Patch, above: int, line_of: Callable[[int], int], reading: CallReading, path: str = "") -> None:
    """Add what the reader of another format made of a text inside the answer, with the lines of the answer.

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


_BUILDERS: dict[str, Callable[[Call, str, CallReading], None]] = {
    "insert": _insert, "write": _write, "create": _create, "delete": _delete, "move": _move, "diff": _diff,
    "sketch": _sketch, "append": _append, "notebook": _notebook,
    "replace_symbol": _symbol, "insert_before_symbol": _symbol, "insert_after_symbol": _symbol,
    "delete_symbol": _symbol,
}  # fmt: skip
