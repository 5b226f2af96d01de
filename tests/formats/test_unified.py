"""Unified diffs: what parses to what, what is refused and why, how names and counts are read."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import anypatch
from anypatch.author.make import write_changes
from anypatch.formats import named
from anypatch.formats.unified.names import common_path, name_in, names_in_git_line, written
from anypatch.formats.unified.read import parse, sniff
from anypatch.model import Delete, Edit, File, FileChange, Hunk, Move, Write
from support.cost import at_most

ONE = "--- a/x\n+++ b/x\n@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n"
A_B_C = ((" ", "a"), ("-", "b"), ("+", "B"), (" ", "c"))


def edits(text: str) -> list[Edit]:
    patch = parse(text)
    assert not patch.problems, patch.problems
    return [op for op in patch.ops if isinstance(op, Edit)]


def hunks(text: str) -> list[Hunk]:
    return [hunk for op in edits(text) for hunk in op.hunks if isinstance(hunk, Hunk)]


# ── where diffs are found ────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    "text",
    [
        ONE,
        ONE.rstrip("\n"),
        ONE.replace("\n", "\r\n"),
        "\ufeff" + ONE,
        f"Here you are:\n\n```diff\n{ONE}```\nDone:\n- changed b\n",
        f"~~~\n{ONE}~~~\n",
        f"````diff\n{ONE}````\n",
        f"Here:\n\n{ONE}\nThat was all.\n",
        f"Here:\n\n{ONE}That was all.\n- one\n- two\n",
        f"diff --git a/x b/x\nindex 123..456 100644\n{ONE}",
        f"diff -u -r a/x b/x\n{ONE}",
        f"Index: x\n{'=' * 67}\n{ONE}",
        f"From 0123 Mon Sep 17 00:00:00 2001\nSubject: [PATCH] b\n\n---\n x | 2 +-\n\n{ONE}-- \n2.39.5\n\n",
        f"From 0123 Mon Sep 17 00:00:00 2001\n\n{ONE.replace('1,3 +1,3', '1,9 +1,9')}-- \n2.39.5\n\n",
        "1. In x:\n\n   ```diff\n" + "".join(f"   {line}\n" for line in ONE.split("\n")) + "   ```\n",
        ONE.replace("--- a/x\n", ""),
        ONE.replace("+++ b/x\n", ""),
        ONE.replace("--- a/x\n+++ b/x", "--- x\n+++ x"),
        ONE.replace("--- a/x\n+++ b/x", "--- x.orig\n+++ x"),
        ONE.replace("--- a/x\n+++ b/x", "--- a/x\t2024-01-01 10:00:00.000 +0000\n+++ b/x\t2024-01-02 10:00:00 +0000"),
        ONE.replace("--- a/x\n+++ b/x", "--- a/x 2024-01-01 10:00:00.000 +0000\n+++ b/x 2024-01-02 10:00:00 +0000"),
        ONE.replace("--- a/x\n+++ b/x", "--- x\t(revision 7)\n+++ x\t(working copy)"),
        ONE.replace("--- a/x\n+++ b/x", '--- "a/x"\n+++ "b/\\170"'),
    ],
)
def test_one_edit_however_it_is_dressed(text: str) -> None:
    patch = parse(text)
    assert not patch.problems
    assert [(type(op), op.path) for op in patch.ops] == [(Edit, "x")]
    assert hunks(text)[0].lines == A_B_C
    assert sniff(text) >= 50
    at = text.removeprefix("\ufeff").split("\n")
    assert at[hunks(text)[0].patch_line - 1].strip().startswith("@@")


@pytest.mark.parametrize(
    ("header", "line"),
    [
        ("@@ -1,3 +1,3 @@", 1),
        ("@@ -7,3 +7,3 @@ def f():", 7),
        ("@@ -7 +7 @@", 7),
        ("@@ -7,99 +7,1 @@", 7),
        ("@@ -7,3 +7,3", 7),
        ("@@-7,3 +7,3@@", 7),
        ("@@ ... @@", 0),
        ("@@ @@", 0),
        ("@@", 0),
        ("@@ def f():", 0),
        ("@@ -1,99999999999999999999 +1 @@", 0),
        ("@@ -99999999999999999999,3 +1 @@", 0),
        ("@@ --1,-3 +1,3 @@", 0),
        ("@@ -１,３ +１,３ @@", 0),
        ("@@ -" + "9" * 5000 + ",3 +1,3 @@", 0),
        ("@@ -0,3 +0,3 @@", 0),
    ],
)
@pytest.mark.parametrize("fenced", [True, False])
def test_headers_are_hints(header: str, line: int, fenced: bool) -> None:
    text = ONE.replace("@@ -1,3 +1,3 @@", header)
    found = hunks(f"```diff\n{text}```\n" if fenced else text)
    assert [hunk.lines for hunk in found] == [A_B_C]
    assert (found[0].claims.line, found[0].claims.last) == ((line, line + 2) if line else (0, 0))
    assert found[0].claims.headers == (("def f():",) if header.endswith(" @@ def f():") else ())


def test_hunks_without_header() -> None:
    assert hunks(ONE.replace("@@ -1,3 +1,3 @@\n", ""))[0].lines == A_B_C
    several = ONE + ONE.replace("x\n", "y\n").replace("@@ -1,3 +1,3 @@\n", "") + ONE.replace("x\n", "z\n")
    assert [(op.path, op.hunks[0].lines) for op in edits(several)] == [(name, A_B_C) for name in "xyz"]


def test_hunks_of_one_file_are_one_edit() -> None:
    found = edits(ONE + "@@ -9,2 +9,3 @@\n y\n+new\n z\n\n@@ ... @@\n-gone\n" + ONE.replace("/x", "/y"))
    assert [(op.path, len(op.hunks)) for op in found] == [("x", 3), ("y", 1)]


def test_hunks_apart_from_their_header_go_to_the_file_before() -> None:
    found = edits(f"```diff\n{ONE}```\nand\n```diff\n@@ -7,2 +7,1 @@\n y\n-z\n```\n")
    assert [(op.path, len(op.hunks)) for op in found] == [("x", 1), ("x", 1)]


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("src/x.py\n```diff\n-b\n+B\n```\n", "src/x.py"),
        ("Change `src/x.py`:\n\n```diff\n@@ -1 +1 @@\n-b\n+B\n```\n", "src/x.py"),
        ('```diff title="src/x.py"\n-b\n+B\n```\n', "src/x.py"),
        ("Change `x.py` and `y.py`:\n```diff\n-b\n+B\n```\n", ""),
        ("```diff\n-b\n+B\n```\n", ""),
    ],
)
def test_hunks_that_name_no_file_belong_to_that_of_their_fence(text: str, path: str) -> None:
    patch = parse(text)
    assert [op.path for op in patch.ops] == ([path] if path else [])
    assert [problem.detail for problem in patch.problems] == ([] if path else ["the hunk names no file"])
    assert [op.path for op in parse(text, "given.py").ops] == [path or "given.py"]


# ── lines ────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("body", "lines"),
    [
        (" a\n\n-b\n+c\n", " a| |-b|+c"),
        (" a\n-b\n\n\n", " a|-b"),
        (" a\n-b\n \n", " a|-b| "),
        (" a\n-b\n+\n\n", " a|-b|+"),
        ("-a\n\n\n+b\n", "-a| | |+b"),
    ],
)
@pytest.mark.parametrize("header", ["@@ -1,9 +1,9 @@", "@@ -1,9 +1,1 @@", "@@ ... @@", "@@ -1,1 +1,1 @@"])
@pytest.mark.parametrize("fenced", [True, False])
def test_blank_lines(body: str, lines: str, header: str, fenced: bool) -> None:
    text = f"--- a/x\n+++ b/x\n{header}\n{body}"
    if header.startswith("@@ -1,9") and lines == " a|-b" and not fenced:
        # The text ends in a change, and more lines are missing on one side than on the other: it was cut off.
        assert [problem.kind for problem in parse(text).problems] == ["truncated"]
        return
    found = hunks(f"```\n{text}```\n" if fenced else text)
    assert [hunk.lines for hunk in found] == [tuple((part[0], part[1:]) for part in lines.split("|"))]


def test_lines_without_a_sign_are_context_in_doubt() -> None:
    body = "import os\n\tx = 1\n-b\n+c\nlast"
    for text in (
        f"```diff\n--- a/x\n+++ b/x\n@@ ... @@\n{body}\n```\n",
        f"--- a/x\n+++ b/x\n@@ -3,4 +3,4 @@\n{body}\n",
    ):
        (hunk,) = hunks(text)
        assert hunk.old == "import os\n\tx = 1\nb\nlast\n"
        assert hunk.signed == (" import os", " \tx = 1", "-b", "+c", " last")
        (doubt,) = hunk.doubts
        assert (doubt.kind, text.split("\n")[doubt.patch_line - 1]) == ("bad_patch", "import os")


def test_lost_signs_apply_where_they_fit_and_are_named_where_not() -> None:
    text = "```diff\n--- a/x\n+++ b/x\n@@ ... @@\none\n-two\n+2\nthree\n```\n"
    assert anypatch.apply_to(text, {"x": "one\ntwo\nthree\n"}).files == {"x": "one\n2\nthree\n"}
    (problem, *_) = anypatch.apply_to(text, {"x": "uno\nduo\ntre\n"}).problems
    assert (problem.kind, problem.patch_line) == ("bad_patch", 5)


@pytest.mark.parametrize("counts", ["-1,3 +1,3", "-1,8 +1,8"])
def test_lines_that_look_like_headers(counts: str) -> None:
    """Don't read a deleted SQL comment as a file header, whether or not the counts are right; do read a real one."""
    sql = f"--- a/x.sql\n+++ b/x.sql\n@@ {counts} @@\n a;\n--- old note\n+++ new note\n b;\n"
    (hunk,) = hunks(sql)
    assert hunk.lines == ((" ", "a;"), ("-", "-- old note"), ("+", "++ new note"), (" ", "b;"))
    assert [op.path for op in edits(sql + ONE)] == ["x.sql", "x"]
    assert [op.path for op in edits(ONE.replace("-1,3 +1,3", counts) + ONE.replace("/x", "/y"))] == ["x", "y"]


