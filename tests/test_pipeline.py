"""From text to result: HTML escapes, the line of a problem, files that change in between, what is checked at the end."""

from __future__ import annotations

from pathlib import Path

import pytest

import anypatch
from anypatch.answer.read import read
from anypatch.pipeline import ApplyOptions, apply_to_tree, read_and_apply
from anypatch.storage import tree as disk
from anypatch.tree import MemoryTree

BLOCK = "a.py\n<<<<<<< SEARCH\nb = 2\n=======\nb = 3\n>>>>>>> REPLACE\n"


def test_escaped_markers_in_a_format_that_is_named() -> None:
    answer = "a.py\n&lt;&lt;&lt;&lt;&lt;&lt;&lt; SEARCH\nx = 1 &lt; 2\n=======\nx = 3 &lt; 2\n&gt;&gt;&gt;&gt;&gt;&gt;&gt; REPLACE\n"
    assert anypatch.apply_to(answer, {"a.py": "x = 1 < 2\n"}, format="search-replace").files == {"a.py": "x = 3 < 2\n"}


def test_escapes_that_belong_to_the_file_stay() -> None:
    answer = "a.html\n<<<<<<< SEARCH\n1 &lt; 2\n=======\n1 &lt; 3\n>>>>>>> REPLACE\n"
    assert anypatch.apply_to(answer, {"a.html": "1 &lt; 2\n"}).files == {"a.html": "1 &lt; 3\n"}


def test_a_problem_points_to_the_line_that_it_cites() -> None:
    answer = BLOCK.replace("b = 3", "b = 3\n# ... rest of code ...")
    (problem,) = anypatch.apply_to(answer, {"a.py": "b = 2\nc = 3\n"}).problems
    assert (problem.kind, problem.patch_line) == ("elision", 6)


def test_a_result_that_no_longer_parses_changes_nothing_if_that_is_refused() -> None:
    answer = BLOCK.replace("b = 3", "b = (3")
    assert anypatch.apply_to(answer, {"a.py": "b = 2\n"}).ok
    result = anypatch.apply_to(answer, {"a.py": "b = 2\n"}, syntax="refuse")
    assert result.kinds == ("syntax",) and result.plan.changes == () and result.files == {"a.py": "b = 2\n"}


def test_corrections_are_looked_for_only_if_they_are_wanted() -> None:
    files, answer = (
        {"a.py": "def f():\n    b = 2\n    return b\n"},
        BLOCK.replace("b = 2\n", "def f():\n    b = 22\n    return b\n"),
    )
    for wanted in (True, False):
        result = read_and_apply(answer, MemoryTree(files), ApplyOptions(corrections=wanted), "")
        assert bool(result.problems[0].corrected) is wanted


def test_an_answer_that_cannot_be_read_is_a_result() -> None:
    result = read_and_apply("", MemoryTree({}), ApplyOptions(), "")
    assert result.kinds == ("no_patch",) and not result.plan.changes
    assert apply_to_tree(BLOCK, read(BLOCK), MemoryTree({"a.py": "b = 2\n"}), ApplyOptions()).ok


def test_the_same_answer_is_applied_once_unless_it_is_asked_for_again(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("b = 2\n")
    grow = BLOCK.replace("b = 3", "b = 2\nb = 2 + 1")
    assert anypatch.apply(grow, tmp_path).ok
    (problem,) = anypatch.apply(grow, tmp_path).problems
    assert problem.kind == "already_applied" and "nothing has changed since" in problem.message
    assert anypatch.apply(grow, tmp_path, again=True).ok


def test_files_that_change_before_the_commit_are_planned_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.py").write_text("b = 2\n")
    commit, writes = disk.commit, [b"# new\nb = 2\n"]

    def late(*args: object, **named: object) -> object:
        if writes:
            (tmp_path / "a.py").write_bytes(writes.pop())
        return commit(*args, **named)  # type: ignore[arg-type]

    monkeypatch.setattr(disk, "commit", late)
    assert anypatch.apply(BLOCK, tmp_path).ok
    assert (tmp_path / "a.py").read_text() == "# new\nb = 3\n"
