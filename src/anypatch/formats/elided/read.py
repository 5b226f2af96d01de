"""Files shown in part, with "… existing code …" for what stays. Merges nothing itself; touches no file.

As whole files, with marks among the contents:

    contents = { line | mark }          mark: a comment that says that code is left out, or dots alone
"""

from __future__ import annotations

from ...answer import Block, files_in
from ...model import Edit, Merge, Note, Op, Patch
from ...parsing.elision import marks_in, may_hold_marks
from ...parsing.fences import prose
from ...parsing.shown import Shown
from ...problems import Problem
from ...text import BOM, patch_lines
from ..whole_file.read import files_meant, read_as, written


def parse(text: str) -> Patch:
    """The files that an answer shows, in part or, where nothing is left out, in full."""
    return read(files_in(text))._replace(prose=prose(patch_lines(text)))


def sniff(text: str) -> int:
    """How much a text looks like files shown in part."""
    if not may_hold_marks(text):
        return 0
    return 55 if any(marks_in(shown.path, shown.body) for shown in files_meant(text)) else 0


def read(blocks: list[Block]) -> Patch:
    """The files that the blocks of an answer show."""
    return read_as("elided", blocks, operations, "the parts that change")


def operations(shown: Shown, problems: list[Problem], notes: list[Note]) -> list[Op]:
    """What a file that is shown says: the parts that change, or all of it where nothing is left out."""
    marks = marks_in(shown.path, shown.body)
    if not marks:
        notes.append(Note("nothing is left out, so it was read as the whole file", shown.path, shown.line))
        return [written(shown)]
    first, *rest = shown.body
    merge = Merge((first.removeprefix(BOM), *rest), tuple(marks), shown.line, shown.first, told=shown.told)
    if merge.parts:
        return [Edit(shown.path, (merge,), shown.line, whole=written(shown))]
    detail = f"everything in {shown.path} is left out"
    problems.append(Problem("bad_patch", detail, shown.path, shown.line, advice="Show the lines that change."))
    return []
