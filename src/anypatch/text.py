"""Bytes and lines: decoding, each line's own line end, indentation. Pure; knows no patch, no file system."""

from __future__ import annotations

import re
from bisect import bisect_right
from functools import cache, cached_property
from itertools import accumulate, repeat
from operator import itemgetter
from typing import TYPE_CHECKING, NamedTuple

from .problems import Problem

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
    """Whether the bytes are no text that lines could be edited in. A stray NUL or Latin-1 letter is not enough."""
    head = data[:8192]
    if head.startswith(_BINARY_STARTS):
        return True
    if b"\0" not in head:
        return False
    return len(head) - len(head.translate(None, _CONTROLS)) > len(head) // 10


_TEXT_STARTS = tuple(start.decode("utf-8", "surrogateescape") for start in _BINARY_STARTS)


def may_be_binary(source: str) -> bool:
    """A cheap look at a file's text: False only if it isn't binary."""
    return "\0" in source[:8192] or source.startswith(_TEXT_STARTS)


def is_wide(data: bytes) -> bool:
    """Whether the bytes are text in UTF-16 or UTF-32: by their mark, or as NULs stand only where such text has them."""
    if not looks_binary(data):
        return False
    nuls = "".join([str(at) for at in range(4) if b"\0" in data[at:8192:4]])
    return data.startswith((b"\xff\xfe", b"\xfe\xff", b"\0\0\xfe\xff")) or nuls in ("13", "02", "123", "012")


def utf_16(data: bytes) -> str:
    """Which UTF-16 a file is in, where its mark says so and all of it is text; else ""."""
    name = {b"\xff\xfe": "utf-16-le", b"\xfe\xff": "utf-16-be"}.get(data[:2], "")
    try:
        text = data.decode(name) if name else ""
    except UnicodeDecodeError:
        return ""
    return name if text and not looks_binary(encode(text)) else ""


def text_of(data: bytes) -> str:
    """A file's text for the eye, in UTF-16 too."""
    name = utf_16(data)
    return data.decode(name) if name else decode(data)


def decode(data: bytes) -> str:
    """Bytes as text; what is not UTF-8 survives as lone surrogates."""
    return data.decode("utf-8", "surrogateescape")


def encode(text: str) -> bytes:
    """The bytes again. Halves of characters that stand for no byte, as texts in memory hold them, get three each."""
    try:
        return text.encode()  # without a handler of errors it takes two thirds of the time
    except UnicodeEncodeError:
        pass
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        import re

        parts = re.split("([\ud800-\udc7f\udd00-\udfff]+)", text)
        halves = ("surrogateescape", "surrogatepass")
        return b"".join([part.encode("utf-8", halves[at % 2]) for at, part in enumerate(parts)])


_SPAN = itemgetter(0, 1)


def writable(value: Any) -> Any:
    """Plain values with lone surrogates spelt out, which stand for bytes that are no UTF-8: neither JSON that is sent
    nor a table can hold them."""
    if isinstance(value, str):
        return value if value.isascii() else value.encode("utf-8", "backslashreplace").decode("utf-8")
    if isinstance(value, dict):
        return {writable(name): writable(inner) for name, inner in value.items()}
    return [writable(inner) for inner in value] if isinstance(value, list | tuple) else value


