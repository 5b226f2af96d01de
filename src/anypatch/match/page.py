"""A text made searchable: its lines as each rung compares them, and what the lexer says of them. Pure."""

from __future__ import annotations

from ..syntax.languages import COMMENT, STRING, language_of
from ..text import BLANK, Text, stripped
from .indentation import Habits
from .levels import RUNGS, Rung, trimmed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ..model import Said, Splice
    from ..problems import Problem
    from ..syntax.languages import Language
    from .splices import Fit
    from .symbol_edits import Table


class Lexed:
    """Lines as the lexer sees them, read from a normal state.

    `inside[i]`: what line i begins within: 0, COMMENT, STRING; one more than there are lines, for what runs on behind
    them. `code[i]`: line i without comments, trimmed.
    """

    __slots__ = ("_bare", "code", "inside", "language", "lines")

    def __init__(self, lines: list[str], language: Language) -> None:
        self.lines = lines
        self.language = language
        self.inside, self.code = bytearray(len(lines) + 1), stripped(lines)
        self._bare: list[str] | None = None
        # With the last line end, so that what is still open there is seen to run on.
        text = "\n".join([*lines, ""])
        if has_marks(text, language):
            from ..syntax.lexer import tokens

            _cut(text, tokens(text, language), self.inside, self.code)

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
                _cut(text, sorted(spans), bytearray(len(self.lines) + 1), self._bare)
        return self._bare


def code_lines(lines: Iterable[str], language: Language) -> list[str]:
    """The lines without comments, trimmed."""
    return Lexed(list(lines), language).code


def has_marks(text: str, language: Language) -> bool:
    """Whether anything in the text can be a comment or run over a line's end; a no is certain and cheap."""
    # A single character is looked for much faster than several. Strings that run over lines by themselves are
    # everywhere: php, rust, d.
    return "quote_lines" in language.forms or any(
        char in text and any(mark in text for mark in marks) for char, marks in _MARKS[language.family]
    )


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


def _cut(text: str, found: list[tuple[int, int, int]], inside: bytearray, code: list[str]) -> None:
    """Note what each line begins within, and cut the comments out of its code."""
    cuts: dict[int, list[tuple[int, int]]] = {}
    row = position = 0
    for start, end, kind in found:
        newline = text.find("\n", start, end)
        if newline < 0 and kind == STRING:
            continue
        row += text.count("\n", position, start)
        position = start
        if newline < 0 and row < len(code) and row not in cuts and text[end : end + 1] in ("\n", ""):
            # By far the most common: a comment to the end of its line.
            code[row] = text[text.rfind("\n", 0, start) + 1 : start].strip(BLANK)
            continue
        for line, span in enumerate(_spans(text, start, end, newline), row):
            if line > row:
                inside[line] = kind
            if kind == COMMENT:
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


PAST = "\n"  # what stands past either end of a text


class Index:
    """The lines of a text as a level compares them, those that it passes over left out.

    `rows`: the row of each key.
    """

    __slots__ = ("_first", "_last", "_positions", "keys", "rows")

    def __init__(self, keys: list[str], rows: Sequence[int]) -> None:
        self.keys = keys
        self.rows = rows
        # Most lines that are looked for stand once: two dictionaries tell that, made without a step for each line.
        self._last = dict(zip(keys, range(len(keys)), strict=True))
        self._first = dict(zip(reversed(keys), range(len(keys) - 1, -1, -1), strict=True))
        self._positions: dict[str, list[int]] | None = None

    def __contains__(self, key: str) -> bool:
        return key in self._last

    def only(self, key: str) -> int:
        """Where among the keys one stands that is there once; -1 for any other."""
        last = self._last.get(key, -1)
        return last if last >= 0 and self._first[key] == last else -1

    def positions(self, key: str) -> list[int]:
        """Where among the keys one stands."""
        if self._positions is None:
            self._positions = {}
            for position, other in enumerate(self.keys):
                self._positions.setdefault(other, []).append(position)
        return self._positions.get(key, [])


