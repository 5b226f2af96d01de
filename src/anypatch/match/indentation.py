"""Indentation of new lines: aligned to the first matched line, or mapped as all matched lines show. Pure."""

from __future__ import annotations

from itertools import pairwise, repeat

from ..record import NamedTuple
from ..text import indent_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


_AT_MARGIN = ("#if", "#el", "#end", "#def", "#undef", "#include", "#pragma")  # what the preprocessor of C reads


class Habits:
    """How a file is indented; each answer is found when it is asked for, and once."""

    __slots__ = ("_lines", "_spaces", "_step", "_tabs", "_unit", "shown")

    def __init__(self, lines: list[str]) -> None:
        self._lines = lines
        self._tabs: bool | None = None
        self._spaces: bool | None = None
        self._step: str | None = None
        self._unit = ""
        # By the indentation of matched lines: what they show, for `align`.
        self.shown: dict[tuple[object, ...], tuple[dict[str, str], dict[str, str]]] = {}

    @property
    def tabs(self) -> bool:
        """Whether some line begins with a tab."""
        if self._tabs is None:
            self._tabs = any(map(str.startswith, self._lines, repeat("\t")))
        return self._tabs

    @property
    def spaces(self) -> bool:
        """Whether some line is indented by spaces."""
        if self._spaces is None:
            self._spaces = any(line[:2] == "  " and line.strip() for line in self._lines)
        return self._spaces

    @property
    def step(self) -> str:
        """The spaces by which most lines are deeper than those above; "" where no number has most of them."""
        if self._step is None:
            self._step = _habit(self._lines)
        return self._step

    @property
    def unit(self) -> str:
        """One level of indentation."""
        self._unit = self._unit or own_unit(self._lines)
        return self._unit


def _habit(lines: list[str]) -> str:
    """One level of a file's indentation by spaces: the step by which most lines are deeper than those above; or ""."""
    pads = [len(indent_of(line)) for line in lines if line.strip() and line[:1] != "\t"]
    steps = [two - one for one, two in pairwise(pads) if two - one > 1]
    unit = max(set(steps), key=steps.count, default=0)
    return " " * unit if 2 * steps.count(unit) > len(steps) else ""


def own_unit(lines: Sequence[str]) -> str:
    """One level of indentation in the file: a tab, or as many spaces as its shallowest indented line has."""
    widths = [
        len(indent_of(line)) for line in lines if line[:1] == " " and line.strip() and "\t" not in indent_of(line)
    ]
    levels = [width for width in widths if width > 1]
    return " " * min(levels) if levels else "\t"


# ── aligned to the first matched line ────────────────────────────────────────────────────────────


class Indented(NamedTuple):
    """New lines as they will stand, and what a reader should know of it ("" if nothing)."""

    lines: list[str]
    note: str = ""


def align(new: list[str], said: list[str], there: list[str], habits: Habits) -> Indented | None:
    """New lines aligned to the first matched line; None where they have tabs and nothing tells how wide those are.

    `said` and `there` are the matched lines as the patch and as the file write them. Where they show that the patch
    indents otherwise (spaces for tabs, two for four), the new lines are translated the same way; where they show
    nothing, tabs in a file of spaces become its own unit and the other way round.
    """
    own, base = indent_of(said[0]), indent_of(there[0])
    if len(new) == 1 == len(said) and not own and new[0][:1] not in (" ", "\t", ""):
        return Indented([base + new[0]])
    inside = not own or all(line.startswith(own) for line in new if line.strip())
    if own == base and inside and said == there and not habits.tabs and "\t" not in "".join(new):
        return Indented(list(new))  # as the file has it, throughout
    if own and inside:
        new = [line[len(own) :] if line.strip() else line for line in new]
    table, odd = _shown(tuple(map(indent_of, said)), tuple(map(indent_of, there)), said, habits)
    native = new if table or odd else _native(new, habits)
    if native is None:
        return None
    if table or odd:
        done = [
            odd[indent_of(line)] + line.lstrip(" \t") if indent_of(line) in odd else _one(line, base, table)
            for line in native
        ]
    else:
        done = [base + line if line.strip() else line for line in native]
    return Indented(done, _mixed(base, done))


