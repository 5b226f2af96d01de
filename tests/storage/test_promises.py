"""The promises of docs/guarantees.md, for every shape and format: a last file that fails, exact undo, metadata."""

from __future__ import annotations

import ctypes
import errno
import os
import struct
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

import anypatch
from anypatch import FormatName, api
from anypatch.model import File, FileChange
from anypatch.problems import Refused
from support.disk_trees import apply, change, put, refusal, snapshot, undo_change

sys.path.insert(0, str(Path(__file__).parent.parent / "faults"))
from shapes import OLD, SHAPES

ROOT = os.geteuid() == 0
ACCESS = "system.posix_acl_access"
# Owner and group may read and write, user 1234 may read.
LIST = struct.pack("<I", 2) + b"".join(
    struct.pack("<HHI", tag, rights, who) for tag, rights, who in (
        (1, 6, 0xFFFFFFFF), (2, 4, 1234), (4, 6, 0xFFFFFFFF), (16, 6, 0xFFFFFFFF), (32, 0, 0xFFFFFFFF),
    )
)  # fmt: skip


# ── a patch that does not fully apply changes nothing ────────────────────────────────────────────

FILES = {
    f"d{number}/f{number}.py": "".join(f"{'old' if line == 20 else 'line'}_{line} = {number}\n" for line in range(40))
    for number in range(10)
}
LAST = "d9/f9.py"
FORMATS = [known.name for known in api.formats()]
# These contain whole files: an existing one is overwritten, a missing one is created.
WHOLE = ("whole-file",)


def patch_of(name: str) -> str:
    """Return a patch that changes a line in each of ten files."""
    changes = tuple(
        FileChange(path, File(text.encode()), File(text.replace("old", "new").encode())) for path, text in FILES.items()
    )
    try:
        return api.format_named(name).render(changes)
    except Refused:
        pytest.skip(f"{name} has no writer for this")


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    for path, text in FILES.items():
        put(tmp_path, path, text.encode())
    return tmp_path


@pytest.mark.parametrize("cause", ["text", "gone", "folder", "link out", "pipe"])
@pytest.mark.parametrize("name", FORMATS)
def test_nothing_changes_when_the_last_of_ten_files_fails(tree: Path, name: FormatName, cause: str) -> None:
    patch, last = patch_of(name), tree / LAST
    if cause == "text":
        last.write_text("other\n")
    else:
        last.unlink()
    if cause == "folder":
        last.mkdir()
    elif cause == "link out":
        put(tree.parent, "outside", FILES[LAST].encode())
        last.symlink_to("../../../outside")
    elif cause == "pipe":
        os.mkfifo(last)
    before = snapshot(tree)
    report = anypatch.apply(patch, tree, format=name)
    if name in WHOLE and cause in ("text", "gone"):
        assert report.ok and last.read_text() == FILES[LAST].replace("old", "new")
        return
    assert not report.ok and all(problem.path == LAST for problem in report.problems), report.problems
    assert snapshot(tree) == before and not list(tree.glob("*.rej")) and not list(tree.rglob(".anypatch-*"))


@contextmanager
def obeying_modes() -> Iterator[None]:
    """Act as if we were not root: drop the right to write where modes forbid it."""
    head = struct.pack("<Ii", 0x20080522, 0)
    rights = ctypes.create_string_buffer(24)
    library = ctypes.CDLL(None, use_errno=True)
    assert library.capget(head, rights) == 0
    effective, *rest = struct.unpack("<6I", rights.raw)
    assert library.capset(head, struct.pack("<6I", effective & ~(1 << 1), *rest)) == 0
    try:
        yield
    finally:
        assert library.capset(head, rights) == 0


@pytest.mark.parametrize("name", FORMATS)
def test_nothing_changes_when_the_last_folder_is_read_only(tree: Path, name: FormatName) -> None:
    patch = patch_of(name)
    (tree / "d9").chmod(0o555)
    before = snapshot(tree)
    with obeying_modes():
        report = anypatch.apply(patch, tree, format=name)
    assert [(p.kind, p.path) for p in report.problems] == [("io", LAST)]
    assert os.strerror(errno.EACCES) in report.problems[0].detail
    assert snapshot(tree) == before and sorted(os.listdir(tree / ".anypatch")) == [".gitignore", "lock"]
    (tree / "d9").chmod(0o755)
    assert anypatch.apply(patch, tree, format=name).ok


