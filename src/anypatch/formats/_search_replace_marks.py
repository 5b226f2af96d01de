"""Tells the markers of search/replace blocks and of merge conflicts from other lines. Sees one line at a time."""

from __future__ import annotations

from ..record import NamedTuple
from ..text import indent_of

OPEN = "open"
DIVIDE = "divide"
CLOSE = "close"
BARE_CLOSE = "bare close"
CONFLICT = "conflict"
BASE = "base"
CONFLICT_END = "conflict end"

_STARTS = frozenset(("<<<", "---", "===", ">>>", "+++", "|||"))
_OPENERS = ("SEARCH", "ORIGINAL")
_CLOSERS = ("REPLACE", "UPDATED")
_ESCAPABLE = ("<" * 5, "=" * 5, ">" * 5, "-" * 5, "+" * 5, "|" * 7, ":start_line:", ":end_line:")


class Mark(NamedTuple):
    """A marker: on which row (0-based), of what kind, how many signs, how far indented, what else the line says."""

    row: int
    kind: str
    sign: str
    size: int
    indent: str
    rest: str = ""


_make = Mark._make


def marks_of(lines: list[str]) -> list[Mark]:
    """All markers, in order."""
    known = _known(lines)
    return [_make((row, *known[line])) for row, line in enumerate(lines) if line in known]


def kinds_of(lines: list[str]) -> set[str]:
    """The kinds of all markers."""
    return {mark[0] for mark in _known(lines).values()}


def _known(lines: list[str]) -> dict[str, tuple[str, str, int, str, str]]:
    """Each line that is a marker, once, with what it says."""
    marks = {line: _mark(line) for line in set(lines) if line.lstrip(" \t")[:3] in _STARTS}
    return {line: mark for line, mark in marks.items() if mark is not None}


def kind_of(line: str) -> str:
    """The kind of marker that a line is; "" for none."""
    mark = _mark(line) if line.lstrip(" \t")[:3] in _STARTS else None
    return mark[0] if mark is not None else ""


def unescaped(line: str) -> str:
    """A line of the text; a backslash before a marker only says that it is none."""
    bare = line.lstrip(" \t")
    if bare[:1] != "\\" or not bare.lstrip("\\").startswith(_ESCAPABLE):
        return line
    return line[: len(line) - len(bare)] + bare[1:]


def escaped(line: str) -> str:
    """The line as it is written inside a block."""
    bare = line.lstrip(" \t")
    if not bare.lstrip("\\").startswith(_ESCAPABLE):
        return line
    return line[: len(line) - len(bare)] + "\\" + bare


def _mark(line: str) -> tuple[str, str, int, str, str] | None:
    """A line as a marker, but for its row."""
    bare = line.strip(" \t")
    sign = bare[0]
    size = len(bare) - len(bare.lstrip(sign))
    rest = bare[size:].strip()
    kind = _kind(sign, size, rest)
    if not kind:
        return None
    if kind == OPEN:
        rest = rest.partition(" ")[2].strip()
    return kind, sign, size, indent_of(line), rest


def _kind(sign: str, size: int, rest: str) -> str:
    word = rest.partition(" ")[0].rstrip(">:").upper()
    usual = 5 <= size <= 9
    if sign == "=":
        return DIVIDE if not rest else ""
    if sign == "<":
        return OPEN if usual and word in _OPENERS else CONFLICT if size == 7 else ""
    if sign == ">":
        if usual and (word in _CLOSERS or not rest):
            return CLOSE if rest else BARE_CLOSE
        return CONFLICT_END if size == 7 else ""
    if sign == "|":
        return BASE if size == 7 else ""
    if sign == "-":
        return OPEN if word == "SEARCH" else ""
    return CLOSE if word == "REPLACE" else ""
