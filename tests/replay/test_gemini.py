"""Transcripts of Gemini CLI, in both forms."""

from __future__ import annotations

import json
from pathlib import Path

from anypatch.replay.events import BadLine, EditCall, Event, MayChange, Seen
from anypatch.replay.gemini import read, recognizes
from support.replays import CART, FROM_ONE, GEMINI, OLDER_GEMINI, PATH


def test_the_whole_transcript() -> None:
    events = list(read(str(GEMINI)))
    calls = [event for event in events if isinstance(event, EditCall)]
    assert [call.error[:25] for call in calls] == ["Failed to edit, 0 occurre", "", "cancelled"]  # each once
    assert calls[1].before == {PATH: CART} and calls[1].origin.model == "gemini-2.5-flash"
    assert Seen(PATH, CART) in events and MayChange() in events
    assert recognizes(json.loads(GEMINI.read_text().split("\n")[0]))


def test_the_older_form() -> None:
    (call,) = [event for event in read(str(OLDER_GEMINI)) if isinstance(event, EditCall)]
    assert (call.before, call.after, call.files) == ({PATH: CART}, {PATH: FROM_ONE}, {"cart.py": PATH})
    assert recognizes(json.loads(OLDER_GEMINI.read_text()))


def test_other_records(tmp_path: Path) -> None:
    def told(*records: object) -> list[Event]:
        file = tmp_path / "session-1.jsonl"
        file.write_text("".join(f"{json.dumps(record)}\n" for record in records))
        return list(read(str(file)))[1:]

    def call(name: str, arguments: dict[str, object], **more: object) -> dict[str, object]:
        result = [{"functionResponse": {"response": {"output": "a\n"}}}]
        made = {"id": "1", "name": name, "args": arguments, "status": "success", "result": result, **more}
        return {"type": "gemini", "toolCalls": [made]}

    assert told({"$set": {"messages": [call("run_shell_command", {"command": "make"})]}}) == [MayChange()]
    assert told(call("run_shell_command", {"command": "git status"})) == []
    assert told(call("read_file", {"file_path": "/a"})) == [Seen("/a", "a\n")]
    assert told(call("read_file", {"file_path": "/a", "limit": 5})) == []
    assert told(call("replace", {"file_path": "/a"}, status="executing")) == []
    (new,) = told(call("write_file", {"file_path": "/a", "content": "x"}, resultDisplay={"originalContent": "", "newContent": "x", "isNewFile": True}))  # fmt: skip
    assert isinstance(new, EditCall) and (new.before, new.after) == ({"/a": None}, {"/a": "x"})
    assert told([1]) == [BadLine()]
    (tmp_path / "session-1.json").write_text('{"projectHash": ')
    assert list(read(str(tmp_path / "session-1.json")))[1:] == [BadLine()]
