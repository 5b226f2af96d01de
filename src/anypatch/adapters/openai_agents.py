"""An editor for the apply_patch tool of the OpenAI Agents SDK: `ApplyPatchTool(editor=Editor(root))`."""

from __future__ import annotations

import os

from agents.editor import ApplyPatchOperation, ApplyPatchResult

from ..problems import Refused
from ..storage.state import Settings
from .root_folder import RootFolder, text_for_model


class Editor:
    """Creates, updates, moves and deletes files below a folder."""

    def __init__(self, root: str | os.PathLike[str], settings: Settings | None = None) -> None:
        self.folder = RootFolder(root, settings)

    def create_file(self, operation: ApplyPatchOperation) -> ApplyPatchResult:
        """Create a file; each line of the diff begins with a plus."""
        return self._apply(operation, "Add")

    def update_file(self, operation: ApplyPatchOperation) -> ApplyPatchResult:
        """Apply hunks to a file, which may get another name."""
        return self._apply(operation, "Update")

    def delete_file(self, operation: ApplyPatchOperation) -> ApplyPatchResult:
        """Delete a file."""
        return self._apply(operation, "Delete")

    def _apply(self, operation: ApplyPatchOperation, verb: str) -> ApplyPatchResult:
        path = self.folder.relative(operation.path)
        lines = ["*** Begin Patch", f"*** {verb} File: {path}"]
        lines += [f"*** Move to: {self.folder.relative(operation.move_to)}"] if operation.move_to else []
        lines += [operation.diff.removesuffix("\n")] if operation.diff else []
        try:
            report = self.folder.apply_or_raise("\n".join([*lines, "*** End Patch\n"]), format="begin-patch")
            return ApplyPatchResult("completed", report)
        except Refused as refused:
            return ApplyPatchResult("failed", text_for_model(refused))
