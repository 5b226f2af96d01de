"""The lines of the file that a problem is about, with their numbers. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..text import BLANK
from .difference import LEGEND, first_difference, side_by_side
from .words import LONG, clipped, numbered, old_lines_of, quoted

if TYPE_CHECKING:
    from ..problems import Problem
    from ..result import Result


def lines_near(problem: Problem, report: Result, most: int) -> list[tuple[str, str]]:
    """Return the lines near a problem, or what was looked for, with their styles; `most` of each region."""
    if not problem.near:
        wanted = old_lines_of(problem, report)[:1] if problem.kind == "not_found" else []
        return [("", f"  looked for: {clipped(quoted(line.strip(BLANK)))}") for line in wanted]
    difference = first_difference(problem, report)
    lines: list[tuple[str, str]] = []
    for near in problem.near:
        title = "it fits here" if problem.kind == "ambiguous" else "closest match"
        title = clipped(quoted(near.note), 2 * LONG) or title
        if not near.lines and not near.note:
            title += f": line {near.line}"
        lines.append(("dim", f"  {title}:" if near.lines else f"  {title}"))
        lines += [("", text) for text in numbered(near.line, near.lines, most, difference.line if difference else 0)]
    both = side_by_side(difference) if difference else None
    if difference and both:
        lines.append(("dim", f"  line {difference.line} with its whitespace made visible ({LEGEND}):"))
        lines += [("", f"  file : {both[0]}"), ("", f"  patch: {both[1]}")]
    return lines
