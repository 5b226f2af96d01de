"""Rule `overlay`: a sketch with marks for left-out code. What is between the marks is laid over the file.

A header around marks is a container and stays: `class Cart:` in front of a mark doesn't take the bases from
`class Cart(Base):`.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Sequence
from itertools import accumulate, pairwise
from typing import NamedTuple

from ..answer.marks import find_marks
from ..text import indent_of
from .align import Rows, align, only_row
from .definitions import Definition, namesakes, parse_sketch
from .edits import Ambiguous, LineEdit, Unplaced, common_indent, has_word, shifted
from .source import SourceFile

_MOST_NAMESAKES = 50


class _Overlay(NamedTuple):
    """A sketch with marks, its definitions and the rows of their headers, and the file it is laid over."""

    body: list[str]
    marks: frozenset[int]
    shown: list[Definition]
    headers: frozenset[int]
    source: SourceFile

    def namesakes(self, part: Definition) -> list[Definition]:
        """Return the file's definitions that have the name of `part`; none if so many have it that it tells nothing."""
        named = self.source.named.get(part.name, [])
        return namesakes(part, named) if len(named) <= _MOST_NAMESAKES else []


def lay_overlay(path: str, body: Sequence[str], lines: Sequence[str]) -> list[LineEdit]:
    """Return the edits that lay a sketch with marks over a file; raise `Unplaced` if a part of it has no place."""
    source = SourceFile(path, lines)
    return overlay_edits(source, body, find_marks(body, lines))


def overlay_edits(source: SourceFile, body: Sequence[str], marks: frozenset[int]) -> list[LineEdit]:
    """Do the same for a file that is indexed already, and marks that are known."""
    body = list(body)
    if not marks:
        raise Unplaced("it has no marks for left-out code")
    parts = _parts(body, marks)
    if not parts:
        raise Unplaced("it holds nothing but marks for left-out code")
    code = ["" if row in marks else line for row, line in enumerate(body)]
    shown = parse_sketch(source.path, code)
    over = _Overlay(body, marks, shown, frozenset(definition.header for definition in shown), source)
    scope = _scope(over, parts)
    ends = _end_rows(over, parts, scope)
    for (_, row), (at, below) in pairwise(ends.items()):
        if below <= row:
            raise Unplaced(f"`{body[at].strip()}` isn't where the lines around it are in the file")
    rows = align(body, source, scope, marks, _header_rows(over, parts, scope), ends)
    edits = _edits(over, rows, parts, scope)
    edits.sort(key=lambda edit: (edit.start, edit.stop))
    if any(first.stop > second.start for first, second in pairwise(edits)):
        raise Unplaced("its parts would be laid over the same lines of the file")
    return edits


def _edits(over: _Overlay, rows: Rows, parts: list[range], scope: range) -> list[LineEdit]:
    """Place every part; leave out those that change nothing."""
    lows = [scope.start, *accumulate((scope.start if row is None else row + 1 for row in rows), max)]
    highs = [scope.stop, *accumulate((scope.stop if row is None else row for row in reversed(rows)), min)][::-1]
    by_first: defaultdict[int, list[Definition]] = defaultdict(list)
    by_last: defaultdict[int, list[Definition]] = defaultdict(list)
    for definition in over.shown:
        by_first[definition.first].append(definition)
        by_last[definition.last].append(definition)
    next_marks = _next_marks(over)
    edits = []
    for part in parts:
        known = [(at, row) for at in part if (row := rows[at]) is not None and over.body[at].strip()]
        if not has_word("".join(over.body[at] for at, _ in known)):
            edits.append(_insertion(over, part, by_first[part[0]]))
            continue
        _check_unique(over, known, range(lows[part.start], highs[part.stop]))
        stop = _stop(over, rows, known[-1][1] + 1, part, by_last[part[-1]], next_marks[part[-1]])
        edits.append(LineEdit(known[0][1], stop, _text(over, part, known)))
    return [edit for edit in edits if edit.lines != over.source.lines[edit.start : edit.stop]]


def _parts(body: list[str], marks: frozenset[int]) -> list[range]:
    """Return the rows between two marks, without blank lines at the ends. Closing brackets alone aren't a part."""
    ends = [-1, *sorted(marks), len(body)]
    parts = []
    for before, after in pairwise(ends):
        filled = [row for row in range(before + 1, after) if body[row].strip()]
        words = [row for row in filled if has_word(body[row])]
        if words:
            # Brackets below a mark close what the mark is in: they are the file's own.
            parts.append(range(words[0] if before in marks else filled[0], filled[-1] + 1))
    return parts


# ── which rows of the file the lines are ───────────────────────────────────────────────────────────


def _scope(over: _Overlay, parts: list[range]) -> range:
    """Return the rows that a sketch is about: those of a definition around all of it, else the whole file."""
    for outer in over.shown:
        if outer.first <= parts[0][0] and parts[-1][-1] <= outer.last:
            same = over.namesakes(outer)
            if len(same) == 1:
                return range(same[0].lead, same[0].last + 1)
    return range(len(over.source.lines))


def _end_rows(over: _Overlay, parts: list[range], scope: range) -> dict[int, int]:
    """For the first and last lines of each part, return the row of the only line that equals them."""
    rows: dict[int, int] = {}
    for part in parts:
        first, last = (only_row(over.source, over.body[at].strip(), scope) for at in (part[0], part[-1]))
        if first is not None:
            rows[part[0]] = first
        if last is not None and last != first:
            rows[part[-1]] = last
    return rows


