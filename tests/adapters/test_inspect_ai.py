"""The text editor for Inspect, with the real package and its local sandbox."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from support.frameworks import NEW, NOWHERE, OLD, check_refused_then_applied, run_example
from support.scripted_model import Call


def test_the_example(tmp_path: Path) -> None:
    def call(**arguments: Any) -> Call:
        return Call("text_editor", {"path": "greet.py", **arguments})

    script = (
        call(command="view", view_range=[1, 1]), call(command="str_replace", old_str=NOWHERE, new_str="x"),
        call(command="str_replace", old_str=OLD, new_str=NEW), call(command="view", view_range=[3, 3]),
        call(command="create", path="a/new.py", file_text="x = 1\n"), call(command="view", path="a/nothing.py"), "All done.",
    )  # fmt: skip
    first, *edits, changed, _, missing = run_example("Inspect", tmp_path, *script)
    assert first == "     1\tdef greet(name):\n" and changed == "     3\t        return 'Hi ' + name\n"
    assert "file_missing" in missing
    check_refused_then_applied(edits)
