"""Cut the changes of files into hunks that can be kept or dropped one by one, and join those that are kept. Pure.

A hunk is what a reader would decide about as one thing: changed lines with at most two unchanged ones between them, a
file that is created, deleted or moved, or other permissions.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

from ..diff import CONTEXT, changed_rows, opcodes
from ..model import File, FileChange, Move, Plan, Proposal, Write, join_lines
from ..report.words import changes_and_origins
from ..text import BOM, encode, looks_binary, majority, split, text_of, utf_16

HunkKind = Literal["lines", "create", "delete", "move", "mode", "binary"]
Rows = tuple[int, int]

_NEAR = 2  # unchanged lines between changes of one hunk
_LONGEST_LINE = 400  # characters of a line that is compared word by word
_PAIRS = 60  # lines of a hunk that are
_TOKEN = re.compile(r"\w+|\s+|.")


class Line(NamedTuple):
    """A line of a hunk as it is shown.

    `sign` is " ", "-" or "+"; `old` and `new` are its numbers on both sides, 0 on a side without it. `changed` are the
    characters that its counterpart doesn't have. `ending` is what a reader wouldn't see: "CR" where line endings
    differ, "BOM", "no newline" at the end of the file.
    """

    sign: str
    old: int
    new: int
    text: str
    changed: tuple[Rows, ...] = ()
    ending: str = ""


@dataclass(frozen=True, slots=True)
class Hunk:
    """A change that is kept or dropped as a whole.

    `id` is "2.1" for the first hunk of edit 2. `old` and `new` are its rows before and after. `text` is what somebody
    wrote in place of its new lines.
    """

    id: str
    edit: int
    path: str
    kind: HunkKind
    old: Rows = (0, 0)
    new: Rows = (0, 0)
    kept: bool = True
    text: str | None = None
    sides: Sides | None = None
    context: tuple[Rows, Rows] = ((0, 0), (0, 0))
    nth: int = 0

    @property
    def key(self) -> tuple[object, ...]:
        """Identify the hunk after another plan, too: `nth` counts those of its file that change the same lines."""
        return *self.change, self.nth

    @property
    def change(self) -> tuple[object, ...]:
        """The lines that go and those that come; where they are may be different in the next plan."""
        sides = (self.sides.old[slice(*self.old)], self.sides.new[slice(*self.new)]) if self.sides else ()
        return self.path, self.kind, *map(tuple, sides)

    @property
    def new_text(self) -> str:
        """The new lines, as they are or as somebody wrote them."""
        if self.text is not None or self.sides is None:
            return self.text or ""
        return "".join(self.sides.new[slice(*self.new)]).removeprefix(BOM)

    @property
    def lines(self) -> tuple[Line, ...]:
        """The lines with their context, numbered on both sides, with the words that differ."""
        return tuple(_lines(self)) if self.sides else ()


class Sides(NamedTuple):
    """The lines of a file before and after, each with its line ending, the first with the byte order mark."""

    old: list[str]
    new: list[str]


class ReviewedFile(NamedTuple):
    """A file that changes, with its hunks. `change` is all of it; `origin` is the path it is moved from."""

    path: str
    change: FileChange
    origin: str
    hunks: tuple[Hunk, ...]

    @property
    def state(self) -> str:
        """Return "kept", "dropped" or "partly"."""
        kept = sum(hunk.kept for hunk in self.hunks)
        return "kept" if kept == len(self.hunks) else "partly" if kept else "dropped"


# ── cutting ──────────────────────────────────────────────────────────────────────────────────────


def files_of(plan: Plan, edit_numbers: Mapping[int, int]) -> list[ReviewedFile]:
    """Return the files that a plan changes, in hunks. `edit_numbers` are those of the edits, by outcome."""
    counts: dict[int, int] = {}
    equals: dict[tuple[object, ...], int] = {}
    outcomes: dict[str, list[int]] = {}
    for number, outcome in enumerate(plan.outcomes, 1):
        for path in {outcome.path, outcome.op.to if isinstance(outcome.op, Move) else outcome.path}:
            outcomes.setdefault(path, []).append(number)
    files = []
    for change, origin in changes_and_origins(plan):
        sides = _sides(change)
        hunks = []
        numbers = sorted({number for name in {change.path, origin} - {""} for number in outcomes.get(name, ())})
        for hunk in _hunks(change, origin, sides, _owners(plan, numbers, change.path)):
            number = edit_numbers.get(hunk.edit, 0)
            counts[number] = counts.get(number, 0) + 1
            equals[hunk.change] = nth = equals.get(hunk.change, 0) + 1
            hunks.append(replace(hunk, edit=number, id=f"{number}.{counts[number]}", nth=nth))
        files.append(ReviewedFile(change.path, change, origin, tuple(hunks)))
    return files


def _sides(change: FileChange) -> Sides | None:
    """Return the lines of both sides; None if one of them isn't text, or they are in different encodings."""
    encodings = {utf_16(file.data) for file in (change.before, change.after) if file}
    if len(encodings) > 1 or any(
        file is not None and (file.is_link or _is_binary(file)) for file in (change.before, change.after)
    ):
        return None
    return Sides(*(_keys(text_of(file.data)) if file else [] for file in (change.before, change.after)))


