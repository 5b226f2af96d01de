"""Definitions that an edit adds although the file has them. Pure.

    file   import os                 SEARCH   import os
                                     REPLACE  import os
           def total(items):
               return sum(items)              def total(items):
                                                  return sum(items)
           def other(): …

The edit was made before, and the file has changed since. Made again, it would leave two functions of that name.
"""

from __future__ import annotations

import re

from ..model import Edit, Hunk, Note, Swap
from ..problems import Problem
from ..record import NamedTuple
from ..text import BLANK, depth_of, encode, end_of_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

# `def f`, `pub fn f`, `export class A`; `render() {`, `foo(`; `int f(int x)`; but neither `if (x) {` nor `f(x)`.
_HEAD_WORDS = ("def", "class", "fun", "fn", "sub", "struct", "interface", "trait", "module", "enum")
_HEAD_ENDS = frozenset("{(,)")
_HEAD = (
    r"(?!(?:if|for|while|switch|catch|return|else|elif|with|foreach|unless|until|when|match|\})\b)"
    r"(?:.*\b(?:def|class|func|function|fn|fun|sub|struct|interface|trait|module|enum)\s+\w"
    r"|.*\w\([^;]*[{(,]$|.*\w\s+[\w:~]+\([^;]*\)$)"
)
_SAME = 0.8  # of the lines of two definitions, where one is the other, touched since
_DIRECTIVE = r"\s*#\s*(?:if|ifdef|ifndef|else|elif|elifdef|endif)\b"


def added_heads(edit: Edit, before: bytes) -> set[str]:
    """The lines that an edit adds to a file, and removes nowhere, which may begin a definition, and stand in the file.

    They are without their indentation. Most edits add none that does: that is told first, and cheaply. A hunk that
    names its line was made for the file as it is.
    """
    texts = [said for said in edit.hunks if isinstance(said, (Hunk, Swap)) and not said.where.line]
    guarded = [said for said in texts if said.policy.guards_reapply]
    added = {text.strip(BLANK) for said in guarded for tag, text in said.lines if tag == "+"}
    heads = {text for text in added if _may_be_head(text) and encode(text) in before and re.match(_HEAD, text)}
    if not heads:
        return heads
    return heads.difference(text.strip(BLANK) for said in guarded for tag, text in said.lines if tag != "+")


def _may_be_head(text: str) -> bool:
    """A cheap look at a line: False only where it begins no definition."""
    return (text[-1:] in _HEAD_ENDS and "(" in text) or any(map(text.__contains__, _HEAD_WORDS))


def defined_twice(path: str, before: str, after: str, heads: set[str]) -> Problem | Note | None:
    """What to say where a file would hold a definition twice: in one block, with the same name, header and decorators.

    A problem where the two are nearly the same; else a note: they may be old and new, and one of them has no effect.
    `heads`: the lines that an edit adds which may begin one.
    """
    doubled = {head for head in heads if 0 < _times(before, head) < _times(after, head)}
    if not doubled:
        return None
    old, new = (list(_definitions(path, text, doubled)) for text in (before, after))
    known = {one.header: one for one in old}
    lines = after.split("\n")
    above: dict[tuple[str, ...], _Definition] = {}
    for two in new:
        one = above.get(two.header)
        if one and len(old) == len(known) and two.header in known and _are_siblings(lines[one.row : two.row + 1]):
            if len(one.lines & two.lines) >= _SAME * max(len(one.lines), len(two.lines)):
                row = known[two.header].row + 1
                detail = f"`{two.name}` is already defined at line {row}, and would be there twice"
                advice = "If it is to change, replace the lines that are there; if it is done, leave it out."
                return Problem("ambiguous", detail, line=row, advice=advice)
            text = f"`{two.name}` is now defined twice, at lines {one.row + 1} and {two.row + 1}"
            return Note(text, path, kind="defined_twice")
        above[two.header] = two
    return None


class _Definition(NamedTuple):
    """A definition: its names and header as words, the name as shown, its first row, its lines."""

    header: tuple[str, ...]
    name: str
    row: int
    lines: set[str]


def _definitions(path: str, text: str, heads: set[str]) -> Iterator[_Definition]:
    """The functions and types of a text that have one of these lines in their header."""
    from ..syntax.symbols import CODE, TYPES, declared

    lines = text.split("\n")
    for symbol in declared(path, text, damaged=True):
        row, column, *_ = symbol.inner or (symbol.row, len(lines[symbol.row]))
        header = [*lines[symbol.first : row], lines[row][:column]]
        own = [line.strip(BLANK) for line in lines[symbol.first : symbol.last + 1]]
        if symbol.kind in (*CODE, *TYPES) and not heads.isdisjoint(own[: row + 1 - symbol.first]):
            words = (*symbol.parts, *" ".join(header).split())
            yield _Definition(words, ".".join(symbol.parts), symbol.first, set(filter(None, own)))


def _times(text: str, line: str) -> int:
    """How many lines of a text are this one, blanks at their ends aside; the others aren't looked at."""
    count, at = 0, text.find(line)
    while at >= 0:
        end = end_of_line(text, at + len(line))
        count += text[text.rfind("\n", 0, at) + 1 : end].strip(BLANK) == line
        at = text.find(line, end)
    return count


def _are_siblings(lines: list[str]) -> bool:
    """Whether the first and the last of these lines are in one block: nothing between is shallower, or a directive.

    try:                       #ifdef _WIN32
        def f(): …             int f(void) …
    except ImportError:        #else
        def f(): …             int f(void) …
    """
    deep = depth_of(lines[0])
    return deep == depth_of(lines[-1]) and not any(
        line.strip(BLANK) and (depth_of(line) < deep or re.match(_DIRECTIVE, line)) for line in lines
    )
