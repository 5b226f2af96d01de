"""Reports for people, with colours and a width; a run stage by stage; symbols as a list.

M shop/cart.py  +1 -1                     error: the text is not in the file
A shop/tax.py   +12                         --> shop/cart.py:12, line 6 of the answer
applied: 2 files, +13 -1                      --- the answer
                                              +++ shop/cart.py
                                                   def total(self):
                                              -        return sum(self.items)
                                              +        return sum(item.price for item in self.items)
                                          hint: Copy the lines from the file as it is now.

Text that comes from a patch or a file goes through `paint(style, text)`: the caller decides on colours and on what a
terminal may be shown. Styles: "", good, bad, dim, strong, path, add, remove, hunk.
"""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING, NamedTuple

from ..model import Claims, Edit, EditBody, MatchPolicy, Move, Note, Op, Outcome, Patch, Proposal, Write
from .difference import LEGEND, compare, lines_near
from .files import DIFF_STYLES, ChangedFile, changed_files, describe_outcome, edits_by_file
from .words import (
    clipped,
    correction_numbers,
    headline,
    is_minor,
    line_count,
    many,
    note_line,
    place,
    plain,
    quoted,
    reversal,
    reversed_changes,
    span,
    total,
    with_command,
)  # fmt: skip

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..problems import Problem
    from ..result import Result
    from ..symbols import Symbol
    from .words import Paint

_NEAR_LINES = 12  # of one region of the file
_FILES = 30  # listed before the rest is counted
_FILE_STYLES = {"A": "add", "M": "path", "D": "remove", "R": "path"}
_LABELS = {"error: ": "bad", "hint: ": "strong", "warning: ": "bad", "note: ": "dim"}


class Layout(NamedTuple):
    """How a report is laid out.

    `width` is that of the terminal, 0 for none. `commands` offers options of the command line. `verbose` adds how each
    place was found, and notes on how the patch is written. `max_lines` of 0 means all lines.
    """

    paint: Paint = plain
    width: int = 0
    commands: bool = False
    verbose: bool = False
    max_lines: int = 0

    def wrapped(self, label: str, text: str, style: str = "") -> list[str]:
        """Return a label and text, wrapped to fit the terminal; line breaks of the text stay."""
        lines: list[str] = []
        room = self.width - len(label)
        for part in text.split("\n"):
            parts = [part]
            if self.width and len(part) > room > 20:
                parts = textwrap.wrap(part, room, break_long_words=False, break_on_hyphens=False)
            for line in parts:
                lead = " " * len(label) if lines else self.paint(_LABELS.get(label, ""), label)
                lines.append(lead + self.paint(style, line))
        return lines


def for_people(report: Result, layout: Layout | None = None) -> list[str]:
    """Say what happened to each file and in all; or that nothing was changed, and every reason."""
    layout = layout or Layout()
    if report.status == "proposed":
        return bounded(_proposed(report, layout), layout.max_lines)
    if not report.ok:
        return bounded(_in_part(report, layout) if report.partial else _refusal(report, layout), layout.max_lines)
    rows = changed_files(report)
    lines = [*listed(rows, report, layout), *note_lines(report.notes, layout)]
    most = layout.max_lines
    last = layout.wrapped("", _result_line(rows, report), "good")
    return [*([] if 0 < most <= len(last) else bounded(lines, most - len(last))), *last]


def _proposed(report: Result, layout: Layout) -> list[str]:
    """Say what the stated edits and the proposals would do, and how to accept proposals."""
    count = many(len(report.problems), "proposal")
    rows = changed_files(report)
    notes = tuple(note for note in report.notes if note.kind != "unused")
    lines = [*block_lines(report, layout), *listed(rows, report, layout), *note_lines(notes, layout)]
    last = layout.wrapped("", f"nothing was changed: {count} to accept or to leave out", "bad")
    if not layout.commands:
        return [*lines, *last]
    rules = ",".join(sorted({fate.rule for fate in report.plan.sketched if isinstance(fate, Proposal)}))
    hint = f"--accept {rules} (or all) takes what is proposed, --accept none leaves it out; `anypatch diff` shows it."
    return [*lines, *last, *layout.wrapped("hint: ", hint)]


