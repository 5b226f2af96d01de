"""Whole files: written, unless the contents can't be what is meant; deleted, moved. Pure.

Models that should write all of a file often write a part of it, leave code out, copy line numbers along, or write
another file's text: such contents are refused, and what is plainly a part becomes an edit.
"""

from __future__ import annotations

import re

from ..match.elision import emptied, hollowed, mark_in_whole
from ..match.files import blocking, check_own_text
from ..model import AS_COPIED, LINK, TOLERANT, Delete, Edit, File, Hunk, Merge, Move, Note, Where, Write
from ..parsing.elision import is_prose
from ..parsing.quotes import are_edits
from ..parsing.shown import path_in_comment, quoted
from ..paths import check_new
from ..problems import Problem, Refused
from ..syntax.languages import grammar_of
from ..text import BLANK, BOM, Text, decode, encode, is_wide, patch_lines, with_lf
from .drafts import Done, edit, gone, moved_link, refuse_binary

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .drafts import Draft, Work

_PARTS = ("part", "maybe")
_SAYS_NEW = r"\b(?:new|creat\w+|add\w*|cop(?:y|ies|ied)|mov(?:e|es|ed|ing)|renam\w+|split\w*|duplicat\w+)\b"
_LONG = 20  # lines of a file that a much shorter one is a warning for
_RETYPED = "lines that nothing else changes in get other tabs, quotes, dashes or spaces: was that meant?"
_AS_THE_FILE = "lines that differ only in tabs, quotes, dashes or odd spaces stay as the file has them"


def write(number: int, op: Write, path: str, work: Work) -> Done:
    """What became of the contents that a file is to have, or of a text that nothing says the place of."""
    if op.adds and work.drafts[path].exists and work.overwrite is None:
        return _add(number, op, path, work)
    return _write_all(number, op, path, work)


def _write_all(number: int, op: Write, path: str, work: Work) -> Done:
    """What became of contents for all of a file, which may turn out to be a part of it, or a quotation."""
    draft = work.drafts[path]
    if aside := _put_aside(op, path, work):
        return Done((), (aside,))
    if op.only == "end":
        return _append(number, op, path, work)
    overwrite = op.overwrite if work.overwrite is None else work.overwrite
    as_given = work.patch.literal or bool(work.overwrite)
    there = draft.after()
    if op.keep and there:
        op = _without_label(op, path, there)
    data = _encoded(op, path, draft, as_given)
    is_empty = there is not None and not there.data.strip() and work.overwrite is None and not op.absent
    if there and not overwrite and not is_empty and there != File(data, draft.mode):
        raise Refused(Problem("file_exists", f"{path} already exists and would be overwritten"))
    if draft.exists and draft.mode & LINK == LINK:
        raise Refused(moved_link(path))
    _check_contents(op, path, there, work)
    if not draft.exists and draft.before is None:
        _check_new(op, path, work)
    if there and not as_given:
        _check_rewritten(op, path, there, data)
    if there and op.keep and not work.overwrite:
        from ..match.whole_text import begins_and_ends_as, shrinking

        shrinks = shrinking(path, there.data, data, work.patch, shown=True)
        # "Here's the updated `f` in `a.js`:", and then all of a.js.
        whole = op.only == "part" and begins_and_ends_as(there.data, data)
        if shrinks or (op.only in _PARTS and not whole):
            return _write_part(number, op, path, work, shrinks)
        _check_own_text(op, path, there, work)
    notes = _overwriting_notes(op, path, there) if there else ()
    hunk = _as_copied(op, there, work) if there and not as_given else None
    if hunk is not None and (is_prose(path) or path.endswith(".po")):
        notes = (*notes, Note(_RETYPED, path))
    elif hunk is not None:
        done = edit(number, Edit(op.path, (hunk,), op.patch_line, mode=op.mode), path, work)
        return done._replace(notes=(*done.notes, Note(_AS_THE_FILE, path)))
    draft.mode = op.mode or draft.mode
    draft.write(data)
    return Done((), notes)


def _put_aside(op: Write, path: str, work: Work) -> Note | None:
    """The note on contents that aren't written: the file is kept, or they only quote it."""
    draft = work.drafts[path]
    if op.spare and draft.exists:
        return Note("the file already exists and is kept", path, op.patch_line)
    if op.only == "maybe" and not draft.exists:
        return quoted(op.path, op.patch_line, f"there is no file {op.path}")
    if op.only in ("part", "end") and not draft.exists:
        raise Refused(gone(path, work))
    if op.only == "quote":
        return quoted(op.path, op.patch_line, "there is a patch next to it")
    if op.only == "new" and (draft.exists or draft.before is not None):
        why = "the file exists, and the fence is in another language or has a patch next to it"
        return quoted(op.path, op.patch_line, why)
    return None


