"""Plan a patch: every byte that will change and every problem are known before anything is written. Pure.

Each operation is one step: it finds its file, and places its edits in the text of their round (`drafts.py`,
`rounds.py`), or writes, deletes or moves the file (`whole_files.py`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .match.drafts import Done, Draft, Work, edit, edit_notebook, edit_symbol
from .match.files import NamedFile, files_containing, find_elsewhere, find_file, missing, shows_old
from .model import Delete, Edit, FileChange, Move, Note, Op, Outcome, Patch, Plan, Write
from .problems import Problem, Refused, explained

if TYPE_CHECKING:
    from collections.abc import Collection

    from .match.files import Tree

_LOOKED_FOR = 3  # edits of one file whose old text is looked for in other files


def plan(
    patch: Patch,
    tree: Tree,
    *,
    overwrite: bool | None = None,
    answer: str = "",
    accept: Collection[str] | None = None,
) -> Plan:
    """Plan what a patch does to a tree.

    `overwrite`: True always, False never, None as the format says. `answer`: the text that the patch was read from;
    names in it may choose between equal places. `accept`: the rules whose proposals are taken.
    """
    work = Work(tree, patch, overwrite, answer)
    outcomes = [step(number, op, work) for number, op in enumerate(patch.ops, 1)]
    if not patch.sketches:
        return finish(work, outcomes)
    from .propose.outcomes import propose_outcomes

    sketched = propose_outcomes(work, outcomes, accept, step)
    return finish(work, outcomes)._replace(sketched=sketched)


# ── one operation ────────────────────────────────────────────────────────────────────────────────


def step(number: int, op: Op, work: Work) -> Outcome:
    """Carry out one operation on the drafts; one with problems leaves no trace in them."""
    path = op.path
    try:
        path = work.canonical(op.path)
        link = work.link(op.path) if isinstance(op, (Delete, Move)) else ""
        path = link or path
        draft = work.draft(path)
        notes: tuple[Note, ...] = ()
        if not draft.exists and draft.before is None and not link and not work.patch.exact:
            if "#" in op.path and (scope := _scope_named(op, work)) is not None:
                path, notes, symbol = scope
                done = edit_symbol(op, path, work, symbol)
                return Outcome(number, op, path, done.applied, (), notes + done.notes)
            path, spelling, notes = _file_named(op, op.path, work)
            if isinstance(op, (Delete, Move)):
                path = work.link(spelling) or path
            draft = work.draft(path)
        done = _carry_out(op, path, draft, work)
        return Outcome(number, op, path, done.applied, (), notes + done.notes)
    except Refused as refused:
        return _refused(refused, Outcome(number, op, path), work)


def _carry_out(op: Op, path: str, draft: Draft, work: Work) -> Done:
    """Carry out an operation on its file."""
    if isinstance(op, Edit) and isinstance(op.whole, Write) and not draft.exists and draft.before is None:
        op = op.whole  # a file shown in part that isn't there is a new one
    if isinstance(op, Edit):
        is_notebook = path.endswith(".ipynb") and draft.exists
        return edit_notebook(op, draft, work) if is_notebook else edit(op, draft, work)
    from .match.whole_files import delete, move, write

    if isinstance(op, Write):
        return write(op, path, work)
    return delete(op, path, work) if isinstance(op, Delete) else move(op, path, work)


def _refused(refused: Refused, outcome: Outcome, work: Work) -> Outcome:
    """Return the outcome of an operation that was refused, with what may be the cause."""
    op, path = outcome.op, outcome.path
    draft = work.drafts.get(path)
    failed_before = draft.failed if draft is not None else 0
    causes = refused.problems
    if draft is not None:
        if isinstance(op, Edit) and failed_before < _LOOKED_FOR:
            causes = _with_other_files(causes, op, path, work)
        draft.failed += 1
    problems = []
    for problem in causes:
        kind = op.no_file if problem.kind == "not_a_file" and isinstance(op, Delete) else problem.kind
        line = problem.patch_line or op.patch_line
        located = problem._replace(kind=kind, path=problem.path or path, patch_line=line, op=outcome.number)
        if failed_before and kind in ("not_found", "ambiguous", "file_missing", "no_block"):
            located = _after_failure(located)
        problems.append(located)
    return outcome._replace(problems=tuple(problems))


def _after_failure(problem: Problem) -> Problem:
    """Return the problem with a word on the earlier one, which may be its cause."""

    def explain(bare: Problem) -> Problem:
        full = explained(problem)
        return full._replace(detail=f"{full.detail} (an earlier edit of this file failed, which may be the cause)")

    return problem._replace(explain=explain)


def _with_other_files(problems: tuple[Problem, ...], op: Edit, path: str, work: Work) -> tuple[Problem, ...]:
    """Return the problems of an edit whose old text isn't in its file, with the names of files that have it."""
    if not {problem.kind for problem in problems} <= {"not_found", "file_missing"} or not shows_old(op):
        return problems
    others = files_containing(path, op, work.tree, work.peek)[:3]
    advice = f"The old lines are in {' and in '.join(others)}; name that file if it is the intended one."
    return tuple(problem._replace(advice=advice) for problem in problems) if others else problems


def _file_named(op: Op, path: str, work: Work) -> NamedFile:
    """Return the intended file of an operation whose path doesn't exist as written; else the path itself."""
    if isinstance(op, Write) and (not op.keep_line_endings or op.proposed):
        plain = path.replace("\\", "/")  # no new name may hold a backslash
        notes = (Note(f"{path} was read as {plain}", plain, op.patch_line),) if plain != path else ()
        return NamedFile(work.canonical(plain), plain, notes)
    named = find_file(path, work.tree, work.exists)
    if work.exists(named.path):
        return named
    if isinstance(op, Edit) and op.other_path:
        other = find_file(op.other_path, work.tree, work.exists)
        if work.exists(other.path):
            note = Note(f"{path} doesn't exist; {other.path}, which the patch also names, was edited", other.path)
            return other._replace(notes=(note,))
    return find_elsewhere(op, path, work.tree, work.peek) or named


def _scope_named(op: Op, work: Work) -> tuple[str, tuple[Note, ...], str] | None:
    """Split `path#Class/method` into file and symbol; None unless there is such a file."""
    from .match.symbol_edits import names_source

    for at, sign in enumerate(op.path):
        if sign != "#" or not op.path[at + 1 :].strip() or isinstance(op, Move):
            continue
        path, _, notes = _file_named(op, op.path[:at], work)
        if path and work.exists(path):
            return path, notes, op.path[at + 1 :].strip()
        if names_source(op.path[:at]):
            raise Refused(missing(path, work.tree))
    return None


def finish(work: Work, outcomes: list[Outcome]) -> Plan:
    """Return the plan, after the steps of all operations."""
    changes = []
    for path, draft in work.drafts.items():
        after = draft.after()
        if after != draft.before:
            changes.append(FileChange(path, draft.before, after))
    return Plan(work.patch, tuple(changes), tuple(outcomes))
