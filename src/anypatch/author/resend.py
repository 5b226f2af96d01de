"""Operations as a patch again: in the format they came in where it can say them, else in another. Touches no file.

Whatever is written is read again before it is given out: it says these very operations, or it isn't used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .. import formats
from ..answer.read import read_answer
from ..model import Edit, Hunk, Inside, MatchPolicy, Merge, Op, Patch, Said, Write
from ..problems import Refused

if TYPE_CHECKING:
    from ..formats import Format


def resent(ops: tuple[Op, ...], format: str) -> str:
    """The operations as a patch; "" where no format says all of them. `format`: "a + b" for an answer in two."""
    own = [formats.named(name) for name in format.split(" + ") if name in formats.names()]
    others = [formats.named(name) for name in formats.names()]
    texts = (written(ops, one) for one in (*own, *others))
    return (_mixed(ops, own) if len(own) > 1 else "") or next(filter(None, texts), "")


def written(ops: tuple[Op, ...], format: Format) -> str:
    """The operations in one format; "" where it would be read as anything else."""
    try:
        text = format.write(ops) if ops else ""
    except Refused:
        return ""
    return text if text and says(format.parse(text), ops) else ""


def says(patch: Patch, ops: tuple[Op, ...]) -> bool:
    """Return True if a patch has these operations, on whatever lines and however oddly it was written."""
    return not patch.problems and [*map(_bare, patch.ops)] == [*map(_bare, ops)]


def _bare(op: Op) -> Op:
    """An operation without its lines in the patch, and without what was odd in its counts."""
    if isinstance(op, Write):
        op = op._replace(adds=False, absent=False)  # what could also be added wasn't
    if not isinstance(op, Edit):
        return op._replace(patch_line=0, label="")
    hunks: list[Said] = []
    for hunk in op.hunks:
        if isinstance(hunk, Hunk):
            signed = hunk.signed if hunk.old else ()  # what only adds lines says so with signs or without
            hunks.append(hunk._replace(patch_line=0, doubts=(), counted=0, policy=_manner(hunk.policy), signed=signed))
        elif isinstance(hunk, Inside):
            chunks = tuple(chunk._replace(patch_line=0) for chunk in hunk.chunks)
            hunks.append(hunk._replace(patch_line=0, chunks=chunks))
        elif isinstance(hunk, Merge):
            hunks.append(hunk._replace(patch_line=0, first=0))
        else:
            hunks.append(hunk._replace(patch_line=0))
    return op._replace(hunks=tuple(hunks), patch_line=0, label="", whole=None)


def _manner(policy: MatchPolicy) -> MatchPolicy:
    """What of a policy changes what a hunk writes; how leniently it is found is no part of what it says."""
    return MatchPolicy((), indents=policy.indents, replaces_range=policy.replaces_range)


def _mixed(ops: tuple[Op, ...], known: list[Format]) -> str:
    """Operations of an answer in several formats: each run in the first of them that says it, in a fence of its own."""
    runs: list[tuple[Format, list[Op]]] = []
    for op in ops:
        format = next((format for format in known if written((op,), format)), None)
        if format is None:
            return ""
        if not runs or runs[-1][0] != format:
            runs.append((format, []))
        runs[-1][1].append(op)
    texts = [(written(tuple(run), format), format.writing.whole == "show") for format, run in runs]
    text = "\n".join(text if fenced else f"````\n{text}````\n" for text, fenced in texts)  # shown files have fences
    try:
        return text if says(read_answer(text), ops) else ""
    except Refused:
        return ""
