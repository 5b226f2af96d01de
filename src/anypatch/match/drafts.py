"""Drafts: the files of a patch as they are after the operations so far, and the edits made to them. Pure.

The edits of a file gather in rounds (`rounds.py`). A symbol, and a cell of a notebook, is a draft of its own: an edit
of it is looked up there, and what becomes of it is put back into the file.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from ..model import LINK, AppliedSplices, Edit, File, Hunk, LineSplice, Merge, Note, Op, Patch, Spans, SymbolEdit
from ..problems import EXPLAINED, Near, Problem, Refused
from ..text import Splice, Text, encode, is_wide, looks_binary, may_be_binary, utf_16
from .explain import no_place
from .files import missing
from .locate import Context, PlacedHunk, locate
from .nearby_text import Prose
from .place import Placement, place
from .rounds import Round

if TYPE_CHECKING:
    from ..hints import ProblemKind
    from .files import Tree
    from .notebook import Notebook
    from .symbol_edits import Table

_SEARCHED = 20  # hunks of a file without a place that end a round to be looked for in its result


class Done(NamedTuple):
    """What became of one operation: the splices made, what to know."""

    applied: tuple[AppliedSplices, ...] = ()
    notes: tuple[Note, ...] = ()


class Draft:
    """A file on its way through the patch: as it was, and as it is after the operations so far.

    Edits gather in a round, and are made when something has to see their result.
    """

    __slots__ = ("_moved", "before", "encoding", "exists", "failed", "mode", "path", "round", "source", "table", "wide")

    def __init__(self, before: File | None, path: str) -> None:
        self.before, self.path = before, path
        self.exists = before is not None
        self.mode = before.mode if before else 0o644
        # The contents but for the round. `wide`: which UTF-16 the file is in, "" for any other encoding.
        self.source, self.wide = _contents(before)
        self.round: Round | None = None
        self.table: Table | None = None  # of its symbols, once somebody asked
        # Of its text, where a patch says more than ASCII: "" is UTF-8.
        self.encoding: str | None = None
        self.failed = 0  # how many operations on it found no place
        self._moved: list[tuple[Text, list[Splice]]] = []  # of each round so far its text and splices

    def write(self, contents: File) -> None:
        """Give the file new contents, whatever was there."""
        self.exists, self.round, self.encoding, self.table, self._moved = True, None, None, None, []
        self.source, self.wide = _contents(contents)

    def remove(self) -> None:
        """Take the file away."""
        self.write(File(b""))
        self.exists = False

    def open_round(self) -> Round:
        """The round that edits settle in."""
        if self.round is None:
            if self.mode & LINK == LINK:
                raise Refused(moved_link(self.path))
            refuse_binary(self.path, self.source)
            self.round = Round(Text.of(self.source), self.path)
        return self.round

    def result(self) -> Text:
        """The text with everything so far; the round ends."""
        current = self.open_round()
        text = current.result()
        if text is not current.text:
            self._moved.append((current.text, current.splices))
            self.round = Round(text, self.path)
        return text

    def moved_row(self, row: int) -> int:
        """Where a row of the file as it was read is by now."""
        for text, splices in self._moved:
            start = text.line_start(row)
            row += sum(
                one.new.count("\n") - text.body.count("\n", one.start, one.stop) for one in splices if one.stop <= start
            )
        return row

    def after(self) -> File | None:
        """The file as it will be."""
        if not self.exists:
            return None
        current = self.round
        changed = current is not None and (current.splices or current.final is not None or self._moved)
        source = current.result().source if current is not None and changed else self.source
        return File(source.encode(self.wide), self.mode) if self.wide else File.of_text(source, self.mode)


def _contents(file: File | None) -> tuple[str, str]:
    """A file's text, and which UTF-16 it is in; "" for any other encoding, whose odd bytes are lone surrogates."""
    if file is None:
        return "", ""
    source = file.text
    wide = utf_16(file.data) if source[:1] in ("\udcff", "\udcfe") else ""
    return (file.data.decode(wide) if wide else source), wide


class Work(NamedTuple):
    """What planning goes by: the tree, and the canonical names and drafts of its files so far."""

    tree: Tree
    names: dict[str, str]
    drafts: dict[str, Draft]
    overwrite: bool | None
    patch: Patch
    prose: Prose

    def canonical(self, path: str) -> str:
        """The one name of the file that a path means, looked up once."""
        if path not in self.names:
            self.names[path] = self.tree.canonical(path)
        return self.names[path]

    def draft(self, path: str) -> Draft:
        """The draft of a file by its canonical name, read at the first call."""
        if path not in self.drafts:
            self.drafts[path] = Draft(self.tree.read(path), path)
        return self.drafts[path]

    def link(self, path: str) -> str:
        """The own path of a symbolic link, with a draft of the link itself: who deletes or moves it means that."""
        found = self.tree.link(path)
        if found is None:
            return ""
        own, target = found
        if own not in self.drafts:
            self.drafts[own] = Draft(File(encode(target), LINK | 0o777), own)
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
        return None if there is None else there.text


