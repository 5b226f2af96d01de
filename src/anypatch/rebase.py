"""Move a plan to another tree: what was planned on files as a model saw them is merged into those of now. Pure.

    base: a b c d e      the plan: B for b      now: a b c d E      merged: a B c d E

A file that is as it was gets the planned text, byte for byte. In any other the changes of both sides are merged line by
line; the file keeps the line endings, BOM and encoding that it has now, and its permissions unless the plan changes
them. What can't be merged is a problem that shows both sides.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from .diff import Range, opcodes
from .match.encoding import encoding_of
from .merge import Conflict, Merged, merge
from .merge_symbols import merge_by_symbols
from .model import AppliedSplices, File, FileChange, Move, Note, Outcome, Plan, Write
from .problems import Near, Problem, Refused
from .text import BOM, Text, encode, join, looks_binary, majority, split, text_of, utf_16

if TYPE_CHECKING:
    from .match.files import Tree
    from .tree import TreeBefore

_AROUND = 1  # lines shown above and below a conflict
_MOST = 40  # lines shown of each side
_SHOWN = 3  # conflicts of a file that are shown


class _Moved(NamedTuple):
    """A change for the tree as it is now, None if nothing is left to do, with its problems and a note ("" for none).

    `later`: the rows that changed between the base and now, if the file was merged.
    """

    change: FileChange | None
    problems: tuple[Problem, ...] = ()
    note: str = ""
    later: tuple[Range, ...] = ()


Decide = Callable[[Problem], bool | None]  # of a conflict: take the answer's lines, those of now, or neither


def rebase(plan: Plan, base: TreeBefore, tree: Tree, decide: Decide | None = None) -> Plan:
    """Return a plan made on `base` as one for `tree`. Conflicts are problems of the operations that cause them.

    `decide` is asked about each place where lines conflict.
    """
    trees = _Trees(base, tree, plan.outcomes, _origins(plan), decide)
    written = {outcome.path for outcome in plan.outcomes if isinstance(outcome.op, Write)}
    changes: list[FileChange] = []
    outcomes = list(plan.outcomes)
    for change in plan.changes:
        try:
            is_new = base.is_whole and change.path in written and base.seen(change.path) is None
            moved = _rebased(change._replace(before=None) if is_new else change, trees)
        except Refused as refused:
            moved = _Moved(None, refused.problems)
        changes += [moved.change] if moved.change else []
        for problem in moved.problems:
            _add_problem(outcomes, change.path, problem)
        if moved.note:
            _add_note(outcomes, change.path, Note(moved.note, change.path, kind="merged"))
            if moved.later and moved.change and moved.change.before:
                outcomes = [_at_lines_now(one, change.path, moved.change.before, moved.later) for one in outcomes]
    return plan._replace(changes=tuple(changes), outcomes=tuple(outcomes))


class _Trees(NamedTuple):
    """The trees that a plan is moved between, its operations, the old path of each file that it moves or copies."""

    base: TreeBefore
    tree: Tree
    outcomes: Sequence[Outcome]
    origins: Mapping[str, str]
    decide: Decide | None


def _origins(plan: Plan) -> dict[str, str]:
    """Return the old path of each file that the plan moves or copies, by its new one."""
    origins: dict[str, str] = {}
    for outcome in plan.outcomes:
        if isinstance(outcome.op, Move):
            origins[outcome.op.to] = origins.get(outcome.path, outcome.path)
    return origins


# ── one file ─────────────────────────────────────────────────────────────────────────────────────


def _rebased(change: FileChange, trees: _Trees) -> _Moved:
    path, before, after = change
    now_path, now = _file_now(change, trees.tree)
    if now is not None and before is not None and now.data == before.data and now.is_link == before.is_link:
        return _Moved(FileChange(now_path, now, _as_file(after.data, before, after, now) if after else None))
    if before is None:
        return _created(change, now_path, now, trees)
    if after is None:
        return _deleted(change, now_path, now, path in trees.origins.values())
    if now is None:
        now_path, now = _renamed(path, before, trees)
        moved = FileChange(now_path, now, _as_file(after.data, before, after, now))
        return _Moved(moved, note=f"{path} was moved to {now_path} since the answer was written")
    return _edited(FileChange(path, before, after), now_path, now, trees)


def _file_now(change: FileChange, tree: Tree) -> tuple[str, File | None]:
    """Return the path and the file, or the link, that a change is about in the tree as it is now."""
    path, before, after = change
    link = tree.link(path)
    if (before and before.is_link) or (before is None and link):
        target = File(encode(link[1]), before.mode if before else 0o120777) if link else None
        return (link[0], target) if link else (path, tree.read(tree.canonical(path)))
    path = tree.canonical(path)
    if after and tree.has_folder(path):
        raise Refused(_conflict(path, f"{path} has become a folder since the answer was written"))
    return path, tree.read(path)


def _as_file(data: bytes, before: File | None, after: File, now: File | None) -> File:
    """Return the merged file: with the permissions it has now, unless the plan changes them."""
    return File(data, after.mode if now is None or (before and before.mode != after.mode) else now.mode)


def _created(change: FileChange, path: str, now: File | None, trees: _Trees) -> _Moved:
    """Return a new file. One that was moved or copied takes along what has changed in it since."""
    origin = trees.origins.get(change.path, "")
    later = _with_later_edits(change, origin, trees) if origin else _Moved(change)
    after = later.change.after if later.change else None
    if after is None:
        return later
    if now is None:
        return _Moved(FileChange(path, None, after), note=later.note)
    if now.data == after.data and now.is_link == after.is_link:
        return _Moved(None, note=_SAME)
    detail = f"{path} was created since the answer was written, with another text"
    return _refused(_conflict(path, detail, _side(after), _side(now)))


def _with_later_edits(change: FileChange, origin: str, trees: _Trees) -> _Moved:
    """Return a moved or copied file with what has changed in the file that it comes from."""
    source = trees.base.read(trees.base.canonical(origin))
    now = trees.tree.read(trees.tree.canonical(origin))
    if not source or not change.after or change.after.is_link or (now and source.data == now.data):
        return _Moved(change)
    if now is None:
        return _refused(
            _conflict(origin, f"{origin} was deleted or moved since the answer was written, which moves it")
        )
    merged = _edited(FileChange(change.path, source, change.after), change.path, now, trees)
    return merged if merged.change or merged.problems else _Moved(change._replace(after=now))


def _deleted(change: FileChange, path: str, now: File | None, is_moved: bool) -> _Moved:
    """Return the deletion of a file that isn't as it was."""
    if now is None:
        return _Moved(None, note="" if is_moved else _SAME)
    if is_moved:  # its text as it is now goes along
        return _Moved(FileChange(path, now, None))
    conflict = _conflict(
        path, f"{path} was edited since the answer was written, which deletes it", None, _side(now, change.before)
    )
    return _Moved(None, (conflict,))


