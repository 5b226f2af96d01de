"""The top of a file: the lines that nothing may go above (shebang, licence, `package`), and its imports. Pure.

shown   import os           file   import os          becomes   import os
        import re                  import sys                   import re
                                                                import sys
        def total(…): …

Lines are read, no grammar. An import stands at the left edge, whatever its language calls it, and goes on while a
bracket is open; comments behind it are none of its words. Languages without a row here have no imports that could be
told. Of Go's list in brackets each line is an import.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from ..model import LineSplice
from ..record import NamedTuple
from ..text import is_blank
from .languages import grammar_of, suffix_of

# What only works as the first thing of a file.
FIRST = ("shebang", "coding", "opening", "front matter")
# What a licence may stand above.
_BELOW_LICENCE = ("docstring", "future", "directive", "package", "guard")

_KINDS = (
    ("coding", "", r"#.{0,40}?(?:coding[:=]|frozen_string_literal:|typed: |syntax=docker|escape=)|// swift-tools"),
    ("opening", "", r"<\?(?:php|xml|=|$)|<!doctype\b|@charset\b|%YAML\b|%TAG\b|@echo off"),
    ("package", "go java kt kts scala sc groovy gradle proto pl pm as", r"package\s"),
    ("package", "proto", r"(?:syntax|edition)\s*="),
    ("package", "php", r"declare\s*\(|namespace\s"),
    ("package", "sol", r"pragma\s"),
    ("package", "hs lhs elm erl hrl dart", r"module\s|port module\s|-module\(|library\s|\{-#"),
    ("package", "kt kts", r"@file:"),
    ("future", "py pyi pyw pyx", r"from\s+__future__\s+import\b"),
    ("guard", "h hh hpp hxx h++ inl ipp c cc cpp cxx m mm cu cuh", r"#\s*pragma\s+once"),
    ("directive", "js jsx mjs cjs ts tsx mts cts vue svelte", r"""(["'])use [a-z ]+\1\s*;?\s*(?://.*)?$"""),
    ("directive", "rs", r"#!\["),
    ("directive", "cs", r"#nullable\b"),
    ("directive", "yaml yml", r"---(?:\s|$)"),
)
_LICENCE = re.compile(r"copyright|licen[cs]e|spdx|\(c\)|©|all rights reserved", re.IGNORECASE)
# Comments that programs obey in the whole file.
_OBEYED = re.compile(
    r"go:build|\+build\b|@ts-(?:no)?check|@flow\b|eslint-(?:disable|env)(?!-)|@jest-environment|@vitest|<reference |"
    r"-\*-|vim?:|pylint:|mypy:|(?:flake8|ruff): |/// script|@jsx|rubocop:|swiftlint:|clang-format off"
)
_LONGEST = 60  # lines of a statement
_HEADED = ("md", "mdx", "markdown", "rst", "txt", "adoc", "org")  # in these `#` is no comment
_BLOCKS = (("/*", "*/"), ("<!--", "-->"), ("{-", "-}"), ("(*", "*)"), ("--[[", "]]"), ("=begin", "=end"))
_LINES = ("//", "#", "--", ";", "%", "rem ", "REM ", "' ", "!")


class Piece(NamedTuple):
    """Rows start..end at the top of a file, of one kind; `licence`: a comment that holds one."""

    kind: str
    start: int
    end: int
    licence: bool = False


def top_of(lines: Sequence[str], path: str) -> list[Piece]:
    """The pieces at the top that nothing goes above. A comment is one if it doesn't belong to the code right below."""
    suffix = suffix_of(path)
    pieces: list[Piece] = []
    kept = row = 0
    while row < len(lines):
        if not lines[row].strip():
            row += 1
            continue
        piece = _piece(lines, row, suffix)
        if piece is None:
            break
        pieces.append(piece)
        row = piece.end
        blank = row < len(lines) and not lines[row].strip()
        header = blank and not any(other.kind == "comment" for other in pieces[:-1])
        if piece.kind != "comment" or piece.licence or header:
            kept = len(pieces)
    return pieces[:kept]


