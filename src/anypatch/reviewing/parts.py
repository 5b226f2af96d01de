"""The blocks and the edits of an answer as a review lists them, each with what becomes of it."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from ..answer.accounting import block_outcomes, describe_proposal, has_line
from ..model import Block, Outcome, Plan, Proposal
from ..problems import Problem, all_explained
from .decisions import ChosenPatch, Request, blocks_above
from .hunks import Hunk, ReviewedFile


class ReviewedEdit(NamedTuple):
    """An edit of the answer. `rule` is that of a proposal, "" if it is stated; `how` is how its place was found.

    `state`: "kept", "dropped", "partly", "open" if it has problems or a choice to make, "unchanged" if the file is so
    already.
    """

    number: int
    block: int
    path: str
    label: str
    rule: str
    how: str
    summary: str
    state: str
    hunks: tuple[str, ...]
    problems: tuple[Problem, ...]


class ReviewedBlock(NamedTuple):
    """A block of the answer, from line `first` to `last`. `state` is that of its edits, or "unused" with the reason."""

    number: int
    first: int
    last: int
    read_as: str
    path: str
    state: str
    reason: str
    edits: tuple[int, ...]


def edit_numbers_of(draft: ChosenPatch, plan: Plan) -> dict[int, int]:
    """Return the number of the edit that each outcome is of, both counted from 1."""
    stated = iter(draft.ops)
    by_line = {sketch.line: draft.number_of(sketch.block) for sketch in draft.request.patch.sketches}
    numbers = {}
    for at, outcome in enumerate(plan.outcomes, 1):
        numbers[at] = by_line.get(outcome.op.patch_line, 0) if _is_proposed(outcome) else next(stated, 0)
    return numbers


def _is_proposed(outcome: Outcome) -> bool:
    return bool(getattr(outcome.op, "proposed", False))


def mark_file(file: ReviewedFile, request: Request) -> ReviewedFile:
    """Return a file with its hunks kept, dropped or edited as it was decided."""
    hunks = tuple(
        replace(hunk, kept=not _is_dropped(hunk, request), text=request.typed.get(hunk.key)) for hunk in file.hunks
    )
    return file._replace(hunks=hunks)


def _is_dropped(hunk: Hunk, request: Request) -> bool:
    return hunk.key in request.dropped_hunks or hunk.edit in request.dropped_edits


def list_edits(draft: ChosenPatch, plan: Plan, numbers: Mapping[int, int]) -> Iterator[ReviewedEdit]:
    """Yield every edit of the answer in its order: those that were left out, too."""
    outcomes = {numbers[at]: outcome for at, outcome in enumerate(plan.outcomes, 1)}
    yield from _stated_edits(draft, outcomes)
    yield from _proposed_edits(draft, plan, outcomes)


def _stated_edits(draft: ChosenPatch, outcomes: Mapping[int, Outcome]) -> Iterator[ReviewedEdit]:
    patch = draft.request.patch
    firsts = [block.first for block in patch.blocks]
    for number, op in enumerate(patch.ops, 1):
        block = block_at(patch.blocks, firsts, op.patch_line)
        edit = ReviewedEdit(number, block, op.path, op.label, "", "", "", "dropped", (), ())
        if outcome := outcomes.get(number):
            how = ", ".join(dict.fromkeys(applied.how for applied in outcome.applied))
            edit = edit._replace(path=outcome.path, how=how, state="", problems=all_explained(outcome.problems))
        yield edit


def _proposed_edits(draft: ChosenPatch, plan: Plan, outcomes: Mapping[int, Outcome]) -> Iterator[ReviewedEdit]:
    proposals = {one.block: one for one in plan.sketched if isinstance(one, Proposal)}
    decided = {number for choice in draft.choices.values() if choice.chosen is not None for number in choice.edits}
    offset = blocks_above(draft.request)
    for sketch in draft.request.patch.sketches:
        number, proposal = draft.number_of(sketch.block), proposals.get(sketch.block)
        block, label = sketch.block + offset + 1, "a fence without marks"
        if proposal is not None:
            outcome = outcomes.get(number)
            problems = all_explained(outcome.problems) if outcome else ()
            summary = describe_proposal(proposal)
            state = "" if draft.request.accept else "dropped"
            yield ReviewedEdit(number, block, proposal.path, label, proposal.rule, "", summary, state, (), problems)
        elif number in decided and sketch.block not in draft.sketches:
            yield ReviewedEdit(number, block, "", label, "", "", "", "dropped", (), ())


def with_states(
    edits: Iterable[ReviewedEdit], files: Iterable[ReviewedFile], request: Request
) -> tuple[ReviewedEdit, ...]:
    """Return edits with their hunks, and what becomes of them."""
    hunks: dict[int, list[Hunk]] = {}
    for file in files:
        for hunk in file.hunks:
            hunks.setdefault(hunk.edit, []).append(hunk)
    return tuple(_with_state(edit, hunks.get(edit.number, []), request) for edit in edits)


def _with_state(edit: ReviewedEdit, hunks: list[Hunk], request: Request) -> ReviewedEdit:
    kept = sum(hunk.kept for hunk in hunks)
    if edit.problems:
        state = "open"
    elif hunks:
        state = "kept" if kept == len(hunks) else "partly" if kept else "dropped"
    elif edit.state == "dropped" or edit.number in request.dropped_edits:
        state = "dropped"
    else:
        state = "unchanged"
    return edit._replace(state=state, hunks=tuple(hunk.id for hunk in hunks))


def block_at(blocks: Sequence[Block | ReviewedBlock], firsts: Sequence[int], line: int) -> int:
    """Return the number of the block that a line of the answer is in, 0 for none."""
    at = bisect_right(firsts, line)
    return at if at and line <= blocks[at - 1].last else 0


def list_blocks(request: Request, plan: Plan, edits: tuple[ReviewedEdit, ...]) -> Iterator[ReviewedBlock]:
    """Yield every block of the answer, with the edits that it holds."""
    outcomes = block_outcomes(plan._replace(patch=plan.patch._replace(blocks=request.patch.blocks)), ok=True)
    unread = sorted(problem.patch_line for problem in request.patch.problems)
    by_block: dict[int, list[ReviewedEdit]] = {}
    for edit in edits:
        by_block.setdefault(edit.block, []).append(edit)
    for number, block in enumerate(outcomes, 1):
        own = tuple(edit.number for edit in by_block.get(number, ()))
        state = "unused" if block.became == "unused" and not own else ""
        path = block.path or next((edit.path for edit in by_block.get(number, ()) if edit.path), "")
        reason = block.reason if state == "unused" else ""
        state = "open" if number not in request.dropped_blocks and has_line(unread, block) else state
        yield ReviewedBlock(number, block.first, block.last, block.read_as, path, state, reason, own)


def with_block_states(blocks: Iterable[ReviewedBlock], edits: Iterable[ReviewedEdit]) -> tuple[ReviewedBlock, ...]:
    """Return blocks with the state of their edits."""
    states = {edit.number: edit.state for edit in edits}
    return tuple(_block_state(block, {states[number] for number in block.edits}) for block in blocks)


def _block_state(block: ReviewedBlock, states: set[str]) -> ReviewedBlock:
    if not states:
        return block if block.state in ("open", "unused") else block._replace(state="dropped")
    state = "open" if "open" in states else next(iter(states)) if len(states) == 1 else "partly"
    return block._replace(state=state)
