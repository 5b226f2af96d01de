"""A file shown in part, laid over the file that is there: the front door of this room. Pure."""

from __future__ import annotations

from ..model import Merge, Patch
from ..parsing.elision import is_dots, is_dotted, is_mark
from ..problems import Problem, Refused
from ..syntax.validate import first_new_error
from ..text import encode, spliced
from .copied import without_label
from .elision import emptied, marks_in_file
from .partial_file import lay_over, lay_over_function
from .shown_symbols import lay_symbols
from .whole_text import shrinking

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..match.symbol_edits import FileText
    from ..model import LineSplice


def lay_over_file(page: FileText, merge: Merge, patch: Patch, overwrite: bool) -> Sequence[LineSplice]:
    """The splices of a file that is shown in part; Refused if its parts have no place."""
    splices = _laid_over(page, merge)
    if isinstance(splices, Problem):
        raise Refused(splices)
    if not overwrite:
        text = page.text
        after = text.apply([text.replaced_rows(one.start, one.end, one.lines) for one in splices])
        marked = bool(merge.marks)
        if problem := shrinking(page.path, text.data(), after.data(), patch, unmarked=not marked):
            raise Refused(problem)
    return splices


def _laid_over(page: FileText, merge: Merge) -> Sequence[LineSplice] | Problem:
    merge = merge._replace(shown=tuple(without_label(page.path, merge.shown, page.lines)))
    again = marks_in_file(page, merge)
    splices: Sequence[LineSplice] | Problem | None = lay_over(page.lines, merge, page.path) if merge.marks else None
    if not isinstance(splices, list):
        # Whole functions and classes need no lines around them.
        made = lay_symbols(page, merge)
        inside = lay_over_function(page.lines, merge, page.path) if merge.marks and not isinstance(made, list) else None
        splices = made if isinstance(made, list) else inside if isinstance(inside, list) else splices or made
    if again is not None and (splices or isinstance(splices, Problem)):
        return again
    if splices is None:
        detail = "the text is neither the whole file nor made of whole functions or classes of it"
        splices = Problem("would_shrink", detail, reason="no_symbols")
    if isinstance(splices, Problem):
        return splices._replace(patch_line=splices.patch_line or merge.patch_line)
    if doubt := _emptied(page, splices) or _written_marks(splices) or _broken(page, splices):
        return doubt._replace(patch_line=merge.patch_line)
    return splices


def _broken(page: FileText, splices: Sequence[LineSplice]) -> Problem | None:
    """A problem if a file that parsed no longer would: then a part was meant to be elsewhere."""
    after = "\n".join([*spliced(page.lines, splices), ""])
    fault = first_new_error(page.path, encode(page.text.text), encode(after)) if splices else None
    if fault is None:
        return None
    detail = f"the file would no longer parse (line {fault.line}), so a part may belong elsewhere"
    return Problem("elision", detail, line=splices[0].start + 1)


def _written_marks(splices: Sequence[LineSplice]) -> Problem | None:
    """A problem if a line that leaves code out would be written: in a string or a page's example it may be meant."""
    for one in splices:
        for line in one.lines:
            if is_mark(line) and is_dotted(line):
                detail = f"`{line.strip()[:80]}` would be written to the file, but may stand for code that was left out"
                return Problem("elision", detail, line=one.start + 1, advice="Write the code out in full.")
    return None


def _emptied(page: FileText, splices: Sequence[LineSplice]) -> Problem | None:
    """A problem if dots would take the place of a function's code: they may leave it out."""
    if any(is_dots(line) for one in splices for line in one.lines):
        header = emptied(page.path, page.lines, spliced(page.lines, splices))
        if header:
            return Problem("elision", f"the code below `{header[:80]}` is only `...`")
    return None
