"""Symbol chunks: edits inside one function or class, named by its name path or its position; whole symbols."""

from __future__ import annotations

from .. import Format, Writing

FORMAT = Format(
    "symbol-chunks",
    "Symbol chunks: edits inside one function or class, named by its name path or its position; whole symbols",
    frozenset(("blank_lines", "symbols")),
    Writing("own", near=2, eol="majority"),
    signs=("chunks", "name_path", "namePath", '"op"'),
)
