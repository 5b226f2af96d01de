"""What was done in a tree: its receipts; taking one back and making it again; putting back what a crash left."""

from __future__ import annotations

import os
from typing import NamedTuple

from ..model import File, FileChange, Note, Receipt
from ..problems import Near, Problem, Refused
from ..text import decode, looks_binary
from . import syscalls
from .journal import MAX_BYTES, NAME, Entry, Manifest, digest, file_of, from_bytes, mark, to_bytes
from .merge import KEPT, MAX_KEPT, Kept, from_kept, taken_back, to_kept
from .sandbox import OPEN_FOLDER, Facts, plain, read_at, read_file, read_link
from .stage import Stage, check_writable, fill
from .state import STATE, TX, Name, discard, listed, owner, remove, unfinished, write_new
from .swap import MAX_SEEN, Job
from .transaction import (
    RECOVER,
    Site,
    close_done,
    give_way,
    keep_conflict,
    put_back,
    settle,
    stands,
    touched,
    uncertain,
)

_ADVICE = "Fix the cause named above, then recover the tree: that finishes what was begun."
_LATER = Problem("unsettled", "it is only partly done, and could not be undone", STATE, advice=_ADVICE, command=RECOVER)
_BY_FORCE = ("Undo it by hand, or force it and lose those edits.", "--force does so.")
_FOREIGN = f"If you don't know where it comes from, remove the folder {STATE}; none of it was used."


# ── reading ──────────────────────────────────────────────────────────────────────────────────────


def _open_folder(state: int, folder: str) -> int:
    try:
        return os.open(folder, OPEN_FOLDER, dir_fd=state)
    except NotADirectoryError:
        raise Refused(Problem("foreign_journal", "it is not a folder", f"{STATE}/{folder}", advice=_FOREIGN)) from None


def _journal(fd: int, key: bytes, folder: str) -> Manifest:
    """The journal in an open folder. Refused unless this user signed it and every path is one that we write."""
    try:
        manifest = from_bytes(read_at(fd, NAME, MAX_BYTES)[0], key)
    except Refused as refused:
        where, advice = f"{STATE}/{folder}", f"{_who_can(fd)} {_FOREIGN}"
        raise Refused(
            *(p._replace(path=where, kind="foreign_journal", advice=advice) for p in refused.problems)
        ) from None
    for path in (*(entry.path for entry in manifest.entries), *manifest.dirs):
        if plain(path) != path:
            raise Refused(
                Problem("unsafe_path", f"the journal in {STATE}/{folder} contains a path that is not normalized", path)
            )
    return manifest


def _who_can(fd: int) -> str:
    """Who can recover a change that this user's key didn't sign: whose journal it is, with the home of that run."""
    who = owner(os.stat(NAME, dir_fd=fd, follow_symlinks=False).st_uid)
    return f"Recover the tree as {who}, with HOME and XDG_STATE_HOME as in the run that was interrupted."


def how_to_recover(site: Site, left: list[str]) -> str:
    """What to advise who only reads, where changes were broken off: who can put them back."""
    for folder in left:
        try:
            fd = _open_folder(site.state, folder)
            try:
                _journal(fd, site.key, folder)
            finally:
                close_done(fd)
        except Refused as refused:
            return refused.problems[0].advice
        except OSError:
            continue
    return "Recover the tree first."


def receipts(site: Site) -> tuple[Receipt, ...]:
    """What was done here, newest first; the files with their modes but without bytes. Skips what is not ours."""
    return tuple(_receipt(manifest, name.undone) for name, manifest in _ours(site))


def _ours(site: Site) -> list[tuple[Name, Manifest]]:
    found = []
    for name in listed(site.state):
        try:
            fd = _open_folder(site.state, name.folder)
        except (OSError, Refused):
            continue
        try:
            found.append((name, _journal(fd, site.key, name.folder)))
        except (OSError, Refused):
            continue
        finally:
            close_done(fd)
    return found


def signed(site: Site) -> list[Name]:
    """The receipts that this user's key signed, newest first: only those count, whoever plants others."""
    return [name for name, _ in _ours(site)]


def not_ours(site: Site) -> tuple[str, ...]:
    """The ids of receipts that this user's key didn't sign, newest first."""
    ours = signed(site)
    return tuple(name.id for name in listed(site.state) if name not in ours)


def _receipt(manifest: Manifest, undone: bool) -> Receipt:
    changes = tuple(
        FileChange(
            entry.path,
            file_of(b"", entry.old, entry.old_mode) if entry.old else None,
            file_of(b"", entry.new, entry.new_mode) if entry.new else None,
        )
        for entry in manifest.entries
    )
    told = manifest.time, manifest.format, manifest.description
    return Receipt(manifest.id, changes, *told, undone, manifest.partial)


