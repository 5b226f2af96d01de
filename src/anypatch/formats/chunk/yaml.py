"""YAML as models write it. Knows no operation; reads no file.

    document   = ["---"] node ["..."]
    node       = "- " items | "key: value" pairs | value          by indentation, at most 32 deep
    value      = "|" or ">" and a text below | quoted | [flow, …] | {flow: …} | plain text

One leniency, noted: what follows "key: " on a line and isn't valid YAML is plain text, up to " #". Models write
`marker: @cached`, `*ptr = 1;`, `case 1: x`, `[x for x in y`, `"a" + "b"`; YAML libraries refuse each of these.

Wherever PyYAML accepts a document, this reader returns the same, every scalar as text, or refuses it: anchors, aliases,
tags, complex keys, directives, pairs in a flow sequence, a key that appears twice. The first problem ends the reading.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from itertools import accumulate
from typing import NamedTuple

from ...model import Note
from ...problems import Problem
from ...text import pattern

_DEEPEST = 32
_BLANK = " \t"
_ENDS = ("", " ", "\t")  # what may follow a dash, a colon or a document mark
_QUOTE = "Put the text in quotes, or on separate lines under '|-'."

_COLON = r":(?=[ \t]|$)"
_STRUCTURE = (
    r"""[ \t]*(?:-(?=[ \t]|$)|["']|[^]\s()[{}<>;=]+[ \t]*:(?=[ \t]|$))"""  # an item, or a key as models name them
)
_HEADER = r"[|>]([-+]?[1-9]?|[1-9][-+])(?:[ \t]+#.*|[ \t]*)$"
# An anchor, an alias or a tag, as opposed to `&f(x)`, `*ptr = 1`, `!= 3`.
_PROPERTY = r"&[\w-]+(?=[ \t]|$)|\*[\w-]+(?=[ \t]*(?:[],}#]|$))|![^ \t=]"
_FORBIDDEN = r"[],[{}#&*!|>'\"%@`]|[-?:](?=[ \t]|$)"  # what plain text can't begin with
_GAP = r"(?:[ \t\n]++|#[^\n]*+)*+"
_IN_FLOW = r"(?:[^][{},:#\s]|:(?![][{},\s]|$)|(?<=\S)#|\s+(?=[^][{},:#\s]|:[^][{},\s]))++"
_QUOTED = {  # the whole text, and the parts of it that don't stand for themselves
    "'": (r"'(?:[^']++|'')*+'", r"''|[ \t\n]++"),
    '"': (r'"(?:[^"\\]++|\\.)*+"', r"\\(?:\n[ \t\n]*+|x\w{2}|u[dD][89abAB]\w\w\\u\w{4}|u\w{4}|U\w{8}|.)|[ \t\n]++"),
}
_ESCAPES = {
    "0": "\0", "a": "\a", "b": "\b", "t": "\t", "\t": "\t", "n": "\n", "v": "\v", "f": "\f", "r": "\r", "e": "\x1b",
    " ": " ", '"': '"', "\\": "\\", "/": "/", "N": "\x85", "_": "\xa0", "L": "\u2028", "P": "\u2029",
}  # fmt: skip


class Scalar(NamedTuple):
    """A text as it was written; style: "plain", "quoted", "block", or "empty" if nothing was written."""

    text: str
    line: int
    style: str


class Mapping(NamedTuple):
    """Keys, the patch line of each, and their values, in the order of the document."""

    items: tuple[tuple[str, int, Node], ...]
    line: int

    def get(self, key: str) -> Node | None:
        """The value of a key, or None."""
        return next((value for name, _, value in self.items if name == key), None)


class Sequence(NamedTuple):
    """Items in their order."""

    items: tuple[Node, ...]
    line: int


Node = Scalar | Mapping | Sequence


class Document(NamedTuple):
    """The result of reading; with a problem, `root` is None."""

    root: Node | None
    problems: tuple[Problem, ...]
    notes: tuple[Note, ...]


def read(lines: list[str], first: int = 1) -> Document:
    """Read one document; `first` is the patch line of lines[0].

    A final newline is a last, empty line, as `text.patch_lines` returns it: `|` and `|+` count newlines.
    """
    reader = _Reader(lines, first)
    try:
        return Document(reader.document(), (), tuple(reader.notes))
    except _Bad as bad:
        return Document(None, (bad.problem,), tuple(reader.notes))


class _Bad(Exception):
    """Ends the reading; `final`: a value isn't text instead."""

    def __init__(self, problem: Problem, final: bool = False) -> None:
        super().__init__(problem.detail)
        self.problem, self.final = problem, final


class _Reader:
    """A reading in progress: blocks by row and column, quoted texts and flow collections by offset in the text.

    `column`: the indentation of the row that the last `skip` returned, -1 at the end of the document.
    """

    def __init__(self, lines: list[str], first: int) -> None:
        self.lines, self.first, self.count = lines, first, len(lines)
        self.text = "\n".join(lines)
        self.starts = [0, *accumulate(len(line) + 1 for line in lines)]
        self.column = -1
        self.depth = 0
        self.notes: list[Note] = []

    def document(self) -> Node | None:
        """The root node."""
        row = self.skip(0)
        if row < self.count and self.lines[row][:3] == "---" and self.column < 0:
            root, row = self.value(row, 3, -1, False)
        elif self.column >= 0:
            root, row = self.node(row, self.column, -1)
        else:
            root = None
        while row < self.count and self.lines[row].rstrip(_BLANK) == "...":
            row = self.skip(row + 1)
        if row < self.count and self.column < 0:
            raise self.bad(row, "a second document begins", "Put all operations under one 'operations:'.")
        if row < self.count:
            raise self.misplaced(row)
        return root

    # ── places, notes and failures ───────────────────────────────────────────────────────────────

    def skip(self, row: int) -> int:
        """The next row that is neither blank nor a comment; sets `column`. Stops at the end of the document."""
        for at in range(row, self.count):
            line = self.lines[at]
            text = line.lstrip(" ")
            if not text or text[0] == "#":
                continue
            if text[0] == "\t":
                if text.lstrip(_BLANK)[:1] in ("", "#"):
                    continue
                raise self.bad(at, "the indentation contains a tab", "Use spaces for the indentation of YAML.")
            self.column = -1 if _is_marker(line) else len(line) - len(text)
            return at
        self.column = -1
        return self.count

    def is_end(self, row: int, start: int) -> bool:
        """True if nothing but a comment follows on a line."""
        return self.lines[row][start:].lstrip(_BLANK)[:1] in ("", "#")

    def row(self, at: int) -> int:
        """The row of an offset."""
        return bisect_right(self.starts, at) - 1

    def line(self, at: int) -> int:
        """The patch line of an offset."""
        return self.first + self.row(at)

    def note(self, row: int, text: str) -> None:
        self.notes.append(Note(text, patch_line=self.first + row))

    def bad(self, row: int, detail: str, advice: str = _QUOTE, final: bool = False) -> _Bad:
        return _Bad(Problem("bad_patch", detail, patch_line=self.first + row, advice=advice), final)

    def misplaced(self, row: int) -> _Bad:
        """The refusal of a line that fits nothing above it."""
        depth = len(self.lines[row]) - len(self.lines[row].lstrip(" "))
        advice = (
            "Indent keys like the keys beside them, items like '-' above them, and all lines of a text at least as"
            " deep as its first line."
        )
        return self.bad(row, f"this line is indented by {depth} and doesn't belong to anything above it", advice)

    def no_key(self, row: int, start: int) -> _Bad:
        """The refusal of a line that should begin with a key."""
        self.check_property(row, start)
        text = self.lines[row][start:]
        shown = text if len(text) <= 40 else text[:39] + "…"
        advice = "Write 'key: value'; put lines of text under '|-', indented deeper than their key."
        return self.bad(row, f"{shown!r} is not a 'key: value' line", advice)

    def check_property(self, row: int, start: int) -> None:
        """Refuse an anchor, an alias or a tag."""
        line = self.lines[row]
        if pattern(_PROPERTY).match(line, start):
            shown = line[start : start + 20].split(" ")[0]
            detail = f"YAML reads {shown!r} as an anchor, alias or tag, which can't be used here"
            raise self.bad(row, detail, final=True)

    # ── mappings and sequences ───────────────────────────────────────────────────────────────────

    def node(self, row: int, start: int, indent: int) -> tuple[Node, int]:
        """The node at (row, start) inside a collection at column `indent`, and the row after it."""
        self.depth += 1
        if self.depth > _DEEPEST:
            raise self.bad(row, f"collections are nested deeper than {_DEEPEST}", "Nest less, or quote the text.")
        if _is_dash(self.lines[row], start):
            node, row = self.sequence(row, start)
        elif self.key(row, start):
            node, row = self.mapping(row, start)
        else:
            node, row = self.inline(row, start, indent, False)
        self.depth -= 1
        return node, row

    def mapping(self, row: int, column: int) -> tuple[Node, int]:
        """The pairs at this column, and the row after them."""
        line = self.first + row
        items: dict[str, tuple[str, int, Node]] = {}
        while True:
            key = self.key(row, column)
            if key is None:
                raise self.no_key(row, column)
            if key[0] in items:
                # Without a check, one lost dash would lose the operation above it.
                detail = f"the key {key[0]!r} of line {items[key[0]][1]} appears again on line {self.first + row}"
                raise self.bad(row, detail, f"Is a '-' missing before line {self.first + row}?")
            value, after = self.value(row, key[1], column, True)
            items[key[0]] = (key[0], self.first + row, value)
            row = after
            if self.column > column:
                raise self.misplaced(row)
            if self.column < column:
                return Mapping(tuple(items.values()), line), row

    def key(self, row: int, start: int) -> tuple[str, int] | None:
        """The key at this place and the column after its colon; None if there is no key."""
        line = self.lines[row]
        if line[start] in "\"'":
            text, end = self.quoted(self.starts[row] + start, len(self.text))
            column = end - self.starts[row]
            colon = pattern(r"[ \t]*+" + _COLON).match(line, column) if column <= len(line) else None
            return (text, colon.end()) if colon else None
        colon = pattern(_COLON).search(line, start)
        if not colon or (not line[start].isalpha() and pattern(_FORBIDDEN).match(line, start)):
            return None
        text = line[start : colon.start()]
        return None if " #" in text or "\t#" in text else (text.rstrip(_BLANK), colon.end())

    def sequence(self, row: int, column: int) -> tuple[Node, int]:
        """The items at this column, and the row after them."""
        line = self.first + row
        items: list[Node] = []
        while True:
            item, row = self.value(row, column + 1, column, False)
            items.append(item)
            if self.column > column:
                raise self.misplaced(row)
            if self.column < column or not _is_dash(self.lines[row], column):
                return Sequence(tuple(items), line), row

    def value(self, row: int, start: int, indent: int, of_key: bool) -> tuple[Node, int]:
        """Read the value after a key or a dash at column `indent`, on its line or below; also return the row after."""
        if not self.is_end(row, start):
            start = _next_sign(self.lines[row], start)
            return self.inline(row, start, indent, True) if of_key else self.node(row, start, indent)
        after = self.skip(row + 1)
        if self.column > indent or (of_key and self.column == indent and _is_dash(self.lines[after], indent)):
            return self.node(after, self.column, indent)
        return Scalar("", self.first + row, "empty"), after

    # ── values on a line ─────────────────────────────────────────────────────────────────────────

    def inline(self, row: int, start: int, indent: int, of_key: bool) -> tuple[Node, int]:
        """The scalar or flow collection at (row, start); `of_key`: after a key on the same line."""
        sign = self.lines[row][start]
        if sign in "|>" and (header := pattern(_HEADER).match(self.lines[row], start)):
            return self.block(row, sign + header[1], max(indent, 0))
        if sign in "\"'[{":
            return self.flow(row, start, indent, of_key)
        self.check_property(row, start)
        text = self.lines[row][start:]
        odd = ""
        if lead := pattern(_FORBIDDEN).match(text):
            odd = f"the text begins with {lead[0]!r}"
        elif of_key and pattern(_COLON).search(text):
            odd = "the text contains ': ' or ends in ':'"
        if odd and not of_key:
            raise self.bad(row, f"{odd}, so it is neither a 'key: value' line nor plain text")
        return self.odd_text(row, start, indent, odd) if odd else self.plain(row, start, indent)

    def flow(self, row: int, start: int, indent: int, of_key: bool) -> tuple[Node, int]:
        """The quoted text or flow collection at (row, start); after a key, the text of the line if it is neither."""
        depth, reach = self.depth, self.reach(row, indent)
        odd = "more text follows the closing quote or bracket"
        try:
            node, end = self.flow_node(self.starts[row] + start, reach)
            last = self.row(end)
            if self.is_end(last, end - self.starts[last]):
                return node, self.skip(last + 1)
            if last > row or not of_key:
                raise self.bad(last, odd, final=True)
        except _Bad as bad:
            self.skip(row + 1)
            if bad.final or not of_key or self.lines[row][start] in "\"'" or self.column > indent:
                raise
            odd, self.depth = "the brackets hold no YAML collection", depth
        return self.odd_text(row, start, indent, odd)

    def reach(self, row: int, indent: int) -> int:
        """The offset up to which a value on a row may go on: its lines are deeper, except for closing brackets."""
        at = row + 1
        while at < self.count:
            line = self.lines[at]
            text = line.lstrip(_BLANK)
            if text and (len(line) - len(text) <= indent or _is_marker(line)) and text[0] not in "]}#":
                break
            at += 1
        return self.starts[at] - 1

    def odd_text(self, row: int, start: int, indent: int, odd: str) -> tuple[Node, int]:
        """The rest of a line as plain text, though YAML would refuse it, and the row after it."""
        text, _ = self.without_comment(row, start)
        self.note(row, f"{odd}, but was read as plain text")
        after = self.skip(row + 1)
        if self.column > indent:
            raise self.bad(after, f"this line would continue the text of line {self.first + row}, but {odd} there")
        return Scalar(text, self.first + row, "plain"), after

    def plain(self, row: int, start: int, indent: int) -> tuple[Node, int]:
        """The plain text at (row, start), folded if it goes on in deeper lines, and the row after it."""
        text, commented = self.without_comment(row, start)
        pieces, breaks, at = [text], 1, row + 1
        while at < self.count and not commented:
            line = self.lines[at]
            text = line.lstrip(_BLANK)
            if text:
                if text[0] == "#" or len(line) - len(line.lstrip(" ")) <= indent or _is_marker(line):
                    break
                text, commented = self.without_comment(at, len(line) - len(text))
                if pattern(_COLON).search(text):
                    raise self.misplaced(at)
                pieces += (_fold(breaks), text)
                breaks = 0
            breaks += 1
            at += 1
        after = self.skip(at)
        if self.column > indent:
            raise self.bad(after, f"this line would continue the text of line {self.first + row}, after a comment")
        return Scalar("".join(pieces), self.first + row, "plain"), after

    def without_comment(self, row: int, start: int) -> tuple[str, bool]:
        """The rest of a line up to ` #`, and True if there is such a comment."""
        text = self.lines[row][start:]
        comment = pattern(r"[ \t]#").search(text)
        if comment:
            self.note(row, "the text after ' #' was read as a comment")
            text = text[: comment.start()]
        return text.rstrip(_BLANK), comment is not None

    # ── quoted texts and flow collections ────────────────────────────────────────────────────────

    def quoted(self, begin: int, reach: int) -> tuple[str, int]:
        """The text of the quotes that open at an offset, and the offset after them."""
        whole, parts = _QUOTED[self.text[begin]]
        match = pattern(whole).match(self.text, begin, reach)
        if match is None:
            raise self.bad(self.row(begin), f"the quote opened on line {self.line(begin)} is not closed", "Close it.")
        return pattern(parts).sub(lambda part: self.unescaped(part, begin), match[0][1:-1]), match.end()

    def unescaped(self, part: re.Match[str], begin: int) -> str:
        """Return the text for white space, a newline or an escape in quotes."""
        text = part[0]
        if text == "''":
            return "'"
        if text[0] != "\\":
            return _fold(text.count("\n")) if "\n" in text else text
        if text[1] == "\n":
            return "\n" * (text.count("\n") - 1)
        if text[1] in _ESCAPES:
            return _ESCAPES[text[1]]
        try:
            codes = [int(digits, 16) for digits in text[2:].split("\\u")]
            sign = "".join(map(chr, codes)).encode("utf-16-le", "surrogatepass").decode("utf-16-le")
        except (ValueError, OverflowError):
            advice = f"Write '\\\\' for a backslash, or put the text under '|-', where {text} stays as it is."
            row = self.row(begin + 1 + part.start())
            raise self.bad(row, f"{text} is not an escape in a double-quoted text", advice) from None
        return sign

    def flow_node(self, at: int, reach: int) -> tuple[Node, int]:
        """The quoted text, collection or plain text in a collection at an offset, and the offset after it."""
        if self.text[at] in "[{":
            return self.collection(at, reach)
        if self.text[at] in "\"'":
            text, end = self.quoted(at, reach)
            return Scalar(text, self.line(at), "quoted"), end
        row = self.row(at)
        self.check_property(row, at - self.starts[row])
        match = pattern(_IN_FLOW).match(self.text, at, reach)
        if match is None or pattern(_FORBIDDEN).match(self.lines[row], at - self.starts[row]):
            raise self.bad(row, f"text in a collection can't begin with {self.text[at]!r}")
        text = re.sub(r"[ \t]*\n\s*", lambda gap: _fold(gap[0].count("\n")), match[0].rstrip())
        return Scalar(text, self.first + row, "plain"), match.end()

    def collection(self, at: int, reach: int) -> tuple[Node, int]:
        """The collection whose bracket opens at an offset, and the offset after it."""
        opened, closer = at, "}" if self.text[at] == "{" else "]"
        self.depth += 1
        if self.depth > _DEEPEST:
            advice = f"{_QUOTE} Or nest less."
            raise self.bad(self.row(at), f"collections are nested deeper than {_DEEPEST}", advice, final=True)
        items: list[Node] = []
        pairs: dict[str, tuple[str, int, Node]] = {}
        at = self.gap(opened, at + 1, reach)
        while self.text[at] != closer:
            line = self.line(at)
            node, at = self.flow_node(at, reach)
            at = self.gap(opened, at, reach)
            if closer == "}":
                if not isinstance(node, Scalar):
                    raise self.bad(self.row(at), "a collection cannot be a key")
                if node.text in pairs:
                    detail = f"the key {node.text!r} of line {pairs[node.text][1]} appears again on line {line}"
                    raise self.bad(self.row(at), detail, "Begin a new '{' for a new item.", final=True)
                value, at = self.pair_value(opened, at, reach)
                pairs[node.text] = (node.text, line, value)
            else:
                items.append(node)
            if self.text[at] == ",":
                at = self.gap(opened, at + 1, reach)
            elif self.text[at] != closer:
                detail = f"',' or {closer!r} is missing before {self.text[at]!r}"
                detail += f" (the bracket was opened on line {self.line(opened)})"
                raise self.bad(self.row(at), detail, "Separate entries with ','. If it is text, quote it.")
        self.depth -= 1
        line = self.line(opened)
        return Mapping(tuple(pairs.values()), line) if closer == "}" else Sequence(tuple(items), line), at + 1

    def pair_value(self, opened: int, at: int, reach: int) -> tuple[Node, int]:
        """The value of a key before an offset, and the offset of what follows it."""
        if self.text[at] == ":":
            at = self.gap(opened, at + 1, reach)
            if self.text[at] not in ",}":
                value, at = self.flow_node(at, reach)
                return value, self.gap(opened, at, reach)
        return Scalar("", self.line(at), "empty"), at

    def gap(self, opened: int, at: int, reach: int) -> int:
        """The offset of the next sign that is neither blank nor in a comment."""
        match = pattern(_GAP).match(self.text, at, reach)
        end = match.end() if match else at
        if end >= reach:
            advice = f"Close it. If it is text: {_QUOTE[0].lower()}{_QUOTE[1:]}"
            raise self.bad(self.row(opened), f"the bracket opened on line {self.line(opened)} is not closed", advice)
        return end

    # ── block texts ──────────────────────────────────────────────────────────────────────────────

    def block(self, row: int, header: str, indent: int) -> tuple[Node, int]:
        """The text below a header such as `|-` or `>2+` after a key at column `indent`, and the row after it."""
        given = int(header.strip("|>+-") or 0)
        at = row + 1
        while at < self.count and not self.lines[at].strip(" "):
            at += 1
        line = self.lines[at] if at < self.count else ""
        width = indent + given if given else len(line) - len(line.lstrip(" "))
        if width > indent:
            body, after = self.body(row + 1, width)
            body += [""] if after < self.count else []
        else:
            self.check_empty(row, at)
            body, after = [""] * (min(at, self.count - 1) - row - 1), at
            body += [""] if body else []
        text = "\n".join(body)
        core = text.rstrip("\n")
        ends = text[len(core) :] if "+" in header else "\n" if "-" not in header and len(text) > len(core) > 0 else ""
        return Scalar((_folded(core) if header[0] == ">" else core) + ends, self.first + row, "block"), self.skip(after)

    def check_empty(self, row: int, at: int) -> None:
        """Refuse a block text without lines if what follows seems to be its text, without the indentation."""
        line = self.lines[at] if at < self.count else ""
        if line and not _is_marker(line) and not pattern(_STRUCTURE).match(line):
            detail = f"the text below line {self.first + row} isn't indented deeper than its key"
            raise self.bad(at, detail, 'Indent the text deeper than its key; write "" for an empty text.')

    def body(self, row: int, width: int) -> tuple[list[str], int]:
        """The lines that are blank or indented by `width`, without that indentation; and the row after them."""
        pad = " " * width
        body = []
        for at in range(row, self.count):
            line = self.lines[at]
            if line.startswith(pad):
                body.append(line[width:])
            elif not line.strip(_BLANK):
                body.append("")
            else:
                return body, at
        return body, self.count


# ── lines and texts ──────────────────────────────────────────────────────────────────────────────


def _is_marker(line: str) -> bool:
    """True if the line begins or ends a document."""
    return line[:3] in ("---", "...") and line[3:4] in _ENDS


def _is_dash(line: str, column: int) -> bool:
    """True if a sequence's item begins at this column."""
    return line[column : column + 1] == "-" and line[column + 1 : column + 2] in _ENDS


def _next_sign(line: str, start: int) -> int:
    """The column of the next character that isn't blank."""
    return len(line) - len(line[start:].lstrip(_BLANK))


def _fold(breaks: int) -> str:
    """Return what newlines inside a folded text become."""
    return " " if breaks == 1 else "\n" * (breaks - 1)


def _folded(core: str) -> str:
    """The text with single newlines between lines at its indentation replaced by spaces."""
    pieces: list[str] = []
    breaks, flush = 0, False
    for line in core.split("\n"):
        if not line:
            breaks += 1
            continue
        starts_flush = line[0] not in _BLANK
        if pieces:
            pieces.append(_fold(breaks + 1) if flush and starts_flush else "\n" * (breaks + 1))
        pieces += [line] if pieces else ["\n" * breaks, line]
        breaks, flush = 0, starts_flush
    return "".join(pieces)
