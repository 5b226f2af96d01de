"""Files shown in part, with "… existing code …" for what stays. Merges nothing itself; touches no file.

As whole files, with marks among the contents:

    contents = { line | mark }          mark: a comment that says that code is left out, or dots alone
"""

from __future__ import annotations

from ...answer.marks import marks_in
from ...answer.shown_files import Shown
from ...model import Edit, Merge, Op, Patch
from ...text import BOM
from ..findings import Findings
from ..whole_file.read import parse_as, written


def parse(text: str) -> Patch:
    """Read the files that an answer shows, in part or, if nothing is left out, in full."""
    return parse_as("elided", text, operations)


def sniff(text: str) -> int:
    """0: only naming the format makes such fences edits."""
    return 0


def operations(shown: Shown, findings: Findings) -> list[Op]:
    """Return the edit of the parts that are shown, or a write of the whole file if nothing is left out."""
    marks = marks_in(shown.path, shown.body)
    if not marks:
        findings.note(shown.line, "nothing is left out, so it was read as the whole file", shown.path)
        return [written(shown)]
    first, *rest = shown.body
    merge = Merge((first.removeprefix(BOM), *rest), tuple(marks), shown.line, shown.first)
    if merge.parts:
        return [Edit(shown.path, (merge,), shown.line, whole=written(shown))]
    findings.refuse(shown.line, f"everything in {shown.path} is left out", "Show the lines that change.", shown.path)
    return []
