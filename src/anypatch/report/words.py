"""The words that all reports share: names, places, numbered regions, one-line facts. Pure; decides on no layout."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from ..diff import counts, opcodes
from ..model import Delete, Edit, EditBody, FileChange, Move, Note, Outcome, Write
from ..problems import KINDS, Correction, Problem
from ..text import BLANK

if TYPE_CHECKING:
    from typing import Literal

    from ..result import Result

    Hunks = Sequence[EditBody]
    Paint = Callable[[str, str], str]


LONG = 240  # characters of a foreign line that are shown; minified files have lines of megabytes


def plain(style: str, text: str) -> str:
    """The painter that paints nothing."""
    return text


def message(problem: Problem) -> str:
    """A problem in one sentence."""
    kind = KINDS[problem.kind]
    if problem.detail and kind.by_detail:
        return problem.detail
    return f"{kind.title}: {problem.detail}" if problem.detail else kind.title


def advice(problem: Problem) -> str:
    """What to do about it."""
    return quoted(problem.advice or KINDS[problem.kind].advice)


def command(problem: Problem) -> str:
    """What the command line offers for it, as a sentence to be put behind the advice; "" for nothing."""
    offered = problem.command or ("" if problem.advice else KINDS[problem.kind].command)
    return " " + quoted(offered) if offered else ""


def quoted(text: str) -> str:
    """A name that stays on its line and rewrites no terminal, also by way of a file that is shown later."""
    return text if text.isprintable() else text.translate(_ESCAPES)


def escape(code: int) -> str:
    """A character that can't be shown as it is, as programmers write it."""
    if code in (10, 13):
        return "\\n" if code == 10 else "\\r"
    return f"\\x{code:02x}" if code < 256 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


# Control characters, marks of direction, and what has no width: by these, two names or lines look the same.
_UNSEEN = (
    (0, 8), (10, 31), (127, 159), (0xAD, 0xAD), (0x61C, 0x61C), (0x180E, 0x180E), (0x200B, 0x200F), (0x2028, 0x202E),
    (0x2060, 0x206F), (0xFEFF, 0xFEFF), (0xFFF9, 0xFFFB), (0xE0000, 0xE007F),
)  # fmt: skip
_ESCAPES = {code: escape(code) for first, last in _UNSEEN for code in range(first, last + 1)}


def clipped(line: str, limit: int = LONG) -> str:
    """The line, or its beginning with a word on how much there is."""
    return line if len(line) <= limit else f"{line[:limit]}… ({len(line)} characters)"


