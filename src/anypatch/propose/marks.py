"""Which rows of a sketch are marks for code that it leaves out of a file (`parsing/marks.py` says what a mark is)."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ..answer.marks import is_dots, is_mark

_PYTHON_HEADER = re.compile(r"\s*(?:async\s+)?(?:def|class)\s+(?P<name>\w+)")


class KnownLines:
    """What a file has that would be a mark in a sketch: each line with the one above it, and names of functions."""

    def __init__(self, lines: Sequence[str]) -> None:
        self.pairs = {(lines[row - 1].strip() if row else "", line.strip()) for row, line in enumerate(lines)}
        self.names = {match["name"] for line in lines if (match := _PYTHON_HEADER.match(line))}


def find_marks(body: Sequence[str], lines: Sequence[str]) -> frozenset[int]:
    """Find the rows of a sketch that are marks for code left out of a file with these lines.

    What the file itself has there isn't one, nor is the body of a new Python function:

        def close(self) -> None:
            ...
    """
    return unknown_marks(body, KnownLines(lines)) if any(map(is_mark, body)) else frozenset()


def unknown_marks(body: Sequence[str], known: KnownLines) -> frozenset[int]:
    """Find the marks in a sketch for a file whose lines are indexed already."""
    return frozenset(
        row
        for row, line in enumerate(body)
        if is_mark(line)
        and (body[row - 1].strip() if row else "", line.strip()) not in known.pairs
        and not _is_new_stub(body, row, known.names)
    )


def _is_new_stub(body: Sequence[str], row: int, names: set[str]) -> bool:
    """Return whether `...` is all that a function does which the file doesn't have."""
    header = _PYTHON_HEADER.match(body[row - 1]) if row and body[row].strip() == "..." else None
    return bool(header and body[row - 1].rstrip().endswith(":") and header["name"] not in names)


def says_left_out(line: str) -> bool:
    """Return whether a line can only be a mark: a comment. Bare dots are code in Python."""
    return is_mark(line) and not is_dots(line)
