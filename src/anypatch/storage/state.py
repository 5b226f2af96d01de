"""The state directory: where it is, its lock, the names in it. Knows names and the ids of receipts, never the tree.

.anypatch/lock             locked while a tree is changed
.anypatch/tx/              a change in progress; recovery undoes it
.anypatch/ID.SIZE/         a change that was made: its journal, and the files that it displaced
.anypatch/ID.SIZE.undone.ID/  the same, undone: now it holds the new files; the second ID is that of the moment
.anypatch/undo.ID.SIZE/, redo.ID.SIZE/    an undo or redo in progress; recovery finishes it
.anypatch/conflict.ID/     files that couldn't be put back because somebody else had written to theirs
"""

from __future__ import annotations

import errno
import fcntl
import os
import pwd
import re
import time
from collections.abc import Callable
from itertools import accumulate
from typing import NamedTuple, get_args

from ..hints import Durability, Hardlinks
from ..limits import Limits
from ..problems import Problem, Refused
from . import syscalls
from .journal import MANIFEST, digest
from .sandbox import OPEN_FOLDER, Folders, close_quietly, error_text, io_refusal

STATE = ".anypatch"
TX = "tx"
KEEP = 20
KEEP_BYTES = 200 << 20
ID_LENGTH = len("20261115-214403-3f2a")

CREATE_FILE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_OPEN_LOCK = os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_ID = "[0-9]{8}-[0-9]{6}-[0-9a-f]{4}"
_RECEIPT = re.compile(rf"(?P<id>{_ID})\.(?P<size>[0-9]{{1,15}})(\.undone\.(?P<undone>{_ID}))?")
# The errors for a folder in which nothing may be changed, whether the name exists or not.
UNWRITABLE = (errno.EROFS, errno.EACCES, errno.EPERM)
_NOT_A_FOLDER = (errno.ENOTDIR, errno.ELOOP, errno.EMLINK)


class Settings(NamedTuple):
    """How changes are made. `durability`: none, batch, full. `hardlinks`: replace, refuse, keep.

    `limits`: how large patches and files may be.
    `allow_sensitive`: also edit files that other programs run or follow; there is a note for each.
    `state_dir`: a place for the state other than `.anypatch`, on the same disk. `lock_timeout`: seconds to wait.
    `watch`: called with "read" and a path before each file is read, and with "write" and the number of files before
    the first is written; an exception that it raises ends the run, and nothing is written.
    `keep`: how many receipts are kept, the newest; older changes can no longer be undone.
    `session`, `turn`: who makes the changes, and in which exchange with the user; receipts keep both. Undoing a turn,
    all changes, or those since a time concerns only those of this session, if one is given.
    """

    durability: Durability = "batch"
    lock_timeout: float = 10.0
    state_dir: str = ""
    hardlinks: Hardlinks = "replace"
    allow_sensitive: bool = True
    limits: Limits = Limits()
    watch: Callable[[str, str], None] | None = None
    keep: int = KEEP
    session: str = ""
    turn: str = ""

    def checked(self) -> Settings:
        """Return the settings. Raise ValueError for a value that isn't allowed."""
        for name, value, allowed in (
            ("durability", self.durability, get_args(Durability)),
            ("hardlinks", self.hardlinks, get_args(Hardlinks)),
        ):
            if value not in allowed:
                raise ValueError(f"{name} must be one of {', '.join(allowed)}, not {value!r}")
        if not isinstance(self.limits, Limits):
            raise TypeError(f"limits must be an anypatch.Limits, not {type(self.limits).__name__}")
        if not isinstance(self.session, str) or not isinstance(self.turn, str):
            raise TypeError("session and turn must be str")
        if self.keep < 1 or self.lock_timeout < 0:
            raise ValueError("keep must be at least 1, and lock_timeout at least 0")
        return self


