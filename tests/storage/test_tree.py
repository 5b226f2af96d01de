"""A tree on disk: every byte and mode of a commit, files that changed since, what is read and when."""

from __future__ import annotations

import errno
import fcntl
import os
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest

import anypatch
from anypatch import Settings
from anypatch.model import File, FileChange
from anypatch.problems import Refused
from anypatch.storage import history, journal, state, transaction
from anypatch.storage.tree import Directory, DiskTree, applied_as, commit, foreign_ids, receipts, redo, undo
from support.disk_trees import (
    HUNKS,
    NEW,
    OLD,
    PROGRAM,
    THEIRS,
    apply,
    change,
    kinds,
    put,
    refusal,
    snapshot,
    undo_change,
)

# ── reading ───────────────────────────────────────────────────────────────────────────────────────


def test_read_gives_bytes_and_mode(tmp_path: Path) -> None:
    put(tmp_path, "a/b.txt", b"\xef\xbb\xbfx\r\n\xe9", 0o750)
    with DiskTree(str(tmp_path)) as tree:
        assert tree.read("a/b.txt") == File(b"\xef\xbb\xbfx\r\n\xe9", 0o750)
        assert tree.read("a/none.txt") is None
        assert tree.read("none/none.txt") is None
        assert tree.read("a/b.txt/below") is None


def test_all_paths(tmp_path: Path) -> None:
    put(tmp_path, "a.py", b"x\n")
    put(tmp_path, "src/b.py", b"x\n")
    with DiskTree(str(tmp_path)) as tree:
        assert sorted(tree.all_paths()) == ["a.py", "src/b.py"]


def test_has_folder(tmp_path: Path) -> None:
    put(tmp_path, "d/a", b"")
    (tmp_path / "link").symlink_to("d")
    with DiskTree(str(tmp_path)) as tree:
        assert [tree.has_folder(path) for path in ("d", "link", "d/a", "none", "..")] == [
            True,
            True,
            False,
            False,
            False,
        ]


def test_inside_a_folder(tmp_path: Path) -> None:
    for path in ("a.py", "b/c.py", "b/d/e.py", "b/.hidden/f.py"):
        put(tmp_path, path, b"x\n")
    with DiskTree(str(tmp_path)) as tree:
        assert tree.inside("", 1) == ("a.py", "b/")
        assert tree.inside("b", 2) == ("b/c.py", "b/d/", "b/d/e.py")


def test_alike_and_ending(tmp_path: Path) -> None:
    for path in ("f.txt", "d/g.txt"):
        put(tmp_path, path, b"")
    with DiskTree(str(tmp_path)) as tree:
        assert tree.inside("", 1) == ("d/", "f.txt") and tree.inside("d", 2) == ("d/g.txt",)
        assert set(tree.alike("x.txt")) == {"f.txt", "d/g.txt"} and tree.ending("g.txt") == ("d/g.txt",)
    with DiskTree(str(tmp_path)) as tree:
        assert set(tree.alike("x.txt")) == {"f.txt", "d/g.txt"}


def test_a_directory_is_a_tree_to_plan_on(tmp_path: Path) -> None:
    put(tmp_path, "b/c.py", b"x\n")
    tree = Directory(tmp_path)
    assert (tree.list(), tree.read("b/c.py"), tree.read("gone.py")) == (("b/c.py",), "x\n", None)


def test_forget_reads_everything_again(tmp_path: Path) -> None:
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
    assert os.listxattr(tmp_path / "a") == [], "a new file doesn't get the attributes of a former one"


