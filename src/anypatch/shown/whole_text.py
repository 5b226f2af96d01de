"""A text for a file that is there: all of it, only a part of it, definitions to add to it, a quotation. Pure.

`src/a.py`                  a file with f, g and h: the fence is a quotation of what changes in it, not the file.
```python
def f():
    return 10
```
<<<<<<< SEARCH              a file with tests, none of them test_empty: it is added at the end
=======
def test_empty():
    assert total([]) == 0
>>>>>>> REPLACE
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from textwrap import dedent

from ..diff import opcodes
from ..model import Edit, Patch, Write
from ..parsing import words
from ..parsing.elision import is_mark, marks_in
from ..parsing.quotes import header_in
from ..problems import Problem
from ..similarity import is_alike, keeps_most
from ..syntax import symbols as kinds
from ..syntax.languages import grammar_of
from ..syntax.top import imports_in
from ..syntax.validate import readable
from ..text import decode, depth_of, encode, with_lf
from .line_kinds import opens_block

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..syntax.symbols import Symbol


_LARGE = 2_000_000  # characters; larger files are judged by their lines alone
_LISTED = 8  # symbols that are named
_PAIRS = (("(", ")"), ("[", "]"), ("{", "}"))
_CONTEXT = 3  # unchanged lines that a diff has around each change
# Compiled when they are asked for, which takes a millisecond: most answers say nothing beside the file.
_GOES = (
    r"(?i)\b(?:remov|delet|drop|renam|mov(?:e[ds]?|ing)\b|replac|inlin|merg|fold|extract|split|eliminat|supersed|convert|obsolet"
    r"|unus|consolidat|combin|collaps|gone\b|no longer|not needed|not used|rid of|instead of|turned into|dead code)"
    r"|->|→"
)
_STAYS = (
    r"(?i)\b(?:keep|kept|stay|unchanged|untouched|leav(?:e|es|ing)|left|as (?:it )?(?:is|was|before)|same|still"
    r"|without|don[’']?t|do not|never|won[’']?t|must not|should not)\b"
)
_REMOVED = re.compile(
    r"\s*(?:#|//|/\*|--|;|<!--)\s*(?:removed|deleted)\s(?!.*\b(?:brevity|clarity|short|rest|unchanged|existing|other|code)\b)",
    re.IGNORECASE,
)
_KINDS = r"\b(?:functions|methods|classes|structs|enums|defines|macros|types|constants|helpers|definitions)\b"
_PARTLY = re.compile(
    r"\b(?:relevant|changed|affected|modified|updated|key|new)\s+(?:part|section|portion|snippet|line|excerpt|bit)s?\b"
    r"|\b(?:excerpt|snippet)\b|\bonly the (?:part|line|section)s?\b",
    re.IGNORECASE,
)
_PLAIN = re.compile(r"[^\W_]|\s*(?:[-*+]|\d+[.)])\s")  # how a sentence or a list begins, and no heading, image, markup
_COMMENT_SIGNS = " \t#/*-;"
_ITEM = re.compile(r"\s*(?:[-*+•]|\d+[.)])\s")


def shrinking(
    path: str, before: bytes, after: bytes, patch: Patch, *, shown: bool = False, unmarked: bool = False
) -> Problem | None:
    """The refusal of a text that is less than half of the file, or lacks what the answer says nothing of.

    `shown`: the text is all that the answer shows of the file, which may be excerpts of it one below the other.
    `unmarked`: functions of the file are shown, without any mark; so may the excerpts be of one of them.
    """
    old, new = (Page(path, decode(data).replace("\r\n", "\n")) for data in (before, after))
    if shown and (problem := _cut_off(path, old, new)):
        return problem
    prose = patch.prose.replace(path, "")  # `lib/combineURLs.js` says nothing of what was combined
    gone = [name for name in _gone(old, new) if not _is_told(name, path, patch, prose)]
    is_part = gone or _is_under_half(old.count, new.count)
    if is_part or (
        (_is_excerpt(old, new) or (shown and _are_excerpts(old, new, _PARTLY.search(prose) is not None)))
        and not _says_less(old, new, prose)
    ):
        detail = f"{path} has {old.count} line{'' if old.count == 1 else 's'} and would have {new.count}"
        if gone:
            listed = ", ".join(f"`{name}`" for name in gone[:_LISTED])
            more = f" and {len(gone) - _LISTED} more" if len(gone) > _LISTED else ""
            detail += f", without {listed}{more}"
        return Problem("would_shrink", detail)
    diff = _Diff(old, new) if unmarked else None
    if diff and any(diff.is_parted(*gap) for gap in diff.gaps):
        detail = f"lines of {path} would be removed, with a blank line in their place: were they left out?"
        return Problem("would_shrink", detail)
    return None


def cut_off(path: str, before: bytes, after: bytes) -> Problem | None:
    """The refusal of contents without the file's end: in the middle of a line of it, as in `_cut_off`, or unreadable.

    A host may close the JSON of a call that was cut off.
    """
    old, new = (Page(path, with_lf(decode(data))) for data in (before, after))
    if problem := _cut_off(path, old, new):
        return problem
    diff = _Diff(old, new)
    start, end, at, stop = diff.ranges[-1] if diff.ranges else (0, 0, 0, 0)
    lacks_end = end == len(diff.old) and stop == len(diff.new) and end - start > stop - at
    if not lacks_end or all(readable(path, before, [after])):
        return None
    detail = f"the new text of {path} lacks the end of the file, and can no longer be parsed"
    return Problem("truncated", detail, path, advice="Send the file again, up to its end.")


def said_twice(path: str, before: bytes, after: bytes) -> Problem | None:
    """The refusal of a text in which lines of a file of code are repeated right below themselves.

    So ends what was cut off and continued: the second answer begins with the last lines of the first.
    """
    new = Page(path, with_lf(decode(after)))
    diff = _Diff(Page(path, with_lf(decode(before))), new)
    lines = [new.lines[row].rstrip() for row in diff.new]
    for start, end, at, stop in diff.ranges:
        added, size = lines[at:stop], stop - at
        is_text = start == end and sum(map(_tells, added)) > 1
        if is_text and added in (lines[max(at - size, 0) : at], lines[stop : stop + size]):
            first = next(filter(_tells, added)).strip()[:80]
            detail = f"{size} lines of {path} would be there twice, one below the other, from `{first}` on"
            return Problem("ambiguous", detail, path, advice="Send them once; if both are meant, send an edit.")
    return None


def is_rewritten(before: str, after: str) -> bool:
    """Whether a text is no part of another, however much it lacks: it is about as long, and no line of it is there."""
    old, new = before.split("\n"), after.split("\n")
    return not _is_under_half(len(old), len(new)) and set(filter(_tells, old)).isdisjoint(new)


def _is_under_half(old: int, new: int) -> bool:
    return 2 * new < old


class Page:
    """A text with its lines, its headings, and its symbols once they are asked for."""

    __slots__ = ("_symbols", "count", "headings", "lines", "path")

    def __init__(self, path: str, text: str) -> None:
        self.path = path
        self.lines = text.split("\n")
        self.count = len(self.lines) - (self.lines[-1] == "")
        self.headings = _headings(path, self.lines)
        self._symbols: list[Symbol] | None = None

    @property
    def data(self) -> bytes:
        """The text as bytes."""
        return encode("\n".join(self.lines))

    @property
    def symbols(self) -> list[Symbol]:
        """What is declared in it; nothing where its language isn't known."""
        if self._symbols is None:
            self._symbols = _symbols(self.path, "\n".join(self.lines))
        return self._symbols

    def without_name(self, symbol: Symbol) -> str:
        """The text of a symbol but for its name."""
        text = "\n".join(self.lines[symbol.first : symbol.last + 1])
        return re.sub(rf"(?<!\w){re.escape(symbol.name)}(?!\w)", "", text)


