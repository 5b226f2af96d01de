"""Transcripts are found where the clients keep them, and known by what is in them."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from anypatch.replay.transcripts import find, usual_folders
from support.replays import CLAUDE, CODEX, EVERY, GEMINI, OLDER_GEMINI, OPENCODE, TRANSCRIPTS


def found(*places: Path) -> dict[str, str]:
    return {transcript.path: transcript.client for transcript in find([str(place) for place in places])}


def test_a_folder_with_all_of_them() -> None:
    clients = dict(zip(map(str, EVERY), ("claude", "codex", "gemini", "gemini", "opencode"), strict=True))
    assert found(TRANSCRIPTS) == clients and found(TRANSCRIPTS, *EVERY) == clients


def test_files_that_are_named() -> None:
    assert list(found(CLAUDE).values()) == ["claude"] and list(found(OPENCODE).values()) == ["opencode"]


def test_a_name_tells_nothing(tmp_path: Path) -> None:
    shutil.copy(CODEX, tmp_path / "notes.json")
    (tmp_path / "b.jsonl").write_text("not JSON\n" + GEMINI.read_text())
    (tmp_path / "c.jsonl").write_text('{"cut\n' + CLAUDE.read_text())
    (tmp_path / "d.txt").write_text(CLAUDE.read_text())
    (tmp_path / "e.jsonl").write_text('{"id": 1, "answer": "x"}\n')
    (tmp_path / "f.db").write_text("")
    (tmp_path / "g.json").symlink_to(tmp_path / "nowhere")
    assert {Path(path).name: client for path, client in found(tmp_path).items()} == {
        "notes.json": "codex",
        "b.jsonl": "gemini",
        "c.jsonl": "claude",
    }


def test_a_long_older_transcript(tmp_path: Path) -> None:
    long = json.loads(OLDER_GEMINI.read_text())
    long["messages"] *= 2000
    (tmp_path / "a.json").write_text(json.dumps(long))
    assert list(found(tmp_path).values()) == ["gemini"]


def test_where_clients_keep_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    assert usual_folders({}) == [
        f"{tmp_path}/{folder}"
        for folder in (".gemini/tmp", ".codex/sessions", ".claude/projects", ".local/share/opencode")
    ]
    assert "/c/sessions" in usual_folders({"CODEX_HOME": "/c"})
