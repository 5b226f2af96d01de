"""The changed files of a result as lines: a list, their edits, a diff. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ..diff import unified
from ..model import Delete, LineSplice, Move, Outcome, Write
from ..text import looks_binary, text_of
from .json import action
from .words import changes_and_origins, line_count, line_counts, many, modes, plain, quoted, share, span

if TYPE_CHECKING:
    from ..result import Result
    from .words import Paint

_LETTERS = {"create": "A", "update": "M", "delete": "D", "move": "R"}
DIFF_STYLES = {"+": "add", "-": "remove", "@": "hunk", "\\": "dim"}


class ChangedFile(NamedTuple):
    """A changed file: A, M, D or R, its name, the numbers of added and removed lines, the old and new permissions."""

    letter: str
    name: str
    added: int
    removed: int
    bits: tuple[int, int] | None


def changed_files(report: Result) -> list[ChangedFile]:
    """Return the changed files of a result."""
    rows = []
    for change, origin in changes_and_origins(report.plan):
        name = f"{quoted(origin)} → {quoted(change.path)}" if origin else quoted(change.path)
        rows.append(ChangedFile(_LETTERS[action(change, origin)], name, *line_counts(change), modes(change)))
    return rows


def edits_by_file(report: Result, paint: Paint) -> list[str]:
    """Return for each file its path and what its edits did, in the order of the patch."""
    existing = {change.path for change in report.plan.changes if change.before is not None}
    by_path: dict[str, list[str]] = {}
    for outcome in report.plan.outcomes:
        if share(outcome) == "none":
            continue
        by_path.setdefault(outcome.path, []).extend(
            [f"  {text}" for text in describe_outcome(outcome, outcome.path in existing, paint)]
        )
        if isinstance(outcome.op, Move):
            existing.add(outcome.op.to)
        kept = isinstance(outcome.op, Move) and outcome.op.is_copy
        if isinstance(outcome.op, Delete | Move) and not outcome.splices and not kept:
            existing.discard(outcome.path)
        else:
            existing.add(outcome.path)
    return [line for path, lines in by_path.items() for line in (paint("path", quoted(path)), *lines)]


def describe_outcome(outcome: Outcome, existed: bool, paint: Paint) -> list[str]:
    """Say what one operation did, in a line for each place."""
    op = outcome.op
    if isinstance(op, Move):
        return [f"{'copied' if op.is_copy else 'moved'} to " + paint("path", quoted(op.to))]
    mode = "" if isinstance(op, Delete) or not op.mode else f"permissions {op.mode & 0o777:o}"
    if outcome.splices:  # of a file, or of the one symbol that `a.py#f` writes or deletes
        return [*(_describe_splice(splice, paint) for splice in outcome.splices), *([mode] if mode else [])]
    if isinstance(op, Delete):
        return ["deleted"]
    return [_describe_write(op, outcome, existed, mode)] if isinstance(op, Write) else [mode or "unchanged"]


def _describe_write(op: Write, outcome: Outcome, existed: bool, mode: str) -> str:
    text = f"{'overwritten' if existed else 'created'}, {many(line_count(op.text), 'line')}"
    if op.proposed:
        text = f"a proposal (rule {op.label}), {'not accepted' if outcome.problems else 'accepted'}"
    return f"{text}, {mode}" if mode and op.mode & 0o111 else text


def _describe_splice(splice: LineSplice, paint: Paint) -> str:
    how = "" if splice.how in ("exact", "") else " " + paint("dim", f"({splice.how})")
    count = len(splice.lines)
    if splice.start == splice.end:
        where = f"after line {splice.start}" if splice.start else "at the start"
        return f"inserted {many(count, 'line')} {where}{how}"
    old = span(splice.start + 1, splice.end)
    return f"replaced {old} with {many(count, 'line')}{how}" if count else f"deleted {old}{how}"


def restored(report: Result, paint: Paint) -> list[str]:
    """Say for each file what undo or redo did to it."""
    words = {"create": "put back", "delete": "removed", "update": "restored"}
    return [f"{paint('path', quoted(c.path))}: {words[action(c)]}" for c in report.plan.changes]


def diff_of(report: Result, paint: Paint = plain) -> list[str]:
    """Return what a result changes as a unified diff; a line above each file tells if its permissions change."""
    lines: list[str] = []
    for change, origin in changes_and_origins(report.plan):
        old, new = change.before, change.after
        names = (quoted(origin or change.path), quoted(change.path))
        if bits := modes(change):
            was = f"{bits[0]:o} to " if bits[0] else ""
            lines.append(paint("dim", f"permissions {was}{bits[1]:o}: {names[1]}"))
        if any(side and looks_binary(side.data) for side in (old, new)):
            lines.append(paint("dim", f"binary contents differ: {names[1]}"))
            continue
        shown = unified(*names, text_of(old.data) if old else None, text_of(new.data) if new else None)
        lines += [paint("strong", line) for line in shown[:2]]
        lines += [paint(DIFF_STYLES.get(line[:1], ""), line) for line in shown[2:]]
    return lines
