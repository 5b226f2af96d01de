"""One path, one step: the new file into its place, or the old one back. Every step can be repeated after a crash.

The slot of an entry is a name in the transaction's folder. It holds the new file until the exchange and the old one
afterwards; so what lies in the slot and what stands in the tree tell together how far a change has come.
"""

from __future__ import annotations

import errno
import os
from stat import S_ISDIR
from typing import TYPE_CHECKING, NamedTuple

from ..problems import Problem, Refused
from . import syscalls
from .journal import NO_LINK, Entry, mark
from .sandbox import Facts, Folders, read_at, read_file, read_link
from .stage import Stage, fill
from .state import STATE, remove, write_all, write_new
from .syscalls import sync

if TYPE_CHECKING:
    from ..model import File, FileChange


MAX_SEEN = 1 << 30
_ABSENT = (errno.ENOENT, errno.ENOTDIR, errno.ELOOP, errno.EMLINK)
# A pipe or a device; a file or a link that became the other while it was looked at.
_NO_SUCH_FILE = (errno.ELOOP, errno.EMLINK, errno.ENXIO, errno.EINVAL)
_TRIES = 8


class Job(NamedTuple):
    """A change on its way: the tree, the transaction's folder, the receipt's id, the paths, the folders it makes."""

    folders: Folders
    tx: int
    id: str
    entries: tuple[Entry, ...]
    dirs: tuple[str, ...]


class Seen(NamedTuple):
    """What stands under a name. What is no regular file has no digest."""

    digest: str
    mode: int
    inode: tuple[int, int]
    size: int
    time: int


_NO_FILE = Seen("?", 0, (0, 0), 0, 0)


def look(folder: int, name: str) -> Seen | None:
    """What stands under a name in an open folder (-1: in one that is missing)."""
    if folder < 0:
        return None
    try:
        data, facts = read_link(folder, name) or read_at(folder, name, MAX_SEEN)
    except FileNotFoundError:
        return None
    except Refused:
        return _NO_FILE
    except OSError as error:
        if error.errno in _NO_SUCH_FILE:
            return _NO_FILE
        raise
    return _seen(mark(data, facts.st_mode), facts)


def _seen(found: str, facts: os.stat_result) -> Seen:
    return Seen(found, facts.st_mode & 0o7777, (facts.st_dev, facts.st_ino), facts.st_size, facts.st_mtime_ns)


def is_new(seen: Seen | None, entry: Entry) -> bool:
    """Whether this is the file after the change. Only where nothing but the mode changes does the mode tell."""
    if seen is None or seen.digest != entry.new:
        return False
    return entry.old != entry.new or seen.mode & 0o777 == entry.new_mode & 0o777


def is_old(seen: Seen | None, entry: Entry) -> bool:
    """Whether this is the file before the change."""
    return is_new(seen, entry.mirrored())


def parent(folders: Folders, entry: Entry) -> int:
    """The folder of an entry's path; -1 where it is missing, or no folder any more."""
    try:
        return folders.fd(entry.path.rpartition("/")[0])
    except OSError as error:
        if error.errno in _ABSENT:
            return -1
        raise


# ── forward ──────────────────────────────────────────────────────────────────────────────────────


def forward(job: Job, entry: Entry, before: File | None) -> os.stat_result | None:
    """Put the new file in the place of the old one, which must be as it was planned for; its facts come back."""
    if entry.way:
        forward_apart(job, entry, before)
        return None
    name, slot = entry.name, str(entry.number)
    folder = parent(job.folders, entry)
    if folder < 0:
        raise stale(entry, "its folder no longer exists")
    if before is None:
        try:
            place(job.tx, slot, folder, name)
        except FileExistsError:
            raise occupied(entry, folder, name) from None
        return None
    try:
        if entry.new:
            swap(job.tx, slot, folder, name)
        else:
            os.rename(name, slot, src_dir_fd=folder, dst_dir_fd=job.tx)
    except FileNotFoundError:
        raise stale(entry, "it no longer exists") from None
    facts = _displaced(job.tx, slot, before, entry)
    if facts is None:
        _return(job, entry, folder, name)
        raise stale(entry, "it is no longer the file the edit was made for")
    return facts


def _displaced(tx: int, slot: str, before: File, entry: Entry) -> os.stat_result | None:
    """The facts of the file that was displaced, if it is the one that was planned for."""
    try:
        found = read_link(tx, slot) if before.is_link else read_at(tx, slot, MAX_SEEN)
    except Refused:
        return None
    except OSError as error:
        if error.errno in _NO_SUCH_FILE:
            return None
        raise
    if found is None or found[0] != before.data or found[1].st_mode & 0o7777 != entry.old_mode:
        return None
    return found[1]


def _return(job: Job, entry: Entry, folder: int, name: str) -> None:
    """Give back a file that was not the one meant; again where yet another took its place meanwhile."""
    slot = str(entry.number)
    for _ in range(_TRIES):
        if not entry.new:
            place(job.tx, slot, folder, name)
            return
        swap(job.tx, slot, folder, name)
        if is_new(look(job.tx, slot), entry):
            return


def occupied(entry: Entry, folder: int, name: str) -> Refused:
    """What to say where something stands in the way of a new file."""
    if S_ISDIR(os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode):
        return Refused(Problem("not_a_file", "there is a directory in its place", entry.path))
    return stale(entry, "there is something in its place that was not there before")


# ── back ─────────────────────────────────────────────────────────────────────────────────────────


