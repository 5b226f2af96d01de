"""Find the inputs of a command: the answer, the root of the tree, the format, the settings for changes."""

from __future__ import annotations

import os
import sys
from argparse import Namespace
from typing import Literal

from ..formats import named
from ..hints import FormatName
from ..problems import Problem, Refused, reason
from ..storage.state import Settings
from . import terminal
from .options import COMMANDS, ROOT

_LONGEST_LINE = 4095  # bytes that a terminal passes on of a line that is typed or pasted into it


def read_answer(args: Namespace) -> str:
    """Read the answer. Bytes that aren't UTF-8 become lone surrogates."""
    source = "the clipboard"
    try:
        if args.paste:
            from .clipboard import paste

            data = paste()
        elif args.answer is None or args.answer == "-":
            source = "standard input"
            data = _read_stdin()
        else:
            source = f"the file {args.answer!r}"
            with open(args.answer, "rb") as file:
                data = file.read()
    except (OSError, ValueError) as error:
        raise Refused(Problem("unreadable", f"{source} can't be read: {reason(error)}")) from None
    if data.startswith((b"\xff\xfe", b"\xfe\xff")) and len(data) % 2 == 0:
        return data.decode("utf-16", "surrogatepass")  # PowerShell's `>` writes it
    return data.decode("utf-8", "surrogateescape")


def _read_stdin() -> bytes:
    if sys.stdin is None:
        raise Refused(Problem("unreadable", "there is no answer: standard input is closed"))
    if not sys.stdin.isatty():
        return sys.stdin.buffer.read()
    terminal.write(sys.stderr, ["Paste the answer, then press Enter and Ctrl-D (or use anypatch --paste)."])
    data = sys.stdin.buffer.read()
    if any(len(line) >= _LONGEST_LINE for line in data.split(b"\n")):
        detail = f"the terminal cuts lines off at {_LONGEST_LINE} bytes, and one is that long: its end may be missing"
        raise Refused(Problem("truncated", detail, advice="Use --paste, or put the answer in a file."))
    return data


def locate_root(args: Namespace) -> None:
    """Fill in `args.root`: the folder given, or the nearest one upwards that contains .anypatch or .git.

    `args.subfolder` is the current folder relative to a root that was found.
    """
    if args.command not in COMMANDS or ROOT not in COMMANDS[args.command].options:
        return
    if args.root:
        args.root_is_given = True
        return
    here = os.getcwd()
    top = nearest(here, ".anypatch", ".git")
    if top in ("", here):
        args.root = "."
    else:
        args.root, args.subfolder = top, os.path.relpath(here, top)


def nearest(folder: str, *names: str) -> str:
    """Return the nearest folder upwards that contains one of these; "" if none does."""
    while not any(os.path.lexists(os.path.join(folder, name)) for name in names):
        folder, below = os.path.dirname(folder), folder
        if folder == below:
            return ""
    return folder


def file_given(args: Namespace) -> str:
    """Return the path that --file gives to edits that name none, from the root."""
    file = next((path for old, path in args.paths or () if not old), "")
    return f"{args.subfolder}/{file}" if file and args.subfolder and not file.startswith("/") else file


def format_name(args: Namespace) -> FormatName | Literal[""]:
    """Return the name of the format that --format gives; "" to detect it."""
    return named(args.format).name if args.format else ""


def settings(args: Namespace) -> Settings:
    """Return how changes are made."""
    given = {name: getattr(args, name) for name in ("durability", "lock_timeout", "state_dir", "hardlinks")}
    usual = Settings()
    limits = usual.limits._replace(**(args.limit or {}))
    return usual._replace(limits=limits, **{name: value for name, value in given.items() if value is not None})
