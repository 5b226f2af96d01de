"""The public calls: apply an answer, preview it, apply it in memory, undo it."""

from __future__ import annotations

import builtins
import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from datetime import datetime
from typing import TYPE_CHECKING, Annotated, NamedTuple, TypeVar, overload

from .answer.read import read
from .answer.unwrap import as_text
from .formats import Format, checked_name, named, scores
from .formats import known as formats
from .hints import NOT_FOR_MODELS, Accept, Answer, AsyncTree, Base, Folder, FormatName, Hashes, SyntaxCheck, Tree
from .match.files import missing
from .model import FileChange, Note, Patch, Plan, Receipt, paths_of
from .pipeline import ApplyOptions, apply_to_folder, apply_to_tree, read_and_apply
from .problems import Problem, Refused
from .result import Result, no_plan
from .storage import tree as disk
from .storage.history import Selection
from .storage.state import Settings
from .syntax.check import MODES
from .text import decode, looks_binary, patch_lines
from .tree import Files, LoadedTree, MemoryTree, NotLoaded, as_tree

if TYPE_CHECKING:
    from .match.files import Tree as Planned
    from .tree import TreeBefore

_logger = logging.getLogger(__name__)
How = Annotated[Settings | None, NOT_FOR_MODELS]
# Files of these types come back as the same type.
FilesT = TypeVar(
    "FilesT", dict[str, str], dict[str, bytes], dict[str, str | bytes], Files, Mapping[str, str], Mapping[str, bytes]
)
RULES = ("file", "lines", "symbol", "overlay")  # by which a sketch becomes a proposal
__all__ = [
    "Parsed", "apply", "apply_to", "apply_to_async", "effect", "format_given", "format_named", "formats", "log",
    "look", "not_ours", "parse", "preview", "read", "recover", "redo", "rules_of", "same_effect", "scores", "show",
    "undo", "view",
]  # fmt: skip


# ── to a directory ──────────────────────────────────────────────────────────────────────────────────


def apply(  # noqa: PLR0913 - each is an option of the command too
    answer: Answer,
    root: Folder,
    *,
    format: FormatName | None = None,
    overwrite: bool | None = None,
    dry_run: bool = False,
    again: bool = False,
    partial: bool = False,
    syntax: SyntaxCheck = "warn",
    expected: Hashes = None,
    base: Base = None,
    file: str = "",
    accept: Accept = None,
    settings: How = None,
) -> Result:
    """Apply an answer to a directory: all of its edits, or none and every reason why.

    Never raises because of the answer, the tree or the machine: `result.ok` says whether, `result.problems` why not.

    Args:
        answer: What the model wrote: text with edits in any format, or the dict or list that a vendor's SDK returns.
        root: The directory. Nothing outside it is touched.
        format: The format of the edits. Detected if omitted.
        overwrite: Whether a new file may replace an existing one. If omitted, the format decides.
        dry_run: Report what would happen, and write nothing.
        again: Apply it even if it was the last one applied and nothing has changed since.
        partial: Apply what can be placed, and return the rest as a patch in `result.rest`.
        syntax: What to do about a file that parsed before and no longer would: "warn" adds a note (up to 64 KiB are
            checked), "refuse" refuses, "off" doesn't check.
        expected: The hash that each file, or `path#symbol`, had when it was read. If it has changed, its contents are
            looked up in the receipts and in git, as a `base`; refused as stale if neither has them.
        base: The files as they were when the answer was written: a mapping, a `Tree`, or the name of a commit. The
            answer is planned on them, and its changes are merged into the files as they are now.
        file: The path for fences and edits for which the answer names none.
        accept: Which proposals to take: what fences of code without marks would change. By default one proposal holds
            everything back, and the result shows it; "none" applies the stated edits alone, "all" takes all, and
            so does a list of rules ("file", "lines", "symbol", "overlay") for those.
        settings: How changes are made: durability, lock timeout, hard links, receipts.
    """
    options = ApplyOptions(overwrite, partial, checked_mode(syntax), _mapping(expected), accept=rules_of(accept))
    text, folder, name, how = as_text(answer), root_path(root), format_or_empty(format), checked_settings(settings)
    with ExitStack() as stack:
        try:
            options = options._replace(base=stack.enter_context(given_base(base, folder, expected)))
        except Refused as refused:
            return no_plan(*refused.problems)._replace(dry_run=dry_run)
        return apply_to_folder(
            text, folder, options, name, how, dry_run=dry_run, again=again, file=checked_text("file", file)
        )


