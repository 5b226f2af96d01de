"""Indentation of new lines: aligned to a marker, or mapped as the matched lines show. Pure."""

from __future__ import annotations

from itertools import pairwise

from ..record import NamedTuple
from ..text import indent_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


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
    if len(new) == 1 == len(said) and not own and new[0][:1] not in (" ", "\t", ""):
        return Indented([base + new[0]])
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


# ── learnt from the matched lines ────────────────────────────────────────────────────────────────


def learnt(said: list[str], there: list[str]) -> dict[str, str] | None:
    """The patch's indentation -> the file's, as the matched lines show it; None where that isn't a function."""
    table: dict[str, str] = {}
    for one, two in zip(said, there, strict=True):
        if one.strip() and table.setdefault(indent_of(one), indent_of(two)) != indent_of(two):
            return None
    return table


def evenly(new: list[str], table: dict[str, str], unit: str) -> list[str] | None:
    """New lines indented by the table; what it lacks by the one shift or the one scale that all of it shows.

    None where neither fits or both do and differ. `unit`: one level of the file.
    """
    moved: list[str] = []
    for line in new:
        inner = indent_of(line)
        found = {table[inner]} if inner in table else _derived(inner, table, unit) if line.strip() else {inner}
        if len(found) != 1:
            return None
        moved.append(found.pop() + line[len(inner) :])
    return moved


def _derived(inner: str, table: dict[str, str], unit: str) -> set[str]:
    signs = {*"".join(table.values()), *unit}
    if len(signs) != 1 or not table or len({*"".join(table), *inner}) > 1:
        return set()
    # One blank more than another line has is no level: comments and continuation lines stand so.
    pairs = [(len(key), len(value)) for key, value in table.items() if table.get(key[:-1]) != value[:-1] or not key]
    (sign,), found = signs, set()
    key, value = min(pairs, key=lambda pair: abs(pair[0] - len(inner)))
    if {*"".join(table), *inner} <= signs and len({there - said for said, there in pairs}) == 1:
        further = len(inner) - key
        if further % len(unit) == 0 and value + further >= 0:
            found.add(sign * (value + further))
        elif len(pairs) == 1:
            return set()
    if all(said * value == there * key for said, there in pairs) and key and value:
        levels, rest = divmod(len(inner) * value, key)
        if not rest and levels % len(unit) == 0:
            found.add(sign * levels)
    return found


def mapped(new: list[str], said: list[str], there: list[str], lines: list[str]) -> list[str] | None:
    """New lines with the indentation that the matched lines teach; None where they teach nothing, or two things.

    `lines` is the whole file, for its habits.
    """
    table = learnt(said, there)
    if table is None:
        return None
    if all(key == value for key, value in table.items()):
        return new
    step = _step(table, new, said, lines)
    own = own_unit(lines)
    moved = [_moved(line, table, step, own) if line.strip() else line for line in new]
    tabbed = any(line[:1] == "\t" for line in lines)
    if None in moved or (not tabbed and any("\t" in indent_of(line) for line in moved if line and line.strip())):
        return None
    return [line for line in moved if line is not None]


def _moved(line: str, table: dict[str, str], step: tuple[str, str], own: str) -> str | None:
    inner = indent_of(line)
    text = line[len(inner) :]
    if inner in table:
        return table[inner] + text
    if not step[0] and _shifted("", table) is None and _scaled("", table, own) is None and "" in table:
        return None
    # One blank more than another line has is no level: comments and continuation lines stand so.
    table = {key: value for key, value in table.items() if not (key[-1:] == " " and key[:-1] in table)}
    known = max((key for key in table if inner.startswith(key)), key=len, default=None)
    if known is not None and step[0]:
        return table[known] + _in_steps(inner[len(known) :], step) + text
    # Nothing matched shows this depth: all by the same shift, or all by the same scale; if both fit they must agree.
    shifted = table[known] + inner[len(known) :] if known is not None else _shifted(inner, table)
    guesses = {guess for guess in (shifted, _scaled(inner, table, own)) if guess is not None}
    return guesses.pop() + text if len(guesses) == 1 else None


def _shifted(inner: str, table: dict[str, str]) -> str | None:
    """The indentation moved as far as every matched line was; None where they moved differently."""
    key, value = next(iter(table.items()))
    more, less = value.removesuffix(key), key.removesuffix(value)
    if len(value) >= len(key) and all(there == more + said for said, there in table.items()):
        return more + inner
    if len(value) < len(key) and all(said == less + there for said, there in table.items()):
        return inner.removeprefix(less) if inner.startswith(less) else None
    return None


def _scaled(inner: str, table: dict[str, str], own: str) -> str | None:
    """The indentation in the file's own unit, where every matched line shows the same unit of the patch."""
    for unit in ("\t", *(" " * size for size in (1, 2, 3, 4, 8))):
        if unit != own and all(
            _times(said, unit) and _times(said, unit) * own == there for said, there in table.items()
        ):
            return _times(inner, unit) * own if not inner or _times(inner, unit) else None
    return None


def _times(inner: str, unit: str) -> int:
    """How many units an indentation is; 0 where it is no whole number of them."""
    count = len(inner) // len(unit)
    return count if unit * count == inner else 0


def _in_steps(inner: str, step: tuple[str, str]) -> str:
    """An indentation made of the patch's steps as one of the file's."""
    done = ""
    while step[0] and inner.startswith(step[0]):
        done, inner = done + step[1], inner[len(step[0]) :]
    return done + inner


def _step(table: dict[str, str], new: list[str], said: list[str], lines: list[str]) -> tuple[str, str]:
    """One level of indentation, in the patch and in the file."""
    keys = sorted(table, key=len)
    for one, two in pairwise(keys):
        more, there = two[len(one) :], table[two][len(table[one]) :]
        # One blank more is no level: comments and continuation lines stand so.
        if two.startswith(one) and table[two].startswith(table[one]) and there and " " not in (more, there):
            return more, there
    tabs = any(line[:1] == "\t" for line in lines) and not any(line[:2] == "  " for line in lines)
    wide = sorted({len(indent_of(line)) for line in (*said, *new) if line.strip() and "\t" not in indent_of(line)})
    width = next((b - a for a, b in pairwise(wide) if b > a), 0)
    if tabs and width:
        return " " * width, "\t"
    spaces = not any(line[:1] == "\t" for line in lines)
    if spaces and any("\t" in indent_of(line) for line in new):
        return "\t", own_unit(lines).replace("\t", "    ")
    return "", ""


def own_unit(lines: Sequence[str]) -> str:
    """One level of indentation in the file: a tab, or as many spaces as its shallowest indented line has."""
    widths = [
        len(indent_of(line)) for line in lines if line[:1] == " " and line.strip() and "\t" not in indent_of(line)
    ]
    levels = [width for width in widths if width > 1]
    return " " * min(levels) if levels else "\t"
