"""A plan of what can be placed, where not everything can: the rest is kept apart, ready to resend. Pure.

A hunk is a part; so is an operation without hunks. Parts are placed in the order of the patch, and what builds on a
part that failed waits with it: else it might land on text that is only alike.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from .match.drafts import Work
from .model import Claims, Edit, EditBody, Hunk, LineSplice, Merge, Move, Outcome, Plan
from .plan import finish, plan, step
from .problems import EXPLAINED, Problem, Refused
from .text import stripped
from .tree import TreeAfter

if TYPE_CHECKING:
    from .match.files import Tree


# Problems of one part that are a reason to trust none.
_WHOLE = {"unsafe_path", "truncated", "io", "proposed", "alternatives"}
_ROUNDS = 4  # how often an edit, and the patch, is tried again without what failed
_OFFSETS = 64  # with more ways to lay two texts over each other, they are treated as a fit


def in_part(made: Plan, tree: Tree, overwrite: bool | None) -> Plan:
    """Return the plan of everything that can be placed, each outcome with the rest of its operation.

    Return the plan as it was if nothing may be applied: what can't be read can't be left out safely.
    """
    kinds = {problem.kind for outcome in made.outcomes for problem in outcome.problems}
    if made.patch.problems or not kinds.isdisjoint(_WHOLE):
        return made
    failed: dict[int, tuple[Problem, ...]] = {}
    for _ in range(_ROUNDS):
        less, late = _planned(made, tree, overwrite, failed)
        if not late:
            return _told_anew(less._replace(outcomes=_renumbered(less.outcomes)), tree) if less.changes else made
        failed |= late
    return made


def _told_anew(less: Plan, tree: Tree) -> Plan:
    """Return the plan, each problem with the lines as they are once the rest is applied, not as they were read."""
    after, outcomes, told = TreeAfter(tree, less), list(less.outcomes), 0
    for at, outcome in enumerate(outcomes):
        if outcome.rest is None or told >= EXPLAINED or not any(problem.explain for problem in outcome.problems):
            continue
        told += 1
        alone = plan(less.patch._replace(ops=(outcome.rest,), problems=()), after)
        anew = {(problem.kind, problem.patch_line): problem for problem in alone.problems}
        problems = [anew.get((problem.kind, problem.patch_line), problem) for problem in outcome.problems]
        outcomes[at] = outcome._replace(problems=tuple(one._replace(op=outcome.number) for one in problems))
    return less._replace(outcomes=tuple(outcomes))


def _planned(
    made: Plan, tree: Tree, overwrite: bool | None, failed: dict[int, tuple[Problem, ...]]
) -> tuple[Plan, dict[int, tuple[Problem, ...]]]:
    """Plan the patch once; the operations in `failed` are known to fail.

    Return also the problems of operations that could be carried out, but that a check of the whole plan rejects.
    """
    patch = made.patch
    work = Work(tree, patch, overwrite)
    waiting: dict[str, Behind] = {}
    outcomes: list[Outcome] = []
    for first in made.outcomes:
        outcome = _tried(first, work, waiting, failed.get(first.number, ()))
        _note(outcome, tree, waiting)
        outcomes.append(outcome)
    less = finish(work, [*outcomes])
    less = less._replace(outcomes=tuple(map(_in_order, less.outcomes)))
    pairs = zip(less.outcomes, outcomes, strict=True)
    return less, {one.number: one.problems for one, before in pairs if len(one.problems) > len(before.problems)}


def _tried(first: Outcome, work: Work, waiting: dict[str, Behind], failed: tuple[Problem, ...]) -> Outcome:
    """Carry out one operation as far as it can be placed."""
    number, op, path = first.number, first.op, first.path
    if failed:
        return Outcome(number, op, path, (), failed, rest=op)
    behind = waiting.get(path) or Behind()
    above = waiting.get(op.to) if isinstance(op, Move) else None
    if behind.whole or (above and (above.whole or above.news)) or (behind.news and not isinstance(op, Edit)):
        return Outcome(number, op, path, (), (_held(number, path, op.patch_line),), rest=op)
    if isinstance(op, Edit) and op.hunks and (behind.news or behind.done or len(op.hunks) > 1):
        return _edited(first, op, work, behind)
    if first.problems:
        return first._replace(rest=op)
    outcome = step(number, op, work)
    return outcome._replace(rest=op) if outcome.problems else outcome


# ── the hunks of an edit ─────────────────────────────────────────────────────────────────────────


def _edited(first: Outcome, op: Edit, work: Work, behind: Behind) -> Outcome:
    """Carry out an edit without the hunks that fail, that build on a failed one, or that repeat an applied one."""
    number, path = first.number, first.path
    hunks = op.hunks
    waits = {at for at, hunk in enumerate(hunks) if behind.bears(hunk)}
    problems = [_held(number, path, op.hunks[at].patch_line) for at in sorted(waits)]
    twice = [at for at, hunk in enumerate(op.hunks) if at not in waits and (hunk.lines, hunk.claims) in behind.done]
    problems += [_twice(number, path, op.hunks[at].patch_line) for at in twice]
    waits |= set(twice)
    if isinstance(op.whole, Hunk):  # the parts of one text, cut at marks for code left out, go together
        outcome = step(number, op, work) if not waits else Outcome(number, op, path, problems=tuple(problems))
        return outcome._replace(rest=op) if outcome.problems else outcome
    if not behind.news and not waits:
        # Nothing above it failed, so it fails as it did the first time.
        waits, problems = _blamed(first.problems, range(len(hunks))), list(first.problems)
    for _ in range(_ROUNDS):
        less = [at for at in range(len(hunks)) if at not in waits]
        if not less:
            break
        kept = tuple(_unhinted(hunks[at]) if behind.news else hunks[at] for at in less)
        failed_before = path in work.drafts and work.drafts[path].failed
        outcome = step(number, op._replace(hunks=kept, whole=None), work)
        if not outcome.problems:
            rest = op._replace(hunks=tuple(op.hunks[at] for at in sorted(waits)), mode=0, whole=None) if waits else None
            return outcome._replace(op=op, problems=tuple(problems), rest=rest)
        if path in work.drafts:
            work.drafts[path].failed = failed_before
        problems += outcome.problems
        waits |= _blamed(outcome.problems, less)
    else:
        problems += [_held(number, path, op.hunks[at].patch_line) for at in range(len(hunks)) if at not in waits]
    return Outcome(number, op, path, (), tuple(problems), rest=op)


def _blamed(problems: Sequence[Problem], numbers: Sequence[int]) -> set[int]:
    """Return which of the tried hunks the problems are about; all of them if that isn't known."""
    found = {numbers[problem.part] for problem in problems if 0 <= problem.part < len(numbers)}
    return found or (set(numbers) if problems else set())


