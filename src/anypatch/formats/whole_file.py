"""Whole files: a path and the full contents in a fence. Takes no part for the whole; touches no file."""

from __future__ import annotations

from ..errors import Problem
from ..model import Format, Op, Patch, Write
from ..text import patch_lines
from ._answer import prose
from ._fenced import Shown, fence_of, has_marks, is_other_format, marks_in, shown_files
from ._whole_file_teach import EXAMPLES, PROMPT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection

    from ..model import FileChange

_NAME = "whole-file"


def parse(text: str) -> Patch:
    """The files that an answer shows in full."""
    lines = patch_lines(text)
    ops: list[Op] = []
    problems: list[Problem] = []
    for shown in shown_files(lines):
        if is_other_format(shown.body, info_of(lines, shown)):
            continue
        made = shown.problem or _partial(shown) or written(shown)
        if isinstance(made, Problem):
            problems.append(made)
        else:
            ops.append(made)
    if not ops and not problems:
        advice = "Write the file's path on a line of its own, then its whole contents in a fence."
        problems.append(
            Problem("bad_patch", "no file is shown in it by path and contents", patch_line=1, advice=advice)
        )
    return Patch(_NAME, tuple(ops), "", tuple(problems), prose=prose(lines))


def sniff(text: str) -> int:
    """How much a text looks like whole files: never more than a format with marks of its own."""
    if "```" not in text and "~~~" not in text and "<file " not in text and "<document " not in text:
        return 0
    lines = patch_lines(text)
    found = 0
    for one in shown_files(lines):
        if not is_other_format(one.body, info_of(lines, one)):
            if has_marks(one.path, one.body):
                return 20
            found = 50
    return found


def written(shown: Shown) -> Write:
    """The file with these contents; one that is there keeps what can't be shown."""
    text = "".join(line + "\n" for line in shown.body)
    return Write(shown.path, text, True, shown.line, "write", keep=True)


def info_of(lines: list[str], shown: Shown) -> str:
    """What stands behind the backticks above the contents."""
    fence = fence_of(lines[shown.first - 2]) if shown.first >= 2 else None
    return fence.info if fence else ""


def _partial(shown: Shown) -> Problem | None:
    marks = marks_in(shown.path, shown.body)
    if not marks:
        return None
    detail = f"the contents of {shown.path} are not whole: `{shown.body[marks[0]].strip()}`"
    return Problem("elision", detail, shown.path, shown.first + marks[0])


def render(changes: tuple[FileChange, ...], wide: Collection[str] = ()) -> str:
    """The changed files in full; Refused where the format has no words for a change."""
    from ._whole_file_write import document

    return document(changes)


def write(ops: tuple[Op, ...]) -> str:
    """The operations as they were read; Refused where the format has no words for one."""
    from ._whole_file_resend import document

    return document(ops)


FORMAT = Format(
    _NAME,
    "Whole files: a path on its own line, then the full contents in a fence",
    sniff,
    parse,
    render,
    frozenset(("create", "overwrite", "blank_lines")),
    PROMPT,
    EXAMPLES,
    write,
)
