"""Drafts: the files of a patch as they are after the operations so far, and the edits made to them. Pure.

The edits of a file gather in rounds (`rounds.py`). A symbol, or a cell of a notebook, becomes a draft of its own: an
edit of it is looked up there, and the result is put back into the file.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from ..model import LINK, AppliedSplices, Edit, File, Hunk, LineSplice, Merge, Note, Op, Patch, Spans, SymbolEdit
from ..problems import EXPLAINED, Near, Problem, Refused
from ..text import BINARY_STARTS, Splice, Text, encode, is_wide, looks_binary, utf_16
from . import rounds
from .claims import Candidates, Prose
from .explain import no_place
from .files import missing
from .place import Context, PlacedHunk, Placement, locate, place_hunks

if TYPE_CHECKING:
    from ..hints import ProblemKind
    from .files import Tree
    from .notebook import Notebook
    from .rounds import Written
    from .symbol_edits import SourceText, SymbolTable

_SEARCHED = (
    20  # failed edits of a file; the edits after them are looked for in one text, not in the result of each round
)


class Done(NamedTuple):
    """The splices that an operation made, and what to know about it."""

    applied: tuple[AppliedSplices, ...] = ()
    notes: tuple[Note, ...] = ()


class Draft:
    """A file as it was, and as it is after the operations so far.

    `source`: the contents without the edits of the current round. `utf_16`: which one the file is in, else "".
    `encoding`: "" for UTF-8; None until it is asked for. `symbols`: None until they are asked for. `failed`: how many
    operations on the file were refused. `as_read`: the text before any edit.

    Of the round: `text`, in which its edits are looked up; None before the first. `placed`: the hunks of its edits.
    `splices`: theirs, and those of edits that name their place. `final`: see `Placement`. `is_closed`: nothing can be
    added. `written`: the lines it has written so far, by whether they are compared exactly.
    """

    def __init__(self, before: File | None, path: str) -> None:
        self.before, self.path = before, path
        self.mode = before.mode if before else 0o644
        self.failed = 0
        self.write(before or File(b""))
        self.exists = before is not None

    def write(self, contents: File) -> None:
        """Give the file new contents, whatever it was before."""
        self.exists = True
        self.as_read: Text | None = None
        self.encoding: str | None = None
        self.symbols: SymbolTable | None = None
        self.source, self.utf_16 = contents.text, ""
        if self.source[:1] in ("\udcff", "\udcfe"):
            self.utf_16 = utf_16(contents.data)
            self.source = contents.data.decode(self.utf_16) if self.utf_16 else self.source
        self.begin_round(None)

    def remove(self) -> None:
        """Delete the file."""
        self.write(File(b""))
        self.exists = False

    def begin_round(self, text: Text | None) -> None:
        """Begin a round of edits that are looked up in this text."""
        self.text = text
        self.placed: list[PlacedHunk] = []
        self.splices: list[Splice] = []
        self.final: bool | None = None
        self.is_closed = False
        self.written: dict[bool, Written] = {}

    def opened(self) -> Text:
        """Return the text that edits are looked up in; refuse a file that has none."""
        if self.text is None:
            if self.mode & LINK == LINK:
                raise Refused(moved_link(self.path))
            refuse_binary(self.path, self.source)
            self.text = self.as_read = Text.of(self.source)
        return self.text

    def result(self) -> Text:
        """Return the text with everything so far, and begin a new round with it."""
        text = self.opened()
        if self.splices or self.final is not None:
            text = text.apply(self.splices, self.final)
            self.source = text.source
            self.begin_round(text)
        return text

    def after(self) -> File | None:
        """Return the file as it will be."""
        if not self.exists:
            return None
        source = self.source
        if self.text is not None and (self.splices or self.final is not None):
            source = self.text.apply(self.splices, self.final).source
        return File(source.encode(self.utf_16), self.mode) if self.utf_16 else File.of_text(source, self.mode)


class Work:
    """The state that the steps of a plan share: the tree, and the canonical names and drafts of its files so far.

    `overwrite`: as the caller says, None if the format decides. `answer`: the text that the patch was read from.
    """

    def __init__(self, tree: Tree, patch: Patch, overwrite: bool | None, answer: str = "") -> None:
        self.tree, self.patch, self.overwrite = tree, patch, overwrite
        self.beside = Prose(answer, patch).beside  # returns the texts next to a hunk, nearest first
        self.names: dict[str, str] = {}
        self.drafts: dict[str, Draft] = {}

    def canonical(self, path: str) -> str:
        """Return the one name of the file at a path, looked up once."""
        if path not in self.names:
            self.names[path] = self.tree.canonical(path)
        return self.names[path]

    def draft(self, path: str) -> Draft:
        """Return the draft of a file by its canonical name."""
        if path not in self.drafts:
            self.drafts[path] = Draft(self.tree.read(path), path)
        return self.drafts[path]

    def link(self, path: str) -> str:
        """Return the own path of a symbolic link, and make a draft of the link itself; "" if the path isn't a link."""
        link = self.tree.link(path)
        if link is None:
            return ""
        own, target = link
        if own not in self.drafts:
            self.drafts[own] = Draft(File(encode(target), LINK | 0o777), own)
        return own

    def exists(self, path: str, *, refused: bool = True) -> bool:
        """Return True if a file exists after the operations so far.

        `refused`: what to return for a folder, or a path that may not be touched. By default they count as files, so
        that the refusal names them.
        """
        try:
            return self.draft(self.canonical(path)).exists
        except Refused:
            return refused

    def peek(self, path: str) -> str | None:
        """Return the text of a file after the operations so far without making a draft of it; None for no file."""
        try:
            file = self.drafts[path].after() if path in self.drafts else self.tree.read(path)
        except Refused:
            return None
        return None if file is None else file.text


