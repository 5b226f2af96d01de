"""Lines as the lexer sees them: without comments, without docstrings, and what each begins within. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..text import BLANK, stripped
from .languages import COMMENT, STRING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from .languages import Language


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
            from .lexer import tokens

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
                from .lexer import docstrings, tokens

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
