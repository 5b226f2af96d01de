"""The public calls: apply an answer, preview it, apply it in memory, take it back. Words nothing and prints nothing."""

from __future__ import annotations

import builtins
import logging
from collections.abc import Mapping, Sequence
from os.path import abspath, realpath
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

from .answer.escapes import is_escaped, unescaped, was_escaped
from .answer.read import read, read_escaped
from .formats import Format, checked_name, named, scores
from .formats import known as formats
from .hints import NOT_FOR_MODELS, Accept, Answer, AsyncTree, Folder, FormatName, Hashes, SyntaxCheck, Tree
from .limits import Tally, check_ops, check_text
from .match.files import missing
from .model import FileChange, Move, Note, Patch, Plan, Receipt, paths_of, with_paths
from .paths import relative_to_roots
from .plan import plan
from .problems import Near, Problem, Refused, explained
from .result import Result, no_plan
from .storage import tree as disk
from .storage.state import Settings
from .syntax.check import MODES, check_syntax
from .syntax.languages import language_of
from .text import decode, encode, hash_of, is_hash, looks_binary, patch_lines
from .tree import LoadedTree, MemoryTree, NotLoaded, as_tree

_logger = logging.getLogger(__name__)
How = Annotated[Settings | None, NOT_FOR_MODELS]
if TYPE_CHECKING:
    from collections.abc import Callable

    from .match.files import Tree as Planned
RULES = ("file", "lines", "symbol", "overlay")  # by which a sketch becomes a proposal
__all__ = [
    "Parsed", "Wish", "applied", "apply", "apply_to", "apply_to_async", "as_text", "effect", "format_given",
    "format_named", "formats", "log", "look", "not_ours", "parse", "planned_report", "preview", "read", "recover",
    "redo", "rules_of", "same_effect", "scores", "show", "undo", "view",
]  # fmt: skip


class Wish(NamedTuple):
    """What the caller wants of a plan: files taken over, what can be placed alone, what becomes of a file
    that no longer parses."""

    overwrite: bool | None = None
    partial: bool = False
    syntax: str = "warn"
    expected: Mapping[str, str] | None = None
    corrections: bool = True  # whether a refusal shows what would fit
    accept: tuple[str, ...] | None = None  # the rules whose proposals are taken; None: they are shown first


# ── to a directory ──────────────────────────────────────────────────────────────────────────────────


def apply(  # noqa: PLR0913 - each is an option of the command too
    answer: Answer,
    root: Folder,
    *,
    format: FormatName | None = None,
    overwrite: bool | None = None,
    dry_run: bool = False,
    again: bool = False,
    partial: bool = False,
    syntax: SyntaxCheck = "warn",
    expected: Hashes = None,
    file: str = "",
    accept: Accept = None,
    settings: How = None,
) -> Result:
    """Apply an answer to a directory: all of its edits, or none and every reason why.

    Never raises because of the answer, the tree or the machine: `result.ok` says whether, `result.problems` why not.

    Args:
        answer: What the model wrote: text with edits in any format, or the dict or list that a vendor's SDK returns.
        root: The directory. Nothing outside it is touched.
        format: The format of the edits. Detected if omitted.
        overwrite: Whether a new file may replace an existing one. If omitted, the format decides.
        dry_run: Report what would happen, and write nothing.
        again: Apply it even if it was the last one applied and nothing has changed since.
        partial: Apply what can be placed, and return the rest as a patch in `result.rest`.
        syntax: What to do about a file that parsed before and no longer would: "warn" adds a note (up to 64 KiB are
            checked), "refuse" refuses, "off" doesn't check.
        expected: The hash that each file, or `path#symbol`, had when it was read. Refused as stale if it has changed.
        file: The path for fences and edits for which the answer names none.
        accept: Which proposals to take: what fences of code without marks would change. By default one proposal holds
            everything back, and the result shows it; "none" applies the stated edits alone, "all" takes all, and
            so does a list of rules ("file", "lines", "symbol", "overlay") for those.
        settings: How changes are made: durability, lock timeout, hard links, receipts.
    """
    wish = Wish(overwrite, partial, _mode(syntax), _mapping(expected), accept=rules_of(accept))
    file = _str("file", file)
    text, path, how = as_text(answer), _path(root), _settings(settings)
    return applied(text, path, wish, _format(format), how, dry_run=dry_run, again=again, file=file)


