"""The parts of a file shown in part, where they may stand, and the refusals in their words. Pure; places nothing."""

from __future__ import annotations

import re
from bisect import bisect_left
from itertools import accumulate, compress, islice

from ..diff import opcodes
from ..model import Merge, Splice
from ..parsing.elision import is_dotted
from ..problems import Near, Problem
from ..record import NamedTuple
from ..syntax.top import place_for
from ..text import BLANK, indent_of, is_blank
from .adapt import lexed_as, string_lines
from .indentation import evenly, learnt, own_unit
from .levels import Rung, trailing, trimmed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..model import Splice

    Found = tuple["Span", list[Splice]]
    from collections.abc import Callable


class Part(NamedTuple):
    """A segment without blank edges; how the marks around it are indented (None: no mark), its line in the patch.

    `lead`, `blanks`: how many blank lines it has at its beginning and end. `said`: the marks as they are written.
    """

    number: int
    lines: list[str]
    before: str | None
    after: str | None
    lead: int
    blanks: int
    line: int
    said: tuple[str, str] = ("", "")


class Window(NamedTuple):
    """The file and the rows a part may stand in. `bare`: its lines without their indentation.

    `habit`: the file is indented by "tabs", "spaces" or, "", by both. `path`: tells its language.
    """

    lines: Sequence[str]
    hay: Hay
    floor: int
    ceiling: int
    how: str
    bare: Hay
    habit: str = ""
    path: str = ""


class Span(NamedTuple):
    """Rows start..end of the file give way to `lines`; `head` and `tail` of these are anchors."""

    start: int
    end: int
    lines: list[str]
    head: int = 0
    tail: int = 0


def parts_of(merge: Merge) -> list[Part]:
    """The segments of a merge that hold any text."""
    count = len(merge.segments) - 1 + merge.open_start + merge.open_end
    marks: list[str | None] = [indent_of(mark) for mark in merge.marks] or [""] * count
    said = [*merge.marks] or [""] * count
    if not merge.open_start:
        marks, said = [None, *marks], ["", *said]
    if not merge.open_end:
        marks, said = [*marks, None], [*said, ""]
    made = []
    for number, segment in enumerate(merge.segments):
        lead, end = text_start(segment, 0), text_end(segment, len(segment))
        if lead < end:
            line = merge.rows[number] + lead if merge.rows else merge.patch_line
            core, blanks = list(segment[lead:end]), len(segment) - end
            around = said[number], said[number + 1]
            made.append(Part(number + 1, core, marks[number], marks[number + 1], lead, blanks, line, around))
    return made


def last_row(window: Window) -> int:
    """The row behind the file's last line of text."""
    bottom = len(window.lines)
    while bottom and is_blank(window.lines[bottom - 1]):
        bottom -= 1
    return bottom


# ── refusals ─────────────────────────────────────────────────────────────────────────────────────


def both_ends() -> str:
    """The advice that nearly always helps."""
    return "Begin and end the part with lines that stay, each standing in the file only once."


def unclear(part: Part, what: str, advice: str) -> Problem:
    """A part that can be read in two ways, or in none."""
    return Problem("elision", f"part {part.number} (`{part.lines[0].strip()}`) {what}", advice=advice)


def ambiguous(part: Part, window: Window, line: str, rows: list[int]) -> Problem:
    """An anchor that stands in several places."""
    listed = ", ".join(str(row + 1) for row in rows[:3]) + (", …" if len(rows) > 3 else "")
    near = tuple(Near(row + 1, tuple(window.lines[row : row + 1])) for row in rows[:3])
    detail = f"part {part.number}: `{line.strip()}` stands at more than one place: line {listed}"
    return Problem("ambiguous", detail, line=rows[0] + 1, advice="Add a neighbouring line that stays.", near=near)


def no_mark(part: Part, side: str) -> Problem:
    """A part at an edge of the file that neither holds that edge nor has a mark towards it."""
    edge = "first" if side == "before" else "last"
    detail = f"part {part.number} doesn't hold the file's {edge} line, and no mark {side} it says that lines stay there"
    return Problem("elision", detail, advice=f"Put a mark {side} the part, or the file's {edge} lines into it.")


def no_place(part: Part, window: Window) -> Problem:
    """A part for the top of the file, where something stands that must stay the first."""
    first = next((line for line in window.lines if not is_blank(line)), "")
    what = f"would go above or into what the file begins with (`{first.strip()[:60]}`)"
    return unclear(part, what, "Show the lines it goes between.")


def vain(part: Part, mark: str) -> Problem:
    """A mark without dots where the file has nothing to leave out: it may be a comment that is to be written."""
    what = f"has `{mark.strip()}` beside it, where the file has nothing that could be left out"
    return unclear(part, what, "Leave it out; to write it as a comment, use another format.")


def out_of_order(part: Part, window: Window, run: list[str]) -> Problem:
    """A part that stands before the one above it, or behind the one below."""
    rows = window.hay.rows(run, 0, window.hay.count)
    at = f" (line {rows[0] + 1})" if rows else ""
    return unclear(part, f"doesn't stand{at} between the parts around it", "Show the parts in the file's order.")


# ── anchors ─────────────────────────────────────────────────────────────────────────────────────────


_OPENINGS = ("if", "for", "while", "switch", "with", "elif", "else if", "} else if", "catch", "} catch", "else", "try")
_LONE = ("else", "end", "pass", "try", "do", "done", "fi", "esac", "return", "break", "continue", "default")
_LONGER = max(map(len, _LONE)) + 1
_CONTROLS = (
    "if", "for", "foreach", "while", "else", "elif", "elsif", "switch", "do", "then", "begin", "try", "case", "when",
    "unless", "until", "def", "fn", "func",
)  # fmt: skip
_HEADS = (
    "if",
    "for",
    "foreach",
    "while",
    "elif",
    "switch",
    "with",
    "unless",
    "until",
    "when",
    "case",
    "except",
    "catch",
)
_JUMPS = ("return", "raise", "throw", "yield", "break", "continue")


# With so many parts to place it pays to know where each line stands; below, the plain text is searched.
INDEX_PAYS = 16
# A run whose rarest line stands in more places is looked for in the text, too: that is the faster way then.
_MANY_PLACES = 256
# How far a run stands together is looked up place by place where its first line stands in no more than these.
_FEW_PLACES = 4


def rows_once(lines: Sequence[str], asked: set[str]) -> dict[str, int]:
    """The row of each line asked for that is there once; -1 where it is there more often."""
    rows: dict[str, int] = {}
    for row in compress(range(len(lines)), map(asked.__contains__, lines)):
        rows[lines[row]] = -1 if lines[row] in rows else row
    return rows


