"""Old or new on odd mounts too: what can't be written is found before the first exchange, and taking back goes on."""

from __future__ import annotations

import errno
import os
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import anypatch
from anypatch.disk import DiskTree, Settings, commit, redo, undo
from anypatch.errors import Refused
from disk_trees import apply, change, put, snapshot

Lock = Callable[[Path], None]


@pytest.fixture
def read_only() -> Iterator[Lock]:
    """Make a folder a read-only mount; where that isn't possible, the test is skipped."""
    mounted: list[Path] = []

    def mount(place: Path) -> None:
        try:
            done = subprocess.run(["mount", "--bind", place, place], check=False, capture_output=True).returncode
        except FileNotFoundError:
            done = 1
        if done:
            pytest.skip("nothing can be mounted here")
        mounted.append(place)
        subprocess.run(["mount", "-o", "remount,ro,bind", place], check=True)

    yield mount
    for place in reversed(mounted):
        subprocess.run(["umount", place], check=True)


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
    gone_since = ("stale", "b.txt", "it is no longer the file that the edit was made for")
    assert found == [gone_since if gone else denied]
    assert (tmp_path / "a.txt").read_bytes() == b"old\n"