def test_context_after_the_lines_that_are_counted_is_not_used() -> None:
    (hunk,) = hunks(ONE.replace(" c\n", " c\n d\n"))
    assert hunk.lines == A_B_C
    (hunk,) = hunks(ONE.replace(" c\n", " c\n d\n-e\n"))
    assert len(hunk.lines) == 6, "a change after them counts"


def test_counts_tell_a_patch_in_a_patch() -> None:
    inner = "".join(f"-{line}\n" for line in ONE.rstrip("\n").split("\n"))
    text = f"--- a/p.diff\n+++ b/p.diff\n@@ -1,7 +0,0 @@\n{inner}"
    (hunk,) = hunks(text)
    assert (hunk.old, hunk.new) == (ONE, "")


@pytest.mark.parametrize(
    ("body", "final", "before", "after"),
    [
        ("-b\n+b\n\\ No newline at end of file\n", "removed", "a\nb\n", "a\nb"),
        ("-b\n\\ No newline at end of file\n+b\n", "added", "a\nb", "a\nb\n"),
        ("-b\n\\ No newline at end of file\n+c\n\\ No newline at end of file\n", "", "a\nb", "a\nc"),
        ("-a\n b\n\\ No newline at end of file\n", "", "a\nb", "b"),
        (" a\n-b\n\\ No newline at end of file\n", "added", "a\nb", "a\n"),
        ("-b\n+c\n", "", "a\nb", "a\nc"),
        ("-b\n\\ Kein Zeilenumbruch am Dateiende.\n+b\n", "added", "a\nb", "a\nb\n"),
    ],
)
def test_final_line_end(body: str, final: str, before: str, after: str) -> None:
    text = f"--- a/x\n+++ b/x\n@@ ... @@\n{body}"
    (hunk,) = hunks(text)
    assert hunk.claims.final_newline == final
    assert hunk.claims.at_end == ("\\" in body)
    assert anypatch.apply_to(text, {"x": before}).files == {"x": after}


