"""Undo, redo and recovery on a real disk."""

from __future__ import annotations

import errno
import os
import pwd
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

import anypatch
from anypatch import Settings, api
from anypatch.hints import Durability
from anypatch.model import LINK, File, FileChange, Receipt
from anypatch.problems import Refused
from anypatch.storage import history, swap, syscalls, transaction
from anypatch.storage import undo as undoing
from anypatch.storage.history import Selection
from anypatch.storage.journal import Entry, Manifest, digest, load_key, to_bytes
from anypatch.storage.tree import DiskTree, applied_as, commit, foreign_ids, receipts, redo, undo
from support.disk_trees import (
    NEW,
    OLD,
    THEIRS,
    apply,
    change,
    change_two_files,
    entry_of,
    interrupt,
    put,
    redo_change,
    refusal,
    snapshot,
    tree_and_changes,
    undo_change,
    undo_several,
    write_crashed,
)

# ── undo ──────────────────────────────────────────────────────────────────────────────────────────


def test_undo_restores_everything(tmp_path: Path) -> None:
    root, changes = tree_and_changes(tmp_path, 0)
    old = snapshot(root)
    done = apply(root, *changes)
    assert snapshot(root) != old
    back = undo_change(root)
    assert snapshot(root) == old
    assert (back.id, back.changes, back.undone) == (done.id, done.changes, True)
    assert refusal(lambda: undo_change(root)) == ["no_receipt"]
    assert refusal(lambda: undo_change(root, done.id)) == ["no_receipt"]


def test_undo_goes_further_back_each_time(tmp_path: Path) -> None:
    put(tmp_path, "a", b"0")
    for number in (b"1", b"2", b"3"):
        apply(tmp_path, change(tmp_path, "a", number))
    for number in (b"2", b"1", b"0"):
        undo_change(tmp_path)
        assert (tmp_path / "a").read_bytes() == number
    apply(tmp_path, change(tmp_path, "a", b"4"))
    undo_change(tmp_path)
    assert (tmp_path / "a").read_bytes() == b"0"


def test_undo_by_id_and_prefix(tmp_path: Path) -> None:
    put(tmp_path, "a", b"0")
    put(tmp_path, "b", b"0")
    first = apply(tmp_path, change(tmp_path, "a", b"1"))
    second = apply(tmp_path, change(tmp_path, "b", b"1"))
    assert first.id < second.id
    assert refusal(lambda: undo_change(tmp_path, "20")) == ["ambiguous"]
    assert refusal(lambda: undo_change(tmp_path, "19")) == ["no_receipt"]
    assert undo_change(tmp_path, first.id[:-1] if first.id[:-1] != second.id[:-1] else first.id).id == first.id
    assert ((tmp_path / "a").read_bytes(), (tmp_path / "b").read_bytes()) == (b"0", b"1")
    assert undo_change(tmp_path, second.id).id == second.id
    assert (tmp_path / "b").read_bytes() == b"0"


def test_undo_is_refused_after_edits_by_hand_and_names_them_all(tmp_path: Path) -> None:
    root, changes = tree_and_changes(tmp_path, 0)
    old = snapshot(root)
    apply(root, *changes)
    (root / "src/a.py").write_bytes(b"by hand")
    (root / "src/b.py").chmod(0o755)
    (root / "src/new").unlink()
    put(root, "src/gone", b"again")
    edited = snapshot(root)
    with pytest.raises(Refused) as caught:
        undo_change(root)
    # src/new is gone: as before the change.
    assert {(p.kind, p.path) for p in caught.value.problems} == {("stale", "src/a.py"), ("stale", "src/gone")}
    assert snapshot(root) == edited
    undo_change(root, force=True)
    (root / "src/b.py").chmod(0o644)  # only its mode was edited, and that edit stays
    assert snapshot(root) == old


def test_undo_and_redo_name_the_receipt_to_reverse_first(tmp_path: Path) -> None:
    for name in "ab":
        put(tmp_path, name, b"0")
    first = apply(tmp_path, change(tmp_path, "a", b"1"), change(tmp_path, "b", b"1"))
    second = apply(tmp_path, change(tmp_path, "a", b"2"))
    third = apply(tmp_path, change(tmp_path, "a", None))

    def problems_of(action: Callable[[], object]) -> list[tuple[str, str, str, str]]:
        with pytest.raises(Refused) as caught:
            action()
        return [(p.kind, p.path, p.detail, f"{p.advice} {p.command}".strip()) for p in caught.value.problems]

    def again(receipt: Receipt) -> None:
        with DiskTree(str(tmp_path)) as tree:
            redo(tree, receipt.id)

    put(tmp_path, "b", b"by hand")
    since = "it was edited"
    for later in (third, second):
        edited = "line 1 of {} was edited after this change"
        why = f"receipt {later.id} has changed it since" if later is third else edited.format("a")
        assert problems_of(lambda: undo_change(tmp_path, first.id)) == [
            ("stale", "a", why, f"Undo that first. Use `anypatch undo {later.id}`."),
            ("stale", "b", edited.format("b"), "Undo it by hand, or force it and lose those edits. --force does so."),
        ]
        undo_change(tmp_path, later.id)
    put(tmp_path, "b", b"1")
    undo_change(tmp_path, first.id)
    builds = f"it depends on receipt {first.id}, which has been undone"
    assert problems_of(lambda: again(second)) == [
        ("stale", "a", builds, f"Redo that first. Use `anypatch redo {first.id}`.")
    ]
    assert problems_of(lambda: again(third))[0][2] == builds
    other = apply(tmp_path, change(tmp_path, "a", b"other"))
    assert problems_of(lambda: again(first))[0][2] == f"receipt {other.id} has changed it since"
    last = apply(tmp_path, change(tmp_path, "a", b"last"))
    undo_change(tmp_path, last.id)
    put(tmp_path, "a", b"by hand")
    assert problems_of(lambda: again(last))[0][2] != since
    put(tmp_path, "c", b"0")
    stands = apply(tmp_path, change(tmp_path, "c", b"1"))
    undone = apply(tmp_path, change(tmp_path, "c", b"2"))
    undo_change(tmp_path, undone.id)
    put(tmp_path, "c", b"by hand")
    by_hand = "Undo that edit, or make the change again by hand."
    assert problems_of(lambda: again(undone)) == [("stale", "c", since, by_hand)], stands


