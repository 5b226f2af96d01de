"""Files shown in part, with "… existing code …" for what stays. Merges nothing itself; touches no file.

As whole files, with marks among the contents:

    contents = { line | mark }          mark: a comment that says that code is left out, or dots alone
"""

from __future__ import annotations

from ...answer.marks import marks_in
from ...answer.shown_files import Shown
from ...model import Edit, Merge, Note, Op, Patch
from ...problems import Problem
from ...text import BOM
from ..whole_file.read import parse_as, written


def parse(text: str) -> Patch:
    """The files that an answer shows, in part or, if nothing is left out, in full."""
    return parse_as("elided", text, operations)


def sniff(text: str) -> int:
    """0: only naming the format makes such fences edits."""
    return 0


def operations(shown: Shown, problems: list[Problem], notes: list[Note]) -> list[Op]:
    """The edit of the parts that are shown, or a write of the whole file if nothing is left out."""
    marks = marks_in(shown.path, shown.body)
    if not marks:
        notes.append(Note("nothing is left out, so it was read as the whole file", shown.path, shown.line))
        return [written(shown)]
    first, *rest = shown.body
    merge = Merge((first.removeprefix(BOM), *rest), tuple(marks), shown.line, shown.first)
    if merge.parts:
        return [Edit(shown.path, (merge,), shown.line, whole=written(shown))]
    detail = f"everything in {shown.path} is left out"
    problems.append(Problem("bad_patch", detail, shown.path, shown.line, advice="Show the lines that change."))
    return []
