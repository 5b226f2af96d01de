"""Two folders, two files, or git revisions, and how they differ: the sources of a patch. Writes no file."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from ..git import GitTree, Repository
from ..model import LINK, File, FileChange
from ..problems import Problem, Refused, reason
from ..text import decode

Files = Mapping[str, File]
_SKIPPED = (".git", ".anypatch")


def differences(before: Files, after: Files) -> tuple[FileChange, ...]:
    """Return what differs between two trees."""
    paths = sorted({*before, *after})
    changes = [FileChange(path, before.get(path), after.get(path)) for path in paths]
    return in_order(tuple(change for change in changes if change.before != change.after))


def in_order(changes: tuple[FileChange, ...]) -> tuple[FileChange, ...]:
    """Return the changes as they are, or deletions first if a file becomes a folder or a folder a file."""
    deleted = {change.path for change in changes if change.after is None}
    created = {change.path for change in changes if change.before is None}
    parents = {path[:at] for path in created | deleted for at, char in enumerate(path) if char == "/"}
    if parents.isdisjoint(created | deleted):
        return changes
    return tuple(sorted(changes, key=lambda change: change.after is not None))


# ── on disk ──────────────────────────────────────────────────────────────────────────────────────


def of_paths(old: str, new: str) -> tuple[Files, Files]:
    """Read two folders, or two files under the name of the old one. A missing file was created or deleted."""
    if os.path.isdir(old) and os.path.isdir(new):
        return _read_folder(old), _read_folder(new)
    if os.path.isdir(old) or os.path.isdir(new):
        detail = f"one of {old!r} and {new!r} is a folder, the other a file"
        raise Refused(Problem("bad_call", detail, advice="Give two paths or two mappings."))
    names = [path for path in (old, new) if path != os.devnull]
    name = _name_in_patch(names[0] if names else old)
    before, after = ({name: file} if (file := _read_file(path)) is not None else {} for path in (old, new))
    if not before and not after:
        raise Refused(Problem("unreadable", f"neither {old!r} nor {new!r} exists"))
    return before, after


def _name_in_patch(path: str) -> str:
    """Return a path as a patch may name it: without its folders if it leads outside."""
    plain = os.path.normpath(path).replace(os.sep, "/")
    outside = os.path.isabs(path) or plain.split("/")[0] == ".."
    return plain.rsplit("/", 1)[-1] if outside else plain


def _read_folder(root: str) -> Files:
    files: dict[str, File] = {}
    for folder, subfolders, names in os.walk(root):
        subfolders[:] = sorted(name for name in subfolders if name not in _SKIPPED)
        links = [name for name in subfolders if os.path.islink(os.path.join(folder, name))]
        for name in sorted([*names, *links]):
            path = os.path.join(folder, name)
            file = _read_file(path)
            if file is not None:
                files[os.path.relpath(path, root).replace(os.sep, "/")] = file
    return files


def _read_file(path: str) -> File | None:
    """Read a file as git would keep it: executable or not, a link as its target. Return None if there is none."""
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


# ── in git ───────────────────────────────────────────────────────────────────────────────────────


@contextmanager
def of_git(root: str, old: str = "HEAD", new: str = "") -> Iterator[tuple[GitTree, tuple[FileChange, ...]]]:
    """Give the files of a revision, and what changed to another, or to the working tree with its untracked files."""
    top = _git(root, "rev-parse", "--show-toplevel").rstrip("\n")
    repository = Repository(top)
    try:
        before = _revision(repository, old)
        after = _revision(repository, new) if new else None
        revisions = ("diff-tree", "-r", before.id, after.id) if after else ("diff-index", before.id)
        names = _git(top, *revisions, "-z", "--no-renames", "--name-only")
        names += "" if after else _git(top, "ls-files", "--others", "--exclude-standard", "-z")
        changes = []
        for path in sorted({*names.split("\0")} - {""}):
            file = after.read_entry(path) if after else _read_file(os.path.join(top, path))
            changes.append(FileChange(path, before.read_entry(path), file))
        yield before, tuple(change for change in changes if change.before != change.after)
    finally:
        repository.close()


def _revision(repository: Repository, name: str) -> GitTree:
    tree = repository.tree(name)
    if tree is None:
        advice = "Check the revision and the repository."
        raise Refused(Problem("unreadable", f"git doesn't know {name!r}", advice=advice))
    return tree


def _git(root: str, *arguments: str) -> str:
    # A repository may name a program that git would run to see what changed: don't run it.
    call = ["git", "-C", root, "-c", "core.fsmonitor=false", *arguments]
    try:
        done = subprocess.run(call, capture_output=True, check=False)  # noqa: S603
    except OSError as error:
        raise Refused(Problem("unreadable", f"git can't be run: {error.strerror}")) from None
    if done.returncode:
        first_line = done.stderr.decode("utf-8", "replace").strip().split("\n")[0]
        raise Refused(Problem("unreadable", first_line, advice="Check the revision and the repository."))
    return decode(done.stdout)
