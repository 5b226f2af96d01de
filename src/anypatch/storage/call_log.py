"""Which session and turn of an agent a call of the server comes from: the agent's hook is told, the server isn't.

The hook appends a line to a log in the user's state folder, and the server looks for its call there:

    {"time": 1795053407.3, "id": "toolu_1402", "call": "9f3c61aa", "session": "c6418243", "turn": "a77609e8"}
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from ..problems import Refused
from .journal import digest, user_state_folder
from .sandbox import OPEN_FOLDER, read_at
from .state import write_all

_NAME = "calls"
_MAX_BYTES = 64 << 10  # then a new log is begun, and this one is kept as `calls.old`
_MAX_NAME = 200  # characters of an id, a session or a turn
_SECONDS = 60.0  # from the hook to the call, for clients that send no id along with it


class Caller(NamedTuple):
    """The session and the turn that a call comes from; "" for what isn't known."""

    session: str = ""
    turn: str = ""


NOBODY = Caller()


def note_call(id: str, arguments: Mapping[str, Any], caller: Caller) -> None:
    """Append a call that a client is about to make. Raise OSError if the log can't be written."""
    folder = user_state_folder()
    if not folder:
        return
    os.makedirs(folder, 0o700, exist_ok=True)
    entry = {"time": time.time(), "id": id[:_MAX_NAME], "call": _digest(arguments)}
    entry |= {name: value[:_MAX_NAME] for name, value in caller._asdict().items()}
    state = os.open(folder, OPEN_FOLDER)
    try:
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
        fd = os.open(_NAME, flags, 0o600, dir_fd=state)
        try:
            write_all(fd, json.dumps(entry).encode() + b"\n")
            if os.fstat(fd).st_size > _MAX_BYTES:
                os.replace(_NAME, f"{_NAME}.old", src_dir_fd=state, dst_dir_fd=state)
        finally:
            os.close(fd)
    finally:
        os.close(state)


def find_caller(id: str, arguments: Mapping[str, Any]) -> Caller:
    """Return who makes a call. Without an id, it is the one that was noted a moment ago with the same arguments.

    If two sessions make the same call at the same time, nobody knows which of them this is.
    """
    call, now = _digest(arguments), time.time()
    callers = [
        Caller(entry["session"], entry["turn"])
        for entry in _entries()
        if (entry["id"] == id if id else entry["call"] == call and abs(now - entry["time"]) < _SECONDS)
    ]
    is_clear = len({caller.session for caller in callers}) == 1
    return callers[0] if is_clear else NOBODY


def _digest(arguments: Mapping[str, Any]) -> str:
    return digest(json.dumps(arguments, sort_keys=True).encode())[:32]


def _entries() -> Iterator[dict[str, Any]]:
    """Yield the lines that can be read, newest first."""
    try:
        state = os.open(user_state_folder() or "/", OPEN_FOLDER)
    except OSError:
        return
    try:
        for name in (_NAME, f"{_NAME}.old"):
            try:
                lines = read_at(state, name, 2 * _MAX_BYTES)[0].splitlines()
            except (OSError, Refused):
                continue
            yield from filter(None, map(_entry, reversed(lines)))
    finally:
        os.close(state)


def _entry(line: bytes) -> dict[str, Any] | None:
    """Read a line; None if it isn't one of ours."""
    try:
        entry = json.loads(line)
    except ValueError:
        return None
    types = {"time": float, "id": str, "call": str, "session": str, "turn": str}
    is_ours = isinstance(entry, dict) and all(isinstance(entry.get(name), kind) for name, kind in types.items())
    return entry if is_ours else None
