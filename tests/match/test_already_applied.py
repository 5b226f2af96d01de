"""Guards: a patch sent again is no second edit, code left out is never written, one answer may hold many patches."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import anypatch
from anypatch import api
from anypatch.api import format_given
from anypatch.model import TOLERANT, Edit, Hunk, Patch, Where
from anypatch.plan import plan
from anypatch.problems import Refused
from anypatch.report.json import as_json, json_text
from anypatch.tree import MemoryTree

INSERT = (
    "operations:\n  - path: a.py\n    op: insert_after_text\n    marker: import os\n    payload: import sys, json\n"
)


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


@pytest.mark.parametrize(
    ("format", "patch", "before"),
    [
        ("chunk", INSERT, "import os\nimport sys, json\nrun()\n"),
        (
            "begin-patch",
            "*** Begin Patch\n*** Update File: a.py\n@@\n import os\n+import sys, json\n*** End Patch\n",
            "import os\nimport sys, json\n",
        ),
        (
            "begin-patch",
            "*** Begin Patch\n*** Update File: a.py\n@@\n x\n-old = compute()\n+new = compute()\n*** End Patch\n",
            "x\nnew = compute()\n",
        ),
        (
            "search-replace",
            "a.py\n<<<<<<< SEARCH\nx\nold = compute()\n=======\nx\nnew = compute()\n>>>>>>> REPLACE\n",
            "x\nnew = compute()\n",
        ),
    ],
)
def test_a_hunk_whose_result_stands_is_a_reported_no_op(format: str, patch: str, before: str) -> None:
    result = anypatch.apply_to(patch, {"a.py": before}, format=format_given(format))
    assert result.ok and dict(result.files) == {"a.py": before}
    assert [note.kind for note in result.notes] == ["already_applied"]
    (note,) = json.loads(json_text(as_json(result)))["notes"]
    assert note["kind"] == "already_applied"


def test_a_no_op_that_rests_on_what_the_patch_removes_is_left_out_of_the_rest() -> None:
    block = "a.py\n<<<<<<< SEARCH\n{}=======\n{}>>>>>>> REPLACE\n"
    patch = block.format("a\nold\nb\n", "a\nnew\nb\n") + block.format("new\n", "") + block.format("c\n", "d\n")
    result = anypatch.apply_to(patch, {"a.py": "a\nnew\nb\nc\n"}, partial=True)
    assert result.partial and result.files == {"a.py": "a\nnew\nb\nd\n"}
    assert [problem.kind for problem in result.problems] == ["not_found", "held_back"]


def test_a_line_between_two_others_is_inserted_though_its_like_is_near() -> None:
    patch = "*** Begin Patch\n*** Update File: a\n@@\n first line\n+again and again\n again and again\n*** End Patch\n"
    result = anypatch.apply_to(patch, {"a": "first line\nagain and again\n"})
    assert result.files == {"a": "first line\nagain and again\nagain and again\n"}


BODY = "def f():\n    first()\n    second()\n    third()\n    last()\n"


def test_code_left_out_of_one_side_is_refused_though_both_sides_pin_it() -> None:
    new = "def f():\n    FIRST()\n    second()\n    # ... existing code ...\n    last()\n"
    patch = f"a.py\n<<<<<<< SEARCH\n{BODY}=======\n{new}>>>>>>> REPLACE\n"
    assert [problem.kind for problem in anypatch.apply_to(patch, {"a.py": BODY}).problems] == ["elision"]


@pytest.mark.parametrize(
    "mark",
    [
        "# ... rest of code unchanged ...",
        "// ... existing code ...",
        "/* rest of the function unchanged */",
        "<!-- ... -->",
    ],
)
def test_code_left_out_is_never_written(mark: str) -> None:
    patch = f"a.py\n<<<<<<< SEARCH\n{BODY}=======\ndef f():\n    new()\n    {mark}\n>>>>>>> REPLACE\n"
    result = anypatch.apply_to(patch, {"a.py": BODY})
    assert [problem.kind for problem in result.problems] == ["elision"]
    assert result.files == {"a.py": BODY}


def test_hunks_that_change_the_same_lines_overlap() -> None:
    by_number = [Hunk((("+", "x"),), Where(line=first, last=last), TOLERANT, 1) for first, last in ((1, 2), (2, 3))]
    made = plan(Patch("test", (Edit("a", tuple(by_number)),)), MemoryTree({"a": "1\n2\n3\n"}))
    assert [problem.kind for problem in made.problems] == ["overlap"]


# ── answers ──────────────────────────────────────────────────────────────────────────────────────

CHUNK = "operations:\n  - path: a.txt\n    op: replace_text\n    marker: one\n    payload: 1\n"
DIFF = "--- a/b.txt\n+++ b/b.txt\n@@ -1 +1 @@\n-two\n+2\n"
BLOCK = "c.txt\n```\n<<<<<<< SEARCH\nthree\n=======\n3\n>>>>>>> REPLACE\n```\n"
FILES = {"a.txt": "one\n", "b.txt": "two\n", "c.txt": "three\n"}


def test_several_formats_in_one_answer_are_one_transaction() -> None:
    answer = f"First this:\n\n```yaml\n{CHUNK}```\n\nthen\n\n```diff\n{DIFF}```\n\nand\n\n{BLOCK}\nDone.\n"
    result = anypatch.apply_to(answer, FILES)
    assert result.files == {"a.txt": "1\n", "b.txt": "2\n", "c.txt": "3\n"}, result.problems
    broken = anypatch.apply_to(answer.replace("-two", "-zwei"), FILES)
    assert not broken.ok and broken.files == FILES


@pytest.mark.parametrize("patch", [CHUNK, DIFF, BLOCK], ids=["chunk", "unified", "search-replace"])
def test_what_an_answer_is_wrapped_in_is_seen_through(patch: str) -> None:
    plain = dict(anypatch.apply_to(patch, FILES).files)
    assert plain != FILES
    escaped = patch.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    dressed = {
        "prose": f"Sure! Here is the patch:\n\n```\n{patch}```\nAnything else?\n",
        "crlf": patch.replace("\n", "\r\n"),
        "bom": "\ufeff" + patch,
        "indented": "".join(f"    {line}\n" for line in patch.split("\n")[:-1]),
        "escaped": escaped,
        "page": "<!DOCTYPE html>\n<html>\n<body>\n"
        + escaped.replace(" ", "&nbsp;").replace("\n", "<br>\n")
        + "</body>\n</html>\n",
    }
    for name, answer in dressed.items():
        result = anypatch.apply_to(answer, FILES)
        assert dict(result.files) == plain, (name, result.problems)


@pytest.mark.parametrize("text", ["", "   \n", "\ufeff", "Hello, how are you?\n", "```py\nprint(1)\n```\n"])
def test_an_answer_without_a_patch(text: str) -> None:
    report = anypatch.apply_to(text, FILES)
    assert [problem.kind for problem in report.problems] == ["no_patch"]
    assert "Send" in report.for_model() or "Write" in report.for_model()


def test_an_unknown_format_names_the_nearest() -> None:
    with pytest.raises(Refused) as refused:
        api.format_named("chunks")
    assert "chunk" in refused.value.problems[0].advice


# ── paths ────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    "path", ["src/lib/f.py", "./src/lib/f.py", "a/src/lib/f.py", "`src/lib/f.py`", "src\\lib\\f.py", "lib/f.py", "f.py"]
)
def test_a_path_as_models_misspell_it(path: str) -> None:
    patch = f"*** Begin Patch\n*** Update File: {path}\n@@\n-x\n+y\n*** End Patch\n"
    assert anypatch.apply_to(patch, {"src/lib/f.py": "x\n", "src/g.py": "x\n"}).files["src/lib/f.py"] == "y\n"


def test_a_lost_prefix_that_fits_two_files_is_ambiguous() -> None:
    patch = "*** Begin Patch\n*** Update File: f.py\n@@\n-x\n+y\n*** End Patch\n"
    report = anypatch.apply_to(patch, {"a/f.py": "x\n", "b/f.py": "x\n"})
    assert [problem.kind for problem in report.problems] == ["ambiguous"]
    assert "a/f.py" in report.problems[0].detail and "b/f.py" in report.problems[0].detail


def test_another_case_is_only_suggested(tmp_path: Path) -> None:
    (tmp_path / "Readme.md").write_text("x\n")
    report = anypatch.apply("*** Begin Patch\n*** Update File: README.md\n@@\n-x\n+y\n*** End Patch\n", tmp_path)
    assert [problem.kind for problem in report.problems] == ["file_missing"]
    assert "Readme.md" in report.problems[0].advice


def test_code_left_out_is_refused_at_its_own_line() -> None:
    before = "def f():\n    a = 1\n    b = 2\n    c = 3\n    return a\n"
    for patch in (
        "*** Begin Patch\n*** Update File: a.py\n@@\n def f():\n-    a = 1\n-    b = 2\n-    c = 3\n+    a = 5\n"
        "+    # ... rest unchanged ...\n     return a\n*** End Patch\n",
        "a.py\n<<<<<<< SEARCH\ndef f():\n    a = 1\n    b = 2\n    c = 3\n=======\ndef f():\n    a = 5\n"
        "    # ... rest unchanged ...\n>>>>>>> REPLACE\n",
    ):
        (problem,) = anypatch.apply_to(patch, {"a.py": before}).problems
        line = next(n for n, text in enumerate(patch.split("\n"), 1) if "rest unchanged" in text)
        assert (problem.kind, problem.patch_line) == ("elision", line)