@contextmanager
def given_base(base: Base, root: str, expected: Hashes = None) -> Iterator[Callable[[Planned], TreeBefore] | None]:
    """Open the files that an answer was written for, and close them; None if neither they nor hashes are given."""
    if base is not None:
        from .bases import GivenBase

        with GivenBase(base, root) as given:
            yield given
    elif expected:
        from .bases import HashedBase

        yield HashedBase(expected)
    else:
        yield None


def preview(  # noqa: PLR0913 - as for apply
    answer: Answer,
    root: Folder,
    *,
    format: FormatName | None = None,
    overwrite: bool | None = None,
    again: bool = False,
    partial: bool = False,
    syntax: SyntaxCheck = "warn",
    expected: Hashes = None,
    base: Base = None,
    file: str = "",
    accept: Accept = None,
    settings: How = None,
) -> Result:
    """Return what `apply` would do, without doing it. The arguments are those of `apply`."""
    return apply(
        answer, root, format=format, overwrite=overwrite, dry_run=True, again=again, partial=partial, syntax=syntax,
        expected=expected, base=base, file=file, accept=accept, settings=settings,
    )  # fmt: skip


# ── in memory ───────────────────────────────────────────────────────────────────────────────────────


class Parsed(NamedTuple):
    """An answer that was read, before any file is. `patch` is the engine's own view; its shape may change."""

    text: str
    patch: Patch

    @property
    def format(self) -> str:
        """The name of its format; several are joined by " + ". "" for an answer without edits."""
        return self.patch.format

    @property
    def paths(self) -> tuple[str, ...]:
        """The paths it names, as written. The file may turn out to have a longer path."""
        return tuple(dict.fromkeys(path for op in self.patch.ops for path in paths_of(op)))

    @property
    def problems(self) -> tuple[Problem, ...]:
        """The parts of it that can't be read."""
        return self.patch.problems

    @overload
    def plan(
        self, files: FilesT, *, overwrite: bool | None = None, partial: bool = False, syntax: SyntaxCheck = "warn",
        base: Mapping[str, str | bytes] | Tree | None = None, accept: Accept = None,
    ) -> Result[FilesT]: ...  # fmt: skip

    @overload
    def plan(
        self, files: Mapping[str, str | bytes] | Tree, *, overwrite: bool | None = None, partial: bool = False,
        syntax: SyntaxCheck = "warn", base: Mapping[str, str | bytes] | Tree | None = None, accept: Accept = None,
    ) -> Result: ...  # fmt: skip

    def plan(
        self,
        files: Mapping[str, str | bytes] | Tree,
        *,
        overwrite: bool | None = None,
        partial: bool = False,
        syntax: SyntaxCheck = "warn",
        base: Mapping[str, str | bytes] | Tree | None = None,
        accept: Accept = None,
    ) -> Result:
        """Plan it on files, like `apply_to`: nothing is written, `result.changes` says what would change."""
        rules = None if accept is None else rules_of(accept)
        tree, options = as_tree(files), ApplyOptions(overwrite, partial, checked_mode(syntax), accept=rules)
        if base is not None:
            from .bases import GivenBase

            if isinstance(base, str):  # a commit, but there is no repository
                raise TypeError("base must be a mapping or a Tree if the files are in memory")
            options = options._replace(base=GivenBase(base, ""))
        result = apply_to_tree(self.text, self.patch, tree, options)
        if isinstance(tree, MemoryTree):
            result.files = tree.after(result.plan.changes if result.ok or result.partial else ())
        return result


def parse(answer: Answer, *, format: FormatName | None = None, file: str = "") -> Parsed:
    """Read an answer without any files: which paths it names; its `plan` works on any tree.

    Args:
        answer: What the model wrote, as for `apply`.
        format: The format of the edits. Detected if omitted.
        file: The path for fences and edits for which the answer names none.
    """
    text = answer if isinstance(answer, str) else as_text(answer)
    name = format_or_empty(format) if format else ""
    try:
        return Parsed(text, read(text, name, file=checked_text("file", file)))
    except Refused as refused:
        return Parsed(text, Patch("", problems=tuple(refused.problems)))


@overload
def apply_to(
    answer: Answer, files: FilesT, *, format: FormatName | None = None, overwrite: bool | None = None,
    partial: bool = False, syntax: SyntaxCheck = "warn", base: Mapping[str, str | bytes] | Tree | None = None,
    file: str = "", accept: Accept = None,
) -> Result[FilesT]: ...  # fmt: skip


