"""System calls that Python has no names for: exchange two names, name without replacing, sync a file system.

By `_ctypes`, the half of ctypes that is written in C: importing the other half costs more than committing many files.
Each raises OSError like the calls in `os`, ENOSYS where the system has no such call. macOS's are untested.
"""

from __future__ import annotations

import errno
import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

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
    import _ctypes

    while (result := function(*arguments)) < 0:
        error = _ctypes.get_errno()
        if error != errno.EINTR:
            raise OSError(error, os.strerror(error))
    return result


def _function(name: str) -> Callable[..., int] | None:
    if name not in _known:
        _known[name] = _looked_up(name)
    return _known[name]


def _looked_up(name: str) -> Callable[..., int] | None:
    try:
        import _ctypes

        class Number(_ctypes._SimpleCData):  # type: ignore[type-arg]
            _type_ = "i"

        class Function(_ctypes.CFuncPtr):
            _flags_ = _ctypes.FUNCFLAG_CDECL | _ctypes.FUNCFLAG_USE_ERRNO
            _restype_ = Number

        here = _ctypes.dlopen(None, 0)  # type: ignore[arg-type]
        return Function(_ctypes.dlsym(here, name))
    except (ImportError, OSError, AttributeError):
        return None
