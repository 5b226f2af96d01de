"""What makes a journal ours: digests of file contents, and a code by a key that lives outside every tree.

A cloned repository can ship a state directory with a journal in it, but not the key of who clones it.
"""

from __future__ import annotations

import errno
import os
from _blake2 import blake2b  # hashlib would load OpenSSL, which takes longer than committing many files
from stat import S_ISREG

SIZE = 32
# This name is denied to patches at any depth, also where somebody works on their whole home directory.
_NAME = ".anypatch"
_NOT_ALLOWED = (errno.EACCES, errno.EPERM, errno.EROFS, errno.ENOENT, errno.ENOTDIR, errno.ELOOP)
_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_MAKE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


def digest(data: bytes) -> str:
    """The digest of a file's contents."""
    return blake2b(data, digest_size=SIZE).hexdigest()


def code(key: bytes, data: bytes) -> str:
    """The authentication code of a journal: BLAKE2 with a key is one."""
    return blake2b(data, digest_size=SIZE, key=key).hexdigest()


def same(one: str, other: str) -> bool:
    """Compare two codes, in a time that tells nothing about where they differ."""
    difference = len(one) ^ len(other)
    for left, right in zip(one.encode("ascii", "replace"), other.encode("ascii", "replace"), strict=False):
        difference |= left ^ right
    return not difference


def load(*, make: bool) -> bytes:
    """This user's key; b"" where there is none, and none may be made."""
    home = folder()
    if not home:
        return b""
    path = f"{home}/{_NAME}"
    try:
        return _read(path) or (_made(home, path) if make else b"")
    except ValueError:
        return b""
    except OSError as error:
        if error.errno not in _NOT_ALLOWED:
            raise
        return b""


def folder() -> str:
    """Where state goes by the XDG rules: a relative path counts as none."""
    home = os.environ.get("XDG_STATE_HOME", "")
    if not home.startswith("/"):
        user = os.path.expanduser("~")
        home = f"{user.rstrip('/')}/.local/state" if user.startswith("/") else ""
    return f"{home.rstrip('/')}/anypatch" if home else ""


def _read(path: str) -> bytes:
    """The key, if nobody else could have put it there."""
    try:
        fd = os.open(path, _READ)
    except FileNotFoundError:
        return b""
    try:
        facts = os.fstat(fd)
        own = facts.st_uid == os.geteuid() or not os.geteuid()
        if not own or not S_ISREG(facts.st_mode) or facts.st_mode & 0o022:
            raise OSError(errno.EACCES, os.strerror(errno.EACCES))
        data = os.read(fd, SIZE)
    finally:
        os.close(fd)
    if len(data) != SIZE:
        raise ValueError(path)
    return data


def _made(home: str, path: str) -> bytes:
    """A new key, whole under its name at once; that of another process which was first."""
    os.makedirs(home, 0o700, exist_ok=True)
    key = os.urandom(SIZE)
    temporary = f"{path}-{os.urandom(6).hex()}"
    fd = os.open(temporary, _MAKE, 0o600)
    try:
        try:
            os.write(fd, key)
            os.fsync(fd)
        finally:
            os.close(fd)
        try:
            os.link(temporary, path)
        except FileExistsError:
            return _read(path)
    finally:
        os.unlink(temporary)
    return key
