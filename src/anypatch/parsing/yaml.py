"""What the YAML reader gives and what its parts share: nodes, the source, the failure. Reads no YAML itself."""

from __future__ import annotations

from ..model import Note
from ..problems import Problem
from ..record import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re


DEEPEST = 32
QUOTE = "Put the text in quotes, or under '|-' on lines of its own."

_PATTERNS = {
    "colon": r":(?=[ \t]|$)",
    "header": r"[|>]([-+]?[1-9]?|[1-9][-+])(?:[ \t]+#.*|[ \t]*)$",
    "anchor": r"&[\w-]+(?=[ \t]|$)",
    "alias": r"\*[\w-]+(?:[ \t]+#.*|[ \t]*)$",
    "flow alias": r"\*[\w-]+[ \t]*(?=[],}]|$)",
    "flow end": r"[][{},]|:(?=[][ \t{},]|$)|[ \t]#",
    "hex": r"[0-9A-Fa-f]*",
    "word": r"[^]\s()[{}<>;=]+[ \t]*:(?:[ \t]|$)",
}
_compiled: dict[str, re.Pattern[str]] = {}


class Scalar(NamedTuple):
    """A text as it was written; style: "plain", "quoted", "block", or "empty" where nothing was written."""

    text: str
    line: int
    style: str


class Mapping(NamedTuple):
    """Keys, the patch line of each, and their values, in the order of the document."""

    items: tuple[tuple[str, int, Node], ...]
    line: int

    def get(self, key: str) -> Node | None:
        """The value of a key, or None."""
        for name, _, value in self.items:
            if name == key:
                return value
        return None


class Sequence(NamedTuple):
    """Items in their order."""

    items: tuple[Node, ...]
    line: int


Node = Scalar | Mapping | Sequence


class Document(NamedTuple):
    """What was read. With problems, `root` lacks the damaged parts or is None."""

    root: Node | None
    problems: tuple[Problem, ...]
    notes: tuple[Note, ...]


class Source:
    """The lines being read, and what was found so far.

    `column` is the indentation of the line that the last `skip` stopped
    at, -1 at the end of the document.
    `columns` are those of the open collections (so their number is the depth), `dashes` those of the sequences
    among them. A flow collection may go on up to row `reach`; `wasted` counts the signs read in vain as one.
    """

    __slots__ = (
        "column",
        "columns",
        "count",
        "dashes",
        "first",
        "lines",
        "notes",
        "problems",
        "reach",
        "wasted",
    )

    def __init__(self, lines: list[str], first: int) -> None:
        self.lines = lines
        self.first = first
        self.count = len(lines)
        self.column = -1
        self.columns: list[int] = []
        self.dashes: list[int] = []
        self.problems: list[Problem] = []
        self.notes: list[Note] = []
        self.reach = self.count
        self.wasted = 0

    def note(self, row: int, text: str) -> None:
        """Record a leniency."""
        self.notes.append(Note(text, patch_line=self.first + row))

    def bad(self, row: int, detail: str, advice: str = QUOTE, resume: int = -1) -> Bad:
        """The failure to raise; reading can go on at row `resume`, by default the next one."""
        problem = Problem("bad_patch", detail, patch_line=self.first + row, advice=advice)
        return Bad(problem, row + 1 if resume < 0 else resume)


class Bad(Exception):
    """What cannot be read; never leaves the reader. Reading can go on at row `resume`; it had come to row `reached`.

    `final`: no second, more lenient reading may be tried.
    """

    def __init__(self, problem: Problem, resume: int) -> None:
        super().__init__(problem.detail)
        self.problem = problem
        self.resume = resume
        self.reached = resume
        self.final = False


def pattern(name: str) -> re.Pattern[str]:
    """A regular expression of the table, compiled at its first use."""
    found = _compiled.get(name)
    if found is None:
        import re

        found = _compiled[name] = re.compile(_PATTERNS[name])
    return found


def everyday_key(line: str, start: int) -> tuple[str, int] | None:
    """The key at an offset and the offset of its value, if it is a name of letters, digits, `_` and `-`.

    By hand: loading regular expressions would cost more than reading a usual patch.
    """
    colon = line.find(":", start)
    name = line[start:colon] if colon > start else ""
    if not name or not name[0].isascii() or not name.replace("-", "_").isidentifier() or name[0] == "-":
        return None
    rest = line[colon + 1 :]
    if rest and rest[0] != " ":
        return None
    return name, len(line) - len(rest.lstrip(" "))


def skip(source: Source, row: int) -> int:
    """The next row that is neither blank nor a comment; sets `source.column`. A document's end is never passed."""
    lines = source.lines
    for at in range(row, source.count):
        line = lines[at]
        text = line.lstrip(" ")
        if not text:
            continue
        lead = text[0]
        if lead not in "#\t-.":
            source.column = len(line) - len(text)
            return at
        if lead == "#" or (lead == "\t" and text.lstrip(" \t")[:1] in ("", "#")):
            continue
        if lead == "\t":
            raise source.bad(at, "a tab stands in the indentation", "Use spaces for the indentation of YAML.")
        column = len(line) - len(text)
        source.column = -1 if column == 0 and is_marker(line) else column
        return at
    source.column = -1
    return source.count


def is_marker(line: str) -> bool:
    """Whether the line begins or ends a document."""
    return line[:3] in ("---", "...") and line[3:4] in ("", " ", "\t")


def is_dash(line: str, column: int) -> bool:
    """Whether a sequence's item begins at this column."""
    return line[column : column + 1] == "-" and line[column + 1 : column + 2] in ("", " ", "\t")


def past_blanks(line: str, start: int) -> int:
    """The offset of the next sign that is no blank."""
    return len(line) - len(line[start:].lstrip(" \t"))


