"""Installing and restoring one path: every state that it can be in, hard links, other file systems, no exchange."""

from __future__ import annotations

import errno
import os
import re
import socket
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import anypatch
from anypatch import Settings
from anypatch.hints import Hardlinks
from anypatch.model import LINK, File, FileChange
from anypatch.problems import Refused
from anypatch.storage import swap, syscalls
from anypatch.storage.sandbox import Folders
from anypatch.storage.tree import DiskTree, commit, redo
from support.disk_trees import (
    NEW,
    OLD,
    THEIRS,
    Fault,
    apply,
    change,
    entry_of,
    put,
    refusal,
    snapshot,
    tree_and_changes,
    undo_change,
    write_crashed,
)

EDIT = '{"file_path": "a", "old_string": "old", "new_string": "new"}'


SLOT = ".anypatch-ID-0"


@pytest.fixture
def job(tmp_path: Path) -> Iterator[swap.Job]:
    """An empty root and an empty folder for slots."""
    (tmp_path / "root").mkdir()
    (tmp_path / "tx").mkdir()
    folders = Folders(str(tmp_path / "root"))
    tx = os.open(tmp_path / "tx", os.O_RDONLY)
    yield swap.Job(folders, tx, "ID", (), ())
    os.close(tx)
    folders.close()


def lay_out(tmp_path: Path, here: bytes | None, saved: bytes | None, slot: str = "0", path: str = "a") -> None:
    for place, data in ((tmp_path / "root" / path, here), (tmp_path / "tx" / slot, saved)):
        if data is not None:
            put(place.parent, place.name, data)


def lay_out_copies(tmp_path: Path, old: bytes | None, new: bytes | None, begun: bool = True) -> None:
    for name, data in (("0.old", old), ("0.new", new), ("0.begun", b"" if begun else None)):
        if data is not None:
            put(tmp_path / "tx", name, data)


def make_special(place: Path, kind: str) -> None:
    if kind == "folder":
        place.mkdir()
    elif kind == "link":
        place.symlink_to("x")
    elif kind == "pipe":
        os.mkfifo(place)


def contents(tmp_path: Path) -> tuple[bytes | None, bytes | None]:
    places = (tmp_path / "root/a", tmp_path / "tx/0")
    return tuple(place.read_bytes() if place.exists() else None for place in places)  # type: ignore[return-value]