def block_lines(report: Result, layout: Layout) -> list[str]:
    """List the blocks of an answer that has sketches: their lines, and what became of each."""
    if not report.plan.sketched:
        return []
    lines = []
    for block in report.blocks:
        where = f"lines {block.first}-{block.last}" if block.last > block.first else f"line {block.first}"
        is_edit = block.became != "unused" and block.read_as != "sketch"
        text = f"an edit ({block.read_as})" if is_edit else f"{block.became}. {block.reason}"
        lines += layout.wrapped(f"{where}: ", text, "dim" if block.became == "unused" else "")
    return [*lines, ""]


def bounded(lines: list[str], most: int) -> list[str]:
    """Cut lines to `most`, the last of which says how many are left out; 0 or less means all."""
    if most <= 0 or len(lines) <= most:
        return lines
    return [*lines[: most - 1], f"… {many(len(lines) - most + 1, 'more line')} left out"]


def listed(rows: list[ChangedFile], report: Result, layout: Layout) -> list[str]:
    """Return a line for each file; a long list is cut."""
    shown = rows if layout.verbose or len(rows) <= _FILES + 1 else rows[:_FILES]
    # One long path must not push the numbers of all others out of sight.
    wide = max((len(row.name) for row in shown if len(row.name) <= max(layout.width - 16, 24)), default=0)
    lines = []
    for letter, name, added, removed, bits in shown:
        numbers = [layout.paint("add", f"+{added}")] if added else []
        numbers += [layout.paint("remove", f"-{removed}")] if removed else []
        numbers += [layout.paint("dim", f"mode {bits[1]:o}")] if bits else []
        padded = layout.paint(_FILE_STYLES[letter], letter) + " " + layout.paint("", clipped(name))
        lines.append(" ".join([padded + " " * max(wide - len(name) + 1, 1) if numbers else padded, *numbers]))
    if len(shown) < len(rows):
        more = " (-v lists them)" if layout.commands else ""
        lines.append(layout.paint("dim", f"… and {len(rows) - len(shown)} more files{more}"))
    return lines + ([f"  {line}" for line in edits_by_file(report, layout.paint)] if layout.verbose else [])


def _result_line(rows: list[ChangedFile], report: Result) -> str:
    """Summarize a run that succeeded in one line."""
    added, removed = sum(row.added for row in rows), sum(row.removed for row in rows)
    numbers = " ".join([f"+{added}"] * bool(added) + [f"-{removed}"] * bool(removed))
    much = many(len(rows), "file") + (f", {numbers}" if numbers else "")
    if not report.plan.changes:
        return total(report)
    if report.dry_run:
        return f"would change {much}; nothing was written"
    if done := reversal(report):
        return f"{done}: {reversed_changes(report)}{much}"
    return f"applied: {much}" if report.written else f"changed: {much}"


def note_lines(notes: tuple[Note, ...], layout: Layout) -> list[str]:
    """Return the notes; those on how the patch is written only if `verbose`."""
    lines: list[str] = []
    for note in notes:
        if layout.verbose or not is_minor(note):
            word, _, text = note_line(note).partition(" ")
            lines += layout.wrapped(f"{word} ", text, "dim" if word == "note:" else "")
    return lines


