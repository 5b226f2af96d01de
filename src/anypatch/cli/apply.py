"""The commands that read an answer: apply, check, diff, explain."""

from __future__ import annotations

import os
import sys
from argparse import Namespace
from collections.abc import Callable
from contextlib import ExitStack
from typing import TYPE_CHECKING

from .. import api, pipeline
from ..model import (
    Claims,
    Delete,
    Edit,
    EditBody,
    Hunk,
    Move,
    Op,
    Patch,
    SymbolEdit,
    Write,
    paths_of,
    signed_hunk,
    with_paths,
)
from ..problems import Problem, Refused
from ..report.files import diff_of
from ..report.json import as_json, json_text
from ..report.people import explain, for_people
from ..report.words import many
from ..result import Result
from ..text import hash_of
from . import terminal
from .inputs import file_given, format_name, read_answer, settings
from .landlock import restrict
from .output import Output, as_output, code_of, copied, layout, painter

if TYPE_CHECKING:
    from ..lsp import Servers
    from ..match.files import Tree
    from ..reviewing.review import Review
    from ..tree import TreeBefore


def run_apply(args: Namespace) -> Output:
    """Apply an answer, or say what that would do; on a terminal the change is shown first."""
    run = _Run(args, read_answer(args))
    with ExitStack() as stack:
        if args.copy:
            from .clipboard import started

            stack.enter_context(started())
        run.base = stack.enter_context(api.given_base(args.base, args.root))
        if args.symbols == "lsp":
            from ..lsp import Servers

            run.servers = stack.enter_context(Servers(args.root, args.lsp_timeout or 0))
            run.convert_rename()
        return run.output()


run_check = run_diff = run_apply


class _Run:
    """One run with an answer. `shape` is what the options make of its patch."""

    def __init__(self, args: Namespace, text: str) -> None:
        self.args = args
        self.text = text
        self.shape: Callable[[Patch], Patch] | None = None
        self.servers: Servers | None = None
        self.base: Callable[[Tree], TreeBefore] | None = None
        if is_reshaped(args):
            self.shape = lambda patch: reshaped(args, patch)

    def output(self) -> Output:
        """Apply the answer, after asking on a terminal; or plan it for check, diff and --dry-run."""
        args = self.args
        dry_run = args.command in ("check", "diff") or bool(args.dry_run)
        if is_decided(args):
            patch = decided(args, self.review())
            self.shape = lambda _: patch
        if not dry_run:
            if self._asks():
                return self._ask()
            if self.servers:  # they can't be started once the process is restricted, so ask them everything now
                self.result(dry_run=True)
                self.servers.finish()
            restrict(args)
        result = self.result(dry_run=dry_run)
        if args.command == "diff" and result.status in ("applied", "proposed"):
            proposals = as_output(args, result).err if result.status == "proposed" else []
            return Output(0 if result.ok else 1, terminal.for_output(diff_of(result, painter(args))), proposals)
        return as_output(args, result, self._reviewed() if args.command == "check" and args.json else None)

    def _reviewed(self) -> Review | None:
        """Return the review for `check --json`; None if the answer can't be read."""
        try:
            return self.review()
        except Refused:
            return None

    def review(self) -> Review:
        """Return the answer's edits and hunks, as the options make them."""
        from ..reviewing.review import review_text

        args = self.args
        return review_text(
            self.text, args.root, format=format_name(args), overwrite=args.overwrite, syntax=args.syntax or "warn",
            file=file_given(args), settings=settings(args), shape=self.shape, base=self.base,
            accept=() if args.accept == "none" else api.RULES,
        )  # fmt: skip

    def _ask(self) -> Output:
        """Show what the answer would change, and apply what somebody keeps of that."""
        args = self.args
        shown = self.result(dry_run=True)
        if "already_applied" in shown.kinds or (shown.status == "refused" and not shown.plan.outcomes):
            return as_output(args, shown)
        if args.partial:
            terminal.write(sys.stdout, for_people(shown, layout(args)))
            is_seen = terminal.show(diff_of(shown, painter(args)))
            if shown.plan.changes and not terminal.ask("Apply this part?", default=is_seen):
                return Output(1, [], ["nothing was changed"])
            restrict(args)
            hashes = {change.path: hash_of(change.before.data) for change in shown.plan.changes if change.before}
            return as_output(args, self.result(dry_run=False, hashes=hashes))
        review = self.review()
        if not (review.hunks or review.choices):
            return as_output(args, shown)
        from .review import decide

        kept = decide(args, review)
        if kept is None:
            return Output(1, [], ["nothing was changed", *([] if shown.ok else copied(args, shown))])
        if isinstance(kept, Output):
            return kept
        if self.servers:
            self.servers.finish()
        restrict(args)
        return as_output(args, kept.apply())

    def result(self, *, dry_run: bool, hashes: dict[str, str] | None = None) -> Result:
        """Apply or plan the answer. `hashes`: what the files must still contain."""
        args = self.args
        partial, syntax, rules = bool(args.partial), args.syntax or "warn", api.rules_of(args.accept)
        result = pipeline.apply_to_folder(
            self.text, args.root,
            pipeline.ApplyOptions(args.overwrite, partial, syntax, hashes, accept=rules, base=self.base),

            format_name(args), settings(args), dry_run=dry_run, again=bool(args.again),
            file=file_given(args), shape=self.shape,
        )  # fmt: skip
        return result._replace(notes=result.notes + tuple(self.servers.notes)) if self.servers else result

    def _asks(self) -> bool:
        args = self.args
        return not (args.yes or args.json or args.for_model or args.quiet) and terminal.can_ask()

    def convert_rename(self) -> None:
        """If the patch is one rename of a symbol and nothing else, replace it with the edits of a language server."""
        from ..lsp import plan_rename

        args = self.args
        try:
            patch = api.read(self.text, format_name(args))
            patch = self.shape(patch) if self.shape else patch
        except Refused:
            return
        op = patch.ops[0] if len(patch.ops) == 1 else None
        hunk = op.hunks[0] if isinstance(op, Edit) and len(op.hunks) == 1 else None
        if not op or not isinstance(hunk, SymbolEdit) or hunk.action != "rename":
            return
        seconds = args.lsp_timeout or 0
        edit = plan_rename(args.root, op.path, hunk.text[0], name_path=hunk.symbol, at=hunk.at, seconds=seconds)
        self.text, self.shape = edit.patch, None
        args.format, args.syntax = "workspace-edit", "refuse"


