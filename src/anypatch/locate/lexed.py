"""What the lexer says of a sheet, line by line, kept true through splices without lexing all of it again. Pure."""

from __future__ import annotations

from ..syntax.lexer import COMMENT, STRING, docstrings, tokens
from ..text import BLANK, Sheet

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..syntax.languages import Language

_WINDOW = 16


class Lexed:
    """`inside[i]`: what line i begins within (0, COMMENT or STRING); `code[i]`: its code, None where that is the line."""

    __slots__ = ("_bare", "code", "inside", "language", "sheet")

    def __init__(self, sheet: Sheet, language: Language) -> None:
        self.sheet = sheet
        self.language = language
        self.inside, self.code = _lex(sheet.lines, language)
        self._bare: tuple[int, list[str]] = (-1, [])

    @staticmethod
    def ends_within(lines: list[str], language: Language) -> int:
        """What a line behind these would begin within, if they are read from a normal state."""
        return _lex([*lines, ""], language)[0][len(lines)]

    def code_of(self, i: int) -> str:
        """Line i without comments, trimmed."""
        code = self.code[i]
        return self.sheet.lines[i].strip(BLANK) if code is None else code

    def statements(self) -> list[str]:
        """Every line without comments and docstrings, trimmed. Lexes anew after each splice: the rung is rare."""
        if self._bare[0] != self.sheet.version:
            self._bare = (self.sheet.version, statements(self.sheet.lines, self.language))
        return self._bare[1]

    def spliced(self, start: int, end: int, count: int) -> tuple[int, int, int]:
        """Follow a splice. Returns the range whose code may have changed: first line, old end, new end."""
        self.code[start:end] = [None] * count
        first = start - (self.inside[start] != 0)
        # The state in which the first line behind the splice used to begin stays, to be met again.
        head = self.inside[: start + 1] if count else self.inside[:start]
        self.inside = head + bytes(max(count - 1, 0)) + self.inside[end:]
        while first and self.inside[first]:
            first -= 1
        lines = self.sheet.lines
        size = start + count - first + _WINDOW
        while True:
            stop = min(first + size, len(lines))
            inside, code = _lex(lines[first:stop], self.language)
            meet = self._meeting(inside, first, start + count, stop)
            if meet >= 0:
                break
            size *= 2
        self.inside[first:meet] = inside[: meet - first]
        self.code[first:meet] = code[: meet - first]
        return first, meet - count + (end - start), meet

    def _meeting(self, inside: bytearray, first: int, after: int, stop: int) -> int:
        """The first line behind the splice where the old reading and the new are both at rest; -1 if not in sight."""
        last = len(self.sheet.lines)
        for i in range(after, stop):
            if not inside[i - first] and not self.inside[i] and (i < stop - 2 or stop == last):
                return i
        return last if stop == last else -1


def code_lines(lines: list[str], language: Language) -> list[str]:
    """The lines without comments, trimmed, read from a normal state."""
    _, code = _lex(lines, language)
    return [line.strip(BLANK) if found is None else found for line, found in zip(lines, code, strict=True)]


def statements(lines: list[str], language: Language) -> list[str]:
    """The lines without comments and, in Python, without statement-level strings."""
    if language.family != "python":
        return code_lines(lines, language)
    text = "\n".join(lines)
    spans = [(start, end, COMMENT) for start, end in docstrings(text, tokens(text, language))]
    spans += [token for token in tokens(text, language) if token[2] == COMMENT]
    _, code = _cut(text, len(lines), sorted(spans))
    return [line.strip(BLANK) if found is None else found for line, found in zip(lines, code, strict=True)]


def _lex(lines: list[str], language: Language) -> tuple[bytearray, list[str | None]]:
    text = "\n".join(lines)
    if not _has_marks(text, language):
        return bytearray(len(lines) + 1), [None] * len(lines)
    return _cut(text, len(lines), tokens(text, language))


def _has_marks(text: str, language: Language) -> bool:
    """Whether anything in the text can be a comment or run over a line's end; a no is certain and cheap."""
    if any(form.endswith("_lines") for form in language.forms):
        return True
    return any(mark in text for mark in _MARKS[language.family])


_MARKS = {
    "c": ("/*", "//", "/+", "`", '"""', "'''", '"(', 'R"', '@"', "\\\n"),
    "python": ("#", '"""', "'''", "\\\n"),
    "xml": ("<!--", "<![CDATA[", "<s", "<S", "<t", "<T"),
}


def _cut(text: str, count: int, found: list[tuple[int, int, int]]) -> tuple[bytearray, list[str | None]]:
    """Per line: what it begins within, and its code where a comment was cut from it."""
    inside = bytearray(count + 1)
    code: list[str | None] = [None] * count
    cuts: dict[int, list[tuple[int, int]]] = {}
    row = 0
    position = 0
    for start, end, kind in found:
        newline = text.find("\n", start, end)
        if kind == STRING and newline < 0:
            continue
        row += text.count("\n", position, start)
        position = start
        at = start
        line = row
        while newline >= 0:
            if kind == COMMENT:
                cuts.setdefault(line, []).append((at, newline))
            line += 1
            inside[line] = kind
            at = newline + 1
            newline = text.find("\n", at, end)
        if kind == COMMENT:
            cuts.setdefault(line, []).append((at, end))
    _apply_cuts(text, cuts, code)
    return inside, code


def _apply_cuts(text: str, cuts: dict[int, list[tuple[int, int]]], code: list[str | None]) -> None:
    for row, spans in cuts.items():
        start = text.rfind("\n", 0, spans[0][0]) + 1
        stop = text.find("\n", spans[-1][1])
        line = ""
        for begin, end in spans:
            line = _joined(line, text[start:begin])
            start = end
        code[row] = _joined(line, text[start : stop if stop >= 0 else len(text)]).strip(BLANK)


def _joined(before: str, after: str) -> str:
    """What stood around a comment: of blanks on both sides one is kept."""
    if before[-1:] in (" ", "\t") and after[:1] in (" ", "\t"):
        return before.rstrip(" \t") + " " + after.lstrip(" \t")
    return before + after
