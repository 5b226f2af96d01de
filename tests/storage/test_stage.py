"""Staging: room, writable folders, owner, mode, attributes and access lists of new files."""

from __future__ import annotations

import errno
import os
import shutil
import struct
from pathlib import Path
from stat import S_ISDIR

import pytest

import anypatch
from anypatch import Settings
from anypatch.model import File, FileChange
from anypatch.problems import Refused
from anypatch.storage import stage
from anypatch.storage.sandbox import Folders
from anypatch.storage.tree import DiskTree, commit
from support.disk_trees import (
    NEW,
    apply,
    change,
    put,
    refusal,
    refused,
    snapshot,
    undo_change,
)

# ── room and folders ──────────────────────────────────────────────────────────────────────────────


def test_room_is_checked_for_large_changes(tmp_path: Path) -> None:
    apply(tmp_path, change(tmp_path, "a", b"x" * (2 << 20)), change(tmp_path, "d/b", b""), change(tmp_path, "d/c", b""))
    assert (tmp_path / "a").stat().st_size == 2 << 20


def test_too_little_room_is_refused_before_anything_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = os.fstatvfs

    def full(fd: int) -> object:
        facts = list(real(fd))
        facts[4] = 1  # f_bavail
        return os.statvfs_result(facts)

    monkeypatch.setattr(os, "fstatvfs", full)
    apply(tmp_path, change(tmp_path, "small", b"x" * ((1 << 20) - 1)))
    undo_change(tmp_path)
    shutil.rmtree(tmp_path / ".anypatch")
    with pytest.raises(Refused) as caught:
        apply(tmp_path, change(tmp_path, "a", b"x" * (1 << 20)))
    assert [(p.kind, p.detail) for p in caught.value.problems] == [
        ("io", "the disk doesn't have 1 MiB of free space and a reserve of a fifth")
    ]
    assert sorted(os.listdir(tmp_path / ".anypatch")) == [".gitignore", "lock"]


def test_missing_folders_that_cannot_be_opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folders = Folders(str(tmp_path))

    def broken(*_: object) -> int:
        raise OSError(errno.EIO, "broken")

    monkeypatch.setattr(Folders, "fd", broken)
    assert refusal(lambda: stage._is_missing(folders, "x")) == ["io"]
    folders.close()


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


# ── metadata ──────────────────────────────────────────────────────────────────────────────────────


def test_moves_keep_attributes(tmp_path: Path) -> None:
    place = put(tmp_path, "a", b"x\n", 0o640)
    try:
        os.setxattr(place, "user.note", b"kept")
    except OSError:
        pytest.skip("no extended attributes here")
    patch = "diff --git a/a b/sub/b\nrename from a\nrename to sub/b\n"
    report = anypatch.apply(patch, tmp_path)
    assert report.ok, report.problems
    assert os.getxattr(tmp_path / "sub/b", "user.note") == b"kept"
    assert (tmp_path / "sub/b").stat().st_mode & 0o777 == 0o640


def test_new_files_get_the_group_of_a_setgid_folder(tmp_path: Path) -> None:
    if os.geteuid():
        pytest.skip("only root gives files away")
    os.chown(tmp_path, -1, 1234)
    tmp_path.chmod(0o2755)
    apply(tmp_path, change(tmp_path, "new", b"x"))
    assert (tmp_path / "new").stat().st_gid == 1234


