"""CHUNK: what operations become, which documents an answer holds, what is refused at which line, how it is written.

The rules of the specification are cases: tests/cases/chunk.
"""

from __future__ import annotations

import pytest

import anypatch
from anypatch.author.make import write_changes
from anypatch.formats import named
from anypatch.formats.chunk.read import OPERATIONS, block_end, opens, parse, sniff
from anypatch.model import Delete, Edit, File, FileChange, Hunk, Write

REPLACE = "  - path: a.py\n    op: replace_text\n    marker: x\n    payload: y\n"
DOCUMENT = f"operations:\n{REPLACE}"


def operation(name: str, fields: str = "") -> str:
    return f"operations:\n  - path: a.py\n    op: {name}\n{fields}"


BOTH = "    marker: x\n    payload: y\n"
SIGNS = {
    "replace_text": ["-x", "+y"],
    "insert_after_text": [" x", "+y"],
    "insert_before_text": ["+y", " x"],
    "insert-text-after": [" x", "+y"],
    "delete_text": ["-x"],
    "replace_py_block": ["-x", "+y"],
}


@pytest.mark.parametrize("name", SIGNS)
def test_an_operation_on_text_is_an_edit(name: str) -> None:
    patch = parse(operation(name, BOTH))
    (edit,) = patch.ops
    assert isinstance(edit, Edit) and not patch.problems
    (hunk,) = edit.hunks
    assert isinstance(hunk, Hunk)
    assert list(hunk.signed) == SIGNS[name]


def test_an_operation_on_a_file() -> None:
    text = operation("create_file", "    payload: y\n") + "  - path: b.py\n    op: delete_file\n"
    write, delete = parse(text).ops
    assert isinstance(write, Write) and (write.path, write.text, write.overwrite) == ("a.py", "y\n", True)
    assert isinstance(delete, Delete) and delete.path == "b.py"


def test_context_symbol_and_indentation() -> None:
    fields = "    symbol: f\n    before: |-\n      a\n      b\n    after: c\n    options: {indent: none}\n"
    (edit,) = parse(operation("replace_text", BOTH + fields)).ops
    assert isinstance(edit, Edit) and edit.path == "a.py#f"
    hunk = edit.hunks[0]
    assert (hunk.claims.before, hunk.claims.after, hunk.policy.indents) == (("a", "b"), ("c",), "as-is")


# The document, the line and words of its problem.
REFUSED = [
    ("", 1, "no `operations:`"),
    ("operations: []\n", 1, "not a list"),
    ("operations:\n  - x\n", 2, "mapping of fields"),
    (operation("rename_file"), 2, "not a CHUNK operation"),
    (operation("replace_py_method"), 2, "not a CHUNK operation"),
    ("operations:\n  - path: a.py\n", 2, "no `op`"),
    ("operations:\n  - op: delete_file\n", 2, "no `path`"),
    (operation("replace_text", "    payload: y\n"), 2, "no `marker`"),
    (operation("replace_text", "    marker: x\n"), 2, "no `payload`"),
    (operation("replace_text", "    marker: [x]\n    payload: y\n"), 4, "`marker` must be text"),
    (operation("delete_file", "    symbol: f\n"), 2, "not to a `symbol`"),
    (operation("replace_text", BOTH + "    options: {indent: odd}\n"), 6, "not a mode"),
    (operation("replace_text", BOTH + "    options: x\n"), 6, "must be a mapping"),
    (f"{DOCUMENT}more:\n{REPLACE}", 6, "outside `operations:`"),
    (f"{DOCUMENT}---\n{DOCUMENT}", 6, "second document"),
]


@pytest.mark.parametrize(("text", "line", "detail"), REFUSED)
def test_refused(text: str, line: int, detail: str) -> None:
    patch = parse(text)
    (problem,) = patch.problems
    assert (problem.kind, problem.patch_line) == ("bad_patch", line)
    assert detail in problem.detail
    assert problem.advice


