"""The command replay: what it prints, refuses and writes."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

from support.program import PROGRAM, anypatch, environment
from support.replays import CLAUDE, TRANSCRIPTS


def test_the_folders_of_the_clients(tmp_path: Path) -> None:
    (tmp_path / ".claude/projects/shop").mkdir(parents=True)
    shutil.copy(CLAUDE, tmp_path / ".claude/projects/shop")
    done = anypatch("replay", env=environment(HOME=str(tmp_path)))
    assert done.stdout.startswith(b"8 edit calls in 1 transcript of Claude Code.\n") and not done.stderr


def test_json(tmp_path: Path) -> None:
    value = json.loads(anypatch("replay", str(TRANSCRIPTS), "--json").stdout)
    assert value["ok"] and value["failed"]["failed"] == len(value["failed_calls"]) - value["declined"] == 7


def test_a_page(tmp_path: Path) -> None:
    page = tmp_path / "replay.html"
    assert anypatch("replay", str(CLAUDE), "--html", str(page)).returncode == 0
    assert page.read_text().startswith("<!doctype html>")
    refused = anypatch("replay", str(CLAUDE), "--html", str(tmp_path / "nowhere/a.html"))
    assert refused.returncode == 3 and b"the page can't be written" in refused.stderr


def test_nothing_to_replay(tmp_path: Path) -> None:
    missing = anypatch("replay", str(tmp_path / "nowhere"))
    assert missing.returncode == 2 and b"doesn't exist" in missing.stderr
    none = anypatch("replay", env=environment(HOME=str(tmp_path)))
    assert none.returncode == 2
    assert b"no transcripts in the folders of Claude Code, Codex, Gemini CLI and opencode" in none.stderr


def test_only_the_page_is_written(tmp_path: Path) -> None:
    """The program itself, which can't write elsewhere where the kernel has Landlock."""
    home = tmp_path / "home"
    (home / ".claude/projects").mkdir(parents=True)
    shutil.copytree(TRANSCRIPTS, home / ".claude/projects/shop")
    before = {path: path.stat() for path in home.rglob("*")}
    command = [PROGRAM, "replay", "--html", str(tmp_path / "page.html")]
    done = subprocess.run(command, env=environment(HOME=str(home)), cwd=home, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr
    after = {path: path.stat() for path in home.rglob("*")}
    assert after.keys() == before.keys()
    assert all(after[path].st_mtime_ns == before[path].st_mtime_ns for path in before)
    assert {path.name for path in tmp_path.iterdir()} == {"home", "page.html"}
