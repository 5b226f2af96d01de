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

from ..model import Hunk
from ..problems import Problem
from ..record import NamedTuple
from ..similarity import is_alike
from ..syntax.languages import PYTHON, STRING, grammar_of, language_of
from ..text import depth_of, encode, indent_of, spliced
from .copied import healed
from .levels import may_run_over
from .line_kinds import is_closer, opens_block

TYPE_CHECKING = False
if TYPE_CHECKING:
    import ast
    from collections.abc import Iterable, Iterator, Sequence

    from ..syntax.languages import Language
    from ..syntax.symbols import Symbol
    from .search import Page
    from .splices import Fit


_AT_MARGIN = ("#if", "#el", "#end", "#def", "#undef", "#include", "#pragma")  # what the preprocessor of C reads
_OPENERS = (":", "{", "(", "[")
_ABOVE = 50  # lines above a place that tell in which brackets it begins
_TRIPLE = ("toml", "ex", "exs", "jl")  # strings like Python's
_HEREDOC = r"""<<[-~]?(['"]?)([A-Za-z_]\w*)\1"""
_PARSED = 4 * 1024 * 1024  # so many bytes are parsed for one file, in all, to tell readings apart
# Grammars and suffixes of languages in which indentation is a matter of taste, beside those with braces or tags.
_FREE = " ruby php lua bash julia ocaml elixir zig json jsonc json5 sql toml ini cfg conf properties pl pm r tex "
# Suffixes of others in which it says what belongs to what, as it does in Python.
_MINDING = " yaml yml hs lhs elm purs nim coffee pug jade haml slim sass styl fs fsx fsi gd pyx pxd bzl star "


_ITEM = re.compile(r"(?:[-*+]|\d+[.)]) +")  # of a list


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


def mixed(lines: Iterable[str]) -> bool:
    """Whether tabs and spaces meet in one line's indentation."""
    return any(len(set(indent_of(line))) > 1 for line in lines if line.strip())


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


# ── an edit as the file would write it ───────────────────────────────────────────────────────────


class Adapted(NamedTuple):
    """The hunk in the file's indentation; `other`: the second way to read it, where the first line lost its own.

    `shallower`: new lines below the first are less deep than the old ones; `level`: as deep as the first is written.
    `alone`: there is but one old line. `defines`: a function or class may be meant for the margin.
    """

    hunk: Hunk
    other: Hunk | None = None
    shallower: bool = False
    alone: bool = False
    defines: bool = False
    level: bool = False


def adapted(page: Page, hunk: Hunk, found: dict[int, int]) -> Adapted | Problem | None:
    """The hunk as it is written at a place; None where its indentation has no one translation.

    `found`: the row of each old line.
    """
    at = sorted(found)
    there = [page.lines[found[i]] for i in at]
    old = hunk.old
    mended = healed(page, hunk, [old[i] for i in at], there)
    if isinstance(mended, Problem) or not hunk.policy.maps_indentation:
        return mended if isinstance(mended, Problem) else Adapted(mended)
    hunk, old = mended, mended.old
    said = [old[i] for i in at]
    if said == there:
        return Adapted(hunk)
    if hunk.policy.may_lose_signs:
        said = _with_lost_signs(hunk, at, said, there)
        hunk = _moved(hunk, {i: indent_of(line) for i, line in zip(at, said, strict=True)}, {})
        old = hunk.old
    if said == there:
        return Adapted(hunk)
    first = next((k for k, line in enumerate(said) if line.strip()), -1)
    lost = first >= 0 and indent_of(said[first]) != indent_of(there[first])
    gap = _lost(said, there, first) if lost and not any(line.strip() for line in old[: at[first]]) else ""
    alone = sum(bool(line.strip()) for line in old) == 1
    pads = {i: indent_of(line) for i, line in zip(at, there, strict=True)}
    fixed = _strings(page, hunk, found)
    if gap and not alone:
        only = _moved(hunk, pads, _first_moved(hunk, indent_of(said[first]), gap))
        whole = _whole(hunk, pads, found, gap, fixed)
        shallower = _is_shallower(hunk, said[first + 1 :], fixed)
        below = [indent_of(line) for line in hunk.new if line.strip()][1:]
        own = indent_of(said[first])
        level, defines = own in below, _defines(hunk.new, own)
        # Who cuts off blanks cuts them all: where some are left, lines as deep as the first are meant as deep as it is.
        shallower = shallower or (own != "" and level and minds_indentation(page.path))
        if is_free(page.path) and _repeats(old[at[first] + 1 :], hunk.new):
            return Adapted(only)
        return _unclear() if shallower and whole is None else Adapted(only, whole, shallower, False, defines, level)
    added = [text for tag, text in hunk.lines if tag == "+"]
    moved = mapped(added, said, there, page.habits(), _level(hunk)) or _line_for_line(hunk, pads)
    if moved is None:
        return None
    rows = [k for k, (tag, _) in enumerate(hunk.lines) if tag == "+"]
    whole = _moved(hunk, pads, {k: line for k, line in zip(rows, moved, strict=True) if k not in fixed})
    shown = [line for line in hunk.new if line.strip()]
    if not gap or len(shown) < 2:
        return Adapted(whole)
    only = _moved(hunk, pads, _first_moved(hunk, indent_of(said[first]), gap))
    if _is_at_its_place(page, found[at[first]], shown):
        whole, only = only, whole
    return Adapted(whole, only, alone=True, defines=_defines(hunk.new, indent_of(shown[0])))


