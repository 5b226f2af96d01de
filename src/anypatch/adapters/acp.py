"""The files of a client of the Agent Client Protocol: what an agent writes is one change each, and can be undone.

class Client(Files, …):  …    Files(root) answers `fs/read_text_file` and `fs/write_text_file`
"""

from __future__ import annotations

import os
from typing import Any

from acp import RequestError
from acp.helpers import tool_diff_content
from acp.schema import FileEditToolCallContent, ReadTextFileResponse, WriteTextFileResponse

from ..problems import Refused
from ..result import Result
from ..storage.state import Settings
from ..text import decode
from .root_folder import RootFolder, text_for_model


class Files:
    """The part of a client that reads and writes files, below a folder."""

    def __init__(self, root: str | os.PathLike[str], settings: Settings | None = None) -> None:
        self.folder = RootFolder(root, settings)

    async def read_text_file(
        self, session_id: str, path: str, line: int | None = None, limit: int | None = None, **_: Any
    ) -> ReadTextFileResponse:
        """Return a file's text, or `limit` of its lines from `line` on."""
        try:
            lines = decode(self.folder.read(self.folder.relative(path))).splitlines(keepends=True)
        except Refused as refused:
            raise RequestError.invalid_params({"details": text_for_model(refused)}) from None
        first = max((line or 1) - 1, 0)
        return ReadTextFileResponse(content="".join(lines[first : None if limit is None else first + limit]))

    async def write_text_file(self, session_id: str, path: str, content: str, **_: Any) -> WriteTextFileResponse:
        """Write a whole file, new or not."""
        try:
            self.folder.write({self.folder.relative(path): content.encode("utf-8", "surrogateescape")})
        except Refused as refused:
            raise RequestError.invalid_params({"details": text_for_model(refused)}) from None
        return WriteTextFileResponse()


def diffs(result: Result) -> list[FileEditToolCallContent]:
    """Return what a result changes, as the diffs that a client shows for a tool call."""
    return [
        tool_diff_content(
            change.path, decode(change.after.data if change.after else b""),
            decode(change.before.data) if change.before else None,
        )
        for change in result.plan.changes
    ]  # fmt: skip