def applied(  # noqa: PLR0913 - as for apply
    text: str,
    root: str,
    wish: Wish,
    format: str,
    settings: Settings,
    *,
    dry_run: bool,
    again: bool = False,
    file: str = "",
    shape: Callable[[Patch], Patch] | None = None,
) -> Result:
    """`apply`, its arguments checked. `shape`: what is made of the patch before it is looked up in the tree."""
    patch, limits = Patch(""), settings.limits
    try:
        check_text(text, limits)
        few = len(text) <= min(limits.files, limits.hunks, limits.file_hunks)  # a hunk is more than one sign
        patch = read(text, format, None if few else Tally(limits), file)
        if patch.exact:  # what is outside of the root stays absolute, and is refused as such
            roots = (realpath(root), abspath(root))
            patch = patch._replace(
                ops=tuple(with_paths(op, lambda path: relative_to_roots(path, roots)) for op in patch.ops)
            )
        patch = shape(patch) if shape else patch
        check_ops(patch.ops, limits)
        with disk.DiskTree(root, settings) as tree:
            if dry_run:
                tree.check_settled()
            else:
                tree.lock(make=False)
            if not (again or shape) and (id := disk.applied_as(tree, encode(text))):
                in_part = any(receipt.id == id and receipt.partial for receipt in disk.receipts(tree))
                detail = (
                    f"receipt {id} is for {'a part of ' if in_part else ''}this patch, and nothing has changed since"
                )
                advice = "Send only the rest, or undo it first." if in_part else ""
                raise Refused(Problem("already_applied", detail, advice=advice))
            return _carried_out(text, patch, tree, wish, dry_run)
    except Refused as refused:
        return no_plan(*refused.problems)._replace(plan=Plan(patch), dry_run=dry_run)


def preview(  # noqa: PLR0913 - as for apply
    answer: Answer,
    root: Folder,
    *,
    format: FormatName | None = None,
    overwrite: bool | None = None,
    again: bool = False,
    partial: bool = False,
    syntax: SyntaxCheck = "warn",
    expected: Hashes = None,
    file: str = "",
    accept: Accept = None,
    settings: How = None,
) -> Result:
    """What `apply` would do, without doing it. The arguments are those of `apply`."""
    return apply(
        answer, root, format=format, overwrite=overwrite, dry_run=True, again=again, partial=partial, syntax=syntax,
        expected=expected, file=file, accept=accept, settings=settings,
    )  # fmt: skip


# ── in memory ───────────────────────────────────────────────────────────────────────────────────────


class Parsed(NamedTuple):
    """What an answer says, before any file is read. `patch`: the engine's own view; its shape may change."""

    text: str
    patch: Patch

    @property
    def format(self) -> str:
        """The name of its format; several are joined by " + ". "" for an answer without edits."""
        return self.patch.format

    @property
    def paths(self) -> tuple[str, ...]:
        """The paths it names, as written. The file that is meant may turn out to have a longer path."""
        return tuple(dict.fromkeys(path for op in self.patch.ops for path in paths_of(op)))

    @property
    def problems(self) -> tuple[Problem, ...]:
        """What in it can't be read."""
        return self.patch.problems

    def plan(
        self,
        files: Mapping[str, str | bytes] | Tree,
        *,
        overwrite: bool | None = None,
        partial: bool = False,
        syntax: SyntaxCheck = "warn",
        accept: Accept = None,
    ) -> Result:
        """What it does to files, like `apply_to`: nothing is written, `result.changes` says what would change."""
        tree, wish = as_tree(files), Wish(overwrite, partial, _mode(syntax), accept=rules_of(accept))
        result = _settled_or_refused(self.text, self.patch, tree, wish)
        if isinstance(tree, MemoryTree):
            result.files = tree.after(result.plan.changes if result.ok or result.partial else ())
        return result


def parse(answer: Answer, *, format: FormatName | None = None, file: str = "") -> Parsed:
    """Read an answer without any files: which paths it names; its `plan` works on any tree.

    Args:
        answer: What the model wrote, as for `apply`.
        format: The format of the edits. Detected if omitted.
        file: The path for fences and edits for which the answer names none.
    """
    text, form = as_text(answer), _format(format)
    try:
        return Parsed(text, read(text, form, file=_str("file", file)))
    except Refused as refused:
        return Parsed(text, Patch("", problems=tuple(refused.problems)))


