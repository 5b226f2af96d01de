"""Diffs as models write them: wrong counts, no numbers, lines without their sign. Finds no place in any file.

    diff     = { section | hunk }                      a hunk alone belongs to the file before it
    section  = [ "diff --git a/OLD b/NEW" { mark } ] [ "--- OLD" ] [ "+++ NEW" ] { hunk }
             | "*** OLD" "--- NEW" { "***************" "*** 1,3 ****" { sided } "--- 1,3 ----" { sided } }
             | [ "diff OLD NEW" ] { ( "1,2c3" | "4d4" | "5a6,7" ) { "< removed" } [ "---" ] { "> added" } }
    mark     = "old mode …" | "new file mode …" | "rename from …" | "index …" | …
    hunk     = [ "@@" [ " -LINE,COUNT +LINE,COUNT " ] "@@" [ heading ] ] { line }
    line     = " kept" | "-removed" | "+added" | "\\ No newline at end of file"
    sided    = "  kept" | "! changed" | "- removed" | "+ added"

A hunk ends where its header says, if that leaves nothing behind that could be of it; else where a line can't belong to
it. In a fence, lines without any sign do: they are context that lost its blank.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from functools import lru_cache

from ...model import TOLERANT, Delete, Edit, Hunk, Move, Note, Op, Patch, Where, Write
from ...parsing import no_file, run_end, said_once
from ...parsing.fences import Region, contents, fence_of, fences
from ...parsing.quotes import is_prose
from ...paths import check_new
from ...problems import Problem, Refused
from ...record import NamedTuple
from ...text import BLANK, BOM, changed_end, decode, encode, patch_lines, pattern, rows_with_cr

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    Reader = Callable[[Region, int], "RawHunk | None"]

_NAME = "unified"
NOWHERE = "/dev/null"
ASIDE = ".anypatch-aside"  # behind the name of a file that lets another take its place
_TAGS = ("+", "-", " ")
_SIGNS = frozenset(_TAGS)
_NO_NEWLINE = ("\\ ", "\\No newline")
_GLUED = (("---a/", "---/dev/null"), ("+++b/", "+++/dev/null"))  # names that lost the blank before them
_STARS = "***************"
_COMBINED = ("diff --cc ", "diff --combined ")
_MARKS = (
    "old mode ", "new mode ", "deleted file mode ", "new file mode ", "rename from ", "rename to ", "rename old ",
    "rename new ", "copy from ", "copy to ", "similarity index ", "dissimilarity index ", "index ",
)  # fmt: skip
# What lines of a diff that stands among prose begin with.
_LINES = (
    "@@", "\\", "diff ", "new file", "deleted file", "rename ", "similarity ", "dissimilarity ", "copy ",
    "index ", "old mode", "new mode", "Binary ", "GIT binary", "Index: ", "=====", _STARS, "*** ", "! ", "< ", "> ",
)  # fmt: skip
_NUMBERS = r"@@ {0,3}-([0-9]{1,9})(?:,([0-9]{1,9}))?[ ,]{1,3}\+[0-9]{1,9}(?:,([0-9]{1,9}))?(?![0-9,])"
_RANGES = (r"\*\*\* ([0-9]{1,9})(?:,([0-9]{1,9}))? \*\*\*\*", r"--- ([0-9]{1,9})(?:,([0-9]{1,9}))? ----")
_NORMAL = r"([0-9]{1,9})(?:,[0-9]{1,9})?([acd])[0-9]{1,9}(?:,[0-9]{1,9})?"
_SCRIPTS = {
    r"[0-9]{1,9}(?:,[0-9]{1,9})?(?:[acdijmrstw]|![^\n]*)": "this is an ed script, which is never run",
    r"[ad][0-9]{1,9} [0-9]{1,9}": "this is an RCS diff, which isn't supported",
}
_CONTEXT = 3  # lines, as diffs usually have them
# Where lines of context may be passed over, what stands below the others isn't what stands below the hunk.
_ALL_CONTEXT = TOLERANT._replace(levels=("exact", "trailing space", "indentation"), forgives_copying=False)
_ASK = "Write a unified diff: `--- a/PATH`, `+++ b/PATH`, then hunks that begin with `@@`."
_MODES = {"100644": 0o644, "100664": 0o644, "100755": 0o755, "100775": 0o755}
_NO_FILES = {"120000": "a symbolic link", "160000": "a submodule"}


class Numbers(NamedTuple):
    """What a hunk header claims: the first old line, and how many lines there are of each side."""

    line: int
    old: int
    new: int


class RawHunk(NamedTuple):
    """A hunk as it stands: its first row, its tagged lines with their rows, the row behind it.

    `counts`: how many lines there are of each side. `bare`: the sides ("-", "+") whose last line has no line end.
    `naked`: rows of lines without any tag.
    `heading`: what the header says behind its numbers. `counted`: how many of its lines the header counts, where only
    context stands behind them. `missing`: how many it counts that aren't there, at the end of the text.
    """

    row: int
    end: int
    numbers: Numbers | None
    tagged: tuple[tuple[str, str], ...]
    rows: Sequence[int]
    counts: tuple[int, int]
    bare: str = ""
    naked: tuple[int, ...] = ()
    heading: str = ""
    counted: int = 0
    missing: int = 0

    @property
    def is_short(self) -> bool:
        """Whether there are fewer lines than the header counts, on both sides that have any; or it counts none."""
        if self.numbers is None:
            return True
        old, new = self.counts
        _, said_old, said_new = self.numbers
        return (old < said_old or not said_old) and (new < said_new or not said_new) and said_old + said_new > 0


class Section(NamedTuple):
    """What is said about one file; without any name it is the file before.

    `git`, `old`, `new`: header lines without their first word, None where missing. `marks`: the lines between
    `diff --git` and `---`, by their words. `problem`: why it can't be read at all.
    """

    row: int
    end: int
    git: str | None
    old: str | None
    new: str | None
    marks: dict[str, str]
    hunks: tuple[RawHunk, ...]
    problem: Problem | None = None

    @property
    def is_gits(self) -> bool:
        """Whether git itself wrote it: it names both blobs, and every hunk has as many lines as its header counts."""
        if self.git is None:
            return False
        blobs = re.match(r"[0-9a-f]{7,64}\.\.[0-9a-f]{7,64}(?: |$)", self.marks.get("index", ""))
        counted = all(hunk.numbers is not None and hunk.counts == hunk.numbers[1:] for hunk in self.hunks)
        return (blobs is not None or not self.hunks) and counted


class Reading(NamedTuple):
    """What is known while a text is read: which rows end in CR, where findings go.

    `file`: the path of hunks above which no other stands.
    """

    crs: frozenset[int]
    problems: list[Problem]
    notes: list[Note]
    file: str = ""


def parse(text: str, file: str = "") -> Patch:
    """What the diffs in a text say."""
    lines = patch_lines(text)
    if _GLUED[0][0] in text or _GLUED[0][1] in text:
        _put_blanks(lines)
    reading = Reading(rows_with_cr(text), [], [], file=file)
    sections = _sections(lines, reading) or _sections(_dedented(lines), reading)
    if not sections and not reading.problems:
        reading.problems.append(script_in(lines) or _bad(0, "there is no diff", _ASK))
    ops = said_once(_operations(sections, reading), reading.notes)
    literal = bool(sections) and all(section.is_gits for section in sections)
    return Patch(_NAME, tuple(ops), "", tuple(reading.problems), tuple(reading.notes), literal=literal)


def sniff(text: str) -> int:
    """How much a text looks like a diff: more by the names of files than by hunks alone."""
    if "*** Begin Patch" in text or "*** Update File:" in text:
        return 0  # its hunks look like those of a diff
    lines = patch_lines(text)
    named = headed = False
    for row, line in enumerate(lines):
        bare = line.lstrip(" \t")
        if bare.startswith(("---", "+++ ", "@@", "diff ", "Index: ")) and opens(lines, row):
            named = not bare.startswith("@@")
            headed = True
            if named:
                break
    if headed:
        return 95 if named else 45
    if any(line.startswith((_STARS, "Binary files ")) for line in lines):
        return 60
    if any(_is_normal(lines, row) for row in range(len(lines))) or any(map(_bare_hunk, fences(lines))):
        return 45
    return 0


def opens(lines: list[str], row: int) -> str:
    """Whether a diff begins at a row, by that line and the next one that isn't blank: its format's name."""
    bare = lines[row].lstrip(" \t")
    below = ""
    for line in lines[row + 1 : row + 3]:
        if line.strip():
            below = line.lstrip(" \t")
            break
    if bare.startswith("--- "):
        begins = below.startswith(("+++ ", "@@"))
    elif bare.startswith("+++ "):
        begins = below.startswith("@@")
    elif bare.startswith("*** "):
        begins = below.startswith("--- ")
    elif bare.startswith("@@"):
        begins = _is_hunk_header(bare, below)
    elif bare.startswith("---"):
        begins = bare.startswith(_GLUED[0]) and below.startswith(_GLUED[1])
    else:
        known = bare.startswith(("diff --git ", *_COMBINED)) or _is_normal(lines, row + 1)
        begins = known or below.startswith(("=====", "--- ", "diff ", "index "))
    return _NAME if begins else ""


def block_end(lines: list[str], row: int, limit: int, fenced: bool) -> int:
    """The row behind the diff that begins at a row, without blank lines at its end."""

    def belongs(line: str) -> bool:
        return not line.strip() or line.startswith(_LINES) or (line[0].isdecimal() and _is_normal([line, "< "], 0))

    return limit if fenced else run_end(lines, row, belongs, _TAGS)


def _put_blanks(lines: list[str]) -> None:
    """Put in the blank that is missing in `---a/f` and `+++b/f` above a hunk."""
    for row in [row for row, line in enumerate(lines) if line.startswith(_GLUED[0])]:
        below = lines[row + 1 : row + 3]
        if len(below) == 2 and below[0].startswith(_GLUED[1]) and below[1].startswith("@@"):
            lines[row : row + 2] = (f"{line[:3]} {line[3:]}" for line in lines[row : row + 2])


def _dedented(lines: list[str]) -> list[str]:
    """The lines without the indentation that the first header line has, as in a list item or a quoted block."""
    pattern = re.compile(r"[ \t]+(?=diff --git |--- [^\n])")
    indent = next((match[0] for line in lines if line[:1] in (" ", "\t") and (match := pattern.match(line))), "")
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
    """All sections, in fences and outside; a hunk that stands alone is one without names."""
    sections: list[Section] = []
    outside = around = Region(lines, 0, len(lines))
    row = 0
    while row < len(lines):
        fence = contents(lines, row)
        region = fence or outside
        row, limit = (fence.start, fence.end) if fence is not None else (row, row + 1)
        if fence is not None and (section := _bare_hunk(fence, reading.file)) is not None:
            sections.append(section)
            around, row = fence, fence.end
        while row < limit:
            section = _section(region, row)
            row += 1
            if section is not None:
                sections.append(section)
                around, row = region, max(section.end, row)
        row += fence is not None  # past the line that closes it
    if sections:
        _check_cut(sections, around, reading)
        _check_torn(lines, sections, reading)
    return sections


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
    if any(_begins_section(fence, row) or fence.starts(row, "@@") for row in range(fence.start, fence.end)):
        return None
    first = _behind_blanks(fence, fence.start)
    if first < fence.end and not fence.starts(first, *_TAGS) and _path_above(fence, first + 1):
        first += 1
    path = _path_above(fence, first) or file
    if not path or not any(fence.starts(row, "+", "-") for row in range(first, fence.end)):
        return None
    hunk = _hunk_at(fence, first)
    return Section(first, hunk.end, None, path, path, {}, (hunk,)) if hunk.end == fence.end else None


def _path_above(region: Region, row: int) -> str:
    """The path that the last line above a row names: alone there, or in prose above a fence as the only one."""
    from ...parsing.paths import path_in, path_on

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


def _section(region: Region, row: int) -> Section | None:
    """The section that begins at a row; None where none does."""
    lines, start = region.lines, row
    line = lines[row]
    if line.startswith("@@"):
        below = lines[row + 1] if row + 1 < region.end else ""
        is_header = _is_hunk_header(line, below)
        # In a fence, context may be the first line below `@@` or `@@ def f():`, and a change must follow.
        may_be = region.fenced and line[2:3] in ("", " ")
        hunk = _hunk_at(region, row) if is_header or may_be else None
        if hunk is not None and not is_header and all(tag == " " for tag, _ in hunk.tagged):
            hunk = None
        path = (_path_above(region, row) or None) if hunk else None
        return Section(row, hunk.end, None, path, path, {}, (hunk,)) if hunk else None
    if not _begins_section(region, row):
        return None
    git = old = new = None
    marks: dict[str, str] = {}
    if line.startswith("diff --git "):
        git, row = line[11:], row + 1
        while row < region.end and (mark := next((mark for mark in _MARKS if region.starts(row, mark)), "")):
            word = mark.strip().replace("rename old", "rename from").replace("rename new", "rename to")
            marks.setdefault(word, lines[row][len(mark) :].strip())
            row += 1
    reader: Reader = _hunk_at
    behind = _behind_blanks(region, row)
    if region.starts(behind, "--- ", "+++ "):
        row = behind
        if lines[row][0] == "-":
            old, row = lines[row][4:], row + 1
        if region.starts(row, "+++ "):
            new, row = lines[row][4:], row + 1
    elif (problem := _unreadable(region, row)) is not None:
        return Section(start, _behind_unreadable(region, row), git, None, None, marks, (), problem)
    elif region.starts(row, "*** "):
        old, new, row, reader = lines[row][4:], lines[row + 1][4:], row + 2, _context_hunk
    elif region.starts(row, _STARS):
        reader = _context_hunk
    elif git is None and (line[0] == "d" or line[0].isdecimal()):
        (old, new), row, reader = _names_above(region, row), row + (line[0] == "d"), _normal_hunk
    elif region.starts(behind, "@@"):
        row = behind
    hunks, row = _hunks_from(region, row, reader, old is not None or new is not None)
    problem = _unreadable(region, _behind_blanks(region, row)) if not hunks else None
    return Section(start, max(row, start + 1), git, old, new, marks, hunks, problem)


def _hunks_from(region: Region, row: int, reader: Reader, named: bool) -> tuple[tuple[RawHunk, ...], int]:
    """The hunks from a row on. The first one may lack its header, where file names stand right above it."""
    hunks: list[RawHunk] = []
    while (at := _behind_blanks(region, row)) < region.end:
        line = region.lines[at]
        headed = line.startswith("@@") and not line.startswith("@@@")
        if reader is _hunk_at and not headed and (hunks or not named or not _is_headless(region, at)):
            break
        hunk = reader(region, at)
        if hunk is None or hunk.end <= at:
            break
        hunks.append(hunk)
        row = hunk.end
    return tuple(hunks), row


def _begins_section(region: Region, row: int) -> bool:
    """Whether a section begins at a row with more than a hunk."""
    starts, first = region.starts, region.lines[row][:1]
    if first == "-":
        return starts(row, "--- ") and starts(row + 1, "+++ ", "@@")
    if first == "+":
        return starts(row, "+++ ") and starts(row + 1, "@@")
    if first == "*":
        named = starts(row, "*** ") and starts(row + 1, "--- ") and starts(row + 2, _STARS)
        return named or (starts(row, _STARS) and starts(row + 1, "*** "))
    if first == "d":
        known = starts(row, "diff --git ", *_COMBINED)
        return known or (starts(row, "diff ") and row + 1 < region.end and _is_normal(region.lines, row + 1))
    if first == "B":
        return starts(row, "Binary files ") and region.lines[row].rstrip().endswith(" differ")
    return starts(row, "GIT binary patch") or (first.isdecimal() and _is_normal(region.lines, row))


def _is_headless(region: Region, row: int) -> bool:
    """Whether a hunk without its header may begin at a row."""
    if _begins_section(region, row) or _unreadable(region, row) is not None:
        return False
    return region.fenced or region.starts(row, *_TAGS)


def _is_normal(lines: list[str], row: int) -> bool:
    """Whether a command of a diff without context stands at a row: `2,3c4` above lines with `<` or `>`."""
    if row + 1 >= len(lines) or not lines[row + 1].startswith(("<", ">")) or len(lines[row]) > 80:
        return False
    return re.fullmatch(_NORMAL, lines[row].rstrip()) is not None


def _names_above(region: Region, row: int) -> tuple[str | None, str | None]:
    """The names of a diff without context: those of its `diff` line, or a path above it."""
    if region.lines[row].startswith("diff "):
        words = [word for word in region.lines[row].split()[1:] if not word.startswith("-")]
        return (words[0], words[1]) if len(words) == 2 else (None, None)
    path = _path_above(region, row) or None
    return path, path


def _unreadable(region: Region, row: int) -> Problem | None:
    """Why what stands at a row is no diff that can be read, if it is something that has a name."""
    if row >= region.end:
        return None
    line = region.lines[row]
    if line.startswith("GIT binary patch") or (line.startswith("Binary files ") and " differ" in line):
        return _bad(row, "binary patches can't be applied", "Leave the binary file out, and copy it by hand.")
    if line.startswith((*_COMBINED, "@@@")):
        return _bad(row, "this is the combined diff of a merge", "Write a diff against one version: `git diff HEAD^`.")
    if line.startswith(_STARS) and _context_hunk(region, row) is None:
        return _bad(row, "the old and new sides of this context diff contradict each other", _ASK)
    return _script(region.lines, row, True)


def _behind_unreadable(region: Region, row: int) -> int:
    """Where the next section begins: what can't be read is passed over as a whole, with its own `---` lines."""
    inner = ("---", "+++") if region.starts(row, "*** ", _STARS, *_COMBINED, "@@@") else ()
    row += 1
    while row < region.end and not (_begins_section(region, row) and not (inner and region.starts(row, *inner))):
        row += 1
    return row


