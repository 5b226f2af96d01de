"""A mapping of paths to contents as a tree to plan on. Touches no file."""

from __future__ import annotations

from collections.abc import Mapping

from .model import File
from .paths import normalise, some_alike
from .problems import Refused
from .text import decode, encode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .match.files import Tree


class MemoryTree:
    """A mapping as a tree.

    `plain`: its keys are paths as a walk through a folder gives them, also of files that no patch may touch (`.svn/x`).
    """

    def __init__(self, files: Mapping[str, str | bytes | File], *, plain: bool = False) -> None:
        self._files = files
        self._seen: dict[str, str | bytes | File | None] = {}
        self._names: dict[str, str] | None = {} if plain else None  # keys that aren't plain, by what they mean

    def canonical(self, path: str) -> str:
        """The key that a path means."""
        plain = normalise(path)
        if plain in self._files:
            return plain
        if self._names is None:
            self._names = {}
            for key in self._files:
                try:
                    self._names[normalise(key)] = key
                except Refused:  # `.git/config`: no patch may touch it
                    continue
        return self._names.get(plain, plain)

    def read(self, path: str) -> File | None:
        """The file under a key."""
        value = self.value(path)
        if value is None or isinstance(value, File):
            return value
        return File(encode(value) if isinstance(value, str) else bytes(value))

    def value(self, path: str) -> str | bytes | File | None:
        """What the mapping has under a key; it is asked once for each."""
        if path not in self._seen:
            self._seen[path] = self._files.get(path)
        return self._seen[path]

    def ending(self, path: str) -> tuple[str, ...]:
        """Keys that end in a path, by whole names."""
        return tuple(sorted(key for key in self._files if key.endswith("/" + path)))

    def suggest(self, path: str) -> tuple[str, ...]:
        """Keys with the same last name."""
        name = path.rsplit("/", 1)[-1].casefold()
        return tuple(sorted(key for key in self._files if key.rsplit("/", 1)[-1].casefold() == name)[:3])

    def alike(self, path: str) -> tuple[str, ...]:
        """Keys with the same suffix."""
        return some_alike(path, self._files)

    def has_folder(self, path: str) -> bool:
        """Whether a key lies below that path."""
        return any(key.startswith(f"{path}/") for key in self._files)

    def link(self, path: str) -> None:
        """There are no links."""


def as_tree(files: Mapping[str, str | bytes] | Tree) -> Tree:
    """Files to plan on: a mapping as a tree, or a tree as it is."""
    return MemoryTree(files) if isinstance(files, Mapping) else files


def text_like(data: bytes, before: str) -> str:
    """A file's bytes as text; halves of characters, which no bytes hold, come back where the text had some before."""
    text = decode(data)
    if b"\xed" not in data or decode(encode(before)) == before:  # each half begins with that byte
        return text
    import re

    halves = "\udced[\udca0-\udcbf][\udc80-\udcbf]"
    return re.sub(halves, lambda found: encode(found[0]).decode("utf-8", "surrogatepass"), text)
