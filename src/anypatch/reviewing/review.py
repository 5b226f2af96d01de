"""A review: every block of an answer, what it would change hunk by hunk, and what a person keeps of that.

    review = anypatch.review(answer, "path/to/tree")
    for hunk in review.hunks: print(hunk.id, hunk.path, hunk.kept)
    review = review.drop("2.1").choose("edit 3", 2)       each call gives a new review
    result = review.apply()                               all that is kept, or nothing; it can be undone

The terminal, the page and `check --json` show this value.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from .. import pipeline
from ..answer.accounting import block_outcomes, describe_proposal, unused_notes
from ..answer.unwrap import as_text
from ..api import RULES, How, checked_mode, checked_settings, checked_text, format_or_empty, root_path
from ..diff import unified
from ..hints import Answer, Folder, FormatName, SyntaxCheck
from ..model import Block, Edit, Note, Op, Outcome, Patch, Plan, Proposal, Sketch, join_lines, with_paths
from ..plan import plan as plan_patch
from ..problems import Problem, Refused, all_explained
from ..repair import corrected_op, with_offers
from ..result import Result, no_plan
from ..storage.state import Settings
from ..storage.tree import DiskTree, check_plan
from ..syntax.check import check_syntax
from .hunks import Hunk, ReviewedFile, files_of, kept_changes

LEAVE_OUT = 0  # the option that takes none
_ROUNDS = 12  # of choices that show further choices


class Option(NamedTuple):
    """One way out of a choice. `number` is counted through the review, from 1; `text` is the edit that it would be."""

    number: int
    label: str
    path: str
    line: int
    text: str


class Choice(NamedTuple):
    """What only a person can decide: one of two places, versions or files, or a corrected edit.

    `chosen` is the number of an option among `options`, from 1; 0 if all are left out, None if it is open.
    """

    id: str
    edits: tuple[int, ...]
    question: str
    options: tuple[Option, ...]
    chosen: int | None = None


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


@dataclass(frozen=True, slots=True)
class Request:
    """What a review is of, and what was decided so far."""

    answer: str
    root: str
    patch: Patch
    overwrite: bool | None = None
    syntax: str = "warn"
    settings: Settings = field(default_factory=Settings)
    picks: Mapping[str, int] = field(default_factory=dict)
    paths: Mapping[str, str] = field(default_factory=dict)
    dropped_edits: frozenset[int] = frozenset()
    dropped_blocks: frozenset[int] = frozenset()
    dropped_hunks: frozenset[object] = frozenset()
    typed: Mapping[object, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Review:
    """What an answer would change, and what of that is kept. It never changes: each decision gives a new one.

    Attributes:
        blocks: Every block of the answer, in order.
        edits: Every edit, stated or proposed, by its number.
        files: Every file that changes, with its hunks.
        choices: What only a person can decide, decided or not.
        problems: Why it can't be applied yet: problems of edits that aren't dropped, and choices that are open.
        notes: What else is worth knowing.
    """

    request: Request
    full_plan: Plan
    edit_numbers: Mapping[int, int]
    blocks: tuple[ReviewedBlock, ...]
    edits: tuple[ReviewedEdit, ...]
    files: tuple[ReviewedFile, ...]
    choices: tuple[Choice, ...]
    problems: tuple[Problem, ...]
    notes: tuple[Note, ...]

    @property
    def answer(self) -> str:
        """The answer as it was written."""
        return self.request.answer

    @property
    def hunks(self) -> tuple[Hunk, ...]:
        """All hunks, file by file."""
        return tuple(hunk for file in self.files for hunk in file.hunks)

    @property
    def is_sure(self) -> bool:
        """True if every edit is stated and has its place, and nothing waits for a decision."""
        return not self.problems and not self.choices and not any(edit.rule for edit in self.edits)

    # ── decisions ──

    def drop(self, *ids: str | int) -> Review:
        """Leave out hunks ("2.1"), edits ("2" or 2), or blocks ("block 1") with all their edits."""
        return self._decided(ids, kept=False)

    def keep(self, *ids: str | int) -> Review:
        """Take hunks, edits or blocks again that were left out."""
        return self._decided(ids, kept=True)

    def choose(self, choice: str, option: int) -> Review:
        """Take an option of a choice by its place in it, from 1; 0 leaves all out."""
        known = next((one for one in self.choices if one.id == choice), None)
        if known is None:
            raise _no_such(f"choice {choice!r}", [one.id for one in self.choices])
        if not 0 <= option <= len(known.options):
            raise _no_such(f"option {option} of {choice!r}", [str(at) for at in range(len(known.options) + 1)])
        return _planned(replace(self.request, picks={**self.request.picks, choice: option}))

    def choose_number(self, number: int) -> Review:
        """Take an option by its number in the review."""
        for choice in self.choices:
            for at, option in enumerate(choice.options, 1):
                if option.number == number:
                    return self.choose(choice.id, at)
        raise _no_such(f"option {number}", [str(one.number) for choice in self.choices for one in choice.options])

    def edit(self, hunk: str, text: str) -> Review:
        """Write other new lines for a hunk."""
        known = self._hunk(hunk)
        if known.kind not in ("lines", "create") or known.sides is None:
            raise Refused(Problem("bad_call", f"hunk {hunk} has no lines to edit"))
        typed = {**self.request.typed, known.key: text}
        return self._marked(replace(self.request, typed=typed, dropped_hunks=self.request.dropped_hunks - {known.key}))

    def use_path(self, written: str, path: str) -> Review:
        """Read a path of the answer as another one."""
        return _planned(replace(self.request, paths={**self.request.paths, written: path}))

    def refresh(self) -> Review:
        """Plan the same decisions on the tree as it is now."""
        return _planned(self.request)

    def _decided(self, ids: Iterable[str | int], *, kept: bool) -> Review:
        request = self.request
        edits, blocks, keys = set(request.dropped_edits), set(request.dropped_blocks), set(request.dropped_hunks)
        change_edits = edits.difference_update if kept else edits.update
        change_keys = keys.difference_update if kept else keys.update
        hunks = {hunk.id: hunk for hunk in self.hunks}
        known_edits = {str(edit.number) for edit in self.edits}
        numbers: set[int] = set()
        for id in map(str, ids):
            if "." in id:
                hunk = hunks.get(id) or self._hunk(id)
                change_keys({hunk.key})
                if kept:
                    edits.discard(hunk.edit)
                continue
            if id.startswith("block "):
                block = next((one for one in self.blocks if f"block {one.number}" == id), None)
                if block is None:
                    raise _no_such(id, [f"block {one.number}" for one in self.blocks])
                (blocks.discard if kept else blocks.add)(block.number)
                numbers.update(block.edits)
            elif id in known_edits:
                numbers.add(int(id))
            else:
                raise _no_such(f"edit {id}", [str(edit.number) for edit in self.edits])
        change_edits(numbers)
        change_keys({hunk.key for hunk in hunks.values() if hunk.edit in numbers})
        request = replace(
            request, dropped_edits=frozenset(edits), dropped_blocks=frozenset(blocks), dropped_hunks=frozenset(keys)
        )
        failed = {edit.number for edit in self.edits if edit.problems}
        is_planned_anew = blocks != self.request.dropped_blocks or failed & (edits ^ self.request.dropped_edits)
        known = {edit.number for edit in self.edits if not edit.hunks}
        if is_planned_anew or known & (edits ^ self.request.dropped_edits):
            return _planned(request)
        return self._marked(request)

    def _hunk(self, id: str) -> Hunk:
        hunk = next((one for one in self.hunks if one.id == id), None)
        if hunk is None:
            raise _no_such(f"hunk {id}", [one.id for one in self.hunks])
        return hunk

    def _marked(self, request: Request) -> Review:
        """Return the same plan with other hunks kept or edited."""
        files = tuple(_marked_file(file, request) for file in self.files)
        edits = _with_states(self.edits, files, request)
        blocks = _block_states(self.blocks, edits)
        return replace(self, request=request, files=files, edits=edits, blocks=blocks)

    # ── what is kept ──

    def only(self, numbers: Collection[int]) -> Patch:
        """Return the patch with these edits alone, stated or proposed, and with what was chosen."""
        patch, first = self.full_plan.patch, len(self.request.patch.ops) + 1
        ops = tuple(op for at, op in enumerate(patch.ops, 1) if self.edit_numbers[at] in numbers)
        blocks = {one.block for number, one in enumerate(self.request.patch.sketches, first) if number in numbers}
        paths = {one.block: one.path for one in self.full_plan.sketched if isinstance(one, Proposal)}
        sketches = tuple(
            sketch._replace(path=sketch.path or paths.get(sketch.block, ""))
            for sketch in patch.sketches
            if sketch.block in blocks
        )
        return patch._replace(ops=ops, sketches=sketches)

    def plan(self) -> Plan:
        """Return the plan of what is kept."""
        plan = self.full_plan
        changes = kept_changes(self.files, plan.changes)
        gone = {edit.number for edit in self.edits if edit.state in ("dropped", "open")}
        outcomes = [
            outcome
            for at, outcome in enumerate(plan.outcomes, 1)
            if self.edit_numbers[at] not in gone and not outcome.problems
        ]
        return plan._replace(patch=plan.patch._replace(problems=()), changes=changes, outcomes=tuple(outcomes))

    def preview(self) -> Result:
        """Return what `apply` would do, without doing it; refused while something is open."""
        if self.problems:
            return Result(False, self.full_plan._replace(changes=()), self.problems, self.notes, dry_run=True)
        plan = check_syntax(self.plan(), self.request.syntax)
        notes = (*self.notes, *self._left_out(), *(note for one in plan.outcomes for note in one.notes))
        return Result(not plan.problems, plan, plan.problems, notes, dry_run=True)

    def stale(self) -> tuple[Problem, ...]:
        """Return a problem for each file that has changed since it was read; `refresh` plans again."""
        try:
            with DiskTree(self.request.root, self.request.settings) as tree:
                return tuple(_stale(self.plan(), tree))
        except Refused as refused:
            return refused.problems

    def apply(self) -> Result:
        """Write what is kept: all of it, or nothing. Refused while something is open, or if a file has changed."""
        result = self.preview()
        if not result.ok or not result.plan.changes:
            return result._replace(dry_run=False)
        try:
            with DiskTree(self.request.root, self.request.settings) as tree:
                tree.lock(make=False)
                stale = _stale(result.plan, tree)
                if stale:
                    return no_plan(*stale)
                result = result._replace(notes=result.notes + check_plan(tree, result.plan.changes), dry_run=False)
                is_part = bool(self._left_out())
                return pipeline.commit(self.answer, result, tree, partial=is_part)
        except Refused as refused:
            return no_plan(*refused.problems)

    def to_dict(self) -> dict[str, object]:
        """Return plain values, ready for JSON."""
        from .report import as_json

        return as_json(self)

    def for_model(self) -> str:
        """Return what was kept, what wasn't and why, in words for the model that wrote the answer."""
        from .report import for_model

        return for_model(self)

    def _left_out(self) -> tuple[Note, ...]:
        """Return a note on the hunks that are dropped or edited."""
        gone = [edit for edit in self.edits if edit.state == "dropped"]
        numbers = {edit.number for edit in gone}
        dropped = [f"hunk {hunk.id}" for hunk in self.hunks if not hunk.kept and hunk.edit not in numbers]
        edited = [f"hunk {hunk.id}" for hunk in self.hunks if hunk.kept and hunk.text is not None]
        parts = [("left out", [*(f"edit {edit.number}" for edit in gone), *dropped]), ("edited by hand", edited)]
        return tuple(Note(f"{what}: {', '.join(ids)}", kind="review") for what, ids in parts if ids)