def _in_order(outcome: Outcome) -> Outcome:
    """Return the outcome with its problems in the order of the patch."""
    return outcome._replace(problems=tuple(sorted(outcome.problems, key=lambda one: one.patch_line)))


def _unhinted(hunk: EditBody) -> EditBody:
    """Return the hunk without line numbers as a hint: what failed before it may have moved them."""
    if not isinstance(hunk, Hunk) or not hunk.claims.line:
        return hunk
    return hunk._replace(claims=hunk.claims._replace(line=0, last=0))


# ── what waits ───────────────────────────────────────────────────────────────────────────────────


class Behind:
    """The parts that were not applied to a file so far, and (`done`) the hunks that were.

    `whole`: the file itself is not what later operations expect.
    """

    __slots__ = ("added", "done", "news", "places", "whole")

    def __init__(self) -> None:
        self.whole = False
        self.done: set[tuple[tuple[tuple[str, str], ...], Claims]] = set()
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


def _held(number: int, path: str, line: int) -> Problem:
    return Problem("held_back", f"an earlier edit of {path} was not applied", path, line, op=number)


def _twice(number: int, path: str, line: int) -> Problem:
    detail = "an earlier edit is the same and was applied"
    return Problem("already_applied", detail, path, line, advice="Leave it out, unless you want it twice.", op=number)


def _note(outcome: Outcome, tree: Tree, waiting: dict[str, Behind]) -> None:
    """Note what later operations may build on: lines of a file, or the file as such; and what is done."""
    behind = waiting.setdefault(outcome.path, Behind())
    op, rest = outcome.op, outcome.rest
    if isinstance(op, Edit):
        left = {id(hunk) for hunk in rest.hunks} if isinstance(rest, Edit) else set()
        behind.done.update((hunk.lines, hunk.claims) for hunk in op.hunks if id(hunk) not in left)
    if rest is None:
        return
    if isinstance(rest, Edit):
        for part in rest.hunks:
            behind.add(part)
        return
    behind.whole = True
    if isinstance(rest, Move):
        waiting[rest.to] = waiting[_canonical(rest.to, tree)] = behind


def _canonical(path: str, tree: Tree) -> str:
    try:
        return tree.canonical(path)
    except Refused:
        return path  # no other operation can touch it either


# ── line numbers ─────────────────────────────────────────────────────────────────────────────────


def _renumbered(outcomes: tuple[Outcome, ...]) -> tuple[Outcome, ...]:
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
