"""How copying spoils a text: each reading with a case that takes it, and one that must not."""

from __future__ import annotations

from collections.abc import Callable

import pytest

import anypatch
from anypatch.match.ladder import READINGS
from anypatch.match.readings import readings
from anypatch.model import TOLERANT, Hunk
from anypatch.text import Text
from support.edits import block, call, changed, diff, refusal, update

CART = "class Cart:\n    def total(self):\n        for item in self.items:\n            self.check(item)\n        return 0\n"
LOOP = "        for item in self.items:\n            self.check(item)\n"


# ── signs ────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("write", [update, diff])
def test_context_lines_without_their_sign(write: Callable[..., str]) -> None:
    patch = write(f"@@ @@\n+        seen = set()\n{LOOP}+            seen.add(item)\n")
    after = CART.replace(LOOP, f"        seen = set()\n{LOOP}            seen.add(item)\n")
    assert changed(patch, CART) == after


def test_context_lines_of_which_some_have_their_sign_are_as_they_are() -> None:
    """One line is too deep by a space: that is neither a lost sign nor one shift of all lines."""
    patch = update("@@\n         for item in self.items:\n            self.check(item)\n+            x()\n")
    assert refusal(patch, CART).kind == "not_found"


# ── space after the signs ────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("write", [update, diff])
def test_a_blank_after_each_sign(write: Callable[..., str]) -> None:
    assert changed(write("@@ @@\n- x = 1\n+ x = 2\n"), "x = 1\ny = 1\n") == "x = 2\ny = 1\n"


def test_a_blank_after_each_sign_that_the_file_has() -> None:
    assert changed(diff("@@ @@\n- x = 1\n+ x = 2\n"), " x = 1\n") == " x = 2\n"


# ── blank lines at the edges ─────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("patch", [update("@@\n \n-b = 2\n+b = 3\n \n"), block("\nb = 2\n\n", "\nb = 3\n\n")])
def test_blank_lines_at_the_edges_that_the_file_lacks(patch: str) -> None:
    assert changed(patch, "a = 1\nb = 2\nc = 3\n") == "a = 1\nb = 3\nc = 3\n"


def test_blank_lines_at_the_edges_that_the_file_has_choose() -> None:
    patch = update("@@\n \n-b = 2\n+b = 3\n")
    assert changed(patch, "a\nb = 2\n\nb = 2\n") == "a\nb = 2\n\nb = 3\n"


# ── line numbers ─────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("gutter", ["{}: ", "{} | ", "{}|", "{}→", "     {}\t", "{}. "])
def test_copied_line_numbers(gutter: str) -> None:
    old = "".join(
        gutter.format(n) + line + "\n" for n, line in ((3, LOOP.split("\n", maxsplit=1)[0]), (4, LOOP.split("\n")[1]))
    )
    assert changed(block(old, LOOP.replace("check", "test")), CART) == CART.replace("check", "test")
    assert changed(block(old, old.replace("check", "test")), CART) == CART.replace("check", "test")


def test_copied_line_numbers_tell_twins_apart() -> None:
    twins = "go()\nx = 1\ngo()\n"
    assert changed(block("3 | go()\n", "3 | stop()\n"), twins) == "go()\nx = 1\nstop()\n"
    assert refusal(block("go()\n", "stop()\n"), twins).kind == "ambiguous"


@pytest.mark.parametrize(
    ("old", "new", "before"),
    [
        ("8080: http\n", "8081: http\n", "ports:\n- ftp\n\nhttp\n"),  # text that looks like a number
        ("9 | go()\n3 | stop()\n", "9 | go()\n3 | x()\n", "go()\nstop()\n"),  # they don't count up
        ("3 | go()\n4: stop()\n", "3 | go()\n4: x()\n", "go()\nstop()\n"),  # of two kinds
        ("3 | go()\nstop()\n", "3 | go()\nx()\n", "go()\nstop()\n"),  # on one line only
    ],
)
def test_what_are_no_line_numbers(old: str, new: str, before: str) -> None:
    assert refusal(block(old, new), before).kind == "not_found"


def test_numbers_that_are_in_the_file_are_text() -> None:
    table = "1: one\n2: two\n"
    assert changed(block("2: two\n", "2: zwei\n"), table) == "1: one\n2: zwei\n"


# ── escapes ──────────────────────────────────────────────────────────────────────────────────────


