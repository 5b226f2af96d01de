"""Every stage of a patch in words: sniffed, parsed, located and by which rung. Pure; prints nothing."""

from __future__ import annotations

from ..model import Edit, Move, Where, Write
from .people import deeds, problem_lines
from .words import clipped, line_count, many, note_line, plain, quoted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..model import Hunk, Inside, Merge, Op, Outcome, Patch, Report, Swap
    from ..spans import Spans
    from .words import Paint


def explain(patch: Patch, report: Report, scores: Sequence[tuple[str, int]] = (), paint: Paint = plain) -> list[str]:
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
    """What a hunk says of its place, and by which rules it is read."""
    claims = zip(Where._fields, hunk.where, Where(), strict=True)
    stated = [f"{name}={value!r}" for name, value, default in claims if value != default]
    rules = hunk.rules
    return f"{', '.join(stated) or 'no claim'}; rungs {', '.join(rules.rungs)}; indent {rules.indent}, eol {rules.eol}"


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
