"""Changes as operations of a format: what changed, with as few lines around it as leave one place. Knows no format.

    FileChange ─pieces─▶ lines start..end become new ─windows─▶ with context ─▶ Op, … ─write─▶ text ─parse─▶ the same?

A format tells by `Format.can` and `Format.writing` what it is able to say; where it chooses its operations itself, it
is asked for them (`Format.operations`). Whatever is described is written and read again: what would be read otherwise
is said in full, or Refused.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterator
from itertools import accumulate
from typing import TYPE_CHECKING, NamedTuple

from ..diff import compact, opcodes, rewritten
from ..model import (
    TOLERANT,
    Delete,
    Edit,
    FileChange,
    Hunk,
    Merge,
    Op,
    Said,
    Span,
    Spans,
    Where,
    Write,
    join_lines,
    signed_hunk,
)
from ..problems import Problem, Refused
from ..text import BLANK, Text, decode, is_blank, looks_binary

if TYPE_CHECKING:
    from ..formats import Format

    Ops = tuple[Op, ...]
    Lines = tuple[tuple[str, str], ...]

_WIDE = 3  # lines above and below where fewer were not enough
_SPARED = 3  # so many lines must the end of the file spare to be named instead
_BUDGET = 400_000_000  # characters looked through for texts that stand once; beyond it a whole file is cheaper
_SMALL = 1_000  # below this many characters texts are kept even where the whole file would be shorter
_LETTERS = 0x110000  # of so many distinct lines some share a letter: then a little more context is shown than needed


class Piece(NamedTuple):
    """Lines start..end of the file before become `new`."""

    start: int
    end: int
    new: list[str]


class Window(NamedTuple):
    """Lines start..end of a file. `pinned`: only that they are its last ones makes them unique."""

    start: int
    end: int
    pinned: bool = False


def describe(changes: tuple[FileChange, ...], format: Format, wide: Collection[str] = ()) -> Ops:
    """The changes as operations; Refused where the format can't say one. `wide`: paths that need more context."""
    ops: list[Op] = []
    for change in changes:
        if change.before != change.after:
            ops += _described(change, format, change.path in wide)
    return tuple(ops)


def unsayable(op: Op, format: str) -> Refused:
    """The refusal of an operation that a format has no words for."""
    return Refused(Problem("cannot_say", f"{format} can't express this change to {op.path}", op.path))


def cannot_say(path: str, format: str, why: str) -> Problem:
    """The problem with a change that a format can't say."""
    return Problem("cannot_say", f"{format} can't express this change to {path}: {why}", path)


# ── one file ─────────────────────────────────────────────────────────────────────────────────────


def _described(change: FileChange, format: Format, wide: bool) -> Ops:
    """The first description of a change that is read as it is meant."""
    why = _obstacle(change, format)
    if not why:
        why = "line endings, the BOM or the final newline change, or no line of text identifies the place"
        for ops in _descriptions(change, format, wide):
            if _is_read(ops, format):
                return ops
            why = "its lines, or its path, would be misread"
    raise Refused(cannot_say(change.path, format.name, why))


def _obstacle(change: FileChange, format: Format) -> str:
    """What no format can say, or this one can't by its own word; "" for nothing."""
    path, before, after = change
    sides = [file for file in (before, after) if file is not None]
    bits = {file.mode for file in sides}
    has_modes = "mode" in format.can
    # git says of permissions whether a file can be run, and no more
    odd = any(bit & ~0o777 for bit in bits) or (len(sides) > 1 and sides[1].mode not in (0o644, 0o755))
    obstacles = {
        "it is a symbolic link or a submodule": any(bit & 0o170000 for bit in bits),
        "the format can't create files": before is None and "create" not in format.can,
        "the format can't delete files": after is None and "delete" not in format.can,
        "it is binary data": any(looks_binary(file.data) for file in sides),
        "its permissions change": not has_modes and len(bits) > 1,
        "it is executable": not has_modes and before is None and any(bit & 0o111 for bit in bits),
        "its permissions are, or become, something other than 644 or 755":
            has_modes and (len(sides) == 1 or len(bits) > 1) and odd,
        "its path contains a line break": "\n" in path or "\r" in path,
        "the new file has no final newline": before is None and _lacks_end(decode(sides[0].data), format),
    }  # fmt: skip
    return next((why for why, stands in obstacles.items() if stands), "")


