"""The command `completions`: a script for a shell, written by shtab from the parser."""

from __future__ import annotations

from argparse import Action, Namespace

import shtab

from ..formats import names
from .options import COMMANDS, GLOBAL, Argument, Option
from .output import Output
from .parser import CommandParser, add_option, add_rows

_LIST_RECEIPTS = "anypatch log 2>/dev/null | grep -v -e '(undone)' -e '^hook' | cut -d' ' -f1"
# For zsh, shtab.cmd would list the receipts only once, when the script is loaded.
_ZSH_RECEIPTS = f'_anypatch_receipts() {{ compadd -- ${{(f)"$({_LIST_RECEIPTS})"}} }}'
_RECEIPTS = shtab.cmd(_LIST_RECEIPTS) | {"zsh": "_anypatch_receipts"}
# How to complete arguments and values of options, by their metavar.
_COMPLETE = {"DIR": shtab.DIRECTORY, "ID": _RECEIPTS} | dict.fromkeys(
    ("ANSWER", "ANSWERS", "FILE", "NEW", "OLD", "PATH", "REPORT", "RESULTS"), shtab.FILE
)


def run_completions(args: Namespace) -> Output:
    """Print a completion script."""
    return Output(0, script(args.shell).rstrip("\n").split("\n"), [])


def script(shell: str) -> str:
    """Return the completion script for a shell."""
    parser = CommandParser()
    actions: list[tuple[Argument | Option, Action]] = [(option, add_option(parser, option)) for option in GLOBAL]
    commands = parser.add_subparsers(metavar="COMMAND")
    for command in COMMANDS.values():
        actions += add_rows(commands.add_parser(command.name, help=command.summary), command)
    for row, action in actions:
        if row.metavar in _COMPLETE:
            action.complete = _COMPLETE[row.metavar]  # type: ignore[attr-defined]
        elif row.dest in ("format", "to"):
            action.choices = names()
        elif row.dest == "topic":
            action.choices = list(COMMANDS)
    text = shtab.complete(parser, shell, preamble=_ZSH_RECEIPTS if shell == "zsh" else "")
    # `anypatch answer.md` has no command, so bash completes files if no command fits.
    return text.replace("complete -o bashdefault", "complete -o bashdefault -o default")
