"""The corrected edit of a refusal: the hunk that failed with the file's own lines, or the edit with the right path.

    not_found      the one region that is nearest, if the old lines differ from it in one way only
    ambiguous      each place, with as many neighbouring lines as make it unique
    file_missing   the one file nearly of that name that takes the edit

    answer   -total = sum(item)        file   total = sum(items)       offered   -total = sum(items)
             +total = tax(items)                                                 +total = tax(items)

A correction is only offered; a person, a model or `--fix` takes it. It is proven: planned alone and in its place in the
patch, it makes the change that it was made for and no other. Computed when somebody looks. Touches no file.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Sequence
from itertools import takewhile
from typing import TYPE_CHECKING, NamedTuple

from .answer.read import read
from .author.resend import resend
from .diff import opcodes, tagged, trimmed
from .diff import unchanged as same_rows
from .match.files import paths_ending_in, shows_old
from .match.indentation import reindent, shift_between, unchanged
from .match.ladder import ASCII_FOR, LEVELS, plain_punctuation
from .match.search import Index, find_exact, index_of
from .model import Edit, File, Hunk, Move, Op, Outcome, Patch, Plan, join_lines, signed_hunk
from .plan import plan
from .problems import Correction, Problem, Refused, explained
from .similarity import all_alike, ends_alike, is_alike, words_alike, words_of
from .text import Text, indent_of, is_blank, looks_binary
from .tree import MemoryTree, TreeAfter

if TYPE_CHECKING:
    from .match.files import Tree
    from .result import Result

    Change = tuple[int, int, list[str]]  # lines from..to, and what takes their place
    Run = tuple[int, int, int, int]  # old lines from..to, and the file's in their place

_PROBLEMS = 20  # the first few get corrections
_PLACES = 8  # an ambiguity with more places gets none: only some of them would be a choice
_CONTEXT = (0, 1, 2, 4, 8, 16)  # neighbouring lines on either side
_LARGEST = 1_000_000  # bytes of a file
_COMMON = 64  # a line that is in more places tells none of them
_UNKNOWN = 4  # old lines that the file doesn't have
_SHIFT, _AROUND = 2, 8  # by how many lines a region may begin elsewhere, and end elsewhere
_CLEARLY = 0.1  # of a line: by so much the nearest region is nearer than any other
_TOKEN = re.compile(r"\\+.?|\w+|[^\w\s]")  # an escape, a word, a sign


def with_offers(made: Plan, tree: Tree, overwrite: bool | None, answer: str, *, partial: bool) -> Plan:
    """Return the plan; its first problems get corrections, which are computed on request.

    `partial`: what could be placed is applied, and the corrections are for the result.
    """
    left, outcomes = _PROBLEMS, []
    for outcome in made.outcomes:
        problems = list(outcome.problems)
        numbers = [at for at, one in enumerate(problems) if one.kind in ("not_found", "ambiguous", "file_missing")]
        if numbers and left > 0:
            trial = _trial(outcome, made, tree, overwrite, answer, partial)
            for at in numbers[:left]:
                problems[at] = _offered(problems[at], trial)
            left -= len(numbers)
        outcomes.append(outcome._replace(problems=tuple(problems)))
    return made._replace(outcomes=tuple(outcomes))


def corrected_patch(report: Result, picks: Sequence[int]) -> Patch | None:
    """Return the patch with corrections in place of what failed; None if a problem lacks the correction picked.

    `picks`: for each problem the index of the correction to use.
    """
    patch = report.plan.patch
    ops = {outcome.number: outcome.op for outcome in report.plan.outcomes}
    for problem, pick in zip(report.problems, picks, strict=True):
        op = corrected_op(ops[problem.op], problem, pick, patch.format) if problem.op in ops else None
        if op is None:
            return None
        ops[problem.op] = op
    return patch._replace(ops=tuple(ops.values()))


def corrected_op(op: Op, problem: Problem, pick: int, format: str) -> Op | None:
    """Return the operation with one of a problem's corrections in place of what failed; None if it doesn't exist."""
    if not 0 <= pick < len(problem.corrected):
        return None
    corrected = read(problem.corrected[pick].text, "" if " + " in format else format).ops
    if len(corrected) != 1:
        return None
    fixed, at = corrected[0], _hunk_number(problem, op)
    if isinstance(op, Edit) and isinstance(fixed, Edit) and at is not None and op.path == fixed.path:
        return op._replace(hunks=(*op.hunks[:at], *fixed.hunks, *op.hunks[at + 1 :]))
    return fixed


# ── one problem ──────────────────────────────────────────────────────────────────────────────────


class Trial(NamedTuple):
    """The context of a correction: the outcomes on the same file, this one among them, and the files as read.

    `others`: files that a path may refer to if its own file doesn't exist.
    """

    outcome: Outcome
    outcomes: Sequence[Outcome]
    files: dict[str, File]
    others: dict[str, File]
    patch: Patch
    overwrite: bool | None
    answer: str

    def plan(self, ops: Sequence[Op | None], files: dict[str, File]) -> Plan:
        """Plan operations on files as the patch was planned."""
        patch = self.patch._replace(ops=tuple(filter(None, ops)), problems=())
        return plan(patch, MemoryTree(files), overwrite=self.overwrite, answer=self.answer)


def _trial(outcome: Outcome, made: Plan, tree: Tree, overwrite: bool | None, answer: str, partial: bool) -> Trial:
    """Read the files now: when the corrections are requested, the tree may be closed, or changed."""
    if partial:
        outcome, tree = outcome._replace(op=outcome.rest or outcome.op), TreeAfter(tree, made)
    names: set[str] = set()
    found = {outcome.path}
    while names < found:  # the file may have several names in the patch
        names |= found
        moves = [{one.path, one.op.to} for one in made.outcomes if isinstance(one.op, Move)]
        found = names.union(*[move for move in moves if not names.isdisjoint(move)])
    outcomes = [one for one in made.outcomes if one.path in names or one.op.path == outcome.op.path]
    files, others = _read(tree, names), {}
    if not files and shows_old(outcome.op):
        others = _read(tree, paths_ending_in(outcome.op.path, tree)[:_PLACES] or tree.suggest(outcome.op.path))
    return Trial(outcome, [outcome] if partial else outcomes, files, others, made.patch, overwrite, answer)


def _read(tree: Tree, paths: Sequence[str] | set[str]) -> dict[str, File]:
    """Those of some files that are there."""
    files = {}
    for path in paths:
        try:
            file = tree.read(tree.canonical(path))
        except Refused:
            continue
        if file is not None:
            files[path] = file
    return files


def _offered(problem: Problem, trial: Trial) -> Problem:
    """Return the problem with its corrections, which are computed with the rest of its explanation."""

    def explain(_: Problem) -> Problem:
        full = explained(problem)
        try:
            corrections = _corrections(full, trial)
        except Refused:
            return full
        if not corrections:
            return full
        hint, command = "Take the correction if it says what you mean.", "--fix does that."
        if len(corrections) > 1:
            hint, command = "Pick one of the corrections.", "--fix=N takes the one with that number."
        return full._replace(corrected=corrections, hint=hint, command=command)

    return problem._replace(explain=explain)


def _corrections(problem: Problem, trial: Trial) -> tuple[Correction, ...]:
    """Return a correction for each place that may be the intended one, or none at all."""
    if any(len(file.data) > _LARGEST or looks_binary(file.data) for file in trial.files.values()):
        return ()
    if not trial.files:
        return _with_right_path(trial)
    case = _case(problem, trial)
    regions = [] if case is None else _regions(problem, case)
    proven = [found for region in regions if case and region and (found := _proven(case, region))]
    return tuple(proven) if len({one.text for one in proven}) == len(regions) else ()


def _regions(problem: Problem, case: Case) -> list[Region | None]:
    """Return the regions that a hunk may be about; None for one that differs from its old lines too much."""
    if problem.kind == "ambiguous":
        rows = [near.at - 1 for near in problem.near if near.at] or [problem.line - 1] * (problem.line > 0)
        return [_region_at(case, row) for row in rows] if len(rows) <= _PLACES else []
    # If there is advice, it says more: the result is already in the file, or the text is in another one.
    first = None if problem.is_advised else _nearest(case)
    return [] if first is None else [_region(case, first)]


def _with_right_path(trial: Trial) -> tuple[Correction, ...]:
    """Return the edit with the path of the only candidate file that accepts all edits of its path."""
    fitting = []
    for path, file in trial.others.items():
        made = trial.plan([one.op._replace(path=path) for one in trial.outcomes], {path: file})
        fitting += [path] if made.changes and not made.problems else []
    text = resend((trial.outcome.op._replace(path=fitting[0]),), trial.patch.format) if len(fitting) == 1 else ""
    return (Correction(0, text),) if text else ()


# ── one hunk ─────────────────────────────────────────────────────────────────────────────────────


class Case(NamedTuple):
    """A hunk that has no place, or several, and the text that it was looked for in, as the edits before leave it.

    `old`: its old lines, between the neighbours that it claims. `body`: those without the neighbours, from..to.
    `changes`: what becomes of them. `solid`: the lines of the text that aren't blank.
    """

    op: Edit
    number: int
    hunk: Hunk
    old: list[str]
    body: tuple[int, int]
    changes: list[Change]
    text: Text
    solid: Index
    trial: Trial

    @property
    def numbers(self) -> list[int]:
        """The old lines that aren't blank."""
        return [number for number, line in enumerate(self.old) if not is_blank(line)]

    @property
    def keys(self) -> list[str]:
        """The same, as they are compared."""
        return [plain_punctuation(self.old[number]) for number in self.numbers]

    @property
    def added(self) -> list[str]:
        """The new lines."""
        return [line for _, _, new in self.changes for line in new]