def looks_structural(line: str) -> bool:
    """Whether a line has the shape of an item, a key with an everyday name, or a document's border."""
    start = past_blanks(line, 0)
    return is_dash(line, start) or is_marker(line) or everyday_key(line, start) is not None


# ── yaml scalars ────────────────────────────────────────────────────────────────────────────────────


HEADERS = frozenset(("|-", "|", "|+", ">-", ">", ">+"))
SPECIAL = frozenset(",[]{}#&*!|>'\"%@`")

_ESCAPES = {
    "0": "\0", "a": "\a", "b": "\b", "t": "\t", "\t": "\t", "n": "\n", "v": "\v", "f": "\f", "r": "\r", "e": "\x1b",
    " ": " ", '"': '"', "\\": "\\", "/": "/", "N": "\x85", "_": "\xa0", "L": "\u2028", "P": "\u2029",
}  # fmt: skip
_CODES = {"x": 2, "u": 4, "U": 8}


# ── plain ────────────────────────────────────────────────────────────────────────────────────────


def plain(source: Source, row: int, start: int, indent: int, of_key: bool) -> tuple[Scalar, int]:
    """The plain text at (row, start) and the row behind it; `of_key`: it stands on the line of its key.

    YAML's plain texts may go on in deeper lines. Those it forbids, but that can only be meant as text, end with
    their line.
    """
    line = source.lines[row]
    text = _without_comment(source, row, start)
    odd = _oddity(text, of_key)
    if not of_key and (has_colon(text) or (odd and text[0] in "-?")):
        raise source.bad(row, "this is neither a 'key: value' line nor a plain text", QUOTE)
    if odd:
        source.note(row, f"{odd}, yet was read as plain text")
    after = skip(source, row + 1)
    if source.column > indent:
        commented = len(text) < len(line.rstrip(" \t")) - start
        if odd or commented:
            raise source.bad(after, f"this line would go on with the text of line {source.first + row}, {_why(odd)}")
        return _continued(source, row, text, indent)
    return Scalar(text, source.first + row, "plain"), after


def _without_comment(source: Source, row: int, start: int) -> str:
    """The rest of a line, less what stands behind ` #`."""
    text = source.lines[row][start:]
    if "#" in text:
        ends = [end for end in (text.find(" #"), text.find("\t#")) if end >= 0]
        if ends:
            source.note(row, "the text behind ' #' was read as a comment")
            text = text[: min(ends)]
    return text.rstrip(" \t")


def _oddity(text: str, of_key: bool) -> str:
    """Why YAML forbids a plain text, or nothing."""
    lead = text[:1]
    if lead in SPECIAL or (lead in "-?:" and text[1:2] in ("", " ", "\t")):
        return f"the text begins with {lead!r}"
    if of_key and has_colon(text):
        return "the text holds ': '" if pattern("colon").search(text, 0, len(text) - 1) else "the text ends in ':'"
    return ""


def has_colon(text: str) -> bool:
    """Whether a plain text would be a key, or hold one."""
    return ":" in text and (text[-1] == ":" or ": " in text or ":\t" in text)


def _why(odd: str) -> str:
    return f"which cannot: {odd}" if odd else "which ended at the comment"


def _continued(source: Source, row: int, text: str, indent: int) -> tuple[Scalar, int]:
    """A plain text of several lines, folded."""
    lines = source.lines
    pieces = [text]
    breaks = 1
    at = row + 1
    while at < source.count:
        line = lines[at]
        rest = line.strip(" \t")
        if rest:
            deep = len(line) - len(line.lstrip(" "))
            if rest[0] == "#" or deep <= indent or (deep == 0 and is_marker(line)):
                break
            rest, ended = _continuation(source, row, at, indent)
            pieces += (_fold(breaks), rest)
            breaks = 0
            if ended:
                at += 1
                break
        breaks += 1
        at += 1
    return Scalar("".join(pieces), source.first + row, "plain"), skip(source, at)


def _continuation(source: Source, row: int, at: int, indent: int) -> tuple[str, bool]:
    """One further line of a plain text, and whether a comment ended it."""
    line = source.lines[at]
    start = past_blanks(line, 0)
    text = _without_comment(source, at, start)
    if not has_colon(text):
        return text, len(text) < len(line.rstrip(" \t")) - start
    opened = source.first + row
    if indent < 0:
        advice = "Remove what is not YAML; begin with 'operations:'."
        raise source.bad(row, f"this is no 'key: value' line, though line {source.first + at} is one", advice)
    advice = (
        f"Indent it by {spaces(indent)} if it is a key; if it belongs to the text of line {opened}, use '|-' there."
    )
    raise source.bad(at, f"a key is indented by {spaces(start)}, deeper than the key of line {opened}", advice)


def _fold(breaks: int) -> str:
    """What line ends within a folded text become."""
    return " " if breaks == 1 else "\n" * (breaks - 1)


def spaces(count: int) -> str:
    """A number of spaces, in words."""
    return "1 space" if count == 1 else f"{count or 'no'} spaces"


# ── quoted ───────────────────────────────────────────────────────────────────────────────────────


def quoted(source: Source, row: int, start: int, indent: int) -> tuple[str, int, int]:
    """The text of the quotes that open at (row, start), and the place behind them."""
    line = source.lines[row]
    quote = line[start]
    end = line.find(quote, start + 1)
    if end > 0 and (line[end + 1 : end + 2] != quote if quote == "'" else "\\" not in line[start:end]):
        return line[start + 1 : end], row, end + 1
    pieces: list[str] = []
    at, start, wrong = row, start + 1, None
    while True:
        escaped, end, bad = (_single if quote == "'" else _double)(source, at, start, pieces)
        wrong = wrong or bad
        if end >= 0:
            break
        at, start, breaks = _next_line(source, row, at, indent)
        pieces.append("\n" * (breaks - 1) if escaped else _fold(breaks))
    if wrong:
        wrong.resume = at + 1
        raise wrong
    return "".join(pieces), at, end