SAY = 'say("hi")\n\tgo()\n'


@pytest.mark.parametrize(
    ("old", "new", "after"),
    [
        ('say(\\"hi\\")\n', 'say(\\"bye\\")\n', 'say("bye")\n\tgo()\n'),
        ('say(\\"hi\\")\n\\tgo()\n', 'say(\\"hi\\")\n\\tstop()\n', 'say("hi")\n\tstop()\n'),
        ('say(\\"hi\\")\n', 'say(\\"a\\\\n\\")\n', 'say("a\\n")\n\tgo()\n'),
        ('say(\\"hi\\")\n', 'say(\\"\\\\\\"hi\\\\\\"\\")\n', 'say("\\"hi\\"")\n\tgo()\n'),
    ],
    ids=["quotes", "tabs", "line end in a string", "quote in a string"],
)
def test_one_escape_too_many(old: str, new: str, after: str) -> None:
    assert changed(block(old, new), SAY) == after


def test_one_escape_too_many_in_a_call() -> None:
    assert changed(call('say(\\"hi\\")\\n\\tgo()', 'say(\\"hi\\")\\n\\tstop()'), SAY) == 'say("hi")\n\tstop()\n'
    assert changed(call('\\"hi\\"', '\\"bye\\"'), SAY) == 'say("bye")\n\tgo()\n'  # a part of a line


@pytest.mark.parametrize("text", ['say("\\"hi\\"")\n', "re.match('\\d+\\t')\n"])
def test_escapes_that_are_in_the_file_are_text(text: str) -> None:
    assert changed(block(text, f"{text}{text}"), text) == text + text


def test_escapes_in_the_new_text_alone_are_written() -> None:
    assert changed(block("\tgo()\n", '\tgo(\\"x\\")\n'), SAY) == 'say("hi")\n\tgo(\\"x\\")\n'


# ── gaps, HTML ───────────────────────────────────────────────────────────────────────────────────


def test_dots_on_both_sides_are_a_gap() -> None:
    old, new = "    def total(self):\n...\n        return 0\n", "    def total(self):\n...\n        return 1\n"
    assert changed(block(old, new), CART) == CART.replace("return 0", "return 1")
    assert refusal(block(old, new.replace("...\n", "")), CART).kind == "not_found"


def test_dots_that_are_in_the_file_are_text() -> None:
    stub = "class P:\n    def f(self):\n        ...\n    x = 1\n"
    patch = block("    def f(self):\n        ...\n    x = 1\n", "    def g(self):\n        ...\n    x = 1\n")
    assert changed(patch, stub) == stub.replace("def f", "def g")


def test_an_answer_that_was_escaped_as_a_whole_is_undone_once() -> None:
    before = "if a < b:\n    pass\n"
    answer = block("if a < b:\n", "if a <= b:\n").replace("<", "&lt;").replace(">", "&gt;")
    assert changed(answer, before) == "if a <= b:\n    pass\n"


@pytest.mark.parametrize(
    "patch",
    [
        diff("@@ -1 +1 @@\n-Use bold.\n+Use &lt;b&gt; for bold.\n", path="a.md"),
        "*** Begin Patch\n*** Update File: a.md\n@@\n-Use bold.\n+Use &lt;b&gt; for bold.\n*** End Patch\n",
    ],
)
def test_escapes_in_a_patch_that_fits_as_it_is_are_text(patch: str) -> None:
    assert changed(patch, "Use bold.\n", "a.md") == "Use &lt;b&gt; for bold.\n"


# ── all of them ──────────────────────────────────────────────────────────────────────────────────


def test_a_reading_is_told() -> None:
    result = anypatch.apply_to(block("1 | a = 1\n", "a = 2\n"), {"a.py": "a = 1\n"})
    assert [note.text for note in result.notes] == ["the old text isn't in the file exactly as written (line numbers)"]


def test_a_reading_that_changes_nothing_is_none() -> None:
    text = Text.of("http\n")
    assert [name for _, name in readings(text, Hunk("1: http\n", "2: http\n", TOLERANT))] == []
    assert [name for _, name in readings(text, Hunk("plain\n", "text\n", TOLERANT))] == []


def test_the_policies_name_rows_of_the_table() -> None:
    assert {*TOLERANT.readings} <= {rule.name for rule in READINGS}
