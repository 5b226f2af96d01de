"""Reports for models."""

from __future__ import annotations

from anypatch.model import (
    Outcome,
    Plan,
)
from anypatch.problems import KINDS, Near
from anypatch.report.models import for_model
from anypatch.result import Result
from support.results import (
    DONE,
    EDIT,
    MISSED,
    OUTCOMES,
    PATCH,
    REFUSED,
    UNREAD,
)


def test_what_fits_of_a_patch_that_cannot_be_read_whole() -> None:
    told = for_model(Result(False, Plan(PATCH, (), OUTCOMES[:2]), (UNREAD,)))
    assert told.split("\n")[1].startswith("What could be read fits, but nothing is written")


def test_what_fits_is_named_by_ranges() -> None:
    bad = Outcome(4, EDIT, "a.txt", problems=(MISSED._replace(op=4),))
    outcomes = tuple(bad if n == 4 else Outcome(n, EDIT, "a.txt") for n in range(1, 9))
    told = for_model(Result(False, Plan(PATCH, (), outcomes), bad.problems))
    assert told.split("\n")[1].startswith("Edits 1-3, 5-8 fit, but nothing is written")


def test_a_model_reads_what_failed_and_what_to_write() -> None:
    assert for_model(REFUSED).split("\n") == [
        "Refused, nothing was changed.",
        "Edit 2 fits, but nothing is written until all do: fix the others and send the whole patch again.",
        "1. not_found: line 2 of the marker differs",
        "   at a.txt:2, line 7 of the answer, edit 1 (replace_text)",
        "   differs in case:",
        " > 2 | Two",
        "   3 | three",
        "   " + KINDS["not_found"].advice,
        "2. bad_patch: the patch cannot be read: no `op`",
        "   at line 12 of the answer",
        "   Write op: replace_text.",
    ]


def test_a_model_reads_what_was_done() -> None:
    assert for_model(DONE).split("\n")[:2] == ["Applied; receipt R1.", "5 files changed (5 edits)"]
    dry = for_model(DONE._replace(receipt=None, dry_run=True))
    assert dry.split("\n")[0] == "It fits; nothing was written."


def test_the_report_for_models_is_bounded() -> None:
    near = Near(1, tuple("x" for _ in range(500)))
    many = tuple(MISSED._replace(near=(near,), op=n) for n in range(1, 200))
    lines = for_model(Result(False, Plan(PATCH), many), max_lines=40).split("\n")
    assert len(lines) == 40
    full = sum(line.endswith(KINDS["not_found"].advice) for line in lines)
    named = sum(". not_found" in line for line in lines)
    assert 2 <= full < named
    assert lines[-1] == f"… {199 - named} more problems: {199 - named} not_found"
    for most in (1, 2, 3, 7):
        assert len(for_model(Result(False, Plan(PATCH), many), max_lines=most).split("\n")) == most
    one = for_model(Result(False, Plan(PATCH), many[:1]), max_lines=40)
    assert len(one.split("\n")) <= 40
    assert one.endswith(KINDS["not_found"].advice)