def _next_line(source: Source, row: int, at: int, indent: int) -> tuple[int, int, int]:
    """The place behind row `at` where the text quoted since `row` goes on, and the number of line ends up to it."""
    breaks = 1
    while (at := at + 1) < source.count:
        line = source.lines[at]
        start = past_blanks(line, 0)
        if is_marker(line) or (start <= indent and looks_structural(line)):
            # A forgotten quote must not swallow the keys below it, though some readers of YAML would let it.
            break
        if start < len(line):
            return at, start, breaks
        breaks += 1
    bad = source.bad(row, f"the quote that opens in line {source.first + row} is not closed", f"Close it. {QUOTE}")
    bad.reached = at
    raise bad


def _single(source: Source, row: int, start: int, pieces: list[str]) -> tuple[bool, int, Bad | None]:
    """One line of a single-quoted text; the offset behind the closing quote, or -1."""
    line = source.lines[row]
    while (end := line.find("'", start)) >= 0:
        pieces.append(line[start:end])
        if line[end + 1 : end + 2] != "'":
            return False, end + 1, None
        pieces.append("'")
        start = end + 2
    pieces.append(line[start:].rstrip(" \t"))
    return False, -1, None


def _double(source: Source, row: int, start: int, pieces: list[str]) -> tuple[bool, int, Bad | None]:
    """One line of a double-quoted text: whether its line end is escaped, the offset behind the quote or -1."""
    line = source.lines[row]
    quote = line.find('"', start)
    wrong = None
    while True:
        slash = line.find("\\", start, quote if quote >= 0 else len(line))
        if slash < 0:
            pieces.append(line[start:quote] if quote >= 0 else line[start:].rstrip(" \t"))
            return False, quote + 1 if quote >= 0 else -1, wrong
        pieces.append(line[start:slash])
        if slash + 1 == len(line):
            return True, -1, wrong
        sign, start = _escape(line, slash + 1)
        if not sign:
            shown = line[slash:start]
            advice = f"Write '\\\\' for a backslash, or put the text under '|-', where {shown} stays as it is."
            wrong = wrong or source.bad(row, f"{shown} is no escape of a double-quoted text", advice)
        pieces.append(sign)
        if quote >= 0 and quote < start:
            quote = line.find('"', start)


def _escape(line: str, start: int) -> tuple[str, int]:
    """The sign that the escape whose letter stands at `start` means ("" if none), and the offset behind it."""
    letter = line[start]
    if letter in _ESCAPES:
        return _ESCAPES[letter], start + 1
    code, end = _code(line, start)
    if 0xD800 <= code < 0xDC00 and line[end : end + 2] == "\\u":
        # JSON writes signs beyond the first plane as two halves.
        low, behind = _code(line, end + 1)
        if 0xDC00 <= low < 0xE000:
            return chr(0x10000 + ((code - 0xD800) << 10) + low - 0xDC00), behind
    if 0 <= code < 0xD800 or 0xE000 <= code < 0x110000:
        return chr(code), end
    return "", end


def _code(line: str, start: int) -> tuple[int, int]:
    """The number that a hexadecimal escape writes out, or -1, and the offset behind it."""
    length = _CODES.get(line[start], 0)
    digits = pattern("hex").match(line, start + 1, start + 1 + length)
    if not length or not digits or len(digits[0]) < length:
        return -1, digits.end() if digits else start + 1
    return int(digits[0], 16), digits.end()


# ── block ────────────────────────────────────────────────────────────────────────────────────────


def block(source: Source, row: int, header: str, indent: int) -> tuple[Scalar, int]:
    """The text below a header such as `|-` or `>2+`, whose parent's column is `indent`, and the row behind it."""
    lines = source.lines
    indent = indent if indent > 0 else 0
    given = 0 if header in HEADERS else int(header.strip("|>+-"))
    width = indent + given
    if not given:
        at = row + 1
        while at < source.count and not (text := lines[at].lstrip(" ")):
            at += 1
        width = len(lines[at]) - len(text) if at < source.count else 0
        if width <= indent:
            return _shallow(source, row, at, header, indent)
        if at > row + 1 and max(map(len, lines[row + 1 : at])) > width:
            source.note(row, "a blank line above the text holds more spaces than the text is indented by")
    body, after = _body(source, row + 1, width)
    if after < source.count:
        line = lines[after]
        deep = len(line) - len(line.lstrip(" "))
        if deep > indent and (least := _least(source, row, after, indent, given > 0)):
            body, after = _body(source, row + 1, least)
        elif given and not any(body):
            _check_flush(source, row, after)
        if after < source.count:
            body.append("")
    text = "\n".join(body)
    text = text.rstrip("\n") if header == "|-" else _finished(text, header)
    return Scalar(text, source.first + row, "block"), skip(source, after)


def _body(source: Source, row: int, width: int) -> tuple[list[str], int]:
    """The lines that are blank or indented by `width`, without that; and the row behind them."""
    lines = source.lines
    pad = " " * width
    body = []
    for at in range(row, source.count):
        line = lines[at]
        if line.startswith(pad):
            body.append(line[width:])
        elif not line.strip(" \t"):
            body.append("")
        else:
            return body, at
    return body, source.count


def _finished(text: str, header: str) -> str:
    """Fold and chomp."""
    core = text.rstrip("\n")
    if header[0] == ">":
        tail = text[len(core) :]
        core = _folded(core)
        text = core + tail
    if "+" in header:
        return text
    return core if "-" in header or not core else text[: len(core) + 1]


