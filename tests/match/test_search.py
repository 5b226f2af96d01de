"""All places of some lines, on every level: what a plain walk finds, in time that grows with text and hunk."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import anypatch
from anypatch.match.ladder import LEVELS
from anypatch.match.search import (
    Place,
    are_beside,
    find_exact,
    find_loosely,
    keys_in_patch,
    keys_of,
    without_overlap,
)
from anypatch.problems import EXPLAINED, KINDS
from anypatch.syntax.languages import language_of
from anypatch.text import Text
from support.edits import update

LINES = st.sampled_from(
    ["a", "a", "b", "  a", "b ", "\ta", "", "   ", "a b", "a  b", "x = 1", "x = 1  # c", "# c", "// c", "a // c", "/* c", "c */ a",
     "/* c */", "a /* c */ b", '"""', '"""doc"""', "s = '''", "'''", "“q”", '"q"', "}", "`", "${a}", "\f", "\fa\tb", "\fa b", "a\tb", "a b # c",
     "a  b#c", "“q”\ta", '"q" a']
)  # fmt: skip
TEXTS = st.lists(LINES, min_size=0, max_size=25)
WANTED = st.lists(LINES, min_size=1, max_size=3)
PATHS = st.sampled_from(["a.txt", "a.py", "a.cpp", "a.js", "a.xml"])
WALKED = sorted(name for name, level in LEVELS.items() if not level.skips_omitted_comments)


def text_of(lines: list[str]) -> Text:
    return Text.of("".join(line + "\n" for line in lines))


@settings(max_examples=300, deadline=None)
@given(lines=TEXTS, wanted=WANTED)
def test_exact_places_are_what_a_plain_walk_finds(lines: list[str], wanted: list[str]) -> None:
    text = text_of(lines)
    places = find_exact(text, "".join(line + "\n" for line in wanted))
    size = len(wanted)
    assert [text.row_at(place.start) for place in places] == [
        row for row in range(len(lines) - size + 1) if lines[row : row + size] == wanted
    ]
    assert all(place.row_span(text) == (text.row_at(place.start), text.row_at(place.start) + size) for place in places)


@settings(max_examples=400, deadline=None)
@given(lines=TEXTS, wanted=WANTED, path=PATHS, name=st.sampled_from(WALKED))
def test_looser_places_are_what_a_plain_walk_finds(lines: list[str], wanted: list[str], path: str, name: str) -> None:
    level, language, text = LEVELS[name], language_of(path), text_of(lines)
    places = find_loosely(text, wanted, level, language)
    if level.view != "text" and (language is None or (level.view == "statements" and language.family != "python")):
        assert places == []
        return
    keys = keys_of(text, level, language)
    solid = [row for row in range(len(lines)) if keys[row] or not level.skips_blank]
    old = [key for key in keys_in_patch(wanted, level, language) if key or not level.skips_blank]
    plain = [
        solid[at : at + len(old)]
        for at in range(len(solid) - len(old) + 1)
        if [keys[row] for row in solid[at : at + len(old)]] == old
    ]
    if not any(old):  # nothing but blank lines is only found exactly
        plain = []
    found = [[row for row in place.rows if row is not None] for place in places]
    assert len(found) == len(plain)
    assert all(set(walked) <= set(rows) for walked, rows in zip(plain, found, strict=True))


@pytest.mark.parametrize(
    ("body", "old", "offsets"),
    [
        ("one two one\n", "one", [1, 9]),
        ("aaa\n", "aa", [1, 2]),  # they may overlap
        ("a\nb\n", "a\nb\n", [1]),
        ("a\n", "\n", [2]),  # not the line ending before the first line
        ("a\n", "b", []),
    ],
)
def test_characters_are_found_inside_lines(body: str, old: str, offsets: list[int]) -> None:
    assert [place.start for place in find_exact(Text.of(body), old, inline=True)] == offsets


def test_whole_lines_are_not_found_inside_lines() -> None:
    assert find_exact(Text.of("ab\nb c\nb\n"), "b\n") == [Place(8, 10, "exact")]


@pytest.mark.parametrize("eol", ["\n", "\r\n"])
def test_line_ends_are_no_part_of_a_line(eol: str) -> None:
    assert len(find_exact(Text.of(f"a{eol}b{eol}c"), "b\nc\n")) == 1


def test_a_comment_that_is_left_out_is_skipped_and_one_that_is_stated_is_not() -> None:
    text = text_of(["a", "# why", "", "b", "c"])
    level = LEVELS["comments"]
    assert [place.rows for place in find_loosely(text, ["a", "b"], level, None, "#")] == [[0, 3]]
    assert [place.rows for place in find_loosely(text, ["a", "# why", "b"], level, None, "#")] == [[0, 1, 3]]
    assert find_loosely(text, ["a", "# other", "b"], level, None, "#") == []
    assert find_loosely(text, ["a", "b"], level, None, "") == []


def test_neighbours_past_blank_lines_and_comments() -> None:
    text, language = text_of(["a", "", "# c", "b", "x"]), language_of("a.py")
    level = LEVELS["marker without comments"]
    assert are_beside(text, ["a"], 3, -1, level, language)
    assert are_beside(text, ["x"], 3, 1, level, language)
    assert not are_beside(text, ["a"], 4, -1, level, language)
    assert are_beside(text, [], 3, 1, level, language)


def test_of_places_that_overlap_the_first_ones_count() -> None:
    one, two, three = (Place(start, start + 2, "exact") for start in (1, 2, 3))
    assert without_overlap([one, two, three]) == [one, three]


@pytest.mark.parametrize(
    ("hunks", "text", "kinds"),
    [
        ("".join(f"@@\n-hole\n+peg {i}\n" for i in range(200)), "".join(f"hole\nx{i}\n" for i in range(200)), []),
        ("@@\n-hole\n+a\n@@\n-hole\n+b\n", "hole\nx\nhole\ny\nhole\n", ["ambiguous", "ambiguous"]),
        ("@@\n-x\n@@\n-x\n", "x\n" * 3000, []),
        ("@@\n" + " x\n" * 1999 + "-absent\n+y\n", "x\n" * 100_000, ["not_found"]),
        ("@@\n" + " x\n" * 1999 + "-x\n+y\n", "x\n" * 100_000, ["ambiguous"]),
    ],
    ids=[
        "as many equal hunks as places", "one place too many", "two of many equal lines", "near miss in equal lines",
        "long run in equal lines",
    ],
)  # fmt: skip
def test_pathological_placements_end(hunks: str, text: str, kinds: list[str]) -> None:
    """Each of these took other tools from many seconds to for ever; here they simply end, and rightly."""
    report = anypatch.apply_to(update(hunks, path="a"), {"a": text}, format="begin-patch")
    assert [problem.kind for problem in report.problems] == kinds


def test_time_grows_with_the_text() -> None:
    """Ten times as many lines and hunks take about ten times as long, not a hundred times."""

    def seconds(size: int) -> float:
        before = "".join(f"    value_{n} = {n}\n" for n in range(size))
        hunks = "".join(f"@@\n-value_{n} = {n}\n+value_{n} = 0\n" for n in range(0, size, 10))  # indentation lost
        begin = time.process_time()
        assert anypatch.apply_to(update(hunks), {"a.py": before}, syntax="off").ok
        return time.process_time() - begin

    small = min(seconds(1000) for _ in range(3))
    assert min(seconds(10_000) for _ in range(2)) < 70 * small


def test_of_many_hunks_without_a_place_each_is_reported_and_the_first_are_explained() -> None:
    hunks = "".join(f"@@\n-nowhere {n}\n+x\n" for n in range(EXPLAINED + 100))
    result = anypatch.apply_to(update(hunks, path="a"), {"a": "a line\n"})
    assert not result.ok and result.files == {"a": "a line\n"}
    assert [problem.kind for problem in result.problems] == ["not_found"] * (EXPLAINED + 100)
    title = KINDS["not_found"].title
    assert [problem.detail != title for problem in result.problems] == [True] * EXPLAINED + [False] * 100