class Hay:
    """A file's lines under one way of comparing them: runs of them are found at the speed of `str.find`, or of a dict.

    `parts`: how many parts want a place in it. `asked`: lines of which `only` is to tell. What is needed for searching
    is made at the first search, and shared with the view `like` this one where both see the same.
    """

    __slots__ = ("_asked", "_like", "_lines", "_made", "_once", "_unit", "count", "key", "keys", "parts")

    def __init__(
        self,
        lines: Sequence[str],
        key: Callable[[str], str],
        parts: int = 1,
        asked: Sequence[str] = (),
        like: Hay | None = None,
    ) -> None:
        self.key = key
        self.keys = Rung("", key).keys
        self.count = len(lines)
        self.parts = parts
        self._lines = lines
        self._asked = asked
        self._like = like
        self._made: _Made | None = None
        self._once: dict[str, int] | None = None
        self._unit = ""

    @property
    def unit(self) -> str:
        """One level of indentation in the file."""
        self._unit = self._unit or own_unit(self._lines)
        return self._unit

    def compared(self, start: int, end: int) -> list[str]:
        """The lines start..end as they are compared."""
        return self._store().keys[start:end]

    def only(self, line: str) -> int:
        """The row of one of the lines asked for, if it stands in the file once; else -1."""
        once = self._once
        if once is None:
            once = self._once = rows_once(self._store().keys, {*self.keys(self._asked)})
        return once.get(self.key(line), -1)

    def rows(self, run: Sequence[str], floor: int, ceiling: int, limit: int = 4) -> list[int]:
        """The first rows, up to `limit` of them, at which the run stands inside floor..ceiling."""
        keys = self.keys(run)
        found: list[int] = []
        row = self._find(keys, floor, ceiling) if keys else -1
        while row >= 0 and len(found) < limit:
            found.append(row)
            row = self._find(keys, row + 1, ceiling) if len(found) < limit else -1
        return found

    def last(self, run: Sequence[str], floor: int, ceiling: int) -> int:
        """The last row at which the run stands inside floor..ceiling; -1 where it doesn't."""
        keys = self.keys(run)
        if not keys or floor + len(keys) > ceiling:
            return -1
        places = self._candidates(keys, floor, ceiling)
        if places is not None:
            return next((row for row in reversed(places) if self._stands(keys, row)), -1)
        return self._row(self._joined().rfind(_between_ends(keys), self._offset(floor), self._offset(ceiling) + 1))

    def head(self, run: Sequence[str]) -> int:
        """How many lines of the run, from its first on, stand together somewhere."""
        return self._longest(self.keys(run), False, (0, self.count))

    def tail(self, run: Sequence[str], floor: int, ceiling: int) -> int:
        """How many lines of the run, up to its last, stand together somewhere inside floor..ceiling."""
        return self._longest(self.keys(run), True, (floor, ceiling))

    def _longest(self, keys: list[str], from_end: bool, rows: tuple[int, int]) -> int:
        low, high = 0, min(len(keys), rows[1] - rows[0])
        if self.parts >= INDEX_PAYS and high > 0:
            edges = self._places().get(keys[-1 if from_end else 0], _NOWHERE)
            if len(edges) <= _FEW_PLACES:
                return max((self._reach(keys, row, from_end, rows) for row in edges), default=0)
        while low < high:
            middle = (low + high + 1) // 2
            part = keys[len(keys) - middle :] if from_end else keys[:middle]
            if self._find(part, *rows) >= 0:
                low = middle
            else:
                high = middle - 1
        return low

    def _reach(self, keys: list[str], row: int, from_end: bool, rows: tuple[int, int]) -> int:
        """How many of the keys stand from that row on, or up to it, inside of some rows."""
        if not rows[0] <= row < rows[1]:
            return 0
        there = self._store().keys
        if from_end:
            low = max(rows[0], row + 1 - len(keys))
            pairs = zip(reversed(keys), reversed(there[low : row + 1]), strict=False)
        else:
            pairs = zip(keys, there[row : min(rows[1], row + len(keys))], strict=False)
        count = 0
        for one, two in pairs:
            if one != two:
                break
            count += 1
        return count

    def _find(self, keys: list[str], floor: int, ceiling: int) -> int:
        """The first row at which the keys stand inside floor..ceiling; -1 where they don't."""
        if floor + len(keys) > ceiling:
            return -1
        places = self._candidates(keys, floor, ceiling)
        if places is not None:
            return next((row for row in places if self._stands(keys, row)), -1)
        return self._row(self._joined().find(_between_ends(keys), self._offset(floor), self._offset(ceiling) + 1))

    # ── by the places of each line ──

    def _candidates(self, keys: list[str], floor: int, ceiling: int) -> list[int] | None:
        """The rows inside floor..ceiling at which the rarest key stands as it should; None where they are many."""
        if self.parts < INDEX_PAYS:
            return None
        places = self._places()
        rarest, at = places.get(keys[0], _NOWHERE), 0
        for number, key in enumerate(keys):
            there = places.get(key, _NOWHERE)
            if len(there) < len(rarest):
                rarest, at = there, number
        if not rarest:
            return rarest
        first = bisect_left(rarest, floor + at)
        behind = bisect_left(rarest, ceiling - len(keys) + at + 1, first)
        return None if behind - first > _MANY_PLACES else [row - at for row in rarest[first:behind]]

    def _stands(self, keys: list[str], row: int) -> bool:
        return self._store().keys[row : row + len(keys)] == keys

    def _places(self) -> dict[str, list[int]]:
        made = self._store()
        if made.places is None:
            made.places = {}
            for row, key in enumerate(made.keys):
                made.places.setdefault(key, []).append(row)
        return made.places

    def _store(self) -> _Made:
        if self._made is None:
            keys = self.keys(self._lines)
            like = self._like and self._like._store()
            self._made = like if like and like.keys == keys else _Made(keys)
        return self._made

    # ── by the text ──

    def _joined(self) -> str:
        """The keys, each between two line ends."""
        made = self._store()
        if not made.ends:
            made.text = _between_ends(made.keys)
            made.ends = list(accumulate(map(len, made.keys), initial=0))
        return made.text

    def _offset(self, row: int) -> int:
        """Where the line end above a row stands."""
        return self._store().ends[row] + row

    def _row(self, offset: int) -> int:
        return bisect_left(range(self.count + 1), offset, key=self._offset) if offset >= 0 else -1


class _Made:
    """What was made of a file's lines for searching them: as compared, the rows of each, the text, the ends in it."""

    __slots__ = ("ends", "keys", "places", "text")

    def __init__(self, keys: list[str]) -> None:
        self.keys = keys
        self.places: dict[str, list[int]] | None = None
        self.text = ""
        self.ends: list[int] = []