def test_insertions_without_context() -> None:
    """Only a header that counts no old lines makes its number a place."""
    text = "--- a/x\n+++ b/x\n@@ -2,0 +3 @@\n+new\n"
    assert hunks(text)[0].claims[:2] == (3, 2)
    assert anypatch.apply_to(text, {"x": "1\n2\n3\n"}).files == {"x": "1\n2\nnew\n3\n"}
    assert anypatch.apply_to(text.replace("-2,0", "-0,0"), {"x": "1\n2\n"}).files == {"x": "new\n1\n2\n"}
    assert anypatch.apply_to(text.replace("-2,0", "-0,0"), {"x": ""}).files == {"x": "new\n"}
    guess = anypatch.apply_to(text.replace("-2,0", "-2,3"), {"x": "1\n2\n3\n"})
    assert [problem.kind for problem in guess.problems] == ["ambiguous"]


def test_byte_order_mark_of_the_file_is_seen_through() -> None:
    (hunk,) = hunks("--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n-\ufeffa\n+\ufeffA\n b\n")
    assert hunk.lines == (("-", "a"), ("+", "A"), (" ", "b"))


# ── files ────────────────────────────────────────────────────────────────────────────────────────

NEW = "--- /dev/null\n+++ b/n\n@@ -0,0 +1,2 @@\n+a\n+b\n"
GONE = "--- a/n\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-a\n-b\n"
GIT = "diff --git a/n b/n\n"


