"""Symbols in files that don't follow their grammar: taken where every way of telling their lines agrees. Pure.

A bracket too few or too many misleads a tree and a scanner alike, also about nodes that hold no error themselves. So in
such a file the tree, the scanner (comments, strings, brackets; from the symbol's own first line on) and the indentation
of all braces inside must say the same. What the tree has lost is found by its header and ended by the scanner.
"""

from __future__ import annotations

from ..errors import Problem
from ..text import indent_of
from .blocks import block_end
from .kinds import CODE
from .languages import language_of
from .lexer import mask, tokens
from .symbols import Symbol, numbered

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from .languages import Language

_BELOW = 200  # lines in which the next code is looked for
_MARKED = ("c", "c++", "objective-c", "java", "c#")  # a semicolon or a brace ends every statement
_KINDS = {"c": "c_style", "python": "py", "xml": "xml"}


def completed(path: str, text: str, symbols: list[Symbol], rows: set[int]) -> list[Symbol]:
    """The symbols of a file with errors, with those that only their headers tell; `rows`: only in these, if any."""
    from .scanned import headers

    by_row: dict[int, list[Symbol]] = {}
    for symbol in symbols:
        by_row.setdefault(symbol.row, []).append(symbol)
    lost: list[Symbol] = []
    doubted: set[Symbol] = set()
    heads = {(symbol.name, row) for symbol in symbols if rows and symbol.kind in CODE for row in _own(symbol, rows)}
    for header in headers(path, text, rows):
        if (header.name, header.row) in heads:
            continue
        stop = header.column + header.width
        same = [
            symbol
            for symbol in by_row.get(header.row, ())
            if symbol.column < stop and header.column < symbol.column + max(symbol.width, 1)
        ]
        if not same:
            lost.append(header)
        doubted.update(symbol for symbol in same if symbol.inner is None)  # its block has been cut off
    known = (
        [symbol._replace(damaged=True) if symbol in doubted else symbol for symbol in symbols] if doubted else symbols
    )
    return numbered(sorted([*known, *lost], key=lambda symbol: (symbol.row, symbol.column)))


def _own(symbol: Symbol, rows: set[int]) -> Iterator[int]:
    """Those of some rows that a symbol holds: another branch of its head may stand there."""
    return (row for row in range(symbol.first, symbol.last + 1) if row in rows)


