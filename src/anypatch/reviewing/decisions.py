"""The patch of an answer with what a person chose: places, versions, paths, and edits that are left out."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, NamedTuple

from ..api import RULES
from ..diff import unified
from ..match.files import nearly_right
from ..model import Edit, Op, Outcome, Patch, Plan, Proposal, Sketch, join_lines, with_paths
from ..problems import Problem, all_explained
from ..repair import corrected_op
from ..storage.state import Settings

if TYPE_CHECKING:
    from ..match.files import Tree
    from ..tree import TreeBefore

LEAVE_OUT = 0  # the option that takes none


class Option(NamedTuple):
    """One way out of a choice. `number` is counted through the review, from 1; `text` is the edit that it would be."""

    number: int
    label: str
    path: str
    line: int
    text: str


class Choice(NamedTuple):
    """A question that only a person can answer.

    `kind`: "corrected" for an edit that would fit, or one of several places; "version" for fences that change the same
    lines; "file" for a path that is nearly right, or may be one of two; "conflict" for lines that have changed since
    the answer was written for them.
    `chosen` is the number of an option among `options`, from 1; 0 if all are left out, None if it is open.
    """

    id: str
    edits: tuple[int, ...]
    question: str
    options: tuple[Option, ...]
    kind: Literal["corrected", "version", "file", "conflict"]
    chosen: int | None = None


@dataclass(frozen=True, slots=True)
class Request:
    """The answer and the tree of a review, and everything that was decided so far."""

    answer: str
    root: str
    patch: Patch
    overwrite: bool | None = None
    syntax: str = "warn"
    settings: Settings = field(default_factory=Settings)
    base: Callable[[Tree], TreeBefore] | None = None
    accept: tuple[str, ...] = RULES
    picks: Mapping[str, int] = field(default_factory=dict)
    paths: Mapping[str, str] = field(default_factory=dict)
    dropped_edits: frozenset[int] = frozenset()
    dropped_blocks: frozenset[int] = frozenset()
    dropped_hunks: frozenset[object] = frozenset()
    typed: Mapping[object, str] = field(default_factory=dict)


class ChosenPatch:
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

    def settle(self, plan: Plan, tree: Tree) -> bool:
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
        for path in self._missing_paths(plan, tree):
            self._settle_path(path, tree)
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
            options = [self._correction(number, problem, at) for at in range(len(problem.corrected))]
            question = "Which place is the right one?" if len(options) > 1 else "This would fit. Is it right?"
            pick = self.request.picks.get(id)
            self.choices[id] = Choice(id, (number,), question, tuple(options), "corrected", pick)
            if pick:
                self.ops[number] = (
                    corrected_op(self.ops[number], problem, pick - 1, self.request.patch.format) or (self.ops[number])
                )
            elif pick == LEAVE_OUT:
                self.ops.pop(number, None)
                return

    def decide(self, problem: Problem, number: int) -> bool | None:
        """Return whether to take the answer's lines where they conflict with those of now; None while that is open."""
        if number in self.request.dropped_edits:
            return None
        id = f"conflict {problem.path}, line {problem.line}"
        now, new = problem.near
        changed = unified("", "", join_lines(now.lines), join_lines(new.lines))[3:]
        texts = ["\n".join(f" {line}" for line in now.lines), "\n".join(changed)]
        options = [
            Option(0, one.note, problem.path, now.line, text) for one, text in zip((now, new), texts, strict=True)
        ]
        pick = self.request.picks.get(id)
        self.choices[id] = Choice(id, (number,), "Which lines do you want?", tuple(options), "conflict", pick)
        return None if pick is None else pick == len(options)

    def _correction(self, number: int, problem: Problem, at: int) -> Option:
        """Return a correction of an edit; one of its path is called by the right path."""
        line, text = problem.corrected[at]
        op = corrected_op(self.ops[number], problem, at, self.request.patch.format)
        path = op.path if op and problem.kind == "file_missing" else problem.path
        label = f"line {line}" if line else path if path != problem.path else "corrected"
        return Option(0, label, path, line, text)

    def _missing_paths(self, plan: Plan, tree: Tree) -> list[str]:
        """Return the paths that don't exist and for whose edits no correction is offered."""
        kinds = ("file_missing", "ambiguous")
        paths = [
            outcome.op.path
            for outcome in plan.outcomes
            for problem in all_explained(outcome.problems)
            if problem.kind in kinds and not (problem.corrected or problem.line or "#" in outcome.op.path)
        ]
        return [path for path in dict.fromkeys(paths) if tree.read(tree.canonical(path)) is None]

    def _settle_path(self, path: str, tree: Tree) -> None:
        """Let all edits of a path that doesn't exist be about another file, or leave them out."""
        others = nearly_right(path, tree)
        numbers = tuple(number for number, op in self.ops.items() if op.path == path)
        if not others:
            return
        id = f"file {path}"
        pick = self.request.picks.get(id)
        options = tuple(Option(0, other, other, 0, "") for other in others)
        self.choices[id] = Choice(id, numbers, f"{path} doesn't exist. Which file is it?", options, "file", pick)
        for number in numbers if pick is not None else ():
            if pick:
                self.ops[number] = with_paths(self.ops[number], lambda name: others[pick - 1] if name == path else name)
            else:
                del self.ops[number]

    def _settle_alternatives(self, proposal: Proposal, proposals: list[Proposal]) -> None:
        """Take one of the sketches that change the same lines, or the path that one of them was chosen to have."""
        group = _group(proposal, proposals)
        id = f"block {group[0].block + blocks_above(self.request) + 1}"
        if id in self.choices:
            return
        first = group[0]
        question, options = self._file_options(first) if len(group) == 1 else self._version_options(group)
        pick = self.request.picks.get(id)
        numbers = tuple(self.number_of(one.block) for one in group)
        self.choices[id] = Choice(id, numbers, question, tuple(options), "file" if len(group) == 1 else "version", pick)
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

    def _file_options(self, proposal: Proposal) -> tuple[str, list[Option]]:
        """Return the files that a fence may be about: the one with that tail, and the path as it is written."""
        paths = [path for path in (proposal.path, proposal.written) if path]
        return "Which file is it?", [Option(0, path, path, 0, _shown(proposal, path)) for path in paths]

    def _version_options(self, group: list[Proposal]) -> tuple[str, list[Option]]:
        """Return the fences that change the same lines."""
        lines = {sketch.block: sketch.line for sketch in self.request.patch.sketches}
        options = [
            Option(0, f"the fence at line {lines[one.block]}", one.path, lines[one.block], _shown(one, one.path))
            for one in group
        ]
        return "Which of them do you want?", options

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


def blocks_above(request: Request) -> int:
    """Return how many blocks are above those that sketches count: what the model thought."""
    return sum(block.read_as == "thinking" for block in request.patch.blocks)
