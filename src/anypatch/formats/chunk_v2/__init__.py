"""Chunk v2: sections that replace, insert or delete by line number or by exact text."""

from __future__ import annotations

from .. import Format, Writing

FORMAT = Format(
    "chunk-v2",
    "Chunk v2: sections that replace, insert or delete by line number or by exact text",
    frozenset(("create", "delete", "overwrite", "blank_lines")),
    Writing("numbers", eol="majority", whole="overwrite"),
    signs=("=== file:",),
    starts=("=== file:", "--- replace", "--- delete", "--- insert-", "--- create-file"),
    ends=("=END=",),
    tallied=True,
)
