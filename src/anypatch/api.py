"""The public calls: read an answer, check it, apply it, take it back. Words nothing and prints nothing."""

from __future__ import annotations

from collections.abc import Mapping, MutableMapping
from os.path import abspath, realpath

from .detect import dedented, read_answer, read_as
from .formats import named, names, scores
from .limits import Limits, check_ops, check_text
from .model import Delete, Edit, FileChange, Merge, Move, Note, Op, Patch, Plan, Receipt, Report, Write
from .parsing.uris import inside
from .plan import plan
from .problems import Near, Problem, Refused
from .record import NamedTuple
from .syntax.validate import MODES, validated
from .text import decode, encode, patch_lines

TYPE_CHECKING = False
if TYPE_CHECKING:
    import os
    from collections.abc import Iterator, Sequence
    from typing import Any, TypeAlias

    from .formats import Format
    from .limits import Tally
    from .match.files import Tree
    from .model import Report
    from .storage.tree import DiskTree, Settings

    Answer: TypeAlias = str | Mapping[str, Any] | Sequence[Any]

__all__ = [
    "Files", "apply", "apply_to", "as_text", "check", "effect", "format_named", "formats", "log", "look", "not_ours",
    "planned_report", "read", "recover", "redo", "same_effect", "scores", "undo",
]  # fmt: skip


class Files(MutableMapping[str, "str | bytes"]):
    """The files after `apply_to`, and the report on it. Where it is neither ok nor partial, they are as they were.

    What wasn't changed is taken from the files given, when it is asked for.
    """

    def __init__(self, files: Mapping[str, str | bytes], report: Report) -> None:
        self.report = report
        self._given = dict(files) if isinstance(files, dict) else files
        self._changed: dict[str, str | bytes | None] = {}

    def __getitem__(self, path: str) -> str | bytes:
        value = self._changed[path] if path in self._changed else self._given[path]
        if value is None:
            raise KeyError(path)
        return value

    def __setitem__(self, path: str, value: str | bytes) -> None:
        self._changed[path] = value

    def __delitem__(self, path: str) -> None:
        if path not in self:
            raise KeyError(path)
        self._changed[path] = None

    def __contains__(self, path: object) -> bool:
        return self._changed[path] is not None if path in self._changed else path in self._given

    def __iter__(self) -> Iterator[str]:
        yield from (path for path in self._given if path in self)
        yield from (path for path in self._changed if path not in self._given and path in self)

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __repr__(self) -> str:
        return f"Files({dict(self)!r})"


class Wish(NamedTuple):
    """What the caller wants of a plan: files taken over, what can be placed alone, what becomes of a file
    that no longer parses."""

    overwrite: bool | None = None
    partial: bool = False
    syntax: str = "warn"
    expected: Mapping[str, str] | None = None
    corrections: bool = True  # whether a refusal shows what would fit


def apply(  # noqa: PLR0913 - each is an option of the command too
    answer: Answer,
    root: str | os.PathLike[str],
    *,
    format: str = "",
    overwrite: bool | None = None,
    dry_run: bool = False,
    again: bool = False,
    partial: bool = False,
    syntax: str = "warn",
    expected: Mapping[str, str] | None = None,
    file: str = "",
    settings: Settings | None = None,
) -> Report:
    """Apply a patch to the directory `root`: all of it, or nothing with every reason in the report.

    `answer`: text, or the dict or list of tool calls, content blocks or messages that the SDK of a vendor gives.
    `format` names the format (default: found out). `overwrite`: None as the format says, True always, False never.
    `again`: also where the last apply was of this very patch and nothing has changed since.
    `partial`: what can be placed is applied; then `report.partial` is set, and `report.rest` is a patch of the rest.
    `syntax`: a file that parsed before and no longer would is a note ("warn"), a refusal ("refuse") or nobody's
    business ("off"). "warn" reads up to 64 KiB and says where it has left files out.
    `expected`: the hash that a file, or `path#symbol`, was read with; refused as stale where it has another by now.
    `file`: the path of fences for which the answer names none.
    `settings`: durability, the wait for others, what becomes of hard links, where the state is kept.
    Never raises for anything that is wrong with the patch, the tree or the machine: `report.ok` tells.
    """
    from .storage.tree import DiskTree, applied_as, receipts

    text = as_text(answer)
    patch, limits = Patch(""), settings.limits if settings else Limits()
    try:
        check_text(text, limits)
        patch = read(text, format, _tally(text, limits), file)
        if patch.exact:
            patch = rooted(patch, _path(root))
        check_ops(patch.ops, limits)
        with DiskTree(_path(root), settings) as tree:
            if dry_run:
                tree.look()
            else:
                tree.lock(make=False)
            if not again and (before := applied_as(tree, encode(text))):
                raise Refused(_applied_before(before, receipts(tree)))
            return _carried_out(text, patch, tree, Wish(overwrite, partial, _mode(syntax), expected), dry_run)
    except Refused as refused:
        return _refused(refused, patch)._replace(dry_run=dry_run)


