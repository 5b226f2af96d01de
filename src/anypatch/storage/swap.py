"""One path: install the new file, or restore the old one. Every step can be repeated after a crash.

The slot of an entry is a name in the transaction's folder. It holds the new file before the exchange and the old one
after it; so the contents of the slot and of the tree together tell how far a change has got.
"""

from __future__ import annotations

import errno
import os
from stat import S_ISDIR
from typing import NamedTuple, TypeGuard

from ..model import File, FileChange
from ..problems import Problem, Refused
from . import syscalls
from .journal import NO_HARD_LINK, Entry, fingerprint
from .sandbox import Folders, Metadata, read_at, read_file, read_link
from .stage import Stage, write_slot
from .state import STATE, remove, write_all, write_new

MAX_READ = 1 << 30
_ABSENT = (errno.ENOENT, errno.ENOTDIR, errno.ELOOP, errno.EMLINK)
# A pipe or a device; or a file became a link, or a link a file, while it was read.
_NOT_A_FILE = (errno.ELOOP, errno.EMLINK, errno.ENXIO, errno.EINVAL)
_TRIES = 8

_NO_FOLDER = "its folder no longer exists"
_NOT_SAVED = "the saved file no longer exists"
_OTHER_FILE = "it is no longer the file the edit was made for"
_WRITTEN_SINCE = "someone else has written to it in the meantime"


class Job(NamedTuple):
    """A change in progress: the tree, the open folder with the slots, the receipt's id, and the paths that change.

    `dirs`: the folders that it makes, outer ones first. `removed_dirs`: those that it removes, inner ones first.
    """

    folders: Folders
    slots: int
    id: str
    entries: tuple[Entry, ...]
    dirs: tuple[str, ...]
    removed_dirs: tuple[str, ...] = ()


class FileStamp(NamedTuple):
    """Identifies the file under a name. The fingerprint of what is neither a regular file nor a link is "?"."""

    fingerprint: str
    mode: int
    inode: tuple[int, int]
    size: int
    time: int


_NO_FILE = FileStamp("?", 0, (0, 0), 0, 0)


def read_stamp(folder: int, name: str) -> FileStamp | None:
    """Read the file under a name in an open folder; None if there is none, or if the folder is -1."""
    if folder < 0:
        return None
    try:
        data, status = read_link(folder, name) or read_at(folder, name, MAX_READ)
    except FileNotFoundError:
        return None
    except Refused:
        return _NO_FILE
    except OSError as error:
        if error.errno in _NOT_A_FILE:
            return _NO_FILE
        raise
    return _stamp(fingerprint(data, status.st_mode), status)


def _stamp(fingerprint: str, status: os.stat_result) -> FileStamp:
    inode = status.st_dev, status.st_ino
    return FileStamp(fingerprint, status.st_mode & 0o7777, inode, status.st_size, status.st_mtime_ns)


def is_new(stamp: FileStamp | None, entry: Entry) -> TypeGuard[FileStamp]:
    """Return True if this is the file after the change. If only the mode changes, the mode decides."""
    if stamp is None or stamp.fingerprint != entry.new:
        return False
    return entry.old != entry.new or stamp.mode & 0o777 == entry.new_mode & 0o777


def is_old(stamp: FileStamp | None, entry: Entry) -> TypeGuard[FileStamp]:
    """Return True if this is the file before the change."""
    return is_new(stamp, entry.inverted())


def parent(folders: Folders, entry: Entry) -> int:
    """Open the folder of an entry's path; -1 if it doesn't exist, or isn't a folder any more."""
    try:
        return folders.fd(entry.path.rpartition("/")[0])
    except OSError as error:
        if error.errno in _ABSENT:
            return -1
        raise


def stale(entry: Entry, detail: str) -> Refused:
    """Return the refusal for a file that isn't as it was when the change was planned."""
    return Refused(Problem("stale", detail, entry.path))


def conflict(entry: Entry, detail: str) -> Refused:
    """Return the refusal for a file of somebody else, which must stay."""
    return Refused(Problem("conflict", detail, entry.path))


# ── install ──────────────────────────────────────────────────────────────────────────────────────


