"""The tool that takes "*** Begin Patch" as one text. Data only."""

from __future__ import annotations

from ...author.tool_schema import Tool, fields, text
from . import FORMAT

TOOL = Tool(
    "apply_patch",
    "Edit files by one patch: all of it is applied, or nothing.\n\n" + FORMAT.prompt,
    fields(("input",), input=text("The whole patch, from `*** Begin Patch` to `*** End Patch`.")),
)
