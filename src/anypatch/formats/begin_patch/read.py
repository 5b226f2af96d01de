"""Reads the "*** Begin Patch" envelope (V4A, apply_patch) as models write it: indented, or without its first line.

    patch    = "*** Begin Patch" { section } "*** End Patch"
    section  = "*** Update File: PATH" [ "*** Move to: NEW" ] { hunk }
             | "*** Add File: PATH" { "+line" }
             | "*** Delete File: PATH"
    hunk     = { "@@" [ header ] } { line } [ "*** End of File" ]
    line     = " kept" | "-removed" | "+added" | "\\ No newline at end of file"

A patch may also begin with a directive alone, and be the here-document of a shell command that enters a folder first.
Finds no place in any file.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from ...answer.fences import Fence, fence_of, run_end, unwrapped
from ...answer.prose import is_prose
from ...model import ANYWHERE, TOLERANT, Delete, Edit, Hunk, Move, Note, Op, Patch, Where, Write
from ...problems import Problem, bad
from ...similarity import close_names
from ...text import changed_end, indent_of, patch_lines, rows_with_cr

if TYPE_CHECKING:
    from collections.abc import Iterator

_NAME = "begin-patch"
_FILES = ("update", "add", "delete")
# Its headers say where a hunk is, and a hunk that is applied already has no place (formats/begin-patch.md).
_POLICY = TOLERANT._replace(
    levels=("exact", "trailing space", "indentation", "punctuation", "inner space", "blank lines", "comments"),
    headers_bind=True,
    no_op=False,
)
_SIGNS = frozenset(" +-")
_ADDED = frozenset(("", "+"))
_CONTROLS = frozenset("@*\\")  # what lines of a hunk begin with that aren't text
_LEADS = " +-@*\\"  # what lines of a patch begin with


class Envelope(NamedTuple):
    """The lines of one patch; `first` is the 1-based line of the answer that they begin with.

    `cut`: it was opened (at `line`) and never closed. `folder`: what the paths are relative to, "" the root.
    """

    line: int
    first: int
    lines: list[str]
    folder: str = ""
    cut: bool = False


class Reading(NamedTuple):
    """Problems and notes so far, the rows of the answer that end in CR, and whether it holds any fence."""

    problems: list[Problem]
    notes: list[Note]
    crs: frozenset[int]
    has_fences: bool

    def refuse(self, line: int, detail: str, advice: str, path: str = "") -> None:
        """Add what is wrong with a line."""
        self.problems.append(bad(line, detail, advice, path))


def parse(text: str) -> Patch:
    """Read the patches in an answer, as one transaction."""
    reading = Reading([], [], rows_with_cr(text), "```" in text or "~~~" in text)
    ops: list[Op] = []
    patches = envelopes(patch_lines(text))
    for envelope in patches:
        ops += _operations(envelope, reading)
    if not ops and not reading.problems:
        advice = "Name each file with `*** Update File:`, `*** Add File:` or `*** Delete File:` inside the envelope."
        detail = "the patch names no file" if patches else "there is no `*** Begin Patch`"
        reading.refuse(patches[0].line if patches else 1, detail, advice)
    return Patch(_NAME, tuple(ops), "", tuple(reading.problems), tuple(reading.notes))


def sniff(text: str) -> int:
    """How much a text looks like a "*** Begin Patch"."""
    words = []
    for line in text.removeprefix("\ufeff").split("\n") if "***" in text else ():
        word = _word(line.lstrip(" \t"))
        if word in ("begin", "end", *_FILES):
            words.append(word)
            if word == "begin" or len(words) == 2:
                return 95
    return 80 if words and words != ["end"] else 0


def opens(lines: list[str], row: int) -> str:
    """The format's name if a patch begins at a row, with its envelope or with a directive; else ""."""
    return _NAME if _word(lines[row].lstrip(" \t")) in ("begin", *_FILES) else ""


def closes(line: str) -> str:
    """The format's name if a line ends a patch; else ""."""
    return _NAME if _word(line) == "end" else ""


