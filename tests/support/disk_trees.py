"""Helpers for the tests of storage: small trees, their snapshots, changes, crashed transactions, calls that fail."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from anypatch.model import LINK, File, FileChange, Receipt
from anypatch.problems import KINDS, Refused
from anypatch.storage import journal, transaction
from anypatch.storage.history import Selection
from anypatch.storage.state import Settings
from anypatch.storage.tree import DiskTree, commit, redo, undo

Snapshot = dict[str, tuple[str, bytes, int]]
OLD, NEW, THEIRS = b"old", b"new", b"theirs"
PROGRAM = str(Path(sys.executable).with_name("anypatch"))
HUNKS = "--- a/a\n+++ b/a\n@@ -1 +1 @@\n-1\n+one\n@@ -3 +3 @@\n-3\n+three\n"  # for a file with the lines 1, 2, 3


def snapshot(root: Path) -> Snapshot:
    """Return what is under every name below the root, without the state directory: its type, bytes and mode."""
    entries: Snapshot = {}
    for place in sorted(root.rglob("*")):
        name = place.relative_to(root).as_posix()
        if ".anypatch" in name.split("/"):
            continue
        mode = place.lstat().st_mode & 0o7777
        if place.is_symlink():
            entries[name] = ("link", os.fsencode(os.readlink(place)), 0)
        elif place.is_dir():
            entries[name] = ("dir", b"", mode)
        elif place.is_file():
            entries[name] = ("file", place.read_bytes(), mode)
        else:
            entries[name] = ("special", b"", mode)
    return entries


def put(root: Path, path: str, data: bytes, mode: int = 0o644) -> Path:
    place = root / path
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_bytes(data)
    place.chmod(mode)
    return place


def change(root: Path, path: str, data: bytes | None, mode: int | None = None) -> FileChange:
    """Return the change from the present file to `data`, which keeps the mode if none is given."""
    with DiskTree(str(root)) as tree:
        before = tree.read(path)
    kept = before.mode if before else 0o644
    return FileChange(path, before, None if data is None else File(data, kept if mode is None else mode))


def apply(root: Path, *changes: FileChange, settings: Settings | None = None) -> Receipt:
    with DiskTree(str(root), settings) as tree:
        return commit(tree, changes, format="chunk", description="a test")


def kinds(refused: Refused) -> list[str]:
    assert all(problem.kind in KINDS for problem in refused.problems)
    return [problem.kind for problem in refused.problems]


def refusal(action: Callable[[], object]) -> list[str]:
    with pytest.raises(Refused) as caught:
        action()
    return kinds(caught.value)


def refused(action: Callable[[], object]) -> list[tuple[str, str, str]]:
    """Return kind, path and detail of each problem with which an action is refused."""
    with pytest.raises(Refused) as caught:
        action()
    return [(p.kind, p.path, p.detail) for p in caught.value.problems]


def undo_change(root: Path, name: str = "", force: bool = False) -> Receipt:
    with DiskTree(str(root)) as tree:
        return undo(tree, Selection(name), force=force)


def undo_several(root: Path, settings: Settings | None = None, **selection: Any) -> Receipt:
    with DiskTree(str(root), settings) as tree:
        return undo(tree, Selection(**selection))


def redo_change(root: Path, name: str = "") -> Receipt:
    with DiskTree(str(root)) as tree:
        return redo(tree, name)


def change_two_files(root: Path) -> None:
    put(root, "a", OLD)
    put(root, "b", OLD)
    apply(root, change(root, "a", NEW), change(root, "b", NEW))


def entry_of(path: str = "a", old: bytes | None = OLD, new: bytes | None = NEW, method: str = "") -> journal.Entry:
    before, after = (journal.digest(side) if side is not None else "" for side in (old, new))
    return journal.Entry(0, path, before, after, 0o644 if before else 0, 0o644 if after else 0, method)


def write_crashed(root: Path, folder: str, entry: journal.Entry, slot: bytes) -> None:
    """Write what a process that died leaves in the state directory: a journal of one entry, and its slot."""
    manifest = journal.Manifest("20990101-000000-0000", 0.0, "", "", "", (), (entry,))
    put(root, f".anypatch/{folder}/manifest", journal.to_bytes(manifest, journal.load_key(make=True)))
    put(root, f".anypatch/{folder}/0", slot)


def interrupt(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave a change of `a.txt` that neither ended nor could be rolled back."""

    def fail(*_: object, **__: object) -> None:
        raise OSError(errno.EIO, "injected")

    put(root, "a.txt", b"old\n")
    with monkeypatch.context() as patched:
        patched.setattr(transaction, "touched_folders", fail)
        patched.setattr(transaction, "settle", fail)
        assert "unsettled" in refusal(lambda: apply(root, change(root, "a.txt", b"new\n")))


class Fault:
    """Makes the n-th call fail; `fired` is True once it has. `late`: the call is made before it fails."""

    def __init__(self, real: Callable[..., object], at: int, error: BaseException, late: bool) -> None:
        self.real, self.left, self.error, self.late, self.fired = real, at, error, late, False

    def __call__(self, *arguments: object, **named: object) -> object:
        self.left -= 1
        if self.left:
            return self.real(*arguments, **named)
        self.fired = True
        if self.late:
            self.real(*arguments, **named)
        raise self.error


def fail_nth(patched: pytest.MonkeyPatch, call: str, at: int, error: BaseException, late: bool = False) -> Fault:
    fault = Fault(getattr(os, call), at, error, late)
    patched.setattr(os, call, fault)
    return fault


def tree_and_changes(tmp_path: Path, number: int) -> tuple[Path, tuple[FileChange, ...]]:
    """Make a small tree; return its root, and changes of every sort."""
    root = tmp_path / str(number)
    put(root, "src/a.py", b"old a\r\n" * 50, 0o750)
    put(root, "src/b.py", b"old b")
    put(root, "c", b"old c", 0o600)
    put(root, "src/gone", b"old gone", 0o640)
    (root / "link").symlink_to("src/b.py")
    link = File(b"src/b.py", LINK | 0o777)
    return root, (
        change(root, "src/a.py", b"new a"),
        change(root, "fresh/deep/x", b"new x" * 100, 0o755),
        change(root, "src/gone", None),
        change(root, "src/b.py", b"new b" * 2000),
        change(root, "src/new", b"new"),
        change(root, "c", b"new c", 0o644),
        FileChange("link", link, None),
        FileChange("moved", None, link),
    )
