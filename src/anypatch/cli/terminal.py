"""Standard input, output and error: colours, width, bytes, progress, questions. Knows neither reports nor commands."""

from __future__ import annotations

import os
import re
import sys
import time
from collections.abc import Callable, Iterable, Mapping
from typing import TextIO

from ..report.words import escape, quoted

_CODES = {
    "good": "32", "bad": "31;1", "dim": "2", "strong": "1", "path": "36", "add": "32", "remove": "31", "hunk": "35",
    "add_word": "32;7", "remove_word": "31;7",
}  # fmt: skip
_COLOUR = re.compile(r"\x1b\[[0-9;]*m")
_SPARE = 4  # lines of the screen beside what is shown: a summary, the question


def painter(stream: TextIO | None, when: str, environment: Mapping[str, str]) -> Callable[[str, str], str]:
    """Return the function that prepares text for a stream: coloured, made harmless for a terminal, or as it is."""
    if wants_color(is_terminal(stream), when, environment):
        return _colored
    return (lambda _, text: harmless(text)) if is_terminal(stream) else (lambda _, text: text)


def wants_color(terminal: bool, when: str, environment: Mapping[str, str]) -> bool:
    """Decide by the option; then by NO_COLOR, FORCE_COLOR, TERM=dumb, in this order; then by what the stream is."""
    if when != "auto":
        return when == "always"
    if environment.get("NO_COLOR"):
        return False
    if environment.get("FORCE_COLOR", "0") not in ("", "0"):
        return True
    return terminal and environment.get("TERM") != "dumb"


def _colored(style: str, text: str) -> str:
    code = _CODES.get(style)
    return f"\x1b[{code}m{harmless(text)}\x1b[0m" if code and text else harmless(text)


def harmless(text: str) -> str:
    """Write characters that could rewrite, or hide in, what a terminal shows as visible escapes."""
    if text.isprintable():
        return text
    return "".join([_surrogate(ord(c)) if "\ud800" <= c <= "\udfff" else c for c in quoted(text)])


def _surrogate(code: int) -> str:
    """Write a lone surrogate; if it replaces a byte that isn't UTF-8, write that byte."""
    return escape(code - 0xDC00 if 0xDC80 <= code <= 0xDCFF else code)


def for_output(lines: list[str]) -> list[str]:
    """Return lines for standard output: as they are, unless a terminal shows them."""
    return [harmless(line) for line in lines] if is_terminal(sys.stdout) else lines


def width() -> int:
    """Return how many columns there are, between 40 and 100."""
    try:
        columns = int(os.environ.get("COLUMNS") or os.get_terminal_size(1).columns)
    except (OSError, ValueError):
        columns = 80
    return max(40, min(columns, 100))


def is_terminal(stream: TextIO | None) -> bool:
    """Return True if a person sees the stream at once."""
    try:
        return stream is not None and stream.isatty()
    except ValueError:  # closed
        return False


def write(stream: TextIO | None, lines: Iterable[str]) -> str:
    """Write lines as bytes, whatever encoding the stream claims. Return what went wrong; a reader that left is fine.

    After a failure the descriptor leads to /dev/null, so that the interpreter's own flush at its end succeeds.
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


class ProgressBar:
    """A bar on a terminal that shows how far a long run is, and vanishes in the end; nothing elsewhere."""

    def __init__(self) -> None:
        self._start = self._shown = time.monotonic()
        self._visible = is_terminal(sys.stderr)
        self._first: int | None = None

    def update(self, done: int, share: float) -> None:
        """Show how many are done, and what share of all; -1 if nobody knows."""
        now = time.monotonic()
        if self._first is None:
            self._first = done
        if not self._visible or now - self._shown < 0.1:
            return
        self._shown = now
        elapsed = now - self._start
        line = f"{done:,}"
        if elapsed > 1:
            line += f"  {(done - self._first) / elapsed:,.0f}/s"
        if share > 0:
            filled = round(30 * min(share, 1))
            line = f"[{'#' * filled}{'.' * (30 - filled)}] {line}"
            if elapsed > 1:
                left = round(elapsed * (1 - share) / share)
                line += f"  {left // 3600}:{left // 60 % 60:02}:{left % 60:02} left"
        sys.stderr.write(f"\r{line}\x1b[K")
        sys.stderr.flush()

    def clear(self) -> None:
        """Remove it."""
        if self._visible and self._shown > self._start:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()


def can_ask() -> bool:
    """Return True if a person sees standard output and can answer: by standard input, or else by /dev/tty."""
    if not is_terminal(sys.stdout):
        return False
    if is_terminal(sys.stdin):
        return True
    try:
        os.close(os.open("/dev/tty", os.O_RDONLY))
    except OSError:
        return False
    return True


def height() -> int:
    """Return how many lines the terminal has."""
    try:
        return os.get_terminal_size(1).lines or 24
    except (OSError, ValueError):
        return 24


def show(lines: list[str]) -> bool:
    """Print all lines, through the pager if they don't fit on the screen; return True if they do."""
    columns = width()
    rows = sum(max(-(-len(_COLOUR.sub("", line)) // columns), 1) for line in lines)
    fits = rows < height() - _SPARE
    if fits or not _page(lines):
        write(sys.stdout, lines)
    return fits


def _page(lines: list[str]) -> bool:
    """Show lines in the pager that git would use; False if there is none, or it failed."""
    import subprocess

    pager = _pager()
    if pager in ("", "cat") or os.environ.get("TERM", "dumb") == "dumb":
        return False
    environment = {"LESS": "FRX", "LV": "-c", **os.environ}
    text = "".join(f"{line}\n" for line in lines).encode("utf-8", "surrogateescape")
    try:
        done = subprocess.run(pager, shell=True, input=text, env=environment, check=False)  # noqa: S602 - as git does
    except OSError:
        return False
    return done.returncode == 0


def _pager() -> str:
    """Return $GIT_PAGER, the user's core.pager (such as delta), $PAGER, or less; nothing that the tree configures."""
    import subprocess

    if (named := os.environ.get("GIT_PAGER")) is not None:
        return named
    try:
        command = ["git", "config", "--global", "core.pager"]
        configured = subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()  # noqa: S603
    except OSError:
        configured = ""
    return configured or os.environ.get("PAGER", "less")


def ask(question: str, *, default: bool) -> bool:
    """Ask a question with yes or no on the terminal; Enter is the default, and the end of the input a no."""
    answer = reply(f"{question} {'[Y/n]' if default else '[y/N]'} ")
    return answer is not None and (answer.strip().lower() or ("y" if default else "n")) in ("y", "yes")


def reply(question: str) -> str | None:
    """Ask on the terminal and return the line that is typed; None at its end."""
    sys.stdout.write(question)
    sys.stdout.flush()
    try:
        if is_terminal(sys.stdin):
            line = sys.stdin.readline()
        else:
            with open("/dev/tty", encoding="utf-8", errors="replace") as keys:
                line = keys.readline()
    except KeyboardInterrupt:
        sys.stdout.write("\n")  # so that the message about it begins a line
        raise
    return line or None
