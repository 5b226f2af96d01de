"""A file as an answer shows it: a path, then its contents in a fence or an element.

src/a.py                <file path="src/a.py">
```python               …
…                       </file>
```
"""

from __future__ import annotations

import re
from typing import NamedTuple

from ..problems import Problem
from ..text import BOM, indent_of, words
from .dialects import POSITION, plain, withholds
from .fences import Fence, Region, contents, fence_of
from .labels import path_in_title, path_line, path_on


class Shown(NamedTuple):
    """A file as shown: its path, where that is and where the contents begin (1-based), what is wrong with it."""

    path: str
    line: int
    first: int
    body: list[str]
    problem: Problem | None = None


class Label(NamedTuple):
    """The path of a fence and its row; `sure`, `heading`: as on a path's line."""

    path: str
    row: int
    sure: bool
    heading: bool


# ── in a fence ───────────────────────────────────────────────────────────────────────────────────


def label_of(lines: list[str], row: int, fence: Fence) -> Label | None:
    """The path of a fence: in the title, or alone on the line above, with a blank one between at most."""
    title = path_in_title(fence.info) if fence.info else ""
    if title:
        return Label(title, row, True, False)
    for above in (row - 1, row - 2):
        if above >= 0 and lines[above].strip():
            path = None if fence_of(lines[above]) else path_line(lines[above])
            if path is None or (not path.sure and above and lines[above - 1].strip()):
                return None  # a word below other words is the end of a sentence
            return Label(path.path, above, path.sure, path.heading)
    return None


def body_of(region: Region) -> list[str]:
    """The contents of a fence, without the indentation of a list that it stands in."""
    body, indent = region.body, indent_of(region.lines[region.start - 1])
    body[:1] = [line.removeprefix(BOM) for line in body[:1]]
    if indent and all(line.startswith(indent) for line in body if line.strip()):
        return [line[len(indent) :] for line in body]
    return body


def path_in_comment(body: list[str]) -> tuple[str, int]:
    """The path that the first line of a fence is a comment with, and the row behind it; "" for none."""
    first = next((row for row, line in enumerate(body) if line.strip()), 0)
    line = body[first].strip() if body else ""
    path = path_on(line) if line.startswith(("#", "//", "/*", "<!--", "--", ";")) and not line.startswith("#!") else ""
    return path, first + 1


def shown_in_fence(region: Region) -> Shown | None:
    """The file whose contents a fence holds, if a path is its label; None for other fences."""
    lines, row = region.lines, region.start - 1
    opener = fence_of(lines[row])
    label = label_of(lines, row, opener) if opener is not None else None
    body = body_of(region)
    path, first, line = (label.path, 0, label.row + 1) if label and label.sure else (*path_in_comment(body), row + 1)
    if not path:
        return None
    problem = None
    if not region.closed:
        problem = Problem("truncated", f"the fence with the contents of {path} is never closed", path, row + 1)
    elif _may_have_ended_early(region, path):
        detail = f"it isn't clear which fence ends the contents of {path}"
        advice = "Open and close the fence with more backticks than any line inside begins with."
        problem = Problem("bad_patch", detail, path, row + 1, advice=advice)
    return Shown(path, line, row + 2 + first, body[first:], problem)


def _may_have_ended_early(region: Region, path: str) -> bool:
    """Whether a fence inside the contents may have ended them: then text goes on right below, up to another fence."""
    lines = region.lines
    behind = lines[region.end + 1].strip() if region.end + 1 < len(lines) else ""
    if not behind or fence_of(behind) or path_on(behind):
        return False
    for row in range(region.end + 1, len(lines)):
        if (fence := fence_of(lines[row])) is not None:
            label = label_of(lines, row, fence)
            return label is None or not label.sure
    return False


_ATTRIBUTE = r"""([\w-]{1,40})\s?=\s?["']([^"'<>]{1,40})["']"""
_HOW = words("action mode operation op type status change changetype kind purpose version")
_NOT_ALL = words(
    "append prepend insert patch diff delete deleted remove removed unchanged view read reference excerpt partial part"
    " move moved rename renamed before old original readonly"
)


def _says_otherwise(tag: str) -> str:
    """The attribute of an element that says of its text that it isn't the new file; "" where none does."""
    for key, value in re.findall(_ATTRIBUTE, tag):
        name = plain(key)
        word = plain(value) if name in _HOW else name if value == "true" else ""
        if POSITION.fullmatch(name) or withholds(key, value) or word in _NOT_ALL:
            return f'{key}="{value}"'
    return ""


# ── in an element ────────────────────────────────────────────────────────────────────────────────


def element_path(line: str) -> str:
    """The path of an element that holds a file; "" for other lines."""
    bare = line.strip()
    return path_on(bare) if bare.startswith(("<file ", "<document ")) and bare.endswith(">") else ""


def shown_in_element(lines: list[str], row: int) -> tuple[Shown, int] | None:
    """A file in `<file path="…">` and `</file>`, each alone on its line, and the row behind it."""
    path = element_path(lines[row])
    if not path or "</" in lines[row] or lines[row].rstrip().endswith("/>"):
        return None
    closing = f"</{lines[row].strip()[1:].partition(' ')[0]}>"
    stop = next((at for at in range(row + 1, len(lines)) if "<" in lines[at] and element_path(lines[at])), len(lines))
    ends = [at for at in range(row + 1, stop) if lines[at].strip() == closing]
    if not ends:
        problem = Problem("truncated", f"the contents of {path} are not closed by {closing}", path, row + 1)
        return Shown(path, row + 1, row + 2, lines[row + 1 : stop], problem), stop
    body, first = lines[row + 1 : ends[0]], row + 2
    inner = contents(body, 0) if len(body) > 1 else None
    if inner is not None and inner.closed and inner.end == len(body) - 1:
        body, first = inner.body, first + 1
    shown = Shown(path, row + 1, first, body)
    if said := _says_otherwise(lines[row]):
        advice = "Show the whole file, or send an edit."
        problem = Problem("bad_patch", f"`{said}` means that this isn't all of {path}", path, row + 1, advice=advice)
        shown = shown._replace(problem=problem)
    elif len(ends) > 1:
        detail = f"the contents of {path} themselves contain {closing}"
        advice = "Show the file in a fence instead."
        shown = shown._replace(problem=Problem("bad_patch", detail, path, row + 1, advice=advice))
    return shown, ends[-1] + 1
