"""The corners of commit, recovery and undo: what somebody else does in between, what lies in the state and should not."""

from __future__ import annotations

import errno
import fcntl
import os
import re
import struct
from collections.abc import Callable, Iterator
from pathlib import Path
from stat import S_ISDIR
from typing import get_args

import pytest

import anypatch
from anypatch import Limits, Settings
from anypatch.hints import Durability
from anypatch.limits import check_file
from anypatch.model import File, FileChange
from anypatch.problems import Refused
from anypatch.storage import history, sandbox, stage, state, swap, syscalls, transaction
from anypatch.storage import journal as manifest
from anypatch.storage.sandbox import Folders
from anypatch.storage.tree import DiskTree, applied_as, commit, foreign_ids, receipts, redo, undo
from support.disk_trees import apply, change, fail_nth, put, refusal, snapshot, take_back

OLD, NEW, THEIRS = b"old", b"new", b"theirs"
LATER = anypatch.Problem("unsettled", "could not be put back", advice="Later.")


def entry(path: str = "a", old: bytes | None = OLD, new: bytes | None = NEW, way: str = "") -> manifest.Entry:
    before, after = (manifest.digest(side) if side is not None else "" for side in (old, new))
    return manifest.Entry(0, path, before, after, 0o644 if before else 0, 0o644 if after else 0, way)


@pytest.fixture
def job(tmp_path: Path) -> Iterator[swap.Job]:
    """A root and a transaction's folder, empty."""
    (tmp_path / "root").mkdir()
    (tmp_path / "tx").mkdir()
    folders = Folders(str(tmp_path / "root"))
    tx = os.open(tmp_path / "tx", os.O_RDONLY)
    yield swap.Job(folders, tx, "ID", (), ())
    os.close(tx)
    folders.close()


@pytest.fixture
def descriptors() -> Iterator[None]:
    """As many open files after a test as before it."""
    count = len(os.listdir("/dev/fd"))
    yield
    assert len(os.listdir("/dev/fd")) == count


def lay(tmp_path: Path, here: bytes | None, there: bytes | None, slot: str = "0", path: str = "a") -> None:
    for place, data in ((tmp_path / "root" / path, here), (tmp_path / "tx" / slot, there)):
        if data is not None:
            put(place.parent, place.name, data)


def make_special(place: Path, kind: str) -> None:
    if kind == "folder":
        place.mkdir()
    elif kind == "link":
        place.symlink_to("x")
    elif kind == "pipe":
        os.mkfifo(place)


def lies(tmp_path: Path) -> tuple[bytes | None, bytes | None]:
    places = (tmp_path / "root/a", tmp_path / "tx/0")
    return tuple(place.read_bytes() if place.exists() else None for place in places)  # type: ignore[return-value]


# ── back: every state that a path can be in ──────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("old", "new", "here", "there", "wanted"),
    [
        (OLD, NEW, OLD, NEW, (OLD, NEW)),  # not exchanged
        (OLD, NEW, NEW, OLD, (OLD, NEW)),  # exchanged
        (OLD, NEW, NEW, THEIRS, (THEIRS, NEW)),  # exchanged with somebody else's: theirs goes back
        (OLD, NEW, THEIRS, NEW, (THEIRS, NEW)),  # they came before us
        (OLD, NEW, None, NEW, (None, NEW)),
        (OLD, NEW, None, OLD, (OLD, None)),  # they removed ours
        (OLD, NEW, OLD, None, (OLD, None)),  # the slot is cleared already
        (None, NEW, NEW, None, (None, NEW)),
        (None, NEW, None, NEW, (None, NEW)),
        (None, NEW, None, None, (None, None)),
        (OLD, None, None, OLD, (OLD, None)),
        (OLD, None, OLD, None, (OLD, None)),
        (OLD, None, THEIRS, None, (THEIRS, None)),
        (OLD, None, OLD, OLD, (OLD, OLD)),
        (None, None, None, None, (None, None)),
    ],
)
def test_back(tmp_path: Path, job: swap.Job, old: bytes, new: bytes, here: bytes, there: bytes, wanted: object) -> None:
    for _ in range(2):
        lay(tmp_path, here, there)
        swap.restore(job, entry(old=old, new=new))
        assert lies(tmp_path) == wanted
        here = there = None  # type: ignore[assignment]


@pytest.mark.parametrize(
    ("old", "new", "here", "there"),
    [
        (OLD, NEW, THEIRS, OLD),
        (OLD, NEW, THEIRS, None),
        (OLD, NEW, NEW, None),
        (None, NEW, NEW, THEIRS),
        (None, NEW, THEIRS, None),
        (OLD, None, THEIRS, OLD),
    ],
)
def test_back_meets_somebody_else(
    tmp_path: Path, job: swap.Job, old: bytes, new: bytes, here: bytes, there: bytes
) -> None:
    lay(tmp_path, here, there)
    with pytest.raises(Refused) as caught:
        swap.restore(job, entry(old=old, new=new))
    (problem,) = caught.value.problems
    assert problem.kind == "conflict" and lies(tmp_path) == (here, there)
    why = {(NEW, None): "the saved file no longer exists", (NEW, THEIRS): "its slot is taken"}
    assert problem.detail == why.get((here, there), "someone else has written to it in the meantime")


def test_back_where_the_folder_is_gone_or_no_folder(tmp_path: Path, job: swap.Job) -> None:
    lay(tmp_path, None, OLD)
    assert refusal(lambda: swap.restore(job, entry("sub/a"))) == ["conflict"]
    put(tmp_path / "root", "sub", b"a file")
    assert refusal(lambda: swap.restore(job, entry("sub/a"))) == ["conflict"]
    swap.restore(job, entry("sub/a", old=None))


@pytest.mark.parametrize("kind", ["folder", "link", "pipe"])
@pytest.mark.parametrize("old", [OLD, None])
def test_what_is_no_file_is_somebody_elses(tmp_path: Path, job: swap.Job, kind: str, old: bytes | None) -> None:
    place = tmp_path / "root/a"
    make_special(place, kind)
    lay(tmp_path, None, old)
    before = snapshot(tmp_path)
    assert refusal(lambda: swap.restore(job, entry(old=old))) == ["conflict"]
    assert snapshot(tmp_path) == before


@pytest.mark.parametrize("old", [OLD, None])
def test_somebody_is_faster_than_taking_back(
    tmp_path: Path, job: swap.Job, monkeypatch: pytest.MonkeyPatch, old: bytes | None
) -> None:
    """Between looking and taking, another file takes the place of ours."""
    lay(tmp_path, NEW, old)
    real_swap, real_rename = swap.swap, os.rename
    calls: list[int] = []

    def first(action: Callable[..., None]) -> Callable[..., None]:
        def acted(*arguments: object, **named: object) -> None:
            if not calls:
                calls.append(1)
                put(tmp_path, "other", THEIRS)
                real_rename(tmp_path / "other", tmp_path / "root/a")
            action(*arguments, **named)

        return acted

    monkeypatch.setattr(swap, "swap", first(real_swap))
    monkeypatch.setattr(os, "rename", first(real_rename))
    assert refusal(lambda: swap.restore(job, entry(old=old))) == ["conflict"]
    assert lies(tmp_path) == (THEIRS, old)


def test_somebody_is_faster_than_putting_in(tmp_path: Path, job: swap.Job, monkeypatch: pytest.MonkeyPatch) -> None:
    lay(tmp_path, None, OLD)

    def taken(*_: object) -> None:
        raise FileExistsError(errno.EEXIST, "taken")

    monkeypatch.setattr(syscalls, "rename_noreplace", taken)
    assert refusal(lambda: swap.restore(job, entry(new=None))) == ["conflict"]


# ── forward ──────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("kind", ["text", "mode", "gone", "folder", "link", "pipe"])
@pytest.mark.parametrize("new", [NEW, None])
def test_forward_compares_what_it_displaced(tmp_path: Path, job: swap.Job, kind: str, new: bytes | None) -> None:
    place = tmp_path / "root/a"
    lay(tmp_path, THEIRS if kind == "text" else OLD, new)
    if kind == "mode":
        place.chmod(0o600)
    if kind in ("gone", "folder", "link", "pipe"):
        place.unlink()
    make_special(place, kind)
    before = snapshot(tmp_path)
    assert refusal(lambda: swap.install(job, entry(new=new), File(OLD))) == ["stale"]
    assert snapshot(tmp_path) == before


