"""The receipts of a tree: listing them, finding those to undo or to redo, and showing what one did."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from datetime import datetime, timedelta
from stat import S_IFLNK
from typing import NamedTuple

from ..model import File, FileChange, Note, Receipt
from ..problems import Problem, Refused
from .journal import MANIFEST, MAX_BYTES, Entry, Manifest, digest, fingerprint, from_bytes, is_link_fingerprint, to_file
from .merge import MAX_SPANS_BYTES, SPANS, Span, spans_from_bytes
from .sandbox import (
    OPEN_FOLDER,
    Contents,
    Folders,
    Metadata,
    checked_path,
    io_refusal,
    read_at,
    read_file,
    read_with_metadata,
)
from .state import STATE, ReceiptName, receipt_names, user
from .swap import MAX_READ
from .transaction import Storage, close_uninterrupted

_FOREIGN = f"If you don't know where it comes from, remove the folder {STATE}; none of it was used."
_NOTHING_LEFT = "Either nothing was applied here, or everything has been undone."
_TIMES = "Write an ID or its beginning, a time such as 14:30 or 2026-11-15T14:30, or how long ago: 20m, 2h, 3d."
_AGO = re.compile(r"(\d{1,6}) ?([smhd])")
_UNITS = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days"}


class Record(NamedTuple):
    """A receipt with its journal. `undone_by`: the undo of several receipts that undid this one as well, if any."""

    name: ReceiptName
    manifest: Manifest
    undone_by: str = ""

    @property
    def id(self) -> str:
        """The id of the receipt."""
        return self.name.id

    @property
    def is_undo(self) -> bool:
        """True if it is the undo of several receipts, which redo reverses."""
        return bool(self.manifest.undoes)

    @property
    def undone(self) -> bool:
        """True if its change is undone, by itself or together with others."""
        return bool(self.name.undone or self.undone_by)

    @property
    def can_be_undone(self) -> bool:
        """True if it is a change that isn't undone; an undo is redone instead."""
        return not self.undone and not self.is_undo

    def receipt(self) -> Receipt:
        """Return what callers see of it. Its files have modes but no contents."""
        manifest = self.manifest
        changes = tuple(
            FileChange(
                entry.path,
                to_file(b"", entry.old, entry.old_mode) if entry.old else None,
                to_file(b"", entry.new, entry.new_mode) if entry.new else None,
            )
            for entry in manifest.entries
        )
        return Receipt(
            manifest.id, changes, manifest.time, manifest.format, manifest.description, self.undone, manifest.partial,
            session=manifest.session, turn=manifest.turn, undoes=manifest.undoes,
        )  # fmt: skip


class Selection(NamedTuple):
    """Which receipts to undo: the last one; or the one with this `id`, or several.

    `turn`: those of the last turn. `since`: those since a time or an id, that one included. `all`: all that are kept.
    """

    id: str = ""
    turn: bool = False
    since: str = ""
    all: bool = False


class Version(NamedTuple):
    """A file as it is or was. `metadata` is known only of files that a change displaced."""

    data: bytes
    fingerprint: str
    mode: int
    metadata: Metadata | None = None

    @classmethod
    def of(cls, contents: Contents) -> Version:
        """Return the version that was read."""
        data, status = contents
        return cls(data, fingerprint(data, status.st_mode), status.st_mode & 0o7777)

    def file(self) -> File:
        """Return it as a file, with the mode that patches know."""
        return to_file(self.data, self.fingerprint, self.mode)


# ── reading journals ─────────────────────────────────────────────────────────────────────────────


def open_folder(state: int, folder: str) -> int:
    """Open a folder in the state directory. Refuse what isn't one."""
    try:
        return os.open(folder, OPEN_FOLDER, dir_fd=state)
    except NotADirectoryError:
        raise Refused(Problem("foreign_journal", "it is not a folder", f"{STATE}/{folder}", hint=_FOREIGN)) from None


def read_journal(fd: int, key: bytes, folder: str) -> Manifest:
    """Read the journal in an open folder. Refuse it unless this user signed it and all its paths are normalized."""
    try:
        manifest = from_bytes(read_at(fd, MANIFEST, MAX_BYTES)[0], key)
    except Refused as refused:
        path, hint = f"{STATE}/{folder}", f"{_who_can_recover(fd)} {_FOREIGN}"
        raise Refused(
            *(p._replace(path=path, kind="foreign_journal", advice="", hint=hint) for p in refused.problems)
        ) from None
    for path in (*(entry.path for entry in manifest.entries), *manifest.dirs, *manifest.removed_dirs):
        if checked_path(path) != path:
            raise Refused(
                Problem("unsafe_path", f"the journal in {STATE}/{folder} contains a path that is not normalized", path)
            )
    return manifest


