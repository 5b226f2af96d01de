"""Hunks of lines with signs, " kept", "-removed" and "+added", as unified diffs and "*** Begin Patch" have them."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from ..model import Claims, Hunk, MatchPolicy
from ..problems import Problem, bad

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

SIGNS = (" ", "-", "+")
_SIGNS = frozenset(SIGNS)
NO_NEWLINE = "\\ "  # "\ No newline at end of file", in any language


def hunk_of(lines: Sequence[str], first: int, policy: MatchPolicy, claims: Claims, patch_line: int) -> Hunk:
    """Return the hunk of these lines, the first of which is on line `first` of the patch.

    A line without a sign is context that lost its space. If the hunk has no place, that is what is wrong with it.
    """
    doubts: tuple[Problem, ...] = ()
    if not {line[:1] for line in lines} <= _SIGNS:
        doubts = _doubts(lines, first)
        claims = _with_final_newline(claims, lines)
        kept = [line for line in lines if not line.startswith(NO_NEWLINE)]
        lines = [line if line.startswith(SIGNS) else f" {line}" for line in kept]
    old = "\n".join([line[1:] for line in lines if line[0] != "+"] + [""])
    new = "\n".join([line[1:] for line in lines if line[0] != "-"] + [""])
    return Hunk(old, new, policy, claims, patch_line, tuple(lines), doubts=doubts)


def changes_text(hunk: Hunk) -> bool:
    """Return True if a hunk removes or adds lines."""
    return hunk.old != hunk.new or any(line[0] != " " for line in hunk.signed)


def _doubts(lines: Sequence[str], first: int) -> tuple[Problem, ...]:
    """Return the complaint about the first line without a sign; none about blank lines."""
    for number, line in enumerate(lines, first):
        if line.strip() and not line.startswith((*SIGNS, NO_NEWLINE)):
            detail = (
                f"the line `{line.strip()[:60]}` has no space, `-` or `+` before it, and isn't in the file as it is"
            )
            advice = "Begin each line of a hunk with a space (kept), `-` (removed) or `+` (added)."
            return (bad(number, detail, advice),)
    return ()


def _with_final_newline(claims: Claims, lines: Sequence[str]) -> Claims:
    """Return what the marks for a missing newline say: the file ends there, and gets a final newline or loses it."""
    marked = {above[:1] for above, mark in pairwise(lines) if mark.startswith(NO_NEWLINE)}
    if not marked:
        return claims
    return claims._replace(at_end=True, final_newline={"-": "added", "+": "removed"}.get("".join(marked), ""))


def rows_with_cr(text: str) -> frozenset[int]:
    """Return the rows (0-based) of a text that end in CRLF."""
    return frozenset(row for row, line in enumerate(text.split("\n")) if line[-1:] == "\r")


def changed_end(lines: Iterable[tuple[str, str, bool]], path: str, patch_line: int) -> Problem | None:
    """Return the problem with a hunk that only changes the ending of a line; lines are (tag, text, ends in CR).

    A line that stays keeps its ending, so `-a` with CR and `+a` without it would change nothing and report success.
    """
    tagged = list(lines)
    old = {(text, has_cr) for tag, text, has_cr in tagged if tag == "-"}
    text = next((text for tag, text, has_cr in tagged if tag == "+" and (text, not has_cr) in old), None)
    if text is None:
        return None
    detail = f"`{text.strip()[:60]}` differs only in its line ending, and a patch can't change those"
    advice = "Leave out what only changes line endings; convert them with another tool."
    return Problem("line_ending", detail, path, patch_line, advice=advice)