def _shown(
    pads: tuple[str, ...], theirs: tuple[str, ...], said: list[str], habits: Habits
) -> tuple[dict[str, str], dict[str, str]]:
    """What matched lines show of how a patch indents, by their indentation: many edits of a file show the same."""
    key = (pads, theirs, *map(bool, map(str.strip, said)))
    if key in habits.shown:
        return habits.shown[key]
    pairs = list(zip(pads, theirs, strict=True))
    own, base = pairs[0]
    table: dict[str, str] = {}
    odd: dict[str, str] = {}
    if any(two != base + one.removeprefix(own) for one, two in pairs):
        table = _table(own, base, pairs) if len(said) > 1 else {}
        odd = _odd(own, base, said, pairs)
    habits.shown[key] = (table, odd)
    return table, odd


def _odd(own: str, base: str, said: list[str], pads: list[tuple[str, str]]) -> dict[str, str]:
    """Inner indentation of the patch -> the file's, for deeper lines whose indentation isn't the first one's and more.

    So it is where tabs and spaces are mixed: what the file has there can't be made by adding.
    """
    found: dict[str, set[str]] = {}
    for line, (pad, there) in zip(said, pads, strict=True):
        if line.strip() and pad.startswith(own) and len(pad) > len(own):
            found.setdefault(pad[len(own) :], set()).add(there)
    sure = {inner: pads.pop() for inner, pads in found.items() if len(pads) == 1}
    return {inner: pad for inner, pad in sure.items() if not pad.startswith(base)}


def _table(own: str, base: str, pads: list[tuple[str, str]]) -> dict[str, str]:
    """Inner indentation of the patch -> of the file, if the matched lines show one that isn't the identity."""
    table: dict[str, str] = {}
    for inner_said, inner_there in pads:
        if not inner_said.startswith(own) or not inner_there.startswith(base):
            return {}
        key, value = inner_said[len(own) :], inner_there[len(base) :]
        if table.setdefault(key, value) != value:
            return {}
    if table.get("", "") or all(key == value for key, value in table.items()):
        return {}
    return table if all(value for key, value in table.items() if key) else {}