def refuse_binary(path: str, source: str) -> None:
    """Refuse a file that isn't text, or is in an encoding that doesn't include ASCII."""
    if "\0" not in source[:8192] and not source.startswith(BINARY_STARTS):
        return
    data = encode(source[:8192])
    if looks_binary(data):
        detail = "is in UTF-16 or UTF-32 and can't be edited like this" if is_wide(data) else "looks like binary data"
        raise Refused(Problem("not_text", f"{path} {detail}"))


def moved_link(path: str) -> Problem:
    """Return the problem of a link that the patch has moved, and whose contents are asked for."""
    detail = f"{path} will be a symbolic link, which this patch moves there"
    return Problem("not_a_file", detail, advice="Edit the file it points to by its own path.")


def gone(path: str, work: Work) -> Problem:
    """Return the problem of a file that doesn't exist, or was deleted by the patch."""
    if work.drafts[path].before is None:
        return missing(path, work.tree)
    advice = "Don't delete it, or create it again before editing it."
    return Problem("file_missing", f"{path} is deleted by an earlier part of this patch", advice=advice)


# ── edits ────────────────────────────────────────────────────────────────────────────────────────


def edit(op: Edit, draft: Draft, work: Work) -> Done:
    """Place an edit and add it to the round of its file, or raise `Refused`."""
    if not draft.exists:
        raise Refused(gone(draft.path, work))
    for hunk in op.hunks:
        if not (isinstance(hunk, Hunk) and hunk.old.isascii() and hunk.new.isascii()):
            op = _in_own_encoding(op, draft)
            break
    done = _EDITS[type(op.hunks[0])](op, draft, work) if op.hunks else Done()
    draft.mode = op.mode or draft.mode
    return done


def _in_own_encoding(op: Edit, draft: Draft) -> Edit:
    """Return an edit that has more than ASCII in the file's own bytes, if that isn't in UTF-8."""
    from .encoding import encoding_of, in_encoding

    if draft.encoding is None:
        draft.encoding = encoding_of(encode(draft.source))
    return op._replace(hunks=in_encoding(op.hunks, draft.encoding, draft.path))


def _edit_text(op: Edit, draft: Draft, work: Work) -> Done:
    """Place hunks of old and new text."""
    hunks: Sequence[Hunk] = op.hunks  # type: ignore[assignment]
    if isinstance(op.whole, Hunk) and _is_literal(op.whole, draft.result()):
        hunks = (op.whole,)
    placement = _place(hunks, draft, work, draft.opened())
    if draft.placed or draft.is_closed:
        placement = _after_round(hunks, placement, draft, work)
    if placement.missing or placement.problems:
        return _in_turn(hunks, placement, draft, work)
    if op.whole is not None and any(below.start < above.start for above, below in pairwise(placement.placed)):
        detail = "the parts of the old text around `...` are in another order in the file"
        raise Refused(Problem("not_found", detail, patch_line=op.patch_line))
    return _add(placement, draft)


def _place(hunks: Sequence[Hunk], draft: Draft, work: Work, text: Text) -> Placement:
    as_read = text is draft.as_read
    return place_hunks(Context(text, draft.path, work.beside, work.patch.literal, as_read), hunks)


def _is_literal(hunk: Hunk, text: Text) -> bool:
    """Return True if lines of dots that an edit shows on both sides are in the file, so that they leave no code out."""
    if isinstance(locate(Context(text, ""), hunk), Candidates):
        return True
    known = {line.strip() for line in text.lines}
    dots = [line.strip() for line in hunk.old.split("\n") if line.strip() and not line.strip(" \t.…")]
    return any(line in known for line in dots)


