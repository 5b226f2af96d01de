"""Definitions that an edit adds although the file has them. Pure.

    file   import os                       SEARCH   import os
                                           REPLACE  import os
           def total(items):
               return sum(items, 0)                 def total(items):
                                                        return sum(items)

The edit was made before, and what it added has changed since. Made again, it would leave two functions of that name.
"""

from __future__ import annotations

import re
from collections import Counter

from ..model import Edit, Hunk, Swap
from ..problems import Problem
from ..text import BLANK
from .line_kinds import depth

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..syntax.symbols import Symbol

# `def f`, `pub fn f`, `export class A`; `render() {`, `foo(`; `int f(int x)`; but neither `if (x) {` nor `f(x)`.
_HEAD = re.compile(
    r"(?!(?:if|for|while|switch|catch|return|else|elif|with|foreach|unless|until|when|match|\})\b)"
    r"(?:.*\b(?:def|class|func|function|fn|fun|sub|struct|interface|trait|module|enum)\s+\w"
    r"|.*\w\([^;]*[{(,]$|.*\w\s+[\w:~]+\([^;]*\)$)"
)
_DIRECTIVE = re.compile(r"\s*#\s*(?:if|ifdef|ifndef|else|elif|elifdef|endif)\b")


def added_heads(edit: Edit) -> set[str]:
    """The lines that an edit adds, and removes nowhere, which may begin a definition; without their indentation."""
    guarded = [said for said in edit.hunks if isinstance(said, (Hunk, Swap)) and said.policy.guards_reapply]
    lines = [(tag == "+", text.strip(BLANK)) for said in guarded for tag, text in said.lines]
    added = {text for is_new, text in lines if is_new}.difference(text for is_new, text in lines if not is_new)
    return set(filter(_HEAD.match, added))


def defined_twice(path: str, before: str, after: str, heads: set[str]) -> Problem | None:
    """The problem that a file would hold a definition twice: in one block, with the same name, header and decorators.

    `heads`: the lines that an edit adds which may begin one.
    """
    once, then = (Counter(line.strip(BLANK) for line in text.split("\n")) for text in (before, after))
    doubled = {head for head in heads if 0 < once[head] < then[head]}
    if not doubled:
        return None
    known = Counter(header for header, _ in _headers(path, before, doubled))
    lines = after.split("\n")
    above: dict[tuple[str, ...], int] = {}
    for header, symbol in _headers(path, after, doubled):
        if known[header] == 1 and header in above and _are_siblings(lines[above[header] : symbol.first + 1]):
            row = next(one.first for other, one in _headers(path, before, doubled) if other == header)
            detail = f"`{'.'.join(symbol.parts)}` is already defined at line {row + 1}, and would be there twice"
            advice = "If it is to change, replace the lines that are there; if it is done, leave it out."
            return Problem("ambiguous", detail, line=row + 1, advice=advice)
        above[header] = symbol.first
    return None


def _headers(path: str, text: str, heads: set[str]) -> Iterator[tuple[tuple[str, ...], Symbol]]:
    """Each definition that has one of these lines in its header, by its path and the words of that."""
    from ..syntax.symbols import CODE, TYPES, declared

    lines = text.split("\n")
    for symbol in declared(path, text, damaged=True):
        row, column, *_ = symbol.inner or (symbol.row, len(lines[symbol.row]))
        header = [*lines[symbol.first : row], lines[row][:column]]
        if symbol.kind in (*CODE, *TYPES) and not heads.isdisjoint(
            line.strip(BLANK) for line in lines[symbol.first : row + 1]
        ):
            yield (*symbol.parts, *" ".join(header).split()), symbol


def _are_siblings(lines: list[str]) -> bool:
    """Whether the first and the last of these lines are in one block: nothing between is shallower, or a directive.

    try:                       #ifdef _WIN32
        def f(): …             int f(void) …
    except ImportError:        #else
        def f(): …             int f(void) …
    """
    deep = depth(lines[0])
    return deep == depth(lines[-1]) and not any(
        line.strip(BLANK) and (depth(line) < deep or _DIRECTIVE.match(line)) for line in lines
    )
