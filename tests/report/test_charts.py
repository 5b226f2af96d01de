"""Pages with bars: their numbers, their lengths, and nothing in them that runs or is fetched."""

from __future__ import annotations

import re
from xml.etree import ElementTree

from anypatch.report.charts import OUTCOME_COLORS, bars, page

ROWS = [("unified", {"applied": 30, "refused": 10}), ("chunk", {"applied": 20})]


def widths(chart: str) -> list[float]:
    return [float(width) for width in re.findall(r'<rect class="\w+" x="[\d.]+" width="([\d.]+)"', chart)]


def test_bars_are_as_long_as_their_numbers_or_shares() -> None:
    assert widths(bars("By format", ROWS, OUTCOME_COLORS)) == [750, 250, 500]
    assert widths(bars("By format", ROWS, OUTCOME_COLORS, shares=True)) == [750, 250, 1000]


def test_numbers_are_written_beside_the_bars() -> None:
    chart = bars("By format", ROWS, OUTCOME_COLORS, notes={"chunk": "all of them"})
    assert 'aria-label="unified: 30 applied, 10 refused"' in chart and ">20 applied</span>" in chart
    assert "all of them" in chart
    assert re.findall(r"<li>.*?</svg>(\w+)</li>", chart) == ["applied", "refused"], "the legend has only what is there"
    assert ">1,000</span>" in bars("By kind", [("syntax", {"rows": 1000})], {"rows": "bad"})


def test_nothing_is_drawn_without_rows() -> None:
    assert bars("By kind", [], {"rows": "bad"}) == ""


def test_a_page_is_well_formed_and_runs_nothing_whatever_it_shows() -> None:
    odd = "</style><script src=//x.test>\"'&\x00"
    text = page(odd, [odd, odd], [bars(odd, [(odd, {"rows": 0})], {"rows": "bad"}, about=odd, notes={odd: odd})])
    assert "<script" not in text and "default-src 'none'" in text
    assert not re.search(r"(src|href|url)\s*[=(]", re.sub(r"&lt;.*?&gt;", "", text))
    body = text[text.index("<main>") : text.index("</html>")].replace("\x00", "")
    ElementTree.fromstring(body)
