"""Files as answers show them: in a fence below their path, or in an element."""

from __future__ import annotations

import pytest

from anypatch.answer.fences import contents
from anypatch.answer.shown_files import Shown, shown_in_element, shown_in_fence

FENCES = {
    "path above": "a/b.py\n\n```py\nx\n```",
    "path in the title": "```py title=a/b.py\nx\n```",
    "path in a comment": "Look:\n```py\n# a/b.py\nx\n```",
    "in a list": "- a/b.py\n  ```py\n  x\n  ```",
}


def in_fence(text: str) -> Shown | None:
    lines = text.split("\n")
    row = next(row for row, line in enumerate(lines) if line.lstrip().startswith("```"))
    region = contents(lines, row)
    assert region is not None
    return shown_in_fence(region)


@pytest.mark.parametrize("text", FENCES.values(), ids=FENCES)
def test_a_file_in_a_fence(text: str) -> None:
    shown = in_fence(text)
    assert shown is not None and (shown.path, shown.body, shown.problem) == ("a/b.py", ["x"], None)


def test_a_fence_without_a_path_shows_no_file() -> None:
    assert in_fence("Look:\n```py\nx\n```") is None


def test_half_a_file_is_a_problem() -> None:
    cut = in_fence("a.md\n```\nx")
    assert cut is not None and cut.problem is not None and cut.problem.kind == "truncated"
    unclear = in_fence("a.md\n```\n```\nmore of the page\n```")
    assert unclear is not None and unclear.problem is not None and "which fence ends" in unclear.problem.detail


def test_a_file_in_an_element() -> None:
    shown, end = shown_in_element(['<file path="a.py">', "x", "</file>", "y"], 0) or (None, 0)
    assert shown is not None and (shown.path, shown.body, shown.problem, end) == ("a.py", ["x"], None, 3)
    assert shown_in_element(['<file path="a.py" />'], 0) is None


@pytest.mark.parametrize(
    ("lines", "problem"),
    [
        (['<file path="a.py">', "x"], "not closed"),
        (['<file path="a.py" mode="append">', "x", "</file>"], "`mode` isn't known"),
        (['<file path="a.html">', "</file>", "x", "</file>"], "themselves contain"),
    ],
)
def test_what_may_not_be_the_whole_file_is_a_problem(lines: list[str], problem: str) -> None:
    shown, _ = shown_in_element(lines, 0) or (None, 0)
    assert shown is not None and shown.problem is not None and problem in shown.problem.detail
