"""Unified diffs, plain or git's, as models write them: wrong counts, no numbers, lines without their sign.

    diff     = { section | hunk }                      a hunk alone belongs to the file before it
    section  = [ "diff --git a/OLD b/NEW" { mark } ] [ "--- OLD" ] [ "+++ NEW" ] { hunk }
    mark     = "old mode …" | "new file mode …" | "rename from …" | "index …" | …
    hunk     = [ "@@" [ " -LINE,COUNT +LINE,COUNT " ] "@@" [ heading ] ] { line }
    line     = " kept" | "-removed" | "+added" | "\\ No newline at end of file"

A hunk ends where its header says, if that leaves nothing behind that could be of it; else where a line can't belong to
it. In a fence, lines without any sign do: they are context that lost its blank. Finds no place in any file.
"""

from __future__ import annotations

import re
from functools import lru_cache

from ...model import TOLERANT, Delete, Edit, Hunk, Move, Note, Op, Patch, Where, Write
from ...parsing import run_end
from ...parsing.fences import Region, contents, fence_of
from ...parsing.repeats import said_once
from ...problems import Problem, Refused
from ...record import NamedTuple
from ...text import BLANK, BOM, changed_end, decode, encode, patch_lines, rows_with_cr

_NAME = "unified"
NOWHERE = "/dev/null"
_TAGS = ("+", "-", " ")
_NO_NEWLINE = ("\\ ", "\\No newline")
_STARS = "***************"
_COMBINED = ("diff --cc ", "diff --combined ")
_MARKS = (
    "old mode ", "new mode ", "deleted file mode ", "new file mode ", "rename from ", "rename to ", "rename old ",
    "rename new ", "copy from ", "copy to ", "similarity index ", "dissimilarity index ", "index ",
)  # fmt: skip
# What lines of a diff that stands among prose begin with.
_LINES = (
    *_TAGS, "@@", "\\", "diff ", "new file", "deleted file", "rename ", "similarity ", "dissimilarity ", "copy ",
    "index ", "old mode", "new mode", "Binary ", "GIT binary", "Index: ", "=====",
)  # fmt: skip
_NUMBERS = r"@@ {0,3}-([0-9]{1,9})(?:,([0-9]{1,9}))?[ ,]{1,3}\+[0-9]{1,9}(?:,([0-9]{1,9}))?(?![0-9,])"
_ED = r"[0-9]{1,9}(?:,[0-9]{1,9})?(?:[acdijmrstw]|![^\n]*)"
_NORMAL = r"[0-9]{1,9}(?:,[0-9]{1,9})?[acd][0-9]{1,9}(?:,[0-9]{1,9})?"
_CONTEXT = 3  # lines, as diffs usually have them
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

    `bare`: the sides ("-", "+") whose last line has no line end. `naked`: rows of lines without any tag.
    `cut`: the text ends here before the hunk should, unless the file does too. `heading`: what the header says behind
    its numbers.
    """

    row: int
    numbers: Numbers | None
    tagged: tuple[tuple[str, str], ...]
    rows: tuple[int, ...]
    bare: str
    naked: tuple[int, ...]
    end: int
    cut: bool = False
    heading: str = ""

    @property
    def counts(self) -> tuple[int, int]:
        """How many lines there really are of each side."""
        tags = [tag for tag, _ in self.tagged]
        return len(tags) - tags.count("+"), len(tags) - tags.count("-")

    @property
    def is_short(self) -> bool:
        """Whether there are fewer lines than the header counts, on both sides that have any; or it counts none."""
        if self.numbers is None:
            return True
        old, new = self.counts
        _, said_old, said_new = self.numbers
        return (old < said_old or not said_old) and (new < said_new or not said_new) and said_old + said_new > 0


class Section(NamedTuple):
    """What is said about one file. `git`, `old`, `new`: header lines without their first word, None where missing.

    `marks`: the lines between `diff --git` and `---`, by their words. `problem`: why it can't be read at all.
    """

    row: int
    git: str | None
    old: str | None
    new: str | None
    marks: dict[str, str]
    hunks: tuple[RawHunk, ...]
    problem: Problem | None
    end: int

    @property
    def is_gits(self) -> bool:
        """Whether git itself wrote it: it names both blobs, and every hunk has as many lines as its header counts."""
        blobs = re.match(r"[0-9a-f]{7,64}\.\.[0-9a-f]{7,64}(?: |$)", self.marks.get("index", ""))
        counted = all(hunk.numbers is not None and hunk.counts == hunk.numbers[1:] for hunk in self.hunks)
        return self.git is not None and (blobs is not None or not self.hunks) and counted


class Reading(NamedTuple):
    """What is known while a text is read: which rows end in CR, where findings go, whether names begin with `a/`."""

    crs: frozenset[int]
    problems: list[Problem]
    notes: list[Note]
    prefixed: bool = True


class Target(NamedTuple):
    """The file that a section means: `sort` is "create", "delete" or "edit"; `to` is its new name, "" without one."""

    sort: str
    path: str
    to: str = ""


def parse(text: str) -> Patch:
    """What the diffs in a text say."""
    lines = patch_lines(text)
    reading = Reading(rows_with_cr(text), [], [])
    parts = _parts(lines, reading) or _parts(_dedented(lines), reading)
    ops = _operations(parts, reading)
    if not parts and not reading.problems:
        reading.problems.append(_stray_script(lines) or _bad(0, "there is no diff in it", _ASK))
    ops = said_once(ops, reading.notes)
    literal = bool(parts) and all(isinstance(part, Section) and part.is_gits for part in parts)
    return Patch(_NAME, tuple(ops), "", tuple(reading.problems), tuple(reading.notes), literal=literal)


def sniff(text: str) -> int:
    """How much a text looks like a unified diff: more by the names of files than by hunks alone."""
    lines = patch_lines(text)
    named = headed = False
    for row, line in enumerate(lines):
        bare = line.lstrip(" \t")
        if bare.startswith(("--- ", "+++ ", "@@", "diff -", "Index: ")) and opens(lines, row):
            named = not bare.startswith("@@")
            headed = True
            if named:
                break
    if "*** Begin Patch" in text or "*** Update File:" in text:
        return 20 if named else 0
    if headed:
        return 95 if named else 45
    if any(line.startswith((_STARS, "Binary files ")) for line in lines):
        return 60
    return 40 if _stray_script(lines) else 0


def opens(lines: list[str], row: int) -> str:
    """Whether a diff begins at a row, by that line and the next one that isn't blank: its format's name."""
    bare = lines[row].lstrip(" \t")
    below = next((line.lstrip(" \t") for line in lines[row + 1 : row + 3] if line.strip()), "")
    if bare.startswith("--- "):
        begins = below.startswith(("+++ ", "@@"))
    elif bare.startswith("+++ "):
        begins = below.startswith("@@")
    elif bare.startswith("*** "):
        begins = below.startswith("--- ")
    elif bare.startswith("@@"):
        begins = _is_hunk_header(bare, below)
    else:
        known = bare.startswith(("diff --git ", *_COMBINED))
        begins = known or below.startswith(("=====", "--- ", "diff ", "index "))
    return _NAME if begins else ""


def block_end(lines: list[str], row: int, limit: int, fenced: bool) -> int:
    """The row behind the diff that begins at a row, without blank lines at its end."""
    return limit if fenced else run_end(lines, row, lambda line: not line.strip() or line.startswith(_LINES))


def _is_hunk_header(line: str, below: str) -> bool:
    """Whether a line is the header of a hunk: with numbers, or `@@` or `@@ def f(): @@` above a changed line."""
    if line.startswith("@@ -") and line[4:5].isdigit():
        return True
    bare = line.rstrip()
    headed = bare == "@@" or (bare.startswith("@@ ") and bare.endswith("@@"))
    return headed and below[:1] in ("+", "-") and not below.startswith(("--- ", "+++ "))


def _dedented(lines: list[str]) -> list[str]:
    """The lines without the indentation that the first header line has, as in a list item or a quoted block."""
    pattern = re.compile(r"[ \t]+(?=diff --git |--- [^\n])")
    indent = next((match[0] for line in lines if line[:1] in (" ", "\t") and (match := pattern.match(line))), "")
    return [line.removeprefix(indent) for line in lines] if indent else lines


# ── the parts of an answer ───────────────────────────────────────────────────────────────────────


def _parts(lines: list[str], reading: Reading) -> list[Section | RawHunk]:
    """All sections, in fences and outside, and hunks that stand alone."""
    parts: list[Section | RawHunk] = []
    row, whole = 0, Region(lines, 0, len(lines))
    while row < len(lines):
        region = contents(lines, row)
        if region is None:
            row = _step(whole, row, parts)
            continue
        count, row = len(parts), region.start
        while row < region.end:
            row = _step(region, row, parts)
        if not region.closed and len(parts) > count:
            _check_unclosed(region, parts[-1], reading)
        row = region.end + 1
    _check_end(lines, parts, reading)
    _check_torn(lines, parts, reading)
    return parts


def _step(region: Region, row: int, parts: list[Section | RawHunk]) -> int:
    """Read what begins at a row, if something does; the row behind it."""
    line = region.lines[row]
    part: Section | RawHunk
    if line[:1] in ("-", "+", "*", "d", "B", "G") and _begins_section(region, row):
        part = _section(region, row)
    elif line.startswith("@@") and _is_hunk_header(line, region.lines[row + 1] if row + 1 < region.end else ""):
        part = _hunk_at(region, row)
    else:
        return row + 1
    parts.append(part)
    return max(part.end, row + 1)


def _last_hunk(part: Section | RawHunk) -> RawHunk | None:
    if isinstance(part, Section):
        return part.hunks[-1] if part.hunks else None
    return part


def _check_unclosed(region: Region, part: Section | RawHunk, reading: Reading) -> None:
    """A fence that never closes is where an answer was cut off, unless the last hunk is as long as it says."""
    last = _last_hunk(part)
    if isinstance(part, Section) and (part.problem is not None or (last is None and part.marks)):
        return
    if last is None or (last.is_short and not any(map(str.strip, region.lines[last.end :]))):
        detail = "the diff is cut off: its fence never closes, and its last hunk may not be whole"
        reading.problems.append(Problem("truncated", detail, patch_line=(last or part).row + 1))


def _check_end(lines: list[str], parts: list[Section | RawHunk], reading: Reading) -> None:
    """Where the text ends in a hunk that is shorter than it says and doesn't end as hunks do, it was cut off.

    With less context than hunks have it may also end where the file does: that only the file can tell.
    """
    part = parts[-1] if parts else None
    last = _last_hunk(part) if part is not None else None
    if last is None or last.numbers is None or any(map(str.strip, lines[last.end :])) or reading.problems:
        return
    tags = "".join(tag for tag, _ in last.tagged)
    missing = [claimed - there for claimed, there in zip(last.numbers[1:], last.counts, strict=True)]
    if (tags.endswith(("+", "-")) and missing[1] > 0) or (last.is_short and tags and not tags.strip(" ")):
        detail = "the diff is cut off: it ends in a hunk that has fewer lines than its header says"
        advice = "Send it to its end; if this is all, correct the counts or put it into a closed fence."
        reading.problems.append(Problem("truncated", detail, patch_line=last.row + 1, advice=advice))
    elif last.is_short and (_lacks_context(last, tags) or max(missing) > _CONTEXT):
        last = last._replace(cut=True)
        parts[-1] = part._replace(hunks=(*part.hunks[:-1], last)) if isinstance(part, Section) else last


def _lacks_context(last: RawHunk, every: str) -> bool:
    """Whether a hunk has less context at its end than at its beginning; at the first line there is none to compare."""
    solid = "".join(tag for tag, text in last.tagged if text.strip() or tag != " ")
    at_top = last.numbers is not None and last.numbers.line <= 1
    for tags, least in ((every, 0 if at_top else _CONTEXT), (solid, _CONTEXT - 1)):
        behind, ahead = len(tags) - len(tags.rstrip(" ")), len(tags) - len(tags.lstrip(" "))
        if behind < (ahead if least else _CONTEXT) and ahead >= least:
            return True
    return False


def _check_torn(lines: list[str], parts: list[Section | RawHunk], reading: Reading) -> None:
    """A line of backticks that lost its sign looks like a fence: where a short hunk ends at one, more may follow."""
    hunks = [hunk for part in parts for hunk in (part.hunks if isinstance(part, Section) else (part,))]
    for at, hunk in enumerate(hunks):
        end = hunk.end
        if hunk.numbers is None or end >= len(lines) or fence_of(lines[end]) is None or not hunk.is_short:
            continue
        after = hunks[at + 1].row if at + 1 < len(hunks) else len(lines)
        if any(line.startswith(("+", "@@")) for line in lines[end + 1 : after]):
            detail = "the hunk is shorter than its header says, and behind a line of backticks more of it may follow"
            reading.problems.append(_bad(end, detail, "Begin every line of context with a blank."))


# ── one section ──────────────────────────────────────────────────────────────────────────────────


def _begins_section(region: Region, row: int) -> bool:
    """Whether a section begins at a row."""
    starts = region.starts
    return (
        (starts(row, "--- ") and starts(row + 1, "+++ ", "@@"))
        or (starts(row, "+++ ") and starts(row + 1, "@@"))
        or (starts(row, "*** ") and starts(row + 1, "--- ") and starts(row + 2, _STARS))
        or (starts(row, "Binary files ") and region.lines[row].rstrip().endswith(" differ"))
        or starts(row, "diff --git ", *_COMBINED, "GIT binary patch")
    )


def _section(region: Region, row: int) -> Section:
    """The section that begins at a row."""
    start, git = row, None
    marks: dict[str, str] = {}
    if region.starts(row, "diff --git "):
        git, row = region.lines[row][11:], row + 1
        while row < region.end and (mark := next((mark for mark in _MARKS if region.starts(row, mark)), "")):
            word = mark.strip().replace("rename old", "rename from").replace("rename new", "rename to")
            marks.setdefault(word, region.lines[row][len(mark) :].strip())
            row += 1
    problem = _unreadable(region, row)
    if problem is not None:
        return Section(start, git, None, None, marks, (), problem, _behind_unreadable(region, row))
    behind = _behind_blanks(region, row)
    row = behind if region.starts(behind, "--- ", "+++ ", "@@") else row
    old = new = None
    if region.starts(row, "--- "):
        old, row = region.lines[row][4:], row + 1
    if region.starts(row, "+++ "):
        new, row = region.lines[row][4:], row + 1
    hunks, row = _hunks_from(region, row, old is not None or new is not None)
    problem = _unreadable(region, _behind_blanks(region, row)) if not hunks else None
    return Section(start, git, old, new, marks, hunks, problem, max(row, start + 1))


def _hunks_from(region: Region, row: int, named: bool) -> tuple[tuple[RawHunk, ...], int]:
    """The hunks from a row on. The first one may lack its header, where file names stand right above it."""
    hunks: list[RawHunk] = []
    while True:
        at = _behind_blanks(region, row)
        headed = region.starts(at, "@@") and not region.starts(at, "@@@")
        if not headed and (hunks or not named or not _is_headless(region, at)):
            return tuple(hunks), row
        hunk = _hunk_at(region, at)
        if hunk.end <= at:
            return tuple(hunks), row
        hunks.append(hunk)
        row = hunk.end


def _is_headless(region: Region, row: int) -> bool:
    if row >= region.end or _begins_section(region, row) or _unreadable(region, row) is not None:
        return False
    return region.fenced or region.starts(row, *_TAGS)


def _unreadable(region: Region, row: int) -> Problem | None:
    """Why what stands at a row is no unified diff, if it is something else that has a name."""
    if row >= region.end:
        return None
    line = region.lines[row]
    if line.startswith("GIT binary patch") or (line.startswith("Binary files ") and " differ" in line):
        return _bad(row, "binary patches can't be applied", "Leave the binary file out, and put it in place by hand.")
    if line.startswith((*_COMBINED, "@@@")):
        return _bad(row, "this is a combined diff, of a merge", "Write a diff against one version: `git diff HEAD^`.")
    if (line.startswith("*** ") and region.starts(row + 1, "--- ")) or line.startswith(_STARS):
        return _bad(row, "this is a context diff", _ASK)
    return _script(region, row, True)


def _script(region: Region, row: int, ends: bool) -> Problem | None:
    """The problem with a command for an editor, of which a dot `ends` the text, or one of a diff without file names."""
    line = region.lines[row]
    if not line[:1].isdecimal() or len(line) > 80:
        return None
    if re.fullmatch(_NORMAL, line) and region.starts(row + 1, "<", ">"):
        return _bad(row, "this is a plain diff without context, which names neither file nor place", _ASK)
    if re.fullmatch(_ED, line) and (ends or line[-1] == "d"):
        return _bad(row, "this is an ed script; such scripts are never run", _ASK)
    return None


def _stray_script(lines: list[str]) -> Problem | None:
    """The problem with the first such command that no header stands above."""
    region = Region(lines, 0, len(lines))
    dot = next((row for row in range(len(lines) - 1, -1, -1) if lines[row] == "."), -1)
    scripts = (_script(region, row, row < dot) for row in range(len(lines)))
    return next((problem for problem in scripts if problem is not None), None)


def _behind_unreadable(region: Region, row: int) -> int:
    """Where the next section begins: what can't be read is passed over as a whole, with its own `---` lines."""
    inner = ("---", "+++") if region.starts(row, "*** ", _STARS, *_COMBINED, "@@@") else ()
    row += 1
    while row < region.end and not (_begins_section(region, row) and not (inner and region.starts(row, *inner))):
        row += 1
    return row