def test_undo_of_a_file_that_became_a_folder(tmp_path: Path) -> None:
    put(tmp_path, "a", b"file")
    old = snapshot(tmp_path)
    apply(tmp_path, change(tmp_path, "a", None), change(tmp_path, "a/b", b"below"))
    new = snapshot(tmp_path)
    undo_change(tmp_path)
    assert snapshot(tmp_path) == old
    redo_change(tmp_path)
    assert snapshot(tmp_path) == new


def test_undo_keeps_a_made_folder_that_is_in_use(tmp_path: Path) -> None:
    apply(tmp_path, change(tmp_path, "d/e/f", b"x"))
    put(tmp_path, "d/mine", b"y")
    undo_change(tmp_path)
    assert sorted(snapshot(tmp_path)) == ["d", "d/mine"]


@pytest.mark.parametrize("name", ['über "x"\\\n.txt', 'a "b"', "a\\b", "a\nb", "ü", "\x7f"])
def test_undo_of_an_odd_name_and_odd_bytes(tmp_path: Path, name: str) -> None:
    put(tmp_path, name, b"\x00\xff\r", 0o600)
    old = snapshot(tmp_path)
    apply(tmp_path, change(tmp_path, name, None))
    assert snapshot(tmp_path) == {}
    undo_change(tmp_path)
    assert snapshot(tmp_path) == old


def test_undo_ignores_the_limit_on_file_sizes(tmp_path: Path) -> None:
    large = bytes((64 << 20) + 1)
    with DiskTree(str(tmp_path), Settings(durability="none")) as tree:
        commit(tree, (FileChange("a", None, File(large)),), format="", description="", patch=b"p")
        assert applied_as(tree, b"p")
        undo(tree)
    assert snapshot(tmp_path) == {}


def test_nothing_to_undo(tmp_path: Path) -> None:
    assert refusal(lambda: undo_change(tmp_path)) == ["no_receipt"]
    assert snapshot(tmp_path) == {} and not (tmp_path / ".anypatch").exists()


def test_undo_restores_the_very_same_file(tmp_path: Path) -> None:
    place = put(tmp_path, "a", b"old", 0o4750)
    facts = place.stat()
    apply(tmp_path, change(tmp_path, "a", b"new"))
    assert place.stat().st_mode & 0o7777 == 0o750
    undo_change(tmp_path)
    after = place.stat()
    assert (after.st_ino, after.st_mtime_ns, after.st_mode) == (facts.st_ino, facts.st_mtime_ns, facts.st_mode)


def test_a_receipt_whose_saved_file_was_changed_is_not_undone(tmp_path: Path) -> None:
    put(tmp_path, "a", b"old")
    apply(tmp_path, change(tmp_path, "a", b"new"))
    (saved,) = (tmp_path / ".anypatch").glob("2*/0")
    os.truncate(saved, 2)
    assert refusal(lambda: undo_change(tmp_path, force=True)) == ["stale"]
    assert (tmp_path / "a").read_bytes() == b"new"


def test_undo_of_a_link_that_exists_again(tmp_path: Path) -> None:
    put(tmp_path, "real", b"x\n")
    (tmp_path / "link").symlink_to("real")
    apply(tmp_path, FileChange("link", File(b"real", LINK | 0o777), None), FileChange("a", None, File(b"real")))
    (tmp_path / "link").symlink_to("elsewhere")
    assert refusal(lambda: undo_change(tmp_path)) == ["stale"]
    undo_change(tmp_path, force=True)
    assert snapshot(tmp_path)["link"] == ("link", b"real", 0) and "a" not in snapshot(tmp_path)


def test_a_forced_undo_after_a_crash_left_a_draft(tmp_path: Path) -> None:
    change_two_files(tmp_path)
    (receipt,) = (tmp_path / ".anypatch").glob("2*")
    put(receipt, "manifest.new", b"half")
    (tmp_path / "a").write_bytes(THEIRS)
    undo_change(tmp_path, force=True)
    assert (tmp_path / "a").read_bytes() == OLD
    with DiskTree(str(tmp_path)) as tree:
        redo(tree)
    assert (tmp_path / "a").read_bytes() == THEIRS, "redo restores what the undo replaced"


def test_undo_names_a_file_that_cannot_be_read(tmp_path: Path) -> None:
    change_two_files(tmp_path)
    (tmp_path / "a").unlink()
    (tmp_path / "a").mkdir()
    assert refusal(lambda: undo_change(tmp_path)) == ["not_a_file"]


