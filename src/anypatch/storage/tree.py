"""A tree on disk: read, lock, commit, undo, redo, recover. All or nothing, and never outside the root."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Collection, Mapping
from typing import TypeVar

from ..limits import check_changes, check_file
from ..model import File, FileChange, Note, Receipt
from ..paths import check_names, check_new_name, normalize_path, paths_with_suffix, sensitive_problem, similar_paths
from ..problems import Problem, Refused
from ..text import decode
from . import history, state, transaction
from . import undo as undoing
from .history import Selection
from .journal import KEY_SIZE, Manifest, digest, load_key, read_patch_digest
from .sandbox import (
    OPEN_FOLDER,
    Folders,
    Metadata,
    checked_path,
    count_names,
    io_refusal,
    link_at,
    list_files,
    read_file,
    resolve,
)
from .state import STATE, ReceiptName, Settings, State, receipt_names, unfinished
from .transaction import RECOVER, OtherFileSystem, Storage, Task
from .undo import UndoPlan, plan_undo, undo_exactly

T = TypeVar("T")

__all__ = [
    "DiskTree", "Settings", "applied_as", "check_plan", "commit", "foreign_ids", "receipts", "recover", "redo", "show",
    "undo", "versions",
]  # fmt: skip

_INTERRUPTED = "a change in this tree was interrupted, and its files may be half changed"
_NO_KEY = "no key could be stored for this user, so this can't be undone: set XDG_STATE_HOME to a folder of yours"
_LAST = Selection()
_NOTHING_APPLIED = "Nothing was applied in this directory."


class DiskTree:
    """A directory as a tree of files, which are read when they are needed.

    `notes`: what was done besides, such as recovery. `metadata`: that of the files read so far. `checked_paths`: paths
    that are known to be normalized. `undoable`: False if there is no key of the user's to sign changes with.
    """

    def __init__(self, root: str, settings: Settings | None = None) -> None:
        self.root = root
        self.settings = settings or Settings()
        self.folders = Folders(root)
        self.metadata: dict[str, Metadata] = {}
        self.checked_paths: set[str] = set()
        self.notes: list[Note] = []
        self.undoable = True
        self._paths: list[str] | None = None
        self._state: State | None = None
        self._receipt_names: list[ReceiptName] | None = None

    def __enter__(self) -> DiskTree:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the directory and release the lock."""
        self.folders.close()
        if self._state:
            self._state.close()

    def forget(self) -> None:
        """Forget everything read so far, because it may have changed."""
        self.metadata.clear()
        self.folders.forget()
        self._receipt_names = None

    def canonical(self, path: str) -> str:
        """Return the path of the real file, with links inside the root followed. Refuse paths that lead elsewhere."""
        real_path = resolve(self.folders, path)
        self.checked_paths.add(real_path)
        return real_path

    def read(self, path: str) -> File | None:
        """Return the file at a canonical path; None if it doesn't exist."""
        if self.settings.watch:
            self.settings.watch("read", path)
        known = path if path in self.checked_paths else checked_path(path)
        contents = read_file(self.folders, known, self.settings.limits.file_bytes, self.metadata)
        if contents is None:
            return None
        data, status = contents
        check_file(path, data, self.settings.limits)
        return File(data, status.st_mode & 0o777)

    def ending(self, path: str) -> tuple[str, ...]:
        """Return the files whose path ends in this one."""
        return tuple(sorted(known for known in self.all_paths() if known == path or known.endswith(f"/{path}")))

    def suggest(self, path: str) -> tuple[str, ...]:
        """Return existing files that may be the intended one, best first."""
        try:
            return similar_paths(normalize_path(path), list_files(self.folders)[0])
        except Refused:
            return ()

    def all_paths(self) -> Collection[str]:
        """Return the paths of all files; none if the tree is too large to walk."""
        if self._paths is None:
            paths, complete = list_files(self.folders)
            self._paths = paths if complete else []
        return self._paths

    def alike(self, path: str) -> tuple[str, ...]:
        """Return the files with the same suffix."""
        return paths_with_suffix(path, self.all_paths())

    def inside(self, folder: str, depth: int) -> tuple[str, ...]:
        """Return what is below a folder, so many levels deep, without hidden files; folders end in `/`."""
        start = f"{folder}/" if folder else ""
        paths: set[str] = set()
        for path in self.below(folder):
            parts = path.removeprefix(start).split("/")
            if not any(part.startswith(".") for part in parts):
                paths |= {start + "/".join(parts[:level]) + "/" for level in range(1, min(depth, len(parts) - 1) + 1)}
                paths |= {path} if len(parts) <= depth else set()
        return tuple(sorted(paths))

    def below(self, folder: str) -> list[str]:
        """Return the files below a folder, sorted; none if the tree is too large to walk."""
        return sorted(path for path in self.all_paths() if not folder or path.startswith(folder + "/"))

    def has_folder(self, path: str) -> bool:
        """Return True if a path is a folder."""
        try:
            self.folders.fd(resolve(self.folders, path))
        except (OSError, Refused):
            return False
        return True

    def link(self, path: str) -> tuple[str, str] | None:
        """Return a symbolic link's own path and its target; None if the path isn't a link."""
        link = link_at(self.folders, path)
        if link:
            self.checked_paths.add(link[0])
            read_file(self.folders, link[0], self.settings.limits.file_bytes, self.metadata, links=True)
        return link

    def lock(self, *, make: bool) -> bool:
        """Keep other processes from changing the tree until it is closed, and recover it if that is needed.

        Return False if there is no state directory and `make` is False: then nothing was ever changed here.
        """
        opened = self.state(make=make)
        if opened is None:
            return False
        if opened.lock_fd < 0:
            try:
                state.lock(opened, self.settings.lock_timeout)
                self._receipt_names = None
                folders = os.listdir(opened.fd)
                if unfinished(folders):
                    self.notes += undoing.recover(self.storage(make_key=False))
                else:
                    self._receipt_names = receipt_names(folders)
            except OSError as error:
                raise io_refusal(error, STATE) from None
        return True

    def check_settled(self) -> None:
        """Wait for a process that is changing the tree. Refuse to read a tree that needs recovery."""
        opened = self.state(make=False)
        try:
            interrupted = unfinished(os.listdir(opened.fd)) if opened else []
        except OSError as error:
            raise io_refusal(error, STATE) from None
        if opened and interrupted:
            try:
                state.lock(opened, self.settings.lock_timeout)
                interrupted = unfinished(os.listdir(opened.fd))
            except OSError:
                pass  # where the lock can't be opened, nobody can be changing the tree
            opened.unlock()
        if interrupted:
            hint = history.how_to_recover(self.storage(make_key=False), interrupted)
            raise Refused(Problem("unsettled", _INTERRUPTED, hint=hint, command=RECOVER))

    def state(self, *, make: bool) -> State | None:
        """Return the state directory, opened once."""
        if self._state is None:
            self._state = state.open_state(self.folders, self.settings.state_dir, make=make)
        return self._state

    def receipt_names(self) -> list[ReceiptName]:
        """Return the receipts, newest first. Under the lock they are listed once: nobody else adds any."""
        assert self._state is not None
        if self._receipt_names is None or self._state.lock_fd < 0:
            self._receipt_names = receipt_names(os.listdir(self._state.fd))
        return self._receipt_names

    def storage(self, *, make_key: bool) -> Storage:
        """Return where changes are made. If the user's key can't be stored, `make_key` makes one for this process."""
        assert self._state is not None
        try:
            key = load_key(make=make_key)
        except OSError as error:
            raise io_refusal(error, "the key in XDG_STATE_HOME") from None
        if not key and make_key:
            key = os.urandom(KEY_SIZE)
            self.undoable = False
            self.notes.append(Note(_NO_KEY, kind="no_key"))
        return Storage(self.folders, self._state.fd, key, self.settings)


