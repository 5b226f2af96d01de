"""Failed parts of a patch as they should have been: mended by what the file has, then planned. Touches no file."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from math import gcd

from . import formats
from .author.resend import written
from .diff import opcodes, tagged, unchanged
from .match.files import shows_old
from .match.indentation import Habits, learnt, mapped
from .model import Edit, File, FileChange, Hunk, Move, Op, Outcome, Patch, Plan, Swap, Where
from .parsing.elision import is_mark
from .plan import plan
from .problems import Correction, Near, Problem, Refused
from .record import NamedTuple
from .similarity import ALIKE_ENDS, all_alike, ends_alike, is_alike
from .syntax.validate import breaks
from .text import Text, indent_of, looks_binary
from .tree import MemoryTree, Overlaid

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .match.files import Tree
    from .result import Result


_MOST = 5  # problems that are looked at: each costs a plan or two
_PLACES = 3  # places of an ambiguity, or files, that get a block each
_FILES = 20  # files whose path ends in the one given that are tried
_RIVALS = 20  # regions that are as near, beyond which none is looked for
_AROUND = 4  # lines of the file behind a region that may belong to it
_LARGE, _MANY = 2_000_000, 20_000  # bytes and lines of a file
_NAME = 3  # characters of a word that is likely a name
_SHOWN = 6  # lines of a region that is one of several
_RUN = 60  # differing lines in a row
_WORD = re.compile(r"\w+")
_ESCAPE = re.compile(r"&#?\w+;")
_TOKEN = re.compile(r"\w+|\s+|.", re.DOTALL)
_CONTEXT = (1, 2, 4, 8, 16)  # lines of context that are tried on either side


class Case(NamedTuple):
    """A hunk that failed: as it was said, with what stays told apart, for which file as it is then, in which patch."""

    op: Edit
    said: Hunk | Swap
    hunk: Hunk
    path: str
    file: File
    lines: list[str]
    trial: Trial


class Trial(NamedTuple):
    """What a correction must fit in with: the operations without what failed, the tree they are for, and their plan.

    `above` and `below` the operation that failed in part; `left`: what fits of it.
    """

    format: str
    tree: Tree
    above: tuple[Op, ...]
    left: Op | None
    below: tuple[Op, ...]
    made: Plan


def with_corrections(report: Result, tree: Tree) -> Result:
    """The report, its first few problems with corrections where those can be derived."""
    problems = list(report.problems)
    mendable = [at for at, problem in enumerate(problems) if problem.kind in ("not_found", "ambiguous", "file_missing")]
    if " + " in report.plan.patch.format:
        return report
    known: dict[tuple[int, ...], Plan] = {}
    for at in mendable[:_MOST]:
        found = _corrected(problems[at], report, tree, known)
        problems[at] = found if report.partial else _dated(found, tree)
    return report._replace(problems=tuple(problems))


def _dated(problem: Problem, tree: Tree) -> Problem:
    """The problem, its regions with their lines in the file as it is.

    They were found in the file as the edits before this one leave it; where it is these that make them, that is said.
    """
    file = tree.read(problem.path) if any(near.lines for near in problem.near) else None
    if file is None or len(file.data) > _LARGE:
        return problem
    there = Text.read(file.data).lines
    if all((*there[near.line - 1 : near.line - 1 + len(near.lines)],) == near.lines for near in problem.near):
        return problem
    near, first = problem.near[0], _row_of(problem.near[0]._replace(at=0), there)
    if len(problem.near) > 1 or (*there[first : first + len(near.lines)],) != near.lines:
        told = [one._replace(note=f"{_AFTER}, {one.note or 'the closest match is'}") for one in problem.near]
        return problem._replace(near=tuple(told))
    moved = first + 1 - near.line
    note = re.sub(r"^line (\d+)", lambda found: f"line {int(found[1]) + moved}", near.note)
    near = near._replace(line=first + 1, note=note, at=near.at + moved if near.at else 0)
    return problem._replace(line=problem.line + moved if problem.line else 0, near=(near,))


_AFTER = "after the edits before this one"


def _corrected(problem: Problem, report: Result, tree: Tree, known: dict[tuple[int, ...], Plan]) -> Problem:
    """The problem with its corrections; where several regions are as near as the nearest, with these and none."""
    outcome = next((one for one in report.plan.outcomes if one.number == problem.op), None)
    trial = _trial(problem, outcome, report, tree, known) if outcome else None
    if outcome is None or trial is None:
        return problem
    try:
        if problem.kind == "file_missing" or not problem.near:
            return (
                problem._replace(corrected=_with_right_path(problem, outcome, trial)) if not report.partial else problem
            )
        case = _case(problem, outcome, trial)
        if case is None or _is_done(problem, case, outcome, report):
            return problem
        if problem.kind == "ambiguous":
            return problem._replace(corrected=_one_for_each(case, [near for near in problem.near if near.at]))
        return problem if len(problem.near) > 1 else _as_the_file_has_it(problem, case)
    except Refused:
        return problem


def mended(report: Result) -> Patch | None:
    """The patch with every part that failed as it is corrected; None where one has no correction, or several."""
    made = report.plan
    by_op: dict[int, list[Problem]] = {}
    for problem in report.problems:
        by_op.setdefault(problem.op, []).append(problem)
    if 0 in by_op or made.patch.problems or not by_op:
        return None
    ops: list[Op] = []
    for outcome in made.outcomes:
        problems = by_op.get(outcome.number, [])
        if any(len(problem.corrected) != 1 for problem in problems):
            return None
        kept = _left(outcome) if problems else outcome.op
        ops += [kept] if kept is not None else []
        for problem in problems:
            ops += formats.named(made.patch.format).parse(problem.corrected[0].text, None).ops
    return made.patch._replace(ops=tuple(ops))


# ── the patch without what failed ────────────────────────────────────────────────────────────────


def _trial(
    problem: Problem, outcome: Outcome, report: Result, tree: Tree, known: dict[tuple[int, ...], Plan]
) -> Trial | None:
    """What fits of a patch, planned, or the tree with that applied; None where nothing can be proven by it.

    Of the operations those count that have to do with the same file, or all where it isn't known which file is meant.
    `known`: the plans made so far, by the numbers of the operations.
    """
    format, outcomes = report.plan.patch.format, report.plan.outcomes
    if report.partial:
        return Trial(format, Overlaid(tree, report.plan), (), None, (), Plan(Patch(format)))
    if problem.kind != "file_missing" and problem.near:
        outcomes = _on_the_same_file(outcome, outcomes)
    left = {one.number: op for one in outcomes if (op := _left(one)) is not None}
    numbers = tuple(one.number for one in outcomes)
    made = known[numbers] = known.get(numbers) or plan(Patch(format, tuple(left.values())), tree)
    above = tuple(op for number, op in left.items() if number < outcome.number)
    below = tuple(op for number, op in left.items() if number > outcome.number)
    return None if made.problems else Trial(format, tree, above, left.get(outcome.number), below, made)


def _on_the_same_file(outcome: Outcome, outcomes: tuple[Outcome, ...]) -> tuple[Outcome, ...]:
    """The operations on a file, under all the names that it has in the patch."""
    names, count = {outcome.path, outcome.op.path}, 0
    while len(names) > count:
        count = len(names)
        for one in outcomes:
            if isinstance(one.op, Move) and not names.isdisjoint((one.path, one.op.to)):
                names |= {one.path, one.op.path, one.op.to}
    return tuple(one for one in outcomes if one.path in names or one.op.path in names)


def _left(outcome: Outcome) -> Op | None:
    """What of an operation fits: its hunks that no problem is about; None where that is nothing."""
    op = outcome.op
    if not outcome.problems:
        return op
    failed = {problem.patch_line for problem in outcome.problems}
    if not isinstance(op, Edit) or not failed <= {hunk.patch_line for hunk in op.hunks}:
        return None
    hunks = tuple(hunk for hunk in op.hunks if hunk.patch_line not in failed)
    return op._replace(hunks=hunks) if hunks else None


def _put_back(trial: Trial, op: Op, failed: Op) -> tuple[Op, ...]:
    """The operations with a part in its place: as an operation, or among the hunks that are left of its own."""
    left = trial.left
    if isinstance(op, Edit) and isinstance(failed, Edit) and isinstance(left, Edit):
        kept = {hunk.patch_line for hunk in left.hunks}
        first = next(at for at, hunk in enumerate(failed.hunks) if hunk.patch_line not in kept)
        op = left._replace(hunks=(*left.hunks[:first], *op.hunks, *left.hunks[first:]))
    return (*trial.above, op, *trial.below)


def _fits_in(trial: Trial, path: str, made: Plan) -> bool:
    """Whether a plan does more than the one without the correction to this file only, and breaks it no more."""
    without, there = ({change.path: change for change in plan.changes} for plan in (trial.made, made))
    own, other = there.pop(path, None), without.pop(path, None)
    if made.problems or own is None or other == own or without != there:
        return False
    return not _breaks(own) or _breaks(other)


def _breaks(change: FileChange | None) -> bool:
    """Whether a file parsed and no longer would."""
    sides = (change.before, change.after) if change else (None, None)
    return bool(sides[0] and sides[1] and change and breaks(change.path, sides[0].data, sides[1].data))


# ── paths ────────────────────────────────────────────────────────────────────────────────────────


def _with_right_path(problem: Problem, outcome: Outcome, trial: Trial) -> tuple[Correction, ...]:
    """The operation with the path of a file that differs in nothing but case, or of those that it may be meant for.

    Those are files that end so, else files of that name, or of one that is much like it, for an edit whose old lines
    stand in them: never to be deleted, moved or written. All that take it are named, or none: one of several would be
    taken for the one that is meant.
    """
    op, tree = outcome.op, trial.tree
    name = op.path.rpartition("/")[2]
    near = tree.suggest(op.path)
    meant = [path for path in near if path.casefold() == op.path.casefold() and path != op.path][:2]
    if len(meant) != 1 and shows_old(op):
        alike = dict.fromkeys((name, *tree.ending(name), *near)) if problem.kind == "file_missing" else ()
        meant = [*(tree.ending(op.path) or alike)]
    elif len(meant) != 1:
        return ()
    found = []
    for path in meant if len(meant) <= _FILES else ():
        mended: Op = op._replace(path=path)
        text = written((mended,), formats.named(trial.format)) if path not in (outcome.path, op.path) else ""
        here = _put_back(trial, mended, op)
        together = tuple(one._replace(path=path) if one.path == op.path else one for one in here)
        # The other edits of that path are for the same file, whether they are sent with the right one or not.
        if text and all(_fits_in(trial, path, plan(Patch(trial.format, ops), tree)) for ops in {here, together}):
            found.append(Correction(0, text))
    return tuple(found) if len(found) <= _PLACES else ()


# ── hunks ────────────────────────────────────────────────────────────────────────────────────────


def _case(problem: Problem, outcome: Outcome, trial: Trial) -> Case | None:
    """What the problem is about; None where it is no hunk of lines in a text of reasonable size."""
    op = outcome.op
    hunks = op.hunks if isinstance(op, Edit) else ()
    meant = [hunk for hunk in hunks if hunk.patch_line == problem.patch_line] if len(hunks) > 1 else hunks
    if not isinstance(op, Edit) or len(meant) != 1:
        return None
    said = hunk = meant[0]
    if isinstance(said, Swap) and said.times == 1:
        from .match.swap import as_hunk

        hunk = as_hunk(said.old.replace("\r\n", "\n"), said.new.replace("\r\n", "\n"), said)
    if not isinstance(said, Hunk | Swap) or not isinstance(hunk, Hunk) or not hunk.old or hunk.where.block:
        return None
    before = plan(Patch(trial.format, trial.above), trial.tree) if trial.above else Plan(Patch(""))
    file = Overlaid(trial.tree, before).read(outcome.path)
    if file is None or len(file.data) > _LARGE or looks_binary(file.data):
        return None
    lines = Text.read(file.data).lines
    if not any(tag == " " for tag, _ in hunk.lines):  # some formats show what stays as lines that go and come back
        hunk = hunk._replace(lines=tagged(hunk.old, hunk.new))
    return Case(op, said, hunk, outcome.path, file, lines, trial) if len(lines) <= _MANY else None


def _is_done(problem: Problem, case: Case, outcome: Outcome, report: Result) -> bool:
    """Whether the hunk seems to be there already: its result stands in the file, or an earlier one says it too."""
    if problem.kind == "not_found" and problem.advice:
        return True
    said = case.said.lines
    before = [one.op for one in report.plan.outcomes[: outcome.number - 1] if one.path == outcome.path]
    return any(hunk.lines == said for op in before if isinstance(op, Edit) for hunk in op.hunks)


def _first(case: Case, line: int, hunks: Iterator[tuple[int, Hunk]]) -> Correction | None:
    """The first of the hunks that, written and read again, makes the whole patch do what is meant and no more."""
    for row, hunk in hunks:
        op = case.op._replace(hunks=(_as_said(hunk, case),), mode=0, whole=None)
        text = written((op,), formats.named(case.trial.format))
        if text and _is_meant(case, row, hunk, op):
            return Correction(line or _line_of(case, row), text)
    return None


def _is_meant(case: Case, row: int, hunk: Hunk, op: Op) -> bool:
    """Whether an operation turns the old lines at that row into the new ones: alone, and in its place in the patch."""
    trial = case.trial
    if trial.made.patch.ops:
        alone = MemoryTree({case.path: case.file.data})
        made = plan(Patch(trial.format, (op,)), alone)
        if made.problems or Overlaid(alone, made).lines(case.path) != _with(hunk, case.lines, row):
            return False
    made = plan(Patch(trial.format, _put_back(trial, op, case.op)), trial.tree)
    lines = Overlaid(trial.tree, trial.made).lines(case.path)
    wanted = _with(hunk, lines, _moved(row, case.lines, lines))
    return wanted == Overlaid(trial.tree, made).lines(case.path) and _fits_in(trial, case.path, made)


def _with(hunk: Hunk, lines: list[str], row: int) -> list[str] | None:
    """The lines with a hunk made at a row; None where its old lines don't stand there."""
    end = row + len(hunk.old)
    return [*lines[:row], *hunk.new, *lines[end:]] if lines[row:end] == [*hunk.old] else None


