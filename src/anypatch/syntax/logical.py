"""Python's logical lines: which physical lines belong together. Reads a text whose strings were blotted out."""

from __future__ import annotations

from .forms import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from re import Pattern

# words that begin a statement and can never begin a line inside brackets: an unclosed bracket above ends there
_STATEMENT = (
    "(?:def|class|while|with|try|except|finally|return|raise|import|del|pass|break|continue|global|nonlocal|assert"
    r"|async[ \t]+(?:def|with))"
)
_EVENTS = rf"\n(?=[ \t]*{_STATEMENT}\b)()|\n()|[(\[{{]()|[)\]}}]()"


def flat(text: str, found: list[tuple[int, int, int]]) -> str:
    """The text with comments as spaces, strings as \\x01 with their newlines, continued lines joined; same length."""
    pieces = []
    position = 0
    for start, end, kind in found:
        pieces.append(text[position:start])
        pieces.append((" " if kind == 1 else "\x01") * (end - start))
        position = end
    pieces.append(text[position:])
    return "".join(pieces).replace("\\\n", "  ")


def logical_lines(plain: str) -> Iterator[tuple[int, int]]:
    """(start, end) of every logical line that holds code: from its first sign to its newline, both of the flat text."""
    begin = depth = 0
    blanks = pattern(r"[ \t\f\r]*+")
    for match in pattern(_EVENTS).finditer(plain):
        event = match.lastindex
        if event == 3:
            depth += 1
        elif event == 4:
            depth = max(depth - 1, 0)
        elif event == 1 or not depth:
            first = _skip(blanks, plain, begin)
            if first < match.start():
                yield first, match.start()
            begin, depth = match.end(), 0
    first = _skip(blanks, plain, begin)
    if first < len(plain):
        yield first, len(plain)


def _skip(blanks: Pattern[str], plain: str, begin: int) -> int:
    match = blanks.match(plain, begin)
    return match.end() if match else begin
