"""The dialects of edit tools: a row for each vendor, and what follows from the rows. Data only; reads no JSON.

    Dialect(
        "Acme's editor",
        tools={"edit": "swap_text", "delete": "drop_file"},
        keys={"path": "doc_path", "old": "before_text", "new": "after_text"},
        shapes={"edit": "before_text after_text"},
    ),

`tools`: what a call does, and the names of the tools, commands or types that do it.
  edit: replace text by text · write: a whole file, also over an existing one · create: a new file · insert: lines below
  a numbered one · append: lines at the end · sketch: a file shown in part · diff: hunks of one file · patch: a patch
  that names its files · replace_symbol, insert_before_symbol, insert_after_symbol, delete_symbol · delete · move ·
  shell: commands, of which only `apply_patch` is read · view: changes nothing · notebook: a cell of one · undo: refused
  · calls: several calls at once
`keys`: what a value is, and the keys that hold it.
  path · old, new: the texts of an edit · content: of a file · code: of a sketch · diff · edits: a list of edits · line,
  lines: of an insertion · all: replace all places · times: the number of places · from, to: of a move · dry_run ·
  symbol, body · cell, source, cell_mode: of a notebook's cell · overwrite: whether an existing file may be replaced ·
  mode: "regex" is refused · calls: a list of calls · none: of no importance
`elements`: tools that are called as an element of XML, `<name key="value">`, with an element for each other value;
  `name@key`: only with that key, `name>key`: only if that element is the first in it, for names that any page may have.
`example`: a call that changes `greet.py`, whose `greet` returns "Hello". Tests apply it, the docs show it.
`shapes`: keys that make an object a call by themselves, whatever else it has. The rarest key comes first; `path` is
  any key of a path, and `path?` one that may also be in an object before or around this one.
`weak`: the same for keys so common that in a whole answer they count only if it names one of the row's tools; under ""
  keys that don't tell what the call does.

Names and keys may be written in any spelling: file_path, filePath and file-path are one.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache
from typing import NamedTuple

_NO_NAMES: dict[str, str] = {}


class Dialect(NamedTuple):
    """How one vendor's models call tools that edit files; see the module."""

    vendor: str
    tools: dict[str, str] = _NO_NAMES
    keys: dict[str, str] = _NO_NAMES
    shapes: dict[str, str] = _NO_NAMES
    weak: dict[str, str] = _NO_NAMES
    elements: str = ""
    example: str = ""


