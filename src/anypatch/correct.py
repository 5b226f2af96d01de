"""Parts that failed, written anew so that they fit: with the file's own lines, more context, the right path. Pure.

A correction is only given out once the engine itself has read it and placed it where it was meant to go.
"""

from __future__ import annotations

import re
from functools import lru_cache

from . import registry
from .errors import Correction, Problem, Refused
from .locate.near import ends_alike
from .model import Edit, File, Hunk, Op, Outcome, Patch, Report, Splice, Swap, Where
from .naming import shows_old
from .plan import plan
from .record import NamedTuple
from .resend import written
from .text import Sheet, looks_binary

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from .naming import Tree

_MOST = 5  # problems that are looked at: each costs a plan or two
_PLACES = 3  # places of an ambiguity
_LARGE, _MANY = 2_000_000, 20_000  # bytes and lines of a file
_RUN = 60  # differing lines in a row
_WORD = re.compile(r"\w+")
_CONTEXT = (1, 2, 4, 8, 16)  # lines of context that are tried on either side


class Case(NamedTuple):
    """A hunk that failed, the file it is for as it stands there then, and the format to write in."""

    op: Edit
    hunk: Hunk
    path: str
    file: File
    lines: list[str]
    format: str


def with_corrections(report: Report, tree: Tree) -> Report:
    """The report, its first few problems with corrections where those can be derived."""
    problems = list(report.problems)
    mendable = [at for at, problem in enumerate(problems) if problem.kind in ("not_found", "ambiguous", "file_missing")]
    for at in mendable[:_MOST]:
        problems[at] = problems[at]._replace(corrected=_corrections(problems[at], report, tree))
    return report._replace(problems=tuple(problems))


def _corrections(problem: Problem, report: Report, tree: Tree) -> tuple[Correction, ...]:
    outcome = next((one for one in report.plan.outcomes if one.number == problem.op), None)
    if outcome is None or " + " in report.plan.patch.format:
        return ()
    try:
        if problem.kind == "file_missing" or not problem.near:
            return _with_right_path(outcome, report, tree)
        case = _case(problem, outcome, report, tree)
        if case is None or _is_done(problem, case, outcome, report):
            return ()
        if problem.kind == "ambiguous":
            places = [near.at for near in problem.near if near.at][:_PLACES]
            return tuple(one for line in places if (one := _first(case, line, _grown(case, line - 1))))
        near = problem.near[0] if len(problem.near) == 1 else None
        found = _first(case, 0, _from_file(case, (near.at or near.line) - 1)) if near else None
        return (found,) if found else ()
    except Refused:
        return ()


# ── paths ────────────────────────────────────────────────────────────────────────────────────────


def _with_right_path(outcome: Outcome, report: Report, tree: Tree) -> tuple[Correction, ...]:
    """The operation with the path of a file that differs in nothing but case, or ends so and takes it."""
    op, format = outcome.op, report.plan.patch.format
    meant = [path for path in tree.suggest(op.path) if path.casefold() == op.path.casefold() and path != op.path]
    found = []
    # A deletion, or an edit by number, would fit any file: it is not written anew for one that was not named.
    others = tree.ending(op.path)[:_PLACES] if shows_old(op) else ()
    for path in meant[:1] if len(meant) == 1 else others:
        mended: Op = op._replace(path=path)
        text = written((mended,), format) if path != outcome.path else ""
        if text and not plan(Patch(format, (mended,)), tree).problems:
            found.append(Correction(0, text))
    return tuple(found)


# ── hunks ────────────────────────────────────────────────────────────────────────────────────────


def _case(problem: Problem, outcome: Outcome, report: Report, tree: Tree) -> Case | None:
    """What the problem is about; None where it is no hunk of lines in a text of reasonable size."""
    op = outcome.op
    hunks = op.hunks if isinstance(op, Edit) else ()
    meant = [hunk for hunk in hunks if hunk.patch_line == problem.patch_line] if len(hunks) > 1 else hunks
    if not isinstance(op, Edit) or len(meant) != 1:
        return None
    said = meant[0]
    if isinstance(said, Swap) and said.times == 1:
        from .locate.swap import as_hunk

        said = as_hunk(said.old.replace("\r\n", "\n"), said.new.replace("\r\n", "\n"), said)
    if not isinstance(said, Hunk) or not said.old or said.where.block:
        return None
    file = _state(outcome, report, tree)
    if file is None or len(file.data) > _LARGE or looks_binary(file.data):
        return None
    lines = Sheet(file.data).lines
    return Case(op, said, outcome.path, file, lines, report.plan.patch.format) if len(lines) <= _MANY else None


