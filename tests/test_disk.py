"""The writer on a real disk: every byte and mode, all or nothing under every fault, undo, hostile trees."""

from __future__ import annotations

import errno
import json
import os
import socket
from collections.abc import Callable
from pathlib import Path

import pytest

from anypatch import journal
from anypatch.disk import DiskTree, commit, receipts, undo
from anypatch.errors import KINDS, Refused
from anypatch.model import File, FileChange, Receipt

Snapshot = dict[str, tuple[str, bytes, int]]


def snapshot(root: Path) -> Snapshot:
    """Every name below the root outside the state directory: what it is, its bytes, its mode."""
    found: Snapshot = {}
    for place in sorted(root.rglob("*")):
        name = place.relative_to(root).as_posix()
        if name.split("/")[0] == ".anypatch":
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


def apply(root: Path, *changes: FileChange) -> Receipt:
    with DiskTree(str(root)) as tree:
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


# ── reading ──────────────────────────────────────────────────────────────────────────────────────


def test_read_gives_bytes_and_mode(tmp_path: Path) -> None:
    put(tmp_path, "a/b.txt", b"\xef\xbb\xbfx\r\n\xe9", 0o750)
    with DiskTree(str(tmp_path)) as tree:
        assert tree.read("a/b.txt") == File(b"\xef\xbb\xbfx\r\n\xe9", 0o750)
        assert tree.read("a/none.txt") is None
        assert tree.read("none/none.txt") is None
        assert tree.read("a/b.txt/below") is None


@pytest.mark.parametrize("name", ["missing", "file", "nul\0"])
def test_bad_root(tmp_path: Path, name: str) -> None:
    (tmp_path / "file").write_bytes(b"")
    assert refusal(lambda: DiskTree(f"{tmp_path}/{name}")) == ["bad_root"]


def test_what_is_no_file_is_refused_and_does_not_hang(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "dir").mkdir()
    os.mkfifo(tmp_path / "pipe")
    monkeypatch.chdir(tmp_path)
    with socket.socket(socket.AF_UNIX) as server, DiskTree(str(tmp_path)) as tree:
        server.bind("socket")
        for name in ("dir", "pipe", "socket"):
            assert refusal(lambda name=name: tree.read(name)) == ["not_a_file"]  # type: ignore[misc]
    with DiskTree("/dev") as devices:
        assert refusal(lambda: devices.read("zero")) == ["not_a_file"]


def test_a_huge_sparse_file_is_refused(tmp_path: Path) -> None:
    with (tmp_path / "big").open("wb") as file:
        file.truncate(8 << 30)
    with DiskTree(str(tmp_path)) as tree:
        assert refusal(lambda: tree.read("big")) == ["not_text"]


@pytest.mark.parametrize("call", ["open", "fstat", "read", "close"])
def test_a_failing_read_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: str) -> None:
    put(tmp_path, "a", b"x")
    with DiskTree(str(tmp_path)) as tree, monkeypatch.context() as patched, pytest.raises(Refused) as caught:
        fail_nth(patched, call, 1, OSError(errno.EIO, "broken"))
        tree.read("a")
    assert kinds(caught.value) == ["io"]
    assert caught.value.problems[0].path == "a"
    assert caught.value.problems[0].detail == os.strerror(errno.EIO)


def test_many_folders_leave_no_descriptors(tmp_path: Path) -> None:
    for number in range(200):
        put(tmp_path, f"d{number}/e/f", b"%d" % number)
    count = len(os.listdir("/dev/fd"))
    with DiskTree(str(tmp_path)) as tree:
        for number in [*range(200), 0, 199]:
            assert tree.read(f"d{number}/e/f") == File(b"%d" % number)
        assert len(os.listdir("/dev/fd")) < count + 80
    apply(tmp_path, *(change(tmp_path, f"d{n}/e/f", b"new") for n in range(200)))
    take_back(tmp_path)
    assert len(os.listdir("/dev/fd")) == count


# ── commit ───────────────────────────────────────────────────────────────────────────────────────


