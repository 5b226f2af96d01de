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
from .root_folder import RootFolder, text_for_model, tool_functions


def toolset(root: str | os.PathLike[str], settings: Settings | None = None) -> FunctionToolset[Any]:
    """Return apply_patch and view_file for a folder. The model reads a refusal and tries again."""
    return FunctionToolset(tool_functions(RootFolder(root, settings), ModelRetry), id="anypatch")


class Workspace(LocalWorkspaceBackend):
    """The local workspace; files are written and removed whole or not at all, and that can be undone.

    Commands run as in pydantic-ai's own; what they write can't be undone.
    """

    def __init__(self, working_dir: str | os.PathLike[str], settings: Settings | None = None, **more: Any) -> None:
        super().__init__(os.fspath(working_dir), **more)
        self.settings = settings

    async def write_bytes(self, path: str, data: bytes) -> None:
        """Write a file, through a link if that stays inside; others as pydantic-ai's own does."""
        inside = await self._inside(path)
        if inside is None or os.path.isdir(path):
            await super().write_bytes(path, data)
            return
        folder, relative = inside
        try:
            folder.write({relative: data})
        except Refused as refused:
            raise _as_error(refused, path) from None

    async def remove(self, path: str) -> None:
        """Remove a file, or a folder and all that is in it."""
        inside = await self._inside(os.path.dirname(path))
        if inside is not None and os.path.isfile(path) and not os.path.islink(path):
            folder, relative = inside
            try:
                folder.write({os.path.join(relative, os.path.basename(path)): None})
            except Refused as refused:
                raise _as_error(refused, path) from None
            return
        await super().remove(path)

    async def _inside(self, path: str) -> tuple[RootFolder, str] | None:
        """Return the working folder and the path in it, or None if that is outside."""
        folder = RootFolder(await self.working_dir(), self.settings)
        real = os.path.realpath(path)
        return (folder, real[len(folder.path) :].strip("/")) if real.startswith(folder.path + "/") else None


def _as_error(refused: Refused, path: str) -> OSError:
    kinds = {problem.kind for problem in refused.problems}
    if kinds & {"unsafe_path", "hard_link"}:
        return PermissionError(text_for_model(refused))
    return NotADirectoryError(path) if "not_a_file" in kinds else OSError(text_for_model(refused))
