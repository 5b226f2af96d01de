"""The format "*** Begin Patch": what is read as what, what is refused, what is written. Places: see the cases."""

from __future__ import annotations

import pytest

import anypatch
from anypatch import PatchError
from anypatch.author.make import write_changes
from anypatch.formats import named
from anypatch.formats.begin_patch.read import (
    Directive,
    Header,
    envelopes,
    parse,
    read_directive,
    read_header,
    sniff,
)
from anypatch.model import Claims, Delete, Edit, File, FileChange, Hunk, Move, Op, Write


def enveloped(body: str) -> str:
    return f"*** Begin Patch\n{body}*** End Patch\n"


def ops(text: str) -> tuple[Op, ...]:
    patch = parse(text)
    assert not patch.problems, patch.problems
    return patch.ops


def hunks(body: str) -> list[Hunk]:
    """The hunks of the one section that the body is put below."""
    (op,) = ops(enveloped(f"*** Update File: f\n{body}"))
    assert isinstance(op, Edit)
    return [hunk for hunk in op.hunks if isinstance(hunk, Hunk)]


def said(hunk: Hunk) -> list[str]:
    return [tag + text for tag, text in hunk.lines]


# ── marks ────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("*** Begin Patch", Directive("begin")),
        ("*** End Patch  ", Directive("end")),
        ("*** End Patch ***", Directive("end")),
        ("*** end of file", Directive("eof")),
        ("*** Update File: a b.txt", Directive("update", "a b.txt")),
        ("***Add File:x", Directive("add", "x")),
        ("***  Delete  file: x", Directive("delete", "x")),
        ("*** Move to: x:y", Directive("move", "x:y")),
        ("*** Environment ID: 7", Directive("environment", "7")),
        ("*** Modify File: x", Directive("unknown", "Modify File: x")),
        ("*** Update File x", Directive("unknown", "Update File x")),
        ("***", None),
        ("*** ***", None),
        ("***bold*** words", None),
        ("**** Update File: x", None),
        (" *** End Patch", None),
        ("** Begin Patch", None),
    ],
)
def test_marks(line: str, expected: Directive | None) -> None:
    assert read_directive(line) == expected


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("@@", Header("")),
        ("@@ @@", Header("")),
        ("@@ ... @@", Header("")),
        ("@@ def f():", Header("def f():")),
        ("@@def f():", Header("def f():")),
        ("@@     def f():  @@", Header("def f():")),
        ("@@ -3,2 +4,5 @@", Header("", 3, 4)),
        ("@@ -3 +3 @@ class A:", Header("class A:", 3, 3)),
        ("@@ -3,4 @@ x", Header("x", 3, 6)),
        ("@@ -0,0 +1,2 @@", Header("")),
        ("@@ -1 is less", Header("-1 is less")),
        ("@@ -x @@", Header("-x")),
    ],
)
def test_headers(line: str, expected: Header) -> None:
    assert read_header(line) == expected


# ── the answer ───────────────────────────────────────────────────────────────────────────────────

_BODY = "*** Update File: n.txt\n@@\n x\n-y\n+Y\n"
_LINES = [" x", "-y", "+Y"]


def indented(text: str, blanks: str) -> str:
    return "".join(f"{blanks}{line}\n" for line in text.split("\n")[:-1])


