"""Drafts: the files of a patch as they are after the operations so far, and the edits made to them. Pure.

The edits of a file gather in rounds (`rounds.py`). A symbol, and a cell of a notebook, is a draft of its own: an edit
of it is looked up there, and what becomes of it is put back into the file.
"""

from __future__ import annotations

from ..match.assign import EXPLAINED, Placed, place_edit
from ..match.files import missing
from ..match.search import Page
from ..match.splices import Fit
from ..model import LINK, Edit, File, Inside, Merge, Splice
from ..problems import Problem, Refused
from ..record import NamedTuple
from ..text import Text, decode, encode, is_wide, looks_binary, utf_16
from .rounds import Round

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..match.assign import Applied, Care
    from ..match.files import Tree
    from ..match.notebook import Cell
    from ..match.splices import Repeat, Tear
    from ..model import Note, Op, Patch


class Done(NamedTuple):
    """What became of one operation: splices where lines changed, what to know."""

    splices: tuple[Splice, ...] = ()
    notes: tuple[Note, ...] = ()


class Draft:
    """A file on its way through the patch: as it was, and as it is after the operations so far.

    Edits gather in a round, and are made when something has to see their result.
    """

    __slots__ = (
        "applied", "before", "data", "encoding", "exists", "failed", "mode", "moved", "repeats", "round", "tears",
        "wide",
    )  # fmt: skip

    def __init__(self, before: File | None) -> None:
        self.before = before
        self.exists = before is not None
        self.mode = before.mode if before else 0o644
        # As it is but for the round. Of a file in UTF-16, which `wide` names, the text in UTF-8.
        self.data, self.wide = _narrow(before.data if before else b"")
        self.round: Round | None = None
        # Of its text, where a patch says more than ASCII: "" is UTF-8.
        self.encoding: str | None = None
        self.failed = 0  # how many operations on it found no place
        self.tears: dict[int, list[Tear]] = {}
        # Lines that would be there twice, and hunks that are applied already, each with the number of its operation.
        self.repeats: list[tuple[int, Repeat]] = []
        self.applied: list[tuple[int, Applied]] = []
        # The splices of each operation so far that moved lines.
        self.moved: list[tuple[Splice, ...]] = []

    def write(self, data: bytes) -> None:
        """Give the file new contents, whatever was there."""
        self.exists, self.round, self.encoding, self.tears = True, None, None, {}
        self.data, self.wide = _narrow(data)

    def remove(self) -> None:
        """Take the file away."""
        self.exists, self.data, self.round, self.encoding = False, b"", None, None

    def page(self, path: str) -> Page:
        """The text that the round is looked up in."""
        if self.round is None:
            if self.mode & LINK == LINK:
                raise Refused(moved_link(path))
            refuse_binary(path, self.data)
            page = Page(Text.read(self.data), path)
            page.moved = self.moved
            self.round = Round(page)
        return self.round.page

    def result(self, path: str) -> Page:
        """The text with everything so far."""
        self.page(path)
        self.end_round()
        return self.page(path)

    def encoding_for(self, signs: str) -> str:
        """The encoding of the text; "" where all that the patch says is ASCII. `signs`: as in `Work`."""
        if self.encoding is None:
            if signs == "ascii":
                return ""
            from ..match.encoding import encoding_of

            self.encoding = encoding_of(self.data)
        return self.encoding

    def end_round(self) -> None:
        """Make what has settled."""
        settled = self.round
        if settled is not None and settled.sheet() is not settled.page.sheet:
            if self.tears:
                from ..match.splices import follow

                self.tears = {number: follow(tears, settled.fits) for number, tears in self.tears.items()}
            self.round = Round(settled.page.spliced(settled.fits, sheet=settled.sheet()))

    def settle(self, number: int, op: Edit, placed: Placed, final: bool | None = None) -> None:
        """Add an edit to the round; what it tears apart is followed to the end of the patch."""
        assert self.round is not None
        self.round.add(op, placed, final)
        for one in placed.applied:
            self.applied.append((number, one))
        for fit in placed.fits:
            if fit.repeat is not None:
                self.repeats.append((number, fit.repeat))
        torn = [fit.tear for fit in placed.fits if fit.tear is not None]
        if torn:
            self.tears.setdefault(number, []).extend(torn)
            self.end_round()

    def after(self) -> File | None:
        """The file as it will be."""
        if not self.exists:
            return None
        data = self.data if self.round is None else self.round.sheet().data()
        return File(decode(data).encode(self.wide) if self.wide else data, self.mode)


def _narrow(data: bytes) -> tuple[bytes, str]:
    """A file's text in UTF-8, and which UTF-16 it is in; "" of any other, which is taken as it is."""
    wide = utf_16(data) if data[:1] in (b"\xff", b"\xfe") else ""
    return (encode(data.decode(wide)) if wide else data), wide


