"""Proposals as outcomes of a plan: sketches are laid over the tree as the stated edits leave it.

By default a proposal holds everything back: somebody has to see it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..answer.accounting import describe_proposal
from ..model import File, FileChange, Outcome, Proposal, Unused, Write
from ..problems import Correction, Problem, Refused
from ..text import Text, looks_binary
from . import propose

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


def propose_outcomes(
    work: Work, outcomes: list[Outcome], accept: Collection[str] | None, step: Step
) -> tuple[Proposal | Unused, ...]:
    """Turn the sketches of an answer into proposals, and add their operations and problems to the outcomes.

    `accept` holds the rules whose proposals are taken. With None, proposals are shown first; if it is empty, they are
    left out. If stated edits fail, there is nothing to lay sketches over.
    """
    if any(outcome.problems for outcome in outcomes) or work.patch.problems:
        return ()
    results = tuple(propose(work.patch.sketches, StagedFiles(work)))
    lines = {sketch.block: sketch.line for sketch in work.patch.sketches}
    for proposal in results:
        if isinstance(proposal, Proposal) and (accept is None or accept):
            number, line = len(outcomes) + 1, lines[proposal.block]
            text = "".join(f"{line}\n" for line in proposal.after)
            op = Write(proposal.path, text, True, line, proposal.rule, keep_line_endings=True, proposed=True)
            # The plan has the changes of a proposal that is held back, too: they are shown.
            outcome = Outcome(number, op, proposal.path) if proposal.alternatives else step(number, op, work)
            problem = _held_back(proposal, lines, accept)
            if problem is not None and not outcome.problems:
                outcome = outcome._replace(problems=(problem._replace(op=number),))
            outcomes.append(outcome)
    if not outcomes:
        outcomes.append(_nothing_to_do(work, results))
    return results


def _held_back(proposal: Proposal, lines: dict[int, int], accept: Collection[str] | None) -> Problem | None:
    """Return why a proposal isn't taken; None if it is. `lines` has the line of each block."""
    path, line = proposal.path, lines[proposal.block]

    def as_edit(problem: Problem) -> Problem:
        return problem._replace(corrected=_as_edit(proposal))

    if proposal.alternatives:
        others = sorted({lines[block] for block in proposal.alternatives} - {line})
        if others:
            every = ", ".join(map(str, sorted({line, *others})))
            detail = f"the fences at lines {every} change the same lines of {path}"
        else:
            detail = f"{path} is the only file with that name, but another one may be intended"
        command = f"--fix=N --accept {proposal.rule} takes the one with that number."
        return Problem("alternatives", detail, path, line, command=command, explain=as_edit)
    if accept is not None and proposal.rule in accept:
        return None
    command = f"--accept {proposal.rule} takes it, --accept none leaves it out."
    return Problem("proposed", describe_proposal(proposal), path, line, command=command, explain=as_edit)


def _as_edit(proposal: Proposal) -> tuple[Correction, ...]:
    """Return a proposal as a stated edit that a model may send."""
    from ..formats import named

    def as_file(side: tuple[str, ...] | None) -> File | None:
        return None if side is None else File.of_text("".join(f"{line}\n" for line in side))

    change = FileChange(proposal.path, as_file(proposal.before), as_file(proposal.after))
    try:
        return (Correction(0, named("search-replace").render((change,))),)
    except Refused:
        return ()


def _nothing_to_do(work: Work, results: tuple[Proposal | Unused, ...]) -> Outcome:
    """Refuse an answer that has only sketches, none of which changes anything, and say why for each."""
    lines = {sketch.block: sketch.line for sketch in work.patch.sketches}
    advice = "Write the file's path alone on the line above its fence, or send a diff or SEARCH/REPLACE blocks."
    hint = "Write the file's path alone on the line above its fence, or ask the model for a diff."
    problems = [
        Problem(
            "no_patch", f"{result.reason[:1].lower()}{result.reason[1:].removesuffix('.')}", result.path,
            lines[result.block], advice=advice, hint=hint, command="--file PATH names the file for all fences.", op=1,
        )
        for result in results
        if isinstance(result, Unused)
    ]  # fmt: skip
    return Outcome(1, Write("", ""), "", problems=tuple(problems) or (Problem("no_patch", op=1),))
