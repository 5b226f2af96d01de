"""The symbols of a text, for users of the library: outline, find, read. Reads no file.

for symbol in outline(text, path="shop/cart.py"): …
total = find(text, path="shop/cart.py", name_path="Cart/total")
read(total).text, read(total).hash
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import takewhile
from typing import NamedTuple

from .problems import Problem, Refused
from .syntax.damaged import confirm_lines
from .syntax.declarations import Declaration
from .syntax.grammars import package_of, parser_of
from .syntax.languages import grammar_named, grammar_of
from .syntax.symbols import Outline, outline_by_all, resolve
from .text import Text, encode, hash_of, join


class Pos(NamedTuple):
    """A position in a text: line and column from 0, the column in UTF-16 units, as language servers count."""

    line: int
    column: int


class Range(NamedTuple):
    """From a position to just before another."""

    start: Pos
    end: Pos


class Symbol(NamedTuple):
    """One symbol with what is inside it. `text`: its whole lines, without the last line ending; `eol`: the file's.

    `range` includes decorators, modifiers and a final semicolon; `lead` is the comments right above, `inner` its
    body, each None if there is none. `damaged`: there are syntax errors inside.
    """

    path: str
    name: str
    name_path: str
    kind: str
    name_pos: Pos
    range: Range
    lead: Range | None
    inner: Range | None
    damaged: bool
    engine: str
    children: tuple[Symbol, ...]
    text: str
    comments: str
    eol: str

    @property
    def hash(self) -> str:
        """The hash of its whole lines, for the `expected_hash` of an edit."""
        return hash_of(self.text)


class SymbolText(NamedTuple):
    """The lines of a symbol, their hash, and the line ending of its file."""

    text: str
    hash: str
    eol: str


def outline(
    text: str,
    *,
    language: str | None = None,
    path: str | None = None,
    depth: int | None = None,
    kinds: Collection[str] | None = None,
) -> list[Symbol]:
    """Return the top-level symbols in order, with the others as children. Raises PatchError without a grammar.

    `depth`: how many levels; all if None. `kinds`: only these; what is inside others moves up.
    """
    if depth is not None and depth < 1:
        raise ValueError(f"depth must be at least 1, not {depth!r}")
    if isinstance(kinds, str):
        raise TypeError("kinds must be a collection of kinds, not one str")
    source, (rows, _) = declarations_of(text, path or "", language)
    kept = [(depth is None or row.depth < depth) and (kinds is None or row.kind in kinds) for row in rows]
    return _as_trees(rows, kept, source, path or "")


def find(
    text: str,
    *,
    path: str,
    name_path: str | None = None,
    at: tuple[int, int] | None = None,
    language: str | None = None,
) -> Symbol:
    """Return the symbol of a name path or position. Raises PatchError, with suggestions, for none or several."""
    if name_path is None and at is None:
        raise ValueError("find needs name_path or at")
    source, (rows, errors) = declarations_of(text, path, language)
    match = resolve(rows, name_path or "", at)
    if isinstance(match, Problem):
        raise Refused(match._replace(path=path))
    whole = confirm_lines(path, "\n".join(source.lines), match, errors)
    if isinstance(whole, Problem):
        raise Refused(whole._replace(path=path))
    after = rows[rows.index(match) + 1 :]
    declarations = [whole, *takewhile(lambda row: row.depth > match.depth, after)]
    return _as_trees(declarations, [True] * len(declarations), source, path)[0]


def read(symbol: Symbol, *, lead: bool = False) -> SymbolText:
    """Return the text of a symbol. `lead`: with the comments right above, which are not part of the hash."""
    return SymbolText(symbol.comments + symbol.text if lead else symbol.text, symbol.hash, symbol.eol)


def declarations_of(text: str, path: str, language: str | None = None) -> tuple[Text, Outline]:
    """Return a text split into lines, and its declarations. Raise Refused without a grammar."""
    source = Text.read(encode(text))
    grammar = grammar_named(language) if language else grammar_of(path)
    declarations = outline_by_all(grammar, path or f"a.{language}", "\n".join(source.lines))
    if declarations is None:
        detail = f"there is no grammar for {language or path or 'the text'}"
        raise Refused(Problem("no_grammar", detail, path, hint=f"Install {package_of(grammar)}." if grammar else ""))
    return source, declarations


def _as_trees(rows: Sequence[Declaration], kept: Sequence[bool], source: Text, path: str) -> list[Symbol]:
    """Nest declarations that are in the order of the text; the children of those not kept move up."""
    parents: list[int] = []
    outer: list[int] = []
    for index, row in enumerate(rows):
        while outer and rows[outer[-1]].depth >= row.depth:
            outer.pop()
        parent = outer[-1] if outer else -1
        parents.append(parent if parent < 0 or kept[parent] else parents[parent])
        outer.append(index)
    children: list[list[Symbol]] = [[] for _ in range(len(rows) + 1)]  # the last: those without a parent
    for index in reversed(range(len(rows))):
        if kept[index]:
            children[parents[index]].append(_symbol(rows[index], source, path, tuple(reversed(children[index]))))
    return children[-1][::-1]


def _symbol(row: Declaration, source: Text, path: str, children: tuple[Symbol, ...]) -> Symbol:
    lines, ends = source.lines[row.first : row.last + 1], source.ends[row.first : row.last + 1]
    lead = Range(Pos(row.lead, 0), Pos(row.first, 0)) if row.lead < row.first else None
    inner = Range(Pos(*row.inner[:2]), Pos(*row.inner[2:])) if row.inner else None
    comments = join(source.lines[row.lead : row.first], source.ends[row.lead : row.first])
    return Symbol(
        path, row.name, row.name_path, row.kind, Pos(row.row, row.column),
        Range(Pos(row.first, row.start), Pos(row.last, row.stop)), lead, inner, row.damaged, row.engine, children,
        join(lines, [*ends[:-1], ""]), comments, source.eol,
    )  # fmt: skip


def is_known(path: str) -> bool:
    """Return True if there is a grammar for a file of that name."""
    grammar = grammar_of(path)
    return bool(grammar) and parser_of(grammar) is not None
