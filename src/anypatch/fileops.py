"""Operations on whole files: written, deleted, moved. Each changes the drafts of a plan, or is Refused. Pure."""

from __future__ import annotations

from .errors import Problem, Refused
from .locate.guards import emptied, mark_in_whole
from .locate.paths import check_new
from .model import LINK, Delete, Edit, File, Move, Note, Op, Write
from .naming import blocking
from .plan import Done, Draft, by_then_a_link, canonical, draft_of, link_of, missing, passed_over, refuse_binary
from .text import Text, decode, encode, is_wide

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .plan import Work

_LONG = 20  # lines of a file that a much shorter one is a warning for


def carried_out(op: Op, path: str, work: Work) -> Done:
    """What became of an operation that is no edit."""
    assert not isinstance(op, Edit)
    if isinstance(op, Write):
        return _write(op, path, work)
    if isinstance(op, Delete):
        return _delete(op, path, work)
    return _move(op, path, work)


def _write(op: Write, path: str, work: Work) -> Done:
    draft = work.drafts[path]
    if op.spare and draft.exists:
        return Done((), (Note("the file is there already and stays", path, op.patch_line),))
    if op.only == "new" and (draft.exists or draft.before is not None):
        return Done((), (passed_over(op, "the file is there, and a patch or another language stands beside it"),))
    overwrite = op.overwrite if work.overwrite is None else work.overwrite
    data = _data(op, path, draft)
    if draft.exists and not overwrite and draft.after() != File(data, draft.mode):
        raise Refused(Problem("file_exists", f"{path} is there already and would be overwritten"))
    if draft.exists and draft.mode & LINK == LINK:
        raise Refused(by_then_a_link(path))
    if work.elided:
        _check_whole(op, path, work)
    if not draft.exists and draft.before is None:
        _check_link(op.path, work)
        check_new(path)
        _check_folders(work, path)
    there = draft.after()
    if there and op.keep and not work.overwrite:
        from .shrinking import shrinking

        if problem := shrinking(path, there.data, data, work.patch):
            raise Refused(problem)
    notes = _overwriting(op, path, there) if there else ()
    draft.mode = op.mode or draft.mode
    draft.write(data)
    return Done((), notes)


def _overwriting(op: Write, path: str, there: File) -> tuple[Note, ...]:
    """What to know where a file gets new contents; models that should write all of it often write a part."""
    before, after = there.data.count(b"\n"), op.text.count("\n")
    text = "the file existed and is overwritten"
    if before >= _LONG and after < before / 2:
        text += f"; its {before} lines become {after}: was something left out?"
    return (Note(text, path, op.patch_line),)


def _check_whole(op: Write, path: str, work: Work) -> None:
    """Refuse contents that leave some of the file out."""
    there = work.drafts[path].after()
    old, new = Text.read(there.data).lines if there else [], op.text.split("\n")
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


def _data(op: Write, path: str, draft: Draft) -> bytes:
    """The new contents: in the encoding that they, or the file that was there, are in. Refused where it holds no text.

    With `keep` they have the BOM, the line ends and the final line end of the file that was there.
    """
    there = draft.after()
    was = there.data if there else b""
    if op.keep or is_wide(was):
        refuse_binary(path, was)
    text = op.text
    if not text.isascii():
        from .encoding import declared, encoding_of, spoken

        encoding = encoding_of(was)
        if was.isascii() or encoding not in ("", "?"):
            encoding = declared(encode(text))
        text = spoken(text, encoding, path, lambda: was)
    if not op.keep or not was:
        return encode(text)
    from .diff import rewritten as relined

    return relined(was, text.removesuffix("\n").split("\n") if text else [])


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


def _delete(op: Delete, path: str, work: Work) -> Done:
    draft = work.drafts[path]
    if not draft.exists:
        if op.spare:
            return Done()
        raise Refused(missing(path, draft, work.tree))
    if op.old:
        after = draft.after()
        lines = Text.read(after.data).lines if after else []
        there = iter(line.rstrip() for line in lines)
        if not all(line.rstrip() in there for line in op.old):
            raise Refused(Problem("not_found", f"{path} doesn't hold the lines that the patch says it deletes"))
        more = sum(map(bool, map(str.strip, lines))) - sum(map(bool, map(str.strip, op.old)))
        if op.whole and more > 0 and not work.overwrite:
            detail = f"the deletion of {path} doesn't show {more} of the file's lines"
            advice = "Show all of its lines, or delete it by its name alone, without a hunk; or use --overwrite."
            raise Refused(Problem("would_shrink", detail, advice=advice))
    return Done((), _gone(op, path, draft, work))


def _gone(op: Delete | Move, path: str, draft: Draft, work: Work) -> tuple[Note, ...]:
    """Take a file away from its path; of a symbolic link say that it is one, and that its own path is free."""
    draft.remove()
    if draft.before is None or not draft.before.is_link:
        return ()
    draft.mode = 0o644
    work.names[op.path] = work.names[path] = path
    text = f"it is a symbolic link; what it leads to, {decode(draft.before.data)}, stays where it is"
    return (Note(text, path, op.patch_line),)


def _move(op: Move, path: str, work: Work) -> Done:
    overwrite = op.overwrite if work.overwrite is None else work.overwrite
    source = work.drafts[path]
    if not source.exists:
        raise Refused(missing(path, source, work.tree))
    target = canonical(work, op.to)
    if target == path:
        return Done()
    _check_link(op.to, work)
    goal = draft_of(work, target)
    if goal.exists and not overwrite:
        raise Refused(Problem("file_exists", f"{target} is there already and would be overwritten", target))
    if goal.before is None:
        check_new(target)
        _check_folders(work, target)
    moved = source.after()
    assert moved is not None
    if moved.is_link and moved.data[:1] != b"/" and path.rpartition("/")[0] != target.rpartition("/")[0]:
        detail = f"{path} is a symbolic link to {decode(moved.data)}, and would lead elsewhere from another folder"
        raise Refused(Problem("not_a_file", detail, advice="Move it by hand, or move the file that it leads to."))
    goal.write(moved.data)
    goal.mode = moved.mode
    return Done((), _gone(op, path, source, work))


def _check_link(path: str, work: Work) -> None:
    """Refuse to put a file where a symbolic link stands: what it leads to isn't the path that was named."""
    own = link_of(path, work)
    if own and work.drafts[own].exists:
        target = decode(work.drafts[own].data)
        raise Refused(Problem("file_exists", f"{own} is a symbolic link to {target}", own))
