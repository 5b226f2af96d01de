"""Patch and tree become a plan: every byte that will change, every problem, before anything is written. Pure."""

from __future__ import annotations

from .elision import may_hold_marks
from .errors import Problem, Refused
from .locate.page import Page
from .locate.place import EXPLAINED, place_edit
from .model import (
    LINK,
    Delete,
    Edit,
    File,
    FileChange,
    Hunk,
    Inside,
    Merge,
    Move,
    Note,
    Op,
    Outcome,
    Patch,
    Plan,
    Splice,
    Write,
)
from .naming import Named, check_whole_path, elsewhere, proven, spelt
from .record import NamedTuple
from .rounds import Round
from .text import Text, decode, encode, is_wide, looks_binary

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .locate.fit import Tear
    from .locate.place import Applied, Placed
    from .naming import Tree


class Done(NamedTuple):
    """What became of one operation: splices where lines changed, what to know."""

    splices: tuple[Splice, ...] = ()
    notes: tuple[Note, ...] = ()


class Draft:
    """A file on its way through the patch: as it was, and as it is after the operations so far.

    Edits gather in a round, and are made when something has to see their result.
    """

    __slots__ = ("applied", "before", "data", "encoding", "exists", "failed", "mode", "moved", "round", "tears")

    def __init__(self, before: File | None) -> None:
        self.before = before
        self.exists = before is not None
        self.mode = before.mode if before else 0o644
        self.data = before.data if before else b""  # as it is but for the round
        self.round: Round | None = None
        # Of its text, where a patch says more than ASCII: "" is UTF-8.
        self.encoding: str | None = None
        self.failed = 0  # how many operations on it found no place
        self.tears: dict[int, list[Tear]] = {}
        # Hunks that are applied already, each with the number of its operation.
        self.applied: list[tuple[int, Applied]] = []
        # The splices of each operation so far that moved lines.
        self.moved: list[tuple[Splice, ...]] = []

    def write(self, data: bytes) -> None:
        """Give the file new contents, whatever was there."""
        self.exists, self.data, self.round, self.encoding, self.tears = True, data, None, None, {}

    def remove(self) -> None:
        """Take the file away."""
        self.exists, self.data, self.round, self.encoding = False, b"", None, None

    def page(self, path: str) -> Page:
        """The text that the round is looked up in."""
        if self.round is None:
            if self.mode & LINK == LINK:
                raise Refused(by_then_a_link(path))
            refuse_binary(path, self.data)
            self.round = Round(Page(Text.read(self.data), path))
            self.round.page.moved = self.moved
        return self.round.page

    def result(self, path: str) -> Page:
        """The text with everything so far."""
        self.page(path)
        self.end_round()
        return self.page(path)

    def encoding_for(self, work: Work) -> str:
        """The encoding of the text; "" where all that the patch says is ASCII."""
        if self.encoding is None:
            if work.ascii:
                return ""
            from .encoding import encoding_of

            self.encoding = encoding_of(self.data)
        return self.encoding

    def end_round(self) -> None:
        """Make what has settled."""
        if self.round is not None and (self.round.fits or self.round.final is not None):
            if self.tears:
                from .locate.tears import follow

                self.tears = {number: follow(tears, self.round.fits) for number, tears in self.tears.items()}
            self.round = Round(self.round.result())

    def settle(self, number: int, op: Edit, placed: Placed, final: bool | None) -> None:
        """Add an edit to the round; what it tears apart is followed to the end of the patch."""
        assert self.round is not None
        self.round.add(op, placed, final)
        self.applied += [(number, one) for one in placed.applied]
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
    ascii: bool
    exact: bool
    patch: Patch


def plan(patch: Patch, tree: Tree, *, overwrite: bool | None = None) -> Plan:
    """What the patch would do to the tree. `overwrite`: None as the format says, True always, False never."""
    work = begin(patch, tree, overwrite)
    return finish(patch, work, [step(number, op, work) for number, op in enumerate(patch.ops, 1)])


def begin(patch: Patch, tree: Tree, overwrite: bool | None) -> Work:
    """What the steps of a plan share."""
    new, all_ascii = _new_text(patch)
    return Work(tree, {}, {}, overwrite, _may_elide(patch, new), all_ascii, patch.exact, patch)


def finish(patch: Patch, work: Work, outcomes: list[Outcome]) -> Plan:
    """The plan, once every operation has had its step."""
    drafts = work.drafts
    for path, draft in drafts.items():
        _judge(path, draft, outcomes)
        if draft.applied and draft.after() != draft.before:
            _judge_applied(path, draft, drafts, outcomes)
    _check_any(outcomes)
    changes = []
    for path, draft in drafts.items():
        after = draft.after()
        if after != draft.before:
            changes.append(FileChange(path, draft.before, after))
    return Plan(patch, tuple(changes), tuple(outcomes))