def show(site: Site, wanted: str) -> tuple[Receipt, tuple[Note, ...]]:
    """A receipt with the bytes of its files: the last one, or the one named by its id or the start of it.

    What a change displaced lies with its receipt; what it made stands in the tree, or is known by what was changed.
    """
    name = _named(site, wanted) if wanted else next(iter(signed(site)), None)
    if name is None:
        raise Refused(_nothing(site, "there is nothing to show"))
    fd = _open_folder(site.state, name.folder)
    try:
        manifest = _journal(fd, site.key, name.folder)
        kept = _kept(fd)
        changes: list[FileChange] = []
        notes: list[Note] = []
        for entry in manifest.entries:
            old, new = _sides(site, fd, entry, name.undone, kept)
            if (entry.old and old is None) or (entry.new and new is None):
                notes.append(
                    Note("it has been edited since, and its contents after this change were not kept", entry.path)
                )
                continue
            before = file_of(old, entry.old, entry.old_mode) if old is not None else None
            changes.append(
                FileChange(entry.path, before, file_of(new, entry.new, entry.new_mode) if new is not None else None)
            )
    finally:
        close_done(fd)
    return _receipt(manifest, name.undone)._replace(changes=tuple(changes)), tuple(notes)


def _sides(site: Site, fd: int, entry: Entry, undone: bool, kept: dict[int, Kept]) -> tuple[bytes | None, bytes | None]:
    """The bytes before and after a change; None for a side that is not there, or not known any more."""
    saved, here = (
        _saved(fd, entry.mirrored() if undone else entry),
        read_file(site.folders, entry.path, MAX_SEEN, links=entry.is_link),
    )
    old, new = (here, saved) if undone else (saved, here)
    before = old[0] if old and entry.old and entry.old.endswith(digest(old[0])) else None
    after = new[0] if new and entry.new and entry.new.endswith(digest(new[0])) else None
    if after is None and before is not None and entry.number in kept:
        after = kept[entry.number].after(before, entry.new)
    return before, after


def is_untouched(site: Site, folder: int, name: str) -> bool:
    """Whether a receipt, its folder open, is ours and its files still are as it left them."""
    return all(_stands(site, entry) for entry in _journal(folder, site.key, name).entries)


def _stands(site: Site, entry: Entry) -> bool:
    found = read_file(site.folders, entry.path, MAX_SEEN, links=entry.is_link)
    if found is None or not entry.new:
        return found is None and not entry.new
    return found[1].st_mode & 0o777 == entry.new_mode & 0o777 and _mark(found) == entry.new


# ── undo and redo ────────────────────────────────────────────────────────────────────────────────


class Turn(NamedTuple):
    """A receipt on its way from one side to the other."""

    name: Name
    job: Job
    manifest: Manifest
    to_old: bool


def undo(site: Site, wanted: str, *, force: bool) -> Receipt:
    """Take back the last receipt that stands, or the one named by its id or the start of it."""
    return _turned(site, _chosen(site, wanted, undone=False), to_old=True, force=force)


def redo(site: Site, wanted: str) -> Receipt:
    """Make again what was taken back last, or the one named."""
    return _turned(site, _chosen(site, wanted, undone=True), to_old=False, force=False)


def _chosen(site: Site, wanted: str, *, undone: bool) -> Name:
    """The receipt that is meant. Without an id: the last that stands, or the first of those taken back behind it."""
    known = signed(site)
    doing = "redo" if undone else "undo"
    if not wanted:
        last = next((name for name in known if name.undone == undone), None)
        if undone:
            behind = [name for name in known if name.undone]
            standing = max((name.id for name in known if not name.undone), default="")
            last = min((name for name in behind if name.id > standing), default=None)
        if last is None:
            raise Refused(_nothing(site, f"there is nothing to {doing}"))
        return last
    found = _named(site, wanted)
    if found.undone != undone:
        told = f"{found.id} has already been undone" if not undone else f"{found.id} has not been undone"
        raise Refused(Problem("no_receipt", told))
    return found


def _named(site: Site, wanted: str) -> Name:
    """The receipt with this id, or whose id alone begins so."""
    fitting = [name for name in signed(site) if name.id.startswith(wanted)]
    if not fitting:
        others = tuple(id for id in not_ours(site) if id.startswith(wanted))
        raise Refused(
            _unsigned(others) if others else Problem("no_receipt", f"no change has an ID that begins with {wanted!r}")
        )
    if len(fitting) > 1:
        shown = ", ".join(name.id for name in fitting[:5]) + (", …" if len(fitting) > 5 else "")
        detail = f"{len(fitting)} changes have an ID that begins with {wanted!r}: {shown}"
        raise Refused(Problem("ambiguous", detail, advice="Give more characters of the ID."))
    return fitting[0]


