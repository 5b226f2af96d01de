"""The writer on a real disk: every byte and mode, stale files, hostile trees."""

from __future__ import annotations

import errno
import os
import socket
from collections.abc import Callable
from pathlib import Path

import pytest

import anypatch
from anypatch.model import LINK, File, FileChange
from anypatch.problems import Refused
from anypatch.storage import swap
from anypatch.storage.tree import Directory, DiskTree, Settings, commit
from support.disk_trees import apply, change, fail_nth, kinds, put, refusal, snapshot, take_back

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
        assert refusal(lambda: tree.read("big")) == ["limit"]


@pytest.mark.parametrize("call", ["open", "fstat", "read", "close"])
def test_a_failing_read_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: str) -> None:
    put(tmp_path, "a", b"x")
    with DiskTree(str(tmp_path)) as tree, monkeypatch.context() as patched, pytest.raises(Refused) as caught:
        fail_nth(patched, call, 1, OSError(errno.EIO, "broken"))
        tree.read("a")
    assert kinds(caught.value) == ["io"]
    assert caught.value.problems[0].path == "a"
    assert caught.value.problems[0].detail == os.strerror(errno.EIO)


def test_all_paths_are_listed(tmp_path: Path) -> None:
    put(tmp_path, "a.py", b"x\n")
    put(tmp_path, "src/b.py", b"x\n")
    with DiskTree(str(tmp_path)) as tree:
        assert sorted(tree.all_paths()) == ["a.py", "src/b.py"]


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
    assert sorted(os.listdir(tmp_path / ".anypatch")) == [".gitignore", "lock"]


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


def test_what_became_of_a_file_is_told_as_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    edit = FileChange("a", File(b"old"), File(b"new"))
    with pytest.raises(Refused) as caught:
        apply(tmp_path, edit)
    assert [(p.kind, p.detail) for p in caught.value.problems] == [("stale", "it no longer exists")]
    (tmp_path / "a").mkdir()
    with pytest.raises(Refused) as caught:
        apply(tmp_path, edit)
    assert [(p.kind, p.detail) for p in caught.value.problems] == [("stale", "it is no longer a regular file")]

    def listxattr(*_: object) -> None:
        raise OSError(errno.EIO, "broken")

    monkeypatch.setattr(os, "listxattr", listxattr)
    (tmp_path / "a").rmdir()
    put(tmp_path, "a", b"old")
    assert refusal(lambda: apply(tmp_path, edit)) == ["io"]


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
    take_back(tmp_path)
    assert place.stat().st_ino == (tmp_path / "b").stat().st_ino, "undo gives back the very file"


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


@pytest.mark.parametrize("place", ["", "/proc/nowhere"])
def test_no_state_directory_no_commit(place: str) -> None:
    with DiskTree("/proc", Settings(state_dir=place)) as tree, pytest.raises(Refused) as caught:
        commit(tree, (FileChange("a", None, File(b"x")),), format="", description="")
    assert [(p.kind, p.path) for p in caught.value.problems] == [("io", place or ".anypatch")]


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
    (tmp_path / "real/deep/abs").symlink_to(tmp_path / "real")
    with DiskTree(str(tmp_path)) as tree:
        for path in (
            "file",
            "dir/a",
            "real/up/a",
            "abs/deep/a",
            "abs/up/a",
            "here/here/file",
            "real/deep/a",
            "real/deep/abs/deep/a",
        ):
            assert tree.canonical(path) == "real/deep/a"
        assert tree.canonical("new") == "real/not-yet"
        assert tree.canonical("dir/none/x") == "real/deep/none/x"
        assert tree.canonical("real/deep/a/x") == "real/deep/a/x"
        assert refusal(lambda: tree.canonical("here")) == ["not_a_file"]
        path = tree.canonical("file")
        commit(tree, (FileChange(path, tree.read(path), File(b"new")),), format="", description="")
    assert (tmp_path / "file").is_symlink() and (tmp_path / "file").read_bytes() == b"new"