@pytest.mark.parametrize(
    ("answer", "line"),
    [
        (enveloped(_BODY), 2),
        (_BODY, 1),
        (f"{_BODY}*** End Patch\n", 1),
        (f"Here:\n\n```\n{_BODY}```\nThat is all of it.\n", 4),
        (f"Here:\n\n~~~~diff\n{enveloped(_BODY)}~~~~\n", 5),
        (f"<<'EOF'\n{_BODY}EOF\n", 2),
        (f"apply_patch <<PATCH\n{enveloped(_BODY)}PATCH\n", 3),
        (f"1. Do this:\n\n{indented(enveloped(_BODY), '   ')}\n2. Done\n", 4),
        (indented(enveloped(_BODY), "\t"), 2),
        ("*** Begin Patch  \n  *** Update File: n.txt\n@@\n x\n-y\n+Y\n*** End Patch\n", 2),
        (f" *** Begin Patch\n{_BODY}*** End Patch", 2),
        (f"*** Begin Patch\n*** Environment ID: 7\n\n{_BODY}*** End Patch", 4),
        (f"*** Begin Patch\n```diff\n{_BODY}```\n*** End Patch", 3),
        ("*** Begin Patch\n*** Update File: n.txt\n```diff\n@@\n x\n-y\n+Y\n```\n*** End Patch", 2),
        ("\ufeff" + enveloped(_BODY).replace("\n", "\r\n"), 2),
        ("*** Begin Patch ***\n*** update file:n.txt\n@@\n x\n-y\n+Y\n*** end patch", 2),
    ],
)  # fmt: skip
def test_seen_through(answer: str, line: int) -> None:
    (op,) = ops(answer)
    assert isinstance(op, Edit)
    assert (op.path, op.patch_line) == ("n.txt", line)
    (hunk,) = op.hunks
    assert isinstance(hunk, Hunk)
    assert said(hunk) == _LINES
    assert sniff(answer) >= 80


def test_several_patches_are_one_transaction_in_order() -> None:
    answer = f"First:\n{enveloped(_BODY)}Then:\n```\n*** Delete File: a\n```\nand\n{enveloped('*** Add File: b')}"
    answer = answer.replace("b*** End", "b\n*** End")
    assert [(type(op), op.path) for op in ops(answer)] == [(Edit, "n.txt"), (Delete, "a"), (Write, "b")]


@pytest.mark.parametrize(
    ("command", "path"),
    [
        ("cd sub && apply_patch <<'EOF'", "sub/n.txt"),
        ("cd 'my sub/' && apply_patch <<'EOF'", "my sub/n.txt"),
        ("cd a\ncd b; apply_patch <<'EOF'", "a/b/n.txt"),
        ("bash -lc \"cd sub && apply_patch <<'EOF'", "sub/n.txt"),
        ("cd .. && apply_patch <<'EOF'", "../n.txt"),
        ("cd /etc && apply_patch <<'EOF'", "/etc/n.txt"),
    ],
)
def test_paths_are_relative_to_where_the_shell_is(command: str, path: str) -> None:
    body = "*** Update File: n.txt\n*** Move to: m.txt\n@@\n-x\n+y\n"
    edit, move = ops(f"{command}\n{enveloped(body)}EOF\n")
    assert (edit.path, move.path) == (path, path)
    assert isinstance(move, Move)
    assert move.to == path.replace("n.txt", "m.txt")


def test_prose_is_no_patch() -> None:
    assert envelopes(["a", "***", "*** a ***", "***bold*** and *** more: see File", "*** NOTE: this"]) == []


