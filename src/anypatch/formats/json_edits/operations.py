"""The operations that calls come to: what the fields of each mean, and which say two things. Finds no place.

A call is read by what it does: edits and insertions, whole files, and patches of another format inside of it.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING

from ...answer import hashline
from ...answer.dialects import POSITION, key_set, keys_of, plain, puts_beside, verb_of, withholds
from ...answer.hashline import is_document as is_hashline
from ...answer.json_calls import Fields
from ...answer.marks import cut_at_marks, is_dots
from ...answer.shown_files import Shown
from ...model import TOLERANT, Delete, Edit, Hunk, Inside, Move, Note, Op, Patch, Where, Write, join_lines
from ...problems import Problem
from .calls import (
    SIMPLE,
    VERB_KEYS,
    Call,
    Reading,
    first_string,
    is_set,
    key_of,
    keys_among,
    keys_like,
    lines_of,
    number_of,
    patch_in,
    path_of,
    script_of,
    text_of,
    tool_of,
    value_in,
    verbs_in,
    with_plain_keys,
)

if TYPE_CHECKING:
    from ...answer.json_calls import Value

_FENCE = "`" * 12
_IS_TEXT = key_set("old") | key_set("new") | key_set("path")  # keys of texts, which say nothing of what is done
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
_ANCHORED = {"setline": "replace", "replacelines": "replace", "replace": "replace", "insertafter": "append",
             "append": "append", "insertbefore": "prepend", "prepend": "prepend"}  # fmt: skip
# A text that is edits itself, all of it as far as its marks tell: SEARCH blocks, a patch, hunks.
_EDITS = re.compile(
    r"\s*(?:```\w*\n)?(?:"
    r"[ \t]*(?:<{5,9} ?(?:SEARCH|ORIGINAL)|-{3,} ?SEARCH)\b(?s:.*)"
    r"\n[ \t]*(?:>{5,9} ?(?:REPLACE|UPDATED)|\+{3,} ?REPLACE)\b"
    r"|\*\*\* Begin Patch\n\*\*\* (?:Update|Add|Delete) File:"
    r"|(?:diff --git .*\n(?:.*\n){0,5}?)?--- \S.*\n\+\+\+ \S.*\n@@ "
    r"|@@ -\d+(?:,\d+)? \+\d+(?:,\d+)? @@.*\n(?:[ +-].*\n)*[+-])"
)


def operate(call: Call, path: str, reading: Reading) -> str:
    """Add the operations of one call; `path` is inherited where it names none. Gives the path it was about."""
    fields = call.fields
    numbered = [key for key in fields.values if key[-1:].isdigit() and key.rstrip("0123456789") in _numbered()]
    if numbered and call.verb not in ("", "view"):
        several = _by_number(fields, call.verb)
        if not several:  # "old_str", "new_str", "old_str_2", "new_str_2"
            reading.refuse(fields, f"`{numbered[0]}` is one edit of several in a call", SIMPLE)
        for edit in several:
            path = operate(call._replace(fields=edit), path, reading)
        return path
    listed = fields.values.get(key_of(fields, "paths"))
    if call.verb == "delete" and isinstance(listed, list) and listed and all(isinstance(one, str) for one in listed):
        others = {key: value for key, value in fields.values.items() if key not in keys_of("paths")}
        for gone in listed:
            operate(call._replace(fields=fields._replace(values={**others, "path": gone})), path, reading)
        return path
    if call.verb == "undo":
        reading.refuse(fields, "`undo_edit` can't be part of a patch", "Leave it out; undo is a separate call.")
        return path
    if call.verb == "dry_run":
        reading.notes.append(Note("a call with `dryRun` changes nothing and was skipped", patch_line=fields.line))
        return path
    if call.verb in ("", "view"):
        name = call.name or str(fields.values.get("command", ""))
        what = f"the call `{name}` changes no file and" if name else "an object that isn't an edit"
        if key_of(fields, "command") and verb_of(call.name) == "shell":
            what = f"`{script_of(fields).strip()[:40]}` is not run and"
        reading.notes.append(Note(f"{what} was skipped", patch_line=fields.line))
        return path
    if call.verb == "edit":  # each of its edits may name a file
        return _edit(call, path, reading)
    if call.verb == "patch":  # it names its files itself, and so does a script
        _patch(call, reading)
        return path
    if call.verb == "shell":
        _shell(call, reading)
        return path
    inherited = path if call.verb == "write" and not call.name else ""
    own = path_of(fields, inherited, reading, *(["from"] if call.verb == "move" else []))
    build = _BUILDERS.get(call.verb)
    if build is None:
        reading.refuse(call.fields, "the call holds no other calls", SIMPLE)
    else:
        build(call, own, reading)
    return own or path


@cache
def _numbered() -> frozenset[str]:
    """Keys that a call may give several times, with a number behind each."""
    return frozenset(key for name in ("old", "new", "line") for key in keys_of(name))


def _by_number(fields: Fields, verb: str) -> list[Fields]:
    """The edits of a call that numbers them; none where it can't be told which texts belong together.

    {"path": …, "old_str_1": …, "new_str_1": …, "old_str_start_line_number_1": 5, "old_str_2": …, "new_str_2": …}
    """
    shared: dict[str, Value] = {}
    edits: dict[str, dict[str, Value]] = {}
    for key, value in fields.values.items():
        bare = key.rstrip("0123456789")
        if bare == key:
            shared[key] = value
        else:
            edits.setdefault(key[len(bare) :], {})[bare] = value
    needed = ("insertline", "newstr") if verb == "insert" else ("oldstr", "newstr")
    is_told = all(key in edit for edit in edits.values() for key in needed) and not _numbered() & shared.keys()
    # Of several insertions the second counts its lines in the file without the first, or with it.
    if not is_told or (verb == "insert" and len(edits) > 1):
        return []
    return [Fields(fields.line, {**shared, **edits[number]}, {}) for number in sorted(edits, key=int)]


# ── replacing ────────────────────────────────────────────────────────────────────────────────────


def _edit(call: Call, inherited: str, reading: Reading) -> str:
    """One replacement, or the list of them that one file gets."""
    fields = call.fields
    key = key_of(fields, "edits")
    if _is_moved(fields, reading):
        return inherited
    if not key:
        if inherited and not key_of(fields, "path"):
            note = "the edit names no file; it was taken as another edit of the previous file"
            reading.notes.append(Note(note, inherited, fields.line))
        return _replacement(fields, inherited, call, reading)
    items = _listed_edits(fields, key, reading)
    if not items:
        return inherited
    # {"role": "assistant", "content": "I change f.", "edits": […]} has no file's content.
    texts = ("old", "new", "diff", *(["content"] if key_of(fields, "path") else []))
    if beside := [key for name in texts for key in keys_of(name) if fields.values.get(key)]:
        reading.refuse(fields, f"the call gives `{beside[0]}` beside a list of edits", SIMPLE)
        return inherited
    enclosing = path = (text_of(fields, reading, "path") or "").strip()
    if _anchors(items[0]):
        return _by_anchors(items, fields, enclosing, reading)
    for item in items:
        given = with_plain_keys(item, reading.problems)
        if not any(withholds(key, value) for key, value in given.values.items()):
            path = _replacement(given, enclosing or path, call, reading)
        else:
            reading.refuse(given, "one of the edits isn't to be made", "Leave it out.", enclosing or path)
        if reading.tally is not None:
            reading.tally(reading.ops)
    return path or inherited


def _listed_edits(fields: Fields, key: str, reading: Reading) -> list[Fields]:
    """The edits that a call lists, as JSON in a string too; none with a problem where it isn't such a list."""
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


