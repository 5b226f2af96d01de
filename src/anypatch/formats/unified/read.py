"""Reads diffs as models write them: wrong counts, no numbers, lines without their sign. Finds no place in any file.

    diff     = { section | hunk }                      a hunk alone belongs to the file before it
    section  = [ "diff --git a/OLD b/NEW" { mark } ] [ "--- OLD" ] [ "+++ NEW" ] { hunk }
             | "*** OLD" "--- NEW" { "***************" "*** 1,3 ****" { sided } "--- 1,3 ----" { sided } }
             | [ "diff OLD NEW" ] { ( "1,2c3" | "4d4" | "5a6,7" ) { "< removed" } [ "---" ] { "> added" } }
    mark     = "old mode …" | "new file mode …" | "rename from …" | "index …" | …
    hunk     = [ "@@" [ " -LINE,COUNT +LINE,COUNT " ] "@@" [ heading ] ] { line }
    line     = " kept" | "-removed" | "+added" | "\\ No newline at end of file"
    sided    = "  kept" | "! changed" | "- removed" | "+ added"

A hunk ends where its header says, if nothing follows that could be part of it; otherwise at the first line that can't
be part of it. In a fence, lines without any sign are: context that lost its space. A section becomes operations only
when all sections are read, since the names of one tell how to read those of another.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from ...answer.fences import Region, contents, fence_of, fences, run_end
from ...answer.labels import path_in, path_on
from ...answer.prose import is_prose
from ...model import ANYWHERE, TOLERANT, Delete, Edit, Hunk, Move, Note, Op, Patch, Where, Write
from ...paths import check_new_name
from ...problems import Problem, Refused, bad, no_file
from ...text import BLANK, BOM, changed_end, decode, encode, patch_lines, pattern, rows_with_cr

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    Reader = Callable[[Region, int], "RawHunk | None"]
    Head = tuple[int, int, int, tuple[int, int] | None]  # the first four fields of a RawHunk

_NAME = "unified"
NOWHERE = "/dev/null"
ASIDE = ".anypatch-aside"  # ends the temporary name of a file that makes room for another
_SIGNS = ("+", "-", " ")
_ONLY_SIGNS = frozenset(_SIGNS)
_NO_NEWLINE = ("\\ ", "\\No newline")
_OF_HUNK = (*_NO_NEWLINE, *_SIGNS)
_GLUED = (("---a/", "---/dev/null"), ("+++b/", "+++/dev/null"))  # names that lost the space before them
_STARS = "***************"
_COMBINED = ("diff --cc ", "diff --combined ")
_MARKS = (
    "index ", "old mode ", "new mode ", "deleted file mode ", "new file mode ", "rename from ", "rename to ",
    "rename old ", "rename new ", "copy from ", "copy to ", "similarity index ", "dissimilarity index ",
)  # fmt: skip
_SECOND_LINES = {"--- ": ("+++ ", "@@"), "+++ ": ("@@",), "*** ": ("--- ",)}
# What lines of a diff among prose begin with.
_LINES = (
    "@@", "\\", "diff ", "new file", "deleted file", "rename ", "similarity ", "dissimilarity ", "copy ",
    "index ", "old mode", "new mode", "Binary ", "GIT binary", "Index: ", "=====", _STARS, "*** ", "! ", "< ", "> ",
)  # fmt: skip
_BEFORE_FENCES = ("`", "~", " ", "\t")
_FIRSTS = frozenset((*"@-+*dBG0123456789", *_BEFORE_FENCES))  # what lines that begin anything begin with
_NUMBERS = r"@@ {0,3}-([0-9]{1,9})(?:,([0-9]{1,9}))?[ ,]{1,3}\+[0-9]{1,9}(?:,([0-9]{1,9}))?(?![0-9,])"
_RANGES = (r"\*\*\* ([0-9]{1,9})(?:,([0-9]{1,9}))? \*\*\*\*", r"--- ([0-9]{1,9})(?:,([0-9]{1,9}))? ----")
_NORMAL = r"([0-9]{1,9})(?:,[0-9]{1,9})?([acd])[0-9]{1,9}(?:,[0-9]{1,9})?"
_AT_ONCE = 500  # lines that are counted together
_EPOCH = r"[ \t](?:1970-01-01|1969-12-31)[ T]"  # the time that `diff -N` gives a file that doesn't exist
_ASK = "Write a unified diff: `--- a/PATH`, `+++ b/PATH`, then hunks that begin with `@@`."
# What can't be read is named in the refusal: what it begins with, its name, what to do.
_UNREADABLE = (
    (r"GIT binary patch|Binary files .* differ", "binary patches can't be applied",
     "Leave the binary file out, and copy it by hand."),
    (r"diff --(?:cc|combined) |@@@", "this is the combined diff of a merge",
     "Write a diff against one version: `git diff HEAD^`."),
    (r"[0-9]{1,9}(?:,[0-9]{1,9})?(?:[acdijmrstw]|!.*)$", "this is an ed script, which is never run", _ASK),
    (r"[ad][0-9]{1,9} [0-9]{1,9}$", "this is an RCS diff, which isn't supported", _ASK),
    (r"\*{15}", "the old and new sides of this context diff contradict each other", _ASK),
)  # fmt: skip
_SCRIPT_STARTS = frozenset("ad0123456789")
_MODES = {"100644": 0o644, "100664": 0o644, "100755": 0o755, "100775": 0o755}
_NO_FILES = {"120000": "a symbolic link", "160000": "a submodule"}


class RawHunk(NamedTuple):
    """A hunk as written: rows `row` to `end` of the patch, and its lines with their signs.

    `line`, `claimed`: the first old line and how many lines each side has, by its header; None without numbers.
    `counts`: how many lines each side really has. `rows`: the patch's row of each line.
    `unended`: the sides ("-", "+") whose last line has no newline. `unsigned`: rows of lines without a sign.
    `heading`: the header's text after its numbers. `counted`: how many lines the header counts, if more follow that
    are only context.
    """

    row: int
    end: int
    line: int
    claimed: tuple[int, int] | None
    signed: list[str]
    rows: Sequence[int]
    counts: tuple[int, int]
    heading: str = ""
    unended: str = ""
    unsigned: Collection[int] = ()
    counted: int = 0

    @property
    def is_short(self) -> bool:
        """Whether each side that has lines has fewer than the header counts, or the header counts none."""
        if self.claimed is None:
            return True
        sides = zip(self.counts, self.claimed, strict=True)
        return all(count < claimed or not claimed for count, claimed in sides) and self.claimed != (0, 0)


class Section(NamedTuple):
    """What is said about one file. `is_named`: False for a hunk alone, which is for the file before.

    `old`, `new`: the names on `---` and `+++`, "" if missing; `git`: those after `diff --git`.
    `marks`: git's lines between `diff --git` and `---`, by their words.
    `absent`: the side ("old", "new") that doesn't exist according to its time stamp.
    `problem`: why the section can't be read at all.
    """

    row: int
    end: int
    old: str
    new: str
    hunks: tuple[RawHunk, ...]
    is_named: bool = True
    git: tuple[str, str] | None = None
    marks: dict[str, str] = {}  # noqa: RUF012
    absent: str = ""
    problem: Problem | None = None

    @property
    def is_from_git(self) -> bool:
        """Whether git itself wrote it: it names both blobs, and all counts are right."""
        blobs = re.match(r"[0-9a-f]{7,64}\.\.[0-9a-f]{7,64}(?: |$)", self.marks.get("index", ""))
        is_counted = all(hunk.claimed == hunk.counts for hunk in self.hunks)
        return self.git is not None and (blobs is not None or not self.hunks) and is_counted


class Reading(NamedTuple):
    """What is known while a text is read: the rows that end in CR, problems and notes so far, the default path."""

    crs: frozenset[int]
    has_bom: bool
    problems: list[Problem]
    notes: list[Note]
    file: str


def parse(text: str, file: str = "") -> Patch:
    """Read the diffs in a text. `file`: the path of hunks that name none."""
    lines = patch_lines(text)
    if "---a/" in text or "---/dev/null" in text:
        _split_glued_names(lines)
    reading = Reading(rows_with_cr(text), BOM in text, [], [], file)
    sections = _sections(lines, reading) or _sections(_dedented(lines), reading)
    if not sections and not reading.problems:
        reading.problems.append(script_in(lines) or bad(1, "there is no diff", _ASK))
    ops = _operations(sections, reading)
    literal = bool(sections) and sections[0].git is not None and all(section.is_from_git for section in sections)
    return Patch(_NAME, tuple(ops), "", tuple(reading.problems), tuple(reading.notes), False, literal)


def sniff(text: str) -> int:
    """How much a text looks like a diff: more if it names files than if it has only hunks."""
    if "*** Begin Patch" in text or "*** Update File:" in text:
        return 0  # its hunks look like those of a diff
    lines = patch_lines(text)
    has_hunk = False
    for row, line in enumerate(lines):
        bare = line.lstrip(" \t")
        if bare.startswith(("---", "+++ ", "@@", "diff ", "Index: ")) and opens(lines, row):
            if not bare.startswith("@@"):
                return 95
            has_hunk = True
    if has_hunk:
        return 45
    if any(line.startswith((_STARS, "Binary files ")) for line in lines):
        return 60
    if any(_is_normal(lines, row) for row in range(len(lines))) or any(map(_bare_hunk, fences(lines))):
        return 45
    return 0


def opens(lines: list[str], row: int) -> str:
    """The format's name if a diff begins at a row, by that line and the next one that isn't blank; else ""."""
    bare = lines[row].lstrip(" \t")
    below = ""
    for line in lines[row + 1 : row + 3]:
        if line.strip():
            below = line.lstrip(" \t")
            break
    if bare[:4] in _SECOND_LINES:
        begins = below.startswith(_SECOND_LINES[bare[:4]])
    elif bare.startswith("@@"):
        begins = _is_hunk_header(bare, below)
    elif bare.startswith("---"):
        begins = bare.startswith(_GLUED[0]) and below.startswith(_GLUED[1])
    else:
        known = bare.startswith(("diff --git ", *_COMBINED)) or _is_normal(lines, row + 1)
        begins = known or below.startswith(("=====", "--- ", "diff ", "index "))
    return _NAME if begins else ""


def block_end(lines: list[str], row: int, limit: int, fenced: bool) -> int:
    """The row after the diff that begins at a row, without blank lines at its end."""

    def belongs(line: str) -> bool:
        return not line.strip() or line.startswith(_LINES) or (line[0].isdecimal() and _is_normal([line, "< "], 0))

    return limit if fenced else run_end(lines, row, belongs, _SIGNS)


def _split_glued_names(lines: list[str]) -> None:
    """Put in the space that is missing in `---a/f` and `+++b/f` above a hunk."""
    for row in [row for row, line in enumerate(lines) if line.startswith(_GLUED[0])]:
        below = lines[row + 1 : row + 3]
        if len(below) == 2 and below[0].startswith(_GLUED[1]) and below[1].startswith("@@"):
            lines[row : row + 2] = [f"{line[:3]} {line[3:]}" for line in lines[row : row + 2]]


def _dedented(lines: list[str]) -> list[str]:
    """The lines without the indentation of the first header line, as in a list item or a quoted block."""
    header = re.compile(r"[ \t]+(?=diff --git |--- [^\n])")
    indent = next((match[0] for line in lines if line[:1] in (" ", "\t") and (match := header.match(line))), "")
    return [line.removeprefix(indent) for line in lines] if indent else lines


def _is_hunk_header(line: str, below: str) -> bool:
    """Whether a line is the header of a hunk: with numbers, or `@@` or `@@ def f(): @@` above a changed line."""
    if line.startswith("@@ -") and line[4:5].isdigit():
        return True
    bare = line.rstrip()
    headed = bare == "@@" or (bare.startswith("@@ ") and bare.endswith("@@"))
    return headed and below[:1] in ("+", "-") and not below.startswith(("--- ", "+++ "))


# ── sections ─────────────────────────────────────────────────────────────────────────────────────


def _sections(lines: list[str], reading: Reading) -> list[Section]:
    """All sections, in fences and outside."""
    sections: list[Section] = []
    outside = around = Region(lines, 0, len(lines))
    row = 0
    while row < len(lines):
        first = lines[row][:1]
        if first not in _FIRSTS:
            row += 1
            continue
        fence = contents(lines, row) if first in _BEFORE_FENCES else None
        region, limit = outside, row + 1
        if fence is not None:
            region, row, limit = fence, fence.start, fence.end
            if (section := _bare_hunk(fence, reading.file)) is not None:
                sections.append(section)
                around, row = fence, limit
        while row < limit:
            section = _section(region, row)
            row += 1
            if section is not None:
                sections.append(section)
                around, row = region, max(section.end, row)
        row += fence is not None  # the line that closes it
    if sections:
        _check_cut(sections, around, reading)
        _check_torn(lines, sections, reading)
    return sections


def _section(region: Region, row: int) -> Section | None:
    """The section that begins at a row, or None."""
    lines, start = region.lines, row
    line = lines[row]
    if line.startswith("@@"):
        return _lone_hunk(region, row)
    if not _begins_section(region, row):
        return None
    git = None
    old = new = ""
    marks: dict[str, str] = {}
    if line.startswith("diff --git "):
        git = in_git_line(line[11:])
        marks, row = _marks(region, row + 1)
    reader: Reader = _hunk_at
    names = _skip_blank_lines(region, row)
    is_named = region.starts(names, "--- ", "+++ ")
    if is_named:
        row = names
        if lines[row][0] == "-":
            old, row = lines[row][4:], row + 1
        if region.starts(row, "+++ "):
            new, row = lines[row][4:], row + 1
    elif region.starts(row, "*** "):
        old, new, row, reader = lines[row][4:], lines[row + 1][4:], row + 2, _context_hunk
        is_named = True
    elif region.starts(row, _STARS):
        reader = _context_hunk
    elif (problem := _unreadable(region, row)) is not None:
        return Section(start, _end_of_unreadable(region, row), "", "", (), True, git, marks, problem=problem)
    elif git is None:
        old, new = _names_of_normal_diff(region, row)
        is_named, row, reader = old != "", row + (line[0] == "d"), _normal_hunk
    elif region.starts(names, "@@"):
        row = names
    hunks, row = _hunks_from(region, row, reader, is_named)
    problem = None
    if not hunks and (problem := _unreadable(region, below := _skip_blank_lines(region, row))) is not None:
        row = below + 1
    named = is_named or git is not None or problem is not None
    absent = _absent_side(old, new, hunks)
    return Section(start, max(row, start + 1), clean(old), clean(new), hunks, named, git, marks, absent, problem)


def _marks(region: Region, row: int) -> tuple[dict[str, str], int]:
    """Git's lines from a row on, by their words, and the row after them."""
    marks: dict[str, str] = {}
    while region.starts(row, *_MARKS):
        line = region.lines[row]
        mark = next(mark for mark in _MARKS if line.startswith(mark))
        word = {"rename old ": "rename from", "rename new ": "rename to"}.get(mark, mark[:-1])
        marks.setdefault(word, line[len(mark) :].strip())
        row += 1
    return marks, row


