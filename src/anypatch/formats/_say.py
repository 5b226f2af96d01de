"""What renderers share: a change as lines, and the refusal of what a format has no words for. Knows no format."""

from __future__ import annotations

from ..diff import opcodes
from ..errors import Problem, Refused
from ..model import FileChange
from ..record import NamedTuple
from ..text import BOM, decode, join, looks_binary, majority, split


class Lines(NamedTuple):
    """A file's text as lines with their line ends; the BOM apart."""

    lines: list[str]
    ends: list[str]
    bom: bool


class Piece(NamedTuple):
    """Lines start..end of the file before become `new`."""

    start: int
    end: int
    new: list[str]


def lines_of(data: bytes) -> Lines:
    """The bytes as lines."""
    text = decode(data)
    bom = text.startswith(BOM)
    lines, ends = split(text[1:] if bom else text)
    return Lines(lines, ends, bom)


def pieces(change: FileChange) -> list[Piece] | None:
    """An update as edits of whole lines whose new text takes the file's usual line end.

    None where that would not give the file after: other line ends, another BOM, the final line end made or lost.
    """
    assert change.before is not None and change.after is not None
    before, after = lines_of(change.before.data), lines_of(change.after.data)
    if before.bom != after.bom or not before.lines:
        return None
    eol = majority(before.ends)
    made: list[Piece] = []
    lines, ends = list(before.lines), list(before.ends)
    for start, end, new_start, new_end in reversed(opcodes(before.lines, after.lines)):
        made.append(Piece(start, end, after.lines[new_start:new_end]))
        lines[start:end] = after.lines[new_start:new_end]
        ends[start:end] = [eol] * (new_end - new_start)
    if ends:
        ends = [end or eol for end in ends]
        ends[-1] = "" if before.ends[-1] == "" else ends[-1]
    exact = join(lines, ends) == join(after.lines, after.ends) if lines else not after.lines
    return made[::-1] if exact else None


def refuse(change: FileChange, format: str, why: str) -> Refused:
    """The refusal of a change that a format can't say."""
    return Refused(Problem("cannot_say", f"{format} can't say this change of {change.path}: {why}", change.path))


def check_sayable(change: FileChange, format: str) -> None:
    """Refuse what no format of lines can say."""
    for file in (change.before, change.after):
        if file is not None and looks_binary(file.data):
            raise refuse(change, format, "it is binary data")
    if change.before and change.after and change.before.mode != change.after.mode:
        raise refuse(change, format, "its permissions change")
    if "\n" in change.path or "\r" in change.path:
        raise refuse(change, format, "a line end in the path")
