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
from collections import defaultdict
from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from .answer.read import read
from .author.resend import resend
from .diff import changed_rows, tagged, trimmed, unchanged
from .match.claims import Candidates
from .match.files import paths_ending_in, shows_old
from .match.indentation import shift_between
from .match.indentation import unchanged as no_shift
from .match.ladder import ASCII_FOR, LEVELS, plain_punctuation
from .match.place import Context, PlacedHunk, at_places, locate
from .match.search import Index, find_exact, index_of
from .model import Edit, File, Hunk, Move, Op, Outcome, Patch, Plan, join_lines
from .plan import plan
from .problems import Correction, Problem, Refused, explained
from .similarity import all_alike, ends_alike, is_alike, words_alike, words_of
from .text import Text, indent_of, is_blank, looks_binary
from .tree import MemoryTree, TreeAfter

if TYPE_CHECKING:
    from .match.files import Tree
    from .result import Result

    Change = tuple[int, int, list[str]]  # rows from..to, and what takes their place

_CORRECTED = ("not_found", "ambiguous", "file_missing")  # kinds of problems
_PROBLEMS = 20  # the first few get corrections
_PLACES = 8  # an ambiguity with more places gets none: only some of them would be a choice
_CONTEXT = (0, 1, 2, 4, 8, 16)  # neighbouring lines on either side
_LARGEST = 1_000_000  # bytes of a file
_COMMON = 64  # a line that is in more places tells none of them
_UNKNOWN = 4  # old lines that the file doesn't have
_SHIFT, _AROUND = 2, 8  # by how many lines a region may begin elsewhere, and end elsewhere
_CLEARLY = 0.1  # of a line: by so much the nearest region is nearer than any other
_TOKEN = re.compile(r"\\+.?|\w+|[^\w\s]")  # an escape, a word, a sign


def with_offers(full: Plan, tree: Tree, overwrite: bool | None, answer: str, *, partial: bool) -> Plan:
    """Return the plan; its first problems get corrections, which are computed on request.

    `partial`: what could be placed is applied, and the corrections are for the result.
    """
    left, outcomes = _PROBLEMS, []
    for outcome in full.outcomes:
        problems = list(outcome.problems)
        numbers = [at for at, problem in enumerate(problems) if problem.kind in _CORRECTED]
        if numbers and left > 0:
            trial = _trial(outcome, full, tree, overwrite, answer, partial)
            for at in numbers[:left]:
                problems[at] = _offered(problems[at], trial)
            left -= len(numbers)
        outcomes.append(outcome._replace(problems=tuple(problems)))
    return full._replace(outcomes=tuple(outcomes))


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


def _trial(outcome: Outcome, full: Plan, tree: Tree, overwrite: bool | None, answer: str, partial: bool) -> Trial:
    """Read the files now: when the corrections are requested, the tree may be closed, or changed."""
    if partial:
        outcome, tree = outcome._replace(op=outcome.rest or outcome.op), TreeAfter(tree, full)
    names = _names_of_file(outcome.path, full)
    outcomes = [other for other in full.outcomes if other.path in names or other.op.path == outcome.op.path]
    files, others = _read(tree, names), {}
    if not files and shows_old(outcome.op):
        others = _read(tree, paths_ending_in(outcome.op.path, tree)[:_PLACES] or tree.suggest(outcome.op.path))
    return Trial(outcome, [outcome] if partial else outcomes, files, others, full.patch, overwrite, answer)


def _names_of_file(path: str, full: Plan) -> set[str]:
    """Return all names that the patch gives a file by moving it."""
    names = {path}
    moves = [{other.path, other.op.to} for other in full.outcomes if isinstance(other.op, Move)]
    while more := [move for move in moves if names & move and not move <= names]:
        names = names.union(*more)
    return names


def _read(tree: Tree, paths: Sequence[str] | set[str]) -> dict[str, File]:
    """Return those of some files that exist."""
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
    if case is None:
        return ()
    hunk: Hunk | None = case.hunk
    if problem.kind == "not_found":
        # If there is advice, it says more: the result is already in the file, or the text is in another one.
        hunk = None if problem.is_advised else _with_lines_of_file(case)
    regions = _regions(problem, case, hunk) if hunk is not None else []
    proven = [correction for region in regions if region and (correction := _proven(case, region))]
    return tuple(proven) if len({correction.text for correction in proven}) == len(regions) else ()


