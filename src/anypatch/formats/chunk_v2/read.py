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
from ...model import Claims, Delete, Edit, Hunk, MatchPolicy, Note, Op, Patch, Write, join_lines, signed_hunk
from ...problems import Problem, Refused, bad
from ...text import patch_lines

if TYPE_CHECKING:
    from ...limits import Tally


_NAME = "chunk-v2"
END = "=END="
HEADER = "=== file:"
_COMMAND = (
    r"(?:replace|delete) [0-9]{1,9}:[0-9]{1,9}|insert-after -?[0-9]{1,9}"
    r"|(?:insert-after|insert-before|replace|delete)-text|create-file|delete-file"
)
_POLICY = MatchPolicy(("exact",), replaces_range=True)
_TEXT_TAGS = {"insert-after-text": " +", "insert-before-text": "+ ", "replace-text": "-+", "delete-text": "-"}
_FILE_COMMANDS = ("create-file", "delete-file")


class FileSection(NamedTuple):
    """One section as written: where it begins, its path, its command line, the lines of its content."""

    line: int
    path: str
    command: str
    command_line: int
    content: list[str]


class LineRange(NamedTuple):
    """A command by number: rows first..last (0-based, inclusive) are replaced; last == first - 1 is a gap."""

    section: FileSection
    first: int
    last: int


def parse(text: str, tally: Tally | None = None) -> Patch:
    """The operations of the sections in a text."""
    problems: list[Problem] = []
    notes: list[Note] = []
    ops: list[Op] = []
    numbered: dict[str, list[LineRange]] = {}
    kinds: dict[str, str] = {}
    order: list[Op | list[LineRange]] = []
    for section in _sections(patch_lines(text), problems, notes):
        try:
            kind = _kind(section, kinds)
            if kind == "line":
                lines = _range(section)
                if section.path not in numbered:
                    order.append(numbered.setdefault(section.path, []))
                numbered[section.path].append(lines)
            else:
                ops.append(_text_command(section) if kind == "text" else _file_command(section))
                order.append(ops[-1])
        except Refused as refused:
            problems.extend(refused.problems)
        if tally is not None:
            tally(ops)
    for ranges in numbered.values():
        crossing = list(_crossing(ranges))
        problems += crossing
        if crossing:
            ranges.clear()
    if not kinds and not problems:
        advice = f"Begin each section with `=== file: PATH ===` and end it with `{END}`."
        problems.append(bad(1, "there is no `=== file: … ===` section", advice))
    every = [_edit_by_lines(one) if isinstance(one, list) else one for one in order if one]
    return Patch(_NAME, tuple(every), "", tuple(problems), tuple(notes))


def sniff(text: str) -> int:
    """How much a text looks like Chunk v2."""
    return 0 if HEADER not in text else 95 if END in text and "--- " in text else 40


def opens(lines: list[str], row: int) -> bool:
    """Return True if a section begins at a row, or its command if the header is missing."""
    bare = lines[row].lstrip(" \t")
    return bare.startswith(HEADER) or is_command(bare)


def closes(line: str) -> bool:
    """Return True if a line ends a section."""
    return line == END


def block_end(lines: list[str], row: int, limit: int, fenced: bool) -> int:
    """The row after the section that begins at a row."""
    return next((at + 1 for at in range(row + 1, len(lines)) if lines[at].rstrip() == END), limit)


def is_command(line: str) -> bool:
    """True if a line is a well-formed command."""
    return line.startswith("--- ") and re.fullmatch(_COMMAND, line[4:].rstrip()) is not None


# ── sections ─────────────────────────────────────────────────────────────────────────────────────


def _sections(lines: list[str], problems: list[Problem], notes: list[Note]) -> Iterator[FileSection]:
    start, outside = -1, list[int]()
    for row, line in enumerate(lines):
        if line.startswith(HEADER):
            if start >= 0:
                problems.append(_unclosed(start))
            start = row
        elif start < 0:
            outside.append(row)
        elif line[:1] == "=" and line.rstrip() == END:
            yield from _section(lines, start, row, problems)
            start = -1
    if start >= 0:
        problems.append(_unclosed(start))
    _check_outside(lines, outside, problems, notes)


def _check_outside(lines: list[str], outside: list[int], problems: list[Problem], notes: list[Note]) -> None:
    """Note the text outside the sections; refuse it if it seems to be part of one."""
    for row in outside:
        line = lines[row].rstrip()
        if line == END or is_command(line):
            advice = f"Write `=== file: PATH ===` above each command; content can't have a line `{END}`."
            problems.append(bad(row + 1, f"`{line}` is in no section", advice))
    fences = {row for row in outside if fence_of(lines[row]) is not None}
    if len(fences) % 2:
        detail = "the sections are in a fence that is never closed, so their end may be missing"
        problems.append(Problem("truncated", detail, patch_line=len(lines)))
    if text := [row for row in outside if row not in fences and lines[row].strip()]:
        notes.append(Note("text outside the sections was skipped", patch_line=text[0] + 1))


def _section(lines: list[str], start: int, end: int, problems: list[Problem]) -> list[FileSection]:
    path = _path(lines[start])
    command = next((row for row in range(start + 1, end) if lines[row].strip()), end)
    if not path:
        problems.append(bad(start + 1, "the section names no file", "Write `=== file: PATH ===`."))
    elif not lines[command].startswith("--- "):
        advice = "Write the command below the header: `--- replace 3:4`."
        problems.append(bad(start + 2, "the section has no command", advice))
    else:
        return [FileSection(start + 1, path, lines[command][4:].strip(), command + 1, lines[command + 1 : end])]
    return []


def _unclosed(row: int) -> Problem:
    return bad(row + 1, f"the section has no `{END}`", f"Close every section with `{END}` on a line of its own.")


