"""Unified diffs, plain and git's, as models write them. Finds diffs in an answer; finds no place, touches no file."""

from __future__ import annotations

import re

from ..errors import Problem
from ..model import Edit, Format, Note, Op, Patch
from ..text import patch_lines
from ..twice import said_once
from ._line_ends import rows_with_cr
from ._outline import is_bare_hunk
from ._unified_hunks import Region, numbers_in, read_hunk
from ._unified_ops import Reading, edit_more, is_prefixed, operations
from ._unified_sections import Section, begins, read_section, stray_script
from ._unified_teach import EXAMPLES, PROMPT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection

    from ..model import FileChange
    from ._unified_hunks import Block

# Each line behind a line end: what begins with one sign is searched for much faster.
_PAIR = r"\n--- [^\n]*\n(?:\+\+\+ |@@)"
_INDENTED_PAIR = r"\n[ \t]+--- [^\n]*\n[ \t]+\+\+\+ "
_CONTEXT = 3  # lines, as diffs usually have them
_SCRIPT = r"(?m)\n[0-9]{1,9}(?:,[0-9]{1,9})?(?:[ac]\r?$|[acd][0-9,]{1,19}\r?\n[<>] )"


def parse(text: str) -> Patch:
    """What the diffs in a text say."""
    lines = patch_lines(text)
    reading = Reading(rows_with_cr(text), [], [])
    found = _parts(lines, reading) or _parts(_dedented(lines), reading)
    ops = _operations(found, reading)
    if not found and not reading.problems:
        reading.problems.append(stray_script(lines) or _nothing())
    ops = said_once(ops, reading.notes)
    literal = bool(found) and all(isinstance(part, Section) and part.is_gits for part in found)
    return Patch("unified", tuple(ops), "", tuple(reading.problems), tuple(reading.notes), literal=literal)


def sniff(text: str) -> int:
    """How much a text looks like a unified diff."""
    text = f"\n{text}"
    if "*** Begin Patch" in text or "*** Update File:" in text:
        return 20 if re.search(_PAIR, text) else 0
    if ("--- " in text and re.search(_PAIR, text)) or "\ndiff --git " in text:
        return 95 if "@@" in text or "diff --git " in text else 80
    if text.find("\n***************", 1) > 0 or "\ndiff --cc " in text or text.startswith("\nBinary files "):
        return 60
    if "+++ " in text and (text.find("\n@@ -", 1) > 0 or re.search(_INDENTED_PAIR, text)):
        return 55
    if re.search(_SCRIPT, text):
        return 40
    if re.search(r"\n@@ -[0-9]", text):
        return 45
    return 35 if re.search(r"\n@@(?: [^\n]{0,200}@@)?[ \t]*\r?\n[+-]", text) else 0


# ── the parts of an answer ───────────────────────────────────────────────────────────────────────


def _parts(lines: list[str], reading: Reading) -> list[Section | Block]:
    """All sections, in fences and outside, and hunks that stand alone."""
    found: list[Section | Block] = []
    row, whole = 0, Region(lines, len(lines), False)
    while row < len(lines):
        fence = _fence(lines[row])
        if fence:
            end = _closing(lines, row, fence)
            region = Region(lines, end, True, end < len(lines))
            _scan(region, row + 1, found)
            _check_end(region, row, found, reading)
            row = end + 1
        else:
            row = _step(whole, row, found)
    _check_last(lines, found, reading)
    _check_torn(lines, found, reading)
    return found


def _scan(region: Region, row: int, found: list[Section | Block]) -> None:
    while row < region.end:
        row = _step(region, row, found)


def _step(region: Region, row: int, found: list[Section | Block]) -> int:
    """Read what begins at a row, if something does; the row behind it."""
    line = region.lines[row]
    if line[:1] in ("-", "+", "*", "d", "B", "G") and begins(region, row):
        section = read_section(region, row)
        found.append(section)
        return section.end
    below = region.lines[row + 1] if row + 1 < region.end else ""
    if line.startswith("@@") and (numbers_in(line) is not None or is_bare_hunk(line, below)):
        block = read_hunk(region, row)
        found.append(block)
        return max(block.end, row + 1)
    return row + 1


def _check_end(region: Region, opened: int, found: list[Section | Block], reading: Reading) -> None:
    """A fence that never closes is where an answer was cut off, unless the last hunk is as long as it says."""
    if region.closed or not found or found[-1].row <= opened:
        return
    last = found[-1]
    if isinstance(last, Section):
        if last.trouble is not None or (not last.blocks and last.marks):
            return
        last = last.blocks[-1] if last.blocks else last
    if isinstance(last, Section) or (last.is_short and not any(map(str.strip, region.lines[last.end :]))):
        detail = "the diff is cut off: its fence never closes, and its last hunk may not be whole"
        reading.problems.append(Problem("truncated", detail, patch_line=last.row + 1))


def _check_torn(lines: list[str], found: list[Section | Block], reading: Reading) -> None:
    """A line of backticks that lost its sign looks like a fence: where a short hunk ends at one, more may follow."""
    blocks = [block for part in found for block in (part.blocks if isinstance(part, Section) else (part,))]
    for at, block in enumerate(blocks):
        end = block.end
        if block.numbers is None or end >= len(lines) or not _fence(lines[end]) or not block.is_short:
            continue
        after = blocks[at + 1].row if at + 1 < len(blocks) else len(lines)
        if any(line.startswith(("+", "@@")) for line in lines[end + 1 : after]):
            detail = "the hunk is shorter than its header says, and behind a line of backticks more of it may follow"
            advice = "Begin every line of context with a blank."
            reading.problems.append(Problem("bad_patch", detail, patch_line=end + 1, advice=advice))