def _nothing(site: Site, told: str) -> Problem:
    """The refusal where there is no receipt, or none that can be used."""
    others = not_ours(site)
    advice = "Either nothing was applied here, or everything has been undone."
    return _unsigned(others) if others else Problem("no_receipt", told, advice=advice)


def _unsigned(others: tuple[str, ...]) -> Problem:
    """The refusal of receipts that somebody else, or nobody, signed."""
    shown = ", ".join(others[:3]) + (", …" if len(others) > 3 else "")
    detail = f"{shown} {'is' if len(others) == 1 else 'are'} not signed by this user's key"
    advice = "Run this with the user, home or XDG_STATE_HOME of that change; one made without a key can't be undone."
    return Problem("no_receipt", detail, advice=advice)


def _turned(site: Site, name: Name, *, to_old: bool, force: bool) -> Receipt:
    try:
        fd = _open_folder(site.state, name.folder)
    except OSError:
        raise Refused(Problem("no_receipt", f"the receipt {name.id} can't be read")) from None
    try:
        manifest = _journal(fd, site.key, name.folder)
        manifest, changes = _checked(site, fd, manifest, to_old, force)
        job = Job(site.folders, fd, manifest.id, manifest.entries, manifest.dirs)
        in_place = {entry.path for entry in job.entries if entry.way == "keep"}
        check_writable(site.folders, (*(entry.path for entry in job.entries), *job.dirs), in_place)
        _turn(site, Turn(name, job, manifest, to_old))
    except FileNotFoundError:
        raise Refused(Problem("no_receipt", f"the receipt {name.id} can't be read")) from None
    finally:
        close_done(fd)
    return _receipt(manifest, to_old)._replace(changes=changes)


def _checked(
    site: Site, fd: int, manifest: Manifest, to_old: bool, force: bool
) -> tuple[Manifest, tuple[FileChange, ...]]:
    """What will change, with all bytes. Refused with every file that somebody changed since, unless forced."""
    problems: list[Problem] = []
    changes, entries = [], []
    others: dict[str, Problem] | None = None
    kept = _kept(fd)
    merges: list[tuple[int, bytes, bytes]] = []
    facts: dict[str, Facts] = {}
    free = max((entry.number for entry in manifest.entries), default=0) + 1
    for original in manifest.entries:
        entry = original if to_old else original.mirrored()
        try:
            made = to_old and entry.path in manifest.dirs  # a folder took the place of a file
            here = None if made else read_file(site.folders, entry.path, MAX_SEEN, facts, links=entry.is_link)
        except Refused as refused:
            problems += refused.problems
            continue
        there = _saved(fd, entry)
        if entry.old and (there is None or not entry.old.endswith(digest(there[0]))):
            detail = f"the copy that receipt {manifest.id} kept of it has been changed"
            problems.append(Problem("stale", detail, entry.path, advice="Restore it by hand."))
            continue
        difference = _difference(entry, here)
        if to_old and difference and not force and here and there and not entry.way:
            merged = _merged(entry, kept, there[0], here)
            if isinstance(merged, File):
                found = file_of(here[0], _mark(here), here[1].st_mode)
                changes.append(FileChange(entry.path, merged, found))
                merges.append((free + len(merges), merged.data, here[0]))
                old = mark(merged.data, merged.mode)
                entry = _as_found(original, found)._replace(number=merges[-1][0], old=old, old_mode=merged.mode)
                entries.append(entry)
                continue
            if merged:
                others = _in_between(site, manifest.id, to_old) if others is None else others
                problems.append(_touched(entry.path, merged, here[0], others.get(entry.path)))
                continue
        if difference and not force:
            others = _in_between(site, manifest.id, to_old) if others is None else others
            advice, command = _BY_FORCE if to_old else ("Make the edit again by hand.", "")
            plainly = Problem("stale", difference, advice=advice, command=command)
            problems.append(others.get(entry.path, plainly)._replace(path=entry.path))
        before = file_of(there[0], entry.old, entry.old_mode) if entry.old and there else None
        after = file_of(here[0], _mark(here), here[1].st_mode) if here else None
        changes.append(FileChange(entry.path, before, after) if to_old else FileChange(entry.path, after, before))
        entries.append(_as_found(original, after) if difference else original)
    if problems:
        raise Refused(*problems)
    if tuple(entries) != manifest.entries:
        manifest = manifest._replace(entries=tuple(entries))
        _stage(site, fd, manifest, merges, facts)
        _rewrite(site, fd, manifest)
    return manifest, tuple(changes)


