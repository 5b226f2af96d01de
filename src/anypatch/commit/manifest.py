"""The journal of one change: what each path was and is to be, signed. Turns values into bytes and back, no more.

The first line holds the code over all the rest, the second the digest of the patch, then follows JSON. It is written
by hand: loading json takes longer than committing a file.
"""

from __future__ import annotations

from ..errors import Problem, Refused
from ..record import NamedTuple
from .key import code, same

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

VERSION = 2
NAME = "manifest"
MAX_BYTES = 64 << 20
_INTRO = f"anypatch journal {VERSION} "
# Everything that a manifest which is torn, foreign or hostile can make reading it raise.
UNREADABLE = (ValueError, TypeError, KeyError, IndexError, RecursionError)


class Entry(NamedTuple):
    """One path: the digest and mode of its file before and after, "" where there is none.

    `way`: "" by exchange with the slot of this number; "far" where the state is on another file system; "keep" where
    the file is written in place, because its other names are to see it.
    """

    number: int
    path: str
    old: str
    new: str
    old_mode: int
    new_mode: int
    way: str = ""
    turned: bool = False

    @property
    def name(self) -> str:
        """The last part of the path."""
        return self.path.rpartition("/")[2]

    def mirrored(self) -> Entry:
        """The entry that takes this one back."""
        return Entry(
            self.number, self.path, self.new, self.old, self.new_mode, self.old_mode, self.way, not self.turned
        )

    def copy(self, *, old: bool) -> str:
        """Where one side lies: in the slot, or in a copy of its own where it doesn't change places with it."""
        return f"{self.number}.{'old' if old != self.turned else 'new'}" if self.way else str(self.number)


class Manifest(NamedTuple):
    """A journal. `dirs`: the folders that the change makes."""

    id: str
    time: float
    format: str
    description: str
    patch: str
    dirs: tuple[str, ...]
    entries: tuple[Entry, ...]


def to_bytes(manifest: Manifest, key: bytes) -> bytes:
    """The journal as it is written."""
    rows = [
        f'[{number},{_quoted(path)},"{old}","{new}",{old_mode},{new_mode},"{way}"]'
        for number, path, old, new, old_mode, new_mode, way, _ in manifest.entries
    ]
    head = f'{manifest.patch}\n{{"id":"{manifest.id}","time":{manifest.time!r},"format":{_quoted(manifest.format)}'
    head += f',"description":{_quoted(manifest.description)},"dirs":[{",".join(map(_quoted, manifest.dirs))}]'
    body = (head + ',"files":[\n' + ",\n".join(rows) + "\n]}\n").encode("ascii")
    return f"{_INTRO}{code(key, body)}\n".encode("ascii") + body


def patch_digest(start: bytes) -> str:
    """The digest of the patch, from the first bytes of a journal."""
    return [*start.split(b"\n", 2), b"", b""][1].decode("ascii", "replace")


def from_bytes(data: bytes, key: bytes) -> Manifest:
    """The journal, if this user's key signed it; else Refused. Raises nothing else."""
    head, _, body = data.partition(b"\n")
    if not key or not same(head.decode("ascii", "replace"), _INTRO + code(key, body)):
        raise Refused(Problem("foreign_journal", "" if key else "this user has no key to check it by"))
    try:
        return _manifest(body)
    except UNREADABLE:
        raise Refused(Problem("foreign_journal", "it cannot be read")) from None


def _manifest(body: bytes) -> Manifest:
    import json

    patch, _, text = body.partition(b"\n")
    value: dict[str, Any] = json.loads(text)
    entries = tuple(
        Entry(int(number), str(path), str(old), str(new), int(old_mode), int(new_mode), str(way))
        for number, path, old, new, old_mode, new_mode, way in value["files"]
    )
    told = float(value["time"]), str(value["format"]), str(value["description"])
    return Manifest(str(value["id"]), *told, patch.decode("ascii"), tuple(map(str, value["dirs"])), entries)


def _quoted(text: str) -> str:
    """A JSON string."""
    if text.isascii() and text.isprintable() and '"' not in text and "\\" not in text:
        return f'"{text}"'
    import json

    return json.dumps(text)
