"""Before the tree is touched, write every new file to a slot, with the owner, mode and attributes of the old one."""

from __future__ import annotations

import errno
import os
from collections.abc import Container, Iterable, Mapping
from stat import S_ISGID
from typing import NamedTuple

from ..model import FileChange
from ..problems import Problem, Refused
from . import syscalls
from .journal import Entry, fingerprint, is_link_fingerprint
from .sandbox import Folders, Metadata, io_refusal
from .state import CREATE_FILE, write_all

_NOT_A_FOLDER = (errno.ENOTDIR, errno.ELOOP, errno.EMLINK)
FREE_FACTOR = 1.2
_SMALL = 1 << 20
ACCESS_ACL = "system.posix_acl_access"
DEFAULT_ACL = "system.posix_acl_default"
# What is answered for a folder without such a list, and by a file system or a kernel that has none.
NO_ACL = (errno.ENODATA, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS)
# The two modes that patches know, and what programs ask for when they create such a file.
_CREATION_MODES = {0o644: 0o666, 0o755: 0o777}


class Inherited(NamedTuple):
    """The group of a folder and its default access control list, which new files get; -1 and b"" if it has none."""

    group: int
    acl: bytes


class Stage(NamedTuple):
    """Where files are staged, and from what.

    `slots`: the folder that they are written to. `origins`: which files were moved, new path to old.
    `sync_each`: sync each file. `inherited`: what the folders looked at so far give to new files.
    """

    folders: Folders
    slots: int
    metadata: Mapping[str, Metadata]
    origins: Mapping[str, str]
    sync_each: bool
    inherited: dict[str, Inherited]


def check_room(state: int, changes: tuple[FileChange, ...]) -> None:
    """Refuse what the disk has no room for, before the first byte is written."""
    staged = sum(len(change.after.data) for change in changes if change.after)
    if staged < _SMALL:
        return
    status = os.fstatvfs(state)
    if status.f_bavail * status.f_frsize < staged * FREE_FACTOR:
        raise Refused(Problem("io", f"the disk doesn't have {staged >> 20} MiB of free space and a reserve of a fifth"))


def check_writable(folders: Folders, paths: Iterable[str], in_place: Container[str]) -> None:
    """Refuse what can't be written, before the first exchange: a read-only mount, a folder of another user.

    Checks the folder of each path, or the nearest existing one above it; for paths in `in_place` the file itself.
    """
    reasons: dict[str, str] = {}
    problems: list[Problem] = []
    for path in paths:
        folder, _, name = path.rpartition("/")
        if path in in_place:
            if reason := _why_unwritable(_nearest_existing(folders, folder), name):
                problems.append(Problem("io", f"it can't be written: {reason}", path))
        elif folder not in reasons:
            reasons[folder] = _why_unwritable(_nearest_existing(folders, folder), ".")
            if reasons[folder]:
                problems.append(Problem("io", f"its folder can't be written: {reasons[folder]}", path))
    if problems:
        raise Refused(*problems)


def _nearest_existing(folders: Folders, folder: str) -> int:
    """Open the folder, or the nearest existing one above it."""
    while True:
        try:
            return folders.fd(folder)
        except OSError as error:
            if error.errno not in (errno.ENOENT, *_NOT_A_FOLDER):
                raise io_refusal(error, folder) from None
        folder = folder.rpartition("/")[0]


def _why_unwritable(folder: int, name: str) -> str:
    """Return why a folder (".") or a file in it can't be written; "" if it can, or if the file doesn't exist."""
    effective = os.access in os.supports_effective_ids
    wanted = os.W_OK | os.X_OK if name == "." else os.W_OK
    if os.fstatvfs(folder).f_flag & os.ST_RDONLY:
        return os.strerror(errno.EROFS)
    if os.access(name, wanted, dir_fd=folder, effective_ids=effective):
        return ""
    exists = name == "." or os.access(name, os.F_OK, dir_fd=folder, effective_ids=effective)
    return os.strerror(errno.EACCES) if exists else ""


def missing_folders(folders: Folders, changes: tuple[FileChange, ...]) -> tuple[str, ...]:
    """Return the folders that new files need and that don't exist, outer ones first."""
    deleted = {change.path for change in changes if change.after is None}
    missing: dict[str, bool] = {"": False}
    for change in changes:
        parts = change.path.split("/")[:-1] if change.before is None else []
        for end in range(1, len(parts) + 1):
            parent, folder = "/".join(parts[: end - 1]), "/".join(parts[:end])
            if folder not in missing:
                missing[folder] = folder in deleted or missing[parent] or _is_missing(folders, folder)
    return tuple(folder for folder, is_missing in missing.items() if is_missing)


def _is_missing(folders: Folders, folder: str) -> bool:
    try:
        folders.fd(folder)
    except FileNotFoundError:
        return True
    except OSError as error:
        if error.errno in _NOT_A_FOLDER:
            detail = "there is a file or a link where a folder is needed"
            raise Refused(Problem("not_a_file", detail, folder)) from None
        raise io_refusal(error, folder) from None
    return False


