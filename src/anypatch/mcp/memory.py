"""Remember, while the server runs, the results of calls with an idempotency key, and files as they were shown.

A client whose connection broke, or that waited long enough, sends the same call again: under the same key it gets the
result of the first one, also while that is still running. And an edit of a file that has changed since it was shown is
merged into it:

    read_symbol a.py      the model sees version 1
    somebody else         writes version 2
    apply_patch           is planned on version 1, and merged into version 2

What a session knows of a file is what it was shown last, with its own edits since. Nothing is kept on disk.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import Future
from typing import Any, NamedTuple

from ..problems import Problem, Refused

_KEPT = 200  # calls, the newest
MAX_BYTES = 32 << 20  # of all contents together; those that were used longest ago are dropped


class ToolResult(NamedTuple):
    """The result of a call: the JSON that the command line prints, the text for the model, True if it was refused."""

    value: dict[str, Any]
    text: str
    failed: bool = False


class _Call(NamedTuple):
    """A call with what it asks for, and its result as soon as there is one; None if nothing was written."""

    asked: str
    result: Future[ToolResult | None]


class FinishedCalls:
    """The newest calls that wrote something, by their keys. One that wrote nothing may be made again."""

    def __init__(self) -> None:
        self._calls: dict[str, _Call] = {}
        self._lock = threading.Lock()

    def once(self, key: str, asked: str, run: Callable[[], ToolResult]) -> ToolResult:
        """Run a call, or return the result of an earlier one with this key. Raise Refused if that asked for more."""
        own = _Call(asked, Future())
        while (first := self._first(key, own)) is not own:
            if first.asked != asked:
                raise Refused(Problem("bad_call", f"the idempotency key {key!r} was used for a different call"))
            if (result := first.result.result()) is not None:
                return result
        result = None
        try:
            result = run()
            return result
        finally:
            written = result if result and result.value.get("written") else None
            if written is None:
                del self._calls[key]
            own.result.set_result(written)

    def _first(self, key: str, own: _Call) -> _Call:
        """Return the call that has the key: an earlier one, or this one, which now has it."""
        with self._lock:
            done = [key for key, call in self._calls.items() if call.result.done()]
            for old in done[: max(len(self._calls) - _KEPT, 0)]:
                del self._calls[old]
            return self._calls.setdefault(key, own)


# ── files as they were shown ─────────────────────────────────────────────────────────────────────


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
