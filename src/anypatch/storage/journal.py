"""The journal of one change: what each path was and is to be, signed with a key that is kept outside every tree.

A cloned repository can ship a state directory with a journal in it, but not the key of whoever clones it.

The first line is the authentication code of all the rest, the second the digest of the patch; the rest is JSON.
"""

from __future__ import annotations

import errno
import hmac
import json
import os
from hashlib import blake2b
from stat import S_ISLNK, S_ISREG
from typing import Any, NamedTuple

from ..model import LINK, File
from ..problems import Problem, Refused

VERSION = 2
MANIFEST = "manifest"
MAX_BYTES = 64 << 20
KEY_SIZE = 32
# The errors of file systems that have no hard links, or allow none for this file.
NO_HARD_LINK = (errno.EPERM, errno.EACCES, errno.EXDEV, errno.EMLINK, errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP)

_MAGIC = f"anypatch journal {VERSION} "
_LINK = "link:"
# Patches may not touch this name at any depth, so the key is safe even where the tree is a whole home directory.
_KEY_NAME = ".anypatch"
_NO_KEY = (errno.EACCES, errno.EPERM, errno.EROFS, errno.ENOENT, errno.ENOTDIR, errno.ELOOP)
_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_CREATE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
# Everything that reading a torn, foreign or hostile journal can raise.
_UNREADABLE = (ValueError, TypeError, KeyError, IndexError, RecursionError)


class Entry(NamedTuple):
    """One path: the fingerprint and mode of its file before and after the change; "" and 0 if there is none.

    `method` is how the file is replaced: "" by exchange with the slot of this number, "far" if the state is on another
    file system, "keep" if it is written in place so that its other hard links see it.
    """

    number: int
    path: str
    old: str
    new: str
    old_mode: int
    new_mode: int
    method: str = ""
    is_inverse: bool = False

    @property
    def name(self) -> str:
        """The last part of the path."""
        return self.path.rpartition("/")[2]

    @property
    def is_link(self) -> bool:
        """True if either side is a symbolic link."""
        return is_link_fingerprint(self.old) or is_link_fingerprint(self.new)

    def inverted(self) -> Entry:
        """Return the entry that undoes this one."""
        return Entry(
            self.number, self.path, self.new, self.old, self.new_mode, self.old_mode, self.method, not self.is_inverse
        )

    def saved_name(self, *, old: bool) -> str:
        """Return the name of the file that holds one side: the slot, or a copy if `method` needs one of each."""
        return f"{self.number}.{'old' if old != self.is_inverse else 'new'}" if self.method else str(self.number)


class Manifest(NamedTuple):
    """The contents of a journal.

    `dirs`: the folders that the change makes. `partial`: it is a part of its patch. `session`, `turn`: who asked for
    it, and in which exchange with the user. `undoes`: the receipts that it undoes, if it is an undo. `removed_dirs`:
    the folders that an undo removes, the inner ones first.
    """

    id: str
    time: float
    format: str
    description: str
    patch: str
    dirs: tuple[str, ...]
    entries: tuple[Entry, ...]
    partial: bool = False
    session: str = ""
    turn: str = ""
    undoes: tuple[str, ...] = ()
    removed_dirs: tuple[str, ...] = ()


def digest(data: bytes) -> str:
    """Return the digest of a file's contents."""
    return blake2b(data, digest_size=32).hexdigest()


def fingerprint(data: bytes, mode: int) -> str:
    """Identify a file's contents: their digest, or `link:` and the digest of where a symbolic link points."""
    return (_LINK if S_ISLNK(mode) else "") + digest(data)


def is_link_fingerprint(fingerprint: str) -> bool:
    """Return True if it is the fingerprint of a symbolic link."""
    return fingerprint.startswith(_LINK)


def to_file(data: bytes, fingerprint: str, mode: int) -> File:
    """Return one side of an entry as a file."""
    return File(data, mode & 0o777 | (LINK if is_link_fingerprint(fingerprint) else 0))


def to_bytes(manifest: Manifest, key: bytes) -> bytes:
    """Return the signed journal as it is written."""
    value = {
        "id": manifest.id,
        "time": manifest.time,
        "format": manifest.format,
        "description": manifest.description,
        "dirs": manifest.dirs,
        "partial": manifest.partial,
        "session": manifest.session,
        "turn": manifest.turn,
        "undoes": manifest.undoes,
        "removed_dirs": manifest.removed_dirs,
        "files": [entry[:7] for entry in manifest.entries],
    }
    body = f"{manifest.patch}\n{json.dumps(value, separators=(',', ':'))}\n".encode("ascii")
    return f"{_MAGIC}{sign(body, key)}\n".encode("ascii") + body