def entry_for(number: int, change: FileChange, metadata: Metadata | None) -> Entry:
    """Return a change as a journal entry. The old mode is the complete one, so that undo restores it."""
    path, before, after = change
    old_mode = metadata.stat.st_mode & 0o7777 if metadata and before else before.mode & 0o7777 if before else 0
    old = fingerprint(before.data, before.mode) if before else ""
    new = fingerprint(after.data, after.mode) if after else ""
    return Entry(number, path, old, new, old_mode, after.mode & 0o777 if after else 0)


def write_slot(stage: Stage, entry: Entry, data: bytes, slot: str, *, exact: bool = False) -> Entry:
    """Write the new file into a slot with its owner, mode and attributes. Return the entry with that mode.

    The mode of a file that didn't exist depends on the user's umask and on its folder, unless it is to be `exact`.
    """
    source = stage.metadata.get(entry.path) or stage.metadata.get(stage.origins.get(entry.path, ""))
    if is_link_fingerprint(entry.new):
        return _write_link(stage, entry, data, slot, source)
    wanted = entry.new_mode if source or exact else _CREATION_MODES.get(entry.new_mode, entry.new_mode)
    fd = os.open(slot, CREATE_FILE, wanted & 0o777, dir_fd=stage.slots)  # setuid comes after the owner and the text
    try:
        status = os.fstat(fd)
        write_all(fd, data)
        if source:
            _copy_metadata(entry, fd, status, source)
        elif (mode := _inherit_metadata(stage, entry, fd, status, wanted)) != entry.new_mode:
            if wanted == entry.new_mode:
                os.fchmod(fd, wanted)
            else:
                entry = entry._replace(new_mode=mode)
        if stage.sync_each:
            syscalls.sync(fd)
    finally:
        os.close(fd)
    return entry


def _write_link(stage: Stage, entry: Entry, data: bytes, slot: str, source: Metadata | None) -> Entry:
    """Make a symbolic link in a slot. It was moved, or is being restored, so it keeps its owner."""
    os.symlink(data, os.fsencode(slot), dir_fd=stage.slots)
    owner = (source.stat.st_uid, source.stat.st_gid) if source else (-1, -1)
    os.chown(slot, *owner, dir_fd=stage.slots, follow_symlinks=False)
    return entry._replace(new_mode=os.stat(slot, dir_fd=stage.slots, follow_symlinks=False).st_mode & 0o7777)


def _copy_metadata(entry: Entry, fd: int, status: os.stat_result, source: Metadata) -> None:
    """Give the file the owner and attributes of the old one. Fails if the owner can't be kept."""
    owner = source.stat.st_uid, source.stat.st_gid
    changed = owner != (status.st_uid, status.st_gid)
    if changed:
        os.fchown(fd, *owner)
    for name, value in source.attributes:
        _set_attribute(fd, name, value)
        changed = True
    if changed or status.st_mode & 0o7777 != entry.new_mode:
        os.fchmod(fd, entry.new_mode)


def _inherit_metadata(stage: Stage, entry: Entry, fd: int, status: os.stat_result, mode: int) -> int:
    """Give a new file the group and access control list that its folder gives to new files. Return its mode then."""
    folder = entry.path.rpartition("/")[0]
    if folder not in stage.inherited:
        stage.inherited[folder] = _inherited_from(stage.folders, folder)
    group, acl = stage.inherited[folder]
    if group not in (-1, status.st_gid):
        os.fchown(fd, -1, group)
    if not acl:
        return status.st_mode & 0o7777
    os.setxattr(fd, ACCESS_ACL, inherited_acl(acl, mode))
    return os.fstat(fd).st_mode & 0o7777


def _inherited_from(folders: Folders, folder: str) -> Inherited:
    """Return what a folder gives to new files. One that is still to be made will give what it gets itself."""
    fd = _nearest_existing(folders, folder)
    status = os.fstat(fd)
    try:
        acl = os.getxattr(fd, DEFAULT_ACL) if hasattr(os, "getxattr") else b""
    except OSError as error:
        if error.errno not in NO_ACL:
            raise
        acl = b""
    return Inherited(status.st_gid if status.st_mode & S_ISGID else -1, acl)


def _set_attribute(fd: int, name: str, value: bytes) -> None:
    """Set an attribute. Labels of security modules may refuse: their own rules label the file then."""
    try:
        os.setxattr(fd, name, value)
    except OSError as error:
        if not name.startswith("security.") or error.errno not in (errno.EPERM, errno.EACCES, errno.ENOTSUP):
            raise


# ── access control lists: a head, then rows of tag (2 bytes), rights (2 bytes), id (4 bytes) ─────────


_HEAD, _ROW = 4, 8
_OWNER, _GROUP, _MASK, _OTHER = 0x01, 0x04, 0x10, 0x20


def inherited_acl(default: bytes, mode: int) -> bytes:
    """Return the access list of a new file: its folder's default list, limited to the rights that `mode` asks for."""
    rows = [default[at : at + _ROW] for at in range(_HEAD, len(default), _ROW)]
    tags = [int.from_bytes(row[:2], "little") for row in rows]
    limits = {_OWNER: mode >> 6 & 7, _MASK if _MASK in tags else _GROUP: mode >> 3 & 7, _OTHER: mode & 7}
    limited = [
        row[:2] + (int.from_bytes(row[2:4], "little") & limits.get(tag, 7)).to_bytes(2, "little") + row[4:]
        for tag, row in zip(tags, rows, strict=True)
    ]
    return default[:_HEAD] + b"".join(limited)
