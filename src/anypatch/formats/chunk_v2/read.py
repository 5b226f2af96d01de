"""Chunk v2: sections of one command each, by line number or by exact text. Finds no place and touches no file.

patch    = { "=== file: PATH ===" "--- " command { content } "=END=" }
command  = "replace A:B" | "delete A:B" | "insert-after N"           lines counted from 0; -1 is the top
         | "replace-text" | "delete-text" | "insert-after-text" | "insert-before-text"
         | "create-file" | "delete-file"
content  = { line }                                                 of commands by line number, and create-file
         | marker "---" { line }                                    of commands by text
marker   = { line } | [ "BEFORE:" { line } ] "MARKER:" { line } [ "AFTER:" { line } ]
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from ...answer.fences import fence_of
from ...model import Claims, Delete, Edit, Hunk, MatchPolicy, Op, Patch, Write, join_lines, signed_hunk
from ...problems import Problem, Refused, bad
from ...text import patch_lines, pattern
from ..findings import Findings

if TYPE_CHECKING:
    from ...limits import Tally

END = "=END="
HEADER = "=== file:"
_COMMAND = (  # its last group is the kind of place that it names
    r"(?P<line>(?:replace|delete) ([0-9]{1,9}):([0-9]{1,9})|insert-after (-1|[0-9]{1,9}))"
    r"|(?P<text>(?:insert-after|insert-before|replace|delete)-text)|(?P<file>(?:create|delete)-file)"
)
_POLICY = MatchPolicy(("exact",), replaces_range=True)
_TEXT_TAGS = {"insert-after-text": " +", "insert-before-text": "+ ", "replace-text": "-+", "delete-text": "-"}
_COMMANDS = (
    "The commands are: replace A:B, delete A:B, insert-after N (lines counted from 0; -1 is the top), "
    f"{', '.join(_TEXT_TAGS)}, create-file, delete-file."
)


class FileSection(NamedTuple):
    """One section as written: where it begins, its path, its command line, the lines of its content."""

    line: int
    path: str
    command: str
    command_line: int
    content: list[str]

    def refusal(self, detail: str, advice: str, line: int = 0) -> Refused:
        """Return the refusal of its command, or of another line."""
        return Refused(bad(line or self.command_line, detail, advice, self.path))


class LineRange(NamedTuple):
    """A command by number: rows first..last (0-based, inclusive) are replaced; last == first - 1 is a gap."""

    section: FileSection
    first: int
    last: int


def parse(text: str, tally: Tally | None = None) -> Patch:
    """Read the sections in a text."""
    findings = Findings()
    ops: list[Op] = []
    numbered: dict[str, list[LineRange]] = {}
    kinds: dict[str, str] = {}
    order: list[Op | list[LineRange]] = []
    for section in _sections(patch_lines(text), findings):
        try:
            command = _command(section, kinds)
            if command.lastgroup == "line":
                if section.path not in numbered:
                    order.append(numbered.setdefault(section.path, []))
                numbered[section.path].append(_range(section, command))
            else:
                ops.append(_text_command(section) if command.lastgroup == "text" else _file_command(section))
                order.append(ops[-1])
        except Refused as refused:
            findings.problems += refused.problems
        if tally is not None:
            tally(ops)
    for ranges in numbered.values():
        crossing = list(_crossing(ranges))
        findings.problems += crossing
        if crossing:
            ranges.clear()
    if not kinds and not findings.problems:
        advice = f"Begin each section with `=== file: PATH ===` and end it with `{END}`."
        findings.refuse(1, "there is no `=== file: … ===` section", advice)
    return findings.patch("chunk-v2", [_edit_by_lines(one) if isinstance(one, list) else one for one in order if one])


def sniff(text: str) -> int:
    """Rate from 0 to 100 how much a text looks like Chunk v2."""
    return 0 if HEADER not in text else 95 if END in text and "--- " in text else 40


def opens(lines: list[str], row: int) -> bool:
    """Return True if a section begins at a row, or its command if the header is missing."""
    bare = lines[row].lstrip(" \t")
    return bare.startswith(HEADER) or is_command(bare)


def closes(line: str) -> bool:
    """Return True if a line ends a section."""
    return line == END


def block_end(lines: list[str], row: int, limit: int, fenced: bool) -> int:
    """Return the row after the section that begins at a row."""
    return next((at + 1 for at in range(row + 1, len(lines)) if lines[at].rstrip() == END), limit)


def is_command(line: str) -> bool:
    """Return True if a line is a well-formed command."""
    return line.startswith("--- ") and pattern(_COMMAND).fullmatch(line[4:].rstrip()) is not None


# ── sections ─────────────────────────────────────────────────────────────────────────────────────


def _sections(lines: list[str], findings: Findings) -> Iterator[FileSection]:
    """Yield the sections that have a path and a command; refuse others."""
    start, outside = -1, list[int]()
    for row, line in enumerate([*lines, HEADER]):
        if line.startswith(HEADER):
            if start >= 0:
                advice = f"Close every section with `{END}` on a line of its own."
                findings.refuse(start + 1, f"the section has no `{END}`", advice)
            start = row
        elif start < 0:
            outside.append(row)
        elif line[:1] == "=" and line.rstrip() == END:
            yield from _section(lines, start, row, findings)
            start = -1
    _check_outside(lines, outside, findings)


def _check_outside(lines: list[str], outside: list[int], findings: Findings) -> None:
    """Note the text outside the sections; refuse it if it seems to be part of one."""
    fences = {row for row in outside if fence_of(lines[row]) is not None}
    for row in outside:
        line = lines[row].rstrip()
        if line == END or is_command(line):
            advice = f"Write `=== file: PATH ===` above each command; content can't have a line `{END}`."
            findings.refuse(row + 1, f"`{line}` is in no section", advice)
    if len(fences) % 2:
        detail = "the sections are in a fence that is never closed, so their end may be missing"
        findings.problems.append(Problem("truncated", detail, patch_line=len(lines)))
    if text := [row for row in outside if row not in fences and lines[row].strip()]:
        findings.note(text[0] + 1, "text outside the sections was skipped")


def _section(lines: list[str], start: int, end: int, findings: Findings) -> Iterator[FileSection]:
    """Yield the section from a row to another, if it has a path and a command."""
    path = lines[start][len(HEADER) :].strip()
    path = path[: path.rindex("===")].strip() if "===" in path else path
    command = next((row for row in range(start + 1, end) if lines[row].strip()), end)
    if not path:
        findings.refuse(start + 1, "the section names no file", "Write `=== file: PATH ===`.")
    elif not lines[command].startswith("--- "):
        findings.refuse(
            start + 2, "the section has no command", "Write the command below the header: `--- replace 3:4`."
        )
    else:
        word, content = lines[command][4:].strip(), lines[command + 1 : end]
        yield FileSection(start + 1, path.removeprefix("./"), word, command + 1, content)


def _command(section: FileSection, kinds: dict[str, str]) -> re.Match[str]:
    """Return the command of a section, taken apart. Its last group is the kind of place: "line", "text" or "file".

    `kinds`: those of the commands before, by path. They don't mix, and a whole-file command is alone.
    """
    for line, text in enumerate(section.content, section.command_line + 1):
        if is_command(text):
            detail = f"there is a second command, `{text.rstrip()}`, in the section"
            raise section.refusal(detail, "Give each command a section of its own.", line)
    command = pattern(_COMMAND).fullmatch(section.command)
    if command is None:
        is_about_symbol = any(part in section.command for part in ("symbol", "function", "method", "class"))
        advice = "Commands on symbols are not supported; use `replace-text` with the text itself."
        raise section.refusal(f"`{section.command}` is not a command", advice if is_about_symbol else _COMMANDS)
    kind, is_first = str(command.lastgroup), section.path not in kinds
    other = kinds.setdefault(section.path, kind)
    if not is_first and (other != kind or kind == "file"):
        detail = f"{section.path} is edited both by {other} and by {kind}"
        raise section.refusal(detail, "Use one kind of command for each file in a patch.", section.line)
    return command


def _check_empty(section: FileSection, rows: int) -> None:
    """Refuse text among the last rows of a section whose command takes none."""
    first = section.command_line + len(section.content) - rows + 1
    for line, text in enumerate(section.content[len(section.content) - rows :], first):
        if text.strip():
            detail = f"`{section.command}` takes no content, but `{text.strip()[:60]}` follows"
            raise section.refusal(detail, "Leave it out, or use a replace command.", line)


# ── commands by number ───────────────────────────────────────────────────────────────────────────


def _range(section: FileSection, command: re.Match[str]) -> LineRange:
    if command[4]:
        return LineRange(section, int(command[4]) + 1, int(command[4]))
    first, last = int(command[2]), int(command[3])
    if last < first:
        raise section.refusal(f"the range {first}:{last} is reversed", f"Write {last}:{first}.")
    if section.command.startswith("delete"):
        _check_empty(section, len(section.content))
    return LineRange(section, first, last)


def _edit_by_lines(ranges: list[LineRange]) -> Edit:
    """Return all numbered commands of a file as one edit: every number refers to the file as it was."""
    hunks = []
    for section, first, last in ranges:
        new = "" if section.command.startswith("delete") else join_lines(section.content)
        hunks.append(Hunk("", new, _POLICY, Claims(line=first + 1, last=last + 1), section.command_line))
    section = ranges[0].section
    label = section.command.split(" ")[0] if len(ranges) == 1 else "edit by line numbers"
    return Edit(section.path, tuple(hunks), section.line, label)


def _crossing(ranges: list[LineRange]) -> Iterator[Problem]:
    """Yield the problems of ranges that overlap, and of lines that are inserted inside a range."""
    held = sorted((one for one in ranges if one.last >= one.first), key=lambda one: one.first)
    for one, two in pairwise(held):
        if two.first <= one.last:
            detail = f"the ranges {one.first}:{one.last} and {two.first}:{two.last} overlap"
            advice = "Line numbers refer to the original file; join the two into one section."
            yield bad(two.section.command_line, detail, advice, two.section.path)
    firsts = [one.first for one in held]
    for section, first, last in ranges:
        at = bisect_right(firsts, last) - 1
        if last < first and at >= 0 and last < held[at].last:
            detail = f"line {last} is inside a range that another section replaces or deletes"
            yield bad(section.command_line, detail, "Put the new lines in that section.", section.path)


# ── commands by text, and on whole files ─────────────────────────────────────────────────────────


def _text_command(section: FileSection) -> Edit:
    if "---" not in section.content:
        advice = "Put a line of `---` between the text to find and the new text."
        raise section.refusal(f"`{section.command}` has no `---`", advice)
    cut = section.content.index("---")
    content = section.content[cut + 1 :]
    before, marker, after = _labelled(section.content[:cut])
    if not marker:
        advice = "Give the lines to find between the command and the `---`."
        raise section.refusal(f"`{section.command}` has no text to find", advice)
    if section.command == "delete-text":
        _check_empty(section, len(content))
    tagged = [(tag, line) for tag in _TEXT_TAGS[section.command] for line in (content if tag == "+" else marker)]
    claims = Claims(before=tuple(before), after=tuple(after))
    hunk = signed_hunk(tagged, _POLICY, claims, section.command_line + 1)
    return Edit(section.path, (hunk,), section.line, section.command)


def _labelled(lines: list[str]) -> tuple[list[str], list[str], list[str]]:
    """Return the parts under BEFORE:, MARKER: and AFTER:; without a MARKER: line all of it is the marker."""
    parts: dict[str, list[str]] = {"BEFORE:": [], "MARKER:": [], "AFTER:": []}
    if not lines or lines[0].rstrip() not in parts or "MARKER:" not in [line.rstrip() for line in lines]:
        return [], lines, []
    current = ""
    for line in lines:
        if line.rstrip() in parts:
            current = line.rstrip()
        else:
            parts[current].append(line)
    return parts["BEFORE:"], parts["MARKER:"], parts["AFTER:"]


def _file_command(section: FileSection) -> Op:
    if section.command == "delete-file":
        _check_empty(section, len(section.content))
        return Delete(section.path, section.line, "delete-file")
    return Write(section.path, join_lines(section.content), True, section.line, "create-file")