def _is_moved(fields: Fields, reading: Reading) -> bool:
    """Whether a call that changes a text gives the file a new name, too: a problem."""
    to = fields.values.get(key_of(fields, "to"))
    is_moved = isinstance(to, str) and bool(to.strip()) and to != fields.values.get(key_of(fields, "path"))
    if is_moved:
        reading.refuse(
            fields, "the call changes the file and gives it a new name", "Make a separate call for the move."
        )
    return is_moved


def _replacement(fields: Fields, inherited: str, call: Call, reading: Reading) -> str:
    """One replacement; gives its path."""
    count = len(reading.problems)
    path = path_of(fields, inherited, reading)
    old, new = text_of(fields, reading, "old"), text_of(fields, reading, "new")
    if len(reading.problems) > count:
        return path
    # Of {"path": …, "edits": [{"content": …}]} the content isn't the whole file.
    is_own = fields is call.fields or bool(key_of(fields, "path"))
    content = fields.values.get("content")
    if old is None and new is None and isinstance(content, str) and is_own and not keys_like(POSITION, fields):
        path = path_of(fields, "" if call.name else path, reading)
        if verb_of(tool_of(call.name)) == "edit" and _EDITS.match(content):
            # {"name": "search_replace", "arguments": {"file_path": …, "content": "<<<<<<< SEARCH\n…"}}
            values = {key: value for key, value in fields.values.items() if key != "content"}
            _diff(Call("diff", call.name, fields._replace(values={**values, "diff": content})), path, reading)
        else:
            _write(Call("write", call.name, fields), path, reading)
    elif doubt := _exchange_doubt(fields, call, old, new):
        reading.refuse(fields, doubt, SIMPLE, path)
    else:  # without old text a file is made, without new text the old one goes
        _exchange(fields, call, path, old or "", new or "", reading)
    return path


