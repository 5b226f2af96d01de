"""The only way to a file below a root: folder by folder, never through a link, never above the root. Only reads."""

from __future__ import annotations

import errno
import os
from stat import S_ISLNK, S_ISREG
from typing import NamedTuple

from ..paths import follow_links, is_denied, normalize_path
from ..problems import Problem, Refused

MAX_OPEN = 64
MAX_WALK = 20_000

OPEN_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
# O_NONBLOCK: opening a pipe without a writer must not block; what was opened is checked before it is read.
OPEN_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC

_ABSENT = (errno.ENOENT, errno.ENOTDIR)
# Errors that a link on the way may cause: Linux answers ENOTDIR for a link where a folder is expected.
_MAYBE_LINK = (errno.ENOTDIR, errno.ELOOP, errno.EMLINK)
_SPECIAL = (errno.ENXIO, errno.EOPNOTSUPP, errno.ENODEV)
# With a new text it is another program: it mustn't run as another user, and no signature is valid for it.
_DROPPED = ("security.capability", "security.ima", "security.evm", "trusted.")
_ABSOLUTE = "it is absolute and leads out of the root"
_LEADS_OUT = "a symbolic link leads out of the root"
_TOOL_FOLDERS = frozenset(("node_modules", "__pycache__", ".venv", "venv", ".tox", ".mypy_cache", ".ruff_cache"))


class Folders:
    """The directories below a root, each opened once, from its parent, without following a link.

    `missing`: those that were looked for and don't exist. Whoever makes a folder clears it.
    """

    __slots__ = ("_open", "missing", "path", "root")

    def __init__(self, path: str) -> None:
        self.path = path
        self._open: dict[str, int] = {}
        self.missing: set[str] = set()
        try:
            self.root = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        except OSError as error:
            raise Refused(Problem("bad_root", error_text(error), path)) from None
        except ValueError:
            raise Refused(Problem("bad_root", "it contains what no file name can", path)) from None

    def fd(self, folder: str) -> int:
        """Return the folder's descriptor, valid until the next call. Raise OSError if it isn't a folder."""
        if not folder:
            return self.root
        if (fd := self._open.get(folder, -1)) >= 0:
            return fd
        if folder in self.missing:
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT))
        fd, parts = self.root, folder.split("/")
        for depth in range(len(parts) - 1, 0, -1):
            if (parent := self._open.get("/".join(parts[:depth]), -1)) >= 0:
                fd = parent
                break
        else:
            depth = 0
        for end in range(depth + 1, len(parts) + 1):
            if parts[end - 1] in ("", ".", ".."):
                raise Refused(Problem("unsafe_path", "it is not normalized", folder))
            try:
                fd = self._keep("/".join(parts[:end]), os.open(parts[end - 1], OPEN_FOLDER, dir_fd=fd))
            except FileNotFoundError:
                self.missing.add(folder)
                raise
        return fd

    def _keep(self, folder: str, fd: int) -> int:
        if len(self._open) >= MAX_OPEN:
            close_quietly(self._open.pop(next(iter(self._open))))
        self._open[folder] = fd
        return fd

    def forget(self) -> None:
        """Close all but the root, so that a folder that was moved isn't mistaken for the one that is there now."""
        self.missing.clear()
        while self._open:
            close_quietly(self._open.popitem()[1])

    def close(self) -> None:
        """Close all descriptors."""
        self.forget()
        if self.root >= 0:
            close_quietly(self.root)
            self.root = -1


# ── paths ────────────────────────────────────────────────────────────────────────────────────────


def checked_path(path: str) -> str:
    """Normalize a path. Raise Refused if it isn't safe or the file system's encoding can't express it."""
    path = normalize_path(path)
    try:
        os.fsencode(path)
    except UnicodeError:
        raise _unsafe("it can't be written in the file system's encoding", ascii(path)) from None
    return path


