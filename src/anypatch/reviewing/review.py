"""A review: every block of an answer, what it would change hunk by hunk, and what a person keeps of that.

    review = anypatch.review(answer, "path/to/tree")
    for hunk in review.hunks: print(hunk.id, hunk.path, hunk.kept)
    review = review.drop("2.1").choose("edit 3", 2)       each call gives a new review
    result = review.apply()                               all that is kept, or nothing; it can be undone

The terminal, the page and `check --json` show this value.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple, NoReturn, TypeVar

from .. import pipeline
from ..answer.accounting import unused_notes
from ..answer.unwrap import as_text
from ..api import RULES, How, checked_mode, checked_settings, checked_text, format_or_empty, root_path
from ..hints import Answer, Base, Folder, FormatName, SyntaxCheck
from ..model import Note, Patch, Plan, Proposal
from ..plan import plan as plan_patch
from ..problems import Problem, Refused, all_explained
from ..repair import with_offers
from ..result import Result, no_plan
from ..storage.state import Settings
from ..storage.tree import DiskTree, check_plan
from ..syntax.check import check_syntax
from .decisions import Choice, ChosenPatch, Request
from .hunks import Hunk, ReviewedFile, files_of, kept_changes
from .parts import (
    ReviewedBlock,
    ReviewedEdit,
    edit_numbers_of,
    list_blocks,
    list_edits,
    mark_file,
    with_block_states,
    with_states,
)

if TYPE_CHECKING:
    from ..match.files import Tree
    from ..tree import TreeBefore

_ROUNDS = 12  # of choices that show further choices
_NAMED = 20  # that a wrong name is answered with


T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Review:
    """The changes of an answer, and which of them are kept. It never changes: each decision gives a new one.

    Attributes:
        blocks: Every block of the answer, in order.
        edits: Every edit, stated or proposed, by its number.
        files: Every file that changes, with its hunks.
        choices: Questions that only a person can answer, answered or not.
        problems: Why it can't be applied yet: problems of edits that aren't dropped, and choices that are open.
        notes: Anything else worth knowing.
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
        """True if every edit that is kept is stated, and nothing waits for a decision."""
        return not (self.problems or self.choices or self.proposals)

    @property
    def proposals(self) -> tuple[ReviewedEdit, ...]:
        """The proposals that are kept, at least in part."""
        return tuple(edit for edit in self.edits if edit.rule and edit.state != "dropped")

    # ── decisions ──

    def drop(self, *ids: str | int) -> Review:
        """Leave out hunks ("2.1"), edits ("2" or 2), blocks ("block 1") or files ("file 1") with theirs, or "all"."""
        return self._decided(ids, kept=False)

    def keep(self, *ids: str | int) -> Review:
        """Take again what was left out."""
        return self._decided(ids, kept=True)

    def choose(self, choice: str, option: int) -> Review:
        """Take an option of a choice by its place in it, from 1; 0 leaves all out."""
        known = next((one for one in self.choices if one.id == choice), None)
        if known is None:
            _no_such(f"choice {choice!r}", [one.id for one in self.choices])
        if not 0 <= option <= len(known.options):
            _no_such(f"option {option} of {choice!r}", [str(at) for at in range(len(known.options) + 1)])
        return _planned(replace(self.request, picks={**self.request.picks, choice: option}))

    def choose_number(self, number: int) -> Review:
        """Take an option by its number in the review."""
        options = {one.number: (choice.id, at) for choice in self.choices for at, one in enumerate(choice.options, 1)}
        if number not in options:
            _no_such(f"option {number}", [*map(str, options)])
        return self.choose(*options[number])

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
        edits, blocks, hunks = self._named(map(str, ids))
        hunks += [hunk for hunk in self.hunks if hunk.edit in edits]
        own_edits = {hunk.edit for hunk in hunks} if kept else set()  # a kept hunk is part of a kept edit
        changed = replace(
            request,
            dropped_edits=_changed(request.dropped_edits, edits | own_edits, kept=kept),
            dropped_blocks=_changed(request.dropped_blocks, blocks, kept=kept),
            dropped_hunks=_changed(request.dropped_hunks, (hunk.key for hunk in hunks), kept=kept),
        )
        without_hunks = {edit.number for edit in self.edits if edit.problems or not edit.hunks}
        is_other_plan = changed.dropped_blocks != request.dropped_blocks or not edits.isdisjoint(without_hunks)
        return _planned(changed) if is_other_plan else self._marked(changed)

    def _named(self, ids: Iterable[str]) -> tuple[set[int], set[int], list[Hunk]]:
        """Return the edits, blocks and hunks that these ids name."""
        known = {"all": _Named(edits=tuple(edit.number for edit in self.edits))}
        known |= {str(edit.number): _Named(edits=(edit.number,)) for edit in self.edits}
        known |= {f"block {block.number}": _Named(block.number, block.edits) for block in self.blocks}
        known |= {f"file {at}": _Named(hunks=file.hunks) for at, file in enumerate(self.files, 1)}
        known |= {hunk.id: _Named(hunks=(hunk,)) for hunk in self.hunks}
        named = [known[id] if id in known else _no_such(f"{id!r} in the review", [*known]) for id in ids]
        edits = {number for one in named for number in one.edits}
        return edits, {one.block for one in named} - {0}, [hunk for one in named for hunk in one.hunks]

    def _hunk(self, id: str) -> Hunk:
        hunk = next((one for one in self.hunks if one.id == id), None)
        if hunk is None:
            _no_such(f"hunk {id}", [one.id for one in self.hunks])
        return hunk

    def _marked(self, request: Request) -> Review:
        """Return the same plan with other hunks kept or edited."""
        files = tuple(mark_file(file, request) for file in self.files)
        edits = with_states(self.edits, files, request)
        blocks = with_block_states(self.blocks, edits)
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
        kept = [one for at, one in enumerate(plan.outcomes, 1) if not (self.edit_numbers[at] in gone or one.problems)]
        # `preview` looks at the syntax again, of what is kept
        outcomes = [one._replace(notes=tuple(note for note in one.notes if note.kind != "syntax")) for one in kept]
        return plan._replace(patch=plan.patch._replace(problems=()), changes=changes, outcomes=tuple(outcomes))

    def preview(self) -> Result:
        """Return what `apply` would do, without doing it; refused while something is open."""
        if self.problems:
            return Result(False, self.full_plan._replace(changes=()), self.problems, self.notes, dry_run=True)
        plan = check_syntax(self.plan(), self.request.syntax)
        of_edits = {note for one in self.full_plan.outcomes for note in one.notes}
        notes = [note for note in self.notes if note not in of_edits]
        notes += [*self._left_out(), *(note for one in plan.outcomes for note in one.notes)]
        return Result(not plan.problems, plan, plan.problems, tuple(notes), dry_run=True)

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


