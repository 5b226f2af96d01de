"""The hunks of an `*** Update File:` section: signs, headers, the end of the file. Finds no place in any file."""

from __future__ import annotations

import re

from ...model import TOLERANT, Delete, Edit, Hunk, Move, Note, Op, Patch, Where, Write
from ...parsing.markers import SectionMark as Mark
from ...parsing.markers import closes, fence, folders, header, heredoc, mark, meant, path_of
from ...parsing.repeats import said_once
from ...problems import Problem
from ...record import NamedTuple
from ...text import changed_end, indent_of, patch_lines, rows_with_cr

TYPE_CHECKING = False
if TYPE_CHECKING:
    pass


_SIGNED = frozenset(" +-")


class Line(NamedTuple):
    """One line of a hunk as written: its number in the answer, its sign ("" for none), the text behind the sign."""

    number: int
    sign: str
    text: str

    @property
    def is_bare(self) -> bool:
        """Whether it is an empty line, which may be blank context or only keep things apart."""
        return not self.sign and not self.text


_line = Line._make


class Draft:
    """A hunk while its lines come in."""

    __slots__ = ("at_end", "is_empty", "last", "line", "lines", "number", "under", "unended")

    def __init__(self) -> None:
        self.number = 0
        self.under: list[str] = []
        self.line = self.last = 0
        self.lines: list[Line] = []
        self.unended: list[str] = []
        self.at_end = False
        self.is_empty = True  # nothing but blank lines came in so far


def hunks(path: str, lines: list[tuple[int, str]], notes: list[Note]) -> tuple[Hunk, ...]:
    """All hunks of a section, in the order of the patch."""
    drafts = _drafts(_without_names(path, lines))
    # Whoever forgets the sign of one kept line mostly forgets it of all.
    unsigned = any(not line.sign and line.text.strip() for draft in drafts for line in draft.lines)
    found: list[Hunk] = []
    for draft in drafts:
        if draft.is_empty:
            if draft.under:
                notes.append(Note(f"nothing stands below `@@ {draft.under[-1]}`", path, draft.number))
            continue
        found.append(_hunk(path, draft, unsigned))
        if all(tag == " " for tag, _ in found[-1].lines):
            notes.append(Note("the hunk changes nothing", path, draft.number))
    return tuple(found)


def is_no_newline(line: str) -> bool:
    """Whether a line says that the one above it has no line end."""
    return line[:1] == "\\" and line[1:].strip().lower().startswith("no newline")


# ── lines ────────────────────────────────────────────────────────────────────────────────────────


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
        draft = drafts[-1]
        if text[:1] in _SIGNED:
            draft.lines.append(_line((number, text[0], text[1:])))
            draft.is_empty = draft.is_empty and text[0] == " " and not text[1:].strip()
            draft.number = draft.number or number
            continue
        found = mark(text) if text[:3] == "***" else None
        if found is not None and found.word == "eof":
            draft.at_end = True
            drafts.append(Draft())
            continue
        if text.startswith("@@"):
            _head(drafts, number, text)
        elif is_no_newline(text):
            draft.unended += [line.sign for line in draft.lines[-1:]]
        else:
            draft.lines.append(Line(number, "", text))
            draft.is_empty = draft.is_empty and not text.strip()
        drafts[-1].number = drafts[-1].number or number
    return drafts


def _head(drafts: list[Draft], number: int, text: str) -> None:
    """A header begins a hunk, unless the hunk has no line yet: then it lies within the header above it."""
    if drafts[-1].is_empty:
        drafts[-1].lines.clear()
    else:
        drafts.append(Draft())
    draft = drafts[-1]
    if not draft.under:
        draft.number = number
    said = header(text)
    draft.under += [said.text] if said.text else []
    if said.line:
        draft.line, draft.last = said.line, said.last


# ── one hunk ─────────────────────────────────────────────────────────────────────────────────────


def _hunk(path: str, draft: Draft, unsigned: bool) -> Hunk:
    lines = _anchored(draft.lines)
    tagged = tuple([(sign or " ", text) for _, sign, text in lines])
    if unsigned and _is_shifted(lines):
        tagged = tuple([_shifted(line) for line in lines])
    # Numbers only help to choose between places: where there is nothing to find, they say too little.
    numbered = any(tag != "+" for tag, _ in tagged)
    where = Where(
        line=draft.line if numbered else 0, last=draft.last if numbered else 0, under=tuple(draft.under),
        at_end=draft.at_end or bool(draft.unended), final=_final(draft.unended),
    )  # fmt: skip
    return Hunk(tagged, where, TOLERANT, draft.number, _doubts(path, lines))


def _final(unended: list[str]) -> str:
    """What becomes of the final line end, by the signs of the lines that are said to have none."""
    removed, added = "-" in unended, "+" in unended
    return "" if removed == added else "made" if removed else "lost"


