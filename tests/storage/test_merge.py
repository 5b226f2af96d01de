"""Undo around later edits: what the change did is taken back, what came later stays, byte for byte; or it says where."""

from __future__ import annotations

import errno
import os
import shutil
from pathlib import Path

import pytest

import anypatch
from anypatch.storage import history
from anypatch.storage.merge import Span, spans_from_bytes, spans_to_bytes, undo_around
from anypatch.storage.tree import DiskTree
from support.disk_trees import fail_nth

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


def test_a_hand_made_edit_elsewhere_stays(tree: Path) -> None:
    made(tree, SECOND)
    (tree / "f.txt").write_text(text(tree).replace("a\n", "a\nmine\n"))
    undone = anypatch.undo(tree)
    assert undone.ok and text(tree) == BEFORE.replace("a\n", "a\nmine\n"), undone
    assert [(change.added, change.removed) for change in undone.changes] == [(1, 1)]
    redone = anypatch.redo(tree)
    assert redone.ok and text(tree) == "a\nmine\nb\nc\nD\ne\nf\ng\n"
    assert anypatch.undo(tree).ok and text(tree) == BEFORE.replace("a\n", "a\nmine\n")


@pytest.mark.parametrize("order", [(0, 1, 2), (1, 0, 2), (2, 1, 0), (1, 2, 0), (0, 2, 1)])
def test_any_of_several_changes_can_be_taken_back_in_any_order(tree: Path, order: tuple[int, ...]) -> None:
    ids = [made(tree, patch) for patch in (FIRST, SECOND, THIRD)]
    assert text(tree) == "a\nB1\nB2\nc\nD\ne\ng\n"
    without = {0: ("B1\nB2\n", "b\n"), 1: ("D\n", "d\n"), 2: ("e\ng\n", "e\nf\ng\n")}
    wanted = text(tree)
    for number in order:
        undone = anypatch.undo(tree, ids[number])
        assert undone.ok, undone
        wanted = wanted.replace(*without[number])
        assert text(tree) == wanted
    assert text(tree) == BEFORE and all(receipt.undone for receipt in anypatch.log(tree))


def test_where_later_edits_touch_the_lines_it_says_which(tree: Path) -> None:
    made(tree, SECOND)
    (tree / "f.txt").write_text(text(tree).replace("D\n", "D!\n"))
    before = text(tree)
    refused = anypatch.undo(tree)
    (problem,) = refused.problems
    assert problem.kind == "stale" and problem.line == 4 and "line 4 of f.txt" in problem.detail and problem.near
    assert text(tree) == before and not anypatch.log(tree)[0].undone
    assert anypatch.undo(tree, force=True).ok and text(tree) == BEFORE


def test_many_lines_in_the_way_are_named_in_short(tree: Path) -> None:
    lines = [f"line {number}" for number in range(100)]
    (tree / "f.txt").write_text("\n".join(lines) + "\n")
    new = [f"new {line}" if number % 10 == 5 else line for number, line in enumerate(lines)]
    made(tree, anypatch.make({"f.txt": text(tree)}, {"f.txt": "\n".join(new) + "\n"}, "unified"))
    (tree / "f.txt").write_text(text(tree).replace("new line", "newer line"))
    (problem,) = anypatch.undo(tree).problems
    assert "lines 6, 16, 26, 36, 46, … of f.txt" in problem.detail


def test_a_file_beside_it_that_is_as_it_was_left_goes_back_too_and_all_or_none(tree: Path) -> None:
    (tree / "g.txt").write_text(BEFORE)
    made(tree, SECOND + SECOND.replace("f.txt", "g.txt"))
    (tree / "f.txt").write_text(text(tree) + "more\n")
    undone = anypatch.undo(tree)
    assert undone.ok and text(tree) == BEFORE + "more\n" and (tree / "g.txt").read_text() == BEFORE
    anypatch.redo(tree)
    (tree / "f.txt").write_text(text(tree).replace("D", "E"))
    (tree / "g.txt").write_text((tree / "g.txt").read_text() + "more\n")
    assert not anypatch.undo(tree).ok and "D" in (tree / "g.txt").read_text()


def test_mode_and_owner_of_the_file_stay_as_they_are(tree: Path) -> None:
    made(tree, SECOND)
    (tree / "f.txt").write_text("0\n" + text(tree))
    (tree / "f.txt").chmod(0o755)
    assert anypatch.undo(tree).ok and text(tree) == "0\n" + BEFORE
    assert os.stat(tree / "f.txt").st_mode & 0o777 == 0o755


