"""The lines of the file near a problem."""

from __future__ import annotations

import anypatch
from anypatch.model import (
    Edit,
    Note,
    Outcome,
    Plan,
    join_lines,
)
from anypatch.problems import Near, Problem
from anypatch.report.models import for_model
from anypatch.report.people import for_people
from anypatch.result import Result
from support.results import (
    EDIT,
    HUNK,
    MISSED,
    PATCH,
    missed,
)


def test_long_regions_are_cut_and_say_so() -> None:
    near = Near(95, tuple(f"line {n}" for n in range(30)))
    lines = for_people(Result(False, Plan(PATCH), (MISSED._replace(near=(near,)),)))
    assert "   95 | line 0" in lines
    assert any(line.endswith("… 18 more lines") for line in lines)


def test_a_region_is_cut_where_its_marked_line_stays() -> None:
    old = join_lines(f"line {n if n < 19 else 'XX'}" for n in range(20))
    edit = Edit("a.txt", (HUNK._replace(old=old, new=""),), 6, "replace_text")
    problem = MISSED._replace(near=(Near(1, tuple(f"line {n}" for n in range(30))),))
    report = Result(False, Plan(PATCH, (), (Outcome(1, edit, "a.txt", problems=(problem,)),)), (problem,))
    assert "    -line XX" in for_people(report) and "    +line 19" in for_people(report)
    assert " > 20 | line 19" in for_model(report, max_lines=12).split("\n")


def test_lines_of_megabytes_are_not_shown_whole() -> None:
    huge = "x" * 1_000_000
    problem = Problem("not_found", huge, huge, 1, 1, "", (Near(1, (huge,), huge),), 1)
    report = Result(False, Plan(PATCH, (), (Outcome(1, EDIT, huge, problems=(problem,)),)), (problem,), (Note(huge),))
    assert sum(map(len, for_people(report))) < 5000
    assert len(for_model(report)) < 5000


# ── the first difference ─────────────────────────────────────────────────────────────────────────


def test_without_a_near_region_it_is_said_what_was_looked_for() -> None:
    report = missed(["", "  the line", "b"])
    assert "  looked for: the line" in for_people(report)
    assert "   looked for: the line" in for_model(report).split("\n")


def test_places_without_lines_are_one_line_each() -> None:
    near = (Near(3, ("  x",), "line 3, in `class A:`"), Near(9, (), "line 9, in `class B:`"), Near(12))
    report = Result(False, Plan(PATCH), (Problem("ambiguous", "", "a.txt", 7, 3, near=near),))
    assert for_model(report).split("\n")[3:7] == [
        "   line 3, in `class A:`:", "   3 |   x", "   line 9, in `class B:`", "   it fits here: line 12",
    ]  # fmt: skip


def test_of_two_edits_of_one_line_the_files_own_line_is_shown() -> None:
    block = "a.txt\n<<<<<<< SEARCH\nvalue = 1\n=======\nvalue = {}\n>>>>>>> REPLACE\n"
    report = anypatch.apply_to(block.format(2) + block.format(3), {"a.txt": "value = 1\n"})
    (problem,) = report.problems
    assert (problem.kind, problem.line, problem.patch_line, problem.op) == ("overlap", 1, 8, 2)
    assert problem.near[0].lines == ("value = 1",)
    assert "value = 2" not in for_model(report)