def _is_binary(file: File) -> bool:
    return looks_binary(file.data) and not utf_16(file.data)


def _keys(text: str) -> list[str]:
    """Split a text into lines with their endings."""
    lines, ends = split(text)
    return [line + end for line, end in zip(lines, ends, strict=True)]


def _hunks(change: FileChange, origin: str, sides: Sides | None, owners: _Owners) -> Iterable[Hunk]:
    """Cut a change of a file into hunks; `edit` is the number of an outcome yet."""
    path, before, after = change.path, change.before, change.after
    if origin:
        yield Hunk("", owners.mover, path, "move")
    if before is not None and after is not None and before.mode != after.mode and not before.is_link:
        yield Hunk("", owners.last, path, "mode")
    if before is None or after is None:
        kind: HunkKind = "create" if before is None else "delete"
        rows = ((0, len(sides.old)), (0, len(sides.new))) if sides else ((0, 0), (0, 0))
        yield Hunk("", owners.last, path, kind, *rows, sides=sides)
    elif sides is None:
        if before.data != after.data:
            yield Hunk("", owners.last, path, "binary")
    else:
        yield from _line_hunks(path, sides, owners)


def _line_hunks(path: str, sides: Sides, owners: _Owners) -> Iterable[Hunk]:
    """Join changed ranges that are close to each other and come from one edit."""
    groups: list[tuple[int, Rows, Rows]] = []
    for start, stop, new_start, new_stop in opcodes(sides.old, sides.new):
        edit = owners.of(new_start, new_stop)
        if groups and start - groups[-1][1][1] <= _NEAR and edit == groups[-1][0]:
            _, old, new = groups.pop()
            groups.append((edit, (old[0], stop), (new[0], new_stop)))
        else:
            groups.append((edit, (start, stop), (new_start, new_stop)))
    for at, (edit, old, new) in enumerate(groups):
        first = max(old[0] - CONTEXT, groups[at - 1][1][1] if at else 0)
        last = min(old[1] + CONTEXT, groups[at + 1][1][0] if at + 1 < len(groups) else len(sides.old))
        yield Hunk("", edit, path, "lines", old, new, sides=sides, context=((first, old[0]), (old[1], last)))


# ── which edit a row comes from ──────────────────────────────────────────────────────────────────


class _Owners(NamedTuple):
    """The outcome that each row of a file comes from: runs of rows by their first, 0 for rows that were there."""

    starts: list[int]
    numbers: list[int]
    last: int
    mover: int

    def of(self, start: int, stop: int) -> int:
        """Return the outcome that wrote the rows, or removed lines there; the last one if that is unclear."""
        at = bisect_right(self.starts, start) - 1
        end = max(bisect_left(self.starts, stop), at + 1)
        owners = self.numbers[at:end]
        owners += self.numbers[at - 1 : at] if at and self.starts[at] == start else []
        owners += self.numbers[end : end + 1] if self.starts[end : end + 1] == [stop] else []
        return next(filter(None, owners), self.last)


def _owners(plan: Plan, numbers: Iterable[int], path: str) -> _Owners:
    """Follow the outcomes of a file, round by round. Those of a round are in terms of the text that it began with."""
    fitting = [number for number in numbers if not plan.outcomes[number - 1].problems]
    movers = [number for number in fitting if isinstance(plan.outcomes[number - 1].op, Move)]
    writer, rounds = _rounds(plan, fitting, path)
    runs = [(0, writer)]
    for replaced in rounds:
        runs = _with_replaced(runs, sorted(replaced))
    return _Owners(
        [start for start, _ in runs], [number for _, number in runs], max(fitting, default=0), max(movers, default=0)
    )


