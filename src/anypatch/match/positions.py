"""Edits that say where they go: new lines at a line number or below a header, ranges of lines and columns. Pure.

"Hashline" tools name a line by its number and a hash of its text, and a file by its path and a hash:

    12:a3         xxHash32 of a line without its white space, modulo 256, two hex digits
    12#VK         the same in other letters; the seed for a line without letters or digits is its number. oh-my-pi
                  drops only the white space at the end of the line
    [a.py#1D84]   of a file without trailing white space, the low 16 bits, four hex digits

Ranges are those of language servers: LF, CRLF and CR end a line. A column after the end of its line means that end;
a line after the end of the file is refused, unless the range takes the whole file. Cost is linear in file and ranges,
also on one endless line.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from itertools import accumulate, pairwise

from ..model import Hunk, Span, Spans
from ..problems import Problem, Refused
from ..text import Splice, Text, hash_of, is_hash
from . import explain
from .headers import header_blocks
from .search import Place

_PRIMES = (2654435761, 2246822519, 3266489917, 668265263, 374761393)
_WORD = 0xFFFFFFFF
_LETTERS = "ZPMQVRWSNKTXJBYH"


# ── lines to insert ──────────────────────────────────────────────────────────────────────────────


def insertion(text: Text, hunk: Hunk) -> Splice | Problem:
    """Put a hunk without old lines where it says: at an end of the file, at a line number, below a header."""
    claims, count = hunk.claims, len(text.lines)
    if claims.hashes and (stale := _find_stale(text, claims.hashes)) is not None:
        return stale._replace(patch_line=hunk.patch_line)
    if claims.at_start:
        return _at_rows(text, hunk, 0, 0)
    if claims.at_end or not count:
        return _at_rows(text, hunk, count, count)
    if claims.line:
        if claims.last > count or claims.line > count + 1:
            detail, advice = f"the file ends at line {count}", "Give line numbers that are in the file."
            return Problem("not_found", detail, patch_line=hunk.patch_line, line=count, advice=advice)
        return _at_rows(text, hunk, claims.line - 1, claims.last)
    if claims.headers:
        return _below_header(text, hunk)
    detail, advice = "the edit adds lines but doesn't say where", "Add a line of the file that is next to them."
    return Problem("ambiguous", detail, patch_line=hunk.patch_line, advice=advice)


def _below_header(text: Text, hunk: Hunk) -> Splice | Problem:
    blocks = header_blocks(text, hunk.claims.headers)
    if not blocks:
        return explain.no_place(text, hunk)
    if len(blocks) > 1:
        starts = [text.starts[block.row] for block in blocks]
        return explain.several_places(text, hunk, [Place(start, start, "exact") for start in starts])
    row = blocks[0].row + 1
    if row < len(text.lines) and text.lines[row].strip() == "{":  # `int f(void)`, and its brace on the next line
        row += 1
    return _at_rows(text, hunk, row, row)


def _at_rows(text: Text, hunk: Hunk, start: int, end: int) -> Splice:
    if start >= len(text.lines):
        return Splice(len(text.body), len(text.body), hunk.new, hunk.policy.own_line_ends)
    return Splice(text.line_start(start), text.line_start(end), hunk.new, hunk.policy.own_line_ends)


# ── hashes of lines ──────────────────────────────────────────────────────────────────────────────


def _rotate_left(value: int, bits: int) -> int:
    value &= _WORD
    return (value << bits | value >> (32 - bits)) & _WORD


def xxh32(data: bytes, seed: int = 0) -> int:
    """Return the 32-bit xxHash."""
    prime1, prime2, prime3, prime4, prime5 = _PRIMES
    at = 0
    total = seed + prime5
    if len(data) >= 16:
        lanes = [seed + prime1 + prime2, seed + prime2, seed, seed - prime1]
        while at + 16 <= len(data):
            for lane in range(4):
                word = int.from_bytes(data[at : at + 4], "little")
                lanes[lane] = _rotate_left(lanes[lane] + word * prime2, 13) * prime1
                at += 4
        total = sum(_rotate_left(lane, bits) for lane, bits in zip(lanes, (1, 7, 12, 18), strict=True))
    total += len(data)
    while at + 4 <= len(data):
        total = _rotate_left(total + int.from_bytes(data[at : at + 4], "little") * prime3, 17) * prime4
        at += 4
    for byte in data[at:]:
        total = _rotate_left(total + byte * prime5, 11) * prime1
    total &= _WORD
    total = (total ^ total >> 15) * prime2 & _WORD
    total = (total ^ total >> 13) * prime3 & _WORD
    return total ^ total >> 16


def hash_of_line(line: str) -> str:
    """Return the hash that follows the number of a line."""
    return f"{xxh32(''.join(line.split()).encode('utf-8', 'surrogateescape')) % 256:02x}"


def ids_of_line(line: str, number: int) -> list[str]:
    """Return what may follow the number of a line, like `#VK`: tools hash it in different ways."""
    seeds = (0,) if re.search(r"[^\W_]", line) else (number, 0)
    texts = ("".join(line.split()), line.rstrip())
    codes = [xxh32(text.encode("utf-8", "surrogateescape"), seed) % 256 for text in texts for seed in seeds]
    return [f"#{_LETTERS[code >> 4]}{_LETTERS[code & 15]}" for code in codes]


def tag_of_file(text: str) -> str:
    """Return the tag that follows the path of a file."""
    plain = re.sub(r"[ \t\r]+(?=\n|$)", "", text)
    return f"{xxh32(plain.encode('utf-8', 'surrogateescape')) & 0xFFFF:04X}"


def _find_stale(text: Text, hashes: tuple[tuple[int, str], ...]) -> Problem | None:
    """Return the problem of the first line (0: the file) whose hash isn't the expected one; None if there is none."""
    for line, expected in hashes:
        if line > len(text.lines):
            return Problem("stale", f"line {line} is named, but the file ends at line {len(text.lines)}", line=line)
        if not line:
            current = [tag_of_file("".join(map("".join, zip(text.lines, text.ends, strict=True))))]
        elif expected[0] == "#":
            current = ids_of_line(text.lines[line - 1], line)
        else:
            current = [hash_of_line(text.lines[line - 1])]
        if expected.lower() not in map(str.lower, current):
            name = f"line {line}" if line else "the file"
            return Problem("stale", f"the hash of {name} is {current[0]}, not {expected}", line=line)
    return None