@pytest.mark.parametrize("exactly", [False, True])
def test_a_receipt_that_vanishes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, exactly: bool) -> None:
    change_two_files(tmp_path)
    real, calls = history.open_folder, list[str]()

    def gone(state: int, folder: str) -> int:
        calls.append(folder)
        if len(calls) == 1 + exactly:
            raise FileNotFoundError(errno.ENOENT, "gone")
        return real(state, folder)

    monkeypatch.setattr(undoing, "open_folder", gone)
    assert refusal(lambda: undo_change(tmp_path)) == ["no_receipt"]
    assert (tmp_path / "a").read_bytes() == NEW


def test_a_receipt_of_another_key_is_named_and_not_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = tmp_path / "root"
    put(root, "a", OLD)
    with DiskTree(str(root)) as tree:
        assert foreign_ids(tree) == ()
    apply(root, change(root, "a", NEW))
    (receipt,) = anypatch.log(root)
    with DiskTree(str(root)) as tree:
        assert foreign_ids(tree) == ()
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "home"))
    with DiskTree(str(root)) as tree:
        assert foreign_ids(tree) == (receipt.id,) and receipts(tree) == ()
    for wanted in ("", receipt.id[:8]):
        (problem,) = anypatch.undo(root, wanted).problems
        assert problem.kind == "no_receipt" and receipt.id in problem.detail
    assert (root / "a").read_bytes() == NEW


# ── undo of several changes ──────────────────────────────────────────────────────────────────────


def rewrite(root: Path, path: str, old: bytes, new: bytes, **who: str) -> str:
    """Replace a text in a file by a change of its own. Return the id of the receipt."""
    data = (root / path).read_bytes()
    assert data.count(old) == 1
    return apply(root, change(root, path, data.replace(old, new)), settings=Settings(**who)).id  # type: ignore[arg-type]


def undone_ids(root: Path) -> list[str]:
    return [receipt.id for receipt in anypatch.log(root) if receipt.undone]


LINES = b"".join(b"line %d\n" % number for number in range(12))


def test_several_changes_are_undone_as_one_around_edits_by_hand_and_redone_as_one(tmp_path: Path) -> None:
    put(tmp_path, "f", LINES)
    ids = [rewrite(tmp_path, "f", b"line %d\n" % number, b"new %d\n" % number) for number in (1, 4, 7)]
    put(tmp_path, "f", (tmp_path / "f").read_bytes() + b"by hand\n")
    now = snapshot(tmp_path)
    done = undo_several(tmp_path, since=ids[1])
    assert done.undoes == (ids[2], ids[1]) and done.format == "undo" and not done.undone
    assert (tmp_path / "f").read_bytes() == LINES.replace(b"line 1\n", b"new 1\n") + b"by hand\n"
    assert undone_ids(tmp_path) == [ids[2], ids[1]] and anypatch.log(tmp_path)[0].id == done.id
    assert redo_change(tmp_path).id == done.id and snapshot(tmp_path) == now
    assert undone_ids(tmp_path) == [] and [receipt.id for receipt in anypatch.log(tmp_path)] == ids[::-1]
    assert undo_change(tmp_path, done.id).undoes == done.undoes, "its id still names what it had undone"


def test_the_last_turn_is_undone_and_what_others_did_meanwhile_stays(tmp_path: Path) -> None:
    put(tmp_path, "f", LINES)
    rewrite(tmp_path, "f", b"line 1\n", b"first\n", session="a", turn="1")
    second = [rewrite(tmp_path, "f", b"line 3\n", b"second\n", session="a", turn="2")]
    rewrite(tmp_path, "f", b"line 5\n", b"other session\n", session="b", turn="2")
    second += [rewrite(tmp_path, "f", b"line 7\n", b"also second\n", session="a", turn="2")]
    assert undo_several(tmp_path, turn=True).undoes == tuple(second[::-1])
    text = LINES.replace(b"line 1\n", b"first\n").replace(b"line 5\n", b"other session\n")
    assert (tmp_path / "f").read_bytes() == text
    undo_several(tmp_path, Settings(session="a"), turn=True)
    assert (tmp_path / "f").read_bytes() == LINES.replace(b"line 5\n", b"other session\n")
    assert refusal(lambda: undo_several(tmp_path, Settings(session="a"), all=True)) == ["no_receipt"]
    undo_several(tmp_path, Settings(session="b"), all=True)
    assert (tmp_path / "f").read_bytes() == LINES
    for _ in range(3):
        redo_change(tmp_path)
    assert undone_ids(tmp_path) == []


def test_undo_of_several_restores_files_folders_links_modes_and_attributes(tmp_path: Path) -> None:
    root, changes = tree_and_changes(tmp_path, 0)
    (root / "src/a.py").chmod(0o4750)
    os.setxattr(root / "src/a.py", "user.note", b"mine")
    old = snapshot(root)
    apply(root, *changes)
    (root / "src/b.py").chmod(0o755)
    apply(root, change(root, "src/a.py", b"newer"), change(root, "c", None), change(root, "fresh/deep/y", b"y"))
    apply(root, change(root, "src/a.py", None), FileChange("moved", File(b"src/b.py", LINK | 0o777), None))
    last = snapshot(root)
    undo_several(root, all=True)
    (root / "src/b.py").chmod(0o644)
    assert snapshot(root) == old and os.getxattr(root / "src/a.py", "user.note") == b"mine"
    (root / "src/b.py").chmod(0o755)
    redo_change(root)
    assert snapshot(root) == last


