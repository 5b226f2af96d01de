"""The ladder: the named ways in which a line of a patch may equal a line of a file. A table; finds nothing itself."""

from __future__ import annotations

from itertools import repeat

from ..record import NamedTuple
from ..text import BLANK, stripped

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


class Rung(NamedTuple):
    """How lines are made comparable. `skips`: blank lines don't count. `sees`: "text", "code" or "statements".

    "code" is the line without its comments, "statements" without Python's docstrings too.
    """

    name: str
    key: Callable[[str], str]
    skips: bool = False
    sees: str = "text"

    def keys(self, lines: Sequence[str]) -> list[str]:
        """Lines as the rung compares them; the commonest ways without a call a line."""
        if self.key is same:
            return list(lines)
        if self.key is trailing:
            return list(map(str.rstrip, lines, repeat(BLANK)))
        return stripped(lines) if self.key is trimmed else list(map(self.key, lines))


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
