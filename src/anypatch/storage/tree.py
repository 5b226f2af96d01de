"""The front door to a tree on disk: read, lock, commit, undo, redo, recover. All or nothing; never beyond the root."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Collection, Iterator, Mapping
from typing import TYPE_CHECKING

from ..limits import check_changes, check_file
from ..model import File, FileChange, Note, Receipt
from ..paths import check_new, look_at_names, normalise, some_alike
from ..problems import Problem, Refused
from ..text import decode
from .sandbox import (  # fmt: skip
    OPEN_FOLDER,
    Facts,
    Folders,
    ending,
    failure,
    link_at,
    names,
    names_of,
    plain,
    read_file,
    resolve,
    suggest,
)
from .state import Name, Settings, State, lock, new_id, open_state, prune, receipts_among, unfinished

if TYPE_CHECKING:
    from typing import TypeVar

    from .transaction import Site, Task

    T = TypeVar("T")

__all__ = [
    "DiskTree", "Settings", "applied_as", "commit", "look_over", "not_ours", "receipts", "recover", "redo", "undo",
]  # fmt: skip

_BROKEN_OFF = "a change in this tree was interrupted, and its files may be half changed"
_NO_KEY = "no key could be stored for this user, so this can't be undone: set XDG_STATE_HOME to a folder of yours"


class DiskTree:
    """A directory as a mapping from path to file. Reads when asked; `notes` fills with what was done besides."""

    def __init__(self, root: str, settings: Settings | None = None) -> None:
        self.settings = settings or Settings()
        self.folders = Folders(root)
        self._names: dict[str, list[str]] | None = None
        self.facts: dict[str, Facts] = {}
        self.plain: set[str] = set()  # paths that are known to be in their plain form
        self.notes: list[Note] = []
        self.undoable = True  # whether the user's key signs what is done here
        self._state: State | None = None
        self._known: list[Name] | None = None

    def __enter__(self) -> DiskTree:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the directory, and of the lock."""
        self.folders.close()
        if self._state:
            self._state.close()

    def forget(self) -> None:
        """Nothing that was read so far holds any more."""
        self.facts.clear()
        self.folders.forget()
        self._known = None

    def canonical(self, path: str) -> str:
        """The path of the real file, links inside the root followed. Refused where it may not be touched."""
        found = resolve(self.folders, path)
        self.plain.add(found)
        return found

    def read(self, path: str) -> File | None:
        """The file at a canonical path; None where there is none."""
        if self.settings.watch:
            self.settings.watch("read", path)
        known = path if path in self.plain else plain(path)
        found = read_file(self.folders, known, self.settings.limits.file_bytes, self.facts)
        if found:
            check_file(path, found[0], self.settings.limits)
        return File(found[0], found[1].st_mode & 0o777) if found else None

    def ending(self, path: str) -> tuple[str, ...]:
        """The files whose path ends in this one."""
        return ending(self._listed(), path)

    def suggest(self, path: str, limit: int = 3) -> tuple[str, ...]:
        """Existing files that may have been meant, best first."""
        try:
            return suggest(self.folders, normalise(path), limit)
        except Refused:
            return ()

    def all_paths(self) -> Collection[str]:
        """The paths of all files."""
        return list(_paths(self._listed()))

    def alike(self, path: str) -> tuple[str, ...]:
        """Files with the same suffix."""
        return some_alike(path, _paths(self._listed()))

    def inside(self, folder: str, depth: int) -> tuple[str, ...]:
        """What is below a folder, so many levels deep, hidden files aside; folders have a `/` behind them."""
        start = f"{folder}/" if folder else ""
        found: set[str] = set()
        for path in self.below(folder):
            parts = path.removeprefix(start).split("/")
            if not any(part.startswith(".") for part in parts):
                found |= {start + "/".join(parts[:level]) + "/" for level in range(1, min(depth, len(parts) - 1) + 1)}
                found |= {path} if len(parts) <= depth else set()
        return tuple(sorted(found))

    def below(self, folder: str) -> list[str]:
        """The files below a folder, by path; none where the tree is too large to be sure."""
        return sorted(path for path in _paths(self._listed()) if not folder or path.startswith(folder + "/"))

    def _listed(self) -> dict[str, list[str]]:
        if self._names is None:
            self._names = names(self.folders)
        return self._names

    def has_folder(self, path: str) -> bool:
        """Whether a folder of that name is there."""
        try:
            self.folders.fd(resolve(self.folders, path))
        except (OSError, Refused):
            return False
        return True

    def link(self, path: str) -> tuple[str, str] | None:
        """Of a symbolic link its own path, and where it points; None for all else."""
        found = link_at(self.folders, path)
        if found:
            self.plain.add(found[0])
            read_file(self.folders, found[0], self.settings.limits.file_bytes, self.facts, links=True)
        return found

    def lock(self, *, make: bool) -> bool:
        """Keep other processes from changing the tree until it is closed, and put back what a crash left.

        Without `make`: only where there is a state directory; else nobody has ever changed it, and False comes back.
        """
        state = self.state(make=make)
        if state is None:
            return False
        if state.held < 0:
            try:
                lock(state, self.settings.lock_timeout)
                self._known = None
                found = os.listdir(state.fd)
                if unfinished(found):
                    from .history import recover as put_back

                    self.notes += put_back(self.site(make=False))
                else:
                    self._known = receipts_among(found)
            except OSError as error:
                raise failure(error, ".anypatch") from None
        return True

    def look(self) -> None:
        """Before it is only read: wait for who is changing it; refuse what a crash left, as nothing is put back."""
        state = self.state(make=False)
        try:
            left = unfinished(os.listdir(state.fd)) if state else []
        except OSError as error:
            raise failure(error, ".anypatch") from None
        if state and left:
            try:
                lock(state, self.settings.lock_timeout)
                left = unfinished(os.listdir(state.fd))
            except OSError:
                pass  # nobody can be changing it where not even the lock can be had
            state.let_go()
        if left:
            from .history import how_to_recover
            from .transaction import RECOVER

            advice = how_to_recover(self.site(make=False), left)
            raise Refused(Problem("unsettled", _BROKEN_OFF, advice=advice, command=RECOVER))

    def state(self, *, make: bool) -> State | None:
        """The state directory, opened once."""
        if self._state is None:
            self._state = open_state(self.folders, self.settings.state_dir, make=make)
        return self._state

    def known(self) -> list[Name]:
        """The receipts by name, newest first; looked up once under the lock, where nobody else makes any."""
        assert self._state is not None
        if self._known is None or self._state.held < 0:
            self._known = receipts_among(os.listdir(self._state.fd))
        return self._known

    def site(self, *, make: bool) -> Site:
        """Where changes are made; the state directory is open. Without a key of the user's, one for this process."""
        from .journal import SIZE, load
        from .transaction import Site

        assert self._state is not None
        try:
            key = load(make=make)
        except OSError as error:
            raise failure(error, "the key in XDG_STATE_HOME") from None
        if not key and make:
            key = os.urandom(SIZE)
            self.undoable = False
            self.notes.append(Note(_NO_KEY, kind="no_key"))
        return Site(self.folders, self._state.fd, key, self.settings)


