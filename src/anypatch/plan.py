"""Patch and tree become a plan: every byte that will change, every problem, before anything is written. Pure."""

from __future__ import annotations

from .elision import may_hold_marks
from .errors import Problem, Refused
from .locate.page import Page
from .locate.place import EXPLAINED, place_edit
from .model import Delete, Edit, File, FileChange, Hunk, Note, Op, Outcome, Patch, Plan, Splice, Write
from .naming import meant, rewritten
from .record import NamedTuple
from .rounds import Round
from .text import Text, decode, looks_binary

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .locate.fit import Tear
    from .locate.place import Placed
    from .naming import Tree


class Done(NamedTuple):
    """What became of one operation: splices where lines changed, what to know."""

    splices: tuple[Splice, ...] = ()
    notes: tuple[Note, ...] = ()


class Draft:
    """A file on its way through the patch: as it was, and as it is after the operations so far.

    Edits gather in a round, and are made when something has to see their result.
    """

    __slots__ = ("before", "data", "exists", "failed", "mode", "round", "tears")

    def __init__(self, before: File | None) -> None:
        self.before = before
        self.exists = before is not None
        self.mode = before.mode if before else 0o644
        self.data = before.data if before else b""  # as it is but for the round
        self.round: Round | None = None
        self.failed = 0  # how many operations on it found no place
        self.tears: dict[int, list[Tear]] = {}

    def write(self, data: bytes) -> None:
        """Give the file new contents, whatever was there."""
        self.exists, self.data, self.round, self.tears = True, data, None, {}

    def remove(self) -> None:
        """Take the file away."""
        self.exists, self.data, self.round = False, b"", None

    def page(self, path: str) -> Page:
        """The text that the round is looked up in."""
        if self.round is None:
            if looks_binary(self.data):
                raise Refused(Problem("not_text", f"{path} looks like binary data"))
            self.round = Round(Page(Text.read(self.data), path))
        return self.round.page

    def end_round(self) -> None:
        """Make what has settled."""
        if self.round is not None and (self.round.fits or self.round.final is not None):
            fits = self.round.fits
            if self.tears:
                from .locate.tears import follow

                self.tears = {number: follow(tears, fits) for number, tears in self.tears.items()}
            self.round = Round(self.round.result())

    def settle(self, number: int, op: Edit, placed: Placed, final: bool | None) -> None:
        """Add an edit to the round; what it tears apart is followed to the end of the patch."""
        assert self.round is not None
        self.round.add(op, placed, final)
        torn = [fit.tear for fit in placed.fits if fit.tear is not None]
        if torn:
            self.tears.setdefault(number, []).extend(torn)
            self.end_round()

    def after(self) -> File | None:
        """The file as it will be."""
        if not self.exists:
            return None
        self.end_round()
        return File(self.data if self.round is None else self.round.page.sheet.data(), self.mode)


class Work(NamedTuple):
    """What planning goes by: the tree, canonical names and drafts so far."""

    tree: Tree
    names: dict[str, str]
    drafts: dict[str, Draft]
    overwrite: bool | None
    elided: bool
    exact: bool


def plan(patch: Patch, tree: Tree, *, overwrite: bool | None = None) -> Plan:
    """What the patch would do to the tree. `overwrite`: None as the format says, True always, False never."""
    work = begin(patch, tree, overwrite)
    return finish(patch, work, [step(number, op, work) for number, op in enumerate(patch.ops, 1)])


def begin(patch: Patch, tree: Tree, overwrite: bool | None) -> Work:
    """What the steps of a plan share."""
    return Work(tree, {}, {}, overwrite, _may_elide(patch), patch.exact)


def finish(patch: Patch, work: Work, outcomes: list[Outcome]) -> Plan:
    """The plan, once every operation has had its step."""
    drafts = work.drafts
    for path, draft in drafts.items():
        _judge(path, draft, outcomes)
    changes = []
    for path, draft in drafts.items():
        after = draft.after()
        if after != draft.before:
            changes.append(FileChange(path, draft.before, after))
    return Plan(patch, tuple(changes), tuple(outcomes))


def _may_elide(patch: Patch) -> bool:
    """Whether any new line may stand for code left out; a no is certain."""
    hunks = [hunk for op in patch.ops if isinstance(op, Edit) for hunk in op.hunks]
    return may_hold_marks("\n".join([text for hunk in hunks for tag, text in hunk.lines if tag == "+"]))


def step(number: int, op: Op, work: Work) -> Outcome:
    """Carry out one operation on the drafts; one with problems leaves no trace in them."""
    path, drafts = op.path, work.drafts
    try:
        path = work.names.get(op.path) or canonical(work, op.path)
        notes: tuple[Note, ...] = ()
        draft = drafts.get(path) or draft_of(work, path)
        if not draft.exists and draft.before is None and not work.exact:
            if "#" in op.path:
                from .scoping import in_symbol, scope_of

                scope = scope_of(op, work)
                if scope:
                    path, notes, symbol = scope
                    done = in_symbol(number, op, path, work, symbol)
                    return Outcome(number, op, path, done.splices, (), notes + done.notes)
            if not isinstance(op, Write):
                path, notes = meant(op.path, work.tree, lambda other: exists(work, other))
            elif op.keep:
                path, notes = rewritten(op.path, op.text, work.tree, lambda other: _text(work, other))
            draft = draft_of(work, path)
        if isinstance(op, Edit):
            done = edit(number, op, path, work)
        else:
            from .fileops import carried_out

            done = carried_out(op, path, work)
        return Outcome(number, op, path, done.splices, (), notes + done.notes)
    except Refused as refused:
        failed = drafts.get(path)
        follows = failed is not None and failed.failed > 0
        if failed is not None:
            failed.failed += 1
        return Outcome(number, op, path, (), tuple(_placed(p, number, op, path, follows) for p in refused.problems))


