"""Which lines change, and which endings the text has after that."""

from __future__ import annotations

from anypatch import format_named
from anypatch.author.line_changes import (
    LineChange,
    apply_changes,
    endings_as_read,
    ends_alike,
    join_near,
    line_changes,
    lines_after,
)
from anypatch.text import Text

UNIFIED, CHUNK = format_named("unified"), format_named("chunk")


def text(data: str) -> Text:
    return Text.read(data.encode())


def test_changes_make_the_text_after() -> None:
    before, after = text("a\nb\nc\nd\n"), text("a\nB\nc\nd\ne\n")
    changes = line_changes(before, after, UNIFIED)
    assert changes == [(1, 2, ["B"]), (4, 4, ["e"])]
    assert lines_after(before.lines, 0, 4, changes) == after.lines
    assert apply_changes(before, changes, "own").lines == after.lines


def test_a_final_newline_is_a_change_if_the_format_can_say_so() -> None:
    before, after = text("a\nb"), text("a\nb\n")
    assert line_changes(before, after, UNIFIED) == [(1, 2, ["b"])]
    assert line_changes(before, after, CHUNK) is None


def test_endings_that_a_reader_would_not_write_are_no_lines_to_change() -> None:
    assert line_changes(text("a\r\nb\r\n"), text("a\r\nB\n"), UNIFIED) is None
    assert line_changes(text("a\rb\n"), text("a\rc\n"), CHUNK) is None


def test_near_changes_are_joined() -> None:
    lines = ["a", "b", "c", "d", "e"]
    changes = [LineChange(0, 1, ["A"]), LineChange(2, 3, ["C"]), LineChange(4, 5, [])]
    assert join_near(changes, lines, 0) == changes
    assert join_near(changes, lines, 1) == [(0, 5, ["A", "b", "C", "d"])]
    assert changes[0].new == ["A"]


def test_equal_lines_keep_their_endings() -> None:
    mixed = text("a\r\nb\nc\n")
    assert not ends_alike(mixed) and ends_alike(text("a\nb"))
    assert endings_as_read(mixed, [LineChange(0, 3, ["a", "x", "b", "c"])], "own") == ["\r\n", "\n", "\n", "\n"]
