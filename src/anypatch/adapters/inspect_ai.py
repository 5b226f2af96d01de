"""A text editor for Inspect, over the sandbox of the sample: `use_tools(text_editor())`."""

from __future__ import annotations

from typing import Literal

from inspect_ai.tool import Tool, ToolError, tool
from inspect_ai.util import sandbox

from .. import api
from ..problems import Problem, Refused
from .root_folder import text_for_model


@tool
def text_editor(user: str | None = None) -> Tool:
    """View, create and edit the files of the sandbox; text is found even if white space or indentation differ."""

    async def execute(  # noqa: PLR0913, PLR0917 - as Inspect's own has them
        command: Literal["view", "create", "str_replace", "insert"],
        path: str,
        file_text: str | None = None,
        insert_line: int | None = None,
        insert_text: str | None = None,
        new_str: str | None = None,
        old_str: str | None = None,
        view_range: list[int] | None = None,
    ) -> str:
        """View, create or edit a file.

        Args:
            command: what to do
            path: the file, or for view also a folder
            file_text: for create, the contents
            insert_line: for insert, the line after which it goes, 0 for the beginning
            insert_text: for insert, the text
            new_str: for str_replace, the new text
            old_str: for str_replace, the text to replace, which must have one place
            view_range: for view, the first and the last line, from 1; -1 is the end
        """
        arguments = {
            "command": command, "path": path, "file_text": file_text, "insert_line": insert_line,
            "insert_text": insert_text, "new_str": new_str, "old_str": old_str,
        }  # fmt: skip
        try:
            if command == "view":
                return await _view(path, view_range, user)
            return await _edit(path, {key: value for key, value in arguments.items() if value is not None})
        except Refused as refused:
            raise ToolError(text_for_model(refused)) from None

    return execute


async def _edit(path: str, input: dict[str, object]) -> str:
    """Apply an edit to the file as it is in the sandbox, and write it back."""
    name = path.strip("/")
    try:
        before = {name: await sandbox().read_file(path, text=False)}
    except FileNotFoundError:
        before = {}
    result = api.apply_to(
        {"name": "str_replace_based_edit_tool", "input": input | {"path": name}},
        before,
        format="json-edits", overwrite=True if input["command"] == "create" else None,
    )  # fmt: skip
    if not result.ok:
        raise Refused(*result.problems)
    data = result.files.get(name, b"")
    await sandbox().write_file(path, data if isinstance(data, bytes) else data.encode())
    return result.for_model()


async def _view(path: str, view_range: list[int] | None, user: str | None) -> str:
    try:
        data = await sandbox().read_file(path, text=False)
    except FileNotFoundError:
        raise Refused(Problem("file_missing", f"{path} doesn't exist", path)) from None
    except IsADirectoryError:
        listed = await sandbox().exec(["find", path, "-maxdepth", "2", "-not", "-path", "*/.*"], user=user)
        return listed.stdout
    return api.numbered(path, data, view_range if view_range and len(view_range) == 2 else None)