# ── hunks ────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("-a\n+b\n", [(Claims(), ["-a", "+b"])]),
        ("\n@@\n-a\n+b\n", [(Claims(), ["-a", "+b"])]),
        ("@@ A\n@@ B\n\n@@ C\n-a\n", [(Claims(headers=("A", "B", "C")), ["-a"])]),
        ("@@ A\n-a\n@@ B\n-b\n", [(Claims(headers=("A",)), ["-a"]), (Claims(headers=("B",)), ["-b"])]),
        ("@@ -7,3 +7,2 @@ A\n a\n-b\n", [(Claims(line=7, last=9, headers=("A",)), [" a", "-b"])]),
        ("@@ -7,0 +8,1 @@\n+b\n", [(Claims(), ["+b"])]),
        ("@@ -7,2 +8,1 @@\n+b\n", [(Claims(), ["+b"])]),
        ("@@\n-a\n*** End of File \n\n@@\n-b\n", [(Claims(at_end=True), ["-a"]), (Claims(), ["-b"])]),
        ("@@\n-a\n*** End of File\n-b\n", [(Claims(at_end=True), ["-a"]), (Claims(), ["-b"])]),
        ("@@\n a\n\n-b\n\n", [(Claims(), [" a", " ", "-b", " "])]),
        ("@@\n \n-b\n", [(Claims(), [" ", "-b"])]),
        ("@@\n\n+b\n\n+c\n\n", [(Claims(), ["+b", " ", "+c"])]),
        ("@@ f\n+b\n\n", [(Claims(headers=("f",)), ["+b"])]),
        ("@@\n \n+b\n", [(Claims(), [" ", "+b"])]),
        ("@@\n-a\n+b\n\\ No newline at end of file\n", [(Claims(at_end=True, final_newline="removed"), ["-a", "+b"])]),
        ("@@\n-a\n\\ No newline at end of file\n+b\n", [(Claims(at_end=True, final_newline="added"), ["-a", "+b"])]),
        ("@@\n-a\n+b\n c\n\\ No newline at end of file\n", [(Claims(at_end=True), ["-a", "+b", " c"])]),
        ("@@\n-a\n\\section\n", [(Claims(), ["-a", " \\section"])]),
        ("@@\n-a\n@@\n", [(Claims(), ["-a"])]),
        ("@@\n a\n", [(Claims(), [" a"])]),
        ("@@\n+a\n  *** Add File: x\n", [(Claims(), ["+a", "  *** Add File: x"])]),
        ("@@\n a\n***\n***b***\n-c\n", [(Claims(), [" a", " ***", " ***b***", "-c"])]),
    ],
)
def test_hunks(body: str, expected: list[tuple[Claims, list[str]]]) -> None:
    assert [(hunk.claims, said(hunk)) for hunk in hunks(body)] == expected


@pytest.mark.parametrize(
    ("body", "lines", "doubt"),
    [
        ("@@\nnorth\n-west\n+east\nsouth\n", [" north", "-west", "+east", " south"], 4),
        ("@@\n\tif x {\n-\ty\n+\tz\n", [" \tif x {", "-\ty", "+\tz"], 4),
        # a space is read as the sign; only the file shows that all of it is indentation
        ("@@\nclass A:\n    def f():\n-        a\n+        b\n",
         [" class A:", "    def f():", "-        a", "+        b"], 4),
        ("@@\n    x\n-    y\n", ["    x", "-    y"], 0),
    ],
)  # fmt: skip
def test_lines_without_sign_are_context_in_doubt(body: str, lines: list[str], doubt: int) -> None:
    hunk = hunks(body)[0]
    assert said(hunk) == lines
    assert [(problem.kind, problem.patch_line) for problem in hunk.doubts] == ([("bad_patch", doubt)] if doubt else [])


def test_places_and_notes() -> None:
    first, second = hunks("@@\n-a\n@@ x\n-b\n")
    assert (first.patch_line, second.patch_line) == (3, 5)
    patch = parse(enveloped("*** Update File: f\n@@\n a\n@@ x\n"))
    assert [(note.text, note.path, note.patch_line) for note in patch.notes] == [("the hunk changes nothing", "f", 3)]


# ── sections ─────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("*** Add File: n\n", [Write("n", "", patch_line=2)]),
        ("*** Add File: n\n+a\n\n+b\n+\n\n\n", [Write("n", "a\n\nb\n\n", patch_line=2)]),
        ("*** Add File: n\n\n+a\n", [Write("n", "a\n", patch_line=2)]),
        ("*** Add File: n\n@@ -0,0 +1 @@\n+a\n*** End of File\n", [Write("n", "a\n", patch_line=2)]),
        ("*** Add File: n\n+a\n\\ No newline at end of file\n", [Write("n", "a", patch_line=2)]),
        ("*** Add File: n\n```\n+a\n```\n", [Write("n", "a\n", patch_line=2)]),
        ("*** Add File: n\n@@\n- a\n\n  b\n\n", [Write("n", "- a\n\n  b\n", patch_line=2)]),
        ("*** Delete File: o\n", [Delete("o", 2)]),
        ("*** Delete File: o\n-a\n-\n b\n\n", [Delete("o", 2, old=("a", "", "b"))]),
        ("*** Delete File: o\na\nb\n", [Delete("o", 2, old=("a", "b"))]),
        ("*** Delete File: o\n*** Add File: o\n+a\n", [Delete("o", 2), Write("o", "a\n", patch_line=3)]),
        ("*** Update File: f\n*** Move to: g\n", [Move("f", "g", patch_line=2)]),
    ],
)
def test_files(body: str, expected: list[Op]) -> None:
    assert list(ops(enveloped(body))) == expected


