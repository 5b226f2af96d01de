"""Lines of a patch that end in CR, and hunks that would change how a file's lines end. Knows no format."""

from __future__ import annotations

from ..errors import Problem

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable


def rows_with_cr(text: str) -> frozenset[int]:
    """The rows (0-based) of a text that end in CR LF."""
    if "\r" not in text:
        return frozenset()
    return frozenset(row for row, line in enumerate(text.split("\n")) if line[-1:] == "\r")


def changed_end(lines: Iterable[tuple[str, str, bool]], path: str, patch_line: int) -> Problem | None:
    """What is wrong with a hunk that gives a line another end: (tag, text, whether CR ends it) of each of its lines.

    `-a` with CR and `+a` without it: a line that stays keeps its end, so nothing would be done and all be well.
    """
    tagged = list(lines)
    old = {(text, has_cr) for tag, text, has_cr in tagged if tag == "-"}
    text = next((text for tag, text, has_cr in tagged if tag == "+" and (text, not has_cr) in old), None)
    if text is None:
        return None
    detail = f"`{text.strip()[:60]}` comes again with another line end, and line ends are not changed by a patch"
    advice = "Leave out what only changes line ends; convert them with another tool."
    return Problem("line_ending", detail, path, patch_line, advice=advice)
