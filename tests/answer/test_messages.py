"""Answers as the values that SDKs return."""

from __future__ import annotations

import json
from typing import Any

import pytest

from anypatch.answer.messages import as_text

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