def _lacks_end(text: str, format: Format) -> bool:
    """Whether a text ends without a line end, and the format has no word for that."""
    return "final_newline" not in format.can and text[-1:] not in ("", "\n")


def _descriptions(change: FileChange, format: Format, wide: bool) -> Iterator[Ops]:
    """The ways to say a change, the plainest first."""
    path, before, after = change
    if after is None:
        assert before is not None
        mode = before.mode if "mode" in format.can else 0
        text = Text.read(before.data)
        if format.writing.like_git and text.lines:
            yield (Delete(path, old=tuple(text.lines), whole=True, unended=not text.final, mode=mode),)
        yield (Delete(path, mode=mode),)
        return
    if before is not None:
        edits = _edits(change, format, wide)
        if edits is not None:
            yield edits
    elif format.writing.creates_empty:
        text_edit = Edit(path, (Spans((Span((0, 0), (0, 0), decode(after.data)),)),))
        yield (Write(path, ""), text_edit) if after.data else (Write(path, ""),)
    else:
        mode = 0o755 if after.mode & 0o100 and "mode" in format.can else 0
        yield (Write(path, decode(after.data), "overwrite" in format.can, mode=mode),)
    if before is not None and format.writing.whole:
        yield from _in_full(change, format)


def _in_full(change: FileChange, format: Format) -> Iterator[Ops]:
    """An update by the new contents of the file, if those give the very bytes."""
    path, before, after = change
    assert before is not None and after is not None
    text = decode(after.data)
    if format.writing.whole == "show":
        lines = Text.read(after.data).lines
        if rewritten(before.data, lines) == after.data:
            yield (Write(path, "".join(line + "\n" for line in lines), True, keep=True),)
    elif not _lacks_end(text, format):
        write = Write(path, text, format.writing.whole == "overwrite")
        yield (write,) if write.overwrite else (Delete(path), write)


def _is_read(ops: Ops, format: Format) -> bool:
    """Whether the operations, once written, are read as the same lines in the same files."""
    try:
        patch = format.parse(format.write(ops))
    except Refused:
        return False
    return not patch.problems and [*map(_told, patch.ops)] == [*map(_told, ops)]


def _told(op: Op) -> tuple[object, ...]:
    """What an operation says, but for how its place is found."""
    if isinstance(op, Edit):
        return op.path, op.mode, *map(_told_lines, op.hunks)
    return type(op).__name__, op.path, op.text if isinstance(op, Write) else op.old if isinstance(op, Delete) else ""


def _told_lines(hunk: Said) -> tuple[object, ...]:
    if isinstance(hunk, Merge):
        return hunk.shown
    return (hunk.old, hunk.new) if isinstance(hunk, Hunk) else _sides(hunk.lines)


# ── changed lines ────────────────────────────────────────────────────────────────────────────────