def _script(lines: list[str], row: int, ends: bool) -> Problem | None:
    """The problem with a command for an editor at a row, of which a dot `ends` the text."""
    line = lines[row]
    if line[:1] not in "ad0123456789" or len(line) > 80:
        return None
    for script, detail in _SCRIPTS.items():
        if pattern(script).fullmatch(line) and (ends or line[-1] == "d" or " " in line):
            return _bad(row, detail, _ASK)
    return None


def script_in(lines: list[str]) -> Problem | None:
    """The problem with the first command for an editor, which no reader takes; None where there is none."""
    dot = next((row for row in range(len(lines) - 1, -1, -1) if lines[row] == "."), -1)
    scripts = (_script(lines, row, row < dot) for row in range(len(lines)))
    return next((problem for problem in scripts if problem is not None), None)


def _behind_blanks(region: Region, row: int) -> int:
    while row < region.end and not region.lines[row].strip():
        row += 1
    return row


# ── where the text breaks off ────────────────────────────────────────────────────────────────────


def _check_cut(sections: list[Section], around: Region, reading: Reading) -> None:
    """Tell where the text ends before its last hunk does: in a fence that never closes, or shorter than it says.

    Whoever counts wrong elsewhere may count wrong there, too. Lines that are missing on both sides may be blank ones
    that were lost, or the file ends there as well: that only the file can tell.
    """
    section = sections[-1]
    last = section.hunks[-1] if section.hunks else None
    if section.problem is not None or any(map(str.strip, around.lines[(last or section).end :])):
        return
    if not around.closed:
        if (last is None and not section.marks) or (last is not None and last.is_short):
            detail = "the diff's fence is never closed, so its last hunk may be incomplete"
            reading.problems.append(Problem("truncated", detail, patch_line=(last or section).row + 1))
        return
    if last is None or last.numbers is None or around.fenced or last.counts == last.numbers[1:]:
        return
    others = [hunk for section in sections for hunk in section.hunks][:-1]
    if any(hunk.numbers is not None and hunk.counts != hunk.numbers[1:] for hunk in others):
        return
    tags = "".join(tag for tag, _ in last.tagged)
    old, new = (claimed - there for claimed, there in zip(last.numbers[1:], last.counts, strict=True))
    ends_changed = (tags.endswith(("+", "-")) and new > 0) or (tags.endswith("-") and old > 0)
    only_context = bool(tags) and not tags.strip(" ")
    behind = len(tags) - len(tags.rstrip(" "))  # more than usual stands only between two changes
    if (ends_changed and old != new) or (only_context and (last.is_short or old != new)):
        detail = "the diff's last hunk has fewer lines than its header says"
        advice = "Send the rest of it; if this is all, correct the counts or put it in a closed fence."
        reading.problems.append(Problem("truncated", detail, patch_line=last.row + 1, advice=advice))
    elif ends_changed or (last.is_short and (_lacks_context(last, tags) or max(old, new, behind) > _CONTEXT)):
        sections[-1] = section._replace(hunks=(*section.hunks[:-1], last._replace(missing=max(old, new))))


