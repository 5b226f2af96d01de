"""All or nothing: one call fails, at every place, in commit and in undo."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import anypatch
from anypatch.problems import KINDS, Refused
from anypatch.storage import syscalls
from anypatch.storage.tree import DiskTree, commit, receipts, undo
from support.disk_trees import (
    Snapshot,
    apply,
    change,
    fail_nth,
    kinds,
    put,
    refusal,
    snapshot,
    tree_and_changes,
    undo_change,
)

# fmt: off
CALLS = [
    "open", "write", "close", "rename", "link", "unlink", "mkdir", "rmdir", "fchmod", "fstat", "stat", "read",
    "fchown", "listxattr", "listdir", "urandom", "fsync", "symlink", "readlink", "chown",
]
# fmt: on


ERRORS = [errno.ENOSPC, errno.EIO, errno.EACCES, errno.EPERM, errno.EROFS, errno.EMFILE]


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("number", [*ERRORS, 0, -1], ids=[*(errno.errorcode[e] for e in ERRORS), "INT", "INT-late"])
def test_commit_is_all_or_nothing_whichever_call_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: str, number: int
) -> None:
    if not hasattr(os, call):
        pytest.skip("no such call on this system")
    wanted, changes = tree_and_changes(tmp_path, 0)
    apply(wanted, *changes)
    new = snapshot(wanted)
    # Every place is interrupted both ways. Each error is raised at every third place, so each place has two of them.
    first, step = (1 + ERRORS.index(number) % 3, 3) if number > 0 else (1, 1)
    for at in range(first, 10_000, step):
        root, changes = tree_and_changes(tmp_path, at)
        old = snapshot(root)
        error = OSError(number, "injected") if number > 0 else KeyboardInterrupt()
        refused: Refused | None = None
        signed = True
        with DiskTree(str(root)) as tree, monkeypatch.context() as patched:
            fault = fail_nth(patched, call, at, error, late=number < 0)
            try:
                commit(tree, changes, format="chunk", description="")
                signed = not tree.notes
            except Refused as caught:
                refused = caught
            except KeyboardInterrupt:
                # Before the first byte is staged an interrupt may pass through.
                assert snapshot(root) == old
                continue
        if not fault.fired:
            break
        check_after_fault(root, refused, old, new, signed)


def check_after_fault(root: Path, refused: Refused | None, old: Snapshot, new: Snapshot, signed: bool) -> None:
    if refused is None and not signed:
        assert snapshot(root) == new  # a key that can't be read doesn't stop a change
    elif refused is None:
        assert snapshot(root) == new
        with DiskTree(str(root)) as tree:
            assert len(receipts(tree)) == 1
            undo(tree)
        assert snapshot(root) == old
    else:
        assert snapshot(root) == old
        assert set(kinds(refused)) <= {"io", "stale"}
        state = root / ".anypatch"
        assert not state.exists() or set(os.listdir(state)) <= {".gitignore", "lock"}
        with DiskTree(str(root)) as tree:
            assert receipts(tree) == ()


UNDOING = ["open", "write", "rename", "link", "unlink", "fchmod", "close", "stat", "rmdir"]


@pytest.mark.parametrize(("number", "call"), [*((n, call) for n in (errno.EIO, 0) for call in UNDOING), (-1, "rename")])
def test_undo_is_all_or_nothing_whichever_call_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: str, number: int
) -> None:
    for at in range(2 if number == 0 else 1, 10_000, 2 if number >= 0 else 1):
        root, changes = tree_and_changes(tmp_path, at)
        old = snapshot(root)
        apply(root, *changes)
        new = snapshot(root)
        outcome = ""
        with DiskTree(str(root)) as tree:
            with monkeypatch.context() as patched:
                error = OSError(number, "injected") if number > 0 else KeyboardInterrupt()
                fault = fail_nth(patched, call, at, error, late=number < 0)
                try:
                    undo(tree)
                except Refused as refused:
                    outcome = kinds(refused)[0]
                except KeyboardInterrupt:
                    outcome = "interrupted"
            assert outcome in ("", "io", "no_receipt", "interrupted")
            left_folder = call == "rmdir" and fault.fired  # a folder that can't be removed isn't a failure
            assert left_folder or snapshot(root) == (new if outcome else old)
            if not fault.fired:
                break
            if outcome:
                undo(tree)
            assert left_folder or snapshot(root) == old


def test_short_writes_are_finished(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put(tmp_path, "a", b"old" * 100)
    edit = change(tmp_path, "a", b"new" * 1000)
    real = os.write
    with monkeypatch.context() as patched:
        patched.setattr(os, "write", lambda fd, data: real(fd, bytes(data)[:7]))
        apply(tmp_path, edit)
    assert (tmp_path / "a").read_bytes() == b"new" * 1000
    undo_change(tmp_path)
    assert (tmp_path / "a").read_bytes() == b"old" * 100


def test_without_hard_links(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As on FAT: everything works, and after a failure the bytes are put back in another way."""

    def no_link(*_: object, **__: object) -> None:
        raise OSError(errno.EPERM, "no hard links")

    monkeypatch.setattr(os, "link", no_link)
    root, changes = tree_and_changes(tmp_path, 0)
    old = snapshot(root)
    stale = (root / "c").read_bytes()
    (root / "c").write_bytes(b"by hand")
    assert refusal(lambda: apply(root, *changes)) == ["stale"]
    (root / "c").write_bytes(stale)
    assert snapshot(root) == old
    put(root, "src/new", b"theirs")
    assert refusal(lambda: apply(root, *changes)) == ["stale"]
    (root / "src/new").unlink()
    apply(root, *changes)
    undo_change(root)
    assert snapshot(root) == old