def many(count: int, noun: str) -> str:
    """A number of things."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def span(start: int, end: int) -> str:
    """The lines from `start` to `end` (1-based, inclusive)."""
    return f"line {start}" if start == end else f"lines {start}-{end}"


def headline(report: Result) -> str:
    """The first words about a run that did not succeed. What the machine failed at is told by the problem itself."""
    if report.partial:
        return "it fits in part; nothing was written" if report.dry_run else "applied in part"
    if any(KINDS[problem.kind].exit == 3 for problem in report.problems):
        return "failed; the change was not completed"
    return "refused, nothing was changed"


def note_line(note: Note) -> str:
    """A note on one line."""
    place = f" (line {note.patch_line} of the answer)" if note.patch_line > 1 else ""
    path = f"{quoted(note.path)}: " if note.path and note.path not in note.text else ""
    word = "warning" if note.kind in ("syntax", "defined_twice") else "note"
    return clipped(f"{word}: {path}{quoted(note.text)}{place}", 2 * LONG)


def is_minor(note: Note) -> bool:
    """Whether a note is only on how the patch is written: a wrong count in a header, text that was passed over."""
    return bool(note.patch_line) and not note.kind


# ── problems ─────────────────────────────────────────────────────────────────────────────────────


def place(problem: Problem, report: Result, *, short: bool = False) -> str:
    """Where a problem is: in the file, in the patch; in which operation, in which of its hunks, unless `short`."""
    path = clipped(quoted(problem.path))
    line = f"line {problem.line}" if problem.line else ""
    parts = [f"{path}:{problem.line}" if path and line else path or line]
    answer = f"line {problem.patch_line} of the answer"
    parts.append(answer if problem.patch_line else "")
    outcome = outcome_of(problem, report)
    if problem.op and not short:
        label = quoted(outcome.op.label) if outcome else ""
        parts.append(f"edit {problem.op}" + (f" ({label})" if label else ""))
    hunks = outcome.op.hunks if outcome and isinstance(outcome.op, Edit) else ()
    numbers = hunks_at(hunks, problem.patch_line)
    if len(hunks) > 1 and len(numbers) == 1 and not short:
        parts.append(f"hunk {numbers[0]} of {len(hunks)}")
    return ", ".join(part for part in parts if part)


_grouped: list[tuple[Hunks, dict[int, list[int]]]] = []


def hunks_at(hunks: Hunks, patch_line: int) -> list[int]:
    """The numbers, from 1, of the hunks at a line of the patch; of the hunks asked about last all are known at once."""
    last = _grouped[0] if _grouped else None
    if last is None or last[0] is not hunks:
        found: dict[int, list[int]] = {}
        for number, hunk in enumerate(hunks, 1):
            found.setdefault(hunk.patch_line, []).append(number)
        last = (hunks, found)
        _grouped[:] = [last]
    return last[1].get(patch_line, [])


def outcome_of(problem: Problem, report: Result) -> Outcome | None:
    """The operation that a problem is about."""
    outcomes = report.plan.outcomes
    if 0 < problem.op <= len(outcomes) and outcomes[problem.op - 1].number == problem.op:
        return outcomes[problem.op - 1]
    return next((outcome for outcome in outcomes if outcome.number == problem.op), None) if problem.op else None


def in_the_file(problem: Problem, report: Result, most: int) -> list[tuple[str, str]]:
    """What stands where a problem is, or what was looked for: lines with their styles, `most` of each region."""
    if not problem.near:
        wanted = _old_lines(problem, report)[:1] if problem.kind == "not_found" else []
        return [("", f"  looked for: {clipped(quoted(line.strip(BLANK)))}") for line in wanted]
    difference = first_difference(problem, report)
    lines: list[tuple[str, str]] = []
    for near in problem.near:
        told = clipped(quoted(near.note), 2 * LONG) or (
            "it fits here" if problem.kind == "ambiguous" else "closest match"
        )
        if not near.lines and not near.note:
            told += f": line {near.line}"
        lines.append(("dim", f"  {told}:" if near.lines else f"  {told}"))
        lines += [("", text) for text in numbered(near.line, near.lines, most, difference.line if difference else 0)]
    both = side_by_side(difference) if difference else None
    if difference and both:
        lines.append(("dim", f"  line {difference.line} with its whitespace made visible ({LEGEND}):"))
        lines += [("", f"  file : {both[0]}"), ("", f"  patch: {both[1]}")]
    return lines


def corrected(correction: Correction) -> str:
    """What a corrected block is."""
    where = f" at line {correction.line}" if correction.line else ""
    return f"this fits{where}; check that it still says what you mean"


def correction_numbers(problems: Sequence[Problem]) -> list[range]:
    """For each problem the numbers of its corrections, counted through the report; none if there is only one."""
    numbers = []
    first = 1
    for problem in problems:
        count = len(problem.corrected) if len(problem.corrected) > 1 else 0
        numbers.append(range(first, first + count))
        first += count
    return numbers


def numbered(first: int, lines: Sequence[str], limit: int, mark: int = 0) -> list[str]:
    """Lines with their numbers, the line `mark` pointed at; the end of a long region is cut off and said to be."""
    if mark >= first + limit:
        lines, first = lines[mark - limit + 1 - first :], mark - limit + 1
    shown = lines[:limit]
    width = len(str(first + max(len(shown), 1) - 1))
    told = [
        f"{'>' if first + at == mark else ' '} {first + at:>{width}} | {clipped(line)}" for at, line in enumerate(shown)
    ]
    rest = len(lines) - len(shown)
    return [*told, f"  {'':>{width}} … {many(rest, 'more line')}"] if rest > 0 else told


# ── what was done ────────────────────────────────────────────────────────────────────────────────


def total(report: Result) -> str:
    """A run that succeeded, in one line."""
    files = many(len(paired(report)), "file")
    operations = many(sum(share(outcome) != "none" for outcome in report.plan.outcomes), "edit")
    if report.receipt and report.receipt.undone:
        return f"undone: {files} as before"
    if report.receipt and not report.plan.outcomes:
        return f"redone: {files}"
    if not report.plan.patch.format and not report.plan.changes:  # no patch was read: a recovery
        return "recovered" if report.notes else "nothing to recover"
    if not report.plan.outcomes and not report.plan.changes:
        return "nothing to change: the answer has no edits"
    if not report.plan.changes:
        return "nothing to change: the files already are as the answer would have them"
    if report.dry_run:
        return f"would change {files} ({operations}); nothing was written"
    return f"{files} changed ({operations})"


def share(outcome: Outcome) -> Literal["all", "part", "none"]:
    """How much of an operation is applied, or would be: all, part or none."""
    if outcome.rest is None:
        return "none" if outcome.problems else "all"
    hunks = outcome.op.hunks if isinstance(outcome.op, Edit) else ()
    return "part" if isinstance(outcome.rest, Edit) and len(outcome.rest.hunks) < len(hunks) else "none"


def line_count(text: str) -> int:
    """How many lines a text has."""
    return text.count("\n") + (text[-1:] not in ("", "\n"))


def paired(report: Result) -> list[tuple[FileChange, str]]:
    """The changes, each with the path it was moved from, or ""; `before` is then the file as it was there."""
    changes = {change.path: change for change in report.plan.changes}
    origins: dict[str, str] = {}
    for outcome in report.plan.outcomes:
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
    """The permission bits before and after, where they differ; a new file's only where it can be run."""
    before, after = change.before, change.after
    if after is None:
        return None
    if before is None:
        return (0, after.mode) if after.mode & 0o111 else None
    return (before.mode, after.mode) if before.mode != after.mode else None