def is_whole(text: str) -> bool:
    """Whether no half of a character is in a text, nor a stray byte: then it is UTF-8 as it is."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


class Splice(NamedTuple):
    """The characters from `start` to `stop` of a text's body become `new`.

    `own_ends`: new lines keep the line ends of those they replace; otherwise they take the file's usual one.
    """

    start: int
    stop: int
    new: str
    own_ends: bool = True


class Text:
    """The text of a file as it was read. It never changes: `apply` gives a new one.

    Searching and splicing work on `body`: the lines with "\\n" ends, one "\\n" before the first and one after the last.

        b"one\\r\\ntwo"    →    body "\\none\\ntwo\\n", ends ["\\r\\n", ""]

    So a run of whole lines is found with one `str.find`: "\\ntwo\\n" can't match in the middle of a line. A lone CR is
    content, except in a file that has no LF at all. Lines are split when they are asked for.
    """

    def __init__(self, body: str, bom: bool = False, final: bool = True, eol: str = "\n", ends: Ends = None) -> None:
        self.body = body
        self.bom = bom
        self.final = final  # whether the last line has a line end; an empty text counts as if it had
        self.eol = eol  # the line end that most lines have
        self._ends = ends  # None if every line ends in LF
        self.indexes: dict[object, Any] = {}  # made by `match/search.py` when first asked for

    @staticmethod
    def read(data: bytes, *, lone_cr: bool = False) -> Text:
        """The text of a file's bytes. `lone_cr`: a CR alone ends a line too."""
        return Text.of(decode(data), lone_cr=lone_cr)

    @staticmethod
    def of(source: str, *, lone_cr: bool = False) -> Text:
        """The text of a file's contents, BOM and line ends included."""
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
        """The lines, without their line ends."""
        return self.body[1:-1].split("\n") if len(self.body) > 1 else []

    @cached_property
    def starts(self) -> list[int]:
        """Where each line begins in the body; the last entry is the end of the body."""
        return list(accumulate(map(len, self.lines), lambda start, size: start + size + 1, initial=1))

    @property
    def ends(self) -> list[str]:
        """The line end of each line: LF, CRLF, CR or, for a last line without one, ""."""
        if self._ends is not None:
            return self._ends if self.final or not self._ends else [*self._ends[:-1], ""]
        return ["\n"] * (len(self.lines) - (not self.final)) + [""] * (not self.final)

    @property
    def text(self) -> str:
        """The lines, each with LF behind it."""
        return self.body[1:]

    @property
    def is_plain(self) -> bool:
        """Whether LF ends every line, and no CR is inside of one."""
        return self._ends is None

    def row_at(self, offset: int) -> int:
        """The row, counted from 0, of the line that holds this offset of the body."""
        if "starts" in self.__dict__:
            return bisect_right(self.starts, offset, hi=len(self.starts) - 1) - 1 if self.lines else 0
        return self.body.count("\n", 1, offset)

    def line_start(self, row: int) -> int:
        """The offset at which a row begins; past the last one, the end of the body."""
        return self.starts[row] if row < len(self.starts) else len(self.body)

    def replaced_rows(self, start: int, end: int, lines: Sequence[str], own_ends: bool = True) -> Splice:
        """The splice that puts lines in the place of rows start..end."""
        new = "\n".join([*lines, ""]) if lines else ""
        return Splice(self.line_start(start), self.line_start(end), new, own_ends)

    def apply(self, splices: Iterable[Splice], final: bool | None = None) -> Text:
        """The text with all splices made at once; they must not overlap. `final`: whether a line end ends it."""
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
        made = "".join(pieces)
        final = self.final if final is None else final
        if made[-1:] != "\n" or len(made) < len(pieces[0]) or not made:
            made, final = made + "\n", False  # an inline edit took the last line end away
        ends = None if self._ends is None else self._ends_after(ordered)
        return Text(made, self.bom, final or len(made) == 1, self.eol, ends)

    def _ends_after(self, ordered: Sequence[Splice]) -> list[str]:
        """The line end of each line once the splices are made. Lines that come again keep theirs."""
        ends = [end or self.eol for end in self.ends]
        made: list[str] = []
        row = 0
        for start, stop, new, own in ordered:
            first = self.row_at(start)
            old = self.body[start:stop].split("\n")[:-1]
            made += ends[row:first]
            row = first + len(old)
            made += _aligned_ends(old, new.split("\n")[:-1], ends[first:row], self.eol, own)
        return made + ends[row:]

    @property
    def source(self) -> str:
        """The contents of the file, BOM and line ends included."""
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
    """Line ends for new lines in the place of old ones: unchanged lines keep theirs, replaced ones too if `own`."""
    fewer = min(len(old), len(new))
    head = next((at for at in range(fewer) if old[at] != new[at]), fewer)
    tail = next((at for at in range(fewer - head) if old[-1 - at] != new[-1 - at]), fewer - head)
    kept = ends[head : len(ends) - tail] if own else []
    count = len(new) - head - tail
    middle = kept[:count] + [eol] * (count - len(kept))
    return ends[:head] + middle + ends[len(ends) - tail :]


def spliced(lines: list[str], cuts: Iterable[tuple[int, int, Sequence[str], object]], offset: int = 0) -> list[str]:
    """Lines with others put in the place of some; `offset`: the row of the first of them."""
    result = lines[:]
    for start, end, new, _ in sorted(cuts, key=lambda cut: cut[:2], reverse=True):
        result[start - offset : end - offset] = new
    return result


def split(text: str, separator: str = "") -> tuple[list[str], list[str]]:
    """Lines and their line ends. `separator`: LF, or CR in a text without LF; told by the text if omitted."""
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
    """The same, with a lone CR as a line end too."""
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
    """The text again."""
    if ends and ends.count("\n") >= len(ends) - (ends[-1] == ""):
        return "\n".join(lines) + ends[-1]
    return "".join([part for pair in zip(lines, ends, strict=True) for part in pair])


