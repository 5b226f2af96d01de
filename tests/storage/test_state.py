"""The state directory: settings, the lock, files in it, the names of receipts, pruning."""

from __future__ import annotations

import errno
import fcntl
import os
import pwd
import subprocess
from pathlib import Path

import pytest

import anypatch
from anypatch import Settings
from anypatch.model import File, FileChange
from anypatch.storage import state
from anypatch.storage.state import user
from anypatch.storage.tree import DiskTree, commit, receipts, undo
from support.disk_trees import (
    HUNKS,
    NEW,
    OLD,
    PROGRAM,
    apply,
    change,
    fail_nth,
    interrupt,
    put,
    refusal,
    undo_change,
)


def kinds_of(report: anypatch.Result) -> list[str]:
    return [problem.kind for problem in report.problems]


@pytest.mark.parametrize("wrong", [{"durability": "some"}, {"hardlinks": "cut"}, {"keep": 0}, {"lock_timeout": -1}])
def test_settings_that_are_not_allowed(wrong: dict[str, object]) -> None:
    with pytest.raises(ValueError, match=r"must be one of|at least 1"):
        Settings(**wrong).checked()  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"limits must be"):
        Settings(limits={"files": 1}).checked()  # type: ignore[arg-type]


# ── opening and locking ───────────────────────────────────────────────────────────────────────────


def test_two_processes_make_the_state_directory_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = os.mkdir

    def mkdir(*arguments: object, **named: object) -> None:
        real(*arguments, **named)  # type: ignore[arg-type]
        raise FileExistsError(errno.EEXIST, "there")

    monkeypatch.setattr(os, "mkdir", mkdir)
    with DiskTree(str(tmp_path)) as tree:
        assert tree.state(make=True) is not None


@pytest.mark.parametrize("planted", ["link", "dangling", "file"])
def test_a_planted_state_directory(tmp_path: Path, planted: str) -> None:
    root, outside = tmp_path / "root", tmp_path / "outside"
    put(root, "a", b"old")
    outside.mkdir()
    if planted == "file":
        (root / ".anypatch").write_bytes(b"")
    else:
        (root / ".anypatch").symlink_to(outside if planted == "link" else tmp_path / "nowhere")
    assert refusal(lambda: apply(root, change(root, "a", b"new"))) == ["unsafe_path"]
    assert refusal(lambda: undo_change(root)) == ["unsafe_path"]
    assert (root / "a").read_bytes() == b"old" and os.listdir(outside) == []
    assert not (tmp_path / "nowhere").exists()


def test_a_state_directory_that_vanishes_is_made_again(tmp_path: Path) -> None:
    with DiskTree(str(tmp_path)) as tree:
        held = tree.state(make=True)
        assert held is not None
        fd = state._open_lock_file(held)
        os.unlink(tmp_path / ".anypatch/lock")
        os.close(fd)
        state.lock(held, 1)
        assert (tmp_path / ".anypatch/lock").exists()


def test_the_state_can_be_in_another_folder(tmp_path: Path) -> None:
    root, elsewhere = tmp_path / "root", tmp_path / "state/deep"
    other = tmp_path / "other"
    for tree in (root, other):
        put(tree, "a", b"1\n2\n3\n")
    settings = Settings(state_dir=str(elsewhere))
    assert anypatch.log(root, settings=settings) == ()
    assert anypatch.apply(HUNKS, root, settings=settings).ok
    assert not (root / ".anypatch").exists()
    assert len(anypatch.log(root, settings=settings)) == 1 and anypatch.log(other, settings=settings) == ()
    assert kinds_of(anypatch.undo(other, settings=settings)) == ["no_receipt"]
    assert anypatch.undo(root, settings=settings).ok
    assert (root / "a").read_bytes() == b"1\n2\n3\n"


def test_only_the_user_can_read_the_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "home"))
    put(tmp_path, "root/a", OLD, 0o600)
    before = os.umask(0)
    try:
        for elsewhere in ("", str(tmp_path / "state")):
            with DiskTree(str(tmp_path / "root"), Settings(state_dir=elsewhere)) as tree:
                commit(tree, (FileChange("a", tree.read("a"), File(NEW, 0o600)),), format="", description="")
                undo(tree)
    finally:
        os.umask(before)
    for place in (tmp_path / "home/anypatch", tmp_path / "root/.anypatch", tmp_path / "state"):
        found = {part.stat().st_mode & 0o7777 for part in place.rglob("*") if part.is_file()}
        folders = {part.stat().st_mode & 0o7777 for part in (place, *place.rglob("*")) if part.is_dir()}
        assert (found, folders) == ({0o600}, {0o700}), place