def block_end(lines: list[str], row: int, limit: int, fenced: bool) -> int:
    """The row after the patch that begins at a row: its end mark, the next patch, or what can't be a line of it."""
    explicit = _word(lines[row].lstrip(" \t")) == "begin"
    for at in range(row + 1, len(lines) if explicit else limit):
        word = _word(lines[at].lstrip(" \t")) if "***" in lines[at] else ""
        if word in ("begin", "end"):
            return at + (word == "end")
    return limit if fenced else run_end(lines, row, lambda line: not line, _LEADS)


# ── directives ───────────────────────────────────────────────────────────────────────────────────

_NAMED = {"update file": "update", "add file": "add", "delete file": "delete", "move to": "move",
          "environment id": "environment"}  # fmt: skip
_PLAIN = {"begin patch": "begin", "end patch": "end", "end of file": "eof"}
_SYNONYMS = {
    "*** Update File: PATH": ("modify", "edit", "change", "patch", "replace", "updated", "file"),
    "*** Add File: PATH": ("create", "new", "write", "insert", "make"),
    "*** Delete File: PATH": ("remove", "erase", "drop", "unlink"),
    "*** Update File: PATH` with `*** Move to: NEW": ("rename", "move", "copy"),
}
_SPELLINGS = {"update file": "*** Update File: PATH", "add file": "*** Add File: PATH", "move to": "*** Move to: NEW",
            "delete file": "*** Delete File: PATH", "end of file": "*** End of File",
            "end patch": "*** End Patch"}  # fmt: skip


class Directive(NamedTuple):
    """A line of stars: what it says ("unknown": nothing that is known) and of what."""

    word: str
    argument: str = ""


class Header(NamedTuple):
    """What a line of `@@` says: a text, and lines line..last of the old file (0: no numbers)."""

    text: str
    line: int = 0
    last: int = 0


@lru_cache(maxsize=256)  # each is asked for when the patch, its end and its sections are looked for
def directive(line: str) -> Directive | None:
    """What a line that begins with stars says; None if it isn't a directive."""
    if line[:3] != "***":
        return None
    words = line[3:].strip()
    name, colon, argument = words.partition(":")
    key = " ".join(name.split()).lower()
    if colon and key in _NAMED:
        return Directive(_NAMED[key], argument)
    plain = key.rstrip("* ")
    if not colon and plain in _PLAIN:
        return Directive(_PLAIN[plain])
    return Directive("unknown", words) if line[3:4] in (" ", "\t") and words.strip("* \t") else None


def _word(line: str) -> str:
    """What a line says as a directive, "" if it isn't one."""
    mark = directive(line) if line[:3] == "***" else None
    return mark.word if mark is not None else ""


def suggestion(directive: str) -> str:
    """What to write in the place of an unknown directive."""
    key = " ".join(directive.partition(":")[0].split()).lower()
    for right, words in _SYNONYMS.items():
        if key.partition(" ")[0] in words:
            return f"Write `{right}`."
    near = close_names(key[:80], _SPELLINGS)
    if near:
        return f"Did you mean `{_SPELLINGS[near[0]]}`?"
    directives = "The directives are `*** Update File:`, `*** Add File:`, `*** Delete File:` and `*** Move to:`"
    return f"{directives}; a line of a file needs a space, `-` or `+` before it."


def path_of(argument: str) -> str:
    """A path as written, without what surrounds it."""
    path = argument.strip().removesuffix(" ***").rstrip()
    for quote in ("`", '"', "'", "**"):
        if len(path) > 2 * len(quote) and path.startswith(quote) and path.endswith(quote):
            return path[len(quote) : -len(quote)].strip()
    return path


def header(line: str) -> Header:
    """A line that begins with `@@`, without its decoration. Numbers are those of the old side."""
    words = line[2:].strip()
    numbers = words[:1] == "-" and re.match(r"-(\d{1,9})(?:,(\d{1,9}))?(?:[ \t]+\+\d+(?:,\d+)?)?[ \t]*(?:@@|$)", words)
    if numbers:
        start, count = int(numbers[1]), int(numbers[2] or 1)
        text = words[numbers.end() :].strip()
        return Header(text, start, start + count - 1) if start and count else Header(text)
    text = words.removesuffix("@@").rstrip()
    return Header("" if text in ("...", "…") else text)


