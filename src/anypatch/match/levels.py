"""The ladder: the named ways in which a line of a patch may equal a line of a file, and lines as the lexer sees them.

A table and what it compares by; finds nothing itself.
"""

from __future__ import annotations

from itertools import repeat

from ..record import NamedTuple
from ..syntax.languages import COMMENT, STRING
from ..text import BLANK, stripped

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from ..syntax.languages import Language


class Rung(NamedTuple):
    """How lines are made comparable. `skips`: blank lines don't count. `sees`: "text", "code" or "statements".

    "code" is the line without its comments, "statements" without Python's docstrings too.
    """

    name: str
    key: Callable[[str], str]
    skips: bool = False
    sees: str = "text"

    def keys(self, lines: Sequence[str]) -> list[str]:
        """Lines as the rung compares them, without a call for a line that is nothing special."""
        if self.key is same:
            return list(lines)
        if self.key is trailing:
            return list(map(str.rstrip, lines, repeat(BLANK)))
        is_plain = self.key is trimmed or all(map(str.isascii, lines))
        keys = stripped(lines) if is_plain else list(map(punctuation, lines))
        if self.key is inner_space:
            return [inner_space(key) if "  " in key or "\t" in key else key for key in keys]
        return keys


def same(line: str) -> str:
    """The line as it is."""
    return line


def trailing(line: str) -> str:
    """The line without blanks at its end."""
    return line.rstrip(BLANK)


def trimmed(line: str) -> str:
    """The line without blanks at either end."""
    return line.strip(BLANK)


def punctuation(line: str) -> str:
    """Typographic quotes, dashes, odd and invisible spaces as a keyboard types them; blanks at the ends cut."""
    return line.strip(BLANK) if line.isascii() else line.translate(typed_as()).strip(BLANK)


def inner_space(line: str) -> str:
    """The same, with every run of blanks inside as one space."""
    line = punctuation(line)
    if "  " not in line and "\t" not in line:
        return line
    import re

    return re.sub("[ \t]+", " ", line)


# Each key as a keyboard types what follows it.
_TYPED_AS = {
    "'": "\u2018\u2019\u201a\u201b\u2032\u00b4",
    '"': "\u201c\u201d\u201e\u201f\u2033\u00ab\u00bb",
    "-": "\u2010\u2011\u2012\u2013\u2014\u2015\u2212",
    " ": "\u00a0\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u3000",
    "": "\u200b\u200c\u200d\u2060\ufeff\u00ad",
    "...": "\u2026",
}
_TYPED: dict[int, str] = {}


def typed_as() -> dict[int, str]:
    """What a keyboard types for each typographic sign."""
    if not _TYPED:
        _TYPED.update((ord(char), key) for key, chars in _TYPED_AS.items() for char in chars)
    return _TYPED


_TABLE = (
    Rung("exact", same),
    Rung("trailing space", trailing),
    Rung("indentation", trimmed),
    Rung("punctuation", punctuation),
    Rung("inner space", inner_space),
    Rung("blank lines", trimmed, skips=True),
    Rung("comments", trimmed, skips=True, sees="code"),
    Rung("docstrings", trimmed, skips=True, sees="statements"),
    Rung("typography", punctuation, skips=True),
    Rung("typography and comments", punctuation, skips=True, sees="code"),
)

RUNGS = {rung.name: rung for rung in _TABLE}
# On these rungs the file's indentation is the patch's.
VERBATIM = ("exact", "trailing space")


# ── lines as the lexer sees them ─────────────────────────────────────────────────────────────────


class Lexed:
    """Lines as the lexer sees them, read from a normal state.

    `inside[i]`: what line i begins within: 0, COMMENT, STRING; one more than there are lines, for what runs on behind
    them. `code[i]`: line i without comments, trimmed.
    """

    __slots__ = ("_bare", "_code", "_tokens", "inside", "language", "lines")

    def __init__(self, lines: list[str], language: Language) -> None:
        self.lines = lines
        self.language = language
        self.inside = bytearray(len(lines) + 1)
        self._code: list[str] | None = None
        self._bare: list[str] | None = None
        self._tokens: list[tuple[int, int, int]] = []
        # With the last line end, so that what is still open there is seen to run on.
        text = "\n".join([*lines, ""])
        if has_marks(text, language):
            from ..syntax.lexer import tokens

            self._tokens = tokens(text, language)
            _note_inside(text, self._tokens, self.inside)

    @property
    def code(self) -> list[str]:
        """Every line without comments, trimmed; most who ask what a line begins within never need it."""
        if self._code is None:
            self._code = stripped(self.lines)
            _cut("\n".join([*self.lines, ""]), self._tokens, self._code)
        return self._code

    def statements(self) -> list[str]:
        """Every line without comments and, in Python, without statement-level strings, trimmed."""
        if self._bare is None:
            self._bare = self.code
            if self.language.family == "python":
                from ..syntax.lexer import docstrings, tokens

                text = "\n".join(self.lines)
                found = tokens(text, self.language)
                spans = [(start, end, COMMENT) for start, end in docstrings(text, found)]
                spans += [token for token in found if token[2] == COMMENT]
                self._bare = stripped(self.lines)
                _cut(text, sorted(spans), self._bare)
        return self._bare


