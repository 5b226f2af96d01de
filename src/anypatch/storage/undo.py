"""Undo and redo, and recovery from a crash.

One receipt whose files are as it left them is undone by exchanging its files with those that it displaced. Every other
undo is computed in memory, receipt by receipt, newest first, and made as a change with a receipt of its own:

    a: 1 2 3   receipt 1: 1 2 X   receipt 2: Y 2 X   by hand: Y 2 X 4   both undone: 1 2 3 4

Redo exchanges the files of a receipt again: of one that is undone, or of an undo.
"""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import NamedTuple

from ..model import FileChange, Note, Receipt
from ..problems import Near, Problem, Refused
from ..text import decode, looks_binary
from . import syscalls
from .history import (
    Record,
    Version,
    difference,
    open_folder,
    read_journal,
    read_saved,
    read_spans,
    read_version,
    records,
    select_to_redo,
)
from .journal import Entry, digest
from .merge import Span, undo_around
from .sandbox import Metadata
from .stage import check_writable
from .state import STATE, TX, discard, new_id, receipt_names, unfinished
from .swap import Job
from .transaction import (
    RECOVER,
    Storage,
    close_uninterrupted,
    exists,
    keep_conflict,
    put_back,
    roll_back,
    settle,
    touched_folders,
    uncertain,
)

_logger = logging.getLogger(__name__)
_HINT = "Fix the cause named above, then recover the tree: that finishes what was begun."
_PARTLY_DONE = Problem(
    "unsettled", "it is only partly done, and could not be undone", STATE, hint=_HINT, command=RECOVER
)
_BY_FORCE = ("Undo it by hand, or force it and lose those edits.", "--force does so.")
_ALREADY = "it was already as it was before"
_LOST = "the edits made to it since are lost, because the undo is forced"


# ── undo: what the files will be ─────────────────────────────────────────────────────────────────


class UndoPlan(NamedTuple):
    """The changes that undo some receipts, which are `undone`, newest first.

    `is_exact`: it is one receipt, and its files are as it left them. `removed_dirs`: the folders that the receipts made
    and that the changes leave empty. `restored`: the metadata of the files that get back the text they had.
    """

    undone: tuple[Record, ...]
    changes: tuple[FileChange, ...]
    is_exact: bool
    removed_dirs: tuple[str, ...]
    restored: dict[str, Metadata]
    notes: tuple[Note, ...]


def plan_undo(
    storage: Storage, undone: Sequence[Record], metadata: dict[str, Metadata], *, force: bool = False
) -> UndoPlan:
    """Plan to undo receipts, given newest first. Fill in `metadata` for the files that are read.

    Refuse with every file that has changed since and can't be merged, unless forced.
    """
    planner = _Planner(storage, undone, metadata, force)
    for record in undone:
        try:
            fd = open_folder(storage.state, record.name.folder)
        except OSError:
            raise Refused(Problem("no_receipt", f"the receipt {record.id} can't be read")) from None
        try:
            planner.undo(record, fd)
        finally:
            close_uninterrupted(fd)
    if planner.problems:
        raise Refused(*planner.problems.values())
    return planner.plan()