class Work(NamedTuple):
    """What planning goes by: the tree, and the canonical names and drafts of its files so far.

    `signs`: what the lines of its edits hold: "ascii", "whole" characters of any kind, or also "halves" of some.
    """

    tree: Tree
    names: dict[str, str]
    drafts: dict[str, Draft]
    overwrite: bool | None
    care: Care
    signs: str
    patch: Patch

    def canonical(self, path: str) -> str:
        """The one name of the file that a path means, looked up once."""
        if path not in self.names:
            self.names[path] = self.tree.canonical(path)
        return self.names[path]

    def draft(self, path: str) -> Draft:
        """The draft of a file by its canonical name, read at the first call."""
        if path not in self.drafts:
            self.drafts[path] = Draft(self.tree.read(path))
        return self.drafts[path]

    def link(self, path: str) -> str:
        """The own path of a symbolic link, with a draft of the link itself: who deletes or moves it means that."""
        found = self.tree.link(path)
        if found is None:
            return ""
        own, target = found
        if own not in self.drafts:
            self.drafts[own] = Draft(File(encode(target), LINK | 0o777))
        return own

    def exists(self, path: str, *, refused: bool = True) -> bool:
        """Whether a file is there, after the operations so far; a folder counts, so that it is named in the refusal.

        `refused`: what to say of a path that may not be touched, or is a folder.
        """
        try:
            return self.draft(self.canonical(path)).exists
        except Refused:
            return refused

    def peek(self, path: str) -> str | None:
        """What a file holds after the operations so far, without a draft: it may not be meant. None for no file."""
        try:
            there = self.drafts[path].after() if path in self.drafts else self.tree.read(path)
        except Refused:
            return None
        return None if there is None else decode(there.data)


def refuse_binary(path: str, data: bytes) -> None:
    """Refuse a file that is no text, or in no encoding that holds ASCII."""
    if looks_binary(data):
        detail = "is in UTF-16 or UTF-32 and can't be edited like this" if is_wide(data) else "looks like binary data"
        raise Refused(Problem("not_text", f"{path} {detail}"))


def moved_link(path: str) -> Problem:
    """What to say of a link that the patch has moved, where its contents are asked for."""
    detail = f"{path} will be a symbolic link, which this patch moves there"
    return Problem("not_a_file", detail, advice="Edit the file it points to by its own path.")


def gone(path: str, work: Work) -> Problem:
    """What to say of a file that isn't there, or not any more."""
    if work.drafts[path].before is None:
        return missing(path, work.tree)
    advice = "Don't delete it, or create it again before editing it."
    return Problem("file_missing", f"{path} is deleted by an earlier part of this patch", advice=advice)


# ── edits ────────────────────────────────────────────────────────────────────────────────────────


def edit(number: int, op: Edit, path: str, work: Work) -> Done:
    """Place an edit's hunks; they are made with the others of their round."""
    draft = work.drafts[path]
    if not draft.exists:
        raise Refused(gone(path, work))
    if work.overwrite is False and any(isinstance(said, Inside) and said.is_whole_file for said in op.hunks):
        raise Refused(Problem("file_exists", f"{path} already exists and would be overwritten"))
    page, care = draft.page(path), work.care
    if draft.failed >= EXPLAINED:
        care = care._replace(brief=True)
    assert draft.round is not None
    if work.signs != "ascii" and (work.signs == "halves" or draft.encoding_for(work.signs)):
        from ..match.encoding import spoken

        hunks = spoken(op.hunks, draft.encoding_for(work.signs), path, lambda: draft.result(path).sheet.data())  # noqa: PLW0108 - the round ends only if it is asked
        op = op._replace(hunks=hunks)
        page = draft.page(path)
    placed = place_edit(page, op, care)
    if not draft.round.admits(op, placed) and not _is_nowhere(draft.round, op, placed):
        page = draft.result(path)
        placed = place_edit(page, op, care)
    if op.hunks and isinstance(op.hunks[0], Merge) and not work.overwrite:
        _check_part(path, page, placed, work.patch, bool(op.hunks[0].marks))
    if _has_places(placed):
        done = _settle(number, op, draft, placed)
    else:
        done = _in_turns(number, op, path, draft, placed, work)
    draft.mode = op.mode or draft.mode
    return done


def _check_part(path: str, page: Page, placed: Placed, patch: Patch, marked: bool) -> None:
    """Refuse a file shown in part that would lose what the answer doesn't speak of."""
    from ..match.whole_text import shrinking

    after = page.spliced(placed.fits).sheet.data()
    if _has_places(placed) and (problem := shrinking(path, page.sheet.data(), after, patch, unmarked=not marked)):
        raise Refused(problem)


def _has_places(placed: Placed) -> bool:
    return not placed.missing and not placed.problems


def _is_nowhere(settled: Round, op: Edit, placed: Placed) -> bool:
    """Whether an edit stands nowhere in the text of a round, nor in what the round writes."""
    nowhere = bool(placed.missing) and len(placed.missing) == len(op.hunks) and not placed.problems
    return nowhere and not settled.may_make_a_place(op)


