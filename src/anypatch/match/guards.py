"""Refuse, or don't do again, what could be done. The list is closed. Pure.

    leaves_out_code     the new text has a mark like `# ... existing code ...` that the old text lacks
    existing_result     the old text is gone and the result is in the file: nothing is done, and a note says so
    overlapping         two hunks change the same characters
    first_missing_line  a deletion shows other lines than the file has
    loses_most          a file would be replaced by less than half of itself

Each looks at the lines that a hunk adds, or at its splices, and costs microseconds. Creating a file over another one is
refused where files are written (`whole_files.py`); the result's syntax is checked in `syntax/check.py`.
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
    """Return the first new line that stands for left-out code, unless the old text has it too; "" if there is none."""
    return first_mark(hunk.new, hunk.old, path) if any(map(hunk.new.__contains__, _MARK_PARTS)) else ""


def first_mark(new: str, old: str, path: str) -> str:
    """Return the first line of a text that stands for left-out code and isn't in another text; "" if there is none.

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


def existing_result(text: Text, hunk: Hunk) -> int:
    """Return the row of a hunk's new text if that is in the file in one place; else -1.

    Asked of a hunk whose old text is gone: a patch that is sent again is then neither a failure nor an edit of some
    lookalike.
    """
    new = hunk.new
    if not new.strip() or len(_WORD.findall(new)) < 2 or "\n" not in new.strip() or _only_removes(hunk):
        return -1
    places = find_exact(text, new, inline=hunk.inline)
    if not places and not hunk.inline:
        places = find_loosely(text, new.split("\n")[:-1], TRAILING_SPACE)
    return text.row_at(places[0].start) if len(places) == 1 else -1


def _only_removes(hunk: Hunk) -> bool:
    """Return True if all new lines are old ones, so that they would be there anyway. Moved lines don't count."""
    old, new = ([line.strip(BLANK) for line in side.split("\n")] for side in (hunk.old, hunk.new))
    return old != new and set(old).issuperset(new)


def overlapping(splices: Mapping[int, Sequence[Splice]]) -> list[tuple[int, int]]:
    """Return the pairs of hunks, by number, that change the same characters."""
    pairs: list[tuple[int, int]] = []
    reach, owner = 0, -1
    for start, stop, number in sorted((one.start, one.stop, number) for number, own in splices.items() for one in own):
        if start < reach and number != owner:
            pairs.append((min(number, owner), max(number, owner)))
        if stop > reach:
            reach, owner = stop, number
    return pairs


def first_missing_line(text: Text, shown: Sequence[str]) -> str:
    """Return the first line that a deletion shows and the file doesn't have in this order; "" if there is none."""
    file_lines = iter([line.strip(BLANK) for line in text.lines])
    return next((line.rstrip(BLANK) or "(a blank line)" for line in shown if line.strip(BLANK) not in file_lines), "")


def loses_most(before: str, after: str) -> bool:
    """Return True if a text has less than half of the lines of the one that it replaces, blank ones aside."""
    old, new = (sum(map(bool, map(str.strip, text.split("\n")))) for text in (before, after))
    return 2 * new < old