def resolve(folders: Folders, path: str) -> str:
    """Return the checked path of the file that `path` leads to through links inside the root. It need not exist.

    An absolute path below the root is accepted: some agents write no others.
    """
    if path.startswith("/") and "\0" not in path:
        path = _relative_to_root(folders, path, path, _ABSOLUTE)
    path = checked_path(path)
    folder, _, name = path.rpartition("/")
    try:
        os.readlink(name, dir_fd=folders.fd(folder))
    except OSError as error:
        if error.errno in (errno.EINVAL, errno.ENOENT):
            return path
        if error.errno not in _MAYBE_LINK:
            raise io_refusal(error, path) from None
    return _follow(folders, path)


def link_at(folders: Folders, path: str) -> tuple[str, str] | None:
    """Return the link's own checked path and its target, if the path ends in a symbolic link; else None."""
    if path.startswith("/"):
        path = _relative_to_root(folders, path, path, _ABSOLUTE)
    own = _follow(folders, checked_path(path), last=False)
    folder, _, name = own.rpartition("/")
    target = _link_target(folders, folder, name, path)
    return (own, target) if target else None


def _follow(folders: Folders, path: str, *, last: bool = True) -> str:
    def target_of(folder: str, name: str) -> str:
        target = _link_target(folders, folder, name, path)
        return "/" + _relative_to_root(folders, target, path, _LEADS_OUT) if target.startswith("/") else target

    return checked_path(follow_links(path, target_of, last=last))


def _link_target(folders: Folders, folder: str, name: str, path: str) -> str:
    """Return where a link points; "" if the name isn't a link or doesn't exist."""
    try:
        return os.readlink(name, dir_fd=folders.fd(folder))
    except OSError as error:
        if error.errno in (errno.EINVAL, errno.ENOENT, *_MAYBE_LINK):
            return ""
        raise io_refusal(error, path) from None


def _relative_to_root(folders: Folders, target: str, path: str, refusal: str) -> str:
    """Make an absolute path relative to the root. Compares whole components, never a bare prefix."""
    target = os.path.normpath(target)
    for root in (os.path.abspath(folders.path), os.path.realpath(folders.path)):
        if target == root:
            return "."
        if target.startswith(root.rstrip("/") + "/"):
            return target[len(root.rstrip("/")) + 1 :]
    raise _unsafe(refusal, path)


# ── files ────────────────────────────────────────────────────────────────────────────────────────


Contents = tuple[bytes, os.stat_result]


class Metadata(NamedTuple):
    """A file's status and its extended attributes."""

    stat: os.stat_result
    attributes: tuple[tuple[str, bytes], ...] = ()


def read_file(
    folders: Folders, path: str, limit: int, metadata: dict[str, Metadata] | None = None, *, links: bool = False
) -> Contents | None:
    """Return a file's bytes and status; None if it doesn't exist. The path is a checked one and goes through no link.

    `metadata` is filled in for the path, if given. `links`: also read a symbolic link; its bytes are where it points.
    """
    folder, _, name = path.rpartition("/")
    try:
        attributes = metadata is not None
        data, own = read_with_metadata(folders.fd(folder), name, limit, links=links, attributes=attributes)
        if metadata is not None:
            metadata[path] = own
        return data, own.stat
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
        raise io_refusal(error, path) from None


def read_at(folder: int, name: str, limit: int) -> Contents:
    """Return the bytes and status of a file in an open folder. Raise Refused if it isn't a file or is too large."""
    data, metadata = read_with_metadata(folder, name, limit, attributes=False)
    return data, metadata.stat


def read_link(folder: int, name: str) -> Contents | None:
    """Return where a symbolic link points, and its own status; None if the name isn't a link."""
    status = os.stat(name, dir_fd=folder, follow_symlinks=False)
    return (os.fsencode(os.readlink(name, dir_fd=folder)), status) if S_ISLNK(status.st_mode) else None


