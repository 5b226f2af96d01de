"""Reports for the model that wrote the answer: what failed, what the file has, what to send, within a bound. Pure."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from .difference import lines_near
from .files import changed_files, edits_by_file, restored
from .people import bounded
from .words import (
    clipped,
    corrected,
    headline,
    many,
    note_line,
    place,
    plain,
    quoted,
    reversal,
    reversed_changes,
    share,
    total,
)

if TYPE_CHECKING:
    from ..problems import Problem
    from ..result import Result

_FILES = 10  # files that are named in a line
_WIDE, _WIDEST = 1000, 4000  # characters of one line, and of a line in a block: a call as JSON is one line


def for_model(report: Result, max_lines: int = 80) -> str:
    """Report to a language model, in at most `max_lines` lines."""
    if report.ok:
        done = edits_by_file(report, plain) if report.plan.outcomes else restored(report, plain)
        first = [_first_words(report)] if report.plan.patch.format or report.plan.changes else []
        lines = [clipped(line, _WIDE) for line in (*first, total(report), *map(note_line, report.notes), *done)]
    else:
        lines = _refusal_for_model(report, max_lines)
    return "\n".join([clipped(line, _WIDEST) for line in bounded(lines, max(max_lines, 1))])


def success_line(report: Result) -> str:
    """Report a success to a language model in one line, and one more for each note."""
    if not report.plan.changes:
        return "\n".join([f"{total(report).capitalize()}.", *map(note_line, report.notes)])
    kinds = {"A": "new ", "D": "deleted "}
    files = [
        f"{kinds.get(file.letter, '')}{file.name}"
        + f" +{file.added}" * (file.added > 0)
        + f" -{file.removed}" * (file.removed > 0)
        for file in changed_files(report)
    ]
    shown = [*files[:_FILES], *([f"{len(files) - _FILES} more"] if len(files) > _FILES else [])]
    verb, _, receipt = _first_words(report).rstrip(".").partition("; ")
    line = f"{verb}: {reversed_changes(report)}{', '.join(shown)}" + (f"; {receipt}." if receipt else ".")
    return "\n".join([clipped(line, _WIDEST), *map(note_line, report.notes)])


def _first_words(report: Result) -> str:
    """Say in a sentence what became of the files."""
    receipt = report.receipt
    if not report.plan.changes:
        return "Nothing was written."
    if report.dry_run:
        return "It fits; nothing was written."
    verb = reversal(report).capitalize() or "Applied"
    return f"{verb}; receipt {receipt.id}." if receipt and receipt.undoable else f"{verb}."


def _refusal_for_model(report: Result, max_lines: int) -> list[str]:
    """Explain problems in full while there is room for a line on each later one; then in a line; then count them."""
    lines = [*_applied(report)] if report.partial else [headline(report).capitalize() + ".", *_fitting(report)]
    problems = report.problems
    room = max_lines - len(lines)
    regions = sum(len(problem.near) for problem in problems)
    each = max((room - 4 * len(problems) - 3 * regions) // max(regions, 1), 3)
    for number, problem in enumerate(problems, 1):
        left = max_lines - len(lines)
        waiting = len(problems) - number
        if left <= 1 and waiting:
            kinds = Counter(problem.kind for problem in problems[number - 1 :])
            counted = ", ".join(f"{count} {kind}" for kind, count in kinds.items())
            return [*lines, f"… {many(waiting + 1, 'more problem')}: {counted}"]
        full = _in_full(number, problem, report, each)
        reserved = min(waiting, left // 2)
        if not waiting or len(full) <= left - reserved:
            lines += full
            lines += _corrections(problem, left - reserved - len(full))
        else:
            where = place(problem, report)
            short = f" at {where}" if where else ": " + quoted(problem.message.replace("\n", " "))
            lines.append(clipped(f"{number}. {problem.kind}{short}", _WIDE))
    rest = ["The rest, as a patch:", *_block(report.rest)] if report.rest else []  # all of it or nothing
    return lines + rest if len(lines) + len(rest) <= max_lines and all(len(line) <= _WIDEST for line in rest) else lines


def _in_full(number: int, problem: Problem, report: Result, each: int) -> list[str]:
    text = f"{number}. {problem.kind}: {problem.message}".replace("\n", "\n   ")
    lines = [quoted(line) for line in text.split("\n")]
    lines += [f"   at {where}" for where in [place(problem, report)] if where]
    lines += [" " + quoted(near) for _, near in lines_near(problem, report, each)]
    return [clipped(line, _WIDE) for line in (*lines, f"   {quoted(problem.advice)}")]


def _corrections(problem: Problem, room: int) -> list[str]:
    """Return blocks to send instead, as many as there is room for; half of one would be worse than none."""
    lines: list[str] = []
    for correction in problem.corrected:
        block = [f"   {corrected(correction)}:", *_block(correction.text)]
        if len(lines) + len(block) > room or any(len(line) > _WIDEST for line in block):
            short = ["   (a corrected block is too long to show)"]
            return lines + short if len(lines) < room else lines
        lines += block
    return lines


def _block(text: str) -> list[str]:
    """Put a patch in a fence, so that it can be copied as it is."""
    ticks = "```"
    while ticks in text:
        ticks += "`"
    return [ticks, *text.removesuffix("\n").split("\n"), ticks]


def _applied(report: Result) -> list[str]:
    """Say what is applied and must not be sent again, and what is left."""
    receipt = f"; receipt {report.receipt.id}" if report.receipt and report.receipt.undoable else ""
    lines = [f"{headline(report).capitalize()}{receipt}."]
    shares = [(outcome.number, share(outcome)) for outcome in report.plan.outcomes]
    done = (("all", "applied: do not send {} again"), ("part", "applied in part: send only what failed"))
    if report.dry_run:
        done = (("all", "to be applied"), ("part", "to be applied in part"))
    for wanted, phrase in done:
        numbers = [number for number, applied in shares if applied == wanted]
        if numbers:
            verb = "Edit {} is" if len(numbers) == 1 else "Edits {} are"
            it = "it" if len(numbers) == 1 else "them"
            lines.append(f"{verb.format(_ranges(numbers))} {phrase.format(it)}.")
    last = "These parts don't fit:" if report.dry_run else "Fix and send again only what these problems name:"
    return [*lines, last]


def _fitting(report: Result) -> list[str]:
    """Say which edits fit as they are."""
    numbers = [outcome.number for outcome in report.plan.outcomes if not outcome.problems]
    if not numbers:
        return []
    if len(numbers) == len(report.plan.outcomes):
        return [
            "What could be read fits, but nothing is written until all of it can be: fix it and send all of it again."
        ]
    which = f"Edit {numbers[0]} fits" if len(numbers) == 1 else f"Edits {_ranges(numbers)} fit"
    return [f"{which}, but nothing is written until all do: fix the others and send the whole patch again."]


def _ranges(numbers: list[int]) -> str:
    """Join ascending numbers: 1-3, 7."""
    parts: list[list[int]] = []
    for number in numbers:
        if parts and parts[-1][1] == number - 1:
            parts[-1][1] = number
        else:
            parts.append([number, number])
    return ", ".join(str(a) if a == b else f"{a}-{b}" if b > a + 1 else f"{a}, {b}" for a, b in parts)