def test_all_problems_of_all_operations_are_said() -> None:
    text = operation("replace_text") + "  - op: append_text\n    payload: y\n"
    assert [problem.patch_line for problem in parse(text).problems] == [2, 2, 4]


# The document, words of the note, its line.
NOTED = [
    (f"description: d\ndry_run: true\n{DOCUMENT}", "unknown field `dry_run`", 2),
    (operation("replace_text", BOTH + "    mode: x\n"), "unknown field `mode`", 6),
    (operation("replace_text", BOTH + "    options: {tabs: 4}\n"), "`options.tabs`", 6),
    (operation("delete_text", BOTH), "takes no payload", 2),
    (operation("append_text", BOTH), "takes no marker", 2),
    (operation("insert_after_text", '    marker: x\n    payload: "x\\ny"\n'), "repeats the marker", 2),
    (REPLACE, "no `operations:`", 1),
    (f"Here:\n\n{DOCUMENT}", "text before the patch", 1),
    (f"{DOCUMENT}\nThat is all.\n", "text after the patch", 7),
]


@pytest.mark.parametrize(("text", "words", "line"), NOTED)
def test_what_is_skipped_is_noted(text: str, words: str, line: int) -> None:
    patch = parse(text)
    assert len(patch.ops) == 1 and not patch.problems
    (note,) = patch.notes
    assert words in note.text and note.patch_line == line


def test_a_document_in_a_fence_that_never_closes_is_cut_off() -> None:
    assert [problem.kind for problem in parse(f"```yaml\n{DOCUMENT}").problems] == ["truncated"]


def test_documents_of_several_fences_are_one_patch() -> None:
    patch = parse(f"First:\n```yaml\n{DOCUMENT}```\nThen:\n```yaml\n{DOCUMENT}```\n")
    assert [op.patch_line for op in patch.ops] == [4, 12]


def test_a_second_list_below_prose_is_refused_not_dropped() -> None:
    assert parse(f"{DOCUMENT}\nAnd then\n\n- path: b.py\n  op: delete_file\n").problems


@pytest.mark.parametrize(
    ("text", "is_found"),
    [
        (DOCUMENT, True),
        (f"description: d\n{DOCUMENT}", True),
        ("- path: a.py\n  op: delete_file\n", True),
        ("- {path: a.py, op: delete_file}\n", True),
        ('"operations": [\n  {"path": "a.py", "op": "delete_file"}\n', True),
        ("operations:\n  - add\n  - remove\n", False),
        ("description: nothing\nversion: 1\n", False),
        ('"""operations:\n  - path: a\n    op: b\n', False),
        ("- path: a.py\n", False),
    ],
)
def test_where_a_document_begins(text: str, is_found: bool) -> None:
    assert opens(text.split("\n"), 0) is is_found


def test_where_a_document_ends() -> None:
    lines = f"{DOCUMENT}language: python\n\nThat is all.".split("\n")
    assert block_end(lines, 0, len(lines), False) == 6


def test_scores() -> None:
    assert sniff(DOCUMENT) > sniff("- path: a\n  op: x\n") > sniff("operations on a path:") == 0


@pytest.mark.parametrize("name", OPERATIONS)
def test_every_operation_is_written_as_it_is_read(name: str) -> None:
    ops = parse(operation(name, BOTH)).ops
    again = parse(named("chunk").write(ops)).ops
    assert named("chunk").write(again) == named("chunk").write(ops)


@pytest.mark.parametrize("after", ["a\n  y\nc\n", "a\nb\nc\n\nd\n", "c\n", "a\n\tb\nc\n", 'a\n"b\\n": # c\nc\n', ""])
def test_changes_are_written_so_that_they_apply(after: str) -> None:
    before = "a\nb\nc\n"
    text = write_changes((FileChange("f", File(before.encode()), File(after.encode())),), "chunk")
    assert anypatch.apply_to(text, {"f": before}, format="chunk").files == {"f": after}
