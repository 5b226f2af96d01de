"""Refusals name the place where a hunk nearly fits and the difference, or every place where it fits, on request."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

import anypatch
from anypatch.match import explain
from anypatch.match.explain import EXCERPTS, LISTED, candidate, enclosing, nearest
from anypatch.problems import KINDS, Near
from anypatch.text import Text
from support.edits import block, call, chunk, diff, refusal, update

CART = "class Cart:\n    def total(self):\n        return 0\n\n    def count(self):\n        return 0\n"


# ── no place ─────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("old", "line", "note"),
    [
        ("    def total(self):\n        return 7\n", 2, "line 3 is `return 0`, not `return 7`"),
        ("    def Total(self):\n        return 0\n", 2, "(only the case differs)"),
        ("    def count(self) :\n        return 0\n", 5, "line 5 is `def count(self):`, not `def count(self) :`"),
        ("    def count( self ):\n        return  0\n", 5, "line 5 is"),
        ("    def count(self):\n        return 0\n        more()\n", 5, "the file ends before `more()`"),
        ("class Cart:\n    def total(sel):\n", 1, "line 2 is `def total(self):`, not `def total(sel):`"),
    ],
)
def test_the_nearest_region_and_its_first_difference(old: str, line: int, note: str) -> None:
    problem = refusal(block(old, "x\n"), CART)
    assert problem.kind == "not_found"
    (near,) = problem.near
    assert near.line == line
    assert note in near.note
    assert list(near.lines) == CART.split("\n")[line - 1 : line - 1 + len(near.lines)]


@pytest.mark.parametrize(
    ("said", "there", "why"),
    [
        ("say(“a”)", "say(“b”)", ""),
        ("a  = 1", "a = 1", "only the spaces inside differ"),
        ("A = 1", "a = 1", "only the case differs"),
        ("a = 1", "a = 1  # one", "a comment follows there"),
        ("a = 1", "x.a = 1", "only part of the line was given"),
    ],
)
def test_how_two_lines_differ(said: str, there: str, why: str) -> None:
    (near,) = nearest(Text.of(f"first line\n{there}\nlast line\n"), ["first line", said, "last line"])
    assert (why in near.note) if why else ("(" not in near.note.replace(said, "").replace(there, ""))


def test_what_is_like_nothing_says_so() -> None:
    problem = refusal(block("zzz\n", "x\n"), CART)
    assert (problem.detail, problem.near) == ("the text is not in the file, nor anything like it", ())
    assert nearest(Text.of(""), ["a"]) == ()


def test_a_header_that_is_missing_is_named() -> None:
    problem = refusal(update("@@ def nowhere():\n-        return 0\n+        return 1\n"), CART)
    assert "`def nowhere():`" in problem.detail


@pytest.mark.parametrize(
    ("patch", "words"),
    [
        (
            update("@@ def total(self):\n-    def total(self):\n+    x\n", "@@ class Other:\n-class Cart:\n+x\n"),
            "`class Other:`",
        ),
        (update("@@\n-class Cart:\n+x\n*** End of File\n"), "line 1, but not at the end of the file"),
        (chunk("return 0", "x").replace("    marker", "    before: x = 1\n    marker"), "lines 3, 6, but not next to"),
    ],
)
def test_a_claim_that_is_broken_is_named(patch: str, words: str) -> None:
    result = anypatch.apply_to(patch, {"a.py": CART})
    assert any(words in problem.detail for problem in result.problems), result.problems


def test_a_result_that_is_there_is_pointed_out() -> None:
    assert (
        "already at line 3"
        in refusal(block("        return 9\n", "        return 1\n"), CART.replace("0", "1", 1)).advice
    )


# ── several places ───────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("patch", [block("        return 0\n", "x\n"), diff("@@ @@\n-        return 0\n+x\n")])
def test_all_places_are_listed_with_what_they_are_in(patch: str) -> None:
    problem = refusal(patch, CART)
    assert problem.kind == "ambiguous"
    assert "lines 3, 6" in problem.detail
    assert [near.note for near in problem.near] == ["line 3, in `def total(self):`", "line 6, in `def count(self):`"]
    assert [near.lines[1] for near in problem.near] == ["        return 0", "        return 0"]


def test_the_level_is_named_if_it_is_not_exact() -> None:
    assert "(indentation aside)" in refusal(block("return 0\n", "x\n"), CART).detail


def test_of_many_places_the_first_are_shown() -> None:
    problem = refusal(block("x\n", "y\n"), "x\na\n" * 50)
    assert "50 places" in problem.detail and problem.detail.endswith(", …")
    assert len(problem.near) == LISTED
    assert [bool(near.lines) for near in problem.near] == [True] * EXCERPTS + [False] * (LISTED - EXCERPTS)


def test_a_count_that_is_wrong() -> None:
    problem = refusal(call("return", "x", expected_replacements=3), CART)
    assert problem.detail == "the old text is in 2 places (lines 3, 6), but 3 are expected"
    assert problem.advice


def test_what_a_line_is_in() -> None:
    text = Text.of("class A:\n    def f(\n        x,\n    ):\n        return 1\nlast = 1\n")
    assert [enclosing(text, row) for row in (0, 1, 2, 4, 5)] == ["", "class A:", "def f(", "def f(", ""]
    assert candidate(text, 6, shown=False).note == "line 6"


# ── cost ─────────────────────────────────────────────────────────────────────────────────────────


def test_nothing_is_explained_until_somebody_looks(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def counted(text: Text, old: Sequence[str]) -> tuple[Near, ...]:
        asked.append(old)
        return ()

    monkeypatch.setattr(explain, "nearest", counted)
    result = anypatch.apply_to(block("    def total(self):\n        return 7\n", "x\n"), {"a.py": CART})
    assert not result.ok and not asked
    assert result.problems and asked


def test_every_refusal_has_words() -> None:
    for patch in (
        block("zzz\n", "x\n"),
        block("        return 0\n", "x\n"),
        update("@@\n+x\n"),
        update("@@ def nowhere():\n+x\n"),
        diff("@@ -90,2 +90,0 @@\n-x\n-y\n"),
        call("", "x", path="nowhere/a.py", old_string="y"),
    ):
        for problem in anypatch.apply_to(patch, {"a.py": CART}).problems:
            assert problem.detail or problem.near
            assert problem.advice or KINDS[problem.kind].advice
