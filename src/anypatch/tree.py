"""Trees to plan on whose files aren't on this disk: a mapping, or an object with `read` and `list`."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, MutableMapping
from typing import TYPE_CHECKING, Any

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

    Files(mapping) doesn't change the mapping. It keeps its own changes, and reads everything else from the mapping.
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


class ListedTree:
    """Finds paths in a tree that knows all of them."""

    paths: Collection[str]

    def all_paths(self) -> Collection[str]:
        """Return the paths of all files."""
        return self.paths

    def ending(self, path: str) -> tuple[str, ...]:
        """Return the files whose path ends in this one, by whole names."""
        return tuple(sorted(known for known in self.paths if known.endswith(f"/{path}")))

    def suggest(self, path: str) -> tuple[str, ...]:
        """Return files that may be the intended one, best first."""
        return similar_paths(path, self.paths)

    def alike(self, path: str) -> tuple[str, ...]:
        """Return the files with the same suffix."""
        return paths_with_suffix(path, self.paths)


class MemoryTree(ListedTree):
    """A mapping, or a `Tree` of the caller's, as the tree to plan on. Files are read when they are needed, once.

    `normalized`: the keys are paths as a walk through a folder yields them, so that none needs to be normalized.
    """

    def __init__(self, files: Mapping[str, Contents] | Tree, *, normalized: bool = False) -> None:
        self._contents: dict[str, Contents | None] = {}
        self._keys: dict[str, str] | None = {} if normalized else None  # by normalized path
        self._paths: Collection[str] | None = None
        self._files: Mapping[str, Contents] | None = None
        if isinstance(files, (dict, Mapping)):  # `dict` first, because checking for Mapping is slow
            self._files = files
            self._get: Callable[[str], Contents | None] = files.get
        else:
            self._get = files.read
            self._list = files.list

    @property
    def paths(self) -> Collection[str]:  # type: ignore[override]
        """All paths; a tree of the caller's is asked once."""
        if self._paths is None:
            self._paths = tuple(self._list()) if self._files is None else self._files.keys()
        return self._paths

    def canonical(self, path: str) -> str:
        """Return the key for a path."""
        normalized = normalize_path(path)
        if normalized in self._files if self._files is not None else self.value(normalized) is not None:
            return normalized
        if self._keys is None:
            self._keys = {}
            for key in self.paths:
                try:
                    self._keys[normalize_path(key)] = key
                except Refused:  # `.git/config`: no patch may touch it
                    continue
        return self._keys.get(normalized, normalized)

    def read(self, path: str) -> File | None:
        """Return the file under a key; None if it doesn't exist."""
        value = self.value(path)
        if value is None or isinstance(value, File):
            return value
        return File.of_text(value) if isinstance(value, str) else File(bytes(value))

    def value(self, path: str) -> Contents | None:
        """Return what the caller's mapping or tree has under a key, which is asked once."""
        if path not in self._contents:
            self._contents[path] = self._get(path)
        return self._contents[path]

    def has_folder(self, path: str) -> bool:
        """Return True if there is a file below a path."""
        return any(key.startswith(f"{path}/") for key in self.paths)

    def link(self, path: str) -> None:
        """Return None: there are no links."""

    def after(self, changes: tuple[FileChange, ...]) -> MutableMapping[str, str | bytes]:
        """Return the files after these changes; new ones are text or bytes like the first of the others."""
        given: Any = self._files
        files: MutableMapping[str, str | bytes] = dict(given) if isinstance(given, dict) else Files(given)
        for change in changes:
            if change.after is None:
                if change.path in files:
                    del files[change.path]
                continue
            like = self.value(change.path)
            if like is None and self._files:
                like = self.value(next(iter(self._files)))
            files[change.path] = change.after.data if isinstance(like, bytes) else change.after.text
        return files


class NotLoaded(Exception):
    """Planning needs a file, or the list of all files (None), that must be awaited first."""

    def __init__(self, path: str | None) -> None:
        super().__init__(path)
        self.path = path


class LoadedTree:
    """The files of an `AsyncTree` that have been awaited so far, as a `Tree`."""

    def __init__(self) -> None:
        self.files: dict[str, str | bytes | None] = {}
        self.paths: Collection[str] | None = None

    def read(self, path: str) -> str | bytes | None:
        """Return a file. Raise NotLoaded if it has to be awaited."""
        if path not in self.files:
            raise NotLoaded(path)
        return self.files[path]

    def list(self) -> Collection[str]:
        """Return all paths. Raise NotLoaded if they have to be awaited."""
        if self.paths is None:
            raise NotLoaded(None)
        return self.paths


class TreeAfter:
    """A tree as a plan leaves it."""

    def __init__(self, tree: Planned, plan: Plan) -> None:
        self.canonical, self.ending, self.suggest = tree.canonical, tree.ending, tree.suggest
        self.has_folder, self.link, self.alike = tree.has_folder, tree.link, tree.alike
        self.all_paths = tree.all_paths
        self._tree = tree
        self._changed = {change.path: change.after for change in plan.changes}

    def read(self, path: str) -> File | None:
        """Return the file as the plan leaves it."""
        return self._changed[path] if path in self._changed else self._tree.read(path)

    def lines(self, path: str) -> list[str]:
        """Return the lines of a file; none if it doesn't exist."""
        file = self.read(path)
        return Text.read(file.data).lines if file else []


class TreeBefore:
    """A tree as a model saw it: the files that `before` holds as they are there, all others as they are in `now`.

    `is_whole`: a file that `before` doesn't hold didn't exist. Edits of it are planned all the same, as it may be one
    that is in no commit; but a new file with that name isn't the file that is there now.
    """

    def __init__(self, now: Planned, before: Planned, *, is_whole: bool = False) -> None:
        self.canonical, self.ending, self.suggest = now.canonical, now.ending, now.suggest
        self.has_folder, self.link, self.alike = now.has_folder, now.link, now.alike
        self.is_whole = is_whole
        self._now, self._before = now, before

    def read(self, path: str) -> File | None:
        """Return the file as it was; as it is now if that isn't known. A mapping knows no permissions."""
        file, now = self.seen(path), self._now.read(path)
        if file and now and isinstance(self._before, MemoryTree):
            file.mode = now.mode
        return file or now

    def seen(self, path: str) -> File | None:
        """Return the file as it was; None if it didn't exist, or isn't known."""
        return self._before.read(self._before.canonical(path))

    def all_paths(self) -> Collection[str]:
        """Return the paths of all files, those as well that exist no longer."""
        return {*self._before.all_paths(), *self._now.all_paths()}


def as_tree(files: Mapping[str, str | bytes] | Tree | Planned) -> Planned:
    """Return a tree to plan on: one of ours as it is, a mapping or a tree of the caller's adapted."""
    if isinstance(files, (dict, Mapping)):
        return MemoryTree(files)
    if hasattr(files, "canonical"):
        return files  # type: ignore[return-value]
    if not (hasattr(files, "read") and hasattr(files, "list")):
        raise TypeError(
            f"files must be a mapping from path to contents, or a Tree with read and list, not {files!r:.80}"
        )
    return MemoryTree(files)
