"""SEARCH/REPLACE blocks below a path: the old lines, then the new ones (aider, Cline, Roo)."""

from __future__ import annotations

from .. import Format, Writing

FORMAT = Format(
    "search-replace",
    "SEARCH/REPLACE blocks below a path: the old lines, then the new ones (aider, Cline, Roo)",
    frozenset(("create", "blank_lines")),
    Writing(near=1),
    signs=("SEARCH", "ORIGINAL", "> REPLACE", "<<<<", "</patched>", "</new_text>", "</replace>"),
    starts=("<<<<", "---", "<original", "<old_", "<search>", "<file>"),
    ends=(">>>>", "+++", "</"),
    opener=r"(?i)<|-+\s*search",
    tallied=True,
    nameless=True,
)
