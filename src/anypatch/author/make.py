"""Patches written: from two trees, from another format, backwards. Every text is proven by planning it; writes no file.

text = anypatch.make("old", "new", "unified")                  # two folders, files or mappings
text = anypatch.convert(patch, "search-replace", "tree")       # the same edit for another tool
text = anypatch.invert(patch, "tree")                          # what takes the patch back, once it is applied
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, NamedTuple

from .. import formats
from ..api import as_text, read
from ..model import LINK, File, FileChange, Patch, Plan, Write
from ..plan import plan as as_planned
from ..problems import Problem, Refused, reason
from ..text import decode, encode
from ..tree import MemoryTree, TreeAfter
from .describe import cannot_say
from .resend import written as written_again

if TYPE_CHECKING:
    from ..formats import Format
    from ..git import GitTree
    from ..match.files import Tree
from ..hints import Answer, FormatName

Source = str | os.PathLike[str] | Mapping[str, str | bytes | File]
Files = Mapping[str, File]


def make(old: Source, new: Source, format: FormatName) -> str:
    """The patch that turns one tree into another: two folders, two files, or two mappings from path to contents.

    "" if nothing differs. Raises PatchError if the format can't express a change. Applied to the old tree, the patch
    gives the new one byte for byte.
    """
    name = formats.checked_name(format)
    if isinstance(old, str | os.PathLike) and isinstance(new, str | os.PathLike):
        before, after = of_paths(os.fspath(old), os.fspath(new))
    else:
        before, after = _files(old), _files(new)
    return written(differences(before, after), name, MemoryTree(before, normalized=True))


def make_git(root: str | os.PathLike[str], format: FormatName, old: str = "HEAD", new: str = "") -> str:
    """The patch from one git revision to another, or to the working tree with all its new files."""
    name = formats.checked_name(format)
    with of_git(os.fspath(root), old, new) as (before, changes):
        return written(_in_order(changes), name, before)


def convert(
    answer: Answer,
    to: FormatName,
    files: Source | None = None,
    *,
    format: FormatName | None = None,
    overwrite: bool | None = None,
) -> str:
    """The same patch in another format. `files`: the tree it is for, or its root; read only if needed.

    `overwrite`: as for `apply`.
    "" if it changes nothing. Raises PatchError if the patch doesn't fit the tree, or the format can't express it.
    """
    name = formats.checked_name(to)
    text, patch = _read(answer, format)
    text_again = written_again(patch.ops, formats.named(name))
    if text_again:
        return text_again
    creations = [op for op in patch.ops if isinstance(op, Write) and not (op.overwrite or op.keep)]
    if len(creations) == len(patch.ops):
        files_made = (FileChange(op.path, None, File(encode(op.text), op.mode or 0o644)) for op in creations)
        return written(tuple(files_made), name)
    if files is None:
        advice = "Give the tree the patch is for."
        raise Refused(Problem("bad_call", "the patch has to be located in files, and no tree was given", advice=advice))
    with _opened(files) as tree:
        return written(planned(text, patch, tree, overwrite), name, tree)


def invert(
    answer: Answer,
    files: Source,
    *,
    to: FormatName | None = None,
    format: FormatName | None = None,
    overwrite: bool | None = None,
) -> str:
    """The patch that undoes another one once it is applied. `files`: the tree before, or its root.

    In the same format unless `to` names another. `overwrite`: as for `apply`. "" if the patch changes nothing.
    """
    name = formats.checked_name(to) if to else ""
    text, patch = _read(answer, format)
    with _opened(files) as tree:
        changes = planned(text, patch, tree, overwrite)
        back = tuple(change.inverse() for change in changes)
        after = TreeAfter(tree, Plan(patch, changes))
        return written(_in_order(back), name or patch.format.split(" + ")[0], after)


# ── what a patch does ────────────────────────────────────────────────────────────────────────────


def planned(text: str, patch: Patch, tree: Tree, overwrite: bool | None = None) -> tuple[FileChange, ...]:
    """The changes that a patch makes to a tree; Refused where it doesn't fit."""
    made = as_planned(patch, tree, overwrite=overwrite, answer=text)
    if made.problems:
        raise Refused(*made.problems)
    return made.changes


