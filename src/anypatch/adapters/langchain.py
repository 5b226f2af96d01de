"""Tools for LangChain: `create_agent(model, tools=tools(root))`."""

from __future__ import annotations

import os

from langchain_core.tools import BaseTool, StructuredTool, ToolException

from ..storage.state import Settings
from .root_folder import RootFolder, tool_functions


def tools(root: str | os.PathLike[str], settings: Settings | None = None) -> list[BaseTool]:
    """Return apply_patch and view_file for a folder. The model reads a refusal as the tool's error."""
    functions = tool_functions(RootFolder(root, settings), ToolException)
    return [StructuredTool.from_function(function, handle_tool_error=True) for function in functions]
