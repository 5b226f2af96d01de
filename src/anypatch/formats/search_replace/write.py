"""Writes search/replace blocks: old lines that grow until they stand in one place only. Touches no file."""

from __future__ import annotations

from ...author.describe import Piece, Rows, check_sayable, joined, least, lines_of, ranges, refuse, unsayable
from ...diff import opcodes
from ...model import TEXT_FOR_TEXT, TOLERANT, Edit, FileChange, Hunk, Op, Write
from ...parsing.elision import is_mark
from ...parsing.paths import path_on
from ...text import Text, decode
from .read import escaped, parse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection


_NAME = "search-replace"
_NEAR = 1  # changes with so few lines between them are one block
_WIDE = 3  # lines above and below where fewer were not enough


def render(changes: tuple[FileChange, ...], wide: Collection[str] = ()) -> str:
    """The changes as blocks below their paths."""
    return "\n".join(part for change in changes for part in _change(change, _WIDE if change.path in wide else 0))


def _change(change: FileChange, around: int) -> list[str]:
    check_sayable(change, _NAME)
    if change.after is None:
        raise refuse(change, _NAME, "it can't delete files")
    path = _path(change)
    if change.before is None:
        return [f"{path}\n{_created(change)}"]
    if change.before.data == change.after.data:
        return []
    blocks = _edits(change, around)
    return [f"{path}\n" + "\n".join(blocks)]


def _path(change: FileChange) -> str:
    for dressed in (change.path, f"`{change.path}`", f"File: `{change.path}`"):
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


def _edits(change: FileChange, around: int) -> list[str]:
    """One block for each piece in the order of the file, unique in the text that those before it leave."""
    assert change.before is not None and change.after is not None
    sheet = Text.read(change.before.data)
    before, after = lines_of(change.before.data), lines_of(change.after.data)
    found = [Piece(start, end, after.lines[low:high]) for start, end, low, high in ranges(before, after)]
    rows, moved, made = Rows(sheet.lines), 0, []
    for piece in joined(found, sheet.lines[:], _NEAR):
        start, end, new = _grown(
            change, rows, sheet.lines, piece._replace(start=piece.start + moved, end=piece.end + moved), around
        )
        block = _block(sheet.lines[start:end], new)
        read = _read(block, change)
        hunk = read.hunks[0] if isinstance(read, Edit) and len(read.hunks) == 1 else None
        if hunk is None or list(hunk.old) != sheet.lines[start:end] or list(hunk.new) != new:  # type: ignore[union-attr]
            raise refuse(change, _NAME, "its lines would be read as something else")
        if any(tag == "+" and is_mark(line) for tag, line in hunk.lines):
            raise refuse(change, _NAME, "a new line would be read as code left out")
        changed = opcodes(sheet.lines[start:end], new)
        sheet = sheet.spliced([sheet.cut(start + a, start + b, new[c:d]) for a, b, c, d in changed])
        rows.splice(start, end, new)
        moved += len(new) - (end - start)
        made.append(block)
    if sheet.data() != change.after.data:
        raise refuse(change, _NAME, "its line ends, its BOM or its final line end change")
    return made


def _grown(change: FileChange, rows: Rows, lines: list[str], piece: Piece, around: int) -> Piece:
    """The piece with as few neighbours as leave it one place in the text as it is now."""
    start, end = least(rows.telling(piece), (piece.start, piece.end), (0, len(lines)), (around, around))
    if not any(map(str.strip, lines[start:end])):
        raise refuse(change, _NAME, "there is no line of text to find it by")
    return Piece(start, end, [*lines[start : piece.start], *piece.new, *lines[piece.end : end]])


def _block(old: list[str], new: list[str]) -> str:
    lines = ["<<<<<<< SEARCH", *map(escaped, old), "=======", *map(escaped, new), ">>>>>>> REPLACE", ""]
    return "\n".join(lines)


def _read(block: str, change: FileChange) -> Edit | Write | None:
    """The block as a reader will see it."""
    said = parse(f"{_path(change)}\n{block}")
    if said.problems or len(said.ops) != 1:
        return None
    op = said.ops[0]
    return op if isinstance(op, Edit | Write) else None


# ── search replace resend ───────────────────────────────────────────────────────────────────────────


def write(ops: tuple[Op, ...]) -> str:
    """The operations as blocks, each below its path."""
    return "\n".join(f"{_written_path(op)}\n{block(op)}" for op in ops)


def _written_path(op: Op) -> str:
    for dressed in (op.path, f"`{op.path}`", f"File: `{op.path}`"):
        if path_on(dressed) == op.path:
            return dressed
    raise unsayable(op, _NAME)


def block(op: Op) -> str:
    """One operation as a block, without its path."""
    if isinstance(op, Write):
        if op.text and not op.text.endswith("\n"):
            raise unsayable(op, _NAME)
        return _written([], [], op.text.split("\n")[:-1], plain=False)
    if not isinstance(op, Edit) or op.mode or not op.hunks:
        raise unsayable(op, _NAME)
    old: list[str] = []
    new: list[str] = []
    for at, hunk in enumerate(op.hunks):
        if not isinstance(hunk, Hunk):
            raise unsayable(op, _NAME)
        old += ["..."] * bool(at) + list(hunk.old)
        new += ["..."] * bool(at) + list(hunk.new)
    first = op.hunks[0]
    assert isinstance(first, Hunk)
    return _written(_claims(first), old, new, plain=first.policy not in (TEXT_FOR_TEXT, TOLERANT))


def _claims(hunk: Hunk) -> list[str]:
    """The line numbers it claims, as Roo writes them."""
    where = hunk.where
    if not where.line:
        return []
    usual = where.last in (where.line - 1, where.line + len(hunk.old) - 1)
    return [f":start_line:{where.line}", *([] if usual else [f":end_line:{where.last}"]), "-------"]


def _written(claims: list[str], old: list[str], new: list[str], *, plain: bool) -> str:
    """A block. `plain`: it was read without knowing which divider is meant, and must be read so again."""
    sides = [text if plain else list(map(escaped, text)) for text in (old, new)]
    return "\n".join(["<<<<<<< SEARCH", *claims, *sides[0], "=======", *sides[1], ">>>>>>> REPLACE", ""])
