"""Results as plain values."""

from __future__ import annotations

import json

from anypatch.model import (
    Patch,
    Plan,
)
from anypatch.problems import KINDS, Problem
from anypatch.report.json import as_json, json_text
from anypatch.result import Result
from support.results import (
    DONE,
    REFUSED,
)


def test_json_of_what_was_done() -> None:
    value = as_json(DONE)
    assert value["ok"] is True
    assert value["dry_run"] is False
    assert (value["format"], value["description"], value["receipt"]) == ("chunk", "Say it in German", "R1")
    assert value["changes"] == [
        {"path": "a.txt", "action": "update", "added": 3, "removed": 2},
        {"path": "new.txt", "action": "create", "added": 2, "removed": 0},
        {"path": "there.txt", "action": "update", "added": 1, "removed": 1},
        {"path": "old.txt", "action": "delete", "added": 0, "removed": 1},
        {"path": "to.txt", "action": "move", "from": "from.txt", "added": 0, "removed": 0},
    ]
    operations = value["operations"]
    assert isinstance(operations, list)
    assert operations[0] == {
        "number": 1, "label": "replace_text", "path": "a.txt", "start": 1, "end": 3, "new_lines": 3,
        "how": "start, exact, indent", "patch_line": 6, "ok": True, "applied": "all", "notes": ["aligned"],
        "parts": [
            {"start": 1, "end": 0, "new_lines": 1, "how": "start"},
            {"start": 2, "end": 2, "new_lines": 2, "how": "exact"},
            {"start": 3, "end": 3, "new_lines": 0, "how": "indent"},
        ],
    }  # fmt: skip
    assert (operations[1]["start"], operations[1]["end"], operations[1]["new_lines"]) == (None, None, 2)
    assert operations[4]["to"] == "to.txt"
    assert value["notes"] == [{"kind": None, "text": "aligned", "path": "a.txt", "patch_line": 8, "line": None}]


def test_json_of_a_refusal() -> None:
    value = as_json(REFUSED)
    assert (value["ok"], value["changes"], value["receipt"], value["dry_run"]) == (False, [], None, False)
    assert value["problems"] == [
        {
            "kind": "not_found", "path": "a.txt", "patch_line": 7, "line": 2, "operation": 1,
            "message": "line 2 of the marker differs",
            "advice": KINDS["not_found"].advice, "hint": KINDS["not_found"].hint,
            "near": [{"line": 2, "text": "Two\nthree", "note": "differs in case"}],
            "difference": {"line": 2, "file": "Two", "patch": "two"}, "corrected": [],
        },
        {
            "kind": "bad_patch", "path": None, "patch_line": 12, "line": None, "operation": None,
            "message": "the patch cannot be read: no `op`", "advice": "Write op: replace_text.",
            "hint": "Write op: replace_text.", "near": [], "difference": None, "corrected": [],
        },
    ]  # fmt: skip


def test_json_tells_a_dry_run() -> None:
    assert as_json(DONE._replace(receipt=None, dry_run=True))["dry_run"] is True
    assert as_json(DONE._replace(receipt=None))["dry_run"] is False, "files in memory were changed"


def test_json_is_valid_whatever_the_bytes() -> None:
    report = Result(False, Plan(Patch("chunk")), (Problem("not_found", "\udcff\x00", "näme\udc80"),))
    text = json_text(as_json(report))
    assert json.loads(text.encode("utf-8"))["problems"][0]["path"] == "näme\udc80"
    assert "\n" not in text
