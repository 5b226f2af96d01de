"""Results: what changed, what was refused, and when it is looked up."""

from __future__ import annotations

from pathlib import Path

import pytest

import anypatch
from anypatch.model import Patch, Plan
from anypatch.problems import Problem
from anypatch.result import Result

FILES = {"a.py": "a = 1\nb = 2\nc = 3\n", "pkg/b.py": "x = 1\n"}
BLOCK = "a.py\n<<<<<<< SEARCH\nb = 2\n=======\nb = 3\n>>>>>>> REPLACE\n"
GONE = BLOCK.replace("b = 2", "b = 7")
MOVE = "*** Begin Patch\n*** Update File: a.py\n*** Move to: z.py\n@@\n-b = 2\n+b = 3\n*** Delete File: pkg/b.py\n*** End Patch\n"


def test_a_result_tells_what_changed() -> None:
    result = anypatch.apply_to(MOVE, FILES)
    moved, deleted = result.changes
    assert (moved.path, moved.action, moved.moved_from, moved.added, moved.removed) == ("z.py", "move", "a.py", 1, 1)
    assert moved.before == FILES["a.py"] and moved.after == "a = 1\nb = 3\nc = 3\n"
    assert (deleted.path, deleted.action, deleted.before, deleted.after) == ("pkg/b.py", "delete", "x = 1\n", None)
    assert result and not result.written and result.receipt is None and result.files == {"z.py": moved.after}
    assert result.raise_for_problems() is result
    assert "-b = 2\n+b = 3\n" in result.diff() and repr(result).startswith("<Result ok ")
    assert result == anypatch.apply_to(MOVE, FILES) and result != anypatch.apply_to(BLOCK, FILES) and result != 1


def test_what_is_written_is_true_in_memory_in_previews_and_on_disk(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(FILES["a.py"])
    preview = anypatch.preview(BLOCK, tmp_path)
    assert preview.ok and preview.dry_run and not preview.written and preview.changes[0].after != FILES["a.py"]
    assert (tmp_path / "a.py").read_text() == FILES["a.py"]
    assert anypatch.apply(GONE, tmp_path).written is False
    done = anypatch.apply(BLOCK, tmp_path)
    assert done.written and done.receipt and done.changes == preview.changes
    undone = anypatch.undo(tmp_path)
    assert undone.written and undone.changes[0].after == FILES["a.py"]


def test_a_refusal_is_a_value_and_can_be_raised() -> None:
    result = anypatch.apply_to(GONE, FILES)
    assert (
        not result and result.changes == () and result.files == FILES and repr(result) == "<Result refused not_found>"
    )
    with pytest.raises(anypatch.PatchError, match="not_found") as caught:
        result.raise_for_problems()
    assert caught.value.problems == result.problems
    assert "a.py" in str(result) and "a.py" in result.for_model()


@pytest.mark.parametrize(
    ("result", "status"),
    [
        (Result(True, Plan(Patch(""))), "applied"),
        (Result(False, Plan(Patch("")), (Problem("not_found"),), partial=True), "partial"),
        (Result(False, Plan(Patch("")), (Problem("proposed"), Problem("proposed"))), "proposed"),
        (Result(False, Plan(Patch("")), (Problem("proposed"), Problem("not_found"))), "refused"),
    ],
)
def test_status(result: Result, status: str) -> None:
    assert result.status == status and bool(result) is (status == "applied")


def test_problems_are_explained_once_and_only_when_somebody_looks() -> None:
    looks = []

    def explain(problem: Problem) -> Problem:
        looks.append(problem)
        return problem._replace(detail="line 2 differs")

    result = Result(False, Plan(Patch("")), (Problem("not_found", explain=explain),))._replace(dry_run=True)
    assert result.kinds == ("not_found",) and not looks
    assert [problem.message for problem in (*result.problems, *result.problems)] == ["line 2 differs"] * 2
    assert len(looks) == 1 and result.dry_run


def test_a_refusal_of_many_files_is_named_in_short() -> None:
    answer = "".join(BLOCK.replace("a.py", f"{name}.py") for name in "abcd")
    result = anypatch.apply_to(answer, {f"{name}.py": "b = 2\n" for name in "abcd"})
    assert repr(result) == "<Result ok a.py, b.py, c.py, …>"


def test_proposals_are_what_fences_would_change() -> None:
    answer = "```python\ndef f():\n    return 2\n```\n"
    files = {"a.py": "import os\nimport sys\n\n\ndef f():\n    return 1\n"}
    shown = anypatch.apply_to(f"In `a.py`:\n\n{answer}", files)
    taken = anypatch.apply_to(f"In `a.py`:\n\n{answer}", files, accept="all")
    assert shown.status == "proposed" and taken.ok and shown.proposals == taken.proposals
    (proposal,) = shown.proposals
    assert (proposal.rule, proposal.path) == ("symbol", "a.py")
    assert proposal.before and proposal.before[-1] == "    return 1" and proposal.after[-1] == "    return 2"
    assert shown.blocks[proposal.block].became == "proposed"
