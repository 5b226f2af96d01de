"""One change of a tree: from the first staged byte to the rename that commits it, and back from any point."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType
from typing import NamedTuple

from ..model import FileChange
from ..problems import Problem, Refused
from . import syscalls
from .journal import MANIFEST, Entry, Manifest, to_bytes
from .merge import SPANS, spans_to_bytes
from .sandbox import MAX_OPEN, OPEN_FOLDER, Folders, Metadata, error_text, io_refusal
from .stage import DEFAULT_ACL, NO_ACL, Stage, check_room, check_writable, entry_for, missing_folders, write_slot
from .state import STATE, TX, UNWRITABLE, ReceiptName, Settings, discard, is_absent, write_new
from .swap import Job, install, restore, stage_copies, stale

_DRAFT = f"{MANIFEST}.new"
_HINT = "Fix the cause named above, then recover the tree: that puts back the rest."
RECOVER = "`anypatch recover` does that."
_NOT_UNDONE = Problem("unsettled", "the change could not be undone", STATE, hint=_HINT, command=RECOVER)
_BY_HAND = "Compare the two, fix what is wrong by hand, then remove that folder."


class Storage(NamedTuple):
    """Where a change is made: the tree, the open state directory, the key that signs, the settings."""

    folders: Folders
    state: int
    key: bytes
    settings: Settings


class Task(NamedTuple):
    """What is to be done.

    `head`: the journal without entries. `metadata`: that of the files read so far. `origins`: which files were moved,
    new path to old. `in_place`: files that are written in place. `far`: folders on other file systems than the state.
    `restored`: mode, owner and attributes that a file gets back instead of keeping those it has.
    """

    head: Manifest
    changes: tuple[FileChange, ...]
    metadata: Mapping[str, Metadata]
    origins: Mapping[str, str]
    in_place: frozenset[str] = frozenset()
    far: frozenset[str] = frozenset()
    restored: Mapping[str, Metadata] = MappingProxyType({})


class OtherFileSystem(Exception):
    """A folder turned out to be on another file system than the state; everything was put back."""

    def __init__(self, folder: str) -> None:
        self.folder = folder


def carry_out(storage: Storage, task: Task) -> ReceiptName:
    """Make all changes or none. Return the receipt's name."""
    size = _receipt_size(task.changes)
    receipt = f"{task.head.id}.{size}"
    storage.folders.forget()
    check_room(storage.state, task.changes)
    removed = task.head.removed_dirs
    check_writable(storage.folders, [*(change.path for change in task.changes), *removed], task.in_place)
    _make_transaction_folder(storage.state)
    slots, job, committed = -1, None, False
    try:
        slots = os.open(TX, OPEN_FOLDER, dir_fd=storage.state)
        _drop_default_acl(slots)
        job = Job(storage.folders, slots, task.head.id, (), missing_folders(storage.folders, task.changes), removed)
        job = _stage_all(storage, task, job)
        _write_journal(storage, task, job)
        _install_all(storage, task, job)
        folders = touched_folders(job, may_be_gone=bool(removed))
        syscalls.sync_all(folders, storage.settings.durability, len(job.entries))
        # This rename commits the change: after a crash before it the change is undone, after a later one it isn't.
        os.rename(TX, receipt, src_dir_fd=storage.state, dst_dir_fd=storage.state)
        committed = True
        syscalls.sync_all((storage.state,), storage.settings.durability, 0)
    except BaseException as error:
        committed = committed or exists(storage.state, receipt)
        raise roll_back(error, lambda: _undo(storage, job, receipt if committed else ""), _NOT_UNDONE) from None
    finally:
        close_uninterrupted(slots)
    return ReceiptName(task.head.id, size, "", receipt)


def _receipt_size(changes: tuple[FileChange, ...]) -> int:
    """Return how many bytes a receipt keeps at most: the old files, or the new ones when it is undone."""
    old = sum(len(change.before.data) for change in changes if change.before)
    return max(old, sum(len(change.after.data) for change in changes if change.after))