@pytest.mark.parametrize(
    "body",
    ["*** Update File: f\n*** Move to: g\n@@\n-a\n+b\n", "*** Update File: f\n@@\n-a\n+b\n*** Move to: `g`\n",
     "*** Update File: f\n  *** Move to: g\n\n@@\n-a\n+b\n"],
)  # fmt: skip
def test_a_move_may_stand_anywhere_in_its_section(body: str) -> None:
    edit, move = ops(enveloped(body))
    assert isinstance(edit, Edit)
    assert isinstance(move, Move)
    assert (move.path, move.to, move.overwrite) == ("f", "g", False)


def test_the_same_file_in_two_sections_is_two_edits() -> None:
    assert [op.path for op in ops(enveloped(_BODY + _BODY))] == ["n.txt", "n.txt"]


@pytest.mark.parametrize(
    ("answer", "line", "words"),
    [
        ("nothing here", 1, "no `*** Begin Patch`"),
        ("*** Begin Patch\n*** End Patch\n", 1, "names no file"),
        (f"*** Begin Patch\n{_BODY}", 1, "end may be missing"),
        (f"x\n```\n*** Begin Patch\n{_BODY}```\n", 3, "end may be missing"),
        (f"*** Begin Patch\n{_BODY}\n{enveloped(_BODY)}", 1, "end may be missing"),
        (enveloped("*** Update File: f\n"), 2, "changes nothing"),
        (enveloped("*** Update File: f\n@@ x\n"), 2, "changes nothing"),
        (enveloped("*** Update File:\n@@\n-a\n"), 2, "names no file"),
        (enveloped(f"{_BODY}*** Rename File: a\n@@\n-b\n"), 7, "`*** Rename File: a` is not a directive"),
        (enveloped("  *** Modify File: a\n@@\n-b\n"), 2, "is not a directive"),
        (enveloped("*** Add File: f\n*** Move to: g\n"), 3, "belongs in"),
        (enveloped("*** Update File: f\n*** Move to: g\n*** Move to: h\n"), 4, "once"),
        (enveloped("*** Update File: f\n*** Move to:\n@@\n-a\n"), 3, "needs a path"),
        (enveloped("*** Add File: f\n+a\nb\n"), 4, "no `+` before it"),
        (enveloped("*** Add File: f\n+a\n@@count = 0\n"), 4, "no `+` before it"),
        (enveloped("*** Delete File: f\n+a\n"), 3, "which is deleted"),
        (enveloped("--- a\n+++ b\n@@\n-x\n+y\n"), 2, "before the first directive"),
        (f"cd $HOME && apply_patch <<EOF\n{enveloped(_BODY)}EOF\n", 2, "only a shell"),
    ],
)
def test_refused(answer: str, line: int, words: str) -> None:
    problems = parse(answer).problems
    assert [(problem.kind, problem.patch_line) for problem in problems] == [("bad_patch", line)]
    assert words in problems[0].detail
    assert problems[0].advice


def test_all_problems_at_once() -> None:
    body = "*** Bogus\n*** Add File: a\n+x\ny\n*** Update File: b\n*** Delete File: c\n+z\n"
    assert [problem.patch_line for problem in parse(enveloped(body)).problems] == [2, 5, 6, 8]


def test_hunks_of_an_unknown_directive_go_nowhere() -> None:
    patch = parse(enveloped(f"{_BODY}*** Modify File: b\n@@\n-y\n+Z\n"))
    (edit,) = patch.ops
    assert isinstance(edit, Edit)
    assert len(edit.hunks) == 1