# ── links that are deleted or moved themselves ──────────────────────────────────────────────────


def begin(*sections: str) -> str:
    return "*** Begin Patch\n" + "".join(sections) + "*** End Patch\n"


def unlinked(path: str) -> list[str]:
    """The same deletion in every format that has one."""
    return [
        begin(f"*** Delete File: {path}\n"),
        f"diff --git a/{path} b/{path}\ndeleted file mode 100644\n",
        f"operations:\n  - path: {path}\n    op: delete_file\n",
        f"=== file: {path} ===\n--- delete-file\n=END=\n",
        f'{{"documentChanges": [{{"kind": "delete", "uri": "{path}"}}]}}',
        f'{{"command": "delete", "path": "{path}"}}',
    ]


@pytest.mark.parametrize("target", ["real.txt", "nowhere", "sub", "sub/other", "{root}/real.txt"])
@pytest.mark.parametrize("number", range(6))
def test_deleting_a_link_leaves_what_it_leads_to(tmp_path: Path, number: int, target: str) -> None:
    put(tmp_path, "real.txt", b"x\n")
    put(tmp_path, "sub/other", b"y\n")
    (tmp_path / "link.txt").symlink_to(target.format(root=tmp_path))
    old = snapshot(tmp_path)
    report = anypatch.apply(unlinked("link.txt")[number], tmp_path)
    assert report.ok and any("symbolic link" in note.text for note in report.notes), report.problems
    assert snapshot(tmp_path) == {name: seen for name, seen in old.items() if name != "link.txt"}
    assert [
        (c.path, c.before is not None and c.before.is_link, c.after) for c in anypatch.log(tmp_path)[0].changes
    ] == [("link.txt", True, None)]
    assert anypatch.undo(tmp_path).ok and snapshot(tmp_path) == old
    assert anypatch.redo(tmp_path).ok and "link.txt" not in snapshot(tmp_path)


@pytest.mark.parametrize("path", ["./link.txt", "`link.txt`", "a/link.txt", "here/link.txt", "{root}/link.txt"])
def test_a_link_in_another_spelling(tmp_path: Path, path: str) -> None:
    put(tmp_path, "real.txt", b"x\n")
    (tmp_path / "link.txt").symlink_to("real.txt")
    (tmp_path / "here").symlink_to(".")
    assert anypatch.apply(begin(f"*** Delete File: {path.format(root=tmp_path)}\n"), tmp_path).ok
    assert sorted(snapshot(tmp_path)) == ["here", "real.txt"]


def test_moving_a_link_leaves_what_it_leads_to(tmp_path: Path) -> None:
    put(tmp_path, "real.txt", b"x\n")
    (tmp_path / "link.py").symlink_to("real.txt")
    old = snapshot(tmp_path)
    moved = begin("*** Update File: link.py\n*** Move to: moved.py\n@@\n-x\n+y\n")
    report = anypatch.apply(moved, tmp_path)
    assert report.ok and not any(note.kind == "syntax" for note in report.notes)
    new = snapshot(tmp_path)
    assert new == {"real.txt": ("file", b"y\n", 0o644), "moved.py": ("link", b"real.txt", 0)}
    assert [p.kind for p in anypatch.apply(moved, tmp_path).problems] == ["already_applied"]
    assert anypatch.undo(tmp_path).ok and snapshot(tmp_path) == old
    assert anypatch.redo(tmp_path).ok and snapshot(tmp_path) == new


def test_a_link_gives_way_to_a_file_of_its_own(tmp_path: Path) -> None:
    put(tmp_path, "real.txt", b"x\n")
    (tmp_path / "link.txt").symlink_to("real.txt")
    old = snapshot(tmp_path)
    patch = begin("*** Delete File: link.txt\n", "*** Add File: link.txt\n+own\n")
    assert anypatch.apply(patch, tmp_path).ok
    new = {"real.txt": ("file", b"x\n", 0o644), "link.txt": ("file", b"own\n", 0o644)}
    assert snapshot(tmp_path) == new
    assert anypatch.undo(tmp_path).ok and snapshot(tmp_path) == old
    assert anypatch.redo(tmp_path).ok and snapshot(tmp_path) == new


