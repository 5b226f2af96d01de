"""The commonest edit, a line for a line in a file without comments, made in the text itself. Pure.

What it makes is what the long way through search and fit makes; where that isn't certain at a glance, it makes nothing.
"""

from __future__ import annotations

from ..model import Splice, Where
from ..text import BLANK
from .page import INDEX_PAYS, Page

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..model import Hunk
    from ..syntax.languages import Language

_ANYWHERE = Where()
_EDGES = (" ", "\t", "")


def line_for_line(page: Page, hunk: Hunk) -> Splice | None:
    """Make a hunk of one old and one new line in a sheet that isn't split, where the old one stands once; or None."""
    sheet, rules = page.sheet, hunk.rules
    raw = sheet.raw
    if raw is None or len(hunk.lines) != 2 or page.searches >= INDEX_PAYS:
        return None
    (tag, old), (other, new) = hunk.lines
    if tag != "-" or other != "+" or old == new or old[:1] in _EDGES or new[:1] in _EDGES:
        return None
    if rules.rungs[0] != "blank lines" or rules.indent != "marker" or hunk.where != _ANYWHERE:
        return None
    wanted = old.rstrip(BLANK)
    at = raw.find(wanted)
    if at < 0 or raw.find(wanted, at + 1) >= 0:
        return None
    start, end = raw.rfind("\n", 0, at) + 1, raw.find("\n", at)
    end = end if end >= 0 else len(raw)
    pad, there = raw[start:at], raw[start:end]
    if pad.strip(" \t") or there[at - start :].rstrip(BLANK) != wanted:
        return None
    language = page.language(rules.language)
    if language is not None and not _is_bare(page, raw, new, language):
        return None
    row, known = page.passed
    row = row + raw.count("\n", known, at) if at >= known else raw.count("\n", 0, at)
    page.passed = (row, start)
    sheet.swap(start, end, pad + new)
    return Splice(row, row + 1, (pad + new,), "exact" if there == old else "indentation" if pad else "trailing space")


def _is_bare(page: Page, raw: str, new: str, language: Language) -> bool:
    """Whether neither the text nor the new line holds anything that could begin a comment or a long string."""
    from .lexed import has_marks

    if page.bare_of != language.name:
        if has_marks(raw, language) or raw[-1:] == "\\":
            return False
        page.bare_of = language.name
    return not has_marks(new, language) and new[-1:] != "\\"
