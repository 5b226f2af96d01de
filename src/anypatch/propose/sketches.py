"""Sketches become proposals, laid over the tree as the stated edits leave it; those that are accepted join the plan.

By default a proposal holds everything back: somebody has to see it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..model import Block, File, FileChange, Note, Outcome, Proposal, Unused, Write
from ..problems import Correction, Problem, Refused
from ..text import Text, looks_binary

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from ..hints import BlockFate
    from ..match.drafts import Work
    from ..model import Plan

    Step = Callable[[int, Write, Work], Outcome]


class StagedFiles:
    """The files of a tree as the stated edits leave them."""

    def __init__(self, work: Work) -> None:
        self._work = work

    def paths(self) -> Collection[str]:
        """All paths."""
        found = set(self._work.tree.all_paths())
        for path, draft in self._work.drafts.items():
            (found.add if draft.exists else found.discard)(path)
        return found

    def lines(self, path: str) -> list[str] | None:
        """The lines of a text file; None if there is none."""
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
    """What the sketches of the answer come to; with their operations, or the problems with them, among the outcomes.

    `accept`: the rules whose proposals are taken; None: whoever asks wants to see them first; none at all: they are
    left out. Stated edits that fail leave nothing to lay sketches over.
    """
    from . import propose

    if any(outcome.problems for outcome in outcomes) or work.patch.problems:
        return ()
    found = tuple(propose(work.patch.sketches, StagedFiles(work)))
    proposals = [one for one in found if isinstance(one, Proposal)]
    if accept is not None and not accept:
        proposals = []
    lines = {sketch.block: sketch.line for sketch in work.patch.sketches}
    for number, one in enumerate(proposals, len(outcomes) + 1):
        text = "".join(f"{line}\n" for line in one.after)
        op = Write(one.path, text, True, lines[one.block], one.rule, keep=True, proposed=True)
        problem = _held_back(one, lines, accept)
        # What would change is in the plan also where it is held back: that is what is shown.
        outcome = Outcome(number, op, one.path) if one.alternatives else step(number, op, work)
        if problem is not None and not outcome.problems:
            outcome = outcome._replace(problems=(problem._replace(op=number),))
        outcomes.append(outcome)
    if not outcomes:
        outcomes.append(_nothing(work, found))
    return found


def _held_back(one: Proposal, lines: dict[int, int], accept: Collection[str] | None) -> Problem | None:
    """Why a proposal isn't taken; None if it is."""
    line = lines[one.block]

    def as_edit(problem: Problem) -> Problem:
        return problem._replace(corrected=_as_edit(one))

    if one.alternatives:
        others = sorted({lines[block] for block in one.alternatives} - {line})
        if others:
            every = ", ".join(map(str, sorted({line, *others})))
            detail = f"the fences at lines {every} change the same lines of {one.path}"
        else:
            detail = f"{one.path} is the only file with that name, but may not be the one that is meant"
        return Problem("alternatives", detail, one.path, line, explain=as_edit)
    if accept is not None and one.rule in accept:
        return None
    return Problem(
        "proposed", described(one), one.path, line,
        command=f"--accept {one.rule} takes it, --accept none leaves it out.",
        explain=as_edit,
    )  # fmt: skip


def described(one: Proposal) -> str:
    """What a proposal would do, in a sentence."""
    if one.before is None:
        return f"the fence may be the new file {one.path}"
    what = {
        "file": f"the fence may be the new text of {one.path}",
        "lines": f"the fence may take the place of the lines of {one.path} that are quoted above it",
        "symbol": f"the fence shows definitions of {one.path} that differ from those in the file",
        "overlay": f"the fence shows parts of {one.path} with marks for what stays",
    }[one.rule]
    if one.names:
        named = ", ".join(f"`{name}`" for name in one.names[:6]) + (", …" if len(one.names) > 6 else "")
        what += f"; {named} {'would go' if one.rule == 'file' else 'would stay'}"
    return what


