"""Text for text inside lines: where a Swap's old text stands to the letter, as splices of whole lines. Pure."""

from __future__ import annotations

from itertools import repeat

from ..diff import opcodes
from ..elision import may_hold_marks
from ..errors import Problem
from ..model import Hunk, Splice, Swap, Where
from ..record import NamedTuple
from .fit import Fit
from .guards import Standing, left_out, swapped_already
from .page import INDEX_PAYS, PATIENCE, Page
from .refusal import candidate
from .rungs import RUNGS

_LISTED = 20
_ANYWHERE = Where()


class Spot(NamedTuple):
    """Lines of text (as offsets into it) that hold one or more of the places, and what they become."""

    start: int
    end: int
    new: str


def place_swap(page: Page, swap: Swap) -> list[Fit] | Standing | Hunk | Problem:
    """The splices; a hunk of whole lines where the text isn't there to the letter; a problem for a wrong count."""
    made = _placed_or_hunk(page, swap)
    return made._replace(patch_line=swap.patch_line) if isinstance(made, Problem) else made


def _placed_or_hunk(page: Page, swap: Swap) -> list[Fit] | Standing | Hunk | Problem:
    old, new = swap.old.replace("\r\n", "\n"), swap.new.replace("\r\n", "\n")
    if old == new and swap.old != swap.new:
        detail = "old and new text differ in their line ends only, and line ends are not changed by an edit"
        return Problem("line_ending", detail, patch_line=swap.patch_line, advice="Convert them with another tool.")
    if may_hold_marks(new):
        problem = left_out(page, as_hunk(old, new, swap))
        if problem is not None:
            return problem
    rows = _rows(page, old) if swap.times == 1 and page.searches >= INDEX_PAYS else None
    if rows is not None:
        if len(rows) > 1:
            return _wrong_count(page, swap, rows)
        return _placed(page, rows[0], swap, old, new) if rows else as_hunk(old, new, swap, page.missed < PATIENCE)
    text = page.text[1:]
    found = _occurrences(text, old, overlapping=swap.times == 1)
    if not found and swap.times <= 1:
        return as_hunk(old, new, swap)
    if not found or (swap.times and len(found) != swap.times):
        return _wrong_count(page, swap, [text.count("\n", 0, position) for position in found])
    there = swapped_already(text, found[0], swap, old, new) if swap.times == 1 else None
    return there or _indented(page, text, found, (old, new))


def _indented(page: Page, text: str, found: list[int], pair: tuple[str, str], top: int = 0) -> list[Fit] | Problem:
    """The splices of a text that stands to the letter; a problem where its new lines may leave their block."""
    made = [_fit(page, text, spot, top) for spot in _spots(text, found, [pair] * len(found))]
    moved = [column(page, text, position, *pair) for position in found]
    if not any(moved):
        return made
    from .adapt import letter_or_column

    spots = _spots(text, found, [(pair[0], other or pair[1]) for other in moved])
    return letter_or_column(page, made, [_fit(page, text, spot, top) for spot in spots])


def column(page: Page, text: str, position: int, old: str, new: str) -> str:
    """The new text at the column of the line that it begins in, where it may be meant so; else ""."""
    pad = text[text.rfind("\n", 0, position) + 1 : position]
    if not pad or "\n" not in new or pad.strip(" \t"):
        return ""
    from .adapt import to_first

    return to_first(page, pad, old, new)


def _rows(page: Page, old: str) -> list[int] | None:
    """Where a text begins, in every place of it; None where nothing in it tells.

    By the index of the lines: with many edits of a large file, searching all of its text for each would take too long.
    """
    first, *rest = old.split("\n")
    index, lines = page.index(RUNGS["exact"], None), page.lines
    if len(rest) > 1:
        chars = index.needle(rest[:-1])
        return [
            row - 1 for row in (index.find(chars, False) if chars is not None else ())
            if row and lines[row - 1].endswith(first) and lines[row : row + len(rest) - 1] == rest[:-1]
            and _begins(lines, row + len(rest) - 1, rest[-1])
        ]  # fmt: skip
    held = page.words().holders(old)
    if held is None:
        return None
    found: list[int] = []
    for line in {line for _, line in held[1]}:
        chars = index.needle([line])
        for row in index.find(chars, False) if chars is not None else ():
            if lines[row] == line and not rest:
                found += [row] * len(_occurrences(line, old, overlapping=True))
            elif lines[row] == line and row >= held[0] and lines[row - held[0]].endswith(first):
                found += [row - held[0]] if _begins(lines, row - held[0] + 1, rest[0]) else []
    return sorted(found)[: _LISTED + 1]


def _begins(lines: list[str], row: int, text: str) -> bool:
    """Whether a line begins with a text; behind the last one there is nothing."""
    return lines[row].startswith(text) if row < len(lines) else not text


