"""The commands that read an answer: apply, check, diff, explain."""

from __future__ import annotations

import sys
from argparse import Namespace
from collections.abc import Callable
from typing import TYPE_CHECKING

from .. import api, pipeline
from ..model import Claims, Edit, Op, Patch, SymbolEdit
from ..problems import Problem, Refused
from ..report.explain import explain
from ..report.files import diff_of
from ..report.json import as_json, json_text
from ..report.people import block_lines
from ..report.words import correction_numbers, many
from ..result import Result
from ..text import hash_of
from . import terminal
from .inputs import format_name, read_answer, settings
from .landlock import restrict
from .output import Output, as_output, code_of, layout, painter, shortened
from .reshape import is_reshaped, reshaped

if TYPE_CHECKING:
    from ..lsp import Servers


def run_apply(args: Namespace) -> Output:
    """Apply an answer, or say what that would do; on a terminal the change is shown first."""
    run = _Run(args, read_answer(args))
    if args.symbols != "lsp":
        return run.output()
    from ..lsp import Servers

    with Servers(args.root, args.lsp_timeout or 0) as servers:
        run.servers = servers
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
        if is_reshaped(args):
            self.shape = lambda patch: reshaped(args, patch)

    def output(self) -> Output:
        """Apply the answer, after asking on a terminal; or plan it for check, diff and --dry-run."""
        args = self.args
        dry_run = args.command in ("check", "diff") or bool(args.dry_run)
        if args.fix is not None:
            self._fix(args.fix)
        hashes: dict[str, str] | None = None
        if not dry_run:
            if self._asks():
                shown = self.result(dry_run=True)
                if shown.status == "refused" or not shown.plan.changes:
                    return as_output(args, shown)
                if not self._confirm(shown):
                    return Output(1, [], ["nothing was changed"])
                # Apply exactly this, or nothing: somebody may have written in the meantime.
                hashes = {change.path: hash_of(change.before.data) for change in shown.plan.changes if change.before}
            if self.servers:  # they can't be started once the process is restricted, so ask them everything now
                self.result(dry_run=True)
                self.servers.finish()
            restrict(args)
        result = self.result(dry_run=dry_run, hashes=hashes)
        if args.command == "diff" and result.status in ("applied", "proposed"):
            proposals = as_output(args, result).err if result.status == "proposed" else []
            return Output(0 if result.ok else 1, terminal.for_output(diff_of(result, painter(args))), proposals)
        return as_output(args, result)

    def result(self, *, dry_run: bool, hashes: dict[str, str] | None = None, whole: bool = False) -> Result:
        """Apply or plan the answer. `hashes`: what the files must still contain; `whole`: as without --partial."""
        args = self.args
        partial, syntax, rules = bool(args.partial) and not whole, args.syntax or "warn", api.rules_of(args.accept)
        file = args.file or ""
        if file and args.subfolder and not file.startswith("/"):
            file = f"{args.subfolder}/{file}"
        result = pipeline.apply_to_folder(
            self.text, args.root, pipeline.ApplyOptions(args.overwrite, partial, syntax, hashes, accept=rules),
            format_name(args), settings(args), dry_run=dry_run, again=bool(args.again),
            file=file, shape=self.shape,
        )  # fmt: skip
        return result._replace(notes=result.notes + tuple(self.servers.notes)) if self.servers else result

    def _asks(self) -> bool:
        args = self.args
        return not (args.yes or args.json or args.for_model or args.quiet) and terminal.can_ask()

    def _confirm(self, shown: Result) -> bool:
        look = layout(self.args)
        terminal.write(sys.stdout, shortened(self.args, [*block_lines(shown, look), *diff_of(shown, look.paint)]))
        if not terminal.ask("Apply this? [Y/n] "):
            return False
        if shown.status == "proposed":  # somebody has seen the proposals now
            self.args.accept = "all"
        return True

    def _fix(self, chosen: list[int]) -> None:
        """Put the corrections of a refusal into the patch. Nothing changes if a part has none or needs a choice.

        The numbers chosen are those that the report shows.
        """
        from ..repair import corrected_patch

        refusal = self.result(dry_run=True, whole=True)
        if refusal.ok:
            return
        shown = correction_numbers(refusal.problems)
        last = shown[-1].stop - 1 if shown else 0
        if chosen and max(chosen) > last:
            given = ",".join(map(str, chosen))
            detail = f"--fix={given}: the report shows {many(last, 'correction')} to choose from"
            raise Refused(Problem("bad_call", detail))
        if patch := corrected_patch(refusal, [_pick(numbers, chosen) for numbers in shown]):
            self.shape = lambda _: patch

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


def _pick(numbers: range, chosen: list[int]) -> int:
    """Return which of a problem's corrections is taken; -1 for none. An only correction has no number."""
    if not numbers:
        return 0
    picked = [index for index, number in enumerate(numbers) if number in chosen]
    return picked[0] if len(picked) == 1 else -1


def run_explain(args: Namespace) -> Output:
    """Show what was recognised, read and found, and by which level, in words or as JSON."""
    text = read_answer(args)
    patch = api.read(text, format_name(args))
    result = _Run(args, text).result(dry_run=True)
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
                "rungs": hunk.policy.levels,
            }
            for hunk in op.hunks
        ]
    return value