DIALECTS = (
    Dialect(
        "Anthropic's text editor",
        tools={"edit": "str_replace", "insert": "insert", "create": "create", "view": "view", "undo": "undo_edit undo",
               "delete": "delete"},
        keys={"path": "path", "old": "old_str", "new": "new_str", "content": "file_text", "line": "insert_line",
              "lines": "insert_text new_str"},
        shapes={"insert": "insert_line path?", "create": "file_text path?",
                "edit": "old_str new_str, old_str path?, old_str command"},
        weak={"edit": "new_str path?", "": "command path"},
        elements="str_replace_editor>command",
        example='{"command": "str_replace", "path": "greet.py", "old_str": "Hello", "new_str": "Hi"}',
    ),
    Dialect(
        "Claude Code",
        tools={"edit": "Edit MultiEdit", "write": "Write", "view": "Read"},
        keys={"path": "file_path", "old": "old_string", "new": "new_string", "all": "replace_all", "edits": "edits"},
        shapes={"edit": "old_string new_string, old_string path?, new_string path?, edits path?"},
        weak={"write": "content path", "": "file_path name"},
        example='{"name": "Edit", "input": {"file_path": "greet.py", "old_string": "Hello", "new_string": "Hi"}}',
    ),
    Dialect(
        "OpenAI's apply_patch",
        tools={"diff": "apply_patch update_file", "create": "create_file", "delete": "delete_file"},
        keys={"diff": "diff patch input patch_text", "to": "move_to new_path rename_to destination"},
        shapes={"diff": "diff path"},
        weak={"": "operation type, path type, input name, arguments name, command, path name"},
        example='{"type": "update_file", "path": "greet.py", "diff": "@@\\n-    return \\"Hello\\"\\n+    return \\"Hi\\""}',
    ),
    Dialect(
        "OpenAI's parallel calls",
        tools={"calls": "parallel batch"},
        keys={"calls": "tool_uses tool_calls"},
        example='{"recipient_name": "multi_tool_use.parallel", "parameters": {"tool_uses": [{"recipient_name": "functions.edit", "parameters": {"file_path": "greet.py", "old_string": "Hello", "new_string": "Hi"}}]}}',
    ),
    Dialect(
        "SWE-bench rows",
        keys={"diff": "model_patch"},
        shapes={"patch": "model_patch"},
        example='{"instance_id": "x__y-1", "model_patch": "--- a/greet.py\\n+++ b/greet.py\\n@@ -2 +2 @@\\n-    return \\"Hello\\"\\n+    return \\"Hi\\"\\n"}',
    ),
    Dialect(
        "Serena",
        tools={"replace_symbol": "replace_symbol_body", "insert_before_symbol": "insert_before_symbol",
               "insert_after_symbol": "insert_after_symbol", "delete_symbol": "safe_delete_symbol",
               "edit": "replace_content", "write": "create_text_file"},
        keys={"path": "relative_path", "symbol": "name_path name_path_pattern", "body": "body", "old": "needle",
              "new": "repl", "all": "allow_multiple_occurrences", "mode": "mode"},
        shapes={"edit": "needle repl path"},
        weak={"": "name_path path, name_path_pattern path, relative_path name"},
        example='{"name": "replace_symbol_body", "arguments": {"name_path": "greet", "relative_path": "greet.py", "body": "def greet():\\n    return \\"Hi\\""}}',
    ),
    Dialect(
        "Windsurf and Antigravity",
        tools={"edit": "replace_file_content multi_replace_file_content", "write": "write_to_file"},
        keys={"path": "TargetFile", "old": "TargetContent", "new": "ReplacementContent", "edits": "ReplacementChunks",
              "content": "CodeContent", "all": "AllowMultiple", "overwrite": "Overwrite"},
        shapes={"edit": "TargetContent ReplacementContent path?, ReplacementChunks path", "write": "CodeContent path"},
        example='{"TargetFile": "greet.py", "ReplacementChunks": [{"TargetContent": "Hello", "ReplacementContent": "Hi"}]}',
    ),
    Dialect(
        "Kiro",
        tools={"edit": "strReplace", "write": "fsWrite", "append": "fsAppend append"},
        keys={"path": "path", "old": "oldStr", "new": "newStr", "content": "text fileText"},
        weak={"": "text path"},
        example='{"name": "fsAppend", "input": {"path": "greet.py", "text": "\\n\\ndef part():\\n    return \\"Bye\\"\\n"}}',
    ),
    Dialect(
        "goose",
        tools={"edit": "edit", "write": "write"},
        keys={"path": "path", "old": "before", "new": "after", "content": "file_text content"},
        shapes={"edit": "before after path"},
        example='{"name": "edit", "arguments": {"path": "greet.py", "before": "Hello", "after": "Hi"}}',
    ),
    Dialect(
        "Cursor and the like",
        tools={"edit": "edit_file search_replace"},
        keys={"path": "target_file", "code": "code_edit", "none": "instructions instruction"},
        shapes={"sketch": "code_edit path"},
        example='{"target_file": "greet.py", "instructions": "Be brief.", "code_edit": "def greet():\\n    return \\"Hi\\"\\n"}',
    ),
    Dialect(
        "Gemini CLI",
        tools={"edit": "replace", "write": "write_file", "view": "read_file read_many_files"},
        keys={"path": "absolute_path", "times": "expected_replacements", "all": "allow_multiple"},
        weak={"": "file_path name"},
        example='{"name": "replace", "args": {"file_path": "greet.py", "old_string": "Hello", "new_string": "Hi", "expected_replacements": 1}}',
    ),
    Dialect(
        "Copilot in VS Code",
        tools={"edit": "replace_string_in_file multi_replace_string_in_file", "sketch": "insert_edit_into_file"},
        keys={"edits": "replacements", "code": "code", "none": "explanation"},
        shapes={"sketch": "explanation code path"},
        weak={"": "code file_path"},
        example='{"name": "replace_string_in_file", "arguments": {"filePath": "greet.py", "oldString": "Hello", "newString": "Hi"}}',
    ),
    Dialect(
        "MCP's file system",
        tools={"write": "write_file", "move": "move_file rename_file", "view": "read_multiple_files"},
        keys={"old": "old_text", "new": "new_text", "dry_run": "dry_run", "from": "source source_path old_path from",
              "to": "destination_path to"},
        shapes={"edit": "old_text new_text, old_text path?"},
        weak={"edit": "new_text path?", "write": "content path", "": "source destination"},
        example='{"path": "greet.py", "edits": [{"oldText": "Hello", "newText": "Hi"}]}',
    ),
    Dialect(
        "Cline and Roo",
        tools={"diff": "apply_diff replace_in_file", "write": "write_to_file"},
        keys={"mode": "use_regex", "none": "line_count start_line end_line ignore_case", "edits": "operations"},
        elements="write_to_file search_and_replace write_file>path edit_file>target_file delete_file>path "
                 "delete_file@path",
        example='<write_to_file>\n<path>greet.py</path>\n<content>\ndef greet():\n    return "Hi"\n</content>\n</write_to_file>',
    ),
    Dialect(
        "Devin",
        tools={"edit": "str_replace", "create": "create_file", "insert": "insert"},
        keys={"path": "path", "old": "old_str", "new": "new_str", "all": "many", "line": "insert_line"},
        elements="str_replace create_file insert@insert_line edit_file>path file_edit>path str_replace_editor>path",
        example='<str_replace path="greet.py">\n<old_str>Hello</old_str>\n<new_str>Hi</new_str>\n</str_replace>',
    ),
    Dialect(
        "bolt",
        tools={"write": "boltAction", "view": "boltAction_shell boltAction_start"},
        keys={"path": "filePath"},
        elements="boltAction",
        example='<boltAction type="file" filePath="greet.py">\ndef greet():\n    return "Hi"\n</boltAction>',
    ),
    Dialect(
        "dyad",
        tools={"write": "dyad-write", "sketch": "dyad-edit", "delete": "dyad-delete", "move": "dyad-rename"},
        keys={"path": "path", "from": "from", "to": "to", "none": "description"},
        elements="dyad-write dyad-edit dyad-delete dyad-rename",
        example='<dyad-rename from="greet.py" to="hello.py"></dyad-rename>',
    ),
    Dialect(
        "Lovable",
        tools={"sketch": "lov-write", "edit": "lov-line-replace", "delete": "lov-delete", "move": "lov-rename"},
        keys={"from": "original_file_path", "to": "new_file_path", "none": "first_replaced_line last_replaced_line"},
        weak={"": "file_path name"},
        elements="lov-write lov-delete lov-rename",
        example='<lov-write file_path="greet.py">\ndef greet():\n    return "Hi"\n</lov-write>',
    ),
    Dialect(
        "v0, Leap and Plandex",
        tools={"write": "leapFile", "sketch": "QuickEdit PlandexBlock", "delete": "DeleteFile leapDeleteFile",
               "move": "MoveFile leapMoveFile", "view": "leapUnchangedFile"},
        elements="QuickEdit@file DeleteFile@file MoveFile@from leapFile leapDeleteFile leapMoveFile PlandexBlock@path",
        example='<MoveFile from="greet.py" to="hello.py" />',
    ),
    Dialect(
        "Replit",
        tools={"edit": "proposed_file_replace_substring", "write": "proposed_file_replace", "append": "proposed_file_insert"},
        keys={"none": "change_summary"},
        elements="proposed_file_replace_substring proposed_file_replace proposed_file_insert",
        example='<proposed_file_replace_substring file_path="greet.py" change_summary="Be brief">\n<old_str>Hello</old_str>\n<new_str>Hi</new_str>\n</proposed_file_replace_substring>',
    ),
    Dialect(
        "AgentPress",
        tools={"write": "full-file-rewrite"},
        elements="full-file-rewrite delete-file@file_path edit-file@target_file",
        example='<full-file-rewrite file_path="greet.py">\ndef greet():\n    return "Hi"\n</full-file-rewrite>',
    ),
    Dialect(
        "Augment",
        keys={"edits": "str_replace_entries"},
        shapes={"edit": "str_replace_entries path"},
        example='{"command": "str_replace", "path": "greet.py", "str_replace_entries": [{"old_str": "Hello", "new_str": "Hi"}]}',
    ),
    Dialect(
        "MetaGPT",
        tools={"write": "Editor.write"},
        weak={"": "command_name args"},
        example='[{"command_name": "Editor.write", "args": {"path": "greet.py", "content": "def greet():\\n    return \\"Hi\\"\\n"}}]',
    ),
    Dialect(
        "Codebuff",
        keys={"edits": "replacements"},
        shapes={"edit": "replacements cb_tool_name"},
        weak={"": "cb_tool_name"},
        example='<codebuff_tool_call>\n{"cb_tool_name": "str_replace", "path": "greet.py", "replacements": [{"old": "Hello", "new": "Hi"}]}\n</codebuff_tool_call>',
    ),
    Dialect(
        "Trae, Warp, Zed, Refact, Droid, Same",
        tools={"edit": "edit_files string_replace", "write": "create_textdoc", "move": "move_path", "delete": "delete_path"},
        keys={"path": "relative_file_path", "edits": "replace_blocks diffs", "all": "multiple change_all replace_multiple",
              "to": "rename_file_path", "none": "title"},
        shapes={"edit": "replace_blocks path, diffs title"},
        weak={"": "relative_file_path name"},
        example='{"name": "edit_files", "arguments": {"title": "Be brief", "diffs": [{"file_path": "greet.py", "search": "Hello", "replace": "Hi"}]}}',
    ),
    Dialect(
        "Continue",
        tools={"sketch": "edit_existing_file builtin_edit_existing_file", "create": "builtin_create_new_file"},
        weak={"": "changes name"},
        example='{"name": "edit_existing_file", "arguments": {"filepath": "greet.py", "changes": "def greet():\\n    return \\"Hi\\"\\n"}}',
    ),
    Dialect(
        "Kimi CLI",
        tools={"edit": "StrReplaceFile"},
        keys={"edits": "edit"},
        weak={"edit": "edit path"},
        example='{"name": "StrReplaceFile", "arguments": {"path": "greet.py", "edit": {"old": "Hello", "new": "Hi"}}}',
    ),
    Dialect(
        "notebooks, in Claude Code and VS Code",
        tools={"notebook": "NotebookEdit edit_notebook_file edit_notebook"},
        keys={"path": "notebook_path", "cell": "cell_id", "source": "new_source new_code",
              "cell_mode": "edit_mode edit_type", "none": "cell_number cell_type"},
        shapes={"notebook": "new_source path, new_code path"},
        example='{"name": "NotebookEdit", "input": {"notebook_path": "greet.ipynb", "cell_id": "cell-0", "new_source": "print(\\"Hi\\")"}}',
    ),
    Dialect(
        "oh-my-pi, by the hash of the file (see `hashline`)",
        example='[greet.py#BD31]\nPUT 2:\n+    return "Hi"',
    ),
    Dialect(
        "tools that name lines by their hashes (see `hashline`)",
        example='{"path": "greet.py", "edits": [{"op": "replace", "pos": "2:c9", "lines": ["    return \\"Hi\\""]}]}',
    ),
    Dialect(
        "shells",
        tools={"shell": "Bash bash shell exec_command local_shell_call run_shell_command execute_command execute_bash "
                        "run_terminal_cmd run_in_terminal terminal"},
        keys={"command": "command cmd script args"},
        weak={"": "command name, cmd name, command tool, cmd tool, command type"},
        example='{"name": "shell", "input": {"command": ["apply_patch", "*** Begin Patch\\n*** Update File: greet.py\\n'
                '@@\\n-    return \\"Hello\\"\\n+    return \\"Hi\\"\\n*** End Patch\\n"]}}',
    ),
    Dialect(
        "other tools, by what they are often called",
        tools={
            "edit": "search_and_replace find_and_replace edit_tool", "create": "new_file add_file",
            "write": "save save_file overwrite_file file_write", "insert": "insert_lines", "sketch": "insert_edit file_edit",
            "delete": "remove_file remove", "move": "move rename", "diff": "patch", "view": "open open_file cat",
        },
        keys={
            "path": "file filename relative_path",
            "old": "old old_code old_content search find find_text original",
            "new": "new new_code new_content replace replace_text replacement updated",
            "content": "content contents file_content text", "edits": "changes", "line": "after_line",
            "lines": "text content", "all": "replace_all_matches", "times": "expected_occurrences",
            "mode": "regex is_regex",
        },
        shapes={"edit": "search replace path?, find replace path?", "write": "content file_path"},
        weak={
            "edit": "old_code new_code path?, search replacement path?, find replacement path?, old new path?, "
            "original updated path?, original replacement path?, original new path?, changes path",
        },
        elements="file_edit@path",
        example='{"path": "greet.py", "search": "Hello", "replace": "Hi"}',
    ),
)  # fmt: skip


