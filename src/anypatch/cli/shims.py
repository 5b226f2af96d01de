"""The command `shims`: puts apply_patch, applypatch and str_replace_editor on PATH, and removes them again.

Models call these whether or not they exist. A shim is a shell script of three lines; the second says whose it is. What
exists already, there or elsewhere on PATH, is never replaced.
"""

from __future__ import annotations

import os
import shlex
import shutil
import sys
from argparse import Namespace

from ..problems import Problem, Refused, reason
from .output import Output

NAMES = ("apply_patch", "applypatch", "str_replace_editor")
_MARK = "# A shim of anypatch; `anypatch shims uninstall` removes it."


def run_shims(args: Namespace) -> Output:
    """Install the shims, remove them, or list them."""
    folder = os.path.abspath(os.path.expanduser(args.dir or "~/.local/bin"))
    try:
        if args.action == "install":
            return _install(folder)
        return _uninstall(folder) if args.action else _list(folder)
    except OSError as error:
        where = error.filename or folder
        raise Refused(Problem("io", f"{where}: {reason(error)}", advice="Name another folder with --dir.")) from None


def _install(folder: str) -> Output:
    os.makedirs(folder, exist_ok=True)
    lines, left = [], False
    for name in NAMES:
        path = os.path.join(folder, name)
        elsewhere = shutil.which(name) or ""
        if os.path.lexists(path) and not _is_ours(path):
            lines.append(f"{path}: there is another program of that name, which is left alone")
            left = True
        elif elsewhere and not _is_ours(elsewhere):
            lines.append(f"{name}: not installed, because {elsewhere} already exists")
            left = True
        else:
            lines.append(f"{path}: {_write(path, _script(name))}")
    return Output(1 if left else 0, [*lines, _about_path(folder)], [])


def _write(path: str, script: str) -> str:
    """Write a shim where there is none, or one of ours; return what was done."""
    if os.path.lexists(path):
        with open(path, encoding="utf-8") as file:
            if file.read() == script:
                return "already installed"
        os.unlink(path)
    with open(
        os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o755), "w", encoding="utf-8"
    ) as file:
        file.write(script)
    return "installed"


def _uninstall(folder: str) -> Output:
    lines = []
    for name in NAMES:
        paths = dict.fromkeys([os.path.join(folder, name), shutil.which(name) or ""])
        for path in filter(os.path.lexists, paths):
            if _is_ours(path):
                os.unlink(path)
                lines.append(f"{path}: removed")
            else:
                lines.append(f"{path}: not a shim of anypatch, left alone")
    return Output(0, lines or ["no shim is installed"], [])


def _list(folder: str) -> Output:
    lines = []
    for name in NAMES:
        path = shutil.which(name) or os.path.join(folder, name)
        state = "not installed" if not os.path.lexists(path) else path if _is_ours(path) else f"{path}, another program"
        lines.append(f"{name:<{max(map(len, NAMES))}}  {state}")
    return Output(0, [*lines, _about_path(folder)], [])


def _script(name: str) -> str:
    """Return a shim. -P: nothing is imported from the folder in which it is called."""
    program = shlex.join([sys.executable, "-P", "-m", "anypatch.cli.shim_calls", name])
    return f'#!/bin/sh\n{_MARK}\nexec {program} "$@"\n'


def _is_ours(path: str) -> bool:
    try:
        with open(path, "rb") as file:
            return file.read(200).split(b"\n")[1:2] == [_MARK.encode()]
    except OSError:
        return False


def _about_path(folder: str) -> str:
    known = map(os.path.realpath, filter(None, os.environ.get("PATH", "").split(os.pathsep)))
    if os.path.realpath(folder) in known:
        return f"{folder} is on PATH"
    return f'{folder} is not on PATH; add it: export PATH={shlex.quote(folder)}:"$PATH"'
