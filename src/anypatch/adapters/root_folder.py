"""A folder that a model edits through the tools of a framework: shared by all adapters, and knows none of them."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping

from .. import api
from ..hints import Answer, FormatName
from ..model import File, FileChange
from ..problems import Problem, Refused
from ..result import Result, no_plan
from ..storage.state import Settings
from ..storage.tree import DiskTree, commit


class RootFolder:
    """A folder to work in. `prefix`: what its paths begin with for the model, "/memories" for instance."""

    def __init__(self, root: str | os.PathLike[str], settings: Settings | None = None, prefix: str = "") -> None:
        self.path = os.path.realpath(root)
        self.settings = settings
        self.prefix = prefix

    def relative(self, path: str) -> str:
        """Return a path of the model's relative to the root; "" is the root. Paths outside stay as they are."""
        prefix = self.prefix or self.path
        if path.rstrip("/") == prefix or path.startswith(prefix + "/"):
            return path[len(prefix) :].strip("/")
        if self.prefix:
            raise Refused(Problem("unsafe_path", f"paths must begin with {self.prefix}", path))
        return "" if path == "." else path

    def apply(self, answer: Answer, *, format: FormatName | None = None, overwrite: bool | None = None) -> Result:
        """Apply an answer of the model."""
        return api.apply(answer, self.path, format=format, overwrite=overwrite, again=True, settings=self.settings)

    def apply_or_raise(self, answer: Answer, *, format: FormatName | None = None, overwrite: bool | None = None) -> str:
        """Apply an answer and return the report for the model. Raise Refused if nothing was applied."""
        result = self.apply(answer, format=format, overwrite=overwrite)
        if not result.ok:
            raise Refused(*result.problems)
        return result.for_model()

    def write(self, files: Mapping[str, bytes | None]) -> None:
        """Write files as they are, delete those that are None: all or none, as one change that can be undone."""
        with DiskTree(self.path, self.settings) as tree:
            tree.lock(make=False)
            changes = []
            for name, data in files.items():
                path = tree.canonical(name)
                before = tree.read(path)
                after = None if data is None else File(data, before.mode if before else 0o644)
                if after != before:
                    changes.append(FileChange(path, before, after))
            if changes:
                commit(tree, tuple(changes), format="adapter", description="written as it is", patch=b"")

    def read(self, path: str) -> bytes:
        """Return the bytes of a file. Raise Refused if there is none."""
        with DiskTree(self.path, self.settings) as tree:
            file = tree.read(tree.canonical(path))
            if file is None:
                similar = tree.suggest(path)
                advice = f"Did you mean {' or '.join(similar)}?" if similar else ""
                raise Refused(Problem("file_missing", f"{path} doesn't exist", path, advice=advice))
            return file.data

    def is_folder(self, path: str) -> bool:
        """Return True if there is a folder of that path."""
        with DiskTree(self.path, self.settings) as tree:
            return not path or tree.has_folder(path)

    def files(self, path: str = "") -> list[str]:
        """Return the files below a folder, relative to the root."""
        with DiskTree(self.path, self.settings) as tree:
            return tree.below(path)

    def view(self, path: str, view_range: list[int] | None = None, max_characters: int = 0) -> str:
        """Return a file with line numbers, or what is in a folder. `max_characters`: 0 for all."""
        try:
            text = api.view(path, view_range, self.path)
        except ValueError as error:
            raise Refused(Problem("bad_call", str(error), path)) from None
        if not max_characters or len(text) <= max_characters:
            return text
        return f"{text[:max_characters]}\n… cut off; ask for a range of lines"


def tool_functions(folder: RootFolder, error: type[Exception]) -> list[Callable[[str], str]]:
    """Return apply_patch and view_file, for frameworks that take functions. A refusal is raised as their own error."""

    def apply_patch(patch: str) -> str:
        """Edit, create, delete or move files: unified diff, *** Begin Patch, SEARCH/REPLACE, whole files and more."""
        try:
            return folder.apply_or_raise(patch)
        except Refused as refused:
            raise error(text_for_model(refused)) from None

    def view_file(path: str) -> str:
        """A file with the numbers of its lines, or the files of a folder."""
        try:
            return folder.view(folder.relative(path))
        except Refused as refused:
            raise error(text_for_model(refused)) from None

    return [apply_patch, view_file]


def text_for_model(refused: Refused) -> str:
    """Return what a refusal says to the model."""
    return no_plan(*refused.problems).for_model()