def _moved(row: int, before: list[str], after: list[str]) -> int:
    """The row of a line after the rest of the patch; a row behind the end where it is no longer there."""
    shift = 0
    for start, end, _, new_end in opcodes(before, after):
        if end <= row:
            shift = new_end - end
        elif start <= row:
            return len(after)
    return row + shift


def _as_said(hunk: Hunk, case: Case) -> Hunk | Swap:
    """The hunk as the operation had it: lines that stay told apart or not, or a text for a text."""
    said = case.said
    if isinstance(said, Hunk):
        if said.lines == tagged(said.old, said.new):
            return hunk._replace(lines=tagged(hunk.old, hunk.new))
        if any(tag == " " for tag, _ in said.lines):
            return hunk
        return hunk._replace(lines=(*(("-", text) for text in hunk.old), *(("+", text) for text in hunk.new)))
    ended = "\n" if said.old.endswith("\n") else ""
    old, new = ("\n".join(lines) + ended for lines in (hunk.old, hunk.new))
    return said._replace(old=old, new=new if hunk.new else "")


# ── the file's own lines ─────────────────────────────────────────────────────────────────────────


def _one_for_each(case: Case, places: list[Near]) -> tuple[Correction, ...]:
    """A block for each place of an ambiguity; none where they are many, or where one can't be had.

    A block for some of the places would be taken for the choice between all.
    """
    if not 1 < len(places) <= _PLACES:
        return ()
    blocks = [_first(case, near.at, _grown(case, _row_of(near, case.lines))) for near in places]
    found = tuple(block for block in blocks if block)
    return found if len(found) == len(places) else ()


