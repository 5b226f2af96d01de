"""The tool that takes "*** Begin Patch" as one text. Data only."""

from __future__ import annotations

from ._begin_teach import PROMPT
from ._tools import Tool, fields, text

TOOL = Tool(
    "apply_patch",
    "Edit files by one patch: all of it is applied, or nothing.\n\n" + PROMPT,
    fields(("input",), input=text("The whole patch, from `*** Begin Patch` to `*** End Patch`.")),
)
