"""System calls that Python has no names for: exchange two names, name without replacing, sync a file system. And what
is on the disk when: the three levels of durability. Knows descriptors, not what they hold.

Each raises OSError like the calls in `os`, ENOSYS where the system has no such call. macOS's are untested.
"""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Callable, Iterable

LEVELS = ("none", "batch", "full")
# Up to here syncing file by file is faster, beyond it syncing the file system once.
FEW = 16

_MAC = sys.platform == "darwin"
_RENAME = "renameatx_np" if _MAC else "renameat2"
_NOREPLACE, _EXCHANGE = (4, 2) if _MAC else (1, 2)
# What file systems say that know neither flag. EPERM is not among them: it is what an immutable file says.
UNKNOWN = (errno.EINVAL, errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP)

_known: dict[str, Callable[..., int] | None] = {}


def exchange(one: int, name: str, other: int, target: str) -> None:
    """Let two names in two open folders change places, at once."""
    call(_RENAME, one, os.fsencode(name), other, os.fsencode(target), _EXCHANGE)


def place(one: int, name: str, other: int, target: str) -> None:
    """Rename to a name that must be free."""
    call(_RENAME, one, os.fsencode(name), other, os.fsencode(target), _NOREPLACE)


def syncfs(fd: int) -> None:
    """Write back all of the file system that a descriptor is on."""
    call("syncfs", fd)


def has(name: str) -> bool:
    """Whether the C library knows a function."""
    return _function(name) is not None


def call(name: str, *arguments: int | bytes) -> int:
    """Call a function of the C library, again where a signal interrupts it."""
    function = _function(name)
    if function is None:
        raise OSError(errno.ENOSYS, os.strerror(errno.ENOSYS))
    import ctypes

    while (result := function(*arguments)) < 0:
        error = ctypes.get_errno()
        if error != errno.EINTR:
            raise OSError(error, os.strerror(error))
    return result


def _function(name: str) -> Callable[..., int] | None:
    if name not in _known:
        try:
            import ctypes

            _known[name] = getattr(ctypes.CDLL(None, use_errno=True), name)
        except (ImportError, OSError, AttributeError):
            _known[name] = None
    return _known[name]


# ── what is on the disk when ─────────────────────────────────────────────────────────────────────


def each(durability: str, count: int) -> bool:
    """Whether every file is synced by itself."""
    return durability == "full" or (durability == "batch" and (count <= FEW or not has("syncfs")))


def whole(durability: str, count: int) -> bool:
    """Whether the whole file system is synced at once."""
    return durability == "batch" and not each(durability, count)


def sync(fd: int) -> None:
    """Bring one file or folder to the disk, on macOS through the disk's own cache too (untested)."""
    import fcntl

    full = getattr(fcntl, "F_FULLFSYNC", None)
    if full is None:
        os.fsync(fd)
    else:
        fcntl.fcntl(fd, full)


def sync_all(fds: Iterable[int], durability: str, count: int) -> None:
    """Bring what happened in these folders to the disk."""
    if durability == "none":
        return
    if each(durability, count):
        for fd in fds:
            sync(fd)
        return
    devices: set[int] = set()
    for fd in fds:
        device = os.fstat(fd).st_dev
        if device not in devices:
            devices.add(device)
            syncfs(fd)