def _case(problem: Problem, trial: Trial) -> Case | None:
    """Return the hunk that a problem is about; None if it isn't one of old and new text."""
    outcome, op = trial.outcome, trial.outcome.op
    number = _hunk_number(problem, op)
    if not isinstance(op, Edit) or number is None or op.whole is not None or "#" in op.path:
        return None
    hunk = op.hunks[number]
    if not isinstance(hunk, Hunk) or not hunk.old.strip():
        return None
    above = [one for one in trial.outcomes if one.number < outcome.number]
    made = trial.plan([_fitting(one) for one in above], trial.files)
    file = TreeAfter(MemoryTree(trial.files), made).read(outcome.path)
    if file is None:
        return None
    text, before, after = Text.read(file.data), list(hunk.claims.before), list(hunk.claims.after)
    old = [*before, *hunk.old_lines, *after]
    body = (len(before), len(old) - len(after))
    solid = index_of(text, LEVELS["marker in plain punctuation"], None)
    return Case(op, number, hunk, old, body, _changes(hunk), text, solid, trial)


def _changes(hunk: Hunk) -> list[Change]:
    """Return the changes to the old lines; lines that are removed and added again stay."""
    lines = [(line[0], line[1:]) for line in hunk.signed]
    if all(sign != " " for sign, _ in lines):
        lines = list(tagged(hunk.old_lines, hunk.new_lines))
    changes: list[Change] = []
    at = len(hunk.claims.before)
    stays = True
    for sign, line in lines:
        if sign != " " and stays:
            changes.append((at, at, []))
        stays = sign == " "
        at += sign != "+"
        if not stays:
            start, _, new = changes[-1]
            changes[-1] = (start, at, [*new, line] if sign == "+" else new)
    return changes


