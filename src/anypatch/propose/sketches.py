"""Sketches become proposals, laid over the tree as the stated edits leave it; those that are accepted join the plan.

By default a proposal holds everything back: somebody has to see it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..answer.accounting import describe_proposal
from ..model import File, FileChange, Outcome, Proposal, Unused, Write
from ..problems import Correction, Problem, Refused
from ..text import Text, looks_binary

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from ..match.drafts import Work

    Step = Callable[[int, Write, Work], Outcome]


class StagedFiles:
    """The files of a tree as the stated edits leave them."""

    def __init__(self, work: Work) -> None:
        self._work = work

    def paths(self) -> Collection[str]:
        """Return all paths."""
        paths = set(self._work.tree.all_paths())
        for path, draft in self._work.drafts.items():
            (paths.add if draft.exists else paths.discard)(path)
        return paths

    def lines(self, path: str) -> list[str] | None:
        """Return the lines of a text file; None if there is none."""
        work = self._work
        try:
            path = work.canonical(path)
            file = work.drafts[path].after() if path in work.drafts else work.tree.read(path)
        except Refused:
            return None
        if file is None or file.is_link or looks_binary(file.data[:8192]):
            return None
        return list(Text.read(file.data).lines)


def lay_sketches(
    work: Work, outcomes: list[Outcome], accept: Collection[str] | None, step: Step
) -> tuple[Proposal | Unused, ...]:
    """Turn the sketches of an answer into proposals, and add their operations and problems to the outcomes.

    `accept` holds the rules whose proposals are taken. With None, proposals are shown first; if it is empty, they are
    left out. If stated edits fail, there is nothing to lay sketches over.
    """
    from . import propose

    if any(outcome.problems for outcome in outcomes) or work.patch.problems:
        return ()
    fates = tuple(propose(work.patch.sketches, StagedFiles(work)))
    proposals = [fate for fate in fates if isinstance(fate, Proposal)]
    if accept is not None and not accept:
        proposals = []
    lines = {sketch.block: sketch.line for sketch in work.patch.sketches}
    for number, proposal in enumerate(proposals, len(outcomes) + 1):
        text = "".join(f"{line}\n" for line in proposal.after)
        op = Write(
            proposal.path, text, True, lines[proposal.block], proposal.rule, keep_line_endings=True, proposed=True
        )
        problem = _held_back(proposal, lines, accept)
        # What would change is in the plan also where it is held back: that is what is shown.
        outcome = Outcome(number, op, proposal.path) if proposal.alternatives else step(number, op, work)
        if problem is not None and not outcome.problems:
            outcome = outcome._replace(problems=(problem._replace(op=number),))
        outcomes.append(outcome)
    if not outcomes:
        outcomes.append(_nothing_to_do(work, fates))
    return fates


def _held_back(one: Proposal, lines: dict[int, int], accept: Collection[str] | None) -> Problem | None:
    """Return why a proposal isn't taken; None if it is."""
    line = lines[one.block]

    def as_edit(problem: Problem) -> Problem:
        return problem._replace(corrected=_as_edit(one))

    if one.alternatives:
        others = sorted({lines[block] for block in one.alternatives} - {line})
        if others:
            every = ", ".join(map(str, sorted({line, *others})))
            detail = f"the fences at lines {every} change the same lines of {one.path}"
        else:
            detail = f"{one.path} is the only file with that name, but another one may be intended"
        return Problem("alternatives", detail, one.path, line, explain=as_edit)
    if accept is not None and one.rule in accept:
        return None
    return Problem(
        "proposed", describe_proposal(one), one.path, line,
        command=f"--accept {one.rule} takes it, --accept none leaves it out.",
        explain=as_edit,
    )  # fmt: skip


def _as_edit(one: Proposal) -> tuple[Correction, ...]:
    """Return a proposal as a stated edit that a model may send."""
    from ..formats import named

    sides = (None if side is None else "".join(f"{line}\n" for line in side) for side in (one.before, one.after))
    change = FileChange(one.path, *(None if side is None else File.of_text(side) for side in sides))
    try:
        return (Correction(0, named("search-replace").render((change,))),)
    except Refused:
        return ()


def _nothing_to_do(work: Work, fates: tuple[Proposal | Unused, ...]) -> Outcome:
    """Refuse an answer that has only sketches, none of which changes anything, and say why for each."""
    lines = {sketch.block: sketch.line for sketch in work.patch.sketches}
    advice = "Write the file's path alone on the line above its fence, or send a diff or SEARCH/REPLACE blocks."
    hint = "Write the file's path alone on the line above its fence, or ask the model for a diff."
    problems = [
        Problem(
            "no_patch", f"{one.reason[:1].lower()}{one.reason[1:].removesuffix('.')}", one.path, lines[one.block],
            advice=advice, hint=hint, command="--file PATH names the file for all fences.", op=1,
        )
        for one in fates
        if isinstance(one, Unused)
    ]  # fmt: skip
    return Outcome(1, Write("", ""), "", problems=tuple(problems) or (Problem("no_patch", op=1),))