class Directory:
    """A directory as a `Tree` to plan on: it is only read, and nothing outside it is read."""

    def __init__(self, root: str | os.PathLike[str]) -> None:
        self.root = os.fspath(root)

    def read(self, path: str) -> str | None:
        """The text of a file; None if it doesn't exist. Bytes that are not UTF-8 are lone surrogates."""
        with DiskTree(self.root) as tree:
            file = tree.read(tree.canonical(path))
        return decode(file.data) if file else None

    def list(self) -> tuple[str, ...]:
        """The paths of all files that patches may change."""
        with DiskTree(self.root) as tree:
            return tuple(sorted(tree.all_paths()))


# ── commit ───────────────────────────────────────────────────────────────────────────────────────


def commit(  # noqa: PLR0913 - what a receipt records
    tree: DiskTree,
    changes: tuple[FileChange, ...],
    *,
    format: str,
    description: str,
    patch: bytes = b"",
    origins: Mapping[str, str] | None = None,
    partial: bool = False,
) -> Receipt:
    """Make all changes or none; they can be undone. Writes nothing if nothing differs.

    `patch`: to recognise the same patch later. `origins`: which files were moved, new path to old.
    `partial`: the changes are only a part of what the patch says.
    """
    changes = tuple(change for change in changes if change.before != change.after)
    head = Manifest("", time.time(), format, description, digest(patch) if patch else "", (), (), partial)
    if not changes:
        return Receipt("", (), head.time, format, description, partial=partial)
    for change in changes:
        if change.path not in tree.checked_paths and checked_path(change.path) != change.path:
            raise Refused(Problem("unsafe_path", "it is not normalized", change.path))
        if change.before is None:
            check_new_name(change.path)
    return _commit(tree, Task(head, changes, tree.metadata, origins or {}))