def _edits(change: FileChange, format: Format, wide: bool) -> Ops | None:
    """An update as edits of whole lines; None where those would not give the very bytes, or have no place."""
    path, was, becomes = change
    assert was is not None and becomes is not None
    writing = format.writing
    mode = becomes.mode if was.mode != becomes.mode else 0
    if was.data == becomes.data:
        return (Edit(path, (), mode=mode),)
    before, after = Text.read(was.data), Text.read(becomes.data)
    pieces = _pieces(before, after, format)
    if pieces is None:
        return None
    if writing.update == "own":
        return format.operations(path, before, joined(pieces, before.lines, writing.near), wide)
    if writing.update == "numbers":
        doubted = wide or any(_is_beside_its_like(piece, before.lines) for piece in pieces)
        pieces = _widened(pieces, before.lines) if doubted and is_even(before) else pieces
        hunks = [Hunk("", join_lines(new), TOLERANT, Where(start + 1, end)) for start, end, new in pieces]
        return (Edit(path, tuple(hunks)),)
    windows = _windows(before, pieces, format, wide) if writing.update else None
    if windows is None:
        return None
    shown = [*zip(windows, _shown(before.lines, pieces, windows), strict=True)]
    if writing.update == "texts":
        return _swaps(path, before, shown)
    if not is_even(before):
        grown = [Piece(window.start, window.end, _sides(lines)[1]) for window, lines in shown]
        if ends_as_read(before, grown, writing.eol, after.final) != after.ends:
            return None
    hunks = [signed_hunk(lines, TOLERANT, _where(window, before, after, writing.like_git)) for window, lines in shown]
    return tuple(Edit(path, (hunk,)) for hunk in hunks) if format.tallied else (Edit(path, tuple(hunks), mode=mode),)


def _is_beside_its_like(piece: Piece, lines: list[str]) -> bool:
    """Whether lines that come may be beside the same ones, which readers of numbers take for a range off by one."""
    start, end, new = piece
    above, below = lines[max(start - len(new), 0) : start], lines[end : end + len(new)]
    return bool(new) and (new[0] in above or new[-1] in below)


def _widened(pieces: list[Piece], lines: list[str]) -> list[Piece]:
    """The pieces with lines around them that stay, so many that none which come are beside the same ones."""
    more = 1 + max(len(piece.new) for piece in pieces)
    windows = [(max(piece.start - more, 0), piece.end + more, piece) for piece in joined(pieces, lines, 2 * more)]
    return [
        Piece(start, min(end, len(lines)), [*lines[start : piece.start], *piece.new, *lines[piece.end : end]])
        for start, end, piece in windows
    ]


def _pieces(before: Text, after: Text, format: Format) -> list[Piece] | None:
    """What differs, in as few places as can be where all lines end alike: else equal lines may end otherwise.

    None where the new lines, with the line ends that a reader gives them, would not make the text after.
    """
    majority = format.writing.eol == "majority"
    if majority and (not before.lines or any("\r" in line for line in (*before.lines, *after.lines))):
        return None
    # A last line without line end equals none with one, where a hunk can say so.
    final = format.writing.update == "hunks" and "final_newline" in format.can
    old, new = (_keys(text) if final else text.lines for text in (before, after))
    ranges = opcodes(old, new)
    if len({*before.ends, *after.ends} - {""}) <= 1:
        ranges = compact(ranges, old, new)
    pieces = [Piece(start, end, after.lines[low:high]) for start, end, low, high in ranges]
    result = spliced(before, pieces, format.writing.eol, after.final if final else None)
    return pieces if (result.lines, result.ends, result.bom) == (after.lines, after.ends, after.bom) else None


def _keys(text: Text) -> list[Hashable]:
    keys: list[Hashable] = [*text.lines]
    if not text.final:
        keys[-1] = (keys[-1],)
    return keys


def spliced(before: Text, pieces: list[Piece], eol: str, final: bool | None = None) -> Text:
    """The text with new lines, which get the line ends of those in whose place they stand, or the usual one."""
    return before.apply([before.replaced_rows(*piece, own_ends=eol != "majority") for piece in pieces], final)


def is_even(text: Text) -> bool:
    """Whether all lines end alike: then a new line's end is never in doubt."""
    return len(set(text.ends) - {""}) <= 1


