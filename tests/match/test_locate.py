"""The place of one hunk: text inside lines, lines that the patch gives a place, the end of the file."""

from __future__ import annotations

import pytest

from anypatch.match.locate import Context, PlacedHunk, locate
from anypatch.model import TOLERANT, Claims, Hunk, signed_hunk
from anypatch.problems import Problem
from anypatch.text import Text
from support.edits import block, call, changed, diff, refusal, update


def added(line: str, claims: Claims) -> Hunk:
    return signed_hunk([("+", line)], TOLERANT, claims)


# ── hunks without old lines ──────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("claims", "after"),
    [
        (Claims(at_start=True), "x\none\ntwo\n"),
        (Claims(at_end=True), "one\ntwo\nx\n"),
        (Claims(line=2, last=1), "one\nx\ntwo\n"),  # the gap above line 2
        (Claims(line=2, last=2), "one\nx\n"),
        (Claims(line=3, last=2), "one\ntwo\nx\n"),
        (Claims(headers=("one",)), "one\nx\ntwo\n"),
    ],
)
@pytest.mark.parametrize("final", ["\n", ""])
def test_lines_are_added_where_the_hunk_says(claims: Claims, after: str, final: str) -> None:
    text = Text.of(f"one\ntwo{final}")
    placed = locate(Context(text, "a.txt"), added("x", claims))
    assert isinstance(placed, PlacedHunk)
    assert text.apply(placed.splices).source == after.removesuffix("\n") + final


@pytest.mark.parametrize(
    ("claims", "kind"),
    [
        (Claims(), "ambiguous"),  # it says nothing
        (Claims(line=9, last=8), "not_found"),
        (Claims(line=2, last=9), "not_found"),
        (Claims(headers=("nowhere",)), "not_found"),
        (Claims(headers=("two",)), "ambiguous"),
        (Claims(line=1, last=1, hashes=((1, "zz"),)), "stale"),
    ],
)
def test_lines_that_say_no_place(claims: Claims, kind: str) -> None:
    problem = locate(Context(Text.of("one\ntwo\nthree\ntwo\n"), "a.txt"), added("x", claims))
    assert isinstance(problem, Problem) and problem.kind == kind


def test_an_empty_file_has_one_place() -> None:
    assert changed(update("@@\n+x\n"), "") == "x\n"


# ── text inside lines ────────────────────────────────────────────────────────────────────────────


def test_text_inside_a_line() -> None:
    assert changed(call("b", "x"), "a b c\n") == "a x c\n"
    assert changed(call("b\nc", "x"), "a b\nc d\n") == "a x d\n"
    assert refusal(call("b", "x"), "a b\nb c\n").kind == "ambiguous"


def test_text_in_all_places_or_in_so_many() -> None:
    assert changed(call("b", "x", replace_all=True), "b b\nb\n") == "x x\nx\n"
    assert changed(call("aa", "x", replace_all=True), "aaa\n") == "xa\n"  # as an editor would
    assert changed(call("b", "x", expected_replacements=3), "b b\nb\n") == "x x\nx\n"
    assert refusal(call("b", "x", expected_replacements=2), "b b\nb\n").kind == "ambiguous"
    assert refusal(call("y", "x", replace_all=True), "b b\n").kind == "not_found"


def test_text_that_is_there_but_for_its_indentation() -> None:
    assert (
        changed(call("if x:\n    go()", "if x:\n    stop()"), "f:\n    if x:\n        go()\n")
        == "f:\n    if x:\n        stop()\n"
    )


def test_line_ends_in_a_call_are_the_files() -> None:
    assert changed(call("one\r\ntwo", "1\r\n2"), "one\ntwo\n") == "1\n2\n"
    assert changed(call("one\ntwo", "1\n2"), "one\r\ntwo\r\n") == "1\r\n2\r\n"


# ── the end of the file ──────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(("before", "after"), [("a\nb", "a\nx"), ("a\nb\n", "a\nx\n")])
def test_the_last_line_end_stays_as_it_is(before: str, after: str) -> None:
    assert changed(block("b\n", "x\n"), before) == after


def test_a_diff_may_say_what_becomes_of_the_last_line_end() -> None:
    bare = "\\ No newline at end of file\n"
    assert changed(diff(f"@@ -1 +1 @@\n-a\n+b\n{bare}"), "a\n") == "b"
    assert changed(diff(f"@@ -1 +1 @@\n-a\n{bare}+b\n"), "a") == "b\n"
