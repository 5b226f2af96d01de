"""Headers of functions and types that a damaged file's tree has lost, found by their look. Pure; tells no ends.

What encloses a header is told by its indentation. Comments and strings are blotted out first, but not in Python, where
one lost quote turns all code below into text. Used only beside a tree with errors: there a header that nobody lists
could make another symbol of the same name look like the only one.
"""

from __future__ import annotations

import re
from bisect import bisect_right

from ..text import encode, indent_of
from .languages import language_of
from .lexer import mask, tokens
from .symbols import Symbol, units

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from .languages import Language

_PYTHON = r"^([ \t]*+)(?:async[ \t]++)?(def|class)[ \t]++(\w++)[ \t]*+(?=[(:\[])"
_TYPES = r"\b(class|struct|interface|enum|union|namespace|trait|record)\s++(\w++)"
_CALLS = r"(~?[A-Za-z_$][\w$]*+)[ \t]*+\("
_NO_NAMES = (
    "if", "for", "while", "switch", "catch", "return", "else", "do", "try", "throw", "new", "case", "using", "lock",
    "synchronized", "await", "yield", "typeof", "sizeof", "delete", "super", "this", "assert", "with", "foreach",
    "fixed", "function", "func", "fn",
)  # fmt: skip
_NEAR = 2000  # characters in which a head must come to its brace


def headers(path: str, text: str, rows: set[int]) -> list[Symbol]:
    """The headers of a text in order, each as a symbol of one line; only those in some rows, if any."""
    language = language_of(path)
    if language is None or language.family not in ("python", "c"):
        return []
    text = as_read(text, language)
    masked = text if language.family == "python" else mask(text, tokens(text, language))
    lines, masked_lines = text.split("\n"), masked.split("\n")
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line) + 1)
    found: list[Symbol] = []
    above: list[tuple[int, str]] = []
    find = _python if language.family == "python" else _braces
    if rows:
        masked = "\n".join([line if row in rows else " " * len(line) for row, line in enumerate(masked_lines)])
    for kind, name, at in sorted(find(masked), key=lambda one: one[2]):
        row = bisect_right(starts, at) - 1
        depth = len(indent_of(lines[row]).expandtabs(8))
        while above and above[-1][0] >= depth:
            above.pop()
        column = units(encode(lines[row]), len(encode(lines[row][: at - starts[row]])))
        parts = (*(outer for _, outer in above), name)
        first = _first(masked_lines, row, language.family == "python")
        begin = len(indent_of(lines[first]))
        found.append(
            Symbol(parts, kind, row, column, len(name), first, row, begin, len(lines[row]), first,
                   damaged=True, depth=len(above), engine="scanner")
        )  # fmt: skip
        above.append((depth, name))
    return found


def as_read(text: str, language: Language) -> str:
    """The text as a grammar reads it: C and C++ without macros that say nothing to it."""
    if language.name not in ("c", "c++"):
        return text
    from .masking import readable

    return readable(encode(text), whole=True).decode("utf-8", "surrogateescape")


def _python(masked: str) -> Iterator[tuple[str, str, int]]:
    for match in re.finditer(_PYTHON, masked, re.MULTILINE):
        yield ("class" if match[2] == "class" else "function"), match[3], match.start(3)


def _braces(masked: str) -> Iterator[tuple[str, str, int]]:
    """Types by their word; functions by a name and a list in brackets before the brace."""
    types, calls = re.compile(_TYPES), re.compile(_CALLS)
    start = 0
    for sign in re.finditer("[;{}]", masked):
        start, end, begin = sign.end(), sign.start(), max(start, sign.start() - _NEAR)
        if sign[0] != "{":
            continue
        for match in types.finditer(masked, begin, end):
            if masked[begin : match.start()].rstrip()[-1:] not in ("<", ","):  # those are parameters of a template
                yield match[1], match[2], match.start(2)
        for match in calls.finditer(masked, begin, end):
            if _is_head(masked, match, end):
                yield "function", match[1], match.start(1)


def _is_head(masked: str, call: re.Match[str], end: int) -> bool:
    """Whether a name with a bracket behind it is that of a function whose body begins at `end`."""
    if call[1] in _NO_NAMES:
        return False
    before = masked[masked.rfind("\n", 0, call.start()) + 1 : call.start()]
    if before.rstrip()[-1:] in (".", "=", ",", "(", "!", "?", "|", "+", "-", "/") or "=" in before:
        return False
    if before.rstrip().endswith(":") and not before.rstrip().endswith("::"):  # a member gets its value
        return False
    word = before.split()[-1] if before.split() else ""
    if word in ("return", "new", "throw", "else", "await", "case") or ("(" in before and "func" not in before):
        return False
    depth = 1
    for place in range(call.end(), end):
        sign = masked[place]
        depth += (sign == "(") - (sign == ")")
        if not depth:
            return "=" not in masked[place:end]
    return False


def _first(lines: list[str], row: int, python: bool) -> int:
    """The row where what belongs to a header begins above it: decorators, a template, a return type of its own line."""
    while row:
        above = lines[row - 1].strip()
        if not (above.startswith("@") if python else above and goes_on(above)):
            return row
        row -= 1
    return row


def goes_on(line: str) -> bool:
    """Whether a line above a head is part of it."""
    return (line[-1] not in ";{}:" or line.endswith("::")) and (line[0] != "#" or line[1:2] == "[")
