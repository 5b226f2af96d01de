"""A symbol as a whole: replaced, deleted, or new lines put before or after it. Pure.

The rest of its first and last line must be its own: a symbol that shares a line with others is not cut out of it.
"""

from __future__ import annotations

from ..errors import Problem
from ..model import Inside, Splice
from ..syntax.symbols import Symbol, macro_above
from ..syntax.top import top_of
from ..text import BLANK
from .fit import Fit
from .lexed import code_lines
from .page import Page
from .symbol import beside


def place_whole(page: Page, said: Inside, symbol: Symbol, text: tuple[str, ...]) -> Fit | Problem:
    """The one splice of an operation on a whole symbol."""
    first = symbol.first
    if said.lead or said.deed == "insert_before":
        # Comments right above it are its own, but not the file's shebang and licence.
        rows = page.lines if symbol.kind == "file" and said.deed == "insert_before" else page.lines[: symbol.first]
        top = top_of(rows, page.path)
        first = max(symbol.lead, top[-1].end if top else 0)
    if any(beside(page, symbol)):
        detail = f"`{symbol.name_path}` shares a line with other code"
        return Problem("overlap", detail, line=symbol.first + 1, advice="Replace the lines as text.")
    if said.deed == "delete" and not said.lead and macro_above(symbol, page.sheet.lines[symbol.first - 1]):
        detail = f"`{page.sheet.lines[symbol.first - 1].strip()}` right above may belong to `{symbol.name_path}`"
        advice = "Say with_lead to delete it too, or delete the lines as text."
        return Problem("ambiguous", detail, line=symbol.first, advice=advice)
    start, end = {
        "replace": (first, symbol.last + 1),
        "delete": (first, symbol.last + 1),
        "insert_before": (first, first),
        "insert_after": (symbol.last + 1, symbol.last + 1),
    }[said.deed]
    from .column import at_column

    made = at_column(page, symbol, text, start, end)
    if isinstance(made, Problem):
        return made
    lines = made.lines
    if made.begun and said.deed == "replace":
        # Whoever begins at the symbol's first sign ends at its last: a comment behind that stays.
        lines = (*lines[:-1], _with_comment(page, lines[-1], symbol.last))
    return Fit(Splice(start, end, lines, "symbol"), [page.sheet.eol] * len(lines))


def _with_comment(page: Page, line: str, row: int) -> str:
    """A new last line with the comment behind the code of the old one, unless it has its own."""
    language = page.language()
    code = page.lexed(language).code_of(row) if language is not None else ""
    _, code, comment = page.lines[row].partition(code) if code else ("", "", "")
    if language is None or not comment.strip(BLANK) or code_lines([line], language) != [line.strip(BLANK)]:
        return line
    return line.rstrip(BLANK) + comment
