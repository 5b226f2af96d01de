"""Reads unified diffs as programs and models write them: wrong counts, no numbers, context without its space.

    diff     = { section | hunk }                     a hunk alone is for the file of its fence, or for the one before
    section  = [ "diff --git a/OLD b/NEW" { mark } ] [ "--- OLD" ] [ "+++ NEW" ] { hunk }
    mark     = "old mode …" | "new file mode …" | "rename from …" | "index …" | …
    hunk     = [ "@@" [ " -LINE,COUNT +LINE,COUNT " ] "@@" [ heading ] ] { line }
    line     = " kept" | "-removed" | "+added" | "\\ No newline at end of file"

A hunk ends at the first line that can't be part of it, whatever its header counts. A line without a sign is context
that lost its space: in a fence always, elsewhere as long as the header counts more lines. Fences and prose around
sections are skipped. Looks for no place in any file.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from ...answer.fences import Region, contents, fence_of, run_end
from ...answer.labels import path_in, path_in_title, path_on
from ...model import NO_CLAIMS, TOLERANT, Delete, Edit, Hunk, Move, Note, Op, Patch, Write
from ...paths import check_new_name
from ...problems import Problem, Refused, bad, no_file
from ...text import BOM, patch_lines, pattern, shared_indent
from ..signed_lines import NO_NEWLINE, SIGNS, changed_end, changes_text, hunk_of, rows_with_cr
from .names import NOWHERE, common_path, has_no_file, name_in, names_in_git_line

if TYPE_CHECKING:
    from collections.abc import Iterator

_NAME = "unified"
_MARKS = (
    "index ", "old mode ", "new mode ", "deleted file mode ", "new file mode ", "rename from ", "rename to ",
    "copy from ", "copy to ", "similarity index ", "dissimilarity index ",
)  # fmt: skip
_SECOND_LINES = {"--- ": ("+++ ", "@@"), "+++ ": ("@@",), "diff": ("--- ", "index "), "Inde": ("=====", "--- ")}
_BORDERS = ("@@", "diff ", "Index: ", "Binary files ", "GIT binary patch")  # no line of a hunk begins so
_BLOCK_LINES = (*_MARKS, *_BORDERS, "\\", "=====")
_NUMBERS = r"@@ {0,3}-([0-9]{1,9})(?:,([0-9]{1,9}))?[ ,]{1,3}\+[0-9]{1,9}(?:,([0-9]{1,9}))?(?![0-9,])"
_MODES = {"100644": 0o644, "100664": 0o644, "100755": 0o755, "100775": 0o755}
_NOT_FILES = {"120000": "a symbolic link", "160000": "a submodule"}
_ASK = "Write a unified diff: `--- a/PATH`, `+++ b/PATH`, then hunks that begin with `@@`."
_BY_HAND = "Leave the binary file out, and copy it by hand."
_UNREADABLE = {
    "GIT binary patch": ("binary patches can't be applied", _BY_HAND),
    "Binary files ": ("binary patches can't be applied", _BY_HAND),
    "@@@": ("this is the combined diff of a merge", "Write a diff against one version: `git diff HEAD^`."),
    "***************": ("this is a context diff", _ASK),
}


class RawHunk(NamedTuple):
    """A hunk, the rows of its lines (`start` to `end`), and how many of each side its header counts.

    `claimed` is None without numbers.
    """

    hunk: Hunk
    start: int
    end: int
    claimed: tuple[int, int] | None

    @property
    def counts(self) -> tuple[int, int]:
        """How many lines each side really has."""
        signs = [line[0] for line in self.hunk.signed]
        return len(signs) - signs.count("+"), len(signs) - signs.count("-")


class Section(NamedTuple):
    """The part of a diff that is about one file, from a row on, up to another.

    `old`, `new`: the names on `---` and `+++`, "/dev/null" for a file that doesn't exist; both are "" for a hunk alone.
    `git`: the names after `diff --git`. `marks`: git's lines below that, by their words. `is_stamped_new`: the time
    stamp of the old file says that there was none.
    """

    row: int
    end: int
    hunks: tuple[RawHunk, ...] = ()
    old: str = ""
    new: str = ""
    git: tuple[str, str] = ("", "")
    marks: dict[str, str] = {}  # noqa: RUF012
    problem: Problem | None = None
    is_stamped_new: bool = False

    @property
    def is_nameless(self) -> bool:
        """True for hunks alone."""
        return not (self.old or self.new or any(self.git) or self.problem)

    @property
    def is_new(self) -> bool:
        """True if the file doesn't exist yet; one that has lines does, whatever the name says."""
        is_said = self.old == NOWHERE or "new file mode" in self.marks
        return is_said and not any(raw.hunk.old.strip() for raw in self.hunks)