# ── excerpts ─────────────────────────────────────────────────────────────────────────────────────


def _cut_off(path: str, old: Page, new: Page) -> Problem | None:
    """The refusal of a text that ends in the middle of a line of the file, and lacks the lines below it.

    ## Errors                   ## Errors
    Call `retry` on failure.    Call `ret
    ## License
    """
    diff = _Diff(old, new)
    start, end, at, stop = diff.ranges[-1] if diff.ranges else (0, 0, 0, 0)
    if at == stop or end < len(diff.old) or stop < len(diff.new):
        return None
    last = new.lines[diff.new[-1]].rstrip()
    if not _tells(last) or last in old.lines:
        return None
    row = next((row for row in diff.old[start : end - 1] if old.lines[row].startswith(last)), None)
    if row is None:
        return None
    detail = f"the new text of {path} ends in the middle of line {row + 1} of the file, `{old.lines[row].strip()[:80]}`"
    return Problem("truncated", detail, path, advice="Send the file again, up to its end.")


def _is_excerpt(old: Page, new: Page) -> bool:
    """Whether the new text is cut out of the old one: it begins and ends inside it, and nothing of its ends is left.

    Code is also cut out if nothing stands above its first symbol any more, or below its last one: a function that is
    shown without the imports above it.
    """
    if _loses_title(old, new):
        return True
    if new.count >= old.count:
        # A function that grew may be longer than its file was, and still comes without the imports above it.
        return bool(old.symbols) and _edges(old)[0] and not _edges(new)[0]
    if _begins_inside(old.lines, new.lines) and _begins_inside(old.lines[::-1], new.lines[::-1]):
        return True
    if not old.symbols and not old.headings:
        return False
    return any(had and not has for had, has in zip(_edges(old), _edges(new), strict=True))


