"""The logs of hooks, a line of JSON for each call of an agent: who makes it, and which were fixed or denied.

The first is in the user's state folder. An agent's hook is told session and turn, our server isn't, so it looks there:

    {"time": 1795053407.3, "id": "toolu_1402", "call": "9f3c61aa", "session": "c6418243", "turn": "a77609e8"}

The second is in the tree's state directory. A log that is long is kept as `NAME.old`, and a new one is begun.
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
from .state import write_all, write_gitignore
from .tree import DiskTree

_CALLS, _VERDICTS = "calls", "hooks"
_MOST = {_CALLS: 64 << 10, _VERDICTS: 1 << 20}  # bytes of a log
_MAX_NAME = 200  # characters of an id, a session or a turn
_SECONDS = 60.0  # from the hook to the call, for clients that send no id along with it


class Caller(NamedTuple):
    """The session and the turn that a call comes from; "" for what isn't known."""

    session: str = ""
    turn: str = ""


NOBODY = Caller()


# ── who makes a call ─────────────────────────────────────────────────────────────────────────────


def note_call(id: str, arguments: Mapping[str, Any], caller: Caller) -> None:
    """Append a call that a client is about to make. Raise OSError if the log can't be written."""
    folder = user_state_folder()
    if not folder:
        return
    os.makedirs(folder, 0o700, exist_ok=True)
    entry = {"time": time.time(), "id": id[:_MAX_NAME], "call": _digest(arguments)}
    state = os.open(folder, OPEN_FOLDER)
    try:
        _append(state, _CALLS, entry | {name: value[:_MAX_NAME] for name, value in caller._asdict().items()})
    finally:
        os.close(state)


def find_caller(id: str, arguments: Mapping[str, Any]) -> Caller:
    """Return who makes a call. Without an id, it is the one that was noted a moment ago with the same arguments.

    If two sessions make the same call at the same time, nobody knows which of them this is.
    """
    call, now = _digest(arguments), time.time()
    callers = [
        Caller(entry["session"], entry["turn"])
        for entry in _calls()
        if (entry["id"] == id if id else entry["call"] == call and abs(now - entry["time"]) < _SECONDS)
    ]
    is_clear = len({caller.session for caller in callers}) == 1
    return callers[0] if is_clear else NOBODY


def _digest(arguments: Mapping[str, Any]) -> str:
    return digest(json.dumps(arguments, sort_keys=True).encode())[:32]


def _calls() -> Iterator[dict[str, Any]]:
    """Yield the calls that were noted, newest first."""
    try:
        state = os.open(user_state_folder() or "/", OPEN_FOLDER)
    except OSError:
        return
    types = {"time": float, "id": str, "call": str, "session": str, "turn": str}
    try:
        for entry in (*_read(state, _CALLS), *_read(state, _CALLS, ".old")):
            if all(isinstance(entry.get(name), kind) for name, kind in types.items()):
                yield entry
    finally:
        os.close(state)


# ── what was done about a call ───────────────────────────────────────────────────────────────────


def add_verdict(root: str, entry: dict[str, Any]) -> None:
    """Append a call that was fixed or denied."""
    with DiskTree(root) as tree:
        state = tree.state(make=True)
        assert state
        write_gitignore(state)
        _append(state.fd, _VERDICTS, entry)


def verdicts(root: str) -> list[dict[str, Any]]:
    """Return the calls that were fixed or denied, newest first."""
    with DiskTree(root) as tree:
        state = tree.state(make=False)
        return _read(state.fd, _VERDICTS) if state else []


# ── lines ────────────────────────────────────────────────────────────────────────────────────────


def _append(folder: int, name: str, entry: dict[str, Any]) -> None:
    flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    fd = os.open(name, flags, 0o600, dir_fd=folder)
    try:
        write_all(fd, json.dumps(entry).encode() + b"\n")
        if os.fstat(fd).st_size > _MOST[name]:
            os.replace(name, f"{name}.old", src_dir_fd=folder, dst_dir_fd=folder)
    finally:
        os.close(fd)


def _read(folder: int, name: str, suffix: str = "") -> list[dict[str, Any]]:
    """Return the lines that are objects, newest first; none of a log that can't be read."""
    try:
        lines = read_at(folder, name + suffix, 2 * _MOST[name])[0].splitlines()
    except (OSError, Refused):
        return []
    entries = []
    for line in reversed(lines):
        try:
            entry = json.loads(line)
        except ValueError:
            continue
        if isinstance(entry, dict):
            entries.append(entry)
    return entries