def parse(text: str, file: str = "") -> Patch:
    """Read the diffs in a text. `file`: the path of hunks that name none."""
    reading = Reading(text, file)
    reading.read()
    return Patch(_NAME, tuple(reading.ops), "", tuple(reading.problems), tuple(reading.notes))


def sniff(text: str) -> int:
    """Rate from 0 to 100 how much a text looks like a diff: more if it names files than if it has only hunks."""
    if "*** Begin Patch" in text or "*** Update File:" in text:
        return 0  # its hunks look like those of a diff
    lines = patch_lines(text)
    best = 0
    for row, line in enumerate(lines):
        bare = line.lstrip(" \t")
        if bare.startswith(("---", "+++ ", "@@", "diff ", "Index: ")) and opens(lines, row):
            if not bare.startswith("@@"):
                return 95
            best = max(best, 45)
        elif line.startswith(tuple(_UNREADABLE)):
            best = 60
        elif bare.startswith(("```diff", "```patch")):
            best = max(best, 40)
    return best


def opens(lines: list[str], row: int) -> bool:
    """Return True if a diff begins at a row, by that line and the next one that isn't blank."""
    bare = lines[row].lstrip(" \t")
    below = next((line.lstrip(" \t") for line in lines[row + 1 : row + 3] if line.strip()), "")
    if bare.startswith("@@"):
        return _is_hunk_header(bare, below)
    return bare.startswith("diff --git ") or below.startswith(_SECOND_LINES.get(bare[:4], "\0"))


def block_end(lines: list[str], row: int, limit: int, fenced: bool) -> int:
    """Return the row after the diff that begins at a row, without blank lines at its end."""
    if fenced:
        return limit
    return run_end(lines, row, lambda line: not line.strip() or line.startswith(_BLOCK_LINES), SIGNS)