def line_counts(change: FileChange) -> tuple[int, int]:
    """How many lines a change adds and removes."""
    return counts(*(file.data if file else b"" for file in (change.before, change.after)))


# ── the first difference ────────────────────────────────────────────────────────────────────────────


LEGEND = "· is a space, → a tab, ⍽ another kind of space"
_COMPARED, _ABOVE = 24, 3  # lines of patch and file that are shown beside each other, and above the first difference
_PLAIN = 80  # up to here a quotation in a note shows the whole line
_UNSEEN_DIFFERENCE = "\u200b\u200c\u200d\u2060\ufeff\u00ad"  # characters of no width, which no isspace() tells


class Difference(NamedTuple):
    """The line of the file (1-based), what stands there, what the patch says: all as they are."""

    line: int
    there: str
    said: str


def first_difference(problem: Problem, report: Result) -> Difference | None:
    """Where the old lines of the hunk first differ from the nearest region; None where that cannot be told."""
    if problem.kind != "not_found" or len(problem.near) != 1:
        return None
    near, old = problem.near[0], _old_lines(problem, report)
    if not old or not near.lines or _stands(near.lines[1:], old):
        return None
    rows = [(near.line + at, line) for at, line in enumerate(near.lines) if line.strip(BLANK)]
    pairs = [Difference(row, there, said) for (row, there), said in zip(rows, old, strict=False)]
    inside = next((pair for pair in pairs if pair.there.strip(BLANK) != pair.said.strip(BLANK)), None)
    return inside or next((pair for pair in pairs if pair.there != pair.said), None)


class Comparison(NamedTuple):
    """Lines of a hunk and of the region nearest to them, "-" the patch's, "+" the file's, from a line of the file on.

    `marked`: white space is made visible in them.
    """

    line: int
    rows: list[tuple[str, str]]
    marked: bool