def _as_the_file_has_it(problem: Problem, case: Case) -> Problem:
    """The problem with the hunk as it fits the nearest region, or with the regions that are as near."""
    near = problem.near[0]
    row = _row_of(near, case.lines)
    rivals = _rivals(case, row)
    clear = _clearest(case, [row, *rivals]) if rivals else row
    if clear is None:
        as_close = (_region(case, other, "line {} is just as close") for other in rivals[: _PLACES - 1])
        return problem._replace(near=(near, *filter(None, as_close)))
    found = _first(case, 0, _from_file(case, clear))
    if clear != row and (region := _region(case, clear)):
        problem = problem._replace(line=region.line, near=(region,))
    return problem._replace(corrected=(found,) if found else ())


def _row_of(near: Near, lines: list[str]) -> int:
    """The row that a region was shown for, in the file with the earlier edits of the patch made."""
    size, first = len(near.lines), near.line - 1
    aside = (near.at or near.line) - near.line
    if not size or lines[first : first + size] == [*near.lines]:
        return first + aside
    found = [at for at, line in enumerate(lines) if line == near.lines[0] and lines[at : at + size] == [*near.lines]]
    return (found[0] if len(found) == 1 else first) + aside


def _region(case: Case, row: int, note: str = "") -> Near | None:
    """What stands from a row on, with its line in the file as it is; None where earlier edits have made it."""
    size, line = min(len(case.hunk.old), _SHOWN), _line_of(case, row)
    region = tuple(case.lines[row : row + size])
    there = Text.read(file.data).lines if (file := case.trial.tree.read(case.path)) else []
    return Near(line, region, note.format(line)) if (*there[line - 1 : line - 1 + size],) == region else None