# ── restore: every state that a path can be in ────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("old", "new", "here", "slot", "wanted"),
    [
        (OLD, NEW, OLD, NEW, (OLD, NEW)),  # not exchanged
        (OLD, NEW, NEW, OLD, (OLD, NEW)),  # exchanged
        (OLD, NEW, NEW, THEIRS, (THEIRS, NEW)),  # exchanged with a file of theirs, which goes back
        (OLD, NEW, THEIRS, NEW, (THEIRS, NEW)),  # they replaced it before us
        (OLD, NEW, None, NEW, (None, NEW)),
        (OLD, NEW, None, OLD, (OLD, None)),  # they removed ours
        (OLD, NEW, OLD, None, (OLD, None)),  # the slot is already cleared
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
def test_restore(
    tmp_path: Path, job: swap.Job, old: bytes, new: bytes, here: bytes, slot: bytes, wanted: object
) -> None:
    for _ in range(2):
        lay_out(tmp_path, here, slot)
        swap.restore(job, entry_of(old=old, new=new))
        assert contents(tmp_path) == wanted
        here = slot = None  # type: ignore[assignment]


@pytest.mark.parametrize(
    ("old", "new", "here", "slot"),
    [
        (OLD, NEW, THEIRS, OLD),
        (OLD, NEW, THEIRS, None),
        (OLD, NEW, NEW, None),
        (None, NEW, NEW, THEIRS),
        (None, NEW, THEIRS, None),
        (OLD, None, THEIRS, OLD),
    ],
)
def test_restore_refuses_a_file_of_somebody_else(
    tmp_path: Path, job: swap.Job, old: bytes, new: bytes, here: bytes, slot: bytes
) -> None:
    lay_out(tmp_path, here, slot)
    with pytest.raises(Refused) as caught:
        swap.restore(job, entry_of(old=old, new=new))
    (problem,) = caught.value.problems
    assert problem.kind == "conflict" and contents(tmp_path) == (here, slot)
    why = {(NEW, None): "the saved file no longer exists", (NEW, THEIRS): "its slot is taken"}
    assert problem.detail == why.get((here, slot), "someone else has written to it in the meantime")


def test_restore_without_its_folder(tmp_path: Path, job: swap.Job) -> None:
    lay_out(tmp_path, None, OLD)
    assert refusal(lambda: swap.restore(job, entry_of("sub/a"))) == ["conflict"]
    put(tmp_path / "root", "sub", b"a file")
    assert refusal(lambda: swap.restore(job, entry_of("sub/a"))) == ["conflict"]
    swap.restore(job, entry_of("sub/a", old=None))


@pytest.mark.parametrize("kind", ["folder", "link", "pipe"])
@pytest.mark.parametrize("old", [OLD, None])
def test_restore_leaves_folders_links_and_pipes(tmp_path: Path, job: swap.Job, kind: str, old: bytes | None) -> None:
    place = tmp_path / "root/a"
    make_special(place, kind)
    lay_out(tmp_path, None, old)
    before = snapshot(tmp_path)
    assert refusal(lambda: swap.restore(job, entry_of(old=old))) == ["conflict"]
    assert snapshot(tmp_path) == before


@pytest.mark.parametrize("old", [OLD, None])
def test_restore_notices_a_file_replaced_after_it_was_read(
    tmp_path: Path, job: swap.Job, monkeypatch: pytest.MonkeyPatch, old: bytes | None
) -> None:
    """Between reading it and taking it, another file replaces ours."""
    lay_out(tmp_path, NEW, old)
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
    assert refusal(lambda: swap.restore(job, entry_of(old=old))) == ["conflict"]
    assert contents(tmp_path) == (THEIRS, old)


def test_restore_notices_a_file_created_after_it_looked(
    tmp_path: Path, job: swap.Job, monkeypatch: pytest.MonkeyPatch
) -> None:
    lay_out(tmp_path, None, OLD)

    def taken(*_: object) -> None:
        raise FileExistsError(errno.EEXIST, "taken")

    monkeypatch.setattr(syscalls, "rename_noreplace", taken)
    assert refusal(lambda: swap.restore(job, entry_of(new=None))) == ["conflict"]


def test_the_stamp_of_a_socket(tmp_path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as server:
        here = os.getcwd()
        os.chdir(tmp_path)
        server.bind("s")
        os.chdir(here)
        folder = os.open(tmp_path, os.O_RDONLY)
        seen = swap.read_stamp(folder, "s")
        os.close(folder)
    assert seen is not None and seen.fingerprint == "?"


# ── install ───────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("kind", ["text", "mode", "gone", "folder", "link", "pipe"])
@pytest.mark.parametrize("new", [NEW, None])
def test_install_compares_what_it_displaced(tmp_path: Path, job: swap.Job, kind: str, new: bytes | None) -> None:
    place = tmp_path / "root/a"
    lay_out(tmp_path, THEIRS if kind == "text" else OLD, new)
    if kind == "mode":
        place.chmod(0o600)
    if kind in ("gone", "folder", "link", "pipe"):
        place.unlink()
    make_special(place, kind)
    before = snapshot(tmp_path)
    assert refusal(lambda: swap.install(job, entry_of(new=new), File(OLD))) == ["stale"]
    assert snapshot(tmp_path) == before


def test_install_returns_displaced_files_until_ours_is_in_the_slot(
    tmp_path: Path, job: swap.Job, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Somebody replaces the file again and again: their last file is there in the end."""
    lay_out(tmp_path, b"theirs 0", NEW)
    real = syscalls.exchange
    count = [0]

    def exchange(*names: Any) -> None:
        count[0] += 1
        if count[0] in (2, 3):
            put(tmp_path, "other", b"theirs %d" % count[0])
            os.replace(tmp_path / "other", tmp_path / "root/a")
        real(*names)

    monkeypatch.setattr(syscalls, "exchange", exchange)
    assert refusal(lambda: swap.install(job, entry_of(), File(OLD))) == ["stale"]
    here, _ = contents(tmp_path)
    assert here is not None and here.startswith(b"theirs")
    monkeypatch.setattr(swap, "is_new", lambda *_: False)
    assert refusal(lambda: swap.install(job, entry_of(), File(OLD))) == ["stale"]


def test_install_without_its_folder(job: swap.Job) -> None:
    assert refusal(lambda: swap.install(job, entry_of("sub/a", old=None), None)) == ["stale"]
    assert refusal(lambda: swap.install(job, entry_of("sub/a", method="far"), File(OLD))) == ["stale"]


@pytest.mark.parametrize("call", ["look", "displaced", "parent", "swap"])
def test_unexpected_errors_are_raised(
    tmp_path: Path, job: swap.Job, monkeypatch: pytest.MonkeyPatch, call: str
) -> None:
    lay_out(tmp_path, OLD, NEW)

    def broken(*_: object, **__: object) -> None:
        raise OSError(errno.EIO, "broken")

    def unknown(*_: object, **__: object) -> None:
        raise OSError(errno.EINVAL, "no such flag")

    actions: dict[str, Callable[[], object]] = {
        "look": lambda: swap.read_stamp(job.slots, "0"),
        "displaced": lambda: swap._displaced(job.slots, "0", File(OLD), entry_of()),
        "parent": lambda: swap.parent(job.folders, entry_of("sub/a")),
        "swap": lambda: swap.swap(job.slots, "0", job.folders.root, "a"),
    }
    monkeypatch.setattr(os, "open", broken)
    monkeypatch.setattr(syscalls, "exchange", unknown)
    monkeypatch.setattr(os, "link", broken)
    with pytest.raises(OSError, match="broken"):
        actions[call]()


# ── far: another file system below the root ───────────────────────────────────────────────────────


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
def test_far_restore(
    tmp_path: Path, job: swap.Job, old: bytes, new: bytes, here: bytes, left: dict[str, bytes], wanted: bytes
) -> None:
    lay_out_copies(tmp_path, old, new)
    for name, data in ({"a": here} if here is not None else {}).items() | left.items():
        put(tmp_path / "root", name, data)
    for _ in range(2):
        swap.restore(job, entry_of(old=old, new=new, method="far"))
        assert os.listdir(tmp_path / "root") == (["a"] if wanted is not None else [])
        assert contents(tmp_path)[0] == wanted


@pytest.mark.parametrize(
    ("old", "new", "here", "slot", "after"),
    [
        (OLD, NEW, NEW, THEIRS, THEIRS),  # displaced, not yet compared: theirs goes back
        (OLD, None, None, THEIRS, THEIRS),
        (OLD, NEW, THEIRS, None, THEIRS),
    ],
)
def test_far_restore_keeps_a_file_of_somebody_else(
    tmp_path: Path, job: swap.Job, old: bytes, new: bytes, here: bytes, slot: bytes, after: bytes
) -> None:
    lay_out_copies(tmp_path, old, new)
    lay_out(tmp_path, here, None)
    if slot:
        put(tmp_path / "root", SLOT, slot)
    assert refusal(lambda: swap.restore(job, entry_of(old=old, new=new, method="far"))) == ["conflict"]
    assert snapshot(tmp_path / "root") == {"a": ("file", after, 0o644)}


def test_paths_that_were_not_begun_are_left_alone(tmp_path: Path, job: swap.Job) -> None:
    lay_out_copies(tmp_path, OLD, NEW, begun=False)
    lay_out(tmp_path, THEIRS, None)
    for method in ("far", "keep"):
        swap.restore(job, entry_of(method=method))
    assert contents(tmp_path)[0] == THEIRS


def test_far_restore_without_its_folder_or_its_copy(tmp_path: Path, job: swap.Job) -> None:
    lay_out_copies(tmp_path, None, None)
    assert refusal(lambda: swap.restore(job, entry_of("sub/a", method="far"))) == ["conflict"]
    swap.restore(job, entry_of("sub/a", old=None, method="far"))
    lay_out(tmp_path, NEW, None)
    assert refusal(lambda: swap.restore(job, entry_of(method="far"))) == ["conflict"]


def test_far_install_notices_files_of_somebody_else(
    tmp_path: Path, job: swap.Job, monkeypatch: pytest.MonkeyPatch
) -> None:
    lay_out_copies(tmp_path, OLD, NEW, begun=False)
    lay_out(tmp_path, OLD, None)
    real = swap.swap

    def swapping(*names: Any) -> None:
        (tmp_path / "root/a").write_bytes(THEIRS)
        monkeypatch.setattr(swap, "swap", real)
        real(*names)

    monkeypatch.setattr(swap, "swap", swapping)
    assert refusal(lambda: swap.install(job, entry_of(method="far"), File(OLD))) == ["stale"]
    assert snapshot(tmp_path / "root") == {"a": ("file", THEIRS, 0o644)}
    (tmp_path / "root/a").unlink()
    (tmp_path / "tx/0.begun").unlink()

    def taken(*_: object) -> None:
        put(tmp_path / "root", "a", THEIRS)
        raise FileExistsError(errno.EEXIST, "taken")

    monkeypatch.setattr(swap, "move_to_free_name", taken)
    assert refusal(lambda: swap.install(job, entry_of(old=None, method="far"), None)) == ["stale"]
    assert snapshot(tmp_path / "root") == {"a": ("file", THEIRS, 0o644)}


@pytest.fixture
def mounted(tmp_path: Path) -> Iterator[Path]:
    """A root with a folder on another file system."""
    far = tmp_path / "root" / "far"
    far.mkdir(parents=True)
    if os.geteuid() or subprocess.run(["mount", "-t", "tmpfs", "none", str(far)], check=False).returncode:
        pytest.skip("only root mounts file systems")
    try:
        yield tmp_path / "root"
    finally:
        subprocess.run(["umount", "-l", str(far)], check=True)


def test_files_on_another_file_system(mounted: Path) -> None:
    put(mounted, "far/a", b"old", 0o750)
    put(mounted, "far/gone", b"gone")
    put(mounted, "near", b"near")
    old = snapshot(mounted)
    apply(
        mounted,
        change(mounted, "near", b"new near"),
        change(mounted, "far/a", b"new"),
        change(mounted, "far/gone", None),
        change(mounted, "far/deep/made", b"made"),
    )
    new = snapshot(mounted)
    assert new["far/a"] == ("file", b"new", 0o750) and "far/gone" not in new and "far/deep/made" in new
    assert not [name for name in new if ".anypatch" in name]
    for _ in range(2):
        undo_change(mounted)
        assert snapshot(mounted) == old
        with DiskTree(str(mounted)) as tree:
            redo(tree)
        assert snapshot(mounted) == new


def test_links_on_another_file_system(mounted: Path) -> None:
    put(mounted, "far/real", b"x\n")
    for name in ("gone", "moved", "own"):
        (mounted / "far" / name).symlink_to("real")
    link = File(b"real", LINK | 0o777)
    old = snapshot(mounted)
    apply(
        mounted,
        FileChange("far/gone", link, None),
        FileChange("far/moved", link, None),
        FileChange("far/elsewhere", None, link),
        FileChange("far/own", link, File(b"own", 0o644)),
    )
    new = snapshot(mounted)
    assert new["far/elsewhere"] == ("link", b"real", 0) and new["far/own"] == ("file", b"own", 0o644)
    assert "far/gone" not in new and "far/moved" not in new and new["far/real"] == old["far/real"]
    for _ in range(2):
        undo_change(mounted)
        assert snapshot(mounted) == old
        with DiskTree(str(mounted)) as tree:
            redo(tree)
        assert snapshot(mounted) == new


def test_far_restore_ignores_the_umask(mounted: Path) -> None:
    put(mounted, "far/gone", b"gone", 0o644)
    apply(mounted, change(mounted, "far/gone", None))
    before = os.umask(0o077)
    try:
        undo_change(mounted)
    finally:
        os.umask(before)
    assert snapshot(mounted)["far/gone"] == ("file", b"gone", 0o644)


def test_a_far_file_is_synced_before_it_has_its_name(mounted: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put(mounted, "far/a", b"old")
    edit = change(mounted, "far/a", b"new")
    calls: list[str] = []
    sync, exchange = os.fsync, syscalls.exchange

    def fsync(fd: int) -> None:
        calls.append(re.sub(r".*-(\d)", r"\1", os.path.basename(os.readlink(f"/proc/self/fd/{fd}"))))
        sync(fd)

    def swapped(*names: Any) -> None:
        calls.append(f"{names[3]} has its name")
        exchange(*names)

    monkeypatch.setattr(os, "fsync", fsync)
    monkeypatch.setattr(syscalls, "exchange", swapped)
    apply(mounted, edit)
    assert calls[calls.index("0.begun") :] == ["0.begun", "tx", "0.new", "a has its name", "far", "tx", ".anypatch"]


def test_far_files_are_restored_when_a_later_one_fails(mounted: Path) -> None:
    put(mounted, "far/a", b"old")
    put(mounted, "far/gone", b"gone")
    put(mounted, "z", b"z")
    changes = [
        change(mounted, "far/a", b"new"),
        change(mounted, "far/gone", None),
        change(mounted, "far/made", b"made"),
        change(mounted, "z", b"zz"),
    ]
    (mounted / "z").write_bytes(b"by hand")
    old = snapshot(mounted)
    assert refusal(lambda: apply(mounted, *changes)) == ["stale"]
    assert snapshot(mounted) == old
    (mounted / "z").write_bytes(b"z")
    (mounted / "far/a").write_bytes(b"by hand")
    old = snapshot(mounted)
    assert refusal(lambda: apply(mounted, *changes)) == ["stale"]
    assert snapshot(mounted) == old
    put(mounted, "far/a", b"old")
    put(mounted, "far/made", b"theirs")
    assert refusal(lambda: apply(mounted, *changes)) == ["stale"]
    assert (mounted / "far/made").read_bytes() == b"theirs"


# ── keep: hard links, written in place ────────────────────────────────────────────────────────────


def linked(root: Path) -> tuple[Path, Path]:
    first = put(root, "a", b"old\n")
    (root / "sub").mkdir()
    os.link(first, root / "sub/b")
    return first, root / "sub/b"


def test_a_hard_link_is_replaced_and_the_report_says_so(tmp_path: Path) -> None:
    first, other = linked(tmp_path)
    report = anypatch.apply(EDIT, tmp_path)
    assert report.ok and any("2 hard links" in note.text for note in report.notes)
    assert (first.read_bytes(), other.read_bytes()) == (b"new\n", b"old\n")


@pytest.mark.parametrize("hardlinks", ["replace", "refuse", "keep"])
def test_a_file_with_one_name_is_not_a_hard_link(tmp_path: Path, hardlinks: Hardlinks) -> None:
    place = put(tmp_path, "a", b"old\n")
    inode = place.stat().st_ino
    report = anypatch.apply(EDIT, tmp_path, settings=Settings(hardlinks=hardlinks))
    assert report.ok and report.notes == () and place.read_bytes() == b"new\n" and place.stat().st_ino != inode


def test_hard_links_can_be_refused(tmp_path: Path) -> None:
    first, _ = linked(tmp_path)
    report = anypatch.apply(EDIT, tmp_path, settings=Settings(hardlinks="refuse"))
    assert [p.kind for p in report.problems] == ["hard_link"] and first.read_bytes() == b"old\n"


def test_hard_links_can_be_kept(tmp_path: Path) -> None:
    first, other = linked(tmp_path)
    kept = Settings(hardlinks="keep")
    assert anypatch.apply(EDIT, tmp_path, settings=kept).ok
    assert first.read_bytes() == other.read_bytes() == b"new\n"
    assert first.stat().st_ino == other.stat().st_ino
    assert anypatch.undo(tmp_path).ok
    assert first.read_bytes() == other.read_bytes() == b"old\n"
    assert anypatch.redo(tmp_path).ok
    assert first.read_bytes() == other.read_bytes() == b"new\n"


def test_a_hard_link_outside_the_root_is_never_written_to(tmp_path: Path) -> None:
    root = tmp_path / "root"
    root.mkdir()
    outside = put(tmp_path, "outside", b"old\n")
    os.link(outside, root / "a")
    report = anypatch.apply(EDIT, root, settings=Settings(hardlinks="keep"))
    assert [p.kind for p in report.problems] == ["hard_link"] and outside.read_bytes() == b"old\n"
    assert anypatch.apply(EDIT, root).ok and outside.read_bytes() == b"old\n"


def test_in_place_is_restored_when_a_later_file_fails(tmp_path: Path) -> None:
    first, other = linked(tmp_path)
    put(tmp_path, "z", b"z")
    changes = change(tmp_path, "a", b"new longer\n"), change(tmp_path, "z", b"zz")
    (tmp_path / "z").write_bytes(b"by hand")
    with DiskTree(str(tmp_path), Settings(hardlinks="keep")) as tree:
        tree.read("a")
        assert refusal(lambda: commit(tree, changes, format="", description="")) == ["stale"]
    assert first.read_bytes() == other.read_bytes() == b"old\n"


def test_is_torn() -> None:
    old, new = b"abcdef", b"xyz"
    assert all(swap.is_torn(new[:k] + old[k:], old, new) for k in range(4))
    assert not swap.is_torn(b"somebody else's", old, new)
    assert not swap.is_torn(b"xyzdeg", old, new)
    assert not swap.is_torn(b"Xbcdef", old, new), "the first byte counts too"


@pytest.mark.parametrize("cut", [0, 2, 5])
def test_an_interrupted_write_in_place_is_restored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cut: int) -> None:
    first, other = linked(tmp_path)

    real = swap._overwrite
    calls: list[int] = []

    def interrupt(fd: int, data: bytes, mode: int) -> None:
        calls.append(1)
        if len(calls) > 1:
            real(fd, data, mode)
            return
        os.pwrite(fd, data[:cut], 0)
        raise KeyboardInterrupt

    edit = change(tmp_path, "a", b"brand new\n")
    with DiskTree(str(tmp_path), Settings(hardlinks="keep")) as tree, monkeypatch.context() as patched:
        tree.read("a")
        patched.setattr(swap, "_overwrite", interrupt)
        assert refusal(lambda: commit(tree, (edit,), format="", description="")) == ["io"]
    assert first.read_bytes() == other.read_bytes() == b"old\n"


@pytest.mark.parametrize("spoiled", ["text", "gone", "link"])
def test_in_place_refuses_files_that_somebody_changed(
    tmp_path: Path, job: swap.Job, monkeypatch: pytest.MonkeyPatch, spoiled: str
) -> None:
    lay_out_copies(tmp_path, OLD, NEW)
    place = tmp_path / "root/a"
    if spoiled == "text":
        lay_out(tmp_path, THEIRS, None)
    elif spoiled == "link":
        place.symlink_to("x")
    assert refusal(lambda: swap.restore(job, entry_of(method="keep"))) == ["conflict"]
    assert refusal(lambda: swap._write_in_place(job.folders.root, entry_of(method="keep"), OLD, NEW)) == ["stale"]

    def broken(*_: object, **__: object) -> int:
        raise OSError(errno.EIO, "broken")

    monkeypatch.setattr(swap, "read_stamp", lambda *_: swap.FileStamp("?", 0, (0, 0), 0, 0))
    monkeypatch.setattr(swap, "_read_copy", lambda *_, **__: b"")
    monkeypatch.setattr(os, "open", broken)
    with pytest.raises(OSError, match="broken"):
        swap._write_in_place(job.folders.root, entry_of(method="keep"), OLD, NEW)
    with pytest.raises(OSError, match="broken"):
        swap._restore_in_place(job, entry_of(method="keep"), job.folders.root)


def test_in_place_sets_and_restores_the_mode(tmp_path: Path) -> None:
    first = put(tmp_path, "a", OLD, 0o640)
    os.link(first, tmp_path / "b")
    with DiskTree(str(tmp_path), Settings(hardlinks="keep")) as tree:
        edit = FileChange("a", tree.read("a"), File(NEW, 0o755))
        commit(tree, (edit,), format="", description="")
    assert (first.stat().st_mode & 0o777, (tmp_path / "b").read_bytes()) == (0o755, NEW)
    undo_change(tmp_path)
    assert (first.stat().st_mode & 0o777, (tmp_path / "b").read_bytes()) == (0o640, OLD)


def test_in_place_is_recorded_on_the_disk_first(tmp_path: Path, synced: list[str]) -> None:
    """No slot shows how far such a path has got, so the mark that it was begun must be on the disk first."""
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


@pytest.mark.usefixtures("descriptors")
@pytest.mark.parametrize("here", [NEW, THEIRS, b"newer", None])
def test_recovery_in_place_closes_its_descriptors(tmp_path: Path, here: bytes | None) -> None:
    if here is not None:
        put(tmp_path, "a", here)
    write_crashed(tmp_path, "tx", entry_of(method="keep"), b"")
    for name, data in (("old", OLD), ("new", NEW), ("begun", b"")):
        put(tmp_path, f".anypatch/tx/0.{name}", data)
    report = anypatch.recover(tmp_path)
    assert [p.kind for p in report.problems] == ([] if here == NEW else ["conflict"])
    assert (
        not (tmp_path / "a").exists()
        if here is None
        else (tmp_path / "a").read_bytes() == (OLD if here == NEW else here)
    )


# ── file systems that can't exchange names ────────────────────────────────────────────────────────


@pytest.fixture(params=["links", "no links"])
def no_exchange(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    def unknown(*_: object) -> None:
        raise OSError(errno.EINVAL, "no such flag")

    def no_link(*_: object, **__: object) -> None:
        raise OSError(errno.EPERM, "no hard links")

    monkeypatch.setattr(syscalls, "exchange", unknown)
    monkeypatch.setattr(syscalls, "rename_noreplace", unknown)
    if request.param == "no links":
        monkeypatch.setattr(os, "link", no_link)


@pytest.mark.usefixtures("no_exchange")
def test_without_exchange(tmp_path: Path) -> None:
    root, changes = tree_and_changes(tmp_path, 0)
    old = snapshot(root)
    put(root, "src/new", b"theirs")
    assert refusal(lambda: apply(root, *changes)) == ["stale"]
    (root / "src/new").unlink()
    assert snapshot(root) == old
    apply(root, *changes)
    new = snapshot(root)
    undo_change(root)
    assert snapshot(root) == old
    with DiskTree(str(root)) as tree:
        redo(tree)
    assert snapshot(root) == new


@pytest.mark.usefixtures("no_exchange")
@pytest.mark.parametrize("data", [b"new", None])
def test_a_link_that_replaced_a_file_stays_a_link(tmp_path: Path, data: bytes | None) -> None:
    """And its target gets no second name."""
    outside = put(tmp_path, "outside", b"old")
    put(tmp_path, "root/a", b"old")
    with DiskTree(str(tmp_path / "root")) as tree:
        edit = FileChange("a", tree.read("a"), None if data is None else File(data))
        (tmp_path / "root/a").unlink()
        (tmp_path / "root/a").symlink_to(outside)
        before = snapshot(tmp_path)
        assert refusal(lambda: commit(tree, (edit,), format="", description="")) == ["stale"]
    assert snapshot(tmp_path) == before and outside.stat().st_nlink == 1


@pytest.mark.usefixtures("no_exchange")
def test_a_dangling_link_blocks_a_new_file(tmp_path: Path) -> None:
    edit = change(tmp_path, "a", b"new")
    (tmp_path / "a").symlink_to("nowhere")
    assert refusal(lambda: apply(tmp_path, edit)) == ["stale"]
    assert os.readlink(tmp_path / "a") == "nowhere"


@pytest.mark.usefixtures("no_exchange")
@pytest.mark.parametrize("call", ["rename", "link", "unlink", "mkdir"])
def test_recovery_from_a_crash_between_the_steps(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: str) -> None:
    """The process dies at each call: no handler runs. The next one recovers."""

    class Death(BaseException):
        pass

    for at in range(1, 1000):
        root, changes = tree_and_changes(tmp_path, at)
        old = snapshot(root)
        with monkeypatch.context() as patched:
            fault = Fault(getattr(os, call), at, Death(), late=False)
            patched.setattr(os, call, fault)
            patched.setattr("anypatch.storage.transaction.roll_back", lambda error, *_: error)
            patched.setattr("anypatch.storage.state.remove", lambda *_: None)
            try:
                apply(root, *changes)
            except Death:
                pass
        if not fault.fired:
            break
        assert anypatch.recover(root).ok
        assert snapshot(root) == old
        assert {place.name for place in root.glob(".anypatch/*")} <= {".gitignore", "lock"}


def test_a_spare_stays_if_the_folder_is_gone(tmp_path: Path, job: swap.Job) -> None:
    lay_out(tmp_path, None, NEW)
    put(tmp_path / "tx", "0.x", OLD)
    swap.restore(job, entry_of("sub/a"))
    assert (tmp_path / "tx/0.x").read_bytes() == OLD


def test_move_to_free_name_without_links_or_flags(
    tmp_path: Path, job: swap.Job, monkeypatch: pytest.MonkeyPatch
) -> None:
    def unknown(*_: object, **__: object) -> None:
        raise OSError(errno.EINVAL, "no such flag")

    def broken(*_: object, **__: object) -> None:
        raise OSError(errno.EIO, "broken")

    lay_out(tmp_path, None, NEW)
    monkeypatch.setattr(syscalls, "rename_noreplace", broken)
    with pytest.raises(OSError, match="broken"):
        swap.move_to_free_name(job.slots, "0", job.folders.root, "a")
    monkeypatch.setattr(syscalls, "rename_noreplace", unknown)
    monkeypatch.setattr(os, "link", broken)
    with pytest.raises(OSError, match="broken"):
        swap.move_to_free_name(job.slots, "0", job.folders.root, "a")
