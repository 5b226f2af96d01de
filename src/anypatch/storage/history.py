"""The receipts of a tree: listing and showing them, undo and redo, and recovery from a crash."""

from __future__ import annotations

import logging
import os
from functools import cached_property
from typing import NamedTuple

from ..model import File, FileChange, Note, Receipt
from ..problems import Near, Problem, Refused
from ..text import decode, looks_binary
from . import syscalls
from .journal import MANIFEST, MAX_BYTES, Entry, Manifest, digest, fingerprint, from_bytes, to_bytes, to_file
from .merge import MAX_SPANS_BYTES, SPANS, Span, spans_from_bytes, spans_to_bytes, undo_around
from .sandbox import OPEN_FOLDER, Contents, Metadata, checked_path, read_at, read_file, read_link
from .stage import Stage, check_writable, write_slot
from .state import STATE, TX, ReceiptName, discard, receipt_names, remove, unfinished, user, write_new
from .swap import MAX_READ, Job
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
_FOREIGN = f"If you don't know where it comes from, remove the folder {STATE}; none of it was used."


# ── reading ──────────────────────────────────────────────────────────────────────────────────────


def _open_folder(state: int, folder: str) -> int:
    try:
        return os.open(folder, OPEN_FOLDER, dir_fd=state)
    except NotADirectoryError:
        raise Refused(Problem("foreign_journal", "it is not a folder", f"{STATE}/{folder}", hint=_FOREIGN)) from None


def _read_journal(fd: int, key: bytes, folder: str) -> Manifest:
    """Read the journal in an open folder. Refuse it unless this user signed it and all its paths are normalized."""
    try:
        manifest = from_bytes(read_at(fd, MANIFEST, MAX_BYTES)[0], key)
    except Refused as refused:
        path, hint = f"{STATE}/{folder}", f"{_who_can_recover(fd)} {_FOREIGN}"
        raise Refused(
            *(p._replace(path=path, kind="foreign_journal", advice="", hint=hint) for p in refused.problems)
        ) from None
    for path in (*(entry.path for entry in manifest.entries), *manifest.dirs):
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
    """Advise who may only read the tree how to recover these interrupted changes."""
    for folder in interrupted:
        try:
            fd = _open_folder(storage.state, folder)
            try:
                _read_journal(fd, storage.key, folder)
            finally:
                close_uninterrupted(fd)
        except Refused as refused:
            return refused.problems[0].hint
        except OSError:
            continue
    return "Recover the tree first."


def receipts(storage: Storage) -> tuple[Receipt, ...]:
    """Return this user's receipts, newest first. Their files have modes but no contents."""
    return tuple(_receipt(manifest, name.undone) for name, manifest in _signed_journals(storage))


def _signed_journals(storage: Storage) -> list[tuple[ReceiptName, Manifest]]:
    """Read the journals that this user's key signed, newest first; skip the others."""
    journals = []
    for name in receipt_names(os.listdir(storage.state)):
        try:
            fd = _open_folder(storage.state, name.folder)
        except (OSError, Refused):
            continue
        try:
            journals.append((name, _read_journal(fd, storage.key, name.folder)))
        except (OSError, Refused):
            continue
        finally:
            close_uninterrupted(fd)
    return journals


def signed_names(storage: Storage) -> list[ReceiptName]:
    """Return the receipts that this user's key signed, newest first. No others count, whoever plants them."""
    return [name for name, _ in _signed_journals(storage)]


def foreign_ids(storage: Storage) -> tuple[str, ...]:
    """Return the ids of the receipts that this user's key didn't sign, newest first."""
    signed = signed_names(storage)
    return tuple(name.id for name in receipt_names(os.listdir(storage.state)) if name not in signed)


def _receipt(manifest: Manifest, undone: bool) -> Receipt:
    changes = tuple(
        FileChange(
            entry.path,
            to_file(b"", entry.old, entry.old_mode) if entry.old else None,
            to_file(b"", entry.new, entry.new_mode) if entry.new else None,
        )
        for entry in manifest.entries
    )
    return Receipt(manifest.id, changes, manifest.time, manifest.format, manifest.description, undone, manifest.partial)


