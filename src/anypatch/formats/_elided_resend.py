"""Writes files shown in part back, as they were read. Touches no file."""

from __future__ import annotations

from ..model import Edit, Merge, Op
from ._whole_file_resend import path_line, whole
from ._whole_file_write import fenced

_NAME = "elided"


def document(ops: tuple[Op, ...]) -> str:
    """The files with marks for what stays."""
    return "\n".join(_shown(op) for op in ops)


def _shown(op: Op) -> str:
    merge = op.hunks[0] if isinstance(op, Edit) and len(op.hunks) == 1 else None
    if not isinstance(merge, Merge):
        return whole(op, _NAME)
    return f"{path_line(op, _NAME)}\n" + fenced(shown(merge))


def shown(merge: Merge) -> list[str]:
    """The lines of a file shown in part, its marks among them."""
    lines: list[str] = []
    marks = list(merge.marks)
    for at, segment in enumerate(merge.segments):
        lines += [marks.pop(0)] if marks and (at or merge.open_start) else []
        lines += segment
    return [*lines, *marks]
