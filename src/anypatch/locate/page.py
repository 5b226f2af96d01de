"""A sheet made searchable: its text, its lines as one character each for every rung in use, its lexing. Pure."""

from __future__ import annotations

from ..syntax.languages import language_of
from ..text import BOM, Sheet, Watcher, encode
from .lexed import Lexed, code_lines, statements
from .rungs import Rung, inner_space, punctuation, trimmed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from ..syntax.languages import Language

# With so many searches to come an index of the lines pays for itself; below, the plain text is searched.
INDEX_PAYS = 40
_CHARS = 0x10FFFF
GAP = "\0"
PAST = "\n"


class Page(Watcher):
    """A file being edited. `searches` is how many hunks want a place in it: that decides how it is searched."""

    def __init__(self, sheet: Sheet, path: str, searches: int = 1) -> None:
        self.sheet = sheet
        self.path = path
        self.searches = searches
        # How many hunks found no place: the nearest region is shown for the first few only.
        self.missed = 0
        self._text: str | None = None
        # A row and where its line begins in the text: splices near it mend the text instead of making it anew.
        self.known = (-1, 0)
        self._indexes: dict[str, Index] = {}
        self._lexed: dict[str, Lexed] = {}
        self._languages: dict[str, Language | None] = {}
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
            self._lexed[language.name] = Lexed(self.sheet, language, self.text[1:])
        return self._lexed[language.name]

    def index(self, rung: Rung, language: Language | None) -> Index:
        """The lines under a rung as a string of one character a line, made at the first call."""
        name = rung.name if language is None or rung.sees == "text" else f"{rung.name} {language.name}"
        if name not in self._indexes:
            self._indexes[name] = Index(rung, language, self.keys(rung, language, 0, len(self.lines)))
        return self._indexes[name]

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
            return [rung.key(line) for line in self.lines[start:end]]
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

    def spliced(self, start: int, end: int, count: int) -> None:
        """Follow the sheet."""
        self._text = self._mended(start, end, count)
        changed = {name: lexed.spliced(start, end, count) for name, lexed in self._lexed.items()}
        for index in self._indexes.values():
            first, old, new = start, end, start + count
            if index.rung.sees != "text" and index.language is not None:
                first, old, new = changed[index.language.name]
            index.update(first, old, self.keys(index.rung, index.language, first, new))

    def _mended(self, start: int, end: int, count: int) -> str | None:
        """The text after a splice close below the row that is known; None where it has to be made anew."""
        text, (row, offset) = self._text, self.known
        self.known = (-1, 0)
        if text is None or not 0 <= row <= start <= row + 4 or end - start > 64:
            return None
        for _ in range(start - row):
            offset = text.find("\n", offset) + 1
        behind = offset
        for _ in range(end - start):
            behind = text.find("\n", behind) + 1
        new = self.lines[start : start + count]
        return text[:offset] + "\n".join([*new, ""]) + text[behind:]


class Index:
    """Equal lines are equal characters, so that a run of lines is found at the speed of `str.find`.

    Blank lines are GAP. Past a million distinct lines characters are shared; a match is then only a candidate.
    """

    __slots__ = ("_table", "hay", "language", "rung")

    def __init__(self, rung: Rung, language: Language | None, keys: list[str]) -> None:
        self.rung = rung
        self.language = language
        self._table = _Table()
        self._table[""] = GAP
        self.hay = "".join(map(self._table.__getitem__, keys))

    def update(self, start: int, end: int, keys: list[str]) -> None:
        """Lines start..end are these now."""
        self.hay = self.hay[:start] + "".join(map(self._table.__getitem__, keys)) + self.hay[end:]

    @property
    def shares_characters(self) -> bool:
        """Whether two different lines may be the same character."""
        return len(self._table) >= _CHARS

    def needle(self, keys: list[str]) -> str | None:
        """The keys as characters; None where one of them is nowhere in the file."""
        chars = [self._table.get(key) for key in keys]
        return None if None in chars else "".join(char for char in chars if char)


class _Table(dict[str, str]):
    def __missing__(self, key: str) -> str:
        char = self[key] = chr(1 + len(self) % (_CHARS - 1))
        return char


def needle_keys(rung: Rung, language: Language | None, lines: tuple[str, ...]) -> list[str]:
    """A patch's lines as the rung compares them."""
    if rung.sees == "text" or language is None:
        return [rung.key(line) for line in lines]
    if Lexed.ends_within(list(lines), language):
        # What the patch leaves open would swallow its own lines: then comments can't be told from code.
        return []
    if rung.sees == "statements":
        return statements(list(lines), language)
    return [rung.key(line) for line in code_lines(list(lines), language)]