def _renamed(path: str, before: File, trees: _Trees) -> tuple[str, File]:
    """Return the file that an edited file was moved to since: the only new one with exactly its text."""
    base, tree = trees.base, trees.tree
    others = dict.fromkeys((*tree.ending(path.rpartition("/")[2]), *tree.alike(path))) if base.is_whole else ()
    new = [(other, tree.read(other)) for other in others if base.seen(other) is None]
    matches = [(other, file) for other, file in new if file and file.data == before.data]
    if len(matches) == 1:
        return matches[0]
    detail = f"{path} was deleted since the answer was written, which edits it"
    names = ", ".join(other for other, _ in matches)
    raise Refused(_conflict(path, f"{detail}; its text is in {names}" if matches else detail))


_MERGED = "merged with what has changed in it since the answer was written"
_SAME = "the same change was made since the answer was written"


def _edited(change: FileChange, now_path: str, now: File, trees: _Trees) -> _Moved:
    """Merge an edit into the file as it is now."""
    path, before, after = change
    assert before and after
    if after.data == now.data or (after.data == before.data and after.mode != before.mode):
        return _merged(now_path, now, _as_file(now.data, before, after, now))
    if not all(map(_is_text, (before, after, now))):
        return _refused(_conflict(path, f"{path} was changed since the answer was written, and isn't text"))
    sides = [text_of(file.data) for file in (before, after, now)]
    texts = _in_style_of_last(sides)
    if _mixes_encodings(before, now, texts):
        detail = f"the encoding of {path} was changed since the answer was written, which adds letters to it"
        return _refused(_conflict(path, detail))
    merged = _merge_lines(path, texts, trees)
    if merged.conflicts:
        return _refused(*(_line_conflict(path, one, texts, trees) for one in merged.conflicts[:_SHOWN]))
    text, encoding = _bom(sides) + ("" if _has_cr(texts) else "\n").join(merged.lines), utf_16(now.data)
    file = _as_file(text.encode(encoding) if encoding else encode(text), before, after, now)
    return _merged(now_path, now, file)._replace(later=merged.theirs)


