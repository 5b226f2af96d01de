"""The answer's words next to an edit, which may name the symbol that it is in. They choose, they never decide. Pure."""

from __future__ import annotations

from ..model import Edit, Hunk

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..model import Patch


def words_beside(answer: str, hunk: Hunk, patch: Patch) -> Sequence[str]:
    """The texts next to a hunk, nearest first: above it, up to the edit before; above all edits; below the only one."""
    lines = answer.split("\n")
    others = [one for op in patch.ops if isinstance(op, Edit) for one in op.hunks if isinstance(one, Hunk)]
    ends = [_end(lines, one) for one in others if one.patch_line < hunk.patch_line]
    above = "\n".join(lines[max(ends, default=0) : max(hunk.patch_line - 1, 0)])
    first = min(one.patch_line for one in others)
    rest = lines[: max(first - 1, 0)] if len(others) > 1 else lines[_end(lines, hunk) :]
    return above, "\n".join(rest)


def _end(lines: list[str], hunk: Hunk) -> int:
    """The row after the last line of a hunk, as far as its own lines tell."""
    last = next((line for line in reversed(hunk.new.split("\n")) if line.strip()), "").strip()
    row = hunk.patch_line + hunk.old.count("\n")
    end = row + hunk.new.count("\n") + 3
    while row < min(end, len(lines)) and last and last not in lines[row]:
        row += 1
    return min(max(row + 1, hunk.patch_line), len(lines))
