"""Phrases that all reports share: names, places, numbered regions, one-line facts. Pure."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from ..diff import counts
from ..model import Delete, Edit, EditBody, FileChange, Move, Note, Outcome, Plan, Write
from ..problems import KINDS, Correction, Problem
from ..text import BLANK

if TYPE_CHECKING:
    from typing import Literal

    from ..result import Result

    Paint = Callable[[str, str], str]


_SHORT = 6  # characters of the name of a session or a turn
LONG = 240  # characters of a foreign line that are shown; minified files have lines of megabytes


def plain(style: str, text: str) -> str:
    """Return the text as it is: a `Paint` without colours."""
    return text


def with_command(hint: str, problem: Problem) -> str:
    """Return a hint, followed by what the command line offers."""
    return quoted(f"{hint} {problem.command}".rstrip())


def quoted(text: str) -> str:
    """Escape what could end the line or control a terminal."""
    return text if text.isprintable() else text.translate(_ESCAPES)


def escape(code: int) -> str:
    """Return the escape sequence of a character: `\\n`, `\\x1b`, `\\u202e`."""
    if code in (10, 13):
        return "\\n" if code == 10 else "\\r"
    return f"\\x{code:02x}" if code < 256 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


# Control characters, marks of direction, and characters of no width: with these, different names look the same.
_UNSEEN = (
    (0, 8), (10, 31), (127, 159), (0xAD, 0xAD), (0x61C, 0x61C), (0x180E, 0x180E), (0x200B, 0x200F), (0x2028, 0x202E),
    (0x2060, 0x206F), (0xFEFF, 0xFEFF), (0xFFF9, 0xFFFB), (0xE0000, 0xE007F),
)  # fmt: skip
_ESCAPES = {code: escape(code) for first, last in _UNSEEN for code in range(first, last + 1)}


def clipped(line: str, limit: int = LONG) -> str:
    """Cut a long line, and say how long it is."""
    return line if len(line) <= limit else f"{line[:limit]}… ({len(line)} characters)"


def session_and_turn(session: str, turn: str) -> str:
    """Shorten the names of session and turn to their ends: UUIDs made within a minute may begin alike."""
    short = [name if len(name) <= _SHORT + 1 else f"…{name[-_SHORT:]}" for name in (session, turn)]
    return quoted("/".join(short) if turn else short[0])


def many(count: int, noun: str) -> str:
    """Return a number of things: `1 file`, `2 files`."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def span(start: int, end: int) -> str:
    """Name the lines from `start` to `end` (1-based, inclusive)."""
    return f"line {start}" if start == end else f"lines {start}-{end}"


def headline(report: Result) -> str:
    """Summarize a run that did not succeed."""
    if report.partial:
        return "it fits in part; nothing was written" if report.dry_run else "applied in part"
    if any(KINDS[problem.kind].exit == 3 for problem in report.problems):
        return "failed; the change was not completed"
    return "refused, nothing was changed"


def note_line(note: Note) -> str:
    """Return a note as one line."""
    place = f" (line {note.patch_line} of the answer)" if note.patch_line > 1 else ""
    path = f"{quoted(note.path)}: " if note.path and note.path not in note.text else ""
    word = "warning" if note.kind in ("syntax", "defined_twice") else "note"
    return clipped(f"{word}: {path}{quoted(note.text)}{place}", 2 * LONG)


def is_minor(note: Note) -> bool:
    """Return True if a note is only about how the patch is written, such as a wrong count in a header."""
    return bool(note.patch_line) and not note.kind


# ── problems ─────────────────────────────────────────────────────────────────────────────────────


def place(problem: Problem, report: Result, *, short: bool = False) -> str:
    """Say where a problem is: in the file and in the answer; unless `short`, also in which edit and hunk."""
    path, line = clipped(quoted(problem.path)), f"line {problem.line}" if problem.line else ""
    parts = [f"{path}:{problem.line}" if path and line else path or line]
    parts.append(f"line {problem.patch_line} of the answer" if problem.patch_line else "")
    if problem.op and not short:
        outcome = outcome_of(problem, report)
        label = f" ({quoted(outcome.op.label)})" if outcome and outcome.op.label else ""
        number, hunks = hunk_number(problem, outcome)
        parts.append(f"edit {problem.op}{label}")
        parts.append(f"hunk {number + 1} of {len(hunks)}" if number >= 0 and len(hunks) > 1 else "")
    return ", ".join(part for part in parts if part)


def hunk_number(problem: Problem, outcome: Outcome | None) -> tuple[int, Sequence[EditBody]]:
    """Return which of the hunks of its operation a problem is about, from 0, or -1; and the hunks."""
    hunks = outcome.op.hunks if outcome and isinstance(outcome.op, Edit) else ()
    if 0 <= problem.part < len(hunks) and hunks[problem.part].patch_line == problem.patch_line:
        return problem.part, hunks
    numbers = [number for number, hunk in enumerate(hunks) if hunk.patch_line == problem.patch_line]
    return (numbers or [0])[0] if len(numbers) == 1 or len(hunks) == 1 else -1, hunks


def outcome_of(problem: Problem, report: Result) -> Outcome | None:
    """Return the operation that a problem is about."""
    outcomes = report.plan.outcomes
    if 0 < problem.op <= len(outcomes) and outcomes[problem.op - 1].number == problem.op:
        return outcomes[problem.op - 1]
    return next((outcome for outcome in outcomes if outcome.number == problem.op), None) if problem.op else None


