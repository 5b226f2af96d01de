"""Markdown fences in an answer: the one place that knows where they open and close. Understands no format.

```python title="a.py"     opens: three signs or more, then perhaps a word and more, the info
````                       closes: as many signs or more, no deeper than the opener, and nothing behind them
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import lru_cache

from ..record import NamedTuple


class Fence(NamedTuple):
    """A line that opens or closes a fence: its run of signs, its indentation, what stands behind."""

    run: str
    indent: int
    info: str

    def closes(self, opener: Fence) -> bool:
        """Whether the line ends what another one opened."""
        return self.run.startswith(opener.run) and not self.info and self.indent <= opener.indent

    @property
    def language(self) -> str:
        """The first word of the info, in small letters."""
        return self.info.partition(" ")[0].lower()


class Region(NamedTuple):
    """Rows start..end (0-based, half open) of an answer: the contents of a fence, or lines outside of any.

    `certain`: whatever fences are inside and behind, it can end nowhere else.
    """

    lines: list[str]
    start: int
    end: int
    fenced: bool = False
    closed: bool = True
    certain: bool = False

    @property
    def body(self) -> list[str]:
        """The lines themselves."""
        return self.lines[self.start : self.end]

    def starts(self, row: int, *marks: str) -> bool:
        """Whether the line at a row is one of the region's and begins with one of these."""
        return row < self.end and self.lines[row].startswith(marks)


def fence_of(line: str) -> Fence | None:
    """What a line says as a fence; None where it is none."""
    return _fence_of(line) if line.lstrip(" \t")[:3] in ("```", "~~~") else None


@lru_cache(maxsize=256)
def _fence_of(line: str) -> Fence | None:
    bare = line.lstrip(" \t")
    run = bare[: len(bare) - len(bare.lstrip(bare[0]))]
    info = bare[len(run) :].strip()
    return None if "`" in info else Fence(run, len(line) - len(bare), info)


def contents(lines: list[str], row: int) -> Region | None:
    """What the fence that a row opens holds, to the end of the answer where it never closes; None for other lines."""
    opener = fence_of(lines[row])
    if opener is None:
        return None
    sign = opener.run[:3]
    for end in range(row + 1, len(lines)):
        fence = fence_of(lines[end]) if sign in lines[end] else None
        if fence is not None and fence.closes(opener):
            return Region(lines, row + 1, end, True)
    return Region(lines, row + 1, len(lines), True, False)


_MOST = 400  # fences that are looked at
PAGE_WORDS = ("markdown", "md", "mdx")


class Sign(NamedTuple):
    """A line that may open or end a fence: its row, what it says, whether it may open or end one by its looks.

    One with a word opens. Of the others those that open have code right behind them, those that end a blank line.
    """

    row: int
    fence: Fence
    opens: bool
    ends: bool


def signs_in(region: Region, stop: int) -> list[Sign]:
    """The lines from a fence's contents on that could open or end one like it."""
    lines, opener = region.lines, fence_of(region.lines[region.start - 1])
    found = []
    for row in range(region.start, stop):
        fence = fence_of(lines[row])
        if fence is not None and opener is not None and fence.run.startswith(opener.run):
            behind = lines[row + 1].strip() if row + 1 < len(lines) else ""
            ends = not fence.info and (not behind or fence_of(behind) is not None)
            found.append(Sign(row, fence, fence.info != "" or behind != "", ends))
    return found


def page_in(region: Region, stop: int) -> Region:
    """A fence that shows a page up to where alone it can end, so that those inside and those behind are whole.

    ```markdown        The first line of signs alone ends the commands; if it ended the page, that would end inside
    # Install          of them. Were they in a fence without a word, only the blank lines around would tell.
    ```bash
    make
    ```                `stop`: where the next file begins. Without one such end, the region stays as it is.
    ```
    """
    opener, signs = fence_of(region.lines[region.start - 1]), signs_in(region, stop)
    if opener is None or len(signs) > _MOST or any(sign.fence.run != opener.run for sign in signs):
        return region
    ends = _ends(signs, opener, by_looks=False)
    if len(ends) > 1:
        ends = _ends(signs, opener, by_looks=True)
    return region._replace(end=signs[ends[0]].row, closed=True, certain=True) if len(ends) == 1 else region


