"""Bytes, text and lines: decoding, line endings, splices, indentation, hashes. Pure."""

from __future__ import annotations

import re
from bisect import bisect_right
from functools import cache, cached_property
from hashlib import sha256
from itertools import accumulate, repeat
from operator import itemgetter
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

    Ends = list[str] | None


BOM = "\ufeff"
BLANK = " \t\r"

_BINARY_STARTS = (
    b"\xff\xfe", b"\xfe\xff", b"\0\0\xfe\xff", b"\x7fELF", b"\x89PNG", b"GIF8", b"\xff\xd8\xff", b"PK\x03\x04",
    b"%PDF-", b"\x1f\x8b",
)  # fmt: skip
_CONTROLS = bytes(c for c in range(32) if c not in b"\t\n\r\f\x0b\x1b\x08")


def looks_binary(data: bytes) -> bool:
    """Return True if bytes aren't text whose lines could be edited. A stray NUL or Latin-1 letter isn't enough."""
    head = data[:8192]
    if head.startswith(_BINARY_STARTS):
        return True
    if b"\0" not in head:
        return False
    return len(head) - len(head.translate(None, _CONTROLS)) > len(head) // 10


BINARY_STARTS = tuple(start.decode("utf-8", "surrogateescape") for start in _BINARY_STARTS)


def is_wide(data: bytes) -> bool:
    """Return True for text in UTF-16 or UTF-32: it has a byte order mark, or NULs only where such text has them."""
    if not looks_binary(data):
        return False
    nuls = "".join([str(at) for at in range(4) if b"\0" in data[at:8192:4]])
    return data.startswith((b"\xff\xfe", b"\xfe\xff", b"\0\0\xfe\xff")) or nuls in ("13", "02", "123", "012")


def utf_16(data: bytes) -> str:
    """Return the UTF-16 encoding that the byte order mark of a file names, if all of it is text; else ""."""
    name = {b"\xff\xfe": "utf-16-le", b"\xfe\xff": "utf-16-be"}.get(data[:2], "")
    try:
        text = data.decode(name) if name else ""
    except UnicodeDecodeError:
        return ""
    return name if text and not looks_binary(encode(text)) else ""


def text_of(data: bytes) -> str:
    """Decode a file for display, from UTF-16 too."""
    name = utf_16(data)
    return data.decode(name) if name else decode(data)


def decode(data: bytes) -> str:
    """Decode UTF-8; other bytes become lone surrogates."""
    return data.decode("utf-8", "surrogateescape")


def encode(text: str) -> bytes:
    """Encode text that `decode` gave. Surrogates that represent no byte, as str in memory may hold, get three bytes."""
    try:
        return text.encode()  # without a handler of errors it takes two thirds of the time
    except UnicodeEncodeError:
        pass
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        parts = re.split("([\ud800-\udc7f\udd00-\udfff]+)", text)
        halves = ("surrogateescape", "surrogatepass")
        return b"".join([part.encode("utf-8", halves[at % 2]) for at, part in enumerate(parts)])


_SPAN = itemgetter(0, 1)


def writable(value: Any) -> Any:
    """Escape lone surrogates in plain values: neither JSON for others nor a table can hold them."""
    if isinstance(value, str):
        return value if value.isascii() else value.encode("utf-8", "backslashreplace").decode("utf-8")
    if isinstance(value, dict):
        return {writable(name): writable(inner) for name, inner in value.items()}
    return [writable(inner) for inner in value] if isinstance(value, list | tuple) else value


class Splice(NamedTuple):
    """The characters from `start` to `stop` of a text's body become `new`.

    With `own_ends`, new lines keep the endings of those they replace; otherwise they take the file's usual one.
    """

    start: int
    stop: int
    new: str
    own_ends: bool = True


