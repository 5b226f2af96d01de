"""Answers that were escaped for HTML as a whole. Pure."""

from __future__ import annotations

import re

_ESCAPES = (("&lt;", "<"), ("&gt;", ">"), ("&quot;", '"'), ("&#34;", '"'), ("&#39;", "'"), ("&#x27;", "'"),
            ("&apos;", "'"), ("&#60;", "<"), ("&#62;", ">"), ("&#38;", "&"), ("&amp;", "&"))  # fmt: skip
_BARE = r'[<>"]|&(?!(?:lt|gt|amp|quot|apos|#39|#34|#x27);)'  # what an escaped text has none of


def was_escaped(text: str) -> bool:
    """Whether a whole answer was escaped for HTML: entities, and none of the characters they stand for.

        if a &lt; b and c == &quot;x&quot;

    An edit of an HTML file has tags; code that speaks of entities has quotes around them.
    """
    return "&" in text and is_escaped(text) and re.search(_BARE, text) is None


def is_escaped(text: str) -> bool:
    """Whether a text holds HTML escapes of the signs that code is made of."""
    return "&" in text and re.search("|".join(escape for escape, _ in _ESCAPES), text) is not None


def unescaped(text: str) -> str:
    """The text with those escapes read; others, as in `?a=1&copy=2`, are no escapes of code."""
    for escape, sign in _ESCAPES:
        text = text.replace(escape, sign)
    return text
