"""What is on the disk when: the three levels of durability. Knows descriptors, not what they hold."""

from __future__ import annotations

import os

from .kernel import has, syncfs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

LEVELS = ("none", "batch", "full")
# Up to here syncing file by file is faster, beyond it syncing the file system once.
FEW = 16


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