def _hunks_from(region: Region, row: int, reader: Reader, named: bool) -> tuple[tuple[RawHunk, ...], int]:
    """The hunks from a row on. The first one may lack its header if file names are right above it."""
    hunks: list[RawHunk] = []
    while (at := _skip_blank_lines(region, row)) < region.end:
        line = region.lines[at]
        headed = line.startswith("@@") and not line.startswith("@@@")
        if reader is _hunk_at and not headed:
            may_begin = (region.fenced or line.startswith(_SIGNS)) and not _begins_section(region, at)
            if hunks or not named or not may_begin or _unreadable(region, at) is not None:
                break
        hunk = reader(region, at)
        if hunk is None or hunk.end <= at:
            break
        hunks.append(hunk)
        row = hunk.end
    return tuple(hunks), row


def _lone_hunk(region: Region, row: int) -> Section | None:
    """The hunk at a row that no names are above of; a path may be."""
    line = region.lines[row]
    is_header = _is_hunk_header(line, region.lines[row + 1] if row + 1 < region.end else "")
    # In a fence, context may be the first line below `@@` or `@@ def f():`, and a change must follow.
    if not is_header and not (region.fenced and line[2:3] in ("", " ")):
        return None
    hunk = _hunk_at(region, row)
    if not is_header and all(line[0] == " " for line in hunk.signed):
        return None
    path = clean(_path_above(region, row))
    return Section(row, hunk.end, path, path, (hunk,), path != "")