_NOWHERE: list[int] = []
_words = re.compile(r"\w+")


def _between_ends(keys: list[str]) -> str:
    return "\n".join(["", *keys, ""])


# ── what lines tell ──────────────────────────────────────────────────────────────────────────────


def is_trivial(line: str) -> bool:
    """Whether a line says too little to mean one place: brackets, a lone keyword."""
    word = "".join(islice(filter(str.isalnum, line), _LONGER))
    return not word or word in _LONE


def is_closer(line: str) -> bool:
    """Whether a line only closes what stands above it."""
    bare = line.strip(BLANK)
    if bare.rstrip(";") in ("end", "fi", "done", "esac"):
        return True
    return bare[:1] in ("}", ")", "]") and not any(char.isalnum() for char in bare)


def opens_block(line: str) -> bool:
    """Whether lines below this one may be deeper: it opens a block or a bracket, or goes on."""
    bare = line.strip(BLANK)
    if bare.endswith((";", "}", "]", '"', "'", "`", "*/")) or (bare.endswith(")") and not _is_control(bare)):
        return False
    return bool(bare) and (not bare[-1].isalnum() or _is_control(bare))


def _is_control(bare: str) -> bool:
    """Whether a line without its block may begin one: C's `if (x)`, shell's `then`."""
    words = _word_list(bare)
    return bool(words) and (words[0] in _CONTROLS or words[-1] in _CONTROLS)


def depth(line: str) -> int:
    """How far a line is indented; a tab counts as four."""
    return len(indent_of(line).replace("\t", "    "))


def solid(lines: Sequence[str]) -> list[str]:
    """The lines that aren't blank."""
    return [line for line in lines if line.strip(BLANK)]


def text_end(lines: Sequence[str], count: int) -> int:
    """The count without blank lines at the end."""
    while count and is_blank(lines[count - 1]):
        count -= 1
    return count


def text_start(lines: Sequence[str], row: int) -> int:
    """The first row, from that one on, that isn't blank."""
    while row < len(lines) and is_blank(lines[row]):
        row += 1
    return row


def is_kin(new: str, there: str) -> bool:
    """Whether a line may be a new version of another: the same name is set or called, or most words are the same."""
    head = _head(new)
    if head and head == _head(there) and head not in _OPENINGS:
        return True
    first, second = _word_list(new), _word_list(there)
    if not first or not second:
        return False
    if first[0] == second[0] and first[0] in _JUMPS:
        return True
    if _grew(new.strip(BLANK), there.strip(BLANK)) and not new.rstrip(BLANK).endswith(("{", ":")):
        return True
    return len(set(first) & set(second)) >= 0.6 * len(set(first) | set(second))


def is_kin_head(new: str, there: str) -> bool:
    """Whether a line that heads a block may be a new version of another: a loop or condition, or a longer name."""
    first, second = _word_list(new), _word_list(there)
    if not first or not second or first[0] != second[0] or first[0] not in _HEADS:
        return _grew(new.strip(BLANK), there.strip(BLANK))
    return len(set(first) & set(second)) >= 0.6 * min(len(set(first)), len(set(second)))


def _grew(one: str, two: str) -> bool:
    """Whether one line is the other with some more signs in it: a name that got longer, an argument more."""
    short, long = sorted((one, two), key=len)
    start = next((at for at, sign in enumerate(short) if long[at] != sign), len(short))
    return len(short) >= 0.4 * len(long) and long.endswith(short[start:])


def _head(line: str) -> str:
    bare = line.strip(BLANK)
    return bare[: min((at for sign in "=(:" if (at := bare.find(sign)) >= 0), default=len(bare))].rstrip()


def _word_list(line: str) -> list[str]:
    return _words.findall(line)


# ── bounds ──────────────────────────────────────────────────────────────────────────────────────────


_FEW = 60


def is_accounted(window: Window, span: Span) -> bool:
    """Whether every line that would go comes again in another form, and no line comes that follows right below."""
    if span.end - span.start > 2 * len(span.lines) + _FEW:
        return False
    if len(solid(window.lines[span.start : span.end])) > len(solid(span.lines)):
        return False  # more lines go than come
    gone, new = _changed(window, span)
    if len(gone) > min(len(new), _FEW) or not all(any(is_kin(line, other) for line in new) for other in gone):
        return False
    return not stands_in(new, window.lines[span.end : min(span.end + len(span.lines), window.ceiling)])


def comes_again(part: Part, window: Window, span: Span) -> Problem | None:
    """A problem where the part's first or last line stands again in what would go: the part may begin or end there."""
    key = window.hay.key
    first, last = span.start + span.head, span.end - span.tail
    gone = [key(line) for line in window.lines[first:last]]
    inner = [key(line) for line in span.lines[span.head : len(span.lines) - span.tail]]
    for edge, row in ((part.lines[0], span.start), (part.lines[-1], span.end - 1)):
        there = key(edge)
        if there in gone and not is_trivial(edge) and gone.count(there) > inner.count(there):
            return ambiguous(part, window, edge, sorted((row, first + gone.index(there))))
    return None


def loss(window: Window, span: Span) -> int:
    """How many lines of the file a span takes away for good."""
    return len(solid(window.lines[span.start + span.head : span.end - span.tail]))


def differences(lines: Sequence[str], span: Span, how: str) -> list[Splice]:
    """What really changes; the rest keeps the file's bytes, and so do lines that only lost blanks at their ends."""
    old, new = lines[span.start : span.end], span.lines
    ranges = opcodes([line.rstrip(BLANK) for line in old], [line.rstrip(BLANK) for line in new])
    return [Splice(span.start + a, span.start + b, tuple(new[c:d]), how) for a, b, c, d in ranges]


def edge_doubt(part: Part, window: Window, span: Span, splices: list[Splice]) -> Problem | None:
    """A problem where blank lines between the part and its marks aren't in the file: lines may be meant to go there.

    One blank line often only sets off the mark.
    """
    if not part.lead and not part.blanks:
        return None
    new = [line for splice in splices for line in splice.lines]
    low = max(window.floor, span.start - max(part.lead, len(part.lines) + 2))
    high = min(window.ceiling, span.end + max(part.blanks, len(part.lines) + 2))
    for mark, blanks, edge, beyond in (
        (part.after, part.blanks, part.lines[-1], window.lines[span.end : high]),
        (part.before, part.lead, part.lines[0], window.lines[low : span.start][::-1]),
    ):
        there = next((at for at, line in enumerate(beyond[:blanks]) if not is_blank(line)), blanks)
        near = solid(beyond[: len(part.lines) + 2])
        if mark is None or there == blanks or not near:
            continue
        doubtful = not splices or _goes_on(mark, edge, near[0]) or stands_in(new, near)
        if blanks - there > 1 or (doubtful and not opens_block(edge)):
            what = "has blank lines at its edge that the file doesn't have; it isn't clear whether lines go there"
            return unclear(part, what, both_ends())
    return None