def show(storage: Storage, wanted: str) -> tuple[Receipt, tuple[Note, ...]]:
    """Return a receipt with the contents of its files: the last one, or the one whose id begins with `wanted`.

    The files that a change displaced are in its receipt. Those that it made are in the tree, or are computed from the
    spans that changed. There is a note for each that isn't known any more.
    """
    name = _find_by_id(storage, wanted) if wanted else next(iter(signed_names(storage)), None)
    if name is None:
        raise Refused(_no_receipt(storage, "there is nothing to show"))
    fd = _open_folder(storage.state, name.folder)
    try:
        manifest = _read_journal(fd, storage.key, name.folder)
        spans = _read_spans(fd)
        changes: list[FileChange] = []
        notes: list[Note] = []
        for entry in manifest.entries:
            old, new = _both_sides(storage, fd, entry, name.undone, spans)
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
    return _receipt(manifest, name.undone)._replace(changes=tuple(changes)), tuple(notes)


def _both_sides(
    storage: Storage, fd: int, entry: Entry, undone: bool, spans: dict[int, Span]
) -> tuple[bytes | None, bytes | None]:
    """Return the bytes before and after a change; None for a side that doesn't exist, or isn't known any more."""
    saved = _read_saved(fd, entry.inverted() if undone else entry)
    here = read_file(storage.folders, entry.path, MAX_READ, links=entry.is_link)
    old, new = (here, saved) if undone else (saved, here)
    before = old[0] if old and entry.old and entry.old.endswith(digest(old[0])) else None
    after = new[0] if new and entry.new and entry.new.endswith(digest(new[0])) else None
    if after is None and before is not None and entry.number in spans:
        after = spans[entry.number].new_text(before, entry.new)
    return before, after


def is_untouched(storage: Storage, fd: int, folder: str) -> bool:
    """Return True if an open receipt is this user's and its files are as it left them."""
    return all(
        not _difference(entry, read_file(storage.folders, entry.path, MAX_READ, links=entry.is_link))
        for entry in _read_journal(fd, storage.key, folder).entries
    )


def _difference(entry: Entry, here: Contents | None) -> str:
    """Say how a file differs from how the receipt left it; "" if it doesn't."""
    if here is None:
        return "it is gone" if entry.new else ""
    if not entry.new:
        return "it exists again"
    if _fingerprint(here) != entry.new:
        return "it was edited"
    return "" if here[1].st_mode & 0o777 == entry.new_mode & 0o777 else "its permissions were changed"


def _read_saved(fd: int, entry: Entry) -> Contents | None:
    """Read the old side of an entry in a receipt's folder."""
    try:
        name = entry.saved_name(old=True)
        return read_link(fd, name) or read_at(fd, name, MAX_READ)
    except (FileNotFoundError, Refused):
        return None


def _read_spans(fd: int) -> dict[int, Span]:
    try:
        return spans_from_bytes(read_at(fd, SPANS, MAX_SPANS_BYTES)[0])
    except (OSError, Refused):
        return {}


def _fingerprint(contents: Contents) -> str:
    return fingerprint(contents[0], contents[1].st_mode)


# ── which receipt ────────────────────────────────────────────────────────────────────────────────


def _select(storage: Storage, wanted: str, *, undone: bool) -> ReceiptName:
    """Return the receipt to undo, or to redo if `undone`: the one whose id begins with `wanted`, or the latest."""
    if wanted:
        name = _find_by_id(storage, wanted)
        if name.undone != undone:
            state = "has not been undone" if undone else "has already been undone"
            raise Refused(Problem("no_receipt", f"{name.id} {state}"))
        return name
    names = signed_names(storage)
    if undone:  # the first of those that are undone and newer than the last that isn't
        last_applied = max((name.id for name in names if not name.undone), default="")
        latest = min((name for name in names if name.undone and name.id > last_applied), default=None)
    else:
        latest = next((name for name in names if not name.undone), None)
    if latest is None:
        if undone:
            raise Refused(_no_receipt(storage, "there is nothing to redo", "Nothing was undone since the last change."))
        raise Refused(_no_receipt(storage, "there is nothing to undo"))
    return latest