def ends_as_read(before: Text, pieces: list[Piece], eol: str, final: bool | None = None) -> list[str]:
    """The line ends afterwards, if a reader compares old and new lines himself: what both have keeps its own."""
    smaller: list[Piece] = []
    for start, end, new in pieces:
        ranges = opcodes(before.lines[start:end], new)
        smaller += [Piece(start + low, start + high, new[new_low:new_high]) for low, high, new_low, new_high in ranges]
    return spliced(before, smaller, eol, final).ends


def _tagged(tag: str, lines: list[str]) -> Lines:
    return tuple([(tag, line) for line in lines])


def _sides(lines: Lines) -> tuple[list[str], list[str]]:
    """The old lines and the new ones."""
    return [text for tag, text in lines if tag != "+"], [text for tag, text in lines if tag != "-"]


def _shown(lines: list[str], pieces: list[Piece], windows: list[Window]) -> Iterator[Lines]:
    """The lines that each hunk shows, those that stay among them."""
    number = 0
    for window in windows:
        tagged: list[tuple[str, str]] = []
        at = window.start
        while number < len(pieces) and pieces[number].end <= window.end:
            start, end, new = pieces[number]
            tagged += [*_tagged(" ", lines[at:start]), *_tagged("-", lines[start:end]), *_tagged("+", new)]
            at, number = end, number + 1
        yield (*tagged, *_tagged(" ", lines[at : window.end]))


def _where(window: Window, before: Text, after: Text, like_git: bool) -> Where:
    """What a hunk claims about its place: with git the lines it is at, and whether a line end is missing at the end."""
    last = window.end == len(before.lines)
    final = "" if not last or before.final == after.final else "made" if after.final else "lost"
    if like_git:
        return Where(window.start + 1, window.end, at_end=last and not (before.final and after.final), final=final)
    return Where(at_end=window.pinned or final != "", final=final)


def _swaps(path: str, before: Text, shown: list[tuple[Window, Lines]]) -> Ops | None:
    """Texts for texts; None where one would be nothing, or the whole file is shorter than all of them."""
    if not is_even(before):
        return None
    ops: list[Op] = []
    size = 0
    for window, lines in shown:
        tail = "\n" if window.end < len(before.lines) else ""
        old, new = ("\n".join(side) + tail if side else "" for side in _sides(lines))
        if not new:
            return None
        size += len(old) + len(new)
        ops.append(Edit(path, (Hunk(old, new, TOLERANT, inline=True),)))
    return tuple(ops) if size < 2 * sum(map(len, before.lines)) + _SMALL else None


def applied(lines: list[str], start: int, end: int, pieces: list[Piece]) -> list[str]:
    """Lines start..end of a file with changes made, all of which lie there."""
    new: list[str] = []
    for piece in pieces:
        new += [*lines[start : piece.start], *piece.new]
        start = piece.end
    return [*new, *lines[start:end]]


def joined(pieces: list[Piece], lines: list[str], gap: int) -> list[Piece]:
    """The pieces, those with at most `gap` lines between them as one: naming two places costs more than those lines."""
    wider: list[Piece] = []
    for start, end, new in pieces:
        if wider and start - wider[-1].end <= gap:
            first, done, grown = wider.pop()
            grown += [*lines[done:start], *new]
            wider.append(Piece(first, end, grown))
        else:
            wider.append(Piece(start, end, [*new]))
    return wider


# ── context ──────────────────────────────────────────────────────────────────────────────────────


