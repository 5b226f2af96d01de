"""Problems: what a kind says where the problem itself says nothing, explanations on demand, exit codes."""

from __future__ import annotations

import pickle

import pytest

import anypatch
from anypatch.problems import EXPLAINED, KINDS, PatchError, Problem, all_explained, bad, exit_code, explained


@pytest.mark.parametrize(
    ("problem", "message"),
    [
        (Problem("file_missing"), KINDS["file_missing"].title),
        (Problem("file_missing", "a.py doesn't exist"), "a.py doesn't exist"),
        (Problem("bad_patch"), "the patch cannot be read"),
        (Problem("bad_patch", "no `op`"), "the patch cannot be read: no `op`"),
    ],
)
def test_the_message_is_the_detail_after_the_title_unless_the_detail_says_it_all(
    problem: Problem, message: str
) -> None:
    assert problem.message == message


@pytest.mark.parametrize("kind", KINDS.values(), ids=lambda kind: kind.id)
def test_detail_advice_and_hint_are_never_empty(kind: anypatch.Kind) -> None:
    problem = Problem(kind.id)
    assert (problem.detail, problem.advice, problem.command) == (kind.title, kind.advice, kind.command)
    assert problem.hint == (kind.hint or kind.advice)


def test_a_problem_s_own_advice_takes_the_place_of_its_kind_s_and_is_for_both_readers() -> None:
    problem = Problem("syntax", advice="Close the bracket.")
    assert (problem.advice, problem.hint, problem.command) == ("Close the bracket.", "Close the bracket.", "")
    assert problem.is_advised and not Problem("syntax").is_advised


def test_a_hint_is_for_the_person_alone() -> None:
    problem = Problem("locked", hint="Wait.", command="--lock-timeout 9 does.")
    assert (problem.advice, problem.hint) == (KINDS["locked"].advice, "Wait.")
    assert problem.command == "--lock-timeout 9 does."


def test_a_problem_stays_one_when_it_is_changed_or_pickled() -> None:
    problem = Problem("syntax")._replace(kind="locked")
    assert problem.message == KINDS["locked"].title
    assert pickle.loads(pickle.dumps(problem)) == problem


def test_only_the_first_problems_of_a_file_are_explained() -> None:
    calls = []

    def explain(problem: Problem) -> Problem:
        calls.append(problem)
        return problem._replace(detail="explained")

    problems = [Problem("not_found", path=path, explain=explain) for path in ["a.py"] * (EXPLAINED + 5) + ["b.py"]]
    result = all_explained(problems)
    assert len(calls) == EXPLAINED + 1
    assert [problem.detail for problem in result].count("explained") == EXPLAINED + 1
    assert result[EXPLAINED].detail == KINDS["not_found"].title
    assert explained(result[0]) == result[0]


def test_the_exit_code_is_the_highest() -> None:
    assert exit_code(()) == 0
    assert exit_code((Problem("not_found"), Problem("io"), bad(3, "no `op`"))) == 3


def test_an_error_names_each_problem() -> None:
    error = PatchError(Problem("not_found"), bad(3, "no `op`"))
    assert str(error) == "not_found: the text is not in the file; bad_patch: no `op`"
