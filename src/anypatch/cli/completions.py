"""Completion scripts for the shells, made from the table of commands. Prints nothing, installs nothing."""

from __future__ import annotations

from collections.abc import Sequence

from ..formats import names
from .options import COMMANDS, GLOBAL, Command, Option


def script(shell: str) -> str:
    """The script for that shell."""
    return {"bash": _bash, "zsh": _zsh, "fish": _fish}[shell]()


def _options() -> list[Option]:
    """Every option with a value, once."""
    every = [option for command in COMMANDS for option in command.options if option.value]
    return list({option.key: option for option in every}.values())


def _values(option: Option) -> Sequence[str]:
    return names() if option.key in ("format", "to") else option.choices


def _arguments(command: Command) -> Sequence[str]:
    """The words that can be a command's argument; none for a file."""
    if command.name == "help":
        return [other.name for other in COMMANDS]
    return names() if command.argument == "FORMAT" else command.choices


def _takes_file(command: Command) -> bool:
    return "ANSWER" in command.argument or command.argument.startswith(("FILE", "[OLD]"))


# ── bash ─────────────────────────────────────────────────────────────────────────────────────────

_BASH = """\
# bash completion for anypatch
_anypatch_receipts() {{
    local at root=.
    for ((at = 1; at < COMP_CWORD; at++)); do
        if [[ ${{COMP_WORDS[at]}} == --root || ${{COMP_WORDS[at]}} == -C ]]; then
            root="${{COMP_WORDS[at+1]}}"
            [[ $root == "=" ]] && root="${{COMP_WORDS[at+2]}}"
        fi
    done
    root="${{root/#\\~/$HOME}}"
    "${{COMP_WORDS[0]}}" log --root "${{root//\\\\/}}" 2>/dev/null | grep -v '(undone)' | cut -d' ' -f1
}}
_anypatch() {{
    local IFS=$' \\t\\n' current="${{COMP_WORDS[COMP_CWORD]}}" previous="${{COMP_WORDS[COMP_CWORD-1]}}" command="" at
    if [[ $current == "=" ]]; then
        current=""
    elif [[ $previous == "=" ]]; then
        previous="${{COMP_WORDS[COMP_CWORD-2]}}"
    fi
    COMPREPLY=()
    case "$previous" in
{values}
    esac
    for ((at = 1; at < COMP_CWORD; at++)); do
        case "${{COMP_WORDS[at]}}" in
            {names}) command="${{COMP_WORDS[at]}}"; break ;;
        esac
    done
    case "$command" in
        "") COMPREPLY=($(compgen -W "{top}" -- "$current")) ;;
{commands}
    esac
}}
complete -o default -F _anypatch anypatch
"""


def _bash() -> str:
    values = [f"        {'|'.join(option.names)}) {_bash_value(option)}; return ;;" for option in _options()]
    commands: list[str] = []
    for command in COMMANDS:
        options = " ".join(name for option in command.options for name in option.names)
        words = " ".join(_arguments(command))
        plain = f'COMPREPLY=($(compgen -W "{words}" -- "$current"))' if words else _bash_argument(command)
        commands += [
            f"        {command.name})",
            '            if [[ $current == -* ]]; then',
            f'                COMPREPLY=($(compgen -W "{options}" -- "$current"))',
            f"            else {plain}; fi ;;",
        ]  # fmt: skip
    names = [command.name for command in COMMANDS]
    top = [*names, *(name for option in GLOBAL for name in option.names)]
    return _BASH.format(
        values="\n".join(values), names="|".join(names), top=" ".join(top), commands="\n".join(commands)
    )


def _bash_value(option: Option) -> str:
    if option.value == "DIR":
        return "IFS=$'\\n'; COMPREPLY=($(compgen -d -- \"$current\")); compopt -o filenames 2>/dev/null"
    words = " ".join(_values(option))
    return f'COMPREPLY=($(compgen -W "{words}" -- "$current"))' if words else _NO_FILES


_NO_FILES = "compopt +o default 2>/dev/null"


def _bash_argument(command: Command) -> str:
    """An argument that is none of a few words: a patch is a file, a receipt is asked for, else there is none."""
    if _takes_file(command):
        return ":"
    if "ID" in command.argument:
        return f'COMPREPLY=($(compgen -W "$(_anypatch_receipts)" -- "$current")); {_NO_FILES}'
    return _NO_FILES