def _check_any(outcomes: list[Outcome]) -> None:
    """Where every operation turned out to be a quote, there is no patch."""
    if outcomes and all(any(note.kind == "quote" for note in outcome.notes) for outcome in outcomes):
        first = outcomes[0]
        advice = "Write the file's path alone on a line, then its new contents in a fence of its language."
        problem = Problem("no_patch", f"there is nothing to do: {first.notes[0].text}", first.path, advice=advice)
        outcomes[0] = first._replace(problems=(problem._replace(patch_line=first.op.patch_line, op=first.number),))


def _new_text(patch: Patch) -> tuple[str, bool]:
    """All new lines of the edits, which may stand for code left out; and whether all lines are ASCII."""
    lines = [line for op in patch.ops if isinstance(op, Edit) for hunk in op.hunks for line in hunk.lines]
    new = "\n".join([text for tag, text in lines if tag == "+"])
    return new, new.isascii() and "".join([text for tag, text in lines if tag != "+"]).isascii()


def _may_elide(patch: Patch, new: str) -> bool:
    """Whether any new line may stand for code left out; a no is certain."""
    if patch.literal:
        return False
    texts = [op.text for op in patch.ops if isinstance(op, Write)]
    if any(isinstance(op, Edit) and isinstance(op.whole, Write) for op in patch.ops):
        return True
    return may_hold_marks("\n".join([*texts, new]))


def step(number: int, op: Op, work: Work) -> Outcome:
    """Carry out one operation on the drafts; one with problems leaves no trace in them."""
    path, drafts = op.path, work.drafts
    try:
        if isinstance(op, Write) and op.only == "there" and not _is_there(work, op.path):
            return Outcome(number, op, path, notes=(passed_over(op, f"there is no file {op.path}"),))
        path = work.names.get(op.path) or canonical(work, op.path)
        notes: tuple[Note, ...] = ()
        link = link_of(op.path, work) if isinstance(op, Delete | Move) else ""
        path = link or path
        draft = drafts.get(path) or draft_of(work, path)
        if not link and not draft.exists and draft.before is None and not work.exact:
            if "#" in op.path:
                from .scoping import in_symbol, scope_of

                scope = scope_of(op, work)
                if scope:
                    path, notes, symbol = scope
                    done = in_symbol(number, op, path, work, symbol)
                    return Outcome(number, op, path, done.splices, (), notes + done.notes)
            path, spelling, notes = named(op, op.path, work)
            if isinstance(op, Delete | Move):
                path = link_of(spelling, work) or path
            draft = draft_of(work, path)
        if isinstance(op, Edit):
            if op.hunks and isinstance(op.hunks[0], Merge) and not work.overwrite:
                done = _merged(number, op, path, work)
            else:
                done = edit(number, op, path, work)
            moves = tuple([one for one in done.splices if len(one.lines) != one.end - one.start])
            draft.moved += [moves] if moves else []
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


def named(op: Op, path: str, work: Work) -> Named:
    """The file that an operation means by a path that isn't there as it is written; else the path itself."""
    if isinstance(op, Write) and not op.keep:
        return Named(canonical(work, path), path)
    found = spelt(path, work.tree, lambda other: exists(work, other))
    if exists(work, found.path):
        return found
    if isinstance(op, Write):
        check_whole_path(path, op.text, work.tree, lambda other: _text(work, other))
    return proven(op, path, work.tree, lambda other: _text(work, other)) or found


def link_of(path: str, work: Work) -> str:
    """The own path of a symbolic link, with a draft of the link itself: who deletes or moves it means that."""
    found = work.tree.link(path)
    if found is None:
        return ""
    own, target = found
    if own not in work.drafts:
        work.drafts[own] = Draft(File(encode(target), LINK | 0o777))
    return own


def passed_over(op: Op, why: str) -> Note:
    """The note on what only quotes a file, or names none."""
    return Note(f"what stands below {op.path} was read as a quote: {why}", op.path, op.patch_line, kind="quote")


def _is_there(work: Work, path: str) -> bool:
    """Whether a path, as it is written, names a file."""
    try:
        return draft_of(work, canonical(work, path)).exists
    except Refused:
        return False


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

    page = draft.result(path)
    for number, tears in draft.tears.items():
        problems, notes = judged(tears, page)
        outcome = outcomes[number - 1]
        placed = tuple(problem._replace(op=number) for problem in problems)
        outcomes[number - 1] = outcome._replace(problems=outcome.problems + placed, notes=outcome.notes + tuple(notes))


def _judge_applied(path: str, draft: Draft, drafts: dict[str, Draft], outcomes: list[Outcome]) -> None:
    """That nothing is to be done for a hunk may rest neither on lines that the patch adds nor on some that it removes.

    file   a      patch   after b add c      `c` is there, but in the end it would be nowhere
           b              remove c
           c
    """
    others = list(drafts.values())
    before = _flat(draft.before.data if draft.before else b"".join(o.before.data for o in others if o.before))
    later = draft.after()
    after = _flat(later.data if later else b"".join(file.data for o in others if (file := o.after())))
    for number, (patch_line, text) in draft.applied:
        if text in before and text in after:
            continue
        how = "removes" if text in before else "adds"
        detail = f"its new text stands in the file, but another part of the patch {how} it"
        problem = Problem("not_found", detail, path, patch_line, advice="Say once what the lines become.", op=number)
        outcome = outcomes[number - 1]
        outcomes[number - 1] = outcome._replace(problems=(*outcome.problems, problem))