def _rounds(plan: Plan, numbers: Iterable[int], path: str) -> tuple[int, list[list[_Replaced]]]:
    """Return the outcome that wrote the whole file last, 0 for none, and what was replaced since, by rounds."""
    proposals = {join_lines(one.after): one for one in plan.sketched if isinstance(one, Proposal) and one.path == path}
    rounds: list[list[_Replaced]] = []
    writer, text = 0, None
    for number in numbers:
        outcome = plan.outcomes[number - 1]
        if isinstance(outcome.op, Write):
            proposal = proposals.get(outcome.op.text) if outcome.op.proposed else None
            writer, rounds = (writer, [*rounds, _replaced_by(proposal, number)]) if proposal else (number, [])
            text = None
        for applied in outcome.applied:
            if applied.text is not text:
                rounds.append([])
                text = applied.text
            changed = changed_rows(applied.text, applied.splices)
            rounds[-1].extend(_Replaced(start, stop, len(lines), number) for start, stop, lines in changed)
    return writer, rounds


class _Replaced(NamedTuple):
    """Rows that an outcome replaced, and how many it put there."""

    start: int
    stop: int
    added: int
    outcome: int


def _replaced_by(proposal: Proposal, outcome: int) -> list[_Replaced]:
    ranges = opcodes(proposal.before or (), proposal.after)
    return [_Replaced(start, stop, last - first, outcome) for start, stop, first, last in ranges]


def _with_replaced(runs: list[tuple[int, int]], replaced: Iterable[_Replaced]) -> list[tuple[int, int]]:
    """Put runs of new rows in the place of those that were replaced. One of no rows stays, for what was removed."""
    result: list[tuple[int, int]] = []
    starts = [start for start, _ in runs]
    shift = at = 0
    for start, stop, added, outcome in replaced:
        while at < len(runs) and runs[at][0] < start:
            result.append((runs[at][0] + shift, runs[at][1]))
            at += 1
        result.append((start + shift, outcome))
        shift += added - (stop - start)
        result.append((stop + shift, runs[bisect_right(starts, stop) - 1][1]))
        at = max(at, bisect_right(starts, stop))
    return result + [(start + shift, outcome) for start, outcome in runs[at:]]


# ── putting together ─────────────────────────────────────────────────────────────────────────────


def kept_changes(files: Iterable[ReviewedFile], changes: Iterable[FileChange]) -> tuple[FileChange, ...]:
    """Return the changes of files with the hunks that are kept. `changes` are those of the plan, by path."""
    by_path = {change.path: change for change in changes}
    result: dict[str, FileChange] = {}
    for file in files:
        if all(hunk.kept and hunk.text is None for hunk in file.hunks):
            for path in filter(None, (file.origin, file.path)):
                result[path] = by_path[path]
            continue
        contents = _kept_contents(file)
        is_moved = file.origin and any(hunk.kind == "move" and hunk.kept for hunk in file.hunks)
        if is_moved:
            result[file.origin] = by_path[file.origin]
            result[file.path] = by_path[file.path]._replace(after=contents)
        else:
            path = file.origin or file.path
            result[path] = FileChange(path, file.change.before, contents)
    return tuple(change for change in result.values() if change.before != change.after)


def _kept_contents(file: ReviewedFile) -> File | None:
    """Return a file with its kept hunks only."""
    before, after = file.change.before, file.change.after
    kept = {hunk.kind: hunk.kept for hunk in file.hunks}
    if not kept.get("create", True):
        return before
    if "delete" in kept or "binary" in kept:
        return after if kept.get("delete", True) and kept.get("binary", True) else before
    assert after is not None
    mode = after.mode if before is None or kept.get("mode", True) else before.mode
    sides = next((hunk.sides for hunk in file.hunks if hunk.sides), None)
    if sides is None:
        return File(after.data, mode)
    wide, text = utf_16(after.data), _kept_text(file.hunks, sides)
    return File(text.encode(wide) if wide else encode(text), mode)


def _kept_text(hunks: Iterable[Hunk], sides: Sides) -> str:
    lines: list[str] = []
    row = 0
    for hunk in hunks:
        if hunk.kind in ("lines", "create") and hunk.kept:
            lines += sides.old[row : hunk.old[0]]
            lines += sides.new[slice(*hunk.new)] if hunk.text is None else _typed(hunk, sides)
            row = hunk.old[1]
    return "".join([*_ended(lines, sides.old[row:]), *sides.old[row:]])


