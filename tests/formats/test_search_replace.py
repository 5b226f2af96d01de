"""Search/replace blocks: what parses to what, what is refused with which kind."""

from __future__ import annotations

import pytest

import anypatch
from anypatch.diff import tagged
from anypatch.formats import named
from anypatch.formats.search_replace.read import parse
from anypatch.model import Edit, Hunk, Write

BLOCK = "<<<<<<< SEARCH\nold\n=======\nnew\n>>>>>>> REPLACE\n"


def only_hunk(text: str) -> tuple[str, Hunk]:
    patch = parse(text)
    assert not patch.problems, patch.problems
    (op,) = patch.ops
    assert isinstance(op, Edit)
    (hunk,) = op.hunks
    assert isinstance(hunk, Hunk)
    return op.path, hunk


PATHS = {
    "alone": f"src/a.py\n{BLOCK}",
    "above a fence": f"src/a.py\n```python\n{BLOCK}```\n",
    "above a fence and a blank line": f"src/a.py\n\n```python\n{BLOCK}```\n",
    "inside the fence": f"```python\nsrc/a.py\n{BLOCK}```\n",
    "four backticks": f"````python\nsrc/a.py\n{BLOCK}````\n",
    "as the fence's title": f"```python title=src/a.py\n{BLOCK}```\n",
    "backticks": f"`src/a.py`\n{BLOCK}",
    "heading": f"### `src/a.py`\n{BLOCK}",
    "plain heading": f"# src/a.py\n{BLOCK}",
    "bold": f"**src/a.py**\n{BLOCK}",
    "bold label": f"**File:** `src/a.py`\n{BLOCK}",
    "star": f"* src/a.py\n{BLOCK}",
    "colon": f"src/a.py:\n{BLOCK}",
    "quotes": f'"src/a.py"\n{BLOCK}',
    "label": f"File: src/a.py\n{BLOCK}",
    "comment in the fence": f"```python\n# src/a.py\n{BLOCK}```\n",
    "element": f"<path>src/a.py</path>\n<diff>\n{BLOCK}</diff>\n",
    "prose": f"The bug is in `src/a.py`, so:\n\n```python\n{BLOCK}```\n",
    "plain prose": f"Change src/a.py like this:\n{BLOCK}",
    "words between": f"src/a.py\n\nThis fixes it:\n```python\n{BLOCK}```\n",
    "on the marker": BLOCK.replace("SEARCH", "SEARCH src/a.py"),
    "crlf and a BOM": "\ufeff" + f"src/a.py\n{BLOCK}".replace("\n", "\r\n"),
}


@pytest.mark.parametrize("text", PATHS.values(), ids=PATHS)
def test_path(text: str) -> None:
    path, hunk = only_hunk(text)
    assert path == "src/a.py"
    assert hunk.lines == (("-", "old"), ("+", "new"))
    assert named("search-replace").sniff(text) >= 90


MARKERS = {
    "five": ("<<<<< SEARCH", "=====", ">>>>> REPLACE"),
    "nine": ("<<<<<<<<< SEARCH", "=========", ">>>>>>>>> REPLACE"),
    "other lengths": ("<<<<<<< SEARCH", "======", ">>>>>>>> REPLACE"),
    "bracket": ("<<<<<<< SEARCH>", "=======", ">>>>>>> REPLACE"),
    "updated": ("<<<<<<< ORIGINAL", "=======", ">>>>>>> UPDATED"),
    "no word at the end": ("<<<<<<< SEARCH", "=======", ">>>>>>>"),
    "cline": ("------- SEARCH", "=======", "+++++++ REPLACE"),
    "cline short": ("--- SEARCH", "===", "+++ REPLACE"),
    "no words": ("<<<<", "====", ">>>>"),
    "blanks": ("<<<<<<< SEARCH  ", "======= ", ">>>>>>> REPLACE "),
}


@pytest.mark.parametrize("marks", MARKERS.values(), ids=MARKERS)
def test_markers(marks: tuple[str, str, str]) -> None:
    opener, divider, closer = marks
    text = f"a.py\n{opener}\nold\n{divider}\nnew\n{closer}\n"
    path, hunk = only_hunk(text)
    assert (path, hunk.old, hunk.new) == ("a.py", "old\n", "new\n")
    assert named("search-replace").sniff(text) >= 50


HINTS = {
    "roo": ("a.py\n<<<<<<< SEARCH\n:start_line:12\n-------\nold\n=======\nnew\n>>>>>>> REPLACE\n", (12, 12)),
    "roo with end": (
        "a.py\n<<<<<<< SEARCH\n:start_line:12\n:end_line:14\n-------\nold\n=======\nnew\n>>>>>>> REPLACE\n",
        (12, 14),
    ),
}