def place_for(new: Sequence[str], lines: Sequence[str], path: str) -> int:
    """The row where new lines for the top of a file go; -1 where the file's top leaves no sure place for them."""
    pieces = top_of(lines, path)
    suffix = suffix_of(path)
    first = _piece(new, 0, suffix) if new else None
    kinds = {piece.kind for piece in pieces}
    if first is None or not pieces:
        return pieces[-1].end if pieces else 0
    if first.kind in FIRST or first.kind in ("docstring", "package", "guard"):
        above = [piece for piece in pieces if piece.kind == "shebang"] if first.kind == "coding" else []
        later = first.kind not in FIRST and not kinds & {first.kind, "future", "package"}
        return pieces[-1].end if later else above[-1].end if above else -1 if kinds & {*FIRST, first.kind} else 0
    if first.kind == "comment" and kinds & {*_BELOW_LICENCE, "comment"}:
        if not first.licence or first.end < len(new) or "comment" in kinds:
            return -1
        return max((piece.end for piece in pieces if piece.kind in FIRST), default=0)
    return pieces[-1].end


def _piece(lines: Sequence[str], row: int, suffix: str) -> Piece | None:
    bare = lines[row].strip()
    if row == 0 and bare.startswith("#!") and not bare.startswith("#!["):
        return Piece("shebang", 0, 1)
    if row == 0 and bare in ("---", "+++") and suffix not in ("yaml", "yml", "diff", "patch"):
        end = next((at + 1 for at in range(1, len(lines)) if lines[at].strip() == bare), 0)
        return Piece("front matter", 0, end) if end else None
    for kind, suffixes, pattern in _KINDS:
        if (not suffixes or suffix in suffixes.split()) and re.match(pattern, bare, re.IGNORECASE):
            return Piece(kind, row, _statement_end(lines, row))
    below = lines[row + 1].split() if row + 1 < len(lines) else []
    guard = ["#define", *re.findall(r"\w+", bare)[-1:]]
    if bare.startswith(("#ifndef ", "#if !defined")) and below[:2] == guard:
        return Piece("guard", row, row + 2)
    if suffix in ("py", "pyi", "pyw", "pyx") and bare.lstrip("rRuUbB")[:1] in ('"', "'"):
        return Piece("docstring", row, _string_end(lines, row, bare.lstrip("rRuUbB")))
    return _comment(lines, row, suffix)


def _statement_end(lines: Sequence[str], row: int, openers: str = "([", closers: str = ")]") -> int:
    """The row behind a statement: brackets that it opens are closed in it. PHP's `namespace A {` is one line."""
    level = 0
    for at in range(row, min(row + _LONGEST, len(lines))):
        level += sum((sign in openers) - (sign in closers) for sign in lines[at])
        if level <= 0:
            return at + 1
    return row + 1


def _string_end(lines: Sequence[str], row: int, bare: str) -> int:
    sign = bare[:3] if bare[:3] in ('"""', "'''") else ""
    if not sign or bare.find(sign, 3) >= 0:
        return row + 1
    return next((at + 1 for at in range(row + 1, len(lines)) if sign in lines[at]), row + 1)


def _comment(lines: Sequence[str], row: int, suffix: str) -> Piece | None:
    """The comment that begins at a row: a block, or lines one below the other."""
    bare = lines[row].strip()
    end = row
    for opener, closer in _BLOCKS:
        if bare.startswith(opener):
            at = next((at for at in range(row, len(lines)) if closer in lines[at][(at == row) * len(opener) :]), -1)
            if at < 0 or lines[at].strip().partition(closer)[2].strip():
                return None
            end = at + 1
            break
    else:
        while (
            end < len(lines)
            and suffix not in _HEADED
            and _is_line(lines[end].strip())
            and (end == row or not re.match(_KINDS[0][2], lines[end].strip(), re.IGNORECASE))
        ):
            end += 1
    if end == row:
        return None
    text = "\n".join(lines[row:end])
    return Piece("comment", row, end, bool(_LICENCE.search(text) or _OBEYED.search(text)))


def _is_line(bare: str) -> bool:
    """Whether a line is a comment: not `#include`, `#main {`, `#[derive]`, `--x: 1`."""
    if not bare.startswith(_LINES):
        return False
    behind = bare[2:3] if bare.startswith("--") else bare[1:2]
    return bare[0] in "/rR'" or not (behind.isalnum() or behind in ("!", "["))