def _are_excerpts(old: Page, new: Page, partly: bool) -> bool:
    """Whether the new text may be excerpts of the old one, glued together: rows go, and nothing takes their place.

        a = 1                       a = 1
        b = 2
        c = 3                       c = 4

    Whoever removes rows takes whole statements, leaves no blank line where they stood and a text that can be read,
    and says so where they are the first or the last of the file. `partly`: the answer speaks of a part of it; then
    other lines at an end needn't stand for those of the file.
    """
    diff = _Diff(old, new)
    first = new.lines[diff.new[0]] if diff.new else ""
    if diff.old and depth_of(first) > depth_of(old.lines[diff.old[0]]) and first in old.lines:
        return True
    if partly and any(start < end and (end == len(diff.old) or not start) for start, end, _, _ in diff.ranges):
        return True
    gone = [(start, end) for start, end, at, stop in diff.ranges if at == stop] + diff.left_over()
    if (gone or len(diff.new) < len(diff.old)) and not all(readable(old.path, old.data, [new.data])):
        return True
    if any(diff.is_outermost(*rows) and not diff.is_sibling(*rows) for rows in gone):
        return True
    # Where a text was cut off behind a change, few lines stand in the place of all that came there.
    ends = ((start, end, at, stop) for start, end, at, stop in diff.ranges if not start or end == len(diff.old))
    if any(at < stop and _is_under_half(end - start, stop - at) for start, end, at, stop in ends):
        return True
    return any(diff.is_torn(*gap) or diff.is_parted(*gap) for gap in diff.gaps) or diff.is_cut_like_a_diff()