@pytest.mark.parametrize(("text", "lines"), HINTS.values(), ids=HINTS)
def test_line_hints(text: str, lines: tuple[int, int]) -> None:
    _, hunk = only_hunk(text)
    assert (hunk.old, hunk.new) == ("old\n", "new\n")
    assert (hunk.claims.line, hunk.claims.last) == lines


def test_empty_search() -> None:
    (op,) = parse("a.py\n<<<<<<< SEARCH\n=======\nx\n\ny\n>>>>>>> REPLACE\n").ops
    assert op == Write("a.py", "x\n\ny\n", False, 2, "create", may_append=True)
    (op,) = parse("a.py\n<<<<<<< SEARCH\n\n=======\n>>>>>>> REPLACE\n").ops
    assert isinstance(op, Write) and op.text == ""
    _, hunk = only_hunk("a.py\n<<<<<<< SEARCH\n:start_line:3\n-------\n=======\nx\n>>>>>>> REPLACE\n")
    assert hunk.lines == (("+", "x"),)
    assert (hunk.claims.line, hunk.claims.last) == (3, 2)


def test_repeated_blocks_inherit_the_path() -> None:
    patch = parse(f"a.py\n{BLOCK}\n{BLOCK}\nThen more:\n```\n{BLOCK}```\nb.py\n{BLOCK}{BLOCK}")
    assert [op.path for op in patch.ops] == ["a.py", "a.py", "a.py", "b.py", "b.py"]
    assert [op.patch_line for op in patch.ops] == [2, 8, 16, 23, 28]


def test_the_nearest_line_may_mention_the_path() -> None:
    patch = parse(f"a.py\n{BLOCK}\nNow `b.py` as well:\n{BLOCK}")
    assert [op.path for op in patch.ops] == ["a.py", "b.py"]


def test_a_merge_conflict_is_skipped_with_a_note() -> None:
    conflict = "<<<<<<< HEAD\na\n=======\nb\n>>>>>>> feature\n"
    patch = parse(f"{conflict}\na.py\n{BLOCK}")
    assert [op.path for op in patch.ops] == ["a.py"]
    assert [note.patch_line for note in patch.notes] == [1]


def test_what_both_sides_have_is_kept() -> None:
    assert tagged(["a", "b", "c"], ["a", "x", "c"]) == ((" ", "a"), ("-", "b"), ("+", "x"), (" ", "c"))
    assert tagged(["a"], ["a", "b"]) == ((" ", "a"), ("+", "b"))


DIVIDERS = {
    "underline of another length": (
        "T\n=====\nold\n=======\nT\n=====\nnew",
        ["T", "=====", "old"],
        ["T", "=====", "new"],
    ),
    "escaped": ("T\n\\=======\nold\n=======\n\\<<<<<<< x", ["T", "=======", "old"], ["<<<<<<< x"]),
    "escaped backslash": ("\\\\=======\n=======\nx", ["\\======="], ["x"]),
    "indented": ("  x\n  =======\n  y\n=======\nz", ["  x", "  =======", "  y"], ["z"]),
    "other backslashes": ("\\d+\n=======\n\\\\x", ["\\d+"], ["\\\\x"]),
}


@pytest.mark.parametrize(("body", "old", "new"), DIVIDERS.values(), ids=DIVIDERS)
def test_dividers_in_the_text(body: str, old: list[str], new: list[str]) -> None:
    _, hunk = only_hunk(f"a.md\n<<<<<<< SEARCH\n{body}\n>>>>>>> REPLACE\n")
    assert (hunk.old_lines, hunk.new_lines) == (old, new)


@pytest.mark.parametrize(
    "body",
    [
        "T\n=======\nold\n=======\nT\n=======\nnew",
        "T\n=======\nold\n=======\nnew",
        "old\n=======\nT\n=======\nnew",
        ":start_line:1\n-------\n=======\nT\n=======\nnew",
    ],
)
def test_several_dividers_like_the_markers_are_refused(body: str) -> None:
    (problem,) = parse(f"a.md\n<<<<<<< SEARCH\n{body}\n>>>>>>> REPLACE\n").problems
    assert problem.kind == "bad_patch" and "divider" in problem.detail


def test_a_new_file_may_hold_dividers() -> None:
    (op,) = parse("a.rst\n<<<<<<< SEARCH\n=======\nTitle\n=======\n\ntext\n>>>>>>> REPLACE\n").ops
    assert isinstance(op, Write) and op.text == "Title\n=======\n\ntext\n"


