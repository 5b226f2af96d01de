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
from ...model import NO_CLAIMS, TOLERANT, Delete, Edit, Hunk, Move, Op, Patch, Write
from ...paths import check_new_name
from ...problems import Problem, Refused, bad, no_file
from ...text import BOM, patch_lines, shared_indent
from ..findings import Findings
from ..signed_lines import NO_NEWLINE, SIGNS, changed_end, changes_text, hunk_of, rows_with_cr
from .names import NOWHERE, common_path, has_no_file, name_in, names_in_git_line

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_MARKS = (
    "index ", "old mode ", "new mode ", "deleted file mode ", "new file mode ", "rename from ", "rename to ",
    "copy from ", "copy to ", "similarity index ", "dissimilarity index ",
)  # fmt: skip
_SECOND_LINES = {"--- ": ("+++ ", "@@"), "+++ ": ("@@",), "diff": ("--- ", "index "), "Inde": ("=====", "--- ")}
_BORDERS = ("@@", "diff ", "Index: ", "Binary files ", "GIT binary patch")  # no line of a hunk begins so
_BLOCK_LINES = (*_MARKS, *_BORDERS, "\\", "=====")
_NUMBERS = re.compile(r"@@ {0,3}-([0-9]{1,9})(?:,([0-9]{1,9}))?[ ,]{1,3}\+[0-9]{1,9}(?:,([0-9]{1,9}))?(?![0-9,])")
_MODES = {"100644": 0o644, "100664": 0o644, "100755": 0o755, "100775": 0o755}
_NOT_FILES = {"120000": "a symbolic link", "160000": "a submodule"}
_ASK = "Write a unified diff: `--- a/PATH`, `+++ b/PATH`, then hunks that begin with `@@`."
_SIGNED = frozenset(("", " ", "+"))  # signs of lines that are part of a hunk, whatever follows
_FIRST_SIGNS = frozenset("-+@d")  # what a line that begins a section begins with
_UNREADABLE_SIGNS = frozenset("GB@*")
_BY_HAND = "Leave the binary file out, and copy it by hand."
_UNREADABLE = {
    "GIT binary patch": ("binary patches can't be applied", _BY_HAND),
    "Binary files ": ("binary patches can't be applied", _BY_HAND),
    "@@@": ("this is the combined diff of a merge", "Write a diff against one version: `git diff HEAD^`."),
    "***************": ("this is a context diff", _ASK),
}


class DiffHunk(NamedTuple):
    """A hunk, the rows of its lines (`start` to `end`), and how many of each side its header counts, if it does."""

    hunk: Hunk
    start: int
    end: int
    claimed: tuple[int, int] | None


class Section(NamedTuple):
    """The part of a diff that is about one file: the rows from `row` to `end` of a fence, or of the text.

    `old`, `new`: the names on `---` and `+++`, "/dev/null" for a file that doesn't exist; both are "" for a hunk alone.
    `git`: the names after `diff --git`. `marks`: git's lines below that, by their words. `is_stamped_new`: the time
    stamp of the old file says that there was none.
    """

    region: Region
    row: int
    end: int
    hunks: list[DiffHunk]
    old: str = ""
    new: str = ""
    git: tuple[str, str] = ("", "")
    marks: Mapping[str, str] = {}
    is_stamped_new: bool = False

    @property
    def is_nameless(self) -> bool:
        """True for hunks alone."""
        return not (self.old or self.new or any(self.git))


def parse(text: str, file: str = "") -> Patch:
    """Read the diffs in a text. `file`: the path of hunks that name none."""
    findings = Findings()
    crs = rows_with_cr(text) if "\r" in text else frozenset()
    lines = patch_lines(text.removesuffix("\n"))
    sections = list(_sections(Region(lines, 0, len(lines)), findings))
    ops: list[Op] = []
    owner = file  # of hunks that name no file
    for section in sections:
        line = section.row + 1
        if section.is_nameless and owner:
            section = section._replace(old=owner, new=owner)  # noqa: PLW2901
            if owner != file:
                findings.note(line, f"the hunk names no file; it belongs to {owner}", owner)
        try:
            added = _operations(section, crs, findings)
        except Refused as refused:
            added = []
            findings.problems += [
                problem._replace(patch_line=problem.patch_line or line) for problem in refused.problems
            ]
        ops += added
        last = added[-1] if added else None
        owner = last.path if isinstance(last, Edit) and last.hunks else ""
    _check_end(sections, findings)
    return findings.patch("unified", _in_order(ops) if len(ops) > 1 else ops)


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
    return limit if fenced else run_end(lines, row, lambda line: not line or line.startswith(_BLOCK_LINES), SIGNS)


