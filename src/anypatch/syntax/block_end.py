"""Places in a text and the refusals that name them. Knows no language."""

from __future__ import annotations

from ..problems import Problem
from ..record import NamedTuple

NEVER_CLOSED = "never_closed"  # the reason of a problem: no brace closes the block


class BlockEnd(NamedTuple):
    """The 0-based line that holds the sign closing a block, and the column just behind it."""

    line: int
    column: int


def place(text: str, offset: int) -> BlockEnd:
    """An offset as line and column."""
    return BlockEnd(text.count("\n", 0, offset), offset - text.rfind("\n", 0, offset) - 1)


def line_number(text: str, offset: int) -> int:
    """The 1-based line of an offset, as people count."""
    return text.count("\n", 0, offset) + 1


def span_of(text: str, first: int, last: int) -> tuple[int, int]:
    """Start of the 0-based line `first` and end of the line `last`, without its newline."""
    begin = _line_start(text, 0, first)
    return begin, _line_end(text, _line_start(text, begin, last - first))


def goes_on(text: str, masked: str, end: int, stop: int) -> int:
    """The 1-based line where a marker that ends at `stop` has code below the line its block ends on; 0 if nowhere."""
    below = _line_end(text, end)
    left = masked[below:stop]
    return line_number(text, below + len(left) - len(left.lstrip())) if left.strip() else 0


def no_block(detail: str, line: int, advice: str = "", reason: str = "") -> Problem:
    """No block begins or ends there."""
    return Problem("no_block", detail, line=line, advice=advice, reason=reason)


def beyond(line: int, ends: int) -> Problem:
    """The marker has more lines than the block."""
    return no_block(
        f"the block that the marker opens ends on line {ends}, but the marker goes on to line {line}",
        line,
        "End the marker where the block ends, or replace the lines as plain text.",
    )


def _line_start(text: str, begin: int, count: int) -> int:
    for _ in range(count):
        begin = text.find("\n", begin) + 1 or len(text)
    return begin


def _line_end(text: str, begin: int) -> int:
    at = text.find("\n", begin)
    return at if at >= 0 else len(text)
