"""A backend for deepagents: reads as its own file backend does, writes by our commit.

create_deep_agent(backend=Backend(root), …)
"""

from __future__ import annotations

import os

from deepagents.backends import FilesystemBackend
from deepagents.backends.protocol import DeleteResult, EditResult, FileUploadResponse, WriteResult

from ..problems import Refused
from ..storage.state import Settings
from . import Folder, words


class Backend(FilesystemBackend):
    """Files below a folder, which the model sees as /. Line ends, BOM and mode of a file stay when it is edited."""

    def __init__(self, root: str | os.PathLike[str], settings: Settings | None = None) -> None:
        super().__init__(root_dir=root, virtual_mode=True)
        self.folder = Folder(root, settings)

    def write(self, file_path: str, content: str) -> WriteResult:
        """The whole of a file, new or not."""
        try:
            self.folder.put({file_path.lstrip("/"): content.encode()})
        except Refused as refused:
            return WriteResult(error=words(refused))
        return WriteResult(path=file_path)

    def edit(self, file_path: str, old_string: str, new_string: str, replace_all: bool = False) -> EditResult:
        """Text for text, found also where white space or indentation differ, in one place or every."""
        said = {"old_string": old_string, "new_string": new_string, "replace_all": replace_all}
        report = self.folder.apply(
            {"name": "Edit", "input": {"file_path": file_path.lstrip("/"), **said}}, format="json-edits"
        )
        if not report.ok:
            return EditResult(error=words(Refused(*report.problems)))
        count = sum(len(outcome.splices) for outcome in report.plan.outcomes)
        return EditResult(path=file_path, occurrences=count)

    def delete(self, file_path: str) -> DeleteResult:
        """A file, or a folder with all that is in it."""
        path = file_path.strip("/")
        try:
            if self.folder.is_folder(path):
                self.folder.put(dict.fromkeys(self.folder.files(path)))
                return super().delete(file_path)  # folders that are empty now, and what no patch may touch
            self.folder.read(path)
            self.folder.put({path: None})
        except Refused as refused:
            return DeleteResult(error=words(refused))
        return DeleteResult(path=file_path)

    def upload_files(self, files: list[tuple[str, bytes]]) -> list[FileUploadResponse]:
        """Files as they are; all of them or none."""
        try:
            self.folder.put({path.lstrip("/"): data for path, data in files})
        except Refused as refused:
            return [FileUploadResponse(path=path, error=words(refused)) for path, _ in files]
        return [FileUploadResponse(path=path) for path, _ in files]
