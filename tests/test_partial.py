"""`partial`: what can be placed is applied, the rest comes back as a patch; never more, never anything else."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import anypatch
from anypatch import api, formats
from anypatch.api import format_given
from anypatch.author.make import write_changes
from anypatch.author.resend import holds_ops, resend
from anypatch.formats import Format
from anypatch.model import (
    TOLERANT,
    Claims,
    Delete,
    Edit,
    File,
    FileChange,
    Hunk,
    MatchPolicy,
    Move,
    Op,
    Write,
    join_lines,
    signed_hunk,
)
from anypatch.problems import Refused
from anypatch.text import encode
from support.cases import load
from support.partial import apply_in_part, left
from support.program import anypatch_text
from support.texts import FORMATS, edited

SEARCHING = ["begin-patch", "chunk", "json-edits", "search-replace", "unified"]


# ── writing operations back ──────────────────────────────────────────────────────────────────────


# Cells that no writer puts below others: what is left of these calls comes without a patch.
UNSAID = ("notebook-new-cell-below", "notebook-new-cell-at-the-end")


def test_every_case_is_written_back() -> None:
    for case in [case for case in load() if case.format and case.name not in UNSAID]:
        ops = formats.named(case.format).parse(case.patch).ops
        for some in (*((op,) for op in ops), ops):
            assert not some or resend(some, case.format), (case.id, some)


@pytest.mark.parametrize("format", FORMATS)
@settings(max_examples=30, deadline=None)
@given(pair=edited(), path=st.sampled_from(["a.txt", "a.py", "dir/b c.xml"]))
def test_every_change_is_written_back(format: Format, pair: tuple[str, str], path: str) -> None:
    """In its own format or, for a few lines that no reader of it can tell from marks, in another."""
    before, after = (File(encode(text)) for text in pair)
    try:
        patch = write_changes((FileChange(path, before, after),), format.name)
    except Refused:
        return
    ops = format.parse(patch).ops
    text = resend(ops, format.name)
    assert bool(text) == bool(ops), (patch, ops)


def test_an_answer_in_two_formats_keeps_them() -> None:
    answer = (
        "```\n*** Begin Patch\n*** Update File: a.txt\n@@\n-one\n+1\n*** End Patch\n```\n\n"
        "```yaml\noperations:\n  - path: b.txt\n    op: replace_text\n    marker: two\n    payload: 2\n"
        "  - path: c.txt\n    op: append_text\n    payload: end\n```\n"
    )
    made = anypatch.apply_to(answer, {"a.txt": "0\n", "b.txt": "0\n", "c.txt": "0\n"}, partial=True)
    assert made.partial
    assert dict(made.files) == {"a.txt": "0\n", "b.txt": "0\n", "c.txt": "0\nend\n"}
    again = api.read(made.rest)
    assert holds_ops(again, left(made))
    assert again.format == "begin-patch + chunk"


# ── what is applied ──────────────────────────────────────────────────────────────────────────────


@st.composite
def spoilt(draw: st.DrawFn) -> tuple[dict[str, str], dict[str, str], dict[str, str]]:
    """Files before, spoilt, and after: each line is there once, changes are apart from each other."""
    before: dict[str, str] = {}
    bad: dict[str, str] = {}
    after: dict[str, str] = {}
    for name in ("a.py", "d/b.txt", "c.cpp")[: draw(st.integers(1, 3))]:
        lines = [f"{name} line number {n}" for n in range(40)]
        wrong, new = list(lines), list(lines)
        for row in range(4, 36, 8):
            if draw(st.booleans()):
                extra = ["something else"] if draw(st.booleans()) else []
                new[row] = "\n".join([f"{name} changed {row}", *extra])
                if draw(st.booleans()):
                    wrong[row] = f"spoilt beyond recognition: {row * 7919}"
        for files, text in ((before, lines), (bad, wrong), (after, new)):
            files[name] = "\n".join(text) + "\n"
    return before, bad, after


@pytest.mark.parametrize("name", SEARCHING)
@settings(max_examples=20, deadline=None)
@given(files=spoilt())
def test_the_rest_completes_it(name: str, files: tuple[dict[str, str], dict[str, str], dict[str, str]]) -> None:
    before, bad, after = files
    changes = [FileChange(p, File(encode(before[p])), File(encode(after[p]))) for p in before if before[p] != after[p]]
    patch = write_changes(tuple(changes), name)
    if not changes:
        return
    made = apply_in_part(patch, bad, format=name)
    if not made.partial:
        return
    fixed = {}
    for path, text in made.files.items():
        lines = str(text).split("\n")
        fixed[path] = "\n".join(
            f"{path} line number {int(line.split()[-1]) // 7919}" if line.startswith("spoilt") else line
            for line in lines
        )
    done = anypatch.apply_to(made.rest, fixed, format=format_given(name))
    assert done.ok, (patch, made.rest, done.problems)
    assert dict(done.files) == after


@pytest.mark.parametrize("format", FORMATS)
def test_every_format_goes_in_part(format: Format, tmp_path: Path) -> None:
    """Two files, one of them out of reach: the other is changed, and the rest is the first, also on a disk."""
    text = "".join(f"a line of text {n}\n" for n in range(9))
    new = text.replace("text 4", "code 4")
    if format.name == "whole-file":
        patch = f"no/a.txt\n```\n{new}```\n\nb.txt\n```\n{new}```\n"
        files = {"no": "a file\n", "b.txt": text}
    else:
        changes = [FileChange(p, File(encode(text)), File(encode(new))) for p in ("no/a.txt", "b.txt")]
        patch = write_changes(tuple(changes), format.name)
        files = {"b.txt": text}
    made = apply_in_part(patch, files, format=format.name)
    assert made.partial
    assert made.files["b.txt"] == new
    assert made.rest == format.write(made.plan.patch.ops[:1])
    for name, data in files.items():
        (tmp_path / name).write_text(data)
    report = anypatch.apply(patch, tmp_path, format=format_given(format.name), partial=True)
    assert report.partial
    assert report.receipt is not None
    assert (tmp_path / "b.txt").read_text() == new
    again = anypatch.apply(report.rest, tmp_path, format=format_given(format.name), partial=True)
    assert {problem.kind for problem in again.problems} == {problem.kind for problem in report.problems}
    assert not again.partial
    assert anypatch.undo(tmp_path).ok
    assert (tmp_path / "b.txt").read_text() == text


HUNKS = """*** Begin Patch
*** Update File: a.txt
@@
-one
+1
@@
-nowhere to be seen
+2
@@
-three
+3
*** End Patch
"""


def test_a_hunk_is_a_part() -> None:
    made = apply_in_part(HUNKS, {"a.txt": "one\ntwo\nthree\n"}, format="begin-patch")
    assert dict(made.files) == {"a.txt": "1\ntwo\n3\n"}
    assert made.rest == ("*** Begin Patch\n*** Update File: a.txt\n@@\n-nowhere to be seen\n+2\n*** End Patch\n")
    assert [problem.patch_line for problem in made.problems] == [6]


def test_hunks_inside_one_json_string_are_parts_too() -> None:
    diff = "@@\\n-one\\n+1\\n@@\\n-nowhere to be seen\\n+2\\n@@\\n-three\\n+3\\n"
    call = f'{{"type": "apply_patch_call", "operation": {{"type": "update_file", "path": "a.txt", "diff": "{diff}"}}}}'
    made = apply_in_part(call, {"a.txt": "one\ntwo\nthree\n"}, format="json-edits")
    assert dict(made.files) == {"a.txt": "1\ntwo\n3\n"}
    assert [problem.patch_line for problem in made.problems] == [1]


def test_nothing_placed_is_a_refusal() -> None:
    made = apply_in_part(HUNKS, {"a.txt": "nothing\n"}, format="begin-patch")
    assert not made.partial


@pytest.mark.parametrize(
    ("patch", "why"),
    [
        (HUNKS.replace("*** End Patch\n", ""), "cut off"),
        (HUNKS.replace("*** End Patch", "*** Add File: ../b.txt\n+x\n*** End Patch"), "a path out of the root"),
        (HUNKS.replace("*** End Patch", "*** Rename File: b.txt\n*** End Patch"), "a part that can't be read"),
    ],
)
def test_what_is_wrong_as_a_whole_is_refused_whole(patch: str, why: str) -> None:
    made = apply_in_part(patch, {"a.txt": "one\ntwo\nthree\n"}, format="begin-patch")
    assert not made.partial, why


LETTERS = st.sampled_from(["alpha()", "beta = 1", "    gamma()", "    beta = 1", "}", "", "omega"])
SIDES = st.tuples(st.lists(LETTERS, min_size=1, max_size=3), st.lists(LETTERS, max_size=3))


@st.composite
def crowded(draw: st.DrawFn) -> tuple[str, str]:
    """A patch in some format with many parts, for files of few different lines."""
    name = draw(st.sampled_from(["begin-patch", "search-replace", "json-edits", "unified", "chunk", "chunk-v2"]))
    ops: list[Op] = []
    for _ in range(draw(st.integers(1, 4))):
        path = draw(st.sampled_from(["a.py", "b.py", "c.py"]))
        sort = draw(st.sampled_from(["edit", "edit", "edit", "edit", "write", "delete", "move"]))
        if sort == "edit":
            sides = draw(st.lists(SIDES, min_size=1, max_size=3 if name in ("begin-patch", "unified") else 1))
            ops.append(edit(name, path, sides, draw(st.integers(0, 9))))
        elif sort == "write":
            text = "".join(line + "\n" for line in draw(st.lists(LETTERS, max_size=3)))
            ops.append(Write(path, text, name in ("chunk", "chunk-v2")))
        elif sort == "delete":
            ops.append(Delete(path))
        else:
            ops.append(Move(path, draw(st.sampled_from(["b.py", "d.py"]))))
    return resend(tuple(ops), name) or resend(tuple(ops[:1]), name), name


def edit(name: str, path: str, sides: list[tuple[list[str], list[str]]], line: int) -> Edit:
    """Old lines for new ones, as the format has it."""
    if name == "json-edits":
        texts = ["\n".join(side) for side in sides[0]]
        return Edit(path, (Hunk(texts[0], texts[1], TOLERANT, inline=True),))
    rules = {"chunk": CHUNK, "chunk-v2": CHUNK_2}.get(name, TOLERANT)
    hunks = []
    for old, new in sides:
        claims = (
            Claims(line=line, last=line + len(old) - 1)
            if line > 6 and name in ("unified", "search-replace")
            else Claims()
        )
        if name == "search-replace":
            hunks.append(Hunk(join_lines(old), join_lines(new), rules, claims))
        else:
            hunks.append(signed_hunk([*(("-", x) for x in old), *(("+", x) for x in new)], rules, claims))
    label = {"chunk": "replace_text", "chunk-v2": "replace-text"}.get(name, "edit")
    return Edit(path, tuple(hunks), label=label)


def policy_of(name: str, patch: str) -> MatchPolicy:
    (op,) = formats.named(name).parse(patch).ops
    assert isinstance(op, Edit)
    return op.hunks[0].policy


TWICE = json.dumps(
    [{"file_path": path, "old_string": "alpha()", "new_string": ""} for path in ("a.py", "b.py", "b.py")]
)
# By its number the last hunk fits at two lines; after a part that failed the numbers don't count, and all are alike.
NUMBERED = (
    "--- a/a.py\n+++ b/a.py\n@@ ... @@\n-alpha()\n"
    "diff --git a/a.py b/a.py\n--- a/a.py\n+++ b/a.py\n@@ -8 +7,0 @@\n-beta = 1\n@@ -8 +6,0 @@\n-alpha()\n"
)
CHUNK = policy_of("chunk", "operations:\n  - {path: a, op: replace_text, marker: a, payload: b}\n")
CHUNK_2 = policy_of("chunk-v2", "=== file: a ===\n--- replace-text\na\n---\nb\n=END=\n")


@settings(max_examples=150, deadline=None)
@given(patch=crowded(), contents=st.lists(st.lists(LETTERS, max_size=9), min_size=2, max_size=3))
@example(patch=(NUMBERED, "unified"), contents=[["alpha()"] * 5 + ["beta = 1"] + ["alpha()"] * 2, []])
@example(patch=(TWICE, "json-edits"), contents=[[], ["alpha()", "alpha()"]])  # of two equal edits one has no hunks left
def test_whatever_fails_the_laws_hold(patch: tuple[str, str], contents: list[list[str]]) -> None:
    text, name = patch
    files = {path: "".join(line + "\n" for line in lines) for path, lines in zip("abc", contents, strict=False)}
    files = {f"{path}.py": text for path, text in files.items()}
    if text and formats.named(name).parse(text).ops:
        apply_in_part(text, files, format=name)


# ── what waits ───────────────────────────────────────────────────────────────────────────────────


def block(old: str, new: str, path: str = "a.py") -> str:
    return f"{path}\n<<<<<<< SEARCH\n{old}\n=======\n{new}\n>>>>>>> REPLACE\n\n"


def test_what_builds_on_a_failed_part_waits() -> None:
    """The second block means the first one's result; without it, it would land on text that is only alike."""
    patch = block("limit = 0", "limit = 2") + block("limit = 2", "limit = 3") + block("last", "end")
    made = apply_in_part(patch, {"a.py": "def g():\n    limit = 2\n\nlast\n"}, format="search-replace")
    assert dict(made.files) == {"a.py": "def g():\n    limit = 2\n\nend\n"}
    assert [problem.kind for problem in made.problems] == ["not_found", "held_back"]


