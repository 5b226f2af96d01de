"""The clipboard, by whichever tool the system has. Reads only; imports what is heavy when it is used."""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

# The tool, its arguments, and the variable without which it cannot work.
TOOLS = (
    ("wl-paste", ("--no-newline",), "WAYLAND_DISPLAY"),
    ("xclip", ("-selection", "clipboard", "-out"), ""),
    ("xsel", ("--clipboard", "--output"), ""),
    ("pbpaste", (), ""),
    (
        "powershell.exe",
        ("-NoProfile", "-Command", "[Console]::OutputEncoding=[Text.Encoding]::UTF8; Get-Clipboard -Raw"),
        "",
    ),
)
SECONDS = 10


class NoClipboard(Exception):
    """The clipboard cannot be read; the text says why in one sentence."""


def paste(environment: Mapping[str, str]) -> bytes:
    """What is on the clipboard, or NoClipboard."""
    command = find(environment)
    if not command:
        raise NoClipboard(
            "no clipboard tool was found: install wl-clipboard, xclip or xsel, or give the patch as a file"
        )
    import subprocess

    try:
        done = subprocess.run(  # noqa: S603 - the command is one of the table above
            command, stdin=subprocess.DEVNULL, capture_output=True, timeout=SECONDS, check=False
        )
    except subprocess.TimeoutExpired:
        raise NoClipboard(f"{command[0]} gave no answer within {SECONDS} seconds") from None
    except OSError as error:
        raise NoClipboard(f"{command[0]} cannot be run: {error.strerror}") from None
    if done.returncode:
        said = done.stderr.decode("utf-8", "replace").strip().split("\n")[0]
        raise NoClipboard(f"{command[0]} could not read the clipboard" + (f": {said}" if said else ""))
    return done.stdout


def find(environment: Mapping[str, str]) -> list[str]:
    """The command that prints the clipboard: the first tool of the table that is on PATH; empty for none."""
    folders = [folder for folder in environment.get("PATH", "").split(os.pathsep) if folder]
    for tool, arguments, needed in TOOLS:
        if needed and not environment.get(needed):
            continue
        for folder in folders:
            path = os.path.join(folder, tool)
            if os.path.isfile(path) and os.access(path, os.X_OK):
                return [path, *arguments]
    return []