class Reading:
    """Collects the operations, problems and notes of the sections in a text."""

    def __init__(self, text: str, file: str) -> None:
        self.lines = patch_lines(text.removesuffix("\n"))
        self.crs = rows_with_cr(text)
        self.file = self.owner = file  # of hunks that name no file
        self.ops: list[Op] = []
        self.problems: list[Problem] = []
        self.notes: list[Note] = []

    def read(self) -> None:
        """Read all sections."""
        sections = list(_sections(self.lines))
        for section, _ in sections:
            self._add(section)
        if not sections:
            self.problems.append(bad(1, "there is no diff", _ASK))
        elif _is_cut(*sections[-1]):
            section, _ = sections[-1]
            line = section.hunks[-1].hunk.patch_line if section.hunks else section.row + 1
            detail = "the diff ends before its last hunk is complete"
            advice = "Send the rest of it; if this is all, correct the counts or put it in a closed fence."
            hint = "Copy the whole answer; if this is all, correct the counts or put it in a closed fence."
            self.problems.append(Problem("truncated", detail, patch_line=line, advice=advice, hint=hint))
        self.ops = _in_order(self.ops)

    def _add(self, section: Section) -> None:
        """Add the operations of a section, or the reason why it has none."""
        line = section.row + 1
        if section.is_nameless and self.owner:
            if self.owner != self.file:
                self.notes.append(Note(f"the hunk names no file; it belongs to {self.owner}", self.owner, line))
            section = section._replace(old=self.owner, new=self.owner)
        self.owner = ""
        if section.is_nameless:
            advice = "Write `--- a/PATH` and `+++ b/PATH` above the first hunk of each file."
            self.problems.append(no_file(line, "the hunk names no file", advice))
        elif section.problem is not None:
            self.problems.append(section.problem)
        else:
            try:
                self.ops += self._operations(section)
            except Refused as refused:
                self.problems += [
                    problem._replace(patch_line=problem.patch_line or line) for problem in refused.problems
                ]

    def _operations(self, section: Section) -> list[Op]:
        """Return what a section does; raise Refused if that can't be told."""
        marks, line = section.marks, section.row + 1
        mode = _mode(section) if marks else 0
        path, to, other = _paths(section)
        if section.is_new:
            if section.is_stamped_new:
                check_new_name(path)  # a program wrote the name, so a backslash is a part of it
            return [self._create(section, path, mode)._replace(must_be_new=section.is_stamped_new)]
        if section.new == NOWHERE or "deleted file mode" in marks:
            return [_delete(section, path)]
        if other:
            text = f"the names {other} and {path} differ; to rename a file, write `rename from` and `rename to`"
            self.notes.append(Note(text, path, line))
        ops: list[Op] = []
        hunks = self._hunks(section, path)
        if "copy to" in marks:
            ops.append(Move(path, to, patch_line=line, label="copy", is_copy=True))
            path, to = to, ""
        if hunks or mode:
            # `@@ -0,0 +1,3 @@` and only added lines: if there is no such file, this is all of it.
            is_all = len(hunks) == 1 and hunks[0].claims[:2] == (1, 0)
            whole = self._create(section, path, mode) if is_all else None
            ops.append(Edit(path, hunks, line, "edit", mode, whole, other))
        if to:
            ops.append(Move(path, to, patch_line=line))
        elif hunks:
            self.owner = path
        if not ops and not section.hunks:
            self.notes.append(Note("the section changes nothing", path, line))
        return ops

    def _create(self, section: Section, path: str, mode: int) -> Write:
        """Return the new file. A CR that the header lines don't have belongs to the text."""
        crs = frozenset[int]() if section.row in self.crs else self.crs
        rows = [row for raw in section.hunks for row in range(raw.start, raw.end)]
        kept = [row for row in rows if not self.lines[row].startswith(NO_NEWLINE)]
        text = "".join([self.lines[row][1:] + ("\r\n" if row in crs else "\n") for row in kept])
        if kept and kept != rows:
            text = text[:-1]
        return Write(path, text, False, section.row + 1, mode=mode if mode == 0o755 else 0)

    def _hunks(self, section: Section, path: str) -> tuple[Hunk, ...]:
        """Return the hunks of a section that change something; note those that don't."""
        hunks = []
        for hunk, start, end, claimed in section.hunks:
            line = hunk.patch_line
            if not changes_text(hunk):
                if hunk.signed or claimed in (None, (0, 0)):
                    self.notes.append(Note("the hunk changes nothing", path, line))
                else:
                    self.problems.append(bad(line, "there are no lines below the hunk's header", _ASK, path))
                continue
            if self.crs:
                ends = ((self.lines[row][:1], self.lines[row][1:], row in self.crs) for row in range(start, end))
                changed = changed_end(ends, path, line)
                self.problems += [changed] if changed else []
            hunks.append(hunk)
        return tuple(hunks)


def _in_order(ops: list[Op]) -> list[Op]:
    """Return the operations in an order in which each finds the files as they were before all of them.

    rename a → b, rename b → c      b goes first
    rename a → b, rename b → a      a goes to a name that no file has, until b has gone
    """
    copies = [op for op in ops if isinstance(op, Move) and op.is_copy]
    moves = {op.path: op for op in ops if isinstance(op, Move) and not op.is_copy}
    others = [op for op in ops if not isinstance(op, Move)]
    if not any(move.to in moves for move in moves.values()) or len(copies + others) + len(moves) < len(ops):
        return sorted(ops, key=lambda op: not (isinstance(op, Move) and op.is_copy))
    ordered: list[Op] = [*copies, *others]
    while moves:
        chain = [moves.popitem()[1]]
        while chain[-1].to in moves:
            chain.append(moves.pop(chain[-1].to))
        first = chain[0]
        if chain[-1].to == first.path:
            aside = f"{first.path}.renaming"
            ordered.append(first._replace(to=aside))
            chain[0] = first._replace(path=aside)
        ordered += reversed(chain)
    return ordered


# ── sections ─────────────────────────────────────────────────────────────────────────────────────


def _sections(lines: list[str]) -> Iterator[tuple[Section, Region]]:
    """Yield all sections, each with the fence that it is in, or all lines."""
    outside = Region(lines, 0, len(lines))
    _dedent(outside)
    row = 0
    while row < len(lines):
        fence = contents(lines, row) if lines[row][:1] in ("`", "~", " ", "\t") else None
        if fence is not None:
            yield from ((section, fence) for section in _in_fence(fence))
            row = fence.end + 1
        elif (section := _section(outside, row)) is not None:
            yield section, outside
            row = section.end
        else:
            row += 1


