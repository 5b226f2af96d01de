"""Typographic signs that a patch has where the file has typed ones: healed in its new lines as in its old ones. Pure.

patch  -echo “hi”          file  echo "hi"          so the added line becomes  echo "hello"
       +echo “hello”
"""

from __future__ import annotations

from ..errors import Problem
from ..model import Hunk
from ..text import BLANK
from .rungs import typed_as

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from .page import Page

_QUOTES = ("'", '"', "`")


def healed(page: Page, hunk: Hunk, said: Sequence[str], there: Sequence[str]) -> Hunk | Problem:
    """The hunk with its signs as the matched lines show them; a problem where they don't show one way.

    `said` and `there` are the matched lines as the patch and as the file write them.
    """
    if all(map(str.isascii, said)):
        return hunk
    shown: dict[str, set[str]] = {}
    for one, two in zip(said, there, strict=True):
        if not one.isascii():
            _compare(one, two, shown)
    kinds = {_kind(sign) for sign, typed in shown.items() if typed != {sign}}
    if not kinds:
        return hunk
    # Whoever writes “ for " writes ‘ for ' too, unless the file has that sign.
    text = page.text
    table = {
        sign: shown.get(sign, {typed}) for code, typed in typed_as().items()
        if _kind(sign := chr(code)) in kinds and (sign in shown or sign not in text)
    }  # fmt: skip
    lines = []
    for tag, line in hunk.lines:
        typed = "" if line.isascii() else _typed(line, table)
        if typed is None and tag == "+":
            detail = f"the old lines show two ways to type the quotes, dashes or spaces of `{line.strip()[:80]}`"
            return Problem("ambiguous", detail, patch_line=hunk.patch_line, advice="Write them as the file does.")
        lines.append((tag, typed or line))
    return hunk._replace(lines=tuple(lines))


def _typed(line: str, table: dict[str, set[str]]) -> str | None:
    """The line with its signs as the table types them; None where that has two ways.

    What stands inside quotes that are typed is the text of a string, and meant: `say("“Hi”, she said")`.
    """
    last = {quote: line.rfind(quote) for quote in _QUOTES}
    made, quote, escaped = "", "", False
    for at, sign in enumerate(line):
        if quote:
            quote = "" if sign == quote and not escaped else quote
            escaped = sign == "\\" and not escaped
        elif sign in _QUOTES and at < last[sign]:
            quote = sign
        elif sign in table:
            if len(table[sign]) > 1:
                return None
            sign = min(table[sign])  # noqa: PLW2901
        made += sign
    return made


def _kind(sign: str) -> str:
    """What a sign is typed as; single and double quotes are of one kind."""
    typed = typed_as()[ord(sign)]
    return "quote" if typed in _QUOTES else typed


def _compare(one: str, two: str, shown: dict[str, set[str]]) -> None:
    """Note what stands in the file for each sign of a line; blanks may differ, as they may for the search."""
    typed, at, skip = typed_as(), 0, 0
    for sign in one:
        if skip or sign in BLANK:
            skip = max(skip - 1, 0)
            continue
        key = typed.get(ord(sign))
        here = two[at : at + 1]
        while here and here != sign and not typed.get(ord(here), here).strip(BLANK):
            at += 1
            here = two[at : at + 1]
        if here == sign:
            if key is not None:
                shown.setdefault(sign, set()).add(sign)
            at += 1
        elif key is not None and key.strip() == "":
            shown.setdefault(sign, set()).add(key)
        elif key is not None and two.startswith(key, at):
            shown.setdefault(sign, set()).add(key)
            at += len(key)
        elif here and typed.get(ord(here), "").startswith(key or sign):
            if key is not None:
                shown.setdefault(sign, set()).add(here)
            else:
                skip = len(typed[ord(here)]) - 1
            at += 1
        else:
            return  # a comment, or something else that the search passed over