def _path(header: str) -> str:
    path = header[len(HEADER) :].strip()
    path = path[: path.rindex("===")].strip() if "===" in path else path
    return path.removeprefix("./")


def _kind(section: FileSection, kinds: dict[str, str]) -> str:
    """How a command names its place: by "line", by "text", or the whole "file"; Refused if it isn't a command.

    `kinds`: those of the commands before, by path. They don't mix, and a whole-file command is alone.
    """
    for offset, line in enumerate(section.content, 1):
        if is_command(line):
            detail = f"there is a second command, `{line.rstrip()}`, in the section"
            raise Refused(bad(section.command_line + offset, detail, "Give each command a section of its own."))
    commands = dict.fromkeys(_TEXT_TAGS, "text") | dict.fromkeys(_FILE_COMMANDS, "file")
    by_line = section.command.split(" ")[0] in ("replace", "delete", "insert-after")
    kind = "line" if by_line else commands.get(section.command, "")
    if not kind:
        advice = f"The commands are: replace A:B, delete A:B, insert-after N, {', '.join(commands)}."
        if any(part in section.command for part in ("symbol", "function", "method", "class")):
            advice = "Commands on symbols are not supported; use `replace-text` with the text itself."
        raise Refused(bad(section.command_line, f"`{section.command}` is not a command", advice))
    is_first = section.path not in kinds
    other = kinds.setdefault(section.path, kind)
    if is_first or (other == kind and kind != "file"):
        return kind
    detail = f"{section.path} is edited both by {other} and by {kind}"
    raise Refused(bad(section.line, detail, "Use one kind of command for each file in a patch.", section.path))


# ── commands by number ───────────────────────────────────────────────────────────────────────────


def _range(section: FileSection) -> LineRange:
    word, _, numbers = section.command.partition(" ")
    numbers = numbers.strip()
    if word == "insert-after":
        if re.fullmatch(r"-1|[0-9]{1,9}", numbers):
            return LineRange(section, int(numbers) + 1, int(numbers))
        advice = "Write `--- insert-after N`, N counted from 0; -1 is the top of the file."
        raise Refused(bad(section.command_line, f"`{numbers}` is not a line number", advice, section.path))
    if not re.fullmatch(r"[0-9]{1,9}:[0-9]{1,9}", numbers):
        advice = f"Write `--- {word} FIRST:LAST`, both inclusive and counted from 0."
        raise Refused(bad(section.command_line, f"`{numbers}` is not a range of lines", advice, section.path))
    first, last = map(int, numbers.split(":"))
    if last < first:
        advice = f"Write `--- {word} {last}:{first}`."
        raise Refused(bad(section.command_line, f"the range {numbers} is reversed", advice, section.path))
    if word == "delete":
        _check_empty(section, section.content)
    return LineRange(section, first, last)


def _check_empty(section: FileSection, lines: list[str]) -> None:
    """Refuse the last lines of a section whose command takes none."""
    for offset, line in enumerate(lines, 1):
        if line.strip():
            detail = f"`{section.command}` takes no content, but `{line.strip()[:60]}` follows"
            number = section.command_line + len(section.content) - len(lines) + offset
            raise Refused(bad(number, detail, "Leave it out, or use a replace command.", section.path))


def _edit_by_lines(ranges: list[LineRange]) -> Edit:
    """All numbered commands of a file as one edit: every number refers to the file as it was."""
    hunks = []
    for section, first, last in ranges:
        new = "" if section.command.startswith("delete") else join_lines(section.content)
        hunks.append(Hunk("", new, _POLICY, Claims(line=first + 1, last=last + 1), section.command_line))
    section = ranges[0].section
    label = section.command.split(" ")[0] if len(ranges) == 1 else "edit by line numbers"
    return Edit(section.path, tuple(hunks), section.line, label)


def _crossing(ranges: list[LineRange]) -> Iterator[Problem]:
    """The problems of ranges that overlap, and of lines that are inserted inside a range."""
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
        raise Refused(bad(section.command_line, f"`{section.command}` has no `---`", advice, section.path))
    cut = section.content.index("---")
    content = section.content[cut + 1 :]
    before, marker, after = _labelled(section.content[:cut])
    if not marker:
        advice = "Give the lines to find between the command and the `---`."
        raise Refused(bad(section.command_line, f"`{section.command}` has no text to find", advice, section.path))
    if section.command == "delete-text":
        _check_empty(section, content)
    tagged = [(tag, line) for tag in _TEXT_TAGS[section.command] for line in (content if tag == "+" else marker)]
    claims = Claims(before=tuple(before), after=tuple(after))
    hunk = signed_hunk(tagged, _POLICY, claims, section.command_line + 1)
    return Edit(section.path, (hunk,), section.line, section.command)


def _labelled(lines: list[str]) -> tuple[list[str], list[str], list[str]]:
    """The parts under BEFORE:, MARKER: and AFTER:; without a MARKER: line all of it is the marker."""
    labels = ("BEFORE:", "MARKER:", "AFTER:")
    if not lines or lines[0].rstrip() not in labels or "MARKER:" not in [line.rstrip() for line in lines]:
        return [], lines, []
    parts: dict[str, list[str]] = {label: [] for label in labels}
    current = labels[0]
    for line in lines:
        if line.rstrip() in labels:
            current = line.rstrip()
        else:
            parts[current].append(line)
    return parts["BEFORE:"], parts["MARKER:"], parts["AFTER:"]


def _file_command(section: FileSection) -> Op:
    if section.command == "delete-file":
        _check_empty(section, section.content)
        return Delete(section.path, section.line, "delete-file")
    text = "\n".join(section.content) + "\n" if section.content else ""
    return Write(section.path, text, True, section.line, "create-file")