def _folded(core: str) -> str:
    """Single line ends between lines that begin at the indentation become spaces."""
    pieces: list[str] = []
    breaks, flush = 0, False
    first = True
    for line in core.split("\n"):
        if not line:
            breaks += 1
            continue
        starts_flush = line[0] not in " \t"
        if first:
            pieces.append("\n" * breaks)
        elif flush and starts_flush:
            pieces.append("\n" * breaks or " ")
        else:
            pieces.append("\n" * (breaks + 1))
        pieces.append(line)
        breaks, flush, first = 0, starts_flush, False
    return "".join(pieces)


def _least(source: Source, row: int, after: int, indent: int, given: bool) -> int:
    """The least indentation of a text whose lines from `after` on are shallower than its first, yet within the key.

    0 where nothing but comments follows there: they are comments.
    """
    least, only_comments = 0, True
    for at in range(after, source.count):
        line = source.lines[at]
        text = line.lstrip(" ")
        if text:
            deep = len(line) - len(text)
            if deep <= indent:
                break
            least = min(least or deep, deep)
            only_comments = only_comments and text[0] == "#"
    if only_comments:
        source.note(after, "a line that is indented less than the text above it was read as a comment")
        return 0
    if given:
        advice = "Indent every line of the text by at least that, or leave the digit out."
        raise source.bad(after, f"the header in line {source.first + row} states a deeper indentation", advice)
    source.note(row, "the first line of the text is deeper than later ones; the least indentation was taken off")
    return least


def _shallow(source: Source, row: int, at: int, header: str, indent: int) -> tuple[Scalar, int]:
    """A block text whose first line is no deeper than its key: empty, or indented by tabs."""
    if at < source.count and source.lines[at].lstrip(" ")[0] == "\t":
        body, after = _tabbed(source, row, at, indent)
        text = "\n".join([""] * (at - row - 1) + body) + ("\n" if after < source.count else "")
        return Scalar(_finished(text, header), source.first + row, "block"), skip(source, after)
    _check_flush(source, row, at)
    text = "\n" * (min(at, source.count - 1) - row - 1) if at > row + 1 else ""
    return Scalar(_finished(text, header), source.first + row, "block"), skip(source, at)


def _tabbed(source: Source, row: int, at: int, indent: int) -> tuple[list[str], int]:
    """Lines indented by tabs where spaces were due: taken if all of them are, less what they have in common."""
    lines = source.lines
    body: list[str] = []
    common: str | None = None
    after = at
    while after < source.count:
        line = lines[after]
        text = line.lstrip(" \t")
        blanks = line[: len(line) - len(text)]
        if text:
            deep = len(line) - len(line.lstrip(" "))
            if deep <= indent and "\t" not in blanks:
                break
            common = blanks if common is None else _shared(common, blanks)
            if deep > indent or not common:
                raise source.bad(after, "tabs and spaces are mixed in the indentation of the text", "Use spaces only.")
        body.append(line if text else "")
        after += 1
    width = len(common or "")
    source.note(row, "the text is indented with tabs; what all its lines begin with was taken off")
    return [line[width:] for line in body], after


def _shared(one: str, other: str) -> str:
    """What both begin with."""
    if other.startswith(one):
        return one
    return one[: next((at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), len(other))]


def _check_flush(source: Source, row: int, at: int) -> None:
    """Refuse an empty block text where the next line seems to be its text, without the indentation."""
    if at >= source.count:
        return
    line = source.lines[at]
    text = line.lstrip(" \t")
    if text and text[0] not in "\"'" and not looks_structural(line) and not pattern("word").match(text):
        advice = 'Indent the text deeper than its key; for an empty text write "".'
        raise source.bad(at, f"this line is not deeper than the key of the text in line {source.first + row}", advice)


# ── yaml flow ───────────────────────────────────────────────────────────────────────────────────────


_NO_INDENT = -2


def flow(source: Source, row: int, start: int) -> tuple[Node, int, int]:
    """The collection that opens at (row, start), and the place behind it."""
    return _collection(source, row, start, len(source.columns) + 1)


def properties(source: Source, row: int, start: int, alias: str) -> Bad | None:
    """The refusal of an anchor, an alias (by the pattern `alias`) or a tag at this place, if one stands there."""
    line = source.lines[row]
    what = ""
    if line[start] == "&" and pattern("anchor").match(line, start):
        what = "an anchor"
    elif line[start] == "*" and pattern(alias).match(line, start):
        what = "an alias"
    elif line[start] == "!" and line[start + 1 : start + 2] not in ("", " ", "\t", "="):
        what = "a tag"
    if not what:
        return None
    bad = source.bad(row, f"YAML reads {line[start : start + 20].split(' ')[0]!r} as {what}; none may be used here")
    bad.final = True
    return bad


def _collection(source: Source, row: int, start: int, depth: int) -> tuple[Node, int, int]:
    if depth > DEEPEST:
        bad = source.bad(row, f"collections are nested deeper than {DEEPEST}", f"{QUOTE} Or nest less.")
        bad.final = True
        raise bad
    return (_sequence if source.lines[row][start] == "[" else _mapping)(source, row, start, depth)


def _sequence(source: Source, row: int, start: int, depth: int) -> tuple[Sequence, int, int]:
    items: list[Node] = []
    at, end = _gap(source, row, row, start + 1)
    while source.lines[at][end] != "]":
        line = source.first + at
        node, value, at, end = _entry(source, row, (at, end), depth)
        if value is not None and isinstance(node, Scalar):
            node = Mapping(((node.text, line, value),), line)
        items.append(node)
        at, end = _comma(source, row, (at, end), "]")
    return Sequence(tuple(items), source.first + row), at, end + 1


