"""An editor for the apply_patch tool of the OpenAI Agents SDK: `ApplyPatchTool(editor=Editor(root))`."""

from __future__ import annotations

import os

from agents.editor import ApplyPatchOperation, ApplyPatchResult

from ..problems import Refused
from ..storage.state import Settings
from . import Folder, words


class Editor:
    """Creates, updates, moves and deletes files below a folder."""

    def __init__(self, root: str | os.PathLike[str], settings: Settings | None = None) -> None:
        self.folder = Folder(root, settings)

    def create_file(self, operation: ApplyPatchOperation) -> ApplyPatchResult:
        """A new file; its lines have a plus in front."""
        return self._done(operation, "Add")

    def update_file(self, operation: ApplyPatchOperation) -> ApplyPatchResult:
        """Hunks of a file, which may get another name."""
        return self._done(operation, "Update")

    def delete_file(self, operation: ApplyPatchOperation) -> ApplyPatchResult:
        """The file goes."""
        return self._done(operation, "Delete")

    def _done(self, operation: ApplyPatchOperation, verb: str) -> ApplyPatchResult:
        path = self.folder.relative(operation.path)
        lines = ["*** Begin Patch", f"*** {verb} File: {path}"]
        lines += [f"*** Move to: {self.folder.relative(operation.move_to)}"] if operation.move_to else []
        lines += [operation.diff.removesuffix("\n")] if operation.diff else []
        try:
            told = self.folder.said("\n".join([*lines, "*** End Patch\n"]), format="begin-patch")
            return ApplyPatchResult("completed", told)
        except Refused as refused:
            return ApplyPatchResult("failed", words(refused))
