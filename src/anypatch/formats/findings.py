"""The problems and notes that a reader finds, each with its line of the patch."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..model import Note, Patch
from ..problems import Problem, bad

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ..model import Op


class Findings:
    """The problems and notes of a patch that is being read."""

    __slots__ = ("notes", "problems")

    def __init__(self) -> None:
        self.problems: list[Problem] = []
        self.notes: list[Note] = []

    def refuse(self, line: int, detail: str, advice: str = "", path: str = "") -> None:
        """Add what is wrong with a line."""
        self.problems.append(bad(line, detail, advice, path))

    def note(self, line: int, text: str, path: str = "", kind: str = "") -> None:
        """Add what is worth knowing about a line."""
        self.notes.append(Note(text, path, line, kind=kind))

    def patch(self, format: str, ops: Iterable[Op], description: str = "") -> Patch:
        """Return the patch of these operations."""
        return Patch(format, tuple(ops), description, tuple(self.problems), tuple(self.notes))
