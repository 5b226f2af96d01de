"""YAML as models write it: one lenient reader. Knows no operation; reads no file.

    document   = ["%…" lines, "---"] node ["---" | "..."]
    node       = "- " items | "key: value" pairs | value          by indentation, at most 32 deep
    value      = "|" or ">" and a text below | quoted | [flow, …] | {flow: …} | plain text
    leniencies : plain texts that hold ": ", begin with "@", "*", "%", … or are no closed bracket or quote; a text
                 whose first line is deeper than the rest, or that is indented with tabs; "---" at the end

Wherever PyYAML accepts a document, this reader gives the same, every scalar as text. A leniency is noted. A line that
fits nothing is a problem of its item, and reading goes on at the next one. Anchors, aliases, tags and complex keys
are refused.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from itertools import accumulate, takewhile
from typing import NamedTuple

from ...model import Note
from ...problems import Problem
from ...text import pattern

_DEEPEST = 32
_MOST_WASTED = 1 << 20  # characters that may be read in vain as flow collections, in all
_SPECIAL = frozenset(",[]{}#&*!|>'\"%@`")
_BLANK = " \t"
_ENDS = ("", " ", "\t")  # what stands behind a dash, a colon or a document mark
_QUOTE = "Put the text in quotes, or on separate lines under '|-'."
_SPACES = "Use spaces for the indentation of YAML."

_COLON = r":(?=[ \t]|$)"
_HEADER = r"[|>]([-+]?[1-9]?|[1-9][-+])(?:[ \t]+#.*|[ \t]*)$"
_ANCHOR = r"&[\w-]+(?=[ \t]|$)"
_ALIAS = r"\*[\w-]+(?:[ \t]+#.*|[ \t]*)$"
_ALIAS_IN_FLOW = r"\*[\w-]+[ \t]*(?=[],}]|$)"
_FLOW_END = r"[][{},]|:(?=[][ \t{},]|$)|[ \t]#"
_GAP = r"(?:[ \t\n]++|#[^\n]*+)*+"
_BLANKS = r"[ \t]*+"
_WORD = r"[^]\s()[{}<>;=]+[ \t]*:(?:[ \t]|$)"
# An item, a key with an everyday name, or a document's border.
_STRUCTURE = r"(?:---|\.\.\.)(?=[ \t]|$)|[ \t]*+(?:-(?=[ \t]|$)|[A-Za-z_][\w-]*+:(?= |$))"
_HEX = "[0-9A-Fa-f]"
_TWO_HALVES = rf"\\u[dD][89abAB]{_HEX}{{2}}\\u[dD][c-fC-F]{_HEX}{{2}}"  # as JSON writes signs beyond the first plane
_QUOTED = {  # the whole text, and what in it doesn't stand for itself
    "'": (r"'(?:[^']++|'')*+'", r"''|[ \t\n]++"),
    '"': (
        r'"(?:[^"\\]++|\\.)*+"',
        rf"{_TWO_HALVES}|\\(?:\n[ \t\n]*+|x{_HEX}{{0,2}}|u{_HEX}{{0,4}}|U{_HEX}{{0,8}}|.)|[ \t\n]++",
    ),
}
_ESCAPES = {
    "0": "\0", "a": "\a", "b": "\b", "t": "\t", "\t": "\t", "n": "\n", "v": "\v", "f": "\f", "r": "\r", "e": "\x1b",
    " ": " ", '"': '"', "\\": "\\", "/": "/", "N": "\x85", "_": "\xa0", "L": "\u2028", "P": "\u2029",
}  # fmt: skip
_DIGITS = {"x": 2, "u": 4, "U": 8}


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
        return next((value for name, _, value in self.items if name == key), None)


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


def read(lines: list[str], first: int = 1) -> Document:
    """Read one document; `first` is the patch line of lines[0].

    A final line end shows as a last, empty line, as `text.patch_lines` gives it; who cuts lines out of a longer
    text adds it, for `|` and `|+` count line ends.
    """
    reader = _Reader(lines, first)
    root: Node | None = None
    try:
        root, row = reader.document()
        reader.check_end(row)
    except _Bad as bad:
        reader.problems.append(bad.problem)
    return Document(root, tuple(reader.problems), tuple(reader.notes))


class _Bad(Exception):
    """What cannot be read; never leaves the module. Reading can go on at row `resume`; it had come to row `reached`.

    `final`: no second, more lenient reading may be tried.
    """

    def __init__(self, problem: Problem, resume: int, final: bool) -> None:
        super().__init__(problem.detail)
        self.problem = problem
        self.resume = self.reached = resume
        self.final = final


class _Reader:
    """A reading in progress. Blocks are read by row and column, quoted texts and flow collections by offset.

    `column` is the indentation of the line that the last `skip` stopped at, -1 at the end of the document.
    `columns` are those of the open collections (so their number is the depth), `dashes` those of the sequences
    among them. A flow collection may go on up to the offset `reach`; `wasted` counts the signs read in vain as one.
    """

    def __init__(self, lines: list[str], first: int) -> None:
        self.lines, self.first, self.count = lines, first, len(lines)
        self.text = "\n".join(lines)
        self.starts = [0, *accumulate(len(line) + 1 for line in lines)]
        self.column = -1
        self.columns: list[int] = []
        self.dashes: list[int] = []
        self.problems: list[Problem] = []
        self.notes: list[Note] = []
        self.reach = len(self.text)
        self.wasted = 0

    # ── documents ────────────────────────────────────────────────────────────────────────────────

    def document(self) -> tuple[Node | None, int]:
        """The root and the row behind it; `%YAML` lines are left behind."""
        top = row = self.skip(0)
        while self.column == 0 and self.lines[row][0] == "%":
            row = self.skip(row + 1)
        if row > top and not (row < self.count and self.lines[row].startswith("---")):
            raise self.bad(top, "a line that begins with '%' has no '---' after it", "Remove the line, or add '---'.")
        if self.column >= 0:
            return self.node(row, self.column, -1)
        if row == self.count or self.lines[row][0] == ".":
            return None, row
        if not self.only_comment(row, 3):
            return self.inline(row, _past_blanks(self.lines[row], 3), -1, False)
        return self.below(row, -1, False)

    def check_end(self, row: int) -> None:
        """Nothing may follow the root."""
        ended = False
        while row < self.count and self.column < 0:
            line = self.lines[row]
            after = self.skip(row + 1)
            if line[0] == "-" and (after < self.count or line.rstrip(_BLANK) != "---"):
                advice = "Put all operations under one 'operations:'; remove the '---'."
                raise self.bad(row, "a second document begins", advice)
            if line[0] == "-":
                self.note(row, "the '---' at the end, with nothing after it, was skipped")
            elif not self.only_comment(row, 3):
                raise self.bad(row, "there is text after '...'", "Remove it.")
            ended, row = True, after
        if row < self.count:
            where = "comes after the end of the document" if ended else "is indented like nothing above it"
            raise self.bad(row, f"this line {where}", "Indent it like what it belongs to, or remove it.")

    # ── places, notes and failures ───────────────────────────────────────────────────────────────

    def skip(self, row: int) -> int:
        """The next row that is neither blank nor a comment; sets `column`. A document's end is never passed."""
        for at in range(row, self.count):
            line = self.lines[at]
            text = line.lstrip(" ")
            if not text or text[0] == "#":
                continue
            if text[0] == "\t":
                if text.lstrip(_BLANK)[:1] in ("", "#"):
                    continue
                raise self.bad(at, "the indentation contains a tab", _SPACES)
            self.column = -1 if _is_marker(line) else len(line) - len(text)
            return at
        self.column = -1
        return self.count

    def only_comment(self, row: int, start: int) -> bool:
        """Whether nothing but a comment stands from an offset of a line on."""
        return self.lines[row][start:].lstrip(_BLANK)[:1] in ("", "#")

    def row(self, at: int) -> int:
        """The row of an offset in the whole text."""
        return bisect_right(self.starts, at) - 1

    def note(self, row: int, text: str) -> None:
        """Record a leniency."""
        self.notes.append(Note(text, patch_line=self.first + row))

    def bad(self, row: int, detail: str, advice: str = _QUOTE, final: bool = False) -> _Bad:
        """The failure to raise; reading can go on at the next row."""
        return _Bad(Problem("bad_patch", detail, patch_line=self.first + row, advice=advice), row + 1, final)

    # ── mappings and sequences ───────────────────────────────────────────────────────────────────

    def node(self, row: int, start: int, indent: int) -> tuple[Node, int]:
        """The node at (row, start) within a collection at column `indent`, and the row behind it."""
        line = self.lines[row]
        dash = _is_dash(line, start)
        if dash or self.key(row, start):
            if "\t" in line[:start]:
                raise self.bad(row, "the indentation contains a tab", _SPACES)
            return self.sequence(row, start, False) if dash else self.mapping(row, start)
        if line[start] == "?" and line[start + 1 : start + 2] in _ENDS:
            raise self.no_key(row, start)
        return self.inline(row, start, indent, False)

    def enter(self, row: int, column: int) -> int:
        """Open a collection; its depth."""
        if len(self.columns) >= _DEEPEST:
            raise self.bad(row, f"collections are nested deeper than {_DEEPEST}", "Nest less, or quote the text.")
        self.columns.append(column)
        return len(self.columns)

    def mapping(self, row: int, column: int) -> tuple[Mapping, int]:
        """The pairs at this column, and the row behind them."""
        depth = self.enter(row, column)
        line = self.first + row
        items: dict[str, tuple[str, int, Node]] = {}
        repeated = ""
        while True:
            try:
                key, node, after = self.pair(row, column)
            except _Bad as bad:
                if depth > 1:
                    raise
                self.problems.append(bad.problem)
                del self.columns[1:], self.dashes[:]
                row = self.next_key(bad.resume)
            else:
                at = self.first + row
                if key not in items:
                    items[key] = (key, at, node)
                elif repeated in ("", key):
                    # One lost dash repeats every key of an operation: only the first of them is told.
                    repeated = key
                    advice = f"Give each mapping each key once. Is a '-' missing before line {at}?"
                    self.problems.append(self.bad(row, _twice(key, items[key][1], at), advice).problem)
                row = after
            if self.column != column:
                break
        self.columns.pop()
        return Mapping(tuple(items.values()), line), row

    def pair(self, row: int, column: int) -> tuple[str, Node, int]:
        """The key at (row, column), its value, and the row behind them."""
        key = self.key(row, column)
        if not key:
            raise self.no_key(row, column)
        if self.only_comment(row, key[1]):
            node, after = self.below(row, column, True)
        else:
            node, after = self.inline(row, _past_blanks(self.lines[row], key[1]), column, True)
        if self.column > column:
            detail = f"this line is indented by {_spaces(self.column)}; the keys here by {_spaces(column)}"
            advice = f"Indent it by {_spaces(column)}; if it belongs to the text of line {self.first + row}, "
            raise self.bad(after, detail, advice + "use '|-' there.")
        return key[0], node, after

    def key(self, row: int, start: int) -> tuple[str, int] | None:
        """The key that stands at this place, if one does, and the column behind its colon."""
        line = self.lines[row]
        if line[start] in "\"'":
            text, end = self.quoted(row, start, -2)
            column = end - self.starts[row]
            column = _past_blanks(line, column) if column <= len(line) else len(line)
            is_key = line[column : column + 1] == ":" and line[column + 1 : column + 2] in _ENDS
            return (text, column + 1) if is_key else None
        colon = pattern(_COLON).search(line, start)
        if not colon or _oddity(line[start:], False):
            return None
        text = line[start : colon.start()]
        return None if " #" in text or "\t#" in text else (text.rstrip(_BLANK), colon.end())

    def no_key(self, row: int, start: int) -> _Bad:
        """What to say of a line that should begin with a key."""
        text = self.lines[row][start:]
        if text[:1] == "?" and text[1:2] in _ENDS:
            return self.bad(row, "a complex key ('? ') cannot be used here", "Write 'key: value'.")
        if _is_dash(text, 0):
            advice = "Indent it under its key, like the other items."
            return self.bad(row, "an item ('-') is where a key should be", advice)
        if ":" in text.split(" ")[0][1:]:
            return self.bad(row, "a space is missing after the colon of a key", "Write 'key: value'.")
        shown = text if len(text) <= 40 else text[:39] + "…"
        advice = "Write 'key: value'; put lines of text under '|-', indented deeper than their key."
        return self.bad(row, f"{shown!r} is not a 'key: value' line", advice)

    def below(self, row: int, column: int, of_key: bool) -> tuple[Node, int]:
        """The node of a key or a dash at `column` with nothing behind it on its line."""
        after = self.skip(row + 1)
        if self.column > column:
            return self.node(after, self.column, column)
        line = self.lines[after] if self.column == column >= 0 else ""
        if of_key and _is_dash(line, column):
            return self.sequence(after, column, True)
        if pattern(_HEADER).match(line, column):
            return self.inline(after, column, column, False)
        return Scalar("", self.first + row, "empty"), after

    def sequence(self, row: int, column: int, at_key: bool) -> tuple[Sequence, int]:
        """The items at this column; `at_key`: that is also the column of the sequence's key."""
        depth = self.enter(row, column)
        self.dashes.append(column)
        dashes = len(self.dashes)
        line = self.first + row
        items: list[Node] = []
        more = True
        while more:
            known = len(self.problems)
            try:
                if self.only_comment(row, column + 1):
                    node, row = self.below(row, column, False)
                else:
                    node, row = self.node(row, _past_blanks(self.lines[row], column + 1), column)
                more = self.goes_on(row, column, at_key)
            except _Bad as bad:
                self.problems.append(bad.problem)
                del self.columns[depth:], self.dashes[dashes:]
                row = self.next_item(bad.resume)
                more = self.column == column and _is_dash(self.lines[row], column)
            else:
                if len(self.problems) == known:
                    items.append(node)
        self.columns.pop()
        self.dashes.pop()
        return Sequence(tuple(items), line), row

    def goes_on(self, row: int, column: int, at_key: bool) -> bool:
        """Whether another item follows; refuses a line that fits nothing."""
        here = self.column
        if here == column and _is_dash(self.lines[row], column):
            return True
        if here < 0 or (here == column and at_key) or (here < column and here in self.columns):
            return False
        advice = f"Begin a new item with '-' after {_spaces(column)}, or indent the line like what it belongs to."
        raise self.bad(row, f"this line is indented by {_spaces(here)} and doesn't belong to anything", advice)

    # ── recovery ─────────────────────────────────────────────────────────────────────────────────

    def next_item(self, row: int) -> int:
        """The next row where an item of an open sequence begins; else where the root's next key may; else the end."""
        for at in range(row, self.count):
            line = self.lines[at]
            column = len(line) - len(line.lstrip(" "))
            if _is_marker(line) or (_is_dash(line, column) and column in self.dashes):
                self.column = -1 if _is_marker(line) else column
                return at
        return self.next_key(row)

    def next_key(self, row: int) -> int:
        """The next row where a key of the root may stand, if that is a mapping; else the end."""
        column = self.columns[0]
        # A sequence at the root's column is the root itself, or stands at the column of a key of the root.
        if self.dashes[:1] != [column] or self.columns[1:2] == [column]:
            for at in range(row, self.count):
                line = self.lines[at]
                indented = line[:column].strip(" ") == "" and line[column : column + 1] not in ("-", *_ENDS)
                if _is_marker(line) or (indented and _is_structural(line)):
                    self.column = -1 if _is_marker(line) else column
                    return at
        self.column = -1
        return self.count

    # ── values on a line ─────────────────────────────────────────────────────────────────────────

    def inline(self, row: int, start: int, indent: int, of_key: bool) -> tuple[Node, int]:
        """The scalar or flow collection at (row, start); `of_key`: its key stands on the same line."""
        sign = self.lines[row][start]
        if sign in "\"'":
            return self.quoted_value(row, start, indent, of_key)
        if sign in "[{":
            return self.flow(row, start, indent, of_key)
        if sign in "|>" and (header := pattern(_HEADER).match(self.lines[row], start)):
            return self.block(row, sign + header[1], indent)
        if sign in "&*!" and (bad := self.properties(row, start, _ALIAS)):
            raise bad
        return self.plain(row, start, indent, of_key)

    def properties(self, row: int, start: int, alias: str) -> _Bad | None:
        """The refusal of an anchor, an alias (by the pattern `alias`) or a tag at this place, if one stands there."""
        line = self.lines[row]
        what = ""
        if line[start] == "&" and pattern(_ANCHOR).match(line, start):
            what = "an anchor"
        elif line[start] == "*" and pattern(alias).match(line, start):
            what = "an alias"
        elif line[start] == "!" and line[start + 1 : start + 2] not in (*_ENDS, "="):
            what = "a tag"
        shown = line[start : start + 20].split(" ")[0]
        detail = f"YAML reads {shown!r} as {what}, which can't be used here"
        return self.bad(row, detail, final=True) if what else None

    def plain(self, row: int, start: int, indent: int, of_key: bool) -> tuple[Scalar, int]:
        """The plain text at (row, start) and the row behind it; `of_key`: it stands on the line of its key.

        YAML's plain texts may go on in deeper lines. Those it forbids, but that can only be meant as text, end with
        their line.
        """
        text, commented = self.without_comment(row, start)
        odd = _oddity(text, of_key)
        if not of_key and (_has_colon(text) or (odd and text[0] in "-?")):
            raise self.bad(row, "this is neither a 'key: value' line nor plain text")
        if odd:
            self.note(row, f"{odd}, but was read as plain text")
        after = self.skip(row + 1)
        if self.column <= indent:
            return Scalar(text, self.first + row, "plain"), after
        if odd or commented:
            why = f"which can't be continued: {odd}" if odd else "which ended at the comment"
            raise self.bad(after, f"this line would continue the text of line {self.first + row}, {why}")
        return self.continued(row, text, indent)

    def without_comment(self, row: int, start: int) -> tuple[str, bool]:
        """The rest of a line, less what stands behind ` #`, and whether there is such a comment."""
        text = self.lines[row][start:]
        ends = [end for end in (text.find(" #"), text.find("\t#")) if end >= 0]
        if ends:
            self.note(row, "the text after ' #' was read as a comment")
            text = text[: min(ends)]
        return text.rstrip(_BLANK), bool(ends)

    def continued(self, row: int, text: str, indent: int) -> tuple[Scalar, int]:
        """A plain text of several lines, folded."""
        pieces = [text]
        breaks, at, commented = 1, row + 1, False
        while at < self.count and not commented:
            line = self.lines[at]
            start = _past_blanks(line, 0)
            if start < len(line):
                if line[start] == "#" or len(line) - len(line.lstrip(" ")) <= indent or _is_marker(line):
                    break
                more, commented = self.without_comment(at, start)
                if _has_colon(more):
                    raise self.deeper_key(row, at, indent)
                pieces += (_fold(breaks), more)
                breaks = 0
            breaks += 1
            at += 1
        return Scalar("".join(pieces), self.first + row, "plain"), self.skip(at)

    def deeper_key(self, row: int, at: int, indent: int) -> _Bad:
        """What to say of a key below a plain text that it would be part of."""
        opened = self.first + row
        if indent < 0:
            advice = "Remove what is not YAML; begin with 'operations:'."
            return self.bad(row, f"this is not a 'key: value' line, though line {self.first + at} is", advice)
        deep = _spaces(_past_blanks(self.lines[at], 0))
        advice = f"Indent it by {_spaces(indent)} if it is a key; if it belongs to the text of line {opened}, "
        detail = f"a key is indented by {deep}, deeper than the key of line {opened}"
        return self.bad(at, detail, advice + "use '|-' there.")

    def as_text(self, row: int, start: int, indent: int, why: str) -> tuple[Scalar, int]:
        """The rest of the line as it stands."""
        text = self.lines[row][start:].rstrip(_BLANK)
        if " #" in text or "\t#" in text:
            raise self.bad(row, f"{why}, and ' #' may or may not begin a comment")
        after = self.skip(row + 1)
        if self.column > indent:
            raise self.bad(after, f"this line would continue the text of line {self.first + row}, but {why} there")
        self.note(row, f"{why}; the whole line was read as plain text")
        return Scalar(text, self.first + row, "plain"), after

    # ── quoted texts ─────────────────────────────────────────────────────────────────────────────

    def quoted_value(self, row: int, start: int, indent: int, of_key: bool) -> tuple[Scalar, int]:
        """The quoted text at (row, start) as the whole value; behind a key, the text of the line if more follows."""
        text, end = self.quoted(row, start, indent)
        at = self.row(end)
        if self.only_comment(at, end - self.starts[at]):
            return Scalar(text, self.first + row, "quoted"), self.skip(at + 1)
        if at > row or not of_key:
            raise self.bad(at, f"more text follows the closing quote (opened on line {self.first + row})")
        return self.as_text(row, start, indent, "more text follows the closing quote")

    def quoted(self, row: int, start: int, indent: int) -> tuple[str, int]:
        """The text of the quotes that open at (row, start), and the offset behind them."""
        begin = self.starts[row] + start
        whole, parts = _QUOTED[self.text[begin]]
        match = pattern(whole).match(self.text, begin)
        last = self.row(match.end()) if match else self.count - 1
        for at in range(row + 1, last + 1):
            # A forgotten quote must not swallow the keys below it, though some readers of YAML would let it.
            line = self.lines[at]
            if _is_marker(line) or (_past_blanks(line, 0) <= indent and _is_structural(line)):
                match, last = None, at - 1
                break
        if match is None:
            detail = f"the quote opened on line {self.first + row} is not closed"
            bad = self.bad(row, detail, f"Close it. {_QUOTE}")
            bad.reached = last + 1
            raise bad
        wrong: list[_Bad] = []
        text = pattern(parts).sub(lambda part: self.unescaped(part, begin + 1, wrong), match[0][1:-1])
        if wrong:
            wrong[0].resume = last + 1
            raise wrong[0]
        return text, match.end()

    def unescaped(self, part: re.Match[str], begin: int, wrong: list[_Bad]) -> str:
        """What a part of a quoted text that begins at an offset stands for: blanks, line ends, an escape."""
        text = part[0]
        if text == "''":
            return "'"
        if text[0] != "\\":
            return _fold(text.count("\n")) if "\n" in text else text
        if text[1] == "\n":
            return "\n" * (text.count("\n") - 1)
        if text[1] in _ESCAPES:
            return _ESCAPES[text[1]]
        if len(text) == 12:
            return chr(0x10000 + ((int(text[2:6], 16) - 0xD800) << 10) + int(text[8:], 16) - 0xDC00)
        if len(text) == 2 + _DIGITS.get(text[1], len(text)):
            code = int(text[2:], 16)
            if not 0xD800 <= code < 0xE000 and code < 0x110000:
                return chr(code)
        advice = f"Write '\\\\' for a backslash, or put the text under '|-', where {text} stays as it is."
        row = self.row(begin + part.start())
        wrong.append(self.bad(row, f"{text} is not an escape in a double-quoted text", advice))
        return ""

    # ── flow collections ─────────────────────────────────────────────────────────────────────────

    def flow(self, row: int, start: int, indent: int, of_key: bool) -> tuple[Node, int]:
        """A flow collection; or, behind a key, the text of the line where it is none and the document goes on below."""
        # Readings in vain may cost no more than the reading itself: past a limit, a collection must end on its line.
        self.reach = len(self.text) if self.wasted < _MOST_WASTED else self.starts[row + 1] - 1
        try:
            node, end = self.collection(self.starts[row] + start, len(self.columns) + 1)
            at = self.row(end)
            if self.only_comment(at, end - self.starts[at]):
                return node, self.skip(at + 1)
            raise self.bad(at, f"more text follows the bracket that closes the one on line {self.first + row}")
        except _Bad as bad:
            self.wasted += self.starts[min(bad.reached + 1, self.count)] - self.starts[row]
            bad.resume = row + 1  # whatever was swallowed is read again
            after = self.skip(row + 1)
            alone = self.column < 0 or (self.column <= indent and _is_structural(self.lines[after]))
            if bad.final or not of_key or not alone:
                raise
        return self.as_text(row, start, indent, "the brackets hold no YAML collection")

    def collection(self, at: int, depth: int) -> tuple[Node, int]:
        """The collection whose bracket opens at an offset, and the offset behind it."""
        opened = self.row(at)
        if depth > _DEEPEST:
            detail = f"collections are nested deeper than {_DEEPEST}"
            raise self.bad(opened, detail, f"{_QUOTE} Or nest less.", final=True)
        is_mapping = self.text[at] == "{"
        closer = "}" if is_mapping else "]"
        items: list[Node] = []
        pairs: dict[str, tuple[str, int, Node]] = {}
        end = self.gap(opened, at + 1)
        while self.text[end] != closer:
            row = self.row(end)
            line = self.first + row
            node, value, end = self.entry(opened, end, depth)
            if not isinstance(node, Scalar):
                if is_mapping:
                    raise self.bad(self.row(end), "a collection cannot be a key")
                items.append(node)
            elif is_mapping:
                if node.text in pairs:
                    detail = _twice(node.text, pairs[node.text][1], line)
                    advice = "Give each mapping each key once; begin a new '{' for a new item."
                    raise self.bad(row, detail, advice, final=True)
                pairs[node.text] = (node.text, line, value or Scalar("", line, "empty"))
            else:
                items.append(node if value is None else Mapping(((node.text, line, value),), line))
            end = self.separated(opened, end, closer)
        line = self.first + opened
        return (Mapping(tuple(pairs.values()), line) if is_mapping else Sequence(tuple(items), line)), end + 1

    def entry(self, opened: int, at: int, depth: int) -> tuple[Node, Node | None, int]:
        """A node, the value that stands behind it and a colon, if any, and the offset behind both."""
        node, end = self.flow_node(at, depth)
        colon = _end(_BLANKS, self.text, end, len(self.text))
        if self.text[colon : colon + 1] != ":" or self.row(at) != self.row(end):
            return node, None, end
        if not isinstance(node, Scalar):
            raise self.bad(self.row(end), "a collection cannot be a key")
        end = self.gap(opened, colon + 1)
        if self.text[end] in ",]}":
            return node, Scalar("", self.first + self.row(end), "empty"), end
        return node, *self.flow_node(end, depth)

    def flow_node(self, at: int, depth: int) -> tuple[Node, int]:
        """A collection or a scalar inside of a collection, and the offset behind it."""
        sign = self.text[at]
        if sign in "[{":
            return self.collection(at, depth + 1)
        row = self.row(at)
        if sign in "\"'":
            text, end = self.quoted(row, at - self.starts[row], -2)
            return Scalar(text, self.first + row, "quoted"), end
        if sign in _SPECIAL or sign == ":" or (sign in "-?" and self.text[at + 1 : at + 2] in (*_ENDS, "\n")):
            if sign == "?":
                raise self.bad(row, "a complex key ('? ') cannot be used here", "Write 'key: value'.")
            bad = self.properties(row, at - self.starts[row], _ALIAS_IN_FLOW)
            raise bad or self.bad(row, f"text in a collection can't begin with {sign!r}")
        return self.flow_plain(row, at)

    def flow_plain(self, row: int, at: int) -> tuple[Scalar, int]:
        """The plain text at an offset: up to a comma, a bracket, a colon or a comment, be it lines below."""
        line, text, stop = self.first + row, self.text, pattern(_FLOW_END)
        pieces: list[str] = []
        while True:
            line_end = self.starts[row + 1] - 1
            match = stop.search(text, at, line_end)
            end = match.start() if match else line_end
            pieces.append(text[at:end].rstrip(_BLANK))
            at = _end(r"[ \t\n]*+", text, end, self.reach)
            if match or at >= self.reach or text[at] == "#":
                break
            row = self.row(at)
            if stop.match(text, at, self.starts[row + 1] - 1) or _is_marker(self.lines[row]):
                break
            pieces.append(_fold(text.count("\n", end, at)))
        return Scalar("".join(pieces), line, "plain"), end

    def gap(self, opened: int, at: int) -> int:
        """The offset of the next sign that is neither blank nor in a comment."""
        end = _end(_GAP, self.text, at, self.reach)
        row = self.row(end)
        if end < self.reach and not (end == self.starts[row] > at and _is_marker(self.lines[row])):
            return end
        advice = f"Close it. If it is text: {_QUOTE[0].lower()}{_QUOTE[1:]}"
        bad = self.bad(opened, f"the bracket opened on line {self.first + opened} is not closed", advice)
        bad.reached = row
        raise bad

    def separated(self, opened: int, at: int, closer: str) -> int:
        """Behind an entry: the offset of the closing bracket or of the next entry."""
        at = self.gap(opened, at)
        sign = self.text[at]
        if sign == closer:
            return at
        if sign != ",":
            detail = (
                f"',' or {closer!r} is missing before {sign!r} (the bracket was opened on line {self.first + opened})"
            )
            advice = f"Separate entries with ',' and close with {closer!r}. If it is text, quote it."
            raise self.bad(self.row(at), detail, advice)
        return self.gap(opened, at + 1)

    # ── block texts ──────────────────────────────────────────────────────────────────────────────

    def block(self, row: int, header: str, indent: int) -> tuple[Scalar, int]:
        """The text below a header such as `|-` or `>2+`, whose parent's column is `indent`, and the row behind it."""
        indent = max(indent, 0)
        given = int(header.strip("|>+-") or 0)
        at = row + 1
        while at < self.count and not self.lines[at].strip(" "):
            at += 1
        line = self.lines[at] if at < self.count else ""
        width = indent + given if given else len(line) - len(line.lstrip(" "))
        if width > indent:
            body, after = self.indented(row, width, indent, given > 0)
        elif line.lstrip(" ")[:1] == "\t":
            body, after = self.tabbed(row, indent)
        else:
            self.check_flush(row, at)
            body, after = [""] * (min(at, self.count - 1) - row - 1), at
            body += [""] if body else []
        text = _finished("\n".join(body), header)
        return Scalar(text, self.first + row, "block"), self.skip(after)

    def indented(self, row: int, width: int, indent: int, given: bool) -> tuple[list[str], int]:
        """The lines of a text that is indented by `width`, by its header (`given`) or by its first line."""
        body, after = self.body(row + 1, width)
        above = takewhile(lambda line: not line.strip(_BLANK), body)
        if not given and any(line and not line.strip(" ") for line in above):
            self.note(row, "a blank line above the text has more spaces than the text's indentation")
        if after == self.count:
            return body, after
        line = self.lines[after]
        if len(line) - len(line.lstrip(" ")) > indent and (least := self.least(row, after, indent, given)):
            body, after = self.body(row + 1, least)
        elif given and not any(body):
            self.check_flush(row, after)
        return (body if after == self.count else [*body, ""]), after

    def body(self, row: int, width: int) -> tuple[list[str], int]:
        """The lines that are blank or indented by `width`, without that; and the row behind them."""
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

    def least(self, row: int, after: int, indent: int, given: bool) -> int:
        """The least indentation of a text whose lines from `after` on are shallower than its first, yet within the key.

        0 where nothing but comments follows there: they are comments.
        """
        least, only_comments = 0, True
        for at in range(after, self.count):
            line = self.lines[at]
            text = line.lstrip(" ")
            if text:
                deep = len(line) - len(text)
                if deep <= indent:
                    break
                least = min(least or deep, deep)
                only_comments = only_comments and text[0] == "#"
        if only_comments:
            self.note(after, "a line that is indented less than the text above it was read as a comment")
            return 0
        if given:
            advice = "Indent every line of the text by at least that, or leave the digit out."
            raise self.bad(after, f"the header on line {self.first + row} states a deeper indentation", advice)
        self.note(
            row, "the first line of the text is indented deeper than later ones; the smallest indentation was removed"
        )
        return least

    def tabbed(self, row: int, indent: int) -> tuple[list[str], int]:
        """Lines indented by tabs where spaces were due: taken if all of them are, less what they have in common."""
        body: list[str] = []
        common: str | None = None
        after = row + 1
        while after < self.count:
            line = self.lines[after]
            start = _past_blanks(line, 0)
            if start < len(line):
                deep = len(line) - len(line.lstrip(" "))
                if deep <= indent and "\t" not in line[:start]:
                    break
                common = line[:start] if common is None else _shared(common, line[:start])
                if deep > indent or not common:
                    detail = "the indentation of the text mixes tabs and spaces"
                    raise self.bad(after, detail, "Use spaces only.")
            body.append(line if start < len(line) else "")
            after += 1
        self.note(row, "the text is indented with tabs; the indentation common to all lines was removed")
        body = [line[len(common or "") :] for line in body]
        return (body if after == self.count else [*body, ""]), after

    def check_flush(self, row: int, at: int) -> None:
        """Refuse an empty block text where the next line seems to be its text, without the indentation."""
        text = self.lines[at].lstrip(_BLANK) if at < self.count else ""
        if text and text[0] not in "\"'" and not _is_structural(self.lines[at]) and not pattern(_WORD).match(text):
            detail = (
                f"this line is not indented deeper than the key on line {self.first + row}, whose text it belongs to"
            )
            raise self.bad(at, detail, 'Indent the text deeper than its key; for an empty text write "".')


