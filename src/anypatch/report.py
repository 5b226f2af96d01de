"""Reports as words for people, words for models, and plain values for JSON. Pure: prints nothing, touches nothing.

Every piece of text that came from a patch or a file goes through `paint(style, text)`, so that the caller decides
on colours and on what a terminal may be shown. Styles: "", good, bad, dim, strong, path, add, remove, hunk.
"""

from __future__ import annotations

from .errors import KINDS
from .model import Delete, Edit, Move, Where, Write

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from .errors import Problem
    from .model import FileChange, Hunk, Merge, Note, Op, Outcome, Patch, Report, Splice, Swap

    Paint = Callable[[str, str], str]

NEAR_LINES = 12  # of one near region, for people


def plain(style: str, text: str) -> str:
    """The painter that paints nothing."""
    return text


# ── JSON ─────────────────────────────────────────────────────────────────────────────────────────


def as_json(report: Report, *, dry_run: bool | None = None) -> dict[str, object]:
    """The report as one value of dicts, lists, strings and numbers. Without a word on it, done without receipt is dry.

    A range is 1-based and inclusive; an insertion has `end == start - 1`. What is not known is null.
    """
    patch = report.plan.patch
    return {
        "ok": report.ok,
        "dry_run": (report.ok and report.receipt is None) if dry_run is None else dry_run,
        "format": patch.format or None,
        "description": patch.description or None,
        "changes": [_change_json(*pair) for pair in _paired(report)] if report.ok else [],
        "operations": [_outcome_json(outcome) for outcome in report.plan.outcomes],
        "problems": [problem_json(problem) for problem in report.problems],
        "notes": [note_json(note) for note in report.notes],
        "receipt": report.receipt.id if report.receipt else None,
    }


def problem_json(problem: Problem) -> dict[str, object]:
    """One problem as plain values."""
    return {
        "kind": problem.kind,
        "path": problem.path or None,
        "patch_line": problem.patch_line or None,
        "line": problem.line or None,
        "message": message(problem),
        "advice": problem.advice or KINDS[problem.kind].advice,
        "near": [{"line": near.line, "text": "\n".join(near.lines), "note": near.note} for near in problem.near],
        "operation": problem.op or None,
    }


def note_json(note: Note) -> dict[str, object]:
    """One note as plain values."""
    return {"text": note.text, "path": note.path or None, "patch_line": note.patch_line or None}


def json_text(value: object) -> str:
    """One line of JSON. ASCII only: lone surrogates, which stand for bytes that are no UTF-8, stay escaped."""
    import json

    return json.dumps(value, ensure_ascii=True)


def action(change: FileChange, origin: str = "") -> str:
    """What happened to a path, in one word; `origin` is the path it was moved from."""
    if origin:
        return "move"
    if change.before is None:
        return "create"
    return "delete" if change.after is None else "update"


def _change_json(change: FileChange, origin: str, before: FileChange | None = None) -> dict[str, object]:
    from .diff import counts

    old = before.before if before else change.before
    added, removed = counts(old.data if old else b"", change.after.data if change.after else b"")
    value: dict[str, object] = {"path": change.path, "action": action(change, origin)}
    if origin:
        value["from"] = origin
    return value | {"added": added, "removed": removed}


def _outcome_json(outcome: Outcome) -> dict[str, object]:
    op, splices = outcome.op, outcome.splices
    parts = [{"start": s.start + 1, "end": s.end, "new_lines": len(s.lines), "how": s.how} for s in splices]
    value: dict[str, object] = {
        "number": outcome.number,
        "label": op.label,
        "path": outcome.path,
        "start": splices[0].start + 1 if splices else None,
        "end": splices[-1].end if splices else None,
        "new_lines": sum(len(s.lines) for s in splices) if splices else _whole_lines(op),
        "how": ", ".join(dict.fromkeys(s.how for s in splices)) or None,
        "patch_line": op.patch_line or None,
        "ok": not outcome.problems,
        "notes": [note.text for note in outcome.notes],
        "parts": parts,
    }
    return value | {"to": op.to} if isinstance(op, Move) else value


def _whole_lines(op: Op) -> int | None:
    return _line_count(op.text) if isinstance(op, Write) else None


def _line_count(text: str) -> int:
    return text.count("\n") + (text[-1:] not in ("", "\n"))


