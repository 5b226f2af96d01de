"""What standard output and error can take: colours, width, bytes. Knows no report and no command."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING

from ..problems import Problem, Refused

if TYPE_CHECKING:
    from typing import TextIO

    Tools = tuple[tuple[str, tuple[str, ...], str], ...]

# Whether this process is the program and nothing else: what holds for a whole process is done only then.
alone = False
# Whether files may have been changed: set just before the first of them can be.
writes = False

_CODES = {
    "good": "32", "bad": "31;1", "dim": "2", "strong": "1", "path": "36", "add": "32", "remove": "31", "hunk": "35",
}  # fmt: skip


def painter(stream: TextIO | None, when: str, environment: Mapping[str, str]) -> Callable[[str, str], str]:
    """How text is put on that stream: coloured, made harmless for a terminal, or as it is."""
    terminal = is_terminal(stream)
    if wants_color(terminal, when, environment):
        return _colored
    return (lambda _, text: harmless(text)) if terminal else (lambda _, text: text)


def wants_color(terminal: bool, when: str, environment: Mapping[str, str]) -> bool:
    """The option decides; then NO_COLOR, FORCE_COLOR, TERM=dumb, in this order; then whether it is a terminal."""
    if when != "auto":
        return when == "always"
    if environment.get("NO_COLOR"):
        return False
    if environment.get("FORCE_COLOR", "0") not in ("", "0"):
        return True
    return terminal and environment.get("TERM") != "dumb"


def harmless(text: str) -> str:
    """What could rewrite, or hide in, what a terminal shows, as visible escapes."""
    if text.isprintable():
        return text
    from ..report.words import quoted

    return "".join([_shown(ord(c)) if "\ud800" <= c <= "\udfff" else c for c in quoted(text)])


def for_output(lines: list[str]) -> list[str]:
    """Lines for standard output: as they are, but where a terminal shows them."""
    return [harmless(line) for line in lines] if is_terminal(sys.stdout) else lines


def width() -> int:
    """How many columns help may use."""
    try:
        columns = int(os.environ.get("COLUMNS") or os.get_terminal_size(1).columns)
    except (OSError, ValueError):
        columns = 80
    return max(40, min(columns, 100))


def write(stream: TextIO | None, lines: Iterable[str]) -> str:
    """Write lines as bytes, whatever encoding the stream claims. Says what went wrong; a reader that left is nothing.

    After a failure the descriptor leads nowhere, so that the interpreter's own flush at its end is quiet too.
    """
    text = "".join([f"{line}\n" for line in lines])
    if stream is None or not text:
        return ""
    try:
        data = text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        data = text.encode("utf-8", "backslashreplace")
    try:
        stream.flush()
        stream.buffer.write(data)
        stream.buffer.flush()
    except BrokenPipeError:
        _lead_nowhere(stream)
    except OSError as error:
        _lead_nowhere(stream)
        return error.strerror or type(error).__name__
    return ""


def _lead_nowhere(stream: TextIO) -> None:
    try:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
        os.close(nowhere)
    except OSError:
        sys.stdout = sys.stderr = None


def is_terminal(stream: TextIO | None) -> bool:
    """Whether a person sees that stream at once."""
    try:
        return stream is not None and stream.isatty()
    except ValueError:  # closed
        return False


def _colored(style: str, text: str) -> str:
    code = _CODES.get(style)
    return f"\x1b[{code}m{harmless(text)}\x1b[0m" if code and text else harmless(text)


def _shown(surrogate: int) -> str:
    """A lone surrogate; one of a byte that is no UTF-8 as this byte."""
    from ..report.words import escape

    return escape(surrogate - 0xDC00 if 0xDC80 <= surrogate <= 0xDCFF else surrogate)


class Bar:
    """A bar on a terminal that tells how far a long run is, and goes in the end; nothing elsewhere."""

    def __init__(self) -> None:
        self._clock = time.monotonic
        self._start = self._shown = self._clock()
        self._visible = is_terminal(sys.stderr)
        self._first: int | None = None

    def tell(self, done: int, share: float) -> None:
        """How many are done, and what share of all; -1 where nobody knows."""
        now = self._clock()
        if self._first is None:
            self._first = done
        if not self._visible or now - self._shown < 0.1:
            return
        self._shown = now
        passed = now - self._start
        line = f"{done:,}"
        if passed > 1:
            line += f"  {(done - self._first) / passed:,.0f}/s"
        if share > 0:
            filled = round(30 * min(share, 1))
            line = f"[{'#' * filled}{'.' * (30 - filled)}] {line}"
            if passed > 1:
                left = round(passed * (1 - share) / share)
                line += f"  {left // 3600}:{left // 60 % 60:02}:{left % 60:02} left"
        sys.stderr.write(f"\r{line}\x1b[K")
        sys.stderr.flush()

    def clear(self) -> None:
        """Take it away."""
        if self._visible and self._shown > self._start:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()


# ── the clipboard ───────────────────────────────────────────────────────────────────────────────────


# Tools that print the clipboard and that fill it: their arguments, and the variable without which they cannot work.
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
FILLERS = (
    ("wl-copy", (), "WAYLAND_DISPLAY"),
    ("xclip", ("-selection", "clipboard", "-in"), ""),
    ("xsel", ("--clipboard", "--input"), ""),
    ("pbcopy", (), ""),
    ("clip.exe", (), ""),
)
SECONDS = 10


def paste() -> bytes:
    """What is on the clipboard, or Refused."""
    return _with_clipboard(TOOLS, "read", None)


def copy(text: str) -> None:
    """Put a text on the clipboard, or Refused."""
    _with_clipboard(FILLERS, "fill", text.encode("utf-8", "surrogateescape"))


def _with_clipboard(tools: Tools, doing: str, data: bytes | None) -> bytes:
    import subprocess

    command = clipboard_command(tools)
    if not command:
        raise _unreadable(_no_clipboard() or "no clipboard tool was found", "" if _no_clipboard() else _INSTALL)
    # A tool that fills it stays behind to hand it out, and must not keep our output open.
    taken = subprocess.PIPE if data is None else subprocess.DEVNULL
    try:
        done = subprocess.run(  # noqa: S603 - the command is one of the tables above
            command, input=data if data is not None else b"", stdout=taken, stderr=taken, timeout=SECONDS, check=False
        )
    except subprocess.TimeoutExpired:
        raise _unreadable(f"{command[0]} gave no answer within {SECONDS} seconds") from None
    except OSError as error:
        raise _unreadable(f"{command[0]} can't be run: {error.strerror}") from None
    if done.returncode:
        why = (done.stderr or b"").decode("utf-8", "replace").strip().split("\n")[0]
        told = f"{command[0]} could not {doing} the clipboard" + (f": {why}" if why else "")
        raise _unreadable(_no_clipboard() or told)
    return done.stdout or b""


_INSTALL = "Install wl-clipboard, xclip or xsel, or give the answer as a file."
_OTHERWISE = "Give the answer as a file, pipe it, or paste it into the terminal."


def _no_clipboard() -> str:
    """Why there can't be a clipboard here; "" where there may be one."""
    if os.environ.get("SSH_CONNECTION") or os.environ.get("SSH_TTY"):
        return "there is no clipboard over ssh"
    if sys.platform == "linux" and not (os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")):
        return "there is no clipboard without a desktop"
    return ""


def clipboard_command(tools: Tools) -> list[str]:
    """The first tool of a table that is on PATH and can work, with its arguments; empty for none."""
    from shutil import which

    for tool, arguments, needed in tools:
        if (not needed or os.environ.get(needed)) and (path := which(tool)):
            return [path, *arguments]
    return []


def _unreadable(detail: str, advice: str = "") -> Refused:
    return Refused(Problem("unreadable", detail, advice=advice or _OTHERWISE))


# ── questions ───────────────────────────────────────────────────────────────────────────────────────


def can_ask() -> bool:
    """Whether a person sees standard output and can answer: by standard input, or by the terminal behind it."""
    if not is_terminal(sys.stdout):
        return False
    if is_terminal(sys.stdin):
        return True
    try:
        os.close(os.open("/dev/tty", os.O_RDONLY))
    except OSError:
        return False
    return True


def ask(question: str) -> bool:
    """A question on the terminal; Enter is a yes."""
    sys.stdout.write(question)
    sys.stdout.flush()
    try:
        if is_terminal(sys.stdin):
            said = sys.stdin.readline()
        else:
            with open("/dev/tty", encoding="utf-8", errors="replace") as keys:
                said = keys.readline()
    except KeyboardInterrupt:
        sys.stdout.write("\n")  # what is said of it begins a line
        raise
    return bool(said) and said.strip().lower() in ("", "y", "yes")
