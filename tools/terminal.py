"""Runs a command in a terminal of its own, as a person would, and gives what it showed."""

from __future__ import annotations

import errno
import fcntl
import os
import pty
import re
import select
import struct
import subprocess
import sys
import termios
import time
from pathlib import Path


def shown(
    command: str,
    folder: Path,
    environment: dict[str, str],
    *,
    typed: str = "",
    columns: int = 80,
    seconds: float = 60,
) -> str:
    """Return what `sh -c command` shows on a terminal of that width. `typed`: lines to type when it waits for input."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 50, columns, 0, 0))
    process = subprocess.Popen(
        ["sh", "-c", command], cwd=folder, env=environment, start_new_session=True,
        stdin=theirs, stdout=theirs, stderr=theirs,
    )  # fmt: skip
    os.close(theirs)
    lines = typed.splitlines(keepends=True)
    output, last = b"", time.monotonic() + seconds
    while time.monotonic() < last:
        ready, _, _ = select.select([ours], [], [], 0.4)
        if not ready:
            asked = output and not output.endswith(b"\n")  # a prompt stays on its line
            if asked and lines:
                os.write(ours, lines.pop(0).encode())
            continue
        try:
            data = os.read(ours, 65536)
        except OSError as error:
            if error.errno != errno.EIO:  # how Linux says that the other end is closed
                raise
            data = b""
        if not data:
            break
        output += data
    else:
        process.kill()
        sys.exit(f"{command}: not done after {seconds} s; so far:\n{output.decode(errors='replace')}")
    process.wait()
    os.close(ours)
    # A progress bar is gone when the command ends.
    return re.sub(r"\r[^\r\n]*\x1b\[K", "", output.decode().replace("\r\n", "\n"))