def check(  # noqa: PLR0913 - as for apply
    answer: Answer,
    root: str | os.PathLike[str],
    *,
    format: str = "",
    overwrite: bool | None = None,
    again: bool = False,
    partial: bool = False,
    syntax: str = "warn",
    expected: Mapping[str, str] | None = None,
    file: str = "",
    settings: Settings | None = None,
) -> Report:
    """What `apply` would do, without doing it."""
    return apply(
        answer, root, format=format, overwrite=overwrite, dry_run=True, again=again, partial=partial, syntax=syntax,
        expected=expected, file=file, settings=settings,
    )  # fmt: skip


def apply_to(  # noqa: PLR0913 - as for apply
    answer: Answer,
    files: Mapping[str, str | bytes],
    *,
    format: str = "",
    overwrite: bool | None = None,
    partial: bool = False,
    syntax: str = "warn",
    file: str = "",
) -> Files:
    """Apply a patch to files in memory: a new mapping comes back, with the report as its attribute `report`.

    Texts come back as str, bytes as bytes; a new file is as the first of the files given. Of a mapping that reads its
    files when they are asked for, only those are read that the answer changes.
    """
    from .tree import MemoryTree, text_like

    tree = MemoryTree(files)
    report = planned_report(answer, tree, Wish(overwrite, partial, _mode(syntax)), format, file)
    result = Files(files, report)
    if report.ok or report.partial:
        for change in report.plan.changes:
            if change.after is None:
                del result[change.path]
                continue
            given = tree.value(change.path)
            if given is None:  # a new file is like the others
                given = next((tree.value(path) for path in files), "")
            data = change.after.data
            result[change.path] = text_like(data, given) if isinstance(given, str) else data
    return result


def planned_report(answer: Answer, tree: Tree, wish: Wish, format: str = "", file: str = "") -> Report:
    """The report on an answer for any tree. Nothing is written: `report.plan.changes` says what is to be."""
    text = as_text(answer)
    try:
        return _settled(text, planned(text, read(text, format, file=file), tree, wish.overwrite), tree, wish)
    except Refused as refused:
        return _refused(refused)


def effect(answer: Answer, files: Mapping[str, str | bytes] | Tree, *, format: str = "") -> tuple[FileChange, ...]:
    """What an answer does to files, as changes by path: the same for all answers that lead to the same files.

    Raises Refused for an answer that can't be applied.
    """
    from .tree import as_tree

    report = planned_report(answer, as_tree(files), Wish(syntax="off", corrections=False), format)
    if not report.ok:
        raise Refused(*report.problems)
    return tuple(sorted(change for change in report.plan.changes if change.before != change.after))


def same_effect(one: Answer, other: Answer, files: Mapping[str, str | bytes] | Tree) -> bool:
    """Whether two answers, in whatever formats, leave the same files; an answer that can't be applied is like none."""
    try:
        return effect(one, files) == effect(other, files)
    except Refused:
        return False


def undo(
    root: str | os.PathLike[str], receipt_id: str = "", *, force: bool = False, settings: Settings | None = None
) -> Report:
    """Take back the last apply in `root`, or the one named. Refused where files changed since, unless forced."""
    from .storage.tree import DiskTree
    from .storage.tree import undo as take_back

    try:
        with DiskTree(_path(root), settings) as tree:
            receipt = take_back(tree, receipt_id, force=force)
            return _turned(receipt, tuple(change.inverse() for change in receipt.changes), tree.notes)
    except Refused as refused:
        return _refused(refused)