def test_create_update_delete(tmp_path: Path) -> None:
    put(tmp_path, "src/a.py", b"old\r\n\xff\xe9", 0o750)
    put(tmp_path, "src/gone.py", b"x", 0o600)
    os.chmod(tmp_path / "src", 0o750)
    receipt = apply(
        tmp_path,
        change(tmp_path, "src/a.py", b"\xef\xbb\xbfnew\r\n\xe9"),
        change(tmp_path, "src/gone.py", None),
        change(tmp_path, "new/deep/run.sh", b"#!/bin/sh\n", 0o755),
        change(tmp_path, "empty", b""),
    )
    found = snapshot(tmp_path)
    assert {name: entry for name, entry in found.items() if entry[0] == "file"} == {
        "src/a.py": ("file", b"\xef\xbb\xbfnew\r\n\xe9", 0o750),
        "new/deep/run.sh": ("file", b"#!/bin/sh\n", 0o755),
        "empty": ("file", b"", 0o644),
    }
    assert found["src"] == ("dir", b"", 0o750)
    assert [c.path for c in receipt.changes] == ["src/a.py", "src/gone.py", "new/deep/run.sh", "empty"]
    assert receipt.format == "chunk" and receipt.description == "a test" and not receipt.undone


def test_a_folder_left_empty_stays(tmp_path: Path) -> None:
    put(tmp_path, "d/only", b"x")
    apply(tmp_path, change(tmp_path, "d/only", None))
    assert list(snapshot(tmp_path)) == ["d"]


def test_equal_bytes_are_not_written(tmp_path: Path) -> None:
    place = put(tmp_path, "a", b"x")
    facts = place.stat()
    receipt = apply(tmp_path, change(tmp_path, "a", b"x"))
    assert (receipt.id, receipt.changes) == ("", ())
    assert (place.stat().st_ino, place.stat().st_mtime_ns) == (facts.st_ino, facts.st_mtime_ns)
    assert not (tmp_path / ".anypatch").exists()


def test_mode_alone_is_a_change_and_setuid_is_never_set(tmp_path: Path) -> None:
    place = put(tmp_path, "a", b"x")
    apply(tmp_path, change(tmp_path, "a", b"x", 0o755))
    assert place.stat().st_mode & 0o7777 == 0o755
    place.chmod(0o6755)
    apply(tmp_path, change(tmp_path, "a", b"y", 0o6755))
    assert place.stat().st_mode & 0o7777 == 0o755


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files away")
def test_owner_is_kept(tmp_path: Path) -> None:
    place = put(tmp_path, "a", b"x", 0o640)
    os.chown(place, 1234, 5678)
    apply(tmp_path, change(tmp_path, "a", b"y"))
    facts = place.stat()
    assert (facts.st_uid, facts.st_gid, facts.st_mode & 0o777) == (1234, 5678, 0o640)


@pytest.mark.skipif(not hasattr(os, "setxattr"), reason="no extended attributes in this Python")
def test_extended_attributes_are_kept(tmp_path: Path) -> None:
    place = put(tmp_path, "a", b"x")
    try:
        os.setxattr(place, "user.note", b"kept")
    except OSError:
        pytest.skip("no extended attributes here")
    apply(tmp_path, change(tmp_path, "a", b"y"))
    assert os.getxattr(place, "user.note") == b"kept"


@pytest.mark.parametrize(
    "spoil",
    [
        lambda place: place.write_bytes(b"by hand"),
        lambda place: place.unlink(),
        lambda place: (place.unlink(), place.mkdir()),
        lambda place: (place.unlink(), place.symlink_to("other")),
    ],
)
@pytest.mark.parametrize("data", [b"new", None])
def test_stale(tmp_path: Path, spoil: Callable[[Path], object], data: bytes | None) -> None:
    put(tmp_path, "first", b"1")
    put(tmp_path, "other", b"2")
    place = put(tmp_path, "a", b"old")
    changes = [change(tmp_path, "first", b"new"), change(tmp_path, "made/x", b"x"), change(tmp_path, "a", data)]
    spoil(place)
    before = snapshot(tmp_path)
    with pytest.raises(Refused) as caught:
        apply(tmp_path, *changes)
    assert kinds(caught.value) == ["stale"] and caught.value.problems[0].path == "a"
    assert snapshot(tmp_path) == before
    assert os.listdir(tmp_path / ".anypatch") == [".gitignore"]


