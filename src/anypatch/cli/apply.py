"""The commands that read an answer: apply, check, diff, explain."""

from __future__ import annotations

import sys
from argparse import Namespace
from collections.abc import Callable
from contextlib import ExitStack
from typing import TYPE_CHECKING

from .. import api, pipeline
from ..model import Claims, Edit, Op, Patch, SymbolEdit
from ..problems import Refused
from ..report.files import diff_of
from ..report.json import as_json, json_text
from ..report.people import explain, for_people
from ..result import Result
from ..text import hash_of
from . import terminal
from .inputs import file_given, format_name, read_answer, settings
from .landlock import restrict
from .output import Output, as_output, code_of, layout, painter
from .reshape import decided, is_decided, is_reshaped, reshaped

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
        from .picker import decide

        kept = decide(args, review)
        if kept is None:
            return Output(1, [], ["nothing was changed"])
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