class _Diff:
    """The rows of two texts that aren't blank, and the ranges in which they differ."""

    def __init__(self, old: Page, new: Page) -> None:
        self.pages = old, new
        self.old, self.new = ([row for row, line in enumerate(page.lines) if line.strip()] for page in (old, new))
        keys = [[page.lines[row].rstrip() for row in rows] for page, rows in ((old, self.old), (new, self.new))]
        self.ranges = opcodes(*keys)
        # Rows inside the file for which nothing comes, and where in the new text they would be. Where a formatter ran,
        # rows of which the text has as many as before, blanks aside, are gone from there only.
        bare = [["".join(line.split()) for line in lines] for lines in keys]
        less = Counter(bare[0]) - Counter(bare[1])
        self.gaps = [
            (start, end, at)
            for start, end, at, stop in self.ranges
            if at == stop and start and end < len(self.old) and not less.keys().isdisjoint(bare[0][start:end])
        ]

    def is_hole(self, first: int, last: int) -> bool:
        """Whether rows of the old text go, and nothing comes in their place; a last `}` may be another's."""
        while last > first and not _tells(self.pages[0].lines[last]):
            last -= 1
        return any(
            at == stop and self.old[start] <= first and last <= self.old[end - 1]
            for start, end, at, stop in self.ranges
            if start < end
        )

    def left_over(self) -> list[tuple[int, int]]:
        """The rows at an end of the file for which nothing comes, because what comes is others in a new version.

        import sys
        RATE = 1                    RATE = 2
        """
        found = []
        for start, end, at, stop in self.ranges:
            old, new = (
                [page.lines[row] for row in rows]
                for page, rows in zip(self.pages, (self.old[start:end], self.new[at:stop]), strict=True)
            )
            more = len(old) - len(new)
            if not new or more <= 0 or len(self.new) >= len(self.old):
                continue
            if start == 0 and all(map(is_alike, new, old[more:])):
                found.append((start, start + more))
            elif end == len(self.old) and all(map(is_alike, new, old)):
                found.append((end - more, end))
        return found

    def is_outermost(self, start: int, end: int) -> bool:
        """Whether nothing stands above rows that go, or below them, but for signs of a comment: `#`, `/**`.

        A file that ends in `end` may end in another `end` by then: the rows that go are also those up to its last.
        """
        lines = [self.pages[0].lines[row].rstrip() for row in self.old]
        below = lines[end:]
        is_last = lines[start : start + len(below)] == below
        return is_last or not any(line.strip(" \t#/*") for line in lines[:start])

    def is_sibling(self, start: int, end: int) -> bool:
        """Whether one line of code goes that has another of its kind beside it: an import less."""
        page = self.pages[0]
        beside = end if start == 0 else start - 1
        if end - start > 1 or not 0 <= beside < len(self.old) or not page.symbols:
            return False
        words = [page.lines[self.old[row]].split(maxsplit=1)[0] for row in (start, beside)]
        return words[0] == words[1] and words[0].isalpha()

    def is_torn(self, start: int, end: int, at: int) -> bool:
        """Whether rows that go are no whole statements: brackets are left open, or a header loses its body."""
        gone = [self.pages[0].lines[row] for row in self.old[start:end]]
        above, below = (self.pages[0].lines[self.old[row]] for row in (start - 1, end))
        text, whole = "".join(gone), "".join(self.pages[0].lines)
        pairs = [pair for pair in _PAIRS if whole.count(pair[0]) == whole.count(pair[1])]
        if any(text.count(one) != text.count(two) for one, two in pairs):
            return True
        if opens_block(above):
            return depth_of(gone[0]) > depth_of(above) >= depth_of(below)
        return depth_of(below) > depth_of(above) and self.new[at] - self.new[at - 1] > 1

    def is_parted(self, start: int, end: int, at: int) -> bool:
        """Whether more blank lines stand where rows went than stood above or below them."""
        new, old = self.new, self.old
        return new[at] - new[at - 1] > max(old[start] - old[start - 1], old[end] - old[end - 1])

    def is_cut_like_a_diff(self) -> bool:
        """Whether three lines stay between any rows that go and the changes above and below, as in a diff's hunks.

        The blank line between two excerpts may count as one of them.
        """
        around: list[int] = []
        new = self.new
        for above, (_, _, at, stop), below in zip(self.ranges, self.ranges[1:], self.ranges[2:], strict=False):
            if at == stop:
                around += [new[at - 1] - new[above[3] - 1] if above[3] else at, new[below[2]] - new[at]]
        gaps = sum(at == stop for _, _, at, stop in self.ranges)
        return 2 * gaps == len(around) > 0 and all(_CONTEXT <= count <= _CONTEXT + 1 for count in around)


def _begins_inside(old: list[str], new: list[str]) -> bool:
    """Whether a text begins with a line that stands further down in the old one, and has none of those above it."""
    known = set(new)
    first = next((line for line in new if _tells(line)), "")
    row = old.index(first) if first in old else 0
    below = set(old[row:])
    above = [line for line in old[:row] if _tells(line) and line not in below]
    return bool(above) and known.isdisjoint(above)


