"""The journal of one change: what each path was and is to be, signed by a key that lives outside every tree.

A cloned repository can ship a state directory with a journal in it, but not the key of who clones it.

The first line holds the code over all the rest, the second the digest of the patch, then follows JSON. It is written
by hand: loading json takes longer than committing a file.
"""

from __future__ import annotations

import errno
import os
from hashlib import blake2b
from stat import S_ISLNK, S_ISREG
from typing import TYPE_CHECKING, NamedTuple

from ..model import LINK, File
from ..problems import Problem, Refused

if TYPE_CHECKING:
    from typing import Any


VERSION = 2
NAME = "manifest"
MAX_BYTES = 64 << 20
_INTRO = f"anypatch journal {VERSION} "
SIZE = 32
# File systems without hard links, or without one for this file, say so in many ways.
NO_LINK = (errno.EPERM, errno.EACCES, errno.EXDEV, errno.EMLINK, errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP)
# This name is denied to patches at any depth, also where somebody works on their whole home directory.
_NAME = ".anypatch"
_NOT_ALLOWED = (errno.EACCES, errno.EPERM, errno.EROFS, errno.ENOENT, errno.ENOTDIR, errno.ELOOP)
_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_MAKE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
# Everything that a manifest which is torn, foreign or hostile can make reading it raise.
UNREADABLE = (ValueError, TypeError, KeyError, IndexError, RecursionError)


class Entry(NamedTuple):
    """One path: the digest and mode of its file before and after, "" where there is none, "link:" before a link's.

    `way`: "" by exchange with the slot of this number; "far" where the state is on another file system; "keep" where
    the file is written in place, because its other names are to see it.
    """

    number: int
    path: str
    old: str
    new: str
    old_mode: int
    new_mode: int
    way: str = ""
    turned: bool = False

    @property
    def name(self) -> str:
        """The last part of the path."""
        return self.path.rpartition("/")[2]

    @property
    def is_link(self) -> bool:
        """Whether a symbolic link goes or comes."""
        return marks_link(self.old) or marks_link(self.new)

    def mirrored(self) -> Entry:
        """The entry that takes this one back."""
        return Entry(
            self.number, self.path, self.new, self.old, self.new_mode, self.old_mode, self.way, not self.turned
        )

    def copy(self, *, old: bool) -> str:
        """Where one side lies: in the slot, or in a copy of its own where it doesn't change places with it."""
        return f"{self.number}.{'old' if old != self.turned else 'new'}" if self.way else str(self.number)


class Manifest(NamedTuple):
    """A journal. `dirs`: the folders that the change makes. `partial`: it holds a part of its patch."""

    id: str
    time: float
    format: str
    description: str
    patch: str
    dirs: tuple[str, ...]
    entries: tuple[Entry, ...]
    partial: bool = False


_LINK = "link:"


def mark(data: bytes, mode: int) -> str:
    """What tells a file's content in the journal: its digest; of a symbolic link that of where it points."""
    return (_LINK if S_ISLNK(mode) else "") + digest(data)


def marks_link(mark: str) -> bool:
    """Whether it is that of a symbolic link."""
    return mark.startswith(_LINK)


def file_of(data: bytes, mark: str, mode: int) -> File:
    """A side of an entry as a file."""
    return File(data, mode & 0o777 | (LINK if marks_link(mark) else 0))


def to_bytes(manifest: Manifest, key: bytes) -> bytes:
    """The journal as it is written."""
    rows = [
        f'[{number},{_quoted(path)},"{old}","{new}",{old_mode},{new_mode},"{way}"]'
        for number, path, old, new, old_mode, new_mode, way, _ in manifest.entries
    ]
    head = f'{manifest.patch}\n{{"id":"{manifest.id}","time":{manifest.time!r},"format":{_quoted(manifest.format)}'
    head += f',"description":{_quoted(manifest.description)},"dirs":[{",".join(map(_quoted, manifest.dirs))}]'
    head += f',"partial":{"true" if manifest.partial else "false"}'
    body = (head + ',"files":[\n' + ",\n".join(rows) + "\n]}\n").encode("ascii")
    return f"{_INTRO}{code(key, body)}\n".encode("ascii") + body


def is_of(folder: int, patch: bytes) -> bool:
    """Whether the journal in an open folder says that it is of this patch; whether it is ours is not looked at."""
    fd = os.open(NAME, _READ, dir_fd=folder)
    try:
        start = os.read(fd, 256)
    finally:
        os.close(fd)
    return start.split(b"\n", 2)[1:2] == [digest(patch).encode("ascii")]


def from_bytes(data: bytes, key: bytes) -> Manifest:
    """The journal, if this user's key signed it; else Refused. Raises nothing else."""
    head, _, body = data.partition(b"\n")
    if not key or not same(head.decode("ascii", "replace"), _INTRO + code(key, body)):
        raise Refused(Problem("foreign_journal", "" if key else "this user has no key to check it with"))
    try:
        return _manifest(body)
    except UNREADABLE:
        raise Refused(Problem("foreign_journal", "it can't be read")) from None


def _manifest(body: bytes) -> Manifest:
    import json

    patch, _, text = body.partition(b"\n")
    value: dict[str, Any] = json.loads(text)
    entries = tuple(
        Entry(int(number), str(path), str(old), str(new), int(old_mode), int(new_mode), str(way))
        for number, path, old, new, old_mode, new_mode, way in value["files"]
    )
    description, partial = str(value["description"]), value.get("partial")
    if partial is None:  # journals of 0.1 said it in the description: "in part", "in part: Say it in German"
        head, colon, rest = description.partition(": ")
        partial = head == "in part" and (colon or not rest)
        description = rest if partial else description
    told = float(value["time"]), str(value["format"]), description, patch.decode("ascii")
    return Manifest(str(value["id"]), *told, tuple(map(str, value["dirs"])), entries, bool(partial))


def _quoted(text: str) -> str:
    """A JSON string."""
    if text.isascii() and text.isprintable() and '"' not in text and "\\" not in text:
        return f'"{text}"'
    import json

    return json.dumps(text)


# ── digests, and the key ─────────────────────────────────────────────────────────────────────────


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
        except OSError as error:
            if error.errno not in NO_LINK:
                raise
            os.rename(temporary, path)
    finally:
        try:
            os.unlink(temporary)
        except FileNotFoundError:
            pass
    for place in (home, os.path.dirname(home)):  # a journal on the disk is worth nothing without it
        _sync_folder(place)
    return key


def _sync_folder(place: str) -> None:
    fd = os.open(place, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)
