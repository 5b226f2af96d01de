"""Answers that were escaped for HTML as a whole."""

from __future__ import annotations

from anypatch.answer.escapes import is_escaped, unescaped, was_escaped


def test_a_whole_answer_that_was_escaped() -> None:
    text = "if a &lt; b and c == &quot;x&quot;"
    assert was_escaped(text) and unescaped(text) == 'if a < b and c == "x"'


def test_text_with_characters_of_its_own_was_not_escaped() -> None:
    assert not was_escaped('<a href="?a=1&amp;b=2">') and is_escaped('<a href="?a=1&amp;b=2">')
    assert not was_escaped("plain text") and not is_escaped("?a=1&copy=2")


def test_escapes_are_decoded_once() -> None:
    assert unescaped("&amp;lt;") == "&lt;" and unescaped("&copy;") == "&copy;"
