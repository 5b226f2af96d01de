"""The state directory: where it is, who holds it, what lies in it. Knows names and receipts' ids, never the tree.

.anypatch/lock             held while a tree is changed
.anypatch/tx/              a change on its way; recovery puts it back
.anypatch/ID.SIZE/         a change that was made: its journal, and the files it displaced
.anypatch/ID.SIZE.undone/  the same taken back: now the new files lie in it
.anypatch/undo.ID.SIZE/, redo.ID.SIZE/    on the way from one to the other
.anypatch/conflict.ID/     what could not be put back because somebody else had written there
"""

from __future__ import annotations

import errno
import os
import time
from collections.abc import Callable
from typing import NamedTuple

from ..hints import Durability, Hardlinks
from ..limits import Limits
from ..problems import Problem, Refused
from .sandbox import OPEN_FOLDER, Folders, failure, quietly_close, words
from .syscalls import LEVELS
from .syscalls import sync as flush

STATE = ".anypatch"
TX = "tx"
KEEP = 20
KEEP_BYTES = 200 << 20
ID_LENGTH = len("20261115-214403-3f2a")

NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_LOCK = os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_DIGITS, _HEX = frozenset("0123456789-"), frozenset("0123456789abcdef")
# What the system says of a folder in which nothing may be changed, before it looks whether the name is there.
UNWRITABLE = (errno.EROFS, errno.EACCES, errno.EPERM)
_NO_FOLDER = (errno.ENOTDIR, errno.ELOOP, errno.EMLINK)


class Settings(NamedTuple):
    """How changes are made. `durability`: none, batch, full. `hardlinks`: replace, refuse, keep.

    `limits`: how large patches and files may be.
    `allow_sensitive`: also edit files that other programs run or follow; there is a note for each.
    `state_dir`: a place for the state other than `.anypatch`, on the same disk. `lock_timeout`: seconds to wait.
    `watch`: called with "read" and a path before each file is read, with "write" and how many before the first is
    written; what it raises ends the run, and nothing was written.
    `keep`: how many receipts are kept, the newest; older changes can no longer be undone.
    """

    durability: Durability = "batch"
    lock_timeout: float = 10.0
    state_dir: str = ""
    hardlinks: Hardlinks = "replace"
    allow_sensitive: bool = True
    limits: Limits = Limits()
    watch: Callable[[str, str], None] | None = None
    keep: int = KEEP

    def checked(self) -> Settings:
        """The settings. Raises ValueError for a value that isn't allowed."""
        for name, value, known in (
            ("durability", self.durability, LEVELS),
            ("hardlinks", self.hardlinks, ("replace", "refuse", "keep")),
        ):
            if value not in known:
                raise ValueError(f"{name} must be one of {', '.join(known)}, not {value!r}")
        if not isinstance(self.limits, Limits):
            raise TypeError(f"limits must be an anypatch.Limits, not {type(self.limits).__name__}")
        if self.keep < 1 or self.lock_timeout < 0:
            raise ValueError("keep must be at least 1, and lock_timeout at least 0")
        return self


class State:
    """The state directory, opened; `held` is the lock's descriptor, -1 where it is only looked at."""

    __slots__ = ("fd", "held")

    def __init__(self, fd: int) -> None:
        self.fd = fd
        self.held = -1

    def let_go(self) -> None:
        """Others may have the lock now."""
        quietly_close(self.held)
        self.held = -1

    def close(self) -> None:
        """Let go of all of it."""
        self.let_go()
        quietly_close(self.fd)
        self.fd = -1


# ── opening and locking ──────────────────────────────────────────────────────────────────────────


def open_state(folders: Folders, state_dir: str, *, make: bool) -> State | None:
    """The state directory of a tree; None where there is none and none is to be made."""
    try:
        if state_dir:
            return _elsewhere(folders, state_dir, make)
        return _opened(folders.root, STATE, make)
    except OSError as error:
        if error.errno in _NO_FOLDER:
            detail = "there is a file or a symbolic link where anypatch keeps its state"
            raise Refused(Problem("unsafe_path", detail, STATE, advice="Remove it, then run this again.")) from None
        if error.errno == errno.EACCES and not state_dir and (who := _other_owner(folders.root)):
            advice = f"It belongs to {who}: only they can see or recover an interrupted change here."
            raise Refused(Problem("io", words(error), STATE, advice=advice)) from None
        raise failure(error, state_dir or STATE) from None


def _other_owner(root: int) -> str:
    """Whose the state directory is, if not this user's."""
    try:
        uid = os.stat(STATE, dir_fd=root, follow_symlinks=False).st_uid
    except OSError:
        return ""
    return owner(uid) if uid != os.geteuid() else ""


def owner(uid: int) -> str:
    """A user by name and number."""
    import pwd

    try:
        return f"{pwd.getpwuid(uid).pw_name} (uid {uid})"
    except KeyError:
        return f"uid {uid}"