def _regions(problem: Problem, case: Case, hunk: Hunk) -> list[Region | None]:
    """Return what a hunk would change at each of its places; None for a place where it can't be applied."""
    context = Context(case.text, case.trial.outcome.path)
    candidates = locate(context, hunk)
    if not isinstance(candidates, Candidates) or len(problem.near) > _PLACES:
        return []
    shown = {near.at - 1 for near in problem.near}
    regions: list[Region | None] = []
    for place in candidates.places:
        if problem.kind == "ambiguous" and case.text.row_at(place.start) not in shown:
            continue
        placed = at_places(context, candidates._replace(places=[place]))
        rows = case.text.row_at(place.start), case.text.row_at(place.stop - 1) + 1
        if isinstance(placed, PlacedHunk):
            regions.append(Region(*rows, [*changed_rows(case.text, placed.splices)]))
        else:
            regions.append(None)
    return regions


def _with_right_path(trial: Trial) -> tuple[Correction, ...]:
    """Return the edit with the path of the only candidate file that accepts all edits of its path."""
    fitting = []
    for path, file in trial.others.items():
        plan = trial.plan([outcome.op._replace(path=path) for outcome in trial.outcomes], {path: file})
        fitting += [path] if plan.changes and not plan.problems else []
    text = resend((trial.outcome.op._replace(path=fitting[0]),), trial.patch.format) if len(fitting) == 1 else ""
    return (Correction(0, text),) if text else ()


# ── one hunk ─────────────────────────────────────────────────────────────────────────────────────


class Case(NamedTuple):
    """A hunk that has no place, or several, and the text that it was looked for in, as the edits before leave it."""

    op: Edit
    number: int
    hunk: Hunk
    text: Text
    trial: Trial


class Region(NamedTuple):
    """The rows of a place, first and end, and what a hunk changes in the text there."""

    first: int
    end: int
    changes: list[Change]


def _case(problem: Problem, trial: Trial) -> Case | None:
    """Return the hunk that a problem is about; None if it isn't one of old and new text."""
    outcome, op = trial.outcome, trial.outcome.op
    number = _hunk_number(problem, op)
    if not isinstance(op, Edit) or number is None or op.whole is not None or "#" in op.path:
        return None
    hunk = op.hunks[number]
    if not isinstance(hunk, Hunk) or not hunk.old.strip():
        return None
    above = [other for other in trial.outcomes if other.number < outcome.number]
    plan = trial.plan([_fitting(other) for other in above], trial.files)
    file = TreeAfter(MemoryTree(trial.files), plan).read(outcome.path)
    return Case(op, number, hunk, Text.read(file.data), trial) if file is not None else None


def _hunk_number(problem: Problem, op: Op) -> int | None:
    """Return which hunk of an operation a problem is about; None if that isn't known."""
    hunks = op.hunks if isinstance(op, Edit) else ()
    at_line = [at for at, hunk in enumerate(hunks) if hunk.patch_line == problem.patch_line]
    if len(at_line) == 1 or len(hunks) == 1:
        return at_line[0] if at_line else 0
    return problem.part if 0 <= problem.part < len(hunks) else None


def _fitting(outcome: Outcome, number: int = -1, hunk: Hunk | None = None) -> Op | None:
    """Return an operation without its failed hunks, under the file's own path, with `hunk` in place of one."""
    op = outcome.op if "#" in outcome.op.path else outcome.op._replace(path=outcome.path)
    failed = {_hunk_number(problem, op) for problem in outcome.problems}
    if not failed:
        return op
    if not isinstance(op, Edit) or None in failed:
        return None
    hunks = [hunk if at == number else other for at, other in enumerate(op.hunks) if at == number or at not in failed]
    return op._replace(hunks=tuple(filter(None, hunks))) if hunks else None


# ── the correction of a hunk at a place ──────────────────────────────────────────────────────────