def test_reading_makes_neither_state_nor_key(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also if there is a state directory of somebody else."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "home"))
    root = tmp_path / "root"
    put(root, "a", b"x\n")
    for left in ([], [".anypatch"]):
        assert anypatch.log(root) == () and anypatch.recover(root).ok
        assert anypatch.preview('{"file_path": "a", "old_string": "x", "new_string": "y"}', root).ok
        assert refusal(lambda: undo_change(root)) == ["no_receipt"]
        with DiskTree(str(root)) as tree:
            assert applied_as(tree, b"p") == "" and refusal(lambda tree=tree: redo(tree)) == ["no_receipt"]  # type: ignore[misc]
        assert sorted(os.listdir(root)) == [*left, "a"] and not (tmp_path / "home").exists()
        put(root, ".anypatch/20990101-000000-0000.1/manifest", b"\n" + journal.digest(b"p").encode() + b"\n")


# ── commit ────────────────────────────────────────────────────────────────────────────────────────


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


def test_new_names_are_checked(tmp_path: Path) -> None:
    with DiskTree(str(tmp_path)) as tree:
        edit = (FileChange("a\u202eb", None, File(b"")),)
        assert refusal(lambda: commit(tree, edit, format="", description="")) == ["unsafe_path"]
    assert snapshot(tmp_path) == {}


def test_paths_of_changes_must_be_normalized(tmp_path: Path) -> None:
    assert refusal(lambda: apply(tmp_path, FileChange("./a", None, File(b"")))) == ["unsafe_path"]


def test_two_names_of_a_file_in_one_patch(tmp_path: Path) -> None:
    os.link(put(tmp_path, "a", b"x\n"), tmp_path / "b")
    edits = "".join(f"--- a/{name}\n+++ b/{name}\n@@ -1 +1 @@\n-x\n+{name}\n" for name in "ab")
    assert kinds_of(anypatch.apply(edits, tmp_path)) == ["ambiguous"]
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes() == b"x\n"


def kinds_of(report: anypatch.Result) -> list[str]:
    return [problem.kind for problem in report.problems]


def test_binary_files_are_not_edited(tmp_path: Path) -> None:
    put(tmp_path, "a", b"1\n\0\0\0\n3\n")
    assert kinds_of(anypatch.apply(HUNKS, tmp_path)) == ["not_text"]


@pytest.mark.parametrize("place", ["", "/proc/nowhere"])
def test_a_commit_needs_a_state_directory(place: str) -> None:
    with DiskTree("/proc", Settings(state_dir=place)) as tree, pytest.raises(Refused) as caught:
        commit(tree, (FileChange("a", None, File(b"x")),), format="", description="")
    assert [(p.kind, p.path) for p in caught.value.problems] == [("io", place or ".anypatch")]


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
    assert anypatch.apply(block.format("two", "three"), tmp_path).ok, "the lock is released"


@pytest.mark.parametrize("error", [OSError(errno.EIO, "broken"), KeyboardInterrupt()])
def test_a_change_is_made_even_if_pruning_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: BaseException
) -> None:
    put(tmp_path, "a", b"0")
    keep_one = Settings(keep=1)
    apply(tmp_path, change(tmp_path, "a", b"1"), settings=keep_one)

    def broken(_: object) -> None:
        raise error

    with monkeypatch.context() as patched:
        patched.setattr(history, "records", broken)
        apply(tmp_path, change(tmp_path, "a", b"2"), settings=keep_one)
    assert (tmp_path / "a").read_bytes() == b"2" and len(anypatch.log(tmp_path)) == 2
    apply(tmp_path, change(tmp_path, "a", b"3"), settings=keep_one)
    assert len(anypatch.log(tmp_path)) == 1


# ── files that changed since ──────────────────────────────────────────────────────────────────────


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


def test_stale_says_what_became_of_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
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


@pytest.mark.usefixtures("descriptors")
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
    undo_change(tmp_path)
    assert place.stat().st_ino == (tmp_path / "b").stat().st_ino, "undo restores the very same file"


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


