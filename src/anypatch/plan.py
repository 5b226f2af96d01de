"""Patch and tree become a plan: every byte that will change, every problem, before anything is written. Pure.

Edits are looked up in the file as it was read. A round takes those of one file, in the order of the patch, as long as
each would find the same place in the result of those before it. The first that might not ends the round, and is looked
up in its result. So a round gives what one edit after another gives, for the price of one text:

    a m b … a b     delete `m`, then replace `a b`: once in the text, but twice in the result, so that a round ends
"""

from __future__ import annotations

import re
from bisect import bisect_left, insort
from itertools import pairwise

from .match.already_applied import repeated
from .match.assign import EXPLAINED, Care, Placed, place_edit
from .match.definitions import added_blocks, added_heads, added_twice, defined_twice, guarded
from .match.elision import emptied, hollowed, mark_in_whole
from .match.files import (
    Named,
    blocking,
    check_own_text,
    check_whole_path,
    elsewhere,
    holding,
    old_lines,
    proven,
    shows_old,
    spelt,
)
from .match.levels import VERBATIM, code_lines, punctuation
from .match.search import PAST, Page, spliced_text
from .match.splices import Fit
from .model import (
    AS_COPIED,
    LINK,
    TOLERANT,
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
    Swap,
    Where,
    Write,
)
from .parsing.elision import is_prose, may_hold_marks
from .parsing.shown import path_in_comment, quoted
from .paths import check_new
from .problems import Problem, Refused
from .record import NamedTuple
from .syntax.languages import grammar_of
from .text import BLANK, BOM, Text, decode, encode, is_whole, is_wide, looks_binary, patch_lines, utf_16, with_lf

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from .match.assign import Applied
    from .match.files import Tree
    from .match.splices import Repeat, Tear
    from .syntax.symbols import Symbol


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
                raise Refused(by_then_a_link(path))
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

    def encoding_for(self, work: Work) -> str:
        """The encoding of the text; "" where all that the patch says is ASCII."""
        if self.encoding is None:
            if work.signs == "ascii":
                return ""
            from .match.encoding import encoding_of

            self.encoding = encoding_of(self.data)
        return self.encoding

    def end_round(self) -> None:
        """Make what has settled."""
        settled = self.round
        if settled is not None and settled.sheet() is not settled.page.sheet:
            if self.tears:
                from .match.splices import follow

                self.tears = {number: follow(tears, settled.fits) for number, tears in self.tears.items()}
            self.round = Round(settled.page.spliced(settled.fits, sheet=settled.sheet()))

    def settle(self, number: int, op: Edit, placed: Placed, final: bool | None) -> None:
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
    """What planning goes by: the tree, canonical names and drafts so far.

    `signs`: what the lines of its edits hold: "ascii", "whole" characters of any kind, or also "halves" of some.
    """

    tree: Tree
    names: dict[str, str]
    drafts: dict[str, Draft]
    overwrite: bool | None
    care: Care
    signs: str
    patch: Patch


def plan(patch: Patch, tree: Tree, *, overwrite: bool | None = None) -> Plan:
    """What the patch would do to the tree. `overwrite`: None as the format says, True always, False never."""
    work = begin(patch, tree, overwrite)
    return finish(patch, work, [step(number, op, work) for number, op in enumerate(patch.ops, 1)])


def begin(patch: Patch, tree: Tree, overwrite: bool | None) -> Work:
    """What the steps of a plan share."""
    lines: list[tuple[str, str]] = []
    new: list[str] = []
    elided = False
    for op in patch.ops:
        if isinstance(op, Edit):
            elided = elided or isinstance(op.whole, Write)
            for hunk in op.hunks:
                lines += hunk.lines
        elif isinstance(op, Write):
            new.append(op.text)
    said = "\n".join([text for _, text in lines])
    # A cheap look at all new lines tells whether any may stand for code left out; a no is certain.
    if not elided and not patch.literal:
        elided = may_hold_marks("\n".join(new + [text for tag, text in lines if tag == "+"]))
    signs = "ascii" if said.isascii() else "whole" if is_whole(said) else "halves"
    escaped, sample = "\\" in said or "\\" in "".join(new), ""
    if '\\"' in said:
        sample = next((text.strip() for tag, text in lines if tag != "+" and '\\"' in text), "")
    care = Care(elided and not patch.literal, escaped, sample)
    return Work(tree, {}, {}, overwrite, care, signs, patch)


def finish(patch: Patch, work: Work, outcomes: list[Outcome]) -> Plan:
    """The plan, once every operation has had its step."""
    drafts = work.drafts
    for path, draft in drafts.items():
        if draft.tears and draft.exists:
            _judge(path, draft, outcomes)
        if draft.applied and draft.after() != draft.before:
            _judge_applied(path, draft, drafts, outcomes)
    if any(outcome.notes for outcome in outcomes):
        _check_quotes(outcomes, drafts)
    for outcome in outcomes:
        if isinstance(outcome.op, Write) and outcome.op.only == "aside":
            _check_aside(outcome, outcome.op, outcomes, drafts)
    _check_definitions(outcomes, drafts)
    if not patch.literal:
        _check_copied(outcomes, drafts)
    changes = []
    for path, draft in drafts.items():
        after = draft.after()
        if after != draft.before:
            changes.append(FileChange(path, draft.before, after))
    return Plan(patch, tuple(changes), tuple(outcomes))


def _check_quotes(outcomes: list[Outcome], drafts: dict[str, Draft]) -> None:
    """Refuse what was passed over as a quotation, but is neither in the file nor in what becomes of it.

    ### `tax.py`              below a diff of cart.py: left out, half of the answer would be done
    ```python
    RATE = 0.2                tax.py has `RATE = 0.1`

    Where every operation turned out to be a quotation, there is no patch.
    """
    quotes = [outcome for outcome in outcomes if any(note.kind == "quote" for note in outcome.notes)]
    if quotes and len(quotes) == len(outcomes):
        first = outcomes[0]
        advice = "Write the file's path alone on a line, then its new contents in a fence of its language."
        problem = Problem("no_patch", f"there is nothing to apply: {first.notes[0].text}", first.path, advice=advice)
        outcomes[0] = first._replace(problems=(problem._replace(patch_line=first.op.patch_line, op=first.number),))
        return
    for outcome in quotes:
        op, draft = outcome.op, drafts.get(outcome.path)
        if draft is None or not isinstance(op, Write) or op.only == "maybe":
            continue
        from .match.whole_text import is_quoted

        files = [file for file in (draft.before, draft.after()) if file]
        if files and not any(is_quoted(op.path, op.text, decode(file.data)) for file in files):
            detail = (
                f"it isn't clear whether {op.path} is edited here: these lines aren't in it, and there are other edits"
            )
            advice = "Send all edits in one format, and quote code as it is in the file."
            problem = Problem("bad_patch", detail, outcome.path, op.patch_line, op=outcome.number, advice=advice)
            outcomes[outcome.number - 1] = outcome._replace(problems=(problem,), notes=())


