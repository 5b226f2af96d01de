"""What the tests of the writer share: small trees, their snapshots, changes, and calls that fail."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from anypatch.model import LINK, File, FileChange, Receipt
from anypatch.problems import KINDS, Refused
from anypatch.storage.state import Settings
from anypatch.storage.tree import DiskTree, commit, undo

Snapshot = dict[str, tuple[str, bytes, int]]


def snapshot(root: Path) -> Snapshot:
    """Every name below the root outside the state directory: what it is, its bytes, its mode."""
    found: Snapshot = {}
    for place in sorted(root.rglob("*")):
        name = place.relative_to(root).as_posix()
        if ".anypatch" in name.split("/"):
            continue
        mode = place.lstat().st_mode & 0o7777
        if place.is_symlink():
            found[name] = ("link", os.fsencode(os.readlink(place)), 0)
        elif place.is_dir():
            found[name] = ("dir", b"", mode)
        elif place.is_file():
            found[name] = ("file", place.read_bytes(), mode)
        else:
            found[name] = ("special", b"", mode)
    return found


def put(root: Path, path: str, data: bytes, mode: int = 0o644) -> Path:
    place = root / path
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_bytes(data)
    place.chmod(mode)
    return place


def change(root: Path, path: str, data: bytes | None, mode: int | None = None) -> FileChange:
    """From what stands there now to `data`, the mode kept where none is given."""
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


def take_back(root: Path, name: str = "", force: bool = False) -> Receipt:
    with DiskTree(str(root)) as tree:
        return undo(tree, name, force=force)


class Fault:
    """The n-th call fails; `fired` tells whether there was one."""

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


def fresh(tmp_path: Path, number: int) -> tuple[Path, tuple[FileChange, ...]]:
    """A small tree and changes of every sort."""
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