def _write_part(number: int, op: Write, path: str, work: Work, shrinks: Problem | None) -> Done:
    """What became of a text that is only a part of the file: the functions and classes in it are replaced."""
    from ..match.whole_text import are_new_entries

    lines = tuple(patch_lines(op.text.removesuffix("\n")))
    merge = Merge(lines, (), op.patch_line, op.patch_line + 1, op.only == "part", op.told)
    first, last = op.told.lines
    try:
        done = edit(number, Edit(op.path, (merge,), op.patch_line), path, work)
    except Refused as refused:
        if first:
            where = Where(line=first, last=last, tied=True)
            hunk = Hunk(tuple(("+", line) for line in lines), where, TOLERANT, op.patch_line)
            return edit(number, Edit(op.path, (hunk,), op.patch_line), path, work)
        if op.told.to_file and are_new_entries(path, work.drafts[path].result(path).text, op.text):
            return _append(number, op, path, work)
        if op.only == "maybe":
            return Done((), (quoted(op.path, op.patch_line, "it shows no whole function or class of the file"),))
        if op.only == "part" and refused.problems[0].reason == "no_symbols":
            detail = f"the fence is for {path}, but shows neither all of it nor whole functions of it"
            advice = "Write the file's path alone on the line above the fence, and the whole file in it."
            raise Refused(Problem("bad_patch", detail, advice=advice)) from None
        # A file of which only an unchanged function is shown may be meant to lose the rest; "change `f` to" isn't.
        lacking = ("no_symbols",) if op.only == "part" else ("no_symbols", "unchanged")
        raise Refused(*(shrinks if shrinks and p.reason in lacking else p for p in refused.problems)) from None
    if first and done.splices and not any(one.start < last and first <= one.end for one in done.splices):
        # "Change line 12 to: `Cart cart = open();`", and a field `cart` at line 40
        detail = f"line {first} is named, but what is shown is at line {done.splices[0].start + 1}"
        advice = "Show the lines as they are, too, as Before and After."
        raise Refused(Problem("ambiguous", detail, path, advice=advice))
    return done


def _add(number: int, op: Write, path: str, work: Work) -> Done:
    """A text without a place for a file that is there: added to it, or put in its place, where one of them is meant."""
    page = work.drafts[path].result(path)
    if not page.text.strip():
        return _write_all(number, op, path, work)
    from ..match.whole_text import lines_to_add, reading_of

    reading = reading_of(path, page.text, op.text)
    if reading == "there":
        return _already_there(op, path)
    if reading == "rewritten":
        return _write_all(number, op._replace(overwrite=True, keep=True), path, work)
    if reading != "added":
        detail = f"{path} already exists, and nothing says where in it the new text goes"
        advice = "Show the lines it goes next to; to replace the file, send it as a whole file."
        raise Refused(Problem("file_exists", detail, advice=advice))
    done = _edit_at_end(number, op, path, work, lines_to_add(path, page.lines, op.text))
    note = Note("the file exists, and the definitions are new: they were added at its end", path, op.patch_line)
    return done._replace(notes=(*done.notes, note))


def _append(number: int, op: Write, path: str, work: Work) -> Done:
    """Lines that words say go to the end of the file."""
    from ..match.whole_text import doubt_at_end, is_quoted, lines_to_add
    from ..syntax.validate import first_new_error

    draft = work.drafts[path]
    page = draft.result(path)
    if is_quoted(path, op.text, page.text):
        return _already_there(op, path)
    doubt = doubt_at_end(path, page.text, op.text)
    if doubt:
        advice = "Show it next to the lines it goes between."
        raise Refused(Problem("ambiguous", f"{doubt}, so it may not belong at the end of {path}", advice=advice))
    lines = lines_to_add(path, page.lines, op.text)
    after = "\n".join([*page.lines, *lines, ""])
    if first_new_error(path, encode(page.text), encode(after)) is not None:
        detail = f"{path} would no longer parse with the new lines at its end"
        raise Refused(Problem("ambiguous", detail, advice="Show them next to the lines they go between."))
    return _edit_at_end(number, op, path, work, lines)


def _edit_at_end(number: int, op: Write, path: str, work: Work, lines: tuple[str, ...]) -> Done:
    hunk = Hunk(tuple(("+", line) for line in lines), Where(at_end=True), TOLERANT, op.patch_line)
    return edit(number, Edit(path, (hunk,), op.patch_line, op.label), path, work)


def _already_there(op: Write, path: str) -> Done:
    text = "already applied: the new text is in the file, so there is nothing to do"
    return Done((), (Note(text, path, op.patch_line, kind="already_applied"),))