@contextmanager
def _opened(files: Source) -> Iterator[Tree]:
    """The tree that is meant, closed again afterwards."""
    if isinstance(files, str | os.PathLike):
        from ..storage.tree import DiskTree

        with DiskTree(os.fspath(files)) as tree:
            yield tree
    else:
        yield MemoryTree(files, normalized=True)


def _read(answer: Answer, format: str | None) -> tuple[str, Patch]:
    text = as_text(answer)
    patch = read(text, formats.checked_name(format) if format else "")
    if patch.problems:
        raise Refused(*patch.problems)
    return text, patch


def differences(before: Mapping[str, File], after: Mapping[str, File]) -> tuple[FileChange, ...]:
    """What differs between two trees."""
    paths = sorted({*before, *after})
    changes = [FileChange(path, before.get(path), after.get(path)) for path in paths]
    return _in_order(tuple(change for change in changes if change.before != change.after))


def _in_order(changes: tuple[FileChange, ...]) -> tuple[FileChange, ...]:
    """By path; but where a file gives way to a folder or a folder to a file, what goes is said first."""
    gone = {change.path for change in changes if change.after is None}
    made = [change.path for change in changes if change.before is None]
    parents = {path[:at] for path in (*made, *gone) for at, char in enumerate(path) if char == "/"}
    if parents.isdisjoint(gone) and parents.isdisjoint(made):
        return changes
    return tuple(sorted(changes, key=lambda change: change.after is not None))


def _files(files: Source) -> dict[str, File]:
    if isinstance(files, str | os.PathLike):
        raise TypeError("old and new must be two paths or two mappings, not one of each")
    tree = MemoryTree(files, normalized=True)
    return {path: file for path in files if (file := tree.read(path)) is not None}


# ── the proof ────────────────────────────────────────────────────────────────────────────────────


def written(changes: tuple[FileChange, ...], name: str, tree: Tree | None = None) -> str:
    """The changes in a format. Applied to the tree, the text gives the files after, byte for byte; else Refused."""
    format = formats.named(name)
    there = tree or MemoryTree({change.path: change.before for change in changes if change.before is not None})
    text, wrong = _tried(format, changes, there)
    if wrong is not None:
        # What a reader needs more words for is found out file by file.
        wide = {change.path for change in changes if _tried(format, (change,), there)[1] is not None}
        text, wrong = _tried(format, changes, there, wide or {change.path for change in changes})
    if wrong is not None:
        raise Refused(wrong)
    return text


def _tried(
    format: Format, changes: tuple[FileChange, ...], tree: Tree, wide: Collection[str] = ()
) -> tuple[str, Problem | None]:
    """The changes as a text, and what is wrong with it: None where it makes these very changes."""
    text = format.render(changes, wide)
    if not text:
        return text, None
    try:
        found = {change.path: change.after for change in planned(text, format.parse(text), tree, True)}
    except Refused as refused:
        problem = refused.problems[0]
        why = f"{problem.detail or problem.kind} ({problem.kind})"
        return text, cannot_say(problem.path or changes[0].path, format.name, why)
    wanted = {change.path: change.after for change in changes if change.before != change.after}
    # Where a path is in one of them only, it stands for itself and equals no file.
    other = next((path for path in wanted | found if wanted.get(path, path) != found.get(path, path)), "")
    return text, cannot_say(other, format.name, "it would be misread") if other else None


# ── trees ────────────────────────────────────────────────────────────────────────────────────────


_SKIPPED = (".git", ".anypatch")


def of_paths(old: str, new: str) -> tuple[Files, Files]:
    """Two folders, or two files under the name of the old one. A missing file is one that was made or deleted."""
    if os.path.isdir(old) and os.path.isdir(new):
        return _folder(old), _folder(new)
    if os.path.isdir(old) or os.path.isdir(new):
        detail = f"one of {old!r} and {new!r} is a folder, the other a file"
        raise Refused(Problem("bad_call", detail, advice="Give two paths or two mappings."))
    names = [path for path in (old, new) if path != os.devnull]
    name = _inside(names[0] if names else old)
    found = [{name: file} if (file := _file(path)) is not None else {} for path in (old, new)]
    if not any(found):
        raise Refused(Problem("unreadable", f"neither {old!r} nor {new!r} exists"))
    return found[0], found[1]


def _inside(path: str) -> str:
    """A path as a patch may name it; its last name where it leads elsewhere."""
    plain = os.path.normpath(path).replace(os.sep, "/")
    outside = os.path.isabs(path) or plain.split("/")[0] == ".."
    return plain.rsplit("/", 1)[-1] if outside else plain


