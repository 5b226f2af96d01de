"""The table of commands, which names what other modules know, and the values of options."""

from __future__ import annotations

from argparse import ArgumentTypeError
from collections.abc import Callable
from importlib import import_module

import pytest

from anypatch.cli import options
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
        flags = [flag for option in command.options for flag in option.flags.split()]
        assert len(flags) == len(set(flags))


@pytest.mark.parametrize(
    ("convert", "value", "expected"),
    [
        (options.text, "a", "a"),
        (options.whole_number, "20", 20),
        (options.seconds, "0.5", 0.5),
        (options.seconds, "3", 3.0),
        (options.edit_numbers, "1,3", [1, 3]),
        (options.correction_numbers, options.NUL, []),
        (options.accepted, "all", "all"),
        (options.accepted, "file,symbol", ["file", "symbol"]),
        (options.limits, "files=2,hunks=3", {"files": 2, "hunks": 3}),
        (options.column, "answer=a=b", ("answer", "a=b")),
        (options.address, "8000", ("127.0.0.1", 8000)),
        (options.address, "[::1]:80", ("::1", 80)),
    ],
)
def test_a_value_is_converted(convert: Callable[[str], object], value: str, expected: object) -> None:
    assert convert(value) == expected


@pytest.mark.parametrize(
    ("convert", "value", "error"),
    [
        (options.text, "", "needs a value"),
        (options.whole_number, "many", "needs a whole number, at least 1, not 'many'"),
        (options.whole_number, "0", "at least 1"),
        (options.whole_number, "-1", "at least 1"),
        (options.whole_number, "٣", "needs a whole number"),
        (options.whole_number, "9" * 5000, "needs a whole number"),
        (options.seconds, "1.2.3", "needs a number of seconds"),
        (options.seconds, ".", "needs a number of seconds"),
        (options.edit_numbers, "two", "needs the number of an edit, as in 2 or 1,3, not 'two'"),
        (options.edit_numbers, "1,,2", "needs the number of an edit"),
        (options.correction_numbers, "", "needs the number of a correction"),
        (options.correction_numbers, "0", "needs the number of a correction"),
        (options.accepted, "some", "takes all, none, or some of file, lines, symbol, overlay, not 'some'"),
        (options.limits, "fils=3", "there is no limit 'fils'; did you mean 'files'?"),
        (options.limits, "files", "the limit files needs a whole number"),
        (options.column, "answer", "needs NAME=COLUMN"),
        (options.address, "1:x", "needs PORT or HOST:PORT"),
        (options.address, "65536", "needs PORT or HOST:PORT"),
    ],
)
def test_a_wrong_value_is_refused(convert: Callable[[str], object], value: str, error: str) -> None:
    with pytest.raises(ArgumentTypeError) as caught:
        convert(value)
    assert error in str(caught.value)