def refuse_binary(path: str, source: str) -> None:
    """Refuse a file that isn't text, or is in no encoding that holds ASCII."""
    if not may_be_binary(source):
        return
    data = encode(source[:8192])
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


def edit(op: Edit, draft: Draft, work: Work) -> Done:
    """Place an edit's hunks; they are made with the others of their round."""
    if not draft.exists:
        raise Refused(gone(draft.path, work))
    op = _in_own_encoding(op, draft)
    done = _LOWERED[type(op.hunks[0])](op, draft, work) if op.hunks else Done()
    draft.mode = op.mode or draft.mode
    return done


def _in_own_encoding(op: Edit, draft: Draft) -> Edit:
    """Return the edit in the file's own bytes, if it has more than ASCII and the file isn't in UTF-8."""
    if all(isinstance(hunk, Hunk) and hunk.old.isascii() and hunk.new.isascii() for hunk in op.hunks):
        return op
    from .encoding import encoding_of, in_encoding

    if draft.encoding is None:
        draft.encoding = encoding_of(encode(draft.source))
    return op._replace(hunks=in_encoding(op.hunks, draft.encoding, draft.path))


def _edit_text(op: Edit, draft: Draft, work: Work) -> Done:
    """Place hunks of old and new text."""
    hunks: Sequence[Hunk] = op.hunks  # type: ignore[assignment]
    if isinstance(op.whole, Hunk) and _is_literal(op.whole, draft.result()):
        hunks = (op.whole,)
    current = draft.open_round()
    found = _placed(hunks, draft, work, current.text)
    if not current.admits(hunks, found) and not _is_nowhere(current, hunks, found, draft):
        before, found = found, _placed(hunks, draft, work, draft.result())
        if found.missing and not (before.missing or before.problems or found.problems):
            gone = found.missing[0]
            was_there = next((one for one in before.placed if one.hunk == hunks[gone]), None)
            if was_there is not None:  # else its result was there
                raise Refused(_changed_before(current.text, was_there, gone))
    if found.missing or found.problems:
        return _in_turns(hunks, found, draft, work)
    if op.whole is not None and any(two.start < one.start for one, two in pairwise(found.placed)):
        detail = "the parts of the old text around `...` are in another order in the file"
        raise Refused(Problem("not_found", detail, patch_line=op.patch_line))
    return _settle(found, draft)


def _changed_before(text: Text, one: PlacedHunk, part: int) -> Problem:
    """The problem of an edit whose only place an earlier one of the same patch has changed."""
    row = text.row_at(one.start)
    detail = f"an earlier edit of this patch changes line {row + 1} of the file, too"
    near = Near(row + 1, tuple(text.lines[row : row + 3]), "the file has")
    line = one.hunk.patch_line
    return Problem("overlap", detail, patch_line=line, line=row + 1, near=(near,), part=part)


def _placed(hunks: Sequence[Hunk], draft: Draft, work: Work, text: Text) -> Placement:
    return place(Context(text, draft.path, work.prose.beside, draft.moved_row, work.patch.literal), hunks)


def _is_literal(whole: Hunk, text: Text) -> bool:
    """Whether lines of dots that an edit shows on both sides are in the file: then they leave no code out."""
    found = locate(Context(text, ""), whole)
    if found is not None and not isinstance(found, (Note, Problem)):
        return True
    known = {line.strip() for line in text.lines}
    return any(line.strip(" \t.…") == "" and line.strip() in known for line in whole.old.split("\n") if line.strip())


def _is_nowhere(current: Round, hunks: Sequence[Hunk], found: Placement, draft: Draft) -> bool:
    """Whether an edit is nowhere in the text of a round, nor in what the round writes; or enough of the file failed."""
    if found.problems:
        return draft.failed >= _SEARCHED
    nowhere = len(found.missing) == len(hunks)
    return nowhere and not current.may_make_a_place(hunks)


def _settle(found: Placement, draft: Draft) -> Done:
    """Add an edit that has its places to the round."""
    current = draft.open_round()
    current.add(found)
    draft.table = None
    return Done(
        tuple([AppliedSplices(current.text, one.splices, one.place.level) for one in found.placed]), tuple(found.notes)
    )


def _in_turns(hunks: Sequence[Hunk], found: Placement, draft: Draft, work: Work) -> Done:
    """Settle an edit some of whose hunks have no place in the text as it is: one after another they may; or Refused."""
    text = draft.open_round().text
    if found.missing and "\r" in text.body and draft.failed < _SEARCHED:
        # Lone CRs are content, unless only with them as line ends there is a place for every hunk.
        other = Text.of(draft.result().source, lone_cr=True)
        again = _placed(hunks, draft, work, other)
        if not again.missing and not again.problems:
            draft.round = Round(other, draft.path)
            return _settle(again, draft)
    lost = [no_place(text, draft.path, hunks[number])._replace(part=number) for number in found.missing]
    if found.problems or len(found.missing) == len(hunks):
        raise Refused(*found.problems, *lost)
    # Models write hunks one after another: what is nowhere in the file may be in the result of the others.
    after = text.apply([splice for one in found.placed for splice in one.splices], found.final)
    rest = _placed([hunks[number] for number in found.missing], draft, work, after)
    if rest.missing or rest.problems:
        raise Refused(*lost)
    done = _settle(found, draft)
    draft.result()
    more = _settle(rest, draft)
    return Done(done.applied + more.applied, done.notes + more.notes)