def _check_last(lines: list[str], found: list[Section | Block], reading: Reading) -> None:
    """Where the text ends in a hunk that is shorter than it says and doesn't end as hunks do, it was cut off.

    With less context than hunks have it may also end where the file does: that only the file can tell.
    """
    part = found[-1] if found else None
    last = (part.blocks[-1] if part.blocks else None) if isinstance(part, Section) else part
    if last is None or last.numbers is None or any(map(str.strip, lines[last.end :])) or reading.problems:
        return
    tags = "".join(tag for tag, _ in last.tagged)
    missing = [said - there for said, there in zip(last.numbers[1:], last.counts, strict=True)]
    if (tags.endswith(("+", "-")) and missing[1] > 0) or (last.is_short and tags and not tags.strip(" ")):
        detail = "the diff is cut off: it ends in a hunk that has fewer lines than its header says"
        advice = "Send it to its end; if this is all, correct the counts or put it into a closed fence."
        reading.problems.append(Problem("truncated", detail, patch_line=last.row + 1, advice=advice))
    elif last.is_short and (_lacks_context(last, tags) or max(missing) > _CONTEXT):
        last = last._replace(cut=True)
        found[-1] = part._replace(blocks=(*part.blocks[:-1], last)) if isinstance(part, Section) else last


def _lacks_context(last: Block, every: str) -> bool:
    """Whether a hunk has less context at its end than at its beginning; at the first line there is none to compare."""
    solid = "".join(tag for tag, text in last.tagged if text.strip() or tag != " ")
    at_top = last.numbers is not None and last.numbers.line <= 1
    for tags, least in ((every, 0 if at_top else _CONTEXT), (solid, _CONTEXT - 1)):
        behind, ahead = len(tags) - len(tags.rstrip(" ")), len(tags) - len(tags.lstrip(" "))
        if behind < (ahead if least else _CONTEXT) and ahead >= least:
            return True
    return False


def _operations(found: list[Section | Block], reading: Reading) -> list[Op]:
    """The operations of all parts. A hunk that stands alone belongs to the file edited right before it."""
    ops: list[Op] = []
    owner = ""
    reading = reading._replace(prefixed=is_prefixed([part for part in found if isinstance(part, Section)]))
    for part in found:
        if isinstance(part, Section):
            made = operations(part, reading)
            owner = made[-1].path if made and isinstance(made[-1], Edit) else ""
            ops += made
        elif owner:
            reading.notes.append(Note(f"the hunk names no file; it was read as one of {owner}", owner, part.row + 1))
            ops += edit_more(owner, (part,), reading)
        else:
            advice = "Write `--- a/PATH` and `+++ b/PATH` above the first hunk of each file."
            reading.problems.append(
                Problem("bad_patch", "the hunk names no file", patch_line=part.row + 1, advice=advice)
            )
    return ops


def _nothing() -> Problem:
    advice = "Write `--- a/PATH`, `+++ b/PATH`, then hunks that begin with `@@`."
    return Problem("bad_patch", "there is no diff in it", patch_line=1, advice=advice)


# ── fences and indentation ───────────────────────────────────────────────────────────────────────


def _fence(line: str) -> str:
    """The marks that open a fence, with the indentation before them; "" for other lines."""
    if "```" not in line and "~~~" not in line:
        return ""
    bare = line.lstrip(" \t")
    for char in "`~":
        if bare.startswith(char * 3):
            return line[: len(line) - len(bare.lstrip(char))]
    return ""


def _closing(lines: list[str], row: int, opener: str) -> int:
    """The row of the line that closes a fence; behind the last one where none does."""
    marks = opener.lstrip(" \t")
    depth = len(opener) - len(marks)
    for at in range(row + 1, len(lines)):
        line = lines[at]
        if marks in line and not line.strip().strip(marks[0]) and len(line) - len(line.lstrip(" \t")) <= depth:
            return at
    return len(lines)


def _dedented(lines: list[str]) -> list[str]:
    """The lines without the indentation that the first header line has, as in a list item or a quoted block."""
    pattern = re.compile(r"[ \t]+(?=diff --git |--- [^\n])")
    indent = next((found[0] for line in lines if line[:1] in (" ", "\t") and (found := pattern.match(line))), "")
    return [line.removeprefix(indent) for line in lines] if indent else lines


def render(changes: tuple[FileChange, ...], wide: Collection[str] = ()) -> str:
    """The changes as a git diff; Refused where it has no words for one."""
    from ._unified_write import document

    return document(changes, wide)


def write(ops: tuple[Op, ...]) -> str:
    """The operations as they were read; Refused where the format has no words for one."""
    from ._unified_resend import document

    return document(ops)


FORMAT = Format(
    "unified",
    "unified diffs, plain or git's: hunks of context, removed and added lines; counts and line numbers may be wrong",
    sniff,
    parse,
    render,
    frozenset(("create", "delete", "final_newline", "mode", "blank_lines")),
    PROMPT,
    EXAMPLES,
    write,
)