def _no_such(what: str, known: Iterable[str]) -> Refused:
    return Refused(Problem("bad_call", f"there is no {what}; there is {', '.join(known) or 'none'}"))


def _stale(plan: Plan, tree: DiskTree) -> list[Problem]:
    """Return a problem for each file that isn't as it was shown."""
    problems = []
    for change in plan.changes:
        now = tree.read(change.path) if not (change.before and change.before.is_link) else change.before
        if now != change.before:
            detail = "it was deleted" if now is None else "it was written" if change.before else "it was created"
            problems.append(Problem("stale", f"{detail} since it was shown", change.path))
    return problems


# ── the public call ──────────────────────────────────────────────────────────────────────────────


def review(  # noqa: PLR0913 - each is an option of the command too
    answer: Answer,
    root: Folder,
    *,
    format: FormatName | None = None,
    overwrite: bool | None = None,
    syntax: SyntaxCheck = "warn",
    file: str = "",
    settings: How = None,
) -> Review:
    """Return an answer's blocks, edits and hunks, to keep some and leave others; its `apply` writes what is kept.

    Raises PatchError if the answer or the tree can't be read.

    Args:
        answer: What the model wrote, as for `apply`.
        root: The directory. Nothing outside it is touched.
        format: The format of the edits. Detected if omitted.
        overwrite: Whether a new file may replace an existing one. If omitted, the format decides.
        syntax: What to do about a file that parsed before and no longer would: "warn", "refuse" or "off".
        file: The path for fences and edits for which the answer names none.
        settings: How changes are made, as for `apply`.
    """
    return review_text(
        as_text(answer), root_path(root), format=format_or_empty(format), overwrite=overwrite,
        syntax=checked_mode(syntax), file=checked_text("file", file), settings=checked_settings(settings),
    )  # fmt: skip