def chosen(page: Page, made: Adapted, one: list[Fit], two: list[Fit]) -> list[Fit] | Problem:
    """Of the fits of both readings those that are meant."""
    if [fit.splice for fit in one] == [fit.splice for fit in two]:
        return one
    if is_free(page.path):
        return two if made.shallower else one
    read = read_both(page, *(spliced(page.lines, [made.splice for made in fits]) for fits in (one, two)))
    if read is not None and read.one != read.two:
        return one if read.one else two
    if made.alone and read is not None and read.one and not read.same and made.defines:
        return _unclear()
    if made.alone or not made.shallower:
        return one
    # Lines level with the first are a text of their own, which would leave its block to the letter:
    #     # skip empty ones        for a line with eight blanks and one below it: `return` isn't meant for the margin
    #     if not cart:
    #         return
    if read is not None and (read.same or (read.two and made.level and not made.defines)):
        return two
    return _unclear()


def opens(line: str) -> bool:
    """Whether a line opens a block or bracket: lines below it are deeper."""
    return line.rstrip().endswith(_OPENERS)


def _unclear() -> Problem:
    detail = "the first line has lost its indentation, and it isn't clear whether the new lines below it have, too"
    return Problem("ambiguous", detail, advice="Write all lines with the file's own indentation.")


# ── a first line that lost its indentation ───────────────────────────────────────────────────────


def _lost(said: Sequence[str], there: Sequence[str], first: int) -> str:
    """What the first line lost; "" where it lost nothing, or others have another indentation too."""
    own, pad = indent_of(said[first]), indent_of(there[first])
    below = zip(said[first + 1 :], there[first + 1 :], strict=True)
    if not pad.endswith(own) or any(indent_of(one) != indent_of(two) for one, two in below if one.strip()):
        return ""
    return pad[: len(pad) - len(own)]


def _repeats(old: Sequence[str], new: Sequence[str]) -> bool:
    """Whether some old lines below the first are new ones, too, as deep as they are in the file: so are the others.

    |e.b()              old: the same two lines
    |    return e
    |}
    |func more() {
    """
    known = {line for line in old if indent_of(line) and line.strip()}
    return any(line in known for line in new)


def _with_lost_signs(hunk: Hunk, at: list[int], said: list[str], there: list[str]) -> list[str]:
    """The old lines, of which those that are kept and lost the sign in front of them are as the file has them.

    |   steps:              a line that has its sign
    | - uses: checkout      one that lost it, and so says nothing of the depth of the others
    |+    with: token

    Where removed or added lines are as shallow, the text was flattened, and no sign was lost.
    """
    tags = hunk.tags.replace("+", "")
    pairs = list(zip(said, there, strict=True))
    lost = {k for k, (line, file) in enumerate(pairs) if file == f" {line}"}
    depths = {indent_of(said[k]) for k in lost}
    shallow = any(tag == "+" and indent_of(text) in depths for tag, text in hunk.lines)
    if shallow or any(tags[at[k]] == "-" for k in lost) or not any(line == file != "" for line, file in pairs):
        return said
    return [there[k] if k in lost else line for k, line in enumerate(said)]