def install(job: Job, entry: Entry, before: File | None) -> os.stat_result | None:
    """Replace the old file, which must be `before`, by the new one. Return the status of what was displaced."""
    if entry.method:
        _install_without_exchange(job, entry, before)
        return None
    name, slot = entry.name, str(entry.number)
    folder = parent(job.folders, entry)
    if folder < 0:
        raise stale(entry, _NO_FOLDER)
    if before is None:
        try:
            move_to_free_name(job.slots, slot, folder, name)
        except FileExistsError:
            raise _occupied(entry, folder) from None
        return None
    try:
        if entry.new:
            swap(job.slots, slot, folder, name)
        else:
            os.rename(name, slot, src_dir_fd=folder, dst_dir_fd=job.slots)
    except FileNotFoundError:
        raise stale(entry, "it no longer exists") from None
    status = _displaced(job.slots, slot, before, entry)
    if status is None:
        _return_displaced(job, entry, folder)
        raise stale(entry, _OTHER_FILE)
    return status


def _displaced(slots: int, slot: str, before: File, entry: Entry) -> os.stat_result | None:
    """Return the status of the displaced file; None if it isn't the expected one."""
    try:
        contents = read_link(slots, slot) if before.is_link else read_at(slots, slot, MAX_READ)
    except Refused:
        return None
    except OSError as error:
        if error.errno in _NOT_A_FILE:
            return None
        raise
    if contents is None or contents[0] != before.data or contents[1].st_mode & 0o7777 != entry.old_mode:
        return None
    return contents[1]


def _return_displaced(job: Job, entry: Entry, folder: int) -> None:
    """Put back a file of somebody else; again if they replaced ours with yet another one in the meantime."""
    slot = str(entry.number)
    for _ in range(_TRIES):
        if not entry.new:
            move_to_free_name(job.slots, slot, folder, entry.name)
            return
        swap(job.slots, slot, folder, entry.name)
        if is_new(read_stamp(job.slots, slot), entry):
            return


def _occupied(entry: Entry, folder: int) -> Refused:
    """Return the refusal for a new file whose name is taken."""
    if S_ISDIR(os.stat(entry.name, dir_fd=folder, follow_symlinks=False).st_mode):
        return Refused(Problem("not_a_file", "there is a directory in its place", entry.path))
    return stale(entry, "there is something in its place that was not there before")


# ── restore ──────────────────────────────────────────────────────────────────────────────────────


def restore(job: Job, entry: Entry) -> None:
    """Bring a path back to how it was before, however far it got. Refuse if somebody else has written to it."""
    if entry.method:
        _restore_without_exchange(job, entry)
        return
    folder = parent(job.folders, entry)
    _finish_steps(job.slots, str(entry.number), folder, entry.name)
    slot = read_stamp(job.slots, str(entry.number))
    if is_new(slot, entry):
        return  # it never left the slot, or is in it again
    here = read_stamp(folder, entry.name)
    if is_new(here, entry):
        if (slot is None) != (not entry.old):
            raise conflict(entry, _NOT_SAVED if entry.old else "its slot is taken")
        _take_new_out(job, entry, folder, here)
    elif entry.old and slot is not None and here is None:
        _put_old_back(job, entry, folder)
    elif not (is_old(here, entry) or (slot is None and not entry.new) or (here is None and not entry.old)):
        raise conflict(entry, _WRITTEN_SINCE)


def _take_new_out(job: Job, entry: Entry, folder: int, here: FileStamp) -> None:
    """Move the new file into the slot and the old one, if any, out of it. Refuse if the file isn't `here` any more."""
    name, slot = entry.name, str(entry.number)
    if entry.old:
        swap(job.slots, slot, folder, name)
    else:
        os.rename(name, slot, src_dir_fd=folder, dst_dir_fd=job.slots)
    if _stamp(here.fingerprint, os.stat(slot, dir_fd=job.slots, follow_symlinks=False)) != here:
        if entry.old:
            swap(job.slots, slot, folder, name)
        else:
            move_to_free_name(job.slots, slot, folder, name)
        raise conflict(entry, _WRITTEN_SINCE)


def _put_old_back(job: Job, entry: Entry, folder: int) -> None:
    if folder < 0:
        raise conflict(entry, _NO_FOLDER)
    try:
        move_to_free_name(job.slots, str(entry.number), folder, entry.name)
    except FileExistsError:
        raise conflict(entry, _WRITTEN_SINCE) from None


# ── exchanging names, also if the file system can't ──────────────────────────────────────────────


def swap(slots: int, slot: str, folder: int, name: str) -> None:
    """Exchange the slot and a name: at once, or in steps that `_finish_steps` can finish."""
    try:
        syscalls.exchange(slots, slot, folder, name)
    except OSError as error:
        if error.errno not in syscalls.UNSUPPORTED:
            raise
        _swap_in_steps(slots, slot, folder, name)