# ── sniffing ─────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("text", "low", "high"),
    [
        (enveloped(""), 95, 95),
        ("*** Update File: a\n*** Add File: b\n", 95, 95),
        ("*** Update File: a\n@@\n-x\n", 50, 94),
        ("words\n\n   *** Delete File: a", 50, 94),
        ("", 0, 0),
        ("***bold*** and *** stars", 0, 29),
        ("+*** Begin Patch", 0, 29),
        ("the line `*** Update File: x` is written so", 0, 29),
        ("*** a/x\t2020\n--- b/x\t2020\n***************\n*** 1,2 ****\n", 0, 29),
    ],
)
def test_sniff(text: str, low: int, high: int) -> None:
    assert low <= sniff(text) <= high


# ── writing ──────────────────────────────────────────────────────────────────────────────────────


def update(before: str, after: str, path: str = "f") -> FileChange:
    return FileChange(path, File(before.encode()), File(after.encode()))


_COUNT = "".join(f"{n}\n" for n in range(30))


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ("a\nb\n", "a\nB\n", "@@\n-b\n+B\n"),
        (_COUNT, _COUNT.replace("9\n1", "nine\n1", 1), "@@\n-9\n+nine\n"),
        ("x\n" * 9, "x\n" * 4 + "y\n" + "x\n" * 4, "@@\n" + " x\n" * 4 + "-x\n+y\n" + " x\n" * 4),
        ("o\n" + "x\n" * 3, "o\n" + "x\n" * 2 + "y\n", "@@\n x\n x\n-x\n+y\n"),
        ("", "a\n", "@@\n+a\n"),
        ("a\nb\n", "a\nb", "@@\n-b\n+b\n\\ No newline at end of file\n"),
        ("a\nb", "a\nb\nc\n", "@@\n-b\n\\ No newline at end of file\n+b\n+c\n"),
        ("a\nb\nc\n", "a\nb", "@@\n-b\n-c\n+b\n\\ No newline at end of file\n"),
        ("a\nb", "a\nc", "@@\n-b\n+c\n"),
        ("a\n\nb\n", "a\n\nc\n", "@@\n-b\n+c\n"),
    ],
)
def test_written_updates(before: str, after: str, expected: str) -> None:
    assert write_changes((update(before, after),), "begin-patch") == enveloped(f"*** Update File: f\n{expected}")


def test_each_written_hunk_fits_one_place_only() -> None:
    block = [f"head {n % 3}" if n % 10 == 0 else "same" for n in range(200)]
    after = ["changed" if n in (55, 125, 199) else line for n, line in enumerate(block)]
    text = write_changes((update("\n".join(block) + "\n", "\n".join(after) + "\n"),), "begin-patch")
    (op,) = ops(text)
    assert isinstance(op, Edit)
    for hunk in op.hunks:
        assert isinstance(hunk, Hunk)
        old = hunk.old_lines
        places = [at for at in range(200) if block[at : at + len(old)] == old]
        assert len(places) == 1 or (hunk.claims.at_end and places[-1] + len(old) == 200)


def test_written_files() -> None:
    changes = (
        FileChange("n", None, File(b"a\n\n+b\n")),
        FileChange("e", None, File(b"")),
        FileChange("t", None, File(b"a")),
        FileChange("o", File(b"x\n"), None),
        FileChange("r", File(b"x\r\ny\n"), File(b"x\ny\n")),
        FileChange("s", File(b"x\n"), File(b"x\n")),
    )
    assert write_changes(changes, "begin-patch") == enveloped(
        "*** Add File: n\n+a\n+\n++b\n*** Add File: e\n*** Add File: t\n+a\n\\ No newline at end of file\n"
        "*** Delete File: o\n*** Delete File: r\n*** Add File: r\n+x\n+y\n"
    )


@pytest.mark.parametrize(
    "change",
    [
        FileChange("n", None, File(b"a\r\nb\r\n")),
        FileChange(" n", None, File(b"a\n")),
        FileChange("`n`", File(b"a\n"), None),
        FileChange("n", File(b"a\n"), File(b"b\n", 0o755)),
        FileChange("n", None, File(b"\x00\x01\x02\x03")),
        FileChange("n", File(b"a\nb\n"), File(b"a\r\nb\r\n")),
    ],
)
def test_what_has_no_words_is_refused(change: FileChange) -> None:
    with pytest.raises(PatchError) as refused:
        write_changes((change,), "begin-patch")
    assert [problem.kind for problem in refused.value.problems] == ["cannot_say"]


