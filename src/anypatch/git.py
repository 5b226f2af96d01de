"""Commits of git repositories as trees to plan on, read by `git cat-file --batch`. Nothing is checked out or written.

Objects are cached by their id, so that what commits share is read once.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import threading
from collections import OrderedDict
from collections.abc import Iterator

from .model import LINK, File
from .paths import follow_links, normalize_path
from .problems import Problem, Refused
from .text import decode
from .tree import ListedTree

CACHE_BYTES = 128 << 20
_MAX_LISTINGS = 8  # trees whose paths are cached
_FOLDER, _EXECUTABLE, _SUBMODULE = 0o040000, 0o100755, 0o160000
# Fetch nothing, ask for nothing and replace nothing, whatever the repository configures.
_ISOLATED = {
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_OPTIONAL_LOCKS": "0",
}


class ObjectCache:
    """The objects that were used last, by id, up to `CACHE_BYTES`."""

    def __init__(self) -> None:
        self._objects: OrderedDict[str, bytes] = OrderedDict()
        self._size = 0

    def get(self, id: str) -> bytes | None:
        """Return an object; None if it isn't cached."""
        if id in self._objects:
            self._objects.move_to_end(id)
        return self._objects.get(id)

    def add(self, id: str, data: bytes) -> None:
        """Add an object; drop those that were used longest ago."""
        if id in self._objects:
            return
        self._objects[id] = data
        self._size += len(data) + 100
        while self._size > CACHE_BYTES and len(self._objects) > 1:
            self._size -= len(self._objects.popitem(last=False)[1]) + 100


class Repository:
    """A repository, read through one process of git. `isolated`: ignore its settings for fetching and replacing.

    Threads may share it.
    """

    def __init__(self, path: str, cache: ObjectCache | None = None, *, isolated: bool = False) -> None:
        self._cache = cache or ObjectCache()
        self._ids: dict[str, str] | None = None if isolated else {}  # by name; the names of a tree in use change
        self._lock = threading.Lock()
        self._listings: OrderedDict[str, tuple[str, ...]] = OrderedDict()
        if not shutil.which("git"):
            raise Refused(Problem("unreadable", "git, which reads the repositories, is not installed"))
        self._git = subprocess.Popen(  # noqa: S603 - the path is an argument of its own
            ["git", "-c", "safe.directory=*", "-C", path, "cat-file", "--batch"],  # noqa: S607 - the git of the user
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            env={**os.environ, **(_ISOLATED if isolated else {})},
        )  # fmt: skip

    def get_id(self, name: str) -> str | None:
        """Return the id of the object that a name stands for; None if there is none."""
        if self._ids and name in self._ids:
            return self._ids[name]
        reply = self._request(name)
        if reply is None:
            return None
        if self._ids is not None:
            self._ids[name] = reply[0]
        self._cache.add(*reply)
        return reply[0]

    def tree(self, commit: str) -> GitTree | None:
        """Return the files of a commit; None if there is no such commit."""
        root = self.get_id(f"{commit}^{{tree}}") if "\n" not in commit else None
        return GitTree(self, root) if root else None

    def folder(self, commit: str) -> GitTree | None:
        """Return what a commit has of the folder that the repository was opened in; None if there is no such commit."""
        root = self.get_id(f"{commit}:./") if "\n" not in commit else None
        return GitTree(self, root) if root else None

    def data(self, id: str) -> bytes:
        """Return the object with an id."""
        data = self._cache.get(id)
        if data is None:
            reply = self._request(id)
            if reply is None:
                raise Refused(Problem("unreadable", f"the repository lacks the object {id}"))
            data = reply[1]
            self._cache.add(id, data)
        return data

    def _request(self, name: str) -> tuple[str, bytes] | None:
        """Ask git for the id and the data of an object: `ID TYPE SIZE`, a newline, the data, a newline."""
        stdin, stdout = self._git.stdin, self._git.stdout
        assert stdin is not None and stdout is not None
        try:
            with self._lock:
                stdin.write(f"{name}\n".encode())
                stdin.flush()
                id, _, rest = stdout.readline().decode().partition(" ")
                if not rest:
                    raise OSError
                size = rest.split()[-1]
                if not size.isdigit():  # "NAME missing", "NAME ambiguous"
                    return None
                return id, stdout.read(int(size) + 1)[:-1]
        except OSError:
            raise Refused(Problem("unreadable", "git ended before it answered; is it a repository?")) from None

    def entries(self, id: str) -> Iterator[tuple[str, int, str]]:
        """Yield name, mode and id of the entries of a folder."""
        data, at, width = self.data(id), 0, len(id) // 2
        while at < len(data):
            space, end = data.index(b" ", at), data.index(b"\0", at)
            yield decode(data[space + 1 : end]), int(data[at:space], 8), data[end + 1 : end + 1 + width].hex()
            at = end + 1 + width

    def paths(self, root: str) -> tuple[str, ...]:
        """Return the paths of all files of a tree."""
        if root not in self._listings:
            paths, folders = [], [("", root)]
            for prefix, id in folders:
                for name, mode, child in self.entries(id):
                    if mode == _FOLDER:
                        folders.append((f"{prefix}{name}/", child))
                    elif mode != _SUBMODULE:
                        paths.append(prefix + name)
            self._listings[root] = tuple(sorted(paths))
            if len(self._listings) > _MAX_LISTINGS:
                self._listings.popitem(last=False)
        return self._listings[root]

    def close(self) -> None:
        """End the process."""
        self._git.kill()
        self._git.communicate()