def apply_to(  # noqa: PLR0913 - as for apply
    answer: Answer,
    files: Mapping[str, str | bytes] | Tree,
    *,
    format: FormatName | None = None,
    overwrite: bool | None = None,
    partial: bool = False,
    syntax: SyntaxCheck = "warn",
    file: str = "",
    accept: Accept = None,
) -> Result:
    """Apply an answer to files in memory: `result.files` has the files afterwards; those given are not changed.

    A str comes back as str, bytes as bytes. Only the files that the answer is about are read, each once.

    Args:
        answer: What the model wrote, as for `apply`.
        files: A mapping from path to contents, or a `Tree`. For a tree, `result.files` has what changed.
        format: The format of the edits. Detected if omitted.
        overwrite: Whether a new file may replace an existing one. If omitted, the format decides.
        partial: Apply what can be placed, and return the rest as a patch in `result.rest`.
        syntax: What to do about a file that parsed before and no longer would: "warn", "refuse" or "off".
        file: The path for fences and edits for which the answer names none.
        accept: Which proposals to take, as for `apply`.
    """
    parsed = parse(answer, format=format, file=file)
    return parsed.plan(files, overwrite=overwrite, partial=partial, syntax=syntax, accept=accept)


async def apply_to_async(  # noqa: PLR0913 - as for apply
    answer: Answer,
    tree: AsyncTree,
    *,
    format: FormatName | None = None,
    overwrite: bool | None = None,
    partial: bool = False,
    syntax: SyntaxCheck = "warn",
    file: str = "",
    accept: Accept = None,
) -> Result:
    """`apply_to` for an asynchronous tree. It needs no thread: planning continues when a file has arrived.

    Args:
        answer: What the model wrote, as for `apply`.
        tree: Where files are read from. `result.files` has what changed.
        format: The format of the edits. Detected if omitted.
        overwrite: Whether a new file may replace an existing one. If omitted, the format decides.
        partial: Apply what can be placed, and return the rest as a patch in `result.rest`.
        syntax: What to do about a file that parsed before and no longer would: "warn", "refuse" or "off".
        file: The path for fences and edits for which the answer names none.
        accept: Which proposals to take, as for `apply`.
    """
    parsed, loaded = parse(answer, format=format, file=file), LoadedTree()
    while True:
        try:
            return parsed.plan(loaded, overwrite=overwrite, partial=partial, syntax=syntax, accept=accept)
        except NotLoaded as missing:
            if missing.path is None:
                loaded.paths = [path async for path in tree.list()]
            else:
                loaded.files[missing.path] = await tree.read(missing.path)


def planned_report(answer: Answer, tree: Planned, wish: Wish, format: str) -> Result:
    """The result for any tree of ours. Nothing is written: `result.plan.changes` says what is to be."""
    text = as_text(answer)
    try:
        patch = read(text, format)
    except Refused as refused:
        return no_plan(*refused.problems)
    return _settled_or_refused(text, patch, tree, wish)


def _settled_or_refused(text: str, patch: Patch, tree: Planned, wish: Wish) -> Result:
    try:
        return _settled(text, _planned(text, patch, tree, wish), tree, wish)
    except Refused as refused:
        return no_plan(*refused.problems)


def effect(
    answer: Answer, files: Mapping[str, str | bytes] | Tree, *, format: FormatName | None = None
) -> tuple[FileChange, ...]:
    """What an answer does to files, as changes by path; equal for all answers that lead to the same files.

    Raises PatchError for an answer that can't be applied.
    """
    result = planned_report(answer, as_tree(files), Wish(syntax="off", corrections=False), _format(format))
    result.raise_for_problems()
    return tuple(sorted(change for change in result.plan.changes if change.before != change.after))


def same_effect(one: Answer, other: Answer, files: Mapping[str, str | bytes] | Tree) -> bool:
    """Whether two answers, in any formats, lead to the same files; False if one can't be applied."""
    try:
        return effect(one, files) == effect(other, files)
    except Refused:
        return False


# ── what was done ───────────────────────────────────────────────────────────────────────────────────


def undo(root: Folder, receipt_id: str = "", *, force: bool = False, settings: How = None) -> Result:
    """Undo the last change in `root`, or the one named. Later edits stay; refused if they touch the same lines."""
    try:
        with disk.DiskTree(_path(root), _settings(settings)) as tree:
            receipt = disk.undo(tree, _str("receipt_id", receipt_id), force=force)
            _logger.info("undid %s: %d files", receipt.id, len(receipt.changes))
            return _turned(receipt, tuple(change.inverse() for change in receipt.changes), tree.notes)
    except Refused as refused:
        return no_plan(*refused.problems)