def _who_can_recover(fd: int) -> str:
    """Advise how to recover a change that this user's key didn't sign: as the owner of the journal."""
    owner = user(os.stat(MANIFEST, dir_fd=fd, follow_symlinks=False).st_uid)
    return f"Recover the tree as {owner}, with HOME and XDG_STATE_HOME as in the run that was interrupted."


def how_to_recover(storage: Storage, interrupted: list[str]) -> str:
    """Advise a user who may only read the tree how to recover these interrupted changes."""
    for folder in interrupted:
        try:
            fd = open_folder(storage.state, folder)
            try:
                read_journal(fd, storage.key, folder)
            finally:
                close_uninterrupted(fd)
        except Refused as refused:
            return refused.problems[0].hint
        except OSError:
            continue
    return "Recover the tree first."


def _signed_records(storage: Storage) -> list[Record]:
    """Read the journals that this user's key signed, newest first; skip the others. Refuse if one can't be read."""
    signed = []
    for name in receipt_names(os.listdir(storage.state)):
        try:
            fd = open_folder(storage.state, name.folder)
        except Refused:
            continue
        except OSError as error:
            if _is_another_users(storage.state, name.folder):
                continue
            raise io_refusal(error, f"{STATE}/{name.folder}") from None
        try:
            signed.append(Record(name, read_journal(fd, storage.key, name.folder)))
        except (FileNotFoundError, Refused):
            continue
        except OSError as error:
            raise io_refusal(error, f"{STATE}/{name.folder}") from None
        finally:
            close_uninterrupted(fd)
    undone_by = {id: record.id for record in signed if not record.name.undone for id in record.manifest.undoes}
    return [record._replace(undone_by=undone_by.get(record.id, "")) for record in signed]


def _is_another_users(state: int, folder: str) -> bool:
    """Return True if another user made a receipt, or if it doesn't exist any more."""
    try:
        return os.stat(folder, dir_fd=state, follow_symlinks=False).st_uid != os.geteuid()
    except FileNotFoundError:
        return True


def records(storage: Storage) -> list[Record]:
    """Return this user's receipts, newest first. An undo of several that was redone has no effect, so it isn't one."""
    return [record for record in _signed_records(storage) if not (record.is_undo and record.name.undone)]


def foreign_ids(storage: Storage) -> tuple[str, ...]:
    """Return the ids of the receipts that this user's key didn't sign, newest first."""
    signed = {record.name for record in _signed_records(storage)}
    return tuple(name.id for name in receipt_names(os.listdir(storage.state)) if name not in signed)


# ── which receipt ────────────────────────────────────────────────────────────────────────────────


def select_to_undo(storage: Storage, selection: Selection) -> list[Record]:
    """Return the receipts to undo, newest first; at least one."""
    if selection.id:
        return _named_to_undo(storage, selection.id)
    applied = _applied(storage, "" if selection == Selection() else storage.settings.session)
    if selection.turn:
        chosen = [record for record in applied if _same_turn(record.manifest, applied[0].manifest)] or applied[:1]
    elif selection.since:
        chosen = _since(storage, applied, selection.since)
    else:
        chosen = applied if selection.all else applied[:1]
    if not chosen:
        since = f" since {selection.since}" if selection.since else ""
        raise Refused(_no_receipt(storage, f"there is nothing to undo{since}", _NOTHING_LEFT))
    return chosen


def _applied(storage: Storage, session: str) -> list[Record]:
    """Return the receipts that can be undone, newest first; if a session is given, only those of that."""
    applied = [record for record in records(storage) if record.can_be_undone]
    return [record for record in applied if record.manifest.session == session] if session else applied


def _same_turn(manifest: Manifest, last: Manifest) -> bool:
    """Return True if two changes were made in the same turn. One whose turn isn't known has none."""
    return bool(last.turn) and (manifest.session, manifest.turn) == (last.session, last.turn)


def _since(storage: Storage, applied: Sequence[Record], since: str) -> list[Record]:
    """Return those receipts that were made at a time or later, or with the one whose id begins so or after it."""
    if re.match(r"\d{8}-", since):
        first = _find_by_id(storage, since).id
        return [record for record in applied if record.id >= first]
    moment = moment_of(since, datetime.now()) - 1e-6  # receipts know their time more exactly than a datetime can
    return [record for record in applied if record.manifest.time >= moment]


def moment_of(text: str, now: datetime) -> float:
    """Return the time that a text names, in seconds since the epoch: 14:30 (the last), an ISO date or time, 20m ago."""
    try:
        if ago := _AGO.fullmatch(text):
            return (now - timedelta(**{_UNITS[ago[2]]: int(ago[1])})).timestamp()
        if ":" in text[:3]:
            today = datetime.combine(now.date(), datetime.strptime(text, "%H:%M").time())
            return (today if today <= now else today - timedelta(days=1)).timestamp()
        return datetime.fromisoformat(text).timestamp()
    except (ValueError, OverflowError):
        raise Refused(Problem("bad_call", f"{text!r} is neither an ID nor a time", advice=_TIMES)) from None