def _is_text(file: File) -> bool:
    return not file.is_link and (not looks_binary(file.data) or bool(utf_16(file.data)))


def _bom(sides: list[str]) -> str:
    """Return the BOM that the file has now, unless the edit adds or removes one."""
    before, after, now = (side.startswith(BOM) for side in sides)
    return BOM if (after if before != after else now) else ""


def _has_cr(texts: list[str]) -> bool:
    return any("\r" in text for text in texts)


def _merged(path: str, now: File, file: File) -> _Moved:
    change = FileChange(path, now, file) if file != now else None
    return _Moved(change, note=_MERGED if change else _SAME)


def _refused(*problems: Problem) -> _Moved:
    return _Moved(None, problems)


def _merge_lines(path: str, texts: list[str], trees: _Trees) -> Merged[str]:
    """Merge by lines; what these can't part by symbols, and what is left then as somebody decides."""
    old, ours, theirs = _lines_of(texts)
    merged = merge(old, ours, theirs)
    if merged.conflicts:
        merged = merge_by_symbols(path, old, ours, theirs) or merged
    if merged.conflicts and (decide := trees.decide):

        def chosen(conflict: Conflict) -> list[str] | None:
            takes_ours = decide(_line_conflict(path, conflict, texts, trees))
            if takes_ours is None:
                return None
            return ours[slice(*conflict.ours)] if takes_ours else theirs[slice(*conflict.theirs)]

        merged = merge(old, ours, theirs, chosen)
    return merged


def only_inserts(result: str, base: str, ours: str, theirs: str) -> bool:
    """Return True if ours only inserts lines, and a result has them right above or below what theirs has changed.

    base: a b    ours: a x b    theirs: a y b    result: a x y b, or a y x b
    """
    old, new, others = (text.split("\n") for text in (base, ours, theirs))

    def inserted(conflict: Conflict, *, above: bool) -> list[str] | None:
        before, after, other = old[slice(*conflict.base)], new[slice(*conflict.ours)], others[slice(*conflict.theirs)]
        at = len(after) - len(before) if above else len(before)
        if at < 0 or (after[at:] if above else after[:at]) != before:
            return None
        return after[:at] + other if above else other + after[at:]

    for resolve in (partial(inserted, above=True), partial(inserted, above=False)):
        merged = merge(old, new, others, resolve)
        if not merged.conflicts and "\n".join(merged.lines) == result:
            return True
    return False


def _in_style_of_last(sides: list[str]) -> list[str]:
    """Return base, ours and theirs without BOM, and with the line ending of theirs where they have that of base."""
    base, ours, theirs = (side.removeprefix(BOM) for side in sides)
    if "\r" not in base and "\r" not in theirs:
        return [base, ours, theirs]
    old, new = (majority(split(side)[1]) for side in (base, theirs))
    if old == new:
        return [base, ours, theirs]
    return [_with_ending(base, old, new), _with_ending(ours, old, new), theirs]


def _with_ending(text: str, old: str, new: str) -> str:
    lines, ends = split(text)
    return join(lines, [new if end == old else end for end in ends])


def _lines_of(texts: list[str]) -> list[list[str]]:
    """Return the lines of texts with their endings; if all end in LF, without them and with what follows the last."""
    if not _has_cr(texts):
        return [text.split("\n") for text in texts]
    return [[line + end for line, end in zip(*split(text), strict=True)] for text in texts]


def _mixes_encodings(before: File, now: File, texts: list[str]) -> bool:
    """Return True if new lines hold other letters than ASCII, and the encoding of the file has changed."""
    if texts[1].isascii():
        return False
    known = set(texts[0].split("\n"))
    if all(line.isascii() or line in known for line in texts[1].split("\n")):
        return False
    return encoding_of(before.data) != encoding_of(now.data) or bool(utf_16(before.data)) != bool(utf_16(now.data))


