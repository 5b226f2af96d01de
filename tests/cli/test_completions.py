"""The completions, in the shells themselves. A shell that isn't installed is skipped, and pytest says so."""

from __future__ import annotations

import json
import os
import pty
import re
import select
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from anypatch.cli.information import completions
from anypatch.cli.options import COMMANDS, SHELLS
from support.program import anypatch, environment

COMPLETED = {
    "anypatch un": "undo",
    "anypatch apply --dr": "--dry-run",
    "anypatch apply --format chunk-": "chunk-v2",
    "anypatch convert --to chunk-": "chunk-v2",
    "anypatch prompt chunk-": "chunk-v2",
    "anypatch completions z": "zsh",
    "anypatch hook install cla": "claude",
    "anypatch shims un": "uninstall",
    "anypatch help comp": "completions",
    "anypatch apply --json ans": "answer.md",
    "anypatch apply -C fol": "folder",
    "anypatch make --format unified answer.md ans": "answer.md",
}


@pytest.fixture
def shell(request: pytest.FixtureRequest) -> str:
    name: str = request.param
    if shutil.which(name) is None:
        pytest.skip(f"{name} is not installed")
    return name


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a file, a folder and the program, in which the shells run."""
    (tmp_path / "folder").mkdir()
    (tmp_path / "answer.md").write_text("")
    (tmp_path / "anypatch").write_text(f'#!/bin/sh\nexec {sys.executable} -m anypatch "$@"\n')
    (tmp_path / "anypatch").chmod(0o755)
    return tmp_path


def completed(shell: str, folder: Path, lines: list[str]) -> list[str]:
    """Return the shell's completions of the last word of each line."""
    (folder / "_anypatch").write_text(completions(shell))
    where = environment(PATH=f"{folder}{os.pathsep}{os.environ['PATH']}", HOME=str(folder), ZDOTDIR=str(folder))
    if shell == "zsh":
        return in_zsh(folder, lines, where)
    if shell == "fish":
        commands = ["source _anypatch", *(f"complete -C '{line}'; echo ---" for line in lines)]
    else:
        commands = ["source ./_anypatch"]
        for line in lines:
            commands.append(f"COMP_WORDS=({line}); COMP_CWORD={line.count(' ')}; _shtab_anypatch")
            commands.append("printf '%s\\n' \"${COMPREPLY[@]}\"; echo ---")
    command = [shell, "-c", "\n".join(commands)]
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=folder, env=where)
    assert done.stderr == ""
    return [re.sub(r"/?(\t.*)?\n", "", offers) for offers in done.stdout.split("---\n")[:-1]]


def in_zsh(folder: Path, lines: list[str], where: dict[str, str]) -> list[str]:
    """zsh completes on a terminal only: a widget completes the line and writes it to a file."""
    (folder / ".zshrc").write_text(
        f"PS1=; fpath=({folder} $fpath); autoload -Uz compinit; compinit -u -D\n"
        'report() { zle complete-word; print -r -- "$BUFFER" >> lines; BUFFER= }\n'
        "zle -N report; bindkey '^T' report; touch lines; print ready\n"
    )
    pid, terminal = pty.fork()
    if not pid:
        os.chdir(folder)
        os.execvpe("zsh", ["zsh", "-i"], where | {"TERM": "dumb"})
    shown, typed, end = b"", 0, time.monotonic() + 60
    while time.monotonic() < end:
        if select.select([terminal], [], [], 0.02)[0]:
            shown += os.read(terminal, 65536)
        reported = (folder / "lines").read_text().splitlines() if b"ready" in shown else []
        if len(reported) == len(lines):
            break
        if b"ready" in shown and typed == len(reported):
            os.write(terminal, lines[typed].encode() + b"\x14")
            typed += 1
    os.close(terminal)
    os.waitpid(pid, 0)
    assert len(reported) == len(lines), shown
    return [line.split()[-1].rstrip("/") for line in reported]


@pytest.mark.parametrize("shell", SHELLS, indirect=True)
def test_the_script_is_sound(shell: str, folder: Path) -> None:
    (folder / "script").write_bytes(anypatch("completions", shell).stdout)
    done = subprocess.run([shell, "-n", str(folder / "script")], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("shell", SHELLS)
def test_the_script_has_every_command_and_option(shell: str) -> None:
    text = completions(shell)
    for command in COMMANDS.values():
        assert command.name in text
        assert [option.flags for option in command.options if option.flags.split()[-1].lstrip("-") not in text] == []


@pytest.mark.parametrize("shell", SHELLS, indirect=True)
def test_a_shell_completes(shell: str, folder: Path) -> None:
    receipts = []
    for name in ("first", "second"):
        patch = f"operations:\n  - path: {name}\n    op: create_file\n    payload: x\n"
        receipts.append(json.loads(anypatch("apply", "--json", "-C.", cwd=folder, stdin=patch).stdout)["receipt"])
    anypatch("undo", receipts[1], "-C.", cwd=folder)
    expected = COMPLETED | {"anypatch undo 2": receipts[0]}  # what is undone isn't offered
    assert dict(zip(expected, completed(shell, folder, [*expected]), strict=True)) == expected
