"""Markdown fences in an answer: the one place that knows where they open and close.

```python title="a.py"     opens: three signs or more, then perhaps a word and more, the info
````                       closes: as many signs or more, no deeper than the opener, and nothing after them
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from ..text import indent_of


class Fence(NamedTuple):
    """A line that opens or closes a fence: its run of signs, its indentation, the text after them."""

    run: str
    indent: int
    info: str

    def closes(self, opener: Fence) -> bool:
        """Return True if the line closes the fence that another one opened."""
        return self.run.startswith(opener.run) and not self.info and self.indent <= opener.indent

    @property
    def language(self) -> str:
        """The first word of the info, in small letters."""
        return self.info.partition(" ")[0].lower()


class Region(NamedTuple):
    """Rows `start` up to `end` of an answer (0-based): the contents of a fence, or lines outside of any."""

    lines: list[str]
    start: int
    end: int
    fenced: bool = False
    closed: bool = True

    @property
    def body(self) -> list[str]:
        """The lines themselves."""
        return self.lines[self.start : self.end]

    @property
    def outdented(self) -> list[str]:
        """The lines of a fence without the indentation of the list that it is in."""
        body, indent = self.body, indent_of(self.lines[self.start - 1])
        if indent and all(line.startswith(indent) for line in body if line.strip()):
            return [line[len(indent) :] for line in body]
        return body

    def starts(self, row: int, *marks: str) -> bool:
        """Return True if a row is in the region and begins with one of the marks."""
        return row < self.end and self.lines[row].startswith(marks)


def fence_of(line: str) -> Fence | None:
    """Return the fence that a line opens or closes; None for other lines."""
    return _fence_of(line) if line.lstrip(" \t")[:3] in ("```", "~~~") else None


@lru_cache(maxsize=256)
def _fence_of(line: str) -> Fence | None:
    bare = line.lstrip(" \t")
    run = bare[: len(bare) - len(bare.lstrip(bare[0]))]
    info = bare[len(run) :].strip()
    return None if "`" in info else Fence(run, len(line) - len(bare), info)


def contents(lines: list[str], row: int) -> Region | None:
    """Return the contents of the fence that a row opens, up to the end if it never closes; None for other lines."""
    opener = fence_of(lines[row])
    if opener is None:
        return None
    sign = opener.run[:3]
    for end in range(row + 1, len(lines)):
        fence = fence_of(lines[end]) if sign in lines[end] else None
        if fence is not None and fence.closes(opener):
            return Region(lines, row + 1, end, True)
    return Region(lines, row + 1, len(lines), True, False)


def unwrapped(lines: list[str]) -> Region | None:
    """Return the contents of the fence that is around all lines, except for blank ones; None if there is none."""
    filled = [row for row, line in enumerate(lines) if line.strip()]
    region = contents(lines, filled[0]) if filled else None
    return region if region is not None and region.closed and region.end == filled[-1] else None


def fences(lines: list[str]) -> Iterator[Region]:
    """Yield the contents of all fences that aren't inside others."""
    row = 0
    while row < len(lines):
        region = contents(lines, row)
        if region is not None:
            yield region
            row = region.end
        row += 1


class Body(NamedTuple):
    """Lines of an answer, of which `first` is the first (1-based). `cut` means that their fence never closes."""

    first: int
    lines: list[str]
    fenced: bool = False
    cut: bool = False


def bodies(text: str, lines: list[str], belongs: Callable[[str], bool]) -> list[Body]:
    """Return the parts of a text that have lines of a format: fences, or all from the first such line on."""
    first = next((row for row, line in enumerate(lines) if belongs(line)), -1)
    if first < 0:
        return []
    fenced = fences(lines) if "```" in text or "~~~" in text else ()
    inside = [region for region in fenced if any(map(belongs, region.body))]
    if inside and first >= inside[0].start:
        return [Body(region.start + 1, region.body, True, not region.closed) for region in inside]
    return [Body(first + 1, lines[first:])]


def run_end(lines: list[str], row: int, belongs: Callable[[str], bool], signs: Sequence[str] = ()) -> int:
    """Return the row after a run of lines that belong together, without blank ones at the end.

    Lines that begin with one of the `signs` belong to it in any case.
    """
    end = row + 1
    for line in lines[end:]:
        if line[:1] not in signs and not belongs(line):
            break
        end += 1
    while end > row + 1 and not lines[end - 1].strip():
        end -= 1
    return end
