"""Merges a file shown in part into the file: each part between its anchors, or a refusal. Pure; guesses nothing.

A part's first lines that stand in the file anchor its beginning, its last ones its end. What the file has between
gives way to the part. Lines under a mark always stay. Where an anchor stands in two places, or where it isn't clear
whether lines are to be replaced or kept, nothing is merged.
"""

from __future__ import annotations

from ..elision import is_dotted
from ..errors import Problem
from ..model import Merge, Splice
from ..text import BLANK, indent_of
from .adapt import lexed_as, string_lines
from .anchors import Hay, depth, is_closer, is_trivial, opens_block, solid
from .between import between
from .bounds import comes_again, differences, edge_doubt, is_accounted, moved_line
from .indent import evenly, learnt
from .once import placed_once
from .parts import Part, Span, Window, ambiguous, parts_of, unclear, vain
from .rungs import trailing, trimmed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .parts import Found


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
    from .beside import beside

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