def problem_lines(problem: Problem, report: Result, layout: Layout) -> list[str]:
    """Explain a problem: what is wrong, where, how patch and file differ, what to do."""
    paint = layout.paint
    message = "\n".join(clipped(quoted(text), 1000) for text in problem.message.split("\n"))
    lines = layout.wrapped("error: ", message, "strong")
    where = place(problem, report, short=not layout.verbose)
    lines += layout.wrapped("  --> ", where, "path") if where else []
    lines += _difference(problem, report, layout) or [
        paint(style, text) for style, text in lines_near(problem, report, _NEAR_LINES)
    ]
    hint, numbers = problem.hint, range(0)
    if problem.corrected:
        every = correction_numbers(report.problems)
        numbers = every[report.problems.index(problem)]
        options = [*numbers]
        if problem.kind == "alternatives":  # each is a problem of its own
            pairs = zip(report.problems, every, strict=True)
            options = [number for other, own in pairs if other.message == problem.message for number in own]
        if len(options) > 1:
            hint = f"Pick one: {', '.join(map(str, options[:-1]))} or {options[-1]}."
    lines += layout.wrapped("hint: ", with_command(hint, problem) if layout.commands else quoted(hint))
    for number, correction in zip(numbers, problem.corrected, strict=True):
        where = f"at line {correction.line}" if correction.line else ""
        lines += layout.wrapped("  ", f"{', '.join(filter(None, (f'correction {number}', where)))}:", "dim")
        lines += [
            paint(_diff_style(text), f"    {clipped(quoted(text), 1000)}") for text in correction.text.split("\n")[:-1]
        ]
    return lines


def _diff_style(line: str) -> str:
    """Return how a line of a patch is shown, if the patch is a diff."""
    return "dim" if line.startswith(("diff --git ", "--- ", "+++ ")) else DIFF_STYLES.get(line[:1], "")


def _difference(problem: Problem, report: Result, layout: Layout) -> list[str]:
    """Show the old lines of the patch and the nearest lines of the file as a small diff."""
    comparison = compare(problem, report)
    if comparison is None:
        return []
    paint = layout.paint
    lines = [
        paint("dim", "    --- the answer"),
        paint("dim", f"    +++ {clipped(quoted(problem.path))}, line {comparison.line}"),
    ]
    lines += [paint(DIFF_STYLES.get(tag, ""), f"    {tag}{clipped(quoted(text))}") for tag, text in comparison.rows]
    return lines + ([paint("dim", f"    ({LEGEND})")] if comparison.marked else [])


def _in_part(report: Result, layout: Layout) -> list[str]:
    done = listed(changed_files(report), report, layout)
    lines = [*done, layout.paint("bad", headline(report)), *explained(report, layout)]
    left = "The rest is a patch of its own: fix it and apply it."
    left = left if report.rest else "No format can express the rest: ask the model for those parts again."
    return [*lines, "", *layout.wrapped("", left)]


def explained(report: Result, layout: Layout) -> list[str]:
    """Explain every problem of a result, and then its notes."""
    lines: list[str] = []
    for problem in report.problems:
        lines += ["", *problem_lines(problem, report, layout)]
    return lines + note_lines(report.notes, layout)


def _refusal(report: Result, layout: Layout) -> list[str]:
    lines = explained(report, layout)[1:]
    fitting = sum(not outcome.problems for outcome in report.plan.outcomes)
    last = headline(report)
    if fitting:
        last += f"; {fitting} of {many(len(report.plan.outcomes), 'edit')} would have fit"
    return [*lines, *([""] if len(report.problems) > 1 else []), *layout.wrapped("", last, "bad")]


# ── a run stage by stage ─────────────────────────────────────────────────────────────────────────


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


# ── symbols ──────────────────────────────────────────────────────────────────────────────────────


def symbol_lines(symbols: Sequence[Symbol], paint: Paint = plain, depth: int = 1) -> list[str]:
    """Return symbols as an indented list."""
    lines: list[str] = []
    for symbol in symbols:
        damaged = paint("bad", "  (errors inside)") if symbol.damaged else ""
        name = paint("strong", symbol.name_path)
        lines.append(f"{'  ' * depth}{symbol.kind} {name}  {rows_of(symbol)}{damaged}")
        lines += symbol_lines(symbol.children, paint, depth + 1)
    return lines


def rows_of(symbol: Symbol) -> str:
    """Name the lines of a symbol, from 1."""
    return span(symbol.range.start.line + 1, symbol.range.end.line + 1)
