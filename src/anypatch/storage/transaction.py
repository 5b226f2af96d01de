"""One change of a tree, from the first staged byte to the rename that commits it; and the way back from anywhere."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

from ..model import FileChange
from ..problems import Problem, Refused
from . import syscalls
from .journal import NAME, Entry, Manifest, to_bytes
from .merge import KEPT, to_kept
from .sandbox import MAX_OPEN, OPEN_FOLDER, Facts, Folders, failure, words
from .stage import DEFAULT, NO_LIST, Stage, check_room, check_writable, entry_of, fill, missing_folders
from .state import STATE, TX, UNWRITABLE, Name, Settings, discard, is_absent, write_new
from .swap import Job, back, forward, stage_apart, stale

_DRAFT = f"{NAME}.new"
_ADVICE = "Fix the cause named above, then recover the tree: that puts back the rest."
RECOVER = "`anypatch recover` does that."
_LATER = Problem("unsettled", "the change could not be undone", STATE, advice=_ADVICE, command=RECOVER)
_BY_HAND = "Compare the two, fix what is wrong by hand, then remove that folder."


class Site(NamedTuple):
    """Where a change happens: the tree, the state directory, the key that signs, how it is done."""

    folders: Folders
    state: int
    key: bytes
    settings: Settings


class Task(NamedTuple):
    """What is to be done: the journal without entries, the changes, what is known of the files, what was moved."""

    head: Manifest
    changes: tuple[FileChange, ...]
    facts: Mapping[str, Facts]
    origins: Mapping[str, str]
    kept: frozenset[str] = frozenset()
    apart: frozenset[str] = frozenset()


class Elsewhere(Exception):
    """A folder is on another file system than the state, though nothing told so; everything was put back."""

    def __init__(self, folder: str) -> None:
        self.folder = folder


def carry_out(site: Site, task: Task) -> Name:
    """Make all changes or none; the receipt's name."""
    size = _size(task.changes)
    final = f"{task.head.id}.{size}"
    site.folders.forget()
    check_room(site.state, task.changes)
    check_writable(site.folders, [change.path for change in task.changes], task.kept)
    _begin(site.state)
    entered: list[Job] = []
    made = False
    try:
        tx = os.open(TX, OPEN_FOLDER, dir_fd=site.state)
        _without_defaults(tx)
        job = Job(site.folders, tx, task.head.id, (), missing_folders(site.folders, task.changes))
        entered.append(job)
        job = _staged(site, task, job)
        entered.append(job)
        _activate(site, task, job)
        _exchange(site, task, job)
        syscalls.sync_all(touched(job), site.settings.durability, len(job.entries))
        # Here it is committed: a crash before this rename goes back, a crash behind it does not.
        os.rename(TX, final, src_dir_fd=site.state, dst_dir_fd=site.state)
        made = True
        syscalls.sync_all((site.state,), site.settings.durability, 0)
    except BaseException as error:
        made = made or stands(site.state, final)
        reason = give_way(error, lambda: _give_up(site, entered, final if made else ""), _LATER)
        if entered:
            close_done(entered[0].tx)
        raise reason from None
    close_done(job.tx)
    return Name(task.head.id, size, False, final)


def _size(changes: tuple[FileChange, ...]) -> int:
    """How many bytes a receipt keeps at most: the old files, or the new ones once it is taken back."""
    old = sum(len(change.before.data) for change in changes if change.before)
    return max(old, sum(len(change.after.data) for change in changes if change.after))


def _begin(state: int) -> None:
    """The transaction's folder. One that is there already is somebody else's, who must not lose it."""
    try:
        os.mkdir(TX, 0o700, dir_fd=state)
    except FileExistsError:
        detail = "another process started changing this tree although it was locked"
        raise Refused(
            Problem("locked", detail, advice="Check that the file system supports locks, and try again.")
        ) from None
    except BaseException as error:
        raise give_way(error, lambda: _remove_empty(state), _LATER) from None


def _without_defaults(tx: int) -> None:
    """What is staged must not get an access list from the state directory, which may have one from the root."""
    try:
        if hasattr(os, "removexattr"):
            os.removexattr(tx, DEFAULT)
    except OSError as error:
        if error.errno not in NO_LIST:
            raise


# ── the steps ────────────────────────────────────────────────────────────────────────────────────


def _staged(site: Site, task: Task, job: Job) -> Job:
    """Every new byte on the disk, beside the tree."""
    each = syscalls.each(site.settings.durability, len(task.changes))
    stage = Stage(site.folders, job.tx, task.facts, task.origins, each, {})
    entries = []
    for number, change in enumerate(task.changes):
        entry = entry_of(number, change, task.facts.get(change.path))
        if change.path in task.kept or entry.path.rpartition("/")[0] in task.apart:
            entry = entry._replace(way="keep" if change.path in task.kept else "far")
        try:
            if entry.way:
                stage_apart(job.tx, entry, change, each)
            elif change.after is not None:
                entry = fill(stage, entry, change.after.data, str(number))
        except OSError as error:
            raise failure(error, change.path) from None
        entries.append(entry)
    return job._replace(entries=tuple(entries))


