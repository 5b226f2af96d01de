"""Whole files: written, deleted, moved. Pure.

Contents that leave code out, or that would replace a file the answer doesn't say to replace, are refused.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..answer.marks import may_hold_marks
from ..model import LINK, TOLERANT, Claims, Delete, Edit, File, Hunk, Move, Note, Write
from ..paths import check_new_name
from ..problems import Problem, Refused
from ..text import BOM, Text, decode, encode, is_wide
from . import guards
from .drafts import Done, edit, gone, moved_link, refuse_binary
from .files import blocking

if TYPE_CHECKING:
    from .drafts import Draft, Work

_LONG = 20  # lines of a file that a much shorter one is a warning for


def write(op: Write, path: str, work: Work) -> Done:
    """Write the new contents of a file, or append a block that has no old text to say where it goes."""
    draft = work.drafts[path]
    if op.may_append and draft.exists and work.overwrite is None:
        return _add(op, draft, work)
    return _write_all(op, draft, work)


def _write_all(op: Write, draft: Draft, work: Work) -> Done:
    """Write the contents of a whole file."""
    path, there = draft.path, draft.after()
    if op.skip_if_exists and there:
        return Done((), (Note("the file already exists and is kept", path, op.patch_line),))
    data = _encoded(op, path, draft, as_given=work.patch.literal or bool(work.overwrite))
    if there:
        _check_replacing(op, draft, there, data, work)
    if not op.proposed:
        _check_contents(op, path, there, work)
    if not there and draft.before is None:
        _check_link(op.path, work)
        check_new_name(path)
        _check_folders(path, work)
    draft.mode = op.mode or draft.mode
    draft.write(File(data))
    return Done((), _overwriting_notes(op, path, there) if there and not op.proposed else ())


def _check_replacing(op: Write, draft: Draft, there: File, data: bytes, work: Work) -> None:
    """Refuse to replace a file that has other contents, unless that is asked for or it is blank."""
    overwrite = op.overwrite if work.overwrite is None else work.overwrite
    is_blank = not there.data.strip() and work.overwrite is None and not op.must_be_new
    if not overwrite and not is_blank and there != File(data, draft.mode):
        raise Refused(Problem("file_exists", f"{draft.path} already exists and would be overwritten"))
    if draft.mode & LINK == LINK:
        raise Refused(moved_link(draft.path))


def _add(op: Write, draft: Draft, work: Work) -> Done:
    """Add a block without old text to the end of a file that exists, as aider does."""
    text = draft.result()
    if not text.text.strip():
        return _write_all(op, draft, work)
    lines = op.text.removesuffix("\n").split("\n")
    hunk = Hunk("", "".join([line + "\n" for line in lines]), TOLERANT, Claims(at_end=True), op.patch_line)
    done = edit(Edit(draft.path, (hunk,), op.patch_line, op.label), draft, work)
    note = Note("the block has no old text, and the file exists: it was added at its end", draft.path, op.patch_line)
    return done._replace(notes=(*done.notes, note))


def _overwriting_notes(op: Write, path: str, there: File) -> tuple[Note, ...]:
    """Return the notes on overwriting a file; models that should write all of it often write only a part."""
    before, after = there.data.count(b"\n"), op.text.count("\n")
    text = "the file existed and was overwritten"
    if before >= _LONG and after < before / 2:
        text += f"; its {before} lines become {after}: was something left out?"
    return (Note(text, path, op.patch_line),)


# ── the bytes of new contents ────────────────────────────────────────────────────────────────────


def _encoded(op: Write, path: str, draft: Draft, *, as_given: bool) -> bytes:
    """Return the new contents in their own encoding or that of the existing file; refuse to replace a binary file.

    With `op.keep_line_endings`, keep the BOM, the line endings and the final line ending of the existing file.
    `as_given`: a program wrote the contents, or they replace the file whatever it is.
    """
    there = draft.after()
    was = there.data if there else b""
    if op.keep_line_endings or is_wide(was):
        refuse_binary(path, decode(was))
    text = op.text
    if not text.isascii():
        from .encoding import UNDECLARED, declared, encoding_of, in_encoding

        encoding = encoding_of(was)
        if was.isascii() or encoding not in ("", UNDECLARED):
            encoding = declared(encode(text))
        text = in_encoding(text, encoding, path)
    if not op.keep_line_endings or not was:
        return encode(text if as_given else _with_ends(text, decode(was)))
    from ..diff import rewritten as relined

    return relined(was, text.removeprefix(BOM).removesuffix("\n").split("\n") if text else [])


def _with_ends(text: str, was: str) -> str:
    """Return contents with the BOM and the CRLF line endings of the existing file, which models don't see.

    If these are all that would change, return the contents as they are.
    """
    body = was.removeprefix(BOM)
    plain = body.replace("\r\n", "\n")
    if text == plain or "\r" in text:
        return text
    if "\r\n" in body and body.count("\n") == body.count("\r\n"):
        text = text.replace("\n", "\r\n")
    return BOM + text if was.startswith(BOM) and not text.startswith(BOM) else text


# ── what new contents may not be ─────────────────────────────────────────────────────────────────


def _check_contents(op: Write, path: str, there: File | None, work: Work) -> None:
    """Refuse contents that leave some of the file out, by a mark or as if it were not there."""
    if not work.patch.literal and may_hold_marks(op.text):
        _check_elision(op, path, there, work)
    if there and op.keep_line_endings and not work.overwrite and guards.loses_most(there.text, op.text):
        before, after = (sum(bool(line.strip()) for line in text.split("\n")) for text in (there.text, op.text))
        detail = f"{path} would keep {after} of its {before} lines: only part of it may be shown"
        raise Refused(Problem("would_shrink", detail, path))


def _check_elision(op: Write, path: str, there: File | None, work: Work) -> None:
    """Refuse contents with a mark for left-out code."""
    mark = guards.first_mark(op.text, there.text if there else "", path)
    if mark:
        detail = f"`{mark[:80]}` is a mark for code that is left out of {path}"
        others = work.tree.suggest(path) if there is None else ()
        advice = f"{path} doesn't exist. Did you mean {' or '.join(others)}?" if others else ""
        detail = detail if there else f"{detail}, which doesn't exist yet"
        raise Refused(Problem("elision", detail, advice=advice, cited=mark[:80]))


# ── deleting and moving ──────────────────────────────────────────────────────────────────────────


def delete(op: Delete, path: str, work: Work) -> Done:
    """Take a file away, where it holds the lines that the patch says it does."""
    draft = work.drafts[path]
    if not draft.exists:
        if op.skip_if_missing:
            return Done()
        raise Refused(gone(path, work))
    if op.old and (after := draft.after()):
        text = Text.read(after.data)
        if other := guards.first_missing_line(text, op.old):
            detail = f"{path} doesn't contain the lines that the patch says are in it: `{other.strip()[:80]}`"
            raise Refused(Problem("not_found", detail))
        more = sum(map(bool, map(str.strip, text.lines))) - sum(map(bool, map(str.strip, op.old)))
        if op.whole and more > 0 and not work.overwrite:
            detail = f"the patch deletes {path} without showing {more} of its lines"
            advice = "Show all of its lines, or delete it by name, without a hunk."
            raise Refused(Problem("would_shrink", detail, advice=advice, command="--overwrite deletes it as it is."))
    return Done((), _take_away(op, path, draft, work))


def move(op: Move, path: str, work: Work) -> Done:
    """Give a file another path, or put a copy there."""
    overwrite = op.overwrite if work.overwrite is None else work.overwrite
    source = work.drafts[path]
    if not source.exists:
        raise Refused(gone(path, work))
    target = work.canonical(op.to)
    if target == path:
        return Done()
    _check_link(op.to, work)
    goal = work.draft(target)
    if goal.exists and not overwrite:
        raise Refused(Problem("file_exists", f"{target} already exists and would be overwritten", target))
    if goal.before is None:
        check_new_name(target)
        _check_folders(target, work)
    moved = source.after()
    assert moved is not None
    if moved.is_link and moved.data[:1] != b"/" and path.rpartition("/")[0] != target.rpartition("/")[0]:
        detail = f"{path} is a symbolic link to {decode(moved.data)}, and would point elsewhere from another folder"
        raise Refused(Problem("not_a_file", detail, advice="Move it by hand, or move the file it points to."))
    goal.write(moved)
    goal.mode = moved.mode
    return Done((), () if op.is_copy else _take_away(op, path, source, work))


def _take_away(op: Delete | Move, path: str, draft: Draft, work: Work) -> tuple[Note, ...]:
    """Take a file away from its path; of a symbolic link say that it is one, and that its own path is free."""
    draft.remove()
    if draft.before is None or not draft.before.is_link:
        return ()
    draft.mode = 0o644
    work.names[op.path] = work.names[path] = path
    text = f"it is a symbolic link; what it leads to, {decode(draft.before.data)}, stays where it is"
    return (Note(text, path, op.patch_line),)


def _check_link(path: str, work: Work) -> None:
    """Refuse to write a file in place of a symbolic link: its target isn't the path that was named."""
    own = work.link(path)
    if own and work.drafts[own].exists:
        target = work.drafts[own].source
        raise Refused(Problem("file_exists", f"{own} is a symbolic link to {target}", own))


def _check_folders(path: str, work: Work) -> None:
    """Refuse a new file below something that is a file itself."""
    above = blocking(path, lambda above: work.exists(above, refused=False))
    if above:
        advice = "Choose a path below a folder."
        raise Refused(Problem("file_exists", f"{above} is a file, not a folder", path, advice=advice))
