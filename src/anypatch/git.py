"""Commits of git repositories as trees to plan on. Read by `git cat-file --batch`; nothing is checked out or written.

Objects are kept by their id, so that what commits share is read once; a bounded number of bytes of them.
"""

from __future__ import annotations

import os
import posixpath
import shutil
import subprocess
from collections import OrderedDict
from collections.abc import Iterator

from .model import LINK, File
from .paths import normalize_path
from .problems import Problem, Refused
from .text import decode
from .tree import Listed

KEPT_BYTES = 128 << 20
_MAX_LISTED = 8  # trees whose paths are kept
_MAX_HOPS = 40
_FOLDER, _RUNNABLE, SUBMODULE = 0o040000, 0o100755, 0o160000
# Nothing is fetched, asked for or replaced, whatever the repositories say.
_ALONE = {
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_OPTIONAL_LOCKS": "0",
}


class Objects:
    """What was read last, by id, up to a number of bytes."""

    def __init__(self) -> None:
        self._kept: OrderedDict[str, bytes] = OrderedDict()
        self._size = 0

    def get(self, id: str) -> bytes | None:
        """An object that is still known."""
        if id in self._kept:
            self._kept.move_to_end(id)
        return self._kept.get(id)

    def add(self, id: str, data: bytes) -> None:
        """Keep an object; what wasn't asked for longest goes."""
        if id in self._kept:
            return
        self._kept[id] = data
        self._size += len(data) + 100
        while self._size > KEPT_BYTES and len(self._kept) > 1:
            self._size -= len(self._kept.popitem(last=False)[1]) + 100


class Repository:
    """One repository, asked through one process of git's. `alone`: as it lies there, whatever it says itself."""

    def __init__(self, path: str, objects: Objects | None = None, *, alone: bool = False) -> None:
        self._objects = objects or Objects()
        self._ids: dict[str, str] = {}  # of the trees of commits
        self._listings: OrderedDict[str, tuple[str, ...]] = OrderedDict()
        if not shutil.which("git"):
            raise Refused(Problem("unreadable", "git, which reads the repositories, is not installed"))
        self._git = subprocess.Popen(  # noqa: S603 - the path is one that was found
            ["git", "-c", "safe.directory=*", "-C", path, "cat-file", "--batch"],  # noqa: S607 - the git of the user
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            env={**os.environ, **(_ALONE if alone else {})},
        )  # fmt: skip

    def get(self, name: str) -> str | None:
        """The id of what a name means; None where it means nothing."""
        if name not in self._ids:
            found = self._asked(name)
            if found is None:
                return None
            self._ids[name] = found[0]
            self._objects.add(*found)
        return self._ids[name]

    def tree(self, commit: str) -> GitTree | None:
        """The files of a commit; None where there is none of that name."""
        root = self.get(f"{commit}^{{tree}}") if "\n" not in commit else None
        return GitTree(self, root) if root else None

    def data(self, id: str) -> bytes:
        """An object by its id."""
        data = self._objects.get(id)
        if data is None:
            found = self._asked(id)
            if found is None:
                raise Refused(Problem("unreadable", f"the repository lacks the object {id}"))
            data = found[1]
            self._objects.add(id, data)
        return data

    def _asked(self, name: str) -> tuple[str, bytes] | None:
        stdin, stdout = self._git.stdin, self._git.stdout
        assert stdin is not None and stdout is not None
        try:
            stdin.write(f"{name}\n".encode())
            stdin.flush()
            id, _, told = stdout.readline().decode().partition(" ")
            size = told.split()[-1] if told else ""
            if not size.isdigit():  # "NAME missing", "NAME ambiguous"
                if not told:
                    raise OSError
                return None
            data = stdout.read(int(size) + 1)[:-1]
        except OSError:
            raise Refused(Problem("unreadable", "git ended before it answered; is it a repository?")) from None
        return id, data

    def entries(self, id: str) -> Iterator[tuple[str, int, str]]:
        """Name, mode and id of what a folder holds."""
        data, at, width = self.data(id), 0, len(id) // 2
        while at < len(data):
            space, end = data.index(b" ", at), data.index(b"\0", at)
            yield decode(data[space + 1 : end]), int(data[at:space], 8), data[end + 1 : end + 1 + width].hex()
            at = end + 1 + width

    def paths(self, root: str) -> tuple[str, ...]:
        """All files of a tree."""
        if root not in self._listings:
            found, folders = [], [("", root)]
            for place, id in folders:
                for name, mode, child in self.entries(id):
                    if mode == _FOLDER:
                        folders.append((f"{place}{name}/", child))
                    elif mode != SUBMODULE:
                        found.append(place + name)
            self._listings[root] = tuple(sorted(found))
            if len(self._listings) > _MAX_LISTED:
                self._listings.popitem(last=False)
        return self._listings[root]

    def close(self) -> None:
        """End git."""
        self._git.kill()
        self._git.communicate()


