"""The changes that the rigs make fail at every call: the tree before, and the wanted tree of each shape."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

from anypatch import apply
from anypatch.model import LINK, File, FileChange
from anypatch.problems import Refused
from anypatch.storage.history import Selection
from anypatch.storage.tree import DiskTree, Settings, commit, recover, redo, undo

Tree = dict[str, tuple[bytes, int]]
Wanted = dict[str, tuple[bytes, int] | None]

OLD: Tree = {
    "a": (b"old a\r\n" * 40, 0o750),
    "b": (b"old b", 0o644),
    "sub/c": (b"old c\n", 0o600),
    "sub/d": (b"old d\n", 0o644),
    "sub/deep/e": (b"old e\n", 0o644),
    "link": (b"sub/c", LINK | 0o777),
    "lines": (b"".join(b"line %d\n" % number for number in range(30)), 0o644),
}

SHAPES: dict[str, Wanted] = {
    "update": {"a": (b"new a", 0o750), "sub/c": (b"new c" * 900, 0o600), "sub/deep/e": (b"", 0o644)},
    "create": {"n": (b"new n", 0o644), "sub/n": (b"new", 0o755)},
    "delete": {"a": None, "sub/c": None},
    "move": {"b": None, "sub/b": (b"old b", 0o644), "sub/d": None, "d": (b"edited d\n", 0o644)},
    "swap": {"b": (b"old d\n", 0o644), "sub/d": (b"old b", 0o644)},
    "mode": {"a": (OLD["a"][0], 0o640), "b": (b"old b", 0o755)},
    "links": {"link": None, "moved": (b"sub/c", LINK | 0o777), "sub/d": (b"new d", 0o644)},
    "nested": {"x/y/z/new": (b"deep", 0o644), "x/y/other": (b"o", 0o644), "x2/new": (b"n", 0o644)},
    "mixed": {
        "a": (b"new a", 0o700),
        "b": None,
        "sub/c": (b"new c", 0o600),
        "b/under/what/was/a/file": (b"f", 0o644),
        "sub/deep/new": (b"n", 0o755),
    },
}
# This one is undone around lines that were added later, and applied to them by an answer that was written before.
SHAPES["lines"] = {"lines": (OLD["lines"][0].replace(b"line 3\n", b"three\n"), 0o644), "n": (b"new n", 0o644)}
LEVELS = ("none", "batch", "full")


def build(root: Path) -> None:
    """Make the old tree."""
    shutil.rmtree(root, ignore_errors=True)
    for name, (data, mode) in OLD.items():
        place = root / name
        place.parent.mkdir(parents=True, exist_ok=True)
        if mode & LINK == LINK:
            place.symlink_to(os.fsdecode(data))
            continue
        place.write_bytes(data)
        place.chmod(mode)


def edit_by_hand(root: Path, wanted: Wanted) -> None:
    """Write another text to every file that a change touches, also to those that it deletes."""
    for name in wanted:
        if not (root / name).is_dir():
            if (root / name).is_symlink():
                (root / name).unlink()
            (root / name).write_bytes(b"by hand")


def add_lines(root: Path) -> None:
    """Add a line to the file of the shape `lines`."""
    with (root / "lines").open("ab") as file:
        file.write(b"by hand\n")


def seen(root: str) -> Tree:
    """Return the tree as it is, without the state directory but with folders, so that none may be left over."""
    files: Tree = {}
    for place, folders, names in os.walk(root):
        if ".anypatch" in folders:
            folders.remove(".anypatch")
        for name in folders:
            files[os.path.relpath(f"{place}/{name}", root) + "/"] = (b"", 0)
        for name in names:
            path = f"{place}/{name}"
            if os.path.islink(path):
                files[os.path.relpath(path, root)] = os.fsencode(os.readlink(path)), LINK | 0o777
                continue
            with open(path, "rb") as file:
                files[os.path.relpath(path, root)] = file.read(), os.stat(path).st_mode & 0o7777
    return files


def strays(root: str) -> list[str]:
    """Return what is in the state directory and shouldn't be."""
    try:
        names = os.listdir(f"{root}/.anypatch")
    except FileNotFoundError:
        return []
    return [name for name in names if name not in (".gitignore", "lock") and not name.startswith("2")]


def actions(root: str, wanted: Wanted, settings: Settings) -> dict[str, Callable[[], None]]:
    """Return the actions that are made to fail."""

    def act(work: Callable[[DiskTree], object]) -> Callable[[], None]:
        def acted() -> None:
            with DiskTree(root, settings) as tree:
                work(tree)

        return acted

    def change(tree: DiskTree) -> None:
        links = {path: File(*old) for path, old in OLD.items() if old[1] & LINK == LINK}
        files = {path: links[path] if path in links else tree.read(path) for path in wanted}
        changes = tuple(FileChange(path, files[path], File(*new) if new else None) for path, new in wanted.items())
        commit(tree, changes, format="test", description="", patch=b"p")

    def change_again(tree: DiskTree) -> None:
        """Change the files once more, and make a folder."""
        changes = [FileChange("more/below", None, File(b"more"))]
        for path, new in wanted.items():
            if new and new[1] & LINK != LINK:
                before = tree.read(path)
                changes.append(FileChange(path, before, File(b"more" + new[0], before.mode if before else 0)))
        commit(tree, tuple(changes), format="test", description="", patch=b"p2")

    def apply_merged() -> None:
        """Apply an answer that was written for the old file of the shape `lines`, and shows all of it."""
        old = OLD["lines"][0]
        patch = "".join(f" {line}\n" for line in old.decode().splitlines()).replace(" line 3\n", "-line 3\n+three\n")
        answer = f"*** Begin Patch\n*** Update File: lines\n@@\n{patch}*** End Patch\n"
        result = apply(answer, root, base={"lines": old}, settings=settings)
        if not result.ok:
            raise Refused(*result.problems)

    force = act(lambda tree: undo(tree, force=True))
    return {
        "apply": act(change),
        "undo": act(undo),
        "redo": act(redo),
        "force": force,
        "merge": act(undo),
        "apply merged": apply_merged,
        "apply again": act(change_again),
        "undo several": act(lambda tree: undo(tree, Selection(all=True))),
        "redo several": act(redo),
        "recover": act(recover),
    }


def code(action: Callable[[], None]) -> int:
    """Return 0 if it succeeds, 3 if it is refused, 5 if the refusal says that not everything was put back."""
    try:
        action()
    except Refused as refused:
        return 5 if any(problem.kind == "unsettled" for problem in refused.problems) else 3
    except OSError:
        return 4  # should have been a refusal
    return 0
