"""Tells the markers of search/replace blocks and of merge conflicts from other lines. Sees one line at a time."""

from __future__ import annotations

import re

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


# ── begin marks ─────────────────────────────────────────────────────────────────────────────────────


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
_patterns: dict[str, re.Pattern[str]] = {}


class SectionMark(NamedTuple):
    """A line of stars: what it says ("unknown": nothing that is known) and of what."""

    word: str
    argument: str = ""


class Header(NamedTuple):
    """What a line of `@@` says: a text, and lines line..last of the old file (0: no numbers)."""

    text: str
    line: int = 0
    last: int = 0


def mark(line: str) -> SectionMark | None:
    """What a line that begins with stars says; None for one that is no mark."""
    if line[:3] != "***":
        return None
    said = line[3:].strip()
    name, colon, argument = said.partition(":")
    key = " ".join(name.split()).lower()
    if colon and key in _NAMED:
        return SectionMark(_NAMED[key], argument)
    plain = key.rstrip("* ")
    if not colon and plain in _PLAIN:
        return SectionMark(_PLAIN[plain])
    return SectionMark("unknown", said) if line[3:4] in (" ", "\t") and said.strip("* \t") else None


def meant(said: str) -> str:
    """What to write in the place of an unknown directive."""
    key = " ".join(said.partition(":")[0].split()).lower()
    first = key.partition(" ")[0]
    for right, words in _MEANT.items():
        if first in words:
            return f"Write `{right}`."
    from ..similarity import close_names

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
    said = line[2:].strip()
    numbers = _pattern("numbers", r"-(\d{1,9})(?:,(\d{1,9}))?(?:[ \t]+\+\d+(?:,\d+)?)?[ \t]*(?:@@|$)").match(said)
    if numbers:
        start, count = int(numbers[1]), int(numbers[2] or 1)
        text = said[numbers.end() :].strip()
        return Header(text, start, start + count - 1) if start and count else Header(text)
    text = said.removesuffix("@@").rstrip()
    return Header("" if text in ("...", "…") else text)


def fence(line: str) -> str:
    """The run of backticks or tildes a line begins with, "" for other lines."""
    bare = line.lstrip(" \t")
    for char in "`~":
        if bare.startswith(char * 3):
            return char * (len(bare) - len(bare.lstrip(char)))
    return ""


def closes(line: str, opener: str) -> bool:
    """Whether a line is nothing but the end of a fence."""
    bare = line.strip()
    return bare.startswith(opener) and not bare.strip(opener[:1])


def heredoc(line: str) -> str:
    """The word that ends the here-document a shell command opens, "" for other lines."""
    if "<<" not in line:
        return ""
    found = _pattern("heredoc", r"<<-?[ \t]*\\?(['\"]?)(\w+)\1[ \t]*$").search(line)
    return found[2] if found else ""


def folders(command: str) -> list[str]:
    """The folders that a shell command enters by `cd`, in order."""
    if "cd" not in command:
        return []
    entered = _pattern("cd", r"(?:^|[\s;&(\"'])cd[ \t]+(\"[^\"]*\"|'[^']*'|[^\s;&]+)[ \t]*(?=&&|;|$)")
    return [word.strip("\"'") for word in entered.findall(command)]


def _pattern(name: str, source: str) -> re.Pattern[str]:
    """Compiled at first use: most runs need none of them."""
    if name not in _patterns:
        _patterns[name] = re.compile(source)
    return _patterns[name]


# ── Chunk v2 ────────────────────────────────────────────────────────────────────────────────────

END = "=END="
HEADER = "=== file:"
_COMMAND = (
    r"(?:replace|delete) [0-9]{1,9}:[0-9]{1,9}|insert-after -?[0-9]{1,9}"
    r"|(?:insert-after|insert-before|replace|delete)-text|create-file|delete-file"
)


def is_command(line: str) -> bool:
    """Whether a line is a well-formed command."""
    if not line.startswith("--- "):
        return False
    return re.fullmatch(_COMMAND, line[4:].rstrip()) is not None