def _make_transaction_folder(state: int) -> None:
    """Make the folder. If it exists, it is another process's, which must not lose it."""
    try:
        os.mkdir(TX, 0o700, dir_fd=state)
    except FileExistsError:
        detail = "another process started changing this tree although it was locked"
        raise Refused(
            Problem("locked", detail, advice="Check that the file system supports locks, and try again.")
        ) from None
    except BaseException as error:
        raise roll_back(error, lambda: _remove_empty(state), _NOT_UNDONE) from None


def _drop_default_acl(slots: int) -> None:
    """Staged files must not inherit the access list that the state directory may have inherited from the root."""
    try:
        if hasattr(os, "removexattr"):
            os.removexattr(slots, DEFAULT_ACL)
    except OSError as error:
        if error.errno not in NO_ACL:
            raise


# ── the steps ────────────────────────────────────────────────────────────────────────────────────


def _stage_all(storage: Storage, task: Task, job: Job) -> Job:
    """Write every new file outside the tree. Return the job with its entries."""
    sync_each = syscalls.syncs_each_file(storage.settings.durability, len(task.changes))
    sources = {**task.metadata, **task.restored}
    stage = Stage(storage.folders, job.slots, sources, task.origins, sync_each, {})
    entries = []
    for number, change in enumerate(task.changes):
        entry = entry_for(number, change, task.metadata.get(change.path))
        if change.path in task.restored:
            entry = entry._replace(new_mode=task.restored[change.path].stat.st_mode & 0o7777)
        if change.path in task.in_place:
            entry = entry._replace(method="keep")
        elif change.path.rpartition("/")[0] in task.far:
            entry = entry._replace(method="far")
        try:
            if entry.method:
                stage_copies(job.slots, entry, change, sync_each)
            elif change.after is not None:
                entry = write_slot(stage, entry, change.after.data, str(number))
        except OSError as error:
            raise io_refusal(error, change.path) from None
        entries.append(entry)
    return job._replace(entries=tuple(entries))


def _write_journal(storage: Storage, task: Task, job: Job) -> None:
    """Write the journal. As soon as it has its name, recovery undoes the change after a crash."""
    durability, count = storage.settings.durability, len(job.entries)
    data = to_bytes(task.head._replace(dirs=job.dirs, entries=job.entries), storage.key)
    edits = [
        (entry.number, change.before.data, change.after.data)
        for entry, change in zip(job.entries, task.changes, strict=True)
        if change.before and change.after and not entry.method and not entry.is_link
    ]
    if edits:
        write_new(job.slots, SPANS, spans_to_bytes(edits))
    write_new(job.slots, _DRAFT, data, sync=syscalls.syncs_each_file(durability, count))
    if syscalls.syncs_file_system(durability, count):
        syscalls.sync_all((job.slots,), durability, count)
    os.rename(_DRAFT, MANIFEST, src_dir_fd=job.slots, dst_dir_fd=job.slots)
    syscalls.sync_all((job.slots, storage.state), durability, 0)


def _install_all(storage: Storage, task: Task, job: Job) -> None:
    displaced: list[tuple[Entry, os.stat_result]] = []
    for step in _steps(job):
        if isinstance(step, FolderStep):
            (make_folder if step.is_made else remove_folder)(storage.folders, step.path)
            continue
        try:
            status = install(job, step, task.changes[step.number].before)
        except OSError as error:
            if error.errno == errno.EXDEV:
                raise OtherFileSystem(step.path.rpartition("/")[0]) from None
            raise io_refusal(error, step.path) from None
        if status is not None:
            displaced.append((step, status))
    for entry, status in displaced:
        # A process that has the old file open may have written to our copy since, and the tree would lose that.
        now = os.stat(str(entry.number), dir_fd=job.slots, follow_symlinks=False)
        if (now.st_mtime_ns, now.st_size) != (status.st_mtime_ns, status.st_size):
            raise stale(entry, "someone is writing to it")


class FolderStep(NamedTuple):
    """A folder that a change makes, or removes."""

    path: str
    is_made: bool


