"""The symbols of a text for those who use the library: outline, find, read. Pure; reads no file.

for symbol in outline(text, path="shop/cart.py"): …
total = find(text, path="shop/cart.py", name_path="Cart/total")
read(total).text, read(total).hash
"""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

from .problems import Problem, Refused
from .syntax.damaged import settled
from .syntax.declarations import Declaration
from .syntax.grammars import package_of
from .syntax.languages import grammar_named, grammar_of
from .syntax.symbols import Outline, outline_by_all, resolve
from .text import Text, encode, hash_of, join


class Pos(NamedTuple):
    """A place in a text: line and column from 0, the column in UTF-16 units, as language servers count."""

    line: int
    column: int


class Range(NamedTuple):
    """From a place to just before another."""

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
        """What `expected_hash` of an edit must be: the hash of its whole lines."""
        return hash_of(self.text)


class SymbolText(NamedTuple):
    """The lines of a symbol, their hash, and the line end of its file."""

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
    """The top-level symbols in the order of the text, with the others as children. Raises PatchError without a grammar.

    `depth`: how many levels; all if None. `kinds`: only these; what is inside others moves up.
    """
    if depth is not None and depth < 1:
        raise ValueError(f"depth must be at least 1, not {depth!r}")
    if isinstance(kinds, str):
        raise TypeError("kinds must be a collection of kinds, not one str")
    sheet, (rows, _) = _rows(text, path or "", language)
    kept = [(depth is None or row.depth < depth) and (kinds is None or row.kind in kinds) for row in rows]
    return _nested(rows, kept, sheet, path or "")


def find(
    text: str,
    *,
    path: str,
    name_path: str | None = None,
    at: tuple[int, int] | None = None,
    language: str | None = None,
) -> Symbol:
    """The symbol of that name path or position. Raises PatchError, with suggestions, if there is none or several."""
    if name_path is None and at is None:
        raise ValueError("find needs name_path or at")
    sheet, (rows, errors) = _rows(text, path, language)
    found = resolve(rows, name_path or "", at)
    if not isinstance(found, Problem):
        whole = settled(path, "\n".join(sheet.lines), found, errors)
        rows = [whole if row == found and not isinstance(whole, Problem) else row for row in rows]
        found = whole
    if isinstance(found, Problem):
        raise Refused(found._replace(path=path))
    first = end = rows.index(found)
    while end < len(rows) and (end == first or rows[end].depth > found.depth):
        end += 1
    return _nested(rows[first:end], [True] * (end - first), sheet, path)[0]


def read(symbol: Symbol, *, lead: bool = False) -> SymbolText:
    """The text of a symbol. `lead`: with the comments right above, which are not part of the hash."""
    return SymbolText(symbol.comments + symbol.text if lead else symbol.text, symbol.hash, symbol.eol)


def _rows(text: str, path: str, language: str | None) -> tuple[Text, Outline]:
    sheet = Text.read(encode(text))
    grammar = grammar_named(language) if language else grammar_of(path)
    found = outline_by_all(grammar, path or f"a.{language}", "\n".join(sheet.lines))
    if found is None:
        advice = f"Install {package_of(grammar)}." if grammar else ""
        raise Refused(
            Problem("no_grammar", f"there is no grammar for {language or path or 'the text'}", path, advice=advice)
        )
    return sheet, found


def _nested(rows: list[Declaration], kept: list[bool], sheet: Text, path: str) -> list[Symbol]:
    """Rows in the order of the text become trees; the children of those not kept move up."""
    owners: list[int] = []
    above: list[int] = []
    for at, row in enumerate(rows):
        while above and rows[above[-1]].depth >= row.depth:
            above.pop()
        owner = above[-1] if above else -1
        owners.append(owner if owner < 0 or kept[owner] else owners[owner])
        above.append(at)
    children: list[list[Symbol]] = [[] for _ in range(len(rows) + 1)]
    for at in range(len(rows) - 1, -1, -1):
        if kept[at]:
            children[owners[at]].append(_symbol(rows[at], sheet, path, tuple(reversed(children[at]))))
    return children[-1][::-1]


def _symbol(row: Declaration, sheet: Text, path: str, children: tuple[Symbol, ...]) -> Symbol:
    lines, ends = sheet.lines[row.first : row.last + 1], sheet.ends[row.first : row.last + 1]
    lead = Range(Pos(row.lead, 0), Pos(row.first, 0)) if row.lead < row.first else None
    inner = Range(Pos(*row.inner[:2]), Pos(*row.inner[2:])) if row.inner else None
    comments = join(sheet.lines[row.lead : row.first], sheet.ends[row.lead : row.first])
    return Symbol(
        path, row.name, row.name_path, row.kind, Pos(row.row, row.column),
        Range(Pos(row.first, row.start), Pos(row.last, row.stop)), lead, inner, row.damaged, row.engine, children,
        join(lines, [*ends[:-1], ""]), comments, sheet.eol,
    )  # fmt: skip


def is_known(path: str) -> bool:
    """Whether the symbols of a file of that name could be told."""
    from .syntax.grammars import parser_of

    grammar = grammar_of(path)
    return bool(grammar) and parser_of(grammar) is not None
