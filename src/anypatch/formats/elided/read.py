"""Files shown in part, with "… existing code …" for what stays. Merges nothing itself; touches no file."""

from __future__ import annotations

from ...model import TOLERANT, Edit, Merge, Note, Op, Patch
from ...parsing.elision import may_hold_marks
from ...parsing.fences import Shown, has_marks, marks_in, prose, settled
from ...parsing.outline import UNCLEAR, Block, files_in
from ...problems import Problem
from ...text import is_blank, patch_lines
from ..whole_file.read import doubt, nothing, written

TYPE_CHECKING = False
if TYPE_CHECKING:
    pass


_NAME = "elided"


def parse(text: str) -> Patch:
    """The files that an answer shows, in part or, where nothing is left out, in full."""
    return read(files_in(text))._replace(prose=prose(patch_lines(text)))


def read(blocks: list[Block]) -> Patch:
    """The files that the blocks of an answer show."""
    ops: list[Op] = []
    problems = [doubt(block) for block in blocks if block.kind == UNCLEAR]
    notes: list[Note] = []
    for shown in settled([block.shown for block in blocks if block.shown], problems, notes):
        if shown.problem is not None:
            problems.append(shown.problem)
            continue
        ops += operations(shown, problems, notes)
    if not ops and not problems:
        problems.append(nothing(notes, "the parts that change"))
    return Patch(_NAME, tuple(ops), "", tuple(problems), tuple(notes))


def operations(shown: Shown, problems: list[Problem], notes: list[Note]) -> list[Op]:
    """What a file that is shown says: the parts that change, or all of it where nothing is left out."""
    marks = marks_in(shown.path, shown.body)
    if not marks:
        notes.append(Note("nothing is left out: read as the whole file", shown.path, shown.line))
        return [written(shown)]
    made = merge_of(shown, marks)
    if made.segments:
        return [Edit(shown.path, (made,), shown.line, whole=written(shown))]
    detail = f"all of {shown.path} is left out"
    problems.append(Problem("bad_patch", detail, shown.path, shown.line, advice="Show the lines that change."))
    return []


def sniff(text: str) -> int:
    """How much a text looks like files shown in part."""
    if "```" not in text and "~~~" not in text and "<file " not in text and "<document " not in text:
        return 0
    if not may_hold_marks(text):
        return 0
    files = [block.shown for block in files_in(text) if block.shown and not block.shown.quote]
    return 55 if any(has_marks(one.path, one.body) for one in files) else 0


def merge_of(shown: Shown, marks: list[int]) -> Merge:
    """The contents cut at the marks; parts without any text only part two marks."""
    segments: list[tuple[str, ...]] = []
    said: list[str] = []
    rows: list[int] = []
    start = 0
    open_start = open_end = False
    for row in [*marks, len(shown.body)]:
        part = shown.body[start:row]
        if not all(is_blank(line) for line in part):
            segments.append(tuple(part))
            rows.append(shown.first + start)
            open_end = False
        if row < len(shown.body):
            open_start = open_start or not segments
            open_end = True
            # Of marks with nothing between them the last one counts.
            del said[len(segments) - (not open_start) :]
            said.append(shown.body[row])
        start = row + 1
    return Merge(tuple(segments), open_start, open_end, TOLERANT, shown.line, tuple(said), tuple(rows))
