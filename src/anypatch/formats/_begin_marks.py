"""The marks of "*** Begin Patch": directives, hunk headers, paths, fences, heredocs. Reads single lines only."""

from __future__ import annotations

import re

from ..record import NamedTuple

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


class Mark(NamedTuple):
    """A line of stars: what it says ("unknown": nothing that is known) and of what."""

    word: str
    argument: str = ""


class Header(NamedTuple):
    """What a line of `@@` says: a text, and lines line..last of the old file (0: no numbers)."""

    text: str
    line: int = 0
    last: int = 0


def mark(line: str) -> Mark | None:
    """What a line that begins with stars says; None for one that is no mark."""
    if line[:3] != "***":
        return None
    said = line[3:].strip()
    name, colon, argument = said.partition(":")
    key = " ".join(name.split()).lower()
    if colon and key in _NAMED:
        return Mark(_NAMED[key], argument)
    plain = key.rstrip("* ")
    if not colon and plain in _PLAIN:
        return Mark(_PLAIN[plain])
    return Mark("unknown", said) if line[3:4] in (" ", "\t") and said.strip("* \t") else None


def meant(said: str) -> str:
    """What to write in the place of an unknown directive."""
    key = " ".join(said.partition(":")[0].split()).lower()
    first = key.partition(" ")[0]
    for right, words in _MEANT.items():
        if first in words:
            return f"Write `{right}`."
    from difflib import get_close_matches

    near = get_close_matches(key[:80], list(_WRITTEN), 1, 0.6)
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
