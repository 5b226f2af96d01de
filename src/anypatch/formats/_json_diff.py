"""A diff without file headers, as `apply_patch_call` and some edit tools hold it. Reads only; finds no place.

@@ header        opens a hunk; several in a row nest, outermost first; `@@ -3,4 +3,5 @@ header` holds numbers
 kept            a line of the file; an empty line is a blank line of the file
-removed
+added
*** End of File  the hunk ends where the file ends
"""

from __future__ import annotations

import re

from ..model import TOLERANT, Hunk, Where
from ..record import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

_NUMBERS = r"-([0-9]{1,9})(?:,([0-9]{1,9}))?\s\+[0-9]{1,9}(?:,[0-9]{1,9})?\s?(?:@@)?"
_END = "*** End of File"


class Hunks(NamedTuple):
    """The hunks of a diff, and the lines (1-based in the diff) of what was odd."""

    hunks: list[Hunk]
    untagged: list[int]
    unchanged: list[int]


class _Claim(NamedTuple):
    """Where a hunk claims to be, and the line of the diff it begins at."""

    first: int
    line: int = 0
    gap: bool = False
    under: tuple[str, ...] = ()
    at_end: bool = False


def read_hunks(diff: str, line_of: Callable[[int], int]) -> Hunks:
    """The hunks; `line_of` turns a line of the diff into one of the answer."""
    found = Hunks([], [], [])
    claim = _Claim(1)
    tagged: list[tuple[str, str]] = []
    for number, text in enumerate([*_body(diff), "@@"], 1):
        if text.startswith("@@"):
            if tagged:
                _close(found, claim, tagged, line_of)
                claim, tagged = _Claim(number), []
            claim = _header(text, claim)
        elif text.rstrip() == _END:
            claim = claim._replace(at_end=True)
        elif not text.startswith("\\ No newline"):
            tagged.append(_tagged(text, number, found.untagged))
    return found


def whole(diff: str) -> str | None:
    """The text of a new file: every line added. None where lines that aren't added stand among them."""
    lines = [line for line in _body(diff) if not line.startswith(("@@", "\\ No newline"))]
    if any(line.startswith("+") for line in lines):
        if not all(line[:1] in ("+", "") for line in lines):
            return None
        lines = [line[1:] for line in lines]
    return "\n".join(lines) + "\n" if lines else ""


def _body(diff: str) -> list[str]:
    """The lines of the diff without file headers and the envelope."""
    lines = diff.replace("\r\n", "\n").removesuffix("\n").split("\n") if diff else []
    if len(lines) > 1 and lines[0].startswith("--- ") and lines[1].startswith("+++ "):
        lines[:2] = ["@@", "@@"]  # in their place, so that lines are still counted right
    return lines


def _header(text: str, claim: _Claim) -> _Claim:
    """The claim with what a line of `@@` says: a line number, a header, or nothing."""
    said = text[2:].strip()
    match = re.match(_NUMBERS, said)
    if match:
        claim = claim._replace(line=int(match[1]), gap=match[2] == "0")
        said = said[match.end() :]
    said = said.strip().removesuffix("@@").strip()
    return claim._replace(under=(*claim.under, said)) if said.strip(".…") else claim


def _tagged(text: str, number: int, untagged: list[int]) -> tuple[str, str]:
    if text[:1] in (" ", "-", "+"):
        return text[0], text[1:]
    if text:
        untagged.append(number)
    return " ", text


def _close(found: Hunks, claim: _Claim, tagged: list[tuple[str, str]], line_of: Callable[[int], int]) -> None:
    """Keep the hunk if it changes anything."""
    if all(tag == " " for tag, _ in tagged):
        if any(text.strip() for _, text in tagged):
            found.unchanged.append(claim.first)
        return
    if any(tag != "+" for tag, _ in tagged):
        where = Where(line=claim.line, last=claim.line)
    else:
        # Without old lines numbers would be the place itself, and lines there would give way: only a gap may be named.
        where = Where(line=claim.line + 1, last=claim.line) if claim.gap else Where()
    where = where._replace(under=claim.under, at_end=claim.at_end)
    found.hunks.append(Hunk(tuple(tagged), where, TOLERANT, line_of(claim.first)))