def compared(problem: Problem, report: Result) -> Comparison | None:
    """The old lines of the hunk beside the region nearest to them; None where there is nothing to compare."""
    if first_difference(problem, report) is None:
        return None
    old, new = _old_lines(problem, report, blank=True), [*problem.near[0].lines]
    while not old[0].strip(BLANK):  # the region begins with a line that isn't blank
        old.pop(0)
    here, there = ([at for at, line in enumerate(lines) if line.strip(BLANK)] for lines in (old, new))
    cut = len(there) < len(here)
    if cut:  # the region ends before the hunk does: what stands below it is not missing
        old = old[: here[len(there) - 1] + 1]
    else:
        least = there[len(here) - 1]
        more = [at for at in there if at > least and new[at].strip(BLANK) == old[-1].strip(BLANK)]
        new = new[: (more[0] if more else least) + 1]  # the region shows what stands below, too
    ranges = opcodes(old, new)
    if cut and len(ranges) > 1 and (ranges[-1][1] == len(old) or ranges[-1][3] == len(new)):
        old = old[: ranges.pop()[0]]
    first = max(ranges[0][0] - _ABOVE, 0)
    rows: list[tuple[str, str]] = []
    at, marked = first, False
    for start, end, new_start, new_end in ranges:
        rows += [(" ", line) for line in old[at:start]]
        before, after = old[start:end], new[new_start:new_end]
        pairs = [visible(b, a) for a, b in zip(filter(str.strip, before), filter(str.strip, after), strict=False)]
        shown = _shown_as(before, [a for _, a in pairs]), _shown_as(after, [b for b, _ in pairs])
        marked = marked or shown != (before, after)
        rows += [("-", line) for line in shown[0]] + [("+", line) for line in shown[1]]
        at = end
    rows += [(" ", line) for line in old[at:]]
    return Comparison(problem.near[0].line + first, rows[:_COMPARED], marked)


def _shown_as(lines: list[str], shown: list[str]) -> list[str]:
    """The lines, those that aren't blank as they are shown."""
    left = iter(shown)
    return [next(left, line) if line.strip() else line for line in lines]


def side_by_side(found: Difference) -> tuple[str, str] | None:
    """What stands there and what the patch says, where a plain quotation would not show how they differ."""
    there, said = found.there, found.said
    marked = visible(there, said)
    if marked == (there, said) and max(len(there), len(said)) <= _PLAIN:
        return None
    start = _window(there, said)
    return _cut(marked[0], start), _cut(marked[1], start)


def visible(there: str, said: str) -> tuple[str, str]:
    """Two lines with marks for the white space in which they differ; the rest stays as it is."""
    one, two = _runs(there), _runs(said)
    if one[1::2] != two[1::2]:
        return _odd(there), _odd(said)
    for at in range(0, len(one), 2):
        if one[at] != two[at]:
            one[at], two[at] = _marks(one[at]), _marks(two[at])
    return "".join(one), "".join(two)


def _window(there: str, said: str) -> int:
    """Where to begin to show two lines, so that their first difference is seen."""
    if max(len(there), len(said)) <= LONG:
        return 0
    pairs = enumerate(zip(there, said, strict=False))
    first = next((at for at, (one, two) in pairs if one != two), min(len(there), len(said)))
    return max(first - LONG // 3, 0)


def _cut(line: str, start: int) -> str:
    end = start + LONG
    return ("…" if start else "") + line[start:end] + ("…" if end < len(line) else "")


def _old_lines(problem: Problem, report: Result, *, blank: bool = False) -> list[str]:
    """The lines that the hunk wants to find, without the blank ones unless they are wanted too."""
    outcome = outcome_of(problem, report)
    hunks = outcome.op.hunks if outcome and isinstance(outcome.op, Edit) else ()
    meant = [hunks[number - 1] for number in hunks_at(hunks, problem.patch_line)] or list(hunks)
    if len(meant) != 1:
        return []
    return [text for tag, text in meant[0].lines if tag != "+" and (blank or text.strip(BLANK))]


def _stands(lines: Sequence[str], old: list[str]) -> bool:
    """Whether the old lines begin there: then the region shows what is around them, not what differs."""
    solid = [line.strip(BLANK) for line in lines if line.strip(BLANK)]
    return bool(solid) and all(one == two.strip(BLANK) for one, two in zip(solid, old, strict=False))


def _runs(text: str) -> list[str]:
    """White space at even places, words between it at odd ones; what is at the ends may be empty."""
    core = text.strip()
    lead = text[: len(text) - len(text.lstrip())]
    return [lead, *re.split(r"(\s+)", core), text[len(lead) + len(core) :]]


def _marks(blanks: str) -> str:
    return "".join([{" ": "·", "\t": "→"}.get(character, "⍽") for character in blanks])


def _odd(text: str) -> str:
    """Marks only for what is neither a space nor a tab nor to be seen."""
    return "".join(["⍽" if c in _UNSEEN_DIFFERENCE or (c.isspace() and c not in " \t") else c for c in text])