class GitTree(Listed):
    """The files of a commit, each read when it is asked for."""

    def __init__(self, repository: Repository, root: str) -> None:
        self._repository = repository
        self.id = root
        self._folders: dict[str, dict[str, tuple[int, str]]] = {}

    @property
    def paths(self) -> tuple[str, ...]:  # type: ignore[override]
        """All files, submodules aside."""
        return self._repository.paths(self.id)

    def canonical(self, path: str) -> str:
        """The path of the real file, links inside the tree followed. Refused where one leads out of it."""
        return self._followed(normalize_path(path), last=True)

    def read(self, path: str) -> File | None:
        """The file at a canonical path; None where there is none."""
        mode, id = self._entry(path)
        if mode in (_FOLDER, SUBMODULE):
            raise Refused(Problem("not_a_file", "it is a directory", path))
        return File(self._repository.data(id), 0o755 if mode == _RUNNABLE else 0o644) if mode else None

    def kept(self, path: str) -> File | None:
        """What git keeps at a path: a file with its mode, a link as where it points, a submodule as its commit."""
        mode, id = self._entry(path)
        if mode == SUBMODULE:
            return File(id.encode(), SUBMODULE)
        return File(self._repository.data(id), LINK if mode == LINK else mode & 0o777) if mode else None

    def has_folder(self, path: str) -> bool:
        """Whether a folder of that name is there."""
        return self._entry(path)[0] == _FOLDER

    def link(self, path: str) -> tuple[str, str] | None:
        """Of a symbolic link its own path, and where it points."""
        own = self._followed(normalize_path(path), last=False)
        mode, id = self._entry(own)
        return (own, decode(self._repository.data(id))) if mode == LINK else None

    def _followed(self, path: str, *, last: bool) -> str:
        for _ in range(_MAX_HOPS):
            parts = path.split("/")
            for end in range(1, len(parts) + last):
                place = "/".join(parts[:end])
                mode, id = self._entry(place)
                if mode == LINK:
                    target = posixpath.join(posixpath.dirname(place), decode(self._repository.data(id)), *parts[end:])
                    if target.startswith("/") or posixpath.normpath(target).split("/")[0] == "..":
                        raise Refused(Problem("unsafe_path", "a symbolic link leads out of the root", path))
                    path = normalize_path(target)
                    break
                if not mode:
                    return path
            else:
                return path
        raise Refused(Problem("unsafe_path", "its symbolic links form a loop", path))

    def _entry(self, path: str) -> tuple[int, str]:
        """Mode and id of what stands at a path; (0, "") for nothing."""
        folder, _, name = path.rpartition("/")
        if folder not in self._folders:
            mode, id = self._entry(folder) if folder else (_FOLDER, self.id)
            entries = self._repository.entries(id) if mode == _FOLDER else ()
            self._folders[folder] = {name: (mode, id) for name, mode, id in entries}
        return self._folders[folder].get(name, (0, ""))