def heredoc(line: str) -> str:
    """The word that ends the here-document a shell command opens, "" for other lines."""
    match = re.search(r"<<-?[ \t]*\\?(['\"]?)(\w+)\1[ \t]*$", line) if "<<" in line else None
    return match[2] if match else ""


def folders(command: str) -> list[str]:
    """The folders that a shell command enters by `cd`, in order."""
    if "cd" not in command:
        return []
    entered = re.findall(r"(?:^|[\s;&(\"'])cd[ \t]+(\"[^\"]*\"|'[^']*'|[^\s;&]+)[ \t]*(?=&&|;|$)", command)
    return [word.strip("\"'") for word in entered]


# ── the patches of an answer ─────────────────────────────────────────────────────────────────────


def envelopes(lines: list[str]) -> list[Envelope]:
    """Every patch in the answer: enveloped, or from a directive on."""
    patches: list[Envelope] = []
    row = 0
    around: Fence | None = None
    while row < len(lines):
        if "***" in lines[row]:
            bare = lines[row].lstrip(" \t")
            mark = directive(bare)
            # Among prose, a line of stars is only taken for a misspelt directive if it speaks of a file.
            starts = ("begin", *_FILES, *(["unknown"] if bare == lines[row] and "file:" in bare.lower() else ()))
            if mark is not None and mark.word in starts:
                envelope, row = _envelope(lines, row, mark.word == "begin", around)
                patches.append(envelope)
                continue
        fence = fence_of(lines[row])
        if around is None:
            around = fence
        elif fence is not None and fence.closes(around):
            around = None
        row += 1
    return patches


def _envelope(lines: list[str], row: int, explicit: bool, around: Fence | None) -> tuple[Envelope, int]:
    """The patch that begins at a row, and the row after it. `explicit`: with `*** Begin Patch`.

    Without, it also ends with the here-document or the fence (`around`) that it is in.
    """
    word = heredoc(lines[row - 1]) if row else ""
    folder = _entered(lines, row - 1) if word else ""
    first = row + explicit

    def leaves(line: str) -> bool:
        fence = fence_of(line) if around is not None and line[:1] in ("`", "~") else None
        return line.strip() == word != "" or (fence is not None and around is not None and fence.closes(around))

    def find_end(indent: str) -> tuple[int, bool]:
        """The first row that can't belong to the patch, and whether the end mark is there, as deep as the beginning."""
        for at in range(first, len(lines)):
            line = lines[at]
            if indent and not line.startswith(indent):
                if line.strip():
                    return at, False
                continue
            line = line[len(indent) :]
            if "***" in line and (mark := _word(line)) in ("begin", "end"):
                return at, mark == "end"
            if not explicit and at > row and leaves(line):
                return at, False
        return len(lines), False

    indent = indent_of(lines[row])
    stop, ended = find_end(indent)
    if indent and not (ended if explicit else any(map(str.strip, lines[first + 1 : stop]))):
        indent = ""  # of the first line alone, not of the whole patch
        stop, ended = find_end(indent)
    if explicit and not ended and stop == len(lines):
        stop = _padded_end(lines, first)
        ended = stop < len(lines)
    body = lines[first:stop]
    if indent:
        body = [line[len(indent) :] if line.startswith(indent) else line.lstrip(" \t") for line in body]
    if not ended:
        body = _trimmed(body, prose=stop == len(lines) and not explicit)
    return Envelope(row + 1, first + 1, body, folder, explicit and not ended), stop + ended


def _entered(lines: list[str], row: int) -> str:
    """The folder that a shell command, and `cd` commands on lines of their own above it, enter."""
    entered = folders(lines[row])
    while row and lines[row - 1].startswith("cd "):
        row -= 1
        entered[:0] = folders(lines[row])
    return "/".join(folder.rstrip("/") or "/" for folder in entered)


def _padded_end(lines: list[str], first: int) -> int:
    """The row of an indented end mark that is the last thing in the answer; else the answer's end."""
    for row in range(len(lines) - 1, first - 1, -1):
        bare = lines[row].strip()
        if _word(bare) == "end":
            return row
        if bare and fence_of(bare) is None and not bare.isalpha():
            break
    return len(lines)