def _commit(tree: DiskTree, task: Task) -> Receipt:
    """Carry out a task, whose head still lacks an id, and keep its receipt."""
    tree.lock(make=True)
    if tree.settings.watch:
        tree.settings.watch("write", str(len(task.changes)))
    storage = tree.storage(make_key=True)
    try:
        names = tree.receipt_names()
        id = state.new_id(names, task.head.time)
        head = task.head._replace(id=id, session=tree.settings.session, turn=tree.settings.turn)
        _check_files(tree, task.changes)
        if tree.settings.hardlinks == "keep":
            task = task._replace(in_place=frozenset(_hard_linked(tree, task.changes)))
        names.insert(0, _carry_out(storage, task._replace(head=head)))
        _prune(storage, names)
    except OSError as error:
        raise io_refusal(error, STATE) from None
    return Receipt(
        id, task.changes, head.time, head.format, head.description, False, head.partial, tree.undoable, head.session,
        head.turn, head.undoes,
    )  # fmt: skip


def _check_files(tree: DiskTree, changes: tuple[FileChange, ...]) -> None:
    """Read the metadata of the files that are replaced. Refuse if one is gone, or two paths are the same file."""
    path_by_inode: dict[tuple[int, int], str] = {}
    for path, before, _ in changes:
        if before is None:
            continue
        if path not in tree.metadata:
            try:
                limit = tree.settings.limits.file_bytes
                if read_file(tree.folders, path, limit, tree.metadata, links=before.is_link) is None:
                    raise Refused(Problem("stale", "it no longer exists", path))
            except Refused as refused:
                if refused.problems[0].kind in ("io", "stale"):
                    raise
                raise Refused(Problem("stale", "it is no longer a regular file", path)) from None
        status = tree.metadata[path].stat
        other = path_by_inode.setdefault((status.st_dev, status.st_ino), path)
        if other != path:
            detail = f"{other} and {path} are the same file"
            raise Refused(Problem("ambiguous", detail, path, advice="Edit it under one of its names only."))