def read_patch_digest(folder: int) -> str:
    """Return the digest of the patch that the journal in an open folder names; its signature isn't checked."""
    fd = os.open(MANIFEST, _READ, dir_fd=folder)
    try:
        start = os.read(fd, 256)
    finally:
        os.close(fd)
    return b"".join(start.split(b"\n", 2)[1:2]).decode("ascii", "replace")


def from_bytes(data: bytes, key: bytes) -> Manifest:
    """Read a journal that this user's key signed. Raise Refused for every other, and nothing else."""
    head, _, body = data.partition(b"\n")
    if not key or not hmac.compare_digest(head, f"{_MAGIC}{sign(body, key)}".encode("ascii")):
        raise Refused(Problem("foreign_journal", "" if key else "this user has no key to check it with"))
    try:
        return _parse(body)
    except _UNREADABLE:
        raise Refused(Problem("foreign_journal", "it can't be read")) from None


def _parse(body: bytes) -> Manifest:
    patch, _, text = body.partition(b"\n")
    value: dict[str, Any] = json.loads(text)
    entries = tuple(
        Entry(int(number), str(path), str(old), str(new), int(old_mode), int(new_mode), str(method))
        for number, path, old, new, old_mode, new_mode, method in value["files"]
    )
    description, partial = str(value["description"]), value.get("partial")
    if partial is None:  # journals of 0.1 had it in the description: "in part", "in part: Say it in German"
        head, colon, rest = description.partition(": ")
        partial = head == "in part" and (colon or not rest)
        description = rest if partial else description
    return Manifest(
        str(value["id"]), float(value["time"]), str(value["format"]), description, patch.decode("ascii"),
        tuple(map(str, value["dirs"])), entries, bool(partial),
        # Journals of earlier versions have none of these.
        str(value.get("session", "")), str(value.get("turn", "")), tuple(map(str, value.get("undoes", ()))),
        tuple(map(str, value.get("removed_dirs", ()))),
    )  # fmt: skip


def sign(data: bytes, key: bytes) -> str:
    """Return the authentication code of a journal, which is what BLAKE2 with a key computes."""
    return blake2b(data, digest_size=32, key=key).hexdigest()


# ── the key ──────────────────────────────────────────────────────────────────────────────────────


def load_key(*, make: bool) -> bytes:
    """Return this user's key; b"" if there is none and `make` is False, or none can be stored."""
    folder = user_state_folder()
    if not folder:
        return b""
    path = f"{folder}/{_KEY_NAME}"
    try:
        return _read_key(path) or (_make_key(folder, path) if make else b"")
    except ValueError:
        return b""
    except OSError as error:
        if error.errno not in _NO_KEY:
            raise
        return b""


def user_state_folder() -> str:
    """Return the folder for the user's state by the XDG rules, which ignore relative paths; "" if there is none."""
    base = os.environ.get("XDG_STATE_HOME", "")
    if not base.startswith("/"):
        home = os.path.expanduser("~")
        base = f"{home.rstrip('/')}/.local/state" if home.startswith("/") else ""
    return f"{base.rstrip('/')}/anypatch" if base else ""


def _read_key(path: str) -> bytes:
    """Read the key. Raise OSError if somebody else could have written it."""
    try:
        fd = os.open(path, _READ)
    except FileNotFoundError:
        return b""
    try:
        status = os.fstat(fd)
        own = status.st_uid == os.geteuid() or not os.geteuid()
        if not own or not S_ISREG(status.st_mode) or status.st_mode & 0o022:
            raise OSError(errno.EACCES, os.strerror(errno.EACCES))
        key = os.read(fd, KEY_SIZE)
    finally:
        os.close(fd)
    if len(key) != KEY_SIZE:
        raise ValueError(path)
    return key


def _make_key(folder: str, path: str) -> bytes:
    """Make a key, which gets its name only when it is complete. If another process was first, return its key."""
    os.makedirs(folder, 0o700, exist_ok=True)
    key = os.urandom(KEY_SIZE)
    temporary = f"{path}-{os.urandom(6).hex()}"
    fd = os.open(temporary, _CREATE, 0o600)
    try:
        try:
            os.write(fd, key)
            os.fsync(fd)
        finally:
            os.close(fd)
        try:
            os.link(temporary, path)
        except FileExistsError:
            return _read_key(path)
        except OSError as error:
            if error.errno not in NO_HARD_LINK:
                raise
            os.rename(temporary, path)
    finally:
        try:
            os.unlink(temporary)
        except FileNotFoundError:
            pass
    for place in (folder, os.path.dirname(folder)):  # a journal on the disk is useless without the key
        _sync_folder(place)
    return key


def _sync_folder(path: str) -> None:
    fd = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)
