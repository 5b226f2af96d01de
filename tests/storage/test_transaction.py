"""A change from staging to commit, and rolling it back: failing disks, interrupts, other processes."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

import anypatch
from anypatch.model import File, FileChange
from anypatch.problems import Refused
from anypatch.storage import sandbox, stage, state, swap, syscalls, transaction
from anypatch.storage import undo as undoing
from anypatch.storage.sandbox import Folders
from anypatch.storage.tree import DiskTree, commit, redo, undo
from support.disk_trees import (
    NEW,
    OLD,
    THEIRS,
    apply,
    change,
    put,
    refusal,
    snapshot,
    undo_change,
)

FAILED = anypatch.Problem("unsettled", "could not be put back", advice="Later.")


# ── the steps ─────────────────────────────────────────────────────────────────────────────────────


def test_each_step_is_synced_before_the_next(tmp_path: Path, events: list[str]) -> None:
    """After a power cut there is a journal, or nothing to restore; and a file with its final name is complete."""
    root = tmp_path / "root"
    with DiskTree(str(root)) as tree:
        commit(tree, (FileChange("a", tree.read("a"), File(NEW)),), format="", description="")
        assert events == [
            "fsync 0", "fsync manifest.new", "rename manifest", "fsync tx", "fsync .anypatch",
            "exchange a", "fsync root", "fsync tx", "rename ID.3", "fsync .anypatch",
        ]  # fmt: skip
        for turn, way, last in ((undo, "undo.ID.3", "ID.3.undone.ID"), (redo, "redo.ID.3", "ID.3")):
            events.clear()
            turn(tree)
            assert events == [
                f"rename {way}", "fsync .anypatch", f"fsync {way}",
                "exchange a", "fsync root", f"fsync {way}", f"rename {last}", "fsync .anypatch",
            ]  # fmt: skip


def test_the_files_of_a_folder_are_changed_together(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
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
    # Opened in the order of the patch to check that they can be written, and to stage; then to exchange and to sync.
    assert max(opened.count(f"d{number}") for number in range(6)) <= 5
    assert all((tmp_path / path).read_bytes() == NEW == (tmp_path / f"{path}.n").read_bytes() for path in paths)
    undo_change(tmp_path)
    assert all((tmp_path / path).read_bytes() == OLD and not (tmp_path / f"{path}.n").exists() for path in paths)


@pytest.mark.parametrize("name", ["a", "b"])
def test_a_folder_that_appears_in_the_meantime(tmp_path: Path, name: str) -> None:
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


def test_folders_that_were_removed_again_are_not_synced(tmp_path: Path, synced: list[str]) -> None:
    """Some file systems fail to sync a removed folder."""
    apply(tmp_path, change(tmp_path, "d/e/a", NEW))
    undo_change(tmp_path)
    assert "e" in synced and not [name for name in synced if name.endswith("(deleted)")]


@pytest.mark.parametrize("call", ["mkdir", "rmdir"])
def test_folders_that_cannot_be_made_or_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: str) -> None:
    def broken(*_: object, **__: object) -> None:
        raise OSError(errno.EIO, "broken")

    monkeypatch.setattr(os, call, broken)
    folders = Folders(str(tmp_path))
    action = transaction.make_folder if call == "mkdir" else transaction.remove_folder
    assert refusal(lambda: action(folders, "x")) == ["io"]
    folders.close()


def test_a_write_to_the_displaced_file_is_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Somebody has the file open: what they write after it was compared must not be lost."""
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


def test_the_transaction_of_another_process_is_not_touched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where locks don't work, as on some network file systems, two may begin at once: the second is refused."""
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
    assert undo_change(tmp_path) and (tmp_path / "a").read_bytes() == OLD


# ── rolling back ──────────────────────────────────────────────────────────────────────────────────