def _paths(known: dict[str, list[str]]) -> Iterator[str]:
    """The paths of what `names` gave."""
    return (f"{place}/{name}" if place else name for name, places in known.items() for place in places)


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
            return tuple(sorted(_paths(names(tree.folders))))


def commit(  # noqa: PLR0913 - what a receipt tells
    tree: DiskTree,
    changes: tuple[FileChange, ...],
    *,
    format: str,
    description: str,
    patch: bytes = b"",
    origins: Mapping[str, str] | None = None,
    partial: bool = False,
) -> Receipt:
    """Make all changes or none; what was done can be undone. Where nothing differs, nothing is written.

    `patch`: so that the same patch is known again. `origins`: which files were moved, new name to old.
    `partial`: they are a part of what the patch says.
    """
    changes = tuple(change for change in changes if change.before != change.after)
    now = time.time()
    if not changes:
        return Receipt("", (), now, format, description, partial=partial)
    for change in changes:
        if change.path not in tree.plain and plain(change.path) != change.path:
            raise Refused(Problem("unsafe_path", "it is not normalized", change.path))
        if change.before is None:
            check_new(change.path)
    from .journal import Manifest, digest
    from .transaction import Task

    tree.lock(make=True)
    if tree.settings.watch:
        tree.settings.watch("write", str(len(changes)))
    site = tree.site(make=True)
    try:
        told = now, format, description, digest(patch) if patch else ""
        head = Manifest(new_id(tree.known(), now), *told, (), (), partial)
        facts = _facts(tree, changes)
        kept = frozenset(_linked(tree, changes)) if tree.settings.hardlinks == "keep" else frozenset()
        done = _carried_out(site, Task(head, changes, facts, origins or {}, kept))
        known = tree.known()
        known.insert(0, done)
        _pruned(site, known)
    except OSError as error:
        raise failure(error, ".anypatch") from None
    return Receipt(head.id, changes, now, format, description, False, partial, tree.undoable)


def _facts(tree: DiskTree, changes: tuple[FileChange, ...]) -> Mapping[str, Facts]:
    """What is known of the files that stand there. Refused where two paths of the patch are one file."""
    seen: dict[tuple[int, int], str] = {}
    for path, before, _ in changes:
        if before is None:
            continue
        if path not in tree.facts:
            try:
                limit = tree.settings.limits.file_bytes
                if read_file(tree.folders, path, limit, tree.facts, links=before.is_link) is None:
                    raise Refused(Problem("stale", "it no longer exists", path))
            except Refused as refused:
                if refused.problems[0].kind in ("io", "stale"):
                    raise
                raise Refused(Problem("stale", "it is no longer a regular file", path)) from None
        facts = tree.facts[path].stat
        other = seen.setdefault((facts.st_dev, facts.st_ino), path)
        if other != path:
            detail = f"{other} and {path} are the same file"
            raise Refused(Problem("ambiguous", detail, path, advice="Edit it under one of its names only."))
    return tree.facts