def _mapping(source: Source, row: int, start: int, depth: int) -> tuple[Mapping, int, int]:
    items: list[tuple[str, int, Node]] = []
    seen: dict[str, int] = {}
    at, end = _gap(source, row, row, start + 1)
    while source.lines[at][end] != "}":
        line = source.first + at
        key, value, at, end = _entry(source, row, (at, end), depth)
        if not isinstance(key, Scalar):
            raise source.bad(at, "a collection cannot be a key")
        if key.text in seen:
            raise _twice(source, line, key.text, seen[key.text])
        seen[key.text] = line
        items.append((key.text, line, value if value is not None else Scalar("", line, "empty")))
        at, end = _comma(source, row, (at, end), "}")
    return Mapping(tuple(items), source.first + row), at, end + 1


def _twice(source: Source, line: int, key: str, before: int) -> Bad:
    detail = f"the key {key!r} of line {before} stands again in line {line}"
    bad = source.bad(line - source.first, detail, "Give each mapping each key once; begin a new '{' for a new item.")
    bad.final = True
    return bad


def _entry(source: Source, opened: int, place: tuple[int, int], depth: int) -> tuple[Node, Node | None, int, int]:
    """A node, the value that stands behind it and a colon, if any, and the place behind both."""
    lines = source.lines
    node, row, end = _node(source, *place, depth)
    colon = past_blanks(lines[row], end)
    if row != place[0] or lines[row][colon : colon + 1] != ":":
        return node, None, row, end
    if not isinstance(node, Scalar):
        raise source.bad(row, "a collection cannot be a key")
    row, end = _gap(source, opened, row, colon + 1)
    if lines[row][end] in ",]}":
        return node, Scalar("", source.first + row, "empty"), row, end
    value, row, end = _node(source, row, end, depth)
    return node, value, row, end


def _node(source: Source, row: int, start: int, depth: int) -> tuple[Node, int, int]:
    sign = source.lines[row][start]
    if sign in "[{":
        return _collection(source, row, start, depth + 1)
    if sign in "\"'":
        text, at, end = quoted(source, row, start, _NO_INDENT)
        return Scalar(text, source.first + row, "quoted"), at, end
    return _plain(source, row, start)


def _plain(source: Source, row: int, start: int) -> tuple[Scalar, int, int]:
    lines = source.lines
    line = lines[row]
    follower = line[start + 1 : start + 2]
    if line[start] in SPECIAL or (line[start] in "-?" and follower in ("", " ", "\t")) or line[start] == ":":
        if line[start] == "?":
            raise source.bad(row, "a complex key ('? ') cannot be used here", "Write 'key: value'.")
        bad = properties(source, row, start, "flow alias") if line[start] in "&*!" else None
        raise bad or source.bad(row, f"no text may begin with {line[start]!r} in a collection")
    pieces: list[str] = []
    at, end, breaks = row, start, 0
    stop = pattern("flow end")
    while True:
        found = stop.search(line, start)
        end = found.start() if found else len(line)
        if breaks:
            pieces.append(" " if breaks == 1 else "\n" * (breaks - 1))
        pieces.append(line[start:end].rstrip(" \t"))
        if found:
            break
        ahead, start = _ahead(source, at + 1)
        if start < 0 or stop.match(lines[ahead], start):
            break
        at, line, breaks = ahead, lines[ahead], ahead - at
    return Scalar("".join(pieces), source.first + row, "plain"), at, end


def _ahead(source: Source, row: int) -> tuple[int, int]:
    """Where a plain text may go on: the first sign of the next line that has one, or -1."""
    for at in range(row, source.reach):
        line = source.lines[at]
        start = past_blanks(line, 0)
        if start < len(line):
            return at, -1 if line[start] == "#" or is_marker(line) else start
    return row, -1


def _gap(source: Source, opened: int, row: int, start: int) -> tuple[int, int]:
    """The next sign that is neither blank nor in a comment."""
    at = row
    while at < source.reach:
        line = source.lines[at]
        start = past_blanks(line, start)
        if at > row and is_marker(line):
            break
        if start < len(line) and line[start] != "#":
            return at, start
        at, start = at + 1, 0
    advice = f"Close it. If it is text: {QUOTE[0].lower()}{QUOTE[1:]}"
    bad = source.bad(opened, f"the bracket that opens in line {source.first + opened} is not closed", advice)
    bad.reached = at
    raise bad


def _comma(source: Source, opened: int, place: tuple[int, int], closing: str) -> tuple[int, int]:
    """Behind an entry: the place of the closing bracket or of the next entry."""
    row, start = _gap(source, opened, *place)
    sign = source.lines[row][start]
    if sign == closing:
        return row, start
    if sign != ",":
        detail = f"',' or {closing!r} is missing before {sign!r} (the bracket opens in line {source.first + opened})"
        raise source.bad(row, detail, f"Separate entries by ',' and close with {closing!r}. If it is text, quote it.")
    return _gap(source, opened, row, start + 1)


# ── yaml inline ─────────────────────────────────────────────────────────────────────────────────────


_MOST_WASTED = 1 << 20


def inline(source: Source, row: int, start: int, indent: int, of_key: bool) -> tuple[Node, int]:
    """The scalar or flow collection at (row, start); `of_key`: its key stands on the same line."""
    sign = source.lines[row][start]
    if sign in SPECIAL:
        if sign in "\"'":
            return _quoted(source, row, start, indent, of_key)
        if sign in "[{":
            return _flow(source, row, start, indent, of_key)
        if sign in "|>" and (header := pattern("header").match(source.lines[row], start)):
            return block(source, row, sign + header[1], indent)
        if sign in "&*!" and (bad := _properties(source, row, start)):
            raise bad
    return plain(source, row, start, indent, of_key)


