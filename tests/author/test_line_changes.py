"""Which lines change, and what they are after that."""

from __future__ import annotations

from anypatch import format_named
from anypatch.author.line_changes import LineChange, join_near, line_changes, lines_after
from anypatch.text import Text

UNIFIED, CHUNK = format_named("unified"), format_named("chunk")


def text(data: str) -> Text:
    return Text.read(data.encode())


def test_changes_make_the_lines_after() -> None:
    before, after = text("a\nb\nc\nd\n"), text("a\nB\nc\nd\ne\n")
    changes = line_changes(before, after, UNIFIED)
    assert changes == [(1, 2, ["B"]), (4, 4, ["e"])]
    assert lines_after(before.lines, 0, 4, changes) == after.lines


def test_a_final_newline_is_a_change_if_the_format_can_say_so() -> None:
    before, after = text("a\nb"), text("a\nb\n")
    assert line_changes(before, after, UNIFIED) == [(1, 2, ["b"])]
    assert line_changes(before, after, CHUNK) == []


def test_near_changes_are_joined() -> None:
    lines = ["a", "b", "c", "d", "e"]
    changes = [LineChange(0, 1, ["A"]), LineChange(2, 3, ["C"]), LineChange(4, 5, [])]
    assert join_near(changes, lines, 0) == changes
    assert join_near(changes, lines, 1) == [(0, 5, ["A", "b", "C", "d"])]
    assert changes[0].new == ["A"]
