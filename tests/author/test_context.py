"""As few lines of context as leave one place, and no fewer."""

from __future__ import annotations

import random

import pytest

import anypatch
from anypatch import FormatName, make
from anypatch.api import format_given
from anypatch.author.context import ChangingText, LineSearch, least_context
from support.authored import applied


def test_the_least_context_is_the_least_context() -> None:
    chance = random.Random(5)
    for _ in range(300):
        lines = [chance.choice("abc") for _ in range(chance.randrange(1, 25))]
        rows = LineSearch(lines)
        start = chance.randrange(len(lines) + 1)
        end = min(start + chance.randrange(3), len(lines))
        top, bottom = least_context(rows.is_unique, (start, end), (0, len(lines)))
        assert top <= start and end <= bottom
        whole = (top, bottom) == (0, len(lines))
        assert whole or places(lines, lines[top:bottom]) == 1
        needed = int(start == end)  # what only adds lines has one on both sides
        assert start - top >= min(needed, start) and bottom - end >= min(needed, len(lines) - end)
        if top < start - needed:
            assert places(lines, lines[top + 1 : bottom]) != 1
        if bottom > end + needed:
            assert places(lines, lines[top : bottom - 1]) != 1


def places(lines: list[str], run: list[str]) -> int:
    return sum(lines[at : at + len(run)] == run for at in range(len(lines) - len(run) + 1)) if run else 0


def test_blank_lines_alone_are_no_place() -> None:
    lines = [str(n) for n in range(40)] + [""]
    rows = LineSearch(lines)
    assert not rows.is_unique(40, 41)
    assert all(rows.is_unique(at, at + 1) for at in range(40))


@pytest.mark.parametrize("name", ["begin-patch", "search-replace", "json-edits", "symbol-chunks"])
def test_each_hunk_has_one_place_and_none_without_its_context(name: FormatName) -> None:
    """By the engine's own rules: leave out the outermost line of context, and the patch is refused."""
    block = "def f{0}():\n    setup()\n    run()\n    done()\n\n"
    old = "".join(block.format(n) for n in range(6))
    new = old.replace("def f3():\n    setup()\n    run()", "def f3():\n    setup()\n    walk()")
    text = make({"a.txt": old}, {"a.txt": new}, name)
    assert applied(text, {"a.txt": old}, name) == {"a.txt": new}
    assert "def f3" in text and "f2" not in text and "f4" not in text
    cut = {
        "begin-patch": (" def f3():\n", ""),
        "search-replace": ("def f3():\n", ""),
        "json-edits": ("def f3():\\n", ""),
        "symbol-chunks": ('["def f3():", "    setup()"]', '"    setup()"'),
    }[name]
    less = text.replace(*cut)
    assert less != text
    report = anypatch.apply_to(less, {"a.txt": old}, format=format_given(name))
    assert {problem.kind for problem in report.problems} == {"ambiguous"}, less


def test_a_run_must_occur_once_before_and_after_the_changes_above() -> None:
    text = ChangingText("a\nb\nc\n", [0, 2, 4, 6])
    assert text.occurs_once(2, 3)
    text.change(0, 1, "c\n")
    assert text.now == "c\nb\nc\n" and not text.occurs_once(2, 3)
