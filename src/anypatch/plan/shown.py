"""Texts that an answer only shows: parts of files, quotations, lines for the end of a file. Pure.

What the next floor of the house replaces by proposals (issue 33); until then it is planned here.
"""

from __future__ import annotations

from ..model import TOLERANT, Edit, Hunk, Merge, Note, Where, Write
from ..parsing.shown import quoted
from ..problems import Problem, Refused
from ..text import decode, encode, patch_lines
from .drafts import Done, Draft, Work, edit, gone

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..model import Outcome


def set_aside(op: Write, work: Work) -> tuple[Note, ...] | None:
    """The notes on a text that isn't for any file: what follows is a quotation; None for one that is."""
    if op.only in ("there", "quote") and not work.exists(op.path, refused=False):
        return (quoted(op.path, op.patch_line, f"there is no file {op.path}"),)
    if op.only == "aside":
        work.draft(work.canonical(op.path))
        return (Note("", op.path, op.patch_line, kind="aside"),)
    return None


def quotation(op: Write, draft: Draft, work: Work) -> Note | None:
    """The note on contents that aren't written: they only quote the file."""
    if op.only == "maybe" and not draft.exists:
        return quoted(op.path, op.patch_line, f"there is no file {op.path}")
    if op.only in ("part", "end") and not draft.exists:
        raise Refused(gone(draft.path, work))
    if op.only == "quote":
        return quoted(op.path, op.patch_line, "there is a patch next to it")
    if op.only == "new" and (draft.exists or draft.before is not None):
        why = "the file exists, and the fence is in another language or has a patch next to it"
        return quoted(op.path, op.patch_line, why)
    return None


def write_part(op: Write, draft: Draft, work: Work, shrinks: Problem | None) -> Done:
    """What became of a text that is only a part of the file: the functions and classes in it are replaced."""
    from ..shown.whole_text import are_new_entries

    lines = tuple(patch_lines(op.text.removesuffix("\n")))
    merge = Merge(lines, (), op.patch_line, op.patch_line + 1, op.only == "part", op.told)
    try:
        return edit(Edit(op.path, (merge,), op.patch_line), draft, work)
    except Refused as refused:
        if op.told.to_file and are_new_entries(draft.path, draft.result().text, op.text):
            return append(op, draft, work)
        if op.only == "maybe":
            return Done((), (quoted(op.path, op.patch_line, "it shows no whole function or class of the file"),))
        if op.only == "part" and refused.problems[0].reason == "no_symbols":
            detail = f"the fence is for {draft.path}, but shows neither all of it nor whole functions of it"
            advice = "Write the file's path alone on the line above the fence, and the whole file in it."
            raise Refused(Problem("bad_patch", detail, advice=advice)) from None
        # A file of which only an unchanged function is shown may be meant to lose the rest; "change `f` to" isn't.
        lacking = ("no_symbols",) if op.only == "part" else ("no_symbols", "unchanged")
        raise Refused(*(shrinks if shrinks and p.reason in lacking else p for p in refused.problems)) from None


# ── lines for a file that is there ───────────────────────────────────────────────────────────────


def append(op: Write, draft: Draft, work: Work) -> Done:
    """Lines that go to the end of the file."""
    from ..shown.whole_text import doubt_at_end, is_quoted, lines_to_add
    from ..syntax.validate import first_new_error

    path, text = draft.path, draft.result()
    if is_quoted(path, op.text, text.text):
        return already_there(op, path)
    doubt = doubt_at_end(path, text.text, op.text)
    if doubt:
        advice = "Show it next to the lines it goes between."
        raise Refused(Problem("ambiguous", f"{doubt}, so it may not belong at the end of {path}", advice=advice))
    lines = lines_to_add(path, text.lines, op.text)
    after = "\n".join([*text.lines, *lines, ""])
    if first_new_error(path, encode(text.text), encode(after)) is not None:
        detail = f"{path} would no longer parse with the new lines at its end"
        raise Refused(Problem("ambiguous", detail, advice="Show them next to the lines they go between."))
    return add_at_end(op, draft, work, lines)


