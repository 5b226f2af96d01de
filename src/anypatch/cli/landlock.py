"""Restrict the process with Landlock, where the kernel has it: it writes nothing outside the tree and runs nothing.

Containment doesn't depend on it; with it, an escape would need a mistake of ours and one of the kernel's. Only the
program does this, never the library, because it holds for the rest of the process.
"""

from __future__ import annotations

import os
import sys
from argparse import Namespace
from collections.abc import Iterable

from ..storage import syscalls
from ..storage.journal import user_state_folder

# True if this process is the program and nothing else.
owns_process = False
# True once files may have been changed.
may_write = False

_CREATE, _ADD, _RESTRICT = 444, 445, 446
_NO_NEW_PRIVILEGES = 38
_EXECUTE = 1
# write, remove folders and files, make everything that can be made, move between folders
_WRITE = 1 << 1 | 1 << 4 | 1 << 5 | 0b1111111 << 6 | 1 << 13
_TRUNCATE = 1 << 14


def restrict(args: Namespace, *roots: str) -> None:
    """Let the process write only below the root, or the roots given, and in its own state."""
    global may_write  # noqa: PLW0603 - as a restriction, it holds for the process
    may_write = True
    if not owns_process or sys.platform != "linux":
        return
    state_folders = [folder for folder in (args.state_dir, user_state_folder()) if folder]
    for folder in state_folders if args.command in ("apply", "mcp", "rename", "review") else ():
        try:
            os.makedirs(folder, 0o700, exist_ok=True)  # the first change would make it, but can't once restricted
        except (OSError, ValueError):
            continue  # nothing can be kept there; the change reports that
    restrict_writes([*(roots or [args.root]), *state_folders])


def restrict_to_report(path: str | None) -> None:
    """Let the process write only in the folder of a report; without one, nowhere."""
    if owns_process and sys.platform == "linux":
        restrict_writes([os.path.dirname(os.path.abspath(path))] if path else [])


def restrict_writes(folders: Iterable[str]) -> bool:
    """Let this process write only below these folders and run nothing. Return False if the kernel can't do that."""
    try:
        version = syscalls.call("syscall", _CREATE, 0, 0, 1)
        if version < 2:  # it would forbid moving files between folders
            return False
        writing = _WRITE | (_TRUNCATE if version > 2 else 0)
        rules = syscalls.call("syscall", _CREATE, (writing | _EXECUTE).to_bytes(8, "little"), 8, 0)
        try:
            for folder in folders:
                _allow(rules, folder, writing)
            syscalls.call("prctl", _NO_NEW_PRIVILEGES, 1, 0, 0, 0)
            syscalls.call("syscall", _RESTRICT, rules, 0)
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
        syscalls.call("syscall", _ADD, rules, 1, writing.to_bytes(8, "little") + fd.to_bytes(4, "little"), 0)
    finally:
        os.close(fd)
