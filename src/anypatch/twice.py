"""Edits that a patch says twice: the second is a slip of the pen, never a wish. Understands no format."""

from __future__ import annotations

from .model import Edit, Hunk, Note, Op, Swap


def said_once(ops: list[Op], notes: list[Note]) -> list[Op]:
    """The operations without those edits that are there already, word for word: answers end in "all blocks once more".

    What an edit in between writes anew may be meant to be edited again (`x` to `y`, `z` to `x`, `x` to `y`). What
    stands at an end of the file, without a place to look for, may be meant twice.
    """
    edits = [op for op in ops if isinstance(op, Edit) and op.hunks]
    if len({(op.path, one[:2] if type(one := op.hunks[0]) is Swap else one.lines) for op in edits}) == len(edits):
        return ops
    seen: dict[object, int] = {}
    made: dict[tuple[str, str], int] = {}
    kept: list[Op] = []
    for op in ops:
        words = _words(op) if isinstance(op, Edit) else None
        if words is not None and words in seen and isinstance(op, Edit) and _is_idle(op, seen[words], made):
            notes.append(Note("the edit is there twice; it is made once", op.path, op.patch_line))
            continue
        if isinstance(op, Edit):
            made.update(((op.path, line), len(kept)) for hunk in op.hunks for line in _made(hunk))
        else:
            seen.clear()  # what is written, deleted or moved may be edited anew
        seen.setdefault(words, len(kept))
        kept.append(op)
    return kept


def _is_idle(op: Edit, first: int, made: dict[tuple[str, str], int]) -> bool:
    """Whether an edit that was said before finds nothing now, or only what it kept of its old text."""
    if any(map(_only_adds, op.hunks)):
        return True
    old = [hunk.old if isinstance(hunk, Hunk) else () for hunk in op.hunks]
    return all(old) and all(made.get((op.path, line.strip()), -1) < first for lines in old for line in lines)


def _made(hunk: object) -> set[str]:
    """The lines that a hunk writes and that its old text lacks."""
    if not isinstance(hunk, Hunk | Swap):
        return set()
    sides = ({text.strip() for tag, text in hunk.lines if tag != other} for other in "-+")
    new, old = sides
    return new - old


def _words(op: Edit) -> object:
    """All that an edit says, but for where in the patch it says it."""
    said = [(hunk.old, hunk.new, hunk.where) for hunk in op.hunks if isinstance(hunk, Hunk | Swap)]
    return (op.path, op.label, op.mode, tuple(said)) if len(said) == len(op.hunks) else None


def _only_adds(hunk: object) -> bool:
    """Whether a hunk keeps all of its old text, so that it would find its place again."""
    if isinstance(hunk, Swap):
        return hunk.old in hunk.new
    if not isinstance(hunk, Hunk) or not hunk.old:
        return False
    new = iter(hunk.new)
    return all(line in new for line in hunk.old)