def _lacks_context(last: RawHunk, every: str) -> bool:
    """Whether a hunk has less context at its end than at its beginning; at the first line there is none to compare."""
    solid = "".join(tag for tag, text in last.tagged if text.strip() or tag != " ")
    at_top = last.numbers is not None and last.numbers.line <= 1
    for tags, least in ((every, 0 if at_top else _CONTEXT), (solid, _CONTEXT - 1)):
        behind, ahead = len(tags) - len(tags.rstrip(" ")), len(tags) - len(tags.lstrip(" "))
        if behind < (ahead if least else _CONTEXT) and ahead >= least:
            return True
    return False


def _check_torn(lines: list[str], sections: list[Section], reading: Reading) -> None:
    """A line of backticks that lost its sign looks like a fence: where a short hunk ends at one, more may follow."""
    for at, section in enumerate(sections):
        hunk = section.hunks[-1] if section.hunks else None
        end = section.end
        if hunk is None or hunk.numbers is None or end >= len(lines) or fence_of(lines[end]) is None:
            continue
        after = sections[at + 1].row if at + 1 < len(sections) else len(lines)
        if hunk.is_short and any(line.startswith(("+", "@@")) for line in lines[end + 1 : after]):
            detail = "the hunk is shorter than its header says, and may continue after a line of backticks"
            reading.problems.append(_bad(end, detail, "Begin every line of context with a space."))


