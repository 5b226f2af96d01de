"""Edits that say where they go: lines to insert, lines named by number and hash, ranges of lines and columns."""

from __future__ import annotations

import pytest

from anypatch.match.claims import Candidates
from anypatch.match.place import Context, locate, place_hunks
from anypatch.match.positions import hash_of_line, ids_of_line, place_ranges, tag_of_file, xxh32
from anypatch.model import TOLERANT, Claims, Hunk, Span, Spans, signed_hunk
from anypatch.problems import Problem
from anypatch.text import Text
from support.edits import changed, update

# ── lines to insert ──────────────────────────────────────────────────────────────────────────────


def added(line: str, claims: Claims) -> Hunk:
    return signed_hunk([("+", line)], TOLERANT, claims)


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
    (placed,) = place_hunks(Context(text, "a.txt"), [added("x", claims)]).placed
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


# ── hashes of lines ──────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("data", "seed", "hash"),
    [
        (b"", 0, 0x02CC5D05),
        (b"a", 0, 0x550D7456),
        (b"abc", 0, 0x32D153FF),
        (b"Nobody inspects the spammish repetition", 0, 0xE2293B2F),
        (b"", 1, 0x0B2CB792),
    ],
)
def test_xxhash(data: bytes, seed: int, hash: int) -> None:
    """The values that the reference implementation gives."""
    assert xxh32(data, seed) == hash


def test_white_space_does_not_count_in_the_hash_of_a_line() -> None:
    assert hash_of_line("  x = 1 ") == hash_of_line("x=1") != hash_of_line("x=2")
    assert tag_of_file("a  \nb\n") == tag_of_file("a\nb\n") != tag_of_file("  a\nb\n")


def test_a_line_of_brackets_has_its_number_in_its_hash() -> None:
    assert not {*ids_of_line("}", 1)}.issuperset(ids_of_line("}", 2))
    assert ids_of_line("x", 1) == ids_of_line("x", 2)


@pytest.mark.parametrize("line", [2, 9])
def test_a_line_that_has_another_hash_by_now_is_refused(line: int) -> None:
    text = Text.of("one\ntwo\n")
    stale = locate(Context(text, "a.txt"), added("x", Claims(line=1, last=1, hashes=((line, hash_of_line("one")),))))
    assert isinstance(stale, Problem) and stale.kind == "stale" and stale.line == line
    named = added("x", Claims(line=1, last=1, hashes=((1, hash_of_line("one")), (0, tag_of_file("one\ntwo\n")))))
    assert isinstance(locate(Context(text, "a.txt"), named), Candidates)


# ── ranges of lines and columns ──────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("text", "span", "after"),
    [
        ("one\ntwo\n", Span((0, 1), (1, 1), "X"), "oXwo\n"),
        ("one\ntwo\n", Span((0, 9), (0, 99), "X"), "oneX\ntwo\n"),  # after the end of the line
        ("one\ntwo\n", Span((2, 0), (2, 0), "X\n"), "one\ntwo\nX\n"),
        ("one\ntwo", Span((0, 0), (2, 0), "X"), "X"),  # all of it
        ("one\r\ntwo\r\n", Span((1, 0), (1, 0), "X\n"), "one\r\nX\r\ntwo\r\n"),
        ("a\rb\nc\n", Span((1, 0), (1, 1), "X"), "a\rX\nc\n"),  # a lone CR ends a line for a server
        ("😀é\n", Span((0, 2), (0, 3), "X"), "😀X\n"),
        ("", Span((0, 0), (0, 0), "X\r\n"), "X\r\n"),
    ],
)
def test_a_range(text: str, span: Span, after: str) -> None:
    before = Text.of(text)
    splices = place_ranges(before, Spans((span,)))
    assert isinstance(splices, list)
    assert before.apply(splices).source == after


@pytest.mark.parametrize(
    ("spans", "kind"),
    [
        ([Span((0, 0), (0, 2), ""), Span((0, 1), (0, 3), "")], "overlap"),
        ([Span((1, 0), (0, 2), "")], "bad_patch"),
        ([Span((7, 0), (7, 0), "")], "not_found"),
        ([Span((1, 1), (1, 2), "")], "not_found"),  # in the middle of a character
        ([Span((2, 2), (2, 2), "")], "not_text"),  # columns after a byte that isn't UTF-8
    ],
)
def test_ranges_that_are_refused(spans: list[Span], kind: str) -> None:
    problem = place_ranges(Text.of("one\n😀\n\udce9é\n"), Spans(tuple(spans)))
    assert isinstance(problem, Problem) and problem.kind == kind


def test_units_of_columns() -> None:
    text = Text.of("é😀x\n")
    for unit, column in (("utf-8", 6), ("utf-16", 3), ("utf-32", 2)):
        splices = place_ranges(text, Spans((Span((0, column), (0, column), "|"),), unit))
        assert isinstance(splices, list) and text.apply(splices).source == "é😀|x\n"