def _windows(before: Text, pieces: list[Piece], format: Format, wide: bool) -> list[Window] | None:
    """What each hunk shows: changes whose context overlaps are one hunk, and no hunk fits in two places.

    Neither in the file as it was nor once the hunks above are done: readers look them up in one or the other. None
    where there is no line of text to find a hunk by.
    """
    lines, writing = before.lines, format.writing
    if writing.update == "texts" and len(pieces) * sum(map(len, lines)) > _BUDGET:
        return None
    rows = Rows(lines)
    texts = None
    if writing.update == "texts":
        starts = [0, *accumulate(len(line) + 1 for line in lines)]
        starts[-1] -= bool(lines)  # the end of the last line is before its line end
        texts = Sheet("\n".join([*lines, ""]), starts)
    windows: list[Window] = []
    done = 0
    for core in joined(pieces, lines, writing.near):
        first = done
        while done < len(pieces) and pieces[done].end <= core.end:
            done += 1
        if not windows or core.end > windows[-1].end:
            if writing.context:
                around = writing.context * (4 if wide else 1)
                window = Window(max(core.start - around, 0), min(core.end + around, len(lines)))
            else:
                least_shown = _repeated(pieces[first:done], lines, _WIDE if wide else 0)
                window = _window(core, lines, rows, texts, least_shown, writing.end_mark)
            while windows and windows[-1].end > window.start:
                other = windows.pop()
                window = Window(
                    min(other.start, window.start), max(other.end, window.end), window.pinned or other.pinned
                )
            if lines and not writing.like_git and all(map(is_blank, lines[window.start : window.end])):
                return None
            windows.append(window)
        rows.change(*core)
        if texts is not None:
            texts.change(core.start, core.end, "".join(line + "\n" for line in core.new))
    return windows


def _window(
    core: Piece, lines: list[str], rows: Rows, texts: Sheet | None, floor: tuple[int, int], end_mark: bool
) -> Window:
    """A change with as few lines around it as leave one place, and at least `floor` above and below."""
    size = len(lines)
    above, below = floor
    if texts is not None and not core.new:  # a text for nothing would leave it open which line end goes
        above, below = (max(above, 1), below) if core.start else (above, max(below, 1))

    def tells(start: int, end: int) -> bool:
        return rows.alone(start, end) and rows.is_news(start, end, core) and (texts is None or texts.once(start, end))

    start, end = least(tells, (core.start, core.end), (0, size), (above, below))
    top = max(core.start - max(above, core.start == size), 0)
    if end_mark and size - top + _SPARED <= end - start and _may_pin(core, lines, top):
        return Window(top, size, True)
    return Window(start, end)


def _repeated(pieces: list[Piece], lines: list[str], floor: int) -> tuple[int, int]:
    """How many lines must be shown above and below: more where several changes add, at an edge, what stands outside.

    `b` above, then `+b`, ` a`, `-c`: a reader who sees no `b` above takes the first part for done already.
    """
    first, last = pieces[0], pieces[-1]
    above = below = floor
    if first is not last:
        size = len(first.new)
        if first.start == first.end and lines[max(first.start - size, 0) : first.start] == first.new:
            above = max(above, size)
        size = len(last.new)
        if last.start == last.end and lines[last.start : last.start + size] == last.new:
            below = max(below, size)
    return above, below


def _may_pin(core: Piece, lines: list[str], top: int) -> bool:
    """Whether the end of the file is near, and pins a hunk from `top` on.

    A blank tail may be passed over when the end is looked for: it pins nothing. Nor does an end that reads after the
    change as it reads before: "below a, add a" at the end of a file of nothing but a's would look done.
    """
    after = [*lines[top : core.start], *core.new, *lines[core.end :]]
    return len(lines) - core.end <= _WIDE and not is_blank(lines[-1]) and lines[len(lines) - len(after) :] != after


class Sheet:
    """A text in which runs of rows are looked for: as it was, and as changes make it, given from top to bottom.

    Rows are those of the text as it was; `at[row]` is where one begins there.
    """

    __slots__ = ("_at", "_head", "_low", "now", "was")

    def __init__(self, text: str, at: list[int] | range) -> None:
        self.was = self.now = text
        self._at = at
        self._head, self._low = "", 0

    def once(self, start: int, end: int) -> bool:
        """Whether a run stands once, before and now. If it reaches into what has changed, it is told with that."""
        run = self.was[self._at[start] : self._at[end]]
        texts = (self.was, self.now) if start >= self._low and self.now is not self.was else (self.was,)
        return all(text.find(run, text.find(run) + 1) < 0 for text in texts)

    def change(self, start: int, end: int, new: str) -> None:
        """Put a text in the place of some rows, all of them below those that have changed already."""
        self._head += self.was[self._at[self._low] : self._at[start]] + new
        self._low = end
        self.now = self._head + self.was[self._at[end] :]


