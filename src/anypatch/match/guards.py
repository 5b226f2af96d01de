"""What is refused, or not done again, although it could be done: the closed list. Pure.

    leaves_out_code     the new text has a mark like `# ... existing code ...` that the old text lacks
    result_is_there     the old text is gone and the result is there: nothing is done, and a note says so
    overlapping         two hunks change the same characters
    shows_other_text    a deletion shows other lines than the file has
    loses_most          a file would be replaced by less than half of itself

Each looks at the lines a hunk adds, or at its splices, and costs microseconds. Creating over a file is refused where
files are written (`plan/whole_files.py`); the syntax check of the result is `syntax/check.py`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ..answer.marks import is_dots, is_for_people, is_mark
from ..text import BLANK
from .ladder import TRAILING_SPACE
from .search import find_exact, find_loosely

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ..model import Hunk
    from ..text import Splice, Text

_WORD = re.compile(r"\w{4}")  # a lone `}` or `end` may well be there by chance
_FENCES = ("```", "~~~")
# One of them is in any mark.
_MARK_PARTS = ("...", "…", "nchanged", "xisting", "est ", "emain", "mitted", "same", "revious", "riginal", "tays")


def leaves_out_code(hunk: Hunk, path: str) -> str:
    """The first new line that stands for code left out, unless the old text has it too; "" if there is none."""
    return first_mark(hunk.new, hunk.old, path) if any(map(hunk.new.__contains__, _MARK_PARTS)) else ""


def first_mark(new: str, old: str, path: str) -> str:
    """The first line of a text that stands for code left out and isn't in another one; "" if there is none.

    An example in a fence of a page for people may well leave something out.
    """
    has_fences = is_for_people(path)
    known = {line.strip() for line in old.split("\n")}
    fenced = False
    for line in new.split("\n"):
        bare = line.strip()
        if has_fences and bare.startswith(_FENCES):
            fenced = not fenced
        elif not fenced and bare not in known and is_mark(line) and not is_dots(line):
            return bare
    return ""


def result_is_there(text: Text, hunk: Hunk) -> int:
    """The row at which the new text of a hunk is whose old text is gone, if that is one place; else -1.

    A patch that is sent again is a no-op then, neither a failure nor an edit of some lookalike.
    """
    new = hunk.new
    if not new.strip() or len(_WORD.findall(new)) < 2 or "\n" not in new.strip() or _is_left_over(hunk):
        return -1
    places = find_exact(text, new, inline=hunk.inline)
    if not places and not hunk.inline:
        lines = new.split("\n")[:-1]
        places = find_loosely(text, lines, TRAILING_SPACE)
    return text.row_at(places[0].start) if len(places) == 1 else -1


def _is_left_over(hunk: Hunk) -> bool:
    """Whether the new lines are only what a deletion leaves: they would be there anyway. Moved lines aren't."""
    old, new = ([line.strip(BLANK) for line in side.split("\n")] for side in (hunk.old, hunk.new))
    return old != new and set(old).issuperset(new)


def overlapping(splices: Mapping[int, Sequence[Splice]]) -> list[tuple[int, int]]:
    """The pairs of hunks, by number, that change the same characters."""
    found: list[tuple[int, int]] = []
    reach, owner = 0, -1
    for start, stop, number in sorted((one.start, one.stop, number) for number, own in splices.items() for one in own):
        if start < reach and number != owner:
            found.append((min(number, owner), max(number, owner)))
        if stop > reach:
            reach, owner = stop, number
    return found


def shows_other_text(text: Text, shown: Sequence[str], *, whole: bool) -> str:
    """The first line that a deletion shows and the file doesn't have there; "" if there is none.

    `whole`: the lines shown are all of the file; otherwise they are in it, in this order.
    """
    there = [line.rstrip(BLANK) for line in text.lines]
    row = 0
    for line in (said.rstrip(BLANK) for said in shown):
        if whole and (row >= len(there) or there[row] != line):
            return line or "(a blank line)"
        while row < len(there) and there[row].strip(BLANK) != line.strip(BLANK):
            row += 1
        if row == len(there):
            return line or "(a blank line)"
        row += 1
    return there[row] or "(a blank line)" if whole and any(there[row:]) else ""


def loses_most(before: str, after: str) -> bool:
    """Whether a text has less than half of the lines of the one that it replaces, blank ones aside."""
    old, new = (sum(map(bool, map(str.strip, text.split("\n")))) for text in (before, after))
    return 2 * new < old
