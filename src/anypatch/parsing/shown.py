"""A file as an answer shows it: a path, then its contents in a fence or an element; and whether that is only a quote.

src/a.py                <file path="src/a.py">
```python               …
…                       </file>
```
"""

from __future__ import annotations

import re

from ..model import Note, Told
from ..problems import Problem
from ..record import NamedTuple
from ..text import BOM, indent_of
from . import words
from .dialects import POSITION, plain, withholds
from .fences import Fence, Region, contents, fence_of, page_in
from .paths import path_in_title, path_line, path_on
from .quotes import contradicts, is_command, is_labelled_old, is_of_language, is_output, is_shell

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal

    from ..model import Meant

_TEXTS = (".txt", ".md", ".mdx", ".markdown", ".rst", ".adoc", ".csv")
PAGES = (".md", ".mdx", ".markdown", ".rst")


class Shown(NamedTuple):
    """A file as shown: its path, where that stands and where the contents begin (1-based), what is wrong with it.

    `quote`: why it only quotes the file; `only`: as in `Write`. `old`: the text that the body takes the place of, where
    the answer shows both; `at`: the number of its line, if it is told. `way`: the body goes "below" it, or
    takes the place of a part of a line, "inline". `told`: what else words say of it.
    """

    path: str
    line: int
    first: int
    body: list[str]
    problem: Problem | None = None
    quote: str = ""
    only: Meant = ""
    old: tuple[str, ...] = ()
    at: int = 0
    way: Literal["", "below", "inline"] = ""
    told: Told = Told()

    @property
    def changes_nothing(self) -> bool:
        """Whether it is only looked at: is it in the file?"""
        return self.only in ("quote", "aside")


class Label(NamedTuple):
    """The path of a fence and its row; `sure`, `heading`: as on a path's line."""

    path: str
    row: int
    sure: bool
    heading: bool


def quoted(path: str, line: int, why: str) -> Note:
    """The note on what follows a path and was not taken for the file."""
    return Note(f"what follows {path} was taken as a quotation, not as an edit: {why}", path, line, kind="quote")


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


def shown_in(region: Region, label: Label, wrappers: int) -> Shown:
    """The file whose contents a fence holds, with so many other fences around it."""
    lines, path, row = region.lines, label.path, region.start - 1
    opener = fence_of(lines[row])
    assert opener is not None
    body = body_of(region)
    quote, only = _standing(lines, row, label, opener.info, body)
    problem = None
    if not region.closed:
        detail = f"the fence with the contents of {path} is never closed"
        problem = Problem("truncated", detail, path, row + 1)
    elif _may_have_ended_early(region, opener, path, wrappers):
        detail = f"it isn't clear which fence ends the contents of {path}"
        advice = "Open and close the fence with more backticks than any line inside begins with."
        problem = Problem("bad_patch", detail, path, row + 1, advice=advice)
    return Shown(path, label.row + 1, row + 2, body, problem, quote, only)


def _standing(lines: list[str], row: int, label: Label, info: str, body: list[str]) -> tuple[str, Meant]:
    """Why a fence below a path only quotes the file, and whether it counts only for a new file, or for one there."""
    path = label.path
    if is_output(path, body):
        return "it shows the output of a program", ""
    if is_command(path, info, body):
        return "it shows commands, not contents", ""
    if is_labelled_old(lines, row, label.row):
        return "its label says that it is the existing code", ""
    if contradicts(info, path, body):
        if is_shell(info) or label.heading or not label.sure:
            return f"a {info.partition(' ')[0]} fence can't be {path}", ""
        return "", "new"
    # Under a heading a path needs a fence of its language, unless it has none (text), or has a folder.
    plain = path.lower().endswith(_TEXTS) or ("/" in path and "." in path.rpartition("/")[2])
    if not label.sure or (label.heading and not is_of_language(info, path) and not plain):
        return "", "there"
    return "", ""


def _may_have_ended_early(region: Region, opener: Fence, path: str, wrappers: int) -> bool:
    """Whether fences in the contents may have ended them too early: the rest would be lost."""
    lines = region.lines
    if region.certain:
        return False
    for line in region.body:
        inner = fence_of(line) if opener.run[:3] in line else None
        if inner and inner.info and inner.run.startswith(opener.run) and inner.indent <= opener.indent:
            return True
    behind = lines[region.end + 1].strip() if region.end + 1 < len(lines) else ""
    is_prose = not behind or fence_of(behind) is not None or path_on(behind) != ""
    if is_prose and not path.lower().endswith((*PAGES, ".txt")):
        return False
    return _fences_behind(lines, region.end) > wrappers


def _fences_behind(lines: list[str], end: int) -> int:
    """How many lines of fences follow before the next file is shown."""
    return sum(fence_of(lines[row]) is not None for row in range(end + 1, _next_file(lines, end + 1)))


def _next_file(lines: list[str], start: int) -> int:
    """The row of the next fence below a path, or where the answer ends."""
    for row in range(start, len(lines)):
        fence = fence_of(lines[row])
        label = label_of(lines, row, fence) if fence is not None else None
        if label is not None and label.sure:
            return row
    return len(lines)


def page_of(region: Region) -> Region:
    """A fence with a page, which may hold fences itself, as long as it is certain to be; else as it looks."""
    return page_in(region, _next_file(region.lines, region.start))


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
