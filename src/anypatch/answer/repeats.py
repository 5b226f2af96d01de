"""Edits that an answer gives twice."""

from __future__ import annotations

from ..model import Edit, Hunk, Note, Op


def said_once(ops: list[Op], notes: list[Note]) -> list[Op]:
    """The operations without edits that say again what an earlier one says, if they would add their lines twice.

    Those are slips, or refer to as many places: `again` counts them. Other edits find no place when they are repeated,
    since the first one has changed it; unless the whole answer is repeated and moves lines: then the second half would
    remove what the first has put elsewhere. Lines that are added without old text may be intended twice.
    """
    if len(ops) < 2:
        return ops
    edits = [op for op in ops if isinstance(op, Edit) and op.hunks]
    if len({(op.path, op.hunks[0][:2]) for op in edits}) == len(edits):
        return ops
    half = len(ops) // 2
    all_twice = len(edits) == len(ops) and [*map(_words, edits[:half])] == [*map(_words, edits[half:])]
    if half > 1 and all_twice and _moves_lines(edits[:half]):
        notes += [_repeated(op) for op in edits[half:]]
        ops = ops[:half]
    first: dict[object, int] = {}
    kept: list[Op] = []
    for op in ops:
        if not isinstance(op, Edit):
            first.clear()  # what is written, deleted or moved may be edited anew
        elif any(map(_only_adds, op.hunks)) and (words := _words(op)) is not None:
            at = first.setdefault(words, len(kept))
            same = kept[at] if at < len(kept) else None
            if isinstance(same, Edit):
                notes.append(_repeated(op))
                kept[at] = same._replace(again=same.again + 1 + op.again)
                continue
        kept.append(op)
    return kept


def _words(op: Edit) -> object:
    """All that an edit says, but for where in the patch it says it."""
    edits = [(hunk.old, hunk.new, hunk.where) for hunk in op.hunks if isinstance(hunk, Hunk)]
    return (op.path, op.label, op.mode, tuple(edits)) if len(edits) == len(op.hunks) else None


def _moves_lines(edits: list[Edit]) -> bool:
    """Whether some edit takes lines away that are all among those that edits add."""
    lines = [[(op.path, tag, line) for hunk in op.hunks for tag, line in hunk.lines if line.strip()] for op in edits]
    added = {(path, line) for op in lines for path, tag, line in op if tag == "+"}
    gone = [[(path, line) for path, tag, line in op if tag == "-"] for op in lines]
    return any(op and added.issuperset(op) for op in gone)


def _repeated(op: Edit) -> Note:
    return Note("the edit appears twice; it is made once", op.path, op.patch_line, kind="repeat")


def _only_adds(hunk: object) -> bool:
    """Whether a hunk keeps all of its old text, so that it would find its place again."""
    if not isinstance(hunk, Hunk) or not hunk.old:
        return False
    if hunk.inline:
        return hunk.old in hunk.new
    new = iter(hunk.new_lines)
    return all(line in new for line in hunk.old_lines)
