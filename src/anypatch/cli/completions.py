"""Completion scripts for the shells, made from the table of commands. Prints nothing, installs nothing."""

from __future__ import annotations

from ..formats import names
from .options import COMMANDS, GLOBAL, Command, Option


def script(shell: str) -> str:
    """The script for that shell."""
    return {"bash": _bash, "zsh": _zsh, "fish": _fish}[shell]()


# ── what can be said at a place: words, a folder, a file, a receipt, nothing that is known ───────


def _value(option: Option, offers: dict[str, str]) -> str:
    """What a shell offers as the value of an option."""
    if option.value == "DIR":
        return offers["folder"]
    words = " ".join(names() if option.key in ("format", "to") else option.choices)
    return offers["words"].format(words) if words else offers["nothing"]


def _argument(command: Command, offers: dict[str, str]) -> str:
    """What it offers as a command's argument."""
    if _takes_file(command):
        return offers["file"]
    if "ID" in command.argument:
        return offers["receipt"]
    words = command.choices or (names() if command.argument == "FORMAT" else ())
    words = tuple(other.name for other in COMMANDS) if command.name == "help" else words
    return offers["words"].format(" ".join(words)) if words else offers["nothing"]


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
_NO_FILES = "compopt +o default 2>/dev/null"
_BASH_OFFERS = {
    "words": 'COMPREPLY=($(compgen -W "{}" -- "$current"))',
    "folder": "IFS=$'\\n'; COMPREPLY=($(compgen -d -- \"$current\")); compopt -o filenames 2>/dev/null",
    "file": ":",
    "receipt": f'COMPREPLY=($(compgen -W "$(_anypatch_receipts)" -- "$current")); {_NO_FILES}',
    "nothing": _NO_FILES,
}


def _bash() -> str:
    every = {option.key: option for command in COMMANDS for option in command.options if option.value}
    values = [f"        {'|'.join(one.names)}) {_value(one, _BASH_OFFERS)}; return ;;" for one in every.values()]
    commands: list[str] = []
    for command in COMMANDS:
        options = " ".join(name for option in command.options for name in option.names)
        commands += [
            f"        {command.name})",
            '            if [[ $current == -* ]]; then',
            f'                COMPREPLY=($(compgen -W "{options}" -- "$current"))',
            f"            else {_argument(command, _BASH_OFFERS)}; fi ;;",
        ]  # fmt: skip
    names = [command.name for command in COMMANDS]
    top = [*names, *(name for option in GLOBAL for name in option.names)]
    return _BASH.format(
        values="\n".join(values), names="|".join(names), top=" ".join(top), commands="\n".join(commands)
    )


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
_ZSH_OFFERS = {
    "words": "({})", "folder": "_directories", "file": "_files", "receipt": "_anypatch_receipts", "nothing": "",
}  # fmt: skip


def _zsh() -> str:
    cases: list[str] = []
    for command in COMMANDS:
        lines = [_zsh_option(option) for option in command.options]
        if command.argument:
            place = "*" if command.argument.endswith("...") else "1"
            offered = _argument(command, _ZSH_OFFERS)
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
    value = f":{option.value.lower()}:{_value(option, _ZSH_OFFERS)}" if option.value else ""
    assign = "=" if option.value else ""
    group = f"({' '.join(option.names)})" if len(option.names) > 1 else ""
    return " ".join(
        _single(f"{group}{name}{assign if name.startswith('--') else ''}[{told}]{value}") for name in option.names
    )


def _single(text: str) -> str:
    """In single quotes for a Bourne-like shell."""
    return "'" + text.replace("'", "'\\''") + "'"


# ── fish ─────────────────────────────────────────────────────────────────────────────────────────

_FISH_OFFERS = {
    "words": " -a '{}'",
    "folder": " -a '(__fish_complete_directories)'",
    "receipt": """ -a '(anypatch log 2>/dev/null | string replace -r " .*" "")'""",
    "nothing": "",
}


def _fish() -> str:
    first = "complete -c anypatch -n __fish_use_subcommand"
    lines = ["# fish completion for anypatch", "complete -c anypatch -e", f"{first} -f"]
    lines += [f"{first} {_fish_option(option)}" for option in GLOBAL]
    for command in COMMANDS:
        lines.append(f"{first} -f -a {command.name} -d {_fish_quoted(command.summary)}")
        seen = f"complete -c anypatch -n '__fish_seen_subcommand_from {command.name}'"
        if not _takes_file(command):
            lines.append(f"{seen} -f{_argument(command, _FISH_OFFERS)}")
        lines += [f"{seen} {_fish_option(option)}" for option in command.options]
    return "\n".join(lines) + "\n"


def _fish_option(option: Option) -> str:
    parts = [f"-l {name[2:]}" if name.startswith("--") else f"-s {name[1:]}" for name in option.names]
    parts += [f"-x{_value(option, _FISH_OFFERS)}"] if option.value else []
    return " ".join([*parts, f"-d {_fish_quoted(option.help)}"])


def _fish_quoted(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"
