"""The commands for changes that were made: undo, redo, recover, log, show."""

from __future__ import annotations

import os
import sys
import time
from argparse import Namespace
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from .. import api
from ..model import Receipt
from ..report.files import changed_files, diff_of
from ..report.json import json_text, receipt_json
from ..report.people import listed, note_lines
from ..report.words import many, quoted, session_and_turn, with_command
from ..result import Result
from ..storage.history import Selection
from ..storage.logs import verdicts
from ..storage.state import ID_LENGTH, Settings
from . import terminal
from .inputs import nearest, settings
from .landlock import restrict
from .output import Output, as_output, layout, painter

_NOT_OURS = "anypatch: {} can't be shown or undone: not signed by this user's key (see XDG_STATE_HOME)"
_LEAST = 8  # characters of what a change is about


def run_undo(args: Namespace) -> Output:
    """Undo a change, or several as one; on a terminal several are shown first."""
    selection = Selection(args.id or "", bool(args.turn), args.since or "", bool(args.all))
    force, how = bool(args.force), settings(args)
    asks = not (args.yes or args.json or args.for_model or args.quiet) and terminal.can_ask()
    shown = None
    if args.dry_run or (asks and selection != Selection(selection.id)):
        shown = api.undo_selected(args.root, selection, force=force, dry_run=True, settings=how)
        if args.dry_run or not shown.ok:
            return as_output(args, shown)
        if not _confirm(args, shown):
            return Output(1, [], ["nothing was changed"])
    restrict(args)
    return as_output(args, api.undo_selected(args.root, selection, force=force, expected=shown, settings=how))


def _confirm(args: Namespace, shown: Result) -> bool:
    """Show which changes would be undone, and what that changes, and ask."""
    look, undoes = layout(args), shown.receipt.undoes if shown.receipt else ()
    receipts = [receipt for receipt in api.log(args.root, settings=settings(args)) if receipt.id in undoes]
    rows = [_receipt_row(receipt, look.paint) for receipt in receipts]
    is_seen = terminal.show([*rows, "", *diff_of(shown, look.paint)])
    terminal.write(sys.stdout, note_lines(shown.notes, look))
    what = "this change" if len(rows) == 1 else f"these {len(rows)} changes"
    return terminal.ask(f"Undo {what}?", default=is_seen)


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
    hooked = verdicts(args.root)[: args.number]
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
    who = session_and_turn(str(entry.get("session", "")), str(entry.get("turn", "")))
    return _row("hook", entry.get("time", 0.0), [who], about, paint)


def _receipt_row(receipt: Receipt, paint: Callable[[str, str], str]) -> str:
    """Write the row of a receipt."""
    about = receipt.description or ", ".join(change.path for change in receipt.changes[:3])
    if receipt.undoes:
        about = f"of {many(len(receipt.undoes), 'change')}: {', '.join(receipt.undoes)}"
    parts = [receipt.format, many(len(receipt.changes), "file")]
    parts += ["(undone)"] * receipt.undone + ["(in part)"] * receipt.partial
    who = session_and_turn(receipt.session, receipt.turn)
    return _row(receipt.id, receipt.time, [*parts, who], about, paint)


def _row(id: str, seconds: float, parts: Sequence[str], about: str, paint: Callable[[str, str], str]) -> str:
    """Write a row of the log. On a terminal it is folded, and what doesn't fit the last line is cut off."""
    head = "  ".join((paint("path", f"{id:<{ID_LENGTH}}"), _when(seconds)))
    shown = [part for part in parts if part]
    if not terminal.is_terminal(sys.stdout):
        return "  ".join([head, *shown, quoted(about)])
    lines, used, width = [head], ID_LENGTH + 2 + len(_when(seconds)), terminal.width()
    for part in [*shown, about]:
        is_last = len(part) if part is not about else min(len(part), _LEAST)
        if used + 2 + is_last > width:
            lines.append("")
            used = 0
        text = part if part is not about or len(part) <= width - used - 2 else f"{part[: width - used - 3]}…"
        lines[-1] += "  " + paint("", quoted(text))
        used += 2 + len(text)
    return "\n".join(lines)


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
