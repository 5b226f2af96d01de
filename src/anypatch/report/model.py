"""Reports for language models: what failed, what stands there, what to write instead, within a bound. Pure."""

from __future__ import annotations

from collections import Counter

from .people import bounded, files, restored
from .words import (
    advice,
    clipped,
    corrected,
    headline,
    in_the_file,
    many,
    message,
    note_line,
    place,
    plain,
    quoted,
    share,
    total,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..problems import Problem
    from ..result import Result

WIDE = 1000  # characters of one line of the report


def for_model(report: Result, max_lines: int = 80) -> str:
    """The same facts for a language model, in at most `max_lines` lines."""
    lines = _done(report) if report.ok else _refusal(report, max_lines)
    return "\n".join([clipped(line, WIDE) for line in bounded(lines, max(max_lines, 1))])


def _done(report: Result) -> list[str]:
    notes = [note_line(note) for note in report.notes]
    told = files(report, plain) if report.plan.outcomes else restored(report, plain)
    first = [_first_words(report)] if report.plan.patch.format or report.plan.changes else []
    return [*first, total(report), *notes, *told]


def _first_words(report: Result) -> str:
    """What became of the files, in a sentence."""
    receipt = report.receipt
    if not report.plan.changes:
        return "Nothing was written."
    if report.dry_run:
        return "It fits; nothing was written."
    deed = "Applied"
    if receipt and not report.plan.outcomes:
        deed = "Undone" if receipt.undone else "Redone"
    return f"{deed}; receipt {receipt.id}." if receipt and receipt.undoable else f"{deed}."


def _refusal(report: Result, max_lines: int) -> list[str]:
    """Problems in full as long as the later ones keep a line each or half of the room; then in a line; then counted."""
    lines = [*_applied(report)] if report.partial else [headline(report).capitalize() + ".", *_fitting(report)]
    problems = report.problems
    room = max_lines - len(lines)
    regions = sum(len(problem.near) for problem in problems)
    each = max((room - 4 * len(problems) - 3 * regions) // max(regions, 1), 3)
    for number, problem in enumerate(problems, 1):
        left = max_lines - len(lines)
        waiting = len(problems) - number
        if left <= 1 and waiting:
            return [*lines, f"… {many(waiting + 1, 'more problem')}: {_kinds(problems[number - 1 :])}"]
        full = _in_full(number, problem, report, each)
        reserved = min(waiting, left // 2)
        if not waiting or len(full) <= left - reserved:
            lines += full
            lines += _corrections(problem, left - reserved - len(full))
        else:
            lines.append(_in_short(number, problem, report))
    return lines + _rest(report, max_lines - len(lines))


def _in_full(number: int, problem: Problem, report: Result, each: int) -> list[str]:
    told = f"{number}. {problem.kind}: {message(problem)}".replace("\n", "\n   ")
    lines = [quoted(line) for line in told.split("\n")]
    lines += [f"   at {where}" for where in [place(problem, report)] if where]
    lines += [" " + quoted(text) for _, text in in_the_file(problem, report, each)]
    return [*lines, f"   {advice(problem)}"]


def _corrections(problem: Problem, room: int) -> list[str]:
    """Blocks to send instead, as many as there is room for in full: half of one would be worse than none."""
    lines: list[str] = []
    for correction in problem.corrected:
        block = [f"   {corrected(correction)}:", *_block(correction.text)]
        if len(lines) + len(block) > room or any(len(line) > WIDE for line in block):
            short = ["   (a corrected block is too long to show)"]
            return lines + short if len(lines) < room else lines
        lines += block
    return lines


def _block(text: str) -> list[str]:
    """A patch in a fence, so that it can be copied as it is."""
    ticks = "```"
    while ticks in text:
        ticks += "`"
    return [ticks, *text.removesuffix("\n").split("\n"), ticks]


def _rest(report: Result, room: int) -> list[str]:
    """The parts to send again, where there is room for all of them."""
    block = ["The rest, as a patch:", *_block(report.rest)] if report.rest else []
    return block if len(block) <= room and not any(len(line) > WIDE for line in block) else []


def _in_short(number: int, problem: Problem, report: Result) -> str:
    where = place(problem, report)
    told = f" at {where}" if where else ": " + quoted(message(problem).replace("\n", " "))
    return f"{number}. {problem.kind}{told}"


def _kinds(problems: tuple[Problem, ...]) -> str:
    counts = Counter(problem.kind for problem in problems)
    return ", ".join(f"{count} {kind}" for kind, count in counts.items())


def _applied(report: Result) -> list[str]:
    """What is done and must not be sent again, and what is left."""
    receipt = f"; receipt {report.receipt.id}" if report.receipt and report.receipt.undoable else ""
    lines = [f"{headline(report).capitalize()}{receipt}."]
    shares = [(outcome.number, share(outcome)) for outcome in report.plan.outcomes]
    done = (("all", "applied: do not send {} again"), ("part", "applied in part: send only what failed"))
    if report.dry_run:
        done = (("all", "to be applied"), ("part", "to be applied in part"))
    for much, told in done:
        numbers = [number for number, found in shares if found == much]
        if numbers:
            verb = "Edit {} is" if len(numbers) == 1 else "Edits {} are"
            it = "it" if len(numbers) == 1 else "them"
            lines.append(f"{verb.format(_ranges(numbers))} {told.format(it)}.")
    last = "These parts don't fit:" if report.dry_run else "Fix and send again only what these problems name:"
    return [*lines, last]


def _fitting(report: Result) -> list[str]:
    """What need not be written anew."""
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
    """Rising numbers, with neighbours drawn together: 1-3, 7."""
    parts: list[list[int]] = []
    for number in numbers:
        if parts and parts[-1][1] == number - 1:
            parts[-1][1] = number
        else:
            parts.append([number, number])
    return ", ".join(str(a) if a == b else f"{a}-{b}" if b > a + 1 else f"{a}, {b}" for a, b in parts)
