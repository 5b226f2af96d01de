"""The tool that takes JSON edits: text for text in any number of files. Data only."""

from __future__ import annotations

from ...author.tool_schema import Tool, fields, listed, text

_PATH = text("The file, relative to the root of the project.")
_OLD = text(
    "Text copied exactly from the file, with its indentation and line breaks. It must stand there in one place only: "
    "take neighbouring lines in until it does. It need not be whole lines."
)
_NEW = text("What takes its place; an empty text deletes it. Written out in full, nothing left out with `...`.")
_CONTENT = text("Instead of the two texts: the whole contents of a file, new or in the place of the old one.")
_EVERY: dict[str, object] = {
    "type": "boolean",
    "description": "The old text may stand in several places, and all are replaced.",
}

TOOL = Tool(
    "edit_files",
    "Edit files by replacing texts, or write whole files. The edits are made in order, each to the result of those "
    "before; if one does not fit, none is made, and the answer says why.",
    fields(
        ("edits",),
        edits=listed(
            "One replacement, or one whole file, each.",
            fields(
                ("file_path",),
                file_path=_PATH, old_string=_OLD, new_string=_NEW, replace_all=_EVERY, content=_CONTENT,
            ),
        ),
    ),
)  # fmt: skip
