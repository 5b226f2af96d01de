"""A toolset and a workspace for Pydantic AI.

Agent(model, toolsets=[toolset(root)])
"""

from __future__ import annotations

import os
from typing import Any

from pydantic_ai import FunctionToolset, ModelRetry
from pydantic_ai.workspaces import LocalWorkspaceBackend

from ..problems import Refused
from ..storage.state import Settings
from . import Folder, tools, words


def toolset(root: str | os.PathLike[str], settings: Settings | None = None) -> FunctionToolset[Any]:
    """apply_patch and view_file, for a folder. What is refused is tried again by the model, with the reason."""
    return FunctionToolset(tools(Folder(root, settings), ModelRetry), id="anypatch")


class Workspace(LocalWorkspaceBackend):
    """The local workspace, in which files are written and removed by our commit: whole or not at all, and undoable.

    Commands run as they do in theirs, beside all this.
    """

    def __init__(self, working_dir: str | os.PathLike[str], settings: Settings | None = None, **more: Any) -> None:
        super().__init__(os.fspath(working_dir), **more)
        self.settings = settings

    async def write_bytes(self, path: str, data: bytes) -> None:
        """Write a file, through a link where that stays inside; others are written as theirs does."""
        inside = await self._inside(path)
        if inside is None or os.path.isdir(path):
            await super().write_bytes(path, data)
            return
        folder, relative = inside
        try:
            folder.put({relative: data})
        except Refused as refused:
            raise _as_error(refused, path) from None

    async def remove(self, path: str) -> None:
        """Remove a file, or a folder and all that is in it."""
        inside = await self._inside(os.path.dirname(path))
        if inside is not None and os.path.isfile(path) and not os.path.islink(path):
            folder, relative = inside
            try:
                folder.put({os.path.join(relative, os.path.basename(path)): None})
            except Refused as refused:
                raise _as_error(refused, path) from None
            return
        await super().remove(path)

    async def _inside(self, path: str) -> tuple[Folder, str] | None:
        """The working folder and the path in it; None for one that is outside, or no file of the tree."""
        folder = Folder(await self.working_dir(), self.settings)
        real = os.path.realpath(path)
        return (folder, real[len(folder.root) :].strip("/")) if real.startswith(folder.root + "/") else None


def _as_error(refused: Refused, path: str) -> OSError:
    kinds = {problem.kind for problem in refused.problems}
    if kinds & {"unsafe_path", "hard_link"}:
        return PermissionError(words(refused))
    return NotADirectoryError(path) if "not_a_file" in kinds else OSError(words(refused))
