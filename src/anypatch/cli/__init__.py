"""The command line. Reads arguments, prints, and ends with an exit code; a traceback never leaves it.

Arguments are read by hand (see `options`): argparse alone costs 4 to 10 ms of a 35 ms run. Whatever a command
needs is imported when the command runs.
"""

from __future__ import annotations

import gc
import os
import sys

from . import terminal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from .shared import Result


def program() -> None:
    """The console script: run and leave at once. Taking a large heap apart costs more than many a patch."""
    gc.disable()
    terminal.alone = True
    code = main()
    for stream in (sys.stdout, sys.stderr):
        try:
            if stream is not None:  # None: it was closed when the process began
                stream.flush()
        except (OSError, ValueError):
            code = code or 3
    os._exit(code)


def main() -> int:
    """Run the program with the process's arguments; the exit code."""
    arguments = sys.argv[1:]
    sys.unraisablehook = _unheard
    try:
        return _finish(_answer(arguments))
    except KeyboardInterrupt:
        return _stopped(arguments, "interrupted", 130)
    except Exception as error:
        if os.environ.get("ANYPATCH_DEBUG") == "1":
            raise
        return _stopped(arguments, _apology(error), 3)


def _unheard(_: object) -> None:
    """An interrupt in a callback of the interpreter's own is lost, but prints no traceback."""


def _answer(arguments: Sequence[str]) -> Result:
    from ..problems import Problem
    from .commands import run
    from .options import BadCall, parse
    from .shared import refusal

    try:
        call = parse(arguments)
    except BadCall as error:
        return refusal(
            (Problem("bad_call", str(error), advice=_where_help(arguments)),), as_json=_wants_json(arguments)
        )
    return run(call)


def _finish(result: Result) -> int:
    """Print the result. Once the tree is changed, a lost report is told but changes no exit code."""
    terminal.write(sys.stderr, result.err)
    lost = terminal.write(sys.stdout, result.out)
    if not lost:
        return result.code
    terminal.write(sys.stderr, [f"anypatch: the report could not be written: {lost}"])
    return result.code if result.wrote else 3


def _stopped(arguments: Sequence[str], why: str, code: int) -> int:
    """The last words of a run that ended before its report."""
    if _wants_json(arguments):
        from ..problems import Problem
        from .shared import refusal

        terminal.write(sys.stdout, refusal((Problem("io", why, advice=_LOOK),), as_json=True).out)
    terminal.write(sys.stderr, [f"anypatch: {why}. {_LOOK}"])
    return code


_LOOK = "See `anypatch log` for whether anything was applied."


def _apology(error: Exception) -> str:
    told = " ".join(f"{type(error).__name__}: {error}".split())[:200]
    return f"an error of anypatch itself ({terminal.harmless(told)}); please report it"


def _wants_json(arguments: Sequence[str]) -> bool:
    """Whether --json stands among the options, also when the rest cannot be read."""
    options = arguments[: arguments.index("--")] if "--" in arguments else arguments
    return "--json" in options


def _where_help(arguments: Sequence[str]) -> str:
    from .options import COMMANDS

    named = next((c.name for c in COMMANDS if c.name in arguments[:1]), "")
    return f"See anypatch {named} --help" if named else "See anypatch --help"
