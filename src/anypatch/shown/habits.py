"""How the indentation of new lines follows from the matched ones: one rule for all of them together, or none. Pure.

patch             file                  the matched lines say     so the added line
|if ready:        |    if ready:        "" is four blanks         |    go()   becomes   |        go()
|  go()           |    \tgo()           two blanks are a tab      |  stop()   becomes   |    \tstop()
"""

from __future__ import annotations

import re
from functools import cached_property
from itertools import pairwise, repeat
from math import gcd

from ..syntax.languages import PYTHON, STRING, grammar_of, language_of
from ..text import depth_of, indent_of

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..syntax.languages import Language

_AT_MARGIN = ("#if", "#el", "#end", "#def", "#undef", "#include", "#pragma")  # what the preprocessor of C reads
_TRIPLE = ("toml", "ex", "exs", "jl")  # strings like Python's
_HEREDOC = r"""<<[-~]?(['"]?)([A-Za-z_]\w*)\1"""
# Grammars and suffixes of languages in which indentation is a matter of taste, beside those with braces or tags.
_FREE = " ruby php lua bash julia ocaml elixir zig json jsonc json5 sql toml ini cfg conf properties pl pm r tex "


class Habits:
    """How a file is indented; each answer is found when it is asked for, and once."""

    def __init__(self, lines: Sequence[str]) -> None:
        self._lines = lines

    @cached_property
    def tabs(self) -> bool:
        """Whether some line begins with a tab."""
        return any(map(str.startswith, self._lines, repeat("\t")))

    @cached_property
    def spaces(self) -> bool:
        """Whether some line is indented by spaces."""
        return any(line[:2] == "  " and line.strip() for line in self._lines)

    @cached_property
    def step(self) -> str:
        """The spaces by which most lines are deeper than those above; "" where no number has most of them."""
        pads = [len(indent_of(line)) for line in self._lines if line.strip() and line[:1] != "\t"]
        steps = [two - one for one, two in pairwise(pads) if two - one > 1]
        unit = max(set(steps), key=steps.count, default=0)
        return " " * unit if 2 * steps.count(unit) > len(steps) else ""

    @cached_property
    def unit(self) -> str:
        """One level: as many spaces as the shallowest indented line has, else a tab."""
        pads = [indent_of(line) for line in self._lines if line[:1] == " " and line.strip()]
        return " " * min((len(pad) for pad in pads if "\t" not in pad and len(pad) > 1), default=0) or "\t"


def learnt(said: Sequence[str], there: Sequence[str]) -> dict[str, str] | None:
    """The patch's indentation -> the file's, as the matched lines show it; None where that isn't a function."""
    table: dict[str, str] = {}
    for one, two in zip(said, there, strict=True):
        if one.strip() and table.setdefault(indent_of(one), indent_of(two)) != indent_of(two):
            return None
    return table


def mapped(
    new: list[str], said: list[str], there: list[str], habits: Habits, level: Sequence[str] = ()
) -> list[str] | None:
    """New lines with the indentation that the matched lines teach; None where they teach nothing, or two things.

    `said` and `there` are the matched lines as the patch and as the file write them. `level`: new lines that take the
    place of one as deep.
    """
    table = learnt(said, there)
    if table is None or all(key == value for key, value in table.items()):
        return None if table is None else new
    pads = {indent_of(line) for line in new if line.strip()}
    if "" in pads and not any(table.values()) and pads.isdisjoint(table):
        return new  # old lines of the margin got blanks in front, the new ones have none
    if "" not in table and any(line.startswith(_AT_MARGIN) for line in new):
        return None  # moved along or not: both are written
    done = _translated(new, table, habits)
    if done is None or (not habits.tabs and any("\t" in indent_of(line) for line in done if line.strip())):
        return None
    return done if _keeps_order(new, done, [*said, *level], table) else None