def _after_round(hunks: Sequence[Hunk], placement: Placement, draft: Draft, work: Work) -> Placement:
    """Return the placement of an edit, given the one in the text of the round, where it comes after earlier edits."""
    if rounds.admits(draft, hunks, placement):
        return placement
    if placement.problems:
        can_wait = draft.failed < _SEARCHED
    else:
        can_wait = len(placement.missing) < len(hunks) or rounds.may_hold(draft, hunks)
    if not can_wait:
        return placement
    text = draft.opened()
    later = _place(hunks, draft, work, draft.result())
    if later.missing and not (placement.missing or placement.problems or later.problems):
        number = later.missing[0]
        before = next((placed for placed in placement.placed if placed.hunk == hunks[number]), None)
        if before is not None:  # otherwise its result was in the file
            raise Refused(_changed_before(text, before, number))
    return later


def _changed_before(text: Text, placed: PlacedHunk, part: int) -> Problem:
    """Return the problem of a hunk whose only place was changed by an earlier edit of the same patch."""
    row = text.row_at(placed.start)
    detail = f"an earlier edit of this patch changes line {row + 1} of the file, too"
    near = Near(row + 1, tuple(text.lines[row : row + 3]), "the file has")
    line = placed.hunk.patch_line
    return Problem("overlap", detail, patch_line=line, line=row + 1, near=(near,), part=part)


def _add(placement: Placement, draft: Draft) -> Done:
    """Add an edit that has its places to the round."""
    text = draft.opened()
    applied: list[AppliedSplices] = []
    for placed in placement.placed:
        draft.splices += placed.splices
        applied.append(AppliedSplices(text, placed.splices, placed.place.level))
    draft.placed += placement.placed
    if placement.final is not None:
        draft.final = placement.final
    draft.is_closed = draft.is_closed or len(placement.placed) != 1 or placement.final is not None
    draft.symbols = None
    return Done(tuple(applied), tuple(placement.notes))


def _in_turn(hunks: Sequence[Hunk], placement: Placement, draft: Draft, work: Work) -> Done:
    """Make those hunks of an edit that have a place, then look for the others in the result; refuse it if that fails.

    Models write hunks one after another: what isn't in the file may be in the result of the hunks before it.
    """
    text = draft.opened()
    lost = [no_place(text, hunks[number])._replace(part=number) for number in placement.missing]
    if placement.problems or len(placement.missing) == len(hunks):
        raise Refused(*placement.problems, *lost)
    after = text.apply([splice for placed in placement.placed for splice in placed.splices], placement.final)
    rest = _place([hunks[number] for number in placement.missing], draft, work, after)
    if rest.missing or rest.problems:
        raise Refused(*lost)
    done = _add(placement, draft)
    draft.result()
    more = _add(rest, draft)
    return Done(done.applied + more.applied, done.notes + more.notes)


# ── edits that name a place: symbols, lines and columns, files shown in part ─────────────────────


def _put(draft: Draft, text: Text, splices: Sequence[Splice], level: str, notes: tuple[Note, ...] = ()) -> Done:
    """Add splices to the round that are for its text; nothing else joins the round."""
    draft.splices += splices
    draft.is_closed = True
    return Done((AppliedSplices(text, tuple(splices), level),) if splices else (), notes)


def _edit_ranges(op: Edit, draft: Draft, work: Work) -> Done:
    from .positions import place_ranges

    text = draft.result()
    ranges = op.hunks[0]
    assert isinstance(ranges, Spans)
    splices = place_ranges(text, ranges)
    if isinstance(splices, Problem):
        raise Refused(splices)
    return _put(draft, text, splices, "position")


def _edit_symbols(op: Edit, draft: Draft, work: Work) -> Done:
    from .symbol_edits import SourceText, place_inside

    edits = [hunk for hunk in op.hunks if isinstance(hunk, SymbolEdit)]
    if work.overwrite is False and any(edit.is_whole_file for edit in edits):
        raise Refused(Problem("file_exists", f"{draft.path} already exists and would be overwritten"))
    source = SourceText(draft.result(), draft.path, draft.symbols)
    splices: list[LineSplice] = []
    problems: list[Problem] = []
    for edit in edits:
        try:
            splices += place_inside(source, edit)
        except Refused as refused:
            problems += refused.problems
    splices.sort(key=lambda splice: (splice.start, splice.end))
    for above, below in pairwise(splices):
        if below.start < above.end:
            line = below.start + 1
            problems.append(Problem("overlap", f"two chunks change line {line}", line=line, patch_line=op.patch_line))
    if problems:
        raise Refused(*problems)
    return _put_in_source(draft, source, splices)