def test_text_inside_a_line_waits_too() -> None:
    calls = (
        '[{"file_path": "a.py", "old_string": "alpha(0)", "new_string": "beta(0)"},'
        '{"file_path": "a.py", "old_string": "beta", "new_string": "gamma"},'
        '{"file_path": "a.py", "old_string": "last", "new_string": "end"}]'
    )
    made = apply_in_part(calls, {"a.py": "y = beta(1)\nlast\n"}, format="json-edits")
    assert dict(made.files) == {"a.py": "y = beta(1)\nend\n"}
    assert [problem.kind for problem in made.problems] == ["not_found", "held_back"]


def test_a_line_number_waits_for_the_lines_it_counts() -> None:
    calls = (
        '[{"file_path": "a.py", "old_string": "absent", "new_string": "one\\ntwo\\nthree"},'
        '{"command": "insert", "path": "a.py", "insert_line": 2, "insert_text": "x"},'
        '{"file_path": "b.py", "old_string": "b", "new_string": "B"}]'
    )
    made = apply_in_part(calls, {"a.py": "1\n2\n3\n", "b.py": "b\n"}, format="json-edits")
    assert made.files == {"a.py": "1\n2\n3\n", "b.py": "B\n"}


def test_a_move_waits_for_the_edit_of_its_file_and_others_for_the_move() -> None:
    patch = (
        "*** Begin Patch\n*** Update File: a.txt\n*** Move to: b.txt\n@@\n-absent\n+x\n"
        "*** Update File: b.txt\n@@\n-one\n+1\n*** Update File: c.txt\n@@\n-c\n+C\n*** End Patch\n"
    )
    files = {"a.txt": "one\n", "b.txt": "one\n", "c.txt": "c\n"}
    made = apply_in_part(patch, files, format="begin-patch")
    assert dict(made.files) == {**files, "c.txt": "C\n"}
    assert [problem.kind for problem in made.problems] == ["not_found", "held_back", "held_back"]