LINKS = {
    "moved to another folder": (begin("*** Update File: link\n*** Move to: sub/link\n"), "not_a_file"),
    "moved, then edited": (begin("*** Update File: link\n*** Move to: b\n", "*** Update File: b\n@@\n-x\n+y\n"), "not_a_file"),
    "moved, then written": (
        '[{"command": "rename", "path": "link", "new_path": "b"}, {"name": "write_file", "path": "b", "content": "z"}]',
        "not_a_file",
    ),
    "deleted twice": (begin("*** Delete File: link\n", "*** Delete File: link\n"), "file_missing"),
    "deleted, then edited": (begin("*** Delete File: link\n", "*** Update File: link\n@@\n-x\n+y\n"), "file_missing"),
    "in the way of a new file": (begin("*** Add File: dangling.txt\n+x\n"), "file_exists"),
    "in the way of a shown file": ("dangling.txt\n```\nx\n```\n", "file_exists"),
    "in the way of a moved file": (begin("*** Update File: real\n*** Move to: link2\n"), "file_exists"),
    "that leads out": (begin("*** Delete File: out\n"), "unsafe_path"),
    "lines that it doesn't hold": (begin("*** Delete File: link\n-never\n"), "not_found"),
}  # fmt: skip


@pytest.mark.parametrize(("patch", "kind"), LINKS.values(), ids=LINKS)
def test_links_that_are_refused(tmp_path: Path, patch: str, kind: str) -> None:
    root = tmp_path / "root"
    put(root, "real", b"x\n")
    put(root, "other", b"o\n")
    for name, target in {"link": "real", "link2": "other", "dangling.txt": "nowhere", "out": "../outside"}.items():
        (root / name).symlink_to(target)
    old = snapshot(tmp_path)
    for overwrite in (None, True):
        report = anypatch.apply(patch, root, overwrite=overwrite, format="whole-file" if "```" in patch else None)
        assert {p.kind for p in report.problems} == {kind}, report.problems
        assert snapshot(tmp_path) == old


def test_a_link_that_changes_meanwhile_is_not_taken(tmp_path: Path) -> None:
    put(tmp_path, "real", b"x\n")
    place = tmp_path / "link"
    place.symlink_to("real")
    gone = FileChange("link", File(b"real", LINK | 0o777), None)
    for other in ("symlink", "file", "folder"):
        place.unlink()
        if other == "symlink":
            place.symlink_to("elsewhere")
        elif other == "file":
            place.write_bytes(b"real")
        else:
            place.mkdir()
        old = snapshot(tmp_path)
        assert set(refusal(lambda: apply(tmp_path, gone))) == {"stale"}
        assert snapshot(tmp_path) == old


