"""A mapping of paths to contents as a tree to plan on. Touches no file."""

from __future__ import annotations

from .model import File
from .paths import normalise
from .text import decode, encode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping


class MemoryTree:
    """A mapping as a tree.

    `plain`: its keys are paths as a walk through a folder gives them, also of files that no patch may touch (`.svn/x`).
    """

    def __init__(self, files: Mapping[str, str | bytes | File], *, plain: bool = False) -> None:
        self._names = {} if plain else {normalise(path): path for path in files}
        self._files = files

    def canonical(self, path: str) -> str:
        """The key that a path means."""
        plain = normalise(path)
        return self._names.get(plain, plain)

    def read(self, path: str) -> File | None:
        """The file under a key."""
        value = self._files.get(path)
        if value is None or isinstance(value, File):
            return value
        return File(encode(value) if isinstance(value, str) else bytes(value))

    def ending(self, path: str) -> tuple[str, ...]:
        """Keys that end in a path, by whole names."""
        return tuple(sorted(key for key in self._files if key.endswith("/" + path)))

    def suggest(self, path: str) -> tuple[str, ...]:
        """Keys with the same last name."""
        name = path.rsplit("/", 1)[-1].casefold()
        return tuple(sorted(key for key in self._files if key.rsplit("/", 1)[-1].casefold() == name)[:3])

    def has_folder(self, path: str) -> bool:
        """Whether a key lies below that path."""
        return any(key.startswith(f"{path}/") for key in self._files)

    def link(self, path: str) -> None:
        """There are no links."""


def text_like(data: bytes, before: str) -> str:
    """A file's bytes as text; halves of characters, which no bytes hold, come back where the text had some before."""
    text = decode(data)
    if decode(encode(before)) == before:
        return text
    import re

    halves = "\udced[\udca0-\udcbf][\udc80-\udcbf]"
    return re.sub(halves, lambda found: encode(found[0]).decode("utf-8", "surrogatepass"), text)
