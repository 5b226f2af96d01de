"""Tools for LangChain: `create_agent(model, tools=tools(root))`."""

from __future__ import annotations

from langchain_core.tools import BaseTool, StructuredTool, ToolException

from . import folder

TYPE_CHECKING = False
if TYPE_CHECKING:
    import os

    from ..storage.state import Settings


def tools(root: str | os.PathLike[str], settings: Settings | None = None) -> list[BaseTool]:
    """apply_patch and view_file, for a folder. What is refused comes back to the model as the tool's error."""
    functions = folder.tools(folder.Folder(root, settings), ToolException)
    return [StructuredTool.from_function(one, handle_tool_error=True) for one in functions]
