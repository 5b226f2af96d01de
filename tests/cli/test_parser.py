"""How arguments are read, which are refused in one line, and how the help looks at 40 and 80 columns."""

from __future__ import annotations

from pathlib import Path

import pytest

from anypatch.cli.options import COMMANDS
from anypatch.cli.parser import BadCall, HelpRequested, command_parser, defaults, parse, program_help, split_command

PAGE = Path(__file__).parent.parent.parent / "docs/commands.md"


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["apply"], {"command": "apply"}),
        (["apply", "p.txt", "--root", "d"], {"command": "apply", "answer": "p.txt", "root": "d"}),
        (["apply", "--root=d=e", "-"], {"command": "apply", "answer": "-", "root": "d=e"}),
        (["apply", "-", "--stdin"], {"command": "apply", "answer": "-", "stdin": True}),
        (["apply", "--", "--json"], {"command": "apply", "answer": "--json"}),
        (["make", "OLD", "--format", "diff", "--", "-N"],
         {"command": "make", "old": "OLD", "new": "-N", "format": "diff"}),
        (["apply", "-qvn"], {"command": "apply", "dry_run": True, "quiet": True, "verbose": True}),
        (["apply", "-p1", "-Cd"], {"command": "apply", "strip": "1", "root": "d"}),
        (["apply", "--fix", "a.md"], {"command": "apply", "answer": "a.md", "fix": []}),
        (["apply", "--fix=1,3", "a.md"], {"command": "apply", "answer": "a.md", "fix": [1, 3]}),
        (["apply", "--no-overwrite", "--strict"], {"command": "apply", "overwrite": False, "syntax": "refuse"}),
        (["apply", "--accept", "symbol,file"], {"command": "apply", "accept": ["symbol", "file"]}),
        (["--color", "never", "check", "p"], {"command": "check", "answer": "p", "color": "never"}),
        (["make", "OLD", "--format", "unified", "NEW"],
         {"command": "make", "old": "OLD", "new": "NEW", "format": "unified"}),
        (["make", "--git", "--format=unified", "HEAD"],
         {"command": "make", "old": "HEAD", "git": True, "format": "unified"}),
        (["rename", "a.py", "--json", "f", "-n", "g"],
         {"command": "rename", "file": "a.py", "name_path": "f", "new": "g", "json": True, "dry_run": True}),
        (["outline", "a.py", "--json", "b.py"], {"command": "outline", "file": ["a.py", "b.py"], "json": True}),
        (["log", "-n", "3"], {"command": "log", "number": 3}),
        (["log", "-n3"], {"command": "log", "number": 3}),
        (["mcp", "-C", "a", "--root=b"], {"command": "mcp", "roots": ["a", "b"]}),
        (["hook"], {"command": "hook"}),
        (["hook", "install", "--write", "codex"],
         {"command": "hook", "install": "install", "client": "codex", "write": True}),
        (["-V"], {"command": "version"}),
        (["-h"], {"command": "help"}),
        (["help", "apply"], {"command": "help", "topic": "apply"}),
        ([], {"command": "usage"}),
        (["completions", "fish"], {"command": "completions", "shell": "fish"}),
    ],
)  # fmt: skip
def test_arguments_are_read(arguments: list[str], expected: dict[str, object]) -> None:
    assert vars(parse(arguments)) == defaults() | expected


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        (["aply"], "there is no command 'aply'; did you mean 'apply'?"),
        (["apply", "--dry-rnu"], "apply has no option '--dry-rnu'; did you mean '--dry-run'?"),
        (["apply", "--over"], "apply has no option '--over'; did you mean '--overwrite'?"),
        (["apply", "--zzz"], "apply has no option '--zzz'"),
        (["apply", "--completely-else=1"], "apply has no option '--completely-else'"),
        (["undo", "--format=x"], "undo has no option '--format'; did you mean '--force'?"),
        (["apply", "a", "b"], "apply takes ANSWER, but there is also 'b'"),
        (["rename", "a", "b", "c", "d"], "rename takes FILE and NAME_PATH and NEW, but there is also 'd'"),
        (["apply", "a", "--", "-b"], "apply takes ANSWER, but there is also '-b'"),
        (["log", "a"], "log takes no argument, but there is also 'a'"),
        (["apply", "--root"], "-C/--root: expected one argument"),
        (["apply", "--root", "--json"], "-C/--root: expected one argument"),
        (["apply", "--root="], "-C/--root: needs a value"),
        (["apply", "--json=yes"], "--json: ignored explicit argument 'yes'"),
        (["apply", "p", "--paste"], "a file and --paste can't be used together"),
        (["apply", "p", "--stdin"], "a file and --stdin can't be used together"),
        (["apply", "-", "--paste"], "- and --paste can't be used together"),
        (["apply", "--stdin", "--paste"], "--paste: not allowed with argument --stdin"),
        (["apply", "--overwrite", "--no-overwrite"], "--no-overwrite: not allowed with argument --overwrite"),
        (["apply", "--rest", "r"], "--rest needs --partial"),
        (["apply", "--color=pink"], "--color: invalid choice: 'pink'"),
        (["apply", "--max-report-lines=x"], "--max-report-lines: needs a whole number, at least 1, not 'x'"),
        (["--force", "undo"], "--force goes after the command: anypatch COMMAND --force"),
        (["prompt"], "the following arguments are required: FORMAT"),
        (["read", "a.py"], "the following arguments are required: NAME_PATH"),
        (["make", "a", "b"], "the following arguments are required: --format"),
        (["completions", "tcsh"], "SHELL: invalid choice: 'tcsh'"),
        (["hook", "install", "emacs"], "CLIENT: invalid choice: 'emacs'"),
        (["-x", "apply"], "anypatch has no option '-x'"),
    ],
)
def test_bad_arguments_are_refused_in_one_line(arguments: list[str], error: str) -> None:
    with pytest.raises(BadCall) as caught:
        parse(arguments)
    assert str(caught.value).startswith(error) and "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("arguments", "piped", "command", "rest"),
    [
        ([], True, "apply", []),
        ([], False, "usage", []),
        (["answer.md"], False, "apply", ["answer.md"]),
        (["-"], True, "apply", ["-"]),
        (["--paste"], False, "apply", ["--paste"]),
        (["-n", "a.md"], False, "apply", ["-n", "a.md"]),
        (["-p1"], True, "apply", ["-p1"]),
        (["--format=diff"], True, "apply", ["--format=diff"]),
        (["-C", "d", "undo"], False, "undo", ["-C", "d"]),
        (["-Cd", "a.md"], False, "apply", ["-Cd", "a.md"]),
        (["--root=d"], True, "apply", ["--root=d"]),
        (["undo"], True, "undo", []),
        (["--version"], True, "version", []),
        (["--color=never", "log", "-n1"], True, "log", ["--color=never", "-n1"]),
    ],
)
def test_the_command_may_be_left_out(arguments: list[str], piped: bool, command: str, rest: list[str]) -> None:
    assert split_command(arguments, piped=piped) == (command, rest)


@pytest.mark.parametrize("arguments", [["apply", "p", "q", "--help"], ["prompt", "-h"], ["apply", "--zzz", "-h"]])
def test_help_comes_before_errors(arguments: list[str]) -> None:
    with pytest.raises(HelpRequested, match=rf"^usage: anypatch {arguments[0]} "):
        parse(arguments)


def test_the_help_names_every_command_and_option() -> None:
    page = PAGE.read_text()
    for name, command in COMMANDS.items():
        assert f"\n  {command.synopsis} " in program_help()
        assert f"## {name}\n" in page
        text = command_parser(command).format_help()
        for option in command.options:
            assert f"  {option.usage}" in text and f"| `{option.usage}` |" in page


@pytest.mark.parametrize("columns", [40, 60, 80, 100])
def test_the_help_fits_the_terminal(columns: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    for text in (program_help(), *(command_parser(command).format_help() for command in COMMANDS.values())):
        lines = text.partition("\nfor each agent:")[0].splitlines()  # which are to be copied
        assert lines[0].startswith("usage: anypatch ")
        assert [line for line in lines if len(line) > columns and "/" not in line] == []
