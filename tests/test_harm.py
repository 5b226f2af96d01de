"""Edits that did silent harm once: every line of tests/harm/*.jsonl, in memory, on a real disk and back.

CONTRIBUTING.md says how a case is written. The format is left to be detected, as it is for users.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

import anypatch
from anypatch.text import decode, encode

CASES = Path(__file__).parent / "harm"


def load() -> list[Any]:
    return [
        pytest.param(case, id=f"{file.stem}:{case['name']}")
        for file in sorted(CASES.glob("*.jsonl"))
        for line in file.read_text(encoding="utf-8").split("\n")
        if line.strip()
        for case in [json.loads(line)]
    ]


def judge(case: dict[str, Any], report: anypatch.Report, after: Mapping[str, str | bytes]) -> None:
    """Whether a run came out as the case wants it."""
    if report.ok:
        assert "after" in case, f"applied, and should be refused: {after}"
        assert after == case["after"]
        said = [note.kind + " " + note.text for note in report.notes]
        assert all(any(words in note for note in said) for words in _listed(case.get("notes"))), said
        return
    assert after == case["before"], "refused, but something changed"
    kinds = {problem.kind for problem in report.problems}
    assert "refused" in case, report.problems
    assert kinds <= set(_listed(case["refused"])), report.problems
    said = [problem.detail + " " + problem.advice for problem in report.problems]
    assert all(any(words in detail for detail in said) for words in _listed(case.get("names"))), said


def _listed(value: str | list[str] | None) -> list[str]:
    return [value] if isinstance(value, str) else value or []


@pytest.mark.parametrize("case", load())
def test_in_memory(case: dict[str, Any]) -> None:
    files = anypatch.apply_to(case["patch"], case["before"], **case.get("options", {}))
    judge(case, files.report, dict(files))


@pytest.mark.parametrize("case", load())
def test_on_disk_and_back(case: dict[str, Any], tmp_path: Path) -> None:
    for name, text in case["before"].items():
        target = tmp_path / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(encode(text))
    report = anypatch.apply(case["patch"], tmp_path, **case.get("options", {}))
    judge(case, report, tree(tmp_path))
    if report.receipt is not None:
        assert anypatch.undo(tmp_path).ok
        assert tree(tmp_path) == case["before"]


def tree(root: Path) -> dict[str, str]:
    """Every file below a folder but our own state."""
    return {
        path.relative_to(root).as_posix(): decode(path.read_bytes())
        for path in sorted(root.rglob("*"))
        if path.is_file() and ".anypatch" not in path.parts
    }