def test_stale_when_a_file_appeared(tmp_path: Path) -> None:
    put(tmp_path, "u", b"1")
    changes = [change(tmp_path, "u", b"2"), change(tmp_path, "a", b"mine")]
    put(tmp_path, "a", b"theirs")
    assert refusal(lambda: apply(tmp_path, *changes)) == ["stale"]
    assert (tmp_path / "a").read_bytes() == b"theirs" and (tmp_path / "u").read_bytes() == b"1"
    (tmp_path / "a").unlink()
    (tmp_path / "a").symlink_to("nowhere")
    assert refusal(lambda: apply(tmp_path, *changes)) == ["stale"]
    assert (tmp_path / "a").is_symlink() and (tmp_path / "u").read_bytes() == b"1"


def test_a_file_or_folder_in_the_way(tmp_path: Path) -> None:
    put(tmp_path, "a", b"x")
    (tmp_path / "d").mkdir()
    before = snapshot(tmp_path)
    with pytest.raises(Refused) as caught:
        apply(tmp_path, FileChange("ok", None, File(b"")), FileChange("a/b/c", None, File(b"")))
    assert kinds(caught.value) == ["not_a_file"] and caught.value.problems[0].path == "a"
    assert refusal(lambda: apply(tmp_path, FileChange("d", None, File(b"")))) == ["not_a_file"]
    assert snapshot(tmp_path) == before


def test_a_hard_link_keeps_the_old_bytes_under_its_other_name(tmp_path: Path) -> None:
    place = put(tmp_path, "a", b"old")
    os.link(place, tmp_path / "b")
    apply(tmp_path, change(tmp_path, "a", b"new"))
    assert (place.read_bytes(), (tmp_path / "b").read_bytes()) == (b"new", b"old")
    assert (tmp_path / "b").stat().st_nlink == 1, "no second name may stay behind in the state directory"


def test_a_failed_commit_leaves_the_very_same_file(tmp_path: Path) -> None:
    place = put(tmp_path, "a", b"old")
    put(tmp_path, "b", b"old")
    facts = place.stat()
    changes = change(tmp_path, "a", b"new"), change(tmp_path, "b", b"new")
    (tmp_path / "b").write_bytes(b"by hand")
    assert refusal(lambda: apply(tmp_path, *changes)) == ["stale"]
    after = place.stat()
    assert (after.st_ino, after.st_mtime_ns, after.st_nlink) == (facts.st_ino, facts.st_mtime_ns, 1)


def test_a_moved_folder_is_not_written_through_an_old_descriptor(tmp_path: Path) -> None:
    root = tmp_path / "root"
    put(root, "d/a", b"old")
    with DiskTree(str(root)) as tree:
        edit = FileChange("d/a", tree.read("d/a"), File(b"new"))
        (root / "d").rename(tmp_path / "outside")
        assert refusal(lambda: commit(tree, (edit,), format="", description="")) == ["stale"]
    assert (tmp_path / "outside/a").read_bytes() == b"old"
    assert os.listdir(tmp_path / "outside") == ["a"]


def test_no_state_directory_no_commit() -> None:
    with DiskTree("/proc") as tree:
        changes = (FileChange("a", None, File(b"x")),)
        assert refusal(lambda: commit(tree, changes, format="", description="")) == ["io"]


# ── faults: one failing call, at every place ─────────────────────────────────────────────────────

# fmt: off
CALLS = [
    "open", "write", "close", "rename", "link", "unlink", "mkdir", "rmdir", "fchmod", "fstat", "stat", "read",
    "fchown", "listxattr", "listdir", "urandom",
]
# fmt: on


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
    return root, (
        change(root, "src/a.py", b"new a"),
        change(root, "fresh/deep/x", b"new x" * 100, 0o755),
        change(root, "src/gone", None),
        change(root, "src/b.py", b"new b" * 2000),
        change(root, "src/new", b"new"),
        change(root, "c", b"new c", 0o644),
    )