def _behind_blanks(region: Region, row: int) -> int:
    while row < region.end and not region.lines[row].strip():
        row += 1
    return row


# ── one hunk ─────────────────────────────────────────────────────────────────────────────────────


def _hunk_at(region: Region, row: int) -> RawHunk:
    """The hunk whose header stands at a row; without a header, its first line does."""
    headed = region.starts(row, "@@")
    numbers = _numbers_in(region.lines[row]) if headed else None
    first = row + headed
    end = _end_by_counts(region, first, numbers) if numbers is not None else -1
    heading = region.lines[row].split("@@", 2)[2:] if numbers is not None else []
    last = end
    if end < 0:
        last = end = _end_by_shape(region, first, numbers)
        while last > first and not region.lines[last - 1]:
            last -= 1  # blank lines behind a hunk are not of it, unless its header counts them
    tagged: list[tuple[str, str]] = []
    rows: list[int] = []
    naked: list[int] = []
    bare: dict[str, int] = {}
    for at in range(first, last):
        line = region.lines[at]
        if line[:1] in _TAGS:
            tagged.append((line[0], line[1:]))
        elif line.startswith(_NO_NEWLINE):
            if tagged:
                bare[tagged[-1][0]] = len(tagged)
            continue
        else:
            tagged.append((" ", line))
            naked += [at] if line else []
        rows.append(at)
    sides = _bare_sides(tagged, bare) if bare else ""
    return RawHunk(row, numbers, tuple(tagged), tuple(rows), sides, tuple(naked), end, heading="".join(heading).strip())


