"""Reads "*** Begin Patch" (V4A, apply_patch): enveloped, or from a directive on; in fences and here-documents too.

    patch    = [ "*** Begin Patch" ] { section } [ "*** End Patch" ]          a first line needs a last one
    section  = "*** Update File: PATH" [ "*** Move to: NEW" ] { hunk }
             | "*** Add File: PATH" { "+line" }
             | "*** Delete File: PATH" { "-line" }
    hunk     = { "@@" [ header ] } { line } [ "*** End of File" ]
    line     = " kept" | "-removed" | "+added" | "\\ No newline at end of file"

The rules are those of the specification where it isn't silent. Looks for no place in any file.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from ...answer.fences import Region, contents, run_end, unwrapped
from ...model import TOLERANT, Claims, Delete, Edit, Hunk, Move, Op, Patch, Write, join_lines
from ...problems import bad
from ...text import indent_of, patch_lines
from ..findings import Findings
from ..signed_lines import NO_NEWLINE, changed_end, changes_text, hunk_of, rows_with_cr

# Its headers say where a hunk is, and a hunk that is applied already has no place (formats/begin-patch.md).
_POLICY = TOLERANT._replace(
    levels=("exact", "trailing space", "indentation", "punctuation", "inner space", "blank lines", "comments"),
    headers_bind=True,
    no_op=False,
)
_WORDS = {
    "begin patch": "begin", "end patch": "end", "end of file": "eof", "update file": "update", "add file": "add",
    "delete file": "delete", "move to": "move", "environment id": "environment",
}  # fmt: skip
_WITHOUT_ARGUMENT = ("begin", "end", "eof")
_FILES = ("update", "add", "delete")
_DIRECTIVES = (
    "The directives are `*** Update File:`, `*** Add File:`, `*** Delete File:` and `*** Move to:`; a line of a file "
    "needs a space, `-` or `+` before it."
)
_AROUND_PATHS = " \t`'\"*"
_NUMBERS = r"-(\d{1,9})(?:,(\d{1,9}))?(?:[ \t]+\+\d+(?:,\d+)?)?[ \t]*(?:@@|$)"
_HEREDOC = r"<<-?[ \t]*\\?(['\"]?)(\w+)\1[ \t]*$"
_FOLDER = r"(?:^|[\s;&(\"'])cd[ \t]+(\"[^\"]*\"|'[^']*'|[^\s;&]+)[ \t]*(?=&&|;|$)"


class Directive(NamedTuple):
    """A line of stars: what it says ("unknown": nothing that is known) and of what."""

    word: str
    argument: str = ""


class Header(NamedTuple):
    """A line of `@@`: its text, and lines `line` to `last` of the old file (0: no numbers)."""

    text: str
    line: int = 0
    last: int = 0


class Envelope(NamedTuple):
    """The lines of one patch; `first` is the 1-based line of the answer that they begin with.

    `is_cut`: it was opened and never closed. `folder`: what the paths are relative to, "" for the root.
    """

    first: int
    lines: list[str]
    folder: str
    is_cut: bool


class Section:
    """One file's part of a patch: the directive on a line of the answer, and the lines below it.

    `word` is "" above the first directive, "unknown" below one that isn't known: lines there go no further.
    """

    __slots__ = ("line", "lines", "path", "to", "word")

    def __init__(self, word: str, path: str, line: int) -> None:
        self.word, self.path, self.line = word, path, line
        self.to = ""
        self.lines: list[str] = []


def parse(text: str) -> Patch:
    """Read the patches in an answer, as one transaction."""
    findings = Findings()
    crs = rows_with_cr(text) if "\r" in text else frozenset()
    ops: list[Op] = []
    patches = envelopes(patch_lines(text.removesuffix("\n")))
    for envelope in patches:
        line = envelope.first - 1
        if envelope.is_cut:
            detail = "the patch has no `*** End Patch`, so the end may be missing"
            advice = "Send the whole patch again and close it with `*** End Patch`; none of it was applied."
            hint = "Copy the whole answer, or ask the model for the rest of it."
            findings.problems.append(bad(line, detail, advice)._replace(hint=hint))
        elif re.search(r"[$`*]|^~", envelope.folder):
            detail = f"the paths are relative to `{envelope.folder}`, which only a shell can resolve"
            findings.refuse(line, detail, "Leave the `cd` out and write the paths relative to the root.")
        else:
            for section in _sections(envelope, findings):
                ops += _operations(section, crs, findings)
    if not ops and not findings.problems:
        detail = "the patch names no file" if patches else "there is no `*** Begin Patch`"
        findings.refuse(max(patches[0].first - 1, 1) if patches else 1, detail, _DIRECTIVES)
    return findings.patch("begin-patch", ops)


def sniff(text: str) -> int:
    """Rate from 0 to 100 how much a text looks like a "*** Begin Patch"."""
    words = [_word(line.lstrip(" \t")) for line in patch_lines(text) if "***" in line]
    if "begin" in words:
        return 95
    files = sum(word in _FILES for word in words)
    return 95 if files > 1 or (files and "end" in words) else 80 if files else 0


def opens(lines: list[str], row: int) -> bool:
    """Return True if a patch begins at a row, with its envelope or with a directive."""
    return _word(lines[row].lstrip(" \t")) in ("begin", *_FILES)


def closes(line: str) -> bool:
    """Return True if a line ends a patch."""
    return _word(line) == "end"


def block_end(lines: list[str], row: int, limit: int, fenced: bool) -> int:
    """Return the row after the patch that begins at a row: after its end mark, or where it can't go on."""
    is_enveloped = _word(lines[row].lstrip(" \t")) == "begin"
    for at in range(row + 1, len(lines) if is_enveloped else limit):
        word = _word(lines[at].lstrip(" \t"))
        if word in ("begin", "end"):
            return at + (word == "end")
    return limit if fenced else run_end(lines, row, lambda line: not line, " +-@*\\")