def _find_by_id(storage: Storage, wanted: str) -> ReceiptName:
    """Return the only receipt whose id is or begins with `wanted`."""
    fitting = [name for name in signed_names(storage) if name.id.startswith(wanted)]
    if not fitting:
        foreign = tuple(id for id in foreign_ids(storage) if id.startswith(wanted))
        if foreign:
            raise Refused(_not_signed(foreign))
        raise Refused(Problem("no_receipt", f"no change has an ID that begins with {wanted!r}"))
    if len(fitting) > 1:
        ids = ", ".join(name.id for name in fitting[:5]) + (", …" if len(fitting) > 5 else "")
        detail = f"{len(fitting)} changes have an ID that begins with {wanted!r}: {ids}"
        raise Refused(Problem("ambiguous", detail, advice="Give more characters of the ID."))
    return fitting[0]


def _no_receipt(
    storage: Storage, detail: str, advice: str = "Either nothing was applied here, or everything has been undone."
) -> Problem:
    """Return the problem that there is no receipt, or none that can be used."""
    foreign = foreign_ids(storage)
    return _not_signed(foreign) if foreign else Problem("no_receipt", detail, advice=advice)


def _not_signed(foreign: tuple[str, ...]) -> Problem:
    ids = ", ".join(foreign[:3]) + (", …" if len(foreign) > 3 else "")
    detail = f"{ids} {'is' if len(foreign) == 1 else 'are'} not signed by this user's key"
    advice = "Run this with the user, home or XDG_STATE_HOME of that change; one made without a key can't be undone."
    return Problem("no_receipt", detail, advice=advice)


# ── undo and redo ────────────────────────────────────────────────────────────────────────────────


class Reversal(NamedTuple):
    """An undo (`to_old`) or a redo."""

    name: ReceiptName
    job: Job
    to_old: bool

    @property
    def folder_in_progress(self) -> str:
        """The name of the receipt's folder until the reversal is finished."""
        return f"{'undo' if self.to_old else 'redo'}.{self.name.id}.{self.name.size}"

    @property
    def folder_at_end(self) -> str:
        """The name of the receipt's folder when the reversal is finished."""
        return f"{self.name.id}.{self.name.size}{'.undone' if self.to_old else ''}"


def undo(storage: Storage, wanted: str, *, force: bool) -> Receipt:
    """Undo the last receipt that isn't undone, or the one whose id begins with `wanted`."""
    return _reverse(storage, _select(storage, wanted, undone=False), to_old=True, force=force)


def redo(storage: Storage, wanted: str) -> Receipt:
    """Redo what was undone last, or the receipt whose id begins with `wanted`."""
    return _reverse(storage, _select(storage, wanted, undone=True), to_old=False, force=False)


def _reverse(storage: Storage, name: ReceiptName, *, to_old: bool, force: bool) -> Receipt:
    try:
        fd = _open_folder(storage.state, name.folder)
    except OSError:
        raise Refused(Problem("no_receipt", f"the receipt {name.id} can't be read")) from None
    try:
        manifest = _read_journal(fd, storage.key, name.folder)
        manifest, changes = _ReversalCheck(storage, fd, manifest, to_old, force).check_all()
        job = Job(storage.folders, fd, manifest.id, manifest.entries, manifest.dirs)
        in_place = {entry.path for entry in job.entries if entry.method == "keep"}
        check_writable(storage.folders, (*(entry.path for entry in job.entries), *job.dirs), in_place)
        _carry_out(storage, Reversal(name, job, to_old))
    except FileNotFoundError:
        raise Refused(Problem("no_receipt", f"the receipt {name.id} can't be read")) from None
    finally:
        close_uninterrupted(fd)
    return _receipt(manifest, to_old)._replace(changes=changes)


