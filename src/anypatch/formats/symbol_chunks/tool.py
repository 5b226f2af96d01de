"""The tool that takes symbol chunks: edits inside functions and classes by their names. Data only."""

from __future__ import annotations

from ...author.tool_schema import Tool, fields, lines, listed, text
from .read import OPS

_CHUNK = fields(
    ("context_before", "old_lines", "new_lines", "context_after"),
    context_before=lines("The lines right before, copied exactly, as many as make the place unique; [] at the start."),
    old_lines=lines("The lines to be replaced, copied exactly with their indentation; [] to insert."),
    new_lines=lines("What comes instead; [] to delete."),
    context_after=lines("The lines right after, copied exactly; [] at the end of the symbol."),
)
_EDIT = fields(
    ("relative_path", "name_path"),
    relative_path=text("The file, relative to the root of the project."),
    name_path=text(
        "The symbol: `Class/method`, with a leading `/` the whole path, with `[1]` the second of that name; `/` alone "
        "is the whole file."
    ),
    chunks=listed("Changes of lines inside the symbol.", _CHUNK),
    op={"type": "string", "enum": sorted(OPS), "description": "Instead of chunks: what is done to the whole symbol."},
    text=lines("With op, but for delete: the new lines."),
    expected_hash=text("The hash that reading the symbol gave: if it has changed since, the edit is refused."),
)

TOOL = Tool(
    "edit_symbols",
    "Edit functions, methods and classes by naming them and giving only the lines that change. All edits are made, or "
    "none, and the answer says why.",
    fields(("edits",), edits=listed("One symbol each.", _EDIT)),
)