def _check_aside(outcome: Outcome, op: Write, outcomes: list[Outcome], drafts: dict[str, Draft]) -> None:
    """Refuse a fence that nothing is said of, where it shows a function of the file otherwise: left out, half is done.

    In `a.py`, change `f` to:  …  We double in `g`:  ```python  def g(y): …
    """
    from .match.whole_text import is_quoted, redefined

    draft = drafts.get(outcome.path)
    files = [file for file in (draft.before, draft.after()) if file] if draft else []
    texts = [decode(file.data) for file in files]
    name = redefined(op.path, op.text, texts[0]) if texts else ""
    if any(is_quoted(op.path, op.text, text) for text in texts):
        return
    if not name:
        note = Note("a fence was skipped: nothing says which file it changes", patch_line=op.patch_line, kind="quote")
        outcomes[outcome.number - 1] = outcome._replace(notes=(note,))
    else:
        detail = f"it isn't clear whether `{name}` of {op.path} changes: nothing says so, and it isn't so in the file"
        advice = f"Say above each fence what it changes ('In `{op.path}`, change `{name}` to')."
        problem = Problem("bad_patch", detail, outcome.path, op.patch_line, op=outcome.number, advice=advice)
        outcomes[outcome.number - 1] = outcome._replace(problems=(problem,))


def _check_definitions(outcomes: list[Outcome], drafts: dict[str, Draft]) -> None:
    """Refuse an edit that adds a definition, or other lines, which the file has already, or note it."""
    for at, outcome in enumerate(outcomes):
        draft = drafts.get(outcome.path) if outcome.splices else None
        before = draft.before if draft else None
        if draft is None or before is None or not isinstance(outcome.op, Edit):
            continue
        said = guarded(outcome.op)
        heads, blocks = added_heads(said, before.data), added_blocks(said, before.data)
        repeats = [repeat for number, repeat in draft.repeats if number == outcome.number]
        after = draft.after() if heads or blocks or repeats else None
        if after is None:
            continue
        texts = with_lf(decode(before.data)), with_lf(decode(after.data))
        told = repeated(*texts, repeats) or defined_twice(outcome.path, *texts, heads)
        told = told or added_twice(outcome.path, *texts, blocks)
        if isinstance(told, Problem):
            placed = _placed(told, outcome.number, outcome.op, outcome.path, follows=False)
            outcomes[at] = outcome._replace(problems=(*outcome.problems, placed))
        elif told:
            outcomes[at] = outcome._replace(notes=(*outcome.notes, told._replace(patch_line=outcome.op.patch_line)))


def _check_copied(outcomes: list[Outcome], drafts: dict[str, Draft]) -> None:
    """Refuse an edit whose new lines have line numbers, or the signs of a diff, in front, or lost their indentation."""
    for at, outcome in enumerate(outcomes):
        before = drafts[outcome.path].before if outcome.splices and outcome.path in drafts else None
        if before is None:
            continue
        heads = [(one, one.lines[0]) for one in outcome.splices if one.lines]
        numbered = [one for one, head in heads if head.lstrip(BLANK)[:1].isdecimal()]
        # Where the old text is in the file as it is written.
        flush = [head for one, head in heads if one.how in VERBATIM and head[:1].strip()]
        texts = _texts_exchanged(outcome.op)
        signed = [said for said in texts if not {text[:1] for tag, text in said.lines if tag == "+"}.isdisjoint("+-")]
        if not (numbered or signed or (flush and texts)):
            continue
        from .match.copied import flush_anew, numbered_anew, signed_anew

        there = with_lf(decode(before.data)) if numbered or signed else ""
        told = [numbered_anew(outcome.path, one.lines, one.start, there) for one in numbered]
        for said in signed:
            old, new = ([text for tag, text in said.lines if tag != sign] for sign in "+-")
            told.append(signed_anew(outcome.path, old, new, there))
        # A text that begins inside of a line has no indentation there.
        whole = [said for said in texts if isinstance(said, Hunk) or said.new.strip("\n").partition("\n")[0] in flush]
        told += [flush_anew(outcome.path, said.lines) for said in whole if flush]
        problem = next(filter(None, told), None)
        if problem:
            placed = _placed(problem, outcome.number, outcome.op, outcome.path, follows=False)
            outcomes[at] = outcome._replace(problems=(*outcome.problems, placed))


def _texts_exchanged(op: Op) -> list[Hunk | Swap]:
    """The parts of an edit that give an old text and a new one: no diff, whose lines have signs of their own."""
    said = op.hunks if isinstance(op, Edit) else ()
    return [one for one in said if isinstance(one, Swap) or (isinstance(one, Hunk) and one.policy.compares_texts)]


def step(number: int, op: Op, work: Work) -> Outcome:
    """Carry out one operation on the drafts; one with problems leaves no trace in them."""
    path, drafts = op.path, work.drafts
    try:
        if isinstance(op, Write) and op.only in ("there", "quote") and not exists(work, op.path, refused=False):
            return Outcome(number, op, path, notes=(quoted(op.path, op.patch_line, f"there is no file {op.path}"),))
        if isinstance(op, Write) and op.only == "aside":
            return Outcome(number, op, work.names.get(op.path) or canonical(work, op.path))
        path = work.names.get(op.path) or canonical(work, op.path)
        notes: tuple[Note, ...] = ()
        link = link_of(op.path, work) if isinstance(op, (Delete, Move)) else ""
        path = link or path
        draft = drafts.get(path) or draft_of(work, path)
        if not link and not draft.exists and draft.before is None and not work.patch.exact:
            if "#" in op.path:
                scope = scope_of(op, work)
                if scope:
                    path, notes, symbol = scope
                    done = in_symbol(number, op, path, work, symbol)
                    return Outcome(number, op, path, done.splices, (), notes + done.notes)
            path, spelling, notes = named(op, op.path, work)
            if isinstance(op, (Delete, Move)):
                path = link_of(spelling, work) or path
            draft = draft_of(work, path)
        if isinstance(op, Edit):
            is_notebook = path.endswith(".ipynb") and draft.exists
            done = in_notebook(number, op, path, work) if is_notebook else edit(number, op, path, work)
            moves = tuple([one for one in done.splices if len(one.lines) != one.end - one.start])
            if moves:
                draft.moved.append(moves)
        else:
            done = carried_out(number, op, path, work)
        return Outcome(number, op, path, done.splices, (), notes + done.notes)
    except Refused as refused:
        failed = drafts.get(path)
        follows = failed is not None and failed.failed > 0
        if isinstance(op, Edit) and failed is not None and failed.failed < _LOOKED_FOR:
            refused = _in_another(refused, op, path, work)
        if failed is not None:
            failed.failed += 1
        return Outcome(number, op, path, (), tuple(_placed(p, number, op, path, follows) for p in refused.problems))


