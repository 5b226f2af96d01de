"""Whole files: a path and the full contents in a fence, or in an element. Refuses parts of a file; touches no file.

answer   = { path fence | element }
fence    = "```" [ language ] { line } "```"        the path alone on a line above it, in its title or first comment
element  = '<file path="PATH">' { line } "</file>"

Naming the format marks such fences as edits; in an answer of any format they are sketches.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from ...answer.blocks import blocks_of
from ...answer.marks import marks_in
from ...answer.shown_files import Shown, shown_in_fence
from ...model import Block, Op, Patch, Write, join_lines
from ...problems import Problem
from ...text import patch_lines
from ..findings import Findings

Operations = Callable[[Shown, Findings], list[Op]]


def parse(text: str) -> Patch:
    """Read the files that an answer shows in full."""
    return parse_as("whole-file", text, _operations)


def sniff(text: str) -> int:
    """0: whole files have no marks, so that only naming the format makes them edits."""
    return 0


def read(files: Iterable[Shown]) -> Patch:
    """Read the files that the elements of an answer show."""
    return read_as("whole-file", files, _operations)


def parse_as(format: str, text: str, operations: Operations) -> Patch:
    """Read the files that an answer shows, in fences or elements below a path."""
    files: list[Shown] = []
    blocks: list[Block] = []
    for block in blocks_of(patch_lines(text)):
        shown = block.shown or (shown_in_fence(block.region) if block.region is not None else None)
        if shown is not None:
            files.append(shown)
            blocks.append(Block(shown.line, block.end, format))
        else:
            reason = block.why or "It has no path as its label."
            blocks.append(Block(block.start + 1, block.end, "fence", "unused", reason))
    return read_as(format, files, operations)._replace(blocks=tuple(blocks))


def read_as(format: str, files: Iterable[Shown], operations: Operations) -> Patch:
    """Return the operations for each file that is shown, and the problems with them."""
    findings = Findings()
    ops: list[Op] = []
    seen: dict[str, Shown] = {}
    for shown in files:
        other = seen.setdefault(shown.path, shown)
        if other is not shown and other.body == shown.body:
            continue
        if shown.problem is not None:
            findings.problems.append(shown.problem)
        elif other is not shown and format == "whole-file":
            detail = f"{shown.path} is shown with two different texts, at lines {other.line} and {shown.line}"
            findings.problems.append(Problem("alternatives", detail, shown.path, shown.line))
        else:
            ops += operations(shown, findings)
    if not ops and not findings.problems:
        advice = "Write the file's path on a line of its own, then its contents in a fence."
        findings.refuse(1, "no file is shown with its path and contents", advice)
    return findings.patch(format, ops)


def written(shown: Shown) -> Write:
    """Return a write of these contents; an existing file keeps its BOM and line endings, which can't be shown."""
    return Write(shown.path, join_lines(shown.body), True, shown.line, "write", keep_line_endings=True)


def _operations(shown: Shown, findings: Findings) -> list[Op]:
    marks = marks_in(shown.path, shown.body)
    if not marks:
        return [written(shown)]
    detail = f"the contents of {shown.path} are incomplete: `{shown.body[marks[0]].strip()}`"
    findings.problems.append(Problem("elision", detail, shown.path, shown.first + marks[0]))
    return []
