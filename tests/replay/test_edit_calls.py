"""Calls as the engine reads them."""

from __future__ import annotations

from anypatch.hooks.clients import ToolCall
from anypatch.replay.edit_calls import file_edit, patch_edit, path_of
from anypatch.replay.events import Origin

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