def _is_done(problem: Problem, case: Case, outcome: Outcome, report: Report) -> bool:
    """Whether the hunk seems to be there already: its result stands in the file, or an earlier one says it too."""
    if problem.kind == "not_found" and problem.advice:
        return True
    said = next(hunk.lines for hunk in case.op.hunks if hunk.patch_line == case.hunk.patch_line)
    before = [one.op for one in report.plan.outcomes[: outcome.number - 1] if one.path == outcome.path]
    return any(hunk.lines == said for op in before if isinstance(op, Edit) for hunk in op.hunks)


def _state(outcome: Outcome, report: Report, tree: Tree) -> File | None:
    """The file as the operation finds it, or, where a part of the patch is applied, as that leaves it."""
    if report.partial:
        changed = [change for change in report.plan.changes if change.path == outcome.path]
        return changed[0].after if changed else tree.read(outcome.path)
    before = [
        one.op for one in report.plan.outcomes[: outcome.number - 1] if one.path == outcome.path and not one.problems
    ]
    made = plan(Patch(report.plan.patch.format, tuple(before)), tree) if before else None
    changed = [change for change in made.changes if change.path == outcome.path] if made else []
    return changed[0].after if changed else tree.read(outcome.path)


def _first(case: Case, line: int, hunks: Iterator[tuple[int, Hunk]]) -> Correction | None:
    """The first of the hunks that, written and read again, is placed where it is meant to go."""
    format = registry.named(case.format)
    for row, hunk in hunks:
        said = _as_said(hunk, case)
        try:
            text = format.write((case.op._replace(hunks=(said,), mode=0),))
        except Refused:
            return None
        told = format.parse(text)
        ops = [op for op in told.ops if isinstance(op, Edit) and not told.problems]
        if [(one.old, one.new) for op in ops for one in op.hunks if isinstance(one, Hunk | Swap)] != [
            (said.old, said.new)
        ]:
            continue
        made = plan(told, _OneFile(case.path, case.file))
        if not made.problems and _covers(made.outcomes[0].splices, row, hunk):
            return Correction(line or row + 1, text)
    return None


def _covers(splices: tuple[Splice, ...], row: int, hunk: Hunk) -> bool:
    """Whether what changes is what the hunk changes, if its old lines begin at that row."""
    first, last = hunk.changed
    if not splices:
        return False
    start, end = splices[0].start, splices[-1].end
    return row <= start <= row + first and row + last <= end <= row + len(hunk.old)


def _as_said(hunk: Hunk, case: Case) -> Hunk | Swap:
    """The hunk as the operation had it: lines, or a text for a text."""
    said = next((one for one in case.op.hunks if isinstance(one, Swap)), None)
    if said is None:
        return hunk
    ended = "\n" if said.old.endswith("\n") else ""
    old, new = ("\n".join(lines) + ended for lines in (hunk.old, hunk.new))
    return said._replace(old=old, new=new if hunk.new else "")


class _OneFile:
    """A tree of one file."""

    def __init__(self, path: str, file: File) -> None:
        self._path, self._file = path, file

    def canonical(self, path: str) -> str:
        """Any path as it is: the tree it came from has judged it."""
        return path

    def read(self, path: str) -> File | None:
        """The file."""
        return self._file if path == self._path else None

    def ending(self, path: str) -> tuple[str, ...]:
        """The file, if its path ends so."""
        return (self._path,) if f"/{self._path}".endswith(f"/{path}") else ()

    def suggest(self, path: str) -> tuple[str, ...]:
        """Nothing."""
        return ()

    def has_folder(self, path: str) -> bool:
        """Whether the file lies below that path."""
        return self._path.startswith(f"{path}/")

    def link(self, path: str) -> None:
        """There are no links."""


# ── the file's own lines ─────────────────────────────────────────────────────────────────────────


