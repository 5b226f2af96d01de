"""The hunks of a diff: how far each one goes and what its lines are. Pure; counts are never believed, only compared."""

from __future__ import annotations

import re

from ..record import NamedTuple
from ._unified_names import NOWHERE, agreed, clean

_HEADER = r"@@ {0,3}-([0-9]{1,9})(?:,([0-9]{1,9}))?[ ,]{1,3}\+[0-9]{1,9}(?:,([0-9]{1,9}))?(?![0-9,])"
_SIGNED = ("*** Begin Patch", "*** End Patch", "*** Update File:", "*** Add File:", "*** Delete File:")
_TAGS = ("+", "-", " ")
_ALL_TAGS = frozenset(_TAGS)
_UNENDED = ("\\ ", "\\No newline")
_header: list[re.Pattern[str]] = []


class Region(NamedTuple):
    """Lines of an answer in which a diff stands, up to row `end`: a fence (closed or not), or the text itself."""

    lines: list[str]
    end: int
    fenced: bool
    closed: bool = True

    def starts(self, row: int, *marks: str) -> bool:
        """Whether the line at a row begins with one of these."""
        return row < self.end and self.lines[row].startswith(marks)


class Numbers(NamedTuple):
    """What a hunk header claims: the first old line, and how many lines there are of each side."""

    line: int
    old: int
    new: int


class Block(NamedTuple):
    """A hunk as it stands: its first row, its tagged lines with their rows, the row behind it.

    `bare`: the sides ("-", "+") whose last line has no line end. `naked`: rows of lines without any tag.
    `cut`: the text ends here before the hunk should, unless the file does too. `heading`: what the header says behind
    its numbers.
    """

    row: int
    numbers: Numbers | None
    tagged: tuple[tuple[str, str], ...]
    rows: tuple[int, ...]
    bare: str
    naked: tuple[int, ...]
    end: int
    cut: bool = False
    heading: str = ""

    @property
    def counts(self) -> tuple[int, int]:
        """How many lines there really are of each side."""
        tags = [tag for tag, _ in self.tagged]
        return len(tags) - tags.count("+"), len(tags) - tags.count("-")

    @property
    def is_short(self) -> bool:
        """Whether there are fewer lines than the header counts, on both sides that have any; or it counts none."""
        if self.numbers is None:
            return True
        old, new = self.counts
        _, said_old, said_new = self.numbers
        return (old < said_old or not said_old) and (new < said_new or not said_new) and said_old + said_new > 0


def read_hunk(region: Region, row: int) -> Block:
    """The hunk whose header stands at a row; without a header, its first line does."""
    headed = region.starts(row, "@@")
    numbers = numbers_in(region.lines[row]) if headed else None
    first = row + headed
    end = _end_by_counts(region, first, numbers) if numbers is not None else -1
    block = _block(region, row, first, numbers, end if end >= 0 else _end_by_shape(region, first, numbers))
    said = region.lines[row].split("@@", 2) if numbers is not None else []
    return block._replace(heading=said[2].strip()) if len(said) > 2 else block


def numbers_in(header: str) -> Numbers | None:
    """The numbers of a hunk header; None where there are none that make sense."""
    if not _header:
        _header.append(re.compile(_HEADER))
    found = _header[0].match(header)
    if found is None:
        return None
    line, old, new = found.groups()
    return Numbers(int(line), int(old or 1), int(new or 1))


def is_file_header(region: Region, row: int) -> bool:
    """Whether `---` and `+++` lines at a row name a file, rather than being lines that a hunk takes out and puts in."""
    if not region.starts(row, "--- ") or not region.starts(row + 1, "+++ "):
        return False
    if region.starts(row + 2, "@@"):
        return True
    old, new = clean(region.lines[row][4:]), clean(region.lines[row + 1][4:])
    return NOWHERE in (old, new) or bool(agreed(old, new))


# ── how far a hunk goes ──────────────────────────────────────────────────────────────────────────


def _end_by_counts(region: Region, row: int, numbers: Numbers) -> int:
    """The row behind the hunk if its header counts right, else -1."""
    _, old, new = numbers
    lines, end = region.lines, region.end
    while (old > 0 or new > 0) and row < end:
        line = lines[row]
        tag = line[:1]
        if tag == " ":
            old, new = old - 1, new - 1
        elif tag == "+":
            new -= 1
        elif tag == "-":
            old -= 1
        elif line.startswith(("@@", "diff --git ")):
            return -1
        elif tag != "\\" or not line.startswith(_UNENDED):
            old, new = old - 1, new - 1
        row += 1
    if old or new:
        return -1
    row += region.starts(row, *_UNENDED)
    return row if _is_over(region, row) else -1


