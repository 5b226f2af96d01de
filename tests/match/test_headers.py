"""The block that a header opens: by its indentation, its sections, or the grammar."""

from __future__ import annotations

import pytest

from anypatch.match.headers import header_blocks
from anypatch.text import Text


def text_of(*lines: str) -> Text:
    return Text.of("".join(line + "\n" for line in lines))


@pytest.mark.parametrize(
    ("lines", "header", "span"),
    [
        (["def f():", "    a", "", "    b", "c"], "def f():", (0, 4)),
        (["int f()", "{", "  a;", "}", "b;"], "int f()", (0, 4)),
        (["[a]", "x = 1", "[b]"], "[a]", (0, 2)),
        (["item one", "x", "item two", "y"], "item one", (0, 2)),
    ],
)
def test_where_the_block_of_a_header_ends(lines: list[str], header: str, span: tuple[int, int]) -> None:
    text = text_of(*lines)
    (block,) = header_blocks(text, (header,))
    assert (block.row, block.end) == span


def test_a_header_inside_the_block_of_another() -> None:
    text = text_of("class A:", "    def f():", "        a", "class B:", "    def f():", "        b")
    assert [block.row for block in header_blocks(text, ("def f():",))] == [1, 4]
    assert [block.row for block in header_blocks(text, ("class B:", "def f():"))] == [4]
    assert header_blocks(text, ("class C:", "def f():")) == []


@pytest.mark.parametrize("header", ["def f(a, b):", "def  f(a,  b):", "def f", "def f(a"])
def test_a_header_may_be_spaced_otherwise_or_cut_at_the_end_of_a_word(header: str) -> None:
    text = text_of("def first():", "    pass", "def f(a, b):", "    pass")
    assert [block.row for block in header_blocks(text, (header,))] == [2]