@pytest.mark.parametrize(
    ("text", "ops"),
    [
        (NEW, [Write("n", "a\nb\n", patch_line=1)]),
        (NEW.replace("1,2", "1"), [Write("n", "a\nb\n", patch_line=1)]),
        (NEW.replace("+b\n", "+b\n\\ No newline at end of file\n"), [Write("n", "a\nb", patch_line=1)]),
        (NEW.replace("+b\n", "\n+b\n"), [Write("n", "a\n\nb\n", patch_line=1)]),
        (NEW.replace("a\n", "a\r\n"), [Write("n", "a\r\nb\n", patch_line=1)]),
        (NEW.replace("\n", "\r\n"), [Write("n", "a\nb\n", patch_line=1)]),
        (NEW.replace("b/n", "n") + ONE.replace("a/", "").replace("b/", ""), None),
        (f"{GIT}new file mode 100755\nindex 000..123\n{NEW}", [Write("n", "a\nb\n", patch_line=1, mode=0o755)]),
        (f"{GIT}new file mode 100644\nindex 000..e69\n", [Write("n", "", patch_line=1)]),
        (f"{GIT}new file mode 100644\n{NEW.replace('/dev/null', 'a/n')}", [Write("n", "a\nb\n", patch_line=1)]),
        (
            "--- t/n\t1970-01-01 00:00:00.000000000 +0000\n+++ t/n\t2024-01-01 00:00:00.0 +0000\n@@ -0,0 +1 @@\n+a\n",
            [Write("t/n", "a\n", patch_line=1, must_be_new=True)],
        ),
        (GONE, [Delete("n", 1, old=("a", "b"), whole=True)]),
        (f"{GIT}deleted file mode 100644\nindex 123..000\n{GONE}", [Delete("n", 1, old=("a", "b"), whole=True)]),
        (f"{GIT}deleted file mode 100644\n", [Delete("n", 1)]),
        (f"{GIT}old mode 100644\nnew mode 100755\n", [Edit("n", (), 1, mode=0o755)]),
        (f"{GIT}old mode 100755\nnew mode 100644\n", [Edit("n", (), 1, mode=0o644)]),
        (
            "diff --git a/n m\nsimilarity index 100%\nrename from n\nrename to d/m\n",
            [Move("n", "d/m", patch_line=1)],
        ),
        (
            'diff --git "a/\\303\\244" "b/a\\"b"\nrename from "\\303\\244"\nrename to "a\\"b"\n',
            [Move("ä", 'a"b', patch_line=1)],
        ),
        ("diff --git a/n b/m\nrename from a/n\nrename to b/m\n", [Move("n", "m", patch_line=1)]),
        (f"{GIT}index 123..456 100644\n", []),
        (GIT, []),
        ("--- a/n\n+++ b/n\n@@ -1,2 +1,2 @@\n a\n b\n", []),
    ],
)
def test_operations(text: str, ops: list[object] | None) -> None:
    patch = parse(text)
    assert not patch.problems
    if ops is None:
        assert [op.path for op in patch.ops] == ["n", "x"]
    else:
        assert list(patch.ops) == ops
        assert ops or patch.notes


def test_prefixes() -> None:
    """`b/` is a folder if git's line has no prefixes."""
    assert parse(NEW).ops[0].path == "n"
    assert [op.path for op in parse(f"diff --git b/n b/n\n{NEW}").ops] == ["b/n"]
    assert [op.path for op in parse(f"diff --git a/b/n b/b/n\n{NEW.replace('b/n', 'b/b/n')}").ops] == ["b/n"]


