"""The values that flow, in the order of the flow. Immutable, without behaviour beyond themselves; touches nothing."""

from __future__ import annotations

from _operator import itemgetter
from itertools import pairwise

from .problems import Problem
from .record import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Literal

    from .hints import ProblemKind

    # What a text below a path is there for, as far as the answer tells: see `Write`.
    Meant = Literal["", "new", "there", "part", "maybe", "end", "quote", "aside"]

_TAG = itemgetter(0)


class Note(NamedTuple):
    """Something worth knowing that is not a problem: a leniency that was used, a warning.

    `line`: of the file as it will be. `kind`: set only where a program may want to tell it from others.
    """

    text: str
    path: str = ""
    patch_line: int = 0
    line: int = 0
    kind: str = ""


# ── what a patch says ────────────────────────────────────────────────────────────────────────────


class MatchPolicy(NamedTuple):
    """How a format's edits are matched and written; what its own rules say, each under a name.

    levels: the ways in which lines may be called equal (`match/levels.py`), in the order they are tried.
    maps_indentation: new lines are indented as the matched lines show; `aligns_to_marker`: from the first matched line
    on; neither: they stand as the patch has them.
    replaces_whole_range: all from the first matched line to the last goes, with the comments and blank lines that were
    passed over; else an edit changes line by line.
    keeps_own_line_ends: a line keeps its line end when it is replaced; else new text takes the file's.
    ignores_comments: they may be passed over to find a place. `language`: what the patch says the file is written in,
    second to the file's suffix; then a place in a comment is none, and a comment may not be torn.
    takes_equal_results: places that give the same text count as one place.
    compares_texts: old and new are two texts; what both have is kept because they were compared, not because the patch
    says so.
    may_lose_signs: context may stand in the patch without the blank that marks it.
    forgives_copying: text may have line numbers in front, be escaped once too often, stand between blank lines, or
    leave out a line or two of the context around what it replaces.
    guards_reapply: where the result stands already, nothing is done. `doubts_lookalikes`: also where the old text has a
    place, but a looser one.
    prefers_code: of several places those inside multi-line strings don't count.
    takes_claims: what the answer says besides tells the place: symbols that its words name, equal edits for equal
    places, old lines that stand in one other file than a path that isn't there.
    drops_echoes: comments at the edges of the new text that only repeat those around the place are left out.
    """

    levels: tuple[str, ...]
    maps_indentation: bool = False
    aligns_to_marker: bool = False
    replaces_whole_range: bool = False
    keeps_own_line_ends: bool = False
    ignores_comments: bool = False
    language: str = ""
    takes_equal_results: bool = False
    compares_texts: bool = False
    may_lose_signs: bool = False
    forgives_copying: bool = False
    guards_reapply: bool = False
    doubts_lookalikes: bool = False
    prefers_code: bool = False
    drops_echoes: bool = False
    takes_claims: bool = False


# For hunks of tagged lines: unified diffs, Begin Patch, and whatever else has no rules of its own for matching.
TOLERANT = MatchPolicy(
    ("exact", "trailing space", "indentation", "punctuation", "inner space", "blank lines", "comments"),
    maps_indentation=True,
    keeps_own_line_ends=True,
    ignores_comments=True,
    takes_equal_results=True,
    may_lose_signs=True,
    forgives_copying=True,
    guards_reapply=True,
    doubts_lookalikes=True,
    takes_claims=True,
)
# For formats that give an old text and a new one.
TEXT_FOR_TEXT = TOLERANT._replace(compares_texts=True, may_lose_signs=False)
# For a whole text that differs from the file's in how its lines are written.
AS_COPIED = MatchPolicy(TOLERANT.levels[:5], maps_indentation=True, keeps_own_line_ends=True)
# For formats that name places, not text: symbols, lines and columns.
BY_POSITION = MatchPolicy(("trailing space",))


class Words(NamedTuple):
    """Symbols that some words of an answer name as the place of a change, `total` or `Cart.total`.

    `others`: those that they only mention. `sole`: they count only where they name one function or one type.
    """

    names: tuple[str, ...]
    others: tuple[str, ...] = ()
    sole: bool = False


