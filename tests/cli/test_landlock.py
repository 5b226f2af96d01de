"""The restriction of the process: writes stay inside the tree, nothing is run, and the program works with it."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
from pathlib import Path

import pytest

from anypatch.cli import landlock
from anypatch.cli.landlock import restrict, restrict_writes
from anypatch.cli.parser import parse
from support.disk_trees import put
from support.spy import kernel_has_landlock, seen, watched
from support.trees import on_terminal

PROGRAM = str(Path(sys.executable).with_name("anypatch"))
HUNKS = "--- a/a\n+++ b/a\n@@ -1 +1 @@\n-1\n+one\n@@ -3 +3 @@\n-3\n+three\n"


def test_writes_stay_inside_and_nothing_is_run(tmp_path: Path) -> None:
    root = tmp_path / "root"
    root.mkdir()
    script = (
        "import os, sys\n"
        "from anypatch.cli.landlock import restrict_writes\n"
        "assert restrict_writes([sys.argv[1], sys.argv[1] + '/missing']) in (True, False)\n"
        "up = restrict_writes([sys.argv[1]])\n"
        "open(sys.argv[1] + '/inside', 'w').close()\n"
        "os.mkdir(sys.argv[1] + '/d'); os.rename(sys.argv[1] + '/inside', sys.argv[1] + '/d/inside')\n"
        "try:\n    open(sys.argv[1] + '/../outside', 'w').close()\n    out = True\n"
        "except PermissionError:\n    out = False\n"
        "try:\n    os.posix_spawn('/bin/true', ['true'], {})\n    ran = True\n"
        "except PermissionError:\n    ran = False\n"
        "print(up, out or ran)\n"
    )
    done = subprocess.run([sys.executable, "-c", script, str(root)], capture_output=True, text=True, check=False)
    assert done.stdout in ("True False\n", "False True\n"), done.stdout + done.stderr
    assert (root / "d/inside").exists()


@pytest.mark.parametrize("version", [-1, 1, 2, 3])
def test_the_kernel_is_asked_for_what_it_knows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, version: int) -> None:
    """Truncation can be forbidden from the third version on; before the second nothing could be moved."""
    asked: list[tuple[str | int | bytes, ...]] = []

    def call(*arguments: str | int | bytes) -> int:
        asked.append(arguments)
        if version < 0:
            raise OSError(errno.ENOSYS, "no Landlock")
        return version if len(asked) == 1 else os.open(tmp_path, os.O_RDONLY) if len(asked) == 2 else 0

    monkeypatch.setattr("anypatch.cli.landlock.syscalls.call", call)
    assert restrict_writes([str(tmp_path), str(tmp_path / "missing")]) == (version > 1)
    forbidden = [int.from_bytes(call[2], "little") for call in asked if call[1] == 444 and isinstance(call[2], bytes)]
    allowed = [int.from_bytes(call[4][:8], "little") for call in asked if call[1] == 445 and isinstance(call[4], bytes)]
    assert [bits >> 14 for bits in forbidden] == [bits >> 14 for bits in allowed] == [version - 2] * (version > 1)
    assert [bits & 1 for bits in forbidden + allowed] == [1, 0] * (version > 1), "nothing is run, not even inside"


def test_the_first_run_of_a_user_is_restricted_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    state, root = tmp_path / "home/state", tmp_path / "root"
    monkeypatch.setenv("XDG_STATE_HOME", str(state))
    monkeypatch.setattr(landlock, "owns_process", True)
    asked: list[list[str]] = []
    monkeypatch.setattr("anypatch.cli.landlock.restrict_writes", asked.append)
    for command in ("undo", "apply"):
        assert not state.exists()
        restrict(parse([command, "--root", str(root), "--state-dir", str(tmp_path / "other")]))
    assert asked == [[str(root), str(tmp_path / "other"), f"{state}/anypatch"]] * 2
    assert (state / "anypatch").is_dir() and (tmp_path / "other").is_dir()
    monkeypatch.setenv("XDG_STATE_HOME", "/proc/nowhere")
    restrict(parse(["apply", "--root", str(root)]))
    assert len(asked) == 3
    monkeypatch.setattr(landlock, "owns_process", False)  # a process that isn't the command's own is never restricted
    restrict(parse(["apply", "--root", str(root)]))
    assert len(asked) == 3


@pytest.mark.parametrize("owns", [True, False])
def test_a_report_is_written_in_its_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, owns: bool) -> None:
    allowed: list[list[str]] = []
    monkeypatch.setattr(landlock, "restrict_writes", lambda folders: allowed.append([*folders]))
    monkeypatch.setattr(landlock, "owns_process", owns)
    monkeypatch.setattr(sys, "platform", "linux")
    for path in (str(tmp_path / "report.html"), None):
        landlock.restrict_to_report(path)
    assert allowed == ([[str(tmp_path)], []] if owns else [])


def test_the_first_apply_of_a_user_works_restricted(tmp_path: Path) -> None:
    put(tmp_path, "root/a", b"1\n2\n3\n")
    environment = {**os.environ, "XDG_STATE_HOME": str(tmp_path / "state")}
    command = [PROGRAM, "apply", "--root", str(tmp_path / "root")]
    done = subprocess.run(command, input=HUNKS, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0 and "no key" not in done.stdout, done.stderr


def test_the_program_works_restricted(tmp_path: Path) -> None:
    put(tmp_path, "a", b"1\n2\n3\n")
    for command in ("apply", "undo", "redo", "recover", "undo"):
        done = subprocess.run(
            [PROGRAM, command, "--root", str(tmp_path)], input=HUNKS, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
    assert (tmp_path / "a").read_bytes() == b"1\n2\n3\n"
    assert "nothing to recover" in subprocess.run(
        [PROGRAM, "recover", "--root", str(tmp_path)], capture_output=True, text=True, check=True
    ).stdout  # fmt: skip


needs_landlock = pytest.mark.skipif(not kernel_has_landlock(), reason="the kernel has no Landlock")


@needs_landlock
@pytest.mark.parametrize("command", ["apply", "undo", "redo", "recover"])
def test_nothing_can_be_run_while_files_are_changed(tmp_path: Path, command: str) -> None:
    put(tmp_path, "root/a", b"1\n2\n3\n")
    before = {"undo": ["apply"], "redo": ["apply", "undo"]}.get(command, [])
    for number, name in enumerate([*before, command]):
        env = os.environ | (watched(tmp_path) if number == len(before) else {})
        arguments = [sys.executable, "-m", "anypatch", name, "--root", str(tmp_path / "root")]
        subprocess.run(arguments, input=HUNKS, env=env, capture_output=True, text=True, check=True)
    assert command == "recover" or seen(tmp_path) == ["renames restricted"]


@needs_landlock
def test_pager_and_editor_run_before_the_last_question(tmp_path: Path) -> None:
    lines = [f"{number}\n" for number in range(30)]
    put(tmp_path, "root/a", "".join(lines).encode())
    signed = "".join(f"-{line}" for line in lines) + "".join(f"+new {line}" for line in lines)
    put(tmp_path, "root/hunks.diff", f"--- a/a\n+++ b/a\n@@ -1,30 +1,30 @@\n{signed}".encode())
    for name, script in {"pager": "echo PAGED; cat", "editor": "echo EDITED; sed -i s/new/edited/ $1"}.items():
        put(tmp_path, name, f"#!/bin/sh\n{script}\n".encode())
        (tmp_path / name).chmod(0o755)
    tools = {"GIT_PAGER": str(tmp_path / "pager"), "EDITOR": str(tmp_path / "editor"), "VISUAL": "", "TERM": "xterm"}
    keys = [b"s\n", b"e\n", b"y\n"]
    done, shown = on_terminal(tmp_path / "root", ["hunks.diff"], keys, 80, **tools, **watched(tmp_path))
    assert done == 0 and (tmp_path / "root/a").read_bytes() == "".join(f"edited {line}" for line in lines).encode()
    assert shown.index("PAGED") < shown.index("Apply this?") < shown.index("EDITED") < shown.rindex("Apply this?")
    assert seen(tmp_path) == ["runs a program", "renames restricted"]