def _anchored(lines: list[Line]) -> list[Line]:
    """The lines; empty ones around nothing but additions are no context: any empty line of the file would fit them."""
    if any(line.sign == "-" or (line.sign != "+" and not line.is_bare) for line in lines):
        return lines
    start, end = 0, len(lines)
    while lines[start].is_bare:
        start += 1
    while lines[end - 1].is_bare:
        end -= 1
    return lines[start:end]


def _is_shifted(lines: list[Line]) -> bool:
    """Whether the blank that kept lines begin with is part of their indentation, and the sign is missing there too.

    An even number of blanks is an indentation, an odd one an indentation and a sign.
    """
    widths = [
        1 + len(line.text) - len(line.text.lstrip(" ")) for line in lines if line.sign == " " and line.text.strip()
    ]
    return bool(widths) and all(width % 2 == 0 for width in widths)


def _shifted(line: Line) -> tuple[str, str]:
    _, sign, text = line
    return (" ", f" {text}") if sign == " " and text.strip() else (sign or " ", text)


def _doubts(path: str, lines: list[Line]) -> tuple[Problem, ...]:
    """The complaint about lines without a sign, for the case that the hunk has no place."""
    odd = [line for line in lines if not line.sign and line.text.strip()]
    if not odd:
        return ()
    first = odd[0]
    shown = first.text if len(first.text) <= 60 else first.text[:57] + "..."
    others = f" ({len(odd) - 1} more like it)" if len(odd) > 1 else ""
    detail = f"the line `{shown}` has no sign before it{others} and doesn't stand so in the file"
    advice = "Begin each line of a hunk with a space (kept), `-` (removed) or `+` (added)."
    return (Problem("bad_patch", detail, path, first.number, advice=advice),)


# ── begin sections ──────────────────────────────────────────────────────────────────────────────────


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


# ── begin answer ────────────────────────────────────────────────────────────────────────────────────


_TAGS = " +-@*\\"


class Envelope(NamedTuple):
    """The lines of one patch; `first` is the 1-based line of the answer that they begin with.

    `cut`: it was opened (at `line`) and never closed. `folder`: what the paths are relative to, "" the root.
    """

    line: int
    first: int
    lines: list[str]
    folder: str = ""
    cut: bool = False


class _Opening(NamedTuple):
    """Where a body may begin, and what is known of its surroundings: the fence and the here-document it is in."""

    at: int
    explicit: bool
    indent: str
    fence: str
    word: str
    folder: str


def envelopes(lines: list[str]) -> list[Envelope]:
    """Every patch in the answer: enveloped, or from a directive on."""
    found: list[Envelope] = []
    at = 0
    opener = ""
    while at < len(lines):
        opening = _opening(lines, at, opener) if "***" in lines[at] else None
        if opening is not None:
            made, at = _envelope(lines, opening)
            found.append(made)
            continue
        opener = _within(lines[at], opener)
        at += 1
    return found


def _within(line: str, opener: str) -> str:
    """The fence that the lines below are in."""
    if opener:
        return "" if closes(line, opener) else opener
    return fence(line)


def _opening(lines: list[str], at: int, opener: str) -> _Opening | None:
    line = lines[at]
    indent = indent_of(line)
    found = mark(line[len(indent) :])
    if found is None:
        return None
    # Among prose, a line of stars is only taken for a misspelt directive where it speaks of a file.
    strange = found.word == "unknown" and not indent and "file:" in found.argument.lower()
    if found.word != "begin" and found.word not in _FILES and not strange:
        return None
    word, folder = _shell(lines, at)
    return _Opening(at, found.word == "begin", indent, opener, word, folder)


def _shell(lines: list[str], at: int) -> tuple[str, str]:
    """The here-document's word and the folder that the shell command above has gone into."""
    word = heredoc(lines[at - 1]) if at else ""
    if not word:
        return "", ""
    entered = folders(lines[at - 1])
    above = at - 2
    while above >= 0 and lines[above].startswith("cd "):
        entered[:0] = folders(lines[above])
        above -= 1
    return word, "/".join(folder.rstrip("/") or "/" for folder in entered)


def _envelope(lines: list[str], opening: _Opening) -> tuple[Envelope, int]:
    """The body that begins here, and the line to go on from."""
    first = opening.at + opening.explicit
    indent = opening.indent
    stop = _stop(lines, first, opening)
    if indent and not _is_uniform(lines, opening, first, stop):
        indent = ""
        stop = _stop(lines, first, opening._replace(indent=""))
    ended = stop < len(lines) and _word(lines[stop], indent) == "end"
    if opening.explicit and not ended and stop == len(lines):
        stop = _padded_end(lines, first)
        ended = stop < len(lines)
    body = lines[first:stop]
    if indent:
        body = [line[len(indent) :] if line.startswith(indent) else line.lstrip(" \t") for line in body]
    if not ended:
        body = _trimmed(body, prose=stop == len(lines) and not opening.explicit)
    made = Envelope(opening.at + 1, first + 1, body, opening.folder, opening.explicit and not ended)
    return made, stop + ended


