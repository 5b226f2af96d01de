"""Answers as the values that SDKs return, and as text that was escaped for HTML as a whole."""

from __future__ import annotations

import json
from typing import Any

import pytest

from anypatch.answer.unwrap import as_text, is_escaped, unescaped, was_escaped

MESSAGES: dict[str, tuple[Any, str]] = {
    "text": ("as it is", "as it is"),
    "a message": ({"role": "assistant", "content": "hello"}, "hello"),
    "content blocks": ([{"type": "text", "text": "a"}, {"type": "output_text", "text": "b"}], "a\nb"),
    "thinking is left out": ([{"type": "thinking", "thinking": "?"}, {"type": "text", "text": "a"}], "a"),
    "a conversation": ([{"role": "user", "content": "do"}, {"role": "assistant", "content": "done"}], "done"),
}


@pytest.mark.parametrize(("value", "text"), MESSAGES.values(), ids=MESSAGES)
def test_the_text_of_a_message(value: Any, text: str) -> None:
    assert as_text(value) == text


def test_calls_are_their_json() -> None:
    call = {"role": "assistant", "tool_calls": [{"function": {"name": "edit", "arguments": "{}"}}]}
    assert json.loads(as_text(call)) == call


def test_objects_of_sdks_are_dumped() -> None:
    class Model:
        def model_dump(self) -> dict[str, str]:
            return {"role": "assistant", "content": "hello"}

    assert as_text(Model()) == "hello"  # type: ignore[arg-type]


@pytest.mark.parametrize("value", [None, b"bytes", 3, 1.5])
def test_other_values_are_a_mistake_of_the_caller(value: Any) -> None:
    with pytest.raises(TypeError, match="an answer must be"):
        as_text(value)


def test_a_whole_answer_that_was_escaped() -> None:
    text = "if a &lt; b and c == &quot;x&quot;"
    assert was_escaped(text) and unescaped(text) == 'if a < b and c == "x"'


def test_text_with_characters_of_its_own_was_not_escaped() -> None:
    assert not was_escaped('<a href="?a=1&amp;b=2">') and is_escaped('<a href="?a=1&amp;b=2">')
    assert not was_escaped("plain text") and not is_escaped("?a=1&copy=2")


def test_escapes_are_decoded_once() -> None:
    assert unescaped("&amp;lt;") == "&lt;" and unescaped("&copy;") == "&copy;"