@overload
def apply_to(
    answer: Answer, files: Mapping[str, str | bytes] | Tree, *, format: FormatName | None = None,
    overwrite: bool | None = None, partial: bool = False, syntax: SyntaxCheck = "warn",
    base: Mapping[str, str | bytes] | Tree | None = None, file: str = "", accept: Accept = None,
) -> Result: ...  # fmt: skip


def apply_to(  # noqa: PLR0913 - as for apply
    answer: Answer,
    files: Mapping[str, str | bytes] | Tree,
    *,
    format: FormatName | None = None,
    overwrite: bool | None = None,
    partial: bool = False,
    syntax: SyntaxCheck = "warn",
    base: Mapping[str, str | bytes] | Tree | None = None,
    file: str = "",
    accept: Accept = None,
) -> Result:
    """Apply an answer to files in memory: `result.files` has the files afterwards; those given are not changed.

    A dict comes back as a dict, a str in it as str, bytes as bytes. Only the files that the answer is about are read,
    each once.

    Args:
        answer: What the model wrote, as for `apply`.
        files: A mapping from path to contents, or a `Tree`. For a tree, `result.files` has what changed.
        format: The format of the edits. Detected if omitted.
        overwrite: Whether a new file may replace an existing one. If omitted, the format decides.
        partial: Apply what can be placed, and return the rest as a patch in `result.rest`.
        syntax: What to do about a file that parsed before and no longer would: "warn", "refuse" or "off".
        base: The files as they were when the answer was written, a mapping or a `Tree`, as for `apply`.
        file: The path for fences and edits for which the answer names none.
        accept: Which proposals to take, as for `apply`.
    """
    parsed = parse(answer, format=format, file=file)
    return parsed.plan(files, overwrite=overwrite, partial=partial, syntax=syntax, base=base, accept=accept)


async def apply_to_async(  # noqa: PLR0913 - as for apply
    answer: Answer,
    tree: AsyncTree,
    *,
    format: FormatName | None = None,
    overwrite: bool | None = None,
    partial: bool = False,
    syntax: SyntaxCheck = "warn",
    file: str = "",
    accept: Accept = None,
) -> Result:
    """`apply_to` for an asynchronous tree. It needs no thread: planning continues when a file has arrived.

    Args:
        answer: What the model wrote, as for `apply`.
        tree: Where files are read from. `result.files` has what changed.
        format: The format of the edits. Detected if omitted.
        overwrite: Whether a new file may replace an existing one. If omitted, the format decides.
        partial: Apply what can be placed, and return the rest as a patch in `result.rest`.
        syntax: What to do about a file that parsed before and no longer would: "warn", "refuse" or "off".
        file: The path for fences and edits for which the answer names none.
        accept: Which proposals to take, as for `apply`.
    """
    parsed, loaded = parse(answer, format=format, file=file), LoadedTree()
    while True:
        try:
            return parsed.plan(loaded, overwrite=overwrite, partial=partial, syntax=syntax, accept=accept)
        except NotLoaded as missing:
            if missing.path is None:
                loaded.paths = [path async for path in tree.list()]
            else:
                loaded.files[missing.path] = await tree.read(missing.path)


def effect(
    answer: Answer, files: Mapping[str, str | bytes] | Tree, *, format: FormatName | None = None
) -> tuple[FileChange, ...]:
    """Return what an answer does to files, as changes by path; equal for answers that lead to the same files.

    Raises PatchError for an answer that can't be applied.
    """
    options = ApplyOptions(syntax="off", corrections=False)
    result = read_and_apply(as_text(answer), as_tree(files), options, format_or_empty(format))
    result.raise_for_problems()
    return tuple(sorted(change for change in result.plan.changes if change.before != change.after))


def same_effect(one: Answer, other: Answer, files: Mapping[str, str | bytes] | Tree) -> bool:
    """Return True if two answers, in any formats, lead to the same files; False if one can't be applied."""
    try:
        return effect(one, files) == effect(other, files)
    except Refused:
        return False


# ── what was done ───────────────────────────────────────────────────────────────────────────────────