class Where(NamedTuple):
    """What the patch claims about the place; every claim optional.

    `line`..`last` (1-based, inclusive): with old lines a hint, without them the place itself;
    `last == line - 1` is the gap above `line`. `before` and `after` are neighbours that must stand there.
    `final`: "lost" the file ends without a line end afterwards, "made" with one, "" as before.
    `heading`: a line somewhere above, as git writes it behind the numbers of a hunk; binds more than a number, no more.
    `hashes`: what lines must hash to where they are named by number; line 0 is the file.
    `blank_below`: so many lines below the place are blank, or the file ends there.
    `tied`: the lines named by number are those meant only if the first and the last new line show it.
    `advisory`: what it stands `under` may be a remark, no line of the file.
    `named`: what the answer's words name, the nearest words first; that chooses between places, no more.
    """

    line: int = 0
    last: int = 0
    under: tuple[str, ...] = ()
    at_start: bool = False
    at_end: bool = False
    before: tuple[str, ...] = ()
    after: tuple[str, ...] = ()
    symbol: str = ""
    block: str = ""
    final: str = ""
    heading: str = ""
    blank_below: int = 0
    advisory: bool = False
    named: tuple[Words, ...] = ()
    tied: bool = False
    hashes: tuple[tuple[int, str], ...] = ()


class Hunk(NamedTuple):
    """Tagged lines (" " kept, "-" removed, "+" added), where they claim to be, and by which policy they are matched.

    `doubts`: what was odd in the patch; reported in place of "not found" where the hunk has no place.
    `copied`: what was undone of the way its text was copied, in words.
    `rival`: the old lines as they would be if the patch were divided otherwise; both in the file is one too many.
    `counted`: how many of its lines its header counts, where only context follows: enough where all have no place.
    `skipped`: rows of the file that its context leaves out, as far as they were put in.
    """

    lines: tuple[tuple[str, str], ...]
    where: Where
    policy: MatchPolicy
    patch_line: int = 0
    doubts: tuple[Problem, ...] = ()
    copied: str = ""
    rival: tuple[str, ...] = ()
    counted: int = 0
    skipped: tuple[int, ...] = ()

    @property
    def old(self) -> tuple[str, ...]:
        """The lines that must be in the file."""
        return tuple([text for tag, text in self.lines if tag != "+"])

    @property
    def new(self) -> tuple[str, ...]:
        """The lines that will be there afterwards."""
        return tuple([text for tag, text in self.lines if tag != "-"])

    @property
    def tags(self) -> str:
        """The tag of each line, one sign behind the other."""
        return "".join(map(_TAG, self.lines))

    @property
    def changed(self) -> tuple[int, int]:
        """The first of the old lines that a change touches, and the one behind the last."""
        tags = self.tags
        first, kept = len(tags) - len(tags.lstrip(" ")), len(tags.rstrip(" "))
        return (first, kept - tags.count("+")) if kept else (0, 0)


class Swap(NamedTuple):
    """Text for text, not bound to whole lines. `times`: in how many places `old` must stand; 0: in one or more, all.

    Where `old` isn't in the file to the letter and one place is asked for, it is read as a hunk of whole lines.
    `whole_words`: `old` isn't cut out of a longer word. `within`: the lines, first and last,
    among which all its places must be.
    """

    old: str
    new: str
    policy: MatchPolicy
    times: int = 1
    patch_line: int = 0
    whole_words: bool = False
    within: tuple[int, int] | None = None

    @property
    def lines(self) -> tuple[tuple[str, str], ...]:
        """The same as tagged lines."""
        old, new = (text.removesuffix("\n").split("\n") if text else [] for text in (self.old, self.new))
        return tuple([("-", line) for line in old] + [("+", line) for line in new])

    @property
    def where(self) -> Where:
        """No claim but the text itself."""
        return Where()


class Told(NamedTuple):
    """What the words around a text say of it, which shows a part of a file.

    `lines`: the first and last of those that it replaces; `is_new`: it is to be added; `to_file`: wherever in the file.
    `holder`: the class that it belongs to; `after`, `before`: the function or class that it goes next to.
    """

    lines: tuple[int, int] = (0, 0)
    is_new: bool = False
    to_file: bool = False
    holder: str = ""
    after: str = ""
    before: str = ""


class Merge(NamedTuple):
    """A file shown in part: lines of its new text, with a mark ("… existing code …") for what stays between them.

    `marks`: the rows of the marks. A file without one at its beginning, or its end, begins or ends as shown.
    `first`: the patch's line of the first row; 0 where all stand in one. `is_part`: the words around it say so.
    Stands alone in its Edit.
    """

    shown: tuple[str, ...]
    marks: tuple[int, ...] = ()
    patch_line: int = 0
    first: int = 0
    is_part: bool = False
    told: Told = Told()
    policy: MatchPolicy = TOLERANT

    @property
    def parts(self) -> list[tuple[int, int]]:
        """The rows of each part between two marks; none for one without any text."""
        edges = pairwise((-1, *self.marks, len(self.shown)))
        return [(row + 1, end) for row, end in edges if any(map(str.strip, self.shown[row + 1 : end]))]

    @property
    def lines(self) -> tuple[tuple[str, str], ...]:
        """Everything that it shows, as new lines: only the file tells which of them stand there."""
        return tuple(("+", line) for start, end in self.parts for line in self.shown[start:end])

    @property
    def where(self) -> Where:
        """No claim but the text itself."""
        return Where()

    def line_of(self, row: int) -> int:
        """The patch's line of a row."""
        return self.first + row if self.first else self.patch_line


