"""The symbols of a page, and the one that a patch means. Pure."""

from __future__ import annotations

from _bisect import bisect_left

from ..errors import Problem
from ..syntax.grammars import grammar_of, package_of, parser_of
from ..syntax.names import last_names, resolve
from ..text import BLANK, Text, encode, join

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..syntax.symbols import Symbol, Symbols
    from .fit import Fit
    from .page import Page

WHOLE = "/"


class Table:
    """The symbols of a page's text as it was when they were read, followed through the splices made since.

    A patch names the symbols of the text that its author saw: one whose lines are still those needs no second reading.
    2,000 operations on the functions of a file would read it 2,000 times.
    """

    __slots__ = ("_by_name", "_rows", "is_fresh", "symbols")

    def __init__(self, symbols: Symbols | None, count: int) -> None:
        self.symbols = symbols
        self.is_fresh = True
        # For every line as it is now the row that it had then; a new one has that of the line above it and a half.
        self._rows: list[float] = list(range(count)) if symbols else []
        self._by_name: dict[str, list[Symbol]] = {}
        for symbol in symbols.rows if symbols else ():
            self._by_name.setdefault(symbol.name, []).append(symbol)

    def spliced(self, fits: Sequence[Fit]) -> Table:
        """The table for the text that some splices make of this one's."""
        other = Table(None, 0)
        other.symbols, other._by_name, other._rows, other.is_fresh = self.symbols, self._by_name, self._rows[:], False
        for start, end, lines, _ in (fit.splice for fit in reversed(fits)):
            above = other._rows[start - 1] // 1 if start else -1
            other._rows[start:end] = [above + 0.5] * len(lines)
        return other

    def find(self, name_path: str, at: tuple[int, int] | None, *, suggest: bool = True) -> Symbol | Problem:
        """The one symbol that is meant, as it was; only namesakes are looked at, where it needs no others."""
        assert self.symbols is not None
        if name_path and "[" not in name_path:
            named = [symbol for name in last_names(name_path) for symbol in self._by_name.get(name, ())]
            found = resolve(named, name_path, at, suggest=False)
            if not isinstance(found, Problem) or not (named or suggest):
                return found
        return resolve(self.symbols.rows, name_path, at, suggest=suggest)

    def now(self, symbol: Symbol, *, as_text: bool) -> Symbol | None:
        """The symbol where it stands now; None where its lines aren't those any more.

        `as_text`: those inside may differ, if only the first and the last are the same.
        """
        first, row, last, lead = map(self._row, (symbol.first, symbol.row, symbol.last, symbol.lead))
        if min(first, row, last, lead) < 0:
            return None
        if self._rows[lead : last + 1] == list(range(symbol.lead, symbol.last + 1)):
            by, other, inner = first - symbol.first, symbol.other, symbol.inner
            inner = (inner[0] + by, inner[1], inner[2] + by, inner[3]) if inner else None
            other = other + by if other >= 0 else other
            return symbol._replace(first=first, row=row, last=last, lead=lead, inner=inner, other=other)
        return symbol._replace(first=first, row=row, last=last, lead=lead) if as_text else None

    def _row(self, row: int) -> int:
        at = bisect_left(self._rows, row)
        return at if self._rows[at : at + 1] == [row] else -1


def symbol_on(
    page: Page, name_path: str, at: tuple[int, int] | None, *, as_text: bool = False, brief: bool = False
) -> Symbol | Problem:
    """The symbol meant, if its span can be trusted. `as_text`: what it holds is looked through as text only.

    `brief`: others that may be meant are not looked for.
    """
    from ..syntax.damage import settled
    from ..syntax.symbols import whole

    if name_path == WHOLE:
        return whole(len(page.lines))
    found = _known(page, name_path, at, as_text, not brief) or _read(page, name_path, at, not brief)
    symbols = page.symbols.symbols if page.symbols else None
    if isinstance(found, Problem):
        return found
    assert symbols is not None
    if not symbols.errors and found.engine != "scanner" and found.other < 0:
        return found
    return settled(page.path, "\n".join(page.lines), found, symbols.errors)


