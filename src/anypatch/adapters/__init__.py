"""anypatch inside agent frameworks: a small module for each, which imports its framework and nothing else does.

from anypatch.adapters.openai_agents import Editor    # one line each; docs/agents.md has them all

What they share is here: a folder, what is applied to it, put into it and shown of it. Knows no framework.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from .. import api
from ..model import File, FileChange
from ..problems import Problem, Refused
from ..result import no_plan
from ..storage.tree import DiskTree, commit

if TYPE_CHECKING:
    from ..hints import Answer, FormatName
    from ..result import Result
    from ..storage.state import Settings


class Folder:
    """A folder to work in. `prefix`: what paths begin with in the eyes of the model, "/memories" for instance."""

    def __init__(self, root: str | os.PathLike[str], settings: Settings | None = None, prefix: str = "") -> None:
        self.root = os.path.realpath(root)
        self.settings = settings
        self.prefix = prefix

    def relative(self, path: str) -> str:
        """A path as the model writes it, relative to the root; "" is the root. Paths outside stay as they are."""
        if self.prefix:
            if path.rstrip("/") != self.prefix and not path.startswith(self.prefix + "/"):
                raise Refused(Problem("unsafe_path", f"paths must begin with {self.prefix}", path))
            return path[len(self.prefix) :].strip("/")
        if path == self.root or path.startswith(self.root + "/"):
            return path[len(self.root) :].strip("/")
        return "" if path == "." else path

    def apply(self, answer: Answer, *, format: FormatName | None = None, overwrite: bool | None = None) -> Result:
        """Apply an answer of the model."""
        return api.apply(answer, self.root, format=format, overwrite=overwrite, again=True, settings=self.settings)

    def said(self, answer: Answer, *, format: FormatName | None = None, overwrite: bool | None = None) -> str:
        """The same in the words for the model; Refused where nothing was applied."""
        result = self.apply(answer, format=format, overwrite=overwrite)
        if not result.ok:
            raise Refused(*result.problems)
        return result.for_model()

    def put(self, files: Mapping[str, bytes | None]) -> None:
        """Put contents into files as they are, None to delete them: all or none, and undo takes it back."""
        with DiskTree(self.root, self.settings) as tree:
            tree.lock(make=False)
            changes = []
            for path, data in files.items():
                known = tree.canonical(path)
                before = tree.read(known)
                after = None if data is None else File(data, before.mode if before else 0o644)
                if after != before:
                    changes.append(FileChange(known, before, after))
            if changes:
                commit(tree, tuple(changes), format="adapter", description="written as it is", patch=b"")

    def read(self, path: str) -> bytes:
        """A file's bytes; Refused where there is none."""
        with DiskTree(self.root, self.settings) as tree:
            file = tree.read(tree.canonical(path))
            if file is None:
                near = tree.suggest(path)
                advice = f"Did you mean {' or '.join(near)}?" if near else ""
                raise Refused(Problem("file_missing", f"{path} doesn't exist", path, advice=advice))
            return file.data

    def is_folder(self, path: str) -> bool:
        """Whether a folder stands there."""
        with DiskTree(self.root, self.settings) as tree:
            return not path or tree.has_folder(path)

    def files(self, path: str = "") -> list[str]:
        """The files below a folder, relative to the root."""
        with DiskTree(self.root, self.settings) as tree:
            return tree.below(path)

    def view(self, path: str, view_range: list[int] | None = None, most: int = 0) -> str:
        """A file with the numbers of its lines, or what is in a folder. `most`: characters, 0 for all."""
        try:
            shown = api.view(path, view_range, self.root)
        except ValueError as error:
            raise Refused(Problem("bad_call", str(error), path)) from None
        return shown if not most or len(shown) <= most else f"{shown[:most]}\n… cut off; ask for a range of lines"


def tools(folder: Folder, error: type[Exception]) -> list[Callable[[str], str]]:
    """apply_patch and view_file, for frameworks that take functions; what is refused is raised as their own error."""

    def apply_patch(patch: str) -> str:
        """Edit, create, delete or move files: unified diff, *** Begin Patch, SEARCH/REPLACE, whole files and more."""
        try:
            return folder.said(patch)
        except Refused as refused:
            raise error(words(refused)) from None

    def view_file(path: str) -> str:
        """A file with the numbers of its lines, or the files of a folder."""
        try:
            return folder.view(folder.relative(path))
        except Refused as refused:
            raise error(words(refused)) from None

    return [apply_patch, view_file]


def words(refused: Refused) -> str:
    """What a refusal says to the model."""
    return no_plan(*refused.problems).for_model()