# ── imports ──────────────────────────────────────────────────────────────────────────────────────


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
_GO = r'(?:(?P<alias>[\w.]+)\s+)?"(?P<bound>[^"]+)"$'
_GO_LIST = re.compile(r"import\s*\($")
_COMMENT = dict.fromkeys(("python", "ruby"), r"(?:^|\s)#.*$")  # other languages: `//` and `/* */`
_FIRST_WORDS = ("import", "from", "const", "let", "var", "using", "#", "use", "require")


class Import(NamedTuple):
    """An import statement: its rows, its words on one line, and the names that it takes from where, if it lists any.

    `bound`: what the file calls the things imported: `b` of `a as b`, `List` of `java.util.List`.
    `comment`: what is said behind it.
    """

    start: int
    end: int
    words: str
    source: str
    names: frozenset[str]
    bound: frozenset[str]
    comment: str = ""


def imports_in(path: str, lines: Sequence[str]) -> list[Import]:
    """The import statements that begin at the left edge, in their order."""
    grammar = grammar_of(path)
    if grammar == "go":
        return [one for rows in _go_statements(lines) for one in rows[1]]
    patterns = _PATTERNS.get(grammar, ())
    found: list[Import] = []
    for row in [row for row, line in enumerate(lines) if line.startswith(_FIRST_WORDS)] if patterns else ():
        if found and row < found[-1].end:
            continue
        end = _statement_end(lines, row, "([{", ")]}")
        words, comment = _without_comments(lines[row:end], grammar)
        match = next(filter(None, (re.match(pattern, words) for pattern in patterns)), None)
        if match is not None:
            found.append(Import(row, end, words, *_taken(match), comment))
    return found


def import_lists(path: str, lines: Sequence[str]) -> list[range]:
    """The rows of each list of imports in brackets, brackets and all; only Go has them."""
    return [rows for rows, _ in _go_statements(lines) if len(rows) > 1] if grammar_of(path) == "go" else []


def _go_statements(lines: Sequence[str]) -> list[tuple[range, list[Import]]]:
    """Each import statement of Go: its rows, and the imports on them."""
    found: list[tuple[range, list[Import]]] = []
    row = 0
    while row < len(lines):
        start, end = row, row + 1
        words, comment = _without_comments(lines[row:end], "go") if lines[row].startswith("import") else ("", "")
        row = end
        if _GO_LIST.match(words):
            closing = next((at for at in range(row, len(lines)) if lines[at].strip() == ")"), -1)
            if closing < 0:
                continue
            listed = [(at, *_without_comments([lines[at]], "go")) for at in range(row, closing)]
            row = end = closing + 1
        else:
            listed = [(start, words.removeprefix("import "), comment)] if words.startswith("import ") else []
        matches = [(at, re.match(_GO, said), comment) for at, said, comment in listed if said]
        if matches and all(match for _, match, _ in matches):
            imports = [Import(at, at + 1, m[0], "", frozenset(), _called(m), c) for at, m, c in matches if m]
            found.append((range(start, end), imports))
    return found


def _called(spec: re.Match[str]) -> frozenset[str]:
    """What Go calls a package: its alias, or the last part of its path that is no version, `yaml` of "x/yaml.v3"."""
    parts = [part for part in spec["bound"].split("/") if not re.fullmatch(r"v\d+", part)]
    return frozenset([spec["alias"] or re.sub(r"\.v\d+$", "", parts[-1] if parts else "")]) - {"_", ".", ""}


def _without_comments(lines: Sequence[str], grammar: str) -> tuple[str, str]:
    """The words of a statement on one line, and the comments behind them."""
    pattern = _COMMENT.get(grammar, r"(?:^|\s)//.*$|\s/\*.*\*/\s*$")
    bare = [re.sub(pattern, "", line) for line in lines]
    comments = [line[len(code) :].strip() for line, code in zip(lines, bare, strict=True)]
    return " ".join(" ".join(bare).split()), " ".join(filter(None, comments))


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
    rows.update(*import_lists(path, lines))
    return bool(rows) and all(row in rows or is_blank(line) for row, line in enumerate(lines))


# ── new ones ─────────────────────────────────────────────────────────────────────────────────────


def new_imports(path: str, there: Sequence[str], shown: Sequence[str]) -> list[Import]:
    """The imports that are shown and aren't in the file."""
    known = {one.words for one in imports_in(path, there)}
    return [one for one in imports_in(path, shown) if one.words not in known]


