"""What goes in and what comes out: sketches, the files of a tree, and proposals."""

from __future__ import annotations

from collections.abc import Collection
from typing import Protocol

from ..hints import ProposalRule as Rule
from ..model import Proposal, Sketch, Unused

__all__ = ["Files", "Proposal", "Rule", "Sketch", "Unused"]


class Files(Protocol):
    """The tree as the stated edits leave it."""

    def paths(self) -> Collection[str]:
        """Return all paths, with forward slashes."""

    def lines(self, path: str) -> list[str] | None:
        """Return the lines of a file without line ends; None if there is no such text file."""