def _settle(number: int, op: Edit, draft: Draft, placed: Placed) -> Done:
    """Add an edit that has its places to the round."""
    final = None
    for one in placed.fits:
        final = one.final if one.final is not None else final
    for said in op.hunks:
        if said.where.final:
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
        again = place_edit(other, op, work.care._replace(brief=True))
        if _has_places(again):
            draft.round = Round(other)
            return _settle(number, op, draft, again)
    lost = [problem for one in placed.missing for problem in one.problems]
    if placed.problems or len(placed.missing) == len(op.hunks):
        raise Refused(*placed.problems, *lost)
    # Models write hunks one after another: what is nowhere in the file may stand in the result of the others.
    later = op._replace(hunks=tuple(one.hunk for one in placed.missing), whole=None)
    rest = place_edit(page.spliced(placed.fits), later, work.care._replace(elided=False, brief=True))
    if not _has_places(rest):
        raise Refused(*lost)
    done = _settle(number, op, draft, placed)
    draft.end_round()
    more = _settle(number, later, draft, rest)
    return Done(done.splices + more.splices, done.notes + more.notes)


# ── edits of a part: a symbol, a cell of a notebook ──────────────────────────────────────────────


def edit_symbol(number: int, op: Op, path: str, work: Work, symbol: str) -> Done:
    """An operation on one symbol: what it changes it finds there, and what it writes takes the symbol's place."""
    from ..match.symbol_edits import as_whole_symbol, lowered, part, put_back, symbol_on

    draft = work.drafts[path]
    if not isinstance(op, Edit):
        return edit(number, Edit(path, (as_whole_symbol(op, symbol),), op.patch_line, op.label), path, work)
    page = draft.result(path)
    found = symbol_on(page, symbol, None, as_text=True, brief=draft.failed >= EXPLAINED)
    if isinstance(found, Problem):
        raise Refused(found)
    inner = Draft(File(b""))
    inner.encoding, inner.round = draft.encoding_for(work.signs), Round(part(page, found))
    try:
        done = edit(number, op, path, work._replace(drafts={path: inner}))
        problems, notes = _torn(inner, path, number)
    except Refused as refused:
        raise Refused(*(lowered(problem, found) for problem in refused.problems)) from None
    if problems:
        raise Refused(*(lowered(problem, found) for problem in problems))
    draft.applied += inner.applied
    draft.settle(number, op, Placed([put_back(page, found, inner.result(path).sheet)], [], []))
    moved = [s._replace(start=s.start + found.first, end=s.end + found.first) for s in done.splices]
    return Done(tuple(moved), done.notes + tuple(notes))


def _torn(draft: Draft, path: str, number: int) -> tuple[list[Problem], list[Note]]:
    """What an operation left torn in a text of its own."""
    if not draft.tears:
        return [], []
    from ..match.splices import judged

    page = draft.result(path)
    return judged(draft.tears.get(number, []), page)


def edit_notebook(number: int, op: Edit, path: str, work: Work) -> Done:
    """An edit of a notebook: in the source of the one cell that it fits, else in the text of the file."""
    from ..match.notebook import cells, is_json

    draft = work.drafts[path]
    page = draft.result(path)
    found = cells(page.lines)
    changes = _changed_cells(number, op, path, work, page, found)
    if not changes:
        done = edit(number, op, path, work)
        if found and not is_json(draft.result(path).sheet.text):
            draft.write(page.sheet.data())
            advice = "Write lines of a cell's source, or the lines of the file with their quotes."
            raise Refused(Problem("syntax", "the notebook would no longer be valid JSON", advice=advice))
        return done
    if len(changes) > 1:
        rows = ", ".join(str(splice.start + 1) for splice, _ in changes[:5])
        detail = f"the text fits in {len(changes)} cells (lines {rows})"
        raise Refused(Problem("ambiguous", detail, advice="Add neighbouring lines from the cell that is meant."))
    splice, done = changes[0]
    draft.settle(number, op, Placed([Fit(splice, [page.sheet.eol] * len(splice.lines))], [], []))
    return Done((splice,), done.notes)


def _changed_cells(
    number: int, op: Edit, path: str, work: Work, page: Page, found: list[Cell]
) -> list[tuple[Splice, Done]]:
    """What an edit makes of the cells that it names, else of each cell that it fits."""
    from ..match.notebook import replaced, whole

    changes: list[tuple[Splice, Done]] = []
    for said in op.hunks:
        if isinstance(said, Inside) and found:
            made = whole(page.lines, found, said)
            if isinstance(made, Problem):
                raise Refused(made)
            changes.append((made, Done((made,))))
    for cell in found if not changes else ():
        inner = Draft(File("\n".join(cell.lines).encode("utf-8", "surrogateescape")))
        try:
            done = edit(number, op, path, work._replace(drafts={path: inner}))
        except Refused:
            continue
        source = inner.result(path).lines
        if source != cell.lines:
            changes.append((replaced(page.lines, cell, source), done))
    return changes
