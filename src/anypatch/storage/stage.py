"""Before anything is touched: every new file whole in its slot, with the old one's owner, mode and attributes."""

from __future__ import annotations

import errno
import os
from collections.abc import Container, Iterable, Mapping
from stat import S_ISGID
from typing import NamedTuple

from ..model import FileChange
from ..problems import Problem, Refused
from .journal import Entry, mark, marks_link
from .sandbox import Facts, Folders, failure
from .state import NEW, write_all
from .syscalls import sync

_NOT_ENOUGH = (errno.ENOTDIR, errno.ELOOP, errno.EMLINK)
FREE_FACTOR = 1.2
_SMALL = 1 << 20
DEFAULT = "system.posix_acl_default"
# A folder without such a list, a file system or a kernel that has none.
NO_LIST = (errno.ENODATA, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS)
# The two modes that patches know, and what programs ask for when they make such a file.
_USUAL = {0o644: 0o666, 0o755: 0o777}


class Given(NamedTuple):
    """What a folder hands on to new files: its group, -1 where it hands on none, and its default access list."""

    group: int
    rules: bytes


class Stage(NamedTuple):
    """Where staging goes: the tree, the transaction's folder, what is known of the files, whether each is synced.

    `given`: what the folders looked at so far hand on to new files.
    """

    folders: Folders
    tx: int
    facts: Mapping[str, Facts]
    origins: Mapping[str, str]
    each: bool
    given: dict[str, Given]


def check_room(state: int, changes: tuple[FileChange, ...]) -> None:
    """Refuse what the disk has no room for, before the first byte."""
    staged = sum(len(change.after.data) for change in changes if change.after)
    if staged < _SMALL:
        return
    facts = os.fstatvfs(state)
    if facts.f_bavail * facts.f_frsize < staged * FREE_FACTOR:
        raise Refused(Problem("io", f"the disk doesn't have {staged >> 20} MiB of free space and a reserve of a fifth"))


def check_writable(folders: Folders, paths: Iterable[str], in_place: Container[str]) -> None:
    """Refuse what can't be written, before the first exchange: a read-only mount, a folder of somebody else.

    Of a folder that is not there yet, the innermost above it that stands is looked at; of a file that is written
    `in_place`, the file itself.
    """
    known: dict[str, str] = {}
    problems: list[Problem] = []
    for path in paths:
        place, _, name = path.rpartition("/")
        if path in in_place:
            if why := _hindrance(_innermost(folders, place), name):
                problems.append(Problem("io", f"it can't be written: {why}", path))
        elif place not in known:
            known[place] = _hindrance(_innermost(folders, place), ".")
            if known[place]:
                problems.append(Problem("io", f"its folder can't be written: {known[place]}", path))
    if problems:
        raise Refused(*problems)


def _innermost(folders: Folders, place: str) -> int:
    """The folder, or the innermost above it that stands."""
    while True:
        try:
            return folders.fd(place)
        except OSError as error:
            if error.errno not in (errno.ENOENT, *_NOT_ENOUGH):
                raise failure(error, place) from None
        place = place.rpartition("/")[0]


def _hindrance(folder: int, name: str) -> str:
    """Why a folder (".") or a file in it can't be written; "" where it can, or is gone."""
    effective = os.access in os.supports_effective_ids
    wanted = os.W_OK | os.X_OK if name == "." else os.W_OK
    if os.fstatvfs(folder).f_flag & os.ST_RDONLY:
        return os.strerror(errno.EROFS)
    if os.access(name, wanted, dir_fd=folder, effective_ids=effective):
        return ""
    there = name == "." or os.access(name, os.F_OK, dir_fd=folder, effective_ids=effective)
    return os.strerror(errno.EACCES) if there else ""


def missing_folders(folders: Folders, changes: tuple[FileChange, ...]) -> tuple[str, ...]:
    """The folders that new files need and that are not there, outer ones first."""
    gone = {change.path for change in changes if change.after is None}
    known: dict[str, bool] = {}
    for change in changes:
        if change.before is None:
            parts = change.path.split("/")[:-1]
            for end in range(1, len(parts) + 1):
                place = "/".join(parts[:end])
                if place not in known:
                    known[place] = (
                        place in gone or known.get(place.rpartition("/")[0], False) or _missing(folders, place)
                    )
    return tuple(place for place, missing in known.items() if missing)


def _missing(folders: Folders, place: str) -> bool:
    try:
        folders.fd(place)
    except FileNotFoundError:
        return True
    except OSError as error:
        if error.errno in _NOT_ENOUGH:
            detail = "there is a file or a link where a folder is needed"
            raise Refused(Problem("not_a_file", detail, place)) from None
        raise failure(error, place) from None
    return False


def entry_of(number: int, change: FileChange, facts: Facts | None) -> Entry:
    """A change as the journal has it. The old mode is the whole one, so that undo gives it back."""
    path, before, after = change
    old_mode = facts.stat.st_mode & 0o7777 if facts and before else before.mode & 0o7777 if before else 0
    old = mark(before.data, before.mode) if before else ""
    new = mark(after.data, after.mode) if after else ""
    return Entry(number, path, old, new, old_mode, after.mode & 0o777 if after else 0)


