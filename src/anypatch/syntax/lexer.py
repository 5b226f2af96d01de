"""Where the comments and strings of a text are. Reads the text once; knows no blocks."""

from __future__ import annotations

from itertools import accumulate

from .forms import COMMENTS, numbered, pattern, whole
from .languages import COMMENT, STRING
from .logical import flat, logical_lines
from .special import ENDS, Scan, reread

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .languages import Language

    Tokens = list[tuple[int, int, int]]

__all__ = ["COMMENT", "STRING", "docstrings", "mask", "tokens"]


def tokens(text: str, language: Language) -> Tokens:
    """(start, end, kind) of every comment and string, from a normal state at the beginning of the text."""
    if language.family == "xml" and "<!" not in text and not language.html:
        return []
    if language.woven or language.family == "xml" or any(name in ENDS and name != "raw_cpp" for name in language.forms):
        return _careful(text, language, [], 0)
    return _quick(text, language)


def mask(text: str, found: Tokens) -> str:
    """The text with comments as spaces and strings as "_": same length, same newlines."""
    pieces = []
    position = 0
    for start, end, kind in found:
        pieces.append(text[position:start])
        pieces.append(_blotted(text[start:end], " " if kind == COMMENT else "_"))
        position = end
    pieces.append(text[position:])
    return "".join(pieces)


def docstrings(text: str, found: Tokens) -> list[tuple[int, int]]:
    """Python: the spans of statements that are nothing but a string."""
    plain = flat(text, found)
    only_strings = pattern("(?:[rRbBuUfFtT]{0,2}\x01+[ \t]*+)++")
    spans = []
    for start, end in logical_lines(plain):
        if "\x01" in plain[start : start + 3] and only_strings.fullmatch(plain, start, end):
            spans.append((start, start + len(plain[start:end].rstrip(" \t"))))
    return spans


def _blotted(piece: str, sign: str) -> str:
    if "\n" not in piece:
        return sign * len(piece)
    return "\n".join([sign * len(line) for line in piece.split("\n")])


def _quick(text: str, language: Language) -> Tokens:
    """Splitting at the tokens does all the work in C; only a string behind an odd sign needs a look."""
    parts = whole(language).split(text)
    offsets = list(accumulate(map(len, parts)))
    starts, ends = offsets[0:-1:2], offsets[1::2]
    kinds = [COMMENT if token[0] in "/#" else STRING for token in parts[1::2]]
    found = list(zip(starts, ends, kinds, strict=True))
    state = Scan(text, language, [], _budget(text))
    for number, gap in enumerate(parts[:-1:2]) if language.odd else ():
        if gap and gap[-1] in language.odd and kinds[number] == STRING:
            start, end = starts[number], ends[number]
            name = "raw_cpp" if text[end - 1] == "(" else ""
            if reread(state, (start, end), name) != (start, end):
                return _careful(text, language, found[:number], start)
    return found


def _careful(text: str, language: Language, found: Tokens, start: int) -> Tokens:
    """One token after the other; where a form alone cannot tell the end, `reread` does, and the search starts anew."""
    scan = numbered(language)
    kinds = [0] + [COMMENT if name in COMMENTS else STRING for name in language.forms]
    looks = [""] + [name if name in ENDS or name in language.woven else "" for name in language.forms]
    state = Scan(text, language, found, _budget(text))
    position = -1
    while position != start:
        position = start
        for match in scan.finditer(text, position):
            begin, end = match.span()
            index = match.lastindex or 0
            if looks[index] or (language.odd and text[begin - 1 : begin] in language.odd):
                begin, start = reread(state, (begin, end), looks[index])
                if begin < start:
                    found.append((begin, start, kinds[index]))
                if start != end:
                    break
            else:
                found.append((begin, end, kinds[index]))
        else:
            break
    return found


def _budget(text: str) -> list[int]:
    """What readings that come to nothing may cost together: not more than two readings of the text."""
    return [2 * len(text) + 10_000]
