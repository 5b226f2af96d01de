"""Bytes and lines: decoding, each line's own line end, indentation, splices. Pure; knows no patch, no file system."""

from __future__ import annotations

from itertools import repeat

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

BOM = "\ufeff"
BLANK = " \t\r"
_MANY = 64  # splices that are made at once

_BINARY_STARTS = (
    b"\xff\xfe", b"\xfe\xff", b"\x7fELF", b"\x89PNG", b"GIF8", b"\xff\xd8\xff", b"PK\x03\x04", b"%PDF-", b"\x1f\x8b",
)  # fmt: skip
_CONTROLS = bytes(c for c in range(32) if c not in b"\t\n\r\f\x0b\x1b\x08")


def looks_binary(data: bytes) -> bool:
    """Whether the bytes are no text that lines could be edited in. A stray NUL or Latin-1 letter is not enough."""
    head = data[:8192]
    return head.startswith(_BINARY_STARTS) or len(head) - len(head.translate(None, _CONTROLS)) > len(head) // 10


def is_wide(data: bytes) -> bool:
    """Whether the bytes are text in UTF-16 or UTF-32: by their mark, or as NULs stand only where such text has them."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff", b"\0\0\xfe\xff")):
        return True
    head = data[:8192]
    nuls = "".join([str(at) for at in range(4) if b"\0" in head[at::4]])
    return looks_binary(data) and nuls in ("13", "02", "123", "012")


def decode(data: bytes) -> str:
    """Bytes as text; what is not UTF-8 survives as lone surrogates."""
    return data.decode("utf-8", "surrogateescape")


def encode(text: str) -> bytes:
    """The bytes again. Halves of characters that stand for no byte, as texts in memory hold them, get three each."""
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        import re

        parts = re.split("([\ud800-\udc7f\udd00-\udfff]+)", text)
        halves = ("surrogateescape", "surrogatepass")
        return b"".join([part.encode("utf-8", halves[at % 2]) for at, part in enumerate(parts)])


class Sheet:
    """A file's text as lines, each with its own line end, that splices change in place.

    `lines` never hold a line end; `ends[i]` is "\\n", "\\r\\n", "\\r" or, for a last line without one, "".
    A lone CR is content, except in a file that has no LF at all. `plain`: LF ends every line that has an end;
    `raw` is the text without BOM as long as no lines were spliced. A plain text is split into lines when somebody asks
    for them, and `is_split` from then on.
    """

    __slots__ = ("bom", "ends", "eol", "final", "is_split", "lines", "plain", "raw", "version", "watchers")
    lines: list[str]
    ends: list[str]

    def __init__(self, data: bytes, *, lone_cr: bool = False) -> None:
        text = decode(data)
        self.bom = text.startswith(BOM)
        self.raw: str | None = text[1:] if self.bom else text
        self.version = 0
        self.watchers: list[Watcher] = []
        self.plain = "\r" not in text
        self.is_split = not self.plain
        self.eol, self.final = "\n", text[-1:] in ("\n", "") or self.raw == ""
        if not self.plain:
            self.lines, self.ends = (split_all if lone_cr else split)(self.raw)
            self.eol = majority(self.ends)
            self.final = not self.ends or self.ends[-1] != ""

    def __getattr__(self, name: str) -> list[str]:
        if name not in ("lines", "ends") or self.raw is None:
            raise AttributeError(name)
        self.lines, self.ends = split(self.raw)
        self.is_split = True
        return self.lines if name == "lines" else self.ends

    def data(self) -> bytes:
        """The bytes of the text as it is now."""
        text = join(self.lines, self.ends) if self.is_split or self.raw is None else self.raw
        return encode(BOM * self.bom + text)

    def swap(self, start: int, end: int, text: str) -> None:
        """Put text in the place of characters start..end of one line, in a text that isn't split."""
        assert self.raw is not None and not self.is_split
        self.raw = f"{self.raw[:start]}{text}{self.raw[end:]}"
        self.version += 1

    def splice(self, start: int, end: int, lines: Sequence[str], ends: list[str]) -> None:
        """Put `lines` in the place of lines start..end. The file keeps or lacks its final line end as before."""
        self._begin()
        self.lines[start:end] = lines
        self.ends[start:end] = ends
        self.plain = self.plain and ends.count("\n") == len(ends)
        self.raw = None
        self.version += 1
        if start + len(lines) == len(self.lines) > 0:
            self._mend_tail(max(start - 1, 0))
        for watcher in self.watchers:
            watcher.spliced(start, end, len(lines))

    def pays(self, count: int) -> bool:
        """Whether so many splices are quicker made all at once than one by one, each of which moves what is below."""
        return self.plain and count >= _MANY

    def splice_all(self, cuts: Iterable[tuple[int, int, Sequence[str]]]) -> None:
        """Put lines in the place of others in a plain text, at many places, ascending: rows of the text before."""
        self._begin()
        lines: list[str] = []
        done = 0
        for start, end, new in cuts:
            lines += self.lines[done:start]
            lines += new
            done = end
        self.lines[:done] = lines
        self.ends = ["\n"] * len(self.lines)
        if self.ends and not self.final:
            self.ends[-1] = ""
        self.raw = None
        self.version += 1
        for watcher in self.watchers:
            watcher.renewed()

    def replace(self, start: int, end: int, lines: list[str]) -> None:
        """The same; the new lines take over the line ends of those that go, then the file's usual one."""
        own = [eol or self.eol for eol in self.ends[start:end][: len(lines)]]
        self.splice(start, end, list(lines), own + [self.eol] * (len(lines) - len(own)))

    def end_with(self, final: bool) -> None:
        """Give the last line its line end, or take it."""
        self.final = final
        if self.ends:
            self.ends[-1] = (self.ends[-1] or self.eol) if final else ""
        self.raw = None

    def _begin(self) -> None:
        """Tell before the first splice: some of what the lines show can't be told later."""
        if not self.version:
            for watcher in self.watchers:
                watcher.begun()

    def _mend_tail(self, start: int) -> None:
        """Only the last line may lack its line end, and only where the file's last line did before."""
        self.ends[start:] = [end or self.eol for end in self.ends[start:]]
        if not self.final:
            self.ends[-1] = ""


class Watcher:
    """Something that keeps a view of a sheet and is told of every splice."""

    def begun(self) -> None:
        """Lines are about to change for the first time."""
        raise NotImplementedError

    def spliced(self, start: int, end: int, count: int) -> None:
        """Lines start..end of the sheet before are `count` lines now."""
        raise NotImplementedError

    def renewed(self) -> None:
        """Lines have changed in many places."""
        raise NotImplementedError


def split(text: str) -> tuple[list[str], list[str]]:
    """Lines and their line ends."""
    if "\n" not in text and "\r" in text:
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


def join(lines: list[str], ends: list[str]) -> str:
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


def stripped(lines: Sequence[str]) -> list[str]:
    """The lines without blanks at their ends, fast."""
    return list(map(str.strip, lines, repeat(BLANK)))


def is_blank(line: str) -> bool:
    """Whether a line holds nothing but blanks."""
    return not line.strip(BLANK)


def patch_lines(text: str) -> list[str]:
    """A patch's text as lines: BOM and CR of line ends are not part of them. Only LF ends a line."""
    lines = text.removeprefix(BOM).split("\n")
    if "\r" not in text:
        return lines
    return [line[:-1] if line[-1:] == "\r" else line for line in lines]