# ── lines that aren't text ───────────────────────────────────────────────────────────────────────


@lru_cache(maxsize=256)  # each is asked for when the patch, its end and its sections are looked for
def read_directive(line: str) -> Directive | None:
    """Return what a line that begins with stars says; None if it isn't a directive."""
    if line[:3] != "***":
        return None
    text = line[3:].strip()
    name, colon, argument = text.partition(":")
    word = _WORDS.get(" ".join(name.rstrip("* ").split()).lower(), "")
    if word and (word in _WITHOUT_ARGUMENT) == (not colon):
        return Directive(word, argument.strip(_AROUND_PATHS))
    return Directive("unknown", text) if line[3:4] in (" ", "\t") and text.strip("* \t") else None


def _word(line: str) -> str:
    mark = read_directive(line) if line[:3] == "***" else None
    return mark.word if mark is not None else ""


def read_header(line: str) -> Header:
    """Return what a line that begins with `@@` says: `@@ def f():`, `@@ -3,2 +3,4 @@ def f():`, `@@ def f(): @@`."""
    text = line[2:].strip()
    numbers = re.match(_NUMBERS, text)
    if numbers is None:
        text = text.removesuffix("@@").rstrip()
        return Header("" if text in ("...", "…") else text)
    start, count = int(numbers[1]), int(numbers[2] or 1)
    text = text[numbers.end() :].strip()
    return Header(text, start, start + count - 1) if start and count else Header(text)


# ── the patches of an answer ─────────────────────────────────────────────────────────────────────


def envelopes(lines: list[str]) -> list[Envelope]:
    """Return every patch in the answer."""
    patches: list[Envelope] = []
    region = outside = Region(lines, 0, len(lines))
    row = 0
    while row < len(lines):
        if "***" in lines[row] and opens(lines, row):
            envelope, row = _envelope(region, row)
            patches.append(envelope)
            continue
        if region is outside:
            region = contents(lines, row) or outside
        elif row >= region.end:
            region = outside
        row += 1
    return patches


def _envelope(region: Region, row: int) -> tuple[Envelope, int]:
    """Return the patch that begins at a row, and the row after it.

    Without `*** Begin Patch`, it also ends with the here-document or the fence that it is in.
    """
    lines, limit = region.lines, len(region.lines)
    is_enveloped = _word(lines[row].lstrip(" \t")) == "begin"
    heredoc = re.search(_HEREDOC, lines[row - 1]) if row and "<<" in lines[row - 1] else None
    if not is_enveloped:
        word = heredoc[2] if heredoc else None
        limit = next((at for at in range(row, region.end) if lines[at].strip() == word), region.end)
    first = row + is_enveloped
    indent = indent_of(lines[row])  # of all of the patch, or of its first line alone
    stop, is_closed = _end_mark(lines, first, limit, indent)
    if is_closed < is_enveloped or not all(line.startswith(indent) for line in lines[first:stop] if line.strip()):
        indent = ""
        stop, is_closed = _end_mark(lines, first, limit, indent)
    body = [line.removeprefix(indent) for line in lines[first:stop]]
    folder = _entered(lines, row - 1) if heredoc else ""
    is_cut = not is_closed and (is_enveloped or not region.closed)
    return Envelope(first + 1, body, folder, is_cut), stop + is_closed


