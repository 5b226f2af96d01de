"""The clients that run hooks: the calls in their events, the answers they expect, their settings. Touches no file.

All of it follows the clients' own documentation as of November 2026; docs/hooks.md says which of them were run.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from typing import Any, NamedTuple

from ..answer.dialects import keys_of, plain

FIXED, DENIED = "fixed", "denied"


class ToolCall(NamedTuple):
    """A call that a client is about to make. `cwd`: the folder that relative paths start from.

    `id`, `session`, `turn`: the client's names for the call and for what it belongs to; `transcript`: the file in which
    it records the session; "" for what it doesn't tell.
    """

    client: str
    tool: str
    input: dict[str, Any]
    cwd: str
    id: str = ""
    session: str = ""
    turn: str = ""
    transcript: str = ""

    @property
    def is_for_server(self) -> bool:
        """True if it calls a tool of `anypatch mcp` that changes files."""
        return bool(_FOR_SERVER.search(self.tool))

    def key(self, field: str) -> str:
        """Return the key that holds a field in this vendor's dialect, or "" if there is none."""
        known = keys_of(field)
        return next((key for key, value in self.input.items() if plain(key) in known and value is not None), "")

    def text(self, field: str) -> str:
        """Return a field that is a string, or "" if it is missing or something else."""
        value = self.input.get(self.key(field))
        return value if isinstance(value, str) else ""


class Verdict(NamedTuple):
    """The decision about a call: `action` is FIXED, with the new `input`, or DENIED.

    `why` is for the model, or for the log. `once`: if the same call comes again, let it through.
    """

    action: str
    path: str
    why: str
    input: dict[str, Any] | None = None
    once: bool = False


class Client(NamedTuple):
    """A client. `settings`: the file in the project that lists its hooks, under `event`.

    `matcher`: its edit tools and, unless it tells the server itself which session it is, those of the server.

    `shape`: how a hook is listed there: "nested" below its matcher, "flat" beside it, "bash" without one.
    """

    title: str
    settings: str
    event: str
    matcher: str
    shape: str = "nested"

    def add_hook(self, settings: dict[str, Any], command: str) -> dict[str, Any]:
        """Return the settings with the hook added, or unchanged if they have it. Raise ValueError if they can't."""
        hooks = settings.get("hooks", {})
        listed = hooks.get(self.event, []) if isinstance(hooks, dict) else None
        if not isinstance(listed, list):
            raise ValueError(f"`hooks` is not in the form that {self.title} reads")
        entries: dict[str, dict[str, Any]] = {
            "nested": {"matcher": self.matcher, "hooks": [{"type": "command", "command": command}]},
            "flat": {"command": command, "matcher": self.matcher},
            "bash": {"type": "command", "bash": command, "timeoutSec": 10},
        }
        entry = entries[self.shape]
        others = [other for other in listed if not _is_same_hook(other, entry)]
        if entry in listed or command in json.dumps(others):
            return settings
        version = {} if self.shape == "nested" else {"version": 1}
        return version | settings | {"hooks": hooks | {self.event: [*others, entry]}}


def _is_same_hook(entry: object, other: dict[str, Any]) -> bool:
    """Return True if two hooks of a list are the same except for their matchers."""
    return isinstance(entry, dict) and {**entry, "matcher": ""} == {**other, "matcher": ""}


_EDITS = ("Edit", "MultiEdit", "Write", "NotebookEdit")  # Claude Code's own
_CHANGING = "(apply_patch|edit_symbol|rename_symbol|undo)"  # the tools of the server that change files
_FOR_SERVER = re.compile(f"(anypatch.*[_-]|^MCP:){_CHANGING}$")

