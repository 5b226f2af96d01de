"""Turn sketches, the unmarked fences of a chat answer, into proposals. The tree decides, never the words.

    file      a whole file, new or rewritten         symbol    functions and classes that the file has
    lines     lines that give way to others          overlay   parts of a file between marks for left-out code

`target.py` finds the file of a sketch, `combine.py` lays all sketches of a file over it and finds those for the same
lines, the alternatives.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Protocol

from ..answer.marks import find_marks, is_mark
from ..hints import ProposalRule as Rule
from ..model import Proposal, Sketch, Unused
from .combine import propose_file
from .edits import Ambiguous, LineEdit, Unplaced
from .overlay import lay_overlay
from .rules import Piece
from .target import PathIndex, Target, find_target, is_command, unknown_paths

__all__ = [
    "Ambiguous",
    "Files",
    "LineEdit",
    "PathIndex",
    "Proposal",
    "Rule",
    "Sketch",
    "Target",
    "Unplaced",
    "Unused",
    "find_marks",
    "find_target",
    "is_mark",
    "lay_overlay",
    "propose",
]


_LONGEST_FILE = 200_000  # lines; a longer one took a minute and a gigabyte
_MOST_LINES = 100_000  # of all sketches of an answer


class Files(Protocol):
    """The tree as the stated edits leave it."""

    def paths(self) -> Collection[str]:
        """Return all paths, with forward slashes."""

    def lines(self, path: str) -> list[str] | None:
        """Return the lines of a file without line endings; None if there is no such text file."""


def propose(sketches: Sequence[Sketch], files: Files) -> list[Proposal | Unused]:
    """Return what each sketch proposes, or why it changes nothing: one result for each, in order."""
    results: dict[int, Proposal | Unused] = {}
    by_path: dict[str, list[Piece]] = {}
    contents: dict[str, list[str] | None] = {}
    index = PathIndex(files.paths() if sketches else ())
    previous = ""
    lines_left = _MOST_LINES
    for order, sketch in enumerate(sketches):
        previous = sketch.previous or previous
        target = find_target(sketch, index, previous)
        if target is None or not sketch.closed:
            reason = _reason_against(sketch, index)
            results[order] = Unused(sketch.block, reason, target.path if target else "")
            continue
        previous = path = target.path
        if path not in contents:
            contents[path] = files.lines(path)
        lines_left -= len(sketch.body)
        if len(contents[path] or ()) > _LONGEST_FILE or lines_left < 0:
            results[order] = Unused(sketch.block, "It is too long, or its file is, to lay one over the other.", path)
            continue
        body = _without_label(sketch.body, target, contents[path])
        by_path.setdefault(path, []).append(Piece(order, sketch, target, body))
        if target.own:
            index.add(path)
    for path, pieces in by_path.items():
        results.update(propose_file(path, pieces, contents[path]))
    return [results[order] for order in range(len(sketches))]


def _reason_against(sketch: Sketch, index: PathIndex) -> str:
    """Say why a sketch that has no file, or no end, can't propose anything."""
    if not sketch.closed:
        return "The fence is never closed, so the answer may be cut off."
    if is_command(sketch.info):
        return "It is a command or its output."
    unknown = ", ".join(unknown_paths(sketch.above, index)[:4])
    return "Nothing above it names a file of the tree" + (f"; there is no {unknown}." if unknown else ".")


def _without_label(body: Sequence[str], target: Target, lines: Sequence[str] | None) -> list[str]:
    """Return a sketch without the comment on top that only names its file, unless the file has that comment."""
    kept = target.skip == 0 or bool(lines and lines[0].rstrip() == body[0].rstrip())
    return list(body if kept else body[target.skip :])