def test_what_cannot_be_put_back_now_is_reported_and_recovered_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(tmp_path, "a", b"old a")
    put(tmp_path, "b", b"old b")
    old = snapshot(tmp_path)
    changes = change(tmp_path, "a", b"new a"), change(tmp_path, "b", b"new b")
    done: list[str] = []
    real = syscalls.exchange

    def exchange(*names: Any) -> None:
        if done:
            raise OSError(errno.EROFS, "read-only")
        real(*names)
        done.append(names[3])

    with monkeypatch.context() as patched, pytest.raises(Refused) as caught:
        patched.setattr(syscalls, "exchange", exchange)
        apply(tmp_path, *changes)
    first, left = caught.value.problems
    assert (first.kind, first.path, left.kind, left.path) == ("io", "b", "unsettled", "a")
    assert "anypatch recover" in left.command and "put back" not in KINDS["io"].title
    assert (tmp_path / "a").read_bytes() == b"new a"
    report = anypatch.recover(tmp_path)
    assert report.ok and "was rolled back" in report.notes[0].text
    assert snapshot(tmp_path) == old
    assert anypatch.recover(tmp_path).notes == ()


def test_a_third_file_is_not_overwritten_when_putting_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put(tmp_path, "a", b"old a")
    changes = change(tmp_path, "a", b"new a"), change(tmp_path, "b", b"new b")

    def rename_noreplace(*_: object) -> None:
        (tmp_path / "other").write_bytes(b"theirs")
        (tmp_path / "other").replace(tmp_path / "a")
        raise OSError(errno.EIO, "broken")

    with monkeypatch.context() as patched, pytest.raises(Refused) as caught:
        patched.setattr(syscalls, "rename_noreplace", rename_noreplace)
        apply(tmp_path, *changes)
    assert [(p.kind, p.path) for p in caught.value.problems] == [("io", "b"), ("conflict", "a")]
    assert (tmp_path / "a").read_bytes() == b"theirs"
    kept = caught.value.problems[1].detail.split(" ")[-1]
    assert (tmp_path / kept / "0").read_bytes() == b"old a"
    assert apply(tmp_path, change(tmp_path, "a", b"on we go")).id


@pytest.mark.parametrize("late", [False, True])
def test_an_interrupt_while_putting_back_does_not_stop_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, late: bool
) -> None:
    root, changes = tree_and_changes(tmp_path, 0)
    (root / "c").write_bytes(b"by hand")
    old = snapshot(root)
    for call in ("rename", "unlink", "stat"):
        real: Callable[..., object] = getattr(os, call)
        seen: list[int] = []

        def interrupted(*arguments: object, real: Callable[..., object] = real, **named: object) -> object:
            # `c` is the last change, and stale: installing makes fewer calls of each sort than these.
            seen.append(1)  # noqa: B023
            if len(seen) not in (3, 5):  # noqa: B023
                return real(*arguments, **named)
            if late:
                real(*arguments, **named)
            raise KeyboardInterrupt

        with monkeypatch.context() as patched:
            patched.setattr(os, call, interrupted)
            with DiskTree(str(root)) as tree, pytest.raises(Refused):
                commit(tree, changes, format="", description="")
        assert len(seen) >= 3
        assert snapshot(root) == old
