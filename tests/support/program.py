"""The command as a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path


def environment(**more: str) -> dict[str, str]:
    gone = ("NO_COLOR", "FORCE_COLOR", "ANYPATCH_DEBUG", "COLUMNS")
    return {name: value for name, value in os.environ.items() if name not in gone} | more


def anypatch(
    *arguments: str, stdin: str | bytes = b"", cwd: Path | None = None, env: dict[str, str] | None = None
) -> subprocess.CompletedProcess[bytes]:
    data = stdin.encode() if isinstance(stdin, str) else stdin
    done = subprocess.run(
        [sys.executable, "-m", "anypatch", *arguments],
        input=data, capture_output=True, cwd=cwd, env=env or environment(), check=False, timeout=60,
    )  # fmt: skip
    assert b"Traceback" not in done.stderr + done.stdout
    return done
