"""Results as plain values for JSON: dicts, lists, strings, numbers. Pure."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from ..model import Block, FileChange, Move, Note, Outcome, Receipt, Write
from ..problems import Problem
from .difference import Difference, first_difference
from .words import changes_and_origins, line_count, line_counts, modes, share

if TYPE_CHECKING:
    from ..hints import (
        Action,
        BlockDict,
        DifferenceDict,
        FileDict,
        NoteDict,
        OperationDict,
        PartDict,
        ProblemDict,
        ResultDict,
    )  # fmt: skip
    from ..result import Result
    from ..symbols import Symbol


def as_json(report: Result) -> ResultDict:
    """Return a result as plain values. `receipt` is what undo takes, null if it can't be undone.

    A range is 1-based and inclusive; an insertion has `end == start - 1`. What isn't known is null.
    """
    patch, receipt = report.plan.patch, report.receipt
    changes = [] if report.status == "refused" else changes_and_origins(report.plan)
    return {
        "ok": report.ok,
        "status": report.status,
        "dry_run": report.dry_run,
        "written": report.written,
        "format": patch.format or None,
        "description": patch.description or None,
        "partial": report.partial,
        "changes": [_change_json(*pair) for pair in changes],
        "blocks": [_block_json(block) for block in report.blocks],
        "operations": [_outcome_json(outcome, report) for outcome in report.plan.outcomes],
        "problems": [problem_json(problem, report) for problem in report.problems],
        "notes": [_note_json(note) for note in report.notes],
        "receipt": (receipt.id or None) if receipt and receipt.undoable else None,
        "rest": report.rest or None,
    }


def _block_json(block: Block) -> BlockDict:
    return {
        "first": block.first, "last": block.last, "read_as": block.read_as, "became": block.became,
        "reason": block.reason or None, "path": block.path or None,
    }  # fmt: skip


def _note_json(note: Note) -> NoteDict:
    return {
        "kind": note.kind or None, "text": note.text, "path": note.path or None, "patch_line": note.patch_line or None,
        "line": note.line or None,
    }  # fmt: skip


def problem_json(problem: Problem, report: Result | None = None) -> ProblemDict:
    """Return a problem as plain values.

    `difference` is the first line of the file that isn't as the patch has it. `corrected` has the part as a patch that
    fits, for each line of the file where it may belong.
    """
    difference = first_difference(problem, report) if report is not None and problem.near else None
    return {
        "kind": problem.kind,
        "path": problem.path or None,
        "patch_line": problem.patch_line or None,
        "line": problem.line or None,
        "message": problem.message,
        "advice": problem.advice,
        "hint": problem.hint,
        "near": [{"line": near.line, "text": "\n".join(near.lines), "note": near.note} for near in problem.near],
        "difference": difference and _difference_json(difference),
        "operation": problem.op or None,
        "corrected": [{"line": correction.line or None, "text": correction.text} for correction in problem.corrected],
    }


def _difference_json(difference: Difference) -> DifferenceDict:
    return {"line": difference.line, "file": difference.in_file, "patch": difference.in_patch}


def receipt_json(receipt: Receipt) -> dict[str, object]:
    """Return a receipt as plain values."""
    return {
        "id": receipt.id,
        "time": receipt.time,
        "format": receipt.format or None,
        "description": receipt.description or None,
        "undone": receipt.undone,
        "partial": receipt.partial,
        "session": receipt.session or None,
        "turn": receipt.turn or None,
        "undoes": [*receipt.undoes],
        "changes": [{"path": change.path, "action": action(change)} for change in receipt.changes],
    }


def symbol_json(symbol: Symbol) -> dict[str, object]:
    """Return a symbol as plain values; `start` and `end` count lines from 1, `line` and `column` of its name from 0."""
    return {
        "name": symbol.name, "name_path": symbol.name_path, "kind": symbol.kind,
        "line": symbol.name_pos.line, "column": symbol.name_pos.column,
        "start": symbol.range.start.line + 1, "end": symbol.range.end.line + 1,
        "lead": symbol.lead.start.line + 1 if symbol.lead else None,
        "hash": symbol.hash, "damaged": symbol.damaged, "engine": symbol.engine,
        "children": [symbol_json(child) for child in symbol.children],
    }  # fmt: skip


def json_text(value: object) -> str:
    """Return one line of JSON. ASCII only: lone surrogates, which represent bytes that aren't UTF-8, stay escaped."""
    return json.dumps(value, ensure_ascii=True)


def action(change: FileChange, origin: str = "") -> Action:
    """Return what happened to a path, in one word; `origin` is the path it was moved from."""
    if origin:
        return "move"
    if change.before is None:
        return "create"
    return "delete" if change.after is None else "update"


def _change_json(change: FileChange, origin: str) -> FileDict:
    added, removed = line_counts(change)
    value: FileDict = {"path": change.path, "action": action(change, origin), "added": added, "removed": removed}
    if origin:
        value["from"] = origin
    if bits := modes(change):
        value["mode"] = f"{bits[1]:o}"
    return value


def _outcome_json(outcome: Outcome, report: Result) -> OperationDict:
    op, splices = outcome.op, outcome.splices
    parts: list[PartDict] = [
        {"start": s.start + 1, "end": s.end, "new_lines": len(s.lines), "how": s.how} for s in splices
    ]
    whole = line_count(op.text) if isinstance(op, Write) else None
    value: OperationDict = {
        "number": outcome.number,
        "label": op.label,
        "path": outcome.path,
        "start": splices[0].start + 1 if splices else None,
        "end": splices[-1].end if splices else None,
        "new_lines": sum(len(s.lines) for s in splices) if splices else whole,
        "how": ", ".join(dict.fromkeys(s.how for s in splices)) or None,
        "patch_line": op.patch_line or None,
        "ok": not outcome.problems,
        "applied": share(outcome) if report.ok or report.partial else "none",
        "notes": [note.text for note in outcome.notes],
        "parts": parts,
    }
    if isinstance(op, Move):
        value["to"] = op.to
    return value
