"""Patch and tree become a plan: every byte that will change, every problem, before anything is written. Pure."""

from __future__ import annotations

from .elision import may_hold_marks
from .errors import Problem, Refused
from .locate.page import INDEX_PAYS, SOUGHT, Page
from .locate.place import place_edit
from .locate.quick import line_for_line
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
from .text import Sheet, decode, encode, is_wide, looks_binary

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from .locate.fit import Fit, Tear
    from .locate.place import Applied, Placed
    from .locate.sheaf import Sheaf
    from .model import Said
    from .naming import Tree


class Done(NamedTuple):
    """What became of one operation: splices where lines changed, what to know."""

    splices: tuple[Splice, ...] = ()
    notes: tuple[Note, ...] = ()


class Draft:
    """A file on its way through the patch: as it was, and as it is after the operations so far."""

    __slots__ = (
        "_page", "applied", "before", "credit", "encoding", "exists", "failed", "mode", "moved", "other", "sheaf",
        "tears", "written",
    )  # fmt: skip

    def __init__(self, before: File | None) -> None:
        self.before = before
        self.exists = before is not None
        self.mode = before.mode if before else 0o644
        self._page: Page | None = None
        # Edits that are gathered and not made yet; how many lines may be looked through to gather more: at first any.
        self.sheaf: Sheaf | None = None
        self.credit = 1 << 40
        self.written = before.data if before else b""
        # Of its text, where a patch says more than ASCII: "" is UTF-8.
        self.encoding = ""
        self.failed = False
        # The text read in another way, and of which version.
        self.other: tuple[int, Page | None] = (-1, None)
        self.tears: dict[int, list[Tear]] = {}
        # Hunks that are applied already, each with the number of its operation.
        self.applied: list[tuple[int, Applied]] = []
        # The splices of each operation so far that moved lines.
        self.moved: list[tuple[Splice, ...]] = []

    @property
    def page(self) -> Page | None:
        """The text on its way, with all that was gathered."""
        if self.sheaf is not None:
            sheaf, self.sheaf = self.sheaf, None
            sheaf.make()
        return self._page

    @page.setter
    def page(self, page: Page | None) -> None:
        self._page, self.sheaf, self.other = page, None, (-1, None)

    def settle(self) -> None:
        """Keep only the bytes, where no more is to come: the next file takes the memory."""
        if self.page is not None and not self.tears:
            # Page and sheet know each other; apart they go at once, collector or not.
            self.page.sheet.watchers.clear()
            self.written, self.page = self.page.data(), None

    def after(self) -> File | None:
        """The file as it will be."""
        if not self.exists:
            return None
        return File(self.page.data() if self.page else self.written, self.mode)


class Work(NamedTuple):
    """What planning goes by: the tree, canonical names and drafts so far, what is said of each path, its last op."""

    tree: Tree
    names: dict[str, str]
    drafts: dict[str, Draft]
    said: dict[str, list[Said]]
    last: dict[str, int]
    overwrite: bool | None
    elided: bool
    ascii: bool
    exact: bool
    sought: list[int]
    patch: Patch


def plan(patch: Patch, tree: Tree, *, overwrite: bool | None = None) -> Plan:
    """What the patch would do to the tree. `overwrite`: None as the format says, True always, False never."""
    work = begin(patch, tree, overwrite)
    return finish(patch, work, [step(number, op, work) for number, op in enumerate(patch.ops, 1)])


def begin(patch: Patch, tree: Tree, overwrite: bool | None) -> Work:
    """What the steps of a plan share."""
    last = {op.path: number for number, op in enumerate(patch.ops, 1)}
    said = _said(patch)
    new, all_ascii = _new_text(said)
    return Work(tree, {}, {}, said, last, overwrite, _may_elide(patch, new), all_ascii, patch.exact, [0], patch)


def finish(patch: Patch, work: Work, outcomes: list[Outcome]) -> Plan:
    """The plan, once every operation has had its step."""
    drafts = work.drafts
    for path, draft in drafts.items():
        _judge(draft, outcomes)
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


def _new_text(said: dict[str, list[Said]]) -> tuple[str, bool]:
    """All new lines of the edits, which may stand for code left out; and whether all lines are ASCII."""
    lines = [line for hunks in said.values() for hunk in hunks for line in hunk.lines]
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