# ── what a section does ──────────────────────────────────────────────────────────────────────────


def _operations(section: Section, crs: frozenset[int], findings: Findings) -> list[Op]:
    """Return what a section does; raise Refused if that can't be told."""
    marks, line = section.marks, section.row + 1
    if section.is_nameless:
        advice = "Write `--- a/PATH` and `+++ b/PATH` above the first hunk of each file."
        raise Refused(no_file(line, "the hunk names no file", advice))
    mode = _mode(section) if marks else 0
    path, to, other = _paths(section)
    if _is_new(section):
        if section.is_stamped_new:
            check_new_name(path)  # a program wrote the name, so a backslash is a part of it
        return [_create(section, path, mode, crs)]
    if section.new == NOWHERE or "deleted file mode" in marks:
        return [_delete(section, path)]
    if other:
        text = f"the names {other} and {path} differ; to rename a file, write `rename from` and `rename to`"
        findings.note(line, text, path)
    is_copy = "copy to" in marks
    ops = _edits(section, to if is_copy else path, mode, other, crs, findings)
    if is_copy:
        ops.insert(0, Move(path, to, patch_line=line, label="copy", is_copy=True))
    elif to:
        ops.append(Move(path, to, patch_line=line))
    elif not ops and not section.hunks:
        findings.note(line, "the section changes nothing", path)
    return ops


def _edits(section: Section, path: str, mode: int, other: str, crs: frozenset[int], findings: Findings) -> list[Op]:
    """Return the edit of a file by its hunks that change something, or of its mode; none if there is neither."""
    hunks = _changing_hunks(section, path, crs, findings)
    if not hunks and not mode:
        return []
    # `@@ -0,0 +1,3 @@` and only added lines: if there is no such file, this is all of it.
    is_all = len(hunks) == 1 and hunks[0].claims[:2] == (1, 0)
    whole = _create(section, path, mode, crs) if is_all else None
    return [Edit(path, hunks, section.row + 1, "edit", mode, whole, other)]


def _is_new(section: Section) -> bool:
    """Return True if a section creates its file. One with old lines exists, whatever the names say."""
    is_named_new = section.old == NOWHERE or "new file mode" in section.marks
    return is_named_new and not any(raw.hunk.old.strip() for raw in section.hunks)


def _create(section: Section, path: str, mode: int, crs: frozenset[int]) -> Write:
    """Return the new file. A CR that the header lines don't have belongs to the text."""
    crs = frozenset() if section.row in crs else crs
    lines = section.region.lines
    rows = [row for raw in section.hunks for row in range(raw.start, raw.end)]
    kept = [row for row in rows if not lines[row].startswith(NO_NEWLINE)]
    text = "".join([lines[row][1:] + ("\r\n" if row in crs else "\n") for row in kept])
    if kept and kept != rows:
        text = text[:-1]
    is_new = section.is_stamped_new
    return Write(path, text, False, section.row + 1, mode=mode if mode == 0o755 else 0, must_be_new=is_new)


def _changing_hunks(section: Section, path: str, crs: frozenset[int], findings: Findings) -> tuple[Hunk, ...]:
    """Return the hunks of a section that change something; note those that don't."""
    hunks = []
    for hunk, start, end, claimed in section.hunks:
        if changes_text(hunk):
            hunks.append(hunk)
        elif hunk.signed or claimed in (None, (0, 0)):
            findings.note(hunk.patch_line, "the hunk changes nothing", path)
        else:
            findings.refuse(hunk.patch_line, "there are no lines below the hunk's header", _ASK, path)
        if crs:
            tagged = [
                (line[:1], line[1:], row in crs) for row, line in enumerate(section.region.lines[start:end], start)
            ]
            changed = changed_end(tagged, path, hunk.patch_line)
            findings.problems += [changed] if changed else []
    return tuple(hunks)