class Tagged(NamedTuple):
    """Two elements that hold an old and a new text, whole lines each: SEARCH blocks written as tags."""

    vendor: str
    old: str
    new: str
    example: str


TAGGED = (
    Tagged("AutoCodeRover", "original", "patched",
           "<file>greet.py</file>\n<original>    return \"Hello\"</original>\n<patched>    return \"Hi\"</patched>"),
    Tagged("Zed", "old_text", "new_text",
           "greet.py\n<edits>\n<old_text line=2>\n    return \"Hello\"\n</old_text>\n<new_text>\n    return \"Hi\"\n"
           "</new_text>\n</edits>"),
    Tagged("other tools", "search", "replace",
           "<file>greet.py</file>\n<search>\n    return \"Hello\"\n</search>\n<replace>\n    return \"Hi\"\n</replace>"),
)  # fmt: skip

# Keys that only calls are likely to have, besides those of shapes.
_TELLING = "edits operation toolcalls arguments replaceall relativepath namepath contextbefore"


class Shape(NamedTuple):
    """Plain keys that make a call. `inside`: those that the object itself must have, with any path as `path`.

    `names`: the tools of which the answer must name one; none if the keys are enough.
    """

    verb: str
    keys: frozenset[str]
    inside: frozenset[str]
    names: tuple[str, ...]


