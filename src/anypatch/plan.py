"""Patch and tree become a plan: every byte that will change, every problem, before anything is written. Pure."""

from __future__ import annotations

from .errors import Problem, Refused
from .locate.page import Page
from .locate.paths import check_new
from .locate.place import place_edit
from .locate.tears import follow, judged
from .model import Delete, Edit, File, FileChange, Move, Note, Op, Outcome, Patch, Plan, Splice, Write
from .record import NamedTuple
from .text import Sheet, encode, looks_binary

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Protocol

    from .locate.fit import Tear

    class Tree(Protocol):
        """What files are read from. A directory, a dictionary, anything; never written to."""

        def canonical(self, path: str) -> str:
            """The one name of the file that a path means; raises Refused for a path that may not be touched."""

        def read(self, path: str) -> File | None:
            """The file under its canonical name, None where there is none."""

        def suggest(self, path: str) -> tuple[str, ...]:
            """Existing files that may have been meant."""


class Done(NamedTuple):
    """What became of one operation: splices where lines changed, what to know."""

    splices: tuple[Splice, ...] = ()
    notes: tuple[Note, ...] = ()


class Draft:
    """A file on its way through the patch: as it was, and as it is after the operations so far."""

    __slots__ = ("before", "exists", "failed", "mode", "page", "tears", "written")

    def __init__(self, before: File | None) -> None:
        self.before = before
        self.exists = before is not None
        self.mode = before.mode if before else 0o644
        self.page: Page | None = None
        self.written = before.data if before else b""
        self.failed = False
        self.tears: dict[int, list[Tear]] = {}

    def after(self) -> File | None:
        """The file as it will be."""
        if not self.exists:
            return None
        return File(self.page.sheet.data() if self.page else self.written, self.mode)


class Work(NamedTuple):
    """What planning goes by: the tree, the canonical names and drafts so far, how many hunks each path has."""

    tree: Tree
    names: dict[str, str]
    drafts: dict[str, Draft]
    searches: dict[str, int]
    overwrite: bool | None


def plan(patch: Patch, tree: Tree, *, overwrite: bool | None = None) -> Plan:
    """What the patch would do to the tree. `overwrite`: None as the format says, True always, False never."""
    work = Work(tree, {}, {}, _searches(patch), overwrite)
    outcomes = [_outcome(number, op, work) for number, op in enumerate(patch.ops, 1)]
    drafts = work.drafts
    for draft in drafts.values():
        _judge(draft, outcomes)
    changes = []
    for path, draft in drafts.items():
        after = draft.after()
        if after != draft.before:
            changes.append(FileChange(path, draft.before, after))
    return Plan(patch, tuple(changes), tuple(outcomes))


def _searches(patch: Patch) -> dict[str, int]:
    """How many hunks each path as written has: decides how the file is searched."""
    counts: dict[str, int] = {}
    for op in patch.ops:
        if isinstance(op, Edit):
            counts[op.path] = counts.get(op.path, 0) + len(op.hunks)
    return counts


def _outcome(number: int, op: Op, work: Work) -> Outcome:
    path, drafts = op.path, work.drafts
    try:
        path = _canonical(work, op.path)
        if path not in drafts:
            drafts[path] = Draft(work.tree.read(path))
        if isinstance(op, Edit):
            done = _edit(number, op, path, work)
        elif isinstance(op, Write):
            done = _write(op, path, work)
        elif isinstance(op, Delete):
            done = _delete(path, drafts[path], work.tree)
        else:
            done = _move(op, path, work)
        return Outcome(number, op, path, done.splices, (), done.notes)
    except Refused as refused:
        draft = drafts.get(path)
        follows = draft is not None and draft.failed
        if draft is not None:
            draft.failed = True
        return Outcome(number, op, path, (), tuple(_placed(p, number, op, path, follows) for p in refused.problems))


def _canonical(work: Work, path: str) -> str:
    """The one name of the file that a path means, looked up once."""
    if path not in work.names:
        work.names[path] = work.tree.canonical(path)
    return work.names[path]