def _said(patch: Patch) -> dict[str, list[Said]]:
    """The hunks that each path as written has: how many decides how the file is searched."""
    found: dict[str, list[Said]] = {}
    for op in patch.ops:
        if isinstance(op, Edit):
            found.setdefault(op.path, []).extend(op.hunks)
    return found


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
            if work.last.get(op.path) == number:
                draft.settle()
        else:
            from .fileops import carried_out

            done = carried_out(op, path, work)
        return Outcome(number, op, path, done.splices, (), notes + done.notes)
    except Refused as refused:
        failed = drafts.get(path)
        follows = failed is not None and failed.failed
        if failed is not None:
            failed.failed = True
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


def _judge(draft: Draft, outcomes: list[Outcome]) -> None:
    """What the patch as a whole left torn goes to the operation that tore it."""
    if not draft.tears or draft.page is None:
        return
    from .locate.tears import judged

    for number, tears in draft.tears.items():
        problems, notes = judged(tears)
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
            draft.page, draft.written, draft.tears = None, before.data, tears
            raise Refused(problem)
    return done


def edit(number: int, op: Edit, path: str, work: Work) -> Done:
    """Place an edit's hunks and splice them into the draft."""
    draft = work.drafts[path]
    if not draft.exists and draft.before is None and isinstance(op.whole, Write):
        from .fileops import carried_out

        return carried_out(op.whole, path, work)
    if not draft.exists:
        raise Refused(missing(path, draft, work.tree))
    if work.overwrite is False and any(isinstance(said, Inside) and said.is_whole_file for said in op.hunks):
        raise Refused(Problem("file_exists", f"{path} is there already and would be overwritten"))
    if draft.sheaf is None:
        check_text(work, path, work.said.get(op.path, ()))
    if not work.ascii:
        from .encoding import spoken

        op = op._replace(hunks=spoken(op.hunks, draft.encoding, path, lambda: draft.page.data() if draft.page else b""))
    gathered = _gathered(draft, op, work)
    if gathered is not None:
        return gathered
    page = draft.page
    assert page is not None
    if not page.sheet.is_split and not work.elided and not op.mode and len(op.hunks) == 1:
        quick = line_for_line(page, op.hunks[0]) if isinstance(op.hunks[0], Hunk) else None
        if quick is not None:
            return Done((quick,))
    placed = place_edit(page, op, work.elided)
    fits = not placed.missing and not placed.problems
    done = _spliced(number, draft, placed) if fits else _in_turns(number, op, path, work, placed)
    draft.mode = op.mode or draft.mode
    for said in op.hunks:
        if isinstance(said, Hunk) and said.where.final and draft.page is not None:
            draft.page.sheet.end_with(said.where.final == "made")
    return done


def _gathered(draft: Draft, op: Edit, work: Work) -> Done | None:
    """An edit that is certain at a glance, put to others like it, in a file that has many."""
    if draft.sheaf is None:
        page = draft.page
        if page is None or page.searches < INDEX_PAYS or not page.sheet.plain or draft.tears:
            return None
        if draft.credit < len(page.lines) + page.searches:
            return None
        from .locate.sheaf import Sheaf

        draft.credit = 0
        draft.sheaf = Sheaf(page)
    done = draft.sheaf.gather(op, work.elided)
    if done is None:
        return None
    draft.credit += _EARNED * len(op.hunks)
    return Done(*done)


# For each hunk that was gathered so many lines may be looked through to gather others, once the first lot is made.
_EARNED = 64


def _in_turns(number: int, op: Edit, path: str, work: Work, placed: Placed) -> Done:
    """Splice an edit some of whose hunks have no place in the text as it is: one after another they may; or Refused."""
    draft = work.drafts[path]
    assert draft.page is not None
    other = _with_short_lines(draft, path, work) if placed.missing and draft.page.has_lone_cr() else None
    if other is not None:
        again = place_edit(other, op, work.elided)
        if not again.missing and not again.problems:
            draft.page, placed = other, again
    lost = [problem for one in placed.missing for problem in one.problems] if placed.missing else []
    if placed.problems or (lost and len(placed.missing) == len(op.hunks)):
        raise Refused(*placed.problems, *lost)
    take_back = _way_back(draft, placed) if lost else None
    done = _spliced(number, draft, placed)
    if take_back is not None:
        # Models write hunks one after another: what is nowhere in the file may stand in the result of the others.
        draft.page.missed = 0
        rest = place_edit(draft.page, op._replace(hunks=tuple(one.hunk for one in placed.missing), whole=None), False)
        if rest.problems or rest.missing:
            take_back()
            raise Refused(*lost)
        later = _spliced(number, draft, rest)
        done = Done(done.splices + later.splices, done.notes + later.notes)
    return done


