"""The editor for the OpenAI Agents SDK, with the real package."""

from __future__ import annotations

from pathlib import Path

from agents.editor import ApplyPatchOperation

from anypatch.adapters.openai_agents import Editor
from support.frameworks import DONE, NEW, NOWHERE, OLD, check_refused_then_applied, run_example
from support.scripted_model import Call


def test_the_example(tmp_path: Path) -> None:
    def update(diff: str) -> Call:
        return Call("apply_patch_call", {"type": "update_file", "path": "greet.py", "diff": diff})

    script = (update(f"@@\n-{NOWHERE}\n+x\n"), update(f"@@\n-{OLD}+{NEW}"), "All done.")
    check_refused_then_applied(run_example("OpenAI Agents SDK", tmp_path, *script))
    assert (tmp_path / "greet.py").read_bytes() == DONE.encode()


def test_create_move_and_delete(tmp_path: Path) -> None:
    editor = Editor(tmp_path)
    assert editor.create_file(ApplyPatchOperation("create_file", "a.txt", "+one\n+two")).status == "completed"
    assert (tmp_path / "a.txt").read_text() == "one\ntwo\n"
    moved = editor.update_file(ApplyPatchOperation("update_file", "a.txt", "@@\n-one\n+1\n two", move_to="b/c.txt"))
    assert moved.status == "completed" and (tmp_path / "b" / "c.txt").read_text() == "1\ntwo\n"
    failed = editor.delete_file(ApplyPatchOperation("delete_file", "a.txt"))
    assert failed.status == "failed" and failed.output and "file_missing" in failed.output
    assert editor.delete_file(ApplyPatchOperation("delete_file", str(tmp_path / "b" / "c.txt"))).status == "completed"
    assert editor.create_file(ApplyPatchOperation("create_file", "../x", "+one")).status == "failed"
