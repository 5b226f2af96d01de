"""Writes search/replace blocks, each below the path of its file. Touches no file."""

from __future__ import annotations

from ...author.describe import unsayable
from ...model import TOLERANT, Edit, Hunk, Op, Write
from ..whole_file.write import path_line
from .read import escaped

_NAME = "search-replace"


def write(ops: tuple[Op, ...]) -> str:
    """Return the operations as blocks; several for one file are below its path."""
    parts: list[str] = []
    above = ""
    for op in ops:
        parts.append(block(op) if op.path == above else f"{path_line(op, _NAME)}\n{block(op)}")
        above = op.path
    return "\n".join(parts)


def block(op: Op) -> str:
    """One operation as a block, without its path."""
    if isinstance(op, Write):
        if op.text and not op.text.endswith("\n"):
            raise unsayable(op, _NAME)
        return _written([], [], op.text.split("\n")[:-1], plain=False)
    hunks = [hunk for hunk in op.hunks if isinstance(hunk, Hunk)] if isinstance(op, Edit) else []
    if not isinstance(op, Edit) or op.mode or not hunks or len(hunks) < len(op.hunks):
        raise unsayable(op, _NAME)
    old, new = hunks[0].old_lines, hunks[0].new_lines
    for hunk in hunks[1:]:
        old += ["...", *hunk.old_lines]
        new += ["...", *hunk.new_lines]
    # A block that was read without knowing which line is its divider must be read like that again.
    plain = hunks[0].policy != TOLERANT
    return _written(_claims(hunks[0]), old, new, plain=plain)


def _claims(hunk: Hunk) -> list[str]:
    """The line numbers it claims, as Roo writes them."""
    claims = hunk.claims
    if not claims.line:
        return []
    usual = claims.last in (claims.line - 1, claims.line + len(hunk.old_lines) - 1)
    return [f":start_line:{claims.line}", *([] if usual else [f":end_line:{claims.last}"]), "-------"]


def _written(claims: list[str], old: list[str], new: list[str], *, plain: bool) -> str:
    """A block; `plain`: its lines as they are, even those that look like marks."""
    sides = [text if plain else list(map(escaped, text)) for text in (old, new)]
    return "\n".join(["<<<<<<< SEARCH", *claims, *sides[0], "=======", *sides[1], ">>>>>>> REPLACE", ""])
