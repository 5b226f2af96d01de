"""Old or new on odd mounts too: what can't be written is found before the first exchange, and taking back goes on."""

from __future__ import annotations

import errno
import os
import pwd
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import anypatch
from anypatch.model import File
from anypatch.problems import Refused
from anypatch.storage import transaction
from anypatch.storage.journal import Entry
from anypatch.storage.sandbox import Folders
from anypatch.storage.state import user
from anypatch.storage.swap import Job
from anypatch.storage.tree import DiskTree, Settings, commit, redo, undo
from support.disk_trees import apply, change, put, snapshot

Lock = Callable[[Path], None]


@pytest.fixture
def mounted() -> Iterator[Lock]:
    """Make a folder a mount of its own; where that isn't possible, the test is skipped."""
    found: list[Path] = []

    def mount(place: Path) -> None:
        try:
            done = subprocess.run(["mount", "--bind", place, place], check=False, capture_output=True).returncode
        except FileNotFoundError:
            done = 1
        if done:
            pytest.skip("nothing can be mounted here")
        found.append(place)

    yield mount
    for place in reversed(found):
        subprocess.run(["umount", place], check=True)


@pytest.fixture
def read_only(mounted: Lock) -> Lock:
    """Make a folder a read-only mount."""

    def mount(place: Path) -> None:
        mounted(place)
        subprocess.run(["mount", "-o", "remount,ro,bind", place], check=True)

    return mount


def refused(action: Callable[[], object]) -> list[tuple[str, str, str]]:
    with pytest.raises(Refused) as caught:
        action()
    return [(p.kind, p.path, p.detail) for p in caught.value.problems]


NO_FOLDER = "its folder can't be written: Read-only file system"


@pytest.mark.parametrize("new", [b"new\n", None], ids=["edit", "delete"])
def test_a_read_only_mount_is_found_before_the_first_exchange(
    tmp_path: Path, read_only: Lock, new: bytes | None
) -> None:
    for path in ("a.txt", "locked/b.txt", "z.txt"):
        put(tmp_path, path, b"old\n")
    old = snapshot(tmp_path)
    changes = [change(tmp_path, path, new) for path in ("a.txt", "locked/b.txt", "z.txt")]
    read_only(tmp_path / "locked")
    inode = (tmp_path / "a.txt").stat().st_ino
    assert refused(lambda: apply(tmp_path, *changes)) == [("io", "locked/b.txt", NO_FOLDER)]
    assert snapshot(tmp_path) == old and (tmp_path / "a.txt").stat().st_ino == inode
    assert not (tmp_path / ".anypatch" / "tx").exists()


def test_a_new_folder_in_a_read_only_mount_is_refused(tmp_path: Path, read_only: Lock) -> None:
    put(tmp_path, "a.txt", b"old\n")
    put(tmp_path, "locked/b.txt", b"old\n")
    old = snapshot(tmp_path)
    changes = change(tmp_path, "a.txt", b"new\n"), change(tmp_path, "locked/deep/er/c.txt", b"new\n")
    read_only(tmp_path / "locked")
    assert refused(lambda: apply(tmp_path, *changes)) == [("io", "locked/deep/er/c.txt", NO_FOLDER)]
    assert snapshot(tmp_path) == old


def test_by_the_front_door_the_tree_is_untouched(tmp_path: Path, read_only: Lock) -> None:
    put(tmp_path, "a.txt", b"one\n")
    put(tmp_path, "locked/b.txt", b"one\n")
    old = snapshot(tmp_path)
    read_only(tmp_path / "locked")
    block = "{}\n<<<<<<< SEARCH\none\n=======\ntwo\n>>>>>>> REPLACE\n"
    report = anypatch.apply(block.format("a.txt") + block.format("locked/b.txt"), tmp_path)
    assert [(p.kind, p.path) for p in report.problems] == [("io", "locked/b.txt")]
    assert snapshot(tmp_path) == old
    assert not anypatch.recover(tmp_path).problems


