"""Tools for LangChain: `create_agent(model, tools=tools(root))`."""

from __future__ import annotations

import os

from langchain_core.tools import BaseTool, StructuredTool, ToolException

from ..storage.state import Settings
from . import Folder
from . import tools as functions_for


def tools(root: str | os.PathLike[str], settings: Settings | None = None) -> list[BaseTool]:
    """apply_patch and view_file, for a folder. What is refused comes back to the model as the tool's error."""
    functions = functions_for(Folder(root, settings), ToolException)
    return [StructuredTool.from_function(one, handle_tool_error=True) for one in functions]