def _hunk_number(problem: Problem, op: Op) -> int | None:
    """Return which hunk of an operation a problem is about; None if that isn't known."""
    hunks = op.hunks if isinstance(op, Edit) else ()
    there = [at for at, hunk in enumerate(hunks) if hunk.patch_line == problem.patch_line]
    if len(there) == 1 or len(hunks) == 1:
        return there[0] if there else 0
    return problem.part if 0 <= problem.part < len(hunks) else None


def _fitting(outcome: Outcome, number: int = -1, hunk: Hunk | None = None) -> Op | None:
    """Return an operation without its failed hunks, under the file's own path, with `hunk` in place of one."""
    op = outcome.op if "#" in outcome.op.path else outcome.op._replace(path=outcome.path)
    failed = {_hunk_number(problem, op) for problem in outcome.problems}
    if not failed:
        return op
    if not isinstance(op, Edit) or None in failed:
        return None
    hunks = [hunk if at == number else one for at, one in enumerate(op.hunks) if at == number or at not in failed]
    return op._replace(hunks=tuple(filter(None, hunks))) if hunks else None


# ── proof ────────────────────────────────────────────────────────────────────────────────────────


class Region(NamedTuple):
    """The rows of a file that a hunk is about, those of its claimed neighbours, and what becomes of the rows."""

    first: int
    end: int
    body: tuple[int, int]
    changes: list[Change]


def _proven(case: Case, region: Region) -> Correction | None:
    """Return the correction for a region, with as little context as makes it unique; None if it isn't proven."""
    trial, lines = case.trial, case.text.lines
    for count in _CONTEXT:
        first, end = max(region.first - count, 0), min(region.end + count, len(lines))
        if len(find_exact(case.text, join_lines(lines[first:end]))) > 1:
            continue
        hunk = _rewritten(case, region._replace(first=first, end=end))
        op = case.op._replace(hunks=(hunk,), mode=0)
        if _makes(op, region, case) and not _together(case, hunk).problems:
            text = resend((op,), trial.patch.format)
            return Correction(_line(case, region.first), text) if text else None
    return None


