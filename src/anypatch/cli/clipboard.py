"""Read and fill the clipboard, by the program that the desktop has for it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
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
    try:
        done = subprocess.run(  # noqa: S603 - the command is one of the table above
            command, input=b"", capture_output=True, timeout=SECONDS, check=False
        )
    except subprocess.TimeoutExpired:
        raise _no_answer(command) from None
    except OSError as error:
        raise _cannot_run(command, error) from None
    if done.returncode:
        raise _failed(command, "read", done.stderr)
    return done.stdout


_started: subprocess.Popen[bytes] | None = None  # fills the clipboard once it has the text


@contextmanager
def started() -> Iterator[None]:
    """Start the program that fills the clipboard: once the process is restricted, it can't run any. `copy` uses it."""
    global _started  # noqa: PLW0603 - as is the restriction, it is of the process
    try:
        _started = _start(_command(WRITERS))
    except Refused:
        _started = None  # `copy` says why
    try:
        yield
    finally:
        if _started:  # nothing was copied: the end of its input would empty the clipboard
            _started.kill()
            _started.wait()
            _started = None


def copy(text: str) -> None:
    """Put a text on the clipboard, or raise Refused."""
    global _started
    command = _command(WRITERS)
    process, _started = _started or _start(command), None
    try:
        process.communicate(text.encode("utf-8", "surrogateescape"), SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        raise _no_answer(command) from None
    if process.returncode:
        raise _failed(command, "fill")


def _start(command: list[str]) -> subprocess.Popen[bytes]:
    try:
        # The program goes on running to hand the text out, and must not keep our output open.
        return subprocess.Popen(  # noqa: S603 - the command is one of the table above
            command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
    except OSError as error:
        raise _cannot_run(command, error) from None


def _command(tools: tuple[ClipboardTool, ...]) -> list[str]:
    for tool in tools:
        if (not tool.needs or os.environ.get(tool.needs)) and (path := shutil.which(tool.program)):
            return [path, *tool.arguments]
    if reason := _why_none():
        raise _refused(reason)
    raise _refused("no clipboard tool was found", _INSTALL)


def _cannot_run(command: list[str], error: OSError) -> Refused:
    return _refused(f"{command[0]} can't be run: {error.strerror}")


def _no_answer(command: list[str]) -> Refused:
    return _refused(f"{command[0]} gave no answer within {SECONDS} seconds")


def _failed(command: list[str], verb: str, output: bytes = b"") -> Refused:
    first_line = output.decode("utf-8", "replace").strip().split("\n")[0]
    detail = f"{command[0]} could not {verb} the clipboard" + (f": {first_line}" if first_line else "")
    return _refused(_why_none() or detail)


def _why_none() -> str:
    """Return why there can't be a clipboard here; "" if there may be one."""
    if os.environ.get("SSH_CONNECTION") or os.environ.get("SSH_TTY"):
        return "there is no clipboard over ssh"
    if sys.platform == "linux" and not (os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")):
        return "there is no clipboard without a desktop"
    return ""


def _refused(detail: str, advice: str = _OTHERWISE) -> Refused:
    return Refused(Problem("unreadable", detail, advice=advice))