def _as_copied(op: Write, there: File, work: Work) -> Hunk | None:
    """The hunk that a whole text is where copying changed how its lines are written, as in `recopied`; else None."""
    if b"\t" not in there.data and there.data.isascii() and op.text.isascii():
        return None
    from ..match.copied import recopied

    lines = recopied(Text.read(there.data).lines, patch_lines(op.text.removesuffix("\n")), work.patch.prose)
    return Hunk(lines, Where(line=1), AS_COPIED, op.patch_line) if lines else None


def _overwriting_notes(op: Write, path: str, there: File) -> tuple[Note, ...]:
    """What to know where a file gets new contents; models that should write all of it often write a part."""
    before, after = there.data.count(b"\n"), op.text.count("\n")
    text = "the file existed and was overwritten"
    if before >= _LONG and after < before / 2:
        text += f"; its {before} lines become {after}: was something left out?"
    return (Note(text, path, op.patch_line),)


# ── the bytes of new contents ────────────────────────────────────────────────────────────────────


def _without_label(op: Write, path: str, there: File) -> Write:
    """The contents without a first comment that only labels them."""
    from ..match.copied import without_label

    lines = patch_lines(op.text)
    shown = without_label(path, lines, Text.read(there.data).lines)
    return op._replace(text="\n".join(shown).lstrip("\n")) if shown != lines else op


def _encoded(op: Write, path: str, draft: Draft, as_given: bool) -> bytes:
    """The new contents: in the encoding that they, or the file that was there, are in. Refused where it holds no text.

    With `keep` they have the BOM, the line ends and the final line end of the file that was there. `as_given`: a
    program wrote them, or they are to be written over the file whatever it is.
    """
    there = draft.after()
    was = there.data if there else b""
    if op.keep or is_wide(was):
        refuse_binary(path, was)
    text = op.text
    if not text.isascii():
        from ..match.encoding import declared, encoding_of, spoken

        encoding = encoding_of(was)
        if was.isascii() or encoding not in ("", "?"):
            encoding = declared(encode(text))
        text = spoken(text, encoding, path, lambda: was)
    if not op.keep or not was:
        return encode(text if as_given else _with_ends(text, decode(was)))
    from ..diff import rewritten as relined

    return relined(was, text.removeprefix(BOM).removesuffix("\n").split("\n") if text else [])


def _with_ends(text: str, was: str) -> str:
    """Contents that a call gives, with the BOM and the line ends of the file that was there: models aren't shown those.

    Unless they are all that would change.
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
    """Refuse contents that leave code out, or that copying changed: escapes, line numbers, signs of a diff."""
    if work.care.elided:
        _check_elision(op, path, there, work)
    if work.patch.literal:
        return
    if there and are_edits(op.text) and not are_edits(with_lf(decode(there.data))):
        # {"name": "write_file", "arguments": {"path": "a.py", "content": "<<<<<<< SEARCH\n…"}}
        detail = f"the new text of {path} is a patch, not the file"
        raise Refused(Problem("bad_patch", detail, path, advice="Send the patch itself, or all of the file."))
    if "\\" in op.text:
        _check_escapes(op, path, there)
    is_signed = any(sign in op.text for sign in ("\n+", "\n-")) or op.text[:1] in ("+", "-")
    if is_signed or op.text.lstrip(BLANK)[:1].isdecimal():
        _check_signs(op, path, there)


def _check_elision(op: Write, path: str, there: File | None, work: Work) -> None:
    """Refuse contents that leave some of the file out."""
    old, new = Text.read(there.data).lines if there else [], op.text.split("\n")
    mark = mark_in_whole(path, old, new, op.keep)
    if mark:
        mark = mark.strip()[:80]
        detail = f"`{mark}` stands for code that is left out of {path}"
        others = work.tree.suggest(path) if there is None else ()
        advice = f"{path} doesn't exist. Did you mean {' or '.join(others)}?" if others else ""
        detail = detail if there else f"{detail}, which doesn't exist yet"
        raise Refused(Problem("elision", detail, advice=advice, cited=mark))
    header = emptied(path, old, new) if "..." in op.text else ""
    if header:
        detail = f"in the new contents of {path}, the body of `{header[:80]}` is only `...`"
        raise Refused(Problem("elision", detail))


def _check_escapes(op: Write, path: str, there: File | None) -> None:
    """Refuse contents that were escaped once too often."""
    from ..match.copied import over_escaped

    data = there.data if there else b""
    problem = over_escaped(path, op.text.split("\n"), lambda piece: encode(piece) in data)
    if problem is not None:
        raise Refused(problem)


def _check_signs(op: Write, path: str, there: File | None) -> None:
    """Refuse contents with line numbers, or the signs of a diff, in front of their lines."""
    from ..match.copied import numbered_throughout, signed_anew

    old = with_lf(decode(there.data)) if there else ""
    problem = numbered_throughout(path, op.text, old)
    problem = problem or signed_anew(path, old.split("\n") if old else [], op.text.split("\n"), old)
    if problem is not None:
        raise Refused(problem)


def _check_new(op: Write, path: str, work: Work) -> None:
    """Refuse a new file that can't be there, or whose contents are those of another."""
    _check_link(op.path, work)
    check_new(path)
    _check_folders(path, work)
    if op.keep and not work.overwrite:
        _check_own_text(op, path, None, work)