def _numbers_in(header: str) -> Numbers | None:
    """The numbers of a hunk header; None where there are none that make sense."""
    match = re.match(_NUMBERS, header)
    return Numbers(int(match[1]), int(match[2] or 1), int(match[3] or 1)) if match else None


def _end_by_counts(region: Region, row: int, numbers: Numbers) -> int:
    """The row behind the hunk if its header counts right, else -1."""
    _, old, new = numbers
    limit = region.end - (region.end == len(region.lines) and not region.lines[-1])  # the text ends there
    while (old > 0 or new > 0) and row < limit:
        line = region.lines[row]
        if line.startswith(("@@", "diff --git ")):
            return -1
        if not line.startswith(_NO_NEWLINE):
            old -= line[:1] != "+"
            new -= line[:1] != "-"
        row += 1
    if old or new:
        return -1
    row += region.starts(row, *_NO_NEWLINE)
    behind = row
    while behind < region.end and not region.lines[behind]:
        behind += 1
    is_over = behind == region.end or _is_border(region, behind)
    return row if is_over or not (region.fenced or region.starts(behind, *_NO_NEWLINE, *_TAGS)) else -1


def _end_by_shape(region: Region, row: int, numbers: Numbers | None) -> int:
    """The row behind the last line that can belong to the hunk. In a fence, lines without a tag do."""
    old, new = (numbers.old, numbers.new) if numbers is not None else (0, 0)
    while row < region.end and not _is_border(region, row):
        line = region.lines[row]
        if line and not line.startswith((*_NO_NEWLINE, *_TAGS)) and not region.fenced and not (old > 0 and new > 0):
            # Lines that lost their sign, if more of the hunk stands behind them.
            behind = row
            while region.starts(behind, "") and region.lines[behind] and not _may_be_tagged(region, behind):
                behind += 1
            if not region.starts(behind, "+", "-") or _is_border(region, behind):
                break
            row = behind
            continue
        old -= not line.startswith(("+", *_NO_NEWLINE))
        new -= not line.startswith(("-", *_NO_NEWLINE))
        row += 1
    return row