def _first_moved(hunk: Hunk, own: str, gap: str) -> dict[int, str]:
    """The first new line, if it was written as the first old one."""
    new = ((k, tag, text) for k, (tag, text) in enumerate(hunk.lines) if tag != "-" and text.strip())
    k, tag, text = next(new, (-1, "", ""))
    return {k: gap + text} if tag == "+" and indent_of(text) == own else {}


def _whole(hunk: Hunk, pads: dict[int, str], found: dict[int, int], gap: str, fixed: set[int]) -> Hunk | None:
    """The hunk with all of its new text moved; None where lines in between would go unsaid."""
    if not hunk.policy.compares_texts:
        added = {k: gap + text for k, (tag, text) in enumerate(hunk.lines) if tag == "+" and text.strip()}
        return _moved(hunk, pads, {k: text for k, text in added.items() if k not in fixed})
    old = _moved(hunk, pads, {}).old
    if len(found) < len(old) or max(found.values()) - min(found.values()) >= len(old):
        return None
    new = [
        text if k in fixed or not text.strip() else gap + text for k, (tag, text) in enumerate(hunk.lines) if tag != "-"
    ]
    return hunk._replace(lines=(*(("-", text) for text in old), *(("+", text) for text in new)))


def _moved(hunk: Hunk, pads: dict[int, str], new: dict[int, str]) -> Hunk:
    """The hunk with some of its new lines as given, and its old ones indented as the file has them."""
    lines, index = [], 0
    for k, (tag, text) in enumerate(hunk.lines):
        if tag == "+":
            lines.append((tag, new.get(k, text)))
            continue
        lines.append((tag, pads[index] + text.lstrip(" \t") if index in pads and text.strip() else text))
        index += 1
    return hunk._replace(lines=tuple(lines))


def _is_shallower(hunk: Hunk, below: Sequence[str], fixed: set[int]) -> bool:
    """Whether some new line below the first is less deep than every old one there."""
    new = [(k, tag, text) for k, (tag, text) in enumerate(hunk.lines) if tag != "-" and text.strip()]
    depths = [depth_of(text) for k, tag, text in new[1:] if tag == "+" and k not in fixed]
    return min(depths, default=1 << 30) < min([depth_of(line) for line in below if line.strip()], default=0)


def _runs(hunk: Hunk) -> Iterator[tuple[list[int], list[str]]]:
    """The changes of a hunk, one after another: which of its old lines go, and the lines that come for them."""
    gone: list[int] = []
    come: list[str] = []
    index = 0
    for tag, text in (*hunk.lines, (" ", "")):
        if tag == "+":
            come.append(text)
            continue
        if gone and (come or tag == " "):
            yield gone, come
        elif come:
            yield [], come
        if come or tag == " ":
            gone, come = [], []
        gone += [index] if tag == "-" else []
        index += 1


def _level(hunk: Hunk) -> list[str]:
    """New lines that replace old ones line for line, each as deep as the old: none can leave its block."""
    old = hunk.old
    return [
        text for gone, come in _runs(hunk) for text in come
        if [indent_of(old[i]) for i in gone] == [*map(indent_of, come)]
    ]  # fmt: skip


def _line_for_line(hunk: Hunk, pads: dict[int, str]) -> list[str] | None:
    """The added lines, each as deep as the file's line of which it is a new version; None where some is not.

    patch   if ready:            file   if ready:            The depths of the patch say nothing,
           -go(1)                           go(1)            but one line takes the place of another.
           +go(2)                       stop()
            stop()
    """
    old, done = hunk.old, []
    for gone, come in _runs(hunk):
        if come and len(gone) != len(come):
            return None
        for i, text in zip(gone, come, strict=False):
            if i not in pads or indent_of(old[i]) != indent_of(text) or opens(old[i]) != opens(text):
                return None
            if not is_alike(old[i].strip(), text.strip()):
                return None
            done.append(pads[i] + text.lstrip(" \t"))
    return done