# ── ranges of lines and columns ──────────────────────────────────────────────────────────────────


def place_ranges(text: Text, edit: Spans) -> list[Splice] | Problem:
    """Return the splices of all ranges, or what is in the way."""
    try:
        if edit.hash and not is_hash(edit.hash, current := hash_of(text.data())):
            raise Refused(Problem("stale", f"its hash is {current}, not {edit.hash}"))
        ruler = _Ruler(text, edit.unit)
        splices = [ruler.splice(span) for span in sorted(edit.spans, key=lambda span: span.start)]
        for above, below in pairwise(splices):
            if below.start < above.stop:
                raise Refused(Problem("overlap", "two ranges overlap", line=text.row_at(below.start) + 1))
    except Refused as refused:
        return refused.problems[0]._replace(patch_line=edit.patch_line)
    return splices


class _Ruler:
    """Maps lines and columns, as language servers count them, to offsets of a text.

    A lone CR ends a line for a server, but is a character of the line in `Text`. `starts`: the offset of each of the
    server's lines, and the end of the text.
    """

    def __init__(self, text: Text, unit: str) -> None:
        self.text, self.unit = text, unit
        self.starts = text.starts
        if "\r" in text.body:
            self.starts = [end.end() for end in re.finditer("[\r\n]", text.body)]
        self.count = len(self.starts) - 1
        self._measured, self._widths = -1, [0]  # of the line that was measured last

    def splice(self, span: Span) -> Splice:
        """Return the splice of a range. New lines get the file's line ending; in an empty file they keep their own."""
        text = self.text
        if span.end < span.start:
            raise Refused(Problem("bad_patch", f"a range ends before it begins: {_described(span)}"))
        takes_all = span.start == (0, 0) and span.end[0] >= self.count
        start = self._offset(span.start, span)
        if takes_all or span.end == (self.count, 0):
            # A last line without an ending has no line after it to begin at, but a range may end there.
            stop = len(text.body) - (self.count > 0 and not text.final)
        else:
            stop = self._offset(span.end, span)
        new = re.sub("\r\n?", "\n", span.text) if text.lines else span.text
        return Splice(start, max(stop, start), new, own_ends=False)

    def _offset(self, position: tuple[int, int], span: Span) -> int:
        line, column = position
        if line == self.count and (self.text.final or not self.count):
            return len(self.text.body)
        if line >= self.count:
            advice = "Give positions that are in the file."
            detail = f"the range {_described(span)} (counted from 0) is beyond the end of the file"
            raise Refused(Problem("not_found", detail, line=self.count, advice=advice))
        start = self.starts[line]
        return start + self._characters(line, self.text.body[start : self.starts[line + 1] - 1], column)

    def _characters(self, number: int, line: str, column: int) -> int:
        """Count the characters before a column of a line."""
        if line.isascii() or self.unit == "utf-32":
            return min(column, len(line))
        if self._measured != number:
            self._measured = number
            self._widths = list(accumulate((_width(char, self.unit) for char in line), initial=0))
        at = min(bisect_left(self._widths, column), len(line))
        row = self.text.row_at(self.starts[number])
        if self._widths[at] > column:
            detail = f"column {column} is in the middle of a character"
            advice = f"Count columns in units of {self.unit}."
            raise Refused(Problem("not_found", detail, line=row + 1, advice=advice))
        if any("\udc80" <= char <= "\udcff" for char in line[:at]):
            detail = "the text before the range isn't UTF-8, so its columns can't be counted"
            raise Refused(Problem("not_text", detail, line=row + 1))
        return at


def _width(char: str, unit: str) -> int:
    return len(char.encode("utf-8", "surrogatepass")) if unit == "utf-8" else 1 + (char > "\uffff")


def _described(span: Span) -> str:
    (line, column), (last, end) = span.start, span.end
    return f"{line}:{column} to {last}:{end}"
