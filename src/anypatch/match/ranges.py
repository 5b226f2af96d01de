"""Ranges of lines and columns as splices of whole lines. Pure; linear in file and spans, also on one endless line.

A line ends at LF, CRLF or CR, as language servers count. A column behind the end of its line means that end; a line
behind the end of the file is refused, but for a range that takes the whole file.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from itertools import accumulate

from ..model import Span, Spans, Splice
from ..problems import Problem, Refused
from ..record import NamedTuple
from ..text import hash_of, is_hash
from .search import Page
from .splices import Fit


class Spot(NamedTuple):
    """A span as rows of the page and characters of their lines."""

    start: tuple[int, int]
    end: tuple[int, int]
    text: str


def place_spans(page: Page, said: Spans) -> list[Fit] | Problem:
    """The splices of all spans, or what stands in the way."""
    try:
        if said.hash and not is_hash(said.hash, now := hash_of(page.sheet.data())):
            raise Refused(Problem("stale", f"its hash is {now}, not {said.hash}"))
        ruler = _Ruler(page, said.unit)
        spots = [ruler.spot(span) for span in sorted(said.spans, key=lambda span: span.start)]
        groups = _groups(spots)
    except Refused as refused:
        return refused.problems[0]._replace(patch_line=said.patch_line)
    return [_fit(page, group) for group in groups]


class _Ruler:
    """From lines and columns as servers count them to rows and characters of a page."""

    def __init__(self, page: Page, unit: str) -> None:
        self.page, self.unit = page, unit
        # where each line of a server's begins; a lone CR is content to us and ends a line for them
        self.begins: list[tuple[int, int]] | None = None
        if any("\r" in line for line in page.lines):
            self.begins = []
            for row, line in enumerate(page.lines):
                self.begins += [(row, at) for at in (0, *(found.end() for found in re.finditer("\r", line)))]
        self.count = len(page.lines) if self.begins is None else len(self.begins)
        self._row, self._sums = (-1, -1), [0]

    def spot(self, span: Span) -> Spot:
        if span.end < span.start:
            raise Refused(Problem("bad_patch", f"a range ends before it begins: {_said(span)}"))
        whole = span.start == (0, 0) and span.end[0] >= self.count
        start = self._at(span.start, span)
        # where the last line has no end, the line behind it is no place to begin at, but one to end at
        end = self._last() if whole or span.end == (self.count, 0) else self._at(span.end, span)
        return Spot(start, max(end, start), span.text)

    def _last(self) -> tuple[int, int]:
        lines = self.page.lines
        return (len(lines), 0) if self.page.sheet.final or not lines else (len(lines) - 1, len(lines[-1]))

    def _at(self, place: tuple[int, int], span: Span) -> tuple[int, int]:
        line, column = place
        if line == self.count and (self.page.sheet.final or not self.count):
            return len(self.page.lines), 0
        if line >= self.count:
            advice = "Give positions that are in the file."
            detail = f"the range {_said(span)} (counted from 0) is beyond the end of the file"
            raise Refused(Problem("not_found", detail, line=self.count, advice=advice))
        row, begin = (line, 0) if self.begins is None else self.begins[line]
        return row, begin + self._characters(row, begin, column)

    def _characters(self, row: int, begin: int, column: int) -> int:
        """A column of a line as characters."""
        text = self.page.lines[row]
        if self.begins is not None:
            end = text.find("\r", begin)
            text = text[begin : end if end >= 0 else None]
        if text.isascii() or self.unit == "utf-32":
            return min(column, len(text))
        if self._row != (row, begin):
            self._row = (row, begin)
            self._sums = list(accumulate((_size(char, self.unit) for char in text), initial=0))
        at = bisect_left(self._sums, column)
        if at >= len(self._sums):
            at = len(text)
        elif self._sums[at] != column:
            detail = f"column {column} is in the middle of a character"
            advice = f"Count columns in units of {self.unit}."
            raise Refused(Problem("not_found", detail, line=row + 1, advice=advice))
        if any("\udc80" <= char <= "\udcff" for char in text[:at]):
            detail = "the text before the range isn't UTF-8, so its columns can't be counted"
            raise Refused(Problem("not_text", detail, line=row + 1))
        return at


def _size(char: str, unit: str) -> int:
    return len(char.encode("utf-8", "surrogatepass")) if unit == "utf-8" else 1 + (char > "\uffff")


def _said(span: Span) -> str:
    (line, column), (last, stop) = span.start, span.end
    return f"{line}:{column} to {last}:{stop}"


def _groups(spots: list[Spot]) -> list[list[Spot]]:
    """Spans that share a line go together; none may overlap."""
    groups: list[list[Spot]] = []
    for spot in spots:
        above = groups[-1][-1].end if groups else (-1, 0)
        if spot.start < above:
            raise Refused(Problem("overlap", "two ranges overlap", line=spot.start[0] + 1))
        if spot.start[0] <= above[0]:
            groups[-1].append(spot)
        else:
            groups.append([spot])
    return groups


def _fit(page: Page, group: list[Spot]) -> Fit:
    """One splice for all spans on some lines; new lines take the file's line end, in an empty file their own."""
    lines, sheet = page.lines, page.sheet
    first, last = group[0].start[0], group[-1].end[0]
    parts, done = [], (first, 0)
    for spot in group:
        kept = "".join(lines[done[0] : done[0] + 1])[done[1] : spot.start[1]]
        parts += [kept, re.sub("\r\n?", "\n", spot.text) if lines else spot.text]
        done = spot.end
    parts += [line[done[1] :] for line in lines[last : last + 1]]
    cut = re.split("(\n)" if lines else "(\r\n|\n|\r)", "".join(parts))
    new, ends = cut[::2], [sheet.eol if lines else end for end in cut[1::2]]
    is_tail = last >= len(lines) - (not sheet.final)
    final = None
    if not is_tail:
        ends.append(sheet.ends[last])
    elif new[-1] == "":
        new.pop()  # what comes ends in a line end, or nothing is left of the last line
        final = True if new or first else None
    else:
        ends.append(sheet.eol)
        final = False
    return Fit(Splice(first, min(last + 1, len(lines)), tuple(new), "position"), ends, final=final)
