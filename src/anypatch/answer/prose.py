"""Is this prose? Asked of lines that follow a patch."""

from __future__ import annotations

import re


def is_prose(paragraph: list[str]) -> bool:
    """Whether a paragraph is a sentence, a list or a heading, not code."""
    first, last = paragraph[0], paragraph[-1].rstrip()
    words = first.lstrip("-+*#>_`\"'( 0123456789.)")
    if not words[:1].isalpha() or not first[:4].strip() or set("={};").intersection(first):
        return False
    ended = last[-1:] in (".", "!", "?") or (last[-1:] == ":" and len(paragraph) == 1)
    return ended or re.match(r"(?:[-*+>]|#{1,6}|[0-9]+[.)]) |\*\*", first) is not None
