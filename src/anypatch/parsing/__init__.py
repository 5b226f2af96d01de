"""What formats share in reading: fences, paths, YAML and JSON as models write them, marks for left-out code."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable


def words(text: str) -> frozenset[str]:
    """The words of a text, as the vocabularies of the readers are written down."""
    return frozenset(text.split())


def run_end(lines: list[str], row: int, belongs: Callable[[str], bool]) -> int:
    """The row behind the lines that belong to what begins at a row, without blank ones at the end."""
    end = at = row + 1
    while at < len(lines) and belongs(lines[at]):
        at += 1
        end = at if lines[at - 1].strip() else end
    return end