def _loses_title(old: Page, new: Page) -> bool:
    """Whether Markdown that began with a title begins with a sentence or a list: with what stands below the title."""
    first, now = (next(filter(str.strip, page.lines), "") for page in (old, new))
    return (
        old.path.lower().endswith((".md", ".mdx", ".markdown"))
        and first.startswith("# ")
        and _PLAIN.match(now) is not None
    )


def _edges(page: Page) -> tuple[bool, bool]:
    """Whether something stands above the first symbol or heading of a text, and below the last symbol.

    A text without any is all edge.
    """
    first = min([symbol.lead for symbol in page.symbols] or page.headings.values(), default=len(page.lines))
    last = max((symbol.last for symbol in page.symbols), default=-1)
    return any(map(_tells, page.lines[:first])), any(map(_tells, page.lines[last + 1 :]))


def _tells(line: str) -> bool:
    return any(map(str.isalnum, line))


def _says_less(old: Page, new: Page, prose: str) -> bool:
    """Whether the answer says that some of what is gone goes: "removed the unused imports"."""
    known = set(new.lines)
    words = {word for line in old.lines if line not in known for word in _words(line)}
    return any(not words.isdisjoint(_words(said)) for said in _sentences(prose) if _goes(said))


def _words(line: str) -> list[str]:
    return [word.lower().rstrip("s") for word in re.findall(r"\w{2,}", line)]


# ── symbols ──────────────────────────────────────────────────────────────────────────────────────


def _gone(old: Page, new: Page) -> list[str]:
    """The functions, classes and other outermost symbols of the old text that the new one lacks.

    Methods of classes are among them. Models that rewrite a class give its methods other names: in a text that isn't
    shorter, those of classes that got new ones count only if nothing stands in their place.
    """
    if old.headings:
        gone, sort = [name for name in old.headings if name not in new.headings], _sort_of(old.path)
        if gone and sort in _OFTEN_RENAMED:
            rows = _Diff(old, new)
            return [name for name in gone if rows.is_hole(old.headings[name], old.headings[name])]
        # An entry of a list that is gone was removed; the first or last ones may just not be shown.
        ends = {next(iter(old.headings)), next(reversed(old.headings))}
        return gone if sort not in _LISTS or not ends.isdisjoint(gone) else []
    there, known = ({symbol.parts for symbol in page.symbols} for page in (new, old))
    added = [symbol for symbol in new.symbols if symbol.parts not in known]
    # What has moved into or out of a class or namespace has another path; what was renamed has the same text.
    moved, renamed = {symbol.name for symbol in added}, {new.without_name(symbol) for symbol in added}
    grown = {symbol.parts[:-1] for symbol in added} - {()}
    lines = {line.strip(_COMMENT_SIGNS) for line in new.lines}
    removed = _removed_in_place(old, new) if any(map(_REMOVED.match, new.lines)) else {}
    diff: list[_Diff] = []

    def is_hole(symbol: Symbol) -> bool:
        if not diff:
            diff.append(_Diff(old, new))
        return diff[0].is_hole(symbol.first, symbol.last)

    lost = [
        symbol
        for symbol in _declared(old.symbols)
        if symbol.parts not in there
        and (new.count < old.count or symbol.parts[:-1] not in grown or is_hole(symbol))
        and symbol.name not in moved
        and not _names(removed.get(symbol.first, ""), symbol.name)
        and old.without_name(symbol) not in renamed
        # What was commented out is still there.
        and not all(line.strip(_COMMENT_SIGNS) in lines for line in old.lines[symbol.first : symbol.last + 1])
    ]
    whole = {symbol.parts for symbol in lost}
    outer = [symbol for symbol in lost if not any(symbol.parts[:end] in whole for end in range(1, len(symbol.parts)))]
    return list(dict.fromkeys(".".join(symbol.parts) for symbol in outer))


