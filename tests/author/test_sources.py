"""The sources of a patch: folders, files, git revisions."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from anypatch import PatchError, make, make_git
from support.authored import applied


def test_folders_and_files(tmp_path: Path) -> None:
    for side, text in (("old", "one\ntwo\n"), ("new", "one\n2\n")):
        (tmp_path / side / "sub").mkdir(parents=True)
        (tmp_path / side / "sub" / "f.txt").write_text(text)
        (tmp_path / side / ".git").mkdir()
        (tmp_path / side / ".git" / "config").write_text(side)
    patch = make(tmp_path / "old", tmp_path / "new", "search-replace")
    assert patch == "sub/f.txt\n<<<<<<< SEARCH\ntwo\n=======\n2\n>>>>>>> REPLACE\n"
    old, new = (str(tmp_path / side / "sub" / "f.txt") for side in ("old", "new"))
    assert make(old, new, "search-replace") == patch.replace("sub/", "")
    with pytest.raises(PatchError):
        make(tmp_path / "old", new, "unified")


def test_unchanged_files_that_no_patch_may_touch_do_no_harm(tmp_path: Path) -> None:
    for side in ("old", "new"):
        (tmp_path / side / ".svn").mkdir(parents=True)
        (tmp_path / side / ".svn" / "entries").write_text("12\n")
        (tmp_path / side / "f.txt").write_text(f"{side}\n")
    assert applied(make(tmp_path / "old", tmp_path / "new", "unified"), {"f.txt": "old\n"}, "unified") == {
        "f.txt": "new\n"
    }


def test_git_revisions_and_the_working_tree(tmp_path: Path) -> None:
    def git(*arguments: str) -> None:
        subprocess.run(
            ["git", "-c", "user.name=a", "-c", "user.email=a@b", *arguments],
            cwd=tmp_path, check=True, capture_output=True,
        )  # fmt: skip

    git("init", "-q")
    (tmp_path / "a.txt").write_text("one\ntwo\n")
    git("add", "-A")
    git("commit", "-qm", "first")
    (tmp_path / "a.txt").write_text("one\n2\n")
    git("commit", "-qam", "second")
    assert applied(make_git(tmp_path, "chunk", "HEAD~1", "HEAD"), {"a.txt": "one\ntwo\n"}, "chunk") == {
        "a.txt": "one\n2\n"
    }
    (tmp_path / "a.txt").write_text("1\n2\n")
    (tmp_path / "new é.txt").write_text("new\n")
    text = make_git(tmp_path, "begin-patch")
    assert applied(text, {"a.txt": "one\n2\n"}, "begin-patch") == {"a.txt": "1\n2\n", "new é.txt": "new\n"}
    with pytest.raises(PatchError) as caught:
        make_git(tmp_path, "chunk", "nothing")
    assert caught.value.problems[0].kind == "unreadable"
