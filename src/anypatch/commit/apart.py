"""Paths that cannot change places with a slot: on another file system than the state ("far"), or written in place so
that the other names of the file see it ("keep"). Both sides lie as copies in the transaction's folder; from these
every step can be repeated after a crash.
"""

from __future__ import annotations

import errno
import os

from ..contain import Facts, read_at, read_file
from ..errors import Refused
from .kernel import sync
from .stage import Stage, fill
from .state import STATE, remove, write_all, write_new
from .steps import MAX_SEEN, Job, conflict, is_new, is_old, look, occupied, parent, place, stale, swap

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..model import File, FileChange
    from .manifest import Entry

_IN_PLACE = os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


def stage_apart(tx: int, entry: Entry, change: FileChange, each: bool) -> None:
    """Copies of both sides."""
    for file, name in ((change.before, "old"), (change.after, "new")):
        if file is not None:
            write_new(tx, f"{entry.number}.{name}", file.data, sync=each)


def _copy(job: Job, entry: Entry, *, old: bool) -> bytes:
    try:
        return read_at(job.tx, entry.copy(old=old), MAX_SEEN)[0]
    except (FileNotFoundError, Refused):
        raise conflict(entry, "the file that was saved is gone") from None


def forward_apart(job: Job, entry: Entry, before: File | None) -> None:
    """Put the new side in the place of the old one, which must be as it was planned for."""
    folder = parent(job.folders, entry)
    if folder < 0:
        raise stale(entry, "its folder is gone")
    seen = look(folder, entry.name)
    if before is None and seen is not None:
        raise occupied(entry, folder, entry.name)
    if before is not None and (seen is None or not is_old(seen, entry) or seen.mode != entry.old_mode):
        raise stale(entry, "it is no longer the file that the edit was made for")
    _begin(job, entry)
    if entry.way == "keep":
        _write_in_place(folder, entry, before.data if before else b"", _copy(job, entry, old=False))
    else:
        _replace(job, entry, folder)


def _begin(job: Job, entry: Entry) -> None:
    """From here on this path may have been touched: no slot tells it, as it does for others."""
    write_new(job.tx, f"{entry.number}.begun", b"", sync=True)
    sync(job.tx)


def back_apart(job: Job, entry: Entry) -> None:
    """Bring one path to how it was before, however far it has come."""
    if look(job.tx, f"{entry.number}.begun") is None:
        return
    folder = parent(job.folders, entry)
    if folder < 0:
        if entry.old:
            raise conflict(entry, "its folder is gone")
        return
    _clear(job, entry, folder)
    here = look(folder, entry.name)
    if is_old(here, entry) or (here is None and not entry.old):
        return
    if entry.way == "keep":
        _mend_in_place(job, entry, folder)
    elif is_new(here, entry) or (here is None and not entry.new):
        _replace(job, entry.mirrored(), folder)
    else:
        raise conflict(entry, "somebody else has written there meanwhile")


# ── far: by a slot beside the file ───────────────────────────────────────────────────────────────


def _slot(job: Job, entry: Entry) -> str:
    return f"{STATE}-{job.id}-{entry.number}"


def _replace(job: Job, entry: Entry, folder: int) -> None:
    """From the old side to the new one, by a slot in the file's own folder."""
    slot = _slot(job, entry)
    if entry.new:
        known: dict[str, Facts] = {}
        read_file(job.folders, entry.path, MAX_SEEN, known, links=entry.is_link)
        stage = Stage(job.folders, folder, known, {}, True, {})
        remove(folder, f"{slot}.new")
        fill(stage, entry, _copy(job, entry, old=False), f"{slot}.new", exact=True)
        os.rename(f"{slot}.new", slot, src_dir_fd=folder, dst_dir_fd=folder)
    if not entry.old:
        try:
            place(folder, slot, folder, entry.name)
        except FileExistsError:
            remove(folder, slot)
            raise occupied(entry, folder, entry.name) from None
        return
    if entry.new:
        swap(folder, slot, folder, entry.name)
    else:
        os.rename(entry.name, slot, src_dir_fd=folder, dst_dir_fd=folder)
    if not is_old(look(folder, slot), entry):
        _clear(job, entry, folder)
        raise stale(entry, "it is no longer the file that the edit was made for")
    remove(folder, slot)


def _clear(job: Job, entry: Entry, folder: int) -> None:
    """What a crash left beside the file: ours goes, somebody else's goes back to its place."""
    slot = _slot(job, entry)
    remove(folder, f"{slot}.new")
    for spare in (f"{slot}.x", slot):
        there = look(folder, spare)
        if there is None:
            continue
        if is_new(there, entry) or is_old(there, entry):
            remove(folder, spare)
        elif look(folder, entry.name) is None:
            place(folder, spare, folder, entry.name)
        else:
            swap(folder, spare, folder, entry.name)
            remove(folder, spare)


# ── keep: written in place ───────────────────────────────────────────────────────────────────────


def _write_in_place(folder: int, entry: Entry, old: bytes, new: bytes) -> None:
    """New bytes into the same file, if it holds the old ones."""
    other = stale(entry, "it is no longer the file that the edit was made for")
    fd = _opened(folder, entry, other)
    try:
        if os.pread(fd, len(old) + 1, 0) != old:
            raise other
        _overwrite(fd, new, entry.new_mode)
    finally:
        os.close(fd)


def _opened(folder: int, entry: Entry, other: Refused) -> int:
    """The file, to be written in place; `other` is raised where it is none any more."""
    try:
        return os.open(entry.name, _IN_PLACE, dir_fd=folder)
    except OSError as error:
        if error.errno in (errno.ENOENT, errno.ELOOP, errno.EMLINK, errno.ENXIO):
            raise other from None
        raise


def _overwrite(fd: int, data: bytes, mode: int) -> None:
    """Into a file that was just opened, so from its start."""
    write_all(fd, data)
    os.ftruncate(fd, len(data))
    if os.fstat(fd).st_mode & 0o7777 != mode:
        os.fchmod(fd, mode)
    sync(fd)


def _mend_in_place(job: Job, entry: Entry, folder: int) -> None:
    """The old bytes back, if what stands there is the new ones, or the new ones over the beginning of the old."""
    old, new = _copy(job, entry, old=True), _copy(job, entry, old=False)
    other = conflict(entry, "somebody else has written there meanwhile")
    fd = _opened(folder, entry, other)
    try:
        found, _ = read_at(folder, entry.name, MAX_SEEN)
        if not (torn(found, old, new) or torn(found, new, old)):
            raise other
        _overwrite(fd, old, entry.old_mode)
    finally:
        os.close(fd)


def torn(found: bytes, old: bytes, new: bytes) -> bool:
    """Whether a text is one over the beginning of the other, as writing that was broken off leaves it."""
    low, high = 0, min(len(found), len(new))
    while low < high:
        middle = (low + high + 1) // 2
        if found[:middle] == new[:middle]:
            low = middle
        else:
            high = middle - 1
    return found[low:] == old[low:]
