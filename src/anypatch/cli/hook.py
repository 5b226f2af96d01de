"""The command `hook`: answers an agent that is about to edit a file with a tool of its own; installs itself.

It never stands in the way by failing: whatever goes wrong is one line on standard error, and the call goes on. What
clients say, how they are answered and their settings are as their own documentation has it in November 2026; which of
them were run is in docs/agents.md.
"""

from __future__ import annotations

import json
import os
import sys
import time
from typing import TYPE_CHECKING, NamedTuple

from ..hooks import DENIED, Request, Verdict, judged
from ..problems import Problem, Refused, in_a_line
from . import terminal
from .shared import Output, located, reported

if TYPE_CHECKING:
    from typing import Any

    from .options import Call


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


def run_hook(call: Call) -> Output:
    """Answer one event, or write the settings."""
    if call.argument is not None:
        return _install(located(call))
    try:
        return Output(0, _answered(), [])
    except Exception as error:
        return Output(0, [], [f"anypatch hook: the call is left as it is ({terminal.harmless(in_a_line(error))})"])


def _answered() -> list[str]:
    """The answer to the event on standard input; what was done about the call goes into the log."""
    request = _request_of(json.loads(sys.stdin.buffer.read()))
    if request is None:
        return []
    nothing = ["{}"] if request.client == "cursor" else []  # Cursor wants an answer
    verdict = judged(request)
    if verdict is None:
        return nothing
    from ..storage.hook_log import add, entries
    from ..storage.journal import digest

    call = digest(json.dumps(request.input, sort_keys=True).encode())[:16]
    if verdict.insisting:  # the last that was denied here, made once more, is let through
        denied = (entry.get("call") for entry in entries(request.cwd) if entry.get("did") == "denied")
        if next(denied, "") == call:
            return nothing
    told = json.dumps(_answer(request, verdict))
    entry = {
        "time": time.time(), "client": request.client, "tool": request.tool, "did": verdict.did, "path": verdict.path,
        "why": verdict.why, "call": call,
    }  # fmt: skip
    try:
        add(request.cwd, entry)
    except (OSError, Refused):  # the answer counts all the same
        terminal.write(sys.stderr, ["anypatch hook: the log can't be written"])
    return [told]


# ── what clients say, and are told ───────────────────────────────────────────────────────────────


def _request_of(event: object) -> Request | None:
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


def _answer(request: Request, verdict: Verdict) -> dict[str, Any]:
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


# ── the settings of clients ──────────────────────────────────────────────────────────────────────


def _installed(client: Client, settings: dict[str, Any], command: str) -> dict[str, Any]:
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
    head = {} if client.shape == "nested" else {"version": 1}
    return head | settings | {"hooks": hooks | {client.event: [*listed, entries[client.shape]]}}


def _install(call: Call) -> Output:
    """Show what a client's settings need; write it where that is asked for, so that undo takes it back."""
    from .. import api

    word, name = call.arguments
    client = CLIENTS.get(name)
    if word != "install" or client is None:
        detail = f"hook takes `install` and one of {', '.join(CLIENTS)}, not {word} {name}"
        raise Refused(Problem("bad_call", detail, advice="See `anypatch hook --help`."))
    path = os.path.join(call.root, client.settings)
    try:
        with open(path, encoding="utf-8") as file:
            before = file.read()
    except FileNotFoundError:
        before = ""
    except (OSError, ValueError) as error:
        raise Refused(Problem("unreadable", f"{client.settings}: {error}")) from None
    try:
        settings = json.loads(before) if before.strip() else {}
        after = _installed(client, settings, _command())
    except (ValueError, AttributeError, TypeError) as error:
        detail = f"the hook can't be added to {client.settings}: {error}"
        advice = f"Add by hand: {json.dumps(_installed(client, {}, _command()))}"
        raise Refused(Problem("unreadable", detail, advice=advice)) from None
    if after == settings:
        return Output(0, [f"{client.settings} already has the hook"], [])
    text = json.dumps(after, indent=2, ensure_ascii=False) + "\n"
    write = {"name": "Write", "input": {"file_path": client.settings, "content": text}}
    report = api.apply(write, call.root, overwrite=True, dry_run=not call.has("write"), again=True)
    result = reported(call, report)
    more = [] if call.has("write") or not report.ok else ["To write it, add --write."]
    return result._replace(out=[*result.out, *more])


def _command() -> str:
    """How a client calls this program: by its name where that is on the path, else by its place."""
    import shlex
    import shutil

    program = os.path.abspath(sys.argv[0])
    found = shutil.which("anypatch")
    return "anypatch hook" if found and os.path.samefile(found, program) else f"{shlex.quote(program)} hook"