def _swap_in_steps(slots: int, slot: str, folder: int, name: str) -> None:
    spare = f"{slot}.x"
    try:
        os.link(name, spare, src_dir_fd=folder, dst_dir_fd=slots, follow_symlinks=False)
    except OSError as error:
        if error.errno not in NO_HARD_LINK:
            raise
        os.rename(name, spare, src_dir_fd=folder, dst_dir_fd=slots)
    os.rename(slot, name, src_dir_fd=slots, dst_dir_fd=folder)
    os.rename(spare, slot, src_dir_fd=slots, dst_dir_fd=slots)


def move_to_free_name(slots: int, slot: str, folder: int, name: str) -> None:
    """Move the file in the slot to a name. Raise FileExistsError if that exists."""
    try:
        syscalls.rename_noreplace(slots, slot, folder, name)
        return
    except OSError as error:
        if error.errno not in syscalls.UNSUPPORTED:
            raise
    try:
        os.link(slot, name, src_dir_fd=slots, dst_dir_fd=folder, follow_symlinks=False)
    except OSError as error:
        if error.errno not in NO_HARD_LINK:
            raise
        if _inode(folder, name):
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST)) from None
        os.rename(slot, name, src_dir_fd=slots, dst_dir_fd=folder)
    else:
        os.unlink(slot, dir_fd=slots)


def _finish_steps(slots: int, slot: str, folder: int, name: str) -> None:
    """Finish or undo what a crash left of the steps above."""
    spare_inode, slot_inode = _inode(slots, f"{slot}.x"), _inode(slots, slot)
    file_inode = _inode(folder, name) if folder >= 0 else None
    if spare_inode and not slot_inode:
        os.rename(f"{slot}.x", slot, src_dir_fd=slots, dst_dir_fd=slots)
    elif spare_inode and not file_inode and folder >= 0:
        os.rename(f"{slot}.x", name, src_dir_fd=slots, dst_dir_fd=folder)
    elif spare_inode and file_inode:
        os.unlink(f"{slot}.x", dir_fd=slots)
    elif slot_inode and slot_inode == file_inode:
        remove(slots, slot)


