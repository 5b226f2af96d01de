"""The file that sketches are laid over, with what the rules look up in it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import cached_property

from ..answer.marks import KnownLines, is_mark, unknown_marks
from .definitions import Definition, parse
from .edits import common_indent, shifted, without_blank_ends
from .imports import Imports


class SourceFile:
    """A file's lines and what the rules look up in them. Each index is built once, when it is first needed."""

    def __init__(self, path: str, lines: Sequence[str]) -> None:
        self.path = path
        self.lines = list(lines)

    @cached_property
    def keys(self) -> list[str]:
        """The lines without white space at both ends."""
        return [line.strip() for line in self.lines]

    @cached_property
    def filled(self) -> list[int]:
        """The rows that aren't blank."""
        return [row for row, key in enumerate(self.keys) if key]

    @cached_property
    def filled_keys(self) -> list[str]:
        """The keys of the rows that aren't blank."""
        return [key for key in self.keys if key]

    @cached_property
    def worded(self) -> list[str]:
        """The words of each line, or its signs if it has none."""
        return word_keys(self.lines)

    @cached_property
    def rows(self) -> dict[str, list[int]]:
        """For each key, the rows that have it, from top to bottom."""
        rows: dict[str, list[int]] = {}
        for row, key in enumerate(self.keys):
            rows.setdefault(key, []).append(row)
        return rows

    @cached_property
    def _positions(self) -> dict[str, list[int]]:
        positions: dict[str, list[int]] = {}
        for position, key in enumerate(self.filled_keys):
            positions.setdefault(key, []).append(position)
        return positions

    @cached_property
    def definitions(self) -> list[Definition]:
        """The functions, classes and variables that the file defines, outer before inner."""
        return parse(self.path, self.lines)

    @cached_property
    def named(self) -> dict[str, list[Definition]]:
        """The definitions by their names."""
        named: dict[str, list[Definition]] = {}
        for definition in self.definitions:
            named.setdefault(definition.name, []).append(definition)
        return named

    @cached_property
    def members(self) -> dict[tuple[str, ...], list[Definition]]:
        """The definitions by the path of what is around them; those at the top are under `()`."""
        return members_of(self.definitions)

    @cached_property
    def imports(self) -> Imports:
        """The import statements."""
        return Imports(self.lines)

    @cached_property
    def known_lines(self) -> KnownLines:
        """The lines that aren't marks in a sketch because the file has them."""
        return KnownLines(self.lines)

    def marks(self, body: Sequence[str]) -> frozenset[int]:
        """Return the rows of a sketch that are marks for code left out."""
        return unknown_marks(body, self.known_lines) if any(map(is_mark, body)) else frozenset()

    def places(self, piece: Sequence[str], limit: int = 2) -> list[tuple[int, int]]:
        """Find up to `limit` ranges of rows that hold a piece, whatever its blank lines and common indentation."""
        wanted = [line.rstrip() for line in piece if line.strip()]
        keys = [line.strip() for line in wanted]
        rare = min(range(len(keys)), key=lambda at: len(self._positions.get(keys[at], ())), default=None)
        places: list[tuple[int, int]] = []
        if rare is None:
            return places
        wanted = shifted(wanted, common_indent(wanted), "")
        for position in self._positions.get(keys[rare], ()):
            first = position - rare
            if first < 0 or self.filled_keys[first : first + len(keys)] != keys:
                continue
            rows = self.filled[first : first + len(keys)]
            candidate = [self.lines[row].rstrip() for row in rows]
            if shifted(candidate, common_indent(candidate), "") == wanted:
                places.append((rows[0], rows[-1] + 1))
                if len(places) == limit:
                    break
        return places

    def holds(self, piece: Sequence[str]) -> bool:
        """Return True if the file has a piece to the letter, apart from its common indentation."""
        wanted = without_blank_ends(piece)
        wanted = shifted(wanted, common_indent(wanted), "")
        places = (self.lines[start:stop] for start, stop in self.places(piece, limit=8))
        return any(shifted(place, common_indent(place), "") == wanted for place in places)


def word_keys(lines: Iterable[str]) -> list[str]:
    """Return the words of each line that isn't blank, or its signs if it has no words."""
    return [" ".join(re.findall(r"\w+", line)) or line.strip() for line in lines if line.strip()]


def members_of(definitions: Iterable[Definition]) -> dict[tuple[str, ...], list[Definition]]:
    """Group definitions by the path of what is around them."""
    members: dict[tuple[str, ...], list[Definition]] = {}
    for definition in definitions:
        members.setdefault(definition.parts[:-1], []).append(definition)
    return members
