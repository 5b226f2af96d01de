"""Remember the results of calls with an idempotency key, so that one that is repeated isn't done twice.

A client whose connection broke, or that waited long enough, sends the same call again: under the same key it gets the
result of the first one, also while that is still running.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any, NamedTuple

from ..problems import Problem, Refused

_KEPT = 200  # calls, the newest


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
