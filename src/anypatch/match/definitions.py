"""Definitions, and other lines, that would stand in a file twice: told by its grammar, or by lines alone. Pure.

    file   import os                 SEARCH   import os
                                     REPLACE  import os
           def total(items):
               return sum(items)              def total(items):
                                                  return sum(items)
           def other(): …

The edit was made before, and the file has changed since. Made again, it would leave two functions of that name.
"""

from __future__ import annotations

import re
from itertools import pairwise

from ..diff import opcodes
from ..model import Edit, Hunk, Note, Swap
from ..problems import Problem
from ..record import NamedTuple
from ..text import BLANK, depth_of, encode, end_of_line, is_blank, pattern, stripped
from .line_kinds import is_shallower, is_trivial, solid

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..model import Splice
    from .partial_file import File

# `def f`, `pub fn f`, `export class A`; `render() {`, `foo(`; `int f(int x)`; but neither `if (x) {` nor `f(x)`.
_HEAD_WORDS = ("def", "class", "fun", "fn", "sub", "struct", "interface", "trait", "module", "enum")
_HEAD_ENDS = frozenset("{(,)")
_HEAD = (
    r"(?!(?:if|for|while|switch|catch|return|else|elif|with|foreach|unless|until|when|match|\})\b)"
    r"(?:.*\b(?:def|class|func|function|fn|fun|sub|struct|interface|trait|module|enum)\s+\w"
    r"|.*\w\([^;]*[{(,]$|.*\w\s+[\w:~]+\([^;]*\)$)"
)
_TELLING = 16  # letters and digits of lines that nobody writes twice: not those of `a: 1`, `b: 2`
_RUN = r"[-+]*\+[-+]*"  # among the tags of lines: changes without context between, of which some come
_ASKED = 4  # lines that are looked for in the file before all of it is compared
_SAME = 0.8  # of the lines of two definitions, where one is the other, touched since
_DIRECTIVE = r"\s*#\s*(?:if|ifdef|ifndef|else|elif|elifdef|endif)\b"


def guarded(edit: Edit) -> list[Hunk | Swap]:
    """The hunks of an edit that may have been made before. One that names its line was made for the file as it is."""
    texts = [said for said in edit.hunks if isinstance(said, (Hunk, Swap)) and not said.where.line]
    return [said for said in texts if said.policy.guards_reapply]


def added_heads(hunks: list[Hunk | Swap], before: bytes) -> set[str]:
    """The lines that hunks add to a file, and remove nowhere, which may begin a definition, and stand in the file.

    They are without their indentation. Most edits add none that does: that is told first, and cheaply.
    """
    added = [text.strip(BLANK) for hunk in hunks for tag, text in hunk.lines if tag == "+"]
    if not added:
        return set()
    said = "\n".join(added)
    words = [word for word in _HEAD_WORDS if word in said]
    heads = set()
    for text in added:
        may_be_head = (text[-1:] in _HEAD_ENDS and "(" in text) or (words and any(map(text.__contains__, words)))
        if may_be_head and encode(text) in before and re.match(_HEAD, text):
            heads.add(text)
    if heads:
        heads.difference_update([text.strip(BLANK) for hunk in hunks for tag, text in hunk.lines if tag != "+"])
    return heads


def defined_twice(path: str, before: str, after: str, heads: set[str]) -> Problem | Note | None:
    """What to say where a file would hold a definition twice: in one block, with the same name, header and decorators.

    A problem where the two are nearly the same; else a note: they may be old and new, and one of them has no effect.
    `heads`: the lines that an edit adds which may begin one.
    """
    doubled = {head for head in heads if 0 < _times(before, head) < _times(after, head)}
    if not doubled:
        return None
    new = list(_definitions(path, after, doubled))
    if len({two.header for two in new}) == len(new):
        return None  # `def __init__(self):` of another class
    old = list(_definitions(path, before, doubled))
    known = {one.header: one for one in old}
    lines = after.split("\n")
    above: dict[tuple[str, ...], _Definition] = {}
    for two in new:
        one = above.get(two.header)
        if one and len(old) == len(known) and two.header in known and _are_siblings(lines[one.row : two.row + 1]):
            if len(one.lines & two.lines) >= _SAME * max(len(one.lines), len(two.lines)):
                row = known[two.header].row + 1
                detail = f"`{two.name}` is already defined at line {row}, and would be there twice"
                advice = "If it is to change, replace the lines that are there; if it is done, leave it out."
                return Problem("ambiguous", detail, line=row, advice=advice)
            text = f"`{two.name}` is now defined twice, at lines {one.row + 1} and {two.row + 1}"
            return Note(text, path, kind="defined_twice")
        above[two.header] = two
    return None