def test_undo_and_redo_find_it_as_early(tmp_path: Path, read_only: Lock) -> None:
    put(tmp_path, "a.txt", b"old\n")
    put(tmp_path, "locked/b.txt", b"old\n")
    read_only(tmp_path / "locked")
    subprocess.run(["mount", "-o", "remount,rw,bind", tmp_path / "locked"], check=True)
    apply(tmp_path, change(tmp_path, "a.txt", b"new\n"), change(tmp_path, "locked/b.txt", b"new\n"))
    new = snapshot(tmp_path)
    subprocess.run(["mount", "-o", "remount,ro,bind", tmp_path / "locked"], check=True)
    with DiskTree(str(tmp_path)) as tree:
        assert refused(lambda: undo(tree)) == [("io", "locked/b.txt", NO_FOLDER)]
    assert snapshot(tmp_path) == new
    subprocess.run(["mount", "-o", "remount,rw,bind", tmp_path / "locked"], check=True)
    with DiskTree(str(tmp_path)) as tree:
        undo(tree)
    old = snapshot(tmp_path)
    subprocess.run(["mount", "-o", "remount,ro,bind", tmp_path / "locked"], check=True)
    with DiskTree(str(tmp_path)) as tree:
        assert refused(lambda: redo(tree)) == [("io", "locked/b.txt", NO_FOLDER)]
    assert snapshot(tmp_path) == old


@pytest.mark.parametrize("turn", [undo, redo])
def test_a_folder_that_has_become_a_mount_is_told_and_left(
    tmp_path: Path, mounted: Lock, turn: Callable[[DiskTree], object]
) -> None:
    put(tmp_path, "a", b"old\n")
    put(tmp_path, "sub/b", b"old\n")
    apply(tmp_path, *(change(tmp_path, path, b"new\n") for path in ("a", "sub/b", "sub/c")))
    with DiskTree(str(tmp_path)) as tree:
        if turn is redo:
            undo(tree)
    was = snapshot(tmp_path)
    mounted(tmp_path / "sub")
    with DiskTree(str(tmp_path)) as tree, pytest.raises(Refused) as caught:
        turn(tree)
    assert {(p.kind, p.path) for p in caught.value.problems} == {("io", "sub/b"), ("io", "sub/c")}
    assert all("a separate mount" in p.detail and "Unmount" in p.advice for p in caught.value.problems)
    assert snapshot(tmp_path) == was


def test_a_folder_that_may_not_be_written_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put(tmp_path, "a.txt", b"old\n")
    put(tmp_path, "theirs/b.txt", b"old\n")
    old = snapshot(tmp_path)
    changes = change(tmp_path, "a.txt", b"new\n"), change(tmp_path, "theirs/b.txt", b"new\n")
    theirs = (tmp_path / "theirs").stat().st_ino
    real = os.access

    def access(path: str, mode: int, *, dir_fd: int, effective_ids: bool) -> bool:
        if os.fstat(dir_fd).st_ino == theirs and mode & os.W_OK:
            return False
        return real(path, mode, dir_fd=dir_fd, effective_ids=effective_ids)

    monkeypatch.setattr(os, "access", access)
    monkeypatch.setattr(os, "supports_effective_ids", {access})
    denied = f"its folder can't be written: {os.strerror(errno.EACCES)}"
    assert refused(lambda: apply(tmp_path, *changes)) == [("io", "theirs/b.txt", denied)]
    assert snapshot(tmp_path) == old