def _proven(case: Case, region: Region) -> Correction | None:
    """Return the correction for a region, with as little context as makes it unique; None if it isn't proven."""
    trial, lines = case.trial, case.text.lines
    for count in _CONTEXT:
        first, end = max(region.first - count, 0), min(region.end + count, len(lines))
        if len(find_exact(case.text, join_lines(lines[first:end]))) > 1:
            continue
        hunk = _rewritten(case, region, first, end)
        op = case.op._replace(hunks=(hunk,), mode=0)
        if _makes(op, region, case) and not _together(case, hunk).problems:
            text = resend((op,), trial.patch.format)
            return Correction(_line(case, region.first), text) if text else None
    return None


def _rewritten(case: Case, region: Region, first: int, end: int) -> Hunk:
    """Return the hunk with the file's lines from `first` to `end`, in the shape that its format has.

    For CHUNK, the lines around the region are its context, and new lines are indented from the marker's first line.
    """
    hunk, lines = case.hunk, case.text.lines
    policy, low, high = hunk.policy, first, end
    claims = hunk.claims._replace(before=(), after=())
    if policy.replaces_range:
        low, high = region.first, region.end
        claims = claims._replace(before=tuple(lines[first:low]), after=tuple(lines[high:end]))
    if claims.line:
        claims = claims._replace(line=low + 1, last=high)
    base = next((indent_of(line) for line in lines[low:high] if not is_blank(line)), "")
    base = base if policy.indents == "marker" else ""
    old, new = lines[low:high], _changed(lines[low:high], region.changes, low)
    old, new = ([line.removeprefix(base) for line in side] for side in (old, new))
    rewritten = _with_lines(hunk._replace(claims=claims), old, new)
    if hunk.inline and not hunk.old.endswith("\n"):
        return rewritten._replace(old=rewritten.old.removesuffix("\n"), new=rewritten.new.removesuffix("\n"))
    return rewritten


def _with_lines(hunk: Hunk, old: list[str], new: list[str]) -> Hunk:
    """Return the hunk with other old and new lines, and signs if its format has them."""
    signed: Sequence[tuple[str, str]] = ()
    if hunk.policy.replaces_range and all(line[0] != " " for line in hunk.signed):
        signed = [("-", line) for line in old] + [("+", line) for line in new]
    elif hunk.signed:
        signed = tagged(old, new)
    texts = tuple([sign + line for sign, line in signed])
    sides = join_lines(old), join_lines(new)
    return hunk._replace(old=sides[0], new=sides[1], signed=texts, doubts=(), within=None)


def _changed(lines: Sequence[str], changes: Sequence[Change], offset: int = 0) -> list[str]:
    """Return lines with changes made to them; `offset`: the row of the first of them."""
    result = list(lines)
    for start, end, new in reversed(changes):
        result[start - offset : end - offset] = new
    return result


def _makes(op: Edit, region: Region, case: Case) -> bool:
    """Return True if an edit alone makes the changes of a region and no others."""
    path, text = case.trial.outcome.path, case.text
    tree = MemoryTree({path: File(text.data())})
    alone = plan(Patch(case.trial.patch.format, (op._replace(path=path),)), tree)
    return not alone.problems and TreeAfter(tree, alone).lines(path) == _changed(text.lines, region.changes)


def _together(case: Case, hunk: Hunk) -> Plan:
    """Plan all of the file's edits that fit, with a hunk in place of the one that failed."""
    trial = case.trial
    own = trial.outcome.number
    ops = [_fitting(other, case.number, hunk) if other.number == own else _fitting(other) for other in trial.outcomes]
    return trial.plan(ops, trial.files)


def _line(case: Case, row: int) -> int:
    """Return the line of a row in the file as it was read; in the text at this edit, if an earlier edit made it."""
    file = case.trial.files.get(case.trial.outcome.path)
    pairs = unchanged(Text.read(file.data).lines, case.text.lines) if file else ()
    return {new: old for old, new in pairs}.get(row, row) + 1


# ── the file's lines in place of the hunk's ──────────────────────────────────────────────────────


