"""Undo around later edits: they stay, byte for byte, or the refusal names the lines in the way."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

import anypatch
from anypatch.storage.journal import digest
from anypatch.storage.merge import Span, spans_from_bytes, spans_to_bytes, undo_around
from support.disk_trees import (
    fail_nth,
)

BEFORE = "a\nb\nc\nd\ne\nf\ng\n"


FIRST = "f.txt\n<<<<<<< SEARCH\nb\n=======\nB1\nB2\n>>>>>>> REPLACE\n"


SECOND = "f.txt\n<<<<<<< SEARCH\nd\n=======\nD\n>>>>>>> REPLACE\n"


THIRD = "f.txt\n<<<<<<< SEARCH\nf\n=======\n>>>>>>> REPLACE\n"


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    (tmp_path / "f.txt").write_text(BEFORE)
    return tmp_path


def made(tree: Path, patch: str) -> str:
    result = anypatch.apply(patch, tree)
    assert result.receipt, result
    return result.receipt.id


def text(tree: Path) -> str:
    return (tree / "f.txt").read_text()


def test_an_edit_by_hand_elsewhere_stays(tree: Path) -> None:
    made(tree, SECOND)
    (tree / "f.txt").write_text(text(tree).replace("a\n", "a\nmine\n"))
    undone = anypatch.undo(tree)
    assert undone.ok and text(tree) == BEFORE.replace("a\n", "a\nmine\n"), undone
    assert [(change.added, change.removed) for change in undone.changes] == [(1, 1)]
    redone = anypatch.redo(tree)
    assert redone.ok and text(tree) == "a\nmine\nb\nc\nD\ne\nf\ng\n"
    assert anypatch.undo(tree).ok and text(tree) == BEFORE.replace("a\n", "a\nmine\n")


@pytest.mark.parametrize("order", [(0, 1, 2), (1, 0, 2), (2, 1, 0), (1, 2, 0), (0, 2, 1)])
def test_several_changes_can_be_undone_in_any_order(tree: Path, order: tuple[int, ...]) -> None:
    ids = [made(tree, patch) for patch in (FIRST, SECOND, THIRD)]
    assert text(tree) == "a\nB1\nB2\nc\nD\ne\ng\n"
    without = {0: ("B1\nB2\n", "b\n"), 1: ("D\n", "d\n"), 2: ("e\ng\n", "e\nf\ng\n")}
    wanted = text(tree)
    for number in order:
        undone = anypatch.undo(tree, ids[number])
        assert undone.ok, undone
        wanted = wanted.replace(*without[number])
        assert text(tree) == wanted
    assert text(tree) == BEFORE and all(receipt.undone or receipt.undoes for receipt in anypatch.log(tree))


def test_later_edits_of_the_same_lines_are_named(tree: Path) -> None:
    made(tree, SECOND)
    (tree / "f.txt").write_text(text(tree).replace("D\n", "D!\n"))
    before = text(tree)
    refused = anypatch.undo(tree)
    (problem,) = refused.problems
    assert problem.kind == "stale" and problem.line == 4 and "line 4 of f.txt" in problem.detail and problem.near
    assert text(tree) == before and not anypatch.log(tree)[0].undone
    assert anypatch.undo(tree, force=True).ok and text(tree) == BEFORE


def test_many_lines_in_the_way_are_abbreviated(tree: Path) -> None:
    lines = [f"line {number}" for number in range(100)]
    (tree / "f.txt").write_text("\n".join(lines) + "\n")
    new = [f"new {line}" if number % 10 == 5 else line for number, line in enumerate(lines)]
    made(tree, anypatch.make({"f.txt": text(tree)}, {"f.txt": "\n".join(new) + "\n"}, "unified"))
    (tree / "f.txt").write_text(text(tree).replace("new line", "newer line"))
    (problem,) = anypatch.undo(tree).problems
    assert "lines 6, 16, 26, 36, 46, … of f.txt" in problem.detail


def test_merged_and_unchanged_files_are_undone_together(tree: Path) -> None:
    (tree / "g.txt").write_text(BEFORE)
    made(tree, SECOND + SECOND.replace("f.txt", "g.txt"))
    (tree / "f.txt").write_text(text(tree) + "more\n")
    undone = anypatch.undo(tree)
    assert undone.ok and text(tree) == BEFORE + "more\n" and (tree / "g.txt").read_text() == BEFORE
    anypatch.redo(tree)
    (tree / "f.txt").write_text(text(tree).replace("D", "E"))
    (tree / "g.txt").write_text((tree / "g.txt").read_text() + "more\n")
    assert not anypatch.undo(tree).ok and "D" in (tree / "g.txt").read_text()


def test_a_mode_that_was_changed_later_stays(tree: Path) -> None:
    made(tree, SECOND)
    (tree / "f.txt").write_text("0\n" + text(tree))
    (tree / "f.txt").chmod(0o755)
    assert anypatch.undo(tree).ok and text(tree) == "0\n" + BEFORE
    assert os.stat(tree / "f.txt").st_mode & 0o777 == 0o755


@pytest.mark.parametrize("since", [False, True])
def test_a_mode_that_the_change_set_is_undone_unless_it_was_changed_again(tree: Path, since: bool) -> None:
    diff = (
        "diff --git a/f.txt b/f.txt\nold mode 100644\nnew mode 100755\n--- a/f.txt\n+++ b/f.txt\n@@ -4 +4 @@\n-d\n+D\n"
    )
    (tree / "f.txt").chmod(0o644)
    made(tree, diff)
    assert os.stat(tree / "f.txt").st_mode & 0o777 == 0o755
    (tree / "f.txt").write_text("0\n" + text(tree))
    if since:
        (tree / "f.txt").chmod(0o700)
    assert anypatch.undo(tree).ok is not since
    assert os.stat(tree / "f.txt").st_mode & 0o777 == (0o700 if since else 0o644)


@pytest.mark.parametrize("spoil", ["gone", "cut", "other", "binary"])
def test_undo_is_refused_without_usable_spans(tree: Path, spoil: str) -> None:
    made(tree, SECOND)
    (spans,) = (tree / ".anypatch").glob("2*/kept")
    if spoil == "gone":
        spans.unlink()
    elif spoil == "cut":
        spans.write_bytes(b"what")
    elif spoil == "other":
        spans.write_bytes(spans.read_bytes().replace(b"D", b"X"))
    (tree / "f.txt").write_text("\0\1\2\n" * 50 + text(tree) if spoil == "binary" else text(tree) + "more\n")
    before = text(tree)
    (problem,) = anypatch.undo(tree).problems
    assert problem.kind == "stale" and text(tree) == before


def test_a_link_that_was_changed_since_is_not_merged(tree: Path) -> None:
    (tree / "link").symlink_to("f.txt")
    made(tree, "diff --git a/link b/there\nsimilarity index 100%\nrename from link\nrename to there\n")
    os.unlink(tree / "there")
    (tree / "there").symlink_to("elsewhere")
    assert not anypatch.undo(tree).ok and os.readlink(tree / "there") == "elsewhere"


def test_spans_are_small_and_can_be_read_back() -> None:
    before, after = b"x" * 1000 + b"one" + b"y" * 1000, b"x" * 1000 + b"three" + b"y" * 1000
    data = spans_to_bytes([(0, before, after), (7, b"", b"new\n"), (8, b"aa", b"aaa")])
    assert len(data) < 100
    spans = spans_from_bytes(data)
    assert [span.middle for span in spans.values()] == [b"thre", b"new\n", b"a"] and list(spans) == [0, 7, 8]

    assert spans[0].new_text(before, digest(after)) == after and spans[0].new_text(before, digest(before)) is None
    assert spans[8].new_text(b"aa", digest(b"aaa")) == b"aaa" and spans[8] == Span(2, 0, b"a")


@pytest.mark.parametrize(
    ("changed", "before", "now", "wanted"),
    [
        (b"a\nB\nc\nd\n", b"a\nb\nc\nd\n", b"a\nB\nc\nD\n", b"a\nb\nc\nD\n"),
        (b"a\nB\nc\n", b"a\nb\nc\n", b"0\na\nB\nc\n", b"0\na\nb\nc\n"),
        (b"a\nB\nc", b"a\nb\nc", b"a\nB\nc\n", [(3, 3)]),
        (b"a\nB\n", b"a\nb\n", b"a\nx\nB\n", [(2, 2)]),
        (b"a\nc\nd\ne\n", b"a\nb\nc\nd\ne\n", b"a\nc\nd\nE\n", b"a\nb\nc\nd\nE\n"),
        (b"a\r\nB\r\nc\r\nd\r\n", b"a\r\nb\r\nc\r\nd\r\n", b"a\r\nB\r\nc\r\n", b"a\r\nb\r\nc\r\n"),
    ],
)
def test_undo_around(changed: bytes, before: bytes, now: bytes, wanted: object) -> None:
    assert undo_around(changed, before, now) == wanted


@pytest.mark.parametrize("call", ["open", "write", "rename", "unlink", "fsync", "fstat", "fchown"])
@pytest.mark.parametrize("late", [False, True])
def test_a_failing_call_never_loses_the_edit_by_hand(
    tmp_path: Path, call: str, late: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whichever call fails, before or after it has done its work."""
    mine = "0\n"
    for at in range(1, 60):
        tree = tmp_path / str(at)
        tree.mkdir()
        (tree / "f.txt").write_text(BEFORE)
        made(tree, SECOND)
        (tree / "f.txt").write_text(mine + text(tree))
        changed = text(tree)
        with monkeypatch.context() as patched:
            fault = fail_nth(patched, call, at, OSError(errno.EIO, "broken"), late)
            anypatch.undo(tree)
        assert text(tree) in (changed, mine + BEFORE)
        anypatch.recover(tree)
        if text(tree) == changed:
            assert anypatch.undo(tree).ok, (call, at)
        assert text(tree) == mine + BEFORE
        if not fault.fired:
            break