def _line_of(case: Case, row: int) -> int:
    """The line in the file as it is of a row in the file with the earlier edits made; the latter for what they made."""
    file = case.trial.tree.read(case.path) if case.trial.above else None
    there = Text.read(file.data).lines if file else case.lines
    moved = _moved(row, case.lines, there)
    return (moved if moved < len(there) else row) + 1


def _clearest(case: Case, rows: list[int]) -> int | None:
    """Of regions that are as near the one that is meant but for words that no line of the file has: none is nearer.

    `qonst Azure = new()`, where the file has `const Azure = new()` and `const Claude = new()`.
    """
    if len(rows) > _RIVALS:
        return None
    old = [bare for text in case.hunk.old if (bare := text.strip())]
    text = "\n".join(case.lines)
    pairs = {row: [*zip(old, filter(None, map(str.strip, case.lines[row:])), strict=False)] for row in rows}
    differing = {row: [mistake for pair in pairs[row] for mistake in _mistakes(*pair)] for row in rows}
    sizes = sorted(rows, key=lambda row: sum(len(said) + len(there) for said, there in differing[row]))
    least, second = (sum(len(said) + len(there) for said, there in differing[row]) for row in sizes[:2])
    misspelt = all(_is_misspelt(one, two, text) for one, two in pairs[sizes[0]] if one != two)
    return sizes[0] if least < second and misspelt else None


def _is_misspelt(said: str, there: str, text: str) -> bool:
    """Whether two lines differ in words alone, each much like the file's, and in no line of the file."""
    changes = opcodes(_tokens(said), _tokens(there))
    found = _mistakes(said, there)
    return len(found) == len(changes) > 0 and all(
        len(old) == len(new) == 1 and ends_alike(old[0], new[0]) >= ALIKE_ENDS and not _pattern(old).search(text)
        for old, new in found
    )


def _from_file(case: Case, row: int) -> Iterator[tuple[int, Hunk]]:
    """The hunk with the lines of the region that begins at a row, which no other is as near as.

    It gets no more context: where it needs any to be alone, the region isn't the clear one. A header that is no line
    of the file is left out, and so is a word on the end of the file.
    """
    found = _aligned(case, row)
    if found is None:
        return
    start, hunk = found
    yield start, hunk
    where = hunk.where
    stripped = {line.strip() for line in case.lines}
    under = tuple(text for text in where.under if text.strip() in stripped)
    bare = where._replace(under=under, at_end=where.at_end and where.final != "", blank_below=0)
    if bare != where:
        yield start, hunk._replace(where=bare)


def _rivals(case: Case, row: int) -> list[int]:
    """Other regions that are alike, line by line, with as many lines to the letter. A header decides by itself."""
    if any(text.strip() in {line.strip() for line in case.lines} for text in case.hunk.where.under):
        return []
    old = [bare for text in case.hunk.old if (bare := text.strip())] or [""]
    stripped = [*map(str.strip, case.lines)]
    rows = [at for at, text in enumerate(stripped) if text]
    texts = [*filter(None, stripped)]
    here = bisect_left(rows, row)
    region = texts[here : here + len(old)]
    equal = sum(map(str.__eq__, old, region))
    if len(unchanged(old, _window(texts, here, old))) > equal or not _are_alike(old, region):
        if _rows(case, row) is None:
            return []  # there will be no block
        return [rows[max(first, 0)] for first in _as_near(old, texts, here)]
    if equal:
        offsets: dict[str, list[int]] = {}
        for k, bare in enumerate(old):
            offsets.setdefault(bare, []).append(k)
        same = Counter(at - k for at, bare in enumerate(texts) for k in offsets.get(bare, ()))
        firsts = sorted(first for first, count in same.items() if count >= equal)
    else:
        longest = max(range(len(old)), key=lambda at: len(old[at]))
        firsts = sorted(at - longest for at in all_alike(old[longest], texts))
    return [
        rows[first]
        for first in firsts
        if 0 <= first <= len(rows) - len(old)
        and abs(rows[first] - row) > 2
        and _are_alike(old, texts[first : first + len(old)])
    ]


