"""Lines of JSON that aren't, values that are something else than expected, calls as the engine reads them."""

from __future__ import annotations

from pathlib import Path

from anypatch.hooks.clients import ToolCall
from anypatch.replay.events import (
    Origin,
    absolute,
    dict_of,
    dicts_of,
    file_edit,
    json_lines,
    patch_edit,
    path_of,
    text_of,
)


def test_a_line_that_is_no_object_is_told_as_such(tmp_path: Path) -> None:
    file = tmp_path / "a.jsonl"
    file.write_bytes(b'{"a": 1}\n\n[1]\n{"b": \n' + b"[" * 100_000 + b'\n\xff\xfe\n{"c": "\xe9"}\n')
    assert list(json_lines(str(file))) == [{"a": 1}, None, None, None, None, {"c": "\ufffd"}]


def test_values_of_any_type_are_read() -> None:
    assert dict_of([1]) == {} and dict_of({"a": 1}) == {"a": 1}
    assert dicts_of("ab") == [] and dicts_of([1, {"a": 1}]) == [{"a": 1}]
    assert text_of([{"type": "text", "text": "a"}, {"text": 1}, {"text": "b"}]) == "a\nb"
    assert text_of(None) == "" and text_of("a") == "a"


def test_paths_start_from_the_folder() -> None:
    assert absolute("./shop/../a.py", "/work") == "/work/a.py"
    assert absolute("/other/a.py", "/work") == "/other/a.py"


ORIGIN = Origin("codex", "a-model", "a-session", "1", "apply_patch")


def test_a_file_is_named_by_the_last_part_of_its_path() -> None:
    call = ToolCall("opencode", "edit", {"filePath": "shop/cart.py", "oldString": "a", "newString": "b"}, "/work")
    edit = file_edit(ORIGIN, call, "no", {}, {})
    assert edit.files == {"cart.py": "/work/shop/cart.py"} and edit.error == "no"
    assert edit.answer == {"name": "edit", "input": {"filePath": "cart.py", "oldString": "a", "newString": "b"}}
    assert path_of(ToolCall("claude", "Edit", {"file_path": 1}, "/work")) == ""


def test_paths_in_a_patch_start_from_the_folder() -> None:
    patch = (
        "*** Begin Patch\n*** Update File: /work/a.py\n*** Move to: /work/b.py\n@@\n-x\n+y\n"
        "*** Delete File: c.py\n*** End Patch"
    )
    edit = patch_edit(ORIGIN, patch, "/work", "", {}, {})
    assert edit.files == {"a.py": "/work/a.py", "b.py": "/work/b.py", "c.py": "/work/c.py"}
    assert "/work" not in str(edit.answer)