def _merged(
    entry: Entry, kept: dict[int, Kept], old: bytes, here: tuple[bytes, os.stat_result]
) -> File | list[tuple[int, int]]:
    """A file with the change taken back around what was edited since; else which of its lines stand in the way.

    An empty list: it can't be told.
    """
    if entry.is_link or entry.number not in kept or looks_binary(here[0]):
        return []
    changed = kept[entry.number].after(old, entry.new)
    mode, was = here[1].st_mode & 0o7777, entry.new_mode & 0o777
    if entry.old_mode & 0o777 != was:  # the change gave it another mode
        if mode & 0o777 != was:
            return []
        mode = entry.old_mode
    if changed is None:
        return []
    merged = taken_back(changed, old, here[0])
    return File(merged, mode) if isinstance(merged, bytes) else merged


def _touched(path: str, lines: list[tuple[int, int]], now: bytes, later: Problem | None) -> Problem:
    """The refusal of an undo that later edits stand in the way of: which lines, and what is there."""
    shown = ", ".join(str(first) if first == last else f"{first}-{last}" for first, last in lines[:5])
    shown += ", …" if len(lines) > 5 else ""
    which = f"line {shown} of {path} was" if shown.isdigit() else f"lines {shown} of {path} were"
    detail = f"{which} edited after this change"
    text = decode(now).splitlines()
    near = tuple(
        Near(max(first - 1, 1), tuple(text[max(first - 2, 0) : min(last + 1, first + 5)]), "as it is now", first)
        for first, last in lines[:3]
    )
    advice, command = (later.advice, later.command) if later else _BY_FORCE  # later: a change that we made ourselves
    return Problem("stale", detail, path, line=lines[0][0], advice=advice, near=near, command=command)


def _kept(fd: int) -> dict[int, Kept]:
    try:
        return from_kept(read_at(fd, KEPT, MAX_KEPT)[0])
    except (OSError, Refused):
        return {}


def _stage(
    site: Site, fd: int, manifest: Manifest, merges: list[tuple[int, bytes, bytes]], facts: dict[str, Facts]
) -> None:
    """Merged files beside the tree, under numbers of their own: until the journal names them, they mean nothing."""
    if not merges:
        return
    stage = Stage(site.folders, fd, facts, {}, site.settings.durability != "none", {})
    texts = {number: merged for number, merged, _ in merges}
    for entry in manifest.entries:
        if entry.number in texts:
            remove(fd, str(entry.number))
            fill(stage, entry.mirrored(), texts[entry.number], str(entry.number), exact=True)
    draft = f"{KEPT}.new"
    remove(fd, draft)
    # What was kept so far holds until the journal names the merged files, and there are others beside them.
    write_new(fd, draft, read_at(fd, KEPT, MAX_KEPT)[0] + to_kept(merges))
    os.rename(draft, KEPT, src_dir_fd=fd, dst_dir_fd=fd)


def _in_between(site: Site, id: str, to_old: bool) -> dict[str, Problem]:
    """What to turn first, by path: a later receipt that stands; for redo also an earlier one that doesn't."""
    found: dict[str, Problem] = {}
    known = _ours(site)
    if not to_old:
        for name, manifest in known:
            if name.undone and name.id < id:
                detail = f"it depends on receipt {name.id}, which has been undone"
                command = f"Use `anypatch redo {name.id}`."
                first = Problem("stale", detail, advice="Redo that first.", command=command)
                found |= dict.fromkeys([entry.path for entry in manifest.entries], first)
    for name, manifest in reversed(known):
        if not name.undone and name.id > id:
            detail, command = f"receipt {name.id} has changed it since", f"Use `anypatch undo {name.id}`."
            first = Problem("stale", detail, advice="Undo that first.", command=command)
            found |= dict.fromkeys([entry.path for entry in manifest.entries], first)
    return found


def _saved(fd: int, entry: Entry) -> tuple[bytes, os.stat_result] | None:
    try:
        name = entry.copy(old=True)
        return read_link(fd, name) or read_at(fd, name, MAX_SEEN)
    except (FileNotFoundError, Refused):
        return None


def _mark(found: tuple[bytes, os.stat_result]) -> str:
    return mark(found[0], found[1].st_mode)


def _as_found(entry: Entry, found: File | None) -> Entry:
    """The entry for a forced undo: what stands there now is what is taken back."""
    new = mark(found.data, found.mode) if found else ""
    return entry._replace(new=new, new_mode=found.mode & 0o777 if found else 0)


