"""How a hunk's indentation becomes the file's: one rule that fits every matched line, or none."""

from __future__ import annotations

import pytest

from anypatch.match.indentation import align_payload, reindent, shift_between, unchanged

FITS = {
    "deeper": ([("", "    "), ("    ", "        ")], "        ", "            "),
    "shallower": ([("        ", "    "), ("            ", "        ")], "                ", "            "),
    "tabs for spaces": ([("    ", "\t"), ("        ", "\t\t")], "            ", "\t\t\t"),
    "spaces for tabs": ([("\t", "  "), ("\t\t", "    ")], "\t\t\t", "      "),
    "steps of four for two": ([("", ""), ("  ", "    ")], "    ", "        "),
    "deeper by a tab": ([("", "\t")], "    ", "\t    "),
    "only some lines differ": ([("", ""), ("    ", "\t"), ("", "")], "        ", "\t\t"),
}


@pytest.mark.parametrize(("pairs", "said", "becomes"), FITS.values(), ids=FITS)
def test_one_rule_fits_all_lines(pairs: list[tuple[str, str]], said: str, becomes: str) -> None:
    shift = shift_between(pairs)
    assert shift is not None
    assert all(shift(one) == two for one, two in pairs)
    assert shift(said) == becomes


@pytest.mark.parametrize(
    "pairs",
    [
        [("", "    "), ("    ", "    ")],  # two lines of the hunk's become one
        [("", "    "), ("", "        ")],  # one of the hunk's becomes two
        [("  ", "    "), ("    ", "      "), ("      ", "   ")],
    ],
)
def test_no_rule_fits(pairs: list[tuple[str, str]]) -> None:
    assert shift_between(pairs) is None


def test_without_any_difference_nothing_changes() -> None:
    assert shift_between([]) is unchanged
    assert shift_between([("  ", "  "), ("\t", "\t")]) is unchanged


def test_a_line_left_of_all_that_moved_is_unknown() -> None:
    shift = shift_between([("        ", "    ")])
    assert shift is not None
    assert reindent("    x", shift) == "x"
    assert reindent("  x", shift) is None


def test_a_blank_line_stays_as_it_is() -> None:
    shift = shift_between([("", "    ")])
    assert shift is not None
    assert [reindent(line, shift) for line in ("", "  ", "x")] == ["", "  ", "    x"]


@pytest.mark.parametrize(
    ("new", "old", "there", "wanted"),
    [
        (["c", "    d"], ["a"], ["        a"], ["        c", "            d"]),  # the first matched line tells
        (["c", "    d"], ["a", "    b"], ["\ta", "\t\tb"], ["\tc", "\t\td"]),  # the marker shows tabs for its spaces
        (["c", "    d"], ["a", "b"], ["  a", "      b"], ["  c", "      d"]),  # it shows no rule: as it is
        (["c", "", "  "], ["a"], ["  a"], ["  c", "", "  "]),
        (["c"], [], [], ["c"]),
        (["    c"], ["    a"], ["  a"], ["      c"]),  # its own indentation adds up
    ],
)
def test_a_payload_is_aligned_to_its_marker(
    new: list[str], old: list[str], there: list[str], wanted: list[str]
) -> None:
    assert align_payload(new, old, there) == wanted
