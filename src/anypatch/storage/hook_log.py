"""The log of what hooks have done: a line of JSON for each call that was mended or denied, in the state directory."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

from .sandbox import read_at
from .state import hide, write_all
from .tree import DiskTree

if TYPE_CHECKING:
    from typing import Any

_NAME = "hooks"
_MOST = 1 << 20  # bytes; then it is begun anew, and the former one is kept beside it


def add(root: str, entry: dict[str, Any]) -> None:
    """One more line."""
    with DiskTree(root) as tree:
        state = tree.state(make=True)
        assert state
        hide(state)
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC
        fd = os.open(_NAME, flags, 0o600, dir_fd=state.fd)
        try:
            write_all(fd, json.dumps(entry).encode() + b"\n")
            if os.fstat(fd).st_size > _MOST:
                os.replace(_NAME, f"{_NAME}.old", src_dir_fd=state.fd, dst_dir_fd=state.fd)
        finally:
            os.close(fd)


def entries(root: str) -> list[dict[str, Any]]:
    """The lines, newest first; what can't be read is none."""
    with DiskTree(root) as tree:
        state = tree.state(make=False)
        try:
            lines = read_at(state.fd, _NAME, 2 * _MOST)[0].splitlines() if state else []
        except OSError:
            return []
    found = []
    for line in reversed(lines):
        try:
            entry = json.loads(line)
        except ValueError:
            continue
        if isinstance(entry, dict):
            found.append(entry)
    return found