# ── zsh ──────────────────────────────────────────────────────────────────────────────────────────

_ZSH = """\
#compdef anypatch
_anypatch_receipts() {{
  local -a known
  local root="${{opt_args[--root]:-${{opt_args[-C]}}}}"
  known=(${{${{(f)"$(anypatch log ${{root:+-C $root}} 2>/dev/null)"}}%% *}})
  compadd -a known
}}
_anypatch() {{
  local context state line
  typeset -A opt_args
  local -a commands
  commands=(
{commands}
  )
  _arguments -C \\
{top}
    '1:command:->command' \\
    '*::argument:->argument'
  case $state in
    command) _describe -t commands command commands ;;
    argument)
      case $words[1] in
{cases}
      esac ;;
  esac
}}
if [ "$funcstack[1]" = "_anypatch" ]; then
  _anypatch "$@"
else
  compdef _anypatch anypatch
fi
"""


def _zsh() -> str:
    cases: list[str] = []
    for command in COMMANDS:
        lines = [_zsh_option(option) for option in command.options]
        words = _arguments(command)
        if command.argument:
            offered = f"({' '.join(words)})" if words else "_files" if _takes_file(command) else ""
            offered = "_anypatch_receipts" if "ID" in command.argument else offered
            place = "*" if command.argument.endswith("...") else "1"
            lines.append(f"'{place}:{command.argument.strip('[]').lower()}:{offered}'")
        cases.append(f"        {command.name}) _arguments \\\n          " + " \\\n          ".join(lines) + " ;;")
    return _ZSH.format(
        commands="\n".join(f"    {_single(f'{c.name}:{c.summary}')}" for c in COMMANDS),
        top="\n".join(f"    {_zsh_option(option)} \\" for option in GLOBAL),
        cases="\n".join(cases),
    )


def _zsh_option(option: Option) -> str:
    """One option as _arguments takes it; its names exclude each other."""
    told = option.help.replace("[", "\\[").replace("]", "\\]").replace(":", "\\:")
    value = ""
    if option.value:
        words = " ".join(_values(option))
        offered = "_directories" if option.value == "DIR" else f"({words})" if words else ""
        value = f":{option.value.lower()}:{offered}"
    assign = "=" if option.value else ""
    group = f"({' '.join(option.names)})" if len(option.names) > 1 else ""
    return " ".join(
        _single(f"{group}{name}{assign if name.startswith('--') else ''}[{told}]{value}") for name in option.names
    )


# ── fish ─────────────────────────────────────────────────────────────────────────────────────────


_FISH_RECEIPTS = """-a '(anypatch log 2>/dev/null | string replace -r " .*" "")'"""


def _fish() -> str:
    lines = [
        "# fish completion for anypatch",
        "complete -c anypatch -e",
        "complete -c anypatch -n __fish_use_subcommand -f",
    ]
    lines += [f"complete -c anypatch -n __fish_use_subcommand {_fish_option(option)}" for option in GLOBAL]
    for command in COMMANDS:
        lines.append(
            f"complete -c anypatch -n __fish_use_subcommand -f -a {command.name} -d {_fish_quoted(command.summary)}"
        )
        seen = f"complete -c anypatch -n '__fish_seen_subcommand_from {command.name}'"
        if not _takes_file(command):
            words = " ".join(_arguments(command))
            receipts = _FISH_RECEIPTS if "ID" in command.argument else ""
            lines.append(f"{seen} -f " + (f"-a {_fish_quoted(words)}" if words else receipts))
        lines += [f"{seen} {_fish_option(option)}" for option in command.options]
    return "\n".join(lines) + "\n"


def _fish_option(option: Option) -> str:
    parts = [f"-l {name[2:]}" if name.startswith("--") else f"-s {name[1:]}" for name in option.names]
    if option.value == "DIR":
        parts.append("-x -a '(__fish_complete_directories)'")
    elif option.value:
        words = " ".join(_values(option))
        parts.append("-x" + (f" -a {_fish_quoted(words)}" if words else ""))
    return " ".join([*parts, f"-d {_fish_quoted(option.help)}"])


def _single(text: str) -> str:
    """In single quotes for a Bourne-like shell."""
    return "'" + text.replace("'", "'\\''") + "'"


def _fish_quoted(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"