# ── one hunk ─────────────────────────────────────────────────────────────────────────────────────


def _hunk_at(region: Region, row: int) -> RawHunk:
    """The hunk whose header stands at a row; without a header, its first line does."""
    lines, header = region.lines, region.lines[row]
    headed = header.startswith("@@")
    match = pattern(_NUMBERS).match(header) if headed else None
    numbers = Numbers(int(match[1]), int(match[2] or 1), int(match[3] or 1)) if match else None
    first = row + headed
    last = end = _end_by_counts(region, first, numbers) if numbers is not None else -1
    if is_miscounted := end < 0:
        last = end = _end_by_shape(region, first, numbers)
        while last > first and not lines[last - 1]:
            last -= 1  # blank lines behind a hunk are not of it, unless its header counts them
    rows: Sequence[int] = range(first, last)
    unended: dict[str, int] = {}
    body = lines[first:last]
    tags = [line[:1] for line in body]
    if "\\" in tags and any(line.startswith(_NO_NEWLINE) for line in body):
        rows = [at for at in rows if not lines[at].startswith(_NO_NEWLINE)]
        for at in range(first, last):
            if lines[at].startswith(_NO_NEWLINE) and (number := bisect_left(rows, at)):
                tag = lines[rows[number - 1]][:1]
                unended[tag if tag in _TAGS else " "] = number
        body = [lines[at] for at in rows]
        tags = [line[:1] for line in body]
    naked: tuple[int, ...] = ()
    texts = [line[1:] for line in body]
    if not _SIGNS.issuperset(tags):
        naked = tuple([at for at in rows if lines[at][:1] not in _TAGS and lines[at]])
        texts = [line[1:] if tag in _TAGS else line for tag, line in zip(tags, body, strict=True)]
        tags = [tag if tag in _TAGS else " " for tag in tags]
    hunk = _raw((row, end), numbers, tags, texts, rows, unended)
    heading = header[2:].partition("@@")[2].strip() if match else ""
    if not naked and not is_miscounted and not heading:
        return hunk
    counted = _counted(tags, numbers) if is_miscounted and numbers is not None else 0
    return hunk._replace(naked=naked, heading=heading, counted=counted)


