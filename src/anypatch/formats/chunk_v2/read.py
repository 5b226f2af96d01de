"""Chunk v2: sections of one command each, by line number or by exact text. Finds no place and touches no file."""

from __future__ import annotations

import re
from bisect import bisect_right
from itertools import pairwise

from ...model import Delete, Edit, Hunk, MatchPolicy, Op, Patch, Where, Write
from ...parsing.markers import END, HEADER, is_command
from ...problems import Problem
from ...record import NamedTuple
from ...text import patch_lines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...model import Tally


_POLICY = MatchPolicy(("exact",), replaces_whole_range=True, prefers_code=True)
_TEXT_TAGS = {"insert-after-text": " +", "insert-before-text": "+ ", "replace-text": "-+", "delete-text": "-"}
_FILE_COMMANDS = ("create-file", "delete-file")
_ANYWHERE = Where()
_SYMBOL_WORDS = ("symbol", "function", "method", "class")


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
    ranges: dict[str, list[Range]] = {}
    slots: list[Op | str] = []
    seen: list[Op] = []
    kinds: dict[str, list[str]] = {}
    for section in _sections(patch_lines(text), unread):
        kind = _kind(section, problems)
        if not kind or not _unmixed(section, kind, kinds.setdefault(section.path, []), problems):
            continue
        if kind == "index":
            found = _range(section, problems)
            if found is not None:
                if section.path not in ranges:
                    slots.append(section.path)
                ranges.setdefault(section.path, []).append(found)
        else:
            op = _text_command(section, problems) if kind == "text" else _file_command(section, problems)
            if op is not None:
                slots.append(op)
                seen.append(op)
        if tally is not None:
            tally(seen)
    ops = [_indexed(ranges[slot], problems) if isinstance(slot, str) else slot for slot in slots]
    if not kinds and not unread and not problems:
        advice = "Begin each section with `=== file: PATH ===` and end it with `=END=`."
        problems.append(
            Problem("bad_patch", "there is no `=== file: … ===` section in it", patch_line=1, advice=advice)
        )
    return Patch("chunk-v2", tuple(op for op in ops if op is not None), "", (*unread, *problems))


def sniff(text: str) -> int:
    """How much a text looks like Chunk v2."""
    if HEADER not in text:
        return 0
    return 95 if END in text and "--- " in text else 40


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
            problems.append(_bad(start + 1, detail, f"Close every section with `{END}` on a line of its own."))
            continue
        section = _section(start, path, lines[start + 1 : end], problems)
        if section is not None:
            yield section
    if len([line for line in openers if line.strip()[:3] in _FENCES]) % 2:
        advice = "Send the whole patch again, with its closing fence; nothing of it was applied."
        detail = "the sections stand in a fence that never closes, so the end of them may be missing"
        problems.append(Problem("truncated", detail, patch_line=len(lines), advice=advice))


def _openers(lines: list[str]) -> list[str]:
    """What may open something that sections stand in: of fences the one that is still open, tags, here-documents."""
    fences = [line for line in lines if line.strip()[:3] in _FENCES]
    return fences[: len(fences) % 2] + [line for line in lines if "<" in line]


def _check_behind(lines: list[str], row: int, end: int, openers: list[str], problems: list[Problem]) -> None:
    """Refuse what follows an `=END=` unless it is prose behind a blank line: it may be content, cut by that line."""
    advice = "Leave a blank line and write plain sentences behind a section; content can't hold a line of `=END=`."
    if end < len(lines) and lines[end].rstrip() == END:
        detail = f"lines {row + 1} and {end + 1} both say `{END}`, so what stands between them is in no section"
        problems.append(_bad(end + 1, detail, advice))
        return
    at = next((below for below in range(row + 1, end) if is_command(lines[below])), -1)
    if at >= 0:
        detail = f"`{lines[at].rstrip()}` follows an `{END}` and is in no section"
        problems.append(_bad(at + 1, detail, "Write `=== file: PATH ===` above each command."))
        return
    at = row + 1
    while at < end:
        last = at
        while last < end and lines[last].strip():
            last += 1
        if at < last and _closes(lines[at], openers):
            return  # what the sections stand in is over
        if at < last and lines[at].startswith("```"):
            last = next((below + 1 for below in range(at + 1, end) if lines[below].startswith("```")), last)
        elif at < last and not _is_prose(lines[at:last]):
            last = at  # neither an example nor a sentence
        if at < last and at > row + 1:
            at = last
        elif lines[at].strip():
            detail = f"`{lines[at].strip()[:60]}` follows an `{END}` and is in no section"
            problems.append(_bad(at + 1, detail, advice))
            return
        else:
            at += 1