def _window(texts: list[str], first: int, old: list[str]) -> list[str]:
    """The lines of a region that may belong to the old lines, if they begin about there."""
    return texts[max(first - 2, 0) : max(first + len(old) + _AROUND, 0)]


def _as_near(old: list[str], texts: list[str], here: int) -> list[int]:
    """Where other regions begin that have as many of the old lines in their order, and as many that are alike.

    `.max_tests(9)` with `}` below it: two functions have them, and in both `.run();` stands between.
    """

    def pins(first: int) -> dict[int, int]:
        low = max(first - 2, 0)
        return {k: low + at for k, at in unchanged(old, _window(texts, first, old))}

    def alike(first: int, pinned: dict[int, int]) -> int:
        window = _window(texts, first, old)
        return sum(any(is_alike(bare, two) for two in window) for k, bare in enumerate(old) if k not in pinned)

    places: dict[str, list[int]] = {bare: [] for bare in old}
    for at, bare in enumerate(texts):
        if bare in places:
            places[bare].append(at)
    own = pins(here)
    # Of any so many of the old lines that the file has at least one is there: the rarest tell where to look.
    known = sorted((k for k, bare in enumerate(old) if places[bare]), key=lambda k: len(places[old[k]]))
    seeds = known[: len(known) - len(own) + 1] if own else []
    firsts = sorted({at - k for k in seeds for at in places[old[k]]})
    distinct = len({old[k] for k in own})
    likely = [first for first in firsts if len(places.keys() & _window(texts, first, old)) >= distinct]
    ours = [first for first in likely if own.items() & pins(first).items()]
    least = min((alike(first, own) for first in ours), default=alike(here, own)) if likely != ours else 0
    found: list[int] = []
    taken = {*own.values()}
    for first in likely:
        pinned = pins(first)
        apart = 2 * len({*pinned.values()} - taken) > len(pinned)
        if apart and len(pinned) >= len(own) and alike(first, pinned) >= least:
            found.append(first)
            taken = {*own.values(), *pinned.values()}
        if len(found) == _RIVALS:
            break
    return found


def _inside(case: Case, row: int) -> tuple[int, Hunk] | None:
    """A text for a text within one line, as the whole line."""
    said = case.said
    line = case.lines[row] if row < len(case.lines) else ""
    if not isinstance(said, Swap) or "\n" in said.old or line.count(said.old) != 1:
        return None
    new = [("+", text) for text in line.replace(said.old, said.new).split("\n")]
    return row, case.hunk._replace(lines=(("-", line), *new))


def _grown(case: Case, place: int) -> Iterator[tuple[int, Hunk]]:
    """The hunk at one of its places, with more and more of what stands around it.

    As lines of its own, or as neighbours where the format tells them apart.
    """
    found = _inside(case, place) or _aligned(case, place)
    if found is None:
        return
    row, hunk = found
    end = row + len(hunk.old)
    apart = case.trial.format in ("chunk", "chunk-v2")
    text = "\n".join(["", *case.lines, ""])
    for count in _CONTEXT:
        above, below = case.lines[max(row - count, 0) : row], case.lines[end : end + count]
        if apart:
            yield row, hunk._replace(where=Where(before=tuple(above), after=tuple(below)))
            continue
        kept = [*((" ", line) for line in above), *hunk.lines, *((" ", line) for line in below)]
        wider = _numbered(hunk, kept, row - len(above))
        old = "\n".join(["", *wider.old, ""])
        # What still stands twice to the letter, and has neither a number nor a header, needs no plan to tell.
        if wider.where.line or wider.where.under or text.find(old, text.find(old) + 1) < 0:
            yield row - len(above), wider
        if len(above) < count and len(below) < count:
            return


def _numbered(hunk: Hunk, lines: list[tuple[str, str]], row: int) -> Hunk:
    """The hunk with other lines, and with right line numbers, if it has any."""
    where, count = hunk.where, sum(tag != "+" for tag, _ in lines)
    if where.line:
        where = where._replace(line=row + 1, last=row + count)
    return hunk._replace(lines=tuple(lines), where=where, doubts=())


def _aligned(case: Case, row: int) -> tuple[int, Hunk] | None:
    """The hunk with the file's lines in the place of its old ones, and the row they begin at; None where in doubt."""
    found = _rows(case, row)
    if found is None:
        return None
    rows, broken = found
    start = min(there.start for there in rows.values() if there)
    alone = {k: there.start for k, there in rows.items() if there and k not in broken}
    if abs(start - row) > 2 or any(_is_doubtful(case, k, there) for k, there in alone.items()):
        return None
    news = _healed(case, alone)
    lines: list[tuple[str, str]] = []
    matched: list[tuple[str, str]] = []
    at = -1
    for k, (tag, text) in enumerate(case.hunk.lines):
        if tag == "+":
            if news is None:
                return None
            lines.append((tag, news[k]))
            continue
        there = rows[k]
        if not there:
            continue
        # Lines of the file that the patch doesn't know stay, if nothing beside them changes.
        unknown = case.lines[at + 1 : there.start] if at >= 0 else []
        if unknown and any(_next_solid(run) != " " for run in (case.hunk.lines[k:], lines[::-1])):
            return None
        lines += [(" ", line) for line in unknown]
        lines += [(tag, line) for line in case.lines[there.start : there.stop]]
        matched += [] if k in broken and is_mark(text, bare=True) else [(text, case.lines[there.start])]
        at = there[-1]
    moved = _indented(case, lines, matched)
    if moved is None or _is_there(lines, case.lines, start):
        return None
    return start, _numbered(case.hunk, moved, start)


