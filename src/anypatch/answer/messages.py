"""The answer as text: a str, or the dict or list that a vendor's SDK returns."""

from __future__ import annotations

from json import dumps, loads
from typing import Any

from ..hints import Answer


def as_text(answer: Answer) -> str:
    """Return an answer as text: its JSON if it has tool calls, else what the message says."""
    if isinstance(answer, str):
        return answer
    if isinstance(answer, bytes | int | float) or answer is None:
        raise TypeError(
            f"an answer must be a str, or the dict or list that an SDK returns, not {type(answer).__name__}"
        )
    # Surrogates, which represent bytes that aren't UTF-8, stay as they are.
    text = dumps(answer, ensure_ascii=False, default=_plain_value)
    value = loads(text)
    if isinstance(value, list) and value and all(isinstance(item, dict) and "role" in item for item in value):
        # A conversation: the last message of the model.
        value = next((item for item in reversed(value) if item["role"] == "assistant"), {})
        text = dumps(value, ensure_ascii=False)
    message = _message_text(value)
    return text if message is None else message


def _plain_value(value: Any) -> object:
    """Return what JSON can hold of an object of an SDK: a pydantic model, an array, a mapping."""
    if hasattr(value, "tolist"):
        return value.tolist()
    return value.model_dump() if hasattr(value, "model_dump") else dict(value)


def _message_text(value: object) -> str | None:
    """Return the text of a message, or of content blocks; None if it holds more than text."""
    if isinstance(value, list):
        parts = [_message_text(item) for item in value]
        return None if None in parts or not parts else "\n".join(part for part in parts if part)
    if not isinstance(value, dict) or value.get("tool_calls") or value.get("function_call"):
        return None
    kind = value.get("type")
    if kind in ("thinking", "redacted_thinking", "reasoning"):
        return ""
    if kind in ("text", "output_text") and isinstance(value.get("text"), str):
        return str(value["text"])
    if kind == "message" or "role" in value:
        content = value.get("content")
        return content if isinstance(content, str) else _message_text(content)
    return None