# ── undo restores the very same files ───────────────────────────────────────────────────────────────

Facts = tuple[bytes, int, int, int, int, int, dict[str, bytes]]


def attributes(place: Path) -> dict[str, bytes]:
    return {name: os.getxattr(place, name) for name in os.listxattr(place)}


def metadata(root: Path) -> dict[str, Facts]:
    """Return bytes, inode, mode, owner, group, time and attributes of every file, access lists among them."""
    files = {}
    for place in sorted(root.rglob("*")):
        if place.is_file() and ".anypatch" not in place.parts:
            status = place.stat()
            kept = status.st_ino, status.st_mode, status.st_uid, status.st_gid, status.st_mtime_ns
            files[str(place.relative_to(root))] = (place.read_bytes(), *kept, attributes(place))
    return files


def make_tree(root: Path) -> None:
    """Make the tree of the shapes; each file has an owner, an attribute, an access list and a time of its own."""
    for number, (path, (data, mode)) in enumerate(OLD.items()):
        place = put(root, path, data, mode)
        os.setxattr(place, "user.note", b"kept %d" % number)
        if number % 2:
            os.setxattr(place, ACCESS, LIST)
        if ROOT:
            os.chown(place, 1200 + number, 3400 + number)
        os.utime(place, ns=(10**18 + number, 10**18 + 7 * number))


def shape_of(root: Path, name: str) -> list[FileChange]:
    return [change(root, path, new[0] if new else None, new[1] if new else None) for path, new in SHAPES[name].items()]


@pytest.mark.parametrize("name", SHAPES)
def test_undo_restores_bytes_inode_mode_owner_time_and_attributes(tmp_path: Path, name: str) -> None:
    make_tree(tmp_path)
    before, folders = metadata(tmp_path), snapshot(tmp_path)
    apply(tmp_path, *shape_of(tmp_path, name))
    after = metadata(tmp_path)
    assert after != before
    undo_change(tmp_path)
    assert metadata(tmp_path) == before and snapshot(tmp_path) == folders
    assert anypatch.redo(tmp_path).ok and metadata(tmp_path) == after


@pytest.mark.parametrize("name", SHAPES)
def test_undo_is_refused_where_any_file_was_edited_since(tmp_path: Path, name: str) -> None:
    make_tree(tmp_path)
    for path in SHAPES[name]:
        apply(tmp_path, *shape_of(tmp_path, name))
        # A folder in its place can't be edited, and writing to a link edits its target.
        if not (tmp_path / path).is_dir() and not (tmp_path / path).is_symlink():
            put(tmp_path, path, b"by hand")
            edited = metadata(tmp_path)
            assert refusal(lambda: undo_change(tmp_path)) == ["stale"]
            assert metadata(tmp_path) == edited
        assert anypatch.undo(tmp_path, force=True).ok


# ── metadata ─────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("path", OLD)
def test_an_edit_keeps_mode_owner_attributes_and_line_ends(tmp_path: Path, path: str) -> None:
    make_tree(tmp_path)
    data, _, mode, *owner, _, kept = metadata(tmp_path)[path]
    if b"old" not in data:
        return  # a link: its target is edited, not the link
    apply(tmp_path, change(tmp_path, path, data.replace(b"old", b"new")))
    new, _, new_mode, *new_owner, time, new_kept = metadata(tmp_path)[path]
    assert (new, new_mode, new_owner, new_kept) == (data.replace(b"old", b"new"), mode, owner, kept)
    assert time > 10**18 + 100, "an edit sets the time"


@pytest.mark.skipif(not ROOT, reason="only root gives files away")
@pytest.mark.parametrize("mode", [0o4755, 0o2755, 0o6755])
def test_an_edit_drops_setuid_and_capabilities(tmp_path: Path, mode: int) -> None:
    place = put(tmp_path, "a", b"old\n")
    os.chown(place, 1234, 1234)
    place.chmod(mode)
    os.setxattr(place, "security.capability", struct.pack("<IIIII", 0x02000001, 1024, 0, 0, 0))
    apply(tmp_path, change(tmp_path, "a", b"new\n"))
    status = place.stat()
    assert (status.st_mode & 0o7777, status.st_uid, attributes(place)) == (0o755, 1234, {})
    undo_change(tmp_path)
    assert place.stat().st_mode & 0o7777 == mode and "security.capability" in attributes(place)