def _bare_hunk(fence: Region, file: str = "") -> Section | None:
    """The one hunk that a fence of a diff holds without any header, below the path of its file, or of the one given.

    In `src/cart.py`:
    ```diff
    -    return 1
    +    return 2
    ```
    """
    opener = fence_of(fence.lines[fence.start - 1])
    if opener is None or opener.language not in ("diff", "patch", "udiff"):
        return None
    if any(fence.starts(row, "@@") or _begins_section(fence, row) for row in range(fence.start, fence.end)):
        return None
    first = _skip_blank_lines(fence, fence.start)
    if first < fence.end and not fence.starts(first, *_SIGNS) and _path_above(fence, first + 1):
        first += 1
    path = clean(_path_above(fence, first) or file)
    if not path or not any(fence.starts(row, "+", "-") for row in range(first, fence.end)):
        return None
    hunk = _hunk_at(fence, first)
    return Section(first, hunk.end, path, path, (hunk,)) if hunk.end == fence.end else None


def _path_above(region: Region, row: int) -> str:
    """The path that the last line above a row names: alone there, or above a fence as the only one in its prose."""
    above = row - 1
    while above >= 0 and (not region.lines[above].strip() or (region.fenced and above == region.start - 1)):
        above -= 1
    above -= above > 0 and region.lines[above].startswith("=====") and region.lines[above - 1].startswith("Index: ")
    if above < 0:
        return ""
    line = region.lines[above]
    if line.startswith("Index: "):
        return line[7:].strip()
    return path_on(line) or (path_in(line) if region.fenced and above < region.start else "")


def _begins_section(region: Region, row: int) -> bool:
    """Whether a section begins at a row with more than a hunk."""
    starts, line = region.starts, region.lines[row]
    first = line[:1]
    if first == "-":
        return line.startswith("--- ") and starts(row + 1, "+++ ", "@@")
    if first == "+":
        return line.startswith("+++ ") and starts(row + 1, "@@")
    if first == "*":
        named = line.startswith("*** ") and starts(row + 1, "--- ") and starts(row + 2, _STARS)
        return named or (line.startswith(_STARS) and starts(row + 1, "*** "))
    if first == "d":
        known = line.startswith(("diff --git ", *_COMBINED))
        return known or (line.startswith("diff ") and row + 1 < region.end and _is_normal(region.lines, row + 1))
    if first == "B":
        return line.startswith("Binary files ") and line.rstrip().endswith(" differ")
    return line.startswith("GIT binary patch") or (first.isdecimal() and _is_normal(region.lines, row))


def _names_of_normal_diff(region: Region, row: int) -> tuple[str, str]:
    """The names of a diff without context: those of its `diff` line, or the path above it; else two empty ones."""
    if region.lines[row].startswith("diff "):
        words = [word for word in region.lines[row].split()[1:] if not word.startswith("-")]
        return (words[0], words[1]) if len(words) == 2 else ("", "")
    path = _path_above(region, row)
    return path, path


def _is_normal(lines: list[str], row: int) -> bool:
    """Whether a command of a diff without context is at a row: `2,3c4` above lines with `<` or `>`."""
    if row + 1 >= len(lines) or not lines[row + 1].startswith(("<", ">")) or len(lines[row]) > 80:
        return False
    return re.fullmatch(_NORMAL, lines[row].rstrip()) is not None


