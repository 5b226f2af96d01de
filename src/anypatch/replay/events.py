"""The events of a transcript, in order: edit calls, contents of files, moments when files may have changed. Plain data.

Paths are absolute wherever the transcript knows the folder. A text of None: there is no such file.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from ..answer.read import read
from ..hints import Answer
from ..hooks.clients import ToolCall
from ..model import paths_of

Contents = dict[str, str | None]  # path: its text; a path that is missing isn't known


class Session(NamedTuple):
    """A session begins: nothing is known about any file."""

    id: str


class Origin(NamedTuple):
    """Where a call is from: the client, the model, the session, the call's ID and tool."""

    client: str
    model: str
    session: str
    id: str
    tool: str


class EditCall(NamedTuple):
    """A call that was to edit files, when its result is there. `error`: what the client said if it failed, else "".

    `answer`: the call as the engine reads it, with the names in `files`: {name in the answer: path}. `before`, `after`:
    contents that the transcript has beside the call.
    """

    origin: Origin
    answer: Answer
    files: Mapping[str, str]
    error: str
    before: Contents
    after: Contents


class Seen(NamedTuple):
    """The whole text of a file, as it was at this moment."""

    path: str
    text: str | None


class SeenLines(NamedTuple):
    """Some lines of a file, from number `first` on. `total`: how many lines the file has, 0 if that isn't known."""

    path: str
    first: int
    lines: list[str]
    total: int = 0


class MayChange(NamedTuple):
    """Something happened that may have changed this file; "" for any file."""

    path: str = ""


class BadLine(NamedTuple):
    """A line, or a file, that can't be read."""


Event = Session | EditCall | Seen | SeenLines | MayChange | BadLine


def known(path: str, text: object) -> Contents:
    """Return the contents of a file, nothing if a transcript has none: it may hold anything anywhere."""
    return {path: text} if isinstance(text, str) else {}


def json_lines(path: str) -> Iterator[dict[str, Any] | None]:
    """Yield the object on each line of a file, one line in memory at a time; None for one that isn't an object."""
    with open(path, encoding="utf-8", errors="replace") as file:
        for line in file:
            if line.strip():
                try:
                    value = json.loads(line)
                except (ValueError, RecursionError):
                    value = None
                yield value if isinstance(value, dict) else None


def absolute(path: str, folder: str) -> str:
    """Return a path from a folder without `.` and `..`."""
    return os.path.normpath(os.path.join(folder, path))


def dict_of(value: object) -> dict[str, Any]:
    """Return the value if it is an object, else an empty one: transcripts may hold anything anywhere."""
    return value if isinstance(value, dict) else {}


def dicts_of(value: object) -> list[dict[str, Any]]:
    """Return the objects in a list; none if it isn't a list."""
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def text_of(value: object) -> str:
    """Return a string, or the texts in a list of content blocks."""
    if isinstance(value, str):
        return value
    return "\n".join(item["text"] for item in dicts_of(value) if isinstance(item.get("text"), str))


# ── edit calls, as the engine reads them ─────────────────────────────────────────────────────────

_HEADERS = ("*** Add File: ", "*** Update File: ", "*** Delete File: ", "*** Move to: ")


def path_of(call: ToolCall) -> str:
    """Return the path that a call names, "" if it names none."""
    path = call.text("path")
    return absolute(path, call.cwd) if path else ""


def file_edit(origin: Origin, call: ToolCall, error: str, before: Contents, after: Contents) -> EditCall:
    """Return a call about one file, which it names by the last part of its path."""
    path = path_of(call)
    name = os.path.basename(path)
    answer = {"name": call.tool, "input": call.input | {call.key("path"): name}}
    return EditCall(origin, answer, {name: path}, error, before, after)


def patch_edit(origin: Origin, patch: str, folder: str, error: str, before: Contents, after: Contents) -> EditCall:
    """Return a call with a patch, whose paths start from a folder."""
    for header in _HEADERS:
        patch = patch.replace(f"\n{header}{folder}/", f"\n{header}")
    names = dict.fromkeys(path for op in read(patch, "begin-patch").ops for path in paths_of(op) if path)
    return EditCall(origin, patch, {name: absolute(name, folder) for name in names}, error, before, after)
