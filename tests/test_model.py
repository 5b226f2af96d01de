"""The values that flow: their lines, their paths, contents kept as they were given."""

from __future__ import annotations

import pytest

from anypatch.model import (
    LINK,
    AppliedSplices,
    Chunk,
    Delete,
    Edit,
    File,
    FileChange,
    Hunk,
    MatchPolicy,
    Merge,
    Move,
    Op,
    Outcome,
    Span,
    Spans,
    SymbolEdit,
    paths_of,
    signed_hunk,
    with_paths,
)
from anypatch.text import Text

EXACT = MatchPolicy(("exact",))


def test_a_hunk_with_signs_has_old_and_new_text() -> None:
    hunk = signed_hunk([(" ", "a"), ("-", "b"), ("+", "c")], EXACT)
    assert (hunk.old, hunk.new, hunk.old_lines, hunk.new_lines) == ("a\nb\n", "a\nc\n", ["a", "b"], ["a", "c"])
    assert hunk.lines == ((" ", "a"), ("-", "b"), ("+", "c"))


def test_without_signs_all_old_lines_are_removed() -> None:
    assert Hunk("a\n", "a\nb\n", EXACT).lines == (("-", "a"), ("+", "a"), ("+", "b"))
    assert Hunk("", "\n", EXACT).lines == (("+", ""),)


@pytest.mark.parametrize(
    ("shown", "marks", "parts"),
    [
        (("a", "...", "b"), (1,), [(0, 1), (2, 3)]),
        (("...", "a", "..."), (0, 2), [(1, 2)]),
        (("a", "...", "", "...", "b"), (1, 3), [(0, 1), (4, 5)]),
        (("a",), (), [(0, 1)]),
    ],
)
def test_the_parts_of_a_file_shown_in_part(
    shown: tuple[str, ...], marks: tuple[int, ...], parts: list[tuple[int, int]]
) -> None:
    merge = Merge(shown, marks, patch_line=3)
    assert merge.parts == parts
    assert merge.lines == tuple(("+", shown[row]) for start, end in parts for row in range(start, end))


def test_the_line_of_a_row() -> None:
    assert Merge(("a", "b"), patch_line=3).line_of(1) == 3
    assert Merge(("a", "b"), patch_line=3, first=4).line_of(1) == 5


def test_an_edit_of_a_symbol_shows_its_chunks_as_lines() -> None:
    edit = SymbolEdit("A/f", None, chunks=(Chunk(("x",), ("y",), ("z",), None),))
    assert edit.lines == ((" ", "x"), ("-", "y"), ("+", "z")) and edit.claims.symbol == "A/f"
    assert not edit.is_whole_file and SymbolEdit("/", None, "replace").is_whole_file


def test_spans_claim_the_lines_that_they_touch() -> None:
    spans = Spans((Span((4, 0), (5, 2), "x"), Span((1, 3), (1, 3), "y\nz")))
    assert (spans.claims.line, spans.claims.last) == (2, 6)
    assert spans.lines == (("+", "x"), ("+", "y"), ("+", "z"))


@pytest.mark.parametrize(
    ("op", "paths"),
    [
        (Delete("a"), ("a",)),
        (Move("a", "b"), ("a", "b")),
        (Edit("a", ()), ("a",)),
        (Edit("a", (), other_path="b"), ("a", "b")),
    ],
)
def test_the_paths_of_an_operation_and_their_names_in_another_folder(op: Op, paths: tuple[str, ...]) -> None:
    assert paths_of(op) == paths
    assert paths_of(with_paths(op, lambda path: f"in/{path}")) == tuple(f"in/{path}" for path in paths)


def test_a_file_is_equal_whether_given_as_bytes_or_text() -> None:
    data, text = File(b"caf\xc3\xa9\xff"), File.of_text("café\udcff")
    assert data == text and hash(data) == hash(text) and (data.text, text.data) == (text.text, data.data)
    assert data != File(data.data, 0o755) and data != data.data
    assert File(b"target", LINK | 0o777).is_link and not data.is_link


def test_the_inverse_of_a_change() -> None:
    change = FileChange("a", None, File(b"x"))
    assert change.inverse() == FileChange("a", File(b"x"), None) and change.inverse().inverse() == change


def test_an_outcome_shows_the_lines_that_change_and_how_their_place_was_found() -> None:
    text = Text.of("a\nb\nc\n")
    splices = [text.replaced_rows(0, 2, ["a", "B"])]
    outcome = Outcome(1, Delete("f"), "f", (AppliedSplices(text, splices, "indentation"),))
    assert outcome.splices == ((1, 2, ("B",), "indentation"),), "a line that stays isn't one"
