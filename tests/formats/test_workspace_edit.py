"""WorkspaceEdits: what their members become, what is refused, how they are written. More cases: tests/cases/workspace-edit."""

from __future__ import annotations

import json
from typing import Any

import pytest

import anypatch
from anypatch.author.make import write_changes
from anypatch.formats import named
from anypatch.formats.workspace_edit.read import parse, sniff
from anypatch.model import Delete, Edit, File, FileChange, Move, Op, Span, Spans, Write


def text_edit(start: tuple[int, int], end: tuple[int, int], text: str) -> dict[str, Any]:
    places = ({"line": line, "character": character} for line, character in (start, end))
    return {"range": dict(zip(("start", "end"), places, strict=True)), "newText": text}


EDIT = text_edit((0, 1), (0, 2), "x")
DOCUMENT = {"textDocument": {"uri": "a.py", "version": None}, "edits": [EDIT]}


def ops_of(*parts: dict[str, Any]) -> tuple[Op, ...]:
    patch = parse(json.dumps({"documentChanges": parts}))
    assert not patch.problems
    return patch.ops


def spans_of(op: Op) -> Spans:
    assert isinstance(op, Edit)
    (spans,) = op.hunks
    assert isinstance(spans, Spans)
    return spans


def test_changes_by_uri_and_documents_are_the_same() -> None:
    (edit,) = parse(json.dumps({"changes": {"a.py": [EDIT]}})).ops
    assert edit == ops_of(DOCUMENT)[0]
    assert spans_of(edit).spans == (Span((0, 1), (0, 2), "x"),)


def test_the_edits_of_a_document_are_one_up_to_a_file_operation() -> None:
    rename = {"kind": "rename", "oldUri": "b.py", "newUri": "c.py"}
    first, move, second = ops_of(DOCUMENT, DOCUMENT, rename, DOCUMENT)
    assert [len(spans_of(op).spans) for op in (first, second)] == [2, 1]
    assert isinstance(move, Move) and (move.path, move.to) == ("b.py", "c.py")


@pytest.mark.parametrize(
    ("part", "op"),
    [
        ({"kind": "create", "uri": "a.py"}, Write("a.py", "", False, 1)),
        ({"kind": "create", "uri": "a.py", "options": {"overwrite": True}}, Write("a.py", "", True, 1)),
        ({"kind": "create", "uri": "a.py", "options": {"ignoreIfExists": True}}, Write("a.py", "", False, 1, skip_if_exists=True)),
        ({"kind": "delete", "uri": "a.py"}, Delete("a.py", 1)),
        ({"kind": "delete", "uri": "a.py", "options": {"ignoreIfNotExists": True}}, Delete("a.py", 1, skip_if_missing=True)),
        ({"kind": "rename", "oldUri": "a.py", "newUri": "b.py"}, Move("a.py", "b.py", False, 1)),
    ],
)  # fmt: skip
def test_file_operations_are_read_and_written(part: dict[str, Any], op: Op) -> None:
    assert ops_of(part) == (op,)
    assert json.loads(named("workspace-edit").write((op,)))["documentChanges"] == [part]


def test_encoding_and_hashes_are_read_and_written() -> None:
    text = json.dumps({"positionEncoding": "utf-8", "hashes": {"a.py": "sha256:00"}, "documentChanges": [DOCUMENT]})
    ops = parse(text).ops
    assert (spans_of(ops[0]).unit, spans_of(ops[0]).hash) == ("utf-8", "sha256:00")
    assert json.loads(named("workspace-edit").write(ops)) == json.loads(text)


REFUSED: dict[str, Any] = {
    "there is no WorkspaceEdit": {"x": 1},
    "positionEncoding must be": {"positionEncoding": "latin-1", "changes": {"a.py": [EDIT]}},
    "something other than an object": {"documentChanges": [1]},
    "which document": {"documentChanges": [{"edits": [EDIT]}]},
    "must be a list": {"documentChanges": [{"textDocument": {"uri": "a.py"}, "edits": EDIT}]},
    "must be a whole number": {"documentChanges": [{"textDocument": {"uri": "a.py", "version": "1"}, "edits": [EDIT]}]},
    "in versions 1 and 2": {
        "documentChanges": [
            {"textDocument": {"uri": "a.py", "version": version}, "edits": [EDIT]} for version in (1, 2)
        ]
    },
    "an object with range": {"changes": {"a.py": [1]}},
    "needs a range": {"changes": {"a.py": [{"newText": "x"}]}},
    "a snippet": {"changes": {"a.py": [{**EDIT, "insertTextFormat": 2}]}},
    "counted from 0": {"changes": {"a.py": [text_edit((-1, 0), (0, 0), "x")]}},
    "a file operation must be": {"documentChanges": [{"kind": "copy", "uri": "a.py"}]},
}


@pytest.mark.parametrize("detail", REFUSED)
def test_refused(detail: str) -> None:
    (problem,) = parse(json.dumps(REFUSED[detail])).problems
    assert problem.kind == "bad_patch"
    assert detail in problem.detail


def test_two_edits_are_refused() -> None:
    text = json.dumps({"changes": {"a.py": [EDIT]}})
    assert "more than one" in parse(f"{text}\n{text}").problems[0].detail


def test_notes() -> None:
    annotations = {"k": {"label": "in comments", "needsConfirmation": True}}
    edit = {"changes": {"a.py": [EDIT]}, "documentChanges": [DOCUMENT], "changeAnnotations": annotations}
    notes = parse(json.dumps(edit)).notes
    assert ["documentChanges were used" in notes[0].text, "in comments" in notes[1].text] == [True, True]


def test_scores() -> None:
    assert sniff(json.dumps({"changes": {"a.py": [EDIT]}})) > 90
    assert sniff('{"changes": ["fixed a bug"]}') == 0


@pytest.mark.parametrize(
    ("before", "after"), [("a\nb\n", "a\nx\nb\n"), ("a\nb", "a\nx"), ("a\nb", "a"), ("a", "a\nb"), ("é\n", "ü\n")]
)
def test_changes_are_written_so_that_they_apply(before: str, after: str) -> None:
    text = write_changes((FileChange("f", File(before.encode()), File(after.encode())),), "workspace-edit")
    assert anypatch.apply_to(text, {"f": before}, format="workspace-edit").files == {"f": after}
