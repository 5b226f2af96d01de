"""Edits that a patch says twice: the second is a slip of the pen, never a wish. Understands no format."""

from __future__ import annotations

from ..model import Edit, Hunk, Note, Op, Swap


def said_once(ops: list[Op], notes: list[Note]) -> list[Op]:
    """The operations without those edits that are there already, word for word, and would add their lines again.

    Other edits have changed their place when they come again, and find none. What stands at an end of the file,
    without a place to look for, may be meant twice.
    """
    edits = [op for op in ops if isinstance(op, Edit) and op.hunks]
    if len({(op.path, one[:2] if type(one := op.hunks[0]) is Swap else one.lines) for op in edits}) == len(edits):
        return ops
    seen: set[object] = set()
    kept: list[Op] = []
    for op in ops:
        words = _words(op) if isinstance(op, Edit) and any(map(_only_adds, op.hunks)) else None
        if words is not None and words in seen:
            notes.append(Note("the edit is there twice; it is made once", op.path, op.patch_line))
            continue
        if not isinstance(op, Edit):
            seen.clear()  # what is written, deleted or moved may be edited anew
        seen.add(words)
        kept.append(op)
    return kept


def _words(op: Edit) -> object:
    """All that an edit says, but for where in the patch it says it."""
    edits = [(hunk.old, hunk.new, hunk.where) for hunk in op.hunks if isinstance(hunk, Hunk | Swap)]
    return (op.path, op.label, op.mode, tuple(edits)) if len(edits) == len(op.hunks) else None


def _only_adds(hunk: object) -> bool:
    """Whether a hunk keeps all of its old text, so that it would find its place again."""
    if isinstance(hunk, Swap):
        return hunk.old in hunk.new
    if not isinstance(hunk, Hunk) or not hunk.old:
        return False
    new = iter(hunk.new)
    return all(line in new for line in hunk.old)
