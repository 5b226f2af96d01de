"""Convert the values of options. What can't be converted raises ArgumentTypeError, which argparse puts into its error.

argparse: error: argument --only: needs the number of an edit, as in 2 or 1,3, not 'two'
"""

from __future__ import annotations

from argparse import ArgumentTypeError
from typing import get_args

from ..hints import ProposalRule
from ..limits import Limits
from ..similarity import did_you_mean

RULES: tuple[str, ...] = get_args(ProposalRule)

NUL = "\0"  # no argument of a process can contain it, so it marks what the parser adds


def word(value: str) -> str:
    """Return a positional argument without the mark."""
    return value.removeprefix(NUL)


def text(value: str) -> str:
    """Return the value; an empty one is an error, for instance from `--root "$UNSET"`."""
    if not value:
        raise ArgumentTypeError("needs a value")
    return value


def whole_number(value: str) -> int:
    """Convert a number that is at least 1."""
    if not _is_number(value, digits=9) or not int(value):
        raise ArgumentTypeError(f"needs a whole number, at least 1, not {value!r}")
    return int(value)


def seconds(value: str) -> float:
    """Convert a number of seconds, which may have a fraction."""
    if not _is_number(value.replace(".", "", 1), digits=9):
        raise ArgumentTypeError(f"needs a number of seconds, not {value!r}")
    return float(value)


def edit_numbers(value: str) -> list[int]:
    """Convert `1,3`, the numbers of edits."""
    return _numbers(value, "an edit")


def correction_numbers(value: str) -> list[int]:
    """Convert `1,3`, the numbers of corrections; an empty list for `--fix` without any."""
    return [] if value == NUL else _numbers(value, "a correction")


def _numbers(value: str, what: str) -> list[int]:
    if not all(_is_number(number, digits=9) and int(number) for number in value.split(",")):
        raise ArgumentTypeError(f"needs the number of {what}, as in 2 or 1,3, not {value!r}")
    return [int(number) for number in value.split(",")]


def accepted(value: str) -> str | list[str]:
    """Convert `all`, `none`, or the rules whose proposals are accepted."""
    if value in ("all", "none"):
        return value
    if not set(value.split(",")) <= set(RULES):
        raise ArgumentTypeError(f"takes all, none, or some of {', '.join(RULES)}, not {value!r}")
    return value.split(",")


def limits(value: str) -> dict[str, int]:
    """Convert `files=20000,hunks=5`."""
    changed = {}
    for part in value.split(","):
        name, _, number = part.partition("=")
        if name not in Limits._fields:
            suggestion = did_you_mean(name, Limits._fields)
            raise ArgumentTypeError(f"there is no limit {name!r}" + (f"; {suggestion}" if suggestion else ""))
        if not _is_number(number, digits=15):
            raise ArgumentTypeError(f"the limit {name} needs a whole number, not {number!r}")
        changed[name] = int(number)
    return changed


def column(value: str) -> tuple[str, str]:
    """Convert `answer=response`: a name of ours and a column of a table."""
    name, _, title = value.partition("=")
    if not title:
        raise ArgumentTypeError(f"needs NAME=COLUMN, not {value!r}")
    return name, title


def address(value: str) -> tuple[str, int]:
    """Convert PORT or HOST:PORT; the host is this machine if it isn't named."""
    host, _, port = value.rpartition(":")
    if not _is_number(port, digits=5) or int(port) >= 1 << 16:
        raise ArgumentTypeError(f"needs PORT or HOST:PORT, not {value!r}")
    return host.strip("[]") or "127.0.0.1", int(port)


def _is_number(value: str, *, digits: int) -> bool:
    """Return True for ASCII digits. Their number is bounded, because `int` fails for very long strings."""
    return value.isascii() and value.isdigit() and len(value) <= digits