def _counted(tags: list[str], numbers: Numbers) -> int:
    """How many lines of a hunk its header counts, if more follow and they are all context; else 0."""
    _, old, new = numbers
    for number, tag in enumerate(tags):
        if not old and not new:
            return number if numbers.old and {" "}.issuperset(tags[number:]) else 0
        old -= tag != "+"
        new -= tag != "-"
    return 0


def _raw(
    around: tuple[int, int],
    numbers: Numbers | None,
    tags: list[str],
    texts: list[str],
    rows: Sequence[int],
    unended: dict[str, int],
) -> RawHunk:
    """A hunk of tagged lines; `around`: its first row, and the one behind it.

    `unended`: of each tag the number of the last line that is said to have no end. Only the last line of a side counts:
    such a mark in the middle means nothing.
    """
    bare = ""
    for side, other in (("-", "+"), ("+", "-")) if unended else ():
        last = max((number for number, tag in enumerate(tags, 1) if tag != other), default=0)
        bare += side if last and last in (unended.get(side), unended.get(" ")) else ""
    counts = (len(tags) - tags.count("+"), len(tags) - tags.count("-"))
    return RawHunk(*around, numbers, tuple(zip(tags, texts, strict=True)), rows, counts, bare)


def _end_by_counts(region: Region, row: int, numbers: Numbers) -> int:
    """The row behind the hunk if its header counts right, else -1."""
    _, old, new = numbers
    lines, end = region.lines, region.end
    limit = end - (end == len(lines) and not lines[-1])  # the text ends there
    missing = max(old, new)  # so many lines at least
    while missing > 0 and row < limit:
        some = lines[row : min(row + missing, limit)]
        tags = [line[:1] for line in some]
        if not _SIGNS.issuperset(tags):
            if any(line.startswith(("@@", "diff --git ")) for line in some):
                return -1
            tags = [line[:1] for line in some if not line.startswith(_NO_NEWLINE)]
        old -= len(tags) - tags.count("+")
        new -= len(tags) - tags.count("-")
        missing, row = max(old, new), row + len(some)
    if old or new:
        return -1
    row += row < end and lines[row].startswith(_NO_NEWLINE)
    behind = row
    while behind < end and not lines[behind]:
        behind += 1
    is_over = behind == end or _is_border(region, behind)
    return row if is_over or not (region.fenced or lines[behind].startswith((*_NO_NEWLINE, *_TAGS))) else -1


def _end_by_shape(region: Region, row: int, numbers: Numbers | None) -> int:
    """The row behind the last line that can belong to the hunk. In a fence, lines without a tag do."""
    old, new = (numbers.old, numbers.new) if numbers is not None else (0, 0)
    while row < region.end and not _is_border(region, row):
        line = region.lines[row]
        if line and not line.startswith((*_NO_NEWLINE, *_TAGS)) and not region.fenced and not (old > 0 and new > 0):
            # Lines that lost their sign, if more of the hunk stands behind them.
            behind = row
            while region.starts(behind, "") and region.lines[behind]:
                if region.starts(behind, *_NO_NEWLINE, *_TAGS) or _is_border(region, behind):
                    break
                behind += 1
            if not region.starts(behind, "+", "-") or _is_border(region, behind):
                # `version: 2` right below `-version: 1`, where one new line is missing: it lost its sign.
                is_missing = new > 0 >= old and region.lines[row - 1] != "" and not is_prose(region.lines[row:behind])
                return behind if is_missing else row
            row = behind
            continue
        old -= not line.startswith(("+", *_NO_NEWLINE))
        new -= not line.startswith(("-", *_NO_NEWLINE))
        row += 1
    return row


def _is_border(region: Region, row: int) -> bool:
    """Whether a line can't belong to a hunk because something else begins there."""
    line = region.lines[row]
    first = line[:1]
    if first == "-":
        return _names_file(region, row) or _is_rule(region, row)
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
    """Whether `---` and `+++` lines at a row name a file, rather than being lines that a hunk takes out and puts in."""
    if not region.starts(row, "--- ") or not region.starts(row + 1, "+++ "):
        return False
    if region.starts(row + 2, "@@"):
        return True
    old, new = clean(region.lines[row][4:]), clean(region.lines[row + 1][4:])
    return NOWHERE in (old, new) or bool(agreed(old, new))


def _is_rule(region: Region, row: int) -> bool:
    """Whether a line of dashes ends a mail or parts the diff from prose.

    `-- ` and a version number are how git ends its mails. Others must stand apart, above prose or nothing: between
    lines of a hunk `---` takes out a line of `--`.
    """
    line = region.lines[row].rstrip()
    if len(line) < 2 or line.strip("-") or region.starts(row, "--- "):
        return False
    if line == "--" and row + 1 < region.end and re.match(r"\d[\w.() -]*\.[\w.() -]*$", region.lines[row + 1]):
        return True
    below = _behind_blanks(region, row + 1)
    apart = region.lines[row] == "-- " or not region.lines[row - 1]
    return apart and not region.fenced and not region.starts(below, "@@", *_TAGS)