def _activate(site: Site, task: Task, job: Job) -> None:
    """Once the journal has its name, a crash is put back by it."""
    level, count = site.settings.durability, len(job.entries)
    each = syscalls.each(level, count)
    data = to_bytes(task.head._replace(dirs=job.dirs, entries=job.entries), site.key)
    edits = [
        (entry.number, change.before.data, change.after.data)
        for entry, change in zip(job.entries, task.changes, strict=True)
        if change.before and change.after and not entry.way and not entry.is_link
    ]
    if edits:
        write_new(job.tx, KEPT, to_kept(edits))
    write_new(job.tx, _DRAFT, data, sync=each)
    if syscalls.whole(level, count):
        syscalls.sync_all((job.tx,), level, count)
    os.rename(_DRAFT, NAME, src_dir_fd=job.tx, dst_dir_fd=job.tx)
    syscalls.sync_all((job.tx, site.state), level, 0)


def _exchange(site: Site, task: Task, job: Job) -> None:
    """Old files that go make room for folders, folders for new files."""
    displaced: list[tuple[Entry, os.stat_result]] = []
    for entry in _in_order(job):
        if isinstance(entry, str):
            make_folder(site.folders, entry)
            continue
        try:
            facts = forward(job, entry, task.changes[entry.number].before)
        except OSError as error:
            if error.errno == errno.EXDEV:
                raise Elsewhere(entry.path.rpartition("/")[0]) from None
            raise failure(error, entry.path) from None
        if facts is not None:
            displaced.append((entry, facts))
    for entry, facts in displaced:
        # Who still has the old file open may have written into our copy since: it would be lost from the tree.
        now = os.stat(str(entry.number), dir_fd=job.tx, follow_symlinks=False)
        if (now.st_mtime_ns, now.st_size) != (facts.st_mtime_ns, facts.st_size):
            raise stale(entry, "someone is writing to it")


def _in_order(job: Job) -> Iterator[Entry | str]:
    """What goes, the folders, what comes; of many files those in one folder together, so that it is opened once."""
    entries = job.entries
    if len(entries) > MAX_OPEN:
        entries = tuple(sorted(entries, key=lambda entry: entry.path.rpartition("/")[0]))
    yield from (entry for entry in entries if not entry.new)
    yield from job.dirs
    yield from (entry for entry in entries if entry.new)


def make_folder(folders: Folders, folder: str) -> None:
    """One folder; somebody else may have made it meanwhile."""
    parent, _, name = folder.rpartition("/")
    try:
        folders.gone.clear()
        os.mkdir(name, dir_fd=folders.fd(parent))
    except FileExistsError:
        return
    except OSError as error:
        raise failure(error, folder) from None


def touched(job: Job, *, may_be_gone: bool = False) -> Iterator[int]:
    """The folders in which names changed, each opened when its turn comes; on the way back some may be gone again."""
    places = {path.rpartition("/")[0] for path in (*(entry.path for entry in job.entries), *job.dirs)}
    for place in sorted(places):
        try:
            fd = job.folders.fd(place)
        except OSError:
            if not may_be_gone:
                raise
            continue
        yield fd
    yield job.tx


# ── the way back ─────────────────────────────────────────────────────────────────────────────────


def settle(job: Job, *, to_old: bool) -> tuple[Problem, ...]:
    """Bring every path to one side, however far it has come. What somebody else has written stays, and is told.

    A path that fails doesn't stop the others; in the end that is raised, and it can be done again.
    """
    job.folders.forget()
    conflicts: list[Problem] = []
    failed: list[Problem] = []

    def turn(entry: Entry) -> None:
        try:
            back(job, entry if to_old else entry.mirrored())
        except Refused as refused:
            conflicts.extend(refused.problems)
        except OSError as error:
            failed.append(_not_back(error, entry.path))

    steps = list(_in_order(job))
    for step in reversed(steps) if to_old else steps:
        if not isinstance(step, str):
            turn(step)
            continue
        try:
            (remove_folder if to_old else make_folder)(job.folders, step)
        except Refused as refused:
            failed.extend(refused.problems)
    job.folders.forget()
    if failed:
        raise Refused(*failed)
    return tuple(conflicts)


def _not_back(error: OSError, path: str) -> Problem:
    if error.errno != errno.EXDEV:
        return Problem("io", words(error), path)
    detail = "its folder is now a separate mount, and the old file is on the other file system"
    return Problem("io", detail, path, advice="Unmount that folder, then run this again.")


