"""Operations on whole files: written, deleted, moved. Each changes the drafts of a plan, or is Refused. Pure."""

from __future__ import annotations

from .errors import Problem, Refused
from .locate.guards import emptied, mark_in_whole
from .locate.paths import check_new
from .model import Delete, Edit, File, Move, Note, Op, Write
from .naming import blocking
from .plan import Done, Draft, canonical, draft_of, missing
from .text import Sheet, encode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .naming import Tree
    from .plan import Work

_LONG = 20  # lines of a file that a much shorter one is a warning for


def carried_out(op: Op, path: str, work: Work) -> Done:
    """What became of an operation that is no edit."""
    assert not isinstance(op, Edit)
    if isinstance(op, Write):
        return _write(op, path, work)
    if isinstance(op, Delete):
        return _delete(op, path, work.drafts[path], work.tree)
    return _move(op, path, work)


def _write(op: Write, path: str, work: Work) -> Done:
    draft = work.drafts[path]
    if op.spare and draft.exists:
        return Done((), (Note("the file is there already and stays", path, op.patch_line),))
    overwrite = op.overwrite if work.overwrite is None else work.overwrite
    data = _like(draft, op.text) if op.keep else encode(op.text)
    if draft.exists and not overwrite and draft.after() != File(data, draft.mode):
        raise Refused(Problem("file_exists", f"{path} is there already and would be overwritten"))
    if work.elided:
        _check_whole(op, path, work)
    if not draft.exists and draft.before is None:
        check_new(path)
        _check_folders(work, path)
    notes = _overwriting(op, path, draft) if draft.exists else ()
    draft.mode = op.mode or draft.mode
    draft.exists, draft.page, draft.written, draft.tears = True, None, data, {}
    return Done((), notes)


def _overwriting(op: Write, path: str, draft: Draft) -> tuple[Note, ...]:
    """What to know where a file gets new contents; models that should write all of it often write a part."""
    there = draft.after()
    before, after = (there.data.count(b"\n") if there else 0), op.text.count("\n")
    text = "the file existed and is overwritten"
    if before >= _LONG and after < before / 2:
        text += f"; its {before} lines become {after}: was something left out?"
    return (Note(text, path, op.patch_line),)


def _check_whole(op: Write, path: str, work: Work) -> None:
    """Refuse contents that leave some of the file out."""
    there = work.drafts[path].after()
    old, new = Sheet(there.data).lines if there else [], op.text.split("\n")
    mark = mark_in_whole(path, old, new, op.keep)
    if mark:
        detail = f"`{mark.strip()[:80]}` stands in the new contents of {path}"
        others = work.tree.suggest(path) if there is None else ()
        advice = f"{path} isn't there. Did you mean {' or '.join(others)}?" if others else ""
        raise Refused(Problem("elision", detail if there else f"{detail}, which isn't there yet", advice=advice))
    header = emptied(path, old, new) if "..." in op.text else ""
    if header:
        detail = f"in the new contents of {path} the code below `{header[:80]}` is only `...`"
        raise Refused(Problem("elision", detail))


def _like(draft: Draft, text: str) -> bytes:
    """New contents with the BOM, the line ends and the final line end of the file that was there."""
    there = draft.after()
    if there is None or not there.data:
        return encode(text)
    from .diff import rewritten as relined

    return relined(there.data, text.removesuffix("\n").split("\n") if text else [])


def _check_folders(work: Work, path: str) -> None:
    """Refuse a new file below something that is a file itself."""

    def is_file(above: str) -> bool:
        try:
            return draft_of(work, above).exists
        except Refused:
            return False

    above = blocking(path, is_file)
    if above:
        raise Refused(Problem("file_exists", f"{above} is a file, so nothing can be put below it", path))


def _delete(op: Delete, path: str, draft: Draft, tree: Tree) -> Done:
    if not draft.exists:
        if op.spare:
            return Done()
        raise Refused(missing(path, draft, tree))
    if op.old:
        after = draft.after()
        lines = Sheet(after.data).lines if after else []
        there = iter(line.rstrip() for line in lines)
        if not all(line.rstrip() in there for line in op.old):
            raise Refused(Problem("not_found", f"{path} doesn't hold the lines that the patch says it deletes"))
    draft.exists, draft.page = False, None
    return Done()


def _move(op: Move, path: str, work: Work) -> Done:
    overwrite = op.overwrite if work.overwrite is None else work.overwrite
    source = work.drafts[path]
    if not source.exists:
        raise Refused(missing(path, source, work.tree))
    target = canonical(work, op.to)
    if target == path:
        return Done()
    goal = draft_of(work, target)
    if goal.exists and not overwrite:
        raise Refused(Problem("file_exists", f"{target} is there already and would be overwritten", target))
    if goal.before is None:
        check_new(target)
        _check_folders(work, target)
    moved = source.after()
    assert moved is not None
    goal.exists, goal.page, goal.written, goal.mode = True, None, moved.data, moved.mode
    source.exists, source.page = False, None
    return Done()