def _may_be_tagged(region: Region, row: int) -> bool:
    return region.starts(row, *_NO_NEWLINE, *_TAGS) or _is_border(region, row)


def _is_border(region: Region, row: int) -> bool:
    """Whether a line can't belong to a hunk because something else begins there."""
    line = region.lines[row]
    first = line[:1]
    if first == "-":
        return _names_file(region, row) or _is_signature(region, row)
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


def _is_signature(region: Region, row: int) -> bool:
    """`-- ` and a version number: how mails that git writes end."""
    if region.lines[row].rstrip() != "--" or row + 1 >= region.end:
        return False
    return re.match(r"\d[\w.() -]*\.[\w.() -]*$", region.lines[row + 1]) is not None


def _bare_sides(tagged: list[tuple[str, str]], bare: dict[str, int]) -> str:
    """The sides that end in a line marked as having no line end; a mark in the middle of a side means nothing."""
    tags = [tag for tag, _ in tagged]
    sides = ""
    for side, other in (("-", "+"), ("+", "-")):
        last = max((number for number, tag in enumerate(tags, 1) if tag != other), default=0)
        if last and last in (bare.get(side), bare.get(" ")):
            sides += side
    return sides


# ── what the parts do ────────────────────────────────────────────────────────────────────────────


def _operations(parts: list[Section | RawHunk], reading: Reading) -> list[Op]:
    """The operations of all parts. A hunk that stands alone belongs to the file edited right before it."""
    ops: list[Op] = []
    owner = ""
    reading = reading._replace(prefixed=_are_prefixed([part for part in parts if isinstance(part, Section)]))
    for part in parts:
        if isinstance(part, Section):
            try:
                own = _section_operations(part, reading)
            except Refused as refused:
                reading.problems.extend(refused.problems)
                own = []
            owner = own[-1].path if own and isinstance(own[-1], Edit) else ""
            ops += own
        elif owner:
            reading.notes.append(Note(f"the hunk names no file; it was read as one of {owner}", owner, part.row + 1))
            hunks = tuple(_hunks((part,), owner, reading))
            ops += [Edit(owner, hunks, part.row + 1)] if hunks else []
        else:
            advice = "Write `--- a/PATH` and `+++ b/PATH` above the first hunk of each file."
            reading.problems.append(_bad(part.row, "the hunk names no file", advice))
    return ops