def redo(root: str | os.PathLike[str], receipt_id: str = "", *, settings: Settings | None = None) -> Report:
    """Make again what was undone last in `root`, or the one named. Refused where files changed since."""
    from .storage.tree import DiskTree
    from .storage.tree import redo as make_again

    try:
        with DiskTree(_path(root), settings) as tree:
            receipt = make_again(tree, receipt_id)
            return _turned(receipt, receipt.changes, tree.notes)
    except Refused as refused:
        return _refused(refused)


def recover(root: str | os.PathLike[str], *, settings: Settings | None = None) -> Report:
    """Put back what a crash left half done in `root`. Every change does that first; this does no more."""
    from .storage.tree import DiskTree
    from .storage.tree import recover as put_back

    try:
        with DiskTree(_path(root), settings) as tree:
            return Report(True, Plan(Patch("")), notes=put_back(tree))
    except Refused as refused:
        return _refused(refused)


def _turned(receipt: Receipt, changes: tuple[FileChange, ...], notes: list[Note]) -> Report:
    made = Plan(Patch(receipt.format, (), receipt.description), changes)
    return Report(True, made, notes=tuple(notes), receipt=receipt)


def log(root: str | os.PathLike[str], *, settings: Settings | None = None) -> tuple[Receipt, ...]:
    """The receipts kept in `root`, newest first."""
    from .storage.tree import DiskTree, receipts

    with DiskTree(_path(root), settings) as tree:
        return receipts(tree)


def not_ours(root: str | os.PathLike[str], *, settings: Settings | None = None) -> tuple[str, ...]:
    """The ids of receipts in `root` that this user's key didn't sign: `log` leaves them out, `undo` can't use them."""
    from .storage.tree import DiskTree
    from .storage.tree import not_ours as others

    with DiskTree(_path(root), settings) as tree:
        return others(tree)


def look(root: str, settings: Settings | None = None) -> tuple[Problem, ...]:
    """Why what stands in `root` can't be relied on just now: a change in it was broken off and is not put back yet."""
    from .storage.tree import DiskTree

    try:
        with DiskTree(root, settings) as tree:
            tree.look()
    except Refused as refused:
        return refused.problems
    return ()


def read(text: str, format: str = "", tally: Tally | None = None, file: str = "") -> Patch:
    """What a text says, in the format named or in those it looks like. `tally` may refuse it before it is all read.

    `file`: the path of fences for which the answer names none.
    """
    if not format:
        return read_answer(text, tally, file)
    whole = dedented(text)
    return read_as(format, text if whole is None else whole, tally)


def _tally(text: str, limits: Limits) -> Tally | None:
    """What counts the hunks while a patch is read; nothing for one with fewer signs than there may be hunks."""
    if len(text) <= min(limits.files, limits.hunks, limits.file_hunks):
        return None
    from .limits import Tally

    return Tally(limits)


def formats() -> tuple[Format, ...]:
    """All formats."""
    return tuple(named(name) for name in names())


def format_named(name: str) -> Format:
    """One format; raises Refused with the nearest name where there is none."""
    return named(name)


def planned(text: str, patch: Patch, tree: Tree, overwrite: bool | None) -> Plan:
    """The plan; where old lines stand in the files only with HTML escapes undone, that of the patch with them undone.

    Escapes in new text alone are meant: `s.replace("<", "&lt;")`.
    """
    made = plan(patch, tree, overwrite=overwrite)
    if any(problem.kind == "ambiguous" for problem in made.problems):
        made = _as_named(text, made, tree, overwrite)
    if "&" not in text:
        return made
    from .detect import is_escaped, unescaped

    if not is_escaped(text):
        return made
    lost = {problem.kind for problem in made.problems}
    if not lost or not lost <= _MISREAD:
        return _shown_as_meant(made)
    other = read(unescaped(text), patch.format if "+" not in patch.format else "")
    again = plan(other, tree, overwrite=overwrite)
    if not other.ops or again.problems or not (patch.problems or _holds_old_escapes(patch, again)):
        return made
    note = Note("HTML escapes were read as the characters they stand for", patch_line=1)
    return again._replace(patch=other._replace(notes=(*other.notes, note)))


def _as_named(text: str, made: Plan, tree: Tree, overwrite: bool | None) -> Plan:
    """The plan, with edits that have several places where the words beside them say, if that settles any."""
    from .claims import with_claims

    claimed = with_claims(text, made)
    again = plan(claimed, tree, overwrite=overwrite) if claimed is not None else made
    return again if len(again.problems) < len(made.problems) else made


