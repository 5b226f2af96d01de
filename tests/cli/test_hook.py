"""The command `hook`, as agents call it: answers, the log, settings, and failures of its own."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from anypatch.hooks import CLIENTS
from anypatch.storage.logs import find_caller
from support.hooked import FIXED, MISINDENTED, SOURCE, edit, event, project
from support.program import anypatch
from support.program import anypatch_text as program


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return project(tmp_path)


def hook(data: bytes) -> subprocess.CompletedProcess[bytes]:
    return anypatch("hook", stdin=data)


def answer(root: Path, tool: str, input: dict[str, Any]) -> Any:
    """Return the answer to Claude Code; None for no output."""
    done = hook(json.dumps(event(root, tool, input)).encode())
    assert (done.returncode, done.stderr) == (0, b"")
    return json.loads(done.stdout)["hookSpecificOutput"] if done.stdout else None


def test_a_call_is_fixed_or_left_alone(root: Path) -> None:
    call = edit(root, *MISINDENTED)
    assert answer(root, "Edit", call)["updatedInput"] == call | FIXED
    assert answer(root, "Edit", call | FIXED) is None


def test_the_same_call_again_overwrites_the_file(root: Path) -> None:
    for content in ("def two(b):\n    return b * 3\n", "import os\n"):
        write = {"file_path": str(root / "a.py"), "content": content}
        assert answer(root, "Write", write)["permissionDecision"] == "deny"
        assert answer(root, "Write", write) is None


def test_what_the_session_has_read_is_merged(root: Path) -> None:
    """The transcript has the file as the model read it; the line that isn't edited has changed since."""
    path, text = root / "a.py", SOURCE.replace("y = b * 2", "y = b * 20")
    read = {
        "type": "text",
        "file": {"filePath": str(path), "content": SOURCE, "startLine": 1, "totalLines": SOURCE.count("\n") + 1},
    }
    records = [
        {"type": "assistant", "message": {"content": [{"type": "tool_use", "id": "1", "name": "Read", "input": {"file_path": str(path)}}]}},
        {"type": "user", "message": {"content": [{"type": "tool_result", "tool_use_id": "1", "content": "…"}]}, "toolUseResult": read},
    ]  # fmt: skip
    transcript = root / "session.jsonl"
    transcript.write_text("".join(json.dumps({"sessionId": "s", "cwd": str(root), **one}) + "\n" for one in records))
    path.write_text(text)
    call = edit(root, SOURCE, SOURCE.replace("def one(a):", "def one(a, c):"))
    for given, wanted in ((transcript, text.replace("def one(a):", "def one(a, c):")), (root / "none", None)):
        done = hook(json.dumps(event(root, "Edit", call, transcript_path=str(given))).encode())
        assert (done.returncode, done.stderr) == (0, b"")
        input = json.loads(done.stdout)["hookSpecificOutput"]["updatedInput"] if done.stdout else None
        assert (input and text.replace(input["old_string"], input["new_string"])) == wanted


def test_its_own_failures_never_stop_an_edit(root: Path) -> None:
    for data in (
        b"",
        b"no JSON",
        b"[]",
        b'{"tool_name": "Edit"}',
        b'{"tool_name": "Edit", "tool_input": {"file_path": 1}}',
        b"[" * 100_000,
    ):
        done = hook(data)
        assert done.returncode == 0 and done.stdout == b"" and done.stderr.count(b"\n") <= 1
    done = anypatch("hook", "--nonsense", stdin=b"{}")
    assert done.returncode == 0 and b"no option" in done.stderr
    (root / ".anypatch").write_text("in the way")
    done = hook(json.dumps(event(root, "Edit", edit(root, *MISINDENTED))).encode())
    assert done.returncode == 0 and json.loads(done.stdout)
    assert done.stderr == b"anypatch hook: the log can't be written\n"


def test_the_log_shows_what_was_fixed_and_denied(root: Path) -> None:
    answer(root, "Edit", edit(root, *MISINDENTED))
    answer(root, "Write", {"file_path": str(root / "a.py"), "content": "def two(b):\n    return b * 3\n"})
    denied, fixed = program("log", "--root", str(root)).stdout.splitlines()
    assert "denied: claude Write" in denied and "fixed: claude Edit" in fixed and "found by indentation" in fixed
    shown = json.loads(program("log", "--root", str(root), "--json", "-n", "1").stdout)
    assert [entry["did"] for entry in shown["hooks"]] == ["denied"]
    with (root / ".anypatch" / "hooks").open("a") as file:
        file.write("no JSON\n[]\n" + '{"did": "x"}\n' * 90_000)
    answer(root, "Edit", edit(root, *MISINDENTED))
    assert (root / ".anypatch" / "hooks.old").exists() and program("log", "--root", str(root)).returncode == 0


def test_the_log_names_session_and_turn(root: Path) -> None:
    sent = event(root, "Edit", edit(root, *MISINDENTED), session_id="a-session-0123456", prompt_id="t1")
    assert hook(json.dumps(sent).encode()).stdout
    assert "…123456/t1" in program("log", "--root", str(root)).stdout


def test_a_call_of_the_server_is_noted_and_left_alone(root: Path) -> None:
    sent = event(root, "mcp__anypatch__undo", {"turn": True}, session_id="s7", prompt_id="t9", tool_use_id="id7")
    done = hook(json.dumps(sent).encode())
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert find_caller("id7", {}) == ("s7", "t9") and not (root / ".anypatch").exists()
    cursor = hook(json.dumps(sent | {"tool_name": "MCP:undo", "hook_event_name": "preToolUse"}).encode())
    assert cursor.stdout == b"{}\n"


def test_settings_are_shown_then_written_then_undone(root: Path) -> None:
    path = root / CLIENTS["gemini"].settings
    path.parent.mkdir(parents=True)
    before = json.dumps({"theirs": 1, "hooks": {"Stop": []}})
    path.write_text(before)
    install = ("hook", "install", "gemini", "--root", str(root))
    shown = program(*install)
    assert shown.returncode == 0 and "anypatch hook" in shown.stdout and path.read_text() == before
    assert program(*install, "--write").returncode == 0
    settings = json.loads(path.read_text())
    assert settings["theirs"] == 1 and "anypatch hook" in json.dumps(settings["hooks"]["BeforeTool"])
    assert "already" in program(*install, "--write").stdout
    assert program("undo", "--root", str(root)).returncode == 0 and path.read_text() == before


@pytest.mark.parametrize("client", CLIENTS)
def test_settings_of_each_client_may_be_written(root: Path, client: str) -> None:
    assert program("hook", "install", client, "--root", str(root), "--write").returncode == 0
    assert "anypatch hook" in (root / CLIENTS[client].settings).read_text()


def test_settings_are_written_at_the_root_from_a_subfolder(root: Path) -> None:
    (root / ".git").mkdir()
    (root / "src" / "deep").mkdir(parents=True)
    assert program("hook", "install", "claude", "--write", cwd=root / "src" / "deep").returncode == 0
    assert (root / ".claude" / "settings.json").exists() and not (root / "src" / "deep" / ".claude").exists()


def test_settings_that_can_t_be_added_to(root: Path) -> None:
    path = root / ".claude" / "settings.json"
    path.parent.mkdir()
    for text in ("// comment\n{}", "[]", '{"hooks": []}', '{"hooks": {"PreToolUse": {}}}'):
        path.write_text(text)
        done = program("hook", "install", "claude", "--root", str(root), "--write")
        assert (done.returncode, path.read_text()) == (2, text) and "by hand" in done.stderr
    assert "choose from" in program("hook", "install", "nobody").stderr