def _section_operations(section: Section, reading: Reading) -> list[Op]:
    """What a section does; Refused where it can't be read."""
    if section.problem is not None:
        raise Refused(section.problem._replace(path=agreed(*_git_names(section))))
    target = _target(section, reading)
    mode = _mode(section)
    if target.sort == "create":
        return [_create(section, target.path, mode, reading)]
    if target.sort == "delete":
        return [_delete(section, target.path)]
    hunks = tuple(_hunks(section.hunks, target.path, reading))
    ops: list[Op] = []
    if hunks or mode:
        ops.append(Edit(target.path, hunks, section.row + 1, mode=mode))
    if target.to:
        ops.append(Move(target.path, target.to, patch_line=section.row + 1))
    if not ops and not section.hunks:
        reading.notes.append(Note("the section holds no change", target.path, section.row + 1))
    return ops


def _create(section: Section, path: str, mode: int, reading: Reading) -> Write:
    """A new file. A CR that the header lines don't have belongs to the text."""
    own_crs = frozenset() if section.row in reading.crs else reading.crs
    parts: list[str] = []
    for hunk in section.hunks:
        for (tag, text), row in zip(hunk.tagged, hunk.rows, strict=True):
            if tag == "-" or (tag == " " and text.strip()):
                detail = f"`{text.strip()[:60]}` is no new line, but {path} is a new file"
                raise Refused(_bad(row, detail, "Begin every line of a new file with `+`.", path))
            parts.append(text + "\r\n" if row in own_crs else text + "\n")
    if section.hunks and "+" in section.hunks[-1].bare and parts:
        parts[-1] = parts[-1][:-1]
    # 0o644 is what a new file has anyway, or what the user's mask makes of it.
    return Write(path, "".join(parts), False, section.row + 1, mode=mode if mode == 0o755 else 0)


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