def _dedent(region: Region) -> None:
    """Take off the indentation that all lines have, as in a list."""
    if region.starts(region.start, " ", "\t") and (indent := shared_indent(region.body)):
        region.lines[region.start : region.end] = [line.removeprefix(indent) for line in region.body]


def _in_fence(fence: Region) -> list[Section]:
    """Return the sections in a fence."""
    _dedent(fence)
    row = fence.start
    sections = []
    while row < fence.end:
        section = _section(fence, row)
        row = section.end if section is not None else row + 1
        sections += [section] if section is not None else []
    sections = sections or _bare_hunk(fence)
    if not any(section.is_nameless for section in sections):
        return sections
    path = _path_of_fence(fence)
    return [section._replace(old=path, new=path) if section.is_nameless else section for section in sections]


def _path_of_fence(fence: Region) -> str:
    """Return the path in a fence's title, or on the line above it; "" if there is none, or more than one."""
    opener = fence_of(fence.lines[fence.start - 1])
    title = path_in_title(opener.info) if opener is not None else ""
    above = next(
        (line for line in reversed(fence.lines[max(fence.start - 3, 0) : fence.start - 1]) if line.strip()), ""
    )
    return title or path_on(above) or path_in(above)


def _bare_hunk(fence: Region) -> list[Section]:
    """Return the one hunk that a fence of a diff holds without any header.

    src/cart.py
    ```diff
    -    return 1
    +    return 2
    ```
    """
    opener = fence_of(fence.lines[fence.start - 1])
    if opener is None or opener.language not in ("diff", "patch", "udiff"):
        return []
    raw, end = _hunk_at(fence, _skip_blank_lines(fence, fence.start))
    return [Section(fence.start, end, (raw,))] if end == fence.end and changes_text(raw.hunk) else []


def _section(region: Region, row: int) -> Section | None:
    """Return the section that begins at a row; None if none does."""
    line, start = region.lines[row], row
    for sign, (detail, advice) in _UNREADABLE.items():
        if line.startswith(sign):
            end = next((at for at in range(row + 1, region.end) if region.starts(at, "diff ")), region.end)
            return Section(row, end, problem=bad(row + 1, detail, advice))
    if line.startswith("@@"):
        return _lone_hunks(region, row)
    git = ("", "")
    marks: dict[str, str] = {}
    if line.startswith("diff --git "):
        git = names_in_git_line(line[11:])
        marks, row = _marks(region, row + 1)
    elif not _names_file(region, row):
        return None
    old = new = ""
    is_stamped_new = False
    if region.starts(row, "--- "):
        is_stamped_new = has_no_file(region.lines[row])
        old, row = name_in(region.lines[row][4:]), row + 1
    if region.starts(row, "+++ "):
        new, row = name_in(region.lines[row][4:]), row + 1
    hunks, end = _hunks_from(region, row, bool(old or new))
    return Section(start, end, hunks, old, new, git, marks, None, is_stamped_new)


def _lone_hunks(region: Region, row: int) -> Section | None:
    """Return the hunks from a row on that no names are above; None if there is none."""
    line, below = region.lines[row], region.lines[row + 1] if row + 1 < region.end else ""
    if not _is_hunk_header(line, below):
        # In a fence, context may be the first line below `@@` or `@@ def f():`, and a change must follow.
        may_be_header = region.fenced and line[2:3] in ("", " ")
        if not may_be_header or not changes_text(_hunk_at(region, row)[0].hunk):
            return None
    hunks, end = _hunks_from(region, row, False)
    return Section(row, end, hunks)


def _marks(region: Region, row: int) -> tuple[dict[str, str], int]:
    """Return git's lines from a row on, by their words, and the row after them."""
    marks: dict[str, str] = {}
    while region.starts(row, *_MARKS):
        line = region.lines[row]
        mark = next(filter(line.startswith, _MARKS))
        marks.setdefault(mark.rstrip(), line[len(mark) :].strip())
        row += 1
    return marks, row


