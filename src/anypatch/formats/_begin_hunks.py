"""The hunks of an `*** Update File:` section: signs, headers, the end of the file. Finds no place in any file."""

from __future__ import annotations

from ..errors import Problem
from ..model import TOLERANT, Hunk, Note, Where
from ..record import NamedTuple
from ._begin_marks import header, mark

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
