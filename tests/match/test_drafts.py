"""The files of a patch between its operations: each edit sees those before it, and one that fails leaves no trace."""

from __future__ import annotations

import anypatch

FILES = {"a.py": "one = 1\ntwo = 2\nthree = 3\n"}


def block(old: str, new: str) -> str:
    return f"a.py\n<<<<<<< SEARCH\n{old}\n=======\n{new}\n>>>>>>> REPLACE\n\n"


def test_a_later_edit_finds_the_result_of_an_earlier_one() -> None:
    result = anypatch.apply_to(block("one = 1", "first = 1") + block("first = 1", "1st"), FILES)
    assert result.files["a.py"] == "1st\ntwo = 2\nthree = 3\n"


def test_an_edit_that_fails_leaves_no_trace_in_those_after_it() -> None:
    answer = block("four = 4", "4") + block("two = 2", "2")
    result = anypatch.apply_to(answer, FILES, partial=True)
    assert result.files["a.py"] == "one = 1\n2\nthree = 3\n"
    assert [problem.kind for problem in result.problems] == ["not_found"]


def test_an_edit_of_a_file_that_was_deleted_is_refused() -> None:
    answer = "*** Begin Patch\n*** Delete File: a.py\n*** Update File: a.py\n@@\n-one = 1\n+1\n*** End Patch\n"
    result = anypatch.apply_to(answer, FILES)
    assert result.kinds == ("file_missing",) and "deleted" in result.problems[0].message


def test_two_edits_of_one_line_are_refused_with_the_line() -> None:
    result = anypatch.apply_to(block("two = 2", "2") + block("two = 2", "zwei"), FILES)
    assert not result.ok and result.problems[0].path == "a.py"
    assert dict(result.files) == FILES