def _trimmed(body: list[str], prose: bool) -> list[str]:
    """A body that lacks its end mark, without blank lines at its end and, if `prose`, without prose."""
    end = len(body)
    while True:
        while end and not body[end - 1]:
            end -= 1
        start = end
        while start and body[start - 1] and body[start - 1][0] not in _LEADS:
            start -= 1
        if not prose or start == end or not start or body[start - 1]:
            return body[:end]
        # Lines of a file that lost their sign may be as short as `else:`, and a comment looks like a heading.
        first = body[start]
        if not first[0].isalpha() or first.count(" ") < 2 or not is_prose(body[start:end]):
            return body[:end]
        end = start


# ── sections ─────────────────────────────────────────────────────────────────────────────────────


class Section:
    """One file's part of the patch: the directive, where it moves to, its lines and their numbers in the answer.

    `word` is "" above the first directive, "unknown" below one that isn't known: lines there go no further.
    `begun`: it has a line that an indented line of stars may belong to.
    """

    __slots__ = ("begun", "line", "lines", "moves", "numbers", "path", "word")

    def __init__(self, word: str, path: str, line: int) -> None:
        self.word, self.path, self.line, self.begun = word, path, line, False
        self.lines: list[str] = []
        self.numbers: list[int] | range = range(0)
        self.moves: list[tuple[int, str]] = []

    @property
    def numbered(self) -> Iterator[tuple[int, str]]:
        """The lines with their numbers."""
        return zip(self.numbers, self.lines, strict=True)

    def take(self, lines: list[str], first: int) -> None:
        """Add lines, the first of which has this number."""
        numbers = range(first, first + len(lines))
        # Context of a hunk may begin with stars after its sign, a line of a new file that lost its sign, too.
        if self.word == "update":
            self.begun = self.begun or any(map(str.strip, lines))
        elif self.word == "add":
            self.begun = self.begun or not _ADDED.issuperset([line[:1] for line in lines])
        if self.lines:
            self.lines += lines
            self.numbers = self.numbers if isinstance(self.numbers, list) else list(self.numbers)
            self.numbers += numbers
        else:
            self.lines, self.numbers = lines, numbers

    def keep(self, start: int, end: int) -> None:
        """Drop all lines but some."""
        self.lines, self.numbers = self.lines[start:end], self.numbers[start:end]


def _operations(envelope: Envelope, reading: Reading) -> list[Op]:
    """What an envelope asks for, in order."""
    folder = envelope.folder
    if envelope.cut:
        detail = "`*** Begin Patch` has no `*** End Patch`, so the end may be missing"
        advice = "Send the whole patch again and close it with `*** End Patch`; none of it was applied."
        reading.refuse(envelope.line, detail, advice)
        return []
    if any(sign in folder for sign in "$`*") or folder.startswith("~"):
        detail = f"the paths are relative to `{folder}`, which only a shell can resolve"
        reading.refuse(envelope.line, detail, "Leave the `cd` out and write the paths relative to the root.")
        return []
    ops: list[Op] = []
    sections = _sections(envelope, reading)
    if reading.has_fences:
        _unfence(sections)
    _check_stray(sections[0], reading)
    for section in sections:
        if section.word == "update":
            ops += _updated(section, reading)
        elif section.word == "add":
            ops += _added(section, reading)
        elif section.word == "delete":
            ops += _deleted(section, reading)
    return ops


def _sections(envelope: Envelope, reading: Reading) -> list[Section]:
    """The sections of an envelope, each with the lines up to the next directive."""
    lines, first = envelope.lines, envelope.first
    sections = [Section("", "", envelope.line)]
    start = 0
    for row in [row for row, line in enumerate(lines) if "***" in line]:
        mark, current = directive(lines[row]), sections[-1]
        is_indented = mark is None and not current.begun and lines[row][:1] in (" ", "\t")
        if not is_indented and (mark is None or (mark.word == "eof" and current.word)):
            continue
        current.take(lines[start:row], first + start)
        start = row
        if is_indented:
            mark = _indented_directive(lines[row], current)
        if mark is None:
            continue
        start = row + 1
        if mark.word == "move":
            _move(first + row, _path(mark, envelope), current, reading)
        elif mark.word in _FILES:
            path, name = _path(mark, envelope), mark.word.capitalize()
            if not path:
                reading.refuse(first + row, f"`*** {name} File:` names no file", f"Write `*** {name} File: PATH`.")
            sections.append(Section(mark.word if path else "unknown", path, first + row))
        elif mark.word == "unknown":
            reading.refuse(first + row, f"`*** {_short(mark.argument)}` is not a directive", suggestion(mark.argument))
            sections.append(Section("unknown", "", first + row))
    sections[-1].take(lines[start:], first + start)
    return sections


