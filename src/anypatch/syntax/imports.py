"""Import statements at the left edge of a text, whatever its language calls them; where new ones go. Pure.

shown   import os           file   import os          becomes   import os
        import re                  import sys                   import re
                                                                import sys
        def total(…): …

Lines are read, no grammar: a statement goes on while a bracket is open. Languages without a row here have no imports
that could be told; Go's stand in a list of their own.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from ..model import Splice
from ..record import NamedTuple
from ..text import is_blank
from .languages import grammar_of
from .top import place_for, statement_end

# `names` of a `source`, or one thing by its name, `bound`, or its `alias`; headers and the like have none of them.
_QUOTED = r"""(?P<source>"[^"]+"|'[^']+')"""
_SCRIPT = (
    rf"import\s+(?P<sort>type\s+)?(?P<names>.+?)\s+from\s+{_QUOTED}\s*;?$",
    r"""import\s+["'].+["']\s*;?$""",
    rf"(?:const|let|var)\s+(?P<names>.+?)\s*=\s*require\({_QUOTED}\)\s*;?$",
)
_INCLUDE = (r"""#\s*include\s+(?:<[^>]+>|"[^"]+")$""",)
_PLAIN = (r"import\s+(?:static\s+)?(?:[\w.]*\.)?(?P<bound>\w+|\*)(?:\s+as\s+(?P<alias>\w+))?\s*;?$",)
_PATTERNS = {
    "python": (
        r"from\s+(?P<source>[\w.]+)\s+import\s+(?P<names>.+)$",
        r"import\s+(?P<bound>[\w.]+)(?:\s+as\s+(?P<alias>\w+))?$",
    ),
    "javascript": _SCRIPT,
    "typescript": _SCRIPT,
    "tsx": _SCRIPT,
    "java": _PLAIN,
    "kotlin": _PLAIN,
    "scala": _PLAIN,
    "groovy": _PLAIN,
    "swift": _PLAIN,
    "c_sharp": (r"using\s+(?:static\s+)?[\w.]+\s*;$",),
    "c": _INCLUDE,
    "cpp": _INCLUDE,
    "rust": (
        r"use\s+(?P<source>[\w:]+)::\{(?P<names>.+)\}\s*;$",
        r"use\s+(?:\w+::)*(?P<bound>\w+|\*)(?:\s+as\s+(?P<alias>\w+))?\s*;$",
    ),
    "php": (r"use\s+(?:function\s+|const\s+)?(?:\w*\\)*(?P<bound>\w+)(?:\s+as\s+(?P<alias>\w+))?\s*;$",),
    "ruby": (r"""require(?:_relative)?\s+["'][^"']+["']$""",),
}
_FIRST_WORDS = ("import", "from", "const", "let", "var", "using", "#", "use", "require")


class Import(NamedTuple):
    """An import statement: its rows, its words on one line, and the names that it takes from where, if it lists any.

    `bound`: what the file calls the things imported: `b` of `a as b`, `List` of `java.util.List`.
    """

    start: int
    end: int
    words: str
    source: str
    names: frozenset[str]
    bound: frozenset[str]


def imports_in(path: str, lines: Sequence[str]) -> list[Import]:
    """The import statements that begin at the left edge, in their order."""
    patterns = _PATTERNS.get(grammar_of(path), ())
    found: list[Import] = []
    row = 0
    while patterns and row < len(lines):
        end = statement_end(lines, row, "([{", ")]}") if lines[row].startswith(_FIRST_WORDS) else row + 1
        words = " ".join(" ".join(lines[row:end]).split())
        match = next(filter(None, (re.match(pattern, words) for pattern in patterns)), None)
        if match is not None:
            found.append(Import(row, end, words, *_taken(match)))
        row = end if match is not None else row + 1
    return found


def _taken(match: re.Match[str]) -> tuple[str, frozenset[str], frozenset[str]]:
    """Where a statement takes names from, types apart; which; and what they are called."""
    named = match.groupdict("")
    names = frozenset(filter(None, map(str.strip, re.split(r"[(){},]", named.get("names", "")))))
    one = named.get("alias") or named.get("bound", "").strip("*")
    source = named.get("sort", "") + named.get("source", "").replace("'", '"')
    return source, names, frozenset([name.split()[-1].strip("*") for name in names] or [one]) - {""}


def are_imports(path: str, lines: Sequence[str]) -> bool:
    """Whether lines are imports and nothing else."""
    rows = {row for one in imports_in(path, lines) for row in range(one.start, one.end)}
    return bool(rows) and all(row in rows or is_blank(line) for row, line in enumerate(lines))


# ── new ones ─────────────────────────────────────────────────────────────────────────────────────


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