def placed_imports(
    path: str, there: Sequence[str], shown: Sequence[str], *, alone: bool = False
) -> list[LineSplice] | Import:
    """The splices that bring new imports into a file; the first that has no sure place in it.

    Each goes below the one that is shown above it, else above the one shown below it, else below those that the file
    begins with, or at its top. One that takes more from a module than the file's own does takes the place of that.
    What else the file calls the same may be meant to go; where imports are shown `alone`, so may all from that module.
    """
    old, told = imports_in(path, there), imports_in(path, shown)
    known = {one.words: one for one in old}
    ends = [above for above, below in pairwise(old) if not _are_near(there, above, below)] + old[-1:]
    top = place_for([""], there, path)
    splices: list[LineSplice] = []
    for one in new_imports(path, there, shown):
        rivals = [other for other in old if one.bound & other.bound or (alone and one.source == other.source != "")]
        is_first = one.source == "__future__" or (not old and top < 0)
        if is_first or len(rivals) > 1 or not all(_grows(other, one) for other in rivals):
            return one
        above = [known[other.words] for other in told if other.start < one.start and other.words in known]
        below = [known[other.words] for other in told if other.start > one.start and other.words in known]
        row = above[-1].end if above else below[0].start if below else ends[0].end if ends else top
        start, end = (rivals[0].start, rivals[0].end) if rivals else (row, row)
        lines = tuple(shown[one.start : one.end])
        if grammar_of(path) == "go":
            start = end = row = row if above or below or not old else _sorted_place(there, old, one)
            is_listed = any(row in rows for rows in import_lists(path, there))
            spec = lines[0].strip().removeprefix("import ").strip()
            lines = (f"{chr(9) if is_listed else 'import '}{spec}",)
        splices.append(LineSplice(start, end, lines, "symbol"))
    splices = _joined(splices)
    if splices and not old:  # the first imports of a file: with a blank line above and below
        (first,) = splices
        head = [""] if first.start and there[first.start - 1].strip() else []
        tail = [""] if not first.start or "".join(there[first.start : first.start + 1]).strip() else []
        return [first._replace(lines=(*head, *first.lines, *tail))]
    return splices


def left_out(path: str, there: Sequence[str], shown: Sequence[str]) -> str:
    """The first import of the file that a list of imports is shown without, where it is shown with others of the file.

    import (            import (
        "fmt"               "fmt"           may be meant to go; a list that has nothing in common with the file's
        "os"                "strings"       shows only what is new
    """
    listed = {row for rows in import_lists(path, shown) for row in rows}
    told = {one.words for one in imports_in(path, shown) if one.start in listed}
    known = [one.words for one in imports_in(path, there)] if listed else []
    return next((words for words in known if words not in told), "") if told.intersection(known) else ""


def _sorted_place(lines: Sequence[str], old: list[Import], new: Import) -> int:
    """The row for an import of Go among those of its kind, which are sorted by their paths: "os", or "x.org/a"."""
    groups: list[list[Import]] = []
    for one in old:
        if groups and one.start == groups[-1][-1].end:
            groups[-1].append(one)
        else:
            groups.append([one])
    alike = [group for group in groups if _is_standard(group[-1]) == _is_standard(new)]
    group = alike[0] if alike else groups[-1] if not _is_standard(new) else groups[0]
    return next((one.start for one in group if _path(one) > _path(new)), group[-1].end)


def _path(one: Import) -> str:
    return one.words.partition('"')[2].rstrip('"')


def _is_standard(one: Import) -> bool:
    return "." not in _path(one).partition("/")[0]


def _grows(old: Import, new: Import) -> bool:
    """Whether an import takes all that another takes from the same module, and more; and says what that says."""
    return old.source == new.source != "" and old.names < new.names and old.comment in ("", new.comment)


def _joined(splices: list[LineSplice]) -> list[LineSplice]:
    """The splices in order, those that add lines at one row as one."""
    made: list[LineSplice] = []
    for one in sorted(splices, key=lambda splice: (splice.start, splice.end)):
        if made and made[-1].start == made[-1].end == one.start == one.end:
            made[-1] = made[-1]._replace(lines=made[-1].lines + one.lines)
        else:
            made.append(one)
    return made


def _are_near(lines: Sequence[str], above: Import, below: Import) -> bool:
    """Whether only blank lines and comments stand between two imports."""
    between = [line.strip() for line in lines[above.end : below.start]]
    return all(not line or line.startswith(("#", "//", "*", "/*")) for line in between)
