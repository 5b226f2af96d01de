"""Writes git diffs: sections with names and modes, hunks with line numbers. Touches no file.

Lines are written without CR: a kept or replaced line keeps its line ending in the file, added ones take the usual one.
"""

from __future__ import annotations

from ...author.describe import unsayable
from ...diff import NO_FINAL_EOL, span
from ...model import Delete, Edit, Hunk, Move, Op, Write
from .names import NOWHERE, written


def write(ops: tuple[Op, ...]) -> str:
    """Return the operations as one diff."""
    return "".join(f"{line}\n" for op in ops for line in _section(op))


def _section(op: Op) -> list[str]:
    old, new = written(f"a/{op.path}"), written(f"b/{op.to if isinstance(op, Move) else op.path}")
    head = f"diff --git {old} {new}"
    if isinstance(op, Move):
        word = "copy" if op.is_copy else "rename"
        return [head, f"{word} from {written(op.path)}", f"{word} to {written(op.to)}"]
    if isinstance(op, Write):
        *lines, last = op.text.split("\n")
        added = [f"+{line}" for line in lines] + ([f"+{last}", NO_FINAL_EOL] if last else [])
        numbers = f"@@ -0,0 +{span(0, len(lines) + bool(last))} @@"
        return [head, f"new file mode {_mode(op.mode)}", *([*_names(NOWHERE, new), numbers, *added] if added else [])]
    if isinstance(op, Delete):
        gone = [f"-{line}" for line in op.old] + [NO_FINAL_EOL] * op.no_final_newline
        numbers = f"@@ -{span(0, len(op.old))} +0,0 @@"
        return [head, f"deleted file mode {_mode(op.mode)}", *([*_names(old, NOWHERE), numbers, *gone] if gone else [])]
    if op.other_path:  # names that differ, as the patch had them: git's line would say a renaming
        return [*_names(written(f"a/{op.other_path}"), new), *_hunks(op)]
    mode = [f"old mode {_mode(0o755 ^ op.mode ^ 0o644)}", f"new mode {_mode(op.mode)}"] if op.mode else []
    return [head, *mode, *(_names(old, new) if op.hunks else []), *_hunks(op)]


def _mode(mode: int) -> str:
    """Return the mode as git writes it: it knows files that can be run, and others."""
    return "100755" if mode & 0o100 else "100644"


def _names(old: str, new: str) -> list[str]:
    # A tab after a name with spaces, as git writes it, tells other tools where the name ends.
    return [f"--- {old}" + "\t" * (" " in old), f"+++ {new}" + "\t" * (" " in new)]


def _hunks(op: Edit) -> list[str]:
    lines: list[str] = []
    grown = 0  # by how many lines the hunks above make the file longer
    for hunk in op.hunks:
        if not isinstance(hunk, Hunk):
            raise unsayable(op, "unified")
        signs = [tag for tag, _ in hunk.lines]
        start, old, new = hunk.claims.line - 1, len(signs) - signs.count("+"), len(signs) - signs.count("-")
        numbers = "..."
        if start >= 0:
            numbers = f"-{span(start, start + old)} +{span(start + grown, start + grown + new)}"
        grown += new - old
        lines.append(f"@@ {numbers} @@ {' '.join(hunk.claims.headers)}".rstrip())
        bare = _bare_rows(hunk)
        for row, (tag, text) in enumerate(hunk.lines):
            lines += [tag + text] + [NO_FINAL_EOL] * (row in bare)
    return lines


def _bare_rows(hunk: Hunk) -> set[int]:
    """Return the rows that the mark for a missing line ending follows: the last ones of the sides that have none."""
    sides = {"added": "-", "removed": "+"}.get(hunk.claims.final_newline, "-+" if hunk.claims.at_end else "")
    tags = [tag for tag, _ in hunk.lines]
    return {max((at for at, tag in enumerate(tags) if tag in (side, " ")), default=-1) for side in sides}
