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
from ...answer.prose import is_prose
from ...model import Delete, Edit, Hunk, MatchPolicy, Op, Patch, Where, Write, join_lines, signed_hunk
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


class Section(NamedTuple):
    """One section as written: where it begins, its path, its command line, the lines of its content."""

    line: int
    path: str
    command: str
    command_line: int
    content: list[str]


class Range(NamedTuple):
    """A command by number: rows first..last (0-based, inclusive) give way; last == first - 1 is a gap."""

    section: Section
    first: int
    last: int


def parse(text: str, tally: Tally | None = None) -> Patch:
    """What a Chunk v2 document says."""
    unread: list[Problem] = []
    problems: list[Problem] = []
    ops: list[Op] = []
    numbered: dict[str, list[Range]] = {}
    kinds: dict[str, str] = {}
    order: list[Op | list[Range]] = []
    for section in _sections(patch_lines(text), unread):
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
    if not kinds and not unread and not problems:
        advice = "Begin each section with `=== file: PATH ===` and end it with `=END=`."
        problems.append(bad(1, "there is no `=== file: … ===` section", advice))
    every = [_edit_by_lines(one) if isinstance(one, list) else one for one in order if one]
    return Patch(_NAME, tuple(every), "", (*unread, *problems))


def sniff(text: str) -> int:
    """How much a text looks like Chunk v2."""
    return 0 if HEADER not in text else 95 if END in text and "--- " in text else 40


def opens(lines: list[str], row: int) -> str:
    """Whether a section begins at a row, or its command where the header is missing: its format's name."""
    bare = lines[row].lstrip(" \t")
    return _NAME if bare.startswith(HEADER) or is_command(bare) else ""


def closes(line: str) -> str:
    """Whether a line ends a section: its format's name."""
    return _NAME if line == END else ""


def block_end(lines: list[str], row: int, limit: int, fenced: bool) -> int:
    """The row behind the section that begins at a row."""
    return next((at + 1 for at in range(row + 1, len(lines)) if lines[at].rstrip() == END), limit)


def is_command(line: str) -> bool:
    """Whether a line is a well-formed command."""
    return line.startswith("--- ") and re.fullmatch(_COMMAND, line[4:].rstrip()) is not None


# ── sections ─────────────────────────────────────────────────────────────────────────────────────


def _sections(lines: list[str], problems: list[Problem]) -> Iterator[Section]:
    paths = {line: _path(line) for line in set(lines) if line.startswith(HEADER)}
    ends = {line for line in set(lines) if line.rstrip() == END}
    marks = paths.keys() | ends
    borders = [row for row, line in enumerate(lines) if line in marks]
    openers = _openers(lines[: borders[0]]) if borders else []
    for start, end in pairwise([*borders, len(lines)]):
        path = paths.get(lines[start])
        if path is None:
            if start > borders[0]:
                _check_behind(lines, start, end, openers, problems)
            openers += _openers(lines[start + 1 : end])
            continue
        if end == len(lines) or lines[end] in paths:
            detail = f"the section for {path or 'a file'} has no `{END}`"
            problems.append(bad(start + 1, detail, f"Close every section with `{END}` on a line of its own."))
            continue
        command = next((row for row in range(start + 1, end) if lines[row].strip()), end)
        if not path:
            problems.append(bad(start + 1, "the section names no file", "Write `=== file: PATH ===`."))
        elif not lines[command].startswith("--- "):
            advice = "Write the command below the header: `--- replace 3:4`."
            problems.append(bad(start + 2, "the section has no command", advice))
        else:
            yield Section(start + 1, path, lines[command][4:].strip(), command + 1, lines[command + 1 : end])
    if _is_fenced(openers):
        advice = "Send the whole patch again, with its closing fence; none of it was applied."
        detail = "the sections are in a fence that is never closed, so their end may be missing"
        problems.append(Problem("truncated", detail, patch_line=len(lines), advice=advice))


def _openers(lines: list[str]) -> list[str]:
    """What may open something that sections stand in: of fences the one that is still open, tags, here-documents."""
    fences = [line for line in lines if fence_of(line)]
    return fences[: len(fences) % 2] + [line for line in lines if "<" in line]


def _check_behind(lines: list[str], row: int, end: int, openers: list[str], problems: list[Problem]) -> None:
    """Refuse what follows an `=END=` unless it is prose behind a blank line: it may be content, cut by that line."""
    advice = "After a section, leave a blank line and write plain sentences; its content can't have a line `=END=`."
    if end < len(lines) and lines[end].rstrip() == END:
        detail = f"lines {row + 1} and {end + 1} are both `{END}`, so what is between them is in no section"
        problems.append(bad(end + 1, detail, advice))
        return
    at = next((below for below in range(row + 1, end) if is_command(lines[below])), -1)
    if at >= 0:
        detail = f"`{lines[at].rstrip()}` follows an `{END}` and is in no section"
        problems.append(bad(at + 1, detail, "Write `=== file: PATH ===` above each command."))
        return
    at = row + 1
    while at < end:
        if not lines[at].strip():
            at += 1
            continue
        if _closes(lines[at], openers):
            return  # what the sections stand in is over
        last = next((below for below in range(at, end) if not lines[below].strip()), end)
        if lines[at].startswith("```"):
            last = next((below + 1 for below in range(at + 1, end) if lines[below].startswith("```")), last)
        elif not is_prose(lines[at:last]):
            last = at  # neither an example nor a sentence
        if at in (row + 1, last):
            detail = f"`{lines[at].strip()[:60]}` follows an `{END}` and is in no section"
            problems.append(bad(at + 1, detail, advice))
            return
        at = last