class Chunk(NamedTuple):
    """One change inside a symbol: what stands right before, the lines that go and come, what stands right after.

    An empty `before` or `after` is the edge of the symbol; None is its edge or a blank line.
    """

    before: tuple[str, ...] | None
    old: tuple[str, ...]
    new: tuple[str, ...]
    after: tuple[str, ...] | None
    patch_line: int = 0


class Inside(NamedTuple):
    """An edit of one symbol, told by its name path or by the place (line, column; from 0, UTF-16) of its identifier.

    `deed`: "chunks" inside it, or of the whole: "replace", "insert_before", "insert_after", "delete", "rename", with
    `text` as the new lines or name; of a notebook's cell "replace", "delete", "insert_code" or "insert_markdown".
    `lead`: the comments right above go with it. `hash`: what its text must hash to.
    The name path "/" is the whole file.
    """

    symbol: str
    at: tuple[int, int] | None
    deed: str = "chunks"
    chunks: tuple[Chunk, ...] = ()
    text: tuple[str, ...] = ()
    lead: bool = False
    hash: str = ""
    patch_line: int = 0
    policy: MatchPolicy = BY_POSITION

    @property
    def is_whole_file(self) -> bool:
        """Whether it puts other contents in the place of all of a file's."""
        return self.symbol == "/" and self.deed == "replace"

    @property
    def lines(self) -> tuple[tuple[str, str], ...]:
        """The same as tagged lines, one chunk after the other."""
        tagged = [("+", line) for line in self.text]
        for chunk in self.chunks:
            tagged += [(" ", line) for line in chunk.before or ()] + [("-", line) for line in chunk.old]
            tagged += [("+", line) for line in chunk.new] + [(" ", line) for line in chunk.after or ()]
        return tuple(tagged)

    @property
    def where(self) -> Where:
        """The symbol is all that is claimed beside the text."""
        return Where(symbol=self.symbol)


class Edit(NamedTuple):
    """Change a file. The hunks of one Edit are placed together, in file order, against one text. `mode`: 0 stays.

    `whole`: what the hunks were cut out of, at marks for code left out. Where the hunk stands in the file as it is, or
    the file isn't there and is to be written, the marks are text. `other`: another name that the patch gives the file;
    it is meant where `path` isn't there. `again`: how often the patch says the same once more, word for word.
    """

    path: str
    hunks: tuple[Said, ...]
    patch_line: int = 0
    label: str = "edit"
    mode: int = 0
    whole: Hunk | Write | None = None
    other: str = ""
    again: int = 0


class Write(NamedTuple):
    """Make a file, or put new contents in its place where `overwrite` allows it. `mode`: 0 is the usual or the old one.

    `keep`: the format can't speak of BOM, line ends and the final line end; those of a file that is there stay.
    `spare`: a file that is there stays as it is. `adds`: the text may also be meant to be added to it.
    `absent`: the file must not be there, not even empty. `only`: what a text that an answer shows is there for:

        new      the file, unless that is there: then this quotes it
        there    the file, if it is there: else this was no path
        part     functions or classes of the file, which is there
        maybe    the same, if it shows any: else it is a quote
        end      lines for the end of the file, which is there
        quote    a quote, or no path
        aside    nothing is said of it, and it is no quote if it shows functions of the file otherwise

    But for "maybe" and "aside", what isn't in the file is no quote. `told`: what else words say of it.
    """

    path: str
    text: str
    overwrite: bool = False
    patch_line: int = 0
    label: str = "create"
    mode: int = 0
    keep: bool = False
    spare: bool = False
    only: Meant = ""
    adds: bool = False
    absent: bool = False
    told: Told = Told()


class Delete(NamedTuple):
    """Remove a file. `old`: lines that must stand in it, in this order, if the patch names any; `whole`: and no others.

    `no_file`: the kind of problem that a folder of this name is. `spare`: a file that isn't there is none.
    `unended`: the last of `old` has no line end. `mode`: as the patch has it, 0 where it doesn't.
    """

    path: str
    patch_line: int = 0
    label: str = "delete"
    old: tuple[str, ...] = ()
    no_file: ProblemKind = "file_missing"
    spare: bool = False
    whole: bool = False
    unended: bool = False
    mode: int = 0