class Text:
    """The text of a file. It never changes: `apply` returns a new one.

    Searching and splicing work on `body`: all lines end in "\\n", and one more "\\n" is before the first.

        b"one\\r\\ntwo"    →    body "\\none\\ntwo\\n", ends ["\\r\\n", ""]

    So a run of whole lines is found with one `str.find`: "\\ntwo\\n" can't match in the middle of a line. A lone CR is
    content, except in a file that has no LF at all. Lines are split when they are asked for.
    """

    def __init__(self, body: str, bom: bool = False, final: bool = True, eol: str = "\n", ends: Ends = None) -> None:
        self.body = body
        self.bom = bom
        self.final = final  # the last line has an ending; True for an empty text
        self.eol = eol  # the line ending that most lines have
        self._ends = ends  # None if every line ends in LF
        self.is_plain = ends is None  # LF ends every line, and no line has a CR inside
        self.indexes: dict[object, Any] = {}  # of `match/search.py`, built on demand

    @staticmethod
    def read(data: bytes, *, lone_cr: bool = False) -> Text:
        """Read the bytes of a file. With `lone_cr`, a CR alone ends a line too."""
        return Text.of(decode(data), lone_cr=lone_cr)

    @staticmethod
    def of(source: str, *, lone_cr: bool = False) -> Text:
        """Read the contents of a file, BOM and line endings included."""
        bom = source[:1] == BOM
        if bom:
            source = source[1:]
        if "\r" not in source:
            final = source == "" or source[-1] == "\n"
            return Text(f"\n{source}" if final else f"\n{source}\n", bom, final)
        lines, ends = split_all(source) if lone_cr else split(source)
        return Text("\n".join(["", *lines, ""]), bom, not ends or ends[-1] != "", majority(ends), ends)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Text):
            return NotImplemented
        return self.body == other.body and (self.bom, self.final, self.ends) == (other.bom, other.final, other.ends)

    def __hash__(self) -> int:
        return hash(self.body)

    @cached_property
    def lines(self) -> list[str]:
        """The lines without their endings."""
        return self.body[1:-1].split("\n") if len(self.body) > 1 else []

    @cached_property
    def starts(self) -> list[int]:
        """The offset of each line in the body; the last entry is the end of the body."""
        return list(accumulate(map(len, self.lines), lambda start, size: start + size + 1, initial=1))

    @property
    def ends(self) -> list[str]:
        """The ending of each line: LF, CRLF, CR or, for a last line without one, ""."""
        if self._ends is not None:
            return self._ends if self.final or not self._ends else [*self._ends[:-1], ""]
        return ["\n"] * (len(self.lines) - (not self.final)) + [""] * (not self.final)

    @property
    def text(self) -> str:
        """The lines, each followed by LF."""
        return self.body[1:]

    def row_at(self, offset: int) -> int:
        """Return the row, counted from 0, of the line at an offset of the body."""
        if "starts" in self.__dict__:
            return bisect_right(self.starts, offset, hi=len(self.starts) - 1) - 1 if self.lines else 0
        return self.body.count("\n", 1, offset)

    def line_start(self, row: int) -> int:
        """Return the offset at which a row begins; the end of the body for rows after the last."""
        return self.starts[row] if row < len(self.starts) else len(self.body)

    def replaced_rows(self, start: int, end: int, lines: Sequence[str], own_ends: bool = True) -> Splice:
        """Return the splice that replaces rows `start` up to `end` by lines."""
        new = "\n".join([*lines, ""]) if lines else ""
        return Splice(self.line_start(start), self.line_start(end), new, own_ends)

    def apply(self, splices: Iterable[Splice], final: bool | None = None) -> Text:
        """Return the text with all splices made at once. With `final`, it ends in a line ending, or doesn't."""
        ordered = sorted(splices, key=_SPAN)
        body = self.body
        pieces: list[str] = []
        position = 0
        for splice in ordered:
            if splice.start < position:
                raise ValueError(f"two splices change line {self.row_at(splice.start) + 1}")
            pieces += (body[position : splice.start], splice.new)
            position = splice.stop
        pieces.append(body[position:])
        result = "".join(pieces)
        final = self.final if final is None else final
        if result[-1:] != "\n" or len(result) < len(pieces[0]) or not result:
            result, final = result + "\n", False  # an inline edit removed the last line ending
        ends = None if self._ends is None else self._ends_after(ordered)
        return Text(result, self.bom, final or len(result) == 1, self.eol, ends)

    def _ends_after(self, ordered: Sequence[Splice]) -> list[str]:
        """Return the ending of each line after the splices. Lines that are written again keep theirs."""
        ends = [end or self.eol for end in self.ends]
        result: list[str] = []
        row = 0
        for start, stop, new, own in ordered:
            first = self.row_at(start)
            old = self.body[start:stop].split("\n")[:-1]
            result += ends[row:first]
            row = first + len(old)
            result += _aligned_ends(old, new.split("\n")[:-1], ends[first:row], self.eol, own)
        return result + ends[row:]

    @property
    def source(self) -> str:
        """The contents of the file, BOM and line endings included."""
        if self._ends is None:
            source = self.body[1:] if self.final else self.body[1:-1]
        else:
            ends = [end or self.eol for end in self._ends[: len(self.lines)]]
            if ends and not self.final:
                ends[-1] = ""
            source = join(self.lines, ends)
        return BOM + source if self.bom else source

    def data(self) -> bytes:
        """The bytes of the file."""
        return encode(self.source)


def _aligned_ends(old: list[str], new: list[str], ends: list[str], eol: str, own: bool) -> list[str]:
    """Return endings for lines that replace others: unchanged lines keep theirs, and with `own` all do."""
    fewer = min(len(old), len(new))
    head = next((at for at in range(fewer) if old[at] != new[at]), fewer)
    tail = next((at for at in range(fewer - head) if old[-1 - at] != new[-1 - at]), fewer - head)
    kept = ends[head : len(ends) - tail] if own else []
    count = len(new) - head - tail
    middle = kept[:count] + [eol] * (count - len(kept))
    return ends[:head] + middle + ends[len(ends) - tail :]