class Page:
    """A text, the path of its file, and the views that searches share."""

    def __init__(self, text: Text, path: str, habits: Habits | None = None, edited: bool = False) -> None:
        self.sheet = text
        self.edited = edited  # some of it was written by the patch
        self.path = path
        self.lines = text.lines
        # The splices of each operation so far that moved lines: what a line number of the patch means now.
        self.moved: list[tuple[Splice, ...]] = []
        self.is_symbol = False  # the lines are those of one symbol, which the patch names
        self.parsed = 0  # for `telling`: how many bytes were parsed
        self.found: dict[tuple[object, ...], list[int]] = text.views("found")  # by `search.find`
        self.words: list[set[str]] | None = None  # of each line, for `diagnostics`
        self.symbols: Table | None = None  # once somebody asked for them
        self.codes: list[str] | None = None  # for `rounds`
        self.ends: dict[int, tuple[int, int]] | None = None  # for `enclosing`
        self._text: str | None = None
        self._lone_cr: bool | None = None
        self._habits = habits
        self._first_lines = text.lines
        self.doubtful: dict[Said, list[Problem]] = {}  # hunks that have several places, with what was said of them
        self._indexes: dict[str, Index] = text.views("indexes")
        self._keys: dict[str, list[str]] = text.views("keys")
        self._lexed: dict[str, Lexed] = text.views("lexed")
        self._languages: dict[str, Language | None] = {}

    def spliced(self, fits: Sequence[Fit], final: bool | None = None) -> Page:
        """The page with all fits made at once; they are ascending and don't overlap."""
        cuts = [(*fit.splice[:3], fit.ends) for fit in fits]
        page = Page(self.sheet.spliced(cuts, final), self.path, self._habits, edited=True)
        page._first_lines = self._first_lines  # edits don't change the habits of a file
        page.moved, page.is_symbol, page.parsed = self.moved, self.is_symbol, self.parsed
        page.symbols = self.symbols.spliced(fits) if self.symbols is not None else None
        return page

    @property
    def text(self) -> str:
        """The lines, each with LF behind it."""
        if self._text is None:
            self._text = "\n".join([*self.lines, ""])
        return self._text

    def has_line(self, line: str) -> bool:
        """Whether some line is this one, without blanks at its end."""
        return line in self.index(RUNGS["trailing space"], None)

    def moved_row(self, row: int) -> int:
        """Where a row of the file as it was read is by now."""
        for splices in self.moved:
            row += sum(len(one.lines) - (one.end - one.start) for one in splices if one.end <= row)
        return row

    def has_lone_cr(self) -> bool:
        """Whether a CR stands inside a line."""
        if self._lone_cr is None:  # asked for every hunk without a place
            self._lone_cr = "\r" in self.text
        return self._lone_cr

    def habits(self) -> Habits:
        """How the file is indented as it was at first."""
        if self._habits is None:
            self._habits = Habits(self._first_lines)
        return self._habits

    def language(self, fallback: str = "") -> Language | None:
        """What the file is written in: its suffix decides, then the patch's word."""
        if fallback not in self._languages:
            self._languages[fallback] = language_of(self.path, fallback)
        return self._languages[fallback]

    def lexed(self, language: Language) -> Lexed:
        """The lexer's view of the lines."""
        if language.name not in self._lexed:
            self._lexed[language.name] = Lexed(self.lines, language)
        return self._lexed[language.name]

    def index(self, rung: Rung, language: Language | None) -> Index:
        """The lines under a rung, by what they are."""
        name = _name(rung, language)
        if name not in self._indexes:
            keys = self.keys(rung, language)
            rows: Sequence[int] = range(len(keys))
            if rung.skips and "" in keys:
                rows = [row for row, key in enumerate(keys) if key]
                keys = [keys[row] for row in rows]
            self._indexes[name] = Index(keys, rows)
        return self._indexes[name]

    def keys(self, rung: Rung, language: Language | None) -> list[str]:
        """All lines as the rung compares them."""
        name = _name(rung, language)
        if name not in self._keys:
            self._keys[name] = _keys(self.lines if language is None else self.lexed(language), rung)
        return self._keys[name]

    def key(self, rung: Rung, language: Language | None, row: int) -> str:
        """The line at a row as the rung compares it; past either end PAST."""
        keys = self.keys(rung, language)
        return keys[row] if 0 <= row < len(keys) else PAST


def spliced(lines: list[str], fits: Iterable[Fit], offset: int = 0) -> list[str]:
    """Lines with splices made in them; `offset`: the row of the first of them."""
    result = lines[:]
    for start, end, new, _ in sorted((fit.splice for fit in fits), key=lambda splice: splice[:2], reverse=True):
        result[start - offset : end - offset] = new
    return result


def needle_keys(rung: Rung, language: Language | None, lines: tuple[str, ...]) -> list[str]:
    """A patch's lines as the rung compares them."""
    if rung.sees == "text" or language is None:
        return rung.keys(lines)
    lexed = Lexed(list(lines), language)
    # What the patch leaves open would swallow its own lines: then comments can't be told from code.
    return [] if lexed.inside[-1] else _keys(lexed, rung)


def _keys(lexed: Lexed | list[str], rung: Rung) -> list[str]:
    """Lines as the rung compares them."""
    if rung.sees == "text" or not isinstance(lexed, Lexed):
        return rung.keys(lexed.lines if isinstance(lexed, Lexed) else lexed)
    seen = lexed.statements() if rung.sees == "statements" else lexed.code
    return seen if rung.key is trimmed else [rung.key(line) for line in seen]


def _name(rung: Rung, language: Language | None) -> str:
    return rung.name if language is None or rung.sees == "text" else f"{rung.name} {language.name}"
