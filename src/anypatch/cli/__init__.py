"""The command line. Reads arguments, prints, and ends with an exit code; a traceback never leaves it.

Whatever a command needs is imported when the command runs.
"""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Callable, Sequence
from importlib import import_module

from ..problems import Problem, Refused, in_a_line
from . import terminal
from .options import COMMANDS, BadCall, Call, implied, parse
from .shared import Output, located, reported

# Where each command is: `run_NAME` in that module, which is loaded when it runs. Agents wait for mcp and hook: their
# modules load the engine only when there is something to do.
_HOMES = {
    "commands": "apply check diff undo redo recover log show explain batch formats prompt completions help version "
    "usage",
    "writing": "make convert invert schema tokens",
    "symbols": "outline read rename",
    "serve": "mcp",
    "hook": "hook",
}


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
    sys.unraisablehook = lambda _: None  # an interrupt in a callback of the interpreter's own prints no traceback
    try:
        return _finish(_answer(arguments))
    except KeyboardInterrupt:
        return _stopped(arguments, "interrupted", 130, _LOOK if terminal.writes else "Nothing was changed.")
    except Exception as error:
        if os.environ.get("ANYPATCH_DEBUG") == "1":
            raise
        why = f"internal error of anypatch itself ({terminal.harmless(in_a_line(error))}); please report it"
        return _stopped(arguments, why, 3, _LOOK)


def _answer(arguments: Sequence[str]) -> Output:
    try:
        arguments = implied(arguments, piped=not terminal.is_terminal(sys.stdin))
        call = parse(arguments)
    except BadCall as error:
        if arguments[:1] == ["hook"] and "install" not in arguments:  # an exit code of 2 would stop the agent's edit
            return Output(0, [], [f"anypatch hook: {error}"])
        named = next((f" {c.name}" for c in COMMANDS if c.name in arguments[:1]), "")
        return _refusal(arguments, Problem("bad_call", str(error), advice=f"See `anypatch{named} --help`."))
    try:
        home = next(module for module, commands in _HOMES.items() if call.command in commands.split())
        run: Callable[[Call], Output] = getattr(import_module(f".{home}", __name__), f"run_{call.command}")
        return run(call if call.command == "hook" else located(call))
    except Refused as refused:
        from ..result import no_plan

        return reported(call, no_plan(*refused.problems))


def _refusal(arguments: Sequence[str], problem: Problem) -> Output:
    """The result of a call that could not be read, or ended early; --json counts also where the rest can't be read."""
    from ..result import no_plan

    options = arguments[: arguments.index("--")] if "--" in arguments else arguments
    return reported(Call("", None, {"json": ""} if "--json" in options else {}), no_plan(problem))


def _finish(result: Output) -> int:
    """Print the result. Once the tree is changed, a lost report is told but changes no exit code."""
    terminal.write(sys.stderr, result.err)
    lost = terminal.write(sys.stdout, result.out)
    if not lost:
        return result.code
    terminal.write(sys.stderr, [f"anypatch: the report could not be written: {lost}"])
    return result.code if result.wrote else 3


def _stopped(arguments: Sequence[str], why: str, code: int, advice: str) -> int:
    """The last words of a run that ended before its report."""
    terminal.write(sys.stdout, _refusal(arguments, Problem("io", why, advice=advice)).out)
    terminal.write(sys.stderr, [f"anypatch: {why}. {advice}"])
    return code


_LOOK = "See `anypatch log` to find out whether anything was applied."
