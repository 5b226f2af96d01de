"""Watch a run of the program: which programs it starts, and that nothing can be run any more when it renames files."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from anypatch.cli.landlock import restrict_writes

_WATCH = """\
import os, sys

log = os.open(os.environ["SPY_LOG"], os.O_WRONLY | os.O_APPEND | os.O_CREAT)

def watch(event, arguments):
    if event == "subprocess.Popen":
        os.write(log, b"runs a program\\n")
    elif event == "os.rename":
        try:
            os.posix_spawn("/bin/true", ["true"], {})
            os.write(log, b"renames unrestricted\\n")
        except PermissionError:
            os.write(log, b"renames restricted\\n")

if "anypatch" in sys.orig_argv:  # not the programs that it runs
    sys.addaudithook(watch)
"""


def watched(folder: Path) -> dict[str, str]:
    """Return the environment in which every Python process is watched."""
    (folder / "spy").mkdir()
    (folder / "spy/sitecustomize.py").write_text(_WATCH)
    path = os.pathsep.join([str(folder / "spy"), *filter(None, sys.path)])
    return {"PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1", "SPY_LOG": str(folder / "spy/log")}


def seen(folder: Path) -> list[str]:
    """Return what happened, in its order, each thing in a row once."""
    lines = (folder / "spy/log").read_text().splitlines()
    return [line for at, line in enumerate(lines) if lines[at - 1 : at] != [line]]


def kernel_has_landlock() -> bool:
    """Return True if the kernel can restrict a process; asked in a process of its own, since it can't be undone."""
    child = os.fork()
    if not child:
        os._exit(not restrict_writes([]))
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