@pytest.mark.parametrize("since", [False, True])
def test_a_mode_that_the_change_gave_is_taken_back_unless_somebody_gave_another(tree: Path, since: bool) -> None:
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
def test_what_cannot_be_told_is_refused_as_before(tree: Path, spoil: str) -> None:
    made(tree, SECOND)
    (kept,) = (tree / ".anypatch").glob("2*/kept")
    if spoil == "gone":
        kept.unlink()
    elif spoil == "cut":
        kept.write_bytes(b"what")
    elif spoil == "other":
        kept.write_bytes(kept.read_bytes().replace(b"D", b"X"))
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


def test_what_is_kept_is_small_and_read_back() -> None:
    before, after = b"x" * 1000 + b"one" + b"y" * 1000, b"x" * 1000 + b"three" + b"y" * 1000
    data = spans_to_bytes([(0, before, after), (7, b"", b"new\n"), (8, b"aa", b"aaa")])
    assert len(data) < 100
    kept = spans_from_bytes(data)
    assert [one.middle for one in kept.values()] == [b"thre", b"new\n", b"a"] and list(kept) == [0, 7, 8]
    from anypatch.storage.journal import digest

    assert kept[0].new_text(before, digest(after)) == after and kept[0].new_text(before, digest(before)) is None
    assert kept[8].new_text(b"aa", digest(b"aaa")) == b"aaa" and kept[8] == Span(2, 0, b"a")


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
def test_lines_that_touch_are_told_others_are_merged(changed: bytes, before: bytes, now: bytes, wanted: object) -> None:
    assert undo_around(changed, before, now) == wanted


@pytest.mark.parametrize("call", ["open", "write", "rename", "unlink", "fsync", "fstat", "fchown"])
@pytest.mark.parametrize("late", [False, True])
def test_wherever_it_breaks_off_the_file_is_one_of_two_and_it_can_be_undone_again(
    tmp_path: Path, call: str, late: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A call that fails, before or behind what it does: the edit made by hand is never lost."""
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


# ── show ─────────────────────────────────────────────────────────────────────────────────────────


def test_show_gives_a_change_as_it_was_made_whatever_came_later(tree: Path) -> None:
    assert [problem.detail for problem in anypatch.show(tree).problems] == ["there is nothing to show"]
    (tree / "old.txt").write_text("old\n")
    first = made(
        tree, FIRST + "\n*** Begin Patch\n*** Add File: new.txt\n+new\n*** Delete File: old.txt\n*** End Patch\n"
    )
    second = made(tree, SECOND)
    (tree / "f.txt").write_text(text(tree) + "by hand\n")
    shown = anypatch.show(tree, first)
    assert shown.ok and not shown.written and shown.receipt and shown.receipt.id == first
    assert [(change.path, change.action) for change in shown.changes] == [
        ("f.txt", "update"), ("new.txt", "create"), ("old.txt", "delete"),
    ]  # fmt: skip
    assert shown.changes[0].before == BEFORE and shown.changes[0].after == BEFORE.replace("b\n", "B1\nB2\n")
    last = anypatch.show(tree)
    assert last.receipt and last.receipt.id == second and "-d\n+D\n" in last.diff()
    assert anypatch.undo(tree, second).ok and "-d\n+D\n" in anypatch.show(tree, second).diff()
    assert not anypatch.show(tree, "nothing").ok


def test_show_says_what_is_not_known_any_more(tree: Path) -> None:
    made(tree, SECOND)
    for kept in (tree / ".anypatch").glob("2*/kept"):
        kept.unlink()
    (tree / "f.txt").write_text("other\n")
    shown = anypatch.show(tree)
    assert shown.ok and shown.changes == () and [note.path for note in shown.notes] == ["f.txt"]


def test_show_where_no_receipt_is_left_or_the_disk_fails(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made(tree, SECOND)

    def broken(*_: object) -> None:
        raise OSError(5, "broken")

    with monkeypatch.context() as patched:
        patched.setattr(history, "_find_by_id", broken)
        assert [problem.kind for problem in anypatch.show(tree, "2").problems] == ["io"]
    for folder in (tree / ".anypatch").glob("2*"):
        shutil.rmtree(folder)
    assert [problem.kind for problem in anypatch.show(tree).problems] == ["no_receipt"]


def test_what_a_tree_knows_of_its_names_is_looked_up_once(tree: Path) -> None:
    (tree / "d").mkdir()
    (tree / "d/g.txt").write_text("")
    with DiskTree(str(tree)) as disk:
        assert disk.inside("", 1) == ("d/", "f.txt") and disk.inside("d", 2) == ("d/g.txt",)
        assert set(disk.alike("x.txt")) == {"f.txt", "d/g.txt"} and disk.ending("g.txt") == ("d/g.txt",)
    with DiskTree(str(tree)) as disk:
        assert set(disk.alike("x.txt")) == {"f.txt", "d/g.txt"}
