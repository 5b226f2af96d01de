"""The changed files of a result; the diff."""

from __future__ import annotations

import pytest

import anypatch
from anypatch.model import (
    Edit,
    File,
    FileChange,
    Outcome,
    Plan,
    Receipt,
    Write,
)
from anypatch.report.files import diff_of
from anypatch.report.json import as_json
from anypatch.report.people import Layout, for_people
from anypatch.result import Result
from support.results import (
    CHANGES,
    OUTCOMES,
    PATCH,
    marked,
)


def test_undo_is_told_by_file() -> None:
    changes = tuple(change.inverse() for change in CHANGES[:2] + CHANGES[3:4])
    lines = for_people(Result(True, Plan(PATCH, changes), receipt=Receipt("R1", changes, undone=True)))
    assert lines == ["M a.txt    +2 -3", "D new.txt  -2", "A old.txt  +1", "undone: 3 files, +3 -5"]


def test_permissions_are_told() -> None:
    change = FileChange("run.sh", File(b"x\n"), File(b"x\n", 0o755))
    new = FileChange("new.sh", None, File(b"", 0o755))
    outcomes = (
        Outcome(1, Edit("run.sh", (), mode=0o755), "run.sh"),
        Outcome(2, Write("new.sh", "", mode=0o755), "new.sh"),
        Outcome(3, Write("a", "", mode=0o644), "a"),
    )
    report = Result(True, Plan(PATCH, (change, new), outcomes))
    assert for_people(report, Layout(verbose=True))[:8] == [
        "M run.sh  mode 755", "A new.sh  mode 755", "  run.sh", "    permissions 755", "  new.sh",
        "    created, 0 lines, permissions 755", "  a", "    created, 0 lines",
    ]  # fmt: skip
    assert diff_of(report) == [
        "permissions 644 to 755: run.sh", "permissions 755: new.sh", "--- /dev/null", "+++ b/new.sh",
    ]  # fmt: skip
    assert as_json(report)["changes"] == [
        {"path": "run.sh", "action": "update", "added": 0, "removed": 0, "mode": "755"},
        {"path": "new.sh", "action": "create", "added": 0, "removed": 0, "mode": "755"},
    ]


def test_the_diff_is_painted_by_what_its_lines_are() -> None:
    change = FileChange("f", File(b"-- x\nb\n"), File(b"b\n++ y\n"))
    assert diff_of(Result(True, Plan(PATCH, (change,))), marked) == [
        "<strong>--- a/f</>", "<strong>+++ b/f</>", "<hunk>@@ -1,2 +1,2 @@</>", "<remove>--- x</>",
        " b", "<add>+++ y</>",
    ]  # fmt: skip


def test_the_diff_of_a_move_and_of_bytes() -> None:
    move = Result(True, Plan(PATCH, CHANGES[4:], OUTCOMES[4:]))
    assert diff_of(move) == ["--- a/from.txt", "+++ b/to.txt"]
    picture = FileChange("p.png", File(b"\x89PNG1"), File(b"\x89PNG2"))
    assert diff_of(Result(True, Plan(PATCH, (picture,)))) == ["binary contents differ: p.png"]


@pytest.mark.parametrize(
    ("patch", "told"),
    [
        ("a.py#A/f\n```python\ndef f(self):\n    return 2\n```\n", "replaced line 3 with 1 line"),
        ("operations:\n  - path: a.py#A/f\n    op: delete_file\n", "deleted lines 2-3"),
    ],
)
def test_what_one_symbol_became_is_not_told_of_the_whole_file(patch: str, told: str) -> None:
    there = "class A:\n    def f(self):\n        return 1\n\n    def g(self):\n        return 3\n"
    lines = for_people(
        anypatch.apply_to(patch, {"a.py": there}, format="whole-file" if "```" in patch else None), Layout(verbose=True)
    )
    assert any(told in line for line in lines), lines