@pytest.mark.parametrize("gone", [False, True])
def test_a_file_written_in_place_must_be_writable_itself(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, gone: bool
) -> None:
    put(tmp_path, "a.txt", b"old\n")
    linked = put(tmp_path, "b.txt", b"old\n")
    os.link(linked, tmp_path / "c.txt")
    changes = change(tmp_path, "a.txt", b"new\n"), change(tmp_path, "b.txt", b"new\n")
    real = os.access

    def access(path: str, mode: int, *, dir_fd: int, effective_ids: bool) -> bool:
        if path == "b.txt" and mode & os.W_OK:
            if gone:
                linked.unlink()
            return False
        return real(path, mode, dir_fd=dir_fd, effective_ids=effective_ids)

    monkeypatch.setattr(os, "access", access)
    monkeypatch.setattr(os, "supports_effective_ids", {access})
    with DiskTree(str(tmp_path), Settings(hardlinks="keep")) as tree:
        tree.read("b.txt")
        found = refused(lambda: commit(tree, changes, format="", description=""))
    denied = ("io", "b.txt", f"it can't be written: {os.strerror(errno.EACCES)}")
    gone_since = ("stale", "b.txt", "it is no longer the file the edit was made for")
    assert found == [gone_since if gone else denied]
    assert (tmp_path / "a.txt").read_bytes() == b"old\n"


# ── taking back goes on ──────────────────────────────────────────────────────────────────────────


def test_taking_back_goes_on_past_a_path_that_never_changed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, read_only: Lock
) -> None:
    """As if the folder had become read-only just after it was looked at."""
    monkeypatch.setattr(transaction, "check_writable", lambda *_: None)
    for path in ("a.txt", "locked/b.txt", "z.txt"):
        put(tmp_path, path, b"old\n")
    old = snapshot(tmp_path)
    edits = [change(tmp_path, path, b"new\n") for path in ("a.txt", "locked/b.txt", "z.txt")]
    news = [change(tmp_path, path, b"new\n") for path in ("n/x.txt", "locked/deep/er/c.txt")]
    gone = [change(tmp_path, path, None) for path in ("a.txt", "locked/b.txt")]
    read_only(tmp_path / "locked")
    for changes in (edits, news, gone):
        assert {kind for kind, _, _ in refused(lambda changes=changes: apply(tmp_path, *changes))} == {"io"}  # type: ignore[misc]
        assert snapshot(tmp_path) == old
        assert not (tmp_path / ".anypatch" / "tx").exists()


def test_what_cannot_be_put_back_now_does_not_stop_the_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, read_only: Lock
) -> None:
    for path in ("a.txt", "locked/b.txt", "z.txt"):
        put(tmp_path, path, b"old\n")
    old = snapshot(tmp_path)
    changes = [change(tmp_path, path, b"new\n") for path in ("a.txt", "locked/b.txt", "z.txt")]
    read_only(tmp_path / "locked")
    subprocess.run(["mount", "-o", "remount,rw,bind", tmp_path / "locked"], check=True)
    real = transaction.install  # type: ignore[attr-defined]

    def install(job: Job, entry: Entry, before: File | None) -> os.stat_result | None:
        if entry.path == "z.txt":
            subprocess.run(["mount", "-o", "remount,ro,bind", tmp_path / "locked"], check=True)
            raise OSError(errno.EIO, "injected")
        return real(job, entry, before)

    with monkeypatch.context() as patched:
        patched.setattr(transaction, "install", install)
        found = refused(lambda: apply(tmp_path, *changes))
    assert [(kind, path) for kind, path, _ in found] == [("io", "z.txt"), ("unsettled", "locked/b.txt")]
    assert (tmp_path / "a.txt").read_bytes() == b"old\n"
    subprocess.run(["mount", "-o", "remount,rw,bind", tmp_path / "locked"], check=True)
    assert anypatch.recover(tmp_path).ok
    assert snapshot(tmp_path) == old


def test_a_folder_that_stands_and_cannot_be_removed_is_told(tmp_path: Path, read_only: Lock) -> None:
    (tmp_path / "locked" / "made").mkdir(parents=True)
    read_only(tmp_path / "locked")
    folders = Folders(str(tmp_path))
    assert refused(lambda: transaction.remove_folder(folders, "locked/made")) == [
        ("io", "locked/made", os.strerror(errno.EROFS))
    ]
    transaction.remove_folder(folders, "locked/never")
    folders.close()
    shut = NoFolders(str(tmp_path))
    assert refused(lambda: transaction.remove_folder(shut, "a/b")) == [("io", "a/b", os.strerror(errno.EACCES))]
    shut.close()