def trimmed(line: str) -> str:
    """A line as every reader sees it who passes over blanks at its ends.

    Lines that differ in their indentation alone are told apart when a patch is applied, but not when it is applied
    again: then one of them is gone, and the other would be taken for it.
    """
    return line.strip(BLANK)


class Rows:
    """A file's lines as a letter each, alike where a reader takes them for alike."""

    __slots__ = ("_key", "_letters", "_sheet")

    def __init__(self, lines: list[str], key: Callable[[str], str] = trimmed) -> None:
        self._key = key
        self._letters: dict[str, str] = {}
        self._sheet = Sheet(self._written(lines), range(len(lines) + 1))

    def _written(self, lines: list[str]) -> str:
        letters, key = self._letters, self._key
        return "".join([letters.setdefault(key(line), chr(len(letters) % _LETTERS)) for line in lines])

    def change(self, start: int, end: int, new: list[str]) -> None:
        """Put lines in the place of others, all of them below those that have changed already."""
        self._sheet.change(start, end, self._written(new))

    def alone(self, start: int, end: int) -> bool:
        """Whether the run of lines stands once and is more than blank lines."""
        has_text = self._sheet.was[start:end].strip(self._letters.get("", ""))
        return has_text != "" and self._sheet.once(start, end)

    def is_news(self, start: int, end: int, piece: Piece) -> bool:
        """Whether a change makes of these lines what stands nowhere yet.

        Else what adds lines beside others like them would look as if that had been done before.
        """
        new, was = self._written(piece.new), self._sheet.was
        if len(new) <= piece.end - piece.start:
            return True
        result = (was[start : piece.start] + new + was[piece.end : end]).strip(self._letters.get("", ""))
        return result not in was and result not in self._sheet.now


def least(
    alone: Callable[[int, int], bool], core: tuple[int, int], bounds: tuple[int, int], floor: tuple[int, int] = (0, 0)
) -> tuple[int, int]:
    """The core with the fewest lines around it that leave one place: without its first or its last there are more.

    `bounds` is how far it may reach; at both of them it is alone by definition. `floor`: the lines that must be there.
    More lines never make a place less unique, so the numbers are found by halving. What only adds lines has one on both
    sides: applied again, they are found apart, and nothing is added twice.
    """
    (start, end), (low, high) = core, bounds
    floor = (max(floor[0], 1), max(floor[1], 1)) if start == end else floor

    def fits(above: int, below: int) -> bool:
        top, bottom = max(start - above, low), min(end + below, high)
        return (top == low and bottom == high) or alone(top, bottom)

    if fits(*floor):
        above, below = floor
    else:
        most = _smallest(lambda size: fits(max(size, floor[0]), max(size, floor[1])), 1)
        wide = (max(most, floor[0]), max(most, floor[1]))
        less_above = _smallest(lambda size: fits(size, wide[1]), floor[0])
        one = (less_above, _smallest(lambda size: fits(less_above, size), floor[1]))
        less_below = _smallest(lambda size: fits(wide[0], size), floor[1])
        other = (_smallest(lambda size: fits(size, less_below), floor[0]), less_below)
        above, below = min(other, one, key=sum)
    return max(start - above, low), min(end + below, high)


def _smallest(fits: Callable[[int], bool], low: int) -> int:
    """The smallest number from `low` on that fits; it is not far away, or doubling finds it."""
    step, high = 1, low
    while not fits(high):
        low, high, step = high + 1, high + step, step * 2
    while low < high:
        middle = (low + high) // 2
        if fits(middle):
            high = middle
        else:
            low = middle + 1
    return high
