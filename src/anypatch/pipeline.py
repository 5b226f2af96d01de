"""From text to result: read an answer, plan it, check the plan, commit it. The public calls are in `api.py`."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from os.path import abspath, realpath
from typing import TYPE_CHECKING, NamedTuple

from .answer.accounting import unused_notes
from .answer.read import DECODED, read, read_escaped
from .answer.unwrap import is_escaped, unescaped, was_escaped
from .limits import Limits, Tally, check_ops, check_text
from .model import FileChange, Move, Note, Patch, Plan, with_paths
from .paths import relative_to_roots
from .plan import plan
from .problems import Problem, Refused
from .result import Result, no_plan
from .storage import tree as disk
from .syntax.check import check_syntax
from .syntax.languages import language_of
from .text import encode, patch_lines

if TYPE_CHECKING:
    from collections.abc import Callable

    from .match.files import Tree
    from .rebase import Decide
    from .storage.state import Settings
    from .tree import TreeBefore


_logger = logging.getLogger(__name__)


class ApplyOptions(NamedTuple):
    """Options for planning: overwrite, partial, syntax check, expected hashes, accepted rules.

    `accept` holds the rules whose proposals are taken; with None, proposals are shown first. `corrections` tells
    whether a refusal shows what would fit. `base` returns the tree that the answer was written for, given the tree as
    it is now; None if that is the same.
    """

    overwrite: bool | None = None
    partial: bool = False
    syntax: str = "warn"
    expected: Mapping[str, str] | None = None
    corrections: bool = True
    accept: tuple[str, ...] | None = None
    base: Callable[[Tree], TreeBefore] | None = None


def apply_to_folder(  # noqa: PLR0913 - as for apply
    text: str,
    root: str,
    options: ApplyOptions,
    format: str,
    settings: Settings,
    *,
    dry_run: bool,
    again: bool = False,
    file: str = "",
    shape: Callable[[Patch], Patch] | None = None,
) -> Result:
    """Apply an answer to a directory. `shape` changes the patch before it is planned, as `--only` does."""
    patch = Patch("")
    try:
        patch = read_for_folder(text, root, format, settings.limits, file)
        patch = shape(patch) if shape else patch
        check_ops(patch.ops, settings.limits)
        with disk.DiskTree(root, settings) as tree:
            if dry_run:
                tree.check_settled()
            else:
                tree.lock(make=False)
            if not (again or shape):
                _refuse_repetition(tree, text)
            return _plan_and_commit(text, patch, tree, options, dry_run)
    except Refused as refused:
        return no_plan(*refused.problems)._replace(plan=Plan(patch), dry_run=dry_run)


def read_for_folder(text: str, root: str, format: str, limits: Limits, file: str = "") -> Patch:
    """Read an answer within limits; absolute paths of tools become relative to the directory."""
    check_text(text, limits)
    few = len(text) <= min(limits.files, limits.hunks, limits.file_hunks)  # a hunk has more than one character
    patch = read(text, format, None if few else Tally(limits), file)
    if not patch.exact:
        return patch
    roots = (realpath(root), abspath(root))  # a path outside of the root stays absolute, and is refused as such
    return patch._replace(ops=tuple(with_paths(op, lambda path: relative_to_roots(path, roots)) for op in patch.ops))


def _refuse_repetition(tree: disk.DiskTree, text: str) -> None:
    """Refuse an answer that was the last one applied, if nothing has changed since."""
    id = disk.applied_as(tree, encode(text))
    if not id:
        return
    partly = any(receipt.id == id and receipt.partial for receipt in disk.receipts(tree))
    detail = f"receipt {id} is for {'a part of ' if partly else ''}this patch, and nothing has changed since"
    advice, hint = ("Send only the rest.", "Apply only the rest, or undo it first.") if partly else ("", "")
    raise Refused(Problem("already_applied", detail, advice=advice, hint=hint))


def _plan_and_commit(text: str, patch: Patch, tree: disk.DiskTree, options: ApplyOptions, dry_run: bool) -> Result:
    """Plan and commit; plan again if another process wrote to the files in between."""
    for tries_left in (2, 1, 0):
        result = _planned(text, patch, tree, options)
        changes, applies = result.plan.changes, result.ok or result.partial
        if applies and changes:
            result = result._replace(notes=result.notes + disk.check_plan(tree, changes))
        if not applies or dry_run or not changes:
            break
        try:
            result = commit(text, result, tree)
            break
        except Refused as refused:
            if not tries_left or {problem.kind for problem in refused.problems} != {"stale"}:
                raise
            tree.forget()
    return result._replace(notes=result.notes + tuple(tree.notes), dry_run=dry_run)


def commit(text: str, result: Result, tree: disk.DiskTree, *, partial: bool = False) -> Result:
    """Write what a result plans: all of it, or nothing. `partial`: that is only a part of what the answer says."""
    plan = result.plan
    receipt = disk.commit(
        tree, plan.changes, format=plan.patch.format, description=plan.patch.description, patch=encode(text),
        origins=_origins(plan), partial=partial or result.partial,
    )  # fmt: skip
    _logger.info("applied %s: %d files", receipt.id, len(receipt.changes))
    return result._replace(receipt=receipt)


def _origins(plan: Plan) -> dict[str, str]:
    """Return the old path of each moved file, by its new one: it keeps its owner and attributes."""
    origins: dict[str, str] = {}
    for outcome in plan.outcomes:
        if isinstance(outcome.op, Move) and not outcome.op.is_copy:
            origins[outcome.op.to] = origins.pop(outcome.path, outcome.path)
    return origins


def apply_to_tree(text: str, patch: Patch, tree: Tree, options: ApplyOptions) -> Result:
    """Plan a patch on any tree. Nothing is written: `result.plan.changes` has what would change."""
    try:
        return _planned(text, patch, tree, options)
    except Refused as refused:
        return no_plan(*refused.problems)


def read_and_apply(text: str, tree: Tree, options: ApplyOptions, format: str) -> Result:
    """Read an answer and plan it on any tree."""
    try:
        patch = read(text, format)
    except Refused as refused:
        return no_plan(*refused.problems)
    return apply_to_tree(text, patch, tree, options)


def _planned(text: str, patch: Patch, tree: Tree, options: ApplyOptions) -> Result:
    """Plan a patch on the tree that it was written for, merge the plan into the tree as it is now, and check that."""
    base = options.base(tree) if options.base else None
    plan = plan_answer(text, patch, base or tree, options)
    result = _checked(text, rebased(plan, base, tree), base, tree, options)
    if options.expected:
        from .expected_hashes import check_hashes

        fits = result.ok or has_conflict(result.plan)  # else the files as they are now may be the cause
        return check_hashes(result, base if fits else None, tree, options.expected)
    return result


def rebased(plan: Plan, base: TreeBefore | None, tree: Tree, decide: Decide | None = None) -> Plan:
    """Return a plan that was made on `base`, if there is one, as one for the tree as it is now."""
    if base is None or not plan.changes:
        return plan
    from .rebase import rebase

    return rebase(plan, base, tree, decide)


def plan_answer(text: str, patch: Patch, tree: Tree, options: ApplyOptions) -> Plan:
    """Plan a patch. If that has problems and all of the answer was escaped for HTML, plan what it says unescaped."""
    first = plan(patch, tree, overwrite=options.overwrite, answer=text, accept=options.accept)
    problems = first.problems
    _logger.debug(
        "planned %d edits (%s): %d files change, %d problems",
        len(patch.ops), patch.format, len(first.changes), len(problems),
    )  # fmt: skip
    if "&" not in text or DECODED in patch.notes or not was_escaped(text):
        return first
    if not (problems or all(map(_has_no_entities, first.changes))):
        return first
    decoded = read_escaped(text, patch.format if "+" not in patch.format else "", file=patch.file)
    second = plan(decoded, tree, overwrite=options.overwrite, answer=unescaped(text), accept=options.accept)
    return first if second.problems else second


def _has_no_entities(change: FileChange) -> bool:
    """Return True if a file is code without any HTML escapes so far."""
    language = language_of(change.path)
    is_code = language is not None and language.family != "xml"
    return is_code and change.before is not None and not is_escaped(change.before.text)


def _checked(text: str, plan: Plan, base: TreeBefore | None, tree: Tree, options: ApplyOptions) -> Result:
    """Check the syntax of what a plan writes, and add what helps with its problems: what can be placed, repairs.

    The plan was made on `base`, if there is one, and is one for `tree`. If the two conflict, nothing can be placed.
    """
    checked = plan if options.syntax == "off" else check_syntax(plan, options.syntax)
    has_unused = plan.sketched or len(plan.patch.blocks) > 1
    result = _result(checked, text, unused_notes(plan, options.accept) if has_unused else ())
    if result.ok or result.status == "proposed":
        return result
    if not plan.problems or has_conflict(plan):  # it fits, but a file would no longer parse
        return result._replace(plan=checked._replace(changes=()))
    plan = _in_part(plan, base, tree, options) if options.partial else plan
    return (
        _result(plan._replace(changes=()), text) if has_conflict(plan) else _refusal(text, plan, base or tree, options)
    )


def _refusal(text: str, plan: Plan, tree: Tree, options: ApplyOptions) -> Result:
    """Return the result of a plan with problems: what would fit is offered, and the rest of a partial plan returned."""
    rest = tuple(outcome.rest for outcome in plan.outcomes if outcome.rest is not None)
    if options.corrections:
        from .repair import with_offers

        plan = with_offers(plan, tree, options.overwrite, text, partial=bool(rest))
    result = _result(plan if rest else plan._replace(changes=()), text)
    if not rest:
        return result
    from .author.resend import resend

    return result._replace(partial=True, rest=resend(rest, plan.patch.format))


def _in_part(plan: Plan, base: TreeBefore | None, tree: Tree, options: ApplyOptions) -> Plan:
    """Plan what can be placed; nothing if a file would no longer parse, or has changed in the same place."""
    from .partial import in_part

    part = rebased(in_part(plan, base or tree, options.overwrite), base, tree)
    part = part if has_conflict(part) else check_syntax(part, options.syntax, partial=True)
    if any(problem.kind == "syntax" for problem in part.problems):
        part = part._replace(outcomes=tuple(outcome._replace(rest=None) for outcome in part.outcomes))
    return part


def has_conflict(plan: Plan) -> bool:
    """Return True if a file has changed where the plan changes it, too."""
    return any(problem.kind == "merge_conflict" for problem in plan.problems)


def _result(plan: Plan, text: str, notes: tuple[Note, ...] = ()) -> Result:
    problems = plan.problems
    if problems:
        problems = tuple([_at_cited_line(problem, text) if problem.cited else problem for problem in problems])
    all_notes = [*plan.patch.notes]
    for outcome in plan.outcomes:
        all_notes += outcome.notes
    return Result(not problems, plan, problems, (*all_notes, *notes))


def _at_cited_line(problem: Problem, text: str) -> Problem:
    """Point a problem to the line of the patch that it cites, instead of the first line of its hunk."""
    lines = patch_lines(text)
    for row in range(max(problem.patch_line - 1, 0), len(lines)):
        if lines[row].lstrip("+ \t").startswith(problem.cited):
            return problem._replace(patch_line=row + 1)
    return problem
