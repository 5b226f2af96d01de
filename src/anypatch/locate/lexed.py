"""What the lexer says of a sheet, line by line, kept true through splices without lexing all of it again. Pure."""

from __future__ import annotations

from _operator import is_not
from itertools import compress, repeat

from ..syntax.languages import COMMENT, STRING
from ..text import BLANK, Sheet, stripped

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..syntax.languages import Language

_WINDOW = 16


class Lexed:
    """`inside[i]`: what line i begins within (0, COMMENT or STRING); `code[i]`: its code, None where that is the line.

    `has_holes`: some line's code is no part of the line, because a comment was cut out of its middle.
    """

    __slots__ = ("_bare", "_marked", "code", "has_holes", "inside", "language", "sheet")

    def __init__(self, sheet: Sheet, language: Language, text: str = "") -> None:
        self.sheet = sheet
        self.language = language
        text = text or "\n".join([*sheet.lines, ""])
        self._marked = has_marks(text, language)
        self.inside, self.code, self.has_holes = _lexed(text, len(sheet.lines), language, self._marked)
        self._bare: list[str] | None = None

    @staticmethod
    def ends_within(lines: list[str], language: Language) -> int:
        """What a line behind these would begin within, if they are read from a normal state."""
        return _lex(lines, language)[0][len(lines)]

    def code_of(self, i: int) -> str:
        """Line i without comments, trimmed."""
        code = self.code[i]
        return self.sheet.lines[i].strip(BLANK) if code is None else code

    def codes(self, start: int, end: int) -> list[str]:
        """Lines start..end without comments, trimmed."""
        bare = stripped(self.sheet.lines[start:end])
        if not self._marked:
            return bare
        code = self.code[start:end]
        for row in compress(range(len(code)), map(is_not, code, repeat(None))):
            bare[row] = code[row] or ""
        return bare

    def statements(self) -> list[str]:
        """Every line without comments and docstrings, trimmed."""
        if self._bare is None:
            self._bare = statements(self.sheet.lines, self.language)
        return self._bare

    def spliced(self, start: int, end: int, count: int) -> tuple[int, int, int]:
        """Follow a splice. Returns the range whose code may have changed: first line, old end, new end."""
        self.code[start:end] = [None] * count
        new = self.sheet.lines[start : start + count]
        brings = has_marks("\n".join(new), self.language) or (count > 0 and new[-1][-1:] == "\\")
        if not brings and not self.inside[start] and not self.inside[end]:
            # Nothing to lex came, and what went was whole.
            self.inside[start:end] = bytes(count)
            if self._bare is not None:
                self._bare[start:end] = statements(new, self.language)
            return start, end, start + count
        self._marked = self._marked or brings
        first = start - (self.inside[start] != 0)
        # The state in which the first line behind the splice used to begin stays, to be met again.
        if count and end > start:
            self.inside[start + 1 : end] = bytes(count - 1)
        elif count:
            self.inside[start + 1 : start + 1] = bytes(count - 1) + self.inside[start : start + 1]
        else:
            del self.inside[start:end]
        while first and self.inside[first]:
            first -= 1
        lines = self.sheet.lines
        size = start + count - first
        while True:
            stop = min(first + size, len(lines))
            inside, code, holes = _lex(lines[first:stop], self.language)
            meet = self._meeting(inside, first, start + count, stop)
            if meet >= 0:
                break
            size = size * 2 + _WINDOW
        rest = meet + (meet == len(lines))
        self.inside[first:rest] = inside[: rest - first]
        self.code[first:meet] = code[: meet - first]
        self.has_holes = self.has_holes or holes
        if self._bare is not None:
            self._bare[first : meet - count + (end - start)] = statements(lines[first:meet], self.language)
        return first, meet - count + (end - start), meet

    def _meeting(self, inside: bytearray, first: int, after: int, stop: int) -> int:
        """The first line behind the splice where the old reading and the new are both at rest; -1 if not in sight."""
        lines = self.sheet.lines
        if stop < len(lines) and stop and lines[stop - 1][-1:] == "\\":
            return -1
        for i in range(after, stop + 1):
            if not inside[i - first] and not self.inside[i]:
                return i
        return stop if stop == len(lines) else -1


def code_lines(lines: list[str], language: Language, *, closed: bool = False) -> list[str]:
    """The lines without comments, trimmed, read from a normal state. `closed`: none, if they end within something."""
    text = "\n".join(lines) + "\n"
    if not has_marks(text, language):
        return [line.strip(BLANK) for line in lines]
    inside, code, _ = _lexed(text, len(lines), language, True)
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
    _, code, _ = _cut(text, len(lines), sorted(spans))
    return [line.strip(BLANK) if found is None else found for line, found in zip(lines, code, strict=True)]


def _lex(lines: list[str], language: Language) -> tuple[bytearray, list[str | None], bool]:
    # With the last line end, so that what is still open there is seen to run on.
    text = "\n".join([*lines, ""])
    return _lexed(text, len(lines), language, has_marks(text, language))


def _lexed(text: str, count: int, language: Language, marked: bool) -> tuple[bytearray, list[str | None], bool]:
    if not marked:
        return bytearray(count + 1), [None] * count, False
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


def _cut(text: str, count: int, found: list[tuple[int, int, int]]) -> tuple[bytearray, list[str | None], bool]:
    """Per line: what it begins within, its code where a comment was cut from it; and whether one was in a middle."""
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
    return inside, code, _apply_cuts(text, cuts, code)


def _spans(text: str, start: int, end: int, newline: int) -> list[tuple[int, int]]:
    """A token's part of each line it touches."""
    spans = []
    while newline >= 0:
        spans.append((start, newline))
        start = newline + 1
        newline = text.find("\n", start, end)
    return [*spans, (start, end)]


def _apply_cuts(text: str, cuts: dict[int, list[tuple[int, int]]], code: list[str | None]) -> bool:
    holes = False
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
        holes = holes or len(spans) > 1 or not (rest.strip(BLANK) == "" or line.strip(BLANK) == "")
    return holes


def _joined(before: str, after: str) -> str:
    """What stood around a comment: of blanks on both sides one is kept."""
    if before[-1:] in (" ", "\t") and after[:1] in (" ", "\t"):
        return before.rstrip(" \t") + " " + after.lstrip(" \t")
    return before + after