def review_text(  # noqa: PLR0913 - as for review
    text: str,
    root: str,
    *,
    format: str,
    overwrite: bool | None,
    syntax: str,
    file: str,
    settings: Settings,
    shape: Callable[[Patch], Patch] | None = None,
) -> Review:
    """Read an answer and plan all of it: what is stated and what is proposed. `shape` changes the patch first."""
    patch = pipeline.read_for_folder(text, root, format, settings.limits, file)
    patch = shape(patch) if shape else patch
    if "&" in text:  # all of it may be escaped for HTML
        with DiskTree(root, settings) as tree:
            patch = pipeline.plan_answer(text, patch, tree, pipeline.ApplyOptions(overwrite, accept=RULES)).patch
    return _planned(Request(text, root, patch, overwrite, syntax, settings))


# ── planning ─────────────────────────────────────────────────────────────────────────────────────


class _Draft:
    """The patch of a review while choices are made: its operations by their numbers, and its sketches."""

    def __init__(self, request: Request) -> None:
        self.request = request
        self.ops: dict[int, Op] = dict(enumerate(request.patch.ops, 1))
        self.sketches: dict[int, Sketch] = {sketch.block: sketch for sketch in request.patch.sketches}
        self.choices: dict[str, Choice] = {}
        self.numbers = {block: number for number, block in enumerate(self.sketches, len(self.ops) + 1)}
        if request.paths:
            self.ops = {number: with_paths(op, self._path) for number, op in self.ops.items()}
            self.sketches = {block: _labelled(sketch, request.paths) for block, sketch in self.sketches.items()}

    def _path(self, path: str) -> str:
        return self.request.paths.get(path, path)

    @property
    def patch(self) -> Patch:
        """The patch with what was chosen."""
        lines = [self.request.patch.blocks[block - 1] for block in self.request.dropped_blocks]
        problems = tuple(
            problem
            for problem in self.request.patch.problems
            if not any(block.first <= problem.patch_line <= block.last for block in lines)
        )
        sketches = tuple(self.sketches.values())
        return self.request.patch._replace(ops=tuple(self.ops.values()), sketches=sketches, problems=problems)

    def settle(self, plan: Plan) -> bool:
        """Make the choices that a plan leaves open and that were decided; True if any was."""
        before = (dict(self.ops), dict(self.sketches))
        numbers = list(self.ops)
        for at, outcome in enumerate(plan.outcomes):
            if at < len(numbers):
                self._settle_edit(numbers[at], outcome)
        proposals = [one for one in plan.sketched if isinstance(one, Proposal)]
        for proposal in proposals:
            if proposal.alternatives:
                self._settle_alternatives(proposal, proposals)
        return before != (self.ops, self.sketches)

    def _settle_edit(self, number: int, outcome: Outcome) -> None:
        """Correct an edit as it was chosen, or leave it out if it has problems and was dropped."""
        if outcome.problems and number in self.request.dropped_edits:
            del self.ops[number]
            return
        for problem in all_explained(outcome.problems):
            if not problem.corrected:
                continue
            several = isinstance(outcome.op, Edit) and len(outcome.op.hunks) > 1 and problem.patch_line
            id = f"edit {number}" + (f", line {problem.patch_line}" if several else "")
            options = [
                Option(0, f"line {one.line}" if one.line else "corrected", problem.path, one.line, one.text)
                for one in problem.corrected
            ]
            question = "Which place is meant?" if len(options) > 1 else "This would fit. Is it what was meant?"
            pick = self.request.picks.get(id)
            self.choices[id] = Choice(id, (number,), question, tuple(options), pick)
            if pick:
                self.ops[number] = (
                    corrected_op(self.ops[number], problem, pick - 1, self.request.patch.format) or (self.ops[number])
                )
            elif pick == LEAVE_OUT:
                self.ops.pop(number, None)
                return

    def _settle_alternatives(self, proposal: Proposal, proposals: list[Proposal]) -> None:
        """Take one of the sketches that change the same lines, or the path that one of them was chosen to have."""
        group = _group(proposal, proposals)
        id = f"block {group[0].block + _offset(self.request) + 1}"
        if id in self.choices:
            return
        first = group[0]
        if len(group) == 1:
            paths = [path for path in (first.path, first.written) if path]
            options = [Option(0, path, path, 0, _shown(first, path)) for path in paths]
            question = "Which file is meant?"
        else:
            lines = {sketch.block: sketch.line for sketch in self.request.patch.sketches}
            options = [
                Option(0, f"the fence at line {lines[one.block]}", one.path, lines[one.block], _shown(one, one.path))
                for one in group
            ]
            question = "Which of them is meant?"
        pick = self.request.picks.get(id)
        self.choices[id] = Choice(id, tuple(self.number_of(one.block) for one in group), question, tuple(options), pick)
        if pick is None:
            return
        if pick and len(group) == 1:
            self.sketches[first.block] = self.sketches[first.block]._replace(path=options[pick - 1].path)
            return
        for at, one in enumerate(group, 1):
            if at != pick:
                self.sketches.pop(one.block, None)
        for one in proposals:  # they may have their file from a fence that is left out
            if one.block in self.sketches and not one.written:
                self.sketches[one.block] = self.sketches[one.block]._replace(path=one.path)

    def number_of(self, block: int) -> int:
        """Return the number of a sketch among the edits: after those that are stated."""
        return self.numbers[block]