def _delete(section: Section, path: str) -> Delete:
    """Return the deletion of a file, with the lines that it must have."""
    hunks = [raw.hunk for raw in section.hunks]
    if any(hunk.new.strip() for hunk in hunks):
        detail = f"lines would be added to {path}, or kept in it, and it is deleted"
        raise Refused(bad(section.row + 1, detail, "Leave them out, or name the file instead of /dev/null.", path))
    old = tuple([line for hunk in hunks for line in hunk.old_lines])
    is_unended = any(hunk.claims.at_end for hunk in hunks)
    return Delete(path, section.row + 1, old=old, whole=bool(old), no_final_newline=is_unended)


def _mode(section: Section) -> int:
    """Return the permissions that are asked for, 0 if they stay. Raise Refused for what isn't a regular file."""
    asked = 0
    for word in ("index", "old mode", "deleted file mode", "new mode", "new file mode"):
        mark = section.marks.get(word, "")
        mode = mark.partition(" ")[2] if word == "index" else mark
        if mode and mode not in _MODES:
            kind = _NOT_FILES.get(mode, "not a regular file")
            advice = "Only regular files of mode 100644 or 100755 can be edited; change others by hand."
            raise Refused(bad(section.row + 1, f"`{word} {mode[:40]}` is {kind}", advice))
        if mode and word.startswith("new "):
            asked = _MODES[mode]
    return asked


def _paths(section: Section) -> tuple[str, str, str]:
    """Return the path of a section's file, its new path if it moves, and another that it may have.

    The last two are mostly "". Raise Refused if the names contradict each other, or there is none.
    """
    word = next((mark.split(" ")[0] for mark in section.marks if mark.startswith(("copy ", "rename "))), "")
    if word:
        return *_renamed(section, word), ""
    old, new = section.old, section.new
    git = common_path(*section.git) if any(section.git) else ""
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


def _in_order(ops: list[Op]) -> list[Op]:
    """Return the operations in an order in which each finds the files as they were before all of them.

    rename a → b, rename b → c      b goes first
    rename a → b, rename b → a      a goes to a name that no file has, until b has gone
    """
    moves = [op for op in ops if isinstance(op, Move)]
    copies: list[Op] = [op for op in moves if op.is_copy]
    renames = {op.path: op for op in moves if not op.is_copy}
    others = [op for op in ops if op not in copies]
    if len(renames) + len(copies) < len(moves) or renames.keys().isdisjoint(op.to for op in renames.values()):
        return copies + others
    return [*copies, *(op for op in others if not isinstance(op, Move)), *_in_turn(renames)]


def _in_turn(renames: dict[str, Move]) -> list[Op]:
    """Return renames, by their old names, in an order in which each new name is free."""
    ordered: list[Op] = []
    while renames:
        chain = [renames.popitem()[1]]
        while chain[-1].to in renames:
            chain.append(renames.pop(chain[-1].to))
        first = chain[0]
        if chain[-1].to == first.path:
            aside = f"{first.path}.renaming"
            ordered.append(first._replace(to=aside))
            chain[0] = first._replace(path=aside)
        ordered += reversed(chain)
    return ordered


# ── sections ─────────────────────────────────────────────────────────────────────────────────────


def _sections(region: Region, findings: Findings) -> Iterator[Section]:
    """Yield the sections of a region, and those of the fences in it; add what can't be read to the findings."""
    lines, row = region.lines, region.start
    _dedent(region)
    is_empty = True
    while row < region.end:
        sign = lines[row][:1]
        fence = contents(lines, row) if sign in ("`", "~", " ", "\t") and not region.fenced else None
        section = _section(region, row) if sign in _FIRST_SIGNS else None
        if fence is not None:
            yield from _sections(fence, findings)
            row = fence.end + 1
        elif section is not None:
            yield _of_its_fence(section) if region.fenced else section
            row, is_empty = section.end, False
        elif sign in _UNREADABLE_SIGNS and (mark := next(filter(lines[row].startswith, _UNREADABLE), "")):
            findings.refuse(row + 1, *_UNREADABLE[mark])
            row = next((at for at in range(row + 1, region.end) if lines[at].startswith("diff ")), region.end)
        else:
            row += 1
    if is_empty and region.fenced and (section := _bare_hunk(region)) is not None:
        yield _of_its_fence(section)


def _dedent(region: Region) -> None:
    """Take off the indentation that all lines have, as in a list."""
    lines, start, end = region[:3]
    if start < end and lines[start][:1] in (" ", "\t") and (indent := shared_indent(region.body)):
        lines[start:end] = [line.removeprefix(indent) for line in region.body]