def _defines(new: Sequence[str], own: str) -> bool:
    """Whether a function or class follows two blank lines, or a line behind which nothing is reached: `return y`."""
    above, blanks = "", 0
    for line in new:
        if not line.strip():
            blanks += 1
            continue
        definition = indent_of(line) == own and line.lstrip().startswith(("def ", "class ", "async def ", "@"))
        if definition and (blanks > 1 or (blanks and above.startswith(("return", "raise", "pass")))):
            return True
        above, blanks = line[len(own) :], 0
    return False


def _is_at_its_place(page: Page, row: int, new: list[str]) -> bool:
    """Whether the second new line is as deep as its place in the file wants it, and too deep for a text of its own:

    |if cart.empty:           the file's line has four blanks, and steps are of four
    |        return

    |uses: setup@v4           the file's line has six; nothing belongs below it, but beside it
    |      with:

    |steps:                   the file's line has four, and so has the item below it
    |    - name: Build
    """
    first, second = new[:2]
    base, deep = len(indent_of(page.lines[row])), len(indent_of(second))
    deeper = deep - len(indent_of(first))
    item = _ITEM.match(first)
    if item or not opens(first):
        return deeper > (len(item[0]) if item else 0) and deep >= base
    rows = range(row + 1, len(page.lines))
    below = next((page.lines[at] for at in rows if page.lines[at].strip()), "")
    if opens(page.lines[row]) and len(indent_of(below)) in (deep, base + deeper):
        return len(indent_of(below)) == deep
    habits = page.habits()
    return deeper > len(habits.step or habits.unit) and deep > base


# ── text inside a line, whose other lines may be meant for its column ────────────────────────────


def to_first(page: Page, pad: str, old: str, new: str) -> str:
    """New text for a place behind a line's indentation, its lines below brought to that column; "" where as it is.

    {"old_string": "x = 1", "new_string": "x = 1\\ny = 2"} in a function: the second line leaves it, to the letter.
    """
    below = [depth_of(line) for line in old.split("\n")[1:] if line.strip()]
    if not minds_indentation(page.path) and not (below and is_free(page.path)):
        return ""
    lines = new.split("\n")
    fixed = string_lines(lines, lexed_as(page.path))
    depths = [depth_of(line) for row, line in enumerate(lines) if row and line.strip() and row not in fixed]
    deep = min(below, default=depth_of(pad + "x"))
    least = min(depths, default=deep)
    if least >= deep:
        return ""
    if not minds_indentation(page.path) and (least or (depths[0] and not opens_block(lines[0]))):
        return ""  # `    end` for a place at column 8 ends a block of the file: nothing is written from the margin on
    kept = [not row or not line.strip() or row in fixed for row, line in enumerate(lines)]
    return "\n".join([line if keep else pad + line for keep, line in zip(kept, lines, strict=True)])


def letter_or_column(page: Page, one: list[Fit], two: list[Fit]) -> list[Fit] | Problem:
    """Of a text put in to the letter, and brought to the first line's column, the one that is meant."""
    if is_free(page.path):
        return two
    read = read_both(page, *(spliced(page.lines, [made.splice for made in fits]) for fits in (one, two)))
    if read is None or (read.one == read.two and not read.same):
        return _unclear()._replace(line=one[0].splice.start + 1)
    return one if read.one else two


# ── the text of a symbol, at the column where the symbol stands ──────────────────────────────────


class Column(NamedTuple):
    """A symbol's text as it will stand; `begun`: it was written from behind the first line's indentation on."""

    lines: tuple[str, ...]
    begun: bool = False


