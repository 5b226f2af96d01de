"""Shell commands in a transcript: which of them only read, and which lines of a file they show."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping
from typing import Any, NamedTuple

_READERS = {
    "cat", "cd", "cut", "diff", "dirname", "du", "echo", "egrep", "fd", "fgrep", "file", "find", "grep", "head", "jq",
    "ls", "nl", "printf", "pwd", "realpath", "rg", "sed", "sort", "stat", "tail", "test", "tr", "tree", "true", "wc",
    "which",
}  # fmt: skip
_GIT_READERS = {"blame", "diff", "grep", "log", "ls-files", "rev-parse", "show", "status"}
# Options by which a command of these writes after all.
_WRITING = {"find": ("-exec", "-delete", "-fprint", "-ok"), "fd": ("-x", "-X", "--exec"), "sort": ("-o", "--output"),
            "tree": ("-o",), "rg": ("--pre",), "git": ("--output", "-o")}  # fmt: skip
_LINKS = {"&&", "||", "|", ";"}
_DISCARDED = re.compile(r"(?<=\s)(?:2>&1|[12&]?>\s*/dev/null)(?=\s|$)")
_PRINTED_LINES = re.compile(r"(\d+)(?:,(\d+))?p")


class Shown(NamedTuple):
    """The lines of a file that a command prints, from `first` to `last`; 0 for its end. `numbered`: by `nl -ba`."""

    path: str
    first: int = 1
    last: int = 0
    numbered: bool = False


def only_reads(command: str) -> bool:
    """Return True if a command line changes no file: commands that are known to read, without redirections."""
    parts = _commands(command)
    return bool(parts) and all(_reads(words) for words in parts)


def may_change(arguments: Mapping[str, Any]) -> bool:
    """Return True unless the call of a tool is one of a shell whose command only reads."""
    command = arguments.get("command")
    return not (isinstance(command, str) and only_reads(command))


def shown(command: str) -> Shown | None:
    """Return what `cat FILE`, `sed -n 1,9p FILE` and `nl -ba FILE | sed -n 1,9p` show; None for any other command."""
    match _commands(command):
        case [["cat", path]] if not path.startswith("-"):
            return Shown(path)
        case [["sed", "-n", script, path]] if lines := _PRINTED_LINES.fullmatch(script):
            return Shown(path, int(lines[1]), int(lines[2] or lines[1]))
        case [["nl", "-ba", path]]:
            return Shown(path, numbered=True)
        case [["nl", "-ba", path], ["sed", "-n", script]] if lines := _PRINTED_LINES.fullmatch(script):
            return Shown(path, int(lines[1]), int(lines[2] or lines[1]), numbered=True)
    return None


def _commands(command: str) -> list[list[str]]:
    """Return the words of each command of a line; [] if it has anything but commands one after another."""
    lexer = shlex.shlex(_DISCARDED.sub("", command), posix=True, punctuation_chars=True)
    lexer.whitespace_split, lexer.commenters = True, ""
    parts: list[list[str]] = [[]]
    try:
        for word in lexer:
            if word in _LINKS:
                parts.append([])
            elif word[0] in "()<>&;|" or "`" in word or "$(" in word:
                return []
            else:
                parts[-1].append(word)
    except ValueError:  # an open quote
        return []
    return parts if "\n" not in command.strip() and all(parts) else []


def _reads(words: list[str]) -> bool:
    name, options = words[0], words[1:]
    if any(option.startswith(_WRITING.get(name, ())) for option in options):
        return False
    if name == "git":
        return next((word for word in options if not word.startswith("-")), "") in _GIT_READERS
    if name == "sed":
        return len(options) > 1 and options[0] == "-n" and _PRINTED_LINES.fullmatch(options[1]) is not None
    return name in _READERS