def _of_its_fence(section: Section) -> Section:
    """Return hunks alone as those of the file in their fence's title, or on the line above it, if that names one."""
    lines, start = section.region.lines, section.region.start
    if not section.is_nameless:
        return section
    opener = fence_of(lines[start - 1])
    title = path_in_title(opener.info) if opener is not None else ""
    above = next(filter(str.strip, reversed(lines[max(start - 3, 0) : start - 1])), "")
    path = title or path_on(above) or path_in(above)
    return section._replace(old=path, new=path)


def _bare_hunk(fence: Region) -> Section | None:
    """Return the one hunk that a fence of a diff holds without any header.

    src/cart.py
    ```diff
    -    return 1
    +    return 2
    ```
    """
    opener, row = fence_of(fence.lines[fence.start - 1]), fence.start
    if opener is None or opener.language not in ("diff", "patch", "udiff"):
        return None
    while row < fence.end and not fence.lines[row].strip():
        row += 1
    hunk, end = _hunk_at(fence, row)
    return Section(fence, fence.start, end, [hunk]) if end == fence.end and changes_text(hunk.hunk) else None


def _section(region: Region, row: int) -> Section | None:
    """Return the section that begins at a row; None if none does."""
    lines, start, line = region.lines, row, region.lines[row]
    if line.startswith("@@"):
        if not _is_hunk_header(line, "".join(lines[row + 1 : row + 2])):
            # In a fence, context may be the first line below `@@` or `@@ def f():`, and a change must follow.
            may_be_header = region.fenced and line[2:3] in ("", " ")
            if not may_be_header or not changes_text(_hunk_at(region, row)[0].hunk):
                return None
        hunks, end = _hunks_from(region, row, False)
        return Section(region, row, end, hunks)
    git, old, new = ("", ""), "", ""
    marks: dict[str, str] = {}
    if line.startswith("diff --git "):
        git, row = names_in_git_line(line[11:]), row + 1
        while region.starts(row, *_MARKS):
            mark = next(filter(lines[row].startswith, _MARKS))
            marks.setdefault(mark.rstrip(), lines[row][len(mark) :].strip())
            row += 1
    elif not _names_file(region, row):
        return None
    is_stamped_new = False
    if region.starts(row, "--- "):
        old = name_in(lines[row][4:])
        is_stamped_new = old == NOWHERE and has_no_file(lines[row])
        row += 1
    if region.starts(row, "+++ "):
        new, row = name_in(lines[row][4:]), row + 1
    hunks, end = _hunks_from(region, row, bool(old or new))
    return Section(region, start, end, hunks, old, new, git, marks, is_stamped_new)


def _names_file(region: Region, row: int) -> bool:
    """Return True if lines `---` or `+++` at a row name a file, instead of being removed and added lines of a hunk."""
    line, below, last = [*region.lines[row : min(row + 3, region.end)], "", ""][:3]
    if not line.startswith("--- "):
        return line.startswith("+++ ") and below.startswith("@@")
    if not below.startswith("+++ "):
        return below.startswith("@@")
    if last.startswith("@@"):
        return True
    old, new = name_in(line[4:]), name_in(below[4:])
    return NOWHERE in (old, new) or common_path(old, new) != ""


def _hunks_from(region: Region, row: int, is_named: bool) -> tuple[list[DiffHunk], int]:
    """Return the hunks from a row on, and the row after them. Below the file's names, the first may lack its header."""
    lines = region.lines
    hunks: list[DiffHunk] = []
    start = row
    while start < region.end:
        line = lines[start]
        if not line.strip():
            start += 1
            continue
        is_headed = line.startswith("@@") and line[2:3] != "@"
        if not is_headed and (hunks or not is_named or line[0] not in SIGNS or _names_file(region, start)):
            break
        hunk, row = _hunk_at(region, start)
        hunks.append(hunk)
        start = row
    return hunks, row


def _check_end(sections: list[Section], findings: Findings) -> None:
    """Refuse a text without a diff, or one that ends before its last hunk does."""
    if not sections:
        if not findings.problems:
            findings.refuse(1, "there is no diff", _ASK)
    elif _is_cut(sections[-1]):
        last = sections[-1]
        line = last.hunks[-1].hunk.patch_line if last.hunks else last.row + 1
        detail = "the diff ends before its last hunk is complete"
        advice = "Send the rest of it; if this is all, correct the counts or put it in a closed fence."
        hint = "Copy the whole answer; if this is all, correct the counts or put it in a closed fence."
        findings.problems.append(Problem("truncated", detail, patch_line=line, advice=advice, hint=hint))