def _paired(report: Report) -> list[tuple[FileChange, str, FileChange | None]]:
    """The changes; what a move took away is joined with what it made, and told with its origin."""
    changes = {change.path: change for change in report.plan.changes}
    origins: dict[str, str] = {}
    for outcome in report.plan.outcomes:
        if isinstance(outcome.op, Move):
            origins[outcome.op.to] = origins.pop(outcome.path, outcome.path)
        elif isinstance(outcome.op, Delete | Write):
            origins.pop(outcome.path, None)
    moved = {
        to: changes[origin]
        for to, origin in origins.items()
        if to in changes and changes[to].after and origin in changes and changes[origin].after is None
    }
    gone = {change.path for change in moved.values()}
    pairs = [(c, moved[c.path].path if c.path in moved else "", moved.get(c.path)) for c in changes.values()]
    return [pair for pair in pairs if pair[0].path not in gone]


# ── people ───────────────────────────────────────────────────────────────────────────────────────


def for_people(report: Report, paint: Paint = plain, *, dry_run: bool = False, undo: bool = False) -> list[str]:
    """What happened, file by file, then in one line; or that nothing did, and every reason."""
    if not report.ok:
        return _refusal(report, paint)
    lines = _restored(report, paint) if undo else _files(report, paint)
    lines += [_note_line(note, paint) for note in report.notes]
    return [*lines, paint("good", _total(report, dry_run, undo))]


def message(problem: Problem) -> str:
    """A problem in one sentence."""
    title = KINDS[problem.kind].title
    return f"{title}: {problem.detail}" if problem.detail else title


def quoted(text: str) -> str:
    """A name that stays on its line."""
    return text.replace("\n", "\\n").replace("\r", "\\r") if "\n" in text or "\r" in text else text


def _files(report: Report, paint: Paint) -> list[str]:
    """Per file its operations, in the order of the patch."""
    existing = {change.path for change in report.plan.changes if change.before is not None}
    by_path: dict[str, list[str]] = {}
    for outcome in report.plan.outcomes:
        told = by_path.setdefault(outcome.path, [])
        told += [f"  {text}" for text in _deeds(outcome, outcome.path in existing, paint)]
        if isinstance(outcome.op, Move):
            existing.add(outcome.op.to)
        if isinstance(outcome.op, Delete | Move):
            existing.discard(outcome.path)
        else:
            existing.add(outcome.path)
    return [line for path, told in by_path.items() for line in (paint("path", quoted(path)), *told)]


def _deeds(outcome: Outcome, existed: bool, paint: Paint) -> list[str]:
    op = outcome.op
    if isinstance(op, Write):
        return [f"{'overwritten' if existed else 'created'}, {_many(_line_count(op.text), 'line')}"]
    if isinstance(op, Delete):
        return ["deleted"]
    if isinstance(op, Move):
        return ["moved to " + paint("path", quoted(op.to))]
    return [_deed(splice, paint) for splice in outcome.splices] or ["unchanged"]


def _deed(splice: Splice, paint: Paint) -> str:
    how = "" if splice.how in ("exact", "") else " " + paint("dim", f"({splice.how})")
    count = len(splice.lines)
    if splice.start == splice.end:
        place = f"after line {splice.start}" if splice.start else "at the start"
        return f"inserted {_many(count, 'line')} {place}{how}"
    span = f"lines {splice.start + 1}-{splice.end}"
    return f"replaced {span} with {_many(count, 'line')}{how}" if count else f"deleted {span}{how}"


def _restored(report: Report, paint: Paint) -> list[str]:
    """Undo has no operations: per file what became of it."""
    words = {"create": "put back", "delete": "removed", "update": "restored"}
    return [f"{paint('path', quoted(c.path))}: {words[action(c)]}" for c in report.plan.changes]


def _total(report: Report, dry_run: bool, undo: bool) -> str:
    files = _many(len(_paired(report)), "file")
    operations = _many(len(report.plan.outcomes), "operation")
    if undo:
        return f"undone: {files} as before"
    if dry_run:
        return f"would change {files} by {operations}; nothing was written"
    if not report.plan.changes:
        return f"nothing to change: the files are as {operations} would leave them"
    return f"changed {files} by {operations}"


