"""How alike lines and names are."""

from __future__ import annotations

import pytest

from anypatch.similarity import all_alike, close_names, did_you_mean, is_alike, most_alike

LINES = ["def total(items):", "price = cost + tax", "", "return price"]


@pytest.mark.parametrize(
    ("first", "second", "alike"),
    [
        ("return 1", "return 1", True),
        ("return total(items)", "return total(item)", True),
        ("price = cost + tax", "tax + cost == price", True),
        ("return 1", "import os", False),
        ("return 1", "", False),
        ("", "", True),
    ],
)
def test_lines_are_alike_by_their_ends_or_their_words(first: str, second: str, alike: bool) -> None:
    assert is_alike(first, second) is is_alike(second, first) is alike


@pytest.mark.parametrize(
    ("line", "row"),
    [("def total(things):", 0), ("tax + price", 1), ("returns price", 3), ("@decorated", -1)],
)
def test_the_most_alike_line(line: str, row: int) -> None:
    assert most_alike(line, LINES) == row


def test_all_lines_that_are_alike() -> None:
    assert all_alike("return prices", ["return price", "return prices", "import os", "prices"]) == {0, 1, 3}


@pytest.mark.parametrize(
    ("name", "question"),
    [("replace_txet", "did you mean 'replace_text'?"), ("insert", ""), ("create_file", "did you mean 'create_file'?")],
)
def test_a_misspelled_name(name: str, question: str) -> None:
    assert did_you_mean(name, ["replace_text", "create_file"]) == question


def test_the_closest_name_is_first() -> None:
    assert close_names("cart.py", ["card.py", "cart.py", "tax.py"], 2) == ["cart.py", "card.py"]