def _from_file(case: Case, row: int) -> Iterator[tuple[int, Hunk]]:
    """The hunk with the lines of the region that begins at a row; nothing where another region is as near.

    It gets no more context: where it needs any to be alone, the region isn't the clear one. A header that is no line
    of the file is left out, and so is a word on the end of the file.
    """
    found = _aligned(case, row)
    if found is None or not _is_clear(case, row):
        return
    start, hunk = found
    yield start, hunk
    where = hunk.where
    stripped = {line.strip() for line in case.lines}
    under = tuple(text for text in where.under if text.strip() in stripped)
    bare = where._replace(under=under, at_end=where.at_end and where.final != "")
    if bare != where:
        yield start, hunk._replace(where=bare)


def _is_clear(case: Case, row: int) -> bool:
    """Whether no other region is alike, line by line, with as many lines to the letter. A header decides by itself."""
    if any(text.strip() in {line.strip() for line in case.lines} for text in case.hunk.where.under):
        return True
    old = [text.strip() for text in case.hunk.old]
    longest = max(range(len(old)), key=lambda at: len(old[at]))
    equal = _equal(old, case.lines[row : row + len(old)])
    for other in range(len(case.lines) - len(old) + 1):
        if abs(other - row) > 2 and _is_alike(old[longest], case.lines[other + longest].strip()):
            here = case.lines[other : other + len(old)]
            if _equal(old, here) >= equal and _are_alike(old, [line.strip() for line in here]):
                return False
    return True


def _equal(old: list[str], lines: list[str]) -> int:
    return sum(one == two.strip() != "" for one, two in zip(old, lines, strict=False))


def _grown(case: Case, row: int) -> Iterator[tuple[int, Hunk]]:
    """The hunk at one of its places, with more and more of what stands around it."""
    found = _inside(case, row) or _aligned(case, row)
    if found is not None:
        yield from _wider(case, *found)


def _inside(case: Case, row: int) -> tuple[int, Hunk] | None:
    """A text for a text within one line, as the whole line."""
    said = next((one for one in case.op.hunks if isinstance(one, Swap)), None)
    line = case.lines[row] if row < len(case.lines) else ""
    if said is None or "\n" in said.old or line.count(said.old) != 1:
        return None
    new = [("+", text) for text in line.replace(said.old, said.new).split("\n")]
    return row, case.hunk._replace(lines=(("-", line), *new))


def _wider(case: Case, row: int, hunk: Hunk) -> Iterator[tuple[int, Hunk]]:
    """The hunk with more context: as lines of its own, or as neighbours where the format tells them apart."""
    end = row + len(hunk.old)
    apart = case.format in ("chunk", "chunk-v2")
    for count in _CONTEXT:
        above, below = case.lines[max(row - count, 0) : row], case.lines[end : end + count]
        if apart:
            yield row, hunk._replace(where=Where(before=tuple(above), after=tuple(below)))
            continue
        kept = (*((" ", line) for line in above), *hunk.lines, *((" ", line) for line in below))
        yield row - len(above), _numbered(hunk._replace(lines=kept), row - len(above))
        if len(above) < count and len(below) < count:
            return


def _numbered(hunk: Hunk, row: int) -> Hunk:
    """The hunk with right line numbers, if it has any."""
    where = hunk.where
    if where.line:
        where = where._replace(line=row + 1, last=row + len(hunk.old))
    return hunk._replace(where=where, doubts=())


