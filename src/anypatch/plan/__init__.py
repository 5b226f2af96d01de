"""Patch and tree become a plan: every byte that will change, every problem, before anything is written. Pure.

`plan` begins with empty drafts, gives each operation its step, and finishes with a look at the whole: `drafts` are the
files so far with the edits made to them, `rounds` are how edits share one text, `whole_files` writes, deletes, moves.
"""

from __future__ import annotations

from ..match.already_applied import repeated
from ..match.assign import Care
from ..match.definitions import added_blocks, added_heads, added_twice, defined_twice, guarded
from ..match.files import Named, check_whole_path, holding, missing, old_lines, proven, shows_old, spelt
from ..match.levels import VERBATIM
from ..model import Delete, Edit, FileChange, Hunk, Move, Note, Op, Outcome, Patch, Plan, Swap, Write
from ..parsing.elision import may_hold_marks
from ..parsing.shown import quoted
from ..problems import Problem, Refused
from ..text import BLANK, decode, is_whole, with_lf
from .drafts import Draft, Work, edit, edit_notebook, edit_symbol

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..match.files import Tree
    from .drafts import Done

_LOOKED_FOR = 3  # edits of a file whose text is looked for in others


def plan(patch: Patch, tree: Tree, *, overwrite: bool | None = None) -> Plan:
    """What the patch would do to the tree. `overwrite`: None as the format says, True always, False never."""
    work = begin(patch, tree, overwrite)
    return finish(work, [step(number, op, work) for number, op in enumerate(patch.ops, 1)])


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


def step(number: int, op: Op, work: Work) -> Outcome:
    """Carry out one operation on the drafts; one with problems leaves no trace in them."""
    path = op.path
    try:
        if isinstance(op, Write) and op.only in ("there", "quote") and not work.exists(op.path, refused=False):
            return Outcome(number, op, path, notes=(quoted(op.path, op.patch_line, f"there is no file {op.path}"),))
        path = work.canonical(op.path)
        if isinstance(op, Write) and op.only == "aside":
            return Outcome(number, op, path)
        link = work.link(op.path) if isinstance(op, (Delete, Move)) else ""
        path = link or path
        draft = work.draft(path)
        notes: tuple[Note, ...] = ()
        if not link and not draft.exists and draft.before is None and not work.patch.exact:
            scope = _scope_meant(op, work) if "#" in op.path else None
            if scope is not None:
                path, notes, symbol = scope
                done = edit_symbol(number, op, path, work, symbol)
                return Outcome(number, op, path, done.splices, (), notes + done.notes)
            path, spelling, notes = _file_meant(op, op.path, work)
            if isinstance(op, (Delete, Move)):
                path = work.link(spelling) or path
            draft = work.draft(path)
        done = _carry_out(number, op, path, draft, work)
        return Outcome(number, op, path, done.splices, (), notes + done.notes)
    except Refused as refused:
        return _refused(refused, Outcome(number, op, path), work)


def _carry_out(number: int, op: Op, path: str, draft: Draft, work: Work) -> Done:
    """What becomes of an operation on the file that it means."""
    if isinstance(op, Edit) and isinstance(op.whole, Write) and not draft.exists and draft.before is None:
        op = op.whole  # a file shown in part that isn't there is a new one
    if isinstance(op, Edit):
        is_notebook = path.endswith(".ipynb") and draft.exists
        done = edit_notebook(number, op, path, work) if is_notebook else edit(number, op, path, work)
        moves = tuple([one for one in done.splices if len(one.lines) != one.end - one.start])
        if moves:
            draft.moved.append(moves)
        return done
    from .whole_files import delete, move, write

    if isinstance(op, Write):
        return write(number, op, path, work)
    return delete(op, path, work) if isinstance(op, Delete) else move(op, path, work)


def _refused(refused: Refused, outcome: Outcome, work: Work) -> Outcome:
    """The outcome of an operation that was refused, with what may be the cause of it."""
    op, path = outcome.op, outcome.path
    draft = work.drafts.get(path)
    follows = draft is not None and draft.failed > 0
    if isinstance(op, Edit) and draft is not None and draft.failed < _LOOKED_FOR:
        refused = _with_other_files(refused, op, path, work)
    if draft is not None:
        draft.failed += 1
    problems = []
    for problem in refused.problems:
        kind, detail = problem.kind, problem.detail
        if kind == "not_a_file" and isinstance(op, Delete):
            kind = op.no_file
        if follows and problem.kind in ("not_found", "ambiguous", "file_missing", "no_block"):
            detail += " (an earlier edit of this file failed, which may be the cause)"
        problems.append(_located(problem, outcome)._replace(kind=kind, detail=detail))
    return outcome._replace(problems=tuple(problems))


def _with_other_files(refused: Refused, op: Edit, path: str, work: Work) -> Refused:
    """The refusal of an edit whose text isn't in its file, with the name of another one that it stands in."""
    if not {problem.kind for problem in refused.problems} <= {"not_found", "file_missing"} or not shows_old(op):
        return refused
    others = holding(path, old_lines(op), work.tree, work.peek)[:3]
    advice = f"The old lines are in {' and in '.join(others)}; if that file is meant, name it."
    told = [problem._replace(advice=problem.advice or advice) for problem in refused.problems]
    return Refused(*told) if others else refused