def _goes_on(mark: str, edge: str, beyond: str) -> bool:
    """Whether the file goes on behind a part as it ended, and the mark doesn't stand there like one line more."""
    return not is_trivial(beyond) and depth(beyond) == depth(edge) and not 0 < depth(mark) == depth(edge)


def moved_line(part: Part, window: Window, splices: list[Splice]) -> Problem | None:
    """A problem where lines are indented otherwise, and no block that is opened or closed around them says why."""
    row = next((splice.start for splice in splices if _is_stray(window, splice)), -1) if window.habit else -1
    unit = 0
    for splice in splices if row < 0 else ():
        shift = low = 0
        for moved, at in _moved_rows(window.lines, splice):
            unit = unit or depth(window.hay.unit + "x")
            new = depth(splice.lines[at])
            # Lines that go on as far in as the one above moved with it.
            if new - depth(window.lines[moved]) == shift != 0 and new >= low:
                continue
            if not _is_rewrapped(window.lines, splice, (moved, at), unit):
                row = moved if row < 0 else row
            shift, low = new - depth(window.lines[moved]), new
    if row < 0:
        return None
    detail = f"line {row + 1} is shown with another indentation; is it meant to move?"
    advice = "Show unchanged lines exactly as they are; to move them use another format."
    return Problem("elision", detail, line=row + 1, advice=advice)


def _is_stray(window: Window, splice: Splice) -> bool:
    """Whether new lines are indented by tabs in a file that has none, or by spaces in one that has but tabs."""
    wrong = {"spaces": "\t", "tabs": "  "}.get(window.habit)
    return wrong is not None and any(line.startswith(wrong) and not is_blank(line) for line in splice.lines)


def _moved_rows(lines: Sequence[str], splice: Splice) -> list[tuple[int, int]]:
    """Rows of the file that the splice has too, or a new version of them, but indented otherwise; where it has them."""
    gone, come = splice.end - splice.start, len(splice.lines)
    if not gone or not come or (gone == 1 == come and indent_of(lines[splice.start]) == indent_of(splice.lines[0])):
        return []
    rows = [row for row in range(splice.start, splice.end) if not is_blank(lines[row])]
    ats = [at for at, line in enumerate(splice.lines) if not is_blank(line)]
    new = {splice.lines[at].strip(BLANK): at for at in ats}
    kept = {line.rstrip(BLANK) for line in splice.lines}
    pairs = [(row, new.get(lines[row].strip(BLANK), -1)) for row in rows if lines[row].rstrip(BLANK) not in kept]
    found = [(row, at) for row, at in pairs if at >= 0]
    if not found and len(rows) == len(ats):
        pairs = list(zip(rows, ats, strict=True))
        found = [(row, at) for row, at in pairs if is_kin(splice.lines[at], lines[row])]
    return [(row, at) for row, at in found if indent_of(lines[row]) != indent_of(splice.lines[at])]


def _is_rewrapped(lines: Sequence[str], splice: Splice, moved: tuple[int, int], unit: int) -> bool:
    """Whether a line moves by one level because a new line above it opens a block, or one that opened it goes."""
    row, at = moved
    old, new = depth(lines[row]), depth(splice.lines[at])
    if new == old + unit:
        opener = next((line for line in reversed(splice.lines[:at]) if _is_outer(line, new)), "")
        return depth(opener) == old and opens_block(opener) and opener not in lines[splice.start : row]
    opener = next((lines[k] for k in range(row - 1, splice.start - 1, -1) if _is_outer(lines[k], old)), "")
    above = next((line for line in reversed(splice.lines[:at]) if not is_blank(line)), "")
    return new == old - unit and depth(opener) == new and opens_block(opener) and not (above and opens_block(above))


def _changed(window: Window, span: Span) -> tuple[list[str], list[str]]:
    """The lines that go and those that come, blank ones aside."""
    old, key = window.lines[span.start : span.end], window.hay.key
    ranges = opcodes([key(line) for line in old], [key(line) for line in span.lines])
    gone = [line for start, end, _, _ in ranges for line in old[start:end]]
    return solid(gone), solid([line for _, _, start, end in ranges for line in span.lines[start:end]])


def stands_in(new: Sequence[str], there: Sequence[str]) -> bool:
    """Whether a line that says something is among others."""
    known = {line.strip(BLANK) for line in there if not is_trivial(line)}
    return any(line.strip(BLANK) in known for line in new)


def block_end(part: Part, window: Window, start: int, head: int) -> int:
    """The row that closes the block which the part's head opens or stands in, if the part ends with it; else -1."""
    last = part.lines[-1]
    if len(part.lines) < 2 or not is_closer(last):
        return -1
    level = depth(last)
    outer = next((at for at in range(len(part.lines) - 2, -1, -1) if _is_outer(part.lines[at], level + 1)), -1)
    if outer >= max(head, 1) or (outer >= 0 and depth(part.lines[outer]) < level) or (outer < 0 and not head):
        return -1
    row = start + outer if outer >= 0 else start + head - 1
    shift = depth(window.lines[row]) - depth(part.lines[outer if outer >= 0 else head - 1])
    within = depth(window.lines[row]) + (1 if outer >= 0 else 0)
    for at in range(row + 1, window.ceiling):
        line = window.lines[at]
        if _is_outer(line, within):
            return at if line.strip(BLANK) == last.strip(BLANK) and depth(line) == level + shift else -1
    return -1


def in_other_block(part: Part, window: Window, span: Span) -> bool:
    """Whether the end's anchor stands in a block of the file that the part would take away, not in the part's own.

    Then the part may as well hold new lines that only look like those: another function that ends the same way.
    """
    tail = next((k for k in range(span.tail, 0, -1) if not is_trivial(part.lines[-k])), 0)
    if not tail:
        return False
    at, row = len(part.lines) - tail, span.end - tail
    there = depth(window.lines[row])
    if not there:
        return False  # nothing is outer
    gone = next((k for k in range(row - 1, span.start + span.head - 1, -1) if _is_outer(window.lines[k], there)), -1)
    if gone < 0 or gone >= span.end - span.tail:
        return False
    level = depth(window.lines[gone])
    if any(not is_trivial(line) and depth(line) <= level for line in window.lines[row : span.end]):
        # The anchor reaches beyond the block: new lines that look like it would not have the same neighbour.
        return False
    if _is_left_deep(part, at, level):
        return False
    inner = depth(part.lines[at])
    opens = next((k for k in range(at - 1, -1, -1) if _is_outer(part.lines[k], inner)), -1)
    if opens < span.head or is_kin(part.lines[opens], window.lines[gone]):
        return opens < span.head
    body = [line for line in part.lines[at:] if not is_trivial(line)]
    beside = opens == at - 1 and gone == row - 1
    return len(body) < 2 or not beside or not is_kin_head(part.lines[opens], window.lines[gone])


