"""Processes that die: one that a row kills, all of those of a parent that is killed."""

from __future__ import annotations

import json
import multiprocessing
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from anypatch.batch import Options
from anypatch.batch.engines import apply_chunks
from anypatch.batch.rows import Applier
from support.batches import ROWS, lines


@pytest.mark.skipif(multiprocessing.get_start_method() != "fork", reason="processes must inherit what is patched")
def test_a_row_that_kills_its_process_is_a_row_with_a_problem(monkeypatch: pytest.MonkeyPatch) -> None:
    real = Applier.results

    def deadly(self: Any, rows: Any, first: int = 0) -> Any:
        if any(b"kill" in row for row in rows):
            os._exit(9)
        return real(self, rows, first)

    monkeypatch.setattr(Applier, "results", deadly)
    data = [json.dumps({**ROWS[0], "id": "kill" if n in (3, 41) else str(n)}).encode() for n in range(60)]
    chunks = [data[at : at + 7] for at in range(0, 60, 7)]
    results = [result for chunk in apply_chunks(chunks, Options(), "local", 2) for result in chunk]
    assert [result["id"] for result in results] == ["kill" if n in (3, 41) else str(n) for n in range(60)]
    assert [n for n, result in enumerate(results) if not result["ok"]] == [3, 41]
    assert results[3]["problems"][0]["kind"] == "row_failed"


def test_processes_end_with_a_parent_that_is_killed(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "anypatch", "batch", "-", "--out", str(tmp_path / "o.jsonl"), "--workers", "2"]
    process = subprocess.Popen(command, stdin=subprocess.PIPE)
    assert process.stdin is not None
    process.stdin.write(lines(ROWS * 200))
    process.stdin.flush()
    deadline = time.monotonic() + 20
    children: list[int] = []
    while len(children) < 2 and time.monotonic() < deadline:
        children = [int(pid) for pid in Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()]
    process.kill()
    process.wait()
    while any(Path(f"/proc/{pid}/exe").exists() for pid in children) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert children and not any(Path(f"/proc/{pid}/exe").exists() for pid in children)
