"""Locating: the search finds what a plain walk finds, indentation is mapped as shown, pathological input ends."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import anypatch
from anypatch.match.assign import EXPLAINED
from anypatch.match.indentation import Habits, align, mapped
from anypatch.match.levels import RUNGS
from anypatch.match.search import Page, _may_stand, find, needle, rows
from anypatch.paths import check_new, is_denied, normalise
from anypatch.syntax.languages import language_of
from anypatch.text import Text

LINES = st.sampled_from(
    ["a", "a", "b", "  a", "b ", "\ta", "", "   ", "a b", "a  b", "x = 1", "x = 1  # c", "# c", "// c", "a // c", "/* c", "c */ a",
     "/* c */", "a /* c */ b", '"""', '"""doc"""', "s = '''", "'''", "“q”", '"q"', "}", "`", "${a}", "\f", "\fa\tb", "\fa b", "a\tb", "a b # c",
     "a  b#c", "“q”\ta", '"q" a']
)  # fmt: skip
TEXTS = st.lists(LINES, min_size=0, max_size=25)
PATHS = st.sampled_from(["a.txt", "a.py", "a.cpp", "a.js", "a.xml"])


@settings(max_examples=400, deadline=None)
@given(lines=TEXTS, wanted=st.lists(LINES, min_size=1, max_size=3), path=PATHS, rung=st.sampled_from(sorted(RUNGS)))
def test_search_finds_what_a_plain_walk_finds(lines: list[str], wanted: list[str], path: str, rung: str) -> None:
    language = language_of(path)
    if RUNGS[rung].sees != "text" and language is None:
        return
    told = needle(RUNGS[rung], language, tuple(wanted))
    page = Page(Text.read("".join(line + "\n" for line in lines).encode()), path)
    found = find(page, told)
    keys = page.keys(RUNGS[rung], language)
    solid = [row for row in range(len(lines)) if keys[row] or not RUNGS[rung].skips]
    size = len(told.keys)
    plain = [
        solid[i] for i in range(len(solid) - size + 1) if size and [keys[r] for r in solid[i : i + size]] == told.keys
    ]
    assert found == plain
    assert _may_stand(page, told) or not plain
    for first in found:
        assert [keys[row] for row in rows(page, told, first)] == told.keys


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
    assert align(new, said, there, Habits(there)) == wanted


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
        (["        a"], ["    a"], ["        b", "    c"], None),  # `c` may stand there already
        ([" bar"], ["bar"], [" baz"], ["baz"]),
        (["    a"], ["\ta"], ["        b"], ["\t\tb"]),
    ],
)
def test_indentation_learnt_from_matched_lines(
    said: list[str], there: list[str], new: list[str], wanted: list[str] | None
) -> None:
    assert mapped(new, said, there, Habits(there)) == wanted


@pytest.mark.parametrize(
    "path",
    ["../x", "/x", "a/../../x", "", " ", "a\0b", ".git/x", "a/.GIT/x", "C:/x", "~/x", "x/" * 70 + "y", "n" * 300],
)
def test_paths_that_are_refused(path: str) -> None:
    with pytest.raises(anypatch.PatchError) as refused:
        normalise(path)
    assert refused.value.problems[0].kind == "unsafe_path"


def test_paths_that_are_made_plain() -> None:
    assert [normalise(p) for p in ("./a//b", "a/./b/../c", "a/b/")] == ["a/b", "a/c", "a/b"]
    assert [name for name in (".git", ".Git", "git~1", ".g\u200cit", ".hg ", ".anypatch") if not is_denied(name)] == []
    assert [name for name in (".gitignore", "git", "x.git", "anypatch") if is_denied(name)] == []
    for name in ("a\x1bb", "a\u202eb", "a\\b"):
        with pytest.raises(anypatch.PatchError):
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
    report = anypatch.apply_to(patch, {"a": text}, format="begin-patch")
    assert [problem.kind for problem in report.problems] == kinds


def test_of_many_hunks_without_a_place_each_is_reported_and_the_first_are_explained() -> None:
    hunks = "".join(f"@@\n-nowhere {n}\n+x\n" for n in range(EXPLAINED + 100))
    result = anypatch.apply_to(f"*** Begin Patch\n*** Update File: a\n{hunks}*** End Patch\n", {"a": "a line\n"})
    assert not result.ok and result.files == {"a": "a line\n"}
    details = [problem.detail for problem in result.problems]
    assert {problem.kind for problem in result.problems} == {"not_found"}
    assert ["only for the first hunks" in detail for detail in details] == [False] * EXPLAINED + [True] * 100
