"""The indexes of a file that sketches are laid over."""

from __future__ import annotations

from anypatch.propose.source import SourceFile, word_keys

LINES = ["class Cart:", "    def total(self):", "        return 0", "", "", "def total():", "    return 0"]


def test_places_of_a_quote_at_any_indentation() -> None:
    source = SourceFile("a.py", LINES)
    assert source.places(["return 0"]) == [(2, 3), (6, 7)]
    assert source.places(["def total():", "    return 0"]) == [(5, 7)] and source.places(["return 1"]) == []


def test_definitions_by_name_and_by_owner() -> None:
    source = SourceFile("a.py", LINES)
    assert [part.parts for part in source.named["total"]] == [("Cart", "total"), ("total",)]
    assert [part.name for part in source.members[("Cart",)]] == ["total"]


def test_lines_are_compared_by_their_words() -> None:
    assert word_keys(["x = 'a';", ""]) == word_keys(['x = "a"'])
