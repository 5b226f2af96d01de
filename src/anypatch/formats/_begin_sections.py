"""The sections of a "*** Begin Patch": one file each. Turns them into operations; finds no place, touches no file."""

from __future__ import annotations

from ..errors import Problem
from ..model import Delete, Edit, Move, Note, Op, Write
from ..record import NamedTuple
from ._begin_hunks import hunks, is_no_newline
from ._begin_marks import Mark, closes, fence, mark, meant, path_of
from ._line_ends import changed_end

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ._begin_answer import Envelope

_FILES = ("update", "add", "delete")
_SIGN_ADVICE = "Begin every line of a new file with `+`."


class Reading(NamedTuple):
    """Where findings go, and which rows of the answer end in CR."""

    problems: list[Problem]
    notes: list[Note]
    crs: frozenset[int] = frozenset()


class Section:
    """One file's part of the patch: the directive, where it moves to, its lines with their numbers in the answer.

    `begun`: a line has come that an indented line of stars may belong to.
    """

    __slots__ = ("begun", "line", "lines", "moves", "path", "word")

    def __init__(self, word: str, path: str, line: int) -> None:
        self.word = word
        self.path = path
        self.line = line
        self.lines: list[tuple[int, str]] = []
        self.moves: list[tuple[int, str]] = []
        self.begun = False


def operations(envelope: Envelope, reading: Reading) -> list[Op]:
    """What an envelope asks for, in order."""
    if any(sign in envelope.folder for sign in "$`*") or envelope.folder.startswith("~"):
        detail = f"the paths are relative to `{envelope.folder}`, which only a shell can resolve"
        advice = "Leave the `cd` out and write the paths relative to the root."
        reading.problems.append(_bad(envelope.line, detail, advice))
        return []
    return [op for section in _sections(envelope, reading) for op in _operations(section, reading)]


# ── cutting into sections ────────────────────────────────────────────────────────────────────────


def _sections(envelope: Envelope, reading: Reading) -> list[Section]:
    found: list[Section] = []
    # Lines above the first directive, and those of a directive nobody knows, go here and no further.
    current = Section("", "", envelope.line)
    wrappers = _wrappers(envelope.lines)
    for index, line in enumerate(envelope.lines):
        number = envelope.first + index
        said = _directive(line, current) if "***" in line else None
        if said is None:
            if index in wrappers:
                continue
            if not current.word:
                _stray(number, line, current, reading)
            else:
                current.lines.append((number, line))
                if not current.begun and line:
                    current.begun = _begins(current.word, line)
        elif said.word in _FILES:
            current = _opened(said, number, envelope.folder, reading)
            found.append(current)
        elif said.word == "move":
            _moved(said, number, current, envelope.folder, reading)
        elif said.word == "unknown":
            detail = f"`*** {_short(said.argument)}` is no directive"
            reading.problems.append(_bad(number, detail, meant(said.argument)))
            current = Section("unknown", "", number)
    return found


def _directive(line: str, current: Section) -> Mark | None:
    """What a line says as a directive; None where it belongs to the section. Blanks before it only count in hunks."""
    found = mark(line)
    if found is None and line[:1] in (" ", "\t") and "***" in line and not current.begun:
        found = mark(line.lstrip(" \t"))
        if found is not None and found.word == "unknown" and current.lines:
            return None
    return None if found is not None and found.word == "eof" and current.word else found


def _begins(word: str, line: str) -> bool:
    """Whether an indented line of stars below this one could be a line of the section, as context is of a hunk."""
    return bool(line.strip()) if word == "update" else word == "add" and line[:1] != "+"


def _wrappers(lines: list[str]) -> set[int]:
    """The fences inside an envelope: one above a directive opens, the one below which no more comes closes."""
    if {line[:1] for line in lines}.isdisjoint("`~"):
        return set()
    found: list[int] = []
    below = True  # whether a directive or the end comes next
    for index in range(len(lines) - 1, -1, -1):
        line = lines[index]
        if line[:1] in ("`", "~") and fence(line):
            found += [index] if below else []
        elif line.strip():
            below = "***" in line and mark(line.lstrip(" \t")) is not None
    first = next((index for index, line in enumerate(lines) if line.strip() and not fence(line)), len(lines))
    return set(found) if any(index < first for index in found) else set()


def _stray(number: int, line: str, current: Section, reading: Reading) -> None:
    """A line above the first directive: one finding for all of them."""
    if line.startswith(("@@", "+", "-")):
        detail = f"`{_short(line)}` stands above the first directive, so that no file is named for it"
        reading.problems.append(_bad(number, detail, "Write `*** Update File: PATH` above the hunks."))
        current.word = "unknown"
    elif line.strip():
        if not current.lines:
            reading.notes.append(Note("text above the first directive was passed over", patch_line=number))
        current.lines.append((number, line))


def _opened(said: Mark, number: int, folder: str, reading: Reading) -> Section:
    path = _path(said, folder)
    if not path:
        name = said.word.capitalize()
        reading.problems.append(_bad(number, f"`*** {name} File:` names no file", f"Write `*** {name} File: PATH`."))
        return Section("unknown", "", number)
    return Section(said.word, path, number)


