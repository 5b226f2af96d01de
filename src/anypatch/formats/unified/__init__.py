"""Unified diffs, plain or git's: hunks of context, removed and added lines; counts and line numbers may be wrong."""

from __future__ import annotations

from .. import Format, Writing

FORMAT = Format(
    "unified",
    "unified diffs, plain or git's: hunks of context, removed and added lines; counts and line numbers may be wrong",
    frozenset(("create", "delete", "final_newline", "mode", "blank_lines")),
    Writing(near=6, context=3, like_git=True),
    signs=("--- ", "+++ ", "@@", "diff ", "Binary files", "***************"),
    starts=("--- ", "+++ ", "@@", "diff -", "Index: ", "*** "),
)