def _steps(job: Job) -> Iterator[Entry | FolderStep]:
    """Yield deletions, which empty folders and make room for them, then the folders, then the other files.

    The files of a folder are yielded together if there are many, so that it is opened once.
    """
    entries = job.entries
    if len(entries) > MAX_OPEN:
        entries = tuple(sorted(entries, key=lambda entry: entry.path.rpartition("/")[0]))
    yield from (entry for entry in entries if not entry.new)
    yield from (FolderStep(folder, False) for folder in job.removed_dirs)
    yield from (FolderStep(folder, True) for folder in job.dirs)
    yield from (entry for entry in entries if entry.new)


def make_folder(folders: Folders, folder: str) -> None:
    """Make a folder, unless somebody else has made it in the meantime."""
    parent, _, name = folder.rpartition("/")
    try:
        folders.missing.clear()
        os.mkdir(name, dir_fd=folders.fd(parent))
    except FileExistsError:
        return
    except OSError as error:
        raise io_refusal(error, folder) from None


def touched_folders(job: Job, *, may_be_gone: bool = False) -> Iterator[int]:
    """Open one after another the folders in which names changed. An undo may have removed some of them."""
    changed = (*(entry.path for entry in job.entries), *job.dirs, *job.removed_dirs)
    paths = {path.rpartition("/")[0] for path in changed}
    for path in sorted(paths):
        try:
            fd = job.folders.fd(path)
        except OSError:
            if not may_be_gone:
                raise
            continue
        yield fd
    yield job.slots


# ── restoring ────────────────────────────────────────────────────────────────────────────────────


def settle(job: Job, *, to_old: bool) -> tuple[Problem, ...]:
    """Bring every path to one side, however far it got. Keep what somebody else has written, and return it.

    A path that fails doesn't stop the others. The failures are raised at the end; then it can be tried again.
    """
    job.folders.forget()
    conflicts: list[Problem] = []
    failures: list[Problem] = []
    steps = list(_steps(job))
    for step in reversed(steps) if to_old else steps:
        if isinstance(step, FolderStep):
            try:
                (make_folder if step.is_made != to_old else remove_folder)(job.folders, step.path)
            except Refused as refused:
                failures.extend(refused.problems)
            continue
        try:
            restore(job, step if to_old else step.inverted())
        except Refused as refused:
            conflicts.extend(refused.problems)
        except OSError as error:
            failures.append(_restore_failure(error, step.path))
    job.folders.forget()
    if failures:
        raise Refused(*failures)
    return tuple(conflicts)


def _restore_failure(error: OSError, path: str) -> Problem:
    if error.errno != errno.EXDEV:
        return Problem("io", error_text(error), path)
    detail = "its folder is now a separate mount, and the old file is on the other file system"
    return Problem("io", detail, path, advice="Unmount that folder, then run this again.")


def remove_folder(folders: Folders, folder: str) -> None:
    """Remove a folder that was made, unless it isn't empty, or doesn't exist."""
    parent, _, name = folder.rpartition("/")
    try:
        os.rmdir(name, dir_fd=folders.fd(parent))
    except OSError as error:
        expected = error.errno in (errno.ENOENT, errno.ENOTDIR, errno.ENOTEMPTY, errno.EEXIST, errno.ELOOP)
        # Where nothing can be written, the system answers that first, also for what doesn't exist.
        if not expected and not (error.errno in UNWRITABLE and _is_gone(folders, folder)):
            raise io_refusal(error, folder) from None


def _is_gone(folders: Folders, folder: str) -> bool:
    parent, _, name = folder.rpartition("/")
    try:
        return is_absent(folders.fd(parent), name)
    except OSError:
        return False


def put_back(storage: Storage, job: Job, folder: str) -> tuple[Problem, ...]:
    """Undo a change whose journal is in `folder`, then remove that; keep it if somebody else has written to a file."""
    conflicts = settle(job, to_old=True)
    syscalls.sync_all(touched_folders(job, may_be_gone=True), storage.settings.durability, len(job.entries))
    if not conflicts:
        discard(storage.state, folder)
        return ()
    return keep_conflict(storage, folder, job.id, conflicts)