CLIENTS = {
    "claude": Client(
        "Claude Code", ".claude/settings.json", "PreToolUse", f"^({'|'.join(_EDITS)}|mcp__anypatch__{_CHANGING})$"
    ),
    "gemini": Client(
        "Gemini CLI", ".gemini/settings.json", "BeforeTool", f"^(replace|write_file|mcp_anypatch_{_CHANGING})$"
    ),
    "codex": Client("Codex", ".codex/hooks.json", "PreToolUse", "apply_patch"),
    "qwen": Client("Qwen Code", ".qwen/settings.json", "PreToolUse", f"^(edit|write_file|mcp__anypatch__{_CHANGING})$"),
    "cursor": Client("Cursor", ".cursor/hooks.json", "preToolUse", f"Write|StrReplace|MCP:{_CHANGING}", "flat"),
    "copilot": Client("Copilot CLI", ".github/hooks/anypatch.json", "preToolUse", "edit|create", "bash"),
}


def read_event(event: object) -> ToolCall | None:
    """Return the call that an event is about, or None if it isn't about one."""
    if not isinstance(event, dict):
        return None
    tool = event.get("tool_name", event.get("toolName"))
    arguments = event.get("tool_input", event.get("toolArgs"))
    if isinstance(arguments, str):  # Copilot CLI sends the arguments as a string of JSON
        arguments = json.loads(arguments)
    roots = event.get("workspace_roots")
    cwd = event.get("cwd") or (roots[0] if isinstance(roots, list) and roots else "") or "."
    if not isinstance(tool, str) or not isinstance(arguments, dict) or not isinstance(cwd, str):
        return None
    return ToolCall(_sender(event, tool), tool, arguments, cwd, *(_first(event, names) for names in _NAMES))


# How clients call a call, a session, a turn and the session's transcript.
_NAMES = (
    ("tool_use_id",), ("session_id", "sessionId", "conversation_id"), ("turn_id", "prompt_id", "generation_id"),
    ("transcript_path",),
)  # fmt: skip


def _first(event: dict[str, Any], names: Iterable[str]) -> str:
    """Return the first of these fields that is a string, or ""."""
    return next((event[name] for name in names if isinstance(event.get(name), str)), "")


def _sender(event: dict[str, Any], tool: str) -> str:
    if "toolName" in event:
        return "copilot"
    name = event.get("hook_event_name")
    if name in ("BeforeTool", "preToolUse"):
        return "gemini" if name == "BeforeTool" else "cursor"
    if tool == "apply_patch":
        return "codex"
    return "claude" if tool in _EDITS else "qwen"


def answer(call: ToolCall, verdict: Verdict | None) -> dict[str, Any] | None:
    """Return what the client expects back; None for no output. A fix never skips the client's permission prompt."""
    if verdict is None:
        return {} if call.client == "cursor" else None  # Cursor wants an answer in any case
    why = f"anypatch: {verdict.why}"
    if call.client == "qwen" and verdict.input is not None:  # its hooks can't change the input: tell the model
        changed = {key: value for key, value in verdict.input.items() if value != call.input.get(key)}
        resend = json.dumps(changed, ensure_ascii=False)
        why = f"anypatch: that text isn't in the file exactly as written. Send the same call with {resend}"
        verdict = verdict._replace(action=DENIED)
    return _denial(call.client, why) if verdict.action == DENIED else _replacement(call.client, verdict.input)


def _denial(client: str, why: str) -> dict[str, Any]:
    if client == "cursor":
        return {"permission": "deny", "user_message": why, "agent_message": why}
    if client == "gemini":
        return {"decision": "deny", "reason": why}
    decision = {"permissionDecision": "deny", "permissionDecisionReason": why}
    return decision if client == "copilot" else _pre_tool_use(decision)


def _replacement(client: str, input: dict[str, Any] | None) -> dict[str, Any]:
    if client == "cursor":
        return {"permission": "allow", "updated_input": input}
    if client == "gemini":
        return {"hookSpecificOutput": {"hookEventName": "BeforeTool", "tool_input": input}}
    if client == "copilot":
        return {"modifiedArgs": input}
    # Codex takes another input only together with a decision.
    allowed = {"permissionDecision": "allow"} if client == "codex" else {}
    return _pre_tool_use({"updatedInput": input, **allowed})


def _pre_tool_use(output: dict[str, Any]) -> dict[str, Any]:
    return {"hookSpecificOutput": {"hookEventName": "PreToolUse", **output}}