def _is_command(call: Call) -> bool:
    """Whether a call gives a command, as those of an editor with several do: {"command": "str_replace", …}."""
    return isinstance(call.fields.values.get("command"), str)


def _exchange_doubt(fields: Fields, call: Call, old: str | None, new: str | None) -> str:
    """What says of an edit that its old text isn't to give way to the new one; "" where nothing does."""
    if old is None and (numbered := keys_like(POSITION, fields)):
        return f"the edit gives line numbers (`{numbered[0]}`) but no old text"
    if (old is None or new is None) and fields.values.get(key_of(fields, "content")):
        # {"find": "x", "content": "y"} may replace `x` or go beside it.
        return "the edit gives `content`, but not both an old and a new text"
    if new is None and call.name and not verb_of(tool_of(call.name)) and not _is_command(call):
        # {"name": "find_in_file", "arguments": {"path": …, "old_string": …}} deletes nothing.
        return f"`{call.name}` isn't known as an edit, and gives no new text"
    if old is None and new is None:
        return "the edit gives neither old nor new text"
    if otherwise := _does_otherwise(fields, call):
        return f"`{otherwise}` doesn't put the new text in the place of the old"
    if old is None and (part := keys_like(_PART, fields)):
        # {"path": …, "anchor": "def g():", "new_str": …} goes to that place, not to the end.
        return f"the edit gives `{part[0]}` but no old text"
    return ""


def _exchange(fields: Fields, call: Call, path: str, old: str, new: str, reading: Reading) -> None:
    """A new text in the place of an old one, as often as the call says; a text without an old one."""
    if old and ("\r" in old or "\r" in new):
        changes_ends = old != new
        old, new = old.replace("\r\n", "\n"), new.replace("\r\n", "\n")
        if changes_ends and old == new:
            detail = "the texts differ only in their line endings, and a patch can't change those"
            advice = "Leave out what only changes line endings; convert them with another tool."
            reading.problems.append(Problem("line_ending", detail, path, fields.line, advice=advice))
            return
    said = [(key, value) for key, value in fields.values.items() if key not in _IS_TEXT]
    is_mode = any(key in key_set("mode") and is_set(value) for key, value in said)
    if (
        is_mode
        or any(value in _PATTERNS for _, value in said if isinstance(value, str))
        or "regex" in call.name.lower()
    ):
        reading.refuse(fields, "the old text is a regular expression", "Give the exact text to replace.", path)
    elif old == new:
        advice = "Leave the edit out, or give a different new text."
        reading.refuse(fields, "the old and the new text are the same", advice, path)
    elif not old and _is_command(call):
        reading.refuse(fields, "`old_str` is empty", "Use `insert` to add lines, or `create` for a new file.", path)
    elif not old:
        reading.ops.append(Write(path, new, False, fields.line))
    elif (times := _times(fields, reading)) is not None:
        if any("\\n" in text and "\n" not in text for text in (old, new)):
            note = "the text has `\\n` as two characters and no line break; in JSON, a line break takes one backslash"
            reading.notes.append(Note(note, path, fields.line))
        first, last = (number_of(fields.values.get(key)) for key in ("startline", "endline"))
        within = (first, last) if first and last and not times else None
        swap = Hunk(old, new, TOLERANT, patch_line=fields.line, inline=True, times=times, within=within)
        gapped = _with_gaps(path, swap) if times == 1 and "\n" in old else None
        reading.ops.append(gapped or Edit(path, (swap,), fields.line, "replace"))