def _with_lines_of_file(case: Case) -> Hunk | None:
    """Return the hunk with the lines of the nearest region in place of its own; None if it isn't clear how.

    They may differ in one way only: some are spelled differently, or one run of kept lines is another one in the file.
    """
    hunk, text = case.hunk, case.text
    lines = [(line[0], line[1:]) for line in hunk.signed]
    if all(sign != " " for sign, _ in lines):
        lines = list(tagged(hunk.old_lines, hunk.new_lines))
    before, after = ([(" ", line) for line in side] for side in (hunk.claims.before, hunk.claims.after))
    lines = [*before, *lines, *after]
    instead = _lines_instead(text, lines, marker=hunk.policy.indents == "marker")
    if instead is None:
        return None
    parts: list[list[tuple[str, str]]] = [[], [], []]
    for number, (sign, line) in enumerate(lines):
        part = (number >= len(before)) + (number >= len(lines) - len(after))
        parts[part] += [(sign, other) for other in instead.get(number, [line])]
    before_lines, after_lines = (tuple([line for _, line in part]) for part in (parts[0], parts[2]))
    old, new = ([line for sign, line in parts[1] if sign != other] for other in "+-")
    claims = hunk.claims._replace(before=before_lines, after=after_lines)
    return _with_lines(hunk._replace(claims=claims, inline=False), old, new)


def _lines_instead(text: Text, lines: Sequence[tuple[str, str]], *, marker: bool) -> dict[int, list[str]] | None:
    """Return what to write for each line with a sign; None if it isn't clear. `marker`: they are indented from it."""
    rows = _matched_rows(text, lines)
    if not rows:
        return None
    first = min(rows)
    own, base = (indent_of(lines[first][1]), indent_of(text.lines[rows[first]])) if marker else ("", "")
    instead = {number: [text.lines[row].removeprefix(base)] for number, row in rows.items()}
    for above, below in pairwise(sorted(rows)):
        between = [line.removeprefix(base) for line in text.lines[rows[above] + 1 : rows[below]]]
        if not _fill_gap(instead, lines, above, below, between):
            return None
    pairs = [(indent_of(lines[at][1])[len(own) :], indent_of(text.lines[row])[len(base) :]) for at, row in rows.items()]
    added = [number for number, (sign, line) in enumerate(lines) if sign == "+" and not is_blank(line)]
    indented = {number: line for number in added if (line := _indented(lines[number][1], pairs)) is not None}
    instead |= {number: [line] for number, line in indented.items()}
    return instead if len(indented) == len(added) else None


def _indented(line: str, pairs: Sequence[tuple[str, str]]) -> str | None:
    """Return a new line, indented as the old lines show that the file is; None if they don't show it."""
    own = indent_of(line)
    indents = {file_indent for old_indent, file_indent in pairs if old_indent == own}
    if not indents and shift_between(pairs) is no_shift:
        indents = {own}
    return indents.pop() + line.lstrip(" \t") if len(indents) == 1 else None


def _matched_rows(text: Text, lines: Sequence[tuple[str, str]]) -> dict[int, int] | None:
    """Return the row of each old line in the nearest region; None if it isn't clear that the lines belong there.

    Without the run of kept lines that the file has otherwise, if that has another length there.
    """
    numbers, added = _solid_old(lines), [line for sign, line in lines if sign == "+"]
    keys = [plain_punctuation(lines[number][1]) for number in numbers]
    solid = index_of(text, LEVELS["marker in plain punctuation"], None)
    nearest = _nearest(keys, solid)
    if nearest is None:
        return None
    run = start, stop, low, high = _differing_run(keys, solid.keys, nearest)
    longer = (high - low) - (stop - start)
    if "-" in {lines[number][0] for number in numbers[start:stop]} or not _is_clear(keys, solid.keys, added, run):
        return None
    matched = [at for at in range(len(keys)) if not (longer and start <= at < stop)]
    rows = {numbers[at]: solid.rows[low - start + at + longer * (at >= stop)] for at in matched}
    same = rows.keys() - numbers[start:stop]
    pairs = [(lines[number], text.lines[rows[number]]) for number in same]
    return None if any(_is_doubtful(line, file_line, added, sign == "-") for (sign, line), file_line in pairs) else rows


def _is_clear(keys: list[str], file_keys: list[str], added: Sequence[str], run: tuple[int, int, int, int]) -> bool:
    """Return False if it isn't clear what becomes of a run of lines that the file has otherwise."""
    start, stop, low, high = run
    if stop - start != high - low and (start == 0 or stop == len(keys)):
        return False  # where does the region begin, or end?
    if not {*keys[start:stop]}.isdisjoint(file_keys[max(low - _AROUND, 0) : high + _AROUND]):
        return False  # the lines are in another order
    return {*map(plain_punctuation, added)}.isdisjoint(file_keys[low:high])  # the file has new lines already


