"""Cuts an answer into search/replace blocks by the structure of their markers. Knows neither paths nor files."""

from __future__ import annotations

from ..errors import Problem
from ..record import NamedTuple
from ._search_replace_marks import (
    BARE_CLOSE,
    BASE,
    CLOSE,
    CONFLICT,
    CONFLICT_END,
    DIVIDE,
    OPEN,
    Mark,
    marks_of,
    unescaped,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

_USUAL = [DIVIDE, CLOSE]
_CLAIMS = (":start_line:", ":end_line:")
_ESCAPE = "Put a backslash before a marker that is part of the text (`\\=======`)."


class Block(NamedTuple):
    """One block: rows of its opener and closer (0-based), its texts, line numbers it claims, what is wrong with it."""

    row: int
    end: int
    old: list[str]
    new: list[str]
    line: int = 0
    last: int = 0
    said: str = ""
    conflict: bool = False
    problem: Problem | None = None


def blocks_of(lines: list[str]) -> Iterator[Block]:
    """Every block in order, those that cannot be read with the problem."""
    marks = marks_of(lines)
    at = 0
    while at < len(marks):
        mark = marks[at]
        made: Block | Problem | None = None
        if mark.kind == OPEN:
            end = at + 1
            while end < len(marks) and marks[end].kind != OPEN:
                end += 1
            made = _block(lines, mark, marks[at + 1 : end])
            at = end
        elif mark.kind == CONFLICT:
            made = conflict = _conflict(lines, marks, at)
            at += 1
            while conflict is not None and at < len(marks) and marks[at].row <= conflict.end:
                at += 1
        else:
            at += 1
        if isinstance(made, Problem):
            yield Block(mark.row, mark.row, [], [], said=mark.rest, problem=made)
        elif made is not None:
            yield made


def _block(lines: list[str], opener: Mark, inner: list[Mark]) -> Block | Problem:
    if [mark.kind for mark in inner] == _USUAL and 5 <= inner[0].size <= 9:
        dividers, closer = inner[:1], inner[1]  # as below, by a shorter way
    else:
        found = _closer(opener, inner)
        if isinstance(found, Problem):
            return found
        closer = found
        dividers = _dividers(opener, [mark for mark in inner if mark.row < closer.row])
    if not dividers:
        detail = "the block has no divider (`=======`) between the text to find and the new text"
        return _bad(opener, detail, "Write SEARCH, the old lines, `=======`, the new lines, REPLACE.")
    head, line, last = _claims(lines, opener, dividers[0].row)
    divider = dividers[0]
    if len(dividers) > 1 and (divider.row > head or line):  # right below its opener it makes a file with such lines
        rows = ", ".join(str(mark.row + 1) for mark in dividers[:5])
        return _bad(opener, f"more than one line may be the block's divider (lines {rows})", _ESCAPE)
    for row in range(divider.row + 1, closer.row):
        if lines[row].strip().startswith(_CLAIMS):
            detail = f"`{lines[row].strip()[:40]}` stands in the new text (line {row + 1}), and would be written"
            return _bad(opener, detail, "Put it right below SEARCH, or a backslash before it if it is text.")
    old = _content(lines[head : divider.row], opener.indent)
    new = _content(lines[divider.row + 1 : closer.row], opener.indent)
    return Block(opener.row, closer.row, old, new, line, last, opener.rest)


def _closer(opener: Mark, inner: list[Mark]) -> Mark | Problem:
    """The one closing marker before the next block. One without its word closes only what no other one does."""
    closers = [mark for mark in inner if mark.kind == CLOSE]
    if len(closers) > 1:
        rows = " and ".join(str(mark.row + 1) for mark in closers[:2])
        return _bad(opener, f"the block seems to close more than once (lines {rows})", _ESCAPE)
    if closers:
        return closers[0]
    divider = next((mark.row for mark in inner if mark.kind == DIVIDE), None)
    bare = [mark for mark in inner if mark.kind == BARE_CLOSE and divider is not None and mark.row > divider]
    if len(bare) == 1:
        return bare[0]
    detail = "the block is opened but never closed"
    return Problem("truncated", detail, patch_line=opener.row + 1, advice="End the block with `>>>>>>> REPLACE`.")


def _dividers(opener: Mark, inner: list[Mark]) -> list[Mark]:
    """The lines that may part old from new: not those of a conflict in the text; of several those like the opener."""
    found = []
    skip = -1
    for at, mark in enumerate(inner):
        if mark.kind == CONFLICT:
            skip = max(skip, _conflict_end(inner, at))
        if mark.kind == DIVIDE and mark.row > skip:
            found.append(mark)
    usual = [mark for mark in found if 5 <= mark.size <= 9]
    # Cline's own markers may be as short as three signs.
    found = usual or (found if opener.sign == "-" else [])
    return [mark for mark in found if (mark.indent, mark.size) == (opener.indent, opener.size)] or found


def _conflict_end(inner: list[Mark], at: int) -> int:
    """The row where a conflict inside the text ends; -1 where it doesn't."""
    divided = False
    for later in range(at + 1, len(inner)):
        mark = inner[later]
        if mark.kind == CONFLICT:
            return -1
        divided = divided or mark.kind == DIVIDE
        if mark.kind == CONFLICT_END and divided:
            return mark.row
    return -1


def _claims(lines: list[str], opener: Mark, end: int) -> tuple[int, int, int]:
    """The row where the old text begins, and the line numbers that are claimed for it."""
    line, last = _number(opener.rest) if opener.rest else 0, 0
    row = opener.row + 1
    while row < end and (bare := lines[row].strip()).startswith(_CLAIMS):
        if bare.startswith(":start_line:"):
            line = _number(bare)
        else:
            last = _number(bare)
        row += 1
    if row > opener.row + 1 and row < end and len(bare := lines[row].strip()) >= 3 and not bare.strip("-"):
        row += 1
    return row, line, last if last >= line else 0


def _number(text: str) -> int:
    """The number behind `line`, as in `SEARCH line:12` and `:start_line:12`."""
    digits = text.rpartition("line")[2].strip(" :=()#")
    return int(digits) if digits.isascii() and digits.isdigit() and len(digits) < 9 and "line" in text else 0


def _content(lines: list[str], indent: str) -> list[str]:
    """The text without the indentation of the block itself and without the escapes."""
    if indent and all(line.startswith(indent) for line in lines if line.strip()):
        lines = [line[len(indent) :] for line in lines]
    return lines if "\\" not in "".join(lines) else [unescaped(line) for line in lines]


def _conflict(lines: list[str], marks: list[Mark], at: int) -> Block | None:
    """A conflict outside any block: our side is the old text, the other side the new one; the base says nothing."""
    opener, base, divider = marks[at], -1, -1
    for later in range(at + 1, len(marks)):
        mark = marks[later]
        if mark.kind in (OPEN, CLOSE, CONFLICT):
            return None
        if mark.kind == BASE and divider < 0:
            base = mark.row
        elif mark.kind == DIVIDE and mark.size == 7 and divider < 0:
            divider = mark.row
        elif mark.kind in (CONFLICT_END, BARE_CLOSE) and mark.size == 7 and divider >= 0:
            old = lines[opener.row + 1 : base if base >= 0 else divider]
            new = lines[divider + 1 : mark.row]
            old, new = _content(old, opener.indent), _content(new, opener.indent)
            return Block(opener.row, mark.row, old, new, said=opener.rest, conflict=True)
    return None


def _bad(opener: Mark, detail: str, advice: str) -> Problem:
    return Problem("bad_patch", detail, patch_line=opener.row + 1, advice=advice)
