"""Which changes are said best by the whole block that holds them: those that leave little of it. Touches no file."""

from __future__ import annotations

from ...author.describe import Piece
from ...problems import Problem
from ...record import NamedTuple
from ...text import BLANK, indent_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...syntax.languages import Language

_OPS = {"python": ("replace_py_block", "py"), "c": ("replace_c_style_block", "c_style")}
_FIELDS = 4  # lines that each operation costs beside its texts
_LEVELS = 3  # how many of the blocks around a change are looked at
_TRIES = 60  # how many in all: each reads the text


class Block(NamedTuple):
    """An operation on a whole block: rows of the file before, the first of which is the header, become new lines."""

    op: str
    piece: Piece


def blocks(path: str, lines: list[str], pieces: list[Piece]) -> dict[int, Block]:
    """The blocks that say some of the pieces in fewer lines, by the first row of the first piece that each holds."""
    from ...syntax.languages import language_of

    language = language_of(path)
    if language is None or language.family not in _OPS:
        return {}
    text = "\n".join(lines)
    found: dict[int, Block] = {}
    low = tries = 0
    for number, piece in enumerate(pieces):
        if piece.start < low or piece.end - piece.start < _FIELDS:
            continue  # only many lines of marker are worth a block
        above = max(low, pieces[number - 1].end if number else 0)
        for row in _headers(lines, piece.start, above, language) if tries < _TRIES else ():
            tries += 1
            block = _block(text, lines, (row, pieces[number:]), language)
            if block is not None:
                found[piece.start] = block
                low = block.piece.end
                break
    return found


def _headers(lines: list[str], start: int, low: int, language: Language) -> list[int]:
    """The rows that may open the blocks around a row, innermost first: those above it with less indentation."""
    sign = ":" if language.family == "python" else "{"
    found: list[int] = []
    depth = len(indent_of(lines[start])) + 1
    for row in range(start, low - 1, -1):
        line = lines[row].strip(BLANK)
        if line and len(indent_of(lines[row])) < depth:
            depth = len(indent_of(lines[row]))
            found += [row] if line.endswith(sign) else []
            if not depth or len(found) == _LEVELS:
                break
    return found


def _block(text: str, lines: list[str], at: tuple[int, list[Piece]], language: Language) -> Block | None:
    """The block that the header opens with all changes in it, if it ends a line and is shorter than they are."""
    from ...syntax.blocks import block_end

    row, pieces = at
    op, kind = _OPS[language.family]
    end = block_end(kind, text, language, row, row, "")
    if isinstance(end, Problem) or lines[end.line][end.column :].strip(BLANK):
        return None
    held = [piece for piece in pieces if piece.start <= end.line]
    if not held or held[-1].end > end.line + 1:
        return None
    new, done = [], row
    for piece in held:
        new += [*lines[done : piece.start], *piece.new]
        done = piece.end
    new += lines[done : end.line + 1]
    told = sum(_FIELDS + piece.end - piece.start + len(piece.new) for piece in held)
    plain = bool(new) and bool(new[0].strip(BLANK)) and bool(new[-1].strip(BLANK))
    if not plain or indent_of(new[0]) != indent_of(lines[row]) or _FIELDS + 1 + len(new) >= told:
        return None
    return Block(op, Piece(row, end.line + 1, new))
