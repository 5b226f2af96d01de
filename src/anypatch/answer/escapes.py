"""Answers that were escaped for HTML as a whole. Pure."""

from __future__ import annotations

import re

_ESCAPES = (("&lt;", "<"), ("&gt;", ">"), ("&quot;", '"'), ("&#34;", '"'), ("&#39;", "'"), ("&#x27;", "'"),
            ("&apos;", "'"), ("&#60;", "<"), ("&#62;", ">"), ("&#38;", "&"), ("&amp;", "&"))  # fmt: skip
_BARE = r'[<>"]|&(?!(?:lt|gt|amp|quot|apos|#39|#34|#x27);)'  # never in an escaped text


def was_escaped(text: str) -> bool:
    """Return True if a whole answer was escaped for HTML: it has entities, but no `<`, `>` or `"` of its own.

        if a &lt; b and c == &quot;x&quot;

    An edit of an HTML file has tags, and code that deals with entities has quotes around them.
    """
    return "&" in text and is_escaped(text) and re.search(_BARE, text) is None


def is_escaped(text: str) -> bool:
    """Return True if a text holds HTML escapes of characters that are common in code."""
    return "&" in text and re.search("|".join(escape for escape, _ in _ESCAPES), text) is not None


def unescaped(text: str) -> str:
    """Decode those escapes. Others, such as `&copy` in `?a=1&copy=2`, are left alone."""
    for escape, sign in _ESCAPES:
        text = text.replace(escape, sign)
    return text
