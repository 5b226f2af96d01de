"""Operations as a patch again: in the format they came in where it can say them, else in another. Touches no file.

Whatever is written is read again before it is given out: it says these very operations, or it isn't used.
"""

from __future__ import annotations

from . import registry
from .answer import read_answer
from .errors import Refused
from .model import Edit, Hunk, Inside, Op, Patch
from .twice import said_once


def resent(ops: tuple[Op, ...], format: str) -> str:
    """The operations as a patch; "" where no format says all of them."""
    names = format.split(" + ")
    text = written(ops, names[0]) if len(names) == 1 else _mixed(ops, names)
    others = (name for name in (*names, *registry.names()) if len(names) > 1 or name not in names)
    return text or next(filter(None, (written(ops, name) for name in others)), "")


def written(ops: tuple[Op, ...], name: str) -> str:
    """The operations in one format; "" where it would be read as anything else."""
    if not ops or name not in registry.names():
        return ""
    format = registry.named(name)
    try:
        text = format.write(tuple(said_once(list(ops), [])))
    except Refused:
        return ""
    return text if says(format.parse(text), ops) else ""


def says(patch: Patch, ops: tuple[Op, ...]) -> bool:
    """Whether a patch says these operations, wherever its lines stand and whatever was odd about how it was written.

    What is left of two edits may be the same: readers take it once.
    """
    if patch.problems:
        return False
    bare = [*map(_bare, ops)]
    return [*map(_bare, patch.ops)] in (bare, said_once(bare, []))


def _bare(op: Op) -> Op:
    if not isinstance(op, Edit):
        return op._replace(patch_line=0, label="")
    hunks = [hunk._replace(patch_line=0) for hunk in op.hunks]
    hunks = [_bare_inside(hunk) if isinstance(hunk, Inside) else hunk for hunk in hunks]
    plain = tuple(hunk._replace(doubts=()) if isinstance(hunk, Hunk) else hunk for hunk in hunks)
    return op._replace(hunks=plain, patch_line=0, label="", whole=None)


def _bare_inside(said: Inside) -> Inside:
    return said._replace(chunks=tuple(chunk._replace(patch_line=0) for chunk in said.chunks))


def _mixed(ops: tuple[Op, ...], names: list[str]) -> str:
    """Operations of an answer in several formats: each run in the first of them that says it, in a fence of its own."""
    runs: list[tuple[str, list[Op]]] = []
    for op in ops:
        name = next((name for name in names if written((op,), name)), "")
        if not name:
            return ""
        if not runs or runs[-1][0] != name:
            runs.append((name, []))
        runs[-1][1].append(op)
    text = "\n".join(_fenced(written(tuple(run), name), name) for name, run in runs)
    try:
        return text if says(read_answer(text), ops) else ""
    except Refused:
        return ""


def _fenced(text: str, name: str) -> str:
    """A patch in a fence; files that are shown in fences have their own."""
    return text if name in ("whole-file", "elided") else f"````\n{text}````\n"