def test_forward_gives_back_until_ours_is_in_the_slot(
    tmp_path: Path, job: swap.Job, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Somebody replaces the file again and again: the last of theirs stands in the end."""
    lay(tmp_path, b"theirs 0", NEW)
    real = syscalls.exchange
    count = [0]

    def exchange(one: int, name: str, other: int, target: str) -> None:
        count[0] += 1
        if count[0] in (2, 3):
            put(tmp_path, "other", b"theirs %d" % count[0])
            os.replace(tmp_path / "other", tmp_path / "root/a")
        real(one, name, other, target)

    monkeypatch.setattr(syscalls, "exchange", exchange)
    assert refusal(lambda: swap.install(job, entry(), File(OLD))) == ["stale"]
    here, _ = lies(tmp_path)
    assert here is not None and here.startswith(b"theirs")
    monkeypatch.setattr(swap, "is_new", lambda *_: False)
    assert refusal(lambda: swap.install(job, entry(), File(OLD))) == ["stale"]


def test_forward_without_its_folder(job: swap.Job) -> None:
    assert refusal(lambda: swap.install(job, entry("sub/a", old=None), None)) == ["stale"]
    assert refusal(lambda: swap.install(job, entry("sub/a", way="far"), File(OLD))) == ["stale"]


@pytest.mark.parametrize("call", ["look", "displaced", "parent", "swap"])
def test_errors_that_mean_nothing_special_are_raised(
    tmp_path: Path, job: swap.Job, monkeypatch: pytest.MonkeyPatch, call: str
) -> None:
    lay(tmp_path, OLD, NEW)

    def broken(*_: object, **__: object) -> None:
        raise OSError(errno.EIO, "broken")

    def unknown(*_: object, **__: object) -> None:
        raise OSError(errno.EINVAL, "no such flag")

    actions: dict[str, Callable[[], object]] = {
        "look": lambda: swap.read_stamp(job.slots, "0"),
        "displaced": lambda: swap._displaced(job.slots, "0", File(OLD), entry()),
        "parent": lambda: swap.parent(job.folders, entry("sub/a")),
        "swap": lambda: swap.swap(job.slots, "0", job.folders.root, "a"),
    }
    monkeypatch.setattr(os, "open", broken)
    monkeypatch.setattr(syscalls, "exchange", unknown)
    monkeypatch.setattr(os, "link", broken)
    with pytest.raises(OSError, match="broken"):
        actions[call]()


# ── mending what a file system without exchange left ─────────────────────────────────────────────


def test_a_spare_where_the_folder_is_gone_stays(tmp_path: Path, job: swap.Job) -> None:
    lay(tmp_path, None, NEW)
    put(tmp_path / "tx", "0.x", OLD)
    swap.restore(job, entry("sub/a"))
    assert (tmp_path / "tx/0.x").read_bytes() == OLD


def test_place_without_links_or_flags(tmp_path: Path, job: swap.Job, monkeypatch: pytest.MonkeyPatch) -> None:
    def unknown(*_: object, **__: object) -> None:
        raise OSError(errno.EINVAL, "no such flag")

    def broken(*_: object, **__: object) -> None:
        raise OSError(errno.EIO, "broken")

    lay(tmp_path, None, NEW)
    monkeypatch.setattr(syscalls, "rename_noreplace", broken)
    with pytest.raises(OSError, match="broken"):
        swap.move_to_free_name(job.slots, "0", job.folders.root, "a")
    monkeypatch.setattr(syscalls, "rename_noreplace", unknown)
    monkeypatch.setattr(os, "link", broken)
    with pytest.raises(OSError, match="broken"):
        swap.move_to_free_name(job.slots, "0", job.folders.root, "a")


# ── far and kept files ───────────────────────────────────────────────────────────────────────────

SLOT = ".anypatch-ID-0"


def lay_apart(tmp_path: Path, old: bytes | None, new: bytes | None, begun: bool = True) -> None:
    for name, data in (("0.old", old), ("0.new", new), ("0.begun", b"" if begun else None)):
        if data is not None:
            put(tmp_path / "tx", name, data)


@pytest.mark.parametrize(
    ("old", "new", "here", "left", "wanted"),
    [
        (OLD, NEW, NEW, {}, OLD),
        (OLD, NEW, OLD, {}, OLD),
        (OLD, NEW, OLD, {SLOT: NEW}, OLD),
        (OLD, NEW, NEW, {SLOT: OLD}, OLD),
        (OLD, NEW, OLD, {f"{SLOT}.new": b"half"}, OLD),
        (OLD, None, None, {}, OLD),
        (OLD, None, None, {SLOT: OLD}, OLD),
        (None, NEW, NEW, {}, None),
        (None, NEW, None, {SLOT: NEW}, None),
    ],
)
def test_far_back(
    tmp_path: Path, job: swap.Job, old: bytes, new: bytes, here: bytes, left: dict[str, bytes], wanted: bytes
) -> None:
    lay_apart(tmp_path, old, new)
    for name, data in ({"a": here} if here is not None else {}).items() | left.items():
        put(tmp_path / "root", name, data)
    for _ in range(2):
        swap.restore(job, entry(old=old, new=new, way="far"))
        assert os.listdir(tmp_path / "root") == (["a"] if wanted is not None else [])
        assert lies(tmp_path)[0] == wanted


@pytest.mark.parametrize(
    ("old", "new", "here", "slot", "after"),
    [
        (OLD, NEW, NEW, THEIRS, THEIRS),  # displaced, not yet compared: theirs goes back
        (OLD, None, None, THEIRS, THEIRS),
        (OLD, NEW, THEIRS, None, THEIRS),
    ],
)
def test_far_back_keeps_somebody_elses(
    tmp_path: Path, job: swap.Job, old: bytes, new: bytes, here: bytes, slot: bytes, after: bytes
) -> None:
    lay_apart(tmp_path, old, new)
    lay(tmp_path, here, None)
    if slot:
        put(tmp_path / "root", SLOT, slot)
    assert refusal(lambda: swap.restore(job, entry(old=old, new=new, way="far"))) == ["conflict"]
    assert snapshot(tmp_path / "root") == {"a": ("file", after, 0o644)}


def test_far_and_kept_paths_that_were_not_begun_are_left_alone(tmp_path: Path, job: swap.Job) -> None:
    lay_apart(tmp_path, OLD, NEW, begun=False)
    lay(tmp_path, THEIRS, None)
    for way in ("far", "keep"):
        swap.restore(job, entry(way=way))
    assert lies(tmp_path)[0] == THEIRS


def test_far_without_its_folder_or_its_copy(tmp_path: Path, job: swap.Job) -> None:
    lay_apart(tmp_path, None, None)
    assert refusal(lambda: swap.restore(job, entry("sub/a", way="far"))) == ["conflict"]
    swap.restore(job, entry("sub/a", old=None, way="far"))
    lay(tmp_path, NEW, None)
    assert refusal(lambda: swap.restore(job, entry(way="far"))) == ["conflict"]


def test_far_forward_where_somebody_is_faster(tmp_path: Path, job: swap.Job, monkeypatch: pytest.MonkeyPatch) -> None:
    lay_apart(tmp_path, OLD, NEW, begun=False)
    lay(tmp_path, OLD, None)
    real = swap.swap

    def swapping(one: int, name: str, other: int, target: str) -> None:
        (tmp_path / "root/a").write_bytes(THEIRS)
        monkeypatch.setattr(swap, "swap", real)
        real(one, name, other, target)

    monkeypatch.setattr(swap, "swap", swapping)
    assert refusal(lambda: swap.install(job, entry(way="far"), File(OLD))) == ["stale"]
    assert snapshot(tmp_path / "root") == {"a": ("file", THEIRS, 0o644)}
    (tmp_path / "root/a").unlink()
    (tmp_path / "tx/0.begun").unlink()

    def taken(*_: object) -> None:
        put(tmp_path / "root", "a", THEIRS)
        raise FileExistsError(errno.EEXIST, "taken")

    monkeypatch.setattr(swap, "move_to_free_name", taken)
    assert refusal(lambda: swap.install(job, entry(old=None, way="far"), None)) == ["stale"]
    assert snapshot(tmp_path / "root") == {"a": ("file", THEIRS, 0o644)}


@pytest.mark.parametrize("spoiled", ["text", "gone", "link"])
def test_kept_files_that_somebody_changes(
    tmp_path: Path, job: swap.Job, monkeypatch: pytest.MonkeyPatch, spoiled: str
) -> None:
    lay_apart(tmp_path, OLD, NEW)
    place = tmp_path / "root/a"
    if spoiled == "text":
        lay(tmp_path, THEIRS, None)
    elif spoiled == "link":
        place.symlink_to("x")
    assert refusal(lambda: swap.restore(job, entry(way="keep"))) == ["conflict"]
    assert refusal(lambda: swap._write_in_place(job.folders.root, entry(way="keep"), OLD, NEW)) == ["stale"]

    def broken(*_: object, **__: object) -> int:
        raise OSError(errno.EIO, "broken")

    monkeypatch.setattr(swap, "read_stamp", lambda *_: swap.FileStamp("?", 0, (0, 0), 0, 0))
    monkeypatch.setattr(swap, "_read_copy", lambda *_, **__: b"")
    monkeypatch.setattr(os, "open", broken)
    with pytest.raises(OSError, match="broken"):
        swap._write_in_place(job.folders.root, entry(way="keep"), OLD, NEW)
    with pytest.raises(OSError, match="broken"):
        swap._restore_in_place(job, entry(way="keep"), job.folders.root)


def test_a_kept_file_keeps_its_mode_or_gets_the_new_one(tmp_path: Path) -> None:
    one = put(tmp_path, "a", OLD, 0o640)
    os.link(one, tmp_path / "b")
    with DiskTree(str(tmp_path), Settings(hardlinks="keep")) as tree:
        edit = FileChange("a", tree.read("a"), File(NEW, 0o755))
        commit(tree, (edit,), format="", description="")
    assert (one.stat().st_mode & 0o777, (tmp_path / "b").read_bytes()) == (0o755, NEW)
    take_back(tmp_path)
    assert (one.stat().st_mode & 0o777, (tmp_path / "b").read_bytes()) == (0o640, OLD)


# ── the state directory ──────────────────────────────────────────────────────────────────────────


def test_ids_go_forward_when_the_clock_goes_back() -> None:
    last = state.ReceiptName("20261115-214403-3f29", 1, False, "")
    assert state.new_id([last], 0) == "20261115-214403-3f2a"
    assert state.new_id([last], 4e9) > last.id
    same = last._replace(id=state._id(int(1.5 * 65536)))
    assert state.new_id([same], 1.5) > same.id, "nor does the clock have to move"
    full = last._replace(id="20261115-214403-fff5")
    first = state._id(0)
    assert state.new_id([full], 0) == first
    assert state.new_id([full, last._replace(id=first)], 0) == state._id(1)


@pytest.mark.parametrize(
    "name",
    [
        "lock",
        "20261115-214403-3f29",
        "20261115-214403-3f29.x",
        "20261115-214403-3f29.1.gone",
        "20261115-214403-zzzz.1",
        "20261115-214403-zf29.1",
        "2026111x-214403-3f29.1",
        "20261115-214403-3f29." + "9" * 16,
    ],
)
def test_names_that_are_no_receipts(name: str) -> None:
    assert state.parse_receipt_name(name) is None


def test_a_receipt_may_have_every_digit_in_its_name_and_be_large() -> None:
    for size in (1, 10**15 - 1):
        folder = f"20130526-174809-3f29.{size}"
        assert state.parse_receipt_name(folder) == state.ReceiptName("20130526-174809-3f29", size, False, folder)


def test_a_file_that_cannot_be_written_whole_is_not_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    edit = change(tmp_path, "a", NEW)
    with monkeypatch.context() as patched:
        fail_nth(patched, "write", 1, OSError(errno.ENOSPC, "full"))
        assert refusal(lambda: apply(tmp_path, edit)) == ["io"]
    assert os.listdir(tmp_path / ".anypatch") == []
    apply(tmp_path, edit)
    assert (tmp_path / ".anypatch/.gitignore").read_bytes() == b"*\n"


def test_what_cannot_be_pruned_now_goes_another_time(tmp_path: Path) -> None:
    put(tmp_path, "a", b"0")
    one = Settings(keep=1)
    apply(tmp_path, change(tmp_path, "a", b"1"), settings=one)
    (kept,) = (tmp_path / ".anypatch").glob("2*")
    (kept / "folder").mkdir()
    for text in (b"2", b"3"):
        apply(tmp_path, change(tmp_path, "a", text), settings=one)
    assert len(list((tmp_path / ".anypatch").glob("2*"))) == 2
    (kept / "folder").rmdir()
    apply(tmp_path, change(tmp_path, "a", b"4"), settings=one)
    assert len(list((tmp_path / ".anypatch").glob("2*"))) == 1


@pytest.mark.parametrize("error", [OSError(errno.EIO, "broken"), KeyboardInterrupt()])
def test_a_change_stands_though_pruning_fails_behind_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: BaseException
) -> None:
    put(tmp_path, "a", b"0")
    one = Settings(keep=1)
    apply(tmp_path, change(tmp_path, "a", b"1"), settings=one)

    def broken(_: object) -> None:
        raise error

    with monkeypatch.context() as patched:
        patched.setattr(history, "signed_names", broken)
        apply(tmp_path, change(tmp_path, "a", b"2"), settings=one)
    assert (tmp_path / "a").read_bytes() == b"2" and len(anypatch.log(tmp_path)) == 2
    apply(tmp_path, change(tmp_path, "a", b"3"), settings=one)
    assert len(anypatch.log(tmp_path)) == 1


def test_discarding_what_is_gone_is_done(tmp_path: Path) -> None:
    fd = os.open(tmp_path, os.O_RDONLY)
    state.discard(fd, "nothing")
    os.close(fd)


def test_a_disk_that_takes_no_byte(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "write", lambda fd, data: 0)
    with pytest.raises(OSError, match=os.strerror(errno.EIO)):
        state.write_all(0, b"x")


def test_two_who_make_the_state_directory_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = os.mkdir

    def mkdir(*arguments: object, **named: object) -> None:
        real(*arguments, **named)  # type: ignore[arg-type]
        raise FileExistsError(errno.EEXIST, "there")

    monkeypatch.setattr(os, "mkdir", mkdir)
    with DiskTree(str(tmp_path)) as tree:
        assert tree.state(make=True) is not None


def test_a_lock_file_that_was_removed_is_no_lock(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
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


def test_a_lock_that_could_not_be_had_is_asked_for_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise OSError(errno.EIO, "broken")

    with DiskTree(str(tmp_path)) as tree:
        with monkeypatch.context() as patched:
            patched.setattr(fcntl, "flock", broken)
            assert refusal(lambda: tree.lock(make=True)) == ["io"]
        assert tree.lock(make=True)
        with (tmp_path / ".anypatch/lock").open("rb") as other, pytest.raises(BlockingIOError):
            fcntl.flock(other, fcntl.LOCK_EX | fcntl.LOCK_NB)


@pytest.mark.parametrize("where", ["flock", "listdir", "key"])
def test_a_failing_start_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, where: str) -> None:
    put(tmp_path, "a", OLD)
    apply(tmp_path, change(tmp_path, "a", NEW))

    def broken(*_: object, **__: object) -> None:
        raise OSError(errno.EIO, "broken")

    patched = {"flock": (fcntl, "flock"), "listdir": (os, "listdir"), "key": (manifest, "_read_key")}[where]
    monkeypatch.setattr(*patched, broken)
    assert refusal(lambda: take_back(tmp_path)) == ["io"]
    with DiskTree(str(tmp_path)) as tree:
        if where != "flock":
            assert refusal(lambda: receipts(tree)) == refusal(lambda: foreign_ids(tree)) == ["io"]
            assert applied_as(tree, b"x") == ""


# ── journals ─────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("body", [b"", b"\n{}", b"\n[]", b'\n{"files": [[1]]}', b"\n" + b"[" * 100_000, b"\n\xff"])
def test_a_signed_journal_that_makes_no_sense(tmp_path: Path, body: bytes) -> None:
    signer = manifest.load_key(make=True)
    put(tmp_path, ".anypatch/tx/manifest", f"anypatch journal 2 {manifest.sign(body, signer)}\n".encode() + body)
    assert [p.kind for p in anypatch.recover(tmp_path).problems] == ["foreign_journal"]


def test_a_journal_that_is_too_large_is_not_read(tmp_path: Path) -> None:
    with put(tmp_path, ".anypatch/tx/manifest", b"").open("wb") as file:
        file.truncate((64 << 20) + 1)
    (problem,) = anypatch.recover(tmp_path).problems
    assert problem.kind == "foreign_journal" and "larger than 67108864 bytes" in problem.detail


@pytest.mark.parametrize("planted", ["file", "link"])
def test_a_transaction_that_is_no_folder(tmp_path: Path, planted: str) -> None:
    (tmp_path / ".anypatch").mkdir()
    place = tmp_path / ".anypatch/tx"
    place.write_bytes(b"") if planted == "file" else place.symlink_to("/etc")
    assert [p.kind for p in anypatch.recover(tmp_path).problems] == ["foreign_journal"]


def test_journals_of_this_version_stay_readable(tmp_path: Path) -> None:
    put(tmp_path, "a", NEW)
    crashed(tmp_path, "tx", entry(), OLD)
    assert (tmp_path / ".anypatch/tx/manifest").read_bytes().startswith(b"anypatch journal 2 ")
    assert anypatch.recover(tmp_path).ok and (tmp_path / "a").read_bytes() == OLD


def test_a_journal_of_before_still_says_how_much_was_applied() -> None:
    """Journals had no field for it: the description began with "in part"."""
    key, journal = b"k" * 32, manifest.Manifest("20990101-000000-0000", 0.0, "chunk", "", "", (), ())
    for said, kept, partial in (
        ("in part", "", True),
        ("in part: Say it: in German", "Say it: in German", True),
        ("in part, the tax", "in part, the tax", False),
        ("", "", False),
    ):
        data = (
            manifest.to_bytes(journal._replace(description=said), key)
            .partition(b"\n")[2]
            .replace(b',"partial":false', b"")
        )
        found = manifest.from_bytes(f"anypatch journal 2 {manifest.sign(data, key)}\n".encode() + data, key)
        assert (found.description, found.partial) == (kept, partial)
        now = journal._replace(description=said, partial=partial)
        assert manifest.from_bytes(manifest.to_bytes(now, key), key) == now


def test_a_transaction_without_journal_is_removed(tmp_path: Path) -> None:
    put(tmp_path, ".anypatch/tx/0", b"x")
    assert anypatch.recover(tmp_path).ok and os.listdir(tmp_path / ".anypatch").count("tx") == 0


def crashed(root: Path, name: str, this: manifest.Entry, slot: bytes) -> None:
    journal = manifest.Manifest("20990101-000000-0000", 0.0, "", "", "", (), (this,))
    put(root, f".anypatch/{name}/manifest", manifest.to_bytes(journal, manifest.load_key(make=True)))
    put(root, f".anypatch/{name}/0", slot)


@pytest.mark.parametrize("name", ["tx", "undo.20990101-000000-0000.1"])
def test_recovery_keeps_somebody_elses_file(tmp_path: Path, name: str) -> None:
    put(tmp_path, "a", THEIRS)
    crashed(tmp_path, name, entry(), OLD)
    report = anypatch.recover(tmp_path)
    assert [(p.kind, p.path) for p in report.problems] == [("conflict", "a")]
    assert (tmp_path / "a").read_bytes() == THEIRS
    assert (tmp_path / ".anypatch/conflict.20990101-000000-0000/0").read_bytes() == OLD
    assert anypatch.recover(tmp_path).ok


@pytest.mark.usefixtures("descriptors")
@pytest.mark.parametrize(("way", "here", "slot", "after"), [("undo", NEW, OLD, OLD), ("redo", OLD, NEW, NEW)])
def test_recovery_finishes_what_was_being_turned(
    tmp_path: Path, way: str, here: bytes, slot: bytes, after: bytes
) -> None:
    put(tmp_path, "a", here)
    crashed(tmp_path, f"{way}.20990101-000000-0000.1", entry(), slot)
    report = anypatch.recover(tmp_path)
    done = "undone" if way == "undo" else "redone"
    assert report.ok and f"interrupted while being {done}, was {done}" in report.notes[0].text
    assert (tmp_path / "a").read_bytes() == after
    assert [receipt.undone for receipt in anypatch.log(tmp_path)] == [way == "undo"]


@pytest.mark.parametrize("step", ["linked", "moved away", "moved in"])
def test_recovery_goes_on_where_names_cannot_be_exchanged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    """An undo was broken off between the steps that take the place of an exchange."""

    def unknown(*_: object) -> None:
        raise OSError(errno.EINVAL, "no such flag")

    monkeypatch.setattr(syscalls, "exchange", unknown)
    put(tmp_path, "a", NEW)
    crashed(tmp_path, "undo.20990101-000000-0000.1", entry(), OLD)
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


# ── undo in trouble ──────────────────────────────────────────────────────────────────────────────


def undoable(tmp_path: Path) -> None:
    put(tmp_path, "a", OLD)
    put(tmp_path, "b", OLD)
    apply(tmp_path, change(tmp_path, "a", NEW), change(tmp_path, "b", NEW))


def test_undo_that_meets_somebody_goes_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    undoable(tmp_path)
    real = transaction.settle
    calls: list[int] = []

    def settle(job: swap.Job, *, to_old: bool) -> tuple[anypatch.Problem, ...]:
        calls.append(1)
        if len(calls) == 1:
            (tmp_path / "a").write_bytes(THEIRS)
        return real(job, to_old=to_old)

    monkeypatch.setattr(history, "settle", settle)
    assert refusal(lambda: take_back(tmp_path)) == ["conflict"]
    assert ((tmp_path / "a").read_bytes(), (tmp_path / "b").read_bytes()) == (THEIRS, NEW)
    assert [receipt.undone for receipt in anypatch.log(tmp_path)] == [False]


def test_undo_that_cannot_even_go_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    undoable(tmp_path)
    problem = anypatch.Problem("conflict", "theirs", "a")
    monkeypatch.setattr(history, "settle", lambda job, to_old: (problem,))
    assert refusal(lambda: take_back(tmp_path)) == ["conflict", "conflict"]
    assert list((tmp_path / ".anypatch").glob("conflict.*"))


def test_undo_whose_last_sync_fails_is_taken_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    undoable(tmp_path)
    real = syscalls.sync_all

    def sync_all(fds: object, level: str, count: int) -> None:
        if list((tmp_path / ".anypatch").glob("*.undone")):
            raise OSError(errno.EIO, "broken")
        real(fds, level, count)  # type: ignore[arg-type]

    with monkeypatch.context() as patched:
        patched.setattr(syscalls, "sync_all", sync_all)
        assert refusal(lambda: take_back(tmp_path)) == ["io"]
    assert (tmp_path / "a").read_bytes() == NEW and not anypatch.log(tmp_path)[0].undone


@pytest.mark.parametrize("call", ["_open_folder", "_read_journal"])
def test_a_receipt_that_vanishes_meanwhile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: str) -> None:
    undoable(tmp_path)
    real = getattr(history, call)
    calls: list[int] = []

    def gone(*arguments: object) -> object:
        calls.append(1)
        if len(calls) > 1:
            raise FileNotFoundError(errno.ENOENT, "gone")
        return real(*arguments)

    monkeypatch.setattr(history, call, gone)
    assert refusal(lambda: take_back(tmp_path)) == ["no_receipt"]


def test_a_receipt_is_known_again_by_its_patch(tmp_path: Path) -> None:
    put(tmp_path, "a", OLD)
    put(tmp_path, "gone", OLD)
    with DiskTree(str(tmp_path)) as tree:
        changes = FileChange("a", tree.read("a"), File(NEW)), FileChange("gone", tree.read("gone"), None)
        name = commit(tree, changes, format="", description="", patch=b"p").id
        assert applied_as(tree, b"p") == name and applied_as(tree, b"q") == ""
        put(tmp_path, "gone", OLD)
        assert applied_as(tree, b"p") == ""
        (tmp_path / "gone").unlink()
        (tmp_path / "a").chmod(0o600)
        assert applied_as(tree, b"p") == ""
        (tmp_path / "a").unlink()
        assert applied_as(tree, b"p") == ""
        put(tmp_path, "a", NEW)
        assert applied_as(tree, b"p") == name
    take_back(tmp_path, force=True)
    with DiskTree(str(tmp_path)) as tree:
        assert applied_as(tree, b"p") == ""


def test_a_receipt_is_known_again_when_the_one_behind_it_was_undone(tmp_path: Path) -> None:
    put(tmp_path, "a", OLD)
    with DiskTree(str(tmp_path)) as tree:
        first = commit(tree, (FileChange("a", tree.read("a"), File(NEW)),), format="", description="", patch=b"p")
        commit(tree, (FileChange("b", None, File(NEW)),), format="", description="", patch=b"q")
        assert applied_as(tree, b"p") == ""
        undo(tree)
        assert applied_as(tree, b"p") == first.id and applied_as(tree, b"q") == ""


def test_a_forced_undo_after_a_crash_left_a_draft(tmp_path: Path) -> None:
    undoable(tmp_path)
    (receipt,) = (tmp_path / ".anypatch").glob("2*")
    put(receipt, "manifest.new", b"half")
    (tmp_path / "a").write_bytes(THEIRS)
    take_back(tmp_path, force=True)
    assert (tmp_path / "a").read_bytes() == OLD
    with DiskTree(str(tmp_path)) as tree:
        redo(tree)
    assert (tmp_path / "a").read_bytes() == THEIRS, "what was taken back is what is made again"


def test_undo_names_what_cannot_be_read(tmp_path: Path) -> None:
    undoable(tmp_path)
    (tmp_path / "a").unlink()
    (tmp_path / "a").mkdir()
    assert refusal(lambda: take_back(tmp_path)) == ["not_a_file"]


# ── giving up ────────────────────────────────────────────────────────────────────────────────────


def test_a_change_that_is_made_but_not_on_the_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put(tmp_path, "a", OLD)
    edit = change(tmp_path, "a", NEW)
    real = syscalls.sync_all

    def sync_all(fds: object, level: str, count: int) -> None:
        if not list((tmp_path / ".anypatch").glob("2*")):
            real(fds, level, count)  # type: ignore[arg-type]
            return

        def dead(*_: object, **__: object) -> None:
            raise OSError(errno.EROFS, "read-only")

        monkeypatch.setattr(os, "rename", dead)
        raise OSError(errno.EIO, "broken")

    with monkeypatch.context() as patched:
        patched.setattr(syscalls, "sync_all", sync_all)
        with pytest.raises(Refused) as caught:
            apply(tmp_path, edit)
    assert [p.kind for p in caught.value.problems] == ["io", "unsettled"]
    assert "was made" in caught.value.problems[1].detail
    assert f"`anypatch undo {anypatch.log(tmp_path)[0].id}`" in caught.value.problems[1].command


@pytest.mark.parametrize("undone", [False, True])
def test_an_undo_that_is_made_but_not_on_the_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, undone: bool
) -> None:
    undoable(tmp_path)
    if undone:
        take_back(tmp_path)
    real = os.rename
    last = "*.undone" if not undone else "2*[0-9]"

    def rename(one: str, other: str, **named: int) -> None:
        if list((tmp_path / ".anypatch").glob(last)):
            raise OSError(errno.EROFS, "read-only")
        real(one, other, **named)

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
    told = caught.value.problems[1]
    assert told.kind == "unsettled" and ("was redone" if undone else "was undone") in told.detail
    assert f"anypatch {'undo' if undone else 'redo'} 2" in told.command


def ready(root: Path, action: str) -> FileChange:
    """A file and an edit of it, which is applied already where the action is to undo it."""
    put(root, "a", OLD)
    edit = change(root, "a", NEW)
    if action == "undo":
        apply(root, edit)
    return edit


@pytest.mark.parametrize("action", ["apply", "undo"])
def test_a_disk_that_dies_at_the_last_sync_leaves_what_recovery_puts_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, action: str
) -> None:
    """The last rename was made, and nothing can be looked at any more: it is taken back by its name all the same."""
    edit = ready(tmp_path, action)

    def dead(*_: object, **__: object) -> None:
        raise OSError(errno.EIO, "broken")

    def sync_all(*_: object) -> None:
        if list((tmp_path / ".anypatch").glob("2*" if action == "apply" else "*.undone")):
            patched.setattr(os, "stat", dead)
            raise OSError(errno.EIO, "broken")

    with monkeypatch.context() as patched, pytest.raises(Refused) as caught:
        patched.setattr(syscalls, "sync_all", sync_all)
        apply(tmp_path, edit) if action == "apply" else take_back(tmp_path)
    assert [p.kind for p in caught.value.problems] == ["io", "unsettled"]
    assert "anypatch recover" in caught.value.problems[1].command
    assert len(anypatch.recover(tmp_path).notes) == 1 and (tmp_path / "a").read_bytes() == OLD


@pytest.mark.parametrize("action", ["apply", "undo"])
def test_a_change_that_was_not_made_is_not_said_to_be(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, action: str
) -> None:
    """The disk fails in the middle, and from then on nothing can be renamed."""
    edit = ready(tmp_path, action)

    def dead(*_: object, **__: object) -> None:
        raise OSError(errno.EROFS, "read-only")

    def exchange(*_: object) -> None:
        monkeypatch.setattr(os, "rename", dead)
        raise OSError(errno.EIO, "broken")

    with monkeypatch.context() as patched, pytest.raises(Refused) as caught:
        patched.setattr(syscalls, "exchange", exchange)
        apply(tmp_path, edit) if action == "apply" else take_back(tmp_path)
    details = " ".join(problem.detail for problem in caught.value.problems)
    assert "was made" not in details and "was undone" not in details
    assert ("only partly done" in details) == (action == "undo")


@pytest.mark.parametrize("action", ["apply", "undo"])
def test_an_interrupt_while_the_last_rename_is_taken_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, action: str
) -> None:
    """It is taken up again where it was left: behind that rename."""
    edit = ready(tmp_path, action)
    home, name = (transaction, "put_back") if action == "apply" else (history, "settle")
    real = getattr(home, name)
    calls: list[int] = []

    def interrupted(*arguments: object, **named: object) -> object:
        calls.append(1)
        if len(calls) == (1 if action == "apply" else 2):
            raise KeyboardInterrupt
        return real(*arguments, **named)

    def sync_all(*_: object) -> None:
        if list((tmp_path / ".anypatch").glob("2*" if action == "apply" else "*.undone")):
            raise OSError(errno.EIO, "broken")

    with monkeypatch.context() as patched:
        patched.setattr(home, name, interrupted)
        patched.setattr(syscalls, "sync_all", sync_all)
        assert refusal(lambda: apply(tmp_path, edit) if action == "apply" else take_back(tmp_path)) == ["io"]
    assert (tmp_path / "a").read_bytes() == (OLD if action == "apply" else NEW)
    assert len(calls) == (2 if action == "apply" else 3) and anypatch.recover(tmp_path).notes == ()


def test_what_fails_before_anything_is_begun_and_what_after_everything_is_done(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    edit = change(tmp_path, "a", b"x" * (2 << 20))

    def broken(*_: object) -> None:
        raise OSError(errno.EIO, "broken")

    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(os, "fstatvfs", broken)
        assert refusal(lambda: apply(tmp_path, edit)) == ["io"]
    assert snapshot(tmp_path) == {}
    monkeypatch.setattr("anypatch.storage.state.prune", interrupted)
    assert apply(tmp_path, edit).id and (tmp_path / "a").exists()


def test_a_transaction_of_somebody_elses_is_not_touched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where locks don't hold, as on some network file systems, two may begin at once: the second must give way."""
    put(tmp_path, "a", OLD)
    edit = change(tmp_path, "a", NEW)
    real = stage.missing_folders
    refused: list[list[str]] = []

    def meanwhile(*arguments: object) -> tuple[str, ...]:
        if not refused:
            monkeypatch.setattr(state, "lock", lambda *_: None)
            refused.append([])
            with DiskTree(str(tmp_path)) as tree:
                tree._state = tree.state(make=True)
                tree._state.lock_fd = os.dup(tree._state.fd)  # type: ignore[union-attr]
                refused[0] = refusal(lambda: commit(tree, (edit,), format="", description=""))
        return real(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr("anypatch.storage.transaction.missing_folders", meanwhile)
    apply(tmp_path, edit)
    assert refused == [["locked"]] and (tmp_path / "a").read_bytes() == NEW
    assert take_back(tmp_path) and (tmp_path / "a").read_bytes() == OLD


@pytest.mark.parametrize(
    ("error", "told"), [(OSError(errno.EIO, "x"), os.strerror(errno.EIO)), (MemoryError(), "put back")]
)
def test_what_cannot_be_given_up(error: BaseException, told: str) -> None:
    def fail() -> tuple[anypatch.Problem, ...]:
        raise error

    reason = transaction.roll_back(MemoryError(), fail, LATER)
    assert isinstance(reason, Refused) and "memory" in reason.problems[0].detail
    assert told in reason.problems[1].detail and reason.problems[1].advice == LATER.advice
    other = transaction.roll_back(ZeroDivisionError(), tuple, LATER)
    assert isinstance(other, ZeroDivisionError)
    both = transaction.roll_back(ZeroDivisionError(), lambda: (LATER,), LATER)
    assert isinstance(both, Refused) and both.problems == (LATER,)


def test_an_interrupt_that_never_ends() -> None:
    def interrupted() -> tuple[anypatch.Problem, ...]:
        raise KeyboardInterrupt

    reason = transaction.roll_back(KeyboardInterrupt(), interrupted, LATER)
    assert isinstance(reason, Refused) and len(reason.problems) == 2


def test_closing_late_fails_quietly(monkeypatch: pytest.MonkeyPatch) -> None:
    transaction.close_uninterrupted(-1)


@pytest.mark.parametrize("call", ["mkdir", "rmdir"])
def test_folders_that_cannot_be_made_or_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: str) -> None:
    def broken(*_: object, **__: object) -> None:
        raise OSError(errno.EIO, "broken")

    monkeypatch.setattr(os, call, broken)
    folders = Folders(str(tmp_path))
    action = transaction.make_folder if call == "mkdir" else transaction.remove_folder
    assert refusal(lambda: action(folders, "x")) == ["io"]
    folders.close()


def test_a_change_that_never_touched_the_tree_takes_nothing_from_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Somebody makes the very folder that we wanted to make; then our journal cannot be written."""
    edit = change(tmp_path, "d/a", NEW)

    def rename(*_: object, **__: object) -> None:
        (tmp_path / "d").mkdir()
        raise OSError(errno.EIO, "broken")

    with monkeypatch.context() as patched:
        patched.setattr(os, "rename", rename)
        assert refusal(lambda: apply(tmp_path, edit)) == ["io"]
    assert (tmp_path / "d").is_dir() and sorted(os.listdir(tmp_path / ".anypatch")) == [".gitignore", "lock"]


# ── staging ──────────────────────────────────────────────────────────────────────────────────────


def test_a_label_that_may_not_be_set_is_left_to_its_owner(monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: object) -> None:
        raise OSError(errno.EPERM, "no")

    monkeypatch.setattr(os, "setxattr", refused)
    stage._set_attribute(0, "security.selinux", b"x")
    with pytest.raises(OSError, match="no"):
        stage._set_attribute(0, "user.note", b"x")


def test_folders_in_the_way_of_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folders = Folders(str(tmp_path))

    def broken(*_: object) -> int:
        raise OSError(errno.EIO, "broken")

    monkeypatch.setattr(Folders, "fd", broken)
    assert refusal(lambda: stage._is_missing(folders, "x")) == ["io"]
    folders.close()


def test_room_is_checked_for_large_changes(tmp_path: Path) -> None:
    apply(tmp_path, change(tmp_path, "a", b"x" * (2 << 20)), change(tmp_path, "d/b", b""), change(tmp_path, "d/c", b""))
    assert (tmp_path / "a").stat().st_size == 2 << 20


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
    assert given == [(-1, 4321)] * 2, "also where the folder is still to be made, and will hand it on"


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
def test_a_new_file_is_as_if_it_had_been_made_in_its_folder(tmp_path: Path, rules: bytes, umask: int) -> None:
    """The kernel tells how: files made there by hand, and folders above them, must have the same rights."""
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
    assert rights(tmp_path / "old") == (0o640, b""), "what is only edited gets nothing from the folder"
    assert rights(tmp_path / "plain") == rights(tmp_path / "made/plain")
    assert rights(tmp_path / "below/run") == rights(tmp_path / "made/run")
    assert rights(tmp_path / "below") == rights(tmp_path / "made")
    assert (tmp_path / "below/own").stat().st_mode & 0o700 == 0o600
    take_back(tmp_path)
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
    assert (tmp_path / "all").stat().st_mode & 0o777 == 0o666, "a mode of one's own is exact"
    take_back(tmp_path)
    monkeypatch.delattr(os, call)
    apply(tmp_path, edit)
    assert (tmp_path / "a").read_bytes() == b"x"


# ── the kernel ───────────────────────────────────────────────────────────────────────────────────


def test_functions_that_are_missing_or_interrupted(monkeypatch: pytest.MonkeyPatch) -> None:
    assert not syscalls.has_function("no_such_function_at_all")
    with pytest.raises(OSError, match=os.strerror(errno.ENOSYS)):
        syscalls.call("no_such_function_at_all")
    import ctypes

    answers = [-1, 7]
    monkeypatch.setitem(syscalls._functions, "interrupted", lambda: answers.pop(0))
    monkeypatch.setattr(ctypes, "get_errno", lambda: errno.EINTR)
    assert syscalls.call("interrupted") == 7


def test_syncing_where_there_is_a_fuller_way(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As on macOS: only that the call is made can be tested here."""
    asked: list[tuple[int, int]] = []
    monkeypatch.setattr(fcntl, "F_FULLFSYNC", 51, raising=False)
    monkeypatch.setattr(fcntl, "fcntl", lambda fd, command: asked.append((fd, command)))
    syscalls.sync(3)
    assert asked == [(3, 51)]


def test_many_files_are_synced_at_once_and_without_syncfs_each(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[str] = []
    monkeypatch.setattr(syscalls, "syncfs", lambda fd: calls.append("syncfs"))
    real = os.fsync

    def fsync(fd: int) -> None:
        calls.append("fsync")
        real(fd)

    monkeypatch.setattr(os, "fsync", fsync)
    apply(tmp_path, *(change(tmp_path, f"d{n % 3}/{n}", b"x") for n in range(40)))
    assert calls.count("syncfs") == 2 and calls.count("fsync") < 10
    syscalls.sync_all([-1], "none", 1)
    assert (
        syscalls.syncs_file_system("batch", 17)
        and not syscalls.syncs_file_system("full", 17)
        and not syscalls.syncs_file_system("batch", 16)
    )
    monkeypatch.setattr(syscalls, "has_function", lambda name: False)
    assert syscalls.syncs_each_file("batch", 1000)


# ── containment ──────────────────────────────────────────────────────────────────────────────────


def test_the_walk_takes_plain_names_only(tmp_path: Path) -> None:
    folders = Folders(str(tmp_path))
    for path in ("..", "a/../..", "./a", "a//b"):
        (tmp_path / "a").mkdir(exist_ok=True)
        assert refusal(lambda path=path: folders.fd(path)) == ["unsafe_path"]  # type: ignore[misc]
    folders.close()
    folders.close()


@pytest.mark.parametrize("at", [1, 2])
def test_links_that_cannot_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, at: int) -> None:
    (tmp_path / "link").symlink_to("a")
    real = os.readlink
    calls: list[int] = []

    def readlink(*arguments: object, **named: object) -> object:
        calls.append(1)
        if len(calls) == at:
            raise OSError(errno.EACCES, "no")
        return real(*arguments, **named)  # type: ignore[arg-type,type-var]

    monkeypatch.setattr(os, "readlink", readlink)
    with DiskTree(str(tmp_path)) as tree:
        assert refusal(lambda: tree.canonical("link")) == ["io"]


def test_what_the_system_said_is_told() -> None:
    assert sandbox.error_text(OSError(errno.EIO, "x")) == os.strerror(errno.EIO)
    assert sandbox.error_text(OSError("odd")) == "odd"
    assert sandbox.error_text(OSError()) == "the system gave no reason"


def test_a_file_that_grows_while_it_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put(tmp_path, "a", b"12345")
    real = os.fstat

    def smaller(fd: int) -> os.stat_result:
        facts = list(real(fd))
        facts[6] = 2
        return os.stat_result(facts)

    folder = os.open(tmp_path, os.O_RDONLY)
    monkeypatch.setattr(os, "fstat", smaller)
    assert sandbox.read_at(folder, "a", 100)[0] == sandbox.read_at(folder, "a", 5)[0] == b"12345"
    with pytest.raises(OSError, match=os.strerror(errno.EFBIG)):
        sandbox.read_at(folder, "a", 4)
    os.close(folder)


@pytest.mark.parametrize("number", [errno.ENOTSUP, errno.EIO])
def test_file_systems_without_attributes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int) -> None:
    put(tmp_path, "a", OLD)

    def none(*_: object) -> list[str]:
        raise OSError(number, "no")

    monkeypatch.setattr(os, "listxattr", none)
    with DiskTree(str(tmp_path)) as tree:
        if number == errno.EIO:
            assert refusal(lambda: tree.read("a")) == ["io"]
        else:
            edit = FileChange("a", tree.read("a"), File(NEW))
            commit(tree, (edit,), format="", description="")
            monkeypatch.delattr(os, "listxattr")
            assert tree.read("a") == File(NEW)


