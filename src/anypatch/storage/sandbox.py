"""The one way to a file below a root: folder by folder, never through a link, never above. Only reads."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from stat import S_ISLNK, S_ISREG
from typing import TYPE_CHECKING, NamedTuple

from ..paths import is_denied, normalise, some_meant
from ..problems import Problem, Refused

if TYPE_CHECKING:
    _Whole = tuple[bytes, os.stat_result, tuple[tuple[str, bytes], ...]]


MAX_HOPS = 40
MAX_OPEN = 64
MAX_WALK = 20_000

OPEN_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
# O_NONBLOCK: a pipe without a writer must not hang us; what was opened is looked at before it is read.
OPEN_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC

_ABSENT = (errno.ENOENT, errno.ENOTDIR)
_NOT_THERE = os.strerror(errno.ENOENT)
# What following a path meets where there may be a link: Linux says ENOTDIR for a link that should be a folder.
_MAYBE_LINK = (errno.ENOTDIR, errno.ELOOP, errno.EMLINK)
_SPECIAL = (errno.ENXIO, errno.EOPNOTSUPP, errno.ENODEV)
# A new text is another program: it is not run as somebody else, and no signature holds for it.
_DROPPED = ("security.capability", "security.ima", "security.evm", "trusted.")
_ABSOLUTE = "it is absolute and leads out of the root"
_TOOLS = frozenset(("node_modules", "__pycache__", ".venv", "venv", ".tox", ".mypy_cache", ".ruff_cache"))


class Folders:
    """The directories below a root, each opened once, from its parent, without following a link.

    `gone`: those that were looked for and are not there; who makes one clears it.
    """

    __slots__ = ("_opened", "gone", "path", "root")

    def __init__(self, path: str) -> None:
        self.path = path
        self._opened: dict[str, int] = {}
        self.gone: set[str] = set()
        try:
            self.root = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        except OSError as error:
            raise Refused(Problem("bad_root", words(error), path)) from None
        except ValueError:
            raise Refused(Problem("bad_root", "it contains what no file name can", path)) from None

    def fd(self, folder: str) -> int:
        """The folder's descriptor, good until the next call. Raises OSError where it is missing, a file or a link."""
        if not folder:
            return self.root
        if (fd := self._opened.get(folder, -1)) >= 0:
            return fd
        if folder in self.gone:
            raise FileNotFoundError(errno.ENOENT, _NOT_THERE)
        fd, parts = self.root, folder.split("/")
        for depth in range(len(parts) - 1, 0, -1):
            if (known := self._opened.get("/".join(parts[:depth]), -1)) >= 0:
                fd = known
                break
        else:
            depth = 0
        for end in range(depth + 1, len(parts) + 1):
            if parts[end - 1] in ("", ".", ".."):
                raise Refused(Problem("unsafe_path", "it is not normalized", folder))
            try:
                fd = self._keep("/".join(parts[:end]), os.open(parts[end - 1], OPEN_FOLDER, dir_fd=fd))
            except FileNotFoundError:
                self.gone.add(folder)
                raise
        return fd

    def _keep(self, folder: str, fd: int) -> int:
        if len(self._opened) >= MAX_OPEN:
            quietly_close(self._opened.pop(next(iter(self._opened))))
        self._opened[folder] = fd
        return fd

    def forget(self) -> None:
        """Close all but the root: a folder that was moved since must not be taken for the one now there."""
        self.gone.clear()
        while self._opened:
            quietly_close(self._opened.popitem()[1])

    def close(self) -> None:
        """Close everything."""
        self.forget()
        if self.root >= 0:
            quietly_close(self.root)
            self.root = -1


# ── names ────────────────────────────────────────────────────────────────────────────────────────


def plain(path: str) -> str:
    """The path normalised, and writable in the file system's encoding; else Refused."""
    path = normalise(path)
    try:
        os.fsencode(path)
    except UnicodeError:
        raise _unsafe("it can't be written in the file system's encoding", ascii(path)) from None
    return path


def resolve(folders: Folders, path: str) -> str:
    """The plain path of the file that `path` leads to through links inside the root. It need not exist.

    An absolute path is taken if it lies below the root: some agents write no others.
    """
    if path.startswith("/") and "\0" not in path:
        path = _below_root(folders, path, path, _ABSOLUTE)
    path = plain(path)
    folder, _, name = path.rpartition("/")
    try:
        os.readlink(name, dir_fd=folders.fd(folder))
    except OSError as error:
        if error.errno in (errno.EINVAL, errno.ENOENT):
            return path
        if error.errno not in _MAYBE_LINK:
            raise failure(error, path) from None
    return plain(_followed(folders, path))


