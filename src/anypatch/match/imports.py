"""Imports that are shown with other code, and that the file hasn't: they go beside its own. Pure.

shown   import os           file   import os          becomes   import os
        import re                  import sys                   import re
                                                                import sys
        def total(…): …
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from ..model import Splice
from ..syntax.imports import Import, imports_in
from ..syntax.top import place_for


def new_imports(path: str, there: Sequence[str], shown: Sequence[str]) -> list[Import]:
    """The imports that are shown and aren't in the file."""
    known = {one.words for one in imports_in(path, there)}
    return [one for one in imports_in(path, shown) if one.words not in known]


def placed_imports(
    path: str, there: Sequence[str], shown: Sequence[str], *, alone: bool = False
) -> list[Splice] | Import:
    """The splices that bring new imports into a file; the first that has no sure place in it.

    Each goes below the one that is shown above it, else above the one shown below it, else below those that the file
    begins with, or at its top. One that takes more from a module than the file's own does takes the place of that.
    What else the file calls the same may be meant to go; where imports are shown `alone`, so may all from that module.
    """
    old, told = imports_in(path, there), imports_in(path, shown)
    known = {one.words: one for one in old}
    ends = [above for above, below in pairwise(old) if not _are_near(there, above, below)] + old[-1:]
    top = place_for([""], there, path)
    splices: list[Splice] = []
    for one in new_imports(path, there, shown):
        rivals = [other for other in old if one.bound & other.bound or (alone and one.source == other.source != "")]
        is_first = one.source == "__future__" or (not old and top < 0)
        if is_first or len(rivals) > 1 or not all(_grows(other, one) for other in rivals):
            return one
        above = [known[other.words] for other in told if other.start < one.start and other.words in known]
        below = [known[other.words] for other in told if other.start > one.start and other.words in known]
        row = above[-1].end if above else below[0].start if below else ends[0].end if ends else top
        start, end = (rivals[0].start, rivals[0].end) if rivals else (row, row)
        splices.append(Splice(start, end, tuple(shown[one.start : one.end]), "symbol"))
    splices = _joined(splices)
    return splices if old or not splices else [_apart(there, *splices)]


def _grows(old: Import, new: Import) -> bool:
    """Whether an import takes all that another takes from the same module, and more."""
    return old.source == new.source != "" and old.names < new.names


def _joined(splices: list[Splice]) -> list[Splice]:
    """The splices in order, those that add lines at one row as one."""
    made: list[Splice] = []
    for one in sorted(splices, key=lambda splice: (splice.start, splice.end)):
        if made and made[-1].start == made[-1].end == one.start == one.end:
            made[-1] = made[-1]._replace(lines=made[-1].lines + one.lines)
        else:
            made.append(one)
    return made


def _apart(lines: Sequence[str], first: Splice) -> Splice:
    """The first imports of a file, with a blank line above and below."""
    above = [""] if first.start and lines[first.start - 1].strip() else []
    below = [""] if not first.start or (first.start < len(lines) and lines[first.start].strip()) else []
    return first._replace(lines=(*above, *first.lines, *below))


def _are_near(lines: Sequence[str], above: Import, below: Import) -> bool:
    """Whether only blank lines and comments stand between two imports."""
    between = [line.strip() for line in lines[above.end : below.start]]
    return all(not line or line.startswith(("#", "//", "*", "/*")) for line in between)