class NoFolders(Folders):
    def fd(self, folder: str) -> int:
        raise PermissionError(errno.EACCES, folder)


def test_a_folder_that_cannot_be_opened_to_be_synced_takes_the_change_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(tmp_path, "d/a.txt", b"old\n")
    install_all, open_folder = transaction._install_all, Folders.fd

    def then_shut(*arguments: Any) -> None:
        install_all(*arguments)
        monkeypatch.setattr(Folders, "fd", shut_once)

    def shut_once(self: Folders, folder: str) -> int:
        monkeypatch.setattr(Folders, "fd", open_folder)
        raise PermissionError(errno.EACCES, folder)

    monkeypatch.setattr(transaction, "_install_all", then_shut)
    (problem,) = refused(lambda: apply(tmp_path, change(tmp_path, "d/a.txt", b"new\n")))
    assert problem[0] == "io" and (tmp_path / "d/a.txt").read_bytes() == b"old\n"


# ── who can recover ──────────────────────────────────────────────────────────────────────────────


def broken_off(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A change that neither ended nor could be taken back."""

    def fail(*_: object, **__: object) -> None:
        raise OSError(errno.EIO, "injected")

    put(root, "a.txt", b"old\n")
    with monkeypatch.context() as patched:
        patched.setattr(transaction, "touched_folders", fail)
        patched.setattr(transaction, "settle", fail)
        assert "unsettled" in {kind for kind, _, _ in refused(lambda: apply(root, change(root, "a.txt", b"new\n")))}


def test_another_home_is_told_who_can_recover(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = tmp_path / "tree"
    root.mkdir()
    broken_off(root, monkeypatch)
    with monkeypatch.context() as patched:
        patched.setenv("XDG_STATE_HOME", str(tmp_path / "another"))
        who = f"as {pwd.getpwuid(os.geteuid()).pw_name} (uid {os.geteuid()}), with HOME and XDG_STATE_HOME as in"
        (problem,) = anypatch.recover(root).problems
        assert problem.kind == "foreign_journal" and who in problem.advice
        with DiskTree(str(root)) as tree, pytest.raises(Refused) as caught:
            tree.check_settled()
        assert who in caught.value.problems[0].advice
    with DiskTree(str(root)) as tree, pytest.raises(Refused) as caught:
        tree.check_settled()
    assert caught.value.problems[0].advice == "Recover the tree first."
    assert anypatch.recover(root).ok and (root / "a.txt").read_bytes() == b"old\n"
    (root / ".anypatch" / "tx").mkdir()
    with DiskTree(str(root)) as tree, pytest.raises(Refused) as caught:
        tree.check_settled()
    assert caught.value.problems[0].advice == "Recover the tree first."


def test_a_user_without_a_name_is_told_by_number() -> None:
    assert user(0) == f"{pwd.getpwuid(0).pw_name} (uid 0)" and user(4_000_000_001) == "uid 4000000001"


def test_another_user_is_told_whose_the_state_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    broken_off(tmp_path, monkeypatch)
    me, real = os.geteuid(), os.open

    def shut(path: str, flags: int, mode: int = 0o777, *, dir_fd: int | None = None) -> int:
        if path == ".anypatch":
            raise PermissionError(errno.EACCES, path)
        return real(path, flags, mode, dir_fd=dir_fd)

    monkeypatch.setattr(os, "open", shut)
    (problem,) = anypatch.recover(tmp_path).problems
    assert problem.kind == "io" and "belongs to" not in problem.advice
    monkeypatch.setattr(os, "geteuid", lambda: me + 1)
    (problem,) = anypatch.recover(tmp_path).problems
    assert problem.kind == "io" and f"It belongs to {user(me)}" in problem.advice
    (tmp_path / ".anypatch").rename(tmp_path / "away")
    (problem,) = anypatch.recover(tmp_path).problems
    assert problem.kind == "io" and "belongs to" not in problem.advice