def _does_otherwise(fields: Fields, call: Call) -> str:
    """The word that says of an old and a new text that one doesn't replace the other; "" where none does.

    {"old_str": "x = 1", "new_str": "y = 2", "position": "after"}, {"name": "preview_edit", "input": {"old_str": …}}
    """
    others = {**call.fields.values, **fields.values}
    values = [("command", tool_of(call.name)), *((key, others[key]) for key in others if key not in _IS_TEXT)]
    said = [(key, value) for key, value in values if isinstance(value, str) and not verb_of(value)]
    beside = [value for key, value in said if puts_beside(key, value)]
    names = [(value, re.sub(r"(?<=[a-z])(?=[A-Z])", "_", value).lower()) for key, value in said if key in VERB_KEYS]
    return next(iter([*beside, *(name for name, words in names if _LOOKS.match(words))]), "")


def _with_gaps(path: str, swap: Hunk) -> Edit | None:
    """The edit of whole lines, some of which are dots for code left out on both sides."""
    if not any(sign in swap.old for sign in ("...", "…", ". . .", "⋮")):
        return None
    old, new = (text.removesuffix("\n").split("\n") for text in (swap.old, swap.new))
    if not (any(map(is_dots, old)) and any(map(is_dots, new))):
        return None
    whole = Hunk(join_lines(old), join_lines(new), TOLERANT, patch_line=swap.patch_line)
    edit = cut_at_marks(path, old, new, whole)
    return edit._replace(label="replace") if edit is not None else None


def _times(fields: Fields, reading: Reading) -> int | None:
    """In how many places the old text must stand; 0 for any number; None with a problem."""
    value = fields.values.get(key_of(fields, "times"))
    if value is None and not any(is_set(fields.values[key]) for key in keys_among(tuple(fields.values), "all")):
        return 1
    bounds = [key for rule in (_BOUND, POSITION, _PART) for key in keys_like(rule, fields)]
    bounds = [key for key in bounds if key not in ("startline", "endline")]  # of these the plan knows
    if value is None and bounds:
        detail = f"`{bounds[0]}` means that not all places are to be replaced"
        reading.refuse(fields, detail, "Edit each place by itself.")
        return None
    if value is None:
        return 0
    times = number_of(value)
    if times is None or times < 1:
        advice = "Give the number of places to replace, or leave it out for one."
        reading.refuse(fields, "the expected number of replacements is not a positive number", advice)
        return None
    return times


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
    first = first_string(values, ("anchor", "startanchor", "pos", "line", "startline"))
    last = first_string(values, ("endanchor", "end", "endline"))
    if not verb or not re.match(r"\d+[:#]\w+$", first):
        return None
    value = next((values[key] for key in ("newtext", "lines", "text", "content") if key in values), "")
    lines = [line for line in value if isinstance(line, str)] if isinstance(value, list) else []
    if isinstance(value, str) and value:
        lines = lines_of(value)
    return verb, (first, last), lines


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
    path = path or path_of(fields, "", reading)
    if path:
        reading.ops.append(Edit(path, tuple(hunks), fields.line))
    return path


# ── inserting, symbols, cells ────────────────────────────────────────────────────────────────────


