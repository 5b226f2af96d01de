"""A backend for deepagents: reads as its own file backend does, writes all or nothing, with undo.

create_deep_agent(backend=Backend(root), …)
"""

from __future__ import annotations

import os

from deepagents.backends import FilesystemBackend
from deepagents.backends.protocol import DeleteResult, EditResult, FileUploadResponse, WriteResult

from ..problems import Refused
from ..storage.state import Settings
from .root_folder import RootFolder, text_for_model


class Backend(FilesystemBackend):
    """Files below a folder, which the model sees as /. An edit keeps line endings, BOM and mode of a file."""

    def __init__(self, root: str | os.PathLike[str], settings: Settings | None = None) -> None:
        super().__init__(root_dir=root, virtual_mode=True)
        self.folder = RootFolder(root, settings)

    def write(self, file_path: str, content: str) -> WriteResult:
        """Write a whole file, new or not."""
        try:
            self.folder.write({file_path.lstrip("/"): content.encode()})
        except Refused as refused:
            return WriteResult(error=text_for_model(refused))
        return WriteResult(path=file_path)

    def edit(self, file_path: str, old_string: str, new_string: str, replace_all: bool = False) -> EditResult:
        """Replace a text, in its only place or in all; found even if white space or indentation differ."""
        strings = {"old_string": old_string, "new_string": new_string, "replace_all": replace_all}
        call = {"name": "Edit", "input": {"file_path": file_path.lstrip("/"), **strings}}
        report = self.folder.apply(call, format="json-edits")
        if not report.ok:
            return EditResult(error=text_for_model(Refused(*report.problems)))
        count = sum(len(outcome.splices) for outcome in report.plan.outcomes)
        return EditResult(path=file_path, occurrences=count)

    def delete(self, file_path: str) -> DeleteResult:
        """Delete a file, or a folder with all that is in it."""
        path = file_path.strip("/")
        try:
            if self.folder.is_folder(path):
                self.folder.write(dict.fromkeys(self.folder.files(path)))
                return super().delete(file_path)  # the empty folders, and files that no patch may touch
            self.folder.read(path)
            self.folder.write({path: None})
        except Refused as refused:
            return DeleteResult(error=text_for_model(refused))
        return DeleteResult(path=file_path)

    def upload_files(self, files: list[tuple[str, bytes]]) -> list[FileUploadResponse]:
        """Files as they are; all of them or none."""
        try:
            self.folder.write({path.lstrip("/"): data for path, data in files})
        except Refused as refused:
            return [FileUploadResponse(path=path, error=text_for_model(refused)) for path, _ in files]
        return [FileUploadResponse(path=path) for path, _ in files]