def split(text: str, separator: str = "") -> tuple[list[str], list[str]]:
    """Split a text into lines and their endings, at `separator`: LF, or CR; by default CR only in a text without LF."""
    if separator == "\r" or (not separator and "\n" not in text and "\r" in text):
        lines = text.split("\r")
        ends = ["\r"] * len(lines)
    elif "\r" in text and "\r\n" in text:  # one character is looked for much faster than two
        lines = text.split("\n")
        crs = [line[-1:] == "\r" for line in lines[:-1]]
        ends = ["\r\n" if cr else "\n" for cr in crs] + [""]
        lines = [line[:-1] if cr else line for line, cr in zip(lines, [*crs, False], strict=True)]
    else:
        lines = text.split("\n")
        ends = ["\n"] * len(lines)
    ends[-1] = ""
    if lines[-1] == "":
        lines.pop()
        ends.pop()
    return lines, ends


def split_all(text: str) -> tuple[list[str], list[str]]:
    """Split a text into lines and their endings; a lone CR ends a line, too."""
    lines: list[str] = []
    ends: list[str] = []
    for line, end in zip(*split(text), strict=True):
        parts = line.split("\r")
        lines += parts
        ends += ["\r"] * (len(parts) - 1) + [end]
    if lines and not lines[-1] and not ends[-1]:
        lines.pop()
        ends.pop()
    return lines, ends


def join(lines: Sequence[str], ends: Sequence[str]) -> str:
    """Join lines and their endings."""
    if ends and ends.count("\n") >= len(ends) - (ends[-1] == ""):
        return "\n".join(lines) + ends[-1]
    return "".join([part for pair in zip(lines, ends, strict=True) for part in pair])


def majority(ends: list[str]) -> str:
    """Return the line ending that most lines have; LF if there is none, or a tie."""
    lf = ends.count("\n")
    if lf >= len(ends) - 1:
        return "\n" if lf or not ends or ends[0] == "" else ends[0]
    crlf, cr = ends.count("\r\n"), ends.count("\r")
    if cr > lf and cr > crlf:
        return "\r"
    return "\r\n" if crlf > lf else "\n"


def indent_of(line: str) -> str:
    """Return the white space that a line begins with."""
    return line[: len(line) - len(line.lstrip(" \t"))]


def shared_indent(lines: Iterable[str]) -> str:
    """Return the white space that all lines begin with, blank ones aside."""
    indents = {indent_of(line) for line in lines if not is_blank(line)}
    least = min(indents, key=len, default="")
    return least if all(indent.startswith(least) for indent in indents) else ""


def end_of_line(text: str, position: int) -> int:
    """Return the offset at which the line at a position ends."""
    at = text.find("\n", position)
    return at if at >= 0 else len(text)


def depth_of(line: str) -> int:
    """Return the width of a line's indentation; a tab reaches to the next eighth column."""
    return len(indent_of(line).expandtabs(8))


def units(text: str) -> int:
    """Count the UTF-16 units of a text. A byte that isn't UTF-8 counts as one."""
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2


def characters(line: str, column: int) -> int:
    """Count the characters of a line before a column in UTF-16 units; columns after the end count as the end."""
    if line.isascii():
        return min(column, len(line))
    return len(line.encode("utf-16-le", "surrogatepass")[: 2 * column].decode("utf-16-le", "surrogatepass"))


def stripped(lines: Sequence[str]) -> list[str]:
    """Strip spaces, tabs and CRs from lines, fast."""
    return list(map(str.strip, lines, repeat(BLANK)))


def with_lf(text: str) -> str:
    """Return the text with LF for every line ending."""
    return text.replace("\r\n", "\n").replace("\r", "\n")


def is_blank(line: str) -> bool:
    """Return True if a line has only white space."""
    return not line.strip(BLANK)


@cache
def pattern(source: str) -> re.Pattern[str]:
    """Compile a pattern when it is first needed; all at once would cost a good part of the start."""
    return re.compile(source, re.DOTALL)


def patch_lines(text: str) -> list[str]:
    """Split a patch into lines without BOM and line endings. Only LF ends a line."""
    lines = text.removeprefix(BOM).split("\n")
    if "\r" not in text:
        return lines
    return [line[:-1] if line[-1:] == "\r" else line for line in lines]


# ── hashes ──────────────────────────────────────────────────────────────────────────────────────────


def hash_of(text: bytes | str) -> str:
    """Return the hash of a file, or of the lines of a symbol, as it is shown to readers."""
    return f"sha256:{sha256(encode(text) if isinstance(text, str) else text).hexdigest()}"


def is_hash(given: str, actual: str) -> bool:
    """Return True if a hash that was sent back, with or without its prefix, is the actual one."""
    return "sha256:" + given.strip().lower().removeprefix("sha256:") == actual
