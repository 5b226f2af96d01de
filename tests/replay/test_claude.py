"""Transcripts of Claude Code: calls, reads, contents beside results."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from anypatch.replay.claude import read, recognizes
from anypatch.replay.events import BadLine, EditCall, Event, MayChange, Seen, SeenLines
from support.replays import CART, CLAUDE, FROM_ONE, PATH


def session(folder: Path, *calls: tuple[dict[str, Any], str, object]) -> list[Event]:
    """Return what a transcript with these calls, texts for the model and details tells."""
    records: list[dict[str, Any]] = []
    for number, (call, text, details) in enumerate(calls):
        use = {"type": "tool_use", "id": f"t{number}", **call}
        result = {"type": "tool_result", "tool_use_id": f"t{number}", "content": text}
        records.append({"type": "assistant", "message": {"model": "m", "content": [use]}, "cwd": "/work/shop"})
        records.append(
            {"type": "user", "message": {"content": [result]}, "toolUseResult": details, "cwd": "/work/shop"}
        )
    file = folder / "s.jsonl"
    file.write_text("".join(f"{json.dumps(record)}\n" for record in records))
    return list(read(str(file)))[1:]


def edited(folder: Path, call: dict[str, Any], details: dict[str, Any]) -> EditCall:
    """Return the one call of a session."""
    (event,) = session(folder, (call, "has been updated", details))
    assert isinstance(event, EditCall)
    return event


def test_the_whole_transcript() -> None:
    events = list(read(str(CLAUDE)))
    calls = [event for event in events if isinstance(event, EditCall)]
    assert [call.error[:20] for call in calls if call.error] == [
        "<tool_use_error>Stri", "<tool_use_error>Foun", "<tool_use_error>File", "The user doesn't wan",
    ]  # fmt: skip
    assert calls[1].before == {PATH: CART} and calls[1].after == {PATH: FROM_ONE}
    assert calls[-1].before == {"/work/shop/empty.py": None}
    assert {call.origin.model for call in calls} == {"claude-sonnet-4-5"}
    assert Seen(PATH, CART) in events and events.count(BadLine()) == 1
    assert events.count(MayChange()) == 3  # what the person wrote, and two commands
    assert recognizes(json.loads(CLAUDE.read_text().split("\n")[0]))


@pytest.mark.parametrize(
    ("old", "new", "growth", "after"),
    [
        ("amount = 0", "amount = 1", 0, FROM_ONE),
        ("        amount = 0", "", -1, CART.replace("        amount = 0\n", "")),  # the end of the line goes, too
        ("amount = 0", "", 0, CART.replace("amount = 0", "")),
        ("amount = 0", "amount = 1", 5, None),  # the client did something else
        ("not there", "x", 0, None),
    ],
)
def test_the_file_after_an_edit(tmp_path: Path, old: str, new: str, growth: int, after: str | None) -> None:
    details = {"oldString": old, "newString": new, "originalFile": CART, "structuredPatch": [{"oldLines": 7, "newLines": 7 + growth}]}  # fmt: skip
    call = edited(tmp_path, {"name": "Edit", "input": {"file_path": PATH}}, details)
    assert call.after == ({} if after is None else {PATH: after}) and call.before == {PATH: CART}
    assert (
        edited(tmp_path, {"name": "Edit", "input": {"file_path": PATH}}, details | {"userModified": True}).after == {}
    )


def test_other_tools_that_edit(tmp_path: Path) -> None:
    edits = [
        {"old_string": "= 0", "new_string": "= 1"},
        {"old_string": "self", "new_string": "you", "replace_all": True},
    ]
    several = edited(tmp_path, {"name": "MultiEdit", "input": {"file_path": PATH}}, {"edits": edits, "originalFileContents": CART})  # fmt: skip
    assert several.after == {PATH: FROM_ONE.replace("self", "you")}
    write = {"name": "Write", "input": {"file_path": "cart.py", "content": "x\n"}}
    whole = edited(tmp_path, write, {"type": "update", "content": "", "originalFile": None})  # both too long to be kept
    assert whole.before == {} and whole.after == {PATH: "x\n"}
    cell = {"name": "NotebookEdit", "input": {"notebook_path": "/a.ipynb", "new_source": "x"}}
    notebook = edited(tmp_path, cell, {"original_file": "{}", "updated_file": "{ }"})
    assert (notebook.before, notebook.after) == ({"/a.ipynb": "{}"}, {"/a.ipynb": "{ }"})


def test_reads(tmp_path: Path) -> None:
    call = {"name": "Read", "input": {"file_path": PATH}}
    part = {"file": {"filePath": PATH, "content": "b\nc", "startLine": 2, "numLines": 2, "totalLines": 9}}
    numbered = "     1→a\n     2→\tb\n     3→"
    assert session(tmp_path, (call, "", part)) == [SeenLines(PATH, 2, ["b", "c"], 9)]
    assert session(tmp_path, (call, numbered, None)) == [SeenLines(PATH, 1, ["a", "\tb", ""], 3)]
    call = {"name": "Read", "input": {"file_path": PATH, "limit": 2}}
    assert session(tmp_path, (call, "7\ta\n8\tb", None)) == [SeenLines(PATH, 7, ["a", "b"])]
    assert session(tmp_path, (call, "Wasted call", {"type": "file_unchanged"})) == []


def test_what_may_change_files(tmp_path: Path) -> None:
    assert session(tmp_path, ({"name": "Bash", "input": {"command": "make"}}, "", None)) == [MayChange()]
    assert session(tmp_path, ({"name": "mcp__x__edit", "input": {}}, "", None)) == [MayChange()]
    assert session(tmp_path, ({"name": "Grep", "input": {}}, "", None)) == []
    file = tmp_path / "s.jsonl"
    attachment = {"type": "edited_text_file", "filename": PATH, "snippet": "1\tx"}
    file.write_text(json.dumps({"type": "attachment", "sessionId": "s", "attachment": attachment}))
    assert list(read(str(file)))[1:] == [MayChange(PATH)]