def _aligned(case: Case, row: int) -> tuple[int, Hunk] | None:
    """The hunk with the file's lines in the place of its old ones, and the row they begin at; None where in doubt."""
    rows = _rows(case, row)
    if rows is None:
        return None
    lines: list[tuple[str, str]] = []
    indents: dict[str, str] = {}
    # A line that goes and comes again, as some formats show what stays, comes again as the file has it.
    again = {text: case.lines[rows[k]] for k, (tag, text) in enumerate(case.hunk.lines) if rows.get(k, -1) >= 0}
    at = -1
    for k, (tag, text) in enumerate(case.hunk.lines):
        if tag == "+":
            said = text.strip() and again.get(text, text).strip()
            lines.append((tag, _indent(text) + said))
            continue
        there = rows[k]
        if there < 0:
            continue
        # Lines of the file that the patch doesn't know stay, if nothing beside them goes.
        unknown = case.lines[at + 1 : there] if at >= 0 else []
        if unknown and tag == "-" and lines and lines[-1][0] == "-":
            return None
        lines += [(" ", line) for line in unknown]
        lines.append((tag, case.lines[there]))
        if text.strip() and indents.setdefault(_indent(text), _indent(case.lines[there])) != _indent(case.lines[there]):
            return None
        at = there
    start = min(there for there in rows.values() if there >= 0)
    if abs(start - row) > 2:
        return None
    moved = _reindented(lines, indents)
    return None if moved is None else (start, _numbered(case.hunk._replace(lines=tuple(moved)), start))


def _reindented(lines: list[tuple[str, str]], indents: dict[str, str]) -> list[tuple[str, str]] | None:
    """New lines indented as the lines around them show; None where one is indented as no old line is."""
    if all(said == there for said, there in indents.items()):
        return lines
    if any(tag == "+" and text.strip() and _indent(text) not in indents for tag, text in lines):
        return None
    return [
        (tag, indents[_indent(text)] + text.lstrip(" \t") if tag == "+" and text.strip() else text)
        for tag, text in lines
    ]


def _indent(line: str) -> str:
    return line[: len(line) - len(line.lstrip(" \t"))]


def _rows(case: Case, row: int) -> dict[int, int] | None:
    """The row of the file for each old line of the hunk (by its number), -1 for a blank one that isn't there.

    Lines that stand there to the letter pin the others: between two of them as many must be in the file as in the hunk.
    """
    from .diff import opcodes

    said = [(k, text) for k, (tag, text) in enumerate(case.hunk.lines) if tag != "+"]
    old = [text.strip() for _, text in said]
    here = [line.strip() for line in case.lines[row : row + len(old)]]
    low, high = max(row - 2, 0), min(row + len(old) + 4, len(case.lines))
    there = [line.strip() for line in case.lines[low:high]]
    ranges = opcodes(old, there)
    pinned = len(old) - sum(end - start for start, end, _, _ in ranges)
    if here == old or (_are_alike(old, here) and sum(map(str.__eq__, old, here)) >= pinned):
        return {k: row + at for at, (k, _) in enumerate(said)}
    rows: dict[int, int] = {}
    done = new_done = 0
    for start, end, new_start, new_end in [*ranges, (len(old), len(old), len(there), len(there))]:
        for offset in range(start - done):
            rows[said[done + offset][0]] = low + new_done + offset
        first = _paired(old[start:end], there[new_start:new_end], (start == 0, end == len(old)))
        if first is None:
            return None
        for offset in range(end - start):
            rows[said[start + offset][0]] = low + new_start + first + offset if first >= 0 else -1
        done, new_done = end, new_end
    return rows if any(found >= 0 for found in rows.values()) else None


def _paired(old: list[str], there: list[str], edge: tuple[bool, bool]) -> int | None:
    """From which of the file's lines on the old lines of a run that differs stand; -1: nowhere, None: in doubt."""
    if not any(old):
        return -1
    first = 0
    if len(there) > len(old) and edge != (False, False):
        first = len(there) - len(old) if edge[0] else 0
    elif len(there) != len(old):
        return None
    return first if edge != (True, True) and _are_alike(old, there[first : first + len(old)]) else None


def _are_alike(old: list[str], there: list[str]) -> bool:
    """Whether lines may be the same lines in two versions, each beside its own."""
    return len(old) == len(there) <= _RUN and all(_is_alike(one, two) for one, two in zip(old, there, strict=True))


def _is_alike(one: str, two: str) -> bool:
    """Whether most of a line is in the other: its two ends, or its words."""
    if one == two or not one or not two:
        return one == two
    if ends_alike(one, two) >= 0.6:
        return True
    words, others = _words(one), set(_WORD.findall(two.lower()))
    shared = len(words & others)
    return 2 * shared >= len(words) + len(others) - shared > 0


@lru_cache(maxsize=64)
def _words(line: str) -> set[str]:
    """The words of a line that is compared with many others."""
    return set(_WORD.findall(line.lower()))
