"""Remember how each session was shown files, so that an edit of a file that has changed since is merged into it.

    read_symbol a.py      the model sees version 1
    somebody else         writes version 2
    apply_patch           is planned on version 1, and merged into version 2

What a session knows of a file is what it was shown last, with its own edits since. Nothing is kept on disk.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping

MAX_BYTES = 32 << 20  # of all contents together; those that were used longest ago are dropped

_Key = tuple[str, str, str, bytes]  # session, root, path, contents


class ShownFiles:
    """The contents of files as sessions were shown them."""

    def __init__(self) -> None:
        self._versions: OrderedDict[_Key, None] = OrderedDict()
        self._known: dict[tuple[str, str], dict[str, bytes]] = {}  # by session and root: what it knows of each path
        self._size = 0
        self._lock = threading.Lock()

    def add(self, session: str, root: str, files: Mapping[str, bytes], *, known: bool = True) -> None:
        """Note what files were shown as. Without `known`, the session was only given their hashes."""
        if not session:
            return
        with self._lock:
            for path, data in files.items():
                key = (session, root, path, data)
                if key not in self._versions:
                    self._versions[key] = None
                    self._size += len(data)
                self._versions.move_to_end(key)
                if known:
                    self._known.setdefault((session, root), {})[path] = data
            while self._size > MAX_BYTES:
                self._drop(next(iter(self._versions)))

    def forget(self, session: str, root: str, paths: Iterable[str]) -> None:
        """Note that the session no longer knows files as it was shown them."""
        with self._lock:
            known = self._known.get((session, root), {})
            for path in paths:
                known.pop(path, None)

    def known(self, session: str, root: str) -> dict[str, bytes]:
        """Return the files as a session knows them."""
        with self._lock:
            return dict(self._known.get((session, root), {}))

    def find(self, session: str, root: str, path: str, fits: Callable[[bytes], bool]) -> bytes | None:
        """Return the last contents of a path that were shown to a session and fit; None if none do."""
        with self._lock:
            versions = [key[3] for key in reversed(self._versions) if key[:3] == (session, root, path)]
        return next(filter(fits, versions), None)

    def _drop(self, key: _Key) -> None:
        session, root, path, data = key
        del self._versions[key]
        self._size -= len(data)
        known = self._known.get((session, root), {})
        if known.get(path) == data:
            del known[path]
        if not known:
            self._known.pop((session, root), None)