def _names_file(region: Region, row: int) -> bool:
    """Return True if lines `---` or `+++` at a row name a file, instead of being removed and added lines of a hunk."""
    if region.starts(row, "+++ "):
        return region.starts(row + 1, "@@")
    if not region.starts(row, "--- ") or not region.starts(row + 1, "+++ ", "@@"):
        return False
    if region.starts(row + 1, "@@") or region.starts(row + 2, "@@"):
        return True
    old, new = name_in(region.lines[row][4:]), name_in(region.lines[row + 1][4:])
    return NOWHERE in (old, new) or common_path(old, new) != ""


def _hunks_from(region: Region, row: int, is_named: bool) -> tuple[tuple[RawHunk, ...], int]:
    """Return the hunks from a row on, and the row after them. Below the file's names, the first may lack its header."""
    hunks: list[RawHunk] = []
    while (start := _skip_blank_lines(region, row)) < region.end:
        is_headed = region.starts(start, "@@") and not region.starts(start, "@@@")
        if not is_headed and (hunks or not is_named or not region.starts(start, *SIGNS) or _names_file(region, start)):
            break
        hunk, row = _hunk_at(region, start)
        hunks.append(hunk)
    return tuple(hunks), row


def _skip_blank_lines(region: Region, row: int) -> int:
    while row < region.end and not region.lines[row].strip():
        row += 1
    return row


def _is_cut(section: Section, region: Region) -> bool:
    """Return True if a text ends before its last hunk does: in a fence that never closes, or shorter than it says."""
    if any(map(str.strip, region.lines[section.end :])):
        return False
    last = section.hunks[-1] if section.hunks else None
    if last is None or last.claimed is None:
        return not region.closed and not section.marks
    old, new = (claimed - count for claimed, count in zip(last.claimed, last.counts, strict=True))
    if not last.hunk.signed or max(old, new) <= 0:
        return False
    if not region.closed or not changes_text(last.hunk):
        return True
    # Models often count wrong. If as many lines are missing on both sides, only context is, and nothing is lost.
    sign = last.hunk.signed[-1][0]
    return old != new and ((new > 0 and sign != " ") or (old > 0 and sign == "-"))


# ── one hunk ─────────────────────────────────────────────────────────────────────────────────────


def _is_hunk_header(line: str, below: str) -> bool:
    """Return True for `@@ -1,2 +1,2 @@`, and for `@@` or `@@ def f(): @@` above a changed line."""
    if line.startswith("@@ -") and line[4:5].isdigit():
        return True
    is_header = line.rstrip() == "@@" or (line.startswith("@@ ") and line.rstrip().endswith("@@"))
    return is_header and below[:1] in ("+", "-") and not below.startswith(("--- ", "+++ "))


def _hunk_at(region: Region, row: int) -> tuple[RawHunk, int]:
    """Return the hunk whose header, or first line if it has none, is at a row, and the row after it."""
    header = region.lines[row]
    line, claimed, heading, start = 0, None, "", row
    if header.startswith("@@"):
        start += 1
        match = pattern(_NUMBERS).match(header)
        if match is not None:
            line, claimed = int(match[1]), (int(match[2] or 1), int(match[3] or 1))
            heading = header[match.end() :].partition("@@")[2].strip()
    used, end = _end_of_hunk(region, start, claimed or (0, 0))
    lines = region.lines[start:used]
    if line <= 1:
        # A file's first line may be shown with its byte order mark; the file keeps its own.
        lines = [text.replace(BOM, "", 1) for text in lines]
    hunk = hunk_of(lines, start + 1, TOLERANT, NO_CLAIMS, row + 1)
    claims = hunk.claims._replace(headers=(heading,) if heading else ())
    if line and hunk.old:
        claims = claims._replace(line=line, last=line + hunk.old.count("\n") - 1)
    elif not hunk.old and claimed is not None and not claimed[0]:
        # Without old lines only a count of none makes the number a place: the gap below that line.
        claims = claims._replace(line=line + 1, last=line)
    return RawHunk(hunk._replace(claims=claims), start, used, claimed), end