# ── edits that name a place: symbols, lines and columns, files shown in part ─────────────────────


def _put(draft: Draft, text: Text, splices: Sequence[Splice], how: str, notes: tuple[Note, ...] = ()) -> Done:
    """Make splices that were told by their place; nothing else joins their round."""
    current = draft.open_round()
    current.splices += splices
    current.close()
    return Done((AppliedSplices(text, tuple(splices), how),) if splices else (), notes)


def _edit_ranges(op: Edit, draft: Draft, work: Work) -> Done:
    from .ranges import place_spans

    text = draft.result()
    said = op.hunks[0]
    assert isinstance(said, Spans)
    found = place_spans(text, said)
    if isinstance(found, Problem):
        raise Refused(found)
    return _put(draft, text, found, "position")


def _edit_symbols(op: Edit, draft: Draft, work: Work) -> Done:
    from .symbol_edits import FileText, place_inside

    if work.overwrite is False and any(isinstance(said, SymbolEdit) and said.is_whole_file for said in op.hunks):
        raise Refused(Problem("file_exists", f"{draft.path} already exists and would be overwritten"))
    page = FileText(draft.result(), draft.path, draft.table)
    splices: list[LineSplice] = []
    problems: list[Problem] = []
    for said in op.hunks:
        assert isinstance(said, SymbolEdit)
        within = place_inside(page, said)
        splices += within.splices
        problems += within.problems
    splices.sort(key=lambda one: (one.start, one.end))
    for one, two in pairwise(splices):
        if two.start < one.end:
            line = two.start + 1
            problems.append(Problem("overlap", f"two chunks change line {line}", line=line, patch_line=op.patch_line))
    if problems:
        raise Refused(*problems)
    done = _put(draft, page.text, [_as_splice(page.text, one) for one in splices], "symbol")
    draft.table = page.table.spliced(splices) if page.table is not None else None
    return done


def _as_splice(text: Text, one: LineSplice) -> Splice:
    return text.replaced_rows(one.start, one.end, one.lines, own_ends=False)


def _edit_shown(op: Edit, draft: Draft, work: Work) -> Done:
    from ..propose import Ambiguous, Unplaced, lay_overlay

    text = draft.result()
    said = op.hunks[0]
    assert isinstance(said, Merge)
    try:
        edits = lay_overlay(draft.path, said.shown, text.lines)
    except Unplaced as reason:
        kind: ProblemKind = "ambiguous" if isinstance(reason, Ambiguous) else "not_found"
        advice = "Show more lines around each part, as they are in the file."
        raise Refused(Problem(kind, str(reason), patch_line=said.patch_line, advice=advice)) from None
    return _put(draft, text, [text.replaced_rows(one.start, one.stop, tuple(one.lines)) for one in edits], "overlay")


_LOWERED: dict[type, Callable[[Edit, Draft, Work], Done]] = {
    Hunk: _edit_text, SymbolEdit: _edit_symbols, Spans: _edit_ranges, Merge: _edit_shown,
}  # fmt: skip


# ── edits of a part: a symbol, a cell of a notebook ──────────────────────────────────────────────


def edit_symbol(op: Op, path: str, work: Work, symbol: str) -> Done:
    """An operation on one symbol: what it changes it finds there, and what it writes takes the symbol's place."""
    from .symbol_edits import FileText, as_whole_symbol, lowered, part, put_back, symbol_on

    draft = work.draft(path)
    if not isinstance(op, Edit):
        return edit(Edit(path, (as_whole_symbol(op, symbol),), op.patch_line, op.label), draft, work)
    page = FileText(draft.result(), path, draft.table)
    found = symbol_on(page, symbol, None, as_text=True, brief=draft.failed >= EXPLAINED)
    if isinstance(found, Problem):
        raise Refused(found)
    inner = Draft(File(b""), path)
    inner.round = Round(part(page, found).text, path)
    try:
        done = edit(_in_own_encoding(op, draft), inner, work)
    except Refused as refused:
        raise Refused(*(lowered(problem, found) for problem in refused.problems)) from None
    splice = put_back(page, found, inner.result())
    made = _put(draft, page.text, [_as_splice(page.text, splice)], "symbol")
    draft.table = page.table.spliced([splice]) if page.table is not None else None
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
        raise Refused(Problem("ambiguous", detail, advice="Add neighbouring lines from the cell that is meant."))
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
