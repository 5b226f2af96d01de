"""Tools of Anthropic's SDK: the text editor (`text_editor_20250728`) and the memory tool, for its tool runner.

client.beta.messages.run_tools(tools=[TextEditor(root)], …)
"""

from __future__ import annotations

import os
from typing import Any

from anthropic.lib.tools import BetaAbstractMemoryTool, BetaBuiltinFunctionTool, ToolError

from ..problems import Problem, Refused
from ..storage.state import Settings
from .root_folder import RootFolder, text_for_model


class TextEditor(BetaBuiltinFunctionTool):
    """Runs view, create, str_replace and insert below a folder. `max_characters`: of a view, 0 for all."""

    def __init__(
        self, root: str | os.PathLike[str], *, max_characters: int = 0, settings: Settings | None = None
    ) -> None:
        super().__init__()
        self.folder = RootFolder(root, settings)
        self.max_characters = max_characters

    def to_dict(self) -> Any:
        """Return the definition of the tool."""
        tool: dict[str, Any] = {"type": "text_editor_20250728", "name": "str_replace_based_edit_tool"}
        return tool | {"max_characters": self.max_characters} if self.max_characters else tool

    def call(self, input: object) -> str:
        """Run one command. A refusal is a ToolError, whose text the model reads."""
        try:
            return run_command(self.folder, dict(input) if isinstance(input, dict) else {}, self.max_characters)
        except Refused as refused:
            raise ToolError(text_for_model(refused)) from None


def run_command(folder: RootFolder, input: dict[str, Any], max_characters: int = 0) -> str:
    """Run one command of the text editor in a folder, and return the text for the model."""
    command, path = input.get("command"), folder.relative(str(input.get("path", "")))
    if command == "view":
        return folder.view(path, input.get("view_range"), max_characters)
    if command not in ("create", "str_replace", "insert"):
        detail = f"there is no command {command!r}; the commands are view, create, str_replace and insert"
        raise Refused(Problem("bad_call", detail))
    call = {"name": "str_replace_based_edit_tool", "input": input | {"path": path}}
    return folder.apply_or_raise(call, format="json-edits", overwrite=True if command == "create" else None)


class Memory(BetaAbstractMemoryTool):
    """The memory tool over a folder, which the model sees as /memories."""

    def __init__(self, root: str | os.PathLike[str], *, settings: Settings | None = None, **more: Any) -> None:
        super().__init__(**more)
        self.folder = RootFolder(root, settings, "/memories")

    def call(self, input: object) -> Any:
        """Run one command. A refusal is a ToolError, whose text the model reads."""
        try:
            return super().call(input)
        except Refused as refused:
            raise ToolError(text_for_model(refused)) from None

    def view(self, command: Any) -> str:
        """Show a file, or the files of a folder."""
        return self.folder.view(self.folder.relative(command.path), getattr(command, "view_range", None))

    def _edit(self, command: Any) -> str:
        """Create a file, replace a text or insert one after a line, as the text editor does."""
        input = command.model_dump() | {"path": self.folder.relative(command.path)}
        return run_command(RootFolder(self.folder.path, self.folder.settings), input)

    create = str_replace = insert = _edit

    def delete(self, command: Any) -> str:
        """Delete a file, or a folder with all that is in it."""
        path = self.folder.relative(command.path)
        if not path:
            raise Refused(Problem("unsafe_path", "/memories itself can't be deleted or renamed", command.path))
        paths = self.folder.files(path) if self.folder.is_folder(path) else [path]
        if paths == [path]:
            self.folder.read(path)
        self.folder.write(dict.fromkeys(paths))
        return f"Deleted {command.path}."

    def rename(self, command: Any) -> str:
        """Rename a file or a folder."""
        old, new = self.folder.relative(command.old_path), self.folder.relative(command.new_path)
        paths = self.folder.files(old) if self.folder.is_folder(old) else [old]
        new_paths = {path: new + path[len(old) :] for path in paths}
        taken = [path for path in self.folder.files() if path in new_paths.values()]
        if taken or not (old and new):
            existing = taken[0] if taken else new or "/memories"
            raise Refused(Problem("file_exists", f"{existing} already exists", command.new_path))
        contents = {new_path: self.folder.read(path) for path, new_path in new_paths.items()}
        self.folder.write({**dict.fromkeys(paths), **contents})
        return f"Renamed {command.old_path} to {command.new_path}."

    def clear_all_memory(self) -> str:
        """Delete everything; undo still restores it."""
        self.folder.write(dict.fromkeys(self.folder.files()))
        return "All memory was cleared."