def _closes(line: str, openers: list[str]) -> bool:
    """Whether a line closes what was opened outside the sections: a fence, a tag, a here-document."""
    bare = line.strip()
    if bare[:3] in _FENCES:
        return sum(opener.strip()[:3] in _FENCES for opener in openers) % 2 == 1
    wanted = f"<{bare[2:]}" if bare[:2] == "</" else f"<<{bare}"
    return any(wanted in opener.translate(_UNQUOTED) for opener in openers)


_FENCES = ("```", "~~~")
_UNQUOTED = dict.fromkeys(map(ord, "'\"- "))
_LISTED = re.compile(r"(?:[-*+>]|#{1,6}|[0-9]+[.)]) |\*\*")


def _is_prose(paragraph: list[str]) -> bool:
    """Whether a paragraph is a sentence, a list or a heading, not code."""
    first, last = paragraph[0], paragraph[-1].rstrip()
    said = first.lstrip("-+*#>_`\"'( 0123456789.)")
    if not said[:1].isalpha() or not first[:4].strip() or set("={};").intersection(first):
        return False
    ended = last[-1:] in (".", "!", "?") or (last[-1:] == ":" and len(paragraph) == 1)
    return ended or _LISTED.match(first) is not None


def _path(header: str) -> str:
    said = header[len(HEADER) :].strip()
    path = said[: said.rindex("===")].strip() if "===" in said else said
    return path.removeprefix("./")


def _section(start: int, path: str, lines: list[str], problems: list[Problem]) -> Section | None:
    blanks = 0
    while blanks < len(lines) and not lines[blanks].strip():
        blanks += 1
    if not path:
        problems.append(_bad(start + 1, "the section names no file", "Write `=== file: PATH ===`."))
    elif blanks == len(lines) or not lines[blanks].startswith("--- "):
        problems.append(
            _bad(start + 2, "the section has no command", "Write the command below the header: `--- replace 3:4`.")
        )
    else:
        return Section(start + 1, path, lines[blanks][4:].strip(), start + 2 + blanks, lines[blanks + 1 :])
    return None


def _kind(section: Section, problems: list[Problem]) -> str:
    """Whether the command is by "index", by "text" or about the whole "file"; "" with a problem for any other."""
    for offset, line in enumerate(section.content, 1):
        if line[:4] == "--- " and is_command(line):
            detail = f"a second command, `{line.rstrip()}`, stands in the section"
            problems.append(_bad(section.command_line + offset, detail, "Give each command a section of its own."))
            return ""
    word = section.command.split(" ")[0] if section.command else ""
    if word in ("replace", "delete", "insert-after"):
        return "index"
    if section.command in _TEXT_TAGS:
        return "text"
    if section.command in _FILE_COMMANDS:
        return "file"
    advice = "The commands are: replace A:B, delete A:B, insert-after N, " + ", ".join((*_TEXT_TAGS, *_FILE_COMMANDS))
    if any(part in section.command for part in _SYMBOL_WORDS):
        advice = "Commands on symbols are not part of Chunk v2 here; use `replace-text` with the text itself."
    problems.append(_bad(section.command_line, f"`{section.command}` is no command", advice + "."))
    return ""


def _unmixed(section: Section, kind: str, before: list[str], problems: list[Problem]) -> bool:
    """Whether the command goes with those on the same file before it; a whole-file command stands alone."""
    if before.count(kind) < (2 if kind == "file" else 1):  # no more is needed, and a patch may hold many
        before.append(kind)
    if len(before) == 1 or (set(before) == {kind} and kind != "file"):
        return True
    others = "a second whole-file command" if set(before) == {"file"} else f"commands by {before[0]} and by {kind}"
    detail = (
        f"there are {others} on {section.path}" if set(before) != {"file"} else f"there is {others} on {section.path}"
    )
    problems.append(_bad(section.line, detail, "Use one sort of command for each file in a patch.", section.path))
    return False


# ── commands by number ───────────────────────────────────────────────────────────────────────────


def _range(section: Section, problems: list[Problem]) -> Range | None:
    word, _, said = section.command.partition(" ")
    said = said.strip()
    if word == "insert-after":
        if re.fullmatch(r"-1|[0-9]{1,9}", said):
            return Range(section, int(said) + 1, int(said))
        advice = "Write `--- insert-after N`, N counted from 0; -1 is the top of the file."
        problems.append(_bad(section.command_line, f"`{said}` is no line number", advice, section.path))
        return None
    if not re.fullmatch(r"[0-9]{1,9}:[0-9]{1,9}", said):
        advice = f"Write `--- {word} FIRST:LAST`, both counted from 0 and included."
        problems.append(_bad(section.command_line, f"`{said}` is no range of lines", advice, section.path))
        return None
    first, last = map(int, said.split(":"))
    if last < first:
        advice = f"Write `--- {word} {last}:{first}`."
        problems.append(_bad(section.command_line, f"the range {said} is reversed", advice, section.path))
        return None
    if word == "delete" and not _empty(section, section.content, problems):
        return None
    return Range(section, first, last)