def _placed(page: Page, row: int, swap: Swap, old: str, new: str) -> list[Fit] | Standing | Problem:
    """The splice for the only place, which begins in a row. Nothing far away matters."""
    reach = old.count("\n") + new.count("\n")
    top = max(row - reach, 0)
    text = "\n".join([*page.lines[top : row + reach + 1], ""])
    position = text.find(old, sum(map(len, page.lines[top:row])) + row - top)
    there = swapped_already(text, position, swap, old, new, top)
    return there or _indented(page, text, [position], (old, new), top)


def as_hunk(old: str, new: str, swap: Swap, compared: bool = True) -> Hunk:
    """The swap as whole lines: what comes again unchanged is context, if they are compared."""
    rules = swap.rules._replace(apart=True)
    before = old.removesuffix("\n").split("\n")
    after = (new.removesuffix("\n") if old.endswith("\n") else new).split("\n") if new else []
    tagged: list[tuple[str, str]] = []
    done = 0
    if not compared:
        return Hunk((*zip(repeat("-"), before), *zip(repeat("+"), after)), _ANYWHERE, rules, swap.patch_line)
    for start, end, new_start, new_end in [*opcodes(before, after), (len(before), len(before), 0, 0)]:
        tagged += [(" ", line) for line in before[done:start]]
        tagged += [("-", line) for line in before[start:end]]
        tagged += [("+", line) for line in after[new_start:new_end]]
        done = end
    return Hunk(tuple(tagged), _ANYWHERE, rules, swap.patch_line)


def _occurrences(text: str, old: str, *, overlapping: bool) -> list[int]:
    """Where the text stands. To be the only place, it may not even overlap with itself."""
    found: list[int] = []
    position = text.find(old) if old else -1
    while position >= 0 and (not overlapping or len(found) <= _LISTED):
        found.append(position)
        position = text.find(old, position + (1 if overlapping else len(old)))
    return found


def _spots(text: str, found: list[int], pairs: list[tuple[str, str]]) -> list[Spot]:
    """The lines around each place, with its old and new text; places on one line are one spot."""
    spots: list[Spot] = []
    for position, (old, new) in zip(found, pairs, strict=True):
        spot = spot_at(text, position, old, new)
        if spots and spot.start < spots[-1].end:
            last, end = spots.pop(), position + len(old)
            kept = last.new[: len(last.new) - (last.end - position)]
            stop = max(spot.end, last.end)
            spot = Spot(last.start, stop, kept + new + text[end:stop])
        spots.append(spot)
    return spots


def spot_at(text: str, position: int, old: str, new: str) -> Spot:
    """The lines around one place."""
    end = position + len(old)
    start = text.rfind("\n", 0, position) + 1
    if not new and old.endswith("\n") and not text[start:position].strip(" \t"):
        position = start  # whole lines go: the indentation in front is not the next line's
    whole = old.endswith("\n") and (not new or new.endswith("\n")) and start == position
    stop = end if whole else _line_end(text, end)
    return Spot(start, stop, text[start:position] + new + text[end:stop])


def _line_end(text: str, position: int) -> int:
    """The offset behind the line that holds a position, its line end included."""
    end = text.find("\n", position)
    return len(text) if end < 0 else end + 1


def _fit(page: Page, text: str, spot: Spot, top: int = 0) -> Fit:
    """The splice; the text begins at the row `top`."""
    start, end, lines = swapped(text, spot, top)
    ends = [e or page.sheet.eol for e in page.sheet.ends[start:end][: len(lines)]]
    ends += [page.sheet.eol] * (len(lines) - len(ends))
    # A last line end that the old text names and the new one doesn't have is meant to go.
    lost = spot.end == len(text) and end == len(page.lines) and lines and not spot.new.endswith("\n")
    return Fit(Splice(start, end, tuple(lines), "exact"), ends, final=False if lost else None)


def swapped(text: str, spot: Spot, top: int) -> tuple[int, int, list[str]]:
    """From which row to which a spot reaches, in a text that begins at the row `top`, and the lines that come."""
    start = top + text.count("\n", 0, spot.start)
    lines = spot.new.split("\n")
    if lines[-1] == "":
        lines.pop()
    return start, start + text.count("\n", spot.start, spot.end), lines


def _wrong_count(page: Page, swap: Swap, rows: list[int]) -> Problem:
    shown = ", ".join(str(row + 1) for row in rows[:_LISTED])
    if not rows:
        detail = f"the old text stands nowhere, but {swap.times or 'one or more'} places are expected"
        return Problem("not_found", detail, patch_line=swap.patch_line)
    expected = "one place" if swap.times == 1 else f"{swap.times} places"
    detail = f"the old text stands at {len(rows)} places (line {shown}), but {expected} is expected"
    advice = "Add neighbouring lines, or ask for all of them to be replaced." if swap.times == 1 else ""
    near = tuple(candidate(page, row + 1, at < 3) for at, row in enumerate(rows[:_LISTED]))
    return Problem("ambiguous", detail, patch_line=swap.patch_line, line=rows[0] + 1, advice=advice, near=near)
