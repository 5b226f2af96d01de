"""Declarations of files with syntax errors: those that the tree has lost, and where they end if that is certain.

Nothing is trusted alone there. A lost brace makes nodes without errors that end too early, and the scanner agrees with
them; the indentation of the braces inside doesn't.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import accumulate

from ..problems import Problem
from ..text import depth_of, indent_of, units
from .blocks import block_end
from .declarations import CODE_KINDS, Declaration, numbered
from .languages import PYTHON_DEFINITION, TYPE_WORDS, Language, language_of
from .lexer import mask, tokens

_LONGEST_HEAD = 60  # lines from a name to the brace of its body
_SCANNER = "scanner"  # the engine of declarations that only their header shows
_BLOCK_KINDS = {"c": "c_style", "python": "py", "xml": "xml"}


def with_lost(path: str, text: str, declarations: Sequence[Declaration], rows: set[int]) -> list[Declaration]:
    """Add the declarations that only their headers show; only those in some `rows`, if any are given."""
    by_row: dict[int, list[Declaration]] = {}
    for declaration in declarations:
        by_row.setdefault(declaration.row, []).append(declaration)
    other_heads = _other_heads(declarations, rows) if rows else set()
    lost: list[Declaration] = []
    cut_off: set[Declaration] = set()  # the tree has lost their bodies
    for header in _headers(path, text, rows):
        if (header.name, header.row) in other_heads:
            continue
        same = [known for known in by_row.get(header.row, ()) if _overlaps(known, header)]
        if not same:
            lost.append(header)
        cut_off.update(known for known in same if known.inner is None)
    known = [row._replace(damaged=True) if row in cut_off else row for row in declarations]
    return numbered(sorted([*known, *lost], key=lambda row: (row.row, row.column)))


def _other_heads(declarations: Sequence[Declaration], rows: set[int]) -> set[tuple[str, int]]:
    """Return (name, row) of where a declaration may have its own head once more, in another branch of an `#if`."""
    code = (declaration for declaration in declarations if declaration.kind in CODE_KINDS)
    return {(own.name, row) for own in code for row in rows.intersection(range(own.first, own.last + 1))}


def _overlaps(known: Declaration, header: Declaration) -> bool:
    return known.column < header.column + header.width and header.column < known.column + max(known.width, 1)


def confirm_lines(path: str, text: str, declaration: Declaration, errors: bool) -> Declaration | Problem:
    """Return a declaration with its last line, or a problem if that line isn't certain. `errors`: the file has some."""
    is_scanned = declaration.engine == _SCANNER
    if declaration.other_last >= 0 and not is_scanned:
        return _engines_disagree(declaration)
    if (not errors and not is_scanned) or declaration.kind == "file":
        return declaration
    language = language_of(path)
    if language is None:
        return _uncertain(declaration, "where it ends can't be told") if declaration.damaged else declaration
    kind = _BLOCK_KINDS[language.family]
    lines = _without_macros(text, language).split("\n")
    has_body = declaration.inner or (kind == "c_style" and "{" in lines[declaration.last][declaration.stop :])
    if is_scanned or declaration.damaged or has_body:
        return _confirm_by_scanner(kind, text, lines, declaration, language)
    return declaration


def _confirm_by_scanner(
    kind: str, text: str, lines: list[str], declaration: Declaration, language: Language
) -> Declaration | Problem:
    """Compare where the tree and the scanner see the end, and the indentation."""
    first, is_scanned = declaration.first, declaration.engine == _SCANNER
    below = lines[first:]
    row = declaration.row - first
    end = block_end(kind, "\n".join(below), language, row, _row_of_body(kind, below, declaration), "")
    if isinstance(end, Problem):
        return _uncertain(declaration, "where it ends can't be told")
    last = end.line + first
    known = declaration.other_last if is_scanned else declaration.last
    if known not in (-1, last):
        return _uncertain(declaration, f"it ends on line {known + 1} or {last + 1}")
    if not _indentation_agrees(kind, lines, declaration._replace(last=last), language):
        return _uncertain(declaration, "its lines are not indented as its brackets are")
    return declaration._replace(last=last, stop=units(text.split("\n")[last])) if is_scanned else declaration