def _skip_blank_lines(region: Region, row: int) -> int:
    """The first row from this one on whose line isn't blank."""
    while row < region.end and not region.lines[row].strip():
        row += 1
    return row


def _absent_side(old: str, new: str, hunks: Sequence[RawHunk]) -> str:
    """The side ("old", "new") that doesn't exist, by the time stamps of `diff -N` and the numbers of the only hunk."""
    claimed = hunks[0].claimed if len(hunks) == 1 else None
    if claimed is None or (claimed[0] and claimed[1]):
        return ""
    if not claimed[0] and not hunks[0].line and re.search(_EPOCH, old):
        return "old"
    return "new" if not claimed[1] and re.search(_EPOCH, new) else ""


# ── what can't be read ───────────────────────────────────────────────────────────────────────────


def _unreadable(region: Region, row: int) -> Problem | None:
    """The problem with what begins at a row, if it is something known that can't be read."""
    for source, detail, advice in _UNREADABLE if row < region.end else ():
        if pattern(source).match(region.lines[row]):
            return bad(row + 1, detail, advice)
    return None


def _end_of_unreadable(region: Region, row: int) -> int:
    """Where the next section begins: what can't be read is skipped as a whole, with its own `---` lines."""
    inner = ("---", "+++") if region.starts(row, "*** ", _STARS, *_COMBINED, "@@@") else ()
    row += 1
    while row < region.end and not (_begins_section(region, row) and not (inner and region.starts(row, *inner))):
        row += 1
    return row


def script_in(lines: list[str]) -> Problem | None:
    """The problem with the first command of an ed script or an RCS diff; None if there is none."""
    dot = next((row for row in range(len(lines) - 1, -1, -1) if lines[row] == "."), -1)
    region = Region(lines, 0, len(lines))
    for row, line in enumerate(lines):
        # The text of a command ends with a dot; only commands without text, and those of RCS, have none.
        if line[:1] in _SCRIPT_STARTS and (row < dot or line[-1] == "d" or " " in line):
            problem = _unreadable(region, row)
            if problem is not None:
                return problem
    return None


# ── where the text breaks off ────────────────────────────────────────────────────────────────────


def _check_cut(sections: list[Section], around: Region, reading: Reading) -> None:
    """Report a text that ends before its last hunk does: in a fence that never closes, or shorter than it says.

    Whoever counts wrong elsewhere may count wrong there, too. If as many lines are missing on both sides, only context
    is, and nothing is lost.
    """
    section = sections[-1]
    last = section.hunks[-1] if section.hunks else None
    if around.closed and (last is None or around.fenced or last.claimed in (None, last.counts)):
        return
    if section.problem is not None or any(map(str.strip, around.lines[(last or section).end :])):
        return
    if not around.closed:
        if (last is None and not section.marks) or (last is not None and last.is_short):
            detail = "the diff's fence is never closed, so its last hunk may be incomplete"
            reading.problems.append(Problem("truncated", detail, patch_line=(last or section).row + 1))
        return
    hunks = [hunk for section in sections for hunk in section.hunks]
    if last is None or last.claimed is None or any(hunk.claimed not in (None, hunk.counts) for hunk in hunks[:-1]):
        return
    signs = "".join([line[0] for line in last.signed])
    old, new = (claimed - count for claimed, count in zip(last.claimed, last.counts, strict=True))
    ends_changed = (signs.endswith(("+", "-")) and new > 0) or (signs.endswith("-") and old > 0)
    only_context = bool(signs) and not signs.strip(" ")
    if (ends_changed and old != new) or (only_context and (last.is_short or old != new)):
        detail = "the diff's last hunk has fewer lines than its header says"
        advice = "Send the rest of it; if this is all, correct the counts or put it in a closed fence."
        reading.problems.append(Problem("truncated", detail, patch_line=last.row + 1, advice=advice))


def _check_torn(lines: list[str], sections: list[Section], reading: Reading) -> None:
    """A line of backticks that lost its sign looks like a fence: if a short hunk ends at one, more may follow."""
    for at, section in enumerate(sections):
        hunk, end = section.hunks[-1] if section.hunks else None, section.end
        if hunk is None or hunk.claimed in (None, hunk.counts) or end >= len(lines) or fence_of(lines[end]) is None:
            continue
        after = sections[at + 1].row if at + 1 < len(sections) else len(lines)
        if hunk.is_short and any(line.startswith(("+", "@@")) for line in lines[end + 1 : after]):
            detail = "the hunk is shorter than its header says, and may continue after a line of backticks"
            reading.problems.append(bad(end + 1, detail, "Begin every line of context with a space."))


# ── one hunk ─────────────────────────────────────────────────────────────────────────────────────


def _hunk_at(region: Region, row: int) -> RawHunk:
    """The hunk whose header, or first line if it has none, is at a row."""
    lines, header = region.lines, region.lines[row]
    line, claimed, heading, first = 0, None, "", row
    if header.startswith("@@"):
        first += 1
        match = pattern(_NUMBERS).match(header)
        if match is not None:
            start, old, new = match.groups("1")
            line, claimed = int(start), (int(old), int(new))
            heading = header[match.end() :].partition("@@")[2].strip()
    end = last = -1
    if claimed is not None:
        end, is_plain = _end_by_counts(region, first, *claimed)
        if is_plain:
            return RawHunk(row, end, line, claimed, lines[first:end], range(first, end), claimed, heading)
        last = end
    if end < 0:
        end = last = _end_by_shape(region, first, *(claimed or (0, 0)))
        while last > first and not lines[last - 1]:
            last -= 1  # blank lines after a hunk aren't part of it, unless its header counts them
    return _raw_hunk((row, end, line, claimed), lines[first:last], range(first, last), heading)


def _raw_hunk(head: Head, lines: list[str], rows: Sequence[int], heading: str = "") -> RawHunk:
    """A hunk of some lines of the patch, among them marks for a missing newline."""
    signs = [line[:1] for line in lines]
    unended = ""
    unsigned: set[int] = set()
    if not _ONLY_SIGNS.issuperset(signs):
        unsigned = {row for row, line in zip(rows, lines, strict=True) if line and not line.startswith(_OF_HUNK)}
        lines, rows, unended = _with_signs(lines, rows)
        signs = [line[0] for line in lines]
    counts = (len(signs) - signs.count("+"), len(signs) - signs.count("-"))
    claimed = head[3]
    counted = 0
    if claimed is not None and claimed != counts:
        more = counts[0] - claimed[0]
        if claimed[0] and more == counts[1] - claimed[1] > 0 and signs[-more:].count(" ") == more:
            counted = len(signs) - more
    return RawHunk(*head, lines, rows, counts, heading, unended, unsigned, counted)


