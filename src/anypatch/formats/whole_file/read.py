"""Whole files: a path and the full contents in a fence, or in an element. Takes no part for the whole; touches no file.

answer   = { path fence | element }
fence    = "```" [ language ] { line } "```"        the path alone on a line above it, or in its title
element  = '<file path="PATH">' { line } "</file>"
"""

from __future__ import annotations

from ...answer import UNCLEAR, Block, files_in
from ...model import Note, Op, Patch, Write
from ...parsing.elision import marks_in
from ...parsing.fences import prose
from ...parsing.shown import Shown, quoted
from ...problems import Problem
from ...text import patch_lines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable


def parse(text: str) -> Patch:
    """The files that an answer shows in full."""
    return read(files_in(text))._replace(prose=prose(patch_lines(text)))


def sniff(text: str) -> int:
    """How much a text looks like whole files: never more than a format with marks of its own."""
    partial = [bool(marks_in(shown.path, shown.body)) for shown in files_meant(text)]
    return 20 if any(partial) else 50 if partial else 0


def files_meant(text: str) -> list[Shown]:
    """The files that an answer shows, without those that it only quotes."""
    return [block.shown for block in files_in(text) if block.shown and not block.shown.quote]


def read(blocks: list[Block]) -> Patch:
    """The files that the blocks of an answer show in full."""
    return read_as("whole-file", blocks, _operations, "its whole contents")


def read_as(
    format: str, blocks: list[Block], operations: Callable[[Shown, list[Problem], list[Note]], list[Op]], what: str
) -> Patch:
    """The operations for each file that is shown, and the problems with them. `what`: what a fence should hold."""
    ops: list[Op] = []
    notes: list[Note] = []
    problems = [_two_readings(block) for block in blocks if block.kind == UNCLEAR]
    for shown in _settled([block.shown for block in blocks if block.shown], problems, notes):
        if shown.problem is not None:
            problems.append(shown.problem)
        else:
            ops += operations(shown, problems, notes)
    if not ops and not problems:
        advice = f"Write the file's path on a line of its own, then {what} in a fence."
        if notes:
            detail = f"there is nothing to do: {notes[0].text}"
            problems.append(Problem("no_patch", detail, patch_line=notes[0].patch_line, advice=advice))
        else:
            detail = "no file is shown in it by path and contents"
            problems.append(Problem("bad_patch", detail, patch_line=1, advice=advice))
    return Patch(format, tuple(ops), "", tuple(problems), tuple(notes))


def written(shown: Shown) -> Write:
    """The file with these contents; one that is there keeps what can't be shown."""
    text = "".join(line + "\n" for line in shown.body)
    return Write(shown.path, text, True, shown.line, "write", keep=True, only=shown.only)


def _operations(shown: Shown, problems: list[Problem], notes: list[Note]) -> list[Op]:
    marks = marks_in(shown.path, shown.body)
    if not marks:
        return [written(shown)]
    detail = f"the contents of {shown.path} are not whole: `{shown.body[marks[0]].strip()}`"
    problems.append(Problem("elision", detail, shown.path, shown.first + marks[0]))
    return []


def _two_readings(block: Block) -> Problem:
    advice = "Write a file by a create call or with `*** Add File:`; write a patch below no path, or the path it edits."
    return Problem("bad_patch", block.why, patch_line=block.start + 1, advice=block.advice or advice)


def _settled(files: list[Shown], problems: list[Problem], notes: list[Note]) -> list[Shown]:
    """The files without those that only quote one. Two different whole texts for one path are a problem."""
    kept: dict[str, Shown] = {}
    settled: list[Shown] = []
    for shown in files:
        if shown.quote:
            notes.append(quoted(shown, shown.quote))
            continue
        other = kept.get(shown.path) if shown.problem is None else None
        if other is not None and not all(marks_in(one.path, one.body) for one in (other, shown)):
            if other.body != shown.body:
                detail = f"{shown.path} is shown with two different texts, in lines {other.line} and {shown.line}"
                advice = "Send the one that is meant, or edits of it."
                problems.append(Problem("bad_patch", detail, shown.path, shown.line, advice=advice))
            continue
        kept.setdefault(shown.path, shown)
        settled.append(shown)
    return settled
