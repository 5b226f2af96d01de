"""Mounts below the root: what can't be written is found before the first exchange, and rolling back goes on."""

from __future__ import annotations

import errno
import os
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
from anypatch.storage.swap import Job
from anypatch.storage.tree import DiskTree, redo, undo
from support.disk_trees import (
    apply,
    change,
    put,
    refused,
    snapshot,
)

Lock = Callable[[Path], None]


@pytest.fixture
def mounted() -> Iterator[Lock]:
    """Make a folder a mount of its own; skip the test if that isn't possible."""
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


def test_apply_leaves_the_tree_untouched(tmp_path: Path, read_only: Lock) -> None:
    put(tmp_path, "a.txt", b"one\n")
    put(tmp_path, "locked/b.txt", b"one\n")
    old = snapshot(tmp_path)
    read_only(tmp_path / "locked")
    block = "{}\n<<<<<<< SEARCH\none\n=======\ntwo\n>>>>>>> REPLACE\n"
    report = anypatch.apply(block.format("a.txt") + block.format("locked/b.txt"), tmp_path)
    assert [(p.kind, p.path) for p in report.problems] == [("io", "locked/b.txt")]
    assert snapshot(tmp_path) == old
    assert not anypatch.recover(tmp_path).problems


def test_undo_and_redo_find_a_read_only_mount_as_early(tmp_path: Path, read_only: Lock) -> None:
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
def test_a_folder_that_has_become_a_mount_is_named_and_left(
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


# ── rolling back goes on ──────────────────────────────────────────────────────────────────────────


def test_rolling_back_skips_a_path_that_never_changed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, read_only: Lock
) -> None:
    """As if the folder had become read-only just after it was checked."""
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


def test_a_path_that_cannot_be_restored_does_not_stop_the_others(
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


def test_a_folder_that_cannot_be_removed_is_refused(tmp_path: Path, read_only: Lock) -> None:
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


def test_a_folder_that_cannot_be_opened_to_be_synced_undoes_the_change(
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