def _insert(call: Call, path: str, reading: Reading) -> None:
    """Lines below a numbered one; 0 is the top."""
    fields = call.fields
    number = number_of(fields.values.get(key_of(fields, "line")))
    text = text_of(fields, reading, "lines", "new")
    if number and _is_above(call):
        number -= 1
    if fields.values.get(key_of(fields, "old")):
        reading.refuse(fields, "`insert` gives an old text, too", "Use `str_replace` to replace it.", path)
    elif number is None or number < 0:
        advice = "Give the number of the line to insert after; 0 is the top of the file."
        # {"command": "insert", "line": 2} may mean above or below that line.
        is_given = bool(key_of(fields, "line"))
        detail = "`insert_line` is not a line number" if is_given else "`insert` doesn't say below which line"
        reading.refuse(fields, detail, advice, path)
    elif text is None:
        reading.refuse(fields, "`insert` has no text", 'Add "insert_text" with the new lines.', path)
    elif path:
        where = Where(line=number + 1, last=number)
        hunk = Hunk("", join_lines(lines_of(text)), TOLERANT, where, fields.line)
        reading.ops.append(Edit(path, (hunk,), fields.line, "insert"))


def _is_above(call: Call) -> bool:
    """Whether lines go above the line that is numbered, as with Cline's editor, which has no commands."""
    return "beforeline" in call.fields.values or ("newtext" in call.fields.values and not _is_command(call))


def _append(call: Call, path: str, reading: Reading) -> None:
    """Lines below the last one."""
    fields = call.fields
    text = text_of(fields, reading, "content", "new")
    if numbered := keys_like(POSITION, fields):
        reading.refuse(fields, f"`{numbered[0]}` means that the text doesn't go to the end of the file", SIMPLE, path)
    elif not text:
        reading.refuse(fields, "there is no text to append", 'Add "text" with the new lines.', path)
    elif path:
        hunk = Hunk("", join_lines(lines_of(text)), TOLERANT, Where(at_end=True), fields.line)
        reading.ops.append(Edit(path, (hunk,), fields.line, "insert"))


def _symbol(call: Call, path: str, reading: Reading) -> None:
    """A whole symbol: replaced, deleted, or something put beside it."""
    fields = call.fields
    name = (text_of(fields, reading, "symbol") or "").strip()
    body = text_of(fields, reading, "body") or ""
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
    number = number_of(fields.values.get("cellnumber"))
    name = (text_of(fields, reading, "cell") or ("" if number is None else f"cell-{number}")).strip()
    source = text_of(fields, reading, "source")
    mode = str(fields.values.get(key_of(fields, "cell_mode"), "replace"))
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


# ── whole files ──────────────────────────────────────────────────────────────────────────────────


def _write(call: Call, path: str, reading: Reading) -> None:
    """A whole file, in the place of one that is there."""
    key = key_of(call.fields, "overwrite")
    _file(call.fields, path, reading, overwrite=not key or is_set(call.fields.values[key]))


def _create(call: Call, path: str, reading: Reading) -> None:
    """A new file, by its text or by a diff of added lines."""
    fields = call.fields
    diff = fields.values.get("diff")
    if not isinstance(diff, str) or key_of(fields, "content"):
        _file(fields, path, reading, overwrite=False)
    elif path:
        from ..begin_patch.read import parse as parse_patch

        added = parse_patch(f"*** Begin Patch\n*** Add File: {path}\n{diff}\n*** End Patch\n")
        _embed(added, 2, _line_of(fields, "diff"), reading, path)


