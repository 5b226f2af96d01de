"""Find transcripts: in the folders where the clients keep them, or in a file or folder that is named."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from . import claude, codex, gemini, opencode
from .events import Event

_HEAD = 1 << 20  # bytes of a file that may tell whose it is
_LINES = 20  # likewise


class Client(NamedTuple):
    """A client. `variable` names its folder in the environment, `folder` is below the home without it."""

    title: str
    variable: str
    folder: str
    transcripts: str
    read: Callable[[str], Iterator[Event]]
    recognizes: Callable[[dict[str, Any]], bool]


CLIENTS = {
    "gemini": Client("Gemini CLI", "GEMINI_CLI_HOME", "", ".gemini/tmp", gemini.read, gemini.recognizes),
    "codex": Client("Codex", "CODEX_HOME", ".codex", "sessions", codex.read, codex.recognizes),
    "claude": Client("Claude Code", "CLAUDE_CONFIG_DIR", ".claude", "projects", claude.read, claude.recognizes),
    "opencode": Client(
        "opencode", "XDG_DATA_HOME", ".local/share", "opencode", opencode.read, lambda _: False
    ),
}  # fmt: skip


class Transcript(NamedTuple):
    """A file, or opencode's folder of files, that a client wrote."""

    client: str
    path: str
    bytes: int


def usual_folders(environment: Mapping[str, str]) -> list[str]:
    """Return the folders in which the clients keep their transcripts."""
    home = os.path.expanduser("~")
    return [
        os.path.join(environment.get(client.variable) or os.path.join(home, client.folder), client.transcripts)
        for client in CLIENTS.values()
    ]


def find(places: Sequence[str]) -> Iterator[Transcript]:
    """Yield the transcripts in these files and folders, each once. What isn't one is skipped."""
    seen: set[str] = set()
    for path in (path for place in places for path in _candidates(place)):
        real = os.path.realpath(path)
        client = "" if real in seen else _client_of(path)
        seen.add(real)
        if client:
            yield Transcript(client, path, _size(path))


def _candidates(place: str) -> Iterator[str]:
    if not os.path.isdir(place):
        yield place
        return
    for folder, subfolders, names in os.walk(place):
        if _is_storage(folder):
            subfolders.clear()
            yield folder
            continue
        subfolders.sort()
        yield from (os.path.join(folder, name) for name in sorted(names) if name.endswith((".jsonl", ".json", ".db")))


def _is_storage(folder: str) -> bool:
    return all(os.path.isdir(os.path.join(folder, name)) for name in ("message", "part"))


def _client_of(path: str) -> str:
    """Return the client that wrote a file; "" if none of them did."""
    if os.path.isdir(path) or (path.endswith(".db") and os.path.basename(path).startswith("opencode")):
        return "opencode"
    try:
        with open(path, "rb") as file:
            head = file.read(_HEAD)
    except OSError:
        return ""
    for line in [head, *head.split(b"\n")[:_LINES]]:
        try:
            value = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(value, dict):
            return next((name for name, client in CLIENTS.items() if client.recognizes(value)), "")
    return "gemini" if b'"projectHash"' in head[:500] else ""  # the older form, longer than the head


def _size(path: str) -> int:
    try:
        return os.path.getsize(path)
    except OSError:
        return 0