def test_undo_of_several_is_refused_with_every_line_that_was_edited_since(tmp_path: Path) -> None:
    for name in "fgh":
        put(tmp_path, name, LINES)
    first = rewrite(tmp_path, "f", b"line 1\n", b"new 1\n")
    second = rewrite(tmp_path, "g", b"line 1\n", b"new 1\n")
    third = rewrite(tmp_path, "h", b"line 1\n", b"new 1\n")
    for name in "fg":
        put(tmp_path, name, (tmp_path / name).read_bytes().replace(b"new 1", b"mine"))
    before = snapshot(tmp_path)
    with pytest.raises(Refused) as caught:
        undo_several(tmp_path, all=True)
    assert [problem.detail for problem in caught.value.problems] == [
        f"line 2 of g was edited after change {second}", f"line 2 of f was edited after change {first}",
    ]  # fmt: skip
    assert snapshot(tmp_path) == before and undone_ids(tmp_path) == []
    result = anypatch.undo(tmp_path, since=first, force=True)
    assert [note.path for note in result.notes] == ["g", "f"] and "are lost" in result.notes[0].text
    assert {(tmp_path / name).read_bytes() for name in "fgh"} == {LINES} and undone_ids(tmp_path)[0] == third


def test_a_change_in_between_that_stays_is_named_if_it_is_in_the_way(tmp_path: Path) -> None:
    put(tmp_path, "f", LINES)
    rewrite(tmp_path, "f", b"line 1\n", b"turn\n", session="a", turn="1")
    between = rewrite(tmp_path, "f", b"turn\n", b"between\n", session="b", turn="1")
    rewrite(tmp_path, "f", b"line 7\n", b"turn\n", session="a", turn="1")
    with pytest.raises(Refused) as caught:
        undo_several(tmp_path, turn=True)
    (problem,) = caught.value.problems
    assert (problem.advice, problem.command) == ("Undo that first.", f"Use `anypatch undo {between}`.")


def test_files_that_are_as_before_already_count_as_undone(tmp_path: Path) -> None:
    """`git checkout .`, `git clean`: everything, or a part, is as before one of the changes."""
    put(tmp_path, "f", b"0\n")
    put(tmp_path, "gone", b"x")
    before = snapshot(tmp_path)
    first = apply(tmp_path, change(tmp_path, "f", b"1\n"), change(tmp_path, "gone", None))
    between = snapshot(tmp_path)
    second = apply(tmp_path, change(tmp_path, "f", b"2\n"), change(tmp_path, "d/new", b"n"))
    third = apply(tmp_path, change(tmp_path, "f", b"3\n"))
    put(tmp_path, "f", b"0\n")
    put(tmp_path, "gone", b"x")
    (tmp_path / "d/new").unlink()
    result = anypatch.undo(tmp_path, all=True)
    assert result.ok and {note.path for note in result.notes} == {"f", "gone", "d/new"} and result.changes == ()
    assert snapshot(tmp_path) == before, "the folder that the change made is gone, too"
    assert undone_ids(tmp_path) == [third.id, second.id, first.id]
    assert anypatch.redo(tmp_path).ok
    assert snapshot(tmp_path) == before | {"d": ("dir", b"", 0o755)}, "redo brings back what the undo changed"
    put(tmp_path, "f", b"1\n")
    (tmp_path / "gone").unlink()
    (tmp_path / "d").rmdir()
    assert undo_several(tmp_path, since=second.id).undoes == (third.id, second.id) and snapshot(tmp_path) == between
    assert undo_change(tmp_path).id == first.id and snapshot(tmp_path) == before


def test_one_change_that_is_as_before_already_counts_as_undone(tmp_path: Path) -> None:
    put(tmp_path, "f", b"0\n", 0o600)
    put(tmp_path, "g", b"0\n")
    ids = [apply(tmp_path, change(tmp_path, "g", b"1\n")).id]
    ids += [apply(tmp_path, change(tmp_path, "f", b"1\n"), change(tmp_path, "g", b"2\n")).id]
    put(tmp_path, "f", b"0\n", 0o644)  # git knows nothing of the mode
    result = anypatch.undo(tmp_path)
    assert result.ok and [(note.path, note.text) for note in result.notes] == [("f", "it was already as it was before")]
    assert (tmp_path / "g").read_bytes() == b"1\n" and undone_ids(tmp_path) == [ids[1]]
    assert anypatch.redo(tmp_path, ids[1]).ok and undone_ids(tmp_path) == []
    assert (tmp_path / "g").read_bytes() == b"2\n" and (tmp_path / "f").read_bytes() == b"0\n"


def test_a_mode_counts_only_if_the_change_was_one_of_mode(tmp_path: Path) -> None:
    put(tmp_path, "f", b"0\n", 0o600)
    apply(tmp_path, change(tmp_path, "f", b"1\n", 0o755))
    put(tmp_path, "f", b"0\n", 0o644)
    assert refusal(lambda: undo_change(tmp_path)) == ["stale"]
    put(tmp_path, "f", b"0\n", 0o600)
    assert undo_change(tmp_path).undoes


