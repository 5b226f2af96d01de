"""What a hunk's old text may be, if no level has a place for it: how copying spoils a text, the closed list. Pure.

    signs           a diff's context lines lost the space in front         `def f():` for ` def f():`
    space           a blank after each sign                                `- x` for `-x`
    line numbers    the numbers of an editor or of `cat -n` in front       `12 | return x`
    escapes         escaped once more than meant                           `print(\\"hi\\")`

A line of dots on both sides of a text (`...`) is a gap; the readers cut it there (`parsing/marks.py`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import TYPE_CHECKING

from ..model import Hunk, join_lines, split_lines
from ..text import BLANK, is_blank
from .search import lines_of

if TYPE_CHECKING:
    from ..text import Text

# `12: x`, `12 | x`, `12→x`, `12<TAB>x`, `12. x`; `|` alone for a line that continues.
_GUTTER = re.compile(r"[ \t]{0,8}(\d{1,6})(?:(\t)|(: ?)|( ?[|│] ?)|(→)|(\. ))")
_ESCAPE = re.compile(r"\\(.)")
_MEANS = {"n": "\n", "t": "\t", "r": ""}
_QUOTED = re.compile(r"\\([\\\"'])")
_TABS = re.compile(r"(?:\\t)+")


def readings(text: Text, hunk: Hunk) -> Iterator[tuple[Hunk, str]]:
    """The hunk as it may have been before it was spoilt, and how, in the order in which they are tried."""
    for name in hunk.policy.readings:
        reading = _READINGS[name](text, hunk)
        if reading is None or reading.old in (hunk.old, reading.new) or is_blank(reading.old.replace("\n", "")):
            continue
        yield reading, name


def with_signs(text: Text, hunk: Hunk) -> Hunk | None:
    """The hunk as it reads if its context lost its signs: one more space, if only that makes lines of the file."""
    if not hunk.signed:
        return None
    known = lines_of(text)
    signed = tuple(
        " " + line if line[0] == " " and line.strip() and line.rstrip(BLANK) in known else line for line in hunk.signed
    )
    # Whoever forgets the sign of one line forgets it of all.
    if any(one == two and one[0] == " " and one.strip() for one, two in zip(signed, hunk.signed, strict=True)):
        return None
    return _signed(hunk, signed)


def _without_space(text: Text, hunk: Hunk) -> Hunk | None:
    """The hunk without the blank after the signs of all its changed lines."""
    changed = [line for line in hunk.signed if line[0] != " "]
    if not any(line[0] == "-" for line in changed) or any(line[1:2] not in ("", " ") for line in changed):
        return None
    return _signed(hunk, tuple([line if line[0] == " " else line[0] + line[2:] for line in hunk.signed]))


def _without_numbers(text: Text, hunk: Hunk) -> Hunk | None:
    """The hunk without the line numbers in front of its old lines, if those count up; of new lines those that have any.

    12: x      or, as grep has it, 12:x      the blank may be the gutter's or the line's own: the file tells
    """
    lines = [line for line in split_lines(hunk.old) if not is_blank(line)]
    heads = [head for line in lines if (head := _GUTTER.match(line)) is not None]
    if not heads or len(heads) < len(lines) or len({head.lastindex for head in heads}) > 1:
        return None
    numbers = [int(head[1]) for head in heads]
    if any(two <= one for one, two in pairwise(numbers)):
        return None
    if len(heads) == 1 and text.lines[numbers[0] - 1 : numbers[0]] != [lines[0][heads[0].end() :]]:
        return None  # one number says little unless it is the line's own
    kind, known = heads[0].lastindex, lines_of(text)
    bare, with_blank = ([_cut(line, kind, keep).rstrip(BLANK) in known for line in lines] for keep in (False, True))
    keep = not all(bare) and all(with_blank)
    reading = _each_line(hunk, lambda line: _cut(line, kind, keep))
    if hunk.where.line:
        return reading
    return reading._replace(where=hunk.where._replace(line=numbers[0], last=numbers[0] + len(lines) - 1))


def _cut(line: str, kind: int | None, keep: bool) -> str:
    """A line without a number of some kind in front. `keep`: the blank after it is the line's own."""
    head = _GUTTER.match(line)
    if head is None or head.lastindex != kind:
        return line
    return line[head.end() - (keep and head[0].endswith(" ")) :]


def _without_escapes(text: Text, hunk: Hunk) -> Hunk | None:
    """The hunk without a level of escapes: of all signs if both texts are one line, otherwise of quotes and tabs."""
    old, new = hunk.old.removesuffix("\n"), hunk.new.removesuffix("\n")
    if "\\" not in old:
        return None
    if "\n" not in old and "\n" not in new and not hunk.signed and "\\n" in old:
        texts = [_ESCAPE.sub(lambda escape: _MEANS.get(escape[1], escape[1]), one) for one in (old, new)]
        end = "" if hunk.inline else "\n"
        return hunk._replace(old=texts[0] + end, new=texts[1] + end if texts[1] else "")
    return _each_line(hunk, _unescaped)


def _unescaped(line: str) -> str:
    run = _TABS.match(line)
    line = "\t" * (run.end() // 2) + line[run.end() :] if run else line
    return _QUOTED.sub(r"\1", line)


def _each_line(hunk: Hunk, change: Callable[[str], str]) -> Hunk:
    """The hunk with each of its lines changed."""
    if hunk.signed:
        return _signed(hunk, tuple([line[0] + change(line[1:]) for line in hunk.signed]))
    old, new = ("\n".join(map(change, side.split("\n"))) for side in (hunk.old, hunk.new))
    return hunk._replace(old=old, new=new)


def _signed(hunk: Hunk, signed: tuple[str, ...]) -> Hunk:
    old = join_lines([line[1:] for line in signed if line[0] != "+"])
    return hunk._replace(old=old, new=join_lines([line[1:] for line in signed if line[0] != "-"]), signed=signed)


_READINGS: dict[str, Callable[[Text, Hunk], Hunk | None]] = {
    "signs": with_signs, "space": _without_space, "line numbers": _without_numbers,
    "escapes": _without_escapes,
}  # fmt: skip
