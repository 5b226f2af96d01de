"""Other processes write at the same time: no update is lost, and no path leads out of the root."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import anypatch
from anypatch import Settings
from anypatch.model import File, FileChange
from anypatch.problems import Refused
from anypatch.storage import syscalls
from anypatch.storage.tree import DiskTree, commit
from support.disk_trees import put

CALLS = ("open", "rename", "unlink", "mkdir", "write", "close", "stat", "fstat", "read", "readlink", "listdir")
PATCH = (
    "--- a/a\n+++ b/a\n@@ -2,2 +2,2 @@\n two\n-three\n+THREE\n"
    "--- a/b\n+++ b/b\n@@ -2,2 +2,2 @@\n two\n-three\n+THREE\n"
)  # fmt: skip


def in_place(place: Path) -> None:
    with place.open("r+b") as file:
        file.write(b"ONE")


def by_rename(place: Path) -> None:
    other = place.with_name("other")
    other.write_bytes(place.read_bytes().replace(b"one", b"ONE"))
    other.replace(place)


@pytest.mark.parametrize("name", ["a", "b"])
@pytest.mark.parametrize("edit", [in_place, by_rename])
def test_an_edit_in_any_window_is_not_lost(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, edit: Callable[[Path], None], name: str
) -> None:
    """Right before the n-th call somebody edits another line of a file: their edit stays, ours is there if it succeeds."""
    outcomes = set()
    for at in range(1, 1000):
        root = tmp_path / str(at)
        for file in "ab":
            put(root, file, b"one\ntwo\nthree\n")
        count = [0]

        def windowed(real: Callable[..., object], root: Path = root, at: int = at) -> Callable[..., object]:
            def called(*arguments: object, **named: object) -> object:
                count[0] += 1  # noqa: B023
                if count[0] == at:  # noqa: B023
                    count[0] = 10_000  # noqa: B023
                    edit(root / name)
                return real(*arguments, **named)

            return called

        with monkeypatch.context() as patched:
            for call in CALLS:
                patched.setattr(os, call, windowed(getattr(os, call)))
            for call in ("exchange", "rename_noreplace"):
                patched.setattr(syscalls, call, windowed(getattr(syscalls, call)))
            report = anypatch.apply(PATCH, root, settings=Settings(durability="none"))
        if count[0] < 10_000:
            break
        texts = {file: (root / file).read_bytes() for file in "ab"}
        wanted = b"THREE" if report.ok else b"three"
        for file in "ab":
            first = b"ONE" if file == name else b"one"
            assert texts[file] == first + b"\ntwo\n" + wanted + b"\n", (at, report.problems)
        outcomes.add(report.ok)
    assert at > 40 and True in outcomes


def test_a_folder_that_turns_into_a_link_and_back(tmp_path: Path) -> None:
    """A process exchanges a folder and a link that leads out, as fast as it can, while files in it are read and written."""
    root, outside = tmp_path / "root", tmp_path / "outside"
    put(root, "d/a", b"inside\n")
    put(outside, "a", b"secret\n")
    (root / "link").symlink_to(outside)
    attacker = os.fork()
    if not attacker:
        fd = os.open(root, os.O_RDONLY)
        while True:
            syscalls.exchange(fd, "d", fd, "link")
    refused = done = 0
    try:
        for number in range(3000):
            with DiskTree(str(root), Settings(durability="none")) as tree:
                try:
                    found = tree.read(tree.canonical("d/a"))
                    assert found is None or b"secret" not in found.data
                    if number % 10 == 0:
                        edit = FileChange("d/a", found, File(b"inside %d\n" % number))
                        commit(tree, (edit,), format="", description="")
                    done += 1
                except Refused:
                    refused += 1
    finally:
        os.kill(attacker, signal.SIGKILL)
        os.waitpid(attacker, 0)
    assert (outside / "a").read_bytes() == b"secret\n" and os.listdir(outside) == ["a"]
    assert refused and done


def test_stale_edits_of_several_processes_are_all_made_once() -> None:
    """The rig in a small size: three processes, each edit with the files as they were before others wrote."""
    rig = Path(__file__).parent.parent / "faults" / "crowd.py"
    command = [sys.executable, str(rig), "--stale", "--processes", "3", "--patches", "10"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0 and done.stdout.startswith("30 applied (100.0 %)"), done.stdout + done.stderr
