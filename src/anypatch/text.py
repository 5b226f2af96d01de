"""Bytes and lines: decoding, each line's own line end, indentation. Pure; knows no patch, no file system."""

from __future__ import annotations

import re
from bisect import bisect_left, insort
from functools import cache, cached_property
from itertools import repeat
from operator import itemgetter

from .problems import Problem

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

    # Rows start..end become `lines`, with these line ends.
    Cut = tuple[int, int, Sequence[str], Sequence[str]]


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
    some = any(map(head.__contains__, _CONTROLS))
    return some and len(head) - len(head.translate(None, _CONTROLS)) > len(head) // 10


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


_PIECE = 1 << 20  # bytes that are split at once
_NEAR = 8  # rows that are counted one by one, and again rather than remembered
_BOM, _LF = b"\xef\xbb\xbf", 10


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


class Text:
    """A file's text: its bytes, and its lines, each with its own line end. It never changes: `spliced` gives a new one.

        b"\\xef\\xbb\\xbfone\\r\\ntwo"  →  bom, lines ["one", "two"], ends ["\\r\\n", ""]

    `lines` never hold a line end; `ends[i]` is "\\n", "\\r\\n", "\\r" or, for a last line without one, "".
    A lone CR is content, except in a file that has no LF at all. `eol`: the line end that most lines have.
    Lines are split when they are asked for: an edit that stands there to the letter is found and made in the bytes.
    """

    def __init__(self, body: bytes, bom: bool = False, breaks: tuple[bytes, ...] = (), eol: str = "") -> None:
        self.body = body  # without the BOM
        self.bom = bom
        has_cr = b"\r" in body
        # What ends a line; a CR right before an LF is part of its line end.
        self.breaks = breaks or ((b"\r",) if has_cr and b"\n" not in body else (b"\n",))
        self.eol = eol or (majority(self.ends) if has_cr else "\n")
        # Whether LF ends every line, and no CR is inside of one.
        self.is_plain = not has_cr and self.eol == "\n"
        # Whether the last line has a line end; an empty text counts as if it had.
        self.final = not body or body.endswith(self.breaks)
        self._ended = body if self.final else body + encode(self.eol)  # with a line end behind the last line too
        self._offsets = [(0, 0)]  # rows of which it is known where they begin
        # What searches make of the lines, for as long as the text lives: neither changes.
        self.views: dict[str, dict[Any, Any]] = {"found": {}, "indexes": {}, "keys": {}, "lexed": {}, "held": {}}

    @staticmethod
    def read(data: bytes, *, lone_cr: bool = False) -> Text:
        """The text of a file. `lone_cr`: a CR alone ends a line too.

        The last few are kept: to prove what is to be said of a refusal, a file is planned on many times. To compare
        them costs less than a hash.
        """
        for known, told, text in tuple(_recent):
            if told == lone_cr and known == data:
                return text
        bom = data.startswith(_BOM)
        text = Text(data[len(_BOM) :] if bom else data, bom, (b"\n", b"\r") if lone_cr else ())
        _recent.insert(0, (data, lone_cr, text))
        del _recent[4:]
        return text

    @cached_property
    def _split(self) -> tuple[list[str], list[str]]:
        if b"\r" in self.body:
            text = decode(self.body)
            return split_all(text) if len(self.breaks) > 1 else split(text, self.breaks[0].decode())
        lines: list[str] = []
        start = 0
        while start < len(self.body):  # of all at once, a single emoji would make every sign take four bytes
            end = self.body.find(b"\n", start + _PIECE) + 1 or len(self.body)
            lines += decode(self.body[start:end]).split("\n")
            start = end
            if lines[-1] == "":
                lines.pop()
        ends = ["\n"] * len(lines)
        if not self.final:
            ends[-1] = ""
        return lines, ends

    @cached_property
    def lines(self) -> list[str]:
        """The lines, without their line ends."""
        return self._split[0]

    @cached_property
    def count(self) -> int:
        """How many lines there are."""
        return self._ended.count(b"\n") if self.is_plain else len(self.lines)

    @cached_property
    def ends(self) -> list[str]:
        """The line end of each line."""
        return self._split[1]

    @cached_property
    def text(self) -> str:
        """The lines, each with LF behind it."""
        return decode(self._ended) if self.is_plain else "\n".join([*self.lines, ""])

    @cached_property
    def _with_lf(self) -> bytes:
        """The bytes with LF for every line end."""
        return encode(self.text)

    def rows_of(self, lines: Sequence[str]) -> list[int]:
        """The rows at which lines stand to the letter. Looked for in the bytes, which are there, and no wider."""
        wanted, whole = encode("\n".join([*lines, ""])), self._ended if self.is_plain else self._with_lf
        found: list[int] = []
        at = whole.find(wanted)
        row, counted = 0, 0
        if self.is_plain and at > 0:  # counted from the nearest row above that is known
            row, counted = self._offsets[bisect_left(self._offsets, at, key=_position) - 1]
        while at >= 0:
            if not at or whole[at - 1] == _LF:
                row += whole.count(b"\n", counted, at)
                counted = at
                if self.is_plain and not found:
                    insort(self._offsets, (row, at))
                found.append(row)
            at = whole.find(wanted, at + 1)
        return found

    def holds(self, piece: str) -> bool:
        """Whether a piece of a line stands somewhere."""
        held = self.views["held"]
        if piece not in held:
            held[piece] = encode(piece) in self._ended
        return bool(held[piece])

    def holds_behind(self, piece: str, leads: str) -> bool:
        """Whether a piece of a line stands right behind one of some signs; without any, whether it stands somewhere.

        `f\"""` is looked for by its quotes: to look for it as a whole, for each such sign, takes ten times as long.
        """
        held = self.views["held"]
        if (piece, leads) not in held:
            wanted, before = encode(piece), encode(leads)
            at = self._ended.find(wanted)
            while leads and at >= 0 and (not at or self._ended[at - 1] not in before):
                at = self._ended.find(wanted, at + 1)
            held[piece, leads] = at >= 0
        return bool(held[piece, leads])

    def some(self, start: int, end: int) -> list[str]:
        """The lines start..end, as many as there are; no others are split for it."""
        if not self.is_plain or "lines" in self.__dict__:
            return self.lines[start:end]
        first, last = self._span(start, end)
        return decode(self._ended[first:last]).split("\n")[:-1]

    def _span(self, start: int, end: int) -> tuple[int, int]:
        """Where in the bytes the lines start..end begin and end, told from the nearest row that is known."""
        below = bisect_left(self._offsets, (start + 1,))
        known, at = self._offsets[below - 1]
        if self.is_plain and below < len(self._offsets) and self._offsets[below][0] - start < start - known:
            known, at = self._offsets[below]
            while known > start:
                known, at = known - 1, self._ended.rfind(b"\n", 0, at - 1) + 1
        if self.is_plain and (end - known <= _NEAR or "lines" not in self.__dict__):
            find, size = self._ended.find, len(self._ended)
            for _ in range(start - known):
                at = find(b"\n", at) + 1 or size
            first = at
            for _ in range(end - start):
                at = find(b"\n", at) + 1 or size
        else:
            first = at + self._size(known, start)
            at = first + self._size(start, end)
        if start - known > _NEAR:
            insort(self._offsets, (start, first))
        return first, at

    def _size(self, start: int, end: int) -> int:
        """How many bytes the lines start..end take, each with a line end."""
        if self.is_plain:
            return len(encode("\n".join([*self.lines[start:end], ""])))
        return len(encode(join(self.lines[start:end], [end or self.eol for end in self.ends[start:end]])))

    def data(self) -> bytes:
        """The bytes again."""
        return _BOM + self.body if self.bom else self.body

    def ends_for(self, start: int, end: int, count: int, own: bool = True) -> list[str]:
        """Line ends for so many lines in the place of others: those that go leave their `own`; then the usual one."""
        if self.is_plain or not own:
            return [self.eol] * count
        ends = [end or self.eol for end in self.ends[start : min(end, start + count)]]
        return ends + [self.eol] * (count - len(ends))

    def cut(self, start: int, end: int, lines: Sequence[str]) -> Cut:
        """Lines in the place of others, with the line ends of those that go."""
        return start, end, lines, self.ends_for(start, end, len(lines))

    def spliced(self, cuts: Iterable[Cut], final: bool | None = None) -> Text:
        """The text with lines put in the place of others, all at once: rows are those of this text, ascending.

        Only the last line may lack its line end, and does where it did before, unless `final` says otherwise.
        """
        old, at, last = memoryview(self._ended), 0, ""  # so that what stays is copied once
        parts: list[bytes | memoryview] = []
        for start, end, lines, ends in cuts:
            first, behind = self._span(start, end)
            assert first >= at, "splices overlap"
            if "" in ends:
                ends = [end or self.eol for end in ends]  # noqa: PLW2901
            parts += (old[at:first], encode(join(lines, ends)))
            at, last = behind, ends[-1] if ends else ""
        parts.append(old[at:])
        body = b"".join(parts)
        if body and not (self.final if final is None else final):
            if parts[-1] or not last:
                last = "\r\n" if body.endswith(b"\r\n") else "\n"
            body = body[: -len(last)]
        return Text(body, self.bom, self.breaks if self.body else (), self.eol)


_recent: list[tuple[bytes, bool, Text]] = []
_position = itemgetter(1)


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
