"""The values that flow from an answer to a receipt, in that order. Immutable and pure."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from .diff import changed_rows
from .hints import BlockFate, ProblemKind, ProposalRule
from .problems import Problem
from .text import Splice, Text, decode, encode

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence


class Note(NamedTuple):
    """Something worth knowing that is not a problem: a leniency that was used, a warning.

    `line` is one of the file as it will be. `kind` is set where a program may want to distinguish it from others.
    """

    text: str
    path: str = ""
    patch_line: int = 0
    line: int = 0
    kind: str = ""


# ── what a patch says ────────────────────────────────────────────────────────────────────────────


class MatchPolicy(NamedTuple):
    """How a format's edits are placed and written: its row of the policy table. `docs/leniencies.md` explains each.

    levels: the leniencies it allows, in the order they are tried (`match/ladder.py`).
    readings: how old text without a place may have been spoilt in copying (`match/readings.py`).
    indents: how new lines are indented. "mapped": as the matched lines map the patch's indentation to the file's;
        "marker": by the indentation of the first matched line; "as-is": not at all.
    replaces_range: all lines from the first matched one to the last are replaced, skipped comments and blank lines
        too; otherwise an edit changes line by line.
    headers_bind: a place that a header contradicts isn't one; otherwise a header only chooses between places.
    own_line_ends: a replaced line keeps its line ending; otherwise new text takes the one that most lines have.
    language: the language that the patch names, for files whose suffix doesn't tell. With it, comments may be
        skipped on both sides, and a place inside a comment isn't one.
    equal_results: places that give the same text count as one.
    no_op: if the file already has the result, nothing is done, and a note says so.
    names_decide: a symbol that the answer names next to the edit chooses between equal places.
    """

    levels: tuple[str, ...]
    readings: tuple[str, ...] = ()
    indents: str = "as-is"
    replaces_range: bool = False
    headers_bind: bool = False
    own_line_ends: bool = False
    language: str = ""
    equal_results: bool = False
    no_op: bool = False
    names_decide: bool = False


# For whatever has no rules of its own: unified diffs, SEARCH/REPLACE, tool calls.
TOLERANT = MatchPolicy(
    ("exact", "trailing space", "indentation", "punctuation", "blank lines", "comments"),
    readings=("signs", "space", "line numbers", "escapes"),
    indents="mapped",
    own_line_ends=True,
    equal_results=True,
    no_op=True,
    names_decide=True,
)
# For formats that name places, not text: symbols, lines and columns.
BY_POSITION = MatchPolicy(("trailing space",))


class Claims(NamedTuple):
    """The claims of a patch about a place, each optional.

    `line`..`last` (1-based, inclusive): with old lines a hint, without them the place itself;
    `last == line - 1` is the gap above `line`. `before` and `after` are neighbours that must be there.
    `headers`: header lines, outermost first.
    `final_newline`: "removed" or "added" by the change; "" if it stays as it is.
    `hashes`: what lines must hash to where they are named by number; line 0 is the file.
    """

    line: int = 0
    last: int = 0
    headers: tuple[str, ...] = ()
    at_start: bool = False
    at_end: bool = False
    before: tuple[str, ...] = ()
    after: tuple[str, ...] = ()
    symbol: str = ""
    block: str = ""
    final_newline: str = ""
    hashes: tuple[tuple[int, str], ...] = ()


NO_CLAIMS = Claims()


class Hunk(NamedTuple):
    """One change: the old text becomes the new text.

    Both are whole lines, each with its newline, "" for none; if `inline`, any characters.
    `signed`: the same lines, each after its sign (" ", "-", "+"), if the format has signs.
    `times`: how many places must hold the old text of an inline hunk; 0 changes all of them, one or more.
    `within`: the lines, first and last, that must hold all its places.
    `doubts`: what was odd in the patch; reported in place of "not found" if the hunk has no place.
    """

    old: str
    new: str
    policy: MatchPolicy
    claims: Claims = NO_CLAIMS
    patch_line: int = 0
    signed: tuple[str, ...] = ()
    inline: bool = False
    times: int = 1
    within: tuple[int, int] | None = None
    doubts: tuple[Problem, ...] = ()

    @property
    def lines(self) -> tuple[tuple[str, str], ...]:
        """The lines with their signs; without signs, all old lines are removed and all new ones added."""
        if self.signed:
            return tuple([(line[0], line[1:]) for line in self.signed])
        return tuple([("-", line) for line in split_lines(self.old)] + [("+", line) for line in split_lines(self.new)])

    @property
    def old_lines(self) -> list[str]:
        """The lines that must be in the file."""
        return split_lines(self.old)

    @property
    def new_lines(self) -> list[str]:
        """The lines that take their place."""
        return split_lines(self.new)


def split_lines(text: str) -> list[str]:
    """Split text in whole lines into a list of them."""
    return text.removesuffix("\n").split("\n") if text else []


def join_lines(lines: Iterable[str]) -> str:
    """Join lines to a text, each with its newline."""
    return "".join([line + "\n" for line in lines])


def signed_hunk(
    lines: Iterable[tuple[str, str]], policy: MatchPolicy, claims: Claims = NO_CLAIMS, patch_line: int = 0
) -> Hunk:
    """Return the hunk of lines with signs."""
    signed = tuple([sign + text for sign, text in lines])
    old = join_lines([line[1:] for line in signed if line[0] != "+"])
    return Hunk(old, join_lines([line[1:] for line in signed if line[0] != "-"]), policy, claims, patch_line, signed)


class Merge(NamedTuple):
    """A file shown in part: lines of its new text, with a mark ("… existing code …") for what stays between them.

    `marks`: the rows of the marks. Without one in the first or the last row, the file begins or ends as shown.
    `first`: the line of the patch with the first row; 0 if one line of the patch holds all rows. The only body of its
    Edit.
    """

    shown: tuple[str, ...]
    marks: tuple[int, ...] = ()
    patch_line: int = 0
    first: int = 0
    policy: MatchPolicy = TOLERANT

    @property
    def parts(self) -> list[tuple[int, int]]:
        """The rows of each part between two marks, blank parts left out."""
        edges = pairwise((-1, *self.marks, len(self.shown)))
        return [(row + 1, end) for row, end in edges if any(map(str.strip, self.shown[row + 1 : end]))]

    @property
    def lines(self) -> tuple[tuple[str, str], ...]:
        """All lines it shows, as new ones: only the file tells which of them it has."""
        return tuple(("+", line) for start, end in self.parts for line in self.shown[start:end])

    @property
    def claims(self) -> Claims:
        """No claims besides the text."""
        return Claims()

    def line_of(self, row: int) -> int:
        """Return the line of the patch that has a row."""
        return self.first + row if self.first else self.patch_line


class Chunk(NamedTuple):
    """One change inside a symbol: the lines right before it, the old and the new lines, the lines right after it.

    An empty `before` or `after` is the edge of the symbol; None is its edge or a blank line.
    """

    before: tuple[str, ...] | None
    old: tuple[str, ...]
    new: tuple[str, ...]
    after: tuple[str, ...] | None
    patch_line: int = 0


class SymbolEdit(NamedTuple):
    """An edit of one symbol, identified by its name path or by the position of its name (line, column; from 0, UTF-16).

    `action`: "chunks" inside it, or of the whole: "replace", "insert_before", "insert_after", "delete", "rename", with
    `text` as the new lines or name; of a notebook's cell "replace", "delete", "insert_code" or "insert_markdown".
    `lead`: the comments right above belong to it. `hash`: what its text must hash to.
    The name path "/" is the whole file.
    """

    symbol: str
    at: tuple[int, int] | None
    action: str = "chunks"
    chunks: tuple[Chunk, ...] = ()
    text: tuple[str, ...] = ()
    lead: bool = False
    hash: str = ""
    patch_line: int = 0
    policy: MatchPolicy = BY_POSITION

    @property
    def is_whole_file(self) -> bool:
        """True if it replaces all contents of a file."""
        return self.symbol == "/" and self.action == "replace"

    @property
    def lines(self) -> tuple[tuple[str, str], ...]:
        """The lines of all chunks with signs."""
        tagged = [("+", line) for line in self.text]
        for chunk in self.chunks:
            tagged += [(" ", line) for line in chunk.before or ()] + [("-", line) for line in chunk.old]
            tagged += [("+", line) for line in chunk.new] + [(" ", line) for line in chunk.after or ()]
        return tuple(tagged)

    @property
    def claims(self) -> Claims:
        """The symbol, which is the only claim besides the text."""
        return Claims(symbol=self.symbol)


UNITS = ("utf-16", "utf-8", "utf-32")


class Span(NamedTuple):
    """The text from one place (line and column, from 0) to just before another becomes `text`."""

    start: tuple[int, int]
    end: tuple[int, int]
    text: str


class Spans(NamedTuple):
    """All changes by line and column in one file, in the text as it was. The only body of its Edit.

    `unit`: the unit of columns. `hash`: what the file must hash to, "" for anything.
    """

    spans: tuple[Span, ...]
    unit: str = "utf-16"
    hash: str = ""
    patch_line: int = 0
    policy: MatchPolicy = BY_POSITION

    @property
    def lines(self) -> tuple[tuple[str, str], ...]:
        """The new lines, with signs."""
        return tuple(("+", line) for span in self.spans if span.text for line in span.text.split("\n"))

    @property
    def claims(self) -> Claims:
        """The lines that the spans touch."""
        first = min((span.start[0] for span in self.spans), default=0)
        return Claims(line=first + 1, last=max((span.end[0] for span in self.spans), default=0) + 1)


EditBody = Hunk | Merge | SymbolEdit | Spans


class Edit(NamedTuple):
    """Change a file. The hunks of one Edit are placed together, in file order, in one text.

    `mode`: the new permissions; 0 keeps the old ones. `whole`: the hunk, or file, that the hunks were cut out of at
    marks for left-out code; if the file has that text, or doesn't exist yet, the marks are text.
    `other_path`: another name that the patch gives the file, used if `path` doesn't exist.
    """

    path: str
    hunks: tuple[EditBody, ...]
    patch_line: int = 0
    label: str = "edit"
    mode: int = 0
    whole: Hunk | Write | None = None
    other_path: str = ""


class Write(NamedTuple):
    """Create a file, or replace its contents if `overwrite` allows it.

    `mode`: its permissions; 0 keeps the old ones, or gives a new file the usual ones. `keep_line_endings`: the format
    can't express BOM, line endings and the final newline, so an existing file keeps its own. `skip_if_exists`: an
    existing file stays as it is. `must_be_new`: not even an empty file may exist. `may_append`: the text may be an
    addition to the file. `proposed`: it comes from a sketch.
    """

    path: str
    text: str
    overwrite: bool = False
    patch_line: int = 0
    label: str = "create"
    mode: int = 0
    keep_line_endings: bool = False
    skip_if_exists: bool = False
    must_be_new: bool = False
    may_append: bool = False
    proposed: bool = False


class Delete(NamedTuple):
    """Remove a file. `old`: lines that it must contain, in this order; with `whole` it must contain no others.

    `no_file`: the kind of problem if the path is a folder. `skip_if_missing`: a missing file isn't a problem.
    `no_final_newline`: the last of `old` has no newline. `mode`: as the patch gives it, 0 if it doesn't.
    """

    path: str
    patch_line: int = 0
    label: str = "delete"
    old: tuple[str, ...] = ()
    no_file: ProblemKind = "file_missing"
    skip_if_missing: bool = False
    whole: bool = False
    no_final_newline: bool = False
    mode: int = 0


class Move(NamedTuple):
    """Rename a file, or copy it if `is_copy`."""

    path: str
    to: str
    overwrite: bool = False
    patch_line: int = 0
    label: str = "move"
    is_copy: bool = False


Op = Edit | Write | Delete | Move


def paths_of(op: Op) -> tuple[str, ...]:
    """Return the paths that an operation names."""
    more = op.to if isinstance(op, Move) else op.other_path if isinstance(op, Edit) else ""
    return (op.path, more) if more else (op.path,)


def with_paths(op: Op, name: Callable[[str], str]) -> Op:
    """Return the operation with its paths renamed."""
    if isinstance(op, Move):
        return op._replace(path=name(op.path), to=name(op.to))
    if isinstance(op, Edit) and op.other_path:
        return op._replace(path=name(op.path), other_path=name(op.other_path))
    return op._replace(path=name(op.path))


class Sketch(NamedTuple):
    """A fence of code without any mark that says what it changes.

    `block`: its number among the blocks of the answer. `line`: where it opens. `info`: the text after the backticks.
    `above`: the lines of text between the block before it and this one. `previous`: the path of the block before it,
    if that is a stated edit. `closed`: False if the answer ends inside. `path`: the file that a person chose for it.
    """

    block: int
    line: int
    info: str
    body: tuple[str, ...]
    above: tuple[str, ...]
    previous: str = ""
    closed: bool = True
    path: str = ""


class Block(NamedTuple):
    """A block of an answer: its lines, how it was read, what became of it and why.

    `read_as` is the name of a format, "sketch", "thinking" or, for a block without any known edit, "JSON", "element"
    or "fence". `became` is "applied", "proposed", "refused" or "unused"; "" before it is planned.
    """

    first: int
    last: int
    read_as: str
    became: BlockFate = ""
    reason: str = ""
    path: str = ""


class Proposal(NamedTuple):
    """A change that a sketch would make, by one of the rules in `propose/`.

    `before` has the lines of the file as the stated edits and the proposals above leave it, None if there is no file;
    `after` has them as changed. `quote`: the block that quotes the old lines (rule `lines`). `names`: symbols that it
    drops (`file`), or keeps although it doesn't show them (`symbol`). `unplaced`: lines of the sketch without a place.
    `alternatives`: blocks that change the same lines differently; none is chosen. `written`: the path as the answer has
    it, if that is only the end of `path`.
    """

    rule: ProposalRule
    path: str
    before: tuple[str, ...] | None
    after: tuple[str, ...]
    block: int
    quote: int = -1
    names: tuple[str, ...] = ()
    unplaced: tuple[str, ...] = ()
    alternatives: tuple[int, ...] = ()
    written: str = ""


class Unused(NamedTuple):
    """A sketch that changes nothing, and the reason as a sentence."""

    block: int
    reason: str
    path: str = ""


class Patch(NamedTuple):
    """An answer as it was read. Reading never raises: the parts that can't be read are among the problems.

    `exact`: paths are never taken as the end of longer ones. `literal`: a program wrote it, so a new line such as
    `# ... existing code ...` isn't a mark for left-out code. `file`: the path that the caller gave for edits without
    one. `sketches`: fences without marks; the tree tells what they change. `blocks`: all blocks of the answer.
    """

    format: str
    ops: tuple[Op, ...] = ()
    description: str = ""
    problems: tuple[Problem, ...] = ()
    notes: tuple[Note, ...] = ()
    exact: bool = False
    literal: bool = False
    file: str = ""
    sketches: tuple[Sketch, ...] = ()
    blocks: tuple[Block, ...] = ()


# ── what will happen ─────────────────────────────────────────────────────────────────────────────


LINK = 0o120000  # of a file's mode: it is a symbolic link


class File:
    """The contents and permissions of a file. A symbolic link has `LINK` in its mode, and its target as contents.

    Contents are kept as they were given, bytes or text, and converted to the other on demand.
    """

    __slots__ = ("_data", "_text", "mode")

    def __init__(self, data: bytes, mode: int = 0o644) -> None:
        self._data: bytes | None = data
        self._text: str | None = None
        self.mode = mode

    @classmethod
    def of_text(cls, text: str, mode: int = 0o644) -> File:
        """Return a file with these contents; bytes that aren't UTF-8 are lone surrogates in the text."""
        file = cls.__new__(cls)
        file._data, file._text, file.mode = None, text, mode
        return file

    @property
    def data(self) -> bytes:
        """The contents as bytes."""
        if self._data is None:
            assert self._text is not None
            self._data = encode(self._text)
        return self._data

    @property
    def text(self) -> str:
        """The contents as text."""
        if self._text is None:
            assert self._data is not None
            self._text = decode(self._data)
        return self._text

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, File):
            return NotImplemented
        if self._text is not None and other._text is not None:
            return self.mode == other.mode and self._text == other._text
        return self.mode == other.mode and self.data == other.data

    def __hash__(self) -> int:
        return hash((self.data, self.mode))

    def __repr__(self) -> str:
        return f"File({self.data!r}, {self.mode:#o})"

    @property
    def is_link(self) -> bool:
        """True for a symbolic link itself."""
        return self.mode & LINK == LINK