def test_line_numbers_in_the_rest_move_along() -> None:
    """Line numbers choose between equal places, which count the lines that were put in above them."""
    diff = (
        "--- a/a.txt\n+++ b/a.txt\n@@ -1,2 +1,4 @@\n first\n+new\n+lines\n second\n"
        "@@ -9,3 +11,3 @@\n same\n-gone\n+here\n same\n"
    )
    files = {"a.txt": "first\nsecond\n" + "same\nback\n" * 9}
    made = apply_in_part(diff, files, format="unified")
    assert made.partial
    assert "@@ -11,3 +11,3 @@" in made.rest
    fixed = {"a.txt": str(made.files["a.txt"]).replace("back", "gone")}
    done = anypatch.apply_to(made.rest, fixed)
    assert str(done.files["a.txt"]).split("\n").index("here") == 11


def test_an_edit_that_fails_leaves_no_trace() -> None:
    """Hunks that were placed before another of the same edit turned out to have no place are undone."""
    patch = HUNKS.replace("*** End Patch", "*** Update File: a.txt\n@@\n-three\n+3.0\n*** End Patch")
    made = apply_in_part(patch, {"a.txt": "one\r\ntwo\nthree"}, format="begin-patch")
    assert made.files["a.txt"] == "1\r\ntwo\n3"


