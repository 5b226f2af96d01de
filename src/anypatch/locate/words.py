"""Which lines hold the words of a patch: a text that begins and ends inside of lines is found by them. Pure.

A word is a run of letters, digits and underscores. One inside a text, with something else on either side, is a whole
word wherever the text stands.
"""

from __future__ import annotations

import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

# A word of more lines than these is common: it tells nothing.
COMMON = 64
_BLOCK = 4096
_WORD = re.compile(r"\w+")
_WORD_OR_END = re.compile(r"\w+|\n")


def whole_lines(text: str) -> tuple[str, ...]:
    """The lines of a text that are whole wherever it stands: all but the first and the last."""
    return tuple(text.split("\n")[1:-1]) if "\n" in text else ()


class Words:
    """Lines by the words of a patch: of each word the rows and lines as they were at first, and lines that came."""

    __slots__ = ("_lines",)

    def __init__(self, lines: list[str], texts: list[str]) -> None:
        """`texts`: all that is to come; no other words are looked for."""
        self._lines: dict[str, list[tuple[int, str]]] = {word: [] for word in _WORD.findall("\n".join(texts))}
        known = self._lines
        for top in range(0, len(lines), _BLOCK):
            row = top
            for word in _WORD_OR_END.findall("\n".join(lines[top : top + _BLOCK])):
                if word == "\n":
                    row += 1
                elif word in known and len(known[word]) <= COMMON:
                    known[word].append((row, lines[row]))

    def add(self, lines: list[str] | tuple[str, ...]) -> None:
        """Lines that came, in no row that is known."""
        known = self._lines
        for line in lines:
            for word in _WORD.findall(line):
                if word in known and len(known[word]) <= COMMON:
                    known[word].append((-1, line))

    def holders(self, text: str) -> tuple[int, list[tuple[int, str]]] | None:
        """The lines that may hold a line of a text, and which of its lines; None where no word tells."""
        best: tuple[int, list[tuple[int, str]]] | None = None
        for at, word in _inner(text):
            found = self._lines.get(word)
            if found is not None and len(found) <= (COMMON if best is None else len(best[1]) - 1):
                best = (text.count("\n", 0, at), found)
                if len(found) < 2:
                    break
        return best


def _inner(text: str) -> Iterator[tuple[int, str]]:
    """The words inside a text that touch neither of its ends, and where they begin."""
    for found in _WORD.finditer(text):
        if found.start() and found.end() < len(text):
            yield found.start(), found.group()
