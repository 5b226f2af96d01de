"""Foreign text as HTML: escaped, coloured by its language, with the words that differ. None of it becomes markup.

highlight('x = "</b>"', …)   →   x = <span class="s">&quot;&lt;/b&gt;&quot;</span>
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from html import escape as html_escape
from itertools import groupby
from typing import NamedTuple

from markupsafe import Markup
from pygments.lexer import Lexer
from pygments.lexers import find_lexer_class_for_filename
from pygments.lexers.diff import DiffLexer
from pygments.token import Token, _TokenType

from ...report.words import escape, quoted

LONGEST_LINE = 2_000  # characters of a line that are shown
_LARGEST = 120_000  # characters of a text that is coloured: lexers can be slow
_DIFFS = ("unified", "begin-patch")  # formats that are coloured as diffs

Range = tuple[int, int]


class Span(NamedTuple):
    """Characters of a line that have one colour."""

    start: int
    stop: int
    name: str


_NAMES: dict[_TokenType, str] = {
    Token.Keyword: "k", Token.Operator.Word: "k", Token.Name.Function: "f", Token.Name.Class: "t",
    Token.Name.Builtin: "b", Token.Name.Decorator: "f", Token.Name.Tag: "k", Token.Name.Attribute: "t",
    Token.Keyword.Type: "t", Token.Literal.String: "s", Token.Literal.Number: "m", Token.Comment: "c",
    Token.Generic.Deleted: "gd", Token.Generic.Inserted: "gi", Token.Generic.Subheading: "c",
    Token.Generic.Heading: "c",
}  # fmt: skip


def colours(lines: Sequence[str], path: str, format: str = "") -> list[list[Span]]:
    """Return the colours of each line; an empty list if the language isn't known, or the text is too large for it."""
    if sum(map(len, lines)) + len(lines) > _LARGEST or max(map(len, lines), default=0) > LONGEST_LINE:
        return []
    lexer = DiffLexer() if format in _DIFFS else _lexer(path)
    if lexer is None:
        return []
    text = "\n".join([*lines, ""])
    rows: list[list[Span]] = [[]]
    column = length = 0
    for _, kind, value in lexer.get_tokens_unprocessed(text):
        length += len(value)
        name = _name(kind)
        for at, part in enumerate(value.split("\n")):
            if at:
                rows.append([])
                column = 0
            if name and part:
                rows[-1].append(Span(column, column + len(part), name))
            column += len(part)
    return rows[: len(lines)] if length == len(text) else []  # else the lexer has left something out


def _lexer(path: str) -> Lexer | None:
    stem, dot, suffix = path.rpartition("/")[2].rpartition(".")
    return _lexer_for("x." + suffix if stem and dot else suffix)


@lru_cache(maxsize=64)
def _lexer_for(name: str) -> Lexer | None:
    found = find_lexer_class_for_filename(name) if name else None
    return found() if found else None


def _name(kind: _TokenType) -> str:
    """Return the class of a token, or that of the nearest kind above it."""
    while kind is not Token:
        if kind in _NAMES:
            return _NAMES[kind]
        if kind.parent is None:
            break
        kind = kind.parent
    return ""


def highlighted(text: str, spans: Iterable[Span] = (), changed: Iterable[Range] = ()) -> Markup:
    """Return a line as HTML. `changed` are the characters that its counterpart doesn't have. A long line is cut."""
    shown = text[:LONGEST_LINE]
    classes = [""] * len(shown)  # of each character
    for start, stop, name in spans:
        classes[start:stop] = [name] * len(classes[start:stop])
    for start, stop in changed:
        classes[start:stop] = [f"{name} x".lstrip() for name in classes[start:stop]]
    parts = []
    at = 0
    for name, run in groupby(classes):
        end = at + len([*run])
        part = harmless(shown[at:end])
        parts.append(f'<span class="{name}">{part}</span>' if name else part)
        at = end
    if len(text) > len(shown):
        parts.append(f'<span class="cut">… {len(text):,} characters</span>')
    return Markup("".join(parts))  # noqa: S704 - each part is escaped


def harmless(text: str) -> Markup:
    """Escape a text for HTML; characters that nobody sees, or that reorder a line, are shown as escapes."""
    if text.isprintable():
        return Markup(html_escape(text))  # noqa: S704 - it is escaped
    parts = [
        html_escape(char) if (plain := visible(char)) == char else f'<span class="esc">{plain}</span>' for char in text
    ]
    return Markup("".join(parts))  # noqa: S704 - as above


def visible(text: str) -> str:
    """Write characters that nobody sees as escapes, and bytes that aren't UTF-8 as their numbers."""
    if text.isprintable():
        return text
    return "".join([_byte(ord(char)) if "\ud800" <= char <= "\udfff" else char for char in quoted(text)])


def _byte(code: int) -> str:
    return escape(code - 0xDC00 if 0xDC80 <= code <= 0xDCFF else code)