class GitTree(ListedTree):
    """The files of a commit, each read when it is needed."""

    def __init__(self, repository: Repository, root: str) -> None:
        self._repository = repository
        self.id = root
        self._folders: dict[str, dict[str, tuple[int, str]]] = {}

    @property
    def paths(self) -> tuple[str, ...]:  # type: ignore[override]
        """The paths of all files, without submodules."""
        return self._repository.paths(self.id)

    def canonical(self, path: str) -> str:
        """Return the path of the real file, with links inside the tree followed. Refuse one that leads out of it."""
        return self._follow(path, last=True)

    def read(self, path: str) -> File | None:
        """Return the file at a canonical path; None if it doesn't exist."""
        mode, id = self._entry(path)
        if mode in (_FOLDER, _SUBMODULE):
            raise Refused(Problem("not_a_file", "it is a directory", path))
        return File(self._repository.data(id), 0o755 if mode == _EXECUTABLE else 0o644) if mode else None

    def read_entry(self, path: str) -> File | None:
        """Return what git has at a path: a file with its mode, a link as its target, a submodule as its commit."""
        mode, id = self._entry(path)
        if mode == _SUBMODULE:
            return File(id.encode(), _SUBMODULE)
        return File(self._repository.data(id), LINK if mode == LINK else mode & 0o777) if mode else None

    def has_folder(self, path: str) -> bool:
        """Return True if a path is a folder."""
        return self._entry(path)[0] == _FOLDER

    def link(self, path: str) -> tuple[str, str] | None:
        """Return a symbolic link's own path and its target; None if the path isn't a link."""
        own = self._follow(path, last=False)
        mode, id = self._entry(own)
        return (own, decode(self._repository.data(id))) if mode == LINK else None

    def _follow(self, path: str, *, last: bool) -> str:
        def target_of(folder: str, name: str) -> str:
            mode, id = self._entry(f"{folder}/{name}" if folder else name)
            target = decode(self._repository.data(id)) if mode == LINK else ""
            if target.startswith("/"):
                raise Refused(Problem("unsafe_path", "a symbolic link leads out of the root", path))
            return target

        return normalize_path(follow_links(normalize_path(path), target_of, last=last))

    def _entry(self, path: str) -> tuple[int, str]:
        """Return mode and id of the entry at a path; (0, "") if there is none."""
        folder, _, name = path.rpartition("/")
        if folder not in self._folders:
            mode, id = self._entry(folder) if folder else (_FOLDER, self.id)
            entries = self._repository.entries(id) if mode == _FOLDER else ()
            self._folders[folder] = {name: (mode, id) for name, mode, id in entries}
        return self._folders[folder].get(name, (0, ""))