def test_walks_are_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(30):
        put(tmp_path, f"d{number}/name", b"x")
    (tmp_path / "pipe").write_bytes(b"")
    with DiskTree(str(tmp_path)) as tree:
        assert tree.ending("d3/name") == ("d3/name",) and tree.ending("name/x") == ()
        facts = os.stat(tmp_path / "d3/name")
        os.link(tmp_path / "d3/name", tmp_path / "second")
        os.makedirs(tmp_path / ".git")
        os.link(tmp_path / "d3/name", tmp_path / ".git/third")
        assert sandbox.count_names(tree.folders, facts) == 2
        monkeypatch.setattr(sandbox, "MAX_WALK", 3)
    with DiskTree(str(tmp_path)) as tree:
        assert tree.ending("d3/name") == () and len(tree.suggest("name")) <= 3
        assert sandbox.count_names(tree.folders, facts) <= 2

        def broken(_: int) -> Iterator[os.DirEntry[str]]:
            raise OSError(errno.EACCES, "no")

        monkeypatch.setattr(os, "scandir", broken)
    with DiskTree(str(tmp_path)) as tree:
        assert tree.ending("name") == () and sandbox.count_names(tree.folders, facts) == 0


def test_where_a_tree_is_too_large_no_file_is_the_only_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in "abcd":
        put(tmp_path, name, b"x")
    for allowed in (4, 3):
        monkeypatch.setattr(sandbox, "MAX_WALK", allowed)
        with DiskTree(str(tmp_path)) as tree:
            assert [tree.ending(name) for name in "abcd"] == [(name,) if allowed == 4 else () for name in "abcd"]


