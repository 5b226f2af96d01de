"""Writes operations back as search/replace blocks, as they were read. Touches no file."""

from __future__ import annotations

from ..model import TEXT_FOR_TEXT, TOLERANT, Edit, Hunk, Op, Write
from ._path_line import path_on
from ._say import unsayable
from ._search_replace_marks import escaped

_NAME = "search-replace"


def document(ops: tuple[Op, ...]) -> str:
    """The operations as blocks, each below its path."""
    return "\n".join(f"{_path(op)}\n{block(op)}" for op in ops)


def _path(op: Op) -> str:
    for dressed in (op.path, f"`{op.path}`", f"File: `{op.path}`"):
        if path_on(dressed) == op.path:
            return dressed
    raise unsayable(op, _NAME)


def block(op: Op) -> str:
    """One operation as a block, without its path."""
    if isinstance(op, Write):
        if op.text and not op.text.endswith("\n"):
            raise unsayable(op, _NAME)
        return _written([], [], op.text.split("\n")[:-1], plain=False)
    if not isinstance(op, Edit) or op.mode or not op.hunks:
        raise unsayable(op, _NAME)
    old: list[str] = []
    new: list[str] = []
    for at, hunk in enumerate(op.hunks):
        if not isinstance(hunk, Hunk):
            raise unsayable(op, _NAME)
        old += ["..."] * bool(at) + list(hunk.old)
        new += ["..."] * bool(at) + list(hunk.new)
    first = op.hunks[0]
    assert isinstance(first, Hunk)
    return _written(_claims(first), old, new, plain=first.rules not in (TEXT_FOR_TEXT, TOLERANT))


def _claims(hunk: Hunk) -> list[str]:
    """The line numbers it claims, as Roo writes them."""
    where = hunk.where
    if not where.line:
        return []
    usual = where.last in (where.line - 1, where.line + len(hunk.old) - 1)
    return [f":start_line:{where.line}", *([] if usual else [f":end_line:{where.last}"]), "-------"]


def _written(claims: list[str], old: list[str], new: list[str], *, plain: bool) -> str:
    """A block. `plain`: it was read without knowing which divider is meant, and must be read so again."""
    sides = [text if plain else list(map(escaped, text)) for text in (old, new)]
    return "\n".join(["<<<<<<< SEARCH", *claims, *sides[0], "=======", *sides[1], ">>>>>>> REPLACE", ""])
