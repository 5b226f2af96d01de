"""System calls that Python doesn't wrap, and when what was written reaches the disk. Knows only descriptors.

Each call raises OSError like those in `os`, with ENOSYS if the system doesn't have it. Those of macOS are untested.
"""

from __future__ import annotations

import errno
import fcntl
import os
import sys
from collections.abc import Callable, Iterable

_MAC = sys.platform == "darwin"
_RENAME = "renameatx_np" if _MAC else "renameat2"
_NOREPLACE, _EXCHANGE = (4, 2) if _MAC else (1, 2)
# The errors of file systems that know neither flag. EPERM isn't one: that is the error for an immutable file.
UNSUPPORTED = (errno.EINVAL, errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP)

_functions: dict[str, Callable[..., int] | None] = {}


def exchange(folder: int, name: str, other_folder: int, other_name: str) -> None:
    """Exchange two names in two open folders, atomically."""
    call(_RENAME, folder, os.fsencode(name), other_folder, os.fsencode(other_name), _EXCHANGE)


def rename_noreplace(folder: int, name: str, other_folder: int, other_name: str) -> None:
    """Rename to a name that must not exist."""
    call(_RENAME, folder, os.fsencode(name), other_folder, os.fsencode(other_name), _NOREPLACE)


def syncfs(fd: int) -> None:
    """Write back the whole file system of a descriptor."""
    call("syncfs", fd)


def has_function(name: str) -> bool:
    """Return True if the C library has a function."""
    return _function(name) is not None


def call(name: str, *arguments: int | bytes) -> int:
    """Call a function of the C library; call it again if a signal interrupts it."""
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
    if name not in _functions:
        try:
            import ctypes  # some builds of Python don't have it

            _functions[name] = getattr(ctypes.CDLL(None, use_errno=True), name)
        except (ImportError, OSError, AttributeError):
            _functions[name] = None
    return _functions[name]


# ── durability: "none", "batch" or "full" ────────────────────────────────────────────────────────

MAX_SINGLE_SYNCS = 16  # for more files than this, one sync of the whole file system is faster


def syncs_each_file(durability: str, count: int) -> bool:
    """Return True if each of so many files is synced by itself."""
    return durability == "full" or (durability == "batch" and (count <= MAX_SINGLE_SYNCS or not has_function("syncfs")))


def syncs_file_system(durability: str, count: int) -> bool:
    """Return True if the whole file system is synced at once instead."""
    return durability == "batch" and not syncs_each_file(durability, count)


def sync(fd: int) -> None:
    """Write one file or folder to the disk; on macOS also out of the disk's own cache (untested)."""
    full_sync = getattr(fcntl, "F_FULLFSYNC", None)
    if full_sync is None:
        os.fsync(fd)
    else:
        fcntl.fcntl(fd, full_sync)


def sync_all(fds: Iterable[int], durability: str, count: int) -> None:
    """Write to the disk what changed in these folders, in which `count` files were changed."""
    if durability == "none":
        return
    if syncs_each_file(durability, count):
        for fd in fds:
            sync(fd)
        return
    devices: set[int] = set()
    for fd in fds:
        device = os.fstat(fd).st_dev
        if device not in devices:
            devices.add(device)
            syncfs(fd)