def _with_signs(lines: list[str], rows: Sequence[int]) -> tuple[list[str], list[int], str]:
    """Lines of a hunk, a space before those without a sign; their rows; the sides whose last line has no newline.

    Only a mark at the last line of a side counts: one in the middle means nothing.
    """
    signed: list[str] = []
    kept: list[int] = []
    marked: dict[str, int] = {}  # of each sign, the last line that is marked
    for row, line in zip(rows, lines, strict=True):
        if not line.startswith(_NO_NEWLINE):
            signed.append(line if line.startswith(_SIGNS) else f" {line}")
            kept.append(row)
        elif signed:
            marked[signed[-1][0]] = len(signed)
    unended = ""
    for side, other in (("-", "+"), ("+", "-")) if marked else ():
        last = max((number for number, line in enumerate(signed, 1) if line[0] != other), default=0)
        unended += side if last and last in (marked.get(side), marked.get(" ")) else ""
    return signed, kept, unended


def _end_by_counts(region: Region, row: int, old: int, new: int) -> tuple[int, bool]:
    """The row after a hunk with so many lines on each side, -1 if the counts are wrong; whether all have a sign."""
    lines, end = region.lines, region.end
    limit = end - (end == len(lines) and not lines[-1])  # the text ends there
    is_plain = True
    while (missing := max(old, new)) > 0 and row < limit:
        some = lines[row : min(row + missing, row + _AT_ONCE, limit)]
        signs = [line[:1] for line in some]
        if not _ONLY_SIGNS.issuperset(signs):
            if any(line.startswith(("@@", "diff --git ")) for line in some):
                return -1, False
            signs = [line[:1] for line in some if not line.startswith(_NO_NEWLINE)]
            is_plain = False
        old -= len(signs) - signs.count("+")
        new -= len(signs) - signs.count("-")
        row += len(some)
    if old or new:
        return -1, False
    if row < end and lines[row].startswith(_NO_NEWLINE):
        row, is_plain = row + 1, False
    after = row
    while after < end and not lines[after]:
        after += 1
    if after == end or _is_border(region, after):
        return row, is_plain
    is_over = not region.fenced and not lines[after].startswith(_OF_HUNK)
    return (row, is_plain) if is_over else (-1, False)


def _end_by_shape(region: Region, row: int, old: int, new: int) -> int:
    """The row after the last line that can be part of the hunk; `old`, `new`: how many lines its header counts.

    Lines without a sign are part of it in a fence, while lines of both sides are missing, and if more of the hunk
    follows them.
    """
    lines, end = region.lines, region.end
    while row < end:
        line = lines[row]
        sign = line[:1]
        if sign in ("+", " ", ""):
            old -= sign != "+"
            new -= 1
        elif _is_border(region, row):
            break
        elif sign == "-":
            old -= 1
        elif not line.startswith(_NO_NEWLINE):
            if not region.fenced and not (old > 0 and new > 0):
                after = row
                while after < end and lines[after] and not lines[after].startswith(_OF_HUNK):
                    if _is_border(region, after):
                        break
                    after += 1
                if not region.starts(after, "+", "-") or _is_border(region, after):
                    # `version: 2` right below `-version: 1`, while a new line is missing: it lost its sign.
                    is_missing = new > 0 >= old and lines[row - 1] != "" and not is_prose(lines[row:after])
                    return after if is_missing else row
                row = after
                continue
            old -= 1
            new -= 1
        row += 1
    return row


def _is_border(region: Region, row: int) -> bool:
    """Whether a line can't be part of a hunk because something else begins there."""
    line = region.lines[row]
    first = line[:1]
    if first == "-":
        return line[:2] == "--" and (_names_file(region, row) or _is_rule(region, row))
    if first == "@":
        return line.startswith("@@")
    if first == "d":
        return line.startswith(("diff -", *_COMBINED))
    if first == "I":
        return line.startswith("Index: ") and region.starts(row + 1, "=====")
    if first == "*":
        return line.startswith(("*** Begin Patch", "*** End Patch", "*** Update File:", "*** Add File:", "*** Delete "))
    return not region.fenced and line.startswith("```")


def _names_file(region: Region, row: int) -> bool:
    """Whether `---` and `+++` lines at a row name a file, instead of being lines that a hunk removes and adds."""
    if not region.starts(row, "--- ") or not region.starts(row + 1, "+++ "):
        return False
    if region.starts(row + 2, "@@"):
        return True
    old, new = clean(region.lines[row][4:]), clean(region.lines[row + 1][4:])
    return NOWHERE in (old, new) or bool(agreed(old, new))


def _is_rule(region: Region, row: int) -> bool:
    """Whether a line of dashes ends a mail or separates the diff from prose.

    `-- ` and a version number end git's mails. Other lines must have a blank line above them, and prose or nothing
    below: between lines of a hunk `---` removes a line of `--`.
    """
    line = region.lines[row].rstrip()
    if len(line) < 2 or line.strip("-") or region.starts(row, "--- "):
        return False
    if line == "--" and row + 1 < region.end and re.match(r"\d[\w.() -]*\.[\w.() -]*$", region.lines[row + 1]):
        return True
    below = _skip_blank_lines(region, row + 1)
    apart = region.lines[row] == "-- " or not region.lines[row - 1]
    return apart and not region.fenced and not region.starts(below, "@@", *_SIGNS)


def _context_hunk(region: Region, row: int) -> RawHunk | None:
    """The hunk of a context diff at a row: the old lines, then the new ones; a side without changes has none."""
    start, row = row, row + 1
    sides: list[list[tuple[str, int]]] = []
    ranges: list[tuple[int, int]] = []
    for numbered in _RANGES:
        match = pattern(numbered).match(region.lines[row]) if row < region.end else None
        if match is None or not region.starts(start, _STARS):
            return None
        first, last = int(match[1]), int(match[2] or match[1])
        ranges.append((first, last - first + 1 if first else 0))
        first = row = row + 1
        while region.starts(row, "  ", "! ", "- ", "+ ", *_NO_NEWLINE) and not re.match(_RANGES[1], region.lines[row]):
            row += 1
        sides.append([(region.lines[at], at) for at in range(first, row)])
    merged = _merged(*sides)
    if merged is None:
        return None
    head = (start, row, ranges[0][0], (ranges[0][1], ranges[1][1]))
    return _raw_hunk(head, [line for line, _ in merged], [at for _, at in merged])


