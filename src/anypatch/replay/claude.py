"""Transcripts of Claude Code: `~/.claude/projects/*/SESSION.jsonl`.

A line is a record. Those of type `assistant` hold calls (`tool_use`), those of type `user` their results: what the
model read (`tool_result`) and, beside it, what the client knows of it (`toolUseResult`):

    Read        {"type": "text", "file": {"filePath", "content", "startLine", "numLines", "totalLines"}}
    Edit        {"filePath", "oldString", "newString", "originalFile", "structuredPatch", "userModified", "replaceAll"}
    MultiEdit   the same with "edits" and "originalFileContents"
    Write       {"type": "create" or "update", "filePath", "content", "originalFile", "structuredPatch"}
    NotebookEdit {"original_file", "updated_file"}

Contents of large files are left out. Other records repeat what these say.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ..hooks.clients import ToolCall
from ..hooks.decide import Replacement, replace_exactly
from .events import (
    BadLine,
    Contents,
    Event,
    MayChange,
    Origin,
    Seen,
    SeenLines,
    Session,
    absolute,
    dict_of,
    dicts_of,
    file_edit,
    json_lines,
    known,
    path_of,
    text_of,
)
from .shell import may_change

_EDITS = ("Edit", "MultiEdit", "Write", "NotebookEdit")
# Tools that change no file; whatever isn't here may.
_HARMLESS = {
    "AskUserQuestion", "BashOutput", "EnterPlanMode", "ExitPlanMode", "Glob", "Grep", "KillShell", "LS", "LSP",
    "ListMcpResourcesTool", "NotebookRead", "ReadMcpResourceTool", "TaskCreate", "TaskGet", "TaskList", "TaskUpdate",
    "TodoRead", "TodoWrite", "ToolSearch", "WebFetch", "WebSearch",
}  # fmt: skip
_Calls = dict[str, tuple[str, dict[str, Any]]]  # by ID: the model, the call
_NUMBERED = re.compile(r" *(\d+)[\t→](.*)")
_READ_LINES = 2000  # that a Read without a limit shows


def recognizes(head: dict[str, Any]) -> bool:
    """Return True if a line of a file is a record of Claude Code."""
    return "sessionId" in head and ("type" in head) and "projectHash" not in head


def read(path: str) -> Iterator[Event]:
    """Yield what a transcript tells."""
    name = Path(path).stem
    yield Session(name)
    calls: _Calls = {}
    for record in json_lines(path):
        message = dict_of(record and record.get("message"))
        blocks = dicts_of(message.get("content"))
        if record is None:
            yield BadLine()
        elif record.get("type") == "assistant":
            model = f"{message.get('model', '')}"
            calls |= {f"{block['id']}": (model, block) for block in blocks if _is_call(block)}
        elif record.get("type") == "user":
            yield from _user(record, blocks, calls, name)
        elif record.get("type") == "attachment":
            attachment = dict_of(record.get("attachment"))
            if attachment.get("type") == "edited_text_file" and isinstance(attachment.get("filename"), str):
                yield MayChange(absolute(attachment["filename"], _folder(record)))


def _user(record: dict[str, Any], blocks: list[dict[str, Any]], calls: _Calls, session: str) -> Iterator[Event]:
    """Yield what a record tells that goes to the model: results, or what a person wrote."""
    results = [block for block in blocks if block.get("type") == "tool_result"]
    for block in results:
        model, call = calls.pop(f"{block.get('tool_use_id')}", ("", {}))
        details = record.get("toolUseResult") if len(results) == 1 else None
        yield from _result(record, model, call, block, details, session)
    if not results and not record.get("isMeta"):
        yield MayChange()  # a person wrote, and may have edited files as well


def _is_call(block: dict[str, Any]) -> bool:
    return block.get("type") == "tool_use" and "id" in block and isinstance(block.get("name"), str)


def _folder(record: dict[str, Any]) -> str:
    folder = record.get("cwd")
    return folder if isinstance(folder, str) else ""


def _result(
    record: dict[str, Any], model: str, call: dict[str, Any], block: dict[str, Any], details: object, session: str
) -> Iterator[Event]:
    """Yield what the result of a call tells."""
    name, arguments = call.get("name", ""), dict_of(call.get("input"))
    failed = block.get("is_error") is True
    tool_call = ToolCall("claude", name, arguments, _folder(record))
    path = path_of(tool_call)
    if name in _EDITS and path:
        origin = Origin("claude", model, session, f"{call['id']}", name)
        error = (text_of(block.get("content")) or "unknown") if failed else ""
        before, after = ({}, {}) if failed else _contents(name, path, arguments, dict_of(details))
        yield file_edit(origin, tool_call, error, before, after)
    elif name == "Read":
        if not failed:
            yield from _shown(path, arguments, dict_of(details), text_of(block.get("content")))
    elif name not in _HARMLESS and may_change(arguments):
        yield MayChange()


def _shown(path: str, arguments: dict[str, Any], details: dict[str, Any], text: str) -> Iterator[Event]:
    """Yield the lines of a file that a Read shows."""
    file = dict_of(details.get("file"))
    content, first, total = file.get("content"), file.get("startLine"), file.get("totalLines")
    if isinstance(content, str) and isinstance(first, int) and isinstance(total, int):
        lines = content.split("\n")
        yield Seen(path, content) if first == 1 and len(lines) == total else SeenLines(path, first, lines, total)
        return
    numbered = [line for line in map(_NUMBERED.fullmatch, text.split("\n")) if line]
    if numbered:
        is_whole = not {"offset", "limit"} & set(arguments) and len(numbered) < _READ_LINES
        yield SeenLines(path, int(numbered[0][1]), [line[2] for line in numbered], len(numbered) if is_whole else 0)


def _contents(name: str, path: str, arguments: dict[str, Any], details: dict[str, Any]) -> tuple[Contents, Contents]:
    """Return the file before and after a call that went through, as far as its result has them."""
    before: Contents = {}
    for key in ("originalFile", "originalFileContents", "original_file"):
        before |= known(path, details.get(key))
    if name == "Write" and details.get("type") == "create":
        before = {path: None}
    after: object = None
    original = before.get(path)
    if name == "NotebookEdit":
        after = details.get("updated_file")
    elif details.get("userModified") is not True:
        after = arguments.get("content") if name == "Write" else _edited(original, details)
    return before, known(path, after)


def _edited(original: str | None, details: dict[str, Any]) -> str | None:
    """Return the file after an Edit or MultiEdit; None unless it has as many lines as the patch beside it says.

    A text that is replaced by nothing goes with the end of its line.
    """
    if original is None:
        return None
    edits = [
        Replacement(f"{edit.get('old_string')}", f"{edit.get('new_string')}", edit.get("replace_all") is True)
        for edit in dicts_of(details.get("edits"))
    ] or [Replacement(f"{details.get('oldString')}", f"{details.get('newString')}", details.get("replaceAll") is True)]
    longer = [
        edit._replace(old=f"{edit.old}\n") if not edit.new and not edit.old.endswith("\n") else edit for edit in edits
    ]
    hunks = dicts_of(details.get("structuredPatch"))
    for choice in (longer, edits):
        after = replace_exactly(original, choice)
        if after is not None and after.count("\n") - original.count("\n") == sum(map(_growth, hunks)):
            return after
    return None


def _growth(hunk: dict[str, Any]) -> int:
    new, old = hunk.get("newLines"), hunk.get("oldLines")
    return new - old if isinstance(new, int) and isinstance(old, int) else 0