class _Named(NamedTuple):
    """A block, edits or hunks that an id of a review names."""

    block: int = 0
    edits: tuple[int, ...] = ()
    hunks: tuple[Hunk, ...] = ()


def _changed(dropped: frozenset[T], ids: Iterable[T], *, kept: bool) -> frozenset[T]:
    return dropped.difference(ids) if kept else dropped.union(ids)


def _no_such(what: str, known: Sequence[str]) -> NoReturn:
    some = [*known[:_NAMED], "…"] if len(known) > _NAMED else known
    raise Refused(Problem("bad_call", f"there is no {what}; there is {', '.join(some) or 'none'}"))


def _stale(plan: Plan, tree: DiskTree) -> list[Problem]:
    """Return a problem for each file that isn't as it was shown."""
    problems = []
    for change in plan.changes:
        now = tree.read(change.path) if not (change.before and change.before.is_link) else change.before
        if now != change.before:
            detail = "it was deleted" if now is None else "it was edited" if change.before else "it was created"
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
    base: Base = None,
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
        base: The files that the answer was written for, as for `apply`. A conflict with what has changed is a choice.
        settings: How changes are made, as for `apply`.
    """
    folder, given = root_path(root), None
    if base is not None:
        from ..bases import GivenBase

        given = GivenBase(base, folder)
    return review_text(
        as_text(answer), folder, format=format_or_empty(format), overwrite=overwrite, syntax=checked_mode(syntax),
        file=checked_text("file", file), settings=checked_settings(settings),
        base=given,
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
    base: Callable[[Tree], TreeBefore] | None = None,
    accept: tuple[str, ...] = RULES,
) -> Review:
    """Read an answer and plan all of it: what is stated and what is proposed. `shape` changes the patch first.

    `base` returns the tree that the answer was written for, given the tree as it is now. `accept`: the rules whose
    proposals are shown.
    """
    patch = pipeline.read_for_folder(text, root, format, settings.limits, file)
    patch = shape(patch) if shape else patch
    if "&" in text:  # all of it may be escaped for HTML
        with DiskTree(root, settings) as tree:
            before = base(tree) if base else tree
            patch = pipeline.plan_answer(text, patch, before, pipeline.ApplyOptions(overwrite, accept=accept)).patch
    return _planned(Request(text, root, patch, overwrite, syntax, settings, base, accept))


# ── planning ─────────────────────────────────────────────────────────────────────────────────────


def _planned(request: Request) -> Review:
    """Plan an answer with what was decided so far. Raise `Refused` if the tree can't be read."""
    draft = ChosenPatch(request)
    with DiskTree(request.root, request.settings) as tree:
        tree.check_settled()
        base = request.base(tree) if request.base else None
        for _ in range(_ROUNDS):
            plan = plan_patch(
                draft.patch, base or tree, overwrite=request.overwrite, answer=request.answer, accept=request.accept
            )
            plan = with_offers(plan, base or tree, request.overwrite, request.answer, partial=False)
            numbers = edit_numbers_of(draft, plan)
            plan = pipeline.rebased(plan, base, tree, lambda problem: draft.decide(problem, numbers[problem.op]))  # noqa: B023
            if not draft.settle(plan, base or tree):
                break
        plan = check_syntax(plan, request.syntax)
    return _drawn(request, draft, plan)


def _drawn(request: Request, draft: ChosenPatch, plan: Plan) -> Review:
    """Return the review of a plan."""
    numbers = edit_numbers_of(draft, plan)
    files = tuple(mark_file(file, request) for file in files_of(plan, numbers))
    choices = _numbered(draft.choices.values())
    edits = with_states(list_edits(draft, plan, numbers), files, request)
    blocks = with_block_states(list_blocks(request, plan, edits), edits)
    known = {edit.number for edit in edits}
    others = [
        problem for at, one in enumerate(plan.outcomes, 1) if numbers[at] not in known for problem in one.problems
    ]
    problems = (
        *all_explained([*draft.patch.problems, *others]), *(problem for edit in edits for problem in edit.problems),
    )  # fmt: skip
    placed = (note for one in plan.outcomes for note in one.notes)
    notes = (*plan.patch.notes, *placed, *unused_notes(plan, request.accept))
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