def fill(stage: Stage, entry: Entry, data: bytes, slot: str, *, exact: bool = False) -> Entry:
    """Write the new file into a slot: whole, with its owner, its mode and its attributes. The entry with that mode.

    A file that is new has the mode that the user's umask and its folder give, unless it is to be `exact`.
    """
    source = stage.facts.get(entry.path) or stage.facts.get(stage.origins.get(entry.path, ""))
    if marks_link(entry.new):
        return _linked(stage, entry, data, slot, source)
    wanted = entry.new_mode if source or exact else _USUAL.get(entry.new_mode, entry.new_mode)
    fd = os.open(slot, NEW, wanted, dir_fd=stage.tx)
    try:
        facts = os.fstat(fd)
        write_all(fd, data)
        if source:
            _dress(entry, fd, facts, source)
        elif (mode := _dress_new(stage, entry, fd, facts, wanted)) != entry.new_mode:
            if wanted == entry.new_mode:
                os.fchmod(fd, wanted)
            else:
                entry = entry._replace(new_mode=mode)
        if stage.each:
            sync(fd)
    finally:
        os.close(fd)
    return entry


def _linked(stage: Stage, entry: Entry, data: bytes, slot: str, source: Facts | None) -> Entry:
    """Make a symbolic link in a slot. It is only ever the one that was moved, or comes back: its owner is kept."""
    os.symlink(data, os.fsencode(slot), dir_fd=stage.tx)
    owner = (source.stat.st_uid, source.stat.st_gid) if source else (-1, -1)
    os.chown(slot, *owner, dir_fd=stage.tx, follow_symlinks=False)
    return entry._replace(new_mode=os.stat(slot, dir_fd=stage.tx, follow_symlinks=False).st_mode & 0o7777)


def _dress(entry: Entry, fd: int, facts: os.stat_result, source: Facts) -> None:
    """Never hand a file to somebody else: where the owner can't be kept, that is a failure."""
    owner = source.stat.st_uid, source.stat.st_gid
    changed = owner != (facts.st_uid, facts.st_gid)
    if changed:
        os.fchown(fd, *owner)
    for name, value in source.attributes:
        _set_attribute(fd, name, value)
        changed = True
    if changed or facts.st_mode & 0o7777 != entry.new_mode:
        os.fchmod(fd, entry.new_mode)


def _dress_new(stage: Stage, entry: Entry, fd: int, facts: os.stat_result, mode: int) -> int:
    """Give a new file what its folder hands on: its group, its default access list. The mode that it has then."""
    place = entry.path.rpartition("/")[0]
    if place not in stage.given:
        stage.given[place] = _handed_on(stage.folders, place)
    group, rules = stage.given[place]
    if group not in (-1, facts.st_gid):
        os.fchown(fd, -1, group)
    if not rules:
        return facts.st_mode & 0o7777

    os.setxattr(fd, ACCESS, inherited(rules, mode))
    return os.fstat(fd).st_mode & 0o7777


def _handed_on(folders: Folders, place: str) -> Given:
    """What a folder hands on, or the innermost above it that stands: folders that are made hand on what they get."""
    while True:
        try:
            folder = folders.fd(place)
            break
        except (FileNotFoundError, NotADirectoryError):
            place = place.rpartition("/")[0]
    facts = os.fstat(folder)
    try:
        rules = os.getxattr(folder, DEFAULT) if hasattr(os, "getxattr") else b""
    except OSError as error:
        if error.errno not in NO_LIST:
            raise
        rules = b""
    return Given(facts.st_gid if facts.st_mode & S_ISGID else -1, rules)


def _set_attribute(fd: int, name: str, value: bytes) -> None:
    """Labels of security modules are set by their own rules; a file that has one already keeps it."""
    try:
        os.setxattr(fd, name, value)
    except OSError as error:
        if not name.startswith("security.") or error.errno not in (errno.EPERM, errno.EACCES, errno.ENOTSUP):
            raise


# ── inherited access lists ──────────────────────────────────────────────────────────────────────────


ACCESS = "system.posix_acl_access"
_HEAD, _ROW = 4, 8
_OWNER, _GROUP, _MASK, _OTHER = 0x01, 0x04, 0x10, 0x20


def inherited(default: bytes, mode: int) -> bytes:
    """The default list, no more rights than `mode` asks for the owner, the mask or group, the others."""
    rows = [default[at : at + _ROW] for at in range(_HEAD, len(default), _ROW)]
    tags = [int.from_bytes(row[:2], "little") for row in rows]
    bounds = {_OWNER: mode >> 6 & 7, _MASK if _MASK in tags else _GROUP: mode >> 3 & 7, _OTHER: mode & 7}
    kept = [
        row[:2] + (int.from_bytes(row[2:4], "little") & bounds.get(tag, 7)).to_bytes(2, "little") + row[4:]
        for tag, row in zip(tags, rows, strict=True)
    ]
    return default[:_HEAD] + b"".join(kept)
