"""A whole batch: refused before anything is done, killed and resumed, seen on a terminal, as the page shows it."""

from __future__ import annotations

import json
import os
import pty
import random
import re
import subprocess
import sys
import time
from pathlib import Path

import pytest

from anypatch.batch.run import Summary
from support.batches import BLOCK, DIFF, FILES, ROWS, batch, edit, lines, make_repositories, results_of, untimed


def test_killed_at_any_moment_no_row_is_lost_or_doubled(tmp_path: Path) -> None:
    rows = [{"id": str(n), "answer": edit("a.py", "b = 2", f"b = {n}"), "files": FILES} for n in range(2000)]
    (tmp_path / "in.jsonl").write_bytes(lines(rows))
    batch(tmp_path / "in.jsonl", "--out", tmp_path / "whole.jsonl")
    wanted = untimed((tmp_path / "whole.jsonl").read_bytes())
    out, part, dice, kills = tmp_path / "out.jsonl", tmp_path / "out.jsonl.part", random.Random(17), 0
    command = [sys.executable, "-m", "anypatch", "batch", str(tmp_path / "in.jsonl"), "--out", str(out), "--resume"]
    for _ in range(3):
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        size = part.stat().st_size if part.exists() else 0
        while process.poll() is None and (part.stat().st_size if part.exists() else 0) <= size:
            time.sleep(0.001)
        time.sleep(dice.uniform(0, 0.1))
        kills += process.poll() is None
        process.kill()
        process.wait()
        if part.exists():
            part.write_bytes(part.read_bytes() + b'{"id": "torn'[: dice.randrange(12)])  # as a full disk leaves it
    batch(tmp_path / "in.jsonl", "--out", out, "--resume")
    assert b"already complete" in batch(tmp_path / "in.jsonl", "--out", out, "--resume").stderr
    assert kills and untimed(out.read_bytes()) == wanted


def test_only_the_same_answers_are_resumed(tmp_path: Path) -> None:
    (tmp_path / "in.jsonl").write_bytes(lines(ROWS))
    (tmp_path / "out.jsonl.part").write_bytes(lines(results_of(tmp_path, ROWS[1:3])))
    (tmp_path / "in.jsonl").write_bytes(lines(ROWS))
    (tmp_path / "out.jsonl").unlink()
    done = batch(tmp_path / "in.jsonl", "--out", tmp_path / "out.jsonl", "--resume", code=2)
    assert b"end with 'call', which isn't row 2" in done.stderr


def test_a_terminal_shows_a_progress_bar(tmp_path: Path) -> None:
    (tmp_path / "in.jsonl").write_bytes(lines(ROWS * 300))
    ours, theirs = pty.openpty()
    command = [
        sys.executable,
        "-m",
        "anypatch",
        "batch",
        str(tmp_path / "in.jsonl"),
        "--out",
        str(tmp_path / "o.jsonl"),
    ]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=theirs)
    os.close(theirs)
    shown = b""
    try:
        while data := os.read(ours, 1 << 16):
            shown += data
    except OSError:  # how a terminal says that nobody writes to it any more
        pass
    os.close(ours)
    assert process.wait() == 0
    bars = re.findall(rb"\[(#*)\.*\] ([\d,]+)", shown)
    assert bars and sorted(bars, key=lambda bar: len(bar[0])) == bars
    assert shown.endswith(b"\r\x1b[K"), "it goes in the end"


def test_the_recipes_of_the_page_run(tmp_path: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Run each as it is, one after the other, in a folder with the files that they name."""
    top = tmp_path / "repos"
    top.mkdir()
    commit = make_repositories(top, tmp_path_factory.mktemp("work"))[0]
    (tmp_path / "answers.jsonl").write_bytes(lines([{"answer": DIFF, "files": FILES}, {"answer": BLOCK.replace("= 2", "= 9"), "files": FILES}]))  # fmt: skip
    (tmp_path / "preds.json").write_text(
        json.dumps([{"instance_id": "i", "model_patch": DIFF.replace("a.py", "pkg/a.py")}])
    )
    (tmp_path / "dataset.jsonl").write_bytes(lines([{"instance_id": "i", "repo": "shop/cart", "base_commit": commit}]))
    program = tmp_path / "bin" / "anypatch"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec {sys.executable} -m anypatch "$@"\n')
    program.chmod(0o755)
    page = (Path(__file__).parents[2] / "docs/batch.md").read_text()
    fences = re.findall(r"^```(\w+)\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    assert [language for language, _ in fences] == ["sh", "sh", "python", "python", "python"]
    for language, text in fences:
        command = ["sh", "-ec", text] if language == "sh" else [sys.executable, "-c", text]
        env = {**os.environ, "PATH": f"{program.parent}{os.pathsep}{os.environ['PATH']}"}
        done = subprocess.run(command, cwd=tmp_path, env=env, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        if text.startswith("anypatch batch answers.jsonl"):
            shown = re.findall(r"^ {4}(format .*?)\n\n\S", page, re.MULTILINE | re.DOTALL)[0]
            assert done.stdout.split() == shown.split()
    assert untimed((tmp_path / "checked.jsonl").read_bytes())[0]["ok"]


def test_the_summary(tmp_path: Path) -> None:
    (tmp_path / "in.jsonl").write_bytes(lines(ROWS) + b"{\n")
    done = batch(tmp_path / "in.jsonl", "--out", tmp_path / "o.jsonl", "--summary", tmp_path / "s.json")
    value = json.loads((tmp_path / "s.json").read_text())
    assert {name: value[name] for name in ("rows", "applied", "partial", "refused")} == {
        "rows": 6, "applied": 4, "partial": 0, "refused": 2,
    }  # fmt: skip
    assert value["by_kind"] == {"not_found": 1, "bad_row": 1} and value["by_level"]["exact"] == 4
    assert value["examples"]["not_found"]["id"] == "gone" and "a.py" in value["examples"]["not_found"]["message"]
    assert value["by_format"]["search-replace"] == {"applied": 1, "partial": 0, "proposed": 0, "refused": 1}
    assert 0 < value["ms"]["median"] <= value["ms"]["p95"]
    table = done.stdout.decode().split("\n")
    assert table[0].split() == ["format", "rows", "applied", "partial", "proposed", "refused"]
    assert ["all", "6", "4", "0", "0", "2", "66.7%"] in [line.split() for line in table]
    assert table[-2].startswith("bad_row                    1  5: the row cannot be used: it is not JSON")


def test_quantiles_are_exact_to_two_percent() -> None:
    summary = Summary()
    row = {"ok": True, "partial": False, "status": "applied", "format": None, "problems": [], "levels": []}
    for ms in range(1, 1001):
        summary.add({**row, "ms": float(ms)})
    assert summary.quantile(0.5) == pytest.approx(500, rel=0.02)
    assert summary.quantile(0.95) == pytest.approx(950, rel=0.02)
    assert Summary().quantile(0.5) == 0.0
