"""The cost of a change in each format."""

from __future__ import annotations

from anypatch.author.costs import Measure, costs, default_measure
from anypatch.formats import names
from anypatch.model import File, FileChange


def test_the_cheapest_first_and_what_cannot_express_it_last() -> None:
    change = FileChange("a.py", File(b"a = 1\nb = 2\n" * 40), None)
    rows = costs((change,), None, Measure("characters", len))
    assert {row.format for row in rows} == {*names()}
    possible = [row.size for row in rows if row.size >= 0]
    assert possible == sorted(possible) and possible
    assert all("can't delete files" in row.why for row in rows[len(possible) :])
    assert all(row.characters == row.size and not row.why for row in rows[: len(possible)])


def test_tokens_are_counted_if_the_extra_is_installed() -> None:
    measure = default_measure()
    assert measure.unit == "tokens" and 0 < measure.count("def total(items):") < 17
    assert measure.count("\udcff") > 0, "bytes that aren't UTF-8"
