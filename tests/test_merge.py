"""Two changes of one text: merged line by line, made once if they are the same, or a conflict."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anypatch.merge import Conflict, merge

LINES = st.lists(st.sampled_from(["a", "b", "", "}"]), max_size=12)


def merged(base: str, ours: str, theirs: str) -> str:
    """Return the merged letters; conflicts as their rows."""
    result = merge(base, ours, theirs)
    return "".join(result.lines) if not result.conflicts else str([tuple(one) for one in result.conflicts])


@pytest.mark.parametrize(
    ("base", "ours", "theirs", "wanted"),
    [
        ("abcde", "aBcde", "abcdE", "aBcdE"),
        ("abcde", "abcdE", "aBcde", "aBcdE"),
        ("abcde", "aXbcde", "abcd", "aXbcd"),
        ("abcde", "aBcDe", "aBcde", "aBcDe"),  # one of two changes on both sides
        ("abcde", "ae", "abcde", "ae"),
        ("", "x", "", "x"),
        ("", "x", "x", "x"),
        ("", "x", "y", "[((0, 0), (0, 1), (0, 1))]"),
        ("abc", "aBc", "aXc", "[((1, 2), (1, 2), (1, 2))]"),
        ("abcd", "aBcd", "abCd", "[((1, 3), (1, 3), (1, 3))]"),  # no unchanged line between
        ("abcd", "aBcd", "aXbcd", "[((1, 2), (1, 2), (1, 3))]"),
        ("abcdefg", "aBcdeFg", "abXdefg", "[((1, 3), (1, 3), (1, 3))]"),
        # A block and a blank line: added above or below a blank line, it is the same block.
        ("f_g", "f_h_g", "f_h_g!", "f_h_g!"),
    ],
)
def test_merge(base: str, ours: str, theirs: str, wanted: str) -> None:
    assert merged(base, ours, theirs) == wanted


def test_a_conflict_holds_their_lines_and_the_rest_is_merged() -> None:
    result = merge("abcdefg", "aBcdeFg", "aXcdefG")
    assert "".join(result.lines) == "aXcdefG" and len(result.conflicts) == 2


def test_whoever_knows_more_resolves_a_conflict() -> None:
    asked: list[Conflict] = []

    def both(conflict: Conflict) -> str | None:
        asked.append(conflict)
        return "YX" if conflict.base == (1, 1) else None

    result = merge("ab", "aXb", "aYb", both)
    assert "".join(result.lines) == "aYXb" and not result.conflicts and len(asked) == 1
    assert merge("ab", "aX", "aY", both).conflicts


def test_a_block_that_both_sides_added_is_not_doubled() -> None:
    """A diff may show it from its first line on, or from the blank lines above it on."""
    base = ["import os", "", "", "def a():", "    pass", "", "", "def c():", "    pass"]
    ours = [*base[:7], "def b():", "    return a()", "", "", *base[7:]]
    theirs = ["import sys", *ours[1:]]
    assert merge(base, ours, theirs).lines == theirs == merge(base, theirs, ours).lines


@given(base=LINES, ours=LINES, theirs=LINES)
def test_laws(base: list[str], ours: list[str], theirs: list[str]) -> None:
    assert merge(base, ours, base).lines == ours
    assert merge(base, base, theirs).lines == theirs
    assert merge(base, ours, ours).lines == ours
    one, other = merge(base, ours, theirs), merge(base, theirs, ours)
    assert bool(one.conflicts) == bool(other.conflicts)
    if not one.conflicts:
        assert one.lines == other.lines
    for conflict in one.conflicts:
        assert ours[slice(*conflict.ours)] != theirs[slice(*conflict.theirs)]
