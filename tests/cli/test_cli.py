"""The program as a process: exit codes, closed streams, interrupts, errors in a line or two."""

from __future__ import annotations

import json
import os
import pty
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from support.program import anypatch, environment
from support.trees import AFTER, BEFORE, PATCH, contents


def test_version_and_help() -> None:
    from anypatch import __version__

    assert anypatch("--version").stdout.decode() == f"anypatch {__version__}\n"
    assert anypatch("--help").stdout.decode().split("\n")[0].startswith("usage: anypatch")
    assert anypatch("help", "apply").stdout == anypatch("apply", "-h").stdout
    main, side = pty.openpty()
    bare = subprocess.run([sys.executable, "-m", "anypatch"], stdin=side, capture_output=True, check=False)
    os.close(main)
    os.close(side)
    assert (bare.returncode, bare.stdout) == (2, b"")
    assert bare.stderr.startswith(b"usage: anypatch")


@pytest.mark.parametrize(
    "arguments",
    [
        ["aply"],
        ["apply", "--bogus"],
        ["apply", "a", "b"],
        ["help", "nothing"],
        ["apply", "no/such/file"],
        ["apply", "/"],
    ],
)
def test_a_bad_call_is_an_error_with_a_hint_and_exit_2(arguments: list[str]) -> None:
    done = anypatch(*arguments)
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr.startswith(b"error: ")
    assert done.stderr.count(b"\n") <= 2 and (done.stderr.count(b"\n") == 1 or b"\nhint: " in done.stderr)


def test_a_bad_call_after_json_is_json() -> None:
    for arguments in (["apply", "--json", "--bogus"], ["apply", "no/such/file", "--json"], ["--json"]):
        done = anypatch(*arguments)
        value = json.loads(done.stdout)
        assert (done.returncode, done.stderr, value["ok"]) == (2, b"", False)
        assert value["problems"][0]["kind"] in ("bad_call", "unreadable", "no_patch")


def test_undecodable_arguments_are_said_as_they_are() -> None:
    done = subprocess.run(
        [sys.executable.encode(), b"-m", b"anypatch", b"apply", b"no-\xff-file"], capture_output=True, check=False
    )
    assert done.returncode == 2
    assert done.stderr.startswith(b"error: the file ")


@pytest.mark.parametrize("way", ["-m anypatch", "-c 'from anypatch.cli import program; program()'"])
def test_closed_streams_are_no_crash(way: str) -> None:
    """The module and the console script begin and end differently."""
    for arguments, code in (("apply <&-", 2), ("--version >&-", 0), ("aply 2>&-", 2), ("aply <&- >&- 2>&-", 2)):
        line = f"{sys.executable} {way} {arguments}"
        done = subprocess.run(["sh", "-c", line], capture_output=True, check=False, env=environment())
        assert done.returncode == code
        assert b"Traceback" not in done.stderr


def test_a_reader_that_leaves_is_no_crash() -> None:
    line = f"{{ {sys.executable} -m anypatch --help; echo code $? >&2; }} | true"
    for _ in range(3):
        done = subprocess.run(["sh", "-c", line], capture_output=True, check=False, env=environment())
        assert done.stderr == b"code 0\n"


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no /dev/full")
def test_a_full_disk_is_told() -> None:
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            [sys.executable, "-m", "anypatch", "--version"], stdout=full, stderr=subprocess.PIPE, check=False
        )
    assert done.returncode == 3
    assert done.stderr.startswith(b"anypatch: the report could not be written")


def test_interrupted_while_waiting_for_the_patch() -> None:
    """On a terminal it says that it waits: the sign to interrupt it."""
    main, side = pty.openpty()
    running = subprocess.Popen(
        [sys.executable, "-m", "anypatch", "apply"],
        stdin=side, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment(),
    )  # fmt: skip
    assert running.stderr is not None
    assert b"Paste the answer" in running.stderr.readline()
    running.send_signal(signal.SIGINT)
    out, err = running.communicate(timeout=60)
    os.close(main)
    os.close(side)
    assert (running.returncode, out) == (130, b"")
    assert err == b"anypatch: interrupted. Nothing was changed.\n"


def test_exit_codes_of_calls_that_cannot_work(root: Path, tmp_path: Path) -> None:
    patch = tmp_path / "patch.yaml"
    patch.write_text(PATCH)
    for arguments, kind in (
        (["apply", str(patch), "--root", str(tmp_path / "nowhere")], "bad_root"),
        (["apply", str(patch), "--root", str(patch)], "bad_root"),
        (["apply", str(patch), "--root", str(root), "--format", "chnk"], "unknown_format"),
        (["log", "--root", str(tmp_path / "nowhere")], "bad_root"),
        (["apply", "--root", str(root)], "no_patch"),
    ):
        told = anypatch(*arguments)
        assert (told.returncode, told.stdout, told.stderr.count(b"\n")) == (2, b"", 2)
        value = json.loads(anypatch(*arguments, "--json").stdout)
        assert [problem["kind"] for problem in value["problems"]] == [kind]
    assert contents(root) == BEFORE


def test_an_apply_stays_when_its_reader_leaves(root: Path, tmp_path: Path) -> None:
    patch = tmp_path / "patch.yaml"
    patch.write_text(PATCH)
    line = f"{{ {sys.executable} -m anypatch apply {patch} --root {root}; echo code $? >&2; }} | true"
    done = subprocess.run(["sh", "-c", line], capture_output=True, check=False, env=environment())
    assert done.stderr == b"code 0\n"
    assert contents(root) == AFTER