def added_blocks(hunks: list[Hunk | Swap], before: bytes) -> list[list[str]]:
    """The lines that hunks only add, several that say something, where the longest stand in the file."""
    blocks = []
    for said in hunks:
        lines = said.lines
        tags = "".join([tag for tag, _ in lines])
        if tags.count("+") < tags.count("-") + 2:
            continue
        for run in pattern(_RUN).finditer(tags):
            part = lines[run.start() : run.end()]
            old, new = ([text for tag, text in part if tag != sign] for sign in "+-")
            for _, _, start, end in opcodes(old, new):
                blocks += _telling(new[start:end], before)
    return blocks


def _telling(lines: list[str], before: bytes) -> list[list[str]]:
    """Some lines without blank ones, alone in a list, if they say something and their longest stand in the file."""
    block = solid(lines)
    telling = {line.strip(BLANK) for line in block if not is_trivial(line) and not _is_heading(line)}
    # `if x is None:` and what is done then may well stand twice in a function.
    if len(telling) < 2 or (len(telling) == 2 and all(map(depth_of, block))):
        return []
    longest = sorted(telling, key=len, reverse=True)[:_ASKED]
    is_there = all(encode(line) in before for line in longest)
    return [block] if is_there and sum(map(str.isalnum, "".join(telling))) >= _TELLING else []


def _is_heading(line: str) -> bool:
    """Whether a line is a heading of a page: `### Added` stands in a log once for each version."""
    bare = line.lstrip()
    return bare[:1] == "#" and bare.lstrip("#")[:1].isspace()


def added_twice(path: str, before: str, after: str, blocks: list[list[str]]) -> Problem | Note | None:
    """The refusal of lines that would stand twice in one block of the file: they were added before.

    ## Use            SEARCH   ## Use        the section on options was added, and the one on paths since
    ## Paths          REPLACE  ## Use
    …                          ## Options
    ## Options                 Take `--all`
    Take `--all`               for all.
    for all.

    Between jobs and functions, where something shallower stands, lines may well be the same. Imports do no harm twice,
    and are only noted.
    """
    if not blocks:
        return None
    from ..syntax.top import are_imports

    lines = after.split("\n")
    for block in blocks:
        old, new = (_places(text.split("\n"), block) for text in (before, after))
        if not 0 < len(old) < len(new):
            continue
        for (one, end), (two, _) in pairwise(new):
            if _are_in_block(lines[one:two], min(map(depth_of, solid(lines[one:end])))):
                row = old[0][0] + 1
                if are_imports(path, block):
                    text = f"the imports that it adds are in the file already, from line {row} on"
                    return Note(text, path, kind="defined_twice")
                detail = f"the lines that it adds are in the file already, from line {row} on, and would be there twice"
                advice = "If they are to change, replace the lines that are there; if it is done, leave it out."
                return Problem("ambiguous", detail, line=row, advice=advice)
    return None


def _places(lines: list[str], block: list[str]) -> list[tuple[int, int]]:
    """Where some lines stand, from row to row, however they are indented and parted by blank lines."""
    rows = [row for row, line in enumerate(lines) if line.strip(BLANK)]
    bare, wanted = [lines[row].strip(BLANK) for row in rows], [line.strip(BLANK) for line in block]
    count = len(wanted)
    return [
        (rows[at], rows[at + count - 1] + 1)
        for at, line in enumerate(bare)
        if line == wanted[0] and bare[at : at + count] == wanted
    ]


class _Definition(NamedTuple):
    """A definition: its names and header as words, the name as shown, its first row, its lines."""

    header: tuple[str, ...]
    name: str
    row: int
    lines: set[str]


def _definitions(path: str, text: str, heads: set[str]) -> Iterator[_Definition]:
    """The functions and types of a text that have one of these lines in their header."""
    from ..syntax.symbols import CODE, TYPES, declared

    lines = text.split("\n")
    bare = stripped(lines)
    for symbol in declared(path, text, damaged=True):
        row, column, *_ = symbol.inner or (symbol.row, len(lines[symbol.row]))
        if symbol.kind in (*CODE, *TYPES) and not heads.isdisjoint(bare[symbol.first : row + 1]):
            header = [*lines[symbol.first : row], lines[row][:column]]
            words = (*symbol.parts, *" ".join(header).split())
            own = set(filter(None, bare[symbol.first : symbol.last + 1]))
            yield _Definition(words, ".".join(symbol.parts), symbol.first, own)


