"""Chunk v2: what sections become, what is refused at which line, what is noted, how it is written.

The rules of the specification are cases: tests/cases/chunk-v2.
"""

from __future__ import annotations

import pytest

from anypatch.formats import named
from anypatch.formats.chunk_v2.read import block_end, closes, is_command, opens, parse, sniff
from anypatch.model import Claims, Delete, Edit, Hunk, Write


def section(command: str, content: str = "", path: str = "a.py") -> str:
    return f"=== file: {path} ===\n--- {command}\n{content}=END=\n"


@pytest.mark.parametrize(
    ("command", "content", "new", "claims"),
    [
        ("replace 1:2", "x\n", "x\n", Claims(2, 3)),
        ("delete 1:2", "\n", "", Claims(2, 3)),
        ("insert-after 1", "x\n", "x\n", Claims(3, 2)),
        ("insert-after -1", "x\n", "x\n", Claims(1, 0)),
    ],
)
def test_commands_by_number(command: str, content: str, new: str, claims: Claims) -> None:
    patch = parse(section(command, content))
    (edit,) = patch.ops
    assert isinstance(edit, Edit) and not patch.problems
    (hunk,) = edit.hunks
    assert isinstance(hunk, Hunk)
    assert (hunk.old, hunk.new, hunk.claims) == ("", new, claims)


@pytest.mark.parametrize(
    ("command", "signed"),
    [
        ("replace-text", ["-x", "+y"]),
        ("delete-text", ["-x"]),
        ("insert-after-text", [" x", "+y"]),
        ("insert-before-text", ["+y", " x"]),
    ],
)
def test_commands_by_text(command: str, signed: list[str]) -> None:
    content = "x\n---\n" + ("" if command == "delete-text" else "y\n")
    (edit,) = parse(section(command, content)).ops
    assert isinstance(edit, Edit)
    (hunk,) = edit.hunks
    assert isinstance(hunk, Hunk)
    assert list(hunk.signed) == signed


def test_context_is_named_by_labels() -> None:
    (edit,) = parse(section("replace-text", "BEFORE:\na\nMARKER:\nx\nAFTER:\nb\n---\ny\n")).ops
    assert isinstance(edit, Edit)
    assert (edit.hunks[0].claims.before, edit.hunks[0].claims.after) == (("a",), ("b",))


def test_only_the_first_divider_divides() -> None:
    (edit,) = parse(section("replace-text", "x\n---\ny\n---\n")).ops
    assert isinstance(edit, Edit) and isinstance(edit.hunks[0], Hunk)
    assert (edit.hunks[0].old, edit.hunks[0].new) == ("x\n", "y\n---\n")


def test_commands_on_files() -> None:
    write, delete = parse(section("create-file", "x\n") + section("delete-file", "", "b.py")).ops
    assert isinstance(write, Write) and (write.text, write.overwrite) == ("x\n", True)
    assert isinstance(delete, Delete)


def test_the_numbers_of_a_file_are_one_edit() -> None:
    patch = parse(section("replace 3:3", "x\n") + section("delete 0:0", "", "b.py") + section("insert-after 3", "y\n"))
    assert [(op.path, len(op.hunks)) for op in patch.ops if isinstance(op, Edit)] == [("a.py", 2), ("b.py", 1)]


# The text, the lines and words of its problems.
REFUSED = [
    ("Hello", [1], "there is no"),
    ("=== file: a.py ===\n--- delete 1:1\n", [1], "no `=END=`"),
    ("=== file: a.py ===\n" + section("delete 1:1"), [1], "no `=END=`"),
    ("=== file: ===\n--- delete 1:1\n=END=\n", [1], "names no file"),
    ("=== file: a.py ===\nx\n=END=\n", [2], "no command"),
    (section("rename x"), [2], "is not a command"),
    (section("replace-function f"), [2], "is not a command"),
    (section("replace 1"), [2], "is not a command"),
    (section("replace 3:1"), [2], "reversed"),
    (section("insert-after -2"), [2], "is not a command"),
    (section("delete 1:1", "x\n"), [3], "takes no content"),
    (section("delete-file", "x\n"), [3], "takes no content"),
    (section("replace-text", "x\n"), [2], "no `---`"),
    (section("replace-text", "---\ny\n"), [2], "no text to find"),
    (section("replace 1:1", "--- delete 2:2\n"), [3], "second command"),
    (section("replace 1:3", "x\n") + section("delete 2:4"), [6], "overlap"),
    (section("replace 1:3", "x\n") + section("insert-after 2", "y\n"), [6], "inside a range"),
    (section("delete 1:1") + section("delete-text", "x\n---\n"), [4], "both by line and by text"),
    (section("delete-file") + section("create-file"), [4], "both by file and by file"),
    (section("delete 1:1") + "x\n=END=\n", [5], "`=END=` is in no section"),
    (section("delete 1:1") + "--- delete 3:3\n", [4], "is in no section"),
]


@pytest.mark.parametrize(("text", "lines", "detail"), REFUSED)
def test_refused(text: str, lines: list[int], detail: str) -> None:
    problems = parse(text).problems
    assert [(problem.kind, problem.patch_line) for problem in problems] == [("bad_patch", line) for line in lines]
    assert detail in problems[0].detail
    assert problems[0].advice


def test_a_fence_that_never_closes_is_cut_off() -> None:
    assert [problem.kind for problem in parse("```\n" + section("delete 1:1")).problems] == ["truncated"]
    assert parse("```\n" + section("delete 1:1") + "```\n").problems == ()


def test_text_outside_sections_is_noted() -> None:
    patch = parse(f"Here:\n{section('delete 1:1')}Done.\n")
    assert len(patch.ops) == 1
    assert [(note.text, note.patch_line) for note in patch.notes] == [("text outside the sections was skipped", 1)]


def test_markers() -> None:
    lines = section("delete 1:1").split("\n")
    assert opens(lines, 0) and opens(lines, 1) and closes("=END=")
    assert block_end(lines, 0, len(lines), False) == 3
    assert is_command("--- replace 1:2") and not is_command("--- a/x.py") and not is_command("replace 1:2")
    assert sniff(section("delete 1:1")) > sniff("=== file: a ===") > sniff("x") == 0


@pytest.mark.parametrize(
    "text",
    [
        section("replace 1:2", "x\n"),
        section("delete 1:2"),
        section("insert-after -1", "\n"),
        section("replace-text", "x\n---\n"),
        section("insert-before-text", "BEFORE:\na\nMARKER:\nx\nAFTER:\n---\ny\n"),
        section("create-file", "x\n"),
        section("delete-file"),
    ],
)
def test_sections_are_written_as_they_are_read(text: str) -> None:
    assert named("chunk-v2").write(parse(text).ops) == text