def test_a_torn_comment_is_left_out() -> None:
    """An operation that is found at the end to cut a comment in two is a part that failed."""
    patch = (
        "language: c++\noperations:\n  - path: a.cpp\n    op: replace_text\n    marker: int x;\n    payload: int y;\n"
        "  - path: a.cpp\n    op: replace_text\n    marker: int z;\n    payload: int zz;\n"
    )
    source = "int x; /* opens\n   and closes */ int b;\nint z;\n"
    whole = anypatch.apply_to(patch, {"a.cpp": source}, format="chunk")
    made = apply_in_part(patch, {"a.cpp": source}, format="chunk")
    assert [problem.kind for problem in whole.problems] == ["torn"]
    assert made.problems == whole.problems
    assert made.files["a.cpp"] == source.replace("int z", "int zz")


# ── the command line ─────────────────────────────────────────────────────────────────────────────

REST = HUNKS.replace("@@\n-one\n+1\n", "").replace("@@\n-three\n+3\n", "")


def run(root: Path, *arguments: str, patch: str = HUNKS) -> subprocess.CompletedProcess[str]:
    root.mkdir(exist_ok=True)
    if not (root / "a.txt").exists():
        (root / "a.txt").write_text("one\ntwo\nthree\n")
    return anypatch_text(*arguments, "--root", str(root), stdin=patch)