class _Planner:
    """Undoes receipts in memory.

    `before`, `after`: the files so far. `finished`: the receipts from which on a path is as it was before them.
    """

    def __init__(self, storage: Storage, undone: Sequence[Record], metadata: dict[str, Metadata], force: bool) -> None:
        self.storage, self.undone, self.metadata, self.force = storage, undone, metadata, force
        self.dirs = {folder for record in undone for folder in record.manifest.dirs}
        self.before: dict[str, Version | None] = {}
        self.after: dict[str, Version | None] = {}
        self.finished: dict[str, str] = {}
        self.problems: dict[str, Problem] = {}
        self.notes: list[Note] = []
        self.is_exact = len(undone) == 1
        self._blocking: dict[str, dict[str, Problem]] = {}

    @cached_property
    def entries(self) -> dict[str, list[tuple[str, Entry]]]:
        """The entries of each path, oldest first, each with the id of its receipt."""
        by_path: dict[str, list[tuple[str, Entry]]] = {}
        for record in reversed(self.undone):
            for entry in record.manifest.entries:
                by_path.setdefault(entry.path, []).append((record.id, entry))
        return by_path

    def _blocker(self, record: Record, path: str) -> Problem | None:
        """Return the problem that another change has to be undone or redone first; None if there is no such change."""
        if record.id not in self._blocking:
            ids = {other.id for other in self.undone}
            later = [other for other in records(self.storage) if other.id not in ids]
            self._blocking[record.id] = _later_changes(later, record.id)
        return self._blocking[record.id].get(path)

    def undo(self, record: Record, fd: int) -> None:
        """Undo a receipt, whose folder is open."""
        spans: dict[int, Span] | None = None
        for entry in record.manifest.entries:
            path = entry.path
            if path in self.problems or record.id >= self.finished.get(path, "~"):
                continue
            try:
                if path not in self.before:
                    self.before[path] = self.after[path] = self._read(entry)
                here, saved = self.after[path], _checked_saved(record, fd, entry)
                changed = difference(entry, here)
                if not changed:
                    self.after[path] = saved
                    continue
                self.is_exact = False
                spans = read_spans(fd) if spans is None else spans
                self._undo_changed(record, entry, saved, spans.get(entry.number), changed)
            except Refused as refused:
                self.problems[path] = refused.problems[0]

    def _read(self, entry: Entry) -> Version | None:
        """Read a file of the tree; None also if a receipt has replaced it by a folder."""
        if entry.path in self.dirs and _is_folder(self.storage, entry.path):
            return None
        links = any(other.is_link for _, other in self.entries[entry.path])
        return read_version(self.storage.folders, entry, self.metadata, links=links)

    def _undo_changed(
        self, record: Record, entry: Entry, saved: Version | None, span: Span | None, changed: str
    ) -> None:
        """Undo the change of a file that isn't as the receipt left it. Raise Refused if that isn't possible."""
        here = self.after[entry.path]
        for id, older in self.entries[entry.path]:
            if id <= record.id and _was_before(older, here):
                self.finished[entry.path] = id
                self.notes.append(Note(_ALREADY, entry.path))
                return
        merged = _merge(entry, saved, here, span) if saved and here else None
        if isinstance(merged, Version):
            self.after[entry.path] = merged
        elif self.force:
            self.after[entry.path] = saved
            self.notes.append(Note(_LOST, entry.path))
        else:
            blocking = self._blocker(record, entry.path)
            if merged and here:
                raise Refused(_overlap(entry.path, merged, here.data, blocking, self._name(record)))
            advice, command = _BY_FORCE
            problem = blocking or Problem("stale", changed, advice=advice, command=command)
            raise Refused(problem._replace(path=entry.path))

    def _name(self, record: Record) -> str:
        return "this change" if len(self.undone) == 1 else f"change {record.id}"

    def plan(self) -> UndoPlan:
        """Return the plan, once all receipts are undone."""
        versions = [(path, self.before[path], after) for path, after in self.after.items()]
        changes = tuple(
            FileChange(path, before.file() if before else None, after.file() if after else None)
            for path, before, after in versions
        )
        changes = tuple(change for change in changes if change.before != change.after)
        restored = {path: after.metadata for path, _, after in versions if after and after.metadata}
        removed_dirs = tuple(self._empty_dirs())
        return UndoPlan(tuple(self.undone), changes, self.is_exact, removed_dirs, restored, tuple(self.notes))

    def _empty_dirs(self) -> Iterator[str]:
        """Yield the folders that the receipts made and that no restored file needs, the inner ones first."""
        needed = tuple(path for path, after in self.after.items() if after)
        for folder in sorted(self.dirs, reverse=True):
            if not any(path.startswith(f"{folder}/") for path in needed) and _is_folder(self.storage, folder):
                yield folder


def _is_folder(storage: Storage, path: str) -> bool:
    try:
        storage.folders.fd(path)
    except OSError:
        return False
    return True