def majority(ends: list[str]) -> str:
    """The line end that most lines have; LF where there is none or a tie."""
    lf = ends.count("\n")
    if lf >= len(ends) - 1:
        return "\n" if lf or not ends or ends[0] == "" else ends[0]
    crlf, cr = ends.count("\r\n"), ends.count("\r")
    if cr > lf and cr > crlf:
        return "\r"
    return "\r\n" if crlf > lf else "\n"


def indent_of(line: str) -> str:
    """The blanks a line begins with."""
    return line[: len(line) - len(line.lstrip(" \t"))]


def shared_indent(lines: Iterable[str]) -> str:
    """The blanks that all lines begin with, blank ones aside."""
    indents = {indent_of(line) for line in lines if not is_blank(line)}
    least = min(indents, key=len, default="")
    return least if all(indent.startswith(least) for indent in indents) else ""


def end_of_line(text: str, position: int) -> int:
    """Where the line that holds a place ends."""
    at = text.find("\n", position)
    return at if at >= 0 else len(text)


def depth_of(line: str) -> int:
    """How many columns deep a line begins; tabs reach to every eighth."""
    return len(indent_of(line).expandtabs(8))


def units(text: str) -> int:
    """How many units of UTF-16 a piece of a line has. A byte that is no UTF-8 is one."""
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2


def characters(line: str, column: int) -> int:
    """How many characters of a line stand before a column in UTF-16; one behind the end of the line means the end."""
    if line.isascii():
        return min(column, len(line))
    return len(line.encode("utf-16-le", "surrogatepass")[: 2 * column].decode("utf-16-le", "surrogatepass"))


def stripped(lines: Sequence[str]) -> list[str]:
    """The lines without blanks at their ends, fast."""
    return list(map(str.strip, lines, repeat(BLANK)))


def with_lf(text: str) -> str:
    """The text with LF for every line end."""
    return text.replace("\r\n", "\n").replace("\r", "\n")


def is_blank(line: str) -> bool:
    """Whether a line holds nothing but blanks."""
    return not line.strip(BLANK)


@cache
def pattern(source: str) -> re.Pattern[str]:
    """A pattern, compiled when it is first asked for: all of them at once would cost a good part of the start."""
    return re.compile(source, re.DOTALL)


def patch_lines(text: str) -> list[str]:
    """A patch's text as lines: BOM and CR of line ends are not part of them. Only LF ends a line."""
    lines = text.removeprefix(BOM).split("\n")
    if "\r" not in text:
        return lines
    return [line[:-1] if line[-1:] == "\r" else line for line in lines]


# ── line ends ───────────────────────────────────────────────────────────────────────────────────────


def rows_with_cr(text: str) -> frozenset[int]:
    """The rows (0-based) of a text that end in CR LF."""
    if "\r" not in text:
        return frozenset()
    return frozenset(row for row, line in enumerate(text.split("\n")) if line[-1:] == "\r")


def changed_end(lines: Iterable[tuple[str, str, bool]], path: str, patch_line: int) -> Problem | None:
    """What is wrong with a hunk that gives a line another end: (tag, text, whether CR ends it) of each of its lines.

    `-a` with CR and `+a` without it: a line that stays keeps its end, so nothing would be done and all be well.
    """
    tagged = list(lines)
    old = {(text, has_cr) for tag, text, has_cr in tagged if tag == "-"}
    text = next((text for tag, text, has_cr in tagged if tag == "+" and (text, not has_cr) in old), None)
    if text is None:
        return None
    detail = f"`{text.strip()[:60]}` differs only in its line ending, and a patch can't change those"
    advice = "Leave out what only changes line endings; convert them with another tool."
    return Problem("line_ending", detail, path, patch_line, advice=advice)


# ── hashes ──────────────────────────────────────────────────────────────────────────────────────────


def hash_of(text: bytes | str) -> str:
    """The hash of a file, or of the lines of a symbol, as whoever reads it is told."""
    from hashlib import sha256  # loads OpenSSL

    return f"sha256:{sha256(encode(text) if isinstance(text, str) else text).hexdigest()}"


def is_hash(told: str, now: str) -> bool:
    """Whether a hash that was sent back, with or without its name, is this one."""
    return "sha256:" + told.strip().lower().removeprefix("sha256:") == now


def words(text: str) -> frozenset[str]:
    """The words of a text, as the vocabularies of the readers are written down."""
    return frozenset(text.split())