def _context_hunk(region: Region, row: int) -> RawHunk | None:
    """The hunk of a context diff at a row: the old lines, then the new ones; of a side without changes none."""
    start, row = row, row + 1
    sides: list[list[tuple[str, str, int]]] = []
    ranges: list[tuple[int, int]] = []
    unended: dict[str, int] = {}
    for numbered in _RANGES:
        match = pattern(numbered).match(region.lines[row]) if row < region.end else None
        if match is None or not region.starts(start, _STARS):
            return None
        first, last = int(match[1]), int(match[2] or match[1])
        ranges.append((first, last - first + 1 if first else 0))
        side: list[tuple[str, str, int]] = []
        row += 1
        while region.starts(row, "  ", "! ", "- ", "+ ", *_NO_NEWLINE) and not re.match(_RANGES[1], region.lines[row]):
            line = region.lines[row]
            if line.startswith(_NO_NEWLINE):
                unended["+" if sides else "-"] = row - 1
            else:
                side.append((line[0], line[2:], row))
            row += 1
        sides.append(side)
    old, new = sides
    old = old or [line for line in new if line[0] == " "]
    new = new or [line for line in old if line[0] == " "]
    lines: list[tuple[str, str, int]] = []
    while old or new:
        if old and old[0][0] != " ":
            lines.append(("-", *old.pop(0)[1:]))
        elif new and new[0][0] != " ":
            lines.append(("+", *new.pop(0)[1:]))
        elif old and new and old[0][1] == new[0][1]:
            lines.append(old.pop(0))
            new.pop(0)
        else:
            return None
    rows = [at for _, _, at in lines]
    last_rows = {at: number for number, at in enumerate(rows, 1)}
    numbers = Numbers(ranges[0][0], ranges[0][1], ranges[1][1])
    last_lines = {tag: last_rows.get(at, 0) for tag, at in unended.items()}
    return _raw((start, row), numbers, [tag for tag, _, _ in lines], [text for _, text, _ in lines], rows, last_lines)


def _normal_hunk(region: Region, row: int) -> RawHunk | None:
    """The hunk of a diff without context at a row: `2,3c4`, lines that go (`<`), lines that come (`>`)."""
    match = re.fullmatch(_NORMAL, region.lines[row].rstrip())
    if match is None:
        return None
    start, row = row, row + 1
    tags: list[str] = []
    texts: list[str] = []
    rows: list[int] = []
    unended: dict[str, int] = {}
    while region.starts(row, "< ", "> ", *_NO_NEWLINE) or (row < region.end and region.lines[row] in ("---", "<", ">")):
        line = region.lines[row]
        if line[0] in "<>":
            tags.append("-" if line[0] == "<" else "+")
            texts.append(line[2:])
            rows.append(row)
        elif line[0] == "\\" and tags:
            unended[tags[-1]] = len(tags)
        row += 1
    old = tags.count("-")
    return _raw((start, row), Numbers(int(match[1]), old, len(tags) - old), tags, texts, rows, unended)


# ── what the sections do ─────────────────────────────────────────────────────────────────────────


def _operations(sections: list[Section], reading: Reading) -> list[Op]:
    """The operations of all sections. A hunk that stands alone belongs to the file edited right before it.

    As for git, every section speaks of the files as they were: copies are made first, and files that take the places
    of each other move last.
    """
    ops: list[Op] = []
    owner = reading.file
    prefixed = _are_prefixed(sections)
    for section in sections:
        own: list[Op] = []
        if section.problem is None and (section.git, section.old, section.new) == (None, None, None):
            if owner:
                if owner != reading.file:
                    note = f"the hunk names no file; it was taken as part of {owner}"
                    reading.notes.append(Note(note, owner, section.row + 1))
                hunks = _hunks(section, owner, reading)
                ops += [Edit(owner, hunks, section.row + 1)] if hunks else []
            else:
                advice = "Write `--- a/PATH` and `+++ b/PATH` above the first hunk of each file."
                reading.problems.append(no_file(section.row + 1, "the hunk names no file", advice))
            continue
        try:
            own = _section_operations(section, reading, prefixed)
        except Refused as refused:
            row = section.row + 1
            reading.problems.extend(one._replace(patch_line=one.patch_line or row) for one in refused.problems)
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
    """What a section does; Refused where it can't be read. `prefixed`: names begin with `a/` and `b/`."""
    if section.problem is not None:
        raise Refused(section.problem._replace(path=agreed(*_git_names(section))))
    sort, path, to, other = _target(section, reading, prefixed)
    mode = _mode(section)
    if sort == "create" and not any(_takes_out(hunk) for hunk in section.hunks):
        if _absent_side(section):
            check_new(path)  # `diff -N` wrote the name, and a backslash is a part of it
        return [_create(section, path, mode, reading)]
    if sort == "delete":
        return [_delete(section, path)]
    hunks = _hunks(section, path, reading)
    ops: list[Op] = []
    if "copy to" in section.marks:
        ops.append(Move(path, to, patch_line=section.row + 1, label="copy", keeps=True))
        path, to = to, ""
    if hunks or mode:
        # `@@ -0,0 +1,3 @@` and only added lines: where there is no such file, this is all of it.
        numbers = section.hunks[0].numbers if len(section.hunks) == 1 else None
        is_all = numbers is not None and numbers.line == numbers.old == section.hunks[0].counts[0] == 0
        made = _create(section, path, mode, reading) if is_all else None
        ops.append(Edit(path, hunks, section.row + 1, mode=mode, whole=made, other=other))
    if to:
        ops.append(Move(path, to, patch_line=section.row + 1))
    if not ops and not section.hunks:
        reading.notes.append(Note("the section changes nothing", path, section.row + 1))
    return ops


def _takes_out(hunk: RawHunk) -> bool:
    """Whether a hunk takes lines out, and its header doesn't deny it: such a file is there, whatever its name says."""
    return any(tag == "-" for tag, _ in hunk.tagged) and (hunk.numbers is None or hunk.numbers.old > 0)


def _create(section: Section, path: str, mode: int, reading: Reading) -> Write:
    """A new file. A CR that the header lines don't have belongs to the text."""
    own_crs = frozenset() if section.row in reading.crs else reading.crs
    parts: list[str] = []
    for hunk in section.hunks:
        for (tag, text), row in zip(hunk.tagged, hunk.rows, strict=True):
            if tag == "-" or (tag == " " and text.strip()):
                detail = f"`{text.strip()[:60]}` is not an added line, but {path} is a new file"
                raise Refused(_bad(row, detail, "Begin every line of a new file with `+`.", path))
            parts.append(text + "\r\n" if row in own_crs else text + "\n")
    if section.hunks and "+" in section.hunks[-1].bare and parts:
        parts[-1] = parts[-1][:-1]
    # 0o644 is what a new file has anyway, or what the user's mask makes of it.
    # By `diff -N` the old file isn't there; /dev/null is what models also write for an empty one.
    absent = _absent_side(section) == "old"
    return Write(path, "".join(parts), False, section.row + 1, mode=mode if mode == 0o755 else 0, absent=absent)