def draft_of(work: Work, path: str) -> Draft:
    """The draft of a file by its canonical name, read at the first call."""
    if path not in work.drafts:
        work.drafts[path] = Draft(work.tree.read(path))
    return work.drafts[path]


def exists(work: Work, path: str) -> bool:
    """Whether a file is there, after the operations so far; a folder counts, so that it is named in the refusal."""
    try:
        return draft_of(work, path).exists
    except Refused:
        return True


def _text(work: Work, path: str) -> str | None:
    """What a file holds after the operations so far; None where there is none."""
    try:
        there = draft_of(work, work.tree.canonical(path)).after()
    except Refused:
        return None
    return None if there is None else decode(there.data)


def canonical(work: Work, path: str) -> str:
    """The one name of the file that a path means, looked up once."""
    if path not in work.names:
        work.names[path] = work.tree.canonical(path)
    return work.names[path]


def _placed(problem: Problem, number: int, op: Op, path: str, follows: bool) -> Problem:
    """The problem with its operation, path and line in the patch filled in."""
    detail = problem.detail
    kind = problem.kind
    if kind == "not_a_file" and isinstance(op, Delete):
        kind = op.no_file
    if follows and problem.kind in ("not_found", "ambiguous", "file_missing", "no_block"):
        detail += " (an earlier operation on this file failed; this may follow from it)"
    line = problem.patch_line or op.patch_line
    return problem._replace(kind=kind, path=problem.path or path, patch_line=line, op=number, detail=detail)


def _judge(path: str, draft: Draft, outcomes: list[Outcome]) -> None:
    """What the patch as a whole left torn goes to the operation that tore it."""
    if not draft.tears or not draft.exists:
        return
    from .locate.tears import judged

    draft.end_round()
    for number, tears in draft.tears.items():
        problems, notes = judged(tears, draft.page(path))
        outcome = outcomes[number - 1]
        placed = tuple(problem._replace(op=number) for problem in problems)
        outcomes[number - 1] = outcome._replace(problems=outcome.problems + placed, notes=outcome.notes + tuple(notes))


# ── one operation ────────────────────────────────────────────────────────────────────────────────


def edit(number: int, op: Edit, path: str, work: Work) -> Done:
    """Place an edit's hunks; they are made with the others of their round."""
    draft = work.drafts[path]
    if not draft.exists:
        raise Refused(missing(path, draft, work.tree))
    page, brief = draft.page(path), draft.failed >= EXPLAINED
    assert draft.round is not None
    placed = place_edit(page, op, work.elided, brief)
    if not draft.round.admits(op, placed) and not _is_nowhere(draft.round, op, placed):
        draft.end_round()
        page = draft.page(path)
        placed = place_edit(page, op, work.elided, brief)
    done = _settled(number, op, draft, placed) if _fits(placed) else _in_turns(number, op, path, draft, placed, work)
    draft.mode = op.mode or draft.mode
    return done


def _fits(placed: Placed) -> bool:
    return not placed.missing and not placed.problems


def _is_nowhere(settled: Round, op: Edit, placed: Placed) -> bool:
    """Whether an edit stands nowhere in the text of a round, nor in what the round writes."""
    nowhere = bool(placed.missing) and len(placed.missing) == len(op.hunks) and not placed.problems
    return nowhere and not settled.may_make_a_place(op)


def _settled(number: int, op: Edit, draft: Draft, placed: Placed) -> Done:
    """Add an edit that has its places to the round."""
    final = None
    for one in placed.fits:
        final = one.final if one.final is not None else final
    for said in op.hunks:
        if isinstance(said, Hunk) and said.where.final:
            final = said.where.final == "made"
    draft.settle(number, op, placed, final)
    return Done(tuple([made.splice for made in placed.fits]), tuple(placed.notes))


def _in_turns(number: int, op: Edit, path: str, draft: Draft, placed: Placed, work: Work) -> Done:
    """Settle an edit some of whose hunks have no place in the text as it is: one after another they may; or Refused."""
    page = draft.page(path)
    if placed.missing and page.has_lone_cr():
        # Lone CRs are content, unless only with them as line ends there is a place for every hunk.
        other = Page(Text.read(page.sheet.data(), lone_cr=True), path, page.habits(), page.edited)
        again = place_edit(other, op, work.elided, True)
        if _fits(again):
            draft.round = Round(other)
            return _settled(number, op, draft, again)
    lost = [problem for one in placed.missing for problem in one.problems]
    if placed.problems or len(placed.missing) == len(op.hunks):
        raise Refused(*placed.problems, *lost)
    # Models write hunks one after another: what is nowhere in the file may stand in the result of the others.
    later = op._replace(hunks=tuple(one.hunk for one in placed.missing))
    rest = place_edit(page.spliced(placed.fits), later, False, True)
    if not _fits(rest):
        raise Refused(*lost)
    done = _settled(number, op, draft, placed)
    draft.end_round()
    more = _settled(number, later, draft, rest)
    return Done(done.splices + more.splices, done.notes + more.notes)


def missing(path: str, draft: Draft, tree: Tree) -> Problem:
    """What to say of a file that isn't there."""
    if draft.before is not None:
        return Problem("file_missing", f"{path} is deleted by an earlier operation of this patch")
    others = tree.suggest(path)
    advice = f"Did you mean {' or '.join(others)}?" if others else ""
    return Problem("file_missing", f"{path} doesn't exist", advice=advice)