def _known(page: Page, name_path: str, at: tuple[int, int] | None, as_text: bool, few: bool) -> Symbol | Problem | None:
    """The symbol by what was read of the text before, if that still tells; where many names mean none, that they do."""
    table = page.symbols
    if table is None or table.symbols is None:
        return None
    if table.is_fresh:
        return table.find(name_path, at, suggest=few)
    found = table.find(name_path, None, suggest=few) if not at else None
    if found is None or isinstance(found, Problem):
        return None if few else found
    return table.now(found, as_text=as_text and not table.symbols.errors)


def _read(page: Page, name_path: str, at: tuple[int, int] | None, few: bool) -> Symbol | Problem:
    """The symbol by the text as it is now. A text that nobody could read isn't tried again."""
    grammar = grammar_of(page.path)
    if page.symbols is None or page.symbols.symbols is not None:
        from ..syntax.second import told

        found = told(grammar, page.path, "\n".join(page.lines))
        page.symbols = Table(found, len(page.lines))
    if page.symbols.symbols is None:
        return no_grammar(page.path, grammar)
    return page.symbols.find(name_path, at, suggest=few)


def no_grammar(path: str, grammar: str) -> Problem:
    """What to install, if that is known."""
    name = path.rsplit("/", 1)[-1]
    by_text = "Edit the file by its text alone."
    if not grammar:
        return Problem("no_grammar", f"no grammar is known for {name}", advice=by_text)
    if parser_of(grammar) is not None:
        return Problem("no_grammar", f"{name} holds so many errors that reading it takes too long", advice=by_text)
    return Problem("no_grammar", f"the grammar for {name} isn't installed", advice=f"Install {package_of(grammar)}.")


def hash_of(page: Page, symbol: Symbol) -> str:
    """The hash of the symbol's whole lines, without the last line end."""
    from hashlib import sha256

    lines, ends = (part[symbol.first : symbol.last + 1] for part in (page.lines, page.sheet.ends))
    text = join(lines, [*ends[:-1], ""]) if lines else ""
    return f"sha256:{sha256(encode(text)).hexdigest()}"


def beside(page: Page, symbol: Symbol) -> tuple[str, str]:
    """The code that stands on the symbol's lines and isn't its own: before it, behind it. A comment is nobody's."""
    if symbol.kind == "file" or not page.lines:
        return "", ""
    head = _cut(page.lines[symbol.first], symbol.start)[0]
    tail = _cut(page.lines[symbol.last], symbol.stop)[1].rstrip(BLANK)
    rest = tail.lstrip(BLANK + ",;")
    foreign = rest and not rest.startswith(("//", "#", "/*", "--", "<!--"))
    return head if head.strip(BLANK) else "", tail if foreign else ""


def _cut(line: str, units: int) -> tuple[str, str]:
    """A line in two, at a column in UTF-16 units."""
    if line.isascii():
        return line[:units], line[units:]
    wide = encode(line).decode("utf-8", "replace").encode("utf-16-le")
    at = len(wide[: 2 * units].decode("utf-16-le", "replace"))
    return line[:at], line[at:]


def part(page: Page, symbol: Symbol) -> Page:
    """The symbol's lines as a page of their own."""
    from .page import Page

    lines, ends = (rows[symbol.first : symbol.last + 1] for rows in (page.lines, page.sheet.ends))
    inner = Page(Text(lines, ends, eol=page.sheet.eol), page.path)
    inner.is_symbol = True
    return inner


def lowered(problem: Problem, symbol: Symbol) -> Problem:
    """A problem found in such a page, as one of the whole file."""
    first = symbol.first
    near = tuple(one._replace(line=one.line + first) for one in problem.near)
    line = problem.line + first if problem.line else 0
    return problem._replace(line=line, near=near, detail=f"{problem.detail} (looked for in `{symbol.name_path}` only)")


def names_source(path: str) -> bool:
    """Whether a path is that of a file with symbols, be it there or not."""
    return bool(grammar_of(path))