def _placed(problem: Problem, number: int, op: Op, path: str, follows: bool) -> Problem:
    """The problem with its operation, path and line in the patch filled in."""
    detail = problem.detail
    if follows and problem.kind in ("not_found", "ambiguous", "file_missing", "no_block"):
        detail += " (an earlier operation on this file failed; this may follow from it)"
    line = problem.patch_line or op.patch_line
    return problem._replace(path=problem.path or path, patch_line=line, op=number, detail=detail)


def _judge(draft: Draft, outcomes: list[Outcome]) -> None:
    """What the patch as a whole left torn goes to the operation that tore it."""
    for number, tears in draft.tears.items() if draft.page else ():
        problems, notes = judged(tears)
        outcome = outcomes[number - 1]
        placed = tuple(problem._replace(op=number) for problem in problems)
        outcomes[number - 1] = outcome._replace(problems=outcome.problems + placed, notes=outcome.notes + tuple(notes))


# ── one operation ────────────────────────────────────────────────────────────────────────────────


def _edit(number: int, op: Edit, path: str, work: Work) -> Done:
    draft = work.drafts[path]
    if not draft.exists:
        raise Refused(_missing(path, draft, work.tree))
    if draft.page is None:
        if looks_binary(draft.written):
            raise Refused(Problem("not_text", f"{path} looks like binary data"))
        draft.page = Page(Sheet(draft.written), path, work.searches.get(op.path, 1))
    placed = place_edit(draft.page, op)
    if placed.problems:
        raise Refused(*placed.problems)
    for made in reversed(placed.fits):
        splice = made.splice
        draft.page.sheet.splice(splice.start, splice.end, list(splice.lines), list(made.ends))
    if draft.tears:
        untorn = [made._replace(tear=None) for made in placed.fits]
        draft.tears = {other: follow(tears, untorn) for other, tears in draft.tears.items()}
    if any(made.tear for made in placed.fits):
        draft.tears[number] = follow([], placed.fits)
    return Done(tuple(made.splice for made in placed.fits), tuple(placed.notes))


def _write(op: Write, path: str, work: Work) -> Done:
    draft = work.drafts[path]
    overwrite = op.overwrite if work.overwrite is None else work.overwrite
    data = encode(op.text)
    if draft.exists and not overwrite and draft.after() != File(data, draft.mode):
        raise Refused(Problem("file_exists", f"{path} is there already and would be overwritten"))
    if not draft.exists and draft.before is None:
        check_new(path)
    notes = (Note("the file existed and is overwritten", path, op.patch_line),) if draft.exists else ()
    draft.exists, draft.page, draft.written, draft.tears = True, None, data, {}
    return Done((), notes)


def _delete(path: str, draft: Draft, tree: Tree) -> Done:
    if not draft.exists:
        raise Refused(_missing(path, draft, tree))
    draft.exists, draft.page = False, None
    return Done()


def _move(op: Move, path: str, work: Work) -> Done:
    drafts, tree = work.drafts, work.tree
    overwrite = op.overwrite if work.overwrite is None else work.overwrite
    source = drafts[path]
    if not source.exists:
        raise Refused(_missing(path, source, tree))
    target = _canonical(work, op.to)
    if target == path:
        return Done()
    if target not in drafts:
        drafts[target] = Draft(tree.read(target))
    goal = drafts[target]
    if goal.exists and not overwrite:
        raise Refused(Problem("file_exists", f"{target} is there already and would be overwritten", target))
    if goal.before is None:
        check_new(target)
    moved = source.after()
    assert moved is not None
    goal.exists, goal.page, goal.written, goal.mode = True, None, moved.data, moved.mode
    source.exists, source.page = False, None
    return Done()


def _missing(path: str, draft: Draft, tree: Tree) -> Problem:
    if draft.before is not None:
        return Problem("file_missing", f"{path} is deleted by an earlier operation of this patch")
    others = tree.suggest(path)
    advice = f"Did you mean {' or '.join(others)}?" if others else ""
    return Problem("file_missing", f"{path} doesn't exist", advice=advice)