def _checked_saved(record: Record, fd: int, entry: Entry) -> Version | None:
    """Read the file that a receipt displaced. Refuse a copy that isn't what the journal says."""
    saved = read_saved(fd, entry)
    if entry.old and (saved is None or saved.fingerprint != entry.old):
        detail = f"the copy that receipt {record.id} kept of it has been changed"
        raise Refused(Problem("stale", detail, entry.path, advice="Restore it by hand."))
    return saved if entry.old else None


def _was_before(entry: Entry, here: Version | None) -> bool:
    """Return True if a file is as it was before a change; its mode counts only if the change was one of mode."""
    if here is None or not entry.old:
        return here is None and not entry.old
    is_same_mode = here.mode & 0o777 == entry.old_mode & 0o777
    return here.fingerprint == entry.old and (is_same_mode or (entry.old_mode ^ entry.new_mode) & 0o777 == 0)


def _merge(entry: Entry, saved: Version, here: Version, span: Span | None) -> Version | list[tuple[int, int]] | None:
    """Undo a change around what was edited since; return the lines that overlap, or None if it can't be merged."""
    if entry.method or entry.is_link or span is None or looks_binary(here.data):
        return None
    new = span.new_text(saved.data, entry.new)
    changes_mode = (entry.old_mode ^ entry.new_mode) & 0o777 != 0
    if new is None or (changes_mode and (here.mode ^ entry.new_mode) & 0o777):
        return None
    text = undo_around(new, saved.data, here.data)
    if not isinstance(text, bytes):
        return text
    if changes_mode:
        return Version(text, digest(text), saved.mode)
    return here._replace(data=text, fingerprint=digest(text))


def _overlap(path: str, lines: list[tuple[int, int]], now: bytes, blocking: Problem | None, change: str) -> Problem:
    """Return the problem that later edits touch the lines of a change: which lines, and what they hold now."""
    numbers = ", ".join(str(first) if first == last else f"{first}-{last}" for first, last in lines[:5])
    numbers += ", …" if len(lines) > 5 else ""
    which = f"line {numbers} of {path} was" if numbers.isdigit() else f"lines {numbers} of {path} were"
    detail = f"{which} edited after {change}"
    text = decode(now).splitlines()
    near = tuple(
        Near(max(first - 1, 1), tuple(text[max(first - 2, 0) : min(last + 1, first + 5)]), "as it is now", first)
        for first, last in lines[:3]
    )
    advice, command = (blocking.advice, blocking.command) if blocking else _BY_FORCE
    return Problem("stale", detail, path, line=lines[0][0], advice=advice, near=near, command=command)


def _later_changes(known: Sequence[Record], id: str) -> dict[str, Problem]:
    """Return the problem, for each path that was changed after a receipt, that the last such change comes first."""
    problems: dict[str, Problem] = {}
    for record in reversed(known):
        if not record.undone and record.id > id:
            detail, way = f"receipt {record.id} has changed it since", "redo" if record.is_undo else "undo"
            command = f"Use `anypatch {way} {record.id}`."
            problem = Problem("stale", detail, advice=f"{way.capitalize()} that first.", command=command)
            problems |= dict.fromkeys([entry.path for entry in record.manifest.entries], problem)
    return problems


# ── redo, and the undo that only exchanges files ─────────────────────────────────────────────────


class Exchange(NamedTuple):
    """The exchange of a receipt's files with those it displaced (`to_old`), or with those it made. `now`: a new id."""

    record: Record
    job: Job
    to_old: bool
    now: str

    @property
    def folder_in_progress(self) -> str:
        """The name of the receipt's folder until the exchange is finished."""
        return f"{'undo' if self.to_old else 'redo'}.{self.record.id}.{self.record.name.size}"

    @property
    def folder_at_end(self) -> str:
        """The name of the receipt's folder when the exchange is finished."""
        return _finished(f"{self.record.id}.{self.record.name.size}", self.now, to_old=self.to_old)