def _merged(old: list[tuple[str, int]], new: list[tuple[str, int]]) -> list[tuple[str, int]] | None:
    """Both sides of a context diff, lines and their rows, as those of a hunk; None if their kept lines differ."""
    old = (old or [line for line in new if line[0][0] == " "])[::-1]
    new = new[::-1] or [line for line in old if line[0][0] == " "]
    merged: list[tuple[str, int]] = []
    while old or new:
        if old and old[-1][0][0] != " ":
            sign, (line, row) = "-", old.pop()
        elif new and new[-1][0][0] != " ":
            sign, (line, row) = "+", new.pop()
        elif old and new and old[-1][0] == new.pop()[0]:
            sign, (line, row) = " ", old.pop()
        else:
            return None
        merged.append((line if line[0] == "\\" else sign + line[2:], row))
    return merged


def _normal_hunk(region: Region, row: int) -> RawHunk | None:
    """The hunk of a diff without context at a row: `2,3c4`, removed lines (`<`), added lines (`>`)."""
    match = re.fullmatch(_NORMAL, region.lines[row].rstrip())
    if match is None:
        return None
    start, row = row, row + 1
    lines: list[str] = []
    rows: list[int] = []
    while region.starts(row, "< ", "> ", *_NO_NEWLINE) or (row < region.end and region.lines[row] in ("---", "<", ">")):
        line = region.lines[row]
        if line != "---":
            lines.append(line if line[0] == "\\" else ("-" if line[0] == "<" else "+") + line[2:])
            rows.append(row)
        row += 1
    signs = [line[0] for line in lines]
    return _raw_hunk((start, row, int(match[1]), (signs.count("-"), signs.count("+"))), lines, rows)


# ── what the sections do ─────────────────────────────────────────────────────────────────────────


def _operations(sections: list[Section], reading: Reading) -> list[Op]:
    """The operations of all sections. A hunk alone belongs to the file edited right before it.

    As for git, every section refers to the files as they were: copies are made first, and files that take each
    other's names move last.
    """
    ops: list[Op] = []
    owner = reading.file
    prefixed = _are_prefixed(sections)
    for section in sections:
        own: list[Op] = []
        line = section.row + 1
        if not section.is_named:
            if not owner:
                advice = "Write `--- a/PATH` and `+++ b/PATH` above the first hunk of each file."
                reading.problems.append(no_file(line, "the hunk names no file", advice))
                continue
            if owner != reading.file:
                reading.notes.append(Note(f"the hunk names no file; it was taken as part of {owner}", owner, line))
            hunks = _hunks(section, owner, reading)
            ops += [Edit(owner, hunks, line)] if hunks else []
            continue
        try:
            own = _section_operations(section, reading, prefixed)
        except Refused as refused:
            reading.problems.extend(one._replace(patch_line=one.patch_line or line) for one in refused.problems)
        owner = own[-1].path if own and isinstance(own[-1], Edit) else ""
        ops += own
    if len(ops) < 2:
        return ops
    moves = {op.path: op for op in ops if isinstance(op, Move) and not op.keeps}
    if any(op.to in moves for op in moves.values()):
        ops = [*(op for op in ops if not isinstance(op, Move) or op.keeps), *_untangled(moves)]
    return sorted(ops, key=lambda op: not (isinstance(op, Move) and op.keeps))


def _untangled(moves: dict[str, Move]) -> list[Move]:
    """Moves, by their old names, in an order in which each finds its new name free; in a circle one steps aside.

    a → b, b → c      b goes first
    a → b, b → a      a goes to a name that nobody has, then b to a, then that to b
    """
    ordered: list[Move] = []
    while moves:
        chain = [moves.pop(next(iter(moves)))]
        while chain[-1].to in moves:
            chain.append(moves.pop(chain[-1].to))
        first = chain[0]
        if chain[-1].to == first.path:
            aside = first.path + ASIDE
            ordered.append(first._replace(to=aside))
            chain[0] = first._replace(path=aside)
        ordered += reversed(chain)
    return ordered


def _section_operations(section: Section, reading: Reading, prefixed: bool) -> list[Op]:
    """What a section does; raises Refused if that can't be told. `prefixed`: names begin with `a/` and `b/`."""
    if section.problem is not None:
        raise Refused(section.problem._replace(path=agreed(*section.git) if section.git else ""))
    action, path, to, other = _target(section, reading, prefixed)
    mode = _mode(section) if section.marks else 0
    if action == "create":
        # A file of which lines are removed exists, whatever its name says, unless the header denies it.
        removing = [hunk for hunk in section.hunks if hunk.claimed is None or hunk.claimed[0]]
        if not any(line[0] == "-" for hunk in removing for line in hunk.signed):
            if section.absent:
                check_new_name(path)  # `diff -N` wrote the name, and a backslash is a part of it
            return [_create(section, path, mode, reading)]
    if action == "delete":
        return [_delete(section, path)]
    line = section.row + 1
    hunks = _hunks(section, path, reading)
    ops: list[Op] = []
    if "copy to" in section.marks:
        ops.append(Move(path, to, patch_line=line, label="copy", keeps=True))
        path, to = to, ""
    if hunks or mode:
        # `@@ -0,0 +1,3 @@` and only added lines: if there is no such file, this is all of it.
        first = section.hunks[0] if len(section.hunks) == 1 else None
        is_all = (
            first is not None and first.claimed is not None and not (first.line or first.claimed[0] or first.counts[0])
        )
        whole = _create(section, path, mode, reading) if is_all else None
        ops.append(Edit(path, hunks, line, "edit", mode, whole, other))
    if to:
        ops.append(Move(path, to, patch_line=line))
    if not ops and not section.hunks:
        reading.notes.append(Note("the section changes nothing", path, line))
    return ops


def _create(section: Section, path: str, mode: int, reading: Reading) -> Write:
    """A new file. A CR that the header lines don't have belongs to the text."""
    own_crs = frozenset() if section.row in reading.crs else reading.crs
    parts: list[str] = []
    for hunk in section.hunks:
        for line, row in zip(hunk.signed, hunk.rows, strict=True):
            if line[0] != "+" and (line[0] == "-" or line.strip()):
                detail = f"`{line[1:].strip()[:60]}` is not an added line, but {path} is a new file"
                raise Refused(bad(row + 1, detail, "Begin every line of a new file with `+`.", path))
            parts.append(line[1:] + ("\r\n" if row in own_crs else "\n"))
    if section.hunks and "+" in section.hunks[-1].unended and parts:
        parts[-1] = parts[-1][:-1]
    # 0o644 is what a new file has anyway, or what the user's mask makes of it.
    # By `diff -N` the old file doesn't exist; /dev/null is what models also write for an empty one.
    absent = section.absent == "old"
    return Write(path, "".join(parts), False, section.row + 1, mode=mode if mode == 0o755 else 0, absent=absent)