def is_inside(part: Part, window: Window, span: Span) -> bool:
    """Whether everything that would go lies as deep as what the part shows: no function ends or begins in it."""
    level = min(depth(line) for line in solid(part.lines))
    gone = window.lines[span.start + span.head : span.end - span.tail]
    return not any(_is_outer(line, level) for line in gone)


def _is_left_deep(part: Part, at: int, level: int) -> bool:
    """Whether a line is deeper than the one above it allows: nobody writes it so, it was left when its block went."""
    above = next((line for line in reversed(part.lines[:at]) if not is_blank(line)), "")
    return depth(above) < depth(part.lines[at]) and (not opens_block(above) or depth(above) < level)


def _is_outer(line: str, level: int) -> bool:
    return not is_blank(line) and depth(line) < level


# ── once ────────────────────────────────────────────────────────────────────────────────────────────


_BLANKS = (" ", "\t")


def placed_once(part: Part, window: Window) -> Found | None:
    """The part between two lines of which each means one row, however it is compared; or None.

    Such anchors have no second place, nearer together or indented otherwise, and don't come again in what goes.
    """
    said, hay = part.lines, window.hay
    start, last = window.bare.only(said[0]), hay.only(said[-1])
    if start < window.floor or not start <= last < window.ceiling or part.before is None or part.after is None:
        return None
    if is_trivial(said[0]) or is_trivial(said[-1]):
        return None
    old, new = hay.compared(start, last + 1), hay.keys(said)
    room = min(len(old), len(new))
    head, tail = 0, 1
    while head < room and old[head] == new[head]:
        head += 1
    if head == room:
        # Else the last line stands among the first ones already.
        unchanged = Span(start, last + 1, said, head), list[Splice]()
        return unchanged if len(old) == len(new) and not edge_doubt(part, window, *unchanged) else None
    if not head:
        return None
    while tail < room - head and old[-1 - tail] == new[-1 - tail]:
        tail += 1
    gone, come = len(old) - tail - head, len(new) - tail - head
    span = Span(start, last + 1, said, head, tail)
    # A last line that isn't indented stands in no block.
    if new[-1][:1] in _BLANKS and in_other_block(part, window, span):
        return None
    if gone and come and gone + come > 3:
        splices = differences(window.lines, span, "exact")
    else:
        splices = [Splice(start + head, start + head + gone, tuple(said[head : head + come]), "exact")]
    if edge_doubt(part, window, span, splices) or moved_line(part, window, splices):
        return None
    return span, splices


# ── between ─────────────────────────────────────────────────────────────────────────────────────────


_MANY = 8


def between(part: Part, window: Window) -> Span | Problem:
    """The part between an anchor at its beginning and one at its end; an edge of the file may be either."""
    start, head = beginning(part, window)
    if isinstance(start, Problem) or start < 0:
        row = _above_pivot(part, window, head)
        row = row if row >= 0 else _inside(part, window, head)
        if row < 0:
            nothing = unclear(part, "begins with nothing that means one place", both_ends())
            return start if isinstance(start, Problem) else nothing
        start = row
    if head == len(part.lines) and part.after is not None:
        return Span(start, start + head, part.lines, head)
    end, tail = _end(part, window._replace(floor=start + head), start, head)
    if isinstance(end, Problem):
        return end
    if end < 0:
        return unclear(part, "stands in the file with one of its ends only", both_ends())
    span = Span(start, end, part.lines, head, tail)
    return _unshown(part, window, span) or _nearest(part, window, span)


def beginning(part: Part, window: Window) -> tuple[int, int] | tuple[Problem, int]:
    """The row where the part begins (-1: it says too little), and how many of its lines anchor it there."""
    head = text_end(part.lines, window.hay.head(part.lines))
    if part.before is None:
        top = next((row for row, line in enumerate(window.lines) if not is_blank(line)), 0)
        same_head = _common(window, part.lines, top)
        if not same_head and (row := place_for(part.lines, window.lines, window.path)) > 0:
            # What must stay first needn't be shown: shebang, licence, `package`.
            top = text_start(window.lines, row)
            same_head = _common(window, part.lines, top)
        if same_head or not head:
            return top, same_head
        return no_mark(part, "before"), 0
    if all(is_trivial(line) for line in part.lines[:head]):
        return -1, head
    rows = window.hay.rows(part.lines[:head], window.floor, window.ceiling)
    if len(rows) > 1:
        return ambiguous(part, window, part.lines[0], rows), head
    if not rows:
        return out_of_order(part, window, part.lines[:head]), 0
    return rows[0], head


def ending(part: Part, window: Window, head: int) -> int:
    """How many lines at the end of the part, behind its head, stand together somewhere in the window."""
    rest = part.lines[head:]
    return len(rest) - text_start(rest, len(rest) - window.hay.tail(rest, window.floor, window.ceiling))


def common_tail(window: Window, lines: list[str], bottom: int) -> int:
    """How many of the lines, up to the last, stand directly above that row."""
    key = window.hay.key
    count = 0
    above = window.lines[max(window.floor, bottom - len(lines)) : bottom]
    for line, there in zip(reversed(lines), reversed(above), strict=False):
        if key(line) != key(there):
            break
        count += 1
    return len(lines) - text_start(lines, len(lines) - count)


def _common(window: Window, lines: list[str], row: int) -> int:
    """How many of the lines stand from that row on."""
    key = window.hay.key
    count = 0
    for line, there in zip(lines, window.lines[row : row + len(lines)], strict=False):
        if key(line) != key(there):
            break
        count += 1
    return text_end(lines, count)