def _named_to_undo(storage: Storage, wanted: str) -> list[Record]:
    """Return the receipt whose id begins so; for an undo of several that was redone, those that it had undone."""
    record = _find_by_id(storage, wanted)
    if record.is_undo:
        applied = [other for other in records(storage) if other.id in record.manifest.undoes and other.can_be_undone]
        if record.name.undone and applied:
            return applied
        command = f"Use `anypatch redo {record.id}`."
        raise Refused(Problem("no_receipt", f"{record.id} is itself an undo", advice="Redo it.", command=command))
    if record.undone:
        raise Refused(Problem("no_receipt", f"{record.id} has already been undone"))
    return [record]


def select_to_redo(storage: Storage, wanted: str) -> Record:
    """Return what to redo: what was undone last, or the receipt whose id begins with `wanted`."""
    known = records(storage)
    if wanted:
        record = _find_by_id(storage, wanted)
        if record.can_be_undone:
            raise Refused(Problem("no_receipt", f"{record.id} has not been undone"))
        if record.is_undo and record.undone:
            raise Refused(Problem("no_receipt", f"{record.id} has already been redone"))
        return _undo_of(record, known) if record.undone_by else record
    last_applied = max((record.id for record in known if record.can_be_undone), default="")
    last = max(known, key=_undone_at, default=None)
    if last is None or _undone_at(last) <= last_applied:
        advice = "Nothing was undone since the last change."
        raise Refused(_no_receipt(storage, "there is nothing to redo", advice))
    return last


def _undone_at(record: Record) -> str:
    """Return an id for the moment when a change was undone, or an undo of several was made; "" for a change that isn't.

    Ids sort by time, those of changes among them.
    """
    return record.id if record.is_undo else record.name.undone


def _undo_of(record: Record, known: Sequence[Record]) -> Record:
    """Return the undo that undid a receipt. Refuse if it undid others as well: it is redone as one change."""
    undo = next(other for other in known if other.id == record.undone_by)
    if undo.manifest.undoes != (record.id,):
        detail = f"{record.id} was undone together with others, by {undo.id}"
        command = f"Use `anypatch redo {undo.id}`."
        raise Refused(Problem("no_receipt", detail, advice="Redo all of them.", command=command))
    return undo


def _find_by_id(storage: Storage, wanted: str) -> Record:
    """Return the only receipt whose id is or begins with `wanted`."""
    fitting = [record for record in _signed_records(storage) if record.id.startswith(wanted)]
    if not fitting:
        foreign = tuple(id for id in foreign_ids(storage) if id.startswith(wanted))
        if foreign:
            raise Refused(_not_signed(foreign))
        raise Refused(Problem("no_receipt", f"no change has an ID that begins with {wanted!r}"))
    if len(fitting) > 1:
        ids = ", ".join(record.id for record in fitting[:5]) + (", …" if len(fitting) > 5 else "")
        detail = f"{len(fitting)} changes have an ID that begins with {wanted!r}: {ids}"
        raise Refused(Problem("ambiguous", detail, advice="Give more characters of the ID."))
    return fitting[0]


def _no_receipt(storage: Storage, detail: str, advice: str) -> Problem:
    """Return the problem that there is no receipt, or none that can be used."""
    foreign = foreign_ids(storage)
    return _not_signed(foreign) if foreign else Problem("no_receipt", detail, advice=advice)


def _not_signed(foreign: tuple[str, ...]) -> Problem:
    ids = ", ".join(foreign[:3]) + (", …" if len(foreign) > 3 else "")
    detail = f"{ids} {'is' if len(foreign) == 1 else 'are'} not signed by this user's key"
    advice = "Run this with the user, home or XDG_STATE_HOME of that change; one made without a key can't be undone."
    return Problem("no_receipt", detail, advice=advice)


# ── the files of a receipt ───────────────────────────────────────────────────────────────────────


def read_version(
    folders: Folders, entry: Entry, metadata: dict[str, Metadata] | None = None, *, links: bool = False
) -> Version | None:
    """Read the file at an entry's path; None if it doesn't exist. `links`: it may be a link even if neither side is."""
    contents = read_file(folders, entry.path, MAX_READ, metadata, links=links or entry.is_link)
    return Version.of(contents) if contents else None


