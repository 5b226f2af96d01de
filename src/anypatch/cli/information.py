"""The commands that tell about formats and commands: formats, prompt, schema, help, version, completions."""

from __future__ import annotations

import json
import sys
import textwrap
from argparse import Action, Namespace

from .. import __version__
from ..formats import grammar, known, named, names, schema
from ..problems import Problem, Refused
from ..report.json import json_text
from . import terminal
from .options import COMMANDS, GLOBAL, Argument, Option
from .output import Output, painter
from .parser import CommandParser, add_option, add_rows, command_parser, no_command, program_help


def run_formats(args: Namespace) -> Output:
    """List the formats that are understood."""
    formats = known()
    if args.json:
        rows = [{"name": format.name, "summary": format.summary, "can": sorted(format.can)} for format in formats]
        return Output(0, [json_text({"ok": True, "formats": rows})], [])
    paint = painter(args)
    column = max(len(format.name) for format in formats) + 2
    room = terminal.width() - column if terminal.is_terminal(sys.stdout) else 10_000
    lines: list[str] = []
    for format in formats:
        first, *more = textwrap.wrap(format.summary, room, break_on_hyphens=False)
        lines.append(paint("path", format.name) + " " * (column - len(format.name)) + first)
        lines += [" " * column + line for line in more]
    return Output(0, lines, [])


def run_prompt(args: Namespace) -> Output:
    """Print the text that teaches a format."""
    return Output(0, named(args.format).prompt.rstrip("\n").split("\n"), [])


def run_schema(args: Namespace) -> Output:
    """Print the definition of a tool, or the grammar of a text format."""
    if args.lark:
        return Output(0, grammar(args.format).removesuffix("\n").split("\n"), [])
    tool = schema(named(args.format).name, args.vendor or "mcp")
    return Output(0, json.dumps(tool, indent=2, ensure_ascii=False).split("\n"), [])


def run_help(args: Namespace) -> Output:
    """Print the help of the program, or of a command."""
    if args.topic and args.topic not in COMMANDS:
        raise Refused(Problem("bad_call", no_command(args.topic), advice="See `anypatch --help`."))
    text = command_parser(COMMANDS[args.topic]).format_help() if args.topic else program_help()
    return Output(0, text.splitlines(), [])


def run_usage(args: Namespace) -> Output:
    """Print the help as an error, because there is no command."""
    return Output(2, [], run_help(args).out)


def run_version(args: Namespace) -> Output:
    """Print the version."""
    return Output(0, [f"anypatch {__version__}"], [])


# ── completions ──────────────────────────────────────────────────────────────────────────────────

_LIST_RECEIPTS = "anypatch log 2>/dev/null | grep -v -e '(undone)' -e '^hook' | cut -d' ' -f1"
# For zsh, shtab.cmd would list the receipts only once, when the script is loaded.
_ZSH_RECEIPTS = f'_anypatch_receipts() {{ compadd -- ${{(f)"$({_LIST_RECEIPTS})"}} }}'
# Arguments and values of options that are files, by their metavar.
_FILES = ("ANSWER", "ANSWERS", "FILE", "NEW", "OLD", "PATH", "REPORT", "RESULTS")


def run_completions(args: Namespace) -> Output:
    """Print a completion script."""
    return Output(0, completions(args.shell).rstrip("\n").split("\n"), [])


def completions(shell: str) -> str:
    """Return the completion script for a shell, which shtab writes from the parser."""
    import shtab

    receipts = shtab.cmd(_LIST_RECEIPTS) | {"zsh": "_anypatch_receipts"}
    complete = {"DIR": shtab.DIRECTORY, "ID": receipts} | dict.fromkeys(_FILES, shtab.FILE)
    parser = CommandParser()
    actions: list[tuple[Argument | Option, Action]] = [(option, add_option(parser, option)) for option in GLOBAL]
    commands = parser.add_subparsers(metavar="COMMAND")
    for command in COMMANDS.values():
        actions += add_rows(commands.add_parser(command.name, help=command.summary), command)
    for row, action in actions:
        if row.metavar in complete:
            action.complete = complete[row.metavar]  # type: ignore[attr-defined]
        elif row.dest in ("format", "to"):
            action.choices = names()
        elif row.dest == "topic":
            action.choices = list(COMMANDS)
    text = shtab.complete(parser, shell, preamble=_ZSH_RECEIPTS if shell == "zsh" else "")
    # `anypatch answer.md` has no command, so bash completes files if no command fits.
    return text.replace("complete -o bashdefault", "complete -o bashdefault -o default")