def settled(path: str, text: str, symbol: Symbol, errors: bool) -> Symbol | Problem:
    """The symbol with its end, unless that can't be told; `errors`: the file has some."""
    from .scanned import as_read

    if symbol.other >= 0 and symbol.engine != "scanner":
        detail = (
            f"`{symbol.name_path}` ends on line {symbol.last + 1} by its grammar, {symbol.other + 1} by {symbol.engine}"
        )
        return Problem(
            "ambiguous", detail, line=symbol.first + 1, advice="Edit it by its text, or without --symbols lsp."
        )
    if (not errors and symbol.engine != "scanner") or symbol.kind == "file":
        return symbol
    language = language_of(path)
    kind = _KINDS.get(language.family) if language else None
    if language is None or kind is None:
        return _untold(symbol, "where it ends can't be told") if symbol.damaged else symbol
    lines = as_read(text, language).split("\n")
    bare = symbol.inner is None and symbol.engine != "scanner"
    if bare and not symbol.damaged and not (kind == "c_style" and "{" in lines[symbol.last][symbol.stop :]):
        return symbol if _begins_there(lines, symbol) else _untold(symbol, "where it begins can't be told")
    below = lines[symbol.first :]
    row = symbol.row - symbol.first
    stop = _header_end(below, row) if kind == "c_style" else row
    if kind == "c_style" and symbol.inner and "{" in lines[symbol.inner[0]]:
        stop = max(stop, symbol.inner[0] - symbol.first)  # braces of parameters come before that of the body
    end = block_end(kind, "\n".join(below), language, row, stop, "")
    if isinstance(end, Problem):
        return _untold(symbol, "where it ends can't be told")
    last = end.line + symbol.first
    if symbol.engine != "scanner" and last != symbol.last:
        return _untold(symbol, f"it ends on line {symbol.last + 1} or {last + 1}")
    if symbol.engine == "scanner" and symbol.other not in (-1, last):
        return _untold(symbol, f"it ends on line {symbol.other + 1} or {last + 1}")
    if not _looks_whole(kind, lines, symbol._replace(last=last), language):
        return _untold(symbol, "its lines are not indented as its brackets are")
    if symbol.engine != "scanner":
        return symbol
    return symbol._replace(last=last, stop=len(text.split("\n")[last].encode("utf-16-le", "surrogatepass")) // 2)


def _begins_there(lines: list[str], symbol: Symbol) -> bool:
    """Whether nothing that could belong to a symbol without a body stands before it on its line."""
    before = lines[symbol.first][: symbol.start].rstrip()
    return symbol.shared or not before or before[-1] in ";,{}()[>:" or before.endswith("*/")


def _untold(symbol: Symbol, why: str) -> Problem:
    detail = f"the file has errors or unread branches around `{symbol.name_path}`, and {why}"
    advice = "Mend the file first, or edit it by its text alone."
    return Problem("ambiguous", detail, line=symbol.first + 1, advice=advice)


def _header_end(lines: list[str], row: int) -> int:
    """The row of the brace that opens a symbol's body."""
    return next((at for at in range(row, min(row + 60, len(lines))) if "{" in lines[at]), row)


# ── indentation ──────────────────────────────────────────────────────────────────────────────────


def _looks_whole(kind: str, lines: list[str], symbol: Symbol, language: Language) -> bool:
    """Whether indentation tells the same lines."""
    if kind == "py":
        below = next((line.strip() for line in lines[symbol.last + 1 :] if line.strip()), "")
        return below[:1] not in tuple("([{'\")]}") or not below
    if kind == "xml":
        return indent_of(lines[symbol.last]) == indent_of(lines[symbol.first]) or symbol.first == symbol.last
    text = "\n".join(lines[symbol.first : symbol.last + 1])
    body = mask(text, tokens(text, language)).split("\n")
    if _goes_deeper(lines, symbol) or (symbol.engine == "scanner" and not _ended_above(lines, symbol, language)):
        return False
    return _begins(lines[max(symbol.first - 1, 0) : symbol.first], body[: symbol.row - symbol.first]) and _is_even(body)


def _goes_deeper(lines: list[str], symbol: Symbol) -> bool:
    """Whether the code below a symbol is indented as if it were inside."""
    for line in lines[symbol.last + 1 : symbol.last + 1 + _BELOW]:
        bare = line.strip()
        if bare and bare[0] not in "#/*":
            return _depth(line) > _depth(lines[symbol.first])
    return False


def _ended_above(lines: list[str], symbol: Symbol, language: Language) -> bool:
    """Whether the code above a head that only the scanner tells has come to an end, where languages mark ends."""
    from .scanned import goes_on

    for line in reversed(lines[max(symbol.first - _BELOW, 0) : symbol.first] if language.name in _MARKED else ()):
        bare = line.partition("//")[0].strip()
        if bare and not bare.startswith(("*", "/*")) and not bare.endswith("*/"):
            return not goes_on(bare)
    return True


def _depth(line: str) -> int:
    return len(indent_of(line).expandtabs(8))


def _begins(above: list[str], head: list[str]) -> bool:
    """Whether a head is whole: no line right above goes on into it, and no other code stands in it."""
    from .scanned import goes_on

    last = above[-1].partition("//")[0].strip() if above else ""
    ended = not last or last.endswith(("*/", ",")) or last.startswith(("*", "/*")) or not goes_on(last)
    # the end of a comment whose beginning is lost stands below words that only look like code
    other = any(sign in line for line in head for sign in (";", "{", "}", "*/")) or any(
        line.rstrip().endswith(":") and not line.rstrip().endswith("::") for line in head
    )
    return ended and not other


def _is_even(body: list[str]) -> bool:
    """Whether every brace that begins a line is indented as a line of the statement that opened it."""
    opened: list[int] = []
    for row, line in enumerate(body):
        bare = line.lstrip()
        for at, sign in enumerate(bare):
            if sign == "{":
                opened.append(row)
            elif sign == "}":
                if not opened:
                    return False
                start = opened.pop()
                if at == 0 and start < row and indent_of(line) not in _indents(body, start):
                    return False
    return not opened


def _indents(body: list[str], row: int) -> set[str]:
    """The indentations of a statement that ends on a row."""
    from .scanned import goes_on

    found = {indent_of(body[row])}
    while row and (above := body[row - 1].strip()) and goes_on(above):
        row -= 1
        found.add(indent_of(body[row]))
    return found
