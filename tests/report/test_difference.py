"""How the patch and the nearest lines differ; the lines of the file near a problem."""

from __future__ import annotations

import pytest

import anypatch
from anypatch.model import Edit, Note, Outcome, Plan, join_lines
from anypatch.problems import KINDS, Near, Problem
from anypatch.report.difference import first_difference, visible
from anypatch.report.models import for_model
from anypatch.report.people import for_people
from anypatch.result import Result
from support.results import EDIT, HUNK, MISSED, PATCH, missed


@pytest.mark.parametrize(
    ("there", "said", "shown"),
    [
        ("a = b", "a = c", ("a = b", "a = c")),
        ("f(a,  b)", "f(a, b)", ("f(a,··b)", "f(a,·b)")),
        ("\treturn 1", "    return 1", ("→return 1", "····return 1")),
        ("return 1", "return 1 ", ("return 1", "return 1·")),
        ("a + b", "a\u00a0+ b", ("a·+ b", "a⍽+ b")),
        ("a = b", "a =\u200b c", ("a = b", "a =⍽ c")),
        ("ab", "a b", ("ab", "a b")),
        ("", "", ("", "")),
    ],
)
def test_white_space_is_visible_where_it_differs(there: str, said: str, shown: tuple[str, str]) -> None:
    assert visible(there, said) == shown


def test_the_first_difference_is_found() -> None:
    report = missed(["def f():", "  return  1"], Near(5, ("def f():", "", "    return 1", "x")))
    assert first_difference(report.problems[0], report) == (7, "    return 1", "  return  1")
    told = for_model(report).split("\n")
    assert told[3:12] == [
        "   closest match:",
        "   5 | def f():",
        "   6 | ",
        " > 7 |     return 1",
        "   8 | x",
        "   line 7 with its whitespace made visible (· is a space, → a tab, ⍽ another kind of space):",
        "   file : ····return·1",
        "   patch: ··return··1",
        "   " + KINDS["not_found"].advice,
    ]
    assert "    +····return·1" in for_people(report) and "    -··return··1" in for_people(report)
    indented = missed(["def f():", "return 1"], Near(1, ("def f():", "    return 1")))
    assert first_difference(indented.problems[0], indented) == (2, "    return 1", "return 1")


def test_of_a_long_hunk_the_lines_around_the_difference_are_shown() -> None:
    text = "".join(f"line {n}\n" for n in range(60))
    old = [f"line {n}" for n in range(10, 50)]
    patch = "".join(f" {line}\n" for line in ["", *old]).replace("line 35\n", "line thirty-five\n")
    report = anypatch.apply_to(f"--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n{patch}-line 50\n+x\n", {"a.txt": text})
    told = for_people(report)
    start = told.index("    --- the answer")
    assert told[start : start + 11] == [
        "    --- the answer",
        "    +++ a.txt, line 33",
        *(f"     line {n}" for n in (32, 33, 34)),
        "    -line thirty-five",
        "    +line 35",
        *(f"     line {n}" for n in (36, 37, 38)),
        "hint: Take the correction if it says what you mean.",
    ], "lines below the region aren't missing, and the blank line above it isn't compared"
    assert " > 36 | line 35" in [line.rstrip() for line in for_model(report).split("\n")]


def test_of_long_lines_the_part_that_differs_is_shown() -> None:
    there, said = "x" * 5000 + " a" + "y" * 5000, "x" * 5000 + "  a" + "y" * 5000
    report = missed([said], Near(1, (there,)))
    lines = for_model(report).split("\n")
    assert [line[:11] for line in lines if "·a" in line] == ["   file : …", "   patch: …"]
    assert max(map(len, lines)) < 400


def test_what_stands_around_a_place_is_no_difference() -> None:
    report = missed(["two", "three"], Near(1, ("one", "two", "three")))
    assert first_difference(report.problems[0], report) is None
    assert first_difference(MISSED, Result(False, Plan(PATCH), (MISSED,))) is None


# ── the lines near a problem ─────────────────────────────────────────────────────────────────────────


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