def read_with_metadata(
    folder: int, name: str, limit: int, *, links: bool = False, attributes: bool = True
) -> tuple[bytes, Metadata]:
    """Return the bytes and metadata of a file in an open folder; with `links` also of a link, as `read_link` does."""
    if links and (link := read_link(folder, name)):
        return link[0], Metadata(link[1])
    fd = os.open(name, OPEN_FILE, dir_fd=folder)
    try:
        status = os.fstat(fd)
        if not S_ISREG(status.st_mode):
            raise Refused(Problem("not_a_file", "it is a directory, a pipe or a device", name))
        if status.st_size > limit:
            raise Refused(Problem("limit", f"it is larger than {limit} bytes, the limit `file_bytes`", name))
        data = os.read(fd, status.st_size + 1)
        if len(data) != status.st_size:
            data = _read_on(fd, data, limit)
        return data, Metadata(status, _attributes(fd) if attributes else ())
    finally:
        os.close(fd)


def _read_on(fd: int, data: bytes, limit: int) -> bytes:
    """Read to the end of a file that isn't as long as its status says."""
    while part := os.read(fd, 1 << 16):
        data += part
        if len(data) > limit:
            raise OSError(errno.EFBIG, os.strerror(errno.EFBIG))
    return data


def _attributes(fd: int) -> tuple[tuple[str, bytes], ...]:
    """Return the extended attributes that a file keeps when its text changes, access control lists among them."""
    try:
        names = os.listxattr(fd) if hasattr(os, "listxattr") else []
    except OSError as error:
        if error.errno in (errno.ENOTSUP, errno.ENOSYS):
            return ()
        raise
    return tuple((name, os.getxattr(fd, name)) for name in names if not name.startswith(_DROPPED))


# ── which files there are ────────────────────────────────────────────────────────────────────────


def list_files(folders: Folders) -> tuple[list[str], bool]:
    """Return the paths of the files below the root, nearest first, and True if these are all.

    Follows no links and skips folders of tools. The walk ends after `MAX_WALK` entries.
    """
    paths: list[str] = []
    queue = [""]
    seen = 0
    for folder in queue:
        prefix = f"{folder}/" if folder else ""
        try:
            with os.scandir(folders.fd(folder)) as entries:
                for entry in entries:
                    seen += 1
                    if seen > MAX_WALK:
                        return paths, False
                    if entry.is_file(follow_symlinks=False):
                        paths.append(prefix + entry.name)
                    elif entry.is_dir(follow_symlinks=False) and not _is_skipped(entry.name):
                        queue.append(prefix + entry.name)
        except OSError:
            continue
    return paths, True


def _is_skipped(name: str) -> bool:
    return name in _TOOL_FOLDERS or is_denied(name)


def count_names(folders: Folders, status: os.stat_result) -> int:
    """Count the names of a file where patches may write, as far as a bounded walk finds them."""
    count = 0
    queue = [""]
    for number, folder in enumerate(queue):
        if number > MAX_WALK:
            break
        try:
            with os.scandir(folders.fd(folder)) as entries:
                for entry in entries:
                    if is_denied(entry.name):
                        continue
                    if entry.is_dir(follow_symlinks=False):
                        queue.append(f"{folder}/{entry.name}" if folder else entry.name)
                    elif entry.inode() == status.st_ino:
                        count += entry.stat(follow_symlinks=False).st_dev == status.st_dev
        except OSError:
            continue
    return count


# ── errors ───────────────────────────────────────────────────────────────────────────────────────


def io_refusal(error: OSError, path: str) -> Refused:
    """Return the refusal for a failed system call."""
    return Refused(Problem("io", error_text(error), path))


def error_text(error: OSError) -> str:
    """Return the system's message, without the number and the path that Python adds."""
    return os.strerror(error.errno) if error.errno else str(error) or "the system gave no reason"


def close_quietly(fd: int) -> None:
    """Close a descriptor that nothing was written to, so that a failure loses nothing; -1 means it is closed."""
    try:
        os.close(fd)
    except OSError:
        return


def _unsafe(detail: str, path: str) -> Refused:
    return Refused(Problem("unsafe_path", detail, path))