def undo(  # noqa: PLR0913 - which changes, and how
    root: Folder,
    receipt_id: str = "",
    *,
    turn: bool = False,
    since: str | datetime = "",
    all: bool = False,
    force: bool = False,
    dry_run: bool = False,
    settings: How = None,
) -> Result:
    """Undo the last change in `root`, the one named, or several as one change. Edits that were made later stay.

    A file that is already as it was before counts as undone. Several changes are undone together or not at all;
    the undo has a receipt of its own, and `redo` reverses it. With `settings.session`, `turn`, `since` and `all`
    concern only the changes of that session.

    Args:
        root: The directory.
        receipt_id: The ID of the receipt, or the beginning of it. The last one if omitted.
        turn: Undo all changes of the last turn: those that an agent made for the same request of the user.
        since: Undo all changes since a receipt, that one included, or since a time: "14:30", "2026-11-15T14:30", "20m".
        all: Undo all changes whose receipts are kept.
        force: Undo changes even where the same lines were edited later; those edits are lost.
        dry_run: Report what would happen, and write nothing.
        settings: How changes are made: durability, lock timeout, session.
    """
    selection = _selection(receipt_id, turn, since, all)
    return undo_selected(root, selection, force=force, dry_run=dry_run, settings=settings)


def undo_selected(
    root: Folder,
    selection: Selection,
    *,
    force: bool = False,
    dry_run: bool = False,
    expected: Result | None = None,
    settings: How = None,
) -> Result:
    """Undo the selected changes; refuse if that isn't exactly what an `expected` preview shows."""
    changes = expected.plan.changes if expected else None
    try:
        with disk.DiskTree(root_path(root), checked_settings(settings)) as tree:
            receipt = disk.undo(tree, selection, force=force, dry_run=dry_run, expected=changes)
            if not dry_run:
                undone = ", ".join(receipt.undoes) or receipt.id
                _logger.info("undid %s: %d files", undone, len(receipt.changes))
            made = receipt.changes if receipt.undoes else tuple(change.inverse() for change in receipt.changes)
            return _result_of(receipt, made, tree.notes)._replace(dry_run=dry_run)
    except Refused as refused:
        return no_plan(*refused.problems)


def redo(root: Folder, receipt_id: str = "", *, settings: How = None) -> Result:
    """Redo what was undone last in `root`, or the one named. Refused if its files have changed since."""
    try:
        with disk.DiskTree(root_path(root), checked_settings(settings)) as tree:
            receipt = disk.redo(tree, checked_text("receipt_id", receipt_id))
            _logger.info("redid %s: %d files", ", ".join(receipt.undoes) or receipt.id, len(receipt.changes))
            return _result_of(receipt, receipt.changes, tree.notes)
    except Refused as refused:
        return no_plan(*refused.problems)


def recover(root: Folder, *, settings: How = None) -> Result:
    """Put back what a crash left half done in `root`. Every change does this first; this call does nothing else."""
    try:
        with disk.DiskTree(root_path(root), checked_settings(settings)) as tree:
            return Result(True, Plan(Patch("")), notes=disk.recover(tree))
    except Refused as refused:
        return no_plan(*refused.problems)


def _result_of(receipt: Receipt, changes: tuple[FileChange, ...], notes: list[Note]) -> Result:
    made = Plan(Patch(receipt.format, (), receipt.description), changes)
    return Result(True, made, notes=tuple(notes), receipt=receipt)


def log(root: Folder, *, settings: How = None) -> tuple[Receipt, ...]:
    """Return the receipts kept in `root`, newest first."""
    with disk.DiskTree(root_path(root), checked_settings(settings)) as tree:
        return disk.receipts(tree)


def show(root: Folder, receipt_id: str = "", *, settings: How = None) -> Result:
    """Return what the last change in `root`, or the one named, did: `result.changes`, `result.diff()`.

    Args:
        root: The directory.
        receipt_id: The ID of the receipt, or the beginning of it. The last one if omitted.
        settings: Where the state is kept, if not in the directory itself.
    """
    try:
        with disk.DiskTree(root_path(root), checked_settings(settings)) as tree:
            receipt, notes = disk.show(tree, checked_text("receipt_id", receipt_id))
            return _result_of(receipt, receipt.changes, [*notes])._replace(dry_run=True)
    except Refused as refused:
        return no_plan(*refused.problems)


def view(path: str, range: Sequence[int] | None = None, root: Folder = ".") -> str:
    """Return the lines of a file with their numbers, as shown to a model; for a folder its entries, two levels deep.

    Raises PatchError if there is nothing to show.

    Args:
        path: The file or the folder, relative to the root.
        range: The first and the last line, from 1; -1 is the last line of the file.
        root: The directory. Nothing outside it is shown.
    """
    if range is not None and (len(range) != 2 or not all(isinstance(line, int) for line in range)):
        raise ValueError(f"range must be two line numbers, not {range!r}")
    with disk.DiskTree(root_path(root)) as tree:
        plain = "" if path.strip("/") in ("", ".") else tree.canonical(path)
        if not plain or tree.has_folder(plain):
            return "".join(f"{entry}\n" for entry in tree.inside(plain, 2))
        file = tree.read(plain)
        if file is None:
            raise Refused(missing(plain, tree))
    return numbered(plain, file.data, range)


