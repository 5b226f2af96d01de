"""The files of a client of the Agent Client Protocol, with the real package."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from acp import RequestError

import anypatch
from anypatch.adapters.acp import Files, diffs
from support.frameworks import BLOCK, DONE, GREET, NEW, OLD, run_example


def test_the_example(tmp_path: Path) -> None:
    run_example("Agent Client Protocol", tmp_path)
    assert (tmp_path / "greet.py").read_bytes() == GREET.replace("Hello", "Hi").encode()
    assert anypatch.undo(tmp_path).ok and (tmp_path / "greet.py").read_bytes() == GREET.encode()


def test_reading_writing_and_showing(tmp_path: Path) -> None:
    (tmp_path / "greet.py").write_bytes(GREET.encode())
    files = Files(tmp_path)
    part = asyncio.run(files.read_text_file("s", str(tmp_path / "greet.py"), line=2, limit=1))
    assert part.content == "    if name:\r\n"
    for wrong in (files.read_text_file("s", "nothing"), files.write_text_file("s", "/etc/x", "x")):
        with pytest.raises(RequestError):
            asyncio.run(wrong)
    (shown,) = diffs(anypatch.preview(BLOCK.format(old=OLD, new=NEW), tmp_path))
    assert (shown.path, shown.type, shown.new_text) == ("greet.py", "diff", DONE)
