"""The command: `anypatch` runs it in this process, which is fast; `anypatch_process` in one of its own."""

from __future__ import annotations

import contextlib
import io
import os
import subprocess
import sys
from pathlib import Path
from unittest import mock

from anypatch.cli import main

PROGRAM = str(Path(sys.executable).with_name("anypatch"))


def environment(**more: str) -> dict[str, str]:
    gone = ("NO_COLOR", "FORCE_COLOR", "ANYPATCH_DEBUG", "COLUMNS")
    return {name: value for name, value in os.environ.items() if name not in gone} | more


def anypatch(
    *arguments: str, stdin: str | bytes = b"", cwd: Path | None = None, env: dict[str, str] | None = None
) -> subprocess.CompletedProcess[bytes]:
    data = stdin.encode() if isinstance(stdin, str) else stdin
    streams = [io.TextIOWrapper(io.BytesIO(part)) for part in (data, b"", b"")]
    with (
        mock.patch.multiple(sys, argv=[PROGRAM, *arguments], stdin=streams[0], stdout=streams[1], stderr=streams[2]),
        mock.patch.object(sys, "unraisablehook"),
        mock.patch.dict(os.environ, env or environment(), clear=True),
        contextlib.chdir(cwd or os.getcwd()),
    ):
        code = main()
    out, err = (stream.buffer.getvalue() for stream in streams[1:])
    assert b"internal error" not in err
    return subprocess.CompletedProcess([PROGRAM, *arguments], code, out, err)


def anypatch_text(
    *arguments: str, stdin: str = "", cwd: Path | None = None, env: dict[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    done = anypatch(*arguments, stdin=stdin, cwd=cwd, env=env)
    return subprocess.CompletedProcess(done.args, done.returncode, done.stdout.decode(), done.stderr.decode())


def anypatch_process(
    *arguments: str | bytes, stdin: str | bytes = b"", cwd: Path | None = None, env: dict[str, str] | None = None
) -> subprocess.CompletedProcess[bytes]:
    data = stdin.encode() if isinstance(stdin, str) else stdin
    done = subprocess.run(
        [sys.executable, "-m", "anypatch", *arguments],
        input=data, capture_output=True, cwd=cwd, env=env or environment(), check=False, timeout=60,
    )  # fmt: skip
    assert b"Traceback" not in done.stderr + done.stdout
    return done
