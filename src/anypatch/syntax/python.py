"""Python's blocks: where the one that begins in a marker ends, by logical lines and indentation. No parser."""

from __future__ import annotations

from ..problems import Problem
from .block_end import BlockEnd, beyond, line_number, no_block, span_of
from .languages import PYTHON
from .lexer import flat, logical_lines, mask, pattern, tokens

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    Span = tuple[int, int]

_OPENS = r"(?:async\s+(?:def|for|with)|if|elif|else|for|while|with|def|class|try|except|finally|match|case)\b"
_WHOLE_HEADER = "Give the whole header, from its first line to the colon that opens the block."


def block_end(text: str, first: int, last: int) -> BlockEnd | Problem:
    """The last line of the first block that begins in the lines."""
    found = tokens(text, PYTHON)
    plain = flat(text, found)
    begin, stop = span_of(text, first, last)
    rows = _rows_from(plain, begin)
    header = _header(text, plain, rows, (begin, stop))
    if isinstance(header, Problem):
        return header._replace(line=header.line or first + 1)
    (start, end), colon = header
    if plain[colon + 1 : end].strip():
        bottom = line_number(text, end)
    else:
        body = _body(plain, rows, start)
        if body is None:
            return no_block("the header has no body", line_number(text, start))
        bottom = _with_comments(text, mask(text, found), body, _column(plain, start))
    lines = text.split("\n")
    if bottom == len(lines) > 1 and not lines[-1]:
        return no_block("the block ends nowhere: a bracket in it stays open", line_number(text, start))
    code_line = line_number(text, begin + len(plain[begin:stop].rstrip()))
    if code_line > bottom:
        return beyond(code_line, bottom)
    return BlockEnd(bottom - 1, len(lines[bottom - 1]))


def doubled(text: str, first: int, last: int, payload: str) -> str:
    """A decorator above the block, or a clause or header below it, that a payload for lines first..last has too.

    Where the marker doesn't show the decorators, nobody can tell whether others in the payload join or replace them.
    """
    said = flat(payload, tokens(payload, PYTHON))
    own = list(logical_lines(said))
    header = next((at for at, (start, _) in enumerate(own) if said[start] != "@"), -1)
    siblings = [row for row in own[header + 1 :] if _column(said, row[0]) == _column(said, own[header][0])]
    if header < 0 or not (header or siblings):
        return ""
    plain = flat(text, tokens(text, PYTHON))
    begin, stop = span_of(text, first, last)
    rows = list(logical_lines(plain))
    above = [row for row in rows if row[1] <= begin]
    while above and plain[above[-1][0]] == "@" and header:
        there = _words(text, above.pop())
        if plain[begin:stop].lstrip()[:1] != "@" or there in [_words(payload, row) for row in own[:header]]:
            return there
    below = next((row for row in rows if row[0] > stop), None)
    if below is None:
        return ""
    clause = pattern(r"(?:except|elif|else|finally)\b")
    word = clause.match(plain, below[0])
    if word and any(clause.match(said, row[0]) for row in siblings):
        return word.group()
    there = _words(text, below)
    return there if _colon(plain, *below) >= 0 and there in [_words(payload, row) for row in siblings] else ""


def _words(text: str, row: Span) -> str:
    return " ".join(text[row[0] : row[1]].split())


def _rows_from(plain: str, begin: int) -> Iterator[Span]:
    """The logical lines that do not end before the offset."""
    return (row for row in logical_lines(plain) if row[1] > begin)


def _header(text: str, plain: str, rows: Iterator[Span], marker: Span) -> tuple[Span, int] | Problem:
    """The logical line that opens the block, and its colon. Decorators and simple statements may stand before it."""
    begin, stop = marker
    margin = -1
    for start, end in rows:
        if start < begin:
            return no_block("the marker begins inside a bracket, a string or a continued line", 0, _WHOLE_HEADER)
        if start >= stop:
            break
        margin = _column(plain, start) if margin < 0 else margin
        if plain[start] == "@":
            continue
        colon = _colon(plain, start, end)
        if not _opens_block(plain, start, end, colon):
            if colon < 0 and _column(plain, start) == margin and not pattern(_OPENS).match(plain, start):
                continue
            return no_block(_why(plain, start, colon), line_number(text, start), _WHOLE_HEADER)
        if colon >= stop:
            return no_block("the marker ends before the colon of its header", line_number(text, start), _WHOLE_HEADER)
        if _column(plain, start) != margin:
            return no_block("the marker's lines before the header are indented otherwise", line_number(text, start))
        return (start, end), colon
    return no_block("no header of a block is in the marker", 0, _WHOLE_HEADER)


def _why(plain: str, start: int, colon: int) -> str:
    if colon < 0 and pattern(_OPENS).match(plain, start):
        return "the header has no colon"
    return "the marker's first colon does not open a block"


def _opens_block(plain: str, start: int, end: int, colon: int) -> bool:
    match = pattern(_OPENS).match(plain, start)
    if match is None or colon < 0:
        return False
    word = match.group()
    if word not in ("match", "case"):
        return True
    # the soft keywords are also names: `match: int`, `case[0]: str = x`, `match = {…}`
    subject = plain[match.end() : colon]
    if not subject.strip() or pattern(r"\s*(?:[=.,;)]|[-+*/%|&^@<>]=)").match(subject):
        return False
    behind = plain[colon + 1 : end].strip()
    if word == "case":
        return not behind or subject[0] in " \t"
    return not behind and pattern(r"\s*case\b").match(plain, end) is not None


def _colon(plain: str, start: int, end: int) -> int:
    """The first colon outside brackets that belongs to no lambda; -1 for none."""
    depth = lambdas = 0
    for match in pattern(r"[(\[{]()|[)\]}]()|:(?!=)()|\blambda\b()").finditer(plain, start, end):
        event = match.lastindex
        if event == 1:
            depth += 1
        elif event == 2:
            depth = max(depth - 1, 0)
        elif depth:
            continue
        elif event == 4:
            lambdas += 1
        elif lambdas:
            lambdas -= 1
        else:
            return match.start()
    return -1


def _body(plain: str, rows: Iterator[Span], header: int) -> Span | None:
    """The last logical line that is deeper than the header, before one that is not."""
    base = _column(plain, header)
    bottom = None
    for row in rows:
        if _column(plain, row[0]) <= base:
            break
        bottom = row
    return bottom


def _with_comments(text: str, masked: str, body: Span, base: int) -> int:
    """The 1-based last line of the block: comments below it that are deeper than the header still belong to it."""
    bottom = line_number(text, body[1])
    position = body[1] + 1
    number = bottom
    while position < len(text):
        end = text.find("\n", position)
        end = len(text) if end < 0 else end
        number += 1
        line = text[position:end]
        if line.strip():
            if masked[position:end].strip() or _column(text, position + len(line) - len(line.lstrip(" \t\f"))) <= base:
                break
            bottom = number
        position = end + 1
    return bottom


def _column(plain: str, start: int) -> int:
    """The indentation of the line whose first sign is at `start`: a tab goes to the next multiple of 8."""
    column = 0
    for sign in plain[plain.rfind("\n", 0, start) + 1 : start]:
        column = 0 if sign == "\f" else (column // 8 + 1) * 8 if sign == "\t" else column + 1
    return column
