"""Elements of XML and HTML: where the one that begins in a marker ends. Reads tags, judges no document."""

from __future__ import annotations

from ..problems import Problem
from ..record import NamedTuple
from .block_end import BlockEnd, beyond, goes_on, line_number, no_block, place, span_of
from .lexer import FORMS, mask, pattern, tokens

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from .languages import Language

_VOID = "area base br col embed hr img input link meta param source track wbr"
_RAW = ("script", "style")
_NAME = r"[^\W\d][^\s<>/=\"']*+|:[^\s<>/=\"']++"
_ATTRIBUTES = r"""[^<>"']*+(?:(?:"[^"]*+"|'[^']*+')[^<>"']*+)*+"""
_SUBSET = r"""(?:[^\]"'<]|"[^"]*+"|'[^']*+'|<!--[^-]*+(?:-(?!->)[^-]*+)*+-->|<)*+\]?"""
_MARKUP = "|".join(
    (
        FORMS["markup_comment"],
        FORMS["cdata"],
        r"<\?[^?]*+(?:\?(?!>)[^?]*+)*+(?:\?>)?",
        rf"""<![A-Za-z](?:[^\[>"']|"[^"]*+"|'[^']*+')*+(?:\[{_SUBSET}[^>]*+)?>?""",
        rf"</({_NAME})[^<>]*+>",
        rf"<({_NAME})({_ATTRIBUTES})(>?)",
    )
)


class Tag(NamedTuple):
    """One tag: where it stands and whether it opens (1), closes (-1) or is complete in itself (0)."""

    start: int
    end: int
    name: str
    turn: int


def block_end(text: str, language: Language, first: int, last: int) -> BlockEnd | Problem:
    """The end of the first element that begins in the lines."""
    begin, stop = span_of(text, first, last)
    tags = (tag for tag in _tags(text, language.html) if tag.start >= begin)
    opening = next(tags, None)
    if opening is None or opening.start >= stop:
        return no_block("the marker holds no tag", first + 1, "Begin the marker with the opening tag of the element.")
    end = _end(text, opening, tags, language.html)
    if isinstance(end, Problem):
        return end
    below = goes_on(text, mask(text, tokens(text, language)), end, stop)
    return beyond(below, line_number(text, end)) if below else place(text, end)


def close(payload: list[str], rest: str) -> list[str]:
    """What stood behind the element stays behind it."""
    filled = [number for number, line in enumerate(payload) if line.strip()]
    if not filled:
        return [rest.strip(" \t")]
    at = filled[-1]
    return [*payload[:at], payload[at] + rest, *payload[at + 1 :]]


def _end(text: str, opening: Tag, tags: Iterator[Tag], html: bool) -> int | Problem:
    line = line_number(text, opening.start)
    if opening.turn < 0:
        return no_block(f"the marker's first tag is the closing </{opening.name}>", line)
    if opening.turn == 0:
        if html and opening.name in _VOID.split() and text[opening.end - 2] != "/":
            return no_block(f"<{opening.name}> has no contents and no end", line, "Replace the line as plain text.")
        return opening.end
    still_open = {opening.name: 1}
    for tag in tags:
        count = still_open.get(tag.name, 0) + tag.turn
        if count < 0:
            closes = f"</{tag.name}> on line {line_number(text, tag.start)}"
            return no_block(f"<{opening.name}> is not closed before {closes}, which ends an element around it", line)
        if not count and tag.turn and tag.name == opening.name:
            return tag.end
        still_open[tag.name] = count
    return no_block(f"<{opening.name}> is never closed", line)


def _tags(text: str, html: bool) -> Iterator[Tag]:
    """All tags that are no part of comments, declarations, attribute values or raw text."""
    scan = pattern(_MARKUP)
    voids = frozenset(_VOID.split()) if html else ()
    position = 0
    while (match := scan.search(text, position)) is not None:
        position = match.end()
        closing, opening, attributes, bracket = match.groups()
        name = closing or opening
        if not name:
            continue
        folded = name.lower() if html else name
        void = folded in voids
        if closing:
            if not void:
                yield Tag(match.start(), position, folded, -1)
        elif bracket:
            empty = attributes.endswith("/")
            yield Tag(match.start(), position, folded, 0 if empty or void else 1)
            if html and folded in _RAW and not empty:
                position = _raw_end(text, folded, position)


def _raw_end(text: str, name: str, position: int) -> int:
    closer = pattern("</" + "".join(f"[{sign}{sign.upper()}]" for sign in name) + r"(?=[\s/>])")
    match = closer.search(text, position)
    return match.start() if match else len(text)