def redo(root: Folder, receipt_id: str = "", *, settings: How = None) -> Result:
    """Redo what was undone last in `root`, or the one named. Refused if its files have changed since."""
    try:
        with disk.DiskTree(_path(root), _settings(settings)) as tree:
            receipt = disk.redo(tree, _str("receipt_id", receipt_id))
            _logger.info("redid %s: %d files", receipt.id, len(receipt.changes))
            return _turned(receipt, receipt.changes, tree.notes)
    except Refused as refused:
        return no_plan(*refused.problems)


def recover(root: Folder, *, settings: How = None) -> Result:
    """Put back what a crash left half done in `root`. Every change does this first; this call does nothing else."""
    try:
        with disk.DiskTree(_path(root), _settings(settings)) as tree:
            return Result(True, Plan(Patch("")), notes=disk.recover(tree))
    except Refused as refused:
        return no_plan(*refused.problems)


def _turned(receipt: Receipt, changes: tuple[FileChange, ...], notes: list[Note]) -> Result:
    made = Plan(Patch(receipt.format, (), receipt.description), changes)
    return Result(True, made, notes=tuple(notes), receipt=receipt)


def log(root: Folder, *, settings: How = None) -> tuple[Receipt, ...]:
    """The receipts kept in `root`, newest first."""
    with disk.DiskTree(_path(root), _settings(settings)) as tree:
        return disk.receipts(tree)


def show(root: Folder, receipt_id: str = "", *, settings: How = None) -> Result:
    """What the last change in `root`, or the one named, did at the time: `result.changes`, `result.diff()`.

    Args:
        root: The directory.
        receipt_id: The ID of the receipt, or the beginning of it. The last one if omitted.
        settings: Where the state is kept, if not in the directory itself.
    """
    try:
        with disk.DiskTree(_path(root), _settings(settings)) as tree:
            receipt, notes = disk.show(tree, _str("receipt_id", receipt_id))
            return _turned(receipt, receipt.changes, [*notes])._replace(dry_run=True)
    except Refused as refused:
        return no_plan(*refused.problems)


def view(path: str, range: Sequence[int] | None = None, root: Folder = ".") -> str:
    """The lines of a file with their numbers, as shown to a model; for a folder, what is in it, two levels deep.

    Raises PatchError if there is nothing to show.

    Args:
        path: The file or the folder, relative to the root.
        range: The first and the last line, from 1; -1 is the last line of the file.
        root: The directory. Nothing outside it is shown.
    """
    if range is not None and (len(range) != 2 or not all(isinstance(one, int) for one in range)):
        raise ValueError(f"range must be two line numbers, not {range!r}")
    with disk.DiskTree(_path(root)) as tree:
        plain = "" if path.strip("/") in ("", ".") else tree.canonical(path)
        if not plain or tree.has_folder(plain):
            return "".join(f"{one}\n" for one in tree.inside(plain, 2))
        file = tree.read(plain)
        if file is None:
            raise Refused(missing(plain, tree))
    return numbered(plain, file.data, range)


def numbered(path: str, data: bytes, range: Sequence[int] | None) -> str:
    """The lines of a file with their numbers, all or a range of them; Refused where it hasn't these lines."""
    if looks_binary(data):
        raise Refused(Problem("not_text", "the file looks like binary data", path))
    lines = patch_lines(decode(data).removesuffix("\n"))
    first, last = range or (1, -1)
    last = len(lines) if last == -1 else last
    if not 1 <= first <= last <= len(lines):
        detail = f"the file ends at line {len(lines)}, so there are no lines {first} to {last}"
        raise Refused(Problem("bad_call", detail, path, advice="Ask for lines that are in the file."))
    return "".join(f"{number:6}\t{lines[number - 1]}\n" for number in builtins.range(first, last + 1))


def not_ours(root: Folder, *, settings: How = None) -> tuple[str, ...]:
    """The ids of receipts in `root` that this user's key didn't sign: `log` leaves them out, `undo` can't use them."""
    with disk.DiskTree(_path(root), _settings(settings)) as tree:
        return disk.foreign_ids(tree)


def look(root: str, settings: How = None) -> tuple[Problem, ...]:
    """Why what stands in `root` can't be relied on just now: a change in it was broken off and is not put back yet."""
    try:
        with disk.DiskTree(root, _settings(settings)) as tree:
            tree.check_settled()
    except Refused as refused:
        return refused.problems
    return ()