def code_lines(lines: Iterable[str], language: Language) -> list[str]:
    """The lines without comments, trimmed."""
    return Lexed(list(lines), language).code


def has_marks(text: str, language: Language) -> bool:
    """Whether anything in the text can be a comment or run over a line's end; a no is certain and cheap."""
    # A single character is looked for much faster than several. Strings that run over lines by themselves are
    # everywhere: php, rust, d.
    for char, marks in _MARKS[language.family]:
        if char in text and any(map(text.__contains__, marks)):
            return True
    return "quote_lines" in language.forms


_MARKS: dict[str, tuple[tuple[str, tuple[str, ...]], ...]] = {
    "c": (
        ("/", ("/*", "//", "/+")),
        ("`", ("`",)),
        ('"', ('"""', '"(', 'R"', '@"')),
        ("'", ("'''",)),
        ("\\", ("\\\n",)),
    ),
    "python": (("#", ("#",)), ('"', ('"""',)), ("'", ("'''",)), ("\\", ("\\\n",))),
    "xml": (("<", ("<!", "<s", "<S", "<t", "<T")),),
    "script": (("#", ("#",)), (";", (";",))),
}


def may_run_over(text: str, language: Language) -> bool:
    """Whether anything in the text can begin or end a comment or string of several lines; a no is certain and cheap."""
    if any(map(text.__contains__, _EDGES[language.family])) or "heredoc" in language.forms:
        return True
    has_quotes = '"' in text or "'" in text
    if not has_quotes or not _LONG.isdisjoint(language.forms):
        return has_quotes
    # `f"{` and `}"`: code inside a string may have lines of its own
    return bool(language.woven) and (text.count('"') + text.count("'")) % 2 > 0


_EDGES = {
    "c": ("/*", "*/", "/+", "+/", "`", '"""', "'''", "\\\n"),
    "python": ('"""', "'''", "\\\n"),
    "xml": ("<", "-->", "]]>"),
    "script": (),
}
# Strings whose marks are those of others, or of other code.
_LONG = {
    "quote_lines", "apostrophe_lines", "raw_cpp", "raw_rust", "raw_quotes", "verbatim", "hashed",
}  # fmt: skip


def _note_inside(text: str, found: list[tuple[int, int, int]], inside: bytearray) -> None:
    """Note what each line begins within."""
    row = position = 0
    for start, end, kind in found:
        inner = text.count("\n", start, end)
        if inner:
            row += text.count("\n", position, start)
            position = start
            inside[row + 1 : row + inner + 1] = bytes((kind,)) * inner


def _cut(text: str, found: list[tuple[int, int, int]], code: list[str]) -> None:
    """Cut the comments out of the code of each line."""
    cuts: dict[int, list[tuple[int, int]]] = {}
    row = position = 0
    for start, end, kind in found:
        if kind == STRING:
            continue
        newline = text.find("\n", start, end)
        row += text.count("\n", position, start)
        position = start
        if newline < 0 and row < len(code) and row not in cuts and text[end : end + 1] in ("\n", ""):
            # By far the most common: a comment to the end of its line.
            code[row] = text[text.rfind("\n", 0, start) + 1 : start].strip(BLANK)
            continue
        for line, span in enumerate(_spans(text, start, end, newline), row):
            cuts.setdefault(line, []).append(span)
    _apply_cuts(text, cuts, code)


def _spans(text: str, start: int, end: int, newline: int) -> list[tuple[int, int]]:
    """A token's part of each line it touches."""
    spans = []
    while newline >= 0:
        spans.append((start, newline))
        start = newline + 1
        newline = text.find("\n", start, end)
    return [*spans, (start, end)]


def _apply_cuts(text: str, cuts: dict[int, list[tuple[int, int]]], code: list[str]) -> None:
    cuts.pop(len(code), None)
    for row, spans in cuts.items():
        start = text.rfind("\n", 0, spans[0][0]) + 1
        stop = text.find("\n", spans[-1][1])
        line = ""
        for begin, end in spans:
            line = _joined(line, text[start:begin])
            start = end
        rest = text[start : stop if stop >= 0 else len(text)]
        code[row] = _joined(line, rest).strip(BLANK)


def _joined(before: str, after: str) -> str:
    """What stood around a comment: of blanks on both sides one is kept."""
    if before[-1:] in (" ", "\t") and after[:1] in (" ", "\t"):
        return before.rstrip(" \t") + " " + after.lstrip(" \t")
    return before + after