_LOOKED_FOR = 3  # edits of a file whose text is looked for in others


def _in_another(refused: Refused, op: Edit, path: str, work: Work) -> Refused:
    """The refusal of an edit whose text isn't in its file, with the name of another one that it stands in."""
    if not {problem.kind for problem in refused.problems} <= {"not_found", "file_missing"} or not shows_old(op):
        return refused
    others = holding(path, old_lines(op), work.tree, lambda other: _peek(work, other))[:3]
    advice = f"The old lines are in {' and in '.join(others)}; if that file is meant, name it."
    told = [problem._replace(advice=problem.advice or advice) for problem in refused.problems]
    return Refused(*told) if others else refused


def named(op: Op, path: str, work: Work) -> Named:
    """The file that an operation means by a path that isn't there as it is written; else the path itself."""
    if isinstance(op, Write) and not op.keep:
        plain = path.replace("\\", "/")  # no new name may hold a backslash
        notes = (Note(f"{path} was read as {plain}", plain, op.patch_line),) if plain != path else ()
        return Named(canonical(work, plain), plain, notes)
    found = spelt(path, work.tree, lambda other: exists(work, other))
    if exists(work, found.path):
        return found
    if isinstance(op, Edit) and op.other:
        other = spelt(op.other, work.tree, lambda other: exists(work, other))
        if exists(work, other.path):
            note = Note(f"{path} doesn't exist; {other.path}, which the patch also names, was edited", other.path)
            return other._replace(notes=(note,))
    told = {other.path for other in work.patch.ops}
    if isinstance(op, Write):
        check_whole_path(path, op.text, work.tree, lambda other: _peek(work, other), told)
    return proven(op, path, work.tree, lambda other: _peek(work, other), told) or found


def link_of(path: str, work: Work) -> str:
    """The own path of a symbolic link, with a draft of the link itself: who deletes or moves it means that."""
    found = work.tree.link(path)
    if found is None:
        return ""
    own, target = found
    if own not in work.drafts:
        work.drafts[own] = Draft(File(encode(target), LINK | 0o777))
    return own


def draft_of(work: Work, path: str) -> Draft:
    """The draft of a file by its canonical name, read at the first call."""
    if path not in work.drafts:
        work.drafts[path] = Draft(work.tree.read(path))
    return work.drafts[path]


def exists(work: Work, path: str, *, refused: bool = True) -> bool:
    """Whether a file is there, after the operations so far; a folder counts, so that it is named in the refusal.

    `refused`: what to say of a path that may not be touched, or is a folder.
    """
    try:
        return draft_of(work, canonical(work, path)).exists
    except Refused:
        return refused


def _peek(work: Work, path: str) -> str | None:
    """What a file holds after the operations so far, without a draft: it may not be meant. None where there is none."""
    try:
        there = work.drafts[path].after() if path in work.drafts else work.tree.read(path)
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
        detail += " (an earlier edit of this file failed, which may be the cause)"
    line = problem.patch_line or op.patch_line
    return problem._replace(kind=kind, path=problem.path or path, patch_line=line, op=number, detail=detail)


def _judge(path: str, draft: Draft, outcomes: list[Outcome]) -> None:
    """What the patch as a whole left torn goes to the operation that tore it."""
    from .match.splices import judged

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
    before = with_lf(decode(draft.before.data if draft.before else b"".join(o.before.data for o in others if o.before)))
    later = draft.after()
    after = with_lf(decode(later.data if later else b"".join(file.data for o in others if (file := o.after()))))
    for number, (patch_line, text) in draft.applied:
        if text in before and text in after:
            continue
        how = "removes" if text in before else "adds"
        detail = f"its new text is in the file, but another part of the patch {how} it"
        problem = Problem("not_found", detail, path, patch_line, advice="Give the final lines in one edit.", op=number)
        outcome = outcomes[number - 1]
        outcomes[number - 1] = outcome._replace(problems=(*outcome.problems, problem))


class Overlaid:
    """A tree after a plan."""

    def __init__(self, tree: Tree, made: Plan) -> None:
        self.canonical, self.ending, self.suggest = tree.canonical, tree.ending, tree.suggest
        self.has_folder, self.link, self.alike = tree.has_folder, tree.link, tree.alike
        self._tree = tree
        self._changed = {change.path: change.after for change in made.changes}

    def read(self, path: str) -> File | None:
        """The file as the plan leaves it."""
        return self._changed[path] if path in self._changed else self._tree.read(path)

    def lines(self, path: str) -> list[str]:
        """Its lines; none where it isn't there."""
        file = self.read(path)
        return Text.read(file.data).lines if file else []


# ── the rounds of a file ─────────────────────────────────────────────────────────────────────────


# A place found by one of these is found by the lines' code alone, however it is spaced.
_BY_CODE = frozenset(
    ("exact", "trailing space", "indentation", "punctuation", "inner space", "blank lines", "comments")
)


class Round:
    """The edits that settled in one text so far."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.fits: list[Fit] = []
        self.final: bool | None = None
        self._ended = False
        self._settled: list[tuple[Edit, list[Fit], tuple[int, int]]] = []
        self._written: dict[bool, Written] = {}
        self._sheet: Text | None = page.sheet

    def admits(self, edit: Edit, placed: Placed) -> bool:
        """Whether an edit has, in the result of the round, the place that it has in its text; a no is no harm."""
        if not self.fits:
            return True
        hunk = edit.hunks[0] if len(edit.hunks) == 1 else None
        settled = bool(placed.fits) and not placed.notes and not placed.problems and not placed.missing
        if self._ended or hunk is None or not settled or edit.mode or placed.reach is None:
            return False
        for fit in placed.fits:
            if fit.tear is not None or fit.final is not None or fit.splice.how not in _BY_CODE:
                return False
        where = hunk.where
        if where != _ANYWHERE and where._replace(before=(), after=(), block="") != _ANYWHERE:
            return False
        if hunk.policy.language and self.page.language(hunk.policy.language) is not self.page.language():
            return False
        # What stands to the letter is looked for no further: then only lines that are the same to the letter count.
        exact = placed.exact and not where.before and not where.after and not where.block
        written = self.written(exact)
        return not written.may_hold(edit) and written.lies_apart(written.resting(edit, placed.reach))

    def may_make_a_place(self, edit: Edit) -> bool:
        """Whether the old text of an edit may stand on lines that the round wrote, or across a seam that it left."""
        # An edit of two hunks, `-gamma +alpha` twice, ends the round, and what it wrote isn't noted line by line.
        return self._ended or self.written(exact=False).may_hold(edit)

    def add(self, edit: Edit, placed: Placed, final: bool | None) -> None:
        """Settle an edit that was admitted."""
        if final is not None:
            self.final, self._sheet = final, None
        if not placed.fits:
            return
        self._sheet = None
        if self.fits:
            for fit in placed.fits:
                insort(self.fits, fit, key=_position)
        else:
            self.fits = placed.fits[:]
        for fit in placed.fits:
            self._ended = self._ended or fit.tear is not None or fit.final is not None
        if placed.reach is None:
            self._ended = True
        else:
            self._settled.append((edit, placed.fits, placed.reach))

    def sheet(self) -> Text:
        """The text with everything that settled; the round's own where nothing did."""
        if self._sheet is None:
            self._sheet = spliced_text(self.page.sheet, self.fits, self.final)
        return self._sheet

    def written(self, exact: bool) -> Written:
        """What the round wrote. It is looked at when somebody asks: most files get one edit, and nobody does."""
        written = self._written.get(exact)
        if written is None:
            written = self._written[exact] = Written(self.page, exact=exact)
        for edit, fits, reach in self._settled[written.seen :]:
            written.note(fits, *written.resting(edit, reach))
            written.seen += 1
        return written


