"""One transaction on a tree: all steps forward, or every file put back. Decides nothing about what to change.

All new files are written beside their targets before the first old one is touched; each old file keeps a second name
in the state directory until all is done, so that putting it back is a rename of the very same file.
"""

from __future__ import annotations

import os

from . import journal
from .contain import Folders, failure, read_file, words
from .errors import Problem, Refused
from .exchange import Job, Step, exchange, inode_at, stage
from .model import File, FileChange
from .record import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

_AGAIN = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_CLOEXEC
_BY_HAND = "Put this file back by hand from the copy named, then run it again."


class Door(NamedTuple):
    """What is noted in the state directory when the exchange begins, when it is done, and when it came to nothing."""

    begin: Callable[[tuple[str, ...]], None]
    finish: Callable[[], None]
    abandon: Callable[[], None]


def new_job(folders: Folders, state: int, name: str, changes: tuple[FileChange, ...]) -> Job:
    """A transaction of these changes, its traces named after the receipt `name`."""
    folders.forget()
    steps = tuple(Step(number, change) for number, change in enumerate(changes))
    return Job(folders, state, name, os.urandom(6).hex(), steps, [])


def carry_out(job: Job, door: Door) -> None:
    """Stage everything, note it, exchange, note that it is done. Whatever goes wrong on the way, put all back."""
    try:
        for step in job.steps:
            _told(stage, job, step)
        # From here the tree changes: what a crash journal has to know is on the disk when `begin` returns.
        door.begin(tuple(job.made))
        for step in job.steps:
            _told(exchange, job, step)
        # And here it is committed: after `finish` there is no way but forward.
        door.finish()
    except BaseException as error:
        left = _put_back(job, door)
        problems = _problems(error)
        if not problems:
            raise
        if left:
            problems = tuple(p._replace(advice="Not everything could be put back; see below.") for p in problems)
        raise Refused(*problems, *left) from None
    _drop_saved(job)


def _told(action: Callable[[Job, Step], None], job: Job, step: Step) -> None:
    """A system call that failed is told with the path it failed for."""
    try:
        action(job, step)
    except OSError as error:
        raise failure(error, step.change.path) from None


def _problems(error: BaseException) -> tuple[Problem, ...]:
    if isinstance(error, Refused):
        return error.problems
    if isinstance(error, OSError):
        return (Problem("io", words(error), journal.STATE),)
    if isinstance(error, KeyboardInterrupt):
        return (Problem("io", "interrupted", advice="Everything was put back."),)
    if isinstance(error, MemoryError):
        return (Problem("io", "there is not enough memory"),)
    return ()


# ── putting back ─────────────────────────────────────────────────────────────────────────────────


def _put_back(job: Job, door: Door) -> tuple[Problem, ...]:
    """Undo what was touched, last first, and remove every trace. What stays wrong is told, file by file."""
    left: list[Problem] = []
    for step in reversed(job.steps):
        if step.touched and (reason := _insist(_restore, job, step)):
            left.append(Problem("io", _standing(job, step, reason), step.change.path, advice=_BY_HAND))
            step.saved = ""  # so that the copy stays
    for step in job.steps:
        if reason := _insist(_clear, job, step):
            where = f"{step.folder}/{step.temporary}".lstrip("/")
            left.append(Problem("io", f"a temporary file was left behind ({reason})", where, advice="Remove it."))
    _insist(remove_folders, job.folders, tuple(job.made))
    if not left:
        _insist(door.abandon)
    job.folders.forget()
    return tuple(left)


def _insist(action: Callable[..., None], *arguments: object) -> str:
    """Do it, also when interrupted in the middle (every action here can be repeated). The reason where it failed."""
    for _ in range(9):
        try:
            action(*arguments)
            return ""
        except KeyboardInterrupt:
            continue
        except OSError as error:
            return words(error)
        except Refused as refused:
            return refused.problems[0].detail
        except MemoryError:
            return "there is not enough memory"
    return "interrupted"


def _restore(job: Job, step: Step) -> None:
    folder = job.folders.fd(step.folder)
    before = step.change.before
    standing = inode_at(step.name, folder)
    if before is None:
        if standing == step.inode:
            os.unlink(step.name, dir_fd=folder)
        return
    old = (step.old.st_dev, step.old.st_ino) if step.old else None
    if standing == old:
        return
    if standing not in (None, step.inode):
        raise Refused(Problem("stale", "somebody else has put another file there meanwhile"))
    if step.saved:
        try:
            os.rename(step.saved, step.name, src_dir_fd=job.state, dst_dir_fd=folder)
            return
        except OSError:
            pass  # the bytes are still known
    _write_again(step, folder, before)


def _write_again(step: Step, folder: int, before: File) -> None:
    """The old bytes into the new file, or a new one where none is left: other names of the old file are not touched."""
    fd = os.open(step.name, _AGAIN, 0o600, dir_fd=folder)
    try:
        journal.write_all(fd, before.data)
        if step.old:
            facts = os.fstat(fd)
            if (facts.st_uid, facts.st_gid) != (step.old.st_uid, step.old.st_gid):
                os.fchown(fd, step.old.st_uid, step.old.st_gid)
            os.fchmod(fd, step.old.st_mode & 0o7777)
    finally:
        os.close(fd)


def _clear(job: Job, step: Step) -> None:
    """Remove the temporary file and the old file's second name."""
    if step.saved:
        journal.remove(job.state, step.saved)
    if step.temporary:
        journal.remove(job.folders.fd(step.folder), step.temporary)


def remove_folders(folders: Folders, made: tuple[str, ...]) -> None:
    """Remove folders that were made, the deepest first, unless something is in them now or they are gone."""
    for folder in sorted(made, reverse=True):
        parent, _, name = folder.rpartition("/")
        try:
            os.rmdir(name, dir_fd=folders.fd(parent))
        except (OSError, KeyboardInterrupt):
            continue


def _standing(job: Job, step: Step, reason: str) -> str:
    """In which state a file is that could not be put back, and where its old bytes are."""
    copy = step.saved or f"{job.id}.bytes"
    return f"could not be put back ({reason}): {_state(job, step)}; the old text is in {journal.STATE}/{copy}"


def _state(job: Job, step: Step) -> str:
    try:
        found = read_file(job.folders, step.change.path)
    except (Refused, OSError):
        return "it cannot be read"
    if found is None:
        return "it is missing"
    for file, told in ((step.change.before, "the old text"), (step.change.after, "the new text")):
        if file is not None and file.data == found[0]:
            return f"it holds {told}"
    return "it holds neither the old text nor the new"


def _drop_saved(job: Job) -> None:
    """All is done; what cannot be removed now goes when the receipt does."""
    try:
        for step in job.steps:
            if step.saved:
                journal.remove(job.state, step.saved)
    except (OSError, KeyboardInterrupt):
        return