def remove_folder(folders: Folders, folder: str) -> None:
    """Remove a folder that was made, unless something is in it now, or it is gone, or never was there."""
    parent, _, name = folder.rpartition("/")
    try:
        os.rmdir(name, dir_fd=folders.fd(parent))
    except OSError as error:
        known = error.errno in (errno.ENOENT, errno.ENOTDIR, errno.ENOTEMPTY, errno.EEXIST, errno.ELOOP)
        # Where nothing can be written, the system says that first, also of what is not there.
        if not known and not (error.errno in UNWRITABLE and _is_gone(folders, folder)):
            raise failure(error, folder) from None


def _is_gone(folders: Folders, folder: str) -> bool:
    parent, _, name = folder.rpartition("/")
    try:
        return is_absent(folders.fd(parent), name)
    except OSError:
        return False


def put_back(site: Site, job: Job, folder: str) -> tuple[Problem, ...]:
    """Take back a change whose journal lies in `folder`, then remove it; where somebody else wrote, keep our files."""
    conflicts = settle(job, to_old=True)
    syscalls.sync_all(touched(job, may_be_gone=True), site.settings.durability, len(job.entries))
    if not conflicts:
        discard(site.state, folder)
        return ()
    return keep_conflict(site, folder, job.id, conflicts)


def keep_conflict(site: Site, folder: str, name: str, conflicts: tuple[Problem, ...]) -> tuple[Problem, ...]:
    """The journal and what it saved out of the way, under a name that is told."""
    kept = f"conflict.{name}"
    os.rename(folder, kept, src_dir_fd=site.state, dst_dir_fd=site.state)
    return tuple(
        p._replace(detail=f"{p.detail}; what was saved is in {STATE}/{kept}", advice=_BY_HAND) for p in conflicts
    )


def _give_up(site: Site, entered: list[Job], final: str) -> tuple[Problem, ...]:
    """Whatever was done is taken back, also the last rename (`final`). May be called again after an interrupt."""
    try:
        if final:
            os.rename(final, TX, src_dir_fd=site.state, dst_dir_fd=site.state)
    except FileNotFoundError:
        pass
    except OSError as error:
        return (uncertain("the change was made", error, f"anypatch undo {final.partition('.')[0]}"),)
    if not entered:
        return _remove_empty(site.state)
    job = entered[-1]
    if not job.entries or is_absent(job.tx, NAME):
        discard(site.state, TX)
        return ()
    return put_back(site, job, TX)


def _remove_empty(state: int) -> tuple[Problem, ...]:
    """A folder that was only just made, if it was. Where that fails, the next run removes it."""
    try:
        os.rmdir(TX, dir_fd=state)
    except OSError:
        pass
    return ()


def stands(state: int, folder: str) -> bool:
    """Whether a folder is there, as far as the disk still tells."""
    try:
        os.stat(folder, dir_fd=state, follow_symlinks=False)
    except OSError:
        return False
    return True


def uncertain(done: str, error: OSError, remedy: str) -> Problem:
    """What to say where the last rename was made, but neither brought to the disk nor taken back."""
    detail = f"{done}, but may be lost after a restart, and could not be undone: {words(error)}"
    advice = "Once the disk works again, look at the log, and undo or redo the change if it isn't as you want it."
    return Problem("unsettled", detail, advice=advice, command=f"Use `anypatch log`, then `{remedy}`.")


def give_way(error: BaseException, action: Callable[[], tuple[Problem, ...]], later: Problem) -> BaseException:
    """Take back what was done, and say why, and what could not be taken back; `later`: how to speak of that."""
    left = _insist(action, later)
    problems = _problems(error)
    if not problems:
        return Refused(*left) if left else error
    if left:
        problems = tuple(p._replace(advice="Not everything was put back; see below.") for p in problems)
    return Refused(*problems, *left)


def _insist(action: Callable[[], tuple[Problem, ...]], later: Problem) -> tuple[Problem, ...]:
    """Do it, also when interrupted in the middle. What fails now is left to recovery, and told."""
    for _ in range(9):
        try:
            return action()
        except KeyboardInterrupt:
            continue
        except OSError as error:
            return (later._replace(detail=f"{later.detail}: {words(error)}"),)
        except Refused as refused:
            return tuple(
                p._replace(kind=later.kind, advice=later.advice, command=later.command) for p in refused.problems
            )
        except MemoryError:
            break
    return (later,)


def _problems(error: BaseException) -> tuple[Problem, ...]:
    if isinstance(error, Refused):
        return error.problems
    if isinstance(error, OSError):
        return (Problem("io", words(error), STATE),)
    if isinstance(error, KeyboardInterrupt):
        return (Problem("io", "interrupted", advice="Everything was put back."),)
    if isinstance(error, MemoryError):
        return (Problem("io", "out of memory"),)
    return ()


def close_done(fd: int) -> None:
    """An interrupt now would only make a finished change look unfinished."""
    try:
        os.close(fd)
    except (OSError, KeyboardInterrupt):
        return