def link_at(folders: Folders, path: str) -> tuple[str, str] | None:
    """Of a path that ends in a symbolic link: its own plain path, and where it points. None for all else."""
    if path.startswith("/"):
        path = _below_root(folders, path, path, _ABSOLUTE)
    own = plain(_followed(folders, plain(path), last=False))
    folder, _, name = own.rpartition("/")
    target = _target(folders, folder, name, path)
    return (own, target) if target else None


def _followed(folders: Folders, path: str, *, last: bool = True) -> str:
    """Like the kernel, but on names: each link's target takes its place, and the walk goes on from there.

    `last`: also that of a link in which the path ends.
    """
    done: list[str] = []
    pending = path.split("/")[::-1]
    hops = 0
    while pending:
        part = pending.pop()
        if part == "..":
            if not done:
                raise _unsafe("a symbolic link leads out of the root", path)
            done.pop()
        elif part not in ("", "."):
            target = _target(folders, "/".join(done), part, path) if last or pending else ""
            if not target:
                done.append(part)
                continue
            hops += 1
            if hops > MAX_HOPS:
                raise _unsafe("its symbolic links form a loop", path)
            if target.startswith("/"):
                target = _below_root(folders, target, path)
                done.clear()
            pending.extend(target.split("/")[::-1])
    if not done:
        raise Refused(Problem("not_a_file", "it leads to the root itself", path))
    return "/".join(done)


def _target(folders: Folders, folder: str, name: str, path: str) -> str:
    """Where a link points; empty for what is no link or not there."""
    try:
        return os.readlink(name, dir_fd=folders.fd(folder))
    except OSError as error:
        if error.errno in (errno.EINVAL, errno.ENOENT, *_MAYBE_LINK):
            return ""
        raise failure(error, path) from None


def _below_root(
    folders: Folders, target: str, path: str, refusal: str = "a symbolic link leads out of the root"
) -> str:
    """An absolute path as seen from the root; compared by components, never as a bare prefix."""
    target = os.path.normpath(target)
    for root in (os.path.abspath(folders.path), os.path.realpath(folders.path)):
        if target == root:
            return "."
        if target.startswith(root.rstrip("/") + "/"):
            return target[len(root.rstrip("/")) + 1 :]
    raise _unsafe(refusal, path)


# ── files ────────────────────────────────────────────────────────────────────────────────────────


class Facts(NamedTuple):
    """What is known of a file besides its bytes: what the system says, and its extended attributes."""

    stat: os.stat_result
    attributes: tuple[tuple[str, bytes], ...] = ()


def read_file(
    folders: Folders, path: str, limit: int, known: dict[str, Facts] | None = None, *, links: bool = False
) -> tuple[bytes, os.stat_result] | None:
    """A file's bytes and facts; None where nothing stands. The path is plain and goes through no link.

    `known` gets the extended attributes too. `links`: a symbolic link is read as well, as where it points.
    """
    folder, _, name = path.rpartition("/")
    try:
        if links and (link := read_link(folders.fd(folder), name)):
            if known is not None:
                known[path] = Facts(link[1])
            return link
        if known is None:
            return read_at(folders.fd(folder), name, limit)
        data, facts, kept = _read_whole(folders.fd(folder), name, limit, True)
        known[path] = Facts(facts, kept)
        return data, facts
    except FileNotFoundError:
        return None
    except Refused as refused:
        raise Refused(*(p._replace(path=path) for p in refused.problems)) from None
    except OSError as error:
        if error.errno in _ABSENT:
            return None
        if error.errno in (errno.ELOOP, errno.EMLINK):
            raise _unsafe("there is a symbolic link in its place", path) from None
        if error.errno in _SPECIAL:
            raise Refused(Problem("not_a_file", "it is a socket or a device", path)) from None
        raise failure(error, path) from None


def read_at(folder: int, name: str, limit: int) -> tuple[bytes, os.stat_result]:
    """The same for a name in an open folder. Raises OSError, or Refused for what is no file or too large."""
    data, facts, _ = _read_whole(folder, name, limit, False)
    return data, facts


def read_link(folder: int, name: str) -> tuple[bytes, os.stat_result] | None:
    """Where a symbolic link points, and its own facts; None for all else."""
    facts = os.stat(name, dir_fd=folder, follow_symlinks=False)
    return (os.fsencode(os.readlink(name, dir_fd=folder)), facts) if S_ISLNK(facts.st_mode) else None


