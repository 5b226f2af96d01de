"""Locating: the fast ways give what the plain ways give, views stay true through splices, pathological input ends."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import anypatch
from anypatch.locate.indent import Habits, align, mapped
from anypatch.locate.index import Index
from anypatch.locate.lexed import Lexed
from anypatch.locate.page import INDEX_PAYS, PATIENCE, Page
from anypatch.locate.paths import check_new, is_denied, normalise
from anypatch.locate.place import place_edit
from anypatch.locate.quick import line_for_line
from anypatch.locate.rungs import RUNGS
from anypatch.locate.search import find, needle, rows
from anypatch.locate.swap import place_swap
from anypatch.model import Edit, Hunk, Rules, Swap, Where
from anypatch.syntax.languages import language_of
from anypatch.text import Sheet

LINES = st.sampled_from(
    ["a", "a", "b", "  a", "b ", "\ta", "", "   ", "a b", "a  b", "x = 1", "x = 1  # c", "# c", "// c", "a // c", "/* c", "c */ a",
     "/* c */", "a /* c */ b", '"""', '"""doc"""', "s = '''", "'''", "“q”", '"q"', "}", "`", "${a}"]
)  # fmt: skip
TEXTS = st.lists(LINES, min_size=0, max_size=25)
SPLICES = st.lists(st.tuples(st.integers(0, 30), st.integers(0, 4), st.lists(LINES, max_size=4)), max_size=6)
PATHS = st.sampled_from(["a.txt", "a.py", "a.cpp", "a.js", "a.xml"])


def sheet_of(lines: list[str]) -> Sheet:
    return Sheet("".join(line + "\n" for line in lines).encode())


def run_splices(sheet: Sheet, splices: list[tuple[int, int, list[str]]]) -> None:
    for at, size, new in splices:
        start = min(at, len(sheet.lines))
        end = min(start + size, len(sheet.lines))
        sheet.splice(start, end, list(new), ["\n"] * len(new))


@settings(max_examples=150, deadline=None)
@given(lines=TEXTS, wanted=st.lists(LINES, min_size=1, max_size=3), path=PATHS, rung=st.sampled_from(sorted(RUNGS)))
def test_index_text_and_plain_walk_agree(lines: list[str], wanted: list[str], path: str, rung: str) -> None:
    language = language_of(path)
    if RUNGS[rung].sees != "text" and language is None:
        return
    told = needle(RUNGS[rung], language, tuple(wanted))
    few, many = Page(sheet_of(lines), path), Page(sheet_of(lines), path, INDEX_PAYS)
    found = find(few, told)
    assert found == find(many, told)
    key = few.reader(RUNGS[rung], language)
    keys = [key(row) for row in range(len(lines))]
    solid = [row for row in range(len(lines)) if keys[row] or not RUNGS[rung].skips]
    size = len(told.keys)
    plain = [
        solid[i] for i in range(len(solid) - size + 1) if size and [keys[r] for r in solid[i : i + size]] == told.keys
    ]
    assert found == plain
    for first in found:
        assert [key(row) for row in rows(few, told, first)] == told.keys


ONES = st.sampled_from(["a", "b", "ab", "a b", "b ", "x = 1", "a\\", "// c", "# c", '"q"', "<s>", "}", "ä", "a\fb"])


@settings(max_examples=300, deadline=None)
@given(
    lines=st.lists(st.tuples(st.sampled_from(["", "  ", "\t"]), ONES), min_size=1, max_size=9),
    edits=st.lists(st.tuples(ONES, ONES), min_size=1, max_size=4),
    path=PATHS,
    told=st.sampled_from(["", "auto", "c++"]),
    tail=st.sampled_from(["", "\n", " \n"]),
    bom=st.sampled_from(["", "\ufeff"]),
)
def test_the_quick_way_makes_what_the_long_way_makes(
    lines: list[tuple[str, str]], edits: list[tuple[str, str]], path: str, told: str, tail: str, bom: str
) -> None:
    data = (bom + "\n".join(pad + line for pad, line in lines) + tail).encode()
    quick, long = Page(Sheet(data), path), Page(Sheet(data), path)
    for old, new in edits:
        hunk = Hunk((("-", old), ("+", new)), Where(), Rules(("blank lines", "comments"), "marker", "majority", told))
        made = line_for_line(quick, hunk)
        if made is None:
            continue
        placed = place_edit(long, Edit(path, (hunk,)))
        assert (placed.problems, placed.missing, placed.notes) == ([], (), [])
        assert [(fit.splice, fit.tear) for fit in placed.fits] == [(made, None)]
        for fit in placed.fits:
            long.sheet.splice(fit.splice.start, fit.splice.end, fit.splice.lines, fit.ends)
        assert quick.data() == long.data()
    assert (quick.lines, quick.sheet.ends, quick.sheet.final) == (long.lines, long.sheet.ends, long.sheet.final)


@settings(max_examples=150, deadline=None)
@given(lines=TEXTS, splices=SPLICES, path=PATHS)
def test_views_stay_true_through_splices(
    lines: list[str], splices: list[tuple[int, int, list[str]]], path: str
) -> None:
    sheet = sheet_of(lines)
    page = Page(sheet, path, INDEX_PAYS)
    language = language_of(path)
    if language is not None:
        page.lexed(language)
        page.index(RUNGS["comments"], language)
    page.index(RUNGS["blank lines"], None)
    page.has_line("a")
    _ = page.text
    run_splices(sheet, splices)
    fresh = Page(sheet_of(sheet.lines), path, INDEX_PAYS)
    assert page.text == fresh.text
    there = {line.rstrip(" \t\r") for line in sheet.lines}
    for line in {*lines, *sheet.lines, "a", "nowhere"}:
        assert page.has_line(line.rstrip(" \t\r")) == (line.rstrip(" \t\r") in there)
    if language is not None:
        kept, made = page.lexed(language), Lexed(sheet_of(sheet.lines), language)
        assert kept.inside == made.inside
        assert kept.codes(0, len(sheet.lines)) == made.codes(0, len(sheet.lines))
    for wanted in {*sheet.lines[:6], "a", "x = 1"}:
        for rung in ("blank lines", "comments") if language else ("blank lines",):
            told = needle(RUNGS[rung], language, (wanted,))
            assert find(page, told) == find(fresh, told)


@settings(max_examples=150, deadline=None)
@given(
    lines=st.lists(st.sampled_from("abcdef "), min_size=20, max_size=80),
    splices=st.lists(
        st.tuples(st.integers(0, 60), st.integers(0, 9), st.lists(st.sampled_from("abgh "), max_size=9)), max_size=9
    ),
    runs=st.lists(st.lists(st.sampled_from("abcdefgh"), min_size=1, max_size=3), min_size=1, max_size=9),
    block=st.integers(1, 4),
    least=st.sampled_from([0, 30, 200]),
)
def test_an_index_in_blocks_finds_what_a_plain_walk_finds(
    lines: list[str], splices: list[tuple[int, int, list[str]]], runs: list[list[str]], block: int, least: int
) -> None:
    keys = [line.strip() for line in lines]
    for skips in (True, False):
        index = Index(RUNGS["blank lines"], None, keys, block, least)
        there = list(keys)
        for at, size, new in splices:
            start = min(at, len(there))
            end = min(start + size, len(there))
            there[start:end] = [line.strip() for line in new]
            index.update(start, end, [line.strip() for line in new])
            for run in runs:
                solid = [row for row, key in enumerate(there) if key or not skips]
                starts = range(len(solid) - len(run) + 1)
                plain = [solid[i] for i in starts if [there[row] for row in solid[i : i + len(run)]] == run]
                chars = index.needle(run)
                assert (index.find(chars, skips) if chars else []) == plain


_FEW_LINES = st.lists(st.sampled_from(["", "a", "b", "ab", "a word", "word and more"]), min_size=1, max_size=9)


@settings(max_examples=300)
@given(
    lines=_FEW_LINES,
    cut=st.tuples(st.integers(0, 40), st.integers(1, 30)),
    new=st.integers(0, 6),
    ends=st.integers(0, 3),
)
def test_a_swap_by_lines_is_the_swap_by_text(lines: list[str], cut: tuple[int, int], new: int, ends: int) -> None:
    """With many edits to come the lines are looked up, with few the text is searched: to the same end."""
    eol = "\r\n" if ends & 1 else "\n"
    flat = "\n".join(lines) + ("\n" if ends & 2 else "")
    old = flat[cut[0] : cut[0] + cut[1]] or "\na\nb"
    said = [old + "\nmore words than that", "x", "", "x\n", old + "b", "a\n" + old, "words before it\n" + old][new]
    swap = Swap(old, said, Rules(("exact",)))
    few, many = (
        place_swap(Page(Sheet(flat.replace("\n", eol).encode()), "f", searches), swap) for searches in (1, INDEX_PAYS)
    )
    assert few == many


@pytest.mark.parametrize(
    ("said", "there", "new", "wanted"),
    [
        (["a", "    b"], ["\ta", "\t\tb"], ["c", "    d", "        e"], ["\tc", "\t\td", "\t\t\te"]),
        (["a", "  b"], ["    a", "        b"], ["  c", "    d"], ["        c", "            d"]),
        (["a", "b"], ["  a", "      b"], ["c", "  d"], ["  c", "    d"]),  # not a function: aligned to the first line
        (["    a"], ["  a"], ["    b", "      c"], ["  b", "    c"]),
        (["a"], ["\ta"], ["b", "", "\tc"], ["\tb", "", "\t\tc"]),
        (["a"], ["\ta"], ["b", "", "  c", "    d"], ["\tb", "", "\t\tc", "\t\t\td"]),  # a file of tabs alone
        (["a"], ["\ta"], ["b", "   c", "    d"], ["\tb", "\t   c", "\t    d"]),  # no levels: as it is
        (["a", "b", "c"], ["a", "    b", "        c"], ["a", "\td"], ["a", "    d"]),  # a file of spaces alone
        (["a", "b"], ["  a", "  b"], ["a", "\td"], None),  # nothing shows how wide a tab is
        (["a"], ["a"], ["a", "\td"], ["a", "\td"]),
    ],
)
def test_alignment_to_a_marker(said: list[str], there: list[str], new: list[str], wanted: list[str] | None) -> None:
    made = align(new, said, there, Habits(there))
    assert (made and made.lines) == wanted


@pytest.mark.parametrize(
    ("said", "there", "new", "wanted"),
    [
        (
            ["first()"],
            ["        first()"],
            ["third()", "if x:", "    y()"],
            ["        third()", "        if x:", "            y()"],
        ),
        (["    a", "        b"], ["\ta", "\t\tb"], ["            c"], ["\t\t\tc"]),
        (["        a"], ["    a"], ["        b", "    c"], ["    b", "c"]),
        ([" bar"], ["bar"], [" baz"], ["baz"]),
        (["    a"], ["\ta"], ["        b"], ["\t\tb"]),
    ],
)
def test_indentation_learnt_from_matched_lines(
    said: list[str], there: list[str], new: list[str], wanted: list[str]
) -> None:
    assert mapped(new, said, there, Habits(there)) == wanted


@pytest.mark.parametrize(
    "path",
    ["../x", "/x", "a/../../x", "", " ", "a\0b", ".git/x", "a/.GIT/x", "C:/x", "~/x", "x/" * 70 + "y", "n" * 300],
)
def test_paths_that_are_refused(path: str) -> None:
    with pytest.raises(anypatch.Refused) as refused:
        normalise(path)
    assert refused.value.problems[0].kind == "unsafe_path"


def test_paths_that_are_made_plain() -> None:
    assert [normalise(p) for p in ("./a//b", "a/./b/../c", "a/b/")] == ["a/b", "a/c", "a/b"]
    assert [name for name in (".git", ".Git", "git~1", ".g\u200cit", ".hg ", ".anypatch") if not is_denied(name)] == []
    assert [name for name in (".gitignore", "git", "x.git", "anypatch") if is_denied(name)] == []
    for name in ("a\x1bb", "a\u202eb", "a\\b"):
        with pytest.raises(anypatch.Refused):
            check_new(name)


@pytest.mark.parametrize(
    ("name", "hunks", "text", "kinds"),
    [
        (
            "as many equal hunks as places",
            "".join(f"@@\n-hole\n+peg {i}\n" for i in range(200)),
            "".join(f"hole\nx{i}\n" for i in range(200)),
            [],
        ),
        (
            "one place too many",
            "@@\n-hole\n+a\n@@\n-hole\n+b\n",
            "hole\nx\nhole\ny\nhole\n",
            ["ambiguous", "ambiguous"],
        ),
        ("two of many equal lines", "@@\n-x\n@@\n-x\n", "x\n" * 3000, []),
        ("long near miss in equal lines", "@@\n" + " x\n" * 1999 + "-absent\n+y\n", "x\n" * 100_000, ["not_found"]),
        ("long run in equal lines", "@@\n" + " x\n" * 1999 + "-x\n+y\n", "x\n" * 100_000, ["ambiguous"]),
    ],
)
def test_pathological_placements_end(name: str, hunks: str, text: str, kinds: list[str]) -> None:
    """Each of these took other tools from many seconds to for ever; here they simply end, and rightly."""
    patch = f"*** Begin Patch\n*** Update File: a\n{hunks}*** End Patch\n"
    report = anypatch.apply_to(patch, {"a": text}, format="begin-patch").report
    assert [problem.kind for problem in report.problems] == kinds


def test_of_thousands_of_hunks_without_a_place_each_is_reported_and_the_last_say_how_they_were_looked_for() -> None:
    hunks = "".join(f"@@\n-nowhere {n}\n+x\n" for n in range(PATIENCE + 100)) + "@@\n- a line\n+b line\n"
    files = anypatch.apply_to(f"*** Begin Patch\n*** Update File: a\n{hunks}*** End Patch\n", {"a": "a line\n"})
    assert not files.report.ok and files == {"a": "a line\n"}
    details = [problem.detail for problem in files.report.problems]
    assert len(details) == PATIENCE + 101 and {problem.kind for problem in files.report.problems} == {"not_found"}
    assert ["to the letter only" in detail for detail in details] == [False] * PATIENCE + [True] * 101