def _delete(section: Section, path: str) -> Delete:
    """A file that goes, with the lines that it must have."""
    old: list[str] = []
    for hunk in section.hunks:
        for line, row in zip(hunk.signed, hunk.rows, strict=True):
            if line[0] == "+":
                detail = f"`{line[1:].strip()[:60]}` would be added to {path}, which is deleted"
                raise Refused(bad(row + 1, detail, "Leave it out, or name the file instead of /dev/null.", path))
            old.append(line[1:])
    old[:1] = [text.removeprefix(BOM) for text in old[:1]]
    unended = bool(section.hunks) and section.hunks[-1].unended != ""
    return Delete(path, section.row + 1, old=tuple(old), whole=bool(old), unended=unended)


def _hunks(section: Section, path: str, reading: Reading) -> tuple[Hunk, ...]:
    """The hunks of a section that change something; notes tell what is odd about them."""
    hunks = []
    for hunk in section.hunks:
        size = len(hunk.signed)
        if not size and hunk.claimed is not None and hunk.claimed != (0, 0):
            detail = "there are no lines below the hunk's header"
            reading.problems.append(bad(hunk.row + 1, detail, "Write the hunk's lines.", path))
            continue
        if hunk.counts == (size, size):
            reading.notes.append(Note("the hunk changes nothing", path, hunk.row + 1))
            continue
        if reading.crs:
            _check_line_ends(hunk, path, reading)
        if hunk.claimed is not None and hunk.claimed != hunk.counts:
            claimed, counts = (f"{old} old and {new} new lines" for old, new in (hunk.claimed, hunk.counts))
            text = f"the hunk's header says {claimed}, but there are {counts}"
            reading.notes.append(Note(text, path, hunk.row + 1))
        hunks.append(_hunk(hunk, path, reading))
    return tuple(hunks)


def _check_line_ends(hunk: RawHunk, path: str, reading: Reading) -> None:
    """Report a hunk that changes line ends, and note one whose lines differ in them."""
    ends = [(line[0], line[1:], row in reading.crs) for line, row in zip(hunk.signed, hunk.rows, strict=True)]
    changed = changed_end(ends, path, hunk.row + 1)
    reading.problems.extend([changed] if changed else ())
    if len({has_cr for _, _, has_cr in ends}) > 1 and hunk.row not in reading.crs:
        text = "some lines of the hunk end in CR; unchanged and replaced lines keep the file's line endings"
        reading.notes.append(Note(text, path, hunk.row + 1))


def _hunk(raw: RawHunk, path: str, reading: Reading) -> Hunk:
    """The old and new text of a hunk, and where they are."""
    signed = raw.signed
    if reading.has_bom and raw.line <= 1:
        # A file's first line may be shown with its byte order mark; the file keeps its own.
        marked = {line[0] for line in signed if line[1:2] == BOM}
        signed = [line[0] + line[1:].removeprefix(BOM) for line in signed]
        if len(marked) == 1 and marked != {" "}:
            reading.notes.append(Note("the file's byte order mark stays as it is", path, raw.row + 1))
    old = "\n".join([line[1:] for line in signed if line[0] != "+"] + [""])
    new = "\n".join([line[1:] for line in signed if line[0] != "-"] + [""])
    hunk = Hunk(old, new, TOLERANT, _where(raw), raw.row + 1, tuple(signed))
    if not raw.unsigned and not raw.counted:
        return hunk
    advice = "Begin every unchanged line of a hunk with one extra space."
    doubts = [
        bad(row + 1, f"`{line.strip()[:60]}` begins with neither a space nor `-` nor `+`", advice, path)
        for line, row in zip(raw.signed, raw.rows, strict=True)
        if row in raw.unsigned
    ]
    return hunk._replace(doubts=tuple(doubts), counted=raw.counted)


def _where(raw: RawHunk) -> Where:
    """The lines that a hunk's header claims, its heading, and whether it is at the end of the file."""
    line, (old, _) = raw.line, raw.counts
    first = last = 0
    if line and old:
        first, last = line, line + old - 1
    elif not old and raw.claimed is not None and not raw.claimed[0]:
        # Without old lines only a count of none makes the number a place: the gap below that line.
        first, last = line + 1, line
    if raw.heading or raw.unended:
        final = {"-": "made", "+": "lost"}.get(raw.unended, "")
        under = (raw.heading,) if raw.heading else ()
        return Where(first, last, under, at_end=bool(raw.unended), final=final)
    return Where(first, last) if first else ANYWHERE


# ── which file ───────────────────────────────────────────────────────────────────────────────────


def _target(section: Section, reading: Reading, prefixed: bool) -> tuple[str, str, str, str]:
    """What a section does ("create", "delete" or "edit"), to which file, its new name, another name that it may have.

    The last two are mostly "". Raises Refused if the names don't tell.
    """
    old, new, marks = section.old, section.new, section.marks
    git = agreed(*section.git) if section.git else ""
    for word in ("copy", "rename") if marks else ():
        if f"{word} from" in marks or f"{word} to" in marks:
            return "edit", *_renamed(section, word), ""
    if old == NOWHERE == new:
        raise Refused(bad(section.row + 1, "both names are /dev/null", "Name the file that is created or deleted."))
    if old == NOWHERE or section.absent == "old" or "new file mode" in marks:
        action, own, other, prefix = "create", new, old, "b/"
    elif new == NOWHERE or section.absent == "new" or "deleted file mode" in marks:
        action, own, other, prefix = "delete", old, new, "a/"
    else:
        action, own, other, prefix = "edit", new or old, old, "b/" if new else "a/"
    both = agreed(old, new) if old and new and NOWHERE not in (old, new) else ""
    name = both or (own if own not in ("", NOWHERE) else other.removeprefix(NOWHERE))
    if git and (name in ("", git, f"a/{git}", f"b/{git}") or (both and action == "edit" and git in (old, new))):
        return action, git, "", ""
    if git and name:
        detail = f"`diff --git` names {git}, but the lines below name {name}"
        raise Refused(bad(section.row + 1, detail, "Name one file in all header lines.", git))
    if not name:
        advice = "Name the file in lines `--- a/PATH` and `+++ b/PATH`."
        raise Refused(bad(section.row + 1, "the file name can't be read", advice))
    if both:
        return action, both, "", ""
    if action == "edit" and old and new:
        if old.startswith("a/") and new.startswith("b/"):
            old, new = old[2:], new[2:]
        text = f"the names {old} and {new} differ; to rename a file, write `rename from` and `rename to`"
        reading.notes.append(Note(text, new, section.row + 1))
        return action, new, "", old
    if name.startswith(prefix) and len(name) > 2 and (action == "edit" or prefixed):
        name = name[2:]
    return action, name, "", ""


