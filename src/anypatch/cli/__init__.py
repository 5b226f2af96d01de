"""The command line. It alone prints, reads arguments and exits; a traceback never leaves it.

A command's module is imported when the command runs.
"""

from __future__ import annotations

import gc
import logging
import os
import sys
from argparse import Namespace
from collections.abc import Callable, Sequence
from importlib import import_module

from ..problems import Problem, Refused, in_a_line
from ..result import no_plan
from . import landlock, terminal
from .inputs import locate_root
from .options import COMMANDS
from .output import Output, as_output
from .parser import BadCall, HelpRequested, defaults, parse

_SEE_LOG = "See `anypatch log` to find out whether anything was applied."


def program() -> None:
    """Run as the console script, and exit without freeing memory: for a large heap that takes longer than a patch."""
    gc.disable()
    landlock.owns_process = True
    code = main()
    for stream in (sys.stdout, sys.stderr):
        try:
            if stream is not None:  # None: it was closed when the process began
                stream.flush()
        except (OSError, ValueError):
            code = code or 3
    os._exit(code)


def main() -> int:
    """Run the program with the process's arguments; return the exit code."""
    arguments = sys.argv[1:]
    debug = os.environ.get("ANYPATCH_DEBUG") == "1"
    if debug:
        logging.basicConfig(level=logging.DEBUG, format="%(name)s: %(message)s")
    sys.unraisablehook = lambda _: None  # an interrupt in a callback of the interpreter's own prints no traceback
    try:
        return _print(_run(arguments))
    except KeyboardInterrupt:
        return _stop(arguments, "interrupted", 130, _SEE_LOG if landlock.may_write else "Nothing was changed.")
    except Exception as error:
        if debug:
            raise
        why = f"internal error of anypatch itself ({terminal.harmless(in_a_line(error))}); please report it"
        return _stop(arguments, why, 3, _SEE_LOG)


def _run(arguments: Sequence[str]) -> Output:
    try:
        args = parse(arguments, piped=not terminal.is_terminal(sys.stdin))
    except HelpRequested as help_text:
        return Output(0, str(help_text).splitlines(), [])
    except BadCall as error:
        if arguments[0] == "hook" and all(word.startswith("-") for word in arguments[1:]):
            return Output(0, [], [f"anypatch hook: {error}"])  # called by an agent: exit code 2 would stop its edit
        name = f" {arguments[0]}" if arguments[0] in COMMANDS else ""
        return _refusal(arguments, Problem("bad_call", str(error), advice=f"See `anypatch{name} --help`."))
    try:
        module = COMMANDS[args.command].module if args.command in COMMANDS else "information"
        run: Callable[[Namespace], Output] = getattr(import_module(f".{module}", __name__), f"run_{args.command}")
        if args.command != "hook":
            locate_root(args)
        return run(args)
    except Refused as refused:
        return as_output(args, no_plan(*refused.problems))


def _refusal(arguments: Sequence[str], problem: Problem) -> Output:
    """Report a problem with arguments that may not be readable: --json counts in any case."""
    options = arguments[: arguments.index("--")] if "--" in arguments else arguments
    return as_output(Namespace(**defaults() | {"json": "--json" in options}), no_plan(problem))


def _print(output: Output) -> int:
    """Print the output, and return the exit code. Once the tree is changed, a lost report doesn't change the code."""
    terminal.write(sys.stderr, output.err)
    error = terminal.write(sys.stdout, output.out)
    if not error:
        return output.code
    terminal.write(sys.stderr, [f"anypatch: the report could not be written: {error}"])
    return output.code if output.wrote else 3


def _stop(arguments: Sequence[str], why: str, code: int, advice: str) -> int:
    """Report why a run ended early."""
    terminal.write(sys.stdout, _refusal(arguments, Problem("io", why, advice=advice)).out)
    terminal.write(sys.stderr, [f"anypatch: {why}. {advice}"])
    return code
