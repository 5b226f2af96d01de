"""Whole files: a path and the full contents in a fence, or in an element. Takes no part for the whole; touches no file.

answer   = { path fence | element | pair | sentence }
fence    = "```" [ language ] { line } "```"        the path alone on a line above it, or in its title
pair     = label fence label fence                  "Before:" and "After:", "Replace this:" and "with this:"
sentence = "Change line 27 from `…` to `…`" or "In `PATH`, change `…` to `…`"
element  = '<file path="PATH">' { line } "</file>"
"""

from __future__ import annotations

from collections.abc import Callable

from ...answer import UNCLEAR, Block, files_in
from ...model import TOLERANT, Edit, Hunk, Note, Op, Patch, Where, Write, join_lines
from ...parsing.elision import marks_in
from ...parsing.fences import prose
from ...parsing.quotes import defines
from ...parsing.shown import Shown, quoted
from ...problems import Problem
from ...text import patch_lines

_AS_WRITTEN = TOLERANT._replace(levels=("exact", "trailing space"), readings=(), indents="as-is")


def parse(text: str) -> Patch:
    """The files that an answer shows in full."""
    return read(files_in(text))._replace(prose=prose(patch_lines(text)))


def sniff(text: str) -> int:
    """How much a text looks like whole files: never more than a format with marks of its own."""
    partial = [bool(marks_in(shown.path, shown.body)) for shown in files_meant(text)]
    return 20 if any(partial) else 50 if partial else 0


def files_meant(text: str) -> list[Shown]:
    """The files that an answer shows, without those that it only quotes."""
    return [block.shown for block in files_in(text) if block.shown and not block.shown.quote]


def read(blocks: list[Block]) -> Patch:
    """The files that the blocks of an answer show in full."""
    return read_as("whole-file", blocks, _operations, "its whole contents")


def read_as(
    format: str, blocks: list[Block], operations: Callable[[Shown, list[Problem], list[Note]], list[Op]], what: str
) -> Patch:
    """The operations for each file that is shown, and the problems with them. `what`: what a fence should hold."""
    ops: list[Op] = []
    notes: list[Note] = []
    problems = [
        Problem(block.problem, block.why, patch_line=block.start + 1, advice=block.advice)
        for block in blocks
        if block.kind == UNCLEAR
    ]
    for shown in _settled([block.shown for block in blocks if block.shown], problems, notes):
        if shown.changes_nothing:
            ops.append(written(shown))
        elif shown.problem is not None:
            problems.append(shown.problem)
        elif shown.old:
            label = "insert" if shown.way == "below" else "edit"
            ops.append(Edit(shown.path, (_replacement(shown),), shown.line, label))
        else:
            ops += operations(shown, problems, notes)
    if not ops and not problems:
        advice = f"Write the file's path on a line of its own, then {what} in a fence."
        if notes:
            detail = f"there is nothing to apply: {notes[0].text}"
            problems.append(Problem("no_patch", detail, patch_line=notes[0].patch_line, advice=advice))
        else:
            detail = "no file is shown with its path and contents"
            problems.append(Problem("bad_patch", detail, patch_line=1, advice=advice))
    return Patch(format, tuple(ops), "", tuple(problems), tuple(notes))


def _replacement(shown: Shown) -> Hunk:
    """New text for old. What only words name, a part of a line or the line that others go below, is taken as it is."""
    if shown.way == "inline":
        texts = shown.old[0], shown.body[0]
        return Hunk(*texts, _AS_WRITTEN, patch_line=shown.line, inline=True, whole_words=True)
    policy = _AS_WRITTEN if shown.way == "below" else TOLERANT
    where = Where(line=shown.at, last=shown.at)
    return Hunk(join_lines(shown.old), join_lines(shown.body), policy, where, shown.line)


def written(shown: Shown) -> Write:
    """The file with these contents; one that is there keeps what can't be shown."""
    text = "".join(line + "\n" for line in shown.body)
    return Write(shown.path, text, True, shown.line, "write", keep=True, only=shown.only, told=shown.told)


def _operations(shown: Shown, problems: list[Problem], notes: list[Note]) -> list[Op]:
    marks = marks_in(shown.path, shown.body)
    if not marks:
        return [written(shown)]
    detail = f"the contents of {shown.path} are incomplete: `{shown.body[marks[0]].strip()}`"
    problems.append(Problem("elision", detail, shown.path, shown.first + marks[0]))
    return []


def _settled(files: list[Shown], problems: list[Problem], notes: list[Note]) -> list[Shown]:
    """The files without those that only quote one. Two different whole texts for one path are a problem."""
    settled: list[Shown] = []
    for shown in files:
        if shown.quote:
            notes.append(quoted(shown.path, shown.line, shown.quote))
            continue
        if shown.changes_nothing:
            settled.append(shown)
            continue
        if _is_aside(shown) and any(one.path == shown.path and one.problem for one in settled):
            continue  # it may be more of a text whose fence ended early
        others = (
            [one for one in settled if one.path == shown.path and not one.changes_nothing]
            if shown.problem is None and not shown.old and shown.only != "end" and not _is_aside(shown)
            else []
        )
        others = [
            one
            for one in others
            if not one.old
            and one.only != "end"
            and not _is_aside(one)
            and not all(marks_in(one.path, two.body) for two in (one, shown))
        ]
        if any(one.body == shown.body for one in others):
            continue
        if others and not all(_are_parts(one, shown) for one in others):
            detail = f"{shown.path} is shown with two different texts, at lines {others[0].line} and {shown.line}"
            advice = "Send only the one that is meant, or edits."
            problems.append(Problem("bad_patch", detail, shown.path, shown.line, advice=advice))
            continue
        if others:
            settled = [one._replace(only=one.only or "part") if one in others else one for one in settled]
            shown = shown._replace(only=shown.only or "part")  # noqa: PLW2901
        settled.append(shown)
    return settled


def _is_aside(shown: Shown) -> bool:
    """Whether a fence below the heading of a file, and no words that ask for it, shows no code of it: "Output:"."""
    return shown.only == "maybe" and not defines(shown.body)


def _are_parts(one: Shown, two: Shown) -> bool:
    """Whether two texts for one path declare different functions and classes: then each is only a part of it.

    So is one that is imports and nothing else.
    """
    from ...syntax.symbols import CODE, TYPES, declared
    from ...syntax.top import are_imports

    if any(are_imports(shown.path, shown.body) for shown in (one, two)):
        return True
    found = [declared(one.path, "\n".join(shown.body), damaged=True) for shown in (one, two)]
    first, second = ({symbol.parts for symbol in symbols if symbol.kind in (*CODE, *TYPES)} for symbols in found)
    return bool(first and second) and first.isdisjoint(second)