def _file_meant(op: Op, path: str, work: Work) -> Named:
    """The file that an operation means by a path that isn't there as it is written; else the path itself."""
    if isinstance(op, Write) and not op.keep:
        plain = path.replace("\\", "/")  # no new name may hold a backslash
        notes = (Note(f"{path} was read as {plain}", plain, op.patch_line),) if plain != path else ()
        return Named(work.canonical(plain), plain, notes)
    found = spelt(path, work.tree, work.exists)
    if work.exists(found.path):
        return found
    if isinstance(op, Edit) and op.other:
        other = spelt(op.other, work.tree, work.exists)
        if work.exists(other.path):
            note = Note(f"{path} doesn't exist; {other.path}, which the patch also names, was edited", other.path)
            return other._replace(notes=(note,))
    told = {other.path for other in work.patch.ops}
    if isinstance(op, Write):
        check_whole_path(path, op.text, work.tree, work.peek, told)
    return proven(op, path, work.tree, work.peek, told) or found


def _scope_meant(op: Op, work: Work) -> tuple[str, tuple[Note, ...], str] | None:
    """Of `path#Class/method` the file and the symbol, where the file is there and one with `#` in its name isn't."""
    from ..match.symbol_edits import names_source

    for at, sign in enumerate(op.path):
        if sign != "#" or not op.path[at + 1 :].strip() or isinstance(op, Move):
            continue
        path, _, notes = _file_meant(op, op.path[:at], work)
        if path and work.exists(path):
            return path, notes, op.path[at + 1 :].strip()
        if names_source(op.path[:at]):
            raise Refused(missing(path, work.tree))
    return None


def _located(problem: Problem, outcome: Outcome) -> Problem:
    """The problem with its operation, path and line in the patch filled in."""
    line = problem.patch_line or outcome.op.patch_line
    return problem._replace(path=problem.path or outcome.path, patch_line=line, op=outcome.number)


# ── a look at the whole ──────────────────────────────────────────────────────────────────────────


def finish(work: Work, outcomes: list[Outcome]) -> Plan:
    """The plan, once every operation has had its step."""
    patch, drafts = work.patch, work.drafts
    for path, draft in drafts.items():
        if draft.tears and draft.exists:
            _check_tears(path, draft, outcomes)
        if draft.applied and draft.after() != draft.before:
            _check_applied(path, draft, drafts, outcomes)
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


def _check_tears(path: str, draft: Draft, outcomes: list[Outcome]) -> None:
    """What the patch as a whole left torn goes to the operation that tore it."""
    from ..match.splices import judged

    page = draft.result(path)
    for number, tears in draft.tears.items():
        problems, notes = judged(tears, page)
        outcome = outcomes[number - 1]
        placed = tuple(problem._replace(op=number) for problem in problems)
        outcomes[number - 1] = outcome._replace(problems=outcome.problems + placed, notes=outcome.notes + tuple(notes))


def _check_applied(path: str, draft: Draft, drafts: dict[str, Draft], outcomes: list[Outcome]) -> None:
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
        from ..match.whole_text import is_quoted

        texts = _before_and_after(draft)
        if texts and not any(is_quoted(op.path, op.text, text) for text in texts):
            detail = (
                f"it isn't clear whether {op.path} is edited here: these lines aren't in it, and there are other edits"
            )
            advice = "Send all edits in one format, and quote code as it is in the file."
            problem = Problem("bad_patch", detail, outcome.path, op.patch_line, op=outcome.number, advice=advice)
            outcomes[outcome.number - 1] = outcome._replace(problems=(problem,), notes=())


def _before_and_after(draft: Draft) -> list[str]:
    """What a file holds before the patch and after it, as far as it is there."""
    return [decode(file.data) for file in (draft.before, draft.after()) if file]


def _check_aside(outcome: Outcome, op: Write, outcomes: list[Outcome], drafts: dict[str, Draft]) -> None:
    """Refuse a fence that nothing is said of, where it shows a function of the file otherwise: left out, half is done.

    In `a.py`, change `f` to:  …  We double in `g`:  ```python  def g(y): …
    """
    from ..match.whole_text import is_quoted, redefined

    draft = drafts.get(outcome.path)
    texts = _before_and_after(draft) if draft else []
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
            outcomes[at] = outcome._replace(problems=(*outcome.problems, _located(told, outcome)))
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
        from ..match.copied import flush_anew, numbered_anew, signed_anew

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
            outcomes[at] = outcome._replace(problems=(*outcome.problems, _located(problem, outcome)))


def _texts_exchanged(op: Op) -> list[Hunk | Swap]:
    """The parts of an edit that give an old text and a new one: no diff, whose lines have signs of their own."""
    said = op.hunks if isinstance(op, Edit) else ()
    return [one for one in said if isinstance(one, Swap) or (isinstance(one, Hunk) and one.policy.compares_texts)]