class Written:
    """What stands in the result of a round and did not stand in its text, and the rows that its edits rest on.

    `exact`: lines are compared to the letter; else by their code alone, however it is spaced.
    """

    def __init__(self, page: Page, *, exact: bool) -> None:
        self.page = page
        self.seen = 0  # how many edits of the round are noted
        self._exact = exact
        self._near: tuple[int, list[str]] = 0, []  # lines that were looked up last, and the row of the first
        self._taken: list[tuple[int, int]] = []  # rows that settled edits rest on or change, ascending
        self._lines: set[str] = set()
        self._pairs: set[tuple[str, str]] = set()  # lines that became neighbours
        self._beside: set[str] = set()
        self._text: list[str] = []
        self._words: set[str] = set()
        self._read = 0  # how many lines of the text the words are of

    def may_hold(self, edit: Edit) -> bool:
        """Whether the old text of an edit may stand on lines that were written, or across a seam."""
        for hunk in edit.hunks:
            if isinstance(hunk, Swap):
                if self._holds(hunk.old):
                    return True
            elif isinstance(hunk, Hunk):
                keys = self._keys((*hunk.where.before, *hunk.old, *hunk.where.after))
                if not keys or (len(keys) == 1 and keys[0] in self._lines):
                    return True
                if not self._pairs.isdisjoint(pairwise(keys)):
                    return True
            else:
                return True
        return False

    def resting(self, edit: Edit, reach: tuple[int, int]) -> tuple[int, int]:
        """The rows that an edit rests on: those that it reaches, the neighbours that it claims, and the blank lines
        and comments around, since to look past those is to rest on what lies behind them."""
        (start, end), where = reach, edit.hunks[0].where
        near = self._rows(max(start - 1, 0), end + 1)
        if not where.before and not where.after and all(near[:1]) and all(near[-1:]):
            return reach
        for claimed in (*self._keys(where.before), ""):
            while start and self._rows(start - 1, start) == [""]:
                start -= 1
            start -= claimed != "" and start > 0
        for claimed in (*self._keys(where.after), ""):
            while self._rows(end, end + 1) == [""]:
                end += 1
            end += claimed != "" and end < self.page.sheet.count
        return start, end

    def lies_apart(self, rows: tuple[int, int]) -> bool:
        """Whether a line of code lies between these rows and those of every edit that settled."""
        start, end = rows
        at = bisect_left(self._taken, (start, end))
        above = at == 0 or self._taken[at - 1][1] < start
        return above and (at == len(self._taken) or end < self._taken[at][0])

    def note(self, fits: list[Fit], start: int, end: int) -> None:
        """Note the lines that come, and every pair of lines of which one is new or that have become neighbours."""
        insort(self._taken, (start, end))
        last, row = "", max(start - 1, 0)
        for fit in fits:
            kept, new = self._rows(row, fit.splice.start), self._keys(fit.splice.lines)
            last = self._passed(last, kept, seam=fit is not fits[0])
            self._lines.update(new)
            self._text += fit.splice.lines
            row = fit.splice.end
            if new:
                self._pairs.update(pairwise((last, *new)))
                self._beside.update((last, *new))
                last = new[-1]
        self._passed(last, self._rows(row, end + 1), seam=True)

    def _passed(self, last: str, kept: list[str], *, seam: bool) -> str:
        """The last line of code among some that stay; with a `seam`, the first has become the neighbour of `last`."""
        filled = [key for key in kept if key]
        if filled and seam:
            self._pairs.add((last, filled[0]))
            self._beside |= {last, filled[0]}
        return filled[-1] if filled else last

    def _holds(self, old: str) -> bool:
        """Whether a text may stand on lines that the round wrote, or run into them."""
        inner = old.replace("\r\n", "\n").split("\n")
        if len(inner) == 1:
            # A word inside of it is a whole word wherever it stands.
            words = _WORD.findall(old)[1:-1]
            self._words.update(*map(_WORD.findall, self._text[self._read :]))
            self._read = len(self._text)
            return self._words.issuperset(words) and any(old in line for line in self._text)
        whole = self._keys(inner[1:-1])
        return not whole or not self._beside.isdisjoint(whole)

    def _rows(self, start: int, end: int) -> list[str]:
        """Lines of the text as they are compared; "" for those without code."""
        page = self.page
        if self._exact:
            first, lines = self._near
            if start < first or end > first + len(lines):
                first = max(start - _AROUND, 0)
                lines = [line if line.strip(BLANK) else "" for line in page.sheet.some(first, end + _AROUND)]
                lines += [PAST] * (end - first - len(lines))
                self._near = first, lines
            return lines[start - first : end - first]
        if page.codes is None:
            language = page.language()
            page.codes = [_spaceless(line) for line in (page.lexed(language).code if language else page.lines)]
        return page.codes[start:end]

    def _keys(self, lines: Sequence[str]) -> list[str]:
        """Lines of the patch as they are compared, those without code left out."""
        if self._exact or not lines:
            return [line for line in lines if line.strip(BLANK)]
        language = self.page.language()
        return [*filter(None, map(_spaceless, code_lines(lines, language) if language else lines))]


_ANYWHERE = Where()
_AROUND = 4  # lines above and below those asked for that are looked up with them
_SPACES = re.compile(r"\s+")
_WORD = re.compile(r"\w+")


def _spaceless(line: str) -> str:
    return _SPACES.sub("", punctuation(line))


def _position(fit: Fit) -> tuple[int, int]:
    return fit.splice.start, fit.splice.end


