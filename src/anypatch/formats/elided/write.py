"""Writes files with marks for what stays, where lines that stand once can anchor the parts; else in full."""

from __future__ import annotations

from ...author.describe import check_sayable, lines_of, refuse
from ...diff import opcodes, rewritten
from ...model import Edit, FileChange, Merge, Op
from ...record import NamedTuple
from ...text import BLANK, indent_of, is_blank
from ..whole_file.write import fenced, path_line, said_path, whole, written_whole

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection


_NAME = "elided"
_STYLES = {
    "//": "c h cc cpp cxx hpp cs java js jsx mjs ts tsx go rs swift kt kts scala dart php scss less groovy proto",
    "--": "sql lua hs elm ada vhdl",
    ";": "el lisp clj asm ini",
    "%": "tex bib erl",
    "<!--": "html htm xml svg md mdx vue markdown",
    "/*": "css",
}
# Words that, alone on a line, are no anchor to a reader.
_LONE = ("else", "pass", "done", "esac", "return", "break", "continue", "default")
_CLOSERS = {"<!--": " -->", "/*": " */"}


class Range(NamedTuple):
    """Rows start..end of the file before are shown as rows new_start..new_end of the file after.

    The changes lie in rows first..last; what is above and below them are anchors and lines that stay.
    """

    start: int
    end: int
    new_start: int
    new_end: int
    first: int
    last: int


def render(changes: tuple[FileChange, ...], wide: Collection[str] = ()) -> str:
    """The changed files, each in parts where that is shorter and sure, else in full."""
    return "\n".join((change.path not in wide and _parts(change)) or _full(change) for change in changes)


def _full(change: FileChange) -> str:
    return whole(change, _NAME)


def _parts(change: FileChange) -> str:
    """The file with marks for what stays; "" where it can't be said so."""
    check_sayable(change, _NAME)
    if change.before is None or change.after is None:
        return ""
    before, after = lines_of(change.before.data).lines, lines_of(change.after.data).lines
    if rewritten(change.before.data, after) != change.after.data:
        raise refuse(change, _NAME, "its line ends, its BOM or its final line end change")
    if opcodes(before, after) != opcodes(*([line.rstrip(BLANK) for line in lines] for lines in (before, after))):
        # A reader takes blanks lost at line ends for a slip.
        return ""
    ranges = _anchored(before, after)
    if not ranges or sum(one.new_end - one.new_start for one in ranges) + len(ranges) + 1 >= len(after):
        return ""
    stays = mark(change.path)
    lines = [stays]
    for one in ranges:
        lines += [*after[one.new_start : one.new_end], stays]
    made = f"{said_path(change, _NAME)}\n" + fenced(lines)
    return made if _is_read(made, [tuple(after[one.new_start : one.new_end]) for one in ranges]) else ""


def _anchored(before: list[str], after: list[str]) -> list[Range]:
    """The changes, each with a line above and one below that stands in the file once. Empty where one has none."""
    counts: dict[str, int] = {}
    for line in before:
        counts[line.strip()] = counts.get(line.strip(), 0) + 1
    made: list[Range] = []
    for start, end, new_start, new_end in opcodes(before, after):
        above = next((row for row in range(start - 1, -1, -1) if _is_anchor(before[row], counts)), -1)
        below = next((row for row in range(end, len(before)) if _is_anchor(before[row], counts)), -1)
        if above < 0 or below < 0:
            return []
        one = Range(above, below + 1, new_start - (start - above), new_end + (below + 1 - end), start, end)
        if made and one.start < made[-1].end:
            wider = made.pop()
            one = one._replace(start=wider.start, new_start=wider.new_start, first=wider.first)
        made.append(one)
    return made if all(_stays_in_block(before, one) for one in made) else []


def _is_anchor(line: str, counts: dict[str, int]) -> bool:
    word = "".join(char for char in line if char.isalnum())
    return counts[line.strip()] == 1 and len(word) >= 4 and word not in _LONE


def _stays_in_block(before: list[str], one: Range) -> bool:
    """Whether no row that changes lies further out than what follows it: else a reader can't tell the blocks apart."""
    below = [_depth(line) for line in before[one.last : one.end] if not is_blank(line)]
    return all(_depth(line) >= max(below) for line in before[one.first : one.last] if not is_blank(line))


def _depth(line: str) -> int:
    return len(indent_of(line).replace("\t", "    "))


def mark(path: str) -> str:
    """The line that stands for what stays, as a comment of the file's language."""
    suffix = path.rsplit(".", 1)[-1].lower()
    sign = next((sign for sign, suffixes in _STYLES.items() if suffix in suffixes.split()), "#")
    return f"{sign} ... existing code ...{_CLOSERS.get(sign, '')}"


def _is_read(made: str, segments: list[tuple[str, ...]]) -> bool:
    """Whether a reader gets these very parts."""
    from .read import parse

    said = parse(made)
    op = said.ops[0] if len(said.ops) == 1 and not said.problems else None
    if not isinstance(op, Edit) or not isinstance(op.hunks[0], Merge):
        return False
    found = op.hunks[0]
    return found.segments == tuple(segments) and found.open_start and found.open_end


# ── elided resend ───────────────────────────────────────────────────────────────────────────────────


def write(ops: tuple[Op, ...]) -> str:
    """The files with marks for what stays."""
    return "\n".join(_shown(op) for op in ops)


def _shown(op: Op) -> str:
    merge = op.hunks[0] if isinstance(op, Edit) and len(op.hunks) == 1 else None
    if not isinstance(merge, Merge):
        return written_whole(op, _NAME)
    return f"{path_line(op, _NAME)}\n" + fenced(shown(merge))


def shown(merge: Merge) -> list[str]:
    """The lines of a file shown in part, its marks among them."""
    lines: list[str] = []
    marks = list(merge.marks)
    for at, segment in enumerate(merge.segments):
        lines += [marks.pop(0)] if marks and (at or merge.open_start) else []
        lines += segment
    return [*lines, *marks]
