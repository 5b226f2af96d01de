"""Explain a run stage by stage: what was detected, read, placed, refused. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..model import Claims, Edit, EditBody, MatchPolicy, Move, Op, Outcome, Patch, Write
from .files import describe_outcome
from .people import Layout, problem_lines
from .words import clipped, line_count, many, note_line, plain, quoted

if TYPE_CHECKING:
    from ..result import Result
    from .words import Paint


def explain(patch: Patch, report: Result, scores: Sequence[tuple[str, int]] = (), paint: Paint = plain) -> list[str]:
    """List the values of each stage: detected, read, placed and on which level, noted, refused."""
    lines = [paint("strong", "sniffed"), *(f"  {score:>3}  {name}" for name, score in scores)]
    lines += [paint("strong", "parsed") + paint("", f" as {patch.format or 'nothing'}, {many(len(patch.ops), 'edit')}")]
    lines += [paint("", f"  {quoted(patch.description)}")] if patch.description else []
    for number, op in enumerate(patch.ops, 1):
        lines += [paint("", clipped(text)) for text in _parsed(number, op)]
    lines.append(paint("strong", "located"))
    for outcome in report.plan.outcomes:
        lines += [paint("", text) for text in _located(outcome)]
    lines += [paint("dim", note_line(note)) for note in report.notes]
    for problem in report.problems:
        lines += problem_lines(problem, report, Layout(paint, commands=True))
    return [*lines, paint("good", "it fits") if report.ok else paint("bad", "it does not fit")]


def _parsed(number: int, op: Op) -> list[str]:
    lines = [f"  {number}. {quoted(op.label)} {quoted(op.path)} (line {op.patch_line})"]
    if isinstance(op, Write):
        lines.append(f"     {many(line_count(op.text), 'line')}{', may overwrite' if op.overwrite else ''}")
    if isinstance(op, Move):
        lines.append(f"     to {quoted(op.to)}")
    for hunk in op.hunks if isinstance(op, Edit) else ():
        lines.append(f"     hunk at line {hunk.patch_line}: {_claims(hunk)}")
        lines += [f"       {tag}{text}" for tag, text in hunk.lines]
    return lines


def _claims(hunk: EditBody) -> str:
    """Return what a hunk claims about its place, and the policy by which it is matched."""
    claims = zip(Claims._fields, hunk.claims, Claims(), strict=True)
    stated = [f"{name}={value!r}" for name, value, default in claims if value != default]
    policy = zip(MatchPolicy._fields, hunk.policy, strict=True)
    allowed = [name.replace("_", " ") for name, value in policy if value is True]
    levels = f"levels {', '.join(hunk.policy.levels)}; indentation {hunk.policy.indents}"
    return f"{', '.join(stated) or 'no claim'}; {levels}; {', '.join(allowed) or 'as is'}"


def _located(outcome: Outcome) -> list[str]:
    if outcome.problems:
        lines = ["not placed: " + ", ".join(problem.kind for problem in outcome.problems)]
    elif isinstance(outcome.op, Write):
        lines = [f"the whole file, {many(line_count(outcome.op.text), 'line')}"]
    else:
        lines = describe_outcome(outcome, False, plain)
        for at, splice in enumerate(outcome.splices):
            lines[at] += " (exact)" if splice.how == "exact" else ""
    return [f"  {outcome.number}. {quoted(outcome.path)}: {text}" for text in lines]
