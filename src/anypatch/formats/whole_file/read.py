"""Whole files: a path and the full contents in a fence. Takes no part for the whole; touches no file."""

from __future__ import annotations

from ...model import Note, Op, Patch, Write
from ...parsing.fences import Shown, has_marks, marks_in, prose, settled
from ...parsing.outline import UNCLEAR, Block, files_in
from ...problems import Problem
from ...text import patch_lines

TYPE_CHECKING = False
if TYPE_CHECKING:
    pass


_NAME = "whole-file"


def parse(text: str) -> Patch:
    """The files that an answer shows in full."""
    return read(files_in(text))._replace(prose=prose(patch_lines(text)))


def read(blocks: list[Block]) -> Patch:
    """The files that the blocks of an answer show in full."""
    ops: list[Op] = []
    problems = [doubt(block) for block in blocks if block.kind == UNCLEAR]
    notes: list[Note] = []
    for shown in settled([block.shown for block in blocks if block.shown], problems, notes):
        made = shown.problem or _partial(shown) or written(shown)
        if isinstance(made, Problem):
            problems.append(made)
        else:
            ops.append(made)
    if not ops and not problems:
        problems.append(nothing(notes, "its whole contents"))
    return Patch(_NAME, tuple(ops), "", tuple(problems), tuple(notes))


def sniff(text: str) -> int:
    """How much a text looks like whole files: never more than a format with marks of its own."""
    if "```" not in text and "~~~" not in text and "<file " not in text and "<document " not in text:
        return 0
    files = [block.shown for block in files_in(text) if block.shown and not block.shown.quote]
    return 20 if any(has_marks(one.path, one.body) for one in files) else 50 if files else 0


def doubt(block: Block) -> Problem:
    """The problem with a fence that has two readings."""
    advice = "Write a file by a create call or with `*** Add File:`; write a patch below no path, or the path it edits."
    return Problem("bad_patch", block.why, patch_line=block.start + 1, advice=block.advice or advice)


def nothing(notes: list[Note], what: str) -> Problem:
    """The problem with an answer that shows no file."""
    detail = "no file is shown in it by path and contents"
    kind = "no_patch" if notes else "bad_patch"
    if notes:
        detail = f"there is nothing to do: {notes[0].text}"
    advice = f"Write the file's path on a line of its own, then {what} in a fence."
    return Problem(kind, detail, patch_line=notes[0].patch_line if notes else 1, advice=advice)


def written(shown: Shown) -> Write:
    """The file with these contents; one that is there keeps what can't be shown."""
    text = "".join(line + "\n" for line in shown.body)
    return Write(shown.path, text, True, shown.line, "write", keep=True, only=shown.only)


def _partial(shown: Shown) -> Problem | None:
    marks = marks_in(shown.path, shown.body)
    if not marks:
        return None
    detail = f"the contents of {shown.path} are not whole: `{shown.body[marks[0]].strip()}`"
    return Problem("elision", detail, shown.path, shown.first + marks[0])