def at_column(page: Page, symbol: Symbol, text: tuple[str, ...], start: int, end: int) -> Column | Problem:
    """The text in the indentation that its place in the file asks for; it takes the place of lines start..end."""
    shown = [row for row, line in enumerate(text) if line.strip()]
    if symbol.kind == "file" or not shown or symbol.first >= len(page.lines):
        return Column(text)
    fixed = string_lines(list(text), lexed_as(page.path))
    code = [row for row in shown if row not in fixed]
    own, base = indent_of(text[shown[0]]), indent_of(page.lines[symbol.first])
    begun: list[str] | None = None
    if base.endswith(own):  # else all of it is shown deeper than it stands
        begun = [base + line.lstrip(" \t") if row == shown[0] else line for row, line in enumerate(text)]
    moved = _brought(page, text, code, page.lines[symbol.first])
    readings = [lines for lines in (begun, moved) if lines is not None and _stays(page, lines, fixed, base)]
    if own == base:
        readings = readings[-1:]  # tabs in a file of spaces become those, and the other way round
    elif moved in readings and begun not in readings and _is_half(page, text, depth_of(base)):
        readings = []
    if len(readings) == 2 and readings[0] != readings[1]:
        inner, last = min((depth_of(text[row]) for row in code[1:]), default=-1), text[code[-1]]
        if inner < 0:
            readings = readings[1:]
        elif is_closer(last) and depth_of(last) == depth_of(base):
            readings = readings[:1]  # it closes the symbol where that was begun
        else:
            readings = _told(page, readings, (start, end), inner, depth_of(base))
    if not readings:
        detail = f"the indentation of the new text doesn't match that of `{symbol.name_path}`"
        advice = f"Indent its first line by {len(base)} spaces, and the others relative to it."
        return Problem("ambiguous", detail, line=symbol.first + 1, advice=advice)
    return Column(tuple(readings[0]), own != base and readings[0] == begun != moved)


def _brought(page: Page, text: tuple[str, ...], code: list[int], there: str) -> list[str] | None:
    """All of the text moved as its first line is; strings stay. None where some line can't be."""
    own = indent_of(text[code[0]])
    if not all(text[row].startswith(own) for row in code):
        return None
    done = align([text[row] for row in code], [text[code[0]]], [there], page.habits())
    if done is None:
        return None
    moved = list(text)
    for row, line in zip(code, done, strict=True):
        moved[row] = line
    return moved


def _is_half(page: Page, text: tuple[str, ...], base: int) -> bool:
    """Whether the first line alone lost its indentation, and another stands where nothing of the symbol can."""
    depths = [depth for depth, _ in _statements(list(text))] if not is_free(page.path) else []
    return len(depths) > 2 and depths[1] > base > min(depths[2:])


def _stays(page: Page, lines: list[str], fixed: dict[int, int], base: str) -> bool:
    """Whether the first statement stands at the column, none leaves the block, and each block has something in it."""
    if is_free(page.path):
        return all(
            depth_of(line) >= depth_of(base) for row, line in enumerate(lines) if line.strip() and row not in fixed
        )
    found = _statements(lines)
    if not found or (found[0][0] != depth_of(base) or min(found)[0] != found[0][0]):
        return not found
    return not any(opens and below[0] <= depth for (depth, opens), below in pairwise(found))


def _statements(lines: list[str]) -> list[tuple[int, bool]]:
    """How deep each statement stands, and whether it opens a block: Python's, and near enough for its kin."""
    from ..syntax.languages import PYTHON
    from ..syntax.lexer import flat, logical_lines, tokens

    text = "\n".join(lines)
    plain = flat(text, tokens(text, PYTHON))
    found = []
    row = position = 0
    for start, end in logical_lines(plain):
        row, position = row + text.count("\n", position, start), start
        found.append((depth_of(lines[row]), plain[start:end].rstrip()[-1:] == ":"))
    return found


def _told(page: Page, readings: list[list[str]], rows: tuple[int, int], below: int, base: int) -> list[list[str]]:
    """Of the text as it was begun, and moved as a whole, the one that is meant; none where nothing tells."""
    start, end = rows
    if is_free(page.path):
        # int total() =>             begun: `    int total() =>`, and below it `    sum(1)`, which goes on and is deeper
        #     sum(1);
        first = next(line for line in readings[0] if line.strip())
        goes_on = opens_block(first) and not first.rstrip().endswith(("{", "(", "[", ",", ":"))
        return readings[1:] if below <= base and goes_on else readings[:1]
    read = read_both(page, *([*page.lines[:start], *lines, *page.lines[end:]] for lines in readings))
    if read is not None and read.one != read.two:
        return readings[:1] if read.one else readings[1:]
    if (read is None and below != base) or (read is not None and read.same):
        return readings[:1] if below > base else readings[1:]
    return []


# ── what indentation says in a file ──────────────────────────────────────────────────────────────


class Read(NamedTuple):
    """Whether each of two results can be read, and whether they say the same."""

    one: bool
    two: bool
    same: bool = False