class LineSplice(NamedTuple):
    """Rows `start` to `end` (half open) of the old text become `lines`; `how` names the level that matched."""

    start: int
    end: int
    lines: tuple[str, ...]
    how: str


class FileChange(NamedTuple):
    """One path before and after a change; None is a missing file."""

    path: str
    before: File | None
    after: File | None

    def inverse(self) -> FileChange:
        """Return the change that undoes this one."""
        return FileChange(self.path, self.after, self.before)


class AppliedSplices(NamedTuple):
    """Splices of a text, and how their place was found: by a level of `match/ladder.py`, "symbol", "line number" …"""

    text: Text
    splices: Sequence[Splice]
    how: str


class Outcome(NamedTuple):
    """The result of one operation; `number` counts from 1. `rest`: the part of it that is left, if done in part."""

    number: int
    op: Op
    path: str
    applied: tuple[AppliedSplices, ...] = ()
    problems: tuple[Problem, ...] = ()
    notes: tuple[Note, ...] = ()
    rest: Op | None = None

    @property
    def splices(self) -> tuple[LineSplice, ...]:
        """The changed lines, each range in the text of its round."""
        return tuple(
            LineSplice(start, end, tuple(lines), applied.how)
            for applied in self.applied
            for start, end, lines in changed_rows(applied.text, applied.splices)
        )


class Plan(NamedTuple):
    """Everything that is known before the first byte is written: changes, outcomes, what became of sketches."""

    patch: Patch
    changes: tuple[FileChange, ...] = ()
    outcomes: tuple[Outcome, ...] = ()
    sketched: tuple[Proposal | Unused, ...] = ()

    @property
    def problems(self) -> tuple[Problem, ...]:
        """All problems: those of reading, then those of planning, each in the order of the patch."""
        return self.patch.problems + tuple([p for outcome in self.outcomes for p in outcome.problems])


class Receipt(NamedTuple):
    """The record of a change that undo needs. `time`: seconds since the epoch.

    `partial`: only part of its patch was applied. `undoable`: False if no key could be stored to sign the journal with.
    `session`, `turn`: the agent's session, and the turn in it, that asked for the change; "" if nobody said. `undoes`:
    the ids of the receipts that it undoes, if it is itself the undo of several changes.
    """

    id: str
    changes: tuple[FileChange, ...]
    time: float = 0.0
    format: str = ""
    description: str = ""
    undone: bool = False
    partial: bool = False
    undoable: bool = True
    session: str = ""
    turn: str = ""
    undoes: tuple[str, ...] = ()