# ── lines and texts ──────────────────────────────────────────────────────────────────────────────


def _end(source: str, text: str, at: int, stop: int) -> int:
    """Where the match of a pattern that always matches ends."""
    match = pattern(source).match(text, at, stop)
    return match.end() if match else at


def _is_marker(line: str) -> bool:
    """Whether the line begins or ends a document."""
    return line[:3] in ("---", "...") and line[3:4] in _ENDS


def _is_dash(line: str, column: int) -> bool:
    """Whether a sequence's item begins at this column."""
    return line[column : column + 1] == "-" and line[column + 1 : column + 2] in _ENDS


def _is_structural(line: str) -> bool:
    """Whether a line has the shape of an item, a key with an everyday name, or a document's border."""
    return pattern(_STRUCTURE).match(line) is not None


def _past_blanks(line: str, start: int) -> int:
    """The column of the next sign that is no blank."""
    return len(line) - len(line[start:].lstrip(_BLANK))


def _shared(one: str, other: str) -> str:
    """What both begin with."""
    return "".join(a for a, b in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))


def _oddity(text: str, of_key: bool) -> str:
    """Why YAML forbids a plain text, or nothing."""
    lead = text[:1]
    if lead in _SPECIAL or (lead in "-?:" and text[1:2] in _ENDS):
        return f"the text begins with {lead!r}"
    if of_key and _has_colon(text):
        return "the text contains ': '" if pattern(_COLON).search(text, 0, len(text) - 1) else "the text ends in ':'"
    return ""


def _has_colon(text: str) -> bool:
    """Whether a plain text would be a key, or hold one."""
    return ":" in text and (text[-1] == ":" or ": " in text or ":\t" in text)


def _fold(breaks: int) -> str:
    """What line ends within a folded text become."""
    return " " if breaks == 1 else "\n" * (breaks - 1)


def _finished(text: str, header: str) -> str:
    """A block text, folded where its header says `>`, with the line ends at its end that the header keeps."""
    core = text.rstrip("\n")
    ends = text[len(core) :]
    if header[0] == ">":
        core = _folded(core)
    return core + (ends if "+" in header else "" if "-" in header or not core else ends[:1])


def _folded(core: str) -> str:
    """Single line ends between lines that begin at the indentation become spaces."""
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


def _twice(key: str, before: int, line: int) -> str:
    return f"the key {key!r} of line {before} appears again on line {line}"


def _spaces(count: int) -> str:
    """A number of spaces, in words."""
    return "1 space" if count == 1 else f"{count or 'no'} spaces"
