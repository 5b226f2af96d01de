"""Ranges of lines and columns as splices. Pure; linear in file and spans, also on one endless line.

A line ends at LF, CRLF or CR, as language servers count. A column behind the end of its line means that end; a line
behind the end of the file is refused, but for a range that takes the whole file.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from itertools import accumulate, pairwise
from typing import NamedTuple

from ..model import Span, Spans
from ..problems import Problem, Refused
from ..text import Splice, Text, hash_of, is_hash


class Spot(NamedTuple):
    """A span as rows of the text and characters of their lines."""

    start: tuple[int, int]
    end: tuple[int, int]
    text: str


def place_spans(text: Text, said: Spans) -> list[Splice] | Problem:
    """The splices of all spans, or what stands in the way."""
    try:
        if said.hash and not is_hash(said.hash, now := hash_of(text.data())):
            raise Refused(Problem("stale", f"its hash is {now}, not {said.hash}"))
        ruler = _Ruler(text, said.unit)
        spots = [ruler.spot(span) for span in sorted(said.spans, key=lambda span: span.start)]
        _check_apart(spots)
    except Refused as refused:
        return refused.problems[0]._replace(patch_line=said.patch_line)
    return [_splice(text, spot) for spot in spots]


class _Ruler:
    """From lines and columns as servers count them to rows and characters of a text."""

    def __init__(self, text: Text, unit: str) -> None:
        self.text, self.unit = text, unit
        # where each line of a server's begins; a lone CR is content to us and ends a line for them
        self.begins: list[tuple[int, int]] | None = None
        if any("\r" in line for line in text.lines):
            self.begins = []
            for row, line in enumerate(text.lines):
                self.begins += [(row, at) for at in (0, *(found.end() for found in re.finditer("\r", line)))]
        self.count = len(text.lines) if self.begins is None else len(self.begins)
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
        lines = self.text.lines
        return (len(lines), 0) if self.text.final or not lines else (len(lines) - 1, len(lines[-1]))

    def _at(self, place: tuple[int, int], span: Span) -> tuple[int, int]:
        line, column = place
        if line == self.count and (self.text.final or not self.count):
            return len(self.text.lines), 0
        if line >= self.count:
            advice = "Give positions that are in the file."
            detail = f"the range {_said(span)} (counted from 0) is beyond the end of the file"
            raise Refused(Problem("not_found", detail, line=self.count, advice=advice))
        row, begin = (line, 0) if self.begins is None else self.begins[line]
        return row, begin + self._characters(row, begin, column)

    def _characters(self, row: int, begin: int, column: int) -> int:
        """A column of a line as characters."""
        text = self.text.lines[row]
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


def _check_apart(spots: list[Spot]) -> None:
    for one, two in pairwise(spots):
        if two.start < one.end:
            raise Refused(Problem("overlap", "two ranges overlap", line=two.start[0] + 1))


def _splice(text: Text, spot: Spot) -> Splice:
    """The splice of a span; new lines take the file's line end, in an empty file they keep their own."""
    start, end = (text.line_start(row) + column for row, column in (spot.start, spot.end))
    return Splice(start, end, re.sub("\r\n?", "\n", spot.text) if text.lines else spot.text, own_ends=False)