def back(job: Job, entry: Entry) -> None:
    """Bring one path to how it was before, however far it has come. Refused where somebody else has written there."""
    if entry.way:
        back_apart(job, entry)
        return
    name, slot = entry.name, str(entry.number)
    folder = parent(job.folders, entry)
    _mend(job.tx, slot, folder, name)
    there = look(job.tx, slot)
    if entry.new and is_new(there, entry):
        return  # it never left the slot, or is in it again
    here = look(folder, name)
    if entry.new and is_new(here, entry) and here is not None:
        if (there is None) != (not entry.old):
            raise conflict(entry, "the saved file no longer exists" if entry.old else "its slot is taken")
        _take_out(job, entry, folder, here)
    elif entry.old and there is not None and here is None:
        _put_in(job, entry, folder)
    elif not (is_old(here, entry) or (there is None and not entry.new) or (here is None and not entry.old)):
        raise conflict(entry, "someone else has written to it in the meantime")


def _take_out(job: Job, entry: Entry, folder: int, here: Seen) -> None:
    """The new file into the slot, the old one, if any, out of it. What was looked at must be what is taken."""
    name, slot = entry.name, str(entry.number)
    if entry.old:
        swap(job.tx, slot, folder, name)
    else:
        os.rename(name, slot, src_dir_fd=folder, dst_dir_fd=job.tx)
    if _seen(here.digest, os.stat(slot, dir_fd=job.tx, follow_symlinks=False)) != here:
        if entry.old:
            swap(job.tx, slot, folder, name)
        else:
            place(job.tx, slot, folder, name)
        raise conflict(entry, "someone else has written to it in the meantime")


def _put_in(job: Job, entry: Entry, folder: int) -> None:
    if folder < 0:
        raise conflict(entry, "its folder no longer exists")
    try:
        place(job.tx, str(entry.number), folder, entry.name)
    except FileExistsError:
        raise conflict(entry, "someone else has written to it in the meantime") from None


# ── where the file system cannot exchange ────────────────────────────────────────────────────────


def swap(tx: int, slot: str, folder: int, name: str) -> None:
    """Let slot and name change places: at once, or by steps that `_mend` can finish."""
    try:
        syscalls.exchange(tx, slot, folder, name)
    except OSError as error:
        if error.errno not in syscalls.UNKNOWN:
            raise
        _swap_by_steps(tx, slot, folder, name)


def _swap_by_steps(tx: int, slot: str, folder: int, name: str) -> None:
    spare = f"{slot}.x"
    try:
        os.link(name, spare, src_dir_fd=folder, dst_dir_fd=tx, follow_symlinks=False)
    except OSError as error:
        if error.errno not in NO_LINK:
            raise
        os.rename(name, spare, src_dir_fd=folder, dst_dir_fd=tx)
    os.rename(slot, name, src_dir_fd=tx, dst_dir_fd=folder)
    os.rename(spare, slot, src_dir_fd=tx, dst_dir_fd=tx)


def place(tx: int, slot: str, folder: int, name: str) -> None:
    """Name the file in the slot; FileExistsError where the name is taken."""
    try:
        syscalls.place(tx, slot, folder, name)
        return
    except OSError as error:
        if error.errno not in syscalls.UNKNOWN:
            raise
    try:
        os.link(slot, name, src_dir_fd=tx, dst_dir_fd=folder, follow_symlinks=False)
    except OSError as error:
        if error.errno not in NO_LINK:
            raise
        if _inode(folder, name):
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST)) from None
        os.rename(slot, name, src_dir_fd=tx, dst_dir_fd=folder)
    else:
        os.unlink(slot, dir_fd=tx)


def _mend(tx: int, slot: str, folder: int, name: str) -> None:
    """Finish, or take back, what a crash left of the steps above."""
    spare, held = _inode(tx, f"{slot}.x"), _inode(tx, slot)
    standing = _inode(folder, name) if folder >= 0 else None
    if spare and not held:
        os.rename(f"{slot}.x", slot, src_dir_fd=tx, dst_dir_fd=tx)
    elif spare and not standing and folder >= 0:
        os.rename(f"{slot}.x", name, src_dir_fd=tx, dst_dir_fd=folder)
    elif spare and standing:
        os.unlink(f"{slot}.x", dir_fd=tx)
    elif held and held == standing:
        remove(tx, slot)


def _inode(folder: int, name: str) -> tuple[int, int] | None:
    try:
        facts = os.stat(name, dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        return None
    return facts.st_dev, facts.st_ino


def stale(entry: Entry, detail: str) -> Refused:
    """The refusal for a file that is not as it was planned for."""
    return Refused(Problem("stale", detail, entry.path))


def conflict(entry: Entry, detail: str) -> Refused:
    """The refusal where somebody else's file must stay."""
    return Refused(Problem("conflict", detail, entry.path))


# ── paths that cannot be exchanged ──────────────────────────────────────────────────────────────────


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
        raise conflict(entry, "the saved file no longer exists") from None


def forward_apart(job: Job, entry: Entry, before: File | None) -> None:
    """Put the new side in the place of the old one, which must be as it was planned for."""
    folder = parent(job.folders, entry)
    if folder < 0:
        raise stale(entry, "its folder no longer exists")
    seen = look(folder, entry.name)
    if before is None and seen is not None:
        raise occupied(entry, folder, entry.name)
    if before is not None and (seen is None or not is_old(seen, entry) or seen.mode != entry.old_mode):
        raise stale(entry, "it is no longer the file the edit was made for")
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
            raise conflict(entry, "its folder no longer exists")
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
        raise conflict(entry, "someone else has written to it in the meantime")


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
        raise stale(entry, "it is no longer the file the edit was made for")
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
    other = stale(entry, "it is no longer the file the edit was made for")
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
    other = conflict(entry, "someone else has written to it in the meantime")
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
