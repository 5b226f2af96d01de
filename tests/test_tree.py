"""Trees in memory: mappings, trees of the caller, files that must be awaited, a tree after a plan."""

from __future__ import annotations

from collections.abc import Iterator
from types import MappingProxyType

import pytest

from anypatch.model import File, FileChange, Patch, Plan
from anypatch.problems import Refused
from anypatch.tree import Files, LoadedTree, MemoryTree, NotLoaded, TreeAfter, as_tree

FILES = {"a.py": "a\n", "pkg/b.py": "b\n", "pkg/deep/b.txt": "c\n"}


class Store:
    """A tree of a caller, which records what it is asked; None is the list."""

    def __init__(self, files: dict[str, str]) -> None:
        self.files = files
        self.asked: list[str | None] = []

    def read(self, path: str) -> bytes | None:
        self.asked.append(path)
        return self.files[path].encode() if path in self.files else None

    def list(self) -> Iterator[str]:
        self.asked.append(None)
        return iter(self.files)


def test_files_keep_their_changes_to_themselves() -> None:
    files = Files(FILES)
    files["new"] = b"n"
    files["a.py"] = "A\n"
    del files["pkg/b.py"]
    assert dict(files) == {"a.py": "A\n", "pkg/deep/b.txt": "c\n", "new": b"n"} and len(files) == 3
    assert FILES["a.py"] == "a\n" and list(files.list()) == ["a.py", "pkg/deep/b.txt", "new"]
    assert files.read("new") == b"n" and files.read("pkg/b.py") is None and "pkg/b.py" not in files
    for path in ("pkg/b.py", "none"):
        with pytest.raises(KeyError):
            files[path]
        with pytest.raises(KeyError):
            del files[path]


def test_files_read_the_mapping_when_they_are_asked() -> None:
    given = {"a": "1"}
    files = Files(MappingProxyType(given))
    given["a"] = "2"
    assert files["a"] == "2"
    files = Files(given)
    given["a"] = "3"
    assert files["a"] == "2", "a dict is copied"


def test_keys_in_other_spellings() -> None:
    tree = MemoryTree({"./a.py": "a\n", "x//y.py": "y\n", ".git/config": "c\n"})
    assert [tree.canonical(path) for path in ("a.py", "x/y.py", "none")] == ["./a.py", "x//y.py", "none"]
    with pytest.raises(Refused):
        tree.canonical(".git/config")
    walked = MemoryTree({"x//y.py": "y\n"}, normalized=True)
    assert walked.canonical("x/y.py") == "x/y.py", "its keys are taken as they are"


def test_files_of_a_mapping_are_text_bytes_or_files() -> None:
    tree = MemoryTree({"text": "é\n", "bytes": b"\xe9", "file": File(b"x", 0o755)})
    assert tree.read("text") == File("é\n".encode()) and tree.read("bytes") == File(b"\xe9")
    assert tree.read("file") == File(b"x", 0o755) and tree.read("none") is None


def test_the_tree_of_a_caller_is_asked_once() -> None:
    store = Store(FILES)
    tree = MemoryTree(store)
    for _ in range(2):
        assert tree.canonical("a.py") == "a.py" and tree.read("a.py") == File(b"a\n")
        assert tree.ending("b.py") == ("pkg/b.py",) and sorted(tree.all_paths()) == sorted(FILES)
    assert store.asked == ["a.py", None]


def test_paths_are_found_by_ending_name_and_suffix() -> None:
    tree = MemoryTree(FILES)
    assert tree.ending("deep/b.txt") == ("pkg/deep/b.txt",) and tree.ending("eep/b.txt") == ()
    assert tree.suggest("lib/b.py") == ("pkg/b.py",) and tree.suggest("pkg/bb.py") == ("pkg/b.py",)
    assert tree.alike("pkg/x.py") == ("pkg/b.py", "a.py")
    assert tree.has_folder("pkg/deep") and not tree.has_folder("pkg/b.py")


def test_new_files_are_of_the_type_of_the_others() -> None:
    new = FileChange("new", None, File(b"n\n"))
    assert MemoryTree({"a": "x\n"}).after((new,)) == {"a": "x\n", "new": "n\n"}
    assert MemoryTree({"a": b"x\n"}).after((new, FileChange("a", File(b"x\n"), None))) == {"new": b"n\n"}
    assert MemoryTree({}).after((new,)) == {"new": "n\n"}
    assert MemoryTree(Store(FILES)).after((FileChange("a.py", File(b"a\n"), File(b"A\n")),)) == {"a.py": b"A\n"}


def test_what_must_be_awaited() -> None:
    tree = LoadedTree()
    with pytest.raises(NotLoaded) as missing:
        tree.read("a")
    assert missing.value.path == "a"
    with pytest.raises(NotLoaded) as missing:
        tree.list()
    assert missing.value.path is None
    tree.files["a"], tree.paths = None, ["b"]
    assert tree.read("a") is None and tree.list() == ["b"]


def test_a_tree_after_a_plan() -> None:
    changes = FileChange("a.py", File(b"a\n"), File(b"A\nB\n")), FileChange("pkg/b.py", File(b"b\n"), None)
    tree = TreeAfter(MemoryTree(FILES), Plan(Patch("test"), changes))
    assert tree.read("a.py") == File(b"A\nB\n") and tree.read("pkg/b.py") is None
    assert tree.lines("a.py") == ["A", "B"] and tree.lines("pkg/b.py") == []
    assert tree.read("pkg/deep/b.txt") == File(b"c\n")


def test_trees_to_plan_on() -> None:
    tree = MemoryTree(FILES)
    assert as_tree(tree) is tree
    assert isinstance(as_tree(FILES), MemoryTree) and isinstance(as_tree(Store(FILES)), MemoryTree)
    with pytest.raises(TypeError, match="a mapping from path to contents"):
        as_tree(["a.py"])  # type: ignore[arg-type]