def _read_whole(folder: int, name: str, limit: int, all_of_it: bool) -> _Whole:
    fd = os.open(name, OPEN_FILE, dir_fd=folder)
    try:
        facts = os.fstat(fd)
        if not S_ISREG(facts.st_mode):
            raise Refused(Problem("not_a_file", "it is a directory, a pipe or a device", name))
        if facts.st_size > limit:
            raise Refused(Problem("limit", f"it is larger than {limit} bytes, the limit `file_bytes`", name))
        data = os.read(fd, facts.st_size + 1)
        if len(data) != facts.st_size:  # else the file ends here
            data = _rest(fd, data, limit)
        return data, facts, _attributes(fd) if all_of_it else ()
    finally:
        os.close(fd)


def _rest(fd: int, data: bytes, limit: int) -> bytes:
    """What is still to come of a file that isn't as long as it was said to be."""
    while part := os.read(fd, 1 << 16):
        data += part
        if len(data) > limit:
            raise OSError(errno.EFBIG, os.strerror(errno.EFBIG))
    return data


def _attributes(fd: int) -> tuple[tuple[str, bytes], ...]:
    """The extended attributes of an open file that its new text keeps, access lists among them."""
    try:
        names = os.listxattr(fd) if hasattr(os, "listxattr") else []
    except OSError as error:
        if error.errno in (errno.ENOTSUP, errno.ENOSYS):
            return ()
        raise
    return tuple((name, os.getxattr(fd, name)) for name in names if not name.startswith(_DROPPED))


# ── suggestions ──────────────────────────────────────────────────────────────────────────────────


def suggest(folders: Folders, path: str, limit: int) -> tuple[str, ...]:
    """Files that may have been meant."""
    return some_meant(path, (f"{place}/{name}" if place else name for place, name in _files(folders)), limit)


def names(folders: Folders) -> dict[str, list[str]]:
    """The folders that each file name stands in; nothing where the tree is too large to be sure."""
    cut: list[bool] = []
    found: dict[str, list[str]] = {}
    for place, name in _files(folders, cut):
        found.setdefault(name, []).append(place)
    return {} if cut else found


def ending(known: dict[str, list[str]], path: str) -> tuple[str, ...]:
    """The files, out of what `names` gave, whose path ends in this one, by whole names."""
    *tail, name = path.split("/")
    found = [place.split("/") if place else [] for place in known.get(name, ())]
    return tuple(sorted("/".join([*place, name]) for place in found if place[len(place) - len(tail) :] == tail))


def names_of(folders: Folders, facts: os.stat_result) -> int:
    """How many names a file has where patches may write, as far as a bounded walk finds them."""
    count = 0
    queue = [""]
    for number, place in enumerate(queue):
        if number > MAX_WALK:
            break
        try:
            with os.scandir(folders.fd(place)) as entries:
                for entry in entries:
                    if is_denied(entry.name):
                        continue
                    if entry.is_dir(follow_symlinks=False):
                        queue.append(f"{place}/{entry.name}" if place else entry.name)
                    elif entry.inode() == facts.st_ino:
                        count += entry.stat(follow_symlinks=False).st_dev == facts.st_dev
        except OSError:
            continue
    return count


def _files(folders: Folders, cut: list[bool] | None = None) -> Iterator[tuple[str, str]]:
    """Folder and name of the files below the root, nearest first, no links followed, a bounded number of entries.

    Where that bound ends the walk, `cut` gets an entry.
    """
    queue = [""]
    seen = 0
    for place in queue:
        try:
            with os.scandir(folders.fd(place)) as entries:
                for entry in entries:
                    seen += 1
                    if seen > MAX_WALK:
                        if cut is not None:
                            cut.append(True)
                        return
                    if entry.is_file(follow_symlinks=False):
                        yield place, entry.name
                    elif entry.is_dir(follow_symlinks=False) and not _skipped(entry.name):
                        queue.append(f"{place}/{entry.name}" if place else entry.name)
        except OSError:
            continue


def _skipped(name: str) -> bool:
    return name in _TOOLS or is_denied(name)


# ── words ────────────────────────────────────────────────────────────────────────────────────────


def failure(error: OSError, path: str) -> Refused:
    """A failed system call as a refusal."""
    return Refused(Problem("io", words(error), path))


def words(error: OSError) -> str:
    """What the system said, without numbers and Python's spelling."""
    return os.strerror(error.errno) if error.errno else str(error) or "the system gave no reason"


def quietly_close(fd: int) -> None:
    """Close where nothing was written, so that a failure loses nothing; -1 is closed already."""
    try:
        os.close(fd)
    except OSError:
        return


def _unsafe(detail: str, path: str) -> Refused:
    return Refused(Problem("unsafe_path", detail, path))