def _labelled(sketch: Sketch, paths: Mapping[str, str]) -> Sketch:
    """Return a sketch with the path that was chosen for the one it names."""
    words = " ".join((sketch.info, *sketch.above, *sketch.body[:1]))
    named = next((written for written in paths if written in words), "")
    return sketch._replace(path=paths[named]) if named else sketch


def _group(proposal: Proposal, proposals: list[Proposal]) -> list[Proposal]:
    """Return all proposals that are alternatives of each other, in their order."""
    by_block = {one.block: one for one in proposals}
    blocks: set[int] = set()
    waiting = [proposal.block]
    while waiting:
        block = waiting.pop()
        if block not in blocks and block in by_block:
            blocks.add(block)
            waiting += by_block[block].alternatives
    return [by_block[block] for block in sorted(blocks)]


def _shown(proposal: Proposal, path: str) -> str:
    """Return what a proposal would change, as a diff."""
    is_new = proposal.before is None or path != proposal.path
    before = None if is_new else join_lines(proposal.before or ())
    return "\n".join(unified(path, path, before, join_lines(proposal.after))[2:])


def _planned(request: Request) -> Review:
    """Plan an answer with what was decided so far. Raise `Refused` if the tree can't be read."""
    draft = _Draft(request)
    with DiskTree(request.root, request.settings) as tree:
        tree.check_settled()
        for _ in range(_ROUNDS):
            plan = plan_patch(draft.patch, tree, overwrite=request.overwrite, answer=request.answer, accept=RULES)
            plan = with_offers(plan, tree, request.overwrite, request.answer, partial=False)
            if not draft.settle(plan):
                break
        plan = check_syntax(plan, request.syntax)
    return _drawn(request, draft, plan)


