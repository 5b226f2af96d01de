"""Write patches: from two trees, from another format, backwards. Each is checked by planning it; writes no file.

text = anypatch.make("old", "new", "unified")                  # two folders, files or mappings
text = anypatch.convert(patch, "search-replace", "tree")       # the same edit for another tool
text = anypatch.invert(patch, "tree")                          # what undoes the patch, once it is applied
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING

from .. import formats
from ..answer.read import read
from ..answer.unwrap import as_text
from ..formats import Format
from ..hints import Answer, FormatName
from ..model import File, FileChange, Op, Patch, Plan, Write
from ..plan import plan
from ..problems import Problem, Refused
from ..storage.tree import DiskTree
from ..text import encode
from ..tree import MemoryTree, TreeAfter
from .describe import cannot_say, descriptions
from .resend import write_ops
from .sources import differences, in_order, of_git, of_paths

if TYPE_CHECKING:
    from ..match.files import Tree

Source = str | os.PathLike[str] | Mapping[str, str | bytes | File]


def make(old: Source, new: Source, format: FormatName) -> str:
    """Return the patch that turns one tree into another: two folders, files, or mappings from path to contents.

    "" if nothing differs. Raises PatchError if the format can't express a change. Applied to the old tree, the patch
    gives the new one byte for byte.
    """
    name = formats.checked_name(format)
    if isinstance(old, str | os.PathLike) and isinstance(new, str | os.PathLike):
        before, after = of_paths(os.fspath(old), os.fspath(new))
    else:
        before, after = _files(old), _files(new)
    return write_changes(differences(before, after), name, MemoryTree(before, normalized=True))


def make_git(root: str | os.PathLike[str], format: FormatName, old: str = "HEAD", new: str = "") -> str:
    """Return the patch from one git revision to another, or to the working tree with its untracked files."""
    name = formats.checked_name(format)
    with of_git(os.fspath(root), old, new) as (before, changes):
        return write_changes(in_order(changes), name, before)


def convert(
    answer: Answer,
    to: FormatName,
    files: Source | None = None,
    *,
    format: FormatName | None = None,
    overwrite: bool | None = None,
) -> str:
    """Return the same patch in another format. `files`: the tree it is for, or its root; read only if needed.

    `overwrite`: as for `apply`.
    "" if it changes nothing. Raises PatchError if the patch doesn't fit the tree, or the format can't express it.
    """
    name = formats.checked_name(to)
    text, patch = _read(answer, format)
    rewritten = write_ops(patch.ops, formats.named(name))
    if rewritten:
        return rewritten
    creations = [op for op in patch.ops if isinstance(op, Write) and not (op.overwrite or op.keep_line_endings)]
    if len(creations) == len(patch.ops):
        new_files = (FileChange(op.path, None, File(encode(op.text), op.mode or 0o644)) for op in creations)
        return write_changes(tuple(new_files), name)
    if files is None:
        advice = "Give the tree the patch is for."
        raise Refused(Problem("bad_call", "the patch has to be located in files, and no tree was given", advice=advice))
    with _open(files) as tree:
        return write_changes(planned(text, patch, tree, overwrite), name, tree)


def invert(
    answer: Answer,
    files: Source,
    *,
    to: FormatName | None = None,
    format: FormatName | None = None,
    overwrite: bool | None = None,
) -> str:
    """Return the patch that undoes another one once it is applied. `files`: the tree before, or its root.

    In the same format unless `to` names another. `overwrite`: as for `apply`. "" if the patch changes nothing.
    """
    name = formats.checked_name(to) if to else ""
    text, patch = _read(answer, format)
    with _open(files) as tree:
        changes = planned(text, patch, tree, overwrite)
        inverse = tuple(change.inverse() for change in changes)
        after = TreeAfter(tree, Plan(patch, changes))
        return write_changes(in_order(inverse), name or patch.format.split(" + ")[0], after)


# ── what a patch does ────────────────────────────────────────────────────────────────────────────


def planned(text: str, patch: Patch, tree: Tree, overwrite: bool | None = None) -> tuple[FileChange, ...]:
    """Return the changes that a patch makes to a tree. Raise Refused if it doesn't fit."""
    result = plan(patch, tree, overwrite=overwrite, answer=text)
    if result.problems:
        raise Refused(*result.problems)
    return result.changes


@contextmanager
def _open(files: Source) -> Iterator[Tree]:
    if isinstance(files, str | os.PathLike):
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


def _files(files: Source) -> dict[str, File]:
    if isinstance(files, str | os.PathLike):
        raise TypeError("old and new must be two paths or two mappings, not one of each")
    tree = MemoryTree(files, normalized=True)
    return {path: file for path in files if (file := tree.read(path)) is not None}


# ── writing, and the check of what was written ───────────────────────────────────────────────────


def write_changes(changes: tuple[FileChange, ...], name: str, tree: Tree | None = None) -> str:
    """Return the changes in a format: applied to the tree, the text makes exactly these files. Else raise Refused."""
    format = formats.named(name)
    files = {change.path: change.before for change in changes if change.before is not None}
    tree = tree or MemoryTree(files)
    text = format.render(changes)
    if _misreading(text, changes, format, tree) is not None:
        text = format.write(tuple(op for change in changes for op in _description(change, format)))
    problem = _misreading(text, changes, format, tree)
    if problem is not None:
        raise Refused(problem)
    return text


def _description(change: FileChange, format: Format) -> tuple[Op, ...]:
    """Return the plainest description of a change that is read as that change; raise Refused if there is none."""
    tree = MemoryTree({change.path: change.before} if change.before is not None else {})
    problem = None
    for ops in descriptions(change, format):
        problem = _misreading(format.write(ops), (change,), format, tree)
        if problem is None:
            return ops
    if problem is not None:
        raise Refused(problem)
    return ()


def _misreading(text: str, changes: tuple[FileChange, ...], format: Format, tree: Tree) -> Problem | None:
    """Return what is wrong with a text for these changes; None if it makes exactly them."""
    if not text:
        return None
    try:
        actual = {change.path: change.after for change in planned(text, format.parse(text), tree, True)}
    except Refused as refused:
        problem = refused.problems[0]
        why = f"{problem.detail or problem.kind} ({problem.kind})"
        return cannot_say(problem.path or changes[0].path, format.name, why)
    wanted = {change.path: change.after for change in changes if change.before != change.after}
    missing = object()
    misread = next((path for path in wanted | actual if wanted.get(path, missing) != actual.get(path, missing)), "")
    return cannot_say(misread, format.name, "it would be misread") if misread else None