def run_explain(args: Namespace) -> Output:
    """Show what was recognised, read and found, and by which level, in words or as JSON."""
    text = read_answer(args)
    patch = api.read(text, format_name(args))
    run = _Run(args, text)
    with api.given_base(args.base, args.root) as run.base:
        result = run.result(dry_run=True)
    scores = api.scores(text)
    if args.json:
        value = as_json(result) | {"scores": dict(scores), "parsed": [_op_json(op) for op in patch.ops]}
        return Output(code_of(result), [json_text(value)], [])
    return Output(code_of(result), explain(patch, result, scores, painter(args)), [])


def _op_json(op: Op) -> dict[str, object]:
    """Write an operation of the patch, before it is located. Claims that it doesn't make are left out."""
    value: dict[str, object] = {"label": op.label, "path": op.path, "patch_line": op.patch_line or None}
    if isinstance(op, Edit):
        value["hunks"] = [
            {
                "patch_line": hunk.patch_line or None,
                "lines": [tag + text for tag, text in hunk.lines],
                "claims": {name: claim for name, claim in zip(Claims._fields, hunk.claims, strict=True) if claim},
                "levels": hunk.policy.levels,
            }
            for hunk in op.hunks
        ]
    return value


# ── options that change the patch ────────────────────────────────────────────────────────────────


def reshaped(args: Namespace, patch: Patch) -> Patch:
    """Return the patch as the options change it."""
    if args.subfolder:
        patch = _from_subfolder(patch, args.root, args.subfolder)
    if args.reverse:  # a sketch has no inverse
        patch = patch._replace(sketches=(), blocks=tuple(b for b in patch.blocks if b.read_as != "sketch"))
    return patch._replace(ops=tuple(_inverse(op) for op in reversed(patch.ops))) if args.reverse else patch


def is_reshaped(args: Namespace) -> bool:
    """Return True if an option changes the patch."""
    return bool(args.subfolder or args.reverse)


# ── decisions that a person makes in a review, as options ────────────────────────────────────────


def is_decided(args: Namespace) -> bool:
    """Return True if options decide what of the answer is taken."""
    return bool(args.only or args.fix is not None or any(old for old, _ in args.paths or ()))


def decided(args: Namespace, review: Review) -> Patch:
    """Return the patch with the paths, corrections, alternatives and edits that the options choose."""
    for old, new in args.paths or ():
        review = review.use_path(old, _from_root(new, args)) if old else review
    if args.fix is not None:
        review = _with_options(review, args.fix)
    patch, numbers = review.full_plan.patch, args.only
    if not numbers:
        return patch
    count = len(review.request.patch.ops) + len(review.request.patch.sketches)
    if max(numbers) > count:
        raise Refused(Problem("bad_call", f"--only {_listed(numbers)}: the answer has {many(count, 'edit')}"))
    for choice in review.choices:
        taken = [at for at, edit in enumerate(choice.edits, 1) if edit in numbers]
        if choice.chosen is None and len(taken) == 1:
            review = review.choose(choice.id, taken[0])
    return review.only(numbers)