def _carry_out(storage: Storage, task: Task) -> ReceiptName:
    """Carry out a task. Start again with another method for a folder that turns out to be on another file system."""
    while True:
        try:
            return transaction.carry_out(storage, task)
        except OtherFileSystem as other:
            task = task._replace(far=task.far | {other.folder})


def _hard_linked(tree: DiskTree, changes: tuple[FileChange, ...]) -> list[str]:
    """Return the edited files that have other hard links."""
    known = tree.metadata
    return [c.path for c in changes if c.before and c.after and c.path in known and known[c.path].stat.st_nlink > 1]


def check_plan(tree: DiskTree, changes: tuple[FileChange, ...]) -> tuple[Note, ...]:
    """Refuse changes that the limits, the names or the hard links of the files forbid. Return notes about the rest."""
    check_changes(changes, tree.settings.limits)
    notes, problems = check_names(changes, allow_sensitive=tree.settings.allow_sensitive)
    for path in _hard_linked(tree, changes):
        status = tree.metadata[path].stat
        count = status.st_nlink
        if tree.settings.hardlinks == "refuse":
            problems.append(Problem("hard_link", f"the file has {count} hard links", path))
        elif tree.settings.hardlinks == "replace":
            notes.append(Note(f"the file had {count} hard links; the others keep the old text", path))
        elif (inside := count_names(tree.folders, status)) < count:
            detail = f"{count - inside} of its {count} hard links are outside the tree, and would be changed, too"
            problems.append(Problem("hard_link", detail, path))
    if problems:
        raise Refused(*problems)
    return tuple(notes)


def _prune(storage: Storage, names: list[ReceiptName]) -> None:
    """Remove old receipts. Folders that only look like receipts push none of the user's own out.

    The change is already made: if this fails, the receipts are removed another time.
    """
    if len(names) <= storage.settings.keep and sum(name.size for name in names) <= state.KEEP_BYTES:
        return
    try:
        signed = [record.name for record in history.records(storage)]
        # The rest of a receipt that couldn't be removed isn't signed any more: it comes last, with what was planted.
        state.prune(storage.state, [*signed, *(name for name in names if name not in signed)], storage.settings.keep)
    except (OSError, KeyboardInterrupt):
        return


# ── history ──────────────────────────────────────────────────────────────────────────────────────


def undo(
    tree: DiskTree,
    selection: Selection = _LAST,
    *,
    force: bool = False,
    dry_run: bool = False,
    expected: tuple[FileChange, ...] | None = None,
) -> Receipt:
    """Undo receipts as one change. Return the receipt that is undone now, or that of the undo, with its `undoes`.

    `dry_run`: only plan it. `expected`: what it must change; refused if it would change anything else.
    """
    _begin(tree, "undo", dry_run=dry_run)
    plan = _with_storage(
        tree,
        lambda storage: plan_undo(storage, history.select_to_undo(storage, selection), tree.metadata, force=force),
    )
    _check_undo(tree, plan, expected)
    tree.notes += plan.notes
    undoes = tuple(record.id for record in plan.undone)
    head = Manifest("", time.time(), "undo", "", "", (), (), undoes=undoes, removed_dirs=plan.removed_dirs)
    if dry_run:
        return Receipt("", plan.changes, head.time, head.format, undoes=undoes)
    if plan.is_exact:
        receipt = _with_storage(tree, lambda storage: undo_exactly(storage, plan.undone[0]))
        return receipt._replace(changes=tuple(change.inverse() for change in plan.changes))
    return _commit(tree, Task(head, plan.changes, tree.metadata, {}, restored=plan.restored))


def _check_undo(tree: DiskTree, plan: UndoPlan, expected: tuple[FileChange, ...] | None) -> None:
    """Refuse files that only a person may change, and files that would change in another way than was shown."""
    problems = [] if tree.settings.allow_sensitive else [*map(sensitive_problem, (c.path for c in plan.changes))]
    if expected is not None and expected != plan.changes:
        advice = "Look at the undo once more."
        paths = dict.fromkeys(change.path for change in {*expected} ^ {*plan.changes})
        problems += [Problem("stale", "it has changed since the undo was shown", path, advice=advice) for path in paths]
    refusals = [problem for problem in problems if problem]
    if refusals:
        raise Refused(*refusals)


