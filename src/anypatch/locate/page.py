"""A text made searchable: each view of it is made when it is first asked for, and once. Pure; nothing here changes."""

from __future__ import annotations

from ..record import NamedTuple
from ..syntax.languages import language_of
from ..text import Text
from .indent import Habits
from .rungs import RUNGS, Rung, trimmed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ..errors import Problem
    from ..model import Said, Splice
    from ..syntax.languages import Language
    from .fit import Fit
    from .lexed import Lexed
    from .near import Catalogue
    from .symbol import Table

PAST = "\n"  # what stands past either end of a text


class Index(NamedTuple):
    """The lines of a text as a rung compares them, those that it passes over left out.

    `rows`: the row of each key; `where`: the positions of each key among `keys`.
    """

    keys: list[str]
    rows: Sequence[int]
    where: dict[str, list[int]]


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
        self.found: dict[tuple[object, ...], list[int]] = {}  # for `search.find`: what was looked for before
        self.catalogue: Catalogue | None = None  # for `near`
        self.symbols: Table | None = None  # once somebody asked for them
        self.codes: list[str] | None = None  # for `rounds`
        self.ends: dict[int, tuple[int, int]] | None = None  # for `enclosing`
        self._text: str | None = None
        self._habits = habits
        self.doubtful: dict[Said, list[Problem]] = {}  # hunks that have several places, with what was said of them
        self._indexes: dict[str, Index] = {}
        self._lexed: dict[str, Lexed] = {}
        self._languages: dict[str, Language | None] = {}

    def spliced(self, fits: Sequence[Fit], final: bool | None = None) -> Page:
        """The page with all fits made at once; they are ascending and don't overlap."""
        cuts = [(*fit.splice[:3], fit.ends) for fit in fits]
        # Edits don't change the habits of a file.
        page = Page(self.sheet.spliced(cuts, final), self.path, self.habits(), edited=True)
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
        return line in self.index(RUNGS["trailing space"], None).where

    def moved_row(self, row: int) -> int:
        """Where a row of the file as it was read is by now."""
        for splices in self.moved:
            row += sum(len(one.lines) - (one.end - one.start) for one in splices if one.end <= row)
        return row

    def has_lone_cr(self) -> bool:
        """Whether a CR stands inside a line."""
        return any("\r" in line for line in self.lines)

    def habits(self) -> Habits:
        """How the file is indented as it was at first."""
        if self._habits is None:
            self._habits = Habits(self.lines)
        return self._habits

    def language(self, fallback: str = "") -> Language | None:
        """What the file is written in: its suffix decides, then the patch's word."""
        if fallback not in self._languages:
            self._languages[fallback] = language_of(self.path, fallback)
        return self._languages[fallback]

    def lexed(self, language: Language) -> Lexed:
        """The lexer's view of the lines."""
        if language.name not in self._lexed:
            from .lexed import Lexed

            self._lexed[language.name] = Lexed(self.lines, language)
        return self._lexed[language.name]

    def index(self, rung: Rung, language: Language | None) -> Index:
        """The lines under a rung, by what they are."""
        name = rung.name if language is None or rung.sees == "text" else f"{rung.name} {language.name}"
        if name not in self._indexes:
            keys = self.keys(rung, language)
            rows: Sequence[int] = range(len(keys))
            if rung.skips and "" in keys:
                rows = [row for row, key in enumerate(keys) if key]
                keys = [keys[row] for row in rows]
            where: dict[str, list[int]] = {}
            for position, key in enumerate(keys):
                where.setdefault(key, []).append(position)
            self._indexes[name] = Index(keys, rows, where)
        return self._indexes[name]

    def keys(self, rung: Rung, language: Language | None) -> list[str]:
        """All lines as the rung compares them."""
        if rung.sees == "text" or language is None:
            return rung.keys(self.lines)
        lexed = self.lexed(language)
        found = lexed.statements() if rung.sees == "statements" else lexed.codes(0, len(self.lines))
        return found if rung.key is trimmed else [rung.key(line) for line in found]

    def reader(self, rung: Rung, language: Language | None) -> Callable[[int], str]:
        """A function from a row to the line there as the rung compares it; past either end it gives PAST."""
        lines, key = self.lines, rung.key
        if rung.sees == "text" or language is None:
            return lambda row: key(lines[row]) if 0 <= row < len(lines) else PAST
        lexed = self.lexed(language)
        if rung.sees == "statements":
            bare = lexed.statements()
            return lambda row: bare[row] if 0 <= row < len(lines) else PAST
        return lambda row: key(lexed.code_of(row)) if 0 <= row < len(lines) else PAST


def needle_keys(rung: Rung, language: Language | None, lines: tuple[str, ...]) -> list[str]:
    """A patch's lines as the rung compares them."""
    if rung.sees == "text" or language is None:
        return rung.keys(lines)
    # What the patch leaves open would swallow its own lines: then comments can't be told from code.
    from .lexed import Lexed, code_lines, statements

    if rung.sees == "statements":
        return [] if Lexed.ends_within(list(lines), language) else statements(list(lines), language)
    found = code_lines(list(lines), language, closed=True)
    return found if rung.key is trimmed else [rung.key(line) for line in found]
