"""Writes operations back as a git diff, hunk for hunk as they were read. Touches no file."""

from __future__ import annotations

from ..diff import NO_FINAL_EOL
from ..model import Delete, Edit, Hunk, Move, Op, Write
from ._say import unsayable
from ._unified_names import NOWHERE, written

_NAME = "unified"


def document(ops: tuple[Op, ...]) -> str:
    """The operations as one diff."""
    return "".join(line + "\n" for op in ops for line in _section(op))


def _section(op: Op) -> list[str]:
    old, new = written(f"a/{op.path}"), written(f"b/{op.to if isinstance(op, Move) else op.path}")
    head = f"diff --git {old} {new}"
    if isinstance(op, Move):
        return [head, f"rename from {written(op.path)}", f"rename to {written(op.to)}"]
    if isinstance(op, Write):
        return [head, f"new file mode {_mode(op.mode)}", *_created(op, new)]
    if isinstance(op, Delete):
        body = [*_names(old, NOWHERE), f"@@ -1,{len(op.old)} +0,0 @@", *(f"-{line}" for line in op.old)]
        return [head, "deleted file mode 100644", *(body if op.old else [])]
    mode = [f"old mode {_mode(0o755 ^ op.mode ^ 0o644)}", f"new mode {_mode(op.mode)}"] if op.mode else []
    hunks = [line for hunk in op.hunks for line in _hunk(hunk, op)]
    return [head, *mode, *(_names(old, new) if hunks else []), *hunks]


def _mode(mode: int) -> str:
    return "100755" if mode == 0o755 else "100644"


def _names(old: str, new: str) -> list[str]:
    return [f"--- {old}" + "\t" * (" " in old), f"+++ {new}" + "\t" * (" " in new)]


def _created(op: Write, new: str) -> list[str]:
    *lines, last = op.text.split("\n")
    body = [f"+{line}" for line in lines] + ([f"+{last}", NO_FINAL_EOL] if last else [])
    count = len(lines) + bool(last)
    return [*_names(NOWHERE, new), f"@@ -0,0 +1,{count} @@", *body] if body else []


def _hunk(hunk: object, op: Edit) -> list[str]:
    if not isinstance(hunk, Hunk):
        raise unsayable(op, _NAME)
    where, old, new = hunk.where, len(hunk.old), len(hunk.new)
    said = "..."
    if where.line:
        said = f"-{where.line},{old} +{where.line},{new}" if old else f"-{where.last},0 +{where.line},{new}"
    lines: list[str] = []
    bare = _bare_rows(hunk)
    for at, (tag, text) in enumerate(hunk.lines):
        lines += [tag + text] + [NO_FINAL_EOL] * (at in bare)
    return [f"@@ {said} @@ {where.heading}".rstrip(), *lines]


def _bare_rows(hunk: Hunk) -> set[int]:
    """The lines behind which the mark for a missing line end stands: the last ones of the sides that have none."""
    sides = {"made": "-", "lost": "+"}.get(hunk.where.final, "-+" if hunk.where.at_end else "")
    tags = [tag for tag, _ in hunk.lines]
    return {max((at for at, tag in enumerate(tags) if tag in (side, " ")), default=-1) for side in sides}
