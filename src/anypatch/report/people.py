"""Reports for people: what happened to each file, or every reason why nothing did. Pure; prints nothing."""

from __future__ import annotations

from ..model import Delete, Edit, MatchPolicy, Move, Where, Write
from .words import (  # fmt: skip
    advice,
    clipped,
    command,
    corrected,
    headline,
    in_the_file,
    line_count,
    many,
    message,
    modes,
    note_line,
    paired,
    place,
    plain,
    quoted,
    share,
    span,
    total,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..model import Hunk, Inside, Merge, Op, Outcome, Patch, Spans, Splice, Swap
    from ..problems import Problem
    from ..result import Result
    from .words import Paint


NEAR_LINES = 12  # of one near region


def for_people(report: Result, paint: Paint = plain, *, max_lines: int = 0) -> list[str]:
    """What happened, file by file, then in one line; or that nothing did, and every reason. `max_lines`: 0 is all."""
    if report.partial:
        return bounded(_in_part(report, paint), max_lines)
    if not report.ok:
        return bounded(_refusal(report, paint), max_lines)
    lines = files(report, paint) if report.plan.outcomes else restored(report, paint)
    lines += [paint("dim", note_line(note)) for note in report.notes]
    return [*(bounded(lines, max_lines - 1) if max_lines != 1 else []), paint("good", total(report))]


def bounded(lines: list[str], most: int) -> list[str]:
    """The lines, or as many as are wanted, the last of them saying what was left out. 0 and less is no bound."""
    if most <= 0 or len(lines) <= most:
        return lines
    return [*lines[: most - 1], f"… {many(len(lines) - most + 1, 'more line')} left out"]


def files(report: Result, paint: Paint) -> list[str]:
    """Per file its operations, in the order of the patch."""
    existing = {change.path for change in report.plan.changes if change.before is not None}
    by_path: dict[str, list[str]] = {}
    for outcome in report.plan.outcomes:
        if share(outcome) == "none":
            continue
        told = by_path.setdefault(outcome.path, [])
        told += [f"  {text}" for text in deeds(outcome, outcome.path in existing, paint)]
        if isinstance(outcome.op, Move):
            existing.add(outcome.op.to)
        kept = isinstance(outcome.op, Move) and outcome.op.keeps
        if isinstance(outcome.op, Delete | Move) and not outcome.splices and not kept:
            existing.discard(outcome.path)
        else:
            existing.add(outcome.path)
    return [line for path, told in by_path.items() for line in (paint("path", quoted(path)), *told)]


def deeds(outcome: Outcome, existed: bool, paint: Paint) -> list[str]:
    """What one operation did, a line for each place."""
    op = outcome.op
    mode = f"permissions {op.mode & 0o777:o}" if isinstance(op, Edit | Write) and op.mode else ""
    if outcome.splices and not isinstance(op, Move):  # also what `a.py#f` writes or deletes: one symbol of the file
        return [*(_deed(splice, paint) for splice in outcome.splices), *([mode] if mode else [])]
    if isinstance(op, Write):
        made = f"{'overwritten' if existed else 'created'}, {many(line_count(op.text), 'line')}"
        return [f"{made}, {mode}" if mode and op.mode & 0o111 else made]
    if isinstance(op, Delete):
        return ["deleted"]
    if isinstance(op, Move):
        return [f"{'copied' if op.keeps else 'moved'} to " + paint("path", quoted(op.to))]
    return [mode or "unchanged"]


def problem_lines(problem: Problem, report: Result, paint: Paint) -> list[str]:
    """One problem: what is wrong, where, what stands there, what to do."""
    title, *more = message(problem).split("\n")
    lines = [paint("bad", "problem: ") + paint("strong", clipped(quoted(title), 1000))]
    lines += [paint("", f"  {clipped(quoted(text), 1000)}") for text in more]
    where = place(problem, report)
    if where:
        lines.append("  at: " + paint("path", where))
    lines += [paint(style, text) for style, text in in_the_file(problem, report, NEAR_LINES)]
    lines.append("  do: " + paint("", advice(problem) + command(problem)))
    for correction in problem.corrected:
        lines.append(paint("dim", f"  {corrected(correction)}:"))
        lines += [paint("", f"    {clipped(quoted(text), 1000)}") for text in correction.text.split("\n")[:-1]]
    return lines


def _deed(splice: Splice, paint: Paint) -> str:
    how = "" if splice.how in ("exact", "") else " " + paint("dim", f"({splice.how})")
    count = len(splice.lines)
    if splice.start == splice.end:
        where = f"after line {splice.start}" if splice.start else "at the start"
        return f"inserted {many(count, 'line')} {where}{how}"
    old = span(splice.start + 1, splice.end)
    return f"replaced {old} with {many(count, 'line')}{how}" if count else f"deleted {old}{how}"


def restored(report: Result, paint: Paint) -> list[str]:
    """Undo and redo have no operations: per file what became of it."""
    from .json import action

    words = {"create": "put back", "delete": "removed", "update": "restored"}
    return [f"{paint('path', quoted(c.path))}: {words[action(c)]}" for c in report.plan.changes]


def _in_part(report: Result, paint: Paint) -> list[str]:
    lines = [paint("bad", headline(report)), *files(report, paint), paint("good", total(report))]
    lines += _problems(report, paint)
    if not report.rest:
        return [*lines, "", "No format can say what is left: write those parts anew."]
    return [*lines, "", "What is left is a patch of its own: mend it and send it again."]


def _problems(report: Result, paint: Paint) -> list[str]:
    lines: list[str] = []
    for problem in report.problems:
        lines += ["", *problem_lines(problem, report, paint)]
    return lines + [paint("dim", note_line(note)) for note in report.notes]


def _refusal(report: Result, paint: Paint) -> list[str]:
    lines = [paint("bad", headline(report)), *_problems(report, paint)]
    fitting = sum(not outcome.problems for outcome in report.plan.outcomes)
    if fitting:
        lines += ["", f"{fitting} of {many(len(report.plan.outcomes), 'operation')} would have fitted."]
    return lines


# ── a diff for the eye ──────────────────────────────────────────────────────────────────────────────


_STYLES = {"+": "add", "-": "remove", "@": "hunk", "\\": "dim"}


def diff_of(report: Result, paint: Paint = plain) -> list[str]:
    """What the plan changes, as a unified diff, file by file; permissions are told in a line above it."""
    from ..diff import unified
    from ..text import looks_binary, text_of

    lines: list[str] = []
    for change, origin, source in paired(report):
        old, new = source.before if source else change.before, change.after
        names = (quoted(origin or change.path), quoted(change.path))
        bits = modes(change, source)
        if bits:
            was = f"{bits[0]:o} to " if bits[0] else ""
            lines.append(paint("dim", f"permissions {was}{bits[1]:o}: {names[1]}"))
        if any(side and looks_binary(side.data) for side in (old, new)):
            lines.append(paint("dim", f"binary contents differ: {names[1]}"))
            continue
        shown = unified(*names, text_of(old.data) if old else None, text_of(new.data) if new else None)
        lines += [paint("strong", line) for line in shown[:2]]
        lines += [paint(_STYLES.get(line[:1], ""), line) for line in shown[2:]]
    return lines


# ── explain, stage by stage ─────────────────────────────────────────────────────────────────────────


def explain(patch: Patch, report: Result, scores: Sequence[tuple[str, int]] = (), paint: Paint = plain) -> list[str]:
    """Each stage's values: sniffed, parsed, located and by which rung, noted, refused."""
    lines = [paint("strong", "sniffed"), *(f"  {score:>3}  {name}" for name, score in scores)]
    lines += [
        paint("strong", "parsed") + paint("", f" as {patch.format or 'nothing'}, {many(len(patch.ops), 'operation')}")
    ]
    lines += [paint("", f"  {quoted(patch.description)}")] if patch.description else []
    for number, op in enumerate(patch.ops, 1):
        lines += [paint("", clipped(text)) for text in _parsed(number, op)]
    lines.append(paint("strong", "located"))
    for outcome in report.plan.outcomes:
        lines += [paint("", text) for text in _located(outcome)]
    lines += [paint("dim", note_line(note)) for note in report.notes]
    for problem in report.problems:
        lines += problem_lines(problem, report, paint)
    return [*lines, paint("good", "it fits") if report.ok else paint("bad", "it does not fit")]


def _parsed(number: int, op: Op) -> list[str]:
    lines = [f"  {number}. {quoted(op.label)} {quoted(op.path)} (patch line {op.patch_line})"]
    if isinstance(op, Write):
        lines.append(f"     {many(line_count(op.text), 'line')}{', may overwrite' if op.overwrite else ''}")
    if isinstance(op, Move):
        lines.append(f"     to {quoted(op.to)}")
    for hunk in op.hunks if isinstance(op, Edit) else ():
        lines.append(f"     hunk at patch line {hunk.patch_line}: {_claims(hunk)}")
        lines += [f"       {tag}{text}" for tag, text in hunk.lines]
    return lines


def _claims(hunk: Hunk | Swap | Merge | Inside | Spans) -> str:
    """What a hunk says of its place, and by which policy it is matched."""
    claims = zip(Where._fields, hunk.where, Where(), strict=True)
    stated = [f"{name}={value!r}" for name, value, default in claims if value != default]
    policy = zip(MatchPolicy._fields, hunk.policy, strict=True)
    allowed = [name.replace("_", " ") for name, value in policy if value is True]
    return f"{', '.join(stated) or 'no claim'}; levels {', '.join(hunk.policy.levels)}; {', '.join(allowed) or 'as is'}"


def _located(outcome: Outcome) -> list[str]:
    if outcome.problems:
        found = ["not placed: " + ", ".join(problem.kind for problem in outcome.problems)]
    elif isinstance(outcome.op, Write):
        found = [f"the whole file, {many(line_count(outcome.op.text), 'line')}"]
    else:
        found = deeds(outcome, False, plain)
        for at, splice in enumerate(outcome.splices):
            found[at] += " (exact)" if splice.how == "exact" else ""
    return [f"  {outcome.number}. {quoted(outcome.path)}: {text}" for text in found]
