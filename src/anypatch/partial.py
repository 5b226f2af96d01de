"""A plan of what can be placed, where not everything can: the rest is kept apart, ready to resend. Pure.

A hunk is a part; so is an operation without hunks. The patch is planned again without the parts that failed, until
none does. What builds on a part that failed waits with it: else it might land on text that is only alike.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from .model import Edit, EditBody, Hunk, LineSplice, Merge, Move, Op, Outcome, Plan
from .plan import plan
from .problems import EXPLAINED, Problem, Refused
from .text import stripped
from .tree import TreeAfter

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .match.files import Tree


# Problems of one part that are a reason to trust none.
_WHOLE = {"unsafe_path", "truncated", "io", "proposed", "alternatives"}
_ROUNDS = 8  # how often the patch is planned without what failed
_OFFSETS = 64  # with more ways to lay two texts over each other, they are treated as a fit


def in_part(full: Plan, tree: Tree, overwrite: bool | None) -> Plan:
    """Return the plan of everything that can be placed, each outcome with the rest of its operation.

    Return the plan as it was if nothing may be applied: what can't be read can't be left out safely.
    """
    kinds = {problem.kind for outcome in full.outcomes for problem in outcome.problems}
    if full.patch.problems or not kinds.isdisjoint(_WHOLE):
        return full
    failed = {outcome.number: outcome.problems for outcome in full.outcomes}
    for _ in range(_ROUNDS):
        splits = _splits(full, tree, failed)
        kept = [split for split in splits if split.kept is not None]
        ops = tuple(split.kept for split in kept if split.kept is not None)
        part_plan = plan(full.patch._replace(ops=ops, sketches=()), tree, overwrite=overwrite)
        if not part_plan.problems:
            return _with_rest(full, part_plan, splits, tree) if part_plan.changes else full
        for split, outcome in zip(kept, part_plan.outcomes, strict=True):
            failed[split.outcome.number] += split.renumbered(outcome.problems)
    return full


def _with_rest(full: Plan, part_plan: Plan, splits: list[_Split], tree: Tree) -> Plan:
    """Return the plan of what is applied with an outcome for each operation of the patch."""
    applied = iter(part_plan.outcomes)
    outcomes = []
    for split in splits:
        problems = tuple(sorted(split.problems, key=lambda problem: problem.patch_line))
        done = next(applied) if split.kept is not None else Outcome(0, split.outcome.op, split.outcome.path)
        number, op = split.outcome.number, split.outcome.op
        outcomes.append(done._replace(number=number, op=op, problems=problems, rest=split.rest))
    return _with_current_excerpts(part_plan._replace(patch=full.patch, outcomes=_with_moved_lines(outcomes)), tree)


def _with_current_excerpts(part_plan: Plan, tree: Tree) -> Plan:
    """Return the plan, each problem with the lines as they are once the rest is applied, not as they were read."""
    after, outcomes, count = TreeAfter(tree, part_plan), list(part_plan.outcomes), 0
    for at, outcome in enumerate(outcomes):
        if outcome.rest is None or count >= EXPLAINED or not any(problem.explain for problem in outcome.problems):
            continue
        count += 1
        alone = plan(part_plan.patch._replace(ops=(outcome.rest,), problems=()), after)
        current = {(problem.kind, problem.patch_line): problem for problem in alone.problems}
        problems = [current.get((problem.kind, problem.patch_line), problem) for problem in outcome.problems]
        outcomes[at] = outcome._replace(problems=tuple(problem._replace(op=outcome.number) for problem in problems))
    return part_plan._replace(outcomes=tuple(outcomes))


# ── what is left ─────────────────────────────────────────────────────────────────────────────────


class _Split(NamedTuple):
    """An operation in two: what is kept, and the rest, with the reasons. `numbers`: the hunks that are kept."""

    outcome: Outcome
    kept: Op | None
    rest: Op | None = None
    problems: tuple[Problem, ...] = ()
    numbers: tuple[int, ...] = ()

    def renumbered(self, problems: tuple[Problem, ...]) -> tuple[Problem, ...]:
        """Return the problems of what is kept as problems of the whole operation."""
        numbers = dict(enumerate(self.numbers))
        return tuple(
            problem._replace(op=self.outcome.number, part=numbers.get(problem.part, -1)) for problem in problems
        )


def _splits(full: Plan, tree: Tree, failed: dict[int, tuple[Problem, ...]]) -> list[_Split]:
    """Split every operation, given the problems of those that failed."""
    unapplied_in: dict[str, Unapplied] = {}
    splits = []
    for outcome in full.outcomes:
        unapplied = unapplied_in.setdefault(outcome.path, Unapplied())
        above = unapplied_in.get(outcome.op.to) if isinstance(outcome.op, Move) else None
        if (
            unapplied.whole
            or (above and (above.whole or above.new_lines))
            or (unapplied.new_lines and not isinstance(outcome.op, Edit))
        ):
            split = _Split(outcome, None, outcome.op, (_held_back(outcome, outcome.op.patch_line),))
        else:
            split = _split(outcome, unapplied, failed[outcome.number])
        if isinstance(split.rest, Edit):
            for part in split.rest.hunks:
                unapplied.add(part)
        elif split.rest is not None:
            unapplied.whole = True
        if isinstance(split.rest, Move):
            unapplied_in[split.rest.to] = unapplied_in[_canonical(split.rest.to, tree)] = unapplied
        splits.append(split)
    return splits


def _split(outcome: Outcome, unapplied: Unapplied, problems: tuple[Problem, ...]) -> _Split:
    """Split an operation: apart go the hunks that failed, and those that may build on a part that did."""
    op = outcome.op
    if not isinstance(op, Edit) or not op.hunks:
        return _Split(outcome, None, op, problems) if problems else _Split(outcome, op)
    hunks, failed = op.hunks, {problem.part for problem in problems}
    held_back = [at for at, hunk in enumerate(hunks) if at not in failed and unapplied.may_need(hunk)]
    problems += tuple(_held_back(outcome, hunks[at].patch_line) for at in held_back)
    left = failed.union(held_back)
    kept = op._replace(hunks=tuple(map(_without_line_number, hunks))) if unapplied.new_lines else op
    if not left:
        return _Split(outcome, kept, None, problems, tuple(range(len(hunks))))
    numbers = tuple(sorted(set(range(len(hunks))) - left))
    # The parts of one text, cut at marks for code left out, go together.
    if -1 in left or not numbers or isinstance(op.whole, Hunk):
        return _Split(outcome, None, op, problems)
    return _Split(
        outcome, _with_hunks(kept, numbers), _with_hunks(op, sorted(left))._replace(mode=0), problems, numbers
    )


def _with_hunks(op: Edit, numbers: Sequence[int]) -> Edit:
    """Return an edit with some of its hunks."""
    return op._replace(hunks=tuple(op.hunks[at] for at in numbers), whole=None)


def _without_line_number(hunk: EditBody) -> EditBody:
    """Return the hunk without line numbers as a hint: what failed before it may have moved them."""
    if not isinstance(hunk, Hunk) or not hunk.claims.line:
        return hunk
    return hunk._replace(claims=hunk.claims._replace(line=0, last=0))


def _held_back(outcome: Outcome, line: int) -> Problem:
    path = outcome.path
    return Problem("held_back", f"an earlier edit of {path} was not applied", path, line, op=outcome.number)


def _canonical(path: str, tree: Tree) -> str:
    try:
        return tree.canonical(path)
    except Refused:
        return path  # no other operation can touch it either


class Unapplied:
    """The parts that were not applied to a file so far. `whole`: the file itself isn't what later operations expect."""

    __slots__ = ("added", "new_lines", "places", "whole")

    def __init__(self) -> None:
        self.whole = False
        self.new_lines: list[list[str]] = []
        # Each line that would have been added: in which of the parts, and where in its new lines.
        self.places: dict[str, list[tuple[int, int]]] = {}
        self.added: list[str] = []

    def add(self, part: EditBody) -> None:
        """Note a part that was not applied."""
        self.whole = self.whole or isinstance(part, Merge)
        kept = [(tag, bare) for tag, text in part.lines if tag != "-" and (bare := text.strip())]
        for at, (tag, line) in enumerate(kept):
            if tag == "+":
                self.places.setdefault(line, []).append((len(self.new_lines), at))
                self.added.append(line)
        self.new_lines.append([line for _, line in kept])

    def may_need(self, hunk: EditBody) -> bool:
        """Return True if a hunk may refer to lines that were not added."""
        if not self.new_lines or isinstance(hunk, Merge):
            return bool(self.new_lines)
        claims = hunk.claims
        old = list(filter(None, stripped([text for tag, text in hunk.lines if tag != "+"])))
        if not old:
            return bool(claims.line)  # a number may count lines that were not added
        if any(line in self.places for line in stripped([*claims.before, *claims.after, *claims.headers])):
            return True
        if (
            isinstance(hunk, Hunk)
            and hunk.inline
            and "\n" not in hunk.old
            and any(old[0] in line for line in self.added)
        ):
            return True
        return self._overlaps(old)

    def _overlaps(self, old: list[str]) -> bool:
        """Return True if old lines and the new ones of a part can lie over each other and share an added line."""
        offsets = {(part, place - at) for at, line in enumerate(old) for part, place in self.places.get(line, ())}
        if len(offsets) > _OFFSETS:
            return True
        for part, offset in offsets:
            new = self.new_lines[part]
            start, end = max(offset, 0), min(offset + len(old), len(new))
            if new[start:end] == old[start - offset : end - offset]:
                return True
        return False


# ── line numbers ─────────────────────────────────────────────────────────────────────────────────


def _with_moved_lines(outcomes: list[Outcome]) -> tuple[Outcome, ...]:
    """Return the outcomes; line numbers in what is left move along with what was applied."""
    moved = []
    for at, outcome in enumerate(outcomes):
        rest = outcome.rest
        if isinstance(rest, Edit) and any(hunk.claims.line for hunk in rest.hunks):
            later = [sorted(other.splices) for other in outcomes[at:] if other.path == outcome.path and other.splices]
            rest = rest._replace(hunks=tuple(_moved(hunk, later) for hunk in rest.hunks))
        moved.append(outcome._replace(rest=rest))
    return tuple(moved)


def _moved(hunk: EditBody, later: list[list[LineSplice]]) -> EditBody:
    claims = hunk.claims
    if not isinstance(hunk, Hunk) or not claims.line:
        return hunk
    row = claims.line - 1
    for splices in later:
        row += sum(len(splice.lines) - (splice.end - splice.start) for splice in splices if splice.end <= row)
    moved = row + 1 - claims.line
    return hunk._replace(claims=claims._replace(line=claims.line + moved, last=claims.last + moved))