def _shown_as_meant(made: Plan) -> Plan:
    """The plan, with a problem for each file shown whole or in part whose lines stand in it only with escapes undone.

    `a &lt; b` in the place of `a < b`: the whole answer may be escaped, or that may be the very change.
    """
    from .detect import escaped_signs, is_escaped, unescaped

    shown = {outcome.path: number for number, outcome in enumerate(made.outcomes) if _only_shows(outcome.op)}
    outcomes = list(made.outcomes)
    for change in made.changes:
        number = shown.get(change.path, -1)
        if number < 0 or change.before is None or change.after is None:
            continue
        there = {line.strip() for line in patch_lines(decode(change.before.data))}
        lines = [line.strip() for line in patch_lines(decode(change.after.data)) if "&" in line]
        lost = [line for line in lines if is_escaped(line) and line not in there and unescaped(line) in there]
        # An answer that was escaped as a whole has no such sign left.
        if lost and not any(sign in _new_text(outcomes[number].op) for sign in escaped_signs(lost[0]) - {"&"}):
            detail = f"`{lost[0][:80]}` may be meant, or stand for `{unescaped(lost[0])[:80]}`, which the file holds"
            advice = "Send the file without HTML escapes; to write them, say the change as old and new lines."
            problem = Problem("ambiguous", detail, change.path, outcomes[number].op.patch_line, advice=advice)
            outcomes[number] = outcomes[number]._replace(problems=(problem._replace(op=number + 1),))
    return made._replace(outcomes=tuple(outcomes))


def _holds_old_escapes(patch: Patch, again: Plan) -> bool:
    """Whether lines that the patch says are in the files hold HTML escapes; of a file shown, those that stand in it."""
    from .detect import is_escaped, unescaped

    there = {line.strip() for one in again.changes if one.before for line in patch_lines(decode(one.before.data))}
    for op in patch.ops:
        hunks = op.hunks if isinstance(op, Edit) else ()
        old = [text for hunk in hunks for tag, text in hunk.lines if tag != "+"]
        old += op.old if isinstance(op, Delete) else ()
        old += [text for hunk in hunks for text in (*hunk.where.before, *hunk.where.after, *hunk.where.under)]
        shown = [text for hunk in hunks if isinstance(hunk, Merge) for _, text in hunk.lines if is_escaped(text)]
        if any(map(is_escaped, old)) or any(unescaped(text).strip() in there for text in shown):
            return True
    return False


_MISREAD = {"not_found", "bad_patch", "ambiguous", "elision"}


def _new_text(op: Op) -> str:
    """What an operation that only shows says."""
    if isinstance(op, Write):
        return op.text
    return "\n".join(text for hunk in op.hunks for _, text in hunk.lines) if isinstance(op, Edit) else ""


def _only_shows(op: Op) -> bool:
    """Whether an operation holds no old text, so that nothing tells an escape from what it stands for."""
    if isinstance(op, Write):
        return op.keep
    return isinstance(op, Edit) and any(isinstance(hunk, Merge) for hunk in op.hunks)


def _applied_before(id: str, known: tuple[Receipt, ...]) -> Problem:
    """The refusal of a patch that was the last to be applied."""
    in_part = any(receipt.id == id and receipt.partial for receipt in known)
    if not in_part:
        return Problem("already_applied", f"receipt {id} is of this very patch, and nothing changed since")
    detail = f"receipt {id} is of a part of this very patch, and nothing changed since"
    return Problem("already_applied", detail, advice="Send only what was left, or undo it first.")


def _mode(syntax: str) -> str:
    if syntax not in MODES:
        raise ValueError(f"syntax must be one of {', '.join(MODES)}, not {syntax!r}")
    return syntax


def _settled(text: str, made: Plan, tree: Tree, wish: Wish) -> Report:
    """What comes of a plan: all of it, what of it can be placed, or nothing."""
    either = _alternatives(text, made)
    if either is not None:
        return Report(False, Plan(made.patch), (either,))
    if not made.problems:
        made = validated(made, wish.syntax)
        return _report(made._replace(changes=()) if made.problems else made, text)
    if wish.partial:
        from .partial import in_part

        made = validated(in_part(made, tree, wish.overwrite), wish.syntax, partial=True)
        if any(problem.kind == "syntax" for problem in made.problems):
            made = made._replace(outcomes=tuple(outcome._replace(rest=None) for outcome in made.outcomes))
    left = tuple(outcome.rest for outcome in made.outcomes if outcome.rest is not None)
    report = _report(made if left else made._replace(changes=()), text)
    if left:
        from .author.resend import resent

        report = report._replace(partial=True, rest=resent(left, made.patch.format))
    if not wish.corrections:
        return report
    from .alternatives import with_alternatives
    from .suggestions import with_corrections

    return with_corrections(with_alternatives(report, tree), tree)