class State:
    """The state directory, opened. `lock_fd` is the descriptor of the lock, -1 if it isn't held."""

    __slots__ = ("fd", "lock_fd")

    def __init__(self, fd: int) -> None:
        self.fd = fd
        self.lock_fd = -1

    def unlock(self) -> None:
        """Release the lock."""
        close_quietly(self.lock_fd)
        self.lock_fd = -1

    def close(self) -> None:
        """Release the lock and close the directory."""
        self.unlock()
        close_quietly(self.fd)
        self.fd = -1


# ── opening and locking ──────────────────────────────────────────────────────────────────────────


def open_state(folders: Folders, state_dir: str, *, make: bool) -> State | None:
    """Open the state directory of a tree, or make it; None if it doesn't exist and `make` is False."""
    try:
        if state_dir:
            return _open_in_state_dir(folders, state_dir, make)
        return _open_or_make(folders.root, STATE, make)
    except OSError as error:
        if error.errno in _NOT_A_FOLDER:
            detail = "there is a file or a symbolic link where anypatch keeps its state"
            raise Refused(Problem("unsafe_path", detail, STATE, advice="Remove it, then run this again.")) from None
        if error.errno == errno.EACCES and not state_dir and (who := _other_owner(folders.root)):
            advice = f"It belongs to {who}: only they can see or recover an interrupted change here."
            raise Refused(Problem("io", error_text(error), STATE, advice=advice)) from None
        raise io_refusal(error, state_dir or STATE) from None


def _other_owner(root: int) -> str:
    """Return who owns the state directory, if not this user."""
    try:
        uid = os.stat(STATE, dir_fd=root, follow_symlinks=False).st_uid
    except OSError:
        return ""
    return user(uid) if uid != os.geteuid() else ""


def user(uid: int) -> str:
    """Return a user's name and number."""
    try:
        return f"{pwd.getpwuid(uid).pw_name} (uid {uid})"
    except KeyError:
        return f"uid {uid}"