def _next_solid(lines: Sequence[tuple[str, str]]) -> str:
    """What becomes of the first of some lines that isn't blank: its tag."""
    return next((tag for tag, text in lines if text.strip() or tag != " "), " ")


def _indented(case: Case, lines: list[tuple[str, str]], matched: list[tuple[str, str]]) -> list[tuple[str, str]] | None:
    """The lines, new ones as deep as the file has them; None where the old ones don't tell."""
    added = [text for tag, text in lines if tag == "+"]
    top, news = case.hunk.old[0], case.hunk.new
    if isinstance(case.said, Swap) and top not in news and any(text.strip() == top.strip() for text in news):
        return None  # the first old line, of which the blanks in front may not have been given, comes again with some
    said, file = ([*side] for side in zip(*matched, strict=True))
    habits = Habits(case.lines)
    moved = mapped(added, said, file, habits) if _is_one_rule(added, said, file, habits) else None
    solid = [text for text in case.hunk.old if text.strip()]
    if moved is None or (moved != added and len(solid) == 1 and -1 in _partners(case.hunk.lines).values()):
        return None  # one line alone doesn't tell whether all are shifted
    texts = iter(moved)
    return [(tag, next(texts) if tag == "+" else text) for tag, text in lines]


def _is_doubtful(case: Case, k: int, row: int) -> bool:
    """Whether an old line that isn't as the file has it may say something else than that line in its own words."""
    said, there = case.hunk.lines[k][1].strip(), case.lines[row].strip()
    if said == there or not there:
        return False
    if ("+", case.lines[row]) in case.hunk.lines and k not in _made(case, {k: row}):
        # What is there is a line that the patch adds elsewhere: some of it may have been made already.
        return not _is_misspelt(said, there, "\n".join(case.lines))
    if there in said and _goes_on(case, k, row, said):
        return True
    # The end of an answer that broke off: `- * @license  https://exam`.
    last = case.trial.format == "unified" and not case.trial.below and k == len(case.hunk.lines) - 1
    return last and case.said is case.op.hunks[-1] and there.startswith(said)


def _goes_on(case: Case, k: int, row: int, said: str) -> bool:
    """Whether an old line is two of the file's, and the other stands where something changes.

    `use a; use b;` and a new line below it, for `use a;` and `use b;`.
    """
    for step in (-1, 1):
        other = case.lines[row + step].strip() if 0 <= row + step < len(case.lines) else ""
        beside = case.hunk.lines[k + step][0] if 0 <= k + step < len(case.hunk.lines) else " "
        if beside != " " and _WORD.search(other) and other in said:
            return True
    return False


def _is_there(lines: list[tuple[str, str]], there: list[str], start: int) -> bool:
    """Whether new lines stand already right above or below the place where they would be added, and stay there."""
    old = [tag for tag, _ in lines if tag != "+"]
    kept = [*there[:start], *("" if tag == "-" else there[start + at] for at, tag in enumerate(old))]
    stripped = [*map(str.strip, [*kept, *there[len(kept) :]])]
    row = start
    run: list[str] = []
    for tag, text in [*lines, (" ", "")]:
        if tag == "+":
            run += [text.strip()] * bool(text.strip())
            continue
        if any(map(_WORD.search, run)):
            above, below = (
                [*filter(None, stripped[max(low, 0) : high])]
                for low, high in ((row - 2 * len(run), row), (row, row + 2 * len(run)))
            )
            if run in (above[-len(run) :], below[: len(run)]):
                return True
        run = []
        row += 1
    return False


def _is_one_rule(new: list[str], said: list[str], file: list[str], habits: Habits) -> bool:
    """Whether the old lines teach one thing of the indentation that only new lines have: all deeper, or all scaled.

    Of old lines as they are and some two columns deeper, nobody can tell which the new ones between them are like.
    """
    table = learnt(said, file) or {}
    pads = {indent_of(line) for line in new if line.strip()}
    if pads <= table.keys() or len({len(there) - len(one) for one, there in table.items()}) == 1:
        return True
    inner = {len(one): len(there) for one, there in table.items() if one}
    if len({there / one for one, there in inner.items()}) != 1 or table.get("", ""):
        return False
    if len(inner) > 1:
        return True
    # `    x` for `        x`: scaled only if the file's steps are so much wider than the answer's.
    ((one, there),) = inner.items()
    step = gcd(one, *map(len, pads)) * there / one
    return step == (1 if any("\t" in pad for pad in table.values()) else len(habits.step))


# ── new lines ────────────────────────────────────────────────────────────────────────────────────


