"""Which line of a sketch is which row of the file."""

from __future__ import annotations

from anypatch.propose.align import align, only_row
from anypatch.propose.source import SourceFile

FILE = SourceFile(
    "a.py", ["import os", "", "def f():", "    a = 1", "    b = 2", "    return a", "", "def g():", "    pass"]
)
ALL = range(len(FILE.lines))


def test_equal_lines_keep_their_order_around_a_mark() -> None:
    body = ["def f():", "    # ...", "    return a + b"]
    rows = align(body, FILE, ALL, frozenset({1}), {}, {})
    assert rows[0] == 2 and rows[1] is None and rows[2] == 5


def test_a_line_that_is_new_has_no_row() -> None:
    rows = align(["def f():", "    a = 1", "    log(a)", "    # ..."], FILE, ALL, frozenset({3}), {}, {})
    assert rows[:3] == [2, 3, None]


def test_a_line_that_the_file_has_once() -> None:
    assert only_row(FILE, FILE.keys[3], ALL) == 3
    assert only_row(FILE, FILE.keys[3], range(5, 9)) is None