def _open_in_state_dir(folders: Folders, state_dir: str, make: bool) -> State | None:
    """Open the folder of this tree in `state_dir`: two trees must never recover each other's changes."""
    if make:
        os.makedirs(state_dir, 0o700, exist_ok=True)
    try:
        parent = os.open(state_dir, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except FileNotFoundError:
        return None
    try:
        return _open_or_make(parent, digest(os.fsencode(os.path.realpath(folders.path)))[:16], make)
    finally:
        os.close(parent)


def _open_or_make(parent: int, name: str, make: bool) -> State | None:
    try:
        return State(os.open(name, OPEN_FOLDER, dir_fd=parent))
    except FileNotFoundError:
        if not make:
            return None
    try:
        os.mkdir(name, 0o700, dir_fd=parent)
    except FileExistsError:
        pass
    return State(os.open(name, OPEN_FOLDER, dir_fd=parent))


def lock(state: State, timeout: float) -> None:
    """Take the lock, which the kernel releases when the process ends, however it ends."""
    deadline = time.monotonic() + timeout
    wait = 0.001
    while True:
        state.lock_fd = _open_lock_file(state)
        try:
            fcntl.flock(state.lock_fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if os.fstat(state.lock_fd).st_nlink:  # 0 if somebody removed the state directory in the meantime
                return
        except OSError as error:
            if error.errno not in (errno.EWOULDBLOCK, errno.EACCES):
                state.unlock()
                raise
        state.unlock()
        if time.monotonic() >= deadline:
            detail = f"another process has been changing this tree for {timeout:g} seconds"
            raise Refused(Problem("locked", detail))
        time.sleep(wait)
        wait = min(wait * 1.5, 0.02)


def _open_lock_file(state: State) -> int:
    try:
        return os.open("lock", _OPEN_LOCK, dir_fd=state.fd)
    except FileNotFoundError:
        write_gitignore(state)
    return os.open("lock", _OPEN_LOCK | os.O_CREAT, 0o600, dir_fd=state.fd)


def write_gitignore(state: State) -> None:
    """Keep the state directory out of git."""
    try:
        write_new(state.fd, ".gitignore", b"*\n")
    except FileExistsError:
        pass


# ── files in it ──────────────────────────────────────────────────────────────────────────────────


def write_new(folder: int, name: str, data: bytes, *, sync: bool = False) -> None:
    """Write a new file completely, or leave none."""
    fd = os.open(name, CREATE_FILE, 0o600, dir_fd=folder)
    try:
        try:
            write_all(fd, data)
            if sync:
                syscalls.sync(fd)
        finally:
            os.close(fd)
    except BaseException:
        remove(folder, name)
        raise


def write_all(fd: int, data: bytes) -> None:
    """Write every byte, in as many calls as the system needs."""
    done = os.write(fd, data)
    while done < len(data):
        count = os.write(fd, memoryview(data)[done:])
        if not count:
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        done += count


def remove(folder: int, name: str) -> None:
    """Remove a file, if it exists. If its folder can't be written, that is an error only if the file exists."""
    try:
        os.unlink(name, dir_fd=folder)
    except FileNotFoundError:
        return
    except OSError as error:
        if error.errno not in UNWRITABLE or not is_absent(folder, name):
            raise


def is_absent(folder: int, name: str) -> bool:
    """Return True if the name doesn't exist in an open folder. Raise OSError if the folder can't be read."""
    try:
        os.stat(name, dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        return True
    return False


def discard(state: int, name: str) -> None:
    """Remove a folder of ours: the journal first, because without it the rest is never used."""
    try:
        fd = os.open(name, OPEN_FOLDER, dir_fd=state)
    except FileNotFoundError:
        return
    try:
        for file in sorted(os.listdir(fd), key=lambda file: file != MANIFEST):
            remove(fd, file)
    finally:
        os.close(fd)
    os.rmdir(name, dir_fd=state)


# ── receipts by name ─────────────────────────────────────────────────────────────────────────────


class ReceiptName(NamedTuple):
    """The parts of the name of a receipt's folder. `undone` is an id for the moment when it was undone, or ""."""

    id: str
    size: int
    undone: str
    folder: str


def parse_receipt_name(folder: str) -> ReceiptName | None:
    """Read a folder's name; None if the folder isn't a receipt."""
    parts = _RECEIPT.fullmatch(folder)
    return ReceiptName(parts["id"], int(parts["size"]), parts["undone"] or "", folder) if parts else None


def receipt_names(folders: list[str]) -> list[ReceiptName]:
    """Return the receipts among these folders, newest first."""
    return sorted((name for name in map(parse_receipt_name, folders) if name), reverse=True)


def unfinished(folders: list[str]) -> list[str]:
    """Return those folders that an interrupted change, undo or redo left."""
    return [
        name for name in folders if name == TX or (name.startswith(("undo.", "redo.")) and parse_receipt_name(name[5:]))
    ]


def new_id(known: list[ReceiptName], now: float) -> str:
    """Return a short, unused id for a moment; it sorts after all others, also if the clock was set back."""
    tick = int(now * 65536)
    last = max((max(name.id, name.undone) for name in known), default="")
    id = _id(tick)
    if id > last:
        return id
    if last[-4:] < "fff0":
        return f"{last[:-4]}{int(last[-4:], 16) + 1:04x}"
    used = {id for name in known for id in (name.id, name.undone)}
    while id in used:
        tick += 1
        id = _id(tick)
    return id


def _id(tick: int) -> str:
    seconds, fraction = divmod(tick, 65536)
    return f"{time.strftime('%Y%m%d-%H%M%S', time.gmtime(seconds))}-{fraction:04x}"


def prune(state: int, known: list[ReceiptName], keep: int) -> None:
    """Remove all but the first receipts, by number and by size, the last ones first: an undo outlives what it undid.

    What can't be removed now is removed another time.
    """
    sizes = accumulate(name.size for name in known)
    extra = [
        name for number, (name, total) in enumerate(zip(known, sizes, strict=True))
        if number >= keep or (number and total > KEEP_BYTES)
    ]  # fmt: skip
    for name in reversed(extra):
        try:
            discard(state, name.folder)
        except (OSError, KeyboardInterrupt):
            continue
