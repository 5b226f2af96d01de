"""Transcripts of Codex: `~/.codex/sessions/YYYY/MM/DD/rollout-TIME-ID.jsonl`.

A line is `{"type", "payload"}`. `turn_context` names the model and the folder. These `response_item`s are calls:

    custom_tool_call    {"name": "apply_patch", "call_id", "input": "*** Begin Patch…"}
    function_call       {"name": "apply_patch", "call_id", "arguments": "{\\"input\\": …}"}
    function_call       {"name": "exec_command" or "shell", "arguments": "{\\"cmd\\" or \\"command\\": …}"}

and `…_output` their results. What commands print, and files that a patch adds, are the only contents there are.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from .events import (
    BadLine,
    Contents,
    EditCall,
    Event,
    MayChange,
    Origin,
    SeenLines,
    Session,
    absolute,
    dict_of,
    json_lines,
    patch_edit,
    text_of,
)
from .shell import Shown, only_reads, shown

_PATCH = re.compile(r"\*\*\* Begin Patch\n.*?\n\*\*\* End Patch", re.DOTALL)
_ADDED = re.compile(r"^\*\*\* Add File: (.+)\n((?:\+.*\n)+)", re.MULTILINE)
_SHELLS = ("exec_command", "shell", "local_shell", "shell_command", "container.exec")
_HARMLESS = {"update_plan", "view_image", "web_search", "list_mcp_resources", "read_mcp_resource", "read_file"}
_CUT = ("tokens truncated", "[... omitted", "lines omitted", "Total output lines:", "Process running with session ID")
_NUMBERED = re.compile(r" *\d+\t(.*)")
_DONE = re.compile(r"\b(?:exited with code|Exit code:) 0\n")
_FOLDER = re.compile(r"\s*cd\s+(['\"]?)(\S+)\1\s*(?:&&|;|\n)")
_SUCCESS = "Success. Updated the following files"


def recognizes(head: dict[str, Any]) -> bool:
    """Return True if a line of a file is a record of Codex."""
    return isinstance(head.get("payload"), dict) and "type" in head


def read(path: str) -> Iterator[Event]:
    """Yield what a transcript tells."""
    rollout = _Rollout(Path(path).stem)
    yield Session(rollout.session)
    for record in json_lines(path):
        if record is None:
            yield BadLine()
            continue
        payload = dict_of(record.get("payload"))
        if record.get("type") in ("turn_context", "session_meta"):
            rollout.folder = f"{payload.get('cwd') or rollout.folder}"
            rollout.model = f"{payload.get('model') or rollout.model}"
        elif record.get("type") == "response_item":
            yield from rollout.item(payload)


class _Rollout:
    """The calls of a session that wait for their results, in its folder."""

    def __init__(self, session: str) -> None:
        self.session, self.folder, self.model = session, "", ""
        self.calls: dict[str, dict[str, Any]] = {}

    def item(self, payload: dict[str, Any]) -> Iterator[Event]:
        """Yield what an item of the conversation tells."""
        kind, id = payload.get("type"), f"{payload.get('call_id')}"
        if kind in ("function_call", "custom_tool_call", "local_shell_call"):
            self.calls[id] = payload
        elif kind in ("function_call_output", "custom_tool_call_output") and id in self.calls:
            yield from self._result(id, self.calls.pop(id), _output(payload.get("output")))
        elif kind == "message" and payload.get("role") == "user":
            yield MayChange()  # a person wrote, and may have edited files as well

    def _result(self, id: str, call: dict[str, Any], output: str) -> Iterator[Event]:
        name = f"{call.get('name', 'local_shell')}"
        command, folder = self._command(call)
        if patch := _PATCH.search(command):
            if moved := _FOLDER.match(command):
                folder = absolute(moved[2], folder)
            yield self._edit(id, name, patch[0], folder, "" if _SUCCESS in output else output or "unknown")
        elif name in _SHELLS and (lines := shown(command)) is not None:
            yield from _seen(lines, output, folder)
        elif name not in _HARMLESS and not (name in _SHELLS and only_reads(command)):
            yield MayChange()

    def _command(self, call: dict[str, Any]) -> tuple[str, str]:
        """Return the input of a call as text, a patch or a command line, and the folder that it runs in."""
        if isinstance(call.get("input"), str):
            return call["input"], self.folder
        try:
            arguments = dict_of(json.loads(f"{call.get('arguments')}"))
        except (ValueError, RecursionError):
            arguments = dict_of(call.get("action"))
        command = next((arguments[key] for key in ("cmd", "command", "input", "patch") if key in arguments), "")
        if isinstance(command, list):  # ["bash", "-lc", "cat a.py"]
            command = command[-1] if command else ""
        folder = arguments.get("workdir") or arguments.get("working_directory") or ""
        return f"{command}", absolute(f"{folder}", self.folder)

    def _edit(self, id: str, name: str, patch: str, folder: str, error: str) -> EditCall:
        files = [] if error else _ADDED.findall(patch)
        added: Contents = {absolute(path, folder): re.sub(r"(?m)^\+", "", lines) for path, lines in files}
        return patch_edit(Origin("codex", self.model, self.session, id, name), patch, folder, error, {}, added)


def _output(output: object) -> str:
    """Return the text of a result. Older versions put it into JSON with the exit code; newer ones write that above."""
    text = text_of(output)
    if text.startswith('{"output"'):
        try:
            value = dict_of(json.loads(text))
        except (ValueError, RecursionError):
            return text
        return f"Exit code: {dict_of(value.get('metadata')).get('exit_code')}\nOutput:\n{value.get('output')}"
    return text


def _seen(command: Shown, output: str, folder: str) -> Iterator[Event]:
    """Yield the lines that a command printed, unless they were cut or it failed."""
    header, _, text = output.partition("Output:\n")
    if not _DONE.search(header) or any(sign in output for sign in _CUT):
        return
    lines = text.removesuffix("\n").split("\n") if text else []
    if command.numbered:
        numbered = [_NUMBERED.fullmatch(line) for line in lines]
        lines = [line[1] for line in numbered if line]
        if len(lines) < len(numbered):
            return
    if not lines and command.first > 1:
        return
    last = command.first + len(lines) - 1
    is_end = not command.last or last < command.last
    yield SeenLines(absolute(command.path, folder), command.first, lines, last if is_end else 0)
