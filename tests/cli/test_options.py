"""The table of commands: each has its function, and names what other modules know."""

from __future__ import annotations

from importlib import import_module

from anypatch.cli.options import CLIENTS, COMMANDS, GROUPS
from anypatch.hooks import CLIENTS as HOOKED


def test_every_command_has_its_function() -> None:
    for name, command in COMMANDS.items():
        assert callable(getattr(import_module(f"anypatch.cli.{command.module}"), f"run_{name}"))


def test_every_command_is_in_one_group_of_the_help() -> None:
    assert sorted(" ".join(names for _, names in GROUPS).split()) == sorted(COMMANDS)


def test_the_clients_are_those_that_hooks_know() -> None:
    assert set(CLIENTS) == set(HOOKED)


def test_flags_of_a_command_are_unique() -> None:
    for command in COMMANDS.values():
        flags = [flag for option in command.options for flag in f"{option.flags} {option.hidden}".split()]
        assert len(flags) == len(set(flags))