def test_a_file_that_became_a_folder_and_is_a_file_again(tmp_path: Path) -> None:
    put(tmp_path, "a", b"file")
    apply(tmp_path, change(tmp_path, "a", None), change(tmp_path, "a/b", b"below"))
    apply(tmp_path, change(tmp_path, "a/b", b"more"))
    changed = snapshot(tmp_path)
    undo_several(tmp_path, all=True)
    assert snapshot(tmp_path) == {"a": ("file", b"file", 0o644)}
    redo_change(tmp_path)
    assert snapshot(tmp_path) == changed
    put(tmp_path, "a/mine", b"mine")
    assert refusal(lambda: undo_several(tmp_path, all=True)) == ["not_a_file"]
    shutil.rmtree(tmp_path / "a")
    put(tmp_path, "a", b"file")
    undo_several(tmp_path, all=True)
    assert snapshot(tmp_path) == {"a": ("file", b"file", 0o644)}


def test_a_mode_change_in_the_middle_of_merged_edits(tmp_path: Path) -> None:
    put(tmp_path, "f", LINES, 0o644)
    ids = [apply(tmp_path, change(tmp_path, "f", LINES.replace(b"line 1\n", b"1\n"), 0o755), settings=TURN).id]
    rewrite(tmp_path, "f", b"line 5\n", b"5\n")
    text = (tmp_path / "f").read_bytes().replace(b"line 9\n", b"9\n")
    ids += [apply(tmp_path, change(tmp_path, "f", text), settings=TURN).id]
    assert undo_several(tmp_path, TURN, turn=True).undoes == tuple(ids[::-1])
    assert snapshot(tmp_path) == {"f": ("file", LINES.replace(b"line 5\n", b"5\n"), 0o644)}


TURN = Settings(session="s", turn="t")


def test_an_undo_with_no_folder_to_write_to_changes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    apply(tmp_path, change(tmp_path, "d/a", b"1"))
    apply(tmp_path, change(tmp_path, "d/a", b"2"))
    before = snapshot(tmp_path)

    real = os.rmdir

    def rmdir(name: str, **named: int) -> None:
        if name == "d":
            raise OSError(errno.EROFS, "read-only")
        real(name, **named)

    with monkeypatch.context() as patched:
        patched.setattr(os, "rmdir", rmdir)
        assert refusal(lambda: undo_several(tmp_path, all=True)) == ["io"]
    assert snapshot(tmp_path) == before and undone_ids(tmp_path) == []
    assert undo_several(tmp_path, all=True) and snapshot(tmp_path) == {}


def test_a_preview_changes_nothing_and_the_undo_must_be_what_it_showed(tmp_path: Path) -> None:
    put(tmp_path, "f", LINES)
    ids = [rewrite(tmp_path, "f", b"line %d\n" % number, b"new %d\n" % number) for number in (1, 4)]
    before = snapshot(tmp_path)
    shown = anypatch.undo(tmp_path, all=True, dry_run=True)
    assert shown.ok and shown.dry_run and not shown.written and "-new 4\n+line 4\n" in shown.diff()
    assert shown.receipt and shown.receipt.undoes == (ids[1], ids[0]) and shown.to_dict()["receipt"] is None
    assert snapshot(tmp_path) == before and undone_ids(tmp_path) == []
    put(tmp_path, "f", (tmp_path / "f").read_bytes() + b"by hand\n")
    late = api.undo_selected(tmp_path, Selection(all=True), expected=shown)
    assert [(problem.kind, problem.path) for problem in late.problems] == [("stale", "f")]
    shown = anypatch.undo(tmp_path, all=True, dry_run=True)
    assert api.undo_selected(tmp_path, Selection(all=True), expected=shown).changes == shown.changes
    assert (tmp_path / "f").read_bytes() == LINES + b"by hand\n"
    none = anypatch.undo(tmp_path, dry_run=True)
    assert [problem.detail for problem in none.problems] == ["there is nothing to undo"]
    assert anypatch.undo(tmp_path / "f", dry_run=True).problems[0].kind == "bad_root"


def test_files_that_only_a_person_may_change_are_not_undone_for_others(tmp_path: Path) -> None:
    put(tmp_path, "f", b"0\n")
    apply(tmp_path, change(tmp_path, ".vscode/tasks.json", b"{}"), change(tmp_path, "f", b"1\n"))
    careful = Settings(allow_sensitive=False)
    assert refusal(lambda: undo_several(tmp_path, careful)) == ["unsafe_path"]
    assert (tmp_path / "f").read_bytes() == b"1\n" and undo_several(tmp_path)


def test_an_interrupted_undo_of_several_is_rolled_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put(tmp_path, "a", b"0")
    for number in (b"1", b"2"):
        apply(tmp_path, change(tmp_path, "a", number))
    before = snapshot(tmp_path)

    def fail(*_: object, **__: object) -> None:
        raise OSError(errno.EIO, "injected")

    with monkeypatch.context() as patched:
        patched.setattr(transaction, "touched_folders", fail)
        patched.setattr(transaction, "settle", fail)
        assert "unsettled" in refusal(lambda: undo_several(tmp_path, all=True))
    assert (tmp_path / "a").read_bytes() == b"0"
    (note,) = anypatch.recover(tmp_path).notes
    assert note.text.startswith("an interrupted undo (") and snapshot(tmp_path) == before