def _names(said: str, name: str) -> bool:
    """Whether a comment says that a symbol went: by its name, or as one of many (`Removed the defines and enums`)."""
    what = re.split(r"\b(?:from|in|of|to|at|as|by|for|because|since)\b", said, maxsplit=1)[0]
    return re.search(rf"(?<!\w){re.escape(name)}(?!\w)|{_KINDS}", what) is not None


def _removed_in_place(old: Page, new: Page) -> dict[int, str]:
    """The rows in whose place a comment stands that says what was removed, and that comment."""
    diff = _Diff(old, new)
    rows: dict[int, str] = {}
    for start, end, low, high in diff.ranges:
        lines = [new.lines[row] for row in diff.new[low:high]]
        said = " ".join(line for line in lines if _REMOVED.match(line) and not is_mark(line))
        rows |= dict.fromkeys(diff.old[start:end], said)
    return rows


def begins_and_ends_as(before: bytes, after: bytes) -> bool:
    """Whether a text begins and ends with the lines that another begins and ends with."""
    old, new = ([line.strip() for line in decode(data).split("\n") if _tells(line)] for data in (before, after))
    return bool(old and new) and old[0] == new[0] and old[-1] == new[-1]


def _headings(path: str, lines: list[str]) -> dict[str, int]:
    """What cuts files without symbols into parts, and the first row of each: keys of a mapping, sections, rules."""
    sort = _sort_of(path)
    pattern = next((pattern for sorts, pattern in _HEADINGS.items() if sort in sorts.split()), "")
    matched = [(re.match(pattern, line, re.IGNORECASE), row) for row, line in enumerate(lines)] if pattern else []
    found = [(match[2].strip(), row, len(match[1])) for match, row in matched if match]
    # The keys of JSON are those that stand least deep.
    depth = min((depth for _, _, depth in found), default=0)
    rows: dict[str, int] = {}
    for name, row, deep in found:
        if deep == depth:
            rows.setdefault(name, row)
    return rows


def _sort_of(path: str) -> str:
    """The sort of a file that its name tells: mostly its suffix."""
    name = path.rpartition("/")[2].lower()
    if name.startswith((".env.", "requirements")):
        return name.lstrip(".").partition(".")[0].partition("-")[0]
    return "ignore" if name.endswith("ignore") else name.rpartition(".")[2]


# In these other words for a heading are no loss: only where nothing stands in its place it is gone.
_OFTEN_RENAMED = words("md mdx markdown makefile mk po pot tf hcl")
_LISTS = words("env properties ignore requirements")  # an entry on each line
_FREE = _LISTS | words("css scss less toml ini yaml yml makefile mk tf hcl")  # the order of entries tells nothing
_HEADINGS = {
    "env properties": r"()(?:export\s+)?([\w.-]+)\s*=",
    "ignore": r"()([^#\s].*)",
    "requirements": r"()([a-z][\w.-]*)",
    "md mdx markdown": r"()#{2,6}\s+(\S.*)",  # `# …` may be a comment in an example
    "makefile mk": r"()([\w./%-][\w./% -]*):(?!=)",
    "po pot": r"()msgid \"(.+)\"",
    "tf hcl": r"()(\w+ \"[^\"]+\"(?: \"[^\"]+\")?) *\{",
    "yaml yml": r"()([\w.-]+):(?:\s|$)",
    "json jsonc json5": r"([ \t]*)\"([^\"]+)\"\s*:",
    "toml ini cfg conf": r"()\[+([^\]]+)\]",
    "css scss less": r"()([^\s/@}{][^{};]*)\{",
    "sh bash zsh": r"()(?:function\s+)?([\w-]+)\s*\(\s*\)",
    "sql": r"()create\s+(?:or\s+replace\s+)?\w+\s+(?:if\s+not\s+exists\s+)?([\w.\"`]+)",
}


def _symbols(path: str, text: str) -> list[Symbol]:
    return kinds.declared(path, text, damaged=True) if len(text) <= _LARGE else []


