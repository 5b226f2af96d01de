"""The library logs below `anypatch`, and prints nothing by itself."""

from __future__ import annotations

import logging
import subprocess
import sys
from pathlib import Path

import pytest

import anypatch
from support.program import anypatch_process as run
from support.program import environment

DIFF = "--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n-x = 1\n+x = 2\n"


def test_changes_are_logged(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / "a.py").write_text("x = 1\n")
    caplog.set_level(logging.DEBUG, "anypatch")
    receipt = anypatch.apply(DIFF, tmp_path).receipt
    anypatch.undo(tmp_path)
    anypatch.redo(tmp_path)
    assert receipt and [(record.levelname, record.getMessage()) for record in caplog.records] == [
        ("DEBUG", "planned 1 edits (unified): 1 files change, 0 problems"),
        ("INFO", f"applied {receipt.id}: 1 files"),
        ("INFO", f"undid {receipt.id}: 1 files"),
        ("INFO", f"redid {receipt.id}: 1 files"),
    ]


def test_nothing_is_printed_unless_asked_for(tmp_path: Path) -> None:
    script = f"import anypatch; assert anypatch.apply_to({DIFF!r}, {{'a.py': 'x = 1\\n'}}).ok"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, check=True)
    assert (done.stdout, done.stderr) == (b"", b"")
    (tmp_path / "a.py").write_text("x = 1\n")
    assert run("check", "-C", str(tmp_path), stdin=DIFF).stderr == b""
    shown = run("check", "-C", str(tmp_path), stdin=DIFF, env=environment(ANYPATCH_DEBUG="1")).stderr
    assert shown == b"anypatch.pipeline: planned 1 edits (unified): 1 files change, 0 problems\n"
