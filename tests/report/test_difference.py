"""How the patch and the nearest lines differ."""

from __future__ import annotations

import pytest

import anypatch
from anypatch.model import (
    Plan,
)
from anypatch.problems import KINDS, Near
from anypatch.report.difference import first_difference, visible
from anypatch.report.models import for_model
from anypatch.report.people import for_people
from anypatch.result import Result
from support.results import (
    MISSED,
    PATCH,
    missed,
)


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
    ], "what stands below the region isn't missing, and the blank line above it isn't compared"
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