def _end(part: Part, window: Window, start: int, head: int) -> tuple[int, int] | tuple[Problem, int]:
    """The row behind the part's end (-1: unknown), and how many of its lines anchor it there."""
    if part.after is None:
        return _bottom(part, window, start, head)
    closing = block_end(part, window, start, head) + 1
    below = window.lines[closing : min(closing + len(part.lines), window.ceiling)]
    if closing and not stands_in(part.lines[head:], below):
        return closing, common_tail(window, part.lines[head:], closing)
    tail = ending(part, window, head)
    run = part.lines[len(part.lines) - tail :]
    rows = window.hay.rows(run, window.floor, window.ceiling, _MANY)
    spans = [Span(start, row + tail, part.lines, head, tail) for row in rows]
    if len(spans) == 1 and not all(map(is_trivial, run)) and not in_other_block(part, window, spans[0]):
        return spans[0].end, tail
    pivot = _below_pivot(part, window, spans[0]) if spans else None
    whole = [span for span in spans if is_accounted(window, pivot._replace(end=span.end))] if pivot else []
    if len(whole) == 1:
        return whole[0].end, tail
    if not rows or all(is_trivial(line) for line in run):
        return -1, 0
    fits = [span for span in spans if not in_other_block(part, window, span)]
    if len(fits) > 1:
        inside = [span for span in fits if is_inside(part, window, span)]
        fits = inside if inside and inside == spans[:1] else fits
    if not fits:
        return unclear(part, "ends with a line that stands in another block of the file", both_ends()), 0
    if len(fits) > 1 or len(rows) == _MANY:
        return ambiguous(part, window, part.lines[-1], [row + tail - 1 for row in rows]), 0
    return fits[0].end, tail


def _bottom(part: Part, window: Window, start: int, head: int) -> tuple[int, int] | tuple[Problem, int]:
    """The file's last row, for a part without a mark behind it."""
    bottom = last_row(window)
    if head == len(part.lines) and start + head == bottom:
        return bottom, 0
    tail = common_tail(window, part.lines[head:], bottom)
    span = Span(start, bottom, part.lines, head, tail)
    if is_accounted(window, _below_pivot(part, window, span)):
        return bottom, tail
    if not tail or in_other_block(part, window, span):
        return no_mark(part, "behind"), 0
    return bottom, tail


def _above_pivot(part: Part, window: Window, head: int) -> int:
    """The row of a head that is no anchor by itself, if it stands right above a line that is one; else -1.

    Right above: what lies between them in the file comes again in the part, so that nothing is lost by reading it so.
    """
    if not head or part.before is None:
        return -1
    at, row = _pivot(part, window, range(head, len(part.lines)))
    start = window.hay.last(part.lines[:head], window.floor, row) if row >= 0 else -1
    return start if start >= 0 and is_accounted(window, Span(start, row + 1, part.lines[: at + 1], head, 1)) else -1


def _inside(part: Part, window: Window, head: int) -> int:
    """The row of a head with several places, if all but one lie outside of the block that the part ends in; else -1."""
    tail = ending(part, window, head)
    run, top = part.lines[len(part.lines) - tail :], part.lines[:head]
    if part.before is None or part.after is None or all(map(is_trivial, run)) or all(map(is_trivial, top)):
        return -1
    ends = window.hay.rows(run, window.floor, window.ceiling, 2)
    rows = window.hay.rows(top, window.floor, ends[0], _MANY) if len(ends) == 1 else []
    fits = [row for row in rows if is_inside(part, window, Span(row, ends[0] + tail, part.lines, head, tail))]
    return fits[0] if fits and fits == rows[-1:] and len(rows) < _MANY else -1


def _below_pivot(part: Part, window: Window, span: Span) -> Span:
    """The last stretch of a span: from the line above its end that stands in the file once."""
    at, row = _pivot(part, window, range(len(part.lines) - span.tail - 1, span.head - 1, -1))
    return Span(row, span.end, part.lines[at:], 1, span.tail) if row >= 0 else span


def _pivot(part: Part, window: Window, rows: range) -> tuple[int, int]:
    """The first of some rows of the part whose line stands in the window once, and where; -1 and -1 if none does."""
    telling = [at for at in rows if not is_trivial(part.lines[at])]
    for at in telling[:_MANY]:
        found = window.hay.rows([part.lines[at]], window.floor, window.ceiling, 2)
        if len(found) == 1:
            return at, found[0]
    return -1, -1


def _unshown(part: Part, window: Window, span: Span) -> Problem | None:
    """An edge of the file without a mark takes away only lines that come again in another form."""
    if part.before is None and all(_is_short(line) for line in part.lines[: span.head]):
        at, row = _pivot(part, window, range(span.head, len(part.lines)))
        top = Span(span.start, row + 1, part.lines[: at + 1], span.head, 1) if row >= 0 else span
        if not is_accounted(window, top):
            return no_mark(part, "before")
    if part.after is not None or not all(is_trivial(line) for line in part.lines[len(part.lines) - span.tail :]):
        return None
    if block_end(part, window._replace(ceiling=len(window.lines)), span.start, span.head) + 1 == span.end:
        return None
    return None if is_accounted(window, _below_pivot(part, window, span)) else no_mark(part, "behind")


def _nearest(part: Part, window: Window, span: Span) -> Span | Problem:
    """The part where it was found, unless its ends stand nearer together: a new line may be an old one elsewhere."""
    near = span
    last = next((k for k in range(1, span.tail + 1) if not is_trivial(part.lines[-k])), 0)
    if part.before is not None and (last or part.after is None):
        first = next((at for at, line in enumerate(part.lines[: span.head]) if not is_trivial(line)), 0)
        near = _moved_up(part, window, span, window.hay.last(part.lines[: first + 1], span.start + 1, span.end - last))
    if part.after is not None and near is span:
        rows = window.hay.rows(part.lines[-last:] if last else [], span.start + span.head, span.end - 1, 1)
        if rows:
            tail = common_tail(window._replace(floor=span.start + span.head), part.lines[span.head :], rows[0] + last)
            near = near._replace(end=rows[0] + last, tail=tail)
    alike = near.tail >= span.tail - 1
    if near is span or near.head < span.head - 1 or near.tail < last or (near.start == span.start and not alike):
        return span
    if is_accounted(window, span):
        return span
    # What the near reading takes for new may not stand right above it.
    above = window.lines[max(near.start - len(part.lines), window.floor) : near.start]
    torn = near.head < span.head and stands_in(part.lines[near.head : span.head], above)
    if not torn and (not loss(window, near) or (alike and is_accounted(window, near))):
        return near
    if not alike or loss(window, near) >= loss(window, span):
        return span
    rows = [span.start, near.start] if near.start != span.start else [span.end - 1, near.end - 1]
    return ambiguous(part, window, window.lines[rows[0]], sorted(rows))


def _moved_up(part: Part, window: Window, span: Span, start: int) -> Span:
    """The span with a later beginning; as many lines at its end are anchors as then stand there."""
    if start < 0:
        return span
    head = _common(window, part.lines[: len(part.lines) - 1], start)
    tail = common_tail(window._replace(floor=start + head), part.lines[head:], span.end)
    return span._replace(start=start, head=head, tail=tail)


def _is_short(line: str) -> bool:
    """Whether a line at the top of a file may be the first one of something else as well; a ruler is none."""
    return is_trivial(line) and len(line.strip()) < 8