class _ReversalCheck:
    """Compares the files of an undo or redo with what the receipt left, before anything is touched.

    `merges`: number, merged text and present text of the files that were edited since, but not in the same lines.
    """

    def __init__(self, storage: Storage, fd: int, manifest: Manifest, to_old: bool, force: bool) -> None:
        self.storage, self.fd, self.manifest, self.to_old, self.force = storage, fd, manifest, to_old, force
        self.spans = _read_spans(fd)
        self.metadata: dict[str, Metadata] = {}
        self.merges: list[tuple[int, bytes, bytes]] = []

    @cached_property
    def blocking(self) -> dict[str, Problem]:
        return _blocking_receipts(self.storage, self.manifest.id, self.to_old)

    def check_all(self) -> tuple[Manifest, tuple[FileChange, ...]]:
        """Return the journal, rewritten if files have changed since, and what the reversal changes.

        Refuse with every file that has changed since and can't be merged, unless forced.
        """
        entries: list[Entry] = []
        changes: list[FileChange] = []
        problems: list[Problem] = []
        for original in self.manifest.entries:
            try:
                entry, change = self._check(original)
            except Refused as refused:
                problems += refused.problems
                continue
            entries.append(entry)
            changes.append(change)
        if problems:
            raise Refused(*problems)
        manifest = self.manifest._replace(entries=tuple(entries))
        if manifest != self.manifest:
            if self.merges:
                self._stage_merges(manifest)
            _rewrite_journal(self.storage, self.fd, manifest)
        return manifest, tuple(changes)

    def _check(self, original: Entry) -> tuple[Entry, FileChange]:
        """Return the entry for the reversal, and what it changes. Raise Refused if it can't be made."""
        entry = original if self.to_old else original.inverted()
        here, saved = self._read_here(entry), self._read_saved(entry)
        difference = _difference(entry, here)
        if difference and not self.force:
            merged = self._merge(entry, saved[0], here) if self.to_old and saved and here else None
            if merged is None:
                raise Refused(self._changed_since(entry.path, difference))
            return merged
        old = to_file(saved[0], entry.old, entry.old_mode) if entry.old and saved else None
        now = _as_file(here) if here else None
        change = FileChange(entry.path, old, now) if self.to_old else FileChange(entry.path, now, old)
        return _with_new(original, now) if difference else original, change

    def _read_here(self, entry: Entry) -> Contents | None:
        if self.to_old and entry.path in self.manifest.dirs:  # the change replaced a file by a folder
            return None
        return read_file(self.storage.folders, entry.path, MAX_READ, self.metadata, links=entry.is_link)

    def _read_saved(self, entry: Entry) -> Contents | None:
        saved = _read_saved(self.fd, entry)
        if entry.old and (saved is None or not entry.old.endswith(digest(saved[0]))):
            detail = f"the copy that receipt {self.manifest.id} kept of it has been changed"
            raise Refused(Problem("stale", detail, entry.path, advice="Restore it by hand."))
        return saved

    def _merge(self, entry: Entry, old: bytes, here: Contents) -> tuple[Entry, FileChange] | None:
        """Undo a change around what was edited since; None if that isn't possible. Refuse if the lines overlap."""
        if entry.method or entry.is_link or entry.number not in self.spans or looks_binary(here[0]):
            return None
        new = self.spans[entry.number].new_text(old, entry.new)
        mode, new_mode = here[1].st_mode & 0o7777, entry.new_mode & 0o777
        changes_mode = entry.old_mode & 0o777 != new_mode
        if new is None or (changes_mode and mode & 0o777 != new_mode):
            return None
        text = undo_around(new, old, here[0])
        if not isinstance(text, bytes):
            raise Refused(_overlap(entry.path, text, here[0], self.blocking.get(entry.path)))
        merged, now = File(text, entry.old_mode if changes_mode else mode), _as_file(here)
        number = max(entry.number for entry in self.manifest.entries) + 1 + len(self.merges)
        self.merges.append((number, text, here[0]))
        entry = _with_new(entry, now)._replace(number=number, old=digest(text), old_mode=merged.mode)
        return entry, FileChange(entry.path, merged, now)

    def _stage_merges(self, manifest: Manifest) -> None:
        """Write merged files to slots with numbers of their own, which aren't used until the journal names them."""
        stage = Stage(self.storage.folders, self.fd, self.metadata, {}, self.storage.settings.durability != "none", {})
        texts = {number: merged for number, merged, _ in self.merges}
        for entry in manifest.entries:
            if entry.number in texts:
                remove(self.fd, str(entry.number))
                write_slot(stage, entry.inverted(), texts[entry.number], str(entry.number), exact=True)
        draft = f"{SPANS}.new"
        remove(self.fd, draft)
        # The spans so far are valid until the journal names the merged files; other files need them even then.
        write_new(self.fd, draft, read_at(self.fd, SPANS, MAX_SPANS_BYTES)[0] + spans_to_bytes(self.merges))
        os.rename(draft, SPANS, src_dir_fd=self.fd, dst_dir_fd=self.fd)

    def _changed_since(self, path: str, difference: str) -> Problem:
        advice, command = _BY_FORCE if self.to_old else ("Make the edit again by hand.", "")
        problem = Problem("stale", difference, advice=advice, command=command)
        return self.blocking.get(path, problem)._replace(path=path)


