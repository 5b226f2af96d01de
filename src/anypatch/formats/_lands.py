"""What whole-line edits make of a file's bytes: each replaced line keeps its line end. For renderers."""

from __future__ import annotations

from ..diff import opcodes
from ..text import Sheet


def spliced(sheet: Sheet, start: int, end: int, new: list[str]) -> None:
    """Lines start..end give way; the new ones take over their line ends, then the file's usual one."""
    own = [eol or sheet.eol for eol in sheet.ends[start:end][: len(new)]]
    sheet.splice(start, end, list(new), own + [sheet.eol] * (len(new) - len(own)))


def rewritten(data: bytes, lines: list[str]) -> bytes:
    """The file with these lines: what stays keeps its bytes, and the BOM and the kind of ending stay."""
    sheet = Sheet(data)
    for start, end, new_start, new_end in reversed(opcodes(sheet.lines, lines)):
        spliced(sheet, start, end, lines[new_start:new_end])
    return sheet.data()
