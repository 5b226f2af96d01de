"""The tools for LangChain, with the real package."""

from __future__ import annotations

from pathlib import Path

from support.frameworks import DONE, PATCHES, check_refused_then_applied, run_example
from support.scripted_model import Call


def test_the_example(tmp_path: Path) -> None:
    check_refused_then_applied(run_example("LangChain", tmp_path, *PATCHES))
    assert (tmp_path / "greet.py").read_bytes() == DONE.encode()


def test_views(tmp_path: Path) -> None:
    views = (Call("view_file", {"path": path}) for path in ("gret.py", "greet.py"))
    missing, shown = run_example("LangChain", tmp_path, *views, "All done.")
    assert "file_missing" in missing and "greet.py" in missing
    assert shown.startswith("     1\tdef greet(name):")