def _alternatives(text: str, made: Plan) -> Problem | None:
    """Why an answer is refused that fits, but of whose blocks only one is meant."""
    if len(made.patch.ops) < 2 or made.patch.problems:
        return None
    from .alternatives import contradicted, told_apart

    return told_apart(text, made.patch) or contradicted(made)


def _carried_out(text: str, patch: Patch, tree: DiskTree, wish: Wish, dry_run: bool) -> Report:
    """Plan and commit; where somebody wrote in between, what they wrote is planned for anew."""
    from .storage.tree import commit, look_over

    for tries_left in (2, 1, 0):
        report = _settled(text, planned(text, patch, tree, wish.overwrite), tree, wish)
        if wish.expected:
            report = checked(report, tree, wish.expected)
        made, done = report.plan, report.ok or report.partial
        if done and made.changes:
            report = report._replace(notes=report.notes + look_over(tree, made.changes))
        if not done or dry_run or not made.changes:
            break
        try:
            receipt = commit(
                tree, made.changes, format=patch.format, description=patch.description, patch=encode(text),
                origins=_origins(made), partial=report.partial,
            )  # fmt: skip
            report = report._replace(receipt=receipt)
            break
        except Refused as refused:
            if not tries_left or {problem.kind for problem in refused.problems} != {"stale"}:
                raise
            tree.forget()
    return report._replace(notes=report.notes + tuple(tree.notes), dry_run=dry_run)


def _origins(made: Plan) -> dict[str, str]:
    """Where moved files came from, new name to old: they keep their owner and attributes."""
    found: dict[str, str] = {}
    for outcome in made.outcomes:
        if isinstance(outcome.op, Move) and not outcome.op.keeps:
            found[outcome.op.to] = found.pop(outcome.path, outcome.path)
    return found


def _report(made: Plan, text: str) -> Report:
    problems = tuple(_pointed(problem, text) if problem.cited else problem for problem in made.problems)
    notes: tuple[Note, ...] = made.patch.notes + tuple(note for outcome in made.outcomes for note in outcome.notes)
    return Report(not problems, made, problems, notes)


def _pointed(problem: Problem, text: str) -> Problem:
    """A problem with the line of the patch that it cites in the place of its hunk's line."""
    lines = patch_lines(text)
    for row in range(max(problem.patch_line - 1, 0), len(lines)):
        if lines[row].lstrip("+ \t").startswith(problem.cited):
            return problem._replace(patch_line=row + 1)
    return problem


def _refused(refused: Refused, patch: Patch | None = None) -> Report:
    return Report(False, Plan(patch or Patch("")), tuple(refused.problems))


def _path(root: str | os.PathLike[str]) -> str:
    return root if isinstance(root, str) else root.__fspath__()


# ── answers that are no text ────────────────────────────────────────────────────────────────────────


def as_text(answer: Answer) -> str:
    """An answer as text. Values are read as the JSON that they stand for, a message without calls as what it says."""
    if isinstance(answer, str):
        return answer
    if isinstance(answer, bytes | int | float) or answer is None:
        raise TypeError(f"an answer is text, or the dict or list that an SDK gives, not {type(answer).__name__}")
    from json import dumps, loads

    # Surrogates, which stand for bytes that are no UTF-8, stay as they are.
    text = dumps(answer, ensure_ascii=False, default=_plain_value)
    value = loads(text)
    if isinstance(value, list) and value and all(isinstance(one, dict) and "role" in one for one in value):
        # A conversation: the last that the model said.
        value = next((one for one in reversed(value) if one["role"] == "assistant"), {})
        text = dumps(value, ensure_ascii=False)
    words = _words(value)
    return text if words is None else words


def _plain_value(value: Any) -> object:
    """What JSON can hold of an object of an SDK, which are models of pydantic, of an array, or of a mapping."""
    if hasattr(value, "tolist"):
        return value.tolist()
    return value.model_dump() if hasattr(value, "model_dump") else dict(value)