def _end_mark(lines: list[str], first: int, limit: int, indent: str) -> tuple[int, bool]:
    """Return the row of the end mark, or where it must be missing: where the next patch begins, or at the limit."""
    for row in range(first, limit):
        if "***" in lines[row] and (word := _word(lines[row].removeprefix(indent))) in ("begin", "end"):
            return row, word == "end"
    return limit, False


def _entered(lines: list[str], row: int) -> str:
    """Return the folder that a shell command, and `cd` commands on lines of their own above it, enter."""
    folders = re.findall(_FOLDER, lines[row])
    while row and lines[row - 1].startswith("cd "):
        row -= 1
        folders[:0] = re.findall(_FOLDER, lines[row])
    return "/".join(folder.strip("\"'").rstrip("/") or "/" for folder in folders)


# ── what they say ────────────────────────────────────────────────────────────────────────────────


def _sections(envelope: Envelope, findings: Findings) -> list[Section]:
    """Return the sections of an envelope, each with the lines up to the next directive.

    A directive may be indented as long as there is no text above it in its section.
    """
    first, lines = _without_fence(envelope.first, envelope.lines)
    section = Section("", "", first - 1)
    sections = [section]
    has_text = False
    for number, line in enumerate(lines, first):
        bare = line if has_text else line.lstrip(" \t")
        mark = read_directive(bare) if bare[:3] == "***" else None
        if mark is None or mark.word == "eof":
            section.lines.append(line)
            has_text = has_text or line.strip() != ""
            continue
        path = mark.argument
        if envelope.folder and path[:1] != "/":
            path = f"{envelope.folder}/{path}"
        if mark.word == "move":
            section.lines.append(bare)
            _check_move(section, mark, number, findings)
            section.to = path
        elif mark.word != "environment":
            if mark.word == "unknown":
                findings.refuse(number, f"`*** {mark.argument[:60]}` is not a directive", _DIRECTIVES)
            elif not mark.argument:
                findings.refuse(number, f"`*** {mark.word.capitalize()} File:` names no file", _DIRECTIVES)
            section = Section(mark.word if mark.argument else "unknown", path, number)
            sections.append(section)
            has_text = False
    return sections


def _check_move(section: Section, mark: Directive, number: int, findings: Findings) -> None:
    if section.word != "unknown" and (section.word != "update" or section.to or not mark.argument):
        detail = "`*** Move to:` needs a path, and belongs in an `*** Update File:` section, once"
        findings.refuse(number, detail, "Write `*** Update File: PATH`, then `*** Move to: NEW`.", section.path)


def _without_fence(first: int, lines: list[str]) -> tuple[int, list[str]]:
    """Return lines, the first of which has a number, without the fence that is around all of them."""
    inner = unwrapped(lines)
    return (first, lines) if inner is None else (first + inner.start, inner.body)


def _operations(section: Section, crs: frozenset[int], findings: Findings) -> list[Op]:
    """Return what a section does."""
    if not section.word:
        _check_stray(section, findings)
    if section.word not in _FILES:
        return []
    first, lines = _without_fence(section.line + 1, section.lines)
    if section.word == "update":
        return _update(section, first, lines, crs, findings)
    text = [
        (number, line)
        for number, line in enumerate(lines, first)
        if line[:3] not in ("@@", "@@ ") and not line.startswith(NO_NEWLINE) and _word(line) != "eof"
    ]
    filled = [at for at, (_, line) in enumerate(text) if line.strip()]
    text = text[filled[0] : filled[-1] + 1] if filled else []
    if section.word == "delete":
        return _delete(section, text, findings)
    is_unended = any(line.startswith(NO_NEWLINE) for line in lines)
    return _create(section, text, is_unended, findings)


def _check_stray(section: Section, findings: Findings) -> None:
    """Refuse hunks above the first directive."""
    for number, line in enumerate(section.lines, section.line + 1):
        if line.startswith(("@@", "+", "-")):
            detail = f"`{line.strip()[:60]}` comes before the first directive, so no file is named for it"
            findings.refuse(number, detail, "Write `*** Update File: PATH` above the hunks.")
            return