def align(new: list[str], said: list[str], there: list[str], habits: Habits) -> list[str] | None:
    """New lines aligned to the first matched line; None where they have tabs and nothing tells how wide those are.

    Where the matched lines show that the patch indents otherwise (spaces for tabs, two for four), the new lines are
    translated the same way; where they show nothing, tabs in a file of spaces become its own unit and the other way
    round.
    """
    own, base = indent_of(said[0]), indent_of(there[0])
    if not all(line.startswith(own) for line in new if line.strip()):
        new = [own + line if line.strip() else line for line in new]
    inside = [(one, two) for one, two in zip(said, there, strict=True) if one.startswith(own)]
    table = {own: base} | (learnt(*zip(*inside, strict=True)) or {})
    if any(table[pad] == base for pad in table if pad != own):
        table = {own: base}
    return _translated(new, table, habits, aligned=True)


def _translated(new: list[str], table: dict[str, str], habits: Habits, *, aligned: bool = False) -> list[str] | None:
    """New lines by the table; depths that it lacks by the steps that it shows. None where there isn't one way."""
    pads = {indent_of(line) for line in new if line.strip()}
    levels = _levels(table)
    ways = _ways(levels, pads, habits, aligned)
    done: dict[str, str] = {}
    for pad in pads:
        found = {table[pad]} if pad in table else {_derived(pad, levels, way) for way in ways} - {None}
        if len(found) > 1 and habits.step and len(shifted := _derived(pad, levels, {}) or "") % len(habits.step):
            found.discard(shifted)  # the file has no such level
        if len(found) != 1 or (pad not in table and _may_stand(pad, levels, habits)):
            return None
        done[pad] = str(found.pop())
    return [done[indent_of(line)] + line.lstrip(" \t") if line.strip() else line for line in new]


def _levels(table: dict[str, str]) -> dict[str, str]:
    """The table without what is no level: comments and continuation lines stand one blank deeper, or in between."""
    table = {key: value for key, value in table.items() if not (key[-1:] == " " and key[:-1] in table)}
    widths = [len(key) for key in table if key and "\t" not in key]
    unit = gcd(*widths) if gcd(*widths) > 1 else min(widths, default=1)
    return {key: value for key, value in table.items() if "\t" in key or not len(key) % unit}


def _ways(levels: dict[str, str], pads: set[str], habits: Habits, aligned: bool) -> list[dict[str, str]]:
    """What one step of the patch's may be in the file: {"  ": "\t"}; {} where they are the same."""
    for one, two in pairwise(sorted(levels, key=len)):
        more, there = two[len(one) :], levels[two].removeprefix(levels[one])
        # One blank more is no level: comments and continuation lines stand so.
        if two.startswith(one) and levels[two].startswith(levels[one]) and there and " " not in (more, there):
            return [{more: there}]
    widths = sorted({len(pad) for pad in (*pads, *levels) if "\t" not in pad})
    if habits.tabs and not habits.spaces and len(widths) > 1:
        step = widths[1] - widths[0]
        if step > 1 and not any((width - widths[0]) % step for width in widths):
            return [{" " * step: "\t"}]
    if not habits.tabs and any("\t" in pad for pad in pads) and (not aligned or habits.spaces):
        tab = _tab(levels) or habits.step
        return [{"\t": tab}] if tab else []
    if aligned:
        return [{}]
    ways: list[dict[str, str]] = [{}] if _is_shift(levels) else []
    # A patch indented by two where the file is by four shows depths that are two apart.
    steps = {" " * (two - one) for one, two in pairwise(widths)}
    for own in {habits.unit, habits.step} - {""}:
        ways += [{unit: own} for unit in {"\t", min(steps, default="\t")} - {own} if _is_scale(levels, unit, own)]
    return ways


def _tab(levels: dict[str, str]) -> str:
    """How many spaces a tab is, if lines indented by tabs alone all show the same; else ""."""
    widths = {len(there) / len(said) for said, there in levels.items() if said and not said.strip("\t")}
    width = widths.pop() if len(widths) == 1 else 0
    return " " * int(width) if width == int(width) else ""


