"""The events, answers and settings of each client."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from anypatch.hooks import CLIENTS, ToolCall, answer, decide, read_event
from support.hooked import FIXED, MISINDENTED, PATCH, edit, event, project


def answered(sent: dict[str, Any]) -> Any:
    call = read_event(sent)
    assert call
    return answer(call, decide(call))


def test_each_client_gets_the_fixed_call_in_its_own_form(tmp_path: Path) -> None:
    root = project(tmp_path)
    call = edit(root, *MISINDENTED)
    fixed = call | FIXED
    claude = answered(event(root, "Edit", call))
    assert claude == {"hookSpecificOutput": {"hookEventName": "PreToolUse", "updatedInput": fixed}}
    gemini = answered(event(root, "replace", call | {"instruction": "x"}, hook_event_name="BeforeTool"))
    assert gemini["hookSpecificOutput"] == {"hookEventName": "BeforeTool", "tool_input": fixed | {"instruction": "x"}}
    cursor = answered(event(root, "StrReplace", call, hook_event_name="preToolUse"))
    assert cursor == {"permission": "allow", "updated_input": fixed}
    qwen = answered(event(root, "edit", call))["hookSpecificOutput"]
    assert qwen["permissionDecision"] == "deny" and json.dumps(FIXED)[1:-1] in qwen["permissionDecisionReason"]
    codex = answered(event(root, "apply_patch", {"command": PATCH.format("-  y = b * 2\n+  y = 2 * b")}))
    assert codex["hookSpecificOutput"]["permissionDecision"] == "allow"
    arguments = {"path": str(root / "a.py"), "old_str": call["old_string"], "new_str": call["new_string"]}
    copilot = answered({"toolName": "edit", "toolArgs": json.dumps(arguments), "cwd": str(root)})
    assert copilot == {"modifiedArgs": arguments | {"old_str": FIXED["old_string"], "new_str": FIXED["new_string"]}}


def test_each_client_gets_a_denial_in_its_own_form(tmp_path: Path) -> None:
    root = project(tmp_path)
    body = "    y = b * 2\n    return y"
    elided = edit(root, body, "    # ... existing code ...\n")
    why = answered(event(root, "Edit", elided))["hookSpecificOutput"]["permissionDecisionReason"]
    assert why.startswith("anypatch: ") and "instead of the code it stands for" in why
    decision = {"permissionDecision": "deny", "permissionDecisionReason": why}
    assert answered(event(root, "edit", elided)) == {"hookSpecificOutput": {"hookEventName": "PreToolUse", **decision}}
    assert answered({"toolName": "edit", "toolArgs": elided, "cwd": str(root)}) == decision
    gemini = answered(event(root, "replace", elided, hook_event_name="BeforeTool"))
    assert gemini == {"decision": "deny", "reason": why}
    cursor = answered(event(root, "StrReplace", elided, hook_event_name="preToolUse"))
    assert cursor == {"permission": "deny", "user_message": why, "agent_message": why}


def test_a_call_that_is_left_alone_has_no_answer_except_for_cursor(tmp_path: Path) -> None:
    root = project(tmp_path)
    right = edit(root, "    y = b * 2\n", "    y = b * 3\n")
    assert answered(event(root, "Edit", right)) is None
    assert answered(event(root, "StrReplace", right, hook_event_name="preToolUse")) == {}


@pytest.mark.parametrize("sent", [[], {}, {"tool_name": "Edit"}, {"tool_name": "Edit", "tool_input": []}])
def test_an_event_that_is_about_no_call(sent: object) -> None:
    assert read_event(sent) is None


def test_cursor_names_its_folders() -> None:
    call = read_event({"tool_name": "Write", "tool_input": {}, "workspace_roots": ["one", "two"]})
    assert call and call.cwd == "one"


@pytest.mark.parametrize("name", CLIENTS)
def test_a_hook_is_added_to_settings_once(name: str) -> None:
    client = CLIENTS[name]
    before = {"theirs": 1, "hooks": {"Stop": [], client.event: [{"matcher": "X"}]}}
    after = client.add_hook(before, "anypatch hook")
    assert after["theirs"] == 1 and after["hooks"]["Stop"] == []
    assert len(after["hooks"][client.event]) == 2 and "anypatch hook" in json.dumps(after)
    assert client.add_hook(after, "anypatch hook") is after


def test_a_hook_that_was_added_by_an_older_version_gets_the_new_matcher() -> None:
    client = CLIENTS["claude"]
    theirs = {"matcher": "Bash", "hooks": [{"type": "command", "command": "lint"}]}
    older = {"matcher": "Edit", "hooks": [{"type": "command", "command": "anypatch hook"}]}
    (kept, ours) = client.add_hook({"hooks": {"PreToolUse": [older, theirs]}}, "anypatch hook")["hooks"]["PreToolUse"]
    assert kept == theirs and ours == older | {"matcher": client.matcher}
    mixed = {"hooks": {"PreToolUse": [older | {"hooks": [*older["hooks"], *theirs["hooks"]]}]}}
    assert client.add_hook(mixed, "anypatch hook") is mixed, "somebody has arranged it otherwise"


@pytest.mark.parametrize(
    ("name", "tool"),
    [
        ("claude", "mcp__anypatch__apply_patch"),
        ("gemini", "mcp_anypatch_edit_symbol"),
        ("qwen", "mcp__anypatch__undo"),
        ("cursor", "MCP:apply_patch"),
    ],
)
def test_a_hook_is_asked_about_the_server_as_well(name: str, tool: str) -> None:
    own = {"claude": "Edit", "gemini": "replace", "qwen": "edit", "cursor": "Write"}[name]
    for asked in (tool, own):
        assert re.search(CLIENTS[name].matcher, asked)
    assert ToolCall(name, tool, {}, ".").is_for_server and not ToolCall(name, own, {}, ".").is_for_server
    for other in ("TodoWrite", "mcp__anypatch__outline", "mcp__github__apply_patch_to_issue"):
        assert name == "cursor" or not re.search(CLIENTS[name].matcher, other)
        assert not ToolCall(name, other, {}, ".").is_for_server


# As Claude Code 2.1.325 sends it.
CLAUDE = {
    "session_id": "c6418243-0d87-4a9b-87d4-718553a6ffca", "prompt_id": "a77609e8-51a9-48a2-b615-e928f1f345c8",
    "hook_event_name": "PreToolUse", "tool_name": "mcp__anypatch__apply_patch", "tool_input": {"patch": "x"},
    "tool_use_id": "toolu_140211903793248",
}  # fmt: skip


@pytest.mark.parametrize(
    ("sent", "names"),
    [
        (CLAUDE, (CLAUDE["tool_use_id"], CLAUDE["session_id"], CLAUDE["prompt_id"])),
        ({"tool_name": "x", "tool_input": {}, "session_id": "s", "turn_id": "t"}, ("", "s", "t")),
        ({"tool_name": "x", "tool_input": {}, "conversation_id": "s", "generation_id": "t"}, ("", "s", "t")),
        ({"toolName": "x", "toolArgs": "{}", "sessionId": "s"}, ("", "s", "")),
        ({"tool_name": "x", "tool_input": {}, "session_id": 7}, ("", "", "")),
    ],
)
def test_a_call_has_the_names_that_its_client_gives(sent: dict[str, Any], names: tuple[str, str, str]) -> None:
    call = read_event(sent)
    assert call and (call.id, call.session, call.turn) == names


@pytest.mark.parametrize("settings", [{"hooks": []}, {"hooks": {"PreToolUse": {}}}])
def test_settings_in_another_form_are_refused(settings: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="not in the form"):
        CLIENTS["claude"].add_hook(settings, "anypatch hook")


def test_fields_are_found_in_any_dialect(tmp_path: Path) -> None:
    root = project(tmp_path)
    call = ToolCall("claude", "edit", {"filePath": str(root / "a.py"), "oldString": "x", "new_str": 3}, ".")
    assert (call.key("path"), call.text("old"), call.key("new"), call.text("new")) == ("filePath", "x", "new_str", "")