def _path(mark: Directive, envelope: Envelope) -> str:
    """The path that a directive names, in the folder that the shell has entered."""
    path = path_of(mark.argument)
    return f"{envelope.folder}/{path}" if envelope.folder and path and path[0] != "/" else path


def _indented_directive(line: str, current: Section) -> Directive | None:
    """What an indented line says as a directive; None if it is a line of the section, of a hunk mostly."""
    mark = directive(line.lstrip(" \t")) if not current.begun else None
    if mark is None or (mark.word == "eof" and current.word):
        return None
    has_text = any(current.word or (line.strip() and not _is_fence(line)) for line in current.lines)
    return None if mark.word == "unknown" and has_text else mark


def _unfence(sections: list[Section]) -> None:
    """Drop the fence around all sections, or around each of them, and the one around all lines of a section."""
    is_wrapped = any(map(_is_fence, sections[0].lines))
    for section in sections:
        lines = section.lines
        at = end = len(lines)
        while is_wrapped and at and (not lines[at - 1].strip() or _is_fence(lines[at - 1])):
            at -= 1
            end = at if lines[at].strip() else end
        section.keep(0, end)
        first = next((line for line in section.lines if line.strip()), "")
        region = unwrapped(section.lines) if _is_fence(first) else None
        if region is not None:
            section.keep(region.start, region.end)


def _is_fence(line: str) -> bool:
    """Whether a line opens or closes a fence; with a space before it, it is a line of a file."""
    return line[:1] in ("`", "~") and fence_of(line) is not None


def _check_stray(section: Section, reading: Reading) -> None:
    """Report lines above the first directive, all of them once."""
    stray = [(number, line) for number, line in section.numbered if line.strip()]
    if stray and not stray[0][1].startswith(("@@", "+", "-")):
        reading.notes.append(Note("text above the first directive was skipped", patch_line=stray[0][0]))
    for number, line in stray:
        if line.startswith(("@@", "+", "-")):
            detail = f"`{_short(line)}` comes before the first directive, so no file is named for it"
            reading.refuse(number, detail, "Write `*** Update File: PATH` above the hunks.")
            break


def _move(number: int, path: str, current: Section, reading: Reading) -> None:
    """Note where a section moves its file to."""
    if current.word == "unknown":
        return
    if current.word != "update":
        detail = "`*** Move to:` belongs in an `*** Update File:` section"
        reading.refuse(number, detail, "Write `*** Update File: PATH`, then `*** Move to: NEW`.")
    elif not path or current.moves:
        detail = "the file is moved twice" if path else "`*** Move to:` names no file"
        reading.refuse(number, detail, "Write one `*** Move to: NEW` in the section.", current.path)
    else:
        current.moves.append((number, path))


def _updated(section: Section, reading: Reading) -> list[Op]:
    """The edit of a file, and its move."""
    ops: list[Op] = []
    hunks = _hunks(section, reading.notes)
    if reading.crs:
        signed = ((line[:1], line[1:], number - 1 in reading.crs) for number, line in section.numbered)
        changed = changed_end(signed, section.path, section.line)
        reading.problems.extend([changed] if changed else ())
    if hunks:
        ops.append(Edit(section.path, hunks, section.line))
    for number, to in section.moves:
        if to != section.path or not hunks:
            ops.append(Move(section.path, to, patch_line=number))
    if not ops:
        detail = f"`*** Update File: {section.path}` changes nothing"
        advice = "Write its hunks below it: `@@`, then lines that begin with a space, `-` or `+`."
        reading.refuse(section.line, detail, advice, section.path)
    return ops


