"""The answer's words next to an edit, which may name the symbol that it is in. They choose, they never decide. Pure."""

from __future__ import annotations

from bisect import bisect_left
from functools import cached_property
from itertools import accumulate
from typing import TYPE_CHECKING

from ..model import Edit, Hunk

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..model import Patch


class Prose:
    """What an answer says between its edits; looked at when an edit has several places."""

    def __init__(self, answer: str, patch: Patch) -> None:
        self._answer, self._patch = answer, patch

    @cached_property
    def _lines(self) -> list[str]:
        return self._answer.split("\n")

    @cached_property
    def _edits(self) -> tuple[list[int], list[int]]:
        """The line at which each edit of the answer begins, ascending, and the row after it and all those before it."""
        edits = [hunk for op in self._patch.ops if isinstance(op, Edit) for hunk in op.hunks if isinstance(hunk, Hunk)]
        edits.sort(key=lambda hunk: hunk.patch_line)
        ends = accumulate([_end(self._lines, hunk) for hunk in edits], max)
        return [hunk.patch_line for hunk in edits], list(ends)

    def beside(self, hunk: Hunk) -> Sequence[str]:
        """The texts next to a hunk, nearest first: above it, up to the edit before; above all; below the only one."""
        if not self._answer:
            return ()
        starts, ends = self._edits
        before = bisect_left(starts, hunk.patch_line)
        above = self._lines[ends[before - 1] if before else 0 : max(hunk.patch_line - 1, 0)]
        rest = self._lines[: max(starts[0] - 1, 0)] if len(starts) > 1 else self._lines[ends[0] :]
        return "\n".join(above), "\n".join(rest)


def _end(lines: list[str], hunk: Hunk) -> int:
    """The row after the last line of a hunk, as far as its own lines tell."""
    if hunk.signed:
        return min(hunk.patch_line + len(hunk.signed), len(lines))
    last = next((line for line in reversed(hunk.new.split("\n")) if line.strip()), "").strip()
    row = hunk.patch_line + hunk.old.count("\n")
    end = row + hunk.new.count("\n") + 3
    while row < min(end, len(lines)) and last and last not in lines[row]:
        row += 1
    return min(max(row + 1, hunk.patch_line), len(lines))
