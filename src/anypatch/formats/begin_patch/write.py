"""Writes "*** Begin Patch": a section for each operation, hunks below headers. Touches no file."""

from __future__ import annotations

from ...author.describe import unsayable
from ...diff import NO_FINAL_EOL
from ...model import Delete, Hunk, Move, Op, Write


def write(ops: tuple[Op, ...]) -> str:
    """Return the operations as one patch."""
    return "\n".join(["*** Begin Patch", *(line for op in ops for line in _section(op)), "*** End Patch", ""])


def _section(op: Op) -> list[str]:
    if isinstance(op, Write):
        *lines, last = op.text.split("\n")
        tail = [f"+{last}", NO_FINAL_EOL] if last else []
        return [f"*** Add File: {op.path}", *(f"+{line}" for line in lines), *tail]
    if isinstance(op, Delete):
        return [f"*** Delete File: {op.path}", *(f"-{line}" for line in op.old)]
    if isinstance(op, Move):
        return [f"*** Update File: {op.path}", f"*** Move to: {op.to}"]
    section = [f"*** Update File: {op.path}"]
    for hunk in op.hunks:
        if not isinstance(hunk, Hunk):
            raise unsayable(op, "begin-patch")
        section += [*_headers(hunk), *_lines(hunk)]
    return section


def _headers(hunk: Hunk) -> list[str]:
    """Return a hunk's headers: numbers are in the first one."""
    claims, under = hunk.claims, list(hunk.claims.headers)
    numbers = ""
    if claims.line:
        numbers = f"-{claims.line},{claims.last - claims.line + 1} +{claims.line},{len(hunk.new_lines)} @@ "
    first = f"@@ {numbers}{under.pop(0) if under else ''}".rstrip()
    return [first, *(f"@@ {text}" for text in under)]


def _lines(hunk: Hunk) -> list[str]:
    """Return a hunk's lines, and the marks for the end of the file."""
    lines = [tag + text for tag, text in hunk.lines]
    unended = {"added": "-", "removed": "+"}.get(hunk.claims.final_newline)
    if unended:
        last = max((at for at, (tag, _) in enumerate(hunk.lines, 1) if tag == unended), default=len(lines))
        lines.insert(last, NO_FINAL_EOL)
    return [*lines, *["*** End of File"] * (hunk.claims.at_end and not unended)]
