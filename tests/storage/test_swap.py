"""Files that go another way: hard links kept, folders on other file systems, file systems that cannot exchange."""

from __future__ import annotations

import errno
import os
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

import anypatch
from anypatch import Settings
from anypatch.hints import Hardlinks
from anypatch.model import LINK, File, FileChange
from anypatch.problems import Refused
from anypatch.storage import swap, syscalls
from anypatch.storage.tree import DiskTree, commit, redo
from support.disk_trees import Fault, apply, change, fresh, put, refusal, snapshot, take_back

EDIT = '{"file_path": "a", "old_string": "old", "new_string": "new"}'


# ── hard links ───────────────────────────────────────────────────────────────────────────────────


def linked(root: Path) -> tuple[Path, Path]:
    one = put(root, "a", b"old\n")
    (root / "sub").mkdir()
    os.link(one, root / "sub/b")
    return one, root / "sub/b"


def test_a_hard_link_is_replaced_and_the_report_says_so(tmp_path: Path) -> None:
    one, other = linked(tmp_path)
    report = anypatch.apply(EDIT, tmp_path)
    assert report.ok and any("2 hard links" in note.text for note in report.notes)
    assert (one.read_bytes(), other.read_bytes()) == (b"new\n", b"old\n")


@pytest.mark.parametrize("hardlinks", ["replace", "refuse", "keep"])
def test_a_file_with_one_name_is_no_hard_link(tmp_path: Path, hardlinks: Hardlinks) -> None:
    place = put(tmp_path, "a", b"old\n")
    inode = place.stat().st_ino
    report = anypatch.apply(EDIT, tmp_path, settings=Settings(hardlinks=hardlinks))
    assert report.ok and report.notes == () and place.read_bytes() == b"new\n" and place.stat().st_ino != inode


def test_a_hard_link_is_refused_where_asked(tmp_path: Path) -> None:
    one, _ = linked(tmp_path)
    report = anypatch.apply(EDIT, tmp_path, settings=Settings(hardlinks="refuse"))
    assert [p.kind for p in report.problems] == ["hard_link"] and one.read_bytes() == b"old\n"


def test_a_hard_link_is_kept_where_asked(tmp_path: Path) -> None:
    one, other = linked(tmp_path)
    kept = Settings(hardlinks="keep")
    assert anypatch.apply(EDIT, tmp_path, settings=kept).ok
    assert one.read_bytes() == other.read_bytes() == b"new\n"
    assert one.stat().st_ino == other.stat().st_ino
    assert anypatch.undo(tmp_path).ok
    assert one.read_bytes() == other.read_bytes() == b"old\n"
    assert anypatch.redo(tmp_path).ok
    assert one.read_bytes() == other.read_bytes() == b"new\n"


def test_a_hard_link_that_leads_outside_is_never_written_through(tmp_path: Path) -> None:
    root = tmp_path / "root"
    root.mkdir()
    outside = put(tmp_path, "outside", b"old\n")
    os.link(outside, root / "a")
    report = anypatch.apply(EDIT, root, settings=Settings(hardlinks="keep"))
    assert [p.kind for p in report.problems] == ["hard_link"] and outside.read_bytes() == b"old\n"
    assert anypatch.apply(EDIT, root).ok and outside.read_bytes() == b"old\n"


def test_a_kept_file_is_put_back_when_a_later_one_fails(tmp_path: Path) -> None:
    one, other = linked(tmp_path)
    put(tmp_path, "z", b"z")
    changes = change(tmp_path, "a", b"new longer\n"), change(tmp_path, "z", b"zz")
    (tmp_path / "z").write_bytes(b"by hand")
    with DiskTree(str(tmp_path), Settings(hardlinks="keep")) as tree:
        tree.read("a")
        assert refusal(lambda: commit(tree, changes, format="", description="")) == ["stale"]
    assert one.read_bytes() == other.read_bytes() == b"old\n"


def test_torn_texts_are_known() -> None:
    old, new = b"abcdef", b"xyz"
    assert all(swap.is_torn(new[:k] + old[k:], old, new) for k in range(4))
    assert not swap.is_torn(b"somebody else's", old, new)
    assert not swap.is_torn(b"xyzdeg", old, new)
    assert not swap.is_torn(b"Xbcdef", old, new), "the first byte counts too"


@pytest.mark.parametrize("cut", [0, 2, 5])
def test_writing_in_place_that_was_broken_off_is_mended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cut: int
) -> None:
    one, other = linked(tmp_path)

    real = swap._overwrite
    calls: list[int] = []

    def broken_off(fd: int, data: bytes, mode: int) -> None:
        calls.append(1)
        if len(calls) > 1:
            real(fd, data, mode)
            return
        os.pwrite(fd, data[:cut], 0)
        raise KeyboardInterrupt

    edit = change(tmp_path, "a", b"brand new\n")
    with DiskTree(str(tmp_path), Settings(hardlinks="keep")) as tree, monkeypatch.context() as patched:
        tree.read("a")
        patched.setattr(swap, "_overwrite", broken_off)
        assert refusal(lambda: commit(tree, (edit,), format="", description="")) == ["io"]
    assert one.read_bytes() == other.read_bytes() == b"old\n"


