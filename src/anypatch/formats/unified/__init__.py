"""Unified diffs, plain or git's: hunks of context, removed and added lines; counts and line numbers may be wrong."""

from __future__ import annotations

from .. import Format

FORMAT = Format(
    "unified",
    "unified diffs, plain or git's: hunks of context, removed and added lines; counts and line numbers may be wrong",
    frozenset(("create", "delete", "final_newline", "mode", "blank_lines")),
    signs=("--- ", "+++ ", "@@", "diff ", "Binary files", "***************"),
    starts=("--- ", "+++ ", "@@", "diff -", "Index: ", "*** "),
)