def _quoted(source: Source, row: int, start: int, indent: int, of_key: bool) -> tuple[Scalar, int]:
    text, at, end = quoted(source, row, start, indent)
    if _ends(source, at, end):
        return Scalar(text, source.first + row, "quoted"), skip(source, at + 1)
    if at > row or not of_key:
        detail = f"more text follows the closing quote (it opens in line {source.first + row})"
        raise source.bad(at, detail)
    return _as_text(source, row, start, indent, "more text follows the closing quote")


def _ends(source: Source, row: int, end: int) -> bool:
    """Whether nothing but a comment follows on the line."""
    line = source.lines[row]
    end = past_blanks(line, end)
    return end == len(line) or line[end] == "#"


def _flow(source: Source, row: int, start: int, indent: int, of_key: bool) -> tuple[Node, int]:
    """A flow collection; or, behind a key, the text of the line where it is none and the document goes on below."""
    # Readings in vain may cost no more than the reading itself: past a limit, a collection must end on its line.
    source.reach = source.count if source.wasted < _MOST_WASTED else row + 1
    try:
        node, at, end = flow(source, row, start)
        if _ends(source, at, end):
            return node, skip(source, at + 1)
        raise source.bad(at, f"more text follows the bracket that closes the one of line {source.first + row}")
    except Bad as bad:
        source.wasted += sum(map(len, source.lines[row : bad.reached + 1]))
        bad.resume = row + 1  # whatever was swallowed is read again
        after = skip(source, row + 1)
        alone = source.column < 0 or (source.column <= indent and looks_structural(source.lines[after]))
        if bad.final or not of_key or not alone:
            raise
    return _as_text(source, row, start, indent, "the brackets hold no YAML collection")


def _as_text(source: Source, row: int, start: int, indent: int, why: str) -> tuple[Scalar, int]:
    """The rest of the line as it stands."""
    text = source.lines[row][start:].rstrip(" \t")
    if " #" in text or "\t#" in text:
        raise source.bad(row, f"{why}, and ' #' may or may not begin a comment")
    after = skip(source, row + 1)
    if source.column > indent:
        raise source.bad(after, f"this line would go on with the text of line {source.first + row}, but {why} there")
    source.note(row, f"{why}; the whole line was read as plain text")
    return Scalar(text, source.first + row, "plain"), after


def _properties(source: Source, row: int, start: int) -> Bad | None:

    return properties(source, row, start, "alias")


# ── yaml everyday ───────────────────────────────────────────────────────────────────────────────────


_NAMES = frozenset(("path", "op", "marker", "payload", "before", "after", "symbol", "comment", "indent"))
_BEYOND = 1 << 62
_scalar = Scalar._make
_LEADS = frozenset(" \t,[]{}#&*!|>'\"%@`-?")


def everyday_items(source: Source, row: int, column: int) -> tuple[list[Node], int]:
    """The items of a sequence from a row on that are such mappings, all that another item follows; its row."""
    lines = source.lines
    items: list[Node] = []
    while lines[row][column : column + 2] == "- ":
        made = everyday_mapping(source, row, column + 2)
        if made is None or source.column != column or lines[made[1]][column : column + 2] != "- ":
            break
        items.append(made[0])
        row = made[1]
    return items, row


def everyday_mapping(source: Source, row: int, column: int) -> tuple[Mapping, int] | None:
    """The mapping whose first key stands at (row, column), and the row behind it, if the plainest rules are enough."""
    lines, first = source.lines, source.first
    pad, start, last = " " * column, row, source.count - 1
    items: dict[str, tuple[str, int, Node]] = {}
    key, colon, said = lines[row][column:].partition(": ")
    if key not in _NAMES or not colon or len(source.columns) >= DEEPEST:
        return None
    while True:
        at = first + row
        row += 1
        if said == "|-":
            below = _text(source, row, column)
            if below is None:
                return None
            said, row = below
            node = _scalar((said, at, "block"))
        elif said.isidentifier() or _is_plain(said):
            node = _scalar((said, at, "plain"))
        else:
            return None
        items[key] = (key, at, node)
        line = lines[row] if row <= last else ""
        key, colon, said = line[column:].partition(": ")
        if key not in _NAMES or not colon or line[:column] != pad:
            row = _next(source, row, line)
            if source.column < column:
                return Mapping(tuple(items.values()), first + start), row
            key, colon, said = lines[row][column:].partition(": ")
            if source.column > column or key not in _NAMES or not colon:
                return None
        if key in items:
            return None


def _is_plain(said: str) -> bool:
    return bool(said) and said[0] not in _LEADS and ":" not in said and "#" not in said and said[-1] not in " \t"


def _text(source: Source, row: int, column: int) -> tuple[str, int] | None:
    """The text that begins at a row, and the row behind it."""
    lines, count = source.lines, source.count
    line = lines[row] if row < count else ""
    text = line.lstrip(" ")
    width = len(line) - len(text)
    if not text or width <= column:
        return None
    pad = line[:width]
    body = [text]
    for after in range(row + 1, count):
        line = lines[after]
        if line[:width] == pad:
            body.append(line[width:])
        elif not line.strip(" \t"):
            body.append("")
        elif line[: column + 1] == pad[: column + 1]:
            return None  # less deep than the text, deeper than its key
        else:
            return text if len(body) == 1 else "\n".join(body).rstrip("\n"), after
    return "\n".join(body).rstrip("\n"), count


def _next(source: Source, row: int, line: str) -> int:
    """As `skip`, without the failure: then it is as if the line were deeper than all others."""
    text = line.lstrip(" ")
    deep = len(line) - len(text)
    if deep and text[:1] not in ("", "#", "\t"):
        source.column = deep
        return row
    try:
        return skip(source, row)
    except Bad:
        source.column = _BEYOND
        return row


# ── yaml ────────────────────────────────────────────────────────────────────────────────────────────


_BLOCK_LEADS = SPECIAL | {"-", "?"}