def _ends(signs: list[Sign], opener: Fence, *, by_looks: bool) -> list[int]:
    """Which of the signs may end the page that a fence opens."""
    whole = _wholes(signs, by_looks)
    return [at for at in _page_ends(signs, 0, opener, by_looks) if whole[at + 1]]


def _page_ends(signs: list[Sign], start: int, opener: Fence, by_looks: bool) -> Iterator[int]:
    """Where a page may end that another fence opened: behind whole fences."""
    for at in range(start, len(signs), 2):
        if signs[at].fence.closes(opener) and (signs[at].ends or not by_looks):
            yield at
        if at + 1 == len(signs) or not _is_pair(signs[at], signs[at + 1], by_looks):
            return


def _wholes(signs: list[Sign], by_looks: bool) -> list[bool]:
    """Of each sign whether all fences from it on can be whole, one below the other; pages may hold some."""
    whole = [False] * len(signs) + [True]
    for at in range(len(signs) - 2, -1, -1):
        whole[at] = whole[at + 2] and _is_pair(signs[at], signs[at + 1], by_looks)
        if not whole[at] and signs[at].fence.language in PAGE_WORDS:
            ends = _page_ends(signs, at + 1, signs[at].fence, by_looks)
            whole[at] = any(whole[end + 1] for end in ends)
    return whole


def are_whole(signs: list[Sign], before: Sign | None = None) -> bool:
    """Whether fences are whole, one behind the other: by their words, and without any by their looks.

    `before`: the one that they would stand behind.
    """
    pairs = [*zip(signs[::2], signs[1::2], strict=False)]
    if len(signs) % 2 or not all(_is_pair(one, two, by_looks=not one.fence.info) for one, two in pairs):
        return False
    return before is None or before.ends or all(one.fence.info for one, _ in pairs)


def _is_pair(one: Sign, two: Sign, by_looks: bool) -> bool:
    if two.fence.info or one.fence.indent != two.fence.indent:
        return False
    return not by_looks or (one.opens and two.ends)


def unwrapped(lines: list[str]) -> Region | None:
    """What the fence holds that all of some lines stand in, blank ones aside; None where they stand in none."""
    filled = [row for row, line in enumerate(lines) if line.strip()]
    region = contents(lines, filled[0]) if filled else None
    return region if region is not None and region.closed and region.end == filled[-1] else None


def fences(lines: list[str]) -> Iterator[Region]:
    """The contents of all fences that stand in no other one."""
    row = 0
    while row < len(lines):
        region = contents(lines, row)
        if region is not None:
            yield region
            row = region.end
        row += 1


def prose(lines: list[str]) -> str:
    """What the answer says outside of all fences."""
    rest = list(lines)
    for region in fences(lines):
        rest[region.start - 1 : region.end + 1] = [""] * (region.end + 1 - region.start + region.closed)
    return "\n".join(rest)


class Body(NamedTuple):
    """Some lines of an answer; `first` is the 1-based line of the answer that they begin with.

    `cut`: they stand in a fence that never closes.
    """

    first: int
    lines: list[str]
    fenced: bool = False
    cut: bool = False


def bodies(text: str, lines: list[str], belongs: Callable[[str], bool]) -> list[Body]:
    """Where the lines of a text that belong to a format are: in fences, or from the first such line on."""
    first = next((row for row, line in enumerate(lines) if belongs(line)), -1)
    if first < 0:
        return []
    fenced = fences(lines) if "```" in text or "~~~" in text else ()
    inside = [region for region in fenced if any(map(belongs, region.body))]
    if inside and first >= inside[0].start:
        return [Body(region.start + 1, region.body, True, not region.closed) for region in inside]
    return [Body(first + 1, lines[first:])]
