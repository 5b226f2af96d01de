"""Foreign text as HTML: its characters, and none as markup."""

from __future__ import annotations

import html
import re

import pytest

pytest.importorskip("pygments")
pytest.importorskip("markupsafe")

from hypothesis import given
from hypothesis import strategies as st

from anypatch.reviewing.page.highlight import Span, colours, highlighted, visible

PATHS = ("a.py", "a.cpp", "a.html", "a.js", "Makefile", "a.json", "a.unknown")


def text_of(markup: str) -> str:
    return html.unescape(re.sub(r"<span[^>]*>|</span>", "", markup))


@given(st.text(alphabet=st.characters(exclude_characters="\n\r")), st.sampled_from(PATHS))
def test_nothing_is_lost_or_becomes_markup(line: str, path: str) -> None:
    rows = colours([line], path)
    half = len(line) // 2
    shown = highlighted(line, rows[0] if rows else (), [(half, len(line))] if half else ())
    assert text_of(shown) == visible(line)
    assert not re.search(r"<(?!span class=|/span>)", shown)


def test_colours_and_changed_words_overlap() -> None:
    shown = highlighted("return 12", [Span(0, 6, "k"), Span(7, 9, "m")], [(4, 8)])
    assert shown == (
        '<span class="k">retu</span><span class="k x">rn</span><span class="x"> </span>'
        '<span class="m x">1</span><span class="m">2</span>'
    )


def test_a_string_over_several_lines_keeps_its_colour() -> None:
    assert colours(['x = """a', "b", '"""'], "a.py")[1] == [Span(0, 1, "s")]


@pytest.mark.parametrize(
    ("lines", "path"), [(["x"], "a.unknown"), (["x" * 3000], "a.py"), (["x = 1"] * 60_000, "a.py"), (["x"], "")]
)
def test_unknown_languages_and_large_texts_have_no_colours(lines: list[str], path: str) -> None:
    assert colours(lines, path) == []


def test_diffs_have_colours_of_their_own() -> None:
    assert colours(["-a", "+b"], "a.py", "unified") == [[Span(0, 2, "gd")], [Span(0, 2, "gi")]]