def _folder(root: str) -> dict[str, File]:
    found: dict[str, File] = {}
    for folder, below, names in os.walk(root):
        below[:] = sorted(name for name in below if name not in _SKIPPED)
        links = [name for name in below if os.path.islink(os.path.join(folder, name))]
        for name in sorted([*names, *links]):
            path = os.path.join(folder, name)
            file = _file(path)
            if file is not None:
                found[os.path.relpath(path, root).replace(os.sep, "/")] = file
    return found


def _file(path: str) -> File | None:
    """A file as git would keep it: two sorts of permissions, a link as its target."""
    try:
        mode = os.lstat(path).st_mode
        if mode & 0o170000 == LINK:
            return File(os.fsencode(os.readlink(path)), LINK)
        with open(path, "rb") as file:
            return File(file.read(), 0o755 if mode & 0o100 else 0o644)
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        raise Refused(Problem("unreadable", f"{path!r} can't be read: {reason(error)}")) from None


# ── git ──────────────────────────────────────────────────────────────────────────────────────────


@contextmanager
def of_git(root: str, old: str = "HEAD", new: str = "") -> Iterator[tuple[GitTree, tuple[FileChange, ...]]]:
    """A revision's files, and what changed from it to another one, or to the working tree with all new files in it."""
    from ..git import Repository

    top = _git(root, "rev-parse", "--show-toplevel").rstrip("\n")
    repository = Repository(top)
    try:
        before, after = repository.tree(old), repository.tree(new) if new else None
        if before is None or (new and after is None):
            detail = f"git doesn't know {new if before else old!r}"
            raise Refused(Problem("unreadable", detail, advice="Check the revision and the repository."))
        revisions = ("diff-tree", "-r", before.id, after.id) if after else ("diff-index", before.id)
        names = _git(top, *revisions, "-z", "--no-renames", "--name-only")
        names += "" if new else _git(top, "ls-files", "--others", "--exclude-standard", "-z")
        changes = []
        for path in sorted({*names.split("\0")} - {""}):
            becomes = after.read_entry(path) if after else _file(os.path.join(top, path))
            changes.append(FileChange(path, before.read_entry(path), becomes))
        yield before, tuple(change for change in changes if change.before != change.after)
    finally:
        repository.close()


def _git(root: str, *arguments: str) -> str:
    import subprocess

    # A repository may name a program to be asked for what changed; none is run for a look at it.
    call = ["git", "-C", root, "-c", "core.fsmonitor=false", *arguments]
    try:
        done = subprocess.run(call, capture_output=True, check=False)  # noqa: S603
    except OSError as error:
        raise Refused(Problem("unreadable", f"git can't be run: {error.strerror}")) from None
    if done.returncode:
        told = done.stderr.decode("utf-8", "replace").strip().split("\n")[0]
        raise Refused(Problem("unreadable", told, advice="Check the revision and the repository."))
    return decode(done.stdout)


# ── what a change costs in each format ───────────────────────────────────────────────────────────


class Cost(NamedTuple):
    """One format's price: `size` as `Counter` counts, -1 where it can't say the change, and then `why`."""

    format: str
    size: int
    characters: int
    why: str = ""


class Counter(NamedTuple):
    """How texts are measured: in what, and by which function."""

    unit: str
    count: Callable[[str], int]


def counter() -> Counter:
    """Tokens of a common vocabulary, which needs the extra `tokens`; characters without it."""
    try:
        from splintr import Tokenizer
    except ImportError:
        return Counter("characters", len)
    known = Tokenizer.from_pretrained("cl100k_base")

    def count(text: str) -> int:
        return len(known.encode_ordinary(encode(text).decode("utf-8", "replace")))

    return Counter("tokens", count)


def costs(changes: tuple[FileChange, ...], tree: Tree | None, measure: Counter) -> list[Cost]:
    """What the changes cost in each format, the cheapest first; those that can't say them last."""
    found = []
    for name in formats.names():
        try:
            text = written(changes, name, tree)
            found.append(Cost(name, measure.count(text), len(text)))
        except Refused as refused:
            found.append(Cost(name, -1, -1, refused.problems[0].detail))
    return sorted(found, key=lambda cost: (cost.size < 0, cost.size))
