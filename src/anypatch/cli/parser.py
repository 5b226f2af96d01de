"""Parse the command line with argparse, and write the help. Everything is built from the table in `options`."""

from __future__ import annotations

import argparse
import textwrap
from collections.abc import Iterable, Sequence
from typing import Any, NoReturn

from ..similarity import did_you_mean
from . import terminal
from .options import (
    ABOUT,
    COLOR,
    COMMANDS,
    EXAMPLES,
    EXIT_CODES,
    GLOBAL,
    GROUPS,
    HELP,
    NUL,
    ROOT,
    VERSION,
    Argument,
    Command,
    Option,
    without_mark,
)

_NARROW = 60  # columns; below, the text of a row goes on the line after its name
_MANY_OPTIONS = 12  # more are listed in groups


class BadCall(Exception):
    """The arguments can't be understood; the text says why in one sentence."""


class HelpRequested(Exception):
    """-h was given; the text is the help."""


class CommandParser(argparse.ArgumentParser):
    """A parser that raises BadCall and HelpRequested, where argparse prints and exits."""

    def __init__(self, prog: str = "anypatch", **options: Any) -> None:
        super().__init__(prog, add_help=False, allow_abbrev=False, formatter_class=_Formatter, **options)
        self.color = False  # Python 3.14 would colour the help

    def error(self, message: str) -> NoReturn:
        """Raise BadCall."""
        raise BadCall(message.removeprefix("argument "))

    def print_help(self, file: object = None) -> NoReturn:
        """Raise HelpRequested."""
        raise HelpRequested(self.format_help())


# ── parsing ──────────────────────────────────────────────────────────────────────────────────────


def parse(arguments: Sequence[str], *, piped: bool = False) -> argparse.Namespace:
    """Parse the arguments of the program.

    `command` of the result is the command's name; an option that the command doesn't have is None. `piped`: standard
    input isn't a terminal. Raises BadCall or HelpRequested.
    """
    name, rest = split_command(arguments, piped=piped)
    namespace = argparse.Namespace(**defaults() | {"command": name})
    if name not in COMMANDS:
        return namespace
    command = COMMANDS[name]
    optional = [flag for option in command.options if option.optional for flag in option.flags.split()]
    end = rest.index("--") if "--" in rest else len(rest)
    # `--fix answer.md` is a flag and a file: argparse would take the file for the value.
    words = [f"{word}={NUL}" if word in optional else word for word in rest[:end]]
    # Intermixed arguments lose the `--` in Python 3.11, so a NUL marks what isn't an option.
    words += [NUL + word for word in rest[end + 1 :]]
    parsed, unknown = command_parser(command).parse_known_intermixed_args(words, namespace)
    if unknown:
        raise BadCall(_unknown(command, unknown))
    _check_together(parsed)
    return parsed


def defaults() -> dict[str, object]:
    """Return the attributes of parsed arguments, for all commands, if nothing is given."""
    names = [row.dest for command in COMMANDS.values() for row in command.options]
    names += [row.dest for command in COMMANDS.values() for row in command.arguments]
    return {"command": "", "subfolder": "", "root_is_given": False} | dict.fromkeys(names)


def split_command(arguments: Sequence[str], *, piped: bool) -> tuple[str, list[str]]:
    """Return the name of the command, and its arguments.

    `apply` may be left out: `anypatch answer.md`, `anypatch --paste`, `cat answer.md | anypatch`. -C and --color may
    come before the command, as for git and make. "version" and "usage" (for no arguments at all) are returned, too.
    """
    end = 0
    leading = tuple(_flags([ROOT, COLOR]))
    while end < len(arguments) and arguments[end].startswith(leading):
        end += 2 if arguments[end] in leading else 1
    before, rest = list(arguments[:end]), list(arguments[end:])
    if not rest:
        return ("apply", before) if piped or before else ("usage", [])
    for name, option in (("help", HELP), ("version", VERSION)):
        if rest[0] in option.flags.split():
            return name, before
    if rest[0] in COMMANDS:
        return rest[0], [*before, *rest[1:]]
    _check_is_for_apply(rest[0])
    return "apply", [*before, *rest]


def _check_is_for_apply(word: str) -> None:
    """Raise BadCall unless the first word is a file or an option of apply."""
    flag = word.partition("=")[0] if word.startswith("--") else word[:2]
    if word == "-" or "." in word or "/" in word or flag in _flags(COMMANDS["apply"].options):
        return
    if not word.startswith("-"):
        raise BadCall(no_command(word))
    if flag in _flags(option for command in COMMANDS.values() for option in command.options):
        raise BadCall(f"{flag} goes after the command: anypatch COMMAND {flag}")
    raise BadCall(f"anypatch has no option {flag!r}")


def no_command(name: str) -> str:
    """Return the error for a name that isn't a command, with the nearest one."""
    return f"there is no command {name!r}{_suggestion(name, COMMANDS)}"


def _unknown(command: Command, words: Sequence[str]) -> str:
    option = next((word.partition("=")[0] for word in words if word.startswith("-")), "")
    if option:
        return f"{command.name} has no option {option!r}{_suggestion(option, _flags(command.options))}"
    takes = " and ".join(argument.metavar for argument in command.arguments) or "no argument"
    return f"{command.name} takes {takes}, but there is also {without_mark(words[0])!r}"


def _suggestion(word: str, known: Iterable[str]) -> str:
    question = did_you_mean(word, known)
    return f"; {question}" if question else ""


def _flags(options: Iterable[Option]) -> list[str]:
    return [flag for option in options for flag in option.flags.split()]


