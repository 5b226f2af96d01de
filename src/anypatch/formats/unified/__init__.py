"""Unified diffs, plain or git's, with wrong counts and line numbers too."""

from __future__ import annotations

from .. import Format, Writing

FORMAT = Format(
    "unified",
    "unified diffs, plain or git's, with wrong counts and line numbers too",
    frozenset(("create", "delete", "final_newline", "mode", "blank_lines")),
    Writing(near=6, context=3, like_git=True),
    signs=("---", "+++ ", "@@", "diff ", "Binary files", "GIT binary", "***************", "```diff", "```patch"),
    starts=("---", "+++ ", "@@", "diff ", "Index: "),
    nameless=True,
)