__all__ = ["Document", "Mapping", "Node", "Scalar", "Sequence", "read"]


def read(lines: list[str], first: int = 1) -> Document:
    """Read one document; `first` is the patch line of lines[0].

    A final line end shows as a last, empty line, as `text.patch_lines` gives it; who cuts lines out of a longer
    text adds it, for `|` and `|+` count line ends.
    """
    source = Source(lines, first)
    root: Node | None = None
    try:
        root, row = _document(source)
        _check_end(source, row)
    except Bad as bad:
        source.problems.append(bad.problem)
    return Document(root, tuple(source.problems), tuple(source.notes))


# ── documents ────────────────────────────────────────────────────────────────────────────────────


def _document(source: Source) -> tuple[Node | None, int]:
    row = _past_directives(source)
    if source.column >= 0:
        return _block_node(source, row, source.column, -1)
    if row == source.count or source.lines[row][0] == ".":
        return None, row
    line = source.lines[row]
    start = past_blanks(line, 3)
    if start < len(line) and line[start] != "#":
        return inline(source, row, start, -1, False)
    after = skip(source, row + 1)
    if source.column >= 0:
        return _block_node(source, after, source.column, -1)
    return Scalar("", source.first + row, "empty"), after


def _past_directives(source: Source) -> int:
    """The row where the document begins, `%YAML` lines left behind."""
    row = skip(source, 0)
    at = row
    while source.column == 0 and source.lines[at][0] == "%":
        at = skip(source, at + 1)
    if at > row and not (at < source.count and source.lines[at].startswith("---")):
        raise source.bad(row, "a line that begins with '%' stands before no '---'", "Remove the line, or add '---'.")
    return at


def _check_end(source: Source, row: int) -> None:
    """Nothing may follow the root."""
    ended = False
    while row < source.count and source.column < 0:
        line = source.lines[row]
        after = skip(source, row + 1)
        if line[0] == "-" and (after < source.count or line.rstrip(" \t") != "---"):
            advice = "Put all operations under one 'operations:'; remove the '---'."
            raise source.bad(row, "a second document begins", advice)
        if line[0] == "-":
            source.note(row, "the '---' at the end, with nothing behind it, was left out")
        elif past_blanks(line, 3) < len(line) and line[past_blanks(line, 3)] != "#":
            raise source.bad(row, "text stands behind '...'", "Remove it.")
        ended, row = True, after
    if row < source.count:
        where = "behind the end of the document" if ended else "where nothing is open at its indentation"
        raise source.bad(row, f"this line stands {where}", "Indent it as what it belongs to, or remove it.")


# ── collections ──────────────────────────────────────────────────────────────────────────────────


def _block_node(source: Source, row: int, start: int, indent: int) -> tuple[Node, int]:
    """The node at (row, start) within a collection at column `indent`, and the row behind it."""
    line = source.lines[row]
    if is_dash(line, start):
        _check_tabs(source, row, start)
        return _block_sequence(source, row, start, False)
    if everyday_key(line, start) or _key(source, row, start):
        _check_tabs(source, row, start)
        return _block_mapping(source, row, start)
    if line[start] == "?" and line[start + 1 : start + 2] in ("", " ", "\t"):
        raise _no_key(source, row, start)
    return inline(source, row, start, indent, False)


def _check_tabs(source: Source, row: int, start: int) -> None:
    if "\t" in source.lines[row][:start]:
        raise source.bad(row, "a tab stands in the indentation", "Use spaces for the indentation of YAML.")


def _enter(source: Source, row: int, column: int) -> int:
    """Open a collection; its depth."""
    if len(source.columns) >= DEEPEST:
        raise source.bad(row, f"collections are nested deeper than {DEEPEST}", "Nest less, or quote the text.")
    source.columns.append(column)
    return len(source.columns)


def _block_mapping(source: Source, row: int, column: int) -> tuple[Mapping, int]:
    depth = _enter(source, row, column)
    line = source.first + row
    items: list[tuple[str, int, Node]] = []
    seen: dict[str, int] = {}
    lost = ""
    while True:
        try:
            key, node, after = _pair(source, row, column)
        except Bad as bad:
            if depth > 1:
                raise
            row = _recover_root(source, bad, column)
        else:
            at = source.first + row
            if key not in seen:
                items.append((key, at, node))
                seen[key] = at
            elif not lost or key == lost:
                # One lost dash repeats every key of an operation: only the first of them is told.
                lost = key
                source.problems.append(_duplicate(key, seen[key], at))
            row = after
        if source.column != column:
            break
    source.columns.pop()
    return Mapping(tuple(items), line), row


def _duplicate(key: str, before: int, line: int) -> Problem:
    detail = f"the key {key!r} of line {before} stands again in line {line}"
    advice = f"Give each mapping each key once. Is a '-' missing before line {line}?"
    return Problem("bad_patch", detail, patch_line=line, advice=advice)


def _pair(source: Source, row: int, column: int) -> tuple[str, Node, int]:
    """The key at (row, column), its value, and the row behind them."""
    line = source.lines[row]
    found = everyday_key(line, column) or _key(source, row, column)
    if not found:
        raise _no_key(source, row, column)
    key, end = found
    node, after = _value(source, row, end, column)
    if source.column > column:
        detail = f"this line is indented by {spaces(source.column)}; the keys here by {spaces(column)}"
        advice = (
            f"Indent it by {spaces(column)}; if it belongs to the text of line {source.first + row}, use '|-' there."
        )
        raise source.bad(after, detail, advice)
    return key, node, after


