"""What the lexer says of a text, line by line: what a line begins within, its code without comments. Pure."""

from __future__ import annotations

from _operator import is_not
from itertools import compress, repeat

from ..syntax.languages import COMMENT, STRING
from ..text import BLANK, stripped

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..syntax.languages import Language


class Lexed:
    """`inside[i]`: what line i begins within: 0, COMMENT, STRING. `code[i]`: its code; None where that is the line."""

    __slots__ = ("_bare", "_marked", "code", "inside", "language", "lines")

    def __init__(self, lines: list[str], language: Language) -> None:
        self.lines = lines
        self.language = language
        text = "\n".join([*lines, ""])
        self._marked = has_marks(text, language)
        self.inside, self.code = _lexed(text, len(lines), language, self._marked)
        self._bare: list[str] | None = None

    @staticmethod
    def ends_within(lines: list[str], language: Language) -> int:
        """What a line behind these would begin within, if they are read from a normal state."""
        return _lex(lines, language)[0][len(lines)]

    def code_of(self, i: int) -> str:
        """Line i without comments, trimmed."""
        code = self.code[i]
        return self.lines[i].strip(BLANK) if code is None else code

    def codes(self, start: int, end: int) -> list[str]:
        """Lines start..end without comments, trimmed."""
        bare = stripped(self.lines[start:end])
        if not self._marked:
            return bare
        code = self.code[start:end]
        for row in compress(range(len(code)), map(is_not, code, repeat(None))):
            bare[row] = code[row] or ""
        return bare

    def statements(self) -> list[str]:
        """Every line without comments and docstrings, trimmed."""
        if self._bare is None:
            self._bare = statements(self.lines, self.language)
        return self._bare


def code_lines(lines: list[str], language: Language, *, closed: bool = False) -> list[str]:
    """The lines without comments, trimmed, read from a normal state. `closed`: none, if they end within something."""
    text = "\n".join(lines) + "\n"
    if not has_marks(text, language):
        return [line.strip(BLANK) for line in lines]
    inside, code = _lexed(text, len(lines), language, True)
    if closed and inside[len(lines)]:
        return []
    return [line.strip(BLANK) if found is None else found for line, found in zip(lines, code, strict=True)]


def statements(lines: list[str], language: Language) -> list[str]:
    """The lines without comments and, in Python, without statement-level strings."""
    if language.family != "python":
        return code_lines(lines, language)
    from ..syntax.lexer import docstrings, tokens

    text = "\n".join(lines)
    found = tokens(text, language)
    spans = [(start, end, COMMENT) for start, end in docstrings(text, found)]
    spans += [token for token in found if token[2] == COMMENT]
    _, code = _cut(text, len(lines), sorted(spans))
    return [line.strip(BLANK) if found is None else found for line, found in zip(lines, code, strict=True)]


def _lex(lines: list[str], language: Language) -> tuple[bytearray, list[str | None]]:
    # With the last line end, so that what is still open there is seen to run on.
    text = "\n".join([*lines, ""])
    return _lexed(text, len(lines), language, has_marks(text, language))


def _lexed(text: str, count: int, language: Language, marked: bool) -> tuple[bytearray, list[str | None]]:
    if not marked:
        return bytearray(count + 1), [None] * count
    from ..syntax.lexer import tokens

    return _cut(text, count, tokens(text, language))


def has_marks(text: str, language: Language) -> bool:
    """Whether anything in the text can be a comment or run over a line's end; a no is certain and cheap."""
    if len(text) < _SHORT and _SIGNS[language.family].isdisjoint(text):
        return "quote_lines" in language.forms
    for char, marks in _MARKS[language.family]:
        # A single character is looked for much faster than several.
        if char in text:
            for mark in marks:
                if mark in text:
                    return True
    # Strings that run over lines by themselves are everywhere: php, rust, d.
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
}
_SIGNS = {family: frozenset(char for char, _ in marks) for family, marks in _MARKS.items()}
_SHORT = 256


def _cut(text: str, count: int, found: list[tuple[int, int, int]]) -> tuple[bytearray, list[str | None]]:
    """Per line: what it begins within, and its code where a comment was cut from it."""
    inside = bytearray(count + 1)
    code: list[str | None] = [None] * count
    cuts: dict[int, list[tuple[int, int]]] = {}
    row = position = 0
    for start, end, kind in found:
        newline = text.find("\n", start, end)
        if newline < 0 and kind == STRING:
            continue
        row += text.count("\n", position, start)
        position = start
        if newline < 0 and row < count and row not in cuts and text[end : end + 1] in ("\n", ""):
            # By far the most common: a comment to the end of its line.
            code[row] = text[text.rfind("\n", 0, start) + 1 : start].strip(BLANK)
            continue
        for line, span in enumerate(_spans(text, start, end, newline), row):
            if line > row:
                inside[line] = kind
            if kind == COMMENT:
                cuts.setdefault(line, []).append(span)
    _apply_cuts(text, cuts, code)
    return inside, code


def _spans(text: str, start: int, end: int, newline: int) -> list[tuple[int, int]]:
    """A token's part of each line it touches."""
    spans = []
    while newline >= 0:
        spans.append((start, newline))
        start = newline + 1
        newline = text.find("\n", start, end)
    return [*spans, (start, end)]


def _apply_cuts(text: str, cuts: dict[int, list[tuple[int, int]]], code: list[str | None]) -> None:
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