def _delete(section: Section, path: str) -> Delete:
    for hunk in section.hunks:
        for (tag, text), row in zip(hunk.tagged, hunk.rows, strict=True):
            if tag == "+":
                detail = f"`{text.strip()[:60]}` would be added to {path}, which is deleted"
                raise Refused(_bad(row, detail, "Leave it out, or name the file instead of /dev/null.", path))
    old = [text for hunk in section.hunks for _, text in hunk.tagged]
    old[:1] = [text.removeprefix(BOM) for text in old[:1]]
    unended = bool(section.hunks) and section.hunks[-1].bare != ""
    return Delete(path, section.row + 1, old=tuple(old), whole=bool(old), unended=unended)


def _hunks(section: Section, path: str, reading: Reading) -> tuple[Hunk, ...]:
    """The hunks of a section that change something; what is odd about them is told."""
    hunks = []
    for hunk in section.hunks:
        at = hunk.row + 1
        if not hunk.tagged and hunk.numbers is not None and hunk.numbers.old + hunk.numbers.new:
            detail = "there are no lines below the hunk's header"
            reading.problems.append(_bad(hunk.row, detail, "Write the hunk's lines.", path))
            continue
        if hunk.counts == (len(hunk.tagged), len(hunk.tagged)):
            reading.notes.append(Note("the hunk changes nothing", path, at))
            continue
        if reading.crs:
            ends = [(*line, row in reading.crs) for line, row in zip(hunk.tagged, hunk.rows, strict=True)]
            changed = changed_end(ends, path, at)
            reading.problems.extend([changed] if changed else ())
            if len({has_cr for _, _, has_cr in ends}) > 1 and hunk.row not in reading.crs:
                text = "some lines of the hunk end in CR; unchanged and replaced lines keep the file's line endings"
                reading.notes.append(Note(text, path, at))
        if hunk.numbers is not None and hunk.counts != hunk.numbers[1:]:
            claimed, there = (f"{old} old and {new} new lines" for old, new in (hunk.numbers[1:], hunk.counts))
            reading.notes.append(Note(f"the hunk's header says {claimed}, but there are {there}", path, at))
        hunks.append(_hunk(hunk, path, reading))
    return tuple(hunks)


def _hunk(hunk: RawHunk, path: str, reading: Reading) -> Hunk:
    line, said_old, _ = hunk.numbers or (0, 1, 0)
    tagged = hunk.tagged
    # A file's first line may be shown with its byte order mark; the file keeps its own.
    marked = {tag for tag, text in tagged if text[:1] == BOM} if line <= 1 else set()
    if marked:
        tagged = tuple((tag, text.removeprefix(BOM)) for tag, text in tagged)
        if len(marked) == 1 and marked != {" "}:
            reading.notes.append(Note("the file's byte order mark stays as it is", path, hunk.row + 1))
    # Without old lines only a count of none makes the number a place: the gap below that line.
    old, _ = hunk.counts
    first, last = (line, line + old - 1) if line and old else (line + 1, line) if not old and not said_old else (0, 0)
    where = Where(first, last)
    if hunk.bare or hunk.heading or hunk.missing:
        final = {"-": "made", "+": "lost"}.get(hunk.bare, "")
        where = where._replace(at_end=bool(hunk.bare), final=final, heading=hunk.heading, blank_below=hunk.missing)
    doubts: list[Problem] = []
    for (_, text), row in zip(hunk.tagged, hunk.rows, strict=True) if hunk.naked else ():
        if row in hunk.naked:
            detail = f"`{text.strip()[:60]}` begins with neither a space nor `-` nor `+`"
            doubts.append(_bad(row, detail, "Begin every unchanged line of a hunk with one extra space.", path))
    if hunk.missing:
        detail = "the diff's last hunk has fewer lines than its header says, and the file goes on below them"
        advice = "Send the rest of it; if this is all, correct the counts or put it in a closed fence."
        doubts.append(Problem("truncated", detail, path, hunk.row + 1, advice=advice))
    policy = _ALL_CONTEXT if hunk.missing else TOLERANT
    return Hunk(tagged, where, policy, hunk.row + 1, tuple(doubts), counted=hunk.counted)


def _bad(row: int, detail: str, advice: str, path: str = "") -> Problem:
    return Problem("bad_patch", detail, path, row + 1, advice=advice)


# ── which file ───────────────────────────────────────────────────────────────────────────────────


def _target(section: Section, reading: Reading, prefixed: bool) -> tuple[str, str, str, str]:
    """What a section does ("create", "delete" or "edit"), to which file, its new name, another name that it may have.

    The last two are mostly "". Refused where the names don't tell.
    """
    old, new = clean(section.old or ""), clean(section.new or "")
    marks = section.marks
    git = agreed(*_git_names(section)) if section.git is not None else ""
    for word in ("copy", "rename") if marks else ():
        if f"{word} from" in marks or f"{word} to" in marks:
            return "edit", *_renamed(section, word), ""
    if old == NOWHERE == new:
        raise Refused(_bad(section.row, "both names are /dev/null", "Name the file that is created or deleted."))
    absent = _absent_side(section)
    if old == NOWHERE or "new file mode" in marks or absent == "old":
        sort, own, other, prefix = "create", new, old, "b/"
    elif new == NOWHERE or "deleted file mode" in marks or absent == "new":
        sort, own, other, prefix = "delete", old, new, "a/"
    else:
        sort, own, other, prefix = "edit", new or old, old, "b/" if new else "a/"
    both = agreed(old, new) if old and new and NOWHERE not in (old, new) else ""
    name = both or (own if own not in ("", NOWHERE) else other.removeprefix(NOWHERE))
    if git and name in ("", git, f"a/{git}", f"b/{git}"):
        return sort, git, "", ""
    if git and both and sort == "edit" and git in (old, new):
        return sort, git, "", ""
    if git or not name:
        raise Refused(_disagreement(section, git, name))
    if sort == "edit" and old and new and not both:
        if old.startswith("a/") and new.startswith("b/"):
            old, new = old[2:], new[2:]
        text = f"the names {old} and {new} differ; to rename a file, write `rename from` and `rename to`"
        reading.notes.append(Note(text, new, section.row + 1))
        return sort, new, "", old
    if not both and name.startswith(prefix) and len(name) > 2 and (sort == "edit" or prefixed):
        name = name[2:]
    return sort, name, "", ""