@pytest.mark.parametrize(
    ("before", "after", "sayable"),
    [
        ("a\r\nb\nc\n", "A\r\nb\nc\n", True),  # a replaced line keeps its own line ending
        ("a\r\nb\nc\n", "A\nb\nc\n", False),
        ("a\r\nb\nc\n", "A\r\nB\nX\nc\n", True),  # an added line gets the usual one
        ("a\r\nb\nc\n", "A\r\nB\nX\r\nc\n", False),
        ("a\r\nb\r\nc", "a\r\nb\r\nC\r\nd", True),
        ("a\nb", "a\nB\n", True),
        ("a\nb\n", "a\nB", True),
        ("a\r\nb", "a\r\nb\r\n", True),
        ("a\r\nb", "a\r\nb\n", False),
        ("\ufeffa\n", "a\n", False),
    ],
)
def test_line_ends_of_changed_lines(before: str, after: str, sayable: bool) -> None:
    """Write the whole file where hunks can't express the change, or refuse."""
    change = update(before, after)
    try:
        text = write_changes((change,), "begin-patch")
    except PatchError:
        assert not sayable
        return
    assert ("*** Update File" in text) == sayable
    assert anypatch.apply_to(text, {"f": before.encode()}).files["f"] == after.encode()


def test_many_hunks_are_written_and_read_in_no_time() -> None:
    lines = [f"line {n % 500}" for n in range(50_000)]
    after = [f"new {n}" if n % 50 == 0 else line for n, line in enumerate(lines)]
    change = update("\n".join(lines) + "\n", "\n".join(after) + "\n")
    patch = parse(write_changes((change,), "begin-patch"))
    assert not patch.problems


@pytest.mark.parametrize(
    "text",
    ["*** Begin Patch\n" * 20_000, "  *** Begin Patch\n" * 20_000, "*** Update File: a\n" * 20_000,
     "*** Begin Patch\n*** Update File: a\n" + "@@ x\n" * 50_000, "```\n" * 50_000 + enveloped(_BODY),
     "*** Begin Patch\n" + "```\n" * 50_000 + "*** End Patch\n", "cd a\n" * 20_000 + "x <<EOF\n" + enveloped(_BODY),
     " *** Update File: a\n" * 20_000, "*** Begin Patch\n*** Add File: a\n" + "\n" * 100_000 + "*** End Patch",
     "*** Begin Patch\n*** Add File: a\n" + " *** x\n" * 10_000 + "*** End Patch",
     "*** Begin Patch\n*** Add File: a\n" + "+\n *** x\n" * 10_000 + "*** End Patch",
     "*** Begin Patch\n*** Update File: a\n" + "\n *** x\n" * 10_000 + "*** End Patch",
     "*** Begin Patch\n*** Update File: a\n" + "\n" * 10_000 + "  *** Update File: b\n" * 10_000 + "*** End Patch",
     "*** Update File: a\n@@\n-x\n" + "Well it is so.\n\n" * 30_000, "***" * 100_000, "*** " * 100_000,
     "<<" * 100_000 + "\n*** Begin Patch", "cd " * 100_000 + "<<EOF\n*** Begin Patch", "@@ -1" + " " * 100_000],
)  # fmt: skip
def test_odd_answers_are_read_in_linear_time(text: str) -> None:
    parse(text)
    sniff(text)


OLD = {"keep.txt": "keep\n", "dir/old.txt": "alpha\nbeta\ngamma\ndelta\n"}


