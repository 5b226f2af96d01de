"""Where in an answer a "*** Begin Patch" stands: envelopes, fences, here-documents, prose. Only cuts, reads no hunk."""

from __future__ import annotations

from ..record import NamedTuple
from ..text import indent_of
from ._begin_marks import closes, fence, folders, heredoc, mark

_FILES = ("update", "add", "delete")
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
