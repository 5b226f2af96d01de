"""JSON edits: what calls become, what is refused with which kind, and at which line."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import anypatch
from anypatch.author.make import write_changes
from anypatch.formats import named
from anypatch.model import TOLERANT, Claims, Delete, Edit, File, FileChange, Hunk, Move, Op, Write, signed_hunk
from support.cost import at_most


def swap(path: str, old: str, new: str, times: int = 1, line: int = 1) -> Edit:
    return Edit(path, (Hunk(old, new, TOLERANT, patch_line=line, inline=True, times=times),), line, "replace")


def insert(new: str, claims: Claims) -> Edit:
    return Edit("a", (Hunk("", new, TOLERANT, claims, 1),), 1, "insert")


def update(path: str, lines: list[str], claims: Claims, line: int = 1) -> Edit:
    return Edit(path, (signed_hunk([(text[0], text[1:]) for text in lines], TOLERANT, claims, line),), line)


def with_one_policy(op: Op) -> Op:
    """The operation as if every format had the same rules: here only what is read counts."""
    return op._replace(hunks=tuple(hunk._replace(policy=TOLERANT) for hunk in op.hunks)) if isinstance(op, Edit) else op


EDIT = {"file_path": "a", "old_string": "x", "new_string": "y"}
XY = swap("a", "x", "y")

BECOMES: dict[str, tuple[Any, list[Op]]] = {
    # Anthropic's text editor
    "str_replace": ({"command": "str_replace", "path": "a", "old_str": "x", "new_str": "y"}, [XY]),
    "str_replace deletes": ({"command": "str_replace", "path": "a", "old_str": "x"}, [swap("a", "x", "")]),
    "insert": (
        {"command": "insert", "path": "a", "insert_line": 3, "insert_text": "p\nq\n"},
        [insert("p\nq\n", Claims(line=4, last=3))],
    ),
    "insert blank line": (
        {"command": "insert", "path": "a", "insert_line": "0", "new_str": "\n"},
        [insert("\n", Claims(line=1, last=0))],
    ),
    "create": ({"command": "create", "path": "a", "file_text": "t"}, [Write("a", "t", False, 1, "create")]),
    "view": ({"command": "view", "path": "a"}, []),
    # Claude Code
    "edit": (EDIT, [XY]),
    "edit all": ({**EDIT, "replace_all": True}, [swap("a", "x", "y", 0)]),
    "edit all as text": ({**EDIT, "replace_all": "true"}, [swap("a", "x", "y", 0)]),
    "edit one": ({**EDIT, "replace_all": False}, [XY]),
    "edit from nothing": ({**EDIT, "old_string": ""}, [Write("a", "y", False, 1)]),
    "multi edit": (
        {"file_path": "a", "edits": [{"old_string": "x", "new_string": "y"}, {"old_string": "y", "new_string": "z"}]},
        [XY, swap("a", "y", "z")],
    ),
    "write": ({"file_path": "a", "content": "t"}, [Write("a", "t", True, 1, "write")]),
    "write nothing": ({"name": "Write", "input": {"file_path": "a", "content": ""}}, [Write("a", "", True, 1, "write")]),
    # wrapped
    "tool use": ({"type": "tool_use", "name": "Edit", "input": EDIT}, [XY]),
    "arguments": ({"name": "Edit", "arguments": json.dumps(EDIT)}, [XY]),
    "function": ({"type": "function", "function": {"name": "Edit", "arguments": json.dumps(EDIT)}}, [XY]),
    "tool calls": ({"tool_calls": [{"function": {"name": "edit", "arguments": EDIT}}]}, [XY]),
    "choices": ({"choices": [{"message": {"tool_calls": [{"function": {"name": "e", "arguments": EDIT}}]}}]}, [XY]),
    "function call": ({"candidates": [{"content": {"parts": [{"functionCall": {"name": "replace", "args": EDIT}}]}}]}, [XY]),
    "recipient": ({"recipient_name": "functions.Edit", "parameters": EDIT}, [XY]),
    "flat": ({"tool": "Edit", **EDIT}, [XY]),
    "nested strings": ({"name": "Edit", "arguments": json.dumps({"name": "Edit", "arguments": "{}", **EDIT})}, [XY]),
    "parallel": ({"name": "multi_tool_use.parallel", "arguments": {"tool_uses": [{"name": "e", "arguments": EDIT}]}}, [XY]),
    "command name": ({"command_name": "Editor.write", "args": {"path": "a", "content": "t"}}, [Write("a", "t", True, 1, "write")]),
    # Augment, Codebuff, Trae, Warp, Roo
    "entries": ({"path": "a", "str_replace_entries": [{"old_str": "x", "new_str": "y"}]}, [XY]),
    "replacements": ({"cb_tool_name": "str_replace", "path": "a", "replacements": [{"old": "x", "new": "y"}]}, [XY]),
    "replace blocks": ({"name": "update_file", "arguments": {"path": "a", "replace_blocks": [{"old": "x", "new": "y"}]}}, [XY]),
    "diffs": ({"title": "t", "diffs": [{"file_path": "a", "search": "x", "replace": "y"}]}, [XY]),
    "operations": ({"name": "search_and_replace", "arguments": {"path": "a", "operations": [{"search": "x", "replace": "y"}]}}, [XY]),
    # OpenAI
    "update_file": (
        {"type": "apply_patch_call", "operation": {"type": "update_file", "path": "a", "diff": "@@ f\n k\n\n-x\n+y\n"}},
        [update("a", [" k", " ", "-x", "+y"], Claims(headers=("f",)))],
    ),
    "update_file nested headers": (
        {"type": "update_file", "path": "a", "diff": "@@ class C\n@@ def f\n-x\n+y\n*** End of File"},
        [update("a", ["-x", "+y"], Claims(headers=("class C", "def f"), at_end=True))],
    ),
    "update_file numbers": (
        {"type": "update_file", "path": "a", "diff": "@@ -7,2 +7,2 @@ def f\n-x\n+y"},
        [update("a", ["-x", "+y"], Claims(line=7, last=7, headers=("def f",)))],
    ),
    "update_file into a gap": (
        {"type": "update_file", "path": "a", "diff": "@@ -7,0 +8,1 @@\n+y"},
        [update("a", ["+y"], Claims(line=8, last=7))],
    ),
    "update_file adds at no place": (
        {"type": "update_file", "path": "a", "diff": "@@ -7,2 +8,1 @@\n+y"},
        [update("a", ["+y"], Claims())],
    ),
    "create_file": (
        {"type": "create_file", "path": "a", "diff": "+x\n+\n+y"}, [Write("a", "x\n\ny\n", False, 1, "create")]
    ),
    "create_file as content": (
        {"type": "create_file", "path": "a", "diff": "x\ny"}, [Write("a", "x\ny\n", False, 1, "create")]
    ),
    "delete_file": ({"operation": {"type": "delete_file", "path": "a"}}, [Delete("a", 1)]),
    "move_to": ({"type": "update_file", "path": "a", "diff": "", "move_to": "b"}, [Move("a", "b", False, 1)]),
    # Gemini, MCP, others
    "expected": ({**EDIT, "expected_replacements": 3}, [swap("a", "x", "y", 3)]),
    "expected as text": ({**EDIT, "expected_replacements": "2", "instruction": "do"}, [swap("a", "x", "y", 2)]),
    "allow multiple": ({**EDIT, "allow_multiple": True}, [swap("a", "x", "y", 0)]),
    "old text": ({"path": "a", "edits": [{"oldText": "x", "newText": "y"}], "dryRun": False}, [XY]),
    "dry run": ({"path": "a", "edits": [{"oldText": "x", "newText": "y"}], "dryRun": True}, []),
    "move_file": ({"name": "fs.move_file", "input": {"source": "a", "destination": "b"}}, [Move("a", "b", False, 1)]),
    "camel case": ({"filePath": "a", "oldString": "x", "newString": "y", "replaceAll": False}, [XY]),
    "search": ({"path": "a", "search": "x", "replace": "y"}, [XY]),
    "one edit in an object": ({"name": "StrReplaceFile", "arguments": {"path": "a", "edit": {"old": "x", "new": "y"}}}, [XY]),
    "mode append": (
        {"name": "write_file", "arguments": {"path": "a", "content": "p", "mode": "append"}},
        [insert("p\n", Claims(at_end=True))],
    ),
    "several files": (
        {"files": [{"path": "a", "edits": [{"find": "x", "replace": "y"}]}, {"path": "b", "content": "t"}]},
        [XY, Write("b", "t", True, 1, "write")],
    ),
    "items with paths of their own": (
        {"path": "a", "edits": [{"path": "b", "old": "x", "new": "y"}, {"old": "x", "new": "y"}]},
        [swap("b", "x", "y"), XY],
    ),
}  # fmt: skip


@pytest.mark.parametrize("said", BECOMES)
def test_becomes(said: str) -> None:
    written, ops = BECOMES[said]
    patch = named("json-edits").parse(json.dumps(written))
    assert patch.problems == ()
    assert [with_one_policy(op) for op in patch.ops] == ops


REFUSED: dict[str, tuple[Any, str]] = {
    "undo_edit": ({"command": "undo_edit", "path": "a"}, "undo_edit"),
    "notebook": ({"name": "NotebookEdit", "input": {"notebook_path": "a.ipynb"}}, "which cell"),
    "not a notebook": ({"name": "NotebookEdit", "input": {"notebook_path": "a"}}, "not a notebook"),
    "same": ({**EDIT, "new_string": "x"}, "the same"),
    "neither": ({"file_path": "a", "edits": [{"note": "x"}]}, "neither old nor new text"),
    "no path": ({"old_string": "x", "new_string": "y"}, "names no file"),
    "blank path": ({**EDIT, "file_path": " "}, "names no file"),
    "path isn't text": ({**EDIT, "file_path": 3}, "path must be a string"),
    "old isn't text": ({**EDIT, "old_string": ["x"]}, "old text must be a string"),
    "expected zero": ({**EDIT, "expected_replacements": 0}, "not a positive number"),
    "expected half": ({**EDIT, "expected_replacements": 1.5}, "not a positive number"),
    "edits isn't a list": ({"file_path": "a", "edits": "x"}, "expecting value"),
    "edits holds text": ({"file_path": "a", "edits": ["x"]}, "list of edits"),
    "insert line": ({"command": "insert", "path": "a", "insert_line": 1e12, "insert_text": "x"}, "not a line number"),
    "insert no text": ({"command": "insert", "path": "a", "insert_line": 1}, "no text"),
    "write no content": ({"name": "write_file", "args": {"path": "a"}}, "text is missing"),
    "sketch of nothing": ({"name": "edit_file", "args": {"target_file": "a", "code_edit": ""}}, "code is missing"),
    "sketch without a path": ({"name": "edit_file", "args": {"code_edit": "x"}}, "names no file"),
    "sketch of marks": ({"target_file": "a.py", "code_edit": "# ... existing code ..."}, "everything in a.py is left out"),
    "line ranges": ({"path": "a", "changes": [{"newText": "x", "range": {}}]}, "no old text"),
    "nothing": ({"status": "ok"}, "no edit in the JSON"),
    "a chunk": ({"operations": [{"path": "a", "op": "append_text", "payload": "x"}]}, "no edit in the JSON"),
}  # fmt: skip


@pytest.mark.parametrize("said", REFUSED)
def test_refused(said: str) -> None:
    written, detail = REFUSED[said]
    patch = named("json-edits").parse(json.dumps(written))
    assert patch.ops == ()
    assert [problem.kind for problem in patch.problems] == ["bad_patch"]
    assert detail in patch.problems[0].detail
    assert patch.problems[0].advice
    assert patch.problems[0].patch_line == 1


@pytest.mark.parametrize(
    ("text", "kind", "line"),
    [
        ('\n{"file_path": "a",\n"old_string": "x\\\'", "new_string": "y"}', "bad_patch", 3),
        ('{"file_path": "a", "old_string": "x",\n"old_string": "z", "new_string": "y"}', "bad_patch", 1),
        ('{"file_path": "a", "old_string": "print("x")", "new_string": "y"}', "bad_patch", 1),
        ('{"file_path": "a", "old_string": "x" "new_string": "y"}', "bad_patch", 1),
        ('{"file_path": "a", "old_string": x, "new_string": "y"}', "bad_patch", 1),
        ('{"file_path": "a", "old_string": "x",\n "new_string": "y', "truncated", 2),
        ('```json\n[{"file_path": "a", "old_string": "x", "new_string": "y"},\n```\nDone.', "truncated", 3),
        ('<tool_call>\n{"name": "Edit", "arguments": {"file_path": "a"}\n</tool_call>', "truncated", 3),
        ('{"edits": ' + "[" * 33, "truncated", 1),
        ('<invoke name="Edit">\n<parameter name="file_path">a', "truncated", 1),
        ('<invoke name="Edit">\n<parameter name="path">a</parameter>\n', "truncated", 1),
    ],
)
def test_what_cannot_be_read(text: str, kind: str, line: int) -> None:
    (problem,) = named("json-edits").parse(text).problems
    assert (problem.kind, problem.patch_line) == (kind, line)
    assert problem.detail and problem.advice


def test_lines_are_those_of_the_answer() -> None:
    text = 'Do:\n```json\n[\n  {"file_path": "a", "old_string": "x", "new_string": "y"},\n'
    text += '  {\n    "path": "b", "content": "t"}\n]\n```\n'
    text += 'and\n\n<invoke name="Edit">\n<parameter name="file_path">c</parameter>\n'
    text += '<parameter name="diff">@@\n-x\n+y\n@@ f\n-p</parameter>\n</invoke>\n'
    patch = named("json-edits").parse(text)
    assert patch.problems == ()
    assert [op.patch_line for op in patch.ops] == [4, 5, 13]
    edit = patch.ops[2]
    assert isinstance(edit, Edit)
    assert [hunk.patch_line for hunk in edit.hunks] == [13, 16]


def test_a_key_in_two_spellings_is_a_problem_only_where_they_differ() -> None:
    (problem,) = named("json-edits").parse(json.dumps({**EDIT, "oldString": "z"})).problems
    assert (problem.kind, "two spellings" in problem.detail) == ("bad_patch", True)
    assert list(named("json-edits").parse(json.dumps({**EDIT, "oldString": "x"})).ops) == [XY]


def test_every_problem_of_an_answer_is_told() -> None:
    text = '{"file_path": "a", "old_string": x}\n{"old_string": "p", "new_string": "q"}\n'
    text += '{"command": "undo_edit", "path": "c"}\n'
    assert [problem.patch_line for problem in named("json-edits").parse(text).problems] == [1, 2, 3]


def test_code_in_the_prose_is_no_edit() -> None:
    text = 'Look: `if (a) { b["x"] }`, { path: here }, [1], ["a", {"b": 1}] and {"k": {"path": "p"}}.\n' + json.dumps(
        EDIT
    )
    patch = named("json-edits").parse(text)
    assert (patch.ops, patch.problems) == ((swap("a", "x", "y", line=2),), ())


def test_a_patch_in_an_envelope_that_is_cut_off_is_refused() -> None:
    cut = "*** Begin Patch\n*** Update File: a\n@@\n-x\n+y\n"
    patch = named("json-edits").parse(json.dumps({"name": "apply_patch", "input": cut}))
    assert patch.problems and {problem.kind for problem in patch.problems} <= {"bad_patch", "truncated"}


@pytest.mark.parametrize(
    "text",
    [
        '{"status": "ok", "items": [1, 2]}',
        '{"operations": [{"path": "a", "op": "replace_text", "marker": "x", "payload": "y"}]}',
        '{"name": "anypatch", "version": "1", "files": ["src"], "scripts": {"test": "x"}}',
        '--- a/t.json\n+++ b/t.json\n@@ -1 +1,2 @@\n {\n+  "old_string": "x",\n+  "new_string": "y"\n',
        "old_string and new_string are the keys to use.",
        "",
    ],
)
def test_other_texts_score_low(text: str) -> None:
    assert named("json-edits").sniff(text) < 30


@pytest.mark.parametrize("said", [name for name in BECOMES if name not in ("function call", "several files")])
def test_calls_are_recognised(said: str) -> None:
    assert named("json-edits").sniff(f"Here:\r\n```json\r\n{json.dumps(BECOMES[said][0], indent=1)}\r\n```\r\n") >= 50


@pytest.mark.parametrize("call", [{"path": "a.py", "old": "1", "new": "2"}, {"path": "a.py", "content": "x = 2\n"}])
def test_common_keys_are_a_call_only_where_nothing_else_is_said(call: dict[str, str]) -> None:
    """The arguments of a tool alone, as a program hands them on; in a sentence they are an example."""
    tree = {"a.py": "x = 1\n"}
    assert anypatch.apply_to(call, tree).files == {"a.py": "x = 2\n"}
    said = f"The server was sent {json.dumps(call)} yesterday.\n"
    assert [problem.kind for problem in anypatch.apply_to(said, tree).problems] == ["no_patch"]


def test_render_says_what_text_for_text_cannot() -> None:
    """A lost final line ending, an emptied file: whole files, to the byte."""
    for before, after in ((b"a\n", b"a"), (b"a\n", b""), (b"", b"\xef\xbb\xbfa\xe9\r")):
        change = FileChange("f", File(before), File(after))
        text = write_changes((change,), "json-edits")
        assert '"content"' in text
        assert anypatch.apply_to(text, {"f": before}).files == {"f": after}


def test_render_grows_until_the_text_is_unique() -> None:
    before = "a\nx\nb\nx\nc\nax\nx\n"
    after = "a\nx\nb\ny\nc\nax\nx\n"
    text = write_changes((FileChange("f", File(before.encode()), File(after.encode())),), "json-edits")
    assert json.loads(text) == [{"file_path": "f", "old_string": "b\nx\n", "new_string": "b\ny\n"}]
    assert anypatch.apply_to(text, {"f": before}).files == {"f": after}


TOKENS = st.sampled_from(
    ["{", "}", "[", "]", ",", ":", '"', "'", "\\", "\n", '"file_path"', '"old_string"', '"new_string"', '"x"', '"a"',
     '"edits"', '"name"', '"Edit"', '"input"', '"arguments"', '"{', '}"', "true", "None", "1", "//", "/*", "*/", "#",
     '"command"', '"insert"', '"insert_line"', '"path"', '"content"', '"diff"', '"@@\\n-a\\n+b"', '"operation"', "```",
     '"type"', '"update_file"', '<invoke name="Edit">', '<parameter name="path">', "</parameter>", "</invoke>",
     '{"path": "a", "content": "b"}', "\\u12", "\\'", "1e999", "*** Begin Patch"]
)  # fmt: skip


@settings(max_examples=300, deadline=None)
@given(tokens=st.lists(TOKENS, max_size=40))
def test_nothing_raises(tokens: list[str]) -> None:
    text = "".join(tokens)
    patch = named("json-edits").parse(text)
    assert all(problem.detail and 0 < problem.patch_line <= text.count("\n") + 1 for problem in patch.problems)
    assert patch.problems or patch.ops or patch.notes
    assert 0 <= named("json-edits").sniff(text) <= 100


@pytest.mark.parametrize(
    "text",
    [
        '{"' * 6_000,
        "[{" * 6_000,
        '["[\'", ' * 20_000,
        '{"a": "' * 6_000,
        '{"file_path": "' * 10_000,
        '{"file_path"\n' * 6_000,
        "{ // " * 40_000,
        "{/*" * 40_000,
        ",//" * 60_000,
        ",\n\n" * 60_000,
        "<invoke name=" * 20_000,
        '<invoke name="a"><parameter name="b">' * 6_000,
        '<invoke name="a">' + '<parameter name="b">c</parameter>' * 6_000,
        '{"file_path": "a", "old_string": "' + '\\"' * 100_000,
        '{"name": "Edit", "arguments": "' + "{" * 100_000 + '"}',
        "<function=a>" + " " * 100_000,
    ],
)
def test_hostile_texts_take_no_time(text: str) -> None:
    with at_most(seconds=1):
        named("json-edits").parse(text)
        named("json-edits").sniff(text + '"old_string"')


@pytest.mark.parametrize("code", ["import os\n# ... existing code ...\ndef f():\n    return 2\n", "x = 1\n"])
def test_sketch_is_written_back_as_it_was_read(code: str) -> None:
    patch = named("json-edits").parse(
        json.dumps({"target_file": "a.py", "instructions": "Change f.", "code_edit": code})
    )
    assert not patch.problems
    assert named("json-edits").write is not None
    again = named("json-edits").parse(named("json-edits").write(patch.ops))
    assert not again.problems
    assert named("json-edits").write(again.ops) == named("json-edits").write(patch.ops)
    assert json.dumps(code) in named("json-edits").write(again.ops)
