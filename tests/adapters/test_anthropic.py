"""The text editor and the memory tool, with Anthropic's SDK."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from anthropic.lib.tools import ToolError

import anypatch
from anypatch.adapters.anthropic import Memory
from support.frameworks import DONE, NEW, NOWHERE, OLD, check_refused_then_applied, run_example
from support.scripted_model import Call

EDITOR = "str_replace_based_edit_tool"
PATH = {"path": "greet.py"}


def test_the_example(tmp_path: Path) -> None:
    script = (
        Call(EDITOR, PATH | {"command": "view", "view_range": [2, 3]}),
        Call(EDITOR, PATH | {"command": "str_replace", "old_str": NOWHERE, "new_str": "x"}),
        Call(EDITOR, PATH | {"command": "str_replace", "old_str": OLD, "new_str": NEW}),
        Call(EDITOR, PATH | {"command": "insert", "insert_line": 0, "insert_text": "import os\n"}),
        Call(EDITOR, {"command": "create", "path": "new.py", "file_text": "x = 1\n"}),
        Call(EDITOR, {"command": "view", "path": "."}),
        "All done.",
    )
    view, *edits, _, _, listed = run_example("Anthropic SDK", tmp_path, *script)
    assert view == "     2\t    if name:\n     3\t        return 'Hello ' + name\n"
    check_refused_then_applied(edits)
    assert listed == "greet.py\nnew.py\n"
    assert (tmp_path / "greet.py").read_bytes() == b"import os\r\n" + DONE.encode()
    assert anypatch.undo(tmp_path).ok and not (tmp_path / "new.py").exists()


def test_memory(tmp_path: Path) -> None:
    memory = Memory(tmp_path / "m")
    (tmp_path / "m").mkdir()

    def call(command: str, **arguments: Any) -> str:
        return str(memory.call({"command": command, **arguments}))

    call("create", path="/memories/a/notes.md", file_text="one\ntwo\n")
    call("str_replace", path="/memories/a/notes.md", old_str="two", new_str="2")
    call("insert", path="/memories/a/notes.md", insert_line=1, insert_text="1.5\n")
    assert call("view", path="/memories/a/notes.md") == "     1\tone\n     2\t1.5\n     3\t2\n"
    assert call("view", path="/memories") == "a/\na/notes.md\n"
    call("rename", old_path="/memories/a", new_path="/memories/b")
    assert (tmp_path / "m" / "b" / "notes.md").read_text() == "one\n1.5\n2\n"
    for wrong in (
        {"command": "view", "path": "/etc/passwd"},
        {"command": "delete", "path": "/memories/nothing"},
        {"command": "delete", "path": "/memories"},
        {"command": "rename", "old_path": "/memories/b/notes.md", "new_path": "/memories/b/notes.md"},
        {"command": "str_replace", "path": "/memories/b/notes.md", "old_str": "nowhere", "new_str": "x"},
        {"command": "create", "path": "/memories/../x", "file_text": "x"},
    ):
        with pytest.raises(ToolError):
            memory.call(wrong)
    call("delete", path="/memories/b")
    assert not (tmp_path / "m" / "b" / "notes.md").exists() and not (tmp_path / "x").exists()
    assert memory.to_dict()["type"] == "memory_20250818"