def _rewrite(site: Site, fd: int, manifest: Manifest) -> None:
    draft = f"{NAME}.new"
    remove(fd, draft)
    write_new(fd, draft, to_bytes(manifest, site.key), sync=site.settings.durability != "none")
    os.rename(draft, NAME, src_dir_fd=fd, dst_dir_fd=fd)


def _difference(entry: Entry, here: tuple[bytes, os.stat_result] | None) -> str:
    """How a file differs from how the receipt left it."""
    if here is None:
        return "it is gone" if entry.new else ""
    if not entry.new:
        return "it exists again"
    if _mark(here) != entry.new:
        return "it was edited"
    return "" if here[1].st_mode & 0o777 == entry.new_mode & 0o777 else "its permissions were changed"


def _turn(site: Site, turn: Turn) -> None:
    """From one side to the other, by the code that recovery uses; on failure to where it came from."""
    folder, last = turn.name.folder, f"{turn.name.id}.{turn.name.size}{'.undone' if turn.to_old else ''}"
    way = ("undo." if turn.to_old else "redo.") + f"{turn.name.id}.{turn.name.size}"
    level = site.settings.durability
    made = False
    try:
        _rename(site, folder, way)
        syscalls.sync_all((site.state, turn.job.tx), level, 0)
        conflicts = settle(turn.job, to_old=turn.to_old)
        if conflicts:
            raise Refused(*conflicts)
        syscalls.sync_all(touched(turn.job, may_be_gone=True), level, len(turn.job.entries))
        _rename(site, way, last)
        made = True
        syscalls.sync_all((site.state,), level, 0)
    except BaseException as error:
        made = made or stands(site.state, last)
        raise give_way(error, lambda: _turn_back(site, turn, way, last if made else ""), _LATER) from None


def _turn_back(site: Site, turn: Turn, way: str, last: str) -> tuple[Problem, ...]:
    """To where it came from, also from behind the last rename (`last`). May be called again after an interrupt."""
    if stands(site.state, turn.name.folder):
        return ()
    try:
        if last:
            _rename(site, last, way)
    except FileNotFoundError:
        pass
    except OSError as error:
        done, remedy = ("it was undone", "redo") if turn.to_old else ("it was redone", "undo")
        return (uncertain(done, error, f"anypatch {remedy} {turn.name.id}"),)
    conflicts = settle(turn.job, to_old=not turn.to_old)
    if conflicts:
        return keep_conflict(site, way, turn.name.id, conflicts)
    _rename(site, way, turn.name.folder)
    return ()


def _rename(site: Site, folder: str, other: str) -> None:
    os.rename(folder, other, src_dir_fd=site.state, dst_dir_fd=site.state)


# ── recovery ─────────────────────────────────────────────────────────────────────────────────────


def recover(site: Site) -> tuple[Note, ...]:
    """Put back what a crash left half done, finish what was being undone or made again. Says what it did."""
    notes: list[Note] = []
    for folder in sorted(unfinished(os.listdir(site.state))):
        notes += _recover_change(site) if folder == TX else _recover_turn(site, folder)
    return tuple(notes)


def _recover_change(site: Site) -> tuple[Note, ...]:
    fd = _open_folder(site.state, TX)
    try:
        try:
            manifest = _journal(fd, site.key, TX)
        except FileNotFoundError:
            discard(site.state, TX)  # it never touched the tree
            return ()
        job = Job(site.folders, fd, manifest.id, manifest.entries, manifest.dirs)
        conflicts = put_back(site, job, TX)
    finally:
        close_done(fd)
    if conflicts:
        raise Refused(*conflicts)
    return (Note(f"an interrupted change ({manifest.id}) was undone"),)


def _recover_turn(site: Site, folder: str) -> tuple[Note, ...]:
    to_old = folder.startswith("undo.")
    fd = _open_folder(site.state, folder)
    try:
        manifest = _journal(fd, site.key, folder)
        job = Job(site.folders, fd, manifest.id, manifest.entries, manifest.dirs)
        conflicts = settle(job, to_old=to_old)
        syscalls.sync_all(touched(job, may_be_gone=True), site.settings.durability, len(job.entries))
        if conflicts:
            raise Refused(*keep_conflict(site, folder, manifest.id, conflicts))
        _rename(site, folder, folder.partition(".")[2] + (".undone" if to_old else ""))
        syscalls.sync_all((site.state,), site.settings.durability, 0)
    finally:
        close_done(fd)
    done = "undone" if to_old else "redone"
    return (Note(f"{manifest.id}, which was interrupted while being {done}, was {done}"),)
