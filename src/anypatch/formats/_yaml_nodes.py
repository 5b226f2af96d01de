"""What the YAML reader gives and what its parts share: nodes, the source, the failure. Reads no YAML itself."""

from __future__ import annotations

from ..errors import Problem
from ..model import Note
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