def _moved(said: Mark, number: int, current: Section, folder: str, reading: Reading) -> None:
    path = _path(said, folder)
    if current.word == "unknown":
        return
    if current.word != "update":
        detail = "`*** Move to:` belongs into an `*** Update File:` section"
        reading.problems.append(_bad(number, detail, "Write `*** Update File: PATH`, then `*** Move to: NEW`."))
    elif not path or current.moves:
        detail = "the file is moved twice" if path else "`*** Move to:` names no file"
        reading.problems.append(_bad(number, detail, "Write one `*** Move to: NEW` in the section.", current.path))
    else:
        current.moves.append((number, path))


def _path(said: Mark, folder: str) -> str:
    path = path_of(said.argument)
    return f"{folder}/{path}" if folder and path and not path.startswith("/") else path


# ── one section ──────────────────────────────────────────────────────────────────────────────────


def _operations(section: Section, reading: Reading) -> list[Op]:
    lines = section.lines
    first = next((index for index, (_, line) in enumerate(lines) if line.strip()), len(lines))
    if first < len(lines) and lines[first][1][:1] in "`~":
        opener = fence(lines[first][1])
        last = next(index for index in range(len(lines) - 1, -1, -1) if lines[index][1].strip())
        if last > first and opener and closes(lines[last][1], opener) and lines[last][1][:1] == opener[0]:
            section.lines = lines[first + 1 : last]
    if section.word == "update":
        return _updated(section, reading)
    return _added(section, reading) if section.word == "add" else _deleted(section, reading)


def _updated(section: Section, reading: Reading) -> list[Op]:
    made: list[Op] = []
    found = hunks(section.path, section.lines, reading.notes)
    if reading.crs:
        signed = ((line[:1], line[1:], number - 1 in reading.crs) for number, line in section.lines)
        changed = changed_end(signed, section.path, section.line)
        reading.problems.extend([changed] if changed else ())
    if found:
        made.append(Edit(section.path, found, section.line))
    for number, to in section.moves:
        if to != section.path or not found:
            made.append(Move(section.path, to, patch_line=number))
    if not made:
        detail = f"`*** Update File: {section.path}` says nothing to change"
        advice = "Write its hunks below it: `@@`, then lines that begin with a space, `-` or `+`."
        reading.problems.append(_bad(section.line, detail, advice, section.path))
    return made


def _added(section: Section, reading: Reading) -> list[Op]:
    text = _signed(section, reading) if any(line[:1] == "+" for _, line in section.lines) else _plain(section, reading)
    return [] if text is None else [Write(section.path, text, patch_line=section.line)]


def _signed(section: Section, reading: Reading) -> str | None:
    """The text of a new file whose lines bear their `+`; empty lines between them have lost it."""
    content: list[str] = []
    odd: list[tuple[int, str]] = []
    empty, end = 0, "\n"
    for number, line in section.lines:
        if line[:1] == "+":
            content += [""] * (empty if content else 0) + [line[1:]]
            empty, end = 0, "\n"
        elif is_no_newline(line):
            end = ""
        elif not line.strip():
            empty += 1
        elif not _is_frame(line):
            odd.append((number, line))
    if not odd:
        return "\n".join(content) + end
    detail = f"`{_short(odd[0][1])}` has no `+` before it, while other lines of the new file have"
    reading.problems.append(_bad(odd[0][0], detail, _SIGN_ADVICE, section.path))
    return None


def _plain(section: Section, reading: Reading) -> str:
    """The text of a new file none of whose lines bears a `+`: as written."""
    kept = [i for i, (_, line) in enumerate(section.lines) if line.strip() and not _is_frame(line)]
    if not kept:
        return ""
    lines = [line for _, line in section.lines[kept[0] : kept[-1] + 1]]
    reading.notes.append(Note("no line of the new file begins with `+`; taken as written", section.path, section.line))
    indents = [len(line) - len(line.lstrip(" ")) for line in lines if line.strip()]
    # One blank before every line is the sign of a kept line, not an indentation.
    return "\n".join(line[1:] if min(indents) == 1 else line for line in lines) + "\n"


def _is_frame(line: str) -> bool:
    """Whether a line is a hunk header or an end-of-file mark, which say nothing in a new file."""
    if line.startswith("@@"):
        return line[2:3] in ("", " ")
    found = mark(line)
    return found is not None and found.word == "eof"


def _deleted(section: Section, reading: Reading) -> list[Op]:
    """A deletion; lines below it must stand in the file."""
    lines = [(n, line) for n, line in section.lines if line.strip() and not _is_frame(line) and not is_no_newline(line)]
    signed = any(line[0] == "-" for _, line in lines)
    odd = [(n, line) for n, line in lines if line[0] == "+" or (signed and line[0] not in "- ")]
    if odd:
        detail = f"`{_short(odd[0][1])}` can't stand below `*** Delete File:`"
        advice = "Write `*** Delete File: PATH` alone, or below it the file's lines, each with `-` before it."
        reading.problems.append(_bad(odd[0][0], detail, advice, section.path))
        return []
    old = tuple(line[1:] if signed else line for _, line in lines)
    return [Delete(section.path, section.line, old=old)]


def _short(line: str) -> str:
    line = line.strip()
    return line if len(line) <= 60 else line[:57] + "..."


def _bad(line: int, detail: str, advice: str, path: str = "") -> Problem:
    return Problem("bad_patch", detail, path, line, advice=advice)
