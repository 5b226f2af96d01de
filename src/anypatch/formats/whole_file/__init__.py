"""Whole files: a path on its own line, then the full contents in a fence."""

from __future__ import annotations

from .. import Format, Writing

FORMAT = Format(
    "whole-file",
    "Whole files: a path on its own line, then the full contents in a fence",
    frozenset(("create", "overwrite", "blank_lines")),
    Writing("", whole="show"),
    signs=("```", "~~~", "<file ", "<document "),
)
