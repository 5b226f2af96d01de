"""Find the files that an answer was written for: given as they were, as a commit, or by their hashes.

A hash names contents that are looked up in the tree as it is, in the receipts, and in the last commits of git. Git is
asked before anything is planned; it runs nothing that the repository configures.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING
from weakref import finalize

from .git import Repository
from .problems import Problem, Refused
from .storage import tree as disk
from .symbols import find
from .text import decode, hash_of, is_hash
from .tree import MemoryTree, TreeBefore, as_tree

if TYPE_CHECKING:
    from .hints import Base
    from .match.files import Tree

_COMMITS = 50  # first parents whose version of a file is looked at
_started: dict[str, Repository] = {}  # by root


class GivenBase:
    """The files that an answer was written for, as the caller gives them.

    Git runs for a commit until this is closed, or nobody uses it any more.
    """

    def __init__(self, base: Base, root: str) -> None:
        self._close: Callable[[], object] = lambda: None
        if not isinstance(base, str):
            self._tree, self._is_whole = as_tree(base or {}), not isinstance(base, Mapping)
            return
        if not base.strip() or any(char < " " for char in base):
            raise Refused(Problem("bad_call", f"{base!r} names no revision"))
        repository = Repository(root, isolated=True)
        self._close = finalize(self, repository.close)
        tree = repository.folder(base)
        if tree is None:
            self.close()
            advice = "Name a commit, a branch or a tag of the repository that the root is in."
            raise Refused(Problem("bad_call", f"git knows no revision {base!r}", advice=advice))
        self._tree, self._is_whole = tree, True

    def __enter__(self) -> GivenBase:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the process of git."""
        self._close()

    def __call__(self, now: Tree) -> TreeBefore:
        """Return the tree as it was, given the tree as it is now."""
        return TreeBefore(now, self._tree, is_whole=self._is_whole)


class HashedBase:
    """The files that have the hashes which a model was given."""

    def __init__(self, expected: Mapping[str, str]) -> None:
        self._expected = expected

    def __call__(self, now: Tree) -> TreeBefore:
        """Return the tree as it was; files whose contents aren't found are as they are now."""
        files: dict[str, str | bytes] = {}
        for key, hash in self._expected.items():
            for path, symbol in readings(key):
                data = _find(now, path, symbol, hash)
                if data is not None:
                    files[path] = data
                    break
        return TreeBefore(now, MemoryTree(files))


def _find(now: Tree, path: str, symbol: str, hash: str) -> bytes | None:
    try:
        path = now.canonical(path)
        return next((data for data in _versions(now, path) if has_hash(data, path, symbol, hash)), None)
    except Refused:
        return None


def _versions(now: Tree, path: str) -> Iterator[bytes]:
    """Yield what is known of a file: as it is now, then as it was."""
    file = now.read(path)
    if file:
        yield file.data
    if isinstance(now, disk.DiskTree):
        yield from disk.versions(now, path)
        yield from _committed(now.root, path)


def readings(key: str) -> list[tuple[str, str]]:
    """Return what a key may be: a path, or a path and a symbol."""
    path, _, symbol = key.partition("#")
    return [(key, ""), (path, symbol)] if symbol else [(key, "")]


def has_hash(data: bytes, path: str, symbol: str, hash: str) -> bool:
    """Return True if the contents of a file, or a symbol in it, have this hash."""
    if not symbol:
        return is_hash(hash, hash_of(data))
    try:
        return is_hash(hash, find(decode(data), path=path, name_path=symbol).hash)
    except Refused:
        return False


def start_git(root: str) -> None:
    """Start the git that will be asked for committed contents: a process that is restricted later can't run it."""
    if _has_repository(root):
        with suppress(OSError, Refused):
            _started[root] = Repository(root, isolated=True)


def _committed(root: str, path: str) -> Iterator[bytes]:
    """Yield the versions of a file in git: in the index, then in the last commits; nothing without git."""
    if "\n" in path or not _has_repository(root):
        return
    repository = _started.get(root)
    try:
        repository = repository or Repository(root, isolated=True)
    except (OSError, Refused):  # the process may run nothing
        return
    try:
        seen = set()
        for name in (f":./{path}", *(f"HEAD~{back}:./{path}" for back in range(_COMMITS))):
            id = repository.get_id(name)
            if id and id not in seen:
                seen.add(id)
                yield repository.data(id)
    except Refused:
        return
    finally:
        if root not in _started:
            repository.close()


def _has_repository(root: str) -> bool:
    folder = os.path.abspath(root)
    while not os.path.lexists(os.path.join(folder, ".git")):
        folder, below = os.path.dirname(folder), folder
        if folder == below:
            return False
    return True