def _row_of_body(kind: str, below: list[str], declaration: Declaration) -> int:
    """Return the row of the brace that opens the body, else that of the name; both count from the declaration's."""
    row, inner = declaration.row - declaration.first, declaration.inner
    if kind != "c_style":
        return row
    rows = range(row, min(row + _LONGEST_HEAD, len(below)))
    body_row = next((at for at in rows if "{" in below[at]), row)
    # Braces of parameters come before that of the body.
    inner_row = inner[0] - declaration.first if inner else 0
    return max(body_row, inner_row) if inner and "{" in below[inner_row] else body_row


def _engines_disagree(declaration: Declaration) -> Problem:
    ends = f"line {declaration.last + 1} by grammar, {declaration.other_last + 1} by {declaration.engine}"
    return Problem(
        "ambiguous", f"`{declaration.name_path}` ends on {ends}", line=declaration.first + 1,
        advice="Edit the file by its text.", command="Or leave out --symbols lsp.",
    )  # fmt: skip


def _uncertain(declaration: Declaration, why: str) -> Problem:
    detail = f"the file has syntax errors or inactive branches around `{declaration.name_path}`, and {why}"
    advice = "Fix the file first, or edit it by its text."
    return Problem("ambiguous", detail, line=declaration.first + 1, advice=advice)


# ── does the indentation agree? ────────────────────────────────────────────────────────────────────


def _indentation_agrees(kind: str, lines: list[str], declaration: Declaration, language: Language) -> bool:
    """Return True if the indentation doesn't contradict the lines of a declaration."""
    first, last = declaration.first, declaration.last
    if kind == "py":
        below = next((line.strip() for line in lines[last + 1 :] if line.strip()), "")
        return not below.startswith(tuple("([{'\")]}"))
    if kind == "xml":
        return first == last or indent_of(lines[last]) == indent_of(lines[first])
    text = "\n".join(lines[first : last + 1])
    body = mask(text, tokens(text, language)).split("\n")
    return _is_whole_head(
        lines[max(first - 1, 0) : first], body[: declaration.row - first]
    ) and _braces_fit_indentation(body)


def _is_whole_head(above: list[str], head: list[str]) -> bool:
    """Return True if no line right above a head goes on into it, and no other code is in it."""
    last = above[-1].partition("//")[0].strip() if above else ""
    if last and not last.endswith(("*/", ",")) and not last.startswith(("*", "/*")) and _goes_on(last):
        return False
    # A comment that has lost its beginning leaves words that look like code, and its end.
    has_other_code = any(sign in line for line in head for sign in (";", "{", "}", "*/"))
    return not has_other_code and not any(re.search(r"(?<!:):\s*$", line) for line in head)


def _braces_fit_indentation(body: list[str]) -> bool:
    """Return True if every brace that begins a line is indented as a line of the statement that opened it."""
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
    """Return the indentations of a statement that ends on a row."""
    indents = {indent_of(body[row])}
    while row and (above := body[row - 1].strip()) and _goes_on(above):
        row -= 1
        indents.add(indent_of(body[row]))
    return indents


# ── headers, found without a grammar ───────────────────────────────────────────────────────────────


_PYTHON_HEADER = rf"^[ \t]*+{PYTHON_DEFINITION}[ \t]*+(?=[(:\[])"
_TYPE_HEADER = rf"\b({'|'.join(TYPE_WORDS)})\s++(\w++)"
_CALL = r"(~?[A-Za-z_$][\w$]*+)[ \t]*+\("
_KEYWORDS = (
    "if", "for", "while", "switch", "catch", "return", "else", "do", "try", "throw", "new", "case", "using", "lock",
    "synchronized", "await", "yield", "typeof", "sizeof", "delete", "super", "this", "assert", "with", "foreach",
    "fixed", "function", "func", "fn",
)  # fmt: skip
_NEAR = 2000  # characters from a name to its brace

Header = tuple[str, str, int]  # the kind, the name, and where it is