def _finished(receipt: str, now: str, *, to_old: bool) -> str:
    """Return the name of a receipt's folder when its files are exchanged."""
    return f"{receipt}.undone.{now}" if to_old else receipt


def _id_for_now(storage: Storage) -> str:
    return new_id(receipt_names(os.listdir(storage.state)), time.time())


def undo_exactly(storage: Storage, record: Record) -> Receipt:
    """Put back the very files that a receipt displaced. Its files must be as it left them."""
    _exchange(storage, record, to_old=True)
    return record.receipt()._replace(undone=True)


def redo(storage: Storage, wanted: str) -> Receipt:
    """Redo what was undone last, or the receipt whose id begins with `wanted`. Its contents are in the changes."""
    record = select_to_redo(storage, wanted)
    changes = _exchange(storage, record, to_old=record.is_undo)
    return record.receipt()._replace(undone=record.is_undo, changes=changes)


def _exchange(storage: Storage, record: Record, *, to_old: bool) -> tuple[FileChange, ...]:
    """Exchange the files of a receipt, if they are as it left them. Return what that changes."""
    try:
        fd = open_folder(storage.state, record.name.folder)
    except OSError:
        raise Refused(Problem("no_receipt", f"the receipt {record.id} can't be read")) from None
    try:
        changes = _check_exchange(storage, record, fd, to_old)
        manifest = record.manifest
        job = Job(storage.folders, fd, manifest.id, manifest.entries, manifest.dirs, manifest.removed_dirs)
        in_place = {entry.path for entry in job.entries if entry.method == "keep"}
        paths = (*(entry.path for entry in job.entries), *job.dirs, *job.removed_dirs)
        check_writable(storage.folders, paths, in_place)
        _carry_out(storage, Exchange(record, job, to_old, _id_for_now(storage)))
    finally:
        close_uninterrupted(fd)
    return changes


def _check_exchange(storage: Storage, record: Record, fd: int, to_old: bool) -> tuple[FileChange, ...]:
    """Return what an exchange changes. Refuse with every file that has changed since."""
    changes: list[FileChange] = []
    problems: list[Problem] = []
    blocking: dict[str, Problem] | None = None
    for original in record.manifest.entries:
        entry = original if to_old else original.inverted()
        try:
            is_folder = entry.path in record.manifest.dirs and _is_folder(storage, entry.path)
            here = None if is_folder else read_version(storage.folders, entry)
            saved = _checked_saved(record, fd, entry)
        except Refused as refused:
            problems += refused.problems
            continue
        if changed := difference(entry, here):
            if blocking is None:
                known = records(storage)
                blocking = _depends_on(known, record) | _later_changes(known, record.id)
            problem = Problem("stale", changed, advice="Undo that edit, or make the change again by hand.")
            problems.append(blocking.get(entry.path, problem)._replace(path=entry.path))
        changes.append(FileChange(entry.path, here.file() if here else None, saved.file() if saved else None))
    if problems:
        raise Refused(*problems)
    return tuple(changes)


def _depends_on(known: Sequence[Record], redone: Record) -> dict[str, Problem]:
    """Return the earlier receipts that must be redone before this one, by path."""
    problems: dict[str, Problem] = {}
    for record in known:
        if record.name.undone and record.id < redone.id:
            detail = f"it depends on receipt {record.id}, which has been undone"
            command = f"Use `anypatch redo {record.id}`."
            problem = Problem("stale", detail, advice="Redo that first.", command=command)
            problems |= dict.fromkeys([entry.path for entry in record.manifest.entries], problem)
    return problems