def _many(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def _note_line(note: Note, paint: Paint) -> str:
    place = f"patch line {note.patch_line}: " if note.patch_line else ""
    path = f"{quoted(note.path)}: " if note.path else ""
    return paint("dim", f"note: {place}{path}{quoted(note.text)}")


def headline(report: Report) -> str:
    """The first words about a run that did not succeed. What the machine failed at is told by the problem itself."""
    if any(KINDS[problem.kind].exit == 3 for problem in report.problems):
        return "failed, nothing was completed"
    return "refused, nothing was changed"


def _refusal(report: Report, paint: Paint) -> list[str]:
    lines = [paint("bad", headline(report))]
    for problem in report.problems:
        lines += ["", *_problem(problem, report, paint)]
    lines += [_note_line(note, paint) for note in report.notes]
    fitting = sum(not outcome.problems for outcome in report.plan.outcomes)
    if fitting:
        lines += ["", f"{fitting} of {_many(len(report.plan.outcomes), 'operation')} would have fitted."]
    return lines


def _problem(problem: Problem, report: Report, paint: Paint) -> list[str]:
    title, *more = message(problem).split("\n")
    lines = [paint("bad", "problem: ") + paint("strong", title), *(paint("", f"  {text}") for text in more)]
    place = _place(problem, report)
    if place:
        lines.append("  at: " + paint("path", place))
    for near in problem.near:
        lines.append(paint("dim", f"  {quoted(near.note) or _region(problem)}:"))
        lines += [paint("", f"  {text}") for text in _numbered(near.line, near.lines, NEAR_LINES)]
    return [*lines, "  do: " + paint("", quoted(problem.advice or KINDS[problem.kind].advice))]


def _region(problem: Problem) -> str:
    """What a region without a note is."""
    return "it fits here" if problem.kind == "ambiguous" else "nearest"


def _place(problem: Problem, report: Report) -> str:
    """Where a problem is: in the file, in the patch, in which operation."""
    line = f"line {problem.line}" if problem.line else ""
    parts = [f"{quoted(problem.path)}:{problem.line}" if problem.path and line else quoted(problem.path) or line]
    parts.append(f"patch line {problem.patch_line}" if problem.patch_line else "")
    if problem.op:
        label = next((o.op.label for o in report.plan.outcomes if o.number == problem.op), "")
        parts.append(f"operation {problem.op}" + (f" ({quoted(label)})" if label else ""))
    return ", ".join(part for part in parts if part)


def _numbered(first: int, lines: Sequence[str], limit: int) -> list[str]:
    """Lines with their numbers; the end of a long region is cut off and said to be."""
    width = len(str(first + len(lines)))
    shown = [f"{first + at:>{width}} | {line}" for at, line in enumerate(lines[:limit])]
    rest = len(lines) - limit
    return [*shown, f"{'':>{width}} … {_many(rest, 'more line')}"] if rest > 0 else shown


def diff_of(report: Report, paint: Paint = plain) -> list[str]:
    """What the plan changes, as a unified diff, file by file."""
    from .diff import unified
    from .text import decode, looks_binary

    lines: list[str] = []
    for change, origin, source in _paired(report):
        old, new = source.before if source else change.before, change.after
        names = (quoted(origin or change.path), quoted(change.path))
        if any(side and looks_binary(side.data) for side in (old, new)):
            lines.append(paint("dim", f"binary contents differ: {names[1]}"))
            continue
        shown = unified(*names, decode(old.data) if old else None, decode(new.data) if new else None)
        lines += [paint("strong", line) for line in shown[:2]]
        lines += [paint(_DIFF_STYLES.get(line[:1], ""), line) for line in shown[2:]]
    return lines


_DIFF_STYLES = {"+": "add", "-": "remove", "@": "hunk", "\\": "dim"}


# ── models ───────────────────────────────────────────────────────────────────────────────────────


def for_model(report: Report, max_lines: int = 80) -> str:
    """The same facts for a language model: what failed, what stands there, what to write instead."""
    lines = _model_done(report) if report.ok else _model_refusal(report, max_lines)
    if len(lines) > max_lines:
        rest = len(lines) - max_lines + 1
        lines = [*lines[: max_lines - 1], f"… {_many(rest, 'more line')} left out"]
    return "\n".join(lines)


def _model_done(report: Report) -> list[str]:
    receipt = report.receipt
    first = f"Applied; receipt {receipt.id}." if receipt else "It fits; nothing was written."
    notes = [_note_line(note, plain) for note in report.notes]
    return [first, _total(report, receipt is None, undo=False), *_files(report, plain), *notes]


def _model_refusal(report: Report, max_lines: int) -> list[str]:
    outcomes, problems = report.plan.outcomes, report.problems
    lines = [headline(report).capitalize() + "."]
    regions = sum(len(problem.near) for problem in problems)
    share = max((max_lines - 2 - 3 * len(problems) - regions) // max(regions, 1), 3)
    for number, problem in enumerate(problems, 1):
        lines += f"{number}. {problem.kind}: {message(problem)}".replace("\n", "\n   ").split("\n")
        lines += [f"   at {place}" for place in [_place(problem, report)] if place]
        for near in problem.near:
            lines.append(f"   {quoted(near.note) or _region(problem)}:")
            lines += [f"   {text}" for text in _numbered(near.line, near.lines, share)]
        lines.append(f"   {quoted(problem.advice or KINDS[problem.kind].advice)}")
    fitting = [str(outcome.number) for outcome in outcomes if not outcome.problems]
    if fitting:
        which = f"Operation {fitting[0]} fits" if len(fitting) == 1 else f"Operations {', '.join(fitting)} fit"
        lines.insert(1, f"{which} but nothing is written until all do: mend the others and send the whole patch again.")
    return lines


# ── every stage ──────────────────────────────────────────────────────────────────────────────────


def explain(patch: Patch, report: Report, scores: Sequence[tuple[str, int]] = (), paint: Paint = plain) -> list[str]:
    """Each stage's values: sniffed, parsed, located and by which rung, noted, refused."""
    lines = [paint("strong", "sniffed"), *(f"  {score:>3}  {name}" for name, score in scores)]
    lines += [
        paint("strong", "parsed") + paint("", f" as {patch.format or 'nothing'}, {_many(len(patch.ops), 'operation')}")
    ]
    lines += [paint("", f"  {quoted(patch.description)}")] if patch.description else []
    for number, op in enumerate(patch.ops, 1):
        lines += [paint("", text) for text in _parsed(number, op)]
    lines.append(paint("strong", "located"))
    for outcome in report.plan.outcomes:
        lines += [paint("", text) for text in _located(outcome)]
    lines += [_note_line(note, paint) for note in report.notes]
    for problem in report.problems:
        lines += _problem(problem, report, paint)
    return [*lines, paint("good", "it fits") if report.ok else paint("bad", "it does not fit")]


def _parsed(number: int, op: Op) -> list[str]:
    lines = [f"  {number}. {quoted(op.label)} {quoted(op.path)} (patch line {op.patch_line})"]
    if isinstance(op, Write):
        lines.append(f"     {_many(_line_count(op.text), 'line')}{', may overwrite' if op.overwrite else ''}")
    if isinstance(op, Move):
        lines.append(f"     to {quoted(op.to)}")
    for hunk in op.hunks if isinstance(op, Edit) else ():
        lines.append(f"     hunk at patch line {hunk.patch_line}: {_claims(hunk)}")
        lines += [f"       {tag}{text}" for tag, text in hunk.lines]
    return lines


def _claims(hunk: Hunk | Swap | Merge) -> str:
    """What a hunk says of its place, and by which rules it is read."""
    claims = zip(Where._fields, hunk.where, Where(), strict=True)
    stated = [f"{name}={value!r}" for name, value, default in claims if value != default]
    rules = hunk.rules
    return f"{', '.join(stated) or 'no claim'}; rungs {', '.join(rules.rungs)}; indent {rules.indent}, eol {rules.eol}"


def _located(outcome: Outcome) -> list[str]:
    if outcome.problems:
        found = ["not placed: " + ", ".join(problem.kind for problem in outcome.problems)]
    elif isinstance(outcome.op, Write):
        found = [f"the whole file, {_many(_line_count(outcome.op.text), 'line')}"]
    else:
        exact = [splice.how == "exact" for splice in outcome.splices] or [False]
        deeds = _deeds(outcome, False, plain)
        found = [f"{deed} (exact)" if at else deed for deed, at in zip(deeds, exact, strict=True)]
    return [f"  {outcome.number}. {quoted(outcome.path)}: {text}" for text in found]
