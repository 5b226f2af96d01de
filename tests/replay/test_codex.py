"""Transcripts of Codex: patches as tools and in shells, lines that commands print."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from anypatch.replay.codex import read, recognizes
from anypatch.replay.events import EditCall, Event, MayChange, SeenLines
from support.replays import CART, CODEX, PATH

PATCH = "*** Begin Patch\n*** Add File: a.py\n+x = 1\n+\n*** End Patch"
SUCCESS = "Exit code: 0\nOutput:\nSuccess. Updated the following files:\nA a.py\n"
LINES = CART.split("\n")[:-1]


def session(folder: Path, call: dict[str, Any], output: object) -> list[Event]:
    """Return what a transcript with this call and its output tells."""
    answer = {"type": f"{call['type']}_output", "call_id": "1", "output": output}
    records = [{"type": "response_item", "payload": payload} for payload in ({"call_id": "1", **call}, answer)]
    first = {"type": "turn_context", "payload": {"cwd": "/work", "model": "m"}}
    file = folder / "rollout-1.jsonl"
    file.write_text("".join(f"{json.dumps(record)}\n" for record in [first, *records]))
    return list(read(str(file)))[1:]


def command(line: object, **more: str) -> dict[str, Any]:
    """Return the call of a shell."""
    return {"type": "function_call", "name": "exec_command", "arguments": json.dumps({"cmd": line, **more})}


def test_the_whole_transcript() -> None:
    events = list(read(str(CODEX)))
    calls = [event for event in events if isinstance(event, EditCall)]
    assert [bool(call.error) for call in calls] == [True, False, True]
    assert all(call.files == {"cart.py": PATH} and call.origin.model == "gpt-5.5" for call in calls)
    assert SeenLines(PATH, 1, LINES, 7) in events
    assert recognizes(json.loads(CODEX.read_text().split("\n")[0]))


@pytest.mark.parametrize(
    "call",
    [
        {"type": "custom_tool_call", "name": "apply_patch", "input": PATCH},
        {"type": "function_call", "name": "apply_patch", "arguments": json.dumps({"input": PATCH})},
        command(f"apply_patch <<'EOF'\n{PATCH}\nEOF"),
        command(["bash", "-lc", f"apply_patch <<'EOF'\n{PATCH}\nEOF"]),
        command(f"apply_patch '{PATCH.replace('a.py', '/work/a.py')}'"),
    ],
)
def test_a_patch_however_it_is_called(tmp_path: Path, call: dict[str, Any]) -> None:
    (edit,) = session(tmp_path, call, SUCCESS)
    assert isinstance(edit, EditCall) and edit.answer == PATCH and not edit.error
    assert edit.files == {"a.py": "/work/a.py"} and edit.after == {"/work/a.py": "x = 1\n\n"}
    old = json.dumps({"output": "Success. Updated the following files:\nA a.py\n", "metadata": {"exit_code": 0}})
    assert session(tmp_path, call, old) == [edit]
    (failed,) = session(tmp_path, call, [{"type": "output_text", "text": "invalid hunk"}])
    assert isinstance(failed, EditCall) and failed.error == "invalid hunk" and failed.after == {}


def test_a_patch_in_another_folder(tmp_path: Path) -> None:
    for call in (
        command(f"cd shop && apply_patch <<'EOF'\n{PATCH}\nEOF"),
        command(f"apply_patch <<X\n{PATCH}\nX", workdir="shop"),
    ):
        (edit,) = session(tmp_path, call, SUCCESS)
        assert isinstance(edit, EditCall) and edit.files == {"a.py": "/work/shop/a.py"}


def printed(text: str, code: int = 0) -> str:
    return f"Chunk ID: 1\nWall time: 0.1 seconds\nProcess exited with code {code}\nOutput:\n{text}"


def test_lines_that_commands_print(tmp_path: Path) -> None:
    path = "/work/cart.py"
    assert session(tmp_path, command("cat cart.py"), printed(CART)) == [SeenLines(path, 1, LINES, 7)]
    assert session(tmp_path, command("sed -n '1,7p' cart.py"), printed(CART)) == [SeenLines(path, 1, LINES)]
    assert session(tmp_path, command("sed -n '5,9p' cart.py"), printed("e\nf\n")) == [SeenLines(path, 5, ["e", "f"], 6)]
    assert session(tmp_path, command("nl -ba cart.py"), printed("     1\ta\n     2\t\n")) == [
        SeenLines(path, 1, ["a", ""], 2)
    ]
    assert session(tmp_path, command("cat cart.py"), printed("")) == [SeenLines(path, 1, [])]
    old = json.dumps({"output": "a\n", "metadata": {"exit_code": 0}})
    assert session(tmp_path, command("cat cart.py"), old) == [SeenLines(path, 1, ["a"], 1)]


def test_output_that_is_not_the_file(tmp_path: Path) -> None:
    for output in (printed("cat: no such file\n", 1), printed("a\n…12 tokens truncated…\nb\n"), "aborted", "a\n"):
        assert session(tmp_path, command("cat cart.py"), output) == []
    assert session(tmp_path, command("sed -n '50,60p' cart.py"), printed("")) == []


def test_what_may_change_files(tmp_path: Path) -> None:
    assert session(tmp_path, command("rg -n total"), printed("")) == []
    assert session(tmp_path, command("make"), printed("")) == [MayChange()]
    assert session(tmp_path, {"type": "function_call", "name": "update_plan", "arguments": "{"}, "") == []
    assert session(tmp_path, {"type": "function_call", "name": "other", "arguments": "{"}, "") == [MayChange()]