# ── conflicts ────────────────────────────────────────────────────────────────────────────────────


def _conflict(path: str, detail: str, ours: Near | None = None, theirs: Near | None = None) -> Problem:
    near = [theirs._replace(note="as it is now")] if theirs else []
    near += [ours._replace(note="as the answer would have it")] if ours else []
    line = theirs.at or theirs.line if theirs else 0
    return Problem("merge_conflict", detail, path, line=line, near=tuple(near))


def _line_conflict(path: str, conflict: Conflict, texts: list[str], trees: _Trees) -> Problem:
    """Return the problem of lines that both sides changed, of the operation that changes them."""
    _, ours, theirs = (split(text)[0] for text in texts)
    first, last = conflict.theirs[0] + 1, max(conflict.theirs)
    if conflict.theirs[0] == conflict.theirs[1]:
        was = f"what was above line {first} of {path} was deleted"
    else:
        was = f"line {first} of {path} was changed" if last == first else f"lines {first}-{last} of {path} were changed"
    detail = f"{was} since the answer was written, which changes {'them' if last > first else 'it'}, too"
    problem = _conflict(path, detail, _region(ours, conflict.ours), _region(theirs, conflict.theirs))
    return _located(problem, trees.outcomes, path, conflict.base)


def _region(lines: list[str], rows: tuple[int, int]) -> Near:
    """Return rows of a text with what is around them."""
    start, end = max(rows[0] - _AROUND, 0), min(rows[1] + _AROUND, len(lines))
    return Near(start + 1, tuple(lines[start:end][:_MOST]), at=min(rows[0] + 1, end))


def _side(file: File, before: File | None = None) -> Near | None:
    """Return the first lines of a file, from the first on in which it differs from `before`."""
    if file.is_link or looks_binary(file.data):
        return None
    lines = Text.read(file.data).lines
    start = opcodes(Text.read(before.data).lines, lines)[0][2] if before else 0
    return Near(start + 1, tuple(lines[start : start + _MOST]), at=start + 1)


# ── the operations ───────────────────────────────────────────────────────────────────────────────


def _add_problem(outcomes: list[Outcome], path: str, problem: Problem) -> None:
    located = problem if problem.op else _located(problem, outcomes, path)
    at = next(at for at, one in enumerate(outcomes) if one.number == located.op)
    outcomes[at] = outcomes[at]._replace(problems=(*outcomes[at].problems, located))


def _located(problem: Problem, outcomes: Sequence[Outcome], path: str, rows: tuple[int, int] | None = None) -> Problem:
    """Return a problem with its operation: the first that changes these rows of a file, else the last on the file."""
    on_path = [one for one in outcomes if path in (one.path, getattr(one.op, "to", ""))]
    near = (one for one in on_path if rows and any(at.start <= rows[1] and rows[0] <= at.end for at in one.splices))
    outcome = next(near, on_path[-1])
    return problem._replace(patch_line=problem.patch_line or outcome.op.patch_line, op=outcome.number)


def _add_note(outcomes: list[Outcome], path: str, note: Note) -> None:
    at = max(at for at, one in enumerate(outcomes) if path in (one.path, getattr(one.op, "to", "")))
    outcomes[at] = outcomes[at]._replace(notes=(*outcomes[at].notes, note))


def _at_lines_now(outcome: Outcome, path: str, now: File, later: tuple[Range, ...]) -> Outcome:
    """Return the outcome with its places as rows of the file as it is now.

    Those of a second round are rows of a text that never was in the file, and stay.
    """
    first = outcome.applied[0].text if outcome.applied else None
    if outcome.path != path or first is None or any(one.text is not first for one in outcome.applied):
        return outcome
    text = Text.read(now.data)
    applied = []
    for one in outcome.applied:
        for start, end, new, _ in outcome._replace(applied=(one,)).splices:
            offset = sum((last - first) - (high - low) for low, high, first, last in later if high <= start)
            rows = text.replaced_rows(start + offset, end + offset, new)
            applied.append(AppliedSplices(text, (rows,), one.how))
    return outcome._replace(applied=tuple(applied))
