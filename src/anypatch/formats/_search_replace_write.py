"""Writes search/replace blocks: old lines that grow until they stand in one place only. Touches no file."""

from __future__ import annotations

from ..diff import opcodes
from ..elision import is_mark
from ..model import Edit, FileChange, Write
from ..text import Sheet, decode, is_blank
from ._path_line import path_on
from ._say import Piece, check_sayable, lines_of, refuse
from ._search_replace_marks import escaped

_NAME = "search-replace"


def document(changes: tuple[FileChange, ...]) -> str:
    """The changes as blocks below their paths."""
    return "\n".join(part for change in changes for part in _change(change))


def _change(change: FileChange) -> list[str]:
    check_sayable(change, _NAME)
    if change.after is None:
        raise refuse(change, _NAME, "it can't delete files")
    path = _path(change)
    if change.before is None:
        return [f"{path}\n{_created(change)}"]
    if change.before.data == change.after.data:
        return []
    blocks = _edits(change)
    return [f"{path}\n" + "\n".join(blocks)]


def _path(change: FileChange) -> str:
    for dressed in (change.path, f"`{change.path}`"):
        if path_on(dressed) == change.path:
            return dressed
    raise refuse(change, _NAME, "the path can't be told from other text")


def _created(change: FileChange) -> str:
    assert change.after is not None
    text = decode(change.after.data)
    if text and not text.endswith("\n"):
        raise refuse(change, _NAME, "a new text without a final line end")
    block = _block([], text.split("\n")[:-1])
    read = _read(block, change)
    if not isinstance(read, Write) or read.text != text:
        raise refuse(change, _NAME, "the text can't be written as the lines of a block")
    return block


def _edits(change: FileChange) -> list[str]:
    """One block for each piece, last first, so that the lines above are still as they were."""
    assert change.before is not None and change.after is not None
    sheet = Sheet(change.before.data)
    after = lines_of(change.after.data).lines
    made = []
    for old_start, old_end, new_start, new_end in reversed(opcodes(sheet.lines, after)):
        start, end, new = _grown(change, sheet.lines, Piece(old_start, old_end, after[new_start:new_end]))
        block = _block(sheet.lines[start:end], new)
        read = _read(block, change)
        hunk = read.hunks[0] if isinstance(read, Edit) and len(read.hunks) == 1 else None
        if hunk is None or list(hunk.old) != sheet.lines[start:end] or list(hunk.new) != new:  # type: ignore[union-attr]
            raise refuse(change, _NAME, "its lines would be read as something else")
        if any(tag == "+" and is_mark(line) for tag, line in hunk.lines):
            raise refuse(change, _NAME, "a new line would be read as code left out")
        for low, high, new_low, new_high in reversed(opcodes(sheet.lines[start:end], new)):
            sheet.replace(start + low, start + high, new[new_low:new_high])
        made.append(block)
    if sheet.data() != change.after.data:
        raise refuse(change, _NAME, "its line ends, its BOM or its final line end change")
    return made


def _grown(change: FileChange, lines: list[str], piece: Piece) -> Piece:
    """The piece with as many neighbours as make it stand in one place only and hold more than blank lines."""
    start, end, new = piece
    whole = "\n".join(["", *map(str.strip, lines), ""])
    step = 1
    while all(is_blank(line) for line in lines[start:end]) or not _unique(whole, lines[start:end]):
        if start == 0 and end == len(lines):
            raise refuse(change, _NAME, "there is no line of text to find it by")
        above, below = max(start - step, 0), min(end + step, len(lines))
        start, end, new = above, below, [*lines[above:start], *new, *lines[end:below]]
        step *= 2
    return Piece(start, end, new)


def _unique(whole: str, run: list[str]) -> bool:
    """Whether the lines stand once, also in the eyes of a reader who passes over their indentation.

    Else the same block, applied again, would find the other place.
    """
    wanted = "\n".join(["", *map(str.strip, run), ""])
    return whole.find(wanted, whole.find(wanted) + 1) < 0


def _block(old: list[str], new: list[str]) -> str:
    lines = ["<<<<<<< SEARCH", *map(escaped, old), "=======", *map(escaped, new), ">>>>>>> REPLACE", ""]
    return "\n".join(lines)


def _read(block: str, change: FileChange) -> Edit | Write | None:
    """The block as a reader will see it."""
    from .search_replace import parse

    said = parse(f"`{change.path}`\n{block}")
    if said.problems or len(said.ops) != 1:
        return None
    op = said.ops[0]
    return op if isinstance(op, Edit | Write) else None
