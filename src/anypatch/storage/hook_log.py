"""The log of hooks, in the state directory: a line of JSON for each call that was fixed or denied."""

from __future__ import annotations

import json
import os
from typing import Any

from .sandbox import read_at
from .state import write_all, write_gitignore
from .tree import DiskTree

_NAME = "hooks"
_MAX_BYTES = 1 << 20  # then a new log is begun, and this one is kept as `hooks.old`


def add(root: str, entry: dict[str, Any]) -> None:
    """Append a line."""
    with DiskTree(root) as tree:
        state = tree.state(make=True)
        assert state
        write_gitignore(state)
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC
        fd = os.open(_NAME, flags, 0o600, dir_fd=state.fd)
        try:
            write_all(fd, json.dumps(entry).encode() + b"\n")
            if os.fstat(fd).st_size > _MAX_BYTES:
                os.replace(_NAME, f"{_NAME}.old", src_dir_fd=state.fd, dst_dir_fd=state.fd)
        finally:
            os.close(fd)


def entries(root: str) -> list[dict[str, Any]]:
    """Return the lines that can be read, newest first."""
    with DiskTree(root) as tree:
        state = tree.state(make=False)
        try:
            lines = read_at(state.fd, _NAME, 2 * _MAX_BYTES)[0].splitlines() if state else []
        except OSError:
            return []
    logged = []
    for line in reversed(lines):
        try:
            entry = json.loads(line)
        except ValueError:
            continue
        if isinstance(entry, dict):
            logged.append(entry)
    return logged