def _healed(case: Case, rows: dict[int, int]) -> dict[int, str] | None:
    """The new lines (by their number) without the mistakes that the old ones are seen to have; None where in doubt.

    Old lines `x = nmae`, which the file has as `x = name`: of `x = nmae + 1` the model's own change is `+ 1`.
    """
    said = {k: text for k, (tag, text) in enumerate(case.hunk.lines) if tag != "+" and k in rows}
    made = _made(case, rows)
    mistakes = [_mistakes(text, case.lines[rows[k]]) for k, text in said.items() if k not in made]
    wrong = {old: new for found in mistakes for old, new in found}
    if any(wrong[old] != new for found in mistakes for old, new in found):
        return None
    if any(not new and text.strip().startswith("".join(old)) for old, new in wrong.items() for text in said.values()):
        return None  # all lines may begin so: `12 | x = 1`
    text = "\n".join(case.lines)
    odd = "".join("".join(old) for old in wrong)
    news: dict[int, str] = {}
    for k, partner in _partners(case.hunk.lines).items():
        line = case.hunk.lines[k][1]
        if partner in made:
            news[k] = line
            continue
        if partner in said:
            merged = _merged(said[partner], line, case.lines[rows[partner]])
            if merged is None:
                return None
            line = merged
        for old, new in wrong.items():
            if not _pattern(old).search(line):
                continue
            if not new and not _WORD.search("".join(old)):
                return None  # `\\\\"` for `"`
            known = _pattern(old).search(text)
            if known and len(max(old, key=len)) < _NAME:
                continue  # `x`, `(`, `==`: they may well be meant
            if known or not new or "".join(old).isdigit():
                return None
            # `def add(self, price)` for `cents`, and new `raise ValueError("a price is never negative")`: only a word.
            if _is_quoted(line, old) and not any(_is_quoted(one, old) for one in said.values()):
                return None
            line = _pattern(old).sub("".join(new).replace("\\", r"\\"), line)
        escaped = any(escape not in text for escape in _ESCAPE.findall(line))
        # More of what the old lines have instead of the file's quotes and dashes.
        typeset = not odd.isascii() and any(sign > "\x7f" and sign not in text for sign in line)
        # `raqs` for `reads` in an old line, and `rads` here.
        slips = partner < 0 and any(_is_slip(word, new, text) for word in _WORD.findall(line) for new in wrong.values())
        if escaped or typeset or slips:
            return None
        news[k] = line
    return news


def _made(case: Case, rows: dict[int, int]) -> set[int]:
    """The old lines whose new version the file has already."""
    versions = {(old, case.hunk.lines[k][1]) for k, old in _partners(case.hunk.lines).items()}
    return {k for k, row in rows.items() if (k, case.lines[row]) in versions}


Tokens = tuple[str, ...]


def _tokens(line: str) -> Tokens:
    return tuple(_TOKEN.findall(line.strip()))


def _mistakes(said: str, there: str) -> list[tuple[Tokens, Tokens]]:
    """What a line says in the place of what the file has."""
    one, two = _tokens(said), _tokens(there)
    return [(one[a:b], two[c:d]) for a, b, c, d in opcodes(one, two) if a < b and "".join(one[a:b]).strip()]


def _is_slip(word: str, right: Tokens, text: str) -> bool:
    """Whether a word seems to be another misspelling of what a file has: it is much like it, and not in the file."""
    meant = "".join(right)
    return word != meant and ends_alike(word, meant) >= ALIKE_ENDS and not _pattern((word,)).search(text)


def _pattern(tokens: Tokens) -> re.Pattern[str]:
    """These words or signs, as whole words."""
    edges = [r"\b" if _WORD.match(edge) else "" for edge in (tokens[0], tokens[-1])]
    return re.compile(edges[0] + re.escape("".join(tokens)) + edges[1])


def _is_quoted(line: str, tokens: Tokens) -> bool:
    """Whether these words stand in a string or behind a comment's sign somewhere in a line."""
    ahead = (line[: found.start()] for found in _pattern(tokens).finditer(line))
    return any(text.count('"') % 2 or text.count("'") % 2 or "#" in text or "//" in text for text in ahead)


def _partners(lines: tuple[tuple[str, str], ...]) -> dict[int, int]:
    """For each new line (by its number) the old line that it is another version of; -1: none."""
    found: dict[int, int] = {}
    gone: list[int] = []
    before = " "
    for k, (tag, text) in enumerate(lines):
        if tag == "-":
            gone = [*gone, k] if before != " " else [k]
        elif tag == " ":
            gone = []
        else:
            alike = [at for at in gone if is_alike(text.strip(), lines[at][1].strip())]
            found[k] = max(alike, key=lambda at: ends_alike(text.strip(), lines[at][1].strip())) if alike else -1
        before = tag
    return found


def _merged(said: str, new: str, there: str) -> str | None:
    """The new line of a patch for the line that the file has; None where the two changes run into each other."""
    base, ours, theirs = _tokens(said), _tokens(new), _tokens(there)
    mine, other = opcodes(base, ours), opcodes(base, theirs)
    made: Tokens = ()
    at = 0
    edits = [(a, b, ours[c:d], True) for a, b, c, d in mine] + [(a, b, theirs[c:d], False) for a, b, c, d in other]
    for start, end, text, own in sorted(edits, key=lambda edit: (edit[0], edit[1])):
        rival = [edit for edit in edits if edit[3] != own and edit[0] < end and start < edit[1]]
        rival += [edit for edit in edits if edit[3] != own and edit[0] == edit[1] == start == end]
        if rival and not own:
            # What the patch itself changes is as it says, if it changes all of what differs.
            if len(rival) > 1 or not rival[0][0] <= start <= end <= rival[0][1]:
                return None
            said_now, meant = "".join(rival[0][2]), "".join(text)
            if said_now != meant and _WORD.fullmatch(said_now) and ends_alike(said_now, meant) >= ALIKE_ENDS:
                return None  # `readqne` becomes `readine` where the file has `readline`
            continue
        # `every module says` for `modules and functions`: whether the word is still the same one can't be told.
        sides = ((start - 2, start), (end, end + 2))
        if not own and all(any(a < high and low < max(b, a + 1) for a, b, _, _ in mine) for low, high in sides):
            return None
        made += base[at:start] + text
        at = end
    return indent_of(new) + "".join(made + base[at:]) + new[len(new.rstrip()) :]