def _typed(hunk: Hunk, sides: Sides) -> list[str]:
    """Return the lines that somebody typed, with the file's byte order mark, line endings and end."""
    if not hunk.text:
        return []
    ending = majority(split("".join(sides.old or sides.new))[1])
    lines = [line.removesuffix("\r") + ending for line in hunk.text.removesuffix("\n").split("\n")]
    if hunk.old[0] == 0 and (sides.old or sides.new)[0].startswith(BOM):
        lines[0] = BOM + lines[0]
    if hunk.new[1] == len(sides.new) and sides.new and not sides.new[-1].endswith(("\n", "\r")):
        lines[-1] = lines[-1].removesuffix(ending)
    return lines


def _ended(lines: list[str], rest: Sequence[str]) -> list[str]:
    """Return lines, the last one with a newline if others follow."""
    if rest and lines and not lines[-1].endswith(("\n", "\r")):
        lines[-1] += majority(split("".join(rest))[1])
    return lines


# ── showing ──────────────────────────────────────────────────────────────────────────────────────


def _lines(hunk: Hunk) -> Iterable[Line]:
    """Yield the lines of a hunk: context, what goes, what comes, context."""
    sides = hunk.sides
    assert sides is not None
    above, below = hunk.context
    shift = hunk.new[0] - hunk.old[0]
    yield from (Line(" ", row + 1, row + 1 + shift, _plain(sides.old[row])) for row in range(*above))
    old = sides.old[slice(*hunk.old)]
    new = sides.new[slice(*hunk.new)] if hunk.text is None else _typed(hunk, sides)
    marks = _unseen(old, new)
    at, new_at = 0, 0
    for start, stop, new_start, new_stop in [*opcodes(old, new), (len(old), len(old), len(new), len(new))]:
        for row, line in enumerate(old[at:start], at):
            yield Line(" ", hunk.old[0] + row + 1, hunk.new[0] + new_at + row - at + 1, _plain(line))
        words = _words(old[start:stop], new[new_start:new_stop])
        for row in range(start, stop):
            changed = words.get(("-", row - start), ())
            yield Line("-", hunk.old[0] + row + 1, 0, _plain(old[row]), changed, _ending(old[row], marks))
        for row in range(new_start, new_stop):
            changed = words.get(("+", row - new_start), ())
            yield Line("+", 0, hunk.new[0] + row + 1, _plain(new[row]), changed, _ending(new[row], marks))
        at, new_at = stop, new_stop
    shift = hunk.new[0] + len(new) - hunk.old[1]
    yield from (Line(" ", row + 1, row + 1 + shift, _plain(sides.old[row])) for row in range(*below))


def _plain(line: str) -> str:
    """Return a line without its ending and byte order mark."""
    return line.removeprefix(BOM).removesuffix("\n").removesuffix("\r")


def _unseen(old: Sequence[str], new: Sequence[str]) -> set[str]:
    """Return which of CR, BOM and a missing newline tell the two sides of a hunk apart."""
    kinds = [{_ending(line, {"CR", "BOM", "no newline"}) for line in side} - {""} for side in (old, new)]
    return kinds[0] ^ kinds[1] if old and new else (kinds[0] | kinds[1]) - {"CR"}


def _ending(line: str, marks: set[str]) -> str:
    """Return what a reader wouldn't see of a line, if it is among the marks."""
    kind = "BOM" if line.startswith(BOM) else "CR" if line.endswith(("\r\n", "\r")) else ""
    kind = kind or ("" if line.endswith("\n") else "no newline")
    return kind if kind in marks else ""


def _words(old: Sequence[str], new: Sequence[str]) -> dict[tuple[str, int], tuple[Rows, ...]]:
    """Return the characters that differ, of lines that take each other's place one by one."""
    if len(old) != len(new) or len(old) > _PAIRS:
        return {}
    result = {}
    for row, (line, other) in enumerate(zip(map(_plain, old), map(_plain, new), strict=True)):
        if max(len(line), len(other)) > _LONGEST_LINE:
            continue
        first, last = _TOKEN.findall(line), _TOKEN.findall(other)
        ranges = opcodes(first, last)
        removed = _characters(first, [(start, stop) for start, stop, _, _ in ranges])
        added = _characters(last, [(start, stop) for _, _, start, stop in ranges])
        if 2 * sum(stop - start for start, stop in removed) <= len(line.strip()):  # else they have little in common
            result["-", row], result["+", row] = removed, added
    return result


def _characters(tokens: Sequence[str], ranges: Iterable[Rows]) -> tuple[Rows, ...]:
    """Return ranges of tokens as ranges of characters, without empty ones."""
    offsets = [0]
    for token in tokens:
        offsets.append(offsets[-1] + len(token))
    return tuple((offsets[start], offsets[stop]) for start, stop in ranges if start < stop)