def _carry_out(storage: Storage, exchange: Exchange) -> None:
    """Bring all paths to the other side, by the code that recovery uses; on failure back to where they were."""
    job, durability = exchange.job, storage.settings.durability
    finished = False
    try:
        _rename(storage, exchange.record.name.folder, exchange.folder_in_progress)
        syscalls.sync_all((storage.state, job.slots), durability, 0)
        conflicts = settle(job, to_old=exchange.to_old)
        if conflicts:
            raise Refused(*conflicts)
        syscalls.sync_all(touched_folders(job, may_be_gone=True), durability, len(job.entries))
        _rename(storage, exchange.folder_in_progress, exchange.folder_at_end)
        finished = True
        syscalls.sync_all((storage.state,), durability, 0)
    except BaseException as error:
        finished = finished or exists(storage.state, exchange.folder_at_end)
        raise roll_back(error, lambda: _turn_back(storage, exchange, finished), _PARTLY_DONE) from None


def _turn_back(storage: Storage, exchange: Exchange, finished: bool) -> tuple[Problem, ...]:
    """Bring all paths back to where they were, also if it was `finished`. Can be called again after an interrupt."""
    record = exchange.record
    if exists(storage.state, record.name.folder):
        return ()
    try:
        if finished:
            _rename(storage, exchange.folder_at_end, exchange.folder_in_progress)
    except FileNotFoundError:
        pass
    except OSError as error:
        remedy = "undo" if record.is_undo or not exchange.to_old else "redo"
        return (uncertain(f"it was {_done(record.is_undo, exchange.to_old)}", error, f"anypatch {remedy} {record.id}"),)
    conflicts = settle(exchange.job, to_old=not exchange.to_old)
    if conflicts:
        return keep_conflict(storage, exchange.folder_in_progress, record.id, conflicts)
    _rename(storage, exchange.folder_in_progress, record.name.folder)
    return ()


def _done(is_undo: bool, to_old: bool) -> str:
    """Say what an exchange did: that of an undo's own files is a redo."""
    return "undone" if to_old and not is_undo else "redone"


def _rename(storage: Storage, folder: str, new_name: str) -> None:
    os.rename(folder, new_name, src_dir_fd=storage.state, dst_dir_fd=storage.state)


# ── recovery ─────────────────────────────────────────────────────────────────────────────────────


def recover(storage: Storage) -> tuple[Note, ...]:
    """Undo a change that a crash interrupted, finish an interrupted exchange. Return notes of what was done."""
    notes: list[Note] = []
    for folder in sorted(unfinished(os.listdir(storage.state))):
        notes += _recover_change(storage) if folder == TX else _recover_exchange(storage, folder)
    for note in notes:
        _logger.info("recovered: %s", note.text)
    return tuple(notes)


def _recover_change(storage: Storage) -> tuple[Note, ...]:
    fd = open_folder(storage.state, TX)
    try:
        try:
            manifest = read_journal(fd, storage.key, TX)
        except FileNotFoundError:
            discard(storage.state, TX)  # it never touched the tree
            return ()
        job = Job(storage.folders, fd, manifest.id, manifest.entries, manifest.dirs, manifest.removed_dirs)
        conflicts = put_back(storage, job, TX)
    finally:
        close_uninterrupted(fd)
    if conflicts:
        raise Refused(*conflicts)
    change = "undo" if manifest.undoes else "change"
    return (Note(f"an interrupted {change} ({manifest.id}) was rolled back"),)


def _recover_exchange(storage: Storage, folder: str) -> tuple[Note, ...]:
    to_old = folder.startswith("undo.")
    fd = open_folder(storage.state, folder)
    try:
        manifest = read_journal(fd, storage.key, folder)
        job = Job(storage.folders, fd, manifest.id, manifest.entries, manifest.dirs, manifest.removed_dirs)
        conflicts = settle(job, to_old=to_old)
        syscalls.sync_all(touched_folders(job, may_be_gone=True), storage.settings.durability, len(job.entries))
        if conflicts:
            raise Refused(*keep_conflict(storage, folder, manifest.id, conflicts))
        _rename(storage, folder, _finished(folder.partition(".")[2], _id_for_now(storage), to_old=to_old))
        syscalls.sync_all((storage.state,), storage.settings.durability, 0)
    finally:
        close_uninterrupted(fd)
    done = _done(bool(manifest.undoes), to_old)
    return (Note(f"{manifest.id}, which was interrupted while being {done}, was {done}"),)