def _header_rows(over: _Overlay, parts: list[range], scope: range) -> dict[int, int | None]:
    """For the header of a definition, return the row of the file's header with that name. A new one has no rows."""
    rows: dict[int, int | None] = {}
    spans = {part.stop: part.start for part in parts}
    for part in over.shown:
        if part.is_value:
            continue
        same = [known for known in over.namesakes(part) if known.header in scope]
        equal = over.source.rows.get(over.body[part.header].strip())
        if len(same) == 1 and (equal is None or same[0].header in equal):  # in a cut sketch, a call may look like one
            rows[part.header] = same[0].header
        elif not same and (spans.get(part.last + 1) == part.first or (equal is None and _is_closed(over.body, part))):
            # `function three() {` isn't a new version of `function two() {`.
            rows.update(dict.fromkeys(range(part.first, part.last + 1)))
    return rows


def _is_closed(body: list[str], new: Definition) -> bool:
    """Return True if a definition ends with a bracket where it began: in a cut sketch, a call may look like one."""
    first, last = body[new.first], body[new.last]
    return not has_word(last) and indent_of(first) == indent_of(last)


def _check_unique(over: _Overlay, known: list[tuple[int, int]], between: range) -> None:
    """Refuse a part whose known lines are, as they are, in several places between its neighbours."""
    first = known[0][1]
    keys = over.source.keys
    pattern = [(row - first, keys[row]) for _, row in known]
    rarest = min(range(len(pattern)), key=lambda at: len(over.source.rows[pattern[at][1]]))
    offset, key = pattern[rarest]
    hits: list[int] = []
    rows = over.source.rows[key]
    for number in range(bisect_left(rows, between.start + offset), len(rows)):
        start = rows[number] - offset
        if start + pattern[-1][0] >= between.stop:
            break
        if all(keys[start + step] == text for step, text in pattern):
            hits.append(start)
            if len(hits) > 3:
                break
    if len(hits) > 1:
        where = ", ".join(str(at + 1) for at in hits)
        line = over.body[known[0][0]].strip()
        raise Ambiguous(f"the lines from `{line}` on are in several places: at the lines {where}")


# ── edits ──────────────────────────────────────────────────────────────────────────────────────────


def _next_marks(over: _Overlay) -> list[int]:
    """For each row of the sketch, return the row of the next mark; -1 if there is none."""
    result = [-1] * len(over.body)
    for row in range(len(over.body) - 2, -1, -1):
        result[row] = row + 1 if row + 1 in over.marks else result[row + 1]
    return result


def _stop(over: _Overlay, rows: Rows, stop: int, part: range, ending: list[Definition], mark: int) -> int:
    """Return where a part ends in the file: with the last definition in it, if that is shown to its end."""
    for definition in ending:
        if definition.first not in part:
            continue
        same = [known for known in over.namesakes(definition) if known.first < stop <= known.last + 1]
        if not any(has_word(over.body[row]) for row in range(definition.header + 1, definition.last + 1)):
            continue  # nothing but its header is shown
        if mark == definition.last + 1 and _is_deeper(over.body[mark], over.body[definition.first]):
            continue  # the mark is inside it
        if same and (rows[definition.last] is None or _is_beside(over.body, definition, mark)):
            stop = same[-1].last + 1
    return stop


def _is_deeper(line: str, other: str) -> bool:
    return len(indent_of(line)) > len(indent_of(other))


def _is_beside(body: list[str], definition: Definition, mark: int) -> bool:
    """Return True if the next mark is beside a method, not inside it, so that the method is shown to its end."""
    indent = indent_of(body[definition.first])
    return mark >= 0 and indent != "" and indent_of(body[mark]) == indent


def _text(over: _Overlay, part: range, known: list[tuple[int, int]]) -> list[str]:
    """Return the lines of a part at the file's indentation. A header before a mark that says no more is the file's."""
    body, lines = over.body, over.source.lines
    at, row = next(((at, row) for at, row in known if body[at].strip() == lines[row].strip()), known[0])
    text = shifted(body[part.start : part.stop], indent_of(body[at]), indent_of(lines[row]))
    for at, row in known:
        if at in over.headers and at + 1 in over.marks and _words(body[at]) <= _words(lines[row]):
            text[at - part.start] = lines[row]
    return text


def _words(line: str) -> set[str]:
    return set(re.findall(r"\w+", line))


def _insertion(over: _Overlay, part: range, beginning: list[Definition]) -> LineEdit:
    """Return the edit for a part that shares no line with the file: a new method goes to the end of its class."""
    text = over.body[part.start : part.stop]
    for definition in beginning:
        if any(has_word(over.body[row]) for row in range(definition.last + 1, part.stop)):
            continue
        text = over.body[definition.first : definition.last + 1]
        owners = [known for known in over.source.named.get((definition.parts[-2:-1] or ("",))[0], []) if known.is_class]
        owners = [known for known in owners if known.parts == definition.parts[:-1]]
        members = over.source.members.get(definition.parts[:-1], []) if len(owners) == 1 else []
        if members:
            row = members[-1].last + 1
            indent = indent_of(over.source.lines[members[-1].first])
            return LineEdit(row, row, ["", *shifted(text, common_indent(text), indent)])
    raise Unplaced(f"`{text[0].strip()}` and the lines below it have no place in the file")