def test_changes_in_no_plain_form(tmp_path: Path) -> None:
    assert refusal(lambda: apply(tmp_path, FileChange("./a", None, File(b"")))) == ["unsafe_path"]


def test_somebody_writes_between_planning_and_committing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What they wrote is planned for anew, and both edits are there in the end."""
    place = put(tmp_path, "a", b"one\ntwo\nthree\n")
    real = transaction.carry_out
    calls: list[int] = []

    def carry_out(storage: transaction.Storage, task: transaction.Task) -> state.ReceiptName:
        calls.append(1)
        if len(calls) == 1:
            put(tmp_path, "other", b"one\ntwo\nTHREE\n")
            os.replace(tmp_path / "other", place)
        return real(storage, task)

    monkeypatch.setattr(transaction, "carry_out", carry_out)
    report = anypatch.apply('{"file_path": "a", "old_string": "one", "new_string": "ONE"}', tmp_path)
    assert report.ok and place.read_bytes() == b"ONE\ntwo\nTHREE\n" and len(calls) == 2


def test_lines_are_measured_only_in_large_files() -> None:
    few = Limits(line_bytes=4, lines=2)
    check_file("a", b"ab\ncd\n", few)
    with pytest.raises(Refused):
        check_file("a", b"ab\nabcde", few)


def test_a_run_is_watched_and_can_be_stopped(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("one\n")
    block = "a.txt\n<<<<<<< SEARCH\n{}\n=======\n{}\n>>>>>>> REPLACE\n"
    seen: list[tuple[str, str]] = []
    watch = Settings(watch=lambda what, which: seen.append((what, which)))
    assert anypatch.apply(block.format("one", "two"), tmp_path, settings=watch).ok
    assert (seen[0], seen[-1]) == (("read", "a.txt"), ("write", "1"))

    def stop(what: str, which: str) -> None:
        if what == "write":
            raise InterruptedError

    with pytest.raises(InterruptedError):
        anypatch.apply(block.format("two", "three"), tmp_path, settings=Settings(watch=stop))
    assert (tmp_path / "a.txt").read_text() == "two\n"
    assert not list((tmp_path / ".anypatch").glob("tx*"))
    assert anypatch.apply(block.format("two", "three"), tmp_path).ok, "the lock is free again"


# ── fewer calls, and nothing taken for granted ───────────────────────────────────────────────────


def test_the_files_of_one_folder_go_together(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    paths = [f"d{number % 6}/f{number}" for number in range(24)]
    for path in paths:
        put(tmp_path, path, OLD)
    changes = [change(tmp_path, path, NEW) for path in paths] + [FileChange(p + ".n", None, File(NEW)) for p in paths]
    opened: list[str] = []
    for module in (sandbox, transaction):
        monkeypatch.setattr(module, "MAX_OPEN", 4)
    with DiskTree(str(tmp_path)) as tree:
        for path in paths:
            tree.read(path)
        real = os.open

        def counted(path: str, flags: int, mode: int = 0o777, *, dir_fd: int | None = None) -> int:
            opened.append(path)
            return real(path, flags, mode, dir_fd=dir_fd)

        monkeypatch.setattr(os, "open", counted)
        commit(tree, tuple(changes), format="", description="")
        monkeypatch.setattr(os, "open", real)
    # Looked for in the order of the patch when it is seen whether they can be written, and while staging; then opened
    # for the exchange and for the sync.
    assert max(opened.count(f"d{number}") for number in range(6)) <= 5
    assert all((tmp_path / path).read_bytes() == NEW == (tmp_path / f"{path}.n").read_bytes() for path in paths)
    take_back(tmp_path)
    assert all((tmp_path / path).read_bytes() == OLD and not (tmp_path / f"{path}.n").exists() for path in paths)


@pytest.mark.parametrize("name", ["a", "b"])
def test_a_folder_that_was_missing_and_appears(tmp_path: Path, name: str) -> None:
    changes = tuple(FileChange(path, None, File(NEW)) for path in ("x/a", "x/y/c"))
    with DiskTree(str(tmp_path)) as tree:
        assert [tree.read(made.path) for made in changes] == [None, None]
        put(tmp_path, f"x/{name}", THEIRS)
        if name == "a":
            assert refusal(lambda: commit(tree, changes, format="", description="")) == ["stale"]
        else:
            commit(tree, changes, format="", description="")
    assert (tmp_path / f"x/{name}").read_bytes() == THEIRS
    assert (tmp_path / "x/y").exists() == (name == "b")


def test_what_a_folder_hands_on_is_asked_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    real = os.getxattr

    def getxattr(path: int, name: str) -> bytes:
        asked.append(name)
        return real(path, name)

    monkeypatch.setattr(os, "getxattr", getxattr)
    (tmp_path / "x").mkdir()
    apply(tmp_path, *(FileChange(f"x/{name}", None, File(NEW)) for name in "abc"), FileChange("d", None, File(NEW)))
    assert asked == [stage.DEFAULT_ACL] * 2


@pytest.fixture
def synced(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of what is synced, as it is."""
    names: list[str] = []
    real = os.fsync

    def fsync(fd: int) -> None:
        names.append(os.path.basename(os.readlink(f"/proc/self/fd/{fd}")))
        real(fd)

    monkeypatch.setattr(os, "fsync", fsync)
    return names