def _as_edit(one: Proposal) -> tuple[Correction, ...]:
    """The proposal as a stated edit: what a model may send."""
    from ..formats import named

    sides = (None if side is None else "".join(f"{line}\n" for line in side) for side in (one.before, one.after))
    change = FileChange(one.path, *(None if side is None else File.of_text(side) for side in sides))
    try:
        return (Correction(0, named("search-replace").render((change,))),)
    except Refused:
        return ()


def _nothing(work: Work, found: tuple[Proposal | Unused, ...]) -> Outcome:
    """The refusal of an answer that has only sketches, none of which changes anything: why, for each of them."""
    lines = {sketch.block: sketch.line for sketch in work.patch.sketches}
    advice = "Write the file's path alone on the line above its fence, or send a diff or SEARCH/REPLACE blocks."
    problems = [
        Problem(
            "no_patch", f"{one.reason[:1].lower()}{one.reason[1:].removesuffix('.')}", one.path, lines[one.block],
            advice=advice, command="--file PATH names the file for all fences.", op=1,
        )
        for one in found
        if isinstance(one, Unused)
    ]  # fmt: skip
    return Outcome(1, Write("", ""), "", problems=tuple(problems) or (Problem("no_patch", op=1),))


# ── what became of each block ────────────────────────────────────────────────────────────────────


def blocks_of(made: Plan, *, ok: bool) -> tuple[Block, ...]:
    """Every block of the answer, with what became of it and why."""
    sketched = {one.block: one for one in made.sketched}
    failed = {problem.patch_line for problem in made.problems}
    stated = [outcome.op.patch_line for outcome in made.outcomes if not _is_proposed(outcome)]
    taken = {outcome.op.patch_line for outcome in made.outcomes if _is_proposed(outcome) and not outcome.problems}
    offset = sum(block.read_as == "thinking" for block in made.patch.blocks)
    proposed = {problem.kind for problem in made.problems} == {"proposed"}
    held = "A proposal holds it back." if proposed else "Other edits have problems."
    told = []
    for number, block in enumerate(made.patch.blocks):
        one = sketched.get(number - offset)
        inside = range(block.first, block.last + 1)
        if block.read_as == "thinking":
            told.append(block._replace(became="unused", reason="It is what the model thought before its answer."))
        elif block.became:
            told.append(block)  # its structure alone says that it holds no edit
        elif isinstance(one, Unused):
            told.append(block._replace(became="unused", reason=one.reason, path=one.path))
        elif isinstance(one, Proposal):
            fate: BlockFate = "applied" if ok and block.first in taken else "proposed"
            reason = described(one)
            told.append(block._replace(became=fate, reason=f"{reason[:1].upper()}{reason[1:]}.", path=one.path))
        elif block.read_as == "sketch":
            told.append(block._replace(became="unused", reason="Stated edits failed, so it was not looked at."))
        elif any(line in inside for line in failed):
            told.append(block._replace(became="refused", reason="It has problems."))
        elif any(line in inside for line in stated):
            told.append(block._replace(became="applied") if ok else block._replace(became="refused", reason=held))
        else:
            told.append(block._replace(became="unused", reason="It says nothing that other blocks don't."))
    return tuple(told)


def _is_proposed(outcome: Outcome) -> bool:
    return isinstance(outcome.op, Write) and outcome.op.proposed


def unused_notes(made: Plan, accept: Collection[str] | None) -> tuple[Note, ...]:
    """A note on each sketch that changes nothing beside edits that do; one on each proposal that is left out."""
    lines = {sketch.block: sketch.line for sketch in made.patch.sketches}
    notes = [
        Note(f"not used: {block.reason}", patch_line=block.first, kind="unused")
        for block in made.patch.blocks
        if block.became == "unused" and block.read_as in ("element", "JSON", "fence")
    ]
    for one in made.sketched:
        if isinstance(one, Unused):
            notes.append(Note(f"the fence was not used: {one.reason}", one.path, lines[one.block], kind="unused"))
        elif accept is not None and not accept:
            notes.append(Note(f"left out: {described(one)}", one.path, lines[one.block], kind="proposed"))
    return tuple(notes)
