"""Merges a file shown in part into the file: each part between its anchors, or a refusal. Pure; guesses nothing.

A part's first lines that stand in the file anchor its beginning, its last ones its end. What the file has between
gives way to the part. Lines under a mark always stay. Where an anchor stands in two places, or where it isn't clear
whether lines are to be replaced or kept, nothing is merged.
"""

from __future__ import annotations

from itertools import pairwise

from ..diff import opcodes
from ..errors import Problem
from ..model import Merge, Splice
from ..text import BLANK
from .anchors import Hay
from .beside import beside
from .between import between
from .bounds import edge_doubt, moved_line
from .indent import evenly, learnt, own_unit
from .parts import Part, Span, Window, parts_of, unclear
from .rungs import same, trimmed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    Found = tuple[Span, list[Splice]]


def resolve(lines: list[str], merge: Merge) -> list[Splice] | Problem:
    """The splices that make the file what the parts show."""
    if not merge.open_start and not merge.open_end and len(merge.segments) == 1:
        return _differences(lines, Span(0, len(lines), list(merge.segments[0])), "exact")
    parts = parts_of(merge)
    keys = ((same, "exact"), (trimmed, "indentation"))
    habit = _habit(lines)
    windows = [Window(lines, Hay(lines, key), 0, len(lines), how, habit) for key, how in keys]
    made = _in_order(parts, windows)
    if isinstance(made, Problem) and len(parts) > 1:
        return _each_alone(parts, windows) or made
    return made


def _habit(lines: list[str]) -> str:
    tabs, spaces = any(line[:1] == "\t" for line in lines), any(line[:2] == "  " for line in lines)
    return "" if tabs == spaces else "tabs" if tabs else "spaces"


def _in_order(parts: list[Part], windows: list[Window]) -> list[Splice] | Problem:
    """The parts one below the other."""
    floor = 0
    splices: list[Splice] = []
    for part, ceiling in zip(parts, _ceilings(parts, windows[0].hay), strict=True):
        made = _placed(part, [window._replace(floor=floor, ceiling=ceiling) for window in windows], True)
        if isinstance(made, Problem):
            return made._replace(patch_line=part.line)
        span, found = made
        floor = max(floor, span.end)
        splices += found
    return splices


def _each_alone(parts: list[Part], windows: list[Window]) -> list[Splice] | None:
    """The parts wherever they stand, if each has two anchors that stand in the file once, and none meets another."""
    found = []
    for part in parts:
        made = _placed(part, windows, False)
        if isinstance(made, Problem):
            return None
        found.append(made)
    found.sort(key=lambda one: (one[0].start, one[0].end))
    if any(one.end > two.start for (one, _), (two, _) in pairwise(found)):
        return None
    return [splice for _, splices in found for splice in splices]


def _ceilings(parts: list[Part], hay: Hay) -> list[int]:
    """For each part the row where the next one begins that has only one place to begin at."""
    found: list[int] = []
    ceiling = hay.count
    for part in reversed(parts):
        found.append(ceiling)
        rows = hay.rows(part.lines[: hay.head(part.lines)], 0, hay.count, 2)
        if len(rows) == 1:
            ceiling = min(ceiling, rows[0])
    return found[::-1]


def _placed(part: Part, windows: list[Window], alone: bool) -> Found | Problem:
    """The first way of comparing that gives the part two anchors; else, if `alone`, the first that gives it one."""
    first: Problem | None = None
    for find in (between, beside) if alone else (between,):
        for window in windows:
            made = find(part, window)
            if isinstance(made, Span):
                return _spliced(part, window, made)
            if first is None or (first.kind == "elision" and made.kind == "ambiguous"):
                first = made
            if made.kind == "ambiguous" and window.how == "exact":
                return made
    assert first is not None
    return first


def _spliced(part: Part, window: Window, span: Span) -> Found | Problem:
    """What really changes, unless something in it is doubtful."""
    if window.how != "exact":
        moved = _indented(part, window, span)
        if isinstance(moved, Problem):
            return moved
        span = moved
    splices = _differences(window.lines, span, window.how)
    doubt = edge_doubt(part, window, span, splices) or moved_line(part, window, splices)
    return doubt or (span, splices)


def _indented(part: Part, window: Window, span: Span) -> Span | Problem:
    """The part's lines indented as its anchors show, if those show one way only."""
    said = span.lines[: span.head] + (span.lines[-span.tail :] if span.tail else [])
    there = [*window.lines[span.start : span.start + span.head], *window.lines[span.end - span.tail : span.end]]
    table = learnt(said, there)
    same_table = table is not None and all(key == value for key, value in table.items())
    moved = span.lines if same_table else evenly(span.lines, table or {}, own_unit(window.lines))
    if moved is not None:
        return span._replace(lines=moved)
    return unclear(part, "is indented otherwise than the file, and not in one way only", "Copy the lines exactly.")


def _differences(lines: Sequence[str], span: Span, how: str) -> list[Splice]:
    """What really changes; everything else keeps the file's bytes, blanks at line ends too if more is changed."""
    old, new = list(lines[span.start : span.end]), span.lines
    ranges = opcodes([line.rstrip(BLANK) for line in old], [line.rstrip(BLANK) for line in new])
    if not ranges and how == "exact":
        ranges = opcodes(old, new)
    return [Splice(span.start + a, span.start + b, tuple(new[c:d]), how) for a, b, c, d in ranges]
