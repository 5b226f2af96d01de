"""The parts of a file shown in part, where they may stand, and the refusals in their words. Pure; places nothing."""

from __future__ import annotations

from ..errors import Near, Problem
from ..model import Merge
from ..record import NamedTuple
from ..text import indent_of, is_blank
from .anchors import Hay, text_end, text_start

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..model import Splice

    Found = tuple["Span", list[Splice]]


class Part(NamedTuple):
    """A segment without blank edges; how the marks around it are indented (None: no mark), its line in the patch.

    `lead`, `blanks`: how many blank lines it has at its beginning and end. `said`: the marks as they are written.
    """

    number: int
    lines: list[str]
    before: str | None
    after: str | None
    lead: int
    blanks: int
    line: int
    said: tuple[str, str] = ("", "")


class Window(NamedTuple):
    """The file and the rows a part may stand in. `bare`: its lines without their indentation.

    `habit`: the file is indented by "tabs", "spaces" or, "", by both. `path`: tells its language.
    """

    lines: Sequence[str]
    hay: Hay
    floor: int
    ceiling: int
    how: str
    bare: Hay
    habit: str = ""
    path: str = ""


class Span(NamedTuple):
    """Rows start..end of the file give way to `lines`; `head` and `tail` of these are anchors."""

    start: int
    end: int
    lines: list[str]
    head: int = 0
    tail: int = 0


def parts_of(merge: Merge) -> list[Part]:
    """The segments of a merge that hold any text."""
    count = len(merge.segments) - 1 + merge.open_start + merge.open_end
    marks: list[str | None] = [indent_of(mark) for mark in merge.marks] or [""] * count
    said = [*merge.marks] or [""] * count
    if not merge.open_start:
        marks, said = [None, *marks], ["", *said]
    if not merge.open_end:
        marks, said = [*marks, None], [*said, ""]
    made = []
    for number, segment in enumerate(merge.segments):
        lead, end = text_start(segment, 0), text_end(segment, len(segment))
        if lead < end:
            line = merge.rows[number] + lead if merge.rows else merge.patch_line
            core, blanks = list(segment[lead:end]), len(segment) - end
            around = said[number], said[number + 1]
            made.append(Part(number + 1, core, marks[number], marks[number + 1], lead, blanks, line, around))
    return made


def last_row(window: Window) -> int:
    """The row behind the file's last line of text."""
    bottom = len(window.lines)
    while bottom and is_blank(window.lines[bottom - 1]):
        bottom -= 1
    return bottom


# ── refusals ─────────────────────────────────────────────────────────────────────────────────────


def both_ends() -> str:
    """The advice that nearly always helps."""
    return "Begin and end the part with lines that stay, each standing in the file only once."


def unclear(part: Part, what: str, advice: str) -> Problem:
    """A part that can be read in two ways, or in none."""
    return Problem("elision", f"part {part.number} (`{part.lines[0].strip()}`) {what}", advice=advice)


def ambiguous(part: Part, window: Window, line: str, rows: list[int]) -> Problem:
    """An anchor that stands in several places."""
    listed = ", ".join(str(row + 1) for row in rows[:3]) + (", …" if len(rows) > 3 else "")
    near = tuple(Near(row + 1, tuple(window.lines[row : row + 1])) for row in rows[:3])
    detail = f"part {part.number}: `{line.strip()}` stands at more than one place: line {listed}"
    return Problem("ambiguous", detail, line=rows[0] + 1, advice="Add a neighbouring line that stays.", near=near)


def no_mark(part: Part, side: str) -> Problem:
    """A part at an edge of the file that neither holds that edge nor has a mark towards it."""
    edge = "first" if side == "before" else "last"
    detail = f"part {part.number} doesn't hold the file's {edge} line, and no mark {side} it says that lines stay there"
    return Problem("elision", detail, advice=f"Put a mark {side} the part, or the file's {edge} lines into it.")


def no_place(part: Part, window: Window) -> Problem:
    """A part for the top of the file, where something stands that must stay the first."""
    first = next((line for line in window.lines if not is_blank(line)), "")
    what = f"would go above or into what the file begins with (`{first.strip()[:60]}`)"
    return unclear(part, what, "Show the lines it goes between.")


def vain(part: Part, mark: str) -> Problem:
    """A mark without dots where the file has nothing to leave out: it may be a comment that is to be written."""
    what = f"has `{mark.strip()}` beside it, where the file has nothing that could be left out"
    return unclear(part, what, "Leave it out; to write it as a comment, use another format.")


def out_of_order(part: Part, window: Window, run: list[str]) -> Problem:
    """A part that stands before the one above it, or behind the one below."""
    rows = window.hay.rows(run, 0, window.hay.count)
    at = f" (line {rows[0] + 1})" if rows else ""
    return unclear(part, f"doesn't stand{at} between the parts around it", "Show the parts in the file's order.")