def test_new_files_in_a_folder_of_another_group(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    edits = [change(tmp_path, name, b"x") for name in ("new", "made/deep/new")]
    given: list[tuple[int, int]] = []
    real = os.fstat

    def fstat(fd: int) -> os.stat_result:
        facts = real(fd)
        return os.stat_result((0o42755, *facts[1:5], 4321, *facts[6:])) if S_ISDIR(facts.st_mode) else facts

    monkeypatch.setattr(os, "fchown", lambda fd, user, group: given.append((user, group)))
    monkeypatch.setattr(os, "fstat", fstat)
    apply(tmp_path, *edits)
    assert given == [(-1, 4321)] * 2, "also if the folder is still to be made"


def test_a_security_label_that_may_not_be_set(monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: object) -> None:
        raise OSError(errno.EPERM, "no")

    monkeypatch.setattr(os, "setxattr", refused)
    stage._set_attribute(0, "security.selinux", b"x")
    with pytest.raises(OSError, match="no"):
        stage._set_attribute(0, "user.note", b"x")


def test_what_new_files_inherit_is_read_once_for_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    real = os.getxattr

    def getxattr(path: int, name: str) -> bytes:
        asked.append(name)
        return real(path, name)

    monkeypatch.setattr(os, "getxattr", getxattr)
    (tmp_path / "x").mkdir()
    apply(tmp_path, *(FileChange(f"x/{name}", None, File(NEW)) for name in "abc"), FileChange("d", None, File(NEW)))
    assert asked == [stage.DEFAULT_ACL] * 2


# ── access control lists ──────────────────────────────────────────────────────────────────────────


ACCESS, DEFAULT = "system.posix_acl_access", "system.posix_acl_default"


def access_list(*rows: tuple[int, int, int]) -> bytes:
    return struct.pack("<I", 2) + b"".join(struct.pack("<HHI", *row) for row in rows)


def rights(place: Path) -> tuple[int, bytes]:
    return place.stat().st_mode & 0o7777, os.getxattr(place, ACCESS) if ACCESS in os.listxattr(place) else b""


NOBODY = 0xFFFFFFFF


LISTS = [
    access_list((1, 7, NOBODY), (2, 7, 4321), (4, 5, NOBODY), (16, 7, NOBODY), (32, 0, NOBODY)),
    access_list((1, 6, NOBODY), (4, 7, NOBODY), (8, 7, 99), (16, 5, NOBODY), (32, 5, NOBODY)),
    access_list((1, 7, NOBODY), (4, 7, NOBODY), (32, 4, NOBODY)),
    b"",
]


@pytest.mark.parametrize("umask", [0o022, 0o077, 0o002])
@pytest.mark.parametrize("rules", LISTS, ids=["user", "group", "no mask", "none"])
def test_a_new_file_has_the_rights_that_the_kernel_would_give_it(tmp_path: Path, rules: bytes, umask: int) -> None:
    """Files and folders that are made there by hand have the same rights."""
    if rules:
        os.setxattr(tmp_path, DEFAULT, rules)
    put(tmp_path, "old", b"x", 0o640)
    for name in os.listxattr(tmp_path / "old"):
        os.removexattr(tmp_path / "old", name)
    before = os.umask(umask)
    try:
        apply(tmp_path, change(tmp_path, "old", b"y"), change(tmp_path, "plain", b"x"),
              change(tmp_path, "below/run", b"x", 0o755), change(tmp_path, "below/own", b"x", 0o600))  # fmt: skip
        os.mkdir(tmp_path / "made")
        for name, mode in (("plain", 0o666), ("run", 0o777)):
            os.close(os.open(tmp_path / "made" / name, os.O_CREAT | os.O_WRONLY, mode))
    finally:
        os.umask(before)
    assert rights(tmp_path / "old") == (0o640, b""), "an edited file inherits nothing"
    assert rights(tmp_path / "plain") == rights(tmp_path / "made/plain")
    assert rights(tmp_path / "below/run") == rights(tmp_path / "made/run")
    assert rights(tmp_path / "below") == rights(tmp_path / "made")
    assert (tmp_path / "below/own").stat().st_mode & 0o700 == 0o600
    undo_change(tmp_path)
    assert not (tmp_path / "plain").exists() and rights(tmp_path / "old")[0] == 0o640


@pytest.mark.parametrize("call", ["getxattr", "removexattr"])
def test_systems_without_access_lists_and_lists_that_cannot_be_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: str
) -> None:
    edit = change(tmp_path, "a", b"x")

    def broken(*_: object) -> bytes:
        raise OSError(errno.EIO, "broken")

    with monkeypatch.context() as patched:
        patched.setattr(os, call, broken)
        assert refusal(lambda: apply(tmp_path, edit)) == ["io"]
    assert snapshot(tmp_path) == {}

    def none(*_: object) -> bytes:
        raise OSError(errno.ENODATA, "there is none")

    with monkeypatch.context() as patched:
        patched.setattr(os, call, none)
        apply(tmp_path, edit, change(tmp_path, "all", b"x", 0o666))
    assert (tmp_path / "all").stat().st_mode & 0o777 == 0o666, "any other mode is exact"
    undo_change(tmp_path)
    monkeypatch.delattr(os, call)
    apply(tmp_path, edit)
    assert (tmp_path / "a").read_bytes() == b"x"
