"""Account for every block of an answer once it is planned: applied, proposed, refused or unused, with the reason."""

from __future__ import annotations

from bisect import bisect_left
from typing import TYPE_CHECKING, NamedTuple

from ..model import Block, Note, Outcome, Proposal, Unused, Write

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from ..model import Plan


class _Lines(NamedTuple):
    """Where problems, stated edits and proposals that are taken are in the answer; sorted where they are lists."""

    failed: list[int]
    stated: list[int]
    taken: set[int]

    @classmethod
    def of(cls, plan: Plan) -> _Lines:
        """Collect the lines once, so that each block costs a look and not a walk through the plan."""
        return cls(
            sorted(problem.patch_line for problem in plan.problems),
            sorted(outcome.op.patch_line for outcome in plan.outcomes if not _is_proposed(outcome)),
            {one.op.patch_line for one in plan.outcomes if _is_proposed(one) and not one.problems},
        )


def block_outcomes(plan: Plan, *, ok: bool) -> tuple[Block, ...]:
    """Return all blocks of the answer, each with what became of it and why."""
    sketched = {result.block: result for result in plan.sketched}
    offset = sum(block.read_as == "thinking" for block in plan.patch.blocks)  # sketches don't count it
    chosen = {sketch.block + offset for sketch in plan.patch.sketches}
    lines, kinds = _Lines.of(plan), {problem.kind for problem in plan.problems}
    failure = "A proposal holds it back." if kinds == {"proposed"} else "Other edits have problems."
    return tuple(
        block._replace(became="unused", reason="It was left out.")
        if block.read_as == "sketch" and number not in chosen
        else _with_outcome(block, sketched.get(number - offset), lines, "" if ok else failure)
        for number, block in enumerate(plan.patch.blocks)
    )


def _with_outcome(block: Block, sketched: Proposal | Unused | None, lines: _Lines, failure: str) -> Block:
    """Say what became of a block. `failure`: why nothing was applied, if so."""
    if block.read_as == "thinking":
        return block._replace(became="unused", reason="It is what the model thought before its answer.")
    if block.became:
        return block  # its structure alone says that it holds no edit
    if isinstance(sketched, Unused):
        return block._replace(became="unused", reason=sketched.reason, path=sketched.path)
    if isinstance(sketched, Proposal):
        text = describe_proposal(sketched)
        block = block._replace(reason=f"{text[:1].upper()}{text[1:]}.", path=sketched.path)
        taken = block.first in lines.taken and not failure
        return block._replace(became="applied" if taken else "proposed")
    if block.read_as == "sketch":
        return block._replace(became="unused", reason="Stated edits failed, so it was not looked at.")
    if has_line(lines.failed, block):
        return block._replace(became="refused", reason="It has problems.")
    if not has_line(lines.stated, block):
        return block._replace(became="unused", reason="None of its edits is used.")
    return block._replace(became="refused", reason=failure) if failure else block._replace(became="applied")


def has_line(lines: Sequence[int], block: Block) -> bool:
    """Return True if one of these lines, which are sorted, is in a block."""
    at = bisect_left(lines, block.first)
    return at < len(lines) and lines[at] <= block.last


def _is_proposed(outcome: Outcome) -> bool:
    return isinstance(outcome.op, Write) and outcome.op.proposed


def unused_notes(plan: Plan, accept: Collection[str] | None) -> tuple[Note, ...]:
    """Return a note on each block that isn't used, and on each proposal that is left out."""
    lines = {sketch.block: sketch.line for sketch in plan.patch.sketches}
    notes = [
        Note(f"not used: {block.reason}", patch_line=block.first, kind="unused")
        for block in plan.patch.blocks
        if block.became == "unused" and block.read_as in ("element", "JSON", "fence")
    ]
    for result in plan.sketched:
        path, line = result.path, lines[result.block]
        if isinstance(result, Unused):
            notes.append(Note(f"the fence was not used: {result.reason}", path, line, kind="unused"))
        elif accept is not None and not accept:
            notes.append(Note(f"left out: {describe_proposal(result)}", path, line, kind="proposed"))
    return tuple(notes)


def describe_proposal(proposal: Proposal) -> str:
    """Say in a clause what a proposal would do."""
    path = proposal.path
    if proposal.before is None:
        return f"the fence may be the new file {path}"
    text = {
        "file": f"the fence may be the new text of {path}",
        "lines": f"the fence may take the place of the lines of {path} that are quoted above it",
        "symbol": f"the fence shows definitions of {path} that differ from those in the file",
        "overlay": f"the fence shows parts of {path} with marks for what stays",
    }[proposal.rule]
    if not proposal.names:
        return text
    names = ", ".join(f"`{name}`" for name in proposal.names[:6]) + (", …" if len(proposal.names) > 6 else "")
    return f"{text}; {names} {'would go' if proposal.rule == 'file' else 'would stay'}"
