"""Blocks of an answer of which one is meant: told as such by its prose, or seen by their editing the same lines. Pure.

Option A: `pass` becomes `raise ValueError`.
Option B: `pass` becomes `return None`.
"""

from __future__ import annotations

import re

from .model import Edit, Hunk, Op, Outcome, Patch, Plan, Swap, Write
from .plan import plan
from .problems import Near, Problem
from .text import Text, patch_lines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .match.files import Tree
    from .result import Result

_ABOVE = 16  # lines above a block in which its label is looked for
_MOST = 5  # problems that are looked at: each costs a plan
_NOUN = r"(option|alternative|approach|variant|choice|solution|possibility|method)"
_NUMBERED = re.compile(_NOUN + r"\s*#?\s*(\d{1,2}|[a-h]|one|two|three|four)(?![\w.]*\w)", re.IGNORECASE)
_OTHER = re.compile(
    r"(?:or,?\s+)?alternatively\b|or\s*[:,]?$|or,? (?:else|instead|if you prefer|you can|you could)\b"
    rf"|(?:an|the) alternative\b|(?:another|a second|the second|the other) {_NOUN}\b",
    re.IGNORECASE,
)
_CLOSES = (">>>>>>>", "*** End Patch", "=END=")


def told_apart(text: str, patch: Patch) -> Problem | None:
    """The refusal of an answer that gives its blocks as alternatives; None for any other."""
    if len(patch.ops) < 2:
        return None
    lines = patch_lines(text)
    first: dict[str, tuple[str, int]] = {}
    for at, op in enumerate(patch.ops):
        for row in _above(lines, patch.ops, at):
            words = _label_words(lines[row])
            found = _NUMBERED.match(words)
            if found:
                noun, which = found[1].lower(), found[2].lower()
                other, before = first.setdefault(noun, (which, row))
                if other != which:
                    detail = f"{_label(lines, before)} and {_label(lines, row)}"
                    return Problem("alternatives", detail, op.path, row + 1)
            elif at and _OTHER.match(words):
                detail = f"{_label(lines, row)} offers another way than the blocks above it"
                return Problem("alternatives", detail, op.path, row + 1)
    return None


def _above(lines: list[str], ops: tuple[Op, ...], at: int) -> list[int]:
    """The rows right above an operation that may be labels, from the top: up to the end of the block before it."""
    start = ops[at].patch_line - 1
    before = ops[at - 1] if at else None
    stop = before.patch_line - 1 if before else -1
    rows: list[int] = []
    fences = 0
    for row in range(min(start, len(lines)) - 1, max(stop, start - _ABOVE - 1, -1), -1):
        bare = lines[row].strip()
        fences += bare.startswith(("```", "~~~"))
        if fences > 1 or bare.startswith(_CLOSES):
            break
        rows.append(row)
    words = [(row, _label_words(lines[row])) for row in rows]
    labels = [row for row, said in words if said and (_NUMBERED.match(said) or _OTHER.match(said))]
    if not labels or before is None:
        return labels[::-1]
    content = _content(before)
    end = next((row for row in rows if lines[row].strip().lstrip("+- ") in content), -1)
    return [row for row in reversed(labels) if row > end]


def _label_words(line: str) -> str:
    """What a line says without the signs of headings, lists and emphasis."""
    return line.strip().lstrip("#*_-> \t0123456789.)").rstrip("*_: \t")


def _content(op: Op) -> set[str]:
    """The lines that an operation holds, which are no prose whatever they say."""
    if isinstance(op, Write):
        return {line.strip() for line in op.text.split("\n")} - {""}
    return {text.strip() for hunk in op.hunks for _, text in hunk.lines} - {""} if isinstance(op, Edit) else set()


def _label(lines: list[str], row: int) -> str:
    return f"`{lines[row].strip()[:60]}` (line {row + 1})"


# ── the same lines ───────────────────────────────────────────────────────────────────────────────


def contradicted(made: Plan) -> Problem | None:
    """The refusal of a text that is exchanged twice, the second time inside what the first exchange put there.

    `return 1` becomes `return 10`, then its `return 1` becomes `return 11`: `return 110`.
    """
    seen: dict[tuple[str, str], Outcome] = {}
    for outcome in made.outcomes:
        if not isinstance(outcome.op, Edit):
            seen.clear()  # what is written, deleted or moved may be edited anew
        said = outcome.op.hunks[0] if isinstance(outcome.op, Edit) and len(outcome.op.hunks) == 1 else None
        if not isinstance(said, Swap) or said.times != 1:
            continue
        first = seen.setdefault((outcome.op.path, said.old), outcome)
        other = first.op.hunks[0] if isinstance(first.op, Edit) else said
        if isinstance(other, Swap) and other.new != said.new and not _keeps(other):
            row = first.splices[0].start if first.splices else 0
            return _same_lines(first, outcome, row, ())
    return None


def _keeps(said: Swap) -> bool:
    """Whether the old text stays, as whole lines: then there may be more to add to it."""
    return f"\n{said.old.strip()}\n" in f"\n{said.new.strip()}\n"


def with_alternatives(report: Result, tree: Tree) -> Result:
    """The report; what fails only because an earlier block changed its lines is told so, with the file's own lines."""
    problems = list(report.problems)
    missed = [at for at, problem in enumerate(problems) if problem.kind == "not_found" and problem.op > 1]
    for at in missed[:_MOST] if not report.partial else ():
        problems[at] = _rival(problems[at], report, tree) or problems[at]
    return report._replace(problems=tuple(problems))


def _rival(problem: Problem, report: Result, tree: Tree) -> Problem | None:
    outcomes = report.plan.outcomes
    failed = next(one for one in outcomes if one.number == problem.op)
    before = [one for one in outcomes[: failed.number - 1] if one.path == failed.path and not one.problems]
    if not before or not isinstance(failed.op, Edit) or not all(isinstance(h, Hunk | Swap) for h in failed.op.hunks):
        return None
    format = report.plan.patch.format
    alone = plan(Patch(format, (failed.op,)), tree)
    if alone.problems or not alone.outcomes[0].splices:
        return None
    for one in before:
        first = plan(Patch(format, (one.op,)), tree).outcomes[0]
        for splice in alone.outcomes[0].splices:
            if any(other.start < splice.end and splice.start < other.end for other in first.splices):
                file = tree.read(failed.path)
                lines = Text.read(file.data).lines[splice.start : splice.end] if file else []
                return _same_lines(one, failed, splice.start, tuple(lines))._replace(patch_line=problem.patch_line)
    return None


def _same_lines(first: Outcome, second: Outcome, row: int, lines: tuple[str, ...]) -> Problem:
    """Two operations that edit the same lines of the file as it is."""
    detail = f"edits {first.number} and {second.number} both change line {row + 1} of the file"
    near = (Near(row + 1, lines, "the file has"),) if lines else ()
    advice = "If they are alternatives, send one of them; otherwise join them into one edit."
    if _wording(first.op) == _wording(second.op):
        # "Both `f` and `g` …", the same block twice: only one of them has these lines.
        detail = f"edits {first.number} and {second.number} are the same, but only line {row + 1} fits"
        advice = "If one place is meant, send the edit once; otherwise copy the lines of the other place exactly."
    return Problem("overlap", detail, second.path, second.op.patch_line, row + 1, advice, near, second.number)


def _wording(op: Op) -> list[object]:
    return [hunk.lines for hunk in op.hunks] if isinstance(op, Edit) else [op]