def _hunks(raw: tuple[RawHunk, ...], path: str, reading: Reading) -> list[Hunk]:
    hunks = []
    for hunk in raw:
        if not hunk.tagged and hunk.numbers is not None and hunk.numbers.old + hunk.numbers.new:
            detail = "there are no lines below the hunk's header"
            reading.problems.append(_bad(hunk.row, detail, "Write the hunk's lines.", path))
        elif all(tag == " " for tag, _ in hunk.tagged):
            reading.notes.append(Note("the hunk changes nothing", path, hunk.row + 1))
        else:
            _check_claims(hunk, path, reading)
            hunks.append(_hunk(hunk, path, reading))
    return hunks


def _check_claims(hunk: RawHunk, path: str, reading: Reading) -> None:
    """Tell of wrong counts, and of line ends that differ among the lines."""
    if reading.crs:
        rows = zip(hunk.tagged, hunk.rows, strict=True)
        changed = changed_end(((*line, row in reading.crs) for line, row in rows), path, hunk.row + 1)
        reading.problems.extend([changed] if changed else ())
        if len({row in reading.crs for row in hunk.rows}) > 1 and hunk.row not in reading.crs:
            text = "some lines of the hunk end in CR; lines that stay or are replaced keep the file's line ends"
            reading.notes.append(Note(text, path, hunk.row + 1))
    if hunk.numbers is not None and hunk.counts != hunk.numbers[1:]:
        claimed, there = (f"{old} old and {new} new lines" for old, new in (hunk.numbers[1:], hunk.counts))
        reading.notes.append(Note(f"the hunk's header counts {claimed}; there are {there}", path, hunk.row + 1))