def _times(text: str, line: str) -> int:
    """How many lines of a text are this one, blanks at their ends aside; the others aren't looked at."""
    count, at = 0, text.find(line)
    while at >= 0:
        end = end_of_line(text, at + len(line))
        count += text[text.rfind("\n", 0, at) + 1 : end].strip(BLANK) == line
        at = text.find(line, end)
    return count


def _are_siblings(lines: list[str]) -> bool:
    """Whether the first and the last of these lines are in one block: nothing between is shallower, or a directive.

    try:                       #ifdef _WIN32
        def f(): …             int f(void) …
    except ImportError:        #else
        def f(): …             int f(void) …
    """
    return depth_of(lines[0]) == depth_of(lines[-1]) and _are_in_block(lines, depth_of(lines[0]))


def _are_in_block(lines: list[str], deep: int) -> bool:
    return not any(line.strip(BLANK) and (depth_of(line) < deep or re.match(_DIRECTIVE, line)) for line in lines)


# ── by lines alone, of a file that is shown in part ──────────────────────────────────────────────


# The advice that nearly always helps.
BOTH_ENDS = "Begin and end the part with unchanged lines that are in the file only once."
_NOT_NAMES = frozenset(
    ("if", "for", "foreach", "while", "until", "unless", "switch", "match", "catch", "with", "return", "else", "do")
)
_KEYWORD = (
    r"(?:^|\s)(?:def|class|function\*?|func|fn|interface|struct|enum|trait|impl|module|namespace|record|object|protocol)"
    r"\s+(?:\([^()]*\)\s*)?([A-Za-z_$][\w$]*)"
)
_METHOD = r"^(?:[\w$<>\[\],.:&*?~@]+\s+)*[*&]*([A-Za-z_$~][\w$]*)\s*(?:<[^<>]*>)?\("
_ARROW = r"^(?:export\s+)?(?:const|let|var)\s+([A-Za-z_$][\w$]*)\b.*=>?.*[({]$"
_COMMENT = r"\s+(?:#|//)\s.*$"


def declared_by(key: str) -> str:
    """The name of the function or class whose block a line begins; "" where it begins none."""
    key = pattern(_COMMENT).sub("", key)
    if not key or not (key[0].isalpha() or key[0] in "_$*~") or key[-1] not in ":{(,)>" or key.startswith("* "):
        return ""  # ` * run(() => {` is an example in a comment
    if (match := pattern(_KEYWORD).search(key)) and key[-1] not in ",)>":
        return match[1]
    if key[-1] == "{" and ((match := pattern(_METHOD).match(key)) or (match := pattern(_ARROW).match(key))):
        words = key[: match.end(1)].split()
        return "" if _NOT_NAMES.intersection(words) or match[1] in _NOT_NAMES else match[1]
    return ""


def stands_twice(file: File, splices: list[Splice]) -> Problem | None:
    """A problem where a function or class that stays would stand there a second time."""
    gone = {row for splice in splices for row in range(splice.start, splice.end)}
    for splice in splices if not file.prose else ():
        for at, line in enumerate(splice.lines):
            name = declared_by(line.strip(BLANK)) if not is_blank(line) else ""
            if not name:
                continue
            there = [row for row in file.rows(line) if file.is_at(line, row) and row not in gone]
            if (call := _call(line)) and "#[cfg" not in "".join(splice.lines[:at]):
                # `fn path(&self) -> Cow<Path>` beside `fn path(&self) -> &Path`: overloads have other parameters
                there += [row for row in file.headers(name) if row not in gone and _call(file.lines[row]) == call]
            if depth_of(line):
                if any(is_shallower(above, depth_of(line)) for above in splice.lines[:at]):
                    continue  # it stands in what is new itself
                above = range(splice.start - 1, -1, -1)
                holder = next((row for row in above if is_shallower(file.lines[row], depth_of(line))), -1)
                there = [row for row in there if file.outer(row) == holder >= 0]
            if there:
                return line_twice(line, there[0])
    return None


def _call(header: str) -> str:
    """A header with its parameters and nothing behind them; "" where these aren't all on the line."""
    head, bracket, rest = header.rstrip(BLANK).partition("(")
    unclosed = 1
    for at, sign in enumerate(rest):
        unclosed += (sign == "(") - (sign == ")")
        if not unclosed:
            return head + bracket + rest[: at + 1]
    return ""


def line_twice(line: str, row: int) -> Problem:
    """The refusal of a header that stands in the file already, at a row."""
    detail = f"`{line.strip()[:80]}` would be there twice: it is already at line {row + 1}"
    return Problem("elision", detail, line=row + 1, advice=BOTH_ENDS)
