"""Each guard: an edit that it stops, and a like one that it must not."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

import anypatch
from anypatch.match.guards import existing_result, first_missing_line, leaves_out_code, overlapping
from anypatch.model import TOLERANT, Claims, Edit, Hunk, Patch
from anypatch.plan import plan
from anypatch.report.json import as_json, json_text
from anypatch.text import Splice, Text
from anypatch.tree import MemoryTree
from support.edits import block, call, changed, diff, refusal, update

BODY = "def f():\n    first()\n    second()\n    third()\n    last()\n"


# ── marks for left-out code ──────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    "mark",
    [
        "# ... existing code ...",
        "// ... rest of code unchanged ...",
        "/* ... */",
        "<!-- ... -->",
        "# … existing code …",
    ],
)
@pytest.mark.parametrize("write", [block, call, lambda old, new: diff(f"@@ @@\n{signed('-', old)}{signed('+', new)}")])
def test_a_mark_is_never_written_instead_of_code(mark: str, write: Callable[..., str]) -> None:
    problem = refusal(write(BODY, f"def f():\n    new()\n    {mark}\n"), BODY)
    assert problem.kind == "elision"
    assert mark in problem.detail


def signed(sign: str, text: str) -> str:
    return "".join(f"{sign}{line}\n" for line in text.split("\n")[:-1])


@pytest.mark.parametrize(
    ("path", "old", "new"),
    [
        ("a.py", "# ... existing code ...\na = 1\n", "# ... existing code ...\na = 2\n"),  # the old text has it, too
        ("a.py", "a = 1\n", "a = 2  # ... and so on\n"),  # code
        ("a.py", "a = 1\n", "# more to come\na = 2\n"),
        ("a.py", "def f(): ...\n", "def g(): ...\n"),
        ("a.md", "Text.\n", "Text.\n\n```js\n// ... existing code ...\n```\n"),  # an example for a reader
    ],
)
def test_what_is_no_mark(path: str, old: str, new: str) -> None:
    assert leaves_out_code(Hunk(old, new, TOLERANT), path) == ""
    assert changed(block(old, new, path), old, path) == new


def test_a_mark_outside_of_the_fences_of_a_page_is_one() -> None:
    new = "```js\nx\n```\n<!-- ... existing text ... -->\n"
    assert leaves_out_code(Hunk("Text.\n", new, TOLERANT), "a.md") == "<!-- ... existing text ... -->"


@pytest.mark.parametrize(
    "patch", [block(BODY, "x()\n# ... rest ...\n"), update("@@\n-    last()\n+    x()\n+    # ... rest ...\n")]
)
def test_a_mark_is_refused_at_its_own_line(patch: str) -> None:
    line = next(n for n, text in enumerate(patch.split("\n"), 1) if "... rest ..." in text)
    assert refusal(patch, BODY).patch_line == line


def test_code_left_out_of_one_side_is_refused_though_both_sides_pin_it() -> None:
    new = "def f():\n    FIRST()\n    second()\n    # ... existing code ...\n    last()\n"
    assert refusal(block(BODY, new), BODY).kind == "elision"


# ── the result is there ──────────────────────────────────────────────────────────────────────────


OLD, NEW = "    total = compute(first)\n    return total\n", "    total = compute(second)\n    return total\n"
DONE = f"def f(first, second):\n{NEW}"


@pytest.mark.parametrize(
    "patch", [block(OLD, NEW), call(OLD, NEW), diff(f"@@ @@\n{signed('-', OLD)}{signed('+', NEW)}")]
)
def test_an_edit_whose_result_is_there_is_a_no_op_that_is_told(patch: str) -> None:
    result = anypatch.apply_to(patch, {"a.py": DONE})
    assert result.ok and result.files == {"a.py": DONE}
    assert [(note.kind, "line 2" in note.text) for note in result.notes] == [("already_applied", True)]
    (note,) = json.loads(json_text(as_json(result)))["notes"]
    assert note["kind"] == "already_applied"


def test_a_begin_patch_that_is_applied_already_is_not_found() -> None:
    problem = refusal(update(f"@@\n{signed('-', OLD)}{signed('+', NEW)}"), DONE)
    assert problem.kind == "not_found"
    assert "already at line 2" in problem.advice


@pytest.mark.parametrize(
    ("text", "old", "new"),
    [
        ("x = 1\n}\n", "y = 1\n}\n", "x = 1\n}\n"),  # too little to tell
        (f"{NEW}{NEW}", OLD, NEW),  # in two places
        ("def other():\n    return first\n", OLD, NEW),
        ("keep = first()\nlast = second()\n", "keep = first()\ngone = 1\nlast = second()\n", "keep = first()\nlast = second()\n"),  # what a deletion leaves
    ],
)  # fmt: skip
def test_what_is_no_result(text: str, old: str, new: str) -> None:
    assert existing_result(Text.of(text), Hunk(old, new, TOLERANT)) == -1


def test_a_deletion_that_is_sent_again_is_refused() -> None:
    kept = "    keep = first()\n    last = second()\n"
    assert refusal(block(kept.replace("    last", "    gone = 1\n    last"), kept), kept).kind == "not_found"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("        alpha = first()\n        beta = second()\n", "    alpha = first()\n    beta = second()\n"),
        ("total = load(first)\n", "if ready:\n    total = load(first)\n"),
        ("    alpha = first()\n    beta = second()\n\n", "    alpha = first()\n    beta = second()\n    gamma = third()\n\n"),
    ],
    ids=["indentation alone", "wrapped", "added above a blank line"],
)  # fmt: skip
def test_the_result_is_looked_for_before_the_old_text_is_looked_for_loosely(old: str, new: str) -> None:
    before = f"def f():\n    pass\n{new}\nx = 1\n"
    assert changed(block(old, new), before) == before


def test_an_added_line_is_added_again_if_asked_again() -> None:
    """Its old text is there: nobody can tell a second line from a patch that is sent twice. On a disk the receipt does."""
    assert (
        changed(block("import os\n", "import os\nimport sys\n"), "import os\nimport sys\n")
        == "import os\nimport sys\nimport sys\n"
    )


def test_a_line_between_two_others_is_inserted_though_its_like_is_near() -> None:
    patch = update("@@\n first line\n+again and again\n again and again\n", path="a")
    assert changed(patch, "first line\nagain and again\n", "a") == "first line\nagain and again\nagain and again\n"


def test_a_no_op_that_rests_on_what_the_patch_removes_is_left_out_of_the_rest() -> None:
    patch = block("a\nold\nb\n", "a\nnew\nb\n") + block("new\n", "") + block("c\n", "d\n")
    result = anypatch.apply_to(patch, {"a.py": "a\nnew\nb\nc\n"}, partial=True)
    assert result.partial and result.files == {"a.py": "a\nnew\nb\nd\n"}
    assert [problem.kind for problem in result.problems] == ["not_found", "held_back"]


def test_the_same_patch_again_is_refused_by_its_receipt(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("one\ntwo\nthree\n")
    patch = "=== file: a.txt ===\n--- delete 0:0\n=END=\n"
    first = anypatch.apply(patch, tmp_path)
    assert first.ok and first.receipt is not None
    again = anypatch.apply(patch, tmp_path)
    assert [problem.kind for problem in again.problems] == ["already_applied"]
    assert first.receipt.id in again.problems[0].detail
    assert (tmp_path / "a.txt").read_text() == "two\nthree\n"
    assert anypatch.apply(patch, tmp_path, again=True).ok
    assert (tmp_path / "a.txt").read_text() == "three\n"


def test_it_applies_again_after_an_undo_or_an_edit(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("one\ntwo\n")
    patch = "=== file: a.txt ===\n--- delete 0:0\n=END=\n"
    assert anypatch.apply(patch, tmp_path).ok
    assert anypatch.undo(tmp_path).ok
    assert anypatch.apply(patch, tmp_path).ok
    (tmp_path / "a.txt").write_text("other\ntwo\n")
    assert anypatch.apply(patch, tmp_path).ok
    assert (tmp_path / "a.txt").read_text() == "two\n"


# ── overlapping edits ────────────────────────────────────────────────────────────────────────────


def test_hunks_that_change_the_same_lines_overlap() -> None:
    by_number = [Hunk("", "x\n", TOLERANT, Claims(line=first, last=last), 1) for first, last in ((1, 2), (2, 3))]
    made = plan(Patch("test", (Edit("a", tuple(by_number)),)), MemoryTree({"a": "1\n2\n3\n"}))
    assert [problem.kind for problem in made.problems] == ["overlap"]


def test_two_versions_of_a_line_are_refused() -> None:
    for patch in (
        block("x = 1\n", "x = 2\n") + block("x = 1\n", "x = 3\n"),
        diff("@@ -1 +1 @@\n-x = 1\n+x = 2\n") + diff("@@ -1 +1 @@\n-x = 1\n+x = 3\n"),
    ):
        assert refusal(patch, "x = 1\n").kind == "overlap"


@pytest.mark.parametrize(
    "hunks",
    [
        ("@@\n-a\n+A\n b\n", "@@\n b\n-c\n+C\n"),  # they share the line they keep
        ("@@\n-a\n+A\n", "@@\n-c\n+C\n"),
    ],
)
def test_hunks_may_share_what_they_keep(hunks: tuple[str, ...]) -> None:
    assert changed(update(*hunks), "a\nb\nc\n") == "A\nb\nC\n"


def test_a_later_block_may_build_on_an_earlier_one() -> None:
    assert changed(block("a\n", "b\n") + block("b\n", "c\n"), "a\n") == "c\n"


def test_pairs_that_overlap() -> None:
    splices = {0: [Splice(1, 4, "")], 1: [Splice(3, 5, "")], 2: [Splice(5, 5, "x"), Splice(9, 10, "")]}
    assert overlapping(splices) == [(0, 1)]


# ── deletions ────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("shown", "other"),
    [
        (["a", "b", "c"], ""),
        (["a ", "b", "c"], ""),  # except for trailing white space
        (["a", "x", "c"], "x"),
        (["a", "b", "c", "d"], "d"),
        (["a", "c"], ""),  # some of its lines, in order
        (["c", "a"], "a"),
        (["a", ""], "(a blank line)"),
        ([], ""),
    ],
)
def test_a_deletion_that_shows_other_lines(shown: list[str], other: str) -> None:
    assert first_missing_line(Text.of("a\nb\nc\n"), shown) == other
