"""Say what became of each block of an answer, once it is planned."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..model import Block, Note, Outcome, Proposal, Unused, Write

if TYPE_CHECKING:
    from collections.abc import Collection

    from ..hints import BlockFate
    from ..model import Plan


def blocks_of(plan: Plan, *, ok: bool) -> tuple[Block, ...]:
    """Return every block of the answer, with what became of it and why."""
    fates = {fate.block: fate for fate in plan.sketched}
    offset = sum(block.read_as == "thinking" for block in plan.patch.blocks)  # sketches don't count it
    return tuple(
        _with_fate(block, fates.get(number - offset), plan, ok) for number, block in enumerate(plan.patch.blocks)
    )


def _with_fate(block: Block, sketched: Proposal | Unused | None, plan: Plan, ok: bool) -> Block:
    if block.read_as == "thinking":
        return block._replace(became="unused", reason="It is what the model thought before its answer.")
    if block.became:
        return block  # its structure alone says that it holds no edit
    if isinstance(sketched, Unused):
        return block._replace(became="unused", reason=sketched.reason, path=sketched.path)
    if isinstance(sketched, Proposal):
        taken = any(_is_proposed(o) and not o.problems and o.op.patch_line == block.first for o in plan.outcomes)
        fate: BlockFate = "applied" if ok and taken else "proposed"
        reason = described(sketched)
        return block._replace(became=fate, reason=f"{reason[:1].upper()}{reason[1:]}.", path=sketched.path)
    if block.read_as == "sketch":
        return block._replace(became="unused", reason="Stated edits failed, so it was not looked at.")
    return _with_stated_fate(block, plan, ok)


def _with_stated_fate(block: Block, plan: Plan, ok: bool) -> Block:
    """Say what became of a block of stated edits."""
    lines = range(block.first, block.last + 1)
    if any(problem.patch_line in lines for problem in plan.problems):
        return block._replace(became="refused", reason="It has problems.")
    if not any(outcome.op.patch_line in lines for outcome in plan.outcomes if not _is_proposed(outcome)):
        return block._replace(became="unused", reason="It has no edit that other blocks don't have.")
    if ok:
        return block._replace(became="applied")
    only_proposals = {problem.kind for problem in plan.problems} == {"proposed"}
    held = "A proposal holds it back." if only_proposals else "Other edits have problems."
    return block._replace(became="refused", reason=held)


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
    for one in plan.sketched:
        if isinstance(one, Unused):
            notes.append(Note(f"the fence was not used: {one.reason}", one.path, lines[one.block], kind="unused"))
        elif accept is not None and not accept:
            notes.append(Note(f"left out: {described(one)}", one.path, lines[one.block], kind="proposed"))
    return tuple(notes)


def described(one: Proposal) -> str:
    """Say in a sentence what a proposal would do."""
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
