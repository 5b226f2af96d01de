""" "*** Begin Patch": sections for each file, hunks of kept, removed and added lines (V4A, apply_patch, Zenpatch)."""

from __future__ import annotations

from .. import Format, Writing

FORMAT = Format(
    "begin-patch",
    '"*** Begin Patch": sections for each file, hunks of kept, removed and added lines (V4A, apply_patch, Zenpatch)',
    frozenset(("create", "delete", "move", "overwrite", "final_newline", "blank_lines")),
    Writing(near=2, end_mark=True, whole="replace"),
    signs=("***",),
    starts=("***",),
    ends=("***",),
)
