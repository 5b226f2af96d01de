"""Blocks of an answer of which only one may be meant: they edit the same lines. Pure.

One block: `pass` becomes `raise ValueError`. The next: `pass` becomes `return None`.
"""

from __future__ import annotations

from .model import Edit, Hunk, Op, Outcome, Patch, Plan, Swap
from .plan import plan
from .problems import Near, Problem
from .text import Text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .match.files import Tree
    from .result import Result

_MOST = 5  # problems that are looked at: each costs a plan


def contradicted(made: Plan) -> Problem | None:
    """The refusal of a text that is exchanged twice, the second time inside what the first exchange put there.

    `return 1` becomes `return 10`, then its `return 1` becomes `return 11`: `return 110`.
    """
    seen: dict[tuple[str, str], Outcome] = {}
    for outcome in made.outcomes:
        if not isinstance(outcome.op, Edit):
            seen.clear()  # what is written, deleted or moved may be edited anew
        said = outcome.op.hunks[0] if isinstance(outcome.op, Edit) and len(outcome.op.hunks) == 1 else None
        if not isinstance(said, Swap) or said.times != 1:
            continue
        first = seen.setdefault((outcome.op.path, said.old), outcome)
        other = first.op.hunks[0] if isinstance(first.op, Edit) else said
        if isinstance(other, Swap) and other.new != said.new and not _keeps(other):
            row = first.splices[0].start if first.splices else 0
            return _same_lines(first, outcome, row, ())
    return None


def _keeps(said: Swap) -> bool:
    """Whether the old text stays, as whole lines: then there may be more to add to it."""
    return f"\n{said.old.strip()}\n" in f"\n{said.new.strip()}\n"


def with_alternatives(report: Result, tree: Tree) -> Result:
    """The report; what fails only because an earlier block changed its lines is told so, with the file's own lines."""
    problems = list(report.problems)
    missed = [at for at, problem in enumerate(problems) if problem.kind == "not_found" and problem.op > 1]
    for at in missed[:_MOST] if not report.partial else ():
        problems[at] = _rival(problems[at], report, tree) or problems[at]
    return report._replace(problems=tuple(problems))


def _rival(problem: Problem, report: Result, tree: Tree) -> Problem | None:
    outcomes = report.plan.outcomes
    failed = next(one for one in outcomes if one.number == problem.op)
    before = [one for one in outcomes[: failed.number - 1] if one.path == failed.path and not one.problems]
    if not before or not isinstance(failed.op, Edit) or not all(isinstance(h, Hunk | Swap) for h in failed.op.hunks):
        return None
    format = report.plan.patch.format
    alone = plan(Patch(format, (failed.op,)), tree)
    if alone.problems or not alone.outcomes[0].splices:
        return None
    for one in before:
        first = plan(Patch(format, (one.op,)), tree).outcomes[0]
        for splice in alone.outcomes[0].splices:
            if any(other.start < splice.end and splice.start < other.end for other in first.splices):
                file = tree.read(failed.path)
                lines = Text.read(file.data).lines[splice.start : splice.end] if file else []
                return _same_lines(one, failed, splice.start, tuple(lines))._replace(patch_line=problem.patch_line)
    return None


def _same_lines(first: Outcome, second: Outcome, row: int, lines: tuple[str, ...]) -> Problem:
    """Two operations that edit the same lines of the file as it is."""
    detail = f"edits {first.number} and {second.number} both change line {row + 1} of the file"
    near = (Near(row + 1, lines, "the file has"),) if lines else ()
    advice = "If they are alternatives, send one of them; otherwise join them into one edit."
    if _wording(first.op) == _wording(second.op):
        # "Both `f` and `g` …", the same block twice: only one of them has these lines.
        detail = f"edits {first.number} and {second.number} are the same, but only line {row + 1} fits"
        advice = "If one place is meant, send the edit once; otherwise copy the lines of the other place exactly."
    return Problem("overlap", detail, second.path, second.op.patch_line, row + 1, advice, near, second.number)


def _wording(op: Op) -> list[object]:
    return [hunk.lines for hunk in op.hunks] if isinstance(op, Edit) else [op]