def _declared(symbols: list[Symbol]) -> Iterator[Symbol]:
    """The outermost, and the methods and types inside types and namespaces."""
    above: list[Symbol] = []
    for symbol in symbols:
        del above[symbol.depth :]
        if symbol.kind != "element" and (
            not above or (symbol.kind in _MEMBERS and all(outer.kind in _HOLDERS for outer in above))
        ):
            yield symbol
        above.append(symbol)


_MEMBERS = frozenset((*kinds.CODE, *kinds.TYPES, *kinds.NAMESPACE)) - {"member"}
_HOLDERS = frozenset((*kinds.TYPES, *kinds.NAMESPACE))


# ── what the answer speaks of ────────────────────────────────────────────────────────────────────


def _is_told(name: str, path: str, patch: Patch, prose: str) -> bool:
    """Whether the answer says that a symbol goes, or has it in another file."""
    own = name.rpartition(".")[2]
    word = re.compile(rf"(?<!\w){re.escape(own)}(?!\w)")
    if own.isalpha() and own.islower():
        # `add` and `run` are words of every sentence; as names they are quoted, or called.
        word = re.compile(rf"[`'\"\w.]*[`'\"]\S*(?<!\w){re.escape(own)}(?!\w)|(?<!\w){re.escape(own)}\(")
    for sentence in _sentences(prose):
        if word.search(sentence) and _goes(sentence):
            return True
    return any(own == symbol.name for other in _texts(path, patch) for symbol in _symbols(*other))


def _goes(sentence: str) -> bool:
    """Whether a sentence says that something goes, and not that something stays."""
    return re.search(_GOES, sentence) is not None and re.search(_STAYS, sentence) is None


def _sentences(prose: str) -> Iterator[str]:
    """What is said in one breath; each point of a list with the line that introduces it."""
    lead = ""
    for line in prose.split("\n"):
        if not line.strip():
            continue
        is_item = _ITEM.match(line) is not None
        if not is_item:
            lead = line if line.rstrip(" *_").endswith(":") else ""
        for part in re.split(r"(?<=[.!?;])\s+|\bbut\b", line):
            yield f"{lead} {part}" if is_item else part


def _texts(path: str, patch: Patch) -> Iterator[tuple[str, str]]:
    """The new text that the answer has for other files."""
    for op in patch.ops:
        if op.path == path:
            continue
        if isinstance(op, Write):
            yield op.path, op.text
        elif isinstance(op, Edit):
            yield op.path, "\n".join(text for said in op.hunks for tag, text in said.lines if tag == "+")


# ── a text without a place ───────────────────────────────────────────────────────────────────────


_SHARED = 0.2  # of the file's lines, which definitions that are new may share with it
_IMPORT = re.compile(r"(?:import|from|use|using|#include)\b")


def reading_of(path: str, there: str, new: str) -> str:
    """What the text is to the file: "there" already, "rewritten", "added" to it; "" where that can't be told."""
    if f"\n{new.strip(chr(10))}\n" in f"\n{there}\n":
        return "there"
    if keeps_most(new, there):
        return "rewritten"
    old, told = (Counter(line.strip() for line in text.split("\n") if line.strip()) for text in (there, new))
    names = _defined(path, new)
    known = {symbol.parts for symbol in kinds.declared(path, there)} if names else set()
    return "added" if names and known.isdisjoint(names) and (old & told).total() <= _SHARED * old.total() else ""


def are_new_entries(path: str, there: str, new: str) -> bool:
    """Whether a text is entries that a file lacks, in one where their order tells nothing: keys, sections, rules."""
    old, told = (_headings(path, text.split("\n")) for text in (there, new))
    first = next((row for row, line in enumerate(new.split("\n")) if _tells(line) and line[0] not in "#;/"), -1)
    is_whole = bool(told) and _sort_of(path) in _FREE and min(told.values()) == first
    return is_whole and bool(old) and old.keys().isdisjoint(told) and "\n---" not in there  # one document of YAML