def add_at_end(op: Write, draft: Draft, work: Work, lines: Sequence[str]) -> Done:
    """New lines at the end of the file."""
    hunk = Hunk("", "".join([line + "\n" for line in lines]), TOLERANT, Where(at_end=True), op.patch_line)
    return edit(Edit(draft.path, (hunk,), op.patch_line, op.label), draft, work)


def already_there(op: Write, path: str) -> Done:
    """The note on a text that the file has."""
    text = "already applied: the new text is in the file, so there is nothing to do"
    return Done((), (Note(text, path, op.patch_line, kind="already_applied"),))


# ── a look at the whole ──────────────────────────────────────────────────────────────────────────


def check_quotes(outcomes: list[Outcome], drafts: dict[str, Draft]) -> None:
    """Refuse what was taken for a quotation, but is neither in the file nor in what becomes of it.

    Left out, half of the answer would be done. If every operation turned out to be a quotation, there is no patch.
    """
    for outcome in outcomes:
        if any(note.kind == "aside" for note in outcome.notes):
            _check_aside(outcome, outcomes, drafts)
    quotes = [outcome for outcome in outcomes if any(note.kind == "quote" for note in outcome.notes)]
    if quotes and len(quotes) == len(outcomes):
        first = outcomes[0]
        advice = "Write the file's path alone on a line, then its new contents in a fence of its language."
        problem = Problem("no_patch", f"there is nothing to apply: {first.notes[0].text}", first.path, advice=advice)
        outcomes[0] = first._replace(problems=(problem._replace(patch_line=first.op.patch_line, op=first.number),))
        return
    for outcome in quotes:
        op, draft = outcome.op, drafts.get(outcome.path)
        if draft is None or not isinstance(op, Write) or op.only in ("maybe", "aside"):
            continue
        from ..shown.whole_text import is_quoted

        texts = _before_and_after(draft)
        if texts and not any(is_quoted(op.path, op.text, text) for text in texts):
            detail = (
                f"it isn't clear whether {op.path} is edited here: these lines aren't in it, and there are other edits"
            )
            advice = "Send all edits in one format, and quote code as it is in the file."
            problem = Problem("bad_patch", detail, outcome.path, op.patch_line, op=outcome.number, advice=advice)
            outcomes[outcome.number - 1] = outcome._replace(problems=(problem,), notes=())


def _before_and_after(draft: Draft) -> list[str]:
    """What a file holds before the patch and after it, as far as it is there."""
    return [decode(file.data) for file in (draft.before, draft.after()) if file]


def _check_aside(outcome: Outcome, outcomes: list[Outcome], drafts: dict[str, Draft]) -> None:
    """Refuse a fence that nothing is said of, if it shows a function of the file otherwise: left out, half is done.

    In `a.py`, change `f` to:  …  We double in `g`:  ```python  def g(y): …
    """
    from ..shown.whole_text import is_quoted, redefined

    op = outcome.op
    assert isinstance(op, Write)
    draft = drafts.get(outcome.path)
    texts = _before_and_after(draft) if draft else []
    name = redefined(op.path, op.text, texts[0]) if texts else ""
    at = outcome.number - 1
    if any(is_quoted(op.path, op.text, text) for text in texts):
        outcomes[at] = outcome._replace(notes=())
    elif not name:
        note = Note("a fence was skipped: nothing says which file it changes", patch_line=op.patch_line, kind="quote")
        outcomes[at] = outcome._replace(notes=(note,))
    else:
        detail = f"it isn't clear whether `{name}` of {op.path} changes: nothing says so, and it isn't so in the file"
        advice = f"Say above each fence what it changes ('In `{op.path}`, change `{name}` to')."
        problem = Problem("bad_patch", detail, outcome.path, op.patch_line, op=outcome.number, advice=advice)
        outcomes[at] = outcome._replace(problems=(problem,), notes=())