# ── the value ────────────────────────────────────────────────────────────────────────────────────


def _edit_numbers(draft: _Draft, plan: Plan) -> dict[int, int]:
    """Return the number of the edit that each outcome is of, both counted from 1."""
    stated = iter(draft.ops)
    by_line = {sketch.line: draft.number_of(sketch.block) for sketch in draft.request.patch.sketches}
    numbers = {}
    for at, outcome in enumerate(plan.outcomes, 1):
        numbers[at] = by_line.get(outcome.op.patch_line, 0) if _is_proposed(outcome) else next(stated, 0)
    return numbers


def _is_proposed(outcome: Outcome) -> bool:
    return bool(getattr(outcome.op, "proposed", False))


def _drawn(request: Request, draft: _Draft, plan: Plan) -> Review:
    """Return the review of a plan."""
    numbers = _edit_numbers(draft, plan)
    files = tuple(_marked_file(file, request) for file in files_of(plan, numbers))
    choices = _numbered(draft.choices.values())
    edits = _with_states(_edits(request, draft, plan, numbers), files, request)
    blocks = _block_states(_blocks(request, plan, edits), edits)
    known = {edit.number for edit in edits}
    others = [
        problem for at, one in enumerate(plan.outcomes, 1) if numbers[at] not in known for problem in one.problems
    ]
    problems = (
        *all_explained([*draft.patch.problems, *others]), *(problem for edit in edits for problem in edit.problems),
    )  # fmt: skip
    notes = (*plan.patch.notes, *(note for one in plan.outcomes for note in one.notes), *unused_notes(plan, RULES))
    return Review(request, plan, numbers, blocks, edits, files, choices, problems, notes)