def _renamed(section: Section, word: str) -> tuple[str, str]:
    """The old and the new name of a file that is renamed or copied according to git's marks."""
    old, new = (clean(section.marks.get(f"{word} {side}", "")) for side in ("from", "to"))
    if not old or not new:
        advice = f"Write both lines, `{word} from OLD` and `{word} to NEW`."
        raise Refused(bad(section.row + 1, f"`{word}` names only one file", advice))
    if (old, new) == section.git and old.startswith("a/") and new.startswith("b/"):
        old, new = old[2:], new[2:]
    return old, new if new != old else ""


def _are_prefixed(sections: list[Section]) -> bool:
    """Whether names in this document begin with `a/` and `b/`: if any pair shows it, or none shows otherwise."""
    shows_otherwise = False
    for section in sections:
        old, new = section.old, section.new
        if old and new and NOWHERE not in (old, new):
            if old[:2] == "a/" and new[:2] == "b/" and old[2:] == new[2:]:
                return True
            shows_otherwise = True
    return not shows_otherwise


def _mode(section: Section) -> int:
    """The permissions that are asked for, 0 if they stay. Raises Refused for what isn't a regular file."""
    asked = 0
    for word in ("index", "old mode", "deleted file mode", "new mode", "new file mode"):
        mark = section.marks.get(word)
        if mark is None or (word == "index" and " " not in mark):
            continue
        mode = mark.rpartition(" ")[2] if word == "index" else mark
        if mode in _NO_FILES:
            advice = "Only regular files can be edited; create or change it by hand."
            raise Refused(bad(section.row + 1, f"the section is about {_NO_FILES[mode]} (mode {mode})", advice))
        if mode not in _MODES:
            advice = "Use mode 100644 or 100755."
            raise Refused(bad(section.row + 1, f"`{word} {mode[:40]}` is not a file mode", advice))
        if word in ("new mode", "new file mode"):
            asked = _MODES[mode]
    return asked


# ── names in header lines ────────────────────────────────────────────────────────────────────────

# The first part of a name, on the old and on the new side, that tools and people write for "before" and "after".
_OLD_SIDES = ("a", "c", "i", "o", "1", "old", "orig", "original", "before", "left")
_NEW_SIDES = ("b", "i", "w", "2", "new", "modified", "after", "patched", "updated", "edited", "fixed", "right")
_COPIES = (".orig", ".original", ".old", ".bak", ".new", ".modified", "~")
_STAMP = r"[ \t][0-9]{4}-[0-9]{2}-[0-9]{2}[ T][0-9]{2}:[0-9]{2}.*"
_REMARK = (
    r" \((?:revision [0-9]+|working copy|nonexistent|original|modified|updated|old|new|before|after)\)$"
    r"|(?<=\.\w)(\w{0,9})(?: (?:before|after|original|modified|patched|updated))+$"
)
_ESCAPES = {"a": 7, "b": 8, "t": 9, "n": 10, "v": 11, "f": 12, "r": 13, '"': 34, "\\": 92}
_SPELLINGS = {code: "\\" + letter for letter, code in _ESCAPES.items()}


def clean(name: str) -> str:
    """The name in a header line, without quotes, time stamp and remarks."""
    name = name.strip(BLANK)
    if name[:1] == '"':
        unquoted, rest = _unquoted(name)
        if unquoted and rest[:1] in ("", "\t", " "):
            return unquoted
    if " " in name or "\t" in name:
        # A tab ends the name, unless what follows ends in a suffix: `post<TAB>image.txt`.
        name, *parts = name.split("\t")
        while parts and re.fullmatch(r"[^:()]*\.[A-Za-z]\w{0,9}", parts[0]):
            name += "\t" + parts.pop(0)
        name = re.sub(_REMARK, r"\1", re.sub(_STAMP, "", name, count=1)).strip(BLANK)
    if name[:1] == "`" and len(name) > 2 and name[-1] == "`":
        name = name[1:-1]
    return NOWHERE if name in ("dev/null", "a/dev/null", "b/dev/null") else name


def written(name: str) -> str:
    """A name as a header line holds it: in quotes if it would be read as something else."""
    plain = name.isprintable() and '"' not in name and "\\" not in name
    if plain and clean(name) == name and clean(f"{name}\t") == name:
        return name
    spelt = (_SPELLINGS.get(byte) or (chr(byte) if 32 <= byte < 127 else f"\\{byte:03o}") for byte in encode(name))
    return '"' + "".join(spelt) + '"'


def agreed(old: str, new: str) -> str:
    """The path that both names refer to, "" if they refer to different ones."""
    if old == new:
        return new
    old_side, _, old_rest = old.partition("/")
    new_side, _, new_rest = new.partition("/")
    sides = old_side.lower() in _OLD_SIDES and new_side.lower() in _NEW_SIDES
    if old_rest and old_rest == new_rest and (sides or _is_copy(old_side, new_side) or _is_copy(new_side, old_side)):
        return new_rest
    if old == f"a/{new}":
        return new
    if new == f"b/{old}":
        return old
    if old_side == "a" and new_side == "b":
        old, new = old_rest, new_rest
    return new if _is_copy(old, new) else old if _is_copy(new, old) else ""


def _is_copy(name: str, of: str) -> bool:
    """Whether a name says that it is a copy of another: `thing.orig` and `thing`."""
    return bool(name and of) and name.removeprefix(of) in _COPIES


def in_git_line(line: str) -> tuple[str, str]:
    """The two names after `diff --git`; ("", "") if they can't be told apart."""
    line = line.strip(BLANK)
    if line[:1] == '"':
        old, rest = _unquoted(line)
        rest = rest.strip(BLANK)
        return old, _unquoted(rest)[0] if rest[:1] == '"' else rest
    if '"' in line:
        at = line.find(' "')
        return (line[:at], _unquoted(line[at + 1 :])[0]) if at > 0 else ("", "")
    half = len(line) // 2
    if line[half : half + 1] == " " and agreed(line[:half], line[half + 1 :]):
        return line[:half], line[half + 1 :]
    at = line.rfind(" b/")
    if at > 0:
        return line[:at], line[at + 1 :]
    names = line.split(" ")
    return (names[0], names[1]) if len(names) == 2 else ("", "")


def _unquoted(text: str) -> tuple[str, str]:
    """A C string at the beginning of a text, and what follows it; ("", text) if it never ends."""
    data = bytearray()
    token = re.compile(r'([^"\\]+)|\\([0-3][0-7]{2})|\\([abtnvfr"\\])|\\')
    at = 1
    while (match := token.match(text, at)) is not None:
        plain, octal, letter = match.groups()
        data += encode(plain) if plain else bytes([int(octal, 8) if octal else _ESCAPES.get(letter or "", 92)])
        at = match.end()
    return (decode(bytes(data)), text[at + 1 :]) if text[at : at + 1] == '"' else ("", text)
