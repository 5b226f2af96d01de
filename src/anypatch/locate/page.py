"""A sheet made searchable: its text, its lines as one character each for every rung in use, its lexing. Pure."""

from __future__ import annotations

from ..model import Swap
from ..syntax.languages import language_of
from ..text import BLANK, BOM, Sheet, Watcher, encode
from .indent import Habits
from .index import Index
from .rungs import RUNGS, Rung, inner_space, punctuation, trimmed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ..errors import Problem
    from ..model import Said, Splice
    from ..syntax.languages import Language
    from .lexed import Lexed
    from .near import Catalogue
    from .symbol import Table
    from .words import Words

# With so many searches to come an index of the lines pays for itself; below, the plain text is searched.
INDEX_PAYS = 40
# After so many hunks without a place the patch is no patch for this file: others are looked for in the strictest way.
PATIENCE = 300
# So many lines, in all files of a patch, are looked through for what is nearest to hunks without a place.
SOUGHT = 1_000_000
PAST = "\n"
_TOP = (0, 1)


class Page(Watcher):
    """A file being edited. `searches` is how many hunks want a place in it: that decides how it is searched."""

    def __init__(self, sheet: Sheet, path: str, searches: int = 1, sought: list[int] | None = None) -> None:
        self.sheet = sheet
        self.path = path
        self.searches = searches
        # The splices of each operation so far that moved lines: what a line number of the patch means now.
        self.moved: list[tuple[Splice, ...]] = []
        # The lines are those of one symbol, which the patch names.
        self.is_symbol = False
        # What is to be looked for in it, where that is known.
        self.said: Sequence[Said] = ()
        # How many hunks found no place: the nearest region is shown for the first few only.
        self.missed = 0
        # How many lines were looked through for such regions; the pages of one plan count together.
        self.sought = [0] if sought is None else sought
        # For `near`: its catalogue of the lines, and of which version.
        self.catalogue: tuple[int, Catalogue | None] = (-1, None)
        self._text: str | None = None
        # A row and where its line begins in the text: rows are counted from there, splices near it mend the text.
        self._known = _TOP
        self._habits: Habits | None = None
        self._bare: tuple[int, set[str]] = (-1, set())
        self._lone_cr: bool | None = None
        # For `telling`: how many bytes were parsed.
        self.parsed = 0
        # Hunks that have several places, with what was said of them, and in which version of the text.
        self.doubtful: tuple[int, dict[Said, list[Problem]]] = (-1, {})
        # The symbols, once somebody asked for them.
        self.symbols: Table | None = None
        # For `quick`: a row and where it begins in the raw text, and the language of which that holds no comment.
        self.passed = (0, 0)
        self.bare_of = ""
        self._words: Words | None = None
        self._indexes: dict[str, Index] = {}
        self._lexed: dict[str, Lexed] = {}
        self._languages: dict[str, Language | None] = {}
        # For `enclosing`: the version of the sheet that it was asked for, and where symbols end there.
        self.ends: tuple[int, dict[int, tuple[int, int]]] = (-1, {})
        sheet.watchers.append(self)

    @property
    def lines(self) -> list[str]:
        """The lines as they are now."""
        return self.sheet.lines

    @property
    def text(self) -> str:
        """The lines joined by LF, with one in front and one behind, so that every line stands between two."""
        if self._text is None:
            raw = self.sheet.raw if self.sheet.plain else None
            if raw is None:
                self._text = "\n".join(["", *self.lines, ""])
            else:
                self._text = "\n" + raw + ("\n" if raw[-1:] not in ("\n", "") else "")
        return self._text

    def has_line(self, line: str) -> bool:
        """Whether some line is this one, without blanks at its end."""
        if self.searches >= INDEX_PAYS:
            return self.index(RUNGS["trailing space"], None).holds(line)
        if self._bare[0] != self.sheet.version:
            self._bare = (self.sheet.version, {line.rstrip(BLANK) for line in self.lines})
        return line in self._bare[1]

    def moved_row(self, row: int) -> int:
        """Where a row of the file as it was read is by now."""
        for splices in self.moved:
            row += sum(len(one.lines) - (one.end - one.start) for one in splices if one.end <= row)
        return row

    def has_lone_cr(self) -> bool:
        """Whether a CR may stand inside a line; a no is certain."""
        if self._lone_cr is None:
            self._lone_cr = any("\r" in line for line in self.lines)
        return self._lone_cr

    def habits(self) -> Habits:
        """How the file is indented as it was at first; edits don't change its habits."""
        if self._habits is None:
            self._habits = Habits(self.lines[:])
        return self._habits

    def data(self) -> bytes:
        """The bytes of the file as it is now; of a large text that is at hand, without joining its lines again."""
        sheet = self.sheet
        if self._text is None or not sheet.plain or not self.lines:
            return sheet.data()
        return encode(BOM * sheet.bom + self._text[1 : None if sheet.final else -1])

    def language(self, fallback: str = "") -> Language | None:
        """What the file is written in: its suffix decides, then the patch's word."""
        if fallback not in self._languages:
            self._languages[fallback] = language_of(self.path, fallback)
        return self._languages[fallback]

    def lexed(self, language: Language) -> Lexed:
        """The lexer's view of the lines, made at the first call."""
        if language.name not in self._lexed:
            from .lexed import Lexed

            # With many edits to come no text is kept: each would make it anew.
            text = self.text[1:] if self.searches < INDEX_PAYS else ""
            self._lexed[language.name] = Lexed(self.sheet, language, text)
        return self._lexed[language.name]

    def index(self, rung: Rung, language: Language | None) -> Index:
        """The lines under a rung as a string of one character a line, made at the first call."""
        name = rung.name if language is None or rung.sees == "text" else f"{rung.name} {language.name}"
        if name not in self._indexes:
            self._indexes[name] = Index(rung, language, self.keys(rung, language, 0, len(self.lines)))
        return self._indexes[name]

    def words(self) -> Words:
        """The lines that hold words of what is to be swapped, made at the first call."""
        if self._words is None:
            from .words import Words, whole_lines

            swaps = [said.old for said in self.said if isinstance(said, Swap)]
            self._words = Words(self.lines, [old for old in swaps if not whole_lines(old)])
        return self._words

    def has_index(self, rung: Rung, language: Language | None) -> bool:
        """Whether searching by index is the cheaper way, or the only one: the text must hold the keys as they are."""
        if self.searches >= INDEX_PAYS or rung.name in self._indexes or rung.key is punctuation:
            return True
        if rung.sees == "text" or language is None:
            return rung.key is inner_space
        return rung.sees == "statements" or self.lexed(language).has_holes

    def keys(self, rung: Rung, language: Language | None, start: int, end: int) -> list[str]:
        """Lines start..end as the rung compares them."""
        if rung.sees == "text" or language is None:
            return rung.keys(self.lines[start:end])
        lexed = self.lexed(language)
        found = lexed.statements()[start:end] if rung.sees == "statements" else lexed.codes(start, end)
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

    def begun(self) -> None:
        """Keep what the lines show as long as they are as they were."""
        self.habits()

    def spliced(self, start: int, end: int, count: int) -> None:
        """Follow the sheet."""
        if self.symbols is not None:
            self.symbols.spliced(start, end, count)
        if self._text is not None:
            self._text = self._mended(self._text, start, end, count)
        if self._lone_cr is False:
            self._lone_cr = any("\r" in line for line in self.lines[start : start + count])
        if self._words is not None:
            self._words.add(self.lines[start : start + count])
        changed = {}
        for name, lexed in self._lexed.items():
            changed[name] = lexed.spliced(start, end, count)
        for index in self._indexes.values():
            rung, language = index.rung, index.language
            if language is None or rung.sees == "text":
                index.update(start, end, self.keys(rung, None, start, start + count))
            else:
                first, old, new = changed[language.name]
                index.update(first, old, self.keys(rung, language, first, new))

    def renewed(self) -> None:
        """All views of the sheet are made anew when asked for."""
        self._text, self._known, self._words, self._lone_cr = None, _TOP, None, None
        self.symbols = None
        self._indexes.clear()
        self._lexed.clear()

    def row_of(self, position: int) -> int:
        """The row of a position in the text; the next one is best asked for nearby."""
        text, (row, offset) = self.text, self._known
        if position >= offset:
            row += text.count("\n", offset, position)
        elif position > offset // 2:
            row -= text.count("\n", position, offset)
        else:
            row = text.count("\n", 1, position)
        self._known = (row, text.rfind("\n", 0, position) + 1)
        return row

    def _mended(self, text: str, start: int, end: int, count: int) -> str | None:
        """The text after a splice close below the row that is known; None where it has to be made anew."""
        row, offset = self._known
        if not row - 8 <= start <= row + 8 or end - start > 64:
            self._known = _TOP
            return None
        for _ in range(start - row):
            offset = text.find("\n", offset) + 1
        for _ in range(row - start):
            offset = text.rfind("\n", 0, offset - 1) + 1
        self._known = (start, offset)
        behind = offset
        for _ in range(end - start):
            behind = text.find("\n", behind) + 1
        new = "\n".join(self.lines[start : start + count]) + "\n" if count else ""
        return f"{text[:offset]}{new}{text[behind:]}"


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
