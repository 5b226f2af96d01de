"""Transcripts of Gemini CLI: `~/.gemini/tmp/PROJECT/chats/session-*.jsonl`, of older versions `.json`.

A message of type `gemini` holds its calls with their results; a line with the same `id` replaces an earlier one:

    {"name": "replace", "args": {…}, "status": "success" or "error" or "cancelled", "result": […], "resultDisplay":
     {"fileDiff", "fileName", "originalContent", "newContent", "isNewFile"} or a text}

A line may also be `{"$set": {"messages": […]}}`. In the older form all messages are in one object.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ..hooks.clients import ToolCall
from .events import (
    BadLine,
    Contents,
    Event,
    MayChange,
    Origin,
    Seen,
    Session,
    dict_of,
    dicts_of,
    file_edit,
    json_lines,
    known,
    path_of,
)
from .shell import may_change

_EDITS = ("replace", "write_file")
_HARMLESS = {
    "glob", "google_web_search", "grep_search", "list_directory", "read_file", "read_many_files", "save_memory",
    "search_file_content", "update_topic", "web_fetch", "write_todos",
}  # fmt: skip
_PARTS = {"offset", "limit", "start_line", "end_line"}


def recognizes(head: dict[str, Any]) -> bool:
    """Return True if a line of a file, or the whole of it, is of Gemini CLI."""
    return "projectHash" in head and "sessionId" in head


def read(path: str) -> Iterator[Event]:
    """Yield what a transcript tells."""
    session = Path(path).stem
    yield Session(session)
    done: set[str] = set()
    for message in _messages(path):
        if message is None:
            yield BadLine()
        elif message.get("type") == "gemini":
            for call in dicts_of(message.get("toolCalls")):
                # Calls are there from the beginning, their results only in a later copy of the message.
                if call.get("status") in ("success", "error", "cancelled") and f"{call.get('id')}" not in done:
                    done.add(f"{call.get('id')}")
                    yield from _result(call, f"{message.get('model', '')}", session)
        elif message.get("type") == "user" and not _has_results(message):
            yield MayChange()  # a person wrote, and may have edited files as well


def _messages(path: str) -> Iterator[dict[str, Any] | None]:
    if path.endswith(".json"):
        try:
            yield from dicts_of(dict_of(json.loads(Path(path).read_bytes())).get("messages"))
        except (ValueError, RecursionError):
            yield None
        return
    for record in json_lines(path):
        if record is None or "$set" not in record:
            yield record
        else:
            yield from dicts_of(dict_of(record["$set"]).get("messages"))


def _has_results(message: dict[str, Any]) -> bool:
    return any("functionResponse" in part for part in dicts_of(message.get("content")))


def _result(call: dict[str, Any], model: str, session: str) -> Iterator[Event]:
    """Yield what a call with its result tells."""
    name, arguments = f"{call.get('name')}", dict_of(call.get("args"))
    tool_call = ToolCall("gemini", name, arguments, "")
    succeeded = call.get("status") == "success"
    path = path_of(tool_call)
    if name in _EDITS and path:
        error = "" if succeeded else "cancelled" if call.get("status") == "cancelled" else _response(call, "error")
        before, after = _contents(path, dict_of(call.get("resultDisplay"))) if succeeded else ({}, {})
        origin = Origin("gemini", model, session, f"{call.get('id')}", name)
        yield file_edit(origin, tool_call, error, before, after)
    elif name == "read_file":
        text = _response(call, "output")
        if succeeded and path and not _PARTS & set(arguments) and "truncated" not in text[:200]:
            yield Seen(path, text)
    elif name not in _HARMLESS and may_change(arguments):
        yield MayChange()


def _contents(path: str, display: dict[str, Any]) -> tuple[Contents, Contents]:
    """Return the file before and after a call that went through, as far as its result has them."""
    before = known(path, display.get("originalContent"))
    if display.get("isNewFile") is True:
        before = {path: None}
    return before, known(path, display.get("newContent"))


def _response(call: dict[str, Any], key: str) -> str:
    """Return what the model read as the result of a call."""
    for part in dicts_of(call.get("result")):
        text = dict_of(dict_of(part.get("functionResponse")).get("response")).get(key)
        if isinstance(text, str):
            return text
    display = call.get("resultDisplay")
    return display if isinstance(display, str) and display else "unknown"