@lru_cache(maxsize=256)
def plain(key: str) -> str:
    """Return a key without its spelling: file_path, filePath and file-path are one."""
    return key.strip().replace("_", "").replace("-", "").lower()


@cache
def keys_of(field: str) -> tuple[str, ...]:
    """Return the plain keys that may hold a field, in the order of the rows."""
    return tuple(dict.fromkeys(plain(key) for row in DIALECTS for key in row.keys.get(field, "").split()))


@cache
def all_keys(*fields: str) -> tuple[str, ...]:
    """Return every key of the rows, or those of some fields, as written."""
    listed = [keys for row in DIALECTS for field, keys in row.keys.items() if not fields or field in fields]
    return tuple(dict.fromkeys(key for keys in listed for key in keys.split()))


@cache
def _verbs() -> dict[str, str]:
    return {plain(name): verb for row in DIALECTS for verb, names in row.tools.items() for name in names.split()}


def verb_of(name: str) -> str:
    """Return the action of a tool or command, by its name in any spelling; "" for an unknown name."""
    return _verbs().get(plain(name), "")


@cache
def shapes() -> tuple[Shape, ...]:
    """Return the shapes of all rows, first those that are enough by themselves."""
    listed_shapes: list[Shape] = []
    for weak in (False, True):
        for row in DIALECTS:
            names = tuple(name for names in row.tools.values() for name in names.split()) if weak else ()
            for verb, listed in (row.weak if weak else row.shapes).items():
                listed_shapes += [_shape(verb, words, names) for words in listed.split(",")]
    return tuple(listed_shapes)