# ── another file system below the root ───────────────────────────────────────────────────────────


@pytest.fixture
def mounted(tmp_path: Path) -> Iterator[Path]:
    """A root with a folder of another file system in it."""
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
        take_back(mounted)
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
        take_back(mounted)
        assert snapshot(mounted) == old
        with DiskTree(str(mounted)) as tree:
            redo(tree)
        assert snapshot(mounted) == new


def test_a_far_file_comes_back_with_its_mode_whatever_the_umask(mounted: Path) -> None:
    put(mounted, "far/gone", b"gone", 0o644)
    apply(mounted, change(mounted, "far/gone", None))
    before = os.umask(0o077)
    try:
        take_back(mounted)
    finally:
        os.umask(before)
    assert snapshot(mounted)["far/gone"] == ("file", b"gone", 0o644)


def test_a_far_file_is_on_the_disk_before_it_has_its_name(mounted: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put(mounted, "far/a", b"old")
    edit = change(mounted, "far/a", b"new")
    told: list[str] = []
    sync, exchange = os.fsync, syscalls.exchange

    def fsync(fd: int) -> None:
        told.append(re.sub(r".*-(\d)", r"\1", os.path.basename(os.readlink(f"/proc/self/fd/{fd}"))))
        sync(fd)

    def swapped(one: int, name: str, other: int, target: str) -> None:
        told.append(f"{target} has its name")
        exchange(one, name, other, target)

    monkeypatch.setattr(os, "fsync", fsync)
    monkeypatch.setattr(syscalls, "exchange", swapped)
    apply(mounted, edit)
    assert told[told.index("0.begun") :] == ["0.begun", "tx", "0.new", "a has its name", "far", "tx", ".anypatch"]


def test_a_failure_behind_far_files_puts_them_back(mounted: Path) -> None:
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


# ── file systems that cannot exchange ────────────────────────────────────────────────────────────


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
    root, changes = fresh(tmp_path, 0)
    old = snapshot(root)
    put(root, "src/new", b"theirs")
    assert refusal(lambda: apply(root, *changes)) == ["stale"]
    (root / "src/new").unlink()
    assert snapshot(root) == old
    apply(root, *changes)
    new = snapshot(root)
    take_back(root)
    assert snapshot(root) == old
    with DiskTree(str(root)) as tree:
        redo(tree)
    assert snapshot(root) == new


@pytest.mark.usefixtures("no_exchange")
@pytest.mark.parametrize("data", [b"new", None])
def test_a_link_that_took_the_place_of_a_file_stays_a_link(tmp_path: Path, data: bytes | None) -> None:
    """And what it leads to gets no second name."""
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
def test_a_link_that_leads_nowhere_is_in_the_way_too(tmp_path: Path) -> None:
    edit = change(tmp_path, "a", b"new")
    (tmp_path / "a").symlink_to("nowhere")
    assert refusal(lambda: apply(tmp_path, edit)) == ["stale"]
    assert os.readlink(tmp_path / "a") == "nowhere"


@pytest.mark.usefixtures("no_exchange")
@pytest.mark.parametrize("call", ["rename", "link", "unlink", "mkdir"])
def test_a_crash_between_the_steps_is_mended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: str) -> None:
    """The process dies at each call: no handler runs. The next one recovers."""

    class Death(BaseException):
        pass

    for at in range(1, 1000):
        root, changes = fresh(tmp_path, at)
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


def test_a_folder_that_hands_on_its_group(tmp_path: Path) -> None:
    if os.geteuid():
        pytest.skip("only root gives files away")
    os.chown(tmp_path, -1, 1234)
    tmp_path.chmod(0o2755)
    apply(tmp_path, change(tmp_path, "new", b"x"))
    assert (tmp_path / "new").stat().st_gid == 1234


def test_writing_into_the_old_file_meanwhile_is_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Somebody has the file open: what they write after the comparison must not be lost."""
    place = put(tmp_path, "a", b"old")
    put(tmp_path, "b", b"old")
    changes = change(tmp_path, "a", b"new"), change(tmp_path, "b", b"new")
    with place.open("r+b", buffering=0) as theirs:
        real = swap.install

        def install(job: swap.Job, entry: object, before: object) -> object:
            if getattr(entry, "path", "") == "b":
                theirs.write(b"theirs")
            return real(job, entry, before)  # type: ignore[arg-type]

        monkeypatch.setattr("anypatch.storage.transaction.install", install)
        with pytest.raises(Refused) as caught:
            apply(tmp_path, *changes)
    assert [p.kind for p in caught.value.problems] == ["stale"]
    assert (place.read_bytes(), (tmp_path / "b").read_bytes()) == (b"theirs", b"old")
