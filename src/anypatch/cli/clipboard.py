"""Read and fill the clipboard, by the program that the desktop has for it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from typing import NamedTuple

from ..problems import Problem, Refused


class ClipboardTool(NamedTuple):
    """A program that prints or fills the clipboard. `needs`: the environment variable without which it can't work."""

    program: str
    arguments: tuple[str, ...] = ()
    needs: str = ""


READERS = (
    ClipboardTool("wl-paste", ("--no-newline",), "WAYLAND_DISPLAY"),
    ClipboardTool("xclip", ("-selection", "clipboard", "-out")),
    ClipboardTool("xsel", ("--clipboard", "--output")),
    ClipboardTool("pbpaste"),
    ClipboardTool(
        "powershell.exe",
        ("-NoProfile", "-Command", "[Console]::OutputEncoding=[Text.Encoding]::UTF8; Get-Clipboard -Raw"),
    ),
)
WRITERS = (
    ClipboardTool("wl-copy", needs="WAYLAND_DISPLAY"),
    ClipboardTool("xclip", ("-selection", "clipboard", "-in")),
    ClipboardTool("xsel", ("--clipboard", "--input")),
    ClipboardTool("pbcopy"),
    ClipboardTool("clip.exe"),
)
SECONDS = 10

_INSTALL = "Install wl-clipboard, xclip or xsel, or give the answer as a file."
_OTHERWISE = "Give the answer as a file, pipe it, or paste it into the terminal."


def paste() -> bytes:
    """Return what is on the clipboard, or raise Refused."""
    command = _command(READERS)
    return _run(command, "read", input=b"", stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def copy(text: str) -> None:
    """Put a text on the clipboard, or raise Refused."""
    command, data = _command(WRITERS), text.encode("utf-8", "surrogateescape")
    # The program goes on running to hand the text out, and must not keep our output open.
    _run(command, "fill", input=data, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def _command(tools: tuple[ClipboardTool, ...]) -> list[str]:
    for tool in tools:
        if (not tool.needs or os.environ.get(tool.needs)) and (path := shutil.which(tool.program)):
            return [path, *tool.arguments]
    if reason := _why_none():
        raise _refused(reason)
    raise _refused("no clipboard tool was found", _INSTALL)


def _run(command: list[str], verb: str, *, input: bytes, stdout: int, stderr: int) -> bytes:
    try:
        done = subprocess.run(  # noqa: S603 - the command is one of the tables above
            command, input=input, stdout=stdout, stderr=stderr, timeout=SECONDS, check=False
        )
    except subprocess.TimeoutExpired:
        raise _refused(f"{command[0]} gave no answer within {SECONDS} seconds") from None
    except OSError as error:
        raise _refused(f"{command[0]} can't be run: {error.strerror}") from None
    if done.returncode:
        first_line = (done.stderr or b"").decode("utf-8", "replace").strip().split("\n")[0]
        detail = f"{command[0]} could not {verb} the clipboard" + (f": {first_line}" if first_line else "")
        raise _refused(_why_none() or detail)
    return done.stdout or b""


def _why_none() -> str:
    """Return why there can't be a clipboard here; "" if there may be one."""
    if os.environ.get("SSH_CONNECTION") or os.environ.get("SSH_TTY"):
        return "there is no clipboard over ssh"
    if sys.platform == "linux" and not (os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")):
        return "there is no clipboard without a desktop"
    return ""


def _refused(detail: str, advice: str = _OTHERWISE) -> Refused:
    return Refused(Problem("unreadable", detail, advice=advice))