def format_named(name: str) -> Format:
    """The format of that name. Raises PatchError, with the closest name, if there is none."""
    return named(name)


def format_given(name: str) -> FormatName | None:
    """The format that a person or a model named; None for none, PatchError for one that there isn't."""
    return named(name).name if name else None


def _mode(syntax: str) -> str:
    if syntax not in MODES:
        raise ValueError(f"syntax must be one of {', '.join(MODES)}, not {syntax!r}")
    return syntax


def rules_of(accept: Accept) -> tuple[str, ...] | None:
    """The rules that a caller accepts."""
    if accept is None or accept == "none":
        return None if accept is None else ()
    if accept == "all":
        return RULES
    rules = (accept,) if isinstance(accept, str) else tuple(accept)
    for rule in rules:
        if rule not in RULES:
            raise ValueError(f"accept must be 'none', 'all' or some of {', '.join(RULES)}, not {rule!r}")
    return rules


def _planned(text: str, patch: Patch, tree: Planned, wish: Wish) -> Plan:
    """The plan of a patch; if that doesn't fit and the whole answer was escaped for HTML, that of what it says then."""
    made = plan(patch, tree, overwrite=wish.overwrite, answer=text, accept=wish.accept)
    _logger.debug(
        "planned %d edits (%s): %d files change, %d problems",
        len(patch.ops), patch.format, len(made.changes), len(made.problems),
    )  # fmt: skip
    if "&" not in text or not was_escaped(text) or not (made.problems or all(map(_has_no_entities, made.changes))):
        return made
    other = read_escaped(text, patch.format if "+" not in patch.format else "", file=patch.file)
    again = plan(other, tree, overwrite=wish.overwrite, answer=unescaped(text), accept=wish.accept)
    return made if again.problems else again


def _has_no_entities(change: FileChange) -> bool:
    """Whether a file is code that has had no HTML escapes so far."""
    language = language_of(change.path)
    is_code = language is not None and language.family != "xml"
    return is_code and change.before is not None and not is_escaped(change.before.text)


def _settled(text: str, made: Plan, tree: Planned, wish: Wish) -> Result:
    """What comes of a plan: all of it, what of it can be placed, or nothing."""
    report = _report(made if wish.syntax == "off" else check_syntax(made, wish.syntax), text)
    if made.sketched or any(block.became for block in made.patch.blocks):
        report = report._replace(notes=report.notes + _unused_notes(made, wish))
    if report.ok or report.status == "proposed":
        return report
    if not made.problems:
        return report._replace(plan=report.plan._replace(changes=()))
    if wish.partial:
        from .partial import in_part

        made = check_syntax(in_part(made, tree, wish.overwrite), wish.syntax, partial=True)
        if any(problem.kind == "syntax" for problem in made.problems):
            made = made._replace(outcomes=tuple(outcome._replace(rest=None) for outcome in made.outcomes))
    left = tuple(outcome.rest for outcome in made.outcomes if outcome.rest is not None)
    if wish.corrections:
        from .repair import with_offers

        made = with_offers(made, tree, wish.overwrite, text, partial=bool(left))
    report = _report(made if left else made._replace(changes=()), text)
    if left:
        from .author.resend import resend

        report = report._replace(partial=True, rest=resend(left, made.patch.format))
    return report


def _carried_out(text: str, patch: Patch, tree: disk.DiskTree, wish: Wish, dry_run: bool) -> Result:
    """Plan and commit; where somebody wrote in between, what they wrote is planned for anew."""
    for tries_left in (2, 1, 0):
        report = _settled(text, _planned(text, patch, tree, wish), tree, wish)
        if wish.expected:
            report = checked(report, tree, wish.expected)
        made, done = report.plan, report.ok or report.partial
        if done and made.changes:
            report = report._replace(notes=report.notes + disk.check_plan(tree, made.changes))
        if not done or dry_run or not made.changes:
            break
        try:
            receipt = disk.commit(
                tree, made.changes, format=patch.format, description=patch.description, patch=encode(text),
                origins=_origins(made), partial=report.partial,
            )  # fmt: skip
            report = report._replace(receipt=receipt)
            _logger.info("applied %s: %d files", receipt.id, len(receipt.changes))
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


def _unused_notes(made: Plan, wish: Wish) -> tuple[Note, ...]:
    from .propose.sketches import unused_notes

    return unused_notes(made, wish.accept)