def test_a_file_edited_between_planning_and_committing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The patch is planned again, and both edits are there in the end."""
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


# ── the same patch again ──────────────────────────────────────────────────────────────────────────


def test_applied_as(tmp_path: Path) -> None:
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
    undo_change(tmp_path, force=True)
    with DiskTree(str(tmp_path)) as tree:
        assert applied_as(tree, b"p") == ""


def test_applied_as_after_a_later_change_was_undone(tmp_path: Path) -> None:
    put(tmp_path, "a", OLD)
    with DiskTree(str(tmp_path)) as tree:
        first = commit(tree, (FileChange("a", tree.read("a"), File(NEW)),), format="", description="", patch=b"p")
        commit(tree, (FileChange("b", None, File(NEW)),), format="", description="", patch=b"q")
        assert applied_as(tree, b"p") == ""
        undo(tree)
        assert applied_as(tree, b"p") == first.id and applied_as(tree, b"q") == ""


# ── a tree that needs recovery ────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("left", ["tx", "undo.20260101-000000-0000.1", "redo.20260101-000000-0000.1"])
def test_reading_a_tree_with_an_interrupted_change_is_refused(tmp_path: Path, left: str) -> None:
    put(tmp_path, "a.py", b"x = 1\n")
    patch = "--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n-x = 1\n+x = 2\n"
    assert anypatch.preview(patch, tmp_path).ok
    put(tmp_path, f".anypatch/{left}.not", b"")
    assert anypatch.preview(patch, tmp_path).ok
    (tmp_path / ".anypatch" / left).mkdir()
    for patched in (patch, patch.replace("x = 1", "y = 1")):
        report = anypatch.preview(patched, tmp_path)
        assert [p.kind for p in report.problems] == ["unsettled"] and "Recover" in report.problems[0].hint
    for command in (["log"], ["outline", "a.py"], ["read", "a.py", "x"]):
        done = subprocess.run([PROGRAM, *command], cwd=tmp_path, capture_output=True, text=True, check=False)
        assert "was interrupted" in done.stderr and "anypatch recover" in done.stderr, command
    (tmp_path / ".anypatch" / left).rmdir()
    assert anypatch.preview(patch, tmp_path).ok


def test_reading_waits_for_a_process_that_changes_the_tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put(tmp_path, "a", b"x\n")
    put(tmp_path, ".anypatch/tx/0", b"")
    patch = "--- a/a\n+++ b/a\n@@ -1 +1 @@\n-x\n+y\n"

    def sleep(_: float) -> None:
        fcntl.flock(held, fcntl.LOCK_UN)
        state.discard(folder, "tx")

    monkeypatch.setattr(time, "sleep", sleep)
    folder = os.open(tmp_path / ".anypatch", os.O_RDONLY)
    held = os.open(tmp_path / ".anypatch/lock", os.O_RDWR | os.O_CREAT)
    fcntl.flock(held, fcntl.LOCK_EX)
    assert anypatch.preview(patch, tmp_path).ok
    os.close(held)
    os.close(folder)


def test_check_settled_releases_the_lock(tmp_path: Path) -> None:
    put(tmp_path, ".anypatch/tx/0", b"")
    with DiskTree(str(tmp_path)) as tree:
        assert refusal(tree.check_settled) == ["unsettled"]
        with (tmp_path / ".anypatch/lock").open("rb") as other:
            fcntl.flock(other, fcntl.LOCK_EX | fcntl.LOCK_NB)


def test_check_settled_if_the_state_cannot_be_listed_or_locked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put(tmp_path, ".anypatch/tx/0", b"")
    real = os.listdir

    def listdir(*_: object) -> list[str]:
        raise OSError(errno.EIO, "broken")

    with monkeypatch.context() as patched, DiskTree(str(tmp_path)) as tree:
        patched.setattr(os, "listdir", listdir)
        assert refusal(tree.check_settled) == ["io"]
        patched.setattr(os, "listdir", real)
        patched.setattr("anypatch.storage.state.lock", listdir)
        assert refusal(tree.check_settled) == ["unsettled"]


@pytest.mark.parametrize("where", ["flock", "listdir", "key"])
def test_a_failing_start_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, where: str) -> None:
    put(tmp_path, "a", OLD)
    apply(tmp_path, change(tmp_path, "a", NEW))

    def broken(*_: object, **__: object) -> None:
        raise OSError(errno.EIO, "broken")

    patched = {"flock": (fcntl, "flock"), "listdir": (os, "listdir"), "key": (journal, "_read_key")}[where]
    monkeypatch.setattr(*patched, broken)
    assert refusal(lambda: undo_change(tmp_path)) == ["io"]
    with DiskTree(str(tmp_path)) as tree:
        if where != "flock":
            assert refusal(lambda: receipts(tree)) == refusal(lambda: foreign_ids(tree)) == ["io"]
            assert applied_as(tree, b"x") == ""


# ── descriptors ───────────────────────────────────────────────────────────────────────────────────


@pytest.mark.usefixtures("descriptors")
def test_all_descriptors_are_closed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
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


def test_a_descriptor_may_be_0(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a standard input, a file or folder gets the descriptor 0: here each of them in turn."""
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