def _hunk(hunk: RawHunk, path: str, reading: Reading) -> Hunk:
    tagged = _without_bom(hunk, path, reading)
    final = {"-": "made", "+": "lost"}.get(hunk.bare, "")
    line, last = _lines_claimed(hunk)
    where = Where(line, last, at_end=bool(hunk.bare) or hunk.cut, final=final, heading=hunk.heading)
    texts = dict(zip(hunk.rows, hunk.tagged, strict=True)) if hunk.naked else {}
    advice = "Begin every line of a hunk that stays with one space more than it has in the file."
    doubts = [
        _bad(row, f"`{texts[row][1].strip()[:60]}` begins with neither a space nor `-` nor `+`", advice, path)
        for row in hunk.naked
    ]
    if hunk.cut:
        detail = "the diff is cut off: its last hunk has fewer lines than it says, and the file goes on behind them"
        doubts.append(Problem("truncated", detail, path, hunk.row + 1))
    return Hunk(tagged, where, TOLERANT, hunk.row + 1, tuple(doubts))


def _lines_claimed(hunk: RawHunk) -> tuple[int, int]:
    """The old lines that the header names. Without old lines only a count of none makes the number a place."""
    if hunk.numbers is None:
        return 0, 0
    line, said_old, _ = hunk.numbers
    old, _ = hunk.counts
    if old:
        return (line, line + old - 1) if line else (0, 0)
    return (line + 1, line) if said_old == 0 else (0, 0)


def _without_bom(hunk: RawHunk, path: str, reading: Reading) -> tuple[tuple[str, str], ...]:
    """The lines without the byte order mark that a file's first line may be shown with; the file keeps its own."""
    marked = {tag for tag, text in hunk.tagged if text[:1] == BOM}
    if not marked or (hunk.numbers is not None and hunk.numbers.line > 1):
        return hunk.tagged
    if len(marked) == 1 and marked != {" "}:
        reading.notes.append(Note("the byte order mark of the file stays as it is", path, hunk.row + 1))
    return tuple((tag, text.removeprefix(BOM)) for tag, text in hunk.tagged)


def _bad(row: int, detail: str, advice: str, path: str = "") -> Problem:
    return Problem("bad_patch", detail, path, row + 1, advice=advice)


# ── which file ───────────────────────────────────────────────────────────────────────────────────


def _target(section: Section, reading: Reading) -> Target:
    """The file that a section means; Refused where its names don't tell."""
    old, new = clean(section.old or ""), clean(section.new or "")
    marks = section.marks
    if "copy from" in marks or "copy to" in marks:
        detail = f"{clean(marks.get('copy to', ''))} would be a copy of {clean(marks.get('copy from', ''))}"
        advice = "Copies are not made; write the new file with all its lines, as a diff against /dev/null."
        raise Refused(_bad(section.row, detail, advice))
    if "rename from" in marks or "rename to" in marks:
        return _renamed(section)
    if old == NOWHERE == new:
        raise Refused(_bad(section.row, "both names are /dev/null", "Name the file that is made or deleted."))
    if old == NOWHERE or "new file mode" in marks or _epoch_side(section) == "old":
        return _one_sided("create", old, new, section, reading)
    if new == NOWHERE or "deleted file mode" in marks or _epoch_side(section) == "new":
        return _one_sided("delete", old, new, section, reading)
    return _two_sided(old, new, section, reading)


def _epoch_side(section: Section) -> str:
    """The side that the time stamps and the numbers say isn't there."""
    numbers = section.hunks[0].numbers if len(section.hunks) == 1 else None
    if numbers is None:
        return ""
    if section.old is not None and numbers.old == 0 == numbers.line and _is_epoch(section.old):
        return "old"
    return "new" if section.new is not None and numbers.new == 0 and _is_epoch(section.new) else ""


def _renamed(section: Section) -> Target:
    old, new = (clean(section.marks.get(word, "")) for word in ("rename from", "rename to"))
    if not old or not new:
        advice = "Write both lines, `rename from OLD` and `rename to NEW`."
        raise Refused(_bad(section.row, "a renaming names only one file", advice))
    if (old, new) == _git_names(section) and old.startswith("a/") and new.startswith("b/"):
        old, new = old[2:], new[2:]
    return Target("edit", old, new if new != old else "")