def test_rename_with_hunks_and_mode() -> None:
    text = (
        "diff --git a/x b/y\nold mode 100644\nnew mode 100755\nsimilarity index 60%\nrename from x\nrename to y\n"
        + ONE.replace("b/x", "b/y")
    )
    edit, move = parse(text).ops
    assert isinstance(edit, Edit)
    assert (edit.path, edit.mode, len(edit.hunks)) == ("x", 0o755, 1)
    assert move == Move("x", "y", patch_line=1)


def test_names_that_differ_mean_the_second() -> None:
    patch = parse(ONE.replace("b/x", "b/y"))
    assert [op.path for op in patch.ops] == ["y"]
    assert any("rename from" in note.text for note in patch.notes)


REFUSED = [
    ("diff --git a/i.png b/i.png\nindex 1..2 100644\nGIT binary patch\nliteral 3\nKc${Nk\n\nliteral 0\n", "binary"),
    ("diff --git a/i.png b/i.png\nindex 1..2 100644\nBinary files a/i.png and b/i.png differ\n", "binary"),
    ("Binary files a/i.png and b/i.png differ\n", "binary"),
    ("diff --cc x\nindex 1,2..3\n--- a/x\n+++ b/x\n@@@ -1,1 -1,1 +1,2 @@@\n++a\n", "combined"),
    ("--- a/x\n+++ b/x\n@@@ -1,1 -1,1 +1,2 @@@\n++a\n", "combined"),
    ("***************\n*** 1,2 ****\n  a\n! b\n--- 1,2 ----\n  a\n! c\n", "context diff"),
    ("2c2\n< a\n---\n> b\n", "no diff"),
    ("diff --git a/x b/y\nsimilarity index 100%\ncopy from x\n", "copy"),
    (f"diff --git a/n b/n\nnew file mode 120000\n{NEW}", "symbolic link"),
    (f"diff --git a/x b/x\nindex 1..2 120000\n{ONE}", "symbolic link"),
    (f"diff --git a/x b/x\nold mode 100644\nnew mode 120000\n{ONE}", "symbolic link"),
    ("diff --git a/s b/s\nindex 1..2 160000\n--- a/s\n+++ b/s\n@@ -1 +0,0 @@\n-Subproject commit 1\n", "submodule"),
    (f"diff --git a/n b/n\nnew file mode 104755\n{NEW}", "104755"),
    (f"diff --git a/n b/n\nnew file mode {'7' * 9999}\n{NEW}", "not a regular file"),
    ("--- /dev/null\n+++ /dev/null\n@@ -0,0 +1 @@\n+a\n", "no file is named"),
    ("--- a/n\n+++ /dev/null\n@@ -1,2 +1,1 @@\n-a\n+b\n", "deleted"),
    ("diff --git a/x b/x\nrename to y\n", "only one file"),
    (f"diff --git a/y b/y\n{ONE}", "names y"),
    ("--- \n+++ \n@@ -1 +1 @@\n-a\n+b\n", "name"),
    ("```diff\n@@ -1 +1 @@\n-a\n+b\n```\n", "names no file"),
    ("--- a/x\n+++ b/x\n@@ -1,3 +1,3 @@\n", "no lines"),
    ("just prose\n", "no diff"),
    ("", "no diff"),
]


@pytest.mark.parametrize(("text", "words"), REFUSED)
def test_refused_by_name(text: str, words: str) -> None:
    patch = parse(text)
    assert [problem.kind for problem in patch.problems] == ["bad_patch"]
    problem = patch.problems[0]
    assert words in problem.detail
    assert problem.advice
    assert problem.patch_line
    assert not patch.ops