def read_saved(fd: int, entry: Entry) -> Version | None:
    """Read the old side of an entry from the receipt's folder; None if that no longer has it."""
    try:
        data, metadata = read_with_metadata(fd, entry.saved_name(old=True), MAX_READ, links=True)
    except (FileNotFoundError, Refused):
        return None
    if entry.method:  # a copy: a regular file, even of a link, and without the metadata
        link = S_IFLNK if is_link_fingerprint(entry.old) else 0
        return Version(data, fingerprint(data, link), entry.old_mode)
    return Version(data, fingerprint(data, metadata.stat.st_mode), entry.old_mode, metadata)


def read_spans(fd: int) -> dict[int, Span]:
    """Read the spans that a receipt keeps of its edited files, by the number of the file."""
    try:
        return spans_from_bytes(read_at(fd, SPANS, MAX_SPANS_BYTES)[0])
    except (OSError, Refused):
        return {}


def difference(entry: Entry, here: Version | None) -> str:
    """Say how a file differs from how the receipt left it; "" if it doesn't."""
    if here is None:
        return "it is gone" if entry.new else ""
    if not entry.new:
        return "it exists again"
    if here.fingerprint != entry.new:
        return "it was edited"
    return "" if here.mode & 0o777 == entry.new_mode & 0o777 else "its permissions were changed"


def is_untouched(storage: Storage, fd: int, folder: str) -> bool:
    """Return True if an open receipt is this user's and its files are as it left them."""
    entries = read_journal(fd, storage.key, folder).entries
    return not any(difference(entry, read_version(storage.folders, entry)) for entry in entries)


# ── showing one ──────────────────────────────────────────────────────────────────────────────────


def show(storage: Storage, wanted: str) -> tuple[Receipt, tuple[Note, ...]]:
    """Return a receipt with the contents of its files: the last one, or the one whose id begins with `wanted`.

    The files that a change displaced are in its receipt. Those that it made are in the tree or in a later receipt, or
    are computed from the spans that changed. There is a note for each that isn't known any more.
    """
    known = records(storage)
    record = _find_by_id(storage, wanted) if wanted else next(iter(known), None)
    if record is None:
        raise Refused(_no_receipt(storage, "there is nothing to show", _NOTHING_LEFT))
    fd = open_folder(storage.state, record.name.folder)
    try:
        spans = read_spans(fd)
        changes: list[FileChange] = []
        notes: list[Note] = []
        for entry in record.manifest.entries:
            old, new = _both_sides(storage, fd, entry, bool(record.name.undone), spans)
            if entry.new and new is None:
                new = _find_displaced(storage, known, entry)
            if (entry.old and old is None) or (entry.new and new is None):
                notes.append(
                    Note("it has been edited since, and its contents after this change were not kept", entry.path)
                )
                continue
            before = to_file(old, entry.old, entry.old_mode) if old is not None else None
            after = to_file(new, entry.new, entry.new_mode) if new is not None else None
            changes.append(FileChange(entry.path, before, after))
    finally:
        close_uninterrupted(fd)
    return record.receipt()._replace(changes=tuple(changes)), tuple(notes)


def versions(storage: Storage, path: str) -> list[bytes]:
    """Return the contents that a file had after and before each change, newest first, as far as they are known."""
    found: list[bytes] = []
    for record in records(storage):
        for entry in record.manifest.entries:
            if entry.path == path and not entry.is_link:
                fd = open_folder(storage.state, record.name.folder)
                try:
                    old, new = _both_sides(storage, fd, entry, bool(record.name.undone), read_spans(fd))
                finally:
                    close_uninterrupted(fd)
                found += [data for data in (new, old) if data is not None]
    return found


def _both_sides(
    storage: Storage, fd: int, entry: Entry, undone: bool, spans: dict[int, Span]
) -> tuple[bytes | None, bytes | None]:
    """Return the bytes before and after a change; None for a side that doesn't exist, or isn't known any more."""
    saved, here = read_saved(fd, entry.inverted() if undone else entry), read_version(storage.folders, entry)
    old, new = (here, saved) if undone else (saved, here)
    before = old.data if old and entry.old and entry.old.endswith(digest(old.data)) else None
    after = new.data if new and entry.new and entry.new.endswith(digest(new.data)) else None
    if after is None and before is not None and entry.number in spans:
        after = spans[entry.number].new_text(before, entry.new)
    return before, after


def _find_displaced(storage: Storage, known: Sequence[Record], entry: Entry) -> bytes | None:
    """Return the new side of an entry from another receipt, whose change displaced exactly this file."""
    for record in known:
        for other in record.manifest.entries:
            if not record.name.undone and (other.path, other.old) == (entry.path, entry.new):
                fd = open_folder(storage.state, record.name.folder)
                try:
                    saved = read_saved(fd, other)
                finally:
                    close_uninterrupted(fd)
                if saved and saved.fingerprint == entry.new:
                    return saved.data
    return None
