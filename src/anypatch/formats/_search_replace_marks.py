"""Tells the markers of search/replace blocks and of merge conflicts from other lines. Sees one line at a time."""

from __future__ import annotations

from ..record import NamedTuple

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


def marks_of(lines: list[str]) -> list[Mark]:
    """All markers, in order."""
    found = []
    for row, line in enumerate(lines):
        bare = line.strip(" \t")
        if bare[:3] in _STARTS:
            mark = _mark(row, line, bare)
            if mark is not None:
                found.append(mark)
    return found


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


def _mark(row: int, line: str, bare: str) -> Mark | None:
    sign = bare[0]
    size = len(bare) - len(bare.lstrip(sign))
    rest = bare[size:].strip()
    kind = _kind(sign, size, rest)
    if not kind:
        return None
    if kind == OPEN:
        rest = rest.partition(" ")[2].strip()
    return Mark(row, kind, sign, size, line[: len(line) - len(line.lstrip(" \t"))], rest)


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