def test_all_problems_at_once() -> None:
    parts = [text for text, _ in REFUSED if text.startswith("diff --git")]
    patch = parse("".join(parts) + ONE)
    assert len(patch.problems) == len(parts)
    assert [op.path for op in patch.ops] == ["x"]


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("```diff\n--- a/x\n+++ b/x\n@@ -1,5 +1,6 @@\n a\n-b\n+B", ["truncated"]),
        ("```diff\n--- a/x\n+++ b/x\n@@ ... @@\n a\n-b\n+B", ["truncated"]),
        ("```diff\n--- /dev/null\n+++ b/x\n@@ -0,0 +1,9 @@\n+a\n", ["truncated"]),
        ("```diff\n" + ONE + "--- a/y\n+++ b/y\n", ["truncated"]),
        ("```diff\n" + ONE, []),
        ("```diff\n" + ONE.replace("1,3 +1,3", "1,9 +1,9") + "```\n", []),
        (ONE.replace("1,3 +1,3", "1,9 +1,9"), []),
        ("```diff\n" + ONE.replace("1,3 +1,3", "1,2 +1,2"), []),
    ],
)
def test_truncated(text: str, kinds: list[str]) -> None:
    assert [problem.kind for problem in parse(text).problems] == kinds


# ── names ────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("a/x b/x", ("a/x", "b/x")),
        ("a/x y b/x y", ("a/x y", "b/x y")),
        ("a/x b/x b/x b/x", ("a/x b/x", "b/x b/x")),
        ("x y x y", ("x y", "x y")),
        ("a/x b/y", ("a/x", "b/y")),
        ('"a/\\303\\274" "b/\\303\\274"', ("a/ü", "b/ü")),
        ('a/x "b/\\t"', ("a/x", "b/\t")),
        ('"a/\\t" b/x y', ("a/\t", "b/x y")),
        ('"a/never closed', ("", "")),
        ("", ("", "")),
    ],
)
def test_names_in_the_git_line(text: str, names: tuple[str, str]) -> None:
    assert names_in_git_line(text) == names


@pytest.mark.parametrize(
    ("old", "new", "path"),
    [
        ("a/x", "b/x", "x"),
        ("x", "x", "x"),
        ("a/x", "x", "x"),
        ("x", "b/x", "x"),
        ("a/a/x", "b/a/x", "a/x"),
        ("a/x", "a/x", "a/x"),
        ("a/x", "b/y", ""),
        ("src/x", "lib/x", ""),
        ("", "", ""),
    ],
)
def test_common_path(old: str, new: str, path: str) -> None:
    assert common_path(old, new) == path


@given(name=st.text(st.characters(exclude_categories=["Cs"]), min_size=1) | st.text(' "\\\t\n()`ab/~0', min_size=1))
def test_written_names_are_read_back(name: str) -> None:
    shown = written(f"a/{name}")
    assert "\n" not in shown
    assert name_in(shown) == name_in(f"{shown}\t") == f"a/{name}"


# ── writing ──────────────────────────────────────────────────────────────────────────────────────


def change(before: str | None, after: str | None, old_mode: int = 0o644, new_mode: int = 0o644) -> FileChange:
    files = [
        None if text is None else File(text.encode(), mode) for text, mode in ((before, old_mode), (after, new_mode))
    ]
    return FileChange("d/x", *files)


@pytest.mark.parametrize(
    ("made", "text"),
    [
        (
            change("1\n2\n3\n4\n5\n6\n", "1\n2\n3\n4\nfive\n6\n"),
            "--- a/d/x\n+++ b/d/x\n@@ -2,5 +2,5 @@\n 2\n 3\n 4\n-5\n+five\n 6\n",
        ),
        (change("a\n", "a"), "--- a/d/x\n+++ b/d/x\n@@ -1 +1 @@\n-a\n+a\n\\ No newline at end of file\n"),
        (change("", "a\n"), "--- a/d/x\n+++ b/d/x\n@@ -0,0 +1 @@\n+a\n"),
        (change("a\n", ""), "--- a/d/x\n+++ b/d/x\n@@ -1 +0,0 @@\n-a\n"),
        (
            change(None, "a\r\nb"),
            "new file mode 100644\n--- /dev/null\n+++ b/d/x\n@@ -0,0 +1,2 @@\n+a\r\n+b\n"
            "\\ No newline at end of file\n",
        ),
        (change(None, "", new_mode=0o755), "new file mode 100755\n"),
        (change("a\n", None), "deleted file mode 100644\n--- a/d/x\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n"),
        (change("a\n", "a\n", 0o644, 0o755), "old mode 100644\nnew mode 100755\n"),
        (
            change("a\r\nb\r\n", "a\r\nc\r\n", 0o755, 0o644),
            "old mode 100755\nnew mode 100644\n--- a/d/x\n+++ b/d/x\n@@ -1,2 +1,2 @@\n a\n-b\n+c\n",
        ),
        (change("a\n", "a\n"), None),
    ],
)  # fmt: skip
def test_render(made: FileChange, text: str | None) -> None:
    assert write_changes((made,), "unified") == ("" if text is None else f"diff --git a/d/x b/d/x\n{text}")