# Situations that another engine of this format has scenarios for: the sections, and the tree afterwards (None: refused).
@pytest.mark.parametrize(
    ("sections", "after"),
    [
        ("*** Add File: new.md\n+fresh\n", {**OLD, "new.md": "fresh\n"}),
        ("*** Add File: in/new.md\n+fresh\n*** Delete File: keep.txt\n*** Update File: dir/old.txt\n@@\n-beta\n+BETA\n",
         {"dir/old.txt": "alpha\nBETA\ngamma\ndelta\n", "in/new.md": "fresh\n"}),
        ("*** Update File: dir/old.txt\n@@\n-beta\n+BETA\n@@\n-delta\n+DELTA\n", {**OLD, "dir/old.txt": "alpha\nBETA\ngamma\nDELTA\n"}),
        ("*** Update File: keep.txt\n*** Move to: far/away/kept.txt\n@@\n-keep\n+kept\n", {"dir/old.txt": OLD["dir/old.txt"], "far/away/kept.txt": "kept\n"}),
        ("", None),
        ("*** Update File: keep.txt\n@@\n-absent\n+x\n", None),
        ("*** Delete File: absent.txt\n", None),
        ("*** Update File: keep.txt\n", None),
        ("*** Update File: absent.txt\n@@\n-a\n+b\n", None),
        ("*** Update File: keep.txt\n*** Move to: dir/old.txt\n@@\n-keep\n+kept\n", None),
        ("*** Add File: keep.txt\n+mine\n", None),
        ("*** Delete File: dir\n", None),
        ("*** Rename File: keep.txt\n", None),
        ("*** Add File: made.txt\n+x\n*** Update File: absent.txt\n@@\n-a\n+b\n", None),
        ("*** Update File: dir/old.txt\n@@\n+x\n", None),
        ("*** Update File: keep.txt\n@@\n-keep\n+one\n+two\n", {**OLD, "keep.txt": "one\ntwo\n"}),
        ("  *** Update File: keep.txt\n@@\n-keep\n+kept\n", {**OLD, "keep.txt": "kept\n"}),
        ("*** Update File: keep.txt\n@@\n-keep\n+garé ✓\n", {**OLD, "keep.txt": "garé ✓\n"}),
        ("*** Delete File: keep.txt\n", {"dir/old.txt": OLD["dir/old.txt"]}),
        ("*** Update File: dir/old.txt\n@@\n alpha\n-beta\n gamma\n", {**OLD, "dir/old.txt": "alpha\ngamma\ndelta\n"}),
        ("*** Update File: dir/old.txt\n@@\n gamma\n-delta\n+DELTA\n*** End of File\n", {**OLD, "dir/old.txt": "alpha\nbeta\ngamma\nDELTA\n"}),
    ],
)  # fmt: skip
@pytest.mark.parametrize(
    ("first", "last"),
    [
        ("*** Begin Patch", "*** End Patch"),
        (" *** Begin Patch", "*** End Patch "),
    ],
)
def test_scenarios(sections: str, after: dict[str, str] | None, first: str, last: str) -> None:
    result = anypatch.apply_to(f"{first}\n{sections}{last}\n", OLD)
    assert (dict(result.files), result.ok) == (OLD if after is None else after, after is not None)


@pytest.mark.parametrize(
    ("sections", "after"),
    [
        ("*** Update File: keep.txt\n*** Move to: dir/old.txt\n@@\n-keep\n+kept\n", {"dir/old.txt": "kept\n"}),
        ("*** Add File: keep.txt\n+mine\n", {**OLD, "keep.txt": "mine\n"}),
    ],
)
def test_scenarios_of_overwriting(sections: str, after: dict[str, str]) -> None:
    result = anypatch.apply_to(f"*** Begin Patch\n{sections}*** End Patch\n", OLD, overwrite=True)
    assert dict(result.files) == after and result.ok


def test_the_prompt_is_short() -> None:
    assert len(named("begin-patch").prompt) < 2400


def test_a_line_without_sign_that_fits_nowhere_is_named() -> None:
    result = anypatch.apply_to(enveloped("*** Update File: f\n@@\nnord\n-west\n+east\n"), {"f": "north\nwest\n"})
    (problem,) = result.problems
    assert (problem.kind, problem.patch_line) == ("bad_patch", 4)
    assert "nord" in problem.detail
