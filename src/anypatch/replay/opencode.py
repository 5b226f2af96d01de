"""Transcripts of opencode: `~/.local/share/opencode/opencode.db`, of older versions `storage/part/MESSAGE/PART.json`.

Either way a part is a piece of JSON. Those of type `tool` are calls with their results:

    {"tool": "edit", "callID", "state": {"status": "completed" or "error", "input": {…}, "output", "error", "metadata"}}

In the metadata, `filediff` has the file before and after an edit (older versions), `display` the lines that a read
shows (newer ones), `exists` whether there was a file before a write.
"""

from __future__ import annotations

import json
import os
import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any
from urllib.parse import quote

from ..hooks.clients import ToolCall
from .events import (
    BadLine,
    Contents,
    Event,
    MayChange,
    Origin,
    SeenLines,
    Session,
    dict_of,
    dicts_of,
    file_edit,
    known,
    patch_edit,
    path_of,
)
from .shell import may_change

_EDITS = ("edit", "multiedit", "write")
_PATCHES = ("apply_patch", "patch")
_HARMLESS = {
    "codesearch", "glob", "grep", "list", "lsp", "question", "read", "skill", "todoread", "todowrite", "webfetch",
    "websearch",
}  # fmt: skip
_CUT_LINE = 2000  # characters; a read doesn't show more of a line
_NUMBERED = re.compile(r"(\d+)(?:: |\| )(.*)")
_QUERY = (
    "select message.session_id, message.data, part.id, part.data "
    "from part join message on message.id = part.message_id "
    "order by message.session_id, message.id, part.id"
)


def read(path: str) -> Iterator[Event]:
    """Yield what a database, or a folder `storage`, tells of all its sessions."""
    current = None
    for session, message, part in _parts_in_folder(path) if os.path.isdir(path) else _parts_in_database(path):
        if session != current:
            current = session
            yield Session(session)
        if message is None or part is None:
            yield BadLine()
        elif part.get("type") == "tool" and dict_of(part.get("state")).get("status") in ("completed", "error"):
            yield from _result(part, message, session)
        elif message.get("role") == "user":
            yield MayChange()  # a person wrote, and may have edited files as well


_Part = tuple[str, dict[str, Any] | None, dict[str, Any] | None]  # the session, its message, its part


def _parts_in_database(path: str) -> Iterator[_Part]:
    """Yield the parts in a database. Opened in a way that changes neither it nor the files beside it."""
    log = f"{path}-wal"
    is_open = os.path.exists(f"{path}-shm") and os.path.exists(log) and os.path.getsize(log)
    how = "mode=ro&readonly_shm=1" if is_open else "mode=ro&immutable=1"
    with closing(sqlite3.connect(f"file:{quote(os.path.abspath(path))}?{how}", uri=True)) as database:
        database.text_factory = lambda data: data.decode("utf-8", "replace")
        for session, message, id, part in database.execute(_QUERY):
            value = _object(part)
            yield f"{session}", _object(message), None if value is None else {"id": id, **value}


def _parts_in_folder(folder: str) -> Iterator[_Part]:
    root = Path(folder)
    for session in sorted(_children(root / "message")):
        for message in sorted(_children(session)):
            value = _object(_bytes(message))
            for part in sorted(_children(root / "part" / message.stem)):
                yield session.name, value, _object(_bytes(part))


def _children(folder: Path) -> list[Path]:
    try:
        return list(folder.iterdir())
    except OSError:
        return []


def _bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:
        return b""


def _object(text: str | bytes) -> dict[str, Any] | None:
    try:
        value = json.loads(text)
    except (TypeError, ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _result(part: dict[str, Any], message: dict[str, Any], session: str) -> Iterator[Event]:
    """Yield what a call with its result tells."""
    name, state = f"{part.get('tool')}", dict_of(part.get("state"))
    arguments, details = dict_of(state.get("input")), dict_of(state.get("metadata"))
    folder, error = _text(dict_of(message.get("path")), "cwd"), ""
    if state.get("status") == "error":
        error = _text(state, "error") or "unknown"
    tool_call = ToolCall("opencode", name, arguments, folder)
    path = path_of(tool_call)
    origin = Origin("opencode", _text(message, "modelID"), session, _text(part, "callID") or _text(part, "id"), name)
    if name in _EDITS and path:
        before, after = ({}, {}) if error else _contents(path, tool_call, details)
        yield file_edit(origin, tool_call, error, before, after)
    elif name in _PATCHES and isinstance(arguments.get("patchText"), str):
        before, after = ({}, {}) if error else _contents_of_patch(details)
        yield patch_edit(origin, arguments["patchText"], folder, error, before, after)
    elif name == "read" and path and not error:
        yield from _shown(path, details, f"{state.get('output')}")
    elif name not in _HARMLESS and may_change(arguments):
        yield MayChange()


def _text(value: dict[str, Any], key: str) -> str:
    return f"{value.get(key) or ''}"


def _contents(path: str, call: ToolCall, details: dict[str, Any]) -> tuple[Contents, Contents]:
    """Return the file before and after a call that went through, as far as its result has them."""
    if call.tool == "write":
        return {path: None} if details.get("exists") is False else {}, {path: call.text("content")}
    diff = dict_of(details.get("filediff"))
    return known(path, diff.get("before")), known(path, diff.get("after"))


def _contents_of_patch(details: dict[str, Any]) -> tuple[Contents, Contents]:
    before: Contents = {}
    after: Contents = {}
    for file in dicts_of(details.get("files")):
        path = f"{file.get('filePath')}"
        before |= known(path, file.get("before"))
        after |= known(path, file.get("after"))
    return before, after


def _shown(path: str, details: dict[str, Any], output: str) -> Iterator[Event]:
    """Yield the lines of a file that a read shows."""
    if any(len(line) >= _CUT_LINE for line in output.split("\n")):
        return
    display = dict_of(details.get("display"))
    text, first, total = display.get("text"), display.get("lineStart"), display.get("totalLines")
    if isinstance(text, str) and isinstance(first, int) and isinstance(total, int):
        yield SeenLines(path, first, text.split("\n"), total)
        return
    numbered = [line for line in map(_NUMBERED.fullmatch, output.split("\n")) if line]
    total_shown = re.search(r"\(End of file - total (\d+) lines\)", output)
    if numbered:
        total = int(total_shown[1]) if total_shown else 0
        yield SeenLines(path, int(numbered[0][1]), [line[2] for line in numbered], total)