def _words(value: object) -> str | None:
    """The text of a message or of blocks of content that hold nothing but text; None where there is more."""
    if isinstance(value, list):
        parts = [_words(one) for one in value]
        return None if None in parts or not parts else "\n".join(part for part in parts if part)
    if not isinstance(value, dict) or value.get("tool_calls") or value.get("function_call"):
        return None
    kind = value.get("type")
    if kind in ("thinking", "redacted_thinking", "reasoning"):
        return ""
    if kind in ("text", "output_text") and isinstance(value.get("text"), str):
        return str(value["text"])
    if kind == "message" or "role" in value:
        content = value.get("content")
        return content if isinstance(content, str) else _words(content)
    return None


# ── absolute paths ──────────────────────────────────────────────────────────────────────────────────


def rooted(patch: Patch, root: str) -> Patch:
    """The patch with paths relative to the root; what is outside of it stays absolute, and is refused as such."""
    roots = (realpath(root), abspath(root))
    ops: list[Op] = []
    for op in patch.ops:
        op = op._replace(path=inside(op.path, roots))  # noqa: PLW2901
        if isinstance(op, Move):
            op = op._replace(to=inside(op.to, roots))  # noqa: PLW2901
        elif isinstance(op, Edit) and op.other:
            op = op._replace(other=inside(op.other, roots))  # noqa: PLW2901
        ops.append(op)
    return patch._replace(ops=tuple(ops))


# ── files that changed since they were read ─────────────────────────────────────────────────────────


_AROUND = 3  # lines shown above and below the place that a patch means
_MOST = 60


def checked(report: Report, tree: Tree, expected: Mapping[str, str]) -> Report:
    """The report; a refusal instead where a file, or `path#symbol`, no longer hashes to what is expected of it.

    What the plan is made from is what is hashed, so nothing can slip in between this and the commit.
    """
    stale = [problem for key, told in expected.items() for problem in _stale(report, tree, key, told)]
    if not stale:
        return report
    nothing = report.plan._replace(changes=(), outcomes=())
    return report._replace(ok=False, partial=False, rest="", problems=tuple(stale), plan=nothing)


def file_hash(data: bytes) -> str:
    """The hash of a whole file."""
    from hashlib import sha256

    return f"sha256:{sha256(data).hexdigest()}"


def _stale(report: Report, tree: Tree, key: str, told: str) -> list[Problem]:
    path, symbol = key, ""
    data = _before(report, tree, path)
    if data is None and "#" in key:
        path, _, symbol = key.partition("#")
        data = _before(report, tree, path)
    if data is None:
        return [Problem("stale", f"{path} was read before and is gone", path)]
    if not symbol:
        now = file_hash(data)
        near = () if _same(now, told) else _meant(report, tree.canonical(path), decode(data))
    else:
        try:
            from .symbols import find

            found = find(decode(data), path=path, name_path=symbol)
        except Refused as refused:
            return [problem._replace(kind="stale", path=path) for problem in refused.problems]
        now = found.hash
        near = (Near(found.range.start.line + 1, tuple(found.text.splitlines()), "as it is now"),)
    if _same(now, told):
        return []
    return [Problem("stale", f"{key} hashes to {now} now, not to {told}", path, near=near)]


def _before(report: Report, tree: Tree, path: str) -> bytes | None:
    """The bytes that the plan goes by."""
    try:
        path = tree.canonical(path)
        for change in report.plan.changes:
            if change.path == path:
                return change.before.data if change.before else None
        file = tree.read(path)
    except Refused:
        return None
    return file.data if file else None


def _meant(report: Report, path: str, text: str) -> tuple[Near, ...]:
    """The place that the patch means, as it is now: where it would land, or what is nearest to it."""
    lines = text.splitlines()
    for outcome in report.plan.outcomes:
        if outcome.path == path and outcome.splices:
            first = max(outcome.splices[0].start - _AROUND, 0)
            last = min(outcome.splices[-1].end + _AROUND, first + _MOST)
            return (Near(first + 1, tuple(lines[first:last]), "the place meant, as it is now"),)
        for problem in outcome.problems if outcome.path == path else ():
            if problem.near:
                return problem.near
    return (Near(1, tuple(lines[:_MOST]), "the file as it is now"),) if lines else ()


def _same(now: str, told: str) -> bool:
    return now.removeprefix("sha256:") == told.strip().lower().removeprefix("sha256:")