def _key(source: Source, row: int, start: int) -> tuple[str, int] | None:
    """The key that stands at this place, if one does, and the offset behind its colon."""
    line = source.lines[row]
    lead = line[start]
    if lead in "\"'":
        text, at, end = quoted(source, row, start, -2)
        end = past_blanks(line, end) if at == row else len(line)
        return (text, end + 1) if line[end : end + 1] == ":" and line[end + 1 : end + 2] in ("", " ", "\t") else None
    colon = pattern("colon").search(line, start)
    if not colon or lead in SPECIAL or (lead in "-?:" and line[start + 1 : start + 2] in ("", " ", "\t")):
        return None
    text = line[start : colon.start()]
    return None if " #" in text or "\t#" in text else (text.rstrip(" \t"), colon.end())


def _no_key(source: Source, row: int, start: int) -> Bad:
    """What to say of a line that should begin with a key."""
    text = source.lines[row][start:]
    if text[:1] == "?" and text[1:2] in ("", " ", "\t"):
        return source.bad(row, "a complex key ('? ') cannot be used here", "Write 'key: value'.")
    if is_dash(text, 0):
        return source.bad(
            row, "an item ('-') stands where a key belongs", "Indent it under its key, as the other items."
        )
    if ":" in text.split(" ")[0][1:]:
        return source.bad(row, "a space is missing behind the colon of a key", "Write 'key: value'.")
    shown = text if len(text) <= 40 else text[:39] + "…"
    advice = "Write 'key: value'; lines of a text stand under '|-', deeper than their key."
    return source.bad(row, f"{shown!r} is no 'key: value' line", advice)


def _value(source: Source, row: int, end: int, column: int) -> tuple[Node, int]:
    """What stands behind a key's colon or in the lines below it."""
    line = source.lines[row]
    rest = line[end:]
    if rest in HEADERS:
        return block(source, row, rest, column)
    if rest[:1] in (" ", "\t"):
        end = past_blanks(line, end)
        rest = line[end:]
    if rest and rest[0] != "#":
        if rest[0] not in _BLOCK_LEADS and ":" not in rest and "#" not in rest and rest[-1] not in " \t":
            # Most values: a plain text that no rule but that of further lines could apply to.
            after = skip(source, row + 1)
            if source.column <= column:
                return Scalar(rest, source.first + row, "plain"), after
        return inline(source, row, end, column, True)
    after = skip(source, row + 1)
    if source.column == column and is_dash(source.lines[after], column):
        return _block_sequence(source, after, column, True)
    return _below(source, row, after, column)


def _below(source: Source, row: int, after: int, column: int) -> tuple[Node, int]:
    """The node of a key or dash with nothing behind it on its line."""
    if source.column > column:
        return _block_node(source, after, source.column, column)
    if source.column == column and pattern("header").match(source.lines[after], column):
        return inline(source, after, column, column, False)
    return Scalar("", source.first + row, "empty"), after


def _block_sequence(source: Source, row: int, column: int, at_key: bool) -> tuple[Sequence, int]:
    """The items at this column; `at_key`: that is also the column of the sequence's key."""
    depth = _enter(source, row, column)
    source.dashes.append(column)
    dashes = len(source.dashes)
    line = source.first + row
    items, row = everyday_items(source, row, column)
    more = True
    while more:
        known = len(source.problems)
        try:
            node, row = _item(source, row, column)
            more = _goes_on(source, row, column, at_key)
        except Bad as bad:
            source.problems.append(bad.problem)
            del source.columns[depth:], source.dashes[dashes:]
            row = _next_item(source, bad.resume)
            more = source.column == column and is_dash(source.lines[row], column)
        else:
            if len(source.problems) == known:
                items.append(node)
    source.columns.pop()
    source.dashes.pop()
    return Sequence(tuple(items), line), row


def _item(source: Source, row: int, column: int) -> tuple[Node, int]:
    line = source.lines[row]
    if line[column : column + 2] == "- " and (made := everyday_mapping(source, row, column + 2)):
        return made
    start = past_blanks(line, column + 1)
    if start < len(line) and line[start] != "#":
        return _block_node(source, row, start, column)
    return _below(source, row, skip(source, row + 1), column)


def _goes_on(source: Source, row: int, column: int, at_key: bool) -> bool:
    """Whether another item follows; refuses a line that fits nothing."""
    found = source.column
    if found == column and is_dash(source.lines[row], column):
        return True
    if found < 0 or (found == column and at_key) or (found < column and found in source.columns):
        return False
    advice = f"Begin a new item with '-' behind {spaces(column)}, or indent the line as what it belongs to."
    raise source.bad(row, f"this line is indented by {spaces(found)} and belongs to nothing", advice)


# ── recovery ─────────────────────────────────────────────────────────────────────────────────────


def _next_item(source: Source, row: int) -> int:
    """The next row where an item of an open sequence begins; else where the root's next key may; else the end."""
    for at in range(row, source.count):
        line = source.lines[at]
        column = len(line) - len(line.lstrip(" "))
        if is_dash(line, column) and column in source.dashes:
            source.column = column
            return at
        if column == 0 and is_marker(line):
            source.column = -1
            return at
    return _next_key(source, row)


def _next_key(source: Source, row: int) -> int:
    """The next row where a key of the root may stand, if that is a mapping; else the end."""
    column = source.columns[0]
    pad = " " * column
    # A sequence at the root's column is the root itself, or stands at the column of a key of the root.
    if source.dashes[:1] != [column] or source.columns[1:2] == [column]:
        for at in range(row, source.count):
            line = source.lines[at]
            if line.startswith(pad) and everyday_key(line, column):
                source.column = column
                return at
            if is_marker(line):
                source.column = -1
                return at
    source.column = -1
    return source.count


def _recover_root(source: Source, bad: Bad, column: int) -> int:
    """Go on at the root's next key."""
    source.problems.append(bad.problem)
    del source.columns[1:], source.dashes[:]
    source.column = column
    return _next_key(source, bad.resume)