@pytest.mark.parametrize("level", get_args(Durability))
def test_what_a_forced_undo_writes_into_the_journal_is_synced_before_it_has_its_name(
    tmp_path: Path, synced: list[str], level: Durability
) -> None:
    place = put(tmp_path, "a", OLD)
    apply(tmp_path, change(tmp_path, "a", NEW))
    place.write_bytes(THEIRS)
    synced.clear()
    with DiskTree(str(tmp_path), Settings(durability=level)) as tree:
        undo(tree, force=True)
    assert place.read_bytes() == OLD and ("manifest.new" in synced) == bool(synced) == (level != "none")


def test_a_file_is_written_in_place_only_when_the_disk_knows(tmp_path: Path, synced: list[str]) -> None:
    """No slot tells how far such a path has come: the mark that it was begun must be on the disk, and be found there."""
    put(tmp_path, "a", OLD)
    os.link(tmp_path / "a", tmp_path / "b")
    synced.clear()
    with DiskTree(str(tmp_path), Settings(hardlinks="keep")) as tree:
        edit = FileChange("a", tree.read("a"), File(NEW))
        commit(tree, (edit,), format="", description="")
    assert (tmp_path / "b").read_bytes() == NEW
    begun = synced.index("0.begun")
    assert {"0.old", "0.new", "manifest.new"} <= set(synced[:begun]) and synced[begun + 1] == "tx"
    assert "a" in synced[begun:]