def _report(made: Plan, text: str) -> Result:
    problems = tuple([_pointed(problem, text) if problem.cited else problem for problem in made.problems])
    notes = made.patch.notes
    for outcome in made.outcomes:
        if outcome.notes:
            notes += outcome.notes
    return Result(not problems, made, problems, notes)


def _pointed(problem: Problem, text: str) -> Problem:
    """A problem with the line of the patch that it cites in the place of its hunk's line."""
    lines = patch_lines(text)
    for row in range(max(problem.patch_line - 1, 0), len(lines)):
        if lines[row].lstrip("+ \t").startswith(problem.cited):
            return problem._replace(patch_line=row + 1)
    return problem


# ── the arguments of a call: a wrong one is a mistake of the caller's, and raises at once ────────────────


def _path(root: Folder) -> str:
    if isinstance(root, str):
        return root
    if not hasattr(root, "__fspath__"):
        raise TypeError(f"root must be the path of a directory, not {type(root).__name__}")
    path = root.__fspath__()
    if not isinstance(path, str):
        raise TypeError("root must be a path of str, not of bytes")
    return path


def _format(name: str | None) -> str:
    return checked_name(name) if name else ""


def _mapping(expected: Hashes) -> Hashes:
    if expected is not None and not isinstance(expected, Mapping):
        raise TypeError(f"expected must be a mapping from path to hash, not {type(expected).__name__}")
    return expected


def _str(name: str, value: str) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{name} must be a str, not {type(value).__name__}")
    return value


def _settings(settings: Settings | None) -> Settings:
    if settings is not None and not isinstance(settings, Settings):
        raise TypeError(f"settings must be an anypatch.Settings, not {type(settings).__name__}")
    return settings.checked() if settings else Settings()


# ── answers that are no text ────────────────────────────────────────────────────────────────────────


def as_text(answer: Answer) -> str:
    """An answer as text. Values are read as the JSON that they stand for, a message without calls as what it says."""
    if isinstance(answer, str):
        return answer
    if isinstance(answer, bytes | int | float) or answer is None:
        raise TypeError(
            f"an answer must be a str, or the dict or list that an SDK returns, not {type(answer).__name__}"
        )
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


# ── files that changed since they were read ─────────────────────────────────────────────────────────


_AROUND = 3  # lines shown above and below the place that a patch means
_MOST = 60


def checked(report: Result, tree: Planned, expected: Mapping[str, str]) -> Result:
    """The report; a refusal instead where a file, or `path#symbol`, no longer hashes to what is expected of it.

    What the plan is made from is what is hashed, so nothing can slip in between this and the commit.
    """
    stale = [problem for key, told in expected.items() for problem in _stale(report, tree, key, told)]
    if not stale:
        return report
    nothing = report.plan._replace(changes=(), outcomes=())
    return report._replace(ok=False, partial=False, rest="", problems=tuple(stale), plan=nothing)


def _stale(report: Result, tree: Planned, key: str, told: str) -> list[Problem]:
    path, symbol = key, ""
    data = _before(report, tree, path)
    if data is None and "#" in key:
        path, _, symbol = key.partition("#")
        data = _before(report, tree, path)
    if data is None:
        return [Problem("stale", f"{path} no longer exists", path)]
    if not symbol:
        now = hash_of(data)
        near = () if is_hash(told, now) else _meant(report, tree.canonical(path), decode(data))
    else:
        try:
            from .symbols import find

            found = find(decode(data), path=path, name_path=symbol)
        except Refused as refused:
            return [problem._replace(kind="stale", path=path) for problem in refused.problems]
        now = found.hash
        near = (Near(found.range.start.line + 1, tuple(found.text.splitlines()), "as it is now"),)
    if is_hash(told, now):
        return []
    return [Problem("stale", f"the hash of {key} is {now}, not {told}", path, near=near)]


def _before(report: Result, tree: Planned, path: str) -> bytes | None:
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


def _meant(report: Result, path: str, text: str) -> tuple[Near, ...]:
    """The place that the patch means, as it is now: where it would land, or what is nearest to it."""
    lines = text.splitlines()
    for outcome in report.plan.outcomes:
        if outcome.path == path and outcome.splices:
            first = max(outcome.splices[0].start - _AROUND, 0)
            last = min(outcome.splices[-1].end + _AROUND, first + _MOST)
            return (Near(first + 1, tuple(lines[first:last]), "the place in question, as it is now"),)
        for problem in outcome.problems if outcome.path == path else ():
            if near := explained(problem).near:
                return near
    return (Near(1, tuple(lines[:_MOST]), "the file as it is now"),) if lines else ()
