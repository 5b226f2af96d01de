"""Where the symbol ends whose name stands on a row, by the grammar: for headers and blocks that lines can't tell. Pure.

Asked only where several places fit or the scanner knows no end: reading a file by its grammar costs more than the rest.
A file that doesn't follow its grammar tells nothing here.
"""

from __future__ import annotations

from ..syntax.grammars import grammar_of
from ..text import BLANK
from .page import Page


def symbol_ends(page: Page) -> dict[int, tuple[int, int]]:
    """Of each row with the name of a symbol that has several rows: its last row, the UTF-16 column it ends at."""
    if page.ends is None:
        page.ends = _ends(page)
    return page.ends


def behind(page: Page, row: int) -> int:
    """The row behind the symbol that is named on a row, with the blank lines below it; 0 where none is."""
    found = symbol_ends(page).get(row)
    if found is None:
        return 0
    end = found[0] + 1
    while end < len(page.lines) and not page.lines[end].strip(BLANK):
        end += 1
    return end


def _ends(page: Page) -> dict[int, tuple[int, int]]:
    grammar = grammar_of(page.path)
    if not grammar:
        return {}
    from ..syntax.symbols import symbols_of

    found = symbols_of(grammar, page.path, "\n".join(page.lines))
    if found is None or found.errors:
        return {}
    rows = [row for row in found.rows if row.last > row.row and row.kind != "element"]
    # of several on one row the outermost comes first, and counts
    return {row.row: (row.last, row.stop) for row in reversed(rows)}