ERRORS = [errno.ENOSPC, errno.EIO, errno.EACCES, errno.EPERM, errno.EROFS, errno.EMFILE]


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("number", [*ERRORS, 0, -1], ids=[*(errno.errorcode[e] for e in ERRORS), "INT", "INT-late"])
def test_all_or_nothing_whichever_call_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: str, number: int
) -> None:
    if not hasattr(os, call):
        pytest.skip("no such call on this system")
    wanted, changes = fresh(tmp_path, 0)
    apply(wanted, *changes)
    new = snapshot(wanted)
    for at in range(1, 10_000):
        root, changes = fresh(tmp_path, at)
        old = snapshot(root)
        error = OSError(number, "injected") if number > 0 else KeyboardInterrupt()
        refused: Refused | None = None
        with DiskTree(str(root)) as tree, monkeypatch.context() as patched:
            fault = fail_nth(patched, call, at, error, late=number < 0)
            try:
                commit(tree, changes, format="chunk", description="")
            except Refused as caught:
                refused = caught
            except KeyboardInterrupt:
                # Before the first byte is staged an interrupt may pass through.
                assert snapshot(root) == old
                continue
        if not fault.fired:
            break
        check_after_fault(root, refused, old, new)


def check_after_fault(root: Path, refused: Refused | None, old: Snapshot, new: Snapshot) -> None:
    if refused is None:
        assert snapshot(root) == new
        with DiskTree(str(root)) as tree:
            assert len(receipts(tree)) == 1
            undo(tree)
        assert snapshot(root) == old
    else:
        assert snapshot(root) == old
        assert set(kinds(refused)) <= {"io", "stale"}
        assert not [name for name in os.listdir(root) if name.endswith((".json", ".pending"))]
        with DiskTree(str(root)) as tree:
            assert receipts(tree) == ()


@pytest.mark.parametrize("call", ["open", "write", "rename", "link", "unlink", "fchmod", "close", "stat"])
@pytest.mark.parametrize("number", [errno.EIO, 0])
def test_undo_is_all_or_nothing_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: str, number: int) -> None:
    for at in range(1, 10_000):
        root, changes = fresh(tmp_path, at)
        old = snapshot(root)
        apply(root, *changes)
        new = snapshot(root)
        with DiskTree(str(root)) as tree:
            with monkeypatch.context() as patched:
                error = OSError(number, "injected") if number else KeyboardInterrupt()
                fault = fail_nth(patched, call, at, error)
                try:
                    undo(tree)
                except Refused as refused:
                    assert set(kinds(refused)) <= {"io", "no_receipt"}
                    assert snapshot(root) == new
                except KeyboardInterrupt:
                    assert snapshot(root) in (old, new)
                else:
                    assert snapshot(root) == old
            if not fault.fired:
                break
            if snapshot(root) == new:
                undo(tree)
            assert snapshot(root) == old


