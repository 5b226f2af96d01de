"""The "*** Begin Patch" envelope (V4A, apply_patch), as models write it: indented, or without its first line.

    patch    = "*** Begin Patch" { section } "*** End Patch"
    section  = "*** Update File: PATH" [ "*** Move to: NEW" ] { hunk }
             | "*** Add File: PATH" { "+line" }
             | "*** Delete File: PATH"
    hunk     = { "@@" [ header ] } { line } [ "*** End of File" ]
    line     = " kept" | "-removed" | "+added" | "\\ No newline at end of file"

A patch may also begin with a directive alone, and stand in a here-document of a shell command that enters a folder
first. Finds no place in any file.
"""

from __future__ import annotations

import re
from functools import lru_cache

from ...model import TOLERANT, Delete, Edit, Hunk, Move, Note, Op, Patch, Where, Write
from ...parsing import bad, run_end, said_once
from ...parsing.fences import Fence, fence_of, unwrapped
from ...parsing.quotes import is_prose
from ...problems import Problem
from ...record import NamedTuple
from ...similarity import close_names
from ...text import changed_end, indent_of, patch_lines, rows_with_cr

_NAME = "begin-patch"
_FILES = ("update", "add", "delete")
_SIGNS = frozenset(" +-")
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
    """Where findings go, and which rows of the answer end in CR."""

    problems: list[Problem]
    notes: list[Note]
    crs: frozenset[int] = frozenset()

    def refuse(self, line: int, detail: str, advice: str, path: str = "") -> None:
        """Add what is wrong with a line."""
        self.problems.append(bad(line, detail, advice, path))


def parse(text: str) -> Patch:
    """What the patches in an answer say, as one transaction."""
    reading = Reading([], [], rows_with_cr(text))
    ops: list[Op] = []
    patches = envelopes(patch_lines(text))
    for envelope in patches:
        ops += _operations(envelope, reading)
    if not ops and not reading.problems:
        advice = "Name each file with `*** Update File:`, `*** Add File:` or `*** Delete File:` inside the envelope."
        detail = "the patch names no file" if patches else "there is no `*** Begin Patch`"
        reading.refuse(patches[0].line if patches else 1, detail, advice)
    ops = said_once(ops, reading.notes)
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
    """Whether a patch begins at a row, with its envelope or with a directive: its format's name."""
    return _NAME if _word(lines[row].lstrip(" \t")) in ("begin", *_FILES) else ""


def closes(line: str) -> str:
    """Whether a line ends a patch: its format's name."""
    return _NAME if _word(line) == "end" else ""