# ── beside ──────────────────────────────────────────────────────────────────────────────────────────


def beside(part: Part, window: Window) -> Span | Problem:
    """New lines directly behind or before the one anchor that the part has, towards a mark."""
    start, head = beginning(part, window)
    if isinstance(start, Problem):
        return start
    if part.before is None and not head and place_for(part.lines, window.lines, window.path) < 0:
        return no_place(part, window)
    if start >= 0 and part.after is not None:
        return _behind(part, window, start + head, head)
    if start >= 0:
        return no_mark(part, "behind")
    bottom = last_row(window) if part.after is None else 0
    tail = ending(part, window, 0) if part.after is not None else common_tail(window, part.lines, bottom)
    run = part.lines[len(part.lines) - tail :]
    rows = window.hay.rows(run, window.floor, window.ceiling) if not all(is_trivial(line) for line in run) else []
    if part.after is None:
        rows = rows and [bottom - tail]
    if len(rows) > 1:
        return ambiguous(part, window, part.lines[-1], [row + tail - 1 for row in rows])
    if rows:
        return _ahead(part, window, rows[0], tail)
    return unclear(part, "has no line at its beginning or end that stands in the file once", both_ends())


def _behind(part: Part, window: Window, row: int, head: int) -> Span | Problem:
    rest = part.lines[head:]
    if problem := _stands(part, window, rest, (row, window.ceiling)) or _ends_elsewhere(part, window):
        return problem
    new = solid(rest)
    if is_trivial(new[-1]) and not _is_enclosed(new):
        return unclear(part, "ends with a line that says too little to anchor it", both_ends())
    following = _texts(window, range(row, window.ceiling), min(len(new) + 2, _FEW))
    if _are_kin(new, following):
        return unclear(part, "may replace the lines below its anchor or come before them", both_ends())
    if part.blanks and following and not _is_gap(part, window, row, new):
        return unclear(part, "may replace the lines below its anchor up to a blank one", both_ends())
    if head:
        level, inner = depth(part.lines[head - 1]), depth(part.after or "")
        if depth(new[0]) > level and inner <= level:
            return unclear(part, "may replace the block below its anchor or add to it", both_ends())
        if depth(new[0]) <= level and following and depth(following[0]) > depth(window.lines[row - 1]):
            return unclear(part, "would cut a block off from its first line", both_ends())
    gap = part.blanks if row < len(window.lines) and not is_blank(window.lines[row]) else 0
    return Span(row - head, row, [*part.lines, *[""] * gap], head)


def _ahead(part: Part, window: Window, row: int, tail: int) -> Span | Problem:
    rest = part.lines[: len(part.lines) - tail]
    if problem := _stands(part, window, rest, (window.floor, row)):
        return problem
    new = solid(rest)
    if is_trivial(new[0]):
        return unclear(part, "begins with a line that says too little to anchor it", both_ends())
    preceding = _texts(window, range(row - 1, window.floor - 1, -1), min(len(new) + 2, _FEW))
    if _are_kin(new, preceding):
        return unclear(part, "may replace the lines above its anchor or come after them", both_ends())
    if part.lead and preceding and (not is_blank(window.lines[row - 1]) or is_blank(rest[-1])):
        return unclear(part, "may replace the lines above its anchor up to a blank one", both_ends())
    if any(depth(line) < depth(part.lines[-tail]) for line in new):
        return unclear(part, "would cut a block off from its first line", both_ends())
    return Span(row, row + tail, part.lines, 0, tail)


def _is_gap(part: Part, window: Window, row: int, new: list[str]) -> bool:
    """Whether the blank line between the part and its mark is there, or only sets off a mark inside the block."""
    if is_blank(window.lines[row]):
        return bool(part.lines[-len(new)].strip(BLANK)) and not _has_blank_before(part, new)
    return part.blanks == 1 and depth(part.after or "") == depth(new[0]) > 0


def _has_blank_before(part: Part, new: list[str]) -> bool:
    at = part.lines.index(new[0])
    return at > 0 and is_blank(part.lines[at - 1])


def _is_enclosed(new: list[str]) -> bool:
    """Whether the last of the new lines belongs to a block that they open themselves."""
    level = depth(new[-1]) + is_closer(new[-1])
    return any(depth(line) < level and not is_trivial(line) for line in new[:-1])


def _are_kin(new: list[str], there: list[str]) -> bool:
    """Whether one of the new lines may be another version of one that would stay beside it."""
    told = [line for line in new if not is_trivial(line)]
    return any(is_kin(line, other) or is_kin_head(line, other) for line in told for other in there)


def _ends_elsewhere(part: Part, window: Window) -> Problem | None:
    """A problem where the part's last line stands in the file: what was taken for its only anchor may be no anchor."""
    last = part.lines[-1]
    rows = [] if is_trivial(last) else window.hay.rows([last], 0, window.hay.count, 1)
    return _standing(part, last, rows[0]) if rows else None


def _texts(window: Window, rows: range, count: int) -> list[str]:
    """The first lines of text at some rows."""
    return list(islice((window.lines[row] for row in rows if not is_blank(window.lines[row])), count))


def _stands(part: Part, window: Window, rest: list[str], rows: tuple[int, int]) -> Problem | None:
    """A problem where a line that would be added stands there already: then it isn't known what was meant."""
    for line in rest:
        found = [] if is_trivial(line) else window.bare.rows([line], *rows, 1)
        if found:
            return _standing(part, line, found[0])
    return None


def _standing(part: Part, line: str, row: int) -> Problem:
    detail = f"part {part.number}: `{line.strip()}` stands at line {row + 1} already, but not where the part has it"
    return Problem("ambiguous", detail, line=row + 1, advice=both_ends())


# ── merge ───────────────────────────────────────────────────────────────────────────────────────────


def resolve(lines: list[str], merge: Merge, path: str = "") -> list[Splice] | Problem:
    """The splices that make the file what the parts show. `path`: tells what must stay at its top."""
    if not merge.open_start and not merge.open_end and len(merge.segments) == 1:
        return differences(lines, Span(0, len(lines), list(merge.segments[0])), "exact")
    parts = parts_of(merge)
    # Blanks at line ends never tell two places apart.
    ends = [line for part in parts for line in (part.lines[0], part.lines[-1])]
    hay = Hay(lines, trailing, len(parts), ends)
    bare = Hay(lines, trimmed, len(parts), ends, hay)
    exact = Window(lines, hay, 0, len(lines), "exact", bare, _habit(lines), path)
    windows = [exact, exact._replace(hay=bare, how="indentation")]
    made = _in_order(parts, windows)
    if isinstance(made, Problem) and len(parts) > 1 and not any(map(_is_weak, merge.marks)):
        alone = _each_alone(parts, windows)
        return made if alone is None else alone
    return made


