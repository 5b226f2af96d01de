"""The table of tools: few words, true annotations, and arguments as models send them."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from anypatch.mcp.tools import TOOLS, TOOLS_BY_NAME, check_arguments, unknown_tool
from anypatch.problems import Refused


def test_definitions_are_few_tokens() -> None:
    """Counted without a tokenizer, which would need the network: the greater of a token for four characters of the
    compact JSON, and one for each word of up to eight letters, number and run of up to three signs."""
    text = json.dumps([tool.definition() for tool in TOOLS], separators=(",", ":"))
    count = max(len(text) // 4, len(re.findall(r"[A-Za-z]{1,8}|[0-9]{1,3}|[^A-Za-z0-9\s]{1,3}", text)))
    print(f"{len(TOOLS)} tool definitions: {len(text)} characters, about {count} tokens")
    assert count <= 2500


def test_annotations_say_which_tools_change_files() -> None:
    for tool in TOOLS:
        changes = tool.name in ("apply_patch", "edit_symbol", "rename_symbol", "undo")
        assert tool.definition()["annotations"] == {
            "readOnlyHint": not changes, "destructiveHint": changes, "idempotentHint": not changes,
            "openWorldHint": False,
        }  # fmt: skip


def test_arguments_as_models_send_them() -> None:
    tool = TOOLS_BY_NAME["edit_symbol"]
    sent = {"relative_path": "a.py", "chunks": "[]", "line": 3.0, "column": "4", "root": None}
    assert check_arguments(tool, sent) == {"relative_path": "a.py", "chunks": [], "line": 3, "column": 4}
    for wrong in ({}, {"relative_path": 1}, {"relative_path": "a", "line": 0}, {"relative_path": "a", "op": "x"},
                  {"relative_path": "a", "line": True}, {"relative_path": "a", "chunks": {}}, {"relative_path": "a", "no": 1},
                  {"relative_path": "a", "line": 1e300}, {"relative_path": "a", "line": float("nan")}):  # fmt: skip
        with pytest.raises(Refused):
            check_arguments(tool, wrong)
    with pytest.raises(Refused):
        check_arguments(TOOLS_BY_NAME["apply_patch"], {"patch": "", "expected_hashes": {"a": 1}})


def test_names_that_are_nearly_right() -> None:
    arguments: dict[str, Any]
    for name, arguments, intended in (
        ("outline", {"relativepath": "x"}, "'relative_path'"),
        ("apply_patch", {"patch": "x", "format": "unifed"}, "'unified'"),
        ("formats", {"name": "search-and-replace"}, "'search-replace'"),
    ):
        with pytest.raises(Refused, match=f"did you mean {intended}"):
            check_arguments(TOOLS_BY_NAME[name], arguments)
    assert "did you mean 'apply_patch'?" in unknown_tool("aply_patch")


@pytest.mark.parametrize(
    ("tool", "sent", "right"),
    [
        ("outline", {"path": "a.py"}, ["relative_path"]),
        ("outline", {"filePath": "a.py", "depth": 1}, ["relative_path"]),
        ("read_symbol", {"symbol": "f", "file": "a.py"}, ["name_path", "relative_path"]),
        ("edit_symbol", {"path": "a.py", "name": "f", "op": "replace", "body": "x"}, ["relative_path", "name_path", "text"]),
        ("rename_symbol", {"relative_path": "a.py", "name_path": "f", "name": "g"}, ["new_name"]),
        ("apply_patch", {"diff": "x"}, ["patch"]),
        ("undo", {"id": "x"}, ["receipt"]),
    ],
)  # fmt: skip
def test_names_that_other_servers_have(tool: str, sent: dict[str, Any], right: list[str]) -> None:
    with pytest.raises(Refused) as caught:
        check_arguments(TOOLS_BY_NAME[tool], sent)
    assert [problem.detail.partition("; ")[2] for problem in caught.value.problems] == [
        f"it is called {name!r}" for name in right
    ]