def _rewritten(case: Case, region: Region) -> Hunk:
    """Return the hunk with the lines of a region, in the shape that its format has."""
    hunk, lines = case.hunk, case.text.lines
    policy, claims = hunk.policy, hunk.claims
    low, high = region.body if policy.replaces_range else (region.first, region.end)
    claims = claims._replace(before=tuple(lines[region.first : low]), after=tuple(lines[high : region.end]))
    base = _base(case, region)
    old = [line.removeprefix(base) for line in lines[low:high]]
    new = _changed(old, region.changes, low)
    if claims.line:
        claims = claims._replace(line=low + 1, last=high)
    if policy.replaces_range and all(line[0] != " " for line in hunk.signed):
        signed = [("-", line) for line in old] + [("+", line) for line in new]
        return signed_hunk(signed, policy, claims, hunk.patch_line)
    if hunk.signed:
        return signed_hunk(tagged(old, new), policy, claims, hunk.patch_line)
    sides = join_lines(old), join_lines(new)
    if hunk.inline and not hunk.old.endswith("\n"):
        sides = sides[0].removesuffix("\n"), sides[1].removesuffix("\n")
    return hunk._replace(old=sides[0], new=sides[1], claims=claims, doubts=(), rival="", within=None)


def _base(case: Case, region: Region) -> str:
    """Return the indentation that CHUNK gives new lines: that of the marker's first line."""
    if case.hunk.policy.indents != "marker":
        return ""
    return next((indent_of(line) for line in case.text.lines[slice(*region.body)] if not is_blank(line)), "")


def _changed(lines: Sequence[str], changes: Sequence[Change], offset: int = 0, base: str = "") -> list[str]:
    """Return lines with changes made to them; `offset`: the row of the first of them."""
    made = list(lines)
    for start, end, new in reversed(changes):
        made[start - offset : end - offset] = [line if is_blank(line) else base + line for line in new]
    return made


def _makes(op: Edit, region: Region, case: Case) -> bool:
    """Return True if an edit alone makes the changes of a region and no others."""
    path, text = case.trial.outcome.path, case.text
    tree = MemoryTree({path: File(text.data())})
    made = plan(Patch(case.trial.patch.format, (op._replace(path=path),)), tree)
    expected = _changed(text.lines, region.changes, base=_base(case, region))
    return not made.problems and TreeAfter(tree, made).lines(path) == expected


def _together(case: Case, hunk: Hunk) -> Plan:
    """Plan all of the file's edits that fit, with a hunk in place of the one that failed."""
    trial = case.trial
    own = trial.outcome.number
    ops = [_fitting(one, case.number, hunk) if one.number == own else _fitting(one) for one in trial.outcomes]
    return trial.plan(ops, trial.files)


def _line(case: Case, row: int) -> int:
    """Return the line of a row in the file as it was read; in the text at this edit, if an earlier edit made it."""
    file = case.trial.files.get(case.trial.outcome.path)
    pairs = same_rows(Text.read(file.data).lines, case.text.lines) if file else ()
    return {new: old for old, new in pairs}.get(row, row) + 1


# ── regions ──────────────────────────────────────────────────────────────────────────────────────