def block_end(lines: list[str], row: int, limit: int, fenced: bool) -> int:
    """The row behind the patch that begins at a row: its end mark, the next patch, or what can't be a line of it."""
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
_MEANT = {
    "*** Update File: PATH": ("modify", "edit", "change", "patch", "replace", "updated", "file"),
    "*** Add File: PATH": ("create", "new", "write", "insert", "make"),
    "*** Delete File: PATH": ("remove", "erase", "drop", "unlink"),
    "*** Update File: PATH` with `*** Move to: NEW": ("rename", "move", "copy"),
}
_WRITTEN = {"update file": "*** Update File: PATH", "add file": "*** Add File: PATH", "move to": "*** Move to: NEW",
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


def directive(line: str) -> Directive | None:
    """What a line that begins with stars says; None for one that is no directive."""
    return _directive(line) if line[:3] == "***" else None


@lru_cache(maxsize=256)  # each is asked for by who finds the patch, its end, its sections
def _directive(line: str) -> Directive | None:
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
    mark = directive(line)
    return mark.word if mark is not None else ""


def meant(said: str) -> str:
    """What to write in the place of an unknown directive."""
    key = " ".join(said.partition(":")[0].split()).lower()
    for right, words in _MEANT.items():
        if key.partition(" ")[0] in words:
            return f"Write `{right}`."
    near = close_names(key[:80], _WRITTEN)
    if near:
        return f"Did you mean `{_WRITTEN[near[0]]}`?"
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
    numbers = re.match(r"-(\d{1,9})(?:,(\d{1,9}))?(?:[ \t]+\+\d+(?:,\d+)?)?[ \t]*(?:@@|$)", words)
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
        indent = indent_of(lines[row])
        mark = directive(lines[row][len(indent) :]) if "***" in lines[row] else None
        # Among prose, a line of stars is only taken for a misspelt directive where it speaks of a file.
        strange = mark is not None and mark.word == "unknown" and not indent and "file:" in mark.argument.lower()
        if mark is not None and (strange or mark.word in ("begin", *_FILES)):
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
    """The patch that begins at a row, and the row to go on from. `explicit`: with `*** Begin Patch`.

    Without, it also ends with the here-document or the fence (`around`) that it stands in.
    """
    word = heredoc(lines[row - 1]) if row else ""
    folder = _entered(lines, row - 1) if word else ""
    first = row + explicit

    def leaves(line: str) -> bool:
        fence = fence_of(line) if around is not None and line[:1] in ("`", "~") else None
        return (word != "" and line.strip() == word) or (
            fence is not None and around is not None and fence.closes(around)
        )

    def stop_for(indent: str) -> int:
        """The first line that can't belong to the patch: the end mark, another beginning, or what surrounds it."""
        for at in range(first, len(lines)):
            line = lines[at]
            if not line.startswith(indent):
                if line.strip():
                    return at
                continue
            line = line[len(indent) :]
            ends = "***" in line and _word(line) in ("begin", "end")
            if ends or (not explicit and at > row and leaves(line)):
                return at
        return len(lines)

    def is_ended(stop: int, indent: str) -> bool:
        """Whether the end mark stands there, as deep as the beginning."""
        return stop < len(lines) and lines[stop].startswith(indent) and _word(lines[stop][len(indent) :]) == "end"

    indent = indent_of(lines[row])
    stop = stop_for(indent)
    if indent and not (is_ended(stop, indent) if explicit else any(map(str.strip, lines[first + 1 : stop]))):
        indent = ""  # of the first line alone, not of the whole patch
        stop = stop_for(indent)
    ended = is_ended(stop, indent)
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
    """The row of an end mark with blanks before it that is the last thing in the answer; else the answer's end."""
    for row in range(len(lines) - 1, first - 1, -1):
        bare = lines[row].strip()
        if _word(bare) == "end":
            return row
        if bare and fence_of(bare) is None and not bare.isalpha():
            break
    return len(lines)


def _trimmed(body: list[str], prose: bool) -> list[str]:
    """A body without end mark: without blank lines at its end and, where nothing marks its end, without prose."""
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
    """One file's part of the patch: the directive, where it moves to, its lines with their numbers in the answer.

    `word` is "" above the first directive, "unknown" below one that nobody knows: what stands there goes no further.
    `begun`: a line has come that an indented line of stars may belong to.
    """

    __slots__ = ("begun", "line", "lines", "moves", "path", "word")

    def __init__(self, word: str, path: str, line: int) -> None:
        self.word, self.path, self.line, self.begun = word, path, line, False
        self.lines: list[tuple[int, str]] = []
        self.moves: list[tuple[int, str]] = []


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
    for section in _sections(envelope, reading):
        section.lines = _without_fence(section.lines)
        if section.word == "update":
            ops += _updated(section, reading)
        elif section.word == "add":
            ops += _added(section, reading)
        elif section.word == "delete":
            ops += _deleted(section, reading)
    return ops


def _sections(envelope: Envelope, reading: Reading) -> list[Section]:
    sections = [Section("", "", envelope.line)]
    wrappers = _wrappers(envelope.lines)
    for index, line in enumerate(envelope.lines):
        number, current = envelope.first + index, sections[-1]
        mark = _directive_in(line, current) if "***" in line else None
        if mark is None:
            if index in wrappers:
                continue
            if current.word:
                current.lines.append((number, line))
                if not current.begun and line:
                    # Context of a hunk may begin with stars behind its sign, a line of a new file without its sign too.
                    new = current.word == "add" and line[0] != "+"
                    current.begun = bool(line.strip()) if current.word == "update" else new
            elif line.strip():
                _stray(number, line, current, reading)
        elif mark.word in ("move", *_FILES):
            path = path_of(mark.argument)
            path = f"{envelope.folder}/{path}" if envelope.folder and path and path[0] != "/" else path
            if mark.word == "move":
                _move(number, path, current, reading)
                continue
            name = mark.word.capitalize()
            if not path:
                reading.refuse(number, f"`*** {name} File:` names no file", f"Write `*** {name} File: PATH`.")
            sections.append(Section(mark.word if path else "unknown", path, number))
        elif mark.word == "unknown":
            reading.refuse(number, f"`*** {_short(mark.argument)}` is not a directive", meant(mark.argument))
            sections.append(Section("unknown", "", number))
    return sections


def _directive_in(line: str, current: Section) -> Directive | None:
    """What a line says as a directive; None where it belongs to the section. Blanks before it only count in hunks."""
    mark = directive(line)
    if mark is None and line[:1] in (" ", "\t") and not current.begun:
        mark = directive(line.lstrip(" \t"))
        if mark is not None and mark.word == "unknown" and current.lines:
            return None
    return None if mark is not None and mark.word == "eof" and current.word else mark


def _wrappers(lines: list[str]) -> set[int]:
    """The fences inside an envelope: one above a directive opens, the one below which no more comes closes."""
    fenced = {index for index, line in enumerate(lines) if line[:1] in ("`", "~") and fence_of(line)}
    if not fenced:
        return set()
    wrappers: set[int] = set()
    below = True  # whether a directive or the end comes next
    for index in range(len(lines) - 1, -1, -1):
        if index in fenced:
            wrappers |= {index} if below else set()
        elif lines[index].strip():
            below = bool(_word(lines[index].lstrip(" \t")))
    first = next((index for index, line in enumerate(lines) if line.strip() and not fence_of(line)), len(lines))
    return wrappers if any(index < first for index in wrappers) else set()


def _without_fence(lines: list[tuple[int, str]]) -> list[tuple[int, str]]:
    """The lines of a section without the fence that all of them stand in."""
    first = next((line for _, line in lines if line.strip()), "")
    region = unwrapped([line for _, line in lines]) if first[:1] in ("`", "~") else None
    return lines[region.start : region.end] if region is not None else lines


def _stray(number: int, line: str, current: Section, reading: Reading) -> None:
    """A line above the first directive: one finding for all of them."""
    if line.startswith(("@@", "+", "-")):
        detail = f"`{_short(line)}` comes before the first directive, so no file is named for it"
        reading.refuse(number, detail, "Write `*** Update File: PATH` above the hunks.")
        current.word = "unknown"
    else:
        if not current.lines:
            reading.notes.append(Note("text above the first directive was skipped", patch_line=number))
        current.lines.append((number, line))


def _move(number: int, path: str, current: Section, reading: Reading) -> None:
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
    ops: list[Op] = []
    hunks = _hunks(section.path, section.lines, reading.notes)
    if reading.crs:
        signed = ((line[:1], line[1:], number - 1 in reading.crs) for number, line in section.lines)
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
    lines: list[tuple[int, str]] = []
    end = "\n"
    for number, line in section.lines:
        if _is_no_newline(line):
            end = ""
        elif not _is_frame(line) and (lines or line.strip()):
            lines.append((number, line))
            end = "\n" if line.strip() else end
    while lines and not lines[-1][1].strip():
        lines.pop()
    content = [line for _, line in lines]
    if any(line[:1] == "+" for line in content):
        # Empty lines between those with a sign have lost it.
        odd = [(number, line) for number, line in lines if line[:1] != "+" and line.strip()]
        if odd:
            detail = f"`{_short(odd[0][1])}` has no `+` before it, but other lines of the new file do"
            reading.refuse(odd[0][0], detail, "Begin every line of a new file with `+`.", section.path)
            return []
        content = [line[1:] for line in content]
    elif content:
        note = "no line of the new file begins with `+`; they were taken as they are"
        reading.notes.append(Note(note, section.path, section.line))
        # One blank before every line is the sign of a kept line, not an indentation.
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
    """A deletion; lines below it must stand in the file."""
    lines = [
        (number, line)
        for number, line in section.lines
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
    line = line.strip()
    return line if len(line) <= 60 else line[:57] + "..."


# ── hunks ────────────────────────────────────────────────────────────────────────────────────────


# One line of a hunk as written: its number in the answer, its sign ("" for none), the text behind the sign. An empty
# line without a sign may be blank context, or only keep things apart.
Line = tuple[int, str, str]


class Draft:
    """A hunk while its lines come in: headers it stands `under`, numbers they claim, its lines.

    `unended`: the signs of lines that are said to have no line end. `at_end`: it says that the file ends with it.
    `headers`: how many lines of `@@` it has.
    """

    __slots__ = ("at_end", "headers", "last", "line", "lines", "number", "under", "unended")

    def __init__(self) -> None:
        self.number = self.headers = 0
        self.under: list[str] = []
        self.line = self.last = 0
        self.lines: list[Line] = []
        self.unended: list[str] = []
        self.at_end = False

    @property
    def is_empty(self) -> bool:
        """Whether nothing but blank lines came in so far."""
        return not any(sign in ("+", "-") or text.strip() for _, sign, text in self.lines)


def _hunks(path: str, lines: list[tuple[int, str]], notes: list[Note]) -> tuple[Hunk, ...]:
    """All hunks of a section, in the order of the patch."""
    drafts = _drafts(_without_names(path, lines))
    hunks: list[Hunk] = []
    for draft in drafts:
        if draft.is_empty:
            if draft.under:
                notes.append(Note(f"there is nothing below `@@ {draft.under[-1]}`", path, draft.number))
            continue
        hunks.append(_hunk(path, draft))
        if not hunks[-1].tags.strip(" "):
            notes.append(Note("the hunk changes nothing", path, draft.number))
    return tuple(hunks)


def _without_names(path: str, lines: list[tuple[int, str]]) -> list[tuple[int, str]]:
    """The lines without the two that name the file in a unified diff, where the section begins with them."""
    first = next((index for index, (_, line) in enumerate(lines) if line), 0)
    old, new, below = [line for _, line in lines[first : first + 3]] if len(lines) >= first + 3 else ("", "", "")
    if not (old.startswith("--- ") and new.startswith("+++ ") and below.startswith("@@")):
        return lines
    name = path.rpartition("/")[2]
    named = [said[4:].partition("\t")[0].strip().rpartition("/")[2] in (name, "null") for said in (old, new)]
    return lines[first + 2 :] if all(named) else lines


def _drafts(lines: list[tuple[int, str]]) -> list[Draft]:
    drafts = [Draft()]
    for number, text in lines:
        draft, sign = drafts[-1], text[:1]
        if sign in _SIGNS:
            draft.lines.append((number, sign, text[1:]))
        elif sign == "*" and _word(text) == "eof":
            draft.at_end = True
            drafts.append(Draft())
            continue
        elif text.startswith("@@"):
            # A header begins a hunk; below another header, with no line between, it lies within that one.
            if draft.is_empty:
                draft.lines.clear()
            else:
                draft = Draft()
                drafts.append(draft)
            if not draft.under:
                draft.number = number
            draft.headers += 1
            said = header(text)
            draft.under += [said.text] if said.text else []
            if said.line:
                draft.line, draft.last = said.line, said.last
        elif sign == "\\" and _is_no_newline(text):
            draft.unended += [before for _, before, _ in draft.lines[-1:]]
        else:
            draft.lines.append((number, "", text))
        draft.number = draft.number or number
    return drafts


def _hunk(path: str, draft: Draft) -> Hunk:
    lines = _anchored(draft.lines)
    tagged = tuple([(sign or " ", text) for _, sign, text in lines])
    # Numbers only help to choose between places: where there is nothing to find, they say too little.
    numbered = any(tag != "+" for tag, _ in tagged)
    removed, added = "-" in draft.unended, "+" in draft.unended
    where = Where(
        line=draft.line if numbered else 0, last=draft.last if numbered else 0, under=tuple(draft.under),
        at_end=draft.at_end or bool(draft.unended),
        final="" if removed == added else "made" if removed else "lost",
        advisory=len(draft.under) == draft.headers == 1,
    )  # fmt: skip
    return Hunk(tagged, where, TOLERANT, draft.number, _doubts(path, lines))


def _anchored(lines: list[Line]) -> list[Line]:
    """The lines; empty ones around nothing but additions are no context: any empty line of the file would fit them."""
    if any(sign == "-" or (sign != "+" and (sign or text)) for _, sign, text in lines):
        return lines
    added = [index for index, (_, sign, text) in enumerate(lines) if sign or text]
    return lines[added[0] : added[-1] + 1]


def _doubts(path: str, lines: list[Line]) -> tuple[Problem, ...]:
    """The complaint about lines without a sign, for the case that the hunk has no place."""
    odd = [(number, text) for number, sign, text in lines if not sign and text.strip()]
    if not odd:
        return ()
    others = f" ({len(odd) - 1} more like it)" if len(odd) > 1 else ""
    detail = (
        f"the line `{_short(odd[0][1])}` has no space, `-` or `+` before it{others}, and isn't in the file as it is"
    )
    advice = "Begin each line of a hunk with a space (kept), `-` (removed) or `+` (added)."
    return (bad(odd[0][0], detail, advice, path),)
