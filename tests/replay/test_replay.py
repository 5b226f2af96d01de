"""A whole replay: of transcripts as they are, as damage leaves them, and of long ones."""

from __future__ import annotations

import json
import random
import shutil
from pathlib import Path
from typing import Any

import pytest

from anypatch.replay import replay
from support.cost import at_most
from support.replays import CLAUDE, EVERY, TRANSCRIPTS


def test_every_client() -> None:
    shares: list[float] = []
    summary = replay([str(TRANSCRIPTS)], tell=lambda _, share: shares.append(share))
    assert summary.transcripts == {"Claude Code": 1, "Codex": 1, "Gemini CLI": 2, "opencode": 1}
    assert summary.failed == {"same": 2, "refused": 4, "not replayed": 1, "declined": 2}
    assert summary.passed == {"same": 9} and summary.bad_lines == 1
    assert shares == sorted(shares) and 0 <= shares[0] < shares[-1] < 1


def test_a_call_that_a_resumed_session_repeats_counts_once(tmp_path: Path) -> None:
    shutil.copy(CLAUDE, tmp_path / "a.jsonl")
    shutil.copy(CLAUDE, tmp_path / "b.jsonl")
    assert replay([str(tmp_path)]).calls == replay([str(CLAUDE)]).calls


def spoilt(value: Any, dice: random.Random) -> Any:
    """Return a value in which some parts are gone or something else."""
    if dice.random() < 0.02:
        return dice.choice([None, 0, "", "x", [], {}, [{}], {"content": []}, True, -1.5, ["a", {"text": 1}], "\ud800"])
    if isinstance(value, dict):
        return {key: spoilt(item, dice) for key, item in value.items() if dice.random() > 0.01}
    return [spoilt(item, dice) for item in value] if isinstance(value, list) else value


@pytest.mark.parametrize("transcript", EVERY, ids=lambda path: path.name)
def test_damage_never_stops_a_replay(transcript: Path, tmp_path: Path) -> None:
    dice = random.Random(7)
    for number in range(60):
        copy = tmp_path / f"{number}" / transcript.name
        if transcript.is_dir():
            shutil.copytree(transcript, copy)
            for file in copy.rglob("*.json"):
                file.write_text(json.dumps(spoilt(json.loads(file.read_text()), dice)))
        else:
            copy.parent.mkdir()
            text = transcript.read_text()
            lines = [text] if transcript.suffix == ".json" else text.splitlines()
            copy.write_text("".join(f"{damaged(line, dice)}\n" for line in lines))
    summary = replay([str(tmp_path)])
    assert summary.lines(80) and summary.page() and json.dumps(summary.as_json())


def damaged(line: str, dice: random.Random) -> str:
    try:
        return json.dumps(spoilt(json.loads(line), dice))
    except ValueError:
        return line


def test_a_database_that_is_none_is_counted(tmp_path: Path) -> None:
    (tmp_path / "opencode.db").write_bytes(b"SQLite format 3\0" + b"\xff" * 500)
    assert replay([str(tmp_path)]).bad_lines == 1


def test_long_transcripts_cost_in_proportion(tmp_path: Path) -> None:
    text = CLAUDE.read_text()
    long = tmp_path / "long.jsonl"
    long.write_text("".join(text.replace("toolu_", f"toolu_{number}_") for number in range(400)))
    with at_most(20):
        assert replay([str(long)]).calls == 400 * replay([str(CLAUDE)]).calls
