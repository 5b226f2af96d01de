"""Can the indentation of a YAML text be read? A rough look, line by line: what it can't tell passes. Pure."""

from __future__ import annotations

import re

_DASH = re.compile(r"-(?: +|$)")
_KEY = re.compile(r"""(?:[^\s\[\]{},#&*!|>'"%@`?:-][^:#]*|"[^"]*"|'[^']*'):(?= |$)""")
_TEXT_BELOW = re.compile(r"(?:!\S+ +)?[|>][-+\d]*(?: +#.*)?")  # `|`, `>-`
_QUOTED = re.compile(r"""(?:"(?:[^"\\]|\\.)*"|'(?:[^']|'')*') *(?:#.*)?""")


def misplaced(text: str) -> int:
    """The first line (1-based) that is at no depth that it may have; 0 where there is none, or where nobody can tell.

    matrix:
        os: [linux]      `ruby` is at the margin, so that `include` below it is deeper than a key that has its value
    ruby: [3.1]
        include: all
    """
    levels: list[int] = []  # the columns of the keys and items that are open
    held = -1  # the column of the last one, if it has its value: nothing is below that
    text_below = -1  # lines deeper than that are text
    for number, line in enumerate(text.split("\n"), 1):
        bare = line.strip()
        column = len(line) - len(line.lstrip(" "))
        if not bare or bare[0] == "#" or column > text_below >= 0:
            continue
        text_below = -1
        if line[column] == "\t":
            return number
        if bare[0] in "{%<[?" or bare.startswith(("---", "...")):
            levels, held = [], -1
            if bare[0] in "-.":
                continue
            return 0  # a template, or a value of several lines
        items, inner = [], column
        while dash := _DASH.match(line, inner):
            items.append(inner)
            inner = dash.end()
        rest = line[inner:].rstrip()
        key = _KEY.match(rest)
        if not items and key is None:
            held = -1  # a text goes on
            continue
        if held >= 0 and column > held:
            if key is not None and not items:
                return number
            continue
        is_deeper = not levels or column >= levels[-1]
        while levels and levels[-1] > column:
            levels.pop()
        if not is_deeper and column not in levels[-1:]:
            return number
        levels += [at for at in (*items, inner) if at not in levels[-1:]]
        value = rest[key.end() :].strip() if key else rest
        value = "" if value.startswith("#") else value
        if _TEXT_BELOW.fullmatch(value):
            text_below = inner if key else items[-1]
        quoted = value[:1] in ("'", '"')
        if (quoted and not _QUOTED.fullmatch(value)) or sum(map(value.count, "[{")) != sum(map(value.count, "]}")):
            return 0
        held = -1 if not value or value[0] in "&*!|>" else inner
    return 0
