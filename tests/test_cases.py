"""The conformance cases: every case of tests/cases, in memory and on a real disk."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import anypatch
from anypatch import api
from anypatch.formats import FOUND, SHOWN
from anypatch.text import encode
from support.cases import load, tree


@pytest.mark.parametrize("case", load("cases"))
def test_in_memory(case: dict[str, Any]) -> None:
    result = anypatch.apply_to(case["patch"], case["before"], format=case["format"])
    kinds = {problem.kind for problem in result.problems}
    if "error" in case:
        assert kinds == {case["error"]}, result.problems
        assert dict(result.files) == case["before"]
        for problem in result.problems:
            assert problem.detail or problem.near
            assert problem.patch_line or problem.kind == "bad_patch"
    else:
        assert not result.problems
        assert dict(result.files) == case["after"]


@pytest.mark.parametrize("case", load("cases"))
def test_on_disk_and_back(case: dict[str, Any], tmp_path: Path) -> None:
    """Plan in memory = commit on disk; a refusal leaves the tree alone; undo restores every byte."""
    for name, text in case["before"].items():
        target = tmp_path / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(encode(text))
    report = anypatch.apply(case["patch"], tmp_path, format=case["format"])
    assert report.ok == ("after" in case), report.problems
    assert tree(tmp_path) == case.get("after", case["before"])
    if report.receipt is not None:
        assert anypatch.undo(tmp_path).ok
        assert tree(tmp_path) == case["before"]


def test_sniffed() -> None:
    """Every case that applies is recognised without naming its format."""
    cases = [case for param in load("cases") if (case := param.values[0])["format"] not in SHOWN]
    missed = [case["name"] for case in cases if "after" in case and api.scores(case["patch"])[0][0] != case["format"]]
    assert missed == []


def test_signs_hide_no_format() -> None:
    """Formats that are not loaded for want of a sign in the text would not have recognised it."""
    for param in load("cases"):
        patch = param.values[0]["patch"]
        for format in api.formats():
            if format.sniff(patch) == 0:
                assert format.reader.sniff(patch) < FOUND, (format.name, param.id)
