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


def in_part(made: Plan, tree: Tree, overwrite: bool | None) -> Plan:
    """Return the plan of everything that can be placed, each outcome with the rest of its operation.

    Return the plan as it was if nothing may be applied: what can't be read can't be left out safely.
    """
    kinds = {problem.kind for outcome in made.outcomes for problem in outcome.problems}
    if made.patch.problems or not kinds.isdisjoint(_WHOLE):
        return made
    failed = {outcome.number: outcome.problems for outcome in made.outcomes}
    for _ in range(_ROUNDS):
        splits = _splits(made, tree, failed)
        kept = [split for split in splits if split.kept is not None]
        ops = tuple(split.kept for split in kept if split.kept is not None)
        less = plan(made.patch._replace(ops=ops, sketches=()), tree, overwrite=overwrite)
        if not less.problems:
            return _with_rest(made, less, splits, tree) if less.changes else made
        for split, outcome in zip(kept, less.outcomes, strict=True):
            failed[split.outcome.number] += split.renumbered(outcome.problems)
    return made


def _with_rest(made: Plan, less: Plan, splits: list[_Split], tree: Tree) -> Plan:
    """Return the plan of what is applied with an outcome for each operation of the patch."""
    applied = iter(less.outcomes)
    outcomes = []
    for split in splits:
        problems = tuple(sorted(split.problems, key=lambda problem: problem.patch_line))
        done = next(applied) if split.kept is not None else Outcome(0, split.outcome.op, split.outcome.path)
        number, op = split.outcome.number, split.outcome.op
        outcomes.append(done._replace(number=number, op=op, problems=problems, rest=split.rest))
    return _explained_anew(less._replace(patch=made.patch, outcomes=_with_moved_lines(outcomes)), tree)


def _explained_anew(less: Plan, tree: Tree) -> Plan:
    """Return the plan, each problem with the lines as they are once the rest is applied, not as they were read."""
    after, outcomes, count = TreeAfter(tree, less), list(less.outcomes), 0
    for at, outcome in enumerate(outcomes):
        if outcome.rest is None or count >= EXPLAINED or not any(problem.explain for problem in outcome.problems):
            continue
        count += 1
        alone = plan(less.patch._replace(ops=(outcome.rest,), problems=()), after)
        anew = {(problem.kind, problem.patch_line): problem for problem in alone.problems}
        problems = [anew.get((problem.kind, problem.patch_line), problem) for problem in outcome.problems]
        outcomes[at] = outcome._replace(problems=tuple(one._replace(op=outcome.number) for one in problems))
    return less._replace(outcomes=tuple(outcomes))


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
        return tuple(one._replace(op=self.outcome.number, part=numbers.get(one.part, -1)) for one in problems)


def _splits(made: Plan, tree: Tree, failed: dict[int, tuple[Problem, ...]]) -> list[_Split]:
    """Split every operation, given the problems of those that failed."""
    waiting: dict[str, Behind] = {}
    splits = []
    for outcome in made.outcomes:
        behind = waiting.setdefault(outcome.path, Behind())
        above = waiting.get(outcome.op.to) if isinstance(outcome.op, Move) else None
        if (
            behind.whole
            or (above and (above.whole or above.news))
            or (behind.news and not isinstance(outcome.op, Edit))
        ):
            split = _Split(outcome, None, outcome.op, (_held_back(outcome, outcome.op.patch_line),))
        else:
            split = _split(outcome, behind, failed[outcome.number])
        if isinstance(split.rest, Edit):
            for part in split.rest.hunks:
                behind.add(part)
        elif split.rest is not None:
            behind.whole = True
        if isinstance(split.rest, Move):
            waiting[split.rest.to] = waiting[_canonical(split.rest.to, tree)] = behind
        splits.append(split)
    return splits


def _split(outcome: Outcome, behind: Behind, problems: tuple[Problem, ...]) -> _Split:
    """Split an operation: apart go the hunks that failed, and those that may build on a part that did."""
    op = outcome.op
    if not isinstance(op, Edit) or not op.hunks:
        return _Split(outcome, None, op, problems) if problems else _Split(outcome, op)
    hunks, failed = op.hunks, {problem.part for problem in problems}
    held_back = [at for at, hunk in enumerate(hunks) if at not in failed and behind.bears(hunk)]
    problems += tuple(_held_back(outcome, hunks[at].patch_line) for at in held_back)
    left = failed.union(held_back)
    kept = op._replace(hunks=tuple(map(_unhinted, hunks))) if behind.news else op
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


def _unhinted(hunk: EditBody) -> EditBody:
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


class Behind:
    """The parts that were not applied to a file so far. `whole`: the file itself isn't what later operations expect."""

    __slots__ = ("added", "news", "places", "whole")

    def __init__(self) -> None:
        self.whole = False
        self.news: list[list[str]] = []
        # Each line that would have been added: in which of the parts, and where in its new lines.
        self.places: dict[str, list[tuple[int, int]]] = {}
        self.added: list[str] = []

    def add(self, part: EditBody) -> None:
        """Note a part that was not applied."""
        self.whole = self.whole or isinstance(part, Merge)
        kept = [(tag, bare) for tag, text in part.lines if tag != "-" and (bare := text.strip())]
        for at, (tag, line) in enumerate(kept):
            if tag == "+":
                self.places.setdefault(line, []).append((len(self.news), at))
                self.added.append(line)
        self.news.append([line for _, line in kept])

    def bears(self, hunk: EditBody) -> bool:
        """Return True if a hunk may refer to lines that were not added."""
        if not self.news or isinstance(hunk, Merge):
            return bool(self.news)
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
        return self._lies_over(old)

    def _lies_over(self, old: list[str]) -> bool:
        """Return True if old lines and the new ones of a part can lie over each other and share an added line."""
        offsets = {(part, place - at) for at, line in enumerate(old) for part, place in self.places.get(line, ())}
        if len(offsets) > _OFFSETS:
            return True
        for part, offset in offsets:
            new = self.news[part]
            start, end = max(offset, 0), min(offset + len(old), len(new))
            if new[start:end] == old[start - offset : end - offset]:
                return True
        return False


# ── line numbers ─────────────────────────────────────────────────────────────────────────────────


def _with_moved_lines(outcomes: list[Outcome]) -> tuple[Outcome, ...]:
    """Return the outcomes; line numbers in what is left move along with what was applied."""
    made = []
    for at, outcome in enumerate(outcomes):
        rest = outcome.rest
        if isinstance(rest, Edit) and any(hunk.claims.line for hunk in rest.hunks):
            later = [sorted(one.splices) for one in outcomes[at:] if one.path == outcome.path and one.splices]
            rest = rest._replace(hunks=tuple(_moved(hunk, later) for hunk in rest.hunks))
        made.append(outcome._replace(rest=rest))
    return tuple(made)


def _moved(hunk: EditBody, later: list[list[LineSplice]]) -> EditBody:
    claims = hunk.claims
    if not isinstance(hunk, Hunk) or not claims.line:
        return hunk
    row = claims.line - 1
    for splices in later:
        row += sum(len(one.lines) - (one.end - one.start) for one in splices if one.end <= row)
    moved = row + 1 - claims.line
    return hunk._replace(claims=claims._replace(line=claims.line + moved, last=claims.last + moved))