def _is_shift(levels: dict[str, str]) -> bool:
    """Whether every level is deeper, or less deep, by the same."""
    pairs = levels.items()
    deeper, less_deep = all(two.endswith(one) for one, two in pairs), all(one.endswith(two) for one, two in pairs)
    return (deeper or less_deep) and len({len(two) - len(one) for one, two in pairs}) == 1


def _is_scale(levels: dict[str, str], unit: str, own: str) -> bool:
    """Whether every level is as many units of the patch as it is of the file's own."""
    counts = [(key, value, len(key) // len(unit)) for key, value in levels.items()]
    return all(count and key == unit * count and value == own * count for key, value, count in counts)


def _derived(pad: str, levels: dict[str, str], way: dict[str, str]) -> str | None:
    """A depth that no matched line has: so many steps deeper or less deep than the nearest that one has."""
    known = max((key for key in levels if pad.startswith(key)), key=len, default=None)
    if known is not None:
        deeper = _in_steps(pad[len(known) :], way)
        return None if deeper is None else levels[known] + deeper
    known = min((key for key in levels if key.startswith(pad)), key=len, default=None)
    further = None if known is None else _in_steps(known[len(pad) :], way)
    if known is None or further is None or not levels[known].endswith(further):
        return None
    return levels[known][: len(levels[known]) - len(further)]


def _may_stand(pad: str, levels: dict[str, str], habits: Habits) -> bool:
    """Whether a depth left of all that moved to the left may as well be the file's own already."""
    is_left = all(len(value) < len(key) and key.startswith(pad) for key, value in levels.items())
    return is_left and (not habits.step or not len(pad) % len(habits.step))


def _in_steps(more: str, way: dict[str, str]) -> str | None:
    """Indentation in the file's steps.

    None where spaces are left over that may be part of a step, which is wider or narrower in the file.
    """
    done = ""
    for step, there in way.items():
        while more.startswith(step):
            done, more = done + there, more[len(step) :]
        if len(more) > 1 and step != there and "\t" not in step + there:
            return None
    return done + more


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
            deeper = depth_of(table[high]) - depth_of(table[low]) + (high == low + " ")
            if low != high and high.startswith(low) and deeper <= 0:
                return False
    return True


def is_free(path: str) -> bool:
    """Whether indentation surely says nothing in a file of this name."""
    language = language_of(path)
    if language is not None and language.family != "script":
        return language.family != "python"
    return f" {grammar_of(path) or path[path.rfind('.') + 1 :].lower()} " in _FREE


def lexed_as(path: str) -> Language | None:
    """The language whose strings a file has; None where the lexer knows none of them."""
    language = PYTHON if path[path.rfind(".") + 1 :].lower() in _TRIPLE else language_of(path)
    return None if language is not None and language.family == "script" else language


def string_lines(lines: list[str], language: Language | None) -> dict[int, int]:
    """The lines that begin within a string, docstrings aside -> the line that opens it."""
    if language is None:
        return _heredocs(lines)
    from ..syntax.lexer import docstrings, tokens

    text = "\n".join(lines)
    tokenized = tokens(text, language)
    said = set(docstrings(text, tokenized)) if language.family == "python" else set()
    spans = [(start, end) for start, end, kind in tokenized if kind == STRING and "\n" in text[start:end]]
    opened: dict[int, int] = {}
    row = position = 0
    for start, end in spans:
        row, position = row + text.count("\n", position, start), start
        if not any(low <= start and end <= high for low, high in said):
            opened |= dict.fromkeys(range(row + 1, row + 1 + text.count("\n", start, end)), row)
    return opened


def _heredocs(lines: list[str]) -> dict[int, int]:
    opened: dict[int, int] = {}
    word, opener = "", 0
    for row, line in enumerate(lines):
        if word:
            opened[row] = opener
            word = "" if line.strip() == word else word
        elif "<<" in line and (begun := re.search(_HEREDOC, line)):
            word, opener = begun.group(2), row
    return {} if word else opened