def test_short_writes_are_finished(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put(tmp_path, "a", b"old" * 100)
    edit = change(tmp_path, "a", b"new" * 1000)
    real = os.write
    with monkeypatch.context() as patched:
        patched.setattr(os, "write", lambda fd, data: real(fd, bytes(data)[:7]))
        apply(tmp_path, edit)
    assert (tmp_path / "a").read_bytes() == b"new" * 1000
    take_back(tmp_path)
    assert (tmp_path / "a").read_bytes() == b"old" * 100


def test_without_hard_links(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As on FAT: everything works, and a failure puts the bytes back another way."""

    def no_link(*_: object, **__: object) -> None:
        raise OSError(errno.EPERM, "no hard links")

    monkeypatch.setattr(os, "link", no_link)
    root, changes = fresh(tmp_path, 0)
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
    take_back(root)
    assert snapshot(root) == old


def test_what_cannot_be_put_back_is_told_exactly(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put(tmp_path, "a", b"old a")
    put(tmp_path, "b", b"old b")
    changes = change(tmp_path, "a", b"new a"), change(tmp_path, "b", b"new b")
    (tmp_path / "b").write_bytes(b"by hand")
    broken: list[str] = []
    real_open, real_rename = os.open, os.rename

    def rename(old: str, new: str, **named: int) -> None:
        if broken:
            raise OSError(errno.EROFS, "read-only")
        real_rename(old, new, **named)
        broken.append(new)

    def reopen(path: str, flags: int, mode: int = 0o777, **named: int) -> int:
        if broken and flags & os.O_TRUNC:
            raise OSError(errno.EROFS, "read-only")
        return real_open(path, flags, mode, **named)

    with monkeypatch.context() as patched, pytest.raises(Refused) as caught:
        patched.setattr(os, "rename", rename)
        patched.setattr(os, "open", reopen)
        apply(tmp_path, *changes)
    stale, left = caught.value.problems
    assert (stale.kind, stale.path, left.kind, left.path) == ("stale", "b", "io", "a")
    assert "new text" in left.detail and "put back" not in KINDS["io"].advice.replace("Everything was put back", "")
    kept = left.detail.split(" ")[-1]
    assert (tmp_path / kept).read_bytes() == b"old a"
    assert (tmp_path / "a").read_bytes() == b"new a" and (tmp_path / "b").read_bytes() == b"by hand"
    assert not list(tmp_path.glob(".anypatch-*"))


def test_a_third_file_is_not_overwritten_when_putting_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put(tmp_path, "a", b"old a")
    changes = change(tmp_path, "a", b"new a"), change(tmp_path, "b", b"new b")

    def link(old: str, new: str, **named: int) -> None:
        if new == "b":
            (tmp_path / "other").write_bytes(b"theirs")
            (tmp_path / "other").replace(tmp_path / "a")
            raise OSError(errno.EIO, "broken")
        real(old, new, **named)

    real: Callable[..., None] = os.link
    with monkeypatch.context() as patched, pytest.raises(Refused) as caught:
        patched.setattr(os, "link", link)
        apply(tmp_path, *changes)
    assert [(p.kind, p.path) for p in caught.value.problems] == [("io", "b"), ("io", "a")]
    assert (tmp_path / "a").read_bytes() == b"theirs"
    assert (tmp_path / caught.value.problems[1].detail.split(" ")[-1]).read_bytes() == b"old a"


# ── undo ─────────────────────────────────────────────────────────────────────────────────────────


def test_undo_restores_everything(tmp_path: Path) -> None:
    root, changes = fresh(tmp_path, 0)
    old = snapshot(root)
    done = apply(root, *changes)
    assert snapshot(root) != old
    back = take_back(root)
    assert snapshot(root) == old
    assert (back.id, back.changes, back.undone) == (done.id, done.changes, True)
    assert refusal(lambda: take_back(root)) == ["no_receipt"]
    assert refusal(lambda: take_back(root, done.id)) == ["no_receipt"]


def test_undo_goes_further_back_each_time(tmp_path: Path) -> None:
    put(tmp_path, "a", b"0")
    for number in (b"1", b"2", b"3"):
        apply(tmp_path, change(tmp_path, "a", number))
    for number in (b"2", b"1", b"0"):
        take_back(tmp_path)
        assert (tmp_path / "a").read_bytes() == number
    apply(tmp_path, change(tmp_path, "a", b"4"))
    take_back(tmp_path)
    assert (tmp_path / "a").read_bytes() == b"0"


def test_undo_by_id_and_prefix(tmp_path: Path) -> None:
    put(tmp_path, "a", b"0")
    put(tmp_path, "b", b"0")
    first = apply(tmp_path, change(tmp_path, "a", b"1"))
    second = apply(tmp_path, change(tmp_path, "b", b"1"))
    assert first.id < second.id
    assert refusal(lambda: take_back(tmp_path, "20")) == ["ambiguous"]
    assert refusal(lambda: take_back(tmp_path, "19")) == ["no_receipt"]
    assert take_back(tmp_path, first.id[:-1] if first.id[:-1] != second.id[:-1] else first.id).id == first.id
    assert ((tmp_path / "a").read_bytes(), (tmp_path / "b").read_bytes()) == (b"0", b"1")
    assert take_back(tmp_path, second.id).id == second.id
    assert (tmp_path / "b").read_bytes() == b"0"


def test_undo_is_refused_after_edits_by_hand_and_names_them_all(tmp_path: Path) -> None:
    root, changes = fresh(tmp_path, 0)
    old = snapshot(root)
    apply(root, *changes)
    (root / "src/a.py").write_bytes(b"by hand")
    (root / "src/b.py").chmod(0o755)
    (root / "src/new").unlink()
    put(root, "src/gone", b"again")
    edited = snapshot(root)
    with pytest.raises(Refused) as caught:
        take_back(root)
    assert {(p.kind, p.path) for p in caught.value.problems} == {
        ("stale", path) for path in ("src/a.py", "src/b.py", "src/new", "src/gone")
    }
    assert snapshot(root) == edited
    take_back(root, force=True)
    assert snapshot(root) == old


def test_undo_keeps_a_made_folder_that_is_in_use(tmp_path: Path) -> None:
    apply(tmp_path, change(tmp_path, "d/e/f", b"x"))
    put(tmp_path, "d/mine", b"y")
    take_back(tmp_path)
    assert sorted(snapshot(tmp_path)) == ["d", "d/mine"]


def test_undo_of_an_odd_name_and_odd_bytes(tmp_path: Path) -> None:
    name = 'über "x"\\\n.txt'
    put(tmp_path, name, b"\x00\xff\r", 0o600)
    old = snapshot(tmp_path)
    apply(tmp_path, change(tmp_path, name, None))
    assert snapshot(tmp_path) == {}
    take_back(tmp_path)
    assert snapshot(tmp_path) == old


def test_nothing_to_undo(tmp_path: Path) -> None:
    assert refusal(lambda: take_back(tmp_path)) == ["no_receipt"]
    assert snapshot(tmp_path) == {} and not (tmp_path / ".anypatch").exists()


# ── receipts ─────────────────────────────────────────────────────────────────────────────────────


def test_receipts_newest_first_without_what_cannot_be_read(tmp_path: Path) -> None:
    put(tmp_path, "a", b"0", 0o755)
    ids = [apply(tmp_path, change(tmp_path, "a", b"%d" % n)).id for n in (1, 2, 3)]
    state = tmp_path / ".anypatch"
    assert state.stat().st_mode & 0o777 == 0o700 and (state / ".gitignore").read_bytes() == b"*\n"
    (state / "20990101-000000-0000.json").write_bytes(b'{"version": 1, "id"')
    (state / "20990101-000000-0001.json").write_bytes(b"[" * 100_000)
    (state / "20990101-000000-0002.json").write_bytes(b'{"version": 9, "id": "20990101-000000-0002"}')
    (state / "20990101-000000-0003.json").symlink_to("/etc/passwd")
    os.mkfifo(state / "20990101-000000-0004.json")
    (state / "20990101-000000-0005.pending").write_bytes(b"{}")
    with DiskTree(str(tmp_path)) as tree:
        found = receipts(tree)
    assert [receipt.id for receipt in found] == ids[::-1]
    assert found[0].changes == (FileChange("a", File(b"", 0o755), File(b"", 0o755)),)
    assert take_back(tmp_path).id == ids[-1]


def test_old_receipts_go(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put(tmp_path, "a", b"-1")
    ids = [apply(tmp_path, change(tmp_path, "a", b"%d" % n)).id for n in range(journal.KEEP + 3)]
    with DiskTree(str(tmp_path)) as tree:
        assert [receipt.id for receipt in receipts(tree)] == ids[: -journal.KEEP - 1 : -1]
        monkeypatch.setattr(journal, "KEEP_BYTES", 10)
        last = apply(tmp_path, change(tmp_path, "a", b"x" * 100)).id
        assert [receipt.id for receipt in receipts(tree)] == [last]
    assert sorted(os.listdir(tmp_path / ".anypatch")) == [".gitignore", f"{last}.bytes", f"{last}.json"]


@pytest.mark.parametrize("path", ["../out", "/etc/x", ".git/hooks/x", "a/../../out", "./a", "", "x/.GIT/y"])
def test_a_planted_receipt_cannot_lead_out(tmp_path: Path, path: str) -> None:
    root = tmp_path / "root"
    put(root, "a", b"0")
    name = apply(root, change(root, "a", b"1")).id
    place = root / ".anypatch" / f"{name}.json"
    manifest = json.loads(place.read_text())
    manifest["files"].insert(0, {"path": path, "action": "create", "before": [0, 1, 0o644], "after": None})
    place.write_text(json.dumps(manifest))
    before = snapshot(tmp_path)
    assert refusal(lambda: take_back(root, force=True)) == ["unsafe_path"]
    assert snapshot(tmp_path) == before


def test_a_torn_receipt_is_not_undone(tmp_path: Path) -> None:
    put(tmp_path, "a", b"old")
    name = apply(tmp_path, change(tmp_path, "a", b"new")).id
    os.truncate(tmp_path / f".anypatch/{name}.bytes", 2)
    assert refusal(lambda: take_back(tmp_path, force=True)) == ["no_receipt"]
    assert (tmp_path / "a").read_bytes() == b"new"


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
    assert refusal(lambda: take_back(root)) == ["unsafe_path"]
    assert (root / "a").read_bytes() == b"old" and os.listdir(outside) == []
    assert not (tmp_path / "nowhere").exists()


# ── paths and links ──────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    "path", ["..", "../x", "a/../../x", "/etc/passwd", ".git/config", "a/.git/hooks/x", "sub/.Git/x", ".anypatch/x", ""]
)
def test_unsafe_paths(tmp_path: Path, path: str) -> None:
    root = tmp_path / "root"
    put(root, "a/x", b"")
    put(tmp_path, "x", b"outside")
    with DiskTree(str(root)) as tree:
        assert refusal(lambda: tree.canonical(path)) == ["unsafe_path"]
        assert refusal(lambda: tree.read(path)) == ["unsafe_path"]
        for edit in (FileChange(path, None, File(b"")), FileChange(path, File(b"outside"), None)):
            assert refusal(lambda edit=edit: commit(tree, (edit,), format="", description="")) == ["unsafe_path"]  # type: ignore[misc]
    assert (tmp_path / "x").read_bytes() == b"outside"


def test_a_path_that_has_no_encoding(tmp_path: Path) -> None:
    with DiskTree(str(tmp_path)) as tree:
        assert refusal(lambda: tree.canonical("a\ud800")) == ["unsafe_path"]
        assert refusal(lambda: tree.read("a\ud800")) == ["unsafe_path"]


@pytest.mark.parametrize(
    ("link", "target"),
    [
        ("l", "../outside/secret"),
        ("l", "../outside"),
        ("l", "../outside/not-yet"),
        ("l", "/etc/passwd"),
        ("l", "{root}-evil/x"),
        ("d/l", "../../outside/secret"),
        ("l", "l2"),
        ("l", "d/../../outside/secret"),
    ],
)
def test_links_that_lead_out(tmp_path: Path, link: str, target: str) -> None:
    root = tmp_path / "root"
    put(root, "d/x", b"")
    put(tmp_path, "outside/secret", b"s")
    put(tmp_path, "root-evil/x", b"s")
    (root / "l2").symlink_to("l")
    (root / link).symlink_to(target.format(root=root))
    before = snapshot(tmp_path)
    with DiskTree(str(root)) as tree:
        for path in (link, f"{link}/secret", f"{link}/new/x"):
            assert refusal(lambda path=path: tree.canonical(path)) == ["unsafe_path"]  # type: ignore[misc]
        edit = (FileChange(f"{link}/secret", File(b"s"), File(b"x")),)
        assert set(refusal(lambda: commit(tree, edit, format="", description=""))) <= {"not_a_file", "stale"}
        edit = (FileChange(link, File(b"s"), File(b"x")),)
        assert set(refusal(lambda: commit(tree, edit, format="", description=""))) == {"stale"}
        assert refusal(lambda: tree.read(link)) == ["unsafe_path"]
    assert snapshot(tmp_path) == before


def test_links_inside_are_followed_and_stay(tmp_path: Path) -> None:
    put(tmp_path, "real/deep/a", b"old")
    (tmp_path / "file").symlink_to("real/deep/a")
    (tmp_path / "dir").symlink_to("real/deep")
    (tmp_path / "real/up").symlink_to("../dir")
    (tmp_path / "abs").symlink_to(tmp_path / "real")
    (tmp_path / "new").symlink_to("real/not-yet")
    (tmp_path / "here").symlink_to(".")
    with DiskTree(str(tmp_path)) as tree:
        for path in ("file", "dir/a", "real/up/a", "abs/deep/a", "abs/up/a", "here/here/file", "real/deep/a"):
            assert tree.canonical(path) == "real/deep/a"
        assert tree.canonical("new") == "real/not-yet"
        assert tree.canonical("dir/none/x") == "real/deep/none/x"
        assert tree.canonical("real/deep/a/x") == "real/deep/a/x"
        assert refusal(lambda: tree.canonical("here")) == ["not_a_file"]
        path = tree.canonical("file")
        commit(tree, (FileChange(path, tree.read(path), File(b"new")),), format="", description="")
    assert (tmp_path / "file").is_symlink() and (tmp_path / "file").read_bytes() == b"new"


def test_a_link_into_version_control(tmp_path: Path) -> None:
    put(tmp_path, ".git/config", b"x")
    (tmp_path / "innocent").symlink_to(".git/config")
    (tmp_path / "folder").symlink_to(".git")
    with DiskTree(str(tmp_path)) as tree:
        assert refusal(lambda: tree.canonical("innocent")) == ["unsafe_path"]
        assert refusal(lambda: tree.canonical("folder/hooks/x")) == ["unsafe_path"]


def test_a_root_that_is_itself_a_link(tmp_path: Path) -> None:
    put(tmp_path, "root/a", b"old")
    (tmp_path / "alias").symlink_to("root")
    (tmp_path / "root/l").symlink_to(tmp_path / "root/a")
    (tmp_path / "root/m").symlink_to(tmp_path / "alias/a")
    with DiskTree(str(tmp_path / "alias")) as tree:
        assert tree.canonical("l") == tree.canonical("m") == "a"


def test_new_names_are_checked(tmp_path: Path) -> None:
    with DiskTree(str(tmp_path)) as tree:
        edit = (FileChange("a\u202eb", None, File(b"")),)
        assert refusal(lambda: commit(tree, edit, format="", description="")) == ["unsafe_path"]
    assert snapshot(tmp_path) == {}


# ── suggestions ──────────────────────────────────────────────────────────────────────────────────


def test_suggest(tmp_path: Path) -> None:
    for path in (
        "src/app/main.py",
        "src/app/util.py",
        "lib/main.py",
        "README.md",
        ".git/main.py",
        "node_modules/main.py",
    ):
        put(tmp_path, path, b"")
    (tmp_path / "linked").symlink_to("src")
    with DiskTree(str(tmp_path)) as tree:
        assert tree.suggest("main.py") == ("lib/main.py", "src/app/main.py")
        assert tree.suggest("app/main.py") == ("src/app/main.py", "lib/main.py")
        assert tree.suggest("readme.md") == ("README.md",)
        assert tree.suggest("src/App/Main.py")[0] == "src/app/main.py"
        assert tree.suggest("src/app/utils.py") == ("src/app/util.py",)
        assert tree.suggest("src/app/main.py.orig") == ("src/app/main.py",)
        assert tree.suggest("main.py", limit=1) == ("lib/main.py",)
        assert tree.suggest("quite/other") == ()
        assert tree.suggest("../main.py") == ()
