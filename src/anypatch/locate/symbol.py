"""The symbols of a page, and the one that a patch means. Pure."""

from __future__ import annotations

from ..errors import Problem
from ..syntax.grammars import grammar_of, package_of
from ..syntax.names import resolve
from ..text import BLANK, Sheet, encode, join

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..syntax.symbols import Symbol
    from .page import Page

WHOLE = "/"


def symbol_on(page: Page, name_path: str, at: tuple[int, int] | None) -> Symbol | Problem:
    """The symbol meant, if its span can be trusted."""
    from ..syntax.damage import settled
    from ..syntax.second import told
    from ..syntax.symbols import whole

    if name_path == WHOLE:
        return whole(len(page.lines))
    grammar = grammar_of(page.path)
    text = "\n".join(page.lines)
    if page.symbols[0] != page.sheet.version:
        page.symbols = (page.sheet.version, told(grammar, page.path, text))
    symbols = page.symbols[1]
    if symbols is None:
        return no_grammar(page.path, grammar)
    found = resolve(symbols.rows, name_path, at)
    return found if isinstance(found, Problem) else settled(page.path, text, found, symbols.errors)


def no_grammar(path: str, grammar: str) -> Problem:
    """What to install, if that is known."""
    name = path.rsplit("/", 1)[-1]
    if not grammar:
        return Problem("no_grammar", f"no grammar is known for {name}", advice="Edit the file by its text alone.")
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


def part(page: Page, symbol: Symbol, searches: int) -> Page:
    """The symbol's lines as a page of their own."""
    from .page import Page

    lines, ends = (rows[symbol.first : symbol.last + 1] for rows in (page.lines, page.sheet.ends))
    sheet = Sheet(encode(join(lines, ends)))
    sheet.eol = page.sheet.eol
    inner = Page(sheet, page.path, searches)
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
