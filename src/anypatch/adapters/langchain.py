"""Tools for LangChain: `create_agent(model, tools=tools(root))`."""

from __future__ import annotations

from langchain_core.tools import BaseTool, StructuredTool, ToolException

from ..problems import Refused
from .folder import Folder, words

TYPE_CHECKING = False
if TYPE_CHECKING:
    import os

    from ..storage.state import Settings


def tools(root: str | os.PathLike[str], settings: Settings | None = None) -> list[BaseTool]:
    """apply_patch and view_file, for a folder. What is refused comes back to the model as the tool's error."""
    folder = Folder(root, settings)

    def apply_patch(patch: str) -> str:
        """Edit, create, delete or move files: unified diff, *** Begin Patch, SEARCH/REPLACE, whole files and more."""
        try:
            return folder.said(patch)
        except Refused as refused:
            raise ToolException(words(refused)) from None

    def view_file(path: str) -> str:
        """A file with the numbers of its lines, or the files of a folder."""
        try:
            return folder.view(folder.relative(path))
        except Refused as refused:
            raise ToolException(words(refused)) from None

    return [StructuredTool.from_function(one, handle_tool_error=True) for one in (apply_patch, view_file)]
