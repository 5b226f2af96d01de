"""Reports: for people and for models as text, here; as plain values, in `json`. Pure: prints nothing, touches nothing.

What happened to each file, or every reason why nothing did. For people:

M shop/cart.py  +1 -1                     error: the text is not in the file
A shop/tax.py   +12                         --> shop/cart.py:12, line 6 of the answer
applied: 2 files, +13 -1                      --- the answer
                                              +++ shop/cart.py
                                                   def total(self):
                                              -        return sum(self.items)
                                              +        return sum(item.price for item in self.items)
                                          hint: Copy the lines from the file as it is now.

Every piece of text that came from a patch or a file goes through `paint(style, text)`, so that the caller decides
on colours and on what a terminal may be shown. Styles: "", good, bad, dim, strong, path, add, remove, hunk.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from ..diff import unified
from ..model import (
    Delete,
    Edit,
    EditBody,
    LineSplice,
    MatchPolicy,
    Move,
    Note,
    Op,
    Outcome,
    Patch,
    Proposal,
    Where,
    Write,
)
from ..text import looks_binary, text_of
from .json import action
from .words import (  # fmt: skip
    LEGEND,
    advice,
    clipped,
    command,
    compared,
    corrected,
    correction_numbers,
    headline,
    in_the_file,
    is_minor,
    line_count,
    line_counts,
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

if TYPE_CHECKING:
    from ..problems import Problem
    from ..result import Result
    from ..symbols import Symbol
    from .words import Paint


NEAR_LINES = 12  # of one near region
WIDE, WIDEST = 1000, 4000  # characters of one line of the report, and of a block: a call as JSON is one line
_FILES = 30  # listed before the rest is counted
_LETTERS = {"create": "A", "update": "M", "delete": "D", "move": "R"}
_STYLE = {"A": "add", "M": "path", "D": "remove", "R": "path"}


class Layout(NamedTuple):
    """How a report is laid out. `width`: of the terminal, 0 for none. `commands`: offer those of the command line.

    `verbose`: with each place, how it was found, and notes on how the patch is written. `max_lines`: 0 is all.
    """

    paint: Paint = plain
    width: int = 0
    commands: bool = False
    verbose: bool = False
    max_lines: int = 0

    def wrapped(self, label: str, text: str, style: str = "") -> list[str]:
        """A label and words behind it, on lines that fit the terminal; each line of the text begins anew."""
        found: list[str] = []
        room = self.width - len(label)
        for part in text.split("\n"):
            parts = [part]
            if self.width and len(part) > room > 20:
                import textwrap

                parts = textwrap.wrap(part, room, break_long_words=False, break_on_hyphens=False)
            for line in parts:
                lead = " " * len(label) if found else self.paint(_LABELS.get(label, ""), label)
                found.append(lead + self.paint(style, line))
        return found


_LABELS = {"error: ": "bad", "hint: ": "strong", "warning: ": "bad", "note: ": "dim"}


def for_people(report: Result, layout: Layout | None = None) -> list[str]:
    """What happened, file by file, then in one line; or that nothing did, and every reason."""
    layout = layout or Layout()
    if report.status == "proposed":
        return bounded(_proposed(report, layout), layout.max_lines)
    if not report.ok:
        return bounded(_in_part(report, layout) if report.partial else _refusal(report, layout), layout.max_lines)
    rows = changed_files(report)
    lines = [*listed(rows, report, layout), *_notes(report.notes, layout)]
    most = layout.max_lines
    last = layout.wrapped("", _result_line(rows, report), "good")
    return [*([] if 0 < most <= len(last) else bounded(lines, most - len(last))), *last]


def _proposed(report: Result, layout: Layout) -> list[str]:
    """What the stated edits and the proposals would do, which is which, and how to accept them."""
    count = many(len(report.problems), "proposal")
    rows = changed_files(report)
    notes = tuple(note for note in report.notes if note.kind != "unused")
    lines = [*told_blocks(report, layout), *listed(rows, report, layout), *_notes(notes, layout)]
    last = layout.wrapped("", f"nothing was changed: {count} to accept or to leave out", "bad")
    if not layout.commands:
        return [*lines, *last]
    rules = ",".join(sorted({one.rule for one in report.plan.sketched if isinstance(one, Proposal)}))
    hint = f"--accept {rules} (or all) takes what is proposed, --accept none leaves it out; `anypatch diff` shows it."
    return [*lines, *last, *layout.wrapped("hint: ", hint)]


def told_blocks(report: Result, layout: Layout) -> list[str]:
    """Each block of the answer: its lines, what it was read as, and what becomes of it; none if all are stated."""
    if not report.plan.sketched:
        return []
    lines = []
    for block in report.blocks:
        where = f"lines {block.first}-{block.last}" if block.last > block.first else f"line {block.first}"
        told = f"{block.became}. {block.reason}"
        if block.read_as not in ("sketch", "thinking", "JSON"):
            told = f"an edit ({block.read_as})"
        lines += layout.wrapped(f"{where}: ", told, "dim" if block.became == "unused" else "")
    return [*lines, ""]


def bounded(lines: list[str], most: int) -> list[str]:
    """The lines, or as many as are wanted, the last of them saying what was left out. 0 and less is no bound."""
    if most <= 0 or len(lines) <= most:
        return lines
    return [*lines[: most - 1], f"… {many(len(lines) - most + 1, 'more line')} left out"]


class ChangedFile(NamedTuple):
    """What became of a file: A, M, D or R, its name, the lines that came and went, its permissions before and after."""

    letter: str
    name: str
    added: int
    removed: int
    bits: tuple[int, int] | None


def changed_files(report: Result) -> list[ChangedFile]:
    """What became of each file."""
    rows = []
    for change, origin in paired(report):
        name = f"{quoted(origin)} → {quoted(change.path)}" if origin else quoted(change.path)
        rows.append(ChangedFile(_LETTERS[action(change, origin)], name, *line_counts(change), modes(change)))
    return rows


def listed(rows: list[ChangedFile], report: Result, layout: Layout) -> list[str]:
    """A line for each file; a long list is folded."""
    shown = rows if layout.verbose or len(rows) <= _FILES + 1 else rows[:_FILES]
    # One long path must not push the numbers of all others out of sight.
    wide = max((len(row.name) for row in shown if len(row.name) <= max(layout.width - 16, 24)), default=0)
    lines = []
    for letter, name, added, removed, bits in shown:
        numbers = [layout.paint("add", f"+{added}")] if added else []
        numbers += [layout.paint("remove", f"-{removed}")] if removed else []
        numbers += [layout.paint("dim", f"mode {bits[1]:o}")] if bits else []
        padded = layout.paint(_STYLE[letter], letter) + " " + layout.paint("", clipped(name))
        lines.append(" ".join([padded + " " * max(wide - len(name) + 1, 1) if numbers else padded, *numbers]))
    if len(shown) < len(rows):
        more = " (-v lists them)" if layout.commands else ""
        lines.append(layout.paint("dim", f"… and {len(rows) - len(shown)} more files{more}"))
    return lines + ([f"  {line}" for line in files(report, layout.paint)] if layout.verbose else [])


def _result_line(rows: list[ChangedFile], report: Result) -> str:
    """A run that succeeded, in one line."""
    added, removed = sum(row.added for row in rows), sum(row.removed for row in rows)
    numbers = " ".join([f"+{added}"] * bool(added) + [f"-{removed}"] * bool(removed))
    much = many(len(rows), "file") + (f", {numbers}" if numbers else "")
    if not report.plan.changes:
        return total(report)
    if report.dry_run:
        return f"would change {much}; nothing was written"
    if report.receipt and report.receipt.undone:
        return f"undone: {much}"
    if report.receipt and not report.plan.outcomes:
        return f"redone: {much}"
    return f"applied: {much}" if report.written else f"changed: {much}"


def _notes(notes: tuple[Note, ...], layout: Layout) -> list[str]:
    """What is worth knowing; how the patch was written only where it is asked for."""
    lines: list[str] = []
    for note in notes:
        if layout.verbose or not is_minor(note):
            word, _, text = note_line(note).partition(" ")
            lines += layout.wrapped(f"{word} ", text, "dim" if word == "note:" else "")
    return lines


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
        if op.proposed:
            made = f"a proposal (rule {op.label}), {'accepted' if not outcome.problems else 'not accepted'}"
        return [f"{made}, {mode}" if mode and op.mode & 0o111 else made]
    if isinstance(op, Delete):
        return ["deleted"]
    if isinstance(op, Move):
        return [f"{'copied' if op.keeps else 'moved'} to " + paint("path", quoted(op.to))]
    return [mode or "unchanged"]


def problem_lines(problem: Problem, report: Result, layout: Layout) -> list[str]:
    """One problem: what is wrong, where, how patch and file differ, what to do."""
    paint = layout.paint
    lines = layout.wrapped(
        "error: ", "\n".join(clipped(quoted(text), 1000) for text in message(problem).split("\n")), "strong"
    )
    where = place(problem, report, short=not layout.verbose)
    lines += layout.wrapped("  --> ", where, "path") if where else []
    lines += _difference(problem, report, layout) or [
        paint(style, text) for style, text in in_the_file(problem, report, NEAR_LINES)
    ]
    lines += layout.wrapped("hint: ", advice(problem) + (command(problem) if layout.commands else ""))
    numbers = range(0)
    if len(problem.corrected) > 1:
        numbers = correction_numbers(report.problems)[report.problems.index(problem)]
    for at, correction in enumerate(problem.corrected):
        taken = f"; --fix{f'={numbers[at]}' if numbers else ''} takes it" if layout.commands else ""
        lines += layout.wrapped("  ", f"{corrected(correction)}{taken}:", "dim")
        lines += [paint("", f"    {clipped(quoted(text), 1000)}") for text in correction.text.split("\n")[:-1]]
    return lines


def _difference(problem: Problem, report: Result, layout: Layout) -> list[str]:
    """The lines that the patch looks for and those that are nearest to them, as a small diff."""
    found = compared(problem, report)
    if not found:
        return []
    paint = layout.paint
    lines = [
        paint("dim", "    --- the answer"),
        paint("dim", f"    +++ {clipped(quoted(problem.path))}, line {found.line}"),
    ]
    lines += [paint(_STYLES.get(tag, ""), f"    {tag}{clipped(quoted(text))}") for tag, text in found.rows]
    return lines + ([paint("dim", f"    ({LEGEND})")] if found.marked else [])


def _deed(splice: LineSplice, paint: Paint) -> str:
    how = "" if splice.how in ("exact", "") else " " + paint("dim", f"({splice.how})")
    count = len(splice.lines)
    if splice.start == splice.end:
        where = f"after line {splice.start}" if splice.start else "at the start"
        return f"inserted {many(count, 'line')} {where}{how}"
    old = span(splice.start + 1, splice.end)
    return f"replaced {old} with {many(count, 'line')}{how}" if count else f"deleted {old}{how}"


def outline(symbols: Sequence[Symbol], paint: Paint = plain, depth: int = 1) -> list[str]:
    """Symbols as an indented list."""
    lines: list[str] = []
    for symbol in symbols:
        damaged = paint("bad", "  (errors inside)") if symbol.damaged else ""
        name = paint("strong", symbol.name_path)
        lines.append(f"{'  ' * depth}{symbol.kind} {name}  {rows_of(symbol)}{damaged}")
        lines += outline(symbol.children, paint, depth + 1)
    return lines


def rows_of(symbol: Symbol) -> str:
    """The lines of a symbol, from 1."""
    return span(symbol.range.start.line + 1, symbol.range.end.line + 1)


def restored(report: Result, paint: Paint) -> list[str]:
    """Undo and redo have no operations: per file what became of it."""
    words = {"create": "put back", "delete": "removed", "update": "restored"}
    return [f"{paint('path', quoted(c.path))}: {words[action(c)]}" for c in report.plan.changes]


def _in_part(report: Result, layout: Layout) -> list[str]:
    done = listed(changed_files(report), report, layout)
    lines = [*done, layout.paint("bad", headline(report)), *_problems(report, layout)]
    left = "The rest is a patch of its own: fix it and send it again."
    return [*lines, "", left if report.rest else "No format can express the rest: write those parts again."]


def _problems(report: Result, layout: Layout) -> list[str]:
    lines: list[str] = []
    for problem in report.problems:
        lines += ["", *problem_lines(problem, report, layout)]
    return lines + _notes(report.notes, layout)


def _refusal(report: Result, layout: Layout) -> list[str]:
    lines = _problems(report, layout)[1:]
    fitting = sum(not outcome.problems for outcome in report.plan.outcomes)
    last = headline(report)
    if fitting:
        last += f"; {fitting} of {many(len(report.plan.outcomes), 'edit')} would have fit"
    return [*lines, *([""] if len(report.problems) > 1 else []), layout.paint("bad", last)]


# ── for models: what failed, what stands there, what to write instead, within a bound ─────────────


def for_model(report: Result, max_lines: int = 80) -> str:
    """The same facts for a language model, in at most `max_lines` lines."""
    if report.ok:
        told = files(report, plain) if report.plan.outcomes else restored(report, plain)
        first = [_first_words(report)] if report.plan.patch.format or report.plan.changes else []
        lines = [clipped(line, WIDE) for line in (*first, total(report), *map(note_line, report.notes), *told)]
    else:
        lines = _refusal_for_model(report, max_lines)
    return "\n".join([clipped(line, WIDEST) for line in bounded(lines, max(max_lines, 1))])


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


def _refusal_for_model(report: Result, max_lines: int) -> list[str]:
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
            told = f" at {where}" if where else ": " + quoted(message(problem).replace("\n", " "))
            lines.append(clipped(f"{number}. {problem.kind}{told}", WIDE))
    rest = ["The rest, as a patch:", *_block(report.rest)] if report.rest else []  # all of it or nothing
    return lines + rest if len(lines) + len(rest) <= max_lines and all(len(line) <= WIDEST for line in rest) else lines


def _in_full(number: int, problem: Problem, report: Result, each: int) -> list[str]:
    told = f"{number}. {problem.kind}: {message(problem)}".replace("\n", "\n   ")
    lines = [quoted(line) for line in told.split("\n")]
    lines += [f"   at {where}" for where in [place(problem, report)] if where]
    lines += [" " + quoted(text) for _, text in in_the_file(problem, report, each)]
    return [clipped(line, WIDE) for line in (*lines, f"   {advice(problem)}")]


def _corrections(problem: Problem, room: int) -> list[str]:
    """Blocks to send instead, as many as there is room for in full: half of one would be worse than none."""
    lines: list[str] = []
    for correction in problem.corrected:
        block = [f"   {corrected(correction)}:", *_block(correction.text)]
        if len(lines) + len(block) > room or any(len(line) > WIDEST for line in block):
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


# ── a diff for the eye ──────────────────────────────────────────────────────────────────────────────


_STYLES = {"+": "add", "-": "remove", "@": "hunk", "\\": "dim"}


def diff_of(report: Result, paint: Paint = plain) -> list[str]:
    """What the plan changes, as a unified diff, file by file; permissions are told in a line above it."""
    lines: list[str] = []
    for change, origin in paired(report):
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
        lines += [paint(_STYLES.get(line[:1], ""), line) for line in shown[2:]]
    return lines


# ── explain, stage by stage ─────────────────────────────────────────────────────────────────────────


def explain(patch: Patch, report: Result, scores: Sequence[tuple[str, int]] = (), paint: Paint = plain) -> list[str]:
    """Each stage's values: sniffed, parsed, located and by which rung, noted, refused."""
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
    """What a hunk says of its place, and by which policy it is matched."""
    claims = zip(Where._fields, hunk.where, Where(), strict=True)
    stated = [f"{name}={value!r}" for name, value, default in claims if value != default]
    policy = zip(MatchPolicy._fields, hunk.policy, strict=True)
    allowed = [name.replace("_", " ") for name, value in policy if value is True]
    levels = f"levels {', '.join(hunk.policy.levels)}; indentation {hunk.policy.indents}"
    return f"{', '.join(stated) or 'no claim'}; {levels}; {', '.join(allowed) or 'as is'}"


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
