"""What renderers share: a change as lines, and the refusal of what a format has no words for. Knows no format."""

from __future__ import annotations

from ..diff import compact, opcodes
from ..errors import Problem, Refused
from ..model import FileChange
from ..record import NamedTuple
from ..text import BOM, decode, join, looks_binary, majority, split

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..model import Op


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


def ranges(before: Lines, after: Lines) -> list[tuple[int, int, int, int]]:
    """What differs, in as few places as can be where all lines end alike: else equal lines may end otherwise."""
    found = opcodes(before.lines, after.lines)
    even = len({*before.ends, *after.ends} - {""}) <= 1
    return compact(found, before.lines, after.lines) if even else found


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
    for start, end, new_start, new_end in reversed(ranges(before, after)):
        made.append(Piece(start, end, after.lines[new_start:new_end]))
        lines[start:end] = after.lines[new_start:new_end]
        ends[start:end] = [eol] * (new_end - new_start)
    if ends:
        ends = [end or eol for end in ends]
        ends[-1] = "" if before.ends[-1] == "" else ends[-1]
    exact = join(lines, ends) == join(after.lines, after.ends) if lines else not after.lines
    return made[::-1] if exact else None


def pieces_own(change: FileChange, *, final: bool = False) -> list[Piece] | None:
    """An update as edits of whole lines where the i-th new line of a piece keeps the line end of the i-th old one.

    Further new lines take the file's usual line end, and a line that goes and comes again keeps its own.
    `final`: the format can say that the final line end is made or lost; then the last piece reaches the end.
    None where all that would not give the file after.
    """
    assert change.before is not None and change.after is not None
    before, after = lines_of(change.before.data), lines_of(change.after.data)
    if before.bom != after.bom:
        return None
    eol = majority(before.ends)
    made = [Piece(s, e, after.lines[n:m]) for s, e, n, m in ranges(before, after)]
    making = final_end(change) if final else ""
    if making:
        made = _to_the_end(made, before.lines)
    ends = list(before.ends)
    for piece in reversed(made):
        ends[piece.start : piece.end] = _own_ends(before, piece, eol)
    if ends and made:
        ends = [end or eol for end in ends]
        if making:
            ends[-1] = eol if making == "made" else ""
        elif before.ends[-1:] == [""]:
            ends[-1] = ""
    return made if ends == after.ends else None


def final_end(change: FileChange) -> str:
    """Whether an update makes the final line end ("made") or loses it ("lost"); "" where it stays as it is."""
    assert change.before is not None and change.after is not None
    before, after = lines_of(change.before.data), lines_of(change.after.data)
    has, had = after.ends[-1:] != [""], before.ends[-1:] != [""]
    return "" if has == had or not after.ends else "made" if has else "lost"


def _to_the_end(made: list[Piece], lines: list[str]) -> list[Piece]:
    """The pieces, the last of which takes and gives the last line."""
    start, end, new = made.pop() if made and made[-1].end == len(lines) else Piece(len(lines), len(lines), [])
    if start and (start == end or not new):
        start, new = start - 1, [lines[start - 1], *new]
    if made and made[-1].end == start:
        other = made.pop()
        start, new = other.start, [*other.new, *new]
    return [*made, Piece(start, end, new)]


def _own_ends(before: Lines, piece: Piece, eol: str) -> list[str]:
    """The line ends of a piece's new lines."""
    start, end, new = piece
    own = [kept or eol for kept in before.ends[start:end]]
    ends = own[: len(new)] + [eol] * (len(new) - len(own))
    old = before.lines[start:end]
    if not set(old).isdisjoint(new):
        at = new_at = 0
        for stop, following, new_stop, new_following in [*opcodes(old, new), (len(old), 0, len(new), 0)]:
            ends[new_at:new_stop] = own[at:stop]
            at, new_at = following, new_following
    return ends


def refuse(change: FileChange, format: str, why: str) -> Refused:
    """The refusal of a change that a format can't say."""
    return Refused(Problem("cannot_say", f"{format} can't say this change of {change.path}: {why}", change.path))


def unsayable(op: Op, format: str) -> Refused:
    """The refusal of an operation that a format has no words for."""
    return Refused(Problem("cannot_say", f"{format} can't say this operation on {op.path}", op.path))


def check_sayable(change: FileChange, format: str) -> None:
    """Refuse what no format of lines can say."""
    for file in (change.before, change.after):
        if file is not None and looks_binary(file.data):
            raise refuse(change, format, "it is binary data")
    if change.before and change.after and change.before.mode != change.after.mode:
        raise refuse(change, format, "its permissions change")
    if change.before is None and change.after and change.after.mode & 0o111:
        raise refuse(change, format, "it can be run")
    if "\n" in change.path or "\r" in change.path:
        raise refuse(change, format, "a line end in the path")