def _check_together(parsed: argparse.Namespace) -> None:
    """Check what argparse can't: intermixed arguments rule out a file in an exclusive group."""
    if parsed.answer == "-":
        if parsed.paste:
            raise BadCall("- and --paste can't be used together")
    elif parsed.answer is not None and not parsed.git and (parsed.paste or parsed.stdin):
        raise BadCall(f"a file and {'--paste' if parsed.paste else '--stdin'} can't be used together")
    if parsed.id is not None and (
        option := next((name for name in ("turn", "since", "all") if getattr(parsed, name)), "")
    ):
        raise BadCall(f"an ID and --{option} can't be used together")
    if parsed.rest and not parsed.partial:
        raise BadCall("--rest needs --partial")


# ── building the parser ──────────────────────────────────────────────────────────────────────────


def command_parser(command: Command) -> CommandParser:
    """Return the parser of one command."""
    lines = [f"  {title}: {line}" for title, line in command.copied]
    parser = CommandParser(
        usage=_usage(f"anypatch {command.synopsis} [OPTIONS]"),
        description=f"{command.sentence}\n\n{command.about}".strip(),
        epilog="\n".join(["for each agent:", *lines]) if lines else None,
    )
    add_rows(parser, command)
    return parser


def add_rows(parser: CommandParser, command: Command) -> list[tuple[Argument | Option, argparse.Action]]:
    """Add a command's arguments and options to a parser; return the action that each became."""
    added: list[tuple[Argument | Option, argparse.Action]] = []
    arguments = parser.add_argument_group("arguments")
    for argument in command.arguments:
        choices = argument.choices or None
        action = arguments.add_argument(
            argument.dest, metavar=argument.metavar, type=without_mark, help=argument.description, nargs=argument.nargs,
            choices=choices,
        )  # fmt: skip
        added.append((argument, action))
    in_groups = len(command.options) > _MANY_OPTIONS
    groups: dict[str, argparse._ArgumentGroup] = {}
    exclusive: dict[str, argparse._MutuallyExclusiveGroup] = {}
    for option in command.options:
        title = option.group if in_groups else "options"
        group = groups.get(title) or groups.setdefault(title, parser.add_argument_group(title))
        if option.exclusive:
            word = option.exclusive
            group = exclusive.get(word) or exclusive.setdefault(word, group.add_mutually_exclusive_group())
        added.append((option, add_option(group, option)))
    return added


def add_option(group: argparse._ActionsContainer, option: Option) -> argparse.Action:
    """Add an option to a parser or to a group in it."""
    flags, text = option.flags.split(), option.description
    if option is HELP:
        return group.add_argument(*flags, action="help", help=text)
    if not option.metavar:
        return group.add_argument(*flags, action="store_const", const=option.const, dest=option.dest, help=text)
    return group.add_argument(
        *flags, action="append" if option.repeated else "store", dest=option.dest, metavar=option.metavar,
        type=option.type, choices=option.choices or None, nargs="?" if option.optional else None,
        required=option.required, help=text,
    )  # fmt: skip


# ── help ─────────────────────────────────────────────────────────────────────────────────────────


class _Formatter(argparse.HelpFormatter):
    """Help for the width of the terminal. Words aren't broken at hyphens, and indented lines are left as they are."""

    def __init__(self, prog: str) -> None:
        width = terminal.width()
        super().__init__(prog, max_help_position=6 if width < _NARROW else 30, width=width)

    def _format_action_invocation(self, action: argparse.Action) -> str:
        """Write `-C, --root DIR` where Python 3.12 writes `-C DIR, --root DIR`."""
        if not action.option_strings or action.nargs == 0:
            return super()._format_action_invocation(action)
        value = f"[={action.metavar}]" if action.nargs == "?" else f" {action.metavar}"
        return ", ".join(action.option_strings) + value

    def _split_lines(self, text: str, width: int) -> list[str]:
        return _wrap(text, width)

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        lines: list[str] = []
        for line in text.split("\n"):
            lines += [line] if line.startswith("  ") or not line else _wrap(line, width)
        return "\n".join(lines)


def program_help() -> str:
    """Return the help of the whole program: three examples, then the commands in groups."""
    groups = [(title, [COMMANDS[name] for name in names.split()]) for title, names in GROUPS]
    return "\n".join(
        [
            CommandParser(usage=_usage("anypatch [COMMAND] [ARGUMENTS] [OPTIONS]"), description=ABOUT).format_help(),
            _sections(("examples", EXAMPLES)),
            _sections(*((title, [(row.synopsis, row.summary) for row in commands]) for title, commands in groups)),
            _sections(("options", [(option.usage, option.description) for option in GLOBAL])),
            _sections(("exit codes", EXIT_CODES)),
            "\n".join([*_wrap("anypatch COMMAND --help shows a command's options.", terminal.width()), ""]),
        ]
    )


def _sections(*sections: tuple[str, Iterable[tuple[str, str]]]) -> str:
    """Write sections with two columns, which are the same for all of them."""
    formatter = CommandParser()._get_formatter()
    for title, rows in sections:
        formatter.start_section(title)
        formatter.add_arguments([argparse.Action([], "", metavar=name, help=text) for name, text in rows])
        formatter.end_section()
    return formatter.format_help()


def _usage(text: str) -> str:
    label = "usage: "
    return f"\n{' ' * len(label)}".join(_wrap(text, terminal.width() - len(label)))


def _wrap(text: str, width: int) -> list[str]:
    return textwrap.wrap(text, width, break_long_words=False, break_on_hyphens=False)
