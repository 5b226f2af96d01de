"""Edits that did silent harm once: every case of tests/harm, in memory, on a real disk and back.

CONTRIBUTING.md says how a case is written. The format is left to be detected, as it is for users.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

import anypatch
from anypatch.text import encode
from support.cases import load, tree


def judge(case: dict[str, Any], report: anypatch.Result, after: Mapping[str, str | bytes]) -> None:
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


@pytest.mark.parametrize("case", load("harm"))
def test_in_memory(case: dict[str, Any]) -> None:
    result = anypatch.apply_to(case["patch"], case["before"], **case.get("options", {}))
    judge(case, result, dict(result.files))


@pytest.mark.parametrize("case", load("harm"))
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
