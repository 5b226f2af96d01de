"""Definitions, and other lines, that would stand in a file twice: told by its grammar, or by lines alone. Pure.

    file   import os                 SEARCH   import os
                                     REPLACE  import os
           def total(items):
               return sum(items)              def total(items):
                                                  return sum(items)
           def other(): …

The edit was made before, and the file has changed since. Made again, it would leave two functions of that name.
"""

from __future__ import annotations

from ..problems import Problem
from ..text import BLANK, depth_of, is_blank, pattern
from .line_kinds import is_shallower

TYPE_CHECKING = False

if TYPE_CHECKING:
    from ..model import LineSplice
    from .partial_file import File

# The advice that nearly always helps.
BOTH_ENDS = "Begin and end the part with unchanged lines that are in the file only once."
_NOT_NAMES = frozenset(
    ("if", "for", "foreach", "while", "until", "unless", "switch", "match", "catch", "with", "return", "else", "do")
)
_KEYWORD = (
    r"(?:^|\s)(?:def|class|function\*?|func|fn|interface|struct|enum|trait|impl|module|namespace|record|object|protocol)"
    r"\s+(?:\([^()]*\)\s*)?([A-Za-z_$][\w$]*)"
)
_METHOD = r"^(?:[\w$<>\[\],.:&*?~@]+\s+)*[*&]*([A-Za-z_$~][\w$]*)\s*(?:<[^<>]*>)?\("
_ARROW = r"^(?:export\s+)?(?:const|let|var)\s+([A-Za-z_$][\w$]*)\b.*=>?.*[({]$"
_COMMENT = r"\s+(?:#|//)\s.*$"


def declared_by(key: str) -> str:
    """The name of the function or class whose block a line begins; "" where it begins none."""
    key = pattern(_COMMENT).sub("", key)
    if not key or not (key[0].isalpha() or key[0] in "_$*~") or key[-1] not in ":{(,)>" or key.startswith("* "):
        return ""  # ` * run(() => {` is an example in a comment
    if (match := pattern(_KEYWORD).search(key)) and key[-1] not in ",)>":
        return match[1]
    if key[-1] == "{" and ((match := pattern(_METHOD).match(key)) or (match := pattern(_ARROW).match(key))):
        words = key[: match.end(1)].split()
        return "" if _NOT_NAMES.intersection(words) or match[1] in _NOT_NAMES else match[1]
    return ""


def stands_twice(file: File, splices: list[LineSplice]) -> Problem | None:
    """A problem where a function or class that stays would stand there a second time."""
    gone = {row for splice in splices for row in range(splice.start, splice.end)}
    for splice in splices if not file.prose else ():
        for at, line in enumerate(splice.lines):
            name = declared_by(line.strip(BLANK)) if not is_blank(line) else ""
            if not name:
                continue
            there = [row for row in file.rows(line) if file.is_at(line, row) and row not in gone]
            if (call := _call(line)) and "#[cfg" not in "".join(splice.lines[:at]):
                # `fn path(&self) -> Cow<Path>` beside `fn path(&self) -> &Path`: overloads have other parameters
                there += [row for row in file.headers(name) if row not in gone and _call(file.lines[row]) == call]
            if depth_of(line):
                if any(is_shallower(above, depth_of(line)) for above in splice.lines[:at]):
                    continue  # it stands in what is new itself
                above = range(splice.start - 1, -1, -1)
                holder = next((row for row in above if is_shallower(file.lines[row], depth_of(line))), -1)
                there = [row for row in there if file.outer(row) == holder >= 0]
            if there:
                return line_twice(line, there[0])
    return None


def _call(header: str) -> str:
    """A header with its parameters and nothing behind them; "" where these aren't all on the line."""
    head, bracket, rest = header.rstrip(BLANK).partition("(")
    unclosed = 1
    for at, sign in enumerate(rest):
        unclosed += (sign == "(") - (sign == ")")
        if not unclosed:
            return head + bracket + rest[: at + 1]
    return ""


def line_twice(line: str, row: int) -> Problem:
    """The refusal of a header that stands in the file already, at a row."""
    detail = f"`{line.strip()[:80]}` would be there twice: it is already at line {row + 1}"
    return Problem("elision", detail, line=row + 1, advice=BOTH_ENDS)
