"""The text of an answer: out of the value that an SDK returns, and without HTML escapes if all of it is escaped."""

from __future__ import annotations

import re
from json import dumps, loads
from typing import Any

from ..hints import Answer

_THINKING = ("thinking", "redacted_thinking", "reasoning")
_ESCAPES = (("&lt;", "<"), ("&gt;", ">"), ("&quot;", '"'), ("&#34;", '"'), ("&#39;", "'"), ("&#x27;", "'"),
            ("&apos;", "'"), ("&#60;", "<"), ("&#62;", ">"), ("&#38;", "&"), ("&amp;", "&"))  # fmt: skip
_BARE = r'[<>"]|&(?!(?:lt|gt|amp|quot|apos|#39|#34|#x27);)'  # never in an escaped text


# ── messages ─────────────────────────────────────────────────────────────────────────────────────


def as_text(answer: Answer) -> str:
    """Return an answer as text: its JSON if it has tool calls, otherwise the text of the message."""
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
    """Return an SDK's object as JSON can hold it: a pydantic model, an array, a mapping."""
    if hasattr(value, "tolist"):
        return value.tolist()
    return value.model_dump() if hasattr(value, "model_dump") else dict(value)


def _message_text(value: object) -> str | None:
    """Return the text of a message, or of a list of content blocks; None if it holds more than text."""
    if isinstance(value, list):
        parts = [_message_text(item) for item in value]
        return "\n".join(filter(None, parts)) if parts and None not in parts else None
    if not isinstance(value, dict) or value.get("tool_calls") or value.get("function_call"):
        return None
    kind = value.get("type")
    if kind in _THINKING:
        return ""
    if kind in ("text", "output_text"):
        content = value.get("text")
    else:
        content = value.get("content") if kind == "message" or "role" in value else None
    return content if isinstance(content, str) else _message_text(content)


# ── HTML escapes ─────────────────────────────────────────────────────────────────────────────────


def was_escaped(text: str) -> bool:
    """Return True if a whole answer was escaped for HTML: it has entities, but no `<`, `>` or `"` of its own.

        if a &lt; b and c == &quot;x&quot;

    An edit of an HTML file has tags, and code that deals with entities has quotes around them.
    """
    return is_escaped(text) and re.search(_BARE, text) is None


def is_escaped(text: str) -> bool:
    """Return True if a text holds HTML escapes of characters that are common in code."""
    return "&" in text and any(escape in text for escape, _ in _ESCAPES)


def unescaped(text: str) -> str:
    """Decode those escapes. Others, such as `&copy` in `?a=1&copy=2`, are left alone."""
    for escape, sign in _ESCAPES:
        text = text.replace(escape, sign)
    return text
