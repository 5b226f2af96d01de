"""Receipts, undo, redo and recovery on a real disk."""

from __future__ import annotations

import errno
import os
import pwd
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import get_args

import pytest

import anypatch
from anypatch import Settings
from anypatch.hints import Durability
from anypatch.model import LINK, File, FileChange, Receipt
from anypatch.problems import Refused
from anypatch.storage import history, swap, syscalls, transaction
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
    assert {(p.kind, p.path) for p in caught.value.problems} == {
        ("stale", path) for path in ("src/a.py", "src/new", "src/gone")
    }
    with DiskTree(str(root)) as tree:
        assert refusal(lambda: undo(tree)) == ["stale"] * 3
    assert snapshot(root) == edited
    undo_change(root, force=True)
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
    assert ("a", since, "Make the edit again by hand.") not in [
        problem[1:] for problem in problems_of(lambda: again(last))
    ]
    put(tmp_path, "c", b"0")
    stands = apply(tmp_path, change(tmp_path, "c", b"1"))
    undone = apply(tmp_path, change(tmp_path, "c", b"2"))
    undo_change(tmp_path, undone.id)
    put(tmp_path, "c", b"by hand")
    assert problems_of(lambda: again(undone)) == [("stale", "c", since, "Make the edit again by hand.")], stands


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


@pytest.mark.parametrize("call", ["_open_folder", "_read_journal"])
def test_a_receipt_that_vanishes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: str) -> None:
    change_two_files(tmp_path)
    real = getattr(history, call)
    calls: list[int] = []

    def gone(*arguments: object) -> object:
        calls.append(1)
        if len(calls) > 1:
            raise FileNotFoundError(errno.ENOENT, "gone")
        return real(*arguments)

    monkeypatch.setattr(history, call, gone)
    assert refusal(lambda: undo_change(tmp_path)) == ["no_receipt"]


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
    (redo,) = anypatch.redo(tmp_path).problems
    assert (redo.message, redo.hint) == ("there is nothing to redo", "Nothing was undone since the last change.")
    assert anypatch.undo(tmp_path).ok
    (undo,) = anypatch.undo(tmp_path).problems
    assert undo.message == "there is nothing to undo" and "everything has been undone" in undo.hint


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

    monkeypatch.setattr(history, "settle", settle)
    assert refusal(lambda: undo_change(tmp_path)) == ["conflict"]
    assert ((tmp_path / "a").read_bytes(), (tmp_path / "b").read_bytes()) == (THEIRS, NEW)
    assert [receipt.undone for receipt in anypatch.log(tmp_path)] == [False]


def test_undo_that_cannot_be_rolled_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    change_two_files(tmp_path)
    problem = anypatch.Problem("conflict", "theirs", "a")
    monkeypatch.setattr(history, "settle", lambda job, to_old: (problem,))
    assert refusal(lambda: undo_change(tmp_path)) == ["conflict", "conflict"]
    assert list((tmp_path / ".anypatch").glob("conflict.*"))


def test_undo_is_rolled_back_if_its_last_sync_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    change_two_files(tmp_path)
    real = syscalls.sync_all

    def sync_all(fds: object, level: str, count: int) -> None:
        if list((tmp_path / ".anypatch").glob("*.undone")):
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
    last = "*.undone" if not undone else "2*[0-9]"

    def rename(source: str, target: str, **named: int) -> None:
        if list((tmp_path / ".anypatch").glob(last)):
            raise OSError(errno.EROFS, "read-only")
        real(source, target, **named)

    def sync_all(*_: object) -> None:
        if list((tmp_path / ".anypatch").glob(last)):
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


# ── receipts ──────────────────────────────────────────────────────────────────────────────────────


def test_receipts_newest_first_without_what_cannot_be_read(tmp_path: Path) -> None:
    put(tmp_path, "a", b"0", 0o755)
    ids = [apply(tmp_path, change(tmp_path, "a", b"%d" % n)).id for n in (1, 2, 3)]
    state = tmp_path / ".anypatch"
    assert state.stat().st_mode & 0o777 == 0o700 and (state / ".gitignore").read_bytes() == b"*\n"
    for number, planted in enumerate((b'{"version": 1, "id"', b"[" * 100_000, b"anypatch journal 2 \xff\n\n{}")):
        put(tmp_path, f".anypatch/20990101-000000-000{number}.1/manifest", planted)
    (state / "20990101-000000-0003.1").symlink_to("/etc")
    (state / "20990101-000000-0004.1").mkdir()
    os.mkfifo(state / "20990101-000000-0004.1/manifest")
    (state / "20990101-000000-0005.1").write_bytes(b"{}")
    with DiskTree(str(tmp_path)) as tree:
        found = receipts(tree)
    assert [receipt.id for receipt in found] == ids[::-1]
    assert found[0].changes == (FileChange("a", File(b"", 0o755), File(b"", 0o755)),)
    assert undo_change(tmp_path).id == ids[-1]


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


BEFORE = "a\nb\nc\nd\ne\nf\ng\n"


FIRST = "f.txt\n<<<<<<< SEARCH\nb\n=======\nB1\nB2\n>>>>>>> REPLACE\n"


SECOND = "f.txt\n<<<<<<< SEARCH\nd\n=======\nD\n>>>>>>> REPLACE\n"


def test_show_gives_a_change_as_it_was_made_whatever_was_edited_later(tree: Path) -> None:
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


def test_show_without_a_receipt_or_if_the_disk_fails(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made(tree, SECOND)

    def broken(*_: object) -> None:
        raise OSError(5, "broken")

    with monkeypatch.context() as patched:
        patched.setattr(history, "_find_by_id", broken)
        assert [problem.kind for problem in anypatch.show(tree, "2").problems] == ["io"]
    for folder in (tree / ".anypatch").glob("2*"):
        shutil.rmtree(folder)
    assert [problem.kind for problem in anypatch.show(tree).problems] == ["no_receipt"]


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
    (kept,) = (tmp_path / ".anypatch").glob("*.undone")
    assert sorted(os.listdir(kept)) == ["0", "manifest"] and (kept / "0").read_bytes() == NEW


def test_recovery_is_synced_before_the_journal_is_removed(tmp_path: Path, events: list[str]) -> None:
    root = tmp_path / "root"
    put(root, "a", NEW)
    write_crashed(root, "undo.20990101-000000-0000.3", entry_of(), OLD)
    assert anypatch.recover(root).ok
    way = "undo.ID.3"
    assert events == ["exchange a", "fsync root", f"fsync {way}", "rename ID.3.undone", "fsync .anypatch"]
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