def _added(section: Section, reading: Reading) -> list[Op]:
    """A new file. Empty lines between those with a `+` have lost it; if no line has one, they are taken as they are."""
    lines: list[tuple[int, str]] = []
    end = "\n"
    for number, line in section.numbered:
        if line[:1] == "+":
            lines.append((number, line))
            end = "\n"
        elif _is_no_newline(line):
            end = ""
        elif not _is_frame(line) and (lines or line.strip()):
            lines.append((number, line))
            end = "\n" if line.strip() else end
    while lines and not lines[-1][1].strip():
        lines.pop()
    content = [line for _, line in lines]
    if any(line[:1] == "+" for line in content):
        odd = [(number, line) for number, line in lines if line[:1] != "+" and line.strip()]
        if odd:
            detail = f"`{_short(odd[0][1])}` has no `+` before it, but other lines of the new file do"
            reading.refuse(odd[0][0], detail, "Begin every line of a new file with `+`.", section.path)
            return []
        content = [line[1:] for line in content]
    elif content:
        note = "no line of the new file begins with `+`; they were taken as they are"
        reading.notes.append(Note(note, section.path, section.line))
        # One space before every line is the sign of a kept line, not an indentation.
        signed = min(len(line) - len(line.lstrip(" ")) for line in content if line.strip()) == 1
        content = [line[1:] if signed else line for line in content]
    return [Write(section.path, "\n".join(content) + end if content else "", patch_line=section.line)]


def _is_frame(line: str) -> bool:
    """Whether a line is a hunk header or an end-of-file mark, which say nothing in a new file."""
    return line[2:3] in ("", " ") if line.startswith("@@") else _word(line) == "eof"


def _is_no_newline(line: str) -> bool:
    """Whether a line says that the one above it has no line end."""
    return line[:1] == "\\" and line[1:].strip().lower().startswith("no newline")


def _deleted(section: Section, reading: Reading) -> list[Op]:
    """A deletion; lines below it must be in the file."""
    lines = [
        (number, line)
        for number, line in section.numbered
        if line.strip() and not _is_frame(line) and not _is_no_newline(line)
    ]
    signed = any(line[0] == "-" for _, line in lines)
    odd = [(number, line) for number, line in lines if line[0] == "+" or (signed and line[0] not in "- ")]
    if odd:
        detail = f"`{_short(odd[0][1])}` doesn't belong below `*** Delete File:`"
        advice = "Write `*** Delete File: PATH` alone, or below it the file's lines, each with `-` before it."
        reading.refuse(odd[0][0], detail, advice, section.path)
        return []
    old = tuple(line[1:] if signed else line for _, line in lines)
    return [Delete(section.path, section.line, old=old)]


def _short(line: str) -> str:
    """A line as it is quoted in a message."""
    line = line.strip()
    return line if len(line) <= 60 else line[:57] + "..."


# ── hunks ────────────────────────────────────────────────────────────────────────────────────────


class Draft:
    """A hunk while it is read: the headers above it (`under`), numbers they claim, its lines as written.

    `number`: its first line in the answer; `numbers`: that of each of its lines.
    `unended`: what the lines begin with that have no newline. `at_end`: it says that the file ends with it.
    """

    __slots__ = ("at_end", "last", "line", "lines", "number", "numbers", "under", "unended")

    def __init__(self) -> None:
        self.number = self.line = self.last = 0
        self.under: list[str] = []
        self.lines: list[str] = []
        self.numbers: list[int] = []
        self.unended: list[str] = []
        self.at_end = False

    @property
    def is_empty(self) -> bool:
        """Whether it has only blank lines so far."""
        return not any(map(str.strip, self.lines))


def _hunks(section: Section, notes: list[Note]) -> tuple[Hunk, ...]:
    """All hunks of a section, in the order of the patch."""
    path = section.path
    hunks: list[Hunk] = []
    for draft in _drafts(section, _after_names(path, section.lines)):
        if draft.is_empty:
            if draft.under:
                notes.append(Note(f"there is nothing below `@@ {draft.under[-1]}`", path, draft.number))
            continue
        hunk = _hunk(path, draft)
        hunks.append(hunk)
        if hunk.old == hunk.new and all(line[0] == " " for line in hunk.signed):
            notes.append(Note("the hunk changes nothing", path, draft.number))
    return tuple(hunks)


