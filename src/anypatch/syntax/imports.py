"""Import statements at the left edge of a text, whatever its language calls them. Pure.

Lines are read, no grammar: a statement goes on while a bracket is open. Languages without a row here have no imports
that could be told; Go's stand in a list of their own.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from ..record import NamedTuple
from ..text import is_blank
from .languages import grammar_of
from .top import statement_end

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