def test_what_is_neither_file_nor_link_is_nobodys(tmp_path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as server:
        here = os.getcwd()
        os.chdir(tmp_path)
        server.bind("s")
        os.chdir(here)
        folder = os.open(tmp_path, os.O_RDONLY)
        seen = swap.read_stamp(folder, "s")
        os.close(folder)
    assert seen is not None and seen.fingerprint == "?"


def test_a_folder_called_a_is_no_prefix_of_git(tmp_path: Path) -> None:
    put(tmp_path, "config.py", b"x\n")
    put(tmp_path, "b/other.py", b"y\n")
    for path, kind in (("b/config.py", ["file_missing"]), ("a/config.py", [])):
        report = anypatch.apply(begin(f"*** Delete File: {path}\n"), tmp_path)
        assert [p.kind for p in report.problems] == kind
    assert sorted(snapshot(tmp_path)) == ["b", "b/other.py"]


def test_a_receipt_of_a_link_that_somebody_else_made_anew(tmp_path: Path) -> None:
    put(tmp_path, "real", b"x\n")
    (tmp_path / "link").symlink_to("real")
    apply(tmp_path, FileChange("link", File(b"real", LINK | 0o777), None), FileChange("a", None, File(b"real")))
    (tmp_path / "link").symlink_to("elsewhere")
    assert refusal(lambda: take_back(tmp_path)) == ["stale"]
    take_back(tmp_path, force=True)
    assert snapshot(tmp_path)["link"] == ("link", b"real", 0) and "a" not in snapshot(tmp_path)


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
    (tmp_path / "src/main.py").symlink_to("app/main.py")
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
        for path in ("more/main.py", "more/still/main.py"):
            put(tmp_path, path, b"")
        assert tree.suggest("main.py") == ("lib/main.py", "more/main.py", "more/still/main.py"), "three are enough"
        put(tmp_path, "ever/Main.py", b"")
        assert tree.suggest("no/main.py")[0] == "lib/main.py", "letter case counts a little"


def test_an_absolute_path_is_taken_only_below_the_root(tmp_path: Path) -> None:
    root, outside = tmp_path / "root", tmp_path / "root-evil"
    for folder in (root, outside):
        folder.mkdir()
        (folder / "a.txt").write_text("x\n")
    patch = '{{"file_path": "{}", "old_string": "x", "new_string": "y"}}'
    assert anypatch.apply(patch.format(root / "a.txt"), root).ok
    assert (root / "a.txt").read_text() == "y\n"
    for path in (outside / "a.txt", root / ".." / "root-evil" / "a.txt", root / ".git" / "a.txt", root):
        report = anypatch.apply(patch.format(path), root)
        assert [problem.kind for problem in report.problems] in (["unsafe_path"], ["not_a_file"])
    assert (outside / "a.txt").read_text() == "x\n"


def test_a_text_in_another_file_than_the_one_named(tmp_path: Path) -> None:
    """It is edited where it is alone and the name is nobody's; else the refusal names where it stands."""
    old = "def shipping_cost(weight):\n    return weight * 3\n"
    put(tmp_path, "shop/prices/cost.py", old.encode())
    put(tmp_path, "shop/cart.py", b"def total():\n    return 0\n")
    put(tmp_path, "root.py", b"x = 1\n")
    patch = f"{{}}\n<<<<<<< SEARCH\n{old}=======\n{old.replace('3', '4')}>>>>>>> REPLACE\n"
    refused = anypatch.apply(patch.format("shop/cart.py"), tmp_path)
    assert [problem.kind for problem in refused.problems] == ["not_found"]
    assert "shop/prices/cost.py" in refused.problems[0].advice
    again = anypatch.apply(patch.format("root.py"), tmp_path)
    assert "shop/prices/cost.py" in again.problems[0].advice
    assert anypatch.apply(patch.format("shop/prices/costs.py"), tmp_path).ok
    assert (tmp_path / "shop/prices/cost.py").read_text() == old.replace("3", "4")


def test_what_is_below_a_folder(tmp_path: Path) -> None:
    for path in ("a.py", "b/c.py", "b/d/e.py", "b/.hidden/f.py"):
        put(tmp_path, path, b"x\n")
    with DiskTree(str(tmp_path)) as tree:
        assert tree.inside("", 1) == ("a.py", "b/")
        assert tree.inside("b", 2) == ("b/c.py", "b/d/", "b/d/e.py")


def test_a_directory_is_a_tree_to_plan_on(tmp_path: Path) -> None:
    put(tmp_path, "b/c.py", b"x\n")
    tree = Directory(tmp_path)
    assert (tree.list(), tree.read("b/c.py"), tree.read("gone.py")) == (("b/c.py",), "x\n", None)


@pytest.mark.parametrize("wrong", [{"durability": "some"}, {"hardlinks": "cut"}, {"keep": 0}, {"lock_timeout": -1}])
def test_settings_that_are_none(wrong: dict[str, object]) -> None:
    with pytest.raises(ValueError, match=r"must be one of|at least 1"):
        Settings(**wrong).checked()  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"limits must be"):
        Settings(limits={"files": 1}).checked()  # type: ignore[arg-type]