def test_a_lock_that_is_held_is_waited_for_then_reported(tmp_path: Path) -> None:
    put(tmp_path, "a", b"1\n2\n3\n")
    apply(tmp_path, change(tmp_path, "b", b"x"))
    with (tmp_path / ".anypatch/lock").open("rb") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        short = Settings(lock_timeout=0.05)
        assert kinds_of(anypatch.apply(HUNKS, tmp_path, settings=short)) == ["locked"]
        assert kinds_of(anypatch.undo(tmp_path, settings=short)) == ["locked"]
        assert anypatch.preview(HUNKS, tmp_path, settings=short).ok, "reading needs no lock"
        run = [PROGRAM, "apply", "--root", str(tmp_path), "--lock-timeout", "0.1"]
        done = subprocess.run(run, input=HUNKS, capture_output=True, text=True, check=False)
        assert done.returncode == 3 and "another process" in done.stderr
    assert anypatch.apply(HUNKS, tmp_path, settings=short).ok


def test_a_removed_lock_file_does_not_lock(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = state._open_lock_file
    calls: list[int] = []

    def lock_file(held: state.State) -> int:
        fd = real(held)
        calls.append(fd)
        if len(calls) == 1:
            os.unlink("lock", dir_fd=held.fd)
        return fd

    monkeypatch.setattr(state, "_open_lock_file", lock_file)
    with DiskTree(str(tmp_path)) as tree:
        assert tree.lock(make=True) and len(calls) == 2


def test_a_lock_that_failed_is_tried_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise OSError(errno.EIO, "broken")

    with DiskTree(str(tmp_path)) as tree:
        with monkeypatch.context() as patched:
            patched.setattr(fcntl, "flock", broken)
            assert refusal(lambda: tree.lock(make=True)) == ["io"]
        assert tree.lock(make=True)
        with (tmp_path / ".anypatch/lock").open("rb") as other, pytest.raises(BlockingIOError):
            fcntl.flock(other, fcntl.LOCK_EX | fcntl.LOCK_NB)


def test_a_user_without_a_name_has_a_number() -> None:
    assert user(0) == f"{pwd.getpwuid(0).pw_name} (uid 0)" and user(4_000_000_001) == "uid 4000000001"


def test_the_advice_names_the_owner_of_the_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    interrupt(tmp_path, monkeypatch)
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


# ── files in it ───────────────────────────────────────────────────────────────────────────────────


def test_a_file_that_cannot_be_written_completely_is_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    edit = change(tmp_path, "a", NEW)
    with monkeypatch.context() as patched:
        fail_nth(patched, "write", 1, OSError(errno.ENOSPC, "full"))
        assert refusal(lambda: apply(tmp_path, edit)) == ["io"]
    assert os.listdir(tmp_path / ".anypatch") == []
    apply(tmp_path, edit)
    assert (tmp_path / ".anypatch/.gitignore").read_bytes() == b"*\n"


def test_a_disk_that_accepts_no_byte(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "write", lambda fd, data: 0)
    with pytest.raises(OSError, match=os.strerror(errno.EIO)):
        state.write_all(0, b"x")


def test_discarding_a_folder_that_does_not_exist(tmp_path: Path) -> None:
    fd = os.open(tmp_path, os.O_RDONLY)
    state.discard(fd, "nothing")
    os.close(fd)


# ── receipts by name ──────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    "name",
    [
        "lock",
        "20261115-214403-3f29",
        "20261115-214403-3f29.x",
        "20261115-214403-3f29.1.gone",
        "20261115-214403-3f29.1.undone",
        "20261115-214403-3f29.1.undone.1",
        "20261115-214403-3f29.x1",
        "20261115-214403-3f29.1\n",
        "20261115-214403-zzzz.1",
        "20261115-214403-zf29.1",
        "2026111x-214403-3f29.1",
        "20261115-214403-3f29." + "9" * 16,
    ],
)
def test_folders_that_are_not_receipts(name: str) -> None:
    assert state.parse_receipt_name(name) is None


