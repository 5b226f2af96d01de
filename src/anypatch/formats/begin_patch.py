""" "*** Begin Patch" (Zenpatch, V4A, apply_patch). Reads and writes the format; finds no place and touches no file."""

from __future__ import annotations

import re

from ..errors import Problem
from ..model import Format, Op, Patch
from ..text import patch_lines
from ..twice import said_once
from ._begin_answer import envelopes
from ._begin_sections import Reading, operations
from ._begin_teach import EXAMPLES, PROMPT
from ._line_ends import rows_with_cr

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection

    from ..model import FileChange
    from ._begin_answer import Envelope
    from ._tools import Tool

_marks: list[re.Pattern[str]] = []


def parse(text: str) -> Patch:
    """What the patches in an answer say, as one transaction."""
    reading = Reading([], [], rows_with_cr(text))
    ops: list[Op] = []
    found = envelopes(patch_lines(text))
    for envelope in found:
        if envelope.cut:
            reading.problems.append(_cut(envelope))
        else:
            ops += operations(envelope, reading)
    if not ops and not reading.problems:
        reading.problems.append(_nothing(found))
    ops = said_once(ops, reading.notes)
    return Patch("begin-patch", tuple(ops), "", tuple(reading.problems), tuple(reading.notes))


def sniff(text: str) -> int:
    """How much a text looks like a "*** Begin Patch"."""
    if "***" not in text:
        return 0
    if not _marks:
        words = r"Begin Patch|End Patch|(?:Update|Add|Delete) File:"
        _marks.append(re.compile(rf"^[ \t]*\*\*\*[ \t]?({words})", re.MULTILINE | re.IGNORECASE))
    found = []
    for match in _marks[0].finditer(text.removeprefix("\ufeff")):
        found.append(match[1].lower())
        if found[-1] == "begin patch" or len(found) == 2:
            return 95
    return 80 if found and found[0] != "end patch" else 0


def _cut(envelope: Envelope) -> Problem:
    detail = "the patch is cut off: `*** Begin Patch` without `*** End Patch`"
    advice = "Send the whole patch again and close it with `*** End Patch`; nothing of it was applied."
    return Problem("bad_patch", detail, patch_line=envelope.line, advice=advice)


def _nothing(found: list[Envelope]) -> Problem:
    advice = "Name each file with `*** Update File:`, `*** Add File:` or `*** Delete File:` inside the envelope."
    detail = "the patch names no file" if found else "there is no `*** Begin Patch` in it"
    return Problem("bad_patch", detail, patch_line=found[0].line if found else 1, advice=advice)


def render(changes: tuple[FileChange, ...], wide: Collection[str] = ()) -> str:
    """The changes as one patch; Refused where the format has no words for one."""
    from ._begin_write import document

    return document(changes, wide)


def write(ops: tuple[Op, ...]) -> str:
    """The operations as they were read; Refused where the format has no words for one."""
    from ._begin_resend import document

    return document(ops)


def tool() -> Tool:
    """How a model calls the format."""
    from ._begin_tool import TOOL

    return TOOL


FORMAT = Format(
    "begin-patch",
    '"*** Begin Patch": sections for each file, hunks of kept, removed and added lines (V4A, apply_patch, Zenpatch)',
    sniff,
    parse,
    render,
    frozenset(("create", "delete", "move", "overwrite", "final_newline", "blank_lines")),
    PROMPT,
    EXAMPLES,
    write,
    tool,
)