def _is_over(region: Region, row: int) -> bool:
    """Whether nothing that could belong to a hunk stands there; blank lines are passed over."""
    while row < region.end and not region.lines[row]:
        row += 1
    if row == region.end or _is_border(region, row):
        return True
    return not region.fenced and not region.starts(row, *_UNENDED, *_TAGS)


def _end_by_shape(region: Region, row: int, numbers: Numbers | None) -> int:
    """The row behind the last line that can belong to the hunk. In a fence, lines without a tag do."""
    old, new = (numbers.old, numbers.new) if numbers is not None else (0, 0)
    while row < region.end and not _is_border(region, row):
        line = region.lines[row]
        if line and not line.startswith((*_UNENDED, *_TAGS)) and not region.fenced and not (old > 0 and new > 0):
            behind = _behind_naked(region, row)
            if not region.starts(behind, "+", "-") or _is_border(region, behind):
                break
            row = behind
            continue
        old -= not line.startswith(("+", *_UNENDED))
        new -= not line.startswith(("-", *_UNENDED))
        row += 1
    return row


def _behind_naked(region: Region, row: int) -> int:
    while row < region.end and region.lines[row] and not region.starts(row, *_UNENDED, *_TAGS):
        if _is_border(region, row):
            break
        row += 1
    return row


def _is_border(region: Region, row: int) -> bool:
    """Whether a line can't belong to a hunk because something else begins there."""
    line = region.lines[row]
    first = line[:1]
    if first == "-":
        return is_file_header(region, row) or _is_signature(region, row)
    if first == "@":
        return line.startswith("@@")
    if first == "d":
        return line.startswith(("diff --git ", "diff --cc ", "diff --combined ", "diff -"))
    if first == "I":
        return line.startswith("Index: ") and region.starts(row + 1, "=====")
    if first == "*":
        return line.startswith(_SIGNED)
    return not region.fenced and line.startswith("```")


def _is_signature(region: Region, row: int) -> bool:
    """`-- ` and a version number: how mails that git writes end."""
    if region.lines[row].rstrip() != "--" or not region.starts(row + 1, *"0123456789"):
        return False
    version = region.lines[row + 1].strip()
    return "." in version and not version.strip("0123456789.abcdefghijklmnopqrstuvwxyz-() ABCDEFGHIJKLMNOPQRSTUVWXYZ")


# ── what its lines are ───────────────────────────────────────────────────────────────────────────


def _block(region: Region, row: int, first: int, numbers: Numbers | None, end: int) -> Block:
    last = end
    while last > first and not region.lines[last - 1]:
        last -= 1  # blank lines behind a hunk are not of it
    lines = region.lines[first:last]
    if {line[:1] for line in lines} <= _ALL_TAGS:  # as below, by a shorter way
        plain = tuple([(line[0], line[1:]) for line in lines])
        return Block(row, numbers, plain, tuple(range(first, last)), "", (), end)
    tagged: list[tuple[str, str]] = []
    rows: list[int] = []
    naked: list[int] = []
    bare: dict[str, int] = {}
    for at, line in enumerate(lines, first):
        tag = line[:1]
        if tag == "\\" and line.startswith(_UNENDED):
            if tagged:
                bare[tagged[-1][0]] = len(tagged)
            continue
        if tag in _TAGS:
            tagged.append((tag, line[1:]))
        else:
            tagged.append((" ", line))
            naked += [at] if line else []
        rows.append(at)
    sides = _bare_sides(tagged, bare) if bare else ""
    return Block(row, numbers, tuple(tagged), tuple(rows), sides, tuple(naked), end)


def _bare_sides(tagged: list[tuple[str, str]], bare: dict[str, int]) -> str:
    """The sides that end in a line marked as having no line end; a mark in the middle of a side means nothing."""
    tags = [tag for tag, _ in tagged]
    sides = ""
    for side, other in (("-", "+"), ("+", "-")):
        last = max((number for number, tag in enumerate(tags, 1) if tag != other), default=0)
        if last and last in (bare.get(side), bare.get(" ")):
            sides += side
    return sides