def _native(new: list[str], habits: Habits) -> list[str] | None:
    """New lines in the unit of a file that is indented by spaces alone, or by tabs alone; None where it shows none."""
    tabs = habits.tabs
    if not tabs and "\t" not in "".join(new):
        return new
    inner, spaces = {indent_of(line) for line in new if line.strip()} - {""}, habits.spaces
    if not inner or tabs == spaces:
        return new
    if spaces and any("\t" in pad for pad in inner):
        unit = habits.step
        return [line.replace("\t", unit, line[: len(indent_of(line))].count("\t")) for line in new] if unit else None
    width = min(map(len, inner))
    if tabs and width > 1 and all(pad == " " * len(pad) and len(pad) % width == 0 for pad in inner):
        return ["\t" * (len(indent_of(line)) // width) + line.lstrip(" \t") if line.strip() else line for line in new]
    return new


def _one(line: str, base: str, table: dict[str, str]) -> str:
    if not line.strip():
        return line
    inner = indent_of(line)
    return base + (translate(inner, table) if table else inner) + line[len(inner) :]


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


# ── mapped as the matched lines show ─────────────────────────────────────────────────────────────


def mapped(
    new: list[str], said: list[str], there: list[str], habits: Habits, level: Sequence[str] = ()
) -> list[str] | None:
    """New lines with the indentation that the matched lines teach; None where they teach nothing, or two things.

    `level`: new lines that take the place of one as deep.
    """
    if said == there:
        return new
    table = learnt(said, there)
    if table is None:
        return None
    if all(key == value for key, value in table.items()):
        return new
    step = _step(table, new, said, habits)
    moved = [_moved(line, table, step, habits) if line.strip() else line for line in new]
    if None in moved or (not habits.tabs and any("\t" in indent_of(line) for line in moved if line and line.strip())):
        return None
    done = [line for line in moved if line is not None]
    return done if _keeps_order(new, done, [*said, *level], table) else None


def learnt(said: list[str], there: list[str]) -> dict[str, str] | None:
    """The patch's indentation -> the file's, as the matched lines show it; None where that isn't a function."""
    table: dict[str, str] = {}
    for one, two in zip(said, there, strict=True):
        if one.strip() and table.setdefault(indent_of(one), indent_of(two)) != indent_of(two):
            return None
    return table


def _keeps_order(new: list[str], done: list[str], said: list[str], table: dict[str, str]) -> bool:
    """Whether new lines that are deeper than others in the patch are so in the file too; else they change their block.

    A first line that lost its indentation makes a table of the other kind: "" and four blanks both become four blanks.
    """
    repeated = set(said)
    pairs = zip(new, done, strict=True)
    depths = {indent_of(one): indent_of(two) for one, two in pairs if one.strip() and one not in repeated}
    table = table | depths
    for one in depths:
        for two in table:
            low, high = (one, two) if len(one) < len(two) else (two, one)
            # One blank more is no level: comments stand so, and lines with a blank behind their sign.
            deeper = _width(table[high]) - _width(table[low]) + (high == low + " ")
            if low != high and high.startswith(low) and deeper <= 0:
                return False
    return True


def _moved(line: str, table: dict[str, str], step: tuple[str, str], habits: Habits) -> str | None:
    inner, own = indent_of(line), habits.unit
    text = line[len(inner) :]
    if inner in table:
        return table[inner] + text
    if not step[0] and _shifted("", table) is None and _scaled("", table, own) is None and "" in table:
        return None
    table = _levels(table)
    known = max((key for key in table if inner.startswith(key)), key=len, default=None)
    if known is not None and step[0]:
        deeper = _in_steps(inner[len(known) :], step)
        return None if deeper is None else table[known] + deeper + text
    # Nothing matched shows this depth: all by the same shift, or all by the same scale; if both fit they must agree.
    if not inner and text.startswith(_AT_MARGIN):
        return None  # moved along or not: both are written
    shifted = table[known] + inner[len(known) :] if known is not None else _shifted(inner, table)
    scales = {_scaled(inner, table, own), _scaled(inner, table, habits.step) if habits.step else None} - {None}
    if scales and shifted is not None and habits.step and "\t" not in shifted and len(shifted) % len(habits.step):
        shifted = None  # the file has no such level
    guesses = scales | {shifted} - {None}
    return str(guesses.pop()) + text if len(guesses) == 1 else None


def _levels(table: dict[str, str]) -> dict[str, str]:
    """The table without what is no level: comments and continuation lines stand one blank deeper, or in between."""
    table = {key: value for key, value in table.items() if not (key[-1:] == " " and key[:-1] in table)}
    unit = min((len(key) for key in table if key and "\t" not in key), default=1)
    return {key: value for key, value in table.items() if "\t" in key or not len(key) % unit}


def _step(table: dict[str, str], new: list[str], said: list[str], habits: Habits) -> tuple[str, str]:
    """One level of indentation, in the patch and in the file."""
    keys = sorted(_levels(table), key=len)
    for one, two in pairwise(keys):
        more, there = two[len(one) :], table[two][len(table[one]) :]
        # One blank more is no level: comments and continuation lines stand so.
        if two.startswith(one) and table[two].startswith(table[one]) and there and " " not in (more, there):
            return more, there
    wide = sorted({len(indent_of(line)) for line in (*said, *new) if line.strip() and "\t" not in indent_of(line)})
    width = next((b - a for a, b in pairwise(wide) if b > a), 0)
    if habits.tabs and not habits.spaces and width:
        return " " * width, "\t"
    if not habits.tabs and any("\t" in indent_of(line) for line in new) and (_tab(table) or habits.step):
        return "\t", _tab(table) or habits.step
    return "", ""


def _tab(table: dict[str, str]) -> str:
    """How many spaces a tab is, if lines indented by tabs alone all show the same; else ""."""
    shown = {(there, said.count("\t")) for said, there in table.items() if said and not said.strip("\t")}
    widths = {len(there) / tabs for there, tabs in shown}
    width = widths.pop() if len(widths) == 1 else 0
    return " " * int(width) if width == int(width) else ""


def _in_steps(inner: str, step: tuple[str, str]) -> str | None:
    """An indentation made of the patch's steps as one of the file's.

    None where spaces are left over that may be part of a step, which is wider or narrower in the file.
    """
    done = ""
    while step[0] and inner.startswith(step[0]):
        done, inner = done + step[1], inner[len(step[0]) :]
    scaled = step[0] != step[1] and "\t" not in "".join(step)
    return None if scaled and len(inner) > 1 else done + inner


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


def _width(inner: str) -> int:
    return len(inner.expandtabs(8))


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
    return moved if _keeps_order(new, moved, [], table) else None


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
