"""The steps forward of a transaction: a new file beside its target, then into its place. Decides and notes nothing."""

from __future__ import annotations

import errno
import os
from stat import S_ISDIR

from . import journal
from .contain import OPEN_FILE, Folders, failure, quietly_close, read_file
from .errors import Problem, Refused
from .model import FileChange
from .record import NamedTuple

_TEMPORARY = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
# File systems and kernels that have no hard links, or none for this file, say so in many ways.
_NO_LINK = (
    errno.EPERM, errno.EACCES, errno.EXDEV, errno.EMLINK, errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOENT,
)  # fmt: skip
_KEPT_ATTRIBUTES = ("user.", "system.posix_acl_access")


class Step:
    """One change on its way, with all that is needed to take it back."""

    __slots__ = ("change", "folder", "inode", "name", "number", "old", "saved", "temporary", "touched")

    def __init__(self, number: int, change: FileChange) -> None:
        self.number = number
        self.change = change
        self.folder, _, self.name = change.path.rpartition("/")
        self.temporary = ""  # the new file's name beside the target, while it has one
        self.inode = (0, 0)  # and which file that is
        self.saved = ""  # the old file's second name in the state directory
        self.old: os.stat_result | None = None
        self.touched = False


class Job(NamedTuple):
    """A transaction: where, what, and under which names its traces go. `made` fills with the folders it makes."""

    folders: Folders
    state: int
    id: str
    token: str
    steps: tuple[Step, ...]
    made: list[str]


# ── staging: new files beside their targets ──────────────────────────────────────────────────────


def stage(job: Job, step: Step) -> None:
    """Write the new file, whole and with its owner and mode, beside the target."""
    after = step.change.after
    if after is None:
        return
    if step.change.before is None:
        _make_folders(job, step.folder)
    folder = _open_parent(job, step)
    step.temporary = f".anypatch-{job.token}-{step.number}"
    fd = os.open(step.temporary, _TEMPORARY, 0o600, dir_fd=folder)
    try:
        facts = os.fstat(fd)
        step.inode = (facts.st_dev, facts.st_ino)
        journal.write_all(fd, after.data)
        if step.change.before is not None:
            _keep_owner(folder, step, fd, facts)
        os.fchmod(fd, after.mode & 0o777)
    finally:
        os.close(fd)


def _make_folders(job: Job, folder: str) -> None:
    """The folder and those above it, remembered so that they can go again."""
    parts = folder.split("/") if folder else []
    for end in range(1, len(parts) + 1):
        place = "/".join(parts[:end])
        try:
            job.folders.fd(place)
        except FileNotFoundError:
            job.made.append(place)
            try:
                os.mkdir(parts[end - 1], dir_fd=job.folders.fd("/".join(parts[: end - 1])))
            except OSError as error:
                job.made.pop()
                if error.errno != errno.EEXIST:
                    raise
        except OSError as error:
            raise _no_folder(error, place) from None


def _open_parent(job: Job, step: Step) -> int:
    try:
        return job.folders.fd(step.folder)
    except FileNotFoundError:
        raise _stale(step, "it is gone") from None
    except OSError as error:
        raise _no_folder(error, step.folder) from None


def _no_folder(error: OSError, folder: str) -> Refused:
    if error.errno in (errno.ENOTDIR, errno.ELOOP, errno.EMLINK):
        return Refused(Problem("not_a_file", "a file or a link stands where a folder is needed", folder))
    return failure(error, folder)


def _keep_owner(folder: int, step: Step, fd: int, facts: os.stat_result) -> None:
    """Give the new file the old one's owner and attributes, or fail: it is never handed to somebody else."""
    try:
        old = os.open(step.name, OPEN_FILE, dir_fd=folder)
    except OSError as error:
        if error.errno == errno.ENOENT:
            raise _stale(step, "it is gone") from None
        if error.errno in (errno.ELOOP, errno.EMLINK, errno.ENXIO):
            raise _stale(step, "it is no longer a regular file") from None
        raise
    try:
        found = os.fstat(old)
        if (found.st_uid, found.st_gid) != (facts.st_uid, facts.st_gid):
            os.fchown(fd, found.st_uid, found.st_gid)
        if hasattr(os, "listxattr"):
            for name in _attributes(old):
                os.setxattr(fd, name, os.getxattr(old, name))
    finally:
        quietly_close(old)


def _attributes(fd: int) -> list[str]:
    try:
        return [name for name in os.listxattr(fd) if name.startswith(_KEPT_ATTRIBUTES)]
    except OSError as error:
        if error.errno in (errno.ENOTSUP, errno.ENOSYS):
            return []
        raise


# ── the exchange ─────────────────────────────────────────────────────────────────────────────────


def exchange(job: Job, step: Step) -> None:
    """Compare, then put the new file in the old one's place. `touched` is set before what it speaks of."""
    folder = _open_parent(job, step)
    if step.change.before is None:
        _place(job, step, folder)
        return
    _save(job, step, folder)
    _compare(job, step)
    step.touched = True
    if step.change.after is None:
        os.unlink(step.name, dir_fd=folder)
    else:
        os.rename(step.temporary, step.name, src_dir_fd=folder, dst_dir_fd=folder)
        step.temporary = ""


def _save(job: Job, step: Step, folder: int) -> None:
    """Keep the old file itself by a second name, where the file system can: putting it back is then one rename."""
    saved = f"{job.id}.{job.token}-{step.number}"
    try:
        step.saved = saved
        os.link(step.name, saved, src_dir_fd=folder, dst_dir_fd=job.state, follow_symlinks=False)
    except OSError as error:
        step.saved = ""
        if error.errno not in _NO_LINK:
            raise


def _compare(job: Job, step: Step) -> None:
    try:
        found = read_file(job.folders, step.change.path)
    except Refused as refused:
        if refused.problems[0].kind == "io":
            raise
        raise _stale(step, "it is no longer a regular file") from None
    if found is None:
        raise _stale(step, "it is gone")
    if step.change.before is None or found[0] != step.change.before.data:
        raise _stale(step, "it holds other text than the edit was made for")
    step.old = found[1]


def _place(job: Job, step: Step, folder: int) -> None:
    """Name a file that must not exist yet: a link fails where a rename would overwrite what has just appeared."""
    step.touched = True
    try:
        os.link(step.temporary, step.name, src_dir_fd=folder, dst_dir_fd=folder, follow_symlinks=False)
    except FileExistsError:
        raise _occupied(step, folder) from None
    except OSError as error:
        if error.errno not in _NO_LINK:
            raise
        if inode_at(step.name, folder):
            raise _occupied(step, folder) from None
        os.rename(step.temporary, step.name, src_dir_fd=folder, dst_dir_fd=folder)
    else:
        os.unlink(step.temporary, dir_fd=folder)
    step.temporary = ""


def _occupied(step: Step, folder: int) -> Refused:
    if S_ISDIR(os.stat(step.name, dir_fd=folder, follow_symlinks=False).st_mode):
        return Refused(Problem("not_a_file", "a directory stands there", step.change.path))
    return _stale(step, "something stands there that was not there before")


def inode_at(name: str, folder: int) -> tuple[int, int] | None:
    """Which file stands there."""
    try:
        facts = os.stat(name, dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        return None
    return facts.st_dev, facts.st_ino


def _stale(step: Step, detail: str) -> Refused:
    return Refused(Problem("stale", detail, step.change.path))