def _end_of_hunk(region: Region, row: int, claimed: tuple[int, int]) -> tuple[int, int]:
    """Return the row after the last line of a hunk that is used, and the row after its last line.

    If the header's counts are right but for context at the end, this context isn't used; otherwise blank lines there
    aren't.
    """
    start, counted = row, -1
    old, new = claimed
    while row < region.end:
        line = region.lines[row]
        sign = line[:1]
        if line.startswith("--") and (_names_file(region, row) or _ends_mail(region, row)):
            break
        if not line.startswith(NO_NEWLINE):
            if sign and sign not in SIGNS and not _may_be_context(region, row, old > 0 or new > 0):
                break
            old -= sign != "+"
            new -= sign != "-"
        row += 1
        if old == new == 0:
            counted = row
        elif sign in ("+", "-"):
            counted = -1
    used = row
    while used > start and not region.lines[used - 1]:
        used -= 1
    return counted if counted > start else used, row


def _may_be_context(region: Region, row: int, is_counted: bool) -> bool:
    """Return True if a line without a sign may be context; `is_counted`: the header counts more lines."""
    return (region.fenced or is_counted) and not region.starts(row, *_BORDERS, "```")


def _ends_mail(region: Region, row: int) -> bool:
    """Return True for the `-- ` above the version of git, which end its mails."""
    is_dashes = region.lines[row].rstrip() == "--" and row + 1 < region.end
    return is_dashes and re.match(r"[0-9]+\.[0-9]", region.lines[row + 1]) is not None


# ── what a section does ──────────────────────────────────────────────────────────────────────────


def _paths(section: Section) -> tuple[str, str, str]:
    """Return the path of a section's file, its new path if it moves, and another that it may have.

    The last two are mostly "". Raise Refused if the names contradict each other, or there is none.
    """
    for word in ("copy", "rename"):
        if f"{word} from" in section.marks or f"{word} to" in section.marks:
            return *_renamed(section, word), ""
    old, new, git = section.old, section.new, common_path(*section.git)
    if old != new:
        old, new = old.removeprefix("a/"), new.removeprefix("b/")
    names = [name for name in (old, new) if name not in ("", NOWHERE)]
    if git and all(git in (name, f"a/{name}", f"b/{name}", name[2:]) for name in names):
        return git, "", ""
    if git or not names:
        detail = f"`diff --git` names {git}, but the lines below name {names[-1]}" if git else "no file is named"
        advice = "Name one file in all header lines: `--- a/PATH`, `+++ b/PATH`."
        raise Refused(bad(section.row + 1, detail, advice, git))
    return names[-1], "", names[0] if names[0] != names[-1] else ""


def _renamed(section: Section, word: str) -> tuple[str, str]:
    """Return the old and the new name of a file that is renamed or copied according to git's marks."""
    old, new = (name_in(section.marks.get(f"{word} {side}", "")) for side in ("from", "to"))
    if not old or not new:
        advice = f"Write both lines, `{word} from OLD` and `{word} to NEW`."
        raise Refused(bad(section.row + 1, f"`{word}` names only one file", advice))
    if (old, new) == section.git and old.startswith("a/") and new.startswith("b/"):
        old, new = old[2:], new[2:]
    return old, new if new != old else ""


def _mode(section: Section) -> int:
    """Return the permissions that are asked for, 0 if they stay. Raise Refused for what isn't a regular file."""
    asked = 0
    for word in ("index", "old mode", "deleted file mode", "new mode", "new file mode"):
        mark = section.marks.get(word, "")
        mode = mark.partition(" ")[2] if word == "index" else mark
        if mode and mode not in _MODES:
            what = _NOT_FILES.get(mode, "not a regular file")
            advice = "Only regular files of mode 100644 or 100755 can be edited; change others by hand."
            raise Refused(bad(section.row + 1, f"`{word} {mode[:40]}` is {what}", advice))
        if mode and word.startswith("new "):
            asked = _MODES[mode]
    return asked


def _delete(section: Section, path: str) -> Delete:
    """Return the deletion of a file, with the lines that it must have."""
    hunks = [raw.hunk for raw in section.hunks]
    if any(hunk.new.strip() for hunk in hunks):
        detail = f"lines would be added to {path}, or kept in it, and it is deleted"
        raise Refused(bad(section.row + 1, detail, "Leave them out, or name the file instead of /dev/null.", path))
    old = tuple([line for hunk in hunks for line in hunk.old_lines])
    return Delete(
        path, section.row + 1, old=old, whole=bool(old), no_final_newline=any(hunk.claims.at_end for hunk in hunks)
    )
