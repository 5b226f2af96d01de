"""Tools of Anthropic's SDK: the text editor (`text_editor_20250728`) and the memory tool, for its tool runner.

client.beta.messages.run_tools(tools=[TextEditor(root)], …)
"""

from __future__ import annotations

import os
from typing import Any

from anthropic.lib.tools import BetaAbstractMemoryTool, BetaBuiltinFunctionTool, ToolError

from ..problems import Problem, Refused
from ..storage.state import Settings
from . import Folder, words


class TextEditor(BetaBuiltinFunctionTool):
    """view, create, str_replace and insert below a folder. `max_characters`: of a view, 0 for all."""

    def __init__(
        self, root: str | os.PathLike[str], *, max_characters: int = 0, settings: Settings | None = None
    ) -> None:
        super().__init__()
        self.folder = Folder(root, settings)
        self.max_characters = max_characters

    def to_dict(self) -> Any:
        """The tool as the API is told of it."""
        told: dict[str, Any] = {"type": "text_editor_20250728", "name": "str_replace_based_edit_tool"}
        return told | {"max_characters": self.max_characters} if self.max_characters else told

    def call(self, input: object) -> str:
        """Carry out one command. What can't be done is a ToolError, whose words the model reads."""
        try:
            return edited(self.folder, dict(input) if isinstance(input, dict) else {}, self.max_characters)
        except Refused as refused:
            raise ToolError(words(refused)) from None


def edited(folder: Folder, said: dict[str, Any], most: int = 0) -> str:
    """One command of a text editor, on a folder."""
    command, path = said.get("command"), folder.relative(str(said.get("path", "")))
    if command == "view":
        return folder.view(path, said.get("view_range"), most)
    if command not in ("create", "str_replace", "insert"):
        raise Refused(
            Problem(
                "bad_call", f"there is no command {command!r}; the commands are view, create, str_replace and insert"
            )
        )
    call = {"name": "str_replace_based_edit_tool", "input": said | {"path": path}}
    return folder.said(call, format="json-edits", overwrite=True if command == "create" else None)


class Memory(BetaAbstractMemoryTool):
    """The memory tool over a folder, which the model sees as /memories."""

    def __init__(self, root: str | os.PathLike[str], *, settings: Settings | None = None, **more: Any) -> None:
        super().__init__(**more)
        self.folder = Folder(root, settings, "/memories")

    def call(self, input: object) -> Any:
        """Carry out one command. What can't be done is a ToolError, whose words the model reads."""
        try:
            return super().call(input)
        except Refused as refused:
            raise ToolError(words(refused)) from None

    def view(self, command: Any) -> str:
        """A file, or the files of a folder."""
        return self.folder.view(self.folder.relative(command.path), getattr(command, "view_range", None))

    def _edited(self, command: Any) -> str:
        """A file new or in the place of another, text for text, text behind a line: as the text editor does it."""
        said = command.model_dump() | {"path": self.folder.relative(command.path)}
        return edited(Folder(self.folder.root, self.folder.settings), said)

    create = str_replace = insert = _edited

    def delete(self, command: Any) -> str:
        """A file, or a folder with all that is in it."""
        path = self.folder.relative(command.path)
        if not path:
            raise Refused(Problem("unsafe_path", "/memories itself can't be deleted or renamed", command.path))
        paths = self.folder.files(path) if self.folder.is_folder(path) else [path]
        if paths == [path]:
            self.folder.read(path)
        self.folder.put(dict.fromkeys(paths))
        return f"Deleted {command.path}."

    def rename(self, command: Any) -> str:
        """Another name for a file, or for a folder."""
        old, new = self.folder.relative(command.old_path), self.folder.relative(command.new_path)
        is_folder = self.folder.is_folder(old)
        moved = {path: new + path[len(old) :] for path in (self.folder.files(old) if is_folder else [old])}
        taken = [path for path in self.folder.files() if path in moved.values()]
        if taken or not (old and new):
            raise Refused(
                Problem("file_exists", f"{taken[0] if taken else new or '/memories'} already exists", command.new_path)
            )
        contents = {to: self.folder.read(path) for path, to in moved.items()}
        self.folder.put({**dict.fromkeys(moved), **contents})
        return f"Renamed {command.old_path} to {command.new_path}."

    def clear_all_memory(self) -> str:
        """Everything goes; undo still brings it back."""
        self.folder.put(dict.fromkeys(self.folder.files()))
        return "All memory was cleared."
