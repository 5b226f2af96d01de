"""Context without its signs, so that a blank taken for one is part of the line. Pure; places nothing."""

from __future__ import annotations

from ..model import Hunk
from ..text import BLANK, indent_of
from .ladder import VERBATIM
from .page import Page


def with_signs(page: Page, hunk: Hunk) -> list[Hunk]:
    """The hunk as it reads if its context lost its signs: where only that makes lines of the file, and throughout.

    To the letter only: what is no line of the file then either says nothing of signs.
    """
    if hunk.rules.indent != "map" or not any(tag == " " and text.strip(BLANK) for tag, text in hunk.lines):
        return []
    unsigned = any(problem.kind == "bad_patch" for problem in hunk.doubts)
    rules = hunk.rules._replace(rungs=tuple(rung for rung in hunk.rules.rungs if rung in VERBATIM))
    found: list[Hunk] = []
    for every in (False, True):
        lines = tuple((tag, _signed(page, tag, text, every)) for tag, text in hunk.lines)
        # Whoever forgets the sign of one line forgets it of all; at column 0 that shows by itself.
        kept = any(
            one == two and one[0] == " " and one[1].strip(BLANK) for one, two in zip(lines, hunk.lines, strict=True)
        )
        if lines != hunk.lines and (unsigned or not kept) and all(lines != other.lines for other in found):
            found.append(hunk._replace(lines=lines, rules=rules))
    return found


def _signed(page: Page, tag: str, text: str, every: bool) -> str:
    longer = f" {text}"
    if tag != " " or not text.strip(BLANK) or not page.has_line(longer.rstrip(BLANK)):
        return text
    return longer if every or not page.has_line(text.rstrip(BLANK)) else text


def lost_signs(page: Page, hunk: Hunk, signed: Hunk) -> bool | None:
    """Whether the signs are lost, rather than the whole hunk less deep than the file; None where nothing tells.

    New lines have the depth of a neighbour: in the one reading of one as written, in the other of one as signed.
    """
    removed = {text for tag, text in hunk.lines if tag == "-" and text.strip(BLANK)}
    unsigned = any(problem.kind == "bad_patch" for problem in hunk.doubts)
    if unsigned or not removed.isdisjoint(page.lines):
        return True  # some line has no sign at all, or a removed one is as deep as the file's
    as_written, as_signed = _level(hunk), _level(signed)
    return as_signed if as_written != as_signed else None


def _level(hunk: Hunk) -> bool:
    """Whether some new line has the depth of the context right above or below the lines that come with it."""
    above: str | None = None
    new: set[str] = set()
    for tag, text in hunk.lines:
        if tag == " " and text.strip(BLANK):
            here = indent_of(text)
            if above in new or here in new:
                return True
            above, new = here, set()
        elif tag == "+" and text.strip(BLANK):
            new.add(indent_of(text))
    return above in new
