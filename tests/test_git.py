"""Commits as trees: files, links and submodules, names that mean nothing, the cache of objects."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from anypatch import git
from anypatch.git import GitTree, ObjectCache, Repository
from anypatch.model import LINK, File
from support.batches import git as run_git
from support.disk_trees import refusal

SUBMODULE = "1" * 40


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository with a commit of files, links and a submodule."""
    work = tmp_path_factory.mktemp("work")
    run_git(work, "init", "-q", "-b", "main")
    (work / "pkg/deep").mkdir(parents=True)
    (work / "pkg/a.py").write_bytes(b"a = 1\r\n\xe9")
    (work / "pkg/deep/run.sh").write_text("echo\n")
    (work / "pkg/deep/run.sh").chmod(0o755)
    links = {
        "link.py": "pkg/a.py",
        "folder": "pkg/deep",
        "up": "folder/../a.py",
        "out": "../x",
        "root": "/etc",
        "loop": "loop",
    }
    for name, target in links.items():
        (work / name).symlink_to(target)
    run_git(work, "add", "-A")
    run_git(work, "update-index", "--add", "--cacheinfo", f"160000,{SUBMODULE},sub")
    run_git(work, "commit", "-qm", "one")
    return work


@pytest.fixture
def repository(folder: Path) -> Iterator[Repository]:
    opened = Repository(str(folder), isolated=True)
    yield opened
    opened.close()


@pytest.fixture
def tree(repository: Repository) -> GitTree:
    tree = repository.tree("HEAD")
    assert tree
    return tree


def test_files(tree: GitTree) -> None:
    assert tree.read("pkg/a.py") == File(b"a = 1\r\n\xe9", 0o644)
    assert tree.read("pkg/deep/run.sh") == File(b"echo\n", 0o755)
    assert tree.read("none") is None and tree.read("pkg/a.py/below") is None
    assert tree.has_folder("pkg/deep") and not tree.has_folder("pkg/a.py") and not tree.has_folder("folder")
    for path in ("pkg", "sub"):
        assert refusal(lambda path=path: tree.read(path)) == ["not_a_file"]  # type: ignore[misc]


def test_paths_leave_out_submodules(tree: GitTree) -> None:
    links = ("folder", "link.py", "loop", "out", "root", "up")
    assert tree.paths == tuple(sorted((*links, "pkg/a.py", "pkg/deep/run.sh")))
    assert tree.ending("run.sh") == ("pkg/deep/run.sh",) and tree.suggest("a.py") == ("pkg/a.py",)


def test_entries_as_git_has_them(tree: GitTree) -> None:
    assert tree.read_entry("pkg/deep/run.sh") == File(b"echo\n", 0o755)
    assert tree.read_entry("link.py") == File(b"pkg/a.py", LINK)
    assert tree.read_entry("sub") == File(SUBMODULE.encode(), 0o160000) and tree.read_entry("none") is None


def test_links_inside_the_tree_are_followed(tree: GitTree) -> None:
    paths = {
        "link.py": "pkg/a.py",
        "folder/run.sh": "pkg/deep/run.sh",
        "up": "pkg/a.py",
        "./pkg//a.py": "pkg/a.py",
        "new/x": "new/x",
    }
    assert {path: tree.canonical(path) for path in paths} == paths
    assert tree.link("link.py") == ("link.py", "pkg/a.py") and tree.link("pkg/a.py") is None
    for path in ("out", "root/passwd", "loop"):
        assert refusal(lambda path=path: tree.canonical(path)) == ["unsafe_path"]  # type: ignore[misc]


def test_names_that_mean_nothing(repository: Repository) -> None:
    for name in ("none", "0" * 40, "HEAD\nHEAD"):
        assert repository.tree(name) is None
    assert refusal(lambda: repository.data("0" * 40)) == ["unreadable"]


def test_a_folder_that_is_not_a_repository(tmp_path: Path) -> None:
    opened = Repository(str(tmp_path))
    assert refusal(lambda: opened.tree("HEAD")) == ["unreadable"]
    opened.close()


def test_without_git(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert refusal(lambda: Repository(str(tmp_path))) == ["unreadable"]


def test_objects_are_read_once(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    request = Repository._request

    def record(self: Repository, name: str) -> tuple[str, bytes] | None:
        asked.append(name)
        return request(self, name)

    monkeypatch.setattr(Repository, "_request", record)
    cache = ObjectCache()
    for _ in range(2):
        opened = Repository(str(folder), cache)
        for commit in ("HEAD", "main", "HEAD"):
            tree = opened.tree(commit)
            assert tree and tree.read("pkg/a.py") == File(b"a = 1\r\n\xe9")
        opened.close()
    assert [name for name in asked if "^" not in name] == [name for name in dict.fromkeys(asked) if "^" not in name]
    assert len(asked) == 2 * 2 + 2, "two names in each, the folder and the file once"


def test_the_cache_drops_what_was_used_longest_ago(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(git, "CACHE_BYTES", 350)
    cache = ObjectCache()
    for id in "abc":
        cache.add(id, b"x" * 10)
    cache.add("a", b"ignored")
    assert cache.get("a") == b"x" * 10
    cache.add("d", b"x" * 10)
    assert [cache.get(id) is not None for id in "abcd"] == [True, False, True, True]
    cache.add("large", b"x" * 1000)
    assert cache.get("large") and not any(map(cache.get, "abcd")), "the last one stays however large it is"


def test_settings_of_a_repository_are_ignored(folder: Path, tmp_path: Path) -> None:
    """A repository that nobody trusts may replace objects or fetch missing ones when it is read."""
    copy = tmp_path / "copy"
    subprocess.run(["git", "clone", "-q", str(folder), str(copy)], check=True)
    other = run_git(copy, "commit-tree", "-m", "other", run_git(copy, "mktree"))
    run_git(copy, "replace", "HEAD", other)
    for isolated in (False, True):
        opened = Repository(str(copy), isolated=isolated)
        tree = opened.tree("HEAD")
        assert tree and bool(tree.paths) == isolated
        opened.close()
