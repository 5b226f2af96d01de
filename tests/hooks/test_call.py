"""The file that a call names: read if all clients agree on what its text is."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

import anypatch
from anypatch.hooks import ToolCall
from anypatch.hooks.call import TargetFile
from support.hooked import SOURCE, project


@pytest.mark.parametrize("data", [b"\xff\xfe", b"a\r\nb\n", b"a\rb\n", b"\x00\n"])
def test_text_on_which_clients_disagree(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "a.py").write_bytes(data + SOURCE.encode())
    assert TargetFile.read("a.py", str(tmp_path)) is None


def test_what_is_no_file(tmp_path: Path) -> None:
    assert TargetFile.read("a.py", str(tmp_path)) is None
    os.mkfifo(tmp_path / "a.py")
    assert TargetFile.read("a.py", str(tmp_path)) is None
    assert TargetFile.read(str(tmp_path), ".") is None


def test_crlf_becomes_lf_and_comes_back(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_bytes(b"a = 1\r\nb = 2\r\n")
    file = TargetFile.read("a.py", str(tmp_path))
    assert file and (file.name, file.text, file.crlf) == ("a.py", "a = 1\nb = 2\n", True)
    diff = "--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n-a = 1\n+a = 3\n"
    assert file.after(anypatch.apply_to(diff, {"a.py": file.data})) == "a = 3\nb = 2\n"
    assert file.after(anypatch.apply_to("no edit", {"a.py": file.data})) is None


def test_fields_are_found_in_any_dialect(tmp_path: Path) -> None:
    root = project(tmp_path)
    call = ToolCall("claude", "edit", {"filePath": str(root / "a.py"), "oldString": "x", "new_str": 3}, ".")
    assert (call.key("path"), call.text("old"), call.key("new"), call.text("new")) == ("filePath", "x", "new_str", "")