# ── one operation ────────────────────────────────────────────────────────────────────────────────


def edit(number: int, op: Edit, path: str, work: Work) -> Done:
    """Place an edit's hunks; they are made with the others of their round."""
    draft = work.drafts[path]
    if not draft.exists and draft.before is None and isinstance(op.whole, Write):
        return carried_out(number, op.whole, path, work)
    if not draft.exists:
        raise Refused(missing(path, draft, work.tree))
    if work.overwrite is False and any(isinstance(said, Inside) and said.is_whole_file for said in op.hunks):
        raise Refused(Problem("file_exists", f"{path} already exists and would be overwritten"))
    page, care = draft.page(path), work.care
    if draft.failed >= EXPLAINED:
        care = care._replace(brief=True)
    assert draft.round is not None
    if work.signs != "ascii" and (work.signs == "halves" or draft.encoding_for(work)):
        from .match.encoding import spoken

        hunks = spoken(op.hunks, draft.encoding_for(work), path, lambda: draft.result(path).sheet.data())  # noqa: PLW0108 - the round ends only if it is asked
        op = op._replace(hunks=hunks)
        page = draft.page(path)
    placed = place_edit(page, op, care)
    if not draft.round.admits(op, placed) and not _is_nowhere(draft.round, op, placed):
        page = draft.result(path)
        placed = place_edit(page, op, care)
    if op.hunks and isinstance(op.hunks[0], Merge) and not work.overwrite:
        _check_part(path, page, placed, work.patch, bool(op.hunks[0].marks))
    done = _settled(number, op, draft, placed) if _fits(placed) else _in_turns(number, op, path, draft, placed, work)
    draft.mode = op.mode or draft.mode
    return done


def _check_part(path: str, page: Page, placed: Placed, patch: Patch, marked: bool) -> None:
    """Refuse a file shown in part that would lose what the answer doesn't speak of."""
    from .match.whole_text import shrinking

    after = page.spliced(placed.fits).sheet.data()
    if _fits(placed) and (problem := shrinking(path, page.sheet.data(), after, patch, unmarked=not marked)):
        raise Refused(problem)


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
        if _fits(again):
            draft.round = Round(other)
            return _settled(number, op, draft, again)
    lost = [problem for one in placed.missing for problem in one.problems]
    if placed.problems or len(placed.missing) == len(op.hunks):
        raise Refused(*placed.problems, *lost)
    # Models write hunks one after another: what is nowhere in the file may stand in the result of the others.
    later = op._replace(hunks=tuple(one.hunk for one in placed.missing), whole=None)
    rest = place_edit(page.spliced(placed.fits), later, work.care._replace(elided=False, brief=True))
    if not _fits(rest):
        raise Refused(*lost)
    done = _settled(number, op, draft, placed)
    draft.end_round()
    more = _settled(number, later, draft, rest)
    return Done(done.splices + more.splices, done.notes + more.notes)


def refuse_binary(path: str, data: bytes) -> None:
    """Refuse a file that is no text, or in no encoding that holds ASCII."""
    if looks_binary(data):
        detail = "is in UTF-16 or UTF-32 and can't be edited like this" if is_wide(data) else "looks like binary data"
        raise Refused(Problem("not_text", f"{path} {detail}"))


def by_then_a_link(path: str) -> Problem:
    """What to say of a link that the patch has moved, where its contents are asked for."""
    detail = f"{path} will be a symbolic link, which this patch moves there"
    return Problem("not_a_file", detail, advice="Edit the file it points to by its own path.")


_KEPT = "Don't delete it, or create it again before editing it."
_FOLDER = "Choose a path below a folder."


def missing(path: str, draft: Draft, tree: Tree) -> Problem:
    """What to say of a file that isn't there."""
    if draft.before is not None:
        return Problem("file_missing", f"{path} is deleted by an earlier part of this patch", advice=_KEPT)
    others = elsewhere(path, tree)[:3] or tree.suggest(path)
    advice = f"Did you mean {' or '.join(others)}?" if others else ""
    return Problem("file_missing", f"{path} doesn't exist", advice=advice)


# ── whole files ─────────────────────────────────────────────────────────────────────────────────────


_PARTS = ("part", "maybe")
_SAYS_NEW = r"\b(?:new|creat\w+|add\w*|cop(?:y|ies|ied)|mov(?:e|es|ed|ing)|renam\w+|split\w*|duplicat\w+)\b"
_LONG = 20  # lines of a file that a much shorter one is a warning for


def carried_out(number: int, op: Op, path: str, work: Work) -> Done:
    """What became of an operation that is no edit."""
    assert not isinstance(op, Edit)
    if isinstance(op, Write) and op.adds and work.drafts[path].exists and work.overwrite is None:
        return _add(number, op, path, work)
    if isinstance(op, Write):
        return _write(number, op, path, work)
    if isinstance(op, Delete):
        return _delete(op, path, work)
    return _move(op, path, work)


def _write(number: int, op: Write, path: str, work: Work) -> Done:
    draft = work.drafts[path]
    if aside := _put_aside(op, path, work):
        return Done((), (aside,))
    if op.only == "end":
        return _append(number, op, path, work)
    overwrite = op.overwrite if work.overwrite is None else work.overwrite
    as_given = work.patch.literal or bool(work.overwrite)
    there = draft.after()
    if op.keep and there:
        op = _without_label(op, path, there)
    data = _data(op, path, draft, as_given)
    is_empty = there is not None and not there.data.strip() and work.overwrite is None and not op.absent
    if there and not overwrite and not is_empty and there != File(data, draft.mode):
        raise Refused(Problem("file_exists", f"{path} already exists and would be overwritten"))
    if draft.exists and draft.mode & LINK == LINK:
        raise Refused(by_then_a_link(path))
    _check_contents(op, path, there, work)
    if not draft.exists and draft.before is None:
        _check_link(op.path, work)
        check_new(path)
        _check_folders(work, path)
        if op.keep and not work.overwrite:
            _check_own_text(op, path, None, work)
    if there and not as_given:
        _check_rewritten(op, path, there, data)
    if there and op.keep and not work.overwrite:
        from .match.whole_text import begins_and_ends_as, shrinking

        shrinks = shrinking(path, there.data, data, work.patch, shown=True)
        # "Here's the updated `f` in `a.js`:", and then all of a.js.
        whole = op.only == "part" and begins_and_ends_as(there.data, data)
        if shrinks or (op.only in _PARTS and not whole):
            return _shown(number, op, path, work, shrinks)
        _check_own_text(op, path, there, work)
    notes = _overwriting(op, path, there) if there else ()
    hunk = _as_copied(op, there, work) if there and not as_given else None
    if hunk is not None and (is_prose(path) or path.endswith(".po")):
        notes = (*notes, Note(_RETYPED, path))
    elif hunk is not None:
        done = edit(number, Edit(op.path, (hunk,), op.patch_line, mode=op.mode), path, work)
        return done._replace(notes=(*done.notes, Note(_AS_THE_FILE, path)))
    draft.mode = op.mode or draft.mode
    draft.write(data)
    return Done((), notes)


