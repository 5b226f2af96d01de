"""A text for a file that is there, without a word on its place: definitions to add, a rewrite, a quotation. Pure.

<<<<<<< SEARCH            a file with tests, none of them test_empty: it is added at the end
=======
def test_empty():
    assert total([]) == 0
>>>>>>> REPLACE
"""

from __future__ import annotations

import re
from collections import Counter

from ..parsing.elision import marks_in
from ..similarity import keeps_most
from ..syntax.languages import grammar_of
from ..syntax.symbols import CODE, TYPES, declared

_FEW = 0.2  # of the file's lines, which definitions that are new may share with it
_IMPORT = re.compile(r"(?:import|from|use|using|#include)\b")


def reading_of(path: str, there: str, new: str) -> str:
    """What the text is to the file: "there" already, "rewritten", "added" to it; "" where that can't be told."""
    if f"\n{new.strip(chr(10))}\n" in f"\n{there}\n":
        return "there"
    if keeps_most(new, there):
        return "rewritten"
    old, told = (Counter(line.strip() for line in text.split("\n") if line.strip()) for text in (there, new))
    names = _defined(path, new)
    known = {symbol.parts for symbol in declared(path, there)} if names else set()
    return "added" if names and known.isdisjoint(names) and (old & told).total() <= _FEW * old.total() else ""


def is_quoted(path: str, text: str, there: str) -> bool:
    """Whether the lines of a text are in the file, whatever their indentation, with gaps where marks are."""
    said = text.split("\n")
    marks = set(marks_in(path, said))
    parts = "\n".join("\0" if row in marks else line.strip() for row, line in enumerate(said) if line.strip()).split(
        "\0"
    )
    page = "\n".join(["", *(bare for line in there.split("\n") if (bare := line.strip())), ""])
    return all(f"\n{part.strip()}\n" in page for part in parts if part.strip())


def lines_to_add(path: str, there: list[str], new: str) -> tuple[str, ...]:
    """The definitions as lines behind the last one of the file, as many blank lines apart as is usual."""
    apart = 2 if grammar_of(path) == "python" else 1
    blank = next((count for count, line in enumerate(reversed(there)) if line.strip()), apart)
    return (*[""] * (apart - blank), *new.strip("\n").split("\n"))


def _defined(path: str, text: str) -> set[tuple[str, ...]]:
    """The outermost functions and types of a text that is nothing else, but for imports; none where it is more."""
    outer = [symbol for symbol in declared(path, text) if symbol.depth == 0]
    inside = {row for symbol in outer for row in range(symbol.lead, symbol.last + 1)}
    rest = [line for row, line in enumerate(text.split("\n")) if row not in inside and line.strip()]
    whole = all(symbol.kind in (*CODE, *TYPES) and symbol.start == 0 for symbol in outer)
    return {symbol.parts for symbol in outer} if whole and all(map(_IMPORT.match, rest)) else set()