def test_redo_of_an_undo_is_recovered_to_its_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put(tmp_path, "a", b"0")
    for number in (b"1", b"2"):
        apply(tmp_path, change(tmp_path, "a", number))
    undo_several(tmp_path, all=True)

    def fail(*_: object, **__: object) -> None:
        raise OSError(errno.EIO, "injected")

    with monkeypatch.context() as patched:
        patched.setattr(undoing, "touched_folders", fail)
        patched.setattr(undoing, "_turn_back", fail)
        assert "unsettled" in refusal(lambda: redo_change(tmp_path))
    (note,) = anypatch.recover(tmp_path).notes
    assert "interrupted while being redone, was redone" in note.text
    assert (tmp_path / "a").read_bytes() == b"2" and undone_ids(tmp_path) == []


PIECES = st.lists(st.sampled_from(["", "x", "y", "z"]), min_size=0, max_size=6).map("\n".join)
STEPS = st.lists(
    st.dictionaries(st.sampled_from(["a", "d/b", "d/e/c", "f"]), st.none() | PIECES, min_size=1), min_size=1, max_size=6
)


@given(steps=STEPS, first=st.integers(0, 5))
@hypothesis_settings(max_examples=40, deadline=None)
def test_undo_of_all_gives_the_first_tree_and_redo_the_last(steps: list[dict[str, str | None]], first: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        put(root, "a", b"x\ny\n", 0o755)
        trees, ids = [snapshot(root)], []
        for step in steps:
            changes = (change(root, path, None if text is None else text.encode()) for path, text in step.items())
            ids.append(apply(root, *changes, settings=Settings(durability="none")).id)
            trees.append(snapshot(root))
        kept = [(number, id) for number, id in enumerate(ids) if id]  # a step may change nothing
        if not kept:
            return
        number, id = kept[first % len(kept)]
        undo_several(root, since=id)
        assert snapshot(root) == trees[number]
        redo_change(root)
        assert snapshot(root) == trees[-1]
        undo_several(root, all=True)
        assert snapshot(root) == trees[0]


# ── redo ──────────────────────────────────────────────────────────────────────────────────────────


def test_redo_and_undo_by_turns(tmp_path: Path) -> None:
    root, changes = tree_and_changes(tmp_path, 0)
    old = snapshot(root)
    assert refusal(lambda: redo_change(root)) == ["no_receipt"]
    done = apply(root, *changes)
    new = snapshot(root)
    for _ in range(3):
        undo_change(root)
        assert snapshot(root) == old
        again = redo_change(root)
        assert (again.id, again.undone) == (done.id, False)
        assert {c.path: c for c in again.changes} == {c.path: c for c in done.changes}
        assert snapshot(root) == new
    assert refusal(lambda: redo_change(root, done.id)) == ["no_receipt"]


def test_where_nothing_is_left_to_undo_or_redo_the_hint_says_which(tmp_path: Path) -> None:
    put(tmp_path, "a", b"0")
    apply(tmp_path, change(tmp_path, "a", b"1"))
    (problem,) = anypatch.redo(tmp_path).problems
    assert (problem.message, problem.hint) == ("there is nothing to redo", "Nothing was undone since the last change.")
    assert anypatch.undo(tmp_path).ok
    (problem,) = anypatch.undo(tmp_path).problems
    assert problem.message == "there is nothing to undo" and "everything has been undone" in problem.hint


def test_redo_goes_forward_in_order_and_not_past_a_new_change(tmp_path: Path) -> None:
    put(tmp_path, "a", b"0")
    for number in (b"1", b"2", b"3"):
        apply(tmp_path, change(tmp_path, "a", number))
    for _ in range(3):
        undo_change(tmp_path)
    for number in (b"1", b"2"):
        redo_change(tmp_path)
        assert (tmp_path / "a").read_bytes() == number
    apply(tmp_path, change(tmp_path, "a", b"other"))
    assert refusal(lambda: redo_change(tmp_path)) == ["no_receipt"]
    (undone,) = (r.id for r in anypatch.log(tmp_path) if r.undone)
    assert refusal(lambda: redo_change(tmp_path, undone)) == ["stale"]


def test_redo_is_refused_after_edits_by_hand(tmp_path: Path) -> None:
    put(tmp_path, "a", b"0")
    apply(tmp_path, change(tmp_path, "a", b"1"), change(tmp_path, "b", b"1"))
    undo_change(tmp_path)
    (tmp_path / "a").write_bytes(b"by hand")
    put(tmp_path, "b", b"by hand")
    assert refusal(lambda: redo_change(tmp_path)) == ["stale", "stale"]


# ── undo that fails ───────────────────────────────────────────────────────────────────────────────


def test_undo_is_rolled_back_at_a_conflict(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    change_two_files(tmp_path)
    real = transaction.settle
    calls: list[int] = []

    def settle(job: swap.Job, *, to_old: bool) -> tuple[anypatch.Problem, ...]:
        calls.append(1)
        if len(calls) == 1:
            (tmp_path / "a").write_bytes(THEIRS)
        return real(job, to_old=to_old)

    monkeypatch.setattr(undoing, "settle", settle)
    assert refusal(lambda: undo_change(tmp_path)) == ["conflict"]
    assert ((tmp_path / "a").read_bytes(), (tmp_path / "b").read_bytes()) == (THEIRS, NEW)
    assert [receipt.undone for receipt in anypatch.log(tmp_path)] == [False]


def test_undo_that_cannot_be_rolled_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    change_two_files(tmp_path)
    problem = anypatch.Problem("conflict", "theirs", "a")
    monkeypatch.setattr(undoing, "settle", lambda job, to_old: (problem,))
    assert refusal(lambda: undo_change(tmp_path)) == ["conflict", "conflict"]
    assert list((tmp_path / ".anypatch").glob("conflict.*"))


def test_undo_is_rolled_back_if_its_last_sync_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    change_two_files(tmp_path)
    real = syscalls.sync_all

    def sync_all(fds: object, level: str, count: int) -> None:
        if list((tmp_path / ".anypatch").glob("*.undone.*")):
            raise OSError(errno.EIO, "broken")
        real(fds, level, count)  # type: ignore[arg-type]

    with monkeypatch.context() as patched:
        patched.setattr(syscalls, "sync_all", sync_all)
        assert refusal(lambda: undo_change(tmp_path)) == ["io"]
    assert (tmp_path / "a").read_bytes() == NEW and not anypatch.log(tmp_path)[0].undone


@pytest.mark.parametrize("undone", [False, True])
def test_an_undo_that_is_made_but_not_synced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, undone: bool) -> None:
    change_two_files(tmp_path)
    if undone:
        undo_change(tmp_path)
    real = os.rename

    def is_finished() -> bool:
        names = os.listdir(tmp_path / ".anypatch")
        return any(name.startswith("2") and ("undone" in name) is not undone for name in names)

    def rename(source: str, target: str, **named: int) -> None:
        if is_finished():
            raise OSError(errno.EROFS, "read-only")
        real(source, target, **named)

    def sync_all(*_: object) -> None:
        if is_finished():
            raise OSError(errno.EIO, "broken")

    with monkeypatch.context() as patched, pytest.raises(Refused) as caught, DiskTree(str(tmp_path)) as tree:
        patched.setattr(os, "rename", rename)
        patched.setattr(syscalls, "sync_all", sync_all)
        if undone:
            redo(tree)
        else:
            undo(tree)
    problem = caught.value.problems[1]
    assert problem.kind == "unsettled" and ("was redone" if undone else "was undone") in problem.detail
    assert f"anypatch {'undo' if undone else 'redo'} 2" in problem.command


@pytest.mark.parametrize("level", get_args(Durability))
def test_a_forced_undo_syncs_the_journal_before_it_has_its_name(
    tmp_path: Path, synced: list[str], level: Durability
) -> None:
    place = put(tmp_path, "a", OLD)
    apply(tmp_path, change(tmp_path, "a", NEW))
    place.write_bytes(THEIRS)
    synced.clear()
    with DiskTree(str(tmp_path), Settings(durability=level)) as tree:
        undo(tree, force=True)
    assert place.read_bytes() == OLD and ("manifest.new" in synced) == bool(synced) == (level != "none")


# ── recovery ──────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("planted", ["file", "link"])
def test_a_transaction_that_is_not_a_folder(tmp_path: Path, planted: str) -> None:
    (tmp_path / ".anypatch").mkdir()
    place = tmp_path / ".anypatch/tx"
    place.write_bytes(b"") if planted == "file" else place.symlink_to("/etc")
    assert [p.kind for p in anypatch.recover(tmp_path).problems] == ["foreign_journal"]


def test_a_transaction_without_journal_is_removed(tmp_path: Path) -> None:
    put(tmp_path, ".anypatch/tx/0", b"x")
    assert anypatch.recover(tmp_path).ok and os.listdir(tmp_path / ".anypatch").count("tx") == 0


@pytest.mark.parametrize("name", ["tx", "undo.20990101-000000-0000.1"])
def test_recovery_keeps_a_file_of_somebody_else(tmp_path: Path, name: str) -> None:
    put(tmp_path, "a", THEIRS)
    write_crashed(tmp_path, name, entry_of(), OLD)
    report = anypatch.recover(tmp_path)
    assert [(p.kind, p.path) for p in report.problems] == [("conflict", "a")]
    assert (tmp_path / "a").read_bytes() == THEIRS
    assert (tmp_path / ".anypatch/conflict.20990101-000000-0000/0").read_bytes() == OLD
    assert anypatch.recover(tmp_path).ok


@pytest.mark.usefixtures("descriptors")
@pytest.mark.parametrize(("way", "here", "slot", "after"), [("undo", NEW, OLD, OLD), ("redo", OLD, NEW, NEW)])
def test_recovery_finishes_an_undo_or_redo(tmp_path: Path, way: str, here: bytes, slot: bytes, after: bytes) -> None:
    put(tmp_path, "a", here)
    write_crashed(tmp_path, f"{way}.20990101-000000-0000.1", entry_of(), slot)
    report = anypatch.recover(tmp_path)
    done = "undone" if way == "undo" else "redone"
    assert report.ok and f"interrupted while being {done}, was {done}" in report.notes[0].text
    assert (tmp_path / "a").read_bytes() == after
    assert [receipt.undone for receipt in anypatch.log(tmp_path)] == [way == "undo"]


@pytest.mark.parametrize("step", ["linked", "moved away", "moved in"])
def test_recovery_finishes_an_undo_without_exchange(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str) -> None:
    """An undo was interrupted between the steps that replace an exchange."""

    def unknown(*_: object) -> None:
        raise OSError(errno.EINVAL, "no such flag")

    monkeypatch.setattr(syscalls, "exchange", unknown)
    put(tmp_path, "a", NEW)
    write_crashed(tmp_path, "undo.20990101-000000-0000.1", entry_of(), OLD)
    slot = tmp_path / ".anypatch/undo.20990101-000000-0000.1/0"
    os.link(tmp_path / "a", f"{slot}.x")
    if step != "linked":
        (tmp_path / "a").unlink()
    if step == "moved in":
        slot.rename(tmp_path / "a")
    assert anypatch.recover(tmp_path).problems == ()
    assert (tmp_path / "a").read_bytes() == OLD and [receipt.undone for receipt in anypatch.log(tmp_path)] == [True]
    (kept,) = (tmp_path / ".anypatch").glob("*.undone.*")
    assert sorted(os.listdir(kept)) == ["0", "manifest"] and (kept / "0").read_bytes() == NEW


def test_recovery_is_synced_before_the_journal_is_removed(tmp_path: Path, events: list[str]) -> None:
    root = tmp_path / "root"
    put(root, "a", NEW)
    write_crashed(root, "undo.20990101-000000-0000.3", entry_of(), OLD)
    assert anypatch.recover(root).ok
    way = "undo.ID.3"
    assert events == ["exchange a", "fsync root", f"fsync {way}", "rename ID.3.undone.ID", "fsync .anypatch"]
    put(root, "a", NEW)
    write_crashed(root, "tx", entry_of(), OLD)
    events.clear()
    assert anypatch.recover(root).ok
    assert events == ["exchange a", "fsync root", "fsync tx", "unlink manifest", "unlink 0"], "the journal goes first"


def test_without_the_key_the_hint_names_who_can_recover(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = tmp_path / "tree"
    root.mkdir()
    interrupt(root, monkeypatch)
    with monkeypatch.context() as patched:
        patched.setenv("XDG_STATE_HOME", str(tmp_path / "another"))
        who = f"as {pwd.getpwuid(os.geteuid()).pw_name} (uid {os.geteuid()}), with HOME and XDG_STATE_HOME as in"
        (problem,) = anypatch.recover(root).problems
        assert problem.kind == "foreign_journal" and who in problem.hint
        with DiskTree(str(root)) as tree, pytest.raises(Refused) as caught:
            tree.check_settled()
        assert who in caught.value.problems[0].hint
    with DiskTree(str(root)) as tree, pytest.raises(Refused) as caught:
        tree.check_settled()
    assert caught.value.problems[0].hint == "Recover the tree first."
    assert anypatch.recover(root).ok and (root / "a.txt").read_bytes() == b"old\n"
    (root / ".anypatch" / "tx").mkdir()
    with DiskTree(str(root)) as tree, pytest.raises(Refused) as caught:
        tree.check_settled()
    assert caught.value.problems[0].hint == "Recover the tree first."


# ── planted journals ──────────────────────────────────────────────────────────────────────────────


def forge(folder: Path, path: str, signer: bytes, old: bytes = b"planted", new: bytes | None = None) -> None:
    """Write a journal that claims to have displaced `old` at `path`."""
    entry = Entry(0, path, digest(old), digest(new) if new is not None else "", 0o644, 0o644 if new is not None else 0)
    journal = Manifest("20990101-000000-0000", 0.0, "chunk", "", "", (), (entry,))
    put(folder, "manifest", to_bytes(journal, signer))
    put(folder, "0", old)


PATHS = ["../out", "/etc/x", ".git/hooks/x", "a/../../out", "./a", "", "x/.GIT/y"]


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("place", ["tx", "undo.20990101-000000-0000.1", "redo.20990101-000000-0000.1"])
def test_even_a_signed_journal_cannot_lead_out(tmp_path: Path, path: str, place: str) -> None:
    root = tmp_path / "root"
    put(root, "a", b"0")
    forge(root / ".anypatch" / place, path, load_key(make=True))
    before = snapshot(tmp_path)
    with pytest.raises(Refused) as caught:
        undo_change(root, force=True)
    assert [p.kind for p in caught.value.problems] == ["unsafe_path"]
    assert path != "./a" or f"the journal in .anypatch/{place}" in caught.value.problems[0].detail
    assert snapshot(tmp_path) == before


@pytest.mark.parametrize("signer", [b"k" * 32, b""])
@pytest.mark.parametrize("place", ["tx", "undo.20990101-000000-0000.1", "redo.20990101-000000-0000.1"])
def test_a_planted_journal_makes_recovery_write_nothing(tmp_path: Path, place: str, signer: bytes) -> None:
    put(tmp_path, "a", b"0")
    load_key(make=True)
    forge(tmp_path / ".anypatch" / place, "new.txt", signer)
    before = snapshot(tmp_path)
    for action in (lambda: undo_change(tmp_path), lambda: apply(tmp_path, FileChange("b", None, File(b"x")))):
        assert refusal(action) == ["foreign_journal"]
    assert snapshot(tmp_path) == before
    assert [p.kind for p in anypatch.recover(tmp_path).problems] == ["foreign_journal"]
    forge(tmp_path / ".anypatch" / place, "new.txt", load_key(make=True))
    if not place.startswith("redo"):
        assert anypatch.recover(tmp_path).ok
        assert (tmp_path / "new.txt").read_bytes() == b"planted", "the same journal is used if it is signed"