def _put_aside(op: Write, path: str, work: Work) -> Note | None:
    """The note on contents that aren't written: the file is kept, or they only quote it."""
    draft = work.drafts[path]
    if op.spare and draft.exists:
        return Note("the file already exists and is kept", path, op.patch_line)
    if op.only == "maybe" and not draft.exists:
        return quoted(op.path, op.patch_line, f"there is no file {op.path}")
    if op.only in ("part", "end") and not draft.exists:
        raise Refused(missing(path, draft, work.tree))
    if op.only == "quote":
        return quoted(op.path, op.patch_line, "there is a patch next to it")
    if op.only == "new" and (draft.exists or draft.before is not None):
        why = "the file exists, and the fence is in another language or has a patch next to it"
        return quoted(op.path, op.patch_line, why)
    return None


def _without_label(op: Write, path: str, there: File) -> Write:
    """The contents without a first comment that only labels them."""
    from .match.copied import without_label

    lines = patch_lines(op.text)
    shown = without_label(path, lines, Text.read(there.data).lines)
    return op._replace(text="\n".join(shown).lstrip("\n")) if shown != lines else op


def _check_contents(op: Write, path: str, there: File | None, work: Work) -> None:
    """Refuse contents that leave code out, or that copying changed: escapes, line numbers, signs of a diff."""
    if work.care.elided:
        _check_whole(op, path, work)
    if work.patch.literal:
        return
    if "\\" in op.text:
        _check_escapes(op, path, there)
    is_signed = any(sign in op.text for sign in ("\n+", "\n-")) or op.text[:1] in ("+", "-")
    if is_signed or op.text.lstrip(BLANK)[:1].isdecimal():
        _check_copied_whole(op, path, there)


def _check_rewritten(op: Write, path: str, there: File, data: bytes) -> None:
    """Refuse contents that lack the bodies or the end of the file, or have lines of it twice."""
    from .match.whole_text import cut_off, said_twice

    problem = hollowed(Text.read(there.data).lines, op.text.split("\n"))
    if not problem and len(data) > len(there.data) and grammar_of(path):
        problem = said_twice(path, there.data, data)
    if not problem and not op.keep and len(data) < len(there.data):
        problem = cut_off(path, there.data, data)
    if problem:
        raise Refused(problem)


_RETYPED = "lines that nothing else changes in get other tabs, quotes, dashes or spaces: was that meant?"
_AS_THE_FILE = "lines that differ only in tabs, quotes, dashes or odd spaces stay as the file has them"


def _as_copied(op: Write, there: File, work: Work) -> Hunk | None:
    """The hunk that a whole text is where copying changed how its lines are written, as in `recopied`; else None."""
    if b"\t" not in there.data and there.data.isascii() and op.text.isascii():
        return None
    from .match.copied import recopied

    lines = recopied(Text.read(there.data).lines, patch_lines(op.text.removesuffix("\n")), work.patch.prose)
    return Hunk(lines, Where(line=1), AS_COPIED, op.patch_line) if lines else None


def _check_own_text(op: Write, path: str, there: File | None, work: Work) -> None:
    """Refuse the contents of another file, unless the answer speaks of it; for a new file, of a file of its name."""
    paths = {other.path for other in work.patch.ops}
    prose = work.patch.prose
    folder = path.rpartition("/")[0]
    is_new = there is None and (
        re.search(_SAYS_NEW, prose, re.IGNORECASE) is not None
        or any(other != op.path and other.rpartition("/")[0] == folder for other in paths)
    )

    def is_told(other: str) -> bool:
        return is_new or other in paths or (other if there is None else other.rpartition("/")[2]) in prose

    text = decode(there.data) if there else None
    lines = op.text.split("\n")
    named, below = path_in_comment(lines)
    is_other = named != "" and not f"/{path}".endswith(f"/{named.removeprefix('./')}")
    if text and is_other and lines[below - 1] not in text and _peek(work, named) is not None:
        detail = f"the new text of {path} begins with `{lines[below - 1].strip()}`, which is another file"
        raise Refused(Problem("ambiguous", detail, path, advice="Name the one file that it is, once."))
    check_own_text(path, op.text, text, work.tree, lambda other: _peek(work, other), is_told)


def _shown(number: int, op: Write, path: str, work: Work, shrinks: Problem | None) -> Done:
    """What became of a text that is only a part of the file: the functions and classes in it are replaced."""
    from .match.whole_text import are_new_entries

    lines = tuple(patch_lines(op.text.removesuffix("\n")))
    merge = Merge(lines, (), op.patch_line, op.patch_line + 1, op.only == "part", op.told)
    first, last = op.told.lines
    try:
        done = edit(number, Edit(op.path, (merge,), op.patch_line), path, work)
    except Refused as refused:
        if first:
            where = Where(line=first, last=last, tied=True)
            hunk = Hunk(tuple(("+", line) for line in lines), where, TOLERANT, op.patch_line)
            return edit(number, Edit(op.path, (hunk,), op.patch_line), path, work)
        if op.told.to_file and are_new_entries(path, work.drafts[path].result(path).text, op.text):
            return _append(number, op, path, work)
        if op.only == "maybe":
            return Done((), (quoted(op.path, op.patch_line, "it shows no whole function or class of the file"),))
        if op.only == "part" and refused.problems[0].reason == "no_symbols":
            detail = f"the fence is for {path}, but shows neither all of it nor whole functions of it"
            advice = "Write the file's path alone on the line above the fence, and the whole file in it."
            raise Refused(Problem("bad_patch", detail, advice=advice)) from None
        # A file of which only an unchanged function is shown may be meant to lose the rest; "change `f` to" isn't.
        lacking = ("no_symbols",) if op.only == "part" else ("no_symbols", "unchanged")
        raise Refused(*(shrinks if shrinks and p.reason in lacking else p for p in refused.problems)) from None
    if first and done.splices and not any(one.start < last and first <= one.end for one in done.splices):
        # "Change line 12 to: `Cart cart = open();`", and a field `cart` at line 40
        detail = f"line {first} is named, but what is shown is at line {done.splices[0].start + 1}"
        advice = "Show the lines as they are, too, as Before and After."
        raise Refused(Problem("ambiguous", detail, path, advice=advice))
    return done