def _is_cut(section: Section) -> bool:
    """Return True if a text ends before its last hunk does: in a fence that never closes, or shorter than it says."""
    region = section.region
    if any(map(str.strip, region.lines[section.end :])):
        return False
    last = section.hunks[-1] if section.hunks else None
    if last is None or last.claimed is None:
        return not region.closed and not section.marks
    signed = last.hunk.signed
    signs = "".join([line[0] for line in signed])
    old = last.claimed[0] - len(signs) + signs.count("+")
    new = last.claimed[1] - len(signs) + signs.count("-")
    if not signs or max(old, new) <= 0:
        return False
    if not region.closed or not changes_text(last.hunk):
        return True
    # Models often count wrong. If as many lines are missing on both sides, only context is, and nothing is lost.
    return old != new and ((new > 0 and signs[-1] != " ") or (old > 0 and signs[-1] == "-"))


# ── one hunk ─────────────────────────────────────────────────────────────────────────────────────


def _is_hunk_header(line: str, below: str) -> bool:
    """Return True for `@@ -1,2 +1,2 @@`, and for `@@` or `@@ def f(): @@` above a changed line."""
    if line.startswith("@@ -") and line[4:5].isdigit():
        return True
    is_header = line.rstrip() == "@@" or (line.startswith("@@ ") and line.rstrip().endswith("@@"))
    return is_header and below[:1] in ("+", "-") and not below.startswith(("--- ", "+++ "))


def _hunk_at(region: Region, row: int) -> tuple[DiffHunk, int]:
    """Return the hunk whose header, or first line if it has none, is at a row, and the row after it."""
    header = region.lines[row]
    line, claimed, heading = 0, None, ""
    start = row + header.startswith("@@")
    if match := _NUMBERS.match(header):
        line, claimed = int(match[1]), (int(match[2] or 1), int(match[3] or 1))
        heading = header[match.end() :].partition("@@")[2].strip()
    used, end = _end_of_hunk(region, start, claimed or (0, 0))
    lines = region.lines[start:used]
    if line <= 1 and BOM in "".join(lines):
        # A file's first line may be shown with its byte order mark; the file keeps its own.
        lines = [text.replace(BOM, "", 1) for text in lines]
    hunk = hunk_of(lines, start + 1, TOLERANT, NO_CLAIMS, row + 1)
    last = line + hunk.old.count("\n") - 1
    if not hunk.old:  # only a count of none makes the number a place: the gap below that line
        line, last = (line + 1, line) if claimed and not claimed[0] else (0, 0)
    if line or heading:
        headers = (heading,) if heading else ()
        hunk = hunk._replace(claims=hunk.claims._replace(line=line, last=last if line else 0, headers=headers))
    return DiffHunk(hunk, start, used, claimed), end


def _end_of_hunk(region: Region, row: int, claimed: tuple[int, int]) -> tuple[int, int]:
    """Return the row after the last line of a hunk that is used, and the row after its last line.

    If the header's counts are right but for context at the end, this context isn't used; otherwise blank lines there
    aren't.
    """
    lines, start, counted = region.lines, row, -1
    old, new = claimed
    while row < region.end:
        sign = lines[row][:1]
        if sign not in _SIGNED and _ends_hunk(region, row, is_counted=old > 0 or new > 0):
            break
        if not lines[row].startswith(NO_NEWLINE):
            old -= sign != "+"
            new -= sign != "-"
        row += 1
        if old == new == 0:
            counted = row
        elif sign in ("+", "-"):
            counted = -1
    used = row
    while used > start and not lines[used - 1]:
        used -= 1
    return counted if counted > start else used, row


def _ends_hunk(region: Region, row: int, *, is_counted: bool) -> bool:
    """Return True if a line can't be part of a hunk; `is_counted`: the header counts more lines."""
    line = region.lines[row]
    if line[0] == "\\":
        return False
    if line[0] == "-":
        is_mail_end = line.rstrip() == "--" and re.match(r"[0-9]+\.[0-9]", "".join(region.lines[row + 1 : row + 2]))
        return line.startswith("--") and (bool(is_mail_end) or _names_file(region, row))
    # Without a sign it may be context that lost its space.
    return not (region.fenced or is_counted) or line.startswith((*_BORDERS, "```"))
