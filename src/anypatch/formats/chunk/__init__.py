"""CHUNK YAML: operations with a marker to find and a payload to put there."""

from __future__ import annotations

from .. import Format, Writing

FORMAT = Format(
    "chunk",
    "CHUNK YAML: operations with a marker to find and a payload to put there",
    frozenset(("create", "delete", "overwrite")),
    Writing("own", near=2, eol="majority", whole="overwrite"),
    signs=("op",),
    starts=(
        *(f"{quote}{key}" for key in ("operations", "description", "language") for quote in ("", "'", '"')),
        *("- path:", "- path :", "- op:", "- {"),
    ),
    tallied=True,
)