def _nearest(case: Case) -> int | None:
    """Return the solid line where the region most like the old lines begins; None if another is as near.

    Each old line votes for where the first would be: one that the file has with 2, one that is alike with up to 1.
    """
    keys, solid = case.keys, case.solid
    unknown = [key for key in keys if not solid.positions(key)]
    if len(unknown) > min(max(len(keys) - len(unknown), 1), _UNKNOWN):
        return None
    votes: defaultdict[int, float] = defaultdict(float)
    for number, key in enumerate(keys):
        positions = solid.positions(key)
        for position in positions if len(positions) <= _COMMON else ():
            votes[position - number] += 2
        for position in () if positions else all_alike(key, solid.keys):
            other = solid.keys[position]
            votes[position - number] += max(ends_alike(key, other), words_alike(words_of(key), words_of(other)))
    shift = min((len(keys) - 1) // 2, _SHIFT)
    totals = {first: sum(votes.get(first + by, 0) for by in range(-shift, shift + 1)) for first in votes}
    best = max(totals, key=lambda first: (totals[first], votes[first], -first), default=None)
    if best is None or any(totals[one] > totals[best] - _CLEARLY for one in totals if abs(one - best) > shift):
        return None
    return best


def _region_at(case: Case, row: int) -> Region | None:
    """Return the region of a place that begins in a row; for an inline hunk, the whole lines that it is in."""
    old, text = case.hunk.old, case.text
    at = text.body.find(old, text.line_start(row)) if case.hunk.inline else -1
    if at < 0 or text.row_at(at) != row:
        return _region(case, bisect_left(case.solid.rows, row))
    end = text.row_at(at + len(old) - 1) + 1
    low, high = text.starts[row], text.line_start(end)
    new = text.body[low:at] + case.hunk.new + text.body[at + len(old) : high]
    return Region(row, end, (row, end), [(row, end, new.split("\n")[:-1])])


def _region(case: Case, first: int) -> Region | None:
    """Return the region that begins at a solid line; None if it differs from the old lines in more than one way."""
    laid = _LaidOver(case, first)
    ways = laid.ways()
    whole, body = laid.edges(0, len(case.old)), laid.edges(*case.body)
    if ways is None or whole is None or body is None:
        return None
    rows = laid.rows_that_count(context="context" in ways)
    going = {number for start, end, _ in case.changes for number in range(start, end)}
    if any(_is_doubtful(case.old[at], case.text.lines[row], case.added, at in going) for at, row in rows.items()):
        return None
    indents = _indents(case, rows)
    changes = [moved for change in case.changes if (moved := laid.moved(change, indents, alone=not ways))]
    return Region(*whole, body, changes) if len(changes) == len(case.changes) else None


def _indents(case: Case, rows: dict[int, int]) -> list[tuple[str, str]]:
    """Return the indentation of old lines and of those in the file; if it counts from the marker's, without that."""
    indents = [(indent_of(case.old[number]), indent_of(case.text.lines[row])) for number, row in rows.items()]
    if case.hunk.policy.indents != "marker" or not indents:
        return indents
    own, base = map(len, indents[0])
    return [(old[own:], there[base:]) for old, there in indents]


class _LaidOver:
    """The old lines of a hunk laid over the lines of the file from a solid line on.

    `runs`: where they differ, blank lines aside. `rows`: the row of each old line that isn't blank, if it has one.
    """

    def __init__(self, case: Case, first: int) -> None:
        self.case = case
        keys, numbers, solid = case.keys, case.numbers, case.solid
        low, last = max(first - _SHIFT, 0), max(first, 0) + len(keys)
        if first >= 0 and solid.keys[first:last] == keys:
            low, window = first, keys
        else:
            window = solid.keys[low : last + _AROUND]
        self.runs: list[Run] = []
        positions: list[int | None] = []  # of each old line in the window
        end = 0
        for run in opcodes(keys, window):
            start, stop, at, end = _clipped(run, len(keys), max(first, 0) - low, len(window))
            positions += range(at - (start - len(positions)), at)
            positions += range(at, end) if stop - start == end - at else [None] * (stop - start)
            if stop > start or end > at:
                self.runs.append((start, stop, low + at, low + end))
        positions += range(end, end + len(keys) - len(positions))
        self.rows = {
            number: solid.rows[low + at] for number, at in zip(numbers, positions, strict=True) if at is not None
        }

    def ways(self) -> set[str] | None:
        """Return how the lines differ; None if that is in more than one way."""
        ways = {self.way(run) for run in self.runs}
        if len(ways) > 1 or (ways == {"context"} and len(self.runs) > 1):
            return None
        return None if None in ways else {way for way in ways if way}

    def way(self, run: Run) -> str | None:
        """Return how a run differs: "spelling" or "context"; None if it is unclear what happens to its lines."""
        case, (start, stop, low, high) = self.case, run
        old, there = case.keys[start:stop], case.solid.keys[low:high]
        if len(old) == len(there) and all(map(is_alike, old, there)):
            return "spelling"
        around = case.solid.keys[max(low - _AROUND, 0) : high + _AROUND]
        if not {*old}.isdisjoint(around) or not {*map(plain_punctuation, case.added)}.isdisjoint(there):
            return None  # lines in another order, or new ones that the file already has
        if any(number in range(begin, end) for number in case.numbers[start:stop] for begin, end, _ in case.changes):
            return None
        return "context" if len(old) < len(case.keys) else None

    def rows_that_count(self, *, context: bool) -> dict[int, int]:
        """Return the rows of the old lines without those that the file has otherwise, if that is more than a line."""
        start, stop, *_ = self.runs[0] if context else (0, 0)
        other = self.case.numbers[start:stop] if stop - start > 1 else []
        return {number: row for number, row in self.rows.items() if number not in other}

    def moved(self, change: Change, indents: Sequence[tuple[str, str]], *, alone: bool) -> Change | None:
        """Return a change of old lines as one of the file's lines."""
        start, end, new = change
        span = self.span(start, end)
        lines = [there for line in new if (there := _moved(line, indents, alone=alone)) is not None]
        return (*span, lines) if span is not None and len(lines) == len(new) else None

    def span(self, start: int, end: int) -> tuple[int, int] | None:
        """Return the rows of some old lines, or the row between two; None if other lines of the file are there."""
        edges = self.edges(start, end)
        there = edges and sum(not is_blank(line) for line in self.case.text.lines[slice(*edges)])
        return edges if there == sum(start <= number < end for number in self.case.numbers) else None

    def edges(self, start: int, end: int) -> tuple[int, int] | None:
        """Return the rows where old lines begin and end; None if one of the two isn't clear."""
        low = self.rows[start] if start < end and start in self.rows else self._row_between(start)
        high = self.rows[end - 1] + 1 if start < end and end - 1 in self.rows else self._row_between(end)
        if low is None or high is None:
            return None
        return low, high

    def _row_between(self, number: int) -> int | None:
        """Return the row that an old line would have if it were inserted above another."""
        numbers, rows = self.case.numbers, self.rows
        at = bisect_left(numbers, number)
        above = numbers[at - 1] if at else -1
        below = numbers[at] if at < len(numbers) else -1
        if above < 0:
            return rows[below] - self._blank_rows(rows[below] - 1, -1, below - number) if below in rows else None
        if below < 0:
            row = rows.get(above, -1) + 1
            return row + self._blank_rows(row, 1, number - above - 1) if above in rows else None
        if above not in rows or below not in rows:
            return None
        blank, there = below - above - 1, rows[below] - rows[above] - 1
        return rows[above] + 1 + min(number - above - 1, there) if there in (0, blank) else None

    def _blank_rows(self, row: int, step: int, most: int) -> int:
        """Return how many rows are blank from `row` on, at most `most`."""
        rows = range(row, row + most * step, step)
        lines = self.case.text.lines
        blank = takewhile(lambda row: 0 <= row < len(lines) and is_blank(lines[row]), rows)
        return sum(1 for _ in blank)


def _clipped(run: Run, count: int, first: int, stop_at: int) -> Run:
    """Return a difference at the first or last old lines without more lines of the file than those have."""
    start, stop, low, high = run
    if (start, stop) == (0, count):  # no line is the same
        low = first
    elif start == 0:
        low = max(high - stop, 0)
    if stop == count:
        high = min(low + stop - start, stop_at)
    return start, stop, low, high


def _moved(line: str, indents: Sequence[tuple[str, str]], *, alone: bool) -> str | None:
    """Return a new line, indented as the old lines show that the file is; None if they don't show it.

    `alone`: nothing but indentation differs. Then one rule for all lines will do; else they must show this very one.
    """
    shift = shift_between(indents)
    known = {there for said, there in indents if said == indent_of(line)}
    if shift is not None and (alone or shift is unchanged or known or is_blank(line)):
        return reindent(line, shift)
    return known.pop() + line.lstrip(" \t") if len(known) == 1 else None


def _is_doubtful(said: str, there: str, added: Sequence[str], goes: bool) -> bool:
    """Return True if new lines may repeat the mistake of an old one, or lose what the file has in its place.

    -total = summ(items)        -total = sum(items)        file   total = sum(items, tax)
    +total = summ(prices)       +total = sum(prices)
    """
    if any(ord(sign) in ASCII_FOR and sign not in there for sign in said) and any(
        map(ASCII_FOR.get, map(ord, "".join(added)))
    ):
        return True  # `“` for `"`
    if plain_punctuation(said) == plain_punctuation(there):
        return False
    old, new = _TOKEN.findall(said), _TOKEN.findall(there)
    known = [token for line in added for token in _TOKEN.findall(line)]
    start, stop, _, _ = trimmed(old, new)
    odd = old[start:stop]
    if not set(old).difference(new).isdisjoint(known):
        return True
    repeated = any(known[at : at + len(odd)] == odd for at in range(len(known) - len(odd) + 1))
    return goes and bool(added) and repeated
