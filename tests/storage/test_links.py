"""Symbolic links that are deleted, moved or replaced themselves."""

from __future__ import annotations

from pathlib import Path

import pytest

import anypatch
from anypatch.model import LINK, File, FileChange
from support.disk_trees import (
    apply,
    put,
    refusal,
    snapshot,
)


def begin(*sections: str) -> str:
    return "*** Begin Patch\n" + "".join(sections) + "*** End Patch\n"


def deletions_of(path: str) -> list[str]:
    """Return the deletion of a path in every format that has one."""
    return [
        begin(f"*** Delete File: {path}\n"),
        f"diff --git a/{path} b/{path}\ndeleted file mode 100644\n",
        f"operations:\n  - path: {path}\n    op: delete_file\n",
        f"=== file: {path} ===\n--- delete-file\n=END=\n",
        f'{{"documentChanges": [{{"kind": "delete", "uri": "{path}"}}]}}',
        f'{{"command": "delete", "path": "{path}"}}',
    ]


@pytest.mark.parametrize("target", ["real.txt", "nowhere", "sub", "sub/other", "{root}/real.txt"])
@pytest.mark.parametrize("number", range(6))
def test_deleting_a_link_leaves_its_target(tmp_path: Path, number: int, target: str) -> None:
    put(tmp_path, "real.txt", b"x\n")
    put(tmp_path, "sub/other", b"y\n")
    (tmp_path / "link.txt").symlink_to(target.format(root=tmp_path))
    old = snapshot(tmp_path)
    report = anypatch.apply(deletions_of("link.txt")[number], tmp_path)
    assert report.ok and any("symbolic link" in note.text for note in report.notes), report.problems
    assert snapshot(tmp_path) == {name: seen for name, seen in old.items() if name != "link.txt"}
    assert [
        (c.path, c.before is not None and c.before.is_link, c.after) for c in anypatch.log(tmp_path)[0].changes
    ] == [("link.txt", True, None)]
    assert anypatch.undo(tmp_path).ok and snapshot(tmp_path) == old
    assert anypatch.redo(tmp_path).ok and "link.txt" not in snapshot(tmp_path)


@pytest.mark.parametrize("path", ["./link.txt", "`link.txt`", "a/link.txt", "here/link.txt", "{root}/link.txt"])
def test_a_link_in_another_spelling(tmp_path: Path, path: str) -> None:
    put(tmp_path, "real.txt", b"x\n")
    (tmp_path / "link.txt").symlink_to("real.txt")
    (tmp_path / "here").symlink_to(".")
    assert anypatch.apply(begin(f"*** Delete File: {path.format(root=tmp_path)}\n"), tmp_path).ok
    assert sorted(snapshot(tmp_path)) == ["here", "real.txt"]


def test_moving_a_link_leaves_its_target(tmp_path: Path) -> None:
    put(tmp_path, "real.txt", b"x\n")
    (tmp_path / "link.py").symlink_to("real.txt")
    old = snapshot(tmp_path)
    moved = begin("*** Update File: link.py\n*** Move to: moved.py\n@@\n-x\n+y\n")
    report = anypatch.apply(moved, tmp_path)
    assert report.ok and not any(note.kind == "syntax" for note in report.notes)
    new = snapshot(tmp_path)
    assert new == {"real.txt": ("file", b"y\n", 0o644), "moved.py": ("link", b"real.txt", 0)}
    assert [p.kind for p in anypatch.apply(moved, tmp_path).problems] == ["already_applied"]
    assert anypatch.undo(tmp_path).ok and snapshot(tmp_path) == old
    assert anypatch.redo(tmp_path).ok and snapshot(tmp_path) == new


def test_a_link_can_be_replaced_by_a_file(tmp_path: Path) -> None:
    put(tmp_path, "real.txt", b"x\n")
    (tmp_path / "link.txt").symlink_to("real.txt")
    old = snapshot(tmp_path)
    patch = begin("*** Delete File: link.txt\n", "*** Add File: link.txt\n+own\n")
    assert anypatch.apply(patch, tmp_path).ok
    new = {"real.txt": ("file", b"x\n", 0o644), "link.txt": ("file", b"own\n", 0o644)}
    assert snapshot(tmp_path) == new
    assert anypatch.undo(tmp_path).ok and snapshot(tmp_path) == old
    assert anypatch.redo(tmp_path).ok and snapshot(tmp_path) == new


LINKS = {
    "moved to another folder": (begin("*** Update File: link\n*** Move to: sub/link\n"), "not_a_file"),
    "moved, then edited": (begin("*** Update File: link\n*** Move to: b\n", "*** Update File: b\n@@\n-x\n+y\n"), "not_a_file"),
    "moved, then written": (
        '[{"command": "rename", "path": "link", "new_path": "b"}, {"name": "write_file", "path": "b", "content": "z"}]',
        "not_a_file",
    ),
    "deleted twice": (begin("*** Delete File: link\n", "*** Delete File: link\n"), "file_missing"),
    "deleted, then edited": (begin("*** Delete File: link\n", "*** Update File: link\n@@\n-x\n+y\n"), "file_missing"),
    "in the way of a new file": (begin("*** Add File: dangling.txt\n+x\n"), "file_exists"),
    "in the way of a shown file": ("dangling.txt\n```\nx\n```\n", "file_exists"),
    "in the way of a moved file": (begin("*** Update File: real\n*** Move to: link2\n"), "file_exists"),
    "that leads out": (begin("*** Delete File: out\n"), "unsafe_path"),
    "lines that it doesn't hold": (begin("*** Delete File: link\n-never\n"), "not_found"),
}  # fmt: skip


@pytest.mark.parametrize(("patch", "kind"), LINKS.values(), ids=LINKS)
def test_links_that_are_refused(tmp_path: Path, patch: str, kind: str) -> None:
    root = tmp_path / "root"
    put(root, "real", b"x\n")
    put(root, "other", b"o\n")
    for name, target in {"link": "real", "link2": "other", "dangling.txt": "nowhere", "out": "../outside"}.items():
        (root / name).symlink_to(target)
    old = snapshot(tmp_path)
    for overwrite in (None, True):
        report = anypatch.apply(patch, root, overwrite=overwrite, format="whole-file" if "```" in patch else None)
        assert {p.kind for p in report.problems} == {kind}, report.problems
        assert snapshot(tmp_path) == old


def test_a_link_that_changed_since_is_left(tmp_path: Path) -> None:
    put(tmp_path, "real", b"x\n")
    place = tmp_path / "link"
    place.symlink_to("real")
    gone = FileChange("link", File(b"real", LINK | 0o777), None)
    for other in ("symlink", "file", "folder"):
        place.unlink()
        if other == "symlink":
            place.symlink_to("elsewhere")
        elif other == "file":
            place.write_bytes(b"real")
        else:
            place.mkdir()
        old = snapshot(tmp_path)
        assert set(refusal(lambda: apply(tmp_path, gone))) == {"stale"}
        assert snapshot(tmp_path) == old