def test_dots_on_both_sides_pair_up() -> None:
    old, new = "def f():\n    a()\n...\n    z()", "def g():\n    a()\n...\n    y()"
    (op,) = parse(f"a.py\n<<<<<<< SEARCH\n{old}\n=======\n{new}\n>>>>>>> REPLACE\n").ops
    assert isinstance(op, Edit)
    assert [(h.old, h.new) for h in op.hunks if isinstance(h, Hunk)] == [
        ("def f():\n    a()\n", "def g():\n    a()\n"),
        ("    z()\n", "    y()\n"),
    ]
    blank = "a.py\n<<<<<<< SEARCH\n\n...\n\n=======\n\nnew()\n...\n\n>>>>>>> REPLACE\n"
    (problem,) = anypatch.apply_to(blank, {"a.py": "alpha()\n\nalpha()\n"}).problems
    assert problem.kind == "ambiguous", "blank lines beside dots are no place"
    _, hunk = only_hunk("a.pyi\n<<<<<<< SEARCH\ndef f():\n    ...\n=======\ndef g():\n    ...\n>>>>>>> REPLACE\n")
    assert hunk.new == "def g():\n    ...\n"


def test_a_block_alone_is_for_the_file_given() -> None:
    patch = parse(BLOCK, file="a.py")
    assert [op.path for op in patch.ops] == ["a.py"] and not patch.problems


def test_an_answer_that_ends_in_a_marker_is_cut_off() -> None:
    for marker in ("<<<", "<<<<<<<", "<<<<<<< SEA"):
        assert [problem.kind for problem in parse(f"a.py\n{BLOCK}\n{marker}\n").problems] == ["truncated"]


def test_an_indented_block_loses_its_own_indentation() -> None:
    text = "1. In `a.py`:\n   ```\n   <<<<<<< SEARCH\n     old\n\n   =======\n   new\n   >>>>>>> REPLACE\n   ```\n"
    path, hunk = only_hunk(text)
    assert (path, hunk.old, hunk.new) == ("a.py", "  old\n\n", "new\n")


REFUSED = {
    "no path": (BLOCK, "bad_patch", 1),
    "not closed": ("a.py\n<<<<<<< SEARCH\nold\n=======\nnew\n", "truncated", 2),
    "only opened": ("a.py\n<<<<<<< SEARCH\nold\n", "truncated", 2),
    "not closed before the next": (f"a.py\n<<<<<<< SEARCH\nold\n=======\nnew\n\n{BLOCK}", "truncated", 2),
    "no divider": ("a.py\n<<<<<<< SEARCH\nold\n>>>>>>> REPLACE\n", "bad_patch", 2),
    "closed twice": (f"a.py\n{BLOCK}x\n>>>>>>> REPLACE\n", "bad_patch", 2),
    "four dividers": ("a.py\n<<<<<<< SEARCH\na" + "\n=======\nb" * 4 + "\n>>>>>>> REPLACE\n", "bad_patch", 2),
    "conflict without a path": ("text\n<<<<<<< HEAD\na\n=======\nb\n>>>>>>> x\n", "bad_patch", 1),
    "no SEARCH": (f"a.py\n{BLOCK}\nb.py\nold\n=======\nnew\n>>>>>>> REPLACE\n", "bad_patch", 2),
    "only the end of a block": ("a.py\nold\n=======\nnew\n>>>>>>> REPLACE\n", "bad_patch", 5),
    "line number in the new text": (f"a.py\n{BLOCK.replace('new', ':start_line:1')}", "bad_patch", 2),
    "nothing": ("Hello.\n", "bad_patch", 1),
}


@pytest.mark.parametrize(("text", "kind", "line"), REFUSED.values(), ids=REFUSED)
def test_refused(text: str, kind: str, line: int) -> None:
    (problem,) = parse(text).problems
    assert (problem.kind, problem.patch_line) == (kind, line)
    assert problem.detail and problem.advice


def test_long_answers_are_read_in_time() -> None:
    lines = ["<<<<<<< HEAD", "x", "=======", "<<<<<<< SEARCH", "\\" * 50, ">>>>>>> y", "a/b.c:"] * 6_000
    parse("\n".join(lines))
    parse("a.py\n" + BLOCK * 6_000)
    parse("a.py\n<<<<<<< SEARCH\n" + "=======\n" * 40_000 + ">>>>>>> REPLACE\n")


def test_reading_ends_after_ten_thousand_blocks_that_cannot_be_read_and_says_so() -> None:
    report = anypatch.apply_to("a\n" + "<<<<<<< SEARCH\n" * 10_500, {"a": "one\n"})
    assert not report.ok and len(report.problems) == 10_001
    assert "the rest was not looked at" in report.problems[-1].detail
