"""The commands for changes that were made: undo, redo, recover, log, show."""

from __future__ import annotations

import os
import sys
import time
from argparse import Namespace
from collections.abc import Callable, Iterable
from typing import Any

from .. import api
from ..model import Receipt
from ..report.files import changed_files, diff_of
from ..report.json import json_text, receipt_json
from ..report.people import listed
from ..report.words import many, quoted, with_command
from ..storage.hook_log import entries
from ..storage.state import Settings
from . import terminal
from .inputs import nearest, settings
from .landlock import restrict
from .output import Output, as_output, layout, painter

_NOT_OURS = "anypatch: {} can't be shown or undone: not signed by this user's key (see XDG_STATE_HOME)"
_NARROW = 72  # columns that a row of the log needs


def run_undo(args: Namespace) -> Output:
    """Undo a change."""
    restrict(args)
    return as_output(args, api.undo(args.root, args.id or "", force=bool(args.force), settings=settings(args)))


def run_redo(args: Namespace) -> Output:
    """Redo what was undone."""
    restrict(args)
    return as_output(args, api.redo(args.root, args.id or "", settings=settings(args)))


def run_recover(args: Namespace) -> Output:
    """Put back what a crash left half done."""
    restrict(args)
    result = api.recover(args.root, settings=settings(args))
    if not result.ok or args.json or args.quiet:
        return as_output(args, result)
    paint = painter(args)
    return Output(0, [paint("", note.text) for note in result.notes] or ["nothing to recover"], [], True)


def run_log(args: Namespace) -> Output:
    """List the changes that were made, and what hooks did."""
    how = settings(args)
    receipts, foreign = api.log(args.root, settings=how)[: args.number], api.not_ours(args.root, settings=how)
    hooked = entries(args.root)[: args.number]
    warnings = interruptions(args.root, how)
    if args.json:
        value = {"ok": True, "receipts": [receipt_json(receipt) for receipt in receipts], "not_ours": [*foreign]}
        return Output(0, [json_text(value | {"hooks": hooked})], warnings)
    if foreign:
        warnings.append(_NOT_OURS.format(foreign[0] if len(foreign) == 1 else f"{len(foreign)} receipts"))
    elif not receipts and not hooked:
        warnings.append("anypatch: nothing has been applied here")
    paint = painter(args)
    rows = [(receipt.time, _receipt_row(receipt, paint)) for receipt in receipts]
    rows += [(entry.get("time", 0.0), _hook_row(entry, paint)) for entry in hooked]
    return Output(0, [row for _, row in sorted(rows, key=lambda timed: timed[0], reverse=True)], warnings)


def _hook_row(entry: dict[str, Any], paint: Callable[[str, str], str]) -> str:
    """Write the row of a call of an agent's own tool that a hook has fixed or denied."""
    did, client, tool, path, why = (str(entry.get(key, "")) for key in ("did", "client", "tool", "path", "why"))
    about = f"{did}: {client} {tool}  {path}  {why.splitlines()[0] if why else ''}"
    return "  ".join((paint("path", f"{'hook':<20}"), _when(entry.get("time", 0.0)), paint("", quoted(about))))


def _receipt_row(receipt: Receipt, paint: Callable[[str, str], str]) -> str:
    """Write the row of a receipt. What doesn't fit a terminal is cut off; a narrow one gets two lines."""
    about = receipt.description or ", ".join(change.path for change in receipt.changes[:3])
    first = [receipt.id, _when(receipt.time)]
    more = [receipt.format, many(len(receipt.changes), "file")]
    more += ["(undone)"] * receipt.undone + ["(in part)"] * receipt.partial
    is_narrow = False
    if terminal.is_terminal(sys.stdout):
        is_narrow = terminal.width() < _NARROW
        row = ["", *more] if is_narrow else [*first, *more]
        room = max(terminal.width() - sum(len(part) + 2 for part in row), 8)
        about = about if len(about) <= room else f"{about[: room - 1]}…"
    first[0] = paint("path", receipt.id)
    more.append(paint("", quoted(about)))
    return ("\n  " if is_narrow else "  ").join(("  ".join(first), "  ".join(part for part in more if part)))


def _when(seconds: float) -> str:
    return time.strftime("%Y-%m-%d %H:%M", time.localtime(seconds))


def run_show(args: Namespace) -> Output:
    """Show one change that was made: what it is, its files, its diff."""
    result = api.show(args.root, args.id or "", settings=settings(args))
    if not result.ok or not result.receipt:
        return as_output(args, result)
    if args.json:
        return Output(0, [json_text(receipt_json(result.receipt) | {"ok": True, "diff": result.diff()})], [])
    look = layout(args)
    lines = [_receipt_row(result.receipt, look.paint), *listed(changed_files(result), result, look), ""]
    return Output(0, [*lines, *diff_of(result, look.paint)], [])


def interruptions(root: str, how: Settings | None = None) -> list[str]:
    """Return a line for each change in a tree that was interrupted and is not yet undone."""
    problems = [problem for problem in api.look(root, how) if problem.kind == "unsettled"]
    return [f"anypatch: {problem.detail}. {with_command(problem.hint, problem)}" for problem in problems]


def interruptions_around(paths: Iterable[str]) -> list[str]:
    """Return the interruptions in the trees that contain these paths."""
    trees = dict.fromkeys(nearest(os.path.abspath(path), ".anypatch") for path in paths)
    return [line for tree in trees if tree for line in interruptions(tree)]
