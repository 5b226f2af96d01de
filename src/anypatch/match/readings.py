"""Other readings of a hunk whose old text no level places: how copying spoils a text. The list is closed. Pure.

    signs           a diff's context lines lost the space in front         `def f():` for ` def f():`
    space           a space after each sign                                `- x` for `-x`
    line numbers    the numbers of an editor or of `cat -n` in front       `12 | return x`
    escapes         escaped once too often                                 `print(\\"hi\\")`

A line of dots on both sides of a text (`...`) is a gap; the readers cut the text there (`answer/marks.py`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import TYPE_CHECKING

from ..model import Hunk, join_lines, split_lines
from ..text import BLANK, is_blank
from .search import known_lines

if TYPE_CHECKING:
    from ..text import Text

# `12: x`, `12 | x`, `12→x`, `12<TAB>x`, `12. x`
_GUTTER = re.compile(r"[ \t]{0,8}(\d{1,6})(?:(\t)|(: ?)|( ?[|│] ?)|(→)|(\. ))")
_ESCAPE = re.compile(r"\\(.)")
_ESCAPED = {"n": "\n", "t": "\t", "r": ""}
_ESCAPED_QUOTE = re.compile(r"\\([\\\"'])")
_ESCAPED_TABS = re.compile(r"(?:\\t)+")


def readings(text: Text, hunk: Hunk) -> Iterator[tuple[Hunk, str]]:
    """Yield the hunk as it may have been before it was spoilt, each with the name of the reading, in order."""
    for name in hunk.policy.readings:
        reading = _READINGS[name](text, hunk)
        if reading is None or reading.old in (hunk.old, reading.new) or is_blank(reading.old.replace("\n", "")):
            continue
        yield reading, name


def with_signs(text: Text, hunk: Hunk) -> Hunk | None:
    """Give context lines the sign that they lost, if the file has all of them as they are written."""
    if not hunk.signed:
        return None
    known = known_lines(text)
    context = [line for line in hunk.signed if line[0] == " " and line.strip()]
    if any(line.rstrip(BLANK) not in known for line in context):
        return None  # a sign that is missing in one line is missing in all
    return with_signed(hunk, tuple([" " + line if line[0] == " " and line.strip() else line for line in hunk.signed]))


def _without_space(text: Text, hunk: Hunk) -> Hunk | None:
    """Drop the space after the sign if all changed lines have one."""
    changed = [line for line in hunk.signed if line[0] != " "]
    if not any(line[0] == "-" for line in changed) or any(line[1:2] not in ("", " ") for line in changed):
        return None
    return with_signed(hunk, tuple([line if line[0] == " " else line[0] + line[2:] for line in hunk.signed]))


def _without_numbers(text: Text, hunk: Hunk) -> Hunk | None:
    """Drop the line numbers before the old lines, if all have one, and those that new lines have.

    12: x      or, as grep writes it, 12:x      whether the space belongs to the number, only the file tells
    """
    lines = [line for line in split_lines(hunk.old) if not is_blank(line)]
    gutters = _gutters(lines)
    if not gutters:
        return None
    first, kind, known = int(gutters[0][1]), gutters[0].lastindex, known_lines(text)
    if len(gutters) == 1 and text.lines[first - 1 : first] != [lines[0][gutters[0].end() :]]:
        return None  # a single number must be the line's own
    bare, spaced = ([_cut(line, kind, keep).rstrip(BLANK) in known for line in lines] for keep in (False, True))
    keep_space = not all(bare) and all(spaced)
    reading = _each_line(hunk, lambda line: _cut(line, kind, keep_space))
    if hunk.claims.line:
        return reading
    return reading._replace(claims=hunk.claims._replace(line=first, last=first + len(lines) - 1))


def _gutters(lines: list[str]) -> list[re.Match[str]]:
    """Match the number before each line; return nothing unless all lines have one of the same kind, and they rise."""
    gutters = [gutter for line in lines if (gutter := _GUTTER.match(line)) is not None]
    if len(gutters) < len(lines) or len({gutter.lastindex for gutter in gutters}) > 1:
        return []
    return gutters if all(int(one[1]) < int(two[1]) for one, two in pairwise(gutters)) else []


def _cut(line: str, kind: int | None, keep_space: bool) -> str:
    """Drop a number of some kind before a line; `keep_space`: the space after it is the line's own."""
    gutter = _GUTTER.match(line)
    if gutter is None or gutter.lastindex != kind:
        return line
    return line[gutter.end() - (keep_space and gutter[0].endswith(" ")) :]


def _without_escapes(text: Text, hunk: Hunk) -> Hunk | None:
    """Undo a level of escapes: all of them if both texts are one line, otherwise those of quotes and tabs."""
    old, new = hunk.old.removesuffix("\n"), hunk.new.removesuffix("\n")
    if "\\" not in old:
        return None
    if "\n" not in old and "\n" not in new and not hunk.signed and "\\n" in old:
        old, new = (_ESCAPE.sub(lambda escape: _ESCAPED.get(escape[1], escape[1]), side) for side in (old, new))
        end = "" if hunk.inline else "\n"
        return hunk._replace(old=old + end, new=new + end if new else "")
    return _each_line(hunk, _unescaped)


def _unescaped(line: str) -> str:
    tabs = _ESCAPED_TABS.match(line)
    line = "\t" * (tabs.end() // 2) + line[tabs.end() :] if tabs else line
    return _ESCAPED_QUOTE.sub(r"\1", line)


def _each_line(hunk: Hunk, change: Callable[[str], str]) -> Hunk:
    if hunk.signed:
        return with_signed(hunk, tuple([line[0] + change(line[1:]) for line in hunk.signed]))
    old, new = ("\n".join(map(change, side.split("\n"))) for side in (hunk.old, hunk.new))
    return hunk._replace(old=old, new=new)


def with_signed(hunk: Hunk, signed: tuple[str, ...]) -> Hunk:
    """Return the hunk with other signed lines, and the old and new text that they make."""
    old = join_lines([line[1:] for line in signed if line[0] != "+"])
    return hunk._replace(old=old, new=join_lines([line[1:] for line in signed if line[0] != "-"]), signed=signed)


_READINGS: dict[str, Callable[[Text, Hunk], Hunk | None]] = {
    "signs": with_signs, "space": _without_space, "line numbers": _without_numbers, "escapes": _without_escapes,
}  # fmt: skip