def _check_own_text(op: Write, path: str, there: File | None, work: Work) -> None:
    """Refuse the contents of another file, unless the answer speaks of it; for a new file, of a file of its name."""
    paths = {other.path for other in work.patch.ops}
    prose = work.patch.prose
    folder = path.rpartition("/")[0]
    is_new = there is None and (
        re.search(_SAYS_NEW, prose, re.IGNORECASE) is not None
        or any(other != op.path and other.rpartition("/")[0] == folder for other in paths)
    )

    def is_told(other: str) -> bool:
        return is_new or other in paths or (other if there is None else other.rpartition("/")[2]) in prose

    text = decode(there.data) if there else None
    lines = op.text.split("\n")
    named, below = path_in_comment(lines)
    is_other = named != "" and not f"/{path}".endswith(f"/{named.removeprefix('./')}")
    if text and is_other and lines[below - 1] not in text and work.peek(named) is not None:
        detail = f"the new text of {path} begins with `{lines[below - 1].strip()}`, which is another file"
        raise Refused(Problem("ambiguous", detail, path, advice="Name the one file that it is, once."))
    check_own_text(path, op.text, text, work.tree, work.peek, is_told)


def _check_rewritten(op: Write, path: str, there: File, data: bytes) -> None:
    """Refuse contents that lack the bodies or the end of the file, or have lines of it twice."""
    from ..match.whole_text import cut_off, said_twice

    problem = hollowed(Text.read(there.data).lines, op.text.split("\n"))
    if not problem and len(data) > len(there.data) and grammar_of(path):
        problem = said_twice(path, there.data, data)
    if not problem and not op.keep and len(data) < len(there.data):
        problem = cut_off(path, there.data, data)
    if problem:
        raise Refused(problem)


# ── deleting and moving ──────────────────────────────────────────────────────────────────────────


def delete(op: Delete, path: str, work: Work) -> Done:
    """Take a file away, where it holds the lines that the patch says it does."""
    draft = work.drafts[path]
    if not draft.exists:
        if op.spare:
            return Done()
        raise Refused(gone(path, work))
    if op.old:
        after = draft.after()
        lines = Text.read(after.data).lines if after else []
        there = iter(line.rstrip() for line in lines)
        if not all(line.rstrip() in there for line in op.old):
            raise Refused(Problem("not_found", f"{path} doesn't contain the lines that the patch says are in it"))
        more = sum(map(bool, map(str.strip, lines))) - sum(map(bool, map(str.strip, op.old)))
        if op.whole and more > 0 and not work.overwrite:
            detail = f"the patch deletes {path} without showing {more} of its lines"
            advice = "Show all of its lines, or delete it by name, without a hunk."
            command = "--overwrite deletes it as it is."
            raise Refused(Problem("would_shrink", detail, advice=advice, command=command))
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
        check_new(target)
        _check_folders(target, work)
    moved = source.after()
    assert moved is not None
    if moved.is_link and moved.data[:1] != b"/" and path.rpartition("/")[0] != target.rpartition("/")[0]:
        detail = f"{path} is a symbolic link to {decode(moved.data)}, and would point elsewhere from another folder"
        raise Refused(Problem("not_a_file", detail, advice="Move it by hand, or move the file it points to."))
    goal.write(moved.data)
    goal.mode = moved.mode
    return Done((), () if op.keeps else _take_away(op, path, source, work))


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
    """Refuse to put a file where a symbolic link stands: what it leads to isn't the path that was named."""
    own = work.link(path)
    if own and work.drafts[own].exists:
        target = decode(work.drafts[own].data)
        raise Refused(Problem("file_exists", f"{own} is a symbolic link to {target}", own))


def _check_folders(path: str, work: Work) -> None:
    """Refuse a new file below something that is a file itself."""
    above = blocking(path, lambda above: work.exists(above, refused=False))
    if above:
        advice = "Choose a path below a folder."
        raise Refused(Problem("file_exists", f"{above} is a file, not a folder", path, advice=advice))