def _as_file(contents: Contents) -> File:
    return to_file(contents[0], _fingerprint(contents), contents[1].st_mode)


def _with_new(entry: Entry, new: File | None) -> Entry:
    """Return the entry with another new side: that of a file that has changed since, and is undone all the same."""
    if new is None:
        return entry._replace(new="", new_mode=0)
    return entry._replace(new=fingerprint(new.data, new.mode), new_mode=new.mode & 0o777)


def _overlap(path: str, lines: list[tuple[int, int]], now: bytes, blocking: Problem | None) -> Problem:
    """Return the problem that later edits touch the lines of a change: which lines, and what they hold now."""
    numbers = ", ".join(str(first) if first == last else f"{first}-{last}" for first, last in lines[:5])
    numbers += ", …" if len(lines) > 5 else ""
    which = f"line {numbers} of {path} was" if numbers.isdigit() else f"lines {numbers} of {path} were"
    detail = f"{which} edited after this change"
    text = decode(now).splitlines()
    near = tuple(
        Near(max(first - 1, 1), tuple(text[max(first - 2, 0) : min(last + 1, first + 5)]), "as it is now", first)
        for first, last in lines[:3]
    )
    advice, command = (blocking.advice, blocking.command) if blocking else _BY_FORCE
    return Problem("stale", detail, path, line=lines[0][0], advice=advice, near=near, command=command)


def _blocking_receipts(storage: Storage, id: str, to_old: bool) -> dict[str, Problem]:
    """Return what must be reversed first, by path: a later receipt, or for a redo an earlier one that is undone."""
    problems: dict[str, Problem] = {}
    journals = _signed_journals(storage)
    if not to_old:
        for name, manifest in journals:
            if name.undone and name.id < id:
                detail = f"it depends on receipt {name.id}, which has been undone"
                command = f"Use `anypatch redo {name.id}`."
                problem = Problem("stale", detail, advice="Redo that first.", command=command)
                problems |= dict.fromkeys([entry.path for entry in manifest.entries], problem)
    for name, manifest in reversed(journals):
        if not name.undone and name.id > id:
            detail, command = f"receipt {name.id} has changed it since", f"Use `anypatch undo {name.id}`."
            problem = Problem("stale", detail, advice="Undo that first.", command=command)
            problems |= dict.fromkeys([entry.path for entry in manifest.entries], problem)
    return problems


def _rewrite_journal(storage: Storage, fd: int, manifest: Manifest) -> None:
    draft = f"{MANIFEST}.new"
    remove(fd, draft)
    write_new(fd, draft, to_bytes(manifest, storage.key), sync=storage.settings.durability != "none")
    os.rename(draft, MANIFEST, src_dir_fd=fd, dst_dir_fd=fd)


