"""Read a file as an answer shows it: a path, then its contents in a fence or an element.

src/a.py                <file path="src/a.py">
```python               …
…                       </file>
```
"""

from __future__ import annotations

import re
from typing import NamedTuple

from ..problems import Problem
from ..syntax.languages import comment_text
from .dialects import TAGGED
from .fences import Fence, Region, contents, fence_of
from .labels import path_in_title, path_line, path_on

_ATTRIBUTE = re.compile(r"""([\w-]{1,40})\s?=\s?["'][^"'<>]*["']""")
_KNOWN_ATTRIBUTES = ("path", "name", "filename", "file", "src", "language", "lang")


class Shown(NamedTuple):
    """A file as shown: its path, the line of that, the first line of the contents (1-based), what is wrong with it."""

    path: str
    line: int
    first: int
    body: list[str]
    problem: Problem | None = None


class Label(NamedTuple):
    """The path of a fence, its row, and whether it is `sure` to be a path."""

    path: str
    row: int
    sure: bool


# ── in a fence ───────────────────────────────────────────────────────────────────────────────────


def label_of(lines: list[str], row: int, fence: Fence) -> Label | None:
    """Return the path of a fence: in its title, or alone on the line above, with at most one blank line between."""
    title = path_in_title(fence.info) if fence.info else ""
    if title:
        return Label(title, row, True)
    for above in (row - 1, row - 2):
        if above >= 0 and lines[above].strip():
            path = None if fence_of(lines[above]) else path_line(lines[above])
            if path is None or (not path.sure and above and lines[above - 1].strip()):
                return None  # a word below other words is the end of a sentence
            return Label(path.path, above, path.sure)
    return None


def path_in_comment(body: list[str]) -> tuple[str, int]:
    """Return the path in the comment on the first line of a fence, or "", and the row after it."""
    first = next((row for row, line in enumerate(body) if line.strip()), 0)
    line = body[first].strip() if body else ""
    path = path_on(line) if comment_text(line) is not None else ""
    return path, first + 1


def shown_in_fence(region: Region) -> Shown | None:
    """Return the file whose contents a fence holds, if the fence has a path as its label."""
    lines, row = region.lines, region.start - 1
    opener = fence_of(lines[row])
    label = label_of(lines, row, opener) if opener is not None else None
    body = region.outdented
    path, first, line = (label.path, 0, label.row + 1) if label and label.sure else (*path_in_comment(body), row + 1)
    if not path:
        return None
    problem = None
    if not region.closed:
        problem = Problem("truncated", f"the fence with the contents of {path} is never closed", path, row + 1)
    elif _may_have_ended_early(region):
        detail = f"it isn't clear which fence ends the contents of {path}"
        advice = "Open and close the fence with more backticks than any line inside begins with."
        problem = Problem("bad_patch", detail, path, row + 1, advice=advice)
    return Shown(path, line, row + 2 + first, body[first:], problem)


def _may_have_ended_early(region: Region) -> bool:
    """Return True if a fence inside the contents may have ended them: more text is right below, up to another fence.

    Half a file must not be written as the whole.
    """
    lines = region.lines
    below = lines[region.end + 1].strip() if region.end + 1 < len(lines) else ""
    if not below or fence_of(below) or path_on(below):
        return False
    for row in range(region.end + 1, len(lines)):
        if (fence := fence_of(lines[row])) is not None:
            label = label_of(lines, row, fence)
            return label is None or not label.sure
    return False


# ── in an element ────────────────────────────────────────────────────────────────────────────────


def element_path(line: str) -> str:
    """Return the path of an element that holds a file; "" for other lines."""
    bare = line.strip()
    return path_on(bare) if bare.startswith(("<file ", "<document ")) and bare.endswith(">") else ""


def shown_in_element(lines: list[str], row: int) -> tuple[Shown, int] | None:
    """Return the file between `<file path="…">` and `</file>`, each alone on its line, and the row after it."""
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
    fault = _problem_of_element(lines[row], path, row, len(ends), closing) or _problem_of_text(body, path, first)
    return Shown(path, row + 1, first, body, fault), ends[-1] + 1


def _problem_of_element(tag: str, path: str, row: int, ends: int, closing: str) -> Problem | None:
    """Return why the text of an element may not be the new file: `<file path="a.py" mode="append">`."""
    unknown = [name for name in _ATTRIBUTE.findall(tag) if name not in _KNOWN_ATTRIBUTES]
    if unknown:
        detail = f"the attribute `{unknown[0]}` isn't known, so this may not be all of {path}"
        advice, hint = "Show the whole file without it, or send an edit.", "Ask the model for the whole file or a diff."
        return Problem("bad_patch", detail, path, row + 1, advice=advice, hint=hint)
    if ends > 1:
        detail = f"the contents of {path} themselves contain {closing}"
        return Problem("bad_patch", detail, path, row + 1, advice="Show the file in a fence instead.")
    return None


def _problem_of_text(body: list[str], path: str, line: int) -> Problem | None:
    """Return why a text may not be the new file: `<search>…</search>` is half of an edit."""
    first = next((text.strip() for text in body if text.strip()), "")
    tag = next((tag for row in TAGGED for tag in (row.old, row.new) if first.startswith(f"<{tag}>")), "")
    if not tag:
        return None
    detail = f"`<{tag}>` begins an edit, so this isn't the text of {path}"
    advice, hint = (
        "Send its old and its new lines, or show the whole file.",
        "Ask the model for the whole file or a diff.",
    )
    return Problem("bad_patch", detail, path, line, advice=advice, hint=hint)