def _after_names(path: str, lines: list[str]) -> int:
    """The row after the two lines that name the file as in a unified diff, if a section begins with them; else 0."""
    first = next((row for row, line in enumerate(lines) if line), 0)
    if not lines[first : first + 1] or not lines[first].startswith("--- ") or len(lines) < first + 3:
        return 0
    old, new, below = lines[first : first + 3]
    if not new.startswith("+++ ") or not below.startswith("@@"):
        return 0
    names = {line[4:].partition("\t")[0].strip().rpartition("/")[2] for line in (old, new)}
    return first + 2 if names <= {path.rpartition("/")[2], "null"} else 0


def _drafts(section: Section, start: int) -> list[Draft]:
    """The hunks from a row of a section on: each ends at the next header, or at the end of the file."""
    lines, numbers = section.lines, section.numbers
    drafts = [Draft()]
    for row in [*[row for row in range(start, len(lines)) if lines[row][:1] in _CONTROLS], len(lines)]:
        line, draft = lines[row] if row < len(lines) else "", drafts[-1]
        is_header, is_eof = line.startswith("@@"), _word(line) == "eof"
        if line and not is_header and not is_eof and not _is_no_newline(line):
            continue
        if start < row:
            draft.lines += lines[start:row]
            draft.numbers += numbers[start:row]
            draft.number = draft.number or numbers[start]
        start = row + 1
        if is_header:
            # A header begins a hunk; below another header, with no line between, it is within that one.
            if draft.is_empty:
                draft.lines, draft.numbers = [], []
            else:
                draft = Draft()
                drafts.append(draft)
            if not draft.under:
                draft.number = numbers[row]
            text, first, last = header(line)
            draft.under += [text] if text else []
            draft.line, draft.last = (first, last) if first else (draft.line, draft.last)
        elif is_eof:
            draft.at_end = True
            drafts.append(Draft())
        elif line:
            draft.unended += [before[:1] for before in draft.lines[-1:]]
            draft.number = draft.number or numbers[row]
    return drafts


def _hunk(path: str, draft: Draft) -> Hunk:
    """The old and new text of a hunk, and where they are."""
    lines = draft.lines
    doubts: tuple[Problem, ...] = ()
    if not _SIGNS.issuperset([line[:1] for line in lines]):
        lines = [line if line[:1] in _SIGNS else f" {line}" for line in _anchored(lines)]
        doubts = _doubts(path, draft)
    old = "\n".join([line[1:] for line in lines if line[0] != "+"] + [""])
    new = "\n".join([line[1:] for line in lines if line[0] != "-"] + [""])
    where = ANYWHERE
    if draft.under or draft.line or draft.at_end or draft.unended:
        removed, added = "-" in draft.unended, "+" in draft.unended
        final = "" if removed == added else "made" if removed else "lost"
        # Numbers only help to choose between places: if there is nothing to find, they say too little.
        first, last = (draft.line, draft.last) if old else (0, 0)
        where = Where(first, last, tuple(draft.under), at_end=draft.at_end or bool(draft.unended), final=final)
    hunk = Hunk(old, new, _POLICY, where, draft.number, tuple(lines))
    return hunk._replace(doubts=doubts) if doubts else hunk


def _anchored(lines: list[str]) -> list[str]:
    """The lines; empty ones around nothing but additions aren't context: any empty line of the file would match."""
    if any(line and line[0] != "+" for line in lines):
        return lines
    added = [row for row, line in enumerate(lines) if line]
    return lines[added[0] : added[-1] + 1]


def _doubts(path: str, draft: Draft) -> tuple[Problem, ...]:
    """The complaint about lines without a sign, in case the hunk has no place."""
    pairs = zip(draft.numbers, draft.lines, strict=True)
    odd = [(number, line) for number, line in pairs if line.strip() and line[0] not in _SIGNS]
    if not odd:
        return ()
    others = f" ({len(odd) - 1} more like it)" if len(odd) > 1 else ""
    detail = (
        f"the line `{_short(odd[0][1])}` has no space, `-` or `+` before it{others}, and isn't in the file as it is"
    )
    advice = "Begin each line of a hunk with a space (kept), `-` (removed) or `+` (added)."
    return (bad(odd[0][0], detail, advice, path),)