def _numbered(choices: Iterable[Choice]) -> tuple[Choice, ...]:
    """Number the options through all choices."""
    result, number = [], 0
    for choice in choices:
        options = []
        for option in choice.options:
            number += 1
            options.append(option._replace(number=number))
        result.append(choice._replace(options=tuple(options)))
    return tuple(result)


def _marked_file(file: ReviewedFile, request: Request) -> ReviewedFile:
    hunks = tuple(
        replace(hunk, kept=not _is_dropped(hunk, request), text=request.typed.get(hunk.key)) for hunk in file.hunks
    )
    return file._replace(hunks=hunks)


def _is_dropped(hunk: Hunk, request: Request) -> bool:
    return hunk.key in request.dropped_hunks or hunk.edit in request.dropped_edits


def _edits(request: Request, draft: _Draft, plan: Plan, numbers: Mapping[int, int]) -> Iterator[ReviewedEdit]:
    """Yield every edit of the answer in its order: those that were left out, too."""
    outcomes = {numbers[at]: one for at, one in enumerate(plan.outcomes, 1)}
    sketched = {one.block: one for one in plan.sketched if isinstance(one, Proposal)}
    blocks = request.patch.blocks
    firsts = [block.first for block in blocks]
    for number, op in enumerate(request.patch.ops, 1):
        outcome = outcomes.get(number)
        problems = all_explained(outcome.problems) if outcome else ()
        how = ", ".join(dict.fromkeys(one.how for one in outcome.applied)) if outcome else ""
        path = outcome.path if outcome else op.path
        block = _block_at(blocks, firsts, op.patch_line)
        yield ReviewedEdit(number, block, path, op.label, "", how, "", "" if outcome else "dropped", (), problems)
    offset = _offset(request)
    for sketch in request.patch.sketches:
        number, proposal = draft.number_of(sketch.block), sketched.get(sketch.block)
        decided = any(number in choice.edits and choice.chosen is not None for choice in draft.choices.values())
        if proposal is None and not (decided and sketch.block not in draft.sketches):
            continue
        outcome = outcomes.get(number)
        yield ReviewedEdit(
            number, sketch.block + offset + 1, proposal.path if proposal else "", "a fence without marks",
            proposal.rule if proposal else "", "", describe_proposal(proposal) if proposal else "",
            "" if proposal else "dropped", (), all_explained(outcome.problems) if outcome else (),
        )  # fmt: skip


