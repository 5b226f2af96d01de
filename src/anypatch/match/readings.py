"""Read a hunk whose old text has no place as it may have been before it was spoilt in copying. Pure.

    signs           a diff's context lines lost the space in front         `def f():` for ` def f():`
    space           a space after each sign                                `- x` for `-x`
    line numbers    the numbers of an editor or of `cat -n` in front       `12 | return x`
    escapes         escaped once too often                                 `print(\\"hi\\")`

The list is closed. "signs" is tried before the looser levels (`place.py`). A line of dots on both sides of a text
(`...`) is a gap; the readers of formats cut the text there (`answer/marks.py`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import TYPE_CHECKING

from ..model import Hunk, join_lines, split_lines
from ..text import BLANK, is_blank
from .ladder import TRAILING_SPACE
from .search import index_of

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
        reading = _READINGS[name](text, hunk) if name in _READINGS else None
        if reading is None or reading.old in (hunk.old, reading.new) or is_blank(reading.old.replace("\n", "")):
            continue
        yield reading, name


def with_signs(text: Text, hunk: Hunk) -> Hunk | None:
    """Give context lines the sign that they lost, if the file has all of them as they are written."""
    if not hunk.signed:
        return None
    known = index_of(text, TRAILING_SPACE, None)
    context = [line for line in hunk.signed if line[0] == " " and line.strip()]
    if any(line.rstrip(BLANK) not in known for line in context):
        return None  # a sign that is missing in one line is missing in all
    return _with_signed(hunk, tuple([" " + line if line[0] == " " and line.strip() else line for line in hunk.signed]))


def _without_space(text: Text, hunk: Hunk) -> Hunk | None:
    """Drop the space after the sign, if all changed lines have one."""
    changed = [line for line in hunk.signed if line[0] != " "]
    if not any(line[0] == "-" for line in changed) or any(line[1:2] not in ("", " ") for line in changed):
        return None
    return _with_signed(hunk, tuple([line if line[0] == " " else line[0] + line[2:] for line in hunk.signed]))


def _without_numbers(text: Text, hunk: Hunk) -> Hunk | None:
    """Drop the numbers in front of the old lines, if all have one, and those of new lines.

    An editor writes `12: x` for `x`, and grep `12:x`. The file shows if the space belongs to the number or to the line.
    """
    lines = [line for line in split_lines(hunk.old) if not is_blank(line)]
    gutters = _gutters(lines)
    if not gutters:
        return None
    first, kind, known = int(gutters[0][1]), gutters[0].lastindex, index_of(text, TRAILING_SPACE, None)
    if len(gutters) == 1 and text.lines[first - 1 : first] != [lines[0][gutters[0].end() :]]:
        return None  # a single number must be the line's own
    bare, spaced = ([_cut(line, kind, keep).rstrip(BLANK) in known for line in lines] for keep in (False, True))
    keep_space = not all(bare) and all(spaced)
    reading = _each_line(hunk, lambda line: _cut(line, kind, keep_space))
    if hunk.claims.line:
        return reading
    return reading._replace(claims=hunk.claims._replace(line=first, last=first + len(lines) - 1))


def _gutters(lines: list[str]) -> list[re.Match[str]]:
    """Match the number in front of each line; return [] unless all lines have one of the same kind, and they rise."""
    gutters = [gutter for line in lines if (gutter := _GUTTER.match(line)) is not None]
    if len(gutters) < len(lines) or len({gutter.lastindex for gutter in gutters}) > 1:
        return []
    return gutters if all(int(above[1]) < int(below[1]) for above, below in pairwise(gutters)) else []


def _cut(line: str, kind: int | None, keep_space: bool) -> str:
    """Drop the number in front of a line, if it is of a kind. `keep_space`: the space after it belongs to the line."""
    gutter = _GUTTER.match(line)
    if gutter is None or gutter.lastindex != kind:
        return line
    return line[gutter.end() - (keep_space and gutter[0].endswith(" ")) :]


def _without_escapes(text: Text, hunk: Hunk) -> Hunk | None:
    """Remove one level of escapes: all of them if both texts are one line, otherwise those of quotes and tabs."""
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
        return _with_signed(hunk, tuple([line[0] + change(line[1:]) for line in hunk.signed]))
    old, new = ("\n".join(map(change, side.split("\n"))) for side in (hunk.old, hunk.new))
    return hunk._replace(old=old, new=new)


def _with_signed(hunk: Hunk, signed: tuple[str, ...]) -> Hunk:
    """Return the hunk with other signed lines, and the old and new text that they make."""
    old = join_lines([line[1:] for line in signed if line[0] != "+"])
    return hunk._replace(old=old, new=join_lines([line[1:] for line in signed if line[0] != "-"]), signed=signed)


_READINGS: dict[str, Callable[[Text, Hunk], Hunk | None]] = {
    "space": _without_space, "line numbers": _without_numbers, "escapes": _without_escapes,
}  # fmt: skip