def _inode(folder: int, name: str) -> tuple[int, int] | None:
    try:
        status = os.stat(name, dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        return None
    return status.st_dev, status.st_ino


# ── the methods "far" and "keep": paths that can't be exchanged with a slot ──────────────────────


def stage_copies(slots: int, entry: Entry, change: FileChange, sync: bool) -> None:
    """Save a copy of both sides."""
    for file, side in ((change.before, "old"), (change.after, "new")):
        if file is not None:
            write_new(slots, f"{entry.number}.{side}", file.data, sync=sync)


def _read_copy(job: Job, entry: Entry, *, old: bool) -> bytes:
    try:
        return read_at(job.slots, entry.saved_name(old=old), MAX_READ)[0]
    except (FileNotFoundError, Refused):
        raise conflict(entry, _NOT_SAVED) from None


def _install_without_exchange(job: Job, entry: Entry, before: File | None) -> None:
    folder = parent(job.folders, entry)
    if folder < 0:
        raise stale(entry, _NO_FOLDER)
    here = read_stamp(folder, entry.name)
    if before is None and here is not None:
        raise _occupied(entry, folder)
    if before is not None and (not is_old(here, entry) or here.mode != entry.old_mode):
        raise stale(entry, _OTHER_FILE)
    _mark_begun(job, entry)
    if entry.method == "keep":
        _write_in_place(folder, entry, before.data if before else b"", _read_copy(job, entry, old=False))
    else:
        _replace_far(job, entry, folder)


def _mark_begun(job: Job, entry: Entry) -> None:
    """Record that this path may be changed from now on, because there is no slot that would tell."""
    write_new(job.slots, f"{entry.number}.begun", b"", sync=True)
    syscalls.sync(job.slots)


def _restore_without_exchange(job: Job, entry: Entry) -> None:
    if read_stamp(job.slots, f"{entry.number}.begun") is None:
        return
    folder = parent(job.folders, entry)
    if folder < 0:
        if entry.old:
            raise conflict(entry, _NO_FOLDER)
        return
    _clear_far_slot(job, entry, folder)
    here = read_stamp(folder, entry.name)
    if is_old(here, entry) or (here is None and not entry.old):
        return
    if entry.method == "keep":
        _restore_in_place(job, entry, folder)
    elif is_new(here, entry) or (here is None and not entry.new):
        _replace_far(job, entry.inverted(), folder)
    else:
        raise conflict(entry, _WRITTEN_SINCE)


# ── far: by a slot next to the file ──────────────────────────────────────────────────────────────


def _far_slot(job: Job, entry: Entry) -> str:
    return f"{STATE}-{job.id}-{entry.number}"


def _replace_far(job: Job, entry: Entry, folder: int) -> None:
    """Replace the old side by the new one, by a slot in the file's own folder."""
    slot = _far_slot(job, entry)
    if entry.new:
        metadata: dict[str, Metadata] = {}
        read_file(job.folders, entry.path, MAX_READ, metadata, links=entry.is_link)
        stage = Stage(job.folders, folder, metadata, {}, True, {})
        remove(folder, f"{slot}.new")
        write_slot(stage, entry, _read_copy(job, entry, old=False), f"{slot}.new", exact=True)
        os.rename(f"{slot}.new", slot, src_dir_fd=folder, dst_dir_fd=folder)
    if not entry.old:
        try:
            move_to_free_name(folder, slot, folder, entry.name)
        except FileExistsError:
            remove(folder, slot)
            raise _occupied(entry, folder) from None
        return
    if entry.new:
        swap(folder, slot, folder, entry.name)
    else:
        os.rename(entry.name, slot, src_dir_fd=folder, dst_dir_fd=folder)
    if not is_old(read_stamp(folder, slot), entry):
        _clear_far_slot(job, entry, folder)
        raise stale(entry, _OTHER_FILE)
    remove(folder, slot)


def _clear_far_slot(job: Job, entry: Entry, folder: int) -> None:
    """Clear what a crash left next to the file: remove what is ours, put back what is somebody else's."""
    slot = _far_slot(job, entry)
    remove(folder, f"{slot}.new")
    for leftover in (f"{slot}.x", slot):
        stamp = read_stamp(folder, leftover)
        if stamp is None:
            continue
        if is_new(stamp, entry) or is_old(stamp, entry):
            remove(folder, leftover)
        elif read_stamp(folder, entry.name) is None:
            move_to_free_name(folder, leftover, folder, entry.name)
        else:
            swap(folder, leftover, folder, entry.name)
            remove(folder, leftover)


# ── keep: written in place ───────────────────────────────────────────────────────────────────────

_OPEN_IN_PLACE = os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


def _write_in_place(folder: int, entry: Entry, old: bytes, new: bytes) -> None:
    """Overwrite a file with its new bytes, if it holds the old ones."""
    refusal = stale(entry, _OTHER_FILE)
    fd = _open_in_place(folder, entry, refusal)
    try:
        if os.pread(fd, len(old) + 1, 0) != old:
            raise refusal
        _overwrite(fd, new, entry.new_mode)
    finally:
        os.close(fd)


def _open_in_place(folder: int, entry: Entry, refusal: Refused) -> int:
    """Open a file to write to it. Raise `refusal` if it doesn't exist any more, or isn't a file."""
    try:
        return os.open(entry.name, _OPEN_IN_PLACE, dir_fd=folder)
    except OSError as error:
        if error.errno in (errno.ENOENT, errno.ELOOP, errno.EMLINK, errno.ENXIO):
            raise refusal from None
        raise


def _overwrite(fd: int, data: bytes, mode: int) -> None:
    """Replace the contents of a file that was just opened."""
    write_all(fd, data)
    os.ftruncate(fd, len(data))
    if os.fstat(fd).st_mode & 0o7777 != mode:
        os.fchmod(fd, mode)
    syscalls.sync(fd)


def _restore_in_place(job: Job, entry: Entry, folder: int) -> None:
    """Write the old bytes back, if the file holds the new ones, or one side over the beginning of the other."""
    old, new = _read_copy(job, entry, old=True), _read_copy(job, entry, old=False)
    refusal = conflict(entry, _WRITTEN_SINCE)
    fd = _open_in_place(folder, entry, refusal)
    try:
        data, _ = read_at(folder, entry.name, MAX_READ)
        if not (is_torn(data, old, new) or is_torn(data, new, old)):
            raise refusal
        _overwrite(fd, old, entry.old_mode)
    finally:
        os.close(fd)


def is_torn(data: bytes, old: bytes, new: bytes) -> bool:
    """Return True if `data` is the beginning of `new` written over `old`, as an interrupted write leaves it."""
    low, high = 0, min(len(data), len(new))
    while low < high:
        middle = (low + high + 1) // 2
        if data[:middle] == new[:middle]:
            low = middle
        else:
            high = middle - 1
    return data[low:] == old[low:]
