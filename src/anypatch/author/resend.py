"""Operations as a patch again: in the format they came in if that can express them, else in another. Touches no file.

Whatever is written is read again, and used only if it holds exactly these operations.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .. import formats
from ..answer.read import read_answer
from ..model import Edit, EditBody, Hunk, MatchPolicy, Merge, Op, Patch, SymbolEdit, Write
from ..problems import Refused

if TYPE_CHECKING:
    from ..formats import Format


def resend(ops: tuple[Op, ...], format: str) -> str:
    """Return the operations as a patch, or "" if no format expresses all of them. `format`: "a + b" for two."""
    own = [formats.named(name) for name in format.split(" + ") if name in formats.names()]
    every = [formats.named(name) for name in formats.names()]
    texts = (write_ops(ops, candidate) for candidate in (*own, *every))
    return (_mixed(ops, own) if len(own) > 1 else "") or next(filter(None, texts), "")


def write_ops(ops: tuple[Op, ...], format: Format) -> str:
    """Return the operations in one format, or "" if they would be read as anything else."""
    try:
        text = format.write(ops) if ops else ""
    except Refused:
        return ""
    return text if text and holds_ops(format.parse(text), ops) else ""


def holds_ops(patch: Patch, ops: tuple[Op, ...]) -> bool:
    """Return True if a patch has these operations, on whatever lines and however oddly it was written."""
    return not patch.problems and [*map(_bare, patch.ops)] == [*map(_bare, ops)]


def _bare(op: Op) -> Op:
    """Return what an operation writes: without its lines in the patch, wrong counts, and how leniently it is found."""
    if isinstance(op, Write):
        op = op._replace(may_append=False, must_be_new=False)  # which it was
    if not isinstance(op, Edit):
        return op._replace(patch_line=0, label="")
    hunks: list[EditBody] = []
    for hunk in op.hunks:
        if isinstance(hunk, Hunk):
            signed = hunk.signed if hunk.old else ()  # added lines may have signs or not
            policy = MatchPolicy((), indents=hunk.policy.indents, replaces_range=hunk.policy.replaces_range)
            hunks.append(hunk._replace(patch_line=0, doubts=(), policy=policy, signed=signed))
        elif isinstance(hunk, SymbolEdit):
            chunks = tuple(chunk._replace(patch_line=0) for chunk in hunk.chunks)
            hunks.append(hunk._replace(patch_line=0, chunks=chunks))
        elif isinstance(hunk, Merge):
            hunks.append(hunk._replace(patch_line=0, first=0))
        else:
            hunks.append(hunk._replace(patch_line=0))
    return op._replace(hunks=tuple(hunks), patch_line=0, label="", whole=None)


def _mixed(ops: tuple[Op, ...], known: list[Format]) -> str:
    """Return operations in several formats: each run in the first of them that expresses it, in a fence of its own."""
    runs: list[tuple[Format, list[Op]]] = []
    for op in ops:
        format = next((format for format in known if write_ops((op,), format)), None)
        if format is None:
            return ""
        if not runs or runs[-1][0] != format:
            runs.append((format, []))
        runs[-1][1].append(op)
    texts = [(write_ops(tuple(run), format), format.writing.whole == "show") for format, run in runs]
    # Shown files have fences of their own.
    text = "\n".join(text if fenced else f"````\n{text}````\n" for text, fenced in texts)
    try:
        return text if holds_ops(read_answer(text), ops) else ""
    except Refused:
        return ""
