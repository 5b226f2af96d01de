"""From a place to splices: kept lines keep the file's bytes, added ones are written as the file is."""

from __future__ import annotations

import pytest

from anypatch.match.ladder import LEVELS
from anypatch.match.search import find_exact, find_loosely
from anypatch.match.splices import changed_span, splices_for
from anypatch.model import TOLERANT, Hunk, signed_hunk
from anypatch.text import Text
from support.edits import block, changed, refusal, update


def hunk_of(*signed: str) -> Hunk:
    return signed_hunk([(line[0], line[1:]) for line in signed], TOLERANT)


def applied(before: str, hunk: Hunk, level: str) -> str | None:
    """The text with the hunk at its one place on a level; None if it can't be made there."""
    text = Text.of(before)
    if level == "exact":
        (place,) = find_exact(text, hunk.old)
    else:
        (place,) = find_loosely(text, hunk.old_lines, LEVELS[level], None, "#")
    splices = splices_for(text, hunk, place)
    return None if splices is None else text.apply(splices).source


KEPT = {
    "trailing space": ("a  \nb\n", hunk_of(" a", "-b", "+c"), "trailing space", "a  \nc\n"),
    "indentation": ("\ta\n\tb\n", hunk_of("     a", "-    b", "+    c"), "indentation", "\ta\n\tc\n"),
    "typographic signs": ("say(“hi”)\nb\n", hunk_of(' say("hi")', "-b", "+c"), "punctuation", "say(“hi”)\nc\n"),
    "blank lines": ("a\n\nb\n\nc\n", hunk_of(" a", "-b", "+x", " c"), "blank lines", "a\n\nx\n\nc\n"),
    "comments": ("a\n# why\nb\n", hunk_of(" a", "-b", "+x"), "comments", "a\n# why\nx\n"),
}


@pytest.mark.parametrize(("before", "hunk", "level", "after"), KEPT.values(), ids=KEPT)
def test_kept_lines_keep_their_bytes(before: str, hunk: Hunk, level: str, after: str) -> None:
    assert applied(before, hunk, level) == after


def test_line_ends_of_kept_and_replaced_lines_stay() -> None:
    assert applied("a\r\nb\nc\r\n", hunk_of(" a", "-b", "+x", "+y", " c"), "exact") == "a\r\nx\ny\r\nc\r\n"


def test_an_exact_place_is_one_splice_and_a_narrow_one_only_what_changes() -> None:
    text, hunk = Text.of("a\nb\nc\nd\n"), hunk_of(" a", "-b", "+x", " c", "-d")
    (place,) = find_exact(text, hunk.old)
    assert [(one.start, one.stop, one.new) for one in splices_for(text, hunk, place) or ()] == [(1, 9, "a\nx\nc\n")]
    narrow = splices_for(text, hunk, place, narrow=True) or ()
    assert [(text.body[one.start : one.stop], one.new) for one in narrow] == [("b\n", "x\n"), ("d\n", "")]
    assert changed_span(text, hunk, place) == (3, 9)


# ── lines that the hunk left out ─────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("before", "hunk", "after"),
    [
        ("a\n\nb\n", hunk_of(" a", "+x", " b"), "a\nx\n\nb\n"),  # right under the line above
        ("a\n\nb\n", hunk_of(" a", "+x", "+", " b"), "a\n\nx\n\nb\n"),  # its own blank line says below the file's
        ("a\n\nb\n", hunk_of(" a", "+", "+x", " b"), "a\n\nx\n\nb\n"),
    ],
)
def test_lines_added_beside_a_blank_line(before: str, hunk: Hunk, after: str) -> None:
    assert applied(before, hunk, "blank lines") == after


@pytest.mark.parametrize(
    ("before", "hunk"),
    [
        ("a\n# why b\nb\n", hunk_of(" a", "+x", " b")),  # above the comment or below it?
        ("a\n# why b\nb\n", hunk_of("-a", "-b")),  # the comment goes or stays?
        ("a\n# why b\nb\nc\n", hunk_of(" a", "-b", " c")),
        ("a\n# why b\nb\n", hunk_of(" a", "-b", "+x", "+y")),
    ],
)
def test_nobody_can_say_what_becomes_of_a_comment_that_was_left_out(before: str, hunk: Hunk) -> None:
    assert applied(before, hunk, "comments") is None


# ── indentation ──────────────────────────────────────────────────────────────────────────────────


CART = "class Cart:\n    def total(self):\n        if self.items:\n            return 1\n        return 0\n"


def test_added_lines_move_with_the_matched_ones() -> None:
    old, new = "if self.items:\n    return 1\n", "if self.items:\n    log()\n    if x:\n        return 2\n"
    after = "        if self.items:\n            log()\n            if x:\n                return 2\n"
    assert changed(block(old, new), CART) == CART.replace("        if self.items:\n            return 1\n", after)


def test_only_the_first_line_lost_its_indentation() -> None:
    old, new = "if self.items:\n            return 1\n", "if self.items and x:\n            return 2\n"
    after = CART.replace("if self.items:\n            return 1", "if self.items and x:\n            return 2")
    assert changed(block(old, new), CART) == after


def test_the_new_text_is_a_block_of_its_own() -> None:
    old, new = "if self.items:\n            return 1\n", "if self.items and x:\n    return 2\n"
    after = CART.replace("if self.items:\n            return 1", "if self.items and x:\n            return 2")
    assert changed(block(old, new), CART) == after


def test_kept_lines_of_a_diff_stay_where_they_are_if_its_first_line_lost_its_indentation() -> None:
    before = "/* a\n   b  */\nstruct q {\n\tint a;\n};\n"
    patch = update("@@\n b  */\n struct q {\n-\tint a;\n+\tint b;\n };\n", path="q.h")
    assert changed(patch, before, "q.h") == before.replace("int a", "int b")


def test_a_blank_line_does_not_begin_the_new_text() -> None:
    before = "def f():\n    x()\n\n        events:\n            time\n"
    patch = block("\nevents:\n            time\n", "\nall events:\n            time\n")
    assert changed(patch, before) == before.replace("events:", "all events:")


def test_indentation_that_differs_in_two_ways_is_refused() -> None:
    old, new = " if self.items:\n  return 1\n return 0\n", " if x:\n  return 1\n return 0\n"
    assert refusal(block(old, new), CART).kind == "not_found"


# ── typographic signs ────────────────────────────────────────────────────────────────────────────


def test_added_lines_are_typed_as_the_file_is() -> None:
    patch = block("say(“hi”)\n", "say(“bye”)\nsay(‘x’)\n")
    assert changed(patch, 'say("hi")\n') == "say(\"bye\")\nsay('x')\n"


def test_signs_inside_typed_quotes_are_text() -> None:
    assert changed(block("say(“hi”)\n", 'say("“hi”")\n'), 'say("hi")\n') == 'say("“hi”")\n'


def test_signs_that_no_matched_line_shows_to_be_typed_stay() -> None:
    assert changed(block("a\n", "it’s\n"), "a\n") == "it’s\n"