def read_both(page: Page, one: list[str], two: list[str]) -> Read | None:
    """What Python says of a file after one edit and after another; None of other files, or of one it can't read."""
    if not is_python(page.path) or page.parsed >= _PARSED:
        return None
    from ..syntax.validate import readable

    page.parsed += 3 * (sum(map(len, page.lines)) + len(page.lines))
    if page.parsed > _PARSED:
        return None
    first = next((line for line in page.lines if line.strip()), "")
    # The lines of a method, for themselves, are no text that can be read.
    head = "if 1:\n" if indent_of(first) else ""
    before, *after = (encode(head + "\n".join([*lines, ""])) for lines in (page.lines, one, two))
    found = readable(page.path, before, after)
    return Read(found[0], found[1], all(found) and _same(*after)) if found else None


def _same(one: bytes, two: bytes) -> bool:
    """Whether two texts give the same tree; docstrings may be indented otherwise. Statements alike to the letter do.

    Where that is certain, only the function or class around what differs is read.
    """
    import ast
    import warnings

    from ..syntax.validate import differing

    for texts in (differing(one, two), (one, two)):
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                pairs = zip(*(_top_statements(ast.parse(text), text) for text in texts), strict=True)
                trees = [
                    [ast.dump(node).replace("\\n", " ").split() for _, node in pair]
                    for pair in pairs
                    if pair[0][0] != pair[1][0]
                ]
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            continue
        return all(first == second for first, second in trees)
    return False


def _top_statements(tree: ast.Module, text: bytes) -> list[tuple[list[bytes], ast.stmt]]:
    """The statements at the top of a text, each with its lines, decorators and neighbours on them included."""
    lines = text.splitlines()
    starts = [min([node.lineno, *(one.lineno for one in getattr(node, "decorator_list", ()))]) for node in tree.body]
    return [(lines[start - 1 : node.end_lineno], node) for start, node in zip(starts, tree.body, strict=True)]


def is_free(path: str) -> bool:
    """Whether indentation surely says nothing in a file of this name."""
    language = language_of(path)
    if language is not None and language.family != "script":
        return language.family != "python"
    return f" {grammar_of(path) or path[path.rfind('.') + 1 :].lower()} " in _FREE


def minds_indentation(path: str) -> bool:
    """Whether indentation says what belongs to what in a file of this name."""
    return is_python(path) or f" {path[path.rfind('.') + 1 :].lower()} " in _MINDING


def is_python(path: str) -> bool:
    """Whether Python reads a file of this name."""
    return grammar_of(path) == "python"


# ── strings, whose lines stay as they are ────────────────────────────────────────────────────────


def _strings(page: Page, hunk: Hunk, found: dict[int, int]) -> set[int]:
    """Which lines of the hunk begin within a new string of several lines: they are content, and stay as they are.

    Docstrings move with their code; so do all, where the old lines show that of a string's contents.
    """
    language = lexed_as(page.path)
    if not found or not _may_hold_strings([line for tag, line in hunk.lines if tag == "+"], language):
        return set()
    old, top = hunk.old, min(found.values())
    start = top
    if language is not None and language is page.language():
        inside = page.lexed(language).inside
        if any(
            inside[row] == STRING and indent_of(old[i]) != indent_of(page.lines[row])
            for i, row in found.items()
            if old[i].strip()
        ):
            return set()
        start = max(top - _ABOVE, 0)
        while inside[start]:
            if start == top:
                return set()
            start += 1
    new = [(k, tag, line) for k, (tag, line) in enumerate(hunk.lines) if tag != "-"]
    above = page.lines[start:top]
    opened = string_lines([*above, *(line for _, _, line in new)], language)
    return {
        new[row - len(above)][0] for row, opener in opened.items()
        if opener >= len(above) and new[opener - len(above)][1] == "+"
    }  # fmt: skip


def _may_hold_strings(lines: Sequence[str], language: Language | None) -> bool:
    """Whether a string may run over the end of one of the lines; a no is certain and cheap."""
    if language is None:
        return any("<<" in line for line in lines)
    # A script in a page is code.
    return language.family != "xml" and any(may_run_over(f"{line}\n", language) for line in lines)


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