def _elsewhere(folders: Folders, state_dir: str, make: bool) -> State | None:
    """A folder of this tree's own in the one given: two trees must never recover each other's changes."""
    from .journal import digest

    if make:
        os.makedirs(state_dir, 0o700, exist_ok=True)
    try:
        outer = os.open(state_dir, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except FileNotFoundError:
        return None
    try:
        return _opened(outer, digest(os.fsencode(os.path.realpath(folders.path)))[:16], make)
    finally:
        os.close(outer)


def _opened(parent: int, name: str, make: bool) -> State | None:
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


def lock(state: State, patience: float) -> None:
    """Hold the lock; the kernel lets go of it when the process ends, however it ends."""
    import fcntl

    until = time.monotonic() + patience
    wait = 0.001
    while True:
        state.held = _lock_file(state)
        try:
            fcntl.flock(state.held, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if os.fstat(state.held).st_nlink:  # else somebody removed the state directory meanwhile
                return
        except OSError as error:
            if error.errno not in (errno.EWOULDBLOCK, errno.EACCES):
                state.let_go()
                raise
        state.let_go()
        if time.monotonic() >= until:
            detail = f"another process has been changing this tree for {patience:g} seconds"
            raise Refused(Problem("locked", detail))
        time.sleep(wait)
        wait = min(wait * 1.5, 0.02)


def _lock_file(state: State) -> int:
    try:
        return os.open("lock", _LOCK, dir_fd=state.fd)
    except FileNotFoundError:
        hide(state)
    return os.open("lock", _LOCK | os.O_CREAT, 0o600, dir_fd=state.fd)


def hide(state: State) -> None:
    """Keep the state directory out of git."""
    try:
        write_new(state.fd, ".gitignore", b"*\n")
    except FileExistsError:
        pass


# ── files in it ──────────────────────────────────────────────────────────────────────────────────


def write_new(folder: int, name: str, data: bytes, *, sync: bool = False) -> None:
    """A whole file under a new name, or none."""
    fd = os.open(name, NEW, 0o600, dir_fd=folder)
    try:
        try:
            write_all(fd, data)
            if sync:
                flush(fd)
        finally:
            os.close(fd)
    except BaseException:
        remove(folder, name)
        raise


def write_all(fd: int, data: bytes) -> None:
    """Every byte, however few the system takes at a time."""
    done = os.write(fd, data)
    while done < len(data):
        count = os.write(fd, memoryview(data)[done:])
        if not count:
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        done += count


def remove(folder: int, name: str) -> None:
    """Unlink what may be there. Where nothing can be written, what is not there is no failure either."""
    try:
        os.unlink(name, dir_fd=folder)
    except FileNotFoundError:
        return
    except OSError as error:
        if error.errno not in UNWRITABLE or not is_absent(folder, name):
            raise


def is_absent(folder: int, name: str) -> bool:
    """Whether nothing has this name in an open folder."""
    try:
        os.stat(name, dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        return True
    return False


def discard(state: int, name: str) -> None:
    """Remove a folder of ours: the journal first, so that what is left of it means nothing."""
    try:
        fd = os.open(name, OPEN_FOLDER, dir_fd=state)
    except FileNotFoundError:
        return
    try:
        for part in sorted(os.listdir(fd), key=lambda part: part != "manifest"):
            remove(fd, part)
    finally:
        os.close(fd)
    os.rmdir(name, dir_fd=state)


# ── receipts by name ─────────────────────────────────────────────────────────────────────────────


class Name(NamedTuple):
    """A receipt as its folder's name tells it."""

    id: str
    size: int
    undone: bool
    folder: str


def named(folder: str) -> Name | None:
    """What a folder's name says; None for what is no receipt."""
    name, _, rest = folder.partition(".")
    size, _, state = rest.partition(".")
    if len(name) != ID_LENGTH or state not in ("", "undone") or not (size.isascii() and size.isdigit()):
        return None
    if len(size) > 15 or not set(name[:15]) <= _DIGITS or not set(name[16:]) <= _HEX:
        return None
    return Name(name, int(size), bool(state), folder)


def listed(state: int) -> list[Name]:
    """The receipts, newest first."""
    return receipts_among(os.listdir(state))


def receipts_among(folders: list[str]) -> list[Name]:
    """Those names that are receipts, newest first."""
    return sorted((name for name in map(named, folders) if name), reverse=True)


def unfinished(folders: list[str]) -> list[str]:
    """Those names that a change, an undo or a redo leaves when it is broken off."""
    return [name for name in folders if name == TX or (name.startswith(("undo.", "redo.")) and named(name[5:]))]


def new_id(known: list[Name], now: float) -> str:
    """Short, unlike all others, and behind them in order also where the clock was set back."""
    tick = int(now * 65536)
    last = known[0].id if known else ""
    name = _id(tick)
    if name > last:
        return name
    if last[-4:] < "fff0":
        return f"{last[:-4]}{int(last[-4:], 16) + 1:04x}"
    taken = {receipt.id for receipt in known}
    while name in taken:
        tick += 1
        name = _id(tick)
    return name


def _id(tick: int) -> str:
    seconds, fraction = divmod(tick, 65536)
    return f"{time.strftime('%Y%m%d-%H%M%S', time.gmtime(seconds))}-{fraction:04x}"


def prune(state: int, known: list[Name], keep: int) -> None:
    """Keep the last receipts, by number and size. What cannot be removed now goes another time."""
    total = 0
    for number, name in enumerate(known):
        total += name.size
        if number >= keep or (number and total > KEEP_BYTES):
            try:
                discard(state, name.folder)
            except (OSError, KeyboardInterrupt):
                continue