def _put_in_source(draft: Draft, source: SourceText, splices: Sequence[LineSplice]) -> Done:
    """Add splices to the round, and keep what is known about the symbols of the file."""
    done = _put(draft, source.text, [_as_splice(source.text, splice) for splice in splices], "symbol")
    draft.symbols = source.symbols
    if source.symbols is not None:
        source.symbols.follow(splices)
    return done


def _as_splice(text: Text, splice: LineSplice) -> Splice:
    return text.replaced_rows(splice.start, splice.end, splice.lines, own_ends=False)


def _edit_shown(op: Edit, draft: Draft, work: Work) -> Done:
    from ..propose import Ambiguous, Unplaced, lay_overlay

    text = draft.result()
    overlay = op.hunks[0]
    assert isinstance(overlay, Merge)
    try:
        edits = lay_overlay(draft.path, overlay.shown, text.lines)
    except Unplaced as reason:
        kind: ProblemKind = "ambiguous" if isinstance(reason, Ambiguous) else "not_found"
        advice = "Show more lines around each part, as they are in the file."
        raise Refused(Problem(kind, str(reason), patch_line=overlay.patch_line, advice=advice)) from None
    splices = [text.replaced_rows(edit.start, edit.stop, tuple(edit.lines)) for edit in edits]
    return _put(draft, text, splices, "overlay")


_EDITS: dict[type, Callable[[Edit, Draft, Work], Done]] = {
    Hunk: _edit_text, SymbolEdit: _edit_symbols, Spans: _edit_ranges, Merge: _edit_shown,
}  # fmt: skip


# ── edits of a part: a symbol, a cell of a notebook ──────────────────────────────────────────────


def edit_symbol(op: Op, path: str, work: Work, name_path: str) -> Done:
    """Carry out an operation on one symbol: find old text inside it, or replace it by what a write operation holds."""
    from .symbol_edits import SourceText, as_symbol_edit, find_symbol, in_whole_file, put_back, text_of_symbol

    draft = work.draft(path)
    if not isinstance(op, Edit):
        return edit(Edit(path, (as_symbol_edit(op, name_path),), op.patch_line, op.label), draft, work)
    source = SourceText(draft.result(), path, draft.symbols)
    symbol = find_symbol(source, name_path, None, as_text=True, brief=draft.failed >= EXPLAINED)
    inner = Draft(File(b""), path)
    inner.begin_round(text_of_symbol(source, symbol))
    try:
        done = edit(_in_own_encoding(op, draft), inner, work)
    except Refused as refused:
        raise Refused(*(in_whole_file(problem, symbol) for problem in refused.problems)) from None
    made = _put_in_source(draft, source, [put_back(source, symbol, inner.result())])
    return made._replace(notes=done.notes)


def edit_notebook(op: Edit, draft: Draft, work: Work) -> Done:
    """Edit a notebook: the cells that the edit names, else the source of the one cell that it fits, else the file."""
    from .notebook import is_json, read_notebook

    text = draft.result()
    book = read_notebook(text.lines)
    changes = _changed_cells(op, draft, work, book) if book else []
    if len(changes) > 1:
        rows = ", ".join(str(splice.start + 1) for splice, _ in changes[:5])
        detail = f"the text fits in {len(changes)} cells (lines {rows})"
        raise Refused(Problem("ambiguous", detail, advice="Add neighbouring lines from the intended cell."))
    if changes:
        splice, notes = changes[0]
        return _put(draft, text, [_as_splice(text, splice)], splice.how, notes)
    done = edit(op, draft, work)
    if book and not is_json(draft.result().text):
        draft.write(File.of_text(text.source))
        advice = "Write lines of a cell's source, or the lines of the file with their quotes."
        raise Refused(Problem("syntax", "the notebook would no longer be valid JSON", advice=advice))
    return done


def _changed_cells(op: Edit, draft: Draft, work: Work, book: Notebook) -> list[tuple[LineSplice, tuple[Note, ...]]]:
    """Return the changes of the cells that an edit names; if it names none, one for each cell that it fits."""
    from .notebook import edit_cell, with_source

    changes: list[tuple[LineSplice, tuple[Note, ...]]] = []
    for hunk in op.hunks:
        if isinstance(hunk, SymbolEdit):
            change = edit_cell(book, hunk)
            if isinstance(change, Problem):
                raise Refused(change)
            changes.append((change, ()))
    for cell in book.cells if not changes else ():
        inner = Draft(File.of_text("\n".join(cell.source)), draft.path)
        try:
            done = edit(op, inner, work)
        except Refused:
            continue
        source = inner.result().lines
        if source != cell.source:
            changes.append((with_source(book, cell, source), done.notes))
    return changes