def _rows(case: Case, row: int) -> tuple[dict[int, range], set[int]] | None:
    """The rows of the file for each old line of the hunk (by its number), none for one that isn't there.

    Lines that stand there to the letter pin the others: between two of them as many must be in the file as in the hunk.
    And the lines that the file breaks in other places.
    """
    said = [(k, text) for k, (tag, text) in enumerate(case.hunk.lines) if tag != "+"]
    old = [text.strip() for _, text in said]
    here = [line.strip() for line in case.lines[row : row + len(old)]]
    low, high = max(row - 2, 0), min(row + len(old) + _AROUND, len(case.lines))
    there = [line.strip() for line in case.lines[low:high]]
    pinned = unchanged(old, there)
    if here == old or (_are_alike(old, here) and sum(map(str.__eq__, old, here)) >= len(pinned)):
        return {k: range(row + at, row + at + 1) for at, (k, _) in enumerate(said)}, set()
    rows = {said[at][0]: range(low + new, low + new + 1) for at, new in pinned}
    broken: set[int] = set()
    for start, end, new_start, new_end in opcodes(old, there):
        run, edge = [k for k, _ in said[start:end]], (start == 0, end == len(old))
        differing = old[start:end], there[new_start:new_end]
        spans = _paired(*differing, edge)
        if spans is None and len({case.hunk.lines[k][0] for k in run}) == 1:
            spans = _broken_otherwise(*differing, edge)
            broken |= {*run} if spans else set()
        if spans is None and edge == (False, False):
            spans = _left_out(case, run, differing[1], there)
            broken |= {*run} if spans else set()
        if spans is None:
            return None
        first = low + new_start
        rows |= {k: range(first + a, first + b) for k, (a, b) in zip(run, spans, strict=True)}
    return (rows, broken) if any(rows.values()) else None


Spans = list[tuple[int, int]]  # for each of some old lines, from and to which of the file's lines it is


def _paired(old: list[str], there: list[str], edge: tuple[bool, bool]) -> Spans | None:
    """The old lines of a run that differs, each with the one that is like it; blank ones may be nowhere."""
    if not any(old):
        return [(0, 0)] * len(old)
    known = [at for at, text in enumerate(there) if text]
    solid = [at for at, text in enumerate(old) if text]
    if len(there) == len(old):
        known, solid = [*range(len(there))], [*range(len(old))]
    if len(known) > len(solid) and edge != (False, False):
        known = known[-len(solid) :] if edge[0] else known[: len(solid)]
    if edge == (True, True) or not _are_alike([old[at] for at in solid], [there[at] for at in known]):
        return None
    found = dict(zip(solid, known, strict=True))
    return [(found[at], found[at] + 1) if at in found else (0, 0) for at in range(len(old))]


def _left_out(case: Case, run: list[int], there: list[str], around: list[str]) -> Spans | None:
    """Old lines between two that the file has, where the hunk changes the same without them; None where it may not.

    The file has nothing in their place, as another version had them; or they are dots for lines that stay.
    """
    lines = case.hunk.lines
    tags, texts = ([lines[k][side] for k in run] for side in (0, 1))
    if tags == [" "] and is_mark(texts[0], bare=True):
        below = next((text.strip() for tag, text in lines[run[0] + 1 :] if tag != "+" and text.strip()), "")
        return [(0, len(there))] if below not in there else None  # what comes next comes earlier, too
    if there or any(text.strip() in around for text in texts):
        return None
    # `-a`, `-b` where the file has only `a`; but a new line in the place of `b` would be in the place of nothing.
    beside = {tag for tag, _ in (*lines[run[0] - 1 : run[0]], *lines[run[-1] + 1 : run[-1] + 2])}
    gone = {*tags} == {"-"} and "-" in beside and {*run}.isdisjoint(_partners(lines).values())
    return [(0, 0)] * len(run) if gone or {*tags} == {" "} else None


def _broken_otherwise(old: list[str], there: list[str], edge: tuple[bool, bool]) -> Spans | None:
    """Old lines that differ from the file's in nothing but where lines are broken."""
    wanted = "".join("".join(old).split())
    sizes = range(1, len(there) + 1) if True in edge else [len(there)]
    for size in sizes if edge != (True, True) and _WORD.search(wanted) else ():
        first = len(there) - size if edge[0] else 0
        if "".join("".join(there[first : first + size]).split()) == wanted:
            return [(first, first + size), *[(0, 0)] * (len(old) - 1)]
    return None


def _are_alike(old: list[str], there: list[str]) -> bool:
    """Whether lines may be the same lines in two versions, each beside its own."""
    return len(old) == len(there) <= _RUN and all(is_alike(one, two) for one, two in zip(old, there, strict=True))
