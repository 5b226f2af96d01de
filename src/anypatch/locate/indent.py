"""Indentation of new lines: aligned to a marker, or mapped as the matched lines show. Pure."""

from __future__ import annotations

from ..record import NamedTuple
from ..text import indent_of


class Indented(NamedTuple):
    """New lines as they will stand, and what a reader should know of it ("" if nothing)."""

    lines: list[str]
    note: str = ""


def align(new: list[str], said: list[str], there: list[str]) -> Indented:
    """New lines aligned to the first matched line.

    `said` and `there` are the matched lines as the patch and as the file write them. Where they show that the patch
    indents otherwise (spaces for tabs, two for four), the new lines are translated the same way.
    """
    own, base = indent_of(said[0]), indent_of(there[0])
    if own and all(line.startswith(own) for line in new if line.strip()):
        new = [line[len(own) :] if line.strip() else line for line in new]
    table = _table(own, base, said, there) if len(said) > 1 else {}
    lines = [_one(line, base, table) for line in new]
    return Indented(lines, _mixed(base, lines))


def _one(line: str, base: str, table: dict[str, str]) -> str:
    if not line.strip():
        return line
    inner = indent_of(line)
    return base + (translate(inner, table) if table else inner) + line[len(inner) :]


def _table(own: str, base: str, said: list[str], there: list[str]) -> dict[str, str]:
    """Inner indentation of the patch -> of the file, if the matched lines show one that isn't the identity."""
    table: dict[str, str] = {}
    for a, b in zip(said, there, strict=True):
        inner_said, inner_there = indent_of(a), indent_of(b)
        if not inner_said.startswith(own) or not inner_there.startswith(base):
            return {}
        key, value = inner_said[len(own) :], inner_there[len(base) :]
        if table.setdefault(key, value) != value:
            return {}
    if table.get("", "") or all(key == value for key, value in table.items()):
        return {}
    return table if all(value for key, value in table.items() if key) else {}


def translate(inner: str, table: dict[str, str]) -> str:
    """An indentation by the table: known ones directly, deeper ones by its smallest step."""
    if inner in table:
        return table[inner]
    known = max((key for key in table if inner.startswith(key)), key=len, default="")
    step = min((key for key in table if key), key=len)
    done, rest = table.get(known, ""), inner[len(known) :]
    while rest.startswith(step):
        done, rest = done + table[step], rest[len(step) :]
    return done + rest


def _mixed(base: str, lines: list[str]) -> str:
    """A word of warning where tabs and spaces meet in one line's indentation."""
    if "\t" not in base and not any("\t" in line for line in lines):
        return ""
    if any(" \t" in indent_of(line) or ("\t" in base and " " in indent_of(line)) for line in lines if line.strip()):
        return "tabs and spaces are mixed in the indentation of the new lines"
    return ""
