"""Files that are not on this disk as a tree to plan on: a mapping, or what has `read` and `list`. Touches no file."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, MutableMapping
from typing import TYPE_CHECKING

from .model import File, FileChange, Plan
from .paths import normalize_path, paths_with_suffix, similar_paths
from .problems import Refused
from .text import Text

if TYPE_CHECKING:
    from .hints import Tree
    from .match.files import Tree as Planned

    Contents = str | bytes | File


class Files(MutableMapping[str, "str | bytes"]):
    """Files in memory, from path to text or bytes. Also a `Tree`.

    Files(mapping) leaves the mapping as it is: what is changed here is kept apart, and what isn't is taken from there
    when it is asked for.
    """

    def __init__(self, files: Mapping[str, str | bytes] | None = None) -> None:
        self._given = dict(files) if isinstance(files, dict) else files or {}
        self._changed: dict[str, str | bytes | None] = {}

    def read(self, path: str) -> str | bytes | None:
        """The contents of a file; None if it doesn't exist."""
        return self.get(path)

    def list(self) -> Iterator[str]:
        """The paths of all files."""
        return iter(self)

    def __getitem__(self, path: str) -> str | bytes:
        value = self._changed[path] if path in self._changed else self._given[path]
        if value is None:
            raise KeyError(path)
        return value

    def __setitem__(self, path: str, value: str | bytes) -> None:
        self._changed[path] = value

    def __delitem__(self, path: str) -> None:
        if path not in self:
            raise KeyError(path)
        self._changed[path] = None

    def __contains__(self, path: object) -> bool:
        return self._changed[path] is not None if path in self._changed else path in self._given

    def __iter__(self) -> Iterator[str]:
        yield from (path for path in self._given if path in self)
        yield from (path for path in self._changed if path not in self._given and path in self)

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __repr__(self) -> str:
        return f"Files({dict(self)!r})"


class Listed:
    """What a tree that knows all its paths can say of one that isn't there."""

    paths: Collection[str]

    def all_paths(self) -> Collection[str]:
        """The paths of all files."""
        return self.paths

    def ending(self, path: str) -> tuple[str, ...]:
        """The files whose path ends in this one, by whole names."""
        return tuple(sorted(known for known in self.paths if known.endswith(f"/{path}")))

    def suggest(self, path: str) -> tuple[str, ...]:
        """Files that may have been meant, best first."""
        return similar_paths(path, self.paths)

    def alike(self, path: str) -> tuple[str, ...]:
        """Files with the same suffix."""
        return paths_with_suffix(path, self.paths)


class MemoryTree(Listed):
    """A mapping, or a `Tree` of the caller's, as the tree to plan on. Files are read when they are needed, once.

    `plain`: its keys are paths as a walk through a folder gives them, also of files that no patch may touch (`.svn/x`).
    """

    def __init__(self, files: Mapping[str, Contents] | Tree, *, plain: bool = False) -> None:
        self._seen: dict[str, Contents | None] = {}
        self._names: dict[str, str] | None = {} if plain else None  # keys that aren't plain, by what they mean
        self._listed: Collection[str] | None = None
        self._files: Mapping[str, Contents] | None = None
        if isinstance(files, (dict, Mapping)):  # a mapping of one's own is asked for slowly
            self._files = files
            self._get: Callable[[str], Contents | None] = files.get
        else:
            self._get = files.read
            self._list = files.list

    @property
    def paths(self) -> Collection[str]:  # type: ignore[override]
        """All paths; a tree of the caller's is asked once."""
        if self._listed is None:
            self._listed = tuple(self._list()) if self._files is None else self._files.keys()
        return self._listed

    def canonical(self, path: str) -> str:
        """The key that a path means."""
        plain = normalize_path(path)
        if self._has(plain):
            return plain
        if self._names is None:
            self._names = {}
            for key in self.paths:
                try:
                    self._names[normalize_path(key)] = key
                except Refused:  # `.git/config`: no patch may touch it
                    continue
        return self._names.get(plain, plain)

    def _has(self, path: str) -> bool:
        return path in self._files if self._files is not None else self.value(path) is not None

    def read(self, path: str) -> File | None:
        """The file under a key."""
        value = self.value(path)
        if value is None or isinstance(value, File):
            return value
        return File.of_text(value) if isinstance(value, str) else File(bytes(value))

    def value(self, path: str) -> Contents | None:
        """What is there under a key; it is asked for once."""
        if path not in self._seen:
            self._seen[path] = self._get(path)
        return self._seen[path]

    def has_folder(self, path: str) -> bool:
        """Whether a key lies below that path."""
        return any(key.startswith(f"{path}/") for key in self.paths)

    def link(self, path: str) -> None:
        """There are no links."""

    def after(self, changes: tuple[FileChange, ...]) -> Files:
        """The files once they are changed; new ones are text or bytes as the first of the others is."""
        files = Files(self._files) if self._files is not None else Files()  # type: ignore[arg-type]
        for change in changes:
            if change.after is None:
                if change.path in files:
                    del files[change.path]
                continue
            given = self.value(change.path)
            if given is None and self._files:  # a new file is like the others
                given = self.value(next(iter(self._files)))
            files[change.path] = change.after.data if isinstance(given, bytes) else change.after.text
        return files


class NotYet(Exception):
    """A file, or with None the list of all, has to be awaited before planning can go on."""

    def __init__(self, path: str | None) -> None:
        super().__init__(path)
        self.path = path


class Arrived:
    """What has come of an `AsyncTree` so far, as a `Tree`."""

    def __init__(self) -> None:
        self.files: dict[str, str | bytes | None] = {}
        self.paths: Collection[str] | None = None

    def read(self, path: str) -> str | bytes | None:
        """A file that has come."""
        if path not in self.files:
            raise NotYet(path)
        return self.files[path]

    def list(self) -> Collection[str]:
        """All paths, once they have come."""
        if self.paths is None:
            raise NotYet(None)
        return self.paths


class Overlaid:
    """A tree after a plan."""

    def __init__(self, tree: Planned, made: Plan) -> None:
        self.canonical, self.ending, self.suggest = tree.canonical, tree.ending, tree.suggest
        self.has_folder, self.link, self.alike = tree.has_folder, tree.link, tree.alike
        self.all_paths = tree.all_paths
        self._tree = tree
        self._changed = {change.path: change.after for change in made.changes}

    def read(self, path: str) -> File | None:
        """The file as the plan leaves it."""
        return self._changed[path] if path in self._changed else self._tree.read(path)

    def lines(self, path: str) -> list[str]:
        """Its lines; none where it isn't there."""
        file = self.read(path)
        return Text.read(file.data).lines if file else []


def as_tree(files: Mapping[str, str | bytes] | Tree | Planned) -> Planned:
    """Files to plan on: a mapping or a tree of the caller's, adapted; one of ours as it is."""
    if isinstance(files, (dict, Mapping)):
        return MemoryTree(files)
    if hasattr(files, "canonical"):
        return files  # type: ignore[return-value]
    if not (hasattr(files, "read") and hasattr(files, "list")):
        raise TypeError(
            f"files must be a mapping from path to contents, or a Tree with read and list, not {files!r:.80}"
        )
    return MemoryTree(files)