def _with_short_lines(draft: Draft, path: str, work: Work) -> Page | None:
    """The text with lone CRs as line ends: they are content, unless only this reading has a place for a hunk.

    Made once for each text it is asked of, as long as a patch doesn't ask that of very many lines.
    """
    page = draft.page
    assert page is not None
    version, other = draft.other
    if version != page.sheet.version and work.sought[0] < SOUGHT:
        work.sought[0] += len(page.lines)
        other = Page(Sheet(page.sheet.data(), lone_cr=True), path, page.searches, work.sought)
        draft.other = (page.sheet.version, other)
    return other if draft.other[0] == page.sheet.version else None


def check_text(work: Work, path: str, said: Sequence[Said]) -> None:
    """Make a file's page, where it is text; `said`: what is to be looked for in it."""
    draft = work.drafts[path]
    if draft.page is None:
        if draft.mode & LINK == LINK:
            raise Refused(by_then_a_link(path))
        refuse_binary(path, draft.written)
        draft.page = Page(Sheet(draft.written), path, len(said) or 1, work.sought)
        draft.page.said, draft.page.moved = said, draft.moved
        if not work.ascii:
            from .encoding import encoding_of

            draft.encoding = encoding_of(draft.written)


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


def _spliced(number: int, draft: Draft, placed: Placed) -> Done:
    """Make the splices of an edit."""
    assert draft.page is not None
    draft.applied += [(number, one) for one in placed.applied]
    sheet, fits, torn = draft.page.sheet, placed.fits, draft.tears != {}
    if sheet.pays(len(fits)) and not torn and all(map(_is_plain, fits)):
        sheet.splice_all([made.splice[:3] for made in fits])
        return Done(tuple([made.splice for made in fits]), tuple(placed.notes))
    for made in reversed(fits):
        splice = made.splice
        sheet.splice(splice.start, splice.end, splice.lines, made.ends)
        if made.final is not None:
            sheet.end_with(made.final)
        torn = torn or made.tear is not None
    if torn:
        from .locate.tears import follow

        untorn = [made._replace(tear=None) for made in fits]
        draft.tears = {other: follow(tears, untorn) for other, tears in draft.tears.items()}
        draft.tears[number] = draft.tears.get(number, []) + follow([], fits)
    return Done(tuple([made.splice for made in fits]), tuple(placed.notes))


def _is_plain(made: Fit) -> bool:
    """Whether a fit is no more than lines with their usual line ends in the place of others."""
    return made.tear is None and made.final is None and made.ends.count("\n") == len(made.ends)


def _way_back(draft: Draft, placed: Placed) -> Callable[[], None]:
    """What takes the splices of an edit back, so that an operation that fails leaves no trace."""
    assert draft.page is not None
    sheet, tears = draft.page.sheet, draft.tears
    final = sheet.final
    spans = [made.splice[:2] for made in placed.fits]
    olds = [(sheet.lines[start:end], sheet.ends[start:end]) for start, end in spans]

    def take_back() -> None:
        for made, (lines, ends) in zip(placed.fits, olds, strict=True):
            start = made.splice.start
            sheet.splice(start, start + len(made.splice.lines), lines, ends)
        sheet.end_with(final)
        draft.tears = tears

    return take_back


def missing(path: str, draft: Draft, tree: Tree) -> Problem:
    """What to say of a file that isn't there."""
    if draft.before is not None:
        return Problem("file_missing", f"{path} is deleted by an earlier operation of this patch")
    others = elsewhere(path, tree)[:3] or tree.suggest(path)
    advice = f"Did you mean {' or '.join(others)}?" if others else ""
    return Problem("file_missing", f"{path} doesn't exist", advice=advice)