def test_failures_before_the_first_and_after_the_last_step(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
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


def test_a_change_that_never_touched_the_tree_removes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Somebody makes the folder that we wanted to make; then our journal can't be written."""
    edit = change(tmp_path, "d/a", NEW)

    def rename(*_: object, **__: object) -> None:
        (tmp_path / "d").mkdir()
        raise OSError(errno.EIO, "broken")

    with monkeypatch.context() as patched:
        patched.setattr(os, "rename", rename)
        assert refusal(lambda: apply(tmp_path, edit)) == ["io"]
    assert (tmp_path / "d").is_dir() and sorted(os.listdir(tmp_path / ".anypatch")) == [".gitignore", "lock"]


def test_a_change_that_is_made_but_not_synced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
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


def ready(root: Path, action: str) -> FileChange:
    """Make a file and return an edit of it, which is already applied if the action is undo."""
    put(root, "a", OLD)
    edit = change(root, "a", NEW)
    if action == "undo":
        apply(root, edit)
    return edit


@pytest.mark.parametrize("action", ["apply", "undo"])
def test_a_disk_that_dies_at_the_last_sync_leaves_a_tree_that_recovers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, action: str
) -> None:
    """The last rename was made, and then the disk answers nothing: it is still undone, by its name."""
    edit = ready(tmp_path, action)

    def dead(*_: object, **__: object) -> None:
        raise OSError(errno.EIO, "broken")

    def sync_all(*_: object) -> None:
        if list((tmp_path / ".anypatch").glob("2*" if action == "apply" else "*.undone.*")):
            patched.setattr(os, "stat", dead)
            raise OSError(errno.EIO, "broken")

    with monkeypatch.context() as patched, pytest.raises(Refused) as caught:
        patched.setattr(syscalls, "sync_all", sync_all)
        apply(tmp_path, edit) if action == "apply" else undo_change(tmp_path)
    assert [p.kind for p in caught.value.problems] == ["io", "unsettled"]
    assert "anypatch recover" in caught.value.problems[1].command
    assert len(anypatch.recover(tmp_path).notes) == 1 and (tmp_path / "a").read_bytes() == OLD


@pytest.mark.parametrize("action", ["apply", "undo"])
def test_a_change_that_was_not_made_is_not_reported_as_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, action: str
) -> None:
    """The disk fails in the middle, and then nothing can be renamed."""
    edit = ready(tmp_path, action)

    def dead(*_: object, **__: object) -> None:
        raise OSError(errno.EROFS, "read-only")

    def exchange(*_: object) -> None:
        monkeypatch.setattr(os, "rename", dead)
        raise OSError(errno.EIO, "broken")

    with monkeypatch.context() as patched, pytest.raises(Refused) as caught:
        patched.setattr(syscalls, "exchange", exchange)
        apply(tmp_path, edit) if action == "apply" else undo_change(tmp_path)
    details = " ".join(problem.detail for problem in caught.value.problems)
    assert "was made" not in details and "was undone" not in details
    assert ("only partly done" in details) == (action == "undo")


@pytest.mark.parametrize("action", ["apply", "undo"])
def test_an_interrupt_while_the_last_rename_is_undone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, action: str
) -> None:
    """Rolling back continues after that rename."""
    edit = ready(tmp_path, action)
    home, name = (transaction, "put_back") if action == "apply" else (undoing, "settle")
    real = getattr(home, name)
    calls: list[int] = []

    def interrupted(*arguments: object, **named: object) -> object:
        calls.append(1)
        if len(calls) == (1 if action == "apply" else 2):
            raise KeyboardInterrupt
        return real(*arguments, **named)

    def sync_all(*_: object) -> None:
        if list((tmp_path / ".anypatch").glob("2*" if action == "apply" else "*.undone.*")):
            raise OSError(errno.EIO, "broken")

    with monkeypatch.context() as patched:
        patched.setattr(home, name, interrupted)
        patched.setattr(syscalls, "sync_all", sync_all)
        assert refusal(lambda: apply(tmp_path, edit) if action == "apply" else undo_change(tmp_path)) == ["io"]
    assert (tmp_path / "a").read_bytes() == (OLD if action == "apply" else NEW)
    assert len(calls) == (2 if action == "apply" else 3) and anypatch.recover(tmp_path).notes == ()


@pytest.mark.parametrize(
    ("error", "detail"), [(OSError(errno.EIO, "x"), os.strerror(errno.EIO)), (MemoryError(), "put back")]
)
def test_roll_back_reports_what_it_cannot_undo(error: BaseException, detail: str) -> None:
    def fail() -> tuple[anypatch.Problem, ...]:
        raise error

    reason = transaction.roll_back(MemoryError(), fail, FAILED)
    assert isinstance(reason, Refused) and "memory" in reason.problems[0].detail
    assert detail in reason.problems[1].detail and reason.problems[1].advice == FAILED.advice
    other = transaction.roll_back(ZeroDivisionError(), tuple, FAILED)
    assert isinstance(other, ZeroDivisionError)
    both = transaction.roll_back(ZeroDivisionError(), lambda: (FAILED,), FAILED)
    assert isinstance(both, Refused) and both.problems == (FAILED,)


def test_roll_back_gives_up_after_many_interrupts() -> None:
    def interrupted() -> tuple[anypatch.Problem, ...]:
        raise KeyboardInterrupt

    reason = transaction.roll_back(KeyboardInterrupt(), interrupted, FAILED)
    assert isinstance(reason, Refused) and len(reason.problems) == 2


def test_close_uninterrupted_ignores_errors(monkeypatch: pytest.MonkeyPatch) -> None:
    transaction.close_uninterrupted(-1)
