"""A fence around the process, where the kernel has Landlock: nothing is written outside the tree, nothing is run.

Containment holds without it; with it, a way out would need a mistake of ours and one of the kernel's. Only the
program puts it up, never the library: it holds for the rest of the process.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable

from ..storage.syscalls import call as kernel
from . import terminal
from .options import Call

_CREATE, _ADD, _RESTRICT = 444, 445, 446
_NO_NEW_PRIVILEGES = 38
_EXECUTE = 1
# write, remove folders and files, make everything that can be made, move between folders
_WRITING = 1 << 1 | 1 << 4 | 1 << 5 | 0b1111111 << 6 | 1 << 13
_TRUNCATE = 1 << 14


def fence(call: Call, *roots: str) -> None:
    """From here on the process writes nowhere but in the tree, or the trees named, and in its own state."""
    terminal.writes = True
    if not terminal.alone or sys.platform != "linux":
        return
    from ..storage.journal import folder

    places = [place for place in (call.given.get("state-dir", ""), folder()) if place]
    for place in places if call.command in ("apply", "mcp") else ():
        try:
            os.makedirs(place, 0o700, exist_ok=True)  # as the first change would; behind the fence it could not
        except (OSError, ValueError):
            continue  # then nothing can be kept there, which the change will tell
    put_up([*(roots or [call.root]), *places])


def put_up(folders: Iterable[str]) -> bool:
    """Let this process write only below these folders, and run nothing; whether the kernel could do so."""
    try:
        version = kernel("syscall", _CREATE, 0, 0, 1)
        if version < 2:  # before, no file could be moved from one folder to another
            return False
        writing = _WRITING | (_TRUNCATE if version > 2 else 0)
        rules = kernel("syscall", _CREATE, (writing | _EXECUTE).to_bytes(8, "little"), 8, 0)
        try:
            for folder in folders:
                _allow(rules, folder, writing)
            kernel("prctl", _NO_NEW_PRIVILEGES, 1, 0, 0, 0)
            kernel("syscall", _RESTRICT, rules, 0)
        finally:
            os.close(rules)
    except (OSError, ValueError):
        return False
    return True


def _allow(rules: int, folder: str, writing: int) -> None:
    try:
        fd = os.open(folder, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError:
        return  # nothing can be written there
    try:
        kernel("syscall", _ADD, rules, 1, writing.to_bytes(8, "little") + fd.to_bytes(4, "little"), 0)
    finally:
        os.close(fd)
