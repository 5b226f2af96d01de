"""The log of what hooks have done: a line of JSON for each call that was mended or denied, in the state directory."""

from __future__ import annotations

import json
import os

from .sandbox import Folders, read_at
from .state import open_state, write_all, write_new

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_NAME = "hooks"
_MOST = 1 << 20  # bytes; then it is begun anew, and the former one is kept beside it


def add(root: str, entry: dict[str, Any]) -> None:
    """One more line."""
    folders = Folders(root)
    try:
        state = open_state(folders, "", make=True)
        assert state
        try:
            try:
                write_new(state.fd, ".gitignore", b"*\n")
            except FileExistsError:
                pass
            fd = os.open(
                _NAME, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600, dir_fd=state.fd
            )
            try:
                write_all(fd, json.dumps(entry).encode() + b"\n")
                if os.fstat(fd).st_size > _MOST:
                    os.replace(_NAME, f"{_NAME}.old", src_dir_fd=state.fd, dst_dir_fd=state.fd)
            finally:
                os.close(fd)
        finally:
            state.close()
    finally:
        folders.close()


def entries(root: str) -> list[dict[str, Any]]:
    """The lines, newest first; what can't be read is none."""
    folders = Folders(root)
    try:
        state = open_state(folders, "", make=False)
        if state is None:
            return []
        try:
            lines = read_at(state.fd, _NAME, 2 * _MOST)[0].splitlines()
        except OSError:
            return []
        finally:
            state.close()
    finally:
        folders.close()
    found = []
    for line in reversed(lines):
        try:
            entry = json.loads(line)
        except ValueError:
            continue
        if isinstance(entry, dict):
            found.append(entry)
    return found