def _shape(verb: str, words: str, names: tuple[str, ...]) -> Shape:
    needed = [plain(word) for word in words.split() if word[-1] != "?"]
    inside = frozenset("path" if key in keys_of("path") else key for key in needed)
    return Shape(verb, frozenset(plain(word.rstrip("?")) for word in words.split()), inside, names)


def with_path(keys: set[str]) -> set[str]:
    """Return plain keys, with `path` added if one of them is a key of a path."""
    return keys if keys.isdisjoint(keys_of("path")) else {*keys, "path"}


def verb_by_keys(keys: set[str]) -> str:
    """Return the action of an object by its plain keys alone; "" if they make no call."""
    known = with_path(keys)
    verb = next((shape.verb for shape in shapes() if shape.verb and shape.inside <= known), "")
    # `{"path": …, "content": …, "old": …}` isn't the whole file, whatever else it is.
    texts = (*keys_of("old"), *keys_of("edits"), *(keys_of("new") if verb in ("write", "create", "diff") else ()))
    return "edit" if verb and not keys.isdisjoint(texts) else verb


# Keys that say by line numbers which part of a file is intended: what vendors count from, and up to where, differs.
POSITION = re.compile("(?:start|end|first|last|from|to)?lines?(?:numbers?|range)?|range")


@cache
def _telling() -> frozenset[str]:
    listed = [words for row in DIALECTS for words in (*row.shapes.values(), *row.weak.values())]
    keys = [plain(word.strip(",?")) for words in listed for word in words.split() if "_" in word]
    return frozenset((*keys, *_TELLING.split()))


def tells(keys: set[str]) -> bool:
    """Return True if keys are those of an edit, even of a broken one, rather than of code in the prose."""
    names = {plain(key) for key in keys}
    return not names.isdisjoint(_telling()) or bool(verb_by_keys(names)) or {"path", "command"} <= names


@cache
def elements() -> tuple[str, ...]:
    """Return patterns for the names of the tools that are called as elements."""
    names = dict.fromkeys(name for row in DIALECTS for name in row.elements.split())
    return tuple(map(_element, names))


def _element(name: str) -> str:
    name, _, attribute = name.partition("@")
    name, _, child = name.partition(">")
    has_attribute = rf"(?=[^<>]*\s{attribute}\s?=)" if attribute else ""
    has_child = rf"(?=[^<>]*>\s*<{child}[\s>])" if child else ""
    return re.sub("[_-]", "[_-]", name) + has_attribute + has_child