def is_quoted(path: str, text: str, there: str) -> bool:
    """Whether the lines of a text are in the file, whatever their indentation, with gaps where marks are."""
    said = text.split("\n")
    marks = set(marks_in(path, said))
    parts = "\n".join("\0" if row in marks else line.strip() for row, line in enumerate(said) if line.strip()).split(
        "\0"
    )
    page = "\n".join(["", *(bare for line in there.split("\n") if (bare := line.strip())), ""])
    return all(f"\n{part.strip()}\n" in page for part in parts if part.strip())


def redefined(path: str, text: str, there: str) -> str:
    """The first function or class of a text that the file has, too; "" where it has none of them."""
    known = {symbol.name for symbol in kinds.declared(path, there) if symbol.kind in (*kinds.CODE, *kinds.TYPES)}
    shown = kinds.declared(path, dedent(text), damaged=True)
    names = [symbol.name for symbol in shown if symbol.depth == 0 and symbol.kind in (*kinds.CODE, *kinds.TYPES)]
    method = re.match(r"(?:[\w<>\[\], ]+ )?(\w+)\(", header_in(text.split("\n")))  # alone it is no declaration
    return next((name for name in (*names, *(method.groups() if method else ())) if name in known), "")


def doubt_at_end(path: str, there: str, new: str) -> str:
    """Why new lines may not be meant for the end of a file, whatever words say; "" where nothing speaks against it.

    What the file has already is to be replaced, or was shown for its place; imports go to the top. A function that
    takes `self`, or is indented, belongs to a class, and so does any in a file with nothing but classes; what goes
    below `if __name__ == "__main__":` isn't seen by it.
    """
    grammar = grammar_of(path)
    lines = [line for line in new.split("\n") if line.strip()]
    if not lines:
        return "nothing is shown"
    last = next((line for line in reversed(there.split("\n")) if line.strip() and not line[0].isspace()), "")
    outer = {symbol.kind for symbol in kinds.declared(path, there) if symbol.depth == 0}
    shown = [symbol for symbol in kinds.declared(path, new) if symbol.depth == 0]
    name = redefined(path, new, there)
    if name:
        return f"`{name}` is in the file already"
    if grammar and min(map(depth_of, lines)):
        return f"`{lines[0].strip()[:60]}` is indented"
    imports = imports_in(path, lines)
    if imports:
        return f"`{imports[0].words[:60]}` is an import"
    if any(map(str.isalnum, lines[0])) and lines[0] in there.split("\n"):
        return f"`{lines[0].strip()[:60]}` is in the file already"
    if re.match(r"if __name__\s*==", last):
        return f"the file ends with `{last.strip()}`"
    if any(re.search(r"\(\s*(?:&\s*)?(?:mut\s+)?(?:self|cls)\b", line) for line in lines if not line[0].isspace()):
        return f"`{lines[0].strip()[:60]}` is a method"
    functions = any(symbol.kind in kinds.CODE for symbol in shown)
    if functions and outer & {*kinds.TYPES, *kinds.NAMESPACE} and not outer & {*kinds.CODE} and grammar != "python":
        return "the file has nothing but classes at its outer level"
    return ""


def lines_to_add(path: str, there: list[str], new: str) -> tuple[str, ...]:
    """The definitions as lines behind the last one of the file, as many blank lines apart as is usual."""
    apart = 2 if grammar_of(path) == "python" else 0 if _sort_of(path) in _LISTS else 1
    blank = next((count for count, line in enumerate(reversed(there)) if line.strip()), apart)
    return (*[""] * (apart - blank), *new.strip("\n").split("\n"))


def _defined(path: str, text: str) -> set[tuple[str, ...]]:
    """The outermost functions and types of a text that is nothing else, but for imports; none where it is more."""
    outer = [symbol for symbol in kinds.declared(path, text) if symbol.depth == 0]
    inside = {row for symbol in outer for row in range(symbol.lead, symbol.last + 1)}
    rest = [line for row, line in enumerate(text.split("\n")) if row not in inside and line.strip()]
    whole = all(symbol.kind in (*kinds.CODE, *kinds.TYPES) and symbol.start == 0 for symbol in outer)
    return {symbol.parts for symbol in outer} if whole and all(map(_IMPORT.match, rest)) else set()