def _is_weak(mark: str) -> bool:
    """Whether a mark is only a comment's words, without dots."""
    return mark.strip(BLANK) != "" and not is_dotted(mark)


def _habit(lines: list[str]) -> str:
    text = "\n".join(["", *lines])
    tabs, spaces = "\n\t" in text, "\n  " in text
    return "" if tabs == spaces else "tabs" if tabs else "spaces"


def _in_order(parts: list[Part], windows: list[Window]) -> list[Splice] | Problem:
    """The parts one below the other."""
    floor = 0
    splices: list[Splice] = []
    for part, ceiling in zip(parts, _ceilings(parts, windows[0].hay), strict=True):
        window = _narrowed(windows[0], floor, ceiling)
        made = placed_once(part, window) or _placed(part, [window, _narrowed(windows[1], floor, ceiling)], True)
        if isinstance(made, Problem):
            return made._replace(patch_line=part.line)
        span, found = made
        if _is_weak(part.said[0]) and not solid(window.lines[floor : span.start]):
            return vain(part, part.said[0])
        floor = max(floor, span.end)
        splices += found
    if parts and _is_weak(parts[-1].said[1]) and not solid(windows[0].lines[floor:]):
        return vain(parts[-1], parts[-1].said[1])
    return splices


def _narrowed(one: Window, floor: int, ceiling: int) -> Window:
    return Window(one.lines, one.hay, floor, ceiling, one.how, one.bare, one.habit, one.path)


def _each_alone(parts: list[Part], windows: list[Window]) -> list[Splice] | None:
    """The parts wherever they stand, if each has two anchors that stand in the file once, and none meets another."""
    found: list[Found] = []
    taken = bytearray(windows[0].hay.count)
    for part in parts:
        made = placed_once(part, windows[0]) or _placed(part, windows, False)
        if isinstance(made, Problem):
            return None
        start, end = made[0].start, made[0].end
        # At once: parts that all hold much of the file would each be compared with much of it.
        if taken.find(1, start, end) >= 0:
            return None
        taken[start:end] = b"\1" * (end - start)
        found.append(made)
    found.sort(key=lambda one: one[0].start)
    return [splice for _, splices in found for splice in splices]


def _ceilings(parts: list[Part], hay: Hay) -> list[int]:
    """For each part the row where the next one begins that has only one place to begin at."""
    found: list[int] = []
    ceiling = hay.count
    for part in reversed(parts):
        found.append(ceiling)
        row = hay.only(part.lines[0])
        if row >= 0 and not is_trivial(part.lines[0]):
            ceiling = min(ceiling, row)
            continue
        head = part.lines[: hay.head(part.lines)]
        rows = hay.rows(head, 0, hay.count, 2)
        if len(rows) == 1 and not all(is_trivial(line) for line in head):
            ceiling = min(ceiling, rows[0])
    return found[::-1]


def _placed(part: Part, windows: list[Window], alone: bool) -> Found | Problem:
    """The first way of comparing that gives the part two anchors; else, if `alone`, the first that gives it one."""

    first: Problem | None = None
    for find in (between, beside) if alone else (between,):
        for window in windows:
            made = find(part, window)
            if isinstance(made, Span):
                doubt = comes_again(part, window, made)
                if doubt and is_accounted(window, made):
                    doubt = None
                return doubt or _rivalled(part, windows, window, made) or _spliced(part, window, made)
            if first is None or (first.kind == "elision" and made.kind == "ambiguous"):
                first = made
            if made.kind == "ambiguous" and window.how == "exact":
                return made
    assert first is not None
    return first


def _rivalled(part: Part, windows: list[Window], window: Window, span: Span) -> Problem | None:
    """A problem where more of the part stands elsewhere, indented otherwise, and much would be lost here."""
    loose = windows[-1]
    if window is loose or loose.hay.head(part.lines) <= span.head or is_accounted(window, span):
        return None
    rows = loose.hay.rows(part.lines[: loose.hay.head(part.lines)], window.floor, window.ceiling)
    return ambiguous(part, window, part.lines[0], sorted({span.start, *rows})) if {*rows} - {span.start} else None


def _spliced(part: Part, window: Window, span: Span) -> Found | Problem:
    """What really changes, unless something in it is doubtful."""
    if window.how != "exact":
        moved = _indented(part, window, span)
        if isinstance(moved, Problem):
            return moved
        span = moved
    splices = differences(window.lines, span, window.how)
    if window.how != "exact" and any(one.start == one.end and all(map(is_trivial, one.lines)) for one in splices):
        return unclear(
            part, "is indented otherwise than the file and adds nothing but brackets", "Copy the lines exactly."
        )
    doubt = edge_doubt(part, window, span, splices) or moved_line(part, window, splices)
    return doubt or (span, splices)


def _indented(part: Part, window: Window, span: Span) -> Span | Problem:
    """The part's lines indented as its anchors show, if those show one way only."""
    said = span.lines[: span.head] + (span.lines[-span.tail :] if span.tail else [])
    there = [*window.lines[span.start : span.start + span.head], *window.lines[span.end - span.tail : span.end]]
    table = learnt(said, there)
    same_table = table is not None and all(key == value for key, value in table.items())
    moved = span.lines if same_table else evenly(span.lines, table or {}, window.hay.unit)
    if moved is not None and (same_table or _is_sensible(span.lines, table or {})):
        lines = moved if same_table else _with_strings(span, moved, window.path)
        return span._replace(lines=lines)
    return unclear(part, "is indented otherwise than the file, and not in one way only", "Copy the lines exactly.")


def _with_strings(span: Span, moved: list[str], path: str) -> list[str]:
    """The lines as they were moved, but for the contents of new strings."""
    anchors = {*range(span.head), *range(len(span.lines) - span.tail, len(span.lines))}
    lines = list(moved)
    for row, opener in string_lines(span.lines, lexed_as(path)).items():
        lines[row] = span.lines[row] if not anchors & {row, opener} else lines[row]
    return lines


def _is_sensible(lines: list[str], table: dict[str, str]) -> bool:
    """Whether every line whose indentation no anchor shows stands as it can: no closing bracket, none left deep."""
    above = ""
    for line in (line for line in lines if line.strip(BLANK)):
        deep = depth(line) > depth(above) and (not opens_block(above) or above.rstrip(BLANK).endswith(","))
        flat = above.rstrip(BLANK).endswith(("{", ":")) and depth(line) <= depth(above)
        if indent_of(line) not in table and (deep or flat or is_closer(line)):
            return False
        above = line
    return True
