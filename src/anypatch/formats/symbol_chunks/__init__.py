"""Symbol chunks: edits inside one function or class, told by its name path or its place; whole symbols."""

from __future__ import annotations

from .. import Format, Writing

FORMAT = Format(
    "symbol-chunks",
    "Symbol chunks: edits inside one function or class, told by its name path or its place; whole symbols",
    frozenset(("blank_lines", "symbols")),
    Writing("own", near=2, eol="majority"),
    signs=("chunks", "name_path", "namePath", '"op"'),
)
