"""The sections of a diff, one a file: header lines and hunks as they stand. Pure; judges no name and makes no op."""

from __future__ import annotations

import re

from ..errors import Problem
from ..record import NamedTuple
from ._unified_hunks import Block, Region, read_hunk

_MARKS = (
    "old mode ", "new mode ", "deleted file mode ", "new file mode ", "rename from ", "rename to ", "rename old ",
    "rename new ", "copy from ", "copy to ", "similarity index ", "dissimilarity index ", "index ",
)  # fmt: skip
_COMBINED = ("diff --cc ", "diff --combined ", "@@@")
_HUNK_LEADS = ("-", "+", " ", "")
_STARS = "***************"
_ED = r"[0-9]{1,9}(?:,[0-9]{1,9})?(?:[acdijmrstw]|![^\n]*)"
_NORMAL = r"[0-9]{1,9}(?:,[0-9]{1,9})?[acd][0-9]{1,9}(?:,[0-9]{1,9})?"
_ASK = "Write a unified diff: `--- a/PATH`, `+++ b/PATH`, then hunks that begin with `@@`."


class Section(NamedTuple):
    """What is said about one file. `git`, `old`, `new`: header lines without their first word, None where missing.

    `marks`: the lines between `diff --git` and `---`, by their words. `trouble`: why it can't be read at all.
    """

    row: int
    git: str | None
    old: str | None
    new: str | None
    marks: dict[str, str]
    blocks: tuple[Block, ...]
    trouble: Problem | None
    end: int

    @property
    def is_gits(self) -> bool:
        """Whether git itself wrote it: it names both blobs, and every hunk has as many lines as its header counts."""
        blobs = re.match(r"[0-9a-f]{7,64}\.\.[0-9a-f]{7,64}(?: |$)", self.marks.get("index", ""))
        counted = all(block.numbers is not None and block.counts == block.numbers[1:] for block in self.blocks)
        return self.git is not None and (blobs is not None or not self.blocks) and counted


def begins(region: Region, row: int) -> bool:
    """Whether a section begins at a row."""
    first = region.lines[row][:1]
    if first == "-":
        return region.starts(row, "--- ") and region.starts(row + 1, "+++ ", "@@")
    if first == "+":
        return region.starts(row, "+++ ") and region.starts(row + 1, "@@")
    if first == "*":
        return region.starts(row, "*** ") and region.starts(row + 1, "--- ") and region.starts(row + 2, _STARS)
    if first == "d":
        return region.starts(row, "diff --git ", "diff --cc ", "diff --combined ")
    if first == "B":
        return region.starts(row, "Binary files ") and region.lines[row].rstrip().endswith(" differ")
    return region.starts(row, "GIT binary patch")


def read_section(region: Region, row: int) -> Section:
    """The section that begins at a row."""
    start, git = row, None
    marks: dict[str, str] = {}
    if region.starts(row, "diff --git "):
        git, row = region.lines[row][11:], row + 1
        row, marks = _marks(region, row)
    trouble = _unreadable(region, row)
    if trouble is not None:
        return Section(start, git, None, None, marks, (), trouble, _behind_trouble(region, row))
    old, new, row = _names(region, row)
    blocks, row = _blocks(region, row, old is not None or new is not None)
    trouble = _unreadable(region, _behind_blanks(region, row)) if not blocks else None
    return Section(start, git, old, new, marks, blocks, trouble, max(row, start + 1))


def stray_script(lines: list[str]) -> Problem | None:
    """The problem with a text that holds no section but commands for an editor, or a diff without file names."""
    dot = next((row for row in range(len(lines) - 1, -1, -1) if lines[row] == "."), -1)
    for row, line in enumerate(lines):
        if line[:1].isdecimal() and len(line) < 80:
            below = lines[row + 1] if row + 1 < len(lines) else ""
            if re.fullmatch(_NORMAL, line) and below[:2] in ("< ", "> ", "<", ">"):
                return _bad(row, "this is a plain diff without context, which names neither file nor place", _ASK)
            if re.fullmatch(_ED, line) and (row < dot or line[-1] == "d"):
                return _bad(row, "this is an ed script; such scripts are never run", _ASK)
    return None


def _marks(region: Region, row: int) -> tuple[int, dict[str, str]]:
    marks: dict[str, str] = {}
    while row < region.end:
        line = region.lines[row]
        mark = next((mark for mark in _MARKS if line.startswith(mark)), None)
        if mark is None:
            break
        word = mark.strip().replace("rename old", "rename from").replace("rename new", "rename to")
        marks.setdefault(word, line[len(mark) :].strip())
        row += 1
    return row, marks


def _names(region: Region, row: int) -> tuple[str | None, str | None, int]:
    behind = _behind_blanks(region, row)
    row = behind if region.starts(behind, "--- ", "+++ ", "@@") else row
    old = new = None
    if region.starts(row, "--- "):
        old, row = region.lines[row][4:], row + 1
    if region.starts(row, "+++ "):
        new, row = region.lines[row][4:], row + 1
    return old, new, row


def _blocks(region: Region, row: int, named: bool) -> tuple[tuple[Block, ...], int]:
    """The hunks from a row on. The first one may lack its header, where file names stand right above it."""
    blocks: list[Block] = []
    while True:
        at = _behind_blanks(region, row)
        lead = region.lines[at][:3] if at < region.end else ""
        headed = lead[:2] == "@@" and lead != "@@@"
        if not headed and (blocks or not named or not _is_headless(region, at)):
            return tuple(blocks), row
        block = read_hunk(region, at)
        if block.end <= at:
            return tuple(blocks), row
        blocks.append(block)
        row = block.end


def _is_headless(region: Region, row: int) -> bool:
    if row >= region.end or begins(region, row) or _unreadable(region, row) is not None:
        return False
    return region.fenced or region.starts(row, "+", "-", " ")


def _unreadable(region: Region, row: int) -> Problem | None:
    """Why what stands at a row is no unified diff, if it is something else that has a name."""
    if row >= region.end:
        return None
    line = region.lines[row]
    if line[:1] in _HUNK_LEADS:
        return None
    if line.startswith("GIT binary patch") or (line.startswith("Binary files ") and " differ" in line):
        return _bad(row, "binary patches can't be applied", "Leave the binary file out, and put it in place by hand.")
    if line.startswith(_COMBINED):
        return _bad(row, "this is a combined diff, of a merge", "Write a diff against one version: `git diff HEAD^`.")
    if (line.startswith("*** ") and region.starts(row + 1, "--- ")) or line.startswith(_STARS):
        return _bad(row, "this is a context diff", _ASK)
    if line[:1].isdecimal() and len(line) < 80:
        if re.fullmatch(_NORMAL, line):
            return _bad(row, "this is a plain diff without context", _ASK)
        if re.fullmatch(_ED, line):
            return _bad(row, "this is an ed script; such scripts are never run", _ASK)
    return None


def _behind_trouble(region: Region, row: int) -> int:
    """Where the next section begins: what can't be read is passed over as a whole, with its own `---` lines."""
    inner = ("---", "+++") if region.starts(row, "*** ", _STARS, *_COMBINED) else ()
    row += 1
    while row < region.end and not (begins(region, row) and not (inner and region.starts(row, *inner))):
        row += 1
    return row


def _behind_blanks(region: Region, row: int) -> int:
    while row < region.end and not region.lines[row].strip():
        row += 1
    return row


def _bad(row: int, detail: str, advice: str) -> Problem:
    return Problem("bad_patch", detail, patch_line=row + 1, advice=advice)