class Move(NamedTuple):
    """Give a file another name; `keeps`: and leave it under the old one too, a copy."""

    path: str
    to: str
    overwrite: bool = False
    patch_line: int = 0
    label: str = "move"
    keeps: bool = False


Op = Edit | Write | Delete | Move


def paths_of(op: Op) -> tuple[str, ...]:
    """The paths that an operation names."""
    more = op.to if isinstance(op, Move) else op.other if isinstance(op, Edit) else ""
    return (op.path, more) if more else (op.path,)


def with_paths(op: Op, name: Callable[[str], str]) -> Op:
    """The operation with other names for its paths."""
    if isinstance(op, Move):
        return op._replace(path=name(op.path), to=name(op.to))
    if isinstance(op, Edit) and op.other:
        return op._replace(path=name(op.path), other=name(op.other))
    return op._replace(path=name(op.path))


class Patch(NamedTuple):
    """What the document says. Parsing never raises: what cannot be read is among the problems.

    `exact`: paths mean themselves, not files that are named alike. `literal`: a program wrote it, so that no new line
    stands for code left out, whatever it says. `prose`: what the answer says beside files it shows. `file`: the path
    that the caller gave for edits which name none.
    """

    format: str
    ops: tuple[Op, ...] = ()
    description: str = ""
    problems: tuple[Problem, ...] = ()
    notes: tuple[Note, ...] = ()
    exact: bool = False
    literal: bool = False
    prose: str = ""
    file: str = ""


# ── what will happen ─────────────────────────────────────────────────────────────────────────────


LINK = 0o120000  # of a file's mode: it is a symbolic link


class File(NamedTuple):
    """A file's bytes and permission bits. Of a symbolic link, which has `LINK` in its mode: where it points."""

    data: bytes
    mode: int = 0o644

    @property
    def is_link(self) -> bool:
        """Whether it is a symbolic link, not what that leads to."""
        return self.mode & LINK == LINK


class Splice(NamedTuple):
    """Lines start..end (0-based, half open, of the text before) become `lines`; `how` names the rung that matched."""

    start: int
    end: int
    lines: tuple[str, ...]
    how: str


class FileChange(NamedTuple):
    """One path before and after; None is a file that is not there."""

    path: str
    before: File | None
    after: File | None

    def inverse(self) -> FileChange:
        """The change that takes this one back."""
        return FileChange(self.path, self.after, self.before)


class Outcome(NamedTuple):
    """What became of one operation (`number` is 1-based in the patch). `rest`: what of it is left, if done in part."""

    number: int
    op: Op
    path: str
    splices: tuple[Splice, ...] = ()
    problems: tuple[Problem, ...] = ()
    notes: tuple[Note, ...] = ()
    rest: Op | None = None


class Plan(NamedTuple):
    """Everything that is known before the first byte is written."""

    patch: Patch
    changes: tuple[FileChange, ...] = ()
    outcomes: tuple[Outcome, ...] = ()

    @property
    def problems(self) -> tuple[Problem, ...]:
        """All problems, those of reading first, each in the order of the patch."""
        return self.patch.problems + tuple([p for outcome in self.outcomes for p in outcome.problems])


class Receipt(NamedTuple):
    """What a change did, and what undo needs. `time`: seconds since the epoch.

    `partial`: only part of its patch was applied. `undoable`: False if no key could be stored to sign the journal with.
    """

    id: str
    changes: tuple[FileChange, ...]
    time: float = 0.0
    format: str = ""
    description: str = ""
    undone: bool = False
    partial: bool = False
    undoable: bool = True


# ── edits by line and column ────────────────────────────────────────────────────────────────────────


UNITS = ("utf-16", "utf-8", "utf-32")


class Span(NamedTuple):
    """From a place to just before another; `text` takes the place of what stands there."""

    start: tuple[int, int]
    end: tuple[int, int]
    text: str


class Spans(NamedTuple):
    """All spans of one file, in the text as it was; stands alone in its Edit.

    `unit`: what columns count. `hash`: what the file must hash to, "" for anything.
    """

    spans: tuple[Span, ...]
    unit: str = "utf-16"
    hash: str = ""
    patch_line: int = 0
    policy: MatchPolicy = BY_POSITION

    @property
    def lines(self) -> tuple[tuple[str, str], ...]:
        """What comes, as tagged lines."""
        return tuple(("+", line) for span in self.spans if span.text for line in span.text.split("\n"))

    @property
    def where(self) -> Where:
        """The lines that the spans touch."""
        first = min((span.start[0] for span in self.spans), default=0)
        return Where(line=first + 1, last=max((span.end[0] for span in self.spans), default=0) + 1)


Said = Hunk | Swap | Merge | Inside | Spans