@pytest.mark.parametrize(
    "added",
    [
        change("a\nb\n", "a\r\nb\n"),
        change("a\nb\n", "a\nb\nc\r\n"),
        change("a\n", "\ufeffa\n"),
        change("a\n", "a\n", 0o644, 0o600),
        change("a\n", "a\n", 0o644, 0o4755),
        change(None, "\0" * 40),
    ],
)
def test_render_refuses(added: FileChange) -> None:
    with pytest.raises(anypatch.PatchError) as caught:
        write_changes((added,), "unified")
    assert [problem.kind for problem in caught.value.problems] == ["cannot_say"]


# ── mistakes, hostile input, cost ────────────────────────────────────────────────────────────────


@settings(max_examples=150, deadline=None)
@given(st.data())
def test_spoilt_diffs_give_the_right_text_or_none(data: st.DataObject) -> None:
    """Give the right bytes or refuse, despite wrong counts and numbers, lost spaces, prose and fences."""
    words = st.sampled_from(["a", "b", "c", "", "  d", "-- e", "++ f", "g = 1", "@@", "h"])
    before = data.draw(st.lists(words, min_size=1, max_size=14))
    after = list(before)
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(0, len(after)))
        after[at : at + data.draw(st.integers(0, 2))] = data.draw(st.lists(words, max_size=2))
    files = {"d/x": "".join(line + "\n" for line in before)}
    wanted = "".join(line + "\n" for line in after)
    number = st.integers(1, 9)
    spoilt = []
    for line in write_changes((change(files["d/x"], wanted),), "unified").split("\n"):
        if line.startswith("@@ "):
            how = data.draw(st.sampled_from(["as it is", "counts", "none"]))
            start = line.split(" ")[1].split(",")[0]
            counted = f"@@ {start},{data.draw(number)} +1,{data.draw(number)} @@"
            spoilt.append({"as it is": line, "counts": counted, "none": "@@ ... @@"}[how])
        else:
            spoilt.append("" if line == " " and data.draw(st.booleans()) else line)
    text = "\n".join(spoilt)
    if data.draw(st.booleans()):
        text = f"Here:\n```diff\n{text}\n```\nDone.\n"
    result = anypatch.apply_to(text, files, format="unified")
    assert result.files["d/x"] in (wanted, files["d/x"])
    assert result.ok or dict(result.files) == files


HOSTILE = {
    "counts": "--- a/x\n+++ b/x\n" + "@@ -1,999999999 +1,999999999 @@\n-a\n+b\n" * 4_000,
    "headers": "--- a/x\n+++ b/x\n@@ -1,9 +1,9 @@\n" * 4_000,
    "dashes": "--- a/x\n+++ b/x\n@@ -1,99999 +1,99999 @@\n" + "--- \n" * 10_000,
    "pairs": "--- a/x\n+++ b/x\n" * 6_000,
    "blanks": "--- a/x\n+++ b/x\n@@ -1,9 +1,9 @@\n" + "\n" * 20_000 + "@@ -1 +1 @@\n" + "\n" * 20_000,
    "naked": "--- a/x\n+++ b/x\n@@ ... @@\n-a\n" + "x\n" * 20_000,
    "fences": "```\n" * 12_001 + ONE,
    "backslashes": 'diff --git "' + "\\x" * 40_000 + "\n",
    "spaces": "--- a" + " " * 60_000 + "b\n+++ b" + " " * 60_000 + "b\n@@ -1 +1 @@\n-a\n+b\n",
    "git lines": "diff --git a/x b/x\n" * 8_000,
    "marks": "diff --git a/x b/x\n" + "index 1..2 100644\n" * 12_000,
    "stars": "*** a\n--- b\n***************\n" * 4_000,
    "numbers": "9" * 100_000 + "\n" + "1,2c\n" * 4_000,
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_input_costs_little(name: str) -> None:
    with at_most(seconds=1):
        parse(HOSTILE[name])
        sniff(HOSTILE[name])


def test_the_prompt_is_short() -> None:
    assert len(named("unified").prompt) < 2400