def _add(number: int, op: Write, path: str, work: Work) -> Done:
    """A text without a place for a file that is there: added to it, or put in its place, where one of them is meant."""
    page = work.drafts[path].result(path)
    if not page.text.strip():
        return _write(number, op, path, work)
    from .match.whole_text import lines_to_add, reading_of

    reading = reading_of(path, page.text, op.text)
    if reading == "there":
        text = "already applied: the new text is in the file, so there is nothing to do"
        return Done((), (Note(text, path, op.patch_line, kind="already_applied"),))
    if reading == "rewritten":
        return _write(number, op._replace(overwrite=True, keep=True), path, work)
    if reading != "added":
        detail = f"{path} already exists, and nothing says where in it the new text goes"
        advice = "Show the lines it goes next to; to replace the file, send it as a whole file."
        raise Refused(Problem("file_exists", detail, advice=advice))
    lines = tuple(("+", line) for line in lines_to_add(path, page.lines, op.text))
    hunk = Hunk(lines, Where(at_end=True), TOLERANT, op.patch_line)
    done = edit(number, Edit(path, (hunk,), op.patch_line, op.label), path, work)
    note = Note("the file exists, and the definitions are new: they were added at its end", path, op.patch_line)
    return done._replace(notes=(*done.notes, note))


def _append(number: int, op: Write, path: str, work: Work) -> Done:
    """Lines that words say go to the end of the file."""
    from .match.whole_text import doubt_at_end, is_quoted, lines_to_add
    from .syntax.validate import first_new_error

    draft = work.drafts[path]
    page = draft.result(path)
    if is_quoted(path, op.text, page.text):
        text = "already applied: the new text is in the file, so there is nothing to do"
        return Done((), (Note(text, path, op.patch_line, kind="already_applied"),))
    doubt = doubt_at_end(path, page.text, op.text)
    if doubt:
        advice = "Show it next to the lines it goes between."
        raise Refused(Problem("ambiguous", f"{doubt}, so it may not belong at the end of {path}", advice=advice))
    lines = lines_to_add(path, page.lines, op.text)
    after = "\n".join([*page.lines, *lines, ""])
    if first_new_error(path, encode(page.text), encode(after)) is not None:
        detail = f"{path} would no longer parse with the new lines at its end"
        raise Refused(Problem("ambiguous", detail, advice="Show them next to the lines they go between."))
    hunk = Hunk(tuple(("+", line) for line in lines), Where(at_end=True), TOLERANT, op.patch_line)
    return edit(number, Edit(path, (hunk,), op.patch_line, op.label), path, work)


def _overwriting(op: Write, path: str, there: File) -> tuple[Note, ...]:
    """What to know where a file gets new contents; models that should write all of it often write a part."""
    before, after = there.data.count(b"\n"), op.text.count("\n")
    text = "the file existed and was overwritten"
    if before >= _LONG and after < before / 2:
        text += f"; its {before} lines become {after}: was something left out?"
    return (Note(text, path, op.patch_line),)


def _check_whole(op: Write, path: str, work: Work) -> None:
    """Refuse contents that leave some of the file out."""
    there = work.drafts[path].after()
    old, new = Text.read(there.data).lines if there else [], op.text.split("\n")
    mark = mark_in_whole(path, old, new, op.keep)
    if mark:
        mark = mark.strip()[:80]
        detail = f"`{mark}` stands for code that is left out of {path}"
        others = work.tree.suggest(path) if there is None else ()
        advice = f"{path} doesn't exist. Did you mean {' or '.join(others)}?" if others else ""
        detail = detail if there else f"{detail}, which doesn't exist yet"
        raise Refused(Problem("elision", detail, advice=advice, cited=mark))
    header = emptied(path, old, new) if "..." in op.text else ""
    if header:
        detail = f"in the new contents of {path}, the body of `{header[:80]}` is only `...`"
        raise Refused(Problem("elision", detail))


def _check_copied_whole(op: Write, path: str, there: File | None) -> None:
    """Refuse contents with line numbers, or the signs of a diff, in front of their lines."""
    from .match.copied import numbered_throughout, signed_anew

    old = with_lf(decode(there.data)) if there else ""
    problem = numbered_throughout(path, op.text, old)
    problem = problem or signed_anew(path, old.split("\n") if old else [], op.text.split("\n"), old)
    if problem is not None:
        raise Refused(problem)


def _check_escapes(op: Write, path: str, there: File | None) -> None:
    """Refuse contents that were escaped once too often."""
    from .match.copied import over_escaped

    data = there.data if there else b""
    problem = over_escaped(path, op.text.split("\n"), lambda piece: encode(piece) in data)
    if problem is not None:
        raise Refused(problem)


def _data(op: Write, path: str, draft: Draft, as_given: bool) -> bytes:
    """The new contents: in the encoding that they, or the file that was there, are in. Refused where it holds no text.

    With `keep` they have the BOM, the line ends and the final line end of the file that was there. `as_given`: a
    program wrote them, or they are to be written over the file whatever it is.
    """
    there = draft.after()
    was = there.data if there else b""
    if op.keep or is_wide(was):
        refuse_binary(path, was)
    text = op.text
    if not text.isascii():
        from .match.encoding import declared, encoding_of, spoken

        encoding = encoding_of(was)
        if was.isascii() or encoding not in ("", "?"):
            encoding = declared(encode(text))
        text = spoken(text, encoding, path, lambda: was)
    if not op.keep or not was:
        return encode(text if as_given else _with_ends(text, decode(was)))
    from .diff import rewritten as relined

    return relined(was, text.removeprefix(BOM).removesuffix("\n").split("\n") if text else [])


def _with_ends(text: str, was: str) -> str:
    """Contents that a call gives, with the BOM and the line ends of the file that was there: models aren't shown those.

    Unless they are all that would change.
    """
    body = was.removeprefix(BOM)
    plain = body.replace("\r\n", "\n")
    if text == plain or "\r" in text:
        return text
    if "\r\n" in body and body.count("\n") == body.count("\r\n"):
        text = text.replace("\n", "\r\n")
    return BOM + text if was.startswith(BOM) and not text.startswith(BOM) else text


def _check_folders(work: Work, path: str) -> None:
    """Refuse a new file below something that is a file itself."""
    above = blocking(path, lambda above: exists(work, above, refused=False))
    if above:
        raise Refused(Problem("file_exists", f"{above} is a file, not a folder", path, advice=_FOLDER))


def _delete(op: Delete, path: str, work: Work) -> Done:
    draft = work.drafts[path]
    if not draft.exists:
        if op.spare:
            return Done()
        raise Refused(missing(path, draft, work.tree))
    if op.old:
        after = draft.after()
        lines = Text.read(after.data).lines if after else []
        there = iter(line.rstrip() for line in lines)
        if not all(line.rstrip() in there for line in op.old):
            raise Refused(Problem("not_found", f"{path} doesn't contain the lines that the patch says are in it"))
        more = sum(map(bool, map(str.strip, lines))) - sum(map(bool, map(str.strip, op.old)))
        if op.whole and more > 0 and not work.overwrite:
            detail = f"the patch deletes {path} without showing {more} of its lines"
            advice = "Show all of its lines, or delete it by name, without a hunk."
            command = "--overwrite deletes it as it is."
            raise Refused(Problem("would_shrink", detail, advice=advice, command=command))
    return Done((), _gone(op, path, draft, work))