def _empty(section: Section, lines: list[str], problems: list[Problem]) -> bool:
    for offset, line in enumerate(lines, 1):
        if line.strip():
            detail = f"`{section.command}` takes no content, but `{line.strip()[:60]}` follows"
            at = section.command_line + len(section.content) - len(lines) + offset
            problems.append(_bad(at, detail, "Leave it out, or use a replace command.", section.path))
            return False
    return True


def _indexed(ranges: list[Range], problems: list[Problem]) -> Edit | None:
    """All numbered commands of a file as one edit: every number means the file as it was."""
    if _crossing(ranges, problems):
        return None
    hunks = []
    for r in ranges:
        deletes = r.section.command.startswith("delete")
        lines = () if deletes else tuple(("+", line) for line in r.section.content)
        hunks.append(Hunk(lines, Where(line=r.first + 1, last=r.last + 1), _POLICY, r.section.command_line))
    label = ranges[0].section.command.split(" ")[0] if len(ranges) == 1 else "edit by line numbers"
    return Edit(ranges[0].section.path, tuple(hunks), ranges[0].section.line, label)


def _crossing(ranges: list[Range], problems: list[Problem]) -> bool:
    """Whether ranges overlap, or lines are inserted inside one; each is recorded."""
    count = len(problems)
    held = sorted((r for r in ranges if r.last >= r.first), key=lambda r: r.first)
    for one, two in pairwise(held):
        if two.first <= one.last:
            detail = f"the ranges {one.first}:{one.last} and {two.first}:{two.last} overlap"
            advice = "Numbers mean the file as it was; join the two into one section."
            problems.append(_bad(two.section.command_line, detail, advice, two.section.path))
    seen: set[tuple[str, tuple[str, ...]]] = set()
    for r in ranges:
        said = (r.section.command, tuple(r.section.content))
        if said in seen:
            detail = f"the section `{r.section.command}` stands there twice, word for word"
            problems.append(_bad(r.section.command_line, detail, "Leave one of them out.", r.section.path))
        seen.add(said)
    firsts = [r.first for r in held]
    for gap in ranges:
        at = bisect_right(firsts, gap.last) - 1
        if gap.last < gap.first and at >= 0 and gap.last < held[at].last:
            detail = f"line {gap.last} is inside a range that another section replaces or deletes"
            advice = "Put the new lines into that section."
            problems.append(_bad(gap.section.command_line, detail, advice, gap.section.path))
    return len(problems) > count


# ── commands by text, and on whole files ─────────────────────────────────────────────────────────


def _text_command(section: Section, problems: list[Problem]) -> Edit | None:
    """`marker --- content`, or the extension with BEFORE:, MARKER: and AFTER: blocks before the `---`."""
    if "---" not in section.content:
        advice = "Put a line of `---` between the text to find and the new text."
        problems.append(_bad(section.command_line, f"`{section.command}` has no `---`", advice, section.path))
        return None
    cut = section.content.index("---")
    content = section.content[cut + 1 :]
    before, marker, after = _labelled(section.content[:cut])
    if not marker:
        advice = "Give the lines to find between the command and the `---`."
        problems.append(_bad(section.command_line, f"`{section.command}` has no text to find", advice, section.path))
        return None
    if section.command == "delete-text" and not _empty(section, content, problems):
        return None
    tagged = []
    for tag in _TEXT_TAGS[section.command]:
        tagged += [(tag, line) for line in (content if tag == "+" else marker)]
    where = Where(before=tuple(before), after=tuple(after)) if before or after else _ANYWHERE
    # A marker that a later `---` would make begins with that of the second one: if that isn't in the file, none is.
    rival = section.content[: cut + 1 + content.index("---")] if "---" in content else []
    hunk = Hunk(tuple(tagged), where, _POLICY, section.command_line + 1, rival=tuple(_labelled(rival)[1]))
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


def _file_command(section: Section, problems: list[Problem]) -> Op | None:
    if section.command == "delete-file":
        return Delete(section.path, section.line, "delete-file") if _empty(section, section.content, problems) else None
    text = "\n".join(section.content) + "\n" if section.content else ""
    return Write(section.path, text, True, section.line, "create-file")


def _bad(line: int, detail: str, advice: str, path: str = "") -> Problem:
    return Problem("bad_patch", detail, path, line, advice=advice)
