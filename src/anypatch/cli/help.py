"""Help and the documentation page, made from the table of commands. Prints nothing."""

from __future__ import annotations

from .options import COMMANDS, GLOBAL

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from .options import Command, Option

ABOUT = (
    "anypatch applies what language models write as edits: to the one right place or not at all, "
    "every file or none, and it can be undone."
)
EXIT_CODES = (
    ("0", "done"),
    ("1", "refused; no file was touched"),
    ("2", "the patch or the call cannot be read; no file was touched"),
    ("3", "the machine failed; the files were put back"),
    ("4", "applied in part, as --partial allows; the rest is printed"),
)


def program_help(width: int = 80) -> list[str]:
    """The help of the whole program."""
    rows = [(f"{command.name} {command.argument}".strip(), command.summary) for command in COMMANDS]
    return [
        "usage: anypatch COMMAND [ARGUMENT] [OPTIONS]",
        "",
        *wrapped(ABOUT, width),
        "",
        "commands:",
        *_table(rows, width),
        "",
        "options:",
        *_table([(_shown(option), _told(option)) for option in GLOBAL], width),
        "",
        "exit codes:",
        *_table(EXIT_CODES, width),
        "",
        "anypatch COMMAND --help shows a command's options.",
    ]


def command_help(command: Command, width: int = 80) -> list[str]:
    """The help of one command."""
    lines = [f"usage: {usage(command)}", "", *wrapped(_sentence(command.summary), width)]
    if command.about:
        lines += ["", *wrapped(command.about, width)]
    return [*lines, "", "options:", *_table([(_shown(o), _told(o)) for o in command.options], width)]


def usage(command: Command) -> str:
    """How a command is called."""
    return " ".join(part for part in ("anypatch", command.name, command.argument, "[OPTIONS]") if part)


def commands_markdown() -> str:
    """The page docs/commands.md."""
    lines = ["# Commands", "", ABOUT, "", "    anypatch COMMAND [ARGUMENT] [OPTIONS]", ""]
    for command in COMMANDS:
        lines += [f"## {command.name}", "", f"    {usage(command)}", "", _sentence(command.summary)]
        lines += ["", command.about] if command.about else []
        lines += ["", "| option | meaning |", "|---|---|"]
        lines += [f"| `{_shown(option)}` | {_told(option)} |" for option in command.options]
        lines.append("")
    lines += ["## Exit codes", "", "| code | meaning |", "|---|---|"]
    lines += [f"| {code} | {meaning} |" for code, meaning in EXIT_CODES]
    return "\n".join(lines) + "\n"


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:] + "."


def _shown(option: Option) -> str:
    return ", ".join(option.names) + (f" {option.value}" if option.value else "")


def _told(option: Option) -> str:
    return f"{option.help}: {', '.join(option.choices)}" if option.choices else option.help


def _table(rows: Sequence[tuple[str, str]], width: int) -> list[str]:
    column = max(len(left) for left, _ in rows) + 4
    lines: list[str] = []
    for left, right in rows:
        first, *more = wrapped(right, width - column) or [""]
        lines.append(f"  {left:<{column - 2}}{first}")
        lines += [" " * column + line for line in more]
    return lines


def wrapped(text: str, width: int) -> list[str]:
    """Words on lines of at most `width` columns, where they are no longer themselves."""
    lines: list[str] = []
    line = ""
    for word in text.split():
        if line and len(line) + 1 + len(word) > width:
            lines.append(line)
            line = word
        else:
            line = f"{line} {word}" if line else word
    return [*lines, line] if line else lines