def old_lines_of(problem: Problem, report: Result, *, blank: bool = False) -> list[str]:
    """Return the old lines of the hunk that a problem is about, without blank ones unless `blank`."""
    number, hunks = hunk_number(problem, outcome_of(problem, report))
    lines = hunks[number].lines if number >= 0 else ()
    return [text for sign, text in lines if sign != "+" and (blank or text.strip(BLANK))]


def corrected(correction: Correction) -> str:
    """Introduce a corrected block."""
    where = f" at line {correction.line}" if correction.line else ""
    return f"this fits{where}; check that it still says what you mean"


def correction_numbers(problems: Sequence[Problem]) -> list[range]:
    """Return the numbers of each problem's corrections, counted through the report."""
    numbers = []
    first = 1
    for problem in problems:
        numbers.append(range(first, first + len(problem.corrected)))
        first += len(problem.corrected)
    return numbers


def numbered(first: int, lines: Sequence[str], limit: int, mark: int = 0) -> list[str]:
    """Number lines, point at the line `mark`, and cut off the end of a long region."""
    if mark >= first + limit:
        lines, first = lines[mark - limit + 1 - first :], mark - limit + 1
    shown = lines[:limit]
    width = len(str(first + max(len(shown), 1) - 1))
    numbered_lines = [
        f"{'>' if first + at == mark else ' '} {first + at:>{width}} | {clipped(line)}" for at, line in enumerate(shown)
    ]
    rest = len(lines) - len(shown)
    return [*numbered_lines, f"  {'':>{width}} … {many(rest, 'more line')}"] if rest > 0 else numbered_lines


# ── what was done ────────────────────────────────────────────────────────────────────────────────


def total(report: Result) -> str:
    """Summarize a run that succeeded in one line."""
    files = many(len(changes_and_origins(report.plan)), "file")
    operations = many(sum(share(outcome) != "none" for outcome in report.plan.outcomes), "edit")
    if done := reversal(report):
        unchanged = "the files already are as before" if done == "undone" else "no file is changed"
        much = f"{files}{' as before' if done == 'undone' else ''}" if report.plan.changes else unchanged
        return f"{done}: {reversed_changes(report)}{much}"
    if not report.plan.patch.format and not report.plan.changes:  # no patch was read: a recovery
        return "recovered" if report.notes else "nothing to recover"
    if not report.plan.outcomes and not report.plan.changes:
        return "nothing to change: the answer has no edits"
    if not report.plan.changes:
        return "nothing to change: the files already are as the answer would have them"
    if report.dry_run:
        return f"would change {files} ({operations}); nothing was written"
    return f"{files} changed ({operations})"


def reversal(report: Result) -> Literal["undone", "redone", ""]:
    """Return what a run did if it was an undo or a redo. A redo of an undo leaves that undone."""
    receipt = report.receipt
    if receipt is None or report.plan.outcomes or report.dry_run:
        return ""
    return "undone" if receipt.undone != bool(receipt.undoes) else "redone"


def reversed_changes(report: Result) -> str:
    """Return how many changes were undone or redone together, with a comma; "" for one."""
    together = len(report.receipt.undoes) if report.receipt else 0
    return f"{many(together, 'change')}, " if together > 1 else ""


def share(outcome: Outcome) -> Literal["all", "part", "none"]:
    """Return how much of an operation is applied, or would be."""
    if outcome.rest is None:
        return "none" if outcome.problems else "all"
    hunks = outcome.op.hunks if isinstance(outcome.op, Edit) else ()
    return "part" if isinstance(outcome.rest, Edit) and len(outcome.rest.hunks) < len(hunks) else "none"


def line_count(text: str) -> int:
    """Count the lines of a text."""
    return text.count("\n") + (text[-1:] not in ("", "\n"))


def changes_and_origins(plan: Plan) -> list[tuple[FileChange, str]]:
    """Return the changes, each with the path it was moved from, or ""; of a moved file `before` is the file there."""
    changes = {change.path: change for change in plan.changes}
    origins: dict[str, str] = {}
    for outcome in plan.outcomes:
        if share(outcome) == "none":
            continue
        if isinstance(outcome.op, Move):
            origins[outcome.op.to] = origins.pop(outcome.path, outcome.path)
        elif isinstance(outcome.op, Delete | Write):
            origins.pop(outcome.path, None)
    for to, origin in origins.items():
        if to in changes and changes[to].after and origin in changes and changes[origin].after is None:
            changes[to] = changes[to]._replace(before=changes[origin].before)
        else:
            origins[to] = ""
    gone = set(origins.values())
    return [(change, origins.get(path, "")) for path, change in changes.items() if path not in gone]


def modes(change: FileChange) -> tuple[int, int] | None:
    """Return the permission bits before and after if they differ; of a new file only if it is executable."""
    before, after = change.before, change.after
    if after is None:
        return None
    if before is None:
        return (0, after.mode) if after.mode & 0o111 else None
    return (before.mode, after.mode) if before.mode != after.mode else None


def line_counts(change: FileChange) -> tuple[int, int]:
    """Count the lines that a change adds and removes."""
    return counts(*(file.data if file else b"" for file in (change.before, change.after)))


def table_lines(rows: Sequence[Sequence[str]]) -> list[str]:
    """Return the rows of a table, the first column aligned to the left, the others to the right."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return ["  ".join([row[0].ljust(widths[0]), *map(str.rjust, row[1:], widths[1:])]).rstrip() for row in rows]
