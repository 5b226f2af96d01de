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
from ...problems import Problem, bad
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
    """Values by their keys, in the order of the document."""

    items: dict[str, Node]
    line: int


class Sequence(NamedTuple):
    """Items in their order."""

    items: list[Node]
    line: int


Node = Scalar | Mapping | Sequence  # `line`: of the patch, with the key or the dash of the node if it has one


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

    `lines` end in a mark that ends the document. `column`: the indentation of the row that the last `skip` returned, -1
    at the end of the document. `begin`, `reach`: where the flow collection begins, and up to where it may go.
    """

    def __init__(self, lines: list[str], first: int) -> None:
        self.lines, self.first, self.count = [*lines, "..."], first, len(lines)
        self.text = "\n".join(lines)
        self.starts = [0, *accumulate(len(line) + 1 for line in lines)]
        self.column = -1
        self.begin, self.reach = 0, len(self.text)
        self.depth = 0
        self.notes: list[Note] = []

    def document(self) -> Node | None:
        """Return the root node."""
        root = None
        row = self.skip(0)
        if self.lines[row][:3] == "---" and self.column < 0:
            root, row = self.value(row, 3, -1, False)
        elif self.column >= 0:
            root, row = self.node(row, self.column, -1)
        while row < self.count and self.lines[row].rstrip(_BLANK) == "...":
            row = self.skip(row + 1)
        if row < self.count and self.column < 0:
            raise self.bad(row, "a second document begins", "Put all operations under one 'operations:'.")
        if row < self.count:
            raise self.misplaced(row)
        return root

    # ── places and failures ──────────────────────────────────────────────────────────────────────

    def skip(self, row: int) -> int:
        """Return the next row that is neither blank nor a comment, or the end of the document; set `column`."""
        while (text := self.lines[row].lstrip(_BLANK)) == "" or text[0] == "#":
            row += 1
        line = self.lines[row]
        if "\t" in line[: len(line) - len(text)]:
            raise self.bad(row, "the indentation contains a tab", "Use spaces for the indentation of YAML.")
        self.column = -1 if _is_marker(line) else len(line) - len(text)
        return row

    def is_end(self, row: int, start: int) -> bool:
        """Return True if nothing but a comment follows on a line."""
        return self.lines[row][start:].lstrip(_BLANK)[:1] in ("", "#")

    def row(self, at: int) -> int:
        """Return the row of an offset."""
        return bisect_right(self.starts, at) - 1

    def line(self, at: int) -> int:
        """Return the patch line of an offset."""
        return self.first + self.row(at)

    def bad(self, row: int, detail: str, advice: str = _QUOTE, final: bool = False) -> _Bad:
        return _Bad(bad(self.first + row, detail, advice), final)

    def misplaced(self, row: int) -> _Bad:
        """Return the refusal of a line that fits nothing above it."""
        depth = len(self.lines[row]) - len(self.lines[row].lstrip(" "))
        advice = (
            "Indent keys like the keys beside them, items like '-' above them, and all lines of a text at least as"
            " deep as its first line."
        )
        return self.bad(row, f"this line is indented by {depth} and doesn't belong to anything above it", advice)

    def check_property(self, row: int, start: int) -> None:
        """Refuse an anchor, an alias or a tag."""
        line = self.lines[row]
        if pattern(_PROPERTY).match(line, start):
            shown = line[start : start + 20].split(" ")[0]
            detail = f"YAML reads {shown!r} as an anchor, alias or tag, which can't be used here"
            raise self.bad(row, detail, final=True)

    def deeper(self, row: int, final: bool = False) -> None:
        """Count a collection inside the others, up to a limit."""
        self.depth += 1
        if self.depth > _DEEPEST:
            advice = f"Nest less. If it is text: {_QUOTE}"
            raise self.bad(row, f"collections are nested deeper than {_DEEPEST}", advice, final)

    # ── mappings and sequences ───────────────────────────────────────────────────────────────────

    def node(self, row: int, start: int, indent: int) -> tuple[Node, int]:
        """Read the node at (row, start) inside a collection at column `indent`; also return the row after it."""
        self.deeper(row)
        if _is_dash(self.lines[row], start):
            node, row = self.sequence(row, start)
        elif self.key(row, start):
            node, row = self.mapping(row, start)
        else:
            node, row = self.inline(row, start, indent, False)
        self.depth -= 1
        return node, row

    def mapping(self, row: int, column: int) -> tuple[Node, int]:
        """Read the pairs at this column; also return the row after them."""
        first = self.first + row
        items: dict[str, Node] = {}
        while self.column >= column or not items:
            line = self.first + row
            key = self.key(row, column)
            if key is None:
                self.check_property(row, column)
                shown = self.lines[row][column : column + 40]
                advice = "Write 'key: value'; put lines of text under '|-', indented deeper than their key."
                raise self.bad(row, f"{shown!r} is not a 'key: value' line", advice)
            name, start = key
            if name in items:
                # Without a check, one lost dash would lose the operation above it.
                detail = f"the key {name!r} of line {items[name].line} appears again on line {line}"
                raise self.bad(row, detail, f"Is a '-' missing before line {line}?")
            value, row = self.value(row, start, column, True)
            items[name] = value if value.line == line else value._replace(line=line)
            if self.column > column:
                raise self.misplaced(row)
        return Mapping(items, first), row

    def key(self, row: int, start: int) -> tuple[str, int] | None:
        """Return the key at this place and the column after its colon; None if there is no key."""
        line = self.lines[row]
        if line[start] in "\"'":
            text, end = self.quoted(self.starts[row] + start)
            column = end - self.starts[row]
            colon = pattern(r"[ \t]*+" + _COLON).match(line, column) if column <= len(line) else None
            return (text, colon.end()) if colon else None
        colon = pattern(_COLON).search(line, start)
        if not colon or (not line[start].isalpha() and pattern(_FORBIDDEN).match(line, start)):
            return None
        text = line[start : colon.start()]
        return None if " #" in text or "\t#" in text else (text.rstrip(_BLANK), colon.end())

    def sequence(self, row: int, column: int) -> tuple[Node, int]:
        """Read the items at this column; also return the row after them."""
        first = self.first + row
        items: list[Node] = []
        while True:
            line = self.first + row
            item, row = self.value(row, column + 1, column, False)
            items.append(item if item.line == line else item._replace(line=line))
            if self.column > column:
                raise self.misplaced(row)
            if self.column < column or not _is_dash(self.lines[row], column):
                return Sequence(items, first), row

    def value(self, row: int, start: int, indent: int, of_key: bool) -> tuple[Node, int]:
        """Read the value after a key or a dash at column `indent`, on its line or below; also return the row after."""
        if not self.is_end(row, start):
            line = self.lines[row]
            start = len(line) - len(line[start:].lstrip(_BLANK))
            return self.inline(row, start, indent, True) if of_key else self.node(row, start, indent)
        after = self.skip(row + 1)
        if self.column > indent or (of_key and self.column == indent and _is_dash(self.lines[after], indent)):
            return self.node(after, self.column, indent)
        return Scalar("", self.first + row, "empty"), after

    # ── values on a line ─────────────────────────────────────────────────────────────────────────

    def inline(self, row: int, start: int, indent: int, of_key: bool) -> tuple[Node, int]:
        """Read the scalar or flow collection at (row, start); `of_key`: after a key on the same line."""
        line = self.lines[row]
        if line[start] in "|>" and (header := pattern(_HEADER).match(line, start)):
            return self.block(row, line[start] + header[1], max(indent, 0))
        if line[start] in "\"'[{":
            return self.flow(row, start, indent, of_key)
        self.check_property(row, start)
        odd = ""
        if lead := pattern(_FORBIDDEN).match(line, start):
            odd = f"the text begins with {lead[0]!r}"
        elif of_key and pattern(_COLON).search(line, start):
            odd = "the text contains ': ' or ends in ':'"
        if odd and not of_key:
            raise self.bad(row, f"{odd}, so it is neither a 'key: value' line nor plain text")
        return self.plain(row, start, indent, odd)

    def flow(self, row: int, start: int, indent: int, of_key: bool) -> tuple[Node, int]:
        """Read the quoted text or flow collection at (row, start); after a key, the text of the line if it is neither.

        It may go on in lines that are deeper than its key, except for closing brackets.
        """
        below = row + 1
        while (line := self.lines[below].rstrip(_BLANK)) == "" or (
            (len(line) - len(line.lstrip(_BLANK)) > indent and not _is_marker(line)) or line.lstrip(_BLANK)[0] in "]}#"
        ):
            below += 1
        depth, self.begin, self.reach = self.depth, self.starts[row] + start, self.starts[below] - 1
        try:
            node, end = self.flow_node(self.begin)
            last = self.row(end)
            if self.is_end(last, end - self.starts[last]):
                return node, self.skip(last + 1)
            odd = "more text follows the closing quote or bracket"
            if last > row or not of_key:
                raise self.bad(last, odd, final=True)
        except _Bad as bad:
            self.skip(row + 1)
            if bad.final or not of_key or self.lines[row][start] in "\"'" or self.column > indent:
                raise
            odd, self.depth = "the brackets hold no YAML collection", depth
        finally:
            self.reach = len(self.text)
        return self.plain(row, start, indent, odd)

    def plain(self, row: int, start: int, indent: int, odd: str) -> tuple[Node, int]:
        """Read the plain text at (row, start), which may go on in deeper lines; also return the row after it.

        `odd`: why YAML would refuse the text; then it is what the line holds, with a note.
        """
        text, is_commented = self.without_comment(row, start)
        if odd:
            self.notes.append(Note(f"{odd}, but was read as plain text", patch_line=self.first + row))
        pieces, breaks, at = [text], 1, row + 1
        while not (is_commented or odd):
            line = self.lines[at]
            text = line.lstrip(_BLANK)
            if text:
                if text[0] == "#" or len(line) - len(line.lstrip(" ")) <= indent or _is_marker(line):
                    break
                text, is_commented = self.without_comment(at, len(line) - len(text))
                if pattern(_COLON).search(text):
                    raise self.misplaced(at)
                pieces += (_fold(breaks), text)
                breaks = 0
            breaks += 1
            at += 1
        after = self.skip(at)
        if self.column > indent:
            why = f"but {odd} there" if odd else "after a comment"
            raise self.bad(after, f"this line would continue the text of line {self.first + row}, {why}")
        return Scalar("".join(pieces), self.first + row, "plain"), after

    def without_comment(self, row: int, start: int) -> tuple[str, bool]:
        """Return the rest of a line up to ` #`, and True if there is such a comment."""
        text = self.lines[row][start:]
        comment = pattern(r"[ \t]#").search(text)
        if comment:
            self.notes.append(Note("the text after ' #' was read as a comment", patch_line=self.first + row))
            text = text[: comment.start()]
        return text.rstrip(_BLANK), comment is not None

    # ── quoted texts and flow collections: methods also return the offset after what they read ───

    def quoted(self, begin: int) -> tuple[str, int]:
        """Read the text of the quotes that open at an offset."""
        whole, parts = _QUOTED[self.text[begin]]
        match = pattern(whole).match(self.text, begin, self.reach)
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
            return "".join(map(chr, codes)).encode("utf-16-le", "surrogatepass").decode("utf-16-le")
        except (ValueError, OverflowError):
            advice = f"Write '\\\\' for a backslash, or put the text under '|-', where {text} stays as it is."
            row = self.row(begin + 1 + part.start())
            raise self.bad(row, f"{text} is not an escape in a double-quoted text", advice) from None

    def flow_node(self, at: int) -> tuple[Node, int]:
        """Read the quoted text, collection or plain text in a collection at an offset."""
        if self.text[at] in "[{":
            return self.collection(at)
        if self.text[at] in "\"'":
            text, end = self.quoted(at)
            return Scalar(text, self.line(at), "quoted"), end
        row = self.row(at)
        self.check_property(row, at - self.starts[row])
        match = pattern(_IN_FLOW).match(self.text, at, self.reach)
        if match is None or pattern(_FORBIDDEN).match(self.lines[row], at - self.starts[row]):
            raise self.bad(row, f"text in a collection can't begin with {self.text[at]!r}")
        text = re.sub(r"[ \t]*\n\s*", lambda gap: _fold(gap[0].count("\n")), match[0].rstrip())
        return Scalar(text, self.first + row, "plain"), match.end()

    def collection(self, opened: int) -> tuple[Node, int]:
        """Read the collection whose bracket opens at an offset."""
        closer = "}" if self.text[opened] == "{" else "]"
        self.deeper(self.row(opened), final=True)
        items: list[Node] = []
        pairs: dict[str, Node] = {}
        at = self.gap(opened + 1)
        while self.text[at] != closer:
            line = self.line(at)
            node, at = self.flow_node(at)
            at = self.gap(at)
            if closer == "]":
                items.append(node)
            elif not isinstance(node, Scalar):
                raise self.bad(self.row(at), "a collection cannot be a key")
            elif node.text in pairs:
                detail = f"the key {node.text!r} of line {pairs[node.text].line} appears again on line {line}"
                raise self.bad(self.row(at), detail, "Begin a new '{' for a new item.", final=True)
            else:
                value: Node = Scalar("", line, "empty")
                if self.text[at] == ":":
                    at = self.gap(at + 1)
                    if self.text[at] not in ",}":
                        value, at = self.flow_node(at)
                        at = self.gap(at)
                pairs[node.text] = value._replace(line=line)
            if self.text[at] == ",":
                at = self.gap(at + 1)
            elif self.text[at] != closer:
                detail = f"',' or {closer!r} is missing before {self.text[at]!r}"
                detail += f" (the bracket was opened on line {self.line(opened)})"
                raise self.bad(self.row(at), detail, "Separate entries with ','. If it is text, quote it.")
        self.depth -= 1
        line = self.line(opened)
        return Mapping(pairs, line) if closer == "}" else Sequence(items, line), at + 1

    def gap(self, at: int) -> int:
        """Return the offset of the next sign of a collection that is neither blank nor in a comment."""
        match = pattern(_GAP).match(self.text, at, self.reach)
        end = match.end() if match else at
        if end >= self.reach:
            advice = f"Close it. If it is text: {_QUOTE}"
            detail = f"the bracket opened on line {self.line(self.begin)} is not closed"
            raise self.bad(self.row(self.begin), detail, advice)
        return end

    # ── block texts ──────────────────────────────────────────────────────────────────────────────

    def block(self, row: int, header: str, indent: int) -> tuple[Node, int]:
        """Read the text below a header such as `|-` or `>2+`, deeper than column `indent`; return the row after it."""
        given = int(header.strip("|>+-") or 0)
        at = row + 1
        while not self.lines[at].strip(" "):
            at += 1
        line = self.lines[at]
        width = indent + given if given else len(line) - len(line.lstrip(" "))
        if width > indent:
            body, at = self.body(row + 1, width)
        elif not _is_marker(line) and not pattern(_STRUCTURE).match(line):
            detail = f"the text below line {self.first + row} isn't indented deeper than its key"
            raise self.bad(at, detail, 'Indent the text deeper than its key; write "" for an empty text.')
        else:
            blanks = min(at, self.count - 1) - row - 1
            body = [""] * (blanks + 1) if blanks > 0 else []
        text = "\n".join(body)
        core = text.rstrip("\n")
        ends = text[len(core) :] if "+" in header else "\n" if "-" not in header and len(text) > len(core) > 0 else ""
        return Scalar((_folded(core) if header[0] == ">" else core) + ends, self.first + row, "block"), self.skip(at)

    def body(self, row: int, width: int) -> tuple[list[str], int]:
        """Return the lines that are blank or indented by `width`, without that indentation; and the row after them."""
        pad = " " * width
        body = []
        while (line := self.lines[row]).startswith(pad) or not line.strip(_BLANK):
            body.append(line[width:] if line.startswith(pad) else "")
            row += 1
        return body + ([""] if row < self.count else []), row


# ── lines and texts ──────────────────────────────────────────────────────────────────────────────


def _is_marker(line: str) -> bool:
    """Return True if a line begins or ends a document."""
    return line[:3] in ("---", "...") and line[3:4] in _ENDS


def _is_dash(line: str, column: int) -> bool:
    """Return True if a sequence's item begins at this column."""
    return line[column : column + 1] == "-" and line[column + 1 : column + 2] in _ENDS


def _fold(breaks: int) -> str:
    """Return what newlines inside a folded text become."""
    return " " if breaks == 1 else "\n" * (breaks - 1)


def _folded(core: str) -> str:
    """Return a text with single newlines between lines at its indentation replaced by spaces."""
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