def _word(line: str, indent: str) -> str:
    if "***" not in line or not line.startswith(indent):
        return ""
    found = mark(line[len(indent) :])
    return found.word if found else ""


def _stop(lines: list[str], start: int, opening: _Opening) -> int:
    """The first line that can't belong to the body: the end mark, another beginning, or what surrounds the patch."""
    indent = opening.indent
    for number in range(start, len(lines)):
        line = lines[number]
        if indent and not line.startswith(indent) and line.strip():
            return number
        if "***" in line and _word(line, indent) in ("begin", "end"):
            return number
        if not opening.explicit and number > opening.at and _leaves(line[len(indent) :], opening):
            return number
    return len(lines)


def _leaves(line: str, opening: _Opening) -> bool:
    """Whether a line ends the fence or the here-document that a body without envelope stands in."""
    if opening.word and line.strip() == opening.word:
        return True
    return opening.fence != "" and line[:1] == opening.fence[0] and closes(line, opening.fence)


def _is_uniform(lines: list[str], opening: _Opening, first: int, stop: int) -> bool:
    """Whether the whole body is indented like its first line, not that line alone."""
    if opening.explicit:
        return stop < len(lines) and _word(lines[stop], opening.indent) == "end"
    return any(line.strip() for line in lines[first + 1 : stop])


def _padded_end(lines: list[str], first: int) -> int:
    """The line of an end mark with blanks before it that is the last thing in the answer; else the answer's end."""
    for number in range(len(lines) - 1, first - 1, -1):
        bare = lines[number].strip()
        if _word(bare, "") == "end":
            return number
        if bare and not fence(bare) and not bare.isalpha():
            break
    return len(lines)


def _trimmed(body: list[str], prose: bool) -> list[str]:
    """A body without end mark: without blank lines at its end and, where nothing marks its end, without prose."""
    end = len(body)
    while True:
        while end and not body[end - 1]:
            end -= 1
        start = end
        while start and body[start - 1] and body[start - 1][0] not in _TAGS:
            start -= 1
        if not prose or start == end or not start or body[start - 1] or not _is_prose(body[start:end]):
            return body[:end]
        end = start


def _is_prose(paragraph: list[str]) -> bool:
    """Whether a paragraph below the last hunk is a sentence, not lines of a file without their sign."""
    first, last = paragraph[0], paragraph[-1].rstrip()
    return first[0].isalpha() and first.count(" ") >= 2 and last[-1:] in (".", "!", "?", ":")


# ── begin patch ─────────────────────────────────────────────────────────────────────────────────────


_marks: list[re.Pattern[str]] = []


def parse(text: str) -> Patch:
    """What the patches in an answer say, as one transaction."""
    reading = Reading([], [], rows_with_cr(text))
    ops: list[Op] = []
    found = envelopes(patch_lines(text))
    for envelope in found:
        if envelope.cut:
            reading.problems.append(_cut(envelope))
        else:
            ops += operations(envelope, reading)
    if not ops and not reading.problems:
        reading.problems.append(_nothing(found))
    ops = said_once(ops, reading.notes)
    return Patch("begin-patch", tuple(ops), "", tuple(reading.problems), tuple(reading.notes))


def sniff(text: str) -> int:
    """How much a text looks like a "*** Begin Patch"."""
    if "***" not in text:
        return 0
    if not _marks:
        words = r"Begin Patch|End Patch|(?:Update|Add|Delete) File:"
        _marks.append(re.compile(rf"^[ \t]*\*\*\*[ \t]?({words})", re.MULTILINE | re.IGNORECASE))
    found = []
    for match in _marks[0].finditer(text.removeprefix("\ufeff")):
        found.append(match[1].lower())
        if found[-1] == "begin patch" or len(found) == 2:
            return 95
    return 80 if found and found[0] != "end patch" else 0


def _cut(envelope: Envelope) -> Problem:
    detail = "the patch is cut off: `*** Begin Patch` without `*** End Patch`"
    advice = "Send the whole patch again and close it with `*** End Patch`; nothing of it was applied."
    return Problem("bad_patch", detail, patch_line=envelope.line, advice=advice)


def _nothing(found: list[Envelope]) -> Problem:
    advice = "Name each file with `*** Update File:`, `*** Add File:` or `*** Delete File:` inside the envelope."
    detail = "the patch names no file" if found else "there is no `*** Begin Patch` in it"
    return Problem("bad_patch", detail, patch_line=found[0].line if found else 1, advice=advice)