def test_the_rest_is_the_output_and_the_report_is_not(tmp_path: Path) -> None:
    done = run(tmp_path, "apply", "--partial")
    assert (done.returncode, done.stdout) == (4, REST)
    assert "applied in part" in done.stderr
    assert "M a.txt  +2 -2" in done.stderr
    assert "undo: anypatch undo" in done.stderr
    assert (tmp_path / "a.txt").read_text() == "1\ntwo\n3\n"


def test_the_rest_goes_into_a_file(tmp_path: Path) -> None:
    kept = tmp_path / "rest.patch"
    done = run(tmp_path / "tree", "apply", "--partial", "--rest", str(kept))
    assert (done.returncode, done.stdout, kept.read_text()) == (4, "", REST)
    lost = run(tmp_path / "other", "apply", "--partial", "--rest", str(tmp_path / "none" / "rest"))
    assert (lost.returncode, lost.stdout) == (4, REST)
    assert "could not be written" in lost.stderr
    alone = run(tmp_path / "tree", "apply", "--rest", str(kept))
    assert (alone.returncode, alone.stderr.split("\n")[0]) == (2, "error: --rest needs --partial")


def test_a_check_in_part_shows_and_writes_nothing(tmp_path: Path) -> None:
    done = run(tmp_path, "check", "--partial")
    assert (done.returncode, done.stdout) == (4, REST)
    assert "M a.txt  +2 -2\nit fits in part; nothing was written" in done.stderr
    assert (tmp_path / "a.txt").read_text() == "one\ntwo\nthree\n"


def test_json_says_what_is_applied(tmp_path: Path) -> None:
    done = run(tmp_path, "apply", "--partial", "--json", "--for-model")
    value = json.loads(done.stdout)
    assert (done.returncode, value["ok"], value["partial"], value["rest"]) == (4, False, True, REST)
    assert value["receipt"]
    assert value["changes"] == [{"path": "a.txt", "action": "update", "added": 2, "removed": 2}]
    assert [(one["ok"], one["applied"], len(one["parts"])) for one in value["operations"]] == [(False, "part", 2)]
    assert "Edit 1 is applied in part: send only what failed." in value["for_model"]
    assert REST in value["for_model"]


def test_without_the_option_nothing_is_applied(tmp_path: Path) -> None:
    done = run(tmp_path, "apply", "--json")
    value = json.loads(done.stdout)
    assert (done.returncode, value["partial"], value["rest"], value["changes"]) == (1, False, None, [])
    assert (tmp_path / "a.txt").read_text() == "one\ntwo\nthree\n"


def test_nothing_placed_ends_with_a_refusal(tmp_path: Path) -> None:
    done = run(tmp_path, "apply", "--partial", patch=REST)
    assert (done.returncode, done.stdout) == (1, "")
    assert "refused, nothing was changed" in done.stderr


def test_the_same_patch_again_is_told_what_to_send(tmp_path: Path) -> None:
    run(tmp_path, "apply", "--partial")
    again = run(tmp_path, "apply", "--partial")
    assert again.returncode == 1
    assert "a part of this patch" in again.stderr
    assert "in part" in run(tmp_path, "log").stdout
    mended = run(tmp_path, "apply", patch=REST.replace("nowhere to be seen", "two"))
    assert mended.returncode == 0
    assert (tmp_path / "a.txt").read_text() == "1\n2\n3\n"
    assert run(tmp_path, "undo").returncode == run(tmp_path, "undo").returncode == 0
    assert (tmp_path / "a.txt").read_text() == "one\ntwo\nthree\n"


def test_reports_for_models_keep_their_bound(tmp_path: Path) -> None:
    for bound in (1, 2, 5, 9, 14, 20):
        done = run(tmp_path, "check", "--partial", "--for-model", "--max-report-lines", str(bound))
        assert done.returncode == 4
        assert len(done.stdout.splitlines()) <= bound