def _closes(line: str, openers: list[str]) -> bool:
    """Whether a line closes what was opened outside the sections: a fence, a tag, a here-document."""
    bare = line.strip()
    if fence_of(bare):
        return _is_fenced(openers)
    wanted = f"<{bare[2:]}" if bare[:2] == "</" else f"<<{bare}"
    return any(wanted in re.sub("['\"\\- ]", "", opener) for opener in openers)


def _is_fenced(openers: list[str]) -> bool:
    """Whether one of the fences that stand outside the sections is open."""
    return len([line for line in openers if fence_of(line)]) % 2 == 1


def _path(header: str) -> str:
    path = header[len(HEADER) :].strip()
    path = path[: path.rindex("===")].strip() if "===" in path else path
    return path.removeprefix("./")


def _kind(section: Section, kinds: dict[str, str]) -> str:
    """Whether the command is by "line", by "text" or about the whole "file"; Refused for any other.

    `kinds`: those of the commands before, by path. They don't mix, and a whole-file command stands alone.
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
    if other == kind:
        detail = f"there is a second whole-file command for {section.path}"
    raise Refused(bad(section.line, detail, "Use one kind of command for each file in a patch.", section.path))


# ── commands by number ───────────────────────────────────────────────────────────────────────────


def _range(section: Section) -> Range:
    word, _, numbers = section.command.partition(" ")
    numbers = numbers.strip()
    if word == "insert-after":
        if re.fullmatch(r"-1|[0-9]{1,9}", numbers):
            return Range(section, int(numbers) + 1, int(numbers))
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
    return Range(section, first, last)


def _check_empty(section: Section, lines: list[str]) -> None:
    """Refuse the last lines of a section whose command takes none."""
    for offset, line in enumerate(lines, 1):
        if line.strip():
            detail = f"`{section.command}` takes no content, but `{line.strip()[:60]}` follows"
            number = section.command_line + len(section.content) - len(lines) + offset
            raise Refused(bad(number, detail, "Leave it out, or use a replace command.", section.path))


def _edit_by_lines(ranges: list[Range]) -> Edit:
    """All numbered commands of a file as one edit: every number means the file as it was."""
    hunks = []
    for section, first, last in ranges:
        new = "" if section.command.startswith("delete") else join_lines(section.content)
        hunks.append(Hunk("", new, _POLICY, Where(line=first + 1, last=last + 1), section.command_line))
    one = ranges[0].section
    label = one.command.split(" ")[0] if len(ranges) == 1 else "edit by line numbers"
    return Edit(one.path, tuple(hunks), one.line, label)


def _crossing(ranges: list[Range]) -> Iterator[Problem]:
    """What is wrong with ranges that overlap, and with lines that are inserted inside one."""
    held = sorted((one for one in ranges if one.last >= one.first), key=lambda one: one.first)
    for one, two in pairwise(held):
        if two.first <= one.last:
            detail = f"the ranges {one.first}:{one.last} and {two.first}:{two.last} overlap"
            advice = "Line numbers refer to the original file; join the two into one section."
            yield bad(two.section.command_line, detail, advice, two.section.path)
    seen: set[tuple[str, tuple[str, ...]]] = set()
    firsts = [one.first for one in held]
    for section, first, last in ranges:
        words = (section.command, tuple(section.content))
        if words in seen:
            detail = f"the section `{section.command}` appears twice, word for word"
            yield bad(section.command_line, detail, "Leave one of them out.", section.path)
        seen.add(words)
        at = bisect_right(firsts, last) - 1
        if last < first and at >= 0 and last < held[at].last:
            detail = f"line {last} is inside a range that another section replaces or deletes"
            yield bad(section.command_line, detail, "Put the new lines in that section.", section.path)


# ── commands by text, and on whole files ─────────────────────────────────────────────────────────


def _text_command(section: Section) -> Edit:
    """`marker --- content`, or the extension with BEFORE:, MARKER: and AFTER: blocks before the `---`."""
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
    # A marker that a later `---` would make begins with that of the second one: if that isn't in the file, none is.
    rival = section.content[: cut + 1 + content.index("---")] if "---" in content else []
    where = Where(before=tuple(before), after=tuple(after))
    hunk = signed_hunk(tagged, _POLICY, where, section.command_line + 1)
    hunk = hunk._replace(rival=join_lines(_labelled(rival)[1]))
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


def _file_command(section: Section) -> Op:
    if section.command == "delete-file":
        _check_empty(section, section.content)
        return Delete(section.path, section.line, "delete-file")
    text = "\n".join(section.content) + "\n" if section.content else ""
    return Write(section.path, text, True, section.line, "create-file")