def _from_root(path: str, args: Namespace) -> str:
    inner = f"{args.subfolder}/{path}" if args.subfolder else ""
    return inner if inner and os.path.lexists(os.path.join(args.root, inner)) else path


def _with_options(review: Review, numbers: list[int]) -> Review:
    """Take the options with these numbers, and every correction that is the only one."""
    last = max((option.number for choice in review.choices for option in choice.options), default=0)
    if numbers and max(numbers) > last:
        detail = f"--fix={_listed(numbers)}: the report shows {many(last, 'correction')} to choose from"
        raise Refused(Problem("bad_call", detail))
    for choice in review.choices:
        chosen = [at for at, option in enumerate(choice.options, 1) if option.number in numbers]
        chosen = [1] if choice.kind == "corrected" and len(choice.options) == 1 else chosen
        if len(chosen) == 1:  # two of one choice contradict each other: it stays open
            review = review.choose(choice.id, chosen[0])
    return review


def _listed(numbers: list[int]) -> str:
    return ",".join(map(str, numbers))


def _from_subfolder(patch: Patch, root: str, subfolder: str) -> Patch:
    """Prepend the subfolder to paths that exist there and not at the root.

    In shop/, `cart.py` is shop/cart.py if the root has no cart.py of its own. A new file goes where the files are that
    it comes with.
    """
    paths = dict.fromkeys(path for op in patch.ops for path in paths_of(op))
    inner = {path: os.path.normpath(f"{subfolder}/{path}") for path in paths if _may_be_inner(path)}
    at_root = {path for path in inner if os.path.lexists(os.path.join(root, path))}
    at_subfolder = {path for path in inner if os.path.lexists(os.path.join(root, inner[path]))}
    for path in sorted(at_root & at_subfolder):
        if inner[path] != path:
            detail = f"there is a {path} in {subfolder}/ and one at the root of the tree"
            raise Refused(Problem("ambiguous", detail, path, advice="Name the root.", command="-C DIR does that."))
    moved = {path: inner[path] for path in inner if path not in at_root} if at_subfolder - at_root else {}
    return patch._replace(ops=tuple(with_paths(op, lambda path: moved.get(path, path)) for op in patch.ops))


def _may_be_inner(path: str) -> bool:
    return bool(path) and not path.startswith(("/", "../")) and "#" not in path


# ── the inverse ──────────────────────────────────────────────────────────────────────────────────


def _inverse(op: Op) -> Op:
    """Return the operation that undoes another, if that says what was there before; else raise Refused."""
    if isinstance(op, Edit) and not op.mode:
        return op._replace(hunks=tuple(_inverse_hunk(hunk, op.path) for hunk in op.hunks), whole=None)
    if isinstance(op, Write) and not (op.overwrite or op.keep_line_endings or op.mode):
        return _deletion(op)
    if isinstance(op, Delete) and op.whole and op.old:
        return Write(op.path, "\n".join(op.old) + ("" if op.no_final_newline else "\n"), patch_line=op.patch_line)
    if isinstance(op, Move) and not op.is_copy:
        return op._replace(path=op.to, to=op.path)
    raise _no_inverse(op.path, op.patch_line)


def _deletion(op: Write) -> Delete:
    """Return the deletion of a file that a patch creates, if it still has that text."""
    lines = tuple(op.text.removesuffix("\n").split("\n")) if op.text else ()
    unended = bool(op.text) and not op.text.endswith("\n")
    return Delete(op.path, op.patch_line, old=lines, whole=True, no_final_newline=unended)


def _inverse_hunk(hunk: EditBody, path: str) -> EditBody:
    """Exchange the old and the new text of a hunk, and what it says about the file's last newline."""
    if not isinstance(hunk, Hunk) or not hunk.new:
        raise _no_inverse(path, hunk.patch_line)
    if not hunk.signed:
        return hunk._replace(old=hunk.new, new=hunk.old)
    lines: list[tuple[str, str]] = []
    removed: list[tuple[str, str]] = []
    added: list[tuple[str, str]] = []
    for tag, text in (*hunk.lines, (" ", "")):
        if tag == "+":
            removed.append(("-", text))
        elif tag == "-":
            added.append(("+", text))
        else:
            lines += [*removed, *added, (tag, text)]
            removed, added = [], []
    final = {"removed": "added", "added": "removed"}.get(hunk.claims.final_newline, "")
    return signed_hunk(lines[:-1], hunk.policy, hunk.claims._replace(final_newline=final), hunk.patch_line)


def _no_inverse(path: str, line: int) -> Refused:
    detail = "the edit can't be reversed: it doesn't say what was there before"
    return Refused(Problem("cannot_say", detail, path, line, advice="Undo the change, or write the inverse by hand."))