def _headers(path: str, text: str, rows: set[int]) -> list[Declaration]:
    """List the headers of a text in order, each as a declaration of one line; only those in some rows, if any."""
    language = language_of(path)
    if language is None or language.family not in ("python", "c"):
        return []
    is_python = language.family == "python"
    text = _without_macros(text, language)
    masked = text if is_python else mask(text, tokens(text, language))
    lines, masked_lines = text.split("\n"), masked.split("\n")
    starts = [0, *accumulate(len(line) + 1 for line in lines)]
    if rows:
        masked = "\n".join([line if row in rows else " " * len(line) for row, line in enumerate(masked_lines)])
    headers: list[Declaration] = []
    outers: list[tuple[int, str]] = []  # the indentation and the name of each header around
    for kind, name, at in sorted(
        (_python_headers if is_python else _brace_headers)(masked), key=lambda header: header[2]
    ):
        row = bisect_right(starts, at) - 1
        depth = depth_of(lines[row])
        while outers and outers[-1][0] >= depth:
            outers.pop()
        column = units(lines[row][: at - starts[row]])
        parts = (*(outer for _, outer in outers), name)
        first = _first_row(masked_lines, row, is_python)
        begin = len(indent_of(lines[first]))
        headers.append(
            Declaration(parts, kind, row, column, len(name), first, row, begin, len(lines[row]), first,
                        damaged=True, depth=len(outers), engine=_SCANNER)
        )  # fmt: skip
        outers.append((depth, name))
    return headers


def _without_macros(text: str, language: Language) -> str:
    if language.name not in ("c", "c++"):
        return text
    from .macros import without_macros

    return without_macros(text)


def _python_headers(masked: str) -> Iterator[Header]:
    for match in re.finditer(_PYTHON_HEADER, masked, re.MULTILINE):
        yield ("class" if match["word"] == "class" else "function"), match["name"], match.start("name")


def _brace_headers(masked: str) -> Iterator[Header]:
    """Find types by their keyword, functions by a name and parameters before a brace."""
    types, calls = re.compile(_TYPE_HEADER), re.compile(_CALL)
    start = 0
    for sign in re.finditer("[;{}]", masked):
        start, end, begin = sign.end(), sign.start(), max(start, sign.start() - _NEAR)
        if sign[0] != "{":
            continue
        for match in types.finditer(masked, begin, end):
            if masked[begin : match.start()].rstrip()[-1:] not in ("<", ","):  # those are parameters of a template
                yield match[1], match[2], match.start(2)
        for match in calls.finditer(masked, begin, end):
            if _is_function_name(masked, match, end):
                yield "function", match[1], match.start(1)


def _is_function_name(masked: str, call: re.Match[str], end: int) -> bool:
    """Return True if a name before a bracket is that of a function whose body begins at `end`."""
    if call[1] in _KEYWORDS:
        return False
    before = masked[masked.rfind("\n", 0, call.start()) + 1 : call.start()]
    bare = before.rstrip()
    if bare.endswith((".", "=", ",", "(", "!", "?", "|", "+", "-", "/")) or "=" in before:
        return False
    if bare.endswith(":") and not bare.endswith("::"):  # a member that gets its value
        return False
    word = before.split()[-1] if bare else ""
    if word in ("return", "new", "throw", "else", "await", "case") or ("(" in before and "func" not in before):
        return False
    depth = 1
    for place in range(call.end(), end):
        sign = masked[place]
        depth += (sign == "(") - (sign == ")")
        if not depth:
            return "=" not in masked[place:end]
    return False


def _first_row(lines: list[str], row: int, is_python: bool) -> int:
    """Return the row where a header begins: with decorators, a template, a return type on a line of its own."""
    while row:
        above = lines[row - 1].strip()
        if not (above.startswith("@") if is_python else above and _goes_on(above)):
            return row
        row -= 1
    return row


def _goes_on(line: str) -> bool:
    """Return True if a line above a head is part of it."""
    return (line[-1] not in ";{}:" or line.endswith("::")) and (line[0] != "#" or line[1:2] == "[")