def redo(tree: DiskTree, receipt_id: str = "") -> Receipt:
    """Redo what was undone last, or the receipt whose id begins with `receipt_id`."""
    _begin(tree, "redo")
    return _with_storage(tree, lambda storage: undoing.redo(storage, receipt_id))


def _begin(tree: DiskTree, verb: str, *, dry_run: bool = False) -> None:
    """Lock a tree to undo or redo something, or only wait until it isn't being changed."""
    if dry_run:
        tree.check_settled()
    else:
        tree.lock(make=False)
    if tree.state(make=False) is None:
        raise Refused(Problem("no_receipt", f"there is nothing to {verb}", advice=_NOTHING_APPLIED))
    tree.forget()


def recover(tree: DiskTree) -> tuple[Note, ...]:
    """Recover from a crash, and do nothing else. Every change does so first. Return notes of what was done."""
    tree.lock(make=False)
    return tuple(tree.notes)


def applied_as(tree: DiskTree, patch: bytes) -> str:
    """Return the id of the last receipt if it is of this very patch and its files are as it left them; else ""."""
    try:
        opened = tree.state(make=False)
        last = _last_applied(tree, opened.fd) if opened else None
        if opened is None or last is None:
            return ""
        fd = os.open(last.folder, OPEN_FOLDER, dir_fd=opened.fd)
        try:
            if read_patch_digest(fd) != digest(patch):
                return ""
            return last.id if history.is_untouched(tree.storage(make_key=False), fd, last.folder) else ""
        finally:
            os.close(fd)
    except (OSError, Refused):
        return ""


def _last_applied(tree: DiskTree, state_fd: int) -> ReceiptName | None:
    """Return the last receipt whose change isn't undone. All journals are read only if the last may be an undo."""
    last = next((name for name in tree.receipt_names() if not name.undone), None)
    if last is None:
        return None
    fd = os.open(last.folder, OPEN_FOLDER, dir_fd=state_fd)
    try:
        if read_patch_digest(fd):  # an undo has no patch
            return last
    finally:
        os.close(fd)
    known = history.records(tree.storage(make_key=False))
    return next((record.name for record in known if record.can_be_undone), None)


def receipts(tree: DiskTree) -> tuple[Receipt, ...]:
    """Return this user's receipts, newest first. Their files have modes but no contents."""
    if tree.state(make=False) is None:
        return ()
    return tuple(record.receipt() for record in _with_storage(tree, history.records))


def show(tree: DiskTree, receipt_id: str = "") -> tuple[Receipt, tuple[Note, ...]]:
    """Return a receipt with the contents of its files, the last or the one named, and a note for each lost file."""
    if tree.state(make=False) is None:
        raise Refused(Problem("no_receipt", "there is nothing to show", advice=_NOTHING_APPLIED))
    return _with_storage(tree, lambda storage: history.show(storage, receipt_id))


def versions(tree: DiskTree, path: str) -> list[bytes]:
    """Return the contents that a file had before and after each change, newest first, as far as receipts know them."""
    if tree.state(make=False) is None:
        return []
    return _with_storage(tree, lambda storage: history.versions(storage, path))


def foreign_ids(tree: DiskTree) -> tuple[str, ...]:
    """Return the ids of receipts that no key of this user signed, newest first: they can't be undone."""
    return _with_storage(tree, history.foreign_ids) if tree.state(make=False) else ()


def _with_storage(tree: DiskTree, action: Callable[[Storage], T]) -> T:
    try:
        return action(tree.storage(make_key=False))
    except OSError as error:
        raise io_refusal(error, STATE) from None