def test_folders_that_were_removed_again_are_not_synced(tmp_path: Path, synced: list[str]) -> None:
    """Some file systems fail where one asks them to."""
    apply(tmp_path, change(tmp_path, "d/e/a", NEW))
    take_back(tmp_path)
    assert "e" in synced and not [name for name in synced if name.endswith("(deleted)")]


def test_a_new_key_is_on_the_disk_before_it_signs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, synced: list[str]
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    assert len(manifest.load_key(make=True)) == manifest.KEY_SIZE
    assert synced[0].startswith(".anypatch-") and synced[1:] == ["anypatch", "state"]


@pytest.fixture
def events(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What happens on the disk, in its order: syncs, exchanges, renames and removals, by the names without ids."""
    told: list[str] = []

    def recorded(home: object, name: str, what: Callable[..., str]) -> None:
        real = getattr(home, name)

        def acted(*arguments: object, **named: object) -> object:
            told.append(f"{name} " + re.sub(r"\d{8}-\d{6}-[0-9a-f]{4}", "ID", os.path.basename(what(*arguments))))
            return real(*arguments, **named)

        monkeypatch.setattr(home, name, acted)

    recorded(os, "fsync", lambda fd: os.readlink(f"/proc/self/fd/{fd}"))
    recorded(os, "rename", lambda one, other: other)
    recorded(os, "unlink", lambda name: name)
    recorded(syscalls, "exchange", lambda *names: names[3])
    put(tmp_path, "root/a", OLD)
    manifest.load_key(make=True)
    told.clear()
    return told


def test_each_step_is_on_the_disk_before_the_next(tmp_path: Path, events: list[str]) -> None:
    """After a power cut there is the journal or nothing to put back; and what has its last name is whole."""
    root = tmp_path / "root"
    with DiskTree(str(root)) as tree:
        commit(tree, (FileChange("a", tree.read("a"), File(NEW)),), format="", description="")
        assert events == [
            "fsync 0", "fsync manifest.new", "rename manifest", "fsync tx", "fsync .anypatch",
            "exchange a", "fsync root", "fsync tx", "rename ID.3", "fsync .anypatch",
        ]  # fmt: skip
        for turn, way, last in ((undo, "undo.ID.3", "ID.3.undone"), (redo, "redo.ID.3", "ID.3")):
            events.clear()
            turn(tree)
            assert events == [
                f"rename {way}", "fsync .anypatch", f"fsync {way}",
                "exchange a", "fsync root", f"fsync {way}", f"rename {last}", "fsync .anypatch",
            ]  # fmt: skip


def test_what_recovery_did_is_on_the_disk_before_the_journal_goes(tmp_path: Path, events: list[str]) -> None:
    root = tmp_path / "root"
    put(root, "a", NEW)
    crashed(root, "undo.20990101-000000-0000.3", entry(), OLD)
    assert anypatch.recover(root).ok
    way = "undo.ID.3"
    assert events == ["exchange a", "fsync root", f"fsync {way}", "rename ID.3.undone", "fsync .anypatch"]
    put(root, "a", NEW)
    crashed(root, "tx", entry(), OLD)
    events.clear()
    assert anypatch.recover(root).ok
    assert events == ["exchange a", "fsync root", "fsync tx", "unlink manifest", "unlink 0"], "the journal goes first"


# ── nothing stays behind ─────────────────────────────────────────────────────────────────────────


def test_what_is_kept_is_for_the_user_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
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


@pytest.mark.usefixtures("descriptors")
def test_no_descriptor_stays_open(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "home"))
    root = tmp_path / "root"
    put(root, "a", OLD)
    os.link(root / "a", root / "b")
    os.mkfifo(root / "pipe")
    for settings in (Settings(), Settings(hardlinks="keep"), Settings(state_dir=str(tmp_path / "state"))):
        with DiskTree(str(root), settings) as tree:
            edit = FileChange("a", tree.read("a"), File(NEW))
            commit(tree, (edit,), format="", description="", patch=b"p")
            assert applied_as(tree, b"p") and not applied_as(tree, b"q")
            undo(tree)
            redo(tree)
            undo(tree)
            assert len(receipts(tree)) >= 1
            assert refusal(lambda tree=tree: tree.read("pipe")) == ["not_a_file"]  # type: ignore[misc]
            assert refusal(lambda tree=tree, edit=edit: commit(tree, (edit._replace(before=File(b"?")),), format="", description="")) == ["stale"]  # type: ignore[misc]  # fmt: skip


@pytest.mark.usefixtures("descriptors")
@pytest.mark.parametrize("here", [NEW, THEIRS, b"newer", None])
def test_recovery_of_a_kept_file_leaves_no_descriptor(tmp_path: Path, here: bytes | None) -> None:
    if here is not None:
        put(tmp_path, "a", here)
    crashed(tmp_path, "tx", entry(way="keep"), b"")
    for name, data in (("old", OLD), ("new", NEW), ("begun", b"")):
        put(tmp_path, f".anypatch/tx/0.{name}", data)
    report = anypatch.recover(tmp_path)
    assert [p.kind for p in report.problems] == ([] if here == NEW else ["conflict"])
    assert (
        not (tmp_path / "a").exists()
        if here is None
        else (tmp_path / "a").read_bytes() == (OLD if here == NEW else here)
    )


def test_who_forgets_sees_what_came_and_what_went(tmp_path: Path) -> None:
    os.setxattr(put(tmp_path, "a", OLD), "user.note", b"of the old one")
    put(tmp_path, "d/a", OLD)
    with DiskTree(str(tmp_path)) as tree:
        assert tree.read("x/a") is None and tree.read("a") == tree.read("d/a") == File(OLD)
        put(tmp_path, "x/a", THEIRS)
        (tmp_path / "a").unlink()
        (tmp_path / "d").rename(tmp_path / "moved")
        put(tmp_path, "d/a", THEIRS)
        tree.forget()
        assert tree.read("x/a") == tree.read("d/a") == File(THEIRS) and tree.read("a") is None
        commit(tree, (FileChange("a", None, File(NEW)),), format="", description="")
    assert os.listxattr(tmp_path / "a") == [], "a new file is not dressed as one that stood there"


def test_who_has_no_key_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    crashed(tmp_path, "tx", entry(), OLD)
    put(tmp_path, "a", NEW)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "home"))
    (problem,) = anypatch.recover(tmp_path).problems
    assert (problem.kind, problem.detail) == ("foreign_journal", "this user has no key to check it with")
    manifest.load_key(make=True)
    (problem,) = anypatch.recover(tmp_path).problems
    assert problem.kind == "foreign_journal" and "key" not in problem.detail


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


def test_who_only_looks_makes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither a state directory nor a key; also where there is a state directory of somebody else's."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "home"))
    root = tmp_path / "root"
    put(root, "a", b"x\n")
    for left in ([], [".anypatch"]):
        assert anypatch.log(root) == () and anypatch.recover(root).ok
        assert anypatch.preview('{"file_path": "a", "old_string": "x", "new_string": "y"}', root).ok
        assert refusal(lambda: take_back(root)) == ["no_receipt"]
        with DiskTree(str(root)) as tree:
            assert applied_as(tree, b"p") == "" and refusal(lambda tree=tree: redo(tree)) == ["no_receipt"]  # type: ignore[misc]
        assert sorted(os.listdir(root)) == [*left, "a"] and not (tmp_path / "home").exists()
        put(root, ".anypatch/20990101-000000-0000.1/manifest", b"\n" + manifest.digest(b"p").encode() + b"\n")


def test_a_descriptor_may_be_the_first_of_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Who starts us without a standard input makes 0 the number of some file or folder: each in its turn here."""
    real, kept = os.open, os.dup(0)
    count = len(os.listdir("/dev/fd"))
    opened = 0

    def opening(*arguments: object, **named: object) -> int:
        nonlocal opened
        opened += 1
        if opened == at:
            os.close(0)
        return real(*arguments, **named)  # type: ignore[arg-type]

    monkeypatch.setattr(os, "open", opening)
    at = 0
    while opened >= at:
        at, opened = at + 1, 0
        root = tmp_path / str(at)
        put(root, "d/e/a", OLD)
        old = snapshot(root)
        try:
            with DiskTree(str(root)) as tree:
                edit = FileChange("d/e/a", tree.read("d/e/a"), File(NEW))
                commit(tree, (edit, FileChange("d/n/b", None, File(NEW))), format="", description="")
                assert ((root / "d/e/a").read_bytes(), (root / "d/n/b").read_bytes()) == (NEW, NEW)
                undo(tree)
            assert len(os.listdir("/dev/fd")) == count - (opened >= at), "it is closed again"
        finally:
            os.dup2(kept, 0)
        assert snapshot(root) == old
    assert at > 20
    os.close(kept)
