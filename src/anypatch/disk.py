"""The only writer into a tree: read, commit, undo. All or nothing; never beyond the root, never through a shell."""

from __future__ import annotations

import time

from . import journal
from .contain import Folders, ending, failure, names, plain, read_file, resolve, suggest
from .errors import Problem, Refused
from .locate.paths import check_new, normalise
from .model import File, FileChange, Receipt
from .transaction import Door, carry_out, new_job, remove_folders


class DiskTree:
    """A directory as a mapping from path to file. Reads when asked, never writes."""

    def __init__(self, root: str) -> None:
        self.folders = Folders(root)
        self._names: dict[str, list[str]] | None = None

    def __enter__(self) -> DiskTree:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the directory."""
        self.folders.close()

    def canonical(self, path: str) -> str:
        """The path of the real file, links inside the root followed. Refused where it may not be touched."""
        return resolve(self.folders, path)

    def read(self, path: str) -> File | None:
        """The file at a canonical path; None where there is none."""
        found = read_file(self.folders, plain(path))
        return File(found[0], found[1].st_mode & 0o777) if found else None

    def ending(self, path: str) -> tuple[str, ...]:
        """The files whose path ends in this one."""
        if self._names is None:
            self._names = names(self.folders)
        return ending(self._names, path)

    def suggest(self, path: str, limit: int = 3) -> tuple[str, ...]:
        """Existing files that may have been meant, best first."""
        try:
            return suggest(self.folders, normalise(path), limit)
        except Refused:
            return ()


def commit(
    tree: DiskTree, changes: tuple[FileChange, ...], *, format: str, description: str, patch: bytes = b""
) -> Receipt:
    """Make all changes or none; what was done can be undone. Where nothing differs, nothing is written.

    `patch` is kept with the receipt, so that the same patch is known again.
    """
    changes = tuple(change for change in changes if change.before != change.after)
    now = time.time()
    if not changes:
        return Receipt("", (), now, format, description)
    for change in changes:
        if plain(change.path) != change.path:
            raise Refused(Problem("unsafe_path", "the path is not in its plain form", change.path))
        if change.before is None:
            check_new(change.path)
    state = journal.open_state(tree.folders.root, make=True)
    try:
        receipt = Receipt(journal.reserve(state, now), changes, now, format, description)
        carry_out(new_job(tree.folders, state, receipt.id, changes), _receipt_door(state, receipt, patch))
        journal.prune(state)
        return receipt
    except OSError as error:
        raise failure(error, journal.STATE) from None
    finally:
        journal.close(state)


def undo(tree: DiskTree, receipt_id: str = "", *, force: bool = False) -> Receipt:
    """Take back the last receipt that is not undone, or the one named by its id or the start of it."""
    state = journal.open_state(tree.folders.root, make=False)
    try:
        name = _chosen(journal.receipts(state), receipt_id)
        receipt, made = journal.load(state, name)
        tree.folders.forget()
        changes = _inverse(tree, receipt, force)
        carry_out(new_job(tree.folders, state, name, changes), _undo_door(state, name))
        remove_folders(tree.folders, made)
        return receipt._replace(undone=True)
    except OSError as error:
        raise failure(error, journal.STATE) from None
    finally:
        journal.close(state)


def applied_as(tree: DiskTree, patch: bytes) -> str:
    """The id of the last receipt, if it is of this very patch and its files still are as it left them; else ""."""
    state = journal.open_state(tree.folders.root, make=False)
    try:
        name = journal.last_with(state, patch)
        if not name:
            return ""
        receipt, _ = journal.load(state, name)
        return name if all(tree.read(change.path) == change.after for change in receipt.changes) else ""
    except (OSError, Refused):
        return ""
    finally:
        journal.close(state)


def receipts(tree: DiskTree) -> tuple[Receipt, ...]:
    """What was done in this tree, newest first; the files without their bytes."""
    state = journal.open_state(tree.folders.root, make=False)
    try:
        return journal.receipts(state)
    except OSError as error:
        raise failure(error, journal.STATE) from None
    finally:
        journal.close(state)


# ── what a commit and an undo note ───────────────────────────────────────────────────────────────


def _receipt_door(state: int, receipt: Receipt, patch: bytes) -> Door:
    return Door(
        lambda made: journal.write_receipt(state, receipt, made, patch),
        lambda: journal.finish(state, receipt.id),
        lambda: journal.abandon(state, receipt.id),
    )


def _undo_door(state: int, name: str) -> Door:
    return Door(
        lambda made: None,
        lambda: journal.mark(state, name, undone=True),
        lambda: journal.mark(state, name, undone=False),
    )


# ── undo ─────────────────────────────────────────────────────────────────────────────────────────


def _chosen(known: tuple[Receipt, ...], wanted: str) -> str:
    """The id of the receipt that is meant."""
    if not wanted:
        last = next((receipt.id for receipt in known if not receipt.undone), "")
        if not last:
            raise Refused(Problem("no_receipt", "nothing is left to undo"))
        return last
    fitting = [receipt for receipt in known if receipt.id == wanted or receipt.id.startswith(wanted)]
    if not fitting:
        raise Refused(Problem("no_receipt", f"no receipt begins with {wanted!r}"))
    if len(fitting) > 1:
        detail = f"{wanted!r} fits {', '.join(receipt.id for receipt in fitting)}"
        raise Refused(Problem("ambiguous", detail, advice="Give more of the id."))
    if fitting[0].undone:
        raise Refused(Problem("no_receipt", f"{fitting[0].id} was undone already"))
    return fitting[0].id


def _inverse(tree: DiskTree, receipt: Receipt, force: bool) -> tuple[FileChange, ...]:
    """From what stands there now to what stood there before. Refused with every file that somebody changed since."""
    changes: list[FileChange] = []
    problems: list[Problem] = []
    for path, before, after in receipt.changes:
        if plain(path) != path:
            raise Refused(Problem("unsafe_path", f"the receipt {receipt.id} names a path that is not plain", path))
        try:
            found = tree.read(path)
        except Refused as refused:
            problems += refused.problems
            continue
        if not force and (difference := _difference(found, after)):
            problems.append(Problem("stale", difference, path, advice="Undo it by hand, or force it and lose that."))
        if found != before:
            changes.append(FileChange(path, found, before))
    if problems:
        raise Refused(*problems)
    return tuple(changes)


def _difference(found: File | None, left: File | None) -> str:
    """How a file differs from how the receipt left it."""
    if found == left:
        return ""
    if found is None:
        return "it is gone since"
    if left is None:
        return "a file stands there again"
    return "its mode was changed since" if found.data == left.data else "it was edited since"
