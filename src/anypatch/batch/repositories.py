"""A folder of git repositories: the files of a commit, as a tree to plan on."""

from __future__ import annotations

import os
import re
from collections import OrderedDict

from ..git import GitTree, ObjectCache, Repository
from ..paths import normalize_path
from ..problems import Problem, Refused

_MAX_OPEN = 8  # repositories, each with a process of git
_NAME = re.compile(r"[0-9A-Za-z][0-9A-Za-z._/-]{0,250}")


def bad_row(detail: str) -> Refused:
    """Return the refusal of a row that can't be used."""
    return Refused(Problem("bad_row", detail))


class Repositories:
    """A folder of git repositories, bare or not, as `OWNER/NAME`, `OWNER__NAME`, `OWNER+NAME` or `NAME`."""

    def __init__(self, folder: str) -> None:
        if not os.path.isdir(folder):
            raise Refused(Problem("unreadable", f"the folder of repositories {folder!r} doesn't exist"))
        self.folder = folder
        self._object_cache = ObjectCache()
        self._opened: OrderedDict[str, Repository] = OrderedDict()

    def tree(self, repo: str, commit: str) -> GitTree:
        """Return the files of a commit. Raise Refused if there is no such repository or commit."""
        if not _NAME.fullmatch(commit):
            raise bad_row(f"{commit!r} is not the name of a commit")
        tree = self._repository(repo).tree(commit)
        if tree is None:
            raise bad_row(f"the repository {repo} has no commit {commit}")
        return tree

    def _repository(self, repo: str) -> Repository:
        if repo in self._opened:
            self._opened.move_to_end(repo)
            return self._opened[repo]
        try:
            path = normalize_path(repo)
        except Refused:
            raise bad_row(f"{repo!r} is not the name of a repository") from None
        names = dict.fromkeys((path, path.replace("/", "__"), path.replace("/", "+"), path.rpartition("/")[2]))
        places = [f"{self.folder}/{name}{tail}" for name in names for tail in ("", ".git", "/repo")]
        place = next(filter(_is_repository, places), None)
        if place is None:
            raise bad_row(f"there is no repository {repo} in {self.folder}")
        while len(self._opened) >= _MAX_OPEN:
            self._opened.popitem(last=False)[1].close()
        self._opened[repo] = Repository(place, self._object_cache, isolated=True)
        return self._opened[repo]


def _is_repository(path: str) -> bool:
    return os.path.exists(f"{path}/.git") or os.path.isfile(f"{path}/HEAD")
