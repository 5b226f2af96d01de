"""The clients that ask a program before a tool runs: what they say, how they are answered, their settings. Data.

As their own documentation has it in November 2026; which of them were run is in docs/agents.md.
"""

from __future__ import annotations

import json

from ..record import NamedTuple
from . import DENIED, Request, Verdict

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class Client(NamedTuple):
    """A client. `settings`: the file in the project that names its hooks; `event`: the list in it; `matcher`: tools.

    `shape`: how a hook is listed there: "nested" below its matcher, "flat" beside it, "bash" without one.
    """

    title: str
    settings: str
    event: str
    matcher: str
    shape: str = "nested"


CLIENTS = {
    "claude": Client("Claude Code", ".claude/settings.json", "PreToolUse", "Edit|MultiEdit|Write|NotebookEdit"),
    "gemini": Client("Gemini CLI", ".gemini/settings.json", "BeforeTool", "replace|write_file"),
    "codex": Client("Codex", ".codex/hooks.json", "PreToolUse", "apply_patch"),
    "qwen": Client("Qwen Code", ".qwen/settings.json", "PreToolUse", "edit|write_file"),
    "cursor": Client("Cursor", ".cursor/hooks.json", "preToolUse", "Write|StrReplace", "flat"),
    "copilot": Client("Copilot CLI", ".github/hooks/anypatch.json", "preToolUse", "edit|create", "bash"),
}


def request_of(event: object) -> Request | None:
    """The call that an event tells of; None where it tells of none."""
    if not isinstance(event, dict):
        return None
    tool = event.get("tool_name", event.get("toolName"))
    given = event.get("tool_input", event.get("toolArgs"))
    if isinstance(given, str):  # Copilot CLI writes the arguments as a text of JSON
        given = json.loads(given)
    roots = event.get("workspace_roots")
    cwd = event.get("cwd") or (roots[0] if isinstance(roots, list) and roots else "") or "."
    if not isinstance(tool, str) or not isinstance(given, dict) or not isinstance(cwd, str):
        return None
    return Request(_whose(event, tool), tool, given, cwd)


def _whose(event: dict[str, Any], tool: str) -> str:
    """The client, by the words of its event."""
    if "toolName" in event:
        return "copilot"
    name = event.get("hook_event_name")
    if name in ("BeforeTool", "preToolUse"):
        return "gemini" if name == "BeforeTool" else "cursor"
    if tool == "apply_patch":
        return "codex"
    return "claude" if tool in CLIENTS["claude"].matcher.split("|") else "qwen"


def answer(request: Request, verdict: Verdict) -> dict[str, Any]:
    """What the client is told. Nobody is spared a question by it: whether the call is allowed stays as it was."""
    why = f"anypatch: {verdict.why}"
    if request.client == "qwen" and verdict.input is not None:  # it takes no other input, so that the model sends it
        changed = {key: value for key, value in verdict.input.items() if value != request.input.get(key)}
        verdict = verdict._replace(did=DENIED)
        call = json.dumps(changed, ensure_ascii=False)
        why = f"anypatch: that text isn't in the file exactly as written. Send the same call with {call}"
    denied = verdict.did == DENIED
    if request.client == "copilot":
        return _decided(why) if denied else {"modifiedArgs": verdict.input}
    if request.client == "cursor":
        told = {"permission": "deny", "user_message": why, "agent_message": why}
        return told if denied else {"permission": "allow", "updated_input": verdict.input}
    if request.client == "gemini":
        told = {"decision": "deny", "reason": why}
        return told if denied else {"hookSpecificOutput": {"hookEventName": "BeforeTool", "tool_input": verdict.input}}
    inner: dict[str, Any] = _decided(why) if denied else {"updatedInput": verdict.input}
    if request.client == "codex" and not denied:  # which takes another input only together with these words
        inner["permissionDecision"] = "allow"
    return {"hookSpecificOutput": {"hookEventName": "PreToolUse", **inner}}


def _decided(why: str) -> dict[str, Any]:
    return {"permissionDecision": "deny", "permissionDecisionReason": why}


def installed(client: Client, settings: dict[str, Any], command: str) -> dict[str, Any]:
    """The client's settings with the hook among them; as they were where it is."""
    hooks = settings.get("hooks", {})
    listed = hooks.get(client.event, []) if isinstance(hooks, dict) else None
    if not isinstance(listed, list):
        raise ValueError(f"`hooks` is not in the form that {client.title} reads")
    if command in json.dumps(listed):
        return settings
    entries: dict[str, dict[str, Any]] = {
        "nested": {"matcher": client.matcher, "hooks": [{"type": "command", "command": command}]},
        "flat": {"command": command, "matcher": client.matcher},
        "bash": {"type": "command", "bash": command, "timeoutSec": 10},
    }
    entry = entries[client.shape]
    head = {} if client.shape == "nested" else {"version": 1}
    return head | settings | {"hooks": hooks | {client.event: [*listed, entry]}}