def _absent_side(section: Section) -> str:
    """The side ("old", "new") that isn't there, as the time stamps that `diff -N` gives it and the numbers say."""
    numbers = section.hunks[0].numbers if len(section.hunks) == 1 else None
    if numbers is None or (numbers.old and numbers.new):
        return ""
    epoch = re.compile(r"[ \t](?:1970-01-01|1969-12-31)[ T]")
    if section.old is not None and numbers.old == 0 == numbers.line and epoch.search(section.old):
        return "old"
    return "new" if section.new is not None and numbers.new == 0 and epoch.search(section.new) else ""


def _renamed(section: Section, word: str) -> tuple[str, str]:
    """The old and the new name of a file that git's marks say to be renamed or copied."""
    old, new = (clean(section.marks.get(f"{word} {side}", "")) for side in ("from", "to"))
    if not old or not new:
        advice = f"Write both lines, `{word} from OLD` and `{word} to NEW`."
        raise Refused(_bad(section.row, f"`{word}` names only one file", advice))
    if (old, new) == _git_names(section) and old.startswith("a/") and new.startswith("b/"):
        old, new = old[2:], new[2:]
    return old, new if new != old else ""


def _disagreement(section: Section, git: str, name: str) -> Problem:
    if not git or not name:
        advice = "Name the file in lines `--- a/PATH` and `+++ b/PATH`."
        return _bad(section.row, "the file name can't be read", advice)
    detail = f"`diff --git` names {git}, but the lines below name {name}"
    return _bad(section.row, detail, "Name one file in all header lines.", git)


def _are_prefixed(sections: list[Section]) -> bool:
    """Whether names in this document begin with `a/` and `b/`: if any pair shows it, or none shows otherwise."""
    shows_otherwise = False
    for section in sections:
        old, new = clean(section.old or ""), clean(section.new or "")
        if old and new and NOWHERE not in (old, new):
            if old[:2] == "a/" and new == f"b/{old[2:]}":
                return True
            shows_otherwise = True
    return not shows_otherwise


def _mode(section: Section) -> int:
    """The permissions that are asked for, 0 where they stay; what is no regular file is Refused by its name."""
    asked = 0
    for word in ("index", "old mode", "deleted file mode", "new mode", "new file mode") if section.marks else ():
        mark = section.marks.get(word)
        if mark is None or (word == "index" and " " not in mark):
            continue
        mode = mark.rpartition(" ")[2] if word == "index" else mark
        if mode in _NO_FILES:
            advice = "Only regular files can be edited; create or change it by hand."
            raise Refused(_bad(section.row, f"the section is about {_NO_FILES[mode]} (mode {mode})", advice))
        if mode not in _MODES:
            advice = "Use mode 100644 or 100755."
            raise Refused(_bad(section.row, f"`{word} {mode[:40]}` is not a file mode", advice))
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


@lru_cache(maxsize=256)
def clean(said: str) -> str:
    """The name in a header line, without quotes, time stamp and remarks."""
    said = said.strip(BLANK)
    if said[:1] == '"':
        name, rest = _unquoted(said)
        if name and rest[:1] in ("", "\t", " "):
            return name
    # A tab ends the name, unless what follows ends in a suffix: `post<TAB>image.txt`.
    name, *rest_parts = said.split("\t")
    while rest_parts and re.fullmatch(r"[^:()]*\.[A-Za-z]\w{0,9}", rest_parts[0]):
        name += "\t" + rest_parts.pop(0)
    if "-" in name:
        name = re.sub(_STAMP, "", name, count=1)
    name = re.sub(_REMARK, r"\1", name)
    name = name.strip(BLANK)
    if len(name) > 2 and name[0] == name[-1] == "`":
        name = name[1:-1]
    return NOWHERE if name in ("dev/null", "a/dev/null", "b/dev/null") else name


def written(name: str) -> str:
    """A name as a header line holds it: quoted where it would be read as something else."""
    plain = name.isprintable() and '"' not in name and "\\" not in name
    if plain and clean(name) == name and clean(f"{name}\t") == name:
        return name
    spelt = (_SPELLINGS.get(byte) or (chr(byte) if 32 <= byte < 127 else f"\\{byte:03o}") for byte in encode(name))
    return '"' + "".join(spelt) + '"'


def agreed(old: str, new: str) -> str:
    """The path that both names mean, "" where they mean different ones."""
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


def _git_names(section: Section) -> tuple[str, str]:
    return in_git_line(section.git) if section.git is not None else ("", "")


def in_git_line(line: str) -> tuple[str, str]:
    """The two names behind `diff --git`; ("", "") where they can't be told apart."""
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


def _unquoted(said: str) -> tuple[str, str]:
    """A C string at the beginning of a text, and what stands behind it; ("", text) where it never ends."""
    data = bytearray()
    token = re.compile(r'([^"\\]+)|\\([0-3][0-7]{2})|\\([abtnvfr"\\])|\\')
    at = 1
    while (match := token.match(said, at)) is not None:
        plain, octal, letter = match.groups()
        data += encode(plain) if plain else bytes([int(octal, 8) if octal else _ESCAPES.get(letter or "", 92)])
        at = match.end()
    return (decode(bytes(data)), said[at + 1 :]) if said[at : at + 1] == '"' else ("", said)