def _flat(data: bytes) -> str:
    return decode(data).replace("\r\n", "\n").replace("\r", "\n")


class Overlaid:
    """A tree after a plan."""

    def __init__(self, tree: Tree, made: Plan) -> None:
        self.canonical, self.ending, self.suggest = tree.canonical, tree.ending, tree.suggest
        self.has_folder, self.link = tree.has_folder, tree.link
        self._tree = tree
        self._changed = {change.path: change.after for change in made.changes}

    def read(self, path: str) -> File | None:
        """The file as the plan leaves it."""
        return self._changed[path] if path in self._changed else self._tree.read(path)

    def lines(self, path: str) -> list[str]:
        """Its lines; none where it isn't there."""
        file = self.read(path)
        return Text.read(file.data).lines if file else []


# ── one operation ────────────────────────────────────────────────────────────────────────────────


def _merged(number: int, op: Edit, path: str, work: Work) -> Done:
    """Edit a file that is shown in part; Refused where that loses what the answer doesn't speak of."""
    draft = work.drafts[path]
    before, tears = draft.after(), draft.tears
    done = edit(number, op, path, work)
    after = draft.after()
    if before and after:
        from .shrinking import shrinking

        problem = shrinking(path, before.data, after.data, work.patch)
        if problem:
            draft.write(before.data)
            draft.tears = tears
            raise Refused(problem)
    return done


def edit(number: int, op: Edit, path: str, work: Work) -> Done:
    """Place an edit's hunks; they are made with the others of their round."""
    draft = work.drafts[path]
    if not draft.exists and draft.before is None and isinstance(op.whole, Write):
        from .fileops import carried_out

        return carried_out(op.whole, path, work)
    if not draft.exists:
        raise Refused(missing(path, draft, work.tree))
    if work.overwrite is False and any(isinstance(said, Inside) and said.is_whole_file for said in op.hunks):
        raise Refused(Problem("file_exists", f"{path} is there already and would be overwritten"))
    page, brief = draft.page(path), draft.failed >= EXPLAINED
    assert draft.round is not None
    if not work.ascii:
        from .encoding import spoken

        hunks = spoken(op.hunks, draft.encoding_for(work), path, lambda: draft.result(path).sheet.data())  # noqa: PLW0108 - the round ends only if it is asked
        op = op._replace(hunks=hunks)
        page = draft.page(path)
    placed = place_edit(page, op, work.elided, brief)
    if not draft.round.admits(op, placed) and not _is_nowhere(draft.round, op, placed):
        page = draft.result(path)
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
        page = draft.result(path)
        other = Page(Text.read(page.sheet.data(), lone_cr=True), path, page.habits(), page.edited)
        other.moved = page.moved
        again = place_edit(other, op, work.elided, True)
        if _fits(again):
            draft.round = Round(other)
            return _settled(number, op, draft, again)
    lost = [problem for one in placed.missing for problem in one.problems]
    if placed.problems or len(placed.missing) == len(op.hunks):
        raise Refused(*placed.problems, *lost)
    # Models write hunks one after another: what is nowhere in the file may stand in the result of the others.
    later = op._replace(hunks=tuple(one.hunk for one in placed.missing), whole=None)
    rest = place_edit(page.spliced(placed.fits), later, False, True)
    if not _fits(rest):
        raise Refused(*lost)
    done = _settled(number, op, draft, placed)
    draft.end_round()
    more = _settled(number, later, draft, rest)
    return Done(done.splices + more.splices, done.notes + more.notes)


def refuse_binary(path: str, data: bytes) -> None:
    """Refuse a file that is no text, or in no encoding that holds ASCII."""
    if is_wide(data):
        raise Refused(Problem("not_text", f"{path} is in UTF-16 or UTF-32, which is not edited"))
    if looks_binary(data):
        raise Refused(Problem("not_text", f"{path} looks like binary data"))


def by_then_a_link(path: str) -> Problem:
    """What to say of a link that the patch has moved, where its contents are asked for."""
    detail = f"{path} is a symbolic link that this patch moves there"
    return Problem("not_a_file", detail, advice="Edit the file that it leads to by its own path.")


def missing(path: str, draft: Draft, tree: Tree) -> Problem:
    """What to say of a file that isn't there."""
    if draft.before is not None:
        return Problem("file_missing", f"{path} is deleted by an earlier operation of this patch")
    others = elsewhere(path, tree)[:3] or tree.suggest(path)
    advice = f"Did you mean {' or '.join(others)}?" if others else ""
    return Problem("file_missing", f"{path} doesn't exist", advice=advice)