def _carried_out(site: Site, task: Task) -> Name:
    """Carry it out; files in folders that turn out to be on other file systems go another way."""
    from .transaction import Elsewhere, carry_out

    while True:
        try:
            return carry_out(site, task)
        except Elsewhere as elsewhere:
            task = task._replace(apart=task.apart | {elsewhere.folder})


def _linked(tree: DiskTree, changes: tuple[FileChange, ...]) -> list[str]:
    """The files among those edited that have other names."""
    known = tree.facts
    return [c.path for c in changes if c.before and c.after and c.path in known and known[c.path].stat.st_nlink > 1]


def look_over(tree: DiskTree, changes: tuple[FileChange, ...]) -> tuple[Note, ...]:
    """What is to be known of the files that a plan changes, before it is carried out. Refused where it may not be."""
    check_changes(changes, tree.settings.limits)
    notes, problems = look_at_names(changes, allow_sensitive=tree.settings.allow_sensitive)
    for path in _linked(tree, changes):
        count = tree.facts[path].stat.st_nlink
        if tree.settings.hardlinks == "refuse":
            problems.append(Problem("hard_link", f"the file has {count} hard links", path))
        elif tree.settings.hardlinks == "replace":
            notes.append(Note(f"the file had {count} hard links; the others keep the old text", path))
        elif (found := names_of(tree.folders, tree.facts[path].stat)) < count:
            detail = f"{count - found} of its {count} hard links are outside the tree, and would be changed, too"
            problems.append(Problem("hard_link", detail, path))
    if problems:
        raise Refused(*problems)
    return tuple(notes)


def _pruned(site: Site, known: list[Name]) -> None:
    """Keep the last receipts. Folders that only look like some push none of the user's own out.

    The change is made by now: what fails here is no failure of it, and the receipts go another time.
    """
    from . import state

    if len(known) <= site.settings.keep and sum(name.size for name in known) <= state.KEEP_BYTES:
        return
    from .history import signed

    try:
        own = signed(site)
        # What is left of a receipt that couldn't be removed is no longer signed: it goes last, with what is planted.
        prune(site.state, [*own, *(name for name in known if name not in own)], site.settings.keep)
    except (OSError, KeyboardInterrupt):
        return


def undo(tree: DiskTree, receipt_id: str = "", *, force: bool = False) -> Receipt:
    """Take back the last receipt that is not undone, or the one named by its id or the start of it."""
    from . import history

    return _turned(tree, lambda site: history.undo(site, receipt_id, force=force), "undo")


def redo(tree: DiskTree, receipt_id: str = "") -> Receipt:
    """Make again what was undone last, or the one named."""
    from . import history

    return _turned(tree, lambda site: history.redo(site, receipt_id), "redo")


def _turned(tree: DiskTree, action: Callable[[Site], Receipt], doing: str) -> Receipt:
    if not tree.lock(make=False):
        advice = "Nothing was applied in this directory."
        raise Refused(Problem("no_receipt", f"there is nothing to {doing}", advice=advice))
    tree.forget()
    return _asked(tree, action)


def recover(tree: DiskTree) -> tuple[Note, ...]:
    """Put back what a crash left half done. Every change does so first; this does no more. Says what it did."""
    tree.lock(make=False)
    return tuple(tree.notes)


def applied_as(tree: DiskTree, patch: bytes) -> str:
    """The id of the last receipt, if it is of this very patch and its files still are as it left them; else ""."""
    try:
        state = tree.state(make=False)
        last = next((name for name in tree.known() if not name.undone), None) if state else None
        if state is None or last is None:
            return ""
        from .journal import is_of

        fd = os.open(last.folder, OPEN_FOLDER, dir_fd=state.fd)
        try:
            if not is_of(fd, patch):
                return ""
            from .history import is_untouched

            return last.id if is_untouched(tree.site(make=False), fd, last.folder) else ""
        finally:
            os.close(fd)
    except (OSError, Refused):
        return ""


def receipts(tree: DiskTree) -> tuple[Receipt, ...]:
    """What was done in this tree, newest first; the files without their bytes."""
    from . import history

    return _asked(tree, history.receipts) if tree.state(make=False) else ()


def show(tree: DiskTree, receipt_id: str = "") -> tuple[Receipt, tuple[Note, ...]]:
    """A receipt with the bytes of its files: the last, or the one named; with a note for each that isn't known."""
    from . import history

    if tree.state(make=False) is None:
        raise Refused(
            Problem("no_receipt", "there is nothing to show", advice="Nothing was applied in this directory.")
        )
    return _asked(tree, lambda site: history.show(site, receipt_id))


def not_ours(tree: DiskTree) -> tuple[str, ...]:
    """The ids of receipts in this tree that no key of this user signed, newest first: they can't be undone."""
    from . import history

    return _asked(tree, history.not_ours) if tree.state(make=False) else ()


def _asked(tree: DiskTree, ask: Callable[[Site], T]) -> T:
    """What the history of a tree with a state directory says or does."""
    try:
        return ask(tree.site(make=False))
    except OSError as error:
        raise failure(error, ".anypatch") from None