def numbered(path: str, data: bytes, range: Sequence[int] | None) -> str:
    """Return lines of a file with their numbers; raise `Refused` if it hasn't so many."""
    if looks_binary(data):
        raise Refused(Problem("not_text", "the file looks like binary data", path))
    lines = patch_lines(decode(data).removesuffix("\n"))
    first, last = range or (1, -1)
    last = len(lines) if last == -1 else last
    if not 1 <= first <= last <= len(lines):
        detail = f"the file ends at line {len(lines)}, so there are no lines {first} to {last}"
        raise Refused(Problem("bad_call", detail, path, advice="Ask for lines that are in the file."))
    return "".join(f"{number:6}\t{lines[number - 1]}\n" for number in builtins.range(first, last + 1))


def not_ours(root: Folder, *, settings: How = None) -> tuple[str, ...]:
    """Return the ids of receipts in `root` that another key signed: `log` leaves them out, `undo` can't use them."""
    with disk.DiskTree(root_path(root), checked_settings(settings)) as tree:
        return disk.foreign_ids(tree)


def look(root: str, settings: How = None) -> tuple[Problem, ...]:
    """Return why files in `root` can't be relied on now: a change was interrupted and isn't rolled back yet."""
    try:
        with disk.DiskTree(root, checked_settings(settings)) as tree:
            tree.check_settled()
    except Refused as refused:
        return refused.problems
    return ()


def format_named(name: str) -> Format:
    """Return the format with a name; raise PatchError, with the closest name, if there is none."""
    return named(name)


def format_given(name: str) -> FormatName | None:
    """Return the format that a person or a model named, None for ""; raise PatchError if there is none."""
    return named(name).name if name else None


def checked_mode(syntax: str) -> str:
    """Return what is to be done about syntax errors."""
    if syntax not in MODES:
        raise ValueError(f"syntax must be one of {', '.join(MODES)}, not {syntax!r}")
    return syntax


def rules_of(accept: Accept) -> tuple[str, ...] | None:
    """Return the rules that `accept` names; None if proposals are only to be shown."""
    if accept is None or accept == "none":
        return None if accept is None else ()
    if accept == "all":
        return RULES
    rules = (accept,) if isinstance(accept, str) else tuple(accept)
    for rule in rules:
        if rule not in RULES:
            raise ValueError(f"accept must be 'none', 'all' or some of {', '.join(RULES)}, not {rule!r}")
    return rules


# ── the arguments of a call: a wrong one is a mistake of the caller, and raises at once ────────────────


def root_path(root: Folder) -> str:
    """Return the path of a directory that was given as text or as a path object."""
    if isinstance(root, str):
        return root
    if not hasattr(root, "__fspath__"):
        raise TypeError(f"root must be the path of a directory, not {type(root).__name__}")
    path = root.__fspath__()
    if not isinstance(path, str):
        raise TypeError("root must be a path of str, not of bytes")
    return path


def format_or_empty(name: str | None) -> str:
    """Return the format that was named, "" for none."""
    return checked_name(name) if name else ""


def _mapping(expected: Hashes) -> Hashes:
    if expected is not None and not isinstance(expected, Mapping):
        raise TypeError(f"expected must be a mapping from path to hash, not {type(expected).__name__}")
    return expected


def checked_text(name: str, value: str) -> str:
    """Return an argument that has to be text."""
    if not isinstance(value, str):
        raise TypeError(f"{name} must be a str, not {type(value).__name__}")
    return value


def _selection(receipt_id: str, turn: bool, since: str | datetime, all: bool) -> Selection:
    since = since.isoformat() if isinstance(since, datetime) else checked_text("since", since)
    selection = Selection(checked_text("receipt_id", receipt_id), bool(turn), since, bool(all))
    if sum(map(bool, selection)) > 1:
        raise ValueError("receipt_id, turn, since and all can't be used together")
    return selection


def checked_settings(settings: Settings | None) -> Settings:
    """Return the settings, the usual ones if none were given."""
    if settings is not None and not isinstance(settings, Settings):
        raise TypeError(f"settings must be an anypatch.Settings, not {type(settings).__name__}")
    return settings.checked() if settings else Settings()