def test_names_of_receipts() -> None:
    for size in (1, 10**15 - 1):
        folder = f"20130526-174809-3f29.{size}"
        assert state.parse_receipt_name(folder) == state.ReceiptName("20130526-174809-3f29", size, "", folder)
    undone = "20130526-174809-3f29.1.undone.20130526-174810-0000"
    assert state.parse_receipt_name(undone) == (*undone.split(".")[:1], 1, "20130526-174810-0000", undone)


def test_ids_increase_when_the_clock_goes_back() -> None:
    last = state.ReceiptName("20261115-214403-3f29", 1, "", "")
    assert state.new_id([last], 0) == "20261115-214403-3f2a"
    assert state.new_id([last], 4e9) > last.id
    same = last._replace(id=state._id(int(1.5 * 65536)))
    assert state.new_id([same], 1.5) > same.id, "or doesn't move"
    undone = last._replace(undone="20261115-214403-5000")
    assert state.new_id([undone], 0) == "20261115-214403-5001"
    full = last._replace(id="20261115-214403-fff5")
    first = state._id(0)
    assert state.new_id([full], 0) == first
    assert state.new_id([full, last._replace(id=first)], 0) == state._id(1)


# ── pruning ───────────────────────────────────────────────────────────────────────────────────────


def test_old_receipts_are_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put(tmp_path, "a", b"-1")
    ids = [apply(tmp_path, change(tmp_path, "a", b"%d" % n)).id for n in range(state.KEEP + 3)]
    with DiskTree(str(tmp_path)) as tree:
        assert [receipt.id for receipt in receipts(tree)] == ids[: -state.KEEP - 1 : -1]
        monkeypatch.setattr(state, "KEEP_BYTES", 10)
        last = apply(tmp_path, change(tmp_path, "a", b"x" * 100)).id
        assert [receipt.id for receipt in receipts(tree)] == [last]
    assert sorted(os.listdir(tmp_path / ".anypatch")) == [".gitignore", f"{last}.100", "lock"]


def test_the_guide_says_how_many_receipts_are_kept() -> None:
    guide = (Path(__file__).parent.parents[1] / "docs/guarantees.md").read_text()
    assert f"The last {state.KEEP} receipts are kept, up to {state.KEEP_BYTES >> 20} MB." in guide


def test_receipts_are_removed_if_all_together_are_too_large(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(state, "KEEP_BYTES", 10)
    put(tmp_path, "a", b"-----")
    ids = [apply(tmp_path, change(tmp_path, "a", text)).id for text in (b"12345", b"54321")]
    assert [receipt.id for receipt in anypatch.log(tmp_path)] == ids[::-1]
    put(tmp_path, "b", b"-")
    last = apply(tmp_path, change(tmp_path, "b", b"+")).id
    assert [receipt.id for receipt in anypatch.log(tmp_path)] == [last, ids[1]]


def test_what_cannot_be_pruned_now_is_pruned_later(tmp_path: Path) -> None:
    put(tmp_path, "a", b"0")
    keep_one = Settings(keep=1)
    apply(tmp_path, change(tmp_path, "a", b"1"), settings=keep_one)
    (kept,) = (tmp_path / ".anypatch").glob("2*")
    (kept / "folder").mkdir()
    for text in (b"2", b"3"):
        apply(tmp_path, change(tmp_path, "a", text), settings=keep_one)
    assert len(list((tmp_path / ".anypatch").glob("2*"))) == 2
    (kept / "folder").rmdir()
    apply(tmp_path, change(tmp_path, "a", b"4"), settings=keep_one)
    assert len(list((tmp_path / ".anypatch").glob("2*"))) == 1


def test_planted_receipts_push_no_others_out(tmp_path: Path) -> None:
    (tmp_path / "x.txt").write_text("a\nb\n")
    for number in range(10, 34):
        (tmp_path / ".anypatch" / f"20991116-0000{number}-ffff.4").mkdir(parents=True)
    for old, new in (("a", "A"), ("b", "B")):
        patch = f"*** Begin Patch\n*** Update File: x.txt\n@@\n-{old}\n+{new}\n*** End Patch\n"
        assert anypatch.apply(patch, tmp_path).ok
    assert len(anypatch.log(tmp_path)) == 2
    assert anypatch.undo(tmp_path).ok and anypatch.undo(tmp_path).ok
    assert (tmp_path / "x.txt").read_text() == "a\nb\n"