def _file(fields: Fields, path: str, reading: Reading, overwrite: bool) -> None:
    """All of a file, unless something says that the text is a part of it, or isn't plain text."""
    count = len(reading.problems)
    said = [word.lower() for word in verbs_in(fields)]
    if parts := [*keys_like(POSITION, fields), *filter(_ADDS.search, said)]:
        reading.refuse(fields, f"`{parts[0]}` means that the text is only part of the file", SIMPLE, path)
        return
    coded = [str(value).lower() for key, value in fields.values.items() if key.endswith("encoding")]
    if any(word in _CODED for word in coded) or is_set(fields.values.get("isbase64")):
        reading.refuse(fields, "the file's text is in base64 or the like", 'Add "content" as plain text.', path)
        return
    if _is_moved(fields, reading):
        return
    if _IN_PATH.search(path):
        reading.refuse(fields, "the path names lines of a file", SIMPLE, path)
        return
    if is_set(fields.values.get("delete")):
        reading.refuse(fields, "`delete` is set, but there is a file's text, too", SIMPLE, path)
        return
    # {"action": "update", "function": "f", "content": …} may be all of a new file, but not of one that is there.
    is_new = any(word in _IS_NEW for word in said) or is_set(fields.values.get("isnew"))
    overwrite = overwrite and not keys_like(_PART, fields) and not is_new
    text = text_of(fields, reading, "content")
    if text and text[-1] != "\n" and any(is_set(fields.values.get(key)) for key in keys_of("ends")):
        text += "\n"
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
    text = text_of(fields, reading, "code", "edits", "content")
    if not text:
        reading.refuse(fields, "the code is missing", 'Add "code_edit" with the lines that change.', path)
    elif path:
        first = fields.lines.get(key_of(fields, "code", "edits", "content"), 0)
        shown = Shown(path, fields.line, first, lines_of(text))
        reading.ops.extend(operations(shown, reading.problems, reading.notes))


def _is_whole(call: Call, path: str, reading: Reading, *names: str) -> bool:
    """Whether a call is about a file, not a part of it: lines, a symbol, or what some fields hold; else a problem.

    {"action": "delete", "file": "a.py", "start_line": 2, "end_line": 3} doesn't delete the file.
    """
    known = {key for name in ("symbol", "cell", *names) for key in keys_of(name)}
    named = [*keys_like(POSITION, call.fields), *keys_like(_PART, call.fields)]
    named += [key for key in call.fields.values if key in known and call.fields.values[key]]
    if named:
        reading.refuse(call.fields, f"`{named[0]}` means a part of the file, not all of it", SIMPLE, path)
    return not named


def _delete(call: Call, path: str, reading: Reading) -> None:
    if path and _is_whole(call, path, reading, "old", "new", "content", "code", "diff", "edits", "body", "source"):
        reading.ops.append(Delete(path, call.fields.line))


def _move(call: Call, path: str, reading: Reading) -> None:
    to = (text_of(call.fields, reading, "to") or "").strip()
    if path and not _is_whole(call, path, reading):
        return
    if path and not to:
        reading.refuse(call.fields, "the move names no new path", 'Add "destination".', path)
    elif path:
        reading.ops.append(Move(path, to, False, call.fields.line))


# ── diffs, patches and scripts ───────────────────────────────────────────────────────────────────


def _diff(call: Call, path: str, reading: Reading) -> None:
    """A diff of one file, and its new name if it gets one."""
    fields = call.fields
    text = text_of(fields, reading, "diff") or ""
    to = (text_of(fields, reading, "to") or "").strip()
    if not path:
        return
    if other := [key for key in keys_of("content") if fields.values.get(key)]:
        reading.refuse(fields, f"the call gives `{other[0]}` beside a diff", "Give one of them.", path)
        return
    if "=====" in text or re.search(r"^[ \t]*[-+]", text, re.MULTILINE):
        _embed(*_hunks_of(path, text), _line_of(fields, key_of(fields, "diff")), reading, path)
    elif text.strip() or not to:
        detail, advice = "the diff changes nothing", "Begin removed lines with `-`, added ones with `+`."
        reading.refuse(fields, detail, advice, path)
    if to:
        reading.ops.append(Move(path, to, False, fields.line))


def _hunks_of(path: str, text: str) -> tuple[Patch, int]:
    """The hunks of a file, read below its name as their own format has it, and how many lines that name takes."""
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


def _patch(call: Call, reading: Reading) -> None:
    """A patch that names its files itself."""
    text, key = patch_in(call.fields)
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


def _shell(call: Call, reading: Reading) -> None:
    """A command, which is never run."""
    command = " ".join(script_of(call.fields).split())[:60]
    reading.notes.append(Note(f"a command was not run: `{command}`", patch_line=call.fields.line, kind="unused"))


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