def _with_states(
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


def _offset(request: Request) -> int:
    """Return how many blocks are above those that sketches count: what the model thought."""
    return sum(block.read_as == "thinking" for block in request.patch.blocks)


def _block_at(blocks: Sequence[Block], firsts: Sequence[int], line: int) -> int:
    """Return the number of the block that a line of the answer is in, 0 for none."""
    at = bisect_right(firsts, line)
    return at if at and line <= blocks[at - 1].last else 0


def _blocks(request: Request, plan: Plan, edits: tuple[ReviewedEdit, ...]) -> Iterator[ReviewedBlock]:
    """Yield every block of the answer, with the edits that it holds."""
    outcomes = block_outcomes(plan._replace(patch=plan.patch._replace(blocks=request.patch.blocks)), ok=True)
    by_block: dict[int, list[ReviewedEdit]] = {}
    for edit in edits:
        by_block.setdefault(edit.block, []).append(edit)
    for number, block in enumerate(outcomes, 1):
        own = tuple(edit.number for edit in by_block.get(number, ()))
        state = "unused" if block.became == "unused" and not own else ""
        path = block.path or next((edit.path for edit in by_block.get(number, ()) if edit.path), "")
        reason = block.reason if state == "unused" else ""
        unread = any(
            block.first <= problem.patch_line <= block.last and number not in request.dropped_blocks
            for problem in request.patch.problems
        )
        yield ReviewedBlock(
            number, block.first, block.last, block.read_as, path, "open" if unread else state, reason, own
        )


def _block_states(blocks: Iterable[ReviewedBlock], edits: Iterable[ReviewedEdit]) -> tuple[ReviewedBlock, ...]:
    """Return blocks with the state of their edits."""
    states = {edit.number: edit.state for edit in edits}
    return tuple(_block_state(block, {states[number] for number in block.edits}) for block in blocks)


def _block_state(block: ReviewedBlock, states: set[str]) -> ReviewedBlock:
    if not states:
        return block if block.state in ("open", "unused") else block._replace(state="dropped")
    state = "open" if "open" in states else next(iter(states)) if len(states) == 1 else "partly"
    return block._replace(state=state)
