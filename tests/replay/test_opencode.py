"""Transcripts of opencode: the folder of older versions, the database of newer ones."""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from anypatch.replay.events import BadLine, EditCall, Event, MayChange, SeenLines, Session
from anypatch.replay.opencode import read
from support.replays import CART, FROM_ONE, OPENCODE, PATH


def test_the_whole_folder() -> None:
    events = list(read(str(OPENCODE)))
    calls = [event for event in events if isinstance(event, EditCall)]
    assert [call.error for call in calls] == ["Error: oldString not found in content", "", ""]
    assert calls[1].before == {PATH: CART} and calls[1].after == {PATH: FROM_ONE}
    assert calls[2].before == {"/work/shop/empty.py": None} and calls[0].origin.model == "qwen3-coder"
    assert SeenLines(PATH, 1, CART.split("\n")[:-1], 7) in events and events[0] == Session("ses_1")


@pytest.fixture
def database(tmp_path: Path) -> Iterator[sqlite3.Connection]:
    with closing(sqlite3.connect(tmp_path / "opencode.db")) as made:
        made.execute("pragma journal_mode = wal")
        made.execute("create table message (id text, session_id text, data text)")
        made.execute("create table part (id text, message_id text, data text)")
        yield made


def add(database: sqlite3.Connection, session: str, *parts: object, role: str = "assistant") -> None:
    """Add a message with these parts to a session."""
    (number,) = database.execute("select count(*) from message").fetchone()
    message = {"role": role, "modelID": "m", "path": {"cwd": "/work/shop"}}
    database.execute("insert into message values (?, ?, ?)", (f"msg_{number:03}", session, json.dumps(message)))
    for row, part in enumerate(parts):
        text = part if isinstance(part, str) else json.dumps(part)
        database.execute("insert into part values (?, ?, ?)", (f"prt_{number:03}_{row}", f"msg_{number:03}", text))
    database.commit()


def tool(name: str, arguments: dict[str, object], **state: object) -> dict[str, Any]:
    return {"type": "tool", "tool": name, "callID": "1", "state": {"status": "completed", "input": arguments, **state}}


def told(folder: Path) -> list[Event]:
    return list(read(str(folder / "opencode.db")))


def told_elsewhere(folder: Path) -> str:
    """Return what another process reads: in one process all connections share what they have open."""
    script = "import sys; from anypatch.replay.opencode import read; print(list(read(sys.argv[1])))"
    command = [sys.executable, "-c", script, str(folder / "opencode.db")]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def test_the_database(tmp_path: Path, database: sqlite3.Connection) -> None:
    display = {"text": "a\nb", "lineStart": 1, "lineEnd": 2, "totalLines": 5}
    add(database, "b", {"type": "text"}, role="user")
    add(database, "a", tool("read", {"filePath": "cart.py"}, output="", metadata={"display": display}))
    add(database, "b", tool("edit", {"filePath": "cart.py", "oldString": "a", "newString": "b"}), "{", tool("bash", {}))
    events = told(tmp_path)
    assert events[:4] == [Session("a"), SeenLines(PATH, 1, ["a", "b"], 5), Session("b"), MayChange()]
    assert isinstance(events[4], EditCall) and events[4].files == {"cart.py": PATH} and events[4].before == {}
    assert events[5:] == [BadLine(), MayChange()]


def test_nothing_is_written_beside_the_database(tmp_path: Path, database: sqlite3.Connection) -> None:
    def files() -> dict[str, tuple[bytes, int]]:
        return {file.name: (file.read_bytes(), file.stat().st_mtime_ns) for file in tmp_path.iterdir()}

    add(database, "a", tool("bash", {}))
    before = files()
    assert set(before) == {"opencode.db", "opencode.db-wal", "opencode.db-shm"}  # while opencode runs
    assert told_elsewhere(tmp_path) == f"{[Session('a'), MayChange()]}\n" and files() == before
    database.close()
    before = files()
    assert set(before) == {"opencode.db"}
    assert told_elsewhere(tmp_path) == f"{[Session('a'), MayChange()]}\n" and files() == before


def test_patches(tmp_path: Path, database: sqlite3.Connection) -> None:
    patch = "*** Begin Patch\n*** Update File: /work/shop/a.py\n@@\n-x\n+y\n*** End Patch"
    files = [{"filePath": "/work/shop/a.py", "before": "x\n", "after": "y\n"}]
    add(database, "a", tool("apply_patch", {"patchText": patch}, metadata={"files": files}))
    _, call = told(tmp_path)
    assert isinstance(call, EditCall) and call.files == {"a.py": "/work/shop/a.py"}
    assert (call.before, call.after) == ({"/work/shop/a.py": "x\n"}, {"/work/shop/a.py": "y\n"})


def test_lines_that_are_cut_are_not_the_file(tmp_path: Path, database: sqlite3.Connection) -> None:
    output = f"<content>\n1: {'x' * 2000}...\n\n(End of file - total 1 lines)\n</content>"
    add(database, "a", tool("read", {"filePath": "cart.py"}, output=output))
    assert told(tmp_path) == [Session("a")]