def _carry_out(storage: Storage, reversal: Reversal) -> None:
    """Bring all paths to the other side, by the code that recovery uses; on failure back to where they were."""
    job, durability = reversal.job, storage.settings.durability
    finished = False
    try:
        _rename(storage, reversal.name.folder, reversal.folder_in_progress)
        syscalls.sync_all((storage.state, job.slots), durability, 0)
        conflicts = settle(job, to_old=reversal.to_old)
        if conflicts:
            raise Refused(*conflicts)
        syscalls.sync_all(touched_folders(job, may_be_gone=True), durability, len(job.entries))
        _rename(storage, reversal.folder_in_progress, reversal.folder_at_end)
        finished = True
        syscalls.sync_all((storage.state,), durability, 0)
    except BaseException as error:
        finished = finished or exists(storage.state, reversal.folder_at_end)
        raise roll_back(error, lambda: _turn_back(storage, reversal, finished), _PARTLY_DONE) from None


def _turn_back(storage: Storage, reversal: Reversal, finished: bool) -> tuple[Problem, ...]:
    """Bring all paths back to where they were, also if it was `finished`. Can be called again after an interrupt."""
    if exists(storage.state, reversal.name.folder):
        return ()
    try:
        if finished:
            _rename(storage, reversal.folder_at_end, reversal.folder_in_progress)
    except FileNotFoundError:
        pass
    except OSError as error:
        done, remedy = ("it was undone", "redo") if reversal.to_old else ("it was redone", "undo")
        return (uncertain(done, error, f"anypatch {remedy} {reversal.name.id}"),)
    conflicts = settle(reversal.job, to_old=not reversal.to_old)
    if conflicts:
        return keep_conflict(storage, reversal.folder_in_progress, reversal.name.id, conflicts)
    _rename(storage, reversal.folder_in_progress, reversal.name.folder)
    return ()


def _rename(storage: Storage, folder: str, new_name: str) -> None:
    os.rename(folder, new_name, src_dir_fd=storage.state, dst_dir_fd=storage.state)


# ── recovery ─────────────────────────────────────────────────────────────────────────────────────


def recover(storage: Storage) -> tuple[Note, ...]:
    """Undo a change that a crash interrupted, finish an interrupted undo or redo. Return notes of what was done."""
    notes: list[Note] = []
    for folder in sorted(unfinished(os.listdir(storage.state))):
        notes += _recover_change(storage) if folder == TX else _recover_reversal(storage, folder)
    for note in notes:
        _logger.info("recovered: %s", note.text)
    return tuple(notes)


def _recover_change(storage: Storage) -> tuple[Note, ...]:
    fd = _open_folder(storage.state, TX)
    try:
        try:
            manifest = _read_journal(fd, storage.key, TX)
        except FileNotFoundError:
            discard(storage.state, TX)  # it never touched the tree
            return ()
        job = Job(storage.folders, fd, manifest.id, manifest.entries, manifest.dirs)
        conflicts = put_back(storage, job, TX)
    finally:
        close_uninterrupted(fd)
    if conflicts:
        raise Refused(*conflicts)
    return (Note(f"an interrupted change ({manifest.id}) was undone"),)


def _recover_reversal(storage: Storage, folder: str) -> tuple[Note, ...]:
    to_old = folder.startswith("undo.")
    fd = _open_folder(storage.state, folder)
    try:
        manifest = _read_journal(fd, storage.key, folder)
        job = Job(storage.folders, fd, manifest.id, manifest.entries, manifest.dirs)
        conflicts = settle(job, to_old=to_old)
        syscalls.sync_all(touched_folders(job, may_be_gone=True), storage.settings.durability, len(job.entries))
        if conflicts:
            raise Refused(*keep_conflict(storage, folder, manifest.id, conflicts))
        _rename(storage, folder, folder.partition(".")[2] + (".undone" if to_old else ""))
        syscalls.sync_all((storage.state,), storage.settings.durability, 0)
    finally:
        close_uninterrupted(fd)
    done = "undone" if to_old else "redone"
    return (Note(f"{manifest.id}, which was interrupted while being {done}, was {done}"),)