def keep_conflict(storage: Storage, folder: str, id: str, conflicts: tuple[Problem, ...]) -> tuple[Problem, ...]:
    """Move the journal and the saved files out of the way. Return the conflicts, which then name their place."""
    kept = f"conflict.{id}"
    os.rename(folder, kept, src_dir_fd=storage.state, dst_dir_fd=storage.state)
    return tuple(
        p._replace(detail=f"{p.detail}; what was saved is in {STATE}/{kept}", hint=_BY_HAND) for p in conflicts
    )


# ── rolling back ─────────────────────────────────────────────────────────────────────────────────


def _undo(storage: Storage, job: Job | None, receipt: str) -> tuple[Problem, ...]:
    """Undo whatever was done, the last rename (to `receipt`) included. Can be called again after an interrupt."""
    try:
        if receipt:
            os.rename(receipt, TX, src_dir_fd=storage.state, dst_dir_fd=storage.state)
    except FileNotFoundError:
        pass
    except OSError as error:
        return (uncertain("the change was made", error, f"anypatch undo {receipt.partition('.')[0]}"),)
    if job is None:
        return _remove_empty(storage.state)
    if is_absent(job.slots, MANIFEST):
        discard(storage.state, TX)
        return ()
    return put_back(storage, job, TX)


def _remove_empty(state: int) -> tuple[Problem, ...]:
    """Remove the folder that was only just made, if it was. If that fails, the next run removes it."""
    try:
        os.rmdir(TX, dir_fd=state)
    except OSError:
        pass
    return ()


def exists(state: int, folder: str) -> bool:
    """Return True if a folder exists; False also if the disk no longer answers."""
    try:
        os.stat(folder, dir_fd=state, follow_symlinks=False)
    except OSError:
        return False
    return True


def uncertain(done: str, error: OSError, remedy: str) -> Problem:
    """Return the problem that the last rename was made, but could neither be synced nor undone."""
    detail = f"{done}, but may be lost after a restart, and could not be undone: {error_text(error)}"
    hint = "Once the disk works again, look at the log, and undo or redo the change if it isn't as you want it."
    return Problem("unsettled", detail, hint=hint, command=f"Use `anypatch log`, then `{remedy}`.")


def roll_back(error: BaseException, undo: Callable[[], tuple[Problem, ...]], failed: Problem) -> BaseException:
    """Undo what was done before an error. Return what to raise: the error, and what could not be undone.

    `failed` is the problem to report, or whose kind and hint to use, if `undo` fails.
    """
    left = _retry_through_interrupts(undo, failed)
    problems = _problems(error)
    if not problems:
        return Refused(*left) if left else error
    if left:
        problems = tuple(p._replace(advice="Not everything was put back; see below.") for p in problems)
    return Refused(*problems, *left)


def _retry_through_interrupts(undo: Callable[[], tuple[Problem, ...]], failed: Problem) -> tuple[Problem, ...]:
    """Call `undo`, again if it is interrupted. Return what it couldn't undo, which is left to recovery."""
    for _ in range(9):
        try:
            return undo()
        except KeyboardInterrupt:
            continue
        except OSError as error:
            return (failed._replace(detail=f"{failed.detail}: {error_text(error)}"),)
        except Refused as refused:
            return tuple(
                p._replace(kind=failed.kind, advice="", hint=failed.hint, command=failed.command)
                for p in refused.problems
            )
        except MemoryError:
            break
    return (failed,)


def _problems(error: BaseException) -> tuple[Problem, ...]:
    if isinstance(error, Refused):
        return error.problems
    if isinstance(error, OSError):
        return (Problem("io", error_text(error), STATE),)
    if isinstance(error, KeyboardInterrupt):
        return (Problem("io", "interrupted", advice="Everything was put back."),)
    if isinstance(error, MemoryError):
        return (Problem("io", "out of memory"),)
    return ()


def close_uninterrupted(fd: int) -> None:
    """Close a descriptor. Ignore errors and interrupts, which would make a finished change look unfinished."""
    try:
        os.close(fd)
    except (OSError, KeyboardInterrupt):
        return