def _gone(op: Delete | Move, path: str, draft: Draft, work: Work) -> tuple[Note, ...]:
    """Take a file away from its path; of a symbolic link say that it is one, and that its own path is free."""
    draft.remove()
    if draft.before is None or not draft.before.is_link:
        return ()
    draft.mode = 0o644
    work.names[op.path] = work.names[path] = path
    text = f"it is a symbolic link; what it leads to, {decode(draft.before.data)}, stays where it is"
    return (Note(text, path, op.patch_line),)


def _move(op: Move, path: str, work: Work) -> Done:
    overwrite = op.overwrite if work.overwrite is None else work.overwrite
    source = work.drafts[path]
    if not source.exists:
        raise Refused(missing(path, source, work.tree))
    target = canonical(work, op.to)
    if target == path:
        return Done()
    _check_link(op.to, work)
    goal = draft_of(work, target)
    if goal.exists and not overwrite:
        raise Refused(Problem("file_exists", f"{target} already exists and would be overwritten", target))
    if goal.before is None:
        check_new(target)
        _check_folders(work, target)
    moved = source.after()
    assert moved is not None
    if moved.is_link and moved.data[:1] != b"/" and path.rpartition("/")[0] != target.rpartition("/")[0]:
        detail = f"{path} is a symbolic link to {decode(moved.data)}, and would point elsewhere from another folder"
        raise Refused(Problem("not_a_file", detail, advice="Move it by hand, or move the file it points to."))
    goal.write(moved.data)
    goal.mode = moved.mode
    return Done((), () if op.keeps else _gone(op, path, source, work))


def _check_link(path: str, work: Work) -> None:
    """Refuse to put a file where a symbolic link stands: what it leads to isn't the path that was named."""
    own = link_of(path, work)
    if own and work.drafts[own].exists:
        target = decode(work.drafts[own].data)
        raise Refused(Problem("file_exists", f"{own} is a symbolic link to {target}", own))


# ── one symbol of a file: path#Class/method ─────────────────────────────────────────────────────────


def scope_of(op: Op, work: Work) -> tuple[str, tuple[Note, ...], str] | None:
    """Of `path#Class/method` the file and the symbol, where the file is there and one with `#` in its name isn't."""
    from .match.symbol_edits import names_source

    for at, sign in enumerate(op.path):
        if sign != "#" or not op.path[at + 1 :].strip() or isinstance(op, Move):
            continue
        path, _, notes = named(op, op.path[:at], work)
        if path and exists(work, path):
            return path, notes, op.path[at + 1 :].strip()
        if names_source(op.path[:at]):
            raise Refused(missing(path, Draft(None), work.tree))
    return None


def in_symbol(number: int, op: Op, path: str, work: Work, symbol: str) -> Done:
    """An operation on one symbol: what it changes it finds there, and what it writes takes the symbol's place."""
    from .match.symbol_edits import lowered, part, symbol_on

    draft = work.drafts[path]
    if not isinstance(op, Edit):
        return edit(number, Edit(path, (_as_whole(op, symbol),), op.patch_line, op.label), path, work)
    page = draft.result(path)
    found = symbol_on(page, symbol, None, as_text=True, brief=draft.failed >= EXPLAINED)
    if isinstance(found, Problem):
        raise Refused(found)
    inner = Draft(File(b""))
    inner.encoding, inner.round = draft.encoding_for(work), Round(part(page, found))
    try:
        done = edit(number, op, path, work._replace(drafts={path: inner}))
        problems, notes = _judged(inner, path, number)
    except Refused as refused:
        raise Refused(*(lowered(problem, found) for problem in refused.problems)) from None
    if problems:
        raise Refused(*(lowered(problem, found) for problem in problems))
    draft.applied += inner.applied
    draft.settle(number, op, Placed([_put_back(inner.result(path).sheet, page.sheet, found)], [], []), None)
    moved = [s._replace(start=s.start + found.first, end=s.end + found.first) for s in done.splices]
    return Done(tuple(moved), done.notes + tuple(notes))


_CELLS = "Write lines of a cell's source, or the lines of the file with their quotes."


def in_notebook(number: int, op: Edit, path: str, work: Work) -> Done:
    """An edit of a notebook: in the source of the one cell that it fits, else in the text of the file."""
    from .match.notebook import cells, is_json, replaced, whole

    draft = work.drafts[path]
    page = draft.result(path)
    found = cells(page.lines)
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
    if not changes:
        done = edit(number, op, path, work)
        if found and not is_json(draft.result(path).sheet.text):
            draft.write(page.sheet.data())
            raise Refused(Problem("syntax", "the notebook would no longer be valid JSON", advice=_CELLS))
        return done
    if len(changes) > 1:
        rows = ", ".join(str(splice.start + 1) for splice, _ in changes[:5])
        detail = f"the text fits in {len(changes)} cells (lines {rows})"
        raise Refused(Problem("ambiguous", detail, advice="Add neighbouring lines from the cell that is meant."))
    splice, done = changes[0]
    draft.settle(number, op, Placed([Fit(splice, [page.sheet.eol] * len(splice.lines))], [], []), None)
    return Done((splice,), done.notes)


def _put_back(part: Text, whole: Text, found: Symbol) -> Fit:
    """The symbol's lines as the part has them now; those at either end that are the same stay."""
    from .diff import trimmed

    first, last = found.first, found.last + 1
    old = list(zip(whole.lines[first:last], whole.ends[first:last], strict=True))
    new = list(zip(part.lines, part.ends, strict=True))
    start, end, head, stop = trimmed(old, new)
    splice = Splice(first + start, first + end, tuple(part.lines[head:stop]), "symbol")
    return Fit(splice, part.ends[head:stop])


def _judged(draft: Draft, path: str, number: int) -> tuple[list[Problem], list[Note]]:
    """What an operation left torn in a text of its own."""
    if not draft.tears:
        return [], []
    from .match.splices import judged

    page = draft.result(path)
    return judged(draft.tears.get(number, []), page)


def _as_whole(op: Op, symbol: str) -> Inside:
    """A file written or deleted, where a symbol is meant."""
    if isinstance(op, Write):
        return Inside(
            symbol, None, "replace", text=tuple(patch_lines(op.text.removesuffix("\n"))), patch_line=op.patch_line
        )
    return Inside(symbol, None, "delete", patch_line=op.patch_line)