def _one_sided(sort: str, old: str, new: str, section: Section, reading: Reading) -> Target:
    """The file that is made or deleted: what both names say, or the one of its side; git's line has to agree."""
    git = agreed(*_git_names(section))
    both = agreed(old, new) if old and new and NOWHERE not in (old, new) else ""
    prefix, own, other = ("b/", new, old) if sort == "create" else ("a/", old, new)
    name = both or (own if own not in ("", NOWHERE) else other.removeprefix(NOWHERE))
    if git and name in ("", git, "a/" + git, "b/" + git):
        return Target(sort, git)
    if not both and not git and reading.prefixed and name.startswith(prefix) and len(name) > 2:
        name = name[2:]
    if git or not name:
        raise Refused(_disagreement(section, git, name))
    return Target(sort, name)


def _two_sided(old: str, new: str, section: Section, reading: Reading) -> Target:
    """The file that is edited: what both names say, or the only one; git's line has to agree."""
    git = agreed(*_git_names(section))
    if not old and not new:
        if git:
            return Target("edit", git)
        raise Refused(_disagreement(section, git, ""))
    if old and new:
        name = agreed(old, new)
    else:
        name, prefix = (new, "b/") if new else (old, "a/")
        name = name[2:] if name.startswith(prefix) and len(name) > 2 else name
    if git and name != git and not (git in (old, new) and name):
        raise Refused(_disagreement(section, git, name or new))
    if not name:
        name = new[2:] if old.startswith("a/") and new.startswith("b/") else new
        text = f"the names {old} and {new} differ; the second is taken. A renaming needs `rename from` and `rename to`"
        reading.notes.append(Note(text, name, section.row + 1))
    return Target("edit", git or name)


def _disagreement(section: Section, git: str, name: str) -> Problem:
    if not git or not name:
        advice = "Name the file in lines `--- a/PATH` and `+++ b/PATH`."
        return _bad(section.row, "the file's name can't be read", advice)
    detail = f"`diff --git` names {git}, but the lines below name {name}"
    return _bad(section.row, detail, "Name one file in all header lines.", git)


def _are_prefixed(sections: list[Section]) -> bool:
    """Whether names in this document begin with `a/` and `b/`: if any pair shows it, or none shows otherwise."""
    shown = []
    for section in sections:
        old, new = clean(section.old or ""), clean(section.new or "")
        if old and new and NOWHERE not in (old, new):
            shown.append(old.startswith("a/") and new == "b/" + old[2:])
    return any(shown) or not shown


def _mode(section: Section) -> int:
    """The permissions that are asked for, 0 where they stay; what is no regular file is Refused by its name."""
    asked = 0
    for word in ("index", "old mode", "deleted file mode", "new mode", "new file mode"):
        mark = section.marks.get(word)
        if mark is None or (word == "index" and " " not in mark):
            continue
        mode = mark.rpartition(" ")[2] if word == "index" else mark
        if mode in _NO_FILES:
            advice = "Only regular files are edited; make or change it by hand."
            raise Refused(_bad(section.row, f"the section is about {_NO_FILES[mode]} (mode {mode})", advice))
        if mode not in _MODES:
            advice = "The modes of files are 100644 and 100755."
            raise Refused(_bad(section.row, f"`{word} {mode[:40]}` is no mode of a file", advice))
        if word in ("new mode", "new file mode"):
            asked = _MODES[mode]
    return asked


# ── names in header lines ────────────────────────────────────────────────────────────────────────

# The first part of a name, on the old and on the new side, that tools and people write for "before" and "after".
_OLD_SIDES = ("a", "c", "i", "o", "1", "old", "orig", "original", "before", "left")
_NEW_SIDES = ("b", "i", "w", "2", "new", "modified", "after", "patched", "updated", "edited", "fixed", "right")
_COPIES = (".orig", ".original", ".old", ".bak", ".new", ".modified", "~")
_STAMP = r"[ \t][0-9]{4}-[0-9]{2}-[0-9]{2}[ T][0-9]{2}:[0-9]{2}.*"
_REMARK = r" \((?:revision [0-9]+|working copy|nonexistent|original|modified|updated|old|new|before|after)\)$"
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
    if name.endswith(")"):
        name = re.sub(_REMARK, "", name)
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


def _is_epoch(said: str) -> bool:
    """Whether the time stamp of a header line is the one that `diff -N` gives a file that isn't there."""
    return re.search(r"[ \t](?:1970-01-01|1969-12-31)[ T]", said) is not None


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