def _solid_old(lines: Sequence[tuple[str, str]]) -> list[int]:
    """Return the numbers of the lines that must be in the file and aren't blank."""
    return [number for number, (sign, line) in enumerate(lines) if sign != "+" and not is_blank(line)]


def _fill_gap(
    instead: dict[int, list[str]], lines: Sequence[tuple[str, str]], above: int, below: int, between: list[str]
) -> bool:
    """Write the lines that the file has between two matched ones; return False if it isn't clear which of them go.

    Or if it isn't clear where lines go that are added there. Where only blank lines differ, the search finds a place.
    """
    old = [number for number in range(above + 1, below) if lines[number][0] != "+"]
    old_lines = [lines[number][1] for number in old]
    has_added = len(old) < below - above - 1
    is_blank_gap = all(map(is_blank, (*between, *old_lines)))
    if between == old_lines or (has_added and is_blank_gap):
        return True
    goes, both_go = lines[above][0] == "-", lines[above][0] == lines[below][0] == "-"
    replaces = goes and old[:1] != [above + 1]  # `-old`, `+new`, and then what differs
    if (has_added and not replaces) or (both_go and not is_blank_gap):
        return False
    instead.update({number: [] for number in old})
    if goes and not both_go:
        instead[below] = [*between, *instead[below]]
    else:
        instead[above] += between
    return True


def _nearest(keys: list[str], solid: Index) -> int | None:
    """Return the solid line where the region most like the old lines begins; None if another is as near.

    Each old line votes for where the first would be: one that the file has with 2, one that is alike with up to 1.
    """
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
    if best is None or any(totals[first] > totals[best] - _CLEARLY for first in totals if abs(first - best) > shift):
        return None
    return best


def _differing_run(keys: list[str], file_keys: list[str], nearest: int) -> tuple[int, int, int, int]:
    """Return the lines that differ near a place: of the old lines from..to, and the file's from..to in their place.

    The empty run at the top if each line is equal or alike. At the edges of the hunk, as many lines of the file.
    """
    size = len(keys)
    shift = min((size - 1) // 2, _SHIFT)
    for first in sorted(range(max(nearest - shift, 0), nearest + shift + 1), key=lambda first: abs(first - nearest)):
        window = file_keys[first : first + size]
        if len(window) == size and all(map(is_alike, keys, window)):
            return 0, 0, first, first
    runs = []
    for first in range(max(nearest - _SHIFT, 0), nearest + _SHIFT + 1):
        start = next((at for at in range(size) if file_keys[first + at : first + at + 1] != [keys[at]]), size)
        for end in range(max(first + size - _AROUND, first + start), first + size + _AROUND + 1):
            room = min(size - start, end - first - start)
            tail = next((at for at in range(room) if file_keys[end - 1 - at : end - at] != [keys[-1 - at]]), room)
            high = end - tail if tail else min(first + size, len(file_keys))
            runs.append((start, size - tail, first + start if start else max(high - size + tail, 0), high))
    return min(runs, key=lambda run: (run[1] - run[0], run[3] - run[2]), default=(0, size, 0, 0))


def _is_doubtful(old_line: str, file_line: str, added: Sequence[str], goes: bool) -> bool:
    """Return True if new lines may repeat the mistake of an old one, or lose what the file has in its place.

    -total = summ(items)        -total = sum(items)        file   total = sum(items, tax)
    +total = summ(prices)       +total = sum(prices)
    """
    if any(ord(sign) in ASCII_FOR and sign not in file_line for sign in old_line) and any(
        map(ASCII_FOR.get, map(ord, "".join(added)))
    ):
        return True  # `“` for `"`
    if plain_punctuation(old_line) == plain_punctuation(file_line):
        return False
    old, new = _TOKEN.findall(old_line), _TOKEN.findall(file_line)
    known = [token for line in added for token in _TOKEN.findall(line)]
    start, stop, _, _ = trimmed(old, new)
    odd = old[start:stop]
    if not set(old).difference(new).isdisjoint(known):
        return True
    repeated = any(known[at : at + len(odd)] == odd for at in range(len(known) - len(odd) + 1))
    return goes and bool(added) and repeated