def _update(section: Section, first: int, lines: list[str], crs: frozenset[int], findings: Findings) -> list[Op]:
    """Return the edit of a file by the hunks from a line on, and its move."""
    path, line = section.path, section.line
    hunks = _hunks(first, lines)
    for hunk in hunks:
        if not changes_text(hunk):
            findings.note(hunk.patch_line, "the hunk changes nothing", path)
    if crs:
        tagged = ((text[:1], text[1:], row in crs) for row, text in enumerate(lines, first - 1))
        changed = changed_end(tagged, path, line)
        findings.problems += [changed] if changed else []
    ops: list[Op] = [Edit(path, hunks, line)] if hunks else []
    if section.to and (section.to != path or not hunks):
        ops.append(Move(path, section.to, patch_line=line))
    if not hunks and not section.to:
        advice = "Write its hunks below it: `@@`, then lines that begin with a space, `-` or `+`."
        findings.refuse(line, f"`*** Update File: {path}` changes nothing", advice, path)
    return ops


def _create(section: Section, lines: list[tuple[int, str]], is_unended: bool, findings: Findings) -> list[Op]:
    """Return the new file. Empty lines among those with a `+` have lost it; if no line has one, they need none."""
    content = [line for _, line in lines]
    if any(line.startswith("+") for line in content):
        number, line = next(((at, line) for at, line in lines if line.strip() and line[0] != "+"), (0, ""))
        if number:
            detail = f"`{line.strip()[:60]}` has no `+` before it, but other lines of the new file do"
            findings.refuse(number, detail, "Begin every line of a new file with `+`.", section.path)
            return []
        content = [line[1:] for line in content]
    elif content:
        note = "no line of the new file begins with `+`; they were taken as they are"
        findings.note(section.line, note, section.path)
    text = join_lines(content)
    return [Write(section.path, text[:-1] if is_unended else text, patch_line=section.line)]


def _delete(section: Section, lines: list[tuple[int, str]], findings: Findings) -> list[Op]:
    """Return the deletion of a file; lines below it must be in the file."""
    lines = [(number, line) for number, line in lines if line.strip()]
    number, line = next(((at, line) for at, line in lines if line[0] == "+"), (0, ""))
    if number:
        detail = f"`{line.strip()[:60]}` would be added to {section.path}, which is deleted"
        advice = "Write `*** Delete File: PATH` alone, or lines with `-` below it."
        findings.refuse(number, detail, advice, section.path)
        return []
    is_signed = any(line[0] == "-" for _, line in lines)
    old = tuple([line[1:] if is_signed else line for _, line in lines])
    return [Delete(section.path, section.line, old=old)]


def _hunks(first: int, lines: list[str]) -> tuple[Hunk, ...]:
    """Return all hunks of a section, whose first line has a number.

    Each ends at the next header, or at the end of the file.
    """
    hunks: list[Hunk] = []
    headers: list[Header] = []
    end = 0
    while end < len(lines):
        start = end
        while end < len(lines) and lines[end][:2] != "@@" and _word(lines[end]) not in ("eof", "move"):
            end += 1
        line, stop = lines[end] if end < len(lines) else "", end
        if any(map(str.strip, lines[start:end])):
            filled = [row for row in range(start, end) if lines[row]]
            if all(lines[row][0] == "+" for row in filled):
                start, stop = filled[0], filled[-1] + 1  # any empty line of the file would match those around additions
            hunks.append(_hunk(headers, lines[start:stop], first + start, _word(line) == "eof"))
            headers = []
        if line.startswith("@@"):
            headers.append(read_header(line))
        end += 1
    return tuple(hunks)


def _hunk(headers: list[Header], lines: list[str], first: int, at_end: bool) -> Hunk:
    """Return the hunk of some lines, the first of which has a number, below some headers."""
    hunk = hunk_of(lines, first, _POLICY, Claims(at_end=at_end), first - len(headers))
    # Numbers only help to choose between places: if there is nothing to find, they say too little.
    numbered = [header for header in headers if header.line] if hunk.old else []
    line, last = numbered[-1][1:] if numbered else (0, 0)
    under = tuple([header.text for header in headers if header.text])
    return hunk._replace(claims=hunk.claims._replace(line=line, last=last, headers=under))
